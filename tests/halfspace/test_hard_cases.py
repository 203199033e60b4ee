"""Every engine is exact where floating point is at its worst, whatever the kernels.

The families of points, the oracle and the operations are those of the fuzz, which test_fuzz.py
compares with rational arithmetic; here each family meets each engine, and hard ones each dimension,
on purpose instead of by chance.
"""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib.halfspace import HalfspaceIndex
from tests.halfspace import fuzz, hostile
from tests.halfspace.hostile import LARGEST, assert_hits, decide
from tests.halfspace.oracle import SLICE_ENGINE_IDS, SLICE_ENGINES

pytestmark = pytest.mark.either_way

every_engine = pytest.mark.parametrize(("method", "kernels"), SLICE_ENGINES, ids=SLICE_ENGINE_IDS)


def play(method, kernels, family, m, d, biased, *operations):
    case = {"family": family, "seed": d, "m": m, "d": d, "biased": biased}
    case |= {"leaf_size": 8, "on_slice": method == "cap"}
    fuzz.play(f"{method}/{kernels}", case, [(each, n) for n, each in enumerate(operations)])


@every_engine
@pytest.mark.parametrize("family", hostile.FAMILIES)
def test_every_family_may_come_go_and_move(family, method, kernels):
    changes = ["query", "insert", "query", "update", "query", "remove", "query", "renew", "query"]
    for m, d, biased in ((40, 3, True), (70, 2, False), (2, 1, True)):
        play(method, kernels, family, m, d, biased, *changes)


@every_engine
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65])
def test_hard_points_are_answered_exactly_in_every_dimension(d, method, kernels):
    for family in ("halfway", "lattice", "one huge", "mixed"):
        for biased in (False, True):
            for m in (9, 65):
                play(method, kernels, family, m, d, biased, "query")


@every_engine
def test_thousands_of_ties_are_decided_truly_in_every_form_of_the_answer(method, kernels):
    # 2000 points on the hyperplane and 1000 on either side, one unit in the last place away.
    x = np.array([[0.75**0.5, 0.0, 0.5]])
    points = np.zeros((4000, 3))
    points[:, 1] = np.arange(4000) - 2000.0
    points[:, 2] = 2.0
    points[2000:3000, 2] = np.nextafter(2.0, 3.0)
    points[3000:, 2] = np.nextafter(2.0, 1.0)
    index = HalfspaceIndex(points, method=method, domain="slice", kernels=kernels)
    over, on = list(range(2000, 3000)), list(range(3000))
    for strict, wanted in ((True, over), (False, on)):
        assert index.query_halfspace(x, 1.0, strict=strict)[0].tolist() == wanted
        assert index.count_halfspace(x, 1.0, strict=strict).tolist() == [len(wanted)]
        assert np.flatnonzero(index.mask_halfspace(x, 1.0, strict=strict)[0]).tolist() == wanted
        unsorted = index.query_halfspace(x, 1.0, strict=strict, sort_results=False)
        assert sorted(unsorted[0].tolist()) == wanted
        buffer = np.empty(len(wanted), dtype=np.int32)
        assert index.query_halfspace(x, 1.0, strict=strict, out=buffer)[0].tolist() == wanted
        sums = index.aggregate_halfspace(x, 1.0, np.ones(4000), strict=strict)
        assert sums.counts.tolist() == sums.weight_sums.tolist() == [len(wanted)]


@every_engine
def test_scores_beyond_the_float_range_are_compared_truly(method, kernels):
    # Twice the largest number, and the largest number plus a little: infinite in float64.
    x = np.array([[0.75**0.5, 0.5]])
    points = np.array([[LARGEST, LARGEST], [LARGEST, -LARGEST], [-LARGEST, -LARGEST], [0.0, 1.0]])
    index = HalfspaceIndex(points, method=method, domain="slice", kernels=kernels)
    for offset in (LARGEST, -LARGEST, LARGEST / 4, 0.5, 0.0):
        signs = decide(points, None, x, np.array([offset]))
        assert_hits(index.query_halfspace(x, offset), signs > 0)
        assert_hits(index.query_halfspace(x, offset, strict=False), signs >= 0)
    assert index.query_halfspace(x, LARGEST)[0].tolist() == [0]
    assert index.query_halfspace(x, -LARGEST, strict=False)[0].tolist() == [0, 1, 3]

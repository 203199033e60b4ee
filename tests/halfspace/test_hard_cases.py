"""Every engine is exact where floating point is at its worst, whatever the kernels.

The families of points and the oracle are those of the fuzz, which test_fuzz.py compares with
rational arithmetic; here each family meets each engine, each dimension and each size of a
leaf on purpose instead of by chance.
"""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib.halfspace import HalfspaceIndex
from tests.halfspace import hostile
from tests.halfspace.hostile import LARGEST, assert_hits, decide
from tests.halfspace.oracle import SLICE_ENGINE_IDS, SLICE_ENGINES

pytestmark = pytest.mark.either_way

every_engine = pytest.mark.parametrize(("method", "kernels"), SLICE_ENGINES, ids=SLICE_ENGINE_IDS)
every_family = pytest.mark.parametrize("name", hostile.FAMILIES)


def drawn(name, m, d, biased, seed=0):
    """Return points and biases of a family, and the family."""
    rng = np.random.default_rng([seed, m, d, biased])
    family = hostile.Family(name, seed + d, d, biased)
    return rng, family, *family.draw(rng, m)


def domain_of(method, d):
    """Return a domain that the engine takes; only the cap prefix must have one."""
    return "slice" if method == "cap" and d >= 2 else None


def questions(rng, family, points, bias, count, domain):
    if domain is None:
        normals = hostile.draw_normals(rng, family, points, count)
    else:
        normals = hostile.draw_slice(rng, points, count)
    offsets = hostile.draw_offsets(rng, points, bias, normals)
    return normals, offsets, decide(points, bias, normals, offsets)


def assert_exact(index, normals, offsets, signs, ids=None):
    """Compare ids and counts with the oracle, for > and for >=."""
    for strict in (True, False):
        inside = beyond(signs, strict)
        assert_hits(index.query_halfspace(normals, offsets, strict=strict), inside, ids)
        counts = index.count_halfspace(normals, offsets, strict=strict)
        np.testing.assert_array_equal(counts, inside.sum(axis=1))


def beyond(signs, strict):
    return signs > 0 if strict else signs >= 0


# Families


@every_engine
@every_family
def test_every_family_may_come_go_and_move(name, method, kernels):
    d, domain = 3, domain_of(method, 3)
    rng, family, points, bias = drawn(name, 40, d, True)
    index = HalfspaceIndex(points, bias, method=method, domain=domain, kernels=kernels, leaf_size=4)
    more = family.rows(rng, 50)
    index.insert(more[:, :-1], more[:, -1])
    points, bias = np.concatenate((points, more[:, :-1])), np.concatenate((bias, more[:, -1]))
    moved = rng.permutation(90)[:30]
    again = family.rows(rng, 30)
    index.update(moved, again[:, :-1], again[:, -1])
    points[moved], bias[moved] = again[:, :-1], again[:, -1]
    kept = np.sort(rng.permutation(90)[:70])
    index.remove(np.setdiff1d(np.arange(90), kept))
    points, bias = points[kept], bias[kept]
    assert_exact(index, *questions(rng, family, points, bias, 24, domain), ids=kept)
    index.update(kept, points[::-1], bias[::-1])
    points, bias = points[::-1], bias[::-1]
    assert_exact(index, *questions(rng, family, points, bias, 20, domain), ids=kept)
    index.rebuild()
    assert_exact(index, *questions(rng, family, points, bias, 20, domain), ids=kept)


@every_engine
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65])
def test_hard_points_are_answered_exactly_in_every_dimension(d, method, kernels):
    domain = domain_of(method, d)
    if method == "cap" and domain is None:
        return
    for name in ("halfway", "lattice", "one huge", "mixed"):
        for biased in (False, True):
            for m in (9, 65):
                rng, family, points, bias = drawn(name, m, d, biased)
                index = HalfspaceIndex(points, bias, method=method, domain=domain, kernels=kernels)
                assert_exact(index, *questions(rng, family, points, bias, 12, domain))


# Single cases


@every_engine
def test_thousands_of_ties_are_decided_truly_in_every_form_of_the_answer(method, kernels):
    # 2000 points on the hyperplane and 1000 on either side, one unit in the last place away.
    domain = domain_of(method, 3)
    x = np.array([[0.75**0.5, 0.0, 0.5]])
    points = np.zeros((4000, 3))
    points[:, 1] = np.arange(4000) - 2000.0
    points[:, 2] = 2.0
    points[2000:3000, 2] = np.nextafter(2.0, 3.0)
    points[3000:, 2] = np.nextafter(2.0, 1.0)
    index = HalfspaceIndex(points, method=method, domain=domain, kernels=kernels)
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
    domain = domain_of(method, 2)
    x = np.array([[0.75**0.5, 0.5]])
    points = np.array([[LARGEST, LARGEST], [LARGEST, -LARGEST], [-LARGEST, -LARGEST], [0.0, 1.0]])
    index = HalfspaceIndex(points, method=method, domain=domain, kernels=kernels)
    for offset in (LARGEST, -LARGEST, LARGEST / 4, 0.5, 0.0):
        assert_exact(index, x, np.array([offset]), decide(points, None, x, np.array([offset])))
    assert index.query_halfspace(x, LARGEST)[0].tolist() == [0]
    assert index.query_halfspace(x, -LARGEST, strict=False)[0].tolist() == [0, 1, 3]

"""The cap prefix: queries on X look only at the points that can reach the offset there."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from sublinear_lib import geometry, predicates
from sublinear_lib.halfspace import HalfspaceHits, HalfspaceIndex, alive_on_slice, cap
from tests.halfspace.invariants import check_cap
from tests.halfspace.oracle import (
    KERNELS,
    SLICE_ENGINE_IDS,
    SLICE_ENGINES,
    assert_exact,
)

pytestmark = pytest.mark.either_way

every_engine = pytest.mark.parametrize(("method", "kernels"), SLICE_ENGINES, ids=SLICE_ENGINE_IDS)
every_kernel = pytest.mark.parametrize("kernels", KERNELS)


def random_problem(m, d, q, seed, biased=True):
    rng = np.random.default_rng(seed)
    biases = rng.standard_normal(m) if biased else None
    return rng.standard_normal((m, d)), biases, geometry.sample_slice(q, d, rng=seed)


def index_of(points, biases, kernels, method="cap"):
    return HalfspaceIndex(points, biases, method=method, domain="slice", kernels=kernels)


# QUERY


@every_kernel
def test_the_points_asked_are_those_that_a_query_counts_and_hold_its_answer(kernels):
    points, biases, normals = random_problem(700, 3, 5, seed=3)
    index = index_of(points, biases, kernels)
    rng = np.random.default_rng(4)
    for offset in (-9.0, 0.0, 1.0, 2.5, 4.0, 9.0):
        asked = index.asked(offset)
        assert (np.diff(asked) > 0).all()
        before = index.stats().points_tested
        for x in normals:
            found = index.query_halfspace(x[None], offset).indices
            assert np.isin(found, asked).all()
        if kernels == "numba":
            # Free places of a group are counted, too.
            tested = (index.stats().points_tested - before) / len(normals)
            assert len(asked) <= tested < len(asked) + 2 * 64
        moved = rng.choice(700, 60, replace=False)
        index.update(moved, rng.standard_normal((60, 3)))
    with pytest.raises(ValueError, match="engine must be 'cap', got 'scan'"):
        index_of(points, biases, kernels, method="scan").asked(0.0)
    with pytest.raises(ValueError, match="offset"):
        index.asked(np.nan)


@every_engine
def test_biases_that_cancel_with_the_last_coordinate_are_answered_exactly(method, kernels):
    # w_d = -2 b, both large: what is left on X is the rest of w and b times 1 - 2 x_d, which is not
    # quite zero at points that are off X as far as is allowed.
    rng = np.random.default_rng(0)
    points, biases, normals = random_problem(2000, 3, 12, seed=12)
    biases *= 10.0 ** rng.integers(0, 13, 2000)
    points[:, -1] = -2.0 * biases
    points[::3, -1] += rng.standard_normal(667)
    height = 0.5 + np.array([0.0, 9.9e-10, -9.9e-10])[np.arange(12) % 3]
    normals[:, -1] = height
    index = index_of(points, biases, kernels, method)
    exact = [
        float(sum(Fraction(a) * Fraction(x) for a, x in zip(p, n, strict=True)) + Fraction(b))
        for p, b, n in zip(
            points.tolist(), biases.tolist(), np.resize(normals, (2000, 3)).tolist(), strict=True
        )
    ]
    for r in (0, 1, 2, 3, 500, 1001):
        assert_exact(index, points, biases, normals, exact[r])
        assert_exact(index, points, biases, normals, np.nextafter(exact[r], np.inf))
    assert_exact(index, points, biases, normals, 1.0)


# What it saves


@every_kernel
@pytest.mark.parametrize("d", [3, 8, 16])
def test_a_query_tests_the_surviving_points_only(kernels, d):
    m, q = 2**14, 16
    points, biases, normals = random_problem(m, d, q, seed=d)
    index = index_of(points, biases, kernels)
    tau = 2.0**0.5 * stats.norm.isf(0.01)
    index.query_halfspace(normals, tau)
    alive = len(alive_on_slice(points, biases, tau=tau))
    tested = index.stats().points_tested / q
    assert alive <= tested < alive + 64, "the prefix, rounded up to a whole group"
    assert index.stats().points_reported_untested == 0


@every_kernel
def test_different_offsets_do_not_pay_for_each_other(kernels):
    points, biases, normals = random_problem(2**14, 8, 40, seed=6)
    index = index_of(points, biases, kernels)
    offsets = np.concatenate((np.full(39, 6.0), [-50.0]))
    assert_exact(index, points, biases, normals, offsets)
    assert index.stats().points_tested < 6 * (2**14 + 39 * 0.1 * 2**14)


# INSERT, REMOVE, UPDATE


@every_kernel
def test_drifting_points_stay_in_place_and_jumping_ones_do_not(kernels):
    m, q = 2**14, 8
    points, biases, normals = random_problem(m, 8, q, seed=7)
    index = index_of(points, biases, kernels)
    rng = np.random.default_rng(0)
    tau = 2.0**0.5 * stats.norm.isf(0.001)

    def tested():
        before = index.stats().points_tested
        assert_exact(index, points, biases, normals, tau)
        return (index.stats().points_tested - before) / (6 * q * m)

    fresh = tested()
    for _ in range(5):
        points += 0.01 * rng.standard_normal(points.shape)
        index.update(np.arange(m), points)
        check_cap(index._engine)
    assert tested() < fresh + 0.15
    assert index.stats().rebuilds == 0
    few = np.arange(0, m, 100)
    points[few] *= 3.0
    index.update(few, points[few])
    check_cap(index._engine)
    assert index.stats().rebuilds == 0
    assert tested() < fresh + 0.25, "points that jump up must not drag their tiles along"
    points = rng.permutation(points)
    index.update(np.arange(m), points)
    check_cap(index._engine)
    assert index.stats().rebuilds == 1
    assert abs(tested() - fresh) < 0.05


@every_kernel
def test_insertions_come_to_the_end_until_they_are_many(kernels):
    points, biases, normals = random_problem(12_000, 3, 8, seed=8)
    index = index_of(points[:6000], biases[:6000], kernels)
    for start in range(6000, 12_000, 500):
        part = slice(start, start + 500)
        index.insert(points[part], biases[part])
        check_cap(index._engine)
        assert_exact(index, points[: start + 500], biases[: start + 500], normals, 3.0)
    assert 1 <= index.stats().rebuilds <= 3
    index.remove(np.arange(0, 12_000, 2))
    check_cap(index._engine)
    kept = index.query_halfspace(normals, 2.0)
    wanted = predicates.exceeds_many(points, biases, normals, 2.0)
    wanted[:, ::2] = False
    assert kept == HalfspaceHits.from_mask(wanted)


def test_points_that_fall_bring_a_new_order():
    points, biases, _ = random_problem(2**14, 8, 1, seed=9)
    index = index_of(points, biases, "numpy")
    few = np.arange(0, 2**14, 8)
    index.update(few, points[few] * 0.1, biases[few])
    assert index.stats().rebuilds == 0
    more = np.setdiff1d(np.arange(0, 2**14, 2), few)
    index.update(more, points[more] * 0.1, biases[more])
    assert index.stats().rebuilds == 1


# What is refused


def test_a_domain_needs_two_columns_and_the_prefix_a_domain():
    with pytest.raises(ValueError, match="points must have at least 2 columns"):
        HalfspaceIndex([[1.0]], domain="slice")
    with pytest.raises(ValueError, match="domain must be 'slice' with method='cap'"):
        HalfspaceIndex([[1.0, 2.0]], method="cap")


# The choice of the engine


def test_stats_and_repr_name_the_engine_and_the_domain():
    index = index_of(np.zeros((5000, 8)), None, "numpy")
    stats_of = index.stats()
    assert (stats_of.engine, stats_of.height, stats_of.nodes_visited) == ("cap", 0, 0)
    assert stats_of.memory <= 2.5 * 5000 * 8 * 8
    assert repr(index).startswith("HalfspaceIndex(m=5000, d=8, domain='slice', engine='cap'")
    assert cap.CapPrefix.name == "cap"

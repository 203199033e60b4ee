"""Rows sorted once per cap, then followed or climbed in one call, give what all rows give."""

from __future__ import annotations

import weakref
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sublinear_lib import geometry, losses, scaling
from sublinear_lib._vector_code import host_code
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.evaluation import Evaluator, Neurons, Region, kernels_in_use
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import caps
from sublinear_lib.training.caps import CapEvaluator, CapFilter, CapMemory

climbing = pytest.importorskip("sublinear_lib.training.kernels_numba_climb")
pytestmark = pytest.mark.skipif(kernels_in_use() == "numpy", reason="needs compiled loops")

CODES = pytest.mark.parametrize("vector", ["1", "0"])
TOLERANCE = 1e-8


def neurons_of(W, b, tau, *, shift=0.0, seed=0):
    """Return neurons with random signs."""
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], len(W))
    hidden = np.ascontiguousarray(W, dtype=np.float64)
    return Neurons(hidden, signs, np.array(b, dtype=np.float64), float(tau), float(shift))


def region_of(X, rho, margin=0.0):
    """Return the caps around points."""
    return Region(X, min(rho, geometry.SLICE_DIAMETER), TOLERANCE, margin)


def volumes(neurons, mask):
    """What the float64 sums of a point are made of, in size."""
    sizes = np.abs(neurons.W).sum(axis=1) + np.abs(neurons.b - neurons.shift)
    return mask @ (np.abs(neurons.a) * sizes) + 1e-300


def filter_of(neurons, rho, *, rows=None, margin=0.0, share=0.01):
    radius = min(rho, geometry.SLICE_DIAMETER)
    return CapFilter(neurons, rows, radius=radius, tolerance=TOLERANCE, margin=margin, share=share)


def assert_equal_at(ours, neurons, points, *, smooth=0.0):
    """Hold an evaluator against the sum over all neurons, at a sequence of points."""
    n = len(points[0])
    rng = np.random.default_rng(1)
    for X in points:
        dense = Evaluator(neurons, n)
        reference = dense.forward(X)
        size = volumes(neurons, reference.mask.astype(np.float64))
        value, gradient = ours.value_and_input_gradient(X)
        _, slopes = dense.value_and_input_gradient(X)
        assert (np.abs(value - reference.value) <= 1e-13 * size).all()
        assert (np.abs(gradient - slopes) <= 1e-13 * size[:, None]).all()
        gone = weakref.ref(ours.forward(X))
        assert gone() is None, "the arrays of a pass would stay in a circle"
        passed = ours.forward(X)
        assert_array_equal(passed.counts, reference.counts)
        for found, wanted in zip(passed.active_sets(), reference.active_sets(), strict=True):
            assert_array_equal(found, wanted)
        assert_array_equal(passed.touched, reference.touched)
        coefficients = rng.standard_normal(n)
        rows, moves = ours.weight_gradient(X, passed, coefficients)
        _, wanted = dense.weight_gradient(X, reference, coefficients)
        assert_array_equal(rows, np.flatnonzero(reference.touched))
        scale = np.abs(neurons.a)[:, None] * np.abs(coefficients).sum()
        assert (np.abs(moves - wanted[rows]) <= 1e-13 * scale[rows]).all()
        untouched = np.delete(wanted, rows, axis=0)
        assert not untouched.any()
        if smooth:
            blurred = dense.smoothed_input_gradient(X, smooth)
            size = volumes(neurons, np.ones((n, neurons.m))) * (1.0 + neurons.tau / smooth)
            error = np.abs(ours.smoothed_input_gradient(X, smooth) - blurred)
            assert (error <= 1e-13 * size[:, None]).all()


def walk(X, rho, *, steps=5, seed=0):
    """Points that stay in their caps: the clean ones, then random ones, near and far."""
    rng = np.random.default_rng(seed)
    found = [X]
    for step in range(steps):
        found.append(geometry.sample_caps(X, rho * (1.0 if step % 2 else 0.3), rng))
    return [*found, X.copy()]


def neurons_fire(neurons, x):
    """Whether each neuron fires at a point, in real arithmetic."""
    return np.array(
        [
            sum((Fraction(w) * Fraction(v) for w, v in zip(row, x, strict=True)), Fraction(bias))
            > Fraction(neurons.tau)
            for row, bias in zip(neurons.W, neurons.b, strict=True)
        ]
    )


def evaluators(neurons, X, rho, *, rows=None, margin=0.0, share=0.01):
    """The three ways to find candidates: a scan, lists, a memory."""
    region = region_of(X, rho, margin)
    kept = filter_of(neurons, rho, rows=rows, margin=margin, share=share)
    yield "scan", CapEvaluator(kept, region)
    count = len(kept.ids)
    everyone = np.tile(np.arange(count, dtype=np.int32), len(X))
    lists = np.arange(len(X) + 1, dtype=np.int64) * count, everyone
    other = filter_of(neurons, rho, rows=rows, margin=margin, share=share)
    yield "lists", CapEvaluator(other, region, lists)
    third = filter_of(neurons, rho, rows=rows, margin=margin, share=share)
    memory = CapMemory(third, X, 1e-3)
    yield "memory", CapEvaluator(third, region, memory=memory)


@settings(deadline=None, max_examples=25)
@given(
    d=st.sampled_from([2, 3, 5, 8, 9, 16, 33]),
    m=st.sampled_from([1, 2, 63, 64, 65, 700]),
    n=st.integers(1, 9),
    rho=st.sampled_from([0.0, 1e-6, 0.1, 0.7, 3**0.5, 5.0]),
    t=st.floats(-1.0, 3.0),
    jump=st.booleans(),
    share=st.sampled_from([1.0, 1e-3]),
    seed=st.integers(0, 10**6),
)
def test_a_followed_cap_equals_all_neurons(d, m, n, rho, t, jump, share, seed):
    tau = max(0.0, scaling.threshold_from_standard(t, m)) if t > 0 else 0.0
    network = TwoLayerNetwork.initialize(
        m, d, rng=seed, tau=tau, activation="jump" if jump else "continuous"
    )
    neurons = network.working_copy()
    X = geometry.sample_slice(n, d, rng=seed + 1)
    margin = 0.02
    points = walk(X, rho, seed=seed)
    for _, ours in evaluators(neurons, X, rho, margin=margin, share=share):
        assert_equal_at(ours, neurons, points, smooth=margin)


@CODES
@pytest.mark.parametrize("d", [2, 3, 7, 8, 16, 40])
def test_ties_duplicates_and_zero_rows_are_decided_exactly(d, vector, monkeypatch):
    monkeypatch.setenv("SUBLINEAR_VECTOR", vector)
    rng = np.random.default_rng(d)
    m, tau = 300, 0.25
    W = rng.integers(-2, 3, (m, d)) / 8.0
    W[:120, :-1] = 0.0  # the score is w_d / 2 + b, the same all over X: ties by the dozen
    b = rng.integers(-2, 3, m) / 8.0
    W[120:160], b[120:160] = W[0], b[0]
    W[160:170], b[160:170] = 0.0, tau
    W[170:180], b[170:180] = 0.0, np.nextafter(tau, 1.0)
    neurons = neurons_of(W, b, tau)
    X = geometry.sample_slice(5, d, rng=1)
    tied = (neurons.W @ X.T + neurons.b[:, None] == tau).any(axis=1)
    assert np.count_nonzero(tied) >= 10
    for name, ours in evaluators(neurons, X, 0.2):
        assert_equal_at(ours, neurons, walk(X, 0.2)), name


@CODES
@pytest.mark.parametrize("power", [-1060, -900, 0, 300])
def test_rows_of_any_size_are_decided_exactly(power, vector, monkeypatch):
    monkeypatch.setenv("SUBLINEAR_VECTOR", vector)
    rng = np.random.default_rng(3)
    m, d = 100, 6
    W = np.ldexp(rng.standard_normal((m, d)), power)
    b = np.ldexp(rng.standard_normal(m), power)
    W[:20] *= 2.0**40  # huge against the others
    W[20:40] = np.ldexp(W[20:40], -40)
    W[40:50] = 0.0
    neurons = neurons_of(W, b, np.ldexp(0.7, power))
    X = geometry.sample_slice(6, d, rng=4)
    for _, ours in evaluators(neurons, X, 0.15):
        assert_equal_at(ours, neurons, walk(X, 0.15))


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("d", [3, 8, 20])
def test_rows_that_flip_only_at_the_rim_are_not_taken_for_granted(d, sign):
    # One row per example, just below (above) the threshold in the cap but for the rim.
    X = geometry.sample_slice(6, d, rng=d)
    rho = 0.3
    W = np.random.default_rng(d).standard_normal((6, d))
    low, high = geometry.cap_intervals(X, rho, W, np.zeros(6))
    ends = np.diag(high) if sign > 0 else np.diag(low)
    rim = np.array([geometry.Cap(X[i], rho).support(sign * W[i][None, :])[1][0] for i in range(6)])
    for gap in (1e-6, 1e-9, 1e-12):
        b = 1.0 - ends + sign * gap  # active only at the rim (inactive only there)
        neurons = neurons_of(W, b, 1.0)
        active = np.diag(neurons.W @ rim.T) + b > 1.0
        assert (active == (sign > 0)).all()
        for _, ours in evaluators(neurons, X, rho):
            assert_equal_at(ours, neurons, [X, rim, X])


def test_points_at_the_edge_of_what_is_accepted_are_decided_exactly():
    # The deviation alone lifts these rows above the threshold, or takes them below it.
    X = geometry.embed(np.array([[1.0, 0.0]]))
    nearly, rho = 0.99 * TOLERANCE, 0.1
    for step in (
        [0.0, 0.0, nearly],
        [0.0, 0.0, -nearly],
        [0.0, rho + nearly, nearly],
        [0.0, rho + nearly, -nearly],
    ):
        moved = X + np.array([step])
        for w in ([0.0, 0.0, 100.0], [0.0, 0.0, -100.0], [0.0, 7.0, 3.0], [1.0, -3.0, 50.0]):
            score = float(moved[0] @ np.array(w))
            for offset in (-1e-10, 1e-10, -1e-7, 1e-7):
                for bias in (0.0, 1e4):
                    neurons = neurons_of([w, w], [bias, bias], score + bias + offset)
                    wanted = Evaluator(neurons, 1).forward(moved).counts
                    for name, ours in evaluators(neurons, X, rho):
                        ours.value(X)
                        assert_array_equal(ours.forward(moved).counts, wanted, err_msg=name)


def test_a_huge_row_that_came_and_went_leaves_no_rounding_error():
    # Two points of the cap: the huge row fires at the second only.
    d = 4
    X = geometry.sample_slice(1, d, rng=0)
    cap = geometry.Cap(X[0], 0.3)
    toward = np.zeros(d)
    toward[:3] = np.random.default_rng(1).standard_normal(3)
    far = cap.support(toward[None, :])[1]
    huge = 1e12 * toward
    bias = -0.5 * float((huge @ X[0]) + (huge @ far[0]))
    small = np.random.default_rng(2).standard_normal((200, d))
    neurons = neurons_of(np.vstack((huge, small)), np.append(bias, np.zeros(200)), 0.1)
    points = [X, far, X, far, X]
    for _, ours in evaluators(neurons, X, 0.3):
        assert_equal_at(ours, neurons, points)


@CODES
@pytest.mark.parametrize("d", [3, 10])
def test_a_memory_follows_weights_that_move(d, vector, monkeypatch):
    monkeypatch.setenv("SUBLINEAR_VECTOR", vector)
    m, n, rho = 900, 7, 0.15
    network = TwoLayerNetwork.initialize(m, d, rng=1, tau=scaling.threshold_from_standard(1.5, m))
    neurons = network.working_copy()
    X = geometry.sample_slice(n, d, rng=2)
    kept = filter_of(neurons, rho)
    memory = CapMemory(kept, X, 0.2 / m**0.5)
    region = region_of(X, rho)
    rng = np.random.default_rng(3)
    for step in range(25):
        batch = np.sort(rng.choice(n, 4, replace=False)) if step % 3 == 2 else None
        chosen = np.arange(n) if batch is None else batch
        here = Region(X[chosen], region.radius, TOLERANCE)
        ours = CapEvaluator(kept, here, memory=memory, batch=batch)
        assert_equal_at(ours, neurons, walk(X[chosen], rho, steps=2, seed=step))
        rows = np.sort(rng.choice(m, 60, replace=False))
        rows = np.union1d(rows, np.arange(5))  # a few move in every step
        speed = np.where(rows < 5, 0.2, 0.03)[:, None] / m**0.5
        values = neurons.W[rows] + speed * rng.standard_normal((len(rows), d))
        if step == 12:
            values[7] *= 1e9  # beyond what float32 scores may say anything about
        if step == 16:
            values[:] = 0.0
        neurons.set_rows(rows, values)
        kept.update(kept.positions_of(rows))
    assert 1 < memory.scans < 20


def test_the_memory_never_misses_a_row_whose_weights_went_up_by_the_skin():
    # Each step lifts all scores by just less than what the skin allows; then a little more.
    d, m = 5, 400
    X = geometry.sample_slice(3, d, rng=0)
    W = np.random.default_rng(0).standard_normal((m, d))
    neurons = neurons_of(W, np.zeros(m), 4.0)
    rho, skin = 0.1, 0.3
    kept = filter_of(neurons, rho)
    memory = CapMemory(kept, X, skin)
    everyone = np.arange(m)
    for _ in range(12):
        ours = CapEvaluator(kept, region_of(X, rho), memory=memory)
        assert_equal_at(ours, neurons, walk(X, rho, steps=2))
        direction = X[np.argmax(neurons.W @ X.T, axis=1)]
        neurons.set_rows(everyone, neurons.W + 0.07 * direction)
        kept.update(None)


def test_rows_set_aside_and_two_evaluators_at_once():
    network = TwoLayerNetwork.initialize(
        800, 5, rng=1, tau=scaling.threshold_from_standard(1.0, 800)
    )
    neurons = network.working_copy()
    X = geometry.sample_slice(6, 5, rng=2)
    active = network.active_mask(np.vstack([X, *walk(X, 0.1)])).any(axis=0)
    rows = np.flatnonzero(active)
    kept = filter_of(neurons, 0.1, rows=rows)
    first = CapEvaluator(kept, region_of(X, 0.1))
    second = CapEvaluator(kept, region_of(X[:3], 0.1))  # takes the buffers of the first
    points = walk(X, 0.1)
    passed = first.forward(points[2])
    assert_equal_at(second, neurons, [P[:3] for P in points])
    assert_equal_at(first, neurons, points)
    reference = Evaluator(neurons, 6).forward(points[2])
    for found, wanted in zip(passed.active_sets(), reference.active_sets(), strict=True):
        assert_array_equal(found, wanted)


@CODES
@pytest.mark.parametrize("rho", [0.1, 3e-6])
@pytest.mark.parametrize("d", [3, 6, 17])
def test_rows_that_flip_on_the_way_are_noticed_when_they_do(d, rho, vector, monkeypatch):
    """The points walk straight at the rows, which is the fastest way to change a score."""
    monkeypatch.setenv("SUBLINEAR_VECTOR", vector)
    rng = np.random.default_rng(d)
    m, tau = 4000, 0.4
    x = geometry.sample_slice(1, d, rng)[0]
    center = x[:-1] / np.linalg.norm(x[:-1])
    ahead = rng.standard_normal(d - 1)
    ahead -= (ahead @ center) * center
    ahead /= np.linalg.norm(ahead)
    sizes = 2.0 ** rng.uniform(-3.0, 3.0, m) * rng.choice([-1.0, 1.0], m)
    W = np.column_stack((sizes[:, None] * ahead, rng.standard_normal(m)))
    b = tau - W @ x + np.abs(sizes) * rho * rng.uniform(-1.0, 1.0, m)
    neurons = neurons_of(W, b, tau)
    shares = np.array(
        [
            [0.0, 0.05, 0.1, 0.3, 0.31, 0.6, 0.61, 0.95, 0.9, 0.2, 0.0],
            [0.0, -0.02, -0.04, -0.06, -0.3, -0.6, -0.62, -0.64, -0.99, -0.97, 0.9],
        ]
    )
    angles = 2.0 * np.arcsin(shares * rho / (2.0 * geometry.SLICE_RADIUS))[..., None]
    circle = geometry.SLICE_RADIUS * (np.cos(angles) * center + np.sin(angles) * ahead)
    points = np.concatenate((circle, np.full(angles.shape, 0.5)), axis=2)
    for _, ours in evaluators(neurons, points[:, 0].copy(), rho):
        assert_equal_at(ours, neurons, [points[:, step].copy() for step in range(11)])


@CODES
@pytest.mark.parametrize("step", [30, 90])  # more of them than there is room for, and fewer
@pytest.mark.parametrize("share", [1.0, 1e-3])
def test_rows_that_no_floating_point_score_decides_are_followed_exactly(
    share, step, vector, monkeypatch
):
    """At the centers some rows are within a rounding error of the threshold, on either side."""
    monkeypatch.setenv("SUBLINEAR_VECTOR", vector)
    rng = np.random.default_rng(5)
    m, d, n, rho, tau = 1500, 4, 3, 0.2, 0.3
    X = geometry.sample_slice(n, d, rng)
    W = rng.standard_normal((m, d))
    b = 0.3 * rng.standard_normal(m)
    for i in range(n):
        near = slice(i, m, step)
        b[near] = tau - W[near] @ X[i]
    neurons = neurons_of(W, b, tau)
    fires = np.array([neurons_fire(neurons, X[i])[i::step] for i in range(n)])
    assert 0.2 < fires.mean() < 0.8
    points = [X]
    for _ in range(4):
        points += [geometry.sample_caps(X, 1e-3 * rho, rng), X.copy()]
    for _, ours in evaluators(neurons, X, rho, share=share):
        assert_equal_at(ours, neurons, points)


@CODES
def test_a_row_is_scored_again_only_when_it_could_have_changed(vector, monkeypatch):
    monkeypatch.setenv("SUBLINEAR_VECTOR", vector)
    network = TwoLayerNetwork.initialize(5000, 6, rng=1, tau=0.05)
    X = geometry.sample_slice(4, 6, rng=2)
    ours = CapEvaluator(filter_of(network.working_copy(), 0.3), region_of(X, 0.3))
    ours.value(X)
    before, spent = X, []
    for share in (0.01, 0.01, 1.0):
        after = geometry.sample_caps(before, 0.3 * share, rng=3)
        work = ours.work
        ours.value(geometry.project_to_caps(after, X, 0.3))
        spent.append((ours.work - work) / ours.undecided)
        before = after
    assert 0.0 < max(spent[:2]) < 0.1 < 0.5 < spent[2]


def test_gradients_over_words_have_the_bits_of_those_over_lists(monkeypatch):
    if host_code().lanes != 16:
        pytest.skip("needs vectors of sixteen numbers")
    network = TwoLayerNetwork.initialize(3000, 5, rng=1, tau=0.01)
    neurons = network.working_copy()
    X = geometry.sample_slice(7, 5, rng=2)
    coefficients = np.random.default_rng(3).standard_normal(7)
    for share in (1.0, 1e-3):
        for _, ours in evaluators(neurons, X, 0.2, share=share):
            passed = ours.forward(walk(X, 0.2)[2])
            found = []
            for least in (1.0, 0.0):
                monkeypatch.setattr(caps, "_MASKED_SHARE", least)
                found.append(ours.weight_gradient(X, passed, coefficients))
            for listed, masked in zip(*found, strict=True):
                assert_array_equal(masked, listed)


def test_points_outside_their_caps_and_foreign_passes_are_refused():
    network = TwoLayerNetwork.initialize(100, 4, rng=1, tau=0.1)
    neurons = network.working_copy()
    X = geometry.sample_slice(3, 4, rng=2)
    kept = filter_of(neurons, 0.1)
    ours = CapEvaluator(kept, region_of(X, 0.1))
    with pytest.raises(ValueError, match=r"must stay within 0\.1 of the points"):
        ours.value(X[::-1].copy())
    with pytest.raises(ValueError, match="bandwidth must be at most the margin"):
        ours.smoothed_input_gradient(X, 0.1)
    with pytest.raises(ValueError, match="forward pass of this evaluator"):
        ours.weight_gradient(X, Evaluator(neurons, 3).forward(X), np.ones(3))
    frozen = X.copy()
    frozen.flags.writeable = False
    assert_allclose(ours.value(frozen), ours.value(X))
    assert_allclose(ours.value(np.asfortranarray(X)), ours.value(X))


def test_work_counts_scores_and_changes():
    network = TwoLayerNetwork.initialize(500, 4, rng=1, tau=0.05)
    neurons = network.working_copy()
    X = geometry.sample_slice(3, 4, rng=2)
    ours = CapEvaluator(filter_of(neurons, 0.2), region_of(X, 0.2))
    sure = ours.candidates - ours.undecided
    # Not much is left undecided that a bound of the change over the cap decides.
    reach = 0.2 * np.linalg.norm(neurons.W[:, :-1], axis=1)
    near = np.abs(network.preactivations(X) - neurons.tau) <= 1.001 * reach + 1e-5
    assert ours.undecided <= np.count_nonzero(near) < ours.candidates
    before = ours.work
    first = ours.forward(X).counts
    # One score each, and one sum of what fires at the centers, which is known from sorting.
    assert before == ours.candidates + first.sum() > ours.candidates + sure
    assert ours.work - before == ours.undecided
    before = ours.work
    ours.value(X)
    assert ours.work == before  # nobody moved
    moved = X.copy()
    moved[1] = geometry.sample_caps(X, 0.2, rng=3)[1]
    changes = ours.forward(moved).counts != first
    assert 0 < ours.work - before < ours.undecided
    assert not changes[[0, 2]].any()


# A whole attack in one call finds what the walk step by step finds, with exact activities.


ANGLES = np.array([0.05, 0.04, 0.03, 0.02, 0.01])


class Slowly:
    """An evaluator that has no compiled walk."""

    def __init__(self, ours):
        self.value = ours.value
        self.value_and_input_gradient = ours.value_and_input_gradient
        self.weight_scale = ours.weight_scale


def evaluator_of(neurons, X, rho, *, memory=False, share=0.01):
    kept = filter_of(neurons, rho, share=share)
    held = CapMemory(kept, X, 1e-3) if memory else None
    return CapEvaluator(kept, region_of(X, rho), memory=held), kept


def labels_of(n, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, n)


@settings(deadline=None, max_examples=25)
@given(
    d=st.sampled_from([3, 4, 8, 9, 10, 17, 33]),
    m=st.sampled_from([1, 2, 63, 65, 900]),
    n=st.integers(1, 9),
    rho=st.sampled_from([1e-3, 0.1, 0.7, 3**0.5]),
    t=st.floats(-1.0, 3.0),
    jump=st.booleans(),
    memory=st.booleans(),
    loss=st.sampled_from(losses.LOSSES),
    seed=st.integers(0, 10**6),
)
def test_one_call_finds_what_the_steps_find(d, m, n, rho, t, jump, memory, loss, seed):
    tau = max(0.0, scaling.threshold_from_standard(t, m)) if t > 0 else 0.0
    network = TwoLayerNetwork.initialize(m, d, rng=seed, tau=tau)
    neurons = network.working_copy()
    if not jump:
        neurons = Neurons(neurons.W, neurons.a, neurons.b, tau, tau)
    X = geometry.sample_slice(n, d, rng=seed + 1)
    y = labels_of(n, seed)
    attack = ProjectedGradient(rho=rho)
    ours, _ = evaluator_of(neurons, X, rho, memory=memory, share=1.0 if seed % 2 else 1e-3)
    steps = attack(Slowly(evaluator_of(neurons, X, rho)[0]), X, y, loss, seed)
    found = attack(ours, X, y, loss, seed)
    # Of points whose losses differ by rounding only, either may be the best.
    rounding = 1e-9 * volumes(neurons, np.ones((n, m)))
    assert (np.abs(found.loss - steps.loss) <= rounding).all()
    assert_allclose(found.clean_value, steps.clean_value, rtol=0, atol=1e-4 * rounding.max())
    apart = np.abs(found.X - steps.X).max(axis=1) > 1e-9
    assert np.count_nonzero(apart) <= n // 2
    assert (found.loss >= losses.get_loss(loss).value(y, found.clean_value)).all()
    assert_equal_at(ours, neurons, [found.X, *walk(X, rho)])


@CODES
def test_values_and_steps_are_those_of_the_walk(vector, monkeypatch):
    monkeypatch.setenv("SUBLINEAR_VECTOR", vector)
    network = TwoLayerNetwork.initialize(2000, 5, rng=1, tau=0.02)
    neurons = network.working_copy()
    X = geometry.sample_slice(40, 5, rng=2)
    y = labels_of(40)
    ours, _ = evaluator_of(neurons, X, 0.3)
    before = ours.work
    found = ours.climb(X, y, (0, 0.0), ANGLES, 0.3)
    scores = (ours.work - before) / ours.undecided
    assert 6.0 <= scores <= 7.5  # six points, some once more, and few changes
    dense = Evaluator(neurons, 40)
    assert_allclose(found.clean, dense.value(X), rtol=0, atol=1e-13)
    assert_allclose(found.value, dense.value(found.X), rtol=0, atol=1e-13)
    stayed = found.step == 0
    assert stayed.any()
    assert_array_equal(found.X[stayed], X[stayed])
    assert set(found.step.tolist()) == set(range(6))
    assert (np.abs(found.value - y) >= np.abs(found.clean - y)).all()


@CODES
@pytest.mark.parametrize("power", [-400, -40, 0, 40, 400])
def test_rows_of_any_size_are_climbed_exactly(power, vector, monkeypatch):
    """Some rows are a million times as large as the others: too large for their integers."""
    monkeypatch.setenv("SUBLINEAR_VECTOR", vector)
    rng = np.random.default_rng(3)
    m, d, n = 4000, 6, 5
    sizes = 2.0**power * np.where(rng.random(m) < 2.0**-12, 2.0**20, 1.0)
    sizes[0] = 2.0 ** (power + 20)
    W = sizes[:, None] * rng.standard_normal((m, d))
    b = sizes * rng.standard_normal(m)
    neurons = neurons_of(W, b, 2.0**power)
    X = geometry.sample_slice(n, d, rng)
    ours, kept = evaluator_of(neurons, X, 0.3)
    assert kept.grains[-1] >= 1.0  # some are too large
    found = ours.climb(X, labels_of(n), (0, 0.0), ANGLES, 0.3)
    assert found is not None
    assert_equal_at(ours, neurons, [found.X, *walk(X, 0.3)])


def test_rows_that_grow_get_a_coarser_unit_and_others_only_patience():
    rng = np.random.default_rng(3)
    m, d, n = 3000, 6, 5
    neurons = neurons_of(rng.standard_normal((m, d)), rng.standard_normal(m), 1.0)
    X = geometry.sample_slice(n, d, rng)
    _, kept = evaluator_of(neurons, X, 0.3)
    unit, patience = kept._unit, kept._patience
    rows = np.arange(m)
    neurons.set_rows(rows, 64.0 * neurons.W)
    kept.update(rows)
    assert kept._unit == unit / 64.0
    assert kept.grains[-1] <= patience == kept._patience
    one = np.argmax(np.abs(neurons.W[:, :-1]).max(axis=1), keepdims=True)
    neurons.set_rows(one, 2.0**12 * neurons.W[one])
    for _ in range(int(patience) + 2):
        kept.update(one)
    assert kept._unit == unit / 64.0
    assert kept._patience == 2.0 * patience
    ours = CapEvaluator(kept, region_of(X, 0.3))
    found = ours.climb(X, labels_of(n), (0, 0.0), ANGLES, 0.3)
    assert_equal_at(ours, neurons, [found.X, *walk(X, 0.3)])


@settings(deadline=None, max_examples=40)
@example(d=3, power=-80, spread=0.0, seed=319)  # with such a row
@given(
    d=st.sampled_from([3, 8, 32]),
    power=st.sampled_from([-80, 0, 33]),
    spread=st.sampled_from([0.0, 8.0]),
    seed=st.integers(0, 10**6),
)
def test_the_margin_bounds_what_integers_lose(d, power, spread, seed):
    """In fractions, for rows at all distances from the threshold and any point of X."""
    rng = np.random.default_rng(seed)
    m = 40
    sizes = 2.0 ** (power + spread * rng.uniform(-1.0, 0.0, m))
    W = sizes[:, None] * rng.choice([-1.0, 1.0], (m, d)) * rng.uniform(0.5, 1.0, (m, d))
    x = geometry.sample_slice(1, d, rng)
    tau = 2.0**power
    b = tau - W @ x[0] + sizes * 10.0 ** rng.uniform(-9.0, 0.0, m) * rng.choice([-1.0, 1.0], m)
    neurons = neurons_of(W, b, tau)
    _, kept = evaluator_of(neurons, x, 0.1)
    # A row is left out only if 32 bits do not hold its distance from the threshold, or if a weight
    # just below a power of two rounds to 2**15, which 16 bits do not hold.
    limits = kept._unit * climbing.POINT_UNIT * (0.5 * W[:, -1] + b - tau)
    left_out = np.abs(limits) > 2.0**31 - 2.0**25
    left_out |= np.abs(np.rint(kept._unit * W[:, :-1])).max(axis=1) == 2.0**15
    assert kept.grains[-1] == left_out.sum() <= 2
    halves = np.zeros(2 * kept.pairs, dtype=np.int16)
    margin = climbing._round_point(x[0], halves, kept.grains)
    assert margin > 0
    rows = kept.halves.reshape(m, -1).astype(object)
    products = rows @ halves.astype(object) - kept.cuts.astype(object)
    unit = Fraction(kept._unit) * Fraction(climbing.POINT_UNIT)
    for r in np.flatnonzero(~left_out):
        score = sum(
            (Fraction(w) * Fraction(v) for w, v in zip(W[r], x[0], strict=True)), -Fraction(tau)
        )
        score += Fraction(b[r])
        assert abs(products[r] - unit * score) <= margin
        assert abs(int(rows[r] @ halves.astype(object))) < 2**31
    # It is of use: most rows of a cap are further from the threshold than that.
    assert margin < 0.02 * float(unit) * 0.1 * np.linalg.norm(W[:, :-1], axis=1).max()


@CODES
def test_ties_in_float64_are_left_to_the_steps(vector, monkeypatch):
    monkeypatch.setenv("SUBLINEAR_VECTOR", vector)
    rng = np.random.default_rng(5)
    m, d, n, tau = 300, 4, 3, 0.3
    X = geometry.sample_slice(n, d, rng)
    W = rng.standard_normal((m, d))
    b = 0.3 * rng.standard_normal(m)
    b[::30] = tau - W[::30] @ X[0]
    neurons = neurons_of(W, b, tau)
    ours, _ = evaluator_of(neurons, X, 0.2)
    assert ours.climb(X, labels_of(n), (0, 0.0), ANGLES, 0.2) is None
    assert_equal_at(ours, neurons, [X])
    slow = evaluator_of(neurons, X, 0.2)[0]
    attack = ProjectedGradient(rho=0.2)
    found, steps = (attack(each, X, labels_of(n), "huber", 0) for each in (ours, Slowly(slow)))
    assert_array_equal(found.X, steps.X)
    assert_array_equal(found.value, steps.value)


def test_other_cases_are_left_to_the_steps(monkeypatch):
    network = TwoLayerNetwork.initialize(500, 4, rng=1, tau=0.05)
    neurons = network.working_copy()
    X = geometry.sample_slice(3, 4, rng=2)
    y = labels_of(3)
    ours, _ = evaluator_of(neurons, X, 0.2)
    assert ours.climb(X, y, (0, 0.0), ANGLES, 0.2) is not None
    assert ours.climb(X, y, (0, 0.0), ANGLES, 0.21) is None  # beyond the region
    assert ours.climb(geometry.sample_caps(X, 0.1, rng=3), y, (0, 0.0), ANGLES, 0.1) is None
    monkeypatch.setattr(caps, "_CACHE_BYTES", 10)
    assert ours.climb(X, y, (0, 0.0), ANGLES, 0.2) is None  # too many rows for the cache
    monkeypatch.undo()
    huge = neurons_of(np.full((2, 4), 1e308), [1e308, 1e308], 0.0)
    wild, _ = evaluator_of(huge, X, 0.2)
    assert wild.climb(X, y, (0, 0.0), ANGLES, 0.2) is None  # not finite
    lifted = X.copy()
    lifted[:, 2] += 1e-3
    off, _ = evaluator_of(neurons, lifted, 0.2)
    assert off.climb(lifted, y, (0, 0.0), ANGLES, 0.2) is None  # not on X


@pytest.mark.parametrize("kind", range(4))
def test_compiled_losses_are_those_of_the_library(kind):
    residuals = np.concatenate(
        (np.linspace(-2.0, 2.0, 401), [0.1, -0.1, 0.05, -0.05, 1e200, 5e-324])
    )
    for scale in (0.1, 0.05, 3.0):
        name = losses.LOSSES[kind]
        parameters = {"huber": "delta", "log-cosh": "scale", "epsilon-insensitive": "epsilon"}
        made = type(losses.get_loss(name))
        loss = made(**{parameters[name]: scale}) if name in parameters else made()
        found = [climbing.attack_loss(kind, scale, r) for r in residuals]
        assert_allclose(found, loss.value(0.0, residuals), rtol=1e-15, atol=0.0)
        slopes = np.sign(loss.derivative(0.0, residuals))
        for y in (-1.0, 0.0, 1.0):
            signs = [climbing.attack_slope(kind, scale, r, y) for r in residuals]
            flat = -1.0 if y > 0.0 else 1.0
            assert_array_equal(signs, np.where(slopes == 0.0, flat, slopes))


def test_sums_are_renewed_when_too_much_has_come_and_gone():
    """A huge row fires at the centers and nowhere else on the way."""
    rng = np.random.default_rng(4)
    m, d, n = 400, 5, 6
    network = TwoLayerNetwork.initialize(m, d, rng=1, tau=0.05)
    W, b = network.W.copy(), network.b.copy()
    X = geometry.sample_slice(n, d, rng)
    W[0] = 2.0**25 * X[0]
    b[0] = 0.05 - 2.0**25 * (X[0] @ X[0]) * (1.0 - 1e-9)
    neurons = neurons_of(W, b, 0.05)
    ours, _ = evaluator_of(neurons, X, 0.3)
    found = ours.climb(X, labels_of(n), (0, 0.0), ANGLES, 0.3)
    assert found is not None
    points = geometry.sample_caps(X, 0.3, rng=5)
    for stop in (found.X, points, X):
        assert_equal_at(ours, neurons, [stop])
    away = ours.climb(X, -np.sign(found.clean), (0, 0.0), ANGLES, 0.3)
    assert_equal_at(ours, neurons, [away.X])

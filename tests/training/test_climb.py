"""A whole attack in one call finds what the walk step by step finds, with exact activities."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sublinear_lib import geometry, losses, scaling
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.evaluation import Evaluator, Neurons, kernels_in_use
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import caps
from sublinear_lib.training.caps import CapEvaluator, CapMemory
from tests.training.cap_cases import assert_equal_at, filter_of, neurons_of, region_of, volumes

if kernels_in_use() == "numpy":
    pytest.skip("needs compiled loops", allow_module_level=True)

from sublinear_lib.training import kernels_numba_climb as climbing

CODES = pytest.mark.parametrize("vector", ["1", "0"])
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
    gained = steps.loss > losses.get_loss(loss).value(y, steps.clean_value) + rounding
    assert_array_equal(found.best_run[gained], steps.best_run[gained])
    assert found.queries == steps.queries == attack.steps + 1
    assert (found.loss >= losses.get_loss(loss).value(y, found.clean_value)).all()
    assert_equal_at(ours, neurons, [found.X])


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
def test_rows_of_any_size_are_decided_exactly(power, vector, monkeypatch):
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
    assert_equal_at(ours, neurons, [found.X])


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
    assert_equal_at(ours, neurons, [found.X])


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

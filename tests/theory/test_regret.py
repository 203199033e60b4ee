"""The regret of Algorithm 1: norms, couplings, the steps of the proof and Theorem D."""

from __future__ import annotations

import math
from dataclasses import asdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from sublinear_lib import datasets, scaling
from sublinear_lib.losses import LOSSES, get_loss
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.scaling import PRESETS, R1, R2, R3
from sublinear_lib.theory import regret, worst_case
from sublinear_lib.training import run_ledger
from tests.theory.oracles import ACTIVATIONS, q

POINT = np.array([[math.sqrt(3.0) / 2.0, 0.5]])
seeds = st.integers(0, 2**32 - 1)


def sample(seed, n=3, m=96, d=3, rules="R1", size=0.1):
    """Return a small network, moved weights, points and labels."""
    rng = np.random.default_rng(seed)
    start = TwoLayerNetwork.initialize(m, d, rules, rng=rng)
    W = start.W + size * rng.standard_normal((m, d))
    X = datasets.separated(n, d, separation=0.0 if d == 2 else 0.1, rng=rng).X
    return start, W, X, rng.uniform(-1.0, 1.0, n), rng


def gradients(start, W, X, v):
    """Return both gradients by the definition, neuron by neuron and point by point."""
    n = len(X)
    real, pseudo = np.zeros_like(W), np.zeros_like(W)
    for r in range(start.m):
        for i in range(n):
            term = v[i] * start.a[r] * X[i] / n
            real[r] += term * (W[r] @ X[i] + start.b[r] > start.tau)
            pseudo[r] += term * (start.W[r] @ X[i] + start.b[r] > start.tau)
    return real, pseudo


# C.10


@given(seeds)
@settings(deadline=None, max_examples=30)
def test_norms_are_dual(seed):
    A, B = np.random.default_rng(seed).standard_normal((2, 6, 2))
    assert abs(np.vdot(A, B)) <= regret.norm_2_1(A) * regret.norm_2_inf(B) * (1.0 + 1e-12)
    aligned = A / np.linalg.norm(A, axis=1, keepdims=True)
    assert np.vdot(A, aligned) == pytest.approx(regret.norm_2_1(A), rel=1e-12)


# C.11, C.14


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("seed", range(3))
def test_coupling_is_what_the_definition_says(name, seed):
    start, W, X, y, _ = sample(seed)
    form = get_loss(name)
    f, g = start.with_weights(W).forward(X), PseudoNetwork(start, W).forward(X)
    real, common = gradients(start, W, X, form.derivative(y, f))
    literal = gradients(start, W, X, form.derivative(y, g))[1]
    found = regret.gradient_coupling(start, W, X, y, name)
    assert found.common == pytest.approx(np.linalg.norm(common - real, axis=1).sum(), rel=1e-10)
    assert found.literal == pytest.approx(np.linalg.norm(literal - real, axis=1).sum(), rel=1e-10)
    flips = (start.active_mask(X) != start.with_weights(W).active_mask(X)).sum(axis=1)
    weight = 96**-0.2
    assert found.flip_bound == pytest.approx(weight * flips.max(), rel=1e-12)
    assert found.mean_flip_bound == pytest.approx(weight * flips.mean(), rel=1e-12)
    change = np.abs(form.derivative(y, f) - form.derivative(y, g))
    active = start.active_mask(X).sum(axis=1)
    assert found.active_bound == pytest.approx(weight * (change * active).mean(), rel=1e-12)


@pytest.mark.parametrize(("m", "t", "theta"), [(100, 0.0, 0.5), (2**16, 1.5, 0.1), (10, 0.3, 2.0)])
def test_expected_coupling_is_the_integral_of_the_density(m, t, theta):
    std = math.sqrt(2.0 / m)
    mass = integrate.quad(stats.norm.pdf, t - theta, t + theta)[0]
    found = regret.expected_coupling(m, 0.3, t * std, theta * std)
    assert found == pytest.approx(0.3 * m * mass, rel=1e-9)
    kink = regret.expected_kink(m, 0.3, t * std)
    assert kink == pytest.approx(0.3 * m * stats.norm.sf(t), rel=1e-12)


# The steps of the proof


@given(seeds, st.sampled_from(LOSSES), st.sampled_from(sorted(PRESETS)), st.integers(1, 4))
@settings(deadline=None, max_examples=60)
def test_every_step_of_the_proof_holds(seed, name, rules, n):
    start, W, X, y, rng = sample(seed, n=n, rules=rules)
    W_star = start.W + 0.1 * rng.standard_normal(W.shape)
    terms = regret.step_terms(start, W, W_star, X, y, name)
    for step, (left, right) in terms.inequalities.items():
        assert left <= right + 1e-10, step
    found = regret.gradient_coupling(start, W, X, y, name)
    assert found.common <= found.mean_flip_bound * (1.0 + 1e-12) + 1e-12
    assert found.mean_flip_bound <= found.flip_bound + 1e-12
    assert found.literal <= found.common + found.active_bound + 1e-12


@pytest.mark.parametrize("name", LOSSES)
def test_step_terms_are_what_they_say(name):
    start, W, X, y, rng = sample(11, n=4, m=64)
    W_star = start.W + 0.1 * rng.standard_normal(W.shape)
    form, now, then = get_loss(name), start.with_weights(W), start.with_weights(W_star)
    f, f_star = now.forward(X), then.forward(X)
    v = form.derivative(y, f)
    real, pseudo = gradients(start, W, X, v)
    before = start.active_mask(X)
    g, g_star = (
        np.array(
            [(start.a * ((V - start.W) @ x))[on].sum() for x, on in zip(X, before, strict=True)]
        )
        for V in (W, W_star)
    )
    B, away = start.forward(X), W - W_star
    found = regret.step_terms(start, W, W_star, X, y, name)
    expected = {
        "loss": form.value(y, f).mean(),
        "comparator": form.value(y, f_star).mean(),
        "slope": (v * (f - f_star)).mean(),
        "linear": (v * (g - g_star)).mean(),
        "inner": (real * away).sum(),
        "coupled": ((pseudo - real) * away).sum(),
        "coupling": np.linalg.norm(pseudo - real, axis=1).sum(),
        "distance": np.linalg.norm(away, axis=1).max(),
        "gradient_squared": (real**2).sum(),
        "gap_now": np.abs(f - g - B).max(),
        "gap_comparator": np.abs(f_star - g_star - B).max(),
        "flips": (before != now.active_mask(X)).sum(axis=1).max(),
        "active_mean": now.active_mask(X).sum(axis=1).mean(),
        "weight": 64**-0.2,
    }
    for term, value in expected.items():
        assert getattr(found, term) == pytest.approx(value, rel=1e-9, abs=1e-12), term
    t = found
    assert t.inequalities == {
        "convexity": (t.loss - t.comparator, t.slope),
        "f for g": (t.slope, pytest.approx(t.linear + t.gap_now + t.gap_comparator)),
        "linearity of g": (t.linear, t.inner + t.coupled),
        "linearity of g, reversed": (t.inner + t.coupled, t.linear),
        "coupling": (t.coupled, t.coupling * t.distance),
        "flips": (t.coupling, t.weight * t.flips),
        "gradient": (t.gradient_squared, pytest.approx(t.weight**2 * t.active_mean)),
    }


@given(seeds, st.floats(0.01, 2.0))
@settings(deadline=None, max_examples=40)
def test_inner_products_of_gradient_descent_telescope(seed, eta):
    rng = np.random.default_rng(seed)
    W, goal = rng.standard_normal((2, 5, 2))
    before, squares, inner = float(np.linalg.norm(W - goal)), [], 0.0
    for _ in range(6):
        gradient = rng.standard_normal(W.shape)
        inner += float(np.vdot(gradient, W - goal))
        squares.append(float(np.vdot(gradient, gradient)))
        W = W - eta * gradient
    after = float(np.linalg.norm(W - goal))
    found = regret.telescoped(squares, before, after, eta)
    assert found == pytest.approx(inner, rel=1e-9, abs=1e-9)


# Theorem D


@given(st.floats(0.01, 1.0), st.integers(1, 10**6), st.floats(1e-3, 10.0), st.floats(0.01, 1.0))
@settings(deadline=None, max_examples=100)
def test_plan_makes_the_regret_of_descent_at_most_epsilon(a, active, D_F, epsilon):
    plan = regret.descent_plan(a, active, D_F, epsilon)
    assert plan.gradient_squared == pytest.approx(a * a * active, rel=1e-12)
    assert plan.eta * plan.gradient_squared == pytest.approx(epsilon, rel=1e-12)
    assert regret.descent_step(a, active, epsilon) == plan.eta
    assert plan.drift == pytest.approx(plan.eta * a * plan.steps, rel=1e-12)
    needed = D_F**2 * plan.gradient_squared / epsilon**2
    assert plan.steps >= 1
    assert plan.steps >= needed * (1.0 - 1e-9)
    assert plan.steps == 1 or plan.steps - 1 <= needed
    regretted = plan.eta * plan.gradient_squared / 2 + D_F**2 / (2 * plan.eta * plan.steps)
    assert regretted <= epsilon * (1.0 + 1e-9)


def test_bound_is_the_sum_of_its_terms_in_exact_numbers():
    found = regret.regret_bound(
        comparator=0.25,
        eta=0.5,
        steps=4,
        gradient_squared=2.0,
        D_F=2.0,
        D_W=3.0,
        drift=5.0,
        a=0.5,
        flips=6,
        gap_run=0.125,
        gap_comparator=0.0625,
    )
    assert (found.comparator, found.gap_run, found.gap_comparator) == (0.25, 0.125, 0.0625)
    assert (found.noise, found.start, found.coupling) == (0.5, 1.0, 24.0)
    assert (found.optimization, found.vanishing, found.total) == (1.5, 24.1875, 415 / 16)


@pytest.mark.parametrize("rules", [R1, R3])
def test_largest_gap_is_the_largest_one_at_a_point(rules):
    start, _, X, *_ = sample(5, n=4, rules=rules)
    gaps = [worst_case.worst_gap_at(start, x, 0.1).largest_centered for x in X]
    assert regret.largest_gap(start, X, 0.1) == pytest.approx(max(gaps), rel=1e-12)


def test_nearest_weights_fit_and_are_nearest():
    rng = np.random.default_rng(2)
    start = TwoLayerNetwork.initialize(300, 3, R2, rng=rng)
    X = datasets.separated(4, 3, separation=0.3, rng=rng).X
    targets = rng.uniform(-1.0, 1.0, 4)
    W = regret.nearest_weights(start, X, targets)
    assert PseudoNetwork(start, W).forward(X) == pytest.approx(targets, abs=1e-9)
    away = W - start.W
    silent = ~start.active_mask(X).any(axis=0)
    assert silent.any()
    assert not away[silent].any()
    # The nearest point of an affine space: the way to it is orthogonal to the space.
    rows = np.array(
        [(start.a * on)[:, None] * x for on, x in zip(start.active_mask(X), X, strict=True)]
    )
    free = rng.standard_normal(away.shape)
    flat = rows.reshape(4, -1)
    free = free.ravel() - flat.T @ np.linalg.lstsq(flat.T, free.ravel(), rcond=None)[0]
    assert abs(flat @ free).max() < 1e-10
    assert abs(away.ravel() @ free) < 1e-10


def test_expected_terms_are_the_laws_of_one_point():
    m, epsilon = 2**12, 0.25
    a, D_W, tau = R3.output_weight(m), 3.0 * R3.radius(m), R3.tau(m)
    drift = a * 0.2 * m * D_W**2 / epsilon
    found = regret.expected_regret(m, 3.0, epsilon, R3, share=0.2)
    near = stats.norm.cdf([tau - drift, tau + drift], scale=math.sqrt(2 / m))
    assert found.coupling == pytest.approx(a * m * np.ptp(near) * (drift + D_W), rel=1e-9)
    for gap, delta in ((found.gap_run, drift), (found.gap_comparator, D_W)):
        law = worst_case.half_width_moments(m, a, delta, tau, R3.activation)
        assert gap == pytest.approx(law.mean, rel=1e-12)
    assert (found.comparator, found.noise, found.start) == (0.0, epsilon / 2, epsilon / 2)


# Theorem 4.3 on one point


@given(seeds, st.floats(1e-3, 10.0), st.floats(-1.0, 1.0), st.floats(0.0, 0.3))
@settings(deadline=None, max_examples=100)
def test_first_step_stays_above_its_lower_bound(seed, eta, label, tau):
    rng = np.random.default_rng(seed)
    z, a = rng.standard_normal(20), rng.choice([-0.5, 0.25, 1.0], 20)
    lower = regret.first_step_lower_bound(z, a, tau, label, eta)
    run = regret.one_point_descent(z, a, tau, label, eta, 1)
    assert run.losses[1] >= lower - 1e-9


def test_first_step_reaches_its_lower_bound_when_all_neurons_push():
    z, a = np.array([1.0, 3.0, -1.0]), np.array([-0.125, -0.125, 1.0])
    assert regret.first_step_lower_bound(z, a, 0.5, -1.0, 64.0) == 1.5
    assert regret.one_point_descent(z, a, 0.5, -1.0, 64.0, 1).losses.tolist() == [0.5, 1.5]
    # With the label above, the other sign pushes, and nothing else is active.
    assert regret.first_step_lower_bound(z, -a, 0.5, 1.0, 64.0) == 1.5


def test_expected_first_step_is_the_mean_over_networks():
    m, tau = 2**14, 0.7 * math.sqrt(2.0 / 2**14)
    found = regret.expected_first_step(m, 0.5, tau, 0.25)
    assert found == pytest.approx(0.25 * 0.25 * m * stats.norm.sf(0.7) / 2.0, rel=1e-12)


def test_printed_step_moves_f_like_the_power_two_fifths():
    for m, epsilon in ((10**5, 0.1), (10**10, 0.5)):
        found = regret.printed_step_lower_bound(m, epsilon)
        assert found == pytest.approx(epsilon * m**0.4 / 4.0 - 2.0, rel=1e-12)


@pytest.mark.parametrize("kind", ["jump", "continuous"])
def test_one_point_is_the_ledger_of_a_network_in_dimension_two(kind: str) -> None:
    start = TwoLayerNetwork.initialize(300, 2, rng=5, tau=0.05, activation=kind)
    x, eta, steps, y = POINT, 0.02, 9, 0.6
    one = regret.one_point_regret(
        start.preactivations(x)[0], start.a, start.tau, y, eta, steps, kind
    )
    path = [start.W]
    for _ in range(steps):
        now = start.with_weights(path[-1])
        slope = np.sign(now.forward(x) - y)
        path.append(path[-1] - eta * now.weight_gradient(x, slope))
    W_star = regret.nearest_weights(start, x, y - start.forward(x))
    missed = abs(float(start.with_weights(W_star).forward(x)[0]) - y)
    whole = run_ledger(
        start,
        path,
        [x] * steps,
        [y],
        "absolute",
        W_star,
        eta=eta,
        comparator=missed,
        active=int(start.active_mask(x).sum()),
    )
    assert one.average == pytest.approx(whole.average)
    assert pytest.approx(np.linalg.norm(W_star - start.W)) == one.D_F
    assert pytest.approx(regret.norm_2_inf(W_star - start.W)) == one.D_W
    for mine, theirs in ((one.measured, whole.measured), (one.promised, whole.promised)):
        for term in ("comparator", "noise", "start", "coupling", "gap_run", "gap_comparator"):
            assert getattr(mine, term) == pytest.approx(getattr(theirs, term), abs=1e-12), term


def test_a_silent_point_has_no_comparison_weights() -> None:
    with pytest.raises(ValueError, match="no neuron fires"):
        regret.one_point_regret([-1.0], [1.0], 0.5, 1.0, 0.1, 1)


@pytest.mark.parametrize("kind", ACTIVATIONS)
@pytest.mark.parametrize("t", [0.0, 1.0])
def test_the_closed_form_is_the_bound_of_the_laws_of_one_point(kind: str, t: float) -> None:
    m, a, eta, steps = 4096, 4096**-0.2, 0.002, 4
    std = math.sqrt(2.0 / m)
    firing, drift = m * q(t), eta * a * steps
    D_W = 0.5 / (a * firing)
    expected = regret.regret_bound(
        comparator=0.0,
        eta=eta,
        steps=steps,
        gradient_squared=a * a * firing,
        D_F=D_W * math.sqrt(firing),
        D_W=D_W,
        drift=drift,
        a=a,
        flips=m * (q(t - drift / std) - q(t + drift / std)),
        gap_run=worst_case.half_width_moments(m, a, drift, t * std, kind).mean,
        gap_comparator=worst_case.half_width_moments(m, a, D_W, t * std, kind).mean,
    )
    found = regret.expected_one_point(m, a, t * std, -0.5, eta, steps, kind)
    assert asdict(found) == pytest.approx(asdict(expected), rel=1e-9)


def test_the_closed_form_refuses_a_label_of_zero_and_a_threshold_that_no_neuron_reaches() -> None:
    with pytest.raises(ValueError, match="y must not be 0"):
        regret.expected_one_point(16, 0.5, 0.0, 0.0, 0.1, 4)
    with pytest.raises(ValueError, match="tau must let some neurons fire"):
        regret.expected_one_point(16, 0.5, 1e3, 1.0, 0.1, 4)


def test_the_powers_are_those_of_hand_and_of_the_closed_form() -> None:
    table = {
        "PRINTED": ("-1/5", "3/5", "2/5", "0", "-2/5", "2/5", "2/5", "1/10"),
        "R1": ("-3/5", "3/5", "0", "0", "-4/5", "-3/10", "-3/10", "-3/10"),
        "R2": ("-1/5", "1/5", "0", "0", "-3/5", "-1/10", "-1/10", "-1/10"),
        "R3": ("-2/5", "2/5", "0", "0", "-3/5", "-1/10", "-1/10", "-1/10"),
    }
    for name, row in table.items():
        assert list(regret.regret_powers(name).values()) == [Fraction(power) for power in row]


@pytest.mark.parametrize("name", ["R1", "R2", "R3"])
def test_the_vanishing_powers_are_reached_by_the_closed_form(name: str) -> None:
    rules, low, high = scaling.get_scaling(name), 2**400, 2**440
    powers = regret.regret_powers(name)
    found = []
    for m in (low, high):
        share = scaling.activity(rules.tau(m), m)
        found.append(regret.expected_regret(m, 1.0, 0.25, rules, share=share))
    for term in ("coupling", "gap_run", "gap_comparator"):
        slope = math.log(getattr(found[1], term) / getattr(found[0], term)) / math.log(high / low)
        assert slope == pytest.approx(float(powers[term]), abs=0.01), term


def test_a_ledger_wants_one_matrix_more_than_steps() -> None:
    start, x = TwoLayerNetwork.initialize(16, 2, rng=0), POINT
    numbers: dict[str, Any] = {"eta": 0.1, "comparator": 0.0, "active": 1}
    for weights, points in (([start.W], [x]), ([start.W], []), ([start.W] * 3, [x])):
        with pytest.raises(ValueError, match="one matrix more"):
            run_ledger(start, weights, points, [0.5], "huber", start.W, **numbers)

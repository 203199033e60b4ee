"""Brackets, robust losses and certificates agree with each other and with exact values."""

from __future__ import annotations

from fractions import Fraction
from operator import mul
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sublinear_lib import geometry
from sublinear_lib.adversary import (
    CapRelaxation,
    Height,
    SmoothedGradient,
    accuracy,
    bracket,
    certified_accuracy,
    certified_radius,
    extremes_on_circle,
    robust_loss,
    robust_loss_under,
)
from sublinear_lib.adversary import worst_case as module
from sublinear_lib.evaluation import Evaluator
from sublinear_lib.network import TwoLayerNetwork
from tests.adversary.cases import exact, problem


@pytest.fixture
def patient(monkeypatch):
    """No time passes between the parts of a bracket, however slow the machine is."""
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: 0.0))


def balanced(m, seed, n):
    """Return a problem with as many neurons of either sign, whose network changes its own sign."""
    network, X = problem(m, 3, seed, n=n)
    a = np.where(np.arange(m) % 2 == 0, 1.0, -1.0) * np.abs(network.a)
    return TwoLayerNetwork(network.W, a, network.b, network.tau), X


@pytest.mark.parametrize("activation", ["jump", "continuous"])
@pytest.mark.parametrize(
    ("d", "method"),
    [
        *((3, method) for method in ("circle", "split", "relaxation", "milp", "neurons")),
        *((4, method) for method in ("sphere", "split", "relaxation", "milp", "neurons")),
    ],
)
def test_every_method_brackets_the_exact_supremum(d, method, activation):
    for seed in range(2):
        network, X = problem(100 if d == 3 else 60, d, seed, activation=activation)
        for side in (1, -1):
            low, high = exact(network, X, 0.2, side)
            found = bracket(network, X[0], 0.2, side=side, method=method, time_limit=0.1)
            assert found.lower - 1e-12 <= high, (method, seed, side)
            assert low <= found.upper + 1e-12, (method, seed, side)
            value = side * network.forward(found.witness[None])[0]
            assert value == pytest.approx(found.lower, abs=1e-15)


@pytest.mark.parametrize(
    ("d", "m", "rho", "method"),
    [
        (2, 50, 0.05, "enumeration"),
        (3, 50, 0.05, "circle"),
        (4, 50, 0.05, "sphere"),
        (4, 50_000, 0.2, "branch and bound"),
        (5, 50, 0.05, "branch and bound"),
        (9, 10, 1e-4, "relaxation"),
        (9, 100, 0.1, "neuron splitting"),
    ],
)
def test_the_method_goes_by_the_dimension_and_the_unstable_neurons(d, m, rho, method, patient):
    network, X = problem(m, d, 0)
    found = bracket(network, X[0], rho, tol=1e-4, time_limit=0.2)
    assert found.method == method
    unstable = CapRelaxation(network, X[0], rho).unstable
    assert (unstable > 2000) == (method == "branch and bound" and d == 4)


def test_in_many_dimensions_auto_is_no_worse_than_the_relaxation(patient):
    for m in (100, 300):
        network, X = problem(m, 9, 2)
        for side in (1, -1):
            loose = bracket(network, X[0], 0.2, side=side, method="relaxation")
            tight = bracket(network, X[0], 0.2, side=side, time_limit=0.3)
            assert tight.lower >= loose.lower - 1e-13  # a batch may differ in the last digit
            assert tight.upper <= loose.upper


@pytest.mark.parametrize("d", [5, 9])
@pytest.mark.parametrize("side", [1, -1])
def test_the_attack_on_the_candidates_is_the_attack_on_the_network(d, side, patient):
    for seed in range(3):
        network, X = problem(400, d, seed)
        found = bracket(network, X[0], 0.15, side=side, method="relaxation", rng=4)
        whole = SmoothedGradient(rho=0.15)(
            network, X, np.zeros(1), Height(side), np.random.default_rng(4)
        )
        assert found.lower == pytest.approx(whole.loss[0], abs=1e-12)
        assert_array_equal(found.witness.round(9), whole.X[0].round(9))


def count_passes(monkeypatch):
    """Count the gradients that attacks ask for, and the neurons they are taken over."""
    seen = []
    original = Evaluator.smoothed_input_gradient

    def counting(self, X, bandwidth):
        seen.append(self.candidates)
        return original(self, X, bandwidth)

    monkeypatch.setattr(Evaluator, "smoothed_input_gradient", counting)
    return seen


def test_the_attack_meets_the_neurons_near_the_cap_only(monkeypatch):
    network, X = problem(4000, 5, 0)
    seen = count_passes(monkeypatch)
    bracket(network, X[0], 0.02, method="relaxation")
    assert len(seen) == 8 * 40
    assert max(seen) < 0.3 * 4000


def test_nothing_new_is_begun_when_time_is_up(monkeypatch):
    network, X = problem(300, 9, 2)
    seen = count_passes(monkeypatch)
    moments = iter([0.0] + [100.0] * 1000)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(moments)))
    found = bracket(network, X[0], 0.2)
    assert len(seen) == 40
    assert (found.method, found.nodes, found.status) == ("relaxation", 1, "unknown")
    patience = bracket(network, X[0], 0.2, method="relaxation")
    assert found.lower <= patience.upper
    assert patience.lower <= found.upper


def test_an_attack_that_answered_the_question_ends(monkeypatch):
    network, X = problem(300, 9, 2)
    seen = count_passes(monkeypatch)
    clean = float(network.forward(X)[0])
    found = bracket(network, X[0], 0.2, threshold=clean + 1e-6)
    assert found.status == "falsified"
    assert len(seen) == 40
    assert network.forward(found.witness[None])[0] == found.lower > clean + 1e-6


def test_special_position_falls_back_on_branch_and_bound():
    # Two neurons that take turns at the same circle.
    W = np.array([[1.0, 0.5, 0.0, 0.0], [-1.0, -0.5, 0.0, 0.0]])
    network = TwoLayerNetwork(W, [1.0, 1.0], [0.0, 1.0], 0.5)
    x = geometry.embed(np.array([[0.6, 0.0, 0.8]]))[0]
    found = bracket(network, x, 0.3, method="sphere", tol=0.5, time_limit=0.2)
    assert found.method == "branch and bound"
    points = geometry.sample_caps(np.repeat(x[None], 5000, axis=0), 0.3, rng=3)
    assert network.forward(points).max() <= found.upper


def test_in_two_dimensions_the_cap_is_one_point_until_it_is_both():
    network, X = problem(50, 2, 3)
    there = bracket(network, X[0], 1.7)
    assert there.lower == network.forward(X)[0]
    assert there.lower <= there.upper <= there.lower + 1e-12
    other = X * np.array([-1.0, 1.0])
    both = bracket(network, X[0], 3**0.5)
    values = np.concatenate((network.forward(X), network.forward(other)))
    assert both.upper == pytest.approx(values.max(), rel=1e-12)
    with pytest.raises(ValueError, match="unless d = 2"):
        bracket(*problem(5, 3, 0)[:1], problem(5, 3, 0)[1][0], 0.1, method="enumeration")


def exactly(network, x):
    """Return f(x) in real arithmetic."""
    point = [Fraction(each) for each in x.tolist()]
    total = Fraction(0)
    for r in range(network.m):
        z = sum(map(mul, map(Fraction, network.W[r].tolist()), point), Fraction(network.b[r]))
        if z > Fraction(network.tau):
            total += Fraction(network.a[r]) * (z - Fraction(network.shift))
    return total


@pytest.mark.parametrize("activation", ["jump", "continuous"])
@pytest.mark.parametrize(
    ("d", "method"),
    [
        (2, "enumeration"),
        (3, "circle"),
        (4, "sphere"),
        (5, "split"),
        (5, "relaxation"),
        (5, "milp"),
        (5, "neurons"),
    ],
)
def test_the_bound_of_a_single_point_holds_in_real_arithmetic(d, method, activation, patient):
    above = 0
    for seed in range(8):
        network, X = problem(60, d, seed, activation=activation, t=0.3)
        for side in (1, -1):
            found = bracket(network, X[0], 0.0, side=side, method=method)
            value = side * exactly(network, X[0])
            assert value <= Fraction(found.upper), (seed, side)
            above += value > Fraction(found.lower)
    assert above, "rounding must have lowered some value"


def test_in_five_dimensions_the_robust_loss_is_bracketed():
    network, X = problem(60, 5, 2, n=3)
    y = np.array([1.0, -1.0, 1.0])
    found = robust_loss(network, X, y, 0.1, "absolute", tol=0.01, time_limit=20)
    attacked = robust_loss_under(network, X, y, SmoothedGradient(rho=0.1), "absolute", rng=1)
    assert attacked <= found.upper
    assert found.upper - found.lower <= 0.01
    clean = np.abs(y - network.forward(X)).mean()
    assert clean <= found.lower
    assert found.status == ("exact",) * 3


def test_an_open_robust_loss_says_for_which_examples():
    # Nothing can fire near the second point, where the loss is known without any search.
    network = TwoLayerNetwork.initialize(3000, 6, rng=0, tau=0.03)
    W = network.W.copy()
    W[:, 0] = np.abs(W[:, 0]) + 0.1
    network = network.with_weights(W)
    X = geometry.embed(np.array([[1.0, 0, 0, 0, 0], [-1.0, 0, 0, 0, 0]]))
    found = robust_loss(network, X, [1.0, 1.0], 0.05, "absolute", tol=1e-6, time_limit=0.05)
    assert found.status == ("unknown", "exact")
    assert found.unknown == 1
    assert "unknown=1" in repr(found)
    widths = found.upper_losses - found.lower_losses
    assert widths[0] > 1e-6 >= widths[1]


def test_long_certificates_can_show_how_far_they_are(capsys):
    network, X = problem(200, 3, 2, n=5)
    y = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    for ask in (
        lambda **more: robust_loss(network, X, y, 0.1, "huber", **more).upper_losses.tolist(),
        lambda **more: certified_accuracy(network, X, y, 0.1, **more).status,
    ):
        plain = ask()
        assert capsys.readouterr().err == ""
        assert ask(progress=True) == plain
        assert "5/5" in capsys.readouterr().err
        with pytest.raises(TypeError, match="progress"):
            ask(progress=1)


def test_certified_and_attacked_accuracy_enclose_the_exact_one():
    network, X = balanced(400, 5, 20)
    y = np.sign(network.forward(X) + 1e-3)
    y[:2] *= -1.0
    caps = extremes_on_circle(network, X, 0.1)
    robust = [(c.inf > 0 if t > 0 else c.sup < 0) for t, c in zip(y, caps, strict=True)]
    found = certified_accuracy(network, X, y, 0.1)
    assert found.certified == np.mean(robust) == found.attacked
    assert found.unknown == 0.0
    assert 0.0 < found.certified < found.clean == 0.9
    loose = certified_accuracy(network, X, y, 0.1, method="relaxation")
    assert loose.certified <= found.certified <= loose.attacked


def test_an_output_of_zero_is_wrong():
    network = TwoLayerNetwork([[1.0, 0.0, 0.0]], [1.0], [0.0], tau=5.0)  # never active
    X = geometry.sample_slice(2, 3, rng=0)
    assert certified_accuracy(network, X, [1.0, -1.0], 0.1).attacked == 0.0


def test_the_certified_radius_is_where_the_sign_changes():
    network, X = balanced(200, 5, 4)
    for x in X:
        y = float(np.sign(network.forward(x[None])[0]))
        found = certified_radius(network, x, y, tol=1e-6)
        assert found.upper - found.lower <= 1e-6
        (inside,) = extremes_on_circle(network, x[None], found.lower)
        (beyond,) = extremes_on_circle(network, x[None], found.upper)
        assert (inside.inf if y > 0 else -inside.sup) > 0
        assert (beyond.inf if y > 0 else -beyond.sup) <= 0
        wrong = certified_radius(network, x, -y)
        assert wrong.lower == -1.0
    loose = certified_radius(network, x, y, tol=0.05, method="relaxation")
    assert loose.lower <= found.upper
    assert loose.upper >= found.lower


def test_a_sign_that_is_not_known_is_not_called_wrong():
    # f = 0.1 + max(0, z - 1/2) >= 0.1, made of two neurons that jump at one place, where x lies.
    W = [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 2.0]]
    network = TwoLayerNetwork(W, [-1.0, 1.0, 0.1], [0.0, -0.5, 0.0], tau=0.5)
    x = np.array([0.5, 0.5**0.5, 0.5])
    assert network.forward(x[None])[0] == pytest.approx(0.1)
    found = certified_radius(network, x, 1.0, tol=0.1)
    assert found.lower == -1.0
    assert found.upper == np.inf


def test_a_radius_is_found_to_the_last_digit_and_no_further():
    network, X = balanced(40, 5, 1)
    y = float(np.sign(network.forward(X)[0]))
    fine = certified_radius(network, X[0], y, tol=1e-300)
    rough = certified_radius(network, X[0], y, tol=1e-3)
    assert rough.lower <= fine.lower <= fine.upper <= rough.upper


def test_a_sign_that_never_changes_has_the_whole_slice():
    network = TwoLayerNetwork([[0.0, 0.0, 2.0]], [1.0], [0.0], tau=0.5)
    x = geometry.sample_slice(1, 3, rng=0)[0]
    found = certified_radius(network, x, 1.0)
    assert found.lower == geometry.SLICE_DIAMETER
    assert found.upper == np.inf


@pytest.mark.parametrize(
    ("d", "method"),
    [(3, "circle"), (3, "milp"), (4, "auto"), (4, "split"), (6, "relaxation"), (6, "neurons")],
)
@pytest.mark.parametrize("weight", [1.0, -1.0])
def test_what_is_certified_holds_at_all_points_that_are_taken_for_points_of_the_cap(
    d, method, weight
):
    # The second neuron would decide, and it fires just beyond X only.
    s, name = geometry.SLICE_RADIUS, {"method": method}
    W = np.zeros((2, d))
    W[1, 0] = 1.0
    x = np.zeros((1, d))
    x[0, 0], x[0, -1] = s, 0.5
    y = [weight]
    network = TwoLayerNetwork(W, [weight, -50.0 * weight], [2.0, 0.0], s + 2e-10)
    off = x.copy()
    off[0, 0] += 5e-10
    assert accuracy(network, x, y) == 1.0
    assert accuracy(network, off, y) == 0.0
    assert certified_accuracy(network, x, y, 0.1, **name).status == ("unknown",)
    assert certified_radius(network, x[0], weight, tol=0.1, **name).lower == -1.0
    farther = TwoLayerNetwork(W, [weight, -50.0 * weight], [2.0, 0.0], s + 1e-8)
    assert certified_accuracy(farther, x, y, 0.1, **name).status == ("certified",)


def test_the_value_at_the_witness_is_the_lower_end_to_the_bit():
    network, X = balanced(300, 3, 30)
    for x in X:
        for side in (1, -1):
            found = bracket(network, x, 0.2, side=side)
            assert found.lower == side * network.forward(found.witness[None])[0]


@pytest.mark.parametrize(
    ("d", "method"), [(3, "enumeration"), (4, "circle"), (5, "sphere"), (13, "split"), (2, "milp")]
)
def test_a_method_that_does_not_fit_is_refused_even_where_the_answer_is_easy(d, method):
    network, X = problem(10, d, 0)
    with pytest.raises(ValueError, match=f"method must not be '{method}' unless .* got d = {d}"):
        bracket(network, X[0], 0.1, method=method, threshold=1e6)


def test_a_label_without_a_sign_is_refused():
    network, X = problem(10, 3, 0)
    with pytest.raises(ValueError, match="y must be nonzero"):
        certified_accuracy(network, X, [0.0], 0.1)
    with pytest.raises(ValueError, match="y must be nonzero"):
        certified_radius(network, X[0], 0.0)

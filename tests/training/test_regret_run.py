"""Promises of a run with every term of Theorem D: what is kept, what is true, what adds up."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib import datasets
from sublinear_lib.adversary import (
    ExactOnCircle,
    IdentityAdversary,
    SmoothedGradient,
    margin_of,
    robust_loss,
)
from sublinear_lib.geometry import chord_distances
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.training import DenseAdversarialTraining, points_of_arcs, regret_run
from sublinear_lib.training.regret_run import RecordedRun, RegretRun

X = datasets.circle(3).X
Y = np.array([0.5, -0.5, 0.4])
RHO, EPSILON = 0.1, 0.3


@pytest.fixture(scope="module", params=["R1", "R2", "R3"])
def found(request: pytest.FixtureRequest) -> tuple[TwoLayerNetwork, RegretRun]:
    start = TwoLayerNetwork.initialize(1024, 3, request.param, rng=3)
    return start, regret_run(start, X, Y, rho=RHO, epsilon=EPSILON)


def test_the_average_never_exceeds_the_bound_nor_the_bound_its_forecast(
    found: tuple[TwoLayerNetwork, RegretRun],
) -> None:
    ledger = found[1].ledger
    assert ledger.average <= ledger.measured.total <= ledger.promised.total
    for terms in ledger.terms:
        for step, (left, right) in terms.inequalities.items():
            assert left <= right + 1e-9, step


def test_the_accounts_add_up_to_the_average(found: tuple[TwoLayerNetwork, RegretRun]) -> None:
    ledger = found[1].ledger
    accounts = ledger.accounts
    assert sum(accounts.values()) == pytest.approx(ledger.average, abs=1e-12)
    assert accounts["convexity"] <= 1e-12
    assert accounts["comparator"] <= found[1].certified + 1e-9


def test_the_ledger_speaks_of_the_run_that_the_trainer_made(
    found: tuple[TwoLayerNetwork, RegretRun],
) -> None:
    start, run = found
    assert run.ledger.average == pytest.approx(run.history.average_loss, abs=1e-12)
    assert len(run.recorded.weights) == run.plan.steps + 1 == len(run.ledger.distances)
    np.testing.assert_array_equal(run.recorded.weights[0], start.W)
    np.testing.assert_array_equal(run.recorded.weights[-1], run.history.final.W)
    assert run.ledger.drift == pytest.approx(run.history.drift_max.max(), rel=1e-12)


def test_the_steps_are_those_of_gradient_descent(
    found: tuple[TwoLayerNetwork, RegretRun],
) -> None:
    start, run = found
    for t in (0, run.plan.steps - 1):
        W, points = run.recorded.weights[t], run.recorded.points[t]
        network = start.with_weights(W)
        slope = np.sign(network.forward(points) - Y)
        step = W - run.plan.eta * network.weight_gradient(points, slope)
        np.testing.assert_allclose(run.recorded.weights[t + 1], step, atol=1e-12)


def test_the_comparison_weights_fit_the_labels_over_the_arcs(
    found: tuple[TwoLayerNetwork, RegretRun],
) -> None:
    start, run = found
    fitted = points_of_arcs(X, RHO, 5)
    value = PseudoNetwork(start, run.W_star).forward(fitted) + start.forward(fitted)
    np.testing.assert_allclose(value, np.repeat(Y, 5), atol=1e-9)
    worst = robust_loss(start.with_weights(run.W_star), X, Y, RHO, "absolute")
    assert run.certified == pytest.approx(worst.upper)


def test_the_plan_is_known_before_the_run_and_kept(
    found: tuple[TwoLayerNetwork, RegretRun],
) -> None:
    run = found[1]
    plan, ledger = run.plan, run.ledger
    assert plan.eta * plan.gradient_squared == pytest.approx(EPSILON)
    assert ledger.promised.optimization <= EPSILON + 1e-12
    assert max(terms.gradient_squared for terms in ledger.terms) <= plan.gradient_squared
    assert ledger.drift <= plan.drift * (1.0 + 1e-12)


def test_points_of_arcs_reach_both_ends_of_every_cap() -> None:
    points = points_of_arcs(X, 0.4, 7).reshape(3, 7, 3)
    assert np.allclose(np.linalg.norm(points, axis=2), 1.0)
    for x, arc in zip(X, points, strict=True):
        far = chord_distances(arc, x[None])[:, 0]
        assert far[0] == pytest.approx(0.4) and far[-1] == pytest.approx(0.4)
        assert far[3] == pytest.approx(0.0, abs=1e-12)


def test_a_recorded_run_is_the_run_without_the_recorder() -> None:
    start = TwoLayerNetwork.initialize(128, 3, rng=0)
    plain = ExactOnCircle(rho=RHO)
    kept = RecordedRun(plain, start)
    alone = DenseAdversarialTraining(adversary=plain, steps=4).fit(start, X, Y, rng=0)
    watched = DenseAdversarialTraining(adversary=kept, steps=4).fit(
        start, X, Y, rng=0, callback=kept.look
    )
    np.testing.assert_array_equal(alone.final.W, watched.final.W)
    assert len(kept.points) == 4 and len(kept.weights) == 5


def test_a_recorder_looks_as_far_below_the_threshold_as_its_adversary() -> None:
    start = TwoLayerNetwork.initialize(64, 3, rng=0)
    smooth = SmoothedGradient(rho=RHO, steps=2)
    assert RecordedRun(smooth, start).margin(0.3) == margin_of(smooth, 0.3) > 0.0
    assert RecordedRun(IdentityAdversary(), start).margin(0.3) == 0.0

"""Attacks combine per example, and one that random points beat is called out."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import (
    AdaptiveMomentum,
    Ensemble,
    IdentityAdversary,
    ProjectedGradient,
    RandomSearch,
    SmoothedGradient,
    WeakAttackWarning,
    extremes_on_circle,
    margin_of,
)
from sublinear_lib.adversary.ascent import turn
from sublinear_lib.adversary.momentum import _MOMENTUM, checkpoints
from sublinear_lib.evaluation import Evaluator
from sublinear_lib.network import TwoLayerNetwork


def problem(m=800, d=6, n=12, seed=0, activation="jump", t=1.28):
    tau = scaling.threshold_from_standard(t, m)
    network = TwoLayerNetwork.initialize(m, d, rng=seed, tau=tau, activation=activation)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return network, geometry.sample_slice(n, d, rng=seed + 1), y


def test_every_example_keeps_its_best_attack():
    network, X, y = problem()
    attacks = [
        ProjectedGradient(rho=0.2, steps=3),
        SmoothedGradient(rho=0.2, steps=6, restarts=2),
        AdaptiveMomentum(rho=0.2, steps=12),
    ]
    together = Ensemble(attacks=attacks)(network, X, y, "absolute", rng=5)
    streams = np.random.default_rng(5).spawn(3)
    alone = np.array(
        [a(network, X, y, "absolute", s).loss for a, s in zip(attacks, streams, strict=True)]
    )
    assert_array_equal(together.loss, alone.max(axis=0))
    assert len(set(alone.argmax(axis=0).tolist())) > 1, "the best attack must differ by example"
    assert_array_equal(together.value, network.forward(together.X))


@pytest.mark.filterwarnings("ignore::sublinear_lib.adversary.WeakAttackWarning")
def test_an_attack_at_the_end_does_not_change_the_others():
    network, X, y = problem()
    first = [RandomSearch(rho=0.2, samples=5), SmoothedGradient(rho=0.2, steps=3, restarts=2)]
    fewer = Ensemble(attacks=first)(network, X, y, "absolute", rng=1)
    more = Ensemble(attacks=[*first, RandomSearch(rho=0.2)])(network, X, y, "absolute", rng=1)
    assert (more.loss >= fewer.loss).all()


def test_an_attack_that_random_points_beat_is_called_out():
    network, X, y = problem(m=3000, d=20, n=30)
    weak = ProjectedGradient(rho=0.2, steps=1)
    with pytest.warns(WeakAttackWarning, match="random points reach a mean loss") as caught:
        Ensemble(attacks=[weak, RandomSearch(rho=0.2)])(network, X, y, "absolute", rng=0)
    assert caught[0].filename == __file__, "it must point at the call"
    strong = SmoothedGradient(rho=0.2, steps=20, restarts=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Ensemble(attacks=[strong, RandomSearch(rho=0.2, samples=50)])(
            network, X, y, "absolute", rng=0
        )


def test_the_margin_is_the_widest():
    attack = Ensemble(attacks=[ProjectedGradient(rho=0.2), SmoothedGradient(rho=0.2)])
    assert margin_of(attack, 0.5) == margin_of(SmoothedGradient(rho=0.2), 0.5) > 0.0
    assert margin_of(ProjectedGradient(rho=0.2), 0.5) == 0.0
    assert margin_of(AdaptiveMomentum(rho=0.2, smoothed=False), 0.5) == 0.0


@pytest.mark.parametrize(
    ("attacks", "error", "message"),
    [
        ([], ValueError, "at least one"),
        ([RandomSearch(rho=0.1), RandomSearch(rho=0.2)], ValueError, "the same rho"),
        ([RandomSearch(rho=0.1), "pgd"], TypeError, "got a str at position 1"),
        ([RandomSearch(rho=0.1), IdentityAdversary()], ValueError, "the same rho"),
    ],
)
def test_what_is_not_an_ensemble_is_refused(attacks, error, message):
    with pytest.raises(error, match=message):
        Ensemble(attacks=attacks)


def test_attacks_may_come_from_an_iterator_and_are_checked_all_the_same():
    attacks = [RandomSearch(rho=0.1), RandomSearch(rho=0.2)]
    with pytest.raises(ValueError, match="the same rho"):
        Ensemble(attacks=iter(attacks))
    assert Ensemble(attacks=iter(attacks[:1])).attacks == (attacks[0],)


def test_the_checkpoints_are_those_of_the_schedule():
    assert checkpoints(100) == [22, 41, 57, 70, 80, 87, 93, 99]
    assert checkpoints(1) == []
    assert all(0 < step < 10 for step in checkpoints(10))


def test_momentum_finds_most_of_the_exact_rise():
    network, X, y = problem(m=1000, d=3, activation="continuous")
    caps = extremes_on_circle(network, X, 0.2)
    exact = [max(abs(t - c.sup), abs(t - c.inf)) for t, c in zip(y, caps, strict=True)]
    clean = np.abs(y - network.forward(X))
    for smoothed in (True, False):
        attack = AdaptiveMomentum(rho=0.2, restarts=4, smoothed=smoothed)
        found = attack(network, X, y, "absolute", rng=0).loss
        upper = [max(abs(t - c.upper), abs(t - c.lower)) for t, c in zip(y, caps, strict=True)]
        assert (found <= np.array(upper) + 1e-12).all()
        assert np.mean((found - clean) / (exact - clean)) > 0.98


def test_momentum_goes_on_from_the_best_point_along_the_gradient_there(monkeypatch):
    network, X, y = problem(n=40)
    rho, asked = 0.4, []
    original = Evaluator.value_and_input_gradient

    def noting(self, points):
        asked.append(points.copy())
        return original(self, points)

    monkeypatch.setattr(Evaluator, "value_and_input_gradient", noting)
    AdaptiveMomentum(rho=rho, steps=3, smoothed=False)(network, X, y, "absolute", rng=0)
    assert checkpoints(3) == [1, 2]
    assert_array_equal(asked[0], X)
    # The examples whose first step was in vain begin anew at the clean point, with half the step.
    value, after = network.forward(X), network.forward(asked[1])
    vain = np.abs(y - after) <= np.abs(y - value)
    assert 0 < vain.sum() < 40
    ascent = np.sign(value - y)[:, None] * network.input_gradient(X)
    uphill = turn(X, ascent, 0.5 * min(2.0 * geometry.cap_angle(rho), 0.5 * np.pi))
    ahead = geometry.project_to_slice(X + _MOMENTUM * (uphill - X))
    expected = geometry.project_to_caps(ahead, X, rho)
    np.testing.assert_allclose(asked[2][vain], expected[vain], rtol=0, atol=1e-12)


def test_momentum_stays_in_the_caps_and_is_reproducible():
    network, X, y = problem(d=4)
    attack = AdaptiveMomentum(rho=0.4, steps=15, restarts=2)
    result = attack(network, X, y, "huber", rng=3)
    assert (np.linalg.norm(result.X - X, axis=1) <= 0.4 + 1e-12).all()
    again = attack(network, X, y, "huber", rng=3)
    assert_array_equal(result.X, again.X)
    part = AdaptiveMomentum(rho=0.4, steps=15)(network, X[:5], y[:5], "huber", rng=0)
    whole = AdaptiveMomentum(rho=0.4, steps=15)(network, X, y, "huber", rng=0)
    assert part.loss == pytest.approx(whole.loss[:5], abs=1e-9)
    still = AdaptiveMomentum(rho=0.0, steps=3)(network, X, y, "huber", rng=0)
    assert_array_equal(still.X, X)

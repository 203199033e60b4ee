"""The exact adversary is the worst case, in a call and in training; attacks say what they did."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sublinear_lib import geometry, losses
from sublinear_lib.adversary import (
    ExactAdversary,
    ExactOnCircle,
    ExactOnSphere,
    IdentityAdversary,
    ProjectedGradient,
    RandomSearch,
    SmoothedGradient,
    robust_loss,
    robust_loss_under,
    sphere,
    supremum_on_sphere,
)
from sublinear_lib.adversary.protocol import whole_network
from sublinear_lib.evaluation import Evaluator
from sublinear_lib.training import (
    DenseAdversarialTraining,
    Measure,
    SublinearAdversarialTraining,
)
from tests.training import cases

problem = partial(cases.problem, t=1.28)


# -- the worst case --------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["jump", "continuous"])
@pytest.mark.parametrize("loss", ["absolute", "huber"])
@pytest.mark.parametrize(("d", "rho"), [(2, 0.5), (2, 1.8), (3, 0.3), (3, 2.0), (4, 0.2)])
def test_it_reaches_the_certified_robust_loss(d, rho, loss, activation):
    network, X, y = problem(d, 150, 5, activation=activation)
    reached = robust_loss_under(network, X, y, ExactAdversary(rho=rho), loss, rng=0)
    certified = robust_loss(network, X, y, rho, loss)
    assert certified.lower - 1e-7 <= reached <= certified.upper + 1e-12
    assert_allclose(certified.upper, certified.lower, atol=1e-3)


def test_in_two_dimensions_the_worst_of_both_points_is_taken_from_the_diameter_on():
    diameter = geometry.SLICE_DIAMETER
    for seed in range(10):
        network, X, y = problem(2, 60, 4, t=0.5, seed=seed)
        both = np.abs(y - np.stack((network.forward(X), network.forward(X * [-1.0, 1.0]))))
        for rho in (diameter, 1.75):
            found = ExactAdversary(rho=rho)(network, X, y, "absolute", rng=0)
            assert_array_equal(found.loss, both.max(axis=0))
            assert_array_equal((found.X == X).all(axis=1), both.argmax(axis=0) == 0)
        below = ExactAdversary(rho=np.nextafter(diameter, 0.0))(network, X, y, "huber", rng=0)
        assert_array_equal(below.X, X)


def test_the_dimension_chooses_the_method():
    for d, special in ((3, ExactOnCircle), (4, ExactOnSphere)):
        network, X, y = problem(d, 80, 3)
        ours = ExactAdversary(rho=0.2)(network, X, y, "huber", rng=0)
        theirs = special(rho=0.2)(network, X, y, "huber", rng=0)
        assert_array_equal(ours.X, theirs.X)
        assert_array_equal(ours.loss, theirs.loss)
    network, X, y = problem(5, 80, 3)
    with pytest.raises(ValueError, match=r"at most 4 columns.*got d = 5.*robust_loss"):
        ExactAdversary(rho=0.2)(network, X, y, "huber", rng=0)


def test_an_evaluator_that_does_not_know_its_network_is_refused():
    network, X, y = problem(3, 50, 2)
    assert whole_network(network) is network
    with pytest.raises(TypeError, match=r"whole_network\(\), got Evaluator"):
        ExactAdversary(rho=0.1)(network.evaluator(2), X, y, "huber", rng=0)
    with pytest.raises(TypeError, match="got str"):
        whole_network("network")


# -- training against it ---------------------------------------------------------------------------


@pytest.mark.parametrize("index", ["query", "caps", "literal", "auto"])
@pytest.mark.parametrize(("d", "rho"), [(2, 1.8), (3, 0.2), (4, 0.15)])
def test_training_against_the_best_adversary_is_the_same_on_all_neurons_and_on_few(d, rho, index):
    network, X, y = problem(d, 120, 4, t=1.65)
    common = {"adversary": ExactAdversary(rho=rho), "steps": 4, "eta": 0.05}
    dense = DenseAdversarialTraining(**common, reduction="reference").fit(network, X, y, rng=0)
    sparse = SublinearAdversarialTraining(**common, reduction="reference", index=index).fit(
        network, X, y, rng=0
    )
    assert_array_equal(sparse.final.W, dense.final.W)
    assert_array_equal(sparse.loss, dense.loss)
    assert (dense.final.W != network.W).any()


def test_the_training_loss_against_it_is_the_exact_robust_loss():
    network, X, y = problem(3, 300, 4, t=1.65)
    history = SublinearAdversarialTraining(
        adversary=ExactAdversary(rho=0.2), steps=6, measure=Measure(every=1)
    ).fit(network, X, y, rng=0)
    assert (history.loss <= history.robust_upper + 1e-12).all()
    assert_allclose(history.loss, history.robust_lower, rtol=0, atol=1e-7)
    # The sweep looks at every neuron for every example, and the history does not hide it.
    assert (history.work_adversary >= 4 * 300).all()
    other = SublinearAdversarialTraining(adversary=IdentityAdversary(), steps=1)
    assert (other.fit(network, X, y, rng=0).work_adversary < 4 * 300).all()


# -- what an attack says about itself --------------------------------------------------------------

ATTACKS = [
    (IdentityAdversary(), 1),
    (RandomSearch(rho=0.2, samples=7), 8),
    (ProjectedGradient(rho=0.2, steps=3, restarts=2), 8),
    (ProjectedGradient(rho=0.2, steps=3, restarts=2, random_start=True), 9),
    (SmoothedGradient(rho=0.2, steps=3, restarts=2), 8),
    (ExactAdversary(rho=0.2), 3),
]


@pytest.mark.parametrize(("attack", "queries"), ATTACKS, ids=lambda case: type(case).__name__)
def test_the_points_that_an_attack_looked_at_are_counted(attack, queries, monkeypatch):
    network, X, y = problem(3, 200, 6)
    asked = []
    for name in ("value", "value_and_input_gradient"):
        original = getattr(Evaluator, name)

        def noting(self, points, original=original):
            asked.append(len(points))
            return original(self, points)

        monkeypatch.setattr(Evaluator, name, noting)
    result = attack(network, X, y, "huber", rng=0)
    assert asked == [6] * queries
    clean = losses.get_loss("huber").value(y, result.clean_value)
    assert_array_equal(result.loss == clean, (result.X == X).all(axis=1))


@pytest.mark.parametrize("kind", [ProjectedGradient, SmoothedGradient])
def test_more_runs_find_the_best_of_what_each_run_finds(kind):
    network, X, y = problem(6, 400, 12)
    # Fewer runs from the same seed are the first of the many.
    found = [
        kind(rho=0.3, steps=4, restarts=runs)(network, X, y, "absolute", rng=3)
        for runs in (1, 2, 3, 4)
    ]
    reached = np.array([each.loss for each in found])
    assert (np.diff(reached, axis=0) >= 0.0).all()
    # The first point that reaches a loss is kept.
    same = (np.diff(reached, axis=0) == 0.0)[:, :, None]
    points = np.array([each.X for each in found])
    assert (np.diff(points, axis=0)[np.broadcast_to(same, (3, *X.shape))] == 0.0).all()
    assert len(set(reached.argmax(axis=0).tolist())) > 2, "the example must tell runs apart"


# -- progress --------------------------------------------------------------------------------------


@pytest.mark.parametrize("attack", [case[0] for case in ATTACKS], ids=lambda a: type(a).__name__)
def test_a_progress_bar_changes_nothing_and_is_full_at_the_end(attack, capsys):
    network, X, y = problem(3, 100, 4)
    plain = attack(network, X, y, "huber", rng=0)
    assert capsys.readouterr().err == ""
    shown = attack(network, X, y, "huber", rng=0, progress=True)
    assert_array_equal(shown.X, plain.X)
    assert_array_equal(shown.loss, plain.loss)
    text = capsys.readouterr().err
    assert type(attack).__name__ in text
    assert "100%" in text
    with pytest.raises(TypeError, match="progress"):
        attack(network, X, y, "huber", rng=0, progress="yes")


@pytest.mark.parametrize("rho", [0.2, 3**0.5])
def test_the_bar_is_full_where_there_are_two_points_only(rho, capsys):
    ExactAdversary(rho=rho)(*problem(2, 50, 3), "huber", rng=0, progress=True)
    assert "100%" in capsys.readouterr().err


def test_the_time_limit_reaches_the_sphere(monkeypatch):
    limits = []

    def noting(network, x, rho, *, side, time_limit):
        limits.append(time_limit)
        return supremum_on_sphere(network, x, rho, side=side, time_limit=time_limit)

    monkeypatch.setattr(sphere, "supremum_on_sphere", noting)
    network, X, y = problem(4, 40, 2)
    ExactAdversary(rho=0.1, time_limit=3.0)(network, X, y, "huber", rng=0)
    assert limits == [3.0] * 4

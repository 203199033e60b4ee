"""However the sparse trainer finds its neurons, it is the same trainer."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sublinear_lib import geometry
from sublinear_lib.adversary import (
    IdentityAdversary,
    ProjectedGradient,
    SmoothedGradient,
    robust_loss,
)
from sublinear_lib.evaluation import kernels_in_use
from sublinear_lib.halfspace import HalfspaceIndex, alive_on_slice
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import (
    DenseAdversarialTraining,
    Measure,
    SublinearAdversarialTraining,
    measuring,
    sources,
)
from sublinear_lib.training.measuring import count_flips
from sublinear_lib.training.sources import (
    TOLERANCE,
    IndexedNeurons,
    LiteralNeurons,
    Task,
    choose_source,
    firing_on_slice,
)
from tests.training.cases import problem

SEARCHES = ("query", "caps", "literal", "auto")
ATTACKS = {
    "gradient": ProjectedGradient(rho=0.15, steps=3, restarts=2),
    "smoothed": SmoothedGradient(rho=0.15, steps=3, restarts=2),
}
COLUMNS = (
    "loss",
    "clean_loss",
    "activity_mean",
    "activity_max",
    "touched",
    "drift_max",
    "drift_frobenius",
)


def assert_same(ours, theirs, *, exact):
    for name in COLUMNS:
        a, b = ours.column(name), theirs.column(name)
        if exact or name in ("activity_mean", "activity_max", "touched"):
            assert_array_equal(a, b, err_msg=name)
        else:
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12, err_msg=name)
    if exact:
        assert_array_equal(ours.final.W, theirs.final.W)
    else:
        np.testing.assert_allclose(ours.final.W, theirs.final.W, rtol=0, atol=1e-12)


# -- one trainer -----------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [*SEARCHES, "the living"])
@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("reduction", ["reference", "blas"])
@pytest.mark.parametrize("batch_size", [None, 5])
def test_every_search_gives_the_run_of_the_dense_trainer(
    kernel, index, attack, reduction, batch_size
):
    for d, m, activation, t in ((3, 400, "jump", 1.65), (6, 300, "continuous", 2.0)):
        network, X, y = problem(d, m, 9, activation=activation, t=t)
        common = {
            "adversary": ATTACKS[attack],
            "steps": 12,
            "reduction": reduction,
            "batch_size": batch_size,
            "eta": 0.05,
        }
        dense = DenseAdversarialTraining(**common).fit(network, X, y, rng=0)
        if index == "the living":
            trainer = DenseAdversarialTraining(**common, set_aside=True)
        else:
            trainer = SublinearAdversarialTraining(**common, index=index)
        ours = trainer.fit(network, X, y, rng=0)
        assert_same(ours, dense, exact=reduction == "reference")
        assert (dense.final.W != network.W).any(), "the example must train"
        assert dense.method == "dense"
        assert dense.set_aside == 0


def test_the_history_says_how_neurons_were_found():
    network, X, y = problem(3, 400, 5)
    for index, method in (
        ("query", "sparse ("),
        ("scan", "sparse (scan)"),
        ("tree", "sparse (tree)"),
        ("caps", "sparse (caps)"),
        ("literal", "sparse (literal, "),
    ):
        trainer = SublinearAdversarialTraining(adversary=IdentityAdversary(), steps=1, index=index)
        assert trainer.fit(network, X, y, rng=0).method.startswith(method)


def test_the_automatic_search_follows_its_rule(monkeypatch):
    for d, t, expected in ((3, 2.5, "query"), (40, 3.0, "query"), (3, 0.2, "dense")):
        network, X, _ = problem(d, 4000, 20, t=t)
        neurons = network.working_copy()
        assert choose_source(neurons, X, 0.1, reduction="reference") == expected, (d, t)
        if kernels_in_use() == "numba":
            assert choose_source(neurons, X, 0.1) == "caps"
            with monkeypatch.context() as patch:
                patch.setattr(sources, "LARGEST_BATCH", 20)
                assert choose_source(neurons, X, 0.1) == "dense"
        share = (
            network.preactivations(X) + 0.1 * np.linalg.norm(network.W[:, :-1], axis=1)
            > network.tau
        ).mean()
        assert bool(share > 0.4) is (expected == "dense")
    monkeypatch.setattr(sources, "_LIVING_PAIRS", 2000)
    with monkeypatch.context() as patch:
        patch.setenv("SUBLINEAR_NUMBA", "0")
        network, X, _ = problem(8, 4000, 20, t=2.5)
        neurons = network.working_copy()
        for living, expected in ((None, "query"), (100, "dense")):
            assert choose_source(neurons, X, 0.1, living=living) == expected
        listed = IndexedNeurons(Task(neurons, X, 0.1, "blas"), "scan")
        listed.evaluator()
        for share, expected in ((0.05, "query"), (0.2, "dense")):
            living = round(listed.candidates() / share)
            assert choose_source(neurons, X, 0.1, living=living) == expected
    crowded, X, y = problem(3, 300, 5, t=0.0)
    rule = {"reduction": "reference"}
    assert choose_source(crowded.working_copy(), X, 0.1, **rule) == "dense"
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1), steps=2, index="auto", **rule
    )
    assert trainer.fit(crowded, X, y, rng=0).method == "dense"
    # An adversary that looks far below the threshold meets more neurons.
    sparse, X, _ = problem(3, 300, 5, t=2.5)
    assert choose_source(sparse.working_copy(), X, 0.1, margin=1.0, **rule) == "dense"


def test_the_literal_algorithm_pays_a_query_for_every_point_of_the_attack(monkeypatch):
    m, n, steps = 300, 4, 3
    network, X, y = problem(4, m, n)
    asked = []
    original = HalfspaceIndex.query_halfspace

    def noting(self, normals, *arguments, **keywords):
        asked.append(len(normals))
        return original(self, normals, *arguments, **keywords)

    monkeypatch.setattr(HalfspaceIndex, "query_halfspace", noting)
    history = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1, steps=steps), steps=2, index="literal"
    ).fit(network, X, y, rng=0)
    assert history.set_aside == 0
    # The gradients of the attack, its last value, and the forward pass.
    assert asked == [n] * (2 * (steps + 2))
    assert (history.work_query > 0).all()
    # Only active neurons are evaluated.
    assert_array_equal(history.work_forward, np.rint(history.activity_mean * m * n))


def test_a_literal_evaluator_is_the_network_itself():
    network, X, _ = problem(5, 300, 6)
    source = LiteralNeurons(Task(network.working_copy(), X, 0.2, "reference"))
    assert source.candidates() == 0.0
    evaluator = source.evaluator()
    points = geometry.sample_caps(X, 0.2, rng=3)
    whole = network.evaluator(6, reduction="reference")
    assert evaluator.weight_scale == whole.weight_scale
    assert_array_equal(evaluator.value(points), whole.value(points))
    for ours, theirs in zip(
        evaluator.value_and_input_gradient(points),
        whole.value_and_input_gradient(points),
        strict=True,
    ):
        assert_array_equal(ours, theirs)
    assert_array_equal(
        evaluator.smoothed_input_gradient(points, 0.01), whole.smoothed_input_gradient(points, 0.01)
    )
    assert_array_equal(
        evaluator.forward(points).active_sets()[1], np.nonzero(network.active_mask(points))[1]
    )
    assert source.candidates() == network.active_mask(points).sum() / 6
    with pytest.raises(ValueError, match=r"within 0\.2 of the points"):
        evaluator.value(geometry.project_to_caps(-X, X, 0.3))


# -- neurons that can never fire -------------------------------------------------------------------


@pytest.mark.parametrize("index", ["query", "scan", "tree", "caps"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_neurons_that_can_never_fire_are_set_aside_and_nobody_notices(index, attack):
    network, X, y = problem(3, 500, 6, t=2.0)
    adversary = ATTACKS[attack]
    common = {"adversary": adversary, "steps": 15, "reduction": "reference", "index": index}
    without = SublinearAdversarialTraining(**common).fit(network, X, y, rng=0)
    margin = getattr(adversary, "margin", lambda scale: 0.0)(network.working_copy().weight_scale)
    kept = alive_on_slice(network.W, network.b, tau=network.tau - margin, tolerance=TOLERANCE)
    assert without.set_aside == network.m - len(kept) > 100
    everyone = SublinearAdversarialTraining(**common, set_aside=False).fit(network, X, y, rng=0)
    assert everyone.set_aside == 0
    assert_same(without, everyone, exact=True)
    dead = np.setdiff1d(np.arange(network.m), kept)
    assert without.final.W[dead].tobytes() == network.W[dead].tobytes()
    assert (without.work_query < everyone.work_query).all()


def test_all_neurons_are_kept_where_all_can_fire():
    network, _, _ = problem(40, 50, 3, t=0.0)
    neurons = network.working_copy()
    assert firing_on_slice(neurons, 0.0) is None
    assert firing_on_slice(problem(3, 50, 3, t=2.0)[0].working_copy(), 100.0) is None


def test_points_off_the_slice_are_refused_where_neurons_are_set_aside():
    network, X, y = problem(4, 300, 5, t=2.0)

    class Diving:
        rho = 0.3

        def __call__(self, network, X, y, loss, rng):
            inside = X.copy()
            inside[:, :-1] *= 0.9
            network.value(inside)
            raise AssertionError("the points must be refused")

    for index in ("query", "caps", "literal"):
        trainer = SublinearAdversarialTraining(adversary=Diving(), steps=1, index=index)
        with pytest.raises(ValueError, match="slice"):
            trainer.fit(network, X, y, rng=0)


# -- batches ---------------------------------------------------------------------------------------


def test_a_batch_of_all_examples_is_the_full_batch():
    network, X, y = problem(4, 200, 6)
    common = {"adversary": ATTACKS["gradient"], "steps": 6}
    full = SublinearAdversarialTraining(**common).fit(network, X, y, rng=0)
    same = SublinearAdversarialTraining(**common, batch_size=6).fit(network, X, y, rng=0)
    assert_same(same, full, exact=True)


def test_batches_are_drawn_without_replacement_and_meet_every_example():
    network, X, y = problem(4, 200, 10)
    seen = []

    class Noting:
        rho = 0.0

        def __call__(self, network, X, y, loss, rng):
            seen.append(X.copy())
            return IdentityAdversary()(network, X, y, loss, rng)

    SublinearAdversarialTraining(adversary=Noting(), steps=30, batch_size=4).fit(
        network, X, y, rng=0
    )
    met = np.zeros(10, dtype=int)
    for batch in seen:
        ids = [int(np.flatnonzero((x == X).all(axis=1))[0]) for x in batch]
        assert ids == sorted(set(ids))
        assert len(ids) == 4
        met[ids] += 1
    assert (met > 3).all()


def test_one_batch_step_is_the_gradient_step_on_the_batch():
    network, X, y = problem(4, 200, 10)
    history = SublinearAdversarialTraining(
        adversary=IdentityAdversary(), steps=1, batch_size=4, eta=0.1, loss="absolute"
    ).fit(network, X, y, rng=0)
    drawn = np.sort(np.random.default_rng(0).choice(10, 4, replace=False))
    gradient = network.weight_gradient(X[drawn], np.sign(network.forward(X[drawn]) - y[drawn]))
    np.testing.assert_allclose(history.final.W, network.W - 0.1 * gradient, rtol=0, atol=1e-14)


# -- measurements ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"every": 0}, ValueError, "every"),
        ({"robust": 1}, TypeError, "robust"),
        ({"method": "guess"}, ValueError, "method must be one of"),
        ({"tol": -1.0}, ValueError, "tol"),
        ({"time_limit": 0.0}, ValueError, "time_limit"),
    ],
)
def test_bad_measures_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Measure(**arguments)


def test_a_batch_larger_than_the_data_is_refused():
    network, X, y = problem(3, 100, 4)
    with pytest.raises(ValueError, match="batch_size must be at most the number of examples 4"):
        SublinearAdversarialTraining(adversary=IdentityAdversary(), batch_size=5).fit(
            network, X, y, rng=0
        )


def test_measured_steps_hold_the_robust_loss_and_the_flips_of_the_network_before_them():
    network, X, y = problem(3, 300, 4, t=1.28)
    after = []
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1), steps=7, measure=Measure(every=3)
    )
    history = trainer.fit(network, X, y, rng=0, callback=lambda record, now: after.append(now()))
    networks = [network, *after]
    for t in range(7):
        if t % 3:
            assert np.isnan([history.flips[t], history.robust_lower[t]]).all()
            assert history.records[t].robust_upper is None
            continue
        worst = robust_loss(networks[t], X, y, 0.1, "huber")
        assert history.robust_lower[t] == worst.lower
        assert history.robust_upper[t] == worst.upper
        assert history.robust_unknown[t] == worst.unknown == 0
        assert history.loss[t] <= history.robust_upper[t] + 1e-12
        flipped = network.active_mask(X) != networks[t].active_mask(X)
        assert history.flips[t] == flipped.sum()
    assert history.flips[0] == 0 < history.flips[6]
    plain = SublinearAdversarialTraining(adversary=ProjectedGradient(rho=0.1), steps=7)
    assert plain.fit(network, X, y, rng=0).final == history.final
    flips_only = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1), steps=2, measure=Measure(every=1, robust=False)
    ).fit(network, X, y, rng=0)
    assert np.isnan(flips_only.robust_lower).all()
    assert np.isnan(flips_only.robust_unknown).all()
    assert flips_only.flips[1] == count_flips(network, networks[1], X)


def test_a_measurement_is_made_as_it_was_asked_for(monkeypatch):
    network, X, y = problem(4, 60, 2)
    asked = []

    def noting(now, *given, **options):
        asked.append((given[2], options))
        return robust_loss(now, *given, **options)

    monkeypatch.setattr(measuring, "robust_loss", noting)
    rule = Measure(every=1, method="relaxation", tol=0.25, time_limit=7.0)
    SublinearAdversarialTraining(adversary=ProjectedGradient(rho=0.1), steps=1, measure=rule).fit(
        network, X, y, rng=0
    )
    assert asked == [(0.1, {"method": "relaxation", "tol": 0.25, "time_limit": 7.0})]


def test_a_measurement_that_met_its_limit_says_so():
    network, X, y = problem(6, 3000, 2, t=1.28)
    history = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.3),
        steps=1,
        measure=Measure(every=1, tol=1e-6, time_limit=0.01),
    ).fit(network, X, y, rng=0)
    assert history.robust_unknown[0] == 2
    assert history.records[0].robust_unknown == 2
    assert history.to_dict()["robust_unknown"] == [2.0]


def test_the_dictionary_of_a_history_is_json_with_none_where_nothing_was_measured():
    network, X, y = problem(3, 100, 4)
    history = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1), steps=3, measure=Measure(every=2)
    ).fit(network, X, y, rng=0)
    columns = json.loads(json.dumps(history.to_dict(seconds=True)))
    assert {len(column) for column in columns.values()} == {3}
    assert columns["flips"][1] is None
    assert columns["robust_lower"][1] is None
    assert columns["robust_lower"][2] == history.robust_lower[2]
    assert columns["touched"] == history.touched.tolist()
    assert set(columns) == set(history.to_columns(seconds=True))


@pytest.mark.parametrize("search", ["query", "literal", "caps"])
def test_equal_runs_count_equal_work(search):
    network = TwoLayerNetwork.initialize(3000, 3, rng=0, tau=0.02)
    X = geometry.sample_slice(400, 3, rng=1)
    y = np.where(np.arange(400) % 2 == 0, 1.0, -1.0)
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1, steps=2), steps=6, index=search
    )
    one, other = (trainer.fit(network, X, y, rng=0) for _ in range(2))
    np.testing.assert_array_equal(one.work_query, other.work_query)

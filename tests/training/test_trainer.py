"""The sparse trainer is the dense trainer, step by step, and both are Algorithm 1."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sublinear_lib import datasets, geometry
from sublinear_lib.adversary import AttackResult, IdentityAdversary, ProjectedGradient
from sublinear_lib.evaluation import Evaluator, Neurons
from sublinear_lib.losses import get_loss
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import (
    DenseAdversarialTraining,
    SublinearAdversarialTraining,
    TrainingDiverged,
)
from sublinear_lib.training.caps import CapEvaluator
from sublinear_lib.training.history import PHASES
from sublinear_lib.training.sources import (
    CappedNeurons,
    IndexedNeurons,
)
from sublinear_lib.training.trainer import Run, Target, _say_once_that_nothing_is_compiled
from tests.training import cases

problem = partial(cases.problem, t=1.28)

LOSSES = ("absolute", "huber", "log-cosh", "epsilon-insensitive")
DETERMINISTIC = (
    "step",
    "loss",
    "clean_loss",
    "activity_mean",
    "activity_max",
    "touched",
    "drift_max",
    "drift_frobenius",
)


def follow(trainer, network, X, y):
    """Train and note the weights of every step."""
    weights = []
    history = trainer.fit(
        network, X, y, rng=0, callback=lambda record, now: weights.append(now().W.copy())
    )
    assert len(history) == len(weights) == trainer.steps
    return history, np.array(weights)


def assert_same_run(sparse, dense, *, exact):
    (history, weights), (reference, others) = sparse, dense
    for name in DETERMINISTIC:
        if exact or name in ("step", "activity_mean", "activity_max", "touched"):
            assert_array_equal(history.column(name), reference.column(name), err_msg=name)
        else:
            assert_allclose(
                history.column(name), reference.column(name), rtol=1e-10, atol=1e-12, err_msg=name
            )
    assert_allclose(weights, others, rtol=0, atol=0 if exact else 1e-12)
    assert_array_equal(history.final.W, weights[-1])


CASES = [
    # d, m, n, t, activation, loss, index, attack
    (2, 64, 2, 0.5, "jump", "absolute", "scan", {}),
    (3, 300, 6, 1.28, "jump", "huber", "tree", {}),
    (3, 300, 6, 1.28, "continuous", "huber", "tree", {}),
    (3, 300, 6, 0.0, "jump", "log-cosh", "scan", {"restarts": 2}),
    (5, 500, 8, 1.65, "continuous", "epsilon-insensitive", "auto", {"random_start": True}),
    (9, 400, 12, 2.0, "jump", "absolute", "auto", {"steps": 3}),
    (20, 250, 5, 1.0, "continuous", "log-cosh", "scan", {}),
    (4, 2200, 20, 2.33, "jump", "huber", "auto", {"relative_step": 1.5}),
]


@pytest.mark.parametrize("case", CASES, ids=[f"d{c[0]}-m{c[1]}-{c[4]}-{c[5]}" for c in CASES])
@pytest.mark.parametrize("reduction", ["reference", "blas"])
def test_the_sparse_trainer_equals_the_dense_one_at_every_step(kernel, case, reduction):
    d, m, n, t, activation, loss, index, attack = case
    network, X, y = problem(d, m, n, activation=activation, t=t)
    common = {
        "adversary": ProjectedGradient(**{"rho": 0.15, **attack}),
        "loss": loss,
        "steps": 50,
        "reduction": reduction,
    }
    dense = follow(DenseAdversarialTraining(**common), network, X, y)
    sparse = follow(SublinearAdversarialTraining(**common, index=index), network, X, y)
    assert_same_run(sparse, dense, exact=reduction == "reference")
    assert (dense[0].final.W != network.W).any(), "the example must train"


@pytest.mark.parametrize("trainer", [DenseAdversarialTraining, SublinearAdversarialTraining])
def test_data_that_change_during_a_run_do_not_change_it(trainer):
    network, X, y = problem(4, 300, 6)
    made = trainer(adversary=ProjectedGradient(rho=0.2), steps=4)
    untouched = made.fit(network, X.copy(), y.copy(), rng=0)

    def meddle(record, now):
        X[:] = X[:1]
        y[:] = -y

    changed = made.fit(network, X, y, rng=0, callback=meddle)
    assert_allclose(changed.loss, untouched.loss, rtol=0, atol=1e-9)


@pytest.mark.parametrize("trainer", [DenseAdversarialTraining, SublinearAdversarialTraining])
def test_an_adversary_cannot_move_the_clean_points(trainer):
    class Own(ProjectedGradient):
        def __call__(self, network, X, y, loss, rng):
            X[:] = X[:1]

    with pytest.raises(ValueError, match="read-only"):
        trainer(adversary=Own(rho=0.2), steps=4).fit(*problem(4, 300, 6), rng=0)


# -- Algorithm 1, line by line ---------------------------------------------------------------------


@pytest.mark.parametrize("trainer", [DenseAdversarialTraining, SublinearAdversarialTraining])
@pytest.mark.parametrize("loss", LOSSES)
def test_one_step_is_the_gradient_step_of_algorithm_1(trainer, loss):
    network, X, y = problem(5, 300, 8)
    eta = 0.05
    attack = ProjectedGradient(rho=0.2)
    history = trainer(adversary=attack, loss=loss, eta=eta, steps=1).fit(network, X, y, rng=0)
    # Lines 11 to 19, written out with the network's own methods.
    found = attack(network, X, y, loss, 0)
    f = network.forward(found.X)
    gradient = network.weight_gradient(found.X, get_loss(loss).derivative(y, f))
    assert_allclose(history.final.W, network.W - eta * gradient, rtol=0, atol=1e-14)
    active = network.active_mask(found.X)
    assert history.touched[0] == active.any(axis=0).sum()
    assert_array_equal((history.final.W != network.W).any(axis=1) & ~active.any(axis=0), False)
    assert history.loss[0] == pytest.approx(get_loss(loss).value(y, f).mean(), abs=1e-12)
    clean = get_loss(loss).value(y, network.forward(X)).mean()
    assert history.clean_loss[0] == pytest.approx(clean, abs=1e-12)
    assert history.activity_mean[0] == pytest.approx(active.mean())
    assert history.activity_max[0] == pytest.approx(active.mean(axis=1).max())
    moves = history.final.W - network.W
    assert history.drift_max[0] == pytest.approx(np.linalg.norm(moves, axis=1).max())
    assert history.drift_frobenius[0] == pytest.approx(np.linalg.norm(moves))


@pytest.mark.parametrize("index", ["query", "caps"])
def test_the_drift_is_that_of_all_neurons_also_of_those_that_rest(index):
    network, X, y = problem(6, 300, 6, t=1.65)
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1), steps=8, batch_size=1, eta=0.2, index=index
    )
    weights = []
    history = trainer.fit(
        network, X, y, rng=0, callback=lambda record, now: weights.append(now().W)
    )
    lengths = np.array([np.linalg.norm(W - network.W, axis=1) for W in weights])
    assert_allclose(history.drift_max, lengths.max(axis=1), rtol=1e-12)
    assert_allclose(history.drift_frobenius, np.sqrt((lengths**2).sum(axis=1)), rtol=1e-12)
    before = np.vstack((np.zeros(network.m), lengths[:-1]))
    rests = [
        one[now == one].max() > now[now != one].max()
        for one, now in zip(before, lengths, strict=True)
    ]
    assert any(rests), "in some step the farthest neuron must rest"


def test_without_an_adversary_it_is_ordinary_gradient_descent():
    network, X, y = problem(4, 200, 5)
    history = SublinearAdversarialTraining(
        adversary=IdentityAdversary(), steps=12, eta=0.01, loss="absolute"
    ).fit(network, X, y, rng=0)
    W = network.W
    for _ in range(12):
        now = network.with_weights(W)
        W = W - 0.01 * now.weight_gradient(X, np.sign(now.forward(X) - y))
    assert_allclose(history.final.W, W, rtol=0, atol=1e-13)
    assert_array_equal(history.loss, history.clean_loss)


# -- runs that end early ---------------------------------------------------------------------------


SOURCES = {
    "query": IndexedNeurons,
    "caps": CappedNeurons,
}


def interrupted_run(monkeypatch, where, network, X, y, step, index="query"):
    """Press Ctrl-C at one of the places where it can come, in the given step."""
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1), steps=10, index=index
    )
    source = SOURCES[index]
    calls = {"count": 0}

    def interrupting(original):
        def wrapper(self, *arguments, **keywords):
            calls["count"] += 1
            if where == "after the weights" and calls["count"] == step + 1:
                original(self, *arguments, **keywords)
            if calls["count"] == step + 1:
                raise KeyboardInterrupt
            return original(self, *arguments, **keywords)

        return wrapper

    with monkeypatch.context() as patch:
        if where == "query":
            patch.setattr(source, "evaluator", interrupting(source.evaluator))
        elif where == "backward":
            for kind in (Evaluator, CapEvaluator):
                patch.setattr(kind, "weight_gradient", interrupting(kind.weight_gradient))
        elif where == "index update":
            patch.setattr(source, "update", interrupting(source.update))
        else:
            # Of the weights of the trainer, not of a copy that a source may keep.
            set_rows, pressing = Neurons.set_rows, interrupting(Neurons.set_rows)

            def chosen(self, *arguments):
                return (pressing if self.m == network.m else set_rows)(self, *arguments)

            patch.setattr(Neurons, "set_rows", chosen)
        return trainer.fit(network, X, y, rng=0, on_interrupt="return")


@pytest.mark.parametrize(
    ("where", "completes"),
    [
        ("query", False),
        ("backward", False),
        ("before the weights", True),
        ("after the weights", True),
        ("index update", True),
    ],
)
@pytest.mark.parametrize("index", SOURCES)
def test_an_interrupt_leaves_weights_and_history_in_step(monkeypatch, where, completes, index):
    network, X, y = problem(4, 300, 6)
    history = interrupted_run(monkeypatch, where, network, X, y, 4, index)
    steps = 4 + completes
    assert history.interrupted
    assert len(history) == steps
    same = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1), steps=steps, index=index
    )
    straight = same.fit(network, X, y, rng=0)
    assert not straight.interrupted
    assert_array_equal(history.final.W, straight.final.W)
    for name in DETERMINISTIC:
        assert_array_equal(history.column(name), straight.column(name), err_msg=name)


def test_an_interrupt_right_after_the_record_does_not_record_the_step_twice(monkeypatch):
    class Interrupting(list):
        def append(self, record):
            super().append(record)
            if len(self) == 3:
                raise KeyboardInterrupt

    original = Run.__init__

    def interrupted(self, *arguments):
        original(self, *arguments)
        self.records = Interrupting()

    monkeypatch.setattr(Run, "__init__", interrupted)
    network, X, y = problem(4, 200, 5)
    trainer = SublinearAdversarialTraining(adversary=ProjectedGradient(rho=0.1), steps=10)
    assert_array_equal(trainer.fit(network, X, y, rng=0, on_interrupt="return").step, [0, 1, 2])
    with pytest.raises(KeyboardInterrupt):  # unless it was asked for the steps so far
        trainer.fit(network, X, y, rng=0)


def test_an_interrupt_before_the_first_step_is_done_returns_an_empty_history(monkeypatch):
    network, X, y = problem(4, 100, 3)
    history = interrupted_run(monkeypatch, "query", network, X, y, 0)
    assert len(history) == 0
    assert history.interrupted
    assert history.final == network
    assert "interrupted" in repr(history)
    with pytest.raises(ValueError, match="without steps"):
        _ = history.average_loss


def test_a_callback_can_stop_the_run():
    network, X, y = problem(4, 200, 5)
    trainer = SublinearAdversarialTraining(adversary=ProjectedGradient(rho=0.1), steps=10)
    history = trainer.fit(network, X, y, rng=0, callback=lambda record, now: record.step == 3)
    assert (len(history), history.interrupted) == (4, True)
    straight = SublinearAdversarialTraining(adversary=ProjectedGradient(rho=0.1), steps=4)
    assert straight.fit(network, X, y, rng=0).final == history.final


def test_an_error_of_the_callback_is_the_callers_own():
    network, X, y = problem(4, 100, 3)

    def fail(record, snapshot):
        raise FloatingPointError("mine")

    with pytest.raises(FloatingPointError, match=r"^mine$"):
        SublinearAdversarialTraining(adversary=IdentityAdversary(), steps=2).fit(
            network, X, y, rng=0, callback=fail
        )


@pytest.mark.parametrize(
    "more",
    [None, {"set_aside": True}, *({"index": name} for name in (*SOURCES, "literal", "auto"))],
    ids=str,
)
@pytest.mark.parametrize("reduction", ["blas", "reference"])
def test_a_network_in_which_nothing_fires_does_not_move(more, reduction):
    network, X, y = problem(4, 100, 3, t=40.0)
    trainer = SublinearAdversarialTraining if "index" in (more or {}) else DenseAdversarialTraining
    history = trainer(
        adversary=ProjectedGradient(rho=0.1), steps=3, eta=0.1, reduction=reduction, **(more or {})
    ).fit(network, X, y, rng=0)
    assert history.final == network
    assert_array_equal(history.touched, [0, 0, 0])
    assert_array_equal(history.drift_max, [0.0, 0.0, 0.0])
    assert_allclose(history.loss, get_loss("huber").value(y, np.zeros(3)).mean())


@pytest.mark.parametrize("trainer", [DenseAdversarialTraining, SublinearAdversarialTraining])
def test_diverging_weights_stop_the_run_with_step_and_cause(trainer):
    network, X, y = problem(4, 200, 5)
    for eta, cause in ((1e160, "weight . of neuron"), (1e308, "weight . of neuron")):
        with pytest.raises(TrainingDiverged, match=rf"step \d+: .*{cause}.*eta = 1e\+") as caught:
            trainer(adversary=IdentityAdversary(), steps=10, eta=eta).fit(network, X, y, rng=0)
        assert isinstance(caught.value, FloatingPointError)
        history = caught.value.history
        assert caught.value.step == len(history)
        assert np.isfinite(history.final.W).all()


@pytest.mark.parametrize("where", ["clean", "adversarial"])
def test_a_network_whose_output_overflows_stops_the_run_at_once(where):
    _, X, y = problem(4, 10, 5)
    finite = np.zeros(5)

    class Quiet:
        rho = 0.0

        def __call__(self, network, X, y, loss, rng):
            clean = np.full(5, np.inf) if where == "clean" else finite
            return AttackResult(X, finite, finite, clean)

    outputs = np.full(10, 1e308 if where == "adversarial" else 1.0)
    network = TwoLayerNetwork(np.ones((10, 4)), outputs, np.full(10, 1e3), 0.1)
    with pytest.raises(TrainingDiverged, match=r"at step 0: the network's output.* is inf"):
        SublinearAdversarialTraining(adversary=Quiet(), steps=2, eta=1.0).fit(network, X, y, rng=0)


def test_an_output_that_is_not_finite_stops_the_run_with_step_and_cause():
    network, X, y = problem(4, 200, 5)
    calls = []

    class Failing:
        rho = 0.1

        def __call__(self, network, X, y, loss, rng):
            calls.append(1)
            if len(calls) == 3:
                raise FloatingPointError("the network must have finite outputs, got nan")
            return IdentityAdversary()(network, X, y, loss, rng)

    with pytest.raises(TrainingDiverged, match="at step 2: the network must have finite") as caught:
        SublinearAdversarialTraining(adversary=Failing(), steps=9).fit(network, X, y, rng=0)
    assert len(caught.value.history) == 2


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("trainer", [DenseAdversarialTraining, SublinearAdversarialTraining])
def test_bad_arguments_of_fit_are_refused_and_change_nothing(trainer):
    network, X, y = problem(4, 100, 5)
    W = network.W.copy()
    off = X.copy()
    off[2] *= 1.0 + 1e-8
    generator = np.random.default_rng(0)
    state = generator.bit_generator.state
    fit = trainer(adversary=ProjectedGradient(rho=0.1, random_start=True), steps=3).fit
    cases = [
        (("network", X, y), {}, TypeError, "network must be a TwoLayerNetwork"),
        ((network.with_weights(1e160 * W), X, y), {}, ValueError, "weights of at most 1e\\+150"),
        ((network, off, y), {}, ValueError, "row 2"),
        ((network, X[:0], y[:0]), {}, ValueError, "X must not be empty"),
        ((network, X, y[:4]), {}, ValueError, r"y must have shape \(5,\)"),
        ((network, X, 1.5 * y), {}, ValueError, r"\|y\| <= 1"),
        ((network, X, y), {"callback": 3}, TypeError, "callback must be callable"),
    ]
    for arguments, keywords, error, message in cases:
        with pytest.raises(error, match=message):
            fit(*arguments, rng=generator, **keywords)
    with pytest.raises(TypeError, match="rng"):
        fit(network, X, y, rng=None)
    assert_array_equal(network.W, W)
    assert generator.bit_generator.state == state


@pytest.mark.parametrize("trainer", [DenseAdversarialTraining, SublinearAdversarialTraining])
def test_an_adversary_that_leaves_its_caps_is_refused(trainer):
    network, X, y = problem(4, 100, 5)

    class Cheat:
        rho = 0.1

        def __init__(self, reach, *, asks):
            self.reach, self.asks = reach, asks

        def __call__(self, network, X, y, loss, rng):
            far = geometry.project_to_caps(-X, X, self.reach)
            value = network.value(far if self.asks else X)
            return AttackResult(far, loss.value(y, value), value, value)

    for asks in (True, False):
        with pytest.raises(ValueError, match=r"within 0\.1 of the points"):
            trainer(adversary=Cheat(0.11, asks=asks), steps=1).fit(network, X, y, rng=0)
    trainer(adversary=Cheat(0.1, asks=True), steps=1).fit(network, X, y, rng=0)


def test_an_adversary_that_returns_something_else_is_refused():
    network, X, y = problem(4, 100, 5)

    class Odd:
        rho = 0.1

        def __init__(self, result):
            self.result = result

        def __call__(self, network, X, y, loss, rng):
            return self.result

    value = np.zeros(5)
    for result, error, message in (
        (X, TypeError, "must return an AttackResult"),
        (AttackResult(X[:3], value, value, value), ValueError, "points must have shape"),
        (AttackResult(X * np.nan, value, value, value), ValueError, "points must contain finite"),
        (AttackResult(1.01 * X, value, value, value), ValueError, "points must lie on the slice"),
    ):
        with pytest.raises(error, match=message):
            DenseAdversarialTraining(adversary=Odd(result), steps=1).fit(network, X, y, rng=0)
    target = Target(network.evaluator(5), lambda: network)
    target.checked = X, y
    with pytest.raises(ValueError, match="X must lie on the slice"):
        ProjectedGradient(rho=0.1)(target, 1.01 * X, y, "huber", 0)


# -- the history -----------------------------------------------------------------------------------


def test_the_history_has_one_row_per_step_and_pandas_friendly_columns():
    network, X, y = problem(4, 300, 6)
    history = SublinearAdversarialTraining(adversary=ProjectedGradient(rho=0.1), steps=7).fit(
        network, X, y, rng=0
    )
    assert len(history) == 7
    columns = history.to_columns()
    assert set(DETERMINISTIC) < set(columns)
    assert not any("seconds" in name for name in columns)
    assert (columns["touched"].dtype, columns["loss"].dtype) == (np.int64, np.float64)
    assert_array_equal(columns["step"], np.arange(7))
    for name, column in columns.items():
        assert_array_equal(getattr(history, name), column, err_msg=name)
    timed = history.to_columns(seconds=True)
    assert set(timed) - set(columns) == {f"seconds_{phase}" for phase in PHASES}
    assert all((timed[f"seconds_{phase}"] >= 0).all() for phase in PHASES)
    assert history.average_loss == pytest.approx(history.loss.mean())
    assert "7 steps" in repr(history)
    with pytest.raises(ValueError, match="name must be one of"):
        history.column("seconds")


def test_equal_runs_give_equal_histories_and_leave_their_inputs_alone():
    network, X, y = problem(5, 400, 6)
    copies = network.W.copy(), X.copy(), y.copy()
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1, random_start=True, restarts=2), steps=5
    )
    first, again, other = (trainer.fit(network, X, y, rng=seed) for seed in (3, 3, 4))
    for name, column in first.to_columns().items():
        assert_array_equal(column, again.column(name), err_msg=name)
    assert first.final == again.final != other.final
    kept = pickle.loads(pickle.dumps(first))
    assert (kept.final, kept.records) == (first.final, first.records)
    for array, copy in zip((network.W, X, y), copies, strict=True):
        assert_array_equal(array, copy)


def test_less_work_is_counted_for_the_sparse_trainer():
    m, n = 4000, 10
    network, X, y = problem(4, m, n, t=2.33)
    common = {"adversary": ProjectedGradient(rho=0.05, steps=5), "steps": 2}
    dense = DenseAdversarialTraining(**common).fit(network, X, y, rng=0)
    assert_array_equal(dense.candidates, [m, m])
    assert_array_equal(dense.work, [n * m * 13] * 2)  # 6 values, 5 gradients, forward, backward
    sparse = SublinearAdversarialTraining(**common, index="tree").fit(network, X, y, rng=0)
    assert (sparse.candidates < 0.1 * m).all()
    assert (sparse.work < 0.3 * dense.work).all()
    assert (sparse.work_query > 0).all()
    assert_array_equal(sparse.touched, dense.touched)
    assert (dense.method, sparse.method) == ("dense", "sparse (tree)")


def test_a_progress_bar_is_shown_on_request_and_only_then(capsys):
    network, X, y = problem(4, 100, 5)
    for progress in (False, True):
        SublinearAdversarialTraining(adversary=IdentityAdversary(), steps=3, progress=progress).fit(
            network, X, y, rng=0
        )
        shown = capsys.readouterr().err
        assert ("3/3" in shown) is progress
        assert ("active=" in shown) is progress


def test_auto_says_once_that_it_goes_dense_where_nothing_is_compiled(monkeypatch):
    start, data = TwoLayerNetwork.initialize(64, 3, rng=0, tau=0.1), datasets.circle(4)
    trainer = SublinearAdversarialTraining(adversary=IdentityAdversary(), steps=1)
    # Who has switched compiled kernels off knows it: any warning fails this test.
    monkeypatch.setenv("SUBLINEAR_NUMBA", "0")
    assert trainer.fit(start, data.X, data.y, rng=0).method == "dense"
    monkeypatch.setenv("SUBLINEAR_NUMBA", "1")
    monkeypatch.setattr("sublinear_lib.evaluation.evaluators._compiled_available", lambda: False)
    _say_once_that_nothing_is_compiled.cache_clear()
    with pytest.warns(UserWarning, match=r"takes all neurons .* pip install '.\[fast\]'") as said:
        for _ in range(2):
            assert trainer.fit(start, data.X, data.y, rng=0).method == "dense"
    assert len(said) == 1

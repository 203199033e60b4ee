"""A run that was killed and resumed is, to the bit, the run that was not."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import fields, replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from benchmarks import reliability
from sublinear_lib.adversary import IdentityAdversary, ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import (
    DenseAdversarialTraining,
    Measure,
    SublinearAdversarialTraining,
    checkpoint,
)
from tests.training import cases

KILLS = int(os.environ.get("SUBLINEAR_KILLS", "8"))
"""How often the run is killed; 100 times by ``python -m benchmarks.reliability --only kills``."""


def problem(m=150, **options):
    return cases.problem(4, m, 6, **options)


ADVERSARY = ProjectedGradient(rho=0.15, steps=2, restarts=2, random_start=True)


def sparse(**changes):
    return SublinearAdversarialTraining(**{"adversary": ADVERSARY, "steps": 12, **changes})


def assert_same_run(ours, theirs):
    assert len(ours) == len(theirs)
    # Where the index chooses its engine itself, the work of the query depends on the choice.
    fixed = theirs.method.startswith(("dense", "sparse (caps", "sparse (tree"))
    for name, column in theirs.to_columns().items():
        if fixed or name != "work_query":
            assert_array_equal(ours.column(name), column, err_msg=name)
    assert ours.final.W.tobytes() == theirs.final.W.tobytes()
    assert (ours.set_aside, ours.eta) == (theirs.set_aside, theirs.eta)
    assert not fixed or ours.method == theirs.method


class Stop(Exception):
    """Ends a process, as far as a test needs it."""


def stopping(step):
    def callback(record, snapshot):
        if record.step == step:
            raise Stop

    return callback


# -- to the bit ------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", ["dense", "query", "tree", "caps", "literal"])
@pytest.mark.parametrize("reduction", ["blas", "reference"])
def test_a_resumed_run_equals_the_uninterrupted_one(kernel, tmp_path, index, reduction):
    network, X, y = problem()
    common = {
        "adversary": ADVERSARY,
        "steps": 12,
        "reduction": reduction,
        "measure": Measure(every=5),
        "batch_size": 4,
        "eta": 0.1,
    }
    if index == "dense":
        trainer = DenseAdversarialTraining(**common)
    else:
        trainer = SublinearAdversarialTraining(**common, index=index)
    straight = trainer.fit(
        network, X, y, rng=3, checkpoint=tmp_path / "straight", checkpoint_every=3
    )
    path = tmp_path / "run"
    for step in (1, 4, 8, 9):
        with pytest.raises(Stop):
            trainer.fit(
                network, X, y, rng=3, checkpoint=path, checkpoint_every=3, callback=stopping(step)
            )
    resumed = trainer.fit(network, X, y, rng=3, checkpoint=path, checkpoint_every=3)
    assert_same_run(resumed, straight)
    assert (resumed.final.W != network.W).any()
    if reduction == "reference":
        without = trainer.fit(network, X, y, rng=3)
        assert without.final.W.tobytes() == straight.final.W.tobytes()
        assert_array_equal(without.loss, straight.loss)


def test_the_rows_of_a_resumed_history_are_of_the_same_kind(tmp_path):
    network, X, y = problem(m=60)
    trainer = sparse(steps=6, measure=Measure(every=2, time_limit=1.0))
    keep = {"rng": 0, "checkpoint_every": 2}
    straight = trainer.fit(network, X, y, checkpoint=tmp_path / "straight", **keep)
    replace(trainer, steps=4).fit(network, X, y, checkpoint=tmp_path / "run", **keep)
    resumed = trainer.fit(network, X, y, checkpoint=tmp_path / "run", **keep)
    for ours, theirs in zip(resumed.records, straight.records, strict=True):
        assert replace(ours, seconds={}) == replace(theirs, seconds={})
        for item in fields(ours):
            kinds = {type(getattr(row, item.name)) for row in (ours, theirs)}
            assert len(kinds) == 1, item.name
    assert resumed.records[1].flips is resumed.records[1].robust_unknown is None
    assert type(resumed.records[2].flips) is type(resumed.records[2].robust_unknown) is int


@pytest.mark.parametrize("kind", [np.random.MT19937, np.random.Philox])
def test_every_bit_generator_goes_on_where_it_was(tmp_path, kind):
    def run(name, **options):
        return resume(tmp_path / name, rng=np.random.Generator(kind(5)), **options)

    with pytest.raises(Stop):
        run("run", callback=stopping(7))
    assert_same_run(run("run"), run("straight"))


def test_a_finished_run_returns_at_once_and_more_steps_go_on(tmp_path):
    network, X, y = problem()
    path = tmp_path / "run"
    keep = {"rng": 0, "checkpoint": path, "checkpoint_every": 4}
    first = sparse(steps=8).fit(network, X, y, **keep)
    called = []
    again = sparse(steps=8).fit(
        network, X, y, **keep, callback=lambda record, now: called.append(record.step)
    )
    assert called == []
    assert_same_run(again, first)
    longer = sparse(steps=12).fit(network, X, y, **keep)
    keep["checkpoint"] = tmp_path / "other"
    assert_same_run(longer, sparse(steps=12).fit(network, X, y, **keep))
    with pytest.raises(ValueError, match="steps must be at least the 12 steps of the checkpoint"):
        sparse(steps=8).fit(network, X, y, rng=0, checkpoint=path)


# -- killed ----------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.either_way
def test_a_run_that_is_killed_at_random_moments_ends_as_if_nothing_had_happened(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("SUBLINEAR_NUMBA", "0")
    found = reliability.kills(0, KILLS, tmp_path)
    assert found["index"] == "scan"
    assert found["steps"] > 0
    assert found["same weights"]
    assert found["same history"]
    # What a killed process may leave behind is a temporary file, never another checkpoint.
    assert found["other files"] == []


# -- damaged and foreign files ---------------------------------------------------------------------


@pytest.fixture
def kept(tmp_path):
    """Two checkpoints of a run that was stopped."""
    network, X, y = problem()
    path = tmp_path / "run"
    with pytest.raises(Stop):
        sparse().fit(
            network, X, y, rng=0, checkpoint=path, checkpoint_every=3, callback=stopping(7)
        )
    return path


def resume(path, *, trainer=None, network=None, X=None, y=None, rng=0, **options):
    start, points, labels = problem()
    return (trainer or sparse()).fit(
        network or start,
        points if X is None else X,
        labels if y is None else y,
        rng=rng,
        checkpoint=path,
        **{"checkpoint_every": 3, **options},
    )


def test_a_damaged_checkpoint_gives_a_clear_error_and_the_previous_one_is_still_there(kept):
    whole = kept.read_bytes()
    place = whole.index(b"W.npy") + 200
    flipped = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
    for damaged in (*(whole[:size] for size in (0, 3, 100, len(whole) - 1)), flipped):
        kept.write_bytes(damaged)
        with pytest.raises(ValueError, match="cannot resume from") as caught:
            resume(kept)
        assert str(checkpoint.previous(kept)) in str(caught.value)
        assert kept.read_bytes() == damaged
    assert_same_run(resume(checkpoint.previous(kept)), resume(kept.with_name("straight")))


def rewritten(path, **changes):
    with np.load(path) as archive:
        contents = {**archive, **changes}
    with open(path, "wb") as file:
        np.savez(file, **{key: value for key, value in contents.items() if value is not None})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"version": np.array(2)}, "version 2 of the format.*update the library"),
        ({"format": np.array("other")}, "not written by a trainer"),
        ({"squared_drift": None}, "the entry 'squared_drift' is missing"),
        ({"record_loss": None}, "the entry 'record_loss' is missing"),
        ({"record_loss": np.zeros(7)}, "the columns of its history do not have one length"),
        ({"seconds_query": np.zeros((6, 1))}, "the columns of its history do not have one length"),
        ({"W": np.zeros((149, 4))}, "does not hold the finite weights of a network of this size"),
        ({"W": np.full((150, 4), np.nan)}, "does not hold the finite weights"),
        ({"W": np.zeros((150, 4), dtype=np.float32)}, "does not hold the finite weights"),
        ({"squared_drift": np.zeros(3)}, "does not hold the finite weights"),
        ({"version": np.array(0)}, "does not say which version"),
        ({"W": np.full((150, 4), 1e200)}, "does not hold weights .* that a run could have reached"),
        ({"squared_drift": -np.ones(150)}, "does not hold weights .* a run could have reached"),
        ({"record_loss": np.full(6, np.nan)}, "column 'record_loss' .* what a run writes"),
        ({"record_loss": np.full(6, 1j)}, "column 'record_loss' .* what a run writes"),
        ({"record_flips": np.full(6, 0.5)}, "column 'record_flips' .* what a run writes"),
        ({"record_step": np.arange(1, 7)}, "column 'record_step' .* what a run writes"),
        ({"seconds_query": -np.ones(6)}, "column 'seconds_query' .* what a run writes"),
    ],
)
def test_other_formats_are_refused(kept, changes, reason):
    rewritten(kept, **changes)
    with pytest.raises(ValueError, match=reason) as caught:
        resume(kept)
    assert repr(str(kept)) in str(caught.value)


STATE = np.random.PCG64(0).state


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "[" * 100_000,
        '{"dtype": "O", "entries": []}',
        '{"dtype": "S1000000000", "entries": ["a", "b"]}',
        json.dumps({**STATE, "state": {**STATE["state"], "state": -1}}),
        json.dumps({**STATE, "has_uint32": 2}, sort_keys=True),
        json.dumps({**STATE, "more": 1}, sort_keys=True),
    ],
    ids=lambda text: text[:30],
)
def test_a_state_that_no_generator_has_is_refused(kept, text):
    rewritten(kept, generator=np.array(text))
    with pytest.raises(ValueError, match=r"cannot resume from .*its generator") as caught:
        resume(kept)
    assert repr(str(kept)) in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "place", "value"),
    [(np.random.MT19937, "pos", 10**6), (np.random.Philox, "buffer_pos", 70)],
)
def test_a_state_that_leads_out_of_the_memory_of_its_generator_is_refused(kind, place, value):
    state = kind(0).state
    checkpoint._generator_state(checkpoint._to_json(state), kind(1))
    (state if place in state else state["state"])[place] = value
    with pytest.raises(ValueError, match="not one that such a generator can have"):
        checkpoint._generator_state(checkpoint._to_json(state), kind(1))


def altered(**changes):
    """The network of the problem with one part changed."""
    network, _, _ = problem()
    parts = {name: getattr(network, name) for name in ("W", "a", "b", "tau", "activation")}
    return TwoLayerNetwork(**{**parts, **changes})


@pytest.mark.parametrize(
    ("subject", "change"),
    [
        ("network", lambda: {"network": problem(seed=9)[0]}),
        ("network", lambda: {"network": altered(a=-problem()[0].a)}),
        ("network", lambda: {"network": altered(b=problem()[0].b + 1e-9)}),
        ("network", lambda: {"network": altered(tau=problem()[0].tau + 1e-9)}),
        ("network", lambda: {"network": altered(activation="continuous")}),
        ("data", lambda: {"X": problem(seed=9)[1]}),
        ("data", lambda: {"y": -problem()[2]}),
        ("generator", lambda: {"rng": 1}),
        ("settings", lambda: {"trainer": sparse(eta=0.25)}),
        ("settings", lambda: {"trainer": sparse(index="caps")}),
        ("settings", lambda: {"trainer": sparse(adversary=replace(ADVERSARY, rho=0.16))}),
        ("settings", lambda: {"trainer": DenseAdversarialTraining(adversary=ADVERSARY)}),
    ],
)
def test_the_checkpoint_of_another_run_is_refused(kept, subject, change):
    before = kept.read_bytes()
    with pytest.raises(ValueError, match=f"it belongs to a run with other {subject}"):
        resume(kept, **change())
    assert kept.read_bytes() == before


class Mine:
    """An adversary as a user writes one."""

    def __init__(self, rho, **more):
        self.rho = rho
        self.__dict__.update(more)

    def __call__(self, network, X, y, loss, rng):
        return IdentityAdversary()(network, X, y, loss, rng)


class MyStep:
    def __init__(self, size):
        self._size = size

    def step_size(self, network):
        return self._size


@pytest.mark.parametrize(
    "change",
    [
        {"adversary": Mine(0.9, samples=3, start=np.zeros(3))},
        {"adversary": Mine(0.2, samples=4, start=np.zeros(3))},
        {"adversary": Mine(0.2, samples=3, start=np.ones(3))},
        {"eta": MyStep(0.25)},
    ],
    ids=["rho", "number", "array", "step"],
)
def test_a_difference_inside_an_object_of_the_user_is_seen(tmp_path, change):
    given = {"adversary": Mine(0.2, samples=3, start=np.zeros(3)), "eta": MyStep(0.5)}
    resume(tmp_path / "run", trainer=sparse(steps=3, **given))
    again = {"adversary": Mine(0.2, samples=3, start=np.zeros(3)), "eta": MyStep(0.5)}
    resume(tmp_path / "run", trainer=sparse(steps=6, **again))
    with pytest.raises(ValueError, match="it belongs to a run with other settings"):
        resume(tmp_path / "run", trainer=sparse(**{**given, **change}))


def test_a_radius_that_no_attribute_holds_is_compared_too(tmp_path):
    class Fixed(Mine):
        rho = 0.2

        def __init__(self):
            pass

    resume(tmp_path / "run", trainer=sparse(adversary=Fixed(), steps=3))
    Fixed.rho = 0.9
    with pytest.raises(ValueError, match="it belongs to a run with other rho or eta"):
        resume(tmp_path / "run", trainer=sparse(adversary=Fixed()))
    rewritten(tmp_path / "run", of_sizes=None)  # as an older version wrote it
    resume(tmp_path / "run", trainer=sparse(adversary=Fixed(), steps=6))


def test_an_adversary_that_says_nothing_of_itself_is_refused_before_the_first_step(tmp_path):
    with pytest.raises(TypeError, match=r"lock must say what it is made of.*__getstate__"):
        resume(tmp_path / "run", trainer=sparse(adversary=Mine(0.2, lock=threading.Lock())))
    assert list(tmp_path.iterdir()) == []


def test_an_adversary_that_spawns_generators_is_told_so(tmp_path):
    class Spawning(Mine):
        def __call__(self, network, X, y, loss, rng):
            return super().__call__(network, X, y, loss, rng.spawn(1)[0])

    with pytest.raises(ValueError, match="must draw from the generator that it is given"):
        resume(tmp_path / "run", trainer=sparse(adversary=Spawning(0.2)))
    assert len(sparse(adversary=Spawning(0.2), steps=2).fit(*problem(), rng=0)) == 2


def test_checkpoints_are_kept_where_files_cannot_be_linked(kept, monkeypatch):
    def refuse(*arguments):
        raise OSError("Operation not permitted")

    before = kept.read_bytes()
    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(Stop):
        resume(kept, callback=stopping(8))
    assert checkpoint.previous(kept).read_bytes() == before


def test_where_or_when_no_checkpoint_can_be_kept_is_refused_before_the_first_step(tmp_path):
    called = []
    for path, every, error, message in (
        (tmp_path / "run", 0, ValueError, "checkpoint_every"),
        (tmp_path / "run", 1.5, TypeError, "checkpoint_every"),
        (tmp_path / "missing" / "run", 3, FileNotFoundError, "checkpoint must lie in a directory"),
        (3, 3, TypeError, "checkpoint must be a path, got int"),
    ):
        with pytest.raises(error, match=message):
            resume(path, checkpoint_every=every, callback=lambda *given: called.append(given))
    assert called == list(tmp_path.iterdir()) == []


def test_an_interrupt_from_the_keyboard_loses_nothing_that_was_kept(tmp_path):
    def interrupt(record, snapshot):
        if record.step == 7:
            raise KeyboardInterrupt

    path = tmp_path / "run"
    history = resume(path, callback=interrupt, on_interrupt="return")
    assert history.stopped == "interrupted from the keyboard"
    assert (history.interrupted, len(history)) == (True, 8)
    assert_same_run(resume(path), resume(tmp_path / "straight"))


def test_equal_parameters_are_described_alike():
    for number in (np.float64(0.25), np.array(0.25)):
        assert checkpoint.describe(sparse(eta=number)) == checkpoint.describe(sparse(eta=0.25))
    assert checkpoint.describe(np.array(0.25)) != checkpoint.describe(np.array(0.5))


@pytest.mark.skipif(os.name != "posix", reason="needs modes and links")
def test_a_private_checkpoint_behind_a_link_stays_private_and_has_the_one_before_it_too(kept):
    kept.chmod(0o600)
    kept.rename(kept.with_name("real"))
    checkpoint.previous(kept).unlink()
    kept.symlink_to("real")
    before = kept.read_bytes()
    with pytest.raises(Stop):
        resume(kept, callback=stopping(8))
    assert kept.is_symlink()
    assert checkpoint.previous(kept).read_bytes() == before != kept.read_bytes()
    for path in (kept, checkpoint.previous(kept)):
        assert path.stat().st_mode & 0o777 == 0o600

"""Weights do not depend on where the neurons are, and survive a worker in a checkpoint."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sublinear_lib import datasets
from sublinear_lib.adversary import ProjectedGradient, RandomSearch, SmoothedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import (
    ShardedAdversarialTraining,
    SublinearAdversarialTraining,
    TrainingDiverged,
)
from sublinear_lib.training import sharded as module

DATA = datasets.circle(6, labels="alternating")
START = TwoLayerNetwork.initialize(201, 3, rng=0, tau=0.05)
CONTINUOUS = TwoLayerNetwork.initialize(201, 3, rng=1, tau=0.05, activation="continuous")
COMMON: dict[str, Any] = {"adversary": ProjectedGradient(rho=0.1, steps=4), "steps": 6}
CANONICAL = {**COMMON, "reduction": "reference"}
SAME = ("loss", "clean_loss", "activity_mean", "activity_max", "touched")


def train(trainer: Any, network: TwoLayerNetwork = START, **given: Any) -> Any:
    return trainer.fit(network, DATA.X, DATA.y, rng=0, **given)


def assert_same_bits(ours: Any, theirs: Any) -> None:
    assert_array_equal(ours.final.W, theirs.final.W)
    for name in SAME:
        assert_array_equal(ours.column(name), theirs.column(name), err_msg=name)
    # A sum of all neurons that decides nothing: its order is that of the shards.
    assert_allclose(ours.column("drift_frobenius"), theirs.column("drift_frobenius"), rtol=1e-13)
    assert_array_equal(ours.column("drift_max"), theirs.column("drift_max"))


ADVERSARIES = [
    ProjectedGradient(rho=0.1, steps=4, restarts=2),
    SmoothedGradient(rho=0.1, steps=3),
    RandomSearch(rho=0.1, samples=5),
]


@pytest.mark.parametrize(
    ("adversary", "network"),
    [(ADVERSARIES[0], CONTINUOUS), (ADVERSARIES[1], START), (ADVERSARIES[2], START)],
    ids=["gradient, continuous", "smoothed, jump", "random, jump"],
)
def test_in_canonical_order_the_weights_are_those_of_one_process_to_the_bit(
    adversary: Any, network: TwoLayerNetwork
) -> None:
    common = {**CANONICAL, "adversary": adversary}
    one = train(SublinearAdversarialTraining(**common), network)
    assert (one.final.W != network.W).any(), "the example must train"
    for shards in (1, 2, 7):
        assert_same_bits(train(ShardedAdversarialTraining(**common, shards=shards), network), one)


@pytest.mark.parametrize("index", ["query", "tree", "caps"])
@pytest.mark.parametrize("reduction", ["reference", "blas"])
def test_every_index_serves_the_shards(index: Any, reduction: Any) -> None:
    common = {**COMMON, "index": index, "reduction": reduction}
    one, many = (
        train(kind(**common, **more))
        for kind, more in (
            (SublinearAdversarialTraining, {}),
            (ShardedAdversarialTraining, {"shards": 3}),
        )
    )
    if reduction == "reference":
        assert_same_bits(many, one)
    else:
        assert_allclose(many.final.W, one.final.W, rtol=0, atol=1e-12)
        assert_array_equal(many.column("touched"), one.column("touched"))


def test_as_many_shards_as_neurons_are_served_and_not_more() -> None:
    small = TwoLayerNetwork.initialize(5, 3, rng=3, tau=0.05)
    one = train(SublinearAdversarialTraining(**CANONICAL), small)
    assert_same_bits(train(ShardedAdversarialTraining(**CANONICAL, shards=5), small), one)
    with pytest.raises(ValueError, match="shards must be at most the number of neurons 5, got 6"):
        train(ShardedAdversarialTraining(**CANONICAL, shards=6), small)


def test_batches_are_those_of_one_process() -> None:
    common = {**CANONICAL, "batch_size": 3}
    one = train(SublinearAdversarialTraining(**common))
    assert_same_bits(train(ShardedAdversarialTraining(**common, shards=3)), one)


def test_a_run_that_diverges_names_the_neuron_as_in_one_process() -> None:
    common = {**CANONICAL, "eta": 1e300, "steps": 3}
    messages = []
    for kind, more in ((SublinearAdversarialTraining, {}), (ShardedAdversarialTraining, {})):
        with pytest.raises(TrainingDiverged) as caught:
            train(kind(**common, **more))
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert "neuron" in messages[0]


@pytest.mark.parametrize("reduction", ["reference", "blas"])
def test_a_resumed_run_equals_the_uninterrupted_one(tmp_path: Path, reduction: Any) -> None:
    common = {**COMMON, "reduction": reduction, "shards": 3}
    whole = train(
        ShardedAdversarialTraining(**common), checkpoint=tmp_path / "whole", checkpoint_every=2
    )
    train(
        ShardedAdversarialTraining(**{**common, "steps": 4}),
        checkpoint=tmp_path / "part",
        checkpoint_every=2,
    )
    if reduction == "reference":  # where another number of shards changes nothing
        common["shards"] = 5
    resumed = train(
        ShardedAdversarialTraining(**common), checkpoint=tmp_path / "part", checkpoint_every=2
    )
    assert len(resumed) == 6
    assert_same_bits(resumed, whole)


def test_ctrl_c_ends_after_a_whole_step() -> None:
    """The signal arrives in the middle of a question, of which there are many in a step."""
    asked = []
    original = module._Here.ask

    def interrupting(self: Any, questions: Any) -> Any:
        asked.append(questions[0][1])
        if asked.count("carry_out") == 3:
            signal.raise_signal(signal.SIGINT)
        return original(self, questions)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module._Here, "ask", interrupting)
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            trainer = ShardedAdversarialTraining(**CANONICAL, shards=3)
            history = train(trainer, on_interrupt="return")
        finally:
            signal.signal(signal.SIGINT, before)
    assert history.interrupted
    assert len(history) == 3
    assert_same_bits(history, train(SublinearAdversarialTraining(**{**CANONICAL, "steps": 3})))

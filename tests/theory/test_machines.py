"""Models of machines: sharded training counts what the trainer does; bytes, and the roofline."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import datasets, geometry, scaling, theory
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory import candidate_share, shard_memory, surviving_share
from sublinear_lib.theory.sharding import sharded_step
from sublinear_lib.theory.traffic import Traffic
from sublinear_lib.training import ShardedAdversarialTraining
from sublinear_lib.training import sharded as module

CASE: dict[str, Any] = {
    "t": 3.0,
    "rho": 0.05,
    "attack_steps": 10,
    "rate": 1e8,
    "bandwidth": 1e9,
    "delay": 1e-4,
}


def test_memory_is_shared_out() -> None:
    assert shard_memory(1000, 8, 1) == 8 * 1000 * 21
    assert shard_memory(1000, 8, 3) == 8 * 334 * 21
    assert shard_memory(1000, 8, 3, index_bytes=100.0) == 334 * (8 * 21 + 100.0)


def test_a_shard_holds_the_bytes_that_the_model_counts() -> None:
    """At a threshold that no neuron reaches, so that the index holds next to nothing."""
    m, d = 20_000, 8
    network = TwoLayerNetwork.initialize(m, d, rng=0, tau=scaling.threshold_from_standard(40.0, m))
    trainer = ShardedAdversarialTraining(adversary=ProjectedGradient(rho=0.05), index="query")
    block = {"first": 0, "W": network.W, "a": network.a, "b": network.b, "tau": network.tau,
             "shift": network.shift, "weight_scale": 1.0}  # fmt: skip
    points = geometry.sample_slice(4, d, rng=1)
    module._Shard().load(trainer, block, points)  # what the first call loads is not counted
    tracemalloc.start()
    try:
        shard = module._Shard()
        shard.load(trainer, block, points)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held == pytest.approx(shard_memory(m, d, 1), rel=0.1)


@pytest.mark.parametrize("reduction", ["blas", "reference"])
def test_work_is_shared_out_and_traffic_grows_with_the_shards_not_the_width(reduction: str) -> None:
    one, ten, wide = (
        sharded_step(m, 100, 16, shards=shards, reduction=reduction, **CASE)
        for m, shards in ((10**6, 1), (10**6, 10), (10**9, 10))
    )
    assert ten.passes == pytest.approx(one.passes / 10, rel=1e-12)
    assert (ten.sent, ten.questions) == (10 * one.sent, 10 * one.questions)
    assert (wide.sent, wide.rounds) == (ten.sent, ten.rounds)
    assert ten.latency == CASE["delay"] * ten.questions
    assert ten.seconds == ten.compute + ten.network + ten.latency


def test_each_limit_is_found() -> None:
    start = {**CASE, "shards": 4}
    for change, limit in (
        ({"rate": 1.0}, "compute"),
        ({"bandwidth": 1.0}, "network"),
        ({"delay": 100.0}, "latency"),
    ):
        assert sharded_step(10**6, 100, 16, **{**start, **change}).limit == limit


def test_with_one_evaluation_the_counts_are_those_on_paper() -> None:
    m, n, d, t, rho = 10**5, 7, 5, 2.0, 0.1
    given = {**CASE, "t": t, "rho": rho, "attack_steps": 1}
    listed, active = candidate_share(t, d, rho), scaling.activity_at(t)
    alive = surviving_share(t, d)
    free = sharded_step(m, n, d, shards=1, **given)
    assert free.passes == pytest.approx(n * m * (alive + 3 * listed + 2 * active), rel=1e-12)
    # three evaluations, one of them with a gradient, and the backward pass
    assert free.sent == 8 * (3 * n * (d + 1) + n * d + n * (d + 1))
    assert free.rounds == free.questions == 6
    bound = sharded_step(m, n, d, shards=1, reduction="reference", **given)
    assert bound.passes - free.passes == pytest.approx(n * m * 3 * active, rel=1e-9)
    assert bound.sent - free.sent == 8 * (3 * n * (d + 2) + n * d)


@pytest.mark.parametrize("reduction", ["blas", "reference"])
def test_the_trainer_asks_as_often_as_the_model_says(
    reduction: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounds and numbers on the line, counted while a real trainer takes a step."""
    data = datasets.circle(6, labels="alternating")
    start = TwoLayerNetwork.initialize(301, 3, rng=0, tau=0.05)
    rounds, asked, numbers = 0, 0, 0
    original = module._Here.ask

    def size(parts: Any) -> int:
        return sum(part.size for part in parts if isinstance(part, np.ndarray))

    def counting(self: Any, questions: Any) -> Any:
        nonlocal rounds, asked, numbers
        answers = original(self, questions)
        if questions[0][1] not in ("load", "describe", "weights"):
            rounds += 1
            asked += len(questions)
            for (_, name, arguments), answer in zip(questions, answers, strict=True):
                numbers += size(arguments)
                if name in ("value", "gradient", "forward", "add"):
                    floats = [p for p in answer if getattr(p, "dtype", None) == np.float64]
                    numbers += size(floats)
        return answers

    monkeypatch.setattr(module._Here, "ask", counting)
    trainer = ShardedAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1, steps=4), steps=1, shards=3, reduction=reduction
    )
    trainer.fit(start, data.X, data.y, rng=0)
    model = sharded_step(301, 6, 3, shards=3, reduction=reduction, **{**CASE, "attack_steps": 4})
    assert (rounds, asked) == (model.rounds, model.questions)
    assert 8 * numbers == model.sent


MACHINE = {"peak": 1e11, "bandwidth": 1e10}


def test_a_matrix_product_reads_both_factors_once() -> None:
    traffic = theory.matrix_traffic(1000, 50, 8)
    assert traffic.operations == 2 * 1000 * 50 * 8
    assert traffic.bytes == 4 * (1000 * 8 + 50 * 8)
    kept = theory.matrix_traffic(1000, 50, 8, keeps_scores=True)
    assert kept.bytes == 4 * (1000 * 8 + 50 * 8 + 1000 * 50)


def test_a_list_loads_a_row_for_every_pair_unless_rows_are_shared() -> None:
    assert theory.gather_traffic(10, 8) == Traffic(160.0, 10 * 36.0)
    assert theory.gather_traffic(10, 8, reuse=4) == Traffic(160.0, 10 * 12.0)


@settings(deadline=None, max_examples=60)
@given(
    operations=st.floats(1e-3, 1e12),
    moved=st.floats(1e-3, 1e12),
    peak=st.floats(1.0, 1e15),
    bandwidth=st.floats(1.0, 1e13),
)
def test_the_roofline_is_the_larger_of_two_times(
    operations: float, moved: float, peak: float, bandwidth: float
) -> None:
    found = theory.roofline(Traffic(operations, moved), peak=peak, bandwidth=bandwidth)
    assert found.seconds == max(operations / peak, moved / bandwidth)
    assert found.rate <= peak * (1 + 1e-12)
    assert found.ridge == peak / bandwidth
    intensity = operations / moved
    if not math.isclose(intensity, found.ridge):
        assert found.limit == ("arithmetic" if intensity > found.ridge else "memory")


@pytest.mark.parametrize("d", [3, 8, 32, 128])
@pytest.mark.parametrize("reuse", [1.0, 4.0])
def test_the_price_of_a_list_is_the_closed_form_between_the_intensities(
    d: int, reuse: float
) -> None:
    ridge = 20.0
    share = theory.break_even_share(2**16, 512, d, peak=ridge, bandwidth=1.0, reuse=reuse)
    assert share == pytest.approx(reuse * d / (2 * ridge * (d + reuse)))


@pytest.mark.parametrize("n", [1, 7, 64, 1024])
def test_at_the_break_even_share_both_take_the_same_time(n: int) -> None:
    share = theory.break_even_share(4096, n, 16, **MACHINE)
    dense = theory.roofline(theory.matrix_traffic(4096, n, 16), **MACHINE)
    listed = theory.roofline(theory.gather_traffic(share * 4096 * n, 16), **MACHINE)
    assert dense.seconds == pytest.approx(listed.seconds)


def test_for_one_example_a_list_wins_at_nearly_every_share() -> None:
    share = theory.break_even_share(2**16, 1, 32, **MACHINE)
    assert share == pytest.approx(32 / 33, rel=1e-4)

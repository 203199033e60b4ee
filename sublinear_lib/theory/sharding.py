r"""What sharded training needs on paper: memory, network and time, up to a billion neurons.

The neurons are split over P workers; the n examples are everywhere
(:mod:`sublinear_lib.training`, ``ShardedAdversarialTraining``).  The functions here count: bytes
that a worker holds, bytes that cross the network in a step, and from these and from the rates that
the *caller* gives (of a machine and of a network, measured or assumed) the least seconds of a step.
No number of any machine is stored.  Before using them, know what is left out: the adversary is one
that asks for a value and a gradient in every step (projected gradient), the index answers in one
pass over its candidates, and workers that wait for the slowest one wait for nothing here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from sublinear_lib import scaling
from sublinear_lib._arguments import Count, Dimension, Nonnegative, Positive, checked
from sublinear_lib.theory.cost import candidate_share
from sublinear_lib.theory.reporting import surviving_share
from sublinear_lib.validation import choice, count

__all__ = ["shard_memory"]

_NUMBER = 8


@checked
def shard_memory(m: Count, d: Dimension, shards: int, *, index_bytes: Nonnegative = 0.0) -> float:
    r"""Count the bytes that one worker holds for its neurons.

    Here `shards`: number of workers P, ``1 <= P <= m``; `index_bytes`: bytes that the index keeps
    for a neuron, by default none.

    ``ceil(m / P) (8 (2 d + 5) + index_bytes)``: the present weights and the initial ones (for the
    drift, and for a new start from a checkpoint), the output weights and biases of both, and the
    squared drift.  Lists of candidates, the examples, and what is needed for a moment while the
    index is built come on top.

    >>> round(shard_memory(10**9, 32, 64) / 2**30, 1)
    8.0
    """
    return math.ceil(m / count(shards, "shards", maximum=m)) * (_NUMBER * (2 * d + 5) + index_bytes)


@dataclass(frozen=True)
class ShardedStep:
    """What one step of sharded training needs.

    Fields: `memory`: bytes that a worker holds; `passes`: expected row passes of one worker, in all
    phases; `sent`: bytes that the leader sends and receives, over all workers; `rounds`: times that
    the leader has to wait for answers; `questions`: messages that it sends and has answered in all;
    `compute`, `network`, `latency`: seconds: of the slowest worker, of the leader's line, and of
    the questions.
    """

    memory: float
    passes: float
    sent: float
    rounds: int
    questions: int
    compute: float
    network: float
    latency: float

    @property
    def seconds(self) -> float:
        """Sum of the three times: nothing overlaps, because each question needs the last answer."""
        return self.compute + self.network + self.latency

    @property
    def limit(self) -> Literal["compute", "network", "latency"]:
        """The largest of the three."""
        if self.compute >= max(self.network, self.latency):
            return "compute"
        return "network" if self.network >= self.latency else "latency"


@checked
def sharded_step(
    m: int,
    n: Count,
    d: Dimension,
    *,
    t: float,
    rho: Nonnegative,
    attack_steps: Count,
    shards: int,
    rate: Positive,
    bandwidth: Positive,
    delay: Nonnegative,
    index_bytes: float = 0.0,
    reduction: str = "blas",
) -> ShardedStep:
    r"""Model one step of Algorithm 1 on P workers.

    Here `shards`: number of workers P, ``1 <= P <= m``; `rate`: row passes of length d per second
    of one worker; `bandwidth`: bytes per second of the leader's line; `delay`: seconds of a
    question to one worker and its answer, however short; `index_bytes`: as in `shard_memory`;
    `reduction`: sums added by the leader, or handed from worker to worker in canonical order.

    With phi the expected share of neurons that can fire anywhere on X (`surviving_share`), s that
    of candidates (`candidate_share`) and q = Q(t): a worker makes ``n m phi / P`` passes to find
    its candidates, ``n m s / P`` for the scores of each of the ``S + 2`` evaluations (one for every
    step of the attack, one of its last point, one forward) and ``n m q / P`` for each of the S
    input gradients and for the weight gradient.  With the free order, one evaluation costs one
    round of ``8 n d P`` bytes out and ``8 n P``, with a gradient ``8 n (d + 1) P``, bytes back;
    finding the candidates, the backward pass (points and n coefficients out) and taking the step
    are a round each. In canonical order an evaluation brings back values only, and has P more
    rounds, in which points and the sums so far go out and the sums come back.  A round asks every
    worker, one after the other, so that its delay is paid P times.  The search is counted as one
    scan of the neurons that can fire; a structure that prunes makes fewer passes.

    >>> step = sharded_step(10**9, 100, 32, t=4.0, rho=0.05, attack_steps=10, shards=64,
    ...                     rate=1e8, bandwidth=1.25e9, delay=1e-4)
    >>> step.limit, step.rounds, step.questions
    ('compute', 15, 960)
    """
    memory = shard_memory(m, d, shards, index_bytes=index_bytes)
    handed_on = choice(reduction, "reduction", ("blas", "reference")) == "reference"
    alive, listed = surviving_share(t, d), candidate_share(t, d, rho)
    active = scaling.activity_at(t)
    pairs = n * math.ceil(m / shards)
    evaluations = attack_steps + 2
    passes = pairs * (alive + evaluations * listed + (attack_steps + 1) * active)
    # Numbers that cross the line for each worker: points out, values back; then gradients.
    numbers = evaluations * n * (d + 1)
    rounds = evaluations + 3
    questions = shards * rounds
    if handed_on:
        passes += pairs * evaluations * active  # the terms of the neurons that fire, once more
        numbers += evaluations * n * (d + 2) + 2 * attack_steps * n * d
        rounds += evaluations * shards
        questions += evaluations * shards
    else:
        numbers += attack_steps * n * d
    numbers += n * (d + 1)  # the backward pass
    sent = float(_NUMBER * shards * numbers)
    seconds = passes / rate, sent / bandwidth, questions * delay
    return ShardedStep(memory, passes, sent, rounds, questions, *seconds)

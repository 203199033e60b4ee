"""A trainer that stops after some steps of Algorithm 1, so that several can take turns.

`fit` runs in a thread of its own, and its callback, called after every step, waits after the last
that was asked for: only one thread runs at any time.  Nothing here reaches into the trainer: what
is timed is the public `fit`, with its checks and its history, and what is compared with real
arithmetic is what it did to the weights.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, cast

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from sublinear_lib._typing import FloatArray, Seed
from sublinear_lib.adversary import Adversary, AttackResult
from sublinear_lib.losses import get_loss
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import (
    DenseAdversarialTraining,
    StepRecord,
    SublinearAdversarialTraining,
    resolve_step_size,
)

FOREVER = 1_000_000
"""More steps than any benchmark takes: a trainer is stopped, it does not end."""

_POINTS_AT_ONCE = 16

Trainer = DenseAdversarialTraining | SublinearAdversarialTraining


class Watched:
    """An adversary that remembers what it found last."""

    def __init__(self, adversary: Adversary) -> None:
        self.rho = adversary.rho
        self.last: AttackResult | None = None
        self._adversary = adversary

    def __call__(self, network: Any, X: object, y: object, loss: Any, rng: Seed) -> AttackResult:
        """Attack."""
        self.last = self._adversary(network, X, y, loss, rng)
        return self.last


def wrong_moves(
    before: TwoLayerNetwork, after: TwoLayerNetwork, points: FloatArray, moves: FloatArray
) -> tuple[int, int]:
    """Compare a step with the one that the active sets of real arithmetic ask for."""
    if not moves.all():
        raise ValueError("moves must not be 0: active sets at such a point leave no trace")
    wanted = np.zeros(before.W.shape)
    active = 0
    for start in range(0, len(points), _POINTS_AT_ONCE):
        X = points[start : start + _POINTS_AT_ONCE]
        mask = before.active_mask(X)
        active += int(np.count_nonzero(mask))
        wanted += mask.T.astype(np.float64) @ (moves[start : start + _POINTS_AT_ONCE, None] * X)
    wanted *= before.a[:, None]
    off = after.W - before.W - wanted
    allowed = 0.25 * np.abs(before.a) * np.abs(moves).min()
    return int(np.count_nonzero(~(np.einsum("ij,ij->i", off, off) <= allowed**2))), active


class Stepper(AbstractContextManager["Stepper"]):
    """A training run that goes on one step at a time."""

    def __init__(
        self,
        make: Callable[[Adversary], Trainer],
        adversary: Adversary,
        network: TwoLayerNetwork,
        X: FloatArray,
        y: FloatArray,
        seed: int,
    ) -> None:
        self.records: list[StepRecord] = []
        self.first_seconds = 0.0
        self.method = ""
        self._adversary = Watched(adversary)
        self._y = y
        self._network: Callable[[], TwoLayerNetwork] = lambda: network
        self._error: BaseException | None = None
        self._closing, self._left = False, 0
        self._asked, self._done = threading.Semaphore(0), threading.Semaphore(0)
        trainer = make(self._adversary)
        self._loss, self._eta = trainer.loss, resolve_step_size(trainer.eta, network)

        def work() -> None:
            self._asked.acquire()
            try:
                if not self._closing:
                    with threadpool_limits(limits=1):
                        history = trainer.fit(network, X, y, rng=seed, callback=self._pause)
                    self.method = history.method
            except BaseException as error:
                self._error = error
            finally:
                self._done.release()

        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()

    def __exit__(self, *error: object) -> None:
        """End the run."""
        self.close()

    def _pause(self, record: StepRecord, network: Callable[[], TwoLayerNetwork]) -> bool:
        self.records.append(record)
        self._network = network
        self._left -= 1
        if self._left:
            return False
        self._done.release()
        self._asked.acquire()
        return self._closing

    def step(self, count: int = 1) -> StepRecord:
        """Do some steps, and return the record of the last."""
        if self._error is not None:
            raise self._error
        start, self._left = time.process_time(), count
        self._asked.release()
        self._done.acquire()
        if self._error is not None:
            raise self._error
        if len(self.records) == count:
            self.first_seconds = time.process_time() - start
        return self.records[-1]

    @property
    def network(self) -> TwoLayerNetwork:
        """The network as it is now."""
        return self._network()

    @property
    def found(self) -> AttackResult:
        """What the adversary found in the last step."""
        return cast(AttackResult, self._adversary.last)

    def checked_step(self) -> int:
        """Do one step and compare it with that of real arithmetic."""
        before = self.network
        record = self.step()
        slopes = get_loss(self._loss).derivative(self._y, self.found.value)
        moves = -self._eta / len(self._y) * slopes
        wrong, active = wrong_moves(before, self.network, self.found.X, moves)
        counted = round(record.activity_mean * before.m * len(self._y))
        return max(wrong, abs(active - counted))

    def close(self) -> str:
        """End the run."""
        self._closing = True
        self._asked.release()
        self._thread.join()
        return self.method

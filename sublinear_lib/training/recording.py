"""What Theorem D reads of a run: the points that the adversary chose, and the weights they met.

The trainer keeps numbers, not matrices (:mod:`sublinear_lib.training.history`); the proof of
Theorem D needs ``S^(t)`` and ``W_t`` themselves.  `RecordedRun` stands between the trainer and any
adversary and keeps both.  Before using it on a large network, know that it holds T + 1 copies of W.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sublinear_lib._typing import FloatArray, Seed
from sublinear_lib.adversary import Adversary, AttackResult, Objective, Target, margin_of
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training.history import StepRecord

__all__ = ["RecordedRun"]


class RecordedRun:
    """An adversary that passes another one on and keeps what it found, for one run.

    Source: Algorithm 1, lines 11 and 19.  Give it to a trainer as its adversary and its method
    `look` as the callback.
    """

    def __init__(self, adversary: Adversary, initial: TwoLayerNetwork) -> None:
        given: object = adversary
        if not callable(given) or not hasattr(given, "rho"):
            raise TypeError(
                f"adversary must be callable and have an attribute rho, got {type(given).__name__}"
            )
        if not isinstance(initial, TwoLayerNetwork):
            raise TypeError(f"initial must be a TwoLayerNetwork, got {type(initial).__name__}")
        self._adversary = adversary
        self.points: list[FloatArray] = []
        self.weights: list[FloatArray] = [np.array(initial.W)]

    @property
    def rho(self) -> float:
        """Radius of the caps of the adversary passed on."""
        return self._adversary.rho

    def margin(self, weight_scale: float) -> float:
        """Return how far below the threshold the adversary passed on looks."""
        return margin_of(self._adversary, weight_scale)

    def __call__(
        self, network: Target, X: object, y: object, loss: str | Objective, rng: Seed
    ) -> AttackResult:
        """Attack a batch with the adversary passed on, and keep its points."""
        result = self._adversary(network, X, y, loss, rng)
        self.points.append(np.array(result.X))
        return result

    def look(self, record: StepRecord, network: Callable[[], TwoLayerNetwork]) -> None:
        """Keep the weights after a step; a callback of the trainer."""
        self.weights.append(np.array(network().W))

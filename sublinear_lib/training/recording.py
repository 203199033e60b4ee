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

    Parameters
    ----------
    adversary : Adversary
        The adversary to pass on.
    initial : TwoLayerNetwork
        The network that the run begins with.

    Attributes
    ----------
    points : list of ndarray of float64, shape (n, d)
        What the adversary returned, one entry per step.
    weights : list of ndarray of float64, shape (m, d)
        ``W_0``, and one more entry per step.

    Raises
    ------
    TypeError
        If `adversary` is no adversary or `initial` no network.

    Notes
    -----
    Source: Algorithm 1, lines 11 and 19.  Give it to a trainer as its adversary and its method
    `look` as the callback.

    Examples
    --------
    >>> from sublinear_lib import datasets
    >>> from sublinear_lib.adversary import IdentityAdversary
    >>> from sublinear_lib.training import DenseAdversarialTraining
    >>> data = datasets.circle(4)
    >>> start = TwoLayerNetwork.initialize(64, 3, rng=0)
    >>> kept = RecordedRun(IdentityAdversary(), start)
    >>> train = DenseAdversarialTraining(adversary=kept, steps=3)
    >>> history = train.fit(start, data.X, data.y, rng=0, callback=kept.look)
    >>> len(kept.points), len(kept.weights), bool((kept.weights[-1] == history.final.W).all())
    (3, 4, True)
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
        """Return how far below the threshold the adversary passed on looks.

        Parameters
        ----------
        weight_scale : float
            Root mean square of the hidden weights, the last column left out.

        Returns
        -------
        float
            Its margin, 0 if it has none.
        """
        return margin_of(self._adversary, weight_scale)

    def __call__(
        self, network: Target, X: object, y: object, loss: str | Objective, rng: Seed
    ) -> AttackResult:
        """Attack a batch with the adversary passed on, and keep its points.

        Parameters
        ----------
        network : TwoLayerNetwork or PointEvaluator
            What is attacked.
        X : array-like, shape (n, d)
            Clean points.
        y : array-like, shape (n,)
            Labels.
        loss : str or Objective
            What the attack makes large.
        rng : int, SeedSequence or Generator
            Source of randomness.

        Returns
        -------
        AttackResult
            What the adversary returned, unchanged.
        """
        result = self._adversary(network, X, y, loss, rng)
        self.points.append(np.array(result.X))
        return result

    def look(self, record: StepRecord, network: Callable[[], TwoLayerNetwork]) -> None:
        """Keep the weights after a step; a callback of the trainer.

        Parameters
        ----------
        record : StepRecord
            The step; it is not used.
        network : callable
            Returns the present network.
        """
        self.weights.append(np.array(network().W))

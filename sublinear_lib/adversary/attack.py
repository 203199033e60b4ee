"""What all attacks have in common: how they are called, and what they check first.

An attack (an adversary of Definition 3.3 that looks for a bad point) is a frozen object with a
radius `rho`; calling it checks the arguments and hands a `Batch` to its one method, `_attack`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

import numpy as np

from sublinear_lib import validation
from sublinear_lib._typing import Seed
from sublinear_lib.adversary.progress import progress_bar
from sublinear_lib.adversary.protocol import AttackResult, Batch, Objective, Target, prepare

__all__ = ["CapAttack"]


class CapAttack(ABC):
    """An adversary that looks for a bad point in each cap."""

    def __call__(
        self,
        network: Target,
        X: object,
        y: object,
        loss: str | Objective,
        rng: Seed,
        *,
        progress: bool = False,
    ) -> AttackResult:
        """Attack every example.

        Parameters
        ----------
        network : TwoLayerNetwork or PointEvaluator
            The network, or an evaluator made for the caps of this batch.  The exact attacks need
            the network itself, or an evaluator that knows it, such as that of a trainer.
        X : array-like, shape (n, d)
            Clean points on the slice.
        y : array-like, shape (n,)
            Labels, ``|y| <= 1``.
        loss : str or Objective
            What to maximize.
        rng : int, SeedSequence or Generator
            Source of randomness, checked also where none is used.
        progress : bool, default False
            Whether to show a progress bar.  Ctrl-C ends the attack without a result; apart from a
            generator that was passed in, which has moved on, nothing is changed then.

        Returns
        -------
        AttackResult
            The best points found.

        Raises
        ------
        TypeError, ValueError
            If an argument has a wrong type, shape or value.
        FloatingPointError
            If the network has an output that is not finite.
        """
        generator = validation.generator(rng)
        wanted = validation.boolean(progress, "progress")
        batch = prepare(network, X, y, loss)
        with progress_bar(self._parts(batch), type(self).__name__, wanted) as tick:
            return self._attack(replace(batch, tick=tick), generator)

    def _parts(self, batch: Batch) -> int | None:
        """Return how often an attack on the batch ticks, if that is known."""
        return None

    @abstractmethod
    def _attack(self, batch: Batch, generator: np.random.Generator) -> AttackResult:
        """Find the best points; the arguments are checked."""

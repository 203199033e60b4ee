"""What all attacks have in common: how they are called, and what they check first.

An attack (an adversary of Definition 3.3 that looks for a bad point) is a frozen object with a
radius `rho`; calling it checks the arguments and hands a `Batch` to its one method, `_attack`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from sublinear_lib import validation
from sublinear_lib._typing import Seed
from sublinear_lib.adversary.protocol import AttackResult, Batch, Objective, Target, prepare

__all__ = ["CapAttack"]


class CapAttack(ABC):
    """An adversary that looks for a bad point in each cap."""

    def __call__(
        self, network: Target, X: object, y: object, loss: str | Objective, rng: Seed
    ) -> AttackResult:
        """Attack every example.

        Parameters
        ----------
        network : TwoLayerNetwork or PointEvaluator
            The network, or an evaluator made for the caps of this batch.  The exact attacks need
            the network itself.
        X : array-like, shape (n, d)
            Clean points on the slice.
        y : array-like, shape (n,)
            Labels, ``|y| <= 1``.
        loss : str or Objective
            What to maximise.
        rng : int, SeedSequence or Generator
            Source of randomness, checked also where none is used.

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
        return self._attack(prepare(network, X, y, loss), generator)

    @abstractmethod
    def _attack(self, batch: Batch, generator: np.random.Generator) -> AttackResult:
        """Find the best points; the arguments are checked."""

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
    """An adversary that looks for a bad point in each cap.

    An attack of your own has a radius ``rho`` and a method ``_attack(batch, generator)``.  It asks
    ``batch.evaluator`` for the network, be it one or an evaluator of a trainer, and
    ``batch.score(f)`` for what it maximizes; its points must lie in the caps around ``batch.X``.

    Examples
    --------
    >>> from sublinear_lib import adversary, datasets, geometry, network, training
    >>> class OneRandomPoint(CapAttack):
    ...     rho = 0.2
    ...
    ...     def _attack(self, batch, generator):
    ...         clean = batch.evaluator.value(batch.X)
    ...         points = geometry.sample_caps(batch.X, self.rho, generator)
    ...         moved = batch.evaluator.value(points)
    ...         better = batch.score(moved) > batch.score(clean)
    ...         value = np.where(better, moved, clean)
    ...         points = np.where(better[:, None], points, batch.X)
    ...         return AttackResult(points, batch.score(value), value, clean)

    It trains like the others, and is scored beside a strong one at points that it did not see:

    >>> train, test = datasets.load_split("digits-3v8", 0.25, rng=0)
    >>> start = network.TwoLayerNetwork.initialize(256, train.d, rng=0, tau=0.1)
    >>> trainer = training.SublinearAdversarialTraining(adversary=OneRandomPoint(), steps=20)
    >>> final = trainer.fit(start, train.X, train.y, rng=0).final
    >>> scores = [
    ...     adversary.accuracy_under_attack(final, test.X, test.y, attack, rng=1)
    ...     for attack in (OneRandomPoint(), adversary.SmoothedGradient(rho=0.2))
    ... ]
    >>> scores[0] > scores[1]
    True
    """

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

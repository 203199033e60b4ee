"""Random search in the cap: the control that every gradient attack has to beat.

An attack that finds no more than the best of as many random points has followed a direction that
says nothing about the network; on a jump network the formal gradient comes close to that.  Like all
adversaries of Definition 3.3 it gives a lower bound of the worst case.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sublinear_lib import geometry
from sublinear_lib._arguments import Count, Nonnegative
from sublinear_lib.adversary.ascent import Search
from sublinear_lib.adversary.protocol import AttackResult, Batch, CapAttack

__all__ = ["RandomSearch"]


@dataclass(frozen=True, kw_only=True)
class RandomSearch(CapAttack):
    """The best of some uniformly random points of each cap.

    Parameters
    ----------
    rho : float
        Radius of the cap, a Euclidean chord length, ``>= 0`` (``sqrt(3)`` and more: all of X).
    samples : int, default 320
        Random points per example, ``>= 1``.

    Raises
    ------
    TypeError, ValueError
        If a parameter has a wrong type or is out of range.

    Notes
    -----
    Cost: ``samples + 1`` values.  The points of one example do not depend on the others' losses, so
    more samples from the same seed never find less.

    Examples
    --------
    >>> from sublinear_lib.network import TwoLayerNetwork
    >>> network = TwoLayerNetwork([[0.0, 1.0, 0.0]], [1.0], [0.0], tau=0.1)
    >>> attack = RandomSearch(rho=0.3)
    >>> result = attack(network, [[3**0.5 / 2, 0.0, 0.5]], [-1.0], "absolute", rng=0)
    >>> bool(0.29 < result.value[0] < 0.2955)  # the largest value is at the rim
    True
    """

    rho: Nonnegative
    samples: Count = 320

    def _parts(self, batch: Batch) -> int:
        return self.samples + 1

    def _attack(self, batch: Batch, generator: np.random.Generator) -> AttackResult:
        search = Search(batch)
        for _ in range(self.samples):
            points = geometry.sample_caps(batch.X, self.rho, generator)
            search.see(points, batch.evaluator.value(points))
        return search.result()

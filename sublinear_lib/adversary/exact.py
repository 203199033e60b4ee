"""The best adversary there is, ``A*`` of Definition 3.4, wherever it can be computed.

In few dimensions the worst point of a cap can be found and not only searched for: X is two points
for d = 2, a circle for d = 3 and a 2-sphere for d = 4.  `ExactAdversary` takes the method that the
dimension asks for, so that a run "against A*" is written in the same way for all three.  Know
before training against it: it knows all m neurons, so such a step costs ``O(m log m)`` at least,
whatever the index saves elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sublinear_lib import geometry
from sublinear_lib._arguments import Nonnegative, Positive
from sublinear_lib.adversary.ascent import Search, stay
from sublinear_lib.adversary.circle import ExactOnCircle
from sublinear_lib.adversary.protocol import AttackResult, Batch, CapAttack
from sublinear_lib.adversary.sphere import ExactOnSphere

__all__ = ["ExactAdversary"]


@dataclass(frozen=True, kw_only=True)
class ExactAdversary(CapAttack):
    """The worst point of every cap, for d = 2, 3 and 4.

    Parameters
    ----------
    rho : float
        Radius of the caps, a Euclidean chord length, ``>= 0``.
    time_limit : float, default 10
        For d = 4: most seconds for each of the two extremes of an example, ``> 0``.

    Raises
    ------
    TypeError, ValueError
        If a parameter is of the wrong type or out of range; when called, if ``d > 4``.

    Notes
    -----
    d = 2: X consists of two points, at a distance of ``sqrt(3)``; a smaller cap is its middle, and
    a larger one is both.  d = 3: `ExactOnCircle`.  d = 4: `ExactOnSphere`.  Where the supremum of
    the loss is not attained, the point lies next to the place where it is approached.  Beyond
    d = 4, :func:`sublinear_lib.adversary.robust_loss` brackets what cannot be computed.  Source:
    ``A*`` of Definition 3.4.

    Examples
    --------
    >>> from sublinear_lib.network import TwoLayerNetwork
    >>> network = TwoLayerNetwork([[-1.0, 0.0]], [1.0], [0.0], tau=0.5)
    >>> x = [[3**0.5 / 2, 0.5]]
    >>> ExactAdversary(rho=1.7)(network, x, [-1.0], "absolute", rng=0).value  # only x itself
    array([0.])
    >>> ExactAdversary(rho=1.8)(network, x, [-1.0], "absolute", rng=0).value.round(4)
    array([0.866])
    """

    rho: Nonnegative
    time_limit: Positive = 10.0

    def _parts(self, batch: Batch) -> int | None:
        return self._method(batch)._parts(batch)

    def _attack(self, batch: Batch, generator: np.random.Generator) -> AttackResult:
        return self._method(batch)._attack(batch, generator)

    def _method(self, batch: Batch) -> CapAttack:
        d = batch.X.shape[1]
        if d == 2:
            return _BothPoints(rho=self.rho)
        if d == 3:
            return ExactOnCircle(rho=self.rho)
        if d == 4:
            return ExactOnSphere(rho=self.rho, time_limit=self.time_limit)
        raise ValueError(
            f"X must have at most 4 columns for the exact adversary, got d = {d}: SmoothedGradient "
            "searches in any dimension, and robust_loss brackets the worst case"
        )


@dataclass(frozen=True, kw_only=True)
class _BothPoints(CapAttack):
    """Enumeration for d = 2: both points of X, if both are in the cap."""

    rho: float

    def _parts(self, batch: Batch) -> int:
        return 1 if self.rho < geometry.SLICE_DIAMETER else 2

    def _attack(self, batch: Batch, generator: np.random.Generator) -> AttackResult:
        if self.rho < geometry.SLICE_DIAMETER:
            return stay(batch)
        search = Search(batch)
        points = batch.X * np.array([-1.0, 1.0])
        search.see(points, batch.evaluator.value(points))
        return search.result()

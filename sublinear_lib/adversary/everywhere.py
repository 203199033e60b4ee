r"""The largest worst gap over all of X, exactly on the circle: ``sup_x sup_W |f - g - B|``, d = 3.

Theorem 4.1 = C.1 and Theorem A speak of all inputs and all weights of a ball at once.  The inner
supremum is a network (`sublinear_lib.theory.worst_gap_network`), and this module looks for its
largest value with `CircleWave`.  Before changing it, know that one side alone is not enough: where
f exceeds g most is not where g exceeds f most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary.circle import CircleWave
from sublinear_lib.geometry import embed
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory import worst_gap_network

__all__ = ["GapEverywhere", "worst_gap_everywhere"]

Side = Literal["above", "below"]
_SIDES: tuple[Side, Side] = ("above", "below")


@dataclass(frozen=True)
class GapEverywhere:
    """The supremum of ``|f - g - B|`` over the circle and over the ball of weights.

    Attributes
    ----------
    sup : float
        The supremum, up to the rounding of a sum of m numbers.
    upper : float
        A certified bound of the real supremum.
    angle : float
        Where it is attained, radians.
    side : {"above", "below"}
        Whether f is above g there, or below.
    """

    sup: float
    upper: float
    angle: float
    side: Side

    @property
    def x(self) -> FloatArray:
        """The input at which it is attained, shape (3,)."""
        return np.asarray(embed(np.array([[math.cos(self.angle), math.sin(self.angle)]]))[0])


def worst_gap_everywhere(network: TwoLayerNetwork, delta: float) -> GapEverywhere:
    r"""Compute ``sup_x sup_W |f - g - B|`` over all inputs and all weights of a ball (d = 3).

    Parameters
    ----------
    network : TwoLayerNetwork
        The network at initialization, ``d = 3``, with the continuous activation.
    delta : float
        Radius of the ball, ``>= 0``, absolute units.

    Returns
    -------
    GapEverywhere
        The supremum, its certified upper end, and where it is.

    Raises
    ------
    TypeError, ValueError
        If the network has another dimension or the jump, or the radius is negative.

    Notes
    -----
    Source: Theorem A of this project, which bounds it; Theorem C.1, which states it for
    ``f - g``.  Cost: ``O(m log m)``; about a second for a million neurons.

    Examples
    --------
    >>> start = TwoLayerNetwork.initialize(512, 3, "R3", rng=0)
    >>> found = worst_gap_everywhere(start, 0.02)
    >>> from sublinear_lib.theory import worst_gap_at
    >>> gap = worst_gap_at(start, found.x, 0.02)
    >>> there = {"above": gap.above - gap.initial_output, "below": gap.below + gap.initial_output}
    >>> abs(there[found.side] - found.sup) < 1e-9
    True
    """
    ends = [
        CircleWave.of_network(worst_gap_network(network, delta, side, centered=True)).extremes(
            0.0, math.pi
        )
        for side in _SIDES
    ]
    side, best = max(zip(_SIDES, ends, strict=True), key=lambda found: found[1].sup)
    return GapEverywhere(
        sup=best.sup,
        upper=max(end.upper for end in ends),
        angle=best.angle_sup,
        side=side,
    )

"""What the bracketing methods share: their arguments, the best point so far, what is decided.

A lower bound of the worst case of Definition 3.4 is the value of the network at a point of the cap.
Know before changing it: every point is judged by the network itself, after it was moved into the
cap, so whatever a method proposes, the lower bound is a value that f really has there.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sublinear_lib import geometry
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary.relaxation import CapRelaxation
from sublinear_lib.network import TwoLayerNetwork

__all__ = ["Bracket", "Bracketing", "Incumbent", "Status", "decided"]

Status = Literal["exact", "certified", "falsified", "unknown"]
"""What a bracket has decided; see `Bracket`."""


@dataclass(frozen=True, eq=False)
class Bracket:
    """Bounds of a supremum over a cap.

    Parameters
    ----------
    lower, upper : float
        ``lower <= sup <= upper``, always; `lower` is the value at the witness.
    witness : ndarray of float64, shape (d,)
        A point of the cap with the value `lower`.
    status : {"exact", "certified", "falsified", "unknown"}
        ``"exact"``: the bracket is as narrow as was asked.  When a threshold was given:
        ``"certified"`` if ``upper <= threshold``, ``"falsified"`` if ``lower > threshold``.
        ``"unknown"``: neither, within the limits.
    method : str
        How the bracket was found.
    nodes : int
        Pieces that were bounded.
    seconds : float
        Wall time.
    """

    lower: float
    upper: float
    witness: FloatArray
    status: Status
    method: str
    nodes: int
    seconds: float

    def __post_init__(self) -> None:
        """Refuse bounds in the wrong order: a bug must not look like a result."""
        if not self.lower <= self.upper:
            raise ValueError(
                f"lower must be at most upper, got lower {self.lower!r} and upper {self.upper!r}"
            )


class Incumbent:
    """The best point of a cap met so far."""

    def __init__(
        self,
        network: TwoLayerNetwork,
        middle: FloatArray,
        rho: float,
        side: int,
        start: FloatArray | None,
    ) -> None:
        self._network, self._middle, self._rho, self._side = network, middle, rho, side
        self.value = -math.inf
        self.witness = middle
        points = middle[None, :]
        self.offer(points if start is None else np.concatenate((points, start)))

    def offer(self, points: FloatArray) -> None:
        """Look at the points of the cap next to the given ones."""
        middles = np.broadcast_to(self._middle, points.shape)
        inside = geometry.project_to_caps(points, middles, self._rho)
        values = self._side * self._network.forward(inside)
        best = inside[int(np.argmax(values))]
        # Once more alone: in a batch the last digit may differ.
        value = float(self._side * self._network.forward(best[None, :])[0])
        if value > self.value:
            self.value, self.witness = value, best


class Bracketing:
    """A supremum while it is bracketed: what was asked, the best point met, and the clock.

    The arguments are those of `bracket`, checked; `start`, shape (k, d), are points of the cap.
    """

    def __init__(
        self,
        network: TwoLayerNetwork,
        middle: FloatArray,
        rho: float,
        side: int,
        start: FloatArray | None,
        *,
        tol: float = 1e-3,
        threshold: float | None = None,
        time_limit: float = 10.0,
        max_nodes: int = 100_000,
    ) -> None:
        self.begun = time.monotonic()
        self.relaxation = CapRelaxation(network, middle, rho, side)
        self.middle, self.rho = middle, rho
        self.tol, self.level = tol, threshold
        self.seconds, self._most = time_limit, max_nodes
        self.best = Incumbent(network, middle, rho, side, start)

    def closed(self, upper: float) -> bool:
        """Return whether an upper bound answers the question."""
        best, level = self.best.value, self.level
        known = level is not None and (upper <= level or best > level)
        return upper - best <= self.tol or known

    def over(self, nodes: int) -> bool:
        """Return whether time is up, or pieces enough were bounded."""
        return nodes >= self._most or time.monotonic() - self.begun > self.seconds

    def bracket(self, upper: float, method: str, nodes: int) -> Bracket:
        """Return what was found."""
        return Bracket(
            lower=self.best.value,
            upper=upper,
            witness=self.best.witness,
            status=decided(self.best.value, upper, self.tol, self.level),
            method=method,
            nodes=nodes,
            seconds=time.monotonic() - self.begun,
        )


def decided(lower: float, upper: float, width: float, level: float | None) -> Status:
    """Say what a bracket has decided."""
    if level is None:
        return "exact" if upper - lower <= width else "unknown"
    if lower > level:
        return "falsified"
    return "certified" if upper <= level else "unknown"

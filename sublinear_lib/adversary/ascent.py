"""What the gradient attacks share: turning points of X, staying in the cap, keeping the best.

The adversary of Definition 3.3 may be anything that stays in its cap.  The attacks of this package
walk along great circles of X, one batch at a time, and differ only in the direction they ask for;
`Ascent` is their common walk and `Search` remembers the best point of every example.  Know before
changing it: the first point that reaches a loss is kept, and the clean point always takes part, so
an attack never makes an example better for the network.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sublinear_lib import geometry
from sublinear_lib._arguments import Count, Flag, Nonnegative, Positive
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary.protocol import AttackResult, Batch, CapAttack
from sublinear_lib.evaluation import kernels_in_use
from sublinear_lib.losses import (
    LOSSES,
    AbsoluteLoss,
    EpsilonInsensitiveLoss,
    HuberLoss,
    LogCoshLoss,
)

__all__ = ["Ascent", "Direction", "Search", "climb_at_once", "stay", "turn"]

# The parameter of each loss that the compiled walk knows.
_PARAMETERS: dict[type[Any], str] = {
    AbsoluteLoss: "",
    HuberLoss: "delta",
    LogCoshLoss: "scale",
    EpsilonInsensitiveLoss: "epsilon",
}

Direction = Callable[[FloatArray, int], tuple[FloatArray, FloatArray]]
"""Points and the number of the step in; values of the network and ambient directions out."""


@dataclass(frozen=True, kw_only=True)
class Ascent(CapAttack):
    """An attack that walks uphill several times per example and returns the best points met."""

    rho: Nonnegative
    steps: Count = 5
    relative_step: Positive = 0.5
    restarts: Count = 1
    random_start: Flag = False
    decay: Flag = True

    def _parts(self, batch: Batch) -> int:
        return self.restarts * (self.steps + 1) + int(self.random_start)

    @property
    def _sizes(self) -> FloatArray:
        """The angles of the steps of one walk."""
        first = self.relative_step * geometry.cap_angle(self.rho)
        if not self.decay:
            return np.full(self.steps, first)
        return np.array([first * (1.0 - step / self.steps) for step in range(self.steps)])

    def _ascend(
        self, batch: Batch, generator: np.random.Generator, direction: Direction
    ) -> AttackResult:
        search, uphill, sizes = Search(batch), _steps(batch, self.rho), self._sizes.tolist()
        for run in range(self.restarts):
            search.run = run
            moved = run > 0 or self.random_start
            points = geometry.sample_caps(batch.X, self.rho, generator) if moved else batch.X
            for step, size in enumerate(sizes):
                value, gradient = direction(points, step)
                search.see(points, value)
                points = uphill(points, gradient, batch.slope(value), size)
            search.see(points, batch.evaluator.value(points))
        return search.result()


def climb_at_once(batch: Batch, *, rho: float, sizes: FloatArray) -> AttackResult | None:
    """Walk uphill once per example, from the clean point along gradients, in one compiled call."""
    at_once: Any = getattr(batch.evaluator, "climb", None)
    objective = batch.objective
    kind = type(objective)
    if at_once is None or kind not in _PARAMETERS or batch.X.shape[1] < 3:
        return None
    loss = LOSSES.index(kind.name), float(getattr(objective, _PARAMETERS[kind], 0.0))
    found = at_once(batch.X, batch.y, loss, sizes, rho)
    if found is None:
        return None
    for _ in range(len(sizes) + 1):
        batch.tick()
    runs = np.where(found.step == 0, -1, 0)
    scores = batch.score(found.value)
    return AttackResult(found.X, scores, found.value, found.clean, runs, len(sizes) + 1)


_Step = Callable[[FloatArray, FloatArray, FloatArray, float], FloatArray]
"""Points, gradients, slopes and angle in; the next points out."""


def _steps(batch: Batch, rho: float) -> _Step:
    """Return the function that walks one step and goes back to the caps."""
    anchors = batch.X

    def in_arrays(
        points: FloatArray, gradient: FloatArray, slopes: FloatArray, size: float
    ) -> FloatArray:
        points = turn(points, slopes[:, None] * gradient, size)
        steps = points - anchors
        outside = np.flatnonzero(np.einsum("ij,ij->i", steps, steps) > rho * rho)
        if outside.size:
            points[outside] = geometry.project_to_caps(points[outside], anchors[outside], rho)
        return points

    # The canonical order of sums has only this one.
    canonical = getattr(batch.evaluator, "strict", False)
    if canonical or anchors.shape[1] < 3 or kernels_in_use() == "numpy":
        return in_arrays

    from sublinear_lib.adversary.kernels_numba import step_uphill

    cosine, sine = math.cos(geometry.cap_angle(rho)), math.sin(geometry.cap_angle(rho))
    centers = _writeable(anchors)

    def compiled(
        points: FloatArray, gradient: FloatArray, slopes: FloatArray, size: float
    ) -> FloatArray:
        turned = np.empty_like(centers)
        lost = np.empty(len(centers), dtype=np.int64)
        arrays = _writeable(points), centers, _writeable(gradient), _writeable(slopes)
        count = step_uphill(*arrays, size, rho, cosine, sine, turned, lost)
        if count:
            rows = lost[:count]
            turned[rows] = geometry.project_to_caps(turned[rows], anchors[rows], rho)
        return turned

    return compiled


def _writeable(array: FloatArray) -> FloatArray:
    """Return an array for which the loop is compiled: not read-only, and contiguous."""
    flags = array.flags
    return array if flags.writeable and flags.c_contiguous else array.copy()


def stay(batch: Batch) -> AttackResult:
    """Return the clean points."""
    value = batch.evaluator.value(batch.X)
    batch.tick()
    nobody = np.full(len(value), -1, dtype=np.int64)
    return AttackResult(batch.X.copy(), batch.score(value), value, value, nobody, 1)


def turn(points: FloatArray, ascent: FloatArray, angle: float) -> FloatArray:
    """Turn points along great circles of X."""
    V = points[:, :-1] / geometry.SLICE_RADIUS
    G = ascent[:, :-1]
    tangent = G - np.einsum("ij,ij->i", G, V)[:, None] * V
    length = np.sqrt(np.einsum("ij,ij->i", tangent, tangent))
    # What is left of a gradient parallel to the point is rounding: no direction to follow.
    still = length <= 1e-13 * np.sqrt(np.einsum("ij,ij->i", G, G))
    moved = np.cos(angle) * V + (np.sin(angle) / np.where(still, 1.0, length))[:, None] * tangent
    norms = np.sqrt(np.einsum("ij,ij->i", moved, moved))
    turned = points.copy()
    turned[:, :-1] = (geometry.SLICE_RADIUS / norms)[:, None] * moved
    turned[still] = points[still]
    return turned


class Search:
    """The best point of every example among all that were seen, the clean one included."""

    def __init__(self, batch: Batch) -> None:
        self.run = 0
        self._queries = 0
        self._best_run = np.full(len(batch.X), -1, dtype=np.int64)
        self._batch = batch
        self._clean: FloatArray | None = None
        self._X = batch.X.copy()
        self._value = np.zeros(len(batch.X))
        self._loss = np.full(len(batch.X), -np.inf)

    def see(self, points: FloatArray, value: FloatArray) -> None:
        """Show a batch of points with the outputs of the network there."""
        clean = points is self._batch.X
        if clean:
            self._clean = value
        elif self._clean is None:
            self.see(self._batch.X, self._batch.evaluator.value(self._batch.X))
        loss = self._batch.score(value)
        # The first point is the clean one: there the search begins, whatever the objective is.
        better = (loss > self._loss) | (self._queries == 0)
        self._queries += 1
        np.copyto(self._best_run, -1 if clean else self.run, where=better)
        np.copyto(self._loss, loss, where=better)
        np.copyto(self._value, value, where=better)
        np.copyto(self._X, points, where=better[:, None])
        self._batch.tick()

    def result(self) -> AttackResult:
        """Return what was found."""
        assert self._clean is not None
        return AttackResult(
            self._X, self._loss, self._value, self._clean, self._best_run, self._queries
        )

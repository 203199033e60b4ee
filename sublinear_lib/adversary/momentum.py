"""Gradient ascent with momentum and a step size that adapts itself, on the sphere.

Fixed schedules need tuning; the schedule of Auto-PGD [Croce and Hein 2020] halves the step where an
example stops improving and goes on from its best point.  Here it runs on caps of X (Definition 3.3)
along plain or smoothed gradients, for every example with its own step size.  Know before changing
it: all decisions are per example, so the result for an example does not depend on its batch, except
through the order in which random starts are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sublinear_lib import geometry, validation
from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.adversary.ascent import Search, turn
from sublinear_lib.adversary.attack import CapAttack
from sublinear_lib.adversary.protocol import AttackResult, Batch
from sublinear_lib.adversary.smoothed_gradient import SmoothedGradient

__all__ = ["AdaptiveMomentum"]

_MOMENTUM = 0.75
_ENOUGH_PROGRESS = 0.75
# In per cent of the steps of a run: the first stretch, by how much each is shorter, the shortest.
_FIRST_STRETCH = 22
_SHORTER = 3
_SHORTEST = 6


def checkpoints(steps: int) -> list[int]:
    """Return the steps after which the step sizes are reconsidered.

    Parameters
    ----------
    steps : int
        Number of steps of a run.

    Returns
    -------
    list of int
        Ascending; 22, 41, 57, 70, ... per cent of the steps, rounded up, as in Auto-PGD.
    """
    found: list[int] = []
    stretch = percent = _FIRST_STRETCH
    while percent <= 100:
        step = -(-percent * steps // 100)
        if step < steps and step not in found:
            found.append(step)
        stretch = max(stretch - _SHORTER, _SHORTEST)
        percent += stretch
    return found


@dataclass(frozen=True, kw_only=True)
class AdaptiveMomentum(CapAttack):
    """Riemannian ascent with momentum on the cap, each example with its own step size.

    Parameters
    ----------
    rho : float
        Radius of the cap, a Euclidean chord length, ``>= 0`` (``sqrt(3)`` and more: all of X).
    steps : int, default 100
        Steps per run, ``>= 1``.
    restarts : int, default 1
        Number of runs, ``>= 1``.  All but the first start at a uniformly random point of the cap.
    random_start : bool, default False
        Whether the first run starts at a random point too; by default it starts at the clean one.
    smoothed : bool, default True
        Whether to follow smoothed gradients (:class:`SmoothedGradient`) or the formal ones.

    Raises
    ------
    TypeError, ValueError
        If a parameter has a wrong type or is out of range.

    Notes
    -----
    The first step is the diameter of the cap, cut to a right angle.  At the checkpoints an example
    whose loss rose in fewer than three quarters of the steps, or whose best loss and step have not
    changed since the last one, halves its step and goes on from its best point.  The windows of
    smoothed gradients shrink as in `SmoothedGradient`.

    Source: the schedule of Auto-PGD [Croce and Hein, ICML 2020], without its sign step, on the
    sphere; the adversary of Definition 3.3.

    Examples
    --------
    >>> from sublinear_lib.network import TwoLayerNetwork
    >>> network = TwoLayerNetwork([[0.0, 1.0, 0.0]], [1.0], [0.0], tau=0.1)
    >>> x = [[3**0.5 / 2, 0.0, 0.5]]
    >>> AdaptiveMomentum(rho=0.3)(network, x, [-1.0], "absolute", rng=0).value.round(4)
    array([0.2955])
    """

    rho: float
    steps: int = 100
    restarts: int = 1
    random_start: bool = False
    smoothed: bool = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        checked = {
            "rho": validation.scalar(self.rho, "rho", minimum=0),
            "steps": validation.count(self.steps, "steps"),
            "restarts": validation.count(self.restarts, "restarts"),
            "random_start": validation.boolean(self.random_start, "random_start"),
            "smoothed": validation.boolean(self.smoothed, "smoothed"),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def margin(self, weight_scale: float) -> float:
        """Return how far below the threshold the attack looks at neurons.

        Parameters
        ----------
        weight_scale : float
            Root mean square of the hidden weights, the last column left out.

        Returns
        -------
        float
            The widest window, in units of a pre-activation; 0 for formal gradients.
        """
        return self._windows(weight_scale)[0] if self.smoothed else 0.0

    def _parts(self, batch: Batch) -> int:
        return self.restarts * (self.steps + 1) + int(self.random_start)

    def _attack(self, batch: Batch, generator: np.random.Generator) -> AttackResult:
        search = Search(batch)
        for run in range(self.restarts):
            search.run = run
            moved = run > 0 or self.random_start
            start = geometry.sample_caps(batch.X, self.rho, generator) if moved else batch.X
            self._run(batch, search, start)
        return search.result()

    def _windows(self, weight_scale: float) -> list[float]:
        """Return the half-width of the window at each step."""
        schedule = SmoothedGradient(rho=self.rho, steps=self.steps)
        return [float(width) for width in schedule.windows(weight_scale)]

    def _run(self, batch: Batch, search: Search, start: FloatArray) -> None:
        evaluator, n = batch.evaluator, len(batch.X)
        windows = self._windows(evaluator.weight_scale)
        smoothed = self.smoothed and windows[0] > 0.0
        progress = _Progress(n, min(2.0 * geometry.cap_angle(self.rho), 0.5 * np.pi))
        reconsider = set(checkpoints(self.steps))
        points = before = start
        for step in range(self.steps):
            if smoothed:
                gradient = evaluator.smoothed_input_gradient(points, windows[step])
                value = evaluator.value(points)
            else:
                value, gradient = evaluator.value_and_input_gradient(points)
            search.see(points, value)
            ascent = batch.slope(value)[:, None] * gradient
            progress.see(points, ascent, batch.score(value))
            if step in reconsider:
                stuck = progress.reconsider()[:, None]
                points = np.where(stuck, progress.best, points)
                ascent = np.where(stuck, progress.ascent, ascent)
                before = np.where(stuck, points, before)
            uphill = turn(points, ascent, progress.size)
            ahead = points + _MOMENTUM * (uphill - points) + (1.0 - _MOMENTUM) * (points - before)
            before, points = (
                points,
                geometry.project_to_caps(geometry.project_to_slice(ahead), batch.X, self.rho),
            )
        search.see(points, evaluator.value(points))


class _Progress:
    """What the schedule remembers of every example."""

    def __init__(self, n: int, size: float) -> None:
        self.size = np.full(n, size)
        self.best = self.ascent = np.empty(0)
        self._loss = np.full(n, -np.inf)
        self._previous = np.full(n, -np.inf)
        self._rises = np.zeros(n, dtype=np.int64)
        self._steps = 0
        self._loss_before = np.full(n, -np.inf)
        self._shrunk = np.ones(n, dtype=np.bool_)

    def see(self, points: FloatArray, ascent: FloatArray, loss: FloatArray) -> None:
        """Note the next point of every example, and where its loss rises."""
        if not self.best.size:
            self.best, self.ascent = points.copy(), ascent.copy()
        else:
            self._rises += loss > self._previous
            self._steps += 1
        better = loss > self._loss
        self._loss[better] = loss[better]
        self.best[better], self.ascent[better] = points[better], ascent[better]
        self._previous = loss

    def reconsider(self) -> BoolArray:
        """Halve the steps of the examples that are stuck, and return which those are."""
        slow = self._rises < _ENOUGH_PROGRESS * self._steps
        unchanged = ~self._shrunk & (self._loss <= self._loss_before)
        stuck: BoolArray = slow | unchanged
        self.size[stuck] *= 0.5
        self._shrunk = stuck
        self._loss_before = self._loss.copy()
        self._rises[:] = 0
        self._steps = 0
        return stuck

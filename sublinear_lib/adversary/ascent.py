"""The gradient attacks: turning points of X, staying in the cap, keeping the best.

The adversary of Definition 3.3 may be anything that stays in its cap.  The attacks of this module
walk along great circles of X, one batch at a time, and differ only in the direction they ask for;
`Ascent` is their common walk and `Search` remembers the best point of every example.  Know before
changing it: the first point that reaches a loss is kept, and the clean point always takes part, so
an attack never makes an example better for the network.

`ProjectedGradient` is the usual attack: along the gradient of the loss, and back to the cap.  It is
a *lower* bound of the worst case, and for the jump activation a loose one: the formal gradient
ignores the jumps of height ``|a_r| tau``, which carry most of the change of f inside a cap, so that
plain gradient ascent overstates robustness.  `SmoothedGradient` follows the gradient of f with
every activation averaged over a window of pre-activations, which spreads each jump over the window,
and lets the window shrink from step to step; points are judged by the true network.  Know before
changing the window: neurons further below the threshold than its half-width contribute exactly 0,
and that is what allows an index query to serve the whole attack.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sublinear_lib import geometry, validation
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

__all__ = ["Ascent", "Direction", "ProjectedGradient", "Search", "SmoothedGradient", "stay", "turn"]

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
            moved = run > 0 or self.random_start
            points = geometry.sample_caps(batch.X, self.rho, generator) if moved else batch.X
            for step, size in enumerate(sizes):
                value, gradient = direction(points, step)
                search.see(points, value)
                points = uphill(points, gradient, batch.slope(value), size)
            search.see(points, batch.evaluator.value(points))
        return search.result()


def _climb_at_once(batch: Batch, *, rho: float, sizes: FloatArray) -> AttackResult | None:
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
    return AttackResult(found.X, batch.score(found.value), found.value, found.clean)


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
    return AttackResult(batch.X.copy(), batch.score(value), value, value)


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
        self._batch = batch
        self._clean: FloatArray | None = None
        self._X = batch.X.copy()
        self._value = np.zeros(len(batch.X))
        self._loss = np.full(len(batch.X), -np.inf)

    def see(self, points: FloatArray, value: FloatArray) -> None:
        """Show a batch of points with the outputs of the network there."""
        first = self._clean is None
        if points is self._batch.X:
            self._clean = value
        elif first:
            self.see(self._batch.X, self._batch.evaluator.value(self._batch.X))
            first = False
        loss = self._batch.score(value)
        # The first point is the clean one: there the search begins, whatever the objective is.
        better = (loss > self._loss) | first
        np.copyto(self._loss, loss, where=better)
        np.copyto(self._value, value, where=better)
        np.copyto(self._X, points, where=better[:, None])
        self._batch.tick()

    def result(self) -> AttackResult:
        """Return what was found."""
        assert self._clean is not None
        return AttackResult(self._X, self._loss, self._value, self._clean)


@dataclass(frozen=True, kw_only=True)
class ProjectedGradient(Ascent):
    """Riemannian gradient ascent of the loss on the cap, best point of all iterates and runs.

    Parameters
    ----------
    rho : float
        Radius of the cap, a Euclidean chord length, ``>= 0`` (``sqrt(3)`` and more: all of X).
    steps : int, default 5
        Steps per run, ``>= 1``.
    relative_step : float, default 0.5
        First step as a fraction of the angular radius of the cap, ``> 0``.
    restarts : int, default 1
        Number of runs, ``>= 1``.  All but the first start at a uniformly random point of the cap.
    random_start : bool, default False
        Whether the first run starts at a random point too; by default it starts at the clean one.
    decay : bool, default True
        Whether the steps shrink linearly to ``1 / steps`` of the first.

    Raises
    ------
    TypeError, ValueError
        If a parameter has a wrong type or is out of range.

    Notes
    -----
    Source: the adversary of Definition 3.3 (``x~ = A(f, x, y)`` in line 11 of Algorithm 1).

    With u the direction of x on ``S^{d-2}`` and ``q = l'(y, f) grad f`` without its last
    coordinate, a step turns u by the angle ``relative_step * alpha`` towards the part of q
    orthogonal to u, along the great circle, then returns to the cap.  Only the sign of ``l'``
    matters.  Where it is 0 (f = y, or inside the flat part of a loss) every direction is as good;
    the attack then walks against the label.  The first row that reaches an example's best loss is
    kept, per example (not per batch), over all iterates and runs; the clean point always takes
    part, so ``loss`` is never below the clean loss.  Randomness is drawn only for random starts.

    In dimension ``d = 2`` the set X consists of two points and there is no tangent to walk along:
    only random starts can find the other point.

    Cost: per run `steps` gradients and one value.

    Examples
    --------
    >>> from sublinear_lib.network import TwoLayerNetwork
    >>> network = TwoLayerNetwork([[0.0, 1.0, 0.0]], [1.0], [0.0], 0.0, "continuous")
    >>> attack = ProjectedGradient(rho=0.3)
    >>> result = attack(network, [[3**0.5 / 2, 0.0, 0.5]], [-1.0], "absolute", rng=0)
    >>> result.value.round(4)  # no neuron fires at x, so there is no gradient to follow
    array([0.])
    >>> many = ProjectedGradient(rho=0.3, restarts=5)
    >>> result = many(network, [[3**0.5 / 2, 0.0, 0.5]], [-1.0], "absolute", rng=0)
    >>> result.value.round(4)  # sqrt(3)/2 sin(2 arcsin(0.3/sqrt(3)))
    array([0.2955])
    """

    def _attack(self, batch: Batch, generator: np.random.Generator) -> AttackResult:
        if self.restarts == 1 and not self.random_start:
            found = _climb_at_once(batch, rho=self.rho, sizes=self._sizes)
            if found is not None:
                return found
        gradient = batch.evaluator.value_and_input_gradient
        return self._ascend(batch, generator, lambda points, step: gradient(points))


@dataclass(frozen=True, kw_only=True)
class SmoothedGradient(Ascent):
    """Riemannian ascent along smoothed gradients on the cap, best point of all iterates and runs.

    Parameters
    ----------
    rho : float
        Radius of the cap, a Euclidean chord length, 0 or ``>= 1e-200``: its windows are shares of
        it, and they have to be numbers (``sqrt(3)`` and more: all of X).
    steps : int, default 40
        Steps per run, ``>= 1``.
    relative_step : float, default 0.25
        First step as a fraction of the angular radius of the cap, ``> 0``.
    restarts : int, default 8
        Number of runs, ``>= 1``.  All but the first start at a uniformly random point of the cap.
    random_start : bool, default False
        Whether the first run starts at a random point too; by default it starts at the clean one.
    decay : bool, default True
        Whether the steps shrink linearly to ``1 / steps`` of the first.
    first_window, last_window : float, default 1.0 and 0.05
        Half-width of the window at the first and the last step, in units of the typical change of a
        pre-activation from the middle of the cap to its rim; between them it shrinks geometrically.
        ``0 < last_window <= first_window``.

    Raises
    ------
    TypeError, ValueError
        If a parameter has a wrong type or is out of range.

    Notes
    -----
    The unit of the windows is ``sin(alpha) s v`` with alpha the angular radius of the cap (at most
    a right angle), ``s = sqrt(3)/2`` and v the root mean square of the weights, the last column
    left out: the standard deviation of the change of ``<w_r, x>`` for weights of that size.  With
    ``rho = 0`` or all weights 0 there is nothing to walk along, and the clean points are returned.

    Cost: per run `steps` values, smoothed gradients and one value more.  The smoothed gradient of a
    neuron within the window counts like that of an active one.

    Source: this project; the smoothing kernel is that of
    :func:`sublinear_lib.activations.blurred_step`.

    Examples
    --------
    >>> from sublinear_lib.network import TwoLayerNetwork
    >>> network = TwoLayerNetwork([[0.0, 1.0, 0.0]], [1.0], [0.0], tau=0.1)
    >>> x = [[3**0.5 / 2, 0.0, 0.5]]
    >>> attack = SmoothedGradient(rho=0.3, restarts=1)
    >>> attack(network, x, [-1.0], "absolute", rng=0).value.round(4)  # sees the jump ahead
    array([0.2955])
    """

    steps: Count = 40
    relative_step: Positive = 0.25
    restarts: Count = 8
    first_window: Positive = 1.0
    last_window: float = 0.05

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        last = validation.scalar(
            self.last_window, "last_window", exclusive_minimum=0, maximum=self.first_window
        )
        object.__setattr__(self, "last_window", last)
        if 0.0 < self.rho < 1e-200:
            raise ValueError(f"rho must be 0 or >= 1e-200, got {self.rho!r}")

    @classmethod
    def of_few_steps(cls, rho: float, steps: int = 5) -> SmoothedGradient:
        """Return the attack of a training step: one run of few steps, which are long.

        Parameters
        ----------
        rho : float
            Radius of the cap, ``>= 0``.
        steps : int, default 5
            Number of steps, ``>= 1``.

        Returns
        -------
        SmoothedGradient
            Its first step is half of the angular radius of the cap, or few steps would not reach
            the rim, and its only run starts at the clean point.

        Raises
        ------
        TypeError, ValueError
            If a parameter has a wrong type or is out of range.

        Examples
        --------
        >>> attack = SmoothedGradient.of_few_steps(0.3)
        >>> attack.steps, attack.relative_step, attack.restarts
        (5, 0.5, 1)
        """
        return cls(rho=rho, steps=steps, relative_step=0.5, restarts=1)

    def margin(self, weight_scale: float) -> float:
        """Return how far below the threshold the attack looks at neurons.

        Parameters
        ----------
        weight_scale : float
            Root mean square of the hidden weights, the last column left out.

        Returns
        -------
        float
            The widest window, in units of a pre-activation.
        """
        return float(self.windows(weight_scale)[0])

    def windows(self, weight_scale: float) -> FloatArray:
        """Return the half-width of the window at each step.

        Parameters
        ----------
        weight_scale : float
            Root mean square of the hidden weights, the last column left out.

        Returns
        -------
        ndarray of float64, shape (steps,)
            Not increasing, in units of a pre-activation; all 0 where nothing can move.
        """
        turn = math.sin(min(geometry.cap_angle(self.rho), 0.5 * math.pi))
        unit = geometry.SLICE_RADIUS * turn * weight_scale
        return unit * np.geomspace(self.first_window, self.last_window, self.steps)

    def _attack(self, batch: Batch, generator: np.random.Generator) -> AttackResult:
        evaluator = batch.evaluator
        windows = self.windows(evaluator.weight_scale)
        if windows[0] == 0.0:
            return stay(batch)

        def direction(points: FloatArray, step: int) -> tuple[FloatArray, FloatArray]:
            gradient = evaluator.smoothed_input_gradient(points, float(windows[step]))
            return evaluator.value(points), gradient

        return self._ascend(batch, generator, direction)

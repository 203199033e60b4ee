r"""Certified upper bounds of f over a cap, in any dimension, by straight lines over the jump.

Attacks bound the worst case of Definition 3.4 from below; this module bounds it from above.  Over
one cap every pre-activation z has an exact range [l, u]
(:func:`sublinear_lib.geometry.cap_intervals`), so a neuron is certainly off (u <= tau), certainly
on (l > tau), or *unstable*.
Those that are on are one affine function of x.  An unstable one, with coefficient c (the output
weight, negated for an infimum), is replaced by a straight line in z above ``c sigma_tau(z)``.  What
remains is affine, and its maximum over the cap is known exactly (`Cap.support`).

**The lines.**  Write J for the height of the jump (tau, or 0 for the continuous form); above the
threshold sigma_tau is ``J + (z - tau)``.

* c > 0, J >= tau - l.  Every line ``J + lambda (z - tau)`` with ``1 <= lambda <= J / (tau - l)``
  lies above sigma_tau on [l, u]: above the threshold because ``lambda >= 1``, below it because it
  is not negative at l, its smallest point.  The envelope has a corner at (tau, J): that is the
  whole effect of the jump on the bound.
* c > 0, J < tau - l.  The chord from (l, 0) to (u, J + u - tau); at tau it has the height
  ``(u - tau + J) (tau - l) / (u - l) > J``.
* c < 0.  Every line ``lambda (z - tau)`` with ``0 <= lambda <= 1 + J / (u - tau)`` lies below
  sigma_tau: it is not positive below the threshold, and at u it is at most ``J + u - tau``.

The slopes are free within their ranges, and the bound is convex in them (a maximum of affine
functions), so `CapRelaxation.optimized` minimizes it; every feasible choice is a valid bound,
converged or not.

**The parts** of a `CapRelaxation` are one affine function, `gradient` and `constant`, and the
unstable neurons, with their weights `W`, biases `b` and `factors` (output weights times the side),
the ranges from `low` to `high`, the `sizes` that bound the absolute values that their
pre-activations are added up from, and their `lines`.  What is exact on the sphere, the integer
program and the splitting of neurons start from these.  Know before changing them: whoever builds a
bound from the parts must add `CapRelaxation.rounding`.

Everything is computed in float64.  Ranges are widened, and values raised, by bounds of the rounding
error, stated where they are used.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sublinear_lib import geometry, validation
from sublinear_lib._typing import FloatArray
from sublinear_lib.network import TwoLayerNetwork, expect_network

__all__ = ["CapRelaxation", "CertifiedBound", "Lines"]

_EPS = float(np.finfo(np.float64).eps)
# A steeper line is never needed to bound a jump well, and would only spoil the conditioning.
_STEEPEST = 1e3


@dataclass(frozen=True, eq=False)
class CertifiedBound:
    """An upper bound of ``side * f`` over a cap, and where the relaxation attains it.

    Parameters
    ----------
    value : float
        No smaller than ``side * f(v)`` for every v in the cap, rounding included.
    point : ndarray of float64, shape (d,)
        The point of the cap at which the relaxation is largest: a good place to start an attack.
    slopes : ndarray of float64, shape (k,)
        The slopes used for the unstable neurons.
    """

    value: float
    point: FloatArray
    slopes: FloatArray


class _Steady(NamedTuple):
    """The neurons that are on all over the cap: one affine function."""

    gradient: FloatArray
    constant: float
    size: float
    """The sum of the absolute values that the two were added up from."""
    certain: int
    """How many they are."""


class _Loose(NamedTuple):
    """Neurons about which nothing is known yet."""

    W: FloatArray
    b: FloatArray
    factors: FloatArray


class Lines(NamedTuple):
    """Straight lines ``offset + slope (z - anchor)`` on the right side of every unstable neuron."""

    anchor: FloatArray
    offset: FloatArray
    flattest: FloatArray
    """Smallest slope allowed."""
    steepest: FloatArray
    """Largest slope allowed."""


class CapRelaxation:
    """The network over one cap, ready to be bounded.

    Parameters
    ----------
    network : TwoLayerNetwork
        The network.
    x : array-like, shape (d,)
        Middle of the cap, on the slice.
    rho : float
        Radius of the cap, a Euclidean chord length, ``>= 0``.
    side : {1, -1}, default 1
        Bound f from above (1) or -f from above, that is f from below (-1).

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value.

    Notes
    -----
    Source: Definitions 3.3 and 3.4; linear relaxation of activations as in CROWN and its optimized
    form, with the lines derived above for an activation that jumps.

    Examples
    --------
    >>> network = TwoLayerNetwork([[1.0, 0.0, 0.0]], [1.0], [0.0], tau=0.5)
    >>> x = [3**0.5 / 2 * np.cos(1.0), 3**0.5 / 2 * np.sin(1.0), 0.5]
    >>> above = CapRelaxation(network, x, rho=0.3)
    >>> above.unstable
    1
    >>> round(above.linear().value, 6)  # the supremum itself: the line meets sigma_tau at u
    0.688466
    >>> above.restricted(x, 0.1).optimized().value <= above.optimized(time_limit=1.0).value
    True
    """

    def __init__(self, network: TwoLayerNetwork, x: object, rho: object, side: int = 1) -> None:
        expect_network(network)
        if isinstance(side, bool) or side not in (1, -1):
            raise ValueError(f"side must be 1 or -1, got {side!r}")
        vector = validation.float_array(x, "x", shape=(network.d,))
        cap = geometry.Cap(vector, validation.scalar(rho, "rho", minimum=0))
        steady = _Steady(np.zeros(network.d), 0.0, 0.0, 0)
        neurons = _Loose(network.W, network.b, side * network.a)
        self._set_up(cap, network.tau, network.shift, steady, neurons)

    def restricted(self, x: object, rho: object) -> CapRelaxation:
        """Return the same function over a smaller cap, valid on its part inside this one.

        Neurons that were certain stay as they are, so it costs only a look at the unstable ones.
        """
        vector = validation.float_array(x, "x", shape=(self.W.shape[1],))
        cap = geometry.Cap(vector, validation.scalar(rho, "rho", minimum=0))
        smaller = CapRelaxation.__new__(CapRelaxation)
        steady = _Steady(self.gradient, self.constant, self._steady, self._certain)
        neurons = _Loose(self.W, self.b, self.factors)
        smaller._set_up(cap, self.tau, self.shift, steady, neurons)
        return smaller

    def _set_up(
        self, cap: geometry.Cap, tau: float, shift: float, steady: _Steady, neurons: _Loose
    ) -> None:
        """Sort the neurons into off, on and unstable ones over the cap."""
        W, b, factors = neurons
        self.cap = cap
        if factors.size:
            low, high = cap.intervals(W, b)
        else:
            low = high = np.empty(0)
        norms = np.sqrt(np.einsum("ij,ij->i", W, W))
        # More than the error that `Cap.intervals` states, and the rounding of the norms.
        slack = (W.shape[1] + 24.0) * _EPS * (norms + np.abs(b))
        low, high = low - slack, high + slack
        on, unstable = low > tau, (low <= tau) & (high > tau)
        self.tau, self.jump = tau, tau - shift
        self.gradient: FloatArray = steady.gradient + factors[on] @ W[on]
        self.constant = steady.constant + float(factors[on] @ (b[on] - shift))
        self._steady = steady.size + float(
            np.abs(factors[on]) @ (norms[on] + np.abs(b[on]) + shift)
        )
        self._certain = steady.certain + int(on.sum())
        self.W, self.b = W[unstable], b[unstable]
        self.factors = factors[unstable]
        self.low, self.high = low[unstable], high[unstable]
        self.sizes = norms[unstable] + np.abs(self.b)
        self._terms = float((self._certain + self.unstable + W.shape[1] + 64) * _EPS)
        self.lines = Lines(*self._lines())

    def value(self, points: FloatArray) -> FloatArray:
        """Return ``side * f`` at points of the cap, up to rounding.

        Parameters
        ----------
        points : ndarray of float64, shape (k, d)
            Points of the cap.

        Returns
        -------
        ndarray of float64, shape (k,)
            Values; a neuron within rounding of its threshold may be taken for on or off.
        """
        z = points @ self.W.T + self.b
        outputs = np.where(z > self.tau, z - self.shift, 0.0)
        return np.asarray(points @ self.gradient + self.constant + outputs @ self.factors)

    @property
    def shift(self) -> float:
        """What a neuron that is on subtracts from its pre-activation."""
        return self.tau - self.jump

    def rounding(self, size: float) -> float:
        """Bound the rounding error of a value that was added up from so much besides."""
        return self._terms * (self._steady + size)

    @property
    def unstable(self) -> int:
        """Number of neurons that may be on at one point of the cap and off at another."""
        return int(self.factors.size)

    def interval(self) -> CertifiedBound:
        """Bound every unstable neuron by its largest contribution, whatever the others do.

        Returns
        -------
        CertifiedBound
            The bound by interval arithmetic, with slopes 0.
        """
        largest = np.maximum(self.jump + self.high - self.tau, 0.0)
        taken = self.factors > 0.0
        peak = float(self.factors[taken] @ largest[taken])
        value, point, error = self._affine(np.zeros(self.unstable), self.gradient, self.constant)
        extra = self._terms * float(np.abs(self.factors) @ largest)
        return CertifiedBound(value + peak + error + extra, point, np.zeros(self.unstable))

    def linear(self) -> CertifiedBound:
        """Bound every unstable neuron by one line, without looking for the best ones.

        Returns
        -------
        CertifiedBound
            The better one of two usual choices of the slopes (and of `interval`).
        """
        flat = np.where(self.factors > 0.0, self.lines.flattest, 0.0)
        found = [self._bound(flat), self._bound(self._parallel()), self.interval()]
        return min(found, key=lambda bound: bound.value)

    def optimized(self, iterations: int = 100, time_limit: object = None) -> CertifiedBound:
        """Bound every unstable neuron by one line, with the best slopes found.

        Parameters
        ----------
        iterations : int, default 100
            Most iterations of the minimization, ``>= 1``.
        time_limit : float, optional
            Most seconds, ``> 0``; no new iteration begins after that.

        Returns
        -------
        CertifiedBound
            Never worse than `linear`.

        Raises
        ------
        TypeError, ValueError
            If `iterations` is not an integer ``>= 1``, or `time_limit` not a number ``> 0``.
        """
        from scipy.optimize import Bounds, minimize

        begun = time.monotonic()
        most = validation.count(iterations, "iterations")
        seconds = math.inf
        if time_limit is not None:
            seconds = validation.scalar(time_limit, "time_limit", exclusive_minimum=0)
        start = self.linear()
        if not self.unstable:
            return start

        def objective(slopes: FloatArray) -> tuple[float, FloatArray]:
            value, point, _ = self._supported(slopes)
            return value, self.factors * (self.W @ point + self.b - self.lines.anchor)

        def stop(xk: FloatArray) -> None:
            if time.monotonic() - begun > seconds:
                raise StopIteration

        box = Bounds(self.lines.flattest, self.lines.steepest)
        first = start.slopes if start.slopes.any() else self._parallel()
        run = minimize(
            objective,
            np.clip(first, self.lines.flattest, self.lines.steepest),
            jac=True,
            method="L-BFGS-B",
            bounds=box,
            callback=stop,
            options={"maxiter": most},
        )
        found = self._bound(np.clip(run.x, self.lines.flattest, self.lines.steepest))
        return min(start, found, key=lambda bound: bound.value)

    def _lines(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return anchors, heights there, and the ranges of the slopes."""
        tau, jump, low, high = self.tau, self.jump, self.low, self.high
        up = self.factors > 0.0
        below, above = tau - low, high - tau
        anchor, offset = np.full(self.unstable, tau), np.zeros(self.unstable)
        flattest, steepest = np.zeros(self.unstable), np.zeros(self.unstable)
        corner = up & (jump >= below)
        offset[corner] = jump
        flattest[corner] = 1.0
        with np.errstate(divide="ignore", over="ignore"):
            steepest[corner] = np.clip(jump / below[corner], 1.0, _STEEPEST)
            chord = up & ~corner
            anchor[chord] = low[chord]
            # Rounded up: a steeper chord from (l, 0) is above the true one.
            slope = (above[chord] + jump) / (high[chord] - low[chord])
            flattest[chord] = steepest[chord] = slope * (1.0 + 8.0 * _EPS)
            down = ~up
            limit = 1.0 + jump / above[down]
            steepest[down] = np.clip(limit * (1.0 - 8.0 * _EPS), 0.0, _STEEPEST)
        return anchor, offset, flattest, steepest

    def _parallel(self) -> FloatArray:
        """Return slopes 1 where the neuron is more on than off, and the flattest ones elsewhere."""
        mostly_on = self.high - self.tau > self.tau - self.low
        slope = np.where((self.factors < 0.0) & mostly_on, 1.0, self.lines.flattest)
        return np.clip(slope, self.lines.flattest, self.lines.steepest)

    def _affine(
        self, slopes: FloatArray, gradient: FloatArray, constant: float
    ) -> tuple[float, FloatArray, float]:
        """Maximize an affine function over the cap; return also the rounding error to add."""
        values, points = self.cap.support(gradient[None, :])
        tilted = np.abs(self.factors) @ (
            np.abs(self.lines.offset) + slopes * (self.sizes + np.abs(self.lines.anchor))
        )
        return float(values[0]) + constant, points[0], self.rounding(float(tilted))

    def _supported(self, slopes: FloatArray) -> tuple[float, FloatArray, float]:
        factors = self.factors * slopes
        gradient = self.gradient + factors @ self.W
        constant = (
            self.constant
            + self.factors @ self.lines.offset
            + factors @ (self.b - self.lines.anchor)
        )
        return self._affine(slopes, gradient, float(constant))

    def _bound(self, slopes: FloatArray) -> CertifiedBound:
        value, point, error = self._supported(slopes)
        return CertifiedBound(value + error, point, slopes)

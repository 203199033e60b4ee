r"""How many neurons can fire somewhere in one cap: what an attack has to know (Definition 3.3).

An attack on x asks for values and gradients at points of ``B2(x, rho)`` only, so the neurons that
can be active somewhere in the cap are all that it can notice; line 12 of Algorithm 1 could ask for
them once, before line 11.  `cap_share` is their exact expected share at initialization, between
``Q(t)`` (one point) and `sublinear_lib.theory.surviving_share` (all of X);
`sublinear_lib.theory.candidate_share` is the slightly larger superset that one half-space query
reports.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy import special

from sublinear_lib import scaling
from sublinear_lib._arguments import Dimension, Nonnegative, Real, checked
from sublinear_lib._typing import FloatArray
from sublinear_lib.geometry import SLICE_DIAMETER, SLICE_HEIGHT, SLICE_RADIUS, cap_angle
from sublinear_lib.validation import scalar

__all__ = ["cap_share", "circle_cap_share"]

_REST = math.sqrt(1.0 + SLICE_HEIGHT**2)  # standard deviation of w_d / 2 + b, in units of m^{-1/2}
_NODES = 48
_PANELS = 8
_REACH = 12.0


@checked
def cap_share(t: float, d: Dimension, rho: Nonnegative) -> float:
    r"""Compute the expected share of neurons that can be active somewhere in a cap.

    With theta the angle between w' (the first d - 1 coordinates of w) and the direction of x, the
    largest pre-activation over the cap of angular radius alpha is

    ``w_d / 2 + b + (sqrt(3)/2) ||w'|| cos(max(0, theta - alpha))``.

    In units of ``m^{-1/2}``, ``||w'||`` is chi with d - 1 degrees of freedom, theta has density
    proportional to ``sin^{d-3}``, and the remainder is N(0, 5/4), all independent; the threshold is
    ``t sqrt(2)``, t at most 12 in absolute value.  The share is ``Q(t)`` at ``rho = 0`` (and for d
    = 2 below ``sqrt(3)``), the surviving share from ``sqrt(3)`` on.  Source: Definitions 3.1, 3.3
    and 3.9; derived here.

    >>> [round(cap_share(1.65, d, 0.2), 3) for d in (3, 10, 30, 65)]
    [0.061, 0.102, 0.179, 0.294]
    """
    t = scalar(t, "t", minimum=-12.0, maximum=12.0)
    return _share(t, d, rho)


@lru_cache(maxsize=1 << 14)
def _share(t: float, d: int, rho: float) -> float:
    if d == 2:
        if rho < SLICE_DIAMETER:
            return scaling.activity_at(t)
        angle, weight = np.array([0.0]), np.array([1.0])
    else:
        angle, weight = _angles(d, cap_angle(rho))
    length, chance = _lengths(d)
    needed = t * math.sqrt(2.0) - SLICE_RADIUS * np.cos(angle)[:, None] * length
    return min(1.0, float(weight @ (special.ndtr(-needed / _REST) @ chance)))


def _angles(d: int, alpha: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes of ``max(0, theta - alpha)`` and their weights."""
    nodes, weights = special.roots_legendre(_NODES)
    # The two sides of the angle at which the cosine stops being 1, each in panels.
    angles, shares = [], []
    for low, high in ((0.0, alpha), (alpha, math.pi)):
        step = (high - low) / _PANELS
        starts = low + step * np.arange(_PANELS)
        theta = (starts[:, None] + step * (nodes + 1.0) / 2.0).ravel()
        angles.append(np.maximum(0.0, theta - alpha))
        shares.append(np.tile(weights, _PANELS) * step / 2.0 * np.sin(theta) ** (d - 3))
    joined = np.concatenate(shares)
    return np.concatenate(angles), joined / joined.sum()


@lru_cache(maxsize=64)
def _lengths(d: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes of a chi variable with d - 1 degrees of freedom and their weights."""
    nodes, weights = special.roots_legendre(_NODES)
    middle = math.sqrt(d - 1.0)
    low, high = max(0.0, middle - _REACH), middle + _REACH
    step = (high - low) / _PANELS
    starts = low + step * np.arange(_PANELS)
    length = (starts[:, None] + step * (nodes + 1.0) / 2.0).ravel()
    with np.errstate(divide="ignore"):
        log_density = (d - 2) * np.log(length) - 0.5 * length**2
    density = np.tile(weights, _PANELS) * np.exp(log_density - log_density.max())
    return length, density / density.sum()


@checked
def circle_cap_share(t: Real, rho: Nonnegative) -> float:
    r"""Count by crossings, for d = 3: who fires at one end of the cap, and who begins on the way.

    Along the circle a pre-activation is a stationary Gaussian wave of variance ``2/m`` whose
    derivative has variance ``3/(4m)``.  A neuron that can fire in the cap, of length ``2 alpha``,
    fires at its start or begins to fire later; by Rice's formula a wave crosses tau upwards
    ``sqrt(3/8) exp(-t^2/2) / (2 pi)`` times per radian, hence

    ``share = Q(t) + (alpha / pi) sqrt(3/8) exp(-t^2/2) - r``,

    where r is the share of neurons that fire at both ends of the cap and not on all of it, counted
    twice: rare for small caps.  The first two terms are an upper bound of `cap_share` with ``d =
    3``.

    >>> round(circle_cap_share(1.65, 0.2) - cap_share(1.65, 3, 0.2), 5)
    0.0
    """
    crossings = math.sqrt(3.0 / 8.0) * math.exp(-0.5 * t**2)
    return scaling.activity_at(t) + cap_angle(rho) / math.pi * crossings

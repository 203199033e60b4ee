r"""What half-space reporting on X can leave out: the neurons whose cap bound stays below tau.

Section 3.2 puts all inputs on X = {x : ||x|| = 1, x_d = 1/2}.  There neuron r takes no value above
``g_r = (sqrt(3)/2) ||w'_r|| + w_{r,d} / 2 + b_r`` with w' the first d - 1 coordinates, and takes
this one, so it can fire somewhere on X if and only if ``g_r > tau``.  At initialization
(Definition 3.1: weights N(0, I/m), biases N(0, 1/m)) the share of such neurons has a closed law.
This module holds it; before changing it, know that it depends on m only through the standardized
threshold ``t = tau / sqrt(2/m)``, as the active share Q(t) does, and that it is independent of the
search structures, which are tested against it.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import scipy
from scipy import special

from sublinear_lib import scaling
from sublinear_lib._arguments import Count, Dimension, Nonnegative, Probability, checked
from sublinear_lib._typing import FloatArray
from sublinear_lib.geometry import SLICE_HEIGHT, SLICE_RADIUS
from sublinear_lib.theory.tails import count_interval
from sublinear_lib.validation import scalar

__all__ = ["surviving_count_interval", "surviving_share"]

_REST = math.sqrt(1.0 + SLICE_HEIGHT**2)  # standard deviation of w_d / 2 + b, in units of m^{-1/2}
_WIDTH = _REST / SLICE_RADIUS
_NODES = 64
_PANELS = 8
_REACH = 12.0  # a standard normal exceeds it with probability 2e-33


@checked
def surviving_share(t: float, d: Dimension) -> float:
    r"""Compute the expected share of neurons that can fire somewhere on X.

    In units of ``m^{-1/2}``, ``||w'||`` is chi with d - 1 degrees of freedom and the remainder
    ``w_d / 2 + b`` is N(0, 5/4), independently, and the threshold is ``t sqrt(2)``, t at most 30 in
    absolute value.  Hence

    ``phi(t, d) = P[ (sqrt(3)/2) chi_{d-1} + N(0, 5/4) > t sqrt(2) ]``.

    Conditioned on the chi variable, which has tail F, it is ``Q(t sqrt(2) / s)`` plus the integral
    of ``s'/s phi((t sqrt(2) - s' u) / s) F(u)`` over ``u >= 0``, with ``s' = sqrt(3)/2`` and ``s**2
    = 5/4``.  The integrand is log-concave and falls at least like a normal density of standard
    deviation s/s' on both sides of its maximum; a Gauss-Legendre quadrature over 12 standard
    deviations on either side takes all of it.  For d = 2 the share is ``Q(t) + 2 T(t, sqrt(3/5))``
    with Owen's function T, and for d = 3 it is ``Q(t sqrt(8/5)) + sqrt(3/8) exp(-t**2/2) (1 - Q(t
    sqrt(3/5)))``; the tests compare.  For fixed t it tends to 1 as d grows.  At a threshold that 1
    % of the neurons exceed:

    >>> [round(surviving_share(2.3263, d), 3) for d in (2, 3, 8, 16, 32)]
    [0.02, 0.041, 0.197, 0.501, 0.88]
    """
    t = scalar(t, "t", minimum=-30.0, maximum=30.0)
    return _share(t, d)


@lru_cache(maxsize=1 << 14)
def _share(t: float, d: int) -> float:
    needed = t * math.sqrt(2.0)
    certain = float(scipy.stats.norm.sf(needed / _REST))
    # The tail of chi falls, so the maximum is not beyond that of the normal factor.
    grid = np.linspace(0.0, max(0.0, needed / SLICE_RADIUS), 1024)
    peak = float(grid[np.argmax(_log_integrand(grid, needed, d))])
    low, high = max(0.0, peak - _REACH * _WIDTH), peak + _REACH * _WIDTH
    nodes, weights = special.roots_legendre(_NODES)
    step = (high - low) / _PANELS
    starts = low + step * np.arange(_PANELS)
    u = (starts[:, None] + step * (nodes + 1.0) / 2.0).ravel()
    values = np.exp(_log_integrand(u, needed, d)).reshape(_PANELS, _NODES)
    return min(1.0, certain + float((values @ weights).sum()) * step / 2.0)


def _log_integrand(u: FloatArray, needed: float, d: int) -> FloatArray:
    z = (needed - SLICE_RADIUS * u) / _REST
    tail = scipy.stats.chi2.logsf(u * u, d - 1)
    result: FloatArray = scipy.stats.norm.logpdf(z) + tail - math.log(_WIDTH)
    return result


@checked
def surviving_count_interval(
    tau: Nonnegative, m: Count, d: Dimension, confidence: Probability = 0.999
) -> tuple[int, int]:
    r"""Give the range in which the number of neurons that can fire somewhere on X falls.

    ``(lowest, highest)``, quantiles of the exact law Binomial(m, phi).

    >>> surviving_count_interval(tau=0.15, m=1024, d=3)
    (0, 8)
    """
    t = scaling.standardize_threshold(tau, m)
    return count_interval(m, surviving_share(t, d), confidence)

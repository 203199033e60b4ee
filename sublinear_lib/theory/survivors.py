r"""How few neurons can fire anywhere on X: a bound, a limit, and the dimension in which both stop.

Neurons that can fire nowhere on X = {x : ||x|| = 1, x_d = 1/2} (Section 3.2) never move, in any
step of Algorithm 1, so they may be deleted before the first one.  This module holds the two
statements that make Theorem 1.1 elementary for thresholds ``tau = sqrt(2/m) t`` with
``t = sqrt(2 c log m)``: `surviving_share_bound`, an inequality for every t and d, and
`surviving_share_asymptote`, the limit for large t.  Before changing them, know that the exact share
is :func:`sublinear_lib.theory.reporting.surviving_share`, which they are tested against.
"""

from __future__ import annotations

import math
from fractions import Fraction

from scipy import special

from sublinear_lib._arguments import Count, Dimension, Positive, Real, checked
from sublinear_lib.geometry import SLICE_RADIUS
from sublinear_lib.validation import scalar

__all__ = ["surviving_share_asymptote", "surviving_share_bound", "widest_dimension"]


@checked
def surviving_share_bound(t: Real, d: Dimension) -> float:
    r"""Bound the share of neurons that can fire somewhere on X, in closed form.

    The largest pre-activation on X, in standard deviations, is ``F(u, v) = (sqrt(3)/2 |u| +
    sqrt(5)/2 v) / sqrt(2)`` of d independent standard normal numbers, u in R^{d-1} and v in R. F is
    1-Lipschitz and its mean is at most ``mu = sqrt(3 (d - 1) / 8)``, so Gaussian concentration
    gives ``P[F > t] <= exp(-(t - mu)^2 / 2)`` for ``t >= mu``; the bound is 1 below.

    >>> from sublinear_lib.theory import surviving_share
    >>> surviving_share(4.0, 8) < surviving_share_bound(4.0, 8) < 0.06
    True
    """
    gap = t - _mean_bound(d)
    return math.exp(-(max(gap, 0.0) ** 2) / 2.0)


def _mean_bound(d: int) -> float:
    return SLICE_RADIUS * math.sqrt((d - 1) / 2.0)


@checked
def surviving_share_asymptote(t: Positive, d: Dimension) -> float:
    r"""Compute what the share of neurons that can fire on X approaches for large thresholds.

    ``sqrt(2 pi) 2^{(3-d)/2} / Gamma((d-1)/2) (t sqrt(3/8))^{d-2} Q(t)``; the ratio to
    `surviving_share` tends to 1 as ``t -> infinity`` with d fixed.  Source: Section 3.2 with
    Definition 3.1; derived here.  Given the length u of the first d - 1 weights, the chance is
    largest near ``u = t sqrt(3/8)``; the chi density has the value ``2^{(3-d)/2} u^{d-2}
    exp(-u^2/2) / Gamma((d-1)/2)`` there, and the normal density that it replaces ``exp(-u^2/2) /
    sqrt(2 pi)``.

    >>> from sublinear_lib.theory import surviving_share
    >>> round(surviving_share_asymptote(30.0, 2) / surviving_share(30.0, 2), 6)
    1.0
    """
    u = t * SLICE_RADIUS / math.sqrt(2.0)
    log_ratio = (
        0.5 * math.log(2.0 * math.pi)
        + (3 - d) / 2.0 * math.log(2.0)
        - float(special.gammaln((d - 1) / 2.0))
        + (d - 2) * math.log(u)
    )
    return math.exp(log_ratio + float(special.log_ndtr(-t)))


@checked
def widest_dimension(m: Count, c: float | Fraction) -> int:
    r"""Find the largest dimension in which a threshold silences some neurons on all of X, by proof.

    The largest d with ``mu < t = sqrt(2 c log m)`` in `surviving_share_bound`, c in [0, 1]: ``d < 1
    + (16/3) c log m``; at least 1.  Source: the repair R3 of the threshold, with Section 3.2.

    >>> widest_dimension(2**20, Fraction(1, 5))
    15
    """
    sparsity = float(c) if isinstance(c, Fraction) else c
    sparsity = scalar(sparsity, "c", minimum=0.0, maximum=1.0)
    limit = 1.0 + 16.0 / 3.0 * sparsity * math.log(m)
    return max(1, math.ceil(limit) - 1)

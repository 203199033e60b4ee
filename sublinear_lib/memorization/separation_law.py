r"""The separation of random data: uniform points in the unit cube with independent labels.

On a line the law of lambda is exact: a closest pair with different labels is a pair of neighbors,
and the gaps between neighbors are exchangeable.  In the cube, in the maximum norm, the expected
number of close pairs is exact, and bounds the probability that there is one.  Labels are
independent and uniform on two or more classes; with one label only, lambda is infinite, which the
laws count as large.
"""

from __future__ import annotations

import math

import numpy as np
import scipy
from scipy import optimize

from sublinear_lib import validation
from sublinear_lib._arguments import Count, Nonnegative, Probability, Share, checked, described

__all__ = ["line_median", "sure_separation"]


def _differ(classes: object) -> float:
    """Return the probability that two points have different labels."""
    return 1.0 - 1.0 / validation.count(classes, "classes", minimum=2)


@checked
def line_survival(t: Nonnegative, N: int) -> float:
    r"""Return ``Pr[lambda > t]`` for uniform points of the unit interval with one of two labels.

    ``sum_M Pr[M] max(1 - M t, 0)^N``, where M counts the neighbors with different labels: binomial
    with N - 1 trials and probability 1/2.  Between two points with different labels two neighbors
    have different labels, so lambda is a minimum over M gaps; given M, those gaps and the points
    are independent of the labels, and M of the N + 1 gaps of uniform points all exceed t with the
    probability stated.

    >>> round(line_survival(0.1, 2), 3)  # two points farther apart than 0.1, or with one label
    0.905
    """
    N = validation.count(N, "N", minimum=2)
    changes = np.arange(N)
    weights = scipy.stats.binom.pmf(changes, N - 1, 0.5)
    return float(weights @ np.maximum(1.0 - changes * t, 0.0) ** N)


@described
def line_median(N: int) -> float:
    """Return the median of lambda for uniform points of the unit interval with one of two labels.

    Here `N`: number of points, ``>= 2``.

    The t with ``Pr[lambda > t] = 1/2``; infinite for two points, which may have one label.

    Raises TypeError, ValueError: if an argument has the wrong type or is out of range.

    >>> round(line_median(20), 6)
    0.003651
    """
    if line_survival(1.0, N) >= 0.5:
        return math.inf
    # The bound of Markov is below the median, and by no more than a small factor, so that the
    # tolerance can be relative: the median falls like 1/N^2.
    low = 1.0 / (N * (N - 1))
    high = 2.0 * low
    while line_survival(high, N) > 0.5:
        high *= 2.0
    return float(optimize.brentq(lambda t: line_survival(t, N) - 0.5, low, high, xtol=1e-15 * low))


@checked
def close_pairs(t: Share, N: int, n: Count, classes: int = 2) -> float:
    r"""Return the expected number of pairs with different labels within t, maximum norm.

    ``N (N - 1)/2 (1 - 1/classes) (2 t - t^2)^n`` for uniform points of the cube with labels that
    are independent and equally likely: ``Pr[|u - v| <= t] = 2 t - t^2`` for two uniform numbers,
    and the n coordinates are independent.  By Markov's inequality it is at least ``Pr[lambda <=
    t]``.

    >>> close_pairs(0.5, 3, 2)  # three pairs, (3/4)^2, half of them with different labels
    0.84375
    """
    N = validation.count(N, "N", minimum=2)
    return float(0.5 * N * (N - 1) * _differ(classes) * (2.0 * t - t * t) ** n)


@checked
def sure_separation(N: int, n: Count, classes: int = 2, failure: Probability = 0.01) -> float:
    r"""Return a distance that lambda exceeds except with a given probability, maximum norm.

    The t at which `close_pairs` is the failure, ``1 - sqrt(1 - (failure / pairs)^(1/n))``; 1 if
    there are fewer pairs than that.  At ``failure = log 2`` it is the median of lambda if close
    pairs came like a Poisson number, which is an approximation.

    >>> t = sure_separation(100, 10)
    >>> abs(close_pairs(t, 100, 10) - 0.01) < 1e-12
    True
    """
    pairs = close_pairs(1.0, N, n, classes)
    if failure >= pairs:
        return 1.0
    share = float((failure / pairs) ** (1.0 / n))
    # 1 - sqrt(1 - s), without cancellation for small s
    return share / (1.0 + math.sqrt(1.0 - share))

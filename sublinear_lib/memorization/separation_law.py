r"""The separation of random data: uniform points in the unit cube with independent labels.

On a line the law of lambda is exact: a closest pair with different labels is a pair of neighbors,
and the gaps between neighbors are exchangeable.  In the cube, in the maximum norm, the expected
number of close pairs is exact, and bounds the probability that there is one.  Labels are
independent and uniform on a number of classes, or all different; with one label only, lambda is
infinite, which the laws count as large.
"""

from __future__ import annotations

import math

import numpy as np
import scipy
from scipy import optimize

from sublinear_lib import validation

__all__ = ["close_pairs", "line_median", "line_survival", "sure_separation"]


def _differ(classes: object) -> float:
    """Return the probability that two points have different labels."""
    if classes is None:
        return 1.0
    return 1.0 - 1.0 / validation.count(classes, "classes", minimum=2)


def line_survival(t: float, N: int, classes: int | None = 2) -> float:
    r"""Return ``Pr[lambda > t]`` for uniform points of the unit interval.

    Parameters
    ----------
    t : float
        The distance, ``>= 0``.
    N : int
        Number of points, ``>= 2``.
    classes : int or None, default 2
        Number of labels, ``>= 2``, independent and equally likely; None for labels that are all
        different.

    Returns
    -------
    float
        ``sum_M Pr[M] max(1 - M t, 0)^N``, where M counts the neighbors with different labels:
        binomial with N - 1 trials and probability ``1 - 1/classes``.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: our closed form.  Between two points with different labels two neighbors have different
    labels, so lambda is a minimum over M gaps; given M, those gaps and the points are independent
    of the labels, and M of the N + 1 gaps of uniform points all exceed t with the probability
    stated.

    Examples
    --------
    >>> line_survival(0.1, 2, None)  # two points farther apart than 0.1
    0.81
    """
    t = validation.scalar(t, "t", minimum=0.0)
    N = validation.count(N, "N", minimum=2)
    changes = np.arange(N)
    weights = scipy.stats.binom.pmf(changes, N - 1, _differ(classes))
    return float(weights @ np.maximum(1.0 - changes * t, 0.0) ** N)


def line_median(N: int, classes: int | None = 2) -> float:
    """Return the median of lambda for uniform points of the unit interval.

    Parameters
    ----------
    N : int
        Number of points, ``>= 2``.
    classes : int or None, default 2
        Number of labels as in `line_survival`.

    Returns
    -------
    float
        The t with ``Pr[lambda > t] = 1/2``; infinite if one label only has probability 1/2 or more.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Examples
    --------
    >>> round(line_median(2, None), 6)  # 1 - sqrt(1/2)
    0.292893
    """
    if line_survival(1.0, N, classes) >= 0.5:
        return math.inf
    # The bound of Markov is below the median, and by no more than a small factor, so that the
    # tolerance can be relative: the median falls like 1/N^2.
    low = 0.5 / (N * (N - 1) * _differ(classes))
    high = 2.0 * low
    while line_survival(high, N, classes) > 0.5:
        high *= 2.0
    return float(
        optimize.brentq(lambda t: line_survival(t, N, classes) - 0.5, low, high, xtol=1e-15 * low)
    )


def close_pairs(t: float, N: int, n: int, classes: int | None = 2) -> float:
    r"""Return the expected number of pairs with different labels within t, maximum norm.

    Parameters
    ----------
    t : float
        The distance, in [0, 1].
    N : int
        Number of points, ``>= 2``, uniform in the unit cube.
    n : int
        Their dimension, ``>= 1``.
    classes : int or None, default 2
        Number of labels as in `line_survival`.

    Returns
    -------
    float
        ``N (N - 1)/2 (1 - 1/classes) (2 t - t^2)^n``, at least ``Pr[lambda <= t]``.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: ``Pr[|u - v| <= t] = 2 t - t^2`` for two uniform numbers, and the n coordinates are
    independent; the bound is Markov's inequality.

    Examples
    --------
    >>> close_pairs(0.5, 3, 2, None)  # three pairs, (3/4)^2
    1.6875
    """
    t = validation.scalar(t, "t", minimum=0.0, maximum=1.0)
    N = validation.count(N, "N", minimum=2)
    n = validation.count(n, "n")
    return float(0.5 * N * (N - 1) * _differ(classes) * (2.0 * t - t * t) ** n)


def sure_separation(N: int, n: int, classes: int | None = 2, failure: float = 0.01) -> float:
    r"""Return a distance that lambda exceeds except with a given probability, maximum norm.

    Parameters
    ----------
    N : int
        Number of points, ``>= 2``, uniform in the unit cube.
    n : int
        Their dimension, ``>= 1``.
    classes : int or None, default 2
        Number of labels as in `line_survival`.
    failure : float, default 0.01
        Probability of failure, in (0, 1).

    Returns
    -------
    float
        The t at which `close_pairs` is the failure, ``1 - sqrt(1 - (failure / pairs)^(1/n))``; 1 if
        there are fewer pairs than that.  At ``failure = log 2`` it is the median of lambda if close
        pairs came like a Poisson number, which is an approximation.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Examples
    --------
    >>> t = sure_separation(100, 10)
    >>> abs(close_pairs(t, 100, 10) - 0.01) < 1e-12
    True
    """
    failure = validation.scalar(failure, "failure", exclusive_minimum=0.0, exclusive_maximum=1.0)
    pairs = close_pairs(1.0, N, n, classes)
    if failure >= pairs:
        return 1.0
    share = float((failure / pairs) ** (1.0 / n))
    # 1 - sqrt(1 - s), without cancellation for small s
    return share / (1.0 + math.sqrt(1.0 - share))

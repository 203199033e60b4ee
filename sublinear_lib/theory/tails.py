r"""How many of m independent neurons: the law of the count, and what each tool allows, as numbers.

Lemmas A.6, A.8 and A.9 for a sum of m indicators of one probability p, such as the neurons in a
window around the threshold (Claims C.2, C.16 and C.19, Lemmas C.3 and C.9).  Here are logarithms
in float64, for curves and tables at every width; `sublinear_lib.theory.concentration` decides
single instances of the same lemmas with exact numbers, and the tests hold the two together.  Before
changing anything, know that a bound may lie above 1, where it says nothing, and is not cut there.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Literal, TypeAlias

import numpy as np
import scipy
from scipy import special

from sublinear_lib._arguments import Count, Probability, Share, checked
from sublinear_lib._typing import FloatArray
from sublinear_lib.validation import choice, float_array, scalar

__all__ = [
    "TOOLS",
    "Tool",
    "allowed_count",
    "allowed_excess",
    "chernoff_rate",
    "log_count_tail",
    "log_tail_bound",
]

Tool: TypeAlias = Literal["hoeffding", "chernoff", "chernoff repaired", "bernstein"]
"""A bound for a sum of indicators: A.6, A.8 as printed, A.8 with 2 + eps for 3, A.9."""

TOOLS: tuple[Tool, ...] = ("hoeffding", "chernoff", "chernoff repaired", "bernstein")
"""All of them."""


def _chance(p: float) -> float:
    return scalar(p, "p", exclusive_minimum=0.0, maximum=1.0)


@checked
def log_count_tail(counts: object, m: Count, p: float) -> FloatArray:
    r"""Compute the logarithm of the probability of at least so many successes.

    Here `counts` (k,): the numbers k; a number between two integers stands for the next one.

    ``log Pr[Binomial(m, p) >= k]``; minus infinity beyond m, or where the probability underflows.

    >>> np.exp(log_count_tail([2, 1, 0], 2, 0.5)).round(12).tolist()
    [0.25, 0.75, 1.0]
    """
    p = _chance(p)
    least = np.ceil(float_array(counts, "counts", shape=(None,)))
    with np.errstate(divide="ignore"):
        return np.asarray(scipy.stats.binom.logsf(least - 1.0, m, p), dtype=np.float64)


@checked
def log_tail_bound(tool: Tool, excess: object, m: Count, p: float) -> FloatArray:
    r"""Bound the logarithm of the probability that a count exceeds its mean by so much.

    Here `excess` (k,): ``s > 0``, the distance to the mean ``m p``.

    With ``mu = m p`` and ``eps = s / mu``, the logarithm of: ``2 exp(-2 s^2 / m)`` (A.6), which is
    printed for both tails together; ``exp(-eps^2 mu / 3)`` (A.8), which is true for every law only
    up to ``eps = 1.8169...``; ``exp(-eps^2 mu / (2 + eps))``; or ``exp(-(s^2/2) / (m p (1 - p) +
    max(p, 1 - p) s / 3))`` (A.9).  Proofs: `sublinear_lib.theory.concentration`.

    >>> log_tail_bound("chernoff", [9.0], 1000, 0.001).round(9).tolist()
    [-27.0]
    """
    choice(tool, "tool", TOOLS)
    p = _chance(p)
    s = float_array(excess, "excess", shape=(None,))
    if (s <= 0).any():
        raise ValueError(f"excess must be > 0, got {float(s.min())!r}")
    mean = m * p
    bounds: FloatArray
    if tool == "hoeffding":
        bounds = math.log(2.0) - 2.0 * s**2 / m
    elif tool == "chernoff":
        bounds = -(s**2) / (3.0 * mean)
    elif tool == "chernoff repaired":
        bounds = -(s**2) / (2.0 * mean + s)
    else:
        variance, largest = _bernstein_terms(m, p)
        bounds = -(s**2) / 2.0 / (variance + largest * s / 3.0)
    return bounds


def _bernstein_terms(m: int, p: float) -> tuple[float, float]:
    return m * p * (1.0 - p), max(p, 1.0 - p)


@checked
def allowed_excess(tool: Tool, failure: Probability, m: Count, p: float) -> float:
    r"""Compute how far above its mean a tool lets a count be, except with a given probability.

    The s at which the bound of `log_tail_bound` equals `failure`.  With ``L = log(1/failure)``:
    ``sqrt(m (L + log 2)/2)``, ``sqrt(3 mu L)``, and for the other two the positive root of ``s^2 =
    2 L (V + M s)``: ``V = mu, M = 1/2`` for the repaired Chernoff bound and the variance and a
    third of the largest summand for Bernstein's.

    >>> s = allowed_excess("bernstein", 1e-6, 4096, 0.01)
    >>> round(float(np.exp(log_tail_bound("bernstein", [s], 4096, 0.01))[0]), 12)
    1e-06
    """
    choice(tool, "tool", TOOLS)
    p = _chance(p)
    level = -math.log(failure)
    mean = m * p
    if tool == "hoeffding":
        return math.sqrt(m * (level + math.log(2.0)) / 2.0)
    if tool == "chernoff":
        return math.sqrt(3.0 * mean * level)
    if tool == "chernoff repaired":
        spread, step = mean, 0.5
    else:
        variance, largest = _bernstein_terms(m, p)
        spread, step = variance, largest / 3.0
    return level * step + math.sqrt((level * step) ** 2 + 2.0 * level * spread)


@checked
def allowed_count(failure: float, m: Count, p: float) -> int:
    r"""Compute the count that is exceeded with at most a given probability, exactly.

    The smallest k with ``Pr[Binomial(m, p) > k] <= failure``, at least 1e-300: the law behind
    Claims C.2 and C.16 and Lemma C.3 at a fixed x.

    >>> allowed_count(0.3, 2, 0.5), allowed_count(0.2, 2, 0.5)
    (1, 2)
    """
    p = _chance(p)
    chance = scalar(failure, "failure", minimum=1e-300, exclusive_maximum=1.0)
    return bisect_left(range(m), True, key=lambda k: bool(scipy.stats.binom.sf(k, m, p) <= chance))


@checked
def count_interval(m: Count, p: Share, confidence: Probability) -> tuple[int, int]:
    """Give a range in which a count falls with at least a given probability.

    ``(lowest, highest)``, quantiles of Binomial(m, p); the two tails share the rest equally.

    >>> count_interval(100, 0.5, 0.95)
    (40, 60)
    """
    law = m, p
    tail = (1.0 - confidence) / 2.0
    return int(scipy.stats.binom.ppf(tail, *law)), int(scipy.stats.binom.isf(tail, *law))


def chernoff_rate(epsilon: object) -> FloatArray:
    r"""Compute the best exponent per unit of the mean that holds for every sum of indicators.

    ``h(e) = (1 + e) log(1 + e) - e`` for ``e > -1``, negative for the lower tail; see
    `sublinear_lib.theory.concentration.chernoff`.

    >>> chernoff_rate([0.0, 1.0]).round(6).tolist()
    [0.0, 0.386294]
    """
    e = float_array(epsilon, "epsilon", shape=(None,))
    if (e <= -1.0).any():
        raise ValueError(f"epsilon must be > -1, got {float(e.min())!r}")
    return np.asarray(special.xlog1py(1.0 + e, e) - e, dtype=np.float64)

r"""Arithmetic and memory: why ``m n d`` multiplications are not all equally long.

Lemma 5.3 counts operations.  A machine that can do P operations per second and move B bytes per
second needs at least ``max(operations / P, bytes / B)`` seconds: the *roofline*.  A matrix product
reuses every number it loads many times and can reach P; a list of neurons loads a row for two
operations per number and is paid in bytes.  The functions here turn shapes into operations and
bytes, and these into seconds, for P and B that the *caller* gives: no number of any machine is
stored.  Before using them, know that they are lower bounds of time for an ideal cache, not
predictions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sublinear_lib._arguments import Count, Flag, Positive, check_fields, checked
from sublinear_lib.validation import scalar

__all__ = ["break_even_share", "gather_traffic", "matrix_traffic", "roofline"]

_BYTES = 4  # of a number in float32, and of an id


@dataclass(frozen=True)
class Traffic:
    """Operations and bytes of a computation.

    Fields: `operations`: multiplications and additions, ``> 0``; `bytes`: bytes moved between
    memory and cache at least, ``> 0``.

    Raises TypeError, ValueError: if a number is not positive and finite.

    >>> Traffic(100.0, 50.0).intensity
    2.0
    """

    operations: Positive
    bytes: Positive

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_fields(self)

    @property
    def intensity(self) -> float:
        """Operations per byte."""
        return self.operations / self.bytes


@dataclass(frozen=True)
class Roofline:
    """What the roofline says about a computation.

    Fields: `seconds`: least time; `rate`: largest rate in operations per second; `ridge`: intensity
    from which on the arithmetic is the limit, operations per byte; `limit`: what the limit is here.
    """

    seconds: float
    rate: float
    ridge: float
    limit: Literal["arithmetic", "memory"]


@checked
def roofline(traffic: Traffic, *, peak: Positive, bandwidth: Positive) -> Roofline:
    """Compute the least time of a computation on a machine.

    ``max(operations / peak, bytes / bandwidth)``, given what the machine does per second.

    >>> roofline(Traffic(100.0, 50.0), peak=10.0, bandwidth=1.0)
    Roofline(seconds=50.0, rate=2.0, ridge=10.0, limit='memory')
    """
    if not isinstance(traffic, Traffic):
        raise TypeError(f"traffic must be a Traffic, got {type(traffic).__name__}")
    arithmetic, memory = traffic.operations / peak, traffic.bytes / bandwidth
    seconds = max(arithmetic, memory)
    limit: Literal["arithmetic", "memory"] = "arithmetic" if arithmetic >= memory else "memory"
    return Roofline(seconds, traffic.operations / seconds, peak / bandwidth, limit)


@checked
def matrix_traffic(m: Count, n: Count, d: Count, *, keeps_scores: Flag = False) -> Traffic:
    """Count operations and bytes of all scores ``X W^T``, n points by m neurons.

    ``2 m n d`` operations on numbers of four bytes; both factors are read once, and the n by m
    scores written unless a program works in tiles.

    >>> matrix_traffic(1000, 100, 10).intensity
    45.45454545454545
    """
    numbers = m * d + n * d
    if keeps_scores:
        numbers += m * n
    return Traffic(2.0 * m * n * d, float(_BYTES * numbers))


@checked
def gather_traffic(pairs: Positive, d: Count, *, reuse: float = 1.0) -> Traffic:
    """Count operations and bytes of scores for listed pairs of a point and a neuron.

    ``2 d`` operations for a pair; ``4 d / reuse`` bytes for the row, 4 for the id: `reuse` pairs
    use a row of W that was loaded once, and the points stay in the cache.  Source: lines 17 and 18
    of Algorithm 1, "only on neurons in Q_{t,i}".

    >>> gather_traffic(1000, 31).intensity
    0.484375
    """
    row = _BYTES * d / scalar(reuse, "reuse", minimum=1.0)
    return Traffic(2.0 * d * pairs, pairs * (row + _BYTES))


@checked
def break_even_share(
    m: Count,
    n: Count,
    d: Count,
    *,
    peak: Positive,
    bandwidth: Positive,
    keeps_scores: bool = False,
    reuse: float = 1.0,
) -> float:
    """Find the share of pairs at which a list takes as long as the matrix product.

    Of the ``m n`` pairs, in the roofline model; it exceeds 1 where a list of all pairs would still
    be faster.  The other arguments are those of `roofline`, `matrix_traffic` and `gather_traffic`.

    >>> round(break_even_share(2**16, 256, 32, peak=1e11, bandwidth=1e10), 3)
    0.048
    """
    dense = matrix_traffic(m, n, d, keeps_scores=keeps_scores)
    one = gather_traffic(1.0, d, reuse=reuse)
    whole = roofline(dense, peak=peak, bandwidth=bandwidth).seconds
    return whole / (roofline(one, peak=peak, bandwidth=bandwidth).seconds * m * n)

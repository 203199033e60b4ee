r"""How many neurons can change their state when the weights move: Claims 4.6 = C.16 and C.2.

A neuron changes its state at x for some move of length delta iff ``-delta < z_r(x) - tau <= delta``
(it fires iff ``z > tau``); up to an event of probability zero that is the paper's indicator
``Psi_r(x, delta) = 1[|z_r - tau| <= delta]`` of Lemma C.3.  At one fixed x the number of such
neurons is therefore *exactly* binomial.  Over n fixed points the neurons still are independent, so
the union is binomial too, with a probability that depends on the angles between the points.  Over
all of X, where an adversary may look first, the exact maximum is computed for d = 3.  Before
changing anything, know that probabilities of thin windows are integrals of the density, never
differences of distribution functions, which would lose all digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy
from scipy import integrate, special
from scipy.sparse.csgraph import minimum_spanning_tree

from sublinear_lib import scaling
from sublinear_lib._arguments import (
    Count,
    Dimension,
    Nonnegative,
    Positive,
    Probability,
    checked,
    described,
)
from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.geometry import SLICE_HEIGHT, SLICE_RADIUS
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory.activity import MaximalCount, active_arcs, largest_count, require_circle
from sublinear_lib.theory.tails import count_interval
from sublinear_lib.theory.worst_case import window_integral
from sublinear_lib.validation import count, float_array, points_on_slice, scalar

__all__ = [
    "blind_flip_probability",
    "expected_flips",
    "expected_union",
    "flip_bound",
    "flip_count_interval",
    "flip_count_tail",
    "flip_probability",
    "largest_norm_bound",
    "log_no_flip_probability",
    "max_flips_on_circle",
    "max_near_on_circle",
    "near_counts_on_circle",
    "near_mask",
    "uniform_active_bound",
    "uniform_near_bound",
    "union_bracket",
    "window_probability",
]

_MARGIN = 8.0  # standard deviations beyond which a normal distribution function is flat
_THIN = 0.5  # half-width, in standard deviations, below which a density is integrated by 16 nodes


@checked
def near_mask(network: TwoLayerNetwork, X: object, delta: Nonnegative) -> BoolArray:
    """Return which neurons some move of length delta can switch, at each point.

    Whether ``-delta < z_r(x_i) - tau <= delta``, the indicator ``Psi_r`` of Claims C.2 and C.16 and
    of Lemma C.3, the sign of ``z_r - tau`` decided exactly.  One W of the ball switches as many
    neurons somewhere among the points as there are columns with a True entry: by ``+-delta x_i``.
    """
    distance = network.preactivations(X) - network.tau
    fires = network.active_mask(X)
    return np.where(fires, distance <= delta, distance > -delta)


@checked
def flip_probability(tau: Nonnegative, m: Count, delta: Nonnegative) -> float:
    r"""Compute the probability that a neuron can be switched at a fixed point, exactly.

    ``P(|z - tau| <= delta) = Q(t - theta) - Q(t + theta)`` for ``z ~ N(0, 2/m)``, where t and theta
    are tau and delta in standard deviations (Claims C.2 and C.16); accurate for thin windows.

    >>> m = 2**20
    >>> round(flip_probability(0.0, m, m**-0.625) * m**0.125, 3)  # towards 1 / sqrt(pi) = 0.564
    0.563
    """
    t, theta = _standard(tau, m, delta)
    return min(1.0, window_integral(np.ones_like, [-theta, theta], t))


def _standard(tau: float, m: int, delta: float) -> tuple[float, float]:
    std = scaling.preactivation_std(m)
    return tau / std, delta / std


@checked
def expected_flips(tau: Nonnegative, m: Count, delta: Nonnegative) -> float:
    """Compute the mean of the greatest number of switched neurons at a fixed point.

    ``m`` times `flip_probability`.  Source: Claim 4.6 with ``n = 1``, Claim C.2.

    >>> expected_flips(0.0, 100, 10.0)
    100.0
    """
    return m * flip_probability(tau, m, delta)


@checked
def flip_bound(m: Count, delta: Nonnegative) -> float:
    r"""Bound the expected number of switched neurons for every threshold (Claim A.10).

    ``m^{3/2} delta / sqrt(pi)``: the density of ``N(0, 2/m)`` is at most ``sqrt(m) / (2
    sqrt(pi))``, and the window is ``2 delta`` long (Claim A.10 with Theorem A.3, as used in C.2 and
    C.16).  The constant is sharp for ``t, theta -> 0``; at a threshold of t standard deviations it
    becomes ``exp(-t^2/2) / sqrt(pi)``.

    >>> round(flip_bound(2**16, 2.0**-10) / 2**14 * math.sqrt(math.pi), 12)  # m^(7/8) = 2^14
    1.0
    """
    return math.pow(m, 1.5) * delta / math.sqrt(math.pi)


@checked
def flip_count_interval(
    tau: Nonnegative, m: Count, delta: Nonnegative, confidence: Probability = 0.999
) -> tuple[int, int]:
    """Give the range in which the number of switchable neurons at a fixed point falls.

    ``(lowest, highest)``, quantiles of the exact binomial law.  Source: Claim 4.6 with ``n = 1``.

    >>> flip_count_interval(0.0, 1000, 0.0)
    (0, 0)
    """
    return count_interval(m, flip_probability(tau, m, delta), confidence)


@checked
def flip_count_tail(number: Nonnegative, tau: Nonnegative, m: Count, delta: Nonnegative) -> float:
    """Compute the exact probability that more than a number of neurons can be switched at a point.

    To be compared with the printed ``exp(-Omega(m^{7/8}))`` of Claim 4.6 = C.16 for one point.

    >>> flip_count_tail(10, 0.0, 10, 1.0)
    0.0
    """
    return float(scipy.stats.binom.sf(math.floor(number), m, flip_probability(tau, m, delta)))


@checked
def log_no_flip_probability(tau: Nonnegative, m: Count, delta: Nonnegative) -> float:
    r"""Compute the logarithm of the probability that no neuron at all can be switched at a point.

    ``m log(1 - p)``, minus infinity if every neuron can be switched for certain.  Source: second
    half of Claim 4.6 = C.16.  Printed is that each indicator is ``< O(n m^{-1/8})``; an indicator
    below 1 is 0, so for ``m > (C n)^8`` this says that *no* neuron ever changes, which has a
    probability of about ``exp(-m^{7/8} / sqrt(pi))``.  What the proof bounds is the *probability*
    of the indicator.

    >>> log_no_flip_probability(0.0, 2**20, 2.0**-12.5) < -100_000
    True
    """
    p = flip_probability(tau, m, delta)
    return count(m, "m") * math.log1p(-p) if p < 1.0 else -math.inf


@checked
def blind_flip_probability(tau: Nonnegative, m: Count, delta: Nonnegative, d: Dimension) -> float:
    r"""Compute the probability that a move in a random direction switches a neuron at a point.

    ``P(1[z > tau] != 1[z + <Delta w, x> > tau])`` for ``z ~ N(0, 2/m)`` and a move ``Delta w`` of
    length delta whose direction is uniform and independent of z.  Source: ours, to compare with the
    worst move of Claim C.2.  Seen from x the move is ``u = delta xi`` with the first coordinate xi
    of a uniform unit vector.  For ``u > 0`` the neurons of ``(tau - u, tau]`` wake, for ``u < 0``
    those of ``(tau, tau + |u|]`` fall silent; the two signs are equally likely, so the probability
    is ``E[flip_probability(tau, m, |u|)] / 2``. With ``xi = sin a`` the density of the angle a is
    proportional to ``cos^{d-2} a``.  For thin windows it is ``E|xi|/2`` of `flip_probability`, and
    ``E|xi| = 1/2`` for d = 3.

    >>> m = 2**20
    >>> worst = flip_probability(0.0, m, m**-0.625)
    >>> round(blind_flip_probability(0.0, m, m**-0.625, 3) / worst, 3)
    0.25
    """
    t, theta = _standard(tau, m, delta)
    if theta == 0.0:
        return 0.0

    def weighted(a: float) -> float:
        inside = float(window_probability(t, theta * math.sin(a)))
        return math.cos(a) ** (d - 2) * inside

    # E|xi| is of the order d^(-1/2), and the window saturates where theta sin a passes t.
    width = math.pi / 2.0 if d < 8 else min(math.pi / 2.0, 9.0 / math.sqrt(d - 2.0))
    marks = [math.asin(v / theta) for v in (t, max(t - 4.0, 0.0), t + 4.0) if 0.0 < v < theta]
    found, _ = integrate.quad(
        weighted,
        0.0,
        width,
        points=[a for a in marks if a < width] or None,
        epsabs=0.0,
        epsrel=1e-11,
        limit=400,
    )
    mass = special.beta(0.5, 0.5 * (d - 1.0)) / 2.0  # the integral of cos^(d-2) over [0, pi/2]
    return min(0.5, 0.5 * found / float(mass))


def _pair_probability(t: float, theta: float, correlation: float) -> float:
    """Return P(both of two standard normal variables lie within theta of t)."""
    rest = math.sqrt((1.0 - correlation) * (1.0 + correlation))
    if rest == 0.0:
        return window_integral(np.ones_like, [-theta, theta], t)

    def other(v: FloatArray) -> FloatArray:
        return _interval_probability(t, theta, correlation * (t + v), rest)

    steps = [(t + side * theta) / correlation - t for side in (-1.0, 1.0)]
    edges = _edges(-theta, theta, steps, _MARGIN * rest / correlation)
    return window_integral(other, edges, t)


def _interval_probability(t: float, theta: float, mean: FloatArray, std: float) -> FloatArray:
    """Return P(|mean + std N - t| <= theta), without cancellation."""
    return window_probability((mean - t) / std, theta / std)


@described
def window_probability(middle: object, half: object) -> FloatArray:
    """Compute the probability that a standard normal number falls into a window.

    Here `middle`: middles of the windows, any shape; `half`: half their widths, ``>= 0``; broadcast
    against `middle`.

    ``P(|N - middle| <= half)``, without cancellation for thin windows.

    Source: the indicator ``Psi_r`` of Claims C.2 and C.16 and of Lemma C.3.  Half-widths up to 1/2
    are integrated by 16 Gauss-Legendre nodes, which is exact to rounding.

    >>> window_probability([0.0, 1.0], 1.0).round(6)
    array([0.682689, 0.47725 ])
    """
    center, width = np.broadcast_arrays(
        float_array(middle, "middle", allow_empty=True), float_array(half, "half", allow_empty=True)
    )
    if width.size and width.min() < 0.0:
        raise ValueError(f"half must be >= 0, got {float(width.min())}")
    gap = np.abs(center)  # by symmetry
    nodes, weights = np.polynomial.legendre.leggauss(16)
    inside = np.minimum(width, _THIN)[..., None] * nodes
    density = np.exp(-0.5 * (gap[..., None] + inside) ** 2) / math.sqrt(2.0 * math.pi)
    wide = special.ndtr(width - gap) - special.ndtr(-width - gap)
    return np.asarray(np.where(width > _THIN, wide, width * (density @ weights)))


def _edges(low: float, high: float, steps: list[float], width: float) -> list[float]:
    """Return break points that isolate smooth steps of a given half-width."""
    inner = [step + side * width for step in steps for side in (-1.0, 0.0, 1.0)]
    return sorted({low, high, *(v for v in inner if low < v < high)})


@checked
def expected_union(n: Count, inner: float, tau: Nonnegative, m: Count, delta: Nonnegative) -> float:
    r"""Compute the mean number of neurons that can be switched at one of n equidistant points.

    Here `inner`: their common inner product, ``-1/2 <= inner <= 1``: any for ``n = 2``, ``1/4`` for
    points with orthogonal directions ``(sqrt(3)/2 e_i, 1/2)``, for n > 2 at least ``1/4 - 3/(4 (n -
    1))``, below which no such points exist.

    The expectation, at most ``min(m, n m p)`` with p the probability for one point.  Source: Claim
    4.6 = C.16 for n fixed points.  The pre-activations of one neuron at the points are normal with
    variance ``2/m`` and correlation ``r = (1 + inner)/2``, between 1/4 and 1.  Such variables are
    ``sqrt(2/m) (sqrt(r) N_0 + sqrt(1 - r) N_i)`` with independent N: given ``N_0 = g`` the n events
    are independent, each of probability ``p(g)``, and

        P(union) = E[1 - (1 - p(N_0))^n].

    It is ``n p`` while that is small and tends to 1 with n: the factor n of the printed bound stops
    being true to size once ``n m^{-1/8}`` is of order one, which is n = 6 at ``m = 2^20``.

    >>> m = 2**20
    >>> [round(expected_union(n, 0.25, 0.0, m, m**-0.625) / m, 2) for n in (1, 2, 8, 64)]
    [0.1, 0.19, 0.52, 0.91]
    """
    lowest = 0.25 - 0.75 / max(n - 1, 1)  # -1/2 for two points, and for one
    product = scalar(inner, "inner", minimum=lowest, maximum=1.0)
    t, theta = _standard(tau, m, delta)
    correlation = 0.5 * (1.0 + product)
    if n == 1 or correlation == 1.0:
        return expected_flips(tau, m, delta)
    root, rest = math.sqrt(correlation), math.sqrt(1.0 - correlation)

    def some(g: FloatArray) -> FloatArray:
        p = np.minimum(_interval_probability(t, theta, root * g, rest), 1.0 - 2.0**-53)
        return np.asarray(-np.expm1(n * np.log1p(-p)))

    steps = [(t + side * theta) / root for side in (-1.0, 1.0)]
    edges = _edges(-40.0, 40.0, steps, _MARGIN * rest / root)
    return m * window_integral(some, edges, 0.0)


@checked
def union_bracket(X: object, tau: Nonnegative, m: Count, delta: Nonnegative) -> tuple[float, float]:
    r"""Enclose the mean number of neurons that can be switched at one of any n fixed points.

    Returned: `lower, upper`: Bounds of the expectation, equal for ``n <= 2``.  Source: Claim 4.6 =
    C.16; instead of the paper's ``n m p``, bounds of second order.  With ``S_1 = n p``, ``S_2`` the
    sum of the exact ``p_ij`` over the pairs, and ``k = 1 + floor(2 S_2 / S_1)``, Dawson and Sankoff
    give ``P >= 2 S_1 / (k + 1) - 2 S_2 / (k (k + 1))``, and Hunter ``P <= S_1 - sum p_ij`` over the
    edges of a heaviest spanning tree.

    >>> pair = [[3**0.5 / 2, 0.5], [-(3**0.5) / 2, 0.5]]
    >>> low, high = union_bracket(pair, 0.0, 1024, 0.01)
    >>> abs(low - high) < 1e-9 and abs(low - expected_union(2, -0.5, 0.0, 1024, 0.01)) < 1e-9
    True
    """
    points = points_on_slice(X)
    t, theta = _standard(tau, m, delta)
    single = flip_probability(tau, m, delta)
    n = len(points)
    if n == 1 or single == 0.0:
        return m * single, m * single
    products = np.clip(points @ points.T, -0.5, 1.0)
    pairs = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            pairs[i, j] = pairs[j, i] = _pair_probability(t, theta, 0.5 * (1.0 + products[i, j]))
    first, second = n * single, float(np.tril(pairs, -1).sum())
    k = 1 + math.floor(2.0 * second / first)
    lower = 2.0 * first / (k + 1) - 2.0 * second / (k * (k + 1))
    upper = min(1.0, first + minimum_spanning_tree(-pairs).sum())
    return m * lower, m * upper


# All points of X at once, in any dimension (Theorem B)


@checked
def largest_norm_bound(m: Count, d: Dimension, failure: Probability = 1e-3) -> float:
    r"""Bound the largest norm of the initial weight vectors, up to a probability of failure.

    ``rho`` with ``m P[||w_r|| > rho] = failure``, of order ``sqrt(d/m) + sqrt(log(m)/m)``: ``m
    ||w_r||^2`` is chi-square with d degrees of freedom.

    >>> round(largest_norm_bound(1, 2, math.exp(-2.0)), 12)  # P[chi^2_2 > 4] = exp(-2)
    2.0
    """
    return math.sqrt(float(scipy.stats.chi2.isf(failure / m, d)) / m)


@checked
def uniform_near_bound(
    tau: Nonnegative, m: Count, d: Dimension, delta: Positive, failure: Probability = 1e-3
) -> int:
    r"""Bound the number of neurons near the threshold at every point of X at once.

    A number that ``sup over x in X of #{r : |z_r(x) - tau| <= delta}`` exceeds with probability at
    most `failure`, ``O(m^{3/2} phi(t) delta + d log m)``.  Source: Theorem B of this project.

    *Proof*: (B) on the page *From one input to all*, step by step, with `largest_norm_bound` at
    half the failure, ``N = (1 + sqrt(3) rho / slack)^{d-1}`` points of the net (two for d = 2) and
    the k at which ``m KL(k/m, p)`` reaches ``log(2 N/failure)`` (Chernoff).  The smallest of the
    bounds for the slacks ``delta 2^-j``, ``-4 <= j <= 20``, is returned.

    >>> m = 2**20
    >>> bound = uniform_near_bound(0.0, m, 3, m**-0.625)
    >>> 1.0 < bound / expected_flips(0.0, m, m**-0.625) < 1.2
    True
    """

    def share(slack: float) -> float:
        return flip_probability(tau, m, delta + slack)

    return _uniform(share, m, d, delta, failure)


@checked
def uniform_active_bound(
    tau: Nonnegative, m: Count, d: Dimension, delta: Nonnegative = 0.0, failure: Probability = 1e-3
) -> int:
    r"""Bound the number of active neurons at every point of X and for every W of a ball at once.

    A number that ``sup over x and W of #{r : <w_r, x> + b_r > tau}`` exceeds with probability at
    most `failure`.  Source: Theorem B of this project, second half; what Lemma 4.5 needs for points
    chosen after looking at the weights.  As `uniform_near_bound`, with ``z_r > tau - delta -
    slack``.

    >>> m = 2**20
    >>> 0.5 < uniform_active_bound(1 / m, m, 3) / m < 0.51
    True
    """
    std = scaling.preactivation_std(m)

    def share(slack: float) -> float:
        return scaling.activity_at((tau - delta - slack) / std)

    return _uniform(share, m, d, std, failure)


def _uniform(share: Callable[[float], float], m: int, d: int, scale: float, level: float) -> int:
    """Return the smallest union bound over the widths of the net (see `uniform_near_bound`)."""
    rho = largest_norm_bound(m, d, level / 2.0)
    best = m
    for power in range(-4, 21):
        slack = scale * 2.0**-power
        reach = 1.0 + 2.0 * SLICE_RADIUS * rho / slack
        log_net = math.log(2.0) if d == 2 else (d - 1) * math.log(reach)
        cost = log_net + math.log(2.0 / level)
        best = min(best, _chernoff_quantile(m, min(1.0, share(slack)), cost))
    return best


def _chernoff_quantile(m: int, p: float, cost: float) -> int:
    """Return a number that Binomial(m, p) exceeds with probability at most ``exp(-cost)``."""
    low, high = math.ceil(m * p), m + 1  # the smallest k with m KL(k/m, p) >= cost is wanted
    while low < high:
        k = (low + high) // 2
        if _relative_entropy(k / m, p) * m >= cost:
            high = k
        else:
            low = k + 1
    return min(m, low - 1)


def _relative_entropy(q: float, p: float) -> float:
    """Return ``KL(q, p)`` of two probabilities of success, infinite where p excludes q."""
    first = 0.0 if q == 0.0 else q * math.log(q / p) if p > 0.0 else math.inf
    if q == 1.0:
        return first
    return first + (1.0 - q) * math.log((1.0 - q) / (1.0 - p)) if p < 1.0 else math.inf


@checked
def max_near_on_circle(network: TwoLayerNetwork, delta: Nonnegative) -> MaximalCount:
    r"""Find the point of X at which most neurons are within delta of the threshold, for d = 3.

    The maximum over x in X of ``sum_r 1[|z_r(x) - tau| <= delta]``, almost surely the supremum,
    over x and the weights of the ball, of the number of switched neurons (Claims C.2 and 4.6 with
    the point chosen last).  On X = {(s cos v, s sin v, 1/2)}, s = sqrt(3)/2, neuron r has ``z_r -
    tau = R_r cos(v - v_r) + e_r`` with ``R_r = s |w'_r|`` and ``e_r = b_r + w_{r,3}/2 - tau``. It
    is near the threshold nowhere, everywhere, on one arc or on two; a sweep over the sorted ends of
    these closed arcs (beginnings first where both coincide) visits every value of the count.  The
    ends are rounded to float64.  Time O(m log m).
    """
    require_circle(network)
    always, begin, end = _near_arcs(network, delta)
    base = always + int(np.count_nonzero(end < begin))
    angle = np.concatenate((begin, end))
    return largest_count(angle, np.repeat([1, -1], begin.size), base)


@checked
def near_counts_on_circle(network: TwoLayerNetwork, delta: Nonnegative, angles: object) -> IntArray:
    r"""Count the neurons within delta of the threshold along the circle X, for d = 3.

    Here `angles` (k,): angles v of the points ``(sqrt(3)/2 cos v, sqrt(3)/2 sin v, 1/2)``, in
    radians.

    ``sum_r 1[|z_r(x) - tau| <= delta]`` at each of these points.  Source: the sum of the ``Psi_r``
    of Claim C.2 and Lemma C.3, as a function of x.  Of the closed arcs of `max_near_on_circle`,
    those around v are the ones that begin up to v less the ones that end before it.  The ends are
    rounded to float64.  Time ``O((m + k) log m)``.

    >>> network = TwoLayerNetwork([[1.0, 0.0, 0.0]], [1.0], [0.0], tau=0.75**0.5)
    >>> near_counts_on_circle(network, 0.1, [0.0, 0.4, 1.0])  # z - tau = 0, -0.07 and -0.40
    array([1, 1, 0])
    """
    require_circle(network)
    v = np.mod(float_array(angles, "angles", shape=(None,)), 2.0 * math.pi)
    always, begin, end = _near_arcs(network, delta)
    base = always + int(np.count_nonzero(end < begin))
    begun = np.searchsorted(np.sort(begin), v, side="right")
    ended = np.searchsorted(np.sort(end), v, side="left")
    return np.asarray(base + begun - ended, dtype=np.int64)


def _near_arcs(network: TwoLayerNetwork, radius: float) -> tuple[int, FloatArray, FloatArray]:
    """Return how many neurons are near everywhere, and the ends in [0, 2 pi) of all other arcs."""
    size, center, offset = _waves(network)
    low = np.full(network.m, -np.inf)
    high = np.full(network.m, np.inf)
    turning = size > 0.0
    np.divide(-radius - offset, size, out=low, where=turning)
    np.divide(radius - offset, size, out=high, where=turning)
    possible = np.where(turning, (low <= 1.0) & (high >= -1.0), np.abs(offset) <= radius)
    always = possible & (low <= -1.0) & (high >= 1.0)
    # The angle to the neuron's direction ranges over [inner, outer], on either side.
    inner = np.arccos(np.clip(high, -1.0, 1.0))
    outer = np.arccos(np.clip(low, -1.0, 1.0))
    one = possible & ~always & (high >= 1.0)
    other = possible & ~always & (low <= -1.0) & ~one
    two = possible & ~always & ~one & ~other
    begin = np.concatenate(
        (
            (center - outer)[one],
            (center + inner)[other],
            (center + inner)[two],
            (center - outer)[two],
        )
    )
    length = np.concatenate(
        (
            2.0 * outer[one],
            2.0 * (math.pi - inner[other]),
            (outer - inner)[two],
            (outer - inner)[two],
        )
    )
    turn = 2.0 * math.pi
    begin = np.mod(begin, turn)
    return int(np.count_nonzero(always)), begin, np.mod(begin + length, turn)


def max_flips_on_circle(initial: TwoLayerNetwork, W: object) -> MaximalCount:
    r"""Find the point of X at which most neurons differ in state between two sets of weights.

    The maximum over X of ``sum_r 1[Phi_{x,r} != Phi^0_{x,r}]``, the left-hand sides of Claims C.2
    and 4.6, up to the finitely many points where a pre-activation equals tau.  The two states
    differ on the symmetric difference of two arcs of `active_arcs`: the indicator toggles at each
    of at most four ends.  The ends are rounded to float64.  Time O(m log m).
    """
    require_circle(initial)
    now = initial.with_weights(W)
    arcs = [active_arcs(network.W, network.b, network.tau) for network in (initial, now)]
    ends = np.full((initial.m, 4), np.inf)
    at_zero = []  # which neurons are active just behind the angle 0, as the rounded ends have it
    for column, (everywhere, partly, begin, end) in enumerate(arcs):
        ends[partly, 2 * column], ends[partly, 2 * column + 1] = begin, end
        everywhere[partly] = begin >= end
        at_zero.append(everywhere)
    differs = at_zero[0] != at_zero[1]
    ends.sort(axis=1)  # missing ends are infinite and come last
    step = np.where(differs, -1, 1)[:, None] * np.array([1, -1, 1, -1])
    real = np.isfinite(ends)
    angle, change = ends[real], step[real]
    # At equal angles the falls come first: a neuron that did not move has coinciding ends.
    order = np.argsort(change, kind="stable")
    return largest_count(angle[order], change[order], int(np.count_nonzero(differs)))


def _waves(network: TwoLayerNetwork) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return R, v_r and e with ``z_r - tau = R cos(v - v_r) + e`` on the circle."""
    size = SLICE_RADIUS * np.hypot(network.W[:, 0], network.W[:, 1])
    center = np.arctan2(network.W[:, 1], network.W[:, 0])
    return size, center, network.b + SLICE_HEIGHT * network.W[:, 2] - network.tau

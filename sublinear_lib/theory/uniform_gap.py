r"""f - g over all of X and all weights of a ball at once, with explicit constants (Theorem A).

Theorem 4.1 is a statement about ``sup_x sup_W``.  The inner supremum is exact
(:mod:`sublinear_lib.theory.worst_case`).  For the outer one this module has two tools: for the
continuous activation ``sup_W (f - g)`` as a function of x is itself a two-layer network with at
most three neurons for each of the m, so that whatever maximizes a network over X maximizes it too;
and a bound with an explicit failure probability, by Bernstein's inequality (Lemma A.9) on a net of
X.  Before changing the bound, know that nothing in it may depend on the draw: the spacing of the
net is the best of a fixed list, chosen before anything is random.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sublinear_lib import scaling
from sublinear_lib._arguments import (
    Count,
    Dimension,
    Flag,
    Nonnegative,
    Positive,
    Probability,
    checked,
    described,
)
from sublinear_lib._typing import FloatArray
from sublinear_lib.activations import CONTINUOUS, JUMP, ShiftedReLU, get_activation
from sublinear_lib.geometry import SLICE_RADIUS, chord_distances
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory.gap_parts import initial_square, log_initial_output_tail
from sublinear_lib.theory.worst_case import Side, window_integral
from sublinear_lib.validation import choice, float_array, scalar

__all__ = [
    "certified_gap_bound",
    "certified_initial_bound",
    "gap_slope",
    "log_net_size",
    "net_ceiling",
    "smallest_union_width",
    "thin_window_size",
    "worst_gap_network",
]

_SPACINGS = 80


@checked
def worst_gap_network(
    network: TwoLayerNetwork, delta: Nonnegative, side: Side = "above", *, centered: Flag = False
) -> TwoLayerNetwork:
    r"""Return the network whose value at x is ``sup_W (f - g)(x)``, continuous activation.

    Here `side`: whether it is ``sup_W (f - g)`` or ``sup_W (g - f)``; `centered`: whether the
    initial network B is taken out: ``sup_W (f - g - B)`` or ``sup_W (g - f + B)``.

    At most 3 m neurons with the continuous activation and the same threshold; one silent neuron if
    there would be none.  Source: Proposition 1.  For the continuous activation the supremum at x is
    ``+-B(x) + sum |a_r| (delta - |s_r(x)|)_+`` over the neurons of one sign, and

        (delta - |s|)_+ = (s + delta)_+ - 2 s_+ + (s - delta)_+,

    three neurons with the same weights and the biases ``b + delta``, b and ``b - delta``.  The
    biases are rounded; everything else is exact.

    >>> start = TwoLayerNetwork.initialize(512, 3, "R3", rng=0)
    >>> x = [3**0.5 / 2, 0.0, 0.5]
    >>> from sublinear_lib.theory.worst_case import worst_gap_at
    >>> value = worst_gap_network(start, 0.02).forward([x])[0]
    >>> bool(abs(value - worst_gap_at(start, x, 0.02).above) < 1e-12)
    True
    """
    sign = 1.0 if choice(side, "side", ("above", "below")) == "above" else -1.0
    if network.activation != CONTINUOUS:
        raise ValueError(
            "network must have the activation 'continuous', got one with "
            f"{network.activation.name!r}: with a jump the supremum is not such a network"
        )
    weights = sign * network.a
    up = weights > 0.0
    size, W, b = weights[up], network.W[up], network.b[up]
    kept = np.full(len(size), -2.0) if centered else np.full(len(size), -1.0)
    parts: list[tuple[FloatArray, FloatArray, FloatArray]] = [
        (W, size, b + delta),
        (W, kept * size, b),
        (W, size, b - delta),
    ]
    if not centered:
        parts.append((network.W[~up], weights[~up], network.b[~up]))
    if centered and not up.any():
        parts.append((np.zeros((1, network.d)), np.zeros(1), np.zeros(1)))
    rows, output, bias = (np.concatenate(column) for column in zip(*parts, strict=True))
    return TwoLayerNetwork(rows, output, bias, network.tau, CONTINUOUS)


@described
def gap_slope(network: TwoLayerNetwork) -> float:
    r"""Return a Lipschitz constant on X of ``sup_W |f - g - B|``, whatever the radius.

    The larger one of ``sum |a_r| ||w'_r||`` over the neurons with ``a_r > 0`` and over those with
    ``a_r < 0``, with ``w'_r`` the first ``d - 1`` coordinates of ``w_r``.

    Raises ValueError: if the network has the jump activation: no constant serves then.

    Source: Definition A.4 and step (3) of `certified_gap_bound`.  The supremum at x is the larger
    one of ``sum |a_r| (delta - |s_r(x)|)_+`` over the two signs (Proposition 1).  Each term changes
    at most as fast as ``s_r``, and the last coordinates of two points of X agree.

    >>> rows = [[3.0, 0.0, 7.0], [0.0, 4.0, 7.0]]
    >>> gap_slope(TwoLayerNetwork(rows, [1.0, -0.5], [0.0, 0.0], 0.1, "continuous"))
    3.0
    """
    if network.activation != CONTINUOUS:
        raise ValueError(
            "network must have the activation 'continuous', got one with "
            f"{network.activation.name!r}: with a jump no Lipschitz constant exists"
        )
    steep = np.abs(network.a) * np.linalg.norm(network.W[:, :-1], axis=1)
    up = network.a > 0.0
    return max(float(steep[up].sum()), float(steep[~up].sum()))


@checked
def net_ceiling(X: object, net: object, values: object, slope: Nonnegative) -> FloatArray:
    r"""Bound a Lipschitz function everywhere by its values on a net.

    ``min_j values_j + slope ||x - net_j||``: no function with this Lipschitz constant and these
    values on the net is larger anywhere, and this one is one of them (Definition A.4).

    >>> net_ceiling([[0.0], [0.5], [1.0]], [[0.0], [1.0]], [1.0, 2.0], 1.0)
    array([1. , 1.5, 2. ])
    """
    known = float_array(net, "net", shape=("k", None))
    heights = float_array(values, "values", shape=(len(known),))
    points = float_array(X, "X", shape=(None, known.shape[1]))
    distances = chord_distances(points, known)
    return np.asarray((heights + slope * distances).min(axis=1))


@checked
def log_net_size(d: Dimension, spacing: Positive) -> float:
    r"""Bound the logarithm of the number of points of a maximal net of X.

    Here `spacing`: radius nu of the net, a chord length, ``> 0``.

    ``(d - 1) log(1 + sqrt(3)/nu)``: no set of points of X that are more than nu apart has more, and
    every maximal one is a nu-net.  The proof of Theorem C.1 bounds a maximal 1/m-net by
    ``(1/m)^{O(d)}``; the sign of that exponent should be a minus.  Proof: *the size of a net*, on
    the page *From one input to all*.

    >>> round(math.exp(log_net_size(2, 3**0.5)), 12)  # two points, and 1 + 1
    2.0
    """
    return (d - 1) * math.log1p(2.0 * SLICE_RADIUS / spacing)


@checked
def smallest_union_width(d: Dimension, power: float) -> float:
    r"""Return the width from which a union bound over the 1/m-net of X leaves anything.

    Here `power`: the power c in the failure probability ``exp(-m^c)`` at one point, in (0, 1/2].

    Returned: The smallest real number from which on ``m^c >= (d - 1) log(1 + sqrt(3) m)``: below
    it the bound ``exp(-m^c)`` times the size of the net exceeds one.  Source: proof of Theorem
    C.1, which asks for ``m >= Omega(d^3)`` with ``c = 1/5``.  But ``m^{1/5} >= d log m`` means ``m
    >= (d log m)^5``.  In ``y = log m`` the logarithm of the left side is linear and that of ``log(1
    + sqrt(3) exp(y))`` concave, and at m = 2 the right side is larger, so they cross once.

    >>> m = smallest_union_width(10, 0.2)
    >>> 1e12 < m < 2e12
    True
    """
    c = scalar(power, "power", exclusive_minimum=0.0, maximum=0.5)

    def spare(y: float) -> float:
        # In logarithms: for a small power m itself would overflow.
        size = y + math.log(2.0 * SLICE_RADIUS + math.exp(-y))
        return c * y - math.log((d - 1) * size)

    low = math.log(2.0)
    high = 2.0 * low
    while spare(high) < 0.0:
        low, high = high, 2.0 * high
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if spare(middle) < 0.0 else (low, middle)
    return math.exp(high) if high < 709.0 else math.inf


@dataclass(frozen=True)
class CertifiedGap:
    """A bound that holds for all x of X and all W of the ball, but for a stated probability.

    Fields: `mean`: the mean of the bounding sum at one point; `deviation`: how far the sum may
    exceed its mean at a point of the net; `mesh`: how much it may change between a point of X and
    the nearest point of the net; `variance`: variance of the sum at one point; `largest`: largest
    value of one of its terms; `spacing`: radius of the net; `log_net`: logarithm of the number of
    its points; `failure`: probability with which the bound may fail.
    """

    mean: float
    deviation: float
    mesh: float
    variance: float
    largest: float
    spacing: float
    log_net: float
    failure: float

    @property
    def value(self) -> float:
        """The bound."""
        return self.mean + self.deviation + self.mesh


@checked
def certified_gap_bound(
    m: Count,
    d: Dimension,
    a: Nonnegative,
    delta: Positive,
    tau: Nonnegative,
    activation: str | ShiftedReLU = "continuous",
    failure: Probability = 1e-3,
    spacing: Positive | None = None,
) -> CertifiedGap:
    r"""Bound ``sup_x sup_W |f - g - B|`` with an explicit failure probability.

    Here `spacing`: radius of the net, ``> 0``, a chord length; by default the best of a fixed list.

    Source: Theorem A of this project.

    With Y of step 1 of *Proof of (A)*, on the page *From one input to all*, the exact mean and
    variance V of ``sum_r a Y`` are integrals against the normal density.  With M the maximum of Y,
    L its Lipschitz constant and N the net, step 2 gives the deviation ``h = a M q/3 + sqrt((a M
    q/3)^2 + 2 V q)``, ``q = log(2N/failure)``, and step 4 the mesh ``a L nu sqrt(k + 2 sqrt(k l) +
    2 l)`` with ``k = m (d - 1)``, ``l = log(2/failure)``.

    >>> bound = certified_gap_bound(2**14, 3, 2**-2.8, 2**-8.4, 0.02)
    >>> bound.value > bound.mean > 0
    True
    """
    std = scaling.preactivation_std(m)
    t, theta = tau / std, delta / std
    if get_activation(activation) == JUMP:
        largest, slope = tau + delta, (tau + delta) / delta
        edges = [-2.0 * theta, -theta, 0.0, theta, 2.0 * theta]

        def height(v: FloatArray) -> FloatArray:
            return largest * np.clip(2.0 - np.abs(v) / theta, 0.0, 1.0)
    else:
        largest, slope = delta, 1.0
        edges = [-theta, 0.0, theta]

        def height(v: FloatArray) -> FloatArray:
            return std * np.maximum(theta - np.abs(v), 0.0)

    first = window_integral(height, edges, t)
    second = window_integral(lambda v: height(v) ** 2, edges, t)
    mean = a * m * first
    variance = a**2 * m * (second - first**2)
    lipschitz = a * slope * _length_bound(m, d, failure)

    def deviation(log_net: float) -> float:
        need = log_net + math.log(2.0 / failure)
        third = a * largest * need / 3.0
        return third + math.sqrt(third**2 + 2.0 * variance * need)

    if spacing is None:
        mesh, log_net = _best_net(d, delta, deviation, lipschitz)
    else:
        mesh, log_net = spacing, log_net_size(d, spacing)
    return CertifiedGap(
        mean=mean,
        deviation=deviation(log_net),
        mesh=lipschitz * mesh,
        variance=variance,
        largest=a * largest,
        spacing=mesh,
        log_net=log_net,
        failure=failure,
    )


def _length_bound(m: int, d: int, failure: float) -> float:
    """Bound ``sqrt(m sum ||w'_r||^2)``, but for half the failure probability (Lemma A.7)."""
    freedom, need = float(m) * (d - 1), math.log(2.0 / failure)
    return math.sqrt(freedom + 2.0 * math.sqrt(freedom * need) + 2.0 * need)


def _best_net(
    d: int, radius: float, deviation: Callable[[float], float], lipschitz: float
) -> tuple[float, float]:
    """Return spacing and log size of the net that makes deviation plus mesh smallest."""
    best, spacing, k = (math.inf, 0.0, 0.0), radius, 0
    while k < _SPACINGS or best[1] < 2.0 * spacing:  # very wide networks want finer nets
        spacing = math.ldexp(radius, 8 - k)
        log_net = log_net_size(d, spacing)
        best = min(best, (deviation(log_net) + lipschitz * spacing, spacing, log_net))
        k += 1
    return best[1:]


@checked
def certified_initial_bound(
    m: Count, d: Dimension, a: Positive, tau: Nonnegative, failure: Probability = 1e-3
) -> CertifiedGap:
    r"""Bound ``sup_x |B(x)|``, the initial network with the continuous activation, over all of X.

    The mean is 0, `variance` that of B at a point, and `largest` infinite.  Source: Claim C.6 on a
    net, for Theorem 4.1 as repaired.  *Proof.*  At a point of the net the tail of ``|B|`` is that
    of :func:`~sublinear_lib.theory.gap_parts.log_initial_output_tail`; the deviation is the level
    at which it is ``failure / (2N)``, found by bisection and rounded up.  ``(z - tau)_+`` is
    1-Lipschitz in z, so ``|B(x) - B(y)| <= a sum_r ||w'_r|| ||x - y||`` and the rest is as in
    `certified_gap_bound`.  ∎  (The jump network is not Lipschitz in x.)

    >>> m = 2**14
    >>> bound = certified_initial_bound(m, 3, m**-0.2, 0.0)
    >>> 3 < bound.value / m**-0.2 < 10
    True
    """
    variance = 2.0 * a**2 * initial_square(m, tau, CONTINUOUS)
    lipschitz = a * _length_bound(m, d, failure)

    def guess(log_net: float) -> float:
        # Only to choose the net: as if B were normal.
        return math.sqrt(2.0 * variance * (log_net + math.log(4.0 / failure)))

    spacing, log_net = _best_net(d, 1.0, guess, lipschitz)
    need = -(log_net + math.log(2.0 / failure))
    low, high = 0.0, guess(log_net) + 1e-300
    while log_initial_output_tail(high, m, a, tau, CONTINUOUS) > need:
        low, high = high, 2.0 * high
    while high - low > 1e-9 * high:
        middle = 0.5 * (low + high)
        if log_initial_output_tail(middle, m, a, tau, CONTINUOUS) > need:
            low = middle
        else:
            high = middle
    return CertifiedGap(
        mean=0.0,
        deviation=high,
        mesh=lipschitz * spacing,
        variance=variance,
        largest=math.inf,
        spacing=spacing,
        log_net=log_net,
        failure=failure,
    )


@checked
def thin_window_size(
    m: Count,
    a: Nonnegative,
    delta: Nonnegative,
    tau: Nonnegative,
    activation: str | ShiftedReLU = "continuous",
) -> float:
    r"""Return the size that Theorem A states for ``sup_x sup_W |f - g - B|``, up to its constant.

    ``a m^{3/2} phi(t) delta^2``, for the jump ``a m^{3/2} phi(t) delta (delta + tau)``.

    >>> round(thin_window_size(10**10, 0.01, 1e-6, 0.0) * math.sqrt(2 * math.pi), 12)
    10.0
    """
    t = scaling.standardize_threshold(tau, m)
    density = math.exp(-0.5 * t * t) / math.sqrt(2.0 * math.pi)
    jump = tau if get_activation(activation) == JUMP else 0.0
    return a * math.pow(m, 1.5) * density * delta * (delta + jump)

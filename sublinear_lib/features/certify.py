r"""Certificates: lower bounds on the margin over *all* perturbations within a budget.

The margin ``F_y - F_j`` is a sum over patches, and every patch is perturbed on its own, so its
worst case is a sum of worst cases of patches; only these are bounded.  Two ways:

*interval*: ``z = <w, x>`` stays in ``[z - eps |w|_1, z + eps |w|_1]``, every filter on its own.  It
is exact where the filters of two classes use different coordinates, as for networks of pure
features.

*linear*: for a convex rectifier, ``act(z_y)`` is above each of its tangents and ``act(z_j)`` below
its chord, so a patch is bounded by a linear function of the perturbation, whose least value on the
box is known; what two filters share is subtracted before the absolute value is taken.  Per patch
the best of three tangents and of the interval counts.

Before changing anything, know that the bounds hold for the stored weights in exact arithmetic and
for what the computer returns.  With ``u = 2**-53`` and d coordinates, a pre-activation is computed
within ``d u / (1 - d u) S`` for ``S = sum |w| (|x| + eps)``, and the ends are moved outward by
``4 (d + 4) u S``: for the ends themselves, for an evaluation at a perturbed input, and to spare.  A
value of the rectifier is taken to be right within `Activation.error_bound`, a slope within
`Activation.relative_error`.  Sums of n terms are moved by ``4 (n + 4) u`` times the sum of absolute
values.  A constant ``4 (n + 4) 2**-1000`` covers underflow, also that of the values summed.

Source: interval and linear bounds are standard (Gowal et al., 2018; Zhang et al., 2018); that they
are taken patch by patch, and the treatment of rounding, is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from sublinear_lib import validation
from sublinear_lib._arguments import Nonnegative, Positive, checked
from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.features.network import PatchNetwork, checked_patches

__all__ = ["certified_radii", "certify_patches"]

PatchMethod: TypeAlias = Literal["interval", "linear", "best"]
"""How to bound a patch; "best" is "linear" for a convex rectifier and "interval" otherwise."""

_METHODS: Final[tuple[PatchMethod, ...]] = ("interval", "linear", "best")
_UNIT: Final = 2.0**-53
_FLOOR: Final = 2.0**-1000
# Pre-activations of one batch: 2**19 float64, 4 MiB for each array.
_BATCH: Final = 1 << 19


@dataclass(frozen=True, eq=False)
class PatchCertificate:
    """What is proved about every input.

    Fields: `margins` (N,): lower bounds on ``F_y - max_{j != y} F_j`` over all perturbations within
    the budget.
    """

    margins: FloatArray

    @property
    def certified(self) -> BoolArray:
        """Which inputs no perturbation within the budget can break, shape (N,)."""
        return np.asarray(self.margins > 0)

    @property
    def error(self) -> float:
        """The share of inputs that are not certified: an upper bound on the robust error.

        A margin that is no number, from an overflow, certifies nothing.
        """
        return float((~(self.margins > 0)).mean())


def _sum_error(terms: int, size: FloatArray) -> FloatArray:
    """Return what a sum of so many terms may be off, given the sum of absolute values."""
    return np.asarray(4.0 * (terms + 4) * (_UNIT * size + _FLOOR))


class _Bounds:
    """Interval bounds of all filters on a batch of boxes, and what linear bounds need."""

    def __init__(self, network: PatchNetwork, X: FloatArray, eps: FloatArray):
        self.network, self.X, self.act = network, X, network.activation
        N, P, d = X.shape
        W = network.weights.reshape(-1, d)
        self.shape = (N, P, network.classes, network.filters)
        self.eps = eps[:, None]
        z = (X.reshape(-1, d) @ W.T).reshape(self.shape)
        radius = (eps[:, None] * np.abs(W).sum(axis=1)).reshape(N, 1, *self.shape[2:])
        self.size = (np.abs(X).reshape(-1, d) @ np.abs(W).T).reshape(self.shape) + radius
        slack = _sum_error(d, self.size)
        self.z, self.low, self.high = z, z - radius - slack, z + radius + slack
        self.size += slack
        least, greatest = self.act.range(self.low, self.high)
        self.least = least - self.act.error_bound(least, self.size)
        self.greatest = greatest + self.act.error_bound(greatest, self.size)

    def of_class(self, values: FloatArray, i: IntArray) -> FloatArray:
        """Pick the filters of one class for each input, shape (N, P, m)."""
        return np.asarray(values[np.arange(len(i)), :, i])

    def interval(self, y: IntArray, j: IntArray) -> FloatArray:
        """Return lower bounds on what each patch gives to ``F_y - F_j``, shape (N, P)."""
        least, greatest = self.of_class(self.least, y), self.of_class(self.greatest, j)
        size = np.abs(least).sum(axis=2) + np.abs(greatest).sum(axis=2)
        total = least.sum(axis=2) - greatest.sum(axis=2)
        return np.asarray(total - _sum_error(2 * least.shape[2], size))

    def linear(self, y: IntArray, j: IntArray) -> FloatArray:
        """Return lower bounds on what each patch gives to ``F_y - F_j``, shape (N, P)."""
        low, high = self.of_class(self.low, j), self.of_class(self.high, j)
        size = self.of_class(self.size, j)
        at_low, at_high = self.act.value(low), self.act.value(high)
        width = high - low
        chord = (at_high - at_low) / np.where(width > 0, width, 1.0)
        # act - chord z is convex: on the interval it is greatest at an end, whatever the chord.
        above = np.maximum(at_low - chord * low, at_high - chord * high)
        above += self.act.error_bound(at_low, size) + self.act.error_bound(at_high, size)
        above += _sum_error(4, np.abs(chord) * size + np.abs(at_low) + np.abs(at_high))
        down, down_size = self._mix(chord, j), (np.abs(chord) * size).sum(axis=2)

        best = self.interval(y, j)
        z, low, size = (self.of_class(a, y) for a in (self.z, self.low, self.size))
        for point in (z, low, 0.5 * (z + low)):
            value, slope = self.act.value_and_slope(point)
            below = value - slope * point - self.act.error_bound(value, size)
            # A tangent whose slope is off by so much is off by twice that times the size.
            below -= (2 * self.act.relative_error) * slope * size
            below -= _sum_error(4, slope * size + np.abs(value))
            direction = self._mix(slope, y) - down
            start = (direction * self.X).sum(axis=2) - self.eps * np.abs(direction).sum(axis=2)
            total = start + below.sum(axis=2) - above.sum(axis=2)
            weight = (np.abs(slope) * size).sum(axis=2) + down_size
            weight += np.abs(below).sum(axis=2) + np.abs(above).sum(axis=2)
            terms = 2 * self.X.shape[2] + 4 * slope.shape[2]
            np.maximum(best, total - 2 * _sum_error(terms, weight), out=best)
        return best

    def _mix(self, factors: FloatArray, i: IntArray) -> FloatArray:
        """Return sums of filters of class i with these factors, shape (N, P, d)."""
        return np.asarray(factors @ self.network.weights[i])

    def margins(self, y: IntArray, method: PatchMethod) -> FloatArray:
        """Return lower bounds on the margin, shape (N,)."""
        least = np.full(len(y), np.inf)
        bound = self.interval if method == "interval" else self.linear
        for shift in range(1, self.network.classes):
            patches = bound(y, (y + shift) % self.network.classes)
            total = patches.sum(axis=1) - _sum_error(patches.shape[1], np.abs(patches).sum(axis=1))
            np.minimum(least, total, out=least)
        return least


def _method(network: PatchNetwork, method: object) -> PatchMethod:
    chosen = validation.choice(method, "method", _METHODS)
    if chosen == "best":
        return "linear" if network.activation.convex else "interval"
    if chosen == "linear" and not network.activation.convex:
        raise ValueError(
            "method must be 'interval' or 'best' for a rectifier that is not convex, such as "
            f"{network.activation!r}, got 'linear'"
        )
    return chosen


def _margins(
    network: PatchNetwork, X: FloatArray, y: IntArray, eps: FloatArray, method: PatchMethod
) -> FloatArray:
    margins = np.empty(len(X))
    step = max(1, _BATCH // (X.shape[1] * network.classes * network.filters))
    for start in range(0, len(X), step):
        part = slice(start, start + step)
        margins[part] = _Bounds(network, X[part], eps[part]).margins(y[part], method)
    return margins


@checked
def certify_patches(
    network: PatchNetwork, X: object, y: object, eps: Nonnegative, *, method: PatchMethod = "best"
) -> PatchCertificate:
    r"""Bound the margin of every input over all perturbations of all patches.

    Here `method`: how to bound a patch.  "linear" needs a convex rectifier, is never worse than
    "interval" and takes a few times as long.

    Where a bound is positive, no perturbation within the budget changes the class, neither in exact
    arithmetic nor as the computer evaluates it.  *Interval, by hand.*  A network with ``w_i = A
    u_i`` on inputs without noise has ``F_y >= P_R act((alpha - eps) A)`` and ``F_j <= P act(eps
    A)``; the bound is the difference, swapping u reaches it, and it is positive for all eps below
    the upper end of `robustness_window`.

    >>> from sublinear_lib.features import FeatureData, PatchNetwork
    >>> law = FeatureData(noise=0.0, jitter=0.0)
    >>> network = PatchNetwork.of_features(law, robust=[1.0], nonrobust=[0.0])
    >>> data = law.sample(3, rng=0)
    >>> [certify_patches(network, data.X, data.y, eps).error for eps in (0.607, 0.608)]
    [0.0, 1.0]
    """
    validation.instance(network, "network", PatchNetwork)
    inputs, labels = checked_patches(X, y, (network.classes, network.dim))
    chosen = _method(network, method)
    margins = _margins(network, inputs, labels, np.full(len(inputs), eps), chosen)
    margins.flags.writeable = False
    return PatchCertificate(margins)


@checked
def certified_radii(
    network: PatchNetwork, X: object, y: object, largest: Positive, *, tolerance: Positive = 1e-3
) -> FloatArray:
    """Find for every input how large a budget is certified.

    Budgets that are certified themselves, in [0, largest], found by bisection up to the tolerance;
    NaN where not even the clean input is.
    """
    validation.instance(network, "network", PatchNetwork)
    inputs, labels = checked_patches(X, y, (network.classes, network.dim))
    chosen = _method(network, "best")

    def holds(eps: FloatArray) -> BoolArray:
        return _margins(network, inputs, labels, eps, chosen) > 0

    low, high = np.zeros(len(inputs)), np.full(len(inputs), largest)
    clean = holds(low)
    low = np.where(~clean | holds(high), high, low)
    while True:
        middle = 0.5 * (low + high)
        # Two neighboring numbers have no middle, whatever the tolerance.
        halved = (high - low > tolerance) & (low < middle) & (middle < high)
        if not halved.any():
            return np.where(clean, low, np.nan)
        inside = holds(middle)
        low, high = np.where(halved & inside, middle, low), np.where(halved & ~inside, middle, high)

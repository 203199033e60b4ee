r"""Rectifiers for the convolutional network: the smoothed ReLU, and those that reviewers asked for.

The smoothed ReLU is 0 below 0, ``z^q / (q rho^{q-1})`` up to rho and ``z - (1 - 1/q) rho`` beyond;
at rho both pieces have the value ``rho/q`` and the slope 1, so it is continuously differentiable
for every q > 1.  Two facts about it carry the theory of this room: it is convex, and
``act(z) / z^q`` never increases.  Before adding another rectifier, know that certificates
rest on what a class says about itself: whether it is `convex`, and the `range` that it takes on an
interval.

Source: the smoothed ReLU is that of Li and Li (2025), Section 2, used before them by Allen-Zhu and
Li (2023) with other q; ReLU, GELU and softplus are standard.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from scipy.special import expit, ndtr

from sublinear_lib import validation
from sublinear_lib._arguments import Positive, check_fields, described
from sublinear_lib._typing import FloatArray

__all__ = ["GELU", "Activation", "ReLU", "SmoothedReLU", "Softplus"]

# Where the GELU is least, and a number just below its value there.
_GELU_BOTTOM: Final = -0.7517915246935645
_GELU_LEAST: Final = -0.16997120747990369
# What the elementary functions may be off, relative; see `Activation.error_bound`.
_ERROR: Final = 2.0**-46


class Activation(ABC):
    """A rectifier: 0 at 0, and applied to every entry of an array."""

    convex: ClassVar[bool]
    """Whether the function is convex, hence below its chords and above its tangents."""

    @abstractmethod
    def value_and_slope(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return value and derivative; at a kink the derivative from the left."""

    def value(self, z: FloatArray) -> FloatArray:
        """Return the values."""
        return self.value_and_slope(z)[0]

    def slope(self, z: FloatArray) -> FloatArray:
        """Return the derivatives; at a kink that from the left."""
        return self.value_and_slope(z)[1]

    def range(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the least and the greatest value on intervals, up to the rounding of `value`.

        For ``low <= high`` of one shape; the default is right for functions that never decrease.
        """
        return self.value(low), self.value(high)

    @property
    def relative_error(self) -> float:
        """What a computed value or slope may be off, relative: ``2**-46``, 128 roundings."""
        return _ERROR

    def error_bound(self, value: FloatArray, size: FloatArray) -> FloatArray:
        """Return how far computed values may be from the exact ones.

        `relative_error` times the value; `size` bounds the absolute values of the arguments.  What
        underflow takes is left to the caller.
        """
        return np.asarray(self.relative_error * np.abs(value))


@dataclass(frozen=True)
class SmoothedReLU(Activation):
    r"""The smoothed ReLU ``0``, ``z^q / (q rho^{q-1})``, ``z - (1 - 1/q) rho``.

    Parameters
    ----------
    q : float, default 3
        The exponent, ``> 1``, whole or not.
    rho : float, default 15.0
        Where the linear part begins, ``> 0``.

    Raises
    ------
    TypeError, ValueError
        If a number is out of range; the message for ``q <= 1`` says why.

    Examples
    --------
    >>> act = SmoothedReLU(q=3, rho=2.0)
    >>> act.value(np.array([-1.0, 1.0, 2.0, 5.0])) * 12
    array([ 0.,  1.,  8., 44.])
    >>> act.slope(np.array([-1.0, 1.0, 2.0, 5.0]))
    array([0.  , 0.25, 1.  , 1.  ])
    """

    convex: ClassVar[bool] = True

    q: float = 3
    rho: Positive = 15.0

    def __post_init__(self) -> None:
        """Check the numbers; a whole exponent is kept as an integer, whose powers are products."""
        check_fields(self)
        q = validation.scalar(self.q, "q")
        if q <= 1:
            raise ValueError(
                "q must be a finite number > 1 (the slope z^(q-1) has to vanish at 0; q = 1 is "
                f"the plain ReLU), got {self.q}"
            )
        object.__setattr__(self, "q", int(q) if q == int(q) else q)

    @property
    def relative_error(self) -> float:
        """What a computed value or slope may be off, relative: ``2**-46 max(1, q/16)``.

        The rounding of ``z / rho`` counts q - 1 times, and a power needs at most as many products.
        """
        return _ERROR * max(1.0, self.q / 16)

    def value_and_slope(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return value and derivative."""
        # In place where that is possible: new memory costs as much as the arithmetic.
        value = np.clip(z, 0.0, self.rho)
        slope = self._power(value / self.rho)
        value *= slope
        value /= self.q
        if value.size and z.max() > self.rho:
            value += np.maximum(z - self.rho, 0.0)
        return value, slope

    def _power(self, ratio: FloatArray) -> FloatArray:
        """Return ``ratio**(q - 1)``, for whole exponents by squaring; `ratio` is overwritten."""
        exponent = self.q - 1
        if not isinstance(exponent, int) or exponent > 64:
            return np.asarray(ratio**exponent)
        power: FloatArray | None = None
        square = ratio
        while True:
            if exponent & 1:
                power = square if power is None else power * square
            exponent >>= 1
            if not exponent:
                assert power is not None
                return power
            if square is power:
                square = square * square
            else:
                square *= square


@dataclass(frozen=True)
class ReLU(Activation):
    """The rectifier ``max(z, 0)``; its slope at 0 counts as 0.

    Examples
    --------
    >>> ReLU().value(np.array([-1.0, 2.0]))
    array([0., 2.])
    """

    convex: ClassVar[bool] = True

    def value_and_slope(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return value and derivative."""
        return np.maximum(z, 0.0), (z > 0).astype(np.float64)


@dataclass(frozen=True)
class GELU(Activation):
    """The function ``z Phi(z)`` with the normal distribution function Phi; it is not monotone.

    Examples
    --------
    >>> GELU().value(np.array([-40.0, 0.0, 40.0]))
    array([-0.,  0., 40.])
    """

    convex: ClassVar[bool] = False

    def value_and_slope(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return value and derivative."""
        law = ndtr(z)
        density = np.exp(-0.5 * np.square(z)) / math.sqrt(2.0 * math.pi)
        return np.asarray(z * law), np.asarray(law + z * density)

    @described
    def range(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the least and the greatest value on intervals, up to the rounding of `value`.

        Here `low`, `high`: the ends of the intervals, ``low <= high``, of one shape.

        The function falls to its least value at -0.7518 and rises from there, so an interval that
        holds this point needs it, and no other.
        """
        first, last = self.value(low), self.value(high)
        # Wide enough for the digits of the point itself.
        around = (low <= _GELU_BOTTOM + 1e-9) & (high >= _GELU_BOTTOM - 1e-9)
        return np.where(around, _GELU_LEAST, np.minimum(first, last)), np.maximum(first, last)

    def error_bound(self, value: FloatArray, size: FloatArray) -> FloatArray:
        """Return how far computed values may be from the exact ones.

        ``2**-46`` times the value, and below 0 times ``1 + size^2`` besides: a rounding of z
        changes Phi(z) there by about ``z^2`` times as much, relative.
        """
        # |z Phi(z)| (1 + z^2) is below 1/2 for z < 0.
        below = np.minimum(np.abs(value) * (1.0 + np.square(size)), 0.5)
        return np.asarray(_ERROR * np.where(value < 0.0, below, np.abs(value)))


@dataclass(frozen=True)
class Softplus(Activation):
    """The function ``(log(1 + exp(b z)) - log 2) / b``: softplus, moved so that it is 0 at 0.

    With b, the sharpness, ``> 0``; the move changes no prediction, since every class has the same
    number of filters.

    >>> Softplus(sharpness=1.0).slope(np.array([0.0]))
    array([0.5])
    """

    convex: ClassVar[bool] = True

    sharpness: Positive = 10.0

    def __post_init__(self) -> None:
        """Check the sharpness."""
        check_fields(self)

    def value_and_slope(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return value and derivative."""
        b = self.sharpness
        value = (np.logaddexp(0.0, b * z) - math.log(2.0)) / b
        return np.asarray(value), np.asarray(expit(b * z))

    def error_bound(self, value: FloatArray, size: FloatArray) -> FloatArray:
        """Return how far computed values may be from the exact ones.

        ``2**-46 (size + 1/b)``: subtracting log 2 costs the digits of small values.
        """
        return np.asarray(_ERROR * (size + 1.0 / self.sharpness))

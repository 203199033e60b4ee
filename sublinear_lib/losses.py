"""Regression losses in the sense of the paper: convex, 1-Lipschitz, zero at the label.

Definition 3.2 asks of ``loss(y, f)`` that it be convex and 1-Lipschitz in ``f``, non-negative, and
zero for ``f = y``.  The losses here depend on the residual ``r = f - y`` alone and are normalized
to slope 1 far away, so that each of them satisfies the definition for every value of its parameter.
The squared loss does not (its slope grows without bound) and is refused by name.  Before adding a
loss, know the convention at a kink: `derivative` returns *the subgradient of smallest absolute
value*, which is 0 at ``f = y`` for all of them.  It matters, because Lemma C.14 fails when f and
the pseudo-network are given different subgradients; a trainer takes ``loss'`` at f for both.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sublinear_lib import validation
from sublinear_lib._arguments import Nonnegative, Positive, check_fields, described
from sublinear_lib._typing import FloatArray

__all__ = [
    "LOSSES",
    "AbsoluteLoss",
    "EpsilonInsensitiveLoss",
    "HuberLoss",
    "LogCoshLoss",
    "Loss",
    "get_loss",
]

LOSSES = ("absolute", "huber", "log-cosh", "epsilon-insensitive")
"""The names `get_loss` understands."""


class Loss(ABC):
    """A loss ``loss(y, f)`` that satisfies Definition 3.2.

    A new loss is a frozen dataclass of its parameters with a `name` and the two functions of the
    residual, `_value` and `_derivative`; checking and broadcasting are done here.  It must be
    convex, 1-Lipschitz and zero at zero: the property tests of the library show how to check it.
    """

    name: ClassVar[str]
    """The name in messages and records."""

    def __post_init__(self) -> None:
        """Check the parameters of a loss that is a dataclass."""
        check_fields(self)

    def value(self, y: object, f: object) -> FloatArray:
        """Return the loss of each prediction.

        Here `f`: predictions, finite; of the same shape as `y`, or one of the two a single number.

        The losses, ``>= 0``.  Only a residual beyond the range of float64 gives infinity.

        Raises TypeError, ValueError: for entries that are not finite real numbers or for shapes
        that differ.

        Source: Definition 3.2.
        """
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(self._value(_residual(y, f)))

    def derivative(self, y: object, f: object) -> FloatArray:
        """Return a subgradient of the loss in the prediction.

        Here `y`, `f`: as for `value`.

        The derivative in `f`, between -1 and 1; at a kink the subgradient of smallest absolute
        value.

        Raises TypeError, ValueError: as `value`.
        """
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(self._derivative(_residual(y, f)))

    @abstractmethod
    def _value(self, residual: FloatArray) -> FloatArray:
        """Return the loss as a function of ``f - y``."""

    @abstractmethod
    def _derivative(self, residual: FloatArray) -> FloatArray:
        """Return its derivative."""


def _residual(y: object, f: object) -> FloatArray:
    labels = validation.float_array(y, "y", allow_empty=True)
    predictions = validation.float_array(f, "f", allow_empty=True)
    # Full broadcasting would turn labels (n,) and predictions (n, 1) into n * n losses.
    if labels.ndim and predictions.ndim and labels.shape != predictions.shape:
        raise ValueError(
            f"y and f must have the same shape (or one of them be a number), "
            f"got {labels.shape} and {predictions.shape}"
        )
    return np.asarray(predictions - labels)


@dataclass(frozen=True, kw_only=True)
class AbsoluteLoss(Loss):
    """The absolute error ``|f - y|``; its derivative at ``f = y`` is 0 by convention.

    Notes
    -----
    Source: the simplest loss of Definition 3.2, and the kinked one that breaks Lemma C.14.

    Examples
    --------
    >>> AbsoluteLoss().value([1.0, 1.0], [0.0, 1.5])
    array([1. , 0.5])
    >>> AbsoluteLoss().derivative([1.0, 1.0, 1.0], [0.0, 1.5, 1.0])
    array([-1.,  1.,  0.])
    """

    name: ClassVar[str] = "absolute"

    def _value(self, residual: FloatArray) -> FloatArray:
        return np.abs(residual)

    def _derivative(self, residual: FloatArray) -> FloatArray:
        return np.sign(residual)


@dataclass(frozen=True, kw_only=True)
class HuberLoss(Loss):
    """Huber's loss, normalized to slope 1: quadratic near the label, absolute far away.

    It is ``r^2 / (2 delta)`` for ``|r| <= delta`` and ``|r| - delta/2`` beyond, differentiable
    everywhere.  (Without the normalization by `delta` it would satisfy the definition only for
    ``delta <= 1``.)

    Parameters
    ----------
    delta : float, default 0.1
        Half-width of the quadratic part, ``> 0``, in units of the label.

    Raises
    ------
    TypeError, ValueError
        For a `delta` that is not a positive finite number.

    Notes
    -----
    Source: a loss of Definition 3.2.

    Examples
    --------
    >>> HuberLoss(delta=0.5).value(0.0, [0.25, 0.5, 2.0])
    array([0.0625, 0.25  , 1.75  ])
    """

    delta: Positive = 0.1
    name: ClassVar[str] = "huber"

    def _value(self, residual: FloatArray) -> FloatArray:
        size = np.abs(residual)
        near = np.minimum(size, self.delta)
        # Divided before it is squared: delta^2 may underflow, and size^2 overflow.
        return np.where(
            size <= self.delta, near * (near / self.delta) / 2.0, size - self.delta / 2.0
        )

    def _derivative(self, residual: FloatArray) -> FloatArray:
        return np.clip(residual, -self.delta, self.delta) / self.delta


@dataclass(frozen=True, kw_only=True)
class LogCoshLoss(Loss):
    """The smooth loss ``scale * log cosh((f - y) / scale)``, with derivative ``tanh``.

    Parameters
    ----------
    scale : float, default 0.1
        Where the quadratic part ends, ``> 0``, in units of the label.

    Raises
    ------
    TypeError, ValueError
        For a `scale` that is not a positive finite number.

    Notes
    -----
    Source: a loss of Definition 3.2.

    Examples
    --------
    >>> LogCoshLoss(scale=1.0).value(0.0, [0.0, 1000.0]).round(4)
    array([  0.    , 999.3069])
    """

    scale: Positive = 0.1
    name: ClassVar[str] = "log-cosh"

    def _value(self, residual: FloatArray) -> FloatArray:
        size = np.abs(residual)
        ratio = size / self.scale
        # Near zero, log cosh x = log(1 + 2 sinh(x/2)^2) loses no digits; far away cosh overflows,
        # and the form below does not (ratio may be infinite, size is not).
        near = self.scale * np.log1p(2.0 * np.sinh(np.minimum(ratio, 1.0) / 2.0) ** 2)
        far = size + self.scale * (np.log1p(np.exp(-2.0 * ratio)) - math.log(2.0))
        return np.where(ratio <= 1.0, near, far)

    def _derivative(self, residual: FloatArray) -> FloatArray:
        return np.tanh(residual / self.scale)


@dataclass(frozen=True, kw_only=True)
class EpsilonInsensitiveLoss(Loss):
    """The loss ``max(|f - y| - epsilon, 0)`` of support vector regression.

    Its derivative is 0 on the closed band ``|f - y| <= epsilon``, kinks included, and the sign of
    ``f - y`` outside.

    Parameters
    ----------
    epsilon : float, default 0.05
        Half-width of the band without loss, ``>= 0``, in units of the label.

    Raises
    ------
    TypeError, ValueError
        For an `epsilon` that is not a finite number ``>= 0``.

    Notes
    -----
    Source: a loss of Definition 3.2 with two kinks.

    Examples
    --------
    >>> EpsilonInsensitiveLoss(epsilon=0.5).value(0.0, [0.25, 0.5, 2.0])
    array([0. , 0. , 1.5])
    """

    epsilon: Nonnegative = 0.05
    name: ClassVar[str] = "epsilon-insensitive"

    def _value(self, residual: FloatArray) -> FloatArray:
        return np.maximum(np.abs(residual) - self.epsilon, 0.0)

    def _derivative(self, residual: FloatArray) -> FloatArray:
        return np.where(np.abs(residual) > self.epsilon, np.sign(residual), 0.0)


@described
def get_loss(loss: object) -> Loss:
    """Return the loss of that name with its default parameter; a loss is returned as it is.

    Here `loss`: the name or the instance.

    Raises TypeError: for anything that is neither a name nor a loss.

    Raises ValueError: for an unknown name; for ``"squared"`` with the reason why it is not among
    them.

    >>> get_loss("huber")
    HuberLoss(delta=0.1)
    """
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, str) and loss == "squared":
        raise ValueError(
            "loss must be 1-Lipschitz in the prediction (Definition 3.2), got 'squared': the slope "
            f"of (f - y)^2 grows without bound; choose one of {', '.join(map(repr, LOSSES))}"
        )
    name = validation.choice(loss, "loss", LOSSES)
    by_name: dict[str, type[Loss]] = {
        kind.name: kind for kind in (AbsoluteLoss, HuberLoss, LogCoshLoss, EpsilonInsensitiveLoss)
    }
    return by_name[name]()

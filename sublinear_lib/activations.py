"""The shifted ReLU in its two forms, with one active set and one formal gradient.

The paper's activation is ``sigma_tau(z) = z 1[z > tau]`` (Section 3.2): it *jumps* by ``tau`` at
the threshold.  The *continuous* shifted ReLU ``max(z - tau, 0)`` fires on the same set and has the
same formal derivative ``1[z > tau]``, so Algorithm 1, the pseudo-network and the half-space index
are the same for both; only the value of the network differs.  Before changing anything, know that
active means ``z > tau`` *strictly*, here and everywhere in the library (the paper writes ``>=`` in
Definition 3.6 and ``>`` elsewhere), and that whoever has decided the active set exactly (see
:mod:`sublinear_lib.predicates`) passes it as `active`, so that a rounded ``z`` is not asked again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sublinear_lib import validation
from sublinear_lib._arguments import described
from sublinear_lib._typing import BoolArray, FloatArray

__all__ = [
    "CONTINUOUS",
    "JUMP",
    "ShiftedReLU",
    "blurred_step",
    "get_activation",
    "spread_jump",
]

ACTIVATIONS = ("jump", "continuous")
"""The names `get_activation` understands."""


@dataclass(frozen=True)
class ShiftedReLU:
    """A rectifier with threshold, in the form its name says.

    Parameters
    ----------
    name : {"jump", "continuous"}
        ``"jump"`` is the paper's ``z 1[z > tau]``, ``"continuous"`` is ``max(z - tau, 0)``.

    Raises
    ------
    TypeError, ValueError
        For any other name.

    Notes
    -----
    Source: Section 3.2 of the paper, the display after equation (2) (jump); the continuous form is
    the repair discussed with Theorem 4.1.

    Examples
    --------
    >>> JUMP.value([0.2, 0.5, 0.9], tau=0.5)
    array([0. , 0. , 0.9])
    >>> CONTINUOUS.value([0.2, 0.5, 0.9], tau=0.5)
    array([0. , 0. , 0.4])
    """

    name: str

    def __post_init__(self) -> None:
        """Check the name."""
        validation.choice(self.name, "name", ACTIVATIONS)

    @described
    def value(self, z: object, tau: object, active: object = None) -> FloatArray:
        """Return ``sigma_tau(z)``, entry by entry.

        Here `tau`: the threshold, ``>= 0``, in absolute units (not multiples of a standard
        deviation); `active`: the set on which the unit fires, when the caller has decided ``z >
        tau`` exactly. Without it the comparison is made on the float64 numbers given.

        Zero where the unit does not fire.

        Raises TypeError, ValueError: for entries that are not finite real numbers, a negative
        `tau`, or a mask of another shape.
        """
        values = validation.float_array(z, "z", allow_empty=True)
        level = validation.scalar(tau, "tau", minimum=0.0)
        fires = _fires(values, level, active)
        if self.name == "jump":
            return np.where(fires, values, 0.0)
        # The maximum matters only when an exactly decided unit has a rounded z <= tau.
        return np.where(fires, np.maximum(values - level, 0.0), 0.0)

    def jump_height(self, tau: object) -> float:
        """Return the height of the step at the threshold.

        Here `tau`: the threshold, ``>= 0``, absolute units.

        `tau` for the jump form, 0 for the continuous one.

        >>> JUMP.jump_height(0.5), CONTINUOUS.jump_height(0.5)
        (0.5, 0.0)
        """
        level = validation.scalar(tau, "tau", minimum=0.0)
        return level if self.name == "jump" else 0.0


def spread_jump(height: float, bandwidth: object) -> tuple[float, float]:
    """Check a bandwidth and return it with the height of a jump divided by it.

    Here `height`: height of the jump, finite; `bandwidth`: half the width of the window, ``> 0``.

    Returned: `bandwidth, jump`: Both finite.
    """
    width = validation.scalar(bandwidth, "bandwidth", exclusive_minimum=0.0)
    jump = height / width
    if not math.isfinite(jump):
        raise ValueError(
            f"bandwidth must be so large that {height!r} / bandwidth is finite, got {width!r}"
        )
    return width, jump


def blurred_step(z: FloatArray, tau: float, jump: float, bandwidth: float) -> FloatArray:
    """Return the derivative of the activation averaged over a window of pre-activations.

    The average of ``sigma_tau(z + bandwidth * xi)`` over xi with the Epanechnikov density
    ``k(u) = 3/4 (1 - u^2)`` on [-1, 1] is smooth, also for the jump form.  With
    ``q = (z - tau) / bandwidth`` and K the distribution function of k, its derivative is
    ``K(q) + jump * k(q)``: the formal derivative ``1[z > tau]``, blurred, and the jump, spread over
    the window.  An attack that walks along it sees the jumps that the formal derivative ignores.

    Here `tau`: the threshold; `jump`: height of the jump, divided by `bandwidth`; `bandwidth`: half
    the width of the window.

    Exactly 0 for ``z <= tau - bandwidth``, exactly 1 for ``z >= tau + bandwidth``.  The order of
    the operations is part of the promise: compiled kernels repeat it bit by bit.

    Source: this project (Definition 3.3 allows any adversary).  A kernel of bounded support is used
    instead of a Gaussian so that neurons far below the threshold contribute exactly 0.
    """
    with np.errstate(over="ignore"):
        q = np.minimum(np.maximum((z - tau) / bandwidth, -1.0), 1.0)
    square = q * q
    return np.asarray((0.5 + 0.75 * q - 0.25 * (square * q)) + jump * (0.75 * (1.0 - square)))


def _fires(values: FloatArray, level: float, active: object) -> BoolArray:
    if active is None:
        return np.asarray(values > level)
    return validation.mask(active, "active", shape=values.shape)


JUMP = ShiftedReLU("jump")
"""The paper's activation ``z 1[z > tau]``."""

CONTINUOUS = ShiftedReLU("continuous")
"""The continuous shifted ReLU ``max(z - tau, 0)``."""


def get_activation(activation: object) -> ShiftedReLU:
    """Return the activation of that name; an activation is returned as it is.

    Raises TypeError, ValueError: for anything else.

    >>> get_activation("jump") is JUMP
    True
    """
    if isinstance(activation, ShiftedReLU):
        return activation
    name = validation.choice(activation, "activation", ACTIVATIONS)
    return JUMP if name == "jump" else CONTINUOUS

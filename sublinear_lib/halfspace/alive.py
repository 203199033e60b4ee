r"""The largest value a neuron can take on X, and the neurons that can never fire there.

The points of the paper lie on X = {x : ||x|| = 1, x_d = 1/2} (Section 3.2).  Write p' for the first
d - 1 coordinates of a stored point p, b for its bias and s = sqrt(3)/2.  Every x of X is
``(s v, 1/2)`` with a unit vector v, so that by Cauchy and Schwarz

    <p, x> + b  =  s <p', v> + p_d / 2 + b   lies in   [p_d / 2 + b - s ||p'||,  g],
    g  =  p_d / 2 + b + s ||p'||,

and both ends are taken, at ``v = -p' / ||p'||`` and ``v = p' / ||p'||`` (for ``p' = 0`` they are
equal).  So g is the exact maximum over X, the support function of the cap of radius sqrt(3), and a
neuron with ``g <= tau`` is inactive on all of X.  This module turns g into bounds that hold in
floating point (`slice_bounds`) and into the exact set of neurons that can fire (`alive_on_slice`).

**Points that miss X by rounding.**  Let ``| ||x|| - 1 | <= a`` and ``|x_d - 1/2| <= a`` with
``a <= 0.2``.  Then ``||x'||**2 = ||x||**2 - x_d**2`` is at most ``(1 + a)**2 - (1/2 - a)**2``,
which is ``3/4 + 3 a``, hence ``||x'|| <= s + sqrt(3) a``, and ``<p, x> + b`` differs from
``p_d / 2 + b`` by at most ``(s + 2 a) ||p'|| + a |p_d|``.

Before changing a constant, know what it pays for.  Each bound is a sum of a few terms of total size
``M = |p_d| / 2 + |b| + (s + 2 a) ||p'|| + a |p_d|``, computed with fewer than eight roundings of
relative size ``2**-53``; `_OUTWARD` M exceeds their sum four times.  Norms come from
:func:`sublinear_lib.predicates.row_norms`, which rounds up.  Rows whose largest number is not
between ``2**-400`` and ``2**400`` are first scaled by a power of two, so that nothing overflows and
what underflows is far below ``_OUTWARD`` M.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from sublinear_lib import predicates, validation
from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.geometry import SLICE_HEIGHT, SLICE_RADIUS

__all__ = ["TOLERANCE", "alive_on_slice", "slice_bounds"]

TOLERANCE = 1e-9
"""How far points may be off X, as `validation.points_on_slice` measures it."""

_HEIGHT = SLICE_HEIGHT
_RADIUS = SLICE_RADIUS
_MEASURED = 1.1  # pays for the rounding of that measurement, for fewer than 2**20 coordinates
_LARGEST_TOLERANCE = 0.1
_OUTWARD = 2.0**-48
_UNIT = 2.0**-53
_SUBNORMAL = 2.0**-1021


class _Terms(NamedTuple):
    """What the bounds of each row are made of, divided by ``2**exponent``."""

    center: FloatArray
    """``p_d / 2 + b``."""
    length: FloatArray
    """``||p'||``, rounded up."""
    height: FloatArray
    """``|p_d|``."""
    size: FloatArray
    """``|p_d| / 2 + |b|``."""
    exponent: IntArray | None
    """``None`` stands for zeros."""

    def unscaled(self, values: FloatArray) -> FloatArray:
        """Multiply by ``2**exponent``; a result that is too large is infinite."""
        if self.exponent is None:
            return values
        with np.errstate(over="ignore", under="ignore"):
            return np.ldexp(values, self.exponent)


def _terms(points: FloatArray, bias: FloatArray | None) -> _Terms:
    largest = np.maximum(points.max(axis=1), -points.min(axis=1))
    if bias is not None:
        largest = np.maximum(largest, np.abs(bias))
    tame = (largest > 2.0**-400) & (largest < 2.0**400)
    exponent = None
    if not tame.all():
        exponent = np.where(tame, 0, np.frexp(largest)[1])
        with np.errstate(under="ignore"):
            points = np.ldexp(points, -exponent[:, None])
            bias = None if bias is None else np.ldexp(bias, -exponent)
    half = _HEIGHT * points[:, -1]
    height = np.abs(points[:, -1])
    # A view of all but the last column would do, but a sum over contiguous rows is faster.
    length = predicates.row_norms(np.ascontiguousarray(points[:, :-1]))
    if bias is None:
        return _Terms(half, length, height, np.abs(half), exponent)
    return _Terms(half + bias, length, height, np.abs(half) + np.abs(bias), exponent)


def _reach(terms: _Terms, deviation: float) -> FloatArray:
    """Bound how far a pre-activation can be from its center on X, give or take a deviation."""
    radius = (_RADIUS + 2.0 * deviation) * (1.0 + 2.0**-50)
    reach = radius * terms.length + deviation * terms.height
    return reach + _OUTWARD * (terms.size + reach)


def slice_bounds(
    points: FloatArray, bias: FloatArray | None, tolerance: float = TOLERANCE
) -> tuple[FloatArray, FloatArray]:
    """Bound ``<p, x> + b`` for all x of X at once, in float64 and rigorously."""
    terms = _terms(points, bias)
    reach = _reach(terms, _MEASURED * tolerance)
    # The last term pays for a subnormal result, also where these are flushed to zero.
    lower = terms.unscaled(terms.center - reach) - _SUBNORMAL
    return lower, terms.unscaled(terms.center + reach) + _SUBNORMAL


def alive_on_slice(
    W: object, b: object = None, *, tau: object, tolerance: object = TOLERANCE
) -> IntArray:
    r"""Return the neurons that can fire somewhere on X; all others never will.

    Parameters
    ----------
    W : array-like, shape (m, d)
        The weights ``w_r``, finite, ``d >= 2``; ``m = 0`` is allowed.
    b : array-like, shape (m,), optional
        The biases ``b_r``; zero by default.
    tau : float
        The threshold, absolute units, of any sign.
    tolerance : float, default 1e-9
        In [0, 0.1].  With 0, the neurons returned are exactly those with ``g_r > tau``, decided in
        real arithmetic: those that fire somewhere on X.  Otherwise they are those that may fire at
        a point whose norm and last coordinate are off by as much, a superset by about
        ``4 tolerance`` in units of ``||w_r|| + |b_r|``.  The default covers every point that the
        library accepts as a point of X.

    Returns
    -------
    ndarray of int64, shape (k,)
        Ids of neurons, ascending.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value.

    Notes
    -----
    Let ``g_r = (sqrt(3)/2) ||w'_r|| + w_{r,d}/2 + b_r`` be the largest pre-activation on X.

    *A neuron that is not returned can be removed, exactly and for good.*  Let ``g_r <= tau``.  A
    neuron is active only if its pre-activation is strictly larger than tau, so this one is active
    nowhere on X; a tie ``g_r = tau`` does not fire either.  In Algorithm 1 all points at which the
    network is evaluated, clean and adversarial, are points of X (Definition 3.3).  By induction
    over the steps: as long as the row has its initial weights, its term in f is 0 at all these
    points, hence so is its part of the gradient in x that an attack follows, and its gradient in
    ``w_r``, ``(1/n) sum_i l'_i a_r x_i 1[<w_r, x_i> + b_r > tau]``, is a sum without terms.  So the
    step leaves the row as it is, ``g_r`` included, and the other rows do not notice whether it
    exists.  Biases and output weights are not trained.  Therefore a training run with the rows
    returned, and their a and b, gives them the weights of the full run, whatever loss, adversary,
    step size (the same number) and number of steps; the others keep their initial weights.

    The exact decision: with ``t = tau - w_{r,d}/2 - b_r``, ``g_r > tau`` holds if and only if
    ``t < 0`` or ``3 ||w'_r||**2 > 4 t**2``, a comparison of rational numbers; float64 bounds of
    ``g_r`` settle all rows but those within about 1e-14 of tau.  Cost ``O(m d)``.

    Source: the domain X of Section 3.2, activity in Definition 3.9, Algorithm 1.

    Examples
    --------
    >>> W = [[1.0, 0.0, 0.0], [0.3, 0.4, 0.2], [0.0, 0.0, 1.0]]
    >>> alive_on_slice(W, tau=0.51)
    array([0, 1])

    The third neuron ties with the threshold 0.5 on all of X, so a point slightly off X may wake it.

    >>> alive_on_slice(W, tau=0.5)
    array([0, 1, 2])
    >>> alive_on_slice(W, tau=0.5, tolerance=0.0)
    array([0, 1])
    """
    weights = validation.float_array(W, "W", shape=("m", "d"), allow_empty=True)
    m, d = weights.shape
    if d < 2:
        raise ValueError(f"W must have at least 2 columns, got shape {weights.shape}")
    bias = None
    if b is not None:
        bias = validation.float_array(b, "b", shape=(m,), allow_empty=True)
    level = validation.scalar(tau, "tau")
    slack = validation.scalar(tolerance, "tolerance", minimum=0, maximum=_LARGEST_TOLERANCE)
    if m == 0:
        return np.empty(0, dtype=np.int64)
    if slack > 0.0:
        return np.flatnonzero(slice_bounds(weights, bias, slack)[1] > level)
    terms = _terms(weights, bias)
    reach = _reach(terms, 0.0)
    alive = terms.unscaled(terms.center + reach) + _SUBNORMAL > level
    # The norm is rounded up by less than (4 d + 32) roundings and sqrt(d) 2**-510.
    excess = (4 * d + 32) * _UNIT * reach + math.sqrt(d) * 2.0**-509
    surely = terms.center + reach - excess - 2.0 * _OUTWARD * (terms.size + reach)
    doubtful = alive & ~(terms.unscaled(surely) - _SUBNORMAL > level)
    for r in np.flatnonzero(doubtful):
        alive[r] = _exceeds(weights[r], 0.0 if bias is None else float(bias[r]), level)
    return np.flatnonzero(alive)


def _exceeds(w: FloatArray, b: float, tau: float) -> bool:
    """Decide ``g > tau`` in rational arithmetic."""
    *first, last = (Fraction(value) for value in w.tolist())
    missing = Fraction(tau) - last / 2 - Fraction(b)
    return missing < 0 or 3 * sum(value * value for value in first) > 4 * missing * missing

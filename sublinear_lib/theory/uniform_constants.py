r"""The constants of Theorems A, B and C, proved for every m, d, threshold and radius at once.

The bounds behind these theorems (:mod:`sublinear_lib.theory.uniform_gap` and
:mod:`sublinear_lib.theory.flips`) have every constant in them; what is left is to bound their ratio
to the size that a theorem states, over all parameters that its hypotheses allow.  Widths and
dimensions are unbounded, but in the variables ``u = 1/log m``, ``e = 1/d`` and
``y = log(1/theta)/log m`` everything that matters is a compact box, and branch and bound in ball
arithmetic does the rest (:func:`sublinear_lib.theory.enclosures.below_on`).  Before changing a
bound, know that it is evaluated at corners of boxes: every step says in which direction it grows.

Letters: ``L = log m``, ``s = sqrt(2/m)``, ``t = tau/s``, ``theta = delta/s``, ``x = t theta``; the
probability of failure is ``m^{-d}`` everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Literal

from flint import arb

from sublinear_lib._arguments import Positive, checked
from sublinear_lib.theory.enclosures import Box, below_on
from sublinear_lib.validation import choice

__all__ = ["constant_suffices"]

Part = Literal["gap, continuous", "gap, jump", "near", "active", "changed"]
"""Which ratio: Theorem A, Theorem B (two counts), or the flips of Theorem C."""

_LEAST = arb(1) / 64  # below it, series in x lose digits; every bound grows with x


@checked
def constant_suffices(part: Part, constant: Positive) -> bool:
    r"""Prove that a constant is large enough in Theorem A, B or C, whatever the parameters.

    Here `part`: the inequality: ``sup_x sup_W |f - g - B| <= C a m^{3/2} phi(t) delta^2`` (for the
    jump ``delta (delta + tau)``); ``#near <= C (m^{3/2} phi(t) delta + d log m)``; ``#active <= C m
    Q(t)``; or ``F <= C d log m`` neurons that a move of the input by at most 1/m switches.

    Returned: ``True`` is a proof that with probability at least ``1 - m^{-d}`` the inequality holds
    for all x of X (and all W of the ball), for all ``m``, ``d >= 2``, ``t >= 0`` and ``theta <= 1``
    with ``t theta <= 1`` and, for the gap, ``m^{3/2} delta phi >= 4 d log m``; for near neurons the
    same without the 4; for active ones ``m Q(t) >= d log m``; for changed ones ``d log m >= 7``.
    ``False``: the method does not show it.  Source: Theorems A, B and C of this project.

    *The gap.*  Let ``h = m^{3/2} delta phi/(d L) = sqrt(2) m phi theta/(d L) >= 4``.  Divided by
    ``a m^{3/2} phi delta^2``, the bound of `certified_gap_bound` with a net of radius nu is at most
    ``A + u g + k/(3h) + sqrt((k/(3h))^2 + sqrt(2) J k/h)``.  Here A and J are
    ``2^{-1/2} int c(v) cosh(x v) dv`` and ``int c(v)^2 cosh(x v) dv`` with the shape c of the
    window, a triangle or (jump) a trapezoid, because
    ``phi(t + theta v) <= phi(t) exp(-x v)``; ``k = (log N + log 2 + d L)/(d L)`` with N points in
    the net; and ``nu = sqrt(2) theta h d/(m sqrt(d - 1))`` makes the mesh ``u g`` with
    ``g = sqrt(1 + 2 sqrt(r) + 2 r)``, ``r = (log 2 + d L)/(m (d - 1))``.  All of it decreases in h,
    so h = 4 is put in.  Then ``k = 1 + e u log 2 + (1 - e)(1 + y + u log w)``,
    ``w = m^{-1-y} + sqrt(3/32) sqrt(e (1 - e))``.  The hypothesis itself says
    ``t^2/2 <= L (1 - y) - log(4 sqrt(pi) d L)``, which bounds ``x = t m^{-y}``.

    *The counts.*  At a point of the net the count is binomial; with its mean z in units of ``d L``,
    Chernoff's bound (at least Bernstein's exponent) leaves at most
    ``z + k/3 + sqrt(k^2/9 + 2 k z)`` of these units.  The rows are no longer than rho with
    ``m rho^2 <= d + 2 sqrt(d l) + 2 l``, ``l = log(2 m^{1+d})`` (Lemma A.7), and the net has at
    most ``(1 + sqrt(3) rho/slack)^{d-1}`` points.  With ``D = log(d L)/L`` the hypothesis bounds
    ``y + D`` by one.  Near: slack ``u delta``, ``z = h sqrt(2) sinh((1 + u) x)/x``.  Active: slack
    ``u s/(4 max(1, t))``, ``z = Q(t - theta - slack/s)/Q(t)``; beyond t = 4 by the bound
    ``phi(t)/Q(t) <= (t + sqrt(t^2 + 4))/2`` of the hazard.  Changed: the window ``rho/m`` and the
    slack ``rho/m``.  ∎

    >>> constant_suffices("gap, continuous", 2.0), constant_suffices("gap, continuous", 1.8)
    (True, False)
    """
    choice(part, "part", tuple(_PARTS))
    ratio, box = _PARTS[part]
    return below_on(ratio, box, constant)


def _gap(box: Box, jump: bool) -> arb | None:
    (u0, u1), (e0, e1), (y0, y1) = box
    shortest = 1 / u1
    room = _most(
        u0, u1, lambda length: length * (1 - y0) - (4 * arb.pi().sqrt() * length / e1).log()
    )
    if room is not None and room < 0:
        return None
    x = _product(u0, u1, y0, room)
    log_w = ((-shortest * (1 + y0)).exp() + (e1 * (1 - e1) * 3 / 32).sqrt()).log()
    k = 1 + e1 * u1 * arb(2).log() + (1 - e0) * (1 + y1 + (log_w * u0).max(log_w * u1))
    r = (1 + e1 * u1 * arb(2).log()) * e1 / ((1 - e1) * 4 * arb.pi().sqrt())
    if jump:
        first = ((2 * x).cosh() - x.cosh()) / x**2
        second = 4 * (((2 * x).sinh() - x.sinh()) / x**3 - x.cosh() / x**2)
    else:
        first = (x.cosh() - 1) / x**2
        second = 4 * (x.sinh() - x) / x**3
    root = arb(2).sqrt()
    mesh = u1 * (1 + 2 * r.sqrt() + 2 * r).sqrt()
    return root * first + mesh + k / 12 + ((k / 12) ** 2 + root * second * k / 4).sqrt()


def _near(box: Box) -> arb | None:
    (u0, u1), (D0, D1), (y0, y1), (h0, h1) = box  # h1 is the largest 1/h
    room = 1 - y0 - D0 - u0 * arb.pi().log() / 2
    if room < 0 or _too_small(u0, u1, D1):
        return None
    x = _product(u0, u1, y0, None if u0 == 0 else room / u0)
    reach, k = _net(box)
    shrink = (-y0 / u1).exp() * (u1 / 2).sqrt() * u1
    k += (1 - _least_inverse(u0, u1, D1)) * (
        y1 + D1 / 2 + u1 * (reach + shrink).log() + _spread(u1)
    )
    z = arb(2).sqrt() * ((1 + u1) * x).sinh() / x
    return (z + k * h1 / 3 + ((k * h1 / 3) ** 2 + 2 * k * h1 * z).sqrt()) / (1 + h0)


def _active(box: Box) -> arb | None:
    (u0, u1), (D0, D1), (t0, t1) = box
    one = arb(1)
    if 1 + u0 * _tail(t0).log() < D0 or _too_small(u0, u1, D1):
        return None
    reach, k = _net(box)
    log_t = t1.max(one).log() * u1
    if t0 >= _FAR:  # the whole half-line: t^2/2 <= L bounds log t
        log_t = -u1 * (u1 / 2).log() / 2
    inside = D1 / 2 + u1 * (reach + u1 * (u1 / 2).sqrt() / 4).log() + _spread(u1)
    k += (1 - _least_inverse(u0, u1, D1)) * (inside + u1 * arb(4).log() + log_t)
    if t0 >= _FAR:
        z = ((1 + (1 + 4 / t0**2).sqrt()) / 2 * (1 + u1 / 4)).exp()
    else:
        z = _tail(t0 - (one if t0 <= 1 else 1 / t0) * (1 + u1 / 4)) / _tail(t1)
    return z + k / 3 + ((k / 3) ** 2 + 2 * k * z).sqrt()


def _changed(box: Box) -> arb | None:
    (u0, u1), (w0, w1) = box  # w = 1/(d L), and e = w/u is at most 1/2
    if w0 > u1 / 2:
        return None
    e0 = w0 / u1
    e1 = _HALF if u0 == 0 else _HALF.min(w1 / u0)
    squared = _row_length(u1, 1 + e1 + w1 * arb(2).log())
    z = 2 * (squared * w1 / arb.pi()).sqrt()
    step = arb(3).sqrt() + (-1 / u1).exp()
    k = 1 + w1 * arb(2).log() + (1 - e0) * (1 + u1 * step.log())
    return z + k / 3 + ((k / 3) ** 2 + 2 * k * z).sqrt()


def _most(u0: arb, u1: arb, convex: Callable[[arb], arb]) -> arb | None:
    """Bound a convex function of L that grows without end; nothing if L has no end."""
    return None if u0 == 0 else convex(1 / u0).max(convex(1 / u1))


def _product(u0: arb, u1: arb, y0: arb, room: arb | None) -> arb:
    """Bound ``x = t m^{-y}`` by the hypothesis ``t^2/2 <= room``, or else ``t^2/2 <= L``."""
    shortest, one = 1 / u1, arb(1)
    if room is not None:
        square = 2 * room.max(arb(0)) * (-2 * y0 * shortest).exp()
    elif 2 * y0 * shortest >= 1:  # L exp(-2 y L) falls from there on
        square = 2 * shortest * (-2 * y0 * shortest).exp()
    else:
        square = one
    return square.min(one).sqrt().max(_LEAST)


def _too_small(u0: arb, u1: arb, D1: arb) -> bool:
    """Say whether a box has only dimensions below two: ``D >= u log(2 L)``, concave in u."""
    return bool(u0 > 0 and (-u0 * (u0 / 2).log()).min(-u1 * (u1 / 2).log()) > D1)


def _least_inverse(u0: arb, u1: arb, D1: arb) -> arb:
    """Bound ``1/d = L exp(-D L)``, which first grows with L and then falls, from below."""
    if u0 == 0:
        return arb(0)
    return _HALF.min(((-D1 / u0).exp() / u0).min((-D1 / u1).exp() / u1))


def _row_length(u1: arb, excess: arb) -> arb:
    """Bound ``m rho^2/(d L)``, with the logarithm l of the failure in units of ``d L``."""
    return (u1.sqrt() + excess.sqrt()) ** 2 + excess


def _net(box: Box) -> tuple[arb, arb]:
    """Return ``sqrt(3/2) sqrt(m rho^2/(d L))`` and ``(log 2 + d L)/(d L)``."""
    (u0, u1), (D0, _), *_ = box
    unit = (-D0 / u1).exp().min(u1 / 2)  # 1/(d L)
    e1 = _HALF if u0 == 0 else _HALF.min((-D0 / u1).exp() / u0)
    squared = _row_length(u1, 1 + e1 + unit * arb(2).log())
    return (squared * 3 / 2).sqrt(), 1 + unit * arb(2).log()


def _spread(u1: arb) -> arb:
    """Bound ``-u log u`` for u up to u1."""
    return -u1 * u1.log() if u1 * 3 < 1 else (arb(-1)).exp()


def _tail(t: arb) -> arb:
    return (t / arb(2).sqrt()).erfc() / 2


_HALF = arb(1) / 2
_FAR = 4
_U, _UNIT = (Fraction(0), Fraction(3, 2)), (Fraction(0), Fraction(1))  # m >= 2 is u <= 1.443
_PARTS: dict[str, tuple[Callable[[Box], arb | None], tuple[tuple[Fraction, Fraction], ...]]] = {
    "gap, continuous": (partial(_gap, jump=False), (_U, (Fraction(0), Fraction(1, 2)), _UNIT)),
    "gap, jump": (partial(_gap, jump=True), (_U, (Fraction(0), Fraction(1, 2)), _UNIT)),
    "near": (_near, (_U, _UNIT, _UNIT, _UNIT)),
    "active": (_active, (_U, _UNIT, (Fraction(0), Fraction(8)))),
    "changed": (_changed, ((Fraction(0), Fraction(25, 52)), (Fraction(0), Fraction(1, 4)))),
}

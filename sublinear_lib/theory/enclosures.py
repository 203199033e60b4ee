r"""Exact numbers and rigorous enclosures: how a deterministic claim is decided.

No object of the paper lives here.  An argument is an exact rational number (every float is one); a
value that is rational is computed as a `fractions.Fraction`; a value that is not, such as
``exp(-2)`` or ``erf(1)``, is enclosed by a ball of Arb, a number with a proven error bound, through
python-flint.  `decide` compares two such values with more and more digits until their enclosures
no longer touch, so its answer is a proof and not the sign of a rounded difference.  Before changing
it, know two traps.  A comparison of balls that is not certainly true may still be true, so that
``not (a < b)`` says nothing.  And two equal numbers that are not both rational can never be
told apart from unequal ones: that raises `UndecidedError`, it does not guess.  What is claimed of a
whole interval is proven on whole intervals (`positive_on`), never on a grid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from flint import arb, arb_series, ctx, fmpq

from sublinear_lib._arguments import Count, Whole, checked
from sublinear_lib.validation import choice, scalar

__all__ = [
    "Ball",
    "Enclosure",
    "Inequality",
    "Number",
    "Series",
    "Value",
    "ball",
    "ceiling",
    "decide",
    "enclose",
    "positive_on",
    "rational",
]

Ball: TypeAlias = arb
"""A real number with a proven error bound (``flint.arb``)."""

Box: TypeAlias = tuple[tuple[arb, arb], ...]
"""For each of several variables, the ends of an interval."""

Series: TypeAlias = arb_series
"""A truncated power series with balls as coefficients (``flint.arb_series``)."""

Number: TypeAlias = int | float | Fraction
"""What may be passed for a real number: it stands for its exact value."""

Value: TypeAlias = Fraction | Callable[[], Ball]
"""A rational number, or a recipe that computes a ball at the working precision."""

Relation: TypeAlias = Literal["<=", ">="]

_FIRST_BITS = 64
_MOST_BITS = 2**15
_SERIES_BITS = 128
_DEEPEST = 80


class UndecidedError(ArithmeticError):
    """Two numbers could not be told apart, or a number not be enclosed, with the digits allowed."""


def rational(
    value: Number,
    name: str,
    *,
    minimum: Number | None = None,
    maximum: Number | None = None,
    exclusive_minimum: Number | None = None,
    exclusive_maximum: Number | None = None,
) -> Fraction:
    """Return the exact value of a number within the given range.

    A float stands for the binary fraction that it is: 0.1 is not 1/10.

    >>> rational(0.5, "eta")
    Fraction(1, 2)
    """
    whole = isinstance(value, int) and not isinstance(value, bool)  # of any size
    number = Fraction(value if whole or isinstance(value, Fraction) else scalar(value, name))
    limits = [
        (minimum, ">=", minimum is None or number >= minimum),
        (exclusive_minimum, ">", exclusive_minimum is None or number > exclusive_minimum),
        (maximum, "<=", maximum is None or number <= maximum),
        (exclusive_maximum, "<", exclusive_maximum is None or number < exclusive_maximum),
    ]
    if not all(holds for _, _, holds in limits):
        allowed = " and ".join(f"{sign} {end}" for end, sign, _ in limits if end is not None)
        raise ValueError(f"{name} must be a finite number {allowed}, got {value}")
    return number


def to_flint(value: Fraction) -> fmpq:
    """Return a fraction as a number of python-flint; `from_flint` is the way back."""
    return fmpq(value.numerator, value.denominator)


def from_flint(value: fmpq) -> Fraction:
    """Return a rational number of python-flint as a fraction."""
    return Fraction(int(value.p), int(value.q))


def ball(value: Fraction | int) -> Ball:
    """Return a ball around a rational number, at the working precision.

    >>> ball(Fraction(1, 3)) * 3 < 2
    True
    """
    return arb(to_flint(Fraction(value)))


@dataclass(frozen=True)
class Enclosure:
    """An interval with rational ends that is proven to contain a real number.

    Fields: `lower`: the lower end; `upper`: the upper end, ``>= lower``; equal to it when the
    number is known exactly.
    """

    lower: Fraction
    upper: Fraction

    @property
    def width(self) -> Fraction:
        """The length of the interval."""
        return self.upper - self.lower

    @property
    def midpoint(self) -> Fraction:
        """The middle of the interval."""
        return (self.lower + self.upper) / 2

    def __contains__(self, number: Number) -> bool:
        """Say whether a number lies in the interval, ends included."""
        return bool(self.lower <= number <= self.upper)

    def __float__(self) -> float:
        """Return the middle as a float."""
        return float(self.midpoint)


def _end(point: Ball) -> Fraction:
    """Return a ball of radius zero as a fraction."""
    mantissa, exponent = point.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _at(value: Value, bits: int) -> Enclosure | None:
    """Enclose a value at a working precision, or return None if it has no finite ball there."""
    if isinstance(value, Fraction):
        return Enclosure(value, value)
    with ctx.workprec(bits):
        found = value()
        if not found.is_finite():
            return None
        return Enclosure(_end(found.lower()), _end(found.upper()))


def _accurate(enclosure: Enclosure, bits: int) -> bool:
    size = max(abs(enclosure.lower), abs(enclosure.upper))
    return bool(enclosure.width * 2**bits <= size)


@checked
def enclose(value: Value, bits: Count = 53) -> Enclosure:
    """Enclose a number to a wanted relative accuracy.

    Here `value`: a fraction, or a function that computes a ball around the number at the working
    precision; it is called with more and more digits; `bits`: the interval is at most ``2**-bits``
    times as long as the number is large.

    Raises UndecidedError: if 32768 bits do not suffice (as for a zero that is not a fraction).

    >>> pi = enclose(lambda: arb.pi())
    >>> pi.lower < Fraction(355, 113), float(pi)
    (True, 3.141592653589793)
    """
    working = bits + _FIRST_BITS
    while working <= _MOST_BITS:
        found = _at(value, working)
        if found is not None and _accurate(found, bits):
            return found
        working *= 2
    raise UndecidedError(f"no enclosure of relative accuracy 2**-{bits} with {_MOST_BITS} bits")


@dataclass(frozen=True)
class Inequality:
    """One instance of a claimed inequality, decided.

    Fields: `left`, `right`: the two sides, each with a relative accuracy of at least 53 bits;
    `relation`: what is claimed of `left` and `right`. Equality occurs only between rational
    numbers; `holds`: whether the claim is true for this instance. It is proven either way.
    """

    left: Enclosure
    relation: Relation
    right: Enclosure
    holds: bool

    @property
    def ratio(self) -> float:
        """The left side over the right side, as a float; infinite when the right side is zero."""
        bottom = self.right.midpoint
        return float(self.left.midpoint / bottom) if bottom else float("inf")


def decide(left: Value, relation: Relation, right: Value) -> Inequality:
    """Decide an inequality between two numbers, rigorously.

    Raises UndecidedError: if the sides are equal but not both rational, or closer than 32768 bits
    can show.

    >>> decide(lambda: arb.pi(), "<=", Fraction(22, 7)).holds
    True
    """
    choice(relation, "relation", ("<=", ">="))
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        below = left <= right if relation == "<=" else left >= right
        return Inequality(enclose(left), relation, enclose(right), below)
    bits = _FIRST_BITS
    while bits <= _MOST_BITS:
        first, second = _at(left, bits), _at(right, bits)
        if first is not None and second is not None:
            smaller, larger = first.upper < second.lower, first.lower > second.upper
            if smaller or larger:
                holds = smaller if relation == "<=" else larger
                return Inequality(enclose(left), relation, enclose(right), holds)
        bits *= 2
    raise UndecidedError(f"the two sides agree to {_MOST_BITS} bits: they may be equal")


@checked
def enclose_root(
    function: Callable[[Ball], Ball], lower: Number, upper: Number, bits: Count = 60
) -> Enclosure:
    """Enclose a zero of a continuous function by bisection with proven signs.

    The values at the ends must have different signs, and so have those at the ends of the interval
    returned, at most ``2**-bits`` long.  That its zero is the only one is for the caller to prove.

    Raises UndecidedError: if the sign of a value met cannot be decided.

    >>> float(enclose_root(lambda x: x * x - 2, 1, 2))
    1.4142135623730951
    """
    low = rational(lower, "lower")
    high = rational(upper, "upper", exclusive_minimum=low)

    def positive(at: Fraction) -> bool:
        return decide(lambda: function(ball(at)), ">=", Fraction(0)).holds

    rising = positive(high)
    if positive(low) == rising:
        raise ValueError(f"the values at lower = {lower} and upper = {upper} have the same sign")
    while (high - low) * 2**bits > 1:
        middle = (low + high) / 2
        if positive(middle) == rising:
            high = middle
        else:
            low = middle
    return Enclosure(low, high)


@checked
def positive_on(
    function: Callable[[Series], Series], lower: Number, upper: Number, *, zeros: Whole = 0
) -> bool:
    """Decide whether a function is positive on a whole interval.

    Here `function`: analytic on the interval; given a power series it returns the power series of
    the value; `zeros`: from 0 to 8.  If not 0, the function and its derivatives of an order below
    `zeros` vanish at `lower`, which is checked and then does not belong to the interval.

    It is proven either way.  A cell is settled if the ball around all its values is positive; on
    the cell that begins at a zero of order r, the ball around the r-th derivative is taken instead
    (Taylor's formula).  Cells are halved until they are settled, or the value in the middle of one
    of them is proven not to be positive.

    Raises UndecidedError: if the function comes too close to zero to decide.

    >>> positive_on(lambda x: x - (1 + x).log(), 0, 3, zeros=2)
    True
    >>> positive_on(lambda x: x - 2 * (1 + x).log(), 2, 3)
    False
    """
    low = rational(lower, "lower")
    high = rational(upper, "upper", exclusive_minimum=low)
    order = zeros
    if order > 8:
        raise ValueError(f"zeros must be at most 8, got {zeros}")

    def coefficients(at: Ball) -> list[Ball]:
        value = function(arb_series([at, arb(1)], prec=order + 1))
        return [value[i] for i in range(order + 1)]

    with ctx.workprec(_SERIES_BITS):
        at_low = coefficients(ball(low))
        if any(not value == 0 for value in at_low[:order]):
            raise ValueError(f"function must vanish to the order zeros = {order} at lower = {low}")
        if at_low[order] < 0 or (at_low[0] <= 0 and not order):
            return False
        if coefficients(ball(high))[0] <= 0:
            return False
        cells = [(low, high, 0)]
        while cells:
            start, end, depth = cells.pop()
            found = coefficients(ball(start).union(ball(end)))
            if found[order if start == low else 0] > 0:
                continue
            middle = (start + end) / 2
            if coefficients(ball(middle))[0] <= 0:
                return False
            if depth == _DEEPEST:
                raise UndecidedError(f"the function is too close to zero near {float(middle)!r}")
            cells += [(start, middle, depth + 1), (middle, end, depth + 1)]
    return True


def below_on(
    function: Callable[[Box], Ball | None],
    box: Sequence[tuple[Fraction, Fraction]],
    limit: Number,
    boxes: int = 100_000,
) -> bool:
    """Prove that a function of several variables is below a number on a whole box.

    Given the ends of an interval for each variable, `function` returns a ball whose upper end
    bounds it on that box, or ``None`` where the box has no point that matters.  A box whose bound
    is too large is halved across the side that is longest, compared with the first box.  ``True``
    is a proof; ``False`` says that so many boxes did not suffice, or that a box around a single
    point is not below the limit: not that the function is somewhere above.

    >>> square = [(Fraction(0), Fraction(1))] * 2
    >>> below_on(lambda box: box[0][1] * (1 - box[0][0]) * box[1][1], square, Fraction(26, 100))
    True
    >>> below_on(lambda box: box[0][1] * (1 - box[0][0]) * box[1][1], square, Fraction(1, 4), 99)
    False
    """
    top = ball(rational(limit, "limit"))
    whole = [end - start for start, end in box]
    with ctx.workprec(_FIRST_BITS):
        waiting = [tuple(box)]
        for _ in range(boxes):
            if not waiting:
                return True
            here = waiting.pop()
            value = function(tuple((ball(start), ball(end)) for start, end in here))
            if value is None or value < top:
                continue
            sides = [(end - start) / size for (start, end), size in zip(here, whole, strict=True)]
            widest = sides.index(max(sides))
            if sides[widest] * 2**_DEEPEST < 1:
                return False
            start, end = here[widest]
            middle = (start + end) / 2
            for half in ((start, middle), (middle, end)):
                waiting.append((*here[:widest], half, *here[widest + 1 :]))
    return False


def ceiling(value: Value) -> int:
    """Return the smallest integer that is not below a number.

    Raises UndecidedError: if the number is an integer without being given as a fraction.

    >>> ceiling(lambda: arb.pi())
    4
    """
    bits = _FIRST_BITS
    while bits <= _MOST_BITS:
        found = _at(value, bits)
        if found is not None:
            low, high = -(-found.lower // 1), -(-found.upper // 1)
            if low == high:
                return int(low)
        bits *= 2
    raise UndecidedError(f"the number agrees with an integer to {_MOST_BITS} bits")

"""Promises of ``theory.enclosures``: what is decided is proven, and what cannot be is said."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb, arb_series, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import validation
from sublinear_lib.theory import enclosures

MODEST = settings(max_examples=50, deadline=None)
FRACTIONS = st.fractions(min_value=-100, max_value=100, max_denominator=10**6)
# pi, cut off after 60 digits
PI = Fraction(314159265358979323846264338327950288419716939937510582097494, 10**59)


@MODEST
@given(FRACTIONS)
def test_a_ball_contains_its_fraction_at_every_precision(x: Fraction) -> None:
    for bits in (5, 53, 200):
        with ctx.workprec(bits):
            assert enclosures.ball(x).contains(fmpq(x.numerator, x.denominator))
    assert x in enclosures.enclose(lambda: enclosures.ball(x) if x else arb(0))


@pytest.mark.parametrize("bits", [1, 53, 150])
def test_an_enclosure_contains_the_number_and_is_as_short_as_asked(bits: int) -> None:
    found = enclosures.enclose(lambda: arb.pi(), bits)
    assert found.lower < PI + Fraction(1, 10**59)
    assert found.upper > PI
    assert found.width <= 4 * Fraction(1, 2**bits)


def test_the_ends_of_an_enclosure_belong_to_it_and_nothing_beyond() -> None:
    found = enclosures.Enclosure(Fraction(1), Fraction(2))
    assert 1 in found and 2 in found and 1.5 in found
    assert Fraction(99, 100) not in found and 2.01 not in found
    assert (found.midpoint, found.width, float(found)) == (Fraction(3, 2), 1, 1.5)


@MODEST
@given(FRACTIONS, FRACTIONS)
def test_fractions_are_compared_exactly_equality_included(x: Fraction, y: Fraction) -> None:
    assert enclosures.decide(x, "<=", y).holds == (x <= y)
    assert enclosures.decide(x, ">=", y).holds == (x >= y)
    assert enclosures.decide(x, "<=", x).holds and enclosures.decide(x, ">=", x).holds


@pytest.mark.parametrize("digits", [10, 50, 300])
def test_numbers_that_differ_in_the_last_digits_are_told_apart(digits: int) -> None:
    gap = Fraction(1, 10**digits)

    def above() -> arb:
        return arb.pi() + enclosures.ball(gap)

    assert enclosures.decide(above, ">=", lambda: arb.pi()).holds
    assert not enclosures.decide(above, "<=", lambda: arb.pi()).holds
    assert enclosures.decide(lambda: arb.pi(), "<=", above).holds
    assert not enclosures.decide(lambda: arb.pi(), ">=", above).holds


def test_equal_numbers_that_are_not_both_rational_are_left_undecided() -> None:
    with pytest.raises(enclosures.UndecidedError, match="may be equal"):
        enclosures.decide(lambda: arb(2).sqrt() ** 2, "<=", Fraction(2))
    with pytest.raises(enclosures.UndecidedError, match="integer"):
        enclosures.ceiling(lambda: arb(9).sqrt() + arb.pi() - arb.pi())
    with pytest.raises(enclosures.UndecidedError, match="relative accuracy"):
        enclosures.enclose(lambda: arb.pi() - arb.pi())
    with pytest.raises(enclosures.UndecidedError):
        enclosures.decide(lambda: arb("nan"), "<=", Fraction(1))


def test_an_inequality_carries_both_sides_and_their_ratio() -> None:
    found = enclosures.decide(lambda: arb(1).exp(), "<=", Fraction(3))
    assert found.holds and found.relation == "<="
    assert float(found.left) == pytest.approx(math.e, rel=1e-15)
    assert found.right == enclosures.Enclosure(Fraction(3), Fraction(3))
    assert found.ratio == pytest.approx(math.e / 3, rel=1e-15)
    assert enclosures.decide(Fraction(1), ">=", Fraction(0)).ratio == math.inf


@pytest.mark.parametrize("bits", [10, 60, 100])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_root_is_bracketed_by_proven_signs(bits: int, sign: int) -> None:
    found = enclosures.enclose_root(lambda x: sign * (x * x - 2), 0, 5, bits)
    assert found.lower > 0 and found.lower**2 < 2 < found.upper**2
    assert Fraction(1, 2 ** (bits + 1)) < found.width <= Fraction(1, 2**bits)


def test_without_a_change_of_sign_no_root_is_claimed() -> None:
    with pytest.raises(ValueError, match="same sign"):
        enclosures.enclose_root(lambda x: x * x + 1, 0, 5)
    with pytest.raises(ValueError, match="upper"):
        enclosures.enclose_root(lambda x: x, 5, 5)


def test_the_ceiling_is_decided_also_just_above_an_integer() -> None:
    for value, expected in ((Fraction(7, 2), 4), (Fraction(-7, 2), -3), (Fraction(-3), -3)):
        assert enclosures.ceiling(value) == expected
    tiny = Fraction(1, 10**100)
    assert enclosures.ceiling(lambda: 3 + enclosures.ball(tiny) * arb.pi()) == 4
    assert enclosures.ceiling(lambda: 3 - enclosures.ball(tiny) * arb.pi()) == 3
    assert enclosures.ceiling(lambda: -arb.pi()) == -3


@pytest.mark.parametrize("value", [1, 1.0, Fraction(1)])
def test_the_ends_of_a_range_are_kept_or_refused(value: int | float | Fraction) -> None:
    assert enclosures.rational(value, "x", minimum=1, maximum=1) == 1
    for limits in (
        {"minimum": Fraction(11, 10)},
        {"maximum": Fraction(9, 10)},
        {"exclusive_minimum": 1},
        {"exclusive_maximum": 1},
    ):
        with pytest.raises(ValueError, match="x must be a finite number"):
            enclosures.rational(value, "x", **limits)


def test_a_float_stands_for_its_binary_fraction_and_an_integer_of_any_size_for_itself() -> None:
    assert enclosures.rational(0.1, "x") == Fraction(0.1) != Fraction(1, 10)
    assert enclosures.rational(2**64 + 1, "x", minimum=2**64) == 2**64 + 1
    assert validation.exact(2**64 + 1, "x") == 2**64 + 1


@pytest.mark.parametrize("value", [0.5, "1", None, 1j, True])
def test_what_is_no_number_and_what_is_not_exact_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match=r"x must be an exact fractions\.Fraction or an int, got"):
        validation.exact(value, "x")
    if value != 0.5:
        with pytest.raises(TypeError, match="x must be"):
            enclosures.rational(value, "x")
    with pytest.raises(ValueError, match="x must be"):
        enclosures.rational(math.nan, "x")
    with pytest.raises(ValueError, match="relation"):
        enclosures.decide(Fraction(1), "<", Fraction(2))


# Whole intervals


@MODEST
@given(st.fractions(1, 50, max_denominator=1000).filter(lambda level: level != 10))
def test_a_parabola_is_positive_exactly_where_its_lowest_point_is(level: Fraction) -> None:
    def raised(x: arb_series) -> arb_series:
        return (x - 7) * (x - 7) + enclosures.ball(level - 10)

    assert enclosures.positive_on(raised, 0, 100) == (level > 10)


def test_a_narrow_dip_below_zero_is_found() -> None:
    # 10^-12 + (x - 1/3)^2 against 10^-14 less: between them there is no grid
    def dip(gap: Fraction) -> bool:
        third = Fraction(1, 3)
        return enclosures.positive_on(
            lambda x: (x - enclosures.ball(third)) ** 2 + enclosures.ball(gap), 0, 1
        )

    assert dip(Fraction(1, 10**12))
    assert not dip(Fraction(-1, 10**12))


@pytest.mark.parametrize("order", range(9))
def test_a_zero_of_known_order_at_the_lower_end_is_left_out(order: int) -> None:
    assert enclosures.positive_on(lambda x: x**order * (2 - x), 0, 1, zeros=order)
    assert not enclosures.positive_on(lambda x: x**order * (x - 2), 0, 1, zeros=order)
    assert not enclosures.positive_on(lambda x: x**order * (1 - 2 * x), 0, 1, zeros=order)


def test_the_ends_belong_to_the_interval_and_a_function_that_touches_zero_is_not_decided() -> None:
    assert not enclosures.positive_on(lambda x: x - 1, 1, 2)
    assert not enclosures.positive_on(lambda x: 2 - x, 1, 2)
    assert enclosures.positive_on(lambda x: 2 - x, 1, Fraction(199, 100))
    with pytest.raises(enclosures.UndecidedError, match="close to zero"):
        enclosures.positive_on(lambda x: (3 * x - 1) ** 2, 0, 1)


def test_a_zero_that_is_not_there_and_an_impossible_interval_are_refused() -> None:
    for function in (lambda x: x + 1, lambda x: x, lambda x: (1 + x).exp() - 1):
        with pytest.raises(ValueError, match="vanish"):
            enclosures.positive_on(function, 0, 1, zeros=2)
    for ends, zeros, message in (((1, 1), 0, "upper"), ((0, 1), 9, "zeros"), ((0, 1), -1, "zeros")):
        with pytest.raises(ValueError, match=message):
            enclosures.positive_on(lambda x: x, *ends, zeros=zeros)

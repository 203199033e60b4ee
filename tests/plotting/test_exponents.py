"""Promises of the pictures of exponents: every number is said and shown, nonsense is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sublinear_lib.plotting import ExponentRow, exponents_picture
from sublinear_lib.statistics import Interval

FAILS = ExponentRow("Theorem 4.1", Fraction(1, 10), Fraction(-1, 10), False, "sup of the gap")
MEASURED = ExponentRow("slope of *H*", Interval(0.0842, 0.068, 0.0991, 0.99))


def test_the_text_says_what_is_printed_and_what_is_found() -> None:
    picture = exponents_picture([FAILS, MEASURED], name="rows")
    assert "Theorem 4.1 (sup of the gap): printed -1/10, found 1/10, not so" in picture.alt
    assert "slope of H: found 0.084 [0.068, 0.099], as it should be" in picture.alt


def test_both_fractions_and_the_estimate_stand_in_the_picture() -> None:
    html = exponents_picture([FAILS, MEASURED], name="rows").html
    assert ">\N{MINUS SIGN}1/10<" in html and ">1/10<" in html and ">0.0842<" in html


def test_the_key_names_only_what_is_drawn() -> None:
    html = exponents_picture([MEASURED], key=("as asked", "not as asked"), name="rows").html
    assert "as asked" in html and "not as asked" not in html and "printed" not in html


def test_a_long_label_is_broken_and_makes_the_picture_higher() -> None:
    def height(label: str) -> float:
        picture = exponents_picture([ExponentRow(label, 1)], name="rows")
        return float(picture.html.split('viewBox="0 0 ')[1].split()[1].split('"')[0])

    assert height("word " * 40) > height("word") + 30


def test_the_colors_follow_the_theme() -> None:
    assert "var(--sl-" in exponents_picture([FAILS], name="rows").html


@pytest.mark.parametrize("rows", [[], [MEASURED] * 15])
def test_too_few_or_too_many_rows_are_refused(rows: list[ExponentRow]) -> None:
    with pytest.raises(ValueError, match="rows must hold 1 to 14"):
        exponents_picture(rows, name="rows")


def test_something_else_than_a_row_is_refused() -> None:
    with pytest.raises(TypeError, match="ExponentRow"):
        exponents_picture([1.0], name="rows")  # type: ignore[list-item]


def test_an_exponent_that_is_no_number_is_named() -> None:
    with pytest.raises(ValueError, match=r"rows\[1\] must be a finite number"):
        exponents_picture([MEASURED, ExponentRow("none", float("nan"))], name="rows")

"""Words that several explorers say alike: a count, a power of m."""

from __future__ import annotations

from fractions import Fraction

from sublinear_lib.plotting import grouped, number


def about(value: float) -> str:
    """Write an expected count: as a whole number from a hundred on."""
    return grouped(round(value)) if value >= 100 else number(value)


def power_of_m(exponent: Fraction) -> str:
    """Write a power of the width in the house markup."""
    text = str(exponent).replace("-", "\N{MINUS SIGN}")
    return {"0": "1", "1": "*m*"}.get(text, f"*m*^{{{text}}}")

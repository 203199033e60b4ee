"""Words that several explorers say alike: a count, a power of m, what a short form asks for.

No formula lives here; what is judged comes from :mod:`sublinear_lib.theory`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from sublinear_lib import scaling, theory
from sublinear_lib.activations import CONTINUOUS
from sublinear_lib.plotting import grouped, number

_NEEDED = 4.0  # the constant C_0 of Theorem A, as its claim has it


def about(value: float) -> str:
    """Write an expected count: as a whole number from a hundred on."""
    return grouped(round(value)) if value >= 100 else number(value)


def power_of_m(exponent: Fraction) -> str:
    """Write a power of the width in the house markup."""
    text = str(exponent).replace("-", "\N{MINUS SIGN}")
    return {"0": "1", "1": "*m*"}.get(text, f"*m*^{{{text}}}")


def window_crowd(m: int, delta: float, tau: float) -> float:
    """Return ``m^{3/2} delta phi(t)``, which the short forms of Theorems A and B want to be large.

    It is the size of Theorem A's continuous gap for ``|a_r| = 1``, over the radius.
    """
    return theory.thin_window_size(m, 1.0, delta, tau, CONTINUOUS) / delta


def crowd_wanted(m: int, d: int) -> float:
    """Return what Theorem A wants `window_crowd` to be at least."""
    return _NEEDED * d * math.log(m)


def short_form_fails(m: int, d: int, delta: float, tau: float) -> str | None:
    """Say what the short form of Theorem A asks for and does not get, or nothing."""
    theta, t = (scaling.standardize_threshold(length, m) for length in (delta, tau))
    asked = {
        "θ ≤ 1": theta <= 1.0,
        "tθ ≤ 1": t * theta <= 1.0,
        "m^(3/2) δ φ(t) ≥ 4 d log m": window_crowd(m, delta, tau) >= crowd_wanted(m, d),
    }
    short = [text for text, holds in asked.items() if not holds]
    if not short:
        return None
    return (
        f"The short form of Theorem A asks for {' and '.join(short)}, which this width does not "
        "give; its certified curve holds all the same."
    )

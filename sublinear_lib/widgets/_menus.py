"""What several chapters offer in the same words: thresholds, activations, powers of m, norms.

The rules themselves are those of :mod:`sublinear_lib.scaling`; here they get the words of a menu,
and a threshold the constants at which its rule is read.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from sublinear_lib.scaling import SPARSE_C, STANDARD_T, TauRule


@dataclass(frozen=True)
class Threshold:
    """A rule for the threshold, what a menu calls it, and the constants that it is read at."""

    rule: TauRule
    shown: str
    c: Fraction = Fraction(0)
    t: float = 1.0

    def tau(self, m: int, K: float = 1.0) -> float:
        """Return the threshold at width m, absolute units."""
        return self.rule.tau(m, K=K, c=self.c, t=self.t)


T_ONE: Final = Threshold(STANDARD_T, "t = 1 (16 % fire)")
T_TWO: Final = Threshold(STANDARD_T, "t = 2 (2.3 % fire)", t=2.0)
C_TENTH: Final = Threshold(SPARSE_C, "t = √(0.2 log m)", Fraction(1, 10))
C_FIFTH: Final = Threshold(SPARSE_C, "t = √(0.4 log m) (R3)", Fraction(1, 5))

ACTIVATIONS: Final = {"jump": "jump (as printed)", "continuous": "continuous"}

NORMS: Final = {"inf": math.inf, "1": 1.0, "2": 2.0}
NORM_NAMES: Final = {"inf": "∞: maximum", "1": "1: sum", "2": "2: Euclidean"}

BALLS: Final = {
    "PRINTED": "as printed: m^(-1/5), m^(-3/5)",
    "R1": "R1: m^(-1/5), m^(-4/5)",
    "R2": "R2: m^(-2/5), m^(-3/5)",
    "R3": "R3: m^(-1/5), m^(-3/5)",
}

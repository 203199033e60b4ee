"""What explorers offer as a threshold: a rule for tau, with the constants at which it is read.

The rules themselves are those of :mod:`sublinear_lib.scaling`; here they get the words of a menu.
Those that several chapters offer in the same words stand here once.
"""

from __future__ import annotations

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

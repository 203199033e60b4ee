r"""Powers of m and sharp constants as stated, and the slopes far out that decide them.

A check at widths that run cannot tell ``m^0.95`` from ``m``.  So each power that a statement names
stands here once, and the check compares it with the slope of a closed form between ``m = 2^200``
and ``2^240``, to a thousandth (`Collector.far`).  Constants that are claimed to be sharp stand here
too.  The checks read all of them from `STATED`, so that a wrong one can be planted there:
``tools/plant_statements.py`` plants each a fortieth off (a constant 10 %) and asks for the verdict.
Before adding an entry, know what `Stated.sharp` is for: a bound may be larger than the truth, and
then a statement with a smaller power is true as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

__all__ = ["STATED", "Stated", "far_slope", "stated", "stated_power"]

_NEAR, _FAR = 2**200, 2**240
_F = Fraction


@dataclass(frozen=True)
class Stated:
    """A number that a statement names.

    Parameters
    ----------
    ids : str
        Ids of the claims that it is planted in, with spaces between them.
    what : str
        What it is the power or the constant of.
    number : Fraction or float
        As stated.
    relation : {"=", "<=", ">="}
        Whether the quantity has this power, or at most this, or at least.
    sharp : Fraction, optional
        The power that the quantity has; by default the one that is stated.
    """

    ids: str
    what: str
    number: Fraction | float
    relation: Literal["=", "<=", ">="] = "="
    sharp: Fraction | None = None

    @property
    def claims(self) -> tuple[str, ...]:
        """The ids of the claims."""
        return tuple(self.ids.split())

    @property
    def constant(self) -> bool:
        """Whether it is a constant, not a power: powers are exact."""
        return isinstance(self.number, float)

    def admits(self, number: Fraction | float) -> bool:
        """Return whether the statement with another number in this place is true."""
        true = self.number if self.sharp is None else self.sharp
        if self.relation == "=":
            return number == true
        return true <= number if self.relation == "<=" else true >= number

    def wrong(self) -> list[Fraction | float]:
        """Return the numbers that are planted in this place.

        These are a constant 10 % off, or a power 1/40 off, on either side; where the bound is not
        the truth also the true power, and the one 1/40 beyond it.
        """
        if self.constant:
            return [0.9 * float(self.number), 1.1 * float(self.number)]
        stated, off = Fraction(self.number), Fraction(1, 40)
        planted: list[Fraction | float] = [stated - off, stated + off]
        if self.sharp is not None:
            planted += [self.sharp, self.sharp + (off if self.relation == ">=" else -off)]
        return planted


def _sets() -> dict[str, Stated]:
    words = {
        "active": "active neurons",
        "flips": "neurons that can flip in the ball",
        "gap": "gap f - g over the ball",
        "initial_output": "initial output B",
        "expressivity": "largest g over the ball",
        "gradient": "squared norm of a gradient",
        "derived_eta": "step size that follows",
        "derived_steps": "number of steps that follows",
        "drift": "distance of the run",
        "coupling": "coupling of the gradients times distance",
    }
    tenths = {
        "set-r1": (10, 7, -3, -2, 0, 6, -6, 0, -8, -3),
        "set-r3": (8, 7, -1, -3, 0, 4, -4, 0, -6, -1),
    }
    return {
        f"{name} {key}": Stated(name, what, _F(number, 10))
        for name, numbers in tenths.items()
        for (key, what), number in zip(words.items(), numbers, strict=True)
    }


_ROOT = 1.0 / math.sqrt(math.pi)

STATED: dict[str, Stated] = {
    # Counts of neurons.
    "C.2 count": Stated("claim-c.2 lem-c.3", "neurons that the ball can switch", _F(9, 10), "<="),
    "C.2 rate": Stated(
        "claim-c.2 lem-c.3", "-log of the probability of twice as many", _F(9, 10), ">="
    ),
    "C.2 constant": Stated("claim-c.2", "constant of K m^(9/10), sharp", _ROOT),
    "C.16 count": Stated(
        "claim-4.6 rem-c.17", "neurons within m^(-15/24) of switching", _F(7, 8), "<="
    ),
    "B near": Stated("thm-b", "bound on near neurons over phi(t) delta", _F(3, 2), "<="),
    "B active": Stated("thm-b", "bound on active neurons over Q(t)", _F(1), "<="),
    "4.5-r share": Stated("lem-4.5-r", "t Q(t) at c = 1/5", _F(-1, 5)),
    "4.5-r constant": Stated("lem-4.5-r", "constant of Q(t) t m^c", _ROOT / math.sqrt(2.0)),
    "4.6-r count": Stated("claim-4.6-r", "neurons that the ball can switch, R3", _F(7, 10), "<="),
    "4.6-r chance": Stated("claim-4.6-r", "Pr[C_r = 1], R3", _F(-3, 10), "<="),
    # f and g.
    "4.1": Stated("thm-4.1 lem-c.8", "largest |f - g| over the ball", _F(-1, 10), "<=", _F(1, 10)),
    "4.1 growth": Stated("thm-4.1", "E H at the printed powers (remark)", _F(1, 10)),
    "C.5": Stated("claim-c.5", "largest |A - g| over the ball", _F(-1, 10), "<=", _F(1, 10)),
    "C.7": Stated("claim-c.7", "largest |C| over the ball", _F(-1, 10), "<=", _F(1, 10)),
    "C.6 size": Stated(
        "claim-c.6", "level that |B| exceeds with the stated chance", _F(-1, 10), "<="
    ),
    "C.6 rate": Stated("claim-c.6", "-log of that chance", _F(1, 5), ">="),
    "prop-1 mean": Stated("prop-1", "E H at the printed powers", _F(1, 10)),
    "prop-1 constant": Stated("prop-1", "constant of K^2 m^(1/10) in E H", _ROOT / 4.0),
    "prop-2 constant": Stated("prop-2", "constant of t phi(t)/Q(t) in (d)", 0.5),
    "A continuous": Stated("thm-a", "bound over a phi(t) delta^2, continuous", _F(3, 2), "<="),
    "A jump": Stated("thm-a", "bound over a phi(t) delta (delta + tau), jump", _F(3, 2), "<="),
    "4.1-r gap": Stated("thm-4.1-r", "largest |f - g - B|, R3", _F(-1, 10), "<="),
    "4.1-r start": Stated("thm-4.1-r", "initial output B, R3", _F(-3, 10), "<="),
    **_sets(),
    # Small changes of the input.
    "4.2 rate": Stated("lem-4.2", "-log of the chance that (4) fails", _F(1, 2), ">=", _F(3, 10)),
    "4.2-r f": Stated("lem-4.2-r", "change of f, tau = 1/m", _F(-1, 5), "<=", _F(-3, 10)),
    "4.2-r g": Stated(
        "lem-4.2-r", "change of g with probability 1 - theta_(3/10)", _F(-1, 2), "<="
    ),
    "4.2-r rate": Stated("lem-4.2-r", "-log of the chance of a larger change", _F(3, 10), ">="),
    "4.2-r g, likelier": Stated(
        "lem-4.2-r", "change of g with probability 1 - theta_(1/2)", _F(-3, 10), "<="
    ),
    "4.2-r R3": Stated("lem-4.2-r", "bound on the change of f, R3", _F(-9, 10)),
    "C order": Stated("thm-c", "bound on the change of f over a p (...) nu", _F(1), "<="),
    "C flips": Stated("thm-c", "bound on F over d log m", _F(0), "<="),
    # Convergence.
    "4.3 growth": Stated("thm-4.3", "what one printed step moves (remark)", _F(2, 5)),
    "C.13 step": Stated("rem-c.13", "distance of one printed step (remark)", _F(-2, 5)),
    "C.14 coupling": Stated("lem-c.14", "coupling of the gradients", _F(27, 50), "<=", _F(4, 5)),
    "C.14 flips": Stated("lem-c.14", "coupling with one derivative (remark)", _F(27, 40)),
    "C.14-r coupling": Stated("lem-c.14-r", "coupling over the distance of a run", _F(1, 2), "<="),
    "eta R1": Stated("thm-4.3-r", "step size, R1", _F(-3, 5)),
    "eta R2": Stated("thm-4.3-r set-r2", "step size, R2", _F(-1, 5)),
    "eta R3": Stated("thm-4.3-r", "step size, R3", _F(-2, 5)),
    "set-r2 drift": Stated("set-r2", "distance of the run, R2", _F(-3, 5)),
    "set-r2 flips": Stated("set-r2", "neurons that flip over that distance, R2", _F(9, 10)),
    "set-r2 coupling": Stated("set-r2", "coupling over that distance, R2", _F(1, 2)),
    # Existence.
    "B.9 radius": Stated(
        "lem-b.9 thm-4.4", "radius of a ball with good weights", _F(-3, 5), "<=", _F(-4, 5)
    ),
    "E radius": Stated("thm-e thm-4.4-r", "radius, alpha = c = 1/5", _F(-3, 5), "="),
    "(25)-r constant": Stated("eq-25-r", "constant of tau, sharp", _ROOT / 2.0),
    # Cost.
    "5.3-r passes": Stated("lem-5.3-r", "active neurons at c = 1/5", _F(4, 5)),
    "1.1-r alive": Stated("thm-1.1-r", "neurons able to fire on X, c = 1/5, d = 3", _F(4, 5), "<="),
    # The other parts.
    "II.3 radius": Stated("prop-ii.3", "budget over lambda, sharp", 0.25),
    "II.2 constant": Stated("prop-ii.2", "Lipschitz constant times lambda - 2 mu", 2.0),
}
"""Everything that a planted error in a statement is planted in, by a name that the checks use."""


def stated(key: str) -> float:
    """Return a number as its statement has it, by its name in `STATED`."""
    return float(STATED[key].number)


def stated_power(key: str) -> Fraction:
    """Return a power of m as its statement has it, exactly."""
    return Fraction(STATED[key].number)


def far_slope(value: Callable[[int], float], *, logs: float = 0.0) -> float:
    """Return the power of m in a closed form, between ``m = 2^200`` and ``2^240``.

    The power `logs` of log m is divided out; little else is left there.

    >>> round(far_slope(lambda m: 3.0 * m**0.9 * math.log(m), logs=1.0), 9)
    0.9
    """
    slope = math.log(value(_FAR) / value(_NEAR)) / math.log(_FAR / _NEAR)
    return slope - logs * math.log(math.log(_FAR) / math.log(_NEAR)) / math.log(_FAR / _NEAR)

r"""Every power of m in the proofs, in exact fractions: what is printed and what follows.

A *chain* is a product of powers of the width that a proof multiplies out, with the value the paper
prints for it.  Each factor is an affine form in the three exponents that define a scaling,
``|a_r| = m^-alpha``, radius ``K m^-beta``, active share ``m^-c``, so that one chain can be read at
the printed powers and at those of every repair.  Before changing anything, know that the verdicts
come from comparing fractions and from nothing else; K, n, epsilon and powers of ``log m`` count as
constants; and a failing chain condemns the printed value, not always the statement it serves (the
field `scope` says which).  The second half of the module is the set of all (alpha, beta, c) for
which the repaired statements hold together, as an exact polytope.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Literal

from flint import fmpq_mat

from sublinear_lib._arguments import described
from sublinear_lib.scaling import PRINTED, Scaling, get_scaling
from sublinear_lib.theory.enclosures import from_flint, to_flint
from sublinear_lib.validation import choice, exact

__all__ = [
    "CHAINS",
    "CONSISTENT",
    "CRUDE",
    "PRINTED_DRIFT",
    "PRINTED_STEPS",
    "SPARSE",
    "Inequality",
    "Polytope",
    "explained",
]

Relation = Literal["=", "<=", ">=", "<"]
Verdict = Literal["agrees", "weaker", "fails"]
Exact = Fraction | int
Point = tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class Power:
    """An exponent of m that depends on the scaling: an affine form in (alpha, beta, c).

    Fields: `constant`, `alpha`, `beta`, `c`: the exponent is ``constant + alpha * (alpha) + beta *
    (beta) + c * (c)``.

    Raises TypeError: if a coefficient is not exact.

    >>> flips = Power(Fraction(3, 2), beta=-1, c=-1)  # m * m^-beta * m^(1/2 - c)
    >>> flips.at(Fraction(1, 5), Fraction(3, 5), 0)
    Fraction(9, 10)
    """

    constant: Exact = 0
    alpha: Exact = 0
    beta: Exact = 0
    c: Exact = 0

    def __post_init__(self) -> None:
        """Store the coefficients as fractions."""
        for name in ("constant", "alpha", "beta", "c"):
            object.__setattr__(self, name, exact(getattr(self, name), name))

    @cached_property
    def coefficients(self) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """The constant and the coefficients of alpha, beta and c."""
        return Fraction(self.constant), Fraction(self.alpha), Fraction(self.beta), Fraction(self.c)

    @described
    def at(self, alpha: Exact, beta: Exact, c: Exact) -> Fraction:
        """Return the exponent for given powers."""
        constant, by_alpha, by_beta, by_c = self.coefficients
        return (
            constant
            + by_alpha * exact(alpha, "alpha")
            + by_beta * exact(beta, "beta")
            + by_c * exact(c, "c")
        )

    def __add__(self, other: Power) -> Power:
        """Multiply two powers of m."""
        return Power(*map(sum, zip(self.coefficients, other.coefficients, strict=True)))

    def __mul__(self, number: Exact) -> Power:
        """Raise a power of m to an exact exponent."""
        factor = exact(number, "number")
        return Power(*(factor * value for value in self.coefficients))

    __rmul__ = __mul__

    def __neg__(self) -> Power:
        """Return the reciprocal of a power of m."""
        return self * -1

    def __sub__(self, other: Power) -> Power:
        """Divide two powers of m."""
        return self + -other


@dataclass(frozen=True)
class Chain:
    """A product of powers that the paper forms, with the value it prints.

    Fields: `source`: where it is printed; `quantity`: what is computed, in words; `factors`: the
    product; `printed`: the exponent that the paper prints, or the value that the paper needs;
    `relation`: how *derived* must stand to *printed*: ``"<="`` for upper bounds ``O(m^printed)``,
    ``">="`` where the printed value must not exceed what follows (a largest value allowed, the
    exponent of a failure probability), ``"="`` for a step of arithmetic, ``"<"`` for a strict
    requirement.

    Raises TypeError, ValueError: if `printed` is not exact or the relation is not one of these.

    >>> chain = CHAINS["4.1"]
    >>> [str(factor.at(Fraction(1, 5), Fraction(3, 5), 0)) for factor in chain.factors]
    ['-1/5', '-3/5', '9/10']
    >>> str(chain.printed), str(chain.derived()), chain.verdict()
    ('-1/10', '1/10', 'fails')
    """

    source: str
    quantity: str
    factors: tuple[Power, ...]
    printed: Fraction
    relation: Relation = "<="

    def __post_init__(self) -> None:
        """Check the relation and the printed value."""
        choice(self.relation, "relation", ("=", "<=", ">=", "<"))
        object.__setattr__(self, "printed", exact(self.printed, "printed"))

    @cached_property
    def power(self) -> Power:
        """The exponent of the product as an affine form."""
        return sum(self.factors, Power())

    def derived(self, scaling: str | Scaling = PRINTED) -> Fraction:
        """Return the exponent that follows."""
        rules = get_scaling(scaling)
        return self.power.at(rules.alpha, rules.beta, rules.c)

    @described
    def verdict(self, scaling: str | Scaling = PRINTED) -> Verdict:
        """Compare the printed exponent with what follows, exactly.

        ``"weaker"`` when the printed value is true but not what follows.
        """
        derived = self.derived(scaling)
        if self.relation == "<":
            return "agrees" if derived < self.printed else "fails"
        if derived == self.printed:
            return "agrees"
        if self.relation == "<=" and derived < self.printed:
            return "weaker"
        if self.relation == ">=" and derived > self.printed:
            return "weaker"
        return "fails"


def _m(numerator: int, denominator: int = 1) -> Power:
    return Power(Fraction(numerator, denominator))


# The powers that everything is made of. A flip window of half-width m^-b holds a share
# m^-b * m^(1/2 - c) of the neurons: the density of N(0, 2/m) at the threshold is m^(1/2 - c).
_ALL = _m(1)
_WEIGHT = Power(alpha=-1)  # |a_r| = m^-alpha
_RADIUS = Power(beta=-1)  # K m^-beta
_DENSITY = Power(Fraction(1, 2), c=-1)  # m^(1/2 - c)
_FLIPS = Power(Fraction(3, 2), beta=-1, c=-1)  # m * K m^-beta * m^(1/2 - c)
_NET = _m(-1)  # ||mu|| <= 1/m
_DRIFT = _m(-15, 24)  # m^(-15/24)
_ETA = _m(-1, 5)  # eta = Theta(epsilon m^(-1/5))
_GRADIENT = Power(1, alpha=-2)  # sum_r a_r^2 = m * m^(-2 alpha)
_SUM_MOVES = Power(1, beta=-1)  # sum_r ||Delta w_r|| <= m * K m^-beta


def _chain(
    words: str, factors: tuple[Power, ...], printed: tuple[int, int], relation: Relation = "<="
) -> Chain:
    """Make a chain from ``"source: quantity"`` and the printed fraction."""
    source, _, quantity = words.partition(": ")
    return Chain(source, quantity, factors, Fraction(*printed), relation)


CHAINS: Mapping[str, Chain] = MappingProxyType(
    {
        "C.2-probability": _chain(
            "proof of Claim C.2: probability that a neuron is within the radius of the threshold",
            (_RADIUS, _DENSITY),
            (-1, 10),
        ),
        "C.2": _chain(
            "Claim C.2 and Lemma C.3: number of neurons that can change their state in the ball",
            (_ALL, _RADIUS, _DENSITY),
            (9, 10),
        ),
        "C.5": _chain(
            "Claim C.5: |A - g|: weight, times move, times flips",
            (_WEIGHT, _RADIUS, _FLIPS),
            (-1, 10),
        ),
        "C.6": _chain(
            "Claim C.6: |B| with failure probability theta_{1/5}: typical size times deviation",
            (Power(alpha=-1), _m(1, 10)),
            (-1, 10),
        ),
        # Claim C.6 itself prints -1/10 and is right.
        "C.6-prose": _chain(
            "sentence before Claim C.6: |B|, typical size", (Power(alpha=-1),), (-3, 10)
        ),
        "C.6-probability": _chain(
            "proof of Claim C.6: "
            "exponent of Hoeffding's inequality: deviation^2 over sum of squares",
            (_m(-1, 5), Power(alpha=2)),
            (1, 5),
            ">=",
        ),
        # |z| <= tau + K m^-beta on the window, of the order of the radius for tau = O(1/m).
        "C.7": _chain(
            "Claim C.7: |C|: weight, times pre-activation, times flips",
            (_WEIGHT, _RADIUS, _FLIPS),
            (-1, 10),
        ),
        # The value for beta = 4/5.
        "C.7-prose": _chain(
            "sentence before Claim C.7: |C|, as announced", (_WEIGHT, _RADIUS, _FLIPS), (-3, 10)
        ),
        # Not only the proof: the exact supremum has this order, see worst_case.
        "4.1": _chain(
            "Theorem 4.1 = C.1, Lemma C.8: sup |f - g| over the ball",
            (_WEIGHT, _RADIUS, _FLIPS),
            (-1, 10),
        ),
        # Powers of d.
        "C.1-net": _chain(
            "proof of Theorem C.1, m >= Omega(d^3): "
            "power of d that m must have for m^(1/5) >= d log m",
            (_m(5),),
            (3, 1),
        ),
        # The value for beta = 4/5.
        "C.9-moves": _chain("proof of Lemma C.9: sum of the moves", (_ALL, _RADIUS), (1, 5)),
        # Absorbed by the second term, m^(-1/5): the sum in (5) is right.
        "C.9-f-moves": _chain(
            "Equation (15) = (5), first term: weight, times sum of the moves, times ||mu||",
            (_WEIGHT, _SUM_MOVES, _NET),
            (-1, 1),
        ),
        "C.9-f-initial": _chain(
            "Equation (15) = (5), second term: "
            "weight, times sum of the initial norms O(1), times ||mu||",
            (_WEIGHT, _m(1), _NET),
            (-1, 5),
        ),
        "C.9-f-jump": _chain(
            "Equation (15) = (5), jump term with tau = O(1/m): "
            "weight, times number of neurons, times tau",
            (_WEIGHT, _ALL, _m(-1)),
            (-1, 5),
        ),
        # W may park every neuron of the window on the threshold; (5) assumes tau = O(1/m).
        "C.9-f-jump-sparse": _chain(
            "Equation (15) = (5), jump term with Section 4.2's tau = K/m^(3/5): "
            "weight, times flips, times tau",
            (_WEIGHT, _FLIPS, _m(-3, 5)),
            (-1, 5),
        ),
        "C.9-g-moves": _chain(
            "Equation (14) = (4), first term: weight, times sum of the moves, times ||mu||",
            (_WEIGHT, _SUM_MOVES, _NET),
            (-1, 2),
        ),
        "C.9-flips": _chain(
            "proof of Lemma C.9: neurons within O(1/m) of the threshold",
            (_ALL, _NET, _DENSITY),
            (1, 2),
        ),
        # The argument fails; (4) itself holds, because far fewer than m^(1/2) neurons flip.
        "C.9-g-flips": _chain(
            "Equation (14) = (4), second term as argued: weight, times radius, times m^(1/2) flips",
            (_WEIGHT, _RADIUS, _m(1, 2)),
            (-1, 2),
        ),
        "4.6-probability": _chain(
            "Claim 4.6 = C.16, second half and proof: "
            "probability that a neuron is within m^(-15/24) of the threshold",
            (_DRIFT, _DENSITY),
            (-1, 8),
        ),
        "4.6": _chain(
            "Claim 4.6 = C.16, first half: number of neurons that can change their state",
            (_ALL, _DRIFT, _DENSITY),
            (7, 8),
        ),
        # 27/40: the denominator is misprinted, and the misprint is used further on.
        "C.14": _chain(
            "Lemma C.14: coupling of the gradients: weight times flips",
            (_WEIGHT, _m(7, 8)),
            (27, 50),
        ),
        # The value for alpha = 2/5.
        "C.12-gradient": _chain(
            "proof of Theorem C.12, before Equation (21): squared Frobenius norm of the gradient",
            (_GRADIENT,),
            (1, 5),
        ),
        "C.12-regret": _chain(
            "Equation (21) per step, needed O(epsilon): eta times squared norm of the gradient",
            (_ETA, _GRADIENT),
            (0, 1),
        ),
        # A larger step moves f by more than a constant: the statement fails, with a witness.
        "4.3": _chain(
            "Theorem 4.3 = C.12, eta = Theta(epsilon m^(-1/5)): "
            "largest step size with eta times squared gradient O(epsilon)",
            (Power(-1, alpha=2),),
            (-1, 5),
            ">=",
        ),
        "C.12-distance": _chain(
            "Equation (21) per step, needed O(epsilon) with T = Theta(K^2/epsilon^2): "
            "m D_W^2 / (eta T)",
            (_ALL, Power(beta=-2), _m(1, 5)),
            (0, 1),
        ),
        "C.13": _chain(
            "Remark C.13, D_max <= m^(-15/24): "
            "distance traveled: eta, times T = Theta(K^2/epsilon^2), times weight",
            (_ETA, _WEIGHT),
            (-15, 24),
        ),
        # 31/150 = 27/50 - 1/3: the weight is that of an earlier paper, m^(-1/3).
        "C.12-31/150": _chain(
            "proof of Theorem C.12, m^(31/150): "
            "printed coupling m^(27/50) times weight (from eta T |a_r|)",
            (_m(27, 50), _WEIGHT),
            (31, 150),
            "=",
        ),
        # -29/150 = 27/50 - 11/15; no radius of the text is m^(-11/15).
        "C.12-29/150": _chain(
            "proof of Theorem C.12, m^(29/150) in a denominator: "
            "printed coupling m^(27/50) times radius",
            (_m(27, 50), _RADIUS),
            (-29, 150),
            "=",
        ),
        # +1/150: growing m makes it worse, so no m is large enough.
        "C.12-last": _chain(
            "proof of Theorem C.12, last condition on m, as printed: "
            "eta T n m^(31/150), needed O(epsilon)",
            (_ETA, _m(31, 150)),
            (0, 1),
        ),
        "C.12-coupling": _chain(
            "proof of Theorem C.12, needed o(1): true coupling times radius",
            (_WEIGHT, _m(7, 8), _RADIUS),
            (0, 1),
            "<",
        ),
        "4.5-exponent": _chain(
            "Lemma 4.5 = C.15: exponent in Q_0: threshold^2 over variance",
            (_m(-6, 5), _m(1)),
            (-1, 5),
            "=",
        ),
        "4.5": _chain(
            "Lemma 4.5 = C.15, Q_0 = O(m^{c_Q}) with c_Q < 1: "
            "order of Q_0 for fixed K: m times exp(-K^2 m^(-1/5)/4), which tends to m",
            (_ALL, _m(0)),
            (1, 1),
            "<",
        ),
        # The proof gives -4/5 and weakens it; Theorem 4.1 then needs the weak radius.
        "B.9": _chain(
            "Lemma B.9, for Theorem B.10 = 4.4: radius that the construction needs: n / (m |a_r|)",
            (Power(alpha=1), _m(-1)),
            (-3, 5),
        ),
        "5.3-union": _chain(
            "Lemma 5.3 with the union count of Claim 4.6 for every point, m >= n^(300/31): "
            "n m^(7/8) neurons per point, needed o(m)",
            (_m(31, 300), _m(7, 8)),
            (1, 1),
            "<",
        ),
    }
)
"""The chains of Appendices B and C by key, in the order of the argument."""


def explained(alpha: Exact, beta: Exact) -> tuple[str, ...]:
    """List the chains whose printed value is exactly what certain powers would give.

    Only chains that depend on the powers; the active share counts as constant.  The printed text is
    a blend: no single choice explains all printed values.

    >>> "4.1" in explained(Fraction(2, 5), Fraction(3, 5))
    True
    """
    return tuple(
        key
        for key, chain in CHAINS.items()
        if any(chain.power.coefficients[1:3]) and chain.power.at(alpha, beta, 0) == chain.printed
    )


@dataclass(frozen=True)
class Inequality:
    """A condition on (alpha, beta, c): an exponent that must not be positive.

    Fields: `name`: short name; `power`: the exponent; `strict`: whether it must be negative.
    """

    name: str
    power: Power
    strict: bool

    def holds(self, alpha: Exact, beta: Exact, c: Exact) -> bool:
        """Decide the condition exactly."""
        value = self.power.at(alpha, beta, c)
        return value < 0 if self.strict else value <= 0


def _drift_power(support: int) -> Power:
    """Return the exponent ``1 - alpha - 2 beta - support * c`` of the distance of training.

    Each step moves a neuron by at most ``eta |a_r|``, and ``eta T = D_F^2 / epsilon``, so ``D = a
    D_F^2 / epsilon`` with ``D_F^2 <= m^{1 - support * c} K^2 m^{-2 beta}``.  The support is 1 where
    W* moves only neurons that fire somewhere in the caps (remarks after Theorem D, page *Repaired
    theorems*), and 0 where all may move.
    """
    return Power(1, alpha=-1, beta=-2, c=-support)


_GAP = Power(Fraction(3, 2), alpha=-1, c=-1)  # a m^{3/2 - c} delta^2 with delta = 1


def _consistency(support: int) -> tuple[Inequality, ...]:
    drift = _drift_power(support)
    return (
        Inequality("alpha >= 0", Power(alpha=-1), False),
        Inequality("c >= 0", Power(c=-1), False),
        # sup |g| = a delta m^(1-c) over the ball must reach the labels (Theorem 4.4)
        Inequality("existence", Power(-1, alpha=1, beta=1, c=1), False),
        # sup |f - g| = a m^(3/2-c) delta^2 over the ball (Theorem 4.1)
        Inequality("gap in the ball", _GAP + Power(beta=-2), True),
        # training stays within a standard deviation m^(-1/2) of the start
        Inequality("lazy drift", drift + Power(Fraction(1, 2)), True),
        # sup |f - g| and the coupling a * flips(D) * D over the distance D of the run (Theorem 4.3)
        Inequality("gap along the run", _GAP + 2 * drift, True),
        # f(x; W_0) = m^(-alpha - c/2) vanishes (Claim C.6)
        Inequality("initial output", Power(alpha=-1, c=Fraction(-1, 2)), True),
    )


@dataclass(frozen=True)
class Polytope:
    """A bounded set of (alpha, beta, c), the intersection of half-spaces with exact coefficients.

    Fields: `name`: what holds in the region; `inequalities`: the half-spaces, strict or not.

    >>> CONSISTENT.contains(Fraction(1, 5), Fraction(3, 5), Fraction(1, 5))
    True
    >>> CONSISTENT.violated(Fraction(1, 5), Fraction(3, 5), 0)
    ('gap in the ball', 'lazy drift', 'gap along the run')
    """

    name: str
    inequalities: tuple[Inequality, ...]

    def contains(self, alpha: Exact, beta: Exact, c: Exact) -> bool:
        """Decide membership exactly, strict inequalities taken strictly."""
        return not self.violated(alpha, beta, c)

    def violated(self, alpha: Exact, beta: Exact, c: Exact) -> tuple[str, ...]:
        """List the names of the inequalities that fail."""
        return tuple(part.name for part in self.inequalities if not part.holds(alpha, beta, c))

    def vertices(self) -> tuple[Point, ...]:
        """Return the vertices of the closure, in lexicographic order.

        The points (alpha, beta, c) in which three independent planes meet and no inequality fails,
        all taken as not strict; a vertex belongs to the region iff `contains` says so.
        """
        return _vertices(self.inequalities)

    def facets(self) -> tuple[str, ...]:
        """Return the names of the inequalities that bound the closure.

        Those with at least three vertices on their plane; the others follow from them.
        """
        corners = self.vertices()
        return tuple(
            part.name
            for part in self.inequalities
            if sum(part.power.at(*corner) == 0 for corner in corners) >= 3
        )

    def slice_at(self, c: Exact) -> tuple[tuple[Fraction, Fraction], ...]:
        """Return the vertices of the polygon of (alpha, beta) at a fixed c.

        Of the closure, counterclockwise from the lexicographically first; empty if the slice is.
        """
        return _slice(self.inequalities, exact(c, "c"))


@lru_cache(maxsize=256)
def _slice(
    inequalities: tuple[Inequality, ...], height: Fraction
) -> tuple[tuple[Fraction, Fraction], ...]:
    lines = []
    for part in inequalities:
        constant, by_alpha, by_beta, by_c = part.power.coefficients
        lines.append((by_alpha, by_beta, constant + by_c * height))
    found = set()
    for first, second in itertools.combinations(lines, 2):
        point = _solve([list(first[:2]), list(second[:2])], [-first[2], -second[2]])
        if point is not None and all(u * point[0] + v * point[1] + w <= 0 for u, v, w in lines):
            found.add((point[0], point[1]))
    corners = sorted(found)
    x, y = corners[0] if corners else (0, 0)
    # From the first of them, a vertex like the others, these are met counterclockwise.
    return *corners[:1], *sorted(corners[1:], key=lambda at: math.atan2(at[1] - y, at[0] - x))


@lru_cache(maxsize=64)
def _vertices(inequalities: tuple[Inequality, ...]) -> tuple[Point, ...]:
    found = set()
    for planes in itertools.combinations(inequalities, 3):
        rows = [plane.power.coefficients for plane in planes]
        point = _solve([list(row[1:]) for row in rows], [-row[0] for row in rows])
        if point is not None and all(part.power.at(*point) <= 0 for part in inequalities):
            found.add((point[0], point[1], point[2]))
    return tuple(sorted(found))


def _solve(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """Solve a linear system exactly; nothing if it is singular."""
    size = len(matrix)
    rows = fmpq_mat(size, size, [to_flint(value) for row in matrix for value in row])
    try:
        found = rows.solve(fmpq_mat(size, 1, [to_flint(value) for value in right]))
    except ZeroDivisionError:
        return None
    return [from_flint(value) for value in found.entries()]


CONSISTENT = Polytope("Theorems 4.1, 4.3 and 4.4 hold together", _consistency(1))
r"""Where the repaired theorems hold together, for the continuous activation.

With ``sigma = alpha + c``, existence is ``sigma + beta <= 1``, and gap and coupling along the run
vanish iff ``3 sigma + 4 beta > 7/2``; these two imply the other conditions but ``alpha + c/2 > 0``
(*What is consistent with what*, on the page *Repaired theorems*).  In the plane (sigma, beta) the
region is the triangle with the corners (0, 7/8), (0, 1) and (1/2, 1/2); in space it is the
tetrahedron over it.

The jump activation has the same region with ``c = 0`` and ``tau = O(m^{-beta})``, and no other
part: for c > 0 its gap is at least ``a delta m^{1-c}``, the size of ``sup |g|`` (Proposition 2).
"""

SPARSE = Polytope(
    "the theorems hold together and o(m) neurons fire",
    (*CONSISTENT.inequalities, Inequality("sparsity", Power(c=-1), True)),
)
"""The part of `CONSISTENT` in which the iteration is sublinear."""

CRUDE = Polytope("the same with a comparison that moves all neurons", _consistency(0))
"""`CONSISTENT` without restricting W* to neurons that fire: the region of a cruder proof."""

PRINTED_STEPS = Inequality("printed T", Power(1, alpha=-1, beta=-1, c=-1), False)
"""What ``T = Theta(K^2/epsilon^2)`` of Theorem 4.3 needs besides: that T does not grow with m."""

PRINTED_DRIFT = Inequality("printed drift", _drift_power(1) + Power(Fraction(15, 24)), False)
"""What the distance ``m^{-15/24}`` of Remark C.13, Claim 4.6 and Lemma C.14 needs besides."""

r"""The half-width of f - g over the ball, drawn and in closed form, and matrices that reach it.

Before changing it, know how slopes are read.  At the widths of a laptop a slope differs from its
limit by up to 0.03, so a measured slope has to contain the slope of the *closed form over the same
widths* and to exclude the rival; the limit is the slope of the closed form at widths like
``2^240``, and the exact one is a sum of fractions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from flint import arb, ctx
from scipy import integrate, special

from sublinear_lib import geometry, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.claims import Budget
from sublinear_lib.claims.collector import SURE, Collector, Rng, fitted_power, sweep
from sublinear_lib.claims.stated import far_slope, stated_power
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.statistics import Interval, loglog_slope, spawn
from sublinear_lib.theory import exponents, gap_parts, worst_case

LARGEST_Z = 5.0
# Two evaluations of one smooth formula, by different programs.
ROUNDING = 1e-9
PRINTED = Fraction(-1, 10)
GROWING = Fraction(1, 10)
FORMS = ("jump", "continuous")


class Case(NamedTuple):
    """Powers of the width with an activation, and the exponent to tell theirs from."""

    name: str
    activation: str
    rival: Fraction

    @property
    def shown(self) -> str:
        """Set and activation."""
        return f"{self.name}, {self.activation}"


class Quantity(NamedTuple):
    """Something that is measured at a point and has a closed form."""

    symbol: str
    measure: Callable[[FloatArray, FloatArray, float, float, str], float]
    law: Callable[[int, float, float, float, str], worst_case.HalfWidthMoments]


class Slope(NamedTuple):
    """A measured slope with that of the closed form, and the worst z-score of a mean."""

    quantity: Quantity
    what: str
    measured: Interval
    finite: float
    rival: Fraction
    largest_z: float

    def as_closed_form(self, look: Collector, limit: Fraction | str) -> None:
        """Note whether a slope is that of the closed form and not the rival."""
        look(
            f"slope of {self.quantity.symbol}, {self.what}; contains that of the closed form over "
            f"the same widths (limit {limit})"
        ).slope(self.measured, round(self.finite, 5), self.rival)

    def not_above(self, look: Collector, key: str) -> None:
        """Note whether a measured slope allows the power that a statement has."""
        article = "the " if " " in self.quantity.symbol else ""
        what = f"slope of {article}{self.quantity.symbol}, {self.what}"
        look(what).slope(self.measured, *allowed(key), at_most=True)


# The theory is looked up when it is called: a planted error must reach the check.
HALF_WIDTH = Quantity(
    "H",
    lambda z, a, delta, tau, form: worst_case.worst_gap(z, a, delta, tau, form).half_width,
    lambda m, a, delta, tau, form: worst_case.half_width_moments(m, a, delta, tau, form),
)
MOVE = Quantity(
    "half-width of A - g",
    lambda z, a, delta, tau, form: gap_parts.worst_parts(z, a, delta, tau, form).move_half_width,
    lambda m, a, delta, tau, form: gap_parts.part_moments(m, a, delta, tau, form)[0],
)
STATE = Quantity(
    "half-width of C",
    lambda z, a, delta, tau, form: gap_parts.worst_parts(z, a, delta, tau, form).state_half_width,
    lambda m, a, delta, tau, form: gap_parts.part_moments(m, a, delta, tau, form)[1],
)
AS_PRINTED = (Case("PRINTED", "jump", PRINTED), Case("PRINTED", "continuous", PRINTED))
R1 = (Case("R1", "jump", PRINTED), Case("R1", "continuous", PRINTED))
R2 = (Case("R2", "jump", GROWING), Case("R2", "continuous", GROWING))
R3 = (Case("R3", "continuous", GROWING), Case("R3", "jump", PRINTED))


def draw(rng: Rng, m: int) -> tuple[FloatArray, FloatArray]:
    """Draw the pre-activations at one point, and signs."""
    return rng.standard_normal(m) * scaling.preactivation_std(m), signs(rng, (m,))


def signs(rng: Rng, shape: tuple[int, ...]) -> FloatArray:
    """Draw independent signs."""
    return np.asarray(1.0 - 2.0 * rng.integers(0, 2, shape), dtype=np.float64)


def sizes(case: Case, m: int, K: float = 1.0) -> tuple[float, float, float, str]:
    """Return |a_r|, radius, threshold and activation of a case."""
    powers = scaling.get_scaling(case.name)
    return powers.output_weight(m), powers.radius(m, K), powers.tau(m, K=K), case.activation


def slopes(budget: Budget, rng: Rng, quantity: Quantity, cases: Sequence[Case]) -> list[Slope]:
    """Measure the slope of a quantity in the width, all cases on the same draws."""
    top = budget.pick(16, 20)
    widths, seeds = [2**k for k in range(8, top + 1)], budget.pick(20, 24)

    def measured(own: Rng, m: int) -> list[float]:
        z, drawn = draw(own, m)
        sized = [sizes(case, m) for case in cases]
        return [quantity.measure(z, a * drawn, r, tau, form) for a, r, tau, form in sized]

    found = []
    tables = sweep(spawn(rng, seeds), widths, measured)
    for values, case in zip(tables, cases, strict=True):
        laws = [quantity.law(m, *sizes(case, m)) for m in widths]
        means, errors = (np.array([getattr(law, name) for law in laws]) for name in ("mean", "std"))
        scores = (values.mean(axis=0) - means) / (errors / math.sqrt(seeds))
        # The mean of a logarithm is not the logarithm of the mean: second order.
        finite = fitted_power(widths, means * np.exp(-0.5 * (errors / means) ** 2))
        slope, what = loglog_slope(widths, values, SURE), f"{case.shown}, m = 2^8 to 2^{top}"
        largest = float(np.abs(scores).max())
        found.append(Slope(quantity, what, slope, finite, case.rival, largest))
    return found


def agreement(look: Collector, found: Sequence[Slope]) -> None:
    """Note the worst z-score of all means against their closed forms."""
    look.control.simulated(
        f"largest |z| of the means of {found[0].quantity.symbol} against the closed form, "
        f"{len(found)} cases, all widths"
    ).at_most(max(item.largest_z for item in found), LARGEST_Z)


def allowed(key: str) -> tuple[Fraction, Fraction]:
    """Return the power that a statement allows, and one that it does not."""
    return stated_power(key), stated_power(key) + Fraction(1, 5)


def limit(look: Collector, what: str, value: Callable[[int], float], power: Fraction) -> None:
    """Note whether a closed form grows with an exact exponent."""
    look.closed_form(
        f"|slope - ({power})| of the closed form of {what}, m = 2^200 to 2^240"
    ).at_most(abs(far_slope(value) - float(power)), 1e-6)


def mean_law(quantity: Quantity, case: Case) -> Callable[[int], float]:
    """Return the mean of a quantity as a function of the width."""
    return lambda m: quantity.law(m, *sizes(case, m)).mean


def chain(look: Collector, key: str, name: str, printed: Fraction) -> None:
    """Note what a chain of powers multiplies out to: evidence about a proof, not a statement."""
    look(steps(key, name)).equals(exponents.CHAINS[key].derived(name), printed)


def steps(key: str, name: str) -> str:
    """Say what a chain of powers multiplies."""
    chain = exponents.CHAINS[key]
    steps = ", ".join(str(factor.at(*powers_of(name))) for factor in chain.factors)
    return f"sum of the exponents {steps} ({chain.quantity}; {name})"


def printed_chain(look: Collector, key: str) -> None:
    """Note what the printed factors multiply out to, and that it is what the closed form says."""
    chain = exponents.CHAINS[key]
    what = f"exponent of the chain {key}"
    # The statements bound from above: a smaller exponent keeps them.
    look.proof.exact(steps(key, "PRINTED")).holds(
        chain.derived() <= stated_power(key), chain.derived(), f"<= {stated_power(key)}"
    )
    look.control(f"{what} against the limit of the closed form").equals(chain.derived(), GROWING)
    look.control(f"{what} as printed").equals(chain.printed, PRINTED)


def powers_of(name: str) -> tuple[Fraction, Fraction, Fraction]:
    """Return alpha, beta and c of a set."""
    powers = scaling.get_scaling(name)
    return powers.alpha, powers.beta, powers.c


def point(d: int) -> FloatArray:
    """Return the point of X over the first axis."""
    return np.asarray(geometry.embed(np.eye(1, d - 1))[0])


class Extremal(NamedTuple):
    """Matrices at which the suprema over the ball are attained, with what they give."""

    start: TwoLayerNetwork
    seed: int
    above: worst_case.WorstWeights
    below: worst_case.WorstWeights
    closed: worst_case.WorstGap
    reach: float

    @property
    def half_width(self) -> float:
        """H at the point, by the network code."""
        return 0.5 * (self.above.gap + self.below.gap)

    @property
    def miss(self) -> float:
        """How far f - g, by the network code, is from the closed forms."""
        reached = {"above": self.above.gap, "below": self.below.gap, "half_width": self.half_width}
        return max(abs(at - float(getattr(self.closed, side))) for side, at in reached.items())

    @property
    def tolerance(self) -> float:
        """What rounding explains."""
        return self.above.tolerance + self.below.tolerance


def literal(rng: Rng, m: int, d: int, case: Case, K: float = 1.0) -> Extremal:
    """Construct the weights of the ball at which f - g and g - f are largest."""
    seed = int(rng.integers(2**31))
    powers = scaling.get_scaling(case.name)
    start = TwoLayerNetwork.initialize(m, d, powers, rng=seed, K=K, activation=case.activation)
    x, delta = point(d), powers.radius(m, K)
    above, below = (worst_case.worst_weights(start, x, delta, s) for s in ("above", "below"))
    moved = [np.linalg.norm(found.W - start.W, axis=1).max() for found in (above, below)]
    closed = worst_case.worst_gap_at(start, x, delta)
    return Extremal(start, seed, above, below, closed, float(max(moved)) / delta)


def tail(x: float | arb) -> arb:
    """Enclose Q(x)."""
    return (arb(x) / arb(2).sqrt()).erfc() / 2


def density(x: float | arb) -> arb:
    """Enclose phi(x)."""
    return (-(arb(x) ** 2) / 2).exp() / (2 * arb.pi()).sqrt()


def moment(function: Callable[[float], float], t: float, edges: Sequence[float]) -> float:
    """Integrate a function of v against the density of N at t + v, by adaptive quadrature."""

    def weighted(v: float) -> float:
        return function(v) * math.exp(-((t + v) ** 2) / 2) / math.sqrt(2 * math.pi)

    pieces = itertools.pairwise(edges)
    return float(
        sum(integrate.quad(weighted, *ends, epsabs=0.0, epsrel=1e-12)[0] for ends in pieces)
    )


def mean_by_tails(t: float, theta: float, form: str) -> float:
    """Return E[U + V] in standard units from tails of the normal law, with many digits."""
    with ctx.workprec(200):
        if form == "continuous":

            def psi(x: float | arb) -> arb:
                return density(x) - x * tail(x)

            value = psi(arb(t) - theta) - 2 * psi(t) + psi(arb(t) + theta)
        else:
            low = arb(t) - theta
            value = density(low) - density(t) + theta * (tail(low) - tail(t))
            value += t * (tail(t) - tail(arb(t) + theta))
            if t < theta:
                value += theta * (tail(t) - tail(theta)) - density(t) + density(theta)
        return float(value)


def variance_by_quadrature(t: float, theta: float, form: str) -> float:
    """Return Var[U + V] in standard units, U and V by a search over the ends of their pieces."""

    def width(v: float) -> float:
        moves = [-theta, 0.0, theta] + ([-v] if abs(v) <= theta else [])
        base = t if form == "jump" else 0.0
        values = [((base + v + u) if u > -v else 0.0) - (u if v > 0.0 else 0.0) for u in moves]
        return max(values) - min(values)

    edges = sorted({-theta, 0.0, theta, *([theta - t] if 0.0 < t < theta else [])})

    first, second = (moment(lambda v: width(v) ** k, t, edges) for k in (1, 2))  # noqa: B023
    return second - first**2


def best_exponent(level: float, m: int, t: float, form: str) -> float:
    """Return log 2 plus the smallest exponent of the exponential bound, from normal tails."""
    k = np.linspace(1.0 / 4000, 1.0, 4000)
    shift = 0.0 if form == "jump" else t
    # E exp(+-k (N - shift)) over N > t.
    up = np.exp(k**2 / 2 - k * shift) * special.ndtr(k - t)
    down = np.exp(k**2 / 2 + k * shift) * special.ndtr(-k - t)
    cosh = special.ndtr(t) + 0.5 * (up + down)
    return float(np.log(2.0) + (m * np.log(cosh) - k * level / math.sqrt(2.0 / m)).min())

r"""How well g approximates f: Theorem 4.1 = C.1 with its parts, and what holds instead.

Sections C.1 and C.4 to C.8 of the paper, Propositions 1 and 2 and Theorem A of this project, and
the parameter sets R1 and R3.  Everything is measured on the half-width H of f - g over the ball and
never on ``sup |f - g|`` at ``K = 1``: there the value B of the initial network, which no radius
removes, hides the growth.  Before changing a check, know how slopes are read.  At the widths of a
laptop a slope differs from its limit by up to 0.03, so a measured slope has to contain the slope of
the *closed form over the same widths* and to exclude the rival; the limit is the slope of the
closed form at widths like ``2^240``, and the exact one is a sum of fractions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from flint import arb, ctx
from scipy import integrate, special, stats

from sublinear_lib import adversary, geometry, scaling
from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.activations import CONTINUOUS, get_activation
from sublinear_lib.claims import Budget, Role
from sublinear_lib.claims.collector import Collector, Rng
from sublinear_lib.claims.stated import STATED, far_slope, stated, stated_power
from sublinear_lib.claims.topic import Topic
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.statistics import Interval, loglog_slope, spawn
from sublinear_lib.theory import (
    constant_suffices,
    exponents,
    flips,
    gap_parts,
    jump,
    uniform_gap,
    worst_case,
)

__all__ = ["CLAIMS"]

topic = Topic("approximation")

# Of a claim with ten intervals or thirty z-scores, one seed in a thousand raises a false alarm.
_SURE = 0.9999
_LARGEST_Z = 5.0
# Two evaluations of one smooth formula, by different programs.
_ROUNDING = 1e-9
_PRINTED = Fraction(-1, 10)
_GROWING = Fraction(1, 10)
_FORMS = ("jump", "continuous")
_LEVELS = (0.5, 1.0, 1.5, 2.0, 2.5)


# --------------------------------------------------------------------------------------------------
# What several checks share
# --------------------------------------------------------------------------------------------------


class _Case(NamedTuple):
    """Powers of the width with an activation, and the exponent to tell theirs from."""

    name: str
    activation: str
    rival: Fraction

    @property
    def shown(self) -> str:
        return f"{self.name}, {self.activation}"


class _Quantity(NamedTuple):
    """Something that is measured at a point and has a closed form."""

    symbol: str
    measure: Callable[[FloatArray, FloatArray, float, float, str], float]
    law: Callable[[int, float, float, float, str], worst_case.HalfWidthMoments]


class _Slope(NamedTuple):
    """A measured slope with that of the closed form, and the worst z-score of a mean."""

    case: _Case
    measured: Interval
    finite: float
    largest_z: float


# The theory is looked up when it is called: a planted error must reach the check.
_HALF_WIDTH = _Quantity(
    "H",
    lambda z, a, delta, tau, form: worst_case.worst_gap(z, a, delta, tau, form).half_width,
    lambda m, a, delta, tau, form: worst_case.half_width_moments(m, a, delta, tau, form),
)
_MOVE = _Quantity(
    "half-width of A - g",
    lambda z, a, delta, tau, form: gap_parts.worst_parts(z, a, delta, tau, form).move_half_width,
    lambda m, a, delta, tau, form: gap_parts.part_moments(m, a, delta, tau, form)[0],
)
_STATE = _Quantity(
    "half-width of C",
    lambda z, a, delta, tau, form: gap_parts.worst_parts(z, a, delta, tau, form).state_half_width,
    lambda m, a, delta, tau, form: gap_parts.part_moments(m, a, delta, tau, form)[1],
)
_AS_PRINTED = (_Case("PRINTED", "jump", _PRINTED), _Case("PRINTED", "continuous", _PRINTED))
_R1 = (_Case("R1", "jump", _PRINTED), _Case("R1", "continuous", _PRINTED))
_R2 = (_Case("R2", "jump", _GROWING), _Case("R2", "continuous", _GROWING))
_R3 = (_Case("R3", "continuous", _GROWING), _Case("R3", "jump", _PRINTED))


def _draw(rng: Rng, m: int) -> tuple[FloatArray, FloatArray]:
    """Draw the pre-activations at one point, and signs."""
    return rng.standard_normal(m) * scaling.preactivation_std(m), _signs(rng, (m,))


def _signs(rng: Rng, shape: tuple[int, ...]) -> FloatArray:
    """Draw independent signs."""
    return np.asarray(1.0 - 2.0 * rng.integers(0, 2, shape), dtype=np.float64)


def _sizes(case: _Case, m: int, K: float = 1.0) -> tuple[float, float, float, str]:
    """Return |a_r|, radius, threshold and activation of a case."""
    powers = scaling.get_scaling(case.name)
    return powers.output_weight(m), powers.radius(m, K), powers.tau(m, K=K), case.activation


def _slopes(
    budget: Budget, rng: Rng, quantity: _Quantity, cases: Sequence[_Case], K: float = 1.0
) -> list[_Slope]:
    """Measure the slope of a quantity in the width, all cases on the same draws."""
    widths = [2**k for k in budget.pick(range(8, 17), range(8, 21))]
    seeds = budget.pick(20, 24)
    table = np.empty((len(cases), seeds, len(widths)))
    for row, own in enumerate(spawn(rng, seeds)):
        for column, m in enumerate(widths):
            z, signs = _draw(own, m)
            for i, case in enumerate(cases):
                a, delta, tau, form = _sizes(case, m, K)
                table[i, row, column] = quantity.measure(z, a * signs, delta, tau, form)
    found = []
    for values, case in zip(table, cases, strict=True):
        laws = [quantity.law(m, *_sizes(case, m, K)) for m in widths]
        means, errors = (np.array([getattr(law, name) for law in laws]) for name in ("mean", "std"))
        scores = (values.mean(axis=0) - means) / (errors / math.sqrt(seeds))
        # The mean of a logarithm is not the logarithm of the mean: second order.
        logs = np.log(means) - 0.5 * (errors / means) ** 2
        x = np.log(widths) - np.mean(np.log(widths))
        finite = float(logs @ x / (x @ x))
        slope = loglog_slope(widths, values, _SURE)
        found.append(_Slope(case, slope, finite, float(np.abs(scores).max())))
    return found


def _range(budget: Budget) -> str:
    return f"m = 2^8 to 2^{budget.pick(16, 20)}"


def _as_closed_form(
    look: Collector, budget: Budget, symbol: str, found: _Slope, limit: Fraction | str
) -> None:
    """Note whether a slope is that of the closed form and not the rival."""
    what = (
        f"slope of {symbol}, {found.case.shown}, {_range(budget)}; contains that of the closed "
        f"form over the same widths (limit {limit})"
    )
    look(what).slope(found.measured, round(found.finite, 5), found.case.rival)


def _agreement(look: Collector, symbol: str, found: Iterable[_Slope]) -> None:
    """Note the worst z-score of all means against their closed forms."""
    kept = list(found)
    look.control.simulated(
        f"largest |z| of the means of {symbol} against the closed form, {len(kept)} cases, all "
        "widths"
    ).at_most(max(item.largest_z for item in kept), _LARGEST_Z)


def _limit(look: Collector, what: str, value: Callable[[int], float], power: Fraction) -> None:
    """Note whether a closed form grows with an exact exponent."""
    look.closed_form(
        f"|slope - ({power})| of the closed form of {what}, m = 2^200 to 2^240"
    ).at_most(abs(far_slope(value) - float(power)), 1e-6)


def _mean_law(quantity: _Quantity, case: _Case) -> Callable[[int], float]:
    """Return the mean of a quantity as a function of the width."""
    return lambda m: quantity.law(m, *_sizes(case, m)).mean


def _not_above(look: Collector, key: str, what: str, slope: Interval) -> None:
    """Note whether a measured slope allows the power that a statement has."""
    asked = stated_power(key)
    look(what).slope(slope, asked, asked + Fraction(1, 5), at_most=True)


def _chain(look: Collector, key: str, name: str, printed: Fraction) -> None:
    """Note what a chain of powers multiplies out to: evidence about a proof, not a statement."""
    look(_steps(key, name)).equals(exponents.CHAINS[key].derived(name), printed)


def _steps(key: str, name: str) -> str:
    chain = exponents.CHAINS[key]
    steps = ", ".join(str(factor.power.at(*_powers(name))) for factor in chain.factors)
    return f"sum of the exponents {steps} ({chain.quantity}; {name})"


def _printed_chain(look: Collector, key: str) -> None:
    """Note what the printed factors multiply out to, and that it is what the closed form says."""
    chain = exponents.CHAINS[key]
    what = f"exponent of the chain {key}"
    # The statements bound from above: a smaller exponent keeps them.
    look.proof.exact(_steps(key, "PRINTED")).holds(
        chain.derived() <= stated_power(key), chain.derived(), f"<= {stated_power(key)}"
    )
    look.control(f"{what} against the limit of the closed form").equals(chain.derived(), _GROWING)
    look.control(f"{what} as printed").equals(chain.printed, _PRINTED)


def _powers(name: str) -> tuple[Fraction, Fraction, Fraction]:
    powers = scaling.get_scaling(name)
    return powers.alpha, powers.beta, powers.c


def _point(d: int) -> FloatArray:
    """Return the point of X over the first axis."""
    direction = np.zeros((1, d - 1))
    direction[0, 0] = 1.0
    return np.asarray(geometry.embed(direction)[0], dtype=np.float64)


class _Literal(NamedTuple):
    """Matrices at which the suprema over the ball are attained, with what they give."""

    start: TwoLayerNetwork
    seed: int
    above: worst_case.WorstWeights
    below: worst_case.WorstWeights
    closed: worst_case.WorstGap
    reach: float

    @property
    def half_width(self) -> float:
        return 0.5 * (self.above.gap + self.below.gap)

    @property
    def largest(self) -> float:
        return max(self.above.gap, self.below.gap)

    @property
    def miss(self) -> float:
        """How far f - g, by the network code, is from the closed forms."""
        return max(
            abs(self.above.gap - self.closed.above),
            abs(self.below.gap - self.closed.below),
            abs(self.half_width - self.closed.half_width),
        )

    @property
    def tolerance(self) -> float:
        return self.above.tolerance + self.below.tolerance


def _literal(rng: Rng, m: int, d: int, case: _Case, K: float = 1.0) -> _Literal:
    """Construct the weights of the ball at which f - g and g - f are largest."""
    seed = int(rng.integers(2**31))
    powers = scaling.get_scaling(case.name)
    start = TwoLayerNetwork.initialize(m, d, powers, rng=seed, K=K, activation=case.activation)
    x, delta = _point(d), powers.radius(m, K)
    above, below = (worst_case.worst_weights(start, x, delta, s) for s in ("above", "below"))
    moved = [np.linalg.norm(found.W - start.W, axis=1).max() for found in (above, below)]
    closed = worst_case.worst_gap_at(start, x, delta)
    return _Literal(start, seed, above, below, closed, float(max(moved)) / delta)


def _literal_facts(look: Collector, found: _Literal, K: float) -> None:
    start = found.start
    what = f"matrices with m = {start.m}, d = {start.d}, K = {K:g}"
    look(f"distance of f - g, by the network code, from its closed form, {what}").at_most(
        found.miss, found.tolerance
    )
    look(f"largest move of a row over the radius, {what}").at_most(found.reach, 1.0 + 1e-12)


def _tail(x: float | arb) -> arb:
    """Enclose Q(x)."""
    return (arb(x) / arb(2).sqrt()).erfc() / 2


def _density(x: float | arb) -> arb:
    """Enclose phi(x)."""
    return (-(arb(x) ** 2) / 2).exp() / (2 * arb.pi()).sqrt()


def _beside(look: Collector, what: str, pairs: Iterable[tuple[float, float]]) -> None:
    """Note the largest relative difference of two evaluations."""
    kept = list(pairs)
    worst = max(abs(one - other) / abs(other) for one, other in kept)
    look(f"{what}: largest relative difference, {len(kept)} cases").at_most(worst, _ROUNDING)


# --------------------------------------------------------------------------------------------------
# Theorem 4.1 = C.1 and Lemma C.8
# --------------------------------------------------------------------------------------------------


def _growth(look: Collector, budget: Budget, rng: Rng) -> None:
    """Look at the exponent of Theorem 4.1 from all sides."""
    found = _slopes(budget, rng, _HALF_WIDTH, (*_AS_PRINTED, *_R1, *_R2, *_R3))
    printed, repaired = found[:2], found[2:]
    _printed_chain(look, "4.1")
    for item in printed:
        _not_above(look, "4.1", f"slope of H, {item.case.shown}, {_range(budget)}", item.measured)
    for item in printed:
        _as_closed_form(look.control, budget, "H", item, _GROWING)
    for key, role in (("4.1", Role.STATEMENT), ("4.1 growth", Role.CONTROL)):
        for case in _AS_PRINTED:
            look.on(role).far(key, _mean_law(_HALF_WIDTH, case), case=case.shown)
    _agreement(look, "H", found)
    _certainty(look)
    limits: tuple[Fraction | str, ...] = (
        Fraction(-3, 10),
        Fraction(-3, 10),
        _PRINTED,
        _PRINTED,
        _PRINTED,
        "0, with sqrt(log m)",
    )
    for item, limit in zip(repaired, limits, strict=True):
        _as_closed_form(look.repair, budget, "H", item, limit)
    _chain(look.repair, "4.1", "R1", Fraction(-3, 10))
    _chain(look.repair, "4.1", "R2", _PRINTED)
    look.repair("exponent of H with R3, continuous activation").equals(
        scaling.R3.gap_exponent, _PRINTED
    )
    m, d = budget.pick(2**14, 2**18), 8
    literal = _literal(rng, m, d, _AS_PRINTED[0])
    _literal_facts(look.control, literal, 1.0)
    look.witness |= _witness(literal, 1.0)


def _witness(literal: _Literal, K: float) -> dict[str, Any]:
    start = literal.start
    printed = K * K * start.m**-0.1
    return {
        "network": f'TwoLayerNetwork.initialize(m, d, "PRINTED", rng=seed, K={K:g})',
        "m": start.m,
        "d": start.d,
        "seed": literal.seed,
        "x": "(sqrt(3)/2, 0, ..., 0, 1/2)",
        "weights": 'worst_weights(network, x, K m^(-3/5), "above") and "below"',
        "sup (f - g)(x)": literal.above.gap,
        "sup (g - f)(x)": literal.below.gap,
        "half-width H(x)": literal.half_width,
        "K^2 m^(-1/10)": printed,
        "H(x) over K^2 m^(-1/10)": literal.half_width / printed,
    }


def _certainty(look: Collector) -> None:
    """Show that for large constants the printed bound fails, with all but certainty."""
    for constant, power in ((1, 22), (10, 38), (1000, 72)):
        m = 2**power
        a, delta, tau, form = _sizes(_AS_PRINTED[0], m)
        law = worst_case.half_width_moments(m, a, delta, tau, form)
        share = constant * m ** stated("4.1") / law.mean
        chance = worst_case.log_half_width_below(min(share, 1.0), m, a, delta, tau, form)
        look.closed_form(
            f"log of the probability of sup |f - g|(x) <= {constant} K^2 m^(-1/10), K = 1, m = "
            f"2^{power}, at any x"
        ).holds(
            chance >= math.log1p(-math.exp(-(m**0.2) / constant)),
            chance,
            f">= log(1 - exp(-m^(1/5)/{constant}))",
        )
    m, pairs = 2**10, []
    for t, theta, form in ((0.0, 0.3, "jump"), (1.0, 0.5, "jump"), (1.0, 0.5, "continuous")):
        std = scaling.preactivation_std(m)
        found = worst_case.log_half_width_below(0.25, m, 0.3, theta * std, t * std, form)
        mean = _mean_by_tails(t, theta, form)
        second = _variance_by_quadrature(t, theta, form) + mean**2
        pairs.append((found, -((0.75 * mean) ** 2) * m / (2.0 * second)))
    _beside(look.control, "that logarithm, by normal tails and quadrature", pairs)


def _oblivious(look: Collector, budget: Budget, rng: Rng) -> None:
    """Look at weights that move without looking at the signs of a: Theorem 4.1 is true for them."""
    widths = [2**k for k in range(8, budget.pick(14, 17))]
    seeds, draws = 16, budget.pick(40, 100)
    case = _AS_PRINTED[0]
    spread = np.empty((seeds, len(widths)))
    scores = []
    for column, m in enumerate(widths):
        a, delta, tau, form = _sizes(case, m)
        rows = []
        for _ in range(seeds):
            z = rng.standard_normal((draws, m)) * scaling.preactivation_std(m)
            after, before = z + delta > tau, z > tau
            f, g, start = (
                np.where(after, z + delta, 0.0),
                delta * before,
                np.where(before, z, 0.0),
            )
            rows.append(((f - g - start) * (a * _signs(rng, z.shape))).sum(axis=1))
        values = np.concatenate(rows)
        expected = gap_parts.oblivious_gap_std(m, a, delta, tau, form)
        squares = values**2
        error = squares.std(ddof=1) / math.sqrt(squares.size)
        scores.append(abs(squares.mean() - expected**2) / error)
        spread[:, column] = np.sqrt(np.mean(squares.reshape(seeds, draws), axis=1))
    slope = loglog_slope(widths, spread, _SURE)
    laws = np.log([gap_parts.oblivious_gap_std(m, *_sizes(case, m)) for m in widths])
    x = np.log(widths) - np.mean(np.log(widths))
    finite = float(laws @ x / (x @ x))
    pairs = []
    for t, theta, form in ((0.0, 0.3, "jump"), (1.0, 0.5, "jump"), (1.0, 0.5, "continuous")):
        m, std = 2**10, scaling.preactivation_std(2**10)
        found = gap_parts.oblivious_gap_std(m, 0.3, theta * std, t * std, form)
        base = t if form == "jump" else 0.0
        square = _moment(lambda v: (base + v + theta) ** 2, t, (-theta, 0.0))  # noqa: B023
        pairs.append((found, 0.3 * math.sqrt(2.0 * square)))
    _beside(look.control, "that standard deviation by quadrature", pairs)
    look.repair(
        "slope of the standard deviation of f - g - B for w_r = w_r0 + delta x, all r, m = 2^8 to "
        f"2^{budget.pick(13, 16)} (limit -7/20)"
    ).slope(slope, round(finite, 5), _PRINTED)
    _limit(
        look.repair,
        "that standard deviation",
        lambda m: gap_parts.oblivious_gap_std(m, *_sizes(case, m)),
        Fraction(-7, 20),
    )
    look.control.simulated("largest |z| of its square against the closed form").at_most(
        float(max(scores)), _LARGEST_Z
    )


@topic.check("thm-4.1")
def _check_41(look: Collector, budget: Budget, rng: Rng) -> None:
    _growth(look, budget, rng)
    _oblivious(look, budget, rng)
    net = exponents.CHAINS["C.1-net"]
    look.proof("power of d beyond which m^(1/5) exceeds d log m").equals(net.derived(), net.printed)
    d = 10**6
    for power, role in ((net.printed, Role.PROOF), (net.derived() + 2, Role.REPAIR)):
        # m = d^power: the net has exp(d log m) points, each fails with exp(-m^(1/5)).
        surplus = float(d) ** (float(power) / 5.0) - d * math.log(float(d) ** float(power))
        look.on(role).closed_form(
            f"logarithm m^(1/5) - d log m of the union bound for m = d^{power}, d = 10^6"
        ).holds(
            surplus >= 0.5 * float(d) ** (float(power) / 5.0),
            surplus,
            ">= m^(1/5)/2, so that 1 - exp(-Omega(m^(1/5))) remains",
        )


@topic.check("lem-c.8")
def _check_c8(look: Collector, budget: Budget, rng: Rng) -> None:
    K, d, seeds = 4.0, 8, budget.pick(10, 16)
    widths = [2**k for k in budget.pick(range(8, 15), range(8, 19))]
    case = _AS_PRINTED[0]
    table = np.empty((3, seeds, len(widths)))
    misses, reaches = [], []
    last: _Literal | None = None
    for row, own in enumerate(spawn(rng, seeds)):
        for column, m in enumerate(widths):
            found = last = _literal(own, m, d, case, K)
            table[:, row, column] = found.largest, found.above.gap, found.below.gap
            misses.append(found.miss / found.tolerance)
            reaches.append(found.reach)
    assert last is not None
    scores = []
    for column, m in enumerate(widths):
        mean = worst_case.half_width_moments(m, *_sizes(case, m, K)).mean
        for side in table[1:, :, column]:
            scores.append((side.mean() - mean) / (side.std(ddof=1) / math.sqrt(seeds)))
    what = f"K = 4, d = 8, m = 2^8 to 2^{budget.pick(14, 18)}"
    _printed_chain(look, "4.1")
    _not_above(
        look,
        "4.1",
        f"slope of sup |f - g|(x), matrices, {what}",
        loglog_slope(widths, table[0], _SURE),
    )
    look.far("4.1", _mean_law(_HALF_WIDTH, case))
    # Student's law with few seeds has heavier tails than the normal one.
    look.control.simulated("largest |t| of sup (f - g) and sup (g - f) against E H").at_most(
        float(np.abs(scores).max()), float(stats.t.isf(1e-5, seeds - 1))
    )
    look.control(
        "distance of f - g, by the network code, from its closed form over the tolerance"
    ).at_most(max(misses), 1.0)
    look.control("largest move of a row over the radius").at_most(max(reaches), 1.0 + 1e-12)
    _chain(look.repair, "4.1", "R1", Fraction(-3, 10))
    _chain(look.repair, "4.1", "R2", _PRINTED)
    look.witness |= _witness(last, K)


# --------------------------------------------------------------------------------------------------
# Definition C.4 and Claims C.5, C.6 and C.7
# --------------------------------------------------------------------------------------------------


@topic.check("def-c.4")
def _check_c4(look: Collector, budget: Budget, rng: Rng) -> None:
    trials = budget.pick(200, 2000)
    left, disagree, flipped, blind = [], [], 0, 0
    for _ in range(trials):
        # Small dyadic numbers: the fractions are exact, and so is the network in float64.
        start, W, x = _dyadic(rng)
        parts = _by_definition(start, W, x)
        f, g, A, B, C, frozen = parts
        left.append(abs(f - (A + B + C)) + abs((f - g) - ((A - g) + B + C)))
        found = PseudoNetwork(start, W).decompose([x], on_slice=False)
        values = (found.f, found.g, found.A, found.B, found.C)
        shown = [Fraction(float(value[0])) for value in values]
        disagree.append(max(abs(u - v) for u, v in zip(shown, parts, strict=False)))
        flipped += int(found.flips[0]) > 0
        blind += f != frozen + B + C
    m = budget.pick(2**13, 2**16)
    residuals = []
    for case in (*_AS_PRINTED, *_R3):
        literal = _literal(rng, m, 8, case)
        parts_of = PseudoNetwork(literal.start, literal.above.W).decompose([_point(8)])
        residuals.append(abs(float(parts_of.residual[0])))
        residuals.append(
            abs(float((parts_of.gap - (parts_of.A - parts_of.g + parts_of.B + parts_of.C))[0]))
        )
    look(f"largest |f - (A + B + C)| in fractions, {trials} networks").equals(max(left), 0)
    look("largest difference to A, B, C, f, g of the network code").equals(max(disagree), 0)
    look(f"largest |f - (A + B + C)| in float64, m = {m}, worst weights of the ball").at_most(
        max(residuals), 1e-11
    )
    look.control.exact("networks in which a neuron changes its state").at_least(flipped, 50)
    look.control.exact(
        "networks in which the identity fails with the initial states in A"
    ).at_least(blind, 50)


def _dyadic(rng: Rng) -> tuple[TwoLayerNetwork, FloatArray, list[float]]:
    """Draw a small network, other weights and a point, all of them multiples of 1/16."""
    m, d = 4, 3

    def numbers(*shape: int) -> FloatArray:
        return rng.integers(-16, 17, shape) / 16.0

    form = str(rng.choice(_FORMS))
    start = TwoLayerNetwork(numbers(m, d), numbers(m), numbers(m), abs(numbers(1)[0]), form)
    return start, numbers(m, d), numbers(d).tolist()


def _by_definition(
    start: TwoLayerNetwork, W: FloatArray, x: list[float]
) -> tuple[Fraction, Fraction, Fraction, Fraction, Fraction, Fraction]:
    """Return f, g, A, B, C, and A with the initial states, from Definition C.4 in fractions."""
    f = g = A = B = C = frozen = Fraction(0)
    tau = Fraction(start.tau)
    shift = tau if start.activation == CONTINUOUS else Fraction(0)
    for row, first, weight, bias in zip(W, start.W, start.a, start.b, strict=True):
        a = Fraction(float(weight))
        z = Fraction(float(bias)) + _inner(first, x)
        move = _inner(row, x) - _inner(first, x)
        now, before = z + move > tau, z > tau
        f += a * (z + move - shift) * now
        g += a * move * before
        A += a * move * now
        B += a * (z - shift) * before
        C += a * (z - shift) * (int(now) - int(before))
        frozen += a * move * before
    return f, g, A, B, C, frozen


def _inner(row: Iterable[float], x: Iterable[float]) -> Fraction:
    return sum(
        (Fraction(float(u)) * Fraction(float(v)) for u, v in zip(row, x, strict=True)), Fraction(0)
    )


def _moment(function: Callable[[float], float], t: float, edges: Sequence[float]) -> float:
    """Integrate a function of v against the density of N at t + v, by adaptive quadrature."""
    return float(
        sum(
            integrate.quad(
                lambda v: function(v) * math.exp(-((t + v) ** 2) / 2) / math.sqrt(2 * math.pi),
                low,
                high,
                epsabs=0.0,
                epsrel=1e-12,
            )[0]
            for low, high in itertools.pairwise(edges)
        )
    )


def _part_moments(look: Collector, quantity: _Quantity) -> None:
    """Compare mean and variance of a part with quadrature."""
    pairs = []
    m, a, std = 2**10, 0.3, scaling.preactivation_std(2**10)
    for t, theta, form in itertools.product((0.0, 0.2, 1.0), (0.1, 0.5), _FORMS):
        law = quantity.law(m, a, theta * std, t * std, form)
        base = t if form == "jump" else 0.0
        edges = sorted({-theta, 0.0, theta, max(-base, -theta)})
        first, second = (
            _moment(
                lambda v: (theta if quantity is _MOVE else abs(base + v)) ** k,  # noqa: B023
                t,
                edges,
            )
            for k in (1, 2)
        )
        pairs.append((law.mean, 0.5 * a * std * m * first))
        pairs.append((law.variance, 0.25 * a**2 * std**2 * m * (second - first**2)))
    _beside(look.control, f"mean and variance of the {quantity.symbol} by quadrature", pairs)


def _part(look: Collector, budget: Budget, rng: Rng, key: str, quantity: _Quantity) -> None:
    """Look at the exponent of one part of f - g."""
    found = _slopes(budget, rng, quantity, (*_AS_PRINTED, *_R1, *_R2))
    _printed_chain(look, key)
    for item in found[:2]:
        _not_above(
            look,
            key,
            f"slope of the {quantity.symbol}, {item.case.shown}, {_range(budget)}",
            item.measured,
        )
    for case in _AS_PRINTED:
        look.far(key, _mean_law(quantity, case), case=case.shown)
    for item in found[:2]:
        _as_closed_form(look.control, budget, quantity.symbol, item, _GROWING)
    for case in _AS_PRINTED:
        _limit(
            look.control,
            f"the mean {quantity.symbol}, {case.shown}",
            _mean_law(quantity, case),
            _GROWING,
        )
    _agreement(look, quantity.symbol, found)
    _part_moments(look, quantity)
    limits = (Fraction(-3, 10), Fraction(-3, 10), _PRINTED, _PRINTED)
    for item, limit in zip(found[2:], limits, strict=True):
        _as_closed_form(look.repair, budget, quantity.symbol, item, limit)
    _chain(look.repair, key, "R1", Fraction(-3, 10))
    _chain(look.repair, key, "R2", _PRINTED)


def _flipping(
    start: TwoLayerNetwork, delta: float, wanted: Callable[[FloatArray, BoolArray], BoolArray]
) -> FloatArray:
    """Return the weights that switch all neurons of the window for which `wanted` is true."""
    x = _point(start.d)
    z, fires = start.preactivations([x])[0], start.active_mask([x])[0]
    distance = z - start.tau
    near = np.where(fires, distance < delta, distance > -delta) & wanted(z, fires)
    return start.W + np.where(near, np.where(fires, -delta, delta), 0.0)[:, None] * x


def _part_witness(look: Collector, rng: Rng, m: int, part: str) -> None:
    """Reach the suprema of a part by matrices, and compare with the closed forms."""
    seed, d = int(rng.integers(2**31)), 8
    start = TwoLayerNetwork.initialize(m, d, "PRINTED", rng=seed)
    x, delta = _point(d), scaling.PRINTED.radius(m)
    a, tau = start.a, start.tau
    z, fires = start.preactivations([x])[0], start.active_mask([x])[0]
    closed = gap_parts.worst_parts(z, a, delta, tau, "jump", fires)
    reached = {}
    for sign, side in ((1.0, "above"), (-1.0, "below")):
        if part == "move":

            def wanted(z: FloatArray, fires: BoolArray, sign: float = sign) -> BoolArray:
                return sign * a > 0.0
        else:

            def wanted(z: FloatArray, fires: BoolArray, sign: float = sign) -> BoolArray:
                return sign * a * z * np.where(fires, -1.0, 1.0) > 0.0

        found = PseudoNetwork(start, _flipping(start, delta, wanted)).decompose([x])
        value = found.A - found.g if part == "move" else found.C
        reached[side] = sign * float(value[0])
    half = 0.5 * sum(reached.values())
    pairs = [(reached[side], getattr(closed, f"{part}_{side}")) for side in reached]
    pairs += [
        (half, getattr(closed, f"{part}_half_width")),
        (max(reached.values()), getattr(closed, f"largest_{part}")),
    ]
    miss = max(abs(one - other) for one, other in pairs)
    name = "A - g" if part == "move" else "C"
    seen = look.apart()
    seen.control(
        f"distance of the suprema of {name} on either side, of their mean and of the larger one, "
        f"by the network code, from the closed forms, matrices with m = {m}, d = {d}"
    ).at_most(miss, 1e-9)
    witness = {
        "network": 'TwoLayerNetwork.initialize(m, d, "PRINTED", rng=seed)',
        "m": m,
        "d": d,
        "seed": seed,
        "x": "(sqrt(3)/2, 0, ..., 0, 1/2)",
        "weights": "w_r = w_r0 + delta x for silent, w_r0 - delta x for active neurons within "
        f"delta = m^(-3/5) of the threshold whose term in {name} has the wanted sign",
        f"sup {name}": reached["above"],
        f"sup -({name})": reached["below"],
        "m^(-1/10)": m**-0.1,
        "half-width over m^(-1/10)": half / m**-0.1,
    }
    look.add(seen)
    look.witness |= witness


@topic.check("claim-c.5")
def _check_c5(look: Collector, budget: Budget, rng: Rng) -> None:
    _part(look, budget, rng, "C.5", _MOVE)
    m, constant = 2**36, 10
    _, delta, tau, _ = _sizes(_AS_PRINTED[0], m)
    # sup |A - g| >= (a delta / 2) N, and N is binomial.
    p = flips.flip_probability(tau, m, delta)
    enough = 2.0 * constant * m ** (0.8 + stated("C.5"))
    miss = enough / m - p
    chance = -2.0 * m * miss**2 if miss < 0.0 else 0.0
    look.closed_form(
        f"log of the probability of sup |A - g|(x) <= {constant} K^2 m^(-1/10), K = 1, m = 2^36 "
        "(Hoeffding)"
    ).holds(
        chance >= math.log1p(-math.exp(-(m**0.9) / 10.0)), chance, ">= log(1 - exp(-m^(9/10)/10))"
    )
    _part_witness(look, rng, budget.pick(2**14, 2**18), "move")


@topic.check("claim-c.7")
def _check_c7(look: Collector, budget: Budget, rng: Rng) -> None:
    _part(look, budget, rng, "C.7", _STATE)
    literal = look.apart()
    _part_witness(literal, rng, budget.pick(2**14, 2**18), "state")
    m = budget.pick(2**18, 2**20)
    z, _ = _draw(rng, m)
    delta = scaling.PRINTED.radius(m)
    slips = look.apart()
    for t, role in ((0.0, Role.REPAIR), (1.0, Role.PROOF)):
        tau = scaling.threshold_from_standard(t, m) if t else 1.0 / m
        near = np.abs(z[np.abs(z - tau) <= delta])
        shown = f"t = {t:g}" if t else "tau = 1/m"
        slips.on(role).simulated(
            f"largest |z| over delta with |z - tau| <= delta, {shown}, m = {m} (Equation (12) has "
            "1)"
        ).at_most(float(near.max()) / delta, 1.0 if t else 2.0)
        slips.repair.simulated(f"largest |z| over tau + delta there, {shown}").at_most(
            float(near.max()) / (tau + delta), 1.0
        )
    look.add(slips)
    look.add(literal)


@topic.check("claim-c.6")
def _check_c6(look: Collector, budget: Budget, rng: Rng) -> None:
    widths = [2**k for k in range(8, budget.pick(13, 16))]
    seeds, draws = 20, budget.pick(80, 300)
    spread = np.empty((seeds, len(widths)))
    for column, m in enumerate(widths):
        sample = _initial_values(rng, m, seeds * draws, scaling.PRINTED.tau(m), "jump")
        spread[:, column] = sample.reshape(seeds, draws).std(axis=1, ddof=1) * m**-0.2
    slope = loglog_slope(widths, spread, _SURE)
    shown = f"slope of the standard deviation of B, PRINTED, m = 2^8 to 2^{budget.pick(12, 15)}"
    _chain(look.proof, "C.6", "PRINTED", _PRINTED)
    _chain(look.proof, "C.6-probability", "PRINTED", Fraction(1, 5))
    look.repair(f"{shown} (typical size)").slope(slope, Fraction(-1, 5), _PRINTED)
    look.repair(f"{shown} (announced -3/10)").slope(slope, Fraction(-1, 5), Fraction(-3, 10))
    _limit(
        look.repair,
        "the standard deviation of B, PRINTED",
        lambda m: gap_parts.initial_output_std(m, m**-0.2, 1.0 / m),
        Fraction(-1, 5),
    )
    for constant in (2.0, 4.0):
        excess = max(
            gap_parts.log_initial_output_tail(
                constant * m ** stated("C.6 size"), m, m**-0.2, 1.0 / m
            )
            - (math.log(2.0) - constant**2 * m ** stated("C.6 rate") / 4.0)
            for m in (2**k for k in (8, 12, 20, 40, 100, 200))
        )
        look.closed_form(
            f"excess of log P(|B| >= {constant:g} m^(-1/10)) over log 2 - {constant**2 / 4:g} "
            "m^(1/5), m = 2^8 to 2^200"
        ).at_most(excess, 0.0)
    look.far("C.6 rate", _rate_of_b)
    _moments_of_b(look, budget, rng)
    _tails_of_b(look, budget, rng)


def _rate_of_b(m: int) -> float:
    """Return minus the logarithm of the bound on P(|B| >= 2 m^(-1/10))."""
    level = 2.0 * m ** stated("C.6 size")
    return -gap_parts.log_initial_output_tail(level, m, m**-0.2, 1.0 / m)


def _initial_values(rng: Rng, m: int, draws: int, tau: float, form: str) -> FloatArray:
    """Draw B(x) for output weights of size 1."""
    activation = get_activation(form)
    values = np.empty(draws)
    step = max(1, 2**21 // m)
    for begin in range(0, draws, step):
        shape = (min(step, draws - begin), m)
        z = rng.standard_normal(shape) * scaling.preactivation_std(m)
        signs = _signs(rng, shape)
        kept = z - (tau if activation == CONTINUOUS else 0.0)
        values[begin : begin + step] = np.where(z > tau, kept * signs, 0.0).sum(axis=1)
    return values


def _moments_of_b(look: Collector, budget: Budget, rng: Rng) -> None:
    m, draws = 64, budget.pick(8_000, 400_000)
    pairs = []
    for t in (0.0, 0.7, 2.0):
        tau = scaling.threshold_from_standard(t, m)
        for form in _FORMS:
            values = _initial_values(rng, m, draws, tau, form)
            expected = gap_parts.initial_output_std(m, 1.0, tau, form)
            squares = values**2
            for what, sample, mean in (("B", values, 0.0), ("B^2", squares, expected**2)):
                look(f"mean of {what}, t = {t:g}, {form}, m = {m}, |a_r| = 1, {draws} draws").mean(
                    float(sample.mean()),
                    float(sample.std(ddof=1)) / math.sqrt(draws),
                    mean,
                    largest=_LARGEST_Z,
                )
            with ctx.workprec(200):
                tail, density = _tail(t), _density(t)
                square = (
                    tail + t * density if form == "jump" else (1 + arb(t) ** 2) * tail - t * density
                )
                pairs.append((expected, float((2 * square).sqrt())))
    _beside(look, "standard deviation of B by normal tails", pairs)


def _tails_of_b(look: Collector, budget: Budget, rng: Rng) -> None:
    """Compare the tails of B with their bounds, all signs of sixteen neurons at once."""
    m, trials = 16, budget.pick(5, 200)
    signs = 1.0 - 2.0 * ((np.arange(2**m)[:, None] >> np.arange(m)) & 1)
    worst = 0.0
    for _ in range(trials):
        z, _ = _draw(rng, m)
        kept = np.where(z > 0.0, z, 0.0)
        sums = np.sort(np.abs(signs @ kept))
        levels = np.linspace(0.05, 1.0, 40) * kept.sum()
        share = 1.0 - np.searchsorted(sums, levels * (1.0 - 1e-12)) / sums.size
        limit = 2.0 * np.exp(-(levels**2) / (2.0 * kept @ kept))
        worst = max(worst, float((share / limit).max()))
    wide, draws = 64, budget.pick(8_000, 200_000)
    ratios, pairs = [], []
    for t, form in ((0.0, "jump"), (1.0, "jump"), (1.0, "continuous")):
        tau = scaling.threshold_from_standard(t, wide)
        size = gap_parts.initial_output_std(wide, 1.0, tau, form)
        values = np.abs(_initial_values(rng, wide, draws, tau, form))
        for times in (1.5, 2.5, 3.5):
            limit = gap_parts.log_initial_output_tail(times * size, wide, 1.0, tau, form)
            count = int(np.count_nonzero(values >= times * size))
            # The chance of that many or more if the probability were the bound.
            ratios.append(float(stats.binom.sf(count - 1, draws, math.exp(limit))))
            pairs.append((limit, _best_exponent(times * size, wide, t, form)))
    look.proof(
        f"largest exact conditional tail over Hoeffding's bound, m = {m}, all signs, {trials} "
        "draws of W_0, 40 levels"
    ).at_most(worst, 1.0)
    look.control.simulated(
        f"smallest p-value of the bound on P(|B| >= level), m = {wide}, {draws} draws"
    ).at_least(min(ratios), 1e-5)
    look.control(
        "largest difference of that bound to the best of 4000 exponents, closed forms"
    ).at_most(max(abs(one - other) for one, other in pairs), 1e-5)


def _best_exponent(level: float, m: int, t: float, form: str) -> float:
    """Return log 2 plus the smallest exponent of the exponential bound, from normal tails."""
    k = np.linspace(1.0 / 4000, 1.0, 4000)
    shift = 0.0 if form == "jump" else t
    # E exp(+-k (N - shift)) over N > t.
    up = np.exp(k**2 / 2 - k * shift) * special.ndtr(k - t)
    down = np.exp(k**2 / 2 + k * shift) * special.ndtr(-k - t)
    cosh = special.ndtr(t) + 0.5 * (up + down)
    return float(np.log(2.0) + (m * np.log(cosh) - k * level / math.sqrt(2.0 / m)).min())


# --------------------------------------------------------------------------------------------------
# Proposition 1
# --------------------------------------------------------------------------------------------------


@topic.check("prop-1")
def _check_prop1(look: Collector, budget: Budget, rng: Rng) -> None:
    trials = budget.pick(60, 600)
    wrong = sum(not _as_searched(rng) for _ in range(trials))
    misses, reaches, short = [], [], 0
    m, d = budget.pick(2**10, 2**16), 8
    for case in (*_AS_PRINTED, *_R1, *_R2, *_R3):
        for K in (1.0, 4.0):
            found = _literal(rng, m, d, case, K)
            misses.append(found.miss / found.tolerance)
            reaches.append(found.reach)
            short += (not found.above.attained) + (not found.below.attained)
    look(
        f"networks of 3 neurons, of {trials}, in which a search over all combinations of moves "
        "finds another supremum of f - g, g - f or |g|, or other counts"
    ).equals(wrong, 0)
    look(
        "distance of f - g, by the network code, from the closed form over the tolerance, "
        f"matrices with m = {m}, d = {d}, 16 cases"
    ).at_most(max(misses), 1.0)
    look("largest move of a row over the radius").at_most(max(reaches), 1.0 + 1e-12)
    look("suprema, of 32, that these weights do not attain").equals(short, 0)
    _moments_of_h(look, budget, rng)
    _constants_of_h(look)


def _as_searched(rng: Rng) -> bool:
    """Compare the suprema of a small network with a search; dyadic numbers, so exactly."""
    unit = 1.0 / 64.0
    z = rng.integers(-32, 33, 3) * unit
    a = rng.integers(-4, 5, 3) / 4.0
    steps = int(rng.integers(0, 13))
    tau = int(rng.integers(0, 17)) * unit
    form = str(rng.choice(_FORMS))
    found = worst_case.worst_gap(z, a, steps * unit, tau, form)
    moves = np.arange(-steps, steps + 1) * unit
    # All combinations of moves of the three neurons, on the axes of one array.
    f = np.zeros((1, 1, 1))
    g = np.zeros((1, 1, 1))
    for axis, (value, weight) in enumerate(zip(z, a, strict=True)):
        after = value + moves
        passed = after - (tau if form == "continuous" else 0.0)
        shape = [1, 1, 1]
        shape[axis] = moves.size
        f = f + (weight * np.where(after > tau, passed, 0.0)).reshape(shape)
        g = g + (weight * moves * (value > tau)).reshape(shape)
    above, below = float((f - g).max()), float((g - f).max())
    middle = (steps,) * 3
    fires = z > tau
    can = [bool(((v + moves > tau) != (v > tau)).any()) for v in z]
    largest_g = float(np.abs(g).max())
    searched = (
        above,
        below,
        0.5 * (above + below),
        largest_g,
        float(f[middle]),
        sum(can),
        int(fires.sum()),
        max(above, below),
    )
    return searched == (
        found.above,
        found.below,
        found.half_width,
        found.largest_g,
        found.initial_output,
        found.can_flip,
        found.active,
        found.largest,
    )


def _moments_of_h(look: Collector, budget: Budget, rng: Rng) -> None:
    """Compare mean and variance of H with samples of single neurons and with normal tails."""
    draws, m = budget.pick(200_000, 16_000_000), 2**10
    z = rng.standard_normal(draws) * scaling.preactivation_std(m)
    a, delta = m**-0.2, m**-0.6
    std = scaling.preactivation_std(m)
    means, spreads, largest = [], [], []
    for rule in scaling.TAU_RULES.values():
        tau = rule.tau(m)
        for form in _FORMS:
            law = worst_case.half_width_moments(m, a, delta, tau, form)
            rise, fall = worst_case.gap_terms(z, delta, tau, form)
            terms = 0.5 * a * (rise + fall)
            mean, spread = float(terms.mean()), float(terms.var(ddof=1))
            fourth = float(((terms - mean) ** 4).mean())
            for value, expected, error in (
                (mean, law.mean / m, math.sqrt(spread / draws)),
                (spread, law.variance / m, math.sqrt((fourth - spread**2) / draws)),
            ):
                largest.append(abs(value - expected) / error)
            means.append(
                (law.mean, 0.5 * a * m * std * _mean_by_tails(tau / std, delta / std, form))
            )
            variance = _variance_by_quadrature(tau / std, delta / std, form)
            variance *= 0.25 * a**2 * m * std**2
            spreads += [(law.variance, variance), (law.std, math.sqrt(variance))]
    rules = ", ".join(rule.label for rule in scaling.TAU_RULES.values())
    look.simulated(
        f"largest |z| of mean and variance of the terms of H, m = {m}, {draws} neurons, both "
        f"activations, tau = {rules}"
    ).at_most(max(largest), _LARGEST_Z)
    _beside(look, "E H by normal tails, 200 bits", means)
    _beside(look, "Var H and its root by adaptive quadrature", spreads)


def _mean_by_tails(t: float, theta: float, form: str) -> float:
    """Return E[U + V] in standard units from tails of the normal law, with many digits."""
    with ctx.workprec(200):
        if form == "continuous":

            def psi(x: float | arb) -> arb:
                return _density(x) - x * _tail(x)

            value = psi(arb(t) - theta) - 2 * psi(t) + psi(arb(t) + theta)
        else:
            low = arb(t) - theta
            value = _density(low) - _density(t) + theta * (_tail(low) - _tail(t))
            value += t * (_tail(t) - _tail(arb(t) + theta))
            if t < theta:
                value += theta * (_tail(t) - _tail(theta)) - _density(t) + _density(theta)
        return float(value)


def _variance_by_quadrature(t: float, theta: float, form: str) -> float:
    """Return Var[U + V] in standard units, U and V by a search over the ends of their pieces."""

    def width(v: float) -> float:
        moves = [-theta, 0.0, theta] + ([-v] if abs(v) <= theta else [])
        base = t if form == "jump" else 0.0
        values = [((base + v + u) if u > -v else 0.0) - (u if v > 0.0 else 0.0) for u in moves]
        return max(values) - min(values)

    edges = sorted({-theta, 0.0, theta, *([theta - t] if 0.0 < t < theta else [])})

    first, second = (_moment(lambda v: width(v) ** k, t, edges) for k in (1, 2))  # noqa: B023
    return second - first**2


def _constants_of_h(look: Collector) -> None:
    """Compare E H for thin windows with its leading term, and that with its constant."""
    m, thin = 2**60, []
    for t, ratio in ((0.0, 0.0), (0.0, 0.4), (0.0, 3.0), (0.7, None), (2.0, None)):
        for form in _FORMS:
            delta = 1e-12 * scaling.preactivation_std(m)
            tau = ratio * delta if ratio is not None else scaling.threshold_from_standard(t, m)
            law = worst_case.half_width_moments(m, 0.25, delta, tau, form)
            thin.append((worst_case.half_width_leading_term(m, 0.25, delta, tau, form), law.mean))
    constants = []
    for K in (1.0, 3.0):
        m = 2**400
        law = worst_case.half_width_moments(m, m**-0.2, K * m**-0.6, 1.0 / m)
        constants.append((law.mean / (K**2 * m**0.1), stated("prop-1 constant")))
    look.far("prop-1 mean", _mean_law(_HALF_WIDTH, _AS_PRINTED[0]))
    _beside(look, "leading term of E H, thin windows", thin)
    _beside(look, "E H / (K^2 m^(1/10)) against 1/(4 sqrt(pi)), PRINTED, m = 2^400", constants)


# --------------------------------------------------------------------------------------------------
# Proposition 2
# --------------------------------------------------------------------------------------------------


@topic.check("prop-2")
def _check_prop2(look: Collector, budget: Budget, rng: Rng) -> None:
    _prices(look, budget, rng)
    _no_way_out(look, budget)
    _descents(look, budget, rng)
    _descent_of_the_network(look, budget, rng)


def _prices(look: Collector, budget: Budget, rng: Rng) -> None:
    """Compare H with its bound, draw by draw, and E H / E G with the price."""
    draws, theta = budget.pick(200_000, 8_000_000), 0.1
    short = 0
    seen = look.apart()
    pairs, limits, balls = [], [], []
    for t in _LEVELS:
        # Standard units; what lies beyond the window matters for G only.
        z = rng.standard_normal(draws)
        rise, fall = worst_case.gap_terms(z, theta, t, "jump")
        near = np.abs(z - t) < theta
        terms, fires = 0.5 * (rise + fall), z > t
        ratio = jump.half_width_over_g(t, theta)
        rest = terms - ratio * theta * fires
        seen(f"E H / E G at t = {t:g}, theta = {theta:g}, jump, {draws} neurons").mean(
            float(terms.mean() / (theta * fires.mean())),
            float(rest.std(ddof=1) / math.sqrt(draws) / (theta * fires.mean())),
            ratio,
            largest=_LARGEST_Z,
        )
        bound_of_draw = jump.jump_half_width_bound(z, np.ones(draws), theta, t)
        short += bound_of_draw > float(terms.sum()) * (1.0 + 1e-12)
        # Recount the bound itself.
        pairs.append((bound_of_draw, 0.5 * t * float(np.count_nonzero(near))))
        with ctx.workprec(200):
            window = _tail(arb(t) - theta) - _tail(arb(t) + theta)
            pairs.append((jump.jump_price(t, theta), float(t * window / (2 * theta * _tail(t)))))
            limits.append((jump.jump_price(t), float(t * _density(t) / _tail(t))))
            for form in _FORMS:
                half = _mean_by_tails(t, theta, form) / float(2 * theta * _tail(t))
                pairs.append((jump.half_width_over_g(t, theta, form), half))
            for size in (0.01, 0.5, 3.0):
                balls.append((jump.ball_price(size), float((1 - 2 * _tail(size / 2)) / 4)))
    grid = [(t, theta) for t in (0.01, *_LEVELS, 4.0, 8.0) for theta in np.geomspace(1e-4, 30, 40)]
    below = [
        (t, theta)
        for t, theta in grid
        if jump.half_width_over_g(t, theta) < jump.jump_price(t, theta) * (1.0 - 1e-12)
        or min(jump.half_width_over_g(t, theta, form) for form in _FORMS)
        < jump.ball_price(theta) * (1.0 - 1e-12)
    ]
    look("draws, of 5, in which H is less than (tau/2) sum |a_r| over the window").equals(short, 0)
    look.add(seen)
    _beside(look, "bound on H, price of a window and E H / E G, by counts and normal tails", pairs)
    _beside(look, "limit t phi(t)/Q(t) of the price", limits)
    _beside(look, "price of the ball, by normal tails", balls)
    look(f"pairs (t, theta), of {len(grid)}, with E H / E G below a price").equals(len(below), 0)
    look.closed_form("smallest t phi(t)/Q(t) - t^2 at the five t").at_least(
        min(jump.jump_price(t) - t * t for t in _LEVELS), 0.0
    )


def _no_way_out(look: Collector, budget: Budget) -> None:
    """Look for a pair (t, theta) with few active neurons and a small gap, for both activations."""
    # At most 45 % of the neurons fire; beyond t = 10 the price exceeds t^2 = 100.
    first = float(-special.ndtri(0.45))
    levels = np.geomspace(first, 10.0, budget.pick(20, 60))
    radii = np.geomspace(1e-6, 1e3, budget.pick(40, 120))
    price = min(
        max(jump.jump_price(t, theta), jump.ball_price(theta)) for t in levels for theta in radii
    )
    smallest = {
        form: min(jump.half_width_over_g(t, theta, form) for t in levels for theta in radii)
        for form in _FORMS
    }
    half = min(jump.half_width_over_g(t, 1e-4) for t in (1e-6, 1e-5))
    look(
        "smallest E H / E G with the jump when at most 45 % of the neurons fire, "
        f"{levels.size * radii.size} pairs (t, theta)"
    ).at_least(smallest["jump"], price)
    look("smallest larger one of the two prices there").at_least(price, 0.05)
    look.control("the same E H / E G with the continuous activation").at_most(
        smallest["continuous"], 1e-5
    )
    look.control("E H / E G with the jump when half of the neurons fire, theta = 10^-4").at_most(
        half, 1e-3
    )


def _descents(look: Collector, budget: Budget, rng: Rng) -> None:
    """Follow the formal gradient of one example, and compare the changes of f and g."""
    draws, steps, travel = budget.pick(200_000, 8_000_000), 100, 0.05
    limits, longer = [], []
    for t in _LEVELS:
        # Silent neurons never move: draw the active ones, N given N > t.
        tail = float(special.ndtr(-t))
        z = np.maximum(-special.ndtri(tail * (1.0 - rng.random(draws))), np.nextafter(t, 9.0))
        rises = rng.random(draws) < 0.5
        start = z[~rises]
        now = start.copy()
        for _ in range(steps):
            now -= travel / steps * (now > t)
        for form in _FORMS:
            shift = t if form == "continuous" else 0.0
            f, g = np.full(draws, travel), np.full(draws, travel)
            f[~rises] = start - shift - np.where(now > t, now - shift, 0.0)
            g[~rises] = start - now
            mean_g = float(g.mean())
            expected = jump.gradient_ratio(t, travel) if form == "jump" else 1.0
            rest = f - expected * g
            spread = float(rest.std(ddof=1)) / math.sqrt(draws) / mean_g
            found = float(f.mean()) / mean_g
            if form == "jump":
                look(
                    f"change of f over change of g under gradient descent, t = {t:g}, jump, travel "
                    f"{travel:g}, {draws} active neurons"
                ).mean(found, spread, expected)
            else:
                # g counts the last step of a neuron that falls silent in full: one step of steps.
                look.simulated(f"|the same ratio - 1|, t = {t:g}, continuous").at_most(
                    abs(found - 1.0), 1.0 / steps
                )
        with ctx.workprec(200):
            part = stated("prop-2 constant") * t * _density(t) / _tail(t)
            limits.append((jump.gradient_ratio(t), float(1 + part)))
        for way in (0.05, 0.5, 3.0):
            # Of the sinking neurons those with N < t + way cross; the others go the whole way.
            waited = _moment(lambda v: min(v, way), t, (0.0, way, way + 12.0))  # noqa: B023
            crossed = tail - float(special.ndtr(-t - way))
            longer.append((jump.gradient_ratio(t, way), 1 + t * crossed / (way * tail + waited)))
    _beside(look, "limit 1 + t phi(t)/(2 Q(t)) of the ratio", limits)
    _beside(look, "the ratio on longer ways by quadrature", longer)


def _descent_of_the_network(look: Collector, budget: Budget, rng: Rng) -> None:
    """Do the same with matrices and the gradient of the network code, neuron by neuron."""
    m, d, t, steps, travel = budget.pick(2**12, 2**15), 3, 1.0, 25, 0.05
    std = scaling.preactivation_std(m)
    tau = scaling.threshold_from_standard(t, m)
    start = TwoLayerNetwork.initialize(m, d, rng=int(rng.integers(2**31)), tau=tau)
    x = _point(d)[None, :]
    step = travel * std / steps
    eta = step / scaling.PRINTED.output_weight(m)
    network = start
    now = start.preactivations(x)[0].copy()
    begun = now.copy()
    for _ in range(steps):
        network = network.with_weights(network.W - eta * network.weight_gradient(x, [-1.0]))
        now += np.where(now > tau, np.sign(start.a) * step, 0.0)
    f = float((network.forward(x) - start.forward(x))[0])
    g = float(PseudoNetwork(start, network.W).forward(x)[0])

    def value(z: FloatArray) -> float:
        return float(start.a @ np.where(z > tau, z, 0.0))

    along = (value(now) - value(begun), float(start.a @ np.where(begun > tau, now - begun, 0.0)))
    look.control(
        f"difference of f and g to the network code, {steps} steps, m = {m}, d = {d}"
    ).at_most(max(abs(f - along[0]), abs(g - along[1])) / abs(g), 1e-8)


# --------------------------------------------------------------------------------------------------
# Theorem A and Theorem 4.1 as repaired
# --------------------------------------------------------------------------------------------------


@topic.check("thm-a")
def _check_thm_a(look: Collector, budget: Budget, rng: Rng) -> None:
    _neuron_by_neuron(look)
    _uniformly(look, budget, rng)
    _certificate(look, budget, rng)
    _constants_of_theorem_a(look)
    _far_of_theorem_a(look)


def _neuron_by_neuron(look: Collector) -> None:
    """Decide the inequality of one neuron for all small integers s, u, delta and tau."""
    over = {form: 0 for form in _FORMS}
    sharp = {form: True for form in _FORMS}
    slack = 0
    for delta in range(1, 9):
        s, u = np.meshgrid(np.arange(-20, 21), np.arange(-delta, delta + 1), indexing="ij")
        before, after = s > 0, s + u > 0
        # Convexity: f - g - B is not negative for a neuron with a_r = 1.
        change = np.where(after, s + u, 0) - np.where(before, s, 0) - u * before
        limit = np.maximum(delta - np.abs(s), 0)
        over["continuous"] += int(np.count_nonzero((change < 0) | (change > limit)))
        # The supremum over u is the bound, for every s.
        sharp["continuous"] &= bool((change.max(axis=1) == limit[:, 0]).all())
        for tau in range(0, 13):
            z = s + tau
            change = np.where(after, z + u, 0) - np.where(before, z, 0) - u * before
            limit = np.where((s > -delta) & (s <= delta), tau + delta, 0)
            over["jump"] += int(np.count_nonzero(np.abs(change) > limit))
            # Nearly reached, by a neuron that is woken from just below the threshold.
            sharp["jump"] &= int(change.max()) == tau + delta
            rise, fall = worst_case.gap_terms(z[:, 0], float(delta), float(tau), "jump")
            slack += int(np.count_nonzero(np.maximum(rise, fall) > limit[:, 0]))
    look(
        "(s, u, delta) of 41 x 17 x 8 for which 0 <= (s+u)_+ - s_+ - u 1[s>0] <= (delta - |s|)_+ "
        "fails"
    ).equals(over["continuous"], 0)
    look(
        "(s, u, delta, tau) for which the jump term exceeds tau + delta or changes off the window"
    ).equals(over["jump"] + slack, 0)
    look.exact(
        "the bound of one neuron is reached, for every s (continuous) and some s (jump)"
    ).holds(all(sharp.values()), f"{sharp['continuous']}, {sharp['jump']}", "both")


def _exact_suprema(
    network: TwoLayerNetwork, delta: float, *, centered: bool
) -> tuple[float, float]:
    """Return sup over X and W of |f - g| (or |f - g - B|), d = 3, with its certified upper end."""
    ends = [
        adversary.CircleWave.of_network(
            uniform_gap.worst_gap_network(network, delta, side, centered=centered)
        ).extremes(0.0, math.pi)
        for side in ("above", "below")
    ]
    return max(end.sup for end in ends), max(end.upper for end in ends)


def _circle_widths(budget: Budget) -> list[int]:
    exponents_of_two: tuple[int, ...] = budget.pick((8, 10, 12, 14), (8, 10, 12, 14, 16, 18))
    last: list[int] = budget.pick([], [10**6])
    return [2**k for k in exponents_of_two] + last


def _uniformly(look: Collector, budget: Budget, rng: Rng) -> None:
    """Compare the exact supremum over the circle and the ball with the certified bound."""
    seeds, failure = budget.pick(4, 12), 1e-6
    widths = _circle_widths(budget)
    ratios, slack, counted, pointwise = [], [], [], []
    for m in widths:
        powers = scaling.R3
        a, delta, tau = powers.output_weight(m), powers.radius(m), powers.tau(m)
        limit = uniform_gap.certified_gap_bound(m, 3, a, delta, tau, "continuous", failure).value
        t_one = scaling.threshold_from_standard(1.0, m)
        wide = uniform_gap.certified_gap_bound(m, 3, a, delta, t_one, "jump", failure).value
        mean = worst_case.half_width_moments(m, a, delta, tau, "continuous").mean
        for own in spawn(rng, seeds):
            network = TwoLayerNetwork.initialize(m, 3, powers, rng=own)
            largest, upper = _exact_suprema(network, delta, centered=True)
            ratios.append(upper / limit)
            slack.append(largest / mean)
            gap = worst_case.worst_gap_at(network, _point(3), delta)
            pointwise.append(
                max(gap.above - gap.initial_output, gap.below + gap.initial_output) / upper
            )
            jumping = TwoLayerNetwork(network.W, network.a, network.b, t_one)
            near = flips.max_near_on_circle(jumping, delta).count
            counted.append(a * (t_one + delta) * near / wide)
    shown = f"m = 2^8 to {budget.pick('2^14', '10^6')}, {seeds} seeds each"
    look(
        "exact sup over X and the ball of |f - g - B| over the bound certified with failure "
        f"10^-6, R3, d = 3, {shown}"
    ).at_most(max(ratios), 1.0)
    look(
        "a (tau + delta) max over X of the neurons in the window over the certified bound, jump, "
        f"t = 1, d = 3, {shown}"
    ).at_most(max(counted), 1.0)
    look.control("that supremum over E H, smallest (every x has at least about E H)").at_least(
        min(slack), 1.0
    )
    look.control("largest sup over the ball at one x over the exact supremum over X").at_most(
        max(pointwise), 1.0
    )


def _certificate(look: Collector, budget: Budget, rng: Rng) -> None:
    """Recompute the parts of the certified bound from an independent side."""
    moments, tails, nets, spans, sums = [], [], [], [], []
    for m, d, t, theta, form, failure in (
        (2**10, 3, 1.0, 0.4, "continuous", 1e-3),
        (2**10, 3, 1.0, 0.4, "jump", 1e-3),
        (2**14, 8, 2.0, 0.2, "continuous", 1e-6),
        (2**14, 8, 0.3, 0.9, "jump", 1e-6),
    ):
        a, std = m**-0.2, scaling.preactivation_std(m)
        tau, delta = t * std, theta * std
        found = uniform_gap.certified_gap_bound(m, d, a, delta, tau, form, failure)

        def height(v: float, t: float = t, theta: float = theta, form: str = form) -> float:
            if form == "continuous":
                return max(theta - abs(v), 0.0)
            return (t + theta) * min(1.0, max(2.0 - abs(v) / theta, 0.0))

        edges = [k * theta for k in (-2, -1, 0, 1, 2)]
        first, second = (
            _moment(lambda v: (std * height(v)) ** k, t, edges)  # noqa: B023
            for k in (1, 2)
        )
        moments.append((found.mean, a * m * first))
        moments.append((found.variance, a * a * m * (second - first**2)))
        moments.append((found.largest, a * std * height(0.0)))
        sums.append((found.value, found.mean + found.deviation + found.mesh))
        # Lemma A.9 at the deviation, over the net: half of the failure probability.
        rate = found.deviation**2 / 2 / (found.variance + found.largest * found.deviation / 3)
        tails.append((math.exp(found.log_net - rate), failure / 2))
        nets.append((math.exp(found.log_net / (d - 1)), 1.0 + math.sqrt(3.0) / found.spacing))
        steep = 1.0 if form == "continuous" else (tau + delta) / delta
        lengths = np.linalg.norm(rng.standard_normal((m, d - 1)), axis=1).sum() / math.sqrt(m)
        spans.append(a * steep * float(lengths) * found.spacing / found.mesh)
    _beside(look, "mean, variance and largest term of the certified bound, by quadrature", moments)
    _beside(look, "failure probability of Bernstein's inequality at the deviation", tails)
    _beside(look, "size of the net, (1 + sqrt(3)/nu)^(d-1)", nets)
    _beside(look, "the bound, as the sum of mean, deviation and mesh", sums)
    look.simulated("largest sampled change over the net's spacing over the one allowed").at_most(
        max(spans), 1.0
    )
    look.control.simulated("smallest such ratio (the bound is not slack)").at_least(min(spans), 0.8)
    _covering(look, rng)


def _covering(look: Collector, rng: Rng) -> None:
    """Build maximal separated sets of the circle: how many points a net has at most."""
    worst = 0.0
    for spacing in (0.5, 0.1, 0.02):
        # On the circle a maximal set of points more than nu apart, greedily.
        angles = np.sort(rng.random(20_000)) * 2.0 * math.pi
        kept = [angles[0]]
        half = 2.0 * math.asin(spacing / (2.0 * geometry.SLICE_RADIUS))
        for angle in angles[1:]:
            if angle - kept[-1] > half and 2.0 * math.pi - angle + kept[0] > half:
                kept.append(angle)
        worst = max(worst, len(kept) / (1.0 + 2.0 * geometry.SLICE_RADIUS / spacing) ** 2)
    look.control("points of a separated set on the circle over the bound, d = 3").at_most(
        worst, 1.0
    )


_PROVED_CONSTANTS: tuple[tuple[str, Literal["gap, continuous", "gap, jump"], float], ...] = (
    ("continuous", "gap, continuous", 2.0),
    ("jump", "gap, jump", 5.0),
)


def _constants_of_theorem_a(look: Collector) -> None:
    """Prove the constants for all parameters, and look how near a search on the boundary comes."""
    largest = {form: 0.0 for form in _FORMS}
    for t in np.linspace(0.0, 14.0, 57).tolist():
        for d in (2, 3, 8, 32, 128):
            theta = min(1.0, 1.0 / t) if t else 1.0
            density = math.exp(-t * t / 2.0) / math.sqrt(2.0 * math.pi)
            # The smallest width that the hypothesis allows; beyond, m^-d would underflow.
            m = 2
            while math.sqrt(2.0) * m * density * theta < 4.0 * d * math.log(m):
                m += m // 16 + 1
            if d * math.log(m) > 690.0:
                continue
            std = scaling.preactivation_std(m)
            delta, tau = theta * std, t * std
            for form in _FORMS:
                found = uniform_gap.certified_gap_bound(
                    m, d, 1.0, delta, tau, form, float(m) ** -d
                ).value
                size = uniform_gap.thin_window_size(m, 1.0, delta, tau, form)
                largest[form] = max(largest[form], found / size)
    size_of = [
        (
            uniform_gap.thin_window_size(m, 2.0, delta, tau, form),
            2.0
            * m**1.5
            * delta
            * (delta + (tau if form == "jump" else 0.0))
            * stats.norm.pdf(tau * math.sqrt(m / 2)),
        )
        for form in _FORMS
        for m, delta, tau in ((100, 0.03, 0.2), (2**20, 1e-4, 0.0))
    ]
    for form, part, limit in _PROVED_CONSTANTS:
        look.certified(
            f"constant of the {form} activation, all m, d, t and delta (branch and bound)"
        ).holds(constant_suffices(part, limit), limit, "proved to suffice")
    for form, _, limit in _PROVED_CONSTANTS:
        look.control.closed_form(
            f"largest ratio found where t theta = 1 at the least width, {form}"
        ).at_most(largest[form], limit)
    _beside(look, "stated size, by scipy's density", size_of)


def _far_of_theorem_a(look: Collector) -> None:
    """Ask the certified bounds over the radius for the power of m, at both thresholds."""
    found = look.apart()
    for rule in (scaling.ONE_OVER_M, scaling.SPARSE_C):
        for form in _FORMS:

            def over_size(m: int, rule: scaling.TauRule = rule, form: str = form) -> float:
                delta, tau = scaling.R3.radius(m), rule.tau(m, c=Fraction(1, 5))
                density = math.exp(-(tau**2) * m / 4.0)
                size = density * delta * (delta + (tau if form == "jump" else 0.0))
                most = uniform_gap.certified_gap_bound(m, 3, 1.0, delta, tau, form, 1e-6)
                return most.value / size

            found.far(f"A {form}", over_size, case=f"tau = {rule.label}")
    look.add(found)


@topic.check("thm-4.1-r")
def _check_41r(look: Collector, budget: Budget, rng: Rng) -> None:
    found = _slopes(budget, rng, _HALF_WIDTH, _R3[:1])[0]
    powers, failure, seeds = scaling.R3, 1e-6, 16
    widths = _circle_widths(budget)
    table = np.empty((seeds, len(widths)))
    whole, starts = [], []
    for column, m in enumerate(widths):
        a, delta, tau = powers.output_weight(m), powers.radius(m), powers.tau(m)
        gap = uniform_gap.certified_gap_bound(m, 3, a, delta, tau, "continuous", failure).value
        first = uniform_gap.certified_initial_bound(m, 3, a, tau, failure).value
        for row, own in enumerate(spawn(rng, seeds)):
            network = TwoLayerNetwork.initialize(m, 3, powers, rng=own)
            table[row, column], upper = _exact_suprema(network, delta, centered=False)
            whole.append(upper / (gap + first))
            ends = adversary.CircleWave.of_network(network).extremes(0.0, math.pi)
            starts.append(max(ends.upper, -ends.lower) / first)
    slope = loglog_slope(widths, table, _SURE)
    shown = f"m = 2^8 to {budget.pick('2^14', '10^6')}, {seeds} seeds each"
    look("exponent of the gap, R3, continuous activation").equals(powers.gap_exponent, _PRINTED)
    look("exponent of B, R3").equals(powers.initial_output_exponent, Fraction(-3, 10))
    _as_closed_form(look, budget, "H", found, _PRINTED)
    _agreement(look, "H", [found])
    look.far("4.1-r gap", _certified_gap_of_r3)
    look.far("4.1-r start", _initial_output_of_r3, logs=-0.75)
    look(
        "exact sup over X and the ball of |f - g| over the certified bound (failure 2 10^-6), R3, "
        f"d = 3, {shown}"
    ).at_most(max(whole), 1.0)
    look(f"exact sup over X of |B| over its certified bound, {shown}").at_most(max(starts), 1.0)
    look.simulated(f"slope of the exact sup over X and the ball of |f - g|, {shown}").holds(
        slope.upper < 0.0, slope, "negative, 1/10 excluded"
    )
    _constants_of_41r(look)
    _certificate_of_b(look)


def _certified_gap_of_r3(m: int) -> float:
    a, delta, tau = scaling.R3.output_weight(m), scaling.R3.radius(m), scaling.R3.tau(m)
    return uniform_gap.certified_gap_bound(m, 3, a, delta, tau, CONTINUOUS, 1e-6).value


def _initial_output_of_r3(m: int) -> float:
    a, tau = scaling.R3.output_weight(m), scaling.R3.tau(m)
    return gap_parts.initial_output_std(m, a, tau, CONTINUOUS)


def _certificate_of_b(look: Collector) -> None:
    """Recompute the parts of the certified bound on B from an independent side."""
    tails, nets, sizes = [], [], []
    for m, d, t, failure in ((2**10, 3, 1.0, 1e-3), (2**14, 8, 2.0, 1e-6)):
        found = uniform_gap.certified_initial_bound(
            m, d, 0.3, scaling.threshold_from_standard(t, m), failure
        )
        limit = _best_exponent(found.deviation / 0.3, m, t, "continuous")
        tails.append((limit + found.log_net, math.log(failure / 2)))
        nets.append((math.exp(found.log_net / (d - 1)), 1.0 + math.sqrt(3.0) / found.spacing))
        square = _moment(lambda v: v * v, t, (0.0, 2.0, 12.0))
        sizes.append((found.variance, 2.0 * 0.3**2 * square))
        sizes.append((found.value, found.deviation + found.mesh))
        sizes.append((found.mesh, 0.3 * _span(m, d, failure) * found.spacing))
    look(
        "largest difference of the logarithm of the failure probability over the net, bound on B"
    ).at_most(max(abs(one - other) for one, other in tails), 1e-4)
    _beside(look, "size of that net", nets)
    _beside(look, "variance of B and change between points of the net", sizes)


def _span(m: int, d: int, failure: float) -> float:
    """Return sqrt of the bound on a chi-square variable with m (d - 1) degrees of freedom."""
    freedom, rate = m * (d - 1), math.log(2.0 / failure)
    return math.sqrt(freedom + 2.0 * math.sqrt(freedom * rate) + 2.0 * rate)


def _constants_of_41r(look: Collector) -> None:
    """Evaluate the certified bounds of R3 at every width, with the constants of the theorem."""
    powers, gaps, starts = scaling.R3, [], []
    for k in (16, 20, 30, 40, 80):
        m = 2**k
        a, delta, tau = powers.output_weight(m), powers.radius(m), powers.tau(m)
        for d in (2, 3, 8):
            failure = float(m) ** -d
            gap = uniform_gap.certified_gap_bound(m, d, a, delta, tau, "continuous", failure)
            gaps.append(gap.value / m**-0.1)
            first = uniform_gap.certified_initial_bound(m, d, a, tau, failure)
            starts.append(first.value / (math.sqrt(d * math.log(m)) * m**-0.3))
    look(
        "certified bound on |f - g - B| over K^2 m^(-1/10), K = 1, failure m^-d, d = 2, 3, 8, m = "
        "2^16 to 2^80"
    ).at_most(max(gaps), 2.0)
    look("certified bound on |B| over sqrt(d log m) m^(-3/10), same cells").at_most(
        max(starts), 2.0
    )


# --------------------------------------------------------------------------------------------------
# The parameter sets R1 and R3
# --------------------------------------------------------------------------------------------------

_KEYS = (
    "active",
    "flips",
    "gap",
    "initial_output",
    "expressivity",
    "gradient",
    "derived_eta",
    "derived_steps",
    "drift",
    "coupling",
)
_PROOF_OF_41 = (
    "C.2-probability",
    "C.2",
    "C.5",
    "C.6",
    "C.6-probability",
    "C.7",
    "4.1",
    "C.9-moves",
    "C.9-f-moves",
    "C.9-f-initial",
    "C.9-f-jump",
    "C.9-g-moves",
    "C.9-flips",
    "C.9-g-flips",
    "C.12-coupling",
)


def _powers_of(look: Collector, name: str) -> None:
    """Compare the exponents of a set with the stated ones, and with closed forms."""
    powers, label = scaling.get_scaling(name), f"set-{name.lower()}"
    seen = look.apart()
    for key in _KEYS:
        seen(f"exponent of m, {STATED[f'{label} {key}'].what}, {name}").equals(
            getattr(powers, f"{key}_exponent"), stated_power(f"{label} {key}")
        )
    for what, key in (("exponent of the step size", "eta"), ("exponent of T", "steps")):
        seen(f"{what} prescribed minus the one that follows").equals(
            getattr(powers, f"{key}_exponent") - getattr(powers, f"derived_{key}_exponent"), 0
        )
    form = powers.activation.name

    def sizes(m: int) -> tuple[float, float, float]:
        return powers.output_weight(m), powers.radius(m), powers.tau(m)

    # With the logarithms that a sparse threshold leaves: Q(t) is m^(-c)/t, E(N - t)_+^2 a t^(-3).
    sparse = 1.0 if powers.c > 0 else 0.0
    laws: tuple[tuple[str, float, Callable[[int], float]], ...] = (
        ("active", -0.5, lambda m: m * scaling.activity(powers.tau(m), m)),
        ("flips", 0.0, lambda m: flips.expected_flips(powers.tau(m), m, powers.radius(m))),
        ("gap", 0.0, lambda m: worst_case.half_width_moments(m, *sizes(m), form).mean),
        (
            "initial_output",
            -0.75,
            lambda m: gap_parts.initial_output_std(m, powers.output_weight(m), powers.tau(m), form),
        ),
        (
            "expressivity",
            -0.5,
            lambda m: (
                powers.output_weight(m) * powers.radius(m) * m * scaling.activity(powers.tau(m), m)
            ),
        ),
    )
    for key, logs, law in laws:
        seen.far(f"{label} {key}", law, logs=sparse * logs, case=name)
    violated = exponents.CONSISTENT.violated(*_powers(name))
    seen.exact(f"conditions of Theorems 4.1, 4.3 and 4.4 that {name} violates").holds(
        not violated, ", ".join(violated) or "none", "none"
    )
    printed = exponents.CONSISTENT.violated(*_powers("PRINTED"))
    seen.control.exact("the same for the printed powers").holds(
        printed == ("gap in the ball", "lazy drift", "gap along the run"),
        ", ".join(printed) or "none",
        "gap in the ball, lazy drift, gap along the run",
    )
    look.add(seen)


@topic.check("set-r1")
def _check_r1(look: Collector, budget: Budget, rng: Rng) -> None:
    found = _slopes(budget, rng, _HALF_WIDTH, _R1)
    failing = [key for key in _PROOF_OF_41 if exponents.CHAINS[key].verdict("R1") == "fails"]
    before = [key for key in _PROOF_OF_41 if exponents.CHAINS[key].verdict() == "fails"]
    depend = [chain for chain in exponents.CHAINS.values() if any(chain.power.coefficients[1:3])]
    explained = {
        name: (
            len(exponents.explained(*_powers(name)[:2])),
            sum(chain.derived(name) == chain.printed for chain in depend),
        )
        for name in ("PRINTED", "R1", "R2")
    }
    _powers_of(look, "R1")
    look.exact(
        f"of the {len(_PROOF_OF_41)} chains of the printed proof of Theorem 4.1, those whose "
        "printed value fails with R1"
    ).holds(not failing, ", ".join(failing) or "none", "none")
    look.control.exact("those that fail with the printed powers").holds(
        len(before) == 7 and "4.1" in before, ", ".join(before) or "none", "seven, 4.1 among them"
    )
    for name, (listed, counted) in explained.items():
        look.control(
            f"printed values, of {len(depend)}, that the powers of {name} give exactly"
        ).equals(listed, counted)
    for item in found:
        _as_closed_form(look, budget, "H", item, Fraction(-3, 10))
    _agreement(look, "H", found)


def _region(look: Collector, budget: Budget) -> None:
    """Compare the regions of consistent powers with their short descriptions, on a grid."""
    parts = budget.pick(8, 24)
    values = [Fraction(k, parts) for k in range(-1, parts + 2)]
    wrong = outside = 0
    for alpha, beta, c in itertools.product(values, repeat=3):
        basic = alpha >= 0 and c >= 0 and alpha + c / 2 > 0 and alpha + beta + c <= 1
        short = basic and 3 * (alpha + c) + 4 * beta > Fraction(7, 2)
        wrong += short != exponents.CONSISTENT.contains(alpha, beta, c)
        wrong += (short and c > 0) != exponents.SPARSE.contains(alpha, beta, c)
        # The cruder proof travels m^(1 - alpha - 2 beta), whatever c is, in the same conditions.
        run = 1 - alpha - 2 * beta
        gap = Fraction(3, 2) - alpha - c
        crude = basic and run < Fraction(-1, 2) and gap - 2 * beta < 0 and gap + 2 * run < 0
        outside += crude != exponents.CRUDE.contains(alpha, beta, c)
    corners = {
        (Fraction(0), Fraction(7, 8)),
        (Fraction(0), Fraction(1)),
        (Fraction(1, 2), Fraction(1, 2)),
    }
    cut = exponents.CONSISTENT.slice_at(Fraction(1, 5))
    corners_of_slice = (
        (Fraction(0), Fraction(29, 40)),
        (Fraction(3, 10), Fraction(1, 2)),
        (Fraction(0), Fraction(4, 5)),
    )
    shadow = {(alpha + c, beta) for alpha, beta, c in exponents.CONSISTENT.vertices()}
    cells = len(values) ** 3
    look(
        f"points of a grid of {cells} at which the region and its short description differ"
    ).equals(wrong, 0)
    look.repair("the same for the cruder proof").equals(outside, 0)
    look.exact("corners of the region in (alpha + c, beta)").holds(
        shadow == corners,
        ", ".join(f"({u}, {v})" for u, v in sorted(shadow)),
        "(0, 7/8), (0, 1), (1/2, 1/2)",
    )
    look.exact("corners of the slice at c = 1/5 in (alpha, beta)").holds(
        cut == corners_of_slice,
        ", ".join(f"({u}, {v})" for u, v in cut),
        "(0, 29/40), (3/10, 1/2), (0, 4/5)",
    )
    look.exact("conditions that bound the region").holds(
        set(exponents.CONSISTENT.facets())
        == {"alpha >= 0", "c >= 0", "existence", "gap along the run"},
        ", ".join(exponents.CONSISTENT.facets()),
        "four planes",
    )


@topic.check("set-r3")
def _check_r3(look: Collector, budget: Budget, rng: Rng) -> None:
    found = _slopes(budget, rng, _HALF_WIDTH, _R3)
    sparse = exponents.SPARSE.violated(*_powers("R3"))
    alpha, beta, c = _powers("R3")
    jumping = worst_case.half_width_moments
    _powers_of(look, "R3")
    look.exact("conditions that R3 violates when o(m) neurons have to fire besides").holds(
        not sparse, ", ".join(sparse) or "none", "none"
    )
    look("alpha + beta + c").equals(alpha + beta + c, 1)
    _region(look, budget)
    _as_closed_form(look, budget, "H", found[0], _PRINTED)
    _as_closed_form(look.control, budget, "H", found[1], "0, with sqrt(log m)")
    _agreement(look, "H", found)
    look.repair.closed_form(
        "|slope| of E H with the jump instead, m = 2^200 to 2^240: it does not vanish"
    ).at_most(abs(far_slope(lambda m: jumping(m, *_sizes(_R3[1], m)).mean)), 0.005)
    look.repair.exact("distance of the run against the printed m^(-15/24)").holds(
        not exponents.PRINTED_DRIFT.holds(alpha, beta, c),
        scaling.R3.drift_exponent,
        "above -15/24: the drift of Remark C.13 has to be m^(-3/5) instead",
    )


# --------------------------------------------------------------------------------------------------
# The claims
# --------------------------------------------------------------------------------------------------


CLAIMS = topic.claims()

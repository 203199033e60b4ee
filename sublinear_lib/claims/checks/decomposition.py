r"""The parts of f - g: Definition C.4 and Claims C.5, C.6 and C.7.

``f = A + B + C``, where A - g and C have suprema over the ball that are reached by matrices, and B
is the value of the initial network.  Before changing a check, know that the identity is asked for
in fractions, and that B alone does not depend on the ball.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from flint import arb, ctx
from scipy import stats

from sublinear_lib import scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.activations import CONTINUOUS, get_activation
from sublinear_lib.claims.instruments import gaps
from sublinear_lib.claims.stated import stated
from sublinear_lib.claims.topic import Budget, Collector, Rng, Topic
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.theory import flips, gap_parts

topic = Topic("decomposition")


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
    for case in (*gaps.AS_PRINTED, *gaps.R3):
        literal = gaps.literal(rng, m, 8, case)
        of = PseudoNetwork(literal.start, literal.above.W).decompose([gaps.point(8)])
        residuals.append(abs(float(of.residual[0])))
        residuals.append(abs(float((of.gap - (of.A - of.g + of.B + of.C))[0])))
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

    form = str(rng.choice(gaps.FORMS))
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


def _part_moments(look: Collector, quantity: gaps.Quantity) -> None:
    """Compare mean and variance of a part with quadrature."""
    pairs = []
    m, a, std = 2**10, 0.3, scaling.preactivation_std(2**10)
    for t, theta, form in itertools.product((0.0, 0.2, 1.0), (0.1, 0.5), gaps.FORMS):
        law = quantity.law(m, a, theta * std, t * std, form)
        base = t if form == "jump" else 0.0
        edges = sorted({-theta, 0.0, theta, max(-base, -theta)})

        def size(v: float, theta: float = theta, base: float = base) -> float:
            return theta if quantity is gaps.MOVE else abs(base + v)

        first, second = (gaps.moment(lambda v: size(v) ** k, t, edges) for k in (1, 2))  # noqa: B023
        pairs.append((law.mean, 0.5 * a * std * m * first))
        pairs.append((law.variance, 0.25 * a**2 * std**2 * m * (second - first**2)))
    look.control.beside(f"mean and variance of the {quantity.symbol} by quadrature", pairs)


def _part(look: Collector, budget: Budget, rng: Rng, key: str, quantity: gaps.Quantity) -> None:
    """Look at the exponent of one part of f - g."""
    found = gaps.slopes(budget, rng, quantity, (*gaps.AS_PRINTED, *gaps.R1, *gaps.R2))
    gaps.printed_chain(look, key)
    for item in found[:2]:
        item.not_above(look, key)
    for case in gaps.AS_PRINTED:
        look.far(key, gaps.mean_law(quantity, case), case=case.shown)
    for item in found[:2]:
        item.as_closed_form(look.control, gaps.GROWING)
    for case in gaps.AS_PRINTED:
        what = f"the mean {quantity.symbol}, {case.shown}"
        gaps.limit(look.control, what, gaps.mean_law(quantity, case), gaps.GROWING)
    gaps.agreement(look, found)
    _part_moments(look, quantity)
    limits = (Fraction(-3, 10), Fraction(-3, 10), gaps.PRINTED, gaps.PRINTED)
    for item, limit in zip(found[2:], limits, strict=True):
        item.as_closed_form(look.repair, limit)
    gaps.chain(look.repair, key, "R1", Fraction(-3, 10))
    gaps.chain(look.repair, key, "R2", gaps.PRINTED)


def _part_witness(look: Collector, rng: Rng, budget: Budget, part: str) -> None:
    """Reach the suprema of a part by matrices, and compare with the closed forms."""
    seed, m, d = int(rng.integers(2**31)), budget.pick(2**14, 2**18), 8
    start = TwoLayerNetwork.initialize(m, d, "PRINTED", rng=seed)
    x, delta = gaps.point(d), scaling.PRINTED.radius(m)
    a, tau = start.a, start.tau
    z, fires = start.preactivations([x])[0], start.active_mask([x])[0]
    closed = gap_parts.worst_parts(z, a, delta, tau, "jump", fires)
    near = np.where(fires, z - tau < delta, z - tau > -delta)
    # What the term of a neuron gains when it is switched.
    gain = a if part == "move" else a * z * np.where(fires, -1.0, 1.0)
    reached = {}
    for sign, side in ((1.0, "above"), (-1.0, "below")):
        moved = np.where(near & (sign * gain > 0.0), np.where(fires, -delta, delta), 0.0)
        found = PseudoNetwork(start, start.W + moved[:, None] * x).decompose([x])
        value = found.A - found.g if part == "move" else found.C
        reached[side] = sign * float(value[0])
    half = 0.5 * sum(reached.values())
    seen = {f"{part}_{side}": value for side, value in reached.items()}
    seen |= {f"{part}_half_width": half, f"largest_{part}": max(reached.values())}
    miss = max(abs(value - getattr(closed, field)) for field, value in seen.items())
    name = "A - g" if part == "move" else "C"
    look.control(
        f"distance of the suprema of {name} on either side, of their mean and of the larger one, "
        f"by the network code, from the closed forms, matrices with m = {m}, d = {d}"
    ).at_most(miss, 1e-9)
    look.witness |= {
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


@topic.check("claim-c.5")
def _check_c5(look: Collector, budget: Budget, rng: Rng) -> None:
    _part(look, budget, rng, "C.5", gaps.MOVE)
    m, constant = 2**36, 10
    _, delta, tau, _ = gaps.sizes(gaps.AS_PRINTED[0], m)
    # sup |A - g| >= (a delta / 2) N, and N is binomial.
    p = flips.flip_probability(tau, m, delta)
    enough = 2.0 * constant * m ** (0.8 + stated("C.5"))
    miss = enough / m - p
    chance = -2.0 * m * miss**2 if miss < 0.0 else 0.0
    asked = math.log1p(-math.exp(-(m**0.9) / 10.0))
    look.closed_form(
        f"log of the probability of sup |A - g|(x) <= {constant} K^2 m^(-1/10), K = 1, m = 2^36 "
        "(Hoeffding)"
    ).holds(chance >= asked, chance, ">= log(1 - exp(-m^(9/10)/10))")
    _part_witness(look, rng, budget, "move")


@topic.check("claim-c.7")
def _check_c7(look: Collector, budget: Budget, rng: Rng) -> None:
    _part(look, budget, rng, "C.7", gaps.STATE)
    literal, m = look.apart(), budget.pick(2**18, 2**20)
    _part_witness(literal, rng, budget, "state")
    (z, _), delta = gaps.draw(rng, m), scaling.PRINTED.radius(m)
    for shown, tau, bearing, limit in (
        ("tau = 1/m", 1.0 / m, look.repair, 2.0),
        ("t = 1", scaling.threshold_from_standard(1.0, m), look.proof, 1.0),
    ):
        largest = float(np.abs(z[np.abs(z - tau) <= delta]).max())
        bearing.simulated(
            f"largest |z| over delta with |z - tau| <= delta, {shown}, m = {m} (Equation (12) has "
            "1)"
        ).at_most(largest / delta, limit)
        what = f"largest |z| over tau + delta there, {shown}"
        look.repair.simulated(what).at_most(largest / (tau + delta), 1.0)
    look.add(literal)


@topic.check("claim-c.6")
def _check_c6(look: Collector, budget: Budget, rng: Rng) -> None:
    widths = [2**k for k in range(8, budget.pick(13, 16))]
    seeds, draws = 20, budget.pick(80, 300)
    spread = np.empty((seeds, len(widths)))
    for column, m in enumerate(widths):
        sample = _initial_values(rng, m, seeds * draws, scaling.PRINTED.tau(m), "jump")
        spread[:, column] = sample.reshape(seeds, draws).std(axis=1, ddof=1) * m**-0.2
    shown = f"slope of the standard deviation of B, PRINTED, m = 2^8 to 2^{budget.pick(12, 15)}"
    gaps.chain(look.proof, "C.6", "PRINTED", gaps.PRINTED)
    gaps.chain(look.proof, "C.6-probability", "PRINTED", Fraction(1, 5))
    look.repair(f"{shown} (typical size)").power(widths, spread, Fraction(-1, 5), gaps.PRINTED)
    look.repair(f"{shown} (announced -3/10)").power(
        widths, spread, Fraction(-1, 5), Fraction(-3, 10)
    )
    gaps.limit(
        look.repair,
        "the standard deviation of B, PRINTED",
        lambda m: gap_parts.initial_output_std(m, m**-0.2, 1.0 / m),
        Fraction(-1, 5),
    )
    for constant in (2.0, 4.0):
        excess = max(
            _tail_of_b(m, constant) - (math.log(2.0) - constant**2 * m ** stated("C.6 rate") / 4.0)
            for m in (2**k for k in (8, 12, 20, 40, 100, 200))
        )
        look.closed_form(
            f"excess of log P(|B| >= {constant:g} m^(-1/10)) over log 2 - {constant**2 / 4:g} "
            "m^(1/5), m = 2^8 to 2^200"
        ).at_most(excess, 0.0)
    look.far("C.6 rate", lambda m: -_tail_of_b(m, 2.0))
    _moments_of_b(look, budget, rng)
    _tails_of_b(look, budget, rng)


def _tail_of_b(m: int, constant: float) -> float:
    """Return the logarithm of the bound on P(|B| >= constant m^(-1/10))."""
    level = constant * m ** stated("C.6 size")
    return gap_parts.log_initial_output_tail(level, m, m**-0.2, 1.0 / m)


def _initial_values(rng: Rng, m: int, draws: int, tau: float, form: str) -> FloatArray:
    """Draw B(x) for output weights of size 1."""
    activation = get_activation(form)
    values = np.empty(draws)
    step = max(1, 2**21 // m)
    for begin in range(0, draws, step):
        shape = (min(step, draws - begin), m)
        z = rng.standard_normal(shape) * scaling.preactivation_std(m)
        signs = gaps.signs(rng, shape)
        kept = z - (tau if activation == CONTINUOUS else 0.0)
        values[begin : begin + step] = np.where(z > tau, kept * signs, 0.0).sum(axis=1)
    return values


def _moments_of_b(look: Collector, budget: Budget, rng: Rng) -> None:
    m, draws = 64, budget.pick(8_000, 400_000)
    pairs = []
    for t in (0.0, 0.7, 2.0):
        tau = scaling.threshold_from_standard(t, m)
        for form in gaps.FORMS:
            values = _initial_values(rng, m, draws, tau, form)
            expected = gap_parts.initial_output_std(m, 1.0, tau, form)
            for what, sample, mean in (("B", values, 0.0), ("B^2", values**2, expected**2)):
                shown = f"t = {t:g}, {form}, m = {m}, |a_r| = 1, {draws} draws"
                look(f"mean of {what}, {shown}").sample(sample, mean, largest=gaps.LARGEST_Z)
            with ctx.workprec(200):
                tail, density = gaps.tail(t), gaps.density(t)
                square = (
                    tail + t * density if form == "jump" else (1 + arb(t) ** 2) * tail - t * density
                )
                pairs.append((expected, float((2 * square).sqrt())))
    look.beside("standard deviation of B by normal tails", pairs)


def _tails_of_b(look: Collector, budget: Budget, rng: Rng) -> None:
    """Compare the tails of B with their bounds, all signs of sixteen neurons at once."""
    m, trials = 16, budget.pick(5, 200)
    signs = 1.0 - 2.0 * ((np.arange(2**m)[:, None] >> np.arange(m)) & 1)
    worst = 0.0
    for _ in range(trials):
        z, _ = gaps.draw(rng, m)
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
            pairs.append((limit, gaps.best_exponent(times * size, wide, t, form)))
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

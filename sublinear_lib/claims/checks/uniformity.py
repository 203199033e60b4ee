r"""All inputs at once: Theorem A and Theorem 4.1 as repaired.

For d = 3 the set X is a circle and the suprema over it are computed exactly; the certified bounds
are taken apart and every part is computed again from an independent side.  Before changing a check,
know that the constants are proved by branch and bound, for all parameters.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Literal

import numpy as np
from scipy import stats

from sublinear_lib import adversary, geometry, scaling
from sublinear_lib.activations import CONTINUOUS
from sublinear_lib.claims.collector import sweep
from sublinear_lib.claims.instruments import gaps
from sublinear_lib.claims.topic import Budget, Collector, Rng, Topic
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.statistics import spawn
from sublinear_lib.theory import constant_suffices, flips, gap_parts, uniform_gap, worst_case

topic = Topic("uniformity")


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
    over, above, every, some = 0, 0, True, True
    for delta in range(1, 9):
        s, u = np.meshgrid(np.arange(-20, 21), np.arange(-delta, delta + 1), indexing="ij")
        before, after = s > 0, s + u > 0
        # Convexity: f - g - B is not negative for a neuron with a_r = 1.
        change = np.where(after, s + u, 0) - np.where(before, s, 0) - u * before
        limit = np.maximum(delta - np.abs(s), 0)
        over += int(np.count_nonzero((change < 0) | (change > limit)))
        # The supremum over u is the bound, for every s.
        every &= bool((change.max(axis=1) == limit[:, 0]).all())
        for tau in range(0, 13):
            z = s + tau
            change = np.where(after, z + u, 0) - np.where(before, z, 0) - u * before
            limit = np.where((s > -delta) & (s <= delta), tau + delta, 0)
            above += int(np.count_nonzero(np.abs(change) > limit))
            # Nearly reached, by a neuron that is woken from just below the threshold.
            some &= int(change.max()) == tau + delta
            rise, fall = worst_case.gap_terms(z[:, 0], float(delta), float(tau), "jump")
            above += int(np.count_nonzero(np.maximum(rise, fall) > limit[:, 0]))
    look(
        "(s, u, delta) of 41 x 17 x 8 for which 0 <= (s+u)_+ - s_+ - u 1[s>0] <= (delta - |s|)_+ "
        "fails"
    ).none(over)
    what = (
        "(s, u, delta, tau) for which the jump term exceeds tau + delta or changes off the window"
    )
    look(what).none(above)
    what = "the bound of one neuron is reached, for every s (continuous) and some s (jump)"
    look.exact(what).holds(every and some, f"{every}, {some}", "both")


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
    last: list[int] = budget.pick([], [10**6])
    return [2**k for k in range(8, budget.pick(15, 19), 2)] + last


def _uniformly(look: Collector, budget: Budget, rng: Rng) -> None:
    """Compare the exact supremum over the circle and the ball with the certified bound."""
    seeds, failure = budget.pick(4, 12), 1e-6
    powers = scaling.R3
    ratios, slack, counted, pointwise = [], [], [], []
    for m in _circle_widths(budget):
        a, delta, tau = powers.output_weight(m), powers.radius(m), powers.tau(m)
        limit, _ = _certified_at_r3(m)
        t_one = scaling.threshold_from_standard(1.0, m)
        wide = uniform_gap.certified_gap_bound(m, 3, a, delta, t_one, "jump", failure).value
        mean = worst_case.half_width_moments(m, a, delta, tau, "continuous").mean
        for own in spawn(rng, seeds):
            network = TwoLayerNetwork.initialize(m, 3, powers, rng=own)
            largest, upper = _exact_suprema(network, delta, centered=True)
            ratios.append(upper / limit)
            slack.append(largest / mean)
            gap = worst_case.worst_gap_at(network, gaps.point(3), delta)
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
            gaps.moment(lambda v: (std * height(v)) ** k, t, edges)  # noqa: B023
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
    look.beside("mean, variance and largest term of the certified bound, by quadrature", moments)
    look.beside("failure probability of Bernstein's inequality at the deviation", tails)
    look.beside("size of the net, (1 + sqrt(3)/nu)^(d-1)", nets)
    look.beside("the bound, as the sum of mean, deviation and mesh", sums)
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
    what = "points of a separated set on the circle over the bound, d = 3"
    look.control(what).at_most(worst, 1.0)


def _constants_of_theorem_a(look: Collector) -> None:
    """Prove the constants for all parameters, and look how near a search on the boundary comes."""
    largest = {form: 0.0 for form in gaps.FORMS}
    for t, d in product(np.linspace(0.0, 14.0, 57).tolist(), (2, 3, 8, 32, 128)):
        theta = min(1.0, 1.0 / t) if t else 1.0
        density = math.exp(-t * t / 2.0) / math.sqrt(2.0 * math.pi)
        # The smallest width that the hypothesis allows; beyond, m^-d would underflow.
        m = 2
        while math.sqrt(2.0) * m * density * theta < 4.0 * d * math.log(m):
            m += m // 16 + 1
        if d * math.log(m) > 690.0:
            continue
        std = scaling.preactivation_std(m)
        given = m, d, 1.0, theta * std, t * std
        for form in gaps.FORMS:
            found = uniform_gap.certified_gap_bound(*given, form, float(m) ** -d).value
            size = uniform_gap.thin_window_size(m, *given[2:], form)
            largest[form] = max(largest[form], found / size)
    size_of = []
    for form, (m, delta, tau) in product(gaps.FORMS, ((100, 0.03, 0.2), (2**20, 1e-4, 0.0))):
        size = 2.0 * m**1.5 * delta * (delta + (tau if form == "jump" else 0.0))
        size *= stats.norm.pdf(tau * math.sqrt(m / 2))
        size_of.append((uniform_gap.thin_window_size(m, 2.0, delta, tau, form), size))
    proved: dict[str, tuple[Literal["gap, continuous", "gap, jump"], float]]
    proved = {"continuous": ("gap, continuous", 2.0), "jump": ("gap, jump", 5.0)}
    for form, (part, limit) in proved.items():
        what = f"constant of the {form} activation, all m, d, t and delta (branch and bound)"
        look.certified(what).holds(constant_suffices(part, limit), limit, "proved to suffice")
    for form, (_, limit) in proved.items():
        what = f"largest ratio found where t theta = 1 at the least width, {form}"
        look.control.closed_form(what).at_most(largest[form], limit)
    look.beside("stated size, by scipy's density", size_of)


def _far_of_theorem_a(look: Collector) -> None:
    """Ask the certified bounds over the radius for the power of m, at both thresholds."""
    for rule in (scaling.ONE_OVER_M, scaling.SPARSE_C):
        for form in gaps.FORMS:

            def over_size(m: int, rule: scaling.TauRule = rule, form: str = form) -> float:
                delta, tau = scaling.R3.radius(m), rule.tau(m, c=Fraction(1, 5))
                density = math.exp(-(tau**2) * m / 4.0)
                size = density * delta * (delta + (tau if form == "jump" else 0.0))
                most = uniform_gap.certified_gap_bound(m, 3, 1.0, delta, tau, form, 1e-6)
                return most.value / size

            look.far(f"A {form}", over_size, case=f"tau = {rule.label}")


@topic.check("thm-4.1-r")
def _check_41r(look: Collector, budget: Budget, rng: Rng) -> None:
    found = gaps.slopes(budget, rng, gaps.HALF_WIDTH, gaps.R3[:1])[0]
    powers, seeds, widths = scaling.R3, 16, _circle_widths(budget)
    bounds = {m: _certified_at_r3(m) for m in widths}

    def suprema(own: Rng, m: int) -> tuple[float, float, float]:
        network = TwoLayerNetwork.initialize(m, 3, powers, rng=own)
        largest, upper = _exact_suprema(network, powers.radius(m), centered=False)
        ends = adversary.CircleWave.of_network(network).extremes(0.0, math.pi)
        gap, first = bounds[m]
        return largest, upper / (gap + first), max(ends.upper, -ends.lower) / first

    # Every width has its own streams.
    columns = [sweep(spawn(rng, seeds), [m], suprema) for m in widths]
    table, ratios, starts = np.concatenate(columns, axis=2)
    shown = f"m = 2^8 to {budget.pick('2^14', '10^6')}, {seeds} seeds each"
    look("exponent of the gap, R3, continuous activation").equals(powers.gap_exponent, gaps.PRINTED)
    look("exponent of B, R3").equals(powers.initial_output_exponent, Fraction(-3, 10))
    found.as_closed_form(look, gaps.PRINTED)
    gaps.agreement(look, [found])
    look.far("4.1-r gap", lambda m: _certified_at_r3(m)[0])
    a, tau = powers.output_weight, powers.tau
    look.far(
        "4.1-r start",
        lambda m: gap_parts.initial_output_std(m, a(m), tau(m), CONTINUOUS),
        logs=-0.75,
    )
    look(
        "exact sup over X and the ball of |f - g| over the certified bound (failure 2 10^-6), R3, "
        f"d = 3, {shown}"
    ).at_most(ratios.max(), 1.0)
    look(f"exact sup over X of |B| over its certified bound, {shown}").at_most(starts.max(), 1.0)
    look.simulated(f"slope of the exact sup over X and the ball of |f - g|, {shown}").power_below(
        widths, table, 0.0, "negative, 1/10 excluded"
    )
    _constants_of_41r(look)
    _certificate_of_b(look)


def _certified_at_r3(m: int, d: int = 3, failure: float = 1e-6) -> tuple[float, float]:
    """Return the certified bounds on |f - g - B| and on |B|."""
    a, delta, tau = scaling.R3.output_weight(m), scaling.R3.radius(m), scaling.R3.tau(m)
    gap = uniform_gap.certified_gap_bound(m, d, a, delta, tau, CONTINUOUS, failure)
    return gap.value, uniform_gap.certified_initial_bound(m, d, a, tau, failure).value


def _certificate_of_b(look: Collector) -> None:
    """Recompute the parts of the certified bound on B from an independent side."""
    tails, nets, sizes = [], [], []
    for m, d, t, failure in ((2**10, 3, 1.0, 1e-3), (2**14, 8, 2.0, 1e-6)):
        found = uniform_gap.certified_initial_bound(
            m, d, 0.3, scaling.threshold_from_standard(t, m), failure
        )
        limit = gaps.best_exponent(found.deviation / 0.3, m, t, "continuous")
        tails.append((limit + found.log_net, math.log(failure / 2)))
        nets.append((math.exp(found.log_net / (d - 1)), 1.0 + math.sqrt(3.0) / found.spacing))
        square = gaps.moment(lambda v: v * v, t, (0.0, 2.0, 12.0))
        sizes.append((found.variance, 2.0 * 0.3**2 * square))
        sizes.append((found.value, found.deviation + found.mesh))
        sizes.append((found.mesh, 0.3 * _span(m, d, failure) * found.spacing))
    look(
        "largest difference of the logarithm of the failure probability over the net, bound on B"
    ).at_most(max(abs(one - other) for one, other in tails), 1e-4)
    look.beside("size of that net", nets)
    look.beside("variance of B and change between points of the net", sizes)


def _span(m: int, d: int, failure: float) -> float:
    """Return sqrt of the bound on a chi-square variable with m (d - 1) degrees of freedom."""
    freedom, rate = m * (d - 1), math.log(2.0 / failure)
    return math.sqrt(freedom + 2.0 * math.sqrt(freedom * rate) + 2.0 * rate)


def _constants_of_41r(look: Collector) -> None:
    """Evaluate the certified bounds of R3 at every width, with the constants of the theorem."""
    bounds, starts = [], []
    for m, d in product((2**16, 2**20, 2**30, 2**40, 2**80), (2, 3, 8)):
        gap, first = _certified_at_r3(m, d, float(m) ** -d)
        bounds.append(gap / m**-0.1)
        starts.append(first / (math.sqrt(d * math.log(m)) * m**-0.3))
    look(
        "certified bound on |f - g - B| over K^2 m^(-1/10), K = 1, failure m^-d, d = 2, 3, 8, m = "
        "2^16 to 2^80"
    ).at_most(max(bounds), 2.0)
    look("certified bound on |B| over sqrt(d log m) m^(-3/10), same cells").at_most(
        max(starts), 2.0
    )

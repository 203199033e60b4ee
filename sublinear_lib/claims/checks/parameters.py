r"""The sets of parameters R1, R2 and R3: powers that go together.

Before changing a check, know that the exponents are sums of fractions, which have to be those that
are stated, and that the closed forms are asked for the same powers far out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from sublinear_lib import scaling
from sublinear_lib.claims.instruments import descents, gaps
from sublinear_lib.claims.stated import STATED, far_slope, stated_power
from sublinear_lib.claims.topic import Budget, Collector, Rng, Topic
from sublinear_lib.scaling import R1, R2, R3
from sublinear_lib.theory import (
    CHAINS,
    PRINTED_DRIFT,
    PRINTED_STEPS,
    exponents,
    flips,
    gap_parts,
)

topic = Topic("parameters")

# --------------------------------------------------------------------------------------------------
# The parameter sets R1 and R3
# --------------------------------------------------------------------------------------------------

_KEYS = [key.removeprefix("set-r1 ") for key in STATED if key.startswith("set-r1 ")]
_PROOF_OF_41 = """
    C.2-probability C.2 C.5 C.6 C.6-probability C.7 4.1 C.9-moves C.9-f-moves C.9-f-initial
    C.9-f-jump C.9-g-moves C.9-flips C.9-g-flips C.12-coupling
"""


def _powers_of(look: Collector, name: str) -> None:
    """Compare the exponents of a set with the stated ones, and with closed forms."""
    powers, label = scaling.get_scaling(name), f"set-{name.lower()}"
    for key in _KEYS:
        look(f"exponent of m, {STATED[f'{label} {key}'].what}, {name}").equals(
            getattr(powers, f"{key}_exponent"), stated_power(f"{label} {key}")
        )
    for what, key in (("exponent of the step size", "eta"), ("exponent of T", "steps")):
        look(f"{what} prescribed minus the one that follows").equals(
            getattr(powers, f"{key}_exponent") - getattr(powers, f"derived_{key}_exponent"), 0
        )
    a, delta, tau, form = powers.output_weight, powers.radius, powers.tau, powers.activation.name

    def active(m: int) -> float:
        return m * scaling.activity(tau(m), m)

    # With the logarithms that a sparse threshold leaves: Q(t) is m^(-c)/t, E(N - t)_+^2 a t^(-3).
    sparse = 1.0 if powers.c > 0 else 0.0
    laws: tuple[tuple[str, float, Callable[[int], float]], ...] = (
        ("active", -0.5, active),
        ("flips", 0.0, lambda m: flips.expected_flips(tau(m), m, delta(m))),
        ("gap", 0.0, gaps.mean_law(gaps.HALF_WIDTH, gaps.Case(name, form, gaps.PRINTED))),
        ("initial_output", -0.75, lambda m: gap_parts.initial_output_std(m, a(m), tau(m), form)),
        ("expressivity", -0.5, lambda m: a(m) * delta(m) * active(m)),
    )
    for key, logs, law in laws:
        look.far(f"{label} {key}", law, logs=sparse * logs, case=name)
    violated = exponents.CONSISTENT.violated(*gaps.powers_of(name))
    look.exact(f"conditions of Theorems 4.1, 4.3 and 4.4 that {name} violates").empty(violated)
    printed = exponents.CONSISTENT.violated(*gaps.powers_of("PRINTED"))
    look.control.exact("the same for the printed powers").reads(
        ", ".join(printed) or "none", "gap in the ball, lazy drift, gap along the run"
    )


@topic.check("set-r1")
def _check_r1(look: Collector, budget: Budget, rng: Rng) -> None:
    found = gaps.slopes(budget, rng, gaps.HALF_WIDTH, gaps.R1)
    proof = {key: exponents.CHAINS[key] for key in _PROOF_OF_41.split()}
    failing = [key for key, chain in proof.items() if chain.verdict("R1") == "fails"]
    before = [key for key, chain in proof.items() if chain.verdict() == "fails"]
    depend = [chain for chain in exponents.CHAINS.values() if any(chain.power.coefficients[1:3])]
    _powers_of(look, "R1")
    look.exact(
        f"of the {len(proof)} chains of the printed proof of Theorem 4.1, those whose "
        "printed value fails with R1"
    ).empty(failing)
    look.control.exact("those that fail with the printed powers").holds(
        len(before) == 7 and "4.1" in before, ", ".join(before) or "none", "seven, 4.1 among them"
    )
    for name in ("PRINTED", "R1", "R2"):
        counted = sum(chain.derived(name) == chain.printed for chain in depend)
        what = f"printed values, of {len(depend)}, that the powers of {name} give exactly"
        look.control(what).equals(len(exponents.explained(*gaps.powers_of(name)[:2])), counted)
    for item in found:
        item.as_closed_form(look, Fraction(-3, 10))
    gaps.agreement(look, found)


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
    cut = exponents.CONSISTENT.slice_at(Fraction(1, 5))
    shadow = {(alpha + c, beta) for alpha, beta, c in exponents.CONSISTENT.vertices()}
    cells = len(values) ** 3
    look(f"points of a grid of {cells} at which the region and its short description differ").none(
        wrong
    )
    look.repair("the same for the cruder proof").none(outside)
    look.exact("corners of the region in (alpha + c, beta)").reads(
        ", ".join(f"({u}, {v})" for u, v in sorted(shadow)), "(0, 7/8), (0, 1), (1/2, 1/2)"
    )
    look.exact("corners of the slice at c = 1/5 in (alpha, beta)").reads(
        ", ".join(f"({u}, {v})" for u, v in cut), "(0, 29/40), (3/10, 1/2), (0, 4/5)"
    )
    look.exact("conditions that bound the region").holds(
        set(exponents.CONSISTENT.facets())
        == {"alpha >= 0", "c >= 0", "existence", "gap along the run"},
        ", ".join(exponents.CONSISTENT.facets()),
        "four planes",
    )


@topic.check("set-r3")
def _check_r3(look: Collector, budget: Budget, rng: Rng) -> None:
    found = gaps.slopes(budget, rng, gaps.HALF_WIDTH, gaps.R3)
    alpha, beta, c = gaps.powers_of("R3")
    sparse = exponents.SPARSE.violated(alpha, beta, c)
    _powers_of(look, "R3")
    look.exact("conditions that R3 violates when o(m) neurons have to fire besides").empty(sparse)
    look("alpha + beta + c").equals(alpha + beta + c, 1)
    _region(look, budget)
    found[0].as_closed_form(look, gaps.PRINTED)
    found[1].as_closed_form(look.control, "0, with sqrt(log m)")
    gaps.agreement(look, found)
    look.repair.closed_form(
        "|slope| of E H with the jump instead, m = 2^200 to 2^240: it does not vanish"
    ).at_most(abs(far_slope(gaps.mean_law(gaps.HALF_WIDTH, gaps.R3[1]))), 0.005)
    look.repair.exact("distance of the run against the printed m^(-15/24)").holds(
        not exponents.PRINTED_DRIFT.holds(alpha, beta, c),
        scaling.R3.drift_exponent,
        "above -15/24: the drift of Remark C.13 has to be m^(-3/5) instead",
    )


# --------------------------------------------------------------------------------------------------
# The claims
# --------------------------------------------------------------------------------------------------


_KEPT_BY_R2 = """
    C.2 C.5 C.6 C.7 4.1 C.9-f-moves C.9-f-initial C.9-f-jump C.9-g-moves C.9-g-flips C.14
    C.12-gradient C.12-regret 4.3 C.12-distance C.12-coupling B.9
"""


@topic.check("set-r2")
def _check_r2(look: Collector, budget: Budget, rng: Rng) -> None:
    point = gaps.powers_of("R2")
    widths, seeds = descents.widths(8, budget.pick(14, 18)), 10
    runs = descents.runs(R2, widths, seeds, rng, label=1.0)
    allowed = np.array([m ** float(CHAINS["C.13"].printed) for m in widths])
    largest = np.array(
        [
            R2.eta(m, descents.EPSILON) * R2.steps(m, 1.0, descents.EPSILON) * R2.output_weight(m)
            for m in widths
        ]
    )
    size = R2.coupling_exponent - max(R2.drift_exponent, -R2.beta)
    leftovers = (CHAINS["C.12-31/150"], CHAINS["C.12-29/150"])
    fitting = sum(chain.verdict(rules) != "fails" for chain in leftovers for rules in (R1, R2, R3))
    for key in _KEPT_BY_R2.split():
        descents.chain(look, key, R2)
    descents.powers(look, R2)
    look.control(
        "sets among R1, R2, R3 with a coupling times distance of m^(31/150) or m^(-29/150)"
    ).none(fitting)
    look.exact("T = Theta(K^2/epsilon^2) is enough").holds(
        PRINTED_STEPS.holds(*point), str(PRINTED_STEPS.holds(*point)), "True"
    )
    look("exponent of the distance eta T |a_r|").equals(
        R2.drift_exponent, stated_power("set-r2 drift")
    )
    look.exact("distance within the printed m^(-15/24)").holds(
        not PRINTED_DRIFT.holds(*point),
        str(PRINTED_DRIFT.holds(*point)),
        "False: 15/24 has to become 3/5",
    )
    look("exponent of the flips over that distance, in place of 7/8").equals(
        size + R2.alpha, stated_power("set-r2 flips")
    )
    look("exponent of the coupling over that distance, in place of 27/50").equals(
        size, stated_power("set-r2 coupling")
    )
    look.far("set-r2 coupling", descents.coupling_over(R2, 0.6))
    look.far("set-r2 flips", lambda m: descents.coupling_over(R2, 0.6)(m) / R2.output_weight(m))
    what = f"slope of the average loss, n = 1, d = 2, m = 2^8 to {widths[-1]}, {seeds} seeds"
    descents.bounded(look, what, widths, runs.average)
    look.simulated(f"smallest D_max / m^(-15/24) over all {seeds * len(widths)} runs").at_least(
        (runs.drift / allowed).min(), 1.0
    )
    look("largest D_max / (eta T |a_r|) over all runs").at_most(
        (runs.drift / largest).max(), 1.0 + descents.ROUNDING
    )

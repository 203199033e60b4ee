"""What the stored evidence says about single claims, and what parts of a check say by themselves.

``test_ledger_of_the_paper`` holds the evidence to be of the code as it is.
"""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from sublinear_lib import geometry
from sublinear_lib.claims import LEDGER, Budget, Method, Outcome, Role
from sublinear_lib.claims.collector import Collector
from sublinear_lib.claims.instruments import gaps, races
from sublinear_lib.memorization import datasets
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.statistics import Interval
from sublinear_lib.theory import orders, uniform_gap, worst_case
from tests.claims.stored import QUICK
from tests.claims.test_planted_errors import plant_factor

YES, NO, OPEN = Outcome.YES, Outcome.NO, Outcome.OPEN


def wrong(name):
    """Return what was not found as asked for."""
    return [item for item in QUICK[name].observations if item.outcome is not YES]


def slopes(name):
    return [item.found for item in QUICK[name].observations if isinstance(item.found, Interval)]


def test_the_failing_adversary_has_a_witness_that_shows_it_again():
    seen = QUICK["def-3.3"].witness
    again = TwoLayerNetwork(seen["W"], seen["a"], seen["b"], seen["tau"])
    cap = geometry.Cap(np.array(seen["x"]), seen["rho"])
    values = again.forward(cap.random(2_000, 0))
    assert values.max() < seen["sup"]
    assert seen["value_at_x"] == pytest.approx(seen["sup"] - 0.5)


def test_the_witness_of_theorem_41_can_be_seen_again():
    witness = QUICK["thm-4.1"].witness
    m, d = witness["m"], witness["d"]
    network = TwoLayerNetwork.initialize(m, d, "PRINTED", rng=witness["seed"])
    x = [3**0.5 / 2, *[0.0] * (d - 2), 0.5]
    weights = [worst_case.worst_weights(network, x, m**-0.6, side).W for side in ("above", "below")]
    above, below = (float(PseudoNetwork(network, W).decompose([x]).gap[0]) for W in weights)
    names = ("sup (f - g)(x)", "sup (g - f)(x)", "half-width H(x)")
    for name, value in zip(names, (above, -below, (above - below) / 2), strict=True):
        assert witness[name] == pytest.approx(value), name


def test_the_witness_of_lemma_42_shows_the_failure_again():
    seen = QUICK["lem-4.2"].witness
    m, number = seen["m"], seen["flips that break (4) with constant 1"]
    chance = 2.0 / math.pi * math.asin(1.0 / (m * math.sqrt(8.0)))  # of a flip, tau = 0
    log = stats.binom.logsf(number - 1, m, chance)
    assert log == pytest.approx(seen["log of their probability, at least"], rel=1e-4)
    assert log > 0.3 * seen["minus m^(1/2)"]


def test_the_witness_of_lemma_45_shows_the_failure_again():
    seen = QUICK["lem-4.5"].witness
    m, K = seen["m"], seen["K"]
    assert seen["Q_0 over m"] == pytest.approx(2 * math.exp(-(K**2) / (4 * m**0.2)), abs=1e-6)
    smallest = math.sqrt(4 * math.log(2) * m**0.2)
    assert seen["smallest K with Q_0 <= m"] == pytest.approx(smallest, abs=1e-4)
    outside = 2 * stats.norm.sf(1.49)
    assert seen["share of psi in the other reading"] == pytest.approx(1 - outside, abs=1e-4)


def test_other_witnesses_show_the_failures():
    names = ("lem-a.5", "lem-a.8", "lem-b.2", "eq-25")
    wedge, tail, damaged, fall = (QUICK[name].witness for name in names)
    assert wedge["probability"] < wedge["printed lower bound"]
    assert tail["probability"] > 1e4 * tail["printed bound"]
    assert damaged["probability"] > 1.2 * damaged["exp(-t)"]
    assert fall["tau"] == fall["k"] ** -0.5 and fall["mean"] > 1.0 > 1000 * fall["tau"]
    cross = QUICK["rem-ii.1"].witness
    X, y = np.array(cross["points"]), np.array(cross["labels"])
    assert datasets.separation(X, y) == 1.0
    assert sorted(map(tuple, X[y == 1.0])) == [(-1.0, 0.0), (0.0, -1.0), (0.0, 1.0), (1.0, 0.0)]


@pytest.mark.parametrize("name", ["thm-a.2", "lem-b.4", "eq-25", "claim-4.6"])
def test_only_the_letters_fail_where_a_misprint_is_recorded(name):
    assert [item.role for item in wrong(name)] == [Role.PRINT] * (2 if name == "eq-25" else 1)


def test_only_a_letter_of_claim_46_is_wrong_and_only_the_probability_of_lemma_42():
    assert "indicator" in wrong("claim-4.6")[0].what
    seen = QUICK["claim-4.6"].witness
    direct = stats.binom.logpmf(0, seen["m"], seen["probability of a flip"])
    assert seen["log Pr[no neuron flips]"] == pytest.approx(direct, rel=1e-6)
    found = [item.what for item in wrong("lem-4.2") if item.role is Role.STATEMENT]
    asked = ["-log Pr", "-log Pr", "-log of the chance that (4) fails"]
    assert all(part in what for part, what in zip(asked, found, strict=True))


def test_slopes_exclude_their_rivals():
    assert len(slopes("claim-4.6")) == 2  # one point, two points
    assert all(slope.excludes(0.9) and slope.excludes(0.85) for slope in slopes("claim-4.6"))
    (slope,) = slopes("lem-4.2")
    assert slope.contains(0.092) and slope.excludes(-0.2) and slope.excludes(0.0)
    named = [item for item in QUICK["thm-4.1"].observations if item.what.startswith("slope of H")]
    assert len(named) == 10 and {item.method for item in named} == {Method.MONTE_CARLO}
    assert all("excludes" in item.asked or ", below " in item.asked for item in named)


def test_what_is_cited_or_attacked_is_told_apart_from_what_is_proved():
    for name in ("thm-ii.4.8", "prop-iii.1"):
        stated = [item for item in QUICK[name].observations if item.role is Role.STATEMENT]
        assert {Method.EXACT, Method.CERTIFIED} <= {item.method for item in stated}
    stated = [item.what for item in QUICK["thm-ii.4.8"].observations if item.role is Role.STATEMENT]
    assert not any("attack" in what for what in stated), "an attack that finds nothing"
    found = QUICK["cor-5.2"].observations
    assert [item.method for item in found if item.role is Role.STATEMENT] == [Method.CITED]
    assert any(item.role is Role.CONTROL for item in found)
    cited = [item for item in QUICK["thm-ii.4.1"].observations if item.method is Method.CITED]
    assert len(cited) == 1 and "NP-complete" in str(cited[0].found)


@pytest.mark.parametrize("key", ["4.1", "C.5", "C.7"])
@pytest.mark.parametrize(("more", "outcome"), [(-1, YES), (-2, YES), (Fraction(-1, 2), NO)])
def test_a_printed_bound_is_kept_by_every_smaller_exponent(monkeypatch, key, more, outcome):
    plant_factor(monkeypatch, key, Fraction(more) / 5)
    look = Collector()
    gaps.printed_chain(look, key)
    assert look.observations[0].outcome is outcome


def test_a_bound_that_is_too_small_is_exceeded(monkeypatch):
    original = uniform_gap.certified_gap_bound

    def small(*args, **words):
        found = original(*args, **words)
        return replace(found, mean=0.1 * found.mean, deviation=0.0)

    monkeypatch.setattr(uniform_gap, "certified_gap_bound", small)
    found = LEDGER["thm-a"].run(Budget.QUICK, 0).observations
    assert any(item.what.startswith("exact sup over X") and item.outcome is NO for item in found)


def test_a_wrong_ledger_does_not_hide_the_missing_factor(monkeypatch):
    monkeypatch.setattr(orders, "corrected_orders", orders.printed_orders)
    found = LEDGER["rem-c.17"].run(Budget.QUICK, 0).observations
    assert [item.outcome for item in found if item.role is Role.REPAIR] == [NO]


def test_the_lift_is_exact_on_dyadic_numbers(monkeypatch):
    right = geometry.lift
    monkeypatch.setattr(geometry, "lift", lambda W, b: right(W, 1.01 * b))
    found = LEDGER["lem-5.3"].run(Budget.QUICK, 0).observations
    assert [item.outcome for item in found if item.what.startswith("lifted points")] == [NO]


SEEDS = [(12, 12, YES), (1, 4, OPEN), (4, 12, OPEN), (0, 12, NO)]


@pytest.mark.parametrize(("yes", "of", "outcome"), SEEDS)
def test_few_seeds_that_cannot_decide_are_set_aside_and_many_leave_it_open(yes, of, outcome):
    aside = Role.ASIDE if outcome is OPEN else Role.STATEMENT
    for budget, role in ((Budget.QUICK, aside), (Budget.FULL, Role.STATEMENT)):
        look = Collector()
        races.Seeds(look, budget).most("something happens", [True] * yes + [False] * (of - yes))
        assert (look.observations[0].outcome, look.observations[0].role) == (outcome, role)


@pytest.mark.parametrize("budget", list(Budget))
def test_one_seed_decides_nothing_about_a_mean(budget):
    look = Collector()
    for values in ([0.99], [0.99] * 3, [0.1] * 3):
        races.Seeds(look, budget).average("a share", values, 0.5)
    assert [item.outcome for item in look.observations] == [OPEN, YES, NO]

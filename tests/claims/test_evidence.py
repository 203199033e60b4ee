"""Verdicts follow from observations by one rule."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from sublinear_lib.claims import Method, Observation, Outcome, Role, Verdict, judge
from sublinear_lib.claims.collector import SURE, Collector, sweep, sweep_by_width
from sublinear_lib.claims.evidence import Findings
from sublinear_lib.statistics import Interval


def seen(role, outcome, method=Method.EXACT):
    return Observation("what", 1, "asked", outcome, method, role)


STATEMENT, PRINT, PROOF = Role.STATEMENT, Role.PRINT, Role.PROOF
CONTROL, REPAIR = Role.CONTROL, Role.REPAIR
FOUR = "0.1, within 4 standard errors"
YES, NO, OPEN = Outcome.YES, Outcome.NO, Outcome.OPEN


@pytest.mark.parametrize(
    ("observations", "verdict"),
    [
        ([seen(STATEMENT, YES)], Verdict.HOLDS),
        ([seen(STATEMENT, YES), seen(STATEMENT, NO)], Verdict.FAILS),
        ([seen(STATEMENT, YES), seen(PROOF, NO)], Verdict.GAP),
        ([seen(STATEMENT, NO), seen(PROOF, NO)], Verdict.FAILS),
        ([seen(STATEMENT, YES), seen(PRINT, NO), seen(PROOF, NO)], Verdict.TYPO),
        ([seen(STATEMENT, OPEN)], Verdict.UNDECIDED),
        ([seen(STATEMENT, OPEN), seen(STATEMENT, NO)], Verdict.FAILS),
        ([seen(STATEMENT, YES), seen(PROOF, OPEN)], Verdict.UNDECIDED),
        ([seen(STATEMENT, YES), seen(CONTROL, NO)], Verdict.UNDECIDED),
        ([seen(STATEMENT, NO), seen(CONTROL, NO)], Verdict.UNDECIDED),
        ([seen(STATEMENT, NO), seen(CONTROL, OPEN)], Verdict.UNDECIDED),
        ([seen(STATEMENT, NO), seen(REPAIR, YES)], Verdict.FAILS),
        ([seen(STATEMENT, YES), seen(REPAIR, NO)], Verdict.HOLDS),
        ([seen(STATEMENT, YES, Method.CITED)], Verdict.CITED),
        ([seen(STATEMENT, YES, Method.CITED), seen(STATEMENT, YES)], Verdict.HOLDS),
        ([seen(STATEMENT, YES, Method.CITED), seen(PROOF, NO)], Verdict.GAP),
    ],
)
def test_the_verdict_follows_from_the_observations(observations, verdict):
    assert judge(observations) is verdict
    assert judge(reversed(observations)) is verdict


def test_a_repaired_statement_holds_as_repaired_and_a_verdict_needs_the_statement():
    assert judge([seen(STATEMENT, YES)], repaired=True) is Verdict.REPAIRED
    assert judge([seen(STATEMENT, NO)], repaired=True) is Verdict.FAILS
    with pytest.raises(ValueError, match="STATEMENT"):
        judge([seen(PROOF, NO)])
    with pytest.raises(ValueError, match="must not be empty"):
        Findings([])


def noted(verb, *given, look=None, **more):
    """Return what a verb of the collector notes."""
    look = Collector() if look is None else look
    getattr(look("what"), verb)(*given, **more)
    return look.observations[-1]


TENTH = Fraction(1, 10)


@pytest.mark.parametrize(
    ("ends", "at_most", "outcome"),
    [
        ((0.09, 0.11), False, YES),
        ((0.11, 0.12), False, NO),
        ((-0.2, 0.2), False, OPEN),
        ((-0.11, -0.09), False, NO),
        # An upper bound of -1/10 is kept by every smaller slope.
        ((-0.11, -0.09), True, YES),
        ((-0.35, -0.25), True, YES),
        ((-0.1, 0.09), True, YES),
        ((-0.2, 0.2), True, OPEN),
        ((-0.1, 0.1), True, OPEN),
        ((-0.09, 0.0), True, NO),
        ((0.05, 0.2), True, NO),
    ],
)
def test_a_slope_must_keep_the_exponent_and_exclude_the_rival(ends, at_most, outcome):
    slope, sign = Interval(sum(ends) / 2, *ends, 0.95), -1 if at_most else 1
    found = noted("slope", slope, sign * TENTH, -sign * TENTH, at_most=at_most)
    asked = "not above -1/10, below 1/10" if at_most else "contains 1/10, excludes -1/10"
    assert (found.outcome, found.asked) == (outcome, asked)


THIRD = Fraction(1, 3)


@pytest.mark.parametrize(
    ("verb", "given", "outcome", "found", "asked", "method"),
    [
        ("at_most", (1.0, 1.0), YES, 1.0, "<= 1", Method.COMPUTED),
        ("at_most", (1.1, 1.0), NO, 1.1, "<= 1", Method.COMPUTED),
        ("at_least", (1.0, 1.0), YES, 1.0, ">= 1", Method.COMPUTED),
        ("at_least", (0.9, 1.0), NO, 0.9, ">= 1", Method.COMPUTED),
        ("equals", (THIRD, Fraction(2, 6)), YES, THIRD, "= 1/3", Method.EXACT),
        ("equals", (THIRD, Fraction(333, 1000)), NO, THIRD, "= 333/1000", Method.EXACT),
        ("none", (np.int64(0),), YES, 0, "= 0", Method.EXACT),
        ("none", (2,), NO, 2, "= 0", Method.EXACT),
        ("every", ([True, True],), YES, "2 of 2", "all", Method.EXACT),
        ("every", ([True, False],), NO, "1 of 2", "all", Method.EXACT),
        ("mean", (0.139, 0.01, 0.1), YES, "0.139 (z = +3.90)", FOUR, Method.MONTE_CARLO),
        ("mean", (0.061, 0.01, 0.1), YES, "0.061 (z = -3.90)", FOUR, Method.MONTE_CARLO),
        ("mean", (0.141, 0.01, 0.1), NO, "0.141 (z = +4.10)", FOUR, Method.MONTE_CARLO),
        ("mean", (0.0, 0.01, 0.1), NO, "0 (z = -10.00)", FOUR, Method.MONTE_CARLO),
        ("binomial", (0.16, 0.1, 100), YES, "0.16 (z = +2.00)", FOUR, Method.MONTE_CARLO),
        ("binomial", (0.04, 0.1, 100), YES, "0.04 (z = -2.00)", FOUR, Method.MONTE_CARLO),
        ("binomial", (2.5, 0.1, 1, 5), NO, "2.5 (z = +7.67)", FOUR, Method.MONTE_CARLO),
        ("sample", (np.array([0.1, 2.1]), 0.1), YES, "1.1 (z = +1.00)", FOUR, Method.MONTE_CARLO),
        ("close", ([(1.5, 1.0), (3.0, 4.0)], 0.5), YES, 0.5, "<= 0.5", Method.COMPUTED),
        ("close", ([(3.0, 4.0)], 0.2), NO, 0.25, "<= 0.2", Method.COMPUTED),
    ],
)
def test_a_verb_notes_what_was_found_and_asked_for(verb, given, outcome, found, asked, method):
    assert noted(verb, *given) == Observation("what", found, asked, outcome, method)
    control = noted(verb, *given, look=Collector().control.certified)
    assert control == Observation("what", found, asked, outcome, Method.CERTIFIED, CONTROL)


@pytest.mark.parametrize(
    ("ratio", "relation", "outcome", "shown"),
    [
        (0.5, "<=", YES, "2 of 2 hold, the closest at 0.5"),
        (0.5, ">=", NO, "1 of 2 hold, the closest at 2 of"),
    ],
)
def test_inequalities_say_how_many_hold_and_how_close_they_are(ratio, relation, outcome, shown):
    holds = (ratio <= 1.0) == (relation == "<=")
    other = SimpleNamespace(holds=True, ratio=0.25, relation="<=")
    one = SimpleNamespace(holds=holds, ratio=ratio, relation=relation)
    found = noted("all_hold", [one, other], look=Collector().certified)
    assert found.outcome is outcome and str(found.found).startswith(shown)


def test_a_measured_power_is_compared_with_that_of_a_closed_form():
    widths = [2**k for k in range(4, 10)]
    drawn = np.random.default_rng(0).normal(1.0, 0.02, (8, 6)) * np.sqrt(widths)
    found = noted("power", widths, drawn, [3.0 * m**0.5 for m in widths], 1.0)
    assert (found.outcome, found.asked) == (YES, "contains 0.5, excludes 1.0")
    assert isinstance(found.found, Interval) and found.found.confidence == SURE
    assert noted("power", widths, drawn, 0.6, 0.5).outcome is NO
    assert noted("power", widths, drawn, 0.5, 0.7, at_most=True).asked == "not above 0.5, below 0.7"
    for limit, outcome in ((0.6, YES), (0.5, NO)):
        look = Collector().simulated
        assert noted("power_below", widths, drawn, limit, "x", look=look).outcome is outcome


def test_a_sweep_has_a_row_for_each_seed_and_a_table_for_each_number():
    streams = [1, 2]
    assert sweep(streams, [10, 20], lambda own, m: own * m).tolist() == [[10, 20], [20, 40]]
    both = sweep(streams, [10, 20, 30], lambda own, m: (own, m))
    assert both.tolist() == [[[1] * 3, [2] * 3], [[10, 20, 30]] * 2]
    seen = []
    table = sweep_by_width([10, 20], 3, lambda m: (seen.append(m), len(seen))[1])
    assert seen == [10] * 3 + [20] * 3 and table.tolist() == [[1, 4], [2, 5], [3, 6]]
    assert sweep_by_width([10, 20], 3, lambda m: (m, -m)).tolist()[1] == [[-10, -20]] * 3


def test_names_that_are_left_are_shown():
    for names, outcome, shown in (([], YES, "none"), (["a", "b"], NO, "a, b")):
        found = noted("empty", names, look=Collector().exact)
        assert (found.outcome, found.found, found.asked) == (outcome, shown, "none")


def test_two_evaluations_are_compared_relatively():
    look = Collector().control
    look.beside("tails", [(1.0, 2.0), (3.0, 4.0)])
    look.agree("a table", [(Fraction(2), 2.0), (100.0, 99.0), (0, 0.0)], 0.02)
    words = "tails: largest relative difference, 2 cases"
    assert look.observations == [
        Observation(words, 0.5, "<= 1e-09", NO, Method.COMPUTED, CONTROL),
        Observation(
            "largest relative difference to a table, 3 values",
            0.01,
            "<= 0.02",
            YES,
            Method.COMPUTED,
            CONTROL,
        ),
    ]


@pytest.mark.parametrize("role", [CONTROL, PRINT, PROOF, REPAIR])
def test_a_collector_says_on_what_an_observation_bears(role):
    for look in (getattr(Collector(), role.value), Collector().on(role)):
        assert noted("none", 0, look=look).role is role


def test_what_is_collected_apart_comes_where_it_is_added():
    look = Collector()
    later = look.apart()
    later("second").none(0)
    look("first").none(0)
    look.add(later)
    look.witness["m"] = 4
    findings = look.findings()
    assert [item.what for item in findings.observations] == ["first", "second"]
    assert findings.witness == {"m": 4}


SLOPE = Interval(0.1, 0.0, 0.2, 0.95)


@pytest.mark.parametrize(
    ("verb", "given", "message"),
    [
        *(("equals", (number, 1), "found") for number in (0.1, True, "1/10")),
        ("at_most", (float("nan"), 1.0), None),
        ("at_least", (1.0, float("inf")), None),
        ("mean", (float("nan"), 1.0, 0.0), None),
        ("mean", (0.0, 0.0, 0.0), None),
        *(("holds", (False, x, "y"), "finite number") for x in (float("nan"), -float("inf"))),
        ("holds", (1, 1, "y"), None),
        ("slope", (SLOPE, 0.1, 0.1), "rival"),
        ("slope", (SLOPE, 0.1, -0.1, True), "rival must exceed predicted"),
        ("slope", (SLOPE, 0.1, 0.2, 1), "at_most"),
    ],
)
def test_what_decides_nothing_is_refused(verb, given, message):
    look = Collector().computed if verb == "holds" else Collector()
    more = {"at_most": given[3]} if len(given) == 4 else {}
    with pytest.raises((TypeError, ValueError), match=message):
        noted(verb, *given[:3], look=look, **more)


@pytest.mark.parametrize(
    "make",
    [
        lambda: noted("holds", True, 1, "y"),  # without a method
        lambda: Observation("x", 1, "y", True, Method.EXACT),
        lambda: Observation("x", [1], "y", YES, Method.EXACT),
        lambda: Observation("x", True, "y", YES, Method.EXACT),
        lambda: Observation("x", 1, "y", YES, "exact"),
    ],
)
def test_observations_of_a_wrong_type_are_refused(make):
    with pytest.raises(TypeError):
        make()


@pytest.mark.parametrize("value", [np.zeros(2), {1, 2}, float("nan"), np.int64(3), Fraction(1, 3)])
def test_a_witness_that_cannot_be_stored_is_refused_by_the_check(value):
    with pytest.raises(TypeError, match="witness"):
        Findings([seen(STATEMENT, YES)], {"value": value})


def test_a_witness_is_kept_as_json_gives_it_back():
    given = {"points": [(0.0, 1.0)], "size": np.float64(0.5)}
    found = Findings([seen(STATEMENT, YES)], given).witness
    assert found == {"points": [[0.0, 1.0]], "size": 0.5}
    given["points"].append((2.0, 3.0))
    assert found["points"] == [[0.0, 1.0]]

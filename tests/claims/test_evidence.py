"""Verdicts follow from observations by one rule."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sublinear_lib.claims import (
    Budget,
    Findings,
    Method,
    Observation,
    Outcome,
    Role,
    Verdict,
    bound,
    exact,
    exponent,
    fact,
    judge,
    sample_mean,
)
from sublinear_lib.statistics import Interval


def seen(role: Role, outcome: Outcome, method: Method = Method.EXACT) -> Observation:
    return Observation("what", 1, "asked", outcome, method, role)


STATEMENT, PRINT, PROOF = Role.STATEMENT, Role.PRINT, Role.PROOF
CONTROL, REPAIR = Role.CONTROL, Role.REPAIR
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
        ([seen(STATEMENT, YES), seen(CONTROL, YES)], Verdict.HOLDS),
        ([seen(STATEMENT, NO), seen(REPAIR, YES)], Verdict.FAILS),
        ([seen(STATEMENT, YES), seen(REPAIR, NO)], Verdict.HOLDS),
        ([seen(STATEMENT, YES, Method.CITED)], Verdict.CITED),
        ([seen(STATEMENT, YES, Method.CITED), seen(STATEMENT, YES)], Verdict.HOLDS),
        ([seen(STATEMENT, YES, Method.CITED), seen(PROOF, NO)], Verdict.GAP),
    ],
)
def test_the_verdict_follows_from_the_observations(
    observations: list[Observation], verdict: Verdict
) -> None:
    assert judge(observations) is verdict
    assert judge(reversed(observations)) is verdict


def test_a_repaired_statement_holds_as_repaired_and_fails_like_any_other() -> None:
    assert judge([seen(STATEMENT, YES)], repaired=True) is Verdict.REPAIRED
    assert judge([seen(STATEMENT, NO)], repaired=True) is Verdict.FAILS


def test_a_verdict_needs_an_observation_of_the_statement() -> None:
    with pytest.raises(ValueError, match="STATEMENT"):
        judge([seen(PROOF, NO)])
    with pytest.raises(ValueError, match="must not be empty"):
        Findings([])


@pytest.mark.parametrize(
    ("ends", "outcome"),
    [((0.09, 0.11), YES), ((0.11, 0.12), NO), ((-0.2, 0.2), OPEN), ((-0.11, -0.09), NO)],
)
def test_a_slope_must_contain_the_exponent_and_exclude_the_rival(
    ends: tuple[float, float], outcome: Outcome
) -> None:
    slope = Interval(sum(ends) / 2, *ends, 0.95)
    assert exponent("slope", slope, Fraction(1, 10), Fraction(-1, 10)).outcome is outcome


@pytest.mark.parametrize(
    ("ends", "outcome"),
    [
        ((-0.11, -0.09), YES),
        ((-0.35, -0.25), YES),
        ((-0.1, 0.09), YES),
        ((-0.2, 0.2), OPEN),
        ((-0.1, 0.1), OPEN),
        ((-0.09, 0.0), NO),
        ((0.05, 0.2), NO),
    ],
)
def test_the_exponent_of_an_upper_bound_is_kept_by_every_smaller_slope(
    ends: tuple[float, float], outcome: Outcome
) -> None:
    slope = Interval(sum(ends) / 2, *ends, 0.95)
    found = exponent("slope", slope, Fraction(-1, 10), Fraction(1, 10), at_most=True)
    assert found.outcome is outcome
    assert found.asked == "not above -1/10, below 1/10"


def test_a_rival_must_be_another_exponent() -> None:
    slope = Interval(0.1, 0.0, 0.2, 0.95)
    with pytest.raises(ValueError, match="rival"):
        exponent("slope", slope, 0.1, 0.1)
    with pytest.raises(ValueError, match="rival must exceed predicted"):
        exponent("slope", slope, 0.1, -0.1, at_most=True)
    with pytest.raises(TypeError, match="at_most"):
        exponent("slope", slope, 0.1, 0.2, at_most=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(("mean", "outcome"), [(0.139, YES), (0.061, YES), (0.141, NO), (0.0, NO)])
def test_a_mean_must_lie_within_four_standard_errors(mean: float, outcome: Outcome) -> None:
    assert sample_mean("share", mean, 0.01, 0.1).outcome is outcome


def test_a_bound_holds_on_its_own_side_ends_included() -> None:
    assert bound("x", 1.0, 1.0).outcome is YES
    assert bound("x", 1.1, 1.0).outcome is NO
    assert bound("x", 0.9, 1.0, below=False).outcome is NO
    assert bound("x", 1.1, 1.0, below=False).outcome is YES


def test_exact_numbers_are_compared_exactly() -> None:
    assert exact("x", Fraction(1, 3), Fraction(2, 6)).outcome is YES
    assert exact("x", Fraction(1, 3), Fraction(333333333, 10**9)).outcome is NO


@pytest.mark.parametrize("number", [0.1, True, "1/10"])
def test_an_exact_comparison_refuses_inexact_numbers(number: Any) -> None:
    with pytest.raises(TypeError, match="found"):
        exact("x", number, 1)


@pytest.mark.parametrize(
    "make",
    [
        lambda: fact("x", 1, "y", 1, Method.EXACT),  # type: ignore[arg-type]
        lambda: Observation("x", 1, "y", True, Method.EXACT),  # type: ignore[arg-type]
        lambda: Observation("x", [1], "y", YES, Method.EXACT),  # type: ignore[arg-type]
        lambda: Observation("x", True, "y", YES, Method.EXACT),
        lambda: Observation("x", 1, "y", YES, "exact"),  # type: ignore[arg-type]
    ],
)
def test_observations_of_a_wrong_type_are_refused(make: Any) -> None:
    with pytest.raises(TypeError):
        make()


def test_numbers_that_are_not_finite_decide_nothing() -> None:
    for make in (
        lambda: bound("x", float("nan"), 1.0),
        lambda: bound("x", 1.0, float("inf")),
        lambda: sample_mean("x", float("nan"), 1.0, 0.0),
        lambda: sample_mean("x", 0.0, 0.0, 0.0),
    ):
        with pytest.raises(ValueError):
            make()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_what_was_found_is_finite(number: float) -> None:
    with pytest.raises(ValueError, match="found must be a finite number"):
        fact("x", number, "below 1", False, Method.COMPUTED)


@pytest.mark.parametrize("value", [np.zeros(2), {1, 2}, float("nan"), np.int64(3), Fraction(1, 3)])
def test_a_witness_that_cannot_be_stored_is_refused_by_the_check(value: Any) -> None:
    with pytest.raises(TypeError, match="witness"):
        Findings([seen(STATEMENT, YES)], {"value": value})


def test_a_witness_is_kept_as_json_gives_it_back() -> None:
    given = {"points": [(0.0, 1.0)], "size": np.float64(0.5)}
    found = Findings([seen(STATEMENT, YES)], given).witness
    assert found == {"points": [[0.0, 1.0]], "size": 0.5}
    given["points"].append((2.0, 3.0))  # type: ignore[attr-defined]
    assert found["points"] == [[0.0, 1.0]]


def test_a_budget_picks_its_setting() -> None:
    assert (Budget.QUICK.pick(1, 2), Budget.FULL.pick(1, 2)) == (1, 2)

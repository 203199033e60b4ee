"""Promises of the explorer of the bill: its numbers are those of ``sublinear_lib.theory``."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sublinear_lib import scaling, theory
from sublinear_lib.plotting import number, percent
from sublinear_lib.widgets import Explorer, Line, Rule, View, ledger_explorer, ledger_view
from sublinear_lib.widgets import table as tables

N, RHO, STEPS = 64, 0.1, 5


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return ledger_explorer()


def ledger(m: int, t: float, d: int) -> theory.Ledger:
    tau = scaling.threshold_from_standard(t, m)
    found = theory.expected_ledger(m, N, d, tau, RHO, STEPS, "shared")
    return found.over(theory.dense_ledger(m, N, STEPS).total)


def lines(view: View) -> dict[str, Line]:
    return {mark.label: mark for mark in view.marks if isinstance(mark, Line)}


@pytest.mark.parametrize(("m", "t", "d"), [(2**8, 0.0, 3), (2**17, 2.2, 8), (2**23, 4.0, 64)])
def test_the_curves_are_the_expected_ledger(m: int, t: float, d: int) -> None:
    drawn = lines(ledger_view(m, t, d))
    at = int(np.argmin(np.abs(np.asarray(drawn["whole step"].x) - t)))
    expected = ledger(m, t, d)
    for label, value in (
        ("attack", expected.attack),
        ("search", expected.query),
        ("forward, gradient", expected.forward + expected.gradient),
        ("rows that move", expected.weights + expected.index),
        ("whole step", expected.total),
    ):
        assert drawn[label].y[at] == pytest.approx(max(value, 1e-5), rel=1e-9)


def test_the_thresholds_of_the_paper_walk_left_and_the_sparse_one_right() -> None:
    def places(m: int) -> dict[str, float]:
        marks = ledger_view(m, 2.0, 8).marks
        return {mark.label: mark.at for mark in marks if isinstance(mark, Rule)}

    small, large = places(2**10), places(2**20)
    assert large["1/*m*"] < small["1/*m*"]
    assert large["*m*^{−3/5}"] < small["*m*^{−3/5}"]
    assert large["sparse"] > small["sparse"] == pytest.approx(math.sqrt(0.4 * math.log(2**10)))


@pytest.mark.parametrize("t", [0.0, 0.5, 0.9, 1.6, 1.7, 4.0])
@pytest.mark.parametrize("d", [3, 8, 64])
def test_the_alarm_says_where_the_theorem_is_silent(t: float, d: int) -> None:
    proved = t > math.sqrt(3 * (d - 1) / 8)
    assert bool(ledger_view(2**14, t, d).warning) != proved


def test_numbers_in_words_are_those_of_the_theory() -> None:
    m, t, d = 2**14, 2.2, 8
    view = ledger_view(m, t, d)
    assert number(1 / ledger(m, t, d).total) in view.sentence
    assert percent(scaling.activity_at(t)) in view.sentence
    for rule in (scaling.ONE_OVER_M, scaling.SPARSE_C):
        there = scaling.standardize_threshold(rule.tau(m), m)
        assert f"a factor of {number(1 / ledger(m, there, d).total)}" in view.sentence
    assert dict(view.readouts)["search"] == percent(ledger(m, t, d).query)


def test_the_page_shows_what_the_function_returns(explorer: Explorer) -> None:
    for place in [(0, 0, 0), (2, 11, 3), (4, 20, 5)]:
        values = [control.values[k] for control, k in zip(explorer.controls, place, strict=True)]
        assert explorer.stored_view(*place)["sentence"] == ledger_view(*values).sentence


def test_the_explorer_fits_the_page(explorer: Explorer) -> None:
    assert math.prod(explorer.shape) <= tables.MOST_POSITIONS
    assert len(explorer._table) <= tables.LARGEST_TABLE


def test_a_width_must_be_two_at_least() -> None:
    with pytest.raises(ValueError, match=r"^m must"):
        ledger_view(1, 1.0, 8)

"""Promises of the explorer of the bill: its numbers are those of ``sublinear_lib.theory``."""

from __future__ import annotations

import math

import pytest

from sublinear_lib import scaling, theory
from sublinear_lib.plotting import number, percent
from sublinear_lib.widgets import Bars, Explorer, ledger_explorer, ledger_view
from sublinear_lib.widgets import table as tables

N, RHO, STEPS = 64, 0.1, 5


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return ledger_explorer()


def ledger(m: int, t: float, d: int) -> theory.Ledger:
    tau = scaling.threshold_from_standard(t, m)
    found = theory.expected_ledger(m, N, d, tau, RHO, STEPS, "shared")
    return found.over(theory.dense_ledger(m, N, STEPS).total)


@pytest.mark.parametrize(("t", "d"), [(0.0, 3), (2.2, 8), (4.0, 64)])
def test_the_bars_are_the_dense_bill_and_the_expected_one(t: float, d: int) -> None:
    dense, sparse = (mark for mark in ledger_view(t, d).marks if isinstance(mark, Bars))
    for bars, bill in (
        (dense, theory.dense_ledger(2**14, N, STEPS)),
        (sparse, ledger(2**14, t, d)),
    ):
        share = bill.over(bill.total) if bars is dense else bill
        items = share.attack, share.query, share.forward + share.gradient
        assert bars.heights == pytest.approx((*items, share.weights + share.index), rel=1e-9)


@pytest.mark.parametrize("t", [0.0, 0.5, 0.9, 1.6, 1.7, 4.0])
@pytest.mark.parametrize("d", [3, 8, 64])
def test_the_alarm_says_where_the_theorem_is_silent(t: float, d: int) -> None:
    proved = t > math.sqrt(3 * (d - 1) / 8)
    assert bool(ledger_view(t, d).warning) != proved


def test_numbers_in_words_are_those_of_the_theory() -> None:
    t, d = 2.2, 8
    said, total = ledger_view(t, d).sentence, ledger(2**14, t, d).total
    assert f"{number(1 / total)} times fewer" in said and f"{percent(total)} of the work" in said
    assert percent(scaling.activity_at(t)) in said


def test_the_page_shows_what_the_function_returns(explorer: Explorer) -> None:
    for place in [(0, 0), (11, 3), (30, 5)]:
        values = [control.values[k] for control, k in zip(explorer.controls, place, strict=True)]
        assert explorer.stored_view(*place)["sentence"] == ledger_view(*values).sentence


def test_the_explorer_fits_the_page(explorer: Explorer) -> None:
    assert math.prod(explorer.shape) <= tables.MOST_POSITIONS
    assert len(explorer._table) <= tables.LARGEST_TABLE


def test_a_threshold_must_be_in_range() -> None:
    with pytest.raises(ValueError, match=r"^t must"):
        ledger_view(-1.0, 8)

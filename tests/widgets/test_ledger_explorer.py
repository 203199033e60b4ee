"""Promises of the ledger's explorer: every curve and number is that of ``sublinear_lib.theory``."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from sublinear_lib import scaling, theory
from sublinear_lib.plotting import number, percent
from sublinear_lib.widgets import Explorer, Line, Rule, View, ledger_explorer, ledger_view
from sublinear_lib.widgets import table as tables

N, RHO, STEPS = 256, 0.1, 5


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return ledger_explorer()


def ledger(m: int, t: float, d: int) -> theory.Ledger:
    tau = scaling.threshold_from_standard(t, m)
    found = theory.expected_ledger(m, N, d, tau, RHO, STEPS, "shared")
    return found.over(theory.dense_ledger(m, N, STEPS).total)


def lines(view: View) -> dict[str, Line]:
    return {mark.label: mark for mark in view.marks if isinstance(mark, Line)}


@pytest.mark.parametrize(("m", "t", "d"), [(2**8, 0.0, 2), (2**16, 2.2, 8), (2**24, 4.0, 64)])
@pytest.mark.parametrize("price", [1, 3])
def test_the_curves_are_the_expected_ledger_at_its_price(
    m: int, t: float, d: int, price: int
) -> None:
    view = ledger_view(m, t, d, price)
    drawn = lines(view)
    at = int(np.argmin(np.abs(np.asarray(drawn["in all"].x) - t)))
    expected = ledger(m, t, d)
    rows = expected.weights + expected.index
    assert drawn["12 query"].y[at] == pytest.approx(expected.query, rel=1e-9)
    for label, value in (
        ("11 attack", expected.attack),
        ("17 forward", expected.forward),
        ("18 gradient", expected.gradient),
        ("19–21 rows", rows),
    ):
        assert drawn[label].y[at] == pytest.approx(max(price * value, 1e-5), rel=1e-9)
    total = expected.query + price * (expected.total - expected.query)
    assert drawn["in all"].y[at] == pytest.approx(total, rel=1e-9)


def test_the_thresholds_of_the_paper_walk_left_and_the_repair_right() -> None:
    def places(m: int) -> dict[str, float]:
        marks = ledger_view(m, 2.0, 8, 1).marks
        return {mark.label: mark.at for mark in marks if isinstance(mark, Rule)}

    small, large = places(2**10), places(2**20)
    assert large["1/*m*"] < small["1/*m*"]
    assert large["*m*^{−3/5}"] < small["*m*^{−3/5}"]
    assert large["R3"] > small["R3"] == pytest.approx(math.sqrt(0.4 * math.log(2**10)))


@pytest.mark.parametrize("m", [2**8, 2**16, 2**24])
@pytest.mark.parametrize("t", [0.0, 0.001, 0.5, 1.17, 1.19, 2.5, 4.0])
@pytest.mark.parametrize("d", [2, 8, 64])
def test_hypotheses_are_judged_at_the_chosen_point(m: int, t: float, d: int) -> None:
    view = ledger_view(m, t, d, 1)
    read = dict(view.readouts)
    tau = scaling.threshold_from_standard(t, m)
    assert read["*τ* ≤ 1/*m* (Theorem 4.1)"] == ("holds" if tau <= 1 / m else "fails")
    assert read["*Q*_{0} < *m* (Lemma 4.5)"] == (
        "holds" if 2 * math.exp(-(t**2) / 2) < 1 else "fails"
    )
    proved = t > math.sqrt(3 * (d - 1) / 8)
    assert read["few can fire on *X*, by proof"] == ("holds" if proved else "fails")
    # Sparsity and the approximation theorems never hold together, as printed.
    assert "fails" in (read["*τ* ≤ 1/*m* (Theorem 4.1)"], read["*Q*_{0} < *m* (Lemma 4.5)"])
    assert view.warning


def test_numbers_in_words_are_those_of_the_theory() -> None:
    m, t, d = 2**16, 2.2, 8
    view = ledger_view(m, t, d, 1)
    expected = ledger(m, t, d)
    dense = theory.dense_ledger(m, N, STEPS).total * d
    assert number(dense) in view.sentence
    assert number(expected.total * dense) in view.sentence
    assert number(1 / expected.total) in view.sentence
    assert percent(scaling.activity_at(t)) in view.sentence
    assert dict(view.readouts)["12 query"] == percent(expected.query)


@pytest.mark.parametrize(("d", "price"), [(2, 3), (8, 3), (8, 9), (64, 9)])
def test_the_sparse_iteration_pays_from_the_crossover_on(d: int, price: int) -> None:
    told = dict(ledger_view(2**16, 1.0, d, price).readouts)["sparse pays"]
    share = float(re.sub(r"[^0-9.]", "", told)) / 100
    low, high = (scaling.threshold_from_activity(share * f, 100) for f in (1.1, 0.9))
    for tau, cheaper in ((low, False), (high, True)):
        found = ledger(100, scaling.standardize_threshold(tau, 100), d)
        total = found.query + price * (found.total - found.query)
        assert (total < 1.0) == cheaper


def test_at_price_one_the_sparse_iteration_never_takes_more_row_passes() -> None:
    read = dict(ledger_view(2**16, 1.0, 8, 1).readouts)
    assert read["sparse pays"] == "everywhere"


def test_the_page_shows_what_the_function_returns(explorer: Explorer) -> None:
    for place in [(0, 0, 0, 0), (2, 11, 3, 1), (4, 20, 6, 2)]:
        values = [control.values[k] for control, k in zip(explorer.controls, place, strict=True)]
        view = ledger_view(*values)
        assert explorer.stored_view(*place)["sentence"] == view.sentence


def test_the_explorer_fits_the_page(explorer: Explorer) -> None:
    assert math.prod(explorer.shape) <= tables.MOST_POSITIONS
    assert len(explorer._table) <= tables.LARGEST_TABLE


def test_a_price_must_be_positive() -> None:
    with pytest.raises(ValueError, match=r"^price must"):
        ledger_view(2**10, 1.0, 8, 0.0)

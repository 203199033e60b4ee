"""The bill of a step: its items are those of the expected ledger."""

from __future__ import annotations

import math

import pytest

from sublinear_lib import scaling, theory
from sublinear_lib.chapters.what_an_iteration_costs import explorers
from sublinear_lib.plotting import number, percent
from sublinear_lib.widgets import Bars
from tests.chapters.marks import named

N, RHO, STEPS = 64, 0.1, 5


def items(bill: theory.Ledger) -> tuple[float, ...]:
    return bill.attack, bill.query, bill.forward + bill.gradient, bill.weights + bill.index


@pytest.mark.parametrize("t", [0.0, 0.9, 1.6, 1.7, 4.0])
@pytest.mark.parametrize("d", [3, 8, 64])
def test_bars_words_and_alarm_are_those_of_the_theory(t: float, d: int) -> None:
    m, view = 2**14, explorers.bill.function(t, d)  # shares do not depend on the width
    dense, tau = theory.dense_ledger(m, N, STEPS), scaling.threshold_from_standard(t, m)
    sparse = theory.expected_ledger(m, N, d, tau, RHO, STEPS, "shared").over(dense.total)
    bars = named(view, Bars)
    assert bars["dense"].heights == pytest.approx(items(dense.over(dense.total)), rel=1e-9)
    assert bars["sparse"].heights == pytest.approx(items(sparse), rel=1e-9)
    assert f"{number(1 / sparse.total)} times fewer" in view.sentence
    assert f"{percent(sparse.total)} of the work" in view.sentence
    assert percent(scaling.activity_at(t)) in view.sentence
    assert bool(view.warning) == (t <= math.sqrt(3 * (d - 1) / 8))

"""The bill of a step: its items are those of the expected ledger."""

import math
from functools import partial

import numpy as np
import pytest

from sublinear_lib import scaling, theory
from sublinear_lib.chapters.what_an_iteration_costs import explorers, figures
from sublinear_lib.plotting import number, percent
from sublinear_lib.widgets import Bars
from tests.chapters.marks import named
from tests.plotting.shown import tells, texts

N, RHO, STEPS = 64, 0.1, 5


def items(bill):
    return bill.attack, bill.query, bill.forward + bill.gradient, bill.weights + bill.index


@pytest.mark.parametrize(("t", "d"), [(0.0, 3), (1.6, 8), (1.7, 8), (4.0, 64)])
def test_bars_words_and_alarm_are_those_of_the_theory(t, d):
    m, view = 2**14, explorers.bill.function(t, d)  # shares do not depend on the width
    dense, tau = theory.dense_ledger(m, N, STEPS), scaling.threshold_from_standard(t, m)
    sparse = theory.expected_ledger(m, N, d, tau, RHO, STEPS, "shared").over(dense.total)
    drawn = named(view, Bars)
    assert drawn["dense"].heights == pytest.approx(items(dense.over(dense.total)), rel=1e-9)
    assert drawn["sparse"].heights == pytest.approx(items(sparse), rel=1e-9)
    assert f"{number(1 / sparse.total)} times fewer" in view.sentence
    assert f"{percent(sparse.total)} of the work" in view.sentence
    assert percent(scaling.activity_at(t)) in view.sentence
    assert bool(view.warning) == (t <= math.sqrt(3 * (d - 1) / 8))


COLUMNS = {
    "counted": {"11 attack": 2.0, "12 query": 0.5, "17 forward": 0.25},
    "*predicted*": {"11 attack": 1.0, "12 query": 0.0, "17 forward": 0.25},
}
LONG = {"all": {f"{k} a rather long label": 1.0 for k in range(7)}}
bars = partial(figures.ledger_bars, columns=COLUMNS, unit="passes", name="b")
many = partial(bars, columns=LONG)


def test_bars_are_as_long_as_their_entries_and_end_with_their_sum():
    patches = bars()._figures[0].axes[0].patches
    widths = np.array([patch.get_width() for patch in patches if patch.get_height() == 18]) + 1.0
    # An entry of zero has no bar.
    np.testing.assert_allclose(2.0 * widths / widths[0], [2.0, 0.5, 0.25, 1.0, 0.25])
    assert {"2.75", "1.25", "12 query"} <= set(texts(bars()))
    tells(bars(), "counted: 11 attack 2, 12 query 0.5, 17 forward 0.25; in all 2.75")
    heights = {text.xy[1] for text in many()._figures[0].axes[0].texts if "long" in text.get_text()}
    assert len(heights) > 1, "many labels take several lines"
    with pytest.raises(ValueError, match="must have the entries"):
        bars(columns={"a": {"x": 1.0}, "b": {"y": 1.0}})

"""Bars are as long as their entries, and end with their sum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib.chapters.what_an_iteration_costs import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import texts

COLUMNS = {
    "counted": {"11 attack": 2.0, "12 query": 0.5, "17 forward": 0.25},
    "*predicted*": {"11 attack": 1.0, "12 query": 0.0, "17 forward": 0.25},
}


def bars(**changes: Any) -> Picture:
    return figures.ledger_bars(**{"columns": COLUMNS, "unit": "passes", "name": "b", **changes})


def many(**changes: Any) -> Picture:
    labels = {f"{k} a rather long label": 1.0 for k in range(7)}
    return bars(**{"columns": {"all": labels}, **changes})


MADE = [bars, many]


def test_bars_are_as_long_as_their_entries_and_end_with_their_sum() -> None:
    patches = bars()._figures[0].axes[0].patches
    widths = np.array([patch.get_width() for patch in patches if patch.get_height() == 18]) + 1.0
    # An entry of zero has no bar.
    np.testing.assert_allclose(2.0 * widths / widths[0], [2.0, 0.5, 0.25, 1.0, 0.25])
    assert {"2.75", "1.25", "12 query"} <= set(texts(bars()))
    assert "counted: 11 attack 2, 12 query 0.5, 17 forward 0.25; in all 2.75" in bars().alt


def test_many_labels_take_several_lines() -> None:
    heights = {text.xy[1] for text in many()._figures[0].axes[0].texts if "long" in text.get_text()}
    assert len(heights) > 1


def test_ledgers_with_other_entries_do_not_stand_in_one_picture() -> None:
    with pytest.raises(ValueError, match="must have the entries"):
        bars(columns={"a": {"x": 1.0}, "b": {"y": 1.0}})

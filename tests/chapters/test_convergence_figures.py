"""The pictures of convergence are true to their numbers; a refuted bound is not drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib.chapters.convergence import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import lines, texts

TERMS = {"loss of *W**": 0.1, "optimization": 0.2, "coupling": 0.3}
S = np.linspace(0.0, 1.5, 61)
K = np.arange(8, 161)
PROMISE = np.where(K < 121, 2.5 + np.abs(K - 100.0), 0.9)


def bars(average: float = 0.4, **changes: Any) -> Picture:
    panels = {"R1": {"*m* = 8": (TERMS, average, 0.9)}}
    return figures.regret_bars(**{"panels": panels, "name": "bars", **changes})


def line(**changes: Any) -> Picture:
    smooth, bumpy = np.abs(S - 1.0), np.abs(S - 1.0) + 0.2 * (np.arange(S.size) % 2)
    given = {"along": S, "losses": {"*g*": smooth, "*f*": bumpy}, "steps": [0, 1, 2]}
    course = {"loss": [1.0, 0.5, 0.25]}
    return figures.surrogate_picture(**{**given, "course": course, "name": "line", **changes})


def promise(**changes: Any) -> Picture:
    given = {"runs": {"*m* = 8": [0.5, 0.25]}, "exponents": K, "promise": PROMISE, "name": "p"}
    return figures.convergence_picture(**{**given, **changes})


MADE = [bars, line, promise]


def test_the_text_of_the_bars_has_every_number_and_the_sum_stands_beside() -> None:
    alt = bars().alt
    for said in ("loss of W* 0.1", "optimization 0.2", "coupling 0.3", "in all 0.6"):
        assert said in alt
    assert "average of the run 0.4" in alt and "loss at the start 0.9" in alt
    assert "0.6" in texts(bars())
    widths = [p.get_width() for p in bars()._figures[0].axes[0].patches if p.get_height() == 16]
    np.testing.assert_allclose((np.array(widths) + 1) / (widths[0] + 1), [1, 2, 3])


def test_an_average_beyond_its_bound_is_not_drawn() -> None:
    bars(average=0.6)
    with pytest.raises(ValueError, match=r"an average of 0\.61 beyond its"):
        bars(average=0.61)
    other = {"a": {"b": (TERMS, 0.1, 0.1), "c": ({"x": 1.0, "y": 1.0}, 0.1, 0.1)}}
    with pytest.raises(ValueError, match="must have the terms"):
        bars(panels=other)


def test_the_text_of_the_line_counts_the_turns() -> None:
    assert "g 1 at W_0, 0 at the end, turning 1 times" in line().alt
    assert "f 1 at W_0, 0 at the end, turning 59 times" in line().alt
    assert "loss from 1 to 0.25, smallest 0.25" in line().alt
    with pytest.raises(ValueError, match="cover 0 and 1"):
        line(along=S[1:], losses={"f": S[1:]})


def test_the_ring_marks_where_the_promise_stays_below_the_start() -> None:
    assert "m = 8 from 0.5 to 0.25" in promise().alt
    assert "below 1 from 2^121 on" in promise().alt
    np.testing.assert_array_equal(lines(promise(), "c2", marker="o"), [[[121, 0.9]]])
    assert "never below 1" in promise(promise=PROMISE + 1.0).alt

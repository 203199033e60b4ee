"""The share of active neurons is drawn and told as it was given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib.chapters.how_many_neurons_fire import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import alt, lines, texts

WIDTHS = 2.0 ** np.arange(6, 21)
CURVES = {"τ = 0": np.full(15, 0.5), "*c*": WIDTHS**-0.2}


def activity(**changes: Any) -> Picture:
    given = {"widths": WIDTHS, "curves": CURVES, "name": "a", **changes}
    return figures.activity_against_m(**given)


def bounded(**changes: Any) -> Picture:
    samples = {"*c*": [[64, 0.4, 0.3, 0.5]]}
    return activity(**{"bound": np.full(15, 1.9), "samples": samples, **changes})


MADE = [activity, bounded]


def test_the_text_gives_both_ends_of_every_curve_and_calls_a_bound_empty_that_is() -> None:
    said = alt(bounded())
    assert "τ = 0: 50 % at the smallest and 50 % at the largest width" in said
    assert "c: 43.5 % at the smallest and 6.25 % at the largest width" in said
    assert "The printed bound runs from 190 % to 190 %, above 100 % everywhere." in said
    assert "Sampled networks" in said and "Sampled" not in alt(activity())
    assert "everywhere" not in alt(bounded(bound=np.full(15, 0.9)))


def test_curves_are_drawn_as_given_and_labeled_where_they_end() -> None:
    picture = bounded(bound_label="bound *Q*_{0}/*m*")
    drawn = [tuple(points[:, 1]) for points in lines(picture)]
    assert all(tuple(values) in drawn for values in (*CURVES.values(), np.full(15, 1.9)))
    assert {"τ = 0", "c", "bound Q0/m"} <= set(texts(picture))
    (axes,) = activity(bound=np.full(15, 1e-3))._figures[0].axes
    assert axes.get_ylim()[0] < 1e-3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"curves": {"a": np.zeros(15)}}, "a must be > 0"),
        ({"curves": {"a": np.ones(3)}}, r"a must have shape \(15,\)"),
        ({"samples": {"b": [[64, 0.1, 0.05, 0.2]]}}, "samples must have labels of curves"),
        ({"bound": np.full(15, -1.0)}, "bound must be > 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        activity(**changes)

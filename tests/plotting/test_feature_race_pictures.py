"""The pictures of the race: they show the numbers they are given, and refuse nonsense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting
from sublinear_lib.plotting import RacePanel

STEPS = np.arange(301)
GROWN = 0.1 / (1 - STEPS / 400)
SLOW = 0.1 + STEPS / 3000


def race(**changes: object) -> plotting.Picture:
    panels = [RacePanel("class 0", SLOW, GROWN, 1.1 * SLOW, GROWN)]
    arguments: dict[str, Any] = {"steps": STEPS, "panels": panels, "name": "r", **changes}
    return plotting.race_picture(**arguments)


def filters(**changes: object) -> plotting.Picture:
    several = np.column_stack([0.3 * SLOW, SLOW, np.full(301, -0.1)])
    panels = [RacePanel("12 filters", several, GROWN[:, None])]
    arguments: dict[str, Any] = {"steps": STEPS, "panels": panels, "name": "f", **changes}
    return plotting.race_picture(**arguments)


def ratios(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "ratio": [0.5, 0.9, 1.2, 4.0],
        "measured": [1.0, 0.4, 0.6, 0.0],
        "predicted": [1.0, 0.6, 0.6, 0.1],
        "name": "q",
        **changes,
    }
    return plotting.ratio_picture(**arguments)


@pytest.mark.parametrize("draw", [race, filters, ratios])
def test_it_is_made_twice_alike_and_small_enough_for_a_page(draw: Any) -> None:
    shown = draw()
    assert shown.html == draw().html
    assert len(shown.html) < 40_000, len(shown.html)
    assert shown.png.startswith(b"\x89PNG")
    words = "One text of the author's own."
    assert draw(alt=words, caption="Look *here*.").alt == words


def test_long_runs_are_thinned_but_keep_their_ends() -> None:
    t = np.arange(20_001)
    panels = [RacePanel("a", t / 1e4, t / 2e4)]
    shown = plotting.race_picture(t, panels, name="long")
    assert len(shown.html) < 20_000
    assert "goes from 0 to 2" in shown.alt and "goes from 0 to 1" in shown.alt


def test_texts_give_the_numbers() -> None:
    said = race().alt
    assert "over 300 steps, and dotted a prediction" in said
    assert "A, the robust feature, goes from 0.1 to 0.2 (predicted 0.22)" in said
    assert "B, the non-robust one, goes from 0.1 to 0.4 (predicted 0.4)" in said
    said = ratios().alt
    assert "Of 2 below 1, 1 learned the robust feature; of 2 others, 1 did" in said
    assert "same winner for 3 of 4" in said and "from its dot is 0.2" in said
    assert "rings" not in ratios(predicted=None).alt


def test_of_several_filters_the_one_that_ends_highest_is_described() -> None:
    said = filters().alt
    assert "A, the robust feature, goes from 0.1 to 0.2" in said
    assert "dotted" not in said


def test_on_a_logarithmic_scale_only_leaders_must_be_positive() -> None:
    assert filters(scale="log10").html != filters().html
    below = [RacePanel("a", -SLOW, GROWN)]
    assert race(panels=below).alt
    with pytest.raises(ValueError, match="> 0 on a logarithmic scale"):
        race(panels=below, scale="log10")


def test_features_that_have_turned_around_are_drawn_below_zero() -> None:
    (axes,) = race(panels=[RacePanel("a", -1.0 - SLOW, -1.0 - SLOW)])._figures[0].axes
    assert axes.get_ylim() == pytest.approx((-1.2, 1.0))


@pytest.mark.parametrize(
    ("draw", "changed", "said"),
    [
        (race, {"steps": STEPS[::-1]}, "ascending"),
        (race, {"panels": []}, "one to 4"),
        (race, {"scale": "log2"}, "scale"),
        (race, {"panels": [RacePanel("a", SLOW, GROWN, SLOW)]}, "both predictions or none"),
        (race, {"panels": [RacePanel("a", SLOW[:9], GROWN)]}, r"panels\[0\].robust"),
        (race, {"panels": [RacePanel("a", SLOW, np.ones((301, 0)))]}, r"panels\[0\].nonrobust"),
        (
            race,
            {"panels": [RacePanel("a", SLOW, GROWN, SLOW, GROWN[:9])]},
            r"panels\[0\].predicted_nonrobust must have shape",
        ),
        (ratios, {"ratio": [0.0, 1.0, 1.0, 1.0]}, "positive"),
        (ratios, {"threshold": 0.0}, "threshold must be"),
        (ratios, {"threshold": float("nan")}, "threshold must be"),
        (ratios, {"measured": [0.0, 1.0]}, "measured"),
        (ratios, {"predicted": [0.0, 1.0, 2.0, 0.0]}, r"predicted must lie in \[0, 1\]"),
    ],
)
def test_nonsense_is_refused_by_name(draw: Any, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        draw(**changed)

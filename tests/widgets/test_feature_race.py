"""Promises of the explorer of the race: its numbers are the recursion's, its words true."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib.features import (
    FeatureData,
    SmoothedReLU,
    TrainingSettings,
    feature_recursion,
    race_ratio,
)
from sublinear_lib.plotting import number, percent
from sublinear_lib.widgets import Explorer, Line, Rule, race_explorer, race_view

RATES = {2.0: 1 / 15, 2.5: 15**-0.5, 3.0: 1.0, 4.0: 15.0}


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return race_explorer()


@pytest.mark.parametrize(
    "at",
    [(3.0, 1.0, 60, 3.0, 1.0), (2.0, 1.5, 30, 4.0, 0.5), (4.0, 0.75, 120, 2.0, 2.0)],
)
def test_lines_and_numbers_are_those_of_the_recursion(
    at: tuple[float, float, int, float, float],
) -> None:
    alpha, beta, patches, q, ratio = at
    view = race_view(ratio, patches, q, alpha, beta)
    law = FeatureData(alpha=alpha, beta=beta, nonrobust_patches=patches)
    act = SmoothedReLU(q, 15.0)
    settings = TrainingSettings(activation=act, rate=RATES[q], steps=400)
    path = feature_recursion(law, settings, [0.3], [0.3 * ratio])
    lines = [mark for mark in view.marks if isinstance(mark, Line)]
    for line, values in zip(lines, (path.A, path.B), strict=True):
        expected = values[np.asarray(line.x, dtype=int), 0, 0]
        np.testing.assert_allclose(line.y, expected, rtol=5.1e-3)
    read = dict(view.readouts)
    assert read["race ratio *R*"] == number(race_ratio(law, q, 0.3, 0.3 * ratio))
    u, v = (act.value(alpha * path.A), patches * act.value(beta * path.B))
    assert read["share of *u*"] == percent(float((u / (u + v))[-1, 0, 0]))
    passed = np.argmax((u + v)[:, 0, 0] >= 0.5)
    assert [m.at for m in view.marks if isinstance(m, Rule)] == [float(passed)]


def test_the_main_configuration_is_won_by_v_and_with_q_4_by_u() -> None:
    three, four = race_view(1.0, 60, 3.0, 3.0, 1.0), race_view(1.0, 60, 4.0, 3.0, 1.0)
    assert "above 1, so v gains" in three.sentence and "the non-robust feature" in three.sentence
    assert "*C* = 2.22" in three.sentence and three.warning is None
    assert "below 1, so u gains" in four.sentence and "learned the robust" in four.sentence
    assert "q = 4, fails" in (four.warning or "")


def test_the_bounds_of_the_early_form_hold_the_step_at_which_the_winner_has_doubled() -> None:
    for q in (2.5, 3.0, 4.0):
        read = dict(race_view(1.0, 60, q, 3.0, 1.0).readouts)
        lower, upper = (int(part) for part in read["predicted"].removeprefix("step ").split(" to "))
        doubled = read["*v* doubled" if q < 4 else "*u* doubled"]
        # The full recursion is a little slower than the early form, never faster.
        assert lower <= int(doubled.removeprefix("step ")) <= 1.15 * upper


def test_each_assumption_that_fails_is_named() -> None:
    assert "not stronger" in (race_view(1.0, 60, 3.0, 1.0, 1.0).warning or "")
    assert "not denser" in (race_view(1.0, 15, 3.0, 3.0, 1.0).warning or "")
    turned = race_view(0.5, 120, 3.0, 3.0, 0.75).warning or ""
    assert "turn the race" in turned and "close to 1" in turned
    assert "not over" in (race_view(1.0, 5, 4.0, 1.2, 0.5).warning or "")
    late = race_view(0.3, 11, 2.0, 3.0, 1.0)
    assert "v gains at every step" in (late.warning or "") and "the robust feature" in late.sentence
    even = race_view(1.0, 27, 3.0, 3.0, 1.0)
    assert ": an even race." in even.sentence and "close to 1" in (even.warning or "")


def test_every_position_has_its_words_and_the_table_is_small(explorer: Explorer) -> None:
    assert len(explorer._table) < 150_000
    for at in list(np.ndindex(*explorer.shape))[::7]:
        stored = explorer.stored_view(*at)
        assert "the race ratio is *R*" in stored["sentence"]


def test_stored_positions_and_live_ones_agree(explorer: Explorer) -> None:
    live = race_view(1.5, 60, 3.0, 3.0, 1.0)
    assert explorer.stored_view(20, 1, 1)["sentence"] == live.sentence


@pytest.mark.parametrize(
    "bad",
    [{"alpha": 0.0}, {"beta": -1.0}, {"patches": 0}, {"q": 1.5}, {"ratio": 0.0}, {"q": "3"}],
)
def test_nonsense_is_refused(bad: dict[str, object]) -> None:
    chosen = {"alpha": 3.0, "beta": 1.0, "patches": 60, "q": 3.0, "ratio": 1.0, **bad}
    with pytest.raises((TypeError, ValueError)):
        race_view(**chosen)  # type: ignore[arg-type]

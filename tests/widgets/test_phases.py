"""Promises of the explorer of the transition: its numbers are the library's, its words true."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from sublinear_lib.features import (
    FeatureData,
    SmoothedReLU,
    TrainingAttack,
    TrainingSettings,
    critical_rate,
    feature_recursion,
    plateau,
    train_features,
)
from sublinear_lib.plotting import number
from sublinear_lib.widgets import Explorer, Line, phases_explorer, phases_view

LAW = FeatureData()


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return phases_explorer()


@pytest.mark.parametrize(("eps", "rate"), [(0.9, 300.0), (0.7, 300.0), (0.85, 450.0)])
def test_paths_and_times_are_those_of_the_recursion_of_the_main_run(
    eps: float, rate: float
) -> None:
    start = train_features(LAW, TrainingSettings(steps=0), 0).initial.alignments(LAW)
    settings = TrainingSettings(attack=TrainingAttack(eps=eps, rate=rate))
    path = feature_recursion(LAW, settings, *start, coupled=True)
    view = phases_view(eps, rate)
    lines = [m for m in view.marks if isinstance(m, Line) and len(np.asarray(m.x)) > 2]
    A, B = path.leaders()
    for k in range(3):
        for line, expected in zip(lines[2 * k : 2 * k + 2], (B, A), strict=True):
            steps = np.asarray(line.x).astype(int)
            np.testing.assert_allclose(np.asarray(line.y), expected[steps, k], atol=6e-4)
    said = dict(view.readouts)["*A* leads from step"]
    assert said == ", ".join(number(t, 6) if math.isfinite(t) else "never" for t in path.crossing())
    level = plateau(LAW, settings).level
    assert dict(view.readouts)["plateau of *B*"] == number(level)


def test_words_name_the_side_and_the_condition_that_fails() -> None:
    won = phases_view(0.9, 300.0)
    assert "all three classes" in won.sentence and won.warning is None
    assert phases_view(1.0, 300.0).warning is None
    assert "standard training" in (phases_view(0.0, 300.0).warning or "")
    slow = phases_view(0.9, 43.0)
    assert "no class ends" in slow.sentence and "not above the critical rate" in (
        slow.warning or ""
    )
    assert slow.sentence.startswith("With ε = 0.9 and η̃ = 43,")
    assert "critical budget" in (phases_view(0.2, 10000.0).warning or "")
    mixed = phases_view(0.7, 300.0)
    assert "classes 1 and 3 end on u and class 2 ends on v" in mixed.sentence
    assert "too far below β" in (mixed.warning or "")
    late = phases_view(0.9, 60.0)
    assert "not far" in (late.warning or "") and "classes 1, 2 and 3 A leads" in late.sentence
    assert "do not suffice" in (phases_view(1.2, 10000.0).warning or "")


def test_below_the_critical_rate_no_class_ever_ends_on_u() -> None:
    act = TrainingSettings().activation
    assert isinstance(act, SmoothedReLU)
    limit = critical_rate(LAW, act.q)
    for eps in (0.5, 0.9, 1.2):
        assert dict(phases_view(eps, 0.99 * limit).readouts)["classes on *u*"] == "0 of 3"


def test_every_position_has_its_words_and_the_table_is_small(explorer: Explorer) -> None:
    assert len(explorer._table) < 100_000
    for at in np.ndindex(*explorer.shape):
        stored = explorer.stored_view(*at)
        assert re.search(r"ε = \S+ and η̃ = .+, (all three|no class|class)", stored["sentence"])
        wins = dict(stored["readouts"])["classes on *u*"]
        assert bool(stored["warning"]) == (wins != "3 of 3"), stored["sentence"]


@pytest.mark.parametrize("bad", [{"eps": -0.1}, {"rate": 0.0}, {"rate": math.inf}])
def test_nonsense_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        phases_view(**{"eps": 0.9, "rate": 300.0, **bad})

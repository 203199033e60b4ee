"""The phase transition: paths and times of the recursion, words that name what fails."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sublinear_lib.chapters.how_adversarial_training_changes_the_race import explorers
from sublinear_lib.features import (
    FeatureData,
    TrainingAttack,
    TrainingSettings,
    feature_recursion,
    plateau,
    run_record,
    train_features,
)
from sublinear_lib.plotting import number
from sublinear_lib.widgets import Explorer, Line
from tests.chapters.marks import of

LAW = FeatureData()


@pytest.mark.parametrize(("eps", "rate"), [(0.9, "300"), (0.69, "300"), (0.85, "100"), (0.9, "43")])
def test_paths_and_times_are_those_of_the_recursion_of_the_main_run(eps: float, rate: str) -> None:
    start = train_features(LAW, TrainingSettings(steps=0), 0).initial.alignments(LAW)
    settings = TrainingSettings(attack=TrainingAttack(eps=eps, rate=float(rate)))
    path = feature_recursion(LAW, settings, *start, coupled=True)
    view = explorers.phases.function(eps, rate)
    lines = [mark for mark in of(view, Line) if len(np.asarray(mark.x)) > 2]
    A, B = path.leaders()
    for k in range(3):
        for line, expected in zip(lines[2 * k : 2 * k + 2], (B, A), strict=True):
            steps = np.asarray(line.x).astype(int)
            np.testing.assert_allclose(np.asarray(line.y), expected[steps, k], atol=6e-4)
    read, times = dict(view.readouts), path.crossing()
    said = ", ".join(number(t, 6) if math.isfinite(t) else "–" for t in times)
    assert read["*A* leads from step"] == said
    level = plateau(LAW, settings).level
    assert read["plateau of *B*"] == (number(level) if math.isfinite(level) else "none")


def test_words_name_the_side_and_the_condition_that_fails() -> None:
    view = explorers.phases.function
    won, slow, mixed = view(0.9, "300"), view(0.9, "43"), view(0.7, "300")
    assert "all three classes" in won.sentence and won.warning is None
    assert "standard training" in (view(0.0, "300").warning or "")
    assert "no class ends" in slow.sentence and "critical rate" in (slow.warning or "")
    assert slow.sentence.startswith("With ε = 0.9 and η̃ = 43,")
    assert "critical budget" in (view(0.2, "300").warning or "")
    assert "classes 1 and 3 end on u and class 2 ends on v" in mixed.sentence
    assert "too far below β" in (mixed.warning or "")


def test_the_far_ends_of_the_map_have_their_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorers, "_RATES", {"60": 60.0, "10000": 1e4})
    explorers._diagram.cache_clear()
    late = explorers.phases.function(0.91, "60")
    assert "not far" in (late.warning or "") and "A leads" in late.sentence
    assert "do not suffice" in (explorers.phases.function(1.21, "10000").warning or "")
    explorers._diagram.cache_clear()


def test_an_alarm_stands_exactly_where_some_class_keeps_v() -> None:
    explorer = explorers.phases()
    assert isinstance(explorer, Explorer)
    for at in np.ndindex(*explorer.shape):
        stored = explorer.stored_view(*at)
        wins = dict(stored["readouts"])["classes on *u*"]
        assert bool(stored["warning"]) == (wins != "3 of 3"), stored["sentence"]
        assert at[1] > 0 or wins == "0 of 3", "below the critical rate no class ends on u"


def test_the_first_lab_prints_times_shares_and_both_bounds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = explorers.train_at.function(eps=0.9, rate=300.0, scale=0.2, steps=120, seed=3)
    said = capsys.readouterr().out
    settings = TrainingSettings(scale=0.2, steps=120, attack=TrainingAttack(eps=0.9, rate=300.0))
    run = train_features(LAW, settings, 3)
    path = feature_recursion(LAW, settings, *run.initial.alignments(LAW), coupled=True)
    for times in (run.history.crossing(), path.crossing()):
        assert ", ".join(f"{t:.0f}" if t < np.inf else "never" for t in times) in said
    record = run_record(run, np.random.default_rng([3, 1]), eps=0.52)
    assert f"at least {record['attacked']:.3f}" in said
    assert f"at most {record['certified']:.3f}" in said
    assert "by the recursion" in shown.alt and "plateau" in shown.alt


@pytest.mark.thorough
def test_the_second_lab_shows_the_recursion_for_one_clipped_step_only(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = explorers.train_in_steps.function(eps=0.9, inner=3, rule="clipped", seed=0)
    said = capsys.readouterr().out
    settings = TrainingSettings(attack=TrainingAttack(eps=0.9, steps=3))
    run = train_features(LAW, settings, 0)
    assert ", ".join(f"{t:.0f}" for t in run.history.crossing()) in said
    assert f"loss {run.history.loss[-1]:.2g}" in said and "certificate" in said
    assert "recursion" not in shown.alt and "The plateau lies at 1.05" in shown.alt

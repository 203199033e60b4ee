"""The phase transition: paths and times of the recursion, words that name what fails."""

import math
from functools import partial

import numpy as np
import pytest

from sublinear_lib import features as fl
from sublinear_lib.chapters.how_adversarial_training_changes_the_race import explorers, figures
from sublinear_lib.plotting import number
from sublinear_lib.widgets import Explorer, Line
from tests.chapters.marks import of
from tests.plotting.shown import alt, lines, tells, texts

LAW = fl.FeatureData()


@pytest.mark.parametrize(("eps", "rate"), [(0.9, "300"), (0.69, "300"), (0.9, "40")])
def test_paths_and_times_are_those_of_the_recursion_of_the_main_run(eps, rate):
    start = fl.train_features(LAW, fl.TrainingSettings(steps=0), 0).initial.alignments(LAW)
    settings = fl.TrainingSettings(attack=fl.TrainingAttack(eps=eps, rate=float(rate)))
    path = fl.feature_recursion(LAW, settings, *start, coupled=True)
    view = explorers.phases.function(eps, rate)
    drawn = [mark for mark in of(view, Line) if len(np.asarray(mark.x)) > 2]
    A, B = path.leaders()
    for k in range(3):
        for line, expected in zip(drawn[2 * k : 2 * k + 2], (B, A), strict=True):
            steps = np.asarray(line.x).astype(int)
            np.testing.assert_allclose(np.asarray(line.y), expected[steps, k], atol=6e-4)
    read, times = dict(view.readouts), path.crossing()
    said = ", ".join(number(t, 6) if math.isfinite(t) else "–" for t in times)
    assert read["*A* leads from step"] == said
    level = fl.plateau(LAW, settings).level
    assert read["plateau of *B*"] == (number(level) if math.isfinite(level) else "none")


def test_words_name_the_side_and_the_condition_that_fails():
    view = explorers.phases.function
    won, slow, mixed = view(0.9, "300"), view(0.9, "40"), view(0.7, "300")
    assert "u wins all three classes" in won.sentence and won.warning is None
    assert "standard training" in (view(0.0, "300").warning or "")
    assert "v wins all three classes" in slow.sentence and "critical rate" in (slow.warning or "")
    assert "below the critical one (0.223 for class 1" in (view(0.2, "300").warning or "")
    assert "u wins classes 1 and 3, and v wins class 2" in mixed.sentence
    assert "too far below β" in (mixed.warning or "")
    for eps, rate, said in ((0.91, 60.0, "only a little above"), (1.21, 1e4, "do not suffice")):
        found = fl.plateau(LAW, fl.TrainingSettings(attack=fl.TrainingAttack(eps=eps, rate=rate)))
        assert said in (explorers._failing(eps, rate, np.zeros(3, dtype=bool), found) or "")


def test_an_alarm_stands_exactly_where_some_class_keeps_v():
    explorer = explorers.phases()
    assert isinstance(explorer, Explorer)
    for at in np.ndindex(*explorer.shape):
        stored = explorer.stored_view(*at)
        wins = dict(stored["readouts"])["classes that *u* wins"]
        assert bool(stored["warning"]) == (wins != "3 of 3"), stored["sentence"]
        assert at[1] > 0 or wins == "0 of 3", "below the critical rate no class ends on u"


def test_the_first_lab_prints_times_shares_and_both_bounds(capsys):
    shown = explorers.train_at.function(eps=0.9, rate=300.0, scale=0.2, steps=120, seed=3)
    said = capsys.readouterr().out
    attack = fl.TrainingAttack(eps=0.9, rate=300.0)
    settings = fl.TrainingSettings(scale=0.2, steps=120, attack=attack)
    run = fl.train_features(LAW, settings, 3)
    path = fl.feature_recursion(LAW, settings, *run.initial.alignments(LAW), coupled=True)
    for times in (run.history.crossing(), path.crossing()):
        assert ", ".join(f"{t:.0f}" if t < np.inf else "never" for t in times) in said
    record = fl.run_record(run, np.random.default_rng([3, 1]), eps=0.52)
    assert f"at least {record['attacked']:.3f}" in said
    assert f"at most {record['certified']:.3f}" in said
    tells(shown, "by the recursion", "plateau")


@pytest.mark.thorough
def test_the_second_lab_shows_the_recursion_for_one_clipped_step_only(capsys):
    shown = explorers.train_in_steps.function(eps=0.9, inner=3, rule="clipped", seed=0)
    said = capsys.readouterr().out
    run = fl.train_features(LAW, fl.TrainingSettings(attack=fl.TrainingAttack(eps=0.9, steps=3)), 0)
    assert ", ".join(f"{t:.0f}" for t in run.history.crossing()) in said
    assert f"loss {run.history.loss[-1]:.2g}" in said and "certificate" in said
    assert "recursion" not in shown.alt and "The plateau lies at 1.05" in shown.alt


STEPS = np.arange(0, 401, 10)
A, B = 0.05 * np.exp(STEPS / 80), np.minimum(0.04 * np.exp(STEPS / 40), 1.0)
CLASSES = [
    figures.TransitionPanel("class 1", A, B, 1.02 * A, B, 240.0, 235.0),
    figures.TransitionPanel("class 2", 0.1 * A, B),
]
WALLS = [
    figures.Wall([0.7, 0.8, 0.9], [200.0, 100.0, 90.0], [1e4, 1e4, 8e3]),
    figures.Wall([], [], []),
]
RUNS = [figures.MapRun(eps, 300.0, share) for eps, share in ((0.4, 0.0), (0.7, 0.6), (0.9, 1.0))]
RATES = {
    "rate": [30.0, 30.0, 300.0, 300.0, 3000.0, 3000.0],
    "crossing": [[None, math.inf], [None, 900], [500, 700], [550, 650], [800, 800], [800, 800]],
    "predicted": [[None, 800], [None, 850], [450, 650], [500, 600], [700, 700], [700, 700]],
    "lower": [[None] * 2] * 2 + [[400.0, 400.0]] * 4,
    "upper": [[None] * 2] * 2 + [[1400.0, 1500.0]] * 4,
}

transition = partial(figures.transition_picture, steps=STEPS, panels=CLASSES, level=1.05, name="t")
phase_map = partial(figures.phase_map_picture, walls=WALLS, critical=43.2, runs=RUNS, name="m")
rates = partial(figures.rates_picture, **RATES, name="r")


def test_the_transition_gives_both_ends_and_when_the_lead_changes():
    tells(transition(), "class 1: A goes from 0.05 to 7.42, B from 0.04 to 1")
    tells(transition(), "A takes the lead for good at step 240, by the recursion at step 235")
    tells(transition(), "class 2", "for good never", "The plateau lies at 1.05.")
    assert {"A leads for good from 240 (recursion: 235)", "plateau"} <= set(texts(transition()))
    assert transition(level=math.inf).html == transition(level=None).html


def test_the_map_tells_where_the_robust_feature_wins_and_what_runs_did():
    tells(phase_map(), "Of 2 classes the strong feature wins somewhere in 1, from budgets of 0.7")
    tells(phase_map(), "above rates of 90 to 90 at least", "The critical rate is 43.2")
    tells(phase_map(), "0.7 and 300: 60 % of the classes")
    tells(phase_map(walls=WALLS[1:]), "wins nowhere")
    dots = {role: lines(phase_map(), role, marker="o") for role in ("c1", "c2", "c5")}
    assert [points[0][0, 0] for points in dots.values()] == [0.9, 0.4, 0.7]
    assert lines(phase_map(), "c1")[0][:2].tolist() == [[0.7, 1e4], [0.7, 200.0]]  # its left edge


def test_every_class_is_a_dot_beside_the_means_of_training_and_recursion():
    tells(rates(), "recursion, on average at step 850 at rate 30 and at step 700 at rate")
    tells(rates(), "training, on average at step 900 at rate 30 and at step 800 at rate")
    assert alt(rates()).endswith("classes that cross: 1 of 4 at 30, all at the others.")
    # 9 of the 12 classes have a time; a class that never crosses has no dot.
    assert [len(points) for points in lines(rates(), "c1")] == [9, 3]
    low, high = lines(rates(), "c2")
    np.testing.assert_array_equal(low, [[300, 400], [3000, 400]])
    np.testing.assert_array_equal(high, [[300, 1450], [3000, 1450]])

"""The race of two features: numbers of the recursion, words that are true, labs of the library."""

import re
from functools import partial

import numpy as np
import pytest

from sublinear_lib import features as fl
from sublinear_lib.chapters.two_kinds_of_features import explorers, figures
from sublinear_lib.plotting import number, percent
from sublinear_lib.widgets import Line, Rule
from tests.chapters.marks import of
from tests.plotting.shown import lines, tells

RATES = {2.0: 1 / 15, 2.5: 15**-0.5, 3.0: 1.0, 4.0: 15.0}
RACE, TRAIN = explorers.race.function, explorers.train_a_race.function


@pytest.mark.parametrize(
    ("ratio", "patches", "q"), [(1.0, 60, 3.0), (0.5, 15, 4.0), (2.0, 120, 2.0), (1.37, 60, 2.5)]
)
def test_lines_and_numbers_are_those_of_the_recursion(ratio, patches, q):
    view = RACE(ratio, str(patches), f"{q:g}")
    law, act = fl.FeatureData(nonrobust_patches=patches), fl.SmoothedReLU(q, 15.0)
    settings = fl.TrainingSettings(activation=act, rate=RATES[q], steps=400)
    path = fl.feature_recursion(law, settings, [0.3], [0.3 * ratio])
    for line, values in zip(of(view, Line), (path.A, path.B), strict=True):
        expected = values[np.asarray(line.x, dtype=int), 0, 0]
        np.testing.assert_allclose(line.y, expected, rtol=5.1e-3)
    read, R = dict(view.readouts), fl.race_ratio(law, q, 0.3, 0.3 * ratio)
    assert read["race ratio *R*"] == number(R)
    u, v = act.value(3.0 * path.A)[:, 0, 0], patches * act.value(path.B)[:, 0, 0]
    assert read["share of *u*"] == percent(float((u / (u + v))[-1]))
    over = np.flatnonzero(u + v >= 0.5)
    assert [mark.at for mark in of(view, Rule)] == [float(k) for k in over[:1]]
    lower, upper = map(int, re.findall(r"\d+", read["doubling predicted"]))
    doubled = int(read["*v* doubled" if R > 1 else "*u* doubled"].removeprefix("step "))
    # The full recursion is a little slower than the early form, never faster.
    assert q == 2.0 or lower <= doubled <= 1.15 * upper


def test_each_condition_that_fails_is_named():
    three, four = RACE(1.0, "60", "3"), RACE(1.0, "60", "4")
    assert "above 1, so v gains" in three.sentence and "the weak feature" in three.sentence
    assert "*C* = 2.22" in three.sentence and three.warning is None
    assert "below 1, so u gains" in four.sentence and "learned the strong" in four.sentence
    assert "q = 4, fails" in (four.warning or "")
    assert "not denser" in (RACE(1.0, "15", "3").warning or "")
    assert "turn the race" in (RACE(0.4, "60", "3").warning or "")
    late = RACE(0.3, "11", "2")
    assert "v gains at every step" in (late.warning or "") and "the strong feature" in late.sentence
    even = RACE(1.0, "27", "3")
    assert ": an even race." in even.sentence and "close to 1" in (even.warning or "")


def test_training_prints_ratio_winner_and_errors(capsys):
    shown, law = TRAIN(seed=6, q=3.0, filters=12), fl.FeatureData()
    said = capsys.readouterr().out.splitlines()
    start = fl.train_features(law, fl.TrainingSettings(steps=0), 6).initial.alignments(law)
    ratios = [fl.race_ratio(law, 3, *(x[i].max() for x in start)) for i in range(3)]
    assert all(f"race ratio {r:.2f}" in line for r, line in zip(ratios, said, strict=False))
    learned = re.findall(r"learned (.)", "\n".join(said))
    assert learned == ["v" if r > 1 else "u" for r in ratios] == ["v", "v", "u"]
    assert "clean error 0.00" in said[3] and "eps = 0.52: 0.67" in said[4]
    tells(shown, "predicted")
    for seed in range(5):
        TRAIN(seed=seed, q=2.0, filters=1)
    assert "no filter begins with a positive part" in capsys.readouterr().out


def test_the_sample_lab_prints_errors_and_certificate(capsys):
    law = {"alpha": 3.0, "beta": 1.0, "nonrobust_patches": 60, "noise": 0.025}
    shown = explorers.attack_a_sample.function(eps=0.52, kind="swap_both", seed=1, **law)
    said = capsys.readouterr().out
    assert "u 27, v 60, C = 2.22" in said
    data = fl.FeatureData().sample(30, rng=1)
    for letter, A in (("u", 1.0), ("v", 0.0)):
        network = fl.PatchNetwork.of_features(data.law, [A], [1.0 - A])
        found = fl.feature_attack(network, data, 0.52, "swap_both").error
        proof = fl.certify_patches(network, data.X, data.y, 0.52).error
        line = f"{letter} alone: clean error 0.00, this attack {found:.2f}, any attack at most "
        assert f"{line}{proof:.2f}" in said
    tells(shown, "u₂ in 61 cells, on average 0.52")


STEPS, LONG = np.arange(301), np.arange(20_001)
GROWN, SLOW = 0.1 / (1 - STEPS / 400), 0.1 + STEPS / 3000
PANELS = [figures.RacePanel("class 0", SLOW, GROWN, 1.1 * SLOW, GROWN)]
MEASURED = {"ratio": [0.5, 0.9, 1.2, 4.0], "measured": [1.0, 0.4, 0.6, 0.0]}
ROWS = [figures.HeatRows(["*u*_{1}"], "c1"), figures.HeatRows(["*v*_{1}", "*v*_{2}"], "c2")]
X = np.array([[3.0, 0.0, 0.02], [0.0, 1.0, 0.0], [0.0, 1.0, -0.5]])
HEAT = [figures.HeatPanel("clean", X), figures.HeatPanel("change", -X)]

race = partial(figures.race_picture, steps=STEPS, panels=PANELS, name="r")
long = partial(race, steps=LONG, panels=[figures.RacePanel("a", *2 * (LONG / 1e4, LONG / 2e4))])
ratios = partial(figures.ratio_picture, **MEASURED, predicted=[1.0, 0.6, 0.6, 0.1], name="q")
heat = partial(figures.patch_picture, panels=HEAT, rows=ROWS, floor=0.1, name="h")


def test_texts_give_the_numbers():
    tells(race(), "over 300 steps, and dotted a prediction")
    tells(race(), "A, the strong feature, goes from 0.1 to 0.2 (predicted 0.22)")
    tells(race(), "B, the weak one, goes from 0.1 to 0.4 (predicted 0.4)")
    tells(ratios(), "Of 2 below 1, 1 lean on the strong feature; of 2 others, 1 do")
    tells(ratios(), "same winner for 3 of 4", "from its dot is 0.2")
    tells(heat(), "clean: u₁ in 1 cell, on average 3; v₁ in 2 cells, on average 1; v₂")
    tells(heat(), "change: u₁ in 1 cell, on average -3")


def test_long_runs_are_thinned_but_keep_their_ends():
    tells(long(), "goes from 0 to 2", "goes from 0 to 1")
    for points in lines(long()):
        assert len(points) == 160 and points[0, 0] == 0 and points[-1, 0] == 20_000


def test_on_a_logarithmic_axis_features_must_be_positive():
    with pytest.raises(ValueError, match="low must be"):
        race(panels=[figures.RacePanel("a", *2 * (-SLOW, GROWN))], scale="log10")
    (axes,) = race(panels=[figures.RacePanel("a", *4 * (-1.0 - SLOW,))])._figures[0].axes
    assert axes.get_ylim() == pytest.approx((-1.2, 1.0)), "features that have turned around"


def test_cells_below_the_floor_are_left_blank_and_all_panels_have_the_same_shades():
    tells(heat(panels=[figures.HeatPanel("none", 0 * X)]), "nothing visible")
    assert len(heat(floor=0.6).html) < len(heat().html) < len(heat(floor=0.0).html)
    weak, strong = (figures.HeatPanel("a", np.full((3, 3), top)) for top in (1.0, 4.0))
    shades = [
        set(re.findall(r"opacity:([0-9.]+)", heat(panels=panels, floor=0.0).html))
        for panels in ([weak], [strong], [weak, strong])
    ]
    assert shades[0] == shades[1] and len(shades[2]) == len(shades[0]) + 1

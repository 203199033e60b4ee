"""The race of two features: numbers of the recursion, words that are true, labs of the library."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sublinear_lib import features as fl
from sublinear_lib.chapters.two_kinds_of_features import explorers
from sublinear_lib.plotting import number, percent
from sublinear_lib.widgets import Line, Rule
from tests.chapters.marks import of

RATES = {2.0: 1 / 15, 2.5: 15**-0.5, 3.0: 1.0, 4.0: 15.0}
RACE, TRAIN = explorers.race.function, explorers.train_a_race.function


@pytest.mark.parametrize(
    ("ratio", "patches", "q"), [(1.0, 60, 3.0), (0.5, 15, 4.0), (2.0, 120, 2.0), (1.37, 60, 2.5)]
)
def test_lines_and_numbers_are_those_of_the_recursion(ratio: float, patches: int, q: float) -> None:
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
    lower, upper = (
        int(part) for part in read["doubling predicted"].removeprefix("step ").split(" to ")
    )
    doubled = int(read["*v* doubled" if R > 1 else "*u* doubled"].removeprefix("step "))
    # The full recursion is a little slower than the early form, never faster.
    assert q == 2.0 or lower <= doubled <= 1.15 * upper


def test_each_condition_that_fails_is_named() -> None:
    three, four = RACE(1.0, "60", "3"), RACE(1.0, "60", "4")
    assert "above 1, so v gains" in three.sentence and "the non-robust feature" in three.sentence
    assert "*C* = 2.22" in three.sentence and three.warning is None
    assert "below 1, so u gains" in four.sentence and "learned the robust" in four.sentence
    assert "q = 4, fails" in (four.warning or "")
    assert "not denser" in (RACE(1.0, "15", "3").warning or "")
    turned = RACE(0.4, "60", "3").warning or ""
    assert "turn the race" in turned
    late = RACE(0.3, "11", "2")
    assert "v gains at every step" in (late.warning or "") and "the robust feature" in late.sentence
    even = RACE(1.0, "27", "3")
    assert ": an even race." in even.sentence and "close to 1" in (even.warning or "")


def test_training_prints_ratio_winner_and_errors(capsys: pytest.CaptureFixture[str]) -> None:
    shown, law = TRAIN(seed=6, q=3.0, filters=12), fl.FeatureData()
    said = capsys.readouterr().out.splitlines()
    start = fl.train_features(law, fl.TrainingSettings(steps=0), 6).initial.alignments(law)
    ratios = [fl.race_ratio(law, 3, *(x[i].max() for x in start)) for i in range(3)]
    assert all(f"race ratio {r:.2f}" in line for r, line in zip(ratios, said, strict=False))
    learned = re.findall(r"learned (.)", "\n".join(said))
    assert learned == ["v" if r > 1 else "u" for r in ratios] == ["v", "v", "u"]
    assert "clean error 0.00" in said[3] and "eps = 0.52: 0.67" in said[4]
    assert "predicted" in shown.alt
    for seed in range(5):
        TRAIN(seed=seed, q=2.0, filters=1)
    assert "no filter begins with a positive part" in capsys.readouterr().out


def test_the_sample_lab_prints_errors_and_certificate(capsys: pytest.CaptureFixture[str]) -> None:
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
    assert "u₂ in 61 cells, on average 0.52" in shown.alt

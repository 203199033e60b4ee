"""Two memorizers: certified, and counted as nearest neighbors answer."""

import re
from functools import partial

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sublinear_lib import memorization as mem
from sublinear_lib.chapters.lipschitz_control_and_generalization import explorers, figures
from sublinear_lib.plotting import number, percent
from sublinear_lib.statistics import clopper_pearson, median_interval
from tests.plotting.shown import tells

KEPT = {"zero": lambda d: d == 0, "parity": lambda d: d % 2 == 0, "half": lambda d: d < 5}
plane = partial(explorers.answer_in_the_plane.function, points="", N=6, share=0.4, seed=2)


@pytest.mark.parametrize("question", KEPT)
def test_memorizers_are_certified_and_one_answers_as_the_nearest_neighbor(question, capsys):
    shown = explorers.memorize_digits.function(N=50, question=question, share=0.3, seed=1)
    said = capsys.readouterr().out
    data = mem.digits(50, np.random.default_rng(1))
    s, truth = (np.where(KEPT[question](y - 1.0), 1.0, -1.0) for y in (data.y, data.y_test))
    apart = cdist(data.X_test, data.X, "chebyshev")
    near = apart == apart.min(axis=1, keepdims=True)
    # Right only if all nearest digits have the right label.
    right = np.where(near, s == truth[:, None], True).all(axis=1)
    assert f"Theorem 5.2: certified on 50 of 50 balls, right {percent(right.mean())}" in said
    assert "Theorem 4.8: certified on 50 of 50 balls" in said and "; 1747 other digits" in said
    assert f"lambda = {number(16 * mem.separation(data.X, s))} gray levels" in said
    for name in ("Theorem 4.8", "Theorem 5.2"):
        row = rf"{name}: right ([\d.]+)\s%.*?wrong ([\d.]+)\s%, no answer ([\d.]+)\s%"
        [shares] = re.findall(row, shown.alt)
        assert sum(map(float, shares)) == pytest.approx(100.0, abs=0.2)


def test_typed_points_are_memorized(capsys):
    shown = plane(points="0 0 +; 1 0.5 -;", share=0.25)
    said = capsys.readouterr().out
    # 2n/(lambda - 2 mu) with n = 2, and 1/(lambda - 2 mu).
    assert "lambda = 1, mu = 0.25" in said and "8 for Theorem 4.8, 2 for Theorem 5.2" in said
    tells(shown, "2 points of the plane", "half-width 0.25")
    tells(plane(points=";"), "6 points of the plane")


GRID = np.linspace(-1.0, 1.0, 21)[None, :] * np.ones((21, 1))
PANELS = [
    figures.AnswerPanel("*f*", GRID),
    figures.AnswerPanel("*F*", GRID, (0.5, 9.0), (0.0, 0.5)),
]
ROWS = {"*F*, list": (0.25, 0.25, 0.5), "map": (0.75, 0.25, 0.0)}
INTERVALS = {"*F*, list": clopper_pearson(25, 100), "map": clopper_pearson(75, 100)}

answers = partial(
    figures.answers_picture,
    X=[[0.0, 0.0], [1.0, 0.5]],
    s=[1.0, -1.0],
    panels=PANELS,
    mu=0.25,
    limits=(-1.0, 1.0),
    name="a",
)
bars = partial(figures.answer_bars, entries=ROWS, intervals=INTERVALS, chance=0.5, name="b")


def test_answers_are_told_as_shares_of_the_square():
    # 10 of 21 columns are positive, 10 negative; of the second panel 5 and 4 are inside.
    tells(answers(), "f: the answer is plus on 48 % of the square, minus on 48 %")
    tells(answers(), "F: the answer is plus on 24 % of the square, minus on 19 %")
    silent = figures.AnswerPanel("*F*", np.zeros((5, 5)), (0.5, 2.0), (-2.0, -0.5))
    tells(answers(panels=[silent]), "there is none on 100 %", "squares of half-width 0.25")


def test_every_bar_is_as_long_as_its_share_and_written_with_its_interval():
    shown = bars()
    for title, interval in INTERVALS.items():
        written = (percent(interval.estimate), percent(interval.upper))
        assert all(text in shown.html for text in written), title
    tells(shown, "F, list: right 25 %", "no answer 50 %", "A dashed line marks a guess, 50 %")
    widths = [patch.get_width() for patch in bars()._figures[0].axes[0].patches]
    assert widths == [0.25, 0.25, 0.5, 0.75, 0.25]
    with pytest.raises(ValueError, match="add to 1"):
        bars(entries={**ROWS, "map": (0.5, 0.4, 0.2)})
    found = {"map": median_interval([0.7, 0.71, 0.72, 0.8, 0.81, 0.82])}
    tells(bars(entries={"map": (0.76, 0.24, 0.0)}, intervals=found), "interval 70 % to 82 %")

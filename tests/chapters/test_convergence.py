"""What training pays and what its proof promises: runs and the closed form of Theorem D."""

from functools import partial

import numpy as np
import pytest

from sublinear_lib import scaling
from sublinear_lib.chapters.convergence import explorers, figures
from sublinear_lib.plotting import number
from sublinear_lib.theory import regret
from sublinear_lib.widgets import Line, Points
from tests.chapters.marks import named, sparse
from tests.plotting.shown import lines, tells, texts

WEIGHTS = {"R1": 0.2, "R2": 0.4, "R3": 0.2}


@pytest.mark.parametrize("repair", WEIGHTS)
@pytest.mark.parametrize(("k", "epsilon"), [(8, "0.125"), (16, "0.5"), (160, "0.25")])
def test_runs_and_promise_are_those_of_theorem_d(repair, k, epsilon):
    m, eps = 2**k, float(epsilon)
    view = explorers.paid_and_promised.function(k, repair, epsilon)
    a, tau = float(m) ** -WEIGHTS[repair], sparse(m) if repair == "R3" else 1.0 / m
    form, steps = "continuous" if repair == "R3" else "jump", round(1 / eps**2)
    eta = eps / (a * a * m * scaling.activity(tau, m))
    law = regret.expected_one_point(m, a, tau, 1.0, eta, steps, form)
    promise = named(view, Line)["promise of the proof"]
    assert promise.y[list(promise.x).index(k)] == pytest.approx(law.total)
    assert f"at most {number(law.total)} before the run" in view.sentence
    useful = [at for at, total in zip(promise.x, promise.y, strict=True) if total < 1.0]
    assert useful == list(range(int(useful[0]), 161))
    assert f"from 2^{{{int(useful[0])}}} neurons on" in view.sentence
    assert ("no better than the untrained" in view.sentence) == (k < useful[0])
    if k > 16:
        assert "more than we can train" in view.sentence
        return
    rng = np.random.default_rng([0, m])
    z = rng.standard_normal(m) * (2.0 / m) ** 0.5
    signs = rng.choice(np.array([-1.0, 1.0]), m)
    found = regret.one_point_regret(z, a * signs, tau, 1.0, eta, steps, form)
    drawn = named(view, Points)["training"]
    assert drawn.y[list(drawn.x).index(k)] == pytest.approx(found.average)
    assert f"pays {number(found.average)} on average" in view.sentence


TERMS = {"loss of *W**": 0.1, "optimization": 0.2, "coupling": 0.3}
S, K = np.linspace(0.0, 1.5, 61), np.arange(8, 161)
LOSSES = {"*g*": np.abs(S - 1.0), "*f*": np.abs(S - 1.0) + 0.2 * (np.arange(S.size) % 2)}
COURSE = {"steps": [0, 1, 2], "course": {"loss": [1.0, 0.5, 0.25]}}
PROMISE = np.where(K < 121, 2.5 + np.abs(K - 100.0), 0.9)
RUNS = {"*m* = 8": [0.5, 0.25]}

bars = partial(figures.regret_bars, panels={"R1": {"*m* = 8": (TERMS, 0.4, 0.9)}}, name="bars")
line = partial(figures.surrogate_picture, along=S, losses=LOSSES, **COURSE, name="line")
promised = partial(figures.convergence_picture, runs=RUNS, exponents=K, promise=PROMISE, name="p")


def test_bars_are_as_long_as_their_terms_and_hold_the_average():
    tells(bars(), "loss of W* 0.1", "optimization 0.2", "coupling 0.3", "in all 0.6")
    tells(bars(), "average of the run 0.4", "loss at the start 0.9")
    assert "0.6" in texts(bars())
    widths = [p.get_width() for p in bars()._figures[0].axes[0].patches if p.get_height() == 16]
    np.testing.assert_allclose((np.array(widths) + 1) / (widths[0] + 1), [1, 2, 3])
    for terms, average, message in (
        (TERMS, 0.61, r"an average of 0\.61 beyond its"),
        ({"x": 1.0, "y": 1.0}, 0.1, "must have the terms"),
    ):
        with pytest.raises(ValueError, match=message):
            bars(panels={"a": {"b": (TERMS, 0.6, 0.9), "c": (terms, average, 0.9)}})


def test_the_line_counts_its_turns_and_a_ring_marks_where_the_promise_says_something():
    tells(line(), "g 1 at W_0, 0 at the end, turning 1 times")
    tells(line(), "f 1 at W_0, 0 at the end, turning 59 times")
    tells(line(), "loss from 1 to 0.25, smallest 0.25")
    with pytest.raises(ValueError, match="cover 0 and 1"):
        line(along=S[1:], losses={"f": S[1:]})
    tells(promised(), "m = 8 from 0.5 to 0.25", "below 1 from 2^121 on")
    np.testing.assert_array_equal(lines(promised(), "c2", marker="o"), [[[121, 0.9]]])

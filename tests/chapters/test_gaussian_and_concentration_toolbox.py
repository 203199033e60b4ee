"""How many neurons to allow: the exact law, the tools, and where the printed one is false."""

import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from sublinear_lib.chapters.gaussian_and_concentration_toolbox import explorers, figures
from sublinear_lib.plotting import grouped
from sublinear_lib.theory import tails as theory
from sublinear_lib.widgets import Line
from tests.chapters.marks import named
from tests.plotting.shown import lines, tells, texts

ETA = {"1/m": -1.0, "m^{-3/5}": -0.6}
LABELS = {
    "hoeffding": "Hoeffding",
    "chernoff": "Chernoff, printed",
    "chernoff repaired": "Chernoff, 2 + *ε*",
    "bernstein": "Bernstein",
}
VIEW = explorers.window_tail.function


@pytest.mark.parametrize("window", ETA)
@pytest.mark.parametrize(("m", "t"), [(256, "3"), (4096, "0"), (2**20, "0"), (2**20, "3")])
def test_law_bounds_and_alarm_are_those_of_the_binomial(window, m, t):
    view, theta = VIEW(window, t, m), m ** ETA[window] / math.sqrt(2 / m)
    p = float(stats.norm.cdf(float(t) + theta) - stats.norm.cdf(float(t) - theta))
    drawn, std = named(view, Line), math.sqrt(m * p * (1 - p))
    exact = drawn["exact law"]
    counts = np.ceil(np.round(m * p + std * np.asarray(exact.x), 9))
    expected = stats.binom.logsf(counts - 1, m, p) / math.log(10)
    seen = np.isfinite(np.asarray(exact.y))
    np.testing.assert_allclose(np.asarray(exact.y)[seen], expected[seen], rtol=1e-6)
    read, allowed = dict(view.readouts), {}
    for tool in theory.TOOLS:
        allowed[tool] = math.floor(m * p + theory.allowed_excess(tool, 1e-6, m, p))
        assert read[LABELS[tool]] == grouped(allowed[tool])
        above = np.asarray(drawn[LABELS[tool]].y)
        both = np.isfinite(above) & seen
        assert tool == "chernoff" or (above[both] >= np.asarray(exact.y)[both]).all()
    assert (view.warning is not None) == (stats.binom.sf(allowed["chernoff"], m, p) > 1e-6)
    assert view.warning is None or "printed Chernoff bound is false" in view.warning


def test_the_closest_tool_is_named_and_the_last_window_holds_half():
    said = VIEW("1/m", "0", 4096).sentence
    assert "at most 68." in said and "Bernstein comes closest and allows 72" in said
    assert f"{grouped(2**15)} are" in VIEW("half", "0", 2**16).sentence


BOUNDS = {"Chernoff": [0.9, 0.1, 1e-4], "Bernstein": [0.8, 0.05, 5e-5]}
TAIL = figures.CountTail([10, 20, 30], [0.5, 0.01, 1e-5], BOUNDS)
CROSSING = figures.Crossing([0, 1, 2], "*u*", ("curve", [3, 2, 1]), {"line": [1.5, 1.5, 1.5]}, 1.5)
tails = partial(figures.tail_panels, panels={"thin": TAIL}, name="t")
crossings = partial(figures.crossing_panels, panels=[CROSSING], name="c")


def test_tails_and_crossings_are_drawn_and_told_as_they_were_given():
    drawn = {tuple(points[:, 1].tolist()) for points in lines(tails())}
    assert {tuple(v) for v in (TAIL.exact, *BOUNDS.values())} == drawn
    assert {"exact law", "Chernoff", "Bernstein"} <= set(texts(tails()))
    tells(tails(), "at 30 neurons the exact probability is 1·10⁻⁵", "Bernstein 5·10⁻⁵")
    tells(tails(), "dashed curves above the exact one")
    broken = figures.CountTail([1, 2], [0.5, 0.1], {"wrong": [0.4, 0.2]})
    tells(tails(panels={"a": broken}), "dashed curves beside the exact one")
    np.testing.assert_array_equal(lines(crossings(), marker="o"), [[[1.5, 1.5]]])
    tells(crossings(), "curve falls from 3 to 1 and crosses a dashed line at 1.5")
    for values, verb in (([1, 2], "rises"), ([1, 1], "goes")):
        one = figures.Crossing([0, 1], "*u*", ("c", values), {"l": [1.5, 1.5]}, 0.5)
        tells(crossings(panels=[one]), f"c {verb} from 1 to {values[1]}")

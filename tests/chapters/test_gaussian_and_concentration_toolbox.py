"""How many neurons to allow: the exact law, the tools, and where the printed one is false."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sublinear_lib.chapters.gaussian_and_concentration_toolbox import explorers
from sublinear_lib.plotting import grouped
from sublinear_lib.theory import tails
from sublinear_lib.widgets import Line
from tests.chapters.marks import named

ETA = {"1/m": -1.0, "m^{-3/5}": -0.6}
LABELS = {
    "hoeffding": "Hoeffding",
    "chernoff": "Chernoff, printed",
    "chernoff repaired": "Chernoff, 2 + *ε*",
    "bernstein": "Bernstein",
}
VIEW = explorers.window_tail.function


def share(m: int, t: str, window: str) -> float:
    theta = m ** ETA[window] / math.sqrt(2 / m)
    return float(stats.norm.cdf(float(t) + theta) - stats.norm.cdf(float(t) - theta))


@pytest.mark.parametrize("window", ETA)
@pytest.mark.parametrize("t", ["0", "3"])
@pytest.mark.parametrize("m", [256, 4096, 2**20])
def test_law_bounds_and_alarm_are_those_of_the_binomial(window: str, m: int, t: str) -> None:
    view, p = VIEW(window, t, m), share(m, t, window)
    lines, std = named(view, Line), math.sqrt(m * p * (1 - p))
    exact = lines["exact law"]
    counts = np.ceil(np.round(m * p + std * np.asarray(exact.x), 9))
    expected = stats.binom.logsf(counts - 1, m, p) / math.log(10)
    seen = np.isfinite(np.asarray(exact.y))
    np.testing.assert_allclose(np.asarray(exact.y)[seen], expected[seen], rtol=1e-6)
    read = dict(view.readouts)
    for tool in tails.TOOLS:
        allowed = math.floor(m * p + tails.allowed_excess(tool, 1e-6, m, p))
        assert read[LABELS[tool]] == grouped(allowed)
        above = np.asarray(lines[LABELS[tool]].y)
        both = np.isfinite(above) & seen
        assert tool == "chernoff" or (above[both] >= np.asarray(exact.y)[both]).all()
    printed = math.floor(m * p + tails.allowed_excess("chernoff", 1e-6, m, p))
    assert (view.warning is not None) == (stats.binom.sf(printed, m, p) > 1e-6)
    assert view.warning is None or "printed Chernoff bound is false" in view.warning


def test_the_closest_tool_is_named_and_the_last_window_holds_half() -> None:
    said = VIEW("1/m", "0", 4096).sentence
    assert "at most 68." in said and "Bernstein comes closest and allows 72" in said
    assert "32 are" in VIEW("half", "0", 64).sentence
    assert f"{grouped(2**15)} are" in VIEW("half", "0", 2**16).sentence

"""The explorer of the toolbox shows what the library computes and says which bound is false."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sublinear_lib.plotting import grouped
from sublinear_lib.theory import tails
from sublinear_lib.widgets import Line, View, window_tail_explorer, window_tail_view

ETA = {"1/m": -1.0, "m^{-3/5}": -0.6}
LABELS = {
    "hoeffding": "Hoeffding",
    "chernoff": "Chernoff, printed",
    "chernoff repaired": "Chernoff, 2 + *ε*",
    "bernstein": "Bernstein",
}


def line(view: View, label: str) -> Line:
    [found] = [mark for mark in view.marks if isinstance(mark, Line) and label in mark.label]
    return found


def share(m: int, t: float, window: str) -> float:
    theta = m ** ETA[window] / math.sqrt(2 / m)
    return float(stats.norm.cdf(t + theta) - stats.norm.cdf(t - theta))


@pytest.mark.parametrize("window", ETA)
@pytest.mark.parametrize(("m", "t"), [(256, 0.0), (4096, 2.0), (2**20, 1.0)])
def test_the_exact_law_is_the_binomial_one(window: str, m: int, t: float) -> None:
    p = share(m, t, window)
    exact = line(window_tail_view(m, t, window), "exact law")
    std = math.sqrt(m * p * (1 - p))
    counts = np.ceil(np.round(m * p + std * np.asarray(exact.x), 9))
    expected = stats.binom.logsf(counts - 1, m, p) / math.log(10)
    seen = np.isfinite(np.asarray(exact.y))
    np.testing.assert_allclose(np.asarray(exact.y)[seen], expected[seen], rtol=1e-6)
    assert seen.any()


@pytest.mark.parametrize("window", [*ETA, "half"])
@pytest.mark.parametrize("t", [0.0, 3.0])
def test_every_true_bound_lies_above_the_exact_law(window: str, t: float) -> None:
    view = window_tail_view(4096, t, window)
    exact = np.asarray(line(view, "exact law").y)
    for label in ("Hoeffding", "Chernoff, 2", "Bernstein"):
        above = np.asarray(line(view, label).y)
        both = np.isfinite(above) & np.isfinite(exact)
        assert (above[both] >= exact[both]).all()


def test_what_each_tool_allows_is_what_the_library_says() -> None:
    m, p = 4096, share(4096, 0.0, "1/m")
    view = window_tail_view(m, 0.0, "1/m")
    read = dict(view.readouts)
    for tool in tails.TOOLS:
        allowed = math.floor(m * p + tails.allowed_excess(tool, 1e-6, m, p))
        assert read[LABELS[tool]] == grouped(allowed)
    assert "there are at most 68." in view.sentence
    assert "Bernstein comes closest and allows 72" in view.sentence
    assert view.warning is None


def test_half_of_the_neurons_are_in_the_last_window() -> None:
    for m in (64, 2**16):
        assert (
            f"{grouped(m // 2) if m > 200 else m // 2} are"
            in window_tail_view(m, 0.0, "half").sentence
        )


def test_it_warns_exactly_where_the_printed_chernoff_bound_is_false() -> None:
    for m in (1024, 4096, 2**16):
        for t in (0.0, 1.0, 2.0, 3.0):
            view, p = window_tail_view(m, t, "1/m"), share(m, t, "1/m")
            printed = math.floor(m * p + tails.allowed_excess("chernoff", 1e-6, m, p))
            false = stats.binom.sf(printed, m, p) > 1e-6
            assert (view.warning is not None) == false
    assert "printed Chernoff bound is false" in (window_tail_view(4096, 3.0, "1/m").warning or "")


def test_the_explorer_starts_at_the_thin_window() -> None:
    explorer = window_tail_explorer()
    assert explorer.values == {"window": "1/m", "t": "0", "m": 4096}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [((64, 0.0, "wide"), "window"), ((64, -1.0, "1/m"), "t"), ((0, 0.0, "1/m"), "m")],
)
def test_arguments_out_of_range_are_named(arguments: tuple[int, float, str], named: str) -> None:
    with pytest.raises(ValueError, match=rf"\b{named}\b"):
        window_tail_view(*arguments)

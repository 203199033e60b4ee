"""Promises of the explorer of slopes, terms and degrees: the library's numbers, and true words."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.plotting import grouped, number
from sublinear_lib.theory import best_steps
from sublinear_lib.widgets import Explorer, Line, Points, View, lipschitz_explorer, lipschitz_view


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return lipschitz_explorer()


def line(view: View, label: str) -> Line:
    [found] = [m for m in view.marks if isinstance(m, Line) and m.label == label]
    return found


@pytest.mark.parametrize(("share", "n", "N"), [(0.0, 2, 10), (0.45, 64, 1000), (0.499, 784, 100)])
def test_the_numbers_are_those_of_the_library(share: float, n: int, N: int) -> None:
    view = lipschitz_view(share, n, N, 2)
    read = dict(view.readouts)
    gap = 1.0 - 2.0 * share
    assert read["slope, Theorem 4.8"] == number(2 * n / gap)
    assert read["slope, Theorem 5.2"] == number(1 / gap)
    K = mem.l2_terms(n, 1.0, share, 2.0)
    sizes = {
        "Theorem 4.8": mem.linf_size(N, n),
        "Theorem 5.2": mem.lipschitz_size(N, n, clipped=True),
        "Theorem B.3": mem.l2_size(N, n, K),
    }
    for name, size in sizes.items():
        assert read[name] == f"depth {grouped(size.depth)}, {grouped(size.nonzeros)} nonzero"
    level = Fraction(3, 10) / (3 * N)
    printed = float(best_steps.printed_step_degree(1, Fraction(share), level))
    least = float(best_steps.necessary_degree(1, Fraction(share), level))
    assert f"K = {K} sawtooth" in view.sentence
    assert f"degree {number(printed)} as printed" in view.sentence
    assert f"less than {number(least)}" in view.sentence
    assert view.warning is None


def test_the_dots_lie_on_the_curves() -> None:
    view = lipschitz_view(0.475, 8, 100, 2)
    [dots] = [m for m in view.marks if isinstance(m, Points)]
    labels = ("degree, printed", "degree, least", "slope, 4.8", "*K*", "slope, 5.2")
    for value, label in zip(np.asarray(dots.y).tolist(), labels, strict=True):
        curve = line(view, label)
        at = int(np.argmin(np.abs(np.asarray(curve.x) - 0.475)))
        assert curve.y[at] == pytest.approx(value), label


def test_the_dimension_moves_one_slope_only() -> None:
    small, large = (lipschitz_view(0.45, n, 1000, 2) for n in (2, 784))
    ratio = np.asarray(line(large, "slope, 4.8").y) / np.asarray(line(small, "slope, 4.8").y)
    np.testing.assert_allclose(ratio, 392.0, rtol=1e-9)
    np.testing.assert_allclose(line(large, "slope, 5.2").y, line(small, "slope, 5.2").y, rtol=1e-9)


@pytest.mark.parametrize("share", [0.5, 0.55])
def test_from_the_threshold_on_it_says_which_hypothesis_fails(share: float) -> None:
    view = lipschitz_view(share, 64, 1000, 2)
    assert view.warning is not None and "μ < λ/2 fails" in view.warning
    assert not any(isinstance(m, Points) for m in view.marks)


def test_more_labels_fail_theorem_5_2_and_only_it() -> None:
    view = lipschitz_view(0.45, 64, 1000, 10)
    assert view.warning is not None and "two labels fails" in view.warning
    assert not any(isinstance(m, Line) and "5.2" in m.label for m in view.marks)
    read = dict(view.readouts)
    assert read["slope, Theorem 5.2"] == "not built" and "Theorem 5.2" not in read
    assert read["slope, Theorem 4.8"] == number(64 * 10 / 0.1)


def test_every_position_has_its_words(explorer: Explorer) -> None:
    assert explorer.shape == (14, 4, 4, 2)
    for at in np.ndindex(*explorer.shape):
        if sum(at) % 5 == 0:
            stored = explorer.stored_view(*at)
            assert bool(stored["warning"]) == (at[0] >= 12 or at[3] == 1), at


@pytest.mark.parametrize("bad", [{"share": -0.1}, {"n": 0}, {"N": 1}, {"labels": 1}])
def test_nonsense_is_refused(bad: dict[str, object]) -> None:
    chosen = {"share": 0.4, "n": 2, "N": 10, "labels": 2, **bad}
    with pytest.raises((TypeError, ValueError)):
        lipschitz_view(**chosen)  # type: ignore[arg-type]

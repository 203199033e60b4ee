"""Promises of the explorer of the threshold: its numbers are the library's, its words true."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.plotting import number
from sublinear_lib.widgets import Band, Explorer, Line, Points, separation_explorer, separation_view

NORMS = {"inf": math.inf, "2": 2.0, "1": 1.0}


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return separation_explorer()


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.475])
def test_below_the_threshold_the_numbers_are_those_of_the_library(share: float, p: str) -> None:
    view = separation_view(share, 8, 3, p, 6)
    X, y = mem.plane_points(8, 3, rng=6)
    lam = mem.separation(X, y, NORMS[p])
    read = dict(view.readouts)
    assert read["separation *λ*"] == number(lam)
    assert read["largest budget *λ*/2"] == number(lam / 2)
    slope = mem.smallest_slope(X, y, share * lam, NORMS[p])
    assert read["slope needed"] == number(slope.value)
    assert view.warning is None and number(slope.value) in view.sentence


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("share", [0.5, 0.55, 0.6])
def test_from_the_threshold_on_it_says_which_hypothesis_fails_and_where(
    share: float, p: str
) -> None:
    view = separation_view(share, 6, 2, p, 5)
    assert view.warning is not None and "μ < λ/2 fails" in view.warning
    assert ("only touch" in view.warning) == (share == 0.5) == ("touch:" in view.sentence)
    X, y = mem.plane_points(6, 2, rng=5)
    mu = share * mem.separation(X, y, NORMS[p])
    (cross,) = [m for m in view.marks if isinstance(m, Points) and "claim" in m.label]
    at = np.array([cross.x, cross.y]).ravel()
    near = [y[i] for i in range(6) if np.linalg.norm(X[i] - at, NORMS[p]) <= mu + 1e-12]
    assert len(set(near)) == 2


def test_one_label_has_no_threshold() -> None:
    view = separation_view(0.6, 6, 1, "inf", 5)
    assert dict(view.readouts)["separation *λ*"] == "∞"
    assert view.warning is not None and "one label only" in view.warning
    assert not any(isinstance(m, Line) for m in view.marks)


@pytest.mark.parametrize("p", NORMS)
def test_balls_are_drawn_with_their_radius_in_their_norm(p: str) -> None:
    X, y = mem.plane_points(4, 2, rng=7)
    mu = 0.4 * mem.separation(X, y, NORMS[p])
    bands = [m for m in separation_view(0.4, 4, 2, p, 7).marks if isinstance(m, Band)]
    assert len(bands) == 4
    for x, band in zip(X, bands, strict=True):
        edge = np.column_stack([np.asarray(band.x), np.asarray(band.upper)])
        assert np.linalg.norm(edge - x, NORMS[p], axis=1) == pytest.approx(mu, abs=2e-3)
        assert np.asarray(band.lower) + np.asarray(band.upper) == pytest.approx(2 * x[1], abs=2e-3)


def test_the_table_is_small_and_every_position_has_its_words(explorer: Explorer) -> None:
    assert explorer.shape == (12, 3, 3, 3, 3)
    for at in np.ndindex(*explorer.shape):
        if sum(at) % 7 == 0:
            stored = explorer.stored_view(*at)
            beyond = at[0] >= 9 or at[2] == 0
            assert bool(stored["warning"]) == beyond, at


@pytest.mark.parametrize(
    "bad",
    [{"share": -0.1}, {"N": 1}, {"classes": 4}, {"p": "3"}, {"seed": -1}],
)
def test_nonsense_is_refused(bad: dict[str, object]) -> None:
    chosen = {"share": 0.4, "N": 6, "classes": 2, "p": "inf", "seed": 5, **bad}
    with pytest.raises((TypeError, ValueError)):
        separation_view(**chosen)  # type: ignore[arg-type]

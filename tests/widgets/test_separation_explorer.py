"""Promises of the explorer of the threshold: its numbers are the library's, its words true."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.plotting import number
from sublinear_lib.widgets import Band, Explorer, Points, separation_explorer, separation_view

NORMS = {"inf": math.inf, "2": 2.0, "1": 1.0}


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return separation_explorer()


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.48])
def test_below_the_threshold_the_numbers_are_those_of_the_library(share: float, p: str) -> None:
    view = separation_view(share, p)
    X, y = mem.plane_points(7, 3, rng=5)
    lam = mem.separation(X, y, NORMS[p])
    read = dict(view.readouts)
    assert read["separation *λ*"] == number(lam)
    slope = mem.smallest_slope(X, y, share * lam, NORMS[p])
    assert read["slope needed"] == number(slope.value)
    assert view.warning is None and number(slope.value) in view.sentence


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("share", [0.5, 0.54, 0.6])
def test_from_the_threshold_on_it_says_where_two_labels_meet(share: float, p: str) -> None:
    view = separation_view(share, p)
    assert view.warning is not None and "No function" in view.warning
    assert (share == 0.5) == ("touch:" in view.sentence)
    X, y = mem.plane_points(7, 3, rng=5)
    mu = share * mem.separation(X, y, NORMS[p])
    (cross,) = [m for m in view.marks if isinstance(m, Points) and "claim" in m.label]
    at = np.array([cross.x, cross.y]).ravel()
    near = [y[i] for i in range(7) if np.linalg.norm(X[i] - at, NORMS[p]) <= mu + 1e-12]
    assert len(set(near)) >= 2


@pytest.mark.parametrize("p", NORMS)
def test_balls_are_drawn_with_their_radius_in_their_norm(p: str) -> None:
    X, y = mem.plane_points(7, 3, rng=5)
    mu = 0.4 * mem.separation(X, y, NORMS[p])
    bands = [m for m in separation_view(0.4, p).marks if isinstance(m, Band)]
    assert len(bands) == 7
    for x, band in zip(X, bands, strict=True):
        edge = np.column_stack([np.asarray(band.x), np.asarray(band.upper)])
        assert np.linalg.norm(edge - x, NORMS[p], axis=1) == pytest.approx(mu, abs=2e-3)
        assert np.asarray(band.lower) + np.asarray(band.upper) == pytest.approx(2 * x[1], abs=2e-3)


def test_every_position_has_its_words(explorer: Explorer) -> None:
    for at in np.ndindex(*explorer.shape):
        assert bool(explorer.stored_view(*at)["warning"]) == (at[0] >= 25), at


@pytest.mark.parametrize("bad", [{"share": -0.1}, {"p": "3"}])
def test_nonsense_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        separation_view(**{"share": 0.4, "p": "inf", **bad})  # type: ignore[arg-type]

"""Promises of the explorer of the memorizer: its numbers are the library's, its words true."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.plotting import number
from sublinear_lib.widgets import Band, Explorer, Points, memorizer_explorer, memorizer_view

NORMS = {"inf": math.inf, "2": 2.0, "1": 1.0}
BUILD = {"inf": mem.memorize, "1": mem.memorize_l1, "2": mem.memorize_l2}


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return memorizer_explorer()


def shown_points(p: str) -> np.ndarray:
    marks = [m for m in memorizer_view(0.4, p).marks if isinstance(m, Points)]
    return np.concatenate([np.column_stack([m.x, m.y]) for m in marks])


Y = np.repeat([1.0, 2.0, 3.0], 2)


@pytest.mark.parametrize("p", NORMS)
def test_size_and_weight_are_those_of_the_network(p: str) -> None:
    read, X = dict(memorizer_view(0.45, p).readouts), shown_points(p)
    memorizer = BUILD[p](X, Y, 0.45 * mem.separation(X, Y, NORMS[p]))
    assert read["nonzero parameters"] == str(memorizer.network.nonzeros)
    assert read["largest weight"] == number(memorizer.network.largest_weight)
    assert read["width × depth"] == f"{memorizer.network.width} × {memorizer.network.depth}"


@pytest.mark.parametrize("p", NORMS)
def test_the_innermost_shape_holds_the_ball(p: str) -> None:
    X = shown_points(p)
    lam = mem.separation(X, Y, NORMS[p])
    mu = 0.4 * lam
    # The squares of p = 2 are approximated from above, by less than half of what separates balls.
    most = math.sqrt(mu**2 + lam * (lam - 2 * mu) / 2) if p == "2" else mu
    bands = [m for m in memorizer_view(0.4, p).marks if isinstance(m, Band)][2::3]
    for x, band in zip(X, bands, strict=True):
        edge = np.column_stack([np.asarray(band.x), np.asarray(band.upper)]) - x
        sizes = np.linalg.norm(edge, NORMS[p], axis=1)
        if p != "inf":
            assert sizes.min() >= mu - 2e-3
        for reach in (
            np.asarray(band.x).max() - x[0],
            np.asarray(band.upper).max() - x[1],
            x[1] - np.asarray(band.lower).min(),
        ):
            assert mu - 2e-3 <= reach <= most + 2e-3


def test_a_larger_budget_changes_no_size_and_float32_breaks_near_the_threshold() -> None:
    far, near = (memorizer_view(share, "inf") for share in (0.25, 0.499999))
    read = dict(far.readouts)
    assert read["nonzero parameters"] == str(6 * (8 * 2 + 5))
    assert read["nonzero parameters"] == dict(near.readouts)["nonzero parameters"]
    assert far.warning is None and "float32" in (near.warning or "")


def test_every_position_has_its_words_and_the_table_is_small(explorer: Explorer) -> None:
    assert len(explorer._table) < 120_000
    for at in np.ndindex(*explorer.shape):
        assert "nonzero parameters" in explorer.stored_view(*at)["sentence"]


@pytest.mark.parametrize("bad", [{"share": 0.0}, {"share": 0.5}, {"p": "3"}])
def test_nonsense_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        memorizer_view(**{"share": 0.4, "p": "inf", **bad})  # type: ignore[arg-type]

"""Promises of the explorer of the memorizer: its numbers are the library's, its words true."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.plotting import grouped, number
from sublinear_lib.widgets import Band, Explorer, Points, memorizer_explorer, memorizer_view

NORMS = {"inf": math.inf, "2": 2.0, "1": 1.0}
BUILD = {"inf": mem.memorize, "1": mem.memorize_l1, "2": mem.memorize_l2}


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return memorizer_explorer()


def shown_points(share: float, n: int, N: int, p: str) -> np.ndarray:
    marks = memorizer_view(share, n, N, p).marks
    return np.concatenate(
        [
            np.column_stack([m.x, m.y])
            for m in marks
            if isinstance(m, Points) and m.label[:6] == "label "
        ]
    )


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize(("n", "N"), [(2, 3), (16, 6)])
def test_counts_and_weight_are_those_of_the_network(p: str, n: int, N: int) -> None:
    read = dict(memorizer_view(0.45, n, N, p).readouts)
    plane = shown_points(0.45, n, N, p)
    X = np.full((N, n), 0.3)
    X[:, :2] = plane
    y = np.repeat([1.0, 2.0, 3.0], N // 3)
    memorizer = BUILD[p](X, y, 0.45 * mem.separation(X, y, NORMS[p]))
    assert read["nonzeros, counted"] == grouped(memorizer.network.nonzeros)
    assert read["all slots"] == grouped(memorizer.network.parameters)
    assert read["largest weight"] == number(memorizer.network.largest_weight)
    width, depth = memorizer.network.width, memorizer.network.depth
    assert read["width × depth"] == f"{width} × {depth}"
    formula = next(value for name, value in read.items() if name.startswith("*N*"))
    assert formula == read["nonzeros, counted"]


def test_the_picture_does_not_know_the_dimension_but_the_counts_do() -> None:
    two, many = memorizer_view(0.25, 2, 6, "inf"), memorizer_view(0.25, 64, 6, "inf")
    for a, b in zip(two.marks, many.marks, strict=True):
        assert np.array_equal(np.asarray(a.x), np.asarray(b.x))  # type: ignore[union-attr]
    assert dict(two.readouts)["nonzeros, counted"] == "126"
    assert dict(many.readouts)["nonzeros, counted"] == grouped(6 * (8 * 64 + 5))


@pytest.mark.parametrize("p", NORMS)
def test_the_innermost_shape_holds_the_ball(p: str) -> None:
    X = shown_points(0.4, 2, 3, p)
    y = np.array([1.0, 2.0, 3.0])
    lam = mem.separation(X, y, NORMS[p])
    mu = 0.4 * lam
    # The squares of p = 2 are approximated from above, by less than half of what separates balls.
    most = math.sqrt(mu**2 + lam * (lam - 2 * mu) / 2) if p == "2" else mu
    bands = [m for m in memorizer_view(0.4, 2, 3, p).marks if isinstance(m, Band)][2::3]
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


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("share", [0.5, 0.55])
def test_from_the_threshold_on_nothing_is_built_and_the_hypothesis_is_named(
    share: float, p: str
) -> None:
    view = memorizer_view(share, 4, 6, p)
    assert view.warning is not None and "μ < λ/2 fails" in view.warning
    assert ("touch" in view.sentence) == (share == 0.5)
    assert set(dict(view.readouts).values()) == {"none", "∞"}
    (cross,) = [m for m in view.marks if isinstance(m, Points) and "claim" in m.label]
    X, y = shown_points(share, 4, 6, p), np.repeat([1.0, 2.0, 3.0], 2)
    mu = share * mem.separation(X, y, NORMS[p])
    at = np.array([cross.x, cross.y]).ravel()
    near = {y[i] for i in range(6) if np.linalg.norm(X[i] - at, NORMS[p]) <= mu + 1e-12}
    assert len(near) == 2
    bands = [m for m in view.marks if isinstance(m, Band)]
    assert len(bands) == 6
    for x, band in zip(X, bands, strict=True):
        assert np.asarray(band.x).max() - x[0] == pytest.approx(mu, abs=2e-3)
        assert np.asarray(band.upper).max() - x[1] == pytest.approx(mu, abs=2e-3)


def test_the_errors_grow_with_the_weight_and_float32_breaks_first() -> None:
    near, far = (dict(memorizer_view(s, 4, 6, "inf").readouts) for s in (0.499999, 0.25))
    assert "float32" in (memorizer_view(0.499999, 4, 6, "inf").warning or "")
    assert float(near["error float32"]) >= 0.5 > float(far["error float32"].split("·")[0]) * 1e-3
    assert memorizer_view(0.25, 4, 6, "inf").warning is None


def test_every_position_has_its_words_and_the_table_is_small(explorer: Explorer) -> None:
    assert explorer.shape == (10, 4, 3, 3)
    assert len(explorer._table) < 120_000
    for at in np.ndindex(*explorer.shape):
        if sum(at) % 5 == 0:
            stored = explorer.stored_view(*at)
            assert re.search(r"\d points in \d+ dimensions, λ = ", stored["sentence"])
            if at[0] >= 8:
                assert stored["warning"]


@pytest.mark.parametrize("bad", [{"share": 0.0}, {"n": 1}, {"N": 2}, {"p": "3"}])
def test_nonsense_is_refused(bad: dict[str, object]) -> None:
    chosen = {"share": 0.4, "n": 2, "N": 6, "p": "inf", **bad}
    with pytest.raises((TypeError, ValueError)):
        memorizer_view(**chosen)  # type: ignore[arg-type]

"""Bumps, circuit, bounds and errors of rounding are drawn and told as they were given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib.chapters.the_network_that_memorizes import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import lines

PLACES = np.linspace(-1.0, 3.0, 9)
BUMPS = np.array([np.maximum(0, 1 - abs(PLACES)), 2 * np.maximum(0, 1 - abs(PLACES - 2))])
SERIES = {
    "float64": figures.PrecisionSeries([1e-1, 1e-3], [0.0, 1e-12], [1e-14, 1e-12], [1e-12, 1e-10]),
    "float32": figures.PrecisionSeries([1e-3, 1e-1], [0.7, 1e-5], [1e-1, 1e-5]),
}


def profile(**changes: Any) -> Picture:
    panels = [figures.ProfilePanel("*μ* = 0.2", BUMPS, BUMPS.max(axis=0), 0.2)]
    given = {"x": PLACES, "centers": [0.0, 2.0], "y": [1.0, 2.0], "panels": panels, "name": "p"}
    return figures.profile_picture(**{**given, **changes})


def circuit(n: int = 1, **changes: Any) -> Picture:
    sizes = (n + 2, 3 * n + 1, n + 2, n + 1)
    matrices = [np.eye(sizes[k + 1], sizes[k]) for k in range(3)]
    values = [np.arange(size) / 4 for size in sizes]
    return figures.circuit_picture(
        **{"matrices": matrices, "values": values, "name": "c", **changes}
    )


def bounds(**changes: Any) -> Picture:
    table = {"plain": ([0.0, 1.9], [2.0, 2.1]), "aware": ([1.0, 2.0], [1.0, 2.0])}
    return figures.bounds_picture(**{"y": [1.0, 2.0], "bounds": table, "name": "b", **changes})


def precision(**changes: Any) -> Picture:
    return figures.precision_picture(**{"series": SERIES, "name": "e", **changes})


MADE = [profile, circuit, bounds, precision]


def test_texts_give_the_numbers() -> None:
    assert "from 0 to 2, plateaus of half length 0.2" in profile().alt
    said = bounds().alt
    assert "plain: 1 of 2 balls within 0.5, the widest reaches 1" in said
    assert "aware: 2 of 2 balls within 0.5, the widest reaches 0" in said
    said = precision().alt
    assert "float64: from 0 at 0.1 to 1·10⁻¹² at 0.001" in said and "wrong nowhere" in said
    assert "float32: from 1·10⁻⁵ at 0.1 to 0.7 at 0.001, predicted 1·10⁻⁵ and 0.1; wrong" in said
    assert "wrong from 0.001 on" in said
    with pytest.raises(ValueError, match="lower bounds must be below"):
        bounds(bounds={"a": ([2.0, 2.0], [1.0, 3.0])})


def test_plateaus_are_as_long_as_their_balls_and_a_network_without_any_bump_is_drawn() -> None:
    ends = [points[:, 0].tolist() for points in lines(profile()) if len(points) == 2]
    np.testing.assert_allclose(ends, [[-0.2, 0.2], [1.8, 2.2]])
    flat = [figures.ProfilePanel("flat", 0 * BUMPS, 0 * PLACES, 0.2)]
    assert "goes from 0 to 0" in profile(panels=flat).alt


@pytest.mark.parametrize("n", [1, 2, 3])
def test_an_edge_of_the_circuit_is_an_entry_of_a_matrix(n: int) -> None:
    assert f"with {n + 2}, {n + 2}, {n + 1} connections" in circuit(n).alt
    sizes = [(3 * n + 1, n + 2), (n + 2, 3 * n + 1), (n + 1, n + 2)]
    full = circuit(n, matrices=[np.ones(size) for size in sizes])
    counts = [rows * columns for rows, columns in sizes]
    assert f"with {counts[0]}, {counts[1]}, {counts[2]} connections" in full.alt
    assert len(lines(full)) == sum(counts)
    assert f"running maximum after it {n / 4:g}." in circuit(n).alt
    with pytest.raises(ValueError, match="matrices must have shape"):
        circuit(n, matrices=[np.ones((9, 9))] * 3)

"""The pictures of the memorizer: they show the numbers they are given, and refuse nonsense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting
from sublinear_lib.plotting import PrecisionSeries, ProfilePanel

PLACES = np.linspace(-1.0, 3.0, 9)
BUMPS = np.array([np.maximum(0, 1 - abs(PLACES)), 2 * np.maximum(0, 1 - abs(PLACES - 2))])


def profile(**changes: object) -> plotting.Picture:
    panels = [ProfilePanel("*μ* = 0.2", BUMPS, BUMPS.max(axis=0), 0.2)]
    arguments: dict[str, Any] = {
        "x": PLACES,
        "centers": [0.0, 2.0],
        "y": [1.0, 2.0],
        "panels": panels,
        "name": "p",
        **changes,
    }
    return plotting.profile_picture(**arguments)


def circuit(n: int = 1, **changes: object) -> plotting.Picture:
    rng = np.random.default_rng(n)
    sizes = (n + 2, 3 * n + 1, n + 2, n + 1)
    matrices = [np.eye(sizes[k + 1], sizes[k]) for k in range(3)]
    values = [rng.random(size) for size in sizes]
    arguments: dict[str, Any] = {"matrices": matrices, "values": values, "name": "c", **changes}
    return plotting.circuit_picture(**arguments)


def bounds(**changes: object) -> plotting.Picture:
    table = {"plain": ([0.0, 1.9], [2.0, 2.1]), "aware": ([1.0, 2.0], [1.0, 2.0])}
    arguments: dict[str, Any] = {"y": [1.0, 2.0], "bounds": table, "name": "b", **changes}
    return plotting.bounds_picture(**arguments)


def precision(**changes: object) -> plotting.Picture:
    series = {
        "float64": PrecisionSeries([1e-1, 1e-3], [0.0, 1e-12], [1e-14, 1e-12], [1e-12, 1e-10]),
        "float32": PrecisionSeries([1e-3, 1e-1], [0.7, 1e-5], [1e-1, 1e-5]),
    }
    arguments: dict[str, Any] = {"series": series, "name": "e", **changes}
    return plotting.precision_picture(**arguments)


@pytest.mark.parametrize("draw", [profile, circuit, bounds, precision])
def test_it_is_made_twice_alike_and_small_enough_for_a_page(draw: Any) -> None:
    shown = draw()
    assert shown.html == draw().html
    assert len(shown.html) < 40_000, len(shown.html)
    assert shown.png.startswith(b"\x89PNG")
    words = "One text of the author's own."
    assert draw(alt=words, caption="Look *here*.").alt == words


def test_texts_give_the_numbers() -> None:
    assert "from 0 to 2, plateaus of half length 0.2" in profile().alt
    said = bounds().alt
    assert "plain: 1 of 2 balls within 0.5, the widest reaches 1" in said
    assert "aware: 2 of 2 balls within 0.5, the widest reaches 0" in said
    said = precision().alt
    assert "float64: from 0 at 0.1 to 1·10⁻¹² at 0.001" in said and "wrong nowhere" in said
    assert "float32: from 1·10⁻⁵ at 0.1 to 0.7 at 0.001" in said and "wrong from 0.001 on" in said


def test_a_network_without_any_bump_is_drawn() -> None:
    flat = [ProfilePanel("flat", 0 * BUMPS, 0 * PLACES, 0.2)]
    assert "goes from 0 to 0" in profile(panels=flat).alt


@pytest.mark.parametrize("n", [1, 2, 3])
def test_an_edge_of_the_circuit_is_an_entry_of_a_matrix(n: int) -> None:
    shown = circuit(n)
    edges = [(n + 2), (n + 2), (n + 1)]
    assert f"with {edges[0]}, {edges[1]}, {edges[2]} connections" in shown.alt
    more = [np.ones((3 * n + 1, n + 2)), np.ones((n + 2, 3 * n + 1)), np.ones((n + 1, n + 2))]
    full = circuit(n, matrices=more)
    assert f"with {more[0].size}, {more[1].size}, {more[2].size} connections" in full.alt
    assert len(full.html) > len(shown.html)


@pytest.mark.parametrize(
    ("draw", "changed", "said"),
    [
        (profile, {"x": PLACES[::-1]}, "ascending"),
        (profile, {"panels": []}, "panels"),
        (profile, {"y": [1.0]}, "y"),
        (circuit, {"values": [[1.0]] * 3}, "four layers"),
        (circuit, {"values": [np.ones(9)] * 4}, "1 <= n <= 3"),
        (circuit, {"matrices": [np.eye(3)] * 3}, "matrices"),
        (bounds, {"bounds": {}}, "one to three"),
        (bounds, {"bounds": {"a": ([2.0, 2.0], [1.0, 3.0])}}, "below"),
        (bounds, {"allowed": 0.0}, "allowed"),
        (precision, {"series": {}}, "one to three"),
        (precision, {"series": {"a": PrecisionSeries([1.0], [-1.0], [1.0])}}, "positive"),
        (precision, {"series": {"a": PrecisionSeries([0.0], [1.0], [1.0])}}, "gaps"),
        (precision, {"series": {"a": PrecisionSeries([1.0], [1.0], [0.0])}}, "predicted"),
    ],
)
def test_nonsense_is_refused_by_name(draw: Any, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        draw(**changed)

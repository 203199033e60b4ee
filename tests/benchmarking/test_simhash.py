"""SimHash finds what its law says, and reports nothing wrong."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import SimHash
from sublinear_lib import statistics


def at_angle(theta: float, d: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a point and a query with an angle of theta between them, of random lengths."""
    plane = np.linalg.qr(rng.standard_normal((d, 2)))[0].T
    point = np.cos(theta) * plane[0] + np.sin(theta) * plane[1]
    return point * rng.uniform(0.1, 10.0), plane[0] * rng.uniform(0.1, 10.0)


@pytest.mark.parametrize("theta", [0.1, 0.6, 1.2, 2.0])
@pytest.mark.parametrize(("bits", "tables"), [(1, 1), (3, 2), (6, 10)])
def test_a_point_is_found_with_the_probability_of_the_law(
    theta: float, bits: int, tables: int
) -> None:
    trials, found = 600, 0
    streams = statistics.spawn(7, trials)
    for rng in streams:
        point, query = at_angle(theta, 6, rng)
        hashed = SimHash([point], bits=bits, tables=tables, rng=rng)
        found += int(hashed.candidates([query]).counts[0])
    law = 1 - (1 - (1 - theta / np.pi) ** bits) ** tables
    assert statistics.clopper_pearson(found, trials, 0.9999).contains(law), (found, law)


@pytest.fixture(scope="module")
def points() -> np.ndarray:
    return np.random.default_rng(1).standard_normal((3000, 5))


def test_candidates_are_the_union_of_the_buckets(points: np.ndarray) -> None:
    queries = np.random.default_rng(2).standard_normal((7, 5))
    hashed = SimHash(points, bits=5, tables=4, rng=9)
    normals = np.random.default_rng(9).standard_normal((4, 5, 5))
    expected = np.zeros((7, len(points)), dtype=bool)
    for table in normals:
        signs, own = points @ table > 0.0, queries @ table > 0.0
        expected |= (signs[None] == own[:, None]).all(axis=2)
    assert np.array_equal(hashed.candidates(queries).to_mask(len(points)), expected)


@pytest.mark.parametrize(("bits", "tables"), [(2, 30), (5, 4), (17, 3)])
def test_the_compiled_lookup_reports_what_the_plain_one_does(
    points: np.ndarray, bits: int, tables: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numba")
    queries = np.random.default_rng(5).standard_normal((9, 5))
    hashed = SimHash(points, bits=bits, tables=tables, rng=6)
    found = {}
    for asked in ("1", "0"):
        monkeypatch.setenv("SUBLINEAR_NUMBA", asked)
        for level in (3.0, -np.inf):  # few, then more than the buffer holds
            hits = hashed.query_halfspace(queries, max(level, -1e9))
            found[asked, level] = [rows.tolist() for rows in hits.split()]
    inside = queries @ points.T > 3.0
    expected = inside & hashed.candidates(queries).to_mask(len(points))
    assert found["1", 3.0] == [np.flatnonzero(row).tolist() for row in expected]
    for level in (3.0, -np.inf):
        assert found["1", level] == found["0", level]
    assert sum(map(len, found["1", -np.inf])) > sum(map(len, found["1", 3.0]))


def test_points_that_move_are_found_where_they_are(points: np.ndarray) -> None:
    queries = np.random.default_rng(8).standard_normal((6, 5))
    hashed = SimHash(points, bits=4, tables=3, rng=1)
    before = hashed.candidates(queries).to_mask(len(points))
    hashed.refit(-points)
    fresh = SimHash(-points, bits=4, tables=3, rng=1)
    after = hashed.candidates(queries).to_mask(len(points))
    assert np.array_equal(after, fresh.candidates(queries).to_mask(len(points)))
    assert not np.array_equal(after, before)
    with pytest.raises(ValueError, match="points must"):
        hashed.refit(points[:-1])

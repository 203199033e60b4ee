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
    law = float(hashed.recall([theta])[0])
    assert law == pytest.approx(1 - (1 - (1 - theta / np.pi) ** bits) ** tables)
    assert statistics.clopper_pearson(found, trials, 0.9999).contains(law), (found, law)


def test_the_law_covers_all_angles() -> None:
    hashed = SimHash([[1.0, 0.0]], bits=9, tables=50, rng=0)
    assert hashed.recall([0.0, np.pi]) == pytest.approx([1.0, 0.0])
    assert (np.diff(hashed.recall(np.linspace(0.0, np.pi, 50))) <= 0.0).all()
    for bad in (-0.1, 3.2):
        with pytest.raises(ValueError, match="angles must lie"):
            hashed.recall([bad])


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


@pytest.mark.parametrize(("bits", "tables"), [(12, 2), (2, 20)])
def test_what_is_reported_are_the_candidates_above_the_offset(
    points: np.ndarray, bits: int, tables: int
) -> None:
    queries = np.random.default_rng(3).standard_normal((6, 5))
    hashed = SimHash(points, bits=bits, tables=tables, rng=4)
    inside = queries @ points.T > 1.5
    candidates = hashed.candidates(queries).to_mask(len(points))
    reported = hashed.query_halfspace(queries, 1.5).to_mask(len(points))
    assert np.array_equal(reported, inside & candidates)
    assert reported.any()


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


def test_no_queries_have_no_candidates(points: np.ndarray) -> None:
    hashed = SimHash(points, bits=3, tables=2, rng=0)
    assert hashed.query_halfspace(np.empty((0, 5)), 0.0).split() == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bits": 0}, "bits must be"),
        ({"bits": 63}, "bits must be"),
        ({"tables": 0}, "tables must be"),
        ({"points": np.empty((0, 2))}, "points must"),
        ({"points": [[np.nan]]}, "points must"),
    ],
)
def test_bad_arguments_are_refused(changes: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {"points": [[1.0]], "bits": 2, "tables": 2, "rng": 0, **changes}
    with pytest.raises(ValueError, match=message):
        SimHash(arguments.pop("points"), **arguments)

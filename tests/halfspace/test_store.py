"""Ids stay with their points while rows come and go."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.halfspace import HalfspaceIndex, protocol
from sublinear_lib.halfspace.protocol import PointStore


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 5), st.booleans(), st.data())
def test_rows_and_ids_belong_together_through_any_history(m, biased, data):
    def numbered(first, count):
        points = np.arange(first, first + count, dtype=np.float64)[:, None]
        return points, points[:, 0] * 10.0 if biased else None

    points = PointStore(*numbered(0, m))
    model = set(range(m))
    for _ in range(data.draw(st.integers(0, 8))):
        step = data.draw(st.sampled_from(["append", "discard", "compact"]))
        if step == "append":
            count = data.draw(st.integers(1, 6))
            rows = points.append(*numbered(points.next_id, count))
            assert points.points[rows, 0].tolist() == list(
                range(points.next_id - count, points.next_id)
            )
            model |= set(range(points.next_id - count, points.next_id))
        elif step == "discard" and model:
            gone = data.draw(st.sets(st.sampled_from(sorted(model)), min_size=1))
            rows, stored = points.rows_of(np.array(sorted(gone)))
            assert stored.all()
            points.discard(rows)
            model -= gone
        else:
            points.compact()
        assert points.ids.tolist() == sorted(model)
        assert points.live == len(model)
        rows, stored = points.rows_of(np.arange(points.next_id))
        assert np.flatnonzero(stored).tolist() == sorted(model)
        live = rows[stored]
        assert points.live_rows().tolist() == live.tolist()
        assert points.ids_of(live.astype(np.int32)).tolist() == sorted(model)
        assert points.points[live, 0].tolist() == sorted(model), "an id lost its point"
        if biased:
            assert points.bias[live].tolist() == [10.0 * i for i in sorted(model)]
        assert points.largest() == (10.0 if biased else 1.0) * max(model, default=0)


def test_removed_points_give_their_memory_back():
    index = HalfspaceIndex(np.ones((10_000, 4)), method="scan", kernels="numpy")
    before = index.stats().memory
    index.remove(np.arange(9_000))
    assert index.stats().memory < before / 5
    assert index.ids.tolist() == list(range(9_000, 10_000))
    assert index.query_halfspace([[1.0] * 4], 3.0)[0].tolist() == list(range(9_000, 10_000))


def test_appending_grows_the_capacity_by_half():
    points = PointStore(np.zeros((100, 2)), None)
    sizes = set()
    for _ in range(1000):
        points.append(np.ones((1, 2)), None)
        sizes.add(points.memory)
    assert len(sizes) < 10, "capacity must not grow with every point"


def test_ids_are_not_given_out_beyond_32_bits(monkeypatch):
    assert protocol.LARGEST_ID == 2**31 - 1
    monkeypatch.setattr(protocol, "LARGEST_ID", 10)
    index = HalfspaceIndex(np.zeros((8, 1)))
    index.remove(np.arange(8))
    with pytest.raises(ValueError, match="points must number at most 10 over the life of an index"):
        index.insert(np.zeros((3, 1)))
    assert index.id_bound == 8
    assert index.insert(np.zeros((2, 1))).tolist() == [8, 9]

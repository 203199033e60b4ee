"""However a query is asked (in pieces, into a buffer, in any order), the answer is one."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest

from sublinear_lib.halfspace import HalfspaceHits, HalfspaceIndex, engine
from sublinear_lib.halfspace.engine import Engine
from tests.halfspace.oracle import (
    ENGINE_IDS,
    ENGINES,
    SLICE_ENGINE_IDS,
    SLICE_ENGINES,
    made,
)

every_engine = pytest.mark.parametrize(("method", "kernels"), ENGINES, ids=ENGINE_IDS)
every_slice_engine = pytest.mark.parametrize(
    ("method", "kernels"), SLICE_ENGINES, ids=SLICE_ENGINE_IDS
)


def questions(m, q, method, kernels, *, removed=False):
    """Return an index on X and half-spaces of all sizes; ids are not rows if some are removed."""
    index, normals = made(m, 3, q, method, kernels)
    if removed:
        index.remove(np.arange(0, m, 3))
        index.remove(np.arange(1, m, 3))
        assert not index._store.rows_are_ids
    return index, normals, np.random.default_rng(1).uniform(-4.0, 4.0, q)


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(engine, "_FEWEST_AT_ONCE", 4)
    monkeypatch.setattr(engine, "_MOST_AT_ONCE", 16)
    monkeypatch.setattr(engine, "_IDS_OF_FIRST_PIECE", 1)
    monkeypatch.setattr(engine, "_IDS_PER_PIECE", 3000)
    monkeypatch.setattr(engine, "_TRANSLATED_AT_ONCE", 7)


def assert_same(found, wanted):
    np.testing.assert_array_equal(found.indptr, wanted.indptr)
    np.testing.assert_array_equal(found.indices, wanted.indices)
    assert found.indices.dtype == np.int32


# Pieces


@every_slice_engine
@pytest.mark.parametrize("removed", [False, True], ids=["rows", "ids"])
def test_pieces_change_no_answer_and_no_order(method, kernels, removed, small_pieces, monkeypatch):
    index, normals, offsets = questions(1500, 75, method, kernels, removed=removed)
    asked = []
    query = Engine.query

    def noted(self, normals, *rest):
        asked.append(len(normals))
        return query(self, normals, *rest)

    with monkeypatch.context() as whole:
        for name in ("_FEWEST_AT_ONCE", "_MOST_AT_ONCE"):
            whole.setattr(engine, name, 10**6)
        wanted = index.query_halfspace(normals, offsets)
        counts = index.count_halfspace(normals, offsets)
    np.testing.assert_array_equal(counts, wanted.counts)
    monkeypatch.setattr(Engine, "query", noted)
    found = index.query_halfspace(normals, offsets)
    assert_same(found, wanted)
    assert sum(asked) == 75 and max(asked) <= 16, "pieces were to be small"
    assert found.indices.base is None, "the answer must not hold more memory than it needs"
    np.testing.assert_array_equal(index.count_halfspace(normals, offsets), counts)
    mask = index.mask_halfspace(normals, offsets)
    assert HalfspaceHits.from_mask(mask) == wanted
    assert mask.shape == (75, index.id_bound)
    unsorted = index.query_halfspace(normals, offsets, sort_results=False)
    assert unsorted == wanted
    assert_same(unsorted.ascending(), wanted)


@every_slice_engine
@pytest.mark.parametrize("ids_at_once", [1, 100, 1000, 10_000, 2**24])
def test_pieces_planned_ahead_make_up_the_answer_and_keep_their_size(method, kernels, ids_at_once):
    index, normals, offsets = questions(600, 90, method, kernels, removed=True)
    wanted = index.query_halfspace(normals, offsets)
    asked = index._half_spaces(normals, offsets, True)
    pieces = list(index._engine.report_in_pieces(asked, sort=True, ids_at_once=ids_at_once))
    assert [part.start for part, _ in pieces] == [0, *(part.stop for part, _ in pieces[:-1])]
    assert pieces[-1][0].stop == 90
    for part, hits in pieces:
        assert len(hits) == part.stop - part.start > 0
        assert len(hits.indices) <= ids_at_once or len(hits) == 1
        assert [ids.tolist() for ids in hits] == [wanted[i].tolist() for i in range(90)[part]]
    if ids_at_once == 2**24:
        assert len(pieces) == 1, "small answers come in one piece"


@pytest.mark.parametrize("call", ["query_halfspace", "count_halfspace", "mask_halfspace"])
def test_no_queries_and_no_points_have_an_answer(call):
    assert len(getattr(HalfspaceIndex(np.ones((3, 2))), call)(np.empty((0, 2)), 0.0)) == 0
    assert len(getattr(HalfspaceIndex(np.empty((0, 2))), call)(NORMALS, 0.0)) == 1


@every_engine
def test_a_long_query_needs_little_more_memory_than_its_answer(method, kernels, monkeypatch):
    points = np.random.default_rng(0).standard_normal((4000, 2))
    index = HalfspaceIndex(points, method=method, kernels=kernels)
    normals = np.random.default_rng(1).standard_normal((2000, 2))
    index.query_halfspace(normals[:3], 0.0)
    monkeypatch.setattr(engine, "_IDS_PER_PIECE", 2**18)
    monkeypatch.setattr(engine, "_IDS_OF_FIRST_PIECE", 2**18)
    monkeypatch.setattr(engine, "_FEWEST_AT_ONCE", 16)
    tracemalloc.start()
    try:
        hits = index.query_halfspace(normals, 0.0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    answer = hits.indices.nbytes + hits.indptr.nbytes
    assert answer > 12e6
    assert peak < answer * 1.1 + 24 * 2**20, f"{peak / 2**20:.0f} MiB"


# A buffer


@every_slice_engine
@pytest.mark.parametrize("removed", [False, True], ids=["rows", "ids"])
def test_a_buffer_takes_the_ids(method, kernels, removed, small_pieces):
    index, normals, offsets = questions(900, 40, method, kernels, removed=removed)
    for part in (slice(0, 3), slice(None)):
        wanted = index.query_halfspace(normals[part], offsets[part])
        for spare in (0, 1, 10_000):
            buffer = np.full(len(wanted.indices) + spare, -7, dtype=np.int32)
            found = index.query_halfspace(normals[part], offsets[part], out=buffer)
            assert_same(found, wanted)
            assert np.shares_memory(found.indices, buffer)
            assert found.indices.ctypes.data == buffer.ctypes.data


@every_slice_engine
def test_a_buffer_too_short_names_the_length_needed(method, kernels, small_pieces):
    index, normals, offsets = questions(900, 40, method, kernels)
    for part in (slice(0, 3), slice(None)):
        wanted = index.query_halfspace(normals[part], offsets[part])
        needed = len(wanted.indices)
        for room in (needed - 1, needed // 3, 0):
            buffer = np.empty(room, dtype=np.int32)
            message = f"out must have room for all ids, of which there are {needed}, got .* {room}$"
            with pytest.raises(ValueError, match=message):
                index.query_halfspace(normals[part], offsets[part], out=buffer)
        assert_same(index.query_halfspace(normals[part], offsets[part]), wanted)


def read_only():
    buffer = np.empty(10, dtype=np.int32)
    buffer.flags.writeable = False
    return buffer


NORMALS = np.ones((1, 2))
WANTED = "out must be a contiguous writable vector of dtype int32"


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        ([0] * 10, TypeError, f"{WANTED}, got list"),
        (np.empty(10), TypeError, f"{WANTED}, got dtype float64"),
        (np.empty(10, dtype=np.int64), TypeError, f"{WANTED}, got dtype int64"),
        (np.empty(10, dtype=np.uint32), TypeError, f"{WANTED}, got dtype uint32"),
        (np.empty(10, dtype=">i4"), TypeError, f"{WANTED}, got dtype >i4"),
        (np.empty((2, 5), dtype=np.int32), ValueError, rf"{WANTED}, got shape \(2, 5\)"),
        (np.empty(20, dtype=np.int32)[::2], ValueError, rf"{WANTED}, got strides \(8,\)"),
        (np.empty(10, dtype=np.int32)[::-1], ValueError, rf"{WANTED}, got strides \(-4,\)"),
        (read_only(), ValueError, f"{WANTED}, got a read-only array"),
        (NORMALS.view(np.int32)[0], ValueError, "apart from normals and offsets, .* overlaps"),
    ],
)
def test_a_buffer_that_cannot_take_ids_is_refused(out, error, message):
    index = HalfspaceIndex(np.ones((3, 2)))
    before = pickle.dumps(index)
    with pytest.raises(error, match=message):
        index.query_halfspace(NORMALS, 0.0, out=out)
    assert pickle.dumps(index) == before
    assert NORMALS.tolist() == [[1.0, 1.0]]

"""However a query is asked (in pieces, by threads, into a buffer, with scores), one answer."""

from __future__ import annotations

import pickle
import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.halfspace import HalfspaceHits, HalfspaceIndex, reporting, scoring
from sublinear_lib.halfspace.engine import Engine
from tests.halfspace.oracle import (
    ENGINE_IDS,
    ENGINES,
    SLICE_ENGINE_IDS,
    SLICE_ENGINES,
    exact_sets,
    problems,
)

every_engine = pytest.mark.parametrize(("method", "kernels"), ENGINES, ids=ENGINE_IDS)
every_slice_engine = pytest.mark.parametrize(
    ("method", "kernels"), SLICE_ENGINES, ids=SLICE_ENGINE_IDS
)


def made(m, d, q, method, kernels, *, removed=False, seed=0):
    """Return an index on X and half-spaces of all sizes; ids are not rows if some are removed."""
    rng = np.random.default_rng(seed)
    normals = rng.standard_normal((q, d))
    normals[:, :-1] *= np.sqrt(0.75) / np.linalg.norm(normals[:, :-1], axis=1, keepdims=True)
    normals[:, -1] = 0.5
    index = HalfspaceIndex(
        rng.standard_normal((m, d)),
        rng.standard_normal(m),
        method=method,
        kernels=kernels,
        domain="slice",
    )
    if removed:
        index.remove(np.arange(0, m, 3))
        index.remove(np.arange(1, m, 3))
        assert not index._store.rows_are_ids
    return index, normals, rng.uniform(-4.0, 4.0, q)


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(reporting, "_FEWEST_AT_ONCE", 4)
    monkeypatch.setattr(reporting, "_MOST_AT_ONCE", 16)
    monkeypatch.setattr(reporting, "_IDS_OF_FIRST_PIECE", 1)
    monkeypatch.setattr(reporting, "_IDS_PER_PIECE", 3000)
    monkeypatch.setattr(reporting, "_FEWEST_PER_THREAD", 2)
    monkeypatch.setattr(reporting, "_TRANSLATED_AT_ONCE", 7)
    monkeypatch.setattr(scoring, "_NUMBERS_AT_ONCE", 100)


def assert_same(found, wanted):
    np.testing.assert_array_equal(found.indptr, wanted.indptr)
    np.testing.assert_array_equal(found.indices, wanted.indices)
    assert found.indices.dtype == np.int32
    if wanted.scores is not None:
        np.testing.assert_array_equal(found.scores.view(np.int64), wanted.scores.view(np.int64))


# Pieces and threads


@every_slice_engine
@pytest.mark.parametrize("removed", [False, True], ids=["rows", "ids"])
def test_pieces_and_threads_change_no_answer_and_no_order(
    method, kernels, removed, small_pieces, monkeypatch
):
    index, normals, offsets = made(1500, 3, 75, method, kernels, removed=removed)
    asked = []
    query = Engine.query

    def noted(self, normals, *rest):
        asked.append(len(normals))
        return query(self, normals, *rest)

    with monkeypatch.context() as whole:
        for name in ("_FEWEST_AT_ONCE", "_MOST_AT_ONCE"):
            whole.setattr(reporting, name, 10**6)
        wanted = index.query_halfspace(normals, offsets, return_scores=True)
        counts = index.count_halfspace(normals, offsets)
    np.testing.assert_array_equal(counts, wanted.counts)
    monkeypatch.setattr(Engine, "query", noted)
    for workers in (1, 2, 3, 7, 200):
        asked.clear()
        found = index.query_halfspace(normals, offsets, return_scores=True, workers=workers)
        assert_same(found, wanted)
        assert sum(asked) == 75 and max(asked) <= 16, "pieces were to be small"
        assert found.indices.base is None, "the answer must not hold more memory than it needs"
        np.testing.assert_array_equal(
            index.count_halfspace(normals, offsets, workers=workers), counts
        )
        counted = index.query_halfspace(normals, offsets, count_only=True, workers=workers)
        np.testing.assert_array_equal(counted, counts)
        assert counted.dtype == np.int64
        mask = index.mask_halfspace(normals, offsets, workers=workers)
        assert HalfspaceHits.from_mask(mask) == wanted
        assert mask.shape == (75, index.id_bound)


@every_slice_engine
def test_unsorted_hits_are_the_same_sets_with_their_own_scores(method, kernels, small_pieces):
    index, normals, offsets = made(1500, 3, 30, method, kernels, removed=True)
    wanted = index.query_halfspace(normals, offsets, return_scores=True)
    for workers in (1, 3):
        found = index.query_halfspace(
            normals, offsets, sort_results=False, return_scores=True, workers=workers
        )
        assert found == wanted
        assert_same(found.ascending(), wanted)


def test_threads_work_at_the_same_time(monkeypatch):
    index, normals, offsets = made(100, 3, 64, "scan", "numpy")
    meeting = threading.Barrier(3, timeout=30)
    query, met = Engine.query, []

    def together(self, *arguments):
        if len(met) < 3:
            met.append(threading.current_thread())
            meeting.wait()
        return query(self, *arguments)

    wanted = index.query_halfspace(normals, offsets)
    monkeypatch.setattr(Engine, "query", together)
    assert_same(index.query_halfspace(normals, offsets, workers=3), wanted)
    assert len(set(met)) == 3


def test_a_failure_in_a_thread_reaches_the_caller(monkeypatch):
    index, normals, offsets = made(100, 3, 64, "scan", "numpy")

    def failing(self, *arguments):
        raise MemoryError("no room")

    monkeypatch.setattr(Engine, "query", failing)
    with pytest.raises(MemoryError, match="no room"):
        index.query_halfspace(normals, offsets, workers=2)


@every_engine
def test_a_long_query_needs_little_more_memory_than_its_answer(method, kernels, monkeypatch):
    points = np.random.default_rng(0).standard_normal((4000, 2))
    index = HalfspaceIndex(points, method=method, kernels=kernels)
    normals = np.random.default_rng(1).standard_normal((2000, 2))
    index.query_halfspace(normals[:3], 0.0)
    monkeypatch.setattr(reporting, "_IDS_PER_PIECE", 2**18)
    monkeypatch.setattr(reporting, "_IDS_OF_FIRST_PIECE", 2**18)
    monkeypatch.setattr(reporting, "_FEWEST_AT_ONCE", 16)
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
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("removed", [False, True], ids=["rows", "ids"])
def test_a_buffer_takes_the_ids(method, kernels, workers, removed, small_pieces):
    index, normals, offsets = made(900, 3, 40, method, kernels, removed=removed)
    for part in (slice(0, 3), slice(None)):
        wanted = index.query_halfspace(normals[part], offsets[part], return_scores=True)
        for spare in (0, 1, 10_000):
            buffer = np.full(len(wanted.indices) + spare, -7, dtype=np.int32)
            found = index.query_halfspace(
                normals[part], offsets[part], out=buffer, workers=workers, return_scores=True
            )
            assert_same(found, wanted)
            assert np.shares_memory(found.indices, buffer)
            assert found.indices.ctypes.data == buffer.ctypes.data


@every_slice_engine
@pytest.mark.parametrize("workers", [1, 3])
def test_a_buffer_too_short_names_the_length_needed(method, kernels, workers, small_pieces):
    index, normals, offsets = made(900, 3, 40, method, kernels)
    for part in (slice(0, 3), slice(None)):
        wanted = index.query_halfspace(normals[part], offsets[part])
        needed = len(wanted.indices)
        for room in (needed - 1, needed // 3, 0):
            buffer = np.empty(room, dtype=np.int32)
            message = f"out must have room for all ids, of which there are {needed}, got .* {room}$"
            with pytest.raises(ValueError, match=message):
                index.query_halfspace(normals[part], offsets[part], out=buffer, workers=workers)
        assert_same(index.query_halfspace(normals[part], offsets[part]), wanted)


@every_engine
def test_ties_that_are_refuted_need_no_room_in_the_buffer(method, kernels):
    points = np.ones((700, 2))
    points[::100, 0] = 2.0
    index = HalfspaceIndex(points, method=method, kernels=kernels)
    buffer = np.full(7, -1, dtype=np.int32)
    hits = index.query_halfspace([[1.0, 1.0]], 2.0, out=buffer)
    assert buffer.tolist() == hits[0].tolist() == list(range(0, 700, 100))
    assert np.shares_memory(buffer, hits.indices)


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


# Scores


@settings(deadline=None, max_examples=60)
@given(problems())
def test_scores_are_the_sums_from_left_to_right(problem):
    points, biases, normals, offsets, strict = problem
    wanted = exact_sets(points, biases, normals, offsets, strict)
    for method, kernels in ENGINES:
        index = HalfspaceIndex(points, biases, method=method, kernels=kernels)
        hits = index.query_halfspace(normals, offsets, strict=strict, return_scores=True)
        assert [ids.tolist() for ids in hits.split()] == wanted
        found = iter(hits.scores.tolist())
        for x, ids in zip(normals.tolist(), wanted, strict=True):
            for r in ids:
                total = points[r].tolist()[0] * x[0]
                for p, component in zip(points[r].tolist()[1:], x[1:], strict=True):
                    total += p * component
                if biases is not None:
                    total += float(biases[r])
                score = next(found)
                assert np.array_equal([score], [total], equal_nan=True), f"{method}, {kernels}"
                assert np.signbit(score) == np.signbit(total) or np.isnan(total)


@every_engine
@pytest.mark.parametrize("d", [1, 2, 3, 17, 65])
def test_a_score_does_not_depend_on_what_is_asked_with_it(method, kernels, d):
    rng = np.random.default_rng(d)
    points, normals = rng.standard_normal((500, d)), rng.standard_normal((40, d))
    index = HalfspaceIndex(points, rng.standard_normal(500), method=method, kernels=kernels)
    together = index.query_halfspace(normals, -0.5, return_scores=True)
    alone = [index.query_halfspace(x[None], -0.5, return_scores=True) for x in normals]
    np.testing.assert_array_equal(together.scores, np.concatenate([one.scores for one in alone]))
    reference = HalfspaceIndex(points, index._store.bias, method="scan", kernels="numpy")
    assert_same(together, reference.query_halfspace(normals, -0.5, return_scores=True))


def test_scores_that_overflow_are_given_as_they_come():
    index = HalfspaceIndex([[1e308, 1e308], [1e308, -1e308]])
    hits = index.query_halfspace([[10.0, 10.0]], 0.0, strict=False, return_scores=True)
    assert hits[0].tolist() == [0, 1]
    assert hits.scores[0] == np.inf and np.isnan(hits.scores[1])


# Piece by piece


@every_slice_engine
@settings(deadline=None, max_examples=10)
@given(chunk=st.sampled_from([4, 400, 4000, 40_000, 2**26]), workers=st.sampled_from([1, 3]))
def test_the_pieces_make_up_the_answer_and_keep_their_size(method, kernels, chunk, workers):
    index, normals, offsets = made(600, 3, 90, method, kernels, removed=True)
    wanted = index.query_halfspace(normals, offsets, return_scores=True)
    pieces = list(
        index.iter_halfspace(
            normals, offsets, return_scores=True, chunk_bytes=chunk, workers=workers
        )
    )
    assert [part.start for part, _ in pieces] == [0, *(part.stop for part, _ in pieces[:-1])]
    assert pieces[-1][0].stop == 90
    for part, hits in pieces:
        assert len(hits) == part.stop - part.start > 0
        assert hits.indices.nbytes <= chunk or len(hits) == 1
        assert [ids.tolist() for ids in hits] == [wanted[i].tolist() for i in range(90)[part]]
    np.testing.assert_array_equal(
        np.concatenate([hits.scores for _, hits in pieces]), wanted.scores
    )
    if chunk == 2**26:
        assert len(pieces) == 1, "small answers come in one piece"


def test_no_queries_make_no_pieces():
    index = HalfspaceIndex(np.ones((3, 2)))
    for chunk in (4, 12, 2**26):
        assert list(index.iter_halfspace(np.empty((0, 2)), 0.0, chunk_bytes=chunk)) == []
    ((part, hits),) = HalfspaceIndex(np.empty((0, 2))).iter_halfspace(NORMALS, 0.0)
    assert (part, hits.counts.tolist()) == (slice(0, 1), [0])


def test_an_answer_of_many_pieces_never_holds_more_than_one(monkeypatch):
    index = HalfspaceIndex(np.ones((100_000, 2)), method="tree", kernels="numpy")
    normals = np.ones((300, 2))
    list(index.iter_halfspace(normals[:1], 0.0))
    tracemalloc.start()
    try:
        total = 0
        for _, hits in index.iter_halfspace(normals, 0.0, chunk_bytes=2**22):
            total += hits.indices.nbytes
            del hits
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total == 4 * 300 * 100_000
    assert peak < 64 * 2**20, f"{peak / 2**20:.0f} MiB"


# What is refused


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"count_only": 1}, TypeError, "count_only must be True or False"),
        ({"return_scores": None}, TypeError, "return_scores must be True or False"),
        ({"sort_results": "no"}, TypeError, "sort_results must be True or False"),
        ({"workers": 0}, ValueError, "workers must be an integer >= 1, got 0"),
        ({"workers": -1}, ValueError, "workers must be an integer >= 1, got -1"),
        ({"workers": 2.0}, TypeError, "workers must be an integer"),
        ({"count_only": True, "return_scores": True}, ValueError, "return_scores must be False"),
        ({"count_only": True, "out": np.empty(3, np.int32)}, ValueError, "out must be None"),
    ],
)
def test_options_that_mean_nothing_are_refused(options, error, message):
    index = HalfspaceIndex(np.ones((3, 2)))
    with pytest.raises(error, match=message):
        index.query_halfspace(NORMALS, 0.0, **options)
    assert index.stats().points_tested == 0


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"chunk_bytes": 3}, ValueError, "chunk_bytes must be an integer >= 4, got 3"),
        ({"chunk_bytes": 1e6}, TypeError, "chunk_bytes must be an integer"),
        ({"workers": 0}, ValueError, "workers must be an integer >= 1"),
        ({"strict": 0}, TypeError, "strict must be True or False"),
        ({"return_scores": 0}, TypeError, "return_scores must be True or False"),
        ({"sort_results": 0}, TypeError, "sort_results must be True or False"),
    ],
)
def test_bad_arguments_of_an_iterator_are_refused_when_it_is_made(options, error, message):
    with pytest.raises(error, match=message):
        HalfspaceIndex(np.ones((3, 2))).iter_halfspace(NORMALS, 0.0, **options)
    for call in ("count_halfspace", "mask_halfspace"):
        with pytest.raises(ValueError, match="workers must be"):
            getattr(HalfspaceIndex(np.ones((3, 2))), call)(NORMALS, 0.0, workers=0)

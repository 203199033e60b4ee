"""The answer of a query, in compressed sparse row form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from sublinear_lib.halfspace import HalfspaceHits

pytestmark = pytest.mark.either_way

TABLES = arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=7))


@settings(deadline=None)
@given(TABLES)
def test_a_mask_survives_the_way_through_hits(table):
    hits = HalfspaceHits.from_mask(table)
    q, m = table.shape
    assert len(hits) == q
    np.testing.assert_array_equal(hits.to_mask(m), table)
    np.testing.assert_array_equal(hits.counts, table.sum(axis=1))
    assert [ids.tolist() for ids in hits.split()] == [np.flatnonzero(row).tolist() for row in table]
    assert [ids.tolist() for ids in hits] == [ids.tolist() for ids in hits.split()]
    assert hits == HalfspaceHits(hits.indptr.copy(), hits.indices.copy())


def test_one_query_is_read_by_its_number():
    hits = HalfspaceHits.from_mask([[True, False, True], [False, False, False]])
    assert hits[0].tolist() == hits[-2].tolist() == [0, 2]
    assert hits[1].tolist() == []
    for outside in (2, -3):
        with pytest.raises(IndexError, match=r"query must be in -2, \.\.\., 1"):
            hits[outside]


def test_answers_with_other_ids_are_not_equal():
    hits = HalfspaceHits.from_mask([[True, False], [False, True]])
    assert hits != HalfspaceHits.from_mask([[True, False], [True, False]])
    assert hits != HalfspaceHits.from_mask([[True, True], [False, False]])
    assert hits != "hits"
    with pytest.raises(TypeError, match="unhashable"):
        hash(hits)


@settings(deadline=None)
@given(TABLES, st.randoms(use_true_random=False))
def test_hits_in_any_order_are_the_same_sets(table, random):
    hits = HalfspaceHits.from_mask(table)
    indices = hits.indices.copy()
    for ids in HalfspaceHits(hits.indptr, indices).split():
        random.shuffle(ids)
    mixed = HalfspaceHits(hits.indptr, indices)
    before = indices.copy()
    assert mixed == hits and hits == mixed
    ordered = mixed.ascending()
    np.testing.assert_array_equal(ordered.indices, hits.indices)
    assert ordered.ascending() is ordered
    np.testing.assert_array_equal(mixed.indices, before, "the original must stay as it was")
    m = table.shape[1]
    np.testing.assert_array_equal(mixed.to_mask(m), table)
    if table.any():
        other = table.copy()
        other[np.unravel_index(np.argmax(table), table.shape)] = False
        assert mixed != HalfspaceHits.from_mask(other)
        row = int(np.argmax(table.any(axis=1)))
        if not table[row].all():
            other[row, np.argmin(table[row])] = True
            assert mixed != HalfspaceHits.from_mask(other)


def test_ids_that_fall_from_one_query_to_the_next_are_in_order():
    hits = HalfspaceHits(np.array([0, 0, 2, 2, 3, 3]), np.array([3, 4, 1], dtype=np.int32))
    assert hits.ascending() is hits
    twice = HalfspaceHits(np.array([0, 2]), np.array([3, 3], dtype=np.int32))
    assert twice.ascending().indices.tolist() == [3, 3]


def test_an_answer_cannot_be_changed():
    hits = HalfspaceHits.from_mask([[True]])
    with pytest.raises(AttributeError):
        hits.indices = np.zeros(1, dtype=np.int32)
    assert repr(hits) == "HalfspaceHits(1 queries, 1 ids)"


INDPTR, INDICES = np.array([0, 1]), np.array([5], dtype=np.int32)


@pytest.mark.parametrize(
    ("indptr", "indices", "error", "message"),
    [
        (INDPTR.astype(np.int32), INDICES, TypeError, "indptr must be a vector of dtype int64"),
        (INDPTR, INDICES.astype(np.int64), TypeError, "indices must be a vector of dtype int32"),
        (INDPTR[None], INDICES, TypeError, "indptr must be a vector"),
        ([0, 1], INDICES, TypeError, "indptr must be a vector of dtype int64, got a list"),
        (INDPTR[:0], INDICES, ValueError, "indptr must run from 0 to the number of indices 1"),
        (INDPTR + 1, INDICES, ValueError, "indptr must run from 0"),
        (INDPTR * 2, INDICES, ValueError, "indptr must run from 0"),
        (np.array([0, 2, 1]), INDICES, ValueError, "indptr must never decrease"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(indptr, indices, error, message):
    with pytest.raises(error, match=message):
        HalfspaceHits(indptr, indices)


@pytest.mark.parametrize(
    ("m", "error", "message"),
    [
        (5, ValueError, "m must be larger than every reported id, got 5 and id 5"),
        (-1, ValueError, "m must be an integer >= 0"),
        (6.0, TypeError, "m must be an integer"),
    ],
)
def test_too_few_columns_are_refused(m, error, message):
    hits = HalfspaceHits(INDPTR, INDICES)
    with pytest.raises(error, match=message):
        hits.to_mask(m)

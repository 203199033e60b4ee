"""Vector code and plain twins give the same masks and the same rows."""

import functools
import pickle
import platform
from types import SimpleNamespace

import numpy as np
import pytest

from sublinear_lib.halfspace.kernels import numba_allowed

if not numba_allowed():
    pytest.skip("needs numba", allow_module_level=True)

import numba

from sublinear_lib import _vector_code as vector_code
from sublinear_lib._vector_code import PLAIN, Code, compresses, host_code
from tests.commands import python

CODES = [  # `make test` tries the one that the kernels use here
    pytest.param(code, id=repr(code), marks=[] if code == host_code() else pytest.mark.thorough)
    for code in (PLAIN, Code(8), Code(16))[: 3 if compresses() else 2]
]


@functools.cache
def compiled(operation):
    """Return an operation as a kernel calls it."""
    return numba.njit(error_model="numpy", fastmath={"contract"})(lambda *given: operation(*given))


def masks_of(operation, size, *given):
    masks = np.zeros(size, dtype=np.uint64)
    compiled(operation)(*given, masks)
    return masks.tolist()


def lattice(rng, shape):
    """Small integers, of which all sums are exact, and now and then a NaN or an infinity."""
    numbers = rng.integers(-8, 9, shape).astype(np.float32)
    rare = rng.random(shape)
    numbers[rare < 0.01] = np.nan
    numbers[rare > 0.995] = np.inf
    return numbers


def to_word(bits):
    return sum(1 << int(j) for j in np.flatnonzero(bits))


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("d", [1, 2, 3, 7, 8, 33])
def test_scores_become_the_masks_of_their_comparisons(code, d):
    rng = np.random.default_rng(d)
    blocks, q = 3, 9
    points = lattice(rng, (blocks, d, 64))
    vectors = rng.integers(-3, 4, (q, d)).astype(np.float32)
    below = rng.integers(-30, 31, q).astype(np.float32)
    above = below + rng.integers(0, 3, q).astype(np.float32)
    spread = rng.integers(0, 3, q).astype(np.float32)
    queries = rng.integers(0, q, 7).astype(np.int32)
    radius = np.float32(2.0)
    with np.errstate(invalid="ignore"):
        scores = np.einsum("qk,bkj->qbj", vectors, points)
    low = (below - radius * spread)[:, None, None]
    high = (above + radius * spread)[:, None, None]
    possible, sure = scores >= low, scores > high
    assert (possible & ~sure).any() and np.isnan(scores).any(), "ties and NaN must occur"
    rest = (d, radius, vectors.ravel(), below, above, spread)
    for block in range(blocks):
        start = block * d * 64
        for first in range(len(queries) - 3):
            four = queries[first : first + 4]
            wanted = [to_word(side[q, block]) for side in (possible, sure) for q in four]
            given = code, points.ravel(), start, *rest
            found = masks_of(vector_code.score_masks, 8, *given, queries, first)
            assert found == wanted, f"block {block}, queries {four}"


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("d", [1, 2, 3, 8, 33])
def test_boxes_become_the_masks_of_their_comparisons(code, d):
    fanout = vector_code.FANOUT
    rng = np.random.default_rng(d)
    nodes, q = 3, 9
    center = rng.integers(-8, 9, (nodes, d, fanout)).astype(np.float32)
    half = rng.integers(0, 4, (nodes, d, fanout)).astype(np.float32)
    missing = rng.random((nodes, 1, fanout)) < 0.1
    center[np.broadcast_to(missing, center.shape)] = np.nan
    half[np.broadcast_to(missing, half.shape)] = np.nan
    vectors = rng.integers(-3, 4, (q, d)).astype(np.float32)
    below = rng.integers(-20, 21, q).astype(np.float32)
    above = below + rng.integers(0, 3, q).astype(np.float32)
    queries = rng.integers(0, q, 7).astype(np.int32)
    middle = np.einsum("qk,bkj->qbj", vectors, center)
    extent = np.einsum("qk,bkj->qbj", np.abs(vectors), half)
    inside = middle - extent > above[:, None, None]
    crossed = (middle + extent >= below[:, None, None]) & ~inside
    assert inside.any() and crossed.any()
    for node in range(nodes):
        for first in range(len(queries) - 3):
            four = queries[first : first + 4]
            start = node * d * fanout
            boxes = code, center.ravel(), half.ravel(), start, d, vectors.ravel(), below, above
            wanted = [to_word(side[q, node]) for side in (crossed, inside) for q in four]
            found = masks_of(vector_code.box_masks, 8, *boxes, queries, first)
            assert found == wanted, f"node {node}, queries {four}"


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("room", [0, 1, 63, 200])
def test_rows_of_set_bits_are_appended_in_order(code, room):
    rng = np.random.default_rng(0)
    rows = rng.permutation(1000).astype(np.int32)
    for share in (0.0, 0.02, 0.08, 0.3, 0.9, 1.0):
        chosen = np.flatnonzero(rng.random(64) < share)
        mask = np.uint64(to_word(np.isin(np.arange(64), chosen)))
        for start in (0, 5, 900):
            for source, wanted in ((rows, rows[start + chosen]), (None, start + chosen)):
                out = np.full(7 + len(chosen) + room, -5, dtype=np.int32)
                end = compiled(vector_code.append_rows)(code, source, start, mask, out, 7)
                assert end == 7 + len(chosen)
                np.testing.assert_array_equal(out[7:end], wanted)
                assert (out[:7] == -5).all(), "what lies before must stay"
                assert (out[end:] == -5).all(), "what lies behind must stay"


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("count", [0, 1, 7, 64, 500])
def test_rows_are_copied(code, count):
    source = np.arange(600, dtype=np.int32)
    out = np.full(600, -5, dtype=np.int32)
    compiled(vector_code.copy_rows)(code, source, 30, out, 20, count)
    np.testing.assert_array_equal(out[20 : 20 + count], source[30 : 30 + count])
    assert (out[:20] == -5).all() and (out[20 + count :] == -5).all()


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("dtype", [np.uint64, np.uint8])
def test_words_that_are_not_zero_are_found(code, dtype):
    rng = np.random.default_rng(0)
    for share in (0.0, 0.05, 0.5, 1.0):
        words = rng.integers(1, np.iinfo(dtype).max, 130, dtype=dtype, endpoint=True)
        words[rng.random(130) >= share] = 0
        for start in (0, 1, 66):
            found = compiled(vector_code.filled_words)(code, words, start)
            assert found == to_word(words[start : start + 64])


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("columns", [1, 2, 5])
def test_chosen_values_are_added_in_one_order(code, columns):
    rng = np.random.default_rng(0)
    values = rng.standard_normal(7 + 64 * columns) * 10.0 ** rng.integers(-9, 9, 7 + 64 * columns)
    for share in (0.0, 0.1, 0.5, 1.0):
        chosen = rng.random(64) < share
        for sizes in (False, True):
            totals = rng.standard_normal(3 + 8 * columns + 5)
            wanted = totals.copy()
            terms = np.where(chosen, values[7:].reshape(columns, 64), 0.0)
            terms = np.abs(terms) if sizes else terms
            for width in (32, 16, 8):
                terms = terms[:, :width] + terms[:, width:]
            wanted[3 : 3 + 8 * columns] += terms.ravel()
            mask = np.uint64(to_word(chosen))
            compiled(vector_code.add_chosen)(code, values, 7, columns, mask, sizes, totals, 3)
            np.testing.assert_array_equal(totals, wanted)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("d", [1, 3, 8, 33])
def test_scores_are_compared_with_the_band_of_each_point(code, d):
    rng = np.random.default_rng(d)
    blocks = rng.integers(-3, 4, (2, d, 64)).astype(np.float32)  # sums without rounding
    blocks[1, :, 5] = np.nan
    vectors = rng.integers(-2, 3, (5, d)).astype(np.float32)
    band = rng.integers(0, 6, 128).astype(np.float32)
    band[70:75], band[100] = -1.0, np.nan
    queries = np.array([4, 0, 1, 2, 2], dtype=np.int32)
    given = code, blocks.ravel(), d * 64, d, band, 64, vectors.ravel(), queries, 1
    found = masks_of(vector_code.cap_masks, 12, *given)
    scores = vectors[queries[1:]] @ blocks[1]
    with np.errstate(invalid="ignore"):
        wanted = [~(scores < -band[64:]), scores > band[64:], scores > 0.0]
    assert found == [to_word(row) for mask in wanted for row in mask]


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("width", [8, 16, 40])
def test_eight_listed_rows_are_scored_and_compared(code, width):
    rng = np.random.default_rng(width)
    table = rng.integers(-3, 4, (30, width)).astype(np.float32)
    table[7] = np.nan
    rows = rng.permutation(30)[:20].astype(np.int32)
    rows[9] = 7
    vectors = rng.integers(-2, 3, 3 * width).astype(np.float32)
    band = rng.integers(0, 12, 30).astype(np.float32)
    band[rows[5]] = np.inf
    point = vectors[width : 2 * width]
    limit = np.float32(abs(table[rows[4]] @ point))  # a tie with the band itself
    factors = rng.integers(0, 4, 30).astype(np.float32)
    scores, keys = np.zeros((2, 11), dtype=np.float32)
    listed = code, table.ravel(), width, rows, 3, vectors, width
    compiled(vector_code.eight_scores)(*listed, scores, 2)
    compiled(vector_code.eight_keys)(*listed, limit, factors, np.float32(0.5), keys, 1)
    eight, limits = table[rows[3:11]] @ point, band[rows[3:11]]
    assert np.array_equal(scores, [0.0, 0.0, *eight, 0.0], equal_nan=True)
    holding = 0.5 + np.fmax(np.abs(eight) - 2 * limit, 0.0) * factors[rows[3:11]]
    wanted = np.where(np.abs(eight) > limit, np.copysign(holding, eight), 0.0)
    assert 0 < np.count_nonzero(wanted == 0.0) < 8
    assert np.array_equal(keys, [0.0, *wanted, 0.0, 0.0])
    possible, sure = ~((eight < -limits) | np.isinf(limits)), eight > limits
    bands = compiled(vector_code.eight_bands)(*listed, band)
    assert bands == to_word([*possible, *sure, *(eight > 0.0)])


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("share", [0.0, 0.05, 0.6, 1.0])
def test_keys_that_no_longer_hold_are_found_and_replaced(code, share):
    rng = np.random.default_rng(round(100 * share))
    keys = rng.integers(-3, 4, 90).astype(np.float32)
    keys[20] = np.nan
    chosen = rng.random(64) < share
    fresh = rng.integers(-3, 4, 80).astype(np.float32)
    wanted = keys.copy()
    wanted[11:75][chosen] = fresh[5 : 5 + chosen.sum()]
    after = keys.copy()
    stale = compiled(vector_code.stale_keys)(code, after, 11, np.float32(2.0))
    mask = np.uint64(to_word(chosen))
    masks = masks_of(vector_code.merge_keys, 2, code, fresh, 5, mask, after, 11)
    assert stale == to_word(~(np.abs(keys[11:75]) > 2.0))
    assert np.array_equal(after, wanted, equal_nan=True)
    there = wanted[11:75]
    assert masks[0] == to_word(there > 0.0)
    assert masks[1] == to_word(~((there > 0.0) | (there < 0.0)))


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("width", [8, 16, 24, 32, 40, 72])
@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_listed_rows_are_summed_and_a_row_is_spread(code, width, count):
    rng = np.random.default_rng(width + count)
    table = rng.integers(-9, 10, (20, width)).astype(np.float64)
    rows = rng.permutation(20)[:12].astype(np.int32)
    totals = rng.integers(-9, 10, 3 * width).astype(np.float64)
    wanted = totals.copy()
    wanted[width : 2 * width] -= 2.0 * table[rows[3 : 3 + count]].sum(axis=0)
    listed = rows, 3, count
    compiled(vector_code.sum_rows)(code, table.ravel(), width, *listed, -2.0, totals, width)
    assert np.array_equal(totals, wanted)
    wide = rng.integers(-9, 10, (20, width)).astype(np.float64)
    wanted = wide.copy()
    wanted[rows[3 : 3 + count]] += totals[width : 2 * width]
    listed = rows + 5, 3, count
    compiled(vector_code.spread_row)(code, totals, width, width, *listed, 5, wide.reshape(-1))
    assert np.array_equal(wide, wanted)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("width", [8, 24])
def test_rows_sum_the_vectors_that_their_bits_want(code, width):
    rng = np.random.default_rng(width)
    wanted = rng.random((13, 64)) < 0.4
    words = np.zeros(28, dtype=np.uint64)
    words[2::2] = [to_word(row) for row in wanted]
    words[3::2] = 2**64 - 1
    vectors = rng.standard_normal((13, width))
    totals = np.full(3 + 64 * width + 1, 7.0)
    spread = compiled(vector_code.spread_masked)
    for group in range(8):
        spread(code, vectors.ravel(), 13, width, words, 2, 2, group, totals, 3)
    sums = np.zeros((width, 64))
    for on, vector in zip(wanted, vectors, strict=True):
        sums[:, on] += vector[:, None]
    assert np.array_equal(totals[3:-1].reshape(width, 64), sums)
    assert np.array_equal(totals[[0, 1, 2, -1]], [7.0] * 4)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("width", [4, 12, 16])
def test_rows_of_integers_are_packed_and_compared(code, width):
    rng = np.random.default_rng(width)
    halves = rng.integers(-3, 4, (90, 2 * width)).astype(np.int16)
    point = rng.integers(-3, 4, 2 * width).astype(np.int16)
    # The largest sums there may be, of either sign.
    halves[:4], point[:2] = 0, 28379
    halves[0, :2], halves[1, :2] = 32767, -32767
    rows = rng.integers(4, 90, 70).astype(np.int32)
    rows[[7, 8]] = 0, 1
    limits = rng.integers(-40, 41, 65).astype(np.int32) * 2000
    listed = halves[rows[2:66]].astype(np.int64)
    products = listed @ point.astype(np.int64)
    limits[20], limits[21] = products[19] - 1000, products[20] + 1000  # on the edge of the band
    limits[30], limits[31] = products[29] - 1001, products[30] + 1001
    table = np.ascontiguousarray(halves).view(np.int32)
    out = np.zeros(64 * width + 3, dtype=np.int32)
    for j in range(0, 64, 16):
        given = code, table.ravel(), width, rows, 2 + j, out, 3 + j * width
        compiled(vector_code.pack_rows)(*given)
    given = code, out, 3, width, point.view(np.int32), limits, 1, 1000
    masks = masks_of(vector_code.packed_signs, 2, *given)
    columns = table[rows[2:66]].reshape(4, 16, width).transpose(0, 2, 1)
    assert np.array_equal(out[3:], columns.ravel())
    off = products - limits[1:]
    assert abs(products).max() == 2 * 32767 * 28379
    assert masks == [to_word(off > 1000), to_word(abs(off) <= 1000)]
    assert all(0 < word.bit_count() < 64 for word in masks)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("width", [8, 16, 40, 48, 72])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 1.0])
def test_changes_are_listed_with_their_sign_and_summed(code, width, share):
    rng = np.random.default_rng(width)
    rows = rng.permutation(80).astype(np.int32)
    table = rng.integers(-9, 10, (80, width)).astype(np.float64)
    before = rng.random(64) < 0.5
    now = before ^ (rng.random(64) < share)
    words = np.uint64(to_word(before)), np.uint64(to_word(now))
    out, totals = np.full(100, 77, dtype=np.int32), np.ones(width + 1)
    place = compiled(vector_code.append_changes)(code, rows, 3, *words, out, 2)
    given = code, table.ravel(), width, out, 2, place - 2, totals, 1
    compiled(vector_code.sum_changes)(*given)
    wanted = [
        ~row if was else row
        for row, was, is_ in zip(rows[3:67].tolist(), before, now, strict=True)
        if was != is_
    ]
    assert out[2:place].tolist() == wanted
    assert (out[:2] == 77).all()
    assert (out[place + 16 :] == 77).all()
    signs = np.array([-1.0 if row < 0 else 1.0 for row in wanted])
    sums = signs @ table[[max(row, ~row) for row in wanted]] if wanted else np.zeros(width)
    assert totals.tolist() == [1.0, *(1.0 + sums)]


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("share", [0.0, 0.1, 0.9, 1.0])
def test_bits_at_chosen_places_are_brought_together(code, share):
    rng = np.random.default_rng(1)
    chosen, some = rng.random(64) < share, rng.random(64) < 0.5
    words = np.uint64(to_word(some)), np.uint64(to_word(chosen))
    together = [*some[chosen], *[False] * np.count_nonzero(~chosen)]
    assert int(compiled(vector_code.squeeze)(code, *words)) == to_word(together)
    for place in (-9, 0, 5, 10**6):  # harmless wherever it points
        compiled(vector_code.prefetch)(code, np.arange(6.0), place)


def test_bits_are_found_and_counted():
    for word in (1, 2, 3, 2**63, 2**64 - 1, 0b1011000):
        lowest = (word & -word).bit_length() - 1
        assert compiled(vector_code.lowest_bit)(np.uint64(word)) == lowest
        assert compiled(vector_code.ones)(np.uint64(word)) == word.bit_count()
    assert compiled(vector_code.ones)(np.uint64(0)) == 0


def test_compiled_kernels_are_kept_apart_by_code_and_by_text():
    kinds = {numba.typeof(code) for code in (PLAIN, Code(8), Code(16))}
    assert len(kinds) == len({Code(8), Code(8), Code(16), PLAIN}) == 3
    assert pickle.loads(pickle.dumps(Code(16))) == Code(16) != Code(8)
    with pytest.raises(ValueError, match="lanes must be 0, 8 or 16, got 4"):
        Code(4)
    changed = vector_code._CodeType(16, "another text")
    assert changed not in kinds
    assert pickle.loads(pickle.dumps(numba.typeof(Code(16)))) == numba.typeof(Code(16))


@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="names its features")
@pytest.mark.parametrize(
    ("features", "switch", "wanted"),
    [
        ("", "1", "Code(0)"),
        ("+avx,+avx2,+fma", "1", "Code(8)"),
        ("+avx,+avx2,+fma", "0", "Code(0)"),
        ("+avx2,+avx512f,+avx512bw", "1", "Code(16)" if compresses() else "Code(8)"),
    ],
)
def test_a_processor_gets_the_code_of_its_features_unless_switched_off(features, switch, wanted):
    program = "from sublinear_lib._vector_code import host_code; print(host_code())"
    done = python(program, NUMBA_CPU_FEATURES=features, SUBLINEAR_VECTOR=switch)
    assert done.stdout.strip() == wanted


@pytest.mark.parametrize(("version", "wanted"), [((15, 0, 7), Code(8)), ((20, 1, 8), Code(16))])
def test_an_llvm_that_cannot_compress_vectors_is_not_asked_to(version, wanted, monkeypatch):
    class Processor:
        def magic_tuple(self):
            return None, None, "+avx2,+avx512f,+avx512bw"

    context = SimpleNamespace(target_context=SimpleNamespace(codegen=Processor))
    monkeypatch.setattr(vector_code, "cpu_target", context)
    monkeypatch.setattr(vector_code, "_features", vector_code._features.__wrapped__)
    monkeypatch.setattr(vector_code, "llvm_version_info", version)
    assert vector_code._code_of_processor.__wrapped__() == wanted

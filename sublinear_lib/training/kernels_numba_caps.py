"""The compiled loops of caps: sort the rows of each cap once, then follow who fires.

Everything is ordered by *stretches* of rows that fit the second-level cache together with their
float64 originals, and within a stretch by cap, so that a row that was fetched for one cap is near
for the next.  A *segment* is what one cap has in one stretch, number ``stretch * n + cap``.  The
undecided rows of a segment fill whole *eighths*, groups of eight places; the places behind the last
row repeat it and are masked out, and the state of an eighth is one byte, a bit for each place.  A
place also has a *key*: its sign is its state, its size the length of way up to which that holds
(:mod:`sublinear_lib.training.caps`).

Before changing it, know what the compiler may do here: it may reorder a sum (the error bounds hold
for every order, and no promise is made about the last bits), but not assume that numbers are
finite: NaN marks a row that float32 says nothing about.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib._compiled import FREE_SUMS, compiled
from sublinear_lib._vector_code import (
    append_rows,
    cap_masks,
    eight_bands,
    eight_keys,
    eight_scores,
    lowest_bit,
    merge_keys,
    ones,
    prefetch,
    spread_masked,
    spread_row,
    squeeze,
    stale_keys,
    sum_rows,
)

__all__ = [
    "begin",
    "enter",
    "follow",
    "gradient",
    "listed",
    "masked_gradient",
    "points_in_caps",
    "scan",
    "sift",
    "smooth",
    "tally",
    "to_blocks",
]

_compiled = compiled(FREE_SUMS)

_BLOCK = 64
# What the blocks of a scan may take of the second-level cache.
_CACHE_BYTES = 1 << 17
# An example is summed anew once more than this multiple of what is active has come and gone.
_WORN = 8.0
# Where the length of a way begins, so that no key is 0, and what rounding may do to it.
_START = 2.0**-10
_LONGER = 1.0 + 2.0**-20
# The key of a row that a float32 score says nothing about.
_TINY = np.float32(2.0**-100)
# What rows and limits of integers may be: see the loops of `climb`.
_POINT_UNIT = 2.0**15
_LARGEST_NUMBER = 32767.0
_LONGEST_ROW = 65000.0
_LARGEST_LIMIT = 2.0**31 - 2.0**25
_LARGEST_TERM = 2.0**45
# Long rows are asked for so many rows before they are read.
_AHEAD = 8
_LONG = 32
# With a larger share of the keys of a segment out of date, all are made anew where they stand.
_MOST = 0.65


@_compiled
def enter(code, positions, rows, network, scale, numbers, blocks, drift, integers):
    """Write some rows of the filter, and return the largest error bound of those that count.

    With `drift`, what a score plus its band may have grown by is added to it, and `blocks` stays.
    In `grains` are the bounds of the integer rows: of half the sum of sizes, of the squared norm,
    of that of what was rounded off, and of what the height 1/2 may be off; then comes how many rows
    were too large for integers, which are zeros instead.
    """
    ids, table, width, band, factors, gains, stride = rows
    W, a, b, tau, shift = network
    unit, halves, pairs, limits, grains = integers
    d = W.shape[1]
    radius, tolerance, margin, relative, longest, absolute, tame = numbers
    largest = 0.0
    far = stride >= _LONG
    unit_of_sums = unit * _POINT_UNIT
    half_sum = 0.0
    squared = 0.0
    rounded = 0.0
    tilted = 0.0
    remembered = drift.size > 0
    for e in range(positions.size):
        p = positions[e]
        r = ids[p]
        if far and e + _AHEAD < positions.size:
            later = positions[e + _AHEAD]
            for k in range(0, d, 8):
                prefetch(code, W, ids[later] * d + k)
            for k in range(0, stride, 8):
                prefetch(code, gains, later * stride + k)
            for k in range(0, width, 16):
                prefetch(code, table, later * width + k)
            for k in range(0, pairs, 16):
                prefetch(code, halves, 2 * (later * pairs + k))
        squares = 0.0
        for k in range(d - 1):
            squares += W[r, k] * W[r, k]
        last = abs(W[r, d - 1])
        # Rounded up: sums of d squares lose less than d 2**-52, and what underflows is added.
        grown = 1.0 + (2.0 * d + 16.0) * 2.0**-52
        front = np.sqrt(squares) * grown + np.sqrt(float(d)) * 2.0**-510
        lift = abs(b[r] - tau)
        whole = front + last
        for k in range(d):
            gains[p * stride + k] = a[r] * W[r, k]
        gains[p * stride + d] = a[r] * (b[r] - shift)
        gains[p * stride + d + 1] = abs(a[r]) * (whole + abs(b[r] - shift))
        folded = scale * W[r, d - 1] + 2.0 * (scale * (b[r] - tau))
        size = scale * (whole + 2.0 * lift)
        error = (
            relative * longest * (scale * front + abs(folded))
            + 4.0 * tolerance * (scale * lift)
            + 2.0**-48 * size
            + absolute
        )
        reach = scale * ((radius + 2.0 * tolerance) * front + 2.0 * tolerance * last + margin)
        fine = size <= tame
        factors[p] = 0.0
        if fine:
            # The second is how far heights within the tolerance move a score.
            largest = max(largest, error, 2.0 * tolerance * scale * last)
            factors[p] = np.float32(min((1.0 - 2.0**-20) / (scale * front), 2.0**100))
        limit = min((reach + error) * (1.0 + 2.0**-20), 2.0**100)
        new_band = np.float32(limit) if fine else np.float32(np.nan)
        line = p * width
        moved = 0.0
        for k in range(d - 1):
            short = np.float32(scale * W[r, k])
            step = np.float64(short) - np.float64(table[line + k])
            moved += step * step
            table[line + k] = short
        step = np.float64(np.float32(folded)) - np.float64(table[line + d - 1])
        moved += step * step
        table[line + d - 1] = np.float32(folded)
        if not fine:
            moved = np.nan
            for k in range(d):
                table[line + k] = np.float32(np.nan)
        if remembered:
            growth = max(0.0, np.float64(new_band) - np.float64(band[p]))
            # A row that moves may take part of its band along: that of the old score's rounding.
            slack = 2.0**-20 + 2.0 * relative
            drift[p] += longest * np.sqrt(moved) * (1.0 + slack) + growth
        else:
            start = (p // _BLOCK) * d * _BLOCK + p % _BLOCK
            for k in range(d):
                blocks[start + k * _BLOCK] = table[line + k]
        band[p] = new_band
        # The same row in integers: largest sums of sizes, squares and what was rounded off.
        sums = 0.0
        length = 0.0
        lost = 0.0
        most = 0.0
        line = 2 * p * pairs
        for k in range(d - 1):
            number = unit * W[r, k]
            whole = np.rint(number)
            sums += abs(whole)
            length += whole * whole
            lost += (number - whole) * (number - whole)
            most = max(most, abs(whole))
            halves[line + k] = np.int16(min(max(whole, -_LARGEST_NUMBER), _LARGEST_NUMBER))
        size = unit_of_sums * (0.5 * last + abs(b[r]) + abs(tau))
        lifted = unit_of_sums * (0.5 * W[r, d - 1] + (b[r] - tau))
        fine = most <= _LARGEST_NUMBER and length <= _LONGEST_ROW * _LONGEST_ROW
        if fine and abs(lifted) <= _LARGEST_LIMIT and size <= _LARGEST_TERM:
            limits[p] = np.int32(np.rint(-lifted))
            half_sum = max(half_sum, 0.5 * sums)
            squared = max(squared, length)
            rounded = max(rounded, lost)
            tilted = max(tilted, unit_of_sums * tolerance * last)
        else:
            for k in range(d - 1):
                halves[line + k] = np.int16(0)
            limits[p] = np.int32(0)
            grains[4] += 1.0
    grains[0] = max(grains[0], half_sum)
    grains[1] = max(grains[1], squared)
    grains[2] = max(grains[2], rounded)
    grains[3] = max(grains[3], tilted)
    return largest


@_compiled
def to_blocks(table, width, d, count, blocks):
    """Write the rows of the filter as blocks, one coordinate of 64 rows after the other."""
    for block in range((count + _BLOCK - 1) // _BLOCK):
        first = block * _BLOCK
        for k in range(d):
            line = (block * d + k) * _BLOCK
            for j in range(min(_BLOCK, count - first)):
                blocks[line + j] = table[(first + j) * width + k]


@_compiled
def points_in_caps(X, anchors, reach, height, on_slice, short):
    """Round points to float32 and return whether each is finite and in the cap of its anchor."""
    n, d = X.shape
    width = short.size // n
    inside = True
    for i in range(n):
        squares = 0.0
        whole = X[i, d - 1] * X[i, d - 1]
        for k in range(d - 1):
            step = X[i, k] - anchors[i, k]
            squares += step * step
            whole += X[i, k] * X[i, k]
            short[i * width + k] = np.float32(X[i, k])
        short[i * width + d - 1] = np.float32(X[i, d - 1])
        inside &= np.sqrt(squares) <= reach
        if on_slice:
            inside &= abs(np.sqrt(whole) - 1.0) <= height
            inside &= abs(X[i, d - 1] - 0.5) <= height
        inside &= abs(X[i, d - 1] - anchors[i, d - 1]) <= height
    return inside


@_compiled
def _put(words, place, bits):
    """Set bits from a place on, where all bits are 0 still."""
    w = place >> 6
    shift = np.uint64(place & 63)
    words[w] |= bits << shift
    # In two steps: a shift by 64 is none.
    words[w + 1] |= (bits >> np.uint64(1)) >> (np.uint64(63) - shift)


@_compiled
def scan(code, blocks, d, count, band, points, queries, n, words, split, certain, lists):
    """Sort all rows for every cap; return the room that both lists need.

    The state of an undecided row is whether its score is positive.  Without `split` all possible
    rows count as undecided, and have no state.  The sure rows of segment s are also the
    bits of `certain` from word ``s * words`` on.
    """
    undecided, eighths, lengths, state, sure, starts = lists
    masks = np.empty(12, dtype=np.uint64)
    possible = np.empty(n * words, dtype=np.uint64)
    positive = np.empty(n * words, dtype=np.uint64)
    bits = np.zeros(words + 2, dtype=np.uint64)
    bytes_of = bits.view(np.uint8)
    near = max(1, _CACHE_BYTES // (4 * d * _BLOCK))
    place = 0
    place_sure = 0
    eighths[0] = 0
    starts[0] = 0
    for first in range(0, count, words):
        stretch = first // words
        offset = stretch * n * words
        last = min(count, first + words)
        # All caps look at a few blocks before the next ones take their place in the cache.
        for start in range(first, last, near):
            for group in range(0, queries.size, 4):
                for w in range(start, min(last, start + near)):
                    row = w * _BLOCK
                    cap_masks(code, blocks, row * d, d, band, row, points, queries, group, masks)
                    for t in range(min(4, n - group)):
                        on = masks[t] & masks[4 + t] if split else np.uint64(0)
                        word = (group + t) * words + w - first
                        certain[offset + word] = on
                        possible[word] = masks[t] & ~on
                        positive[word] = masks[8 + t]
        for i in range(n):
            segment = stretch * n + i
            begin = i * words
            rows = 0
            surely = 0
            for w in range(begin, begin + last - first):
                rows += ones(possible[w])
                surely += ones(certain[offset + w])
            lengths[segment] = rows
            room = (rows + 7) // 8 * 8
            if place + room <= undecided.size and place_sure + surely <= sure.size:
                to = place
                to_sure = place_sure
                for w in range(last - first):
                    row = (first + w) * _BLOCK
                    some = possible[begin + w]
                    if split:
                        _put(bits, to - place, squeeze(code, positive[begin + w], some))
                    to = append_rows(code, None, row, some, undecided, to)
                    word = certain[offset + begin + w]
                    to_sure = append_rows(code, None, row, word, sure, to_sure)
                for spare in range(to, place + room):
                    undecided[spare] = undecided[to - 1]
                if split:
                    for j in range(room // 8):
                        state[place // 8 + j] = bytes_of[j]
                    bits[: rows // _BLOCK + 1] = np.uint64(0)
            place += room
            place_sure += surely
            eighths[segment + 1] = place // 8
            starts[segment + 1] = place_sure
    return place, place_sure


@_compiled
def sift(code, rows, points, n, stretches, candidates, lists):
    """Sort listed rows, and hot ones, for every cap; return the room that both lists need.

    With hot rows, `cold` are the bands for the lists: infinite for those that are hot.
    """
    table, width, band = rows.table, rows.width, rows.band
    first, last, indices, cold, hot_rows, hot_first = candidates
    undecided, eighths, lengths, state, sure, starts = lists
    spare = np.zeros(_BLOCK, dtype=np.int32)
    longest = 0
    for segment in range(stretches * n):
        longest = max(longest, hot_rows.size + last[segment] - first[segment])
    bits = np.zeros(longest // _BLOCK + 2, dtype=np.uint64)
    bytes_of = bits.view(np.uint8)
    place = 0
    place_sure = 0
    eighths[0] = 0
    starts[0] = 0
    sources = 1 + (cold.size > 0)
    for segment in range(stretches * n):
        i = segment % n
        stretch = segment // n
        begin = place
        for source in range(sources):
            listed = indices if source == 0 else hot_rows
            limits = cold if source == 0 and sources == 2 else band
            e = first[segment] if source == 0 else hot_first[stretch]
            end = last[segment] if source == 0 else hot_first[stretch + 1]
            while e < end:
                count = min(_BLOCK, end - e)
                where = listed
                start = e
                if e + _BLOCK > listed.size:
                    where = spare
                    start = 0
                    for j in range(count):
                        spare[j] = listed[e + j]
                possible = np.uint64(0)
                certain = np.uint64(0)
                positive = np.uint64(0)
                for part in range(0, count, 8):
                    signs = eight_bands(
                        code, table, width, where, start + part, points, i * width, limits
                    )
                    possible |= np.uint64(signs & 255) << np.uint64(part)
                    certain |= np.uint64((signs >> 8) & 255) << np.uint64(part)
                    positive |= np.uint64(signs >> 16) << np.uint64(part)
                if count < _BLOCK:
                    possible &= (np.uint64(1) << np.uint64(count)) - np.uint64(1)
                certain &= possible
                possible &= ~certain
                more, more_sure = ones(possible), ones(certain)
                # An eighth may need seven places more.
                if place + more + 8 <= undecided.size and place_sure + more_sure <= sure.size:
                    _put(bits, place - begin, squeeze(code, positive, possible))
                    append_rows(code, where, start, possible, undecided, place)
                    append_rows(code, where, start, certain, sure, place_sure)
                place += more
                place_sure += more_sure
                e += _BLOCK
        lengths[segment] = place - begin
        room = begin + (place - begin + 7) // 8 * 8
        for free in range(place, min(room, undecided.size)):
            undecided[free] = undecided[place - 1]
        if room <= undecided.size:
            for j in range((room - begin) // 8):
                state[begin // 8 + j] = bytes_of[j]
        bits[: (place - begin) // _BLOCK + 1] = np.uint64(0)
        place = room
        eighths[segment + 1] = place // 8
        starts[segment + 1] = place_sure
    return place, place_sure


@_compiled
def _word(state, eighth, last):
    """Return the states of up to eight eighths."""
    word = np.uint64(0)
    for j in range(min(8, last - eighth)):
        word |= np.uint64(state[eighth + j]) << np.uint64(8 * j)
    return word


@_compiled
def begin(code, rows, lists, n, fixed, totals):
    """Sum the rows that fire all over their cap, and those that seem to fire at its center.

    Gradients, constants and volumes: of the former in `fixed`, of both in `totals`.  Returns how
    many rows were summed.
    """
    gains, stride = rows.gains, rows.stride
    undecided, eighths, _, state, sure, starts = lists
    most = 0
    for segment in range(starts.size - 1):
        most = max(most, eighths[segment + 1] - eighths[segment])
    buffer = np.empty(8 * most + _BLOCK, dtype=np.int32)
    count = starts[starts.size - 1]
    for segment in range(starts.size - 1):
        place = segment % n * stride
        first, last = starts[segment], starts[segment + 1]
        if last > first:
            sum_rows(code, gains, stride, sure, first, last - first, 1.0, fixed, place)
        found = _firing(code, undecided, eighths[segment], eighths[segment + 1], state, buffer)
        count += found
        if found > 0:
            sum_rows(code, gains, stride, buffer, 0, found, 1.0, totals, place)
    totals += fixed
    return count


@_compiled
def _firing(code, undecided, eighth, last, state, buffer):
    """List the undecided rows of a segment that fire."""
    found = 0
    while eighth < last:
        found = append_rows(code, undecided, 8 * eighth, _word(state, eighth, last), buffer, found)
        eighth += 8
    return found


@_compiled
def _renew(code, i, n, gains, stride, undecided, eighths, state, buffer, fixed, totals):
    """Sum the gradient of one cap anew."""
    for k in range(i * stride, (i + 1) * stride):
        totals[k] = fixed[k]
    segment = i
    while segment + 1 < eighths.size:
        found = _firing(code, undecided, eighths[segment], eighths[segment + 1], state, buffer)
        sum_rows(code, gains, stride, buffer, 0, found, 1.0, totals, i * stride)
        segment += n


@_compiled
def _valid(count):
    """Return a word of as many bits, at most 64."""
    if count < _BLOCK:
        return (np.uint64(1) << np.uint64(count)) - np.uint64(1)
    return ~np.uint64(0)


@_compiled
def _place(words, number):
    """Return the position of a bit, counted from 0, among the bits of words that are set."""
    w = 0
    while ones(words[w]) <= number:
        number -= ones(words[w])
        w += 1
    word = words[w]
    for _ in range(number):
        word &= word - np.uint64(1)
    return w * _BLOCK + lowest_bit(word)


@_compiled
def _decide(r, W, b, X, i, lower, upper):
    """Return whether a neuron fires at a point by its float64 score, or -1 if that is too close."""
    z = b[r]
    for k in range(W.shape[1]):
        z += W[r, k] * X[i, k]
    if z > upper:
        return 1
    return 0 if z < lower else -1


@_compiled
def follow(
    code,
    rows,
    network,
    lists,
    keys,
    ways,
    before,
    length_of_stretch,
    short,
    X,
    limit,
    edges,
    sums,
    value,
    open_places,
    open_caps,
):
    """Move every cap to a new point; return how many rows were scored, have changed, and are open.

    A cap that stays where it is has nothing to do, and a row is scored only if its key no longer
    holds.  A row that float64 cannot decide either keeps its state and is written to `open_places`.
    """
    ids, table, width, _, factors, gains, stride = rows
    W, b = network.W, network.b
    undecided, eighths, lengths, state, _, _ = lists
    lower, upper = edges
    fixed, totals, worn = sums
    n, d = X.shape
    scored = 0
    changes = 0
    found = 0
    stays = np.zeros(n, dtype=np.bool_)
    starts = np.zeros(n, dtype=np.bool_)
    for i in range(n):
        same = True
        squares = 0.0
        for k in range(d - 1):
            step = X[i, k] - before[i, k]
            squares += step * step
        for k in range(d):
            same &= X[i, k] == before[i, k]
            before[i, k] = X[i, k]
        stays[i] = same
        if not same:
            if squares < np.inf:
                ways[i] += np.sqrt(squares)
            else:
                starts[i] = True
                ways[i] = _START
    coming = np.empty(length_of_stretch + _BLOCK, dtype=np.int32)
    going = np.empty(length_of_stretch + _BLOCK, dtype=np.int32)
    key_bits = keys.view(np.int32)
    stale_rows = np.empty(length_of_stretch + 2 * _BLOCK, dtype=np.int32)
    stale_bits = np.empty(length_of_stretch + 2 * _BLOCK, dtype=np.int32)
    stale_present = stale_bits.view(np.float32)
    fresh = np.empty(length_of_stretch + 2 * _BLOCK, dtype=np.float32)
    words = np.empty(length_of_stretch // _BLOCK + 2, dtype=np.uint64)
    masks = np.empty(2, dtype=np.uint64)
    nothing = np.uint64(0)
    segment = 0
    while segment + 1 < eighths.size:
        i = segment % n
        length = lengths[segment]
        first, last = eighths[segment], eighths[segment + 1]
        if stays[i] or length == 0:
            segment += 1
            continue
        come = 0
        go = 0
        way = np.float32(ways[i])
        at = i * width
        anew = starts[i]
        count = 0
        if not anew:
            holds = np.float32(ways[i] * _LONGER)
            for eighth in range(first, last, 8):
                stale = stale_keys(code, keys, 8 * eighth, holds)
                stale &= _valid(length - 8 * (eighth - first))
                words[(eighth - first) >> 3] = stale
                if stale != nothing:
                    append_rows(code, key_bits, 8 * eighth, stale, stale_bits, count)
                    count = append_rows(code, undecided, 8 * eighth, stale, stale_rows, count)
            anew = count > _MOST * length
        if anew:
            scored += length
            for eighth in range(first, last, 8):
                whole = min(8, last - eighth)
                for j in range(8 * eighth, 8 * (eighth + whole), 8):
                    eight_keys(
                        code, table, width, undecided, j, short, at, limit, factors, way, keys, j
                    )
                valid = _valid(length - 8 * (eighth - first))
                merge_keys(code, fresh, 0, nothing, keys, 8 * eighth, masks)
                now = masks[0] & valid
                doubt = masks[1] & valid
                old = _word(state, eighth, last)
                while doubt != nothing:
                    j = lowest_bit(doubt)
                    doubt &= doubt - np.uint64(1)
                    place = 8 * eighth + j
                    on = _decide(ids[undecided[place]], W, b, X, i, lower, upper)
                    if on < 0:
                        on = np.int64(old >> np.uint64(j)) & 1
                        if found < open_places.size:
                            open_places[found] = place
                            open_caps[found] = i
                        found += 1
                    now |= np.uint64(on) << np.uint64(j)
                    keys[place] = _TINY if on else -_TINY
                if now != old:
                    for j in range(whole):
                        state[eighth + j] = np.uint8((now >> np.uint64(8 * j)) & np.uint64(255))
                    come = append_rows(code, undecided, 8 * eighth, now & ~old, coming, come)
                    go = append_rows(code, undecided, 8 * eighth, old & ~now, going, go)
        elif count > 0:
            scored += count
            for j in range(count, (count + 7) // 8 * 8):
                stale_rows[j] = stale_rows[0]
            for j in range(0, count, 8):
                eight_keys(
                    code, table, width, stale_rows, j, short, at, limit, factors, way, fresh, j
                )
            for start in range(0, count, _BLOCK):
                valid = _valid(count - start)
                merge_keys(code, fresh, 0, nothing, stale_present, start, masks)
                old = masks[0] & valid
                merge_keys(code, fresh, 0, nothing, fresh, start, masks)
                now = masks[0] & valid
                doubt = masks[1] & valid
                while doubt != nothing:
                    j = lowest_bit(doubt)
                    doubt &= doubt - np.uint64(1)
                    on = _decide(ids[stale_rows[start + j]], W, b, X, i, lower, upper)
                    if on < 0:
                        on = np.int64(old >> np.uint64(j)) & 1
                        if found < open_places.size:
                            open_places[found] = 8 * first + _place(words, start + j)
                            open_caps[found] = i
                        found += 1
                    now |= np.uint64(on) << np.uint64(j)
                    fresh[start + j] = _TINY if on else -_TINY
                come = append_rows(code, stale_rows, start, now & ~old, coming, come)
                go = append_rows(code, stale_rows, start, old & ~now, going, go)
            origin = 0
            for eighth in range(first, last, 8):
                stale = words[(eighth - first) >> 3]
                if stale != nothing:
                    merge_keys(code, fresh, origin, stale, keys, 8 * eighth, masks)
                    origin += ones(stale)
                    now = masks[0] & _valid(length - 8 * (eighth - first))
                    for j in range(min(8, last - eighth)):
                        state[eighth + j] = np.uint8((now >> np.uint64(8 * j)) & np.uint64(255))
        if come + go > 0:
            changes += come + go
            # What came and went, from the volumes before, between and after.
            volume = i * stride + d + 1
            worn[i] -= totals[volume]
            sum_rows(code, gains, stride, coming, 0, come, 1.0, totals, i * stride)
            worn[i] += 2.0 * totals[volume]
            sum_rows(code, gains, stride, going, 0, go, -1.0, totals, i * stride)
            worn[i] -= totals[volume]
        segment += 1
    for i in range(n):
        if not worn[i] <= _WORN * totals[i * stride + d + 1]:
            _renew(code, i, n, gains, stride, undecided, eighths, state, coming, fixed, totals)
            worn[i] = totals[i * stride + d + 1]
        total = totals[i * stride + d]
        for k in range(d):
            total += totals[i * stride + k] * X[i, k]
        value[i] = total
    return scored, changes, found


@_compiled
def smooth(code, rows, network, jump, bandwidth, lists, short, X, scale, limit, slope):
    """Add the undecided rows' share of the smoothed gradient; return how many have one."""
    ids, table, width, _, _, gains, stride = rows
    W, _, b, tau, _ = network
    undecided, eighths, lengths = lists.undecided, lists.eighths, lists.lengths
    n, d = X.shape
    count = 0
    high = np.float32((scale * bandwidth + limit) * (1.0 + 2.0**-20))
    scores = np.empty(8, dtype=np.float32)
    segment = 0
    while segment + 1 < eighths.size:
        i = segment % n
        left = lengths[segment]
        for eighth in range(eighths[segment], eighths[segment + 1]):
            start = 8 * eighth
            eight_scores(code, table, width, undecided, start, short, i * width, scores, 0)
            for j in range(min(8, left)):
                score = scores[j]
                if score < -high:
                    continue
                p = undecided[start + j]
                factor = 1.0
                if not score > high:
                    r = ids[p]
                    z = b[r]
                    for k in range(d):
                        z += W[r, k] * X[i, k]
                    if z <= tau - bandwidth:
                        continue
                    q = min((z - tau) / bandwidth, 1.0)
                    square = q * q
                    factor = 0.5 + 0.75 * q - 0.25 * square * q
                    factor += jump * 0.75 * (1.0 - square)
                    if factor == 0.0:
                        continue
                count += 1
                for k in range(d):
                    slope[i, k] += factor * gains[p * stride + k]
            left -= 8
        segment += 1
    return count


@_compiled
def tally(lists, counts):
    """Count the rows that fire in each cap."""
    eighths, state, starts = lists.eighths, lists.state, lists.starts
    n = counts.size
    segment = 0
    while segment + 1 < starts.size:
        total = starts[segment + 1] - starts[segment]
        for eighth in range(eighths[segment], eighths[segment + 1]):
            total += ones(np.uint64(state[eighth]))
        counts[segment % n] += total
        segment += 1


@_compiled
def listed(ids, lists, indptr, indices):
    """Write the rows that fire in each cap, stretch after stretch."""
    undecided, eighths, _, state, sure, starts = lists
    n = indptr.size - 1
    free = indptr[:n].copy()
    segment = 0
    while segment + 1 < starts.size:
        i = segment % n
        place = free[i]
        for e in range(starts[segment], starts[segment + 1]):
            indices[place] = ids[sure[e]]
            place += 1
        for eighth in range(eighths[segment], eighths[segment + 1]):
            left = np.int64(state[eighth])
            while left != 0:
                indices[place] = ids[undecided[8 * eighth + lowest_bit(left)]]
                place += 1
                left &= left - 1
        free[i] = place
        segment += 1


@_compiled
def _set_bits(rows, first, last, base, start, words):
    """Set the bits of listed rows in the words from `start` on."""
    place = -1
    word = np.uint64(0)
    for e in range(first, last):
        p = rows[e] - base
        where = start + (p >> 6)
        if where != place:
            if place >= 0:
                words[place] |= word
            place = where
            word = np.uint64(0)
        word |= np.uint64(1) << np.uint64(p & 63)
    if place >= 0:
        words[place] |= word


@_compiled
def masked_gradient(certain, code, rows, ids, a, lists, coefficients, X, fires, out):
    """Do what `gradient` does, to the bit, over words of active rows instead of lists.

    The words of the sure ones are `certain`, if it is not empty.
    """
    undecided, eighths, _, state, sure, starts = lists
    n, d = X.shape
    stride = d + -d % 8
    terms = np.zeros(n * stride)
    for i in range(n):
        for k in range(d):
            terms[i * stride + k] = coefficients[i] * X[i, k]
    buffer = np.empty(rows + 64, dtype=np.int32)
    blocks = rows // _BLOCK
    words = np.empty(blocks * n, dtype=np.uint64)
    totals = np.empty(stride * _BLOCK)
    place = 0
    for stretch in range((starts.size - 1) // n):
        base = stretch * rows
        if certain.size > 0:
            words[:] = certain[stretch * words.size : (stretch + 1) * words.size]
        else:
            words[:] = np.uint64(0)
        for i in range(n):
            segment = stretch * n + i
            if certain.size == 0:
                _set_bits(sure, starts[segment], starts[segment + 1], base, i * blocks, words)
            found = _firing(code, undecided, eighths[segment], eighths[segment + 1], state, buffer)
            _set_bits(buffer, 0, found, base, i * blocks, words)
        for block in range(min(blocks, (ids.size - base + 63) // _BLOCK)):
            somewhere = np.uint64(0)
            for i in range(n):
                somewhere |= words[i * blocks + block]
            for group in range(8):
                if (somewhere >> np.uint64(8 * group)) & np.uint64(255) != np.uint64(0):
                    spread_masked(code, terms, n, stride, words, block, blocks, group, totals, 0)
            while somewhere != np.uint64(0):
                j = lowest_bit(somewhere)
                somewhere &= somewhere - np.uint64(1)
                p = base + block * _BLOCK + j
                fires[p] = 1
                c = a[ids[p]]
                for k in range(d):
                    out[place, k] = c * totals[k * _BLOCK + j]
                place += 1
    return place


@_compiled
def gradient(code, rows, ids, a, lists, coefficients, X, fires, out):
    """Sum ``c_i a_r x_i`` for the rows that fire somewhere, mark them, return their number."""
    undecided, eighths, _, state, sure, starts = lists
    n, d = X.shape
    stride = d + -d % 8
    terms = np.zeros(n * stride)
    for i in range(n):
        for k in range(d):
            terms[i * stride + k] = coefficients[i] * X[i, k]
    totals = np.empty(rows * stride)
    buffer = np.empty(rows + 64, dtype=np.int32)
    stretches = (starts.size - 1) // n
    place = 0
    for stretch in range(stretches):
        base = stretch * rows
        totals[:] = 0.0
        for i in range(n):
            segment = stretch * n + i
            first, last = starts[segment], starts[segment + 1]
            spread_row(code, terms, i * stride, stride, sure, first, last - first, base, totals)
            found = _firing(code, undecided, eighths[segment], eighths[segment + 1], state, buffer)
            spread_row(code, terms, i * stride, stride, buffer, 0, found, base, totals)
            for e in range(first, last):
                fires[sure[e]] = 1
            for e in range(found):
                fires[buffer[e]] = 1
        for p in range(base, min(base + rows, ids.size)):
            if fires[p]:
                c = a[ids[p]]
                for k in range(d):
                    out[place, k] = c * totals[(p - base) * stride + k]
                place += 1
    return place

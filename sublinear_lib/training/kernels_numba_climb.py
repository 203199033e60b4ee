r"""A whole gradient attack on all caps in one compiled call, on rows of 16-bit integers.

The attack stays in one cap for all its steps, so what it looks at there, the undecided rows, is
copied once into a block that the second-level cache holds (*packed*: sixteen rows side by side, one
pair of coordinates after the other), and is then scored as a whole at every point, at the speed of
a matrix product.  Rows whose activity changed are added to gradient and value of the network, or
taken off, in float64.

**Exactness.**  With powers of two A and ``B = 2**15``, a row is kept as the integers
``q = round(A w')`` and the limit ``t = round(-A B (w_d / 2 + b - tau))``, a point as
``p = round(B v')``; primes leave out the last coordinate, which is 1/2 on X up to the tolerance.
As ``|v'| = sqrt(3)/2``, p fits into 16 bits, and rows for which

    |q_k| <= 32767,   ||q|| <= 65000,   |t| <= 2**31 - 2**25

have an inner product ``<q, p>`` below ``65000 (28379 + sqrt(d)/2) < 2**31``: the sum in 32 bits is
exact, however it is ordered.  From

    A B <w', v'> - <q, p>  =  <A w' - q, B v'>  +  <q, B v' - p>

and ``|r_k| <= 1/2`` for both remainders, Cauchy and Schwarz or a sum of sizes bound the error by

    min(|B v'|_1 / 2, ||A w' - q|| ||B v'||)  +  min(|q|_1 / 2, ||q|| ||B v' - p||)
        +  A B |w_d| |v_d - 1/2|  +  1,

the 1 for the rounding of t (half) and of the float64 sum before it (less than 2**-6, as its terms
are at most 2**45).  The *margin* takes the largest of each row term over all rows, and 8 more than
the sum rounded up.  A row fires if ``<q, p> > t + margin`` and does not if ``<q, p> < t - margin``;
in between, about one pair in five hundred per point, its float64 score decides with its own proved
bound (:mod:`sublinear_lib.predicates`).  Rows beyond the limits above have ``q = 0`` and ``t = 0``:
they are always in between.  If float64 leaves a pair undecided, or a value is not finite, the call
gives up and the attack is done step by step.  So every activity that is used is that of real
arithmetic on the stored numbers.

**Steps** are compiled without freedom in arithmetic (:mod:`sublinear_lib._turning`), though the
sums around them may be reordered.

**Sums** are renewed as in `follow` of :mod:`sublinear_lib.training.kernels_numba_caps`, once eight
times of what is there has come and gone.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib._compiled import FREE_SUMS, compiled
from sublinear_lib._turning import compiled_step
from sublinear_lib._vector_code import (
    append_changes,
    append_rows,
    pack_rows,
    packed_signs,
    prefetch,
    sum_changes,
    sum_rows,
)

__all__ = ["POINT_UNIT", "attack_loss", "attack_slope", "climb"]

_compiled = compiled(FREE_SUMS)

_step_point = compiled_step()

POINT_UNIT = 2.0**15
"""What a point is multiplied by before it is rounded."""

_BLOCK = 64
# As in `follow`.
_WORN = 8.0
# How many places before they are packed rows are asked for, if they are long.
_AHEAD = 32
_LONG = 8
# Sums of limits and margins stay within 32 bits.
_LARGEST_MARGIN = 2**24
# Beyond the roundings of an attack, and below what the limits allow for.
_OFF_SLICE = 1e-6


@_compiled
def _decide(r, W, b, x, lower, upper):
    """Return whether a neuron fires at a point by its float64 score, or -1 if that is too close."""
    z = b[r]
    for k in range(W.shape[1]):
        z += W[r, k] * x[k]
    if z > upper:
        return 1
    return 0 if z < lower else -1


@_compiled
def attack_loss(kind, parameter, residual):
    """Return a loss of :mod:`sublinear_lib.losses`, by its place in `LOSSES`, of a residual."""
    size = abs(residual)
    if kind == 0:
        return size
    if kind == 1:
        near = min(size, parameter)
        return near * (near / parameter) / 2.0 if size <= parameter else size - parameter / 2.0
    if kind == 2:
        ratio = size / parameter
        if ratio <= 1.0:
            return parameter * np.log1p(2.0 * np.sinh(ratio / 2.0) ** 2)
        return size + parameter * (np.log1p(np.exp(-2.0 * ratio)) - np.log(2.0))
    return max(size - parameter, 0.0)


@_compiled
def attack_slope(kind, parameter, residual, y):
    """Return +1 or -1, where the output must move for the loss to rise; if flat, away from y."""
    slope = residual
    if kind == 1:
        slope = min(max(residual, -parameter), parameter) / parameter
    elif kind == 2:
        slope = np.tanh(residual / parameter)
    elif kind == 3 and abs(residual) <= parameter:
        slope = 0.0
    if slope == 0.0:
        return -1.0 if y > 0.0 else 1.0
    return 1.0 if slope > 0.0 else -1.0


@_compiled
def _round_point(point, halves, grains):
    """Write a point as integers; return the margin, or -1 if there is none for it."""
    d = point.size
    size = 0.0
    squares = 0.0
    lost = 0.0
    for k in range(d - 1):
        number = POINT_UNIT * point[k]
        whole = np.rint(number)
        halves[k] = np.int16(whole)
        size += abs(number)
        squares += number * number
        lost += (number - whole) * (number - whole)
    error = min(0.5 * size, np.sqrt(grains[2] * squares))
    error += min(grains[0], np.sqrt(grains[1] * lost)) + grains[3]
    error *= 1.0 + 2.0**-20
    on_slice = abs(np.sqrt(squares) / POINT_UNIT - np.sqrt(0.75)) <= _OFF_SLICE
    return np.int64(error) + 8 if on_slice and error < _LARGEST_MARGIN else -1


@_compiled
def climb(
    code,
    rows,
    network,
    integers,
    lists,
    anchors,
    y,
    objective,
    angles,
    cap,
    edges,
    sums,
    best,
    value,
    clean,
    step_found,
):
    """Attack every cap and leave it at the best point; return the passes over rows, -1 if given up.

    `state`, `totals` and `worn` are those of the centers when it is called, or of any points of the
    caps, and those of the best points afterwards.
    """
    ids, gains, stride = rows.ids, rows.gains, rows.stride
    W, b = network.W, network.b
    _, table, width, limits, grains = integers
    undecided, eighths, lengths, state, _, _ = lists
    kind, parameter = objective
    rho, cosine, sine = cap
    lower, upper = edges
    fixed, totals, worn = sums
    n, d = anchors.shape
    segments = lengths.size
    most = 0
    for i in range(n):
        room = 0
        for segment in range(i, segments, n):
            room += eighths[segment + 1] - eighths[segment]
        most = max(most, room)
    words = (most + 7) // 8
    far = width >= _LONG
    listed = np.zeros(_BLOCK * words, dtype=np.int32)
    cuts = np.empty(_BLOCK * words, dtype=np.int32)
    packed = np.empty(_BLOCK * words * width, dtype=np.int32)
    firing = np.zeros(words, dtype=np.uint64)
    valid = np.zeros(words, dtype=np.uint64)
    firing_bytes = firing.view(np.uint8)
    valid_bytes = valid.view(np.uint8)
    changed = np.empty(_BLOCK * words + _BLOCK, dtype=np.int32)
    doubtful = np.empty(_BLOCK * words + _BLOCK, dtype=np.int32)
    masks = np.empty(2, dtype=np.uint64)
    point = np.empty(d)
    halves = np.zeros(2 * width, dtype=np.int16)
    pairs = halves.view(np.int32)
    volume = d + 1
    steps = angles.size
    cosines = np.cos(angles)
    sines = np.sin(angles)
    work = 0
    for i in range(n):
        # All undecided rows of the cap, one segment after the other.
        place = 0
        count = 0
        for segment in range(i, segments, n):
            left = lengths[segment]
            count += left
            for eighth in range(eighths[segment], eighths[segment + 1]):
                for j in range(8):
                    listed[8 * place + j] = undecided[8 * eighth + j]
                firing_bytes[place] = state[eighth]
                valid_bytes[place] = 255 if left >= 8 else (1 << left) - 1
                left -= 8
                place += 1
        used = (place + 7) // 8
        for eighth in range(place, 8 * used):
            firing_bytes[eighth] = 0
            valid_bytes[eighth] = 0
            for j in range(8):
                listed[8 * eighth + j] = listed[0]
        for segment in range(i + 1, segments, n):
            for eighth in range(eighths[segment], eighths[segment + 1] + 1, 2):
                prefetch(code, undecided, 8 * eighth)
        for start in range(0, _BLOCK * used, 16):
            if far:
                for e in range(start + _AHEAD, min(start + _AHEAD + 16, _BLOCK * used)):
                    prefetch(code, table, listed[e] * width)
            pack_rows(code, table, width, listed, start, packed, start * width)
        for e in range(_BLOCK * used):
            cuts[e] = limits[listed[e]]
        for k in range(d):
            point[k] = anchors[i, k]
        origin = i * stride
        highest = -np.inf
        for step in range(steps + 2):
            # After the last point, back to the best one, unless that was the last.
            returns = step == steps + 1
            if returns:
                if step_found[i] == steps:
                    break
                for k in range(d):
                    point[k] = best[i, k]
            margin = _round_point(point, halves, grains)
            if margin < 0:
                return -1
            changes = 0
            doubts = 0
            work += count
            for w in range(used):
                start = _BLOCK * w
                packed_signs(code, packed, start * width, width, pairs, cuts, start, margin, masks)
                before = firing[w]
                doubt = masks[1] & valid[w]
                now = masks[0] & valid[w] | before & doubt
                doubts = append_rows(code, None, start, doubt, doubtful, doubts)
                changes = append_changes(code, listed, start, before, now, changed, changes)
                firing[w] = now
            for e in range(doubts):
                doubted = np.int64(doubtful[e])
                row = listed[doubted]
                fires = _decide(ids[row], W, b, point, lower, upper)
                if fires < 0:
                    return -1
                bit = np.uint64(1) << np.uint64(doubted & 63)
                if (firing[doubted >> 6] & bit != np.uint64(0)) != (fires > 0):
                    firing[doubted >> 6] ^= bit
                    changed[changes] = row if fires > 0 else ~row
                    changes += 1
            if changes > 0:
                work += changes
                sum_changes(code, gains, stride, changed, 0, changes, totals, origin)
                for e in range(changes):
                    row = np.int64(changed[e])
                    worn[i] += gains[(row ^ (row >> 63)) * stride + volume]
            if not worn[i] <= _WORN * totals[origin + volume]:
                found = 0
                for w in range(used):
                    found = append_rows(code, listed, _BLOCK * w, firing[w], changed, found)
                for k in range(origin, origin + stride):
                    totals[k] = fixed[k]
                sum_rows(code, gains, stride, changed, 0, found, 1.0, totals, origin)
                worn[i] = totals[origin + volume]
            if returns:
                break
            output = totals[origin + d]
            for k in range(d):
                output += totals[origin + k] * point[k]
            if not abs(output) < np.inf:
                return -1
            residual = output - y[i]
            loss = attack_loss(kind, parameter, residual)
            if step == 0:
                clean[i] = output
            if loss > highest:
                highest = loss
                value[i] = output
                step_found[i] = step
                for k in range(d):
                    best[i, k] = point[k]
            if step < steps:
                sideways = attack_slope(kind, parameter, residual, y[i]) * sines[step]
                if not _step_point(
                    point, anchors[i], totals, origin, sideways, cosines[step], rho, cosine, sine
                ):
                    return -1
        place = 0
        for segment in range(i, segments, n):
            for eighth in range(eighths[segment], eighths[segment + 1]):
                state[eighth] = firing_bytes[place]
                place += 1
    return work

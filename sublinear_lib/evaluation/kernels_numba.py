"""The loops of the evaluation package, compiled.

Same functions and same promises as :mod:`sublinear_lib.evaluation.kernels_numpy`; the two are
tested against each other, the `strict` variants bit by bit.  Two facts explain the shape of the
code.  Floating-point flags are a property of a compiled function, so the canonical order needs
functions of its own (`_strict_*`, without any flag: LLVM then neither reorders nor contracts) next
to the fast ones.  And a row of W that has just been read for one point is cheap for the next, so
the fast loops walk over blocks of neurons that fit the second-level cache and visit every point
inside a block; a cursor per point remembers where its ascending list stands.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib._compiled import FREE_SUMS, compiled

__all__ = [
    "descend",
    "list_pass",
    "scatter_rows",
    "smooth_pass",
    "tile_pass",
    "write_rows",
]

_CACHE_BYTES = 1 << 19


def _block(d: int) -> int:
    return max(64, _CACHE_BYTES // (8 * d))


@compiled()
def _strict_list_pass(weights, band, shift, X, indptr, indices, verdict, outputs):
    (W, a, b), (lower, upper) = weights, band
    value, gradient, flags, tally, undecided = outputs
    n, d = X.shape
    found = 0
    count = 0
    for i in range(n):
        total = value[i]
        for e in range(indptr[i], indptr[i + 1]):
            r = indices[e]
            z = 0.0
            for k in range(d):
                z += W[r, k] * X[i, k]
            z += b[r]
            active = z > upper
            if not active and not z < lower:
                if verdict.size > 0:
                    active = verdict[e] == 1
                else:
                    if found < undecided.size:
                        undecided[found] = e
                    found += 1
            if active:
                count += 1
                total += a[r] * (z - shift)
                if gradient.shape[0] > 0:
                    for k in range(d):
                        gradient[i, k] += a[r] * W[r, k]
            if flags.size > 0:
                flags[e] = active
        value[i] = total
    tally[0] += count
    return found


@compiled(FREE_SUMS)
def _fast_list_pass(weights, band, shift, X, indptr, indices, verdict, outputs, block):
    (W, a, b), (lower, upper) = weights, band
    value, gradient, flags, tally, undecided = outputs
    n, d = X.shape
    m = W.shape[0]
    found = 0
    count = 0
    cursor = indptr[:n].copy()
    scores = np.empty(4)
    for first in range(0, m, block):
        last = min(m, first + block)
        for i in range(n):
            e = cursor[i]
            end = indptr[i + 1]
            total = 0.0
            while e < end and indices[e] < last:
                # Four rows at a time share the loads of the point.
                width = 1
                if e + 3 < end and indices[e + 3] < last:
                    width = 4
                    r0, r1, r2, r3 = indices[e], indices[e + 1], indices[e + 2], indices[e + 3]
                    z0, z1, z2, z3 = 0.0, 0.0, 0.0, 0.0
                    for k in range(d):
                        x = X[i, k]
                        z0 += W[r0, k] * x
                        z1 += W[r1, k] * x
                        z2 += W[r2, k] * x
                        z3 += W[r3, k] * x
                    scores[0] = z0 + b[r0]
                    scores[1] = z1 + b[r1]
                    scores[2] = z2 + b[r2]
                    scores[3] = z3 + b[r3]
                else:
                    r0 = indices[e]
                    z0 = 0.0
                    for k in range(d):
                        z0 += W[r0, k] * X[i, k]
                    scores[0] = z0 + b[r0]
                for j in range(width):
                    z = scores[j]
                    active = z > upper
                    if not active and not z < lower:
                        if verdict.size > 0:
                            active = verdict[e] == 1
                        else:
                            if found < undecided.size:
                                undecided[found] = e
                            found += 1
                    if active:
                        count += 1
                        r = indices[e]
                        c = a[r]
                        total += c * (z - shift)
                        if gradient.shape[0] > 0:
                            for k in range(d):
                                gradient[i, k] += c * W[r, k]
                    if flags.size > 0:
                        flags[e] = active
                    e += 1
            cursor[i] = e
            value[i] += total
    tally[0] += count
    return found


def list_pass(
    W, a, b, lower, upper, shift, X, indptr, indices, verdict, value, gradient, flags, tally, strict
):
    """Add the listed neurons' share of value and input gradient: see the NumPy kernel."""
    room = 64
    while True:
        undecided = np.empty(room, dtype=np.int64)
        outputs = (value, gradient, flags, tally, undecided)
        arguments = (W, a, b), (lower, upper), shift, X, indptr, indices, verdict, outputs
        if strict:
            found = _strict_list_pass(*arguments)
        else:
            found = _fast_list_pass(*arguments, _block(W.shape[1]))
        if found <= room:
            return np.sort(undecided[:found])
        # Ties in numbers (a lattice, say): once more, with room for all of them.  The outputs are
        # void in any case, because the caller has to start again with a verdict.
        room = found


@compiled()
def _strict_smooth_pass(W, a, b, tau, jump, bandwidth, X, indptr, indices, gradient):
    n, d = X.shape
    count = 0
    for i in range(n):
        for e in range(indptr[i], indptr[i + 1]):
            r = indices[e]
            z = 0.0
            for k in range(d):
                z += W[r, k] * X[i, k]
            z += b[r]
            # The operations of `sublinear_lib.activations.blurred_step`, in the same order.
            q = min(max((z - tau) / bandwidth, -1.0), 1.0)
            square = q * q
            derivative = (0.5 + 0.75 * q - 0.25 * (square * q)) + jump * (0.75 * (1.0 - square))
            if derivative != 0.0:
                count += 1
                factor = a[r] * derivative
                for k in range(d):
                    gradient[i, k] += factor * W[r, k]
    return count


@compiled(FREE_SUMS)
def _fast_smooth_pass(W, a, b, tau, jump, bandwidth, X, indptr, indices, gradient):
    n, d = X.shape
    count = 0
    for i in range(n):
        for e in range(indptr[i], indptr[i + 1]):
            r = indices[e]
            z = b[r]
            for k in range(d):
                z += W[r, k] * X[i, k]
            if z <= tau - bandwidth:
                continue
            q = min((z - tau) / bandwidth, 1.0)
            square = q * q
            derivative = 0.5 + 0.75 * q - 0.25 * square * q + jump * 0.75 * (1.0 - square)
            factor = a[r] * derivative
            count += derivative != 0.0
            for k in range(d):
                gradient[i, k] += factor * W[r, k]
    return count


def smooth_pass(W, a, b, tau, jump, bandwidth, X, indptr, indices, gradient, strict):
    """Add the listed neurons' share of the smoothed input gradient: see the NumPy kernel."""
    run = _strict_smooth_pass if strict else _fast_smooth_pass
    return int(run(W, a, b, tau, jump, bandwidth, X, indptr, indices, gradient))


@compiled(FREE_SUMS)
def _tile_pass(Z, a, b, lower, upper, shift, value, active):
    n, p = Z.shape
    undecided = 0
    for i in range(n):
        total = 0.0
        for r in range(p):
            z = Z[i, r] + b[r]
            on = z > upper
            below = z < lower
            undecided += (not on) and (not below)
            total += a[r] * (z - shift) if on else 0.0
            active[i, r] = on
        value[i] += total
    return undecided


def tile_pass(Z, a, b, lower, upper, shift, value, active):
    """Turn a tile of inner products into activities: see the NumPy kernel."""
    return int(_tile_pass(Z, a, b, lower, upper, shift, value, active))


@compiled()
def _strict_scatter_rows(indptr, indices, coefficients, a, X, position, gradient):
    n, d = X.shape
    for i in range(n):
        for e in range(indptr[i], indptr[i + 1]):
            r = indices[e]
            p = position[r]
            c = coefficients[i] * a[r]
            for k in range(d):
                gradient[p, k] += c * X[i, k]


@compiled(FREE_SUMS)
def _fast_scatter_rows(indptr, indices, coefficients, a, X, position, gradient, block):
    n, d = X.shape
    cursor = indptr[:n].copy()
    for first in range(0, a.size, block):
        last = min(a.size, first + block)
        for i in range(n):
            e = cursor[i]
            while e < indptr[i + 1] and indices[e] < last:
                r = indices[e]
                p = position[r]
                c = coefficients[i] * a[r]
                for k in range(d):
                    gradient[p, k] += c * X[i, k]
                e += 1
            cursor[i] = e


def scatter_rows(indptr, indices, coefficients, a, X, position, gradient, strict):
    """Accumulate ``sum_i c_i a_r x_i`` over listed points: see the NumPy kernel."""
    arguments = (indptr, indices, coefficients, a, X, position, gradient)
    if strict:
        _strict_scatter_rows(*arguments)
    else:
        _fast_scatter_rows(*arguments, _block(X.shape[1]))


@compiled()
def _descend(W, rows, gradient, eta, start, weights, squares):
    count, d = weights.shape
    whole = d - d % 8
    parts = np.empty(8)
    # Sizes compare like their bits; NaN is larger than infinity.
    bits = weights.view(np.int64)
    largest = 0
    for e in range(count):
        r = rows[e] if rows.size > 0 else e
        for k in range(d):
            weights[e, k] = W[r, k] - gradient[e, k] * eta
        for j in range(8):
            parts[j] = 0.0
        for k in range(0, whole, 8):
            for j in range(8):
                move = weights[e, k + j] - start[r, k + j]
                parts[j] += move * move
        for j in range(d - whole):
            move = weights[e, whole + j] - start[r, whole + j]
            parts[j] += move * move
        for j in range(4):
            parts[j] += parts[j + 4]
        squares[e] = (parts[0] + parts[2]) + (parts[1] + parts[3])
        for k in range(d):
            largest = max(largest, bits[e, k] & 0x7FFFFFFFFFFFFFFF)
    return largest


def descend(W, rows, gradient, eta, start):
    """Take a gradient step of some rows: see the NumPy kernel."""
    weights = np.empty_like(gradient)
    squares = np.empty(len(gradient))
    largest = _descend(W, rows, gradient, eta, start, weights, squares)
    return weights, squares, float(np.int64(largest).view(np.float64))


@compiled(FREE_SUMS)
def _write_rows(W, rows, values):
    longest = 0.0
    for e in range(values.shape[0]):
        r = rows[e]
        squares = 0.0
        for k in range(values.shape[1]):
            number = values[e, k]
            W[r, k] = number
            squares += number * number
        if not squares <= longest:
            longest = squares
    return longest


def write_rows(W, rows, values):
    """Write some rows and bound their norms: see the NumPy kernel."""
    d = W.shape[1]
    # As in `predicates.row_norms`: rounded up, and more than what underflows.
    grown = 1.0 + 2.0 * (d + 4) * 2.0**-53
    return float(np.sqrt(_write_rows(W, rows, values)) * grown + np.sqrt(d) * 2.0**-510)

"""Exact decisions of ``<w_r, x> + b_r > tau``, the one question the paper asks of a neuron.

The active set ``Q = {r : <w_r, x> + b_r > tau}`` (Definition 3.9) must not depend on the order in
which a matrix product was summed.  Everything here decides the comparison in *real arithmetic on
the stored float64 numbers*: a float64 score with a proved error bound settles almost every pair,
and the few scores within their bound of the threshold (true ties, duplicates, overflow) are decided
exactly.  All engines and trainers of the library filter their own scores through `resolve` or
`resolve_pairs`, so all of them report identical sets.

Before changing a constant, know the bound it serves.  Let ``u = 2**-53``, and let the score be any
float64 evaluation of the ``d`` products plus ``b``: any order, any tree, with or without fused
multiply-add.  Each product passes through one rounding of its own and at most ``d`` additions, so

    |score - (<w, x> + b)| <= gamma_{d+1} (|w|.|x| + |b|) + underflow,   gamma_k = k u / (1 - k u),

(Higham, *Accuracy and Stability of Numerical Algorithms*, Section 3.1), and ``|w|.|x|`` is at most
``||w|| ||x||``.  `error_coefficients` returns ``1.01 (d + 2) u``, which exceeds ``gamma_{d+1}`` by
enough to pay for the rounding of the bound itself for every ``d < 2**40``, and an absolute term
that covers underflow in all operations, even on a processor set to flush subnormal numbers to zero.
An overflow anywhere leaves a score that is not finite, and such scores are decided exactly.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sublinear_lib import validation
from sublinear_lib._arguments import described
from sublinear_lib._typing import BoolArray, FloatArray, IntArray

__all__ = [
    "error_bound",
    "error_coefficients",
    "exact_sign",
    "exact_signs",
    "exceeds",
    "exceeds_many",
    "resolve",
    "resolve_pairs",
    "row_norms",
]

_UNIT_ROUNDOFF = 2.0**-53
_SMALLEST_NORMAL = 2.0**-1022
_SPLITTER = 2.0**27 + 1.0
_SCORES_AT_ONCE = 2**21
_TERMS_AT_ONCE = 2**15
_NOWHERE = 10**4


def error_coefficients(d: int) -> tuple[float, float]:
    """Return the two constants of the error bound of a float64 score.

    For finite ``w``, ``x`` of length `d` and finite ``b``, every float64 evaluation of
    ``<w, x> + b`` that stays finite satisfies
    ``|score - exact| <= relative * (norm(w) * norm(x) + |b|) + absolute`` where the norms come from
    `row_norms` and the right-hand side may itself be evaluated in float64.  Kernels that score and
    filter in one pass use the constants directly; others call `error_bound`.

    Here `d`: number of products in the score, ``d >= 1``.

    Returned: `relative, absolute`: ``1.01 (d + 2) 2**-53`` and ``(2 d + 8) 2**-1022``.

    >>> relative, absolute = error_coefficients(8)
    >>> round(relative / 2**-53, 2)
    10.1
    """
    return 1.01 * (d + 2) * _UNIT_ROUNDOFF, (2 * d + 8) * _SMALLEST_NORMAL


def row_norms(X: FloatArray) -> FloatArray:
    """Return upper bounds of the Euclidean norms of the rows, tight to a few roundings.

    Numbers ``>= ||x_i||`` in real arithmetic, never zero; ``inf`` where the square overflows.
    """
    d = X.shape[1]
    with np.errstate(over="ignore", under="ignore"):
        squares = np.einsum("ij,ij->i", X, X)
        # The last term pays for squares that underflow: d of them miss at most d 2**-1022.
        norms: FloatArray = (
            np.sqrt(squares) * (1.0 + 2.0 * (d + 4) * _UNIT_ROUNDOFF) + math.sqrt(d) * 2.0**-510
        )
    return norms


def error_bound(
    w_norms: FloatArray | float, x_norms: FloatArray | float, b: FloatArray | float | None, d: int
) -> FloatArray:
    """Return a rigorous bound of the error of float64 scores ``<w, x> + b``.

    Here `w_norms`, `x_norms`: norms from `row_norms`, in shapes that broadcast to the shape of the
    scores; `b`: the biases, likewise; ``None`` means no bias; `d`: number of products in each
    score.

    The bound, in the broadcast shape; ``inf`` where it overflows.
    """
    relative, absolute = error_coefficients(d)
    with np.errstate(over="ignore", under="ignore"):
        magnitude = np.multiply(w_norms, x_norms)
        if b is not None:
            magnitude = magnitude + np.abs(b)
        bound: FloatArray = np.asarray(relative * magnitude + absolute)
    return bound


def _mantissa_and_exponent(number: float) -> tuple[int, int]:
    """Write a finite float as ``mantissa * 2**exponent`` with an integer mantissa.

    It is read from the bits: frexp computes, and so fails where subnormal numbers are flushed.
    """
    (bits,) = struct.unpack("<Q", struct.pack("<d", number))
    biased, mantissa = (bits >> 52) & 0x7FF, bits & (2**52 - 1)
    if biased:
        mantissa |= 2**52
    else:
        biased = 1  # subnormal: no hidden bit
    return (-mantissa if bits >> 63 else mantissa), biased - 1075


def _sign_in_integers(w: Iterable[float], b: float, x: Iterable[float], threshold: float) -> int:
    """Decide one comparison in integer arithmetic: slower, but right for every finite input."""
    terms = [_mantissa_and_exponent(b), _mantissa_and_exponent(-threshold)]
    for w_k, x_k in zip(w, x, strict=True):
        w_mantissa, w_exponent = _mantissa_and_exponent(w_k)
        x_mantissa, x_exponent = _mantissa_and_exponent(x_k)
        terms.append((w_mantissa * x_mantissa, w_exponent + x_exponent))
    lowest = min(exponent for _, exponent in terms)
    total = sum(mantissa << (exponent - lowest) for mantissa, exponent in terms)
    return (total > 0) - (total < 0)


def _within(values: FloatArray, smallest: float, largest: float) -> BoolArray:
    """Mark the numbers that are zero or between the two magnitudes."""
    size = np.abs(values)
    # Zero is asked of the bits: a processor that flushes subnormal numbers calls them zero too.
    zero = size.view(np.int64) == 0
    inside: BoolArray = zero | ((size >= smallest) & (size <= largest))
    return inside


def _bits(values: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the positions of the bits that normal numbers are made of.

    Every number is below ``2**top`` in size and a multiple of ``2**low``; zero is so for all.
    """
    pattern = values.view(np.int64)
    biased = (pattern >> 52) & 0x7FF
    mantissa = (pattern & (2**52 - 1)) | 2**52
    lowest = (mantissa & -mantissa).astype(np.float64)  # a power of two, read from its exponent
    top = biased - 1022
    low = biased + ((lowest.view(np.int64) >> 52) - (1075 + 1023))
    zero = biased == 0
    top[zero], low[zero] = -_NOWHERE, _NOWHERE
    return top, low


def _sums_of_few_bits(
    left: FloatArray, right: FloatArray, b: FloatArray, thresholds: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Sum comparisons whose numbers have so few bits that float64 sums them without rounding.

    Small integers and other short binary fractions, the data that make ties by the thousands, are
    of this kind.  If all products, b and the threshold are below ``2**t`` in size and multiples of
    ``g``, then every partial sum of these ``d + 2`` terms is a multiple of g below ``(d + 2)
    2**t``, which is a float64 number if that is at most ``2**53 g``: no addition rounds, in
    whatever order, and no product does.

    Here `left`, `right` (k, d): the factors, within the range in which no product leaves the normal
    numbers; `b`, `thresholds` (k,): the other terms, likewise.

    Returned: `sums`: The sums, exact where marked. `exact`: The marks.
    """
    (left_top, left_low), (right_top, right_low) = _bits(left), _bits(right)
    top = left_top.max(axis=1) + right_top.max(axis=1)
    low = left_low.min(axis=1) + right_low.min(axis=1)
    for term in (b, thresholds):
        term_top, term_low = _bits(term)
        np.maximum(top, term_top, out=top)
        np.minimum(low, term_low, out=low)
    exact: BoolArray = top + (left.shape[1] + 1).bit_length() - low <= 53
    return np.einsum("ij,ij->i", left, right) + b - thresholds, exact


def _signs_of_terms(
    left: FloatArray, right: FloatArray, b: FloatArray, thresholds: FloatArray
) -> NDArray[np.int8]:
    """Decide ``k`` comparisons exactly, given the factors of each (shape (k, d))."""
    k, d = left.shape
    signs = np.empty(k, dtype=np.int8)
    # In this range a product and its rounding error are normal numbers and no sum overflows, so
    # that the split below is exact; the rest is left to integer arithmetic.
    tame = (
        _within(left, 2.0**-400, 2.0**400).all(axis=1)
        & _within(right, 2.0**-400, 2.0**400).all(axis=1)
        & _within(b, 2.0**-800, 2.0**900)
        & _within(thresholds, 2.0**-800, 2.0**900)
    )
    index = np.flatnonzero(tame)
    if index.size:
        sums, exact = _sums_of_few_bits(left[index], right[index], b[index], thresholds[index])
        signs[index] = np.sign(sums).astype(np.int8)
        index = index[~exact]
    if index.size:
        p, q = left[index], right[index]
        terms = np.empty((index.size, 2 * d + 2))
        product = np.multiply(p, q, out=terms[:, :d])
        # Veltkamp's split and Dekker's product: p q = product + terms[:, d:2d] without error.
        p_high = _SPLITTER * p
        p_high -= p_high - p
        p_low = p - p_high
        q_high = _SPLITTER * q
        q_high -= q_high - q
        q_low = q - q_high
        terms[:, d : 2 * d] = (
            ((p_high * q_high - product) + p_high * q_low) + p_low * q_high
        ) + p_low * q_low
        terms[:, 2 * d] = b[index]
        terms[:, 2 * d + 1] = -thresholds[index]
        # fsum rounds the exact sum once, and rounding a float64 sum keeps its sign.
        sums = np.array([math.fsum(row) for row in terms.tolist()])
        signs[index] = np.sign(sums).astype(np.int8)
    for i in np.flatnonzero(~tame):
        signs[i] = _sign_in_integers(
            left[i].tolist(), float(b[i]), right[i].tolist(), float(thresholds[i])
        )
    return signs


def exact_signs(
    W: FloatArray,
    b: FloatArray | None,
    X: FloatArray,
    threshold: FloatArray | float,
    points: IntArray,
    rows: IntArray,
) -> NDArray[np.int8]:
    """Return the signs of ``<w_r, x_i> + b_r - threshold`` for a list of pairs, exactly.

    This is the slow path behind the filters: about a third of a microsecond per pair and dimension,
    a fifth of that for numbers of few binary digits.

    Here `b` (m,): biases; ``None`` means zero; `threshold` (k,): the threshold of each pair,
    absolute units; `points`, `rows` (k,): the pairs: point ``points[j]`` with row ``rows[j]``.

    -1, 0 or +1; zero means a tie in real arithmetic.
    """
    k = len(rows)
    thresholds = np.broadcast_to(np.asarray(threshold, dtype=np.float64), (k,))
    signs = np.empty(k, dtype=np.int8)
    step = max(1, _TERMS_AT_ONCE // W.shape[1])
    for start in range(0, k, step):
        part = slice(start, start + step)
        left = W[rows[part]]
        bias = np.zeros(len(left)) if b is None else b[rows[part]]
        signs[part] = _signs_of_terms(left, X[points[part]], bias, thresholds[part])
    return signs


def _undecided(margins: FloatArray, bounds: FloatArray | float) -> BoolArray:
    """Mark the margins that their error bound does not separate from zero."""
    size = np.abs(margins)
    # Written so that NaN and infinity (an overflow, whatever its sign) count as undecided.
    undecided: BoolArray = ~((size > bounds) & (size < np.inf))
    return undecided


def resolve_pairs(
    scores: FloatArray,
    bounds: FloatArray | float,
    W: FloatArray,
    b: FloatArray | None,
    X: FloatArray,
    threshold: FloatArray | float,
    points: IntArray,
    rows: IntArray,
    *,
    strict: bool = True,
) -> BoolArray:
    """Turn float64 scores of a list of pairs into exact decisions.

    Here `scores` (k,): ``scores[j]`` is any float64 evaluation of ``<w_r, x_i> + b_r`` for ``i =
    points[j]`` and ``r = rows[j]``; NaN and infinity are allowed and mean "unknown"; `bounds` (k,):
    bounds of the errors of the scores, from `error_bound`; `W`, `b`, `X`, `threshold`, `points`,
    `rows`: as in `exact_signs` (trusted, not validated); `strict`: decide ``>`` (the paper's active
    set) or, if false, ``>=``.

    Whether ``<w_r, x_i> + b_r > threshold`` holds in real arithmetic.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        margins = scores - threshold
        result: BoolArray = margins > 0.0
        open_pairs = np.flatnonzero(_undecided(margins, bounds))
    if open_pairs.size:
        thresholds = np.broadcast_to(np.asarray(threshold, dtype=np.float64), scores.shape)
        signs = exact_signs(W, b, X, thresholds[open_pairs], points[open_pairs], rows[open_pairs])
        result[open_pairs] = signs > 0 if strict else signs >= 0
    return result


def resolve(
    scores: FloatArray,
    bounds: FloatArray | float,
    W: FloatArray,
    b: FloatArray | None,
    X: FloatArray,
    threshold: FloatArray | float,
    *,
    strict: bool = True,
) -> BoolArray:
    """Turn a matrix of float64 scores into exact decisions.

    Here `scores` (n, m): ``scores[i, r]`` is any float64 evaluation of ``<w_r, x_i> + b_r``, for
    instance ``X @ W.T + b``; NaN and infinity are allowed and mean "unknown"; `bounds`: bounds of
    the errors of the scores, for instance ``error_bound(row_norms(W), row_norms(X)[:, None], b,
    d)``; `W`, `b`, `X`: as in `exact_signs` (trusted, not validated); `threshold`: absolute units.
    Shape (m,) gives one threshold per neuron, shape (n, 1) one per point; `strict`: decide ``>``
    (the paper's active set) or, if false, ``>=``.

    Whether ``<w_r, x_i> + b_r > threshold`` holds in real arithmetic.

    In real arithmetic ten times the float 0.1 exceeds 1, by ``2**-54``; the float64 sum says the
    opposite.

    >>> W, X = np.full((1, 10), 0.1), np.ones((1, 10))
    >>> score = np.array([[sum([0.1] * 10)]])
    >>> bool(score[0, 0] > 1.0)
    False
    >>> bound = error_bound(row_norms(W), row_norms(X)[:, None], None, 10)
    >>> resolve(score, bound, W, None, X, 1.0)
    array([[ True]])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        margins = scores - threshold
        result: BoolArray = margins > 0.0
        points, rows = np.nonzero(_undecided(margins, bounds))
    if rows.size:
        thresholds = np.broadcast_to(np.asarray(threshold, dtype=np.float64), scores.shape)
        signs = exact_signs(W, b, X, thresholds[points, rows], points, rows)
        result[points, rows] = signs > 0 if strict else signs >= 0
    return result


def exact_sign(w: object, b: object, x: object, threshold: object) -> int:
    """Return the sign of ``<w, x> + b - threshold`` in real arithmetic.

    Here `w` (d,): the weight vector; `b`: the bias; `threshold`: the threshold, absolute units.

    >>> exact_sign([0.1, 0.2], 0.0, [1.0, 1.0], 0.3)
    1
    >>> exact_sign([1e308, 1e308], 0.0, [10.0, -10.0], 0.0)
    0
    """
    weights = validation.float_array(w, "w", shape=("d",))
    point = validation.float_array(x, "x", shape=(weights.size,))
    bias = validation.scalar(b, "b")
    level = validation.scalar(threshold, "threshold")
    return _sign_in_integers(weights.tolist(), bias, point.tolist(), level)


def exceeds(W: object, b: object, x: object, threshold: object) -> BoolArray:
    """Decide which neurons exceed the threshold at one point, exactly; see `exceeds_many`.

    Here `b` (m,): biases; ``None`` means zero; `threshold` (m,): the threshold of every neuron or
    of each of them, absolute units; any sign.

    Whether ``<w_r, x> + b_r > threshold_r`` holds in real arithmetic on the stored numbers.

    >>> exceeds([[0.1], [0.3], [0.5]], [0.2, 0.0, -0.2], [1.0], 0.3)
    array([ True, False, False])
    """
    point = validation.float_array(x, "x", shape=("d",))
    decided: BoolArray = exceeds_many(W, b, point[None, :], threshold)[0]
    return decided


@described
def exceeds_many(
    W: object, b: object, X: object, threshold: object, *, strict: bool = True
) -> BoolArray:
    """Decide which neurons exceed the threshold at each of many points, exactly.

    The work is one matrix product and a few passes over its result, done in blocks of points, plus
    about a third of a microsecond per dimension for each pair that float64 cannot decide.

    Here `b` (m,): biases; ``None`` means zero; `threshold`: absolute units, any sign.  Shape (m,)
    gives one threshold per neuron, shape (n, 1) one per point; `strict`: decide ``>`` (the paper's
    active set) or, if false, ``>=``.

    Whether ``<w_r, x_i> + b_r > threshold`` holds in real arithmetic on the stored numbers.

    Raises TypeError, ValueError: for arguments that are not finite real numbers of matching shapes.

    Source: the active set of Definition 3.9.

    >>> exceeds_many([[1.0, 0.0], [0.0, 1.0]], None, [[0.6, 0.8], [1.0, 0.5]], 0.6)
    array([[False,  True],
           [ True, False]])
    """
    validation.boolean(strict, "strict")
    weights = validation.float_array(W, "W", shape=("m", "d"))
    m, d = weights.shape
    biases = None if b is None else validation.float_array(b, "b", shape=(m,))
    points = validation.float_array(X, "X", shape=("n", d))
    n = len(points)
    levels = validation.float_array(threshold, "threshold")
    try:
        np.broadcast_to(levels, (n, m))
    except ValueError:
        raise ValueError(
            f"threshold must be a number or an array that broadcasts to (n, m) = ({n}, {m}), "
            f"got shape {levels.shape}"
        ) from None
    per_point = levels.ndim == 2 and levels.shape[0] == n
    w_norms, x_norms = row_norms(weights), row_norms(points)[:, None]
    result: BoolArray = np.empty((n, m), dtype=np.bool_)
    step = max(1, _SCORES_AT_ONCE // m)
    for start in range(0, n, step):
        block = slice(start, start + step)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            scores = points[block] @ weights.T
            if biases is not None:
                scores += biases
        result[block] = resolve(
            scores,
            error_bound(w_norms, x_norms[block], biases, d),
            weights,
            biases,
            points[block],
            levels[block] if per_point else levels,
            strict=strict,
        )
    return result

"""What the fuzzer compares with: the set of Definition 5.1, decided without the index's own means.

Neither :mod:`sublinear_lib.predicates` nor the float32 filter is used here, so that an error in
them cannot hide itself.  A float64 matrix product decides the pairs whose margin exceeds a rigorous
error bound; all others are decided in integers: a float64 number is an integer times a power of
two, so the sign of ``<p, x> + b - c`` is the sign of an integer, which Python computes exactly.
That is what `fractions.Fraction` does, without its greatest common divisors; and of every batch a
few verdicts of either kind are checked with `Fraction` as well.

Before changing the bound, know what it counts.  With ``D`` coordinates (the bias is one of them,
with component 1 in every normal) any float64 evaluation of the score, with or without fused
multiply-add, misses it by at most ``gamma_D sum_k |p_k x_k|`` plus underflow (Higham, *Accuracy and
Stability of Numerical Algorithms*, Section 3.1), and the computed sum of absolute values misses the
true one by the same factor.  A difference of two float64 numbers has the sign of the exact
difference.  So ``(D + 4) 2**-52 (size + |level|)`` is at least twice what can be lost.  Rows whose
largest number is extreme are first multiplied by powers of two that bring it to size one; each of
these products, and each operation on them, loses at most ``2**-1074`` by underflow.  Where all
products are multiples of a power of two that float64 has and no sum has more than 53 bits, it makes
no error at all; that keeps lattices with thousands of ties cheap.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sublinear_lib._typing import BoolArray, FloatArray, IntArray

_TAME = 250
_FAR = 2.0**60
# The exponent of the smallest float64 number.
_LOWEST = -1074


class Truth:
    """The side on which each point lies of each hyperplane, in real arithmetic.

    - ``signs``: The sign of ``<p_r, x_i> + b_r - c_i``.
    - ``exact``: How many of them float64 could not decide.
    """

    def __init__(self, signs: NDArray[np.int8], exact: int) -> None:
        self.signs = signs
        self.exact = exact

    @property
    def ties(self) -> int:
        """How many points lie on the hyperplane of a query."""
        return self.signs.size - int(np.count_nonzero(self.signs))

    def inside(self, strict: bool) -> BoolArray:
        """Return the pairs to be reported, shape (q, m)."""
        return self.signs > 0 if strict else self.signs >= 0


def decide(
    points: FloatArray, bias: FloatArray | None, normals: FloatArray, offsets: FloatArray
) -> Truth:
    """Decide all pairs of points and half-spaces.

    Examples
    --------
    >>> points = np.array([[0.1, 0.2], [0.3, 0.0], [1e300, -1e300]])
    >>> truth = decide(points, None, np.array([[1.0, 1.0]]), np.array([0.3]))
    >>> truth.signs, truth.ties
    (array([[ 1,  0, -1]], dtype=int8), 1)

    The sum of 0.1 and 0.2, as they are stored, is a little larger than the stored 0.3.
    """
    left, right = _columns(points, bias), normals
    if bias is not None:
        right = np.column_stack((normals, np.ones(len(normals))))
    q, m, dimension = len(right), len(left), left.shape[1]
    if q == 0 or m == 0:
        return Truth(np.zeros((q, m), dtype=np.int8), 0)
    left_exponents, right_exponents = _exponents(left), _exponents(right)
    with np.errstate(over="ignore", under="ignore"):
        if max(np.abs(left_exponents).max(), np.abs(right_exponents).max()) > _TAME:
            p = np.ldexp(left, -left_exponents[:, None])
            x = np.ldexp(right, -right_exponents[:, None])
            shift = left_exponents + right_exponents[:, None]
            # No score reaches this far, so that clipping changes no verdict.
            levels = np.clip(np.ldexp(offsets[:, None], -shift), -_FAR, _FAR)
            exact = False
        else:
            p, x, levels = left, right, offsets[:, None]
            exact = True
        sizes = np.abs(x) @ np.abs(p).T
        margins = x @ p.T
        margins -= levels
        exact = exact and _without_rounding(p, x, float(sizes.max()))
        signs = (margins > 0.0).astype(np.int8) - (margins < 0.0).astype(np.int8)
        if exact:
            doubtful = np.empty((0, 2), dtype=np.int64)
        else:
            sizes += np.abs(levels)
            sizes *= (dimension + 4) * 2.0**-52
            sizes += (dimension + 4) * 2.0**-1070
            doubtful = np.argwhere(~(np.abs(margins) > sizes))
    if len(doubtful):
        queries, rows = doubtful.T
        signs[queries, rows] = _exact_signs(left, right, offsets, queries, rows)
    _audit(points, bias, normals, offsets, signs, doubtful)
    return Truth(signs, len(doubtful))


def score(point: FloatArray, bias: float, normal: FloatArray) -> Fraction:
    """Return ``<point, normal> + bias`` exactly."""
    terms = (
        Fraction(p) * Fraction(x) for p, x in zip(point.tolist(), normal.tolist(), strict=True)
    )
    return sum(terms, Fraction(bias))


def _columns(points: FloatArray, bias: FloatArray | None) -> FloatArray:
    return points if bias is None else np.column_stack((points, bias))


def _exponents(rows: FloatArray) -> NDArray[np.int32]:
    """Return the exponents of the powers of two that bring each row to size one."""
    exponents: NDArray[np.int32] = np.frexp(np.abs(rows).max(axis=1))[1].astype(np.int32)
    return exponents


def _without_rounding(p: FloatArray, x: FloatArray, largest: float) -> bool:
    """Return whether float64 computes all scores without any rounding."""
    grid = _grid(p) + _grid(x)
    if grid < _LOWEST or not largest < np.inf:
        return False  # a product may vanish, or a sum overflow
    return largest == 0.0 or bool(grid + 52 >= np.frexp(largest)[1])


def _grid(numbers: FloatArray) -> int:
    """Return the exponent of the largest power of two that divides all numbers."""
    significands, exponents = np.frexp(numbers[numbers != 0.0])
    integers = np.ldexp(significands, 53).astype(np.int64)
    lowest = np.frexp((integers & -integers).astype(np.float64))[1] - 1
    return int((exponents - 53 + lowest).min(initial=1 << 12))


def _exact_signs(
    left: FloatArray, right: FloatArray, offsets: FloatArray, queries: IntArray, rows: IntArray
) -> list[int]:
    """Decide some pairs in integers."""
    points = {r: _integers(left[r]) for r in np.unique(rows).tolist()}
    normals = {i: _integers(right[i]) for i in np.unique(queries).tolist()}
    signs = []
    for i, r in zip(queries.tolist(), rows.tolist(), strict=True):
        p, p_bits = points[r]
        x, x_bits = normals[i]
        level, denominator = float(offsets[i]).as_integer_ratio()
        total = sum(a * b for a, b in zip(p, x, strict=True)) * denominator
        level <<= p_bits + x_bits
        signs.append((total > level) - (total < level))
    return signs


def _integers(row: FloatArray) -> tuple[list[int], int]:
    """Return integers and a number of bits k such that the row is the integers times 2**-k."""
    ratios = [value.as_integer_ratio() for value in row.tolist()]
    bits = max(denominator.bit_length() for _, denominator in ratios) - 1
    return [top << (bits - bottom.bit_length() + 1) for top, bottom in ratios], bits


def _audit(
    points: FloatArray,
    bias: FloatArray | None,
    normals: FloatArray,
    offsets: FloatArray,
    signs: NDArray[np.int8],
    doubtful: IntArray,
) -> None:
    """Check a few verdicts with fractions: of all pairs, and of those that integers decided."""
    q, m = signs.shape
    everywhere = [divmod(place, m) for place in (0, q * m // 3, q * m - 1)]
    chosen = [doubtful[0], doubtful[-1]] if len(doubtful) else []
    for i, r in [*everywhere, *(map(int, pair) for pair in chosen)]:
        exact = score(points[r], 0.0 if bias is None else float(bias[r]), normals[i])
        margin = exact - Fraction(float(offsets[i]))
        if (margin > 0) - (margin < 0) != signs[i, r]:
            raise ArithmeticError(
                f"the oracle of the fuzzer is wrong: sign {signs[i, r]} for p = "
                f"{points[r].tolist()}, x = {normals[i].tolist()}, c = {offsets[i]!r}"
            )

r"""Rigorous interval bounds for ReLU networks, and what plain ones lose.

A box goes through the network layer by layer, all boxes of a batch together.  Plain interval
arithmetic forgets that two neurons look at the same numbers.  The networks of Part II keep a
running maximum ``acc + relu(v - acc)``, and a bound that treats the two terms as strangers may add
them.  Two identities for real numbers *a*, *b*, true whatever their signs, remember it:

    ``relu(a) + relu(b) = max(0, a, b, a + b)``,
    ``relu(a) - relu(b) = clip(a - b; -relu(b), relu(a))``,

and ``a + b`` or ``a - b`` is one affine form of the layer below, in which what the two share
cancels. With ``a = acc``, ``b = v - acc`` the first is the running maximum, with ``b = -a`` an
absolute value; with ``a = D``, ``b = D - m`` the second is the running minimum.

Before changing it, know why every bound is a proof.  (1) Which pairs of neurons are treated
together is read from the stored weights and decides only how tight a bound is: the identities hold
for every pair, so that a pair badly chosen costs tightness and never truth.  (2) Bounds are
widened outward.  A row with *k* weights and a bias is a sum of *k* products; let *r* count its
rounding steps: ``k - 1`` additions, one for a bias that is not zero, one for the products unless
all weights are 1 or -1, one for the coefficients of a sum of two rows.  With ``u = 2**-53`` and
``S = sum |w| |h| + |b|`` over the largest values of the neurons, every float64 evaluation, in
whatever order and with or without fused steps, is within ``r u / (1 - r u) S`` of the exact value,
and so is the computed end of the interval. The end is moved by
``2 (r + 1) u S (1 + 2**-20)``: *r* for its own rounding, *r* for that of a float64 evaluation of
the network, one for the move, and the last factor for the denominator and for the rounding of *S*,
as long as ``r < 2**30``; the sum of two rows is moved by the errors of both rows besides.  A
constant ``(r + 1) 2**-1060`` covers underflow.  A row with ``r = 0``
copies a number and is not moved.  So the bounds hold for the stored weights in exact arithmetic
and for what the computer returns in float64.  (3) Where a number overflows, the bound is infinite.

Source: interval arithmetic is standard; the rounding bound is that of N. Higham, Accuracy and
Stability of Numerical Algorithms, Section 3.1; the two identities and their use here are ours.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array, diags_array, vstack

from sublinear_lib import validation
from sublinear_lib._arguments import Flag, checked, described
from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.memorization.networks import Matrix, ReLUNetwork

__all__ = ["interval_bounds", "lipschitz_bound"]

_WIDENING = 2.0 * (1.0 + 2.0**-20) * 2.0**-53
_FLOOR = 2.0**-1060
# Numbers held at once for one array of a batch: 2**22 float64, 32 MiB.
_BATCH = 2**22


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Neurons of one layer that the next layer always uses together, as ``first + sign*second``."""

    first: IntArray
    second: IntArray
    sign: FloatArray


@dataclass(frozen=True, eq=False)
class _Map:
    """The matrix of a layer, ready for intervals: own rows first, then one row for each pair.

    ``grouped`` acts on variables (a pair of the layer below is one variable, in the place of its
    first neuron), and is the sum of ``positive`` and ``negative``; ``absolute`` acts on neurons.
    ``roundings`` does not count those of the bias.
    """

    grouped: Matrix
    positive: Matrix
    negative: Matrix
    absolute: Matrix
    terms: IntArray
    roundings: IntArray
    rows: int
    pairs: _Pairs
    kept: IntArray


@dataclass(frozen=True, eq=False)
class _Layer:
    """A matrix with its bias, and the rounding steps of every row."""

    map: _Map
    bias: FloatArray
    roundings: IntArray


_ALONE = _Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


def _partners(weight: Matrix, following: Matrix) -> _Pairs:
    """Find neurons that every row of the next map uses with the same or the opposite weight.

    Of those, two are a pair if their own rows share an input that cancels in the form used.
    """
    columns = following.tocsc()
    groups: dict[tuple[bytes, bytes], list[tuple[int, float]]] = {}
    for c in range(columns.shape[1]):
        part = slice(columns.indptr[c], columns.indptr[c + 1])
        data = columns.data[part]
        if not data.size:
            continue
        sign = 1.0 if data[0] > 0 else -1.0
        key = (columns.indices[part].tobytes(), (sign * data).tobytes())
        groups.setdefault(key, []).append((c, sign))
    found: list[tuple[int, int, float]] = []
    for members in groups.values():
        if len(members) < 2:
            continue
        waiting: dict[tuple[int, float], list[tuple[int, float]]] = {}
        paired: set[int] = set()
        for c, sign in members:
            part = slice(weight.indptr[c], weight.indptr[c + 1])
            entries = list(
                zip(weight.indices[part].tolist(), (sign * weight.data[part]).tolist(), strict=True)
            )
            for j, value in entries:
                waits = (each for each in waiting.get((j, -value), ()) if each[0] not in paired)
                partner = next(waits, None)
                if partner is not None:
                    found.append((partner[0], c, sign * partner[1]))
                    paired |= {partner[0], c}
                    break
            else:
                for entry in entries:
                    waiting.setdefault(entry, []).append((c, sign))
    if not found:
        return _ALONE
    first, second, sign_of = zip(*found, strict=True)
    return _Pairs(np.array(first), np.array(second), np.array(sign_of))


def _with_exact_sums(weight: Matrix, pairs: _Pairs) -> _Pairs:
    """Keep the pairs for which the coefficients of the sum are exact (Knuth's two-sum)."""
    if not pairs.first.size:
        return pairs
    a = csr_array(weight[pairs.first])
    b = csr_array(diags_array(pairs.sign) @ weight[pairs.second])
    total = csr_array(a + b)
    part = csr_array(total - a)
    error = csr_array((a - (total - part)) + (b - part))
    error.eliminate_zeros()
    exact = np.diff(error.indptr) == 0
    return _Pairs(pairs.first[exact], pairs.second[exact], pairs.sign[exact])


def _prepared(weight: Matrix, below: _Pairs, pairs: _Pairs) -> _Map:
    """Append the rows of the pairs and put the pairs of the layer below into single columns."""
    rows = weight.shape[0]
    full = weight
    if pairs.first.size:
        # Each coefficient is rounded once.
        sums = csr_array(weight[pairs.first] + diags_array(pairs.sign) @ weight[pairs.second])
        sums.eliminate_zeros()
        full = csr_array(vstack([weight, sums], format="csr"))
    terms = np.diff(full.indptr).astype(np.int64)
    scaled = np.zeros(len(terms), dtype=np.int64)
    scaled[np.repeat(np.arange(len(terms)), terms)[np.abs(full.data) != 1.0]] = 1
    grouped = full
    if below.second.size:
        grouped = csr_array(full[:, np.setdiff1d(np.arange(full.shape[1]), below.second)])
    return _Map(
        grouped=grouped,
        positive=csr_array(grouped.maximum(0)),
        negative=csr_array(grouped.minimum(0)),
        absolute=csr_array(abs(full)),
        terms=terms,
        roundings=np.maximum(terms - 1, 0) + scaled,
        rows=rows,
        pairs=pairs,
        kept=np.setdiff1d(np.arange(rows), pairs.second),
    )


def _plan(network: ReLUNetwork, aware: bool, exact: bool = False) -> Iterator[_Layer]:
    """Yield the layers of `network` as interval arithmetic uses them.

    Layers share matrices, so what depends on the matrices alone is made once.
    """
    found: dict[tuple[int, int], _Pairs] = {}
    maps: dict[tuple[int, int, int], _Map] = {}
    below = _ALONE
    for layer, after in itertools.zip_longest(network.layers, network.layers[1:]):
        pairs = _ALONE
        if aware and after is not None:
            between = (id(layer.weight), id(after.weight))
            if between not in found:
                pairs = _partners(layer.weight, after.weight)
                found[between] = _with_exact_sums(layer.weight, pairs) if exact else pairs
            pairs = found[between]
        key = (id(layer.weight), id(below), id(pairs))
        if key not in maps:
            maps[key] = _prepared(layer.weight, below, pairs)
        made = maps[key]
        bias = layer.bias
        if pairs.first.size:
            bias = np.concatenate([bias, bias[pairs.first] + pairs.sign * bias[pairs.second]])
        roundings = made.roundings + (bias != 0.0)
        # The coefficients and the bias of a sum of two rows are rounded once.
        roundings[made.rows :] += (made.terms[made.rows :] > 0) | (bias[made.rows :] != 0.0)
        yield _Layer(made, bias, roundings)
        below = pairs


def _forms(
    layer: _Layer, low: FloatArray, high: FloatArray, largest: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Bound the affine forms of a layer; widened as the module says."""
    of, pairs, bias = layer.map, layer.map.pairs, layer.bias[:, None]
    steps = (layer.roundings + (layer.roundings > 0))[:, None]
    with np.errstate(over="ignore", invalid="ignore"):
        size = of.absolute @ largest + np.abs(bias)
        move = _WIDENING * steps * size + _FLOOR * steps
        # In float64 the two rows of a pair are rounded each on its own.
        move[of.rows :] += move[pairs.first] + move[pairs.second]
        lower = (of.positive @ low + of.negative @ high) + bias - move
        upper = (of.positive @ high + of.negative @ low) + bias + move
        # Where something overflowed the ends are infinite already, or NaN.
        lower[np.isnan(lower)] = -np.inf
        upper[np.isnan(upper)] = np.inf
    return lower, upper


def _after_relu(
    made: _Map, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Bound the variables of the next layer, and return the largest values of its neurons.

    A variable is a neuron, or a pair in the place of its first.
    """
    low, high = np.maximum(lower[: made.rows], 0.0), np.maximum(upper[: made.rows], 0.0)
    largest = high
    f, s, form = made.pairs.first, made.pairs.second, slice(made.rows, None)
    if f.size:
        plus = made.pairs.sign[:, None] > 0
        least = np.maximum.reduce([low[f], low[s], lower[form]])
        most = np.maximum.reduce([high[f], high[s], upper[form]])
        # No more than the plain sum: the widening of the next layer counts on it.
        with np.errstate(over="ignore"):
            most = np.minimum(most, np.nextafter(high[f] + high[s], np.inf))
        low, high = low.copy(), high.copy()
        low[f], high[f] = (
            np.where(plus, least, np.minimum(np.maximum(lower[form], -high[s]), low[f])),
            np.where(plus, most, np.minimum(np.maximum(upper[form], -low[s]), high[f])),
        )
        low, high = low[made.kept], high[made.kept]
    return low, high, largest


def propagate(
    network: ReLUNetwork, lower: FloatArray, upper: FloatArray, aware: bool
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the bounds of the pre-activations, layer by layer, shape (rows, boxes)."""
    low, high = np.ascontiguousarray(lower.T), np.ascontiguousarray(upper.T)
    largest = np.maximum(np.abs(low), np.abs(high))
    for layer in _plan(network, aware):
        z_low, z_high = _forms(layer, low, high, largest)
        yield z_low[: layer.map.rows], z_high[: layer.map.rows]
        low, high, largest = _after_relu(layer.map, z_low, z_high)


def checked_boxes(
    network: ReLUNetwork, lower: object, upper: object
) -> tuple[FloatArray, FloatArray, bool]:
    """Return the corners of the boxes, shape (B, n), and whether there was a single box."""
    validation.instance(network, "network", ReLUNetwork)
    low = validation.float_array(lower, "lower")
    high = validation.float_array(upper, "upper", shape=low.shape)
    if low.ndim not in (1, 2) or low.shape[-1] != network.inputs:
        raise ValueError(
            f"lower must have shape ({network.inputs},) or (B, {network.inputs}), got {low.shape}"
        )
    if (low > high).any():
        where = tuple(int(i) for i in np.argwhere(low > high)[0])
        raise ValueError(
            f"lower must not exceed upper, got {low[where]} > {high[where]} at index {where}"
        )
    return np.atleast_2d(low), np.atleast_2d(high), low.ndim == 1


@checked
def interval_bounds(
    network: ReLUNetwork, lower: object, upper: object, *, aware: Flag = False
) -> tuple[FloatArray, FloatArray]:
    """Bound the output of a network on boxes, rigorously.

    The bounds hold for the stored weights in exact arithmetic and for every float64 evaluation of
    them, in any order of summation: see the module for the proof.

    Here `lower`, `upper` (n,): the corners of one box or of a batch of B boxes, ``lower <= upper``;
    the boxes are closed; `aware`: false is plain interval arithmetic.  True treats neurons that are
    always used together as one: ``relu(a) + relu(b)`` as a maximum, ``relu(a) - relu(b)`` as a
    clipped difference.

    Returned: `lower, upper`: Bounds of the output, shape (B,), or (B, outputs) for a network with
    several outputs; for one box without the first axis.

    Time is proportional to the number of nonzero weights times the number of boxes.

    The absolute value, as two neurons: plain bounds add them.

    >>> from sublinear_lib.memorization import AffineLayer, ReLUNetwork
    >>> network = ReLUNetwork([AffineLayer([[1.0], [-1.0]], [0.0, 0.0]),
    ...                        AffineLayer([[1.0, 1.0]], [0.0])])
    >>> lower, upper = interval_bounds(network, [-1.0], [1.0])
    >>> float(upper)
    2.000000000000001
    >>> lower, upper = interval_bounds(network, [-1.0], [1.0], aware=True)
    >>> float(upper)
    1.0000000000000009
    """
    low, high, single = checked_boxes(network, lower, upper)
    widest = max(network.inputs, *network.widths, network.outputs, 1)
    step = max(1, _BATCH // widest)
    parts = []
    for start in range(0, len(low), step):
        part = slice(start, start + step)
        for bounds in propagate(network, low[part], high[part], aware):
            last = bounds
        parts.append(last)
    result = [np.concatenate([part[side].T for part in parts]) for side in (0, 1)]
    if network.outputs == 1:
        result = [bound[:, 0] for bound in result]
    if single:
        result = [bound[0] for bound in result]
    return result[0], result[1]


def _nonnegative_rows(layer: _Layer, variables: BoolArray) -> BoolArray:
    """Say which forms are >= 0 by their signs alone: weights, bias and variables >= 0."""
    matrix = layer.map.grouped
    bad = (matrix.data < 0.0) | ~variables[matrix.indices]
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    nonnegative = layer.bias >= 0.0
    nonnegative[rows[bad]] = False
    return nonnegative


@described
def lipschitz_bound(network: ReLUNetwork) -> Fraction:
    r"""Bound the Lipschitz constant of a network in the maximum norm, on all of space, exactly.

    Every neuron gets a constant; that of a sum is the sum of the constants times the absolute
    weights, and ReLU, maximum, minimum and clipping do not enlarge it.  Maxima and minima are
    found as in `interval_bounds`: ``relu(a) + relu(b)`` is ``max(a, a + b)`` where ``a >= 0``, so
    that the constant of ``b`` alone does not count, and ``relu(a) - relu(b)`` is ``min(relu(a), a
    - b)`` where ``a - b >= 0``.

    A number *L* with ``|F(x) - F(x')| <= L max_j |x_j - x'_j|`` for all real *x*, *x'*, for the
    stored weights in exact arithmetic; no rounding anywhere.  It equals the largest l1 norm of a
    gradient where the rules lose nothing, and may be larger otherwise.

    Raises TypeError, ValueError: if it is no network, or one with more than one output.

    >>> from sublinear_lib.memorization import AffineLayer, ReLUNetwork
    >>> first = AffineLayer([[1.0, 0.0], [-1.0, 0.0]], [0.0, 0.0])
    >>> lipschitz_bound(ReLUNetwork([first, AffineLayer([[3.0, 3.0]], [0.0])]))
    Fraction(3, 1)
    """
    if validation.instance(network, "network", ReLUNetwork).outputs != 1:
        raise ValueError(f"network must have one output, got {network.outputs}")
    constants: list[Fraction] = [Fraction(1)] * network.inputs
    nonnegative: BoolArray = np.zeros(network.inputs, dtype=np.bool_)
    result: list[Fraction] = []
    for layer in _plan(network, aware=True, exact=True):
        matrix, rows, pairs = layer.map.grouped, layer.map.rows, layer.map.pairs
        weights = [Fraction(value) for value in np.abs(matrix.data).tolist()]
        indices, ends = matrix.indices.tolist(), matrix.indptr.tolist()
        result = [
            sum((weights[e] * constants[indices[e]] for e in range(start, end)), Fraction(0))
            for start, end in itertools.pairwise(ends)
        ]
        sure = _nonnegative_rows(layer, nonnegative)
        variables, after = result[:rows], np.ones(rows, dtype=np.bool_)
        for number, (f, s, sign) in enumerate(
            zip(pairs.first.tolist(), pairs.second.tolist(), pairs.sign.tolist(), strict=True)
        ):
            form = rows + number
            if sign > 0:
                # max(a, a + b) if a >= 0, max(b, a + b) if b >= 0, else max(0, a, b, a + b)
                candidates = [f] if sure[f] else [s] if sure[s] else [f, s]
            else:
                candidates = [f] if sure[form] else [f, s]
                after[f] = sure[form]
            variables[f] = max(result[form], *(result[c] for c in candidates))
        constants = [variables[k] for k in layer.map.kept.tolist()]
        nonnegative = after[layer.map.kept]
    return result[0]

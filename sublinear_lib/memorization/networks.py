"""Deep sparse ReLU networks as lists of affine layers, with exact counts and exact values.

The networks of Yu, Gao and Zhang (2024) have thousands of layers and almost only zeros in their
matrices, so a layer is a SciPy sparse matrix and a bias.  Most of these matrices are equal, and
layers may *share* one matrix object: that is what keeps a memorizer of 10^4 images in memory.
Before changing anything, know that the numbers of a layer are frozen, that sharing survives saving
and loading, and that `ReLUNetwork.exactly` promises the value of the *stored* parameters without
any rounding, so nothing may be rounded on its way.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_array, issparse

from sublinear_lib import archives, validation
from sublinear_lib._arguments import described
from sublinear_lib._typing import FloatArray

__all__ = ["AffineLayer", "ReLUNetwork"]

Matrix: TypeAlias = "csr_array[np.float64, tuple[int, int]]"

_FORMAT: Final = "sublinear-lib ReLU network"
_FORMAT_VERSION: Final = 1
# Numbers held at once while a batch walks through the layers: they stay in the cache.
_ACTIVATIONS: Final = 1 << 16
# Truth values held at once when the way back needs to know which neurons were active.
_PATTERNS: Final = 1 << 27


def _frozen_vector(value: object, name: str, length: int) -> FloatArray:
    vector = validation.float_array(value, name, shape=(length,))
    if vector.flags.writeable:
        vector = vector.copy()
        vector.flags.writeable = False
    return vector


def _frozen_matrix(value: Any, name: str) -> Matrix:
    """Return a frozen matrix; one that is frozen already is returned itself, hence shared."""
    if isinstance(value, csr_array) and value.ndim == 2 and value.dtype == np.float64:
        parts = (value.data, value.indices, value.indptr)
        written = any(part.flags.writeable for part in parts)
        if value.has_canonical_format and not written and 0 not in value.shape:
            validation.float_array(value.data, f"{name}.data", allow_empty=True)
            return value
        value.check_format(full_check=True)
    if issparse(value):
        sparse: Any = value
        if sparse.ndim != 2:
            raise ValueError(f"{name} must have shape (out, in), got {sparse.shape}")
        entries = sparse.tocoo()
        data = validation.float_array(entries.data, f"{name}.data", allow_empty=True)
        matrix = csr_array((data, entries.coords), shape=entries.shape)
    else:
        matrix = csr_array(validation.float_array(value, name, shape=("out", "in")))
    if 0 in matrix.shape:
        raise ValueError(f"{name} must have at least one row and one column, got {matrix.shape}")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    for part in (matrix.data, matrix.indices, matrix.indptr):
        part.flags.writeable = False
    # Entries in one place have been added up, and a sum may have overflowed.
    validation.float_array(matrix.data, f"{name}.data", allow_empty=True)
    return matrix


@dataclass(frozen=True, eq=False, init=False)
class AffineLayer:
    """An affine map ``h -> W h + b`` with a sparse matrix; its numbers are frozen.

    Any sparse or dense `weight` of real numbers is accepted and copied into a ``csr_array`` without
    explicit zeros.  One in canonical form (sorted, no entry twice) whose three arrays are read-only
    already, such as the weight of another layer, is not copied: the two layers share it.  The bias
    is copied unless it is read-only.

    >>> first = AffineLayer([[1.0, 0.0], [0.0, -2.0]], [0.0, 3.0])
    >>> AffineLayer(first.weight, [1.0, 1.0]).weight is first.weight
    True
    """

    weight: Matrix
    bias: FloatArray

    def __init__(self, weight: object, bias: object) -> None:
        matrix = _frozen_matrix(weight, "weight")
        vector = _frozen_vector(bias, "bias", matrix.shape[0])
        object.__setattr__(self, "weight", matrix)
        object.__setattr__(self, "bias", vector)

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return int(self.weight.shape[1])

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return int(self.weight.shape[0])

    @property
    def nonzeros(self) -> int:
        """The number of weights and biases that are not zero."""
        return int(np.count_nonzero(self.weight.data) + np.count_nonzero(self.bias))


@dataclass(frozen=True, eq=False, init=False)
class ReLUNetwork:
    """A network ``x -> W_D relu(... relu(W_1 x + b_1) ...) + b_D`` with sparse layers.

    Parameters
    ----------
    layers : sequence of AffineLayer
        The D affine maps, D >= 1; pairs ``(weight, bias)`` are turned into layers.  ReLU stands
        between them, not after the last.  Layers may share matrices.

    Raises
    ------
    TypeError, ValueError
        If there is no layer, if one is not a layer, or if two do not fit together.

    Notes
    -----
    *Depth* counts affine maps, so that a network of depth 2 has one hidden layer, and *width* is
    that of the widest hidden layer.  With these conventions the counts of Yu, Gao and Zhang (2024)
    come out as they state them.

    Examples
    --------
    The absolute value:

    >>> network = ReLUNetwork([([[1.0], [-1.0]], [0.0, 0.0]), ([[1.0, 1.0]], [0.0])])
    >>> network([[-3.0], [2.0]])
    array([3., 2.])
    >>> network.depth, network.width, network.nonzeros, network.parameters
    (2, 2, 4, 7)
    """

    layers: tuple[AffineLayer, ...]

    def __init__(self, layers: Iterable[AffineLayer | tuple[object, object]]) -> None:
        if not hasattr(layers, "__iter__"):
            raise TypeError(f"layers must be a sequence of layers, got {type(layers).__name__}")
        chain = tuple(_layer(each, place) for place, each in enumerate(layers))
        if not chain:
            raise ValueError("layers must hold at least one layer, got none")
        for place, (before, after) in enumerate(itertools.pairwise(chain)):
            if before.outputs != after.inputs:
                raise ValueError(
                    f"layers must fit together: layers[{place}] has {before.outputs} outputs and "
                    f"layers[{place + 1}] has {after.inputs} inputs"
                )
        object.__setattr__(self, "layers", chain)

    @property
    def depth(self) -> int:
        """The number D of affine maps."""
        return len(self.layers)

    @property
    def widths(self) -> tuple[int, ...]:
        """The widths of the D - 1 hidden layers, in order."""
        return tuple(layer.outputs for layer in self.layers[:-1])

    @property
    def width(self) -> int:
        """The width of the widest hidden layer; 0 if there is none."""
        return max(self.widths, default=0)

    @property
    def inputs(self) -> int:
        """The number n of inputs."""
        return self.layers[0].inputs

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return self.layers[-1].outputs

    @cached_property
    def nonzeros(self) -> int:
        """The number of weights and biases that are not zero, a shared matrix counted each time.

        That is what Yu, Gao and Zhang (2024) call the number of parameters.
        """
        counts = {id(layer.weight): np.count_nonzero(layer.weight.data) for layer in self.layers}
        return int(
            sum(counts[id(layer.weight)] + np.count_nonzero(layer.bias) for layer in self.layers)
        )

    @property
    def parameters(self) -> int:
        """The number of all entries of the matrices and biases, zero or not.

        That is what Kim, Moon and Yun (2025) call the number of parameters.
        """
        return sum(layer.outputs * (layer.inputs + 1) for layer in self.layers)

    @cached_property
    def largest_weight(self) -> float:
        """The largest absolute value among weights and biases."""
        weights = {id(layer.weight): layer.weight.data for layer in self.layers}
        biases = [layer.bias for layer in self.layers]
        return float(max(np.abs(array).max(initial=0.0) for array in [*weights.values(), *biases]))

    def __call__(self, X: object, dtype: DTypeLike = np.float64) -> NDArray[Any]:
        """Evaluate the network at points.

        Parameters
        ----------
        X : array_like of float, shape (N, n)
            The points, one per row; N = 0 is allowed.
        dtype : float64 or float32, default float64
            The precision of every step; parameters and points are rounded to it first.

        Returns
        -------
        ndarray of `dtype`, shape (N,) or (N, outputs)
            The values; one-dimensional if the network has one output.

        Raises
        ------
        TypeError, ValueError
            If X is no such array or `dtype` another type.

        Notes
        -----
        Points pass in batches through all layers, so that only few activations are held at once.
        The time is proportional to ``N * nonzeros``.
        """
        kind = _precision(dtype)
        points = validation.float_array(X, "X", shape=("N", self.inputs), allow_empty=True)
        values = np.empty((self.outputs, points.shape[0]), dtype=kind)
        with np.errstate(over="ignore", under="ignore"):
            layers = self._rounded(kind)
            for batch in self._batches(points.shape[0], _ACTIVATIONS, self._widest()):
                h: NDArray[Any] = np.ascontiguousarray(points[batch].T, dtype=kind)
                for weight, bias in layers[:-1]:
                    h = weight @ h
                    h += bias
                    np.maximum(h, 0, out=h)
                weight, bias = layers[-1]
                values[:, batch] = weight @ h + bias
        return values[0] if self.outputs == 1 else np.ascontiguousarray(values.T)

    @described
    def value_and_gradient(self, X: object) -> tuple[FloatArray, FloatArray]:
        """Return values and gradients in the input, for a network with one output.

        Returned: `values`: The values, as from calling the network. `gradients`: The gradients.  At
        a kink the derivative of ReLU counts as 0.

        Raises TypeError, ValueError: if X is no such array, or the network has more than one
        output.
        """
        self._one_output("value_and_gradient")
        points = validation.float_array(X, "X", shape=("N", self.inputs), allow_empty=True)
        values = np.empty(points.shape[0])
        gradients = np.empty(points.shape)
        with np.errstate(over="ignore", under="ignore"):
            for batch in self._batches(points.shape[0], _PATTERNS, sum(self.widths)):
                h: NDArray[Any] = np.ascontiguousarray(points[batch].T)
                patterns = []
                for layer in self.layers[:-1]:
                    h = np.asarray(layer.weight @ h) + layer.bias[:, None]
                    patterns.append(h > 0)
                    np.maximum(h, 0, out=h)
                column = np.asarray(self.layers[-1].weight @ h) + self.layers[-1].bias[:, None]
                values[batch] = column[0]
                slopes: NDArray[Any] = np.ones_like(column)
                for layer, pattern in zip(
                    reversed(self.layers), [*reversed(patterns), None], strict=True
                ):
                    slopes = np.asarray(layer.weight.T @ slopes)
                    if pattern is not None:
                        slopes *= pattern
                gradients[batch] = slopes.T
        return values, gradients

    @described
    def exactly(self, x: Sequence[Fraction | int | float]) -> Fraction:
        """Evaluate the stored parameters at one point in exact rational arithmetic.

        The value of the network, with no rounding anywhere.

        Raises TypeError, ValueError: if x does not hold n finite rational numbers, or the network
        has more than one output.

        Every stored parameter is an integer over a power of two.  So all neurons of a layer share
        one denominator, and the evaluation is one of Python's integers; no greatest common divisor
        is computed before the end.

        >>> network = ReLUNetwork([([[3.0], [-3.0]], [0.0, 0.0]), ([[1.0, 1.0]], [0.0])])
        >>> network.exactly([Fraction(-1, 9)])
        Fraction(1, 3)
        """
        self._one_output("exactly")
        point = _rational_point(x, self.inputs)
        shared = math.lcm(*(coordinate.denominator for coordinate in point))
        # Each neuron is an integer of `numbers` over shared * 2**power.
        numbers = [int(coordinate * shared) for coordinate in point]
        power = 0
        rows: dict[int, tuple[list[list[tuple[int, int]]], int]] = {}
        for place, layer in enumerate(self.layers):
            if id(layer.weight) not in rows:
                rows[id(layer.weight)] = _integer_rows(layer.weight)
            matrix, weight_power = rows[id(layer.weight)]
            bias, bias_power = _integers(layer.bias)
            after = max(power + weight_power, bias_power)
            up, bias_up = after - power - weight_power, after - bias_power
            numbers = [
                (sum(numbers[column] * entry for column, entry in row) << up)
                + (shared * constant << bias_up)
                for row, constant in zip(matrix, bias, strict=True)
            ]
            if place < len(self.layers) - 1:
                numbers = [max(number, 0) for number in numbers]
            power = after
            spare = min((_trailing_zeros(number) for number in numbers if number), default=power)
            if spare := min(spare, power):
                numbers = [number >> spare for number in numbers]
                power -= spare
        return Fraction(numbers[0], shared << power)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a file; an interrupted write leaves an older file untouched.

        Here `path`: the file, conventionally ``*.npz``; it is written under exactly this name.

        Raises OSError: if the file cannot be written.
        """
        weights = {id(layer.weight): layer.weight for layer in self.layers}
        places = {key: place for place, key in enumerate(weights)}
        matrices = list(weights.values())
        contents = {
            "format": np.array(_FORMAT),
            "version": np.array(_FORMAT_VERSION),
            "shapes": np.array([matrix.shape for matrix in matrices], dtype=np.int64),
            "sizes": np.array([matrix.nnz for matrix in matrices], dtype=np.int64),
            "data": np.concatenate([matrix.data for matrix in matrices]),
            "indices": np.concatenate([matrix.indices for matrix in matrices]).astype(np.int64),
            "indptr": np.concatenate([matrix.indptr for matrix in matrices]).astype(np.int64),
            "weight_of_layer": np.array([places[id(layer.weight)] for layer in self.layers]),
            "biases": np.concatenate([layer.bias for layer in self.layers]),
        }
        archives.write_arrays(path, contents)

    @classmethod
    @described
    def load(cls, path: str | os.PathLike[str]) -> ReLUNetwork:
        """Read a network written by `save`.

        Here `path`: the file.

        The network, bit for bit the one that was saved.

        Raises OSError: if the file cannot be opened (`FileNotFoundError` if there is none).

        Raises ValueError: if it is truncated or corrupt, was not written by `save`, comes from a
        newer version of the format, or holds arrays that make no network.  The message names file
        and reason.

        Nothing in the file is executed: pickled content is refused.
        """
        refuse = partial(_refusal, path)
        with open(path, "rb") as file:
            contents = archives.read_arrays(file, refuse)
        archives.check_format(
            contents, _FORMAT, _FORMAT_VERSION, writer="ReLUNetwork.save", refuse=refuse
        )
        try:
            return cls(_layers_of(contents))
        except KeyError as error:
            raise refuse(f"the entry {error} is missing") from error
        except (TypeError, ValueError) as error:
            raise refuse(f"its contents make no network: {error}") from error

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by value: the copy is checked and read-only again."""
        return ReLUNetwork, ([(layer.weight, layer.bias) for layer in self.layers],)

    def __repr__(self) -> str:
        """Return the sizes."""
        return (
            f"ReLUNetwork(inputs={self.inputs}, outputs={self.outputs}, depth={self.depth}, "
            f"width={self.width}, nonzeros={self.nonzeros})"
        )

    def _one_output(self, task: str) -> None:
        if self.outputs != 1:
            raise ValueError(f"{task} needs a network with 1 output, this one has {self.outputs}")

    def _widest(self) -> int:
        return max(self.width, self.inputs, self.outputs)

    @staticmethod
    def _batches(points: int, budget: int, each: int) -> Iterator[slice]:
        """Yield slices of so many points that `each` numbers per point stay in the budget."""
        step = max(1, budget // max(each, 1))
        for start in range(0, points, step):
            yield slice(start, min(start + step, points))

    def _rounded(self, kind: np.dtype[Any]) -> list[tuple[Any, NDArray[Any]]]:
        """Return the layers in a precision, the biases as columns; shared matrices stay shared."""
        weights: dict[int, Any] = {}
        for layer in self.layers:
            if id(layer.weight) not in weights:
                weights[id(layer.weight)] = layer.weight.astype(kind, copy=False)
        return [
            (weights[id(layer.weight)], layer.bias.astype(kind, copy=False)[:, None])
            for layer in self.layers
        ]


def _layer(value: object, place: int) -> AffineLayer:
    if isinstance(value, AffineLayer):
        return value
    if isinstance(value, tuple | list) and len(value) == 2:
        return AffineLayer(*value)
    raise TypeError(
        f"layers[{place}] must be an AffineLayer or a pair (weight, bias), "
        f"got {type(value).__name__}"
    )


def _precision(dtype: DTypeLike) -> np.dtype[Any]:
    kind = np.dtype(dtype)
    if kind not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise ValueError(f"dtype must be float64 or float32, got {kind}")
    return kind


def rational(value: object, name: str, where: str = "") -> Fraction:
    """Return the fraction that a number is; a float stands for its exact value."""
    if isinstance(value, bool | np.bool_ | str | complex):
        raise TypeError(f"{name} must hold rational numbers, got {value!r}{where}")
    try:
        return Fraction(value.item() if isinstance(value, np.generic) else value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"{name} must hold finite rational numbers, got {value!r}{where}"
        ) from None


def _rational_point(x: object, n: int) -> list[Fraction]:
    if isinstance(x, str) or not isinstance(x, Iterable):
        raise TypeError(f"x must be a sequence of {n} numbers, got {type(x).__name__}")
    point = [rational(each, "x", f" at index {place}") for place, each in enumerate(x)]
    if len(point) != n:
        raise ValueError(f"x must hold {n} numbers, got {len(point)}")
    return point


def _trailing_zeros(number: int) -> int:
    return (number & -number).bit_length() - 1


def _integers(values: FloatArray) -> tuple[list[int], int]:
    """Return integers and the power of two that they are divided by."""
    ratios = [value.as_integer_ratio() for value in values.tolist()]
    power = max((below.bit_length() for _, below in ratios), default=1) - 1
    return [above << (power + 1 - below.bit_length()) for above, below in ratios], power


def _integer_rows(weight: Matrix) -> tuple[list[list[tuple[int, int]]], int]:
    entries, power = _integers(weight.data)
    pairs = list(zip(weight.indices.tolist(), entries, strict=True))
    return [pairs[a:b] for a, b in itertools.pairwise(weight.indptr.tolist())], power


def _refusal(path: str | os.PathLike[str], reason: str) -> ValueError:
    return ValueError(f"cannot load a network from {os.fspath(path)!r}: {reason}")


def _layers_of(contents: dict[str, np.ndarray]) -> list[AffineLayer]:
    """Put the arrays of a file together again, checking that each is used up exactly."""
    shapes = contents["shapes"]
    if shapes.ndim != 2 or shapes.shape[1] != 2 or shapes.dtype.kind != "i" or (shapes < 1).any():
        raise ValueError("shapes must hold pairs of positive integers")
    for name, kind in (("data", "f"), ("indices", "i"), ("indptr", "i"), ("biases", "f")):
        if contents[name].ndim != 1 or contents[name].dtype.kind != kind:
            raise ValueError(
                f"{name} must be a vector of {'floats' if kind == 'f' else 'integers'}, got "
                f"{contents[name].dtype} of shape {contents[name].shape}"
            )
    sizes = validation.index_array(contents["sizes"], "sizes", upper=contents["data"].size + 1)
    places = validation.index_array(
        contents["weight_of_layer"], "weight_of_layer", upper=len(shapes)
    )
    if len(sizes) != len(shapes):
        raise ValueError("sizes and shapes must speak of equally many matrices")
    data = np.split(contents["data"], np.cumsum(sizes))
    indices = np.split(contents["indices"], np.cumsum(sizes))
    indptr = np.split(contents["indptr"], np.cumsum(shapes[:, 0] + 1))
    biases = np.split(contents["biases"], np.cumsum(shapes[places, 0]))
    if any(parts[-1].size for parts in (data, indices, indptr, biases)):
        raise ValueError("there are more numbers than the shapes ask for")
    matrices = []
    for shape, *parts in zip(shapes.tolist(), data[:-1], indices[:-1], indptr[:-1], strict=True):
        matrix = csr_array(tuple(parts), shape=tuple(shape))
        matrix.check_format(full_check=True)
        matrices.append(_frozen_matrix(matrix, "weight"))
    return [
        AffineLayer(matrices[place], bias)
        for place, bias in zip(places.tolist(), biases[:-1], strict=True)
    ]

"""Argument checks shared by every public entry point of the library.

No object of the paper lives here except two of its standing assumptions: the data lie on the slice
``X = {x in R^d : ||x|| = 1, x_d = 1/2}`` and the labels satisfy ``|y| <= 1`` (Section 3.2).  Each
function returns the checked value in the one form the library computes with, or raises before
anything has changed: `TypeError` when the value is of the wrong kind, `ValueError` when it is of
the right kind but out of range.  Every message names the argument, the value given and what is
allowed.  Before changing a check, know that *exactness* is part of the contract: a conversion to
float64 that would round (integers beyond ``2**53``, extended precision) is refused, because the
predicates of the library are exact only on the numbers they are given.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Sequence, Sized
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

import numpy as np

from sublinear_lib._typing import BoolArray, FloatArray, IntArray

__all__ = [
    "boolean",
    "choice",
    "count",
    "exact",
    "float_array",
    "generator",
    "index_array",
    "instance",
    "labels",
    "mask",
    "path",
    "points_on_slice",
    "printable",
    "same_length",
    "scalar",
]

_FLOAT64 = np.dtype(np.float64)
_LARGEST_EXACT_INTEGER = 2**53
# A table with so many entries for each index costs as much to clear as sorting the indices.
_SPARSE = 256
_INTEGERS = (int, np.integer)
_NUMBERS = (int, np.integer, float, np.float16, np.float32, np.float64)
_FLOATS = frozenset((float, np.float64))
_PLAIN = _FLOATS | {int}

Option = TypeVar("Option", bound=str)
Kind = TypeVar("Kind")


def _kind(value: object) -> str:
    """Name the type of `value` as a reader would."""
    if isinstance(value, np.ndarray):
        return f"an array of dtype {value.dtype} and shape {value.shape}"
    return f"{value!r} of type {type(value).__name__}"


def _refuse_container(value: object, name: str) -> None:
    """Refuse the array-likes whose conversion would silently drop information."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"{name} must be a plain array of numbers, got a masked array: "
            "fill or drop the masked entries first"
        )
    if hasattr(value, "toarray") and hasattr(value, "nnz"):
        raise TypeError(
            f"{name} must be a dense array of numbers, got the sparse {type(value).__name__}: "
            "call its .toarray() first"
        )


def _object_elements(value: object, name: str) -> np.ndarray:
    """Look at a nested sequence element by element, before NumPy unifies the types."""
    try:
        elements = np.array(value, dtype=object)
    except ValueError as error:
        raise ValueError(f"{name} must be a rectangular array of numbers: {error}") from None
    flat = elements.ravel().tolist()
    kinds = set(map(type, flat))
    if kinds <= _FLOATS or (
        kinds <= _PLAIN
        and all(abs(each) <= _LARGEST_EXACT_INTEGER for each in flat if type(each) is int)
    ):
        return elements  # the common case: nothing below could refuse an element
    for index, element in np.ndenumerate(elements):
        if isinstance(element, list | tuple):
            raise ValueError(
                f"{name} must be a rectangular array of numbers, got rows of different lengths"
            )
        if isinstance(element, bool | np.bool_) or not isinstance(element, _NUMBERS):
            where = f" at index {_index(index)}" if elements.ndim else ""
            raise TypeError(f"{name} must contain real numbers only, got {_kind(element)}{where}")
        if isinstance(element, _INTEGERS) and abs(int(element)) > _LARGEST_EXACT_INTEGER:
            raise ValueError(_too_large(name, element, index))
    return elements


def _index(index: tuple[int, ...]) -> str:
    return str(index[0]) if len(index) == 1 else str(index)


def _too_large(name: str, value: object, index: tuple[int, ...]) -> str:
    where = f" at index {_index(index)}" if index else ""
    return (
        f"{name} must hold numbers that float64 represents exactly (integers up to 2**53 "
        f"in absolute value), got {value}{where}"
    )


def _first(bad: np.ndarray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))


def _shape_text(shape: Sequence[int | str | None]) -> str:
    free = iter("nmkpq")
    parts = [next(free) if s is None else str(s) for s in shape]
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def _check_shape(
    array: np.ndarray, name: str, shape: Sequence[int | str | None] | None, allow_empty: bool
) -> None:
    if shape is not None:
        fits = array.ndim == len(shape)
        if fits:
            for wanted, found in zip(shape, array.shape, strict=True):
                if wanted != found and isinstance(wanted, int):
                    fits = False
        if not fits:
            raise ValueError(f"{name} must have shape {_shape_text(shape)}, got {array.shape}")
    if array.size == 0 and not allow_empty:
        raise ValueError(f"{name} must not be empty, got an array of shape {array.shape}")


def float_array(
    value: object,
    name: str,
    *,
    shape: Sequence[int | str | None] | None = None,
    allow_empty: bool = False,
) -> FloatArray:
    """Return `value` as a C-contiguous float64 array of finite numbers.

    Here `value`: integers or floats of at most 64 bits, of any shape.  Anything whose conversion to
    float64 could lose information is refused; `name`: the argument's name, for the messages;
    `shape`: the shape wanted.  An integer fixes a length; ``None`` or a letter leaves it free (the
    letter appears in the message); `allow_empty`: whether an array without entries is allowed.

    The same numbers.  It shares memory with `value` when no conversion was needed.

    >>> float_array([[1, 2], [3, 4]], "W", shape=("m", 2))
    array([[1., 2.],
           [3., 4.]])
    >>> float_array([0.0, float("nan")], "y")
    Traceback (most recent call last):
        ...
    ValueError: y must contain finite numbers only, got nan at index 1
    """
    if type(value) is np.ndarray and value.dtype is _FLOAT64:
        raw: np.ndarray = value  # the common case: nothing below could refuse its type
    elif isinstance(value, np.ndarray | np.generic) or hasattr(value, "__array__"):
        _refuse_container(value, name)
        raw = np.asarray(value)
        if raw.dtype.kind not in "iuf" or raw.dtype.itemsize > 8:
            raise TypeError(
                f"{name} must contain real numbers of at most 64 bits, "
                f"got an array of dtype {raw.dtype}"
            )
        if raw.dtype.kind in "iu" and raw.size:
            # NumPy 2.0 to 2.2 crash where integers in foreign byte order meet a large number.
            raw = raw.astype(raw.dtype.newbyteorder("="), copy=False)
            # Two comparisons, not abs(): the absolute value of the smallest int64 overflows.
            large = raw > _LARGEST_EXACT_INTEGER
            if raw.dtype.kind == "i":
                large |= raw < -_LARGEST_EXACT_INTEGER
            if large.any():
                index = _first(large)
                raise ValueError(_too_large(name, raw[index], index))
    else:
        _refuse_container(value, name)
        raw = _object_elements(value, name)
    _check_shape(raw, name, shape, allow_empty)
    # np.ascontiguousarray would turn a 0-d array into a 1-d one.
    array: FloatArray = np.asarray(raw, dtype=np.float64, order="C")
    finite = np.isfinite(array)
    if not np.logical_and.reduce(finite, axis=None):
        index = _first(~finite)
        where = f" at index {_index(index)}" if index else ""
        raise ValueError(f"{name} must contain finite numbers only, got {array[index]}{where}")
    return array


def _range_text(
    minimum: float | None,
    maximum: float | None,
    exclusive_minimum: float | None,
    exclusive_maximum: float | None,
) -> str:
    ends = {">=": minimum, ">": exclusive_minimum, "<=": maximum, "<": exclusive_maximum}
    return " and ".join(
        f"{sign} {str(end).removesuffix('.0')}" for sign, end in ends.items() if end is not None
    )


def scalar(
    value: object,
    name: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    exclusive_minimum: float | None = None,
    exclusive_maximum: float | None = None,
) -> float:
    """Return `value` as a finite float within the given range.

    Here `value`: the number to check; a 0-d array counts as a number; `name`: the argument's name,
    for the messages; `minimum`, `maximum`: the ends of the range, included; `exclusive_minimum`,
    `exclusive_maximum`: the ends of the range, excluded.

    >>> scalar(1, "tau", minimum=0)
    1.0
    >>> scalar(-1.0, "tau", minimum=0)
    Traceback (most recent call last):
        ...
    ValueError: tau must be a finite number >= 0, got -1.0
    """
    item = value
    if type(value) is float or type(value) is np.float64:
        number = float(value)  # the common case: nothing below could refuse its type
    else:
        _refuse_container(value, name)
        if isinstance(value, np.ndarray) and value.ndim == 0:
            item = value[()]
        if isinstance(item, bool | np.bool_) or not isinstance(item, _NUMBERS):
            limits = _range_text(minimum, maximum, exclusive_minimum, exclusive_maximum)
            raise TypeError(f"{name} must be {_allowed(limits)}, got {_kind(item)}")
        if isinstance(item, _INTEGERS) and abs(int(item)) > _LARGEST_EXACT_INTEGER:
            raise ValueError(_too_large(name, item, ()))
        number = float(item)
    inside = (
        math.isfinite(number)
        and (minimum is None or number >= minimum)
        and (maximum is None or number <= maximum)
        and (exclusive_minimum is None or number > exclusive_minimum)
        and (exclusive_maximum is None or number < exclusive_maximum)
    )
    if not inside:
        limits = _range_text(minimum, maximum, exclusive_minimum, exclusive_maximum)
        raise ValueError(f"{name} must be {_allowed(limits)}, got {item}")
    return number


def _allowed(limits: str) -> str:
    return f"a finite number {limits}".rstrip()


def count(value: object, name: str, *, minimum: int = 1, maximum: int | None = None) -> int:
    """Return `value` as an integer within the given range.

    Parameters
    ----------
    value : int or NumPy integer
        The count.  Floats are refused even when they are whole: ``3.0`` is not a count.
    name : str
        The argument's name, for the messages.
    minimum : int, default 1
        The smallest value allowed.
    maximum : int, optional
        The largest value allowed.

    Returns
    -------
    int
        The same number.

    Raises
    ------
    TypeError
        For anything that is not an integer, booleans included.
    ValueError
        For an integer out of range.

    Examples
    --------
    >>> count(8, "m")
    8
    >>> count(3.0, "m")
    Traceback (most recent call last):
        ...
    TypeError: m must be an integer >= 1, got 3.0 of type float
    """
    if type(value) is int and value >= minimum and (maximum is None or value <= maximum):
        return value  # the common case needs no words
    allowed = f"an integer {_range_text(minimum, maximum, None, None)}"
    if isinstance(value, bool | np.bool_) or (
        isinstance(value, np.ndarray) and value.dtype.kind not in "iu"
    ):
        raise TypeError(f"{name} must be {allowed}, got {_kind(value)}")
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} must be {allowed}, got {_kind(value)}") from None
    if number < minimum or (maximum is not None and number > maximum):
        raise ValueError(f"{name} must be {allowed}, got {number}")
    return number


def exact(value: object, name: str) -> Fraction:
    """Return a number that must be given exactly as a fraction: 0.2 is not 1/5.

    Here `value`: the number; `name`: the argument's name, for the message.

    Raises TypeError: for anything else, floats included.

    >>> exact(2, "alpha")
    Fraction(2, 1)
    """
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise TypeError(
            f"{name} must be an exact fractions.Fraction or an int, got {value!r} of type "
            f"{type(value).__name__}"
        )
    return value if isinstance(value, Fraction) else Fraction(value)


def boolean(value: object, name: str) -> bool:
    """Return `value` as a bool; numbers are not truth values.

    Here `value`: the flag; `name`: the argument's name, for the messages.
    """
    if value is True or value is False:
        return value
    if not isinstance(value, np.bool_):
        raise TypeError(f"{name} must be True or False, got {_kind(value)}")
    return bool(value)


def choice(value: object, name: str, options: Sequence[Option]) -> Option:
    """Return `value` if it is one of the named options.

    Parameters
    ----------
    value : str
        The name chosen.
    name : str
        The argument's name, for the messages.
    options : sequence of str
        The names allowed.

    Returns
    -------
    str
        The option, as it stands in `options`.

    Raises
    ------
    TypeError
        If `value` is not a string.
    ValueError
        If it is not among the options.

    Examples
    --------
    >>> choice("relu", "activation", ("jump", "continuous"))
    Traceback (most recent call last):
        ...
    ValueError: activation must be one of 'jump', 'continuous', got 'relu'
    """
    if isinstance(value, str):
        for option in options:
            if option == value:
                return option
    allowed = f"one of {', '.join(repr(str(option)) for option in options)}"
    if not isinstance(value, str):
        raise TypeError(f"{name} must be {allowed}, got {_kind(value)}")
    raise ValueError(f"{name} must be {allowed}, got {value!r}")


def instance(value: object, name: str, kind: type[Kind]) -> Kind:
    """Return `value` if it is an object of a class.

    Here `value`: what was given; `name`: the argument's name, for the messages; `kind`: the class.

    >>> instance("sparse", "flag", int)
    Traceback (most recent call last):
        ...
    TypeError: flag must be of type int, got 'sparse' of type str
    """
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be of type {kind.__name__}, got {_kind(value)}")
    return value


def path(value: object, name: str = "path") -> Path:
    """Return `value` as the path of a file or a folder.

    Here `value`: the path; numbers, which Python takes for open files, and bytes are refused;
    `name`: the argument's name, for the messages.

    Raises TypeError: for anything else.
    """
    given: object = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(given, str):
        raise TypeError(f"{name} must be a string or path-like, got {_kind(given)}")
    return Path(given)


def generator(rng: object, name: str = "rng") -> np.random.Generator:
    """Return a random generator for a seed; there is no default and no global state.

    Here `name`: the argument's name, for the messages.
    """
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, np.random.SeedSequence):
        return np.random.default_rng(rng)
    allowed = "an integer seed >= 0, a numpy.random.SeedSequence or a numpy.random.Generator"
    if rng is None:
        raise TypeError(f"{name} must be {allowed}, got None: pass a seed, for example {name}=0")
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer):
        raise TypeError(f"{name} must be {allowed}, got {_kind(rng)}")
    if rng < 0:
        raise ValueError(f"{name} must be {allowed}, got {rng}")
    return np.random.default_rng(int(rng))


def points_on_slice(
    X: object, name: str = "X", *, d: int | None = None, atol: float = 1e-9
) -> FloatArray:
    """Return `X` as an array of points on the paper's domain.

    Here `name`: the argument's name, for the messages; `d`: the dimension wanted; `atol`: allowed
    absolute deviation of ``||x||`` from 1 and of ``x_d`` from 1/2.

    Source: Section 3.2 of the paper (data with ``||x||_2 = 1`` and ``x_d = 1/2``).

    >>> points_on_slice([[0.6, 0.8]])
    Traceback (most recent call last):
        ...
    ValueError: X must lie on the slice ||x|| = 1, x_d = 1/2 to within 1e-09: row 0 has ||x|| = 1.0 and x_d = 0.8
    """  # noqa: E501 (the message is shown as it is raised)
    points = float_array(X, name, shape=("n", "d" if d is None else d))
    if points.shape[1] < 2:
        raise ValueError(
            f"{name} must have at least 2 columns (the slice ||x|| = 1, x_d = 1/2 is empty "
            f"for d = 1), got shape {points.shape}"
        )
    with np.errstate(over="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", points, points))
        off = ~(np.abs(norms - 1.0) <= atol) | ~(np.abs(points[:, -1] - 0.5) <= atol)
    if off.any():
        row = int(np.argmax(off))
        raise ValueError(
            f"{name} must lie on the slice ||x|| = 1, x_d = 1/2 to within {atol:g}: "
            f"row {row} has ||x|| = {float(norms[row])!r} and x_d = {float(points[row, -1])!r}"
        )
    return points


def printable(text: str) -> str:
    r"""Return `text` with everything that is not shown as a letter written out.

    Here `text`: A name that came from outside: of a file, a column, a class.

    The same text, with control characters, line breaks, signs that change the direction of writing
    and bytes that are no text as Python writes them.  It is safe on a terminal and can be encoded;
    it is not yet safe as HTML or Markdown.

    >>> print(printable("length\x1b[2J\nmm"))
    length\x1b[2J\nmm
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def labels(y: object, name: str = "y", *, n: int) -> FloatArray:
    """Return `y` as the labels of `n` points.

    Parameters
    ----------
    y : array-like, shape (n,)
        Real labels with ``|y| <= 1``.
    name : str, default "y"
        The argument's name, for the messages.
    n : int
        The number of points.

    Returns
    -------
    ndarray of float64, shape (n,)
        The same labels.

    Raises
    ------
    TypeError, ValueError
        As `float_array`; `ValueError` also for a label beyond 1 in absolute value.

    Notes
    -----
    Source: Section 3.2 of the paper (``|y_i| <= 1``).
    """
    values = float_array(y, name, shape=(n,))
    beyond = np.abs(values) > 1.0
    if beyond.any():
        index = int(np.argmax(beyond))
        raise ValueError(
            f"{name} must satisfy |y| <= 1, got {float(values[index])!r} at index {index}"
        )
    return values


def index_array(
    value: object, name: str, *, upper: int, allow_empty: bool = True, unique: bool = False
) -> IntArray:
    """Return `value` as a vector of indices in ``0, ..., upper - 1``.

    Here `value` (k,): the indices; negative ones are not counted from the end, they are refused;
    `name`: the argument's name, for the messages; `upper`: one more than the largest index allowed;
    `allow_empty`: whether no index at all is allowed; `unique`: whether an index that occurs twice
    is refused.

    The same indices in the same order.
    """
    _refuse_container(value, name)
    try:
        raw = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be a vector of integers, got a ragged sequence") from None
    if raw.size == 0 and not isinstance(value, np.ndarray):
        raw = raw.astype(np.int64)  # an empty list has no integers to show its type
    if raw.dtype.kind not in "iu":
        raise TypeError(f"{name} must contain integers only, got an array of dtype {raw.dtype}")
    if isinstance(value, list | tuple):
        # Beside an integer, NumPy turns True into 1.
        for position, item in enumerate(value):
            if isinstance(item, bool | np.bool_):
                raise TypeError(
                    f"{name} must contain integers only, got {_kind(item)} at index {position}"
                )
    _check_shape(raw, name, ("k",), allow_empty)
    if raw.size and (raw.min() < 0 or raw.max() >= upper):
        outside = (raw < 0) | (raw >= upper)
        index = int(np.argmax(outside))
        raise ValueError(
            f"{name} must contain indices >= 0 and < {upper}, got {raw[index]} at index {index}"
        )
    indices: IntArray = np.ascontiguousarray(raw, dtype=np.int64)
    if unique and not _distinct(indices, upper):
        ordered = np.sort(indices)
        twice = int(ordered[1:][ordered[1:] == ordered[:-1]][0])
        raise ValueError(f"{name} must not contain an index twice, got {twice} more than once")
    return indices


def _distinct(indices: IntArray, upper: int) -> bool:
    """Return whether no index below `upper` occurs twice: by sorting only where all else is more.

    Ascending indices are told by one pass; others leave marks in a table of `upper` entries, if it
    is not far longer than the indices themselves.
    """
    if (indices[1:] > indices[:-1]).all():
        return True
    if upper > _SPARSE * indices.size:
        ordered = np.sort(indices)
        return bool((ordered[1:] != ordered[:-1]).all())
    seen = np.zeros(upper, dtype=np.bool_)
    seen[indices] = True
    return int(np.count_nonzero(seen)) == indices.size


def mask(value: object, name: str, *, shape: tuple[int, ...]) -> BoolArray:
    """Return `value` as a boolean array of the given shape.

    Parameters
    ----------
    value : array-like of bool
        The mask; numbers are not truth values.
    name : str
        The argument's name, for the messages.
    shape : tuple of int
        The shape wanted.

    Returns
    -------
    ndarray of bool
        The same mask.

    Raises
    ------
    TypeError
        If the entries are not booleans.
    ValueError
        For a wrong shape.
    """
    _refuse_container(value, name)
    try:
        raw = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must have shape {shape}, got a ragged sequence") from None
    if raw.dtype.kind != "b":
        raise TypeError(f"{name} must contain booleans only, got an array of dtype {raw.dtype}")
    if raw.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {raw.shape}")
    result: BoolArray = raw
    return result


def same_length(**arrays: Sized) -> int:
    """Return the common length of the arguments.

    Here `**arrays`: the arguments, by name.

    >>> same_length(X=[[1.0], [2.0]], y=[0.5])
    Traceback (most recent call last):
        ...
    ValueError: X and y must have the same length, got 2 and 1
    """
    if not arrays:
        raise ValueError("same_length needs at least one argument, got none")
    lengths = [len(array) for array in arrays.values()]
    if len(set(lengths)) > 1:
        raise ValueError(
            f"{' and '.join(arrays)} must have the same length, "
            f"got {' and '.join(str(length) for length in lengths)}"
        )
    return lengths[0]

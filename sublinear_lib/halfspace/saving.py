"""Index files: what INIT of Algorithm 2 was given and what has happened to it since.

A file is an ``.npz`` archive of plain arrays with the name and the version of its format: the
stored points, their biases and ids, the next id to give out and the options.  The structure of the
engine is not in it, since it is built anew faster than it is read and need not be the same on
another machine; the answers are.  Before changing what is written: raise `VERSION`, and keep
reading the older ones.  Nothing in a file is ever executed.
"""

from __future__ import annotations

import os
from functools import partial
from typing import NamedTuple

import numpy as np

from sublinear_lib import archives, validation
from sublinear_lib._typing import FloatArray, IntArray

__all__ = ["FORMAT", "VERSION", "Contents", "read", "refusal", "write"]

FORMAT = "sublinear_lib.halfspace.HalfspaceIndex"
"""What a file calls itself."""

VERSION = 1
"""The newest version of the format that is read, and the one that is written."""


class Contents(NamedTuple):
    """What a file holds."""

    points: FloatArray
    """The stored points, in the order of the ids, shape (m, d)."""
    bias: FloatArray | None
    """Their biases, shape (m,)."""
    ids: IntArray
    """Their ids, shape (m,)."""
    next_id: int
    """The id that the next point gets."""
    method: str
    """The engine that was asked for, ``"auto"`` included."""
    domain: str | None
    """The domain of the queries."""
    leaf_size: int
    """The largest number of points in a leaf of the tree."""


_NEEDED = ("biased", *Contents._fields)


def write(path: str | os.PathLike[str], contents: Contents) -> None:
    """Write a file; an interrupted write leaves an older file untouched."""
    biased = contents.bias is not None
    whole = contents._replace(
        bias=contents.bias if biased else np.empty(0), domain=contents.domain or ""
    )
    entries = {"format": FORMAT, "version": VERSION, "biased": biased, **whole._asdict()}
    arrays = {name: np.asarray(entry) for name, entry in entries.items()}
    archives.write_arrays(validation.path(path), arrays)


def read(path: str | os.PathLike[str]) -> Contents:
    """Read a file written by `write`."""
    refuse = partial(refusal, path)
    with validation.path(path).open("rb") as file:
        arrays = archives.read_arrays(file, refuse)
    archives.check_format(arrays, FORMAT, VERSION, writer="HalfspaceIndex.save", refuse=refuse)
    missing = [key for key in _NEEDED if key not in arrays]
    if missing:
        raise refusal(path, f"the entry {missing[0]!r} is missing")
    try:
        return _checked(arrays)
    except (TypeError, ValueError) as error:
        raise refusal(path, f"its contents make no index: {error}") from error


def refusal(path: str | os.PathLike[str], reason: str) -> ValueError:
    """Return the error for a file that cannot be read."""
    return ValueError(f"cannot load an index from {os.fspath(path)!r}: {reason}")


def _checked(arrays: dict[str, np.ndarray]) -> Contents:
    points = validation.float_array(arrays["points"], "points", shape=("m", "d"), allow_empty=True)
    bias = None
    if validation.boolean(arrays["biased"][()], "biased"):
        bias = validation.float_array(
            arrays["bias"], "bias", shape=(len(points),), allow_empty=True
        )
    next_id = validation.count(arrays["next_id"], "next_id", minimum=0)
    ids = validation.index_array(arrays["ids"], "ids", upper=next_id)
    if len(ids) != len(points):
        raise ValueError(f"ids must be as many as the points, {len(points)}, got {len(ids)}")
    if (ids[1:] <= ids[:-1]).any():
        raise ValueError("ids must ascend, got some that do not")
    return Contents(
        points,
        bias,
        ids,
        next_id,
        str(arrays["method"]),
        str(arrays["domain"]) or None,
        validation.count(arrays["leaf_size"], "leaf_size"),
    )

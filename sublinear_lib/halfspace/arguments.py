"""What callers hand to the structures of this package, checked in one place and refused in one way.

The points of Definition 5.1, the half-spaces of QUERY and the ids of REMOVE and UPDATE (Algorithm
2) reach the index, the tree of sums and the classical structures in the same form.  Know before
changing a check: whoever calls one has not changed anything yet, which is what makes a refused call
leave everything as it was.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib import validation
from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.halfspace.alive import TOLERANCE
from sublinear_lib.halfspace.filtering import LARGEST_DIMENSION
from sublinear_lib.halfspace.reporting import HalfSpaces
from sublinear_lib.halfspace.store import LARGEST_ID, PointStore

__all__ = [
    "read_biases",
    "read_domain",
    "read_half_spaces",
    "read_points",
    "refuse_too_many",
    "stored_rows",
]

_DOMAINS = ("slice",)


def read_points(points: object) -> FloatArray:
    """Return the points that a structure is to be made of."""
    array = validation.float_array(points, "points", shape=("m", "d"), allow_empty=True)
    if not 1 <= array.shape[1] < LARGEST_DIMENSION:
        raise ValueError(
            f"points must have at least 1 and fewer than {LARGEST_DIMENSION} columns, "
            f"got shape {array.shape}"
        )
    return array


def read_domain(domain: object, points: FloatArray) -> str | None:
    """Return where the normals of all queries to some points lie."""
    if domain is None:
        return None
    name = validation.choice(domain, "domain", _DOMAINS)
    if points.shape[1] < 2:
        raise ValueError(
            f"points must have at least 2 columns with domain='slice', got shape {points.shape}"
        )
    return name


def refuse_too_many(ids: int, owner: str | None = None) -> None:
    """Refuse more ids than an int32 can tell apart."""
    if ids > LARGEST_ID:
        life = "" if owner is None else f" over the life of {owner}"
        raise ValueError(f"points must number at most {LARGEST_ID}{life}, got {ids}")


def read_half_spaces(
    normals: object, offsets: object, strict: object, d: int, domain: str | None = None
) -> HalfSpaces:
    """Return a batch of half-spaces, as every ``query_halfspace`` takes them."""
    vectors = validation.float_array(normals, "normals", shape=("q", d), allow_empty=True)
    levels = validation.float_array(offsets, "offsets", allow_empty=True)
    q = len(vectors)
    if levels.shape not in ((), (q,)):
        raise ValueError(f"offsets must be a number or have shape ({q},), got {levels.shape}")
    strictly = validation.boolean(strict, "strict")
    if domain is not None and q:
        vectors = validation.points_on_slice(vectors, "normals", atol=TOLERANCE)
    if not levels.ndim:
        levels = np.full(q, levels)
    return HalfSpaces(vectors, levels, strictly)


def read_biases(
    store: PointStore, bias: object, count: int, owner: str, *, required: bool = False
) -> FloatArray | None:
    """Return the biases of points that come or move."""
    if bias is None:
        if required and store.biased:
            raise ValueError(
                f"bias must have shape ({count},) because this {owner} has biases, got None"
            )
        return None
    if not store.biased:
        raise ValueError(
            f"bias must be None because this {owner} was made without biases (make it with "
            f"bias=np.zeros(m) to have them), got {type(bias).__name__}"
        )
    return validation.float_array(bias, "bias", shape=(count,), allow_empty=True)


def stored_rows(store: PointStore, ids: object) -> IntArray:
    """Return the rows of points that are to go or to move."""
    wanted = validation.index_array(ids, "ids", upper=store.next_id, unique=True)
    rows, stored = store.rows_of(wanted)
    if not stored.all():
        position = int(np.argmin(stored))
        raise ValueError(
            f"ids must be ids of stored points, got {wanted[position]} at index {position}, "
            "which was removed"
        )
    return rows

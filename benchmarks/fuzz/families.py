"""Points, normals and offsets at which half-space structures go wrong, drawn at random.

A *family* is a way to draw points (Definition 5.1 leaves them free): plain Gaussian ones, but also
those that make thousands of ties, lie on one line or one hyperplane, repeat each other, differ by
single units in the last place, or strain the exponent range of float32 and float64.  A family keeps
what its points have in common (the line, the hyperplane, the places), so that points which are
inserted later belong to it too.  Offsets lie on the score of a stored point or a few floating-point
numbers beside it more often than not: elsewhere every structure is right.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from sublinear_lib._typing import FloatArray

LARGEST = float(np.finfo(np.float64).max)
"""The largest float64 number."""
_SMALLEST = 5e-324
_OFF_SLICE = 9.9e-10

Rows: TypeAlias = Callable[[int], FloatArray]
"""Draws so many rows of D columns."""


class Family(NamedTuple):
    """A way to draw points."""

    name: str
    rows: Rows
    normal: FloatArray
    """A normal on which all points have nearly or exactly the same score, shape (D,)."""


def _gaussian(rng: np.random.Generator, dimension: int, normal: FloatArray) -> Rows:
    size = math.ldexp(1.0, int(rng.integers(-40, 41))) if rng.random() < 0.3 else 1.0
    return lambda count: rng.standard_normal((count, dimension)) * size


def _lattice(rng: np.random.Generator, dimension: int, normal: FloatArray) -> Rows:
    width = int(rng.integers(1, 5))
    return lambda count: rng.integers(-width, width + 1, (count, dimension)).astype(np.float64)


def _dyadic(rng: np.random.Generator, dimension: int, normal: FloatArray) -> Rows:
    # Scores without rounding in float64 and with in float32: true ties among generic numbers.
    def rows(count: int) -> FloatArray:
        points: FloatArray = np.round(rng.standard_normal((count, dimension)) * 2.0**20)
        return points * 2.0**-20

    return rows


def _collinear(rng: np.random.Generator, dimension: int, normal: FloatArray) -> Rows:
    start, way = rng.integers(-3, 4, (2, dimension)).astype(np.float64)
    if rng.random() < 0.5:
        start, way = rng.standard_normal((2, dimension))

    def rows(count: int) -> FloatArray:
        points: FloatArray = start + rng.integers(-9, 10, (count, 1)) * way
        return points

    return rows


def _duplicates(rng: np.random.Generator, dimension: int, normal: FloatArray) -> Rows:
    places = rng.standard_normal((int(rng.integers(1, 9)), dimension))
    return lambda count: places[rng.integers(0, len(places), count)]


def _hyperplane(rng: np.random.Generator, dimension: int, normal: FloatArray) -> Rows:
    level = float(rng.integers(-3, 4))

    def rows(count: int) -> FloatArray:
        points = np.ldexp(rng.integers(-(2**20), 2**20, (count, dimension)).astype(np.float64), -10)
        points[:, 0] = (level - points[:, 1:] @ normal[1:]) / normal[0]
        return points

    return rows


def _clusters(rng: np.random.Generator, dimension: int, normal: FloatArray) -> Rows:
    centers = rng.standard_normal((int(rng.integers(1, 6)), dimension))
    spread = 10.0 ** float(rng.uniform(-12, -1))

    def rows(count: int) -> FloatArray:
        which = rng.integers(0, len(centers), count)
        points: FloatArray = centers[which] + spread * rng.standard_normal((count, dimension))
        return points

    return rows


def _neighbors(rng: np.random.Generator, dimension: int, normal: FloatArray) -> Rows:
    # All points within a few units in the last place of float64, or of float32, of one another.
    center = rng.standard_normal(dimension)
    unit = 2.0 ** -float(rng.choice([23, 24, 51, 52]))

    def rows(count: int) -> FloatArray:
        points: FloatArray = center * (1.0 + unit * rng.integers(-3, 4, (count, dimension)))
        return points

    return rows


def _halfway(rng: np.random.Generator, dimension: int, normal: FloatArray) -> Rows:
    # Between two float32 numbers, where rounding decides by one bit.
    def rows(count: int) -> FloatArray:
        nearest = rng.standard_normal((count, dimension)).astype(np.float32).astype(np.float64)
        half: FloatArray = np.ldexp(rng.integers(-1, 2, nearest.shape), np.frexp(nearest)[1] - 25)
        return nearest + half

    return rows


def _huge(rng: np.random.Generator, dimension: int, normal: FloatArray) -> Rows:
    size = float(rng.choice([1e300, 1e307, 2.0**127, 2.0**128, 1e154]))
    return lambda count: rng.uniform(-1.0, 1.0, (count, dimension)) * size


def _denormal(rng: np.random.Generator, dimension: int, normal: FloatArray) -> Rows:
    # Of float64, or what float32 holds as a subnormal number or not at all.
    size = float(rng.choice([_SMALLEST, 2.0**-1060, 2.0**-149, 2.0**-126]))
    width = int(rng.integers(1, 100))
    return lambda count: rng.integers(-width, width + 1, (count, dimension)).astype(float) * size


def _signed_zeros(rng: np.random.Generator, dimension: int, normal: FloatArray) -> Rows:
    values = np.array([0.0, -0.0, 0.0, -0.0, 1.0, -1.0, _SMALLEST, -_SMALLEST])
    return lambda count: rng.choice(values, (count, dimension))


def _mixed(rng: np.random.Generator, dimension: int, normal: FloatArray) -> Rows:
    low, high = rng.choice([(-1074, 1023), (-160, 160), (-30, 30)])

    def rows(count: int) -> FloatArray:
        sizes = np.ldexp(1.0, rng.integers(low, high, (count, dimension)))
        points: FloatArray = sizes * rng.choice([-1.5, -1.0, 1.0, 1.25], (count, dimension))
        return points

    return rows


def _one_huge(rng: np.random.Generator, dimension: int, normal: FloatArray) -> Rows:
    size = float(rng.choice([1e3, 1e12, 1e100, 1e300]))

    def rows(count: int) -> FloatArray:
        points = rng.standard_normal((count, dimension))
        points[: count // 2 + 1][:1] *= size
        return points

    return rows


FAMILIES: dict[str, Callable[[np.random.Generator, int, FloatArray], Rows]] = {
    "Gaussian": _gaussian,
    "lattice": _lattice,
    "dyadic": _dyadic,
    "collinear": _collinear,
    "duplicates": _duplicates,
    "hyperplane": _hyperplane,
    "clusters": _clusters,
    "neighbors": _neighbors,
    "halfway": _halfway,
    "huge": _huge,
    "denormal": _denormal,
    "signed zeros": _signed_zeros,
    "mixed": _mixed,
    "one huge": _one_huge,
}
"""Families by name."""


def draw_family(
    rng: np.random.Generator, dimension: int, *, biased: bool, name: str | None = None
) -> Family:
    """Choose a family."""
    if name is None:
        name = str(rng.choice(list(FAMILIES)))
    normal = 0.5 * rng.integers(-4, 5, dimension).astype(np.float64)
    normal[0] = float(rng.choice([-2.0, -1.0, 0.5, 1.0]))
    if biased:
        normal[-1] = 1.0
    return Family(name, FAMILIES[name](rng, dimension, normal), normal)


def draw_normals(
    rng: np.random.Generator, family: Family, points: FloatArray, d: int, count: int
) -> FloatArray:
    """Draw normals anywhere."""
    kind = rng.random(count)
    normals = rng.standard_normal((count, d))
    integers = rng.integers(-3, 4, (count, d)).astype(np.float64)
    normals[kind < 0.3] = integers[kind < 0.3]
    own = np.flatnonzero((kind >= 0.3) & (kind < 0.45))
    normals[own] = family.normal[:d] * rng.choice([1.0, 1.0, -1.0, 0.5], (len(own), 1))
    if len(points):
        copied = np.flatnonzero((kind >= 0.45) & (kind < 0.55))
        normals[copied] = points[rng.integers(0, len(points), len(copied))]
    axes = np.flatnonzero((kind >= 0.55) & (kind < 0.63))
    normals[axes] = 0.0
    normals[axes, rng.integers(0, d, len(axes))] = rng.choice([-1.0, 1.0, 2.0**-30], len(axes))
    wild = np.flatnonzero((kind >= 0.63) & (kind < 0.68))
    normals[wild] *= np.ldexp(1.0, rng.integers(-1074, 1020, (len(wild), 1)))
    normals[np.flatnonzero((kind >= 0.68) & (kind < 0.7))] = rng.choice([0.0, -0.0])
    finite: FloatArray = np.nan_to_num(normals, posinf=LARGEST, neginf=-LARGEST)
    return finite


def draw_slice(
    rng: np.random.Generator, points: FloatArray, d: int, count: int, *, exact: bool = False
) -> FloatArray:
    """Draw normals on X = {x : ||x|| = 1, x_d = 1/2}."""
    ways = rng.standard_normal((count, d - 1))
    kind = rng.random(count)
    if len(points):
        aimed = np.flatnonzero(kind < 0.3)
        chosen = points[rng.integers(0, len(points), len(aimed)), :-1]
        largest = np.abs(chosen).max(axis=1, keepdims=True)
        usable = largest[:, 0] > 1e-290
        ways[aimed[usable]] = chosen[usable] / largest[usable]
    axes = np.flatnonzero((kind >= 0.3) & (kind < 0.4))
    ways[axes] = 0.0
    ways[axes, rng.integers(0, d - 1, len(axes))] = rng.choice([-1.0, 1.0], len(axes))
    lengths = np.sqrt(np.einsum("ij,ij->i", ways, ways))
    ways /= np.where(lengths > 0.0, lengths, 1.0)[:, None]
    ways[lengths == 0.0] = np.eye(d - 1)[0]
    height, norm = np.full(count, 0.5), np.ones(count)
    if not exact:
        off = np.flatnonzero((kind >= 0.4) & (kind < 0.6))
        height[off] += rng.choice([-_OFF_SLICE, 0.0, _OFF_SLICE], len(off))
        norm[off] += rng.choice([-_OFF_SLICE, 0.0, _OFF_SLICE], len(off))
    normals = np.column_stack((ways * np.sqrt(norm**2 - height**2)[:, None], height))
    if not exact:  # numbers of few bits, for true ties
        coarse = np.flatnonzero((kind >= 0.6) & (kind < 0.75))
        normals[coarse] = np.round(normals[coarse] * 2.0**36) * 2.0**-36
    return normals


def draw_offsets(
    rng: np.random.Generator,
    points: FloatArray,
    bias: FloatArray | None,
    normals: FloatArray,
) -> FloatArray:
    """Draw offsets, most of them at or beside the score of a stored point."""
    q = len(normals)
    scores, others = np.zeros(q), np.zeros(q)
    if len(points):
        scores, others = (_scores(rng, points, bias, normals) for _ in range(2))
    kind = rng.random(q)
    offsets = scores.copy()
    steps = rng.integers(1, 4, q)
    with np.errstate(over="ignore", under="ignore"):
        for aim, low, high in ((-np.inf, 0.3, 0.45), (np.inf, 0.45, 0.6)):
            for step in (1, 2, 3):
                moved = (low <= kind) & (kind < high) & (steps >= step)
                offsets[moved] = np.nextafter(offsets[moved], aim)
        between = (kind >= 0.6) & (kind < 0.8)
        offsets[between] = scores[between] / 2.0 + others[between] / 2.0
        far = (kind >= 0.8) & (kind < 0.88)
        offsets[far] = (np.abs(scores[far]) + 1.0) * rng.choice([-1e30, -4.0, 4.0, 1e30])
    special = np.array([0.0, -0.0, 1.0, _SMALLEST, -_SMALLEST, LARGEST, -LARGEST])
    rest = kind >= 0.88
    offsets[rest] = rng.choice(special, int(rest.sum()), p=[0.3, 0.3, 0.1, 0.1, 0.1, 0.05, 0.05])
    if q and rng.random() < 0.2:
        offsets[:] = offsets[rng.integers(q)]
    return np.clip(offsets, -LARGEST, LARGEST)


def _scores(
    rng: np.random.Generator, points: FloatArray, bias: FloatArray | None, normals: FloatArray
) -> FloatArray:
    """Return the score of some point for each normal, rounded and finite."""
    rows = rng.integers(0, len(points), len(normals))
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        scores = np.einsum("ij,ij->i", points[rows], normals)
        if bias is not None:
            scores += bias[rows]
    finite: FloatArray = np.nan_to_num(scores, nan=0.0, posinf=LARGEST, neginf=-LARGEST)
    return finite

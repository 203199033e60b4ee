"""Points, normals and offsets at which half-space structures go wrong, and the truth about them.

A family keeps what its points have in common (a line, a hyperplane, places), so that points drawn
later belong to it too.  Most offsets are the score of a stored point, or a few floating-point
numbers beside it: elsewhere every structure is right.  `decide` uses nothing of the library: a
float64 product decides the pairs whose margin exceeds its error, integers decide the others.
"""

from __future__ import annotations

import numpy as np

LARGEST = float(np.finfo(np.float64).max)
SMALLEST = 5e-324
OFF_SLICE = 9.9e-10
FAMILIES = (
    *("Gaussian", "lattice", "dyadic", "collinear", "duplicates", "hyperplane", "clusters"),
    *("neighbors", "halfway", "huge", "denormal", "signed zeros", "mixed", "one huge"),
)
LARGE = ("huge", "mixed", "one huge")
"""Families that leave no room for sums, unless the weights are small."""
SLOW = ("signed zeros", "denormal", "duplicates", "hyperplane", "neighbors", "mixed")
"""Families of which many pairs must be decided in integers."""


class Family:
    """A way to draw points: `rows(rng, count)` has ``dimension`` columns, the last a bias or not.

    `normal` is one on which many points have the same score.
    """

    def __init__(self, name, seed, dimension, biased):
        rng = np.random.default_rng(seed)
        self.name, self.seed, self.dimension, self.biased = name, seed, dimension + biased, biased
        self.normal = 0.5 * rng.integers(-4, 5, self.dimension)
        self.normal[0] = rng.choice([-2.0, -1.0, 0.5, 1.0])
        if biased:
            self.normal[-1] = 1.0

    def draw(self, rng, count):
        """Return points, and biases or nothing."""
        rows = self.rows(rng, count)
        return (rows[:, :-1].copy(), rows[:, -1].copy()) if self.biased else (rows, None)

    def rows(self, rng, count):
        common = np.random.default_rng([self.seed, 1])  # the same numbers for all rows ever drawn
        size = count, self.dimension
        plain = rng.standard_normal(size)
        whole = rng.integers(-(2**20), 2**20, size) * 2.0**-10
        match self.name:
            case "Gaussian":
                return plain * 2.0 ** common.choice([0.0, 0.0, -40.0, 40.0])
            case "lattice":
                width = common.integers(1, 5)
                return rng.integers(-width, width + 1, size) * 1.0
            case "dyadic":  # scores without rounding in float64, and with it in float32
                return np.round(plain * 2.0**20) * 2.0**-20
            case "collinear":
                lines = common.integers(-3, 4, (2, self.dimension)), common.random(self.dimension)
                start, way = lines[0] if common.random() < 0.5 else (lines[1], lines[1][::-1])
                return start + rng.integers(-9, 10, (count, 1)) * way * 1.0
            case "duplicates":
                places = common.standard_normal((common.integers(1, 9), self.dimension))
                return places[rng.integers(0, len(places), count)]
            case "hyperplane":
                others = whole[:, 1:] @ self.normal[1:]
                whole[:, 0] = (common.integers(-3, 4) - others) / self.normal[0]
                return whole
            case "clusters":
                centers = common.standard_normal((common.integers(1, 6), self.dimension))
                spread = 10.0 ** common.uniform(-12, -1)
                return centers[rng.integers(0, len(centers), count)] + spread * plain
            case "neighbors":  # a few units in the last place of float32 or float64 apart
                unit = 2.0 ** common.choice([-23.0, -24.0, -51.0, -52.0])
                center = common.standard_normal(self.dimension)
                return center * (1.0 + unit * rng.integers(-3, 4, size))
            case "halfway":  # between two float32 numbers, where one bit decides how they round
                single = plain.astype(np.float32).astype(np.float64)
                return single + np.ldexp(rng.integers(-1, 2, size) * 1.0, np.frexp(single)[1] - 25)
            case "huge":
                largest = common.choice([1e300, 1e307, 2.0**127, 2.0**128, 1e154])
                return rng.uniform(-1.0, 1.0, size) * largest
            case (
                "denormal"
            ):  # of float64, or what float32 holds as a subnormal number or not at all
                unit = common.choice([SMALLEST, 2.0**-1060, 2.0**-149, 2.0**-126])
                width = common.integers(1, 100)
                return rng.integers(-width, width + 1, size) * unit
            case "signed zeros":
                return rng.choice([0.0, -0.0, 0.0, -0.0, 1.0, -1.0, SMALLEST, -SMALLEST], size)
            case "mixed":
                low, high = common.choice([(-1074, 1023), (-160, 160), (-30, 30)])
                return np.ldexp(
                    rng.choice([-1.5, -1.0, 1.0, 1.25], size), rng.integers(low, high, size)
                )
            case "one huge":
                plain[:1] *= common.choice([1e3, 1e12, 1e100, 1e300])
                return plain
        raise KeyError(self.name)


def pick(rng, kinds, shares):
    """Choose each row from one of several arrays."""
    chosen = rng.choice(len(kinds), len(kinds[0]), p=shares)
    return np.stack(kinds)[chosen, np.arange(len(kinds[0]))]


def draw_normals(rng, family, points, count):
    """Draw normals anywhere."""
    d = points.shape[1]
    plain = rng.standard_normal((count, d))
    axes = np.zeros((count, d))
    axes[np.arange(count), rng.integers(0, d, count)] = rng.choice([-1.0, 1.0, 2.0**-30], count)
    kinds = [
        plain,
        rng.integers(-3, 4, (count, d)),
        family.normal[:d] * rng.choice([1.0, 1.0, -1.0, 0.5], (count, 1)),
        points[rng.integers(0, len(points), count)] if len(points) else plain,
        axes,
        plain * np.ldexp(1.0, rng.integers(-1074, 1020, (count, 1))),
        np.zeros((count, d)),
    ]
    normals = pick(rng, kinds, [0.32, 0.3, 0.15, 0.1, 0.08, 0.03, 0.02])
    return np.nan_to_num(normals, posinf=LARGEST, neginf=-LARGEST)


def draw_slice(rng, points, count):
    """Draw normals on X = {x : ||x|| = 1, x_d = 1/2}, some of them off it as far as is allowed."""
    d = points.shape[1]
    ways = rng.standard_normal((count, d - 1))
    aimed, axes = ways, np.zeros((count, d - 1))
    if len(points):
        aimed = points[rng.integers(0, len(points), count), :-1]
        largest = np.abs(aimed).max(axis=1, keepdims=True)
        aimed = np.where(largest > 1e-290, aimed / np.maximum(largest, 1e-290), ways)
    axes[np.arange(count), rng.integers(0, d - 1, count)] = rng.choice([-1.0, 1.0], count)
    ways = pick(rng, [ways, aimed, axes], [0.6, 0.3, 0.1])
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    off = rng.choice([0.0, -OFF_SLICE, OFF_SLICE], (2, count)) * (rng.random(count) < 0.25)
    height, norm = 0.5 + off[0], 1.0 + off[1]
    normals = np.column_stack((ways * np.sqrt(norm**2 - height**2)[:, None], height))
    few = (off == 0.0).all(axis=0) & (rng.random(count) < 0.25)  # few bits make true ties
    normals[few] = np.round(normals[few] * 2.0**36) * 2.0**-36
    return normals


def draw_offsets(rng, points, bias, normals):
    """Draw offsets, most of them at or beside the score of a stored point."""
    q = len(normals)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        scores = np.zeros((2, q))
        for each in scores if len(points) else ():
            rows = rng.integers(0, len(points), q)
            each[:] = np.einsum("ij,ij->i", points[rows], normals)
            each += 0.0 if bias is None else bias[rows]
        scores = np.nan_to_num(scores, posinf=LARGEST, neginf=-LARGEST)
        beside, steps = scores[0], rng.integers(1, 4, q)
        toward = rng.choice([-np.inf, np.inf], q)
        for step in (1, 2, 3):
            beside = np.where(steps >= step, np.nextafter(beside, toward), beside)
        kinds = [
            scores[0],
            beside,
            scores[0] / 2.0 + scores[1] / 2.0,
            (np.abs(scores[0]) + 1.0) * rng.choice([-1e30, -4.0, 4.0, 1e30], q),
            rng.choice([0.0, -0.0, 1.0, SMALLEST, -SMALLEST, LARGEST, -LARGEST], q),
        ]
    offsets = np.clip(pick(rng, kinds, [0.3, 0.3, 0.2, 0.08, 0.12]), -LARGEST, LARGEST)
    if q and rng.random() < 0.2:
        offsets[:] = offsets[rng.integers(q)]
    return offsets


def decide(points, bias, normals, offsets):
    """Return the signs of ``<p_r, x_i> + b_r - c_i`` in real arithmetic, shape (q, m).

    With D coordinates any float64 evaluation of a score loses at most ``gamma_D`` of the sum of
    absolute values, and so does that sum (Higham, Section 3.1); underflow loses 2**-1074 each time.
    The rows are brought to size one by powers of two first.
    """
    left, right = points, normals
    if bias is not None:
        left, right = (
            np.column_stack((points, bias)),
            np.column_stack((normals, np.ones(len(normals)))),
        )
    if not len(left) or not len(right):
        return np.zeros((len(right), len(left)), dtype=np.int8)
    D = left.shape[1]
    up, across = (np.frexp(np.abs(rows).max(axis=1))[1].astype(np.int32) for rows in (left, right))
    with np.errstate(over="ignore", under="ignore"):
        p, x = np.ldexp(left, -up[:, None]), np.ldexp(right, -across[:, None])
        # No score reaches 2**60, so that clipping changes no sign.
        levels = np.ldexp(offsets[:, None], -(across[:, None] + up)).clip(-(2.0**60), 2.0**60)
        margins = x @ p.T - levels
        errors = (D + 4) * (2.0**-52 * (np.abs(x) @ np.abs(p).T + np.abs(levels)) + 2.0**-1070)
    signs = np.sign(margins).astype(np.int8)
    doubtful = ~(np.abs(margins) > errors)
    for a, b in ((0, 1), (20, 1), (0, 36)):  # sums of integers below 2**53 lose nothing
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            p, x = np.ldexp(left, a), np.ldexp(right, b)
            whole = _whole(x) & (np.abs(x) @ np.abs(p).T < 2.0**53).all(axis=1)
            if whole.any() and _whole(p).all():
                scores = np.ldexp(x[whole] @ p.T, -a - b)
                signs[whole] = np.sign(scores - offsets[whole, None])
                doubtful[whole] = False
    queries, rows = np.nonzero(doubtful)
    own = {r: _integers(left[r]) for r in np.unique(rows).tolist()}
    asked = {i: _integers(right[i]) for i in np.unique(queries).tolist()}
    for i, r in zip(queries.tolist(), rows.tolist(), strict=True):
        (ints, bits), (others, more) = own[r], asked[i]
        level, denominator = float(offsets[i]).as_integer_ratio()
        total = sum(map(int.__mul__, ints, others)) * denominator
        level <<= bits + more
        signs[i, r] = (total > level) - (total < level)
    return signs


def _whole(rows):
    """Return which rows have integers only."""
    with np.errstate(invalid="ignore"):
        return (rows % 1.0 == 0.0).all(axis=1)


def _integers(row):
    """Return integers and a number of bits k such that the row is the integers times 2**-k."""
    ratios = [value.as_integer_ratio() for value in row.tolist()]
    bits = max(denominator.bit_length() for _, denominator in ratios) - 1
    return [top << (bits - bottom.bit_length() + 1) for top, bottom in ratios], bits


def assert_hits(hits, inside, ids=None):
    """Compare an answer with the truth: ids ascending, in the promised types."""
    ids = np.arange(inside.shape[1]) if ids is None else ids
    assert (hits.indptr.dtype, hits.indices.dtype) == (np.int64, np.int32)
    assert hits.indptr.tolist() == [0, *np.cumsum(np.count_nonzero(inside, axis=1)).tolist()]
    assert np.array_equal(hits.indices, ids[np.nonzero(inside)[1]])

"""What the tests of the index compare with: half-space reporting in rational arithmetic.

`assert_exact`, for many points, compares with the predicates of the library instead.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from sublinear_lib import geometry, predicates
from sublinear_lib.halfspace import HalfspaceHits, HalfspaceIndex
from sublinear_lib.halfspace.kernels import numba_allowed

KERNELS = ["numpy", *(["numba"] if numba_allowed() else [])]
ENGINES = [(method, kernels) for method in ("scan", "tree") for kernels in KERNELS]
ENGINE_IDS = ["-".join(engine) for engine in ENGINES]
# With domain="slice", where all engines answer queries on X.
SLICE_METHODS = ("auto", "scan", "tree", "cap")
SLICE_ENGINES = [(method, kernels) for method in SLICE_METHODS for kernels in KERNELS]
SLICE_ENGINE_IDS = ["-".join(engine) for engine in SLICE_ENGINES]


def score(point, bias, normal):
    """Return ``<point, normal> + bias`` exactly."""
    products = (Fraction(float(p)) * Fraction(float(x)) for p, x in zip(point, normal, strict=True))
    return sum(products, Fraction(float(bias)))


def inside(point, bias, normal, offset, strict):
    """Decide one pair exactly."""
    margin = score(point, bias, normal) - Fraction(float(offset))
    return margin > 0 if strict else margin >= 0


def exact_sets(points, biases, normals, offsets, strict):
    """Return the ids that each query must report, as lists."""
    if biases is None:
        biases = np.zeros(len(points))
    return [
        [
            r
            for r, (point, bias) in enumerate(zip(points, biases, strict=True))
            if inside(point, bias, normal, offset, strict)
        ]
        for normal, offset in zip(normals, offsets, strict=True)
    ]


def as_lists(hits):
    """Return the ids that each query reported, as lists."""
    return [ids.tolist() for ids in hits.split()]


# Numbers at which floating-point arithmetic is at its worst, and plain ones that make ties.
LARGEST = float(np.finfo(np.float64).max)
LATTICE = st.integers(-3, 3).map(float)
WILD = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        [0.0, -0.0, 5e-324, -5e-324, 2.0**-1022, 1e-300, 0.1, 1e30, 1e300, LARGEST, -LARGEST]
    ),
)
TAME = st.floats(-2.0, 2.0)


@st.composite
def vectors(draw, count, d, numbers):
    """Draw a matrix; some rows repeat others, are zero or far larger than the rest."""
    rows = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=count, max_size=count))
    matrix = np.array(rows, dtype=np.float64).reshape(count, d)
    for i in range(count):
        fate = draw(st.integers(0, 9))
        if fate == 0:
            matrix[i] = 0.0
        elif fate == 1:
            matrix[i] = matrix[draw(st.integers(0, count - 1))]
        elif fate == 2 and np.abs(matrix[i]).max(initial=0.0) < 1e100:
            matrix[i] *= 2.0**300
    return matrix


@st.composite
def beside(draw, exact, otherwise):
    """Draw a number on or next to an exact score; another one if the score is too large."""
    if abs(exact) >= Fraction(2) ** 1000:
        return otherwise
    step = draw(st.sampled_from([-np.inf, None, np.inf]))
    return float(exact) if step is None else float(np.nextafter(float(exact), step))


def columns(count, numbers):
    """Draw biases, or nothing."""
    return st.none() | vectors(count, 1, numbers).map(lambda column: column[:, 0])


@st.composite
def problems(draw, max_points=24, dimensions=(1, 2, 3, 5), on_slice=False):
    """Draw points, biases, normals, offsets and strictness, with offsets on or beside a score.

    On X, normals also lie where a point takes its largest value, so that the bound of that point
    decides whether it is looked at.
    """
    numbers = draw(st.sampled_from([LATTICE, TAME, WILD]))
    d = draw(st.sampled_from(dimensions))
    m, q = draw(st.integers(0, max_points)), draw(st.integers(0, 4))
    points, biases = draw(vectors(m, d, numbers)), draw(columns(m, numbers))
    normals = draw(slice_normals(q, d) if on_slice else vectors(q, d, numbers))
    offsets = np.array([draw(numbers) for _ in range(q)])
    for i in range(q):
        if m and draw(st.booleans()):
            r = draw(st.integers(0, m - 1))
            if on_slice and draw(st.booleans()):
                normals[i] = support_point(points[r])
            exact = score(points[r], 0.0 if biases is None else biases[r], normals[i])
            offsets[i] = draw(beside(exact, offsets[i]))
    return points, biases, normals, offsets, draw(st.booleans())


OFF_X = st.sampled_from([0.0, 0.0, 0.0, -9.9e-10, 9.9e-10])


@st.composite
def slice_normals(draw, count, d):
    """Draw points of X, some of them off by nearly as much as is allowed."""
    X = np.empty((count, d))
    for x in X:
        numbers = draw(st.lists(st.floats(-1.0, 1.0), min_size=d - 1, max_size=d - 1))
        u = np.array(numbers)
        length = np.sqrt(u @ u)
        u = u / length if length > 1e-3 else np.eye(d - 1)[0] * draw(st.sampled_from([-1.0, 1.0]))
        x[-1] = 0.5 + draw(OFF_X)
        x[:-1] = np.sqrt((1.0 + draw(OFF_X)) ** 2 - x[-1] ** 2) * u
    return X


def support_point(point):
    """Return the point of X, to rounding, at which a stored point takes its largest value."""
    u = np.array(point[:-1])
    largest = np.abs(u).max()
    u = u / largest if largest > 0.0 else np.eye(len(u))[0]
    return np.append(np.sqrt(3.0) / 2.0 * u / np.sqrt(u @ u), 0.5)


def made(m, d, q, method="auto", kernels="auto", *, biased=True, leaf_size=64):
    """Return an index on X, of normal points, and points of X."""
    rng = np.random.default_rng(0)
    points, bias = rng.standard_normal((m, d)), rng.standard_normal(m) if biased else None
    how = {"method": method, "kernels": kernels, "leaf_size": leaf_size}
    index = HalfspaceIndex(points, bias, domain="slice", **how)
    return index, geometry.sample_slice(q, d, rng)


def assert_exact(index, points, biases, normals, offsets, stricts=(True, False)):
    """Compare all three kinds of answer with the predicates, which have their own oracle."""
    offsets = np.broadcast_to(offsets, (len(normals),))
    for strict in stricts:
        wanted = predicates.exceeds_many(points, biases, normals, offsets[:, None], strict=strict)
        hits = index.query_halfspace(normals, offsets, strict=strict)
        wrong = np.argwhere(hits.to_mask(len(points)) != wanted)
        assert not len(wrong), f"first wrong (query, point): {wrong[0]}"
        assert hits == HalfspaceHits.from_mask(wanted), "ids must ascend within each query"
        counts = index.count_halfspace(normals, offsets, strict=strict)
        np.testing.assert_array_equal(counts, wanted.sum(axis=1))
        assert counts.dtype == np.int64
        mask = index.mask_halfspace(normals, offsets, strict=strict)
        np.testing.assert_array_equal(mask, wanted)

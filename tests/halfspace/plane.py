"""Half-planes and points for the classical structures of the plane, and what they must refuse."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from tests.halfspace.oracle import LATTICE, TAME, WILD, as_lists, exact_sets, score, vectors


@st.composite
def planar_points(draw, max_points=24):
    """Draw points of the plane: anywhere, on a lattice, on one line, or mostly equal."""
    m = draw(st.integers(0, max_points))
    kind = draw(st.sampled_from(["lattice", "tame", "wild", "line", "few places"]))
    if kind == "line":
        start, step = draw(vectors(2, 2, LATTICE))
        places = draw(st.lists(st.integers(-5, 5), min_size=m, max_size=m))
        return start + np.array(places, dtype=np.float64)[:, None] * step
    numbers = {"lattice": LATTICE, "tame": TAME, "wild": WILD, "few places": LATTICE}[kind]
    if kind != "few places":
        return draw(vectors(m, 2, numbers))
    places = draw(vectors(3, 2, numbers))
    return places[draw(st.lists(st.integers(0, 2), min_size=m, max_size=m))].reshape(m, 2)


@st.composite
def planar_problems(draw, max_queries=4):
    """Draw points, normals, offsets and strictness, with many offsets on or beside a score."""
    points = draw(planar_points())
    numbers = draw(st.sampled_from([LATTICE, TAME, WILD]))
    normals = draw(vectors(draw(st.integers(0, max_queries)), 2, numbers))
    offsets = np.array([draw(numbers) for _ in normals], dtype=np.float64)
    for i, normal in enumerate(normals):
        if len(points) and draw(st.booleans()):
            exact = score(points[draw(st.integers(0, len(points) - 1))], 0.0, normal)
            if abs(exact) < Fraction(2) ** 1023:
                step = draw(st.sampled_from([-np.inf, None, np.inf]))
                offsets[i] = float(exact) if step is None else np.nextafter(float(exact), step)
    return points, normals, offsets, draw(st.booleans())


def assert_exact(structure, points, normals, offsets, strict):
    """Compare with rational arithmetic, id by id."""
    wanted = exact_sets(points, None, normals, offsets, strict)
    hits = structure.query_halfspace(normals, offsets, strict=strict)
    assert as_lists(hits) == wanted


BAD_QUERIES = [
    (([[1.0]], 0.0), {}, ValueError, r"normals must have shape \(q, 2\)"),
    (([1.0, 2.0], 0.0), {}, ValueError, "normals must have shape"),
    (([[1.0, np.nan]], 0.0), {}, ValueError, "normals .* nan"),
    (([["1", "2"]], 0.0), {}, TypeError, "normals"),
    (([[1.0, 2.0]], np.inf), {}, ValueError, "offsets .* inf"),
    (([[1.0, 2.0]], [0.0, 1.0]), {}, ValueError, r"offsets .* shape \(1,\)"),
    (([[1.0, 2.0]], None), {}, TypeError, "offsets"),
    (([[1.0, 2.0]], 0.0), {"strict": 1}, TypeError, "strict must be True or False"),
]

# Sizes at which one structure or another changes its mind.
SIZES = [1, 2, 3, 4, 5, 8, 31, 32, 33, 34, 65, 129, 400]

# Rescaling by powers of two changes no answer, but overflows, underflows or loses every filter.
SCALES = [2.0**1000, 2.0**-1060, 1.0]

"""Half-planes and points for the classical structures of the plane."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tests.halfspace.oracle import LATTICE, TAME, WILD, beside, score, vectors


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
            offsets[i] = draw(beside(exact, offsets[i]))
    return points, normals, offsets, draw(st.booleans())

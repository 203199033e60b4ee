"""The questions of plane geometry are answered exactly."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.halfspace.planar import HalfPlane, orientation, orientations, sides
from tests.halfspace.oracle import LATTICE, TAME, WILD, inside, score, vectors

pytestmark = pytest.mark.either_way


def fractions(array):
    return [Fraction(number) for number in np.ravel(array).tolist()]


def sign(number):
    return (number > 0) - (number < 0)


def cross(a, b, c, d):
    return sign(a * d - b * c)


numbers = st.sampled_from([LATTICE, TAME, WILD])
# Points that are almost on a line: the float64 determinant is mostly noise.
NEARLY_STRAIGHT = np.array(
    [
        [[0.5 + i * 2.0**-53, 0.5 + j * 2.0**-53], [12.0, 12.0], [24.0, 24.0]]
        for i in range(0, 64, 3)
        for j in range(0, 64, 3)
    ]
)


@settings(deadline=None, max_examples=100)
@given(numbers.flatmap(lambda kind: vectors(9, 2, kind)))
def test_orientation_is_that_of_rational_arithmetic(points):
    p, q, r = points[:3], points[3:6], points[6:]
    wanted = []
    for row in np.hstack((p, q, r)):
        a, b, c, d, e, f = fractions(row)
        wanted.append(cross(c - a, d - b, e - a, f - b))
    assert orientations(p, q, r).tolist() == wanted
    triples = zip(p.tolist(), q.tolist(), r.tolist(), strict=True)
    assert [orientation(*map(tuple, triple)) for triple in triples] == wanted


def test_orientation_of_nearly_straight_triples_is_exact():
    p, q, r = NEARLY_STRAIGHT.transpose(1, 0, 2)
    wanted = [sign(Fraction(y) - Fraction(x)) for x, y in p.tolist()]
    assert len(set(wanted)) == 3
    assert orientations(p, q, r).tolist() == wanted
    assert [orientation(tuple(t), (12.0, 12.0), (24.0, 24.0)) for t in p.tolist()] == wanted


@settings(deadline=None, max_examples=100)
@given(numbers.flatmap(lambda kind: vectors(8, 2, kind)))
def test_sides_are_those_of_rational_arithmetic(points):
    origin, direction, others = points[0], points[1], points[2:]
    o_x, o_y, d_x, d_y = fractions(points[:2])
    wanted = []
    for p_x, p_y in map(fractions, others):
        wanted.append(cross(d_x, d_y, p_x - o_x, p_y - o_y))
    assert sides(origin, direction, others).tolist() == wanted


@settings(deadline=None, max_examples=100)
@given(numbers.flatmap(lambda kind: vectors(7, 2, kind)), st.booleans(), st.data())
def test_half_planes_are_those_of_rational_arithmetic(points, strict, data):
    normal, others = points[0], points[1:]
    offset = data.draw(WILD)
    exact = sum(a * b for a, b in zip(fractions(normal), fractions(others[0]), strict=True))
    if data.draw(st.booleans()) and abs(exact) < 2**1000:
        offset = float(exact)
    plane = HalfPlane(normal.tolist(), offset, strict)
    wanted = [inside(point, 0.0, normal, offset, strict) for point in others]
    assert [plane.contains(*point) for point in others.tolist()] == wanted
    assert plane.select(others).tolist() == wanted
    u_x, u_y = fractions(normal)
    for p, q in pairwise(others):
        (p_x, p_y), (q_x, q_y) = fractions(p), fractions(q)
        rise = sign(u_x * (q_x - p_x) + u_y * (q_y - p_y))
        assert plane.slope(tuple(p.tolist()), tuple(q.tolist())) == rise


def test_half_planes_through_points_are_exact():
    # The offset is the score of the point, rounded: float64 alone is wrong for many of them.
    rng = np.random.default_rng(0)
    wrong = 0
    for normal, point in zip(*rng.standard_normal((2, 500, 2)), strict=True):
        exact = score(point, 0.0, normal)
        offset = float(exact)
        for strict in (True, False):
            plane = HalfPlane(normal.tolist(), offset, strict)
            wanted = inside(point, 0.0, normal, offset, strict)
            assert plane.contains(*point.tolist()) == wanted
            assert plane.select(point[None]).tolist() == [wanted]
            wrong += wanted != bool(normal[0] * point[0] + normal[1] * point[1] > offset)
        # Both ends of a segment along the line, rounded.
        end = point + np.array([-normal[1], normal[0]])
        rise = sign(score(end, 0.0, normal) - exact)
        assert plane.slope(tuple(point.tolist()), tuple(end.tolist())) == rise
    assert wrong > 50


@pytest.mark.parametrize("strict", [True, False])
def test_products_that_underflow_are_exact(strict):
    # Each product is 3/2 of the smallest float and rounds to two of them; their sum is exactly 3.
    plane = HalfPlane((3.0 * 2.0**-600, 3.0 * 2.0**-600), 3.0 * 2.0**-1074, strict)
    place = (2.0**-475, 2.0**-475)
    assert plane.contains(*place) is not strict
    assert plane.select(np.array([place])).tolist() == [not strict]

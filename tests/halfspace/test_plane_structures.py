"""What the classical structures of the plane promise alike: the exact set, and no surprises."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings

from sublinear_lib import predicates
from sublinear_lib.halfspace import ConvexLayers, PartitionTree
from tests.halfspace.oracle import as_lists, exact_sets
from tests.halfspace.plane import planar_problems

pytestmark = pytest.mark.either_way

STRUCTURES = {
    "layers": ConvexLayers,
    "tree": partial(PartitionTree, leaf_size=2),
    "tree of single points": partial(PartitionTree, leaf_size=1),
    "tree without boxes": partial(PartitionTree, leaf_size=8, boxes=False),
}
every_structure = pytest.mark.parametrize("make", STRUCTURES.values(), ids=STRUCTURES)


@every_structure
@settings(deadline=None, max_examples=60)
@given(problem=planar_problems())
def test_query_returns_exactly_the_rational_set(make, problem):
    points, normals, offsets, strict = problem
    hits = make(points).query_halfspace(normals, offsets, strict=strict)
    assert as_lists(hits) == exact_sets(points, None, normals, offsets, strict)


@every_structure
@pytest.mark.parametrize(
    ("m", "scale"),
    [
        *((m, 1.0) for m in (1, 2, 3, 4, 5, 8, 31, 32, 33, 34, 65, 129, 400)),
        (30, 2.0**1000),
        (30, 2.0**-1060),
    ],
)
def test_every_size_and_scale_is_exact(make, m, scale):
    # Rescaling by powers of two overflows, underflows or loses every filter.
    rng = np.random.default_rng(m)
    normals = np.vstack((rng.standard_normal((12, 2)), rng.integers(-2, 3, (12, 2)), [[0, 0]]))
    for points in (rng.standard_normal((m, 2)), rng.integers(-3, 4, (m, 2)).astype(float)):
        points = points * scale
        structure = make(points)
        for offset in (-2.0 * scale, 0.0, 0.5 * scale, scale, 3.0 * scale):
            for strict in (True, False):
                wanted = predicates.exceeds_many(points, None, normals, offset, strict=strict)
                hits = structure.query_halfspace(normals, offset, strict=strict)
                np.testing.assert_array_equal(hits.to_mask(m), wanted)


@every_structure
def test_it_copies_the_points_and_can_be_pickled(make):
    points = np.ones((4, 2))
    structure = make(points)
    points[:] = -1.0
    for each in (structure, pickle.loads(pickle.dumps(structure))):
        assert each.query_halfspace([[1.0, 1.0]], 1.0).counts.tolist() == [4]


@every_structure
@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([[1.0]], 0.0), {}, ValueError, r"normals must have shape \(q, 2\)"),
        (([[1.0, np.nan]], 0.0), {}, ValueError, "normals .* nan"),
        (([[1.0, 2.0]], [0.0, 1.0]), {}, ValueError, r"offsets .* shape \(1,\)"),
        (([[1.0, 2.0]], 0.0), {"strict": 1}, TypeError, "strict must be True or False"),
    ],
)
def test_a_refused_query_changes_nothing(make, arguments, options, error, message):
    structure = make([[1.0, 2.0], [3.0, 4.0]])
    before = pickle.dumps(structure)
    with pytest.raises(error, match=message):
        structure.query_halfspace(*arguments, **options)
    assert pickle.dumps(structure) == before

"""Everything that answers Definition 5.1 is exact on hostile numbers, whatever was done to it."""

from __future__ import annotations

import json
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import Phase

from benchmarks.reliability.damaging import fingerprint
from sublinear_lib.halfspace import HalfspaceHits, HalfspaceIndex, alive
from sublinear_lib.halfspace.aggregates import AggregateTree
from sublinear_lib.halfspace.arcs import ArcStabbing
from sublinear_lib.halfspace.cap import CapPrefix
from sublinear_lib.halfspace.engine import Engine
from sublinear_lib.halfspace.onion import ConvexLayers
from sublinear_lib.halfspace.partition_tree import PartitionTree
from sublinear_lib.halfspace.scan import Scan
from sublinear_lib.halfspace.tree import BoxTree
from tests.halfspace import fuzz, hostile
from tests.halfspace.oracle import score

pytestmark = pytest.mark.either_way


@pytest.mark.parametrize("structure", fuzz.STRUCTURES)
def test_any_history_is_answered_exactly(structure):
    long = structure.split("/")[0] in ("scan", "cap", "tree", "auto")
    fuzz.hold(structure, 8 if long else 40, 0)


@pytest.mark.parametrize("structure", [each for each in fuzz.STRUCTURES if "numpy" in each])
def test_a_long_life_is_answered_exactly(structure):
    fuzz.live(structure, 1, 120)


def test_a_cap_prefix_of_many_groups_is_exact(monkeypatch):
    for name, module in list(sys.modules.items()):  # compiled kernels read 64 places at once
        if name.startswith("sublinear_lib.halfspace") and hasattr(module, "GROUP"):
            monkeypatch.setattr(module, "GROUP", 4)
    monkeypatch.setattr("sublinear_lib.halfspace.kernels_numpy._BLOCK", 8)
    monkeypatch.setattr("sublinear_lib.halfspace.cap._SLACK", 8)
    fuzz.hold("cap/numpy", 8, 3)


# What it compares with


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("name", hostile.FAMILIES)
def test_the_truth_is_rational_arithmetic_on_every_family(name, biased):
    rng = np.random.default_rng(1)
    for d in (2, 3, 17):
        family = hostile.Family(name, d, d, biased)
        points, bias = family.draw(rng, 12)
        normals = hostile.draw_normals(rng, family, points, 10)
        normals = np.concatenate((normals, hostile.draw_slice(rng, points, 10)))
        offsets = hostile.draw_offsets(rng, points, bias, normals)
        signs = hostile.decide(points, bias, normals, offsets)
        for (i, r), sign in np.ndenumerate(signs):
            margin = score(points[r], 0.0 if bias is None else bias[r], normals[i])
            margin -= Fraction(float(offsets[i]))
            assert sign == (margin > 0) - (margin < 0), (i, r)


def test_many_offsets_tie_and_many_are_next_to_a_score():
    rng = np.random.default_rng(4)
    points, normals = rng.integers(-3, 4, (50, 3)) * 1.0, rng.integers(-3, 4, (400, 3)) * 1.0
    offsets = hostile.draw_offsets(rng, points, None, normals)
    scores = normals @ points.T
    assert (scores == offsets[:, None]).any(axis=1).mean() > 0.3
    for side in (-np.inf, np.inf):
        assert (np.nextafter(scores, side) == offsets[:, None]).any(axis=1).mean() > 0.02
    assert {0.0, hostile.LARGEST} <= set(np.abs(offsets).tolist())


def test_normals_reach_the_edge_of_what_passes_for_a_point_of_the_slice():
    rng = np.random.default_rng(3)
    for d in (2, 3, 65):
        points = rng.standard_normal((20, d))
        normals = hostile.draw_slice(rng, points, 300)
        index = HalfspaceIndex(points, domain="slice", kernels="numpy")
        assert index.count_halfspace(normals, 0.0).shape == (300,)
        assert np.abs(np.linalg.norm(normals, axis=1) - 1.0).max() > 5e-10


def test_a_fingerprint_sees_every_part():
    index = HalfspaceIndex(np.ones((5, 2)), kernels="numpy")
    seen = [fingerprint(index)]
    for change in (
        lambda: None,
        lambda: index._store._points.__setitem__((0, 0), -1.0),
        lambda: setattr(index._engine, "rebuilds", 1),
        lambda: setattr(index, "extra", None),
    ):
        change()
        seen.append(fingerprint(index))
    assert seen[0] == seen[1]
    assert all(seen[i] != seen[i + 1] for i in (1, 2, 3))


# What is wrong is found


def without_last(hits):
    """Drop the last id of the last query that has any."""
    if not len(hits.indices):
        return hits
    indptr = hits.indptr.copy()
    last = int(np.flatnonzero(np.diff(indptr))[-1])
    indptr[last + 1 :] -= 1
    return HalfspaceHits(indptr, np.delete(hits.indices, indptr[last + 1]))


def heavier(sums):
    sums.weight_sums[:] *= 1.0 + 1e-6
    return sums


def never_strict(original):
    return lambda self, normals, offsets, strict, *rest: original(
        self, normals, offsets, False, *rest
    )


def forgetful(original):
    """Leave out the last row of every move."""
    return lambda self, rows: original(self, rows[:-1]) if len(rows) > 1 else False


def changed(change):
    return lambda original: lambda *args, **options: change(original(*args, **options))


def traced(original):
    def remove(self, ids):
        self._engine.rebuilds += 1
        return original(self, ids)

    return remove


def warned(original):
    return lambda self, rows: np.float64(1e308) * np.float64(10.0) and original(self, rows)


PLANTED = [
    *((each, Engine, "query", changed(without_last)) for each in ("scan", "cap", "tree", "auto")),
    *((each, Engine, "query", never_strict) for each in ("scan", "cap", "tree", "auto")),
    ("scan", Engine, "count", never_strict),
    ("tree", Engine, "count", changed(lambda counts: counts + (counts == 3))),
    *((kind.name, kind, "_follow", forgetful) for kind in (Scan, CapPrefix, BoxTree)),
    ("scan", Engine, "remove", lambda original: lambda self, rows: None),
    ("tree", HalfspaceIndex, "remove", lambda original: lambda self, ids: None),
    ("tree", HalfspaceIndex, "remove", traced),
    ("scan", Scan, "_forget", warned),
    ("aggregates", AggregateTree, "aggregate_halfspace", changed(heavier)),
    ("layers", ConvexLayers, "query_halfspace", changed(without_last)),
    ("partition", PartitionTree, "query_halfspace", changed(without_last)),
    ("arcs", ArcStabbing, "query_halfspace", changed(without_last)),
    ("alive", alive, "alive_on_slice", changed(lambda ids: ids[1:])),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "owner", "method", "plant"), PLANTED)
def test_a_planted_error_is_found(name, owner, method, plant, monkeypatch):
    monkeypatch.setattr(owner, method, plant(getattr(owner, method)))
    (structure,) = {f"{name}/numpy", f"{name}/none"} & set(fuzz.STRUCTURES)
    with pytest.raises(Exception):  # noqa: B017 - of any kind, or several
        fuzz.hold(structure, 60, 1, phases=[Phase.generate], report_multiple_bugs=False)


# The command


def test_the_command_counts_what_it_compared(tmp_path):
    target = tmp_path / "fuzz.json"
    fuzz.main(["--queries", "500", "--seed", "3", "--only", "arcs/none", "--json", str(target)])
    record = json.loads(target.read_text(encoding="utf-8"))
    assert (record["seed"], record["mismatches"]) == (3, 0)
    assert record["queries"] == record["by_structure"]["arcs/none"]["queries"] >= 500
    assert record["queries"] == sum(record["by_family"].values()) < record["pairs"]
    assert record["versions"]["numpy"] == np.__version__
    first = fuzz.TALLY.copy()
    fuzz.main(["--queries", "500", "--seed", "3", "--only", "arcs/none"])
    assert first == fuzz.TALLY
    fuzz.main(["--lives", "2", "--steps", "30", "--only", "scan/numpy", "tree/numpy"])
    assert fuzz.TALLY["scan/numpy"]["steps"] == fuzz.TALLY["tree/numpy"]["steps"] == 60

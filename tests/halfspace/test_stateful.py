"""Whatever is done to an index, in whatever order, it stays exact; what it refuses leaves no trace.

The operations of Algorithm 2 and everything else that the facade offers, beside a dictionary from
ids to points that is asked in rational arithmetic.  Hypothesis keeps the histories short, and
shrinks those that fail; ``python -m benchmarks.fuzz --steps 1e5`` plays the long ones.
"""

from __future__ import annotations

import copy
import pickle
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from benchmarks.fuzz import fingerprint
from sublinear_lib.halfspace import HalfspaceIndex, cap, kernels_numpy, scan
from sublinear_lib.halfspace.cap import CapPrefix
from sublinear_lib.halfspace.engine import Engine
from sublinear_lib.halfspace.tree import BoxTree
from tests.halfspace.invariants import check_cap, check_tree
from tests.halfspace.oracle import (
    LATTICE,
    SLICE_ENGINE_IDS,
    SLICE_ENGINES,
    TAME,
    WILD,
    as_lists,
    inside,
    score,
    slice_normals,
)

pytestmark = pytest.mark.either_way

D = 3
NUMBERS = st.one_of(LATTICE, LATTICE, TAME, WILD)
VECTOR = st.tuples(*[NUMBERS] * D)
POINTS = st.lists(st.tuples(VECTOR, NUMBERS), max_size=30)


def matrix(rows):
    return np.array(rows, dtype=np.float64).reshape(-1, D)


class AnyHistory(RuleBasedStateMachine):
    """An index, and a dictionary from ids to points."""

    method = "auto"
    kernels = "auto"

    @initialize(
        points=POINTS,
        biased=st.booleans(),
        leaf_size=st.sampled_from([1, 2, 3, 64]),
        on_slice=st.booleans(),
    )
    def build(self, points, biased, leaf_size, on_slice):
        self.biased = biased
        self.domain = "slice" if on_slice or self.method == "cap" else None
        self.model = {i: (p, b if biased else 0.0) for i, (p, b) in enumerate(points)}
        self.given_out = len(points)
        self.index = HalfspaceIndex(
            matrix([p for p, _ in points]),
            np.array([b for _, b in points]) if biased else None,
            method=self.method,
            domain=self.domain,
            kernels=self.kernels,
            leaf_size=leaf_size,
        )

    # -- changes

    def biases(self, numbers):
        return np.array(numbers, dtype=np.float64) if self.biased else None

    @rule(new=POINTS)
    def insert(self, new):
        ids = self.index.insert(matrix([p for p, _ in new]), self.biases([b for _, b in new]))
        assert ids.tolist() == list(range(self.given_out, self.given_out + len(new)))
        self.given_out += len(new)
        for i, (p, b) in zip(ids.tolist(), new, strict=True):
            self.model[i] = (p, b if self.biased else 0.0)

    @precondition(lambda self: self.model)
    @rule(data=st.data(), many=st.booleans())
    def remove(self, data, many):
        ids = data.draw(st.permutations(sorted(self.model)))
        gone = ids[: len(ids) - 1 if many else 2]
        self.index.remove(gone)
        for i in gone:
            del self.model[i]

    @precondition(lambda self: self.model)
    @rule(
        data=st.data(), new=st.lists(st.tuples(VECTOR, NUMBERS), max_size=12), biased=st.booleans()
    )
    def update(self, data, new, biased):
        ids = data.draw(st.permutations(sorted(self.model)))[: len(new)]
        new = new[: len(ids)]
        biases = self.biases([b for _, b in new]) if biased else None
        self.index.update(ids, matrix([p for p, _ in new]), biases)
        for i, (p, b) in zip(ids, new, strict=True):
            self.model[i] = (p, self.model[i][1] if biases is None else b)

    @rule()
    def rebuild(self):
        self.index.rebuild()

    @rule(way=st.sampled_from(["pickle", "deepcopy", "shallow", "copy", "file"]))
    def go_on_with_a_copy(self, way):
        before = fingerprint(self.index)
        if way == "pickle":
            other = pickle.loads(pickle.dumps(self.index))
        elif way == "deepcopy":
            other = copy.deepcopy(self.index)
        elif way == "shallow":
            other = copy.copy(self.index)
        elif way == "copy":
            other = self.index.copy()
        else:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "index.npz"
                self.index.save(path)
                other = HalfspaceIndex.load(path, kernels=self.kernels)
        assert fingerprint(self.index) == before, f"{way} changed the index"
        old, self.index = self.index, other
        other.insert(np.ones((1, D)), self.biases([1.0]))
        other.remove([self.given_out])
        self.given_out += 1
        assert fingerprint(old) == before, f"what {way} made shares memory with the index"

    # -- questions

    def questions(self, data):
        if self.domain is None:
            normals = matrix(data.draw(st.lists(VECTOR, max_size=3)))
        else:
            normals = data.draw(st.integers(0, 3).flatmap(lambda q: slice_normals(q, D)))
        offsets = []
        for normal in normals:
            offset = data.draw(NUMBERS)
            if self.model and data.draw(st.booleans()):
                exact = score(*self.model[data.draw(st.sampled_from(sorted(self.model)))], normal)
                if abs(exact) < 2**1023:
                    offset = float(exact)
            offsets.append(offset)
        return normals, np.array(offsets, dtype=np.float64)

    def wanted(self, normals, offsets, strict):
        return [
            [i for i in sorted(self.model) if inside(*self.model[i], normal, offset, strict)]
            for normal, offset in zip(normals, offsets, strict=True)
        ]

    @rule(data=st.data(), strict=st.booleans())
    def query(self, data, strict):
        normals, offsets = self.questions(data)
        wanted = self.wanted(normals, offsets, strict)
        assert as_lists(self.index.query_halfspace(normals, offsets, strict=strict)) == wanted
        counts = self.index.count_halfspace(normals, offsets, strict=strict)
        assert counts.tolist() == [len(ids) for ids in wanted]

    @rule(data=st.data(), strict=st.booleans())
    def mask(self, data, strict):
        normals, offsets = self.questions(data)
        table = self.index.mask_halfspace(normals, offsets, strict=strict)
        assert table.shape == (len(normals), self.given_out)
        found = [np.flatnonzero(row).tolist() for row in table]
        assert found == self.wanted(normals, offsets, strict)

    @rule(data=st.data(), strict=st.booleans(), room=st.integers(0, 3))
    def query_into_a_buffer(self, data, strict, room):
        normals, offsets = self.questions(data)
        wanted = self.wanted(normals, offsets, strict)
        needed = sum(map(len, wanted))
        buffer = np.full(needed + room, -1, dtype=np.int32)
        hits = self.index.query_halfspace(
            normals, offsets, strict=strict, out=buffer, sort_results=False
        )
        assert [sorted(ids) for ids in as_lists(hits)] == wanted
        if needed:
            assert np.shares_memory(hits.indices, buffer)
            with pytest.raises(ValueError, match=str(needed)):
                self.index.query_halfspace(
                    normals, offsets, strict=strict, out=buffer[: needed - 1]
                )

    @rule(data=st.data(), strict=st.booleans())
    def sum(self, data, strict):
        normals, offsets = self.questions(data)
        weights = np.arange(len(self.model)) * 2.0**-60
        sums = self.index.aggregate_halfspace(normals, offsets, weights, strict=strict)
        wanted = self.wanted(normals, offsets, strict)
        place = {i: k for k, i in enumerate(sorted(self.model))}
        assert sums.counts.tolist() == [len(ids) for ids in wanted]
        # Sums of small integers times one power of two are exact in any order.
        assert sums.weight_sums.tolist() == [
            sum(place[i] for i in ids) * 2.0**-60 for ids in wanted
        ]

    # -- what must be refused

    def bad_calls(self, data):
        """Return calls that the index must refuse, as it is now."""
        good = [[0.75**0.5, 0.0, 0.5]]
        number = data.draw(st.sampled_from([np.nan, np.inf, -np.inf]))
        bad = [[0.0, number, 0.5]]
        bias = self.biases([0.0])
        calls = [
            ("query_halfspace", (bad, 0.0), {}),
            ("query_halfspace", ([[0.75**0.5, 0.5]], 0.0), {}),
            ("query_halfspace", (good, number), {}),
            ("query_halfspace", (good, [0.0, 0.0]), {}),
            ("query_halfspace", (good, 0.0), {"strict": 1}),
            ("query_halfspace", (good, 0.0), {"out": np.empty(9)}),
            ("query_halfspace", (good, 0.0), {"out": [0] * 9}),
            ("count_halfspace", ([["1", "2", "3"]], 0.0), {}),
            ("mask_halfspace", (bad, 0.0), {}),
            ("aggregate_halfspace", (good, 0.0, [1.0] * (len(self.model) + 1)), {}),
            ("aggregate_halfspace", (good, 0.0, [number] * max(1, len(self.model))), {}),
            ("insert", (bad, bias), {}),
            ("insert", ([[1.0, 2.0]], bias), {}),
            ("insert", (good, None if self.biased else [0.0]), {}),
            ("insert", ([[True, False, True]], bias), {}),
            ("remove", ([self.given_out],), {}),
            ("remove", ([-1],), {}),
            ("remove", ([0.0],), {}),
            ("update", ([self.given_out], good), {}),
            ("save", (Path("no such folder") / "index.npz",), {}),
        ]
        if self.domain is not None:
            calls += [
                ("query_halfspace", ([[1.0, 0.0, 0.0]], 0.0), {}),
                ("count_halfspace", ([[0.75**0.5, 0.0, 0.5 + 2e-9]], 0.0), {}),
            ]
        if self.model:
            one = data.draw(st.sampled_from(sorted(self.model)))
            calls += [
                ("remove", ([one, one],), {}),
                ("remove", ([one, self.given_out],), {}),
                ("update", ([one], bad), {}),
                ("update", ([one], good * 2), {}),
                ("update", ([one, one], good * 2), {}),
                ("update", ([one], good, [number]), {}),
            ]
        gone = sorted(set(range(self.given_out)) - set(self.model))
        if gone:
            one = data.draw(st.sampled_from(gone))
            calls += [("remove", ([one],), {}), ("update", ([one], good), {})]
        return calls

    @rule(data=st.data())
    def be_asked_what_it_must_refuse(self, data):
        name, arguments, options = data.draw(st.sampled_from(self.bad_calls(data)))
        before = fingerprint(self.index)
        with pytest.raises((TypeError, ValueError, OSError)):
            getattr(self.index, name)(*arguments, **options)
        assert fingerprint(self.index) == before, f"{name}{arguments} left a trace"

    @invariant()
    def the_index_knows_its_points(self):
        if hasattr(self, "index"):
            assert self.index.ids.tolist() == sorted(self.model)
            assert len(self.index) == self.index.stats().m == len(self.model)
            assert self.index.id_bound == self.given_out
            if isinstance(self.index._engine, BoxTree):
                check_tree(self.index._engine)
            if isinstance(self.index._engine, CapPrefix):
                check_cap(self.index._engine)


@pytest.mark.parametrize(("method", "kernels"), SLICE_ENGINES, ids=SLICE_ENGINE_IDS)
def test_any_history_leaves_the_index_exact(method, kernels):
    play(method, kernels)


def test_any_history_leaves_a_cap_prefix_of_many_groups_exact(monkeypatch):
    for module in (cap, scan, kernels_numpy):  # compiled kernels read 64 places at once
        monkeypatch.setattr(module, "GROUP", 4)
    monkeypatch.setattr(kernels_numpy, "_BLOCK", 8)
    monkeypatch.setattr(cap, "_SLACK", 8)
    play("cap", "numpy")


def play(method, kernels):
    """Run many histories."""
    case = type("AnyHistory", (AnyHistory,), {"method": method, "kernels": kernels}).TestCase
    case.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
    case().runTest()


@pytest.mark.thorough
@pytest.mark.parametrize("operation", ["insert", "remove", "update"])
def test_an_engine_that_misses_a_change_is_found(operation, monkeypatch):
    monkeypatch.setattr(Engine, operation, lambda self, rows: None)
    case = type("AnyHistory", (AnyHistory,), {"method": "scan", "kernels": "numpy"}).TestCase
    case.settings = settings(
        max_examples=200,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        report_multiple_bugs=False,
    )
    with pytest.raises((AssertionError, ValueError, IndexError)) as found:
        case().runTest()
    # the index itself may be the first to notice: its answer is longer than the right one
    complained = "out must have room for all ids" in str(found.value)
    assert complained or isinstance(found.value, AssertionError | IndexError)

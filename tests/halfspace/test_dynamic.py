"""Any history of insertions, removals and moves leaves the index exact, for every engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from sublinear_lib.halfspace import HalfspaceIndex, blocks, cap, kernels_numpy
from sublinear_lib.halfspace.cap import CapPrefix
from sublinear_lib.halfspace.tree import BoxTree
from tests.halfspace.invariants import check_cap, check_tree
from tests.halfspace.oracle import (
    ENGINE_IDS,
    ENGINES,
    KERNELS,
    LATTICE,
    TAME,
    WILD,
    as_lists,
    inside,
    score,
    slice_normals,
)

pytestmark = pytest.mark.either_way

D = 2
NUMBERS = st.one_of(LATTICE, LATTICE, TAME, WILD)
VECTOR = st.tuples(*[NUMBERS] * D)


class History(RuleBasedStateMachine):
    """An index beside a dictionary from ids to points."""

    method = "auto"
    kernels = "auto"
    domain = None
    normals = st.lists(VECTOR, min_size=1, max_size=3).map(np.array)

    @initialize(
        points=st.lists(st.tuples(VECTOR, NUMBERS), max_size=40),
        biased=st.booleans(),
        leaf_size=st.sampled_from([1, 2, 8]),
    )
    def build(self, points, biased, leaf_size):
        self.biased = biased
        self.model = {i: (p, b if biased else 0.0) for i, (p, b) in enumerate(points)}
        self.given_out = len(points)
        self.index = HalfspaceIndex(
            np.array([p for p, _ in points]).reshape(-1, D),
            np.array([b for _, b in points]) if biased else None,
            method=self.method,
            domain=self.domain,
            kernels=self.kernels,
            leaf_size=leaf_size,
        )

    def biases(self, numbers):
        return np.array(numbers) if self.biased else None

    @rule(new=st.lists(st.tuples(VECTOR, NUMBERS), min_size=1, max_size=30))
    def insert(self, new):
        points = np.array([p for p, _ in new])
        ids = self.index.insert(points, self.biases([b for _, b in new]))
        assert ids.tolist() == list(range(self.given_out, self.given_out + len(new)))
        self.given_out += len(new)
        for i, (p, b) in zip(ids.tolist(), new, strict=True):
            self.model[i] = (p, b if self.biased else 0.0)

    @precondition(lambda self: self.model)
    @rule(data=st.data(), many=st.booleans())
    def remove(self, data, many):
        ids = sorted(self.model)
        size = st.integers(1, len(ids) if many else min(3, len(ids)))
        gone = data.draw(st.permutations(ids))[: data.draw(size)]
        self.index.remove(gone)
        for i in gone:
            del self.model[i]

    @precondition(lambda self: self.model)
    @rule(data=st.data(), everything=st.booleans(), with_bias=st.booleans())
    def update(self, data, everything, with_bias):
        ids = data.draw(st.permutations(sorted(self.model)))
        ids = ids if everything else ids[:3]
        moved = data.draw(
            st.lists(st.tuples(VECTOR, NUMBERS), min_size=len(ids), max_size=len(ids))
        )
        with_bias &= self.biased
        biases = np.array([b for _, b in moved]) if with_bias else None
        self.index.update(ids, np.array([p for p, _ in moved]), biases)
        for i, (p, b) in zip(ids, moved, strict=True):
            self.model[i] = (p, b if with_bias else self.model[i][1])

    @rule(data=st.data(), strict=st.booleans())
    def query(self, data, strict):
        normals = data.draw(self.normals)
        offsets = []
        for normal in normals:
            offset = data.draw(NUMBERS)
            if self.model and data.draw(st.booleans()):
                exact = score(*self.model[data.draw(st.sampled_from(sorted(self.model)))], normal)
                if abs(exact) < 2**1023:
                    offset = float(exact)
            offsets.append(offset)
        wanted = [
            [i for i in sorted(self.model) if inside(*self.model[i], normal, offset, strict)]
            for normal, offset in zip(normals, offsets, strict=True)
        ]
        hits = self.index.query_halfspace(normals, offsets, strict=strict)
        assert as_lists(hits) == wanted
        counts = self.index.count_halfspace(normals, offsets, strict=strict)
        assert counts.tolist() == [len(ids) for ids in wanted]

    @invariant()
    def the_index_knows_its_points(self):
        if not hasattr(self, "index"):
            return
        assert self.index.ids.tolist() == sorted(self.model)
        assert len(self.index) == self.index.stats().m == len(self.model)
        if isinstance(self.index._engine, BoxTree):
            check_tree(self.index._engine)
        if isinstance(self.index._engine, CapPrefix):
            check_cap(self.index._engine)


@pytest.mark.parametrize(("method", "kernels"), ENGINES, ids=ENGINE_IDS)
def test_any_history_leaves_the_index_exact(method, kernels):
    play({"method": method, "kernels": kernels})


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("group", ["whole", "small"])
def test_any_history_leaves_the_cap_prefix_exact(kernels, group, monkeypatch):
    if group == "small":  # so that a history of this length fills many
        if kernels == "numba":
            pytest.skip("compiled kernels read 64 places at once")
        for module in (cap, blocks, kernels_numpy):
            monkeypatch.setattr(module, "GROUP", 4)
        monkeypatch.setattr(kernels_numpy, "_BLOCK", 8)
        monkeypatch.setattr(cap, "_SLACK", 8)
    normals = slice_normals(3, D)
    play({"method": "cap", "kernels": kernels, "domain": "slice", "normals": normals})


def play(attributes):
    """Run many histories."""
    case = type("History", (History,), attributes).TestCase
    case.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
    case().runTest()

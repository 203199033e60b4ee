"""Random histories of everything that answers Definition 5.1, each answer compared with the truth.

``python -m tests.halfspace.fuzz --queries 1e7 --seed 1`` goes round all structures until so many
half-spaces were compared; ``--lives 5 --steps 2500`` lets one structure live long instead.
Hypothesis draws the histories and shrinks one that fails; the numbers in them come from seeds, so
`play` repeats what it prints.  Warnings are errors.
"""

from __future__ import annotations

import argparse
import copy
import json
import pickle
import platform
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from datetime import UTC, datetime
from fractions import Fraction
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from benchmarks.reliability.damaging import fingerprint
from sublinear_lib._extras import installed_version
from sublinear_lib.halfspace import (
    AggregateTree,
    ArcStabbing,
    ConvexLayers,
    HalfspaceHits,
    HalfspaceIndex,
    PartitionTree,
    alive,
)
from sublinear_lib.halfspace.cap import CapPrefix
from sublinear_lib.halfspace.tree import BoxTree
from tests.halfspace import hostile
from tests.halfspace.invariants import check_cap, check_tree
from tests.halfspace.oracle import KERNELS

TALLY = defaultdict(Counter)
"""What was compared, by structure; under ``by_family`` and ``operations``, what with and how."""
SEEDS = st.integers(0, 2**32 - 1)
SIZES = (62, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1023, 1025, 2047, 2049, 4097)
LEAF_SIZES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000, 10**6)
USUAL = st.integers(3, 256)
CASES = st.fixed_dictionaries(
    {
        "family": st.sampled_from(hostile.FAMILIES),
        "seed": SEEDS,
        "m": st.integers(0, 2) | USUAL | USUAL | USUAL | st.sampled_from(SIZES),
        "d": st.sampled_from([1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8, 17, 33, 65]),
        "biased": st.booleans(),
        "leaf_size": st.sampled_from(LEAF_SIZES),
        "on_slice": st.booleans(),
    }
)
settings.register_profile(
    "fuzz", deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=False
)


class Structure:
    """Points of a family, and what is asked about them.

    A `query` draws half-spaces, compares all answers and returns the true signs.
    """

    operations = ("query",)

    def __init__(self, name, kernels, case, *, d, most=3000, biased=None):
        self.name, self.kernels, self.case, self.d = name, kernels, case, d
        m = min(case["m"], most, 64 if case["family"] in hostile.SLOW else 10**4)
        biased = case["biased"] if biased is None else biased
        self.family = hostile.Family(case["family"], case["seed"], d, biased)
        self.points, self.bias = self.family.draw(np.random.default_rng([case["seed"], 2]), m)

    def question(self, rng, most, on_slice=False):
        """Return normals, offsets and the signs of all pairs."""
        q = int(rng.integers(1, most + 1))
        if on_slice:
            normals = hostile.draw_slice(rng, self.points, q)
        else:
            normals = hostile.draw_normals(rng, self.family, self.points, q)
        offsets = hostile.draw_offsets(rng, self.points, self.bias, normals)
        return normals, offsets, hostile.decide(self.points, self.bias, normals, offsets)

    def at_one_level(self, rng, X):
        """Return a level at or beside the value of some point, and the signs of all at X."""
        level = float(hostile.draw_offsets(rng, self.points, self.bias, X[:1])[0])
        return level, hostile.decide(self.points, self.bias, X, np.full(len(X), level))

    def weights(self, rng, size):
        small = 2.0**-60 if self.case["family"] in hostile.LARGE else 1.0
        return rng.choice([-1.0, 0.5, 3.0], size) * small

    def check(self):
        """Look at what must hold after any operation."""


class Index(Structure):
    """A `HalfspaceIndex`, beside the arrays of its live points in the order of their ids."""

    operations = (
        *(["query"] * 6),
        *("insert", "insert", "remove", "remove", "update", "update", "refuse", "renew", "imitate"),
    )

    def __init__(self, name, kernels, case):
        self.on_slice = case["on_slice"] or name == "cap"
        super().__init__(name, kernels, case, d=max(case["d"], 1 + self.on_slice))
        self.ids = np.arange(len(self.points))
        self.given_out = len(self.points)
        self.index = HalfspaceIndex(
            self.points,
            self.bias,
            method=name,
            kernels=kernels,
            domain="slice" if self.on_slice else None,
            leaf_size=case["leaf_size"],
        )

    def query(self, rng):
        m = len(self.ids) + 1
        slow = self.case["family"] in hostile.SLOW
        most = min(2048, (2**14 if slow else 2**18) // m, 2**21 // (m * self.d))
        most = max(1, most if rng.random() < 0.4 else min(most, 16))
        normals, offsets, signs = self.question(rng, most, self.on_slice)
        if rng.random() < 0.1:
            normals = np.asfortranarray(normals)
        offset = float(offsets[0]) if (offsets == offsets[0]).all() else offsets
        for strict, inside in ((True, signs > 0), (False, signs >= 0)):
            hits = self.index.query_halfspace(normals, offset, strict=strict)
            hostile.assert_hits(hits, inside, self.ids)
            form = rng.choice(["counted", "masked", "unsorted", "into_buffer", "summed"])
            getattr(self, form)(rng, (normals, offset), {"strict": strict}, inside)
        return signs

    def counted(self, rng, asked, options, inside):
        assert self.index.count_halfspace(*asked, **options).tolist() == inside.sum(axis=1).tolist()

    def masked(self, rng, asked, options, inside):
        mask = self.index.mask_halfspace(*asked, **options)
        assert mask.shape == (len(inside), self.given_out)
        hostile.assert_hits(HalfspaceHits.from_mask(mask), inside, self.ids)

    def unsorted(self, rng, asked, options, inside):
        hits = self.index.query_halfspace(*asked, sort_results=False, **options)
        order = np.lexsort((hits.indices, np.repeat(np.arange(len(hits)), hits.counts)))
        hostile.assert_hits(HalfspaceHits(hits.indptr, hits.indices[order]), inside, self.ids)

    def into_buffer(self, rng, asked, options, inside):
        needed = int(inside.sum())
        out = np.full(needed + int(rng.choice([0, 1, 1000])), -7, dtype=np.int32)
        hits = self.index.query_halfspace(*asked, out=out, **options)
        hostile.assert_hits(hits, inside, self.ids)
        if needed:
            assert np.shares_memory(hits.indices, out)
            with pytest.raises(ValueError, match=str(needed)):
                self.index.query_halfspace(*asked, out=out[: needed - 1], **options)

    def summed(self, rng, asked, options, inside):
        weights = self.weights(rng, len(self.ids))
        if np.abs(self.points).max(initial=0.0) < 2.0**1000 or self.case["family"] in hostile.LARGE:
            sums = self.index.aggregate_halfspace(*asked, weights, **options)
            assert_sums(sums, inside, self.points, self.bias, weights)

    def some(self, rng):
        """Choose live points: a few, half, all or all but one."""
        m = len(self.ids)
        many = [rng.integers(0, 8), m // 2, m, max(0, m - 1)]
        return rng.permutation(m)[: rng.choice(many, p=[0.75, 0.15, 0.05, 0.05])]

    def insert(self, rng):
        size = int(rng.choice([0, 1, 2, 3, 17, 64, 65, min(300, len(self.ids))]))
        points, bias = self.family.draw(rng, size if len(self.ids) < 5000 else 0)
        ids = self.index.insert(points, bias)
        assert ids.tolist() == list(range(self.given_out, self.given_out + len(points)))
        self.given_out += len(points)
        self.ids = np.append(self.ids, ids)
        self.points = np.concatenate((self.points, points))
        self.bias = None if bias is None else np.append(self.bias, bias)

    def remove(self, rng):
        places = self.some(rng)
        self.index.remove(self.ids[places])
        self.ids, self.points = np.delete(self.ids, places), np.delete(self.points, places, axis=0)
        self.bias = None if self.bias is None else np.delete(self.bias, places)

    def update(self, rng, places=None):
        places = self.some(rng) if places is None else places
        points, bias = self.family.draw(rng, len(places))
        if rng.random() < 0.5:  # a step of their own, small or large
            factor = 2.0 ** rng.choice([-600.0, -30.0, -3.0, 3.0, 30.0, 600.0])
            drift = rng.choice([0.0, 1e-16, 1e-7, 1e-2]) * rng.uniform(-0.5, 0.5, points.shape)
            with np.errstate(over="ignore", under="ignore"):
                points = self.points[places] * (factor if rng.random() < 0.5 else 1.0 + drift)
            points = np.clip(points, -hostile.LARGEST, hostile.LARGEST)
        bias = None if rng.random() < 0.4 else bias
        self.index.update(self.ids[places], points, bias)
        self.points[places] = points
        if bias is not None:
            self.bias[places] = bias

    def renew(self, rng):
        """Move all points, or rebuild."""
        if rng.random() < 0.3:
            self.index.rebuild()
        else:
            self.update(rng, np.arange(len(self.ids)))

    def imitate(self, rng):
        """Go on with a copy; what happens to it must not touch the original."""
        old, before = self.index, fingerprint(self.index)
        with tempfile.TemporaryDirectory() as folder:
            old.save(Path(folder) / "index.npz")
            read = HalfspaceIndex.load(Path(folder) / "index.npz", kernels=self.kernels)
        shallow, deep = copy.copy(old), copy.deepcopy(old)
        copies = [read, shallow, deep, old.copy(), pickle.loads(pickle.dumps(old))]
        self.index = copies[rng.integers(len(copies))]
        self.insert(rng)
        self.remove(rng)
        assert fingerprint(old) == before

    def refuse(self, rng):
        """Call with bad input, which must leave no trace."""
        d, new = self.d, self.given_out
        good, number = [[*[0.0] * (d - 1), 0.5]], rng.choice([np.nan, np.inf, -np.inf])
        bad, bias = [[*[number] * (d - 1), number]], None if self.bias is None else [0.0]
        calls = [
            *(("query_halfspace", bad, 0.0), ("query_halfspace", [[0.5] * (d + 1)], 0.0)),
            *(("query_halfspace", good, number), ("query_halfspace", good, [0.0, 0.0])),
            *(("count_halfspace", good, number), ("mask_halfspace", [["1"] * d], 0.0)),
            ("aggregate_halfspace", good, 0.0, [1.0] * (len(self.ids) + 1)),
            *(("insert", bad, bias), ("insert", [[1.0] * (d + 1)], bias)),
            *(("insert", [[True] * d], bias), ("insert", good, None if bias else [0.0])),
            *(("remove", [new]), ("remove", [-1]), ("remove", [0.5]), ("update", [new], good)),
            ("save", Path("no such folder") / "index.npz"),
        ]
        if self.on_slice:
            calls.append(("query_halfspace", [[*[0.0] * (d - 1), 1.0]], 0.0))
        for one in self.ids[rng.integers(0, len(self.ids), 1)].tolist() if len(self.ids) else ():
            calls += [("remove", [one, one]), ("remove", [one, new]), ("update", [one], bad)]
            calls += [("update", [one, one], good * 2), ("update", [one], good, [np.nan])]
        for one in np.setdiff1d(np.arange(new), self.ids)[:1].tolist():
            calls += [("remove", [one]), ("update", [one], good)]
        name, *arguments = calls[rng.integers(len(calls))]
        before = fingerprint(self.index)
        with pytest.raises((TypeError, ValueError, OSError)):
            getattr(self.index, name)(*arguments)
        assert fingerprint(self.index) == before, f"{name}{arguments} left a trace"

    def check(self):
        assert np.array_equal(self.index.ids, self.ids)
        assert len(self.index) == self.index.stats().m == len(self.ids)
        assert self.index.id_bound == self.given_out
        for kind, invariants in ((BoxTree, check_tree), (CapPrefix, check_cap)):
            if isinstance(self.index._engine, kind) and len(self.ids) < 300:
                invariants(self.index._engine)


class Sums(Structure):
    """An `AggregateTree`."""

    operations = ("query", "update")

    def __init__(self, name, kernels, case):
        super().__init__(name, kernels, case, d=case["d"])
        self.own = self.weights(np.random.default_rng(case["seed"]), len(self.points))
        self.tree = AggregateTree(
            self.points, self.own, self.bias, leaf_size=case["leaf_size"], kernels=kernels
        )

    def query(self, rng):
        m = len(self.points) + 1
        normals, offsets, signs = self.question(rng, max(1, min(256, 2**16 // m)))
        for strict, inside in ((True, signs > 0), (False, signs >= 0)):
            bounds = bool(rng.random() < 0.7)
            sums = self.tree.aggregate_halfspace(normals, offsets, strict=strict, bounds=bounds)
            assert (sums.point_errors is not None) == bounds
            assert_sums(sums, inside, self.points, self.bias, self.own)
        return signs

    def update(self, rng):
        m = len(self.points)
        chosen = rng.permutation(m)[: rng.choice([0, 1, 5, m // 2, m])]
        points, bias = self.family.draw(rng, len(chosen))
        self.tree.update(chosen, points, bias=bias)
        self.points[chosen] = points
        if bias is not None:
            self.bias[chosen] = bias


class Plane(Structure):
    """`ConvexLayers` or a `PartitionTree`."""

    def __init__(self, name, kernels, case):
        super().__init__(name, kernels, case, d=2, most=256, biased=False)
        if name == "layers":
            self.structure = ConvexLayers(self.points)
        else:
            size, boxes = case["leaf_size"], case["on_slice"]
            self.structure = PartitionTree(self.points, leaf_size=size, boxes=boxes)

    def query(self, rng):
        normals, offsets, signs = self.question(rng, 48)
        for strict, inside in ((True, signs > 0), (False, signs >= 0)):
            hits = self.structure.query_halfspace(normals, offsets, strict=strict)
            hostile.assert_hits(hits, inside)
        return signs


class Arcs(Structure):
    """An `ArcStabbing` structure for each threshold."""

    def __init__(self, name, kernels, case):
        super().__init__(name, kernels, case, d=2 + (case["d"] > 2), most=256)

    def query(self, rng):
        X = hostile.draw_slice(rng, self.points, int(rng.integers(1, 49)))
        tau, signs = self.at_one_level(rng, X)
        structure = ArcStabbing(self.points, self.bias, tau=tau)
        hostile.assert_hits(structure.query_halfspace(X, tau), signs > 0)
        hostile.assert_hits(structure.query_halfspace(X, tau, strict=False), signs >= 0)
        return signs


class Alive(Structure):
    """What `alive_on_slice` says; X itself is the query."""

    def __init__(self, name, kernels, case):
        super().__init__(name, kernels, case, d=max(case["d"], 2), most=100)

    def query(self, rng):
        X = hostile.draw_slice(rng, self.points, 32)
        tau, signs = self.at_one_level(rng, X)
        sides = np.array([[self.side(r, tau) for r in range(len(self.points))]], dtype=np.int8)
        exact = alive.alive_on_slice(self.points, self.bias, tau=tau, tolerance=0.0)
        near = alive.alive_on_slice(self.points, self.bias, tau=tau)
        assert exact.tolist() == np.flatnonzero(sides[0] > 0).tolist()
        assert {*exact.tolist(), *np.nonzero(signs > 0)[1].tolist()} <= set(near.tolist())
        return sides

    def side(self, r, tau):
        """Return the sign of the largest value of a neuron on X, minus tau."""
        *first, last = map(Fraction, self.points[r].tolist())
        missing = Fraction(tau) - last / 2 - (0 if self.bias is None else Fraction(self.bias[r]))
        square = 3 * sum(value * value for value in first) - 4 * missing * missing
        return 1 if missing < 0 else (square > 0) - (square < 0)


def assert_sums(sums, inside, points, bias, weights):
    """Compare counts, and sums within the errors of both ways, or within the bounds returned."""
    assert sums.counts.tolist() == inside.sum(axis=1).tolist()
    with np.errstate(under="ignore"):
        products = weights[:, None] * np.column_stack((points, weights if bias is None else bias))
        products[:, -1] *= bias is not None
        table = np.column_stack((weights, products))
        sizes = inside @ np.abs(table)
        off = np.column_stack((sums.weight_sums, sums.point_sums, sums.bias_sums)) - inside @ table
    errors = (len(points) + 100) * 2.0**-50 * sizes
    if sums.point_errors is not None:
        bounds = sums.weight_errors, sums.point_errors, sums.bias_errors
        errors = np.column_stack(bounds) + (len(points) + 4) * 2.0**-52 * sizes
    assert (np.abs(off) <= errors + 2.0**-1000).all()


KINDS = {
    **dict.fromkeys(("scan", "cap", "tree", "auto"), Index),
    **{"aggregates": Sums, "layers": Plane, "partition": Plane},
    **{"arcs": Arcs, "alive": Alive},
}
STRUCTURES = [
    f"{name}/{kernels}"
    for name, kind in KINDS.items()
    for kernels in (KERNELS if kind in (Index, Sums) else ["none"])
]
"""What is tried, as ``structure/kernels``."""


def play(structure, case, steps):
    """Play a history: operations, each with the seed of its numbers."""
    name, kernels = structure.split("/")
    tally = TALLY[structure]
    thing = KINDS[name](name, kernels, case)
    tally["cases"] += 1
    for number in (0, 1):
        tally[f"cases of {number} points"] += len(thing.points) == number
    for operation, number in steps:
        signs = getattr(thing, operation)(np.random.default_rng(number))
        thing.check()
        tally["steps"] += 1
        TALLY["operations"][operation] += 1
        if signs is not None:  # asked for > and for >=
            ties = signs.size - np.count_nonzero(signs)
            tally.update(queries=2 * len(signs), pairs=2 * signs.size, ties=int(ties))
            TALLY["by_family"][case["family"]] += 2 * len(signs)


def hold(structure, examples, number, **options):
    """Try a structure with random histories."""
    kind = KINDS[structure.split("/")[0]]
    step = st.tuples(st.sampled_from(kind.operations), SEEDS)
    steps = st.lists(step, min_size=4, max_size=12)
    if kind is Index:
        steps = steps | st.lists(step, min_size=40, max_size=80)

    @seed(number)
    @settings(settings.get_profile("fuzz"), max_examples=examples, **options)
    @given(structure=st.just(structure), case=CASES, steps=steps)
    def exact(structure, case, steps):
        play(structure, case, steps)

    exact()


def live(structure, number, steps):
    """Let a structure live long, with few half-spaces at a time."""
    rng = np.random.default_rng(number)
    kind = KINDS[structure.split("/")[0]]
    case = {"family": rng.choice(hostile.FAMILIES), "seed": number, "m": int(rng.integers(1, 300))}
    case |= {"d": int(rng.integers(1, 9)), "leaf_size": int(rng.choice(LEAF_SIZES))}
    case |= {"biased": bool(rng.integers(2)), "on_slice": bool(rng.integers(2))}
    drawn = zip(rng.choice(kind.operations, steps), rng.integers(0, 2**32, steps), strict=True)
    play(structure, case, list(drawn))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--queries", type=float, default=1e5, help="how many half-spaces")
    parser.add_argument("--seed", type=int, default=0, help="of all histories")
    parser.add_argument("--only", nargs="+", choices=STRUCTURES, default=STRUCTURES)
    parser.add_argument(
        "--lives", type=int, default=0, help="of each structure, instead of queries"
    )
    parser.add_argument("--steps", type=int, default=2500, help="in each of these lives")
    parser.add_argument("--json", type=Path, help="where to store what was compared")
    asked = parser.parse_args(arguments)
    TALLY.clear()
    begun, total = time.monotonic(), Counter()
    enough = False
    for number in range(asked.lives) if asked.lives else count():
        for place, structure in enumerate(asked.only):
            if asked.lives:
                live(structure, asked.seed * 1000 + number, asked.steps)
                continue
            hold(structure, 5, (asked.seed * 10**6 + number) * 100 + place)
            total = sum((TALLY[each] for each in asked.only), Counter())
            if enough := total["queries"] >= asked.queries:
                break
        total = sum((TALLY[each] for each in asked.only), Counter())
        print(f"{total['queries']} queries, {total['cases']} histories, none wrong", flush=True)
        if enough:
            break
    none = dict.fromkeys(("cases", "steps", "queries", "pairs", "ties", "mismatches"), 0)
    packages = {name: installed_version(name) for name in ("sublinear-lib", "numpy", "numba")}
    record = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {"python": platform.python_version(), **packages},
        "seed": asked.seed,
        "seconds": time.monotonic() - begun,
        **{**none, **total},
        **{name: dict(sorted(TALLY[name].items())) for name in ("operations", "by_family")},
        "by_structure": {each: {**none, **TALLY[each]} for each in asked.only if TALLY[each]},
    }
    if asked.json:
        asked.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    warnings.simplefilter("error")
    main()

"""Random histories of a `HalfspaceIndex`, each answer compared with real arithmetic.

A history draws a configuration (Definition 5.1 with every option of the facade), then operations:
QUERY in all its forms, INSERT, REMOVE, UPDATE (Algorithm 2), copies, and calls that must be refused
and leave the index as it was.  Beside the index stands the plainest model there is: the arrays of
the live points in the order of their ids.  Most histories are a few operations with hundreds of
half-spaces each, the others hundreds of operations with a few half-spaces each.

Before changing the order in which numbers are drawn, know that a case is replayed from its seed
only: a recorded reproducer belongs to the version of the library that printed it.
"""

from __future__ import annotations

import copy
import pickle
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from benchmarks.fuzz import families
from benchmarks.fuzz.exact import Truth, decide
from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.halfspace.index import HalfspaceIndex
from sublinear_lib.halfspace.protocol import HalfspaceHits

_MOST_POINTS = 5000
_MOST_PAIRS, _MOST_PRODUCTS = 2**18, 2**21
# Families of which a large share of all pairs ties, or must be settled exactly because the numbers
# differ too much in size: that is what takes the time.
_SLOW = ("signed zeros", "denormal", "duplicates", "hyperplane", "neighbors", "mixed")
_SLOW_POINTS, _SLOW_PAIRS, _MANY_SETTLED = 64, 2**14, 1000
_SHOWN = 6
LARGE = ("huge", "mixed", "one huge")
"""Families whose numbers leave no room for sums, unless the weights are small."""
_ATTEMPTS = 500
_SIZES = (62, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1023, 1024, 1025, 2047, 2049)
_LEAF_SIZES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000, 10**6)


class Mismatch(AssertionError):
    """An answer that is not the set of real arithmetic, or a call that broke its promise."""


@dataclass(frozen=True)
class Step:
    """What one operation of a case has checked.

    - ``name``: The operation.
    - ``queries``: Half-spaces asked for.
    - ``pairs``: Pairs of half-spaces and points compared.
    - ``ties``: Pairs with the point exactly on the hyperplane.
    - ``exact``: Pairs that the oracle had to decide in integers.
    """

    name: str
    queries: int = 0
    pairs: int = 0
    ties: int = 0
    exact: int = 0


def draw_sizes(rng: np.random.Generator, *, planar: bool = False) -> tuple[int, int]:
    """Draw a number of points and a dimension: mostly small, and where structures change."""
    kind = rng.random()
    if kind < 0.08:
        m = int(rng.integers(0, 3))
    elif kind < 0.2:
        m = int(rng.integers(3, 16))
    elif kind < 0.82 or planar:
        m = int(rng.integers(16, 257))
    elif kind < 0.92:
        m = int(rng.choice(_SIZES))
    else:
        m = int(rng.integers(257, 3001))
    if planar:
        return m, 2
    if kind > 0.99:  # where the index begins to add up whole subtrees
        return int(rng.integers(4090, 4200)), int(rng.integers(1, 5))
    low, high = (
        (1, 1), (2, 2), (3, 3), (4, 4), (5, 8), (9, 32), (33, 65)
    )[rng.choice(7, p=[0.12, 0.22, 0.22, 0.12, 0.17, 0.1, 0.05])]  # fmt: skip
    return m, int(rng.integers(low, high + 1))


class IndexHistory:
    """A random history of one index.

    - ``rng``: Where all numbers of the case come from.
    - ``engine``: The engine.
    - ``kernels``: The inner loops.
    """

    def __init__(self, rng: np.random.Generator, engine: str, kernels: str) -> None:
        self._rng = rng
        m, d = draw_sizes(rng)
        self._long = bool(rng.random() < 0.4)
        if self._long:
            m = min(m, 300)
        biased = bool(rng.random() < 0.5)
        on_slice = engine == "cap" or rng.random() < 0.35
        if on_slice:
            d = max(d, 2)
        self._family = families.draw_family(rng, d + biased, biased=biased)
        self._most_pairs = _MOST_PAIRS
        if self._family.name in _SLOW and rng.random() < 0.9:
            m, self._most_pairs = min(m, _SLOW_POINTS), _SLOW_PAIRS
        self._biased = biased
        self._d = d
        near = [size for size in (m - 1, m, m + 1) if size >= 1]
        self._options: dict[str, Any] = {
            "method": engine,
            "kernels": kernels,
            "domain": "slice" if on_slice else None,
            "leaf_size": int(rng.choice([*_LEAF_SIZES, *near])),
        }
        self._points, self._bias = self._draw(m)
        self._ids = np.arange(m)
        self._next_id = m
        self.configuration: dict[str, Any] = {
            "m": m,
            "d": d,
            "biased": biased,
            "family": self._family.name,
            **self._options,
        }
        self._index: Any = None

    def play(self) -> Iterator[Step]:
        """Build the index, then operate on it."""
        rng = self._rng
        length = int(rng.integers(60, 201) if self._long else rng.integers(4, 13))
        yield from self._played(length)
        yield self._query()

    def live(self, operations: int) -> Iterator[Step]:
        """Build the index, then operate on it for long, with few half-spaces at a time."""
        self._long = True
        yield from self._played(operations - 1)

    def _played(self, length: int) -> Iterator[Step]:
        rng = self._rng
        self._index = HalfspaceIndex(self._points, self._bias, **self._options)
        yield Step("build")
        operations: list[Callable[[], Step]] = [
            self._query,
            self._insert,
            self._remove,
            self._update,
            self._refuse,
            self._copy,
            self._renew,
        ]
        share = [0.4, 0.15, 0.15, 0.18, 0.04, 0.03, 0.05]
        if not self._long:
            share = [0.56, 0.1, 0.1, 0.12, 0.04, 0.03, 0.05]
        for _ in range(length):
            step = operations[rng.choice(len(operations), p=share)]()
            self._take_stock()
            yield step

    # -- QUERY ---------------------------------------------------------------------------------

    def _query(self) -> Step:
        rng, m = self._rng, len(self._ids)
        most = 16
        if not self._long:
            most = min(2048, self._most_pairs // (m + 1), _MOST_PRODUCTS // ((m + 1) * self._d))
        q = int(rng.integers(max(1, most // 4), max(2, most + 1)))
        if rng.random() < 0.01:
            q = 0
        if self._options["domain"] is None:
            normals = families.draw_normals(rng, self._family, self._points, self._d, q)
        else:
            normals = families.draw_slice(rng, self._points, self._d, q)
        offsets = families.draw_offsets(rng, self._points, self._bias, normals)
        truth = decide(self._points, self._bias, normals, offsets)
        given: Any = offsets
        if q and (offsets == offsets[0]).all() and rng.random() < 0.7:
            given = float(offsets[0])
        normals = _disguised(rng, normals)
        # Where thousands of pairs must be settled exactly, that is all the time goes into.
        both = truth.exact < _MANY_SETTLED
        for strict in (True, False) if both else (bool(rng.random() < 0.5),):
            self._ask(normals, given, offsets, strict, truth)
        asked = 2 * q if both else q
        return Step("query", asked, asked * m, truth.ties, truth.exact)

    def _ask(
        self, normals: FloatArray, given: Any, offsets: FloatArray, strict: bool, truth: Truth
    ) -> None:
        """Ask one batch in several ways."""
        rng, index = self._rng, self._index
        inside = truth.inside(strict)
        wanted = np.count_nonzero(inside, axis=1)

        def fail(how: str, query: int, text: str) -> NoReturn:
            where = self._explain(normals[query], offsets[query], strict, inside[query])
            raise Mismatch(f"{how}: {text}\n{where}")

        def check(found: HalfspaceHits, how: str) -> None:
            problem = compare(found, inside, self._ids)
            if problem is not None:
                fail(how, *problem)

        options: dict[str, Any] = {"strict": strict}
        check(index.query_halfspace(normals, given, **options), f"query_halfspace({options})")
        many = truth.exact >= _MANY_SETTLED
        if rng.random() < (0.1 if many else 0.3):
            counts = index.count_halfspace(normals, given, **options)
            if counts.dtype != np.int64 or not np.array_equal(counts, wanted):
                query = int(np.argmax(counts != wanted))
                fail(
                    "count_halfspace",
                    query,
                    f"query {query} counts {counts[query]} points instead of {wanted[query]}",
                )
        if rng.random() < (0.1 if many else 0.35):
            self._ask_otherwise(normals, given, options, inside, check)

    def _ask_otherwise(
        self,
        normals: FloatArray,
        given: Any,
        options: dict[str, Any],
        inside: BoolArray,
        check: Callable[[HalfspaceHits, str], None],
    ) -> None:
        """Ask for the same in one of the other forms of an answer."""
        rng, index = self._rng, self._index
        form = rng.choice(["mask", "unsorted", "buffer", "sums"])
        if form == "mask":
            mask = index.mask_halfspace(normals, given, **options)
            if mask.shape != (len(inside), self._next_id):
                raise Mismatch(f"mask_halfspace: shape {mask.shape}, ids below {self._next_id}")
            check(HalfspaceHits.from_mask(mask), "mask_halfspace")
        elif form == "unsorted":
            hits = index.query_halfspace(normals, given, sort_results=False, **options)
            check(_ascending(hits), "query_halfspace(sort_results=False)")
        elif form == "buffer":
            needed = int(np.count_nonzero(inside))
            buffer = np.full(needed + int(rng.choice([0, 1, 1000])), -7, dtype=np.int32)
            hits = index.query_halfspace(normals, given, out=buffer, **options)
            check(hits, "query_halfspace(out=...)")
            if needed and not np.shares_memory(hits.indices, buffer):
                raise Mismatch("query_halfspace(out=...): the ids are not in the buffer")
            if needed:
                try:
                    index.query_halfspace(normals, given, out=buffer[: needed - 1], **options)
                except ValueError as error:
                    if str(needed) not in str(error):
                        raise Mismatch(f"out is {needed} too short: {error}") from error
                else:
                    raise Mismatch(f"a buffer of {needed - 1} took {needed} ids")
        else:
            self._check_sums(normals, given, options["strict"], inside)

    def _check_sums(self, normals: FloatArray, given: Any, strict: bool, inside: BoolArray) -> None:
        """Compare sums over half-spaces with a matrix product, within the error of both."""
        m = len(self._ids)
        weights = self._rng.choice([-1.0, 0.5, 3.0], m)
        if self._family.name in LARGE:
            weights *= 2.0**-60
        with np.errstate(over="ignore", under="ignore"):
            columns = [weights, *(weights * column for column in self._points.T)]
            columns.append(weights * (0.0 if self._bias is None else self._bias))
        table = np.column_stack(columns)
        sizes = np.abs(table)
        if m and not sizes.max() < 2.0**980:
            return
        sums = self._index.aggregate_halfspace(normals, given, weights, strict=strict)
        wrong = np.flatnonzero(sums.counts != np.count_nonzero(inside, axis=1))
        if len(wrong):
            raise Mismatch(f"aggregate_halfspace: counts of queries {_few(wrong)} are wrong")
        chosen = inside.astype(np.float64)
        found = np.column_stack((sums.weight_sums, sums.point_sums, sums.bias_sums))
        with np.errstate(under="ignore"):
            bound = (m + 100) * 2.0**-50 * (chosen @ sizes) + 2.0**-1000
            off = np.abs(found - chosen @ table)
        if not (off <= bound).all():
            query, column = map(int, np.argwhere(~(off <= bound))[0])
            raise Mismatch(
                f"aggregate_halfspace: column {column} of query {query} is off by "
                f"{off[query, column]!r}, more than {bound[query, column]!r}"
            )

    def _explain(self, normal: FloatArray, offset: float, strict: bool, inside: BoolArray) -> str:
        """Describe a wrong query, as a program of its own where a fresh index is wrong as well."""
        text = (
            f"normal {normal.tolist()}, offset {float(offset)!r}, strict={strict}, "
            f"{len(self._ids)} points"
        )
        reduced = _reduced(
            lambda rows: _wrong(self._points[rows], self._bias_of(rows), self._options)(
                normal, offset, strict
            ),
            len(self._ids),
        )
        if reduced is None:
            return text + "\na fresh index of these points is right: it takes the whole history"
        points, bias = self._points[reduced], self._bias_of(reduced)
        if len(reduced) > 64:
            return text + f"\na fresh index of {len(reduced)} of these points is wrong as well"
        made = [repr(points.tolist()), *([] if bias is None else [repr(bias.tolist())])]
        made += [f"{name}={value!r}" for name, value in self._options.items()]
        wanted = np.flatnonzero(inside[reduced]).tolist()
        return text + (
            "\nfrom sublinear_lib.halfspace import HalfspaceIndex\n"
            f"index = HalfspaceIndex({', '.join(made)})\n"
            f"hits = index.query_halfspace([{normal.tolist()!r}], {float(offset)!r}, "
            f"strict={strict})\n"
            f"assert hits[0].tolist() == {wanted}, hits[0]"
        )

    # -- INSERT, REMOVE, UPDATE ----------------------------------------------------------------

    def _insert(self) -> Step:
        rng, m = self._rng, len(self._ids)
        few = int(rng.choice([0, 1, 2, 3, 17, 64, 65]))
        count = int(rng.integers(0, m + 20)) if rng.random() < 0.15 else few
        count = max(0, min(count, _MOST_POINTS - m))
        points, bias = self._draw(count)
        ids = self._index.insert(points, bias)
        wanted = np.arange(self._next_id, self._next_id + count)
        if not np.array_equal(ids, wanted):
            raise Mismatch(f"insert: ids {ids.tolist()} instead of {wanted.tolist()}")
        self._next_id += count
        self._ids = np.concatenate((self._ids, wanted))
        self._points = np.concatenate((self._points, points))
        if self._bias is not None and bias is not None:
            self._bias = np.concatenate((self._bias, bias))
        return Step("insert")

    def _remove(self) -> Step:
        places = self._some()
        self._index.remove(self._ids[places])
        kept = np.ones(len(self._ids), dtype=np.bool_)
        kept[places] = False
        self._ids, self._points = self._ids[kept], self._points[kept]
        self._bias = None if self._bias is None else self._bias[kept]
        return Step("remove")

    def _update(self) -> Step:
        rng = self._rng
        places = self._some() if rng.random() < 0.7 else rng.permutation(len(self._ids))
        kind = rng.random()
        if kind < 0.5:
            points, bias = self._draw(len(places))
        else:
            bias = self._bias_of(places)
            factor: FloatArray | float = 2.0 ** int(rng.choice([-600, -30, -3, 3, 30, 600]))
            if kind < 0.75:  # a small step, or none
                drift = float(rng.choice([0.0, 1e-16, 1e-7, 1e-2]))
                factor = 1.0 + drift * rng.uniform(-0.5, 0.5, (len(places), self._d))
            with np.errstate(over="ignore", under="ignore"):
                points = self._points[places] * factor
        points = np.clip(points, -families.LARGEST, families.LARGEST)
        if rng.random() < 0.4:
            bias = None
        self._index.update(self._ids[places], points, bias)
        self._points[places] = points
        if self._bias is not None and bias is not None:
            self._bias[places] = bias
        return Step("update")

    def _some(self) -> IntArray:
        """Choose live points in any order: a few, half, all or all but one."""
        m = len(self._ids)
        kind = self._rng.random()
        if kind < 0.75:
            count = int(self._rng.integers(0, 8))
        elif kind < 0.92:
            count = m // 2
        else:
            count = m - int(self._rng.integers(0, 2))
        chosen = self._rng.permutation(m)[: max(0, min(count, m))]
        return np.sort(chosen) if self._rng.random() < 0.5 else chosen

    # -- everything else -----------------------------------------------------------------------

    def _take_stock(self) -> None:
        """Compare the ids with those that should be there."""
        index = self._index
        if not np.array_equal(index.ids, self._ids) or len(index) != len(self._ids):
            raise Mismatch(f"ids: {index.ids.tolist()} instead of {self._ids.tolist()}")
        if index.id_bound != self._next_id:
            raise Mismatch(f"id_bound: {index.id_bound} instead of {self._next_id}")

    def _copy(self) -> Step:
        """Go on with a copy of the index."""
        way = self._rng.choice(["pickle", "deepcopy", "copy", "file"])
        if way == "pickle":
            self._index = pickle.loads(pickle.dumps(self._index))
        elif way == "deepcopy":
            self._index = copy.deepcopy(self._index)
        elif way == "copy":
            self._index = self._index.copy()
        else:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "index.npz"
                self._index.save(path)
                self._index = HalfspaceIndex.load(path, kernels=self._options["kernels"])
        return Step(str(way))

    def _renew(self) -> Step:
        """Move all points at once, or rebuild."""
        if self._rng.random() < 0.3:
            self._index.rebuild()
            return Step("rebuild")
        points, bias = self._draw(len(self._ids))
        if self._rng.random() < 0.3:
            bias = None
        self._index.update(self._ids, points, bias)
        self._points = points
        self._bias = self._bias if bias is None else bias
        return Step("refit")

    def _refuse(self) -> Step:
        """Call with bad input; the index must refuse and stay as it was, to the last byte."""
        rng, d = self._rng, self._d
        good = [[0.0] * d]
        bias = [0.0] if self._biased else None
        bad_point = [[0.0] * d]
        bad_point[0][int(rng.integers(d))] = float(rng.choice([np.nan, np.inf, -np.inf]))
        calls: list[tuple[str, tuple[Any, ...]]] = [
            ("query_halfspace", (bad_point, 0.0)),
            ("query_halfspace", ([[0.0] * (d + 1)], 0.0)),
            ("query_halfspace", (good, [0.0, 0.0])),
            ("count_halfspace", (good, np.nan)),
            ("mask_halfspace", ([["1"] * d], 0.0)),
            ("aggregate_halfspace", (good, 0.0, [0.0] * (len(self._ids) + 1))),
            ("insert", (bad_point, bias)),
            ("insert", ([[0.0] * (d + 1)], bias)),
            ("insert", (good, None if self._biased else [0.0])),
            ("remove", ([self._next_id],)),
            ("remove", ([-1],)),
            ("remove", ([0.5],)),
            ("update", ([self._next_id], good)),
        ]
        if self._options["domain"] is not None:
            calls.append(("query_halfspace", ([[0.0] * (d - 1) + [1.0]], 0.0)))
        if len(self._ids):
            one = int(rng.choice(self._ids))
            calls += [
                ("remove", ([one, one],)),
                ("update", ([one], bad_point)),
                ("update", ([one, one], good * 2)),
                ("update", ([one], good, [np.nan])),
            ]
        gone = np.setdiff1d(np.arange(self._next_id), self._ids)
        if len(gone):
            one = int(rng.choice(gone))
            calls += [("remove", ([one],)), ("update", ([one], good))]
        name, arguments = calls[rng.integers(len(calls))]
        before = fingerprint(self._index)
        try:
            getattr(self._index, name)(*arguments)
        except (TypeError, ValueError):
            pass
        else:
            raise Mismatch(f"{name}{arguments} was not refused")
        if fingerprint(self._index) != before:
            raise Mismatch(f"{name}{arguments} was refused, but changed the index")
        return Step("refused call")

    def _draw(self, count: int) -> tuple[FloatArray, FloatArray | None]:
        rows = self._family.rows(count)
        if self._biased:
            return rows[:, :-1].copy(), rows[:, -1].copy()
        return rows, None

    def _bias_of(self, rows: IntArray) -> FloatArray | None:
        return None if self._bias is None else self._bias[rows]


def compare(
    hits: HalfspaceHits, inside: BoolArray, ids: IntArray | None = None
) -> tuple[int, str] | None:
    """Compare an answer with the truth."""
    rows = np.nonzero(inside)[1]
    wanted = rows if ids is None else ids[rows]
    indptr = np.concatenate(([0], np.cumsum(np.count_nonzero(inside, axis=1))))
    if np.array_equal(hits.indptr, indptr) and np.array_equal(hits.indices, wanted):
        if hits.indptr.dtype == np.int64 and hits.indices.dtype == np.int32:
            return None
        return 0, f"dtypes {hits.indptr.dtype} and {hits.indices.dtype}"
    if len(hits) != len(inside):
        return 0, f"{len(hits)} answers to {len(inside)} queries"
    for query in range(len(inside)):
        found, right = hits[query], wanted[indptr[query] : indptr[query + 1]]
        if not np.array_equal(found, right):
            missing, extra = np.setdiff1d(right, found), np.setdiff1d(found, right)
            if not len(missing) and not len(extra):
                return query, f"query {query} has its ids out of order or twice"
            return query, (
                f"query {query} misses {len(missing)} ids {_few(missing)} and has "
                f"{len(extra)} too many {_few(extra)}"
            )
    return 0, "indptr and indices do not belong together"


def fingerprint(thing: object) -> object:
    """Return all that an object is made of, down to the last byte, in a form that can be compared.

    Examples
    --------
    >>> fingerprint({"a": np.array([0.0])}) == fingerprint({"a": np.array([-0.0])})
    False
    """
    if isinstance(thing, np.ndarray):
        return (thing.dtype.str, thing.shape, thing.tobytes())
    if thing is None or isinstance(thing, (bool, int, float, str, bytes, complex, np.generic)):
        return repr(thing)
    if isinstance(thing, dict):
        return ("dict", [(repr(key), fingerprint(value)) for key, value in thing.items()])
    if isinstance(thing, (list, tuple)):
        return (type(thing).__name__, [fingerprint(part) for part in thing])
    if isinstance(thing, (set, frozenset)):
        return ("set", sorted(map(repr, thing)))
    kind = type(thing).__qualname__
    attributes = dict(getattr(thing, "__dict__", {}))
    for owner in type(thing).__mro__:
        for name in getattr(owner, "__slots__", ()):
            if hasattr(thing, name):
                attributes[name] = getattr(thing, name)
    return (kind, fingerprint(attributes))


def _ascending(hits: HalfspaceHits) -> HalfspaceHits:
    """Return the same answer with the ids of each query in order."""
    queries = np.repeat(np.arange(len(hits)), hits.counts)
    ordered = hits.indices[np.lexsort((hits.indices, queries))]
    return HalfspaceHits(hits.indptr, ordered)


def _few(ids: IntArray) -> str:
    shown = ids[:_SHOWN].tolist()
    return str(shown) if len(ids) <= _SHOWN else f"{str(shown)[:-1]}, ...]"


def _disguised(rng: np.random.Generator, normals: FloatArray) -> FloatArray:
    """Return the same numbers, sometimes in another layout in memory."""
    kind = rng.random()
    if kind < 0.05:
        return np.asfortranarray(normals)
    if kind < 0.1:
        return np.repeat(normals, 2, axis=0)[::2]
    return normals


def _wrong(
    points: FloatArray, bias: FloatArray | None, options: dict[str, Any]
) -> Callable[[FloatArray, float, bool], bool]:
    """Return a function that says whether a fresh index answers one query wrongly."""

    def asked(normal: FloatArray, offset: float, strict: bool) -> bool:
        normals, offsets = normal[None, :], np.array([offset])
        inside = decide(points, bias, normals, offsets).inside(strict)
        try:
            index = HalfspaceIndex(points, bias, **options)
            if compare(index.query_halfspace(normals, offsets, strict=strict), inside) is not None:
                return True
            counts = index.count_halfspace(normals, offsets, strict=strict)
            return bool(counts[0] != inside.sum())
        except Exception:  # an answer that cannot be given is wrong, whatever the reason
            return True

    return asked


def _reduced(wrong: Callable[[IntArray], bool], m: int) -> IntArray | None:
    """Return few rows that still show an error, or nothing if all rows together do not."""
    rows = np.arange(m)
    if not wrong(rows):
        return None
    attempts, size = _ATTEMPTS, max(1, m // 2)
    while size and attempts:
        start = 0
        while start < len(rows) and attempts:
            attempts -= 1
            fewer = np.delete(rows, slice(start, start + size))
            if wrong(fewer):
                rows = fewer
            else:
                start += size
        size //= 2
    return rows

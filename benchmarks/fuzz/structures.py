"""Random questions to the other structures of the room, each answer compared with real arithmetic.

`AggregateTree` must count exactly and keep its sums within the bounds that it states;
`CandidateLists` must report, at any point of a cap, the neurons that fire there, however the
weights have moved; the classical structures of Corollary 5.2 (`ConvexLayers`, `PartitionTree`,
`ArcStabbing`) must report the set of Definition 5.1; `alive_on_slice` must return exactly the
neurons that fire somewhere on X.  All but the first two are static: a case is one structure and a
few batches of questions.  The sums are compared with a matrix product whose own error,
``gamma_{m+2}`` times the sum of absolute values, is allowed for.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.fuzz import families
from benchmarks.fuzz.exact import Truth, decide
from benchmarks.fuzz.histories import LARGE, Mismatch, Step, compare, draw_sizes
from sublinear_lib import geometry
from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.halfspace.aggregates import AggregateTree, HalfspaceAggregates
from sublinear_lib.halfspace.alive import alive_on_slice
from sublinear_lib.halfspace.arcs import ArcStabbing
from sublinear_lib.halfspace.candidates import CandidateLists
from sublinear_lib.halfspace.onion import ConvexLayers
from sublinear_lib.halfspace.partition_tree import PartitionTree

_LARGEST_TOTAL = 2.0**990
_LEAF_SIZES = (1, 2, 7, 8, 9, 64, 1000)


class _Case:
    """Points of a family, and what is needed to ask about them.

    - ``rng``: Where all numbers of the case come from.
    - ``m``, ``d``: Sizes.
    - ``biased``: Whether the points have biases.
    """

    def __init__(self, rng: np.random.Generator, m: int, d: int, biased: bool) -> None:
        self._rng = rng
        self._family = families.draw_family(rng, d + biased, biased=biased)
        self._points, self._bias = self._draw(m, biased)
        self.configuration: dict[str, Any] = {
            "m": m,
            "d": d,
            "biased": biased,
            "family": self._family.name,
        }

    def _draw(self, count: int, biased: bool) -> tuple[FloatArray, FloatArray | None]:
        rows = self._family.rows(count)
        if biased:
            return rows[:, :-1].copy(), rows[:, -1].copy()
        return rows, None

    def _question(self, most: int) -> tuple[FloatArray, FloatArray, Truth]:
        """Draw normals anywhere and offsets, and decide them."""
        count = int(self._rng.integers(1, most + 1))
        d = self._points.shape[1]
        normals = families.draw_normals(self._rng, self._family, self._points, d, count)
        offsets = families.draw_offsets(self._rng, self._points, self._bias, normals)
        return normals, offsets, decide(self._points, self._bias, normals, offsets)

    def _described(self, normal: FloatArray, offset: float, strict: bool) -> str:
        bias = None if self._bias is None else self._bias.tolist()
        few = len(self._points) <= 64
        points = f"points {self._points.tolist()}, bias {bias}" if few else "replay for the points"
        return f"normal {normal.tolist()}, offset {float(offset)!r}, strict={strict}, {points}"


class PlanarCase(_Case):
    """Questions to `ConvexLayers` or to a `PartitionTree`.

    - ``rng``: Where all numbers of the case come from.
    - ``engine``: The structure.
    """

    def __init__(self, rng: np.random.Generator, engine: str) -> None:
        super().__init__(rng, *draw_sizes(rng, planar=True), biased=False)
        self._options: dict[str, Any] | None = None
        if engine == "partition":
            self._options = {
                "leaf_size": int(rng.choice(_LEAF_SIZES)),
                "boxes": bool(rng.random() < 0.5),
            }
            self.configuration |= self._options

    def play(self) -> Iterator[Step]:
        """Build the structure and ask."""
        structure: ConvexLayers | PartitionTree
        if self._options is None:
            structure = ConvexLayers(self._points)
        else:
            structure = PartitionTree(self._points, **self._options)
        yield Step("build")
        for _ in range(3):
            normals, offsets, truth = self._question(48)
            for strict in (True, False):
                hits = structure.query_halfspace(normals, offsets, strict=strict)
                problem = compare(hits, truth.inside(strict))
                if problem is not None:
                    query, text = problem
                    where = self._described(normals[query], offsets[query], strict)
                    raise Mismatch(f"query_halfspace: {text}\n{where}")
            yield Step("query", 2 * len(normals), 2 * truth.signs.size, truth.ties, truth.exact)


class ArcCase(_Case):
    """Questions to an `ArcStabbing` structure.

    - ``rng``: Where all numbers of the case come from.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        m, _ = draw_sizes(rng, planar=True)
        super().__init__(rng, m, int(rng.choice([2, 3, 3])), bool(rng.random() < 0.5))

    def play(self) -> Iterator[Step]:
        """Build structures for a few thresholds and ask."""
        rng, d = self._rng, self._points.shape[1]
        for _ in range(2):
            X = families.draw_slice(rng, self._points, d, int(rng.integers(1, 49)))
            tau = float(families.draw_offsets(rng, self._points, self._bias, X[:1])[0])
            self.configuration["tau"] = tau
            offsets = np.full(len(X), tau)
            truth = decide(self._points, self._bias, X, offsets)
            structure = ArcStabbing(self._points, self._bias, tau=tau)
            for strict in (True, False):
                problem = compare(structure.query(X, strict=strict), truth.inside(strict))
                if problem is not None:
                    query, text = problem
                    where = self._described(X[query], tau, strict)
                    raise Mismatch(f"query: {text}\n{where}")
            if structure.query_halfspace(X, tau) != structure.query(X):
                raise Mismatch("query_halfspace and query differ")
            yield Step("query", 2 * len(X), 2 * truth.signs.size, truth.ties, truth.exact)


class AliveCase(_Case):
    """Questions to `alive_on_slice`.

    - ``rng``: Where all numbers of the case come from.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        m, d = draw_sizes(rng)
        super().__init__(rng, min(m, 100), max(d, 2), bool(rng.random() < 0.5))

    def play(self) -> Iterator[Step]:
        """Ask with a few thresholds."""
        rng, (m, d) = self._rng, self._points.shape
        for _ in range(3):
            X = families.draw_slice(rng, self._points, d, 32)
            tau = float(families.draw_offsets(rng, self._points, self._bias, X[:1])[0])
            self.configuration["tau"] = tau
            sides = [self._side(r, tau) for r in range(m)]
            exact = alive_on_slice(self._points, self._bias, tau=tau, tolerance=0.0)
            wanted = [r for r, side in enumerate(sides) if side > 0]
            if exact.tolist() != wanted:
                wrong = set(exact.tolist()) ^ set(wanted)
                raise Mismatch(
                    f"alive_on_slice: tau {tau!r}, wrong neurons {sorted(wrong)}\n"
                    + self._described(X[0], tau, True)
                )
            near = alive_on_slice(self._points, self._bias, tau=tau)
            firing = decide(self._points, self._bias, X, np.full(len(X), tau)).inside(True)
            lost = np.setdiff1d(np.union1d(np.flatnonzero(firing.any(axis=0)), exact), near)
            if len(lost):
                raise Mismatch(
                    f"alive_on_slice: tau {tau!r}, neurons {lost.tolist()} fire at a point that "
                    f"passes for one of X\n{self._described(X[0], tau, True)}"
                )
            yield Step("query", 1, m, sides.count(0), m)

    def _side(self, r: int, tau: float) -> int:
        """Return the sign of the largest value of a neuron on X, minus tau."""
        *first, last = map(Fraction, self._points[r].tolist())
        bias = Fraction(0.0 if self._bias is None else float(self._bias[r]))
        missing = Fraction(tau) - last / 2 - bias
        square = 3 * sum((value * value for value in first), Fraction(0))
        if missing < 0:
            return 1
        needed = 4 * missing * missing
        return (square > needed) - (square < needed)


class AggregateHistory(_Case):
    """A random history of an `AggregateTree`.

    - ``rng``: Where all numbers of the case come from.
    - ``kernels``: The inner loops.
    """

    def __init__(self, rng: np.random.Generator, kernels: str) -> None:
        m, d = draw_sizes(rng)
        super().__init__(rng, m, d, bool(rng.random() < 0.5))
        self._weights = self._draw_weights(m)
        self._options: dict[str, Any] = {
            "leaf_size": int(rng.choice(_LEAF_SIZES)),
            "kernels": kernels,
        }
        self.configuration |= self._options

    def play(self) -> Iterator[Step]:
        """Build the tree, then ask and move points."""
        rng, m = self._rng, len(self._points)
        tree = AggregateTree(self._points, self._weights, self._bias, **self._options)
        yield Step("build")
        for _ in range(int(rng.integers(3, 9))):
            yield self._ask(tree)
            chosen = rng.permutation(m)[: int(rng.choice([0, 1, 5, m // 2, m]))]
            points, bias = self._draw(len(chosen), self._bias is not None)
            weights = self._draw_weights(len(chosen))
            tree.update(chosen, points, bias=bias, weights=weights)
            self._points[chosen], self._weights[chosen] = points, weights
            if self._bias is not None:
                self._bias[chosen] = bias
            yield Step("update")
        yield self._ask(tree)

    def _draw_weights(self, count: int) -> FloatArray:
        """Draw weights that are small enough for the points."""
        rng = self._rng
        weights: FloatArray = rng.standard_normal(count)
        if rng.random() < 0.5:
            weights = rng.choice([-1.0, 1.0], count)
        if self._family.name in LARGE:
            weights = weights * (_LARGEST_TOTAL / families.LARGEST / 2.0**14)
        return weights

    def _ask(self, tree: AggregateTree) -> Step:
        rng = self._rng
        m, d = self._points.shape
        most = max(1, min(256, 2**16 // (m + 1), 2**19 // ((m + 1) * d)))
        normals, offsets, truth = self._question(most)
        with np.errstate(under="ignore"):
            columns = [self._weights, *(self._weights * column for column in self._points.T)]
            columns.append(self._weights * (0.0 if self._bias is None else self._bias))
        table = np.column_stack(columns)
        for strict in (True, False):
            inside = truth.inside(strict)
            sums = tree.aggregate_halfspace(normals, offsets, strict=strict, bounds=True)
            wanted = np.count_nonzero(inside, axis=1)
            wrong = np.flatnonzero(sums.counts != wanted)
            if len(wrong):
                query = int(wrong[0])
                raise Mismatch(
                    f"aggregate_halfspace: query {query} counts {sums.counts[query]} points "
                    f"instead of {wanted[query]}\n"
                    + self._described(normals[query], offsets[query], strict)
                )
            self._compare_sums(sums, inside.astype(np.float64), table)
            if rng.random() < 0.3:
                plain = tree.aggregate_halfspace(normals, offsets, strict=strict)
                if not np.array_equal(plain.counts, wanted) or plain.point_errors is not None:
                    raise Mismatch("aggregate_halfspace: bounds=False changes the counts")
                self._compare_sums(plain, inside.astype(np.float64), table, sums)
        return Step("query", 2 * len(normals), 2 * truth.signs.size, truth.ties, truth.exact)

    def _compare_sums(
        self,
        found: HalfspaceAggregates,
        inside: FloatArray,
        table: FloatArray,
        bounded: HalfspaceAggregates | None = None,
    ) -> None:
        """Compare sums with a matrix product, within both error bounds."""
        bounds = found if bounded is None else bounded
        sums = np.column_stack((found.weight_sums, found.point_sums, found.bias_sums))
        errors = np.column_stack(
            [
                np.zeros((len(inside), 0)) if part is None else part
                for part in (bounds.weight_errors, bounds.point_errors, bounds.bias_errors)
            ]
        )
        with np.errstate(under="ignore"):
            own = (len(table) + 4) * 2.0**-52 * (inside @ np.abs(table)) + 2.0**-1000
            off = np.abs(sums - inside @ table)
            wrong = np.argwhere(~(off <= errors + own))
        if len(wrong):
            query, column = map(int, wrong[0])
            raise Mismatch(
                f"aggregate_halfspace: column {column} of query {query} is off by "
                f"{off[query, column]!r}, which is more than its bound {errors[query, column]!r}"
            )


class CandidateHistory(_Case):
    """A random training run of `CandidateLists`.

    - ``rng``: Where all numbers of the case come from.
    - ``kernels``: The inner loops.
    """

    def __init__(self, rng: np.random.Generator, kernels: str) -> None:
        m, d = draw_sizes(rng)
        super().__init__(rng, min(max(m, 1), 300), max(d, 2), bool(rng.random() < 0.5))
        m, d = self._points.shape
        n = int(rng.integers(1, 17))
        self._anchors = families.draw_slice(rng, self._points, d, n, exact=True)
        tau = float(families.draw_offsets(rng, self._points, self._bias, self._anchors[:1])[0])
        size = float(np.abs(self._points).max())
        skin: str | float = float(rng.choice([0.0, 1e-3, 0.3])) * min(size, 1e300)
        self._options: dict[str, Any] = {
            "radius": float(rng.choice([0.0, 1e-9, 0.05, 0.5, 2.0])),
            "threshold": tau,
            "skin": "auto" if rng.random() < 0.5 else skin,
            "method": str(rng.choice(["auto", "scan", "cap", "tree"])),
            "kernels": kernels,
        }
        self.configuration |= {"m": m, "d": d, "n": n, **self._options}

    def play(self) -> Iterator[Step]:
        """Make the lists, then ask and move neurons."""
        rng, (m, d) = self._rng, self._points.shape
        lists = CandidateLists(self._points, self._bias, self._anchors, **self._options)
        yield Step("build")
        for _ in range(int(rng.integers(3, 13))):
            yield self._ask(lists)
            chosen = rng.permutation(m)[: int(rng.choice([0, 1, 3, m // 2, m]))]
            if rng.random() < 0.3:
                values, _ = self._draw(len(chosen), self._bias is not None)
            else:
                drift = float(rng.choice([1e-16, 1e-6, 1e-3, 0.1]))
                steps = rng.uniform(-drift, drift, (len(chosen), d))
                with np.errstate(over="ignore", under="ignore"):
                    values = self._points[chosen] * (1.0 + steps)
                values = np.clip(values, -families.LARGEST, families.LARGEST)
            lists.advance(chosen, values)
            self._points[chosen] = values
            yield Step("advance")
            if rng.random() < 0.05:
                lists.rebuild()
                yield Step("rebuild")
        yield self._ask(lists)

    def _ask(self, lists: CandidateLists) -> Step:
        rng, options = self._rng, self._options
        q = int(rng.integers(1, 65))
        own = rng.integers(0, len(self._anchors), q)
        points = self._in_caps(own)
        offsets = np.full(q, options["threshold"])
        truth = decide(self._points, self._bias, points, offsets)
        for strict in (True, False):
            hits = lists.query(points, own, strict=strict)
            problem = compare(hits, truth.inside(strict))
            if problem is not None:
                query, text = problem
                where = self._described(points[query], offsets[query], strict)
                raise Mismatch(
                    f"query: {text}\nanchor {self._anchors[own[query]].tolist()}\n{where}"
                )
        return Step("query", 2 * q, 2 * truth.signs.size, truth.ties, truth.exact)

    def _in_caps(self, own: IntArray) -> FloatArray:
        """Draw points of the caps: the anchors, anywhere, and where some neuron is largest."""
        rng, radius = self._rng, float(self._options["radius"])
        points = self._anchors[own].copy()
        for i in np.flatnonzero(rng.random(len(own)) < 0.8).tolist():
            cap = geometry.Cap(self._anchors[own[i]], radius)
            neuron = self._points[rng.integers(0, len(self._points))]
            largest = float(np.abs(neuron).max())
            if rng.random() < 0.5 and largest > 1e-280:
                points[i] = cap.support(neuron[None, :] / largest)[1][0]
            else:
                points[i] = cap.random(1, rng)[0]
        return points

"""The cost model of ``method="auto"``: which engine an index holds, and when it takes another.

Every engine is exact, so the choice is about time only; Corollary 5.2 and Section 5.1 leave it
open.  An index holds one structure (two would need more memory than 2.5 times the points), and what
it costs to answer a query is modeled by a handful of constants (`Costs`, in nanoseconds):

* **scan**: every point is tested, ``m (pair + D coordinate)``, and its hits come in order, ``hit``
  each;
* **cap** (for normals on X): only the *surviving fraction* is tested, but the hits must be put in
  order, ``sorted_hit`` each, unless order is waived;
* **tree**: only the points of crossed blocks are tested, at ``crossed + D crossed_coordinate`` each
  with the boxes above them; the others cost nothing but their place in the answer.

**Before any query** nobody knows the activity.  The choice is made for queries that list one per
cent of the points: on X with ``d >= 3`` the cap prefix, which there never costs much more than a
scan (with ``d = 3`` up to 2**18 points); elsewhere the tree or the scan, whichever `per_query`
says, with the crossed fraction of points that fill ``D`` dimensions evenly, `crossed_fraction`.

**With the queries**, the model learns how many points they find, whether they list or only count
them and what share was tested (the engines count that anyway), and keeps an account: the time lost
against the engine that would have been best.  When the loss reaches what it costs to build that
engine, it is built.  This is the ski-rental rule: over any sequence of queries at most about twice
the time of the engine that suits them is spent.  The cap fraction for the offsets asked comes from
a sample of the bounds of the points, by binary search.  A call of thousands of queries is tried on
sixteen of them first, so that the account can act before it and not after.  Above about 10 to 25
per cent activity it is the scan that wins where hits are listed in order.

**The constants** of `DEFAULT_COSTS` were measured on one machine.  On another one, where the
ratios of the steps differ, the engine chosen may not be the fastest.  No clock is read, so that
equal calls choose equal engines, and no answer depends on any of this.

**The chooser**: when an index with ``method="auto"`` looks, and what it looks at.
:mod:`sublinear_lib.halfspace.cost_model` decides from numbers; `Chooser` collects them.  Readers
may come from several threads: counters may miss a query then, which costs nothing but a late
decision, and whoever finds another thread at the account goes on without waiting.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.halfspace.alive import slice_bounds
from sublinear_lib.halfspace.engine import Engine
from sublinear_lib.halfspace.kernels import KernelSet
from sublinear_lib.halfspace.protocol import HalfSpaces, PointStore

__all__ = ["Account", "Chooser", "Wish"]

_EXPECTED_ACTIVITY = 0.01
_SMALLEST = 512
# A structure is given up for fewer points only when another is so many times faster.
_RELUCTANCE = 1.5
# The account is settled after so many pairs of a query and a point.
_PAIRS_BETWEEN_LOOKS = 2**20
_LEAF = 64
# On X with d = 3 the compiled tree overtakes the cap prefix at 1 per cent beyond 2**18 points.
_LARGE = 2**18
# With fewer points than this, the engine first chosen is as good as any.
_FEWEST = 128


class Costs(NamedTuple):
    """What the steps of a query cost, in nanoseconds."""

    query: float
    """A query, whatever it asks, in a batch."""
    pair: float
    """Testing a point of a scan; in addition:"""
    coordinate: float
    """each of its coordinates."""
    crossed: float
    """Testing a point of a crossed block, with its share of the boxes above; in addition:"""
    crossed_coordinate: float
    """each of its coordinates."""
    counted_hit: float
    """Picking a hit out of the points that are tested, or out of a covered block to list it."""
    hit: float
    """Listing a hit of a scan, where hits come in order."""
    sorted_hit: float
    """Listing a hit of the other engines in order."""
    unsorted_hit: float
    """Listing a hit of the other engines in any order."""


DEFAULT_COSTS = {
    "numba": Costs(300.0, 0.10, 0.017, 0.22, 0.022, 0.0, 1.2, 3.0, 1.6),
    "numpy": Costs(1500.0, 0.60, 0.040, 5.0, 1.3, 9.0, 5.0, 11.0, 5.0),
}
"""By kernels: measured with one thread of a machine with AVX-512, batches of 64 to 256 queries."""

_BUILD = {"scan": 120.0, "cap": 450.0, "tree": 400.0}
"""Building an engine, in nanoseconds per point."""


class Problem(NamedTuple):
    """What is fixed about an index, apart from the numbers of its points."""

    kernels: str
    """The kernels in use, ``"numba"`` or ``"numpy"``."""
    dimension: int
    """Coordinates of a point, with the bias where it counts as one."""
    on_slice: bool
    """Whether the normals lie on X, so that there is a cap prefix."""

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines to choose from."""
        return ("scan", "tree", "cap") if self.on_slice else ("scan", "tree")


class Load(NamedTuple):
    """What queries ask for, on average."""

    activity: float = _EXPECTED_ACTIVITY
    """Share of the points that a query finds."""
    listed: float = 1.0
    """Share of the queries that list what they find and do not only count it."""
    in_order: float = 1.0
    """Share of these that want it in order."""


class Wish(NamedTuple):
    """What one call asks for."""

    listed: bool = True
    """Whether what is found is to be listed, and not only counted."""
    in_order: bool = False
    """Whether the list is to be in order."""


EXPECTED = Load()
"""What is expected before the first query."""


def crossed_fraction(m: int, dimension: int, activity: float) -> float:
    """Return the expected share of points in blocks of the tree that a hyperplane crosses."""
    blocks = max(1.0, m / _LEAF)
    side = min(activity, 1.0 - activity)
    shallow = min(math.cbrt(side / 0.01), 3.0)
    return min(1.0, (0.3 + 0.14 * dimension) * shallow * math.pow(blocks, -1.0 / dimension))


def surviving_fraction(bounds: FloatArray, offsets: FloatArray) -> float:
    """Return which share of the points can reach the offsets on X."""
    if not len(bounds) or not len(offsets):
        return 0.0
    return 1.0 - float(np.searchsorted(bounds, offsets).mean()) / len(bounds)


def per_query(
    costs: Costs, problem: Problem, engine: str, m: int, load: Load, tested: float
) -> float:
    """Return what a query is expected to cost."""
    hits = load.activity * m
    if engine == "scan":
        listing = costs.hit
    else:
        listing = load.in_order * costs.sorted_hit + (1.0 - load.in_order) * costs.unsorted_hit
    answer = hits * load.listed * listing
    if engine == "tree":
        point = costs.crossed + problem.dimension * costs.crossed_coordinate
        # Whole blocks are counted at once; half of what is tested is inside, if so much is.
        picked = load.listed * hits + (1.0 - load.listed) * min(hits, tested * m / 2.0)
        return costs.query + tested * m * point + picked * costs.counted_hit + answer
    point = costs.pair + problem.dimension * costs.coordinate
    places = 1.0 if engine == "scan" else tested
    return costs.query + places * m * point + hits * costs.counted_hit + answer


def first_choice(costs: Costs, problem: Problem, m: int, load: Load = EXPECTED) -> str:
    """Return the engine to hold while nothing is known about the offsets."""
    overtaken = m > _LARGE and problem.kernels == "numba"
    if problem.on_slice and problem.dimension > (3 if overtaken else 2):
        return "cap"
    if m < _SMALLEST:
        return "scan"
    crossed = crossed_fraction(m, problem.dimension, load.activity)
    tree = per_query(costs, problem, "tree", m, load, crossed)
    return "tree" if tree < per_query(costs, problem, "scan", m, load, 1.0) else "scan"


class Account:
    """What queries have cost, what they would have cost elsewhere, and the choice."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.load = EXPECTED
        self.costs = DEFAULT_COSTS[problem.kernels]
        self.reason = ""
        self._debts: dict[str, float] = {}
        self._queries = self._hits = self._listed = self._in_order = 0

    def choose(self, m: int, present: str | None = None) -> str:
        """Return the engine for so many points and the queries known so far."""
        load = self.load
        engine = first_choice(self.costs, self.problem, m, load)
        if present not in (None, engine) and m >= _FEWEST:
            crossed = crossed_fraction(m, self.problem.dimension, load.activity)
            now, then = (
                per_query(self.costs, self.problem, name, m, load, crossed)
                for name in (str(present), engine)
            )
            if now < _RELUCTANCE * then:
                return str(present)
        if engine != present:
            self._debts = {}
            self.reason = (
                f"expected to be best where queries find {load.activity:.2g} of {m} points"
            )
        return engine

    def note(self, m: int, q: int, hits: int, wish: Wish) -> bool:
        """Take down queries."""
        self._queries += q
        self._hits += hits
        self._listed += q if wish.listed else 0
        self._in_order += q if wish.listed and wish.in_order else 0
        return self._queries * m >= _PAIRS_BETWEEN_LOOKS

    def settle(self, present: str, m: int, tested: int, surviving: float) -> str:
        """Book the queries taken down since the last time."""
        q = self._queries
        if not q or not m:
            return present
        load = Load(self._hits / (q * m), self._listed / q, self._in_order / max(1, self._listed))
        self._queries = self._hits = self._listed = self._in_order = 0
        return self.book(present, m, q, load, min(1.0, max(0.0, tested / (q * m))), surviving)

    def book(
        self, present: str, m: int, q: int, load: Load, tested: float, surviving: float
    ) -> str:
        """Add queries to the account."""
        self.load = load
        if m < _SMALLEST:
            return present
        best, losses = self._losses(present, m, load, tested, surviving)
        for name, loss in losses.items():
            self._debts[name] = max(0.0, self._debts.get(name, 0.0) + q * loss)
        if best == present or self._debts[best] < _BUILD[best] * m:
            return present
        self._debts = {}
        self.reason = (
            f"{losses[best] / 1e3:.2g} µs a query faster than the {present} where queries find "
            f"{load.activity:.2g} of {m}"
        )
        return best

    def _losses(
        self, present: str, m: int, load: Load, tested: float, surviving: float
    ) -> tuple[str, dict[str, float]]:
        """Return the best engine, and what a query loses against each by staying."""
        problem = self.problem
        shares = {
            "scan": 1.0,
            "cap": surviving,
            "tree": crossed_fraction(m, problem.dimension, load.activity),
            present: tested,
        }
        cost = {
            name: per_query(self.costs, problem, name, m, load, shares[name])
            for name in problem.engines
        }
        best = min(problem.engines, key=lambda name: (cost[name], name != present))
        return best, {name: cost[present] - cost[name] for name in problem.engines}


_BOUNDS = 4096
_OFFSETS = 64
_LARGE_CALL = 4096
_TRIED = 16

Make = Callable[[str], Engine]


class Chooser:
    """Chooses the engine of an index."""

    def __init__(self, store: PointStore, kernels: KernelSet, on_slice: bool) -> None:
        dimension = store.d if on_slice else store.dimension  # on X the bias costs none
        self._store = store
        self._on_slice = on_slice
        self._lock = threading.Lock()
        self._account = Account(Problem(kernels.name, dimension, on_slice))
        self._bounds: FloatArray = np.empty(0)
        self._tested = 0

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the lock, which cannot be copied."""
        return {key: value for key, value in self.__dict__.items() if key != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make a lock for the copy."""
        self.__dict__.update(state)
        self._lock = threading.Lock()

    @property
    def reason(self) -> str:
        """Why the present engine was chosen."""
        return self._account.reason

    def choose(self, present: str | None = None) -> str:
        """Return the engine for the points that are stored."""
        name = self._account.choose(self._store.live, present)
        if name != present:
            self._start_anew()
        return name

    def keep(self, engine: Engine) -> None:
        """Go on with an engine that was built anew: its counters do not start again."""
        self._tested = engine.work.points_tested

    def before(self, engine: Engine, asked: HalfSpaces, wish: Wish, make: Make) -> Engine:
        """Try a call of very many queries on a few of them, and exchange the engine if it pays."""
        m, q = self._store.live, len(asked.offsets)
        if q < _LARGE_CALL or not m or not self._lock.acquire(blocking=False):
            return engine
        try:
            some = np.arange(0, q, q // _TRIED)
            tried = HalfSpaces(asked.normals[some], asked.offsets[some], asked.strict)
            before, pairs = engine.work.points_tested, len(tried.offsets) * m
            hits = int(engine.count(*tried).sum())
            tested = min(1.0, (engine.work.points_tested - before) / pairs)
            load = Load(hits / pairs, *map(float, wish))
            name = self._account.book(
                engine.name, m, q, load, tested, self._surviving(tried.offsets)
            )
            return engine if name == engine.name else self._made(name, make)
        finally:
            self._lock.release()

    def after(self, engine: Engine, asked: HalfSpaces, hits: int, wish: Wish, make: Make) -> Engine:
        """Take down a call, and exchange the engine if it is time to."""
        m, q = self._store.live, len(asked.offsets)
        if q >= _LARGE_CALL:  # booked before it was answered
            self.keep(engine)
            return engine
        due = self._account.note(m, q, hits, wish)
        if not due or not self._lock.acquire(blocking=False):
            return engine
        try:
            tested = engine.work.points_tested
            surviving = self._surviving(asked.offsets)
            name = self._account.settle(engine.name, m, tested - self._tested, surviving)
            self._tested = tested
            return engine if name == engine.name else self._made(name, make)
        finally:
            self._lock.release()

    def _made(self, name: str, make: Make) -> Engine:
        self._start_anew()
        return make(name)

    def _surviving(self, offsets: FloatArray) -> float:
        return surviving_fraction(self._bounds, offsets[:: max(1, len(offsets) // _OFFSETS)])

    def _start_anew(self) -> None:
        """Prepare for another engine, whose counters start at zero."""
        self._tested = 0
        if not self._on_slice:
            return
        rows = self._store.live_rows()
        rows = rows[:: max(1, len(rows) // _BOUNDS)]
        if not len(rows):
            self._bounds = np.empty(0)
            return
        bias = self._store.bias
        upper = slice_bounds(self._store.points[rows], None if bias is None else bias[rows])[1]
        self._bounds = np.sort(upper)

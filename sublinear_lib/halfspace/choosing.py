"""How an index with ``method="auto"`` follows the cost model: when it looks, and what it looks at.

:mod:`sublinear_lib.halfspace.cost_model` decides from numbers; `Chooser` collects them.  Readers
may come from several threads: counters may miss a query then, which costs nothing but a late
decision, and whoever finds another thread at the account goes on without waiting.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.halfspace.alive import slice_bounds
from sublinear_lib.halfspace.cost_model import (
    Account,
    Load,
    Problem,
    calibrated,
    surviving_fraction,
)
from sublinear_lib.halfspace.kernels import KernelSet
from sublinear_lib.halfspace.protocol import HalfspaceStructure
from sublinear_lib.halfspace.reporting import HalfSpaces
from sublinear_lib.halfspace.store import PointStore

__all__ = ["Chooser"]

_BOUNDS = 4096
_OFFSETS = 64
_LARGE_CALL = 4096
_TRIED = 16

Make = Callable[[str], HalfspaceStructure]


class Chooser:
    """Chooses the engine of an index."""

    def __init__(self, store: PointStore, kernels: KernelSet, on_slice: bool) -> None:
        dimension = store.d if on_slice else store.dimension  # on X the bias costs none
        self._store = store
        self._kernels = kernels
        self._on_slice = on_slice
        self._lock = threading.Lock()
        self._account = Account(
            Problem(kernels.name, dimension, on_slice),
            partial(calibrated, kernels),
        )
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

    def keep(self, engine: HalfspaceStructure) -> None:
        """Go on with an engine that was built anew: its counters do not start again."""
        self._tested = engine.work.points_tested

    def before(
        self,
        engine: HalfspaceStructure,
        asked: HalfSpaces,
        *,
        listed: bool,
        in_order: bool,
        make: Make,
    ) -> HalfspaceStructure:
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
            load = Load(hits / pairs, float(listed), float(in_order))
            name = self._account.book(
                engine.name, m, q, load, tested, self._surviving(tried.offsets)
            )
            return engine if name == engine.name else self._made(name, make)
        finally:
            self._lock.release()

    def after(
        self,
        engine: HalfspaceStructure,
        asked: HalfSpaces,
        hits: int,
        *,
        listed: bool,
        in_order: bool,
        make: Make,
    ) -> HalfspaceStructure:
        """Take down a call, and exchange the engine if it is time to."""
        m, q = self._store.live, len(asked.offsets)
        if q >= _LARGE_CALL:  # booked before it was answered
            self.keep(engine)
            return engine
        due = self._account.note(m, q, hits, listed=listed, in_order=in_order)
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

    def _made(self, name: str, make: Make) -> HalfspaceStructure:
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

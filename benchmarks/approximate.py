"""The section that asks everybody the same queries: recall and time, exact or not.

SimHash (:mod:`benchmarks.simhash`) and HNSW, of whose nearest neighbors by inner product those
above the threshold are kept, find some of the neurons that fire.  The others mean to find all;
where they decide in float32, rounding shows.  All take turns in one race, on whose queries recall
is counted.
"""

from __future__ import annotations

import functools
import itertools
import math
import time
from collections.abc import Generator
from typing import Any, TypeAlias

import numpy as np

from benchmarks.peers import PeerField, load, why_absent
from benchmarks.problems import Problem, dense_baselines, own_engines
from benchmarks.settings import Row, Settings, section
from benchmarks.simhash import SimHash
from benchmarks.timing import Competitor, one_thread, race
from sublinear_lib import scaling
from sublinear_lib._typing import FloatArray

_HASHES = ((6, 10), (9, 50), (6, 50), (12, 50), (12, 10))
"""Bits in a key and number of tables; the second is what SLIDE uses, the others are around it."""

_DENSE = ("dense", "naive_float32")

_QUERIES = 64
_SHARES = (0.001, 0.01)


def _dimensions(settings: Settings) -> list[int]:
    return [d for d in settings.dimensions if d in (8, 32)] or [settings.dimensions[-1]]


Entry: TypeAlias = tuple[Competitor, Row]


@section(
    "approximate",
    "Who finds how many of the neurons that fire, and in what time?",
    "",
    lambda settings: [*itertools.product(_dimensions(settings), _SHARES)],
)
def APPROXIMATE(settings: Settings) -> Generator[Row]:
    """Let all competitors take turns."""
    m = settings.nearest_width(2**16)
    queries = min(_QUERIES, settings.queries)
    field, hnswlib = PeerField(settings.peers), load("hnswlib") if settings.peers else None
    for d in _dimensions(settings):
        with one_thread():
            problem = Problem(d, m, queries, settings.seed)
            out = [np.zeros(m * queries, dtype=np.int32)]
            start = time.thread_time()
            own = own_engines(problem, out, names=("auto",))[0]
            exact_index: Entry = (own, {"build_seconds": time.thread_time() - start})
            inexact = [exact_index, *_hashes(problem), *_graph(hnswlib, problem)]
            dense = [each for each in dense_baselines(problem) if each.name in _DENSE]
            peers, absent = field.build(problem)
            exact: list[Entry] = [(each, {}) for each in dense]
            exact += [(each, {"build_seconds": field.build_seconds[each.name]}) for each in peers]
        if hnswlib is None:
            absent["hnsw"] = why_absent(settings.peers)
        for share in _SHARES:
            with one_thread():
                tau = problem.threshold(share)
                answer = own.ask(tau, queries).to_mask(m)
                everybody = [competitor for competitor, _ in inexact + exact]
                found = race(everybody, tau, queries=queries, **settings.effort())
                kinds = {
                    kind: [
                        {
                            "method": competitor.name,
                            "microseconds": found[competitor.name].microseconds,
                            **_quality(competitor.listed(tau, queries), answer),
                            **facts,
                        }
                        for competitor, facts in entries
                    ]
                    for kind, entries in (("methods", inexact), ("exact", exact))
                }
            cell = {"d": d, "m": m, "share": share, "active": float(answer.mean())}
            yield {**cell, **kinds, "absent": absent}


def _quality(rows: list[Any], answer: Any) -> Row:
    true = int(answer.sum())
    hits = sum(int(answer[query][found].sum()) for query, found in enumerate(rows))
    reported = sum(len(found) for found in rows)
    return {"recall": hits / true if true else 1.0, "wrong": reported - hits}


def _hashes(problem: Problem) -> list[Entry]:
    found: list[Entry] = []
    for bits, tables in _HASHES:
        start = time.thread_time()
        hashed = SimHash(problem.W, bits=bits, tables=tables, rng=problem.seed)
        seconds = time.thread_time() - start
        looked_at = hashed.candidates(problem.X).counts.mean() / problem.m
        facts = {"build_seconds": seconds, "candidates": float(looked_at)}

        def ask(tau: float, q: int, hashed: SimHash = hashed) -> Any:
            return hashed.query_halfspace(problem.X[:q], tau)

        name = f"SimHash, K = {bits}, L = {tables}"
        found.append((Competitor(name, ask, lambda hits: hits.split(), unit=16), facts))
    return found


def _graph(module: Any, problem: Problem) -> list[Entry]:
    if module is None:
        return []
    W, X, m = problem.W.astype(np.float32), problem.X.astype(np.float32), problem.m
    graph = module.Index(space="ip", dim=problem.d)
    graph.init_index(max_elements=m, M=16, ef_construction=200, random_seed=problem.seed)
    graph.set_num_threads(1)
    start = time.process_time()
    graph.add_items(W, num_threads=1)
    facts = {"build_seconds": time.process_time() - start}

    @functools.cache
    def neighbors(tau: float) -> int:
        """Return a fifth more than fire on average."""
        return min(m, math.ceil(1.2 * scaling.activity(tau, m) * m) + 1)

    def ask(tau: float, q: int, *, factor: int) -> list[FloatArray]:
        graph.set_ef(factor * neighbors(tau) + 10)
        labels, distances = graph.knn_query(X[:q], k=neighbors(tau), num_threads=1)
        # hnswlib's distance is one minus the inner product
        return [row[far < 1.0 - tau] for row, far in zip(labels, distances, strict=True)]

    return [
        (
            Competitor(
                f"HNSW, M = 16, ef = {beam}",
                functools.partial(ask, factor=factor),
                list,
                unit=16,
                own_threads=True,
            ),
            facts,
        )
        for factor, beam in ((1, "k"), (4, "4 k"))
    ]

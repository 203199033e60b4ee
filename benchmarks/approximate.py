"""The section that asks everybody the same queries: recall and time, exact or not.

Two rivals find some of the neurons that fire.  SimHash is what SLIDE looks them up with
(:mod:`benchmarks.simhash`); HNSW answers the nearest neighbors by inner product,
of which those above the threshold are kept.  The others mean to find all of them: BLAS, trees, flat
scans; where they decide in float32, rounding shows.  Before changing it, know that all of them take
turns in one race, and that recall is counted on the queries of the race.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from benchmarks.peers import PEERS, load, why_absent
from benchmarks.problems import Problem, dense_baselines, own_engines
from benchmarks.settings import Row, Section, Settings
from benchmarks.simhash import SimHash
from benchmarks.timing import Competitor, one_thread, race
from sublinear_lib._typing import FloatArray

_HASHES = ((6, 10), (9, 50), (6, 50), (12, 50), (12, 10))
"""Bits in a key and number of tables; the second is what SLIDE uses, the others are around it."""

_DENSE = ("dense", "naive_float32")

_QUERIES = 64
_SHARES = (0.001, 0.01)


def _grid(settings: Settings) -> list[tuple[int, float]]:
    dimensions = [d for d in settings.dimensions if d in (8, 32)] or [settings.dimensions[-1]]
    return [(d, share) for d in dimensions for share in _SHARES]


def _approximate(settings: Settings) -> Generator[Row]:
    m = settings.nearest_width(2**16)
    queries = min(_QUERIES, settings.queries)
    hnswlib = load("hnswlib") if settings.peers else None
    problem, rivals, own = None, [], []
    exact: list[tuple[Competitor, Row]] = []
    absent: dict[str, str] = {}
    for d, share in _grid(settings):
        with one_thread():
            if problem is None or problem.d != d:
                problem = Problem(d, m, queries, settings.seed)
                out = [np.zeros(m * queries, dtype=np.int32)]
                start = time.thread_time()
                own = own_engines(problem, out, names=("auto",))[:1]
                own_facts = {"build_seconds": time.thread_time() - start}
                rivals = _hashes(problem) + _graph(hnswlib, problem)
                exact, absent = _exact(settings.peers, problem)
            tau = problem.threshold(share)
            answer = own[0].ask(tau, queries).to_mask(m)
            row: Row = {"d": d, "m": m, "share": share, "active": float(answer.mean())}
            inexact = [
                (own[0], own_facts),
                *((make(share), facts) for make, facts in rivals),
            ]
            found = race(
                [competitor for competitor, _ in inexact + exact],
                tau,
                queries=queries,
                **settings.effort(),
            )
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
        missing = absent if hnswlib else {**absent, "hnsw": why_absent(settings.peers)}
        yield {**row, **kinds, "absent": dict(missing)}


def _quality(rows: list[Any], answer: Any) -> Row:
    """Return the share of the true pairs that are reported, and how many reports are wrong."""
    true = int(answer.sum())
    hits = sum(int(answer[query][found].sum()) for query, found in enumerate(rows))
    reported = sum(len(found) for found in rows)
    return {"recall": hits / true if true else 1.0, "wrong": reported - hits}


def _exact(wanted: bool, problem: Problem) -> tuple[list[tuple[Competitor, Row]], dict[str, str]]:
    """Build those who mean to find every neuron; name who is absent."""
    found: list[tuple[Competitor, Row]] = [
        (competitor, {}) for competitor in dense_baselines(problem) if competitor.name in _DENSE
    ]
    absent = {}
    for peer in PEERS:
        module = load(peer.module) if wanted else None
        if module is None:
            absent[peer.name] = why_absent(wanted)
            continue
        start = time.process_time()
        competitor = peer.make(module, problem)
        found.append((competitor, {"build_seconds": time.process_time() - start}))
    return found, absent


Rival = tuple[Callable[[float], Competitor], Row]


def _whatever_the_share(competitor: Competitor, share: float) -> Competitor:
    return competitor


def _hashes(problem: Problem) -> list[Rival]:
    rivals: list[Rival] = []
    for bits, tables in _HASHES:
        start = time.thread_time()
        hashed = SimHash(problem.W, bits=bits, tables=tables, rng=problem.seed)
        seconds = time.thread_time() - start
        looked_at = hashed.candidates(problem.X).counts.mean() / problem.m
        facts = {"build_seconds": seconds, "candidates": float(looked_at)}

        def ask(tau: float, q: int, hashed: SimHash = hashed) -> Any:
            return hashed.query_halfspace(problem.X[:q], tau)

        competitor = Competitor(
            f"SimHash, K = {bits}, L = {tables}", ask, lambda hits: hits.split(), unit=16
        )
        rivals.append((functools.partial(_whatever_the_share, competitor), facts))
    return rivals


def _graph(module: Any, problem: Problem) -> list[Rival]:
    """Return HNSW with two widths of its search beam."""
    if module is None:
        return []
    W, X = problem.W.astype(np.float32), problem.X.astype(np.float32)
    graph = module.Index(space="ip", dim=problem.d)
    graph.init_index(max_elements=problem.m, M=16, ef_construction=200, random_seed=problem.seed)
    graph.set_num_threads(1)
    start = time.process_time()
    graph.add_items(W, num_threads=1)
    facts = {"build_seconds": time.process_time() - start}
    return [(_beam(graph, X, problem.m, factor), facts) for factor in (1, 4)]


def _beam(graph: Any, X: Any, m: int, factor: int) -> Callable[[float], Competitor]:
    def make(share: float) -> Competitor:
        neighbors = min(m, math.ceil(1.2 * share * m) + 1)
        beam = factor * neighbors + 10

        def ask(tau: float, q: int) -> list[FloatArray]:
            graph.set_ef(beam)
            labels, distances = graph.knn_query(X[:q], k=neighbors, num_threads=1)
            # hnswlib's distance is one minus the inner product
            return [row[far < 1.0 - tau] for row, far in zip(labels, distances, strict=True)]

        name = f"HNSW, M = 16, ef = {'k' if factor == 1 else f'{factor} k'}"
        return Competitor(name, ask, list, unit=16, own_threads=True)

    return make


APPROXIMATE = Section(
    "approximate",
    "Who finds how many of the neurons that fire, and in what time?",
    "",
    lambda settings: len(_grid(settings)),
    _approximate,
)

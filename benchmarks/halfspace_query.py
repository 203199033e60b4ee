"""Compare a tree query with tuned dense BLAS and with scikit-learn's KDTree.

A batch of queries asks which of m neurons fire.  Weights and biases are normal, the queries lie on
the slice ||x|| = 1, x_d = 1/2, and the bias is folded into the last weight (for x_d = 1/2 that
changes no score); the threshold is set by the active share.  All competitors run in turns in one
process on one thread, and the processor time of that thread is compared, which other programs on
the machine disturb little.

* ``naive`` is what one writes first: ``np.nonzero(X @ W.T > tau)`` in float32.
* ``dense`` is the same with reused buffers and tiles that stay in the cache.  Ratios are to it.  It
  returns positions in a tile, not ids by query, and decides by rounded scores.
* ``kdtree`` turns half-spaces into balls: with one more coordinate all points get the same norm,
  and a half-space is then a ball around the query.
* ``scan``, ``tree`` and ``count`` are this library's: exact ids by query, ascending, or their
  number.

Run it with ``python benchmarks/halfspace_query.py`` (half a minute) or with ``--full``; it prints
the ratios and writes ``benchmarks/results/halfspace_query.json``.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.neighbors import KDTree
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from sublinear_lib import geometry, scaling
from sublinear_lib.halfspace import HalfspaceIndex

QUESTION = "How does a tree query compare with tuned dense BLAS and with scikit-learn's KDTree?"
COMPETITORS = ("naive", "kdtree", "scan", "tree", "count")
TILE = 2048
QUERIES = 256
SEED = 0


def competitors(m: int, d: int, rng: np.random.Generator) -> dict[str, Callable[[float], Any]]:
    """Return the functions to time; each takes the threshold."""
    W = rng.standard_normal((m, d)) / np.sqrt(m)
    W[:, -1] += 2.0 * rng.standard_normal(m) / np.sqrt(m)
    X = geometry.sample_slice(QUERIES, d, rng)
    W32, X32 = W.astype(np.float32), X.astype(np.float32)
    width = min(TILE, m)
    scores = np.empty((QUERIES, width), dtype=np.float32)
    above = np.empty((QUERIES, width), dtype=np.bool_)

    def dense(tau: float) -> list[Any]:
        found = []
        for start in range(0, m, width):
            np.matmul(X32, W32[start : start + width].T, out=scores)
            found.append(np.flatnonzero(np.greater(scores, np.float32(tau), out=above)))
        return found

    def naive(tau: float) -> Any:
        table = X32 @ W32.T
        return np.nonzero(table > np.float32(tau))

    squares = np.einsum("ij,ij->i", W, W)
    largest = float(squares.max())
    balls = KDTree(np.column_stack((W, np.sqrt(largest - squares))))
    centres = np.column_stack((X, np.zeros(QUERIES)))

    def kdtree(tau: float) -> Any:
        return balls.query_radius(centres, np.sqrt(max(largest + 1.0 - 2.0 * tau, 0.0)))

    tree = HalfspaceIndex(W, method="tree")
    scan = HalfspaceIndex(W, method="scan")
    return {
        "dense": dense,
        "naive": naive,
        "kdtree": kdtree,
        "scan": lambda tau: scan.query_halfspace(X, tau),
        "tree": lambda tau: tree.query_halfspace(X, tau),
        "count": lambda tau: tree.count_halfspace(X, tau),
    }


def measure(
    functions: dict[str, Callable[[float], Any]], m: int, d: int, share: float, rounds: int
) -> dict[str, Any]:
    """Time all competitors at one threshold and compare what they found."""
    tau = scaling.threshold_from_activity(share, m)
    answers = {name: function(tau) for name, function in functions.items()}
    k = answers["tree"].indices.size
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.thread_time()
            function(tau)
            times[name].append(time.thread_time() - start)
    medians = {name: float(np.median(values)) for name, values in times.items()}
    return {
        "m": m,
        "d": d,
        "active_share": k / (m * QUERIES),
        "microseconds_per_query": {name: value / QUERIES * 1e6 for name, value in medians.items()},
        "ratio_to_dense": {name: medians["dense"] / medians[name] for name in COMPETITORS},
        "exact_answers_agree": bool(
            answers["tree"] == answers["scan"]
            and np.array_equal(answers["tree"].counts, answers["count"])
        ),
        "decided_otherwise_by_float32": abs(sum(map(len, answers["dense"])) - k),
    }


def environment() -> dict[str, Any]:
    """Describe the machine and the versions."""
    model = platform.processor()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((s.split(":")[1].strip() for s in lines if s.startswith("model name")), model)
    versions = {"python": platform.python_version()}
    for package in ("numpy", "numba", "scikit-learn"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "versions": versions,
        "kernels": HalfspaceIndex([[0.0]]).stats().kernels,
    }


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Run the benchmark, print the ratios and write the result."""
    parser = argparse.ArgumentParser(description=QUESTION)
    parser.add_argument("--dimensions", type=int, nargs="+", default=[3, 4])
    parser.add_argument("--widths", type=int, nargs="+", default=[2**12, 2**14, 2**16])
    parser.add_argument("--shares", type=float, nargs="+", default=[0.001, 0.01, 0.1])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--full", action="store_true", help="more dimensions and larger widths")
    parser.add_argument(
        "--output", type=Path, default=Path(__file__).parent / "results" / "halfspace_query.json"
    )
    options = parser.parse_args(arguments)
    if options.full:
        options.dimensions, options.widths = [3, 4, 6, 8, 16, 32], [2**12, 2**14, 2**16, 2**18]
    cells = [(d, m) for d in options.dimensions for m in options.widths]
    before = environment()
    results = []
    with (
        threadpool_limits(1),
        tqdm(total=len(cells) * len(options.shares), unit="cell") as progress,
    ):
        for d, m in cells:
            functions = competitors(m, d, np.random.default_rng(SEED))
            for share in options.shares:
                results.append(measure(functions, m, d, share, options.rounds))
                progress.update()
    print("times as fast as tuned dense BLAS (float32), by processor time on one thread")
    print(f"{'d':>3} {'m':>7} {'active':>7} {'dense':>9}", *(f"{c:>7}" for c in COMPETITORS))
    for cell in results:
        print(
            f"{cell['d']:3d} {cell['m']:7d} {cell['active_share']:7.2%} "
            f"{cell['microseconds_per_query']['dense']:6.1f} µs",
            *(f"{cell['ratio_to_dense'][name]:6.2f}x" for name in COMPETITORS),
        )
    report = {
        "question": QUESTION,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "environment": before,
        "settings": {
            "queries": QUERIES,
            "threads": 1,
            "rounds": options.rounds,
            "seed": SEED,
            "clock": "processor time of the thread, median",
        },
        "results": results,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(report, indent=1) + "\n")
    return report


if __name__ == "__main__":
    main()

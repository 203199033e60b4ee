"""Other packages that can answer the same question, each behind one small adapter.

To trees that report balls a half-space is one: with one more coordinate all points get the same
norm, and then ``||u - x||^2 = R^2 + ||x||^2 - 2 <u, x>`` falls below a radius exactly where
``<u, x>`` exceeds a threshold.  The others compute all scores.  Nothing is imported from a peer
before a run asks for it, and each is held to one thread.
"""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.problems import BLOCK, Problem, rows_of_pairs
from benchmarks.timing import Competitor
from sublinear_lib._typing import FloatArray


class Peer(NamedTuple):
    """A package that takes part if it is installed; `make` builds what is to be built."""

    name: str
    module: str
    make: Callable[[Any, Problem], Competitor]


def load(module: str) -> Any:
    """Import a module of another package, or return None where it is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a peer's own warnings at import are not ours to mend
            return importlib.import_module(module)
    except ImportError:
        return None


def why_absent(wanted: bool) -> str:
    """Say why another package does not take part."""
    return "not installed" if wanted else "left out on request"


def completed(points: FloatArray) -> tuple[FloatArray, float]:
    """Give all points the same norm by one more coordinate."""
    squares = np.einsum("ij,ij->i", points, points)
    largest = float(squares.max())
    return np.column_stack((points, np.sqrt(largest - squares))), largest


def _balls(problem: Problem) -> tuple[FloatArray, FloatArray, Callable[[float], float]]:
    points, square = completed(problem.W)
    centers = np.column_stack((problem.X, np.zeros(problem.queries)))
    return points, centers, lambda tau: float(np.sqrt(max(square + 1.0 - 2.0 * tau, 0.0)))


def _sklearn_tree(name: str, class_name: str) -> Callable[[Any, Problem], Competitor]:
    def make(module: Any, problem: Problem) -> Competitor:
        points, centers, radius = _balls(problem)
        tree = getattr(module, class_name)(points)

        return Competitor(
            name, lambda tau, q: tree.query_radius(centers[:q], radius(tau)), list, own_threads=True
        )

    return make


def _scipy_tree(module: Any, problem: Problem) -> Competitor:
    points, centers, radius = _balls(problem)
    tree = module.cKDTree(points)

    def ask(tau: float, q: int) -> Any:
        return tree.query_ball_point(centers[:q], radius(tau), return_sorted=False, workers=1)

    return Competitor("scipy_ckdtree", ask, list, own_threads=True)


def _faiss(module: Any, problem: Problem) -> Competitor:
    X = problem.X.astype(np.float32)
    index = module.IndexFlatIP(problem.d)
    index.add(problem.W.astype(np.float32))
    module.omp_set_num_threads(1)

    return Competitor(
        "faiss_flat",
        lambda tau, q: index.range_search(X[:q], float(tau)),
        lambda answer: np.split(answer[2], answer[0][1:-1].astype(np.int64)),
        unit=BLOCK,
        own_threads=True,
    )


def _torch(module: Any, problem: Problem) -> Competitor:
    W = module.from_numpy(problem.W.astype(np.float32)).T
    X = module.from_numpy(problem.X.astype(np.float32))

    def ask(tau: float, q: int) -> list[Any]:
        with module.no_grad():
            return [
                (module.mm(X[start : min(q, start + BLOCK)], W) > tau).nonzero()
                for start in range(0, q, BLOCK)
            ]

    def rows(answer: Any) -> list[Any]:
        pairs = [
            block.numpy() + np.array([number * BLOCK, 0]) for number, block in enumerate(answer)
        ]
        return rows_of_pairs(np.concatenate(pairs))

    return Competitor("torch", ask, rows, unit=BLOCK, own_threads=True)


_NEIGHBORS = "sklearn.neighbors"
PEERS = (
    Peer("sklearn_kdtree", _NEIGHBORS, _sklearn_tree("sklearn_kdtree", "KDTree")),
    Peer("sklearn_balltree", _NEIGHBORS, _sklearn_tree("sklearn_balltree", "BallTree")),
    Peer("scipy_ckdtree", "scipy.spatial", _scipy_tree),
    Peer("faiss_flat", "faiss", _faiss),
    Peer("torch", "torch", _torch),
)

_BUILDING, _ASKING = 10.0, 2.0
"""Seconds that building a peer, and asking it as few queries as it may be asked, may take."""


class Patience:
    """How long things took at one size, and what is left out at a larger one."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[int, float]] = {}

    def learn(self, seconds: float, size: int, *key: object) -> None:
        """Remember how long something took."""
        self._known[key] = (size, seconds)

    def reason(self, what: str, most: float, size: int, *key: object) -> str:
        """Return why something is left out, or an empty text; times grow like the size."""
        before, seconds = self._known.get(key, (1, 0.0))
        expected = seconds * size / before
        if expected <= most:
            return ""
        return (
            f"skipped: {what} would take more than {most:.2g} s, estimated {expected:.2g} s from "
            "the width before"
        )


class PeerField:
    """The peers over a grid of growing widths: who is built, who is left out, and why."""

    def __init__(self, wanted: bool) -> None:
        self._wanted, self._patience = wanted, Patience()
        self._modules = {peer.name: load(peer.module) if wanted else None for peer in PEERS}
        self.build_seconds: dict[str, float] = {}

    def build(self, problem: Problem) -> tuple[list[Competitor], dict[str, str]]:
        """Build every peer for a problem."""
        taking_part, absent = [], {}
        for peer in PEERS:
            key = (problem.m, "build", peer.name, problem.d)
            if self._modules[peer.name] is None:
                absent[peer.name] = why_absent(self._wanted)
            elif reason := self._patience.reason("building it", _BUILDING, *key):
                absent[peer.name] = reason
            else:
                start = time.process_time()
                taking_part.append(peer.make(self._modules[peer.name], problem))
                self.build_seconds[peer.name] = time.process_time() - start
                self._patience.learn(self.build_seconds[peer.name], *key)
        return taking_part, absent

    def willing(
        self, competitors: list[Competitor], problem: Problem, share: float
    ) -> tuple[list[Competitor], dict[str, str]]:
        """Sort out those that would take too long at a threshold."""
        absent = {}
        for each in competitors:
            key = (problem.m * each.unit, each.name, problem.d, share)
            if reason := self._patience.reason(f"{each.unit} queries", _ASKING, *key):
                absent[each.name] = reason
        return [each for each in competitors if each.name not in absent], absent

    def learn(self, name: str, problem: Problem, share: float, microseconds: float) -> None:
        """Remember how long a query took, for the next width."""
        self._patience.learn(microseconds / 1e6, problem.m, name, problem.d, share)

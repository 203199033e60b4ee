"""The table of bad inputs: good calls, and what to put in the place of one argument each.

This is data, in one place: the test runs it, the page of the book shows it.  An entry names a good
call of `GOOD_CALLS`, the argument that is replaced, and the bad value.  The good call is carried
out as well, so that nothing but the named argument can be what is refused.  Before adding an entry,
know that a value is shown as it is written here, and that every call begins with fresh objects.
"""

from __future__ import annotations

import functools
import importlib
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sublinear_lib import adversary, claims, datasets, memorization, training
from sublinear_lib.halfspace import (
    AggregateTree,
    ArcStabbing,
    CandidateLists,
    ConvexLayers,
    HalfspaceIndex,
    PartitionTree,
)
from sublinear_lib.network import TwoLayerNetwork

_NAN, _INF = float("nan"), float("inf")
_HALF = 0.75**0.5
_ON_SLICE = [[_HALF, 0.0, 0.5], [0.0, _HALF, 0.5], [-_HALF, 0.0, 0.5]]
_POINTS = [[1.0, 0.0, 0.5], [0.0, 2.0, -1.0], [0.5, 0.5, 0.5], [0.0, 0.0, 0.0]]
_PLANE = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [2.0, 3.0]]


@dataclass(frozen=True)
class GoodCall:
    """A call that is carried out.

    - ``arguments``: Makes the arguments by name.
    - ``subject``: Makes the object whose method is called.
    """

    arguments: Callable[[], dict[str, Any]]
    subject: Callable[[], object] | None = None


@dataclass(frozen=True)
class BadInput:
    """A call with one argument that must be refused.

    - ``call``: A key of `GOOD_CALLS`: a name below ``sublinear_lib``.
    - ``argument``: Which argument is replaced.
    - ``value``: By what.
    - ``error``: The error that is promised.
    - ``named``: What the message calls the argument, where a method passes it on under another
      name.
    """

    call: str
    argument: str
    value: Any
    error: type[Exception]
    named: str = ""


def _network() -> TwoLayerNetwork:
    return TwoLayerNetwork.initialize(8, 3, rng=0, tau=0.1)


def _index() -> HalfspaceIndex:
    index = HalfspaceIndex(_POINTS, [0.0, 1.0, 0.0, 2.0])
    index.remove([2])
    return index


def _slice_index() -> HalfspaceIndex:
    return HalfspaceIndex(_POINTS, method="cap", domain="slice")


def _tree() -> AggregateTree:
    return AggregateTree(_POINTS, [1.0, -1.0, 0.5, 2.0], domain="slice")


def _lists() -> CandidateLists:
    return CandidateLists(_POINTS, None, _ON_SLICE, radius=0.1, threshold=0.2)


def _training() -> dict[str, Any]:
    return {"network": _network(), "X": _ON_SLICE, "y": [1.0, -1.0, 0.5], "rng": 0}


def _trainer() -> training.SublinearAdversarialTraining:
    return training.SublinearAdversarialTraining(
        adversary=adversary.ProjectedGradient(rho=0.1, steps=1), steps=2
    )


def _attack() -> adversary.ProjectedGradient:
    return adversary.ProjectedGradient(rho=0.1, steps=1)


def _fixed(**arguments: Any) -> Callable[[], dict[str, Any]]:
    return functools.partial(dict, **arguments)


GOOD_CALLS: Mapping[str, GoodCall] = {
    # the ground floors
    "scaling.threshold_from_activity": GoodCall(_fixed(p=0.1, m=64)),
    "scaling.activity": GoodCall(_fixed(tau=0.1, m=64)),
    "scaling.threshold_from_standard": GoodCall(_fixed(t=1.0, m=64)),
    "scaling.get_tau_rule": GoodCall(_fixed(rule="1/m")),
    "scaling.get_scaling": GoodCall(_fixed(scaling="R1")),
    "geometry.sample_slice": GoodCall(_fixed(n=4, d=3, rng=0)),
    "geometry.cap_fraction": GoodCall(_fixed(d=3, rho=0.5)),
    "geometry.cap_angle": GoodCall(_fixed(rho=0.5)),
    "geometry.chord_distances": GoodCall(
        lambda: {"X": np.array(_ON_SLICE), "Y": np.array(_ON_SLICE)}
    ),
    "geometry.sample_caps": GoodCall(lambda: {"X": np.array(_ON_SLICE), "rho": 0.1, "rng": 0}),
    "geometry.slice_net": GoodCall(_fixed(d=3, radius=0.5)),
    "losses.get_loss": GoodCall(_fixed(loss="huber")),
    "losses.HuberLoss": GoodCall(_fixed(delta=1.0)),
    "activations.get_activation": GoodCall(_fixed(activation="jump")),
    "datasets.load": GoodCall(_fixed(name="circle-8")),
    "datasets.load_split": GoodCall(_fixed(name="circle-8", test_fraction=0.25, rng=0)),
    "datasets.separated": GoodCall(_fixed(n=3, d=3, separation=0.2, rng=0)),
    "datasets.circle": GoodCall(_fixed(n=4, labels="alternating", rng=0)),
    "datasets.separation": GoodCall(lambda: {"X": np.array(_ON_SLICE), "rho": 0.1}),
    "datasets.digits": GoodCall(_fixed(positive=3, negative=8)),
    "statistics.clopper_pearson": GoodCall(_fixed(k=1, n=10, confidence=0.9)),
    "statistics.t_interval": GoodCall(_fixed(samples=[1.0, 2.0, 4.0], confidence=0.9)),
    "statistics.loglog_slope": GoodCall(_fixed(m=[1, 10], values=[[1.0, 2.0], [1.0, 3.0]])),
    "statistics.spawn": GoodCall(_fixed(seed=0, n=2)),
    "statistics.sweep": GoodCall(
        lambda: {
            "function": _cell,
            "grid": {"m": [1, 2]},
            "seeds": 2,
            "root_seed": 0,
            "n_jobs": 1,
            "progress": False,
        }
    ),
    "validation.points_on_slice": GoodCall(_fixed(X=_ON_SLICE)),
    "validation.labels": GoodCall(_fixed(y=[1.0, -1.0], n=2)),
    "predicates.exceeds": GoodCall(
        _fixed(W=_POINTS, b=[0.0, 0.0, 0.0, 0.0], x=_ON_SLICE[0], threshold=0.1)
    ),
    # the network
    "network.TwoLayerNetwork": GoodCall(
        _fixed(W=_POINTS, a=[1.0, 1.0, -1.0, 1.0], b=[0.0] * 4, tau=0.1, activation="jump")
    ),
    "network.TwoLayerNetwork.initialize": GoodCall(_fixed(m=8, d=3, rng=0, tau=0.1)),
    "network.TwoLayerNetwork.forward": GoodCall(_fixed(X=_ON_SLICE), _network),
    "network.TwoLayerNetwork.with_weights": GoodCall(lambda: {"W": _network().W}, _network),
    "network.PseudoNetwork": GoodCall(lambda: {"initial": _network(), "W": _network().W}),
    # the index and the other structures
    "halfspace.HalfspaceIndex": GoodCall(
        _fixed(points=_POINTS, bias=[0.0] * 4, method="tree", leaf_size=2, kernels="auto")
    ),
    "halfspace.HalfspaceIndex.query_halfspace": GoodCall(
        _fixed(normals=_POINTS, offsets=0.1, strict=True), _index
    ),
    "halfspace.HalfspaceIndex.count_halfspace": GoodCall(
        _fixed(normals=_ON_SLICE, offsets=0.1), _slice_index
    ),
    "halfspace.HalfspaceIndex.aggregate_halfspace": GoodCall(
        _fixed(normals=_POINTS, offsets=0.1, weights=[1.0, 2.0, 3.0]), _index
    ),
    "halfspace.HalfspaceIndex.insert": GoodCall(_fixed(points=_POINTS[:1], bias=[1.0]), _index),
    "halfspace.HalfspaceIndex.remove": GoodCall(_fixed(ids=[0]), _index),
    "halfspace.HalfspaceIndex.update": GoodCall(
        _fixed(ids=[0, 1], points=_POINTS[:2], bias=[0.0, 1.0]), _index
    ),
    "halfspace.AggregateTree": GoodCall(_fixed(points=_POINTS, weights=[1.0] * 4, leaf_size=2)),
    "halfspace.AggregateTree.remove": GoodCall(_fixed(ids=[1]), _tree),
    "halfspace.AggregateTree.aggregate_halfspace": GoodCall(
        _fixed(normals=_ON_SLICE, offsets=0.1), _tree
    ),
    "halfspace.CandidateLists": GoodCall(
        _fixed(W=_POINTS, b=None, anchors=_ON_SLICE, radius=0.1, threshold=0.2)
    ),
    "halfspace.CandidateLists.advance": GoodCall(
        _fixed(rows=[1], values=[[0.1, 0.2, 0.3]]), _lists
    ),
    "halfspace.CandidateLists.query": GoodCall(
        _fixed(points=_ON_SLICE, anchor_of=[0, 1, 2]), _lists
    ),
    "halfspace.ConvexLayers": GoodCall(_fixed(points=_PLANE)),
    "halfspace.ConvexLayers.query_halfspace": GoodCall(
        _fixed(normals=[[1.0, 0.0]], offsets=0.5), lambda: ConvexLayers(_PLANE)
    ),
    "halfspace.PartitionTree": GoodCall(_fixed(points=_PLANE, leaf_size=2)),
    "halfspace.PartitionTree.query_halfspace": GoodCall(
        _fixed(normals=[[1.0, 0.0]], offsets=0.5), lambda: PartitionTree(_PLANE)
    ),
    "halfspace.ArcStabbing": GoodCall(_fixed(points=_POINTS, bias=None, tau=0.1)),
    "halfspace.ArcStabbing.query": GoodCall(
        _fixed(X=_ON_SLICE), lambda: ArcStabbing(_POINTS, tau=0.1)
    ),
    "halfspace.alive_on_slice": GoodCall(_fixed(W=_POINTS, b=None, tau=0.1)),
    # theory
    "theory.printed_q0": GoodCall(_fixed(m=64, K=1.0)),
    "theory.cap_share": GoodCall(_fixed(t=1.0, d=3, rho=0.1)),
    "theory.dense_cost": GoodCall(_fixed(m=64, n=8, attack_steps=5)),
    "theory.active_count_interval": GoodCall(_fixed(tau=0.1, m=64, confidence=0.9)),
    "theory.printed_gap_bound": GoodCall(_fixed(m=64, K=1.0)),
    # adversaries and certificates
    "adversary.ProjectedGradient": GoodCall(_fixed(rho=0.1, steps=2, restarts=1)),
    "adversary.SmoothedGradient": GoodCall(_fixed(rho=0.1, steps=2, restarts=1)),
    "adversary.RandomSearch": GoodCall(_fixed(rho=0.1, samples=5)),
    "adversary.ExactAdversary": GoodCall(_fixed(rho=0.1)),
    "adversary.bracket": GoodCall(
        lambda: {
            "network": _network(),
            "x": _ON_SLICE[0],
            "rho": 0.1,
            "side": 1,
            "method": "auto",
            "tol": 1e-3,
            "time_limit": 1.0,
        }
    ),
    "adversary.accuracy": GoodCall(
        lambda: {"network": _network(), "X": _ON_SLICE, "y": [1.0, -1.0, 1.0]}
    ),
    "adversary.certified_accuracy": GoodCall(
        lambda: {
            "network": _network(),
            "X": _ON_SLICE,
            "y": [1.0, -1.0, 1.0],
            "rho": 0.1,
            "time_limit": 0.5,
        }
    ),
    "adversary.extremes_on_circle": GoodCall(
        lambda: {"network": _network(), "X": _ON_SLICE, "rho": 0.1}
    ),
    # training
    "training.SublinearAdversarialTraining": GoodCall(
        lambda: {
            "adversary": _attack(),
            "loss": "huber",
            "eta": 0.1,
            "steps": 2,
            "batch_size": 2,
            "index": "auto",
            "reduction": "blas",
            "progress": False,
        }
    ),
    "training.SublinearAdversarialTraining.fit": GoodCall(_training, _trainer),
    "training.EarlyStop": GoodCall(_fixed(patience=2, improvement=0.1)),
    "training.Measure": GoodCall(_fixed(every=2, time_limit=1.0)),
    "report.make_report": GoodCall(
        lambda: {
            "data": datasets.load_split("circle-16", 0.5, 0),
            "m": 16,
            "activity": 0.3,
            "rho": 0.05,
            "steps": 1,
            "seed": 0,
        }
    ),
    # claims and stored results
    "claims.evidence_path": GoodCall(_fixed(budget="full")),
    "claims.verify": GoodCall(
        lambda: {"ledger": claims.Ledger([]), "names": (), "jobs": 1, "seed": 0}
    ),
    "claims.LEDGER.select": GoodCall(_fixed(names=["thm-4.1"])),
    "caching.ResultCache": GoodCall(lambda: {"folder": tempfile.gettempdir()}),
    "benchmarks.results_path": GoodCall(_fixed(benchmark="halfspace")),
    # Parts II and III
    "memorization.memorize": GoodCall(_fixed(X=[[0.0, 0.0], [1.0, 1.0]], y=[1, 2], mu=0.1)),
    "memorization.separation": GoodCall(_fixed(X=[[0.0, 0.0], [1.0, 1.0]], y=[1, 2], p=2.0)),
    "memorization.certify": GoodCall(lambda: {"memorizer": _memorizer(), "method": "interval"}),
    "memorization.Hypergraph": GoodCall(_fixed(vertices=3, edges=[(0, 1, 2)])),
    "memorization.cycle": GoodCall(_fixed(k=5)),
    "features.FeatureData": GoodCall(_fixed(classes=2, dim=20)),
    "features.TrainingSettings": GoodCall(_fixed(samples=10, filters=2, rate=0.1, steps=2)),
    "features.TrainingAttack": GoodCall(_fixed(eps=0.1, rate=0.1, steps=2)),
    "features.PatchNetwork.random": GoodCall(
        _fixed(classes=2, filters=3, dim=20, scale=0.1, rng=0)
    ),
}
"""Calls that are carried out, by the name of what is called below ``sublinear_lib``."""


def _cell(m: int, rng: np.random.Generator) -> int:
    return m


def resolve(name: str) -> Any:
    """Return what a name below ``sublinear_lib`` stands for."""
    room, *rest = name.split(".")
    found: Any = importlib.import_module(room if room == "benchmarks" else f"sublinear_lib.{room}")
    for part in rest:
        found = getattr(found, part)
    return found


def _memorizer() -> Any:
    return memorization.memorize([[0.0, 0.0], [1.0, 1.0]], [1, 2], 0.1)


def _entries() -> tuple[BadInput, ...]:
    value, kind = ValueError, TypeError
    table: dict[str, list[tuple[Any, ...]]] = {
        "scaling.threshold_from_activity": [
            ("p", 0.0, value),
            ("p", 0.6, value),
            ("p", _NAN, value),
            ("p", "0.1", kind),
            ("m", 0, value),
            ("m", 2.5, kind),
            ("m", True, kind),
        ],
        "scaling.activity": [("tau", _INF, value), ("tau", None, kind), ("m", -3, value)],
        "scaling.threshold_from_standard": [("t", _NAN, value), ("m", "64", kind)],
        "scaling.get_tau_rule": [
            ("rule", "m^2", value, "tau_rule"),
            ("rule", 3, kind, "tau_rule"),
        ],
        "scaling.get_scaling": [("scaling", "R9", value), ("scaling", None, kind)],
        "geometry.sample_slice": [
            ("n", 0, value),
            ("n", 1.0, kind),
            ("d", 1, value),
            ("rng", None, kind),
            ("rng", -1, value),
            ("rng", "seed", kind),
        ],
        "geometry.cap_fraction": [("d", 1, value), ("rho", -0.1, value)],
        "geometry.cap_angle": [("rho", _NAN, value), ("rho", [0.1], kind)],
        "geometry.chord_distances": [("Y", [[0.0, 1.0]], value)],
        "geometry.sample_caps": [("X", [[1.0, 0.0, 0.0]], value), ("rho", -1.0, value)],
        "geometry.slice_net": [("radius", 0.0, value), ("d", 2.0, kind)],
        "losses.get_loss": [("loss", "square", value), ("loss", 2, kind)],
        "losses.HuberLoss": [("delta", 0.0, value), ("delta", "1", kind)],
        "activations.get_activation": [("activation", "relu", value), ("activation", 1, kind)],
        "datasets.load": [("name", "mnist", value), ("name", None, kind)],
        "datasets.load_split": [
            ("test_fraction", 0.0, value),
            ("test_fraction", 1.0, value),
            ("rng", None, kind),
        ],
        "datasets.separated": [
            ("n", 0, value),
            ("separation", -1.0, value),
            ("separation", 5.0, value),
        ],
        "datasets.circle": [("n", 0, value), ("labels", "odd", value)],
        "datasets.separation": [("X", [[_NAN, 0.0, 0.5]], value), ("rho", -0.5, value)],
        "datasets.digits": [
            ("positive", 10, value),
            ("negative", 3, value),
            ("positive", "3", kind),
        ],
        "statistics.clopper_pearson": [
            ("k", 11, value),
            ("k", -1, value),
            ("n", 0, value),
            ("confidence", 1.0, value),
            ("confidence", "95%", kind),
        ],
        "statistics.t_interval": [
            ("samples", [1.0], value),
            ("samples", [1.0, _NAN], value),
            ("samples", "ab", kind),
        ],
        "statistics.loglog_slope": [
            ("m", [1, -10], value),
            ("m", [5, 5], value),
            ("values", [[1.0, 2.0]], value),
            ("values", [[1.0, 0.0], [1.0, 3.0]], value),
            ("values", [[1.0], [2.0]], value),
        ],
        "statistics.spawn": [("n", 0, value), ("seed", None, kind)],
        "statistics.sweep": [
            ("function", 3, kind),
            ("grid", [1, 2], kind),
            ("grid", {"rng": [1]}, value),
            ("grid", {"m": []}, value),
            ("grid", {"m": 3}, kind),
            ("seeds", 0, value),
            ("seeds", [1, 1], value),
            ("n_jobs", 0, value),
            ("root_seed", None, kind),
            ("progress", 1, kind),
        ],
        "validation.points_on_slice": [
            ("X", [[0.6, 0.8]], value),
            ("X", [], value),
            ("X", [[0.5]], value),
            ("X", [["a", "b"]], kind),
            ("X", [[1.0, 2.0], [3.0]], value),
            ("X", [[1j, 0.5]], kind),
            ("X", [[None, 0.5]], kind),
            ("X", [[_INF, 0.5]], value),
        ],
        "validation.labels": [
            ("y", [2.0, 0.0], value),
            ("y", [1.0], value),
            ("y", [True, False], kind),
        ],
        "predicates.exceeds": [("x", [0.0, _NAN, 1.0], value), ("threshold", _NAN, value)],
        "network.TwoLayerNetwork": [
            ("W", [[_NAN, 0.0, 0.0]] * 4, value),
            ("W", [1.0, 2.0], value),
            ("a", [1.0, 1.0], value),
            ("b", [0.0, 0.0, 0.0, _INF], value),
            ("tau", -0.1, value),
            ("tau", "0.1", kind),
            ("activation", "relu", value),
            ("activation", 3, kind),
        ],
        "network.TwoLayerNetwork.initialize": [
            ("m", 0, value),
            ("m", 8.0, kind),
            ("d", 0, value),
            ("rng", None, kind),
            ("tau", _NAN, value),
        ],
        "network.TwoLayerNetwork.forward": [
            ("X", [[1.0, 2.0]], value),
            ("X", [[_NAN, 0.0, 0.5]], value),
            ("X", "points", kind),
        ],
        "network.TwoLayerNetwork.with_weights": [
            ("W", [[1.0, 2.0, 3.0]], value),
            ("W", [[_INF] * 3] * 8, value),
        ],
        "network.PseudoNetwork": [("initial", 3, kind), ("W", [[0.0, 0.0, 0.0]], value)],
        "halfspace.HalfspaceIndex": [
            ("points", [[0.0, _NAN, 1.0]] * 4, value),
            ("points", [1.0, 2.0], value),
            ("points", [["1", "2"]], kind),
            ("bias", [0.0], value),
            ("bias", [0.0, 0.0, 0.0, _NAN], value),
            ("method", "kd", value),
            ("method", 3, kind),
            ("leaf_size", 0, value),
            ("leaf_size", 2.5, kind),
            ("kernels", "cuda", value),
        ],
        "halfspace.HalfspaceIndex.query_halfspace": [
            ("normals", [[1.0, 2.0]], value),
            ("normals", [[0.0, _INF, 0.0]], value),
            ("offsets", _NAN, value),
            ("offsets", [0.0, 0.0], value),
            ("offsets", "0", kind),
            ("strict", 1, kind),
        ],
        "halfspace.HalfspaceIndex.count_halfspace": [
            ("normals", [[0.0, 0.0, 1.0]], value),
            ("offsets", [_INF] * 3, value),
        ],
        "halfspace.HalfspaceIndex.aggregate_halfspace": [
            ("weights", [1.0], value),
            ("weights", [1.0, _NAN, 1.0], value),
        ],
        "halfspace.HalfspaceIndex.insert": [
            ("points", [[_NAN, 0.0, 0.0]], value),
            ("points", [[1.0, 2.0]], value),
            ("points", [[True, False, True]], kind),
            ("bias", None, value),
            ("bias", [0.0, 0.0], value),
        ],
        "halfspace.HalfspaceIndex.remove": [
            ("ids", [2], value),
            ("ids", [-1], value),
            ("ids", [0, 0], value),
            ("ids", [0.0], kind),
            ("ids", [99], value),
            ("ids", [[0]], value),
        ],
        "halfspace.HalfspaceIndex.update": [
            ("ids", [0, 2], value),
            ("ids", [1, 1], value),
            ("points", [[1.0, 2.0, 3.0]], value),
            ("points", [[_INF, 0.0, 0.0]] * 2, value),
            ("bias", [0.0], value),
        ],
        "halfspace.AggregateTree": [
            ("weights", [1.0], value),
            ("points", [[_NAN] * 3] * 4, value),
            ("leaf_size", 0, value),
        ],
        "halfspace.AggregateTree.remove": [
            ("ids", [7], value),
            ("ids", [1, 1], value),
            ("ids", ["1"], kind),
        ],
        "halfspace.AggregateTree.aggregate_halfspace": [
            ("normals", [[1.0, 0.0, 0.0]], value),
            ("offsets", _NAN, value),
        ],
        "halfspace.CandidateLists": [
            ("radius", -0.1, value),
            ("anchors", [[0.0, 0.0]], value),
            ("threshold", _NAN, value),
        ],
        "halfspace.CandidateLists.advance": [
            ("rows", [9], value),
            ("rows", [1, 1], value),
            ("values", [[0.1, _NAN, 0.3]], value),
        ],
        "halfspace.CandidateLists.query": [
            ("anchor_of", [0, 1], value),
            ("anchor_of", [0, 1, 3], value),
            ("points", [[0.0, 0.0, 0.5]] * 3, value),
        ],
        "halfspace.ConvexLayers": [
            ("points", [[1.0, 2.0, 3.0]], value),
            ("points", [[_NAN, 0.0]], value),
        ],
        "halfspace.ConvexLayers.query_halfspace": [
            ("offsets", _INF, value),
            ("normals", [[1.0]], value),
        ],
        "halfspace.PartitionTree": [("points", "plane", kind), ("leaf_size", 0, value)],
        "halfspace.PartitionTree.query_halfspace": [("normals", [[_NAN, 0.0]], value)],
        "halfspace.ArcStabbing": [("tau", _NAN, value), ("points", [[1.0]], value)],
        "halfspace.ArcStabbing.query": [("X", [[1.0, 0.0, 0.0]], value)],
        "halfspace.alive_on_slice": [("tau", "low", kind), ("W", [[_INF, 0.0, 0.0]], value)],
        "theory.printed_q0": [("m", 0, value), ("K", -1.0, value), ("K", _NAN, value)],
        "theory.cap_share": [("rho", -1.0, value), ("d", 1, value), ("t", "1", kind)],
        "theory.dense_cost": [("n", 0, value), ("attack_steps", -1, value), ("m", 6.4, kind)],
        "theory.active_count_interval": [("confidence", 0.0, value), ("tau", _INF, value)],
        "theory.printed_gap_bound": [("K", -1.0, value), ("m", None, kind)],
        "adversary.ProjectedGradient": [
            ("rho", -0.1, value),
            ("rho", _NAN, value),
            ("steps", 0, value),
            ("steps", 1.5, kind),
            ("restarts", -1, value),
        ],
        "adversary.SmoothedGradient": [("rho", "0.1", kind), ("steps", 0, value)],
        "adversary.RandomSearch": [("samples", 0, value), ("rho", None, kind)],
        "adversary.ExactAdversary": [("rho", -1.0, value)],
        "adversary.bracket": [
            ("network", 3, kind),
            ("x", [1.0, 0.0, 0.0], value),
            ("x", [0.0, 0.5], value),
            ("rho", -0.1, value),
            ("side", 2, value),
            ("method", "guess", value),
            ("tol", -1.0, value),
            ("time_limit", 0.0, value),
        ],
        "adversary.accuracy": [("y", [1.0, 1.0], value), ("X", [[0.0, 0.0, 0.5]] * 3, value)],
        "adversary.certified_accuracy": [
            ("rho", _NAN, value),
            ("time_limit", -1.0, value),
            ("y", [3.0, 0.0, 0.0], value),
        ],
        "adversary.extremes_on_circle": [("rho", -0.1, value), ("X", [[0.0, 1.0]], value)],
        "training.SublinearAdversarialTraining": [
            ("adversary", None, kind),
            ("loss", "square", value),
            ("eta", 0.0, value),
            ("eta", "fast", value),
            ("eta", _NAN, value),
            ("steps", 0, value),
            ("steps", 2.0, kind),
            ("batch_size", 0, value),
            ("index", "magic", value),
            ("reduction", "fast", value),
            ("progress", 1, kind),
        ],
        "training.SublinearAdversarialTraining.fit": [
            ("network", [[1.0]], kind),
            ("X", [[1.0, 0.0, 0.0]] * 3, value),
            ("X", [[0.0, 0.5]], value),
            ("y", [1.0, -1.0], value),
            ("y", [2.0, 0.0, 0.0], value),
            ("rng", None, kind),
            ("callback", 3, kind),
            ("checkpoint", 3, kind),
            ("checkpoint_every", 0, value),
            ("checkpoint_every", 1.5, kind),
        ],
        "training.EarlyStop": [("patience", 0, value), ("improvement", -1.0, value)],
        "training.Measure": [("every", 0, value), ("time_limit", 0.0, value)],
        "report.make_report": [
            ("data", 3, kind),
            ("m", 0, value),
            ("rho", -0.1, value),
            ("rho", 9.0, value),
            ("steps", 0, value),
            ("seed", -1, value),
            ("activity", 0.9, value),
        ],
        "claims.evidence_path": [("budget", "long", value), ("budget", 3, kind)],
        "claims.verify": [
            ("jobs", 0, value),
            ("seed", -1, value),
            ("budget", "long", value),
            ("progress", 1, kind),
        ],
        "claims.LEDGER.select": [("names", ["thm-4.99"], KeyError, "id")],
        "caching.ResultCache": [("folder", 3, kind)],
        "benchmarks.results_path": [("benchmark", "speed", value)],
        "memorization.memorize": [
            ("mu", 0.9, value),
            ("mu", -0.1, value),
            ("y", [1, _NAN], value),
            ("y", [1], value),
            ("X", [[_NAN, 0.0], [1.0, 1.0]], value),
        ],
        "memorization.separation": [("p", 0.5, value), ("X", [], value)],
        "memorization.certify": [("method", "guess", value), ("radius", -1.0, value)],
        "memorization.Hypergraph": [("edges", [(0, 9)], value), ("vertices", 0, value)],
        "memorization.cycle": [("k", 2, value)],
        "features.FeatureData": [("classes", 1, value), ("dim", 0, value), ("noise", -1.0, value)],
        "features.TrainingSettings": [
            ("samples", 0, value),
            ("rate", 0.0, value),
            ("steps", 1.5, kind),
        ],
        "features.TrainingAttack": [("eps", -0.1, value), ("steps", 0, value)],
        "features.PatchNetwork.random": [
            ("filters", 0, value),
            ("rng", None, kind),
            ("scale", _NAN, value),
        ],
    }
    return tuple(BadInput(call, *entry) for call, entries in table.items() for entry in entries)


BAD_INPUTS: tuple[BadInput, ...] = _entries()
"""What must be refused."""

"""The live labs of half-space reporting: measure the work of a search, and train the survivors.

The first draws networks at growing widths and counts what a tree and the cap bound look at, with
the answers compared with exact arithmetic; the second trains all neurons and, beside them, only
those that can fire.  No formula lives here; in the static page each lab is a still picture.  Before
changing it, know that a count of points tested repeats exactly on every machine; a time does not.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib import geometry, predicates, scaling, statistics, theory
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.halfspace import HalfspaceIndex, alive_on_slice
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, grouped, loss_and_activity, percent, work_against_m
from sublinear_lib.training import DenseAdversarialTraining, SublinearAdversarialTraining
from sublinear_lib.validation import count, scalar
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["measure_the_search", "search_lab", "survivors_lab", "train_the_survivors"]

_SEEDS, _QUERIES, _LEAF = 3, 16, 8
_POINTS = 12


def measure_the_search(m: int, d: int, active: float, seed: int) -> Picture:
    """Count what a tree and the cap bound look at, at four widths, print slopes, draw the work.

    Parameters
    ----------
    m : int
        Largest width, ``>= 4096``; the others are a fourth, a sixteenth and a sixty-fourth of it.
    d : int
        Input dimension, ``d >= 2``.
    active : float
        Expected share of neurons that fire at one input, in (0, 0.5].
    seed : int
        Seed of the networks and of the inputs, ``>= 0``.

    Returns
    -------
    Picture
        Neurons tested for one input of X against the width, by the tree of boxes and by the cap
        bound, and those that fire.  Less than one is drawn as one.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.
    RuntimeError
        If the tree reports another set than exact arithmetic.

    Notes
    -----
    Source: Definition 5.1, Corollary 5.2.
    """
    largest, seed = count(m, "m", minimum=4096), count(seed, "seed", minimum=0)
    d = count(d, "d", minimum=2)
    active = scalar(active, "active", exclusive_minimum=0.0, maximum=0.5)
    widths = [largest // 4**k for k in (3, 2, 1, 0)]
    work = {name: np.ones((_SEEDS, len(widths))) for name in ("tree", "cap bound", "fire")}
    hits = 0
    for draw, (k, width) in ((s, w) for s in range(_SEEDS) for w in enumerate(widths)):
        rng = np.random.default_rng([seed, draw, width])
        tau = scaling.threshold_from_activity(active, width)
        network = TwoLayerNetwork.initialize(width, d, rng=rng, tau=tau)
        X = geometry.sample_slice(_QUERIES, d, rng)
        W, b = network.W, network.b
        truth = predicates.exceeds_many(W, b, X, tau)
        tree = HalfspaceIndex(W, b, method="tree", domain="slice", leaf_size=_LEAF)
        if not np.array_equal(tree.mask_halfspace(X, tau), truth):
            raise RuntimeError("the tree reported another set than exact arithmetic")
        looked = {
            "tree": tree.stats().points_tested / _QUERIES,
            "cap bound": len(alive_on_slice(W, b, tau=tau)),
            "fire": truth.sum() / _QUERIES,
        }
        for name, value in looked.items():
            work[name][draw, k] = max(value, 1.0)
        hits += int(truth.sum())
    print(f"{hits} hits in {_SEEDS * len(widths) * _QUERIES} queries, all as in exact arithmetic")
    promise = float(theory.search_exponent(d))
    print(f"Corollary 5.2 promises the power {promise:.3f}, and k more")
    for name, rows in work.items():
        print(f"{name:<10}", end="")
        if (rows == 1.0).any():
            print("less than one neuron at some width: no slope")
            continue
        slope = statistics.loglog_slope(widths, rows)
        share = float(rows[:, -1].mean()) / largest
        print(f"slope {slope}, at the largest m {percent(share)}")
    return work_against_m(widths, work, ylabel="neurons for one input", name="search-lab")


def train_the_survivors(m: int, d: int, active: float, rho: float, steps: int) -> Picture:
    """Train all neurons, and only those that can fire, print how far the runs agree, draw them.

    Parameters
    ----------
    m : int
        Width, ``m >= 2``.
    d : int
        Input dimension, ``d >= 2``.
    active : float
        Expected share of neurons that fire at one input, in (0, 0.5].
    rho : float
        Radius of the adversary (chord length), ``rho >= 0``.
    steps : int
        Steps of Algorithm 1, ``steps >= 2``.

    Returns
    -------
    Picture
        Loss, and share of the m neurons that a run computes with, over the steps: all neurons,
        dense, beside the survivors, sparse.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range, or no neuron can fire.
    TrainingDiverged
        If a weight or a loss stops being finite.

    Notes
    -----
    Source: Algorithm 1; what cannot fire, never moves.
    """
    m, d = count(m, "m", minimum=2), count(d, "d", minimum=2)
    active = scalar(active, "active", exclusive_minimum=0.0, maximum=0.5)
    steps = count(steps, "steps", minimum=2)
    tau = scaling.threshold_from_activity(active, m)
    start = TwoLayerNetwork.initialize(m, d, rng=0, tau=tau)
    alive = alive_on_slice(start.W, start.b, tau=tau)
    if not len(alive):
        raise ValueError(f"active must leave a neuron that can fire, got {active!r} and m = {m}")
    kept = TwoLayerNetwork(start.W[alive], start.a[alive], start.b[alive], tau)
    X = geometry.sample_slice(_POINTS, d, 1)
    y = np.resize([1.0, -1.0], _POINTS)
    attack = ProjectedGradient(rho=rho, steps=5)
    full = DenseAdversarialTraining(adversary=attack, steps=steps).fit(start, X, y, rng=0)
    part = SublinearAdversarialTraining(adversary=attack, steps=steps, eta=full.eta).fit(
        kept, X, y, rng=0
    )
    moved = np.flatnonzero((full.final.W != start.W).any(axis=1))
    off = float(np.abs(full.final.W[alive] - part.final.W).max())
    print(f"{grouped(len(alive))} of {grouped(m)} neurons can fire on X ", end="")
    print(f"({percent(len(alive) / m)}); {grouped(len(moved))} moved,")
    print(f"{int((~np.isin(moved, alive)).sum())} of these among the removed;", end=" ")
    # The digits of a rounding error are those of a processor.
    words = "below 1e-14" if off < 1e-14 else f"{off:.1e}"
    print(f"largest difference of a weight {words}")
    print(f"loss {full.loss[0]:.3f} to {full.loss[-1]:.3f} with all,", end=" ")
    print(f"{part.loss[0]:.3f} to {part.loss[-1]:.3f} with the survivors")
    return loss_and_activity(
        full.step,
        {"dense": full.loss, "sparse": part.loss},
        {"dense": np.ones(len(full.step)), "sparse": np.asarray(part.candidates) / m},
        name="survivors-lab",
    )


def search_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that measures the work of a search.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, dimension, activity and seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Definition 5.1, Corollary 5.2.
    """
    return LiveLab(
        measure_the_search,
        [
            Slider(
                "m", "largest width *m*", [2**k for k in range(12, 19)], start=2**14, format=grouped
            ),
            Slider("d", "dimension *d*", [2, 3, 4, 6, 8, 16, 32], start=3),
            Slider("active", "activity", [0.001, 0.01, 0.1, 0.5], start=0.01, format=percent),
            Slider("seed", "seed", list(range(12)), start=0),
        ],
        still=still,
        title="Measure the exponent of a search",
    )


def survivors_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that trains the neurons that can fire.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, dimension, activity, radius and steps.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Algorithm 1; what cannot fire, never moves.
    """
    return LiveLab(
        train_the_survivors,
        [
            Slider("m", "width *m*", [2**k for k in range(8, 15)], start=4096, format=grouped),
            Slider("d", "dimension *d*", [2, 3, 4, 6, 8, 16, 32], start=4),
            Slider("active", "activity", [0.001, 0.01, 0.1, 0.5], start=0.01, format=percent),
            Slider("rho", "radius *ρ*", [0.0, 0.05, 0.1, 0.2], start=0.1, format="{:.2f}"),
            Slider("steps", "steps", [10, 30, 60, 100], start=60),
        ],
        still=still,
        title="Train only those that can fire",
    )

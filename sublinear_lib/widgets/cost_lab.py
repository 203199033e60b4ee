"""The second live lab of the first chapter: count the work of one iteration, phase by phase.

It runs one step of Algorithm 1 on the digits, over all neurons and over those that the half-space
index reports, and holds the counts against their closed forms.  No formula lives here; in the
static page the lab is a still picture.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib import datasets, scaling
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, grouped, number, percent, work_bars
from sublinear_lib.theory import candidate_share, dense_cost
from sublinear_lib.training import DenseAdversarialTraining, SublinearAdversarialTraining
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["count_an_iteration", "iteration_lab"]

_PHASES = ("query", "adversary", "forward", "backward")


def count_an_iteration(m: int, t: float, rho: float, attack_steps: int, seed: int) -> Picture:
    """Run one step of Algorithm 1 on the digits both ways, print and draw the row passes.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``.
    rho : float
        Radius of the adversary (chord length), ``rho >= 0``.
    attack_steps : int
        Gradient steps of the adversary, ``>= 1``.
    seed : int
        Seed of the network and of the adversary, ``>= 0``.

    Returns
    -------
    Picture
        Row passes of each phase in units of ``m n``, dense above sparse.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Algorithm 1, Section 1 (the dense cost).
    """
    train, _ = datasets.load_split("digits-3v8", 0.4, 0)
    tau = scaling.threshold_from_standard(t, m)
    start = TwoLayerNetwork.initialize(m, train.d, rng=seed, tau=tau)
    adversary = ProjectedGradient(rho=rho, steps=attack_steps)
    dense, sparse = (
        trainer(adversary=adversary, steps=1).fit(start, train.X, train.y, rng=seed)
        for trainer in (DenseAdversarialTraining, SublinearAdversarialTraining)
    )
    difference = float(np.max(np.abs(dense.final.W - sparse.final.W)))
    passes = [int(run.work.sum()) for run in (dense, sparse)]
    print(f"largest difference between the weights: {difference:.1e}")
    print(f"dense {grouped(passes[0])} row passes, closed form", end=" ")
    print(f"{grouped(int(dense_cost(m, train.n, attack_steps).total))}; sparse", end=" ")
    print(f"{grouped(passes[1])}, {number(passes[0] / passes[1])} times fewer")
    print(f"able to fire in a cap: {percent(float(sparse.candidates[0]) / m)}", end=" ")
    print(f"(closed form {percent(candidate_share(t, train.d, rho))})")
    unit = m * train.n
    return work_bars(
        _PHASES,
        [float(dense.column(f"work_{phase}")[0]) / unit for phase in _PHASES],
        [float(sparse.column(f"work_{phase}")[0]) / unit for phase in _PHASES],
        unit="row passes, in units of *mn*",
        name="iteration-lab",
    )


def iteration_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that counts the work of one iteration.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, threshold, radius, attack steps and seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Algorithm 1, Section 1.
    """
    return LiveLab(
        count_an_iteration,
        [
            Slider("m", "width *m*", [2**k for k in range(6, 15)], start=4096, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(15)],
                start=3.0,
                format="{:.2f}",
            ),
            Slider("rho", "radius *ρ*", [0.0, 0.05, 0.1, 0.2, 0.3], start=0.1, format="{:.2f}"),
            Slider("attack_steps", "steps of the adversary", [1, 5, 10], start=5),
            Slider("seed", "seed", list(range(10)), start=0),
        ],
        still=still,
        title="Count the work of one iteration",
    )

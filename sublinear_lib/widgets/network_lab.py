"""The live labs of the chapter on the definitions: draw pre-activations, train both activations.

One draws a network in any dimension and holds its pre-activations at one input against their law;
the other trains the paper's shifted ReLU and the continuous one from the same weights and shows
when their active sets part.  No formula lives here; in the static page each lab is a still picture.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from sublinear_lib import datasets, geometry, scaling
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import (
    Picture,
    grouped,
    loss_curves,
    number,
    percent,
    preactivation_histogram,
)
from sublinear_lib.theory import active_count_interval
from sublinear_lib.training import SublinearAdversarialTraining
from sublinear_lib.validation import count
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = [
    "activations_training_lab",
    "draw_preactivations",
    "preactivations_lab",
    "train_both_activations",
]


def draw_preactivations(m: int, d: int, t: float, seed: int) -> Picture:
    """Draw a network and an input, compare the pre-activations with their law, draw them.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    d : int
        Dimension of the input, ``d >= 2``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``.
    seed : int
        Seed of the input and the network, ``>= 0``.

    Returns
    -------
    Picture
        Histogram of the pre-activations, with their density and the threshold.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Definition 3.1; the law N(0, 2/m) is that of the proofs of Claim C.6 and Lemma C.15.
    """
    tau = scaling.threshold_from_standard(t, m)
    rng = np.random.default_rng(count(seed, "seed", minimum=0))
    x = geometry.sample_slice(1, d, rng)
    network = TwoLayerNetwork.initialize(m, d, rng=rng, tau=tau)
    z = network.preactivations(x)[0]
    std = scaling.preactivation_std(m)
    p_value = float(stats.kstest(z / std, "norm").pvalue)
    active = int(network.active_mask(x).sum())
    low, high = active_count_interval(tau, m)
    print(f"standard deviation {number(float(z.std()))}, of the law {number(std)}")
    print(f"Kolmogorov-Smirnov p-value: {p_value:.3f}")
    print(f"active: {grouped(active)}; expected {number(m * scaling.activity(tau, m))}", end=", ")
    print(f"99.9 % range {grouped(low)} to {grouped(high)}")
    return preactivation_histogram(z, std=std, tau=tau, name="preactivations-lab")


def train_both_activations(m: int, t: float, rho: float, steps: int, seed: int) -> Picture:
    """Train jump and continuous shifted ReLU from the same weights and compare their active sets.

    Parameters
    ----------
    m : int
        Width, ``m >= 2``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``.
    rho : float
        Radius of the adversary (chord length), ``rho >= 0``.
    steps : int
        Steps of Algorithm 1, ``steps >= 2``.
    seed : int
        Seed of the network and of the adversary, ``>= 0``.

    Returns
    -------
    Picture
        The loss at the adversarial points over the steps, of both runs.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.
    TrainingDiverged
        If a weight or a loss stops being finite.

    Notes
    -----
    Source: Section 3 (the activation), Algorithm 1.
    """
    tau = scaling.threshold_from_standard(t, m)
    data = datasets.circle(8)
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=rho, steps=5), steps=count(steps, "steps", minimum=2)
    )
    curves, before, after = {}, [], []
    for activation in ("jump", "continuous"):
        start = TwoLayerNetwork.initialize(m, 3, rng=seed, tau=tau, activation=activation)
        before.append(start.active_mask(data.X))
        run = trainer.fit(start, data.X, data.y, rng=seed)
        after.append(run.final.active_mask(data.X))
        curves[activation] = (run.step, run.loss)
        print(f"{activation:>10}: loss {run.loss[0]:.3f} to {run.loss[-1]:.3f}")
    pairs = before[0].size
    apart = [int((one != two).sum()) for one, two in (before, after)]
    print(f"of {grouped(pairs)} states (8 examples), {apart[0]} differ before training", end=", ")
    print(f"{grouped(apart[1])} after it ({percent(apart[1] / pairs)})")
    return loss_curves(
        {"from the same weights": curves},
        ylabel="robust training loss",
        name="both-activations-lab",
    )


def preactivations_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that draws the pre-activations of a network in any dimension.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, dimension, threshold and seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Definition 3.1.
    """
    return LiveLab(
        draw_preactivations,
        [
            Slider("m", "width *m*", [2**k for k in range(5, 17)], start=2**14, format=grouped),
            Slider("d", "dimension *d*", [2, 3, 8, 65, 500], start=65),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(15)],
                start=1.5,
                format="{:.2f}",
            ),
            Slider("seed", "seed", list(range(12)), start=0),
        ],
        still=still,
        title="Draw a network and look at its pre-activations",
    )


def activations_training_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that trains both activations from the same weights.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, threshold, radius, steps and seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Section 3 (the activation), Algorithm 1.
    """
    return LiveLab(
        train_both_activations,
        [
            Slider("m", "width *m*", [2**k for k in range(6, 14)], start=1024, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(11)],
                start=1.0,
                format="{:.2f}",
            ),
            Slider("rho", "radius *ρ*", [0.0, 0.05, 0.1, 0.2], start=0.1, format="{:.2f}"),
            Slider("steps", "steps", [30, 100, 300, 1000], start=300),
            Slider("seed", "seed", list(range(12)), start=0),
        ],
        still=still,
        title="Train both activations from the same weights",
    )

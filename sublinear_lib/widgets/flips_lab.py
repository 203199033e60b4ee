"""The live labs of the chapter on flips: be the adversary on the circle, and train and count.

One draws a network and finds the input at which most neurons can flip, the other trains on the
circle and counts after every step who has flipped, at the examples and at the worst input.  No
formula lives here; in the static page each lab is a still picture.  Before changing it, know that
all maxima over the circle are exact, so that a printed comparison may be made in so many words.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sublinear_lib import datasets, scaling, theory
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import (
    Picture,
    flips_around_circle,
    flips_during_training,
    grouped,
    number,
)
from sublinear_lib.training import StepRecord, SublinearAdversarialTraining
from sublinear_lib.validation import count, scalar
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["flips_lab", "flips_training_lab", "search_the_circle", "train_and_count"]

_ANGLES = np.linspace(0.0, 360.0, 361)


def search_the_circle(m: int, t: float, K: float, seed: int) -> Picture:
    """Draw a network, find where most of its neurons can flip, print the counts, draw them.

    Parameters
    ----------
    m : int
        Width, ``m >= 2``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``.
    K : float
        Size of the ball of radius ``K m^(-3/5)``, ``> 0``.
    seed : int
        Seed of the network, ``>= 0``.

    Returns
    -------
    Picture
        The number of neurons that can flip at every point of the circle (``d = 3``), with its mean
        and range at one point and the bound of Theorem B.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Claim C.2, Theorem B of this project.
    """
    m = count(m, "m", minimum=2)
    tau = scaling.threshold_from_standard(t, m)
    delta = scaling.PRINTED.radius(m, scalar(K, "K", exclusive_minimum=0.0))
    rng = np.random.default_rng(count(seed, "seed", minimum=0))
    network = TwoLayerNetwork.initialize(m, 3, rng=rng, tau=tau)
    counts = theory.near_counts_on_circle(network, delta, np.radians(_ANGLES))
    best = theory.max_near_on_circle(network, delta)
    mean = theory.expected_flips(tau, m, delta)
    low, high = theory.flip_count_interval(tau, m, delta)
    limit = theory.uniform_near_bound(tau, m, 3, delta)
    angle = math.degrees(math.atan2(float(best.x[1]), float(best.x[0]))) % 360.0
    print(f"at the angle 0: {grouped(int(counts[0]))} neurons can flip")
    print(f"expected there: {number(mean, 4)}, 99.9 % range {grouped(low)} to {grouped(high)}")
    print(f"at the worst angle, {angle:.1f} degrees: {grouped(best.count)}", end="; ")
    print(f"Theorem B allows {grouped(limit)}")
    return flips_around_circle(
        _ANGLES,
        counts,
        mean=mean,
        interval=(low, high),
        fixed=(0.0, float(counts[0])),
        largest=(angle, float(best.count)),
        levels={"Theorem B": float(limit)},
        name="circle-lab",
    )


def train_and_count(m: int, t: float, rho: float, steps: int) -> Picture:
    """Train on eight points of the circle, count after every step who has flipped, draw it.

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

    Returns
    -------
    Picture
        Neurons whose state at one of the examples differs from the start, the largest number that
        differ at one point of the circle, and the largest number that weights as far away as the
        farthest neuron could flip at one point.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.
    TrainingDiverged
        If a weight or a loss stops being finite.

    Notes
    -----
    Source: Claim 4.6 = C.16 along Algorithm 1.  Both maxima over the circle are exact.
    """
    m = count(m, "m", minimum=2)
    data = datasets.circle(8)
    tau = scaling.threshold_from_standard(t, m)
    start = TwoLayerNetwork.initialize(m, 3, rng=0, tau=tau)
    before = start.active_mask(data.X)
    somewhere, everywhere, possible = [], [], []
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=rho, steps=5), steps=count(steps, "steps", minimum=2)
    )

    def look(record: StepRecord, network: Callable[[], TwoLayerNetwork]) -> None:
        now = network()
        changed = now.active_mask(data.X) != before
        distance = theory.regret.norm_2_inf(now.W - start.W)
        somewhere.append(int(changed.any(axis=0).sum()))
        everywhere.append(theory.max_flips_on_circle(start, now.W).count)
        possible.append(theory.max_near_on_circle(start, distance).count)

    run = trainer.fit(start, data.X, data.y, rng=0, callback=look)
    far = float(run.drift_max[-1])
    delta = scaling.PRINTED.radius(m)
    print(f"loss {run.loss[0]:.3f} to {run.loss[-1]:.3f}; farthest neuron {number(far)}", end=", ")
    print(f"{number(far / delta)} times m^(-3/5)")
    print(f"flipped at one of the 8 examples: {grouped(somewhere[-1])}", end="; ")
    print(f"at the worst x: {grouped(everywhere[-1])} of {grouped(possible[-1])} possible")
    return flips_during_training(
        run.step,
        {"at some example": somewhere, "at the worst *x*": everywhere},
        {"possible at one *x*": possible},
        name="training-flips-lab",
    )


def flips_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that searches the circle for the input at which most neurons can flip.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, threshold, ball and seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Claim C.2, Theorem B of this project.
    """
    return LiveLab(
        search_the_circle,
        [
            Slider("m", "width *m*", [2**k for k in range(6, 19)], start=2**16, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(15)],
                start=0.0,
                format="{:.2f}",
            ),
            Slider("K", "size *K* of the ball", [0.25, 0.5, 1.0, 2.0, 4.0], start=1.0),
            Slider("seed", "seed", list(range(12)), start=3),
        ],
        still=still,
        title="Choose the input after seeing the network",
    )


def flips_training_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that trains on the circle and counts who has flipped.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, threshold, radius and steps.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Claim 4.6 = C.16 along Algorithm 1.
    """
    return LiveLab(
        train_and_count,
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
            Slider("steps", "steps", [10, 30, 60, 100, 200], start=60),
        ],
        still=still,
        title="Train, and watch who flips",
    )

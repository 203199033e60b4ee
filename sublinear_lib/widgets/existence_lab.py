"""The live labs of the chapter on existence: build W* in your own network, and train beside it.

Both work on three points of the circle with labels 1, -1, 1, where the best adversary is exact.
No formula lives here; in the static page the labs are still pictures.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from sublinear_lib import datasets, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import ExactOnCircle
from sublinear_lib.geometry import cap_angle
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, circle_fit_picture, grouped, number
from sublinear_lib.theory import existence, regret
from sublinear_lib.training import SublinearAdversarialTraining
from sublinear_lib.validation import choice, count
from sublinear_lib.widgets._circle import exact_worst_loss, on_circle
from sublinear_lib.widgets._menus import ACTIVATIONS
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = [
    "build_good_weights",
    "fit_beside_training",
    "good_weights_lab",
    "training_beside_lab",
]

_ANGLES = np.linspace(-np.pi, np.pi, 721)
_TOLERANCE = 0.05


def _caps(data: datasets.Dataset, rho: float) -> FloatArray:
    middle = np.arctan2(data.X[:, 1], data.X[:, 0])
    half = np.full(data.n, cap_angle(rho))
    return np.column_stack((middle, half, data.y))


def _moved(start: TwoLayerNetwork, shifts: FloatArray) -> TwoLayerNetwork:
    W = np.array(start.W)
    W[:, 2] += shifts
    return start.with_weights(W)


def _smallest(
    start: TwoLayerNetwork, data: datasets.Dataset, rho: float
) -> existence.RadiusBracket:
    """Solve the linear program for g to meet the labels less f(.; W_0) on the caps."""
    caps = _caps(data, rho)
    angles = np.concatenate(
        [middle + half * np.linspace(-1.0, 1.0, 17) for middle, half, _ in caps]
    )
    points = on_circle(angles)
    wanted = np.repeat(data.y, 17) - start.forward(points)
    return existence.smallest_radius(
        start.W, start.b, start.a, start.tau, points, wanted, _TOLERANCE
    )


def _said(label: str, network: TwoLayerNetwork, start: TwoLayerNetwork, loss: float) -> None:
    radius = regret.norm_2_inf(network.W - start.W)
    print(f"{label}: radius {number(radius * start.m**0.8)} m^(-4/5)", end=", ")
    print(f"exact worst-case loss {number(loss)}")


def build_good_weights(m: int, t: float, activation: str, rho: float, seed: int) -> Picture:
    """Build W* in three ways, print its radius and exact robust loss, draw the network.

    Parameters
    ----------
    m : int
        Width, ``m >= 3``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``.
    activation : {"jump", "continuous"}
        The activation.
    rho : float
        Radius of the caps (chord length), ``0 <= rho < 3/4``.
    seed : int
        Seed of the network.

    Returns
    -------
    Picture
        f on the circle for all three, with the caps.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Lemmas B.9 and C.18, Theorem 4.4, Theorem E; the third W* solves a linear program.
    """
    m, data = count(m, "m", minimum=3), datasets.circle(3)
    tau = scaling.threshold_from_standard(t, m)
    form = choice(activation, "activation", tuple(ACTIVATIONS))
    start = TwoLayerNetwork.initialize(m, 3, rng=seed, tau=tau, activation=form)
    feature = existence.hermite_feature(existence.bump(Fraction(-1, 8)), math.sqrt(m) * tau)
    weights = feature, start.W, start.b, start.a, data.X, data.y
    found = {
        "proof": _moved(start, existence.explicit_shifts(*weights)),
        "Theorem E": _moved(start, existence.explicit_shifts(*weights, shared=True)),
        "linear program": _moved(start, _smallest(start, data, rho).shifts),
    }
    for label, network in found.items():
        _said(label, network, start, exact_worst_loss(network, data, rho))
    points = on_circle(_ANGLES)
    return circle_fit_picture(
        _ANGLES,
        {label: network.forward(points) for label, network in found.items()},
        _caps(data, rho),
        ylabel="*f* at *W*^{*}",
        name="good-weights-lab",
    )


def good_weights_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that writes W* down.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, threshold, activation, radius and seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Theorem 4.4.
    """
    return LiveLab(
        build_good_weights,
        [
            Slider("m", "width *m*", [2**k for k in range(8, 19)], start=2**14, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(11)],
                start=0.0,
                format="{:.2f}",
            ),
            Choice("activation", "activation", ACTIVATIONS),
            Slider("rho", "radius *ρ*", [0.05, 0.1, 0.2, 0.3, 0.4], start=0.2, format="{:.2f}"),
            Slider("seed", "seed", list(range(10)), start=1),
        ],
        still=still,
        title="Build the good weights in your own network",
    )


def fit_beside_training(m: int, rho: float, steps: int, seed: int) -> Picture:
    """Train from the same start against the exact adversary, and compare with W*.

    Parameters
    ----------
    m : int
        Width, ``m >= 3``; the threshold is ``1/m``.
    rho : float
        Radius of the caps (chord length), ``0 <= rho < 3/4``.
    steps : int
        Steps of Algorithm 1, ``steps >= 1``.
    seed : int
        Seed of the network.

    Returns
    -------
    Picture
        f on the circle after training and at the W* of the linear program.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.
    TrainingDiverged
        If a weight or a loss stops being finite.

    Notes
    -----
    Source: Algorithm 1, Theorem 4.4.
    """
    m, data = count(m, "m", minimum=3), datasets.circle(3)
    start = TwoLayerNetwork.initialize(m, 3, rng=seed, tau=1.0 / m)
    trainer = SublinearAdversarialTraining(
        adversary=ExactOnCircle(rho=rho), loss="absolute", steps=steps
    )
    bracket = _smallest(start, data, rho)
    found = {
        "trained": trainer.fit(start, data.X, data.y, rng=0).final,
        "linear program": _moved(start, bracket.shifts),
    }
    for label, network in found.items():
        _said(label, network, start, exact_worst_loss(network, data, rho))
    print(f"no W nearer than {number(bracket.lower * m**0.8)} m^(-4/5)", end=" ")
    print(f"has a g within {_TOLERANCE} of what the caps ask for")
    points = on_circle(_ANGLES)
    return circle_fit_picture(
        _ANGLES,
        {label: network.forward(points) for label, network in found.items()},
        _caps(data, rho),
        ylabel="*f*",
        name="beside-lab",
    )


def training_beside_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that trains beside W*.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, radius, steps and seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Algorithm 1, Theorem 4.4.
    """
    return LiveLab(
        fit_beside_training,
        [
            Slider("m", "width *m*", [2**k for k in range(8, 17)], start=4096, format=grouped),
            Slider("rho", "radius *ρ*", [0.05, 0.1, 0.2, 0.3, 0.4], start=0.2, format="{:.2f}"),
            Slider("steps", "steps", [10, 30, 100, 300], start=100),
            Slider("seed", "seed", list(range(10)), start=1),
        ],
        still=still,
        title="Train from the same start, and compare",
    )

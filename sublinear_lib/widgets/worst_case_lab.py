"""The live labs of the chapter on the adversary: hunt one supremum, and compare attacks on many.

The first draws a network on the circle, computes its exact worst case in one cap and lets three
attacks look for it; the second repeats this on several networks, for d = 3 or 4, and gives means
with intervals.  No formula lives here; in the static page a lab is a still picture.
"""

from __future__ import annotations

import math

import numpy as np

from sublinear_lib import geometry, scaling, statistics
from sublinear_lib.adversary import (
    Adversary,
    Height,
    ProjectedGradient,
    RandomSearch,
    SmoothedGradient,
    extremes_on_circle,
    mean_shares_found,
    pieces_on_circle,
)
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, found_picture, grouped, landscape_picture, percent
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["attack_lab", "compare_attacks", "hunt_supremum", "supremum_lab"]

_ACTIVATIONS = ("jump", "continuous")
_CAPS = 4


def _attacks(rho: float, steps: int, restarts: int) -> dict[str, Adversary]:
    """Return three attacks that look at about the same number of points."""
    return {
        "plain": ProjectedGradient(rho=rho, steps=steps, restarts=restarts),
        "smoothed": SmoothedGradient(rho=rho, steps=steps, restarts=restarts),
        "random": RandomSearch(rho=rho, samples=steps * restarts),
    }


def hunt_supremum(m: int, t: float, activation: str, rho: float, seed: int) -> Picture:
    """Draw a network, find its exact worst case in one cap, print what three attacks find, draw it.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``.
    activation : {"jump", "continuous"}
        Form of the shifted ReLU.
    rho : float
        Radius of the cap (chord length), ``> 0``.
    seed : int
        Seed of the network, ``>= 0``.

    Returns
    -------
    Picture
        f around the circle and in the cap (``d = 3``), its exact extremes, and where the attacks
        ended; each looks at 41 points.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Definitions 3.3 and 3.4 for d = 3.
    """
    m = count(m, "m")
    choice(activation, "activation", _ACTIVATIONS)
    rho = scalar(rho, "rho", exclusive_minimum=0.0)
    tau = scaling.threshold_from_standard(t, m)
    rng = np.random.default_rng(count(seed, "seed", minimum=0))
    network = TwoLayerNetwork.initialize(m, 3, rng=rng, tau=tau, activation=activation)
    x = geometry.embed(np.array([[1.0, 0.0]]))
    (worst,) = extremes_on_circle(network, x, rho)
    clean = float(network.forward(x)[0])
    reached = "attained" if worst.sup_attained else "not attained"
    print(f"f(x) = {clean:.4f}, sup = {worst.sup:.4f} ({reached})", end="; ")
    print(f"{grouped(worst.ends)} switches in the cap")
    ended, told = {}, []
    for name, attack in _attacks(rho, 40, 1).items():
        found = attack(network, x, [0.0], Height(), rng=0)
        u, v = geometry.directions(found.X)[0]
        value = float(found.value[0])
        ended[name] = (math.atan2(v, u), value)
        share = (value - clean) / (worst.sup - clean) if worst.sup > clean else 1.0
        told.append(f"{name} {percent(min(1.0, share))}")
    print(f"found of the difference: {', '.join(told)}")
    return landscape_picture(
        pieces_on_circle(network),
        pieces_on_circle(network, 0.0, geometry.cap_angle(rho)),
        worst,
        ended,
        name="supremum-lab",
    )


def compare_attacks(
    d: int, m: int, t: float, activation: str, rho: float, networks: int
) -> Picture:
    """Print and draw which share of the exact worst case three attacks find, over several networks.

    Parameters
    ----------
    d : int
        Input dimension, 3 or 4.
    m : int
        Width, ``m >= 1``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``.
    activation : {"jump", "continuous"}
        Form of the shifted ReLU.
    rho : float
        Radius of the caps (chord length), ``> 0``.
    networks : int
        How many networks, ``>= 2``, with four caps each.

    Returns
    -------
    Picture
        The mean shares with 95 % intervals.  The gradient attacks get 8 starts of 40 steps, random
        search 320 points.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Definitions 3.3 and 3.4 for d = 3 and 4.
    """
    choice(activation, "activation", _ACTIVATIONS)
    shares = mean_shares_found(
        m,
        d,
        t=t,
        attacks=_attacks(scalar(rho, "rho", exclusive_minimum=0.0), 40, 8),
        networks=count(networks, "networks", minimum=2),
        caps=_CAPS,
        rng=0,
        activation=activation,
    )
    found = {}
    for name, values in shares.items():
        q = statistics.t_interval(values)
        found[name] = [(q.estimate, q.lower, q.upper)]
        print(f"{name:>8}: {q}")
    return found_picture([f"*d* = {d}, *m* = {grouped(m)}\n{activation}"], found, name="attack-lab")


def supremum_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that hunts the supremum of one network over one cap.

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
    Source: Definitions 3.3 and 3.4 for d = 3.
    """
    return LiveLab(
        hunt_supremum,
        [
            Slider("m", "width *m*", [2**k for k in range(5, 18)], start=2**14, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(13)],
                start=1.5,
                format="{:.2f}",
            ),
            Choice("activation", "activation", _ACTIVATIONS),
            Slider(
                "rho", "radius *ρ*", [0.05, 0.1, 0.2, 0.3, 0.5, 0.8], start=0.2, format="{:.2f}"
            ),
            Slider("seed", "seed", list(range(20)), start=0),
        ],
        still=still,
        title="Hunt the supremum of your network",
    )


def attack_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that compares three attacks on several networks.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for dimension, width, threshold, activation, radius and number of networks.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Definitions 3.3 and 3.4 for d = 3 and 4.
    """
    return LiveLab(
        compare_attacks,
        [
            Slider("d", "dimension *d*", [3, 4], start=4),
            Slider("m", "width *m*", [125, 250, 500, 1000, 2000], start=500, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(11)],
                start=2.0,
                format="{:.2f}",
            ),
            Choice("activation", "activation", _ACTIVATIONS),
            Slider("rho", "radius *ρ*", [0.05, 0.1, 0.2, 0.3], start=0.1, format="{:.2f}"),
            Slider("networks", "networks", [4, 8, 16, 32], start=8),
        ],
        still=still,
        title="Which attack finds how much?",
    )

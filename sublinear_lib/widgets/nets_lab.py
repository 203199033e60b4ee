"""The live labs of the chapter on nets: lay your own net, and move your own input.

One lays a net on the circle over a network of the reader's own and compares what it promises with
the exact supremum; the other hands the weights at which f changes most to the network itself and
moves the input step by step.  No formula lives here; in the static page the labs are still
pictures.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib import scaling, theory
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import worst_gap_everywhere
from sublinear_lib.geometry import cap_supports, sample_slice
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, cost_curves, grouped, net_picture, number
from sublinear_lib.validation import choice, count
from sublinear_lib.widgets._circle import on_circle
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["lay_a_net", "move_the_input", "moving_lab", "net_lab"]

_GRID = 361  # whole degrees: nets of 12 to 180 points have their peaks on it
_SHARES = np.geomspace(1e-3, 1.0, 13)
_LEVELS = {
    "1/m": (scaling.ONE_OVER_M, "τ = 1/m (Lemma 4.2)"),
    "m^-3/5": (scaling.K_M35, "τ = 1/m^(3/5) (Section 4.2)"),
    "R3": (scaling.R3.tau_rule, "t = √(0.4 log m) (R3)"),
}


def _worst(network: TwoLayerNetwork, delta: float, X: FloatArray) -> FloatArray:
    """Return ``sup_W |f - g - B|`` at every point."""
    above = theory.worst_gap_network(network, delta, "above", centered=True).forward(X)
    below = theory.worst_gap_network(network, delta, "below", centered=True).forward(X)
    return np.asarray(np.maximum(above, below))


def lay_a_net(m: int, t: float, K: float, points: int, seed: int) -> Picture:
    """Lay a net on the circle, print what it promises and what is true, and draw both.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``; output weights ``m^{-1/5}``, continuous activation.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``>= 0``.
    K : float
        The ball has the radius ``K m^{-3/5}``; ``K > 0``.
    points : int
        Number of points of the net, ``>= 2``, at equal angles.
    seed : int
        Seed of the network.

    Returns
    -------
    Picture
        The worst gap around the circle, the net, and the bound that it gives.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Theorem C.1 and Theorem A of this project, d = 3.
    """
    m, points = count(m, "m"), count(points, "points", minimum=2)
    tau, delta = scaling.threshold_from_standard(t, m), scaling.PRINTED.radius(m, K)
    network = TwoLayerNetwork.initialize(m, 3, rng=seed, tau=tau, activation="continuous")
    true = worst_gap_everywhere(network, delta)
    degrees = np.linspace(-180.0, 180.0, _GRID)
    at = np.arange(points) * 360.0 / points - 180.0
    X, net = on_circle(np.radians(degrees)), on_circle(np.radians(at))
    values = _worst(network, delta, net)
    ceiling = theory.net_ceiling(X, net, values, theory.gap_slope(network))
    certified = theory.certified_gap_bound(m, 3, scaling.PRINTED.output_weight(m), delta, tau)
    print(f"exact supremum over all inputs: {number(true.sup)}")
    print(f"largest on the net: {number(float(values.max()))}, the net promises", end=" ")
    print(number(float(ceiling.max())))
    print(f"certified before the draw, best spacing: {number(certified.value)}")
    title = f"{grouped(points)} points, *m* = {grouped(m)}"
    return net_picture(
        degrees,
        _worst(network, delta, X),
        {title: (at, values)},
        {title: ceiling},
        ylabel="sup |*f* \N{MINUS SIGN} *g* \N{MINUS SIGN} *B*| over the ball",
        name="net-lab",
    )


def move_the_input(m: int, d: int, threshold: str, seed: int) -> Picture:
    """Move an input by 1/m at the weights where f changes most, print the bounds, draw the change.

    Parameters
    ----------
    m : int
        Width, ``m >= 2``; output weights ``m^{-1/5}``, radius ``m^{-3/5}``.
    d : int
        Input dimension, ``d >= 2``.
    threshold : {"1/m", "m^-3/5", "R3"}
        The rule for the threshold.
    seed : int
        Seed of the network and of the input.

    Returns
    -------
    Picture
        ``|f(x + mu) - f(x)|`` against ``||mu||`` along the gradient, for either activation at its
        own worst weights, with the printed bound.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Lemma 4.2 = C.9 and Theorem C of this project.
    """
    m, d = count(m, "m", minimum=2), count(d, "d", minimum=2)
    rule, _ = _LEVELS[choice(threshold, "threshold", tuple(_LEVELS))]
    tau = rule.tau(m, K=1.0, c=scaling.R3.c)
    a, delta, nu = scaling.PRINTED.output_weight(m), scaling.PRINTED.radius(m), 1.0 / m
    start = TwoLayerNetwork.initialize(m, d, rng=np.random.default_rng([seed, 0]), tau=tau)
    x = sample_slice(1, d, np.random.default_rng([seed, 1]))
    towards = start.input_gradient(x)
    moved = np.concatenate([cap_supports(towards, x, nu * share)[1] for share in _SHARES])
    curves = {}
    for form in ("jump", "continuous"):
        network = TwoLayerNetwork(start.W, start.a, start.b, tau, form)
        worst = theory.perturbation.perturbed_weights(network, x[0], moved[-1], delta)
        best = network.with_weights(worst.W)
        change = np.abs(best.forward(moved) - best.forward(x))
        curves[form] = np.maximum(change, 1e-300)
        sure = theory.perturbation.certified_change(m, d, a, nu, delta, tau, form)
        print(f"{form}: sup {number(worst.supremum)}, shown", end=" ")
        print(f"{number(worst.change)}; certified, all x: {number(sure.f.total)}")
    printed = theory.perturbation.printed_f_bound(m, 1.0)
    print(f"printed bound (5), constant 1: {number(printed)}")
    return cost_curves(
        nu * _SHARES,
        predicted=curves,
        reference=("printed", np.full(_SHARES.size, printed)),
        xlabel="length of the move \N{DOUBLE VERTICAL LINE}*μ*\N{DOUBLE VERTICAL LINE}",
        ylabel="change of *f* at the worst weights",
        xscale="log10",
        name="moving-lab",
    )


def net_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that lays a net on the circle.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, threshold, ball, net and seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Theorem C.1 and Theorem A of this project.
    """
    return LiveLab(
        lay_a_net,
        [
            Slider("m", "width *m*", [2**k for k in range(6, 19, 2)], start=4096, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(13)],
                start=1.75,
                format="{:.2f}",
            ),
            Slider("K", "constant *K* of the ball", [0.5, 1.0, 2.0, 4.0], start=1.0),
            Slider("points", "points of the net", [12, 36, 60, 90, 180], start=60),
            Slider("seed", "seed", list(range(10)), start=0),
        ],
        still=still,
        title="Lay a net over your own network",
    )


def moving_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that moves an input at the worst weights.

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
    Source: Lemma 4.2 = C.9 and Theorem C of this project.
    """
    return LiveLab(
        move_the_input,
        [
            Slider("m", "width *m*", [2**k for k in range(6, 19, 2)], start=4096, format=grouped),
            Slider("d", "dimension *d*", [3, 4, 8, 16, 32], start=8),
            Choice(
                "threshold", "threshold *τ*", {key: shown for key, (_, shown) in _LEVELS.items()}
            ),
            Slider("seed", "seed", list(range(10)), start=0),
        ],
        still=still,
        title="Move your own input",
    )

"""The explorer of the chapter on Definitions 3.1-3.9: the bell of pre-activations and a threshold.

It draws the pre-activations of one network (Definition 3.1) at one input, with their density
N(0, 2/m), on an axis that does not change with the width: the reader sees the bell narrow as
``m^{-1/2}`` while the threshold stays where it was put.  The input is either one that was chosen
before the network, or one that was tuned to it, where the law need not hold.  No formula lives
here.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy import stats

from sublinear_lib import geometry, scaling, theory
from sublinear_lib._typing import FloatArray
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Role, grouped, number, percent
from sublinear_lib.validation import choice, count
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Bars, Line, Rule, View

__all__ = ["preactivation_explorer", "preactivation_view"]

_D = 257  # high enough that an input can be tuned to a network
_REACH = 0.8
_BINS_PER_STD = 4
_POINTS = {
    "before": "chosen before the network",
    "after": "chosen after it: along the mean weights",
}
_RULES: tuple[tuple[scaling.Scaling, str, Role], ...] = (
    (scaling.PRINTED, "1/*m*", "c4"),
    (scaling.R3, "R3", "c3"),
)


@lru_cache(maxsize=64)
def _scores(m: int, point: str, seed: int) -> FloatArray:
    network = TwoLayerNetwork.initialize(m, _D, rng=np.random.default_rng([seed, m]))
    direction = network.W[:, :-1].mean(axis=0) if point == "after" else np.eye(_D - 1)[0]
    x = geometry.embed(direction[None, :] / np.linalg.norm(direction))
    return np.asarray(network.preactivations(x)[0])


def preactivation_view(m: int, tau: float, point: str, seed: int) -> View:
    """Show the pre-activations of one network at one input, and who lies beyond the threshold.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    tau : float
        Threshold in absolute units, ``tau >= 0``.
    point : {"before", "after"}
        Whether the input was chosen before the network, or after it, in the direction of the mean
        of the weight vectors.  The dimension is 257.
    seed : int
        Seed of the network, ``>= 0``.

    Returns
    -------
    View
        Histogram, density, threshold, the shaded active tail, and the thresholds of two presets.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Definitions 3.1 and 3.9.
    """
    m = count(m, "m")
    choice(point, "point", tuple(_POINTS))
    seed = count(seed, "seed", minimum=0)
    t = scaling.standardize_threshold(tau, m)
    std = scaling.preactivation_std(m)
    scores = _scores(m, point, seed)
    drawn = int(np.count_nonzero(scores > tau))
    side = math.ceil(_REACH / (std / _BINS_PER_STD))
    edges = np.arange(-side, side + 1) * (std / _BINS_PER_STD)
    density = np.histogram(scores, bins=edges)[0] / (m * np.diff(edges))
    z = np.linspace(-_REACH, _REACH, 321)
    expected = m * scaling.activity(tau, m)
    low, high = theory.active_count_interval(tau, m)
    return View(
        x=Axis(label="pre-activation *z* = ⟨*w*, *x*⟩ + *b*", limits=(-_REACH, _REACH)),
        y=Axis(label="density", limits=(0.0, 1.25 * float(stats.norm.pdf(0.0)) / std)),
        marks=[
            Bars(edges, density, label="drawn neurons", role="muted"),
            Bars(edges, density, label="active", role="c1", within=(min(tau, _REACH), _REACH)),
            Line(z, stats.norm.pdf(z, scale=std), label="", role="c2", dash=True),
            *(
                Rule(rules.tau(m), label=label, role=role, dash=True)
                for rules, label, role in _RULES
            ),
            Rule(tau, label="*τ*", role="ink", drag="tau"),
        ],
        sentence=(
            f"With {grouped(m)} neurons the pre-activations spread by √(2/m) = {number(std)}, so "
            f"the threshold {number(tau)} stands at t = τ √(m/2) = {number(t)}. The law N(0, 2/m), "
            f"dashed, expects the share Q(t) = {percent(scaling.activity_at(t))} to be active, "
            f"{number(expected)} neurons; in the drawn network {grouped(drawn)} are "
            f"({percent(drawn / m)})."
        ),
        readouts={
            "√(2/*m*)": number(std),
            "*t* = *τ* √(*m*/2)": number(t),
            "*Q*(*t*)": percent(scaling.activity_at(t)),
            "expected": number(expected),
            "99.9 % range": f"{grouped(low)} to {grouped(high)}",
            "drawn": grouped(drawn),
            "jump at *τ*": number(tau),
        },
        warning=_what_fails(drawn, point, (low, high)),
    )


def _what_fails(drawn: int, point: str, ends: tuple[int, int]) -> str | None:
    """Say which hypothesis of the law fails at the chosen point, or what else goes wrong."""
    said = []
    if point == "after":
        inside = ends[0] <= drawn <= ends[1]
        said.append(
            "The law asks for an input that does not depend on the network, and this one was "
            "chosen after looking at it. The count is "
            + ("still within" if inside else "outside")
            + " the 99.9 % range of the law."
        )
    if drawn == 0:
        said.append(
            "No neuron of the drawn network is active here: its output and all its gradients are "
            "zero, and nothing can be learned at this input."
        )
    return " ".join(said) or None


def preactivation_explorer() -> Explorer:
    """Build the explorer of width and threshold for the law of the pre-activations.

    Returns
    -------
    Explorer
        Sliders for ``m = 2^5 ... 2^12``, ``tau = 0 ... 0.6`` in absolute units, the input, and two
        seeds.

    Notes
    -----
    Source: Definitions 3.1 and 3.9.
    """
    return Explorer(
        preactivation_view,
        [
            Slider("m", "width *m*", [2**k for k in range(5, 13)], start=256, format=grouped),
            Slider(
                "tau",
                "threshold *τ*",
                [round(0.02 * k, 2) for k in range(31)],
                start=0.1,
                format="{:.2f}",
            ),
            Choice("point", "input *x*", _POINTS),
            Slider("seed", "seed of the network", [0, 1]),
        ],
        title="The bell of pre-activations and the threshold",
        name="preactivation-explorer",
    )

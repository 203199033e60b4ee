"""The explorer of the chapter on Definitions 3.1-3.9: the bell of pre-activations and a threshold.

It draws the pre-activations of one network (Definition 3.1) at one input, with their law N(0, 2/m),
on axes that do not change with the width: the reader sees the bell narrow as ``m^{-1/2}`` while the
threshold stays where it was put.  No formula lives here.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy import stats

from sublinear_lib import geometry, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Role, grouped, number, percent
from sublinear_lib.validation import count
from sublinear_lib.widgets._menus import width
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Bars, Line, Rule, View

__all__ = ["preactivation_explorer", "preactivation_view"]

_D, _SEED, _REACH = 257, 0, 0.4
_BINS_PER_STD = 4
_RULES: tuple[tuple[scaling.Scaling, str, Role], ...] = (
    (scaling.PRINTED, "printed", "ink"),
    (scaling.R3, "sparse", "c1"),
)


@lru_cache(maxsize=64)
def _scores(m: int) -> FloatArray:
    network = TwoLayerNetwork.initialize(m, _D, rng=np.random.default_rng([_SEED, m]))
    return np.asarray(network.preactivations(geometry.embed(np.eye(1, _D - 1)))[0])


def preactivation_view(tau: float, m: int) -> View:
    """Show the pre-activations of one network at one input, and which lie beyond the threshold.

    Parameters
    ----------
    tau : float
        Threshold in absolute units, ``tau >= 0``.
    m : int
        Width, ``m >= 1``.

    Returns
    -------
    View
        Histogram with bars a quarter of a standard deviation wide, the law, the threshold, the
        shaded active tail, and the thresholds of two presets.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Definitions 3.1 and 3.9.  The dimension is 257, and the input was chosen before the
    network was drawn.
    """
    m = count(m, "m")
    t = scaling.standardize_threshold(tau, m)
    std = scaling.preactivation_std(m)
    scores = _scores(m)
    drawn = int(np.count_nonzero(scores > tau))
    side = math.ceil(_REACH / (std / _BINS_PER_STD))
    edges = np.arange(-side, side + 1) * (std / _BINS_PER_STD)
    share = np.histogram(scores, bins=edges)[0] / m
    z = np.linspace(-_REACH, _REACH, 321)
    return View(
        x=Axis(label="what a neuron adds up", limits=(-_REACH, _REACH)),
        y=Axis(label="share of the neurons", limits=(0.0, 0.16), format=percent),
        marks=[
            Bars(edges, share, label="silent", role="muted"),
            Bars(edges, share, label="fire", role="c1", within=(min(tau, _REACH), _REACH)),
            Line(z, stats.norm.pdf(z / std) / _BINS_PER_STD, role="ink", width=1.25),
            *(
                Rule(rules.tau(m), label=label, role=role, dash=True)
                for rules, label, role in _RULES
            ),
            Rule(tau, label="*τ*", role="ink", drag="tau"),
        ],
        sentence=(
            f"{grouped(drawn)} of the {grouped(m)} neurons fire ({percent(drawn / m)}). One "
            f"standard deviation is √(2/m) = {number(std)}, so the threshold τ = {number(tau)} "
            f"stands t = {number(t)} standard deviations above zero, where the bell curve lets "
            f"{percent(scaling.activity_at(t))} through."
        ),
        warning=(
            "No neuron fires here. The output and all gradients are zero, so nothing can be "
            "learned at this input."
            if drawn == 0
            else None
        ),
    )


def preactivation_explorer(*, m: int = 512, tau: float = 0.0625) -> Explorer:
    """Build the explorer of width and threshold for the law of the pre-activations.

    Parameters
    ----------
    m : int, default 512
        The width to start from, a power of two from ``2^7`` to ``2^13``.
    tau : float, default 0.0625
        The threshold to start from: 0.001, or a multiple of 0.0125 up to 0.375.

    Returns
    -------
    Explorer
        Sliders for the threshold, in absolute units, and the width.

    Raises
    ------
    ValueError
        If the start is not a position of the sliders.

    Notes
    -----
    Source: Definitions 3.1 and 3.9.
    """
    return Explorer(
        preactivation_view,
        [
            Slider(
                "tau",
                "threshold *τ*",
                [0.001, *(round(0.0125 * k, 4) for k in range(1, 31))],
                start=tau,
                format=number,
            ),
            width(7, 13, start=m),
        ],
        title="The bell curve of the neurons, and a threshold",
        description=f"One input in dimension *d* = {_D}, one drawn network for each width.",
        name="preactivation-explorer",
    )

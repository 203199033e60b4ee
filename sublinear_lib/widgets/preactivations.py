"""The explorer of the chapter on Definitions 3.1-3.9: the bell of pre-activations and a threshold.

It draws the pre-activations of one network (Definition 3.1) at one input, with their density
N(0, 2/m), on an axis that does not change with the width: the reader sees the bell narrow as
``m^{-1/2}`` while the threshold stays where it was put.  No formula lives here.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy import stats

from sublinear_lib import scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.geometry import SLICE_HEIGHT, SLICE_RADIUS
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Bars, Line, Rule, View

__all__ = ["preactivation_explorer", "preactivation_view"]

_REACH = 0.8
_BINS_PER_STD = 4
_SEED = 0


@lru_cache(maxsize=64)
def _scores(m: int) -> FloatArray:
    network = TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([_SEED, m]))
    x = np.array([[SLICE_RADIUS, 0.0, SLICE_HEIGHT]])
    return np.asarray(network.preactivations(x)[0])


def preactivation_view(m: int, tau: float) -> View:
    """Show the pre-activations of one network at one input, and who lies beyond the threshold.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    tau : float
        Threshold in absolute units, ``tau >= 0``.

    Returns
    -------
    View
        Histogram, density, threshold, and the shaded active tail.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Definitions 3.1 and 3.9.
    """
    t = scaling.standardize_threshold(tau, m)
    std = scaling.preactivation_std(m)
    scores = _scores(m)
    drawn = int(np.count_nonzero(scores > tau))
    side = math.ceil(_REACH / (std / _BINS_PER_STD))
    edges = np.arange(-side, side + 1) * (std / _BINS_PER_STD)
    density = np.histogram(scores, bins=edges)[0] / (m * np.diff(edges))
    z = np.linspace(-_REACH, _REACH, 321)
    expected = m * scaling.activity(tau, m)
    return View(
        x=Axis(label="pre-activation *z* = ⟨*w*, *x*⟩ + *b*", limits=(-_REACH, _REACH)),
        y=Axis(label="density", limits=(0.0, 1.25 * float(stats.norm.pdf(0.0)) / std)),
        marks=[
            Bars(edges, density, label="drawn neurons", role="muted"),
            Bars(edges, density, label="active", role="c1", within=(tau, _REACH)),
            Line(z, stats.norm.pdf(z, scale=std), label="", role="c2", dash=True),
            Rule(tau, label="*τ*", role="ink", drag="tau"),
        ],
        sentence=(
            f"With {grouped(m)} neurons the pre-activations spread by √(2/m) = {number(std)}. The "
            f"threshold {number(tau)} lies {number(t)} such standard deviations above zero: "
            f"{grouped(drawn)} neurons of the drawn network are active ({percent(drawn / m)}); the "
            f"normal law N(0, 2/m), dashed, expects {percent(scaling.activity_at(t))}."
        ),
        readouts={
            "√(2/*m*)": number(std),
            "*t* = *τ* / √(2/*m*)": number(t),
            "*Q*(*t*)": percent(scaling.activity_at(t)),
            "expected": number(expected),
            "drawn": grouped(drawn),
        },
        warning=(
            "No neuron of the drawn network is active here: its output and all its gradients are "
            "zero, and nothing can be learned at this input."
            if drawn == 0
            else None
        ),
    )


def preactivation_explorer() -> Explorer:
    """Build the explorer of width and threshold for the law of the pre-activations.

    Returns
    -------
    Explorer
        Sliders for ``m = 2^5 ... 2^12`` and ``tau = 0 ... 0.6`` in absolute units.

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
        ],
        title="The bell of pre-activations and the threshold",
        name="preactivation-explorer",
    )

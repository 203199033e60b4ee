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
_SEED, _REACH = 0, 0.5
_BINS_PER_STD = 4
_POINTS = {
    "before": "chosen before the network is drawn",
    "after": "chosen after it, along the mean of its weights",
}
_RULES: tuple[tuple[scaling.Scaling, str, Role], ...] = (
    (scaling.PRINTED, "printed", "c4"),
    (scaling.R3, "sparse", "c3"),
)


@lru_cache(maxsize=64)
def _scores(m: int, point: str) -> FloatArray:
    network = TwoLayerNetwork.initialize(m, _D, rng=np.random.default_rng([_SEED, m]))
    direction = network.W[:, :-1].mean(axis=0) if point == "after" else np.eye(_D - 1)[0]
    x = geometry.embed(direction[None, :] / np.linalg.norm(direction))
    return np.asarray(network.preactivations(x)[0])


def preactivation_view(m: int, tau: float, point: str) -> View:
    """Show the pre-activations of one network at one input, and which lie beyond the threshold.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    tau : float
        Threshold in absolute units, ``tau >= 0``.
    point : {"before", "after"}
        Whether the input was chosen before the network, or after it, in the direction of the mean
        of the weight vectors.  The dimension is 257.

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
    t = scaling.standardize_threshold(tau, m)
    std = scaling.preactivation_std(m)
    scores = _scores(m, point)
    drawn = int(np.count_nonzero(scores > tau))
    side = math.ceil(_REACH / (std / _BINS_PER_STD))
    edges = np.arange(-side, side + 1) * (std / _BINS_PER_STD)
    density = np.histogram(scores, bins=edges)[0] / (m * np.diff(edges))
    z = np.linspace(-_REACH, _REACH, 321)
    low, high = theory.active_count_interval(tau, m)
    share = scaling.activity_at(t)
    return View(
        x=Axis(label="what a neuron adds up, *z*", limits=(-_REACH, _REACH)),
        y=Axis(label="density", limits=(0.0, 1.25 * float(stats.norm.pdf(0.0)) / std)),
        marks=[
            Bars(edges, density, label="drawn neurons", role="muted"),
            Bars(edges, density, label="fire", role="c1", within=(min(tau, _REACH), _REACH)),
            Line(z, stats.norm.pdf(z, scale=std), label="", role="c2", dash=True),
            *(
                Rule(rules.tau(m), label=label, role=role, dash=True)
                for rules, label, role in _RULES
            ),
            Rule(tau, label="*τ*", role="ink", drag="tau"),
        ],
        sentence=(
            f"{grouped(drawn)} of the {grouped(m)} neurons fire ({percent(drawn / m)}). One "
            f"standard deviation is √(2/m) = {number(std)}, so the threshold τ = {number(tau)} "
            f"stands t = {number(t)} of them above zero, where the bell curve lets "
            f"{percent(share)} through."
        ),
        warning=_what_fails(drawn, point, (low, high)),
    )


def _what_fails(drawn: int, point: str, ends: tuple[int, int]) -> str | None:
    """Say that the bell curve no longer counts, or that nothing is left to count."""
    said = []
    if point == "after" and not ends[0] <= drawn <= ends[1]:
        said.append(
            "This input was chosen after the network was drawn, and the bell curve no longer "
            "counts: the number of neurons that fire lies outside its 99.9 % range, "
            f"{grouped(ends[0])} to {grouped(ends[1])}."
        )
    if drawn == 0:
        said.append(
            "No neuron fires here. The output and all gradients are zero, so nothing can be "
            "learned at this input."
        )
    return " ".join(said) or None


def preactivation_explorer(*, m: int = 512, tau: float = 0.0625) -> Explorer:
    """Build the explorer of width and threshold for the law of the pre-activations.

    Parameters
    ----------
    m : int, default 512
        The width to start from, one of ``2^6 ... 2^12``.
    tau : float, default 0.0625
        The threshold to start from: 0.001, or a multiple of 0.0125 up to 0.3.

    Returns
    -------
    Explorer
        Sliders for the width and the threshold in absolute units, and the input.

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
                [0.001, *(round(0.0125 * k, 4) for k in range(1, 25))],
                start=tau,
                format=number,
            ),
            Slider("m", "neurons *m*", [2**k for k in range(6, 13)], start=m, format=grouped),
            Choice("point", "input", _POINTS),
        ],
        title="The bell curve of the neurons, and a threshold",
        name="preactivation-explorer",
    )

"""The bell of the pre-activations (Definition 3.1) on fixed axes, and a threshold on it."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy import stats

from sublinear_lib import geometry, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Role, grouped, number, percent
from sublinear_lib.widgets import Axis, Bars, Line, Rule, View
from sublinear_lib.widgets.declaration import explorer, slider, width

_D, _REACH, _BINS_PER_STD = 257, 0.4, 4
_TAUS = [0.001, *(round(0.0125 * k, 4) for k in range(1, 31))]
_RULES: tuple[tuple[scaling.Scaling, str, Role], ...] = (
    (scaling.PRINTED, "printed", "ink"),
    (scaling.R3, "sparse", "c1"),
)


@lru_cache(maxsize=64)
def _scores(m: int) -> FloatArray:
    network = TwoLayerNetwork.initialize(m, _D, rng=np.random.default_rng([0, m]))
    return np.asarray(network.preactivations(geometry.embed(np.eye(1, _D - 1)))[0])


@explorer(
    "The bell curve of the neurons, and a threshold",
    description=f"One input in dimension *d* = {_D}, one drawn network for each width.",
    name="preactivation-explorer",
    tau=slider("threshold *τ*", _TAUS, start=0.0625, format=number),
    m=width(7, 13, start=512),
)
def bell_curve(tau: float, m: int) -> View:
    """Show the pre-activations of one network at one input, and which lie beyond the threshold."""
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
            *(Rule(each.tau(m), label=text, role=role, dash=True) for each, text, role in _RULES),
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

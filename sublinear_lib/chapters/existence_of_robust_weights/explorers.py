"""Weights that a rule writes down (Theorem E), in a drawn network on three points of the circle."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.polynomial import polynomial as power_basis

from sublinear_lib import datasets, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import ExactOnCircle, robust_loss
from sublinear_lib.chapters._circle import ANGLE, on_circle
from sublinear_lib.chapters.existence_of_robust_weights import figures
from sublinear_lib.geometry import cap_angle
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.plotting import Picture, grouped, number, percent
from sublinear_lib.scaling import ONE_OVER_M, STANDARD_T
from sublinear_lib.theory import existence
from sublinear_lib.training import SublinearAdversarialTraining
from sublinear_lib.widgets import Axis, Line, Points, View
from sublinear_lib.widgets.declaration import explorer, menu, width

_SEED = 1
_RHO = 0.2
_ANGLES = np.linspace(-np.pi, np.pi, 121)
_POINTS = on_circle(_ANGLES)
_TARGET = existence.bump(Fraction(-1, 8))
_DATA = datasets.circle(3)
_TOP = 2.0
_THRESHOLDS = {
    "1/m": ("printed: 1/*m* (half fire)", ONE_OVER_M.tau),
    "t=1": ("√(2/*m*) (16 % fire)", STANDARD_T.tau),
    "c=1/5": ("sparse: √(2/*m*) √(0.4 log *m*)", scaling.R3.tau),
}


def _ruled(start: TwoLayerNetwork) -> FloatArray:
    """Return the weights that the rule of Theorem E writes down for a drawn network."""
    rule = existence.hermite_feature(_TARGET, math.sqrt(start.m) * start.tau)
    drawn, W = (start.W, start.b, start.a), np.array(start.W)
    W[:, 2] += existence.explicit_shifts(rule, *drawn, _DATA.X, _DATA.y, shared=True)
    return W


@lru_cache(maxsize=64)
def _fitted(threshold: str, m: int) -> tuple[FloatArray, FloatArray, float]:
    """Return g and f on the circle, and the exact worst-case loss of f on the caps."""
    tau = _THRESHOLDS[threshold][1](m)
    start = TwoLayerNetwork.initialize(m, 3, "R3", rng=_SEED, tau=tau, activation="continuous")
    W = _ruled(start)
    network = start.with_weights(W)
    g = PseudoNetwork(start, W).forward(_POINTS)
    loss = robust_loss(network, _DATA.X, _DATA.y, _RHO, "absolute").upper
    return g, network.forward(_POINTS), loss


def rule_and_training_picture() -> Picture:
    """Draw a network at the weights of the rule beside a small one after training."""
    small, large = (TwoLayerNetwork.initialize(m, 3, rng=_SEED, tau=1.0 / m) for m in (256, 65_536))
    foe = ExactOnCircle(rho=_RHO)
    training = SublinearAdversarialTraining(steps=60, adversary=foe, loss="absolute")
    trained = training.fit(small, _DATA.X, _DATA.y, rng=0).final
    middle = np.arctan2(_DATA.X[:, 1], _DATA.X[:, 0])
    return figures.circle_fit_picture(
        _ANGLES,
        {
            "rule, 65 536 neurons": large.with_weights(_ruled(large)).forward(_POINTS),
            "trained, 256 neurons": trained.forward(_POINTS),
        },
        np.column_stack((middle, np.full(_DATA.n, cap_angle(_RHO)), _DATA.y)),
        ylabel="output of the network",
        name="two",
        caption="Two networks on a circle of inputs. The adversary may move each of three points "
        "within its gray stripe. Bars are the labels.",
    )


@explorer(
    "Weights that nobody trained",
    description="Three points of the circle (d = 3) with labels 1, −1, 1, and an adversary that "
    "moves a point by up to 0.2. The weights come from a rule that sees each random neuron by "
    "itself.",
    name="existence-explorer",
    m=width(8, 16, start=4096),
    threshold=menu("threshold *τ*", {key: shown for key, (shown, _) in _THRESHOLDS.items()}),
)
def weights_of_a_rule(m: int, threshold: str) -> View:
    """Show the target, the linearization and the network at weights that a rule writes down."""
    _, tau = _THRESHOLDS[threshold]
    fires = scaling.activity(tau(m), m)
    g, f, loss = _fitted(threshold, m)
    degrees = np.degrees(_ANGLES)
    powers = [float(value) for value in _TARGET.coefficients]
    wanted = power_basis.polyval(_POINTS @ _DATA.X.T, powers)
    middle = np.degrees(np.arctan2(_DATA.X[:, 1], _DATA.X[:, 0]))
    return View(
        x=ANGLE,
        y=Axis(label="output", limits=(-_TOP, _TOP), format=number),
        marks=[
            Line(degrees, np.clip(g, -_TOP, _TOP), label="linearization *g*", role="c3", width=1.5),
            Line(degrees, np.clip(f, -_TOP, _TOP), label="network *f*", role="c1", width=1.5),
            Line(degrees, wanted @ _DATA.y, label="target", role="ink", dash=True, width=1.5),
            Points(middle, _DATA.y, role="ink", size=9.0),
        ],
        sentence=(
            f"With {grouped(m)} neurons, of which {percent(fires)} fire at an input, the network "
            f"at the weights of the rule has a robust loss of {number(loss)}."
        ),
    )

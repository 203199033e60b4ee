"""The explorer of the chapter on the adversary: what attacks find of the worst case near one input.

It joins the exact sweep of `sublinear_lib.adversary` (Definitions 3.3 and 3.4 for d = 3) with three
attacks; no formula lives here.  The network of a draw is the same for every radius, and the same
weights carry both activations.  The plot shows how far f moves from its value at x, so that the
axes can stay while a control moves.  The attacks raise f itself: a loss adds only the choice
between the supremum and the infimum.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from sublinear_lib import geometry, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import (
    CapAttack,
    Height,
    ProjectedGradient,
    RandomSearch,
    SmoothedGradient,
    extremes_on_circle,
    pieces_on_circle,
)
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Role, grouped, number, percent
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Mark, Points, Region, Rule, View

__all__ = ["worst_case_explorer", "worst_case_view"]

_WINDOW = 40.0
_STEPS = 40
_POINTS = 240
_WIDTH = 2000
_SHARE = 0.1
_X = geometry.embed(np.array([[1.0, 0.0]]))
_DRAWS = (3, 6, 7)  # each of them lost by another attack
_RADII = tuple(k / 100 for k in range(5, 51))
_ACTIVATIONS = {"jump": "with the jump (printed)", "continuous": "continuous"}

_ROUNDING = 1e-9
"""A share of the worst case below this is rounding, and its digits those of a processor."""


@lru_cache(maxsize=64)
def _network(activation: str, draw: int) -> TwoLayerNetwork:
    tau = scaling.threshold_from_activity(_SHARE, _WIDTH)
    return TwoLayerNetwork.initialize(_WIDTH, 3, rng=draw, tau=tau, activation=activation)


@lru_cache(maxsize=64)
def _curve(activation: str, draw: int) -> Line:
    network = _network(activation, draw)
    angles, values = pieces_on_circle(network, 0.0, math.radians(_WINDOW)).curve(_POINTS)
    rise = values - float(network.forward(_X)[0])
    return Line(np.degrees(angles), rise, label="*f*", role="c1", width=1.5)


@lru_cache(maxsize=1)
def _limits() -> tuple[float, float]:
    """Return ends that hold the curves of all draws, so that no control rescales."""
    curves = [np.asarray(_curve("jump", draw).y) for draw in _DRAWS]
    low, high = min(y.min() for y in curves), max(y.max() for y in curves)
    room = 0.05 * (high - low)
    return float(low - room), float(high + room)


def _ended(attack: CapAttack, network: TwoLayerNetwork) -> tuple[float, float]:
    found = attack(network, _X, np.zeros(1), Height(), rng=0)
    return math.degrees(math.atan2(found.X[0, 1], found.X[0, 0])), float(found.value[0])


def worst_case_view(rho: float, activation: str, draw: int = 6) -> View:
    """Show f near one input, its exact worst value in a cap, and where three attacks end.

    Parameters
    ----------
    rho : float
        Radius of the cap, a chord length, ``0 < rho <= 0.5``.
    activation : {"jump", "continuous"}
        Form of the shifted ReLU.
    draw : int, default 6
        Seed of the network, ``draw >= 0``.

    Returns
    -------
    View
        The change of f from its value at x, for 2000 neurons of which one in ten fires at x; the
        cap; the exact supremum; the attacks with the shares that they find.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Definitions 3.3 and 3.4 for d = 3.
    """
    radius = scalar(rho, "rho", exclusive_minimum=0.0, maximum=0.5)
    choice(activation, "activation", tuple(_ACTIVATIONS))
    network = _network(activation, count(draw, "draw", minimum=0))
    half = geometry.cap_angle(radius)
    alpha = math.degrees(half)
    (cap,) = extremes_on_circle(network, _X, radius)
    switching = int(np.unique(pieces_on_circle(network, 0.0, half).neurons).size)
    clean = float(network.forward(_X)[0])
    gain = cap.sup - clean
    attacks: tuple[tuple[str, Role, float, CapAttack], ...] = (
        ("gradient", "c2", 13.0, ProjectedGradient(rho=radius, steps=_STEPS)),
        ("random", "c5", 10.0, RandomSearch(rho=radius, samples=_STEPS)),
        ("smoothed", "c3", 7.0, SmoothedGradient(rho=radius, steps=_STEPS, restarts=1)),
    )
    marks: list[Mark] = [
        Region(-alpha, alpha, label="cap", role="c4"),
        _curve(activation, draw),
        Rule(gain, axis="y", label="worst", role="c4", dash=True),
    ]
    shares = []
    for label, role, size, attack in attacks:
        angle, value = _ended(attack, network)
        shares.append(percent(_share(value - clean, gain)))
        marks.append(Points([angle], [value - clean], label=label, role=role, size=size))
    top = _in_degrees([cap.angle_sup])
    marks.append(Points(top, [gain], role="c4", size=20.0, hollow=True))
    plain, guesses, smoothed = shares
    reached = (
        "At the ring f reaches it."
        if cap.sup_attained
        else "At the ring f jumps: it comes as close to this value as we like and never reaches it."
    )
    return View(
        x=Axis(label="angle from *x*, degrees", limits=(-_WINDOW, _WINDOW)),
        y=Axis(label="change of *f*", limits=_limits()),
        marks=marks,
        sentence=(
            f"Within {number(alpha)} degrees of x the output can rise by {number(gain)}, and "
            f"{grouped(switching)} of the {grouped(_WIDTH)} neurons switch there. The gradient "
            f"attack finds {plain} of this rise, 40 random guesses find {guesses}, and the "
            f"smoothed gradient finds {smoothed}. {reached}"
        ),
    )


def _share(found: float, gain: float) -> float:
    """Return the share of a gain; what rounding alone would find is zero."""
    share = found / gain if gain > 0.0 else 1.0
    return min(1.0, share) if abs(share) > _ROUNDING else 0.0


def _in_degrees(angles: list[float]) -> FloatArray:
    return np.degrees(np.remainder(np.array(angles) + math.pi, 2.0 * math.pi) - math.pi)


def worst_case_explorer() -> Explorer:
    """Build the explorer of radius, activation and draw on the circle.

    Returns
    -------
    Explorer
        ``rho = 0.05 ... 0.5``, two activations and three draws of the network; it starts at the
        jump, at a draw in which the gradient attack finds nothing.

    Notes
    -----
    Source: Definitions 3.3 and 3.4 for d = 3.
    """
    return Explorer(
        lambda rho, activation, draw: worst_case_view(rho, activation, int(draw)),
        [
            Slider("rho", "radius of the cap *ρ*", _RADII, start=0.3),
            Choice("activation", "activation", _ACTIVATIONS),
            Choice("draw", "draw of the network", [str(draw) for draw in _DRAWS], start="6"),
        ],
        title="How much of the worst case does an attack find?",
        description=(
            "Inputs on a circle (d = 3), 2000 neurons, one in ten fires at x. Each attack starts "
            "at x and looks at 41 points."
        ),
        name="worst-case-explorer",
    )

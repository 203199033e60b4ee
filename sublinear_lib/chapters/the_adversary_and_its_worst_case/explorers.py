"""What attacks find of the worst case near one input (Definitions 3.3 and 3.4 for d = 3).

The attacks raise f itself: a loss adds only the choice between the supremum and the infimum.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from sublinear_lib import adversary, geometry, scaling
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Role, grouped, number, percent
from sublinear_lib.widgets import Axis, Line, Mark, Points, Rule, Stretch, View
from sublinear_lib.widgets.declaration import explorer, menu, slider

_WINDOW, _STEPS, _WIDTH = 40.0, 40, 2000
_X = geometry.embed(np.array([[1.0, 0.0]]))
_DRAWS = ("3", "6", "7")  # each of them lost by another attack
_RADII = tuple(k / 100 for k in range(5, 51))
_ACTIVATIONS = {"jump": "with the jump (printed)", "continuous": "continuous"}


@lru_cache(maxsize=64)
def _network(activation: str, draw: str) -> TwoLayerNetwork:
    tau = scaling.threshold_from_activity(0.1, _WIDTH)
    return TwoLayerNetwork.initialize(_WIDTH, 3, rng=int(draw), tau=tau, activation=activation)


@lru_cache(maxsize=64)
def _curve(activation: str, draw: str) -> Line:
    network = _network(activation, draw)
    angles, values = adversary.pieces_on_circle(network, 0.0, math.radians(_WINDOW)).curve(240)
    rise = values - float(network.forward(_X)[0])
    return Line(np.degrees(angles), rise, label="*f*", role="c1", width=1.5)


@lru_cache(maxsize=1)
def _limits() -> tuple[float, float]:
    """Return ends that hold the curves of all draws, so that no control rescales."""
    curves = [np.asarray(_curve("jump", draw).y) for draw in _DRAWS]
    low, high = min(y.min() for y in curves), max(y.max() for y in curves)
    room = 0.05 * (high - low)
    return float(low - room), float(high + room)


def _ended(attack: adversary.CapAttack, network: TwoLayerNetwork) -> tuple[float, float]:
    found = attack(network, _X, np.zeros(1), adversary.Height(), rng=0)
    return math.degrees(math.atan2(found.X[0, 1], found.X[0, 0])), float(found.value[0])


@explorer(
    "How much of the worst case does an attack find?",
    description="Inputs on a circle (d = 3), 2000 neurons, one in ten fires at x. Each attack "
    "starts at x and looks at 41 points.",
    name="worst-case-explorer",
    rho=slider("radius of the cap *ρ*", _RADII, start=0.3),
    activation=menu("activation", _ACTIVATIONS),
    draw=menu("draw of the network", _DRAWS, start="6"),
)
def worst_case(rho: float, activation: str, draw: str) -> View:
    """Show f near one input, its exact worst value in a cap, and where three attacks end."""
    network, half = _network(activation, draw), geometry.cap_angle(rho)
    alpha = math.degrees(half)
    (cap,) = adversary.extremes_on_circle(network, _X, rho)
    switching = int(np.unique(adversary.pieces_on_circle(network, 0.0, half).neurons).size)
    clean = float(network.forward(_X)[0])
    gain = cap.sup - clean
    attacks: tuple[tuple[str, Role, float, adversary.CapAttack], ...] = (
        ("gradient", "c2", 13.0, adversary.ProjectedGradient(rho=rho, steps=_STEPS)),
        ("random", "c5", 10.0, adversary.RandomSearch(rho=rho, samples=_STEPS)),
        ("smoothed", "c3", 7.0, adversary.SmoothedGradient(rho=rho, steps=_STEPS, restarts=1)),
    )
    marks: list[Mark] = [
        Stretch(-alpha, alpha, label="cap", role="c4"),
        _curve(activation, draw),
        Rule(gain, axis="y", label="worst", role="c4", dash=True),
    ]
    shares = []
    for label, role, size, attack in attacks:
        angle, value = _ended(attack, network)
        shares.append(percent(_share(value - clean, gain)))
        marks.append(Points([angle], [value - clean], label=label, role=role, size=size))
    top = np.degrees(np.remainder(cap.angle_sup + math.pi, 2.0 * math.pi) - math.pi)
    marks.append(Points([top], [gain], role="c4", size=20.0, hollow=True))
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
    """Return the share of a gain; below 1e-9 it is rounding, which depends on the processor."""
    share = found / gain if gain > 0.0 else 1.0
    return min(1.0, share) if abs(share) > 1e-9 else 0.0

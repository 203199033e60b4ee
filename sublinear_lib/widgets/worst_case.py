"""The explorer of the chapter on the adversary: f along the circle, one cap, its worst case.

It joins the exact sweep of `sublinear_lib.adversary` (Definitions 3.3 and 3.4 for d = 3), two
attacks that start at the clean point, and the two cheap bounds from above; no formula lives here.
The network of a width is drawn once for a seed, so a change of the threshold, the activation or rho
is a change of nothing else.  The attacks raise f itself: a loss adds only the choice between
the supremum and the infimum.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from sublinear_lib import geometry, scaling, theory
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import (
    CapAttack,
    CapRelaxation,
    CirclePieces,
    Height,
    ProjectedGradient,
    SmoothedGradient,
    extremes_on_circle,
    pieces_on_circle,
)
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Role, grouped, number, percent
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._menus import T_ONE, T_TWO, Threshold
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Mark, Points, Region, Rule, View

__all__ = ["worst_case_explorer", "worst_case_view"]

_WINDOW = 60.0
_STEPS = 20
_POINTS = 240
_X = geometry.embed(np.array([[1.0, 0.0]]))
_WIDTHS = (64, 512, 4096)
_SEEDS = (3, 4)
_RADII = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
_ACTIVATIONS = {
    "jump": "with the jump (the paper's)",
    "continuous": "continuous (that of R3)",
}

_THRESHOLDS = {
    "0": Threshold(scaling.ZERO, "0 (plain ReLU)"),
    "1/m": Threshold(scaling.ONE_OVER_M, "PRINTED, R1 and R2: 1/m"),
    "m^-3/5": Threshold(scaling.K_M35, "Section 4.2: 1/m^(3/5)"),
    "t=1": T_ONE,
    "t=2": T_TWO,
    "R3": Threshold(scaling.SPARSE_C, "R3: t = √(0.4 log m)", Fraction(1, 5)),
}


_ROUNDING = 1e-9
"""A share of the worst case below this is rounding, and its digits those of a processor."""


@lru_cache(maxsize=64)
def _network(m: int, threshold: str, activation: str, seed: int) -> TwoLayerNetwork:
    rng = np.random.default_rng([seed, m])
    tau = _THRESHOLDS[threshold].tau(m)
    return TwoLayerNetwork.initialize(m, 3, rng=rng, tau=tau, activation=activation)


@lru_cache(maxsize=64)
def _curve(m: int, threshold: str, activation: str, seed: int) -> Line:
    pieces = pieces_on_circle(_network(m, threshold, activation, seed), 0.0, math.radians(_WINDOW))
    angles, values = pieces.curve(_POINTS)
    return Line(np.degrees(angles), values, label="*f*", role="c1", width=1.5)


@lru_cache(maxsize=64)
def _limits(m: int, seed: int) -> tuple[float, float]:
    """Return ends that hold the curves of all thresholds, so that only width and seed rescale."""
    curves = [
        np.asarray(_curve(m, each, kind, seed).y) for each in _THRESHOLDS for kind in _ACTIVATIONS
    ]
    low, high = min(y.min() for y in curves), max(y.max() for y in curves)
    room = 0.05 * (high - low) or 1.0
    return float(low - room), float(high + room)


def _ended(attack: CapAttack, network: TwoLayerNetwork) -> tuple[float, float]:
    found = attack(network, _X, np.zeros(1), Height(), rng=0)
    return math.degrees(math.atan2(found.X[0, 1], found.X[0, 0])), float(found.value[0])


def _switching(pieces: CirclePieces) -> int:
    return int(np.unique(pieces.neurons).size)


def worst_case_view(threshold: str, activation: str, rho: float, m: int, seed: int = 4) -> View:
    """Show f along the circle, one cap with its exact extremes, and where two attacks end.

    Parameters
    ----------
    threshold : {"0", "1/m", "m^-3/5", "t=1", "t=2", "R3"}
        The rule for the threshold.
    activation : {"jump", "continuous"}
        Form of the shifted ReLU.
    rho : float
        Radius of the cap, a chord length, ``0 < rho <= 0.85``.
    m : int
        Width, ``m >= 2``.
    seed : int, default 4
        Seed of the network, ``seed >= 0``.

    Returns
    -------
    View
        The curve, the cap, the exact supremum and infimum, the attacks, and the numbers: those
        attacks below the supremum, the interval and the linear bound above it, and the neurons
        that fire somewhere in the cap beside their expected number.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Definitions 3.3, 3.4 and 3.9 for d = 3.
    """
    level = _THRESHOLDS[choice(threshold, "threshold", tuple(_THRESHOLDS))]
    choice(activation, "activation", tuple(_ACTIVATIONS))
    radius = scalar(rho, "rho", exclusive_minimum=0.0, maximum=0.85)
    m, seed = count(m, "m", minimum=2), count(seed, "seed", minimum=0)
    tau = level.tau(m)
    t = scaling.standardize_threshold(tau, m)
    network = _network(m, threshold, activation, seed)
    alpha = math.degrees(geometry.cap_angle(radius))
    (cap,) = extremes_on_circle(network, _X, radius)
    unstable = _switching(pieces_on_circle(network, 0.0, geometry.cap_angle(radius)))
    somewhere = int((geometry.cap_intervals(_X, radius, network.W, network.b)[1] > tau).sum())
    expected = m * theory.cap_share(t, 3, radius)
    above = CapRelaxation(network, _X[0], radius)
    interval, linear = above.interval().value, above.linear().value
    clean = float(network.forward(_X)[0])
    gain = cap.sup - clean
    attacks: tuple[tuple[str, str, Role, float, CapAttack], ...] = (
        ("plain", "plain gradient", "c2", 13.0, ProjectedGradient(rho=radius, steps=_STEPS)),
        (
            "smoothed",
            "smoothed gradient",
            "c3",
            8.0,
            SmoothedGradient(rho=radius, steps=_STEPS, relative_step=0.5, restarts=1),
        ),
    )
    marks: list[Mark] = [
        Region(-alpha, alpha, label="cap", role="c2"),
        _curve(m, threshold, activation, seed),
        Rule(cap.sup, axis="y", label="sup", role="c4", dash=True),
        Rule(cap.inf, axis="y", label="inf", role="c4", dash=True),
    ]
    shares = {}
    for key, label, role, size, attack in attacks:
        angle, value = _ended(attack, network)
        shares[key] = _share(value - clean, gain)
        marks.append(Points([angle], [value], label=label, role=role, size=size))
    marks.append(
        Points(
            _in_degrees([cap.angle_sup]),
            [cap.sup],
            role="c4",
            size=11.0,
            hollow=not cap.sup_attained,
        )
    )
    reached = "is attained" if cap.sup_attained else "is approached at a jump, but not attained"
    return View(
        x=Axis(label="angle from *x*, degrees", limits=(-_WINDOW, _WINDOW)),
        y=Axis(label="*f*", limits=_limits(m, seed)),
        marks=marks,
        sentence=(
            f"With {grouped(m)} neurons the threshold is t = τ√(m/2) = {number(t)} standard "
            f"deviations, and Q(t) = {percent(scaling.activity_at(t))} of the neurons fire at one "
            f"input. Over the cap of "
            f"{number(alpha)} degrees {grouped(somewhere)} fire somewhere, {number(expected)} are "
            f"expected, and {grouped(unstable)} switch. The exact supremum, {number(cap.sup)}, "
            f"{reached}; at x itself f is {number(clean)}. In {_STEPS} steps from x the plain "
            f"gradient finds {percent(shares['plain'])} of the difference and the smoothed "
            f"gradient {percent(shares['smoothed'])}. Without the sweep we could prove "
            f"{number(linear)} by linear bounds and {number(interval)} by intervals."
        ),
        readouts={
            "*t* = *τ* √(*m*/2)": number(t),
            "*Q*(*t*)": percent(scaling.activity_at(t)),
            "fire in the cap": f"{grouped(somewhere)}, expected {number(expected)}",
            "unstable neurons": grouped(unstable),
            "exact sup": number(cap.sup, 4),
            "exact inf": number(cap.inf, 4),
            "plain finds": percent(shares["plain"]),
            "smoothed finds": percent(shares["smoothed"]),
            "linear bound": number(linear, 4),
            "interval bound": number(interval, 4),
        },
        warning=_warning(unstable, cap.sup_attained, m * tau, threshold, activation),
    )


def _share(found: float, gain: float) -> float:
    """Return the share of a gain; what rounding alone would find is zero."""
    share = found / gain if gain > 0.0 else 1.0
    return min(1.0, share) if abs(share) > _ROUNDING else 0.0


def _in_degrees(angles: list[float]) -> FloatArray:
    return np.degrees(np.remainder(np.array(angles) + math.pi, 2.0 * math.pi) - math.pi)


def _warning(
    unstable: int, attained: bool, scaled: float, threshold: str, activation: str
) -> str | None:
    """Say which hypothesis fails at the chosen point."""
    said = []
    if not unstable:
        said.append(
            "No neuron switches in this cap: f is one wave there, and nothing is hidden from a "
            "gradient."
        )
    if not attained:
        said.append(
            "Definitions 3.3 and 3.4 take it for granted that the maximum exists, and that fails: "
            "no point of the cap has the value sup, so the adversary A*, an argmax, does not exist."
        )
    if scaled > 1.0 + 1e-9:
        said.append(
            f"Here τ = {number(scaled)}/m: the hypothesis τ = O(1/m) of Theorems 4.1 and 4.4 fails "
            "if its constant is 1."
        )
    if activation == "continuous" and threshold != "0":
        said.append(
            "The continuous activation is not the paper's; with it the maximum always exists."
        )
    elif threshold == "R3":
        said.append("R3 asks for the continuous activation.")
    return " ".join(said) or None


def worst_case_explorer() -> Explorer:
    """Build the explorer of threshold, activation, radius, width and seed on the circle.

    Returns
    -------
    Explorer
        Six rules for the threshold, two activations, ``rho = 0.05 ... 0.5``, ``m = 64 ... 4096``
        and two seeds; it starts at a threshold of one standard deviation with the jump.

    Notes
    -----
    Source: Definitions 3.3, 3.4 and 3.9 for d = 3.
    """
    return Explorer(
        worst_case_view,
        [
            Choice(
                "threshold",
                "threshold *τ*",
                {key: level.shown for key, level in _THRESHOLDS.items()},
                start="t=1",
            ),
            Choice("activation", "activation", _ACTIVATIONS),
            Slider("rho", "radius of the cap *ρ*", _RADII, start=0.3, format="{:.2f}"),
            Slider("m", "width *m*", _WIDTHS, start=4096, format=grouped),
            Slider("seed", "seed of the network", _SEEDS, start=4),
        ],
        title="How bad can it get in this cap?",
        description=(
            "A hollow point marks a supremum that no point attains. The attacks start at the "
            "middle of the cap. R1 has the network of PRINTED; the smaller output weights of R2 "
            "shrink f, its supremum and all bounds by one factor."
        ),
        name="worst-case-explorer",
    )

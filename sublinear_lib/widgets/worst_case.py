"""The explorer of the chapter on the adversary: f along the circle, one cap, its worst case.

It joins the exact sweep of `sublinear_lib.adversary` (Definitions 3.3 and 3.4 for d = 3) with two
attacks that start at the clean point; no formula lives here.  The network of a width is drawn once
from its seed, so a change of tau or rho is a change of nothing else.  The attacks raise f itself: a
loss adds only the choice between the supremum and the infimum.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from sublinear_lib import geometry, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import (
    CapAttack,
    CirclePieces,
    Height,
    ProjectedGradient,
    SmoothedGradient,
    extremes_on_circle,
    pieces_on_circle,
)
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Role, grouped, number, percent
from sublinear_lib.validation import count, scalar
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Mark, Points, Region, Rule, View

__all__ = ["worst_case_explorer", "worst_case_view"]

_SEED = 4
_WINDOW = 60.0
_STEPS = 20
_POINTS = 420
_X = geometry.embed(np.array([[1.0, 0.0]]))
_WIDTHS = (64, 256, 1024, 4096)
_TAUS = (0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.15)
_RADII = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)


@lru_cache(maxsize=64)
def _network(m: int, tau: float) -> TwoLayerNetwork:
    return TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([_SEED, m]), tau=tau)


@lru_cache(maxsize=64)
def _curve(m: int, tau: float) -> Line:
    angles, values = pieces_on_circle(_network(m, tau), 0.0, math.radians(_WINDOW)).curve(_POINTS)
    return Line(np.degrees(angles), values, label="*f*", role="c1", width=1.5)


@lru_cache(maxsize=64)
def _limits(m: int, tau: float) -> tuple[float, float]:
    """Return ends that hold the curves of all thresholds, so that only the width rescales."""
    curves = [np.asarray(_curve(m, each).y) for each in {*_TAUS, tau}]
    low, high = min(y.min() for y in curves), max(y.max() for y in curves)
    room = 0.05 * (high - low) or 1.0
    return float(low - room), float(high + room)


def _ended(attack: CapAttack, network: TwoLayerNetwork) -> tuple[float, float]:
    found = attack(network, _X, np.zeros(1), Height(), rng=0)
    return math.degrees(math.atan2(found.X[0, 1], found.X[0, 0])), float(found.value[0])


def _switching(pieces: CirclePieces) -> int:
    return int(np.unique(pieces.neurons).size)


def worst_case_view(rho: float, tau: float, m: int) -> View:
    """Show f along the circle, one cap with its exact extremes, and where two attacks end.

    Parameters
    ----------
    rho : float
        Radius of the cap, a chord length, ``0 < rho <= 0.85``.
    tau : float
        Threshold in absolute units, ``0 <= tau <= 10``.
    m : int
        Width, ``m >= 1``.

    Returns
    -------
    View
        The curve, the cap, the exact supremum and infimum, the attacks, and the numbers.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Definitions 3.3, 3.4 and 3.9 for d = 3.
    """
    radius = scalar(rho, "rho", exclusive_minimum=0.0, maximum=0.85)
    tau = scalar(tau, "tau", minimum=0.0, maximum=10.0)
    m = count(m, "m")
    network = _network(m, tau)
    alpha = math.degrees(geometry.cap_angle(radius))
    (cap,) = extremes_on_circle(network, _X, radius)
    unstable = _switching(pieces_on_circle(network, 0.0, geometry.cap_angle(radius)))
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
        _curve(m, tau),
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
    t = scaling.standardize_threshold(tau, m)
    reached = "is attained" if cap.sup_attained else "is approached at a jump, but not attained"
    return View(
        x=Axis(label="angle from *x*, degrees", limits=(-_WINDOW, _WINDOW)),
        y=Axis(label="*f*", limits=_limits(m, tau)),
        marks=marks,
        sentence=(
            f"Over the cap of {number(alpha)} degrees, {grouped(unstable)} of {grouped(m)} neurons "
            f"switch. The exact supremum, {number(cap.sup)}, {reached}; at x itself f is "
            f"{number(clean)}. In {_STEPS} steps from x the plain gradient finds "
            f"{percent(shares['plain'])} of the difference and the smoothed gradient "
            f"{percent(shares['smoothed'])}."
        ),
        readouts={
            "*t* = *τ* √(*m*/2)": number(t),
            "*Q*(*t*)": percent(scaling.activity_at(t)),
            "unstable neurons": grouped(unstable),
            "exact sup": number(cap.sup, 4),
            "exact inf": number(cap.inf, 4),
            "plain finds": percent(shares["plain"]),
            "smoothed finds": percent(shares["smoothed"]),
        },
        warning=_warning(unstable, cap.sup_attained),
    )


def _share(found: float, gain: float) -> float:
    return min(1.0, found / gain) if gain > 0.0 else 1.0


def _in_degrees(angles: list[float]) -> FloatArray:
    return np.degrees(np.remainder(np.array(angles) + math.pi, 2.0 * math.pi) - math.pi)


def _warning(unstable: int, attained: bool) -> str | None:
    if not unstable:
        return "No neuron switches in this cap: f is one wave there, and every attack is exact."
    if not attained:
        return (
            "No point of the cap has the value sup: the adversary A* of Definition 3.3, an argmax, "
            "does not exist here."
        )
    return None


def worst_case_explorer() -> Explorer:
    """Build the explorer of radius, threshold and width for the worst case on the circle.

    Returns
    -------
    Explorer
        Sliders for ``rho = 0.05 ... 0.5``, ``tau = 0 ... 0.15`` and ``m = 64 ... 4096``.

    Notes
    -----
    Source: Definitions 3.3, 3.4 and 3.9 for d = 3.
    """
    return Explorer(
        worst_case_view,
        [
            Slider("rho", "radius of the cap *ρ*", _RADII, start=0.3, format="{:.2f}"),
            Slider("tau", "threshold *τ*", _TAUS, start=0.03, format="{:.2f}"),
            Slider("m", "width *m*", _WIDTHS, start=1024, format=grouped),
        ],
        title="How bad can it get in this cap?",
        description=(
            "A hollow point marks a supremum that no point attains. The attacks start at the "
            "middle of the cap."
        ),
        name="worst-case-explorer",
    )

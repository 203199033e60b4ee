"""The explorers of the chapter on half-space reporting: an onion in the plane, and the cap bound.

`onion_explorer` lets the reader move a half-plane over the convex layers of Corollary 5.2 (d = 2)
and see what a query of `sublinear_lib.halfspace.ConvexLayers` looks at; every count it shows comes
from a trace of that very structure.  `half_space_cost_explorer` shows for the domain X of Section
3.2 how much of a network a query has to look at, from `sublinear_lib.theory`.  No formula lives
here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling, theory
from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.halfspace import ConvexLayers, alive_on_slice
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.validation import scalar
from sublinear_lib.widgets._words import about
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import (
    Axis,
    Band,
    HalfPlane,
    Line,
    Mark,
    Points,
    View,
)

__all__ = [
    "half_space_cost_explorer",
    "half_space_cost_view",
    "onion_explorer",
    "onion_view",
]

# ---- the onion ---------------------------------------------------------------------------------

_POINTS = 100
_SEED = 2
_REACH = 2.8
_FARTHEST = 2.6
_GAP = 0.15


@dataclass(frozen=True)
class _Onion:
    """The points of the explorer in the order of their layers, and what of them never moves."""

    layers: ConvexLayers
    order: tuple[int, ...]
    x: FloatArray
    y: FloatArray
    everything: Points
    outlines: tuple[tuple[Line, Line], ...]
    """Each layer as it is drawn when a query has looked at it, and when it has not."""

    def only(self, ids: set[int]) -> BoolArray:
        """Return which points have these ids."""
        return np.array([point in ids for point in self.order])


def _normal_points() -> FloatArray:
    """Draw normal points, leaving out those that would stick out or cover an earlier one.

    Their last digit keeps them off the lines at right angles, so that no position of the explorer
    depends on how a machine rounds a cosine.
    """
    rng = np.random.default_rng(_SEED)
    points = np.empty((0, 2))
    while len(points) < _POINTS:
        point = (np.floor(1000.0 * rng.standard_normal((1, 2))) + 0.5) / 1000.0
        apart = np.linalg.norm(points - point, axis=1) > _GAP
        if apart.all() and np.abs(point).max() < _FARTHEST:
            points = np.append(points, point, axis=0)
    return points


@lru_cache(maxsize=1)
def _onion() -> _Onion:
    layers = ConvexLayers(points := _normal_points())
    rings = [ring.tolist() for ring in layers.layers()]
    order = tuple(point for ring in rings for point in ring)
    outlines = []
    for ring in rings:
        x, y = points[[*ring, ring[0]]].T.copy()
        outlines.append((Line(x, y, role="ink", width=1.5), Line(x, y, role="grid", width=1.5)))
    x, y = points[list(order)].T.copy()
    everything = Points(x, y, role="muted", size=4.0)
    return _Onion(layers, order, x, y, everything, tuple(outlines))


def onion_view(angle: float, offset: float) -> View:
    """Show what a query of the convex layers looks at, for one half-plane.

    Parameters
    ----------
    angle : float
        Direction of the normal in degrees, counterclockwise from the first axis.
    offset : float
        Distance of the line from the origin along the normal, of any sign.

    Returns
    -------
    View
        Points, layers and half-plane; which points are reported, which were compared with the line
        in vain, and where the binary searches probed.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is not finite.

    Notes
    -----
    Source: Corollary 5.2, second regime, for d = 2.
    """
    direction = math.radians(scalar(angle, "angle"))
    normal = (math.cos(direction), math.sin(direction))
    onion = _onion()
    trace = onion.layers.trace(normal, offset)
    m, k, depth = len(onion.layers), len(trace.reported), len(onion.outlines)
    probed = [point for visit in trace.visits for point in visit.probed]
    tested = [point for visit in trace.visits for point in visit.tested]
    reported = set(trace.reported)
    visited = len(trace.visits)
    seen, steps = len({*probed, *tested}), len(probed) + len(tested)
    marks: list[Mark] = [
        *(looked if n < visited else not_yet for n, (looked, not_yet) in enumerate(onion.outlines)),
        HalfPlane(normal, offset, role="c1", drag="offset"),
        onion.everything,
        Points(
            onion.x,
            onion.y,
            label="reported",
            role="c1",
            only=onion.only(reported),
        ),
        Points(
            onion.x,
            onion.y,
            label="compared in vain",
            role="c2",
            only=onion.only(set(tested) - reported),
        ),
        Points(
            onion.x,
            onion.y,
            label="probed by a binary search",
            role="c3",
            size=15.0,
            hollow=True,
            only=onion.only(set(probed)),
        ),
    ]
    return View(
        x=Axis(label="first coordinate", limits=(-_REACH, _REACH)),
        y=Axis(label="second coordinate", limits=(-_REACH, _REACH)),
        equal=True,
        marks=marks,
        sentence=(
            f"The query visits {seen} of {m} points, in {visited} of {depth} layers, and reports "
            f"{k}. It takes {steps} steps: {len(probed)} probes of a binary search and "
            f"{len(tested)} comparisons with the line. A naive scan takes {m}."
        ),
        readouts={
            "reported": f"{k} of {m}",
            "visited": f"{seen} of {m}",
            "layers opened": f"{visited} of {depth}",
            "probes + comparisons": f"{len(probed)} + {len(tested)}",
            "steps, onion": str(steps),
            "steps, naive scan": str(m),
        },
        warning=(
            "Here the naive scan takes fewer steps: the onion pays a binary search for every layer "
            "that it opens."
            if steps > m
            else None
        ),
    )


def onion_explorer() -> Explorer:
    """Build the explorer of a half-plane over convex layers.

    Returns
    -------
    Explorer
        Sliders for the angle of the normal and for the offset, which can also be set by moving the
        line in the picture.

    Notes
    -----
    Source: Corollary 5.2, second regime, for d = 2.
    """
    return Explorer(
        onion_view,
        [
            Slider("angle", "angle of the normal", range(0, 360, 6), start=36, format="{}°"),
            Slider(
                "offset",
                "offset of the line",
                [round(0.1 * k, 1) for k in range(-4, 27)],
                start=1.0,
                format="{:.1f}",
            ),
        ],
        title="Peeling an onion: which points does a query look at?",
        description=(
            "Move the sliders, or take hold of the line. The layers that the query opens stand out."
        ),
        name="onion-explorer",
    )


# ---- the cap bound -----------------------------------------------------------------------------

_DIMENSIONS = (2, 3, 4, 8, 16, 32, 65)
_T = tuple(round(0.1 * k, 1) for k in range(41))
_SHARE = np.array([scaling.activity_at(t) for t in _T])[::-1].copy()
_LOWEST = 2e-5
_WIDEST_DRAWN = 2**16


@lru_cache(maxsize=64)
def _surviving(d: int) -> FloatArray:
    return np.array([theory.surviving_share(t, d) for t in _T])[::-1].copy()


@lru_cache(maxsize=64)
def _areas_and_curves(d: int) -> tuple[Mark, ...]:
    """Return what the width and the threshold do not move."""
    phi = _surviving(d)
    return (
        Band(_SHARE, phi, np.ones_like(phi), label="never fire on X", role="muted"),
        Band(_SHARE, _SHARE, phi, label="looked at in vain", role="c2"),
        *(Line(_SHARE, _surviving(other), role="muted", width=1.0) for other in _DIMENSIONS),
        Line(_SHARE, phi, label="looked at, *φ*", role="c2"),
        Line(_SHARE, _SHARE, label="active, *p*", role="c1"),
    )


@lru_cache(maxsize=32)
def _network(m: int, d: int) -> TwoLayerNetwork:
    return TwoLayerNetwork.initialize(m, d, rng=np.random.default_rng([_SEED, m, d]), tau=0.0)


@lru_cache(maxsize=1024)
def _drawn(m: int, d: int, tau: float) -> int:
    """Count the neurons of a drawn network that can fire on X."""
    network = _network(m, d)
    return len(alive_on_slice(network.W, network.b, tau=tau, tolerance=0.0))


def half_space_cost_view(m: int, t: float, d: int) -> View:
    """Show how much of a network a query on X has to look at, against the share that fires.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    t : float
        Standardized threshold, ``0 <= t <= 30``.
    d : int
        Input dimension, ``d >= 2``.

    Returns
    -------
    View
        The surviving share of the cap bound in this dimension, the active share, what is between
        and above them, the promise of Corollary 5.2 with the constant 1, and, up to 65 536
        neurons, the share that can fire in a drawn network.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Section 3.2 (the domain X), Definitions 3.1 and 3.9; Corollary 5.2, first regime.
    """
    active = scaling.activity_at(scalar(t, "t", minimum=0.0))
    tau = scaling.threshold_from_standard(t, m)
    survive = theory.surviving_share(t, d)
    low, high = theory.surviving_count_interval(tau, m, d)
    dead = m * (1.0 - survive)
    drawn = _drawn(m, d, tau) if m <= _WIDEST_DRAWN else None
    power = float(theory.search_exponent(d))
    promised = math.pow(m, power) + m * active
    sparse = scaling.standardize_threshold(scaling.R3.tau(m), m)
    said = "" if drawn is None else f", {grouped(drawn)} in the drawn network"
    return View(
        x=Axis(
            label="share that fires at one input, *p*",
            scale="log10",
            limits=(3e-5, 0.5),
            format=percent,
        ),
        y=Axis(label="share of neurons", scale="log10", limits=(_LOWEST, 1.0), format=percent),
        marks=[
            *_areas_and_curves(d),
            Points(
                [active],
                [survive],
                role="c2",
                lower=[max(low / m, _LOWEST)],
                upper=[max(high / m, _LOWEST)],
            ),
            Points([active], [active], role="c1"),
            Points([active], [min(promised / m, 1.0)], label="printed, constant 1", role="c4"),
            *([] if not drawn else [Points([active], [drawn / m], label="drawn", role="c5")]),
        ],
        sentence=(
            f"With {grouped(m)} neurons in dimension {d} and a threshold of {t:.1f} standard "
            f"deviations, {about(m * active)} are expected to fire at one input "
            f"({percent(active)}) and {about(m * survive)} somewhere on X ({percent(survive)})"
            f"{said}. A query that goes by the cap bound looks at the latter and saves the inner "
            f"products with the other {about(dead)}. The first regime of Corollary 5.2 promises a "
            f"constant times {about(promised)}."
        ),
        readouts={
            "*t* = *τ* √(*m*/2)": number(t),
            "*Q*(*t*)": percent(active),
            "*t* of R3": number(sparse),
            "active, *p* *m*": about(m * active),
            "looked at, *φ* *m*": about(m * survive),
            "99.9 % range": f"{grouped(low)} to {grouped(high)}",
            "drawn": "–" if drawn is None else grouped(drawn),
            "printed, *m*^{1−1/⌊*d*/2⌋} + *k*": about(promised),
            "never fire": about(dead),
            "inner products saved": percent(1.0 - survive),
        },
        warning=_what_fails(d, active, survive, promised / m),
    )


def _what_fails(d: int, active: float, survive: float, promised: float) -> str | None:
    """Say which statement fails at the chosen point, or says little there."""
    said = []
    if d < 4:
        said.append(
            "Corollary 5.2 promises a constant plus k here. With yes/no questions no structure can "
            "keep that: a logarithm is missing."
        )
    if active > 0.1:
        said.append(
            "The activity is not small: each of the k neurons that fire has to be listed, so no "
            "structure that reports is sublinear here."
        )
    elif d >= 4 and promised > 0.5:
        said.append(
            "The promise of Corollary 5.2 is empty: even with the constant 1 it is more than half "
            "of a scan."
        )
    if survive > 0.9:
        said.append(
            "In so many dimensions and at this threshold nearly every neuron can fire somewhere on "
            "X: the cap bound saves less than a tenth."
        )
    return " ".join(said) or None


def half_space_cost_explorer() -> Explorer:
    """Build the explorer of width, threshold and dimension for the cost of a query on X.

    Returns
    -------
    Explorer
        Sliders for ``m = 2^8, 2^12 ... 2^24``, ``t = 0 ... 4`` and ``d = 2 ... 65``.

    Notes
    -----
    Source: Section 3.2, Definitions 3.1 and 3.9.
    """
    return Explorer(
        half_space_cost_view,
        [
            Slider("m", "width *m*", [4**k for k in range(4, 13, 2)], start=2**16, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                _T[::2],
                start=2.4,
                format="{:.1f}",
            ),
            Slider("d", "dimension *d*", _DIMENSIONS, start=8),
        ],
        title="How much of the network does a query touch?",
        description=(
            "Thin lines show the same curve in dimensions "
            f"{', '.join(map(str, _DIMENSIONS[:-1]))} and {_DIMENSIONS[-1]}."
        ),
        name="half-space-cost-explorer",
    )

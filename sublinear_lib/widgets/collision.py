"""The explorer of narrow first layers: what one or two neurons see of the balls of a simplex.

The layer turns, the balls grow, and the view shows where balls of different labels begin to share
an image: in the plane itself for one neuron and two features, in what the layer sees otherwise.
Every number comes from `sublinear_lib.memorization`.  Before changing it, know that only the row
space of a layer decides; the layers here have rows of similar length so that their images can be
drawn on one scale.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization import Collision, collision, cube_image, simplex_points
from sublinear_lib.plotting import SERIES, number
from sublinear_lib.validation import count, scalar
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Band, Line, Mark, Points, View

__all__ = ["collision_explorer", "collision_view", "turned_layer"]

_FEATURES = [2, 3, 4]
_NEURONS = [1, 2]
_TURNS = [22.5 * k for k in range(8)]
_SHARES = [0.05, 0.1, 0.15, 0.2, 0.225, 0.25, 0.3, 0.5]
_WORDS = {1: "one neuron", 2: "two neurons"}


@lru_cache(maxsize=512)
def turned_layer(n: int, m: int, turn: float) -> FloatArray:
    """Build the layer of the explorer: at 0 degrees it treats all features alike.

    Parameters
    ----------
    n : int
        Number of features, ``>= 2``.
    m : int
        Number of neurons, 1 or 2.
    turn : float
        Angle in degrees.

    Returns
    -------
    ndarray of float64, shape (m, n)
        ``cos(turn) A + sin(turn) B`` for two fixed matrices with orthonormal rows.  The rows of A
        are orthogonal to ``(1, ..., 1)`` if ``m < n``; for ``n = 2`` and ``m = 1`` the turn is that
        of the null direction, counted from the diagonal.
    """
    n, m = count(n, "n", minimum=2), count(m, "m", maximum=2)
    angle = np.deg2rad(scalar(turn, "turn"))
    ones = np.ones((1, n)) / np.sqrt(n)
    if m >= n:
        A, B = np.eye(2), np.array([[0.0, 1.0], [-1.0, 0.0]])
    elif n == 2:
        A, B = np.array([[-1.0, 1.0]]) / np.sqrt(2.0), -ones
    else:
        place = 2.0 * np.pi * np.arange(n) / n
        A = np.stack((np.cos(place), np.sin(place)))[:m] * np.sqrt(2.0 / n)
        drawn = np.random.default_rng([n, m]).normal(size=(n, m))
        B = np.linalg.qr(drawn)[0].T
    layer: FloatArray = np.round(np.cos(angle) * A + np.sin(angle) * B, 12)
    layer.setflags(write=False)
    return layer


@lru_cache(maxsize=512)
def _found(n: int, m: int, turn: float) -> Collision:
    return collision(turned_layer(n, m, turn), *simplex_points(n))


def _box(x: float, y: float, half: float, high: float, role: int, label: str) -> Band:
    ends = np.array([x - half, x + half])
    return Band(
        np.round(ends, 3),
        np.full(2, round(y - high, 3)),
        np.full(2, round(y + high, 3)),
        label=label,
        role=SERIES[role],
    )


def _polygon(center: FloatArray, shape: FloatArray, role: int) -> Band:
    """Return a convex polygon, symmetric around its center, as the area between two curves."""
    k = len(shape) // 2
    at = np.vstack((shape, shape[:1]))
    left = int(np.lexsort((at[:-1, 1], at[:-1, 0]))[0])
    turned = np.roll(shape, -left, axis=0)  # from the leftmost corner, counterclockwise
    below, above = turned[: k + 1], np.vstack((turned[k:], turned[:1]))[::-1]
    x = np.unique(np.round(shape[:, 0], 9))
    lower, upper = (np.interp(x, part[:, 0], part[:, 1]) for part in (below, above))
    a, b = float(center[0]), float(center[1])
    return Band(
        np.round(a + x, 3), np.round(b + lower, 3), np.round(b + upper, 3), role=SERIES[role]
    )


def collision_view(n: int, m: int, turn: float, share: float) -> View:
    r"""Show what a first layer sees of the balls of a simplex, and which two it merges.

    Parameters
    ----------
    n : int
        Number of features, ``>= 2``.
    m : int
        Number of neurons in the first layer, 1 or 2.
    turn : float
        Angle of the layer in degrees, see `turned_layer`.
    share : float
        The budget in units of the separation, ``mu / lambda > 0``.

    Returns
    -------
    View
        For two features and one neuron the plane with its balls; otherwise the images of the
        balls, intervals for one neuron and polygons for two.  From the collision radius on, the
        two points that the layer cannot tell apart, or their common image.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Proposition II.3, after Yu, Gao and Zhang (2024).
    """
    n, m = count(n, "n", minimum=2), count(m, "m", maximum=2)
    mu = scalar(share, "share", exclusive_minimum=0.0)
    W = turned_layer(n, m, turn)
    X, y = simplex_points(n)
    found = _found(n, m, float(turn))
    merged = mu >= found.radius - 1e-12
    marks: list[Mark] = []
    rows = {1: np.flatnonzero(y == 1.0), 2: np.flatnonzero(y == 2.0)}
    if n == 2 and m == 1:
        x_axis = Axis(label="first feature", limits=(-0.55, 1.55))
        y_axis = Axis(label="second feature", limits=(-0.55, 1.55))
        for row, point in enumerate(X):
            marks.append(_box(float(point[0]), float(point[1]), mu, mu, int(y[row]) - 1, ""))
        if merged:
            pair = np.round(np.stack((found.x, found.x_prime)), 4)
            marks.append(Line(pair[:, 0], pair[:, 1], role="ink", dash=True, width=1.5))
        at = X
    elif m == 1:
        size = float(np.abs(W).sum())
        x_axis = Axis(label="what the neuron sees, in units of its weights", limits=(-1.2, 1.2))
        y_axis = Axis(
            label="sample", limits=(-0.7, n + 0.7), ticks=range(n + 1), format=lambda v: f"{v:.0f}"
        )
        at = np.column_stack((np.round(X @ W[0] / size, 4), np.arange(n + 1.0)))
        for row, (a, b) in enumerate(at.tolist()):
            marks.append(_box(a, b, mu, 0.22, int(y[row]) - 1, ""))
        if merged:
            common = round(float(found.x @ W[0]) / size, 4)
            ends = [float(found.i), float(found.k)]
            marks.append(Line([common, common], ends, role="ink", dash=True, width=1.5))
    else:
        x_axis = Axis(label="first neuron", limits=(-1.75, 1.75))
        y_axis = Axis(label="second neuron", limits=(-1.75, 1.75))
        shape, at = cube_image(W), np.round(X @ W.T, 4)
        for row, center in enumerate(at):
            marks.append(_polygon(center, mu * shape, int(y[row]) - 1))
    for label, places in rows.items():
        marks.append(
            Points(at[places, 0], at[places, 1], label=f"label {label}", role=SERIES[label - 1])
        )
    if merged and (n == 2 and m == 1):
        pair = np.round(np.stack((found.x, found.x_prime)), 4)
        marks.append(Points(pair[:, 0], pair[:, 1], role="ink", size=9.0, label="not told apart"))
    elif merged and m == 2:
        cross = np.round(W @ found.x, 4)
        marks.append(
            Points(cross[:1], cross[1:], role="ink", size=9.0, label="image of two labels")
        )
    return View(
        x=x_axis,
        y=y_axis,
        equal=not (m == 1 and n > 2),
        marks=marks,
        sentence=_sentence(n, m, found, mu, merged),
        readouts={
            "collision radius / *λ*": number(found.radius),
            "budget *μ*/*λ*": number(mu),
            "rank of the layer": str(found.rank),
            "first pair": f"{found.i} and {found.k}",
        },
        warning=_warning(n, m, mu, merged),
    )


def _sentence(n: int, m: int, found: Collision, mu: float, merged: bool) -> str:
    start = f"With {n} features and {_WORDS[m]} in the first layer, "
    first = f"samples {found.i} and {found.k}, of labels 1 and 2,"
    if found.injective:
        return (
            f"{start}the layer loses nothing: the images of two balls of different labels meet "
            f"only when the balls do, from μ = {number(found.radius)} λ on. Now μ = {number(mu)} λ."
        )
    if merged:
        return (
            f"{start}the balls of {first} share an image from μ = {number(found.radius)} λ on. At "
            f"μ = {number(mu)} λ there are two points in them that this layer cannot tell apart, "
            "and nothing that follows can."
        )
    return (
        f"{start}the balls of {first} would share an image from μ = {number(found.radius)} λ on. "
        f"At μ = {number(mu)} λ no two labels share an image, and a network that starts with this "
        "layer can still be right."
    )


def _warning(n: int, m: int, mu: float, merged: bool) -> str | None:
    if mu >= 0.5:
        return (
            "Beyond the threshold μ < λ/2 the balls themselves meet: no function is right on all "
            "closed balls, whatever the layer."
        )
    if m >= n:
        return (
            "The hypothesis of fewer neurons than features fails: this layer can be undone, and "
            "the proposition promises nothing."
        )
    if mu < 0.25:
        ends = "this layer fails already" if merged else "this layer does not fail yet"
        return (
            f"The hypothesis μ ≥ λ/4 fails: the proposition does not say that every layer of "
            f"fewer than {n} neurons fails; {ends}."
        )
    return None


def collision_explorer() -> Explorer:
    """Build the explorer of narrow first layers.

    Returns
    -------
    Explorer
        2 to 4 features, one or two neurons, eight turns and budgets from 0.05 to 0.5 lambda.

    Notes
    -----
    Source: Proposition II.3, after Yu, Gao and Zhang (2024).
    """
    return Explorer(
        collision_view,
        [
            Slider("n", "features *n*", _FEATURES, start=2),
            Slider("m", "neurons of the first layer *m*", _NEURONS, start=1),
            Slider("turn", "turn of the layer", _TURNS, start=22.5, format="{:g}°"),
            Slider("share", "budget *μ*/*λ*", _SHARES, start=0.2, format="{:g}"),
        ],
        title="What does a narrow first layer see?",
        description=(
            "Sample 0 is the origin, of label 1; samples 1, 2, … are the unit vectors, of label 2."
        ),
        name="collision-explorer",
    )

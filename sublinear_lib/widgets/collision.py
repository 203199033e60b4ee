"""The explorer of narrow first layers: the hexagons that two neurons see of cubes.

The layer turns, the balls grow, and the view shows where balls of different labels begin to share
an image.  Every number comes from `sublinear_lib.memorization`.  Before changing it, know that only
the row space of a layer decides; the layers here have orthonormal rows so that their images can be
drawn on one scale.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization import Collision, collision, cube_image, simplex_points
from sublinear_lib.plotting import SERIES, number
from sublinear_lib.validation import scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Band, Mark, Points, View

__all__ = ["collision_explorer", "collision_view", "turned_layer"]

_TURNS = [4.5 * k for k in range(40)]


@lru_cache(maxsize=64)
def turned_layer(turn: float) -> FloatArray:
    """Build the layer of the explorer: at 0 degrees it treats all three features alike.

    Parameters
    ----------
    turn : float
        Angle in degrees.

    Returns
    -------
    ndarray of float64, shape (2, 3)
        ``cos(turn) A + sin(turn) B`` for two fixed matrices with orthonormal rows; those of A are
        orthogonal to ``(1, 1, 1)``.
    """
    angle = np.deg2rad(scalar(turn, "turn"))
    place = 2.0 * np.pi * np.arange(3) / 3
    A = np.stack((np.cos(place), np.sin(place))) * np.sqrt(2.0 / 3)
    B = np.linalg.qr(np.random.default_rng([3, 2]).normal(size=(3, 2)))[0].T
    layer: FloatArray = np.round(np.cos(angle) * A + np.sin(angle) * B, 12)
    layer.setflags(write=False)
    return layer


@lru_cache(maxsize=64)
def _found(turn: float) -> Collision:
    return collision(turned_layer(turn), *simplex_points(3))


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


def collision_view(turn: float, share: float) -> View:
    r"""Show what two neurons see of the balls of a simplex in three dimensions.

    Parameters
    ----------
    turn : float
        Angle of the layer in degrees, see `turned_layer`.
    share : float
        The budget in units of the separation, ``mu / lambda > 0``.

    Returns
    -------
    View
        The images of the balls.  From the collision radius on, a common image of two points with
        different labels.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Proposition II.3, after Yu, Gao and Zhang (2024).
    """
    mu = scalar(share, "share", exclusive_minimum=0.0)
    W = turned_layer(turn)
    X, y = simplex_points(3)
    found = _found(float(turn))
    shape, at = cube_image(W), np.round(X @ W.T, 4)
    marks: list[Mark] = [
        _polygon(center, mu * shape, int(y[row]) - 1) for row, center in enumerate(at)
    ]
    for label in (1, 2):
        here = at[y == label]
        marks.append(Points(here[:, 0], here[:, 1], label=f"label {label}", role=SERIES[label - 1]))
    merged = mu >= found.radius - 1e-12
    radius = number(found.radius)
    if merged:
        cross = np.round(W @ found.x, 4)
        marks.append(
            Points(cross[:1], cross[1:], role="ink", size=9.0, label="image of two labels")
        )
        sentence = (
            f"At μ = {number(mu)} λ, as from μ = {radius} λ on, two points with different labels "
            "have one image. No layer that follows can tell them apart."
        )
    else:
        sentence = (
            f"At μ = {number(mu)} λ, as up to μ = {radius} λ, the shadows of the two labels keep "
            "apart. A network that starts with this layer can still be right."
        )
    return View(
        x=Axis(label="first neuron", limits=(-1.5, 1.5)),
        y=Axis(label="second neuron", limits=(-1.5, 1.5)),
        equal=True,
        marks=marks,
        sentence=sentence,
        readouts={"collision radius / *λ*": radius, "budget *μ*/*λ*": number(mu)},
        warning="This layer has lost a label." if merged else None,
    )


def collision_explorer() -> Explorer:
    """Build the explorer of narrow first layers.

    Returns
    -------
    Explorer
        Turns of half a circle, and three budgets up to lambda / 4.

    Notes
    -----
    Source: Proposition II.3, after Yu, Gao and Zhang (2024).
    """
    return Explorer(
        lambda turn, share: collision_view(turn, float(share)),
        [
            Slider("turn", "turn of the layer", _TURNS, start=22.5, format="{:g}°"),
            Choice("share", "budget *μ*/*λ*", ["0.1", "0.15", "0.25"], start="0.15"),
        ],
        title="What do two neurons see of four cubes?",
        description=(
            "Three features, two neurons. The origin has label 1, the three unit vectors have "
            "label 2, and around each of them is a cube."
        ),
        name="collision-explorer",
    )

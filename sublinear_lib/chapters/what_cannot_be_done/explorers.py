"""Narrow first layers (Proposition II.3) and two neurons for a hypergraph (Theorem II.4.1).

Only the row space of a layer decides: the drawn layers have orthonormal rows.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from sublinear_lib import memorization as mem
from sublinear_lib._typing import FloatArray
from sublinear_lib.chapters._common import filled, labeled, typed_rows
from sublinear_lib.chapters.what_cannot_be_done import figures
from sublinear_lib.plotting import Picture, number
from sublinear_lib.widgets import Axis, Mark, Points, View
from sublinear_lib.widgets.declaration import explorer, lab, menu, slider, typed

_TURNS = [4.5 * k for k in range(40)]
_ENDS = (-1.5, 1.5)


def turned_layer(turn: float) -> FloatArray:
    """Build the layer of the explorer: at 0 degrees it treats all three features alike."""
    angle = np.deg2rad(turn)
    place = 2.0 * np.pi * np.arange(3) / 3
    A = np.stack((np.cos(place), np.sin(place))) * np.sqrt(2.0 / 3)
    B = np.linalg.qr(np.random.default_rng([3, 2]).normal(size=(3, 2)))[0].T
    return np.asarray(np.round(np.cos(angle) * A + np.sin(angle) * B, 12))


@lru_cache(maxsize=64)
def _found(turn: float) -> mem.Collision:
    return mem.collision(turned_layer(turn), *mem.simplex_points(3))


@explorer(
    "What do two neurons see of four cubes?",
    description="Three features, two neurons. The origin has label 1, the three unit vectors have "
    "label 2, and around each of them is a cube.",
    name="collision-explorer",
    turn=slider("turn of the layer", _TURNS, start=22.5, format="{:g}°"),
    share=menu("budget *μ*/*λ*", ["0.1", "0.15", "0.25"], start="0.15"),
)
def shadows(turn: float, share: float) -> View:
    """Show what two neurons see of the balls of a simplex in three dimensions."""
    mu, W = float(share), turned_layer(turn)
    X, y = mem.simplex_points(3)
    found = _found(turn)
    shape, at = mu * mem.cube_image(W), np.round(X @ W.T, 4)
    marks: list[Mark] = [filled(center + shape, label) for center, label in zip(at, y, strict=True)]
    marks += labeled(at, y)
    merged, radius = mu >= found.radius - 1e-12, number(found.radius)
    sentence = f"At μ = {number(mu)} λ, as {'from' if merged else 'up to'} μ = {radius} λ"
    if merged:
        a, b = np.round(W @ found.x, 4).tolist()
        marks.append(Points([a], [b], role="ink", size=9.0, label="image of two labels"))
        sentence += " on, two points with different labels have one image. No layer that follows "
        sentence += "can tell them apart."
    else:
        sentence += ", the shadows of the two labels keep apart. A network that starts with this "
        sentence += "layer can still be right."
    return View(
        x=Axis(label="first neuron", limits=_ENDS),
        y=Axis(label="second neuron", limits=_ENDS),
        equal=True,
        marks=marks,
        sentence=sentence,
        readouts={"collision radius / *λ*": radius, "budget *μ*/*λ*": number(mu)},
        warning="This layer has lost a label." if merged else None,
    )


_DATA = {
    "simplex": "0 and the unit vectors",
    "random": "30 random points",
    "digits": "20 digits, even or odd",
}
_Method: TypeAlias = Literal["milp", "backtrack"]
_METHODS = {"milp": "mixed-integer programs", "backtrack": "one point after the other"}


def _numbers(words: list[str]) -> list[float]:
    return [float(word) for word in " ".join(words).replace(",", " ").split()]


@lab(
    "Which two points does your first layer merge?",
    rows=typed("rows of W: w w w; w w w; … (empty: drawn)"),
    data=menu("samples", _DATA),
    n=slider("features *n*", range(2, 25), start=8),
    m=slider("neurons drawn *m*", [*range(1, 24), 32, 48, 60, 63, 64], start=7),
    seed=slider("seed", range(20), start=1),
)
def merge_two_balls(rows: str, data: str, n: int, m: int, seed: int) -> Picture:
    """Find the two points that a first layer merges first, print them, draw their coordinates."""
    rng = np.random.default_rng([seed, 7])
    given = typed_rows(rows, "rows must be numbers", _numbers)
    if given:
        lengths = sorted({len(row) for row in given})
        if len(lengths) > 1:
            raise ValueError(f"rows must have one length, got the lengths {lengths}")
        n = lengths[0]
    if data == "digits":
        split = mem.digits(20, rng, labels="parity")
        X, y = split.X, split.y
    else:
        X, y = mem.simplex_points(n) if data == "simplex" else mem.random_points(30, n, 2, rng)
    n = X.shape[1]
    W = np.array(given) if given else rng.normal(size=(m, n))
    found = mem.collision(W, X, y)
    neurons = f"{len(W)} neuron{'s' * (len(W) > 1)} for {n} features, rank {found.rank}"
    print(f"{neurons}: collision radius {found.radius:.4g} = {found.share:.4g} lambda")
    if found.injective:
        print("the layer loses nothing: only the threshold lambda/2 is left")
    else:
        same = found.residual(W) <= 1e-9 * (1.0 + float(np.abs(W).sum()))
        print(f"rows {found.i} and {found.k}, labels {y[found.i]:g} and {y[found.k]:g}", end=": ")
        print("W x = W x' up to rounding" if same else "W x and W x' differ")
    pair, points = (X[found.i], X[found.k]), (found.x, found.x_prime)
    names = (f"label {y[found.i]:g}", f"label {y[found.k]:g}")
    return figures.coordinates_picture(pair, names, found.radius, points, name="own-layer")


@lab(
    "Two neurons for your hypergraph",
    edges=typed("edges: 0 1 2; 2 3; … (empty: drawn)"),
    vertices=slider("vertices *V*", range(3, 13), start=8),
    drawn=slider("edges drawn", range(1, 41), start=18),
    method=menu("search by", _METHODS),
    seed=slider("seed", range(20), start=1),
)
def two_neurons_for(edges: str, vertices: int, drawn: int, method: _Method, seed: int) -> Picture:
    """Turn a hypergraph into data, look for two neurons, read a coloring off them, draw it."""
    given = typed_rows(edges, "edges must be numbers", _numbers)
    if given:
        for row in given:
            if not all(value.is_integer() and value >= 0 for value in row):
                raise ValueError(f"edges must name vertices by whole numbers from 0 on, got {row}")
        chosen = [tuple(int(value) for value in row) for row in given]
        size = max(max(edge, default=0) for edge in chosen) + 1
        if size > 12:
            raise ValueError(f"edges must name vertices from 0 to 11, got {size - 1}")
        h = mem.Hypergraph(max(vertices, size), chosen)
    else:
        most = vertices * (vertices - 1) * (vertices - 2) // 6
        h = mem.random_hypergraph(vertices, min(drawn, most), seed)
    X, y = mem.gadget(h)
    answer = mem.exists_width_two(X, y, method, sides=["upper"], time_limit=30.0)
    print(f"{len(X)} points in {X.shape[1]} dimensions; {answer.programs} programs", end=": ")
    by_trying = "a proper coloring" if mem.coloring(h) is not None else "no proper coloring"
    colors = None
    if answer.found is None:
        title = "undecided"
        print("time was up, no answer")
    elif answer.network is None:
        title = "no coloring"
        print(f"no two neurons; trying all colors finds {by_trying}")
    else:
        radius = float(mem.certify_sign(answer.network, X, y).radius)
        decoded = mem.coloring_of_network(h, answer.network)
        title, colors = "read off two neurons", decoded.colors
        print(f"two neurons, kind {decoded.kind}, right on balls of radius below {radius:.4g}")
        print(f"their coloring: {' '.join(map(str, decoded.colors))}; trying all finds {by_trying}")
    return figures.hypergraph_picture(title, h, colors, name="own-hypergraph")

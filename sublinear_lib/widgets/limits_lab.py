"""The live labs of the chapter on limits: a first layer of your own, and a hypergraph of your own.

The first finds the two points that a first layer cannot tell apart; the second turns a hypergraph
into data, looks for two neurons that memorize them, and reads a coloring off them.  No formula
lives here.  Before changing it, know that the
second may search for up to half a minute and says so if the time was up.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.chapters.what_cannot_be_done.figures import (
    HypergraphPanel,
    coordinates_picture,
    hypergraph_picture,
)
from sublinear_lib.memorization import (
    Hypergraph,
    certify_sign,
    collision,
    coloring,
    coloring_of_network,
    digits,
    exists_width_two,
    gadget,
    random_hypergraph,
    random_points,
    simplex_points,
)
from sublinear_lib.plotting import Picture
from sublinear_lib.validation import choice, count
from sublinear_lib.widgets._common import typed_parts
from sublinear_lib.widgets.controls import Choice, Slider, Text
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["hypergraph_lab", "merge_two_balls", "own_layer_lab", "two_neurons_for"]

_LIMIT = 30.0
_DATA = {
    "simplex": "0 and the unit vectors",
    "random": "30 random points",
    "digits": "20 digits, even or odd",
}
_METHODS = {"milp": "mixed-integer programs", "backtrack": "one point after the other"}


def _numbers(text: str, what: str) -> list[list[float]]:
    rows = []
    for place, part in typed_parts(text, what):
        try:
            rows.append([float(word) for word in part.replace(",", " ").split()])
        except ValueError:
            raise ValueError(f"{what} must be numbers, got {part!r} as number {place}") from None
    return rows


def merge_two_balls(rows: str, data: str, n: int, m: int, seed: int) -> Picture:
    """Find the two points that a first layer merges first, print them, draw their coordinates.

    Parameters
    ----------
    rows : str
        The rows of the matrix, numbers with spaces between them and semicolons between rows; if
        empty, a matrix with m rows is drawn.  For points that are not digits it decides n.
    data : {"simplex", "random", "digits"}
        The samples: the simplex, random points of the unit cube with two labels, or images of
        digits with 64 pixels.
    n : int
        Number of features, ``>= 2``, where neither digits nor rows decide it.
    m : int
        Number of rows to draw, ``>= 1``.
    seed : int
        Seed of the matrix and the samples, ``>= 0``.

    Returns
    -------
    Picture
        The two balls at the collision radius, with the two points.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range, or the rows cannot be read, differ in
        length or do not fit the samples.

    Notes
    -----
    Source: Proposition II.3, after Yu, Gao and Zhang (2024).
    """
    data = choice(data, "data", tuple(_DATA))
    n, m = count(n, "n", minimum=2), count(m, "m")
    rng = np.random.default_rng([count(seed, "seed", minimum=0), 7])
    typed = _numbers(rows, "rows")
    if typed:
        lengths = sorted({len(row) for row in typed})
        if len(lengths) > 1:
            raise ValueError(f"rows must have one length, got the lengths {lengths}")
        n = lengths[0]
    X: FloatArray
    y: FloatArray
    if data == "simplex":
        X, y = simplex_points(n)
    elif data == "random":
        X, y = random_points(30, n, 2, rng)
    else:
        split = digits(20, rng, labels="parity")
        X, y = split.X, split.y
    n = X.shape[1]
    W = np.array(typed) if typed else rng.normal(size=(m, n))
    found = collision(W, X, y)
    neurons = f"{len(W)} neuron{'s' * (len(W) > 1)} for {n} features, rank {found.rank}"
    print(f"{neurons}: collision radius {found.radius:.4g} = {found.share:.4g} lambda")
    if found.injective:
        print("the layer loses nothing: only the threshold lambda/2 is left")
    else:
        same = found.residual(W) <= 1e-9 * (1.0 + float(np.abs(W).sum()))
        print(f"rows {found.i} and {found.k}, labels {y[found.i]:g} and {y[found.k]:g}: ", end="")
        print("W x = W x' up to rounding" if same else "W x and W x' differ")
    return coordinates_picture(
        (X[found.i], X[found.k]),
        (f"label {y[found.i]:g}", f"label {y[found.k]:g}"),
        found.radius,
        (found.x, found.x_prime),
        name="own-layer",
    )


def two_neurons_for(
    edges: str, vertices: int, drawn: int, method: Literal["milp", "backtrack"], seed: int
) -> Picture:
    """Turn a hypergraph into data, look for two neurons, read a coloring off them, draw it.

    Parameters
    ----------
    edges : str
        The edges: two or three vertices each, numbered from 0, with spaces between them and
        semicolons between edges; if empty, edges of three vertices are drawn.
    vertices : int
        Number of vertices, 3 to 12; more if an edge names more.
    drawn : int
        Number of edges to draw, ``>= 1``, at most all.
    method : {"milp", "backtrack"}
        How to search.
    seed : int
        Seed of the edges that are drawn, ``>= 0``.

    Returns
    -------
    Picture
        The hypergraph, with the coloring of the network that was found.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range, or the edges cannot be read.

    Notes
    -----
    Source: Theorem II.4.1, after Yu, Gao and Zhang (2024); the reduction is ours.
    """
    vertices = count(vertices, "vertices", minimum=3, maximum=12)
    drawn = count(drawn, "drawn")
    method = "milp" if choice(method, "method", tuple(_METHODS)) == "milp" else "backtrack"
    typed = _numbers(edges, "edges")
    if typed:
        for row in typed:
            if not all(value.is_integer() and value >= 0 for value in row):
                raise ValueError(f"edges must name vertices by whole numbers from 0 on, got {row}")
        chosen = [tuple(int(value) for value in row) for row in typed]
        size = max(max(edge, default=0) for edge in chosen) + 1
        if size > 12:
            raise ValueError(f"edges must name vertices from 0 to 11, got {size - 1}")
        h = Hypergraph(max(vertices, size), chosen)
    else:
        most = vertices * (vertices - 1) * (vertices - 2) // 6
        h = random_hypergraph(vertices, min(drawn, most), count(seed, "seed", minimum=0))
    X, y = gadget(h)
    answer = exists_width_two(X, y, method, sides=["upper"], time_limit=_LIMIT)
    print(f"{len(X)} points in {X.shape[1]} dimensions; {answer.programs} programs", end=": ")
    if answer.found is None:
        print("time was up, no answer")
        return hypergraph_picture([HypergraphPanel("undecided", h)], name="own-hypergraph")
    by_trying = "a proper coloring" if coloring(h) is not None else "no proper coloring"
    if answer.network is None:
        print(f"no two neurons; trying all colors finds {by_trying}")
        return hypergraph_picture([HypergraphPanel("no coloring", h)], name="own-hypergraph")
    radius = certify_sign(answer.network, X, y).radius
    decoded = coloring_of_network(h, answer.network)
    print(f"two neurons, kind {decoded.kind}, right on balls of radius below {float(radius):.4g}")
    print(f"their coloring: {' '.join(map(str, decoded.colors))}; trying all finds {by_trying}")
    title = "read off two neurons"
    return hypergraph_picture([HypergraphPanel(title, h, decoded.colors)], name="own-hypergraph")


def own_layer_lab() -> LiveLab:
    """Build the lab that looks for what a first layer cannot tell apart.

    Returns
    -------
    LiveLab
        A line for the rows of a matrix, and controls for the samples, the sizes and the seed.

    Notes
    -----
    Source: Proposition II.3.
    """
    return LiveLab(
        merge_two_balls,
        [
            Text("rows", "rows of W: w w w; w w w; … (empty: drawn)"),
            Choice("data", "samples", _DATA),
            Slider("n", "features *n*", list(range(2, 25)), start=8),
            Slider("m", "neurons drawn *m*", [*range(1, 24), 32, 48, 60, 63, 64], start=7),
            Slider("seed", "seed", list(range(20)), start=1),
        ],
        title="Which two points does your first layer merge?",
    )


def hypergraph_lab() -> LiveLab:
    """Build the lab that looks for two neurons for a hypergraph of the reader's own.

    Returns
    -------
    LiveLab
        A line for edges, and controls for the sizes, the method and the seed.

    Notes
    -----
    Source: Theorem II.4.1.
    """
    return LiveLab(
        two_neurons_for,
        [
            Text("edges", "edges: 0 1 2; 2 3; … (empty: drawn)"),
            Slider("vertices", "vertices *V*", list(range(3, 13)), start=8),
            Slider("drawn", "edges drawn", list(range(1, 41)), start=18),
            Choice("method", "search by", _METHODS),
            Slider("seed", "seed", list(range(20)), start=1),
        ],
        title="Two neurons for your hypergraph",
    )

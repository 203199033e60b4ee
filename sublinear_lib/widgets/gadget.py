"""The explorer of the reduction: small hypergraphs, the data they become, and two neurons for them.

The reader chooses a hypergraph, drops edges until it can be colored, and moves the budget; the view
says what the data have for two neurons and how many linear programs would decide.  Every number
comes from `sublinear_lib.memorization`.  Before changing it, know that whether two neurons exist is
read from the coloring, by the theorem: no program is solved here.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from sublinear_lib.memorization import (
    Hypergraph,
    coloring,
    complete_graph,
    count_colorings,
    cycle,
    fano,
    gadget,
    gadget_assignments,
    gadget_budgets,
    network_of_coloring,
    random_hypergraph,
    robust_radii,
)
from sublinear_lib.plotting import COLORS, grouped, hypergraph_layout, number
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Mark, Points, View

__all__ = ["gadget_explorer", "gadget_view"]

_MENU = {
    "cycle 3": "triangle",
    "cycle 4": "cycle of 4",
    "cycle 5": "cycle of 5",
    "complete 4": "complete graph of 4",
    "fano": "Fano plane",
    "triples 5": "triples of 5 vertices",
    "random 6": "random, 6 vertices",
    "random 7": "random, 7 vertices",
}
_RANDOM = {"triples 5": (5, 10, 0), "random 6": (6, 10, 3), "random 7": (7, 10, 2)}
_KEPT = list(range(1, 11))
_SHARES = [0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5]
_BLANK: dict[str, Any] = {"ticks": [0.0], "format": lambda value: ""}


@lru_cache(maxsize=256)
def _hypergraph(name: str, kept: int) -> Hypergraph:
    whole: Hypergraph
    if name == "fano":
        whole = fano()
    elif name in _RANDOM:
        vertices, edges, seed = _RANDOM[name]
        whole = random_hypergraph(vertices, edges, seed)
    else:
        kind, size = name.split()
        whole = cycle(int(size)) if kind == "cycle" else complete_graph(int(size))
    return Hypergraph(whole.vertices, whole.edges[:kept])


@lru_cache(maxsize=256)
def _facts(name: str, kept: int) -> tuple[int, tuple[int, ...] | None, Fraction | None]:
    """Return the number of proper colorings, the first, and the exact radius of its network."""
    h = _hypergraph(name, kept)
    colors = coloring(h)
    if colors is None:
        return 0, None, None
    radii = robust_radii(network_of_coloring(h, colors), *gadget(h))
    return count_colorings(h), colors, Fraction(min(radii))


def gadget_view(name: str, kept: int, share: float) -> View:
    r"""Show a hypergraph and what two neurons can do with the data that it becomes.

    Parameters
    ----------
    name : str
        One of the hypergraphs of the menu: ``"cycle 3"`` to ``"cycle 5"``, ``"complete 4"``,
        ``"fano"``, ``"triples 5"``, ``"random 6"`` and ``"random 7"``.
    kept : int
        How many of its edges to keep, from the first on, ``>= 1``; all if there are fewer.
    share : float
        The budget in units of the separation, ``mu / lambda``, 0 to 1/2.

    Returns
    -------
    View
        The hypergraph with its first proper coloring, if it has one; counts of points, colorings
        and programs; the exact radius of the network of this coloring.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Theorem II.4.1 and Proposition II.4.7, after Yu, Gao and Zhang (2024); the reduction is
    ours.
    """
    name = choice(name, "name", tuple(_MENU))
    kept = count(kept, "kept")
    mu = scalar(share, "share", minimum=0.0, maximum=0.5)
    h = _hypergraph(name, kept)
    colorings, colors, radius = _facts(name, kept)
    V, E = h.vertices, len(h.edges)
    vertices, curves = hypergraph_layout(h)
    marks: list[Mark] = [
        Line(curve[:, 0].round(3), curve[:, 1].round(3), role="muted", width=1.75)
        for curve in curves
    ]
    for color in (0, 1):
        own = [v for v in range(V) if colors is not None and colors[v] == color]
        if own:
            at = vertices[own].round(3)
            words = "first" if color == 0 else "second"
            marks.append(
                Points(
                    at[:, 0], at[:, 1], size=18.0, role=COLORS[color], label=f"{words} half-space"
                )
            )
    if colors is None:
        at = vertices.round(3)
        marks.append(Points(at[:, 0], at[:, 1], size=18.0, role="muted", label="no coloring"))
    promised, beyond = map(float, gadget_budgets(V))
    programs = gadget_assignments(V)
    readouts = {
        "vertices, edges": f"{V}, {E}",
        "points in *n* = *V* + 1": f"{V + E + 3} in {V + 1}",
        "proper colorings": str(colorings),
        "assignments": grouped(programs),
        "feasible": str(2 * colorings),
        "exact radius / *λ*": "none" if radius is None else str(radius),
    }
    start = (
        f"{V} vertices and {E} edges make {V + E + 3} points in {V + 1} dimensions. "
        f"A complete search solves {grouped(programs)} linear programs"
    )
    warning: str | None
    if colors is None or radius is None:
        sentence = (
            f"{start}, and all are infeasible: there is no proper coloring, so no network of two "
            "neurons memorizes these points, robustly or not."
        )
        warning = (
            None
            if mu == 0
            else ("Here the budget does not matter: the answer is no at every μ, 0 included.")
        )
    else:
        sentence = (
            f"{start}; {2 * colorings} of them are feasible, two for each of the {colorings} "
            f"proper colorings. The network of the coloring drawn is right on all balls for "
            f"μ < {radius} λ = {number(float(radius))} λ; now μ = {number(mu)} λ."
        )
        warning = None
        if mu >= beyond:
            warning = (
                f"The hypothesis of a small budget fails: from μ = λ/(⌈V/3⌉ + 1) = "
                f"{number(beyond)} λ on no two neurons are robust for these points, whatever the "
                "coloring. The reduction says nothing at such budgets."
            )
        elif mu >= radius:
            warning = (
                f"The hypothesis μ < λ/(2(2V + 1)) = {number(promised)} λ fails, and so does this "
                "network. Whether another pair of neurons is robust here, our proof leaves open."
            )
        elif mu >= promised:
            warning = (
                f"The hypothesis μ < λ/(2(2V + 1)) = {number(promised)} λ fails: the theorem "
                "promises nothing here, though this network is still robust."
            )
    return View(
        x=Axis(label="only who shares an edge counts", limits=(-1.45, 1.45), **_BLANK),
        y=Axis(label=_MENU[name], limits=(-1.25, 1.3), **_BLANK),
        equal=True,
        marks=marks,
        sentence=sentence,
        readouts=readouts,
        warning=warning,
    )


def gadget_explorer() -> Explorer:
    """Build the explorer of the reduction.

    Returns
    -------
    Explorer
        Eight hypergraphs, 1 to 10 edges kept, budgets from 0 to lambda/2.

    Notes
    -----
    Source: Theorem II.4.1 and Proposition II.4.7, after Yu, Gao and Zhang (2024).
    """
    return Explorer(
        gadget_view,
        [
            Choice("name", "hypergraph", _MENU, start="fano"),
            Slider("kept", "edges kept", _KEPT, start=6),
            Slider("share", "budget *μ*/*λ*", _SHARES, start=0.02, format="{:g}"),
        ],
        title="Can two neurons memorize a hypergraph?",
        description="The color of a vertex is the half-space that cuts its point off.",
        name="gadget-explorer",
    )

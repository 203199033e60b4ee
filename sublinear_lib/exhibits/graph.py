"""The graph of dependencies: what rests on what, as printed and as repaired.

Each statement is a link to its row in the ledger; what it rests on stands to its left.  The printed
view shows the paper as it is.  The repaired view leaves out every statement that has a repair, with
the steps that failed with it, and leads an arrow that would come from it from its repair instead.
Definitions, statements without an arrow, and arrows that others imply are not drawn.  It is all
there without scripts.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape

import networkx as nx

from sublinear_lib.claims import Claim, Ledger
from sublinear_lib.exhibits.layering import Layout, layered
from sublinear_lib.exhibits.looks import LOOKS, badge, color, script, style_sheet
from sublinear_lib.exhibits.markup import spoken
from sublinear_lib.exhibits.names import name_of, short_name, statement_address, title_of
from sublinear_lib.exhibits.shelf import Shelf, default_shelf
from sublinear_lib.plotting import PAGE_HTML

# The views of the works of the further parts.
_PARTS = {"memorization": "Part II", "features": "Part III"}

# In pixels: a node, what lies between layers and between nodes, and the margin.
_WIDTH, _HEIGHT = 128, 82
_PITCH_X, _PITCH_Y = 146, 91
_MARGIN = 10
_LETTERS = 16  # of a title in one line of a node


def work_view(ledger: Ledger, work: str) -> nx.DiGraph:
    """Return the statements of one work, with arrows from each to those whose proofs use it.

    That of the paper, ``"paper"``, is the view as printed.
    """
    claims = [claim for claim in ledger if claim.source.work == work]
    first = {claim.id: claim.restates or claim.id for claim in claims}
    graph = nx.DiGraph()
    graph.add_nodes_from(claim.id for claim in claims if not claim.restates)
    used = ((each, claim.id) for claim in claims for each in claim.depends_on if each in first)
    arrows = ((first[each], first[name]) for each, name in used)
    graph.add_edges_from(arrow for arrow in arrows if arrow[0] != arrow[1])
    return graph


def repaired_view(ledger: Ledger) -> nx.DiGraph:
    """Return what rests on what once the repairs are in their places.

    It has every statement of the paper that has no repair and did not fail with one that has, the
    repairs, and our own; an arrow from a statement that is left out starts at each repair.  If that
    gives a circle, a repair rests on what it was meant to repair.
    """

    def repairs(claim: Claim) -> tuple[Claim, ...]:
        return ledger.repairs_of(claim.id) or (
            ledger.repairs_of(claim.cause) if claim.cause else ()
        )

    kept = [
        claim
        for claim in ledger
        if claim.source.work not in _PARTS and not claim.restates and not repairs(claim)
    ]
    graph = nx.DiGraph()
    graph.add_nodes_from(claim.id for claim in kept)
    for claim in kept:
        for name in claim.depends_on:
            used = ledger[ledger[name].restates or name]
            sources = (used,) if used.id in graph else repairs(used)
            graph.add_edges_from(
                (each.id, claim.id) for each in sources if each.id in graph and each != claim
            )
    if not nx.is_directed_acyclic_graph(graph):
        circle = " -> ".join(start for start, _ in nx.find_cycle(graph))
        raise ValueError(f"ledger must repair no statement by its own consequence, got {circle}")
    return graph


def drawn(ledger: Ledger, graph: nx.DiGraph) -> nx.DiGraph:
    """Return what is drawn: no definitions, no arrow that others imply, and no node without one."""
    judged = graph.subgraph(name for name in graph if ledger[name].status is not None)
    needed = nx.transitive_reduction(judged).edges
    ordered = nx.DiGraph()  # a subgraph may forget the order in which nodes and edges came
    ordered.add_nodes_from(name for name in graph if judged.degree(name) if name in judged)
    ordered.add_edges_from(edge for edge in graph.edges if edge in needed)
    return ordered


@dataclass(frozen=True)
class _View:
    name: str
    title: str
    graph: nx.DiGraph


class DependencyGraph:
    """What rests on what, in several views, each as a drawing with links and as a list."""

    def __init__(self, shelf: Shelf) -> None:
        self._ledger = shelf.ledger
        self._views = (
            _View("printed", "As printed", drawn(shelf.ledger, work_view(shelf.ledger, "paper"))),
            _View("repaired", "As repaired", drawn(shelf.ledger, repaired_view(shelf.ledger))),
            *(
                _View(work, title, drawn(shelf.ledger, work_view(shelf.ledger, work)))
                for work, title in _PARTS.items()
                if any(claim.source.work == work for claim in shelf.ledger)
            ),
        )

    def __repr__(self) -> str:
        """Return the graph as text: a line for each statement."""
        lines = []
        for view in self._views:
            lines.append(f"{view.title}: {_size(view.graph)}")
            for claim in self._ledger:
                if claim.id in view.graph:
                    used = ", ".join(self._sorted(view.graph.predecessors(claim.id)))
                    lines.append(
                        f"  {claim.id} [{claim.recorded.value}, {claim.known}]"
                        + (f" rests on {used}" if used else "")
                    )
        return "\n".join(lines)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return the forms among which a host chooses: the drawing, and its words."""
        return {PAGE_HTML: self.html, "text/plain": repr(self)}

    @property
    def html(self) -> str:
        """The graph as HTML."""
        views = "".join(map(self._figure, self._views))
        shown = {self._ledger[name].recorded for view in self._views for name in view.graph}
        legend = "".join(f"<li>{badge(verdict)}</li>" for verdict in LOOKS if verdict in shown)
        switch = "".join(
            f'<label><input type="radio" name="sl-view" value="{view.name}"'
            f"{' checked' if number == 0 else ''}> {view.title}</label>"
            for number, view in enumerate(self._views)
        )
        return (
            f'<div class="sl-exhibit sl-graph"><style>{style_sheet(catalog=True)}</style>'
            f'<ul class="sl-key" aria-label="Verdicts">{legend}</ul>'
            f'<div class="sl-tools" hidden><fieldset><legend>View</legend>{switch}</fieldset>'
            '<div role="group" aria-label="Size of the drawing">'
            '<button type="button" data-zoom="0.8">Smaller</button>'
            '<button type="button" data-zoom="1.25">Larger</button>'
            '<button type="button" data-zoom="0">Fit</button></div></div>'
            f"{views}{script('graph.js')}</div>"
        )

    def _figure(self, view: _View) -> str:
        layout = layered(view.graph)
        width = 2 * _MARGIN + _PITCH_X * (layout.layers - 1) + _WIDTH
        height = 2 * _MARGIN + round(_PITCH_Y * layout.height) + _HEIGHT
        nodes = "".join(
            self._node(view, claim, _corner(*layout.places[claim.id]))
            for claim in self._ledger
            if claim.id in layout.places
        )
        size = _size(view.graph)
        about = (
            f"{view.title}: {size}. What a statement rests on is to its left. "
            "Each node is a link to its row below, which says the same in words."
        )
        return (
            f'<figure class="sl-view" id="{view.name}" data-view="{view.name}">'
            f"<figcaption><strong>{view.title}.</strong> {size}. What a statement "
            "rests on is to its left.</figcaption>"
            f'<div class="sl-scroll" tabindex="0" role="region" '
            f'aria-label="{view.title}, a drawing that scrolls">'
            f'<svg viewBox="0 0 {width} {height}" style="--sl-natural:{width}px" role="group" '
            f'aria-label="{escape(about)}"><g class="sl-edges" aria-hidden="true">'
            f"{_arrows(layout)}</g>{nodes}</svg></div>"
            '<p class="sl-panel">Point at a statement, or reach it with the Tab and arrow keys, to '
            "see what it rests on and what rests on it.</p></figure>"
        )

    def _node(self, view: _View, claim: Claim, place: tuple[int, int]) -> str:
        look = LOOKS[claim.recorded]
        x, y = place
        used = " ".join(self._sorted(view.graph.predecessors(claim.id)))
        plain = spoken(claim.plain)
        told = spoken(title_of(claim))
        label = f"{name_of(claim.id)}, {told}: {claim.recorded.value}, {claim.known}"
        target = statement_address(claim.id)
        lines = textwrap.wrap(told, _LETTERS)
        title = "".join(
            f'<text class="sl-title" x="8" y="{35 + 14 * k}">{escape(line, quote=False)}</text>'
            for k, line in enumerate(lines)
        )
        return (
            f'<a class="sl-node sl-page" id="{view.name}-{claim.id}" href="{target}" '
            f'data-id="{claim.id}" data-uses="{used}" data-name="{name_of(claim.id)}" '
            f'data-verdict="{claim.recorded.value}" data-known="{claim.known}" '
            f'data-plain="{escape(plain)}" '
            f'aria-label="{escape(label)}" transform="translate({x} {y})" '
            f'style="--sl-verdict:{color(look.role)}">'
            f'<rect class="sl-ring" x="-4" y="-4" width="{_WIDTH + 8}" height="{_HEIGHT + 8}" '
            'rx="9"/>'
            f'<rect class="sl-plate" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>'
            f'<path class="sl-mark" transform="translate(7 7) scale(.875)" d="{look.path}"/>'
            f'<text x="26" y="18.5">{short_name(claim.id)}</text>{title}</a>'
        )

    def _sorted(self, names: object) -> list[str]:
        """Return ids in reading order."""
        wanted = set(names)  # type: ignore[call-overload]
        return [claim.id for claim in self._ledger if claim.id in wanted]


def dependency_graph(*, shelf: Shelf | None = None) -> DependencyGraph:
    """Show what rests on what, by default among the claims of the library, in a notebook.

    ValueError says that the repairs form a circle.
    """
    return DependencyGraph(shelf or default_shelf())


def _size(graph: nx.DiGraph) -> str:
    nodes, edges = graph.number_of_nodes(), graph.number_of_edges()
    return f"{nodes} statement{'' if nodes == 1 else 's'}, {edges} arrow{'' if edges == 1 else 's'}"


def _corner(layer: int, height: float) -> tuple[int, int]:
    """Return the upper left corner of a node."""
    return _MARGIN + _PITCH_X * layer, _MARGIN + round(_PITCH_Y * height)


def _arrows(layout: Layout) -> str:
    """Return a curve for each arrow: straight through the layers, bent between them."""
    pieces = []
    for (start, end), points in layout.routes.items():
        corners = [_corner(*point) for point in points]
        x, y = corners[0][0] + _WIDTH, corners[0][1] + _HEIGHT // 2
        path = f"M{x} {y}"
        for k, (left, top) in enumerate(corners[1:], start=1):
            last = k == len(corners) - 1
            target = left - (5 if last else 0)
            level = top + _HEIGHT // 2
            middle = (x + target) // 2
            path += f"C{middle} {y} {middle} {level} {target} {level}"
            x, y = target, level
            if not last:
                x += _WIDTH
                path += f"H{x}"
        path += f"l-5 -3.5M{x} {y}l-5 3.5"
        pieces.append(f'<path data-from="{start}" data-to="{end}" d="{path}"/>')
    return "".join(pieces)

"""All statements together: names that are unique, dependencies that exist, and no circles.

A `Ledger` is a fixed collection of claims with the questions one asks of it as a whole: what rests
on what, in which order to read, which statement repairs which.  Before changing it, know that a
proof may not rest on itself: the arrows "depends on" form no circle, and a ledger that has one
cannot be made.  The ledger of costs, Lemma 5.3, is another class of that
name, `sublinear_lib.theory.Ledger`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

import networkx as nx

from sublinear_lib.claims.claim import Claim

__all__ = ["Ledger"]


class Ledger:
    """A collection of claims.

    Parameters
    ----------
    claims : iterable of Claim
        In the order in which a reader meets them.

    Raises
    ------
    ValueError
        If an id occurs twice, a dependency or a repaired statement is missing, or dependencies
        form a circle; the message names them.
    """

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._claims: dict[str, Claim] = {}
        for claim in claims:
            if claim.id in self._claims:
                raise ValueError(f"id must be unique, got {claim.id!r} twice")
            self._claims[claim.id] = claim
        for claim in self:
            for other in (*claim.depends_on, *filter(None, (claim.repairs,))):
                if other not in self._claims:
                    raise ValueError(f"{claim.id} must rest on statements here, got {other!r}")
        self._graph: nx.DiGraph = nx.DiGraph()
        self._graph.add_nodes_from(self._claims)
        self._graph.add_edges_from((claim.id, on) for claim in self for on in claim.depends_on)
        if not nx.is_directed_acyclic_graph(self._graph):
            circle = " -> ".join(edge[0] for edge in nx.find_cycle(self._graph))
            raise ValueError(f"depends_on must form no circle, got {circle}")

    def __iter__(self) -> Iterator[Claim]:
        """Go through the claims in reading order."""
        return iter(self._claims.values())

    def __len__(self) -> int:
        """Return the number of claims."""
        return len(self._claims)

    def __contains__(self, name: object) -> bool:
        """Return whether there is a claim of that id."""
        return name in self._claims

    def __getitem__(self, name: str) -> Claim:
        """Return a claim by its id.

        Raises
        ------
        KeyError
            If there is none; the message names the nearest ids.
        """
        if name in self._claims:
            return self._claims[name]
        raise KeyError(f"id must be that of a statement, got {name!r}{self._nearest(name)}")

    def select(self, names: Iterable[str]) -> tuple[Claim, ...]:
        """Return some claims in reading order.

        Parameters
        ----------
        names : iterable of str
            Ids; none at all stands for all.

        Returns
        -------
        tuple of Claim
            Each once.

        Raises
        ------
        KeyError
            If an id is unknown.
        TypeError
            If `names` is text: the letters of an id are no ids.
        """
        if isinstance(names, str):
            raise TypeError(f"names must be several ids, got the text {names!r}")
        wanted = {self[name].id for name in names}
        return tuple(claim for claim in self if not wanted or claim.id in wanted)

    def graph(self) -> nx.DiGraph:
        """Return what rests on what.

        Returns
        -------
        networkx.DiGraph
            An arrow from each statement to those that its proof uses; a copy.
        """
        return self._graph.copy()

    def foundations(self, name: str) -> tuple[Claim, ...]:
        """Return everything that a statement rests on, however indirectly.

        Parameters
        ----------
        name : str
            Id.

        Returns
        -------
        tuple of Claim
            In reading order, the statement itself left out.

        Raises
        ------
        KeyError
            If there is no such claim.
        """
        below = nx.descendants(self._graph, self[name].id)
        return tuple(claim for claim in self if claim.id in below)

    def consequences(self, name: str) -> tuple[Claim, ...]:
        """Return everything that rests on a statement, however indirectly.

        Parameters
        ----------
        name : str
            Id.

        Returns
        -------
        tuple of Claim
            In reading order, the statement itself left out.

        Raises
        ------
        KeyError
            If there is no such claim.
        """
        above = nx.ancestors(self._graph, self[name].id)
        return tuple(claim for claim in self if claim.id in above)

    def repairs_of(self, name: str) -> tuple[Claim, ...]:
        """Return the statements that repair one.

        Parameters
        ----------
        name : str
            Id of a printed statement.

        Returns
        -------
        tuple of Claim
            In reading order.

        Raises
        ------
        KeyError
            If there is no such claim.
        """
        printed = self[name].id
        return tuple(claim for claim in self if claim.repairs == printed)

    def _nearest(self, name: object) -> str:
        close = difflib.get_close_matches(str(name), self._claims, n=3)
        return f"; did you mean {' or '.join(close)}?" if close else ""

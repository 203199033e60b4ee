"""All statements together: names that are unique, dependencies that exist, and no circles.

A `Ledger` is a fixed collection of claims with the questions one asks of it as a whole: what rests
on what, in which order to read, which statement repairs which.  Before changing it, know that a
proof may not rest on itself: the arrows "depends on" form no circle, and a ledger that has one
cannot be made.  Neither can one in which a statement holds that rests on another which is not
proved: sketched, measured, undecided, failing or with a gap in its proof.  A claim may say why it
does no harm (`despite`).  The ledger of costs, Lemma 5.3, is another class of that
name, `sublinear_lib.theory.Ledger`.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import networkx as nx

from sublinear_lib.claims.claim import Claim
from sublinear_lib.claims.evidence import ProofStatus, Verdict

__all__ = ["Ledger"]

# What says that a statement is true, and what it may rest on.
_POSITIVE = (Verdict.HOLDS, Verdict.REPAIRED, Verdict.TYPO)
_FIRM = (*_POSITIVE, Verdict.CITED, Verdict.IMPLEMENTED)
_UNPROVED = (ProofStatus.SKETCHED, ProofStatus.MEASURED)
_WEAKNESS = tuple(ProofStatus)


@dataclass(frozen=True)
class Tally:
    """How many statements have which verdict, with what is printed twice counted once.

    Parameters
    ----------
    statements : int
        All statements, definitions among them.
    restated : int
        How many of the printed ones repeat another.
    verdicts : mapping of Verdict to int
        How many statements have a verdict.
    failures, causes : int
        How many fail as printed, and for how many independent reasons.
    own : mapping of Verdict to int
        The verdicts on the paper's own results: neither definitions nor quoted from elsewhere.
    mended : int
        How many of these that do not hold as printed have a repair that holds, or share the cause
        of one that has.
    """

    statements: int
    restated: int
    verdicts: Mapping[Verdict, int]
    failures: int
    causes: int
    own: Mapping[Verdict, int]
    mended: int

    def __str__(self) -> str:
        """Return two sentences."""
        own = ", ".join(f"{verdict.value}: {count}" for verdict, count in self.own.items())
        return (
            f"{self.statements} statements; {self.restated} more repeat one of them. "
            f"{self.failures} fail as printed, for {self.causes} independent reasons. "
            f"Of the paper's own {sum(self.own.values())} results, definitions and quoted tools "
            f"left out: {own}; {self.mended} of those that do not hold as printed hold as repaired."
        )


class Ledger:
    """A collection of claims.

    Parameters
    ----------
    claims : iterable of Claim
        In the order in which a reader meets them.

    Raises
    ------
    ValueError
        If an id occurs twice, a statement that another one names is missing, dependencies form a
        circle, a statement that holds rests on one that is not proved, a restatement has another
        verdict or check than what it restates, or a cause is no failure; the message names them.
    """

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._claims: dict[str, Claim] = {}
        for claim in claims:
            if claim.id in self._claims:
                raise ValueError(f"id must be unique, got {claim.id!r} twice")
            self._claims[claim.id] = claim
        for claim in self:
            named = filter(None, (claim.repairs, claim.restates, claim.cause))
            for other in (*claim.depends_on, *named):
                if other not in self._claims:
                    raise ValueError(f"{claim.id} must rest on statements here, got {other!r}")
        self._graph: nx.DiGraph = nx.DiGraph()
        self._graph.add_nodes_from(self._claims)
        self._graph.add_edges_from((claim.id, on) for claim in self for on in claim.depends_on)
        if not nx.is_directed_acyclic_graph(self._graph):
            circle = " -> ".join(edge[0] for edge in nx.find_cycle(self._graph))
            raise ValueError(f"depends_on must form no circle, got {circle}")
        for claim in self:
            self._check_kin(claim)
            self._check_foundations(claim)

    def _check_kin(self, claim: Claim) -> None:
        """Check what a claim says of one that it restates or fails with."""
        first = self._claims.get(claim.restates, claim)
        same = ("recorded", "check", "status", "cause", "implemented_by")
        if first.restates or any(getattr(first, name) != getattr(claim, name) for name in same):
            raise ValueError(
                f"{claim.id} must have the {', '.join(same)} of what it restates, and restate no "
                f"restatement, got {claim.restates!r}"
            )
        other = self._claims.get(claim.cause)
        if other and (other.cause or other.recorded is not Verdict.FAILS or other is claim):
            raise ValueError(
                f"cause of {claim.id} must be a failure with its own cause, got {claim.cause!r}"
            )

    def _check_foundations(self, claim: Claim) -> None:
        """Refuse a statement that holds and rests on one that is not proved."""
        if claim.recorded not in _POSITIVE:
            return
        for name in claim.depends_on:
            on = self._claims[name]
            if name not in claim.despite and (on.recorded not in _FIRM or on.status in _UNPROVED):
                raise ValueError(
                    f"{claim.id} is recorded as {claim.recorded.value!r}, so it must rest on what "
                    f"is proved or cited (or say in `despite` why it does no harm), got {name}: "
                    f"{on.recorded.value}, {on.known}"
                )

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

    def weakest(self, name: str) -> ProofStatus | None:
        """Return the weakest status among a statement and all that it rests on.

        Parameters
        ----------
        name : str
            Id.

        Returns
        -------
        ProofStatus or None
            What a reader has to take on trust; ``None`` if nothing there is judged.  Where a claim
            says why a dependency does no harm, neither that one nor what is below it counts.

        Raises
        ------
        KeyError
            If there is no such claim.
        """
        used = [each.status for each in (self[name], *self._relied_on(name)) if each.status]
        return max(used, key=_WEAKNESS.index, default=None)

    def cited(self, name: str) -> tuple[Claim, ...]:
        """Return the cited statements that one rests on, however indirectly.

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
        below = self._relied_on(name)
        return tuple(claim for claim in below if claim.status is ProofStatus.CITED)

    def _relied_on(self, name: str) -> tuple[Claim, ...]:
        """Return the foundations, without those that do no harm."""
        found, ways = set[str](), [self[name].id]
        while ways:
            claim = self[ways.pop()]
            ways += (new := set(claim.depends_on) - claim.despite.keys() - found)
            found |= new
        return tuple(claim for claim in self if claim.id in found)

    def checked(self, names: Iterable[str] = ()) -> tuple[Claim, ...]:
        """Return the claims whose checks answer for some statements.

        Parameters
        ----------
        names : iterable of str
            Ids; none at all stands for all.

        Returns
        -------
        tuple of Claim
            In reading order, each once: a restatement is checked with what it restates.

        Raises
        ------
        KeyError, TypeError
            As `select`.
        """
        return self.select([claim.restates or claim.id for claim in self.select(names)])

    def tally(self) -> Tally:
        """Count the verdicts.

        Returns
        -------
        Tally
            Made from the claims; no number of it is written by hand.
        """
        once = [claim for claim in self if not claim.restates]
        failing = [claim for claim in once if claim.recorded is Verdict.FAILS]
        own = [
            claim
            for claim in once
            if claim.source.work == "paper" and not (claim.source.quoted or claim.implemented_by)
        ]
        counts = [Counter(claim.recorded for claim in some) for some in (once, own)]
        verdicts, judged = ({each: n[each] for each in Verdict if n[each]} for n in counts)
        return Tally(
            statements=len(once),
            restated=len(self) - len(once),
            verdicts=verdicts,
            failures=len(failing),
            causes=sum(not claim.cause for claim in failing),
            own=judged,
            mended=sum(
                claim.recorded is not Verdict.HOLDS
                and bool(self.repairs_of(claim.id) or self.repairs_of(claim.cause or claim.id))
                for claim in own
            ),
        )

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

"""A numbered statement as an object: what it says, where it stands, what it rests on, its check.

Everything the book shows about a statement is generated from its `Claim`: the ledger, the graph of
dependencies, the boxes of the chapters, the table of ``sublinear verify``.  Before adding one, know
what is asked of it: the statement in LaTeX with our reconstruction marked where the source is
unreadable, one sentence in plain words, and, where the recorded verdict is a failure, what would
have to be misread in the source for the verdict to change.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from sublinear_lib import validation
from sublinear_lib.claims.evidence import (
    Budget,
    Evidence,
    Findings,
    Observation,
    ProofStatus,
    Verdict,
    judge,
)

__all__ = ["Check", "Claim"]

Check = Callable[[Budget, np.random.Generator], Findings]
"""Looks at a statement, within a budget, with its own randomness."""

_PROVED = (ProofStatus.MACHINE_CHECKED, ProofStatus.COMPLETE)
_ID = re.compile(r"[a-z]+(-[a-z0-9.]+)+")


@dataclass(frozen=True)
class Source:
    """Where a statement stands.

    Parameters
    ----------
    work : str
        ``"paper"``, ``"repair"`` (this project), ``"memorization"`` or ``"features"``.
    place : str
        Section, and equation if there is one.
    quoted : bool, default False
        Whether the work takes the statement over from another one, and proves nothing itself.
    """

    work: str
    place: str
    quoted: bool = False

    def __post_init__(self) -> None:
        """Check the work."""
        validation.boolean(self.quoted, "quoted")
        validation.choice(self.work, "work", ("paper", "repair", "memorization", "features"))


@dataclass(frozen=True, kw_only=True)
class Claim:
    r"""One numbered statement with its check.

    Parameters
    ----------
    id : str
        Unique and stable, such as ``"thm-4.1"``; the anchor of the statement on its page.
    title : str
        A few words.
    statement : str
        As printed, in LaTeX; what we reconstructed stands in ``\rec{...}``.
    plain : str
        The statement in one plain sentence.
    source : Source
        Where it stands.
    recorded : Verdict
        The verdict on record; a check that finds another one fails the verification.
    check : callable
        ``check(budget, rng)`` returns the findings.
    status : ProofStatus, optional
        How the verdict is known; none for a definition, and only there.
    implemented_by : str
        For a definition, a convention or a notation, which is not judged: what of the library does
        what it says, such as ``"sublinear_lib.network.TwoLayerNetwork"``.
    depends_on : tuple of str
        Ids of the statements that its proof uses.
    despite : mapping of str to str
        For some of these, why it does no harm that they are not proved: one plain sentence each.
    restates : str
        For a statement that the paper prints again: the id of the first print, whose check and
        verdict are its own.
    cause : str
        For a statement that fails with another one, and for the same reason: the id of that one.
    chapter : str
        The page that teaches it, such as ``"part1/how-many-neurons-fire"``.
    repairs : str
        For a repaired statement: the id of the printed one.
    remark : str
        Why the verdict is what it is: at most three plain sentences, courteous, with LaTeX between
        dollar signs.  For a failure: what fails, by how much, and what holds instead.
    proof : str
        Where a proof can be read: a page of the book with an anchor, such as
        ``"reference/repaired-theorems#thm-d"``, or a place in the paper: ``"Appendix C.1"``.
    misreading : str
        For a statement that fails: what would have to be misread in the source for the verdict to
        change.
    formal : tuple of str
        The theorems of ``proofs/`` that Rocq has checked of it, such as
        ``"LemmaA5.lemma_a5_fails"``.
    formal_part : str
        What part of it these are, a few words; empty if they are all of it.  Then, and only then,
        the status is ``"machine-checked"``.

    Raises
    ------
    ValueError
        If an id is malformed, a failure has no `misreading`, a statement with the verdict
        `REPAIRED` does not say what it repairs or another one does, or `UNDECIDED` is on record;
        if the status does not go with the verdict: a definition has none, ``"holds as repaired"``
        asks for a proof here, and ``"holds"`` for one here or, if it is quoted, elsewhere.
    """

    id: str
    title: str
    statement: str
    plain: str
    source: Source
    recorded: Verdict
    check: Check = field(repr=False)
    status: ProofStatus | None = None
    implemented_by: str = ""
    depends_on: tuple[str, ...] = ()
    despite: Mapping[str, str] = field(default_factory=dict, hash=False)
    restates: str = ""
    cause: str = ""
    chapter: str = ""
    repairs: str = ""
    remark: str = ""
    proof: str = ""
    misreading: str = ""
    formal: tuple[str, ...] = ()
    formal_part: str = ""

    def __post_init__(self) -> None:
        """Check what can be checked without running anything."""
        others = filter(None, (self.repairs, self.restates, self.cause))
        for name in (self.id, *self.depends_on, *others):
            if not _ID.fullmatch(name):
                raise ValueError(f"id must look like 'thm-4.1', got {name!r}")
        if self.recorded is Verdict.FAILS and not self.misreading:
            raise ValueError(
                f"misreading must say what would change the verdict of {self.id}, got nothing"
            )
        if (self.recorded is Verdict.REPAIRED) != bool(self.repairs):
            raise ValueError(
                f"repairs must name a statement exactly for repaired ones, got {self.repairs!r} "
                f"for {self.id} with the verdict {self.recorded.value!r}"
            )
        if self.recorded is Verdict.UNDECIDED:
            raise ValueError(f"recorded must be a verdict, got {self.recorded.value!r}")
        if self.cause and self.recorded is not Verdict.FAILS:
            raise ValueError(f"cause is for failures, got {self.cause!r} for {self.id}")
        if surplus := self.despite.keys() - set(self.depends_on):
            raise ValueError(f"despite must name dependencies of {self.id}, got {sorted(surplus)}")
        self._check_status()

    def _check_status(self) -> None:
        """Check that the status goes with the verdict."""
        if self.recorded is Verdict.IMPLEMENTED and not self.implemented_by:
            raise ValueError(f"implemented_by must say what implements {self.id}, got nothing")
        if bool(self.implemented_by) == bool(self.status):
            raise ValueError(
                f"status must be given exactly for what is judged, got {self.status} for {self.id} "
                f"and implemented_by {self.implemented_by!r}"
            )
        if (self.status is ProofStatus.MACHINE_CHECKED) != bool(
            self.formal and not self.formal_part
        ):
            raise ValueError(
                f"status of {self.id} must be 'machine-checked' exactly where formal theorems are "
                f"all of it, got {self.known!r} with {len(self.formal)} theorems"
            )
        allowed = {
            Verdict.HOLDS: (*_PROVED, *([ProofStatus.CITED] if self.source.quoted else [])),
            Verdict.REPAIRED: _PROVED,
            Verdict.CITED: (ProofStatus.CITED,),
            Verdict.MEASURED: (ProofStatus.MEASURED,),
        }.get(self.recorded)
        if allowed and self.status not in allowed:
            raise ValueError(
                f"status of {self.id}, which is recorded as {self.recorded.value!r}, must be "
                f"{' or '.join(each.value for each in allowed)}, got {self.known!r}"
            )

    @property
    def known(self) -> str:
        """How the verdict is known, in words; what implements a definition is not judged."""
        if self.status is None:
            return "not judged"
        theirs = self.source.work in ("memorization", "features")
        if theirs and self.status is ProofStatus.COMPLETE:
            return "our version, proved"
        return self.status.value

    def judge(self, observations: Iterable[Observation]) -> Verdict:
        """Derive the verdict from what was found, as `judge` does for a statement of this kind.

        Parameters
        ----------
        observations : iterable of Observation
            What a check found.

        Returns
        -------
        Verdict
            What follows.

        Raises
        ------
        ValueError
            If nothing bears on the statement.
        """
        return judge(
            observations,
            repaired=bool(self.repairs),
            measured=self.status is ProofStatus.MEASURED,
            definition=bool(self.implemented_by),
        )

    def run(self, budget: Budget, seed: int) -> Evidence:
        """Check the statement.

        Parameters
        ----------
        budget : Budget
            How much time the check may take.
        seed : int
            ``>= 0``; the randomness depends on it and on the id, so that every statement has its
            own, whatever else is checked.

        Returns
        -------
        Evidence
            What was found, and the verdict that follows.

        Raises
        ------
        TypeError, ValueError
            For a budget that is none, a seed that is not an integer ``>= 0``, or a check that
            returns something else than findings.
        """
        if not isinstance(budget, Budget):
            raise TypeError(f"budget must be a Budget, got {budget!r}")
        seed = validation.count(seed, "seed", minimum=0)
        own = np.random.SeedSequence([seed, *self.id.encode()])
        start = time.perf_counter()
        findings = self.check(budget, np.random.default_rng(own))
        # As many decimals as are stored: stored and read, evidence is the same.
        seconds = round(time.perf_counter() - start, 3)
        if not isinstance(findings, Findings):
            raise TypeError(f"the check of {self.id} must return Findings, got {findings!r}")
        observations = tuple(findings.observations)
        return Evidence(
            claim=self.id,
            verdict=self.judge(observations),
            observations=observations,
            witness=findings.witness,
            budget=budget,
            seed=seed,
            seconds=seconds,
        )

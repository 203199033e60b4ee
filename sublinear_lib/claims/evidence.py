"""What a check of a numbered statement brings back, and how a verdict follows from it.

A check makes *observations*: small facts, each with what was found, what was asked for, how it was
decided, and on what part of a statement it bears.  The verdict is not written by the author of a
check; `judge` derives it from the observations, by one rule for all statements.  Before changing
that rule, know its two cautions: an observation that decides nothing (an interval that contains
both exponents, say) makes the verdict `UNDECIDED`, and so does a failing *control*, for a check
that misjudges what is known cannot judge what is not.
"""

from __future__ import annotations

import enum
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, field, fields
from fractions import Fraction
from typing import Any, TypeAlias

from sublinear_lib.statistics import Interval

__all__ = [
    "Budget",
    "Evidence",
    "Method",
    "Observation",
    "Outcome",
    "ProofStatus",
    "Role",
    "Verdict",
    "encoded",
    "judge",
]

Value: TypeAlias = int | float | Fraction | Interval | str
"""What an observation found."""


class Verdict(enum.Enum):
    """What is known of a statement."""

    HOLDS = "holds"
    REPAIRED = "holds as repaired"
    MEASURED = "measured"
    GAP = "proof gap"
    FAILS = "fails as printed"
    TYPO = "typo"
    CITED = "cited"
    IMPLEMENTED = "implemented"
    """A definition, a convention or a notation: nothing to judge, but code that does so."""
    UNDECIDED = "undecided"


class ProofStatus(enum.Enum):
    """How a verdict is known, from the strongest to the weakest.

    For a statement that fails it is the failure that is known: its witness is the proof.
    """

    MACHINE_CHECKED = "machine-checked"
    COMPLETE = "complete here"
    CITED = "cited"
    SKETCHED = "sketched"
    MEASURED = "measured"


class Role(enum.Enum):
    """On what an observation bears."""

    STATEMENT = "statement"
    """The statement, as printed (for a repaired one: as repaired)."""
    PRINT = "print"
    """The letters: something that everybody reads as a misprint."""
    PROOF = "proof"
    """A step of the printed proof."""
    REPAIR = "repair"
    """What holds instead; it does not change the verdict of the printed statement."""
    CONTROL = "control"
    """The check itself, on a case whose answer is known."""
    ASIDE = "aside"
    """Something that this budget cannot decide and another one does; it changes no verdict."""


class Method(enum.Enum):
    """How an observation was decided, from the strongest to the weakest."""

    EXACT = "exact arithmetic"
    CERTIFIED = "rigorous enclosure"
    CLOSED_FORM = "closed form"
    COMPUTED = "floating point"
    MONTE_CARLO = "seeded simulation"
    CITED = "cited"


class Outcome(enum.Enum):
    """Whether what was found is what was asked for."""

    YES = "yes"
    NO = "no"
    OPEN = "open"


class Budget(enum.Enum):
    """How much time a check may take."""

    QUICK = "quick"
    FULL = "full"

    def pick(self, quick: Any, full: Any) -> Any:
        """Return the setting that goes with the budget.

        Parameters
        ----------
        quick, full : object
            The two settings.

        Returns
        -------
        object
            One of them.
        """
        return quick if self is Budget.QUICK else full


@dataclass(frozen=True)
class Observation:
    """One fact that a check found.

    Parameters
    ----------
    what : str
        What was looked at, in plain words, with its range.
    found : int, float, Fraction, Interval or str
        What came out.
    asked : str
        What the statement asks for, in plain words.
    outcome : Outcome
        Whether it is so.
    method : Method
        How it was decided.
    role : Role, default Role.STATEMENT
        On what it bears.

    Raises
    ------
    TypeError
        If an argument has a wrong type; a truth value is no number.
    ValueError
        If what was found is a float that is not finite, which decides nothing.
    """

    what: str
    found: Value
    asked: str
    outcome: Outcome
    method: Method
    role: Role = Role.STATEMENT

    def __post_init__(self) -> None:
        """Check the types."""
        kinds: tuple[Any, ...] = (str, Value, str, Outcome, Method, Role)
        for part, kind in zip(fields(self), kinds, strict=True):
            given = getattr(self, part.name)
            if not isinstance(given, kind) or isinstance(given, bool):
                asked = getattr(kind, "__name__", str(kind))
                raise TypeError(f"{part.name} must be of type {asked}, got {type(given).__name__}")
        if isinstance(self.found, float) and not math.isfinite(self.found):
            raise ValueError(f"found must be a finite number, got {self.found} for {self.what!r}")

    @property
    def shown(self) -> str:
        """What was found, as text."""
        if isinstance(self.found, float):
            return f"{self.found:.6g}"
        return str(self.found)


@dataclass(frozen=True)
class Findings:
    """What a check returns.

    Parameters
    ----------
    observations : iterable of Observation
        At least one.
    witness : mapping of str to object, optional
        Numbers with which a reader can see the failure again; of types that JSON has, and kept as
        JSON gives them back (a tuple becomes a list).

    Raises
    ------
    ValueError
        If there are no observations.
    TypeError
        If JSON has no form for the witness; known here, it costs one check and not a whole run.
    """

    observations: Iterable[Observation]
    witness: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Freeze what was given."""
        kept = tuple(self.observations)
        if not kept:
            raise ValueError("observations must not be empty: a check has to look at something")
        try:
            text = json.dumps(dict(self.witness), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise TypeError(f"witness must be something that JSON has: {error}") from error
        object.__setattr__(self, "observations", kept)
        object.__setattr__(self, "witness", json.loads(text))


@dataclass(frozen=True)
class Evidence:
    """The findings of one run of one check, with the verdict that follows.

    Parameters
    ----------
    claim : str
        Id of the statement.
    verdict : Verdict
        What follows from the observations.
    observations : tuple of Observation
        What was found.
    witness : mapping of str to object
        Numbers with which a reader can see a failure again.
    budget : Budget
        How much time the check had.
    seed : int
        From which its randomness came.
    seconds : float
        How long it took, to a millisecond.
    """

    claim: str
    verdict: Verdict
    observations: tuple[Observation, ...]
    witness: Mapping[str, Any]
    budget: Budget
    seed: int
    seconds: float

    @property
    def deciding(self) -> Observation:
        """The observation that says most: the first one that the verdict follows from."""
        for roles, outcomes in _DECIDES.get(self.verdict, _FIRST_OF_THE_STATEMENT):
            for item in self.observations:
                if item.role in roles and item.outcome in outcomes:
                    return item
        return self.observations[0]


UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, ArithmeticError)
"""What `decoded` raises for an entry of another form."""

_BEARING = (Role.STATEMENT, Role.PRINT, Role.PROOF)
_Kind: TypeAlias = tuple[tuple[Role, ...], tuple[Outcome, ...]]
_FIRST_OF_THE_STATEMENT: tuple[_Kind, ...] = (((Role.STATEMENT,), tuple(Outcome)),)
# From which observations a verdict follows, in the order in which `judge` asks for them.
_DECIDES: dict[Verdict, tuple[_Kind, ...]] = {
    Verdict.FAILS: (((Role.STATEMENT,), (Outcome.NO,)),),
    Verdict.TYPO: (((Role.PRINT,), (Outcome.NO,)),),
    Verdict.GAP: (((Role.PROOF,), (Outcome.NO,)),),
    Verdict.UNDECIDED: (
        ((Role.CONTROL,), (Outcome.NO, Outcome.OPEN)),
        (_BEARING, (Outcome.OPEN,)),
    ),
}


def judge(
    observations: Iterable[Observation],
    *,
    repaired: bool = False,
    measured: bool = False,
    definition: bool = False,
) -> Verdict:
    """Derive the verdict on a statement.

    Parameters
    ----------
    observations : iterable of Observation
        What a check found.
    repaired : bool, default False
        Whether the statement is a repaired one of this project.
    measured : bool, default False
        Whether nothing but a measurement stands behind the statement, whatever else was computed.
    definition : bool, default False
        Whether there is nothing to judge: the check then looks at what implements it.

    Returns
    -------
    Verdict
        `UNDECIDED` if a control fails or is open; otherwise `FAILS` if the statement does, whatever
        is open elsewhere; otherwise `UNDECIDED` if something that bears on the verdict is open;
        otherwise `TYPO` if its letters fail; otherwise `GAP` if a step of its proof does; otherwise
        `CITED` if all that is known of the statement is cited; otherwise `IMPLEMENTED` for a
        definition; otherwise `MEASURED` if it is `measured`, or if all that was found of it comes
        from seeded simulation; otherwise `HOLDS` (`REPAIRED` for a repaired statement).

    Raises
    ------
    ValueError
        If nothing bears on the statement.

    Examples
    --------
    >>> step = ("the last step", "m^(1/10)", "m^(-1/10)", Outcome.NO, Method.EXACT, Role.PROOF)
    >>> whole = Observation("the statement", 0.3, "<= 0.5", Outcome.YES, Method.CERTIFIED)
    >>> judge([whole, Observation(*step)]).value
    'proof gap'
    """
    kept = tuple(observations)
    statement = [item for item in kept if item.role is Role.STATEMENT]
    if not statement:
        raise ValueError("observations must contain one of the role Role.STATEMENT")
    if any(item.role is Role.CONTROL and item.outcome is not Outcome.YES for item in kept):
        return Verdict.UNDECIDED
    # One clause that fails is enough, whatever is open elsewhere.
    if any(item.outcome is Outcome.NO for item in statement):
        return Verdict.FAILS
    if any(item.role in _BEARING and item.outcome is Outcome.OPEN for item in kept):
        return Verdict.UNDECIDED
    for role, verdict in ((Role.PRINT, Verdict.TYPO), (Role.PROOF, Verdict.GAP)):
        if any(item.role is role and item.outcome is Outcome.NO for item in kept):
            return verdict
    if all(item.method is Method.CITED for item in statement):
        return Verdict.CITED
    if definition:
        return Verdict.IMPLEMENTED
    if measured or all(item.method is Method.MONTE_CARLO for item in statement):
        return Verdict.MEASURED
    return Verdict.REPAIRED if repaired else Verdict.HOLDS


def encoded(evidence: Evidence) -> dict[str, Any]:
    """Turn evidence into what JSON can hold, provided that its witness can be.

    Parameters
    ----------
    evidence : Evidence
        What was found.

    Returns
    -------
    dict
        Everything but the id of the claim.
    """
    return {
        "verdict": evidence.verdict.value,
        "budget": evidence.budget.value,
        "seed": evidence.seed,
        "seconds": evidence.seconds,
        "observations": [
            {part.name: _value(getattr(item, part.name)) for part in fields(item)}
            for item in evidence.observations
        ],
        "witness": dict(evidence.witness),
    }


def decoded(name: str, entry: Mapping[str, Any]) -> Evidence:
    """Undo `encoded`.

    Parameters
    ----------
    name : str
        Id of the claim.
    entry : mapping
        What `encoded` returned.

    Returns
    -------
    Evidence
        The same.

    Raises
    ------
    ValueError, KeyError, TypeError, AttributeError, ArithmeticError
        If the entry has another form.
    """
    findings = Findings(
        [
            Observation(
                item["what"],
                _restored(item["found"]),
                item["asked"],
                Outcome(item["outcome"]),
                Method(item["method"]),
                Role(item["role"]),
            )
            for item in entry["observations"]
        ],
        entry["witness"],
    )
    return Evidence(
        claim=name,
        verdict=Verdict(entry["verdict"]),
        observations=tuple(findings.observations),
        witness=findings.witness,
        budget=Budget(entry["budget"]),
        seed=entry["seed"],
        seconds=float(entry["seconds"]),
    )


def _value(found: object) -> object:
    if isinstance(found, enum.Enum):
        return found.value
    if isinstance(found, Fraction):
        return {"fraction": str(found)}
    if isinstance(found, Interval):
        return {"interval": list(astuple(found))}
    return found


def _restored(found: Any) -> Any:
    if isinstance(found, dict):
        if "fraction" in found:
            return Fraction(found["fraction"])
        return Interval(*found["interval"])
    return found

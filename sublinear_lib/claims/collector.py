"""A collector for what a check sees: one call an observation, read as a sentence.

A check of a numbered statement looks at many things and says of each what came out and what was
asked for.  ``look.control.simulated("mean of the signs").mean(found, error, 0.0)`` notes one: the
attribute ``control`` says on what it bears (`Role`), ``simulated`` how it was decided (`Method`),
the text what was looked at, and the last call what was found.  Before changing a verb, know that
`judge` sees nothing else: what a verb lets pass is not noticed.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, SupportsFloat, TypeAlias

import numpy as np

from sublinear_lib import validation
from sublinear_lib._typing import FloatArray
from sublinear_lib.claims.evidence import (
    Budget,
    Findings,
    Method,
    Observation,
    Outcome,
    Role,
    Value,
)
from sublinear_lib.claims.stated import STATED, far_slope
from sublinear_lib.statistics import Interval, loglog_slope

if TYPE_CHECKING:
    from sublinear_lib.theory import enclosures

Rng: TypeAlias = np.random.Generator
"""The randomness of a check."""

SURE = 0.9999
"""The confidence of intervals: a check at another seed must not fail by chance."""

_CLOSE = 1e-3


class _Turn:
    """An attribute of a collector: the same one, with another role or method."""

    def __init__(self, **turned: Role | Method) -> None:
        self._turned: dict[str, Any] = {**turned}

    def __get__(self, look: Collector | None, owner: type[Collector]) -> Collector:
        # Whoever reads the class, such as pydoc, has no collector to turn.
        return replace(look or Collector(), **self._turned)


@dataclass
class Collector:
    """Everything that a check has seen so far, and on what the next observation bears.

    Parameters
    ----------
    observations : list of Observation
        What was seen; a collector with another role or method adds to the same list.
    witness : dict of str to object
        Numbers with which a reader can see the failure again.
    role : Role, default Role.STATEMENT
        On what the next observations bear.
    method : Method, optional
        How they are decided; by default as the verb says.

    Examples
    --------
    >>> look = Collector()
    >>> look.control("error of the polynomial").at_most(0.2, 0.25)
    >>> look.findings().observations[0].outcome.value
    'yes'
    """

    observations: list[Observation] = field(default_factory=list)
    witness: dict[str, Any] = field(default_factory=dict)
    role: Role = Role.STATEMENT
    method: Method | None = None

    def __call__(self, what: str) -> Look:
        """Say in plain words, with its range, what is looked at; a verb of `Look` follows."""
        return Look(self, what)

    def on(self, role: Role) -> Collector:
        """Bear on something else."""
        return replace(self, role=role)

    control = _Turn(role=Role.CONTROL)
    print = _Turn(role=Role.PRINT)
    proof = _Turn(role=Role.PROOF)
    repair = _Turn(role=Role.REPAIR)
    exact = _Turn(method=Method.EXACT)
    certified = _Turn(method=Method.CERTIFIED)
    closed_form = _Turn(method=Method.CLOSED_FORM)
    computed = _Turn(method=Method.COMPUTED)
    simulated = _Turn(method=Method.MONTE_CARLO)
    cited = _Turn(method=Method.CITED)

    def apart(self) -> Collector:
        """Return a collector whose observations are to be added later."""
        return replace(self, observations=[])

    def add(self, other: Collector) -> None:
        """Add what was collected apart."""
        self.observations.extend(other.observations)

    def findings(self) -> Findings:
        """Return what a check brings back."""
        return Findings(self.observations, self.witness)

    def far(
        self, key: str, value: Callable[[int], float], *, logs: float = 0.0, case: str = ""
    ) -> None:
        """Note whether a closed form has the power of m that a statement names, to a thousandth.

        `key` is a name in `STATED`; the statement leaves out the power `logs` of log m.
        """
        asked, slope = STATED[key], far_slope(value, logs=logs)
        over, under = slope > float(asked.number) + _CLOSE, slope < float(asked.number) - _CLOSE
        missed = {"=": over or under, "<=": over, ">=": under}[asked.relation]
        self.closed_form(
            f"power of m far out (2^200 to 2^240): {asked.what}{case and ', ' + case}"
        ).holds(not missed, round(slope, 6) + 0.0, f"{asked.relation} {asked.number}, to 0.001")

    def agree(
        self, what: str, pairs: Iterable[tuple[SupportsFloat, float]], tolerance: float = 1e-9
    ) -> None:
        """Note how far numbers are from those that were computed elsewhere, relatively."""
        kept = [(float(side), expected) for side, expected in pairs]
        worst = max(
            (
                abs(side - expected) / max(abs(side), abs(expected))
                for side, expected in kept
                if side != expected
            ),
            default=0.0,
        )
        self(f"largest relative difference to {what}, {len(kept)} values").at_most(worst, tolerance)

    def beside(self, what: str, pairs: Iterable[tuple[float, float]]) -> None:
        """Note the largest relative difference of two evaluations of one smooth formula."""
        kept = list(pairs)
        worst = max(abs(one - other) / abs(other) for one, other in kept)
        self(f"{what}: largest relative difference, {len(kept)} cases").at_most(worst, 1e-9)


@dataclass(frozen=True)
class Look:
    """One thing that is looked at, before it is said what was found."""

    collector: Collector
    what: str

    def note(
        self, outcome: Outcome, found: Value, asked: str, usually: Method | None = None
    ) -> None:
        """Note what was found and asked for, with any outcome."""
        method = self.collector.method or usually
        # Without a method, Observation refuses.
        self.collector.observations.append(
            Observation(self.what, found, asked, outcome, method, self.collector.role)  # type: ignore[arg-type]
        )

    def holds(self, holds: bool, found: Value, asked: str) -> None:
        """Note a fact that is decided, yes or no; the method must be said."""
        self.note(_yes(validation.boolean(holds, "holds")), found, asked)

    def reads(self, found: str, asked: str) -> None:
        """Note whether a text is the one that is asked for; the method must be said."""
        self.holds(found == asked, found, asked)

    def at_most(self, found: float, limit: float) -> None:
        """Note whether a number is at most its bound, in floating point if nothing else is said."""
        found, limit = validation.scalar(found, "found"), validation.scalar(limit, "limit")
        self.note(_yes(found <= limit), found, f"<= {limit:.6g}", Method.COMPUTED)

    def at_least(self, found: float, limit: float) -> None:
        """Note whether a number is at least its bound, as `at_most`."""
        found, limit = validation.scalar(found, "found"), validation.scalar(limit, "limit")
        self.note(_yes(found >= limit), found, f">= {limit:.6g}", Method.COMPUTED)

    def equals(self, found: int | Fraction, printed: int | Fraction) -> None:
        """Note whether two exact numbers are equal: what follows, and what is printed."""
        for name, value in (("found", found), ("printed", printed)):
            if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
                raise TypeError(f"{name} must be an int or a Fraction, got {type(value).__name__}")
        self.note(_yes(found == printed), found, f"= {printed}", Method.EXACT)

    def none(self, found: int) -> None:
        """Note how often something occurred that must not occur."""
        self.equals(int(found), 0)

    def every(self, outcomes: Iterable[bool]) -> None:
        """Note whether something is true each time."""
        kept = list(outcomes)
        good = sum(kept)
        self.note(_yes(good == len(kept)), f"{good} of {len(kept)}", "all", Method.EXACT)

    def empty(self, found: Iterable[str]) -> None:
        """Note whether a list of names is empty."""
        self.reads(", ".join(found) or "none", "none")

    def close(self, pairs: Iterable[tuple[float, float]], tolerance: float) -> None:
        """Note how far numbers are, relatively, from those beside them."""
        self.at_most(max(abs(one / other - 1.0) for one, other in pairs), tolerance)

    def all_hold(self, instances: Sequence[enclosures.Inequality]) -> None:
        """Note how many inequalities hold, each proven or refuted, and the closest one."""
        good = sum(each.holds for each in instances)
        closest = max(each.ratio if each.relation == "<=" else 1 / each.ratio for each in instances)
        found = f"{good} of {len(instances)} hold, the closest at {closest:.6g} of what is allowed"
        self.holds(good == len(instances), found, "all hold")

    def slope(
        self,
        slope: Interval,
        predicted: float | Fraction,
        rival: float | Fraction,
        *,
        at_most: bool = False,
    ) -> None:
        """Note whether a measured slope shows one exponent and not another.

        The outcome is yes if the interval contains the predicted exponent and excludes the rival,
        no if it excludes the predicted one, on either side, open if it contains both.  An exponent
        of an upper bound (`at_most`) is kept by a smaller slope too.  The rival is then a larger
        exponent, and the outcome is no if the interval lies above the predicted exponent, otherwise
        yes if it lies below the rival, else open.
        """
        if predicted == rival:
            raise ValueError(f"rival must differ from predicted, got {rival} for both")
        if validation.boolean(at_most, "at_most"):
            if rival < predicted:
                raise ValueError(
                    f"rival must exceed predicted for an upper bound, got {rival} and {predicted}"
                )
            missed, told_apart = slope.lower > float(predicted), slope.upper < float(rival)
            asked = f"not above {predicted}, below {rival}"
        else:
            missed, told_apart = slope.excludes(float(predicted)), slope.excludes(float(rival))
            asked = f"contains {predicted}, excludes {rival}"
        outcome = Outcome.NO if missed else Outcome.YES if told_apart else Outcome.OPEN
        self.note(outcome, slope, asked, Method.MONTE_CARLO)

    def power(
        self,
        widths: Sequence[int],
        measured: object,
        predicted: float | Fraction | Sequence[float],
        rival: float | Fraction,
        *,
        at_most: bool = False,
    ) -> None:
        """Note whether what was measured has one power of the width and not another, as `slope`.

        It has a row for each seed; a closed form at the same widths predicts its own power there.
        """
        if isinstance(predicted, Sequence):
            predicted = round(fitted_power(widths, predicted), 4)
        self.slope(loglog_slope(widths, measured, SURE), predicted, rival, at_most=at_most)

    def power_below(
        self, widths: Sequence[int], measured: object, limit: float, asked: str
    ) -> None:
        """Note whether the measured power of the width ends below a number."""
        slope = loglog_slope(widths, measured, SURE)
        self.holds(slope.upper < limit, slope, asked)

    def binomial(self, mean: float, expected: float, draws: int, m: int = 1) -> None:
        """Note whether a mean of binomial counts of m, or of shares, is what is expected."""
        self.mean(mean, math.sqrt(expected * (1.0 - expected / m) / draws), expected)

    def sample(self, values: FloatArray, expected: float, *, largest: float = 4.0) -> None:
        """Note whether the mean of independent values is what is expected, as `mean`."""
        error = float(values.std(ddof=1)) / math.sqrt(values.size)
        self.mean(float(values.mean()), error, expected, largest=largest)

    def mean(
        self, mean: float, standard_error: float, expected: float, *, largest: float = 4.0
    ) -> None:
        """Note whether a sample mean is less than so many standard errors from a closed form."""
        mean = validation.scalar(mean, "mean")
        error = validation.scalar(standard_error, "standard_error", exclusive_minimum=0)
        expected = validation.scalar(expected, "expected")
        z = (mean - expected) / error
        asked = f"{expected:.6g}, within {largest:g} standard errors"
        self.note(_yes(abs(z) < largest), f"{mean:.6g} (z = {z:+.2f})", asked, Method.MONTE_CARLO)


Inspection: TypeAlias = Callable[[Collector, Budget, Rng], None]
"""Looks at a statement, within a budget, with its own randomness, and notes what it sees."""


def check_of(look_at: Inspection) -> Callable[[Budget, Rng], Findings]:
    """Make a function that notes what it sees the check of a claim; a decorator."""

    @functools.wraps(look_at)
    def check(budget: Budget, rng: Rng) -> Findings:
        look = Collector()
        look_at(look, budget, rng)
        return look.findings()

    return check


def fitted_power(widths: Sequence[float], values: Sequence[float]) -> float:
    """Return the power of the width in positive numbers, by least squares of the logarithms."""
    return float(np.polyfit(np.log(widths), np.log(values), 1)[0])


def sweep(
    streams: Iterable[Rng], widths: Sequence[int], measured: Callable[[Rng, int], Any]
) -> FloatArray:
    """Measure at every width, for each stream of random numbers; one row per stream.

    Where several numbers are measured at once, there is one table for each of them.
    """
    table = np.array([[measured(stream, m) for m in widths] for stream in streams], dtype=float)
    return np.moveaxis(table, -1, 0) if table.ndim > 2 else table


def sweep_by_width(widths: Sequence[int], seeds: int, measured: Callable[[int], Any]) -> FloatArray:
    """Measure as `sweep`, all seeds of one width before the next, from one stream of numbers."""
    table = np.array([[measured(m) for _ in range(seeds)] for m in widths], dtype=float)
    return np.moveaxis(table, -1, 0).swapaxes(1, 2) if table.ndim > 2 else table.T


def _yes(holds: bool) -> Outcome:
    return Outcome.YES if holds else Outcome.NO

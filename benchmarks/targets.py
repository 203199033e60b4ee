"""What a goal of a benchmark is, and the few ways in which goals look up what was measured.

The numbers of goals stand in modules of their own, one for each benchmark; they are goals that the
project set itself, and no measurements.  Before adding a way to look something up, know that a goal
is judged by stored numbers and nothing else, so that the page, the tests and the command agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.results import Results
from benchmarks.settings import Row


@dataclass(frozen=True)
class Target:
    """One goal.

    - ``key``: A short unique name, its group first: ``"report d=3 m=2^16 0.1 %"``.
    - ``text``: What is asked for.
    - ``section``: The section of the results that is read.
    - ``value``: The least allowed value, or the largest if `at_most`.
    - ``measure``: Takes the results and returns the measured value, or None if it was not measured.
    - ``at_most``: Whether smaller is better.
    - ``halved``: Whether half of it is asked for where there is no AVX-512.
    """

    key: str
    text: str
    section: str
    value: float
    measure: Callable[[Results], float | None]
    at_most: bool = False
    halved: bool = False


@dataclass(frozen=True)
class Verdict:
    """A goal, its value on the machine that was measured, and what was measured, if anything."""

    target: Target
    wanted: float
    measured: float | None

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; None if nothing was measured."""
        if self.measured is None:
            return None
        if self.target.at_most:
            return self.measured <= self.wanted
        return self.measured >= self.wanted


def ratio(
    section: str, competitor: str, rival: str = "", **cell: float
) -> Callable[[Results], float | None]:
    """Return what looks up how many times as fast as a rival a competitor is in a cell.

    The rival is the baseline of the section if none is named.
    """

    def measure(results: Results) -> float | None:
        other = rival or results.section(section)["baseline"]
        for row in results.cells(section):
            times = row["microseconds"]
            here = all(row.get(name) == value for name, value in cell.items())
            if here and competitor in times and other in times:
                return float(times[other] / times[competitor])
        return None

    return measure


def at_most(
    key: str,
    text: str,
    section: str,
    value: float,
    value_of: Callable[[Row], float | None],
) -> Target:
    """Return the goal that no cell of a section has more of something than a value."""

    def measure(results: Results) -> float | None:
        values = (value_of(row) for row in results.cells(section))
        return max((each for each in values if each is not None), default=None)

    return Target(key, text, section, value, measure, at_most=True)

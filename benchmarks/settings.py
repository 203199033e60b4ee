"""What a benchmark run is asked for, and what a section of it is."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.timing import one_thread
from sublinear_lib import validation
from sublinear_lib._arguments import Count, Flag, Positive, Whole, check_fields

Row = dict[str, Any]
"""One row of a section: names to numbers, texts, lists or mappings of them."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The grid of a benchmark run and the time it may take.

    Dimensions d ``>= 2``, numbers m of points or neurons ``>= 64``, and shares in (0, 1) of them
    that a query reports, or that fire at an example, on average; `queries` are half-spaces in a
    batch, or training examples.  After `seconds_per_cell` a cell begins no further round, but three
    are run in any case, or `rounds` if that is less.

    Examples
    --------
    >>> Settings().widths
    (4096, 16384, 65536, 262144, 1048576)
    >>> Settings.short().quick
    True
    """

    dimensions: tuple[int, ...] = (2, 3, 4, 8, 16, 32)
    widths: tuple[int, ...] = (2**12, 2**14, 2**16, 2**18, 2**20)
    shares: tuple[float, ...] = (0.001, 0.01, 0.1, 0.5)
    queries: Count = 256
    rounds: Count = 9
    seconds_per_cell: Positive = 1.5
    peers: Flag = True
    quick: Flag = False
    seed: Whole = 0

    def __post_init__(self) -> None:
        """Check the values."""
        for name, minimum in (("dimensions", 2), ("widths", 64)):
            given = [validation.count(each, name, minimum=minimum) for each in getattr(self, name)]
            object.__setattr__(self, name, tuple(sorted(set(given))))
        within = {"exclusive_minimum": 0.0, "exclusive_maximum": 1.0}
        shares = tuple(validation.scalar(each, "shares", **within) for each in self.shares)
        object.__setattr__(self, "shares", shares)
        for name in ("dimensions", "widths", "shares"):
            if not getattr(self, name):
                raise ValueError(f"{name} must hold at least one value, got none")
        check_fields(self)

    @classmethod
    def short(cls) -> Settings:
        """Return the settings of a run that takes seconds and measures nothing worth keeping."""
        return cls(
            dimensions=(2, 3, 8),
            widths=(2**10, 2**12),
            shares=(0.01, 0.5),
            queries=64,
            rounds=2,
            seconds_per_cell=0.05,
            quick=True,
        )

    def as_json(self) -> Row:
        """Return the settings as they are stored."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }

    def effort(self, *, most_rounds: int | None = None, part: float = 1.0) -> dict[str, Any]:
        """Return the rounds and the seconds of a race, or those of a part of a cell."""
        rounds = self.rounds if most_rounds is None else min(most_rounds, self.rounds)
        return {"rounds": rounds, "seconds": self.seconds_per_cell * part}

    def nearest_width(self, wanted: int) -> int:
        """Return the largest width of the grid that is at most `wanted`, or else the smallest."""
        return max((m for m in self.widths if m <= wanted), default=self.widths[0])


@dataclass(frozen=True)
class Section:
    """One question of the benchmark; `run` yields its rows, `steps` says how many.

    Ratios are taken to the competitor `baseline`; it is empty if there is none.
    """

    name: str
    question: str
    baseline: str
    steps: Callable[[Settings], int]
    run: Callable[[Settings], Generator[Row]]


def section(
    name: str, question: str, baseline: str, grid: Callable[[Settings], Sequence[Any]]
) -> Callable[[Callable[..., Any]], Section]:
    """Return what makes a section of a function that measures one cell of a grid, on one thread.

    Or of one that yields all rows, as many as the grid has cells, where cells share what is dear.
    """

    def made(measure: Callable[..., Any]) -> Section:
        def run(settings: Settings) -> Generator[Row]:
            for cell in grid(settings):
                with one_thread():
                    row = measure(settings, *cell)
                yield row

        whole = measure if inspect.isgeneratorfunction(measure) else run
        return Section(name, question, baseline, lambda settings: len(grid(settings)), whole)

    return made

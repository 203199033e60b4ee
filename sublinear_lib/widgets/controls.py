"""The controls of an explorer: a slider over listed values, a choice among named options.

A control is a finite list, because the static page can only show what was computed when the book
was built; with a live kernel a slider also takes any number between its ends.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from sublinear_lib.plotting.checks import checked_text
from sublinear_lib.validation import count, float_array, scalar

_FEW = 8  # values that a message names


@dataclass(frozen=True)
class _Control:
    """What every control has: the argument that it sets, and what the reader sees."""

    name: str
    label: str

    def __post_init__(self) -> None:
        """Check both."""
        name: object = self.name
        if not checked_text(name, "name").isidentifier() or keyword.iskeyword(self.name):
            raise ValueError(f"name must be a name that a Python argument can have, got {name!r}")
        if not checked_text(self.label, "label", empty=True).strip():
            raise ValueError("label must not be empty: it is all that a screen reader says")

    @property
    def start_position(self) -> int:
        """The position of the value to start from."""
        own: Any = self
        return list(own.values).index(own.start)

    def _start(self, values: tuple[Any, ...], start: object) -> None:
        """Start from a value, or from the first."""
        if start is None:
            object.__setattr__(self, "start", values[0])
        elif start not in values:
            few = ", ".join(map(repr, values[:_FEW])) + (", ..." if len(values) > _FEW else "")
            raise ValueError(f"start of {self.name} must be one of its values {few}, got {start!r}")


@dataclass(frozen=True)
class Slider(_Control):
    """A slider over a list of numbers, ascending, two at least.

    The function receives integers if all values are.  `format` writes a value: a format string, or
    a function of the value.  The slider starts from `start`, one of its values, or the first.

    >>> m = Slider("m", "width *m*", [2**k for k in range(6, 17)], start=1024)
    >>> m.start_position, m.text(1024)
    (4, '1024')
    """

    values: Sequence[float]
    start: float | None = None
    format: str | Callable[[Any], str] = field(default="{:g}", compare=False)

    def __post_init__(self) -> None:
        """Check the slider and take its values as a tuple."""
        super().__post_init__()
        array = float_array(self.values, f"values of {self.name}", shape=(None,))
        if array.size < 2 or (np.diff(array) <= 0).any():
            raise ValueError(
                f"values of {self.name} must be at least two ascending numbers, got "
                f"{array.tolist()[:_FEW]}"
            )
        form: object = self.format
        if not isinstance(form, str) and not callable(form):
            raise TypeError(f"format of {self.name} must be a string or a function, got {form!r}")
        whole = all(
            isinstance(v, int | np.integer) and not isinstance(v, bool) for v in self.values
        )
        values = tuple(int(v) if whole else float(v) for v in self.values)
        object.__setattr__(self, "values", values)
        self._start(values, self.start)
        for value in values:
            self.text(value)

    @property
    def integer(self) -> bool:
        """Whether the function receives integers."""
        return isinstance(self.values[0], int)

    def text(self, value: float) -> str:
        """Return a value as the reader sees it."""
        form = self.format
        try:
            written: object = form.format(value) if isinstance(form, str) else form(value)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            if isinstance(form, str):
                told = f"format of {self.name} must write its values, got {form!r} for {value!r}"
                raise ValueError(f"{told}: {error}") from None
            raise
        if not isinstance(written, str):
            raise TypeError(
                f"format of {self.name} must return a string, got {written!r} for {value!r}"
            )
        return written

    def accept(self, value: object) -> float:
        """Return a value that a reader typed, if the function may be called with it.

        That is any number between the ends of the slider, an integer where the values are integers.
        """
        low, high = self.values[0], self.values[-1]
        if not self.integer:
            return scalar(value, self.name, minimum=low, maximum=high)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        elif isinstance(value, float):
            raise ValueError(
                f"{self.name} must be an integer >= {low} and <= {high}, got {value!r}"
            )
        return count(value, self.name, minimum=int(low), maximum=int(high))

    def spec(self) -> dict[str, object]:
        """Return what the front end needs to know, ready for JSON."""
        return _listed("slider", self) | {"integer": self.integer}


@dataclass(frozen=True)
class Choice(_Control):
    """A choice among named options.

    Parameters
    ----------
    name : str
        The argument of the function that it sets.
    label : str
        What the reader sees, in the house markup.
    options : mapping of str to str, or sequence of str
        What the function receives, and what the reader sees (plain text: browsers do not set
        markup inside a list).
    start : str, optional
        The option to start from; the first by default.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not as described.

    Examples
    --------
    >>> rule = Choice("rule", "rule for τ", {"zero": "τ = 0", "1/m": "τ = 1/m"})
    >>> rule.values
    ('zero', '1/m')
    """

    options: Mapping[str, str] | Sequence[str]
    start: str | None = None

    def __post_init__(self) -> None:
        """Check the choice and take its options as a mapping."""
        super().__post_init__()
        given: object = self.options
        if isinstance(given, str) or not isinstance(given, Mapping | Sequence):
            kind = "one" if isinstance(given, str) else repr(given)
            raise TypeError(f"options of {self.name} must be several strings, got {kind}")
        pairs = list(given.items() if isinstance(given, Mapping) else ((key, key) for key in given))
        for key, label in pairs:
            if not isinstance(key, str) or not isinstance(label, str):
                raise TypeError(f"options of {self.name} must be strings, got {key!r}: {label!r}")
            if not label.strip():
                raise ValueError(f"options of {self.name} must have labels, got {key!r} without")
        options = dict(pairs)
        if len(options) < len(pairs):
            raise ValueError(f"options of {self.name} must differ, got {list(given)}")
        if len(options) < 2:
            raise ValueError(f"options of {self.name} must be at least two, got {list(options)}")
        object.__setattr__(self, "options", options)
        self._start(self.values, self.start)

    def __hash__(self) -> int:
        """Hash by name, as the options are held in a mapping."""
        return hash(self.name)

    @property
    def values(self) -> tuple[str, ...]:
        """What the function may receive, in order."""
        return tuple(self.options)

    def text(self, value: str) -> str:
        """Return an option as the reader sees it.

        Parameters
        ----------
        value : str
            One of `values`.

        Returns
        -------
        str
            Its label.
        """
        return dict(self.options)[value] if isinstance(self.options, Mapping) else value

    def accept(self, value: object) -> str:
        """Return an option, if it is one; otherwise raise with a message for the reader."""
        if not isinstance(value, str) or value not in self.options:
            raise ValueError(
                f"{self.name} must be one of {', '.join(map(repr, self.values))}, got {value!r}"
            )
        return value

    def spec(self) -> dict[str, object]:
        """Return what the front end needs to know, ready for JSON."""
        return _listed("choice", self)


Control: TypeAlias = Slider | Choice
"""Everything a reader can set."""


def _listed(kind: str, control: Any) -> dict[str, object]:
    known = {"kind": kind, "name": control.name, "label": control.label}
    return known | {"values": list(control.values), "texts": [*map(control.text, control.values)]}


@dataclass(frozen=True)
class Text(_Control):
    """A line to type into, such as the name of a file; for live labs only.

    A static page cannot list what a reader may type, so an explorer has no such control.

    Parameters
    ----------
    name, label : str
        The argument of the function that it sets, and what the reader sees, in the house markup.
    start : str, default ""
        What stands in it at first.
    """

    start: str = ""

    def __post_init__(self) -> None:
        """Check the control."""
        super().__post_init__()
        checked_text(self.start, f"start of {self.name}", empty=True)

    @property
    def values(self) -> tuple[str]:
        """The line that stands there at first."""
        return (self.start,)

    def spec(self) -> dict[str, object]:
        """Return what identifies the control, ready for JSON."""
        return {"kind": "text", "name": self.name, "label": self.label, "start": self.start}

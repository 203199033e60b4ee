"""Two decorators that turn a function into an explorer or a lab, and the controls to name in them.

`explorer` takes a function of its controls that returns a `View`, `lab` one that prints and draws.
The controls are keywords, which name them: ``m=width(6, 20, start=4096)``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

from sublinear_lib.plotting.formats import grouped
from sublinear_lib.widgets.controls import Choice, Slider, Text
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.live_lab import LiveLab

Called = TypeVar("Called", bound=Callable[..., Any])
Made = TypeVar("Made", Explorer, LiveLab)

_FEWEST = 30  # stops from which on a slider feels continuous


@dataclass(frozen=True)
class Declared(Generic[Called, Made]):
    """What a decorated function becomes: called without arguments it makes the widget."""

    function: Called
    make: Callable[[Called], Made]

    def __call__(self) -> Made:
        """Make the explorer or the lab."""
        return self.make(self.function)


def explorer(
    title: str,
    *,
    name: str,
    description: str = "",
    tries: Mapping[str, Mapping[str, Any]] | None = None,
    **controls: Slider | Choice,
) -> Callable[[Called], Declared[Called, Explorer]]:
    """Declare a function of the controls that returns a `View` as an explorer."""
    named = [replace(control, name=key) for key, control in controls.items()]
    texts: dict[str, Any] = {"description": description, "name": name, "tries": tries}
    return lambda view: Declared(view, lambda view: Explorer(view, named, title=title, **texts))


def lab(
    title: str, **controls: Slider | Choice | Text
) -> Callable[[Called], Declared[Called, LiveLab]]:
    """Declare a function of the controls that prints and draws as a live lab."""
    named = [replace(control, name=key) for key, control in controls.items()]
    return lambda run: Declared(run, lambda run: LiveLab(run, named, title=title))


# Controls that a keyword names.
slider = partial(Slider, "_")
menu = partial(Choice, "_")
typed = partial(Text, "_")


def width(first: int, last: int, start: int) -> Slider:
    """Return a slider for the width from 2^first to 2^last, at least thirty even steps."""
    each = math.ceil(_FEWEST / (last - first))
    values = [round(2.0 ** (k / each)) for k in range(first * each, last * each + 1)]
    return slider("width *m*", values, start, grouped)


def threshold(to: float, start: float) -> Slider:
    """Return a slider for the threshold from zero on, in standard deviations of the sum."""
    values = [round(to * k / _FEWEST, 4) for k in range(_FEWEST + 1)]
    return slider("threshold, in standard deviations", values, start, "{:.2f}")

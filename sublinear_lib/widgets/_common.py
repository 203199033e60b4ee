"""What explorers and labs share: their style sheet, and the checks of their arguments.

No object of the paper lives here.  The checks return the argument, so that a constructor reads as a
list of assignments and changes nothing before all of them have passed.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sublinear_lib.plotting.checks import plain_name
from sublinear_lib.plotting.palette import palette_css
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.widgets.controls import Control, Text

STATIC = Path(__file__).parent / "static"


def style_sheet(*more: str) -> str:
    """Return the style sheet of a widget: the palette of the figures, the layout, what it adds."""
    sheets = [(STATIC / name).read_text(encoding="utf-8") for name in ("explorer.css", *more)]
    return "\n".join((palette_css(".sl-explorer"), *sheets))


def checked_controls(controls: object, *kinds: type) -> tuple[Any, ...]:
    """Return controls of these kinds, with names of their own, or say what is wrong with them."""
    *most, last = (kind.__name__ for kind in kinds)
    told = f"controls must be a sequence of {', '.join(most)} and {last}"
    if not isinstance(controls, Sequence) or isinstance(controls, str) or not controls:
        raise TypeError(f"{told}, got {controls!r}")
    for control in controls:
        if not isinstance(control, kinds):
            raise TypeError(f"{told}, got {type(control).__name__} inside")
    names = [control.name for control in controls]
    if len(set(names)) < len(names):
        raise ValueError(f"controls must have different names, got {names}")
    return tuple(controls)


def checked_function(function: object, controls: Sequence[Control | Text]) -> Callable[..., Any]:
    """Return the function, if it can be called with the controls as keywords."""
    if not callable(function):
        raise TypeError(f"function must be callable, got {type(function).__name__}")
    keywords = {control.name: control.values[0] for control in controls}
    try:
        inspect.signature(function).bind(**keywords)
    except TypeError as error:
        raise TypeError(
            f"function must accept the controls {', '.join(keywords)} as keywords: {error}"
        ) from None
    return function


def checked_name(name: object, title: str) -> str:
    """Return the name of a widget, made from its title if it has none."""
    if name is not None:
        return plain_name(name)
    words = "-".join(re.findall(r"[a-z0-9]+", to_plain(title).lower()))[:60].strip("-")
    return words if words[:1].isalpha() else f"explorer-{words}".strip("-")

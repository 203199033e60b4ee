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

from sublinear_lib.plotting.palette import palette_css
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.widgets.controls import Choice, Control, Slider, Text

STATIC = Path(__file__).parent / "static"
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


def style_sheet(*more: str) -> str:
    """Return the style sheet of a widget: the palette of the figures, the layout, what it adds."""
    sheets = [(STATIC / name).read_text(encoding="utf-8") for name in ("explorer.css", *more)]
    return "\n".join((palette_css(".sl-explorer"), *sheets))


def checked_controls(controls: object) -> tuple[Control, ...]:
    """Return the controls of an explorer, or say what is wrong with them."""
    return tuple(one for one in _checked(controls, Slider, Choice) if not isinstance(one, Text))


def checked_lab_controls(controls: object) -> tuple[Control | Text, ...]:
    """Return the controls of a lab, or say what is wrong with them."""
    return _checked(controls, Slider, Choice, Text)


def _checked(controls: object, *kinds: type[Slider | Choice | Text]) -> tuple[Control | Text, ...]:
    *most, last = (kind.__name__ for kind in kinds)
    if not isinstance(controls, Sequence) or isinstance(controls, str) or not controls:
        raise TypeError(
            f"controls must be a sequence of {', '.join(most)} and {last}, got {controls!r}"
        )
    for control in controls:
        if not isinstance(control, kinds):
            raise TypeError(
                f"controls must be {', '.join(most)} or {last}, got {type(control).__name__}"
            )
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
    if name is None:
        words = re.findall(r"[a-z0-9]+", to_plain(title).lower())
        name = "-".join(words)[:60].strip("-")
        if not _NAME.fullmatch(name):
            name = f"explorer-{name}".strip("-")
    if not isinstance(name, str):
        raise TypeError(f"name must be a string, got {type(name).__name__}")
    if not _NAME.fullmatch(name):
        raise ValueError(
            "name must consist of lower-case letters, digits and single hyphens, starting with a "
            f"letter, got {name!r}"
        )
    return name

"""What explorers and labs share: how they are shown, and the checks of their arguments.

The checks return the argument, so that a constructor changes nothing before all of them passed.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from sublinear_lib.plotting.palette import palette_css
from sublinear_lib.widgets.controls import Control, Text

STATIC = Path(__file__).parent / "static"


class Widget(anywidget.AnyWidget):
    """A widget with a key made of its content, and with other forms for hosts without scripts."""

    _key = traitlets.Unicode().tag(sync=True)

    def __init__(self, content: str, **traits: Any) -> None:
        super().__init__(_key=hashlib.sha256(content.encode("utf-8")).hexdigest()[:16], **traits)

    def _forms(self) -> tuple[dict[str, str], dict[str, Any]]:
        """Return the forms besides the live widget, and what is to be known about them."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the live widget and the other forms."""
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if bundle is not None else ({}, {})
        forms, known = self._forms()
        return data | forms, metadata | known


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

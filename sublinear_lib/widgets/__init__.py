"""Explorers for the page and labs for a running Jupyter.

`Explorer` turns a function that returns a `View` into a figure with controls that works in the
static page; `LiveLab` runs something longer, such as a training, where there is a kernel.  The
explorers of a page are declared in ``sublinear_lib.chapters``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sublinear_lib.widgets import views
from sublinear_lib.widgets.controls import Choice, Slider, Text
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.live_lab import LiveLab
from sublinear_lib.widgets.views import *

if TYPE_CHECKING:
    from sublinear_lib.widgets.algorithm import algorithm_player

__all__ = ["Choice", "Explorer", "LiveLab", "Slider", "Text", "algorithm_player"]
__all__ += views.__all__


def __getattr__(name: str) -> Any:
    """Load the player of Algorithm 1, which trains, when it is first named."""
    if name in __all__:
        from sublinear_lib.widgets import algorithm

        return getattr(algorithm, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""What is not installed with the library alone, and how to get it.

The library computes with its runtime dependencies only.  Figures, explorers and exhibits need more,
which comes with an extra: ``pip install '.[plot]'`` in a clone.  Where such a package is missing,
the reader is told which extra brings it.  Before changing it, know that `pyproject.toml` lists the
extras and that a run must never fail at its end because it cannot draw.
"""

from __future__ import annotations

import importlib.util
from importlib import metadata

_EXTRAS = {
    "matplotlib": "plot",
    "IPython": "book",
    "anywidget": "book",
    "ipywidgets": "book",
    "markdown_it": "book",
    "mdit_py_plugins": "book",
    "pygments": "book",
}
COMPUTING = ("numpy", "scipy", "scikit-learn", "joblib", "numba")
"""The packages that the library computes with, whose versions a report of any kind names."""


def hint(package: str) -> str:
    """Say that a package is missing, and which extra brings it.

    Here `package`: the name under which it is imported.
    """
    extra = _EXTRAS.get(package)
    how = "" if extra is None else f" (pip install '.[{extra}]' in a clone brings it)"
    return f"{package} is not installed{how}"


def no_pictures() -> str:
    """Say why nothing can be drawn here.

    Part of a sentence; empty where figures can be drawn.
    """
    return "" if importlib.util.find_spec("matplotlib") else hint("matplotlib")


def installed_version(package: str) -> str:
    """Return the version of a package.

    Here `package`: the name under which it is installed.

    The version, or ``"not installed"``.
    """
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"

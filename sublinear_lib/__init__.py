"""Companion library to "A Sublinear Adversarial Training Algorithm" (ICLR 2024).

The package holds the objects of the paper (network, pseudo-network, threshold, cap, half-space
index, Algorithm 1), the checks of its statements, and the figures and explorers that the book
shows; the rooms ``memorization`` and ``features`` hold the networks of Parts II and III.  Importing
the package itself is cheap: every room is imported on first use, so that neither matplotlib nor
scikit-learn nor a compiler is loaded before it is needed.
"""

from __future__ import annotations

import importlib
from types import ModuleType

__version__ = "0.1.0"

_ROOMS = (
    "activations",
    "adversary",
    "archives",
    "caching",
    "claims",
    "cluster",
    "datasets",
    "estimator",
    "exhibits",
    "features",
    "geometry",
    "halfspace",
    "losses",
    "memorization",
    "network",
    "plotting",
    "predicates",
    "report",
    "runs",
    "scaling",
    "statistics",
    "tables",
    "theory",
    "training",
    "validation",
    "widgets",
)

__all__ = ["__version__", *_ROOMS]


def __getattr__(name: str) -> ModuleType:
    """Import a room of the library the first time it is named."""
    if name in _ROOMS:
        try:
            return importlib.import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            missing = error.name or ""
            if missing.partition(".")[0] == __name__:
                raise
            from sublinear_lib._extras import hint

            raise ModuleNotFoundError(
                f"sublinear_lib.{name} cannot be used: {hint(missing.partition('.')[0])}",
                name=missing,
            ) from error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the rooms together with the version."""
    return sorted(__all__)

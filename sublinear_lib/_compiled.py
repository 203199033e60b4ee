"""How the loops of the library are compiled: on their first call, and kept on disk."""

from __future__ import annotations

from typing import Any

import numba

__all__ = ["FREE_SUMS", "compiled"]

FREE_SUMS = {"contract", "reassoc", "nsz"}
"""Sums may be reordered; nothing is assumed about NaN and infinity."""


def compiled(fastmath: bool | set[str] = False) -> Any:
    """Return a decorator that compiles a loop with so much freedom in arithmetic."""
    # Always said: a function that does not say it takes the freedom of whoever compiles it first.
    return numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=fastmath)

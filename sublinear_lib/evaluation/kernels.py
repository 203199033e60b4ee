"""Choice of the evaluation kernels: compiled when numba can be used, pure NumPy otherwise.

``SUBLINEAR_NUMBA=0`` in the environment forces NumPy; the variable is read at every call, so that
one process can compare the two.  Numba is imported on first use only: importing the library must
not start a compiler.
"""

from __future__ import annotations

import functools
import importlib
import os
from types import ModuleType

__all__ = ["kernels", "kernels_in_use"]


@functools.cache
def _load(name: str) -> ModuleType:
    return importlib.import_module(f"sublinear_lib.evaluation.kernels_{name}")


@functools.cache
def _compiled_available() -> bool:
    try:
        _load("numba")
    except ImportError:
        return False
    return True


def kernels_in_use() -> str:
    """Return the name of the kernels that the next evaluation will use.

    Returns
    -------
    str
        ``"numba"`` or ``"numpy"``.
    """
    if os.environ.get("SUBLINEAR_NUMBA", "1") == "0" or not _compiled_available():
        return "numpy"
    return "numba"


def kernels() -> ModuleType:
    """Return the kernel module in use."""
    return _load(kernels_in_use())

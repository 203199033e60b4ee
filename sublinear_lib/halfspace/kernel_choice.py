"""Which set of kernels runs: compiled or NumPy.

The only module that knows both sets; nothing is compiled or imported from numba before the first
query of an index that uses it.  Set the environment variable ``SUBLINEAR_NUMBA=0`` to do without
numba altogether.
"""

from __future__ import annotations

import importlib.util
import os

from sublinear_lib import validation
from sublinear_lib.halfspace.filtering import KernelSet

__all__ = ["KERNEL_SETS", "choose", "numba_allowed"]

KERNEL_SETS = ("auto", "numba", "numpy")


def numba_allowed() -> bool:
    """Return whether numba is installed and not switched off by ``SUBLINEAR_NUMBA=0``."""
    return (
        os.environ.get("SUBLINEAR_NUMBA", "1") != "0"
        and importlib.util.find_spec("numba") is not None
    )


def choose(kernels: object = "auto") -> KernelSet:
    """Return a set of kernels."""
    wanted = validation.choice(kernels, "kernels", KERNEL_SETS)
    if wanted == "auto":
        wanted = "numba" if numba_allowed() else "numpy"
    if wanted == "numpy":
        from sublinear_lib.halfspace.kernels_numpy import NumpyKernels

        return NumpyKernels()
    if not numba_allowed():
        raise ValueError(
            "kernels must be 'auto' or 'numpy' where numba is missing or switched off by "
            "SUBLINEAR_NUMBA=0, got 'numba'"
        )
    from sublinear_lib.halfspace.kernels_numba import NumbaKernels

    return NumbaKernels()

"""Names for the few types that every room of the library passes around.

No object of the paper lives here.  The aliases say in a signature what the validators of
:mod:`sublinear_lib.validation` guarantee at run time: float64, int64 and boolean arrays, and the
three things that may stand for a source of randomness.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["BoolArray", "Float32Array", "FloatArray", "Int32Array", "IntArray", "Seed"]

FloatArray: TypeAlias = NDArray[np.float64]
"""An array of 64-bit floating-point numbers."""

IntArray: TypeAlias = NDArray[np.int64]
"""An array of 64-bit signed integers."""

Float32Array: TypeAlias = NDArray[np.float32]
"""An array of 32-bit floating-point numbers."""

Int32Array: TypeAlias = NDArray[np.int32]
"""An array of 32-bit signed integers."""

BoolArray: TypeAlias = NDArray[np.bool_]
"""An array of truth values."""

Seed: TypeAlias = int | np.random.SeedSequence | np.random.Generator
"""A non-negative integer seed, a seed sequence, or a generator that is already running."""

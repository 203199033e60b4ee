"""Points of X at which several checks look.

For d = 3 the set X is a circle, at height 1/2, and a point of it is an angle.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib import geometry
from sublinear_lib._typing import FloatArray


def circle(angles: object) -> FloatArray:
    """Return the points of X for d = 3 at these angles."""
    v = np.asarray(angles, dtype=np.float64)
    return geometry.embed(np.column_stack((np.cos(v), np.sin(v))))

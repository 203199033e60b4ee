"""The explorer of the first chapter: which neurons can fire within the reach of an attacker.

The share comes from `sublinear_lib.theory.candidate_share`; no formula lives here.  The width is no
control, because the share does not depend on it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import stats

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting import number, percent
from sublinear_lib.theory import candidate_share
from sublinear_lib.validation import count, scalar
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Points, Rule, View

__all__ = ["reach_explorer", "reach_view"]

_RADII = np.linspace(0.0, 0.5, 26)


@lru_cache(maxsize=256)
def _reachable(t: float, d: int) -> FloatArray:
    return np.array([candidate_share(t, d, float(rho)) for rho in _RADII])


def reach_view(rho: float, share: float, d: int) -> View:
    """Show which share of the neurons can fire within the reach of an attacker.

    Parameters
    ----------
    rho : float
        Reach of the attacker (chord length), ``0 <= rho <= 0.5``.
    share : float
        Share of the neurons that fire at an image before training, ``0.0001 <= share <= 0.5``.
    d : int
        Dimension of an image, its constant coordinate included, ``d >= 2``.

    Returns
    -------
    View
        The share that can fire against the reach, and the share that fires at the image itself.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Definitions 3.1, 3.3 and 3.9.
    """
    rho = scalar(rho, "rho", minimum=0.0, maximum=0.5)
    share = scalar(share, "share", minimum=0.0001, maximum=0.5)
    d = count(d, "d", minimum=2)
    t = float(stats.norm.isf(share))
    able = candidate_share(t, d, rho)
    return View(
        x=Axis(label="how far the attacker may move the image", limits=(0.0, 0.5)),
        y=Axis(label="share of the neurons", limits=(0.0, 1.0), format=percent),
        marks=[
            Line(_RADII, _reachable(t, d), label="can fire", role="c1"),
            Line([0.0, 0.5], [share, share], label="fire", role="c2", dash=True),
            Rule(rho, label="reach", role="ink", drag="rho"),
            Points([rho], [able], role="c1"),
        ],
        sentence=(
            f"{percent(share)} of the neurons fire at an image of {d - 1} pixels. If an attacker "
            f"may move the image by {number(rho)}, up to {percent(able)} of them can fire "
            f"somewhere within reach, {number(able / share)} times as many. None of those may be "
            "skipped."
        ),
    )


def reach_explorer() -> Explorer:
    """Build the explorer of the attacker's reach.

    Returns
    -------
    Explorer
        Sliders for the reach, the share that fires at an image, and the number of pixels.

    Notes
    -----
    Source: Definitions 3.1, 3.3 and 3.9.
    """
    return Explorer(
        reach_view,
        [
            Slider("rho", "attacker's reach", [round(0.05 * k, 2) for k in range(11)], start=0.3),
            Slider(
                "share",
                "neurons that fire",
                [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
                start=0.02,
                format=percent,
            ),
            Slider(
                "d",
                "pixels of an image",
                [3, 17, 65, 257, 785],
                start=65,
                format=lambda d: str(d - 1),
            ),
        ],
        title="Which neurons can fire within the attacker's reach?",
        name="reach-explorer",
    )

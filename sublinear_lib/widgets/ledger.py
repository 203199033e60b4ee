"""The explorer of the bill: what each item of a step costs, against the threshold.

`ledger_explorer` shows the bill of a dense step and, on top of it, what is left of each item at a
threshold and a dimension, from `sublinear_lib.theory`.  Every item is a share of the dense step,
and such shares do not depend on the width.  No formula lives here.
"""

from __future__ import annotations

import math
from functools import lru_cache

from sublinear_lib import scaling, theory
from sublinear_lib.plotting import number, percent
from sublinear_lib.validation import scalar
from sublinear_lib.widgets._menus import threshold
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Bars, View

__all__ = ["ledger_explorer", "ledger_view"]

_N, _RHO, _STEPS = 64, 0.1, 5
_M = 2**12  # shares of the dense step do not depend on the width
_ITEMS = ("attack", "search", "forward, gradient", "new rows")
_EDGES = (0.0, 1.0, 2.0, 3.0, 4.0)
_DIMENSIONS = [*range(3, 17), *range(18, 33, 2), *range(36, 65, 4)]


def _items(ledger: theory.Ledger) -> tuple[float, ...]:
    passes, rows = ledger.forward + ledger.gradient, ledger.weights + ledger.index
    return ledger.attack, ledger.query, passes, rows


@lru_cache(maxsize=1 << 12)
def _shares(t: float, d: int) -> tuple[float, ...]:
    """Return the items as shares of the dense step."""
    tau = scaling.threshold_from_standard(t, _M)
    ledger = theory.expected_ledger(_M, _N, d, tau, _RHO, _STEPS, "shared")
    return _items(ledger.over(_dense().total))


def _dense() -> theory.Ledger:
    return theory.dense_ledger(_M, _N, _STEPS)


def ledger_view(t: float, d: int) -> View:
    """Show what each item of a step costs, as a share of the dense step.

    Parameters
    ----------
    t : float
        Standardized threshold, ``0 <= t <= 30``.
    d : int
        Input dimension, ``d >= 2``.

    Returns
    -------
    View
        The four items of the dense step, and what is left of them.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Algorithm 1, Theorem 1.1, Lemma 5.3.  For n = 64 examples and an adversary of radius
    0.1 that takes five steps; one search for each example serves the whole attack.
    """
    shares = _shares(scalar(t, "t", minimum=0.0, maximum=30.0), d)
    total = math.fsum(shares)
    return View(
        x=Axis(
            label="item of the bill",
            limits=(_EDGES[0], _EDGES[-1]),
            ticks=(0.5, 1.5, 2.5, 3.5),
            format=lambda place: _ITEMS[int(place)],
        ),
        y=Axis(label="work, share of a dense step", limits=(0.0, 1.0), format=percent),
        marks=[
            Bars(_EDGES, _items(_dense().over(_dense().total)), label="dense", role="c2"),
            Bars(_EDGES, shares, label="sparse", role="c1"),
        ],
        sentence=(
            f"With a threshold of {t:g} standard deviations {percent(scaling.activity_at(t))} of "
            f"the neurons fire at a point, and in dimension {d} a step takes {number(1.0 / total)} "
            f"times fewer row passes than a dense one: {percent(total)} of the work is left."
        ),
        warning=(
            f"The theorem of this chapter says nothing here: in dimension {d} its proof needs a "
            f"threshold above {number(math.sqrt(3.0 * (d - 1) / 8.0))}."
            if theory.surviving_share_bound(t, d) >= 1.0
            else None
        ),
    )


def ledger_explorer() -> Explorer:
    """Build the explorer of width, threshold and dimension for the bill of a step.

    Returns
    -------
    Explorer
        Sliders for ``t = 0 ... 4`` and ``d = 3 ... 64``.

    Notes
    -----
    Source: Algorithm 1, Lemma 5.3.
    """
    return Explorer(
        ledger_view,
        [
            threshold(4.0, 2.0),
            Slider("d", "dimension *d*", _DIMENSIONS, start=8),
        ],
        title="How much of a dense step is left?",
        description=(
            "64 points, attacks of radius *ρ* = 0.1 with five steps, one search per point. "
            "No item depends on the width *m*."
        ),
        name="ledger-explorer",
    )

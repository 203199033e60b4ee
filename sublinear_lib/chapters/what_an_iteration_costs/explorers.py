"""The bill of a step (Algorithm 1, Lemma 5.3): each item as a share of the dense step."""

from __future__ import annotations

import math

from sublinear_lib import scaling, theory
from sublinear_lib.plotting import number, percent
from sublinear_lib.widgets import Axis, Bars, View
from sublinear_lib.widgets.declaration import explorer, slider, threshold

_M, _N, _RHO, _STEPS = 2**12, 64, 0.1, 5
_ITEMS = ("attack", "search", "forward, gradient", "new rows")
_EDGES = (0.0, 1.0, 2.0, 3.0, 4.0)
_DIMENSIONS = [*range(3, 17), *range(18, 33, 2), *range(36, 65, 4)]


_DENSE = theory.dense_ledger(_M, _N, _STEPS)


def _shares(ledger: theory.Ledger) -> tuple[float, ...]:
    """Return the items as shares of the dense step."""
    of = ledger.over(_DENSE.total)
    return of.attack, of.query, of.forward + of.gradient, of.weights + of.index


@explorer(
    "How much of a dense step is left?",
    description="64 points, attacks of radius *ρ* = 0.1 with five steps, one search per point. "
    "No item depends on the width *m*.",
    name="ledger-explorer",
    t=threshold(4.0, 2.0),
    d=slider("dimension *d*", _DIMENSIONS, start=8),
)
def bill(t: float, d: int) -> View:
    """Show what each item of a step costs, as a share of the dense step."""
    tau = scaling.threshold_from_standard(t, _M)
    shares = _shares(theory.expected_ledger(_M, _N, d, tau, _RHO, _STEPS, "shared"))
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
            Bars(_EDGES, _shares(_DENSE), label="dense", role="c2"),
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

"""The explorer of the bill: what each item of a step costs, against the threshold.

`ledger_explorer` shows, for a width, a threshold and a dimension, the expected work of a step as a
share of the dense step, item by item, from `sublinear_lib.theory`.  The printed thresholds and the
sparse one are marked, so that a reader sees them walk apart as m grows.  No formula lives here.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling, theory
from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.validation import count
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Mark, Points, Rule, View

__all__ = ["ledger_explorer", "ledger_view"]

_N, _RHO, _STEPS = 64, 0.1, 5
_M = 2**12  # shares of the dense step do not depend on the width
_T = tuple(round(0.1 * k, 1) for k in range(41))
_LOWEST = 1e-5
_CURVES = (
    ("attack", "attack", "c1"),
    ("query", "search", "c2"),
    ("passes", "forward, gradient", "c3"),
    ("rows", "rows that move", "c5"),
)


@lru_cache(maxsize=1 << 14)
def _shares(t: float, d: int) -> dict[str, float]:
    """Return the items as shares of the dense step."""
    tau = scaling.threshold_from_standard(t, _M)
    ledger = theory.expected_ledger(_M, _N, d, tau, _RHO, _STEPS, "shared")
    found = ledger.over(theory.dense_ledger(_M, _N, _STEPS).total)
    return {
        "attack": found.attack,
        "query": found.query,
        "passes": found.forward + found.gradient,
        "rows": found.weights + found.index,
    }


def _total(t: float, d: int) -> float:
    return math.fsum(_shares(t, d).values())


@lru_cache(maxsize=64)
def _lines(d: int) -> tuple[Mark, ...]:
    """Return what the width and the threshold do not move."""
    curves: dict[str, FloatArray] = {
        name: np.array([_shares(t, d)[name] for t in _T]) for name, _, _ in _CURVES
    }
    return (
        *(
            Line(_T, np.maximum(curves[name], _LOWEST), label=label, role=role, width=1.75)  # type: ignore[arg-type]
            for name, label, role in _CURVES
        ),
        Line(_T, [_total(t, d) for t in _T], label="whole step", role="ink", width=2.75),
        Rule(1.0, axis="y", label="dense", role="muted", dash=True),
    )


def ledger_view(m: int, t: float, d: int) -> View:
    """Show what each item of a step costs, as a share of the dense step.

    Parameters
    ----------
    m : int
        Width, ``m >= 2``.
    t : float
        Standardized threshold, ``0 <= t <= 30``.
    d : int
        Input dimension, ``d >= 2``.

    Returns
    -------
    View
        The four items and their sum against the threshold, and where the thresholds of the paper
        and the sparse one stand at this width.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Algorithm 1, Theorem 1.1, Lemma 5.3.  For n = 64 examples and an adversary of radius
    0.1 that takes five steps; one search for each example serves the whole attack.
    """
    m = count(m, "m", minimum=2)
    places = {
        label: scaling.standardize_threshold(rule.tau(m), m)
        for label, rule in (
            ("1/*m*", scaling.ONE_OVER_M),
            ("*m*^{−3/5}", scaling.K_M35),
            ("sparse", scaling.SPARSE_C),
        )
    }
    shares, total = _shares(float(t), d), _total(float(t), d)
    low, _, high = (number(1.0 / _total(place, d)) for place in places.values())
    return View(
        x=Axis(label="threshold *t*, in standard deviations", limits=(0.0, _T[-1])),
        y=Axis(
            label="work, share of a dense step",
            scale="log10",
            limits=(_LOWEST, 3.0),
            format=percent,
        ),
        marks=[
            *_lines(d),
            *(Rule(place, label=label, role="muted", dash=True) for label, place in places.items()),
            Rule(t, role="ink", drag="t"),
            Points([t], [total], role="ink"),
        ],
        sentence=(
            f"With a threshold of {t:g} standard deviations {percent(scaling.activity_at(t))} of "
            f"the neurons fire at a point, and in dimension {d} a step takes {number(1.0 / total)} "
            f"times fewer row passes than a dense one. With {grouped(m)} neurons the printed "
            f"threshold 1/m would save a factor of {low}, and the sparse one a factor of {high}."
        ),
        readouts={
            "attack": percent(shares["attack"]),
            "search": percent(shares["query"]),
            "forward, gradient": percent(shares["passes"]),
            "rows that move": percent(shares["rows"]),
        },
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
        Sliders for ``m = 2^8 ... 2^23``, ``t = 0 ... 4`` and ``d = 3 ... 64``.

    Notes
    -----
    Source: Algorithm 1, Lemma 5.3.
    """
    return Explorer(
        ledger_view,
        [
            Slider(
                "m",
                "width *m*",
                [2**k for k in (8, 11, 14, 17, 20, 23)],
                start=2**14,
                format=grouped,
            ),
            Slider("t", "threshold *t* = *τ*√(*m*/2)", _T[::2], start=2.0, format="{:.1f}"),
            Slider("d", "dimension *d*", [3, 4, 8, 16, 32, 64], start=8),
        ],
        title="How much of a dense step is left?",
        description=(
            "64 points, attacks of radius *ρ* = 0.1 with five steps, one search per point. Dashed: "
            "the thresholds 1/*m* and *m*^{−3/5} of the paper, and the sparse threshold."
        ),
        name="ledger-explorer",
    )

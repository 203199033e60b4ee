"""The explorer of the ledger of Lemma 5.3: which line of Algorithm 1 costs what, and what fails.

`ledger_explorer` shows, for a width, a threshold and a dimension, the expected cost of each line of
Algorithm 1 as a share of the dense iteration, from `sublinear_lib.theory`, and where the search
stops paying.  The printed thresholds and that of the repair are marked, so that a reader sees them
walk apart as m grows.  No formula lives here.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling, theory
from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.validation import count, scalar
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Mark, Points, Rule, View

__all__ = ["ledger_explorer", "ledger_view"]

_N, _RHO, _STEPS = 256, 0.1, 5
_M = 2**12  # shares of the dense iteration do not depend on the width
_T = tuple(round(0.1 * k, 1) for k in range(41))
_LOWEST = 1e-5
_CURVES = (
    ("attack", "11 attack", "c1"),
    ("query", "12 query", "c2"),
    ("forward", "17 forward", "c3"),
    ("gradient", "18 gradient", "c4"),
    ("rows", "19–21 rows", "c5"),
)


@lru_cache(maxsize=1 << 14)
def _shares(t: float, d: int, price: float) -> dict[str, float]:
    """Return the entries as shares of the dense iteration, a listed row pass at its price."""
    tau = scaling.threshold_from_standard(t, _M)
    ledger = theory.expected_ledger(_M, _N, d, tau, _RHO, _STEPS, "shared")
    dense = theory.dense_ledger(_M, _N, _STEPS).total
    entries = ledger.over(dense).entries
    rows = entries.pop("weights") + entries.pop("index")
    listed = {name: price * value for name, value in entries.items() if name != "query"}
    return {**listed, "query": entries["query"], "rows": price * rows}


@lru_cache(maxsize=256)
def _curves(d: int, price: float) -> tuple[dict[str, FloatArray], FloatArray]:
    table = [_shares(t, d, price) for t in _T]
    curves = {name: np.array([shares[name] for shares in table]) for name, _, _ in _CURVES}
    total = np.array([math.fsum(shares.values()) for shares in table])
    return curves, total


@lru_cache(maxsize=256)
def _lines(d: int, price: float) -> tuple[Mark, ...]:
    """Return what the width and the threshold do not move."""
    curves, total = _curves(d, price)
    return (
        *(
            Line(_T, np.maximum(curves[name], _LOWEST), label=label, role=role, width=1.75)  # type: ignore[arg-type]
            for name, label, role in _CURVES
        ),
        Line(_T, total, label="in all", role="ink", width=2.75),
        Rule(1.0, axis="y", label="dense", role="muted", dash=True),
    )


@lru_cache(maxsize=256)
def _crossover(d: int, price: float) -> float | None:
    """Return the threshold from which on the sparse iteration is cheaper, if there is one."""
    low, high = 0.0, _T[-1]
    if math.fsum(_shares(low, d, price).values()) <= 1.0:
        return 0.0
    if math.fsum(_shares(high, d, price).values()) > 1.0:
        return None
    for _ in range(40):
        middle = (low + high) / 2.0
        if math.fsum(_shares(middle, d, price).values()) > 1.0:
            low = middle
        else:
            high = middle
    return high


def ledger_view(m: int, t: float, d: int, price: float) -> View:
    """Show what each line of Algorithm 1 costs, as a share of the dense iteration.

    Parameters
    ----------
    m : int
        Width, ``m >= 2``.
    t : float
        Standardized threshold, ``0 <= t <= 30``.
    d : int
        Input dimension, ``d >= 2``.
    price : float
        What a row pass through a list costs in row passes of a matrix product or a scan, ``> 0``.

    Returns
    -------
    View
        The five curves and their sum against the threshold; where both thresholds of the paper and
        that of the repair stand at this width; which hypotheses hold at the chosen point.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Algorithm 1, Theorem 1.1, Lemma 5.3.  For n = 256 examples and an adversary of radius
    0.1 that takes five steps; one query per example serves the whole attack.
    """
    m = count(m, "m", minimum=2)
    tau = scaling.threshold_from_standard(t, m)
    shares = _shares(float(t), d, float(scalar(price, "price", exclusive_minimum=0.0)))
    total = math.fsum(shares.values())
    dense = theory.dense_ledger(m, _N, _STEPS).total * d
    active = scaling.activity_at(t)
    crossover = _crossover(d, float(price))
    marks: list[Mark] = [
        *_lines(d, float(price)),
        *(
            Rule(scaling.standardize_threshold(place, m), label=label, role="muted", dash=True)
            for label, place in (
                ("1/*m*", scaling.ONE_OVER_M.tau(m)),
                ("*m*^{−3/5}", scaling.K_M35.tau(m)),
                ("R3", scaling.SPARSE_C.tau(m)),
            )
        ),
        Rule(t, role="ink", drag="t"),
        Points([t], [total], role="ink"),
    ]
    return View(
        x=Axis(label="threshold, in standard deviations", limits=(0.0, _T[-1])),
        y=Axis(
            label="cost, share of the dense iteration",
            scale="log10",
            limits=(_LOWEST, 10.0),
            format=number,
        ),
        marks=marks,
        sentence=(
            f"With {grouped(m)} neurons in dimension {d} and a threshold of {t:g} standard "
            f"deviations, {percent(active)} fire at one input. A dense iteration takes "
            f"{number(dense)} multiplications; line by line, the sparse one costs as much as "
            f"{number(total * dense)} of them, {_against(total)}."
        ),
        readouts={
            "*τ*": number(tau),
            "*Q*(*t*)": percent(active),
            "11 attack": percent(shares["attack"]),
            "12 query": percent(shares["query"]),
            "17 forward": percent(shares["forward"]),
            "18 gradient": percent(shares["gradient"]),
            "19–21 rows": percent(shares["rows"]),
            "sparse pays": _pays(crossover),
            "*τ* ≤ 1/*m* (Theorem 4.1)": _holds(tau * m <= 1.0),
            "*Q*_{0} < *m* (Lemma 4.5)": _holds(_q0_share(t) < 1.0),
            "few can fire on *X*, by proof": _holds(theory.surviving_share_bound(t, d) < 1.0),
        },
        warning=_failing(m, t, d, tau),
    )


def _q0_share(t: float) -> float:
    return 2.0 * theory.gaussian_tail_bound(t, 2)


def _holds(statement: bool) -> str:
    return "holds" if statement else "fails"


def _pays(crossover: float | None) -> str:
    if crossover is None:
        return "nowhere here"
    if crossover == 0.0:
        return "everywhere"
    return f"below {percent(scaling.activity_at(crossover), 2)} active"


def _against(total: float) -> str:
    if total <= 1.0:
        return f"{number(1.0 / total)} times less"
    return f"{number(total)} times more"


def _failing(m: int, t: float, d: int, tau: float) -> str:
    """Say which hypothesis fails; at every threshold one of the paper's does."""
    if tau * m > 1.0:
        text = (
            f"Here τ = {number(tau * m)}/m, so the hypothesis τ = O(1/m) of Theorems 4.1 and 4.4 "
            "fails if its constant is 1."
        )
    else:
        text = "Here τ ≤ 1/m, as in Theorems 4.1 and 4.4."
    if _q0_share(t) >= 1.0:
        text += f" The bound of Lemma 4.5 is {number(_q0_share(t))} m: it says nothing."
    if theory.surviving_share_bound(t, d) >= 1.0:
        text += (
            f" In dimension {d} the proof that few neurons can fire on X needs a larger threshold."
        )
    return text


def ledger_explorer() -> Explorer:
    """Build the explorer of width, threshold, dimension and price for the ledger.

    Returns
    -------
    Explorer
        Sliders for ``m = 2^8 ... 2^24``, ``t = 0 ... 4``, ``d = 2 ... 64`` and the price of a row
        pass through a list.

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
                [2**k for k in (8, 12, 16, 20, 24)],
                start=2**16,
                format=grouped,
            ),
            Slider("t", "threshold *t* = *τ*√(*m*/2)", _T[::2], start=2.2, format="{:.1f}"),
            Slider("d", "dimension *d*", [2, 3, 4, 8, 16, 32, 64], start=8),
            Slider("price", "price of a listed row pass", [1, 3, 9], start=3),
        ],
        title="Which line of Algorithm 1 costs what?",
        description=(
            "Dashed, from left to right: the thresholds 1/*m* and *m*^{−3/5} of the paper, and "
            "that of the repair R3."
        ),
        name="ledger-explorer",
    )

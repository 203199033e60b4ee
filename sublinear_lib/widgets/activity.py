"""The explorer of the chapter on Lemma 4.5: width, threshold, and how many neurons fire.

It joins `sublinear_lib.theory.activity` (the printed bound), `sublinear_lib.scaling` (thresholds
and Q(t)) and one drawn network; no formula lives here.  The threshold is set in standard deviations
``t = tau / sqrt(2/m)``, because on that scale the curves do not depend on m: what moves when the
reader drags m is the place of each rule for tau.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.geometry import SLICE_HEIGHT, SLICE_RADIUS
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Role, grouped, number, percent
from sublinear_lib.theory import activity
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Points, Region, Rule, View

__all__ = ["activity_explorer", "activity_view"]

_T = np.round(np.linspace(0.0, 4.5, 46), 10)
_SEED = 0
_RULES: tuple[tuple[str, str, Role], ...] = (
    ("1/m", "*τ* = 1/*m*", "c4"),
    ("K/m^{3/5}", "*τ* = 1/*m*^{3/5}", "c2"),
    ("c", "about *m*^{−1/5} active", "c3"),
)


@lru_cache(maxsize=64)
def _standardized_scores(m: int) -> FloatArray:
    """Return the ascending pre-activations of one drawn network at one x, in units of sqrt(2/m)."""
    network = TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([_SEED, m]))
    x = np.array([[SLICE_RADIUS, 0.0, SLICE_HEIGHT]])
    return np.sort(network.preactivations(x)[0]) / scaling.preactivation_std(m)


def _drawn_share(m: int, t: FloatArray) -> FloatArray:
    scores = _standardized_scores(m)
    return (m - np.searchsorted(scores, t, side="right")) / m


def activity_view(m: int, t: float) -> View:
    """Show the share of active neurons against the threshold, at one width.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    t : float
        Standardized threshold, ``t >= 0``.

    Returns
    -------
    View
        Closed form, drawn network, printed bound, and where each rule puts its threshold.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Lemma 4.5 = C.15; the printed bound is read at ``K = tau m^{3/5}``.
    """
    tau = scaling.threshold_from_standard(t, m)
    expected = m * scaling.activity(tau, m)
    drawn = round(m * float(_drawn_share(m, np.array([t]))[0]))
    low, high = activity.active_count_interval(tau, m)
    K = tau * m**0.6
    bound = activity.printed_q0(m, K)
    share = _drawn_share(m, _T)
    bounds = np.array([activity.gaussian_tail_bound(tau=u, m=2) for u in _T])
    empty = bound > m
    return View(
        x=Axis(label="threshold *t* = *τ* / √(2/*m*)", limits=(0.0, 4.5)),
        y=Axis(label="share of neurons", scale="log10", limits=(1e-5, 3.0), format=percent),
        marks=[
            Region(1.0, None, axis="y", label="more than all neurons", role="muted"),
            Line(_T, 2.0 * bounds, label="printed bound *Q*₀/*m*", role="c2", dash=True),
            Line(_T, np.where(share > 0, share, np.nan), label="one drawn network", role="c5"),
            Line(_T, scaling.activity_at(_T), label="closed form *Q*(*t*)", role="c1"),
            *(
                Rule(
                    scaling.standardize_threshold(
                        scaling.TAU_RULES[key].tau(m, K=1.0, c=Fraction(1, 5)), m
                    ),
                    label=label,
                    role=role,
                    dash=True,
                )
                for key, label, role in _RULES
            ),
            Points([t], [scaling.activity(tau, m)], role="c1"),
            Rule(t, label="*τ*", role="ink", drag="t"),
        ],
        sentence=(
            f"With {grouped(m)} neurons and a threshold of {t:.1f} standard deviations, "
            f"{_about(expected)} neurons are expected to fire at one input "
            f"({percent(expected / m)}); the drawn network has {grouped(drawn)}. The printed bound "
            f"allows {grouped(round(bound))}" + (", more neurons than there are." if empty else ".")
        ),
        readouts={
            "*τ*": number(tau),
            "*K* = *τ* *m*^{3/5}": number(K),
            "expected": _about(expected),
            "99.9 % range": f"{grouped(low)} to {grouped(high)}",
            "drawn": grouped(drawn),
            "printed *Q*₀": grouped(round(bound)),
        },
        warning=(
            "The printed bound says nothing here: it exceeds the number of neurons. It starts to "
            "speak at *t* = √(2 ln 2) ≈ 1.18, that is for *K* > 1.67 *m*^{1/10}."
            if empty
            else None
        ),
    )


def _about(value: float) -> str:
    return grouped(round(value)) if value >= 100 else number(value)


def activity_explorer() -> Explorer:
    """Build the explorer of width and threshold for the share of active neurons.

    Returns
    -------
    Explorer
        Sliders for ``m = 2^6 ... 2^20`` and ``t = 0 ... 4.5``.

    Notes
    -----
    Source: Lemma 4.5 = C.15, Remark C.17.
    """
    return Explorer(
        activity_view,
        [
            Slider("m", "width *m*", [2**k for k in range(6, 21)], start=4096, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [float(u) for u in _T],
                start=1.0,
                format="{:.1f}",
            ),
        ],
        title="How many neurons fire?",
        name="activity-explorer",
    )

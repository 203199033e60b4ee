"""The explorer of the chapter on Lemma 4.5: a rule for the threshold, the width, and who fires.

It joins `sublinear_lib.scaling` (the rules and Q(t)), `sublinear_lib.theory` (the printed bound)
and one drawn network; no formula lives here.  The horizontal axis is the threshold in standard
deviations, ``t = tau / sqrt(2/m)``: on that scale neither the closed form nor the printed bound
depends on the width, so nothing moves but the threshold.  Before changing it, know that the reader
does not set the threshold: it follows from the rule and the width, and that is what is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.theory import activity
from sublinear_lib.validation import choice, count
from sublinear_lib.widgets._circle import drawn_preactivations
from sublinear_lib.widgets._words import about
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Points, Region, Rule, View

__all__ = ["activity_explorer", "activity_view"]

_SEED = 0
_T = np.round(np.linspace(0.0, 3.0, 61), 10)
_WIDTHS = [2**k for k in range(6, 21, 2)]


@dataclass(frozen=True)
class _Rule:
    """A rule for the threshold: what the menu calls it, its value, and where it goes."""

    shown: str
    tau: Callable[[int], float]
    growth: str


_FALLS = "moves toward zero, and the share rises toward one half"
_RULES = {
    "1/m": _Rule("printed: τ = 1/m", scaling.ONE_OVER_M.tau, _FALLS),
    "K=1": _Rule("printed, K = 1: τ = 1/m^(3/5)", lambda m: scaling.K_M35.tau(m, K=1.0), _FALLS),
    "K=4": _Rule("printed, K = 4: τ = 4/m^(3/5)", lambda m: scaling.K_M35.tau(m, K=4.0), _FALLS),
    "sparse": _Rule(
        "sparse: τ = √(2/m) √(0.4 log m)",
        scaling.R3.tau,
        "moves outward, and the share keeps falling",
    ),
}


@lru_cache(maxsize=64)
def _scores(m: int) -> FloatArray:
    """Return the ascending pre-activations of one drawn network at one x."""
    return np.sort(drawn_preactivations(m, _SEED))


def activity_view(rule: str, m: int) -> View:
    """Show where a rule puts the threshold at one width, and the share that fires there.

    Parameters
    ----------
    rule : {"1/m", "K=1", "K=4", "sparse"}
        The threshold: ``1/m``, ``K / m^{3/5}`` or ``sqrt(2/m) sqrt(0.4 log m)``.
    m : int
        Width, ``m >= 2``.

    Returns
    -------
    View
        The share that fires and the printed bound, against the threshold in standard deviations,
        with the place of the rule.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is none of these.

    Notes
    -----
    Source: Lemma 4.5 = C.15; the printed bound is read at ``K = tau m^{3/5}``.
    """
    chosen = _RULES[choice(rule, "rule", tuple(_RULES))]
    m = count(m, "m", minimum=2)
    tau = chosen.tau(m)
    t = scaling.standardize_threshold(tau, m)
    share = scaling.activity(tau, m)
    drawn = m - int(np.searchsorted(_scores(m), tau, side="right"))
    bound = activity.printed_q0(m, activity.printed_K(tau, m))
    curve = [2.0 * activity.gaussian_tail_bound(tau=u, m=2) for u in _T]
    return View(
        x=Axis(label="threshold *t* = *τ* / √(2/*m*), in standard deviations", limits=(0.0, 3.0)),
        y=Axis(label="share of neurons", scale="log10", limits=(1e-3, 3.0), format=percent),
        marks=[
            Region(1.0, None, axis="y", label="more than all neurons", role="muted"),
            Line(_T, curve, label="printed bound", role="c2", dash=True),
            Line(_T, scaling.activity_at(_T), label="share that fires", role="c1"),
            Rule(t, label="*τ*", role="ink"),
            Points([t], [share], role="c1", size=10.0),
        ],
        sentence=(
            f"With {grouped(m)} neurons this threshold is {number(t)} standard deviations above "
            f"zero, so {percent(share)} of the neurons fire at one input: {about(m * share)} are "
            f"expected, and {grouped(drawn)} fire in the network that we drew. As the network "
            f"grows, the threshold {chosen.growth}."
        ),
        readouts={
            "threshold *τ*": number(tau),
            "standard deviation √(2/*m*)": number(scaling.preactivation_std(m)),
            "share that fires": percent(share),
            "printed bound": grouped(round(bound)),
        },
        warning=(
            f"The printed bound allows {grouped(round(bound))} neurons to fire, more than the "
            f"{grouped(m)} that there are. It says nothing here."
            if bound > m
            else None
        ),
    )


def activity_explorer() -> Explorer:
    """Build the explorer of the share of active neurons.

    Returns
    -------
    Explorer
        Four rules for the threshold and ``m = 2^6, 2^8 ... 2^20``.

    Notes
    -----
    Source: Lemma 4.5 = C.15.
    """
    return Explorer(
        activity_view,
        [
            Choice("rule", "rule for *τ*", {key: each.shown for key, each in _RULES.items()}),
            Slider("m", "width *m*", _WIDTHS, start=4096, format=grouped),
        ],
        title="Where does the threshold go?",
        name="activity-explorer",
    )

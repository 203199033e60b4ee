"""The explorer of the chapter on Lemma 4.5: a rule for the threshold, the width, and who fires.

It joins `sublinear_lib.scaling` (the rules and Q(t)), `sublinear_lib.theory` (the printed bound)
and one drawn network; no formula lives here.  The horizontal axis is in standard deviations, where
the bell never moves: what moves is the threshold, and which neurons fire.  Before
changing it, know that the reader does not set the threshold: it follows from the rule and the
width, and that is what is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import stats

from sublinear_lib import scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.theory import activity
from sublinear_lib.validation import choice, count
from sublinear_lib.widgets._circle import drawn_histogram, drawn_preactivations
from sublinear_lib.widgets._menus import width
from sublinear_lib.widgets._words import about
from sublinear_lib.widgets.controls import Choice
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Bars, Line, Rule, View

__all__ = ["activity_explorer", "activity_view"]

_SEED = 0
_REACH = 3.5  # standard deviations shown to either side
_GRID = np.linspace(-_REACH, _REACH, 71)
_EDGES = tuple(np.round(np.linspace(-_REACH, _REACH, 71), 10).tolist())


@dataclass(frozen=True)
class _Rule:
    """A rule for the threshold: what the menu calls it, its value, and where it goes."""

    shown: str
    tau: Callable[[int], float]
    growth: str


_FALLS = "moves toward zero, and the share rises toward one half"
_RULES = {
    "1/m": _Rule("printed: 1/*m*", scaling.ONE_OVER_M.tau, _FALLS),
    "K=4": _Rule("printed, *K* = 4: 4/*m*^{3/5}", lambda m: scaling.K_M35.tau(m, K=4.0), _FALLS),
    "sparse": _Rule(
        "sparse: √(2/*m*) √(0.4 log *m*)",
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
    rule : {"1/m", "K=4", "sparse"}
        The threshold: ``1/m``, ``K / m^{3/5}`` or ``sqrt(2/m) sqrt(0.4 log m)``.
    m : int
        Width, ``m >= 2``.

    Returns
    -------
    View
        The drawn neurons and their law, in standard deviations, and which of them fire.

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
    neurons = drawn_histogram(m, _SEED, _EDGES)
    lit = (min(t, _REACH), _REACH)
    return View(
        x=Axis(label="pre-activation, in standard deviations √(2/*m*)", limits=(-_REACH, _REACH)),
        y=Axis(label="density of the neurons", limits=(0.0, 0.45)),
        marks=[
            Bars(_EDGES, neurons, label="silent", role="muted"),
            Bars(_EDGES, neurons, label="fire", role="c1", within=lit),
            Line(_GRID, stats.norm.pdf(_GRID), role="ink", width=1.25),
            Rule(t, label="*τ*", role="ink"),
        ],
        sentence=(
            f"{grouped(drawn)} of {grouped(m)} drawn neurons fire at one input; "
            f"{about(m * share)} are expected, {percent(share)}. The threshold stands "
            f"{number(t)} standard deviations above zero. As the network grows, it "
            f"{chosen.growth}."
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
        Three rules for the threshold and ``m = 2^6 ... 2^20``.

    Notes
    -----
    Source: Lemma 4.5 = C.15.
    """
    return Explorer(
        activity_view,
        [
            Choice("rule", "rule for *τ*", {key: each.shown for key, each in _RULES.items()}),
            width(6, 20, start=4096),
        ],
        title="Where does the threshold go?",
        description="One input; the law of a pre-activation is the same in every dimension.",
        name="activity-explorer",
    )

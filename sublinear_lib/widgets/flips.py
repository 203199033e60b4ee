"""The explorer of the chapter on flips: the window around the threshold, on the bell curve.

It joins the probability of the window (`sublinear_lib.theory.flips`), the rules of
`sublinear_lib.scaling` and one drawn network; no formula of the paper lives here.  Before changing
it, know that the axis is in standard deviations of a pre-activation, where the bell never moves:
the radius sets the width of the window, the threshold its place, and the number of neurons that can
flip is the area between them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling, theory
from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.scaling import ONE_OVER_M, PRINTED, R3
from sublinear_lib.validation import choice, count
from sublinear_lib.widgets._circle import drawn_histogram, drawn_preactivations
from sublinear_lib.widgets._menus import width
from sublinear_lib.widgets._words import about, power_of_m
from sublinear_lib.widgets.controls import Choice
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Bars, Line, Rule, View

__all__ = ["flips_explorer", "flips_view"]

_SEED = 0
_REACH = 3.5  # standard deviations shown to either side
_GRID = np.linspace(-_REACH, _REACH, 71)
_EDGES = tuple(np.round(np.linspace(-_REACH, _REACH, 71), 10).tolist())


@dataclass(frozen=True)
class _Threshold:
    """A rule for the threshold, what the menu calls it, and the power it takes from the count."""

    shown: str
    tau: Callable[[int], float]
    c: Fraction


_THRESHOLDS = {
    "1/m": _Threshold("printed: 1/*m*", ONE_OVER_M.tau, Fraction(0)),
    "sparse": _Threshold("sparse: √(2/*m*) √(0.4 log *m*)", R3.tau, R3.c),
}
_RADII = {
    "3/5": (Fraction(3, 5), "*m*^{\N{MINUS SIGN}3/5} (Claim C.2)"),
    "5/8": (Fraction(5, 8), "*m*^{\N{MINUS SIGN}5/8} (Claim 4.6)"),
    "4/5": (Fraction(4, 5), "*m*^{\N{MINUS SIGN}4/5} (a smaller ball)"),
}


@lru_cache(maxsize=64)
def _scores(m: int) -> FloatArray:
    """Return the ascending pre-activations of one drawn network at one x."""
    return np.sort(drawn_preactivations(m, _SEED))


def _density(u: FloatArray) -> FloatArray:
    """Return the standard normal density."""
    shown: FloatArray = np.exp(-0.5 * u**2) / math.sqrt(2.0 * math.pi)
    return shown


def flips_view(threshold: str, radius: str, m: int) -> View:
    r"""Show the window around the threshold and the share of neurons inside, at one width.

    Parameters
    ----------
    threshold : {"1/m", "sparse"}
        The rule for the threshold.
    radius : {"3/5", "5/8", "4/5"}
        The largest move is ``m`` to minus this power.
    m : int
        Width, ``m >= 2``.

    Returns
    -------
    View
        The drawn neurons and their law, in standard deviations, and the window on them.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is none of these.

    Notes
    -----
    Source: Claims C.2 and 4.6 = C.16, Lemma C.3.
    """
    level = _THRESHOLDS[choice(threshold, "threshold", tuple(_THRESHOLDS))]
    beta, _ = _RADII[choice(radius, "radius", tuple(_RADII))]
    m = count(m, "m", minimum=2)
    tau, delta = level.tau(m), replace(PRINTED, beta=beta).radius(m)
    t = scaling.standardize_threshold(tau, m)
    half = scaling.standardize_threshold(delta, m)
    share = theory.flip_probability(tau, m, delta)
    scores = _scores(m)
    drawn = int(
        np.searchsorted(scores, tau + delta, side="right")
        - np.searchsorted(scores, tau - delta, side="right")
    )
    drawn_neurons = drawn_histogram(m, _SEED, _EDGES)
    power = Fraction(3, 2) - beta - level.c
    product = 2.0 * half * float(_density(np.array(t)))
    return View(
        x=Axis(label="pre-activation, in standard deviations √(2/*m*)", limits=(-_REACH, _REACH)),
        y=Axis(label="density", limits=(0.0, 0.45)),
        marks=[
            Bars(_EDGES, drawn_neurons, role="muted"),
            Bars(_EDGES, drawn_neurons, label="can flip", role="c5", within=(t - half, t + half)),
            Line(_GRID, _density(_GRID), role="ink", width=1.25),
            Rule(t, label="*τ*", role="ink", dash=True),
        ],
        sentence=(
            f"{grouped(drawn)} of {grouped(m)} drawn neurons are in the window and can flip at "
            f"one input; {about(m * share)} are expected. The window reaches {number(half)} "
            "standard deviations to either side of the threshold. Width times height of the bell "
            f"is {percent(product)}; exactly, {percent(share)} of the neurons can flip."
        ),
        readouts={
            "threshold *t*": number(t),
            "width of the window": number(2.0 * half),
            "share that can flip": percent(share),
            "their number grows like": power_of_m(power),
        },
        warning=(
            "Read literally, the second half of Claim 4.6 says that in a wide network no "
            f"neuron flips at all. Here {grouped(drawn)} of them can."
            if radius == "5/8" and drawn
            else None
        ),
    )


def flips_explorer() -> Explorer:
    """Build the explorer of the window around the threshold.

    Returns
    -------
    Explorer
        Two thresholds, three radii and ``m = 2^8 ... 2^20``; it starts at Claim C.2 as printed.

    Notes
    -----
    Source: Claims C.2 and 4.6 = C.16, Lemma C.3.
    """
    return Explorer(
        flips_view,
        [
            Choice(
                "threshold",
                "threshold *τ*",
                {key: level.shown for key, level in _THRESHOLDS.items()},
            ),
            Choice("radius", "largest move *δ*", {key: text for key, (_, text) in _RADII.items()}),
            width(8, 20, start=2**16),
        ],
        title="How many neurons are in the window?",
        description="One input; the law of a pre-activation is the same in every dimension.",
        name="flips-explorer",
    )

"""The explorer of the race: two features of one filter, followed by the recursion of Lemma III.5.1.

Strengths, number of patches, exponent and first weights are moved; winner and times come from
`feature_recursion`, `race_ratio` and `escape_time`.  No formula lives here.  Before changing it,
know two choices that keep the race short enough to be tabulated: the first weights are larger than
in the runs of the chapter, and the rate of descent keeps ``eta / rho^{q-1}`` as it is for q = 3.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.features import (
    FeatureData,
    SmoothedReLU,
    TrainingSettings,
    escape_time,
    feature_recursion,
    feature_shares,
    growth_rates,
    race_ratio,
)
from sublinear_lib.plotting import number, percent
from sublinear_lib.validation import count, scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Mark, Rule, View

__all__ = ["race_explorer", "race_view"]

_RHO, _STEPS, _START = 15.0, 400, 0.3
_UNIT = 1.0 / _RHO**2  # eta / rho^{q-1}, that of the main configuration
_LIMITS = (0.1, 15.0)
_EVERY = 12
# A class has learned something once its logit exceeds this; the race is over for it.
_OVER = 0.5
# Ratios this close to 1 are left to what the ratio does not know.
_TIE = 1.15
_RATIOS = [k / 20 for k in range(10, 41)]


@lru_cache(maxsize=4096)
def _paths(
    alpha: float, beta: float, patches: int, q: float, ratios: tuple[float, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return both features of one filter for several starts, shape (T + 1, number of starts)."""
    law, settings = _setting(alpha, beta, patches, q)
    A0 = np.full((len(ratios), 1), _START)
    path = feature_recursion(law, settings, A0, _START * np.array(ratios)[:, None])
    return path.A[:, :, 0], path.B[:, :, 0]


def _setting(
    alpha: float, beta: float, patches: int, q: float
) -> tuple[FeatureData, TrainingSettings]:
    law = FeatureData(nonrobust_patches=patches, alpha=alpha, beta=beta)
    settings = TrainingSettings(
        activation=SmoothedReLU(q, _RHO), rate=_UNIT * _RHO ** (q - 1), steps=_STEPS
    )
    return law, settings


def race_view(ratio: float, patches: int, q: float, alpha: float = 3.0, beta: float = 1.0) -> View:
    """Show the race of the two features of one filter.

    Parameters
    ----------
    ratio : float
        ``B_0 / A_0``, ``> 0``; A_0 is 0.3.
    patches : int
        The number P_NR of patches that show the non-robust feature, ``>= 1``.
    q : float
        The exponent of the activation, ``>= 2``.
    alpha : float, default 3.0
        Strength of the robust feature, which sits in one patch, ``> 0``.
    beta : float, default 1.0
        Strength of the non-robust feature, ``> 0``.

    Returns
    -------
    View
        Both features over 400 steps of standard training, by the recursion; the race ratio, when
        the logit of the class passes 1/2, the share of the robust feature at the end, and when the
        feature that gains has doubled, beside the bounds of Proposition III.2 for the early form.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Lemma III.5.1, after Li and Li (2025), and Proposition III.2.
    """
    alpha, beta = (
        scalar(value, name, exclusive_minimum=0.0)
        for value, name in ((alpha, "alpha"), (beta, "beta"))
    )
    patches = count(patches, "patches", minimum=1)
    q, ratio = scalar(q, "q", minimum=2.0), scalar(ratio, "ratio", exclusive_minimum=0.0)
    tabulated = ratio in _RATIOS
    ratios = tuple(_RATIOS) if tabulated else (ratio,)
    every_A, every_B = _paths(alpha, beta, patches, q, ratios)
    place = _RATIOS.index(ratio) if tabulated else 0
    A, B = every_A[:, place], every_B[:, place]
    law, settings = _setting(alpha, beta, patches, q)
    given = feature_shares(law, settings.activation, A[:, None], B[:, None])
    share = float(given.share[-1])
    R = race_ratio(law, q, _START, _START * ratio)
    passed = np.flatnonzero(given.robust + given.nonrobust >= _OVER)
    over = int(passed[0]) if passed.size else None
    robust, nonrobust = law.densities(q)
    winner = "v" if R > 1 else "u"
    start, growth = (
        (_START * ratio, growth_rates(law, settings)[1])
        if winner == "v"
        else (_START, growth_rates(law, settings)[0])
    )
    lower, upper = escape_time(start, 2 * start, growth, q)
    doubled = np.flatnonzero((B if winner == "v" else A) >= 2 * start)
    shown = np.arange(0, _STEPS + 1, _EVERY)
    marks: list[Mark] = [
        Line(shown, _short(A[shown]), label="*A*, robust", role="c1"),
        Line(shown, _short(B[shown]), label="*B*, non-robust", role="c2"),
    ]
    if over is not None:
        marks.append(Rule(float(over), label="logit 1/2", role="muted", dash=True))
    return View(
        x=Axis(label="step", limits=(0, _STEPS)),
        y=Axis(label="what the filter holds", scale="log10", limits=_LIMITS),
        marks=marks,
        sentence=(
            f"With *q* = {q:g} the densities are *α*^{{*q*}} = {number(robust)} for the robust "
            f"feature and *P*_{{NR}} *β*^{{*q*}} = {number(nonrobust)} for the other: *C* = "
            f"{number(nonrobust / robust)}. With these starts the race ratio is "
            f"*R* = *C* (*B*_{{0}}/*A*_{{0}})^{{*q*−2}} = {number(R)}"
            f"{_verdict(R, winner, over, share, A, B)}"
        ),
        readouts={
            "race ratio *R*": number(R),
            f"*{winner}* doubled": f"step {doubled[0]}" if doubled.size else "not yet",
            "predicted": f"step {lower:.0f} to {upper:.0f}",
            "share of *u*": percent(share),
        },
        warning=_warning(law, q, R, over, share, winner) or None,
    )


def _short(values: FloatArray) -> FloatArray:
    """Return values with three digits, which is finer than a pixel, and short in the page."""
    return np.array([float(f"{value:.3g}") for value in values.tolist()])


def _verdict(
    R: float, winner: str, over: int | None, share: float, A: FloatArray, B: FloatArray
) -> str:
    """Return the second half of the sentence: who is ahead, and what became of it."""
    if R == 1.0:
        return ": an even race." + _end(over, share, A, B)
    side = "above 1, so v" if winner == "v" else "below 1, so u"
    return f", {side} gains on the other at every step." + _end(over, share, A, B)


def _end(over: int | None, share: float, A: FloatArray, B: FloatArray) -> str:
    if over is None:
        return f" After {_STEPS} steps neither has given the class a logit of 1/2."
    first, other = float(A[over] / A[0]), float(B[over] / B[0])
    learned = "the robust" if share > 0.5 else "the non-robust"
    return (
        f" At step {over} the logit passes 1/2; by then u has grown {number(first, 2)} times and v "
        f"{number(other, 2)} times. At the end u holds {percent(share, 2)} of the logit: the class "
        f"has learned {learned} feature."
    )


def _warning(
    law: FeatureData, q: float, R: float, over: int | None, share: float, winner: str
) -> str:
    """Say which assumption fails at the chosen point, and where the ratio does not decide."""
    said = []
    if law.alpha <= law.beta:
        said.append("Assumption 2.3 fails: the robust feature is not stronger than the other.")
    C = law.density_ratio(q)
    if C <= 1:
        said.append(
            f"Assumption 2.3, read with the exponent q = {q:g}, fails: the non-robust feature is "
            "not denser."
        )
    if (C > 1) != (R > 1) and C != 1:
        said.append("The starts turn the race against the sums.")
    if over is None:
        said.append("The race is not over after these steps.")
    elif max(R, 1 / R) < _TIE:
        said.append(
            "R is close to 1: both features escape at about the same time, and both remain in the "
            "logit."
        )
    elif (share > 0.5) != (winner == "u"):
        said.append(
            f"{winner} gains at every step, but the class is learned before it can make up for the "
            "starts; that happens for large starts and for q near 2."
        )
    return " ".join(said)


def race_explorer() -> Explorer:
    """Build the explorer of the race.

    Returns
    -------
    Explorer
        Ratios of the starts from 1/2 to 2, three numbers of patches and three exponents.

    Notes
    -----
    Source: Lemma III.5.1, after Li and Li (2025), and Proposition III.2.
    """
    return Explorer(
        lambda ratio, patches, q: race_view(ratio, int(patches), float(q)),
        [
            Slider("ratio", "starts *B*_{0}/*A*_{0}", _RATIOS, start=1.0, format="{:g}"),
            Choice("patches", "dense patches *P*_{NR}", ["15", "60", "120"], start="60"),
            Choice("q", "exponent *q*", ["2", "3", "4"], start="3"),
        ],
        title="Who wins the race?",
        description=(
            "One filter, one robust patch of strength 3, other patches of strength 1. On this "
            "scale exponential growth is a straight line. The dashed line stands where the logit "
            "of the class passes 1/2."
        ),
        name="race-explorer",
    )

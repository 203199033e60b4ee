"""The explorer of the chapter on Lemma 4.5: width, threshold, and how many neurons fire.

It joins `sublinear_lib.theory` (the printed bound, the bound at all x), `sublinear_lib.scaling`
(thresholds and Q(t)) and one drawn network; no formula lives here.  The threshold is set in
standard deviations ``t = tau / sqrt(2/m)``, because on that scale the closed form and the printed
bound do not depend on m: what moves when the reader drags m is the place of each preset's rule, and
the bound at all x, which closes in on the closed form.  The preset does not set the threshold: it
chooses the rule whose threshold and share are read off beside those of the slider.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling, theory
from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting import Role, grouped, number, percent
from sublinear_lib.theory import activity
from sublinear_lib.validation import choice, count
from sublinear_lib.widgets._circle import drawn_preactivations
from sublinear_lib.widgets._words import about
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Points, Region, Rule, View

__all__ = ["activity_explorer", "activity_view"]

_T = np.round(np.linspace(0.0, 4.5, 46), 10)
_D = 3


@dataclass(frozen=True)
class _Preset:
    """A rule for the threshold, and how it is named in the menu, the figure and the sentence."""

    rule: scaling.TauRule
    shown: str
    label: str
    role: Role
    name: str
    growth: str


_FALLS = "tends to zero and the share to one half"
_PRESETS = {
    "PRINTED": _Preset(
        scaling.PRINTED.tau_rule,
        "PRINTED, R1 and R2: τ = 1/m",
        "*τ* = 1/*m*",
        "c4",
        "of PRINTED, R1 and R2",
        _FALLS,
    ),
    "4.2": _Preset(
        scaling.K_M35,
        "Section 4.2, K = 1: τ = 1/m^(3/5)",
        "*τ* = 1/*m*^{3/5}",
        "c2",
        "of Section 4.2, with K = 1,",
        _FALLS,
    ),
    "R3": _Preset(
        scaling.R3.tau_rule,
        "R3: t = √(0.4 log m)",
        "*τ* of R3",
        "c3",
        "of R3",
        "rises and the share falls like m^(-1/5), up to a logarithm",
    ),
}


@lru_cache(maxsize=64)
def _standardized_scores(m: int, seed: int) -> FloatArray:
    """Return the ascending pre-activations of one drawn network at one x, in units of sqrt(2/m)."""
    return np.sort(drawn_preactivations(m, seed)) / scaling.preactivation_std(m)


def _drawn_share(m: int, seed: int, t: FloatArray) -> FloatArray:
    scores = _standardized_scores(m, seed)
    return (m - np.searchsorted(scores, t, side="right")) / m


@lru_cache(maxsize=4096)
def _at_all_x(m: int, t: float) -> int:
    """Return the bound of Theorem B on the active neurons at all x of the circle at once."""
    return theory.uniform_active_bound(scaling.threshold_from_standard(t, m), m, _D)


@lru_cache(maxsize=64)
def _all_x_shares(m: int) -> FloatArray:
    return np.array([_at_all_x(m, float(t)) for t in _T]) / m


@lru_cache(maxsize=64)
def _curves(m: int, seed: int) -> tuple[Line, ...]:
    """Return the curves over all thresholds; they are the same wherever one of them is read."""
    bounds = np.array([activity.gaussian_tail_bound(tau=u, m=2) for u in _T])
    share = _drawn_share(m, seed, _T)
    return (
        Line(_T, 2.0 * bounds, label="printed *Q*₀/*m*", role="c2", dash=True),
        Line(_T, _all_x_shares(m), label="all *x*", role="c3", dash=True),
        Line(_T, np.where(share > 0, share, np.nan), label="drawn", role="c5"),
        Line(_T, scaling.activity_at(_T), label="*Q*(*t*)", role="c1"),
    )


def activity_view(preset: str, m: int, t: float, seed: int) -> View:
    """Show the share of active neurons against the threshold, at one width.

    Parameters
    ----------
    preset : {"PRINTED", "4.2", "R3"}
        Whose rule for the threshold is read off, beside the threshold ``t``.  PRINTED, R1 and R2
        share one rule.
    m : int
        Width, ``m >= 2``.
    t : float
        Standardized threshold, ``t >= 0``.
    seed : int
        Seed of the drawn network, ``>= 0``.

    Returns
    -------
    View
        Closed form, drawn network, printed bound, the bound of Theorem B at all x of the circle,
        and where each rule puts its threshold; that of `preset` is drawn through.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Lemma 4.5 = C.15; the printed bound is read at ``K = tau m^{3/5}``.  Theorem B and Lemma
    4.5, repaired, of this project.
    """
    chosen = _PRESETS[choice(preset, "preset", tuple(_PRESETS))]
    m = count(m, "m", minimum=2)
    seed = count(seed, "seed", minimum=0)
    tau = scaling.threshold_from_standard(t, m)
    expected = m * scaling.activity(tau, m)
    drawn = round(m * float(_drawn_share(m, seed, np.array([t]))[0]))
    low, high = activity.active_count_interval(tau, m)
    K = activity.printed_K(tau, m)
    bound = activity.printed_q0(m, K)
    everywhere = _at_all_x(m, t)
    ruled = scaling.standardize_threshold(chosen.rule.tau(m), m)
    fires = scaling.activity_at(ruled)
    return View(
        x=Axis(label="threshold *t* = *τ* / √(2/*m*)", limits=(0.0, 4.5)),
        y=Axis(label="share of neurons", scale="log10", limits=(1e-5, 3.0), format=percent),
        marks=[
            Region(1.0, None, axis="y", label="more than all neurons", role="muted"),
            *_curves(m, seed),
            *(
                Rule(
                    scaling.standardize_threshold(each.rule.tau(m), m),
                    label=each.label,
                    role=each.role,
                    dash=each is not chosen,
                )
                for each in _PRESETS.values()
            ),
            Points([ruled], [fires], role=chosen.role),
            Points([t], [scaling.activity(tau, m)], role="c1"),
            Rule(t, label="*τ*", role="ink", drag="t"),
        ],
        sentence=(
            f"With {grouped(m)} neurons and a threshold of t = τ √(m/2) = {t:.1f} standard "
            f"deviations, each neuron fires at one input with probability Q(t) = "
            f"{percent(scaling.activity_at(t))}: {about(expected)} are expected, and the drawn "
            f"network has {grouped(drawn)}. The printed bound allows {grouped(round(bound))}"
            + (", more neurons than there are" if bound > m else "")
            + f"; at all x at once, Theorem B allows {grouped(everywhere)}. The threshold "
            f"{chosen.name} is t = {number(ruled)} here, where {percent(fires)} fire; as m grows "
            f"it {chosen.growth}."
        ),
        readouts={
            "*τ*": number(tau),
            "*K* = *τ* *m*^{3/5}": number(K),
            "*Q*(*t*)": percent(scaling.activity_at(t)),
            "expected": about(expected),
            "99.9 % range": f"{grouped(low)} to {grouped(high)}",
            "drawn": grouped(drawn),
            "printed *Q*₀": grouped(round(bound)),
            "Theorem B, all *x*": grouped(everywhere),
            "exponent *c*": number(scaling.sparsity_exponent(t, m)),
            "*t* of the preset": number(ruled),
            "*Q*(*t*) of the preset": percent(fires),
        },
        warning=_what_fails(m, t, bound, K),
    )


def _what_fails(m: int, t: float, bound: float, K: float) -> str:
    """Say which hypothesis of the printed and of the repaired lemma fails at this point."""
    if bound > m:
        printed = (
            "The printed bound says nothing here: it exceeds the number of neurons. It starts to "
            "speak at t = √(2 ln 2), about 1.18; at this width that is K = "
            f"{number(activity.smallest_printed_K(m, float(m)))}."
        )
    else:
        silent = theory.last_speaking_width(K)
        printed = (
            f"The printed bound speaks here, because K = {number(K)} is large for this width. The "
            "lemma takes K for a fixed constant: with this K the bound exceeds the width for every "
            f"m > {number(silent)}."
        )
    c = scaling.sparsity_exponent(t, m)
    if c == 0.0:
        repaired = "The repaired lemma asks for c > 0, and here c = 0: half of the neurons fire."
    elif c >= 1.0:
        repaired = (
            f"The repaired lemma asks for c < 1, and here c = {number(c)}: at most one neuron is "
            "expected to fire."
        )
    else:
        repaired = (
            f"The hypothesis of the repaired lemma, 0 < c < 1, holds with c = {number(c)}, if this "
            "c is kept while m grows."
        )
    return f"{printed} {repaired}"


def activity_explorer() -> Explorer:
    """Build the explorer of width and threshold for the share of active neurons.

    Returns
    -------
    Explorer
        Three rules for the threshold, ``m = 2^6, 2^8 ... 2^20``, ``t = 0 ... 4.5`` and three seeds.

    Notes
    -----
    Source: Lemma 4.5 = C.15, Remark C.17, Theorem B of this project.
    """
    return Explorer(
        activity_view,
        [
            Choice("preset", "preset", {key: each.shown for key, each in _PRESETS.items()}),
            Slider("m", "width *m*", [2**k for k in range(6, 21, 2)], start=4096, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [float(u) for u in _T],
                start=1.0,
                format="{:.1f}",
            ),
            Slider("seed", "seed of the network", [0, 1, 2]),
        ],
        title="How many neurons fire?",
        name="activity-explorer",
    )

"""The explorer of the robustness window: what a budget leaves of both features.

For a network of robust and one of non-robust features, equal for all classes, it draws what a
budget leaves of the feature beside what the adversary injects; where the lines meet the diagonal,
the network breaks.  All numbers come from `sublinear_lib.features`.  Before changing it, know that
the filters of both networks have the same size on their own features: ``alpha A = beta B`` is one
unit of rho in the polynomial part, and many beyond it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.features import (
    Activation,
    FeatureData,
    FeatureKind,
    ReLU,
    RobustnessWindow,
    SmoothedReLU,
    breaking_budget,
    robustness_window,
    strength_left,
)
from sublinear_lib.plotting import number
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Mark, Points, Region, Rule, View

__all__ = ["robustness_explorer", "robustness_view"]

_ALPHAS = [1.5, 2.0, 3.0, 4.0]
_BETAS = [0.5, 1.0]
_PATCHES = [10, 60, 200]
_POWERS = [1, 2, 3, 4]
_BUDGETS = [
    *(0.05, 0.1, 0.2, 0.26, 0.3, 0.4, 0.48, 0.5, 0.52),
    *(0.55, 0.6, 0.65, 0.75, 0.9, 1.1, 1.4),
]
# Largest pre-activation of a clean patch, in units of rho.
_SIZES = {"power": 1.0, "linear": 20.0}
_LARGEST = 1.4
_CURVE = 25


@lru_cache(maxsize=512)
def _networks(
    alpha: float, beta: float, patches: int, q: float, size: str
) -> tuple[FeatureData, RobustnessWindow, tuple[float, float], FloatArray, FloatArray]:
    """Return law, window, breaking budgets and curves of the two networks."""
    law = FeatureData(alpha=alpha, beta=beta, nonrobust_patches=patches)
    act: Activation = ReLU() if q == 1 else SmoothedReLU(q, 1.0)
    straight = size == "power" or q == 1
    eps = np.linspace(0.0, _LARGEST, 2 if straight else _CURVE)
    broken, curves = [], []
    kinds: tuple[tuple[FeatureKind, float], ...] = (("robust", alpha), ("nonrobust", beta))
    for kind, strength in kinds:
        filters = [_SIZES[size] / strength]
        broken.append(breaking_budget(law, act, filters, kind))
        # A straight line is stored by its ends; beyond its strength nothing is left.
        at = np.minimum(eps, strength)
        curves.append(np.stack([at, strength_left(law, act, filters, at, kind)]))
    return law, robustness_window(law, q), (broken[1], broken[0]), curves[0], curves[1]


def robustness_view(alpha: float, beta: float, patches: int, q: int, size: str, eps: float) -> View:
    r"""Show what a budget leaves of both features, and which network it breaks.

    Parameters
    ----------
    alpha : float
        The strength of the robust feature, in one patch, ``> 0``.
    beta : float
        The strength of the non-robust feature, ``> 0``.
    patches : int
        The number P_NR of patches that show it, ``>= 1``.
    q : int
        The exponent of the activation, ``>= 1``; 1 stands for the plain ReLU.
    size : {"power", "linear"}
        Whether all pre-activations are in the polynomial part, or up to 20 rho.
    eps : float
        The test budget, ``>= 0``.

    Returns
    -------
    View
        Two falling lines, the diagonal, and the stretch of budgets where the networks differ.  The
        sentence says who is broken at the budget, the warning which assumption fails there.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Proposition III.1, ours.
    """
    alpha = scalar(alpha, "alpha", exclusive_minimum=0.0)
    beta = scalar(beta, "beta", exclusive_minimum=0.0)
    patches, q = count(patches, "patches"), count(q, "q")
    size = choice(size, "size", tuple(_SIZES))
    eps = scalar(eps, "eps", minimum=0.0)
    law, window, (v_breaks, u_breaks), u, v = _networks(alpha, beta, patches, q, size)
    marks: list[Mark] = []
    if v_breaks < u_breaks:
        marks.append(Region(v_breaks, u_breaks, label="only *v* breaks", role="c3"))
    marks += [
        Line([0.0, _LARGEST], [0.0, _LARGEST], label="injected", role="ink", dash=True, width=1.5),
        Line(*u, label="*u* left", role="c1"),
        Line(*v, label="*v* left", role="c2"),
        Points([u_breaks], [u_breaks], role="c1"),
        Points([v_breaks], [v_breaks], role="c2"),
        Rule(eps, label="*ε*", role="muted", drag="eps"),
    ]
    broken = {"v": eps >= v_breaks, "u": eps >= u_breaks}
    C = law.density_ratio(q)
    ends = f"{number(window.lower)} to {number(window.upper)}"
    return View(
        x=Axis(label="budget *ε*", limits=(0.0, _LARGEST)),
        y=Axis(label="strength", limits=(0.0, _LARGEST)),
        marks=marks,
        sentence=(
            f"One patch of strength {number(alpha)} against {patches} of strength {number(beta)}, "
            f"q = {q}: C = {number(C)}. At ε = {number(eps)} the net of v is "
            f"{'broken' if broken['v'] else 'safe'} and the net of u is "
            f"{'broken' if broken['u'] else 'safe'}: they break at {number(v_breaks)} and "
            f"{number(u_breaks)}."
        ),
        readouts={
            "*C* and 2^{*q*}": f"{number(C)} and {2**q}",
            "window": "empty" if window.is_empty else ends,
            "net of *v*": "broken" if broken["v"] else "safe",
            "net of *u*": "broken" if broken["u"] else "safe",
        },
        warning=_warning(law, q, size, eps, window, v_breaks, u_breaks),
    )


def _warning(
    law: FeatureData,
    q: int,
    size: str,
    eps: float,
    window: RobustnessWindow,
    v_breaks: float,
    u_breaks: float,
) -> str | None:
    """Say which assumption fails, the gravest first."""
    said = []
    C = law.density_ratio(q)
    if size == "linear" and q > 1 and u_breaks < window.upper:
        said.append(
            f"Beyond the polynomial part the promise 'safe below {number(window.upper)}' fails: "
            f"this net of u breaks at {number(u_breaks)} already."
        )
    if window.is_empty:
        why = (
            f"since C ≥ 2^q = {2**q}"
            if 2**q <= C
            else f"although C < 2^q = {2**q}: α is only {number(law.alpha / law.beta)} times β"
        )
        said.append(
            f"The window is empty: {number(window.lower)} is not below {number(window.upper)}, "
            f"{why}."
        )
    elif v_breaks < u_breaks and not v_breaks <= eps < u_breaks:
        side = "below" if eps < v_breaks else "above"
        said.append(
            f"The budget lies {side} the stretch in which only the net of v breaks: the choice of "
            "the feature decides nothing."
        )
    if u_breaks <= eps < v_breaks:
        said.append("At this budget the net of v is the one that survives.")
    if C <= 1:
        said.append("v is not denser (C ≤ 1): the density assumption fails.")
    return " ".join(said) or None


def robustness_explorer() -> Explorer:
    """Build the explorer of the robustness window.

    Returns
    -------
    Explorer
        Strengths, density, exponent, size of the filters and budget.

    Notes
    -----
    Source: Proposition III.1, ours.
    """
    return Explorer(
        robustness_view,
        [
            Slider("alpha", "strength *α*", _ALPHAS, start=3.0, format="{:g}"),
            Slider("beta", "strength *β*", _BETAS, start=1.0, format="{:g}"),
            Slider("patches", "dense patches *P*_{NR}", _PATCHES, start=60),
            Slider("q", "exponent *q*", _POWERS, start=3),
            Choice(
                "size",
                "filters",
                {"power": "polynomial part", "linear": "up to 20 \N{GREEK RHO SYMBOL}"},
            ),
            Slider("eps", "budget *ε*", _BUDGETS, start=0.52, format="{:g}"),
        ],
        title="When does the choice of the feature decide?",
        description=(
            "Two nets, one of *u* and one of *v*, the same for all classes. A net is broken where "
            "what is injected reaches what is left of its feature. Drag the budget."
        ),
        name="robustness-explorer",
    )

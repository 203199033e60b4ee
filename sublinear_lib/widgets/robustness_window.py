"""The explorer of the robustness window: what a budget leaves of both features.

For a network of robust and one of non-robust features, equal for all classes and in the polynomial
part, it draws what a budget leaves of the feature beside what the adversary injects; where the
lines meet the diagonal, the network breaks.  All numbers come from `sublinear_lib.features`, for
the data of the main configuration.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib.features import (
    Activation,
    FeatureData,
    FeatureKind,
    ReLU,
    SmoothedReLU,
    robustness_window,
    strength_left,
)
from sublinear_lib.plotting import number
from sublinear_lib.validation import count, scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Mark, Points, Region, Rule, View

__all__ = ["robustness_explorer", "robustness_view"]

_LAW = FeatureData()
_BUDGETS = [k / 50 for k in range(1, 71)]
_LARGEST = 1.4


def robustness_view(q: int, eps: float) -> View:
    r"""Show what a budget leaves of both features, and which network it breaks.

    Parameters
    ----------
    q : int
        The exponent of the activation, ``>= 1``; 1 stands for the plain ReLU.
    eps : float
        The test budget, ``>= 0``.

    Returns
    -------
    View
        Two falling lines, the diagonal, and the stretch of budgets where only the network of v is
        broken.  The sentence says who is broken at the budget, the warning that there is no such
        stretch.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Proposition III.1, ours.
    """
    q = count(q, "q")
    eps = scalar(eps, "eps", minimum=0.0)
    act: Activation = ReLU() if q == 1 else SmoothedReLU(q, 1.0)
    window = robustness_window(_LAW, q)
    marks: list[Mark] = []
    if not window.is_empty:
        marks.append(Region(window.lower, window.upper, label="only *v* breaks", role="c3"))
    marks.append(
        Line(
            [0.0, _LARGEST],
            [0.0, _LARGEST],
            label="injected",
            role="ink",
            dash=True,
            width=1.5,
        )
    )
    lines: tuple[tuple[FeatureKind, float, str], ...] = (
        ("robust", _LAW.alpha, "u"),
        ("nonrobust", _LAW.beta, "v"),
    )
    for kind, strength, letter in lines:
        # A straight line is stored by its ends; beyond its strength nothing is left.
        at = np.minimum([0.0, _LARGEST], strength)
        left = strength_left(_LAW, act, [1.0 / strength], at, kind)
        role = "c1" if kind == "robust" else "c2"
        marks.append(Line(at, left, label=f"*{letter}* left", role=role))  # type: ignore[arg-type]
    marks += [
        Points([window.upper], [window.upper], role="c1"),
        Points([window.lower], [window.lower], role="c2"),
        Rule(eps, label="*ε*", role="muted", drag="eps"),
    ]
    v, u = ("broken" if eps >= breaks else "safe" for breaks in (window.lower, window.upper))
    return View(
        x=Axis(label="budget *ε*", limits=(0.0, _LARGEST)),
        y=Axis(label="strength", limits=(0.0, _LARGEST)),
        marks=marks,
        sentence=(
            f"With q = {q} and ε = {number(eps)} the net of v is {v} and the net of u is {u}: they "
            f"break at {number(window.lower)} and {number(window.upper)}."
        ),
        readouts={
            "net of *v*": v,
            "net of *u*": u,
        },
        warning=(
            "The net of u breaks first: there is no budget at which only the net of v is broken."
            if window.is_empty
            else None
        ),
    )


def robustness_explorer() -> Explorer:
    """Build the explorer of the robustness window.

    Returns
    -------
    Explorer
        Three exponents and seventy budgets.

    Notes
    -----
    Source: Proposition III.1, ours.
    """
    return Explorer(
        lambda q, eps: robustness_view(int(q), eps),
        [
            Choice("q", "exponent *q*", ["1", "2", "3"], start="3"),
            Slider("eps", "budget *ε*", _BUDGETS, start=0.52, format="{:g}"),
        ],
        title="When does the choice of the feature decide?",
        description=(
            "A net of *u* (one patch of strength 3) and a net of *v* (60 patches of strength 1), "
            "the same for all classes. A net breaks where the lie that the adversary injects "
            "reaches what is left of its feature."
        ),
        name="robustness-explorer",
    )

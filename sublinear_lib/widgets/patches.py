"""The explorer of the two kinds of features: one input, what the adversary does to it, who errs.

Each coordinate that matters is a strip, each patch a stick; gray is what the input shows, color
what is there after the attack.  The verdicts are those of two networks that use one kind of feature
only, evaluated on the attacked input; the budgets from which any such attack works come from
`robustness_window`.  No formula lives here.  Before changing it, know that the input has neither
noise nor jitter, so that what is said holds exactly.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from sublinear_lib.features import (
    FeatureAttack,
    FeatureData,
    PatchNetwork,
    SmoothedReLU,
    feature_perturbation,
    robustness_window,
)
from sublinear_lib.plotting.formats import number
from sublinear_lib.plotting.palette import Role
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Mark, View

__all__ = ["patches_explorer", "patches_view"]

_ATTACKS: Final[tuple[FeatureAttack, ...]] = ("prop_3_1", "swap_v", "swap_u")
_NAMES: Final = {
    "prop_3_1": "The attack of Proposition 3.1",
    "swap_v": "Moving v₁ down and v₂ up by ε in all patches",
    "swap_u": "Moving u₁ down and u₂ up by ε in all patches",
}
# Where the strips stand, in units of strength, and the coordinate that each of them shows.
_STRIPS: Final = {
    "*u*_{1}": (9.0, 0),
    "*u*_{2}": (6.2, 1),
    "*v*_{1}": (3.2, 3),
    "*v*_{2}": (0.0, 4),
}
_MOST = 90
# In the polynomial part: no pre-activation of an explorer's input exceeds it.
_RHO = 100.0


@lru_cache(maxsize=2048)
def _sticks(values: bytes, base: float, role: Role, width: float) -> Line | None:
    """Return a stick for each patch where there is something, or nothing; values are float64."""
    heights = np.frombuffer(values)
    where = np.flatnonzero(np.abs(heights) > 1e-12)
    if not where.size:
        return None
    x = np.repeat(where + 1.0, 3)
    y = np.empty(x.size)
    y[0::3], y[1::3], y[2::3] = base, base + heights[where], np.nan
    return Line(x, y, role=role, width=width)


def patches_view(
    alpha: float, beta: float, nonrobust_patches: int, q: float, eps: float, kind: str
) -> View:
    """Show one input of class 1, an attack on it, the densities, and which network is fooled.

    Parameters
    ----------
    alpha, beta : float
        Strengths of the one robust patch and of the others, ``> 0``.
    nonrobust_patches : int
        The number P_NR, 1 to 90.
    q : float
        The exponent of the activation, ``> 1``.
    eps : float
        The budget of the adversary, ``>= 0``.
    kind : {"prop_3_1", "swap_v", "swap_u"}
        The attack; its target is class 2.

    Returns
    -------
    View
        The patches before and after, the two sums, and the answers of the network of u alone and
        of that of v alone.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Definition 2.2, Assumption 2.3 and Proposition 3.1 of Li and Li (2025).
    """
    law = FeatureData(
        alpha=scalar(alpha, "alpha", exclusive_minimum=0.0),
        beta=scalar(beta, "beta", exclusive_minimum=0.0),
        nonrobust_patches=count(nonrobust_patches, "nonrobust_patches", maximum=_MOST),
        jitter=0.0,
        noise=0.0,
    )
    size = scalar(eps, "eps", minimum=0.0)
    attack = next(each for each in _ATTACKS if each == choice(kind, "kind", _ATTACKS))
    act = SmoothedReLU(q=q, rho=_RHO)
    data = law.sample(1, rng=0)
    moved = data.X + feature_perturbation(data, size, attack, [1])
    marks: list[Mark] = []
    for base, place in _STRIPS.values():
        role: Role = "c1" if place < 3 else "c2"
        sticks = (
            _sticks(data.X[0, :, place].tobytes(), base, "grid", 5.0),
            _sticks(moved[0, :, place].tobytes(), base, role, 2.0),
        )
        marks += [each for each in sticks if each is not None]
    margins = {}
    for letter, (A, B) in {"u": (1.0, 0.0), "v": (0.0, 1.0)}.items():
        network = PatchNetwork.of_features(law, robust=[A], nonrobust=[B], activation=act)
        margins[letter] = float(network.margins(moved, data.y)[0])
    robust, nonrobust = law.densities(act.q)
    window = robustness_window(law, act.q)
    ratio = law.density_ratio(act.q)
    answers = {
        letter: "right" if margin > 0 else "undecided" if margin == 0 else "fooled"
        for letter, margin in margins.items()
    }
    denser = "v is denser" if ratio > 1 else "u is at least as dense"
    return View(
        x=Axis(label="patch", limits=(0.0, _MOST + 2.0)),
        y=Axis(
            label="strength in each patch",
            limits=(-1.7, 13.4),
            ticks=[base for base, _ in _STRIPS.values()],
            format=_strip_name,
        ),
        marks=marks,
        sentence=(
            f"One patch shows u₁ with strength α = {number(alpha)}, {law.nonrobust_patches} show "
            f"v₁ with strength β = {number(beta)}. For q = {number(act.q)} the sums are "
            f"{number(robust)} for u and {number(nonrobust)} for v, so {denser} (C = "
            f"{number(round(ratio, 3))}). {_NAMES[attack]}, ε = {number(size)}: the network of v "
            f"alone is {answers['v']}, that of u alone is {answers['u']}. Moves of their own "
            f"feature in all patches break them from ε = {number(round(window.lower, 3))} (v) and "
            f"{number(round(window.upper, 3))} (u) on."
        ),
        readouts={
            "sum for *u*": number(robust),
            "sum for *v*": number(nonrobust),
            "ratio *C*": number(round(ratio, 3)),
            "network of *u*": answers["u"],
            "network of *v*": answers["v"],
        },
        warning=_failing(law, act.q, size, attack, window.is_empty, answers) or None,
    )


def _strip_name(base: float) -> str:
    plain = {"*u*_{1}": "u₁", "*u*_{2}": "u₂", "*v*_{1}": "v₁", "*v*_{2}": "v₂"}
    return next(plain[name] for name, (at, _) in _STRIPS.items() if at == base)


def _failing(
    law: FeatureData,
    q: float,
    eps: float,
    attack: FeatureAttack,
    empty: bool,
    answers: dict[str, str],
) -> str:
    """Return in words which assumption fails, or nothing."""
    said = []
    if law.alpha <= law.beta:
        said.append("Assumption 2.3 fails: u is not stronger than v.")
    if law.density_ratio(q) <= 1:
        said.append(
            f"Assumption 2.3 fails at the exponent q = {number(q)}: the sum for v is not above "
            "that for u, so a gradient sees no more of v than of u."
        )
    if attack == "prop_3_1" and eps < law.beta:
        outcome = (
            "The network of v alone is still right"
            if answers["v"] == "right"
            else "The attack works all the same on this network"
        )
        said.append(
            f"The hypothesis ε ≥ β of Proposition 3.1 fails: {number(law.beta - eps)} of v₁ is "
            f"left. {outcome}."
        )
    if empty:
        said.append(
            "The window is empty: where moves of v break the network of v, moves of u break that "
            "of u."
        )
    return " ".join(said)


def patches_explorer() -> Explorer:
    """Build the explorer of the two kinds of features.

    Returns
    -------
    Explorer
        Four strengths of u, three of v, four densities, three exponents, nine budgets and three
        attacks.

    Notes
    -----
    Source: Definition 2.2, Assumption 2.3 and Proposition 3.1 of Li and Li (2025).
    """
    return Explorer(
        patches_view,
        [
            Slider("alpha", "strength *α* of *u*", [1.0, 2.0, 3.0, 4.0], start=3.0),
            Slider("beta", "strength *β* of *v*", [0.5, 1.0, 1.5], start=1.0),
            Slider("nonrobust_patches", "patches of *v*", [5, 20, 60, 90], start=60),
            Slider("q", "exponent *q*", [2, 3, 4], start=3),
            Slider(
                "eps",
                "budget *ε*",
                [0.0, 0.25, 0.45, 0.52, 0.65, 0.9, 1.0, 1.2, 1.5],
                start=1.0,
            ),
            Choice(
                "kind",
                "attack",
                {
                    "prop_3_1": "Proposition 3.1: erase v, write another",
                    "swap_v": "swap v in all patches",
                    "swap_u": "swap u in all patches",
                },
            ),
        ],
        title="Which network is fooled?",
        description=(
            "Each stick is a patch, each strip a coordinate. Gray: the clean input. Color: what is "
            "there after the attack. The input has neither noise nor jitter."
        ),
        name="patches-explorer",
    )

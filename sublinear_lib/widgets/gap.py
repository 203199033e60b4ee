"""The explorer of the chapter on f and g: the worst gap against the width, at any threshold.

It joins the exact half-width of `sublinear_lib.theory` (Proposition 1), its closed-form mean, the
printed rate of Theorem 4.1 and the certified bound of Theorem A; no formula lives here.  Before
changing it, know that the threshold is a *rule*, one number at each width: a curve against m means
something only when it is said how the threshold moves with m.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling, theory
from sublinear_lib.activations import JUMP, ShiftedReLU, get_activation
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.scaling import ONE_OVER_M, PRINTED, SPARSE_C, Scaling
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._circle import drawn_preactivations
from sublinear_lib.widgets._menus import (
    ACTIVATIONS,
    C_FIFTH,
    C_TENTH,
    T_ONE,
    T_TWO,
    Threshold,
)
from sublinear_lib.widgets._words import (
    crowd_wanted,
    power_of_m,
    short_form_fails,
    window_crowd,
)
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Points, Rule, View

__all__ = ["gap_explorer", "gap_view"]

_SEED = 0
_D = 3
_CURVE = [2**k for k in range(8, 25)]
_DRAWN = [2**k for k in range(8, 19, 2)]
_WIDTHS = [2**k for k in range(8, 19)]
_PRESETS = ("PRINTED", "R1", "R2", "R3")
_CONSTANTS = [1.0, 2.0, 4.0]
_PRINTED_RATE = theory.CHAINS["4.1"].printed

_THRESHOLDS = {
    "1/m": Threshold(ONE_OVER_M, "τ = 1/m (Theorem 4.1)"),
    "m^-3/5": Threshold(scaling.K_M35, "τ = K/m^(3/5) (Section 4.2)"),
    "t=1": T_ONE,
    "t=2": T_TWO,
    "c=1/10": C_TENTH,
    "c=1/5": C_FIFTH,
    "c=2/5": Threshold(SPARSE_C, "t = √(0.8 log m)", Fraction(2, 5)),
}


def _chosen(preset: Scaling, threshold: Threshold, form: ShiftedReLU) -> Scaling:
    """Return the powers of a choice, with those of step size and steps left as they are."""
    return Scaling(
        name="chosen",
        alpha=preset.alpha,
        beta=preset.beta,
        c=threshold.c,
        activation=form,
        tau_rule=threshold.rule,
        eta_exponent=preset.eta_exponent,
        steps_exponent=preset.steps_exponent,
        description="a position of the explorer",
        source="the reader",
    )


@lru_cache(maxsize=4096)
def _drawn(m: int, a: float, delta: float, tau: float, activation: str) -> float:
    z = drawn_preactivations(m, _SEED)
    return theory.worst_gap(z, np.full(m, a), delta, tau, activation).half_width


@lru_cache(maxsize=256)
def _lines(preset: str, threshold: str, activation: str, K: float) -> tuple[Line | Points, ...]:
    rules, level = scaling.get_scaling(preset), _THRESHOLDS[threshold]

    def sizes(m: int) -> tuple[float, float, float, str]:
        return rules.output_weight(m), rules.radius(m, K), level.tau(m, K), activation

    certified = [theory.certified_gap_bound(m, _D, *sizes(m)).value for m in _CURVE]
    printed = [theory.printed_gap_bound(m, K) for m in _CURVE]
    means = [theory.half_width_moments(m, *sizes(m)).mean for m in _CURVE]
    drawn = [_drawn(m, *sizes(m)) for m in _DRAWN]
    return (
        Line(_CURVE, certified, label="Theorem A", role="c3"),
        Line(_CURVE, printed, label="printed", role="c2", dash=True),
        Line(_CURVE, means, label="closed form", role="c1"),
        Points(_DRAWN, drawn, label="drawn", role="c5"),
    )


def _limits(marks: tuple[Line | Points, ...]) -> tuple[float, float]:
    """Return ends for the curves of one choice: those of all choices lie seven powers apart."""
    values = np.concatenate([np.asarray(mark.y) for mark in marks])
    return float(values.min()) / 1.5, float(values.max()) * 1.5


def _consistent(rules: Scaling) -> bool:
    """Whether the repaired theorems hold together; a jump has to be small beside the radius."""
    decay = rules.tau_rule.decay
    torn = rules.activation == JUMP and decay is not None and decay < rules.beta
    return not torn and not theory.CONSISTENT.violated(rules.alpha, rules.beta, rules.c)


def _growth(exponent: Fraction) -> str:
    if exponent > 0:
        return f"grows like m^({exponent})"
    return f"falls like m^({exponent})" if exponent < 0 else "does not fall"


def _outside(rules: Scaling, threshold: Threshold, m: int, K: float) -> list[str]:
    """Say which hypotheses of Theorem 4.1, as printed, a choice does not satisfy."""
    said = []
    if rules.alpha != PRINTED.alpha:
        said.append(f"the output weights are m^(-{rules.alpha}), not m^(-{PRINTED.alpha})")
    if threshold.rule != ONE_OVER_M:
        said.append(f"τ is {number(threshold.tau(m, K) * m)} times 1/m and not O(1/m)")
    if rules.activation != JUMP:
        said.append("the activation is not the printed one")
    return said


def gap_view(preset: str, threshold: str, activation: str, K: float, m: int) -> View:
    r"""Show the worst gap between f and g at one input against the width.

    Parameters
    ----------
    preset : {"PRINTED", "R1", "R2", "R3"}
        Where output weights and radius come from.
    threshold : {"1/m", "m^-3/5", "t=1", "t=2", "c=1/10", "c=1/5", "c=2/5"}
        The rule for the threshold.
    activation : {"jump", "continuous"}
        The activation.
    K : float
        Constant of the radius ``K m^{-beta}`` and of the threshold ``K m^{-3/5}``, ``>= 1`` as in
        the theorem.
    m : int
        The width at which numbers are read, ``m >= 2``.

    Returns
    -------
    View
        Half-width of drawn networks, its closed-form mean, the printed rate with constant 1, and
        the certified bound of Theorem A for d = 3.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is none of these.

    Notes
    -----
    Source: Theorem 4.1 = C.1, Proposition 1 and Theorem A of this project.
    """
    choice(preset, "preset", _PRESETS)
    level = _THRESHOLDS[choice(threshold, "threshold", tuple(_THRESHOLDS))]
    form = get_activation(activation)
    K = scalar(K, "K", minimum=1.0)
    m = count(m, "m", minimum=2)
    rules = _chosen(scaling.get_scaling(preset), level, form)
    a, delta, tau = rules.output_weight(m), rules.radius(m, K), level.tau(m, K)
    t = scaling.standardize_threshold(tau, m)
    theta = scaling.standardize_threshold(delta, m)
    mean = theory.half_width_moments(m, a, delta, tau, form).mean
    printed = theory.printed_gap_bound(m, K)
    drawn = _drawn(m, a, delta, tau, form.name)
    certified = theory.certified_gap_bound(m, _D, a, delta, tau, form)
    crowd, wanted = window_crowd(m, delta, tau), crowd_wanted(m, _D)
    share = theory.half_width_over_g(t, theta, form)
    curves = _lines(preset, threshold, form.name, K)
    return View(
        x=Axis(label="width *m*", scale="log2", limits=(0.8 * _CURVE[0], _CURVE[-1])),
        y=Axis(
            label="gap between *f* and *g*", scale="log10", limits=_limits(curves), format=number
        ),
        marks=[
            *curves,
            Points([m], [mean], role="c1"),
            Rule(m, label="*m*", role="ink", drag="m"),
        ],
        sentence=(
            f"With K = {number(K)}, {grouped(m)} neurons, a threshold of {number(t)} standard "
            f"deviations and the {form.name} activation, {percent(scaling.activity_at(t))} of the "
            f"neurons fire. The half-width of f \N{MINUS SIGN} g over the ball is {number(drawn)} "
            f"in the drawn network and {number(mean)} on average, {number(mean / printed)} times "
            f"the printed K² m^(-1/10); with the width it {_growth(rules.gap_exponent)}, up to "
            "logarithms. "
            "With these powers the repaired Theorems 4.1, 4.3 and 4.4 "
            f"{'hold' if _consistent(rules) else 'do not hold'} together."
        ),
        readouts={
            "*t* = *τ* √(*m*/2)": number(t),
            "*Q*(*t*)": percent(scaling.activity_at(t)),
            "drawn *H*": number(drawn),
            "closed form E *H*": number(mean),
            "printed": number(printed),
            "Theorem A, all *x* and *W*": number(certified.value),
            "power of *H*": power_of_m(rules.gap_exponent),
            "E *H* over E sup |*g*|": number(share),
            "*θ* = *δ* √(*m*/2) ≤ 1": number(theta),
            "*tθ* ≤ 1": number(t * theta),
            "*m*^{3/2} *δφ*(*t*) ≥ 4 *d* log *m*": (
                f"{number(crowd)} {'≥' if crowd >= wanted else '<'} {number(wanted)}"
            ),
        },
        warning=_warning(rules, level, m, K),
    )


def _warning(rules: Scaling, threshold: Threshold, m: int, K: float) -> str | None:
    """Say which hypothesis fails at the chosen point, or what fails without one."""
    said = []
    outside = _outside(rules, threshold, m, K)
    slow = rules.gap_exponent > _PRINTED_RATE
    if outside:
        missed = f" The printed rate m^({_PRINTED_RATE}) is missed, too." if slow else ""
        said.append(f"Theorem 4.1 as printed does not speak here: {'; '.join(outside)}.{missed}")
    elif slow:
        said.append(
            "Every hypothesis of Theorem 4.1 holds here, and its conclusion fails: the half-width "
            f"{_growth(rules.gap_exponent)} and not like m^({_PRINTED_RATE})."
        )
    if rules.activation == JUMP and threshold.rule in (scaling.STANDARD_T, SPARSE_C):
        said.append(
            "With the jump, a threshold of the order of a standard deviation keeps f and g apart "
            "by a fixed share of what g can reach (Proposition 2)."
        )
    if rules.expressivity_exponent < 0:
        said.append(
            f"The ball is too small for labels: the largest |g| in it "
            f"{_growth(rules.expressivity_exponent)} (Theorem 4.4 fails)."
        )
    short = short_form_fails(m, _D, rules.radius(m, K), threshold.tau(m, K))
    if short is not None:
        said.append(short)
    return " ".join(said) or None


def gap_explorer() -> Explorer:
    """Build the explorer of the worst gap between f and g.

    Returns
    -------
    Explorer
        Powers PRINTED, R1, R2 and R3, seven rules for the threshold, both activations, three
        constants K and ``m = 2^8 ... 2^18``; it starts at the printed theorem.

    Notes
    -----
    Source: Theorem 4.1 = C.1, Proposition 1 and Theorem A of this project.
    """
    return Explorer(
        gap_view,
        [
            Choice(
                "preset",
                "output weights and ball",
                {
                    "PRINTED": "as printed: m^(-1/5), K m^(-3/5)",
                    "R1": "R1: m^(-1/5), K m^(-4/5)",
                    "R2": "R2: m^(-2/5), K m^(-3/5)",
                    "R3": "R3: m^(-1/5), K m^(-3/5)",
                },
            ),
            Choice(
                "threshold",
                "threshold",
                {key: level.shown for key, level in _THRESHOLDS.items()},
            ),
            Choice("activation", "activation", ACTIVATIONS),
            Slider("K", "constant *K* of the ball", _CONSTANTS, start=1.0),
            Slider("m", "width *m*", _WIDTHS, start=4096, format=grouped),
        ],
        title="How far apart are *f* and *g* in the ball?",
        description=(
            "R3 has the printed output weights and the printed ball: choose its threshold and the "
            "continuous activation as well."
        ),
        name="gap-explorer",
    )

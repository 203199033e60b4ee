"""The explorer of the chapter on convergence: a run on one point, and what Theorem D says of it.

One training point and the absolute loss make a run cheap and its comparison exact, so that sample,
closed form, the printed promise and Theorem D stand in one figure; the numbers are those of
`sublinear_lib.theory.regret`.  Before changing it, know that the step size is a choice of its own:
the set PRINTED and the set R1 have the same output weights and the same threshold, and differ in
the ball and in the step size alone.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling
from sublinear_lib.activations import get_activation
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.scaling import ONE_OVER_M, PRINTED
from sublinear_lib.theory import regret
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._menus import (
    ACTIVATIONS,
    BALLS,
    C_FIFTH,
    T_ONE,
    T_TWO,
    Threshold,
)
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Points, Rule, View

__all__ = ["convergence_explorer", "convergence_view"]

_LABEL = 1.0
_SEED = 0
_CURVE = [2.0**k for k in range(8, 18)]
_WIDTHS = [2**k for k in range(8, 17)]
_PRESETS = ("PRINTED", "R1", "R2", "R3")
_STEPS = ("theorem-d", "printed")

_THRESHOLDS = {
    "1/m": Threshold(ONE_OVER_M, "τ = 1/m (half fire)"),
    "t=1": T_ONE,
    "t=2": T_TWO,
    "c=1/5": C_FIFTH,
}


def _step_size(rule: str, m: int, a: float, tau: float, epsilon: float) -> float:
    if rule == "printed":
        return PRINTED.eta(m, epsilon)
    return regret.descent_step(a, m * scaling.activity(tau, m), epsilon)


def _excess(alpha: Fraction, level: Threshold) -> Fraction:
    """Return the exponent of the printed step size over that of Theorem D."""
    rules = replace(PRINTED, alpha=alpha, c=level.c, tau_rule=level.rule)
    return rules.eta_exponent - rules.derived_eta_exponent


@lru_cache(maxsize=4096)
def _found(
    m: int, a: float, tau: float, eta: float, steps: int, activation: str
) -> regret.OnePointRegret:
    rng = np.random.default_rng([_SEED, m])
    z = rng.standard_normal(m) * scaling.preactivation_std(m)
    signs = rng.choice(np.array([-1.0, 1.0]), m)
    return regret.one_point_regret(z, a * signs, tau, _LABEL, eta, steps, activation)


@lru_cache(maxsize=256)
def _rows(
    preset: str, threshold: str, step: str, activation: str, epsilon: float
) -> tuple[tuple[regret.OnePointRegret, ...], tuple[regret.RegretBound, ...]]:
    rules, level = scaling.get_scaling(preset), _THRESHOLDS[threshold]
    number_of_steps = math.ceil(1.0 / epsilon**2)
    runs, closed = [], []
    for m in _WIDTHS:
        a, tau = rules.output_weight(m), level.tau(m)
        eta = _step_size(step, m, a, tau, epsilon)
        runs.append(_found(m, a, tau, eta, number_of_steps, activation))
        closed.append(
            regret.expected_one_point(m, a, tau, _LABEL, eta, number_of_steps, activation)
        )
    return tuple(runs), tuple(closed)


def convergence_view(
    preset: str, threshold: str, step: str, activation: str, epsilon: float, m: int
) -> View:
    r"""Show the average loss of a run on one point, and both forms of Theorem D, against the width.

    Parameters
    ----------
    preset : {"PRINTED", "R1", "R2", "R3"}
        Where the output weights and the ball come from.
    threshold : {"1/m", "t=1", "t=2", "c=1/5"}
        The rule for the threshold.
    step : {"theorem-d", "printed"}
        ``eta = epsilon / (a^2 m Q(t))``, or ``epsilon m^(-1/5)``.
    activation : {"jump", "continuous"}
        The activation.
    epsilon : float
        Accuracy, in (0, 1); the run has ``T = 1/epsilon^2`` steps, rounded up.
    m : int
        The width at which numbers are read, one of ``2^8, ..., 2^16``.

    Returns
    -------
    View
        The measured average, Theorem D with the numbers of the run, Theorem D in closed form with
        what is known before it, and the printed promise.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is none of these.

    Notes
    -----
    Source: Theorem 4.3 = C.12, Remark C.13 and Theorem D of this project; ``n = 1``, ``d = 2``, the
    label 1, the absolute loss, the seed 0 at every width.
    """
    choice(preset, "preset", _PRESETS)
    level = _THRESHOLDS[choice(threshold, "threshold", tuple(_THRESHOLDS))]
    choice(step, "step", _STEPS)
    form = get_activation(activation)
    accuracy = scalar(epsilon, "epsilon", exclusive_minimum=0.0, exclusive_maximum=1.0)
    m = count(m, "m")
    if m not in _WIDTHS:
        raise ValueError(f"m must be a power of two from {_WIDTHS[0]} to {_WIDTHS[-1]}, got {m}")
    rules = scaling.get_scaling(preset)
    runs, closed = _rows(preset, threshold, step, form.name, accuracy)
    at = _WIDTHS.index(m)
    found, law = runs[at], closed[at]
    tau = level.tau(m)
    t = scaling.standardize_threshold(tau, m)
    eta = _step_size(step, m, rules.output_weight(m), tau, accuracy)
    allowed = found.measured.comparator + accuracy
    first = float(found.run.losses[0])
    needed = found.D_W / rules.radius(m)
    drift = float(found.run.drift.max())
    averages = [run.average for run in runs]
    after = [run.measured.total for run in runs]
    before = [bound.total for bound in closed]
    promised = [run.measured.comparator + accuracy for run in runs]
    every = [*averages, *after, *before, *promised]
    return View(
        x=Axis(label="width *m*", scale="log2", limits=(_CURVE[0], _CURVE[-1])),
        y=Axis(
            label="average loss, and bounds",
            scale="log10",
            limits=(min(every) / 1.4, max(every) * 1.4),
            format=number,
        ),
        marks=[
            Line(_WIDTHS, before, label="known before", role="c3"),
            Line(_WIDTHS, after, label="Theorem D", role="c1"),
            Line(_WIDTHS, promised, label="printed", role="c2", dash=True),
            Points(_WIDTHS, averages, label="run", role="c5"),
            Points([m], [found.measured.total], role="c1"),
            Rule(m, label="*m*", role="ink", drag="m"),
        ],
        sentence=(
            f"With {grouped(m)} neurons and a threshold of t = τ √(m/2) = {number(t)}, a share "
            f"Q(t) = {percent(scaling.activity_at(t))} fires. Over {len(found.run.losses) - 1} "
            f"steps of size {number(eta)} the loss is {number(found.average)} on average, from "
            f"{number(first)} at the start. Theorem D allows {number(found.measured.total)} on "
            f"this run, and {number(law.total)} before it; Theorem 4.3 would promise "
            f"{number(allowed)}."
        ),
        readouts={
            "*t* = *τ* √(*m*/2)": number(t),
            "*Q*(*t*)": percent(scaling.activity_at(t)),
            "*η*‖∇‖²/2": number(found.measured.noise),
            "*D*_{F}²/(2*ηT*)": number(found.measured.start),
            "coupling": number(found.measured.coupling),
            "gap of the run, of *W**": (
                f"{number(found.measured.gap_run)}, {number(found.measured.gap_comparator)}"
            ),
            "*K* that *W** needs": number(needed),
            "distance over *m*^{−15/24}": number(drift * m ** (15 / 24)),
            "step over that of Theorem D": number(
                eta
                / regret.descent_step(rules.output_weight(m), m * scaling.activity_at(t), accuracy)
            ),
        },
        warning=_warning(preset, level, step, form.name, found, accuracy, m),
    )


def _warning(
    preset: str,
    level: Threshold,
    step: str,
    activation: str,
    found: regret.OnePointRegret,
    epsilon: float,
    m: int,
) -> str | None:
    """Say which hypothesis fails at the chosen point, and what the bound is worth there."""
    rules, said = scaling.get_scaling(preset), []
    outside = []
    if rules.alpha != PRINTED.alpha:
        outside.append(f"the output weights are m^(-{rules.alpha}), not m^(-{PRINTED.alpha})")
    if step != "printed" and _excess(rules.alpha, level) != 0:
        outside.append("the step size is not Θ(ε m^(-1/5))")
    if level.rule != ONE_OVER_M:
        outside.append("τ is not O(1/m)")
    if activation != "jump":
        outside.append("the activation is not the printed one")
    broken = found.average > found.measured.comparator + epsilon
    if outside:
        said.append(f"Theorem 4.3 as printed does not speak here: {'; '.join(outside)}.")
    if broken and not outside:
        said.append(
            "Every hypothesis of Theorem 4.3 holds here except that m may be too small, and its "
            "conclusion fails; with the width the average grows like m^(2/5)."
        )
    elif broken:
        said.append(
            "The average lies above L(W*) + ε: the step is too large, or coupling and gap are not "
            "small."
        )
    drift = float(found.run.drift.max())
    if drift > m ** (-15 / 24):
        said.append(
            f"Remark C.13 fails: a neuron moved {number(drift * m ** (15 / 24))} times m^(-15/24)."
        )
    if rules.radius(m) < found.D_W:
        said.append(
            f"W* lies outside the ball with K = 1: it needs K = "
            f"{number(found.D_W / rules.radius(m))}."
        )
    if found.measured.total >= float(found.run.losses[0]):
        said.append(
            "Theorem D is true and says nothing: its right side is above the loss at the start."
        )
    excess = _excess(rules.alpha, level) if step == "printed" else Fraction(0)
    if excess > 0:
        said.append(f"This step grows beyond that of Theorem D like m^({excess}).")
    elif excess < 0:
        said.append(f"This step falls below that of Theorem D like m^({excess}): T is too small.")
    elif activation == "jump" and level.rule != ONE_OVER_M:
        said.append(
            "The gaps do not vanish as m grows: a jump of the height of the threshold keeps f and "
            "g apart (Proposition 2)."
        )
    elif rules.alpha + level.c >= Fraction(1, 2):
        said.append("The terms of Theorem D do not vanish as m grows, since α + c ≥ 1/2.")
    return " ".join(said) or None


def convergence_explorer() -> Explorer:
    """Build the explorer of average loss, step size and the terms of Theorem D.

    Returns
    -------
    Explorer
        Sets PRINTED, R1, R2 and R3, four thresholds, two step sizes, both activations, two
        accuracies and ``m = 2^8 ... 2^16``; it starts at the printed theorem.

    Notes
    -----
    Source: Theorem 4.3 = C.12 and Theorem D of this project.
    """
    return Explorer(
        convergence_view,
        [
            Choice("preset", "output weights and ball", BALLS),
            Choice(
                "step",
                "step size *η*",
                {"printed": "as printed: ε m^(-1/5)", "theorem-d": "Theorem D: ε/(a² m Q)"},
            ),
            Choice(
                "threshold",
                "threshold *τ*",
                {key: level.shown for key, level in _THRESHOLDS.items()},
            ),
            Choice("activation", "activation", ACTIVATIONS),
            Slider("epsilon", "accuracy *ε*, in 1/*ε*² steps", [0.25, 0.5]),
            Slider("m", "width *m*", _WIDTHS, start=4096, format=grouped),
        ],
        title="One point, one step size: what was measured and what was promised",
        description=(
            "Set the step size of Theorem D: the points come down to the printed promise, at every "
            "width. R3 needs its threshold and the continuous activation as well."
        ),
        name="convergence-explorer",
    )

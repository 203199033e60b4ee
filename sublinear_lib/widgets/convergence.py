"""The explorer of the chapter on convergence: what training pays, and what its proof can promise.

One training point and the absolute loss give every term of Theorem D a closed form, so the promise
can be drawn at widths that no machine has, beside runs at those that one has; the numbers are those
of `sublinear_lib.theory.regret`.  Before changing it, know that the width is handled by its
logarithm: the slider and the axis count doublings, because no float slider reaches 2^160 evenly.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling
from sublinear_lib.plotting import number
from sublinear_lib.theory import regret
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Mark, Points, Rule, View

__all__ = ["convergence_explorer", "convergence_view"]

_LABEL = 1.0
_SEED = 0
_FIRST, _LAST, _WIDEST_RUN = 8, 160, 16
_PROMISED = range(_FIRST, _LAST + 1)
_RUN = range(_FIRST, _WIDEST_RUN + 1)
_REPAIRS = {
    "R3": "continuous activation, sparse threshold (R3)",
    "R2": "smaller output weights (R2)",
    "R1": "smaller ball (R1)",
}


def _plan(repair: str, m: int, epsilon: float) -> tuple[float, float, float, int]:
    """Return output weight, threshold, step size and number of steps of Theorem D."""
    rules = scaling.get_scaling(repair)
    a, tau = rules.output_weight(m), rules.tau(m)
    eta = regret.descent_step(a, m * scaling.activity(tau, m), epsilon)
    return a, tau, eta, math.ceil(1.0 / epsilon**2)


@lru_cache(maxsize=64)
def _promises(repair: str, epsilon: float) -> tuple[float, ...]:
    form = scaling.get_scaling(repair).activation
    totals = []
    for k in _PROMISED:
        a, tau, eta, steps = _plan(repair, 2**k, epsilon)
        totals.append(
            regret.expected_one_point(2**k, a, tau, _LABEL, eta, steps, form).total,
        )
    return tuple(totals)


@lru_cache(maxsize=64)
def _averages(repair: str, epsilon: float) -> tuple[float, ...]:
    form = scaling.get_scaling(repair).activation
    found = []
    for k in _RUN:
        m = 2**k
        rng = np.random.default_rng([_SEED, m])
        z = rng.standard_normal(m) * scaling.preactivation_std(m)
        signs = rng.choice(np.array([-1.0, 1.0]), m)
        a, tau, eta, steps = _plan(repair, m, epsilon)
        run = regret.one_point_descent(z, a * signs, tau, _LABEL, eta, steps, form)
        found.append(float(run.losses[:-1].mean()))
    return tuple(found)


def convergence_view(repair: str, epsilon: float, k: int) -> View:
    r"""Show the average loss of runs on one point, and what Theorem D promises before the run.

    Parameters
    ----------
    repair : {"R1", "R2", "R3"}
        The powers of m.
    epsilon : float
        Accuracy, in (0, 1); the run has ``T = 1/epsilon^2`` steps, rounded up.
    k : int
        Logarithm of the width ``m = 2^k`` at which numbers are read, from 8 to 160.

    Returns
    -------
    View
        The measured averages up to ``2^16``, and the right side of Theorem D in closed form.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Theorem D of this project; ``n = 1``, ``d = 2``, the label 1, the absolute loss, the
    seed 0 at every width.
    """
    choice(repair, "repair", tuple(_REPAIRS))
    accuracy = scalar(epsilon, "epsilon", exclusive_minimum=0.0, exclusive_maximum=1.0)
    at = count(k, "k", minimum=_FIRST, maximum=_LAST)
    promises, averages = _promises(repair, accuracy), _averages(repair, accuracy)
    promise = promises[at - _FIRST]
    above = [j for j, total in zip(_PROMISED, promises, strict=True) if total >= _LABEL]
    first = above[-1] + 1 if above else _FIRST
    marks: list[Mark] = [
        Rule(_LABEL, axis="y", label="untrained network", role="muted", dash=True),
        Line(list(_PROMISED), promises, role="muted", dash=True, width=1.25),
        Line(list(_PROMISED), promises, label="promise of the proof", role="c3", within=(0, at)),
        Points(list(_RUN), averages, label="training", role="c1", only=[j <= at for j in _RUN]),
        Points([at], [promise], role="c3"),
        Rule(at, label="*m*", role="ink", drag="k"),
    ]
    if above and first <= _LAST:
        marks.insert(
            4, Points([first], [promises[first - _FIRST]], role="c3", hollow=True, size=12)
        )
    return View(
        x=Axis(
            label="width *m*",
            limits=(_FIRST, _LAST),
            ticks=[8, 40, 80, 120, 160],
            format=lambda power: f"2^{{{power:g}}}",
        ),
        y=Axis(label="average loss", scale="log10", limits=(0.03, 3e4)),
        marks=marks,
        sentence=f"{_measured(at, averages)} {_said(promise, first)}",
    )


def _measured(k: int, averages: tuple[float, ...]) -> str:
    if k > _WIDEST_RUN:
        return f"2^{{{k}}} neurons are more than we can train."
    return f"With 2^{{{k}}} neurons training pays {number(averages[k - _FIRST])} on average."


def _said(promise: float, first: int) -> str:
    if promise < _LABEL:
        return (
            f"The proof promises at most {number(promise)} before the run. That is less than the "
            f"untrained network pays, so it says something (from 2^{{{first}}} neurons on)."
        )
    return (
        f"The proof promises at most {number(promise)} before the run. That is no better than the "
        f"untrained network, whose loss is about 1; the proof says something from 2^{{{first}}} "
        "neurons on."
    )


def convergence_explorer() -> Explorer:
    """Build the explorer of what training pays and what the proof can promise.

    Returns
    -------
    Explorer
        The three repairs, three accuracies, and widths from ``2^8`` to ``2^160``.

    Notes
    -----
    Source: Theorem 4.3 = C.12 and Theorem D of this project.
    """
    return Explorer(
        lambda k, repair, epsilon: convergence_view(repair, float(epsilon), k),
        [
            Slider(
                "k",
                "width *m*",
                list(range(_FIRST, _LAST + 1, 4)),
                start=_WIDEST_RUN,
                format=lambda k: f"2^{{{k}}}",
            ),
            Choice("repair", "repair", _REPAIRS, start="R3"),
            Choice(
                "epsilon", "accuracy *ε*", {"0.125": "1/8", "0.25": "1/4", "0.5": "1/2"}, "0.25"
            ),
        ],
        title="What training pays, and what the proof can promise",
        description="One training point with the label 1, 1/*ε*^{2} steps, one network per width.",
        name="convergence-explorer",
    )

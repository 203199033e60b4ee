"""What training pays, and what its proof can promise: Theorem D on one point, in closed form."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from sublinear_lib import scaling
from sublinear_lib.plotting import number
from sublinear_lib.theory import regret
from sublinear_lib.widgets import Axis, Line, Mark, Points, Rule, View
from sublinear_lib.widgets.declaration import explorer, menu, slider

_LABEL = 1.0
_FIRST, _LAST, _WIDEST_RUN = 8, 160, 16
_PROMISED = range(_FIRST, _LAST + 1)
_RUN = range(_FIRST, _WIDEST_RUN + 1)
_REPAIRS = {
    "R3": "continuous activation, sparse threshold (R3)",
    "R2": "smaller output weights (R2)",
    "R1": "smaller ball (R1)",
}


def _plan(repair: str, m: int, epsilon: float) -> tuple[float, tuple[Any, ...]]:
    """Return the output weight of Theorem D, and what follows it in the calls below."""
    rules = scaling.get_scaling(repair)
    a, tau = rules.output_weight(m), rules.tau(m)
    eta = regret.descent_step(a, m * scaling.activity(tau, m), epsilon)
    return a, (tau, _LABEL, eta, math.ceil(1.0 / epsilon**2), rules.activation)


@lru_cache(maxsize=64)
def _promises(repair: str, epsilon: float) -> list[float]:
    plans = ((2**k, *_plan(repair, 2**k, epsilon)) for k in _PROMISED)
    return [regret.expected_one_point(m, a, *rest).total for m, a, rest in plans]


@lru_cache(maxsize=64)
def _averages(repair: str, epsilon: float) -> list[float]:
    found = []
    for k in _RUN:
        m = 2**k
        rng = np.random.default_rng([0, m])
        z = rng.standard_normal(m) * scaling.preactivation_std(m)
        signs = rng.choice(np.array([-1.0, 1.0]), m)
        a, rest = _plan(repair, m, epsilon)
        found.append(float(regret.one_point_descent(z, a * signs, *rest).losses[:-1].mean()))
    return found


@explorer(
    "What training pays, and what the proof can promise",
    description="One training point with the label 1, 1/*ε*^{2} steps, one network per width.",
    name="convergence-explorer",
    k=slider(
        "width *m*", range(_FIRST, _LAST + 1, 4), start=_WIDEST_RUN, format=lambda k: f"2^{{{k}}}"
    ),
    repair=menu("repair", _REPAIRS, start="R3"),
    epsilon=menu("accuracy *ε*", {"0.125": "1/8", "0.25": "1/4", "0.5": "1/2"}, "0.25"),
)
def paid_and_promised(k: int, repair: str, epsilon: str) -> View:
    """Show the average loss of runs on one point, and what Theorem D promises before the run."""
    promises, averages = (of(repair, float(epsilon)) for of in (_promises, _averages))
    promise = promises[k - _FIRST]
    above = [j for j, total in zip(_PROMISED, promises, strict=True) if total >= _LABEL]
    first = above[-1] + 1 if above else _FIRST
    marks: list[Mark] = [
        Rule(_LABEL, axis="y", label="untrained network", role="muted", dash=True),
        Line(list(_PROMISED), promises, role="muted", dash=True, width=1.25),
        Line(list(_PROMISED), promises, label="promise of the proof", role="c3", within=(0, k)),
        Points(list(_RUN), averages, label="training", role="c1", only=[j <= k for j in _RUN]),
        Points([k], [promise], role="c3"),
        Rule(k, label="*m*", role="ink", drag="k"),
    ]
    if above and first <= _LAST:
        there = [promises[first - _FIRST]]
        marks.insert(4, Points([first], there, role="c3", hollow=True, size=12))
    return View(
        x=Axis(
            label="width *m*",
            limits=(_FIRST, _LAST),
            ticks=[8, 40, 80, 120, 160],
            format=lambda power: f"2^{{{power:g}}}",
        ),
        y=Axis(label="average loss", scale="log10", limits=(0.03, 3e4)),
        marks=marks,
        sentence=f"{_measured(k, averages)} {_said(promise, first)}",
    )


def _measured(k: int, averages: list[float]) -> str:
    if k > _WIDEST_RUN:
        return f"2^{{{k}}} neurons are more than we can train."
    return f"With 2^{{{k}}} neurons training pays {number(averages[k - _FIRST])} on average."


def _said(promise: float, first: int) -> str:
    said = f"The proof promises at most {number(promise)} before the run. That is "
    if promise < _LABEL:
        said += "less than the untrained network pays, so it says something (from "
        return said + f"2^{{{first}}} neurons on)."
    said += "no better than the untrained network, whose loss is about 1; the proof says something "
    return said + f"from 2^{{{first}}} neurons on."

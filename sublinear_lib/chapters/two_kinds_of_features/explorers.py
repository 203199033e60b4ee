"""The race of two features: the recursion of Lemma III.5.1, a training and a sample to attack.

The race is short enough to be tabulated: its first weights are larger than in the runs of the
chapter, and the rate of descent keeps ``eta / rho^{q-1}`` as it is for q = 3.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from sublinear_lib import features as fl
from sublinear_lib._typing import FloatArray
from sublinear_lib.chapters.two_kinds_of_features import figures
from sublinear_lib.plotting import Picture, number, percent
from sublinear_lib.widgets import Axis, Line, Mark, Rule, View
from sublinear_lib.widgets.declaration import explorer, lab, menu, slider

_RHO, _STEPS, _START = 15.0, 400, 0.3
_UNIT = 1.0 / _RHO**2  # eta / rho^{q-1}, that of the main configuration
_SHOWN = np.arange(0, _STEPS + 1, 12)
# A class has learned something once its logit exceeds this; the race is over for it.
_OVER = 0.5
# Ratios this close to 1 are left to what the ratio does not know.
_TIE = 1.15
_RATIOS = [k / 20 for k in range(10, 41)]


@lru_cache(maxsize=4096)
def _paths(patches: int, q: float, ratios: tuple[float, ...]) -> tuple[FloatArray, FloatArray]:
    """Return both features of one filter for several starts, shape (T + 1, number of starts)."""
    law, settings = _setting(patches, q)
    A0 = np.full((len(ratios), 1), _START)
    path = fl.feature_recursion(law, settings, A0, _START * np.array(ratios)[:, None])
    return path.A[:, :, 0], path.B[:, :, 0]


def _setting(patches: int, q: float) -> tuple[fl.FeatureData, fl.TrainingSettings]:
    form, rate = fl.SmoothedReLU(q, _RHO), _UNIT * _RHO ** (q - 1)
    law = fl.FeatureData(nonrobust_patches=patches, alpha=3.0, beta=1.0)
    return law, fl.TrainingSettings(activation=form, rate=rate, steps=_STEPS)


@explorer(
    "Who wins the race?",
    description="One filter. The strong feature is in one patch, the weak one in many. On this "
    "scale exponential growth is a straight line. The dashed line stands where the logit of the "
    "class passes 1/2.",
    name="race-explorer",
    ratio=slider("starts *B*_{0}/*A*_{0}", _RATIOS, start=1.0, format="{:g}"),
    patches=menu("patches *P*_{NR}", ["15", "60", "120"], start="60"),
    q=menu("exponent *q*", ["2", "3", "4"], start="3"),
)
def race(ratio: float, patches: str, q: str) -> View:
    """Show the race of the two features of one filter (Lemma III.5.1, Proposition III.2)."""
    setting = int(patches), float(q)
    ratios = tuple(_RATIOS) if ratio in _RATIOS else (ratio,)
    A, B = (every[:, ratios.index(ratio)] for every in _paths(*setting, ratios))
    law, settings = _setting(*setting)
    given = fl.feature_shares(law, settings.activation, A[:, None], B[:, None])
    share = float(given.share[-1])
    R = fl.race_ratio(law, setting[1], _START, _START * ratio)
    passed = np.flatnonzero(given.robust + given.nonrobust >= _OVER)
    over = int(passed[0]) if passed.size else None
    robust, nonrobust = law.densities(setting[1])
    winner = "v" if R > 1 else "u"
    u, v = fl.growth_rates(law, settings)
    path, start, growth = (B, _START * ratio, v) if winner == "v" else (A, _START, u)
    lower, upper = fl.escape_time(start, 2 * start, growth, setting[1])
    doubled = np.flatnonzero(path >= 2 * start)
    marks: list[Mark] = [
        Line(_SHOWN, _short(A[_SHOWN]), label="*A*, strong", role="c1"),
        Line(_SHOWN, _short(B[_SHOWN]), label="*B*, weak", role="c2"),
    ]
    if over is not None:
        marks.append(Rule(float(over), label="logit 1/2", role="muted", dash=True))
    return View(
        x=Axis(label="step", limits=(0, _STEPS)),
        y=Axis(label="what the filter holds", scale="log10", limits=(0.1, 15.0)),
        marks=marks,
        sentence=(
            f"With *q* = {q} the densities are *α*^{{*q*}} = {number(robust)} for the strong "
            f"feature and *P*_{{NR}} *β*^{{*q*}} = {number(nonrobust)} for the other: *C* = "
            f"{number(nonrobust / robust)}. With these starts the race ratio is "
            f"*R* = *C* (*B*_{{0}}/*A*_{{0}})^{{*q*−2}} = {number(R)}"
            f"{_verdict(R, winner)}{_end(over, share, A, B)}"
        ),
        readouts={
            "race ratio *R*": number(R),
            f"*{winner}* doubled": f"step {doubled[0]}" if doubled.size else "not yet",
            "doubling predicted": f"step {lower:.0f} to {upper:.0f}",
            "share of *u*": percent(share),
        },
        warning=_warning(law, setting[1], R, over, share, winner) or None,
    )


def _short(values: FloatArray) -> FloatArray:
    """Return values with three digits, which is finer than a pixel, and short in the page."""
    return np.array([float(f"{value:.3g}") for value in values.tolist()])


def _verdict(R: float, winner: str) -> str:
    if R == 1.0:
        return ": an even race."
    side = "above 1, so v" if winner == "v" else "below 1, so u"
    return f", {side} gains on the other at every step."


def _end(over: int | None, share: float, A: FloatArray, B: FloatArray) -> str:
    if over is None:
        return f" After {_STEPS} steps neither has given the class a logit of 1/2."
    first, other = float(A[over] / A[0]), float(B[over] / B[0])
    learned = "the strong" if share > 0.5 else "the weak"
    return (
        f" At step {over} the logit passes 1/2; by then u has grown {number(first, 2)} times and v "
        f"{number(other, 2)} times. At the end u holds {percent(share, 2)} of the logit: the class "
        f"has learned {learned} feature."
    )


def _warning(
    law: fl.FeatureData, q: float, R: float, over: int | None, share: float, winner: str
) -> str:
    """Say which assumption fails at the chosen point, and where the ratio does not decide."""
    said = []
    C = law.density_ratio(q)
    if C <= 1:
        said.append(
            f"Assumption 2.3, read with the exponent q = {q:g}, fails: the weak feature is "
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


# Larger exponents escape later: the starts are small.
_RUN = {2.0: 400, 2.5: 600, 3.0: 800, 4.0: 4000}
_EPS = 0.52


def _ratio_text(law: fl.FeatureData, q: float, A0: FloatArray, B0: FloatArray) -> str:
    first, other = float(A0.max()), float(B0.max())
    if first <= 0 or other <= 0:
        which = "u and v" if max(first, other) <= 0 else "u" if first <= 0 else "v"
        return f"no filter begins with a positive part of {which}"
    return f"race ratio {fl.race_ratio(law, q, first, other):.2f}"


@lab(
    "Train it yourself",
    seed=slider("seed", range(25), start=6),
    q=slider("exponent *q*", [2.0, 2.5, 3.0, 4.0], start=3.0, format="{:g}"),
    filters=slider("filters *m*", [1, 4, 12, 48, 100], start=12),
)
def train_a_race(seed: int, q: float, filters: int) -> Picture:
    """Train without an adversary, print who won in each class, and draw the race."""
    law = fl.FeatureData()
    descent = {"rate": _RHO ** (q - 3), "scale": 0.05, "steps": _RUN[q]}
    settings = fl.TrainingSettings(filters=filters, activation=fl.SmoothedReLU(q, _RHO), **descent)
    rng = np.random.default_rng(seed)
    run = fl.train_features(law, settings, rng)
    start = run.initial.alignments(law)
    predicted = fl.feature_recursion(law, settings, *start).leaders()
    A, B = run.history.leaders()
    share = np.nan_to_num(run.network.shares(law).share)
    panels = []
    for i in range(law.classes):
        said = _ratio_text(law, q, start[0][i], start[1][i])
        won = "u" if share[i] > 0.5 else "v"
        print(f"class {i}: {said}; learned {won}, share of u {share[i]:.3f}")
        paths = (path[:, i] for path in (A, B, *predicted))
        panels.append(figures.RacePanel(f"class {i}", *paths))
    data = law.sample(60, rng)
    fooled = fl.feature_attack(run.network, data, _EPS, "prop_3_1").error
    print(f"after {settings.steps} steps: loss {run.history.loss[-1]:.2g}", end=", ")
    print(f"clean error {run.network.error(data.X, data.y):.2f}")
    print(f"error under the attack on v, eps = {_EPS}: {fooled:.2f}")
    return figures.race_picture(run.history.steps, panels, name="train-race-lab")


_BUDGETS = [0.0, 0.25, 0.45, 0.5, 0.52, 0.55, 0.6, 0.65, 0.75, 0.9, 1.05, 1.2, 1.5]
_ATTACKS: dict[str, str] = {kind: kind.replace("_", " ") for kind in fl.FEATURE_ATTACKS}
_ATTACKS["prop_3_1"] = "Proposition 3.1"


@lab(
    "Draw a sample and attack it",
    alpha=slider("strength *α*", [1.0, 2.0, 3.0, 4.0, 5.0], start=3.0),
    beta=slider("strength *β*", [0.25, 0.5, 1.0, 1.5], start=1.0),
    nonrobust_patches=slider("patches of *v*", [3, 10, 30, 60, 90, 120], start=60),
    noise=slider("noise", [0.0, 0.025, 0.1, 0.2, 0.4], start=0.025),
    eps=slider("budget *ε*", _BUDGETS, start=0.65),
    kind=menu("attack", _ATTACKS, start="swap_both"),
    seed=slider("seed", range(20), start=0),
)
def attack_a_sample(eps: float, kind: fl.FeatureAttack, seed: int, **law_of: Any) -> Picture:
    """Draw 30 inputs, attack them, print the errors of two pure networks, and show the first."""
    law = fl.FeatureData(**law_of)
    data = law.sample(30, rng=seed)
    robust, nonrobust = law.densities(3)
    print(f"sums for q = 3: u {robust:.4g}, v {nonrobust:.4g}, C = {law.density_ratio(3):.3g}")
    for letter, (A, B) in {"u": (1.0, 0.0), "v": (0.0, 1.0)}.items():
        network = fl.PatchNetwork.of_features(law, robust=[A], nonrobust=[B])
        clean = network.error(data.X, data.y)
        found = fl.feature_attack(network, data, eps, kind).error
        proof = fl.certify_patches(network, data.X, data.y, eps).error
        print(f"{letter} alone: clean error {clean:.2f}, this attack {found:.2f}", end=", ")
        print(f"any attack at most {proof:.2f}")
    delta = fl.feature_perturbation(data, eps, kind, (data.y + 1) % law.classes)[0]
    names = [[f"*{letter}*_{{{i}}}" for i in (1, 2, 3)] for letter in "uv"]
    rows = [
        figures.HeatRows(names[0], "c1"),
        figures.HeatRows(names[1], "c2"),
        figures.HeatRows(["*e*_{7}"], "muted"),
    ]
    shown = slice(0, 7)
    panels = [
        figures.HeatPanel("clean input", data.X[0, :, shown]),
        figures.HeatPanel(f"change, *ε* = {number(eps)}", delta[:, shown]),
        figures.HeatPanel("attacked input", (data.X[0] + delta)[:, shown]),
    ]
    return figures.patch_picture(panels, rows, floor=0.1, name="sample-lab")

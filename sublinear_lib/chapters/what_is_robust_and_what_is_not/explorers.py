"""The robustness window (Proposition III.1), and two labs that bound the robust error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sublinear_lib import features as fl
from sublinear_lib.chapters.what_is_robust_and_what_is_not import figures
from sublinear_lib.plotting import Picture, Role, number
from sublinear_lib.validation import generator
from sublinear_lib.widgets import Axis, Line, Mark, Points, Rule, Stretch, View
from sublinear_lib.widgets.declaration import explorer, lab, menu, slider

_LAW = fl.FeatureData()
_LINES: tuple[tuple[fl.FeatureKind, float, str, Role], ...] = (
    ("robust", _LAW.alpha, "u", "c1"),
    ("nonrobust", _LAW.beta, "v", "c2"),
)
_BUDGETS = [k / 50 for k in range(1, 71)]
_ENDS = (0.0, 1.4)


@explorer(
    "When does the choice of the feature decide?",
    description="A net of *u* (one patch of strength 3) and a net of *v* (60 patches of strength "
    "1), the same for all classes. A net breaks where the lie that the adversary injects reaches "
    "what is left of its feature.",
    name="robustness-explorer",
    q=menu("exponent *q*", ["1", "2", "3"], start="3"),
    eps=slider("budget *ε*", _BUDGETS, start=0.52, format="{:g}"),
)
def breaking_budgets(q: str, eps: float) -> View:
    """Show what a budget leaves of both features, and which network it breaks."""
    act: fl.Activation = fl.ReLU() if q == "1" else fl.SmoothedReLU(float(q), 1.0)
    window = fl.robustness_window(_LAW, int(q))
    marks: list[Mark] = []
    if not window.is_empty:
        marks.append(Stretch(window.lower, window.upper, label="only *v* breaks", role="c3"))
    marks.append(Line(_ENDS, _ENDS, label="injected", role="ink", dash=True, width=1.5))
    for kind, strength, letter, role in _LINES:
        # A straight line is stored by its ends; beyond its strength nothing is left.
        at = np.minimum(_ENDS, strength)
        left = fl.strength_left(_LAW, act, [1.0 / strength], at, kind)
        marks.append(Line(at, left, label=f"*{letter}* left", role=role))
    marks += [
        Points([window.upper], [window.upper], role="c1"),
        Points([window.lower], [window.lower], role="c2"),
        Rule(eps, label="*ε*", role="muted", drag="eps"),
    ]
    v, u = ("broken" if eps >= breaks else "safe" for breaks in (window.lower, window.upper))
    return View(
        x=Axis(label="budget *ε*", limits=_ENDS),
        y=Axis(label="strength", limits=_ENDS),
        marks=marks,
        sentence=(
            f"With q = {q} and ε = {number(eps)} the net of v is {v} and the net of u is {u}: they "
            f"break at {number(window.lower)} and {number(window.upper)}."
        ),
        readouts={"net of *v*": v, "net of *u*": u},
        warning=(
            "The net of u breaks first: there is no budget at which only the net of v is broken."
            if window.is_empty
            else None
        ),
    )


_INPUTS, _IMAGES = 24, 300
_SPREAD = (-0.2, -0.08, -0.04, 0.0, 0.04, 0.08, 0.2)
_RUNS = [0.0, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2]


def _who(budget: float) -> str:
    return "standard training" if budget == 0.0 else f"trained with *ε* = {number(budget)}"


@lab(
    "Certify your own run",
    budget=slider("training budget", _RUNS, start=0.9),
    rate=slider("rate of the step", [30, 100, 300, 1000, 3000], start=300),
    eps=slider("test budget *ε*", [0.3, 0.45, 0.5, 0.52, 0.55, 0.6, 0.7, 0.9], start=0.52),
    seed=slider("seed", range(25), start=0),
)
def certify_run(budget: float, rate: float, eps: float, seed: int) -> Picture:
    """Train on patch data, print what is known about the robust error, draw it over the budget."""
    rng, settings = generator(seed), fl.TrainingSettings(steps=400)
    if budget > 0.0:
        settings = fl.TrainingSettings(attack=fl.TrainingAttack(eps=budget, rate=rate))
    network = fl.train_features(_LAW, settings, rng).network
    shares = ", ".join(f"{share:.1%}" for share in network.shares(_LAW).share.tolist())
    data = _LAW.sample(_INPUTS, rng)
    print(f"share of u in the logit, by class: {shares}", end="; ")
    print(f"clean error {network.error(data.X, data.y):.1%}")
    places = np.unique(np.maximum(0.0, eps + np.array(_SPREAD)))
    curve = fl.error_curve(network, data, places, rng)
    at = int(np.argmin(np.abs(places - eps)))
    low, high = float(curve.attacked[at]), float(curve.certified[at])
    print(
        f"eps = {number(eps)}: attacks break {round(low * _INPUTS)} of {_INPUTS} inputs", end=", "
    )
    print(f"the certificate leaves {round(high * _INPUTS)} open")
    window, errors = fl.robustness_window(_LAW, 3), (curve.eps, curve.attacked, curve.certified)
    ends, found = (window.lower, window.upper), {_who(budget): figures.ErrorBracket(*errors)}
    return figures.robust_error_picture(found, window=ends, name="certify-lab")


@lab(
    "Train on digits against a budget",
    budget=slider("training budget", [0.0, 0.05, 0.1, 0.15, 0.2, 0.3], start=0.1),
    warm_up=menu("warm-up", ["yes", "no"]),
    eps=slider("test budget *ε*", [0.05, 0.1, 0.15, 0.2], start=0.1),
    seed=slider("seed", range(20), start=0),
)
def robust_digits_run(budget: float, warm_up: str, eps: float, seed: int) -> Picture:
    """Train on 500 digits, print clean, attacked and certified error on 300 others, draw them."""
    rng = generator(seed)
    settings = fl.digit_settings(budget, warm_up=warm_up == "yes")
    if budget == 0.0:
        settings = replace(settings, attack=None)
    run = fl.train_images(fl.image_digits(), settings, rng)
    test = run.test.take(np.arange(_IMAGES))
    X, y = test.patches(), test.y
    places = np.unique([0.0, 0.05, 0.1, 0.15, 0.2, eps])
    broken = np.zeros((len(places), _IMAGES), dtype=np.bool_)
    open_ = np.zeros_like(broken)
    for row, size in enumerate(places.tolist()):
        found = fl.gradient_attack(run.network, X, y, size, rng=rng, box=(0.0, 1.0))
        broken[row] = ~(found.margins > 0)
        open_[row] = ~fl.certify_patches(run.network, X, y, size).certified
    # What breaks within one budget breaks within every larger one.
    attacked = np.logical_or.accumulate(broken, axis=0).mean(axis=1)
    certified = np.logical_or.accumulate(open_, axis=0).mean(axis=1)
    at = int(np.flatnonzero(places == eps)[0])
    print(f"training loss at the end {run.history.loss[-1]:.3f}", end=" ")
    print(f"(log 10 = {np.log(10):.3f} is chance)\nclean error {run.network.error(X, y):.1%}")
    print(f"eps = {number(eps)}: robust error between {attacked[at]:.1%} (attack)", end=" ")
    print(f"and {certified[at]:.1%} (certificate)")
    known = {_who(budget): figures.ErrorBracket(places, attacked, certified)}
    return figures.robust_error_picture(known, name="robust-digits-lab")

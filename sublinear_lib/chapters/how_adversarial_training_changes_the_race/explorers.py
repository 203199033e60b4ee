"""The phase transition: the paths of both features for one adversary (Lemma III.5.2), and two labs.

The paths are those of the recursion with cross terms; the logits at its end tell the winner.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sublinear_lib import features as fl
from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.chapters.how_adversarial_training_changes_the_race import figures
from sublinear_lib.plotting import Picture, Role, grouped, number
from sublinear_lib.widgets import Axis, Line, Mark, View
from sublinear_lib.widgets.declaration import explorer, lab, menu, slider

_LAW = fl.FeatureData()
_SETTINGS = fl.TrainingSettings()
_EPS = [round(0.03 * k, 2) for k in range(41)]
_RATES = {"40": 40.0, "60": 60.0, "100": 100.0, "300": 300.0}
_HEIGHTS = (0.03, 10.0)
# Above this factor of its growth the weak feature counts as leaking through the plateau;
# above this logit, as the adversary sees it, the plateau counts as having spent the loss.
_LEAK, _FADED = 0.01, 0.1
_TESTED = 0.52  # the budget of a lab's attacks and certificates


class _Place(NamedTuple):
    """What the recursion says at one place of the map; arrays over the classes."""

    steps: FloatArray
    A: FloatArray
    B: FloatArray
    share: FloatArray
    crossing: FloatArray


@lru_cache(maxsize=1)
def _first_weights() -> tuple[FloatArray, FloatArray]:
    """Return the features in the first filters of a run with this seed, drawn as training draws."""
    rng = np.random.default_rng(0)
    _LAW.sample(_SETTINGS.samples, rng)
    sizes, form = (_LAW.classes, _SETTINGS.filters, _LAW.dim), _SETTINGS.activation
    network = fl.PatchNetwork.random(*sizes, scale=_SETTINGS.scale, rng=rng, activation=form)
    return network.alignments(_LAW)


def _followed(eps: list[float], rates: list[float]) -> fl.PhaseDiagram:
    first = _first_weights()
    return fl.phase_diagram(_LAW, _SETTINGS, *first, eps, rates, coupled=True, record_every=50)


@lru_cache(maxsize=1)
def _diagram() -> fl.PhaseDiagram:
    return _followed(_EPS, [*_RATES.values()])


def _place(eps: float, rate: float) -> _Place:
    i, j, found = 0, 0, _diagram()
    if eps in _EPS:
        i, j = _EPS.index(eps), [*_RATES.values()].index(rate)
    else:
        found = _followed([eps], [rate])
    paths = found.path_A[:, i, j], found.path_B[:, i, j]
    return _Place(found.steps.astype(np.float64), *paths, found.share[i, j], found.crossing[i, j])


@explorer(
    "Does the strong feature win?",
    description="The best filters of all three classes by the recursion, from the first weights of "
    "the pictured network. The dashed line is the plateau.",
    name="phases-explorer",
    eps=slider("budget *ε*", _EPS, start=0.9),
    rate=menu("rate *η̃*", [*_RATES], start="300"),
)
def phases(eps: float, rate: str) -> View:
    """Show how the two features grow under an adversary of one budget and one rate."""
    eta = _RATES[rate]
    place = _place(eps, eta)
    wins = place.share > 0.5
    found = fl.plateau(_LAW, fl.TrainingSettings(attack=fl.TrainingAttack(eps=eps, rate=eta)))
    level = found.level
    marks: list[Mark] = []
    if math.isfinite(level):
        x, y = place.steps[[0, -1]], [level, level]
        marks.append(Line(x, y, label="plateau", role="muted", dash=True, width=1.5))
    features: list[tuple[FloatArray, str, Role]]
    features = [(place.B, "*B*", "c2"), (place.A, "*A*", "c1")]
    for k, (values, letter, role) in itertools.product(range(_LAW.classes), features):
        path, name = np.round(values[:, k], 3), letter if k == 0 else ""
        marks.append(Line(place.steps, path, label=name, role=role, width=1.75))
    times = (number(t, 6) if math.isfinite(t) else "–" for t in place.crossing)
    return View(
        x=Axis(label="step", limits=(0.0, float(place.steps[-1]))),
        y=Axis(label="best filter of each class", scale="log10", limits=_HEIGHTS, format=number),
        marks=marks,
        sentence=_sentence(eps, eta, place),
        readouts={
            "classes that *u* wins": f"{int(wins.sum())} of {wins.size}",
            "*A* leads from step": ", ".join(times),
            "plateau of *B*": number(level) if math.isfinite(level) else "none",
        },
        warning=_failing(eps, eta, wins, found),
    )


def _sentence(eps: float, rate: float, place: _Place) -> str:
    wins = place.share > 0.5
    where = f"With ε = {number(eps)} and η̃ = {number(rate)}"
    times = place.crossing[np.isfinite(place.crossing)]
    if wins.all() or not wins.any():
        side = f"{'u' if wins.all() else 'v'} wins all three classes"
    else:
        side = f"u wins {_listed(wins)}, and v wins {_listed(~wins)}"
    if times.size == 0:
        when = f"Within {grouped(_SETTINGS.steps)} steps A never takes the lead for good."
    else:
        first, last = (number(float(t), 6) for t in (times.min(), times.max()))
        span = f"at step {first}" if first == last else f"between steps {first} and {last}"
        when = f"A takes the lead {span}{'' if times.size == wins.size else ', where it does'}."
    ahead = np.isfinite(place.crossing) & ~wins
    if ahead.any():
        when += (
            f" In {_listed(ahead)} A leads and yet v wins, because it fills "
            f"{_LAW.nonrobust_patches} patches."
        )
    return f"{where}, {side}. {when}"


def _listed(chosen: BoolArray) -> str:
    named = [str(k + 1) for k in np.flatnonzero(chosen)]
    if len(named) == 1:
        return f"class {named[0]}"
    return f"classes {', '.join(named[:-1])} and {named[-1]}"


def _failing(eps: float, rate: float, wins: BoolArray, found: fl.Plateau) -> str | None:
    """Say which condition of the phase transition fails, the first one that does."""
    act = _SETTINGS.activation
    assert isinstance(act, fl.SmoothedReLU)
    q = act.q
    if eps == 0.0:
        return "There is no adversary: this is standard training, Lemma III.5.1."
    limit = fl.critical_rate(_LAW, q)
    if rate <= limit:
        return (
            f"The rate is not above the critical rate {number(limit)}: no step takes all of v, and "
            "B gets too far before A arrives."
        )
    A, B = (x.max(axis=1).tolist() for x in _first_weights())
    budgets = [fl.critical_budget(_LAW, q, start_ratio=b / a) for a, b in zip(A, B, strict=True)]
    if wins.all():
        return None
    below = [k for k in np.flatnonzero(~wins) if eps < budgets[k]]
    if below:
        told = ", ".join(f"{number(budgets[k])} for class {k + 1}" for k in below)
        return f"The budget is below the critical one ({told}): a sign step would lose there, too."
    left = fl.growth_left(_LAW.beta, eps, q)
    if left > _LEAK:
        return (
            f"The budget is too far below β = {number(_LAW.beta)}: on the plateau B keeps "
            f"(1 − ε/β)^{q:g} = {number(left)} of its growth and leaks through before A takes off."
        )
    if found.pull > _FADED:
        return (
            f"The rate is only a little above the critical one, {number(limit)}: B waits so high "
            "that it wins the second race, when the attack lets go."
        )
    return f"The budget slows A so much that {grouped(_SETTINGS.steps)} steps do not suffice."


def _times(values: np.ndarray) -> str:
    return ", ".join(f"{t:.0f}" if math.isfinite(t) else "never" for t in values)


def _bounds(run: fl.FeatureRun, seed: int) -> None:
    record = fl.run_record(run, np.random.default_rng([seed, 1]), eps=_TESTED)
    shares = ", ".join(f"{s:.2f}" for s in run.network.shares(run.data.law).share)
    print(f"share of u by class: {shares}; clean error {record['clean']:.3f}")
    print(
        f"robust error at {_TESTED}: at least {record['attacked']:.3f} (attacks), at most "
        f"{record['certified']:.3f} (certificate)"
    )


def _recursion(run: fl.FeatureRun) -> fl.RecursionPath:
    law = run.data.law
    return fl.feature_recursion(law, run.settings, *run.initial.alignments(law), coupled=True)


def _leaders(run: fl.FeatureHistory | fl.RecursionPath, k: int) -> tuple[FloatArray, FloatArray]:
    A, B = run.leaders()
    return np.maximum(A, 1e-3)[:, k], np.maximum(B, 1e-3)[:, k]


def _picture(run: fl.FeatureRun, name: str, path: fl.RecursionPath | None) -> Picture:
    law, attack, seen = run.data.law, run.settings.attack, run.history
    panels = []
    for k, t in enumerate(seen.crossing().tolist()):
        panel = figures.TransitionPanel(f"class {k + 1}", *_leaders(seen, k), crossing=t)
        if path is not None:
            A, B = _leaders(path, k)
            said = float(path.crossing()[k])
            panel = panel._replace(predicted_A=A, predicted_B=B, predicted_crossing=said)
        panels.append(panel)
    known = attack is not None and attack.rule == "clipped"
    level = fl.plateau(law, run.settings).level if known else None
    return figures.transition_picture(seen.steps, panels, level=level, name=name)


@lab(
    "Train at a place of the map",
    eps=slider("budget *ε*", [0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2], start=0.7),
    rate=slider("rate *η̃*", [30.0, 60.0, 100.0, 300.0, 1e3, 3e3, 1e4], start=300.0),
    scale=slider("first weights *σ*_{0}", [0.02, 0.05, 0.1, 0.2], start=0.05),
    steps=slider("steps", [400, 800, 1600, 3200, 6400], start=1600),
    seed=slider("seed", range(20), start=1),
)
def train_at(eps: float, rate: float, scale: float, steps: int, seed: int) -> Picture:
    """Train against one clipped step of a chosen budget and rate, and print what came out."""
    settings = fl.TrainingSettings(
        scale=scale, steps=steps, attack=fl.TrainingAttack(eps=eps, rate=rate)
    )
    run = fl.train_features(fl.FeatureData(), settings, seed)
    path = _recursion(run)
    print(f"A leads from step: trained {_times(run.history.crossing())}", end="; ")
    print(f"recursion {_times(path.crossing())}")
    _bounds(run, seed)
    return _picture(run, "phases-lab", path)


@lab(
    "Several steps",
    eps=slider("budget *ε*", [0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.2], start=0.9),
    inner=slider("steps of the adversary", [1, 2, 3, 5, 7], start=3),
    rule=menu("step", {"clipped": "clipped gradient", "sign": "sign", "normalized": "normalized"}),
    seed=slider("seed", range(20), start=0),
)
def train_in_steps(eps: float, inner: int, rule: str, seed: int) -> Picture:
    """Train against several smaller steps, or other steps, and print what came out."""
    attack = fl.TrainingAttack(eps=eps, steps=inner, rule=rule)  # type: ignore[arg-type]
    run = fl.train_features(fl.FeatureData(), fl.TrainingSettings(attack=attack), seed)
    crossing = run.history.crossing()
    print(f"A leads from step: {_times(crossing)}; loss {run.history.loss[-1]:.2g}")
    _bounds(run, seed)
    path = _recursion(run) if inner == 1 and rule == "clipped" else None
    return _picture(run, "several-steps-lab", path)

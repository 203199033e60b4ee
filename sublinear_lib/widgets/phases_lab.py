"""The live labs of the phase transition: train against a chosen adversary, and in several steps.

Both train the main configuration, print when each class changes sides beside what the recursion
says, bound the robust error from both sides, and draw the paths.  No formula lives here.
"""

from __future__ import annotations

import math

import numpy as np

from sublinear_lib.chapters.how_adversarial_training_changes_the_race.figures import (
    TransitionPanel,
    transition_picture,
)
from sublinear_lib.features import (
    FeatureData,
    FeatureRun,
    RecursionPath,
    TrainingAttack,
    TrainingSettings,
    feature_recursion,
    plateau,
    run_record,
    train_features,
)
from sublinear_lib.plotting import Picture
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["phases_lab", "several_steps_lab", "train_at", "train_in_steps"]

_TESTED = 0.52
_RULES = ("clipped", "sign", "normalized")


def _times(values: np.ndarray) -> str:
    return ", ".join(f"{t:.0f}" if math.isfinite(t) else "never" for t in values)


def _bounds(run: FeatureRun, seed: int) -> None:
    record = run_record(run, np.random.default_rng([seed, 1]), eps=_TESTED)
    shares = ", ".join(f"{s:.2f}" for s in run.network.shares(run.data.law).share)
    print(f"share of u by class: {shares}; clean error {record['clean']:.3f}")
    print(
        f"robust error at {_TESTED}: at least {record['attacked']:.3f} (attacks), at most "
        f"{record['certified']:.3f} (certificate)"
    )


def _recursion(run: FeatureRun) -> RecursionPath:
    law = run.data.law
    return feature_recursion(law, run.settings, *run.initial.alignments(law), coupled=True)


def _picture(run: FeatureRun, name: str, path: RecursionPath | None) -> Picture:
    law, attack = run.data.law, run.settings.attack
    A, B = (np.maximum(each, 1e-3) for each in run.history.leaders())
    crossing = run.history.crossing()
    panels = []
    if path is not None:
        said = path.crossing()
        pA, pB = (np.maximum(each, 1e-3) for each in path.leaders())
    for k in range(law.classes):
        title = f"class {k + 1}"
        if path is None:
            panels.append(TransitionPanel(title, A[:, k], B[:, k], crossing=float(crossing[k])))
        else:
            panels.append(
                TransitionPanel(
                    title, A[:, k], B[:, k], pA[:, k], pB[:, k], float(crossing[k]), float(said[k])
                )
            )
    known = attack is not None and attack.rule == "clipped"
    level = plateau(law, run.settings).level if known else None
    return transition_picture(run.history.steps, panels, level=level, name=name)


def train_at(eps: float, rate: float, scale: float, steps: int, seed: int) -> Picture:
    """Train against one clipped step of a chosen budget and rate, and print what came out.

    Parameters
    ----------
    eps : float
        The budget of the training adversary, ``>= 0``.
    rate : float
        The rate eta~ of its one step, ``> 0``.
    scale : float
        The standard deviation of the first weights, ``> 0``.
    steps : int
        The number of updates, 10 to 6400.
    seed : int
        Seed of data and first weights, ``>= 0``.

    Returns
    -------
    Picture
        The paths of both features in every class, the recursion dotted.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Lemma 5.2 after Li and Li (2025).
    """
    settings = TrainingSettings(
        scale=scalar(scale, "scale", exclusive_minimum=0.0),
        steps=count(steps, "steps", minimum=10, maximum=6400),
        attack=TrainingAttack(eps=eps, rate=rate),
    )
    seed = count(seed, "seed", minimum=0)
    run = train_features(FeatureData(), settings, seed)
    path = _recursion(run)
    print(f"A leads from step: trained {_times(run.history.crossing())}", end="; ")
    print(f"recursion {_times(path.crossing())}")
    _bounds(run, seed)
    return _picture(run, "phases-lab", path)


def train_in_steps(eps: float, inner: int, rule: str, seed: int) -> Picture:
    """Train against several smaller steps, or other steps, and print what came out.

    Parameters
    ----------
    eps : float
        The budget of the training adversary, ``>= 0``.
    inner : int
        The number of its steps, 1 to 10; clipped steps share the rate 300.
    rule : {"clipped", "sign", "normalized"}
        How a step uses the gradient.
    seed : int
        Seed of data and first weights, ``>= 0``.

    Returns
    -------
    Picture
        The paths of both features in every class; the lemma speaks about one clipped step only, so
        there is no recursion beside them otherwise.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: the reviewers of Li and Li (2025) asked for several steps.
    """
    inner = count(inner, "inner", maximum=10)
    rule = choice(rule, "rule", _RULES)
    seed = count(seed, "seed", minimum=0)
    attack = TrainingAttack(eps=eps, steps=inner, rule=rule)  # type: ignore[arg-type]
    run = train_features(FeatureData(), TrainingSettings(attack=attack), seed)
    crossing = run.history.crossing()
    print(f"A leads from step: {_times(crossing)}; loss {run.history.loss[-1]:.2g}")
    _bounds(run, seed)
    path = _recursion(run) if inner == 1 and rule == "clipped" else None
    return _picture(run, "several-steps-lab", path)


def phases_lab() -> LiveLab:
    """Build the lab in which a network is trained at a place of the map.

    Returns
    -------
    LiveLab
        Controls for budget, rate, initialization, steps and seed.

    Notes
    -----
    Source: Lemma 5.2 after Li and Li (2025).
    """
    return LiveLab(
        train_at,
        [
            Slider("eps", "budget *ε*", [0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2], start=0.7),
            Slider("rate", "rate *η̃*", [30.0, 60.0, 100.0, 300.0, 1e3, 3e3, 1e4], start=300.0),
            Slider("scale", "first weights *σ*_{0}", [0.02, 0.05, 0.1, 0.2], start=0.05),
            Slider("steps", "steps", [400, 800, 1600, 3200, 6400], start=1600),
            Slider("seed", "seed", list(range(20)), start=1),
        ],
        title="Train at a place of the map",
    )


def several_steps_lab() -> LiveLab:
    """Build the lab in which the adversary takes several steps.

    Returns
    -------
    LiveLab
        Controls for budget, number of steps, rule and seed.

    Notes
    -----
    Source: the reviewers of Li and Li (2025) asked for several steps.
    """
    return LiveLab(
        train_in_steps,
        [
            Slider("eps", "budget *ε*", [0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.2], start=0.9),
            Slider("inner", "steps of the adversary", [1, 2, 3, 5, 7], start=3),
            Choice(
                "rule",
                "step",
                {"clipped": "clipped gradient", "sign": "sign", "normalized": "normalized"},
            ),
            Slider("seed", "seed", list(range(20)), start=0),
        ],
        title="Several steps",
    )

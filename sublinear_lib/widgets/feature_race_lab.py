"""The live labs of the race: train without an adversary, and let the filters of a class race.

The first trains a network by standard training for a seed, an exponent and a number of filters,
and compares each class with its race ratio; the second follows all filters of one class by the
recursion.  No formula lives here.
"""

from __future__ import annotations

import math

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.features import (
    FeatureData,
    SmoothedReLU,
    TrainingSettings,
    feature_attack,
    feature_recursion,
    race_ratio,
    train_features,
)
from sublinear_lib.plotting import Picture, RacePanel, race_picture
from sublinear_lib.validation import count, scalar
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["filters_lab", "race_filters", "train_a_race", "train_race_lab"]

_RHO = 15.0
_EPS = 0.52
_TEST = 60
_SCALE = 0.05
# Larger exponents escape later: the starts are small.
_STEPS = {2.0: 400, 2.5: 600, 3.0: 800, 4.0: 4000}


def _settings(q: float, filters: int, steps: int) -> TrainingSettings:
    """Return standard training with eta / rho^{q-1} as it is for q = 3."""
    return TrainingSettings(
        filters=filters,
        activation=SmoothedReLU(q, _RHO),
        rate=_RHO ** (q - 3),
        scale=_SCALE,
        steps=steps,
    )


def _ratio_text(law: FeatureData, q: float, A0: FloatArray, B0: FloatArray) -> str:
    first, other = float(A0.max()), float(B0.max())
    if first <= 0 or other <= 0:
        which = "u and v" if max(first, other) <= 0 else "u" if first <= 0 else "v"
        return f"no filter begins with a positive part of {which}"
    return f"race ratio {race_ratio(law, q, first, other):.2f}"


def train_a_race(seed: int, q: float, filters: int) -> Picture:
    """Train without an adversary, print who won in each class, and draw the race.

    Parameters
    ----------
    seed : int
        Seed of data, first weights and test inputs, ``>= 0``.
    q : float
        The exponent of the activation, 2 to 4; the number of steps grows with it.
    filters : int
        The number m of filters of a class, 1 to 200.

    Returns
    -------
    Picture
        A panel for each class: the best filters in training, and dotted what the recursion
        predicts from the first weights.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Theorem III.4.3 and Lemma III.5.1, after Li and Li (2025), and Proposition III.2.
    """
    seed = count(seed, "seed", minimum=0)
    q = scalar(q, "q", minimum=2.0, maximum=4.0)
    filters = count(filters, "filters", maximum=200)
    law = FeatureData()
    settings = _settings(q, filters, _STEPS[min(k for k in _STEPS if k >= q)])
    rng = np.random.default_rng(seed)
    run = train_features(law, settings, rng)
    start = run.initial.alignments(law)
    predicted = feature_recursion(law, settings, *start).leaders()
    A, B = run.history.leaders()
    share = np.nan_to_num(run.network.shares(law).share)
    panels = []
    for i in range(law.classes):
        said = _ratio_text(law, q, start[0][i], start[1][i])
        won = "u" if share[i] > 0.5 else "v"
        print(f"class {i}: {said}; learned {won}, share of u {share[i]:.3f}")
        panels.append(
            RacePanel(f"class {i}", A[:, i], B[:, i], predicted[0][:, i], predicted[1][:, i])
        )
    data = law.sample(_TEST, rng)
    fooled = feature_attack(run.network, data, _EPS, "prop_3_1").error
    print(
        f"after {settings.steps} steps: loss {run.history.loss[-1]:.2g}, clean error "
        f"{run.network.error(data.X, data.y):.2f}"
    )
    print(f"error under the attack on v, eps = {_EPS}: {fooled:.2f}")
    return race_picture(run.history.steps, panels, name="train-race-lab")


def race_filters(filters: int, q: float, seed: int) -> Picture:
    """Let all filters of one class race, print what the winner takes, and draw them.

    Parameters
    ----------
    filters : int
        The number m of filters, 1 to 60.
    q : float
        The exponent of the activation, above 1 and at most 4.
    seed : int
        Seed of the first weights, ``>= 0``.

    Returns
    -------
    Picture
        Every filter by the recursion; the winners of the two features strong.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Proposition III.2.
    """
    filters = count(filters, "filters", maximum=60)
    q = scalar(q, "q", exclusive_minimum=1.0, maximum=4.0)
    rng = np.random.default_rng(count(seed, "seed", minimum=0))
    law = FeatureData()
    settings = _settings(q, filters, _STEPS[min(k for k in _STEPS if k >= q)])
    A0, B0 = _SCALE * rng.normal(size=(2, filters))
    path = feature_recursion(law, settings, A0, B0)
    A, B = path.A[:, 0], path.B[:, 0]
    act = settings.activation
    for name, strength, features in (("u", law.alpha, A), ("v", law.beta, B)):
        first, last = (act.value(strength * features[k]) for k in (0, -1))
        winner = int(last.argmax())
        taken = [float(x[winner] / x.sum()) if x.sum() > 0 else math.nan for x in (first, last)]
        print(f"{name}: filter {winner} leads at the end with {features[-1, winner]:.3g};", end=" ")
        print(f"its part of {name}'s logit: {taken[0]:.0%} to {taken[1]:.0%}")
    print(_ratio_text(law, q, A0, B0))
    print(f"filters with a negative start of v: {int((B0 < 0).sum())} of {filters}")
    panel = RacePanel(f"{filters} filters, *q* = {q:g}", A, B)
    return race_picture(path.steps, [panel], name="filters-lab")


def train_race_lab() -> LiveLab:
    """Build the lab in which a network is trained without an adversary.

    Returns
    -------
    LiveLab
        Controls for seed, exponent and number of filters.

    Notes
    -----
    Source: Theorem III.4.3, after Li and Li (2025).
    """
    return LiveLab(
        train_a_race,
        [
            Slider("seed", "seed", list(range(25)), start=6),
            Slider("q", "exponent *q*", [2.0, 2.5, 3.0, 4.0], start=3.0, format="{:g}"),
            Slider("filters", "filters *m*", [1, 4, 12, 48, 100], start=12),
        ],
        title="Train it yourself",
    )


def filters_lab() -> LiveLab:
    """Build the lab in which the filters of one class race.

    Returns
    -------
    LiveLab
        Controls for the number of filters, the exponent and the seed.

    Notes
    -----
    Source: Proposition III.2.
    """
    return LiveLab(
        race_filters,
        [
            Slider("filters", "filters *m*", [2, 4, 12, 30, 60], start=12),
            Slider("q", "exponent *q*", [1.5, 2.0, 2.5, 3.0, 4.0], start=3.0, format="{:g}"),
            Slider("seed", "seed", list(range(25)), start=0),
        ],
        title="Which filter takes it all?",
    )

"""The live lab of the race: train without an adversary.

It trains a network by standard training for a seed, an exponent and a number of filters, and
compares each class with its race ratio.  No formula lives here.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.chapters.two_kinds_of_features.figures import RacePanel, race_picture
from sublinear_lib.features import (
    FeatureData,
    SmoothedReLU,
    TrainingSettings,
    feature_attack,
    feature_recursion,
    race_ratio,
    train_features,
)
from sublinear_lib.plotting import Picture
from sublinear_lib.validation import count, scalar
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["train_a_race", "train_race_lab"]

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

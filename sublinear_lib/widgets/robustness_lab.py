"""The live labs of the chapter on robustness: certify a run of your own, and train on digits.

The first trains on patch data, standard or against a budget, and bounds the robust error at the
chosen test budget and along others; the second does the same with the digits of scikit-learn.  No
formula lives here.  Before changing them, know that
every number comes as a pair: what attacks found, and what the certificate leaves open.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sublinear_lib.chapters.what_is_robust_and_what_is_not.figures import (
    ErrorBracket,
    robust_error_picture,
)
from sublinear_lib.features import (
    FeatureData,
    TrainingAttack,
    TrainingSettings,
    certify_patches,
    digit_settings,
    error_curve,
    gradient_attack,
    image_digits,
    robustness_window,
    train_features,
    train_images,
)
from sublinear_lib.plotting import Picture, number
from sublinear_lib.validation import choice, count, generator, scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["certify_lab", "certify_run", "robust_digits_lab", "robust_digits_run"]

_STANDARD_STEPS = 400
_INPUTS = 24
_SPREAD = (-0.2, -0.08, -0.04, 0.0, 0.04, 0.08, 0.2)
_IMAGES = 300
_IMAGE_EPS = (0.0, 0.05, 0.1, 0.15, 0.2)


def _who(budget: float) -> str:
    return "standard training" if budget == 0.0 else f"trained with *ε* = {number(budget)}"


def certify_run(budget: float, rate: float, eps: float, seed: int) -> Picture:
    """Train on patch data, print what is known about the robust error, draw it over the budget.

    Parameters
    ----------
    budget : float
        The budget of the training adversary, 0 to 3; 0 is standard training.
    rate : float
        The rate of its one step, ``> 0``; without meaning for standard training.
    eps : float
        The test budget, 0 to 3.
    seed : int
        Seed of data, first weights and attacks, ``>= 0``.

    Returns
    -------
    Picture
        Attacks from below and the certificate from above, at budgets around the chosen one.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Propositions III.8 and III.9, ours.
    """
    budget = scalar(budget, "budget", minimum=0.0, maximum=3.0)
    rate = scalar(rate, "rate", exclusive_minimum=0.0)
    eps = scalar(eps, "eps", minimum=0.0, maximum=3.0)
    rng = generator(count(seed, "seed", minimum=0))
    law, settings = FeatureData(), TrainingSettings(steps=_STANDARD_STEPS)
    if budget > 0.0:
        settings = TrainingSettings(attack=TrainingAttack(eps=budget, rate=rate))
    network = train_features(law, settings, rng).network
    shares = network.shares(law).share
    data = law.sample(_INPUTS, rng)
    print(
        f"share of u in the logit, by class: {', '.join(f'{s:.1%}' for s in shares.tolist())}; "
        f"clean error {network.error(data.X, data.y):.1%}"
    )
    places = np.unique(np.maximum(0.0, eps + np.array(_SPREAD)))
    curve = error_curve(network, data, places, rng)
    at = int(np.argmin(np.abs(places - eps)))
    low, high = float(curve.attacked[at]), float(curve.certified[at])
    print(
        f"eps = {number(eps)}: attacks break {round(low * _INPUTS)} of {_INPUTS} inputs, the "
        f"certificate leaves {round(high * _INPUTS)} open"
    )
    window = robustness_window(law, 3)
    return robust_error_picture(
        {_who(budget): ErrorBracket(curve.eps, curve.attacked, curve.certified)},
        window=(window.lower, window.upper),
        name="certify-lab",
    )


def robust_digits_run(budget: float, warm_up: str, eps: float, seed: int) -> Picture:
    """Train on 500 digits, print clean, attacked and certified error on 300 others, draw them.

    Parameters
    ----------
    budget : float
        The budget of the training adversary on pixels in [0, 1], 0 to 1; 0 is standard training.
    warm_up : {"yes", "no"}
        Whether the budget grows slowly.
    eps : float
        The test budget, 0 to 1.
    seed : int
        Seed of the choice of images, first weights and attacks, ``>= 0``.

    Returns
    -------
    Picture
        Attacks from below and the certificate from above, over the test budget.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Proposition III.11, measured.
    """
    budget = scalar(budget, "budget", minimum=0.0, maximum=1.0)
    slowly = choice(warm_up, "warm_up", ("yes", "no")) == "yes"
    eps = scalar(eps, "eps", minimum=0.0, maximum=1.0)
    rng = generator(count(seed, "seed", minimum=0))
    settings = digit_settings(budget, warm_up=slowly)
    if budget == 0.0:
        settings = replace(settings, attack=None)
    run = train_images(image_digits(), settings, rng)
    test = run.test.take(np.arange(_IMAGES))
    X, y = test.patches(), test.y
    places = np.unique([*_IMAGE_EPS, eps])
    broken = np.zeros((len(places), _IMAGES), dtype=np.bool_)
    open_ = np.zeros_like(broken)
    for row, size in enumerate(places.tolist()):
        found = gradient_attack(run.network, X, y, size, rng=rng, box=(0.0, 1.0))
        broken[row] = ~(found.margins > 0)
        open_[row] = ~certify_patches(run.network, X, y, size).certified
    # What breaks within one budget breaks within every larger one.
    attacked = np.logical_or.accumulate(broken, axis=0).mean(axis=1)
    certified = np.logical_or.accumulate(open_, axis=0).mean(axis=1)
    at = int(np.flatnonzero(places == eps)[0])
    print(
        f"training loss at the end {run.history.loss[-1]:.3f} (log 10 = {np.log(10):.3f} is chance)"
    )
    print(
        f"clean error {run.network.error(X, y):.1%}\neps = {number(eps)}: robust error "
        f"between {attacked[at]:.1%} (attack) and {certified[at]:.1%} "
        "(certificate)"
    )
    return robust_error_picture(
        {_who(budget): ErrorBracket(places, attacked, certified)}, name="robust-digits-lab"
    )


def certify_lab() -> LiveLab:
    """Build the lab in which a run on patch data is attacked and certified.

    Returns
    -------
    LiveLab
        Controls for training budget, rate, test budget and seed.

    Notes
    -----
    Source: Propositions III.8 and III.9, ours.
    """
    return LiveLab(
        certify_run,
        [
            Slider(
                "budget",
                "training budget",
                [0.0, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2],
                start=0.9,
                format="{:g}",
            ),
            Slider("rate", "rate of the step", [30, 100, 300, 1000, 3000], start=300),
            Slider(
                "eps", "test budget *ε*", [0.3, 0.45, 0.5, 0.52, 0.55, 0.6, 0.7, 0.9], start=0.52
            ),
            Slider("seed", "seed", list(range(25)), start=0),
        ],
        title="Certify your own run",
    )


def robust_digits_lab() -> LiveLab:
    """Build the lab in which digits are learned against a budget.

    Returns
    -------
    LiveLab
        Controls for training budget, warm-up, test budget and seed.

    Notes
    -----
    Source: Proposition III.11, measured.
    """
    return LiveLab(
        robust_digits_run,
        [
            Slider(
                "budget",
                "training budget",
                [0.0, 0.05, 0.1, 0.15, 0.2, 0.3],
                start=0.1,
                format="{:g}",
            ),
            Choice("warm_up", "warm-up", ["yes", "no"]),
            Slider("eps", "test budget *ε*", [0.05, 0.1, 0.15, 0.2], start=0.1),
            Slider("seed", "seed", list(range(20)), start=0),
        ],
        title="Train on digits against a budget",
    )

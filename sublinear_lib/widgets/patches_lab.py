"""The live lab of the two kinds of features: attack a sample.

It draws a sample with noise and jitter, attacks it, and prints what networks of one kind of feature
answer.  No formula lives here.
"""

from __future__ import annotations

from typing import Final

from sublinear_lib.chapters.two_kinds_of_features.figures import HeatPanel, HeatRows, patch_picture
from sublinear_lib.features import (
    FEATURE_ATTACKS,
    FeatureAttack,
    FeatureData,
    PatchNetwork,
    certify_patches,
    feature_attack,
    feature_perturbation,
)
from sublinear_lib.plotting import Picture
from sublinear_lib.plotting.formats import number
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = [
    "attack_a_sample",
    "sample_lab",
]

_INPUTS: Final = 30


def attack_a_sample(
    alpha: float,
    beta: float,
    nonrobust_patches: int,
    noise: float,
    eps: float,
    kind: str,
    seed: int,
) -> Picture:
    """Draw 30 inputs, attack them, print the errors of two pure networks, and show the first.

    Parameters
    ----------
    alpha, beta : float
        Mean strengths of the robust patch and of the others, ``> 0``; the jitter is 0.05.
    nonrobust_patches : int
        The number P_NR, 1 to 120.
    noise : float
        The standard deviation of the noise, ``>= 0``.
    eps : float
        The budget of the adversary, ``>= 0``.
    kind : str
        One of `sublinear_lib.features.FEATURE_ATTACKS`.
    seed : int
        Seed of the sample, ``>= 0``.

    Returns
    -------
    Picture
        The first input, its change towards the next class, and the sum of the two; of the
        coordinates without a feature only the first.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Definition 2.2 and Proposition 3.1 of Li and Li (2025).
    """
    attack: FeatureAttack = choice(kind, "kind", FEATURE_ATTACKS)
    law = FeatureData(
        alpha=alpha,
        beta=beta,
        nonrobust_patches=count(nonrobust_patches, "nonrobust_patches", maximum=120),
        noise=noise,
    )
    data = law.sample(_INPUTS, rng=count(seed, "seed", minimum=0))
    size = scalar(eps, "eps", minimum=0.0)
    robust, nonrobust = law.densities(3)
    print(f"sums for q = 3: u {robust:.4g}, v {nonrobust:.4g}, C = {law.density_ratio(3):.3g}")
    for letter, (A, B) in {"u": (1.0, 0.0), "v": (0.0, 1.0)}.items():
        network = PatchNetwork.of_features(law, robust=[A], nonrobust=[B])
        clean = network.error(data.X, data.y)
        found = feature_attack(network, data, size, attack).error
        proof = certify_patches(network, data.X, data.y, size).error
        print(
            f"{letter} alone: clean error {clean:.2f}, this attack {found:.2f}, "
            f"any attack at most {proof:.2f}"
        )
    delta = feature_perturbation(data, size, attack, (data.y + 1) % law.classes)[0]
    names = [[f"*{letter}*_{{{i}}}" for i in (1, 2, 3)] for letter in "uv"]
    rows = [
        HeatRows(names[0], "c1"),
        HeatRows(names[1], "c2"),
        HeatRows(["*e*_{7}"], "muted"),
    ]
    shown = slice(0, 7)
    panels = [
        HeatPanel("clean input", data.X[0, :, shown]),
        HeatPanel(f"change, *ε* = {number(size)}", delta[:, shown]),
        HeatPanel("attacked input", (data.X[0] + delta)[:, shown]),
    ]
    return patch_picture(panels, rows, floor=0.1, name="sample-lab")


def sample_lab() -> LiveLab:
    """Build the lab in which a sample is drawn and attacked.

    Returns
    -------
    LiveLab
        Controls for strengths, density, noise, budget, attack and seed.

    Notes
    -----
    Source: Definition 2.2 of Li and Li (2025).
    """
    names: dict[str, str] = {kind: kind.replace("_", " ") for kind in FEATURE_ATTACKS}
    names["prop_3_1"] = "Proposition 3.1"
    return LiveLab(
        attack_a_sample,
        [
            Slider("alpha", "strength *α*", [1.0, 2.0, 3.0, 4.0, 5.0], start=3.0),
            Slider("beta", "strength *β*", [0.25, 0.5, 1.0, 1.5], start=1.0),
            Slider("nonrobust_patches", "patches of *v*", [3, 10, 30, 60, 90, 120], start=60),
            Slider("noise", "noise", [0.0, 0.025, 0.1, 0.2, 0.4], start=0.025),
            Slider(
                "eps",
                "budget *ε*",
                [0.0, 0.25, 0.45, 0.5, 0.52, 0.55, 0.6, 0.65, 0.75, 0.9, 1.05, 1.2, 1.5],
                start=0.65,
            ),
            Choice("kind", "attack", names, start="swap_both"),
            Slider("seed", "seed", list(range(20)), start=0),
        ],
        title="Draw a sample and attack it",
    )

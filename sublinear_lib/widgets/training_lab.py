"""The live lab of the first chapter: train on the digits with your own width and threshold.

It runs Algorithm 1 twice, over all neurons and over those the half-space index reports, and shows
losses, the neurons looked at and the work of both.  No formula lives here; in the static page the
lab is a still picture.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib import datasets, scaling
from sublinear_lib.adversary import ProjectedGradient, accuracy, accuracy_under_attack
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, grouped, loss_and_activity, percent
from sublinear_lib.training import DenseAdversarialTraining, SublinearAdversarialTraining
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["train_on_digits", "training_lab"]


def train_on_digits(m: int, t: float, rho: float, steps: int) -> Picture:
    """Train on threes against eights, densely and sparsely, print a summary, draw both runs.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``.
    rho : float
        Radius of the adversary (chord length), ``rho >= 0``.
    steps : int
        Steps of Algorithm 1, ``steps >= 2``.

    Returns
    -------
    Picture
        Loss and share of neurons looked at over the steps.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.
    TrainingDiverged
        If a weight or a loss stops being finite.

    Notes
    -----
    Source: Algorithm 1.
    """
    train, test = datasets.load_split("digits-3v8", 0.4, 0)
    tau = scaling.threshold_from_standard(t, m)
    start = TwoLayerNetwork.initialize(m, train.d, rng=0, tau=tau)
    adversary = ProjectedGradient(rho=rho, steps=5)
    dense = DenseAdversarialTraining(adversary=adversary, steps=steps).fit(
        start, train.X, train.y, rng=0
    )
    sparse = SublinearAdversarialTraining(adversary=adversary, steps=steps).fit(
        start, train.X, train.y, rng=0
    )
    difference = float(np.max(np.abs(dense.final.W - sparse.final.W)))
    attacked = accuracy_under_attack(sparse.final, test.X, test.y, adversary, 1)
    print(f"largest difference between the weights of the two runs: {difference:.1e}")
    print(f"row passes: dense {grouped(int(dense.work.sum()))}, sparse", end=" ")
    print(f"{grouped(int(sparse.work.sum()))}")
    print(f"test images right: clean {percent(accuracy(sparse.final, test.X, test.y))}", end=", ")
    print(f"under attack {percent(attacked)}")
    return loss_and_activity(
        sparse.step,
        {"dense": dense.loss, "sparse": sparse.loss},
        {"dense": dense.candidates / m, "sparse": sparse.candidates / m},
        name="training-lab",
    )


def training_lab(still: Picture) -> LiveLab:
    """Build the lab that trains on the digits.

    Parameters
    ----------
    still : Picture
        What the static page shows.

    Returns
    -------
    LiveLab
        Controls for width, threshold, radius and steps.

    Raises
    ------
    TypeError
        If `still` is not a `Picture`.

    Notes
    -----
    Source: Algorithm 1.
    """
    return LiveLab(
        train_on_digits,
        [
            Slider("m", "width *m*", [2**k for k in range(6, 14)], start=1024, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(13)],
                start=2.0,
                format="{:.2f}",
            ),
            Slider("rho", "radius *ρ*", [0.0, 0.1, 0.2, 0.3, 0.4], start=0.3, format="{:.1f}"),
            Slider("steps", "steps", [10, 30, 100, 300], start=30),
        ],
        still=still,
        title="Train with your own width and threshold",
    )

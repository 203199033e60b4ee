"""The live lab of the chapter on training: on the circle, with a certificate.

It trains on four points of the circle against an adversary of your choice and sets the loss that
training sees beside the exact robust loss.  No formula lives here.
"""

from __future__ import annotations

from collections.abc import Callable

from sublinear_lib import datasets, scaling
from sublinear_lib.adversary import (
    Adversary,
    ExactOnCircle,
    IdentityAdversary,
    ProjectedGradient,
    SmoothedGradient,
    robust_loss,
)
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, grouped, loss_curves
from sublinear_lib.training import (
    StableStep,
    StepRecord,
    SublinearAdversarialTraining,
)
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["certified_lab", "train_and_certify"]

_FOES = {
    "none": "nobody (standard training)",
    "plain": "plain gradient, 1 step",
    "smoothed": "smoothed gradient, 5 steps",
    "exact": "the exact worst case",
}


def _foe(name: str, rho: float) -> Adversary:
    if name == "plain":
        return ProjectedGradient(rho=rho, steps=1)
    if name == "smoothed":
        return SmoothedGradient.of_few_steps(rho)
    return ExactOnCircle(rho=rho) if name == "exact" else IdentityAdversary()


def train_and_certify(foe: str, m: int, t: float, rho: float, steps: int, seed: int) -> Picture:
    """Train on four points of the circle, certify the robust loss on the way, print and draw both.

    Parameters
    ----------
    foe : {"none", "plain", "smoothed", "exact"}
        The adversary in training.
    m : int
        Width, ``m >= 1``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``; the activation has the jump.
    rho : float
        Radius of the adversary (chord length), ``> 0``.
    steps : int
        Steps of Algorithm 1, ``>= 2``.
    seed : int
        Seed of the network, ``>= 0``.

    Returns
    -------
    Picture
        The loss that training sees, and the exact robust loss at about twenty steps.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.
    TrainingDiverged
        If a weight or a loss stops being finite.

    Notes
    -----
    Source: Algorithm 1, Definition 3.4 for d = 3; alternating labels, Huber loss, a quarter of the
    unit of the stable rule as step size.
    """
    adversary = _foe(choice(foe, "foe", tuple(_FOES)), scalar(rho, "rho", exclusive_minimum=0.0))
    steps = count(steps, "steps", minimum=2)
    data = datasets.circle(4)
    start = TwoLayerNetwork.initialize(
        count(m, "m"),
        data.d,
        rng=count(seed, "seed", minimum=0),
        tau=scaling.threshold_from_standard(t, m),
    )
    every = max(1, steps // 20)
    looked = [0]
    exact = [robust_loss(start, data.X, data.y, rho, "huber").upper]

    def look(record: StepRecord, network: Callable[[], TwoLayerNetwork]) -> None:
        """Certify the weights after the step; the loss of row t is that of the weights before."""
        after = record.step + 1
        if after % every == 0:
            looked.append(after)
            exact.append(robust_loss(network(), data.X, data.y, rho, "huber").upper)

    run = SublinearAdversarialTraining(
        adversary=adversary, eta=StableStep(c0=0.25), steps=steps
    ).fit(start, data.X, data.y, rng=0, callback=look)
    worst = robust_loss(run.final, data.X, data.y, rho, "huber")
    print(f"loss in training {run.loss[0]:.3f} to {run.loss[-1]:.5f}")
    print(f"exact robust loss at the end: {worst.lower:.5f} to {worst.upper:.5f}")
    return loss_curves(
        {
            f"trained against {_FOES[foe]}": {
                "in training": (run.step, run.loss),
                "exact": (looked, exact),
            }
        },
        name="certified-lab",
    )


def certified_lab() -> LiveLab:
    """Build the lab that trains on the circle and certifies the robust loss.

    Returns
    -------
    LiveLab
        Controls for the adversary, width, threshold, radius, steps and seed.

    Notes
    -----
    Source: Algorithm 1, Definition 3.4 for d = 3.
    """
    return LiveLab(
        train_and_certify,
        [
            Choice("foe", "adversary in training", _FOES, start="smoothed"),
            Slider("m", "width *m*", [2**k for k in range(8, 15)], start=2048, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(12)],
                start=2.0,
                format="{:.2f}",
            ),
            Slider("rho", "radius *ρ*", [0.05, 0.1, 0.15, 0.3, 0.5], start=0.15, format="{:.2f}"),
            Slider("steps", "steps", [20, 50, 100, 200, 400], start=200),
            Slider("seed", "seed", list(range(10)), start=0),
        ],
        title="Train against your adversary, and certify",
    )

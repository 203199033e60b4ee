"""The live labs of the chapter on convergence: a run with its bill, and a step size of your own.

The first trains against the exact adversary on the circle and draws every term of Theorem D; the
second moves the power of m in the step size on one training point.  No formula lives here; in the
static page a lab is a still picture.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib import datasets, scaling
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, grouped, loss_curves, number, regret_bars
from sublinear_lib.theory import regret
from sublinear_lib.training import regret_run
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["bill_lab", "run_and_bill", "step_size_lab", "try_step_size"]

_SETS = ("R1", "R2", "R3")
_RHO = 0.1
_FLOOR = 1e-3


def run_and_bill(preset: str, m: int, epsilon: float, seed: int) -> Picture:
    """Train on three points of the circle as Theorem D says, print the bill, draw it.

    Parameters
    ----------
    preset : {"R1", "R2", "R3"}
        The powers of m.
    m : int
        Width, ``m >= 1``.
    epsilon : float
        Accuracy, ``> 0``.
    seed : int
        Seed of the initialization, ``>= 0``.

    Returns
    -------
    Picture
        The terms of Theorem D on this run, with the average loss and the loss at the start.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Theorem D; labels 0.5, -0.5 and 0.4, absolute loss, exact adversary of radius 0.1.
    """
    rules = scaling.get_scaling(choice(preset, "preset", _SETS))
    start = TwoLayerNetwork.initialize(count(m, "m"), 3, rules, rng=count(seed, "seed", minimum=0))
    found = regret_run(start, datasets.circle(3).X, [0.5, -0.5, 0.4], rho=_RHO, epsilon=epsilon)
    ledger = found.ledger
    first, bound = float(ledger.losses[0]), ledger.measured.total
    print(f"{found.plan.steps} steps: average robust loss {ledger.average:.3f}", end=", ")
    print(f"from {first:.3f} to {ledger.losses[-1]:.3f}")
    print(f"Theorem D on this run {bound:.3f}, before it {ledger.promised.total:.3f}", end=": ")
    print("below the loss at the start" if bound < first else "above the loss at the start")
    return regret_bars(
        {preset: {f"*m* = {grouped(m)}": (ledger.measured.shares, ledger.average, first)}},
        name="bill-lab",
    )


def bill_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that trains and draws the terms of Theorem D.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for the set of powers, the width, the accuracy and the seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Theorem D.
    """
    return LiveLab(
        run_and_bill,
        [
            Choice("preset", "powers of *m*", _SETS),
            Slider("m", "width *m*", [2**k for k in range(8, 18)], start=2**13, format=grouped),
            Slider("epsilon", "accuracy *ε*", [0.1, 0.2, 0.3, 0.5], start=0.3),
            Slider("seed", "seed", list(range(10)), start=0),
        ],
        still=still,
        title="Train, and read the bill",
    )


def try_step_size(m: int, power: float, t: float, steps: int) -> Picture:
    """Train on one point with ``eta = m^(-power)/4`` and with the step size of Theorem D.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    power : float
        Minus the power of m in the step size, ``>= 0``.
    t : float
        Threshold in standard deviations, ``t >= 0``; the activation is the continuous one.
    steps : int
        Number of steps, ``>= 2``.

    Returns
    -------
    Picture
        The losses of both runs over the steps; losses below 0.001 are drawn there.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range, or no neuron fires.

    Notes
    -----
    Source: Theorem 4.3 and Theorem D; ``|a_r| = m^(-1/5)``, label 1, absolute loss, seed 0.
    """
    width, number_of_steps = count(m, "m"), count(steps, "steps", minimum=2)
    rng = np.random.default_rng(0)
    z = rng.standard_normal(width) * scaling.preactivation_std(width)
    a = scaling.PRINTED.output_weight(width) * rng.choice(np.array([-1.0, 1.0]), width)
    tau = scaling.threshold_from_standard(t, width)
    own = 0.25 * width ** -scalar(power, "power", minimum=0.0)
    right = regret.descent_step(abs(float(a[0])), width * scaling.activity_at(t), 0.25)
    curves = {}
    for label, eta in (("yours", own), ("Theorem D", right)):
        found = regret.one_point_regret(z, a, tau, 1.0, eta, number_of_steps, "continuous")
        losses = found.run.losses[:-1]
        print(f"{label}: eta = {eta:.3g}, average {found.average:.3f}", end=", ")
        print(f"last {losses[-1]:.3f}, Theorem D allows {found.measured.total:.3f}")
        curves[label] = (np.arange(number_of_steps), losses)
    title = f"*m* = {grouped(width)}, *η* = *m*^{{−{number(power)}}}/4"
    return loss_curves({title: curves}, floor=_FLOOR, name="step-size-lab")


def step_size_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that tries powers of m in the step size.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for the width, the power, the threshold and the number of steps.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Theorem 4.3.
    """
    return LiveLab(
        try_step_size,
        [
            Slider("m", "width *m*", [2**k for k in range(8, 21, 2)], start=2**14, format=grouped),
            Slider(
                "power",
                "*x* in *η* = *m*^{−*x*}/4",
                [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
                start=0.2,
            ),
            Slider("t", "threshold, in standard deviations", [0.0, 1.0, 2.0, 3.0], start=0.0),
            Slider("steps", "steps", [16, 64, 256], start=64),
        ],
        still=still,
        title="Choose the power of the step size",
    )

"""The explorer of the training chapter: width, threshold and step size against the loss curves.

Every position is one run of Algorithm 1 on four points of the circle (d = 3), where a strong attack
is cheap; the curves are what `SublinearAdversarialTraining` returns.  No formula lives here: the
unit of the step size is the library's stable rule, and the printed rule is marked in it.  Without a
threshold the two activations are one function, so that their position is run once.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from sublinear_lib import datasets, scaling, theory
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.training import StableStep, SublinearAdversarialTraining, resolve_step_size
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, View

__all__ = ["training_curve_explorer", "training_curve_view"]

_POINTS, _RHO, _STEPS, _FLOOR, _CEILING = 4, 0.15, 40, 1e-3, 10.0
_ACTIVATIONS = {
    "jump": "with the jump (the paper's)",
    "continuous": "continuous (that of R3)",
}


@lru_cache(maxsize=1024)
def _run(
    m: int, t: float, c0: float, activation: str, seed: int
) -> tuple[FloatArray, FloatArray, float, float]:
    data = datasets.circle(_POINTS)
    tau = scaling.threshold_from_standard(t, m)
    start = TwoLayerNetwork.initialize(m, data.d, rng=seed, tau=tau, activation=activation)
    history = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=_RHO, steps=3),
        eta=StableStep(c0=c0),
        steps=_STEPS,
        index="caps",
    ).fit(start, data.X, data.y, rng=seed)
    printed = resolve_step_size("printed", start) / resolve_step_size(StableStep(c0=1.0), start)
    return history.loss, history.clean_loss, printed, float(history.activity_max[-1])


def training_curve_view(
    m: int, t: float, c0: float, activation: str = "jump", seed: int = 0
) -> View:
    """Show the losses of a run of Algorithm 1 at a width, a threshold and a step size.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    t : float
        Standardized threshold, ``t >= 0``.
    c0 : float
        Constant of the stable rule ``eta = c0 / (2 Q(t) sum_r a_r^2)``, ``> 0``.
    activation : {"jump", "continuous"}, default "jump"
        Form of the shifted ReLU.
    seed : int, default 0
        Seed of the initial network, ``seed >= 0``.

    Returns
    -------
    View
        Loss at the attacked and at the clean points over 40 steps.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.
    TrainingDiverged
        If a weight or a loss stops being finite.

    Notes
    -----
    Source: Algorithm 1, Theorem 4.3 (the step size).  Four points of the circle with alternating
    labels, radius 0.15, three steps of projected gradients.
    """
    m, t = count(m, "m", minimum=1), scalar(t, "t", minimum=0.0)
    form = choice(activation, "activation", tuple(_ACTIVATIONS))
    seed = count(seed, "seed", minimum=0)
    loss, clean, printed, active = _run(m, t, c0, form if t > 0.0 else "jump", seed)
    steps = np.arange(len(loss))
    half = len(loss) // 2
    late, worst = float(loss[half:].mean()), float(loss[half:].max())
    share = percent(scaling.activity(scaling.threshold_from_standard(t, m), m))
    return View(
        x=Axis(label="step", limits=(0, len(loss) - 1)),
        y=Axis(label="loss", scale="log10", limits=(_FLOOR, _CEILING)),
        marks=[
            Line(steps, np.clip(loss, _FLOOR, _CEILING), label="attacked", role="c1"),
            Line(steps, np.clip(clean, _FLOOR, _CEILING), label="clean", role="c2", width=1.5),
        ],
        sentence=(
            f"With {grouped(m)} neurons the threshold is t = τ√(m/2) = {number(float(t))} standard "
            f"deviations, and Q(t) = {share} of the neurons fire at one input at the start. With "
            f"{number(c0)} times the unit step the loss at attacked points goes from "
            f"{number(float(loss[0]))} to {number(float(loss[-1]))}; over the second half of the "
            f"run it is {number(late)} on average and at most {number(worst)}. The printed step "
            f"size with ε = 0.1 would be {number(printed)} units."
        ),
        readouts={
            "*t* = *τ* √(*m*/2)": number(float(t)),
            "*Q*(*t*)": share,
            "average loss": number(float(loss.mean())),
            "lowest loss": number(float(loss.min())),
            "last loss": number(float(loss[-1])),
            "the printed rule would be *c*_{0}": number(printed),
        },
        warning=_warning(
            late > float(loss[0]),
            active == 0.0,
            m * scaling.threshold_from_standard(t, m),
            form,
        ),
    )


def _warning(rising: bool, silent: bool, scaled: float, activation: str) -> str:
    """Say what went wrong in the run, and which hypothesis fails at the chosen point."""
    said = []
    if silent:
        said.append(
            "No neuron fires at the attacked points any more: the steps have silenced the network."
        )
    elif rising:
        said.append("The loss ends above where it began: this step is too large.")
    outside = [f"m is below n^(300/31) = {grouped(math.ceil(theory.printed_width(_POINTS)))}"]
    if scaled > 1.0:
        outside.append(f"τ = {number(scaled)}/m is not O(1/m) with the constant 1")
        if activation != "jump":
            outside.append("the activation is not the printed one")
    said.append(f"The proof of Theorem 4.3 does not speak here: {'; '.join(outside)}.")
    return " ".join(said)


def training_curve_explorer() -> Explorer:
    """Build the explorer of width, threshold, step size, activation and seed.

    Returns
    -------
    Explorer
        Widths from 256 to 4096, thresholds from 0 to 2.33 standard deviations, step sizes from a
        tenth of the unit of the stable rule to thirty times it, both activations and two seeds.

    Notes
    -----
    Source: Algorithm 1, Theorem 4.3.
    """
    return Explorer(
        training_curve_view,
        [
            Slider("m", "width *m*", [2**8, 2**10, 2**12], start=2**10, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.0, 0.67, 1.28, 1.65, 2.33],
                start=1.65,
                format="{:.2f}",
            ),
            Slider(
                "c0",
                "step size *c*_{0}, in units of the stable rule",
                [0.1, 0.3, 1.0, 3.0, 10.0, 30.0],
                start=1.0,
            ),
            Choice("activation", "activation", _ACTIVATIONS),
            Slider("seed", "seed of the network", [0, 1]),
        ],
        title="Width, threshold, step size",
        name="training-curves",
    )

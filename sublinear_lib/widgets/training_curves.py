"""The explorer of the training chapter: width, threshold and step size against the loss curves.

Every position is one run of Algorithm 1 on four points of the circle (d = 3), where a strong attack
is cheap; the curves are what `SublinearAdversarialTraining` returns.  No formula lives here: the
unit of the step size is the library's stable rule, and the printed rule is expressed in it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sublinear_lib import datasets, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.training import StableStep, SublinearAdversarialTraining, resolve_step_size
from sublinear_lib.validation import count, scalar
from sublinear_lib.widgets._menus import width
from sublinear_lib.widgets.controls import Choice
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, View

__all__ = ["training_curve_explorer", "training_curve_view"]

_POINTS, _RHO, _STEPS, _SEED, _FLOOR, _CEILING = 4, 0.15, 40, 0, 1e-3, 10.0


@lru_cache(maxsize=1024)
def _run(m: int, t: float, c0: float) -> tuple[FloatArray, FloatArray, float, float, float]:
    data = datasets.circle(_POINTS)
    tau = scaling.threshold_from_standard(t, m)
    start = TwoLayerNetwork.initialize(m, data.d, rng=_SEED, tau=tau)
    history = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=_RHO, steps=3),
        eta=StableStep(c0=c0),
        steps=_STEPS,
        index="caps",
    ).fit(start, data.X, data.y, rng=_SEED)
    printed = resolve_step_size("printed", start) / resolve_step_size(StableStep(c0=1.0), start)
    firing = float(start.active_mask(data.X).mean())
    return history.loss, history.clean_loss, printed, float(history.activity_max[-1]), firing


def training_curve_view(m: int, t: float, c0: float) -> View:
    """Show the losses of a run of Algorithm 1 at a width, a threshold and a step size.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    t : float
        Standardized threshold, ``t >= 0``.
    c0 : float
        Constant of the stable rule ``eta = c0 / (2 Q(t) sum_r a_r^2)``, ``> 0``.

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
    labels, radius 0.15, three steps of projected gradients, the activation with the jump, seed 0.
    """
    m, t = count(m, "m", minimum=1), scalar(t, "t", minimum=0.0)
    loss, clean, printed, active, firing = _run(m, t, c0)
    steps = np.arange(len(loss))
    late = float(loss[len(loss) // 2 :].mean())
    return View(
        x=Axis(label="step", limits=(0, len(loss) - 1)),
        y=Axis(label="loss", scale="log10", limits=(_FLOOR, _CEILING)),
        marks=[
            Line(steps, np.clip(loss, _FLOOR, _CEILING), label="attacked", role="c4"),
            Line(steps, np.clip(clean, _FLOOR, _CEILING), label="clean", role="c1", width=1.5),
        ],
        sentence=(
            f"Of {grouped(m)} neurons {percent(firing)} fire at an example at the start. The loss "
            f"at the attacked points goes from {number(float(loss[0]))} to "
            f"{number(float(loss[-1]))}; over the second half of the run it is {number(late)} on "
            f"average{_failing(late > float(loss[0]), active == 0.0)}. The printed step would be "
            f"{number(printed)} units long."
        ),
    )


def _failing(rising: bool, silent: bool) -> str:
    """Say what went wrong in the run, if anything did."""
    if silent:
        return ", and no neuron fires there any more"
    return ", above where it began: this step is too long" if rising else ""


def training_curve_explorer() -> Explorer:
    """Build the explorer of width, threshold and step size.

    Returns
    -------
    Explorer
        Widths from 256 to 16384, two thresholds, and a step size of the stable rule, one that is
        shorter and one that is longer.

    Notes
    -----
    Source: Algorithm 1, Theorem 4.3.
    """
    return Explorer(
        lambda m, t, c0: training_curve_view(m, float(t), float(c0)),
        [
            width(8, 14, start=2**10),
            Choice("t", "threshold, in standard deviations", ["0", "1.28"]),
            Choice("c0", "step size, adapted to width and threshold", ["0.3", "1", "30"], "1"),
        ],
        title="One step size for every width?",
        description="Four points of the circle, *d* = 3, *ρ* = 0.15, three attack steps.",
        name="training-curves",
    )

"""The live labs of the chapter on the price of a jump: walk through the ball, take a first step.

The first moves every neuron along its output sign and compares the network with the pseudo-network
(Proposition 2); the second takes gradient steps of the length that would bring g to a label.  No
formula lives here; in the static page the labs are still pictures.
"""

from __future__ import annotations

import math

import numpy as np

from sublinear_lib import scaling, theory
from sublinear_lib.adversary import IdentityAdversary
from sublinear_lib.losses import HuberLoss
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.plotting import Picture, grouped, loss_curves, number, percent, way_picture
from sublinear_lib.training import SublinearAdversarialTraining
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._circle import AN_INPUT
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["first_step_lab", "take_first_steps", "walk_lab", "walk_through_ball"]

_FORMS = ("jump", "continuous")
_PRESETS = ("PRINTED", "R1", "R2", "R3")
_PLACES = 101


def walk_through_ball(m: int, t: float, preset: str, seed: int) -> Picture:
    """Walk from W_0 to the edge of the ball, print f over g at the end, draw the way.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``.
    preset : {"PRINTED", "R1", "R2", "R3"}
        Where output weights and radius come from; ``K = 1``.
    seed : int
        Seed of the network, ``>= 0``.

    Returns
    -------
    Picture
        The change of f for both activations, and g, where every neuron follows its output sign.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Proposition 2; `sublinear_lib.theory.line_ratio` has the expected end of the way.
    """
    m = count(m, "m", minimum=1)
    rules = scaling.get_scaling(choice(preset, "preset", _PRESETS))
    tau = scaling.threshold_from_standard(t, m)
    delta = rules.radius(m)
    theta = scaling.standardize_threshold(delta, m)
    way = np.linspace(0.0, 1.0, _PLACES)
    change, reach = {}, np.zeros(_PLACES)
    for form in _FORMS:
        start = TwoLayerNetwork.initialize(m, 3, rules, rng=seed, tau=tau, activation=form)
        step = delta * np.sign(start.a)[:, None] * AN_INPUT
        moved = [start.W + place * step for place in way]
        values = np.array([start.with_weights(W).forward(AN_INPUT)[0] for W in moved])
        change[form] = values - values[0]
        if form == _FORMS[0]:  # both have one pseudo-network
            reach = np.array([PseudoNetwork(start, W).forward(AN_INPUT)[0] for W in moved])
        if reach[-1] == 0.0:
            print(f"{form}: no neuron is active at x, so g does not move; f {change[form][-1]:.3g}")
            continue
        law = theory.line_ratio(t, theta, form)
        print(f"{form}: f moves {number(change[form][-1] / reach[-1])} times as far as g", end="")
        print(f", expected {number(law)}")
    print(f"share of active neurons Q(t) = {percent(scaling.activity_at(t))}")
    return way_picture(
        way,
        {f"*f*, {form}": values for form, values in change.items()},
        ("*g*", reach),
        name="walk-lab",
    )


def take_first_steps(m: int, t: float, distance: float, c: float, steps: int, seed: int) -> Picture:
    """Train on one example from a small distance, print the first step, draw both losses.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``.
    distance : float
        How far above f the label is at the start, in (0, 1].
    c : float
        Step size in units of the one that brings g to the label in one step, ``> 0``.
    steps : int
        Gradient steps, ``>= 2``.
    seed : int
        Seed of the network, ``>= 0``.

    Returns
    -------
    Picture
        The loss over the steps for both activations.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range, or no neuron is active.
    TrainingDiverged
        If a weight or a loss stops being finite.

    Notes
    -----
    Source: Algorithm 1 with n = 1 and no adversary; `sublinear_lib.theory.step_ratio` has the
    expected first step.  The loss is Huber's with ``delta = 1``: half the squared residual.
    """
    m = count(m, "m", minimum=1)
    distance = scalar(distance, "distance", exclusive_minimum=0.0, maximum=1.0)
    c = scalar(c, "c", exclusive_minimum=0.0)
    steps = count(steps, "steps", minimum=2)
    tau = scaling.threshold_from_standard(t, m)
    losses = {}
    for form in _FORMS:
        start = TwoLayerNetwork.initialize(m, 3, rng=seed, tau=tau, activation=form)
        weight = float(abs(start.a[0]))
        active = int(start.active_mask(AN_INPUT).sum())
        if not active:
            raise ValueError(f"t must leave an active neuron, got t = {t} and m = {m}")
        begin = start.forward(AN_INPUT)
        label = begin + distance
        eta = c / (weight**2 * active)
        train = SublinearAdversarialTraining(
            adversary=IdentityAdversary(), loss=HuberLoss(delta=1.0), eta=eta, steps=steps
        )
        run = train.fit(start, AN_INPUT, label, rng=0)
        losses[form] = (run.step, run.loss)
        travel = scaling.standardize_threshold(eta * weight * distance, m)
        law = c * theory.step_ratio(t, travel, form)
        left = math.sqrt(2.0 * float(run.loss[1])) / distance
        print(f"{form}: after one step {number(left)} of the distance is left", end="")
        print(f", expected {number(abs(1.0 - law))}; loss at the end {number(run.loss[-1])}")
    return loss_curves(
        {f"*t* = {number(t)}": losses}, floor=1e-8, ylabel="loss at one example", name="step-lab"
    )


def walk_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that walks through the ball.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, threshold, powers and seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Proposition 2.
    """
    return LiveLab(
        walk_through_ball,
        [
            Slider("m", "width *m*", [2**k for k in range(8, 17)], start=2**14, format=grouped),
            Slider(
                "t",
                "threshold *t*",
                [0.25 * k for k in range(13)],
                start=1.5,
                format="{:.2f}",
            ),
            Choice(
                "preset",
                "output weights and ball",
                {"PRINTED": "printed and R3", "R1": "R1", "R2": "R2"},
            ),
            Slider("seed", "seed", list(range(10)), start=1),
        ],
        still=still,
        title="Walk through your own ball",
    )


def first_step_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that takes first steps.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, threshold, distance, step size, steps and seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Algorithm 1, Proposition 2.
    """
    return LiveLab(
        take_first_steps,
        [
            Slider("m", "width *m*", [2**k for k in range(8, 17)], start=2**14, format=grouped),
            Slider(
                "t",
                "threshold *t*",
                [0.25 * k for k in range(11)],
                start=2.0,
                format="{:.2f}",
            ),
            Slider("distance", "distance to the label", [0.05, 0.1, 0.2, 0.5, 1.0], start=0.2),
            Slider("c", "step size", [0.1, 0.2, 0.3, 0.5, 0.7, 1.0], start=1.0),
            Slider("steps", "steps", [10, 20, 40, 80], start=20),
            Slider("seed", "seed", list(range(10)), start=1),
        ],
        still=still,
        title="Take your own first step",
    )

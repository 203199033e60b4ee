"""The live labs of the chapter on active neurons: grow the width under a rule, and train and count.

One draws networks of growing width under a rule for the threshold and compares the slope of the
share that fires with its closed form; the other trains on the circle and counts, after every step,
how many neurons fire at the examples and at the worst input.  No formula lives here; in the static
page each lab is a still picture.  Before changing it, know that the maximum over the circle is
exact.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sublinear_lib import datasets, scaling, statistics, theory
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import (
    Picture,
    activity_against_m,
    flips_during_training,
    grouped,
    number,
    percent,
)
from sublinear_lib.training import StepRecord, SublinearAdversarialTraining
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._circle import AN_INPUT
from sublinear_lib.widgets._menus import ACTIVATIONS
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["activity_training_lab", "grow_and_count", "growth_lab", "train_and_count_active"]

_RULES = {
    "1/m": "τ = 1/m (PRINTED, R1, R2)",
    "K/m^{3/5}": "τ = K/m^(3/5) (Section 4.2)",
    "t": "t = 1 at every width",
    "c": "t = √(2 c log m) (R3: c = 1/5)",
}


def grow_and_count(rule: str, K: float, c: float, largest: int, networks: int) -> Picture:
    """Draw networks of growing width under one rule, print the slope of the share that fires.

    Parameters
    ----------
    rule : {"1/m", "K/m^{3/5}", "t", "c"}
        The rule for the threshold, a key of `sublinear_lib.scaling.TAU_RULES`.
    K : float
        The constant of the second rule, ``> 0``.
    c : float
        The exponent of the last rule, in [0, 1].
    largest : int
        Largest width, ``>= 2^12``; the others are smaller by factors of 4, down to ``2^10``.
    networks : int
        Networks at each width, ``>= 3``.

    Returns
    -------
    Picture
        Share of active neurons at one input against the width: closed form and all neurons of the
        drawn networks, with 99.9 % Clopper-Pearson intervals.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Lemma 4.5 = C.15.
    """
    law = scaling.TAU_RULES[choice(rule, "rule", tuple(_RULES))]
    K = scalar(K, "K", exclusive_minimum=0.0)
    c = scalar(c, "c", minimum=0.0, maximum=1.0)
    top = count(largest, "largest", minimum=2**12)
    seeds = count(networks, "networks", minimum=3)
    widths = [m for k in range(10, 41, 2) if (m := 2**k) <= top]
    taus = [law.tau(m, K=K, c=c) for m in widths]
    active = np.empty((seeds, len(widths)))
    for seed, k in np.ndindex(active.shape):
        m = widths[k]
        network = TwoLayerNetwork.initialize(
            m, 3, rng=np.random.default_rng([seed, m]), tau=taus[k]
        )
        active[seed, k] = int(network.active_mask(AN_INPUT).sum())
    closed = [scaling.activity(tau, m) for tau, m in zip(taus, widths, strict=True)]
    slope = float(np.polyfit(np.log(widths), np.log(closed), 1)[0])
    rows = []
    for m, column in zip(widths, active.T, strict=True):
        interval = statistics.clopper_pearson(int(column.sum()), seeds * m)
        rows.append((m, interval.estimate, interval.lower, interval.upper))
    t = scaling.standardize_threshold(taus[-1], widths[-1])
    print(f"largest width {grouped(widths[-1])}: t = {number(t)}", end=", ")
    print(f"Q(t) = {percent(closed[-1])}, drawn {percent(rows[-1][1])}")
    if (active > 0).all():
        measured = statistics.loglog_slope(widths, active / np.array(widths))
        print(f"slope of the share: measured {measured}, closed form {slope:+.4f}")
    else:
        print(f"in some network nobody fires; slope of the closed form {slope:+.4f}")
    bound = [theory.printed_q0(m, K) / m for m in widths] if rule == "K/m^{3/5}" else None
    label = "closed form"
    return activity_against_m(
        widths,
        {label: closed},
        samples={label: rows},
        bound=bound,
        bound_label="printed *Q*₀/*m*",
        name="growth-lab",
    )


def train_and_count_active(m: int, t: float, activation: str, rho: float, steps: int) -> Picture:
    """Train on eight points of the circle and count after every step how many neurons fire.

    Parameters
    ----------
    m : int
        Width, ``m >= 2``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``.
    activation : {"jump", "continuous"}
        Form of the shifted ReLU.
    rho : float
        Radius of the adversary (chord length), ``rho >= 0``.
    steps : int
        Steps of Algorithm 1, ``steps >= 2``.

    Returns
    -------
    Picture
        Active neurons over the steps: the mean over the examples, the exact maximum over the
        circle, and what Theorem B allows at all inputs for all weights as far away as the farthest
        neuron.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.
    TrainingDiverged
        If a weight or a loss stops being finite.

    Notes
    -----
    Source: Definition 3.9 along Algorithm 1, Lemma 4.5, Theorem B of this project.
    """
    m = count(m, "m", minimum=2)
    tau = scaling.threshold_from_standard(t, m)
    form = choice(activation, "activation", tuple(ACTIVATIONS))
    start = TwoLayerNetwork.initialize(m, 3, rng=0, tau=tau, activation=form)
    data = datasets.circle(8)
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=rho, steps=5), steps=count(steps, "steps", minimum=2)
    )
    typical, worst = [], []

    def look(record: StepRecord, network: Callable[[], TwoLayerNetwork]) -> None:
        now = network()
        typical.append(float(now.active_mask(data.X).sum(axis=1).mean()))
        worst.append(theory.max_active_on_circle(now).count)

    run = trainer.fit(start, data.X, data.y, rng=0, callback=look)
    allowed = [theory.uniform_active_bound(tau, m, 3, float(far)) for far in run.drift_max]
    print(f"loss {run.loss[0]:.3f} to {run.loss[-1]:.3f}; farthest neuron", end=" ")
    print(number(float(run.drift_max[-1])))
    print(f"expected at one x before training: {number(m * scaling.activity(tau, m))}")
    print(f"at the worst x: {grouped(worst[0])} after one step", end=", ")
    print(f"{grouped(worst[-1])} in the end; Theorem B allows {grouped(allowed[-1])}")
    return flips_during_training(
        run.step,
        {"mean of examples": typical, "worst *x*": worst},
        {"Theorem B": allowed},
        name="active-training-lab",
    )


def growth_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that draws networks of growing width under a rule for the threshold.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for the rule, its constants, the largest width and the number of networks.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Lemma 4.5 = C.15.
    """
    return LiveLab(
        grow_and_count,
        [
            Choice("rule", "rule for *τ*", _RULES, start="c"),
            Slider("K", "constant *K*", [0.5, 1.0, 2.0, 4.0, 8.0], start=1.0),
            Slider("c", "exponent *c*", [0.05, 0.1, 0.2, 0.3, 0.4], start=0.3, format="{:.2f}"),
            Slider(
                "largest",
                "largest width",
                [2**k for k in range(14, 23, 2)],
                start=2**18,
                format=grouped,
            ),
            Slider("networks", "networks at each width", [5, 10, 20], start=10),
        ],
        still=still,
        title="Grow the network under your rule",
    )


def activity_training_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that trains on the circle and counts who fires.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, threshold, activation, radius and steps.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Definition 3.9 along Algorithm 1.
    """
    return LiveLab(
        train_and_count_active,
        [
            Slider("m", "width *m*", [2**k for k in range(8, 14)], start=1024, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(11)],
                start=1.5,
                format="{:.2f}",
            ),
            Choice(
                "activation",
                "activation",
                {"continuous": "continuous (R3)", "jump": "jump (PRINTED, R1, R2)"},
            ),
            Slider("rho", "radius *ρ*", [0.0, 0.05, 0.1, 0.2], start=0.1, format="{:.2f}"),
            Slider("steps", "steps", [10, 30, 60, 100, 200], start=60),
        ],
        still=still,
        title="Train, and watch who fires",
    )

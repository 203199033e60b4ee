"""The live labs of the chapter on f and g: measure the exponent of the gap, and train in the ball.

The first draws networks at four widths and fits the slope of the half-width; the second trains on
the circle and puts the gap of the trained weights beside the largest one that weights as far away
could have.  No formula lives here; in the static page each lab is a still picture.  Before changing
it, know that both compare with suprema that are exact at the inputs named (Proposition 1).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sublinear_lib import datasets, scaling, statistics, theory
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.plotting import Picture, cost_curves, grouped, loss_curves, number, percent
from sublinear_lib.training import StepRecord, SublinearAdversarialTraining
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._circle import AN_INPUT
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["gap_slope_lab", "gap_training_lab", "measure_the_gap", "train_and_compare"]

_PRESETS = ("PRINTED", "R1", "R2", "R3")
_FORMS = ("jump", "continuous")
_THRESHOLDS = {"set": "that of the set", "1": "t = 1", "2": "t = 2", "3": "t = 3"}
_DRAWS = 20
_FLOOR = 1e-4


def measure_the_gap(
    preset: str, threshold: str, activation: str, K: float, m: int, seed: int
) -> Picture:
    """Draw 20 networks at each of four widths, print the slope of the half-width, draw it.

    Parameters
    ----------
    preset : {"PRINTED", "R1", "R2", "R3"}
        Where output weights and radius come from.
    threshold : {"set", "1", "2", "3"}
        That of the preset, or so many standard deviations ``sqrt(2/m)``.
    activation : {"jump", "continuous"}
        The activation.
    K : float
        Size of the ball, ``> 0``.
    m : int
        Largest width, ``>= 256``; the others are a fourth, a sixteenth and a sixty-fourth of it.
    seed : int
        Seed of the networks, ``>= 0``.

    Returns
    -------
    Picture
        The half-width at one input against the width, its closed-form mean and the printed rate.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is none of these.

    Notes
    -----
    Source: Theorem 4.1 = C.1 and Proposition 1.
    """
    rules = scaling.get_scaling(choice(preset, "preset", _PRESETS))
    choice(threshold, "threshold", tuple(_THRESHOLDS))
    form = choice(activation, "activation", _FORMS)
    K = scalar(K, "K", exclusive_minimum=0.0)
    largest, seed = count(m, "m", minimum=256), count(seed, "seed", minimum=0)
    widths = [largest // 4**k for k in (3, 2, 1, 0)]
    drawn, means = np.empty((_DRAWS, len(widths))), []
    for k, width in enumerate(widths):
        tau = (
            rules.tau(width, K=K)
            if threshold == "set"
            else scaling.threshold_from_standard(float(threshold), width)
        )
        a, delta = rules.output_weight(width), rules.radius(width, K)
        means.append(theory.half_width_moments(width, a, delta, tau, form).mean)
        for draw in range(_DRAWS):
            rng = np.random.default_rng([seed, draw, width])
            network = TwoLayerNetwork.initialize(width, 3, rules, rng=rng, tau=tau, activation=form)
            z, active = network.preactivations(AN_INPUT)[0], network.active_mask(AN_INPUT)[0]
            gap = theory.worst_gap(z, network.a, delta, tau, form, active=active)
            drawn[draw, k] = gap.half_width
    slope = statistics.loglog_slope(widths, drawn, 0.99)
    law = float(np.polyfit(np.log(widths), np.log(means), 1)[0])
    t = scaling.standardize_threshold(tau, largest)
    print(f"at m = {grouped(largest)}: t = {number(t)}", end=", ")
    print(f"Q(t) = {percent(scaling.activity_at(t))}")
    print(f"slope of H: {slope} (99 %),")
    print(f"of its closed form {law:+.3f}, printed -0.1")
    print(f"mean of H there: {number(float(drawn[:, -1].mean()))}", end=", ")
    print(f"closed form {number(means[-1])}")
    return cost_curves(
        widths,
        predicted={"E *H*": means},
        measured={"E *H*": drawn},
        reference=("printed", [theory.printed_gap_bound(width, K) for width in widths]),
        ylabel="half-width at one input",
        name="gap-slope-lab",
    )


def train_and_compare(m: int, t: float, activation: str, rho: float, steps: int) -> Picture:
    """Train on eight points of the circle, compare the gap with the largest possible, draw both.

    Parameters
    ----------
    m : int
        Width, ``m >= 2``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``.
    activation : {"jump", "continuous"}
        The activation.
    rho : float
        Radius of the adversary (chord length), ``rho >= 0``.
    steps : int
        Steps of Algorithm 1, ``steps >= 2``.

    Returns
    -------
    Picture
        The largest ``|f - g - B|`` at the eight examples for the weights of the run, and for the
        worst weights of the ball that reaches as far as the farthest neuron.  Values below 0.0001
        are drawn there.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.
    TrainingDiverged
        If a weight or a loss stops being finite.

    Notes
    -----
    Source: Proposition 1 along Algorithm 1; B is the output of the initial network.
    """
    m = count(m, "m", minimum=2)
    form = choice(activation, "activation", _FORMS)
    data = datasets.circle(8)
    tau = scaling.threshold_from_standard(t, m)
    start = TwoLayerNetwork.initialize(m, data.d, rng=0, tau=tau, activation=form)
    z, active = start.preactivations(data.X), start.active_mask(data.X)
    reached, possible = [], []

    def look(record: StepRecord, network: Callable[[], TwoLayerNetwork]) -> None:
        now = network()
        parts = PseudoNetwork(start, now.W).decompose(data.X)
        delta = theory.regret.norm_2_inf(now.W - start.W)
        reached.append(float(np.abs(parts.gap - parts.B).max()))
        worst = 0.0
        for row, fires in zip(z, active, strict=True):
            gap = theory.worst_gap(row, start.a, delta, tau, form, active=fires)
            B = gap.initial_output
            worst = max(worst, gap.above - B, gap.below + B)
        possible.append(worst)

    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=rho, steps=5), steps=count(steps, "steps", minimum=2)
    )
    run = trainer.fit(start, data.X, data.y, rng=0, callback=look)
    far = float(run.drift_max[-1])
    print(f"loss {run.loss[0]:.3f} to {run.loss[-1]:.3f}; farthest neuron {number(far)}", end=", ")
    print(f"{number(far / scaling.PRINTED.radius(m))} times m^(-3/5)")
    print(f"gap beyond B: {number(reached[-1])} for the trained weights,")
    print(f"{number(possible[-1])} for the worst weights as far away")
    return loss_curves(
        {
            f"*t* = {number(t)}, {form}": {
                "this run": (run.step, reached),
                "worst": (run.step, possible),
            }
        },
        floor=_FLOOR,
        ylabel="|*f* − *g* − *B*| at the examples",
        name="gap-training-lab",
    )


def gap_slope_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that measures the exponent of the half-width.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for powers, threshold, activation, size of the ball, width and seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Theorem 4.1 = C.1 and Proposition 1.
    """
    return LiveLab(
        measure_the_gap,
        [
            Choice(
                "preset",
                "output weights and ball",
                {"PRINTED": "as printed", "R1": "R1", "R2": "R2", "R3": "R3"},
            ),
            Choice("threshold", "threshold", _THRESHOLDS),
            Choice("activation", "activation", _FORMS),
            Slider("K", "size *K* of the ball", [0.25, 0.5, 1.0, 2.0, 4.0], start=1.0),
            Slider(
                "m", "largest width *m*", [2**k for k in range(10, 19)], start=2**16, format=grouped
            ),
            Slider("seed", "seed", list(range(12)), start=3),
        ],
        still=still,
        title="Measure the exponent yourself",
    )


def gap_training_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that trains and compares the gap with the largest possible one.

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
    Source: Proposition 1 along Algorithm 1.
    """
    return LiveLab(
        train_and_compare,
        [
            Slider("m", "width *m*", [2**k for k in range(6, 14)], start=1024, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(11)],
                start=1.0,
                format="{:.2f}",
            ),
            Choice("activation", "activation", _FORMS),
            Slider("rho", "radius *ρ*", [0.0, 0.05, 0.1, 0.2], start=0.1, format="{:.2f}"),
            Slider("steps", "steps", [10, 30, 60, 100, 200], start=60),
        ],
        still=still,
        title="Train, and see which part of the worst gap is used",
    )

"""The live labs of the chapter on cost: the bill of your iteration, and how your bill grows.

The first runs Algorithm 1 for a few steps and sets the counted bill beside the predicted one; the
second counts one iteration at several widths and fits the exponent.  No formula lives here; in the
static page a lab is a still picture.  Counts are row passes, never seconds, so that a lab prints
the same on every machine.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from sublinear_lib import datasets, scaling, statistics, theory
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, cost_curves, grouped, ledger_bars, number
from sublinear_lib.theory import Ledger
from sublinear_lib.training import History, SublinearAdversarialTraining
from sublinear_lib.validation import choice, count
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["bill_of_an_iteration", "iteration_bill_lab", "measure_work", "work_growth_lab"]

_RHO, _SEPARATION = 0.1, 0.25
_WAYS = {"literal": "to the letter", "shared": "one query per example"}
_RULES = {"R3": "R3: t = √(0.4 log m)", "1 %": "1 % active", "1/m": "printed: 1/m"}
_SMALLEST = 10
_FEW, _STEPS = 8, 5


def _counted(run: History, steps: int, way: str) -> Ledger:
    """Return the counted bill; a run to the letter books the queries of line 11 under line 12."""
    inside = (steps + 1) / (steps + 2) if way == "literal" else 0.0
    searched, moved = float(run.work_query.mean()), float(run.touched.mean())
    return Ledger(
        attack=float(run.work_adversary.mean()) + inside * searched,
        query=(1.0 - inside) * searched,
        forward=float(run.work_forward.mean()),
        gradient=float(run.work_backward.mean()),
        weights=moved,
        index=2.0 * moved if way == "literal" else moved,
    )


def bill_of_an_iteration(m: int, t: float, d: int, n: int, attack_steps: int, way: str) -> Picture:
    """Run five steps of Algorithm 1, print the counted, predicted and dense bill, draw them.

    Parameters
    ----------
    m : int
        Width, ``m >= 2``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``.
    d : int
        Input dimension, ``d >= 3``.
    n : int
        Number of examples, ``n >= 1``.
    attack_steps : int
        Steps of the adversary, ``>= 1``.
    way : {"literal", "shared"}
        Algorithm 1 to the letter, or one query per example for the whole attack.

    Returns
    -------
    Picture
        The bills by lines of Algorithm 1, in units of ``m n`` row passes.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Algorithm 1, Lemma 5.3; an adversary of radius 0.1, points at distance 0.25 or more.
    """
    m = count(m, "m", minimum=2)
    S = count(attack_steps, "attack_steps")
    choice(way, "way", tuple(_WAYS))
    kind: Literal["literal", "shared"] = "literal" if way == "literal" else "shared"
    tau = scaling.threshold_from_standard(t, m)
    data = datasets.separated(count(n, "n"), d, separation=_SEPARATION, rng=0)
    start = TwoLayerNetwork.initialize(m, d, rng=0, tau=tau)
    run = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=_RHO, steps=S),
        steps=5,
        index="literal" if way == "literal" else "scan",
        reduction="reference",
    ).fit(start, data.X, data.y, rng=0)
    bills = {
        "counted": _counted(run, S, way),
        "predicted": theory.expected_ledger(m, n, d, tau, _RHO, S, kind),
        "dense": theory.dense_ledger(m, n, S),
    }
    for name, bill in bills.items():
        print(f"{name:>9}: {number(bill.total / (m * n))} mn row passes", end="")
        print(f", line 11 is {bill.attack / bill.total:.0%}")
    print(f"dense over counted: {number(bills['dense'].total / bills['counted'].total)}")
    titles = {name: f"{line} {name}" for name, line in theory.LINES.items()}
    return ledger_bars(
        {
            name: {titles[key]: value for key, value in bill.over(m * n).entries.items()}
            for name, bill in bills.items()
        },
        unit="row passes of one iteration, in units of *mn*",
        name="bill-of-iteration-lab",
    )


def measure_work(rule: str, d: int, largest: int, seeds: int) -> Picture:
    """Count one iteration at several widths, print the exponent beside its closed form, draw both.

    Parameters
    ----------
    rule : {"R3", "1 %", "1/m"}
        The rule for the threshold.
    d : int
        Input dimension, ``d >= 3``.
    largest : int
        Power of two of the largest width, 12 to 20; the smallest is ``2^10``.
    seeds : int
        How many networks at each width, ``>= 2``.

    Returns
    -------
    Picture
        Row passes of lines 11 to 18 against the width, predicted and counted, and the dense ones.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Theorem 1.1, Lemma 5.3; eight examples, five attack steps of radius 0.1, one query for
    each example.
    """
    choice(rule, "rule", tuple(_RULES))
    top = count(largest, "largest", minimum=_SMALLEST + 2, maximum=20)
    widths = [2**k for k in range(_SMALLEST, top + 1, 2)]
    taus = [
        scaling.threshold_from_activity(0.01, m)
        if rule == "1 %"
        else (scaling.R3 if rule == "R3" else scaling.PRINTED).tau(m)
        for m in widths
    ]
    data = datasets.separated(_FEW, d, separation=_SEPARATION, rng=0)
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=_RHO, steps=_STEPS),
        steps=1,
        index="scan",
        reduction="reference",
    )
    work: FloatArray = np.empty((count(seeds, "seeds", minimum=2), len(widths)))
    for seed, j in np.ndindex(*work.shape):
        rng = np.random.default_rng([seed, widths[j], d])
        start = TwoLayerNetwork.initialize(widths[j], d, rng=rng, tau=taus[j])
        work[seed, j] = trainer.fit(start, data.X, data.y, rng=0).work[0]
    closed = []
    for m, tau in zip(widths, taus, strict=True):
        bill = theory.expected_ledger(m, _FEW, d, tau, _RHO, _STEPS, "shared")
        closed.append(bill.total - bill.weights - bill.index)
    law = float(np.polyfit(np.log(widths), np.log(closed), 1)[0])
    slope = statistics.loglog_slope(widths, work, confidence=0.99)
    print(f"exponent of the work, 99 %: {slope}")
    print(f"closed form at these widths: {law:.3f}", end="; ")
    print("1 is", "inside: no sign of a saving that grows" if slope.contains(1) else "outside")
    dense = []
    for m in widths:
        bill = theory.dense_ledger(m, _FEW, _STEPS)
        dense.append(bill.total - bill.weights - bill.index)
    return cost_curves(
        widths,
        predicted={_RULES[rule]: closed},
        measured={_RULES[rule]: work},
        reference=("dense", dense),
        ylabel="row passes of one iteration",
        name="work-growth-lab",
    )


def iteration_bill_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that counts the bill of an iteration.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, threshold, dimension, examples, attack steps and the way to search.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Algorithm 1, Lemma 5.3.
    """
    return LiveLab(
        bill_of_an_iteration,
        [
            Slider("m", "width *m*", [2**k for k in range(8, 18)], start=2**13, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(15)],
                start=2.0,
                format="{:.2f}",
            ),
            Slider("d", "dimension *d*", [3, 4, 8, 16, 32], start=16),
            Slider("n", "examples *n*", [8, 16, 32, 64], start=32),
            Slider("attack_steps", "attack steps *S*", [1, 5, 10, 20], start=10),
            Choice("way", "how to search", _WAYS, start="shared"),
        ],
        still=still,
        title="The bill of your iteration",
    )


def work_growth_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that measures how the work of an iteration grows with the width.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for the rule, the dimension, the largest width and the number of seeds.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Theorem 1.1, Lemma 5.3.
    """
    return LiveLab(
        measure_work,
        [
            Choice("rule", "threshold *τ*", _RULES),
            Slider("d", "dimension *d*", [3, 4, 8, 16, 32], start=16),
            Slider(
                "largest",
                "largest width",
                [12, 14, 16, 18],
                start=14,
                format=lambda power: grouped(2 ** int(power)),
            ),
            Slider("seeds", "networks at each width", [3, 5, 10], start=5),
        ],
        still=still,
        title="How does your bill grow?",
    )

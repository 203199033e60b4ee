"""The live lab of the chapter on active neurons: grow the width under a rule of your own.

It draws networks of growing width under a rule for the threshold and compares the slope of the
share that fires with its closed form.  No formula lives here.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib import scaling, statistics, theory
from sublinear_lib.chapters.how_many_neurons_fire.figures import activity_against_m
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, grouped, number, percent
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._circle import AN_INPUT
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["grow_and_count", "growth_lab"]

_RULES = {
    "1/m": "printed: τ = 1/m",
    "K/m^{3/5}": "printed: τ = K/m^(3/5)",
    "t": "t = 1 at every width",
    "c": "sparse: t = √(2 c log m)",
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


def growth_lab() -> LiveLab:
    """Build the lab that draws networks of growing width under a rule for the threshold.

    Returns
    -------
    LiveLab
        Controls for the rule, its constants, the largest width and the number of networks.

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
        title="Grow the network under your rule",
    )

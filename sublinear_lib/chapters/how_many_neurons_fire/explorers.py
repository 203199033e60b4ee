"""A rule for the threshold, the width, and who fires (Lemma 4.5 = C.15), in standard deviations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

from sublinear_lib import scaling, statistics, theory
from sublinear_lib.chapters._circle import (
    AN_INPUT,
    EDGES,
    GRID,
    PREACTIVATION,
    REACH,
    drawn_above,
    drawn_histogram,
)
from sublinear_lib.chapters._common import about
from sublinear_lib.chapters.how_many_neurons_fire import figures
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, grouped, number, percent
from sublinear_lib.theory import activity
from sublinear_lib.widgets import Axis, Bars, Line, Rule, View
from sublinear_lib.widgets.declaration import explorer, lab, menu, slider, width

_RULES: dict[str, tuple[str, Callable[[int], float]]] = {
    "1/m": ("printed: 1/*m*", scaling.ONE_OVER_M.tau),
    "K=4": ("printed, *K* = 4: 4/*m*^{3/5}", lambda m: scaling.K_M35.tau(m, K=4.0)),
    "sparse": ("sparse: √(2/*m*) √(0.4 log *m*)", scaling.R3.tau),
}
_GROWING = {
    "1/m": "printed: τ = 1/m",
    "K/m^{3/5}": "printed: τ = K/m^(3/5)",
    "t": "t = 1 at every width",
    "c": "sparse: t = √(2 c log m)",
}


@explorer(
    "Where does the threshold go?",
    description="One input; the law of a pre-activation is the same in every dimension.",
    name="activity-explorer",
    rule=menu("rule for *τ*", {key: text for key, (text, _) in _RULES.items()}),
    m=width(6, 20, start=4096),
)
def who_fires(rule: str, m: int) -> View:
    """Show where a rule puts the threshold at one width, and the share that fires there."""
    tau = _RULES[rule][1](m)
    t, share = scaling.standardize_threshold(tau, m), scaling.activity(tau, m)
    bound = activity.printed_q0(m, activity.printed_K(tau, m))
    neurons, lit = drawn_histogram(m), (min(t, REACH), REACH)
    growth = "moves toward zero, and the share rises toward one half"
    if rule == "sparse":
        growth = "moves outward, and the share keeps falling"
    return View(
        x=PREACTIVATION,
        y=Axis(label="density of the neurons", limits=(0.0, 0.45)),
        marks=[
            Bars(EDGES, neurons, label="silent", role="muted"),
            Bars(EDGES, neurons, label="fire", role="c1", within=lit),
            Line(GRID, stats.norm.pdf(GRID), role="ink", width=1.25),
            Rule(t, label="*τ*", role="ink"),
        ],
        sentence=(
            f"{grouped(drawn_above(m, tau))} of {grouped(m)} drawn neurons fire at one input; "
            f"{about(m * share)} are expected, {percent(share)}. The threshold stands "
            f"{number(t)} standard deviations above zero. As the network grows, it {growth}."
        ),
        readouts={
            "threshold *τ*": number(tau),
            "standard deviation √(2/*m*)": number(scaling.preactivation_std(m)),
            "share that fires": percent(share),
            "printed bound": grouped(round(bound)),
        },
        warning=(
            f"The printed bound allows {grouped(round(bound))} neurons to fire, more than the "
            f"{grouped(m)} that there are. It says nothing here."
            if bound > m
            else None
        ),
    )


@lab(
    "Grow the network under your rule",
    rule=menu("rule for *τ*", _GROWING, start="c"),
    K=slider("constant *K*", [0.5, 1.0, 2.0, 4.0, 8.0], start=1.0),
    c=slider("exponent *c*", [0.05, 0.1, 0.2, 0.3, 0.4], start=0.3, format="{:.2f}"),
    largest=slider("largest width", [2**k for k in range(14, 23, 2)], start=2**18, format=grouped),
    networks=slider("networks at each width", [5, 10, 20], start=10),
)
def grow_and_count(rule: str, K: float, c: float, largest: int, networks: int) -> Picture:
    """Draw networks of growing width under one rule, print the slope of the share that fires."""
    law = scaling.TAU_RULES[rule]
    widths = [m for k in range(10, 41, 2) if (m := 2**k) <= largest]
    taus = [law.tau(m, K=K, c=c) for m in widths]
    active = np.empty((networks, len(widths)))
    for seed, k in np.ndindex(active.shape):
        rng = np.random.default_rng([seed, widths[k]])
        network = TwoLayerNetwork.initialize(widths[k], 3, rng=rng, tau=taus[k])
        active[seed, k] = int(network.active_mask(AN_INPUT).sum())
    closed = [scaling.activity(tau, m) for tau, m in zip(taus, widths, strict=True)]
    slope = float(np.polyfit(np.log(widths), np.log(closed), 1)[0])
    rows = []
    for m, column in zip(widths, active.T, strict=True):
        interval = statistics.clopper_pearson(int(column.sum()), networks * m)
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
    return figures.activity_against_m(
        widths,
        {"closed form": closed},
        samples={"closed form": rows},
        bound=bound,
        bound_label="printed *Q*₀/*m*",
        name="growth-lab",
    )

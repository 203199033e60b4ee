"""The window around the threshold on the bell curve (Claims C.2 and 4.6 = C.16, Lemma C.3)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from sublinear_lib import scaling, theory
from sublinear_lib.chapters._circle import EDGES, GRID, PREACTIVATION, drawn_above, drawn_histogram
from sublinear_lib.chapters._common import about, power_of_m
from sublinear_lib.chapters.who_flips import figures
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.scaling import PRINTED, R3
from sublinear_lib.widgets import Axis, Bars, Line, Rule, View
from sublinear_lib.widgets.declaration import explorer, menu, width

# What the menu calls a rule, and the scaling that has it.
_THRESHOLDS = {
    "1/m": ("printed: 1/*m*", PRINTED),
    "sparse": ("sparse: √(2/*m*) √(0.4 log *m*)", R3),
}
_RADII = {
    "3/5": "*m*^{\N{MINUS SIGN}3/5} (Claim C.2)",
    "5/8": "*m*^{\N{MINUS SIGN}5/8} (Claim 4.6)",
    "4/5": "*m*^{\N{MINUS SIGN}4/5} (a smaller ball)",
}


@explorer(
    "How many neurons are in the window?",
    description="One input; the law of a pre-activation is the same in every dimension.",
    name="flips-explorer",
    threshold=menu("threshold *τ*", {key: text for key, (text, _) in _THRESHOLDS.items()}),
    radius=menu("largest move *δ*", _RADII),
    m=width(8, 20, start=2**16),
)
def who_flips(threshold: str, radius: str, m: int) -> View:
    """Show the window around the threshold and the share of neurons inside, at one width."""
    (_, rules), beta = _THRESHOLDS[threshold], Fraction(radius)
    tau, delta = rules.tau(m), replace(PRINTED, beta=beta).radius(m)
    t, half = (scaling.standardize_threshold(length, m) for length in (tau, delta))
    share = theory.flip_probability(tau, m, delta)
    drawn = drawn_above(m, tau - delta) - drawn_above(m, tau + delta)
    neurons = drawn_histogram(m)
    power = Fraction(3, 2) - beta - rules.c
    product = 2.0 * half * float(figures.bell(np.array(t)))
    return View(
        x=PREACTIVATION,
        y=Axis(label="density", limits=(0.0, 0.45)),
        marks=[
            Bars(EDGES, neurons, role="muted"),
            Bars(EDGES, neurons, label="can flip", role="c5", within=(t - half, t + half)),
            Line(GRID, figures.bell(GRID), role="ink", width=1.25),
            Rule(t, label="*τ*", role="ink", dash=True),
        ],
        sentence=(
            f"{grouped(drawn)} of {grouped(m)} drawn neurons are in the window and can flip at "
            f"one input; {about(m * share)} are expected. The window reaches {number(half)} "
            "standard deviations to either side of the threshold. Width times height of the bell "
            f"is {percent(product)}; exactly, {percent(share)} of the neurons can flip."
        ),
        readouts={
            "threshold *t*": number(t),
            "width of the window": number(2.0 * half),
            "share that can flip": percent(share),
            "their number grows like": power_of_m(power),
        },
        warning=(
            "Read literally, the second half of Claim 4.6 says that in a wide network no "
            f"neuron flips at all. Here {grouped(drawn)} of them can."
            if radius == "5/8" and drawn
            else None
        ),
    )

"""The network f and its linearization g along the way to the worst weights of Proposition 1."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling, theory
from sublinear_lib._typing import FloatArray
from sublinear_lib.chapters._circle import AN_INPUT
from sublinear_lib.chapters._common import power_of_m
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number
from sublinear_lib.widgets import Axis, Band, Line, Points, View
from sublinear_lib.widgets.declaration import explorer, menu, width

_WAY = np.linspace(0.0, 1.0, 41)
_POWERS = {
    "PRINTED": "as printed",
    "R1": "a smaller ball",
    "R2": "smaller output weights",
    "R3": "continuous activation, sparse threshold",
}
_PRINTED_RATE = theory.CHAINS["4.1"].printed


@lru_cache(maxsize=64)
def _way(powers: str, m: int) -> tuple[FloatArray, FloatArray, int]:
    """Return the changes of f and g on the way, and how many neurons flip at its end."""
    rules = scaling.get_scaling(powers)
    start = TwoLayerNetwork.initialize(m, 3, rules, rng=np.random.default_rng([0, m]))
    worst = theory.worst_weights(start, AN_INPUT[0], rules.radius(m), "above")
    moves = (worst.W - start.W) @ AN_INPUT[0]
    moving = moves != 0.0
    z, a, u = start.preactivations(AN_INPUT)[0][moving], start.a[moving], moves[moving]
    active, sigma = start.active_mask(AN_INPUT)[0][moving], start.activation.value
    first = sigma(z, start.tau)
    f = np.array([a @ (sigma(z + place * u, start.tau) - first) for place in _WAY])
    return f, _WAY * float((a * active) @ u), z.size


def _growth(exponent: Fraction) -> str:
    return f"{'grows' if exponent > 0 else 'falls'} like {power_of_m(exponent)}"


@explorer(
    "The network *f* and its linearization *g*, on the way to the worst weights",
    description="One input in dimension *d* = 3, ball with *K* = 1.",
    name="gap-explorer",
    powers=menu("network and ball", _POWERS),
    m=width(8, 18, start=4096),
)
def way_to_the_worst(powers: str, m: int) -> View:
    """Show f and g on the straight path from the start to the worst weights of the ball."""
    rules = scaling.get_scaling(powers)
    f, g, flips = _way(powers, m)
    sizes = rules.output_weight(m), rules.radius(m), rules.tau(m), rules.activation
    mean = theory.half_width_moments(m, *sizes).mean
    gap = float(f[-1] - g[-1])
    end = [float(g[-1]), float(f[-1])]
    return View(
        x=Axis(label="path from the start (0) to the worst weights (1)"),
        y=Axis(label="change of the output", format=number),
        marks=[
            Band(_WAY, np.minimum(f, g), np.maximum(f, g), role="c4"),
            Line(_WAY, f, label="*f*", role="c1"),
            Line(_WAY, g, label="*g*", role="ink", dash=True),
            Line([1.0, 1.0], end, role="c4", width=4.0),
            Points([1.0, 1.0], end, role="c4"),
        ],
        sentence=(
            f"{_POWERS[powers].capitalize()}, {grouped(m)} neurons: at the weights of the ball "
            f"that push f farthest above g, the two changes are {number(gap)} apart in this "
            f"network and {number(mean)} on average. With the width, this gap "
            f"{_growth(rules.gap_exponent)}; the paper promises that it {_growth(_PRINTED_RATE)}."
        ),
        readouts={
            "gap here": number(gap),
            "gap on average": number(mean),
            "neurons that flip": grouped(flips),
        },
        warning="The wider the network, the wider the gap." if rules.gap_exponent > 0 else None,
    )

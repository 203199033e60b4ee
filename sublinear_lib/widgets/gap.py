"""The explorer of the chapter on f and its linearization: both along the way to the worst weights.

The way ends at the weights of Proposition 1, and ordinary networks are evaluated on it; the mean of
the gap is the closed form of `sublinear_lib.theory`.  Before changing it, know that only the
neurons of the window move at these weights, so the others are left out of both sums.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling, theory
from sublinear_lib._typing import FloatArray
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number
from sublinear_lib.validation import choice, count
from sublinear_lib.widgets._circle import AN_INPUT
from sublinear_lib.widgets._menus import width
from sublinear_lib.widgets._words import power_of_m
from sublinear_lib.widgets.controls import Choice
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Band, Line, Points, View

__all__ = ["gap_explorer", "gap_view"]

_SEED = 0
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
    start = TwoLayerNetwork.initialize(m, 3, rules, rng=np.random.default_rng([_SEED, m]))
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


def gap_view(powers: str, m: int) -> View:
    r"""Show f and g on the straight path from the start to the worst weights of the ball.

    Parameters
    ----------
    powers : {"PRINTED", "R1", "R2", "R3"}
        Output weights, radius, threshold and activation.
    m : int
        The width, ``m >= 2``.

    Returns
    -------
    View
        The changes of f and g, and the gap at the end of the way; ``d = 3``, ``K = 1``.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is none of these.

    Notes
    -----
    Source: Theorem 4.1 = C.1 and Proposition 1 of this project.
    """
    rules = scaling.get_scaling(choice(powers, "powers", tuple(_POWERS)))
    m = count(m, "m", minimum=2)
    f, g, flips = _way(powers, m)
    sizes = rules.output_weight(m), rules.radius(m), rules.tau(m), rules.activation
    mean = theory.half_width_moments(m, *sizes).mean
    gap = float(f[-1] - g[-1])
    grows = rules.gap_exponent > 0
    return View(
        x=Axis(label="path from the start (0) to the worst weights (1)"),
        y=Axis(label="change of the output", format=number),
        marks=[
            Band(_WAY, np.minimum(f, g), np.maximum(f, g), role="c4"),
            Line(_WAY, f, label="*f*", role="c1"),
            Line(_WAY, g, label="*g*", role="ink", dash=True),
            Line([1.0, 1.0], [float(g[-1]), float(f[-1])], role="c4", width=4.0),
            Points([1.0, 1.0], [float(g[-1]), float(f[-1])], role="c4"),
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
        warning="The wider the network, the wider the gap." if grows else None,
    )


def gap_explorer() -> Explorer:
    """Build the explorer of f and its linearization.

    Returns
    -------
    Explorer
        The printed powers and the three repairs, and ``m = 2^8 ... 2^18``; it starts at the printed
        theorem.

    Notes
    -----
    Source: Theorem 4.1 = C.1 and Proposition 1 of this project.
    """
    return Explorer(
        gap_view,
        [
            Choice("powers", "network and ball", _POWERS),
            width(8, 18, start=4096),
        ],
        title="The network *f* and its linearization *g*, on the way to the worst weights",
        description="One input in dimension *d* = 3, ball with *K* = 1.",
        name="gap-explorer",
    )

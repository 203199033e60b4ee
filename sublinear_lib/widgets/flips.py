"""The explorer of the chapter on flips: how many neurons can flip, at every point of the circle.

It joins the exact count on a drawn network (`sublinear_lib.theory.flips`), its closed-form mean and
range at one point, the printed bounds of Claims C.2 and 4.6 and the bound of Theorem B; no formula
lives here.  Before changing it, know that the axis of angles is the whole of X for d = 3: what the
curve shows is not a sample of inputs, and its largest value is the exact supremum over X and over
the weights of the ball.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling, theory
from sublinear_lib._typing import IntArray
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.scaling import ONE_OVER_M, PRINTED
from sublinear_lib.theory import MaximalFlips
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._menus import C_FIFTH, C_TENTH, T_ONE, T_TWO, Threshold
from sublinear_lib.widgets._words import window_crowd
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Band, Line, Points, View

__all__ = ["flips_explorer", "flips_view"]

_SEED = 0
_D = 3
_ANGLES = np.linspace(0.0, 360.0, 91)
_WIDTHS = [2**k for k in range(8, 17, 2)]
_SIZES = (1.0, 2.0, 4.0)
_POWERS = {"C.2": Fraction(3, 5), "4.6": Fraction(15, 24)} | {
    name: scaling.get_scaling(name).beta for name in ("R1", "R3")
}
_SAID = {
    "C.2": "printed, Claim C.2, and R2: K/m^(3/5)",
    "4.6": "printed, Claim 4.6: m^(-15/24)",
    "R1": "R1: K/m^(4/5)",
    "R3": "R3: K/m^(3/5)",
}

_THRESHOLDS = {
    "1/m": Threshold(ONE_OVER_M, "τ = 1/m (Theorem 4.1)"),
    "m^-3/5": Threshold(scaling.K_M35, "τ = 1/m^(3/5) (Section 4.2)"),
    "t=1": T_ONE,
    "t=2": T_TWO,
    "c=1/10": C_TENTH,
    "c=1/5": C_FIFTH,
}


def _radius(ball: str, K: float, m: int) -> float:
    return replace(PRINTED, beta=_POWERS[ball]).radius(m, 1.0 if ball == "4.6" else K)


def _growth(ball: str, threshold: Threshold) -> Fraction:
    """Return the power of m of the mean count."""
    rules = replace(PRINTED, beta=_POWERS[ball], c=threshold.c, tau_rule=threshold.rule)
    return rules.flips_exponent


def _printed(ball: str, K: float, m: int) -> float:
    """Return the printed bound with the constant 1: that of Claim 4.6 for one point, or of C.2."""
    chain = theory.CHAINS["4.6" if ball == "4.6" else "C.2"]
    return (1.0 if ball == "4.6" else K) * math.pow(m, float(chain.printed))


@lru_cache(maxsize=64)
def _network(m: int, tau: float) -> TwoLayerNetwork:
    return TwoLayerNetwork.initialize(m, _D, rng=np.random.default_rng([_SEED, m]), tau=tau)


@lru_cache(maxsize=2048)
def _around(m: int, tau: float, delta: float) -> tuple[IntArray, MaximalFlips]:
    network = _network(m, tau)
    counts = theory.near_counts_on_circle(network, delta, np.radians(_ANGLES))
    return counts, theory.max_near_on_circle(network, delta)


@lru_cache(maxsize=256)
def _limits(ball: str, threshold: str, K: float) -> tuple[float, float]:
    """Return ends for all widths of one choice, so that only the curve moves with the width."""
    ends = []
    for m in (_WIDTHS[0], _WIDTHS[-1]):
        tau, delta = _THRESHOLDS[threshold].tau(m), _radius(ball, K, m)
        counts, best = _around(m, tau, delta)
        low, high = theory.flip_count_interval(tau, m, delta)
        top = theory.uniform_near_bound(tau, m, _D, delta)
        ends += [max(low, 0.5) / m, max(int(counts.min()), 0.5) / m, high / m, best.count / m]
        ends += [top / m, _printed(ball, K, m) / m]
    return min(ends) / 1.4, max(ends) * 1.4


def flips_view(ball: str, threshold: str, K: float, m: int) -> View:
    r"""Show the share of the neurons that can flip at every point of the circle.

    Parameters
    ----------
    ball : {"C.2", "4.6", "R1", "R3"}
        Where the largest move comes from: Claim C.2 (whose ball is also that of R2) or 4.6 as
        printed, or a repair.
    threshold : {"1/m", "m^-3/5", "t=1", "t=2", "c=1/10", "c=1/5"}
        The rule for the threshold.
    K : float
        Size of the ball, ``> 0``; the ball of Claim 4.6 has none.
    m : int
        Width, ``m >= 2``.

    Returns
    -------
    View
        Count on a drawn network, its closed-form mean and 99.9 % range at one point, the printed
        bound with constant 1 and the bound of Theorem B, all as shares of m, for d = 3.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is none of these.

    Notes
    -----
    Source: Claims C.2 and 4.6 = C.16, Lemma C.3, Theorem B of this project.
    """
    choice(ball, "ball", tuple(_POWERS))
    level = _THRESHOLDS[choice(threshold, "threshold", tuple(_THRESHOLDS))]
    K = scalar(K, "K", exclusive_minimum=0.0)
    m = count(m, "m", minimum=2)
    tau, delta = level.tau(m), _radius(ball, K, m)
    t = scaling.standardize_threshold(tau, m)
    theta = scaling.standardize_threshold(delta, m)
    counts, best = _around(m, tau, delta)
    mean = theory.expected_flips(tau, m, delta)
    low, high = theory.flip_count_interval(tau, m, delta)
    certified = theory.uniform_near_bound(tau, m, _D, delta)
    printed = _printed(ball, K, m)
    power = _growth(ball, level)
    ends = [0.0, 360.0]
    at = math.degrees(math.atan2(float(best.x[1]), float(best.x[0]))) % 360.0
    floor = 0.5 / m  # an empty window, on a logarithmic axis
    marks: list[Band | Line | Points] = [
        Band(ends, [max(low / m, floor)] * 2, [max(high / m, floor)] * 2, role="c1"),
        Line(ends, [printed / m] * 2, label="printed", role="ink", dash=True),
        Line(ends, [certified / m] * 2, label="Theorem B", role="c3", dash=True),
        Line(ends, [mean / m] * 2, label="closed form", role="c1"),
        Line(_ANGLES, np.maximum(counts / m, floor), label="drawn", role="c2", width=1.5),
        Points([at], [max(best.count / m, floor)], role="c4"),
    ]
    return View(
        x=Axis(
            label="angle of *x* on the circle, degrees",
            limits=(0.0, 360.0),
            ticks=[0, 90, 180, 270, 360],
        ),
        y=Axis(
            label="share of neurons that can flip at *x*",
            scale="log10",
            limits=_limits(ball, threshold, K),
            format=percent,
        ),
        marks=marks,
        sentence=(
            f"With {grouped(m)} neurons and a threshold of {number(t)} standard deviations, "
            f"{percent(scaling.activity_at(t))} of the neurons fire, and weights that move by at "
            f"most {number(theta)} standard deviations can flip {number(mean)} of them at one x on "
            f"average, {percent(mean / m)}. In the drawn network they can flip "
            f"{grouped(int(counts[0]))} at the angle 0 and {grouped(best.count)} at the worst "
            f"angle; Theorem B allows {grouped(certified)} at all x at once, the printed claim "
            f"{number(printed)} times a constant. With the width the number grows like m^({power})"
            ", up to logarithms."
        ),
        readouts={
            "*t* = *τ* √(*m*/2)": number(t),
            "*Q*(*t*)": percent(scaling.activity_at(t)),
            "*θ* = *δ* √(*m*/2)": number(theta),
            "closed form, at one *x*": number(mean),
            "99.9 % range": f"{grouped(low)} to {grouped(high)}",
            "drawn, worst *x*": grouped(best.count),
            "Theorem B, all *x*": grouped(certified),
            "printed, constant 1": number(printed),
            "power of the number": f"*m*^{{{power}}}",
        },
        warning=_warning(ball, level, K, m, (t, theta, printed)),
    )


def _warning(
    ball: str, threshold: Threshold, K: float, m: int, numbers: tuple[float, float, float]
) -> str | None:
    """Say which hypothesis fails at the chosen point, or what fails without one."""
    t, theta, printed = numbers
    tau, delta = threshold.tau(m), _radius(ball, K, m)
    said = []
    if ball == "4.6":
        nobody = theory.log_no_flip_probability(tau, m, delta)
        said.append(
            "Every hypothesis of Claim 4.6 holds here, and for large m its second line says that "
            "no neuron can flip; even at one fixed x that has probability "
            f"exp({number(nobody)})."
        )
    if ball == "R3" and threshold.c != Fraction(1, 5):
        said.append(
            "Claim 4.6, repaired, asks for the threshold of R3; with this one the number grows "
            f"like m^({_growth(ball, threshold)}) and not like m^(7/10)."
        )
    if ball == "R1":
        said.append(
            "The ball of R1 is smaller than that of Claim C.2, which holds here with room to spare."
        )
    if ball == "C.2" and printed > m:
        said.append(
            "Claim C.2 with the constant 1 allows more neurons than there are, because "
            f"K > m^(1/10) = {number(float(m) ** 0.1)}."
        )
    crowd = window_crowd(m, delta, tau)
    wanted = _D * math.log(m)
    asked = {
        "θ ≤ 1": theta <= 1.0,
        "tθ ≤ 1": t * theta <= 1.0,
        f"m^(3/2) δ φ(t) ≥ d log m, here {number(crowd)} ≥ {number(wanted)}": crowd >= wanted,
    }
    short = [text for text, holds in asked.items() if not holds]
    if short:
        said.append(
            f"Theorem B in its short form asks for {' and '.join(short)}, which fails; its "
            "certified line holds all the same."
        )
    return " ".join(said) or None


def flips_explorer() -> Explorer:
    """Build the explorer of the neurons that can flip around the circle.

    Returns
    -------
    Explorer
        Four balls, six rules for the threshold, ``K = 1, 2, 4`` and ``m = 2^8 ... 2^16``; it starts
        at Claim C.2 as printed.

    Notes
    -----
    Source: Claims C.2 and 4.6 = C.16, Lemma C.3, Theorem B of this project.
    """
    return Explorer(
        flips_view,
        [
            Choice("ball", "largest move *δ*", _SAID),
            Choice(
                "threshold",
                "threshold *τ*",
                {key: level.shown for key, level in _THRESHOLDS.items()},
            ),
            Slider("K", "size *K* of the ball", _SIZES),
            Slider("m", "width *m*", _WIDTHS, start=4096, format=grouped),
        ],
        title="How many neurons can flip, at every *x* of the circle?",
        description=(
            "The whole horizontal axis is X, for d = 3. The drawn curve is one network, read at "
            "every x; the band is the 99.9 % range at an x that was chosen before the network."
        ),
        name="flips-explorer",
    )

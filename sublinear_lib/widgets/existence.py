"""The explorer of the chapter on existence: the weights W* that the proofs write down, drawn.

Three points on the circle with labels 1, -1, 1, a parabola in the place of the polynomial of Lemma
B.4, and the weights of Lemmas B.9 and C.18 (`theory.existence.explicit_shifts`) in a drawn network.
No formula lives here.  Before changing it, know that the function h has a threshold that it was
*built for* and the network one that *acts*; Equation (25) is about the difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.polynomial import polynomial as power_basis

from sublinear_lib import datasets, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.activations import JUMP, get_activation
from sublinear_lib.geometry import cap_angle
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.scaling import ONE_OVER_M, PRINTED
from sublinear_lib.theory import existence, polynomials, sampling_error
from sublinear_lib.validation import choice, count
from sublinear_lib.widgets._circle import exact_worst_loss, on_circle
from sublinear_lib.widgets._menus import (
    ACTIVATIONS,
    BALLS,
    C_FIFTH,
    C_TENTH,
    T_ONE,
    Threshold,
)
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Band, Line, Points, View

__all__ = ["existence_explorer", "existence_view"]

_SEED = 0
_RHO = 0.2
_EPS = Fraction(1, 50)
_CONSTANT = 6  # the c of Definition B.1 that the check of Lemma B.3 fixes
_WIDTHS = [2**k for k in range(10, 17, 2)]
_PRESETS = ("PRINTED", "R1", "R2", "R3")
_ANGLES = np.linspace(-np.pi, np.pi, 91)
_POINTS = on_circle(_ANGLES)
_TARGET = existence.bump(Fraction(-1, 8))
_DATA = datasets.circle(3)

_THRESHOLDS = {
    "1/m": Threshold(ONE_OVER_M, "τ = 1/m (Theorem 4.4)"),
    "t=1": T_ONE,
    "c=1/10": C_TENTH,
    "c=1/5": C_FIFTH,
}
_BUILT = ("acting", "zero")


@lru_cache(maxsize=64)
def _feature(threshold: str, built: str, m: int) -> existence.HermiteFeature:
    acting = math.sqrt(m) * _THRESHOLDS[threshold].tau(m)
    return existence.hermite_feature(_TARGET, acting if built == "acting" else 0)


@dataclass(frozen=True)
class _Pseudo:
    """What does not depend on the activation, for output weights of absolute value one."""

    g: FloatArray
    mean: FloatArray
    spread: FloatArray
    error: float
    bias: float
    shift: float


def _start(m: int, preset: str, tau: float, activation: str) -> TwoLayerNetwork:
    rng = np.random.default_rng([_SEED, m])
    return TwoLayerNetwork.initialize(m, 3, preset, rng=rng, tau=tau, activation=activation)


@lru_cache(maxsize=64)
def _pseudo(threshold: str, built: str, m: int) -> _Pseudo:
    tau, feature = _THRESHOLDS[threshold].tau(m), _feature(threshold, built, m)
    start = _start(m, PRINTED.name, tau, "jump")
    shifts = existence.explicit_shifts(feature, start.W, start.b, start.a, _DATA.X, _DATA.y)
    W = np.array(start.W)
    W[:, 2] += shifts
    acting = math.sqrt(m) * tau
    z = _POINTS @ _DATA.X.T
    wanted = power_basis.polyval(z, sampling_error.active_mean(feature))
    mean = power_basis.polyval(z, sampling_error.active_mean(feature, acting)) @ _DATA.y
    return _Pseudo(
        g=PseudoNetwork(start, W).forward(_POINTS),
        mean=mean,
        spread=sampling_error.sampling_deviation(feature, m, _DATA.X, _DATA.y, _POINTS, acting),
        error=existence.largest_deviation_on_circle(
            start.a * shifts / 2.0, start.W, start.b, tau, _TARGET, _DATA.X, _DATA.y
        ),
        bias=float(np.abs(mean - wanted @ _DATA.y).max()),
        shift=float(np.abs(shifts).max() * abs(start.a[0])),
    )


@lru_cache(maxsize=256)
def _fitted(
    preset: str, threshold: str, activation: str, built: str, m: int
) -> tuple[FloatArray, float]:
    """Return f on the circle and its exact worst-case loss on the caps."""
    tau = _THRESHOLDS[threshold].tau(m)
    start = _start(m, preset, tau, activation)
    feature = _feature(threshold, built, m)
    W = np.array(start.W)
    W[:, 2] += existence.explicit_shifts(feature, start.W, start.b, start.a, _DATA.X, _DATA.y)
    network = start.with_weights(W)
    return network.forward(_POINTS), exact_worst_loss(network, _DATA, _RHO)


@lru_cache(maxsize=64)
def _cut_bound(threshold: str, built: str, m: int) -> float:
    """Return a proven bound on ``|h|``, cut where that changes the mean by at most 1/50."""
    acting = math.sqrt(m) * _THRESHOLDS[threshold].tau(m)
    tau = acting if built == "acting" else 0
    return float(existence.bounded_feature(_TARGET, tau, _EPS).bound)


@lru_cache(maxsize=1)
def _complexity() -> float:
    return math.exp(float(polynomials.log_complexity(_TARGET, _CONSTANT, _EPS)))


def existence_view(preset: str, threshold: str, activation: str, built: str, m: int) -> View:
    r"""Show the target, the pseudo-network and the network at the weights of Lemma B.9.

    Parameters
    ----------
    preset : {"PRINTED", "R1", "R2", "R3"}
        Where output weights and radius come from.
    threshold : {"1/m", "t=1", "c=1/10", "c=1/5"}
        The rule for the threshold of the network.
    activation : {"jump", "continuous"}
        The activation.
    built : {"acting", "zero"}
        Whether h is built for the acting threshold (Theorem E) or for zero (Lemma B.3).
    m : int
        The width, ``m >= 3``.

    Returns
    -------
    View
        The three functions around the circle, the closed-form mean and spread of g, and the size of
        the move beside the printed and the repaired one.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is none of these.

    Notes
    -----
    Source: Lemmas B.3, B.9 and C.18, Equation (25), Theorem 4.4, Theorem E of this project.
    """
    rules = scaling.get_scaling(choice(preset, "preset", _PRESETS))
    level = _THRESHOLDS[choice(threshold, "threshold", tuple(_THRESHOLDS))]
    form = get_activation(activation)
    choice(built, "built", _BUILT)
    m = count(m, "m", minimum=3)
    tau = level.tau(m)
    acting = math.sqrt(m) * tau
    t = scaling.standardize_threshold(tau, m)
    a = rules.output_weight(m)
    pseudo = _pseudo(threshold, built, m)
    # Presets with the same output weights have the same network.
    same = next(name for name in _PRESETS if scaling.get_scaling(name).alpha == rules.alpha)
    f, loss = _fitted(same, threshold, form.name, built, m)
    typical = float(np.sqrt(np.mean(pseudo.spread**2)))
    radius = pseudo.shift / a
    n, largest = _DATA.n, float(np.abs(_DATA.y).max())
    proven = 2.0 * _cut_bound(threshold, built, m) * largest / (a * (m // n))
    bridge = float(existence.bridge(Fraction(acting)).right) * _complexity() * n
    spent = 1 - level.c - rules.alpha - rules.beta
    made = "the threshold that acts" if built == "acting" else "threshold zero"
    degrees = np.degrees(_ANGLES)
    wanted = power_basis.polyval(
        _POINTS @ _DATA.X.T, [float(value) for value in _TARGET.coefficients]
    )
    half = math.degrees(cap_angle(_RHO))
    middle = np.degrees(np.arctan2(_DATA.X[:, 1], _DATA.X[:, 0]))
    return View(
        x=Axis(
            label="angle of the input, degrees",
            limits=(-180, 180),
            ticks=(-180, -90, 0, 90, 180),
        ),
        y=Axis(label="output", limits=(-3.0, 3.0), format=number),
        marks=[
            Band(
                degrees,
                pseudo.mean - 2.0 * pseudo.spread,
                pseudo.mean + 2.0 * pseudo.spread,
                role="c1",
                label="closed form, two deviations",
            ),
            Line(degrees, np.clip(f, -3.0, 3.0), label="*f* at *W*^{*}", role="c2", width=1.5),
            Line(
                degrees, np.clip(pseudo.g, -3.0, 3.0), label="*g* at *W*^{*}", role="c1", width=1.5
            ),
            Line(degrees, wanted @ _DATA.y, label="target", role="ink", dash=True, width=1.5),
            Points(middle, _DATA.y, role="ink", size=9.0),
        ],
        sentence=(
            f"With {grouped(m)} neurons and a threshold of {number(t)} standard deviations, "
            f"{percent(scaling.activity_at(t))} of the neurons fire. The function h is built for "
            f"{made}. On the whole circle g misses the target by at most {number(pseudo.error)}; "
            f"the closed form says {number(typical)} for a typical point and a bias of at most "
            f"{number(pseudo.bias)}. The network f itself has a worst-case loss of {number(loss)} "
            f"on caps of radius {_RHO} ({number(half)} degrees), with the best adversary there is."
        ),
        readouts={
            "*t* = *τ* √(*m*/2)": number(t),
            "*Q*(*t*)": percent(scaling.activity_at(t)),
            "drawn sup |*g* − *f*^{*}|": number(pseudo.error),
            "closed form, typical point": number(typical),
            "closed form, bias": number(pseudo.bias),
            "bias allowed by (25), repaired": number(bridge) if built == "zero" else "none needed",
            "exact worst-case loss of *f*": number(loss),
            "radius of *W*^{*}, *h* not cut off": number(radius),
            "printed ball, *K* = 1": number(PRINTED.radius(m)),
            "repaired bound on it, *h* cut off": number(proven),
            "power of *m* in the radius": str(rules.alpha + level.c - 1).replace(
                "-", "\N{MINUS SIGN}"
            ),
        },
        warning=_warning(rules.name, level, form == JUMP, built, (spent, pseudo.bias, tau * m)),
    )


def _warning(
    preset: str,
    threshold: Threshold,
    jump: bool,
    built: str,
    numbers: tuple[Fraction, float, float],
) -> str | None:
    """Say which hypothesis fails at the chosen point."""
    spent, bias, times = numbers
    rules = scaling.get_scaling(preset)
    said, outside = [], []
    if rules.alpha != PRINTED.alpha:
        outside.append(f"the output weights are m^(-{rules.alpha}), not m^(-{PRINTED.alpha})")
    if threshold.rule != ONE_OVER_M:
        outside.append(f"τ is {number(times)} times 1/m and not O(1/m)")
    if not jump:
        outside.append("the activation is not the printed one")
    if outside:
        said.append(f"Theorem 4.4 as printed does not speak here: {'; '.join(outside)}.")
    if threshold.rule != ONE_OVER_M and built == "zero":
        said.append(
            "Lemma C.18 asks for a threshold of O(k^(-1/2)), in units where the entries are "
            "N(0, 1), and this one does not tend to zero: an h built for zero leaves a bias of up "
            f"to {number(bias)}, and a wider network does not remove it."
        )
    if threshold.rule != ONE_OVER_M and jump:
        said.append(
            "With the jump a neuron that flips changes f by τ a_r, and g by nothing: at a "
            "threshold of the order of a standard deviation f does not follow g (Proposition 2); "
            "Theorem 4.4, repaired, asks for the continuous activation."
        )
    if spent < 0:
        said.append(
            "α + β > 1 − c: the ball of radius K m^(-β) shrinks faster than the move that "
            "the labels need, so no fixed K serves all widths."
        )
    return " ".join(said) or None


def existence_explorer() -> Explorer:
    """Build the explorer of the weights W*.

    Returns
    -------
    Explorer
        Powers PRINTED, R1, R2 and R3, four rules for the threshold, both activations, h built for
        the acting threshold or for zero, and ``m = 2^10, 2^12, 2^14, 2^16``.

    Notes
    -----
    Source: Lemmas B.3, B.9 and C.18, Equation (25), Theorem 4.4, Theorem E of this project.
    """
    return Explorer(
        existence_view,
        [
            Choice("preset", "output weights and ball", BALLS),
            Choice(
                "threshold",
                "threshold *τ*",
                {key: level.shown for key, level in _THRESHOLDS.items()},
            ),
            Choice("activation", "activation", ACTIVATIONS),
            Choice(
                "built",
                "*h* is built for",
                {
                    "acting": "the threshold that acts (Theorem E)",
                    "zero": "threshold zero (Lemma B.3)",
                },
            ),
            Slider("m", "width *m*", _WIDTHS, start=4096, format=grouped),
        ],
        title="Do the weights of the proof fit?",
        description=(
            "Three inputs with labels 1, −1, 1; the target is a sum of three parabolas. R3 has "
            "the printed powers: choose its threshold and the continuous activation as well."
        ),
        name="existence-explorer",
    )

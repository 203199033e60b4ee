"""The explorer of the chapter on nets: what a net of X promises, at every spacing, and the truth.

It joins the certified bound of Theorem A at any spacing of the net (`sublinear_lib.theory`), the
exact supremum over the circle (`sublinear_lib.adversary`), the closed form at one input and the
printed bound of Theorem 4.1; no formula lives here.  Before changing it, know that the truth is
computed for d = 3 and widths up to 2^16 only: beyond, the page says so and shows none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling, theory
from sublinear_lib.activations import CONTINUOUS, JUMP, ShiftedReLU, get_activation
from sublinear_lib.adversary import worst_gap_everywhere
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._menus import BALLS, C_FIFTH, T_ONE, Threshold
from sublinear_lib.widgets._words import short_form_fails
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Mark, Points, Rule, View

__all__ = ["net_explorer", "net_view"]

_SEED = 0
_K = 1.0
_FAILURE = 1e-3
_DRAWN = 2**16
_PRESETS = ("PRINTED", "R1", "R2", "R3")
_WIDTHS = [2**k for k in (8, 12, 16, 20)]
_DIMENSIONS = (3, 30)
_SPACINGS = [float(f"1e{k}") for k in range(-6, 1)]
_CURVE = np.geomspace(_SPACINGS[0], _SPACINGS[-1], 12)
_POWER = 0.2  # of the printed failure probability exp(-Omega(m^{1/5}))
_VAST = 700.0  # beyond, a float has no room for the exponential

_THRESHOLDS = {
    "1/m": Threshold(scaling.ONE_OVER_M, "τ = 1/m (Theorem 4.1)"),
    "m^-3/5": Threshold(scaling.K_M35, "τ = 1/m^(3/5) (Section 4.2)"),
    "t=1": T_ONE,
    "c=1/5": C_FIFTH,
}


@lru_cache(maxsize=8)
def _network(m: int) -> TwoLayerNetwork:
    return TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([_SEED, m]))


@lru_cache(maxsize=256)
def _truth(m: int, delta: float, tau: float, jump: bool) -> float:
    """Return the largest gap on the circle for unit output weights, of the bounding sum for jumps.

    Both are proportional to the output weights.
    """
    start = _network(m)
    if jump:
        network = TwoLayerNetwork(start.W, np.sign(start.a), start.b, tau)
        return (tau + delta) * theory.max_near_on_circle(network, delta).count
    network = TwoLayerNetwork(start.W, np.sign(start.a), start.b, tau, CONTINUOUS)
    return worst_gap_everywhere(network, delta).sup


@dataclass(frozen=True)
class _Setting:
    """Everything of a position but the spacing."""

    a: float
    delta: float
    tau: float
    form: ShiftedReLU
    d: int
    m: int

    def bound(self, spacing: float | None = None) -> theory.CertifiedGap:
        return _bound(self, spacing)

    @property
    def mean(self) -> float:
        return theory.half_width_moments(self.m, self.a, self.delta, self.tau, self.form).mean

    @property
    def truth(self) -> float | None:
        if self.d != 3 or self.m > _DRAWN:
            return None
        return self.a * _truth(self.m, self.delta, self.tau, self.form == JUMP)


@lru_cache(maxsize=16_384)
def _bound(at: _Setting, spacing: float | None) -> theory.CertifiedGap:
    return theory.certified_gap_bound(
        at.m, at.d, at.a, at.delta, at.tau, at.form, _FAILURE, spacing
    )


def _many(log: float) -> str:
    """Write a number of points, given by its logarithm, with one digit."""
    if log > _VAST:
        return f"10^{{{round(log / math.log(10.0))}}}"
    return number(float(f"{math.exp(log):.1g}"))


@lru_cache(maxsize=1024)
def _curves(setting: _Setting) -> tuple[tuple[Mark, ...], tuple[float, float]]:
    """Return what does not depend on the chosen spacing, and the ends of the axis."""
    found = [setting.bound(float(v)) for v in _CURVE]
    best, printed, mean = setting.bound(), theory.printed_gap_bound(setting.m, _K), setting.mean
    levels = [mean, printed, *([] if setting.truth is None else [setting.truth])]
    low, high = 0.4 * min(levels), 12.0 * max(best.value, printed)

    def kept(values: list[float]) -> list[float]:
        return [v if low <= v <= high else math.nan for v in values]

    marks: list[Mark] = [
        Line(_CURVE, kept([v.value for v in found]), label="certified", role="c3"),
        Line(_CURVE, kept([v.mean + v.deviation for v in found]), label="on the net", role="c4"),
        Line(_CURVE, kept([v.mesh for v in found]), label="in between", role="c2"),
        Rule(printed, label="printed", role="ink", axis="y", dash=True),
        Rule(mean, label="one *x*: E *H*", role="c1", axis="y"),
    ]
    if setting.truth is not None:
        marks.append(Rule(setting.truth, label="all *x*: exact", role="c5", axis="y"))
    return tuple(marks), (low, high)


def net_view(preset: str, threshold: str, activation: str, d: int, m: int, spacing: float) -> View:
    r"""Show the certified bound of the gap against the spacing of the net, for ``K = 1``.

    Parameters
    ----------
    preset : {"PRINTED", "R1", "R2", "R3"}
        Where output weights and radius come from.
    threshold : {"1/m", "m^-3/5", "t=1", "c=1/5"}
        The rule for the threshold.
    activation : {"jump", "continuous"}
        The activation.
    d : int
        Input dimension, ``d >= 2``.
    m : int
        The width, ``m >= 2``.
    spacing : float
        Radius of the net, a chord length, ``> 0``.

    Returns
    -------
    View
        The bound on the net, the change between its points and their sum; the closed form at one
        input, the printed bound with constant 1, and, for d = 3 and m up to 2^16, the exact
        supremum for one drawn network.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Theorem C.1 and Theorem A of this project.  For the jump the exact number is the largest
    value of Theorem A's own bounding sum, ``a (tau + delta)`` times the neurons in the window.
    """
    choice(preset, "preset", _PRESETS)
    level = _THRESHOLDS[choice(threshold, "threshold", tuple(_THRESHOLDS))]
    form = get_activation(activation)
    m, d = count(m, "m", minimum=2), count(d, "d", minimum=2)
    nu = scalar(spacing, "spacing", exclusive_minimum=0.0)
    rules = scaling.get_scaling(preset)
    tau = level.tau(m)
    setting = _Setting(rules.output_weight(m), rules.radius(m, _K), tau, form, d, m)
    own, best, truth = setting.bound(nu), setting.bound(), setting.truth
    printed = theory.printed_gap_bound(m, _K)
    t = scaling.standardize_threshold(tau, m)
    marks, limits = _curves(setting)
    said = (
        f"At width {grouped(m)}, with a threshold of {number(t)} standard deviations "
        f"(Q(t) = {percent(scaling.activity_at(t))} of the neurons fire) and the {form.name} "
        f"activation, a net of spacing {number(nu)} needs at most {_many(own.log_net)} "
        f"inputs. On it the gap is at most {number(own.mean + own.deviation)}, between its points "
        f"it can rise by {number(own.mesh)}: {number(own.value)} for all inputs and all weights of "
        f"the ball, but for probability 0.001. The best spacing, {number(best.spacing)}, gives "
        f"{number(best.value)}. "
    )
    if truth is None:
        said += "The truth is not computed here (d = 3 and m up to 65 536 only)."
    elif form == JUMP:
        said += f"The same sum, counted at every input of a drawn network, reaches {number(truth)}."
    else:
        said += f"In a drawn network the exact supremum over all inputs is {number(truth)}."
    return View(
        x=Axis(
            label="spacing *ν* of the net",
            scale="log10",
            limits=(_SPACINGS[0], _SPACINGS[-1]),
            format=number,
        ),
        y=Axis(
            label="gap between *f* and *g*, less *B*", scale="log10", limits=limits, format=number
        ),
        marks=[
            *marks,
            Points([nu], [min(max(own.value, limits[0]), limits[1])], role="c3"),
            Rule(nu, label="*ν*", role="ink", drag="spacing"),
        ],
        sentence=said,
        readouts={
            "*t* = *τ* √(*m*/2)": number(t),
            "*Q*(*t*)": percent(scaling.activity_at(t)),
            "points of the net, at most": _many(own.log_net),
            "on the net": number(own.mean + own.deviation),
            "in between": number(own.mesh),
            "certified (Theorem A)": number(own.value),
            "certified, best net": number(best.value),
            "all *x*, one draw": "not computed" if truth is None else number(truth),
            "closed form E *H*, one *x*": number(setting.mean),
            "printed *m*^{−1/10}": number(printed),
            "printed union bound: *m*^{1/5} ≥ log |*X*_{1}|": _union(d, m),
        },
        warning=_warning(setting, level, preset),
    )


def _union(d: int, m: int) -> str:
    have, need = math.pow(m, _POWER), theory.log_net_size(d, 1.0 / m)
    return f"{number(have)} {'≥' if have >= need else '<'} {number(need)}"


def _warning(setting: _Setting, level: Threshold, preset: str) -> str:
    """Say which hypothesis fails at the chosen point, or that none does."""
    m, d, form = setting.m, setting.d, setting.form
    said, outside = [], []
    if preset == "R2":
        outside.append("the output weights are not m^(-1/5)")
    if level.rule != scaling.ONE_OVER_M:
        outside.append(f"τ is {number(setting.tau * m)} times 1/m and not O(1/m)")
    if form != JUMP:
        outside.append("the activation is not the printed one")
    if outside:
        said.append(f"Theorem C.1 as printed does not speak here: {'; '.join(outside)}.")
    elif preset == "R1":
        said.append("Every hypothesis of Theorem C.1 holds here; the ball is smaller than printed.")
    else:
        said.append(
            "Every hypothesis of Theorem C.1 holds here, and its conclusion fails as m grows."
        )
    width = theory.smallest_union_width(d, _POWER)
    if m < width:
        said.append(
            "The printed union bound over a net of spacing 1/m promises nothing yet: with constant "
            f"1 it needs m ≥ {number(width)}."
        )
    if form == JUMP:
        said.append(
            "With the jump f is not Lipschitz in x (Definition A.4): the bound goes by a "
            "continuous envelope, and Lemma 4.2 about f fails once τ is larger than O(1/m)."
        )
    short = short_form_fails(m, d, setting.delta, setting.tau)
    return " ".join(said if short is None else [*said, short])


def net_explorer() -> Explorer:
    """Build the explorer of the spacing of a net.

    Returns
    -------
    Explorer
        Powers PRINTED, R1, R2 and R3, four rules for the threshold, both activations, d = 3 and 30,
        ``m = 2^8 ... 2^20`` and spacings from 1e-6 to 1; it starts at R3 with d = 3.

    Notes
    -----
    Source: Theorem C.1 and Theorem A of this project.
    """
    return Explorer(
        net_view,
        [
            Choice(
                "preset",
                "output weights and ball",
                {key: BALLS[key] for key in ("R3", "PRINTED", "R1", "R2")},
            ),
            Choice(
                "threshold",
                "threshold *τ*",
                {key: _THRESHOLDS[key].shown for key in ("c=1/5", "1/m", "m^-3/5", "t=1")},
            ),
            Choice(
                "activation",
                "activation",
                {"continuous": "continuous", "jump": "jump (as printed)"},
            ),
            Slider("d", "dimension *d*", _DIMENSIONS),
            Slider("m", "width *m*", _WIDTHS, start=2**12, format=grouped),
            Slider("spacing", "spacing *ν*", _SPACINGS, start=0.01, format=number),
        ],
        title="How fine a net, and what does it promise?",
        description=(
            "R3 and the printed powers have the same output weights and the same ball: they differ "
            "in threshold and activation, which are controls of their own."
        ),
        name="net-explorer",
    )

"""The explorer of the chapter on the price of a jump: gap over reach against the threshold.

It joins the exact ratio of Proposition 2, drawn networks, the printed rate of Theorem 4.1 and the
certified bound of Theorem A, all divided by what g can reach; no formula lives here.  Before
changing it, know that the preset R3 has the printed output weights and ball: what sets it apart is
a threshold that rises with the width, which is marked on the axis.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling, theory
from sublinear_lib.activations import CONTINUOUS, JUMP, get_activation
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.scaling import R3, SPARSE_C, STANDARD_T, Scaling
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._circle import drawn_preactivations
from sublinear_lib.widgets._menus import ACTIVATIONS
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Points, Rule, View

__all__ = ["jump_explorer", "jump_view"]

_K = 1.0
_D = 3
_SEEDS = 10
_MANY = 2**12  # a wider network is drawn once: its counts are large enough
_PRESETS = ("PRINTED", "R1", "R2", "R3")
_CURVE = np.linspace(0.0, 3.0, 31)
_DRAWN = np.linspace(0.0, 3.0, 7)
_LEVELS = [0.25 * k for k in range(13)]
_WIDTHS = [2**k for k in range(8, 19, 2)]
_LARGE = 4.0  # a threshold counts as O(1/m) up to this many times 1/m
_PRINTED_RATE = theory.CHAINS["4.1"].printed


@lru_cache(maxsize=4096)
def _ratio_drawn(m: int, delta: float, tau: float, activation: str) -> tuple[float, float]:
    """Return mean half-width and mean reach over the drawn networks, for output weights 1."""
    seeds = _SEEDS if m <= _MANY else 1
    gaps = [
        theory.worst_gap(drawn_preactivations(m, seed), np.ones(m), delta, tau, activation)
        for seed in range(seeds)
    ]
    return (
        float(np.mean([gap.half_width for gap in gaps])),
        float(np.mean([gap.largest_g for gap in gaps])),
    )


def _reach(m: int, a: float, delta: float, t: float) -> float:
    return a * delta * m * scaling.activity_at(t)


@lru_cache(maxsize=128)
def _curves(preset: str, activation: str, m: int) -> tuple[Line | Points, ...]:
    rules = scaling.get_scaling(preset)
    a, delta = rules.output_weight(m), rules.radius(m, _K)
    theta = scaling.standardize_threshold(delta, m)
    levels = _CURVE.tolist()
    reach = np.array([_reach(m, a, delta, t) for t in levels])
    certified = [
        theory.certified_gap_bound(
            m, _D, a, delta, scaling.threshold_from_standard(t, m), activation
        ).value
        for t in levels
    ]
    exact = [theory.half_width_over_g(t, theta, activation) for t in levels]
    drawn = []
    for t in _DRAWN.tolist():
        gap, far = _ratio_drawn(m, delta, scaling.threshold_from_standard(t, m), activation)
        if far > 0.0 and gap > 0.0:
            drawn.append((t, gap / far))
    lines = [
        Line(_CURVE, certified / reach, label="Theorem A", role="c3"),
        Line(
            _CURVE, theory.printed_gap_bound(m, _K) / reach, label="printed", role="c2", dash=True
        ),
        Line(_CURVE, exact, label="closed form", role="c1"),
    ]
    if activation == JUMP.name:
        price = [theory.jump_price(t) for t in levels[1:]]
        lines.append(Line(levels[1:], price, label="*tφ*/*Q*", role="ink", dash=True, width=1.5))
    dots = np.array(drawn)
    return (*lines, Points(dots[:, 0], dots[:, 1], label="drawn", role="c5"))


@lru_cache(maxsize=8)
def _limits(preset: str, activation: str) -> tuple[float, float]:
    """Return ends that hold the curves of all widths, so that nothing jumps while m moves."""
    ends = [
        value
        for m in (_WIDTHS[0], _WIDTHS[-1])
        for mark in _curves(preset, activation, m)
        for value in (float(np.min(mark.y)), float(np.max(mark.y)))
    ]
    return min(ends) / 1.3, max(ends) * 1.3


def _growth(exponent: Fraction) -> str:
    if exponent > 0:
        return f"grows like m^({exponent})"
    return f"falls like m^({exponent})" if exponent < 0 else "keeps its size"


def _gap_exponent(rules: Scaling, torn: bool) -> Fraction:
    """Return the power of H when t stays, or rises as the preset R3 has it."""
    activation, rule = JUMP if torn else CONTINUOUS, SPARSE_C if rules.c else STANDARD_T
    return replace(rules, activation=activation, tau_rule=rule).gap_exponent


def jump_view(preset: str, activation: str, m: int, t: float) -> View:
    r"""Show the gap between f and g, in units of what g can reach, against the threshold.

    Parameters
    ----------
    preset : {"PRINTED", "R1", "R2", "R3"}
        Where output weights and radius come from.
    activation : {"jump", "continuous"}
        The activation.
    m : int
        Width, ``m >= 256``.
    t : float
        The threshold at which numbers are read, in standard deviations ``sqrt(2/m)``, from 0 to
        3.

    Returns
    -------
    View
        ``E H / E G`` exactly and for drawn networks, the printed rate with constant 1 and the
        certified bound of Theorem A (d = 3) over ``E G``, and for the jump the limit of thin
        windows; ``K = 1``.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is none of these.

    Notes
    -----
    Source: Proposition 2, Theorems 4.1 and A.
    """
    rules = scaling.get_scaling(choice(preset, "preset", _PRESETS))
    form = get_activation(activation)
    m = count(m, "m", minimum=256)
    t = scalar(t, "t", minimum=0.0, maximum=3.0)
    a, delta = rules.output_weight(m), rules.radius(m, _K)
    tau = scaling.threshold_from_standard(t, m)
    theta = scaling.standardize_threshold(delta, m)
    ratio = theory.half_width_over_g(t, theta, form)
    reach = _reach(m, a, delta, t)
    certified = theory.certified_gap_bound(m, _D, a, delta, tau, form).value
    gap, far = _ratio_drawn(m, delta, tau, form.name)
    torn = form == JUMP and t > 0.0
    power = _gap_exponent(rules, torn)
    missed = _missed(rules, t, power)
    share = scaling.activity_at(t)
    sparse = scaling.standardize_threshold(R3.tau(m), m)
    marks: list[Line | Points | Rule] = [*_curves(preset, form.name, m)]
    if preset == "R3":
        marks.append(Rule(sparse, label="threshold of R3", role="muted", dash=True))
    return View(
        x=Axis(label="threshold *t*, in standard deviations", limits=(0.0, 3.0)),
        y=Axis(
            label="gap over reach, E *H* / E *G*",
            scale="log10",
            limits=_limits(preset, form.name),
            format=number,
        ),
        marks=[
            *marks,
            Points([t], [ratio], role="c1"),
            Rule(t, label="*t*", role="ink", drag="t"),
        ],
        sentence=(
            f"With {grouped(m)} neurons and t = {number(t)}, a share Q(t) of {percent(share)} "
            f"fires. With the {form.name} activation the worst gap is {number(ratio)} times what "
            f"g can reach; {_limit(torn, t)}. As the width grows and t "
            f"{'rises as √(0.4 log m)' if rules.c else 'stays'}, the reach of g "
            f"{_growth(rules.expressivity_exponent)} and the gap {_growth(power)}, up "
            f"to logarithms.{'' if missed else ' All three wishes are granted.'}"
        ),
        readouts={
            "*t* = *τ* √(*m*/2)": number(t),
            "*Q*(*t*)": percent(share),
            "*θ* = *δ* √(*m*/2)": number(theta),
            "reach E *G*": number(reach),
            "closed form E *H*": number(ratio * reach),
            "drawn *H*": number(a * gap),
            "printed *m*^{−1/10}": number(theory.printed_gap_bound(m, _K)),
            "Theorem A, all *x* and *W*": number(certified),
            "E *H* / E *G*": number(ratio),
            "drawn *H* / *G*": number(gap / far) if far > 0.0 else "no neuron is active",
            "price *tφ*(*t*)/*Q*(*t*)": number(theory.jump_price(t)),
            "other activation": number(
                theory.half_width_over_g(t, theta, "continuous" if form == JUMP else "jump")
            ),
        },
        warning=_warning(rules, torn, t, m, power, missed),
    )


def _limit(torn: bool, t: float) -> str:
    if torn:
        return f"in a small ball it is {number(theory.jump_price(t))} and not 0"
    return "in a small ball it tends to 0"


def _missed(rules: Scaling, t: float, power: Fraction) -> list[str]:
    """Return the wishes of the corollary to Proposition 2 that a choice does not grant."""
    wishes = []
    if power >= 0:
        wishes.append("(i) a gap that vanishes")
    if rules.expressivity_exponent < 0:
        wishes.append("(ii) a g that reaches labels")
    if t == 0.0:
        wishes.append("(iii) few active neurons")
    return wishes


def _warning(
    rules: Scaling, torn: bool, t: float, m: int, power: Fraction, missed: list[str]
) -> str | None:
    """Say which hypothesis of Theorem 4.1 and which of the three wishes fails."""
    said = []
    times = scaling.threshold_from_standard(t, m) * m
    outside = []
    if rules.alpha != scaling.PRINTED.alpha:
        outside.append(f"the output weights are m^(-{rules.alpha})")
    if times > _LARGE:
        outside.append(f"τ is {number(times)} times 1/m, not O(1/m)")
    if not torn and t > 0.0:
        outside.append("the activation is not the printed one")
    if outside:
        said.append(f"Outside Theorem 4.1 as printed: {'; '.join(outside)}.")
    elif power > _PRINTED_RATE:
        said.append(
            "Every hypothesis of Theorem 4.1 holds here, and its conclusion fails: the gap "
            f"{_growth(power)} and does not fall like m^({_PRINTED_RATE})."
        )
    if missed:
        said.append(f"Of the three wishes this choice does not grant {' and '.join(missed)}.")
    if torn:
        said.append("With the jump no choice grants all three (Proposition 2).")
    return " ".join(said) or None


def jump_explorer() -> Explorer:
    """Build the explorer of the price of a jump.

    Returns
    -------
    Explorer
        Powers PRINTED, R1, R2 and R3, both activations, ``m = 2^8, 2^10 ... 2^18``, and t from 0 to
        3; it starts at the printed activation with the powers of R3 at 4096 neurons.

    Notes
    -----
    Source: Proposition 2, Theorems 4.1 and A.
    """
    return Explorer(
        jump_view,
        [
            Choice(
                "preset",
                "output weights and ball",
                {
                    "R3": "R3: m^(-1/5), m^(-3/5), t rises",
                    "PRINTED": "as printed: m^(-1/5), m^(-3/5)",
                    "R1": "R1: m^(-1/5), m^(-4/5)",
                    "R2": "R2: m^(-2/5), m^(-3/5)",
                },
            ),
            Choice("activation", "activation", ACTIVATIONS),
            Slider("m", "width *m*", _WIDTHS, start=4096, format=grouped),
            Slider("t", "threshold *t*", _LEVELS, start=1.0, format="{:.2f}"),
        ],
        title="What does the jump cost?",
        description=(
            "Everything is divided by what g can reach: at 1 the gap is as large as g itself."
        ),
        name="jump-explorer",
    )

"""The explorer of the toolbox: how many neurons land in a window, and what each tool allows.

It joins `sublinear_lib.theory.tails` (the law of the count and the bounds), `flips` (the
probability of the window) and one drawn network; no formula lives here.  Both axes are chosen so
that they need not move: the excess over the mean in standard deviations, and the probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from sublinear_lib import scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting import Role, grouped, number, percent
from sublinear_lib.theory import concentration, flips, tails
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._circle import drawn_preactivations
from sublinear_lib.widgets._words import about
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Region, Rule, View

__all__ = ["window_half_width", "window_labels", "window_tail_explorer", "window_tail_view"]

_SEED = 0
_FAILURE = 1e-6
_STEPS = np.round(np.linspace(0.25, 10.0, 40), 10)
_NAMES: dict[tails.Tool, tuple[str, str, Role]] = {
    "hoeffding": ("Hoeffding", "Lemma A.6 (Hoeffding)", "c4"),
    "chernoff": ("Chernoff, 3", "Lemma A.8 (Chernoff) as printed", "c2"),
    "chernoff repaired": ("Chernoff, 2 + *ε*", "the repaired Lemma A.8", "c5"),
    "bernstein": ("Bernstein", "Lemma A.9 (Bernstein)", "c3"),
}
_WINDOWS: dict[str, tuple[str, Callable[[int], float]]] = {
    "1/m": ("η = 1/m (Lemma C.9)", scaling.ONE_OVER_M.tau),
    "m^{-4/5}": ("η = 1/m^(4/5) (ball of R1)", scaling.R1.radius),
    "m^{-15/24}": ("η = 1/m^(15/24) (Claim 4.6)", lambda m: m ** (-15.0 / 24.0)),
    "m^{-3/5}": ("η = 1/m^(3/5) (Claim C.2; R2, R3)", scaling.PRINTED.radius),
    "m^{-1/2}": ("η = 1/m^(1/2) (too wide)", lambda m: m**-0.5),
    "2m^{-1/2}": ("η = 2/m^(1/2) (far too wide)", lambda m: 2.0 * m**-0.5),
}


def window_labels() -> dict[str, str]:
    """Return the windows of the toolbox with what stands beside them, for a `Choice`.

    Returns
    -------
    dict of str to str
        The label of each window by its key.

    Notes
    -----
    Source: Claims C.2, C.9, C.16 and the ball of R1.
    """
    return {key: text for key, (text, _) in _WINDOWS.items()}


def window_half_width(window: str, m: int) -> float:
    """Return the half-width eta of a window of the toolbox.

    Parameters
    ----------
    window : str
        A key of `window_labels`.
    m : int
        Width, ``m >= 1``.

    Returns
    -------
    float
        eta, in the units of a pre-activation.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is none of these.

    Notes
    -----
    Source: Claims C.2, C.9, C.16 and the ball of R1.
    """
    return _WINDOWS[choice(window, "window", tuple(_WINDOWS))][1](count(m, "m"))


@lru_cache(maxsize=32)
def _drawn(m: int) -> FloatArray:
    """Return the ascending pre-activations of one drawn network at one x."""
    return np.sort(drawn_preactivations(m, _SEED))


@lru_cache(maxsize=1)
def _crossings() -> tuple[float, float]:
    return float(concentration.gaussian_wedge_crossing()), float(concentration.chernoff_crossing())


def window_tail_view(m: int, t: float, window: str, tool: str) -> View:
    """Show the tail of the number of neurons in a window beside the bounds of four lemmas.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    t : float
        Standardized threshold, ``t >= 0``: the window is ``|z - tau| <= eta`` with
        ``tau = t sqrt(2/m)``.
    window : {"1/m", "m^{-4/5}", "m^{-15/24}", "m^{-3/5}", "m^{-1/2}", "2m^{-1/2}"}
        Its half-width eta.
    tool : {"hoeffding", "chernoff", "chernoff repaired", "bernstein"}
        Which lemma is asked how many neurons to allow, except with probability 1e-6.

    Returns
    -------
    View
        Exact tail, the four bounds, what is allowed, and which hypothesis fails.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Lemmas A.5, A.6, A.8, A.9 and Claim A.10 as used in Claims C.2, C.9 and C.16.
    """
    choice(tool, "tool", tails.TOOLS)
    eta = window_half_width(window, m)
    tau = scaling.threshold_from_standard(scalar(t, "t", minimum=0.0), m)
    p = flips.flip_probability(tau, m, eta)
    mean, std = m * p, math.sqrt(m * p * (1.0 - p))
    counts = mean + std * _STEPS
    exact = tails.log_count_tail(counts, m, p) / math.log(10.0)
    exact = np.where(np.isfinite(exact) & (exact >= -30.0), np.maximum(exact, -30.0), np.nan)
    chosen = next(each for each in tails.TOOLS if each == tool)
    excess = tails.allowed_excess(chosen, _FAILURE, m, p)
    allowed = mean + excess
    quantile = tails.allowed_count(_FAILURE, m, p)
    scores = _drawn(m)
    drawn = int(
        np.searchsorted(scores, tau + eta, side="right")
        - np.searchsorted(scores, tau - eta, side="right")
    )
    lines = [
        Line(
            _STEPS,
            np.where((bound := _logs(each, std * _STEPS, m, p)) >= -30.0, bound, np.nan),
            label=name,
            role=role,
            dash=True,
            width=3.0 if each == tool else 1.75,
        )
        for each, (name, _, role) in _NAMES.items()
    ]
    limit = excess / std
    unproven = tool == "chernoff" and excess / mean > _crossings()[1]
    verb = "would allow" if unproven else "proves"
    return View(
        x=Axis(label="neurons above the mean, in standard deviations", limits=(0.0, 10.0)),
        y=Axis(label="log10 of the probability", limits=(-16.0, 1.0)),
        marks=[
            Region(0.0, None, axis="y", label="above 1: says nothing", role="muted"),
            *lines,
            Line(_STEPS, exact, label="exact law", role="c1"),
            Rule(math.log10(_FAILURE), axis="y", role="muted", dash=True),
            *([Rule(limit, label="allowed", role="ink", dash=True)] if limit <= 10.0 else []),
        ],
        sentence=(
            f"At a threshold of t = {number(t)} standard deviations "
            f"{percent(scaling.activity_at(t))} of the neurons fire. Of {grouped(m)} neurons, "
            f"{about(mean)} are expected within η = {number(eta)} of the threshold; the drawn "
            f"network has {grouped(drawn)}. Except with probability 10⁻⁶ there are at most "
            f"{grouped(quantile)}; {_NAMES[chosen][1]} {verb} at most "
            f"{grouped(math.floor(allowed))}."
        ),
        readouts={
            "*t* = *τ* √(*m*/2)": number(t),
            "*Q*(*t*)": percent(scaling.activity_at(t)),
            "*θ* = *η* √(*m*/2)": number(eta / scaling.preactivation_std(m)),
            "*p*, exact": number(p),
            "*p*, by A.10": number(flips.flip_bound(m, eta) / m),
            "*μ* = *m p*": about(mean),
            "drawn": grouped(drawn),
            "exact, 10⁻⁶": grouped(quantile),
            "this tool, 10⁻⁶": grouped(math.floor(allowed)),
            "*ε* there": number(excess / mean),
        },
        warning=_what_fails(tool, m, eta, p, excess),
    )


def _logs(tool: tails.Tool, excess: FloatArray, m: int, p: float) -> FloatArray:
    return tails.log_tail_bound(tool, excess, m, p) / math.log(10.0)


def _what_fails(tool: str, m: int, eta: float, p: float, excess: float) -> str | None:
    """Say in words which hypothesis fails, or what a tool does not see."""
    wedge, crossing = _crossings()
    mean = m * p
    ratio, epsilon = eta / scaling.preactivation_std(m), excess / mean
    found = []
    if tool == "chernoff" and epsilon > crossing:
        [tail] = tails.log_count_tail([mean + excess], m, p)
        found.append(
            f"Lemma A.8 as printed is used at ε = {number(epsilon)}, beyond 1.817: there "
            "ε²μ/3 is not proven for sums of indicators"
            + (
                f", and here it is false: the probability is {number(math.exp(tail))}, not 10⁻⁶. "
                if tail > math.log(_FAILURE)
                else ". "
            )
            + "Take 2 + ε for 3."
        )
    if tool == "hoeffding" and mean + excess >= m:
        found.append("Hoeffding allows more neurons than there are: it sees m, not μ.")
    if flips.flip_bound(m, eta) >= m:
        found.append("Claim A.10 is empty: it bounds a probability by a number above 1.")
    if ratio > wedge:
        found.append(
            f"The window is {number(ratio)} standard deviations to each side, beyond 1.079: the "
            "lower half of Lemma A.5 fails."
        )
    return " ".join(found) or None


def window_tail_explorer() -> Explorer:
    """Build the explorer of width, threshold, window and tool.

    Returns
    -------
    Explorer
        Sliders for ``m = 2^6, 2^8 ... 2^20`` and ``t = 0 ... 3``, six windows, four tools.

    Notes
    -----
    Source: Appendix A as used in Claims C.2, C.9 and C.16.
    """
    return Explorer(
        window_tail_view,
        [
            Slider("m", "width *m*", [2**k for k in range(6, 21, 2)], start=4096, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.0, 1.0, 2.0, 3.0],
                start=0.0,
                format="{:g}",
            ),
            Choice("window", "window", window_labels()),
            Choice("tool", "tool", {key: text for key, (_, text, _) in _NAMES.items()}),
        ],
        title="How many neurons in a window?",
        name="window-tail-explorer",
    )

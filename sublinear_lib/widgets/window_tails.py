"""The explorer of the toolbox: how many neurons land in a window, and what each tool allows.

It joins `sublinear_lib.theory.tails` (the law of the count and the bounds) and `flips` (the
probability of the window); no formula lives here.  Both axes are chosen so that they need not move:
the excess over the mean in standard deviations, and the probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sublinear_lib import scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting import Role, grouped, number
from sublinear_lib.theory import flips, tails
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._menus import width
from sublinear_lib.widgets._words import about
from sublinear_lib.widgets.controls import Choice
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Region, Rule, View

__all__ = ["window_tail_explorer", "window_tail_view"]

_FAILURE = 1e-6
_STEPS = np.round(np.linspace(0.25, 10.0, 27), 10)
_LOWEST = -17.0  # below the axis
_DIGITS = 8  # of a logarithm: the same with every SciPy
_NAMES: dict[tails.Tool, tuple[str, str, Role]] = {
    "hoeffding": ("Hoeffding", "Hoeffding", "c4"),
    "chernoff": ("Chernoff, printed", "Chernoff as printed", "ink"),
    "chernoff repaired": ("Chernoff, 2 + *ε*", "Chernoff with 2 + ε", "c5"),
    "bernstein": ("Bernstein", "Bernstein", "c3"),
}
_WINDOWS: dict[str, tuple[str, Callable[[int], float]]] = {
    "1/m": ("thin: *η* = 1/*m* (Lemma C.9)", scaling.ONE_OVER_M.tau),
    "m^{-3/5}": ("*η* = 1/*m*^{3/5} (Claim C.2)", scaling.PRINTED.radius),
    "half": ("half of the neurons", lambda m: 0.6744897501960817 * scaling.preactivation_std(m)),
}


def window_tail_view(m: int, t: float, window: str) -> View:
    """Show the tail of the number of neurons in a window beside the bounds of three tools.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    t : float
        Standardized threshold, ``t >= 0``: the window is ``|z - tau| <= eta`` with
        ``tau = t sqrt(2/m)``.
    window : {"1/m", "m^{-3/5}", "half"}
        Its half-width eta; the last one holds half of the neurons at ``t = 0``.

    Returns
    -------
    View
        Exact tail, the bounds, and what each of them allows except with probability 1e-6.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is none of these.

    Notes
    -----
    Source: Lemmas A.6, A.8, A.9 as used in Claims C.2, C.9 and C.16.
    """
    m = count(m, "m")
    eta = _WINDOWS[choice(window, "window", tuple(_WINDOWS))][1](m)
    tau = scaling.threshold_from_standard(scalar(t, "t", minimum=0.0), m)
    p = flips.flip_probability(tau, m, eta)
    mean, std = round(m * p, 9), math.sqrt(m * p * (1.0 - p))
    counts = np.round(mean + std * _STEPS, 9)  # a whole number stays one
    exact = np.round(tails.log_count_tail(counts, m, p) / math.log(10.0), _DIGITS)
    exact = np.where(np.isfinite(exact) & (exact >= _LOWEST), exact, np.nan)
    quantile = tails.allowed_count(_FAILURE, m, p)
    allowed = {
        tool: math.floor(mean + tails.allowed_excess(tool, _FAILURE, m, p)) for tool in _NAMES
    }
    lines = [
        Line(
            _STEPS,
            np.where((bound := _logs(tool, std * _STEPS, m, p)) >= _LOWEST, bound, np.nan),
            label=name,
            role=role,
            dash=True,
            width=1.75,
        )
        for tool, (name, _, role) in _NAMES.items()
    ]
    true = {tool: allowed[tool] for tool in _NAMES if tool != "chernoff"}
    best = min(true, key=lambda tool: true[tool])
    return View(
        x=Axis(label="neurons above the mean, in standard deviations", limits=(0.0, 10.0)),
        y=Axis(label="log_{10} of the probability", limits=(-16.0, 1.0)),
        marks=[
            Region(0.0, None, axis="y", label="above 1: says nothing", role="muted"),
            *lines,
            Line(_STEPS, exact, label="exact law", role="c1"),
            Rule(math.log10(_FAILURE), axis="y", role="muted", dash=True),
        ],
        sentence=(
            f"Of {grouped(m)} neurons, {about(mean)} are expected in the window. Except with "
            f"probability 10^{{\N{MINUS SIGN}6}} there are at most {grouped(quantile)}. "
            f"{_NAMES[best][1]} comes closest and allows {grouped(true[best])}; Hoeffding allows "
            f"{grouped(allowed['hoeffding'])}."
        ),
        readouts={name: grouped(allowed[tool]) for tool, (name, _, _) in _NAMES.items()},
        warning=_what_fails(m, p, allowed["chernoff"], quantile),
    )


def _logs(tool: tails.Tool, excess: FloatArray, m: int, p: float) -> FloatArray:
    return np.round(tails.log_tail_bound(tool, excess, m, p) / math.log(10.0), _DIGITS)


def _what_fails(m: int, p: float, allowed: int, quantile: int) -> str | None:
    """Say where the printed Chernoff bound allows fewer neurons than the exact law."""
    if allowed >= quantile:
        return None
    [tail] = tails.log_count_tail([allowed + 1.0], m, p)
    return (
        f"The printed Chernoff bound is false here: it allows {grouped(allowed)} neurons, but "
        f"more than that occur with probability {number(math.exp(tail))}, "
        "not 10^{\N{MINUS SIGN}6}."
    )


def window_tail_explorer() -> Explorer:
    """Build the explorer of width, threshold and window.

    Returns
    -------
    Explorer
        Three windows, ``t = 0, 3`` and ``m = 2^6 ... 2^20``.

    Notes
    -----
    Source: Appendix A as used in Claims C.2, C.9 and C.16.
    """
    return Explorer(
        lambda window, t, m: window_tail_view(m, float(t), window),
        [
            Choice("window", "window", {key: text for key, (text, _) in _WINDOWS.items()}),
            Choice("t", "threshold *τ*, in standard deviations", ["0", "3"]),
            width(6, 20, start=4096),
        ],
        title="How many neurons must I allow?",
        name="window-tail-explorer",
    )

"""How many neurons land in a window, and what each tool allows (Lemmas A.6, A.8 and A.9)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sublinear_lib import scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.chapters._common import about
from sublinear_lib.plotting import Role, grouped, number
from sublinear_lib.theory import flips, tails
from sublinear_lib.widgets import Axis, Line, Rule, Stretch, View
from sublinear_lib.widgets.declaration import explorer, menu, width

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


@explorer(
    "How many neurons must I allow?",
    name="window-tail-explorer",
    window=menu("window", {key: text for key, (text, _) in _WINDOWS.items()}),
    t=menu("threshold *τ*, in standard deviations", ["0", "3"]),
    m=width(6, 20, start=4096),
)
def window_tail(window: str, t: str, m: int) -> View:
    """Show the tail of the number of neurons in a window beside the bounds of three tools."""
    eta = _WINDOWS[window][1](m)
    tau = scaling.threshold_from_standard(float(t), m)
    p = flips.flip_probability(tau, m, eta)
    mean, std = round(m * p, 9), math.sqrt(m * p * (1.0 - p))
    counts = np.round(mean + std * _STEPS, 9)  # a whole number stays one
    exact = _tens(tails.log_count_tail(counts, m, p))
    quantile = tails.allowed_count(_FAILURE, m, p)
    most = {tool: mean + tails.allowed_excess(tool, _FAILURE, m, p) for tool in _NAMES}
    allowed = {tool: math.floor(count) for tool, count in most.items()}
    lines = []
    for tool, (name, _, role) in _NAMES.items():
        bound = _tens(tails.log_tail_bound(tool, std * _STEPS, m, p))
        lines.append(Line(_STEPS, bound, label=name, role=role, dash=True, width=1.75))
    true = {tool: allowed[tool] for tool in _NAMES if tool != "chernoff"}
    best = min(true, key=lambda tool: true[tool])
    return View(
        x=Axis(label="neurons above the mean, in standard deviations", limits=(0.0, 10.0)),
        y=Axis(label="log_{10} of the probability", limits=(-16.0, 1.0)),
        marks=[
            Stretch(0.0, None, axis="y", label="above 1: says nothing", role="muted"),
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


def _tens(logs: FloatArray) -> FloatArray:
    """Return decimal logarithms, NaN below the axis."""
    shown = np.round(logs / math.log(10.0), _DIGITS)
    return np.where(shown >= _LOWEST, shown, np.nan)


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

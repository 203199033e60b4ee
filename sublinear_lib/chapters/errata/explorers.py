"""The map of the powers of m: at which (alpha, beta, c) the theorems hold, in exact fractions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from sublinear_lib.activations import JUMP, get_activation
from sublinear_lib.chapters._common import convex, power_of_m
from sublinear_lib.plotting.palette import Role
from sublinear_lib.scaling import ONE_OVER_M, PRESETS, SPARSE_C, Scaling
from sublinear_lib.theory import CONSISTENT
from sublinear_lib.widgets import Axis, Band, Line, Mark, Points, View
from sublinear_lib.widgets.declaration import explorer, menu, slider

_PARTS = 60  # all powers on the sliders are multiples of 1/60, so that thirds and fifths are there
_ALPHAS = [k / _PARTS for k in range(31)]
_BETAS = [k / _PARTS for k in range(30, 61)]
# What fires, and the activation: the third control.
_FIRING = {
    "half": (0.0, "continuous", "half of the neurons"),
    "1/5": (0.2, "continuous", "*m*^{4/5}, continuous"),
    "1/5 jump": (0.2, "jump", "*m*^{4/5}, with the jump"),
}
# The names of the rings around the presets and their colors.
_RINGS: dict[str, tuple[str, Role]] = {
    "PRINTED": ("as printed", "ink"),
    "R1": ("smaller ball", "c3"),
    "R2": ("smaller weights", "c3"),
    "R3": ("continuous activation", "c3"),
    "ZHANG": ("Zhang et al. (2020)", "muted"),
}
_TORN = (
    "The jump keeps f and g apart at every threshold that leaves few neurons active "
    "(Proposition 2)."
)
_SAID = {
    "alpha >= 0": "The output weights would grow.",
    "c >= 0": "More than all neurons would have to fire.",
    "existence": "The ball is too small: no weights in it fit the labels (Theorem 4.4 fails).",
    "gap in the ball": "The ball is too large: f and g part (Theorem 4.1 fails).",
    "lazy drift": "Training moves the neurons too far from their start (Theorem 4.3 fails).",
    "gap along the run": "f and g part along the run (the proof of Theorem 4.3 fails).",
    "initial output": "The initial network does not become small (Claim C.6 fails).",
}


def chosen_powers(alpha: float, beta: float, c: float, activation: str) -> Scaling:
    """Return the scaling of a choice, with the step size and number of steps that follow."""
    first = Scaling(
        name="chosen",
        alpha=_fraction(alpha),
        beta=_fraction(beta),
        c=(share := _fraction(c)),
        activation=get_activation(activation),
        tau_rule=SPARSE_C if share else ONE_OVER_M,
        eta_exponent=Fraction(0),
        steps_exponent=Fraction(0),
    )
    return replace(
        first, eta_exponent=first.derived_eta_exponent, steps_exponent=first.derived_steps_exponent
    )


def _fraction(value: float) -> Fraction:
    return Fraction(round(value * _PARTS), _PARTS)


def _shown(value: float) -> str:
    return str(_fraction(value))


def _triangle(c: Fraction) -> list[Mark]:
    """Draw the slice of the region at a height, with its outline."""
    corners = CONSISTENT.slice_at(c)
    if len(corners) < 3:
        return []
    outline = np.array([[float(alpha), float(beta)] for alpha, beta in (*corners, corners[0])])
    return [
        Band(*convex(outline[:-1]), label="Theorems 4.1, 4.3, 4.4 hold", role="c3"),
        Line(outline[:, 0], outline[:, 1], role="c3"),
    ]


def _presets(c: Fraction, activation: str) -> list[Mark]:
    """Draw the named choices that lie at this height and have this activation."""
    marks: list[Mark] = []
    for name, preset in PRESETS.items():
        if preset.c == c and (not preset.c or preset.activation == get_activation(activation)):
            at, (label, role) = (float(preset.alpha), float(preset.beta)), _RINGS[name]
            marks.append(Points([at[0]], [at[1]], label=label, role=role, hollow=True, size=20))
    return marks


def _named(chosen: Scaling) -> str:
    """Say which of the named choices this is; nothing if it is none of them."""
    for name, preset in PRESETS.items():
        same = (preset.alpha, preset.beta, preset.c) == (chosen.alpha, chosen.beta, chosen.c)
        if same and (not preset.c or preset.activation == chosen.activation):
            return " (the printed powers)" if name == "PRINTED" else f" ({_RINGS[name][0]})"
    return ""


@explorer(
    "Which powers of *m* go together",
    name="exponent-map",
    tries={
        "a smaller ball": {"alpha": 0.2, "beta": 0.8, "firing": "half"},
        "smaller weights": {"alpha": 0.4, "beta": 0.6, "firing": "half"},
        "continuous activation": {"alpha": 0.2, "beta": 0.6, "firing": "1/5"},
    },
    alpha=slider("output weights *m*^{\N{MINUS SIGN}*α*}", _ALPHAS, 0.2, format=_shown),
    beta=slider("radius *K* *m*^{\N{MINUS SIGN}*β*}", _BETAS, 0.6, format=_shown),
    firing=menu("neurons that fire", {key: words for key, (_, _, words) in _FIRING.items()}),
)
def exponent_map(alpha: float, beta: float, firing: str) -> View:
    """Show where a choice of powers lies, and which theorems hold there."""
    c, activation, _ = _FIRING[firing]
    chosen = chosen_powers(alpha, beta, c, activation)
    powers = chosen.alpha, chosen.beta, chosen.c
    failing = [_SAID[name] for name in CONSISTENT.violated(*powers)]
    torn = chosen.activation == JUMP and chosen.c > 0
    if torn:
        failing.append(_TORN)
    words = ", ".join(f"{name} = {value}" for name, value in zip("αβc", powers, strict=True))
    form = f", {activation} activation" if chosen.c else ""
    ending = " ".join(failing) or (
        "Theorems 4.1, 4.3 and 4.4 hold together"
        + (f", and only {power_of_m(1 - chosen.c)} neurons fire." if chosen.c else ".")
    )
    return View(
        x=Axis(label="output weights: power *α*", limits=(0.0, 0.5)),
        y=Axis(label="radius of the ball: power *β*", limits=(0.5, 1.0)),
        marks=[
            *([] if torn else _triangle(chosen.c)),
            *_presets(chosen.c, activation),
            Points([float(powers[0])], [float(powers[1])], role="c2" if failing else "c1", size=13),
        ],
        sentence=f"{words}{_named(chosen)}{form}. {ending}",
        readouts={
            "sup |*f* \N{MINUS SIGN} *g*| in the ball": power_of_m(chosen.gap_exponent),
            "largest |*g*| in the ball": power_of_m(chosen.expressivity_exponent),
            "neurons that fire": power_of_m(chosen.active_exponent),
            "neurons that can flip": power_of_m(chosen.flips_exponent),
        },
    )

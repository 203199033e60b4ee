"""The explorer of the chapter on polynomials that separate: degree against accuracy.

It joins the printed degree of Claim B.5, the paper's own polynomial, a degree that is always enough
and the best polynomials of `sublinear_lib.theory.best_steps`, and says which width Theorem 4.4
makes of them; no formula lives here.  Before changing it, know that neither m nor tau occurs in the
lemmas of the chapter: they enter through the size of the polynomial, so the preset changes the
read-outs below the line and no curve.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np

from sublinear_lib import datasets, scaling, theory
from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.plotting.palette import Role
from sublinear_lib.theory import best_steps
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Points, Rule, View

__all__ = ["step_degree_explorer", "step_degree_view"]

_DELTAS = [0.6, 0.8, 1.0, 1.2]
_SHARES = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5]
_ACCURACIES = [0.01, 0.1, 0.5]
_COUNTS = [2, 8, 32, 128]
_PRESETS = ("PRINTED", "R1", "R2", "R3")
_DEGREES = [*range(1, 17), *range(18, 33, 2), *range(36, 65, 4), *range(72, 161, 8)]
_WIDEST = 8192
_FINEST = 1e-6
_CURVE = [2.0 ** (k / 4) for k in range(4 * 13 + 1)]
_PRINTED_FALL = -theory.CHAINS["4.1"].printed


def _exact(value: float) -> Fraction:
    """Return the short decimal that a reader sees."""
    return Fraction(str(value))


def _above(degrees: list[float], errors: FloatArray) -> tuple[list[float], list[float]]:
    """Keep the part of a falling curve between one half and the finest accuracy shown."""
    kept = [(n, e) for n, e in zip(degrees, errors.tolist(), strict=True) if _FINEST <= e <= 0.5]
    return [n for n, _ in kept], [e for _, e in kept]


@lru_cache(maxsize=256)
def _best(delta: Fraction, rho: Fraction) -> tuple[tuple[float, ...], tuple[float, ...]]:
    degrees: list[float] = []
    errors: list[float] = []
    for degree in _DEGREES:
        error = float(best_steps.best_step_errors(delta, rho, [degree])[0])
        degrees.append(float(degree))
        errors.append(error)
        if error < _FINEST:
            break
    return tuple(degrees), tuple(errors)


@lru_cache(maxsize=256)
def _curves(delta: Fraction, rho: Fraction) -> tuple[Line, ...]:
    laws: tuple[tuple[Callable[..., float], Role, bool], ...] = (
        (best_steps.printed_step_error, "c2", True),
        (best_steps.angular_error, "c3", False),
        (best_steps.necessary_error, "c4", False),
    )
    degrees, best = _best(delta, rho)
    drawn = []
    for law, role, dash in laws:
        x, y = _above(_CURVE, np.array([law(delta, rho, n) for n in _CURVE]))
        if x:
            drawn.append(Line(x, y, role=role, dash=dash))
    drawn.append(Line(*_above(list(degrees), np.array(best)), role="c1"))
    return tuple(drawn)


@lru_cache(maxsize=1024)
def _smallest(delta: Fraction, rho: Fraction, eps: Fraction) -> tuple[int, float, float]:
    """Return the smallest degree, log2 of the largest coefficient and log2 of the complexity."""
    degree = best_steps.smallest_step_degree(delta, rho, eps)
    polynomial = best_steps.best_step_polynomial(delta, rho, degree)
    return (
        degree,
        math.log2(polynomial.largest_coefficient),
        best_steps.step_log2_complexity(polynomial),
    )


def _bits(value: float) -> str:
    """Write a power of two with its exponent rounded."""
    return f"2^{{{grouped(round(value))}}}"


def _plain_bits(value: float) -> str:
    return f"2^{grouped(round(value))}"


def _room(n: int, delta: float) -> int | None:
    """Return the first dimension in which n points this far apart are not excluded."""
    for d in range(2, n + 1):
        if datasets.max_separation(n, d) >= delta:
            return d
    return None


def _power(bits: float, plain: bool) -> str:
    return _plain_bits(bits) if plain else _bits(bits)


def _share(bits: float, *, plain: bool = False) -> str:
    return percent(2.0**bits) if bits > -12.0 else _power(bits, plain)


def _size(bits: float, *, plain: bool = False) -> str:
    return number(2.0**bits) if bits > -12.0 else _power(bits, plain)


def step_degree_view(delta: float, share: float, eps: float, n: int, preset: str) -> View:
    r"""Show the accuracy of polynomial steps against their degree, and the width they ask for.

    Parameters
    ----------
    delta : float
        The separation of the data, in (0, 2).
    share : float
        The radius of the adversary as a share of the separation, ``rho = share delta``, in
        (0, 1/2]; at 1/2 near and far inner products meet, and no step exists.
    eps : float
        The accuracy of Lemma B.4, in (0, 1); each step has to be accurate to ``eps/(3 n)``.
    n : int
        Number of data points, ``n >= 2``.
    preset : {"PRINTED", "R1", "R2", "R3"}
        The powers of m with which the width is counted.

    Returns
    -------
    View
        The printed accuracy, the paper's polynomial, a degree that is enough, the best
        polynomials, and what no polynomial falls below.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Definition 3.7, Lemma B.4, Claim B.5 and Theorem 4.4.
    """
    separation = _exact(scalar(delta, "delta", exclusive_minimum=0.0, exclusive_maximum=2.0))
    part = _exact(scalar(share, "share", exclusive_minimum=0.0, maximum=0.5))
    accuracy = scalar(eps, "eps", exclusive_minimum=0.0, exclusive_maximum=1.0)
    n = count(n, "n", minimum=2)
    choice(preset, "preset", _PRESETS)
    rho, one = part * separation, _exact(accuracy) / (3 * n)
    x = Axis(label="degree", scale="log2", limits=(1, _WIDEST))
    y = Axis(label="accuracy *ε*_{1}", scale="log10", limits=(_FINEST, 1.0), format=number)
    target = Rule(float(one), label="*ε*/(3*n*)", role="ink", axis="y", dash=True)
    if 2 * rho >= separation:
        return View(
            x=x,
            y=y,
            marks=[Line([1.0, _WIDEST], [0.5, 0.5], label="best", role="c1"), target],
            sentence=(
                f"Points {number(delta)} apart, moved by up to {number(float(rho))}: near and far "
                "inner products meet, and a step would have to be 0 and 1 at one of them. The best "
                "polynomial of every degree is the constant 1/2, with the error 1/2."
            ),
            readouts={"*γ* = *δ*(*δ* − 2*ρ*)": "0", "*ε*_{1} = *ε*/(3*n*)": _eps(one)},
            warning=(
                "Definition 3.7 fails: γ = 0, so the data are not separable for this adversary, "
                "the printed degree is infinite and the lemmas are silent. "
            )
            + (_no_data(n, delta) or ""),
        )
    return _separable(separation, rho, accuracy, n, preset, (x, y, target))


def _eps(one: Fraction) -> str:
    return number(float(one))


def _no_data(n: int, delta: float) -> str | None:
    """Say whether n points can be this far apart."""
    d = _room(n, delta)
    if d is None:
        return f"No {n} points of X are {number(delta)} apart, in any dimension."
    if d > 3:
        return (
            f"{grouped(n)} points {number(delta)} apart do not fit on the circle d = 3; they need "
            f"d ≥ {grouped(d)}."
        )
    return None


def _separable(
    delta: Fraction,
    rho: Fraction,
    eps: float,
    n: int,
    preset: str,
    frame: tuple[Axis, Axis, Rule],
) -> View:
    one = _exact(eps) / (3 * n)
    gamma = float(delta * (delta - 2 * rho))
    rules = scaling.get_scaling(preset)
    fall = -rules.gap_exponent if rules.gap_exponent < 0 else _PRINTED_FALL
    most = float(best_steps.printed_step_degree(delta, rho, one))
    own = best_steps.truncation_degree(delta, rho, one)
    enough = best_steps.angular_degree(delta, rho, one)
    needed = float(best_steps.necessary_degree(delta, rho, one))
    printed = best_steps.printed_log2_complexity(delta, rho, one)
    widths = [best_steps.width_asked(printed, n, eps, fall)]
    said = "more than 160"
    try:
        degree, bits, complexity = _smallest(delta, rho, one)
    except ValueError:
        best = None
    else:
        best, said = degree, grouped(degree)
        widths.append(best_steps.width_asked(complexity, n, eps, fall))
    log2_t, log2_share = best_steps.threshold_at_width(widths[-1], rules.c)
    level = float(one)
    points = [
        Points([most], [level], role="c2", label="printed"),
        Points([float(own)], [level], role="c5", label="paper's polynomial"),
        Points([float(enough)], [level], role="c3", label="always enough"),
        Points([needed], [level], role="c4", label="needed"),
    ]
    if best is not None:
        points.append(Points([float(best)], [level], role="c1", label="best"))
    read = {
        "*γ* = *δ*(*δ* − 2*ρ*)": number(gamma),
        "*ε*_{1} = *ε*/(3*n*)": _eps(one),
        "printed *M*": grouped(math.floor(most)),
        "paper's polynomial, enough from": grouped(own),
        "always enough": grouped(enough),
        "best degree": said,
        "no less than": number(needed),
        "printed coefficients 2^{6*M*}/*γ*": _bits(6.0 * most - math.log2(gamma)),
        "largest of the best": _bits(bits) if best is not None else "–",
        "width asked, printed sizes": _bits(widths[0]),
        "width asked, best polynomial": _bits(widths[-1]) if best is not None else "–",
        "*t* = *τ* √(*m*/2) there": _size(log2_t),
        "*Q*(*t*) there": _share(log2_share),
    }
    whose = "best polynomial asks" if best is not None else "printed sizes ask"
    x, y, target = frame
    return View(
        x=x,
        y=y,
        marks=[*_curves(delta, rho), target, *points],
        sentence=(
            f"{grouped(n)} points {number(float(delta))} apart and an adversary of radius "
            f"{number(float(rho))}: each step has to be accurate to {_eps(one)}. Claim B.5 allows "
            f"the degree {grouped(math.floor(most))}; the paper's own polynomial does it from "
            f"{grouped(own)} on, {grouped(enough)} is always enough, and the smallest degree is "
            f"{said}. With the powers of {preset}, Theorem 4.4 then asks for a width of "
            f"{_plain_bits(widths[0])} with the printed sizes"
            + (f" and of {_plain_bits(widths[-1])} with the best polynomial" if best else "")
            + f". At the width that the {whose} for, t is "
            f"{_size(log2_t, plain=True)} and Q(t) is {_share(log2_share, plain=True)}."
        ),
        readouts=read,
        warning=_warning(preset, n, float(delta)),
    )


def _warning(preset: str, n: int, delta: float) -> str | None:
    said = []
    if preset == "PRINTED":
        said.append(
            "The width is counted with the printed gap K²/m^(1/10) of Theorem 4.1, which fails at "
            "the radius K/m^(3/5): with the gap as it is, no width would do."
        )
    missing = _no_data(n, delta)
    if missing is not None:
        said.append(missing)
    return " ".join(said) or None


def step_degree_explorer() -> Explorer:
    """Build the explorer of degrees and accuracies of polynomial steps.

    Returns
    -------
    Explorer
        Separations 0.6 to 1.2, radii up to half of it, three accuracies, 2 to 128 points, and four
        sets of powers; it starts at ``delta = 1``, ``rho = 1/10`` with eight points.

    Notes
    -----
    Source: Definition 3.7, Lemma B.4, Claim B.5 and Theorem 4.4.
    """
    return Explorer(
        step_degree_view,
        [
            Slider("delta", "separation *δ*", _DELTAS, start=1.0),
            Slider("share", "radius *ρ*/*δ*", _SHARES, start=0.1),
            Slider("eps", "accuracy *ε*", _ACCURACIES, start=0.5),
            Slider("n", "points *n*", _COUNTS, start=8, format=grouped),
            Choice(
                "preset",
                "powers of *m* for the width",
                {
                    "PRINTED": "as printed: gap m^(-1/10)",
                    "R1": "R1: gap m^(-3/10), τ = 1/m",
                    "R2": "R2: gap m^(-1/10), τ = 1/m",
                    "R3": "R3: gap m^(-1/10), sparse τ",
                },
            ),
        ],
        title="Which degree does a soft step need?",
        description=(
            "Each curve says how accurate a polynomial of a degree is, or is said to be. Width and "
            "threshold do not occur in Lemma B.4: the preset moves only the read-outs that say "
            "where they enter."
        ),
        name="step-degree-explorer",
    )

"""The explorer of Part II's last chapter: what a budget costs in weights, layers and degrees.

For data with separation 1 it draws, over mu/lambda, the Lipschitz constants of the networks of
Theorems II.4.8 and II.5.2, the number K of sawtooth terms of Theorem II.B.3, and the degree of the
polynomials of Part I; every number comes from `sublinear_lib.memorization` and
`sublinear_lib.theory`.  Before changing it, know that constants are given per unit of the labels:
from label 1 to label 2 a function climbs by 1, so the least possible constant is 1/(lambda - 2 mu).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sublinear_lib.memorization import (
    Memorizer,
    Size,
    l2_size,
    linf_size,
    lipschitz_size,
    memorize,
    memorize_l2,
    memorize_lipschitz,
)
from sublinear_lib.plotting import grouped, number
from sublinear_lib.theory import best_steps
from sublinear_lib.validation import count, scalar
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Points, Region, Rule, View

__all__ = ["lipschitz_explorer", "lipschitz_view"]

_SHARES = [0.0, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.475, 0.49, 0.495, 0.499, 0.5, 0.55]
# Finer towards the threshold, where everything happens.
_CURVE = [*(0.025 * k for k in range(18)), 0.46, 0.475, 0.485, 0.49, 0.495, 0.4975, 0.499]
# The accuracy of Lemma B.4, which each of the N steps shares.
_ACCURACY = Fraction(3, 10)


class _Slopes(NamedTuple):
    """What one budget costs the networks of Part II, for separation 1."""

    bumps: float  # Lipschitz constant of Theorem 4.8
    least: float  # that of Theorem 5.2, per unit of the labels
    terms: int  # K of Theorem B.3
    euclidean: float  # the bound of its Lipschitz constant


def _two(n: int, build: Callable[..., Memorizer], labels: list[int], mu: float) -> Memorizer:
    """Build a memorizer of two points at distance 1 in every norm."""
    X = np.zeros((2, n))
    X[:, 0] = -0.5, 0.5
    return build(X, labels, mu)


@lru_cache(maxsize=1024)
def _slopes(share: float, n: int, labels: int) -> _Slopes:
    bumps = _two(n, memorize, [1, labels], share)
    euclidean = _two(n, memorize_l2, [1, labels], share)
    flat = _two(n, memorize_lipschitz, [-1, 1], share)
    assert euclidean.terms is not None
    return _Slopes(
        bumps.lipschitz_bound, flat.lipschitz_bound / 2, euclidean.terms, euclidean.lipschitz_bound
    )


@lru_cache(maxsize=1024)
def _degrees(share: float, N: int) -> tuple[float, float]:
    """Return the printed degree of Lemma B.4, and one that no polynomial falls below."""
    radius, accuracy = Fraction(share), _ACCURACY / (3 * N)
    return (
        float(best_steps.printed_step_degree(1, radius, accuracy)),
        float(best_steps.necessary_degree(1, radius, accuracy)),
    )


def lipschitz_view(share: float, n: int, N: int, labels: int) -> View:
    r"""Show what the budget ``mu`` costs the constructions of Parts I and II, for ``lambda = 1``.

    Parameters
    ----------
    share : float
        The budget in units of the separation, ``mu / lambda >= 0``.
    n : int
        The dimension, ``>= 1``.
    N : int
        The number of points, ``>= 2``.
    labels : int
        The number of labels 1, 2, ..., at least 2.

    Returns
    -------
    View
        Over ``mu / lambda``: the constants of Theorems II.4.8 and II.5.2 (per unit of the labels),
        K of Theorem II.B.3, and the degree of Lemma B.4 with accuracy 0.3, as printed and as no
        polynomial can do without; sizes as readouts.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Theorems II.4.8, II.5.2, II.B.3, Propositions II.2, II.7 and Lemma B.4.
    """
    share = scalar(share, "share", minimum=0.0)
    n = count(n, "n")
    N = count(N, "N", minimum=2)
    labels = count(labels, "labels", minimum=2)
    rows = [_slopes(place, n, labels) for place in _CURVE]
    printed, least = zip(*(_degrees(place, N) for place in _CURVE), strict=True)
    marks: list[Line | Points | Region | Rule] = [
        Region(0.5, None, label="no function", role="muted"),
        Line(_CURVE, printed, label="degree, printed", role="c4", dash=True),
        Line(_CURVE, least, label="degree, least", role="c4"),
        Line(_CURVE, [row.bumps for row in rows], label="slope, 4.8", role="c2"),
        *(
            [Line(_CURVE, [row.least for row in rows], label="slope, 5.2", role="c1")]
            if labels == 2
            else []
        ),
        Line(_CURVE, [row.terms for row in rows], label="*K*", role="c3"),
    ]
    sizes = {
        "Theorem 4.8": linf_size(N, n),
        "Theorem 5.2": lipschitz_size(N, n, clipped=True),
    }
    start = f"With N = {grouped(N)} points in n = {n} dimensions and {labels} labels"
    if share >= 0.5:
        return _shown(
            marks,
            share,
            f"{start}, a budget of μ = {number(share)} λ asks for two values at one point. The "
            "curves end before it: slopes grow like 1/(λ − 2μ), degrees like 1/γ at most and "
            "1/√γ at least, K like log(1/γ).",
            {key: _told(size) for key, size in sizes.items()},
            "The hypothesis μ < λ/2 fails, and with it γ = λ(λ − 2μ) > 0: no function is right on "
            "all balls, so there is no network to build, and no polynomial.",
        )
    price, (degree, needed) = _slopes(share, n, labels), _degrees(share, N)
    values = [degree, needed, price.bumps, float(price.terms)]
    if labels == 2:
        values.append(price.least)
    marks.append(Points([share] * len(values), values, role="ink", size=6.0))
    sizes["Theorem B.3"] = l2_size(N, n, price.terms)
    flatter = (
        f"that of Theorem 5.2 climbs only {number(price.least)}, and no function can do with less"
        if labels == 2
        else f"any function needs {number(price.least)} between neighboring labels"
    )
    return _shown(
        marks,
        share,
        f"{start}, at μ = {number(share)} λ the network of Theorem 4.8 climbs at most "
        f"{number(price.bumps)} per unit of length (λ = 1); {flatter}. γ = λ(λ − 2μ) = "
        f"{number(1.0 - 2.0 * share)}: the Euclidean network needs K = {price.terms} sawtooth "
        f"terms, a polynomial the degree {number(degree)} as printed, and in no case less "
        f"than {number(needed)}.",
        {
            "margin *λ* − 2*μ* = *γ*": number(1.0 - 2.0 * share),
            "slope, Theorem 4.8": number(price.bumps),
            "slope, Theorem 5.2": number(price.least) if labels == 2 else "not built",
            "slope, Theorem B.3, at most": number(price.euclidean),
            **{key: _told(size) for key, size in sizes.items() if labels == 2 or "5.2" not in key},
        },
        None
        if labels == 2
        else "The hypothesis of two labels fails: Theorem 5.2 as stated, with its sign, is for "
        "two. Theorems 4.8 and B.3 hold for any labels.",
    )


def _told(size: Size) -> str:
    return f"depth {grouped(size.depth)}, {grouped(size.nonzeros)} nonzero"


def _shown(
    marks: list[Line | Points | Region | Rule],
    share: float,
    sentence: str,
    readouts: dict[str, str],
    warning: str | None,
) -> View:
    return View(
        x=Axis(label="budget *μ*/*λ*", limits=(0.0, 0.56), ticks=[0.0, 0.1, 0.2, 0.3, 0.4, 0.5]),
        y=Axis(
            label="slope, degree, or number of terms",
            scale="log10",
            limits=(0.5, 2e6),
            format=number,
        ),
        marks=[*marks, Rule(share, role="ink", drag="share")],
        sentence=sentence,
        readouts=readouts,
        warning=warning,
    )


def lipschitz_explorer() -> Explorer:
    """Build the explorer of slopes, terms and degrees.

    Returns
    -------
    Explorer
        Budgets from 0 to 0.55 lambda, dimensions 2 to 784, 10 to 10 000 points, 2 or 10 labels.

    Notes
    -----
    Source: Theorems II.4.8, II.5.2, II.B.3, Propositions II.2 and II.7, Lemma B.4.
    """
    return Explorer(
        lipschitz_view,
        [
            Slider("share", "budget *μ*/*λ*", _SHARES, start=0.45, format="{:g}"),
            Slider("n", "dimension *n*", [2, 8, 64, 784], start=64),
            Slider("N", "points *N*", [10, 100, 1000, 10_000], start=1000, format=grouped),
            Slider("labels", "labels", [2, 10], start=2),
        ],
        title="Where does the price of a budget appear?",
        description=(
            "The same budget, in four currencies: a slope, a number of terms, and a degree as "
            "printed and as it has to be at least. λ = 1."
        ),
        name="lipschitz-explorer",
    )

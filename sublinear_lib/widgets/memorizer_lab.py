"""The live labs of the network that memorizes: build and certify one, and go near the limit.

The first draws points, builds the network of the chosen norm, counts it, certifies every ball and
attacks it as a control; the second measures the errors of rounding near the threshold.  No formula
lives here.
"""

from __future__ import annotations

import math

import numpy as np

from sublinear_lib.chapters.the_network_that_memorizes.figures import (
    PrecisionSeries,
    bounds_picture,
    precision_picture,
)
from sublinear_lib.memorization import (
    attack,
    breaking_gap,
    certify,
    memorizer_bounds,
    precision_curve,
    random_points,
    separation,
)
from sublinear_lib.plotting import Picture, grouped
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._menus import NORM_NAMES, NORMS
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab
from sublinear_lib.widgets.memorizer import BUILD

__all__ = ["build_and_certify", "build_lab", "near_the_limit", "precision_lab"]

_RESTARTS, _STEPS = 6, 5
_MOST_EXACT = 40_000
_DIGITS = {"float64": 14, "float32": 6}


def build_and_certify(N: int, n: int, classes: int, share: float, p: str, seed: int) -> Picture:
    """Build a memorizer of random points, print its counts and its certificate, draw the bounds.

    Parameters
    ----------
    N : int
        Number of points, 2 to 2000.
    n : int
        Their dimension, 1 to 256.
    classes : int
        Number of labels, 2 to 10, at most N.
    share : float
        The budget in units of the separation, ``0 < mu / lambda``; from 1/2 on the library refuses.
    p : {"inf", "1", "2"}
        The norm.
    seed : int
        Seed of the points, ``>= 0``.

    Returns
    -------
    Picture
        What plain intervals and the certificate leave of the deviation on each ball (for p = 1 and
        2: what the attack found, and the certificate); at most the first 60 balls.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range, or the budget is not admissible; the
        message gives lambda and the largest budget.

    Notes
    -----
    Source: Theorems II.4.8, II.B.2 and II.B.3, after Yu, Gao and Zhang (2024).
    """
    N, n = count(N, "N", minimum=2, maximum=2000), count(n, "n", maximum=256)
    classes = count(classes, "classes", minimum=2, maximum=10)
    share = scalar(share, "share", exclusive_minimum=0.0)
    norm = NORMS[choice(p, "p", tuple(NORMS))]
    X, y = random_points(N, n, classes, rng=count(seed, "seed", minimum=0))
    lam = separation(X, y, norm)
    memorizer = BUILD[p](X, y, share * lam)
    size, formula = memorizer.size, memorizer.size_by_formula
    print(f"lambda = {lam:.4g}: width {grouped(size.width)}, depth {grouped(size.depth)}")
    print(
        f"{grouped(size.nonzeros)} nonzeros, by formula {grouped(formula.nonzeros)}, of "
        f"{grouped(memorizer.network.parameters)} slots"
    )
    certificate = certify(memorizer)
    found = attack(
        memorizer.network,
        X,
        y,
        share * lam,
        norm,
        rng=seed,
        restarts=_RESTARTS,
        steps=_STEPS if N * n <= _MOST_EXACT else 0,
    )
    print(
        f"certified {int(certificate.certified.sum())} of {N} balls ({certificate.method}, the "
        f"{certificate.scope})"
    )
    print(
        f"largest weight {memorizer.network.largest_weight:.4g}; an attack found a deviation of "
        f"{found.worst.max():.1g}"
    )
    few = slice(0, min(N, 60))
    bounds = {"certificate": (certificate.lower[few], certificate.upper[few])}
    if norm == math.inf:
        lower, upper = memorizer_bounds(memorizer, aware=False)
        bounds = {"plain intervals": (lower[few], upper[few]), **bounds}
    else:
        bounds = {"attack": (y[few] - found.worst[few], y[few] + found.worst[few]), **bounds}
    return bounds_picture(y[few], bounds, name="build-lab")


def near_the_limit(N: int, n: int, label: int, closest: int, seed: int) -> Picture:
    """Measure the error of both formats near the threshold, print where they break, draw it.

    Parameters
    ----------
    N : int
        Number of points, 2 to 60.
    n : int
        Their dimension, 1 to 32.
    label : int
        The largest label, 2 to 1000; the labels are 1 and this one.
    closest : int
        The smallest distance from the threshold is ``1 - rho = 10^-closest``, 2 to 14; float32 goes
        to 10^-6 at most.
    seed : int
        Seed of points and probes, ``>= 0``.

    Returns
    -------
    Picture
        Measured errors beside the prediction, against the distance from the threshold.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Proposition II.5.
    """
    N, n = count(N, "N", minimum=2, maximum=60), count(n, "n", maximum=32)
    label = count(label, "label", minimum=2, maximum=1000)
    closest = count(closest, "closest", minimum=2, maximum=_DIGITS["float64"])
    seed = count(seed, "seed", minimum=0)
    X, y = random_points(N, n, 2, rng=seed)
    y = np.where(y == 1.0, 1.0, float(label))
    lam = separation(X, y)
    half = (label - 1) / 2
    series = {}
    for dtype in ("float64", "float32"):
        gaps = [10.0**-k for k in range(1, min(closest, _DIGITS[dtype]) + 1)]
        curve = precision_curve(X, y, gaps, rng=seed, dtype=dtype, budgets=2)
        proven = curve.proven if dtype == "float64" else None
        series[dtype] = PrecisionSeries(curve.gaps, curve.total, curve.predicted, proven)
        law = breaking_gap(lam, float(label), dtype, label_gap=label - 1.0)
        wrong = curve.gaps[curve.total >= half]
        seen = f"from {wrong.max():.0e} on" if wrong.size else "nowhere"
        print(
            f"{dtype}: error {curve.total[-1]:.1e} at 1 - rho = {curve.gaps[-1]:.0e}; "
            f"wrong {seen}, predicted {law:.0e}"
        )
    return precision_picture(series, allowed=half, name="precision-lab")


def build_lab() -> LiveLab:
    """Build the lab in which a memorizer is built and certified.

    Returns
    -------
    LiveLab
        Controls for points, dimension, labels, budget, norm and seed.

    Notes
    -----
    Source: Theorems II.4.8, II.B.2 and II.B.3, after Yu, Gao and Zhang (2024).
    """
    return LiveLab(
        build_and_certify,
        [
            Slider("N", "points *N*", [5, 10, 20, 50, 100, 200, 500], start=50),
            Slider("n", "dimension *n*", [1, 2, 3, 4, 8, 16, 32, 64, 128], start=4),
            Slider("classes", "labels", [2, 3, 5, 10], start=3),
            Slider(
                "share",
                "budget *μ*/*λ*",
                [0.1, 0.25, 0.4, 0.45, 0.485, 0.499, 0.4999, 0.5],
                start=0.485,
            ),
            Choice("p", "norm *p*", NORM_NAMES),
            Slider("seed", "seed", list(range(20)), start=0),
        ],
        title="Build one and certify it",
    )


def precision_lab() -> LiveLab:
    """Build the lab that goes near the limit.

    Returns
    -------
    LiveLab
        Controls for points, dimension, the largest label, the smallest distance and the seed.

    Notes
    -----
    Source: Proposition II.5.
    """
    return LiveLab(
        near_the_limit,
        [
            Slider("N", "points *N*", [4, 8, 12, 20], start=8),
            Slider("n", "dimension *n*", [1, 2, 4, 8], start=4),
            Slider("label", "the larger label", [2, 10, 100, 1000], start=2),
            Slider("closest", "digits of 1 − *ρ*", list(range(2, 15)), start=14),
            Slider("seed", "seed", list(range(20)), start=0),
        ],
        title="How near the limit can a computer go?",
    )

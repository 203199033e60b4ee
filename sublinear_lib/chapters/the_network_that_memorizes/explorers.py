"""Networks that memorize (Theorems II.4.8, II.B.2, II.B.3): bumps, sizes, errors of rounding."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from sublinear_lib import memorization as mem
from sublinear_lib._typing import FloatArray
from sublinear_lib.chapters._common import NORM_NAMES, NORMS, filled, labeled
from sublinear_lib.chapters.the_network_that_memorizes import figures
from sublinear_lib.plotting import Picture, grouped, number
from sublinear_lib.widgets import Axis, Mark, View
from sublinear_lib.widgets.declaration import explorer, lab, menu, slider

_BUILD = {"inf": mem.memorize, "1": mem.memorize_l1, "2": mem.memorize_l2}
_SHARES = [k / 50 for k in range(1, 25)] + [0.485, 0.49, 0.495, 0.499, 0.4999, 0.49999, 0.499999]
_LIMITS = (-0.35, 1.35)
_PROBES = 48
_DIGITS = {"float64": 14, "float32": 6}


@cache
def _points() -> tuple[FloatArray, FloatArray]:
    """Return six labeled points, whose coordinates are rounded, as those of real data are."""
    plane, y = mem.plane_points(6, 3, rng=29)
    return 0.05 + 0.9 * plane, y


def _edge_points(X: FloatArray, y: FloatArray, mu: float, p: float) -> tuple[FloatArray, ...]:
    """Return points at the edge of the balls, as float64 has them, and their labels."""
    rng = np.random.default_rng(0)
    nearest = np.empty_like(X)
    for k, x in enumerate(X):
        ways = X[y != y[k]] - x
        nearest[k] = ways[np.argmin(np.linalg.norm(ways, p, axis=1))]
    directions = [nearest, *(rng.choice([-1.0, 1.0], X.shape) for _ in range(_PROBES))]
    if p == 1.0:
        axes = [np.eye(X.shape[1])[rng.integers(X.shape[1], size=len(X))] for _ in range(_PROBES)]
        directions += [row * way for row, way in zip(axes, directions[1:], strict=True)]
    points = [X + mu * d / np.linalg.norm(d, p, axis=1, keepdims=True) for d in directions]
    return np.concatenate(points), np.tile(y, len(points))


@explorer(
    "What does a larger budget cost?",
    description="Six points with three labels. Each bump is drawn at its foot, at half its height "
    "and on its plateau, which holds the ball.",
    name="memorizer-explorer",
    share=slider("budget *μ*/*λ*", _SHARES, start=0.44, format="{:g}"),
    p=menu("norm *p*", NORM_NAMES),
)
def bumps(share: float, p: str) -> View:
    """Show the bumps of a memorizer of six points of the plane, and what the network costs."""
    norm = NORMS[p]
    X, y = _points()
    mu = share * mem.separation(X, y, norm)
    memorizer = _BUILD[p](X, y, mu)
    marks: list[Mark] = []
    for i in np.argsort(y, kind="stable").tolist():
        marks += [filled(mem.bump_outline(memorizer, i, v), y[i]) for v in (0.0, 0.5, 1.0)]
    marks += labeled(X, y)
    points, labels = _edge_points(X, y, mu, norm)
    values = memorizer.network(points, dtype=np.float32).astype(np.float64)
    error = float(np.abs(values - labels).max())
    # One digit of an error is as much as it says.
    off = "0" if error == 0.0 else number(error, 1)
    size, weight = memorizer.size, number(memorizer.network.largest_weight)
    return View(
        x=Axis(label="first coordinate", limits=_LIMITS),
        y=Axis(label="second coordinate", limits=_LIMITS),
        equal=True,
        marks=marks,
        sentence=(
            f"{size.nonzeros} nonzero parameters, and the largest weight is {weight}. In float32 "
            f"the network is off by at most {off} at {len(points)} points of the balls."
        ),
        readouts={
            "width × depth": f"{size.width} × {size.depth}",
            "nonzero parameters": f"{size.nonzeros}",
            "largest weight": weight,
            "error in float32": off,
        },
        warning="float32 gives wrong labels here." if error >= 0.5 else None,
    )


@lab(
    "Build one and certify it",
    N=slider("points *N*", [5, 10, 20, 50, 100, 200, 500], start=50),
    n=slider("dimension *n*", [1, 2, 3, 4, 8, 16, 32, 64, 128], start=4),
    classes=slider("labels", [2, 3, 5, 10], start=3),
    share=slider("budget *μ*/*λ*", [0.1, 0.25, 0.4, 0.45, 0.485, 0.499, 0.4999, 0.5], start=0.485),
    p=menu("norm *p*", NORM_NAMES),
    seed=slider("seed", range(20), start=0),
)
def build_and_certify(N: int, n: int, classes: int, share: float, p: str, seed: int) -> Picture:
    """Build a memorizer of random points, print its counts and its certificate, draw the bounds."""
    norm = NORMS[p]
    X, y = mem.random_points(N, n, classes, rng=seed)
    lam = mem.separation(X, y, norm)
    memorizer = _BUILD[p](X, y, share * lam)
    network, steps = memorizer.network, 5 if N * n <= 40_000 else 0
    size, formula = memorizer.size, memorizer.size_by_formula
    print(f"lambda = {lam:.4g}: width {grouped(size.width)}, depth {grouped(size.depth)}")
    print(f"{grouped(size.nonzeros)} nonzeros, by formula {grouped(formula.nonzeros)}", end=", ")
    print(f"of {grouped(network.parameters)} slots")
    certificate = mem.certify(memorizer)
    found = mem.attack(network, X, y, share * lam, norm, rng=seed, restarts=6, steps=steps)
    print(f"certified {int(certificate.certified.sum())} of {N} balls", end=" ")
    print(f"({certificate.method}, the {certificate.scope})")
    print(f"largest weight {network.largest_weight:.4g}", end="; ")
    print(f"an attack found a deviation of {found.worst.max():.1g}")
    few = slice(0, min(N, 60))
    bounds = {"certificate": (certificate.lower[few], certificate.upper[few])}
    if norm == math.inf:
        lower, upper = mem.memorizer_bounds(memorizer, aware=False)
        bounds = {"plain intervals": (lower[few], upper[few]), **bounds}
    else:
        bounds = {"attack": (y[few] - found.worst[few], y[few] + found.worst[few]), **bounds}
    return figures.bounds_picture(y[few], bounds, name="build-lab")


@lab(
    "How near the limit can a computer go?",
    N=slider("points *N*", [4, 8, 12, 20], start=8),
    n=slider("dimension *n*", [1, 2, 4, 8], start=4),
    label=slider("the larger label", [2, 10, 100, 1000], start=2),
    closest=slider("digits of 1 − *ρ*", range(2, 15), start=14),
    seed=slider("seed", range(20), start=0),
)
def near_the_limit(N: int, n: int, label: int, closest: int, seed: int) -> Picture:
    """Measure the error of both formats near the threshold, print where they break, draw it."""
    X, y = mem.random_points(N, n, 2, rng=seed)
    y = np.where(y == 1.0, 1.0, float(label))
    lam = mem.separation(X, y)
    half = (label - 1) / 2
    series = {}
    for dtype in ("float64", "float32"):
        gaps = [10.0**-k for k in range(1, min(closest, _DIGITS[dtype]) + 1)]
        curve = mem.precision_curve(X, y, gaps, rng=seed, dtype=dtype, budgets=2)
        proven = curve.proven if dtype == "float64" else None
        series[dtype] = figures.PrecisionSeries(curve.gaps, curve.total, curve.predicted, proven)
        law = mem.breaking_gap(lam, float(label), dtype, label_gap=label - 1.0)
        wrong = curve.gaps[curve.total >= half]
        seen = f"from {wrong.max():.0e} on" if wrong.size else "nowhere"
        print(f"{dtype}: error {curve.total[-1]:.1e} at 1 - rho = {curve.gaps[-1]:.0e}", end="; ")
        print(f"wrong {seen}, predicted {law:.0e}")
    return figures.precision_picture(series, allowed=half, name="precision-lab")

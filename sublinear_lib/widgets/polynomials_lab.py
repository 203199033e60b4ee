"""The labs of the chapter on polynomials that separate: fit your own points, build the network.

The first lab builds the function of Lemma B.4 on points of a circle, with the paper's polynomial or
with the best one, and attacks it; the second one builds the pseudo-network of Lemma B.9 from it, at
your own m and tau.  No formula lives here; in the static page a lab is a still picture.  Before
changing it, know that a polynomial of high degree is evaluated with more digits than a float has:
in floating point its terms cancel to nothing.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from sublinear_lib import datasets, geometry, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, grouped, number, percent
from sublinear_lib.plotting.polynomials import step_picture
from sublinear_lib.theory import best_steps, existence, polynomials
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._circle import on_circle
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = [
    "fit_points_lab",
    "fit_points_on_circle",
    "polynomial_in_a_network",
    "polynomial_network_lab",
]

_KINDS = ("best", "paper")
_ANGLES = 181
_PROVEN = 64
_BUILT = 300
_BELOW = Fraction(1, 10**6)


def _separation(data: datasets.Dataset) -> Fraction:
    """Return a short fraction just below the smallest distance of the points."""
    return Fraction(datasets.separation(data.X).delta).limit_denominator(10**6) - 2 * _BELOW


def _fitted(q: polynomials.Polynomial, data: datasets.Dataset, at: FloatArray) -> FloatArray:
    inner = np.clip(at @ data.X.T, -1.0, 1.0)
    return q.values(inner.ravel()).reshape(inner.shape) @ data.y


def _shown(
    data: datasets.Dataset,
    ends: tuple[Fraction, Fraction],
    q: polynomials.Polynomial,
    eps: float,
    name: str,
    network: FloatArray | None = None,
) -> Picture:
    delta, rho = ends
    z, angles = np.linspace(-1.0, 1.0, 161), np.linspace(0.0, 360.0, _ANGLES)
    where = np.degrees(np.arctan2(data.X[:, 1], data.X[:, 0])) % 360.0
    half = math.degrees(geometry.cap_angle(float(rho)))
    label = f"degree {q.degree}"
    fits = {label: _fitted(q, data, on_circle(np.radians(angles)))}
    if network is not None:
        fits["pseudo-network *g*"] = network
    return step_picture(
        z,
        {label: q.values(z)},
        (float(1 - (delta - rho) ** 2 / 2), float(1 - rho**2 / 2)),
        eps,
        angles,
        fits,
        np.column_stack((where, np.full(where.shape, half), data.y)),
        name=name,
    )


def fit_points_on_circle(kind: str, n: int, rho: float, eps: float, seed: int) -> Picture:
    """Fit random points of the circle with a polynomial, attack the fit, print how it went.

    Parameters
    ----------
    kind : {"best", "paper"}
        The polynomial of the smallest degree, or that of Claim B.5 at the printed degree.
    n : int
        Number of points, 2 to 6.
    rho : float
        Radius of the adversary (chord length), below half of ``1.3 sin(pi/n)``.
    eps : float
        The accuracy of Lemma B.4, in (0, 1).
    seed : int
        Seed of points and attack, ``>= 0``.

    Returns
    -------
    Picture
        The step, and the function on the circle.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range, or the degree would be so large that
        building the polynomial takes minutes.

    Notes
    -----
    Source: Lemma B.4, Claim B.5.
    """
    choice(kind, "kind", _KINDS)
    n = count(n, "n", minimum=2, maximum=6)
    spacing = 1.3 * math.sin(math.pi / n)
    rho = scalar(rho, "rho", exclusive_minimum=0.0, exclusive_maximum=spacing / 2.0)
    accuracy = scalar(eps, "eps", exclusive_minimum=0.0, exclusive_maximum=1.0)
    rng = np.random.default_rng(count(seed, "seed", minimum=0))
    data = datasets.separated(n, 3, separation=spacing, rng=rng, labels="alternating")
    delta, radius = _separation(data), Fraction(str(rho))
    one = Fraction(str(accuracy)) / (3 * n)
    if kind == "best":
        degree = best_steps.smallest_step_degree(delta, radius, one)
        if degree > _PROVEN:
            raise ValueError(f"rho or eps ask for the degree {degree}, too long for this lab")
        found = best_steps.smallest_step(delta, radius, one)
        q, bound = found.reaches.polynomial, n * found.reaches.upper
        bits = f"no polynomial of degree {found.degree - 1} does it"
    else:
        most = float(best_steps.printed_step_degree(delta, radius, one))
        if most > _BUILT:
            raise ValueError(f"rho or eps ask for the degree {most:.0f}, too long for this lab")
        fit = polynomials.robust_fit(data.X, data.y, delta, radius, 3 * n * one)
        q, bound = fit.step.polynomial, fit.bound
        size = math.log2(fit.step.polynomial.largest_coefficient)
        bits = f"largest coefficient 2^{size:.0f}"
    worst = 0.0
    for _ in range(20):
        moved = geometry.sample_caps(data.X, float(radius), rng)
        worst = max(worst, float(np.abs(_fitted(q, data, moved) - data.y).max()))
    print(f"{n} points at least {number(float(delta))} apart, degree {q.degree}, {bits}")
    print(f"largest error of {20 * n} moved points {worst:.4f}")
    print(f"proven for all points of the caps {float(bound):.4f}, asked for {accuracy / 3:.4f}")
    return _shown(data, (delta, radius), q, float(one), "fit-points")


def fit_points_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that fits points of a circle robustly.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for the polynomial, the number of points, the radius, the accuracy and the seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Lemma B.4.
    """
    return LiveLab(
        fit_points_on_circle,
        [
            Choice(
                "kind",
                "polynomial",
                {"best": "smallest degree", "paper": "of the paper, at the printed degree"},
            ),
            Slider("n", "points *n*", [2, 3, 4, 5, 6], start=4),
            Slider("rho", "radius *ρ*", [0.02, 0.05, 0.1, 0.2, 0.3], start=0.1),
            Slider("eps", "accuracy *ε*", [0.05, 0.1, 0.3, 0.6, 0.9], start=0.3),
            Slider("seed", "seed", list(range(10)), start=0),
        ],
        still=still,
        title="Fit your own points, and attack the fit",
    )


def polynomial_in_a_network(m: int, t: float, n: int, eps: float, seed: int) -> Picture:
    """Put the best polynomial for n points into a pseudo-network, print how far it is off.

    Parameters
    ----------
    m : int
        Width, ``m >= n``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``.
    n : int
        Number of points, equally spaced, 2 to 6.
    eps : float
        The accuracy of Lemma B.4 at ``rho = 1/10``, in (0, 1).
    seed : int
        Seed of the network, ``>= 0``.

    Returns
    -------
    Picture
        The step; the function on the circle, and the pseudo-network built for it.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Lemmas B.9 and C.18, with the feature of Theorem E for the threshold.
    """
    n = count(n, "n", minimum=2, maximum=6)
    m = count(m, "m", minimum=n)
    accuracy = scalar(eps, "eps", exclusive_minimum=0.0, exclusive_maximum=1.0)
    tau = scaling.threshold_from_standard(scalar(t, "t", minimum=0.0), m)
    data = datasets.circle(n)
    delta, rho = _separation(data), Fraction(1, 10)
    one = Fraction(str(accuracy)) / (3 * n)
    q = best_steps.smallest_step(delta, rho, one).reaches.polynomial
    start = TwoLayerNetwork.initialize(m, 3, rng=count(seed, "seed", minimum=0), tau=tau)
    acting = Fraction(tau * math.sqrt(m)).limit_denominator(10**6)
    feature = existence.bounded_feature(q, acting, one)
    shifts = existence.explicit_shifts(feature, start.W, start.b, start.a, data.X, data.y)
    values = 0.5 * start.a * shifts
    worst = existence.largest_deviation_on_circle(values, start.W, start.b, tau, q, data.X, data.y)
    radius = float(np.abs(shifts).max())
    print(f"degree {q.degree}; {grouped(m)} neurons, {percent(scaling.activity_at(t))} active")
    print(f"largest |g - f*| on all of X {worst:.4f}, asked for {accuracy / 3:.4f}")
    print(f"radius {number(radius)} = {number(radius * m**0.8)} m^(-4/5)")
    at = on_circle(np.radians(np.linspace(0.0, 360.0, _ANGLES)))
    shown = np.array([values[start.active_mask(x[None])[0]].sum() for x in at])
    return _shown(data, (delta, rho), q, float(one), "polynomial-network", shown)


def polynomial_network_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that puts a polynomial into a pseudo-network.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, threshold, number of points, accuracy and seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Lemma B.9.
    """
    return LiveLab(
        polynomial_in_a_network,
        [
            Slider("m", "width *m*", [2**k for k in range(8, 21)], start=2**14, format=grouped),
            Slider("t", "threshold *t* = *τ*√(*m*/2)", [0.0, 0.5, 1.0, 1.5, 2.0], start=0.0),
            Slider("n", "points *n*", [2, 3, 4, 5, 6], start=3),
            Slider("eps", "accuracy *ε*", [0.1, 0.3, 0.6, 0.9], start=0.6),
            Slider("seed", "seed", list(range(10)), start=0),
        ],
        still=still,
        title="Where m and τ enter: the polynomial as a pseudo-network",
    )

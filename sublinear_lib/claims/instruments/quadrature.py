r"""Means of Hermite features by a quadrature that knows nothing of the identity behind Lemma B.3.

Before changing it, know that the integrals are cut where a feature jumps.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.polynomial import hermite_e
from numpy.polynomial import polynomial as power_basis
from scipy import special, stats

from sublinear_lib._typing import FloatArray
from sublinear_lib.claims import Role
from sublinear_lib.claims.collector import Collector, Rng
from sublinear_lib.theory import existence, polynomials

CUBIC = polynomials.Polynomial((Fraction(3, 10), Fraction(1, 2), Fraction(-2, 5), Fraction(1, 5)))
"""A polynomial of the size of labels, in the place of the q of Lemma B.4."""
CONSTANT = 6
"""The "large enough constant" c of Definition B.1, fixed once for all checks."""
Z = (-0.9, -0.3, 0.0, 0.5, 0.8)


def neurons(k: int, d: int, rng: Rng) -> tuple[FloatArray, FloatArray]:
    """Draw neurons in the units of Lemma C.18."""
    return rng.standard_normal((k, d)), rng.standard_normal(k)


def value(target: polynomials.Polynomial, z: float) -> float:
    """Evaluate a polynomial."""
    return float(power_basis.polyval(z, [float(value) for value in target.coefficients]))


def panels(cuts: FloatArray, nodes: int = 20) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes and weights on the pieces between cuts, each of length <= 1."""
    edges = np.unique(
        np.concatenate(
            [
                np.linspace(low, high, max(2, math.ceil(high - low) + 1))
                for low, high in pairwise(cuts)
            ]
        )
    )
    unit, weight = special.roots_legendre(nodes)
    half = np.diff(edges)[:, None] / 2.0
    return ((edges[:-1, None] + half * (unit + 1.0)).ravel(), (half * weight).ravel())


def mean(feature: existence.HermiteFeature, z: float, tau: float) -> float:
    """Integrate ``h(<x', w>, b) 1{<w, x> + b >= tau}`` over the normal law, without the identity.

    Given ``<x', w> = g`` and b, the pre-activation is normal with mean ``z g + b`` and variance
    ``1 - z^2``; what is left is an integral over two variables, cut where h jumps.
    """
    reach = 13.0 if feature.level is None else float(feature.level)
    jumps = [np.array([-13.0, 13.0])]
    for k in range(2, feature.target.degree + 1):
        jumps.append(float(feature.built_for) - zeros(k - 1))
    # Beyond the level only the constant term is left, so the whole line is integrated.
    g, g_weight = panels(np.unique(np.array([-13.0, -reach, reach, 13.0])))
    b, b_weight = panels(np.unique(np.concatenate(jumps)))
    h = feature(np.repeat(g, b.size), np.tile(b, g.size)).reshape(g.size, b.size)
    active = special.ndtr((z * g[:, None] + b - tau) / math.sqrt(1.0 - z * z))
    density = np.outer(g_weight * stats.norm.pdf(g), b_weight * stats.norm.pdf(b))
    return float(np.vdot(density, h * active))


def miss(feature: existence.HermiteFeature, tau: float) -> float:
    """Return the largest distance of the mean of a feature from its target."""
    return max(abs(mean(feature, z, tau) - value(feature.target, z)) for z in Z)


def zeros(k: int) -> FloatArray:
    """Find the zeros of ``He_k``, which are real: NumPy may give them a complex type."""
    found: FloatArray = hermite_e.hermeroots([0.0] * k + [1.0]).real
    return found


def mass(k: int, tau: float = 0.0) -> float:
    """Integrate ``N_k = E[|He_(k-1)(tau - b)| phi(tau - b)]`` for b ~ N(0, 1)."""
    jumps = tau - zeros(k - 1)
    b, weight = panels(np.unique(np.concatenate((jumps, [-10.0, 10.0 + tau]))))
    size = np.abs(hermite_e.hermeval(tau - b, [0.0] * (k - 1) + [1.0]))
    return float(np.vdot(weight, size * stats.norm.pdf(tau - b) * stats.norm.pdf(b)))


# C.18, C.19 and equation (25)


def union_bound(look: Collector) -> None:
    """Look at the step of the proof of Lemma C.18 that goes from one input to the net."""
    ratios = (10, 10**3, 10**5)
    for name, widths_of, role in (
        ("k = 100 d (C/eps)^2, as printed", [300 * ratio**2 for ratio in ratios], Role.PROOF),
        ("k = 100 (C/eps)^4", [100 * ratio**4 for ratio in ratios], Role.REPAIR),
    ):
        decided = [
            existence.union_bound_condition(k, 3, ratio)
            for k, ratio in zip(widths_of, ratios, strict=True)
        ]
        look.on(role).certified(
            f"union bound over the net at {name}, d = 3, C/eps = 10, 10^3, 10^5"
        ).holds(
            all(item.holds for item in decided),
            ", ".join(f"{item.ratio:.3g}" for item in decided),
            "exponent needed over exponent there <= 1",
        )

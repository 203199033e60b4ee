r"""How far the average of finitely many neurons is from its mean: the error of Lemma C.18, exactly.

The weights of Lemmas B.9 and C.18 make the pseudo-network an average of independent terms
``h(<x_i, w_r>, b_r) 1{<w_r, x> + b_r >= tau}``.  Its mean and its variance at a point are
polynomials in the inner products ``<x_i, x>``, and here are their coefficients, for the features of
:func:`sublinear_lib.theory.existence.hermite_feature`.  Before changing anything, know that the
variance belongs to the feature without its cut, and that units are those of Lemma C.18
(``w ~ N(0, I_d)``, ``b ~ N(0, 1)``): a threshold of the network is multiplied by ``sqrt(m)`` first.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial import hermite_e
from numpy.polynomial import polynomial as power_basis
from scipy import special

from sublinear_lib.theory.existence import HermiteFeature, block_owners, he_values, hermite_mass
from sublinear_lib.validation import count, float_array, points_on_slice, scalar

if TYPE_CHECKING:
    from sublinear_lib._typing import FloatArray

__all__ = ["active_mean", "sampling_deviation"]

_REACH = 13.0
_NODES = 96


def active_mean(feature: HermiteFeature, tau: float | None = None) -> FloatArray:
    r"""Return the mean of the active part of a feature as a polynomial in ``z = <x', x>``.

    Ascending coefficients of ``z -> E[h(<x', w>, b) 1{<w, x> + b >= tau}]``, the k-th one ``alpha_k
    M_k / N_k`` with the factors of `hermite_mass`, for h without its cut (whose `error` bounds what
    that changes).  By default `tau` is the threshold that h is built for, and the mean is the
    target.

    >>> from fractions import Fraction
    >>> from sublinear_lib.theory.existence import hermite_feature
    >>> from sublinear_lib.theory.polynomials import Polynomial
    >>> active_mean(hermite_feature(Polynomial((Fraction(1), Fraction(2))), 1)).tolist()
    [1.0, 2.0]
    """
    built_for = feature.built_for
    acting = built_for if tau is None else scalar(tau, "tau")
    found = np.zeros(len(feature.masses))
    for k, mass in enumerate(feature.masses):
        if mass is not None:
            kept = 1.0
            if acting != built_for:
                kept = float(hermite_mass(k, acting, built_for)) / float(mass)
            found[k] = float(feature.target.coefficients[k]) * kept
    return found


def _zeros(k: int) -> FloatArray:
    # real parts: from NumPy 2.5 on, zeros are of a complex type whatever their values
    return np.asarray(hermite_e.hermeroots(np.eye(k + 1)[k]).real, dtype=np.float64)


def _sign(k: int, v: FloatArray) -> FloatArray:
    """Return ``s_k`` as a function of ``v = tau_0 - b``."""
    return np.where(he_values(k - 1, v) >= 0.0, 1.0, -1.0) if k else np.ones(v.shape)


def _density(u: FloatArray) -> FloatArray:
    values: FloatArray = np.exp(-(u**2) / 2.0) / math.sqrt(2.0 * math.pi)
    return values


def _line(cuts: FloatArray, tau: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes for ``u = tau - b`` and weights with the density of b, smooth between cuts."""
    edges = np.concatenate(([-_REACH], cuts, [_REACH]))
    unit, weight = special.roots_legendre(_NODES)
    nodes, weights = [], []
    for low, high in pairwise(edges):
        nodes.append(low + (high - low) * (unit + 1.0) / 2.0)
        weights.append(weight * (high - low) / 2.0)
    u = np.concatenate(nodes)
    return u, np.concatenate(weights) * _density(tau - u)


def active_mean_square(feature: HermiteFeature, tau: float | None = None) -> FloatArray:
    r"""Return the mean square of the active part of a feature as a polynomial in ``z = <x', x>``.

    Ascending coefficients of ``z -> E[h(<x', w>, b)^2 1{<w, x> + b >= tau}]``, for h without its
    cut. Proof.  ``He_j He_k = sum_l l! C(j, l) C(k, l) He_(j+k-2l)``.  With ``n = j + k - 2l``, as
    in `hermite_mass`, ``E[He_n(<x', w>) s_j(b) s_k(b) 1{active}] = z^n E[s_j s_k He_(n-1)(tau - b)
    phi(tau - b)]`` for ``n >= 1``; ``n = 0`` happens only for ``j = k = l``, where ``s_j s_k = 1``
    and the value is ``Q(tau / sqrt(2))``.  The integrals over b are smooth between the zeros of
    ``He_(j-1)`` and ``He_(k-1)``, and Gauss-Legendre sums there are exact up to rounding.

    >>> from fractions import Fraction
    >>> from sublinear_lib.theory.existence import hermite_feature
    >>> from sublinear_lib.theory.polynomials import Polynomial
    >>> active_mean_square(hermite_feature(Polynomial((Fraction(1),)), 0)).round(12).tolist()
    [2.0]
    """
    built_for = float(feature.built_for)
    acting = built_for if tau is None else scalar(tau, "tau")
    used = [(k, float(mass)) for k, mass in enumerate(feature.masses) if mass is not None]
    weight = {k: float(feature.target.coefficients[k]) / mass for k, mass in used}
    shift = built_for - acting
    found = np.zeros(2 * len(feature.masses) - 1)
    for j, _ in used:
        for k, _ in used:
            cuts = np.concatenate((_zeros(max(j - 1, 0)), _zeros(max(k - 1, 0)))) - shift
            u, share = _line(np.unique(cuts), acting)
            share = share * _sign(j, u + shift) * _sign(k, u + shift)
            for shared in range(min(j, k) + 1):
                n = j + k - 2 * shared
                factor = math.factorial(shared) * math.comb(j, shared) * math.comb(k, shared)
                if n == 0:
                    part = float(special.ndtr(-acting / math.sqrt(2.0)))
                else:
                    part = float(share @ (he_values(n - 1, u) * _density(u)))
                found[n] += weight[j] * weight[k] * factor * part
    return found


def sampling_deviation(
    feature: HermiteFeature,
    m: int,
    X: FloatArray,
    y: FloatArray,
    at: FloatArray,
    tau: float | None = None,
) -> FloatArray:
    r"""Return the standard deviation of ``g(x; W*)`` for the weights that the proofs write down.

    For h without its cut, neurons dealt out as in `existence.explicit_shifts`, at the points `at`,
    with the threshold that acts in units where the entries are N(0, 1).  Source: Lemmas B.9 and
    C.18.  The block of ``x_i`` has k_i independent neurons, so the variance is ``sum_i y_i^2 / k_i
    (E[h^2 1{active}] - E[h 1{active}]^2)`` at ``z = <x_i, x>``: exactly of order ``n / m``, where
    the proof has an inequality of Hoeffding with ``max |h|``.

    >>> from fractions import Fraction
    >>> from sublinear_lib.theory.existence import hermite_feature
    >>> from sublinear_lib.theory.polynomials import Polynomial
    >>> one = hermite_feature(Polynomial((Fraction(1),)), 0)
    >>> x = np.array([[3**0.5 / 2, 0.5]])
    >>> sampling_deviation(one, 100, x, np.ones(1), x).round(12).tolist()  # 2 - 1 over 100
    [0.1]
    """
    X = points_on_slice(X, "X")
    y = float_array(y, "y", shape=(len(X),))
    points = points_on_slice(at, "at", d=X.shape[1])
    m = count(m, "m", minimum=len(X))
    length = np.bincount(block_owners(m, len(X)))
    z = points @ X.T
    square = power_basis.polyval(z, active_mean_square(feature, tau))
    mean = power_basis.polyval(z, active_mean(feature, tau))
    spread: FloatArray = np.sqrt(np.maximum(square - mean**2, 0.0) @ (y**2 / length))
    return spread

"""Promises of ``theory.sampling_error``: means and variances of an average over random neurons."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from numpy.polynomial import polynomial as power_basis
from scipy import integrate, special, stats

from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.theory import existence, sampling_error
from sublinear_lib.theory.polynomials import Polynomial
from tests.theory.oracles import circle

CUBIC = Polynomial((Fraction(3, 10), Fraction(1, 2), Fraction(-2, 5), Fraction(1, 5)))
BUMP = existence.bump(Fraction(-1, 8))
PAIRS = [(0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.5, 0.5), (2.0, 2.0)]


def integrated(feature: existence.HermiteFeature, z: float, tau: float, power: int) -> float:
    """Integrate h^power over the active half-plane, without any identity of Hermite polynomials.

    Given <x', w> = g and b the pre-activation is normal with mean z g + b, variance 1 - z^2.
    """
    rest = math.sqrt(1.0 - z * z)
    g, g_weight = special.roots_hermitenorm(60)
    kinks = [-8.0, *sorted({float(feature.built_for) + s for s in (-1.0, 0.0, 1.0)}), 8.0]

    def inner(b: float) -> float:
        h = feature(g, np.full(g.shape, b)) ** power
        active = special.ndtr((z * g + b - tau) / rest)
        return float(g_weight @ (h * active)) / math.sqrt(2 * math.pi) * stats.norm.pdf(b)

    pieces = [integrate.quad(inner, *ends, epsabs=1e-10, limit=200) for ends in pairwise(kinks)]
    return sum(piece[0] for piece in pieces)


@pytest.mark.parametrize("target", [BUMP, CUBIC], ids=["parabola", "cubic"])
@pytest.mark.parametrize(("built_for", "tau"), PAIRS)
@pytest.mark.parametrize("z", [-0.6, 0.0, 0.5])
def test_mean_and_mean_square_agree_with_an_integral_that_knows_no_identity(
    target: Polynomial, built_for: float, tau: float, z: float
) -> None:
    feature = existence.hermite_feature(target, built_for)
    mean = power_basis.polyval(z, sampling_error.active_mean(feature, tau))
    square = power_basis.polyval(z, sampling_error.active_mean_square(feature, tau))
    assert mean == pytest.approx(integrated(feature, z, tau, 1), rel=1e-6, abs=1e-7)
    assert square == pytest.approx(integrated(feature, z, tau, 2), rel=1e-6)
    assert square > mean**2


@pytest.mark.parametrize("tau", [0.0, 0.25, 3.0, *(Fraction(k, 7) for k in range(1, 15, 2))])
def test_at_the_own_threshold_the_mean_is_the_target(tau: float | Fraction) -> None:
    feature = existence.hermite_feature(CUBIC, tau)
    assert sampling_error.active_mean(feature).tolist() == [0.3, 0.5, -0.4, 0.2]
    assert np.array_equal(
        sampling_error.active_mean_square(feature), sampling_error.active_mean_square(feature, tau)
    )


@pytest.mark.parametrize("m", [301, 600])
def test_the_deviation_is_that_of_the_pseudo_network_of_the_explicit_weights(m: int) -> None:
    X, y = circle([0.0, 2.0]), np.array([1.0, -0.5])
    at, tau, draws = circle([0.1, 1.0, 3.0]), 0.4, 3000
    feature = existence.hermite_feature(BUMP, tau)
    values = np.empty((draws, 3))
    for seed in range(draws):
        start = TwoLayerNetwork.initialize(m, 3, rng=seed, tau=tau / math.sqrt(m))
        W = np.array(start.W)
        W[:, 2] += existence.explicit_shifts(feature, start.W, start.b, start.a, X, y)
        values[seed] = PseudoNetwork(start, W).forward(at)
    expected = sampling_error.sampling_deviation(feature, m, X, y, at)
    spread = values.std(axis=0, ddof=1)
    # Heavy tails: the error of the sample variance is taken from the sample itself.
    fourth = ((values - values.mean(axis=0)) ** 4).mean(axis=0)
    error = np.sqrt((fourth - spread**4) / draws) / (2 * spread)
    assert (np.abs(spread - expected) < 4 * error).all(), (spread, expected, error)
    wanted = power_basis.polyval(at @ X.T, [1 / 81, 16 / 81, 64 / 81]) @ y
    assert (np.abs(values.mean(axis=0) - wanted) < 4 * expected / math.sqrt(draws)).all()


def test_the_error_falls_exactly_with_the_square_root_of_the_width() -> None:
    X, y = circle([0.0, 2.0, 4.0]), np.array([1.0, -1.0, 0.3])
    feature = existence.hermite_feature(CUBIC, 1)
    near, far = (
        sampling_error.sampling_deviation(feature, m, X, y, circle([0.5, 2.5]), 0.7)
        for m in (300, 30_000)
    )
    assert near == pytest.approx(10 * far, rel=1e-12)
    with pytest.raises(ValueError, match="y must"):
        sampling_error.sampling_deviation(feature, 300, X, y[:2], X)

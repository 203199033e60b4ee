"""The error of floating-point evaluation follows eps y / c, below what is proven."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from sublinear_lib.memorization import (
    Memorizer,
    breaking_gap,
    ideal_values,
    memorize,
    memorize_l1,
    memorize_lipschitz,
    precision_curve,
    random_points,
    separation,
)
from sublinear_lib.memorization.precision import (
    PrecisionCurve,
    ball_probes,
    evaluation_error,
)

pytestmark = pytest.mark.either_way

GAPS = [10.0**-k for k in range(1, 13)]


def example(rho: float, seed: int = 0) -> Memorizer:
    X, y = random_points(8, 3, 3, seed)
    return memorize(X, y, rho * separation(X, y) / 2)


def probes_of(X: np.ndarray, y: np.ndarray, mu: float) -> np.ndarray:
    return ball_probes(X, y, mu, np.random.default_rng(0), 3, 2)


@pytest.fixture(scope="module")
def double() -> PrecisionCurve:
    X, y = random_points(8, 3, 3, 0)
    return precision_curve(X, y, GAPS, rng=0)


@pytest.fixture(scope="module")
def single() -> PrecisionCurve:
    X, y = random_points(8, 3, 3, 0)
    return precision_curve(X, y, GAPS[:7], rng=0, dtype="float32")


def test_the_error_of_float64_stays_near_the_predicted_line(double: PrecisionCurve) -> None:
    ratio = double.total / double.predicted
    assert (ratio > 0.1).all() and (ratio < 20.0).all()
    slope = np.polyfit(np.log(double.gaps), np.log(double.total), 1)[0]
    assert slope == pytest.approx(-1.0, abs=0.1)
    assert double.wrong.sum() == 0
    np.testing.assert_allclose(double.gaps, GAPS, rtol=1e-2)


def test_measured_errors_stay_below_the_proven_bound(double: PrecisionCurve) -> None:
    assert (double.total <= double.proven).all()
    assert (double.proven < 1e4 * double.predicted).all()


def test_float32_fails_where_it_is_predicted_to(single: PrecisionCurve) -> None:
    X, y = random_points(8, 3, 3, 0)
    predicted = breaking_gap(separation(X, y), 3.0, "float32")
    assert (single.total[single.gaps > 30 * predicted] < 0.5).all()
    assert (single.total[single.gaps < predicted / 3] > 0.5).all()
    assert single.wrong[-1] > 0 and single.wrong[0] == 0
    assert np.isnan(single.proven).all()


def test_the_lipschitz_memorizer_does_not_blow_up() -> None:
    X, y = random_points(10, 4, 2, 0)
    memorizer = memorize_lipschitz(X, 2 * y - 3)
    for gap in (1e-2, 1e-8, 1e-12):
        probes = probes_of(X, memorizer.y, (1 - gap) * memorizer.lam / 2)
        total, wrong = evaluation_error(memorizer, probes)
        assert total < 1e-14 and wrong == 0


def test_probes_are_in_the_balls_exactly() -> None:
    X, y = random_points(12, 3, 2, 7)
    mu = 0.1234567
    probes = probes_of(X, y, mu)
    assert probes.shape == (12 * 6, 3)
    owner = np.tile(np.arange(12), 6)
    for point, k in zip(probes.tolist(), owner, strict=True):
        gaps = [abs(Fraction(a) - Fraction(b)) for a, b in zip(point, X[k].tolist(), strict=True)]
        assert max(gaps) <= Fraction(mu)
    corner = np.abs(probes[:36] - X[owner[:36]])
    np.testing.assert_allclose(corner, mu, atol=1e-6)


def test_ideal_values_are_the_labels_on_the_balls_exactly() -> None:
    for rho in (0.5, 1 - 1e-9):
        memorizer = example(rho)
        probes = probes_of(memorizer.X, memorizer.y, memorizer.mu or 0.0)
        values = ideal_values(memorizer, probes)
        assert values == 6 * [Fraction(v) for v in memorizer.y.tolist()]


def test_ideal_values_agree_with_the_reference_everywhere() -> None:
    X, y = random_points(9, 3, 2, 3)
    mu = 0.8 * separation(X, y) / 2
    points = np.random.default_rng(0).uniform(-0.2, 1.2, (60, 3))
    for memorizer in (
        memorize(X, y, mu),
        memorize(X, y - 5.0, mu),
        memorize_lipschitz(X, 2 * y - 3),
        memorize_lipschitz(X, 2 * y - 3, mu),
    ):
        values = np.array([float(v) for v in ideal_values(memorizer, points)])
        np.testing.assert_allclose(values, memorizer.reference(points), atol=1e-12)


def test_the_prediction_is_the_closed_form(double: PrecisionCurve) -> None:
    np.testing.assert_array_equal(double.predicted, np.finfo(float).eps * 3.0 / double.margins)
    assert breaking_gap(0.3, 4.0, label_gap=2.0) == 8 * np.finfo(float).eps / 0.6


def test_a_value_that_overflows_is_an_infinite_error() -> None:
    X, y = random_points(4, 2, 2, 0)
    memorizer = memorize(X, y * 1e30, 0.5 * separation(X, y) / 2)
    probes = probes_of(X, y, memorizer.mu or 0.0)
    assert math.isfinite(evaluation_error(memorizer, probes, "float32")[0])
    total, wrong = evaluation_error(memorize(X, y * 1e39, 0.01), probes, "float32")
    assert total == math.inf and wrong > 0


def test_bad_input_is_refused() -> None:
    X, y = random_points(5, 2, 2, 0)
    with pytest.raises(ValueError, match="gaps must lie in"):
        precision_curve(X, y, [0.0], rng=0)
    with pytest.raises(ValueError, match="at least two classes"):
        precision_curve(X, np.ones(5), [0.1], rng=0)
    with pytest.raises(ValueError, match="corners must be an integer >= 0"):
        precision_curve(X, y, [0.1], rng=0, corners=-1)
    with pytest.raises(ValueError, match="kind 'linf' or 'lipschitz'"):
        ideal_values(memorize_l1(X, y, 0.01), X)

"""Rectifiers: values, slopes, smoothness, convexity and ranges."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from sublinear_lib.features import GELU, Activation, ReLU, SmoothedReLU, Softplus

pytestmark = pytest.mark.either_way

EVERY = [
    SmoothedReLU(),
    SmoothedReLU(q=2, rho=0.7),
    SmoothedReLU(q=4, rho=2.0),
    SmoothedReLU(q=1.3, rho=1.0),
    SmoothedReLU(q=2.5, rho=3.0),
    ReLU(),
    GELU(),
    Softplus(),
    Softplus(sharpness=1.5),
]
exponents = st.one_of(st.integers(2, 9), st.floats(1.05, 8.0))
widths = st.floats(0.05, 30.0)


@given(exponents, widths, st.floats(-40.0, 80.0))
@settings(deadline=None, max_examples=200)
def test_the_smoothed_relu_is_the_formula_in_three_pieces(q: float, rho: float, z: float) -> None:
    if z <= 0:
        value, slope = 0.0, 0.0
    elif z <= rho:
        value, slope = z**q / (q * rho ** (q - 1)), (z / rho) ** (q - 1)
    else:
        value, slope = z - (1 - 1 / q) * rho, 1.0
    found = SmoothedReLU(q, rho).value_and_slope(np.array([z]))
    assert found[0][0] == pytest.approx(value, rel=1e-12, abs=1e-300)
    assert found[1][0] == pytest.approx(slope, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("act", EVERY, ids=repr)
def test_the_slope_is_the_derivative_and_0_stays_0(act: Activation) -> None:
    z = np.linspace(-3.03, 6.07, 183)
    h = 1e-6
    differences = (act.value(z + h) - act.value(z - h)) / (2 * h)
    np.testing.assert_allclose(act.slope(z), differences, rtol=1e-6, atol=1e-8)
    assert act.value(np.zeros(1))[0] == 0.0


@pytest.mark.parametrize("q", [2, 3, 4, 6, 7, 8, 17, 65])
@pytest.mark.parametrize("rho", [0.4, 15.0])
def test_a_whole_power_of_one_number_and_of_many_has_the_same_bits(q: int, rho: float) -> None:
    act = SmoothedReLU(q, rho)
    z = np.linspace(-0.5, 2.0, 41) * rho
    before = z.copy()
    many = np.array(act.value_and_slope(z))
    assert z.tobytes() == before.tobytes()
    assert np.array(act.value_and_slope(z.reshape(1, 41, 1))).tobytes() == many.tobytes()
    alone = [act.value_and_slope(np.array(each)) for each in z]
    np.testing.assert_array_equal(np.array(alone).T, many)


@pytest.mark.parametrize("act", EVERY, ids=repr)
@pytest.mark.parametrize("span", [0.01, 1.0, 20.0])
def test_the_range_on_an_interval_is_that_of_a_fine_grid(act: Activation, span: float) -> None:
    rng = np.random.default_rng(0)
    low = rng.uniform(-4.0, 4.0, 50)
    high = low + span * rng.uniform(size=50)
    least, greatest = act.range(low, high)
    grid = act.value(np.linspace(low, high, 4001))
    assert (least <= grid.min(axis=0) + 1e-15).all()
    assert (greatest >= grid.max(axis=0) - 1e-15).all()
    np.testing.assert_allclose(least, grid.min(axis=0), atol=1e-5 * span)
    np.testing.assert_allclose(greatest, grid.max(axis=0), atol=1e-12)


@pytest.mark.parametrize("act", EVERY, ids=repr)
def test_it_is_convex_exactly_if_it_says_so(act: Activation) -> None:
    z = np.linspace(-5, 20, 2001)
    bends = np.diff(act.slope(z))
    assert (bends >= -1e-12).all() == act.convex


def test_the_gelu_is_least_where_the_library_says() -> None:
    found = minimize_scalar(
        lambda z: float(GELU().value(np.array([z]))[0]), (-1.0, -0.7), tol=1e-14
    )
    least, _ = GELU().range(np.array([-3.0]), np.array([1.0]))
    assert least[0] == pytest.approx(found.fun, abs=1e-15)
    assert least[0] <= found.fun
    assert GELU().value(np.array([1.3]))[0] == pytest.approx(
        1.3 * 0.5 * (1 + math.erf(1.3 / math.sqrt(2))), rel=1e-14
    )


def test_the_relative_error_of_a_high_power_grows_with_the_exponent() -> None:
    z = np.random.default_rng(0).uniform(2.9, 3.0, 60)
    worst = 0.0
    for q in (3, 65, 66, 2001):
        act = SmoothedReLU(q, 3.0)
        value, slope = act.value_and_slope(z)
        for point, v, s in zip(z.tolist(), value.tolist(), slope.tolist(), strict=True):
            exact = (Fraction(point) / 3) ** (q - 1)
            allowed = Fraction(act.relative_error)
            assert abs(Fraction(s) - exact) <= allowed * exact
            exact *= Fraction(point) / q
            assert abs(Fraction(v) - exact) <= allowed * exact
            worst = max(worst, float(abs(Fraction(v) / exact - 1)))
    assert worst > 2.0**-46 == SmoothedReLU(16, 3.0).relative_error


def test_the_error_bound_of_the_gelu_covers_the_digits_that_its_tail_loses() -> None:
    def exact(z: float) -> Decimal:
        # The continued fraction of Laplace for the tail of the normal distribution.
        x = tail = -Decimal(z)
        for k in range(300, 0, -1):
            tail = x + k / tail
        return -x * (-x * x / 2).exp() / ((2 * pi).sqrt() * tail)

    pi = Decimal("3.14159265358979323846264338327950288419716939937510582")
    z = np.random.default_rng(0).uniform(-37.0, -4.0, 100)
    value = GELU().value(z)
    with localcontext() as context:
        context.prec = 50
        off = np.array([float(abs(Decimal(v) - exact(t))) for v, t in zip(value, z, strict=True)])
    assert (off <= GELU().error_bound(value, -z)).all()
    assert (off > 2.0**-46 * np.abs(value)).any()
    assert GELU().error_bound(np.array([3.0]), np.array([3.0]))[0] == 3 * 2.0**-46


def test_huge_arguments_give_no_warning_and_the_linear_part() -> None:
    z = np.array([-1e300, 1e300])
    for act in EVERY:
        value, slope = act.value_and_slope(z / 1e150)
        assert np.isfinite(value).all()
        np.testing.assert_allclose(slope, [0.0, 1.0], atol=1e-12)


@pytest.mark.parametrize("q", [1, 1.0, 0.5, -3, 0])
def test_an_exponent_of_1_or_less_is_refused_with_the_reason(q: float) -> None:
    with pytest.raises(ValueError, match=r"q must be a finite number > 1 .*plain ReLU"):
        SmoothedReLU(q=q)

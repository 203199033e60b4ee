"""Every loss satisfies Definition 3.2 for every parameter, at residuals of every size."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.losses import (
    LOSSES,
    AbsoluteLoss,
    EpsilonInsensitiveLoss,
    HuberLoss,
    LogCoshLoss,
    get_loss,
)

PARAMETERS = st.floats(1e-6, 1e3)
ANY_LOSS = st.one_of(
    st.just(AbsoluteLoss()),
    PARAMETERS.map(lambda v: HuberLoss(delta=v)),
    PARAMETERS.map(lambda v: LogCoshLoss(scale=v)),
    PARAMETERS.map(lambda v: EpsilonInsensitiveLoss(epsilon=v)),
    st.just(EpsilonInsensitiveLoss(epsilon=0.0)),
)
LABELS = st.floats(-1.0, 1.0)
PREDICTIONS = st.one_of(st.floats(-3.0, 3.0), st.floats(-1e6, 1e6), LABELS)


def scalar_loss(loss, y, f):
    """Evaluate the textbook formula in sixty decimal digits."""
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 60, 10**15, -(10**15)
        r = abs(Decimal(f) - Decimal(y))
        match loss:
            case AbsoluteLoss():
                return r
            case HuberLoss(delta=delta):
                width = Decimal(delta)
                return r * r / (2 * width) if r <= width else r - width / 2
            case LogCoshLoss(scale=scale):
                width = Decimal(scale)
                x = r / width
                if x < Decimal("1e-9"):  # sixty digits cancel in the logarithm, two terms do not
                    return width * (x * x / 2 - x**4 / 12)
                return width * ((x.exp() + (-x).exp()) / 2).ln()
            case EpsilonInsensitiveLoss(epsilon=epsilon):
                return max(r - Decimal(epsilon), Decimal(0))
    raise AssertionError(f"no formula for {loss}")


@settings(max_examples=100)
@given(ANY_LOSS, LABELS, PREDICTIONS)
def test_value_is_the_textbook_formula(loss, y, f):
    expected = scalar_loss(loss, y, f)
    found = Decimal(float(loss.value(y, f)))
    # The residual f - y is rounded once, which a slope of at most 1 passes on.
    slack = Decimal("1e-14") * expected + Decimal("2.3e-16") * abs(Decimal(f) - Decimal(y))
    assert abs(found - expected) <= slack, (loss, y, f, found, expected)


@given(ANY_LOSS, PREDICTIONS)
def test_loss_is_zero_at_the_label_and_never_negative(loss, f):
    assert float(loss.value(f, f)) == 0.0
    assert float(loss.derivative(f, f)) == 0.0
    assert np.all(loss.value(np.linspace(-1, 1, 9), np.full(9, f)) >= 0.0)


@settings(max_examples=100)
@given(ANY_LOSS, LABELS, PREDICTIONS, PREDICTIONS)
def test_loss_is_one_lipschitz_and_lies_above_its_tangents(loss, y, f, g):
    at_f, at_g = float(loss.value(y, f)), float(loss.value(y, g))
    slope = float(loss.derivative(y, f))
    assert abs(slope) <= 1.0
    slack = 1e-14 * (abs(f) + abs(g) + 1.0)
    assert abs(at_f - at_g) <= abs(f - g) + slack
    # Convexity and the subgradient property in one: loss(g) >= loss(f) + slope (g - f).
    assert at_g >= at_f + slope * (g - f) - slack, (loss, y, f, g)


@pytest.mark.parametrize(
    "loss",
    [AbsoluteLoss(), HuberLoss(delta=0.3), LogCoshLoss(scale=0.3), EpsilonInsensitiveLoss()],
    ids=lambda loss: loss.name,
)
def test_derivative_is_the_limit_of_difference_quotients(loss):
    f = np.array([-1.9, -0.31, -0.1, -0.001, 0.002, 0.07, 0.29, 1.4])
    h = 1e-6
    quotient = (loss.value(np.zeros(8), f + h) - loss.value(np.zeros(8), f - h)) / (2 * h)
    np.testing.assert_allclose(loss.derivative(np.zeros(8), f), quotient, atol=2e-8)


def test_derivatives_at_kinks_are_exact():
    f = np.array([-2.0, -0.5, -0.25, 0.0, 0.25, 0.5, 2.0])
    np.testing.assert_array_equal(AbsoluteLoss().derivative(0.0, f), [-1, -1, -1, 0, 1, 1, 1])
    flat = EpsilonInsensitiveLoss(epsilon=0.25).derivative(0.0, f)
    np.testing.assert_array_equal(flat, [-1, -1, 0, 0, 0, 1, 1])


@pytest.mark.parametrize("parameter", [5e-324, 1e-300, 0.1, 1e300])
@pytest.mark.parametrize("size", [1e-310, 1e-160, 1.0, 1e20, 1e200, 1.7e308])
@pytest.mark.filterwarnings("error")
def test_extreme_residuals_give_finite_losses_without_warnings(size, parameter):
    for loss in (
        AbsoluteLoss(),
        HuberLoss(delta=parameter),
        LogCoshLoss(scale=parameter),
        EpsilonInsensitiveLoss(epsilon=parameter),
    ):
        for f in (size, -size):
            value, slope = float(loss.value(0.0, f)), float(loss.derivative(0.0, f))
            assert 0.0 <= value <= size, (loss, f)
            assert abs(slope) <= 1.0
            if size > 1e3 * parameter:
                assert value == pytest.approx(size, rel=1e-3), (loss, f)
                assert slope == math.copysign(1.0, f)


def test_a_number_is_compared_with_every_entry_but_shapes_are_not_mixed():
    loss = AbsoluteLoss()
    np.testing.assert_array_equal(loss.value(0.5, [0.0, 1.0]), [0.5, 0.5])
    np.testing.assert_array_equal(loss.value([0.0, 1.0], 0.5), [0.5, 0.5])
    assert loss.value([[0.0]], [[1.0]]).shape == (1, 1)
    with pytest.raises(ValueError, match=r"y and f must have the same shape .* \(2,\) and \(2, 1"):
        loss.value([0.0, 1.0], [[0.0], [1.0]])


def test_losses_are_found_by_name_and_by_instance():
    assert [get_loss(name).name for name in LOSSES] == list(LOSSES)
    defaults = [AbsoluteLoss(), HuberLoss(delta=0.1), LogCoshLoss(scale=0.1)]
    assert [get_loss(name) for name in LOSSES[:3]] == defaults
    assert get_loss("epsilon-insensitive") == EpsilonInsensitiveLoss(epsilon=0.05)
    own = HuberLoss(delta=2.0)
    assert get_loss(own) is own


def test_the_squared_loss_is_refused_with_the_reason():
    with pytest.raises(ValueError, match=r"1-Lipschitz in the prediction \(Definition 3.2\)"):
        get_loss("squared")

"""Both activations fire on the same set, strictly above the threshold, and differ by the jump."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from sublinear_lib.activations import (
    CONTINUOUS,
    JUMP,
    ShiftedReLU,
    blurred_step,
    get_activation,
    spread_jump,
)

TAU = st.floats(0.0, 4.0)
SHAPES = hnp.array_shapes(max_dims=2, max_side=6)
Z = hnp.arrays(np.float64, SHAPES, elements=st.floats(-1e300, 1e300))


@given(Z, TAU)
def test_values_follow_the_definitions_entry_by_entry(z, tau):
    jump = [v if v > tau else 0.0 for v in z.ravel().tolist()]
    continuous = [max(v - tau, 0.0) for v in z.ravel().tolist()]
    assert_array_equal(JUMP.value(z, tau).ravel(), jump)
    assert_array_equal(CONTINUOUS.value(z, tau).ravel(), continuous)
    assert JUMP.value(z, tau).shape == CONTINUOUS.value(z, tau).shape == z.shape


@given(TAU)
def test_jump_height_is_the_step_at_the_threshold(tau):
    above = np.nextafter(tau, np.inf)
    for activation in (JUMP, CONTINUOUS):
        step = float(activation.value([above], tau)[0] - activation.value([tau], tau)[0])
        assert step == pytest.approx(activation.jump_height(tau), abs=1e-15)
    assert JUMP.jump_height(tau) == tau
    assert CONTINUOUS.jump_height(tau) == 0.0


def test_an_exactly_decided_set_overrules_the_rounded_comparison():
    z, tau = np.array([0.5, 0.5, 0.7, 0.2]), 0.5
    active = np.array([True, False, False, True])
    assert_array_equal(JUMP.value(z, tau, active), [0.5, 0.0, 0.0, 0.2])
    # Rounded to or below the threshold, an active continuous unit is worth 0, never negative.
    assert_array_equal(CONTINUOUS.value(z, tau, active), [0.0, 0.0, 0.0, 0.0])


def test_names_and_instances_are_resolved():
    assert get_activation("jump") is JUMP
    assert get_activation("continuous") is CONTINUOUS
    assert get_activation(JUMP) is JUMP
    assert ShiftedReLU("jump") == JUMP != CONTINUOUS


@pytest.mark.parametrize("form", [JUMP, CONTINUOUS])
def test_the_smoothed_derivative_integrates_to_the_rise_of_the_averaged_activation(form):
    tau, width = 0.7, 0.2
    z = np.linspace(tau - 2 * width, tau + 2 * width, 40001)
    slope = blurred_step(z, tau, spread_jump(form.jump_height(tau), width)[1], width)
    rise = np.sum((slope[1:] + slope[:-1]) / 2 * np.diff(z))
    # Far from the threshold the average equals the activation, whose window is symmetric.
    assert rise == pytest.approx(float(form.value(z[-1], tau)), rel=1e-8)
    assert (slope[z <= tau - width] == 0.0).all()
    assert (slope[z >= tau + width] == 1.0).all()


def test_a_window_too_narrow_for_the_jump_is_refused():
    with pytest.raises(ValueError, match="bandwidth must be so large"):
        spread_jump(1.0, 5e-324)
    assert spread_jump(0.0, 5e-324) == (5e-324, 0.0)
    with pytest.raises(ValueError, match="bandwidth must be"):
        spread_jump(1.0, 0.0)

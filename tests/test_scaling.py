"""Thresholds and powers of the width, against closed forms, quadrature and simulation."""

import dataclasses
import math
import operator
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sublinear_lib import scaling
from sublinear_lib.activations import CONTINUOUS, JUMP
from sublinear_lib.scaling import (
    K_M35,
    K_M45,
    ONE_OVER_M,
    PRESETS,
    PRINTED,
    R1,
    R2,
    R3,
    SPARSE_C,
    STANDARD_T,
    TAU_RULES,
    ZERO,
)

WIDTHS = st.integers(1, 2**40)
R3_SECOND = dataclasses.replace(
    R3, name="R3''", beta=F(7, 10), c=F(1, 10), eta_exponent=F(-1, 2), steps_exponent=F(0)
)


@given(WIDTHS)
def test_variance_of_a_preactivation_is_two_over_m(m):
    assert scaling.preactivation_std(m) ** 2 * m == pytest.approx(2.0, rel=4e-16)


@given(st.floats(0.0, 50.0), WIDTHS)
def test_standardizing_a_threshold_and_going_back_changes_nothing(t, m):
    tau = scaling.threshold_from_standard(t, m)
    assert tau**2 * m == pytest.approx(2 * t * t, rel=1e-14, abs=1e-300)
    assert scaling.standardize_threshold(tau, m) == pytest.approx(t, rel=1e-15)


def test_activity_is_the_normal_tail_of_arrays_and_numbers():
    t = np.linspace(-3.0, 10.0, 14).reshape(1, 14)
    found = scaling.activity_at(t)
    assert found.shape == t.shape
    np.testing.assert_allclose(found, stats.norm.sf(t), rtol=1e-13)
    assert isinstance(scaling.activity_at(1.0), float)


@given(st.floats(1e-300, 0.5), st.integers(1, 2**30))
def test_threshold_from_activity_inverts_activity(p, m):
    tau = scaling.threshold_from_activity(p, m)
    assert tau >= 0.0
    assert scaling.activity(tau, m) == pytest.approx(p, rel=1e-10)
    assert math.copysign(1.0, scaling.threshold_from_activity(0.5, m)) == 1.0


@given(WIDTHS, st.floats(0.01, 100.0), st.floats(0.0, 1.0), st.floats(0.0, 10.0))
def test_each_rule_is_its_formula(m, K, c, t):
    tau = {key: rule.tau(m, K=K, c=c, t=t) for key, rule in TAU_RULES.items()}
    assert tau["zero"] == 0.0
    assert tau["1/m"] * m == pytest.approx(1.0, rel=1e-15)
    assert (tau["K/m^{3/5}"] / K) ** 5 * m**3 == pytest.approx(1.0, rel=1e-12)
    assert (tau["K/m^{4/5}"] / K) ** 5 * m**4 == pytest.approx(1.0, rel=1e-12)
    assert tau["t"] ** 2 * m == pytest.approx(2 * t * t, rel=1e-13, abs=1e-300)
    assert tau["c"] ** 2 * m == pytest.approx(4 * c * math.log(m), rel=1e-13, abs=1e-300)


def test_rules_and_presets_are_found_by_name_and_instance():
    rules = (ZERO, ONE_OVER_M, K_M35, K_M45, STANDARD_T, SPARSE_C)
    assert tuple(TAU_RULES.values()) == rules
    assert tuple(PRESETS) == tuple(s.name for s in PRESETS.values())
    for named, get in ((TAU_RULES, scaling.get_tau_rule), (PRESETS, scaling.get_scaling)):
        for key, one in named.items():
            assert get(key) is get(one) is one


@pytest.mark.parametrize("rule", TAU_RULES.values(), ids=str)
def test_a_rule_declares_the_parameters_that_it_uses_and_how_it_falls(rule):
    base = {"K": 1.0, "c": 0.2, "t": 1.0}
    used = {n for n in base if rule.tau(1000, **base) != rule.tau(1000, **{**base, n: 0.5})}
    assert used == set(rule.parameters)
    if rule.decay is not None:
        m = 2**400
        slope = math.log(rule.tau(16 * m) / rule.tau(m)) / math.log(16)
        assert slope == pytest.approx(-float(rule.decay), abs=0.003)


@pytest.mark.parametrize("m", [2, 1024, 2**40])
@pytest.mark.parametrize("c", [0.0, 0.2, 1.0, 3.0])
def test_the_standardized_threshold_has_the_stated_sparsity(m, c):
    t = scaling.standard_from_sparsity(c, m)
    assert math.exp(-t * t / 2) == pytest.approx(float(m) ** -c, rel=1e-12)


TABLE = {
    # name: gap, flips, eta, steps, drift, coupling, active, initial output, derived eta and steps,
    # expressivity, gradient
    "PRINTED": "1/10 9/10 -1/5 0 -2/5 2/5 1 -1/5 -3/5 2/5 1/5 3/5",
    "R1": "-3/10 7/10 -3/5 0 -4/5 -3/10 1 -1/5 -3/5 0 0 3/5",
    "R2": "-1/10 9/10 -1/5 0 -3/5 -1/10 1 -2/5 -1/5 0 0 1/5",
    "ZHANG": "-1/6 5/6 -1/3 0 -2/3 -1/6 1 -1/3 -1/3 0 0 1/3",
    "R3": "-1/10 7/10 -2/5 0 -3/5 -1/10 4/5 -3/10 -2/5 0 0 2/5",
    "R3''": "-1/5 7/10 -1/2 0 -7/10 -1/5 9/10 -1/4 -1/2 0 0 1/2",
    "R1, K/m^{4/5}": "-3/10 7/10 -3/5 0 -4/5 -3/10 1 -1/5 -3/5 0 0 3/5",
    "R2, K/m^{3/5}": "-1/10 9/10 -1/5 0 -3/5 -1/10 1 -2/5 -1/5 0 0 1/5",
    "R1, fixed t": "0 7/10 -3/5 0 -4/5 -3/10 1 -1/5 -3/5 0 0 3/5",
    "R1, fixed t, continuous": "-3/10 7/10 -3/5 0 -4/5 -3/10 1 -1/5 -3/5 0 0 3/5",
    "R3, jump": "0 7/10 -2/5 0 -3/5 -1/10 4/5 -3/10 -2/5 0 0 2/5",
}
ALL = {
    **PRESETS,
    "R3''": R3_SECOND,
    "R1, K/m^{4/5}": dataclasses.replace(R1, tau_rule=K_M45),
    "R2, K/m^{3/5}": dataclasses.replace(R2, tau_rule=K_M35),
    "R1, fixed t": dataclasses.replace(R1, tau_rule=STANDARD_T),
    "R1, fixed t, continuous": dataclasses.replace(R1, tau_rule=STANDARD_T, activation=CONTINUOUS),
    "R3, jump": dataclasses.replace(R3, activation=JUMP),
}
EXPONENTS = (
    *("gap", "flips", "eta", "steps", "drift", "coupling", "active", "initial_output"),
    *("derived_eta", "derived_steps", "expressivity", "gradient"),
)


@pytest.mark.parametrize("name", TABLE)
def test_exponents_are_those_of_the_audited_table(name):
    found = [getattr(ALL[name], f"{each}_exponent") for each in EXPONENTS]
    assert found == list(map(F, TABLE[name].split()))
    assert all(type(value) is F for value in found)


def test_choices_of_the_presets_are_those_of_their_definitions():
    parts = operator.attrgetter("alpha", "beta", "c", "activation", "tau_rule")
    assert {name: parts(preset) for name, preset in PRESETS.items()} == {
        "PRINTED": (F(1, 5), F(3, 5), F(0), JUMP, ONE_OVER_M),
        "R1": (F(1, 5), F(4, 5), F(0), JUMP, ONE_OVER_M),
        "R2": (F(2, 5), F(3, 5), F(0), JUMP, ONE_OVER_M),
        "R3": (F(1, 5), F(3, 5), F(1, 5), CONTINUOUS, SPARSE_C),
        "ZHANG": (F(1, 3), F(2, 3), F(0), JUMP, ZERO),
    }
    tau = R3.tau(1024)
    assert tau == pytest.approx(math.sqrt(2 / 1024) * math.sqrt(0.4 * math.log(1024)), rel=1e-15)
    assert R3.tau(1024, c=0.1) == pytest.approx(tau / math.sqrt(2), rel=1e-15)


def test_drift_and_coupling_follow_the_prescribed_steps():
    # A step m^-3/5 in the printed ball: the drift m^-4/5 is short, the displacement is the ball.
    short = dataclasses.replace(PRINTED, eta_exponent=F(-3, 5))
    assert short.drift_exponent == F(-4, 5)
    assert short.coupling_exponent == F(-1, 5) + (F(3, 2) - F(4, 5)) + F(-3, 5)
    # With the number of steps that it needs, the drift is long again and every neuron may flip.
    long = dataclasses.replace(short, steps_exponent=F(2, 5))
    assert long.drift_exponent == F(-2, 5)
    assert long.coupling_exponent == F(-1, 5) + 1 + F(-2, 5)
    # In a ball wider than a pre-activation every neuron may flip, by up to its radius.
    wide = dataclasses.replace(PRINTED, beta=F(2, 5))
    assert (wide.gap_exponent, wide.flips_exponent) == (1 - F(1, 5) - F(2, 5), 1)


@given(st.sampled_from(sorted(PRESETS)), st.integers(1, 10**6), st.floats(0.5, 20.0))
def test_weights_radius_and_step_are_their_powers_of_the_width(name, m, K):
    s = PRESETS[name]
    for value, exponent in (
        (s.output_weight(m), -s.alpha),
        (s.radius(m, K) / K, -s.beta),
        (s.eta(m, 0.1, constant=3.0) / 0.3, s.eta_exponent),
        (s.eta(m, 0.5) / 0.5, s.eta_exponent),
    ):
        q = exponent.denominator
        assert value**q == pytest.approx(float(m) ** exponent.numerator, rel=1e-12)


@pytest.mark.parametrize(
    ("K", "epsilon", "once", "twice"),
    [
        (1.0, 0.1, 100, 200),
        (6.0, 0.1, 3600, 7200),
        (3.0, 0.3, 100, 200),
        (1.0, 0.5, 4, 8),
        (1.0, 0.3, 12, 23),
        (2.1, 0.15, 196, 392),  # 196.00000000000006 in float64
        (0.01, 0.9, 1, 1),
    ],
)
def test_number_of_steps_is_rounded_up_but_not_by_rounding_errors(K, epsilon, once, twice):
    assert PRINTED.steps(4096, K, epsilon) == once
    assert PRINTED.steps(4096, K, epsilon, constant=2.0) == twice
    steep = dataclasses.replace(PRINTED, steps_exponent=F(2, 5))
    assert steep.steps(32, 1.0, 0.5) == 16
    with pytest.raises(ValueError, match="must be a finite number, got inf"):
        PRINTED.steps(32, 1e200, 0.1)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"alpha": 0.2}, TypeError, r"alpha must be an exact fractions.Fraction or an int, got 0"),
        ({"alpha": True}, TypeError, "alpha must be an exact"),
        ({"beta": F(6, 5)}, ValueError, "beta must be >= 0 and <= 1, got 6/5"),
        ({"c": F(-1, 5)}, ValueError, "c must be >= 0 and <= 1, got -1/5"),
        ({"c": F(1, 5)}, ValueError, "c must be 0 unless tau_rule is 'c'"),
        ({"eta_exponent": -0.2}, TypeError, "eta_exponent must be an exact"),
        ({"activation": "relu"}, ValueError, "activation must be one of"),
        ({"tau_rule": "1"}, ValueError, "tau_rule must be one of 'zero', '1/m'"),
    ],
)
def test_bad_scalings_are_refused_with_the_reason(changes, error, message):
    with pytest.raises(error, match=message):
        dataclasses.replace(PRINTED, **changes)

"""The smoothed attack sees the jumps, and the compiled step of attacks does what the arrays do."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sublinear_lib import geometry
from sublinear_lib.adversary import (
    Height,
    ProjectedGradient,
    SmoothedGradient,
    extremes_on_circle,
)
from sublinear_lib.adversary.ascent import _steps
from sublinear_lib.evaluation import kernels_in_use
from sublinear_lib.network import TwoLayerNetwork
from tests.adversary.cases import problem


def found_share(attack, network, X, rho):
    """Return which share of the exact rise in the cap the attack found, per example."""
    caps = extremes_on_circle(network, X, rho)
    clean = network.forward(X)
    rise = np.array([cap.sup for cap in caps]) - clean
    best = attack(network, X, np.zeros(len(X)), Height(), rng=0)
    assert (best.value <= np.array([cap.upper for cap in caps]) + 1e-12).all()
    return (best.value - clean) / rise


def test_on_the_jump_the_smoothed_attack_finds_more_than_the_plain_one():
    rho, better = 0.2, []
    for seed in range(6):
        network, X = problem(1000, 3, seed, n=8)
        plain = found_share(ProjectedGradient(rho=rho, steps=40, restarts=8), network, X, rho)
        smooth = found_share(SmoothedGradient(rho=rho, steps=40, restarts=8), network, X, rho)
        better.append(smooth.mean() - plain.mean())
        assert smooth.mean() > 0.9, f"seed {seed}: {smooth.mean():.2f} of the exact rise"
    assert np.mean(better) > 0.05, f"mean advantage {np.mean(better):.3f}"


def test_on_the_continuous_form_both_attacks_agree():
    network, X = problem(1000, 3, 2, activation="continuous", n=8)
    settings = {"rho": 0.2, "steps": 40, "restarts": 8, "relative_step": 0.25}
    plain = found_share(ProjectedGradient(**settings), network, X, 0.2)
    smooth = found_share(SmoothedGradient(**settings), network, X, 0.2)
    assert plain.mean() > 0.99
    assert np.abs(plain - smooth).max() < 0.02


def test_where_nothing_can_move_the_clean_points_come_back():
    network, X = problem(50, 3, 8, n=4)
    flat = network.with_weights(np.zeros_like(network.W))
    for target, rho in ((network, 0.0), (flat, 0.2)):
        result = SmoothedGradient(rho=rho)(target, X, np.ones(4), "absolute", rng=0)
        assert_array_equal(result.X, X)


@pytest.mark.parametrize("rho", [1.5**0.5, 1.6, 3**0.5])
def test_the_windows_shrink_from_those_of_the_half_sphere_where_the_cap_is_larger(rho):
    attack = SmoothedGradient(rho=rho, steps=3, first_window=2.0, last_window=0.5)
    unit = 0.75**0.5 * 4.0
    assert attack.windows(4.0) == pytest.approx([2.0 * unit, unit, 0.5 * unit])
    assert attack.margin(4.0) == pytest.approx(2.0 * unit)


def test_few_long_steps_reach_the_rim_and_few_short_ones_do_not():
    network = TwoLayerNetwork([[0.0, 1.0, 0.0]], [1.0], [10.0], tau=0.1)
    x = np.array([[3**0.5 / 2, 0.0, 0.5]])

    def reached(attack):
        found = attack(network, x, [0.0], "absolute", rng=0)
        return float(np.linalg.norm(found.X - x))

    assert reached(SmoothedGradient.of_few_steps(0.3)) == pytest.approx(0.3, abs=1e-9)
    assert reached(SmoothedGradient.of_few_steps(0.3, 3)) > 0.28
    assert reached(SmoothedGradient(rho=0.3, steps=5, restarts=1)) < 0.25
    with pytest.raises(ValueError, match="steps must be"):
        SmoothedGradient.of_few_steps(0.3, 0)


RADII = [0.0, 1e-6, 0.1, 1.0, 1.7, 3**0.5, 5.0]


def steps(X, rho, *, strict):
    """The step in arrays, which the canonical order asks for, or the compiled one."""
    return _steps(SimpleNamespace(X=X, evaluator=SimpleNamespace(strict=strict)), rho)


@pytest.mark.skipif(kernels_in_use() == "numpy", reason="needs compiled loops")
@pytest.mark.parametrize("d", [3, 4, 8, 33])
@pytest.mark.parametrize("rho", RADII)
def test_the_compiled_step_is_the_step_in_arrays(d, rho):
    rng = np.random.default_rng(d)
    X = geometry.sample_slice(200, d, rng=rng)
    points = geometry.sample_caps(X, rho, rng)
    gradient = rng.standard_normal((200, d))
    gradient[::7] = points[::7]  # nothing tangent: these stay
    gradient[::11] = 0.0
    slopes = np.where(rng.random(200) < 0.5, 1.0, -1.0)
    for size in (0.0, 0.1 * geometry.cap_angle(rho), 0.6 * geometry.cap_angle(rho)):
        arrays = steps(X, rho, strict=True)(points, gradient, slopes, size)
        compiled = steps(X, rho, strict=False)(points, gradient, slopes, size)
        np.testing.assert_allclose(compiled, arrays, rtol=0, atol=1e-13)
        np.testing.assert_allclose(np.linalg.norm(compiled, axis=1), 1.0, atol=1e-14)
        assert (np.linalg.norm(compiled - X, axis=1) <= rho + 1e-14).all()
        assert (compiled[:, -1] == geometry.SLICE_HEIGHT).all()


def test_a_step_past_the_antipode_of_the_center_comes_back_to_the_rim():
    # The point goes to the antipode, from which all of the rim is equally far.
    X = geometry.embed(np.array([[1.0, 0.0, 0.0]]))
    gradient = np.array([[0.0, 1.0, 0.0, 0.0]])
    for strict in (True, False):
        moved = steps(X, 0.5, strict=strict)(X, gradient, np.ones(1), np.pi)
        assert np.linalg.norm(moved - X) == pytest.approx(0.5, abs=1e-12)

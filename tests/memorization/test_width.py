"""Narrow first layers merge balls of different labels, at the radius that is claimed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from sublinear_lib.memorization import (
    collision,
    cube_image,
    null_space_layer,
    random_collision_radii,
    separation,
    simplex_collision_radius,
    simplex_points,
)

pytestmark = pytest.mark.either_way


def proves_itself(W: np.ndarray, X: np.ndarray, y: np.ndarray) -> None:
    """Check everything that a collision says, without solving a program."""
    found = collision(W, X, y)
    size = 1.0 + np.abs(X).max()
    assert y[found.i] != y[found.k]
    assert found.i < found.k
    assert np.abs(found.x - X[found.i]).max() <= found.radius + 1e-14 * size
    assert np.abs(found.x_prime - X[found.k]).max() <= found.radius + 1e-14 * size
    assert found.residual(W) <= 1e-13 * size * (1.0 + np.abs(W).sum(axis=1).max())
    assert found.separation == separation(X, y)
    assert found.radius <= found.separation / 2.0 + 1e-12


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 6), st.integers(2, 12))
def test_a_collision_on_random_data_proves_itself(seed: int, n: int, m: int, N: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(-1.0, 1.0, (N, n)), rng.integers(0, 3, N).astype(float)
    y[:2] = (0.0, 1.0)
    proves_itself(rng.normal(size=(m, n)), X, y)


@pytest.mark.parametrize("seed", range(8))
def test_no_pair_collides_earlier_than_the_one_reported(seed: int) -> None:
    # All pairs, none left out, and a program over z with W z = 0 as equations.
    rng = np.random.default_rng(seed)
    N, n, m = 9, 4, 2
    X, y, W = rng.normal(size=(N, n)), rng.integers(1, 4, N).astype(float), rng.normal(size=(m, n))
    y[:2] = (1.0, 2.0)
    reaches = []
    for i in range(N):
        for k in range(i):
            if y[i] != y[k]:
                d, one = X[i] - X[k], np.ones((n, 1))
                run = linprog(
                    np.append(np.zeros(n), 1.0),
                    A_ub=np.block([[-np.eye(n), -one], [np.eye(n), -one]]),
                    b_ub=np.append(-d, d),
                    A_eq=np.column_stack((W, np.zeros(m))),
                    b_eq=np.zeros(m),
                    bounds=(None, None),
                )
                reaches.append(run.fun / 2.0)
    found = collision(W, X, y)
    assert found.radius == pytest.approx(min(reaches), abs=1e-7)


@pytest.mark.parametrize("n", range(2, 13))
def test_the_differences_of_neighbors_reach_a_quarter(n: int) -> None:
    W = null_space_layer(n)
    assert W.shape == (n - 1, n)
    assert np.abs(W @ np.ones(n)).max() == 0.0
    assert np.linalg.matrix_rank(W) == n - 1
    for N in (None, n + 4):
        found = collision(W, *simplex_points(n, N))
        assert found.radius == pytest.approx(0.25, abs=1e-12)
    rng = np.random.default_rng(n)
    mixed = rng.normal(size=(n - 1, n - 1)) @ W  # the radius is that of the null space
    assert collision(mixed, *simplex_points(n)).share == pytest.approx(0.25, abs=1e-9)


def test_the_zero_matrix_merges_samples_themselves() -> None:
    X, y = simplex_points(4)
    found = collision(np.zeros((3, 4)), X, y)
    assert found.rank == 0
    assert found.radius <= 1e-15


@pytest.mark.parametrize("m", [3, 5])
def test_an_injective_layer_loses_nothing_below_half_the_separation(m: int) -> None:
    rng = np.random.default_rng(m)
    X, y = rng.normal(size=(8, 3)), np.arange(8.0) // 4
    found = collision(rng.normal(size=(m, 3)), X, y)
    assert found.injective
    assert found.radius == separation(X, y) / 2.0
    assert np.allclose(found.x, found.x_prime, atol=1e-15)


def test_a_layer_that_drops_a_coordinate_sees_the_distance_in_the_others() -> None:
    X, y = np.array([[0.0, 0.0, 0.0], [0.3, 0.8, 5.0], [0.9, 0.1, 0.0]]), np.array([1.0, 2.0, 2.0])
    found = collision(np.eye(3)[:2], X, y)
    assert (found.i, found.k) == (0, 1)
    assert found.radius == pytest.approx(0.4)
    assert not found.injective


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 8), st.integers(0, 10**6))
def test_the_closed_form_for_a_line_agrees_with_the_program(n: int, seed: int) -> None:
    z = np.random.default_rng(seed).normal(size=n)
    W = np.linalg.svd(z[None, :])[2][1:]
    found = collision(W, *simplex_points(n))
    assert found.radius == pytest.approx(simplex_collision_radius(z), abs=1e-9)


def test_in_the_plane_the_mean_radius_of_a_random_direction_is_known() -> None:
    angles = (np.arange(20000) + 0.5) * (math.pi / 2.0) / 20000
    radii = [simplex_collision_radius(np.array([math.cos(t), math.sin(t)])) for t in angles]
    mean = 0.25 - math.log(2.0) / (2.0 * math.pi)
    assert np.mean(radii) == pytest.approx(mean, abs=1e-8)
    drawn = random_collision_radii(2, 1, 400, rng=0)
    error = float(drawn.std()) / math.sqrt(drawn.size)
    assert abs(float(drawn.mean()) - mean) < 4.0 * error


def test_random_radii_stay_below_a_quarter_unless_the_layer_is_injective() -> None:
    for n, m in ((2, 1), (8, 7), (8, 2)):
        radii = random_collision_radii(n, m, 20, rng=n)
        assert radii.shape == (20,)
        assert 0.0 < radii.max() <= 0.25 + 1e-12
    assert random_collision_radii(3, 3, 5, rng=2) == pytest.approx(0.5, abs=0.0)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 7), st.integers(0, 10**6), st.booleans())
def test_the_image_of_the_cube_is_the_hull_of_the_images_of_its_corners(
    n: int, seed: int, whole: bool
) -> None:
    rng = np.random.default_rng(seed)
    W = rng.integers(-2, 3, (2, n)).astype(float) if whole else rng.normal(size=(2, n))
    if not W.any():
        with pytest.raises(ValueError, match="zero"):
            cube_image(W)
        return
    corners = cube_image(W)
    assert len(corners) == 2 * int((W != 0).any(axis=0).sum())
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * n)).reshape(n, -1).T
    images = signs @ W.T
    for u in rng.normal(size=(20, 2)):
        assert (corners @ u).max() == pytest.approx((images @ u).max(), abs=1e-12)
    step = np.diff(corners, axis=0, append=corners[:1])
    after = np.roll(step, -1, axis=0)
    assert (step[:, 0] * after[:, 1] - step[:, 1] * after[:, 0] >= -1e-12).all()

"""Outlines of bumps: on them the bump has the wanted share of its height, in every norm."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sublinear_lib import memorization as mem

BUILD = {"linf": mem.memorize, "l1": mem.memorize_l1, "l2": mem.memorize_l2}
NORM = {"linf": np.inf, "l1": 1.0, "l2": 2.0}


def lone(kind: str, share: float, n: int = 3) -> mem.Memorizer:
    """Return a memorizer whose first sample is far from the other."""
    X = np.zeros((2, n))
    X[0] += 0.3
    X[1] += 1.3
    lam = mem.separation(X, [8, 1], NORM[kind])
    return BUILD[kind](X, [8, 1], share * lam)


@pytest.mark.parametrize("kind", BUILD)
@pytest.mark.parametrize("share", [0.1, 0.45])
@pytest.mark.parametrize("height", [0.25, 0.5, 0.75])
def test_on_an_outline_the_bump_has_its_share_of_the_height(
    kind: str, share: float, height: float
) -> None:
    memorizer = lone(kind, share)
    corners = mem.bump_outline(memorizer, 0, height)
    points = np.full((len(corners), 3), 0.3)
    points[:, :2] = corners
    assert memorizer.reference(points) == pytest.approx(8 * height, abs=1e-9)
    assert memorizer(points) == pytest.approx(8 * height, abs=1e-9)


@pytest.mark.parametrize("kind", BUILD)
def test_the_plateau_holds_the_ball_and_for_two_norms_is_the_ball(kind: str) -> None:
    memorizer = lone(kind, 0.4)
    assert memorizer.mu is not None
    sizes = np.linalg.norm(
        mem.bump_outline(memorizer, 0, 1.0) - memorizer.X[0, :2], NORM[kind], axis=1
    )
    if kind == "l2":
        # Squares are approximated from above, by at most half of what separates balls.
        room = memorizer.lam * (memorizer.lam - 2 * memorizer.mu) / 2
        assert (sizes >= memorizer.mu - 1e-12).all()
        assert sizes.max() <= math.sqrt(memorizer.mu**2 + room)
    else:
        assert sizes == pytest.approx(memorizer.mu)


@pytest.mark.parametrize("kind", BUILD)
def test_the_corners_run_counterclockwise_around_a_convex_shape(kind: str) -> None:
    corners = mem.bump_outline(lone(kind, 0.3), 0, 0.0)
    sides = np.roll(corners, -1, axis=0) - corners
    after = np.roll(sides, -1, axis=0)
    assert (sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0] > 0).all()
    assert corners.mean(axis=0) == pytest.approx([0.3, 0.3])

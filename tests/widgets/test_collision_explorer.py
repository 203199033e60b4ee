"""Promises of the explorer of narrow layers: it draws what the layer sees, and says what fails."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.plotting import number
from sublinear_lib.widgets import (
    Band,
    Explorer,
    Line,
    Points,
    collision_explorer,
    collision_view,
    turned_layer,
)

PLACES = list(itertools.product((2, 3, 4), (1, 2), (0.0, 22.5, 112.5)))


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return collision_explorer()


@pytest.mark.parametrize(("n", "m", "turn"), PLACES)
def test_the_radius_is_that_of_the_library_and_decides_the_words(
    n: int, m: int, turn: float
) -> None:
    W = turned_layer(n, m, turn)
    assert W.shape == (m, n)
    found = mem.collision(W, *mem.simplex_points(n))
    for share in (0.05, 0.2, 0.3):
        view = collision_view(n, m, turn, share)
        assert dict(view.readouts)["collision radius / *λ*"] == number(found.radius)
        merged = share >= found.radius - 1e-12
        assert ("cannot tell apart" in view.sentence) == (merged and m < n)
        assert any(isinstance(v, Points) and v.role == "ink" for v in view.marks) == (
            merged and (m == 2 or n == 2)
        )


def test_without_a_turn_the_layer_is_as_good_as_a_narrow_one_can_be() -> None:
    for n in (2, 3):
        view = collision_view(n, n - 1, 0.0, 0.2)
        assert dict(view.readouts)["collision radius / *λ*"] == "0.25"
    diagonal = turned_layer(3, 2, 0.0)
    assert np.abs(diagonal @ np.ones(3)).max() < 1e-12


@pytest.mark.parametrize(("n", "turn"), [(3, 0.0), (3, 45.0), (4, 67.5), (2, 22.5)])
def test_polygons_hold_exactly_the_images_of_the_balls(n: int, turn: float) -> None:
    W, mu = turned_layer(n, 2, turn), 0.3
    X, _ = mem.simplex_points(n)
    bands = [v for v in collision_view(n, 2, turn, mu).marks if isinstance(v, Band)]
    assert len(bands) == n + 1
    rng = np.random.default_rng(5)
    for x, band in zip(X, bands, strict=True):
        balls = x + mu * np.concatenate(
            (rng.uniform(-1, 1, (200, n)), rng.choice([-1.0, 1.0], (100, n)))
        )
        seen = balls @ W.T
        across = np.asarray(band.x)
        assert (seen[:, 0] >= across[0] - 2e-3).all() and (seen[:, 0] <= across[-1] + 2e-3).all()
        below = np.interp(seen[:, 0], across, np.asarray(band.lower))
        above = np.interp(seen[:, 0], across, np.asarray(band.upper))
        assert (seen[:, 1] >= below - 4e-3).all() and (seen[:, 1] <= above + 4e-3).all()
        corners = x @ W.T + mu * mem.cube_image(W)
        assert across[0] == pytest.approx(corners[:, 0].min(), abs=2e-3)
        assert np.max(band.upper) == pytest.approx(corners[:, 1].max(), abs=2e-3)


def test_the_dashed_pair_is_in_the_balls_and_seen_at_one_place() -> None:
    view = collision_view(2, 1, 22.5, 0.3)
    (pair,) = [v for v in view.marks if isinstance(v, Line)]
    ends = np.column_stack((np.asarray(pair.x), np.asarray(pair.y)))
    W = turned_layer(2, 1, 22.5)
    assert np.abs(W @ (ends[0] - ends[1])).max() < 2e-4
    X, _ = mem.simplex_points(2)
    assert all(np.abs(X - end).max(axis=1).min() <= 0.3 for end in ends)


@pytest.mark.parametrize(
    ("n", "m", "share", "said"),
    [
        (2, 2, 0.3, "fewer neurons than features fails"),
        (3, 2, 0.2, "μ ≥ λ/4 fails"),
        (3, 2, 0.5, "threshold"),
        (3, 2, 0.3, None),
    ],
)
def test_it_says_which_hypothesis_fails(n: int, m: int, share: float, said: str | None) -> None:
    warning = collision_view(n, m, 22.5, share).warning
    assert (warning is None) if said is None else (warning is not None and said in warning)


def test_the_table_is_small_enough_for_the_page(explorer: Explorer) -> None:
    assert explorer.shape == (3, 2, 8, 8)
    assert all(explorer.stored_view(*at)["sentence"] for at in itertools.product(*[(0, 1)] * 4))


@pytest.mark.parametrize("bad", [{"n": 1}, {"m": 3}, {"m": 0}, {"share": 0.0}, {"turn": "a"}])
def test_nonsense_is_refused(bad: dict[str, object]) -> None:
    chosen = {"n": 3, "m": 2, "turn": 0.0, "share": 0.2, **bad}
    with pytest.raises((TypeError, ValueError)):
        collision_view(**chosen)  # type: ignore[arg-type]

"""Promises of the explorer of narrow layers: it draws what a layer sees and says what is lost."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.plotting import number
from sublinear_lib.widgets import (
    Band,
    Explorer,
    Points,
    collision_explorer,
    collision_view,
    turned_layer,
)


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return collision_explorer()


@pytest.mark.parametrize("turn", [0.0, 22.5, 112.5])
def test_the_radius_is_that_of_the_library_and_decides_the_words(turn: float) -> None:
    found = mem.collision(turned_layer(turn), *mem.simplex_points(3))
    for share in (0.05, 0.2, 0.3):
        view = collision_view(turn, share)
        assert dict(view.readouts)["collision radius / *λ*"] == number(found.radius)
        merged = share >= found.radius - 1e-12
        assert bool(view.warning) == ("one image" in view.sentence) == merged
        assert any(isinstance(v, Points) and v.role == "ink" for v in view.marks) == merged


def test_without_a_turn_the_layer_is_as_good_as_a_narrow_one_can_be() -> None:
    assert dict(collision_view(0.0, 0.2).readouts)["collision radius / *λ*"] == "0.25"
    assert np.abs(turned_layer(0.0) @ np.ones(3)).max() < 1e-12


@pytest.mark.parametrize("turn", [0.0, 45.0, 67.5])
def test_polygons_hold_exactly_the_images_of_the_balls(turn: float) -> None:
    W, mu = turned_layer(turn), 0.3
    X, _ = mem.simplex_points(3)
    bands = [v for v in collision_view(turn, mu).marks if isinstance(v, Band)]
    assert len(bands) == 4
    rng = np.random.default_rng(5)
    for x, band in zip(X, bands, strict=True):
        balls = x + mu * np.concatenate(
            (rng.uniform(-1, 1, (200, 3)), rng.choice([-1.0, 1.0], (100, 3)))
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


def test_every_position_has_its_words(explorer: Explorer) -> None:
    assert all(explorer.stored_view(*at)["sentence"] for at in np.ndindex(*explorer.shape))


@pytest.mark.parametrize("bad", [{"share": 0.0}, {"turn": "a"}])
def test_nonsense_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        collision_view(**{"turn": 0.0, "share": 0.2, **bad})  # type: ignore[arg-type]

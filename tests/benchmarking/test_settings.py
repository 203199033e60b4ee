"""The settings of a run: checked, ordered, plain when stored."""

from __future__ import annotations

import json

import pytest

from benchmarks import Settings


def test_the_standard_grid_is_that_of_the_goals() -> None:
    settings = Settings()
    assert settings.dimensions == (2, 3, 4, 8, 16, 32)
    assert settings.widths == tuple(2**e for e in (12, 14, 16, 18, 20))
    assert settings.shares == (0.001, 0.01, 0.1, 0.5)
    assert settings.queries == 256
    assert not settings.quick


def test_stored_settings_are_plain_json_and_make_the_same_settings_again() -> None:
    settings = Settings.short()
    stored = json.loads(json.dumps(settings.as_json()))
    assert Settings(**stored) == settings


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dimensions": (1,)}, "dimensions must be"),
        ({"dimensions": ()}, "dimensions must hold"),
        ({"widths": (32,)}, "widths must be"),
        ({"shares": (0.0,)}, "shares must be"),
        ({"shares": (1.0,)}, "shares must be"),
        ({"queries": 0}, "queries must be"),
        ({"rounds": 0}, "rounds must be"),
        ({"seconds_per_cell": 0.0}, "seconds_per_cell must be"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_bad_settings_say_what_is_allowed(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Settings().with_changes(**changes)


def test_widths_are_put_in_order_because_estimates_go_from_small_to_large() -> None:
    assert Settings(widths=(4096, 64, 4096)).widths == (64, 4096)


@pytest.mark.parametrize(("wanted", "found"), [(2**16, 4096), (4096, 4096), (4095, 256), (2, 64)])
def test_the_nearest_width_is_the_largest_that_is_not_larger(wanted: int, found: int) -> None:
    assert Settings(widths=(64, 256, 4096)).nearest_width(wanted) == found

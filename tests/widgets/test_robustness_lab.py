"""Promises of the labs on robustness: pairs of bounds that agree with the library."""

from __future__ import annotations

import re

import pytest

from sublinear_lib.features import (
    FeatureData,
    TrainingSettings,
    certify_patches,
    feature_attack,
    train_features,
)
from sublinear_lib.validation import generator
from sublinear_lib.widgets import certify_run, robust_digits_run


def test_a_standard_run_is_broken_at_the_edge_of_the_window(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = certify_run(0.0, 300, 0.52, 0)
    said = capsys.readouterr().out
    assert "clean error 0.0%" in said and "attacks break 24 of 24 inputs" in said
    assert "standard training: certified without error up to 0.44" in shown.alt
    rng = generator(0)
    run = train_features(FeatureData(), TrainingSettings(steps=400), rng)
    data = FeatureData().sample(24, rng)
    assert feature_attack(run.network, data, 0.52, "swap_v").error == 1.0
    assert certify_patches(run.network, data.X, data.y, 0.44).error == 0.0


def test_digits_without_an_adversary_are_learned_but_not_robust(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = robust_digits_run(0.0, "yes", 0.1, 0)
    said = capsys.readouterr().out
    numbers = re.search(
        r"clean error ([\d.]+)%.*?between ([\d.]+)%.* and ([\d.]+)%", said, re.DOTALL
    )
    assert numbers is not None
    clean, attacked, certified = (float(n) for n in numbers.groups())
    assert clean < 15 < 30 < attacked <= certified <= 100
    assert "standard training: at 0 at most" in shown.alt


@pytest.mark.parametrize(
    "bad", [{"budget": -1.0}, {"rate": 0.0}, {"eps": 4.0}, {"seed": -1}, {"budget": 4.0}]
)
def test_the_first_lab_refuses_what_is_out_of_range(bad: dict[str, object]) -> None:
    chosen = {"budget": 0.0, "rate": 300.0, "eps": 0.5, "seed": 0, **bad}
    with pytest.raises((TypeError, ValueError)):
        certify_run(**chosen)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [{"budget": 2.0}, {"warm_up": "maybe"}, {"eps": -0.1}])
def test_the_second_lab_refuses_what_is_out_of_range(bad: dict[str, object]) -> None:
    chosen = {"budget": 0.1, "warm_up": "yes", "eps": 0.1, "seed": 0, **bad}
    with pytest.raises((TypeError, ValueError)):
        robust_digits_run(**chosen)  # type: ignore[arg-type]

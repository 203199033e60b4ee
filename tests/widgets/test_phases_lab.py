"""Promises of the labs of the phase transition: they print what the library says."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib.features import (
    FeatureData,
    TrainingAttack,
    TrainingSettings,
    feature_recursion,
    run_record,
    train_features,
)
from sublinear_lib.plotting import Picture
from sublinear_lib.widgets import train_at, train_in_steps

LAW = FeatureData()
SHORT = {"eps": 0.9, "rate": 300.0, "scale": 0.2, "steps": 120, "seed": 3}


def trained(**changes: object) -> Picture:
    return train_at(**{**SHORT, **changes})  # type: ignore[arg-type]


def test_the_first_lab_prints_times_shares_and_both_bounds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = trained()
    said = capsys.readouterr().out
    settings = TrainingSettings(scale=0.2, steps=120, attack=TrainingAttack(eps=0.9, rate=300.0))
    run = train_features(LAW, settings, 3)
    path = feature_recursion(LAW, settings, *run.initial.alignments(LAW), coupled=True)
    for times in (run.history.crossing(), path.crossing()):
        assert ", ".join(f"{t:.0f}" if t < np.inf else "never" for t in times) in said
    record = run_record(run, np.random.default_rng([3, 1]), eps=0.52)
    assert f"at least {record['attacked']:.3f}" in said
    assert f"at most {record['certified']:.3f}" in said
    assert "by the recursion" in shown.alt and "plateau" in shown.alt


@pytest.mark.thorough
def test_the_second_lab_shows_the_recursion_for_one_clipped_step_only(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = train_in_steps(eps=0.9, inner=3, rule="clipped", seed=0)
    said = capsys.readouterr().out
    attack = TrainingAttack(eps=0.9, steps=3)
    run = train_features(LAW, TrainingSettings(attack=attack), 0)
    assert ", ".join(f"{t:.0f}" for t in run.history.crossing()) in said
    assert f"loss {run.history.loss[-1]:.2g}" in said and "certificate" in said
    assert "recursion" not in shown.alt and "The plateau lies at 1.05" in shown.alt


@pytest.mark.parametrize(
    "bad", [{"eps": -0.1}, {"rate": 0.0}, {"scale": 0.0}, {"steps": 5}, {"seed": -1}]
)
def test_the_first_lab_refuses_what_is_out_of_range(bad: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        trained(**bad)


@pytest.mark.parametrize("bad", [{"inner": 0}, {"rule": "other"}, {"seed": -1}, {"eps": -1.0}])
def test_the_second_lab_refuses_what_is_out_of_range(bad: dict[str, object]) -> None:
    chosen = {"eps": 0.9, "inner": 1, "rule": "clipped", "seed": 0, **bad}
    with pytest.raises((TypeError, ValueError)):
        train_in_steps(**chosen)  # type: ignore[arg-type]

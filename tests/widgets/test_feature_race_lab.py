"""Promises of the lab of the race: it prints what the library says, and refuses in words."""

from __future__ import annotations

import re

import pytest

from sublinear_lib.features import FeatureData, TrainingSettings, race_ratio, train_features
from sublinear_lib.widgets import train_a_race


def test_training_prints_ratio_winner_and_errors(capsys: pytest.CaptureFixture[str]) -> None:
    shown = train_a_race(seed=6, q=3.0, filters=12)
    said = capsys.readouterr().out.splitlines()
    law = FeatureData()
    start = train_features(law, TrainingSettings(steps=0), 6).initial.alignments(law)
    ratios = [race_ratio(law, 3, *(x[i].max() for x in start)) for i in range(3)]
    assert [f"race ratio {r:.2f}" in line for r, line in zip(ratios, said, strict=False)] == [
        True
    ] * 3
    learned = re.findall(r"learned (.)", "\n".join(said))
    assert learned == ["v" if r > 1 else "u" for r in ratios] == ["v", "v", "u"]
    assert "clean error 0.00" in said[3] and "eps = 0.52: 0.67" in said[4]
    assert "predicted" in shown.alt


def test_a_class_without_a_positive_start_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    for seed in range(5):
        train_a_race(seed=seed, q=2.0, filters=1)
        if "no filter begins with a positive part" in capsys.readouterr().out:
            return
    pytest.fail("one filter begins with a negative part of some feature in most runs")


@pytest.mark.parametrize("bad", [{"seed": -1}, {"q": 1.9}, {"q": 5.0}, {"filters": 0}])
def test_the_lab_refuses_what_is_out_of_range(bad: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        train_a_race(**{"seed": 0, "q": 3.0, "filters": 2, **bad})  # type: ignore[arg-type]

"""Promises of the labs of the race: they print what the library says, and refuse in words."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sublinear_lib.features import FeatureData, TrainingSettings, race_ratio, train_features
from sublinear_lib.widgets import race_filters, train_a_race


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


@pytest.mark.parametrize(("q", "most"), [(1.5, 0.5), (3.0, 1.0)])
def test_the_winner_takes_it_all_only_for_q_above_2(
    q: float, most: float, capsys: pytest.CaptureFixture[str]
) -> None:
    race_filters(filters=12, q=q, seed=0)
    said = capsys.readouterr().out
    first, last = (int(x) for x in re.search(r"v's logit: (\d+)% to (\d+)%", said).groups())  # type: ignore[union-attr]
    assert (last > 97) == (q > 2) and last <= 100 * most
    assert (last > first) == (q > 2)


def test_a_filter_that_starts_below_zero_never_moves(capsys: pytest.CaptureFixture[str]) -> None:
    shown = race_filters(filters=30, q=3.0, seed=1)
    B0 = 0.05 * np.random.default_rng(1).normal(size=(2, 30))[1]
    assert f"negative start of v: {(B0 < 0).sum()} of 30" in capsys.readouterr().out
    assert "30 filters" in shown.alt


@pytest.mark.parametrize("bad", [{"seed": -1}, {"q": 1.9}, {"q": 5.0}, {"filters": 0}])
def test_the_first_lab_refuses_what_is_out_of_range(bad: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        train_a_race(**{"seed": 0, "q": 3.0, "filters": 2, **bad})  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [{"seed": -1}, {"q": 1.0}, {"q": 5.0}, {"filters": 0}])
def test_the_second_lab_refuses_what_is_out_of_range(bad: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        race_filters(**{"seed": 0, "q": 3.0, "filters": 2, **bad})  # type: ignore[arg-type]

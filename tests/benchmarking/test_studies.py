"""A study that could have no interval at its end is refused before it begins."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("name", "option"), [("digits_robustness", "--draws"), ("feature_learning", "--seeds")]
)
def test_one_run_of_each_kind_is_refused(
    name: str, option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = importlib.import_module(f"benchmarks.{name}")
    with pytest.raises(SystemExit):
        study.main([option, "1", "--output", str(tmp_path / "found.json")])
    assert f"{option} must be 2 or more for an interval, got 1" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []

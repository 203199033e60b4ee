"""A study that could have no interval at its end is refused before it begins."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "option"), [("digits_robustness", "--draws"), ("feature_learning", "--seeds")]
)
def test_one_run_of_each_kind_is_refused(
    name: str, option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    study = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(study)
    with pytest.raises(SystemExit):
        study.main([option, "1", "--output", str(tmp_path / "found.json")])
    assert f"{option} must be 2 or more for an interval, got 1" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []

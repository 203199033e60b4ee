"""Nothing is stored that the page does not list with its command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import BENCHMARKS, inventory_table, results_path
from benchmarks.inventory import STORED

ROOT = Path(__file__).resolve().parents[2]


def test_every_stored_file_is_listed_with_question_command_and_duration() -> None:
    stored = results_path()
    assert stored is not None
    there = {path.name for path in stored.parent.glob("*.json")}
    rows = {row[0]: row for row in inventory_table().rows}
    assert rows.keys() == there, "give a new file its line in STORED"
    assert {f"{name}.json" for name in BENCHMARKS} <= there
    for row in rows.values():
        assert row[1].endswith("?") and row[2] and row[3] != "–", row[0]


def test_every_command_names_a_script_that_exists() -> None:
    for each in STORED:
        for script in re.findall(r"python ((?:benchmarks|tools)/\S+\.py)", each.command):
            if results_path().with_name(each.name).is_file():
                assert (ROOT / script).is_file(), each.command


def test_what_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "halfspace.json").write_text("{")
    with pytest.raises(ValueError, match=r"halfspace\.json is not a JSON file"):
        inventory_table(tmp_path)
    assert inventory_table(tmp_path / "none").rows == []

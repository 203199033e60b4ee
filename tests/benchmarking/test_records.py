"""A stored record is read whole or refused; that of the fuzzer is long and clean."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mutate_theory
import pytest

from benchmarks import (
    inventory_table,
    load_fuzz_record,
    load_mutation_record,
    load_planting_record,
    load_sharding_record,
)
from benchmarks.reliability import load_reliability
from tests.halfspace.fuzz import KINDS

# Each loader with its file, what the file is called, and parts that it must have.
LOADERS = [
    (load_fuzz_record, "halfspace_fuzz", "a fuzz run", "by_structure date mismatches"),
    (load_mutation_record, "theory_mutation", "a mutation run", "schema trials total"),
    (load_planting_record, "statement_plantings", "plantings in statements", "schema trials"),
    (load_sharding_record, "sharded_training", "a run with several workers", "date rows"),
    (load_reliability, "reliability", "reliability", "schema campaigns"),
]
RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"


@pytest.mark.parametrize(("load", "name", "what", "parts"), LOADERS)
def test_what_is_no_record_is_refused(
    load: Callable[..., Any], name: str, what: str, parts: str, tmp_path: Path
) -> None:
    stored = json.loads((RESULTS / f"{name}.json").read_text())
    spoiled = [b"", b"{", b"[]", b"\xff", b"{}", b'{"schema": 2}', b'{"date": 1, "settings": 2}']
    for part in parts.split():
        spoiled.append(json.dumps({key: stored[key] for key in stored if key != part}).encode())
    if "schema" in parts:
        spoiled.append(json.dumps({**stored, "schema": 99}).encode())
    other = tmp_path / "other.json"
    for content in spoiled:
        other.write_bytes(content)
        with pytest.raises(ValueError, match=rf"path must name .*record of {what}.*other\.json"):
            load(other)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.json")


def test_the_record_of_a_mutation_run_comes_back_whole(tmp_path: Path) -> None:
    found = [("jump", "killed"), ("jump", "survived"), ("flips", "not covered")]
    trials = [
        {"module": module, "operator": "sign", "outcome": outcome} for module, outcome in found
    ]
    settings = {"per_module": 2, "seed": 0, "most": 1.0, "claims": "all"}
    record = mutate_theory.report(trials, {"jump": 5, "flips": 7}, settings, 1.0)
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record))
    assert load_mutation_record(path) == record


def test_the_stored_run_is_long_and_clean() -> None:
    record = load_fuzz_record()
    assert record["queries"] >= 10**7
    assert record["steps"] >= 6 * 10**4
    assert record["mismatches"] == 0
    assert record["ties"] > 10**6, "ties must be met, or they were not tested"
    named = {name.partition("/")[0] for name in record["by_structure"]}
    assert named >= set(KINDS), "a structure that came later needs a new run"
    parts = record["by_structure"].values()
    assert sum(part["queries"] for part in parts) == record["queries"]


def test_every_stored_file_is_listed_with_question_command_and_duration(tmp_path: Path) -> None:
    rows = {row[0]: row for row in inventory_table().rows}
    assert rows.keys() == {path.name for path in RESULTS.glob("*.json")}, "see STORED"
    for row in rows.values():
        assert row[1].endswith("?") and row[2] and row[3] != "–", row[0]
        for script in re.findall(r"python (tools/\S+\.py)", row[2]):
            assert (RESULTS.parents[1] / script).is_file(), row[2]
    (tmp_path / "halfspace.json").write_text("{")
    with pytest.raises(ValueError, match=r"halfspace\.json is not a JSON file"):
        inventory_table(tmp_path)


@pytest.mark.parametrize(
    ("name", "option"), [("digits_robustness", "--draws"), ("feature_learning", "--seeds")]
)
def test_a_study_that_could_have_no_interval_is_refused(
    name: str, option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = importlib.import_module(f"benchmarks.{name}")
    with pytest.raises(SystemExit):
        study.main([option, "1", "--output", str(tmp_path / "found.json")])
    assert f"{option} must be 2 or more for an interval, got 1" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []

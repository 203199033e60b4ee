"""The stored fuzz run is a long and clean one, and its tables say what it says."""

from __future__ import annotations

import json

import pytest

from benchmarks import fuzz_tables, load_fuzz_record
from benchmarks.fuzz.campaign import ENGINES


def test_the_stored_run_is_long_and_clean() -> None:
    record = load_fuzz_record()
    assert record["stopped"] == "done"
    assert record["queries"] >= 10**7
    assert record["steps"] >= 10**5
    assert record["mismatches"] == 0
    assert record["ties"] > 10**6, "ties must be met, or they were not tested"
    named = {name.partition("/")[0] for name in record["by_structure"]}
    assert named == set(ENGINES), "a structure that came later needs a new run"
    parts = record["by_structure"].values()
    assert sum(part["queries"] for part in parts) == record["queries"]


def test_the_tables_say_what_the_record_says() -> None:
    record = load_fuzz_record()
    run, structures = fuzz_tables(record)
    facts = dict(run.rows)
    assert facts["queries"].replace(" ", "") == str(record["queries"])
    assert facts["mismatches"] == "0"
    assert len(structures.rows) == len(record["by_structure"])


def test_what_is_no_record_is_refused(tmp_path) -> None:
    other = tmp_path / "other.json"
    undated = {name: value for name, value in load_fuzz_record().items() if name != "date"}
    for content in (b"{", b"[]", b"\xff", b'{"queries": 3}', json.dumps(undated).encode()):
        other.write_bytes(content)
        with pytest.raises(ValueError, match="path must name the record of a fuzz run"):
            load_fuzz_record(other)
    with pytest.raises(FileNotFoundError):
        load_fuzz_record(tmp_path / "none.json")

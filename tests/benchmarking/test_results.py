"""Stored results: checked when read, merged by section, written in one piece."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import benchmarks
from benchmarks import load_results, merged, write_results
from benchmarks.results import stored_section
from benchmarks.settings import Settings


def section(rows: list[dict[str, Any]], baseline: str = "dense") -> dict[str, Any]:
    settings = Settings.short().as_json()
    return stored_section("How?", baseline, settings, rows, 1.25, benchmarks.environment())


CELL = {
    "d": 3,
    "m": 1024,
    "share": 0.1,
    "microseconds": {"dense": 8.0, "auto": 2.0},
    "rounds": {"dense": 3, "auto": 4},
    "queries": {"dense": 64, "auto": 64},
    "differing_pairs": {"dense": 5, "auto": 0},
    "absent": {"torch": "not installed"},
}


def test_what_is_written_is_read_again_with_four_digits(tmp_path: Path) -> None:
    rows = [{"slope": [0.123456, 1.0], "k": 123456, "times": {"a": 98765.4321}}]
    assert section(rows)["rows"] == [{"slope": [0.1235, 1.0], "k": 123456, "times": {"a": 98770.0}}]
    results = merged(None, {"report": section([CELL])})
    path = tmp_path / "deep" / "results.json"
    write_results(results, path)
    again = load_results(path=path)
    assert again.data == json.loads(json.dumps(results.data))
    assert again.cells("report") == [CELL]
    assert path.read_text().count("\n") < 60, "rows take one line each"


def test_tidy_rows_have_one_row_for_each_competitor_there_or_not() -> None:
    rows = merged(None, {"report": section([CELL])}).rows("report")
    assert [row["competitor"] for row in rows] == ["dense", "auto", "torch"]
    dense, auto, torch = rows
    assert (dense["ratio"], auto["ratio"]) == (1.0, 4.0)
    assert (auto["microseconds"], auto["rounds"], auto["queries"]) == (2.0, 4, 64)
    assert (dense["differing_pairs"], auto["differing_pairs"]) == (5, 0)
    cell = {key: CELL[key] for key in ("d", "m", "share")}
    assert torch == {**cell, "competitor": "torch", "reason": "not installed"}


def test_a_new_run_replaces_its_sections_and_keeps_the_others() -> None:
    first = merged(None, {"report": section([CELL]), "single": section([CELL], "dense")})
    second = merged(first, {"report": section([]), "build": section([], "")})
    assert second.sections == ("report", "single", "build")
    assert second.cells("report") == []
    assert second.section("single") == first.section("single")
    assert first.cells("report") == [CELL], "the old results are unchanged"


def broken(**changes: object) -> dict[str, Any]:
    return {
        "schema": benchmarks.results.SCHEMA,
        "benchmark": "halfspace",
        "sections": {"report": {**section([CELL]), **changes}},
    }


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "holds no results"),
        ({}, "holds no results"),
        ({"schema": 1, "sections": {}}, "has schema 1, this version reads 2"),
        ({"schema": 2, "sections": {}}, "one of the benchmarks halfspace, training, got None"),
        ({"schema": 2, "benchmark": "other"}, "got 'other'"),
        ({"schema": 2, "benchmark": "halfspace"}, "has no sections"),
        (
            {"schema": 2, "benchmark": "halfspace", "sections": {"report": 3}},
            "'report' is not a mapping",
        ),
        (broken(rows={}), "'report' has no rows"),
    ],
)
def test_a_file_of_another_format_is_refused(data: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    with pytest.raises(FileNotFoundError, match="sublinear bench halfspace"):
        load_results(path=path)
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        load_results(path=path)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=r"results\.json is not a JSON file"):
        load_results(path=path)


# The settings of a run: ordered, plain when stored.


def test_stored_settings_make_the_same_settings_again_and_widths_are_in_order() -> None:
    settings = Settings.short()
    assert Settings(**json.loads(json.dumps(settings.as_json()))) == settings
    assert Settings(widths=(4096, 64, 4096)).widths == (64, 4096)


@pytest.mark.parametrize(("wanted", "found"), [(2**16, 4096), (4096, 4096), (4095, 256), (2, 64)])
def test_the_nearest_width_is_the_largest_that_is_not_larger(wanted: int, found: int) -> None:
    assert Settings(widths=(64, 256, 4096)).nearest_width(wanted) == found

"""The goals: complete, judged on the right cells, halved where they should be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import (
    TARGETS,
    Results,
    Settings,
    Verdict,
    environment,
    judge,
    load_reasons,
    merged,
    missed_table,
    reason_for,
    target_table,
)
from benchmarks.results import stored_section

GOALS = TARGETS["halfspace"]


def results(avx512: bool = True, **sections: list[dict[str, Any]]) -> Results:
    machine = {**environment(), "avx512": avx512}
    baselines = {"report": "dense", "aggregate": "two_gemms", "single": "gemv", "numpy": "dense"}
    settings = Settings.short().as_json()
    return merged(
        None,
        {
            name: stored_section("How?", baselines.get(name, ""), settings, rows, 1.0, machine)
            for name, rows in sections.items()
        },
    )


def cell(d: int, m: int, share: float, **times: float) -> dict[str, Any]:
    return {"d": d, "m": m, "share": share, "microseconds": times}


def verdict(found: Results, key: str) -> Verdict:
    (one,) = (each for each in judge(found) if each.target.key == key)
    return one


def test_every_goal_has_a_key_of_its_own_and_a_section_that_exists() -> None:
    keys = [target.key for target in GOALS]
    assert len(set(keys)) == len(keys)
    assert {target.section for target in GOALS} == {
        "report",
        "aggregate",
        "single",
        "build",
        "numpy",
    }


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("report d=2 m=2^20 0.1 %", 120.0),
        ("report d=3 m=2^16 1 %", 13.0),
        ("report d=3 m=2^20 10 %", 10.0),
        ("report d=8 m=2^16 0.1 %", 16.0),
        ("report d=16 m=2^20 1 %", 3.3),
        ("report d=32 m=2^16 10 %", 2.5),
        ("report d=32 m=2^20 50 %", 1.5),
        ("count d=4 m=2^20 50 %", 5.0),
        ("aggregate d=4 m=2^20", 1.3),
        ("single query", 8.0),
        ("refit", 0.15),
        ("memory", 2.5),
    ],
)
def test_the_goals_are_those_that_were_set(key: str, value: float) -> None:
    (target,) = (each for each in GOALS if each.key == key)
    assert target.value == value


def test_nothing_measured_is_neither_reached_nor_missed() -> None:
    verdicts = judge(merged(None, {}))
    assert {each.reached for each in verdicts} == {None}
    assert len(verdicts) == len(GOALS)


@pytest.mark.parametrize(
    ("time", "avx512", "wanted", "reached"),
    [(1.0, True, 13.0, True), (1.01, True, 13.0, False), (2.0, False, 6.5, True)],
)
def test_a_ratio_is_read_in_its_own_cell_and_halved_without_wide_registers(
    time: float, avx512: bool, wanted: float, reached: bool
) -> None:
    rows = [
        cell(3, 2**16, 0.1, dense=1.0, auto=1.0),
        cell(3, 2**16, 0.01, dense=13.0, auto=time),
        cell(3, 2**20, 0.01, dense=1.0, auto=1.0),
    ]
    found = verdict(results(avx512, report=rows), "report d=3 m=2^16 1 %")
    assert found.wanted == wanted
    assert found.measured == pytest.approx(13.0 / time)
    assert found.reached is reached


def test_counting_is_judged_by_the_count() -> None:
    rows = [cell(4, 2**16, 0.5, dense=10.0, auto=9.0, count=2.0)]
    found = verdict(results(report=rows), "count d=4 m=2^16 50 %")
    assert (found.measured, found.reached) == (5.0, True)


def test_the_slowest_cell_decides_whether_dense_is_ever_faster() -> None:
    rows = [cell(3, 64, 0.5, dense=1.0, auto=0.5), cell(8, 64, 0.5, dense=1.0, auto=1.2)]
    found = verdict(results(False, report=rows), "never slower")
    assert (found.measured, found.wanted, found.reached) == (1.2, 1.1, False)


def test_sums_are_judged_against_two_gemms() -> None:
    rows = [cell(2, 2**20, 0.5, two_gemms=12.0, aggregate=2.0)]
    found = verdict(results(aggregate=rows), "aggregate d=2 m=2^20")
    assert (found.measured, found.reached) == (6.0, True)


def test_a_single_query_is_judged_where_only_the_call_counts() -> None:
    rows = [cell(3, 64, 0.01, gemv=1.0, auto=7.0), cell(3, 4096, 0.01, gemv=1.0, auto=70.0)]
    found = verdict(results(single=rows), "single query")
    assert (found.measured, found.reached) == (7.0, True)


def test_building_is_judged_by_its_slowest_size() -> None:
    def build(d: int, engine: str, **costs: float) -> dict[str, Any]:
        return {"d": d, "m": 64, "engine": engine, "milliseconds": costs, "memory_ratio": d / 2.0}

    rows = [
        build(2, "auto", build=1.0),
        build(2, "tree", build=1.0, refit=0.1),
        build(2, "sklearn_kdtree", build=4.0),
        build(3, "auto", build=6.0),
        build(3, "tree", build=2.0, refit=0.5),
        build(3, "sklearn_kdtree", build=4.0),
        build(4, "auto", build=9.0),
    ]
    found = results(build=rows)
    assert verdict(found, "build").measured == 1.5
    assert verdict(found, "build").reached is False
    assert verdict(found, "refit").measured == 0.25
    assert verdict(found, "memory").measured == 2.0
    assert verdict(found, "memory").reached is True


def test_the_cap_prefix_is_judged_by_what_survives() -> None:
    rows = [
        {**cell(3, 64, 0.01, dense=9.0, cap=1.0), "surviving": 0.1},
        {**cell(8, 64, 0.01, dense=3.0, cap=1.0), "surviving": 0.2},
    ]
    found = results(numpy=rows)
    assert verdict(found, "cap prefix in NumPy d=3").reached is True
    slow = verdict(found, "cap prefix in NumPy d=8")
    assert slow.measured == pytest.approx(0.6)
    assert slow.reached is False


def test_the_longest_fitting_reason_is_given() -> None:
    rows = [cell(3, 2**16, 0.01, dense=1.0, auto=1.0)]
    missed = verdict(results(report=rows), "report d=3 m=2^16 1 %")
    reasons = {"report": "general", "report d=3 m=2^16": "special", "report d=8": "other"}
    assert reason_for(missed, reasons) == "special"
    assert reason_for(missed, {"count": "other"}) == ""


def test_the_tables_of_goals_say_what_was_reached_and_why_not() -> None:
    rows = [cell(3, 2**16, 0.01, dense=26.0, auto=1.0), cell(3, 2**20, 0.01, dense=1.0, auto=1.0)]
    found = results(report=rows)
    text = repr(target_table(found, measured=True))
    assert "2 of 3 goals reached" in text
    assert "not measured" not in text
    assert "not measured" in repr(target_table(found))
    missed = missed_table(found, {"report d=3 m=2^20": "Too slow."})
    assert [row[-1] for row in missed.rows] == ["Too slow."]
    assert missed_table(found, {}).rows[0][-1] == "not known"


def test_reasons_are_texts_beside_the_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "benchmarks" / "results" / "halfspace.json"
    monkeypatch.setattr("benchmarks.judging.results_path", lambda name: place)
    assert load_reasons() == {}
    file = tmp_path / "benchmarks" / "halfspace_reasons.toml"
    file.parent.mkdir()
    file.write_text('"report d=3" = "Because."\n', encoding="utf-8")
    assert load_reasons() == {"report d=3": "Because."}
    for bad, message in (("a = 3", "must hold texts"), ("a =", "is not a TOML file")):
        file.write_text(bad, encoding="utf-8")
        with pytest.raises(ValueError, match=message):
            load_reasons()

"""The goals of the trainer: those that were set, each judged in its own cell."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import (
    BENCHMARKS,
    TARGETS,
    Results,
    Verdict,
    environment,
    judge,
    load_reasons,
    merged,
    missed_table,
    target_table,
)
from benchmarks.results import stored_section

GOALS = TARGETS["training"]


def results(**sections: list[dict[str, Any]]) -> Results:
    settings = BENCHMARKS["training"].short.as_json()
    return merged(
        None,
        {
            name: stored_section("How?", "dense", settings, rows, 1.0, environment())
            for name, rows in sections.items()
        },
        "training",
    )


def cell(d: int, m: int, share: float, n: int = 256, **times: float) -> dict[str, Any]:
    pairs = {"differing_pairs": {"auto": 0, "lists": 0}}
    return {"d": d, "m": m, "n": n, "share": share, "microseconds": times, **pairs}


def growth(regime: str, competitor: str, **slopes: list[float] | None) -> dict[str, Any]:
    return {"regime": regime, "competitor": competitor, **slopes}


def verdict(found: Results, key: str) -> Verdict:
    (one,) = (each for each in judge(found) if each.target.key == key)
    return one


def test_every_goal_has_a_key_of_its_own_and_a_section_that_exists() -> None:
    keys = [target.key for target in GOALS]
    assert len(set(keys)) == len(keys)
    assert {target.section for target in GOALS} < set(BENCHMARKS["training"].sections)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("dense d=8 m=2^16 0.1 %", 35.0),
        ("dense d=32 m=2^18 0.1 %", 35.0),
        ("dense d=8 m=2^18 1 %", 15.0),
        ("dense d=32 m=2^16 1 %", 9.0),
        ("dense d=8 m=2^16 10 %", 3.5),
        ("dense d=32 m=2^16 10 %", 1.7),
        ("alive d=8 m=2^16 0.1 %", 8.0),
        ("alive d=8 m=2^16 1 %", 6.0),
        ("alive d=8 m=2^16 10 %", 2.5),
        ("alive d=32 m=2^16 0.1 %", 30.0),
        ("alive d=32 m=2^16 1 %", 6.0),
        ("alive d=32 m=2^16 10 %", 1.5),
        ("torch d=8 m=2^16 1 %", 100.0),
        ("never slower", 1.1),
        ("mismatches", 0.0),
        ("slope 0.1 %", 0.85),
        ("slope R3", 0.85),
    ],
)
def test_the_goals_are_those_that_were_set(key: str, value: float) -> None:
    (target,) = (each for each in GOALS if each.key == key)
    assert target.value == value


def test_a_ratio_is_read_in_its_own_cell_and_against_its_own_rival() -> None:
    rows = [
        cell(8, 2**16, 0.01, dense=15.0, alive=5.0, torch=300.0, auto=1.0),
        cell(8, 2**16, 0.01, n=1024, dense=1.0, alive=1.0, torch=1.0, auto=1.0),
        cell(8, 2**18, 0.01, dense=14.0, alive=7.0, auto=1.0),
    ]
    found = results(iteration=rows)
    wanted = {
        "dense d=8 m=2^16 1 %": (15.0, True),
        "dense d=8 m=2^18 1 %": (14.0, False),
        "alive d=8 m=2^16 1 %": (5.0, False),
        "alive d=8 m=2^18 1 %": (7.0, True),
        "torch d=8 m=2^16 1 %": (300.0, True),
        "dense d=32 m=2^16 1 %": (None, None),
    }
    for key, answer in wanted.items():
        one = verdict(found, key)
        assert (one.measured, one.reached) == answer, key


def test_the_slowest_wide_cell_decides_whether_dense_is_ever_faster() -> None:
    rows = [
        cell(3, 2**14, 0.5, dense=1.0, auto=9.0),
        cell(3, 2**16, 0.5, dense=1.0, auto=1.05),
        cell(8, 2**18, 0.5, dense=1.0, auto=1.2),
        cell(8, 2**18, 0.1, dense=1.0, auto=5.0),
    ]
    found = verdict(results(iteration=rows), "never slower")
    assert (found.measured, found.reached) == (1.2, False)


def test_a_single_mismatch_misses_the_goal() -> None:
    rows = [cell(3, 2**14, 0.5, auto=1.0), cell(8, 2**14, 0.5, auto=1.0)]
    assert verdict(results(iteration=rows), "mismatches").reached is True
    rows[1]["differing_pairs"] = {"auto": 0, "lists": 1}
    found = verdict(results(iteration=rows), "mismatches")
    assert (found.measured, found.reached) == (1.0, False)


def test_an_exponent_is_judged_by_the_upper_end_of_its_interval() -> None:
    rows = [
        growth("0.1 %", "dense", microseconds_slope=[1.0, 0.9, 1.1]),
        growth("0.1 %", "auto", microseconds_slope=[0.7, 0.6, 0.8]),
        growth("R3", "auto", microseconds_slope=[0.8, 0.7, 0.9]),
    ]
    memory = [growth("0.1 %", "lists", held_slope=[1.0, 0.9, 1.04])]
    found = results(scaling=rows, memory=memory)
    assert verdict(found, "slope 0.1 %").reached is True
    assert (verdict(found, "slope R3").measured, verdict(found, "slope R3").reached) == (0.9, False)
    assert verdict(found, "memory lists").reached is True
    assert verdict(found, "memory query").reached is None
    unknown = results(scaling=[growth("R3", "auto", microseconds_slope=None)])
    assert verdict(unknown, "slope R3").reached is None


def test_the_tables_of_goals_are_those_of_this_benchmark() -> None:
    found = results(iteration=[cell(8, 2**16, 0.01, dense=15.0, alive=5.0, auto=1.0)])
    assert "of 2 goals reached" not in repr(target_table(found))
    assert len(target_table(found).rows) == len(GOALS)
    missed = missed_table(found, {"alive d=8": "Too few."})
    assert [row[-1] for row in missed.rows] == ["Too few."]
    rows = [cell(8, m, 0.01, dense=1.0, alive=1.0, auto=1.0) for m in (2**16, 2**18)]
    missed = missed_table(results(iteration=rows), {"dense": "Slow.", "alive d=8": "Too few."})
    assert [row[-1] for row in missed.rows] == ["Slow.", "as above", "Too few.", "as above"]


def test_reasons_of_one_benchmark_are_not_those_of_another() -> None:
    assert not set(load_reasons("training")) & set(load_reasons("halfspace"))
    with pytest.raises(ValueError, match="benchmark must be one of"):
        load_reasons("other")

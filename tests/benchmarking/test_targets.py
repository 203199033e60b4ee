"""The goals: those that were set, judged on the right cells, halved where they should be."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import (
    Results,
    load_reasons,
    load_results,
    merged,
    missed_table,
    section_tables,
    target_table,
)
from benchmarks.registry import BENCHMARKS
from benchmarks.settings import Settings
from benchmarks.targets import TARGETS, Verdict, judge, reason_for


def results(avx512: bool = True, **sections: list[dict[str, Any]]) -> Results:
    """Made-up results, of the benchmark that has these sections."""
    machine = {"environment": {"avx512": avx512}}
    (benchmark,) = (
        name for name, one in BENCHMARKS.items() if sections.keys() <= set(one.sections)
    )
    return merged(None, {name: machine | {"rows": r} for name, r in sections.items()}, benchmark)


def cell(d: int, m: int, share: float, **times: float) -> dict[str, Any]:
    return {"d": d, "m": m, "share": share, "microseconds": times}


def trained(d: int, m: int, share: float, n: int = 256, wrong: int = 0, **times: float) -> Any:
    return {**cell(d, m, share, **times), "n": n, "differing_pairs": {"auto": 0, "query": wrong}}


def growth(regime: str, competitor: str, **slopes: list[float] | None) -> dict[str, Any]:
    return {"regime": regime, "competitor": competitor, **slopes}


def verdict(found: Results, key: str) -> Verdict:
    (one,) = (each for each in judge(found) if each.target.key == key)
    return one


@pytest.mark.parametrize("benchmark", list(BENCHMARKS))
def test_every_goal_has_a_key_of_its_own_and_a_section_that_exists(benchmark: str) -> None:
    goals = TARGETS[benchmark]
    assert len({target.key for target in goals}) == len(goals)
    assert {target.section for target in goals} < set(BENCHMARKS[benchmark].sections)
    verdicts = judge(merged(None, {}, benchmark))
    assert [each.reached for each in verdicts] == [None] * len(goals), "nothing was measured"


REPORTS = {
    "report": [
        cell(3, 2**16, 0.1, dense=1.0, auto=1.0),
        cell(3, 2**16, 0.01, dense=13.0, auto=1.0),
        cell(3, 2**20, 0.01, dense=1.0, auto=1.0),
        cell(4, 2**16, 0.5, dense=10.0, auto=12.0, count=2.0),
    ]
}
STEPS = {
    "iteration": [
        trained(8, 2**16, 0.01, n=1024, dense=1.0, alive=1.0, torch=1.0, auto=1.0),
        trained(8, 2**16, 0.01, dense=15.0, alive=5.0, torch=300.0, auto=1.0),
        trained(8, 2**18, 0.01, dense=14.0, alive=7.0, auto=1.0),
        trained(8, 2**14, 0.5, wrong=1, dense=1.0, auto=9.0),
        trained(8, 2**16, 0.5, dense=1.0, auto=1.2),
    ]
}
SLOPES = {
    "scaling": [
        growth("0.1 %", "dense", microseconds_slope=[1.0, 0.9, 1.1]),
        growth("0.1 %", "auto", microseconds_slope=[0.7, 0.6, 0.8]),
        growth("R3", "auto", microseconds_slope=None),
    ]
}


@pytest.mark.parametrize(
    ("sections", "key", "measured", "reached"),
    [
        # a ratio is read in its own cell, counting by the count, the slowest cell decides
        (REPORTS, "report d=3 m=2^16 1 %", 13.0, True),
        (REPORTS, "count d=4 m=2^16 50 %", 5.0, True),
        (REPORTS, "never slower", 1.2, False),
        # against its own rival, with 256 examples, and where the network is wide
        (STEPS, "dense d=8 m=2^16 1 %", 15.0, True),
        (STEPS, "dense d=8 m=2^18 1 %", 14.0, False),
        (STEPS, "alive d=8 m=2^16 1 %", 5.0, False),
        (STEPS, "torch d=8 m=2^16 1 %", 300.0, True),
        (STEPS, "dense d=32 m=2^16 1 %", None, None),
        (STEPS, "mismatches", 1.0, False),
        (STEPS, "never slower", 1.2, False),
        # an exponent is judged by the upper end of its interval
        (SLOPES, "slope 0.1 %", 0.8, True),
        (SLOPES, "slope R3", None, None),
    ],
)
def test_a_goal_is_judged_by_its_own_cells(
    sections: dict[str, Any], key: str, measured: float | None, reached: bool | None
) -> None:
    found = verdict(results(**sections), key)
    assert (found.measured, found.reached) == (
        measured if measured is None else pytest.approx(measured),
        reached,
    )


def test_a_ratio_is_halved_without_wide_registers() -> None:
    for time, avx512, wanted, reached in ((1.01, True, 13.0, False), (2.0, False, 6.5, True)):
        found = results(avx512, report=[cell(3, 2**16, 0.01, dense=13.0, auto=time)])
        one = verdict(found, "report d=3 m=2^16 1 %")
        assert (one.wanted, one.reached) == (wanted, reached)
        assert verdict(found, "never slower").wanted == 1.1


def test_the_tables_of_goals_say_what_was_reached_and_why_not() -> None:
    rows = [cell(3, 2**16, 0.01, dense=26.0, auto=1.0), cell(3, 2**20, 0.01, dense=1.0, auto=1.0)]
    found = results(report=rows)
    text = repr(target_table(found, measured=True))
    assert "2 of 3 goals reached" in text and "not measured" not in text
    assert "not measured" in repr(target_table(found))
    reasons = {"report": "general", "report d=3 m=2^20": "Too slow.", "report d=8": "other"}
    assert [row[-1] for row in missed_table(found, reasons).rows] == ["Too slow."]
    assert missed_table(found, {"count": "other"}).rows[0][-1] == "not known"
    rows = [trained(8, m, 0.01, dense=1.0, alive=1.0, auto=1.0) for m in (2**16, 2**18)]
    missed = missed_table(results(iteration=rows), {"dense": "Slow.", "alive d=8": "Too few."})
    assert [row[-1] for row in missed.rows] == ["Slow.", "as above", "Too few.", "as above"]


# What is stored is a full run, judged and explained.


@pytest.mark.parametrize("name", list(BENCHMARKS))
def test_the_stored_results_are_those_of_a_full_run_judged_and_explained(name: str) -> None:
    benchmark, stored, reasons = BENCHMARKS[name], load_results(name), load_reasons(name)
    assert set(stored.sections) == set(benchmark.sections)
    for section in benchmark.sections.values():
        settings = Settings(**stored.section(section.name)["settings"])
        assert not settings.quick, f"{section.name} is only a trial: run `sublinear bench {name}`"
        for field in ("dimensions", "widths", "shares", "queries", "peers"):
            assert getattr(settings, field) == getattr(benchmark.standard, field), section.name
        assert len(stored.cells(section.name)) == section.steps(settings), section.name
        assert section_tables(stored, section.name), section.name
    goals = judge(stored)
    assert [each.target.key for each in goals if each.measured is None] == []
    missed = [each for each in goals if each.reached is False]
    assert [each.target.key for each in missed if not reason_for(each, reasons)] == []
    keys = [each.target.key for each in goals]
    assert [key for key in reasons if not any(goal.startswith(key) for goal in keys)] == []

"""The goals: those that were set, judged on the right cells, halved where they should be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import (
    BENCHMARKS,
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

BASELINES = {"report": "dense", "aggregate": "two_gemms", "single": "gemv", "numpy": "dense"}


def results(avx512: bool = True, **sections: list[dict[str, Any]]) -> Results:
    """Made-up results, of the benchmark that has these sections."""
    machine = {**environment(), "avx512": avx512}
    stored = {
        name: stored_section(
            "How?", BASELINES.get(name, ""), Settings.short().as_json(), rows, 1.0, machine
        )
        for name, rows in sections.items()
    }
    (benchmark,) = (
        name for name, one in BENCHMARKS.items() if sections.keys() <= set(one.sections)
    )
    return merged(None, stored, benchmark)


def cell(d: int, m: int, share: float, **times: float) -> dict[str, Any]:
    return {"d": d, "m": m, "share": share, "microseconds": times}


def trained(d: int, m: int, share: float, n: int = 256, wrong: int = 0, **times: float) -> Any:
    return {**cell(d, m, share, **times), "n": n, "differing_pairs": {"auto": 0, "query": wrong}}


def growth(regime: str, competitor: str, **slopes: list[float] | None) -> dict[str, Any]:
    return {"regime": regime, "competitor": competitor, **slopes}


def build(d: int, engine: str, **costs: float) -> dict[str, Any]:
    return {"d": d, "m": 64, "engine": engine, "milliseconds": costs, "memory_ratio": d / 2.0}


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
BUILDS = {
    "build": [
        build(2, "auto", build=1.0),
        build(2, "tree", build=1.0, refit=0.1),
        build(2, "sklearn_kdtree", build=4.0),
        build(3, "auto", build=6.0),
        build(3, "tree", build=2.0, refit=0.5),
        build(3, "sklearn_kdtree", build=4.0),
        build(4, "auto", build=9.0),
    ]
}
CAPS = {
    "numpy": [
        {**cell(3, 64, 0.01, dense=9.0, cap=1.0), "surviving": 0.1},
        {**cell(8, 64, 0.01, dense=3.0, cap=1.0), "surviving": 0.2},
    ]
}
STEPS = {
    "iteration": [
        trained(8, 2**16, 0.01, n=1024, dense=1.0, alive=1.0, torch=1.0, auto=1.0),
        trained(8, 2**16, 0.01, dense=15.0, alive=5.0, torch=300.0, auto=1.0),
        trained(8, 2**18, 0.01, dense=14.0, alive=7.0, auto=1.0),
    ]
}
HALVES = {
    "iteration": [
        trained(3, 2**14, 0.5, dense=1.0, auto=9.0),
        trained(3, 2**16, 0.5, dense=1.0, auto=1.05),
        trained(8, 2**18, 0.5, dense=1.0, auto=1.2),
        trained(8, 2**18, 0.1, dense=1.0, auto=5.0),
    ]
}
SUMS = {"aggregate": [cell(2, 2**20, 0.5, two_gemms=12.0, aggregate=2.0)]}
SINGLES = {
    "single": [cell(3, 64, 0.01, gemv=1.0, auto=7.0), cell(3, 4096, 0.01, gemv=1.0, auto=70.0)]
}
WRONG = {"iteration": [trained(3, 2**14, 0.5, auto=1.0), trained(8, 2**14, 0.5, wrong=1, auto=1.0)]}
SLOPES = {
    "scaling": [
        growth("0.1 %", "dense", microseconds_slope=[1.0, 0.9, 1.1]),
        growth("0.1 %", "auto", microseconds_slope=[0.7, 0.6, 0.8]),
        growth("R3", "auto", microseconds_slope=[0.8, 0.7, 0.9]),
    ],
    "memory": [growth("0.1 %", "query", held_slope=[1.0, 0.9, 1.04])],
}
UNFITTED = {"scaling": [growth("R3", "auto", microseconds_slope=None)]}


@pytest.mark.parametrize(
    ("sections", "key", "measured", "reached"),
    [
        # a ratio is read in its own cell, counting by the count, the slowest cell decides
        (REPORTS, "report d=3 m=2^16 1 %", 13.0, True),
        (REPORTS, "count d=4 m=2^16 50 %", 5.0, True),
        (REPORTS, "never slower", 1.2, False),
        (SUMS, "aggregate d=2 m=2^20", 6.0, True),
        (SINGLES, "single query", 7.0, True),
        (BUILDS, "build", 1.5, False),
        (BUILDS, "refit", 0.25, False),
        (BUILDS, "memory", 2.0, True),
        (CAPS, "cap prefix in NumPy d=3", 0.9, True),
        (CAPS, "cap prefix in NumPy d=8", 0.6, False),
        # against its own rival, with 256 examples, and where the network is wide
        (STEPS, "dense d=8 m=2^16 1 %", 15.0, True),
        (STEPS, "dense d=8 m=2^18 1 %", 14.0, False),
        (STEPS, "alive d=8 m=2^16 1 %", 5.0, False),
        (STEPS, "alive d=8 m=2^18 1 %", 7.0, True),
        (STEPS, "torch d=8 m=2^16 1 %", 300.0, True),
        (STEPS, "dense d=32 m=2^16 1 %", None, None),
        (STEPS, "mismatches", 0.0, True),
        (WRONG, "mismatches", 1.0, False),
        (HALVES, "never slower", 1.2, False),
        # an exponent is judged by the upper end of its interval
        (SLOPES, "slope 0.1 %", 0.8, True),
        (SLOPES, "slope R3", 0.9, False),
        (SLOPES, "memory query", 1.04, True),
        (UNFITTED, "memory query", None, None),
        (UNFITTED, "slope R3", None, None),
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


@pytest.mark.parametrize(
    ("time", "avx512", "wanted", "reached"),
    [(1.01, True, 13.0, False), (2.0, False, 6.5, True)],
)
def test_a_ratio_is_halved_without_wide_registers(
    time: float, avx512: bool, wanted: float, reached: bool
) -> None:
    rows = [cell(3, 2**16, 0.01, dense=13.0, auto=time)]
    found = results(avx512, report=rows)
    one = verdict(found, "report d=3 m=2^16 1 %")
    assert (one.wanted, one.reached) == (wanted, reached)
    assert verdict(found, "never slower").wanted == 1.1


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


def test_the_tables_of_goals_are_those_of_their_benchmark() -> None:
    found = results(iteration=[trained(8, 2**16, 0.01, dense=15.0, alive=5.0, auto=1.0)])
    assert "of 2 goals reached" not in repr(target_table(found))
    assert len(target_table(found).rows) == len(TARGETS["training"])
    missed = missed_table(found, {"alive d=8": "Too few."})
    assert [row[-1] for row in missed.rows] == ["Too few."]
    rows = [trained(8, m, 0.01, dense=1.0, alive=1.0, auto=1.0) for m in (2**16, 2**18)]
    missed = missed_table(results(iteration=rows), {"dense": "Slow.", "alive d=8": "Too few."})
    assert [row[-1] for row in missed.rows] == ["Slow.", "as above", "Too few.", "as above"]


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


def test_reasons_of_one_benchmark_are_not_those_of_another() -> None:
    assert not set(load_reasons("training")) & set(load_reasons("halfspace"))
    with pytest.raises(ValueError, match="benchmark must be one of"):
        load_reasons("other")

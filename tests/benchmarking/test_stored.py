"""The stored results are those of a full run, judged and explained."""

from __future__ import annotations

import pytest

from benchmarks import (
    BENCHMARKS,
    TARGETS,
    Results,
    Settings,
    judge,
    load_reasons,
    load_results,
    reason_for,
    section_tables,
)


@pytest.fixture(scope="module", params=list(BENCHMARKS))
def stored(request: pytest.FixtureRequest) -> Results:
    return load_results(request.param)


def test_every_section_was_measured_with_the_standard_settings(stored: Results) -> None:
    benchmark = BENCHMARKS[stored.benchmark]
    assert set(stored.sections) == set(benchmark.sections)
    for name, section in benchmark.sections.items():
        settings = Settings(**stored.section(name)["settings"])
        command = f"sublinear bench {benchmark.name}"
        assert not settings.quick, f"{name} is only a trial: run `{command}`"
        for field in ("dimensions", "widths", "shares", "queries", "peers"):
            assert getattr(settings, field) == getattr(benchmark.standard, field), (name, field)
        assert len(stored.cells(name)) == section.steps(settings), name


def test_every_table_can_be_made(stored: Results) -> None:
    for name in stored.sections:
        assert section_tables(stored, name), name


def test_every_goal_was_measured(stored: Results) -> None:
    assert [each.target.key for each in judge(stored) if each.measured is None] == []


def test_every_goal_that_is_missed_has_a_reason(stored: Results) -> None:
    reasons = load_reasons(stored.benchmark)
    missed = [each for each in judge(stored) if each.reached is False]
    assert [each.target.key for each in missed if not reason_for(each, reasons)] == []


@pytest.mark.parametrize("benchmark", list(BENCHMARKS))
def test_no_reason_is_for_a_goal_that_does_not_exist(benchmark: str) -> None:
    keys = [target.key for target in TARGETS[benchmark]]
    reasons = load_reasons(benchmark)
    assert [key for key in reasons if not any(goal.startswith(key) for goal in keys)] == []

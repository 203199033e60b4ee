"""A whole short run of the benchmark of training: every section, every row, every table."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import benchmarks
from benchmarks import (
    BENCHMARKS,
    REGIMES,
    Results,
    Section,
    Settings,
    growth_curves,
    iteration_table,
    judge,
    load_results,
    merged,
    section_tables,
)
from benchmarks.iteration import OWN
from benchmarks.peers import load
from sublinear_lib.cli import main
from sublinear_lib.training.history import PHASES

pytestmark = pytest.mark.thorough

TRAINING = BENCHMARKS["training"]
RIVALS = {"dense", "alive", "dense_rows", "torch"}


def bench(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", "training", *arguments], terminal_width=200)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Results]:
    """What a short run says and stores."""
    path = tmp_path_factory.mktemp("bench") / "results.json"
    result = bench("--quick", "--output", str(path))
    assert result.exit_code == 0, result.output
    return result, load_results("training", path=path)


@pytest.fixture(scope="module")
def found(short: tuple[Result, Results]) -> Results:
    return short[1]


def test_a_short_run_stores_every_section_with_as_many_rows_as_announced(found: Results) -> None:
    assert found.benchmark == "training"
    assert found.sections == tuple(TRAINING.sections)
    for name, section in TRAINING.sections.items():
        assert len(found.cells(name)) == section.steps(TRAINING.short), name
        assert found.section(name)["question"] == section.question
        assert found.section(name)["settings"] == TRAINING.short.as_json()
    assert json.loads(json.dumps(found.data)) == found.data


def test_a_short_run_prints_all_tables_and_judges_nothing(short: tuple[Result, Results]) -> None:
    result, found = short
    tables = [table for name in TRAINING.sections for table in section_tables(found, name)]
    for table in tables:
        assert table.caption in result.output
    assert len({table.caption for table in tables}) == len(tables)
    assert "goals reached" not in result.output


def test_everybody_is_present_or_said_to_be_missing(found: Results) -> None:
    for cell in found.cells("iteration"):
        there, absent = set(cell["microseconds"]), cell["absent"]
        assert there | set(absent) == {*OWN, *RIVALS}
        assert not there & set(absent)
        assert min(cell["microseconds"].values()) > 0.0
        assert ("torch" in there) == (load("torch") is not None)


def test_no_pair_is_decided_wrongly_and_the_rivals_agree(found: Results) -> None:
    for cell in found.cells("iteration"):
        assert cell["checked_pairs"] == cell["n"] * cell["m"]
        own = set(cell["microseconds"]) - RIVALS
        assert cell["differing_pairs"] == dict.fromkeys(cell["differing_pairs"], 0)
        assert set(cell["differing_pairs"]) == own
        assert max(cell["output_difference"].values()) < 1e-3


def test_the_activity_is_what_was_asked_for_and_an_iteration_hardly_changes_it(
    found: Results,
) -> None:
    for cell in found.cells("iteration"):
        for name in cell["active"]:
            assert cell["active"][name] == pytest.approx(cell["share"], rel=0.3)
            drift = cell["active_last"][name] / cell["active_first"][name]
            assert abs(drift - 1.0) <= 0.005 * cell["steps"][name]
            assert cell["active"][name] <= cell["candidates"][name] * (1 + 1e-3)
            assert cell["active"][name] <= cell["touched"][name] * (1 + 1e-3)
            assert cell["touched"][name] <= cell["alive"] * (1 + 1e-3)


def test_the_work_of_dense_training_is_that_of_all_pairs(found: Results) -> None:
    for cell in found.cells("iteration"):
        pairs = cell["n"] * cell["m"]
        # five values with gradients and one value, then the forward and the backward pass
        wanted = {"query": 0, "adversary": 11 * pairs, "forward": pairs, "backward": pairs}
        assert cell["work"]["dense_float64"] == pytest.approx(wanted, rel=1e-3)
        assert set(cell["phases"]["auto"]) == set(PHASES)


def test_larger_steps_are_timed_beside_small_ones(found: Results) -> None:
    cells = found.cells("steps")
    assert {cell["eta_part"] for cell in cells} == {0.02, 1.0}
    for cell in cells:
        assert set(cell["microseconds"]) == {"dense", "auto", "query"}
        assert cell["steps"]["auto"] % 8 == 1, "eight at once, after the first"


def test_growth_is_measured_in_both_regimes(found: Results) -> None:
    cells = found.cells("scaling")
    names = {"dense", "auto", "query"}
    assert {(cell["regime"], cell["competitor"]) for cell in cells} == {
        (regime, name) for regime in REGIMES for name in names
    }
    for cell in cells:
        shape = (cell["seeds"], len(cell["widths"]))
        assert np.array(cell["microseconds_by_seed"]).shape == shape
        estimate, lower, upper = cell["microseconds_slope"]
        assert lower <= estimate <= upper
        assert ("work_slope" in cell) == (cell["competitor"] != "dense")
    widths, curves = growth_curves(found, "R3", ["dense", "auto"])
    assert widths == TRAINING.short.widths
    assert list(curves) == ["dense, tuned", "auto"]
    with pytest.raises(ValueError, match="must have been measured, got 'R4'"):
        growth_curves(found, "R4")


def test_more_neurons_fire_with_the_repaired_threshold(found: Results) -> None:
    active = {
        cell["regime"]: np.array(cell["active_by_seed"])
        for cell in found.cells("scaling")
        if cell["competitor"] == "query"
    }
    assert (active["R3"] > 5.0 * active["0.1 %"]).all()
    assert (active["R3"][:, 1] > active["R3"][:, 0]).all()


def test_a_trainer_holds_at_least_its_weights(found: Results) -> None:
    for cell in found.cells("memory"):
        weights = 8.0 * cell["d"] * np.array(cell["widths"])
        assert (np.array(cell["held_by_seed"]) >= weights).all(), cell["competitor"]
        assert (np.array(cell["peak_by_seed"]) >= np.array(cell["held_by_seed"])).all()
    assert {cell["competitor"] for cell in found.cells("memory")} <= set(OWN)


def test_a_table_compares_with_whom_one_likes(found: Results) -> None:
    table = iteration_table(found, share=0.01, competitors=["auto", "dense"], baseline="alive")
    assert table.columns == ["d", "m", "n", "dense, can fire, ms", "auto", "dense, tuned"]
    cells = [cell for cell in found.cells("iteration") if cell["share"] == 0.01]
    for row, cell in zip(table.rows, cells, strict=True):
        times = cell["microseconds"]
        assert float(row[3]) == pytest.approx(times["alive"] / 1e3, rel=5e-3)
        assert float(row[4]) == pytest.approx(times["alive"] / times["auto"], rel=5e-3)
    every = iteration_table(found, baseline="torch")
    assert len(every.rows) == len(found.cells("iteration"))
    assert "active" in every.columns


def test_goals_on_large_widths_are_not_judged_by_a_short_run(found: Results) -> None:
    judged = {each.target.key: each for each in judge(found)}
    assert judged["dense d=8 m=2^16 1 %"].reached is None
    assert judged["mismatches"].reached is True


def test_the_number_of_examples_reaches_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []

    def remember(name: str, settings: Settings, sections: object, **more: object) -> Results:
        seen.extend([name, settings, sections])
        return merged(None, {}, "training")

    monkeypatch.setattr(benchmarks, "run", remember)
    monkeypatch.setattr(benchmarks, "section_tables", lambda results, name: [])
    result = bench("--examples", "12", "--only", "steps", "--quick")
    assert result.exit_code == 0, result.output
    assert seen == ["training", TRAINING.short.with_changes(queries=12), ("steps",)]


def test_results_of_another_benchmark_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows(settings: Settings) -> object:
        yield {"d": 3}

    section = Section("steps", "How?", "", lambda settings: 1, rows)  # type: ignore[arg-type]
    monkeypatch.setitem(TRAINING.sections, "steps", section)
    path = tmp_path / "results.json"
    benchmarks.write_results(merged(None, {}), path)
    result = bench("--only", "steps", "--output", str(path))
    assert result.exit_code == 1
    assert "must hold results of the benchmark 'training', got 'halfspace'" in result.output
    with pytest.raises(ValueError, match="old must be of the benchmark 'training'"):
        benchmarks.run("training", TRAINING.short, ["steps"], old=merged(None, {}))

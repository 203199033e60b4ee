"""A whole short run through the command: every section, every row, and what it stores."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import benchmarks
import benchmarks.command  # it reads the names of the sections, which some tests replace
from benchmarks import BENCHMARKS, Results, Section, Settings, load_results, merged
from benchmarks.peers import PEERS, load
from sublinear_lib.cli import main

pytestmark = pytest.mark.thorough

SECTIONS = BENCHMARKS["halfspace"].sections


def bench(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", "halfspace", *arguments], terminal_width=200)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Results]:
    """What the short run says and stores."""
    path = tmp_path_factory.mktemp("bench") / "results.json"
    result = bench("--quick", "--output", str(path))
    assert result.exit_code == 0, result.output
    return result, load_results(path=path)


@pytest.fixture(scope="module")
def found(short: tuple[Result, Results]) -> Results:
    return short[1]


def test_a_short_run_stores_every_section_with_as_many_rows_as_announced(found: Results) -> None:
    assert found.sections == tuple(SECTIONS)
    for name, section in SECTIONS.items():
        assert len(found.cells(name)) == section.steps(Settings.short()), name
        stored = found.section(name)
        assert stored["question"] == section.question
        assert stored["settings"]["quick"] is True


def test_a_short_run_prints_the_tables_of_every_section(short: tuple[Result, Results]) -> None:
    result, found = short
    for name in SECTIONS:
        for table in benchmarks.section_tables(found, name):
            assert table.caption in result.output, name
    assert "goals reached" not in result.output, "a short run judges nothing"


def test_all_tables_of_a_page_have_names_of_their_own(found: Results) -> None:
    tables = [table for name in SECTIONS for table in benchmarks.section_tables(found, name)]
    captions = [table.caption for table in tables]
    assert len(set(captions)) == len(captions)


def test_every_competitor_is_present_or_said_to_be_missing(found: Results) -> None:
    everyone = {"dense", "gemm", "naive_float32", "naive_float64", "scan", "cap", "tree", "auto"}
    everyone |= {"auto_default", "count", "mask"} | {peer.name for peer in PEERS}
    for cell in found.cells("report"):
        there, absent = set(cell["microseconds"]), cell["absent"]
        assert there | set(absent) == everyone
        assert not there & set(absent)
        assert all(time > 0.0 for time in cell["microseconds"].values())
        for peer in PEERS:
            installed = load(peer.module) is not None
            assert (peer.name in there) == installed, absent.get(peer.name)


def test_exact_competitors_differ_by_no_pair(found: Results) -> None:
    for cell in [*found.cells("report"), *found.cells("numpy"), *found.cells("single")]:
        for name in ("scan", "cap", "tree", "auto", "auto_default", "mask"):
            assert cell["differing_pairs"].get(name, 0) == 0


def test_the_share_that_is_reported_is_about_the_share_that_was_asked_for(found: Results) -> None:
    for cell in found.cells("report"):
        assert cell["active"] == pytest.approx(cell["share"], rel=0.5, abs=0.003)


def test_the_sums_agree_with_the_products(found: Results) -> None:
    for cell in found.cells("aggregate"):
        assert cell["gradient_difference"] < 1e-3
        assert set(cell["microseconds"]) == {"two_gemms", "aggregate", "index_aggregate"}


def test_approximate_rivals_have_a_recall_and_the_index_misses_nothing(found: Results) -> None:
    for cell in found.cells("approximate"):
        recalls = {method["method"]: method["recall"] for method in cell["methods"]}
        assert recalls.pop("auto") == 1.0
        assert all(0.0 < recall <= 1.0 for recall in recalls.values())
        assert len([name for name in recalls if name.startswith("SimHash")]) == 5
        assert any(name.startswith("HNSW") for name in recalls) or "hnsw" in cell["absent"]


def test_who_means_to_find_everything_is_asked_the_same_queries(found: Results) -> None:
    for cell in found.cells("approximate"):
        exact = {each["method"]: each for each in cell["exact"]}
        everyone = {"dense", "naive_float32"} | {peer.name for peer in PEERS}
        assert exact.keys() | cell["absent"].keys() >= everyone
        for each in exact.values():
            # a float32 score may round over the threshold, at very few of the pairs
            assert each["recall"] > 0.99 and each["wrong"] <= 1
            assert each["microseconds"] > 0.0
        assert all(
            method["wrong"] == 0 for method in cell["methods"] if "HNSW" not in method["method"]
        )


def test_every_change_of_an_index_is_timed(found: Results) -> None:
    own = {"build", "refit", "update 1 %", "update 10 %", "insert 1 %", "remove 1 %"}
    for cell in found.cells("build"):
        if cell["engine"].startswith("sklearn"):
            assert set(cell["milliseconds"]) == {"build"}
        else:
            assert set(cell["milliseconds"]) == own
            assert cell["memory_ratio"] > 1.0


def test_slopes_have_intervals_beside_the_exponents_of_theory(found: Results) -> None:
    for cell in found.cells("slopes"):
        assert cell["reporting_exponent"] == pytest.approx(1 - 1 / (cell["d"] // 2), abs=1e-3)
        assert cell["partition_tree_exponent"] == pytest.approx(1 - 1 / cell["d"], abs=1e-3)
        estimate, lower, upper = cell["time_slope"]
        assert lower <= estimate <= upper
        assert all(touched >= 0.0 for touched in cell["touched"])


def test_a_limit_is_a_limit(found: Results) -> None:
    rates = [cell for cell in found.cells("limits") if "rate" in cell]
    assert {cell["quantity"] for cell in rates} == {"float32 matrix product", "writing int32"}
    for cell in found.cells("limits"):
        if "rate" not in cell:
            assert cell["least_microseconds"] > 0.0
            assert cell["microseconds"] > 0.0


def test_the_first_answers_of_a_fresh_python_are_timed(found: Results) -> None:
    (row,) = found.cells("startup")
    assert row["start"] == "cached"
    assert set(row["seconds"]) == {"import", "scan", "tree", "cap"}


# What is stored, and where.


def standing_in(monkeypatch: pytest.MonkeyPatch, *, fail: bool = False) -> None:
    """Let two sections measure nothing; the second is interrupted if `fail`."""

    def rows(settings: Settings) -> Generator[dict[str, Any]]:
        yield {"seconds": {"import": 1.0}, "start": "cached"}

    def interrupted(settings: Settings) -> Generator[dict[str, Any]]:
        yield {"seconds": {}, "start": "cold"}
        raise KeyboardInterrupt

    first = Section("startup", "First?", "", lambda settings: 1, rows)
    second = Section("limits", "Second?", "", lambda settings: 2, interrupted if fail else rows)
    for name in list(SECTIONS):
        monkeypatch.delitem(SECTIONS, name)
    monkeypatch.setitem(SECTIONS, "startup", first)
    if fail:
        monkeypatch.setitem(SECTIONS, "limits", second)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place where a clone would keep its results."""
    path = tmp_path / "benchmarks" / "results" / "halfspace.json"
    monkeypatch.setattr(benchmarks, "results_path", lambda name: path)
    return path


def test_a_standard_run_is_stored_in_the_clone(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing_in(monkeypatch)
    result = bench()
    assert result.exit_code == 0, result.output
    assert load_results(path=clone).sections == ("startup",)
    assert "goals reached" in result.output
    assert str(clone) in result.output


@pytest.mark.parametrize("change", [["--quick"], ["--rounds", "1"], ["--no-peers"]])
def test_any_other_run_is_only_printed(
    clone: Path, monkeypatch: pytest.MonkeyPatch, change: list[str]
) -> None:
    standing_in(monkeypatch)
    result = bench(*change)
    assert result.exit_code == 0, result.output
    assert "First?" in result.output
    assert not clone.exists()


def test_an_interrupt_keeps_what_was_finished_and_stores_nothing_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing_in(monkeypatch, fail=True)
    path = tmp_path / "results.json"
    result = bench("--output", str(path))
    assert result.exit_code == 130
    assert f"interrupted: {path} holds startup" in result.output
    assert load_results(path=path).sections == ("startup",)
    assert list(tmp_path.iterdir()) == [path]


def test_measuring_one_section_keeps_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing_in(monkeypatch)
    path = tmp_path / "results.json"
    assert bench("--output", str(path)).exit_code == 0
    first = load_results(path=path)
    other = {"limits": {**first.section("startup"), "question": "Other?"}}
    benchmarks.write_results(merged(first, other), path)
    assert bench("--only", "startup", "--output", str(path)).exit_code == 0
    again = load_results(path=path)
    assert again.sections == ("startup", "limits")
    assert again.section("limits")["question"] == "Other?"


def test_a_foreign_file_is_refused_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object, **more: object) -> None:
        raise AssertionError("it measured")

    monkeypatch.setattr(benchmarks, "run", fail)
    path = tmp_path / "results.json"
    path.write_text('{"schema": 99}', encoding="utf-8")
    result = bench("--quick", "--output", str(path))
    assert result.exit_code == 1
    assert "has schema 99" in result.output
    assert path.read_text(encoding="utf-8") == '{"schema": 99}'


@pytest.mark.parametrize("asked", [(), ("--quiet",)])
def test_a_run_shows_a_bar_on_a_terminal_unless_it_is_asked_to_be_quiet(
    asked: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    small = ("--dimensions", "3", "--widths", "64", "--shares", "0.1", "--rounds", "1")
    command = ["bench", "halfspace", "--quick", "--no-peers", "--only", "single", *small, *asked]
    # The runner of click 8.1 does not keep the two streams apart.
    assert not main(command, standalone_mode=False)
    assert ("single: 100%" in capsys.readouterr().err) == (not asked)


def test_an_inexact_answer_ends_the_run_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def differ(*arguments: object, **more: object) -> None:
        raise benchmarks.InexactAnswer("tree and scan differ at tau = 0.5")

    monkeypatch.setattr(benchmarks, "run", differ)
    result = bench("--quick")
    assert result.exit_code == 1
    assert "tree and scan differ" in result.output


def test_the_options_reach_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def remember(name: str, settings: Settings, sections: Any, **more: object) -> Results:
        seen.extend([settings, sections])
        return merged(None, {})

    monkeypatch.setattr(benchmarks, "run", remember)
    monkeypatch.setattr(benchmarks, "section_tables", lambda results, name: [])
    grid = ["--dimensions", "3,8", "--widths", "2^12, 5000", "--shares", "0.5,1e-3"]
    more = ["--queries", "7", "--rounds", "2", "--seconds-per-cell", "0.5", "--no-peers"]
    result = bench(*grid, *more, "--only", "single", "--only", "report")
    assert result.exit_code == 0, result.output
    settings, sections = seen
    assert settings == Settings(
        dimensions=(3, 8),
        widths=(4096, 5000),
        shares=(0.5, 0.001),
        queries=7,
        rounds=2,
        seconds_per_cell=0.5,
        peers=False,
    )
    assert sections == ("single", "report")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dimensions", "three"], "'three' is not a list of whole numbers such as 3,2^16"),
        (["--dimensions", "1"], "dimensions must be"),
        (["--widths", "2^x"], "'2^x' is not a list of whole numbers"),
        (["--shares", "a"], "'a' is not a list of numbers such as 0.001,0.1"),
        (["--shares", "0^-1"], "'0^-1' is not a list of numbers"),
        (["--shares", "2"], "shares must be"),
        (["--queries", "0"], "queries must be"),
        (["--only", "everything"], "'everything' is not one of"),
    ],
)
def test_a_bad_call_says_what_is_allowed(arguments: list[str], message: str) -> None:
    result = bench(*arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_a_section_that_does_not_exist_is_named() -> None:
    with pytest.raises(ValueError, match="sections must be one of"):
        benchmarks.run("halfspace", Settings.short(), ["other"], progress=False)


def test_stored_rows_are_plain_json(found: Results) -> None:
    assert json.loads(json.dumps(found.data)) == found.data

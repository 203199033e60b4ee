"""Short runs of both benchmarks through the command: every section, every row, what is stored."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import benchmarks
import benchmarks.command  # it reads the names of the sections, which some tests replace
from benchmarks import Results, load_results, merged
from benchmarks.iteration import OWN, REGIMES
from benchmarks.peers import PEERS, load
from benchmarks.queries import InexactAnswer
from benchmarks.registry import BENCHMARKS
from benchmarks.settings import Section, Settings
from sublinear_lib.cli import main
from sublinear_lib.training.history import PHASES

pytestmark = pytest.mark.thorough

SECTIONS = BENCHMARKS["halfspace"].sections
RIVALS = {"dense", "alive", "dense_rows", "torch"}


def bench(name: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", name, *arguments], terminal_width=200)


@pytest.fixture(scope="module", params=list(BENCHMARKS))
def short(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a short run says and stores."""
    path = tmp_path_factory.mktemp("bench") / "results.json"
    result = bench(request.param, "--quick", "--output", str(path))
    assert result.exit_code == 0, result.output
    return result.output, load_results(request.param, path=path)


def test_a_short_run_stores_every_section_shows_it_and_judges_nothing(short: Any) -> None:
    output, found = short
    benchmark = BENCHMARKS[found.benchmark]
    assert found.sections == tuple(benchmark.sections)
    captions = []
    for name, section in benchmark.sections.items():
        assert len(found.cells(name)) == section.steps(benchmark.short), name
        stored = found.section(name)
        assert (stored["question"], stored["baseline"]) == (section.question, section.baseline)
        assert stored["settings"] == benchmark.short.as_json()
        captions += [table.caption for table in benchmarks.section_tables(found, name)]
    assert all(caption in output for caption in captions)
    assert len(set(captions)) == len(captions), "tables of a page have names of their own"
    assert "goals reached" not in output
    assert json.loads(json.dumps(found.data)) == found.data
    {"halfspace": halfspace_is_measured, "training": training_is_measured}[found.benchmark](found)


def halfspace_is_measured(found: Results) -> None:
    everyone = {"dense", "gemm", "naive_float32", "naive_float64", "scan", "cap", "tree", "auto"}
    everyone |= {"auto_default", "count", "mask"} | {peer.name for peer in PEERS}
    for cell in found.cells("report"):
        there, absent = set(cell["microseconds"]), cell["absent"]
        assert there | set(absent) == everyone and not there & set(absent)
        assert min(cell["microseconds"].values()) > 0.0
        for peer in PEERS:
            assert (peer.name in there) == (load(peer.module) is not None)
        assert cell["active"] == pytest.approx(cell["share"], rel=0.5, abs=0.003)
    for cell in [*found.cells("report"), *found.cells("numpy"), *found.cells("single")]:
        for name in ("scan", "cap", "tree", "auto", "auto_default", "mask"):
            assert cell["differing_pairs"].get(name, 0) == 0
    for cell in found.cells("aggregate"):
        assert cell["gradient_difference"] < 1e-3
        assert set(cell["microseconds"]) == {"two_gemms", "aggregate", "index_aggregate"}
    for cell in found.cells("approximate"):
        methods = {each["method"]: each for each in cell["methods"]}
        assert methods["auto"]["recall"] == 1.0
        assert all(0.0 < each["recall"] <= 1.0 for each in methods.values())
        assert len([name for name in methods if name.startswith("SimHash")]) == 5
        assert any(name.startswith("HNSW") for name in methods) or "hnsw" in cell["absent"]
        exact = {each["method"]: each for each in cell["exact"]}
        assert exact.keys() | cell["absent"].keys() >= {"dense", *(peer.name for peer in PEERS)}
        # a float32 score may round over the threshold, at very few of the pairs
        assert all(each["recall"] > 0.99 and each["wrong"] <= 1 for each in exact.values())
        assert all(each["wrong"] == 0 for name, each in methods.items() if "HNSW" not in name)
    own = {"build", "refit", "update 1 %", "update 10 %", "insert 1 %", "remove 1 %"}
    for cell in found.cells("build"):
        peer = cell["engine"].startswith("sklearn")
        assert set(cell["milliseconds"]) == ({"build"} if peer else own)
        assert peer or cell["memory_ratio"] > 1.0
    for cell in found.cells("slopes"):
        assert cell["reporting_exponent"] == pytest.approx(1 - 1 / (cell["d"] // 2), abs=1e-3)
        assert cell["partition_tree_exponent"] == pytest.approx(1 - 1 / cell["d"], abs=1e-3)
        estimate, lower, upper = cell["time_slope"]
        assert lower <= estimate <= upper
    for cell in found.cells("limits"):
        assert cell.get("rate", 1.0) > 0.0 and cell.get("least_microseconds", 1.0) > 0.0
    (row,) = found.cells("startup")
    assert (row["start"], set(row["seconds"])) == ("cached", {"import", "scan", "tree", "cap"})


def training_is_measured(found: Results) -> None:
    for cell in found.cells("iteration"):
        there, absent, pairs = set(cell["microseconds"]), cell["absent"], cell["n"] * cell["m"]
        assert there | set(absent) == {*OWN, *RIVALS} and not there & set(absent)
        assert min(cell["microseconds"].values()) > 0.0
        assert ("torch" in there) == (load("torch") is not None)
        assert cell["checked_pairs"] == pairs
        assert cell["differing_pairs"] == dict.fromkeys(there - RIVALS, 0)
        assert max(cell["output_difference"].values()) < 1e-3
        # five values with gradients and one value, then the forward and the backward pass
        wanted = {"query": 0, "adversary": 11 * pairs, "forward": pairs, "backward": pairs}
        assert cell["work"]["dense_float64"] == pytest.approx(wanted, rel=1e-3)
        assert set(cell["phases"]["auto"]) == set(PHASES)
        for name, active in cell["active"].items():
            assert active == pytest.approx(cell["share"], rel=0.3)
            drift = cell["active_last"][name] / cell["active_first"][name]
            assert abs(drift - 1.0) <= 0.005 * cell["steps"][name]
            assert active <= min(cell["candidates"][name], cell["touched"][name]) * (1 + 1e-3)
            assert cell["touched"][name] <= cell["alive"] * (1 + 1e-3)
    assert {cell["eta_part"] for cell in found.cells("steps")} == {0.02, 1.0}
    active = {}
    for cell in found.cells("scaling"):
        assert cell["regime"] in REGIMES
        shape = (cell["seeds"], len(cell["widths"]))
        assert np.array(cell["microseconds_by_seed"]).shape == shape
        estimate, lower, upper = cell["microseconds_slope"]
        assert lower <= estimate <= upper
        assert ("work_slope" in cell) == (cell["competitor"] != "dense")
        if cell["competitor"] == "query":
            active[cell["regime"]] = np.array(cell["active_by_seed"])
    assert (active["R3"] > 5.0 * active["0.1 %"]).all(), "more fire with the repaired threshold"
    assert (active["R3"][:, 1] > active["R3"][:, 0]).all()
    for cell in found.cells("memory"):
        weights = 8.0 * cell["d"] * np.array(cell["widths"])
        held = np.array(cell["held_by_seed"])
        assert (held >= weights).all() and (np.array(cell["peak_by_seed"]) >= held).all()


# What is stored, and where.


def standing_in(monkeypatch: pytest.MonkeyPatch, *, fail: bool = False) -> None:
    """Let one section measure nothing; a second one is interrupted if `fail`."""

    def rows(settings: Settings) -> Generator[dict[str, Any]]:
        yield {"seconds": {"import": 1.0}, "start": "cached"}

    def interrupted(settings: Settings) -> Generator[dict[str, Any]]:
        yield {"seconds": {}, "start": "cold"}
        raise KeyboardInterrupt

    for name in list(SECTIONS):
        monkeypatch.delitem(SECTIONS, name)
    monkeypatch.setitem(SECTIONS, "startup", Section("startup", "First?", "", lambda s: 1, rows))
    if fail:
        second = Section("limits", "Second?", "", lambda settings: 2, interrupted)
        monkeypatch.setitem(SECTIONS, "limits", second)


@pytest.mark.parametrize("change", [[], ["--quick"], ["--rounds", "1"], ["--no-peers"]])
def test_a_standard_run_is_stored_in_the_clone_and_any_other_only_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: list[str]
) -> None:
    clone = tmp_path / "benchmarks" / "results" / "halfspace.json"
    monkeypatch.setattr(benchmarks, "results_path", lambda name: clone)
    standing_in(monkeypatch)
    result = bench("halfspace", *change)
    assert result.exit_code == 0, result.output
    assert "First?" in result.output
    assert ("goals reached" in result.output) == (change != ["--quick"])
    assert (f"stored in {clone}" in result.output) == clone.exists() == (not change)


def test_an_interrupt_keeps_what_was_finished_and_one_section_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing_in(monkeypatch, fail=True)
    path = tmp_path / "results.json"
    result = bench("halfspace", "--output", str(path))
    assert result.exit_code == 130
    assert f"interrupted: {path} holds startup" in result.output
    first = load_results(path=path)
    assert first.sections == ("startup",)
    assert list(tmp_path.iterdir()) == [path]
    other = {"limits": {**first.section("startup"), "question": "Other?"}}
    benchmarks.write_results(merged(first, other), path)
    assert bench("halfspace", "--only", "startup", "--output", str(path)).exit_code == 0
    again = load_results(path=path)
    assert again.sections == ("startup", "limits")
    assert again.section("limits")["question"] == "Other?"


def test_a_foreign_file_is_refused_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = '{"schema": 2, "benchmark": "training", "sections": {}}'
    monkeypatch.setattr(benchmarks, "run", None)
    path = tmp_path / "results.json"
    path.write_text(content, encoding="utf-8")
    result = bench("halfspace", "--quick", "--output", str(path))
    assert result.exit_code == 1
    wanted = "must hold results of the benchmark 'halfspace', got 'training'"
    assert wanted in result.output
    assert path.read_text(encoding="utf-8") == content


def test_an_inexact_answer_ends_the_run_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def differ(*arguments: object, **more: object) -> None:
        raise InexactAnswer("tree and scan differ at tau = 0.5")

    monkeypatch.setattr(benchmarks, "run", differ)
    result = bench("halfspace", "--quick")
    assert result.exit_code == 1
    assert "tree and scan differ" in result.output


@pytest.mark.parametrize(
    ("name", "batch"), [("halfspace", "--queries"), ("training", "--examples")]
)
def test_the_options_reach_the_settings(
    monkeypatch: pytest.MonkeyPatch, name: str, batch: str
) -> None:
    seen: list[Any] = []

    def remember(name: str, settings: Settings, sections: Any, **more: object) -> Results:
        seen.extend([settings, sections])
        return merged(None, {}, name)

    monkeypatch.setattr(benchmarks, "run", remember)
    monkeypatch.setattr(benchmarks, "section_tables", lambda results, name: [])
    grid = ["--dimensions", "3,8", "--widths", "2^12, 5000", "--shares", "0.5,1e-3"]
    more = [batch, "7", "--rounds", "2", "--seconds-per-cell", "0.5", "--no-peers"]
    sections = list(BENCHMARKS[name].sections)[:2]
    result = bench(name, *grid, *more, "--only", sections[1], "--only", sections[0])
    assert result.exit_code == 0, result.output
    asked = {"dimensions": (3, 8), "widths": (4096, 5000), "shares": (0.5, 0.001), "queries": 7}
    wanted = Settings(**asked, rounds=2, seconds_per_cell=0.5, peers=False)
    assert seen == [wanted, (sections[1], sections[0])]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dimensions", "three"], "'three' is not a list of whole numbers such as 3,2^16"),
        (["--dimensions", "1"], "dimensions must be"),
        (["--widths", "2^x"], "'2^x' is not a list of whole numbers"),
        (["--widths", "32"], "widths must be"),
        (["--shares", "0^-1"], "'0^-1' is not a list of numbers such as 0.001,0.1"),
        (["--shares", "2"], "shares must be"),
        (["--queries", "0"], "queries must be"),
        (["--seconds-per-cell", "0"], "seconds_per_cell must be"),
        (["--only", "everything"], "'everything' is not one of"),
    ],
)
def test_a_bad_call_says_what_is_allowed(arguments: list[str], message: str) -> None:
    result = bench("halfspace", *arguments)
    assert result.exit_code == 2
    assert message in result.output

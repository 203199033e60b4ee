"""The campaigns of reliability find what is planted, and the record says what they found.

The index, the trainer and the certificates have tests of their own; here the campaigns run for a
moment, and the stored record of the long ones is read.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import reliability
from sublinear_lib.network import TwoLayerNetwork

ROOT = Path(__file__).parents[2]
PACKAGE = "benchmarks.reliability"


@pytest.fixture
def script() -> Any:
    return importlib.import_module("benchmarks.reliability.__main__")


# -- the stored record -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    return reliability.load_reliability()


def test_the_stored_campaigns_are_those_of_the_library(record: dict[str, Any]) -> None:
    for name, held in record["campaigns"].items():
        assert held["environment"]["versions"]["numpy"]
        if name == "notebooks":
            continue
        campaign = reliability.CAMPAIGNS[name]
        assert (held["question"], held["size"]) == (campaign.question, campaign.size)
        assert {*map(int, held["chunks"])} <= {*range(campaign.chunks)}, name


def test_the_stored_campaigns_found_nothing(record: dict[str, Any]) -> None:
    held = record["campaigns"]
    assert {"queries", "soundness", "damage"} <= set(held)
    assert sum(len(campaign["chunks"]) for campaign in held.values()) >= 20
    for name, campaign in held.items():
        found = reliability.total(campaign)
        amount = campaign["size"] * len(campaign["chunks"])
        if name == "queries":
            assert found["queries"] >= amount
            assert found["ties"] > 1000, "ties must be met, or they were not tested"
            assert {"duplicates", "denormal", "huge"} <= set(found["by_family"])
        elif name == "histories":
            assert found["steps"] == amount
            assert {"insert", "remove", "update", "query"} <= set(found["operations"])
        elif name == "soundness":
            assert (found["networks"], found["wrong networks"]) == (amount, 0)
            assert found["with an exact method"] == 0.8 * amount
        elif name == "kills":
            assert found["kills"] == amount
            assert found["same weights"]
            assert found["same history"]
            assert found["other files"] == []
        assert found.get("mismatches", 0) == 0
        assert found.get("findings", []) == found.get("violations", []) == []


def test_the_weights_after_all_kills_are_the_same_for_every_search(record: dict[str, Any]) -> None:
    chunks = record["campaigns"].get("kills", {"chunks": {}})["chunks"].values()
    assert len({chunk["found"]["weights"] for chunk in chunks}) <= 1
    assert {chunk["found"]["index"] for chunk in chunks} <= set(reliability.SEARCHES)


def test_the_tables_say_what_the_record_says(record: dict[str, Any]) -> None:
    rates = {row[0]: row for row in reliability.rate_table(record).rows}
    assert set(rates) == set(reliability.CAMPAIGNS) & set(record["campaigns"])
    for name, row in rates.items():
        pieces = record["campaigns"][name]["chunks"]
        assert row[4] == f"{len(pieces)} of {reliability.CAMPAIGNS[name].chunks}"
        assert row[2] == "0", name
        trials = int("".join(letter for letter in row[1] if letter.isdigit()))
        # With no failure the bound is 1 - 0.05^(1/n), about 3 / n.
        assert float(row[3]) == pytest.approx(1 - 0.05 ** (1 / trials), rel=0.05)
        assert len(reliability.part_table(record, name).rows) == len(pieces)
    families = reliability.part_table(record, "queries", "by_family")
    numbers = [int(number.replace(" ", "")) for _, number in families.rows]
    assert sum(numbers) == reliability.total(record["campaigns"]["queries"])["queries"]
    assert {row[0] for row in reliability.where_table(record).rows} == set(record["campaigns"])
    nothing = reliability.part_table(reliability.new_record(), "kills")
    assert nothing.rows == []
    assert "not run yet" in nothing.caption


def test_a_failure_is_counted_and_raises_the_bound(record: dict[str, Any]) -> None:
    spoiled = json.loads(json.dumps(record))
    chunk = next(iter(spoiled["campaigns"]["queries"]["chunks"].values()))
    chunk["found"]["mismatches"] = 2
    kills = {"kills": 25, "steps": 9, "same history": True, "other files": []}
    spoiled["campaigns"]["kills"] = {
        "chunks": {
            "0": {"found": {**kills, "same weights": True}},
            "1": {"found": {**kills, "same weights": False}},
        }
    }
    rates = {row[0]: row for row in reliability.rate_table(spoiled).rows}
    assert rates["queries"][2] == "2"
    assert rates["kills"][1:3] == ["50 kills", "25"]
    assert rates["kills"][4:6] == ["2 of 4", "18 steps"]
    assert float(rates["kills"][3]) > 0.5
    assert reliability.largest_rate(2, 1000) > 0.002


# -- the campaigns ---------------------------------------------------------------------------------


def test_a_campaign_goes_on_with_the_chunks_that_are_missing(script: Any, tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    asked = ["--only", "damage", "--size", "5", "--output", str(path)]
    script.main([*asked, "--chunks", "0"])
    first = reliability.load_reliability(path)["campaigns"]["damage"]["chunks"]
    script.main([*asked, "--chunks", "0", "1"])
    both = reliability.load_reliability(path)["campaigns"]["damage"]["chunks"]
    assert list(both) == ["0", "1"]
    assert both["0"] == first["0"]
    with pytest.raises(ValueError, match="size must be that of the chunks held, 5, got 6"):
        script.main(["--only", "damage", "--size", "6", "--output", str(path)])
    script.main(
        ["--only", "damage", "--size", "6", "--chunks", "0", "--renew", "--output", str(path)]
    )
    renewed = reliability.load_reliability(path)["campaigns"]["damage"]
    assert (renewed["size"], list(renewed["chunks"])) == (6, ["0"])


@pytest.mark.parametrize("bad", [["--size", "0"], ["--chunks", "0", "-1"]])
def test_a_wrong_call_forgets_nothing(script: Any, bad: list[str], tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    asked = ["--only", "damage", "--size", "5", "--chunks", "0", "--output", str(path)]
    script.main(asked)
    before = path.read_bytes()
    with pytest.raises(SystemExit):
        script.main([*asked, "--renew", *bad])
    assert path.read_bytes() == before


def test_a_refused_campaign_leaves_the_record_as_it_was() -> None:
    record = reliability.new_record()
    with pytest.raises(ValueError, match="chunks must be an integer >= 0, got -1"):
        reliability.run_campaign(record, "damage", size=1, chunks=[0, -1])
    assert record == reliability.new_record()


def test_steps_that_are_lost_little_by_little_over_several_lives_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = iter([[10], [9], [7]])

    class Lives:
        def Pipe(self, *, duplex: bool) -> Any:
            steps = iter(next(told))

            def recv() -> int:
                for step in steps:
                    return step
                raise EOFError

            close = SimpleNamespace(close=lambda: None)
            return SimpleNamespace(recv=recv, close=close.close), close

        def Process(self, **unused: Any) -> Any:
            nothing = dict.fromkeys(("start", "kill", "join", "close"), lambda: None)
            return SimpleNamespace(exitcode=-9, **nothing)

    monkeypatch.setattr(importlib.import_module(f"{PACKAGE}.killing"), "_lives", Lives)
    with pytest.raises(RuntimeError, match="life 2 began at step 7, but 10 was done"):
        reliability.kills(0, 3, tmp_path)


def test_queries_and_histories_say_what_the_fuzz_has_compared() -> None:
    found = reliability.queries(5, 20)
    assert (found["mismatches"], found["findings"]) == (0, [])
    assert sum(found["by_structure"].values()) == sum(found["by_family"].values())
    assert found["queries"] == sum(found["by_structure"].values()) >= 20
    lives = reliability.histories(4, 50)
    assert lives["index"].startswith("scan/")
    assert (lives["lives"], lives["longest"], lives["steps"]) == (5, 10, 50)
    assert sum(lives["operations"].values()) == 50
    assert lives == reliability.histories(4, 50)


def test_a_fuzz_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    trials = importlib.import_module(f"{PACKAGE}.index_trials")
    monkeypatch.setattr(trials, "_ENGINES", ("nobody",) * 4)
    found = reliability.histories(4, 50)
    assert found["mismatches"] == 1
    assert "invalid choice: 'nobody/" in found["findings"][0]


@pytest.mark.parametrize("kind", reliability.KINDS)
def test_damaged_files_are_refused_by_name(kind: str, tmp_path: Path) -> None:
    found = reliability.damage(list(reliability.KINDS).index(kind), 25, tmp_path)
    assert found["file"] == kind
    assert found["findings"] == []
    assert found["refused"] > 0
    assert found["another error"] == 0
    if found["checked"]:
        assert found["something else"] == 0


def test_a_reader_that_looks_away_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module = importlib.import_module(f"{PACKAGE}.damaging")
    good = module.KINDS["network"]

    def careless(path: Path) -> TwoLayerNetwork:
        try:
            return TwoLayerNetwork.load(path)
        except ValueError:
            return TwoLayerNetwork.initialize(20, 3, rng=1, tau=0.1)

    bad = module.FileKind("network", True, good.write, careless)
    monkeypatch.setattr(module, "KINDS", {"network": bad})
    assert reliability.damage(0, 10, tmp_path)["something else"] > 0


def test_every_network_of_the_campaign_can_be_drawn_again() -> None:
    module = importlib.import_module(f"{PACKAGE}.brackets")
    dimensions = []
    for seed in range(20):
        network, x, rho = module.problem(seed)
        assert module.problem(seed)[0] == network
        assert x.shape == (1, network.d)
        assert rho > 0
        dimensions.append(network.d)
    assert {3, 4} < set(dimensions)
    assert max(dimensions) > 4


# -- one core and two ------------------------------------------------------------------------------


def test_a_notebook_that_depends_on_the_cores_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import compare_cores

    def on(path: Path, cores: int, threads: int) -> str:
        return {"same": "text", "threads": f"{threads}", "cores": f"{cores}"}[path.stem]

    monkeypatch.setattr(compare_cores, "text_on", on)
    for name, stored in (("same", "text"), ("threads", "1"), ("cores", "2")):
        (tmp_path / f"{name}.ipynb").write_text(stored)
    one, two, other = compare_cores.RUNS
    held = reliability.new_record()
    paths = [tmp_path / f"{name}.ipynb" for name in ("same", "threads", "cores")]
    stored: list[str] = []
    compare_cores.compare_missing(held, lambda record: stored.append(json.dumps(record)), paths)
    found = [chunk["found"] for chunk in held["campaigns"]["notebooks"]["chunks"].values()]
    assert found == [
        {one: True, two: True},
        {one: True, two: False, other: True},
        {one: False, two: True},
    ]
    assert len(stored) == 7
    # What was stored in between is gone on with.
    again = json.loads(stored[3])
    compare_cores.compare_missing(again, lambda record: stored.append(""), paths)
    assert len(stored) == 7 + 3
    assert [chunk["found"] for chunk in again["campaigns"]["notebooks"]["chunks"].values()] == found
    table = reliability.notebook_table(held)
    assert sorted(row[1:] for row in table.rows) == [
        ["differs", "same", "not asked"],
        ["same", "differs", "same"],
        ["same", "same", "not asked"],
    ]


@pytest.mark.skipif(not hasattr(importlib.import_module("os"), "sched_setaffinity"), reason="Linux")
def test_a_notebook_is_really_run_on_so_many_cores(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import os

    import compare_cores
    import run_notebooks

    seen = []

    def fresh(path: Path) -> str:
        seen.append((len(os.sched_getaffinity(0)), run_notebooks.kernel_environment()))
        return "text"

    monkeypatch.setattr(run_notebooks, "fresh", fresh)
    before = os.sched_getaffinity(0)
    assert compare_cores.text_on(tmp_path / "x.ipynb", 1, 1) == "text"
    if len(before) > 1:
        compare_cores.text_on(tmp_path / "x.ipynb", 2, 2)
    assert os.sched_getaffinity(0) == before
    assert [cores for cores, _ in seen] == [1, 2][: len(seen)]
    assert [own["OMP_NUM_THREADS"] for _, own in seen] == ["1", "2"][: len(seen)]
    with pytest.raises(OSError, match="cores are needed"):
        compare_cores.text_on(tmp_path / "x.ipynb", 4096, 1)

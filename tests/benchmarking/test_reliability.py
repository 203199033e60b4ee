"""The campaigns of reliability find what is planted, and the record says what they found.

The index, the trainer and the certificates have tests of their own; here the campaigns run for a
moment, and the stored record of the long ones is read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import reliability
from benchmarks.reliability import __main__ as script
from benchmarks.reliability import damaging
from benchmarks.reliability import record as campaigns
from sublinear_lib.network import TwoLayerNetwork


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    return reliability.load_reliability()


def test_the_stored_campaigns_are_those_of_the_library_and_found_nothing(
    record: dict[str, Any],
) -> None:
    held = record["campaigns"]
    assert {"queries", "soundness", "damage"} <= set(held)
    assert sum(len(campaign["chunks"]) for campaign in held.values()) >= 20
    for name, stored in held.items():
        assert stored["environment"]["versions"]["numpy"]
        found = reliability.total(stored)
        assert found.get("mismatches", 0) == found.get("wrong networks", 0) == 0
        assert found.get("findings", []) == found.get("violations", []) == []
        assert found.get("same weights", True) and found.get("same history", True)
        assert found.get("other files", []) == []
        if name != "notebooks":
            campaign = reliability.CAMPAIGNS[name]
            assert (stored["question"], stored["size"]) == (campaign.question, campaign.size)
            assert {*map(int, stored["chunks"])} <= {*range(campaign.chunks)}, name
    asked = reliability.total(held["queries"])
    assert asked["queries"] >= held["queries"]["size"] * len(held["queries"]["chunks"])
    assert asked["ties"] > 1000, "ties must be met, or they were not tested"
    assert {"duplicates", "denormal", "huge"} <= set(asked["by_family"])


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


def test_a_campaign_goes_on_with_the_chunks_that_are_missing(tmp_path: Path) -> None:
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


def test_what_is_stored_by_default_is_the_record_of_the_clone(
    record: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert script.main(["--list"]) == record
    assert f"damage: {len(reliability.KINDS)} chunks" in capsys.readouterr().out
    for wrong in (["--size", "0"], ["--chunks", "1", "-1"]):
        with pytest.raises(SystemExit):
            script.main([*wrong, "--only", "damage"])


def test_queries_and_histories_say_what_the_fuzz_has_compared(tmp_path: Path) -> None:
    found = reliability.queries(5, 20, tmp_path)
    assert (found["mismatches"], found["findings"]) == (0, [])
    assert sum(found["by_structure"].values()) == sum(found["by_family"].values())
    assert found["queries"] == sum(found["by_structure"].values()) >= 20
    lives = reliability.histories(4, 50, tmp_path)
    assert lives["index"].startswith("scan/")
    assert (lives["lives"], lives["longest"], lives["steps"]) == (5, 10, 50)
    assert sum(lives["operations"].values()) == 50
    assert lives == reliability.histories(4, 50, tmp_path)


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
    good = damaging.KINDS["network"]

    def careless(path: Path) -> TwoLayerNetwork:
        try:
            return TwoLayerNetwork.load(path)
        except ValueError:
            return TwoLayerNetwork.initialize(20, 3, rng=1, tau=0.1)

    bad = damaging.FileKind("network", True, good.write, careless)
    monkeypatch.setattr(damaging, "KINDS", {"network": bad})
    assert reliability.damage(0, 10, tmp_path)["something else"] > 0


def test_a_fuzz_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(campaigns, "_ENGINES", ("nobody",) * 4)
    found = reliability.histories(4, 50, tmp_path)
    assert found["mismatches"] == 1
    assert "invalid choice: 'nobody/" in found["findings"][0]


def test_a_notebook_that_depends_on_the_cores_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import compare_cores

    def on(path: Path, cores: int, threads: int) -> str:
        return {"same": "text", "threads": f"{threads}", "cores": f"{cores}"}[path.stem]

    monkeypatch.setattr(compare_cores, "text_on", on)
    paths = [tmp_path / f"{name}.ipynb" for name in ("same", "threads", "cores")]
    for path, text in zip(paths, ("text", "1", "2"), strict=True):
        path.write_text(text)
    held = reliability.new_record()
    compare_cores.compare_missing(held, lambda record: None, paths)
    assert sorted(row[1:] for row in reliability.notebook_table(held).rows) == [
        ["differs", "same", "not asked"],
        ["same", "differs", "same"],
        ["same", "same", "not asked"],
    ]

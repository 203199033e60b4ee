"""The benchmark on digits runs, and its stored result is still what the code computes."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from sublinear_lib import datasets

pytest.importorskip("threadpoolctl")

ROOT = Path(__file__).parents[2]
STORED = ROOT / "benchmarks" / "results" / "digits_iteration.json"


@pytest.fixture(scope="module")
def benchmark():
    path = ROOT / "benchmarks" / "digits_iteration.py"
    spec = importlib.util.spec_from_file_location("digits_iteration", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_benchmark_runs_and_writes_its_result(benchmark, tmp_path, capsys):
    output = tmp_path / "deep" / "result.json"
    arguments = ["--widths", "128", "--activities", "0.1", "--radii", "0.1"]
    benchmark.main([*arguments, "--rounds", "1", "--steps", "1", "--output", str(output)])
    report = json.loads(output.read_text())
    assert "ratio" in capsys.readouterr().out
    (cell,) = report["results"]
    assert cell["active_counts_equal"]
    assert cell["largest_weight_difference"] < 1e-12
    assert cell["steps_timed"] == 1
    assert set(report) == {"question", "date", "machine", "versions", "settings", "results"}


def test_the_stored_result_answers_the_question_for_all_widths():
    report = json.loads(STORED.read_text())
    settings = report["settings"]
    assert (settings["n"], settings["d"], settings["attack_steps"]) == (357, 65, 5)
    assert settings["threads"] == 1
    cells = {(c["m"], c["target_activity"], c["rho"]): c for c in report["results"]}
    assert set(cells) == {
        (m, p, rho) for m in (4096, 16384, 65536) for p in (0.01, 0.1) for rho in (0.1, 0.2)
    }
    for key, cell in cells.items():
        assert cell["largest_weight_difference"] <= 1e-12, key
        assert cell["active_counts_equal"], key
        for clock in ("wall", "processor"):
            seconds = cell["seconds_per_step"][clock]
            ratio = seconds["dense"] / seconds["sparse"]
            assert cell["seconds_ratio"][clock] == pytest.approx(ratio), key
        dense = cell["work_per_step"]["dense"]
        assert dense["adversary"] == 11 * 357 * cell["m"], key
        assert sum(dense.values()) == 13 * 357 * cell["m"], key


def test_the_stored_counts_are_those_of_the_code(benchmark):
    report = json.loads(STORED.read_text())
    stored = next(c for c in report["results"] if (c["m"], c["target_activity"]) == (4096, 0.01))
    steps = report["settings"]["steps_per_round"]
    data = datasets.load("digits-3v8")
    fresh = benchmark.measure(data, 4096, 0.01, stored["rho"], rounds=1, steps=steps)
    for name in ("tau", "activity_mean", "candidates_share", "touched_share"):
        assert fresh[name] == pytest.approx(stored[name], rel=1e-3), name
    for part in ("adversary", "forward", "backward"):
        assert np.allclose(
            fresh["work_per_step"]["sparse"][part],
            stored["work_per_step"]["sparse"][part],
            rtol=1e-2,
        ), part

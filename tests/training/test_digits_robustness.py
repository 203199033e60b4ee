"""The study of accuracy on digits runs, and its stored record is complete and coherent."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import digits_robustness as study
from sublinear_lib import statistics

ROOT = Path(__file__).parents[2]
STORED = ROOT / "benchmarks" / "results" / "digits_robustness.json"
SHORT = ["--m", "64", "--steps", "3", "--draws", "2", "--certify", "2"]
SHORT += ["--activities", "0.5", "0.2"]


@pytest.fixture(scope="module")
def stored():
    return json.loads(STORED.read_text(encoding="utf-8"))


@pytest.mark.thorough
def test_the_study_runs_and_writes_the_same_bytes_again(tmp_path, capsys):
    texts = []
    for name in ("one", "two"):
        output = tmp_path / "deep" / f"{name}.json"
        study.main([*SHORT, "--output", str(output)])
        texts.append(output.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    report = json.loads(texts[0])
    forms = [("both", 0.5), ("jump", 0.2), ("continuous", 0.2)]
    assert [(r["activation"], r["activity"], r["draw"]) for r in report["records"]] == [
        (*form, draw) for form in forms for draw in (0, 1)
    ]
    assert len(report["table"]) == 3 * len(study.TRAINERS)
    assert "smoothed" in capsys.readouterr().out


def test_the_table_is_made_of_the_records(stored):
    made = study.table(stored["records"])
    # Before 1.17 SciPy searches for the quantile of Student's law, and stops after some ten digits.
    # It stretches an interval and touches nothing else.
    for old, new in zip(stored["table"], made, strict=True):
        assert list(old) == list(new)
        for measure, found in old.items():
            if isinstance(found, list):
                mean, *ends = found
                assert new[measure][0] == mean, measure
                room = 1e-10 * (ends[1] - mean)
                assert new[measure][1:] == pytest.approx(ends, rel=1e-15, abs=room), measure
            else:
                assert new[measure] == found, measure
    row = next(r for r in made if r["trained"] == "smoothed")
    here = [
        r["smoothed_clean"]
        for r in stored["records"]
        if (r["activation"], r["activity"]) == (row["activation"], row["activity"])
    ]
    interval = statistics.t_interval(here)
    assert row["clean"] == [interval.estimate, interval.lower, interval.upper]


def test_the_record_holds_every_cell(stored):
    settings = stored["settings"]
    assert (settings["m"], settings["steps"], settings["rho"]) == (2000, 150, 0.2)
    assert (settings["train"], settings["test"]) == (200, 157)
    assert settings["draws"] >= 3
    assert settings["training"] == {name: repr(a) for name, a in study.TRAINERS.items()}
    assert settings["tests"] == {name: repr(a) for name, a in study.TESTS.items()}
    wanted = [
        (*network, draw)
        for network in study.networks(study.ACTIVITIES)
        for draw in range(settings["draws"])
    ]
    assert [(r["activation"], r["activity"], r["draw"]) for r in stored["records"]] == wanted


def test_attacks_never_help_and_certificates_never_exceed_them(stored):
    for record in stored["records"]:
        for name in ("standard", "plain", "smoothed"):
            for attack in ("plain", "smoothed"):
                assert record[f"{name}_{attack}"] <= record[f"{name}_clean"]
                right = record[f"{name}_{attack}"] * stored["settings"]["test"]
                assert right == pytest.approx(round(right), abs=1e-9)
        for name in ("standard", "smoothed"):
            assert record[f"{name}_certified"] <= record[f"{name}_not_falsified"]


def test_activity_starts_at_its_target_and_stays_near_it(stored):
    for record in stored["records"]:
        for name in ("standard", "plain", "smoothed"):
            assert abs(record[f"{name}_fires"] - record["activity"]) < 0.06, record


@pytest.mark.thorough
def test_one_stored_cell_is_what_the_code_computes(stored):
    wanted = {"activation": "jump", "activity": 0.01, "draw": 0}
    [old] = [r for r in stored["records"] if wanted.items() <= r.items()]
    new = study.cell(("jump", 0.01), 0, np.random.default_rng(0), certify=2)
    images = stored["settings"]["test"]
    for name in ("standard", "plain", "smoothed"):
        # A neuron that switches by a rounding error may turn an image or two.
        for measure in ("clean", "plain", "smoothed"):
            key = f"{name}_{measure}"
            assert abs(new[key] - old[key]) * images < 3.5, key
        assert new[f"{name}_loss"] == pytest.approx(old[f"{name}_loss"], rel=0.05), name

"""The study of features runs, and its stored record is complete, coherent and repeatable."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import feature_learning as study
from sublinear_lib import features
from sublinear_lib.features import FeatureData

ROOT = Path(__file__).parents[2]
STORED = ROOT / "benchmarks" / "results" / "feature_learning.json"
SECTIONS = ("main", "rates", "budgets", "plane", "digits", "variants")

pytestmark = [pytest.mark.either_way, pytest.mark.thorough]


@pytest.fixture(scope="module")
def stored():
    return json.loads(STORED.read_text(encoding="utf-8"))


def test_the_study_writes_the_same_bytes_for_any_number_of_workers_in_one_go_or_in_parts(
    tmp_path, capsys
):
    short = ["--short", "--seeds", "2"]
    whole, parts = tmp_path / "deep" / "whole.json", tmp_path / "parts.json"
    study.main([*short, "--sections", "rates", "digits", "--output", str(whole)])
    report = json.loads(whole.read_text(encoding="utf-8"))
    assert [key for key in report if key in study.SECTIONS] == ["rates", "digits"]
    for section, sizes in (("digits", ["--jobs", "2"]), ("rates", [])):
        study.main([*short, *sizes, "--sections", section, "--output", str(parts)])
    assert parts.read_bytes() == whole.read_bytes()
    assert "digits warm_up=False budget=0.3 eps=0.2 runs=2" in capsys.readouterr().out


def test_short_numbers_never_replace_the_stored_ones(tmp_path, capsys):
    before = STORED.read_bytes()
    with pytest.raises(SystemExit):
        study.main(["--short"])
    assert "needs an --output of its own" in capsys.readouterr().err
    other = tmp_path / "other.json"
    other.write_text('{"question": "Another one?"}', encoding="utf-8")
    with pytest.raises(SystemExit):
        study.main(["--short", "--sections", "main", "--output", str(other)])
    assert "other settings or versions" in capsys.readouterr().err
    assert STORED.read_bytes() == before


def test_a_run_of_the_main_section_is_the_one_that_the_library_makes_in_one_line():
    law = FeatureData(nonrobust_patches=4)
    found = study.main_run(law, "standard", 3)
    known = study.variant_run(law, "standard", 3)
    for key in ("crossing_first", "crossing_last"):
        times = np.asarray(found["crossings"])
        assert known.pop(key) == (times.min() if key == "crossing_first" else times.max())
    assert {key: found[key] for key in known} == known
    assert np.mean(found["classes"]) == pytest.approx(known["share_mean"])


def test_every_section_of_patch_data_makes_its_table():
    for section, values in (
        ("budgets", (0.9,)),
        ("plane", (1000.0, 0.9)),
        ("variants", ("q = 2, standard",)),
    ):
        made = [
            study.cell((section, values, seed), np.random.default_rng(0), short=True)["record"]
            for seed in (0, 1)
        ]
        assert json.loads(json.dumps(made)) == made
        rows = study.table_of(section, made)
        assert len(rows) == 1
        if section != "plane":
            attacked = [record["attacked"] for record in made]
            assert rows[-1]["attacked"][0] == pytest.approx(np.mean(attacked), abs=1e-5)
        assert all(rows[-1][name] == made[0][name] for name in study.SECTIONS[section][0])


def test_the_tables_are_made_of_the_records(stored):
    assert tuple(key for key in stored if key in study.SECTIONS) == SECTIONS
    for section in SECTIONS:
        assert stored[section]["table"] == study.table_of(section, stored[section]["records"])
    assert stored["rates"]["slopes"] == study.plain(study.slopes(stored["rates"]["records"]))
    row = next(r for r in stored["main"]["table"] if r["trained"] == "adversarial")
    here = [r for r in stored["main"]["records"] if r["trained"] == "adversarial"]
    assert row["counts"]["certified"][0] == sum(r["certified"] == 0 for r in here)
    assert row["share_mean"][0] == pytest.approx(np.mean([r["share_mean"] for r in here]), 1e-5)


def test_the_record_holds_every_run(stored):
    assert stored["settings"]["short"] is False
    assert stored["settings"]["law"] == repr(FeatureData())
    assert stored["main"]["settings"]["seeds"] == 25
    for section in SECTIONS:
        seeds = stored[section]["settings"]["seeds"]
        assert seeds == study.SEEDS[section] >= 3
        assert stored[section]["settings"] == study.settings_of(section, seeds)
        names = study.SECTIONS[section][0]
        wanted = [
            (*values, seed)
            for values, seed in itertools.product(study.axes(section, False), range(seeds))
        ]
        found = [
            tuple(record[name] for name in (*names, "seed"))
            for record in stored[section]["records"]
        ]
        assert found == wanted


def test_some_stored_runs_are_what_the_code_computes(stored):
    def kept(section, **wanted):
        [found] = [r for r in stored[section]["records"] if wanted.items() <= r.items()]
        return found

    law = FeatureData()
    old = kept("main", trained="standard", seed=1)
    new = study.plain(study.main_run(law, "standard", 1))
    # Other processors round otherwise; walks from random points then end elsewhere.
    assert new["classes"] == pytest.approx(old["classes"], rel=1e-3)
    assert new["race"] == pytest.approx(old["race"], rel=1e-5)
    for key in ("clean", "prop_3_1", "swap_both", "attacked", "certified"):
        assert abs(new[key] - old[key]) < 0.05, key
    old = kept("rates", rate=1000.0, seed=0)
    new = study.rate_run(law, 1000.0, 0)
    assert new["plateau"] == pytest.approx(old["plateau"], rel=1e-3)
    assert new["crossings"].tolist() == pytest.approx(old["crossings"], abs=3)
    old = kept("digits", warm_up=True, budget=0.0, seed=0)
    new = features.digit_record(0.0, 0, eps=old["eps"][1])
    for key, value in (("clean", old["clean"]), ("attacked", old["attacked"][1])):
        assert abs(new[key] - value) < 0.02, key

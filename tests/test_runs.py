"""A run of `sublinear train` leaves what it says, can be resumed, and guards its folder."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_array_equal
from PIL import Image

from sublinear_lib import adversary, datasets, plotting
from sublinear_lib.cli import main
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.runs import TrainingRun

SMALL = {"m": 300, "steps": 12, "activity": 0.1, "attack_steps": 2}


def train(*arguments):
    options = ["--m", "300", "--activity", "0.1", "--attack-steps", "2", "--quiet"]
    return CliRunner().invoke(main, ["train", *options, *arguments])


def test_the_command_trains_tests_and_stores(tmp_path):
    out = tmp_path / "run"
    result = train("--steps", "12", "--out", str(out))
    assert result.exit_code == 0, result.output
    assert f"stored in {out}" in result.output
    summary = json.loads((out / "summary.json").read_text())
    assert summary["last loss"] < summary["first loss"]
    assert summary["test accuracy after training"] > summary["test accuracy before training"]
    assert (
        summary["test accuracy under attack after training"]
        <= summary["test accuracy after training"]
    )
    for name in ("data", "steps", "mean activity"):
        assert name in result.output
    with (out / "history.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["step"]) for row in rows] == list(range(12))
    assert float(rows[-1]["loss"]) == summary["last loss"]
    with Image.open(out / "run.png") as picture:
        assert picture.size[0] > 600
    _, test = datasets.load_split("digits-3v8", 0.25, np.random.SeedSequence(0).spawn(4)[0])
    network = TwoLayerNetwork.load(out / "network.npz")
    assert adversary.accuracy(network, test.X, test.y) == summary["test accuracy after training"]


def test_a_stopped_run_goes_on_and_ends_as_if_it_had_not_stopped(tmp_path):
    whole = TrainingRun(**SMALL).execute(tmp_path / "whole", progress=False)
    TrainingRun(**{**SMALL, "steps": 10}).execute(tmp_path / "parts", progress=False)
    said = []
    parts = TrainingRun(**SMALL).execute(tmp_path / "parts", progress=False, say=said.append)
    assert any("going on from" in text for text in said)
    assert len(parts.history) == 12
    assert_array_equal(parts.history.final.W, whole.history.final.W)
    assert parts.summary() == whole.summary()


def test_a_folder_belongs_to_one_set_of_settings(tmp_path):
    TrainingRun(**SMALL).execute(tmp_path, progress=False)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match="whose m, rho differ"):
        TrainingRun(**{**SMALL, "m": 301, "rho": 0.1}).execute(tmp_path, progress=False)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    (tmp_path / "settings.json").write_text("{")
    with pytest.raises(ValueError, match="out must be the folder of a run"):
        TrainingRun(**SMALL).execute(tmp_path, progress=False)


@pytest.mark.parametrize("name", ["identity", "projected", "smoothed"])
def test_every_adversary_and_form_trains(name):
    report = TrainingRun(
        **SMALL, data="circle-8", adversary=name, activation="continuous", test_fraction=0.25
    ).execute(progress=False)
    assert np.isfinite(report.history.loss).all()
    assert report.n_train + report.n_test == 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--data", "mnist"), "name must"),
        (("--rho", "-1"), "rho must"),
        (("--eta", "huge"), "eta must"),
        (("--loss", "squared"), "1-Lipschitz"),
        (("--index", "magic"), "index must"),
        (("--test-fraction", "2"), "test_fraction must"),
    ],
)
def test_bad_options_are_named(arguments, message):
    result = train("--steps", "2", *arguments)
    assert result.exit_code == 1
    assert message in result.output
    assert "Traceback" not in result.output


def test_the_help_shows_examples():
    text = CliRunner().invoke(main, ["train", "--help"]).output
    assert "sublinear train --data digits-3v8 --m 65536" in text


def test_the_picture_of_a_run_says_what_it_shows():
    picture = plotting.training_run(
        [0, 1, 2], [0.9, 0.5, 0.2], [0.8, 0.4, 0.1], [0.02, 0.03, 0.02], name="run"
    )
    assert "from 0.9 to 0.2" in picture.alt
    assert "from 0.8 to 0.1" in picture.alt
    with pytest.raises(ValueError, match="activity must lie in"):
        plotting.training_run([0, 1], [1, 1], [1, 1], [0.1, 1.1], name="run")
    with pytest.raises(ValueError, match="clean_loss must be >= 0"):
        plotting.training_run([0, 1], [1, 1], [1, -1], [0.1, 0.1], name="run")
    with pytest.raises(ValueError, match="ascending"):
        plotting.training_run([0, 0], [1, 1], [1, 1], [0.1, 0.1], name="run")

"""A run of `sublinear train` leaves what it says, can be resumed, and guards its folder."""

import csv
import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PIL import Image

from sublinear_lib import adversary, datasets
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.runs import TrainingRun
from tests.commands import ROOT, sublinear, wait_for

SMALL = {"m": 300, "steps": 12, "activity": 0.1, "attack_steps": 2, "certify_seconds": 0.05}


def train(*arguments):
    small = ["--m", "300", "--activity", "0.1", "--attack-steps", "2", "--certify", "2"]
    return sublinear("train", *small, "--quiet", *arguments)


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
    timeless = {**SMALL, "certify": 0}  # proofs stop by the clock
    whole = TrainingRun(**timeless).execute(tmp_path / "whole", progress=False)
    first = {**timeless, "m": np.int64(300), "steps": np.int64(10)}  # numbers like any others
    TrainingRun(**first).execute(tmp_path / "parts", progress=False)
    said = []
    parts = TrainingRun(**timeless).execute(tmp_path / "parts", progress=False, say=said.append)
    assert any("going on from" in text for text in said)
    assert len(parts.history) == 12
    assert_array_equal(parts.history.final.W, whole.history.final.W)
    assert parts.summary() == whole.summary()


def test_a_folder_belongs_to_one_set_of_settings(tmp_path):
    TrainingRun(**SMALL).execute(tmp_path, progress=False)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match="whose m, rho differ"):
        TrainingRun(**{**SMALL, "m": 301, "rho": 0.1}).execute(tmp_path, progress=False)
    with pytest.raises(ValueError, match="whose m differs"):
        TrainingRun(**{**SMALL, "m": 301}).execute(tmp_path, progress=False)
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


def test_the_summary_says_what_is_proved_and_what_is_not():
    exact = TrainingRun(
        data="circle-8", m=400, activity=0.1, rho=0.05, steps=150, adversary="projected", certify=9
    ).execute(progress=False)
    summary = exact.summary()
    assert summary["test points looked at for a proof"] == exact.n_test
    parts = [
        summary[name]
        for name in (
            "certified right all over the cap",
            "falsified: wrong at a point found",
            "unknown",
        )
    ]
    assert sum(parts) == 1.0
    assert parts[2] == 0.0, "on the circle everything is decided"
    assert parts[0] <= summary["test accuracy under attack after training"]
    none = TrainingRun(data="circle-8", m=100, steps=2, certify=0).execute(progress=False)
    assert none.proved is None
    assert not any("proof" in name or "certified" in name for name in none.summary())


def test_a_folder_that_is_no_run_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    result = train("--steps", "2", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "holds 'thesis.tex' and no settings.json" in result.output
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]
    (tmp_path / "settings.json").write_text("[1, 2]")
    result = train("--steps", "2", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "broken" in result.output
    assert "Traceback" not in result.output


def test_a_diverging_run_names_the_step_and_keeps_its_history(tmp_path):
    result = train("--steps", "9", "--eta", "1e155", "--out", str(tmp_path / "run"))
    assert result.exit_code == 1
    assert "training diverged at step" in result.output
    with (tmp_path / "run" / "history.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert f"diverged at step {len(rows)}" in result.output
    assert not (tmp_path / "run" / "summary.json").exists()


def test_a_run_that_ends_silent_and_worse_than_it_began_says_so():
    calm = TrainingRun(**SMALL, certify=0).execute(progress=False)
    assert calm.warnings == ()
    assert "warnings" not in calm.summary()
    result = train("--steps", "5", "--eta", "1e9", "--certify", "0")
    assert result.exit_code == 0
    assert "test points, where no neuron fires" in result.output
    assert "the loss grew in training" in result.output


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"data": "mnist"}, "data cannot be loaded"),
        ({"m": 0}, "m must"),
        ({"activity": 0.7}, "activity must"),
        ({"rho": -0.1}, "rho must"),
        ({"attack_steps": 0}, "attack_steps must"),
        ({"test_fraction": 1.0}, "test_fraction must"),
        ({"certify_seconds": 0.0}, "certify_seconds must"),
        ({"adversary": "nobody"}, "adversary must"),
        ({"activation": "sigmoid"}, "activation must"),
        ({"loss": "squared"}, "loss must"),
        ({"eta": "huge"}, "eta must"),
        ({"index": "magic"}, "index must"),
    ],
)
def test_every_setting_is_refused_by_its_own_name(setting, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        TrainingRun(**{**SMALL, **setting})


def test_the_help_shows_every_default():
    text = " ".join(sublinear("train", "--help").output.split())
    for name, value in asdict(TrainingRun()).items():
        assert f"--{name.replace('_', '-')}" in text
        assert f"[default: {value}]" in text, name


CHILD = """
import json
import signal
import sys
from pathlib import Path
from sublinear_lib.runs import TrainingRun
# Whoever starts the tests in the background has them ignore Ctrl-C, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
say = lambda text: print(text, flush=True)
run = TrainingRun(**json.loads(sys.argv[2]))
run.execute(Path(sys.argv[1]), progress=False, say=say, on_interrupt="return")
"""
LONG = {"data": "circle-8", "m": 2000, "steps": 20_000, "activity": 0.1, "certify": 0}


def wait_for_a_checkpoint(out):
    """Wait until a checkpoint is written that was not there before."""
    path = out / "checkpoint.npz"
    before = path.stat().st_mtime_ns if path.exists() else None
    wait_for(lambda: path.exists() and path.stat().st_mtime_ns != before)


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_control_c_ends_a_run_with_everything_stored_and_killing_it_loses_little(tmp_path):
    out = tmp_path / "run"

    def begin():
        command = [sys.executable, "-c", CHILD, str(out), json.dumps(LONG)]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)

    killed = begin()
    wait_for_a_checkpoint(out)
    killed.kill()
    killed.communicate()
    stopped = begin()
    assert "going on from" in stopped.stdout.readline()
    wait_for_a_checkpoint(out)
    stopped.send_signal(signal.SIGINT)
    stopped.communicate(timeout=60)
    assert stopped.returncode == 0
    summary = json.loads((out / "summary.json").read_text())
    assert summary["stopped"] == "interrupted from the keyboard"
    assert 10 <= summary["steps"] < LONG["steps"]
    with (out / "history.csv").open() as file:
        assert len(list(csv.DictReader(file))) == summary["steps"]
    TwoLayerNetwork.load(out / "network.npz")

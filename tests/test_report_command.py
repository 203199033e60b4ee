"""`sublinear report`: files with the same bytes for the same seed, errors that help, Ctrl-C."""

import json
import os

import numpy as np
import pytest

import sublinear_lib.report
from tests.commands import sublinear


@pytest.fixture
def csv(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    rows = rng.standard_normal((40, 2)) + 2.0 * y[:, None]
    lines = [f"{a:.4f};{b:.4f};{'yes' if k else 'no'}" for (a, b), k in zip(rows, y, strict=True)]
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(["long;wide;kind", *lines]) + "\n", encoding="utf-8")
    return file


def report(*arguments):
    return sublinear("report", *arguments)


SMALL = ("--label", "kind", "--delimiter", ";", "--m", 128, "--activity", 0.3, "--steps", 10)


@pytest.mark.thorough
def test_a_folder_gets_the_same_bytes_for_the_same_seed(csv, tmp_path):
    stored = []
    for name, seed in (("one", 0), ("two", 0), ("three", 1)):
        out = tmp_path / name
        result = report(csv, *SMALL, "--out", out, "--quiet", "--seed", seed)
        assert result.exit_code == 0, result.output
        assert "certified" in result.output
        assert f"stored in {out}" in result.output
        stored.append({file.name: file.read_bytes() for file in out.iterdir()})
    assert sorted(stored[0]) == ["promise.png", "report.json", "report.md", "training.png"]
    assert stored[0] == stored[1]
    assert stored[0]["report.md"] != stored[2]["report.md"]
    text = stored[0]["report.md"].decode()
    assert str(tmp_path) not in text and "](promise.png)" in text
    found = json.loads(stored[0]["report.json"])
    assert (found["data"]["name"], found["settings"]["m"]) == ("mine", 128)


def test_where_nothing_can_be_drawn_the_report_is_stored_without_pictures(
    csv, tmp_path, monkeypatch
):
    monkeypatch.setattr("sublinear_lib.report.no_pictures", lambda: "no matplotlib here")
    result = report(csv, *SMALL, "--out", tmp_path / "plain", "--quiet")
    assert result.exit_code == 0, result.output
    assert "no pictures: no matplotlib here" in result.output
    stored = {file.name: file.read_bytes() for file in (tmp_path / "plain").iterdir()}
    assert sorted(stored) == ["report.json", "report.md"]
    assert b"Figures" not in stored["report.md"]


def test_without_a_folder_the_report_is_printed(csv):
    result = report(csv, *SMALL, "--columns", "wide", "--positive", "no", "--quiet")
    assert result.exit_code == 0, result.output
    assert result.output.startswith("# Report on mine\n\nClass no (+1) against yes (-1)")
    assert "| wide |" in result.output
    assert "| long |" not in result.output


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="names of POSIX")
@pytest.mark.parametrize("name", ["a\x01b\x1b[2J.csv", os.fsdecode(b"\xff\xfe.csv"), "50$_{x.csv"])
def test_a_file_with_an_odd_name_gets_its_report(csv, tmp_path, name):
    odd = csv.rename(tmp_path / name)
    result = report(odd, *SMALL, "--quiet")
    assert result.exit_code == 0, result.output
    assert all(line.isprintable() for line in result.output.splitlines())
    result = report(odd, *SMALL, "--quiet", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    stored = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert stored == ["promise.png", "report.json", "report.md", "training.png"]
    missing = report(tmp_path / f"no{name}", *SMALL)
    assert missing.exit_code == 1
    assert all(line.isprintable() for line in missing.output.splitlines())


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("none.csv", "--label", "kind"), 1, "does not exist"),
        (("DATA", "--label", "sort", "--delimiter", ";"), 2, "label must be one of the columns"),
        (("DATA", *SMALL, "--tau", 0.1), 2, "either --activity or --tau"),
        (("DATA", *SMALL, "--rho", -1), 2, "rho must be"),
        (("DATA", *SMALL, "--certify", 0), 2, "certify must be"),
    ],
)
def test_errors_say_what_is_wrong(csv, arguments, status, message):
    result = report(*(csv if one == "DATA" else one for one in arguments))
    assert result.exit_code == status
    assert message in result.output
    assert "Traceback" not in result.output


def test_a_refused_call_leaves_no_folder_and_an_older_one_alone(csv, tmp_path):
    older = tmp_path / "older"
    older.mkdir()
    for out in (tmp_path / "new", older):
        assert report(csv, *SMALL, "--rho", -1, "--out", out).exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.csv", "older"]


def test_ctrl_c_leaves_no_report_and_no_folder(csv, tmp_path, monkeypatch):
    """Intervals over the rows up to a moment that somebody chose would promise too much."""
    calls = []

    def interrupted(*unused, **named):
        calls.append(1)
        raise KeyboardInterrupt

    monkeypatch.setattr(sublinear_lib._held_out, "certified_accuracy", interrupted)
    result = report(csv, *SMALL, "--out", tmp_path / "out")
    assert result.exit_code == 130
    assert result.output.strip().endswith("interrupted")
    assert calls == [1]
    assert not (tmp_path / "out").exists()

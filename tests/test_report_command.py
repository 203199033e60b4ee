"""`sublinear report`: files with the same bytes for the same seed, errors that help, Ctrl-C."""

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


def test_where_nothing_can_be_drawn_the_report_has_no_pictures(csv, tmp_path, monkeypatch):
    monkeypatch.setattr("sublinear_lib.report.no_pictures", lambda: "no matplotlib here")
    result = report(csv, *SMALL, "--out", tmp_path / "plain", "--quiet")
    assert result.exit_code == 0, result.output
    assert "no pictures: no matplotlib here" in result.output
    stored = {file.name: file.read_bytes() for file in (tmp_path / "plain").iterdir()}
    assert sorted(stored) == ["report.json", "report.md"]
    assert b"Figures" not in stored["report.md"]


def test_without_a_folder_the_report_is_printed(csv):
    asked = (csv, *SMALL, "--columns", "wide", "--positive", "no", "--quiet")
    result = report(*asked)
    assert result.exit_code == 0, result.output
    assert report(*asked, "--seed", 1).output != result.output == report(*asked).output
    assert result.output.startswith("# Report on mine\n\nClass no (+1) against yes (-1)")
    assert "| wide |" in result.output
    assert "| long |" not in result.output


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("none.csv", "--label", "kind"), 1, "does not exist"),
        (("DATA", *SMALL, "--tau", 0.1), 2, "either --activity or --tau"),
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

"""Promises of the capstone's explorer and labs: their numbers are those of a report."""

from __future__ import annotations

from pathlib import Path

import ipywidgets
import numpy as np
import pytest

from sublinear_lib.plotting import number, percent
from sublinear_lib.report import make_report
from sublinear_lib.tables import Table
from sublinear_lib.widgets import (
    Explorer,
    Line,
    LiveLab,
    Slider,
    Text,
    own_data_explorer,
    own_data_view,
    own_file_lab,
    report_on_file,
)


@pytest.fixture(scope="module")
def table() -> Table:
    rng = np.random.default_rng(0)
    y = np.where(np.arange(50) % 2 == 0, 1.0, -1.0)
    rows = rng.standard_normal((50, 2)) + y[:, None]
    return Table(rows, y, ("a", "b"), ("no", "yes"), "clouds")


def test_the_lines_are_those_of_the_report_as_steps(table: Table) -> None:
    view = own_data_view(table, "standard", 128, 0.1)
    found = make_report(table, m=128, activity=0.1, rho=0.1, training_rho=0.0, steps=40, certify=20)
    drawn = {mark.label: mark for mark in view.marks if isinstance(mark, Line)}
    radii = np.array([row.radius for row in found.curve])
    for k in range(len(radii) - 1):
        inside = 0.5 * (radii[k] + radii[k + 1])
        for name, expected in (
            ("certified", found.curve[k + 1].certified),
            ("possible", found.curve[k].possible),
        ):
            line = drawn[name]
            at = int(np.searchsorted(np.asarray(line.x), inside))
            assert np.asarray(line.y)[at] == expected, (name, k)


def test_the_sentence_has_the_shares_of_the_report(table: Table) -> None:
    view = own_data_view(table, "adversarial", 512, 0.1)
    found = make_report(table, m=512, activity=0.1, rho=0.1, steps=40, certify=20)
    assert f"{percent(found.clean.estimate)} are right" in view.sentence
    assert f"{percent(found.attacked.estimate)} survive our attack" in view.sentence
    assert f"{percent(found.certified.estimate)} are proved right" in view.sentence
    assert dict(view.readouts)["open rows"] == str(found.unknown)
    assert dict(view.readouts)["neurons active at a point"] == number(512 * found.active[0])


def test_the_alarm_counts_the_silent_points(table: Table) -> None:
    assert own_data_view(table, "standard", 128, 0.4).warning is None
    few = make_report(table, m=8, activity=0.1, rho=0.1, training_rho=0.0, steps=40, certify=20)
    assert few.silent[0] > 0
    said = own_data_view(table, "standard", 8, 0.1).warning or ""
    assert said.startswith(f"At {few.silent[0]} of {few.n_train} training points")


@pytest.mark.thorough
def test_the_explorer_fits_the_page_and_can_be_written_twice(table: Table) -> None:
    one, two = own_data_explorer(table), own_data_explorer(table)
    assert isinstance(one, Explorer)
    assert one.get_state(["_key"]) == two.get_state(["_key"])


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("other", 128, 0.1), ValueError),
        (("standard", 0, 0.1), ValueError),
        (("standard", 128, 0.7), ValueError),
    ],
)
def test_positions_that_make_no_sense_are_refused(
    table: Table, arguments: tuple[str, int, float], error: type[Exception]
) -> None:
    with pytest.raises(error):
        own_data_view(table, *arguments)
    for build in (own_data_explorer, own_file_lab):
        with pytest.raises(TypeError, match="table must be a Table"):
            build("wine")  # type: ignore[arg-type]


def test_a_file_is_reported_on_and_an_empty_line_takes_the_table(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        f"{a},{b},{'yes' if k > 0 else 'no'}"
        for (a, b), k in zip(table.features, table.y, strict=True)
    ]
    file = tmp_path / "other.csv"
    file.write_text("\n".join(["a,b,kind", *lines]), encoding="utf-8")
    read = report_on_file(table, str(file), "kind", 64, 0.2, 0.05)
    said = capsys.readouterr().out
    assert said.startswith("other, 50 rows: clean ")
    assert "delta/2 = " in said
    same = report_on_file(table, "  ", "kind", 64, 0.2, 0.05)
    assert capsys.readouterr().out.replace("clouds", "other") == said
    assert read.alt == same.alt.replace("clouds", "other")


def test_the_labs_have_lines_to_type_into_and_say_errors_in_words(
    table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    lab = own_file_lab(table)
    inputs = lab.controls().children
    typed = [one for one in inputs if isinstance(one, ipywidgets.Text)]
    assert [one.value for one in typed] == ["", "class"]
    lab.run(path="nowhere.csv", label="kind", m=64, activity=0.1, rho=0.1)
    assert capsys.readouterr().out.startswith("FileNotFoundError: path must name a CSV file")
    assert isinstance(lab, LiveLab)


def test_an_explorer_has_no_line_to_type_into(table: Table) -> None:
    with pytest.raises(TypeError, match="controls must be Slider or Choice, got Text"):
        Explorer(lambda path: None, [Text("path", "file")], title="no")  # type: ignore[list-item]
    with pytest.raises(TypeError, match="start of path"):
        Text("path", "file", start=3)  # type: ignore[arg-type]
    lab = LiveLab(
        lambda path, k: print(path, k),
        [Text("path", "file", start="x.csv"), Slider("k", "k", [1, 2])],
        title="typed",
    )
    assert repr(lab) == "LiveLab('typed', controls: path, k)"

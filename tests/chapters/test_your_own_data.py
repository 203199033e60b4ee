"""Your own data: the numbers of explorer and lab are those of a report."""

import ipywidgets
import numpy as np
import pytest

from sublinear_lib.chapters.your_own_data import explorers
from sublinear_lib.plotting import number, percent
from sublinear_lib.report import make_report
from sublinear_lib.tables import Table
from sublinear_lib.widgets import Line
from tests.chapters.marks import named

SIGNS = np.where(np.arange(50) % 2 == 0, 1.0, -1.0)
ROWS = np.random.default_rng(0).standard_normal((50, 2)) + SIGNS[:, None]
TABLE = Table(ROWS, SIGNS, ("a", "b"), ("no", "yes"), "clouds")


@pytest.mark.parametrize(
    ("training", "m", "activity"),
    [("standard", 128, 0.1), ("adversarial", 512, 0.1), ("standard", 8, 0.1)],
)
def test_lines_shares_and_alarm_are_those_of_the_report(training, m, activity):
    view = explorers.promise(TABLE, training, str(m), str(activity))
    foe = 0.1 if training == "adversarial" else 0.0
    sizes = {"m": m, "steps": 40, "certify": 20}
    found = make_report(TABLE, activity=activity, rho=0.1, training_rho=foe, **sizes)
    drawn, radii = named(view, Line), np.array([row.radius for row in found.curve])
    for k, inside in enumerate((radii[1:] + radii[:-1]) / 2):
        # A proof covers the radii before it, a wrong point those after it.
        expected = {"certified": found.curve[k + 1].certified, "possible": found.curve[k].possible}
        for name, share in expected.items():
            at = int(np.searchsorted(np.asarray(drawn[name].x), inside))
            assert np.asarray(drawn[name].y)[at] == share, (name, k)
    assert f"{percent(found.clean.estimate)} are right" in view.sentence
    assert f"{percent(found.attacked.estimate)} survive our attack" in view.sentence
    assert f"{percent(found.certified.estimate)} are proved right" in view.sentence
    read = dict(view.readouts)
    assert read["open rows"] == str(found.unknown)
    assert read["neurons active at a point"] == number(m * found.active[0])
    silent, said = found.silent[0], view.warning or ""
    assert bool(silent) == said.startswith(f"At {silent} of {found.train.n} training points")


def test_a_file_is_reported_on_and_an_empty_line_takes_the_table(tmp_path, capsys):
    rows = zip(ROWS.tolist(), np.where(SIGNS > 0, "yes", "no"), strict=True)
    file = tmp_path / "other.csv"
    file.write_text("\n".join(["a,b,kind", *(f"{a},{b},{k}" for (a, b), k in rows)]), "utf-8")
    read = explorers.report_on_file(TABLE, str(file), "kind", 64, 0.2, 0.05)
    said = capsys.readouterr().out
    assert said.startswith("other, 50 rows: clean ") and "delta/2 = " in said
    same = explorers.report_on_file(TABLE, "  ", "kind", 64, 0.2, 0.05)
    assert capsys.readouterr().out.replace("clouds", "other") == said
    assert read.alt == same.alt.replace("clouds", "other")
    lab = explorers.own_file(TABLE)
    typed = [one for one in lab.controls().children if isinstance(one, ipywidgets.Text)]
    assert [one.value for one in typed] == ["", "class"]
    lab.run(path="nowhere.csv", label="kind", m=64, activity=0.1, rho=0.1)
    assert capsys.readouterr().out.startswith("FileNotFoundError: path must name a CSV file")

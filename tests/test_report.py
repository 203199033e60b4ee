"""A report repeats, its shares are in order, its proofs hold, and it says what is wrong."""

import json
import math
import re
from functools import lru_cache
from html import unescape
from itertools import pairwise

import numpy as np
import pytest
from markdown_it import MarkdownIt

from sublinear_lib import datasets, report, scaling, theory, validation
from sublinear_lib.adversary import RandomSearch, extremes_on_circle
from sublinear_lib.datasets import Dataset
from sublinear_lib.losses import get_loss
from sublinear_lib.report import make_report
from sublinear_lib.statistics import clopper_pearson
from sublinear_lib.tables import Table


def drawn(n=60, seed=0):
    """Return two clouds that overlap a little."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    rows = rng.standard_normal((n, 4)) + 1.2 * y[:, None]
    return Table(rows, y, ("a", "b", "c", "d|e"), ("no", "yes"), "clouds")


@lru_cache
def made():
    return make_report(drawn(), m=256, activity=0.2, rho=0.1, steps=30, seed=3)


def test_the_same_arguments_give_the_same_bytes():
    again = make_report(drawn(), m=256, activity=0.2, rho=0.1, steps=30, seed=3)
    assert again.to_markdown() == made().to_markdown()
    assert json.dumps(again.to_dict()) == json.dumps(made().to_dict())
    assert again.plot().png == made().plot().png
    other = make_report(drawn(), m=256, activity=0.2, rho=0.1, steps=30, seed=4)
    assert other.to_markdown() != made().to_markdown()


def test_the_shares_are_in_order_and_carry_exact_intervals():
    found = made()
    assert found.certified.estimate <= found.attacked.estimate <= found.clean.estimate
    number = len(found.answers)
    assert number == found.test.n == 18
    certified = sum(answer.status == "certified" for answer in found.answers)
    assert found.certified == clopper_pearson(certified, number, 0.95)
    assert found.unknown == round(number * (found.attacked.estimate - found.certified.estimate))
    for answer in found.answers:
        assert answer.certified_to < answer.broken_at
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["held out"]["rows"] == [answer.status for answer in found.answers]


def test_the_curve_falls_and_passes_through_the_shares():
    found, curve = made(), made().curve
    radii = [0, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2]
    assert [row.radius for row in curve] == pytest.approx(radii)
    assert curve[0].certified == curve[0].possible == found.clean.estimate
    (at,) = (row for row in curve if row.radius == found.rho)
    assert (at.certified, at.possible) == (found.certified.estimate, found.attacked.estimate)
    for before, after in pairwise(curve):
        assert after.certified <= before.certified
        assert after.possible <= before.possible


def test_no_attack_of_another_kind_breaks_a_certified_row():
    found, test = made(), made().test
    proved = [answer.status == "certified" for answer in found.answers]
    assert any(proved)
    X, y = test.X[proved], test.y[proved]
    reached = RandomSearch(rho=found.rho)(found.network, X, y, "absolute", 0)
    assert (y * reached.value > 0.0).all()


def test_on_the_circle_nothing_is_open_and_the_statuses_are_exact():
    parts = datasets.load_split("circle-24", 0.5, 1)
    found = make_report(parts, m=300, activity=0.3, rho=0.04, steps=25)
    assert found.unknown == 0
    for answer, x, y in zip(found.answers, parts[1].X, parts[1].y, strict=True):
        (ends,) = extremes_on_circle(found.network, x[None, :], found.rho)
        worst = ends.inf if y > 0 else -ends.sup
        if abs(worst) > 1e-9:
            assert (answer.status == "certified") == (worst > 0.0)


def test_the_work_is_that_of_the_run_and_the_activity_that_of_the_threshold():
    found = made()
    history = found.history
    assert found.dense_work == theory.dense_cost(256, 42, 5).total * 30
    assert int(history.work.sum()) < found.dense_work
    tau = scaling.threshold_from_activity(0.2, 256)
    assert found.settings["tau"] == tau
    assert abs(found.active[0] - 0.2) < 0.08
    by_tau = make_report(drawn(), m=256, tau=tau, rho=0.1, steps=30, seed=3)
    assert np.array_equal(by_tau.network.W, found.network.W)


def test_theorem_d_is_never_below_the_average_on_one_clean_point_set():
    # Without an adversary the points of the run are the clean points, and the theorem holds for
    # the terms evaluated there once the loss of W* is added.
    found = make_report(drawn(), m=256, activity=0.2, rho=0.1, training_rho=0.0, steps=30)
    assert found.history.loss.tolist() == found.history.clean_loss.tolist()
    train = found.train
    missing = train.y - found.start.forward(train.X)
    W_star = theory.regret.nearest_weights(found.start, train.X, missing)
    reached = found.start.with_weights(W_star).forward(train.X)
    comparator = float(np.mean(get_loss("huber").value(train.y, reached)))
    assert float(found.history.loss.mean()) <= found.bound.total + comparator


def test_hypotheses_are_judged_by_their_numbers():
    by_name = {one.statement: one for one in made().hypotheses}
    assert by_name["Definition 3.7"].holds is made().separation.separable
    assert by_name["Theorems 4.1 and 4.3"].holds is False
    assert by_name["Theorem 4.3"].holds is None
    silent = make_report(drawn(), m=64, tau=1 / 64, rho=0.0, steps=2)
    printed = {one.statement: one for one in silent.hypotheses}
    assert printed["Theorems 4.1 and 4.3"].holds is True
    assert printed["Lemma 4.5"].holds is False  # Q_0 is above m there
    larger = make_report(drawn(), m=64, tau=1.01 / 64, rho=0.0, steps=2).hypotheses
    assert larger[1].holds is False  # between 1/m and m^(-1/2)


def test_units_are_given_for_a_table_and_a_bar_in_a_name_breaks_no_table():
    found = made()
    assert list(found.features) == ["a", "b", "c", "d|e"]
    assert all(value > 0 for value in found.features.values())
    assert "| d\\|e |" in found.to_markdown()
    assert "<td>d|e</td>" in found._repr_html_()
    assert found.to_dict()["units"]["a"] == found.features["a"]


HOSTILE = (
    "<script>alert(1)</script>",
    "b\n# heading",
    "[x](javascript:alert(2))",
    "![t](http://evil.example/t.png)",
    "n\n\n<iframe src=javascript:alert(3)></iframe>",
    "a|b\\|c",
    "\x1b[2J\x07",
    "`*_x_* $y$ &lt; ~~z~~",
    "\u202etxt.exe \udcff",
)


@lru_cache
def hostile():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(40) % 2 == 0, 1.0, -1.0)
    rows = rng.standard_normal((40, len(HOSTILE))) + y[:, None]
    table = Table(rows, y, HOSTILE, (HOSTILE[4], HOSTILE[1]), HOSTILE[0] + HOSTILE[6])
    return make_report(table, m=64, activity=0.3, rho=0.02, steps=2, certify=2)


def test_names_can_put_nothing_into_the_page():
    text = hostile().to_markdown()
    assert all(line.isprintable() for line in text.split("\n"))
    text.encode()
    rendered = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text)
    ours = made().to_markdown()
    plain = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(ours)
    tags = re.compile(r"<(\w+)[^>]*>")
    assert set(tags.findall(rendered)) == set(tags.findall(plain))
    assert re.findall("<h.>", rendered) == re.findall("<h.>", plain)
    # Every name is there, one cell each, as it was but for what cannot be shown.
    cells = [unescape(cell) for cell in re.findall("<td>(.*?)</td>", rendered)]
    assert [validation.printable(name) for name in HOSTILE] == [
        cells[cells.index(validation.printable(HOSTILE[0])) + 2 * k] for k in range(len(HOSTILE))
    ]
    for page in (hostile()._repr_html_(), hostile().plot().html):
        assert "<script>alert" not in page
        assert "<iframe src=j" not in page
        page.encode()


def test_the_text_is_there_before_the_pictures(tmp_path, monkeypatch):
    report.store_report(hostile(), str(tmp_path))
    whole = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "](promise.png)" in whole
    assert len(re.findall("^!.*[.]png[)]$", whole, re.MULTILINE)) == 2
    for path in tmp_path.iterdir():
        path.unlink()

    def full(self):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sublinear_lib.plotting.Picture.png", property(full))
    with pytest.raises(OSError, match="No space left"):
        report.store_report(hostile(), tmp_path)
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == hostile().to_markdown()
    json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    with pytest.raises(TypeError, match="folder must be a string or path-like, got 3"):
        report.store_report(hostile(), 3)
    with pytest.raises(TypeError, match="report must be of type Report"):
        report.store_report("r", tmp_path)


@pytest.mark.parametrize("rows", [[0], [0, 2]])
def test_a_distance_that_does_not_exist_is_none_in_the_dictionary(rows):
    """One training point has no neighbor, and points of one class none of the other."""
    points = datasets.circle(8).subset(np.array(rows))
    found = make_report((points, points), m=64, activity=0.4, rho=0.02, steps=2).to_dict()
    json.dumps(found, allow_nan=False)
    assert found["separation"]["opposite classes"] is None
    assert (found["separation"]["delta"] is None) == (len(rows) == 1)


def said(found, words):
    return any(words in line for line in found.warnings)


def on_circle(*degrees, y=(1, -1, 1, -1)):
    angles = np.radians(degrees)
    X = np.column_stack([np.cos(angles), np.sin(angles)]) * math.sqrt(0.75)
    return Dataset(np.column_stack([X, np.full(len(X), 0.5)]), y, "few")


def test_caps_are_said_to_meet_exactly_when_they_do():
    # Two points at an angle of 60 degrees: their caps meet from 30 degrees on.
    points = on_circle(0.0, 60.0, 180.0, 240.0)
    for degrees, meet in ((29.9, False), (30.1, True)):
        rho = math.sqrt(3.0) * math.sin(math.radians(degrees) / 2.0)
        found = make_report((points, points), m=64, activity=0.4, rho=rho, steps=2)
        assert found.caps_meet is meet
        assert said(found, "rho is too large") is meet


def test_a_point_with_both_labels_is_named_as_such():
    points = on_circle(0.0, 0.0, 120.0, 240.0)
    found = make_report((points, points), m=64, activity=0.4, rho=0.02, steps=2)
    assert said(found, "the same point with different labels")
    assert not said(found, "with the same label")


def test_a_radius_beyond_delta_over_two_alone_is_not_called_hopeless():
    points = on_circle(0.0, 5.0, 180.0, 185.0, y=(1, 1, -1, -1))
    found = make_report((points, points), m=128, activity=0.4, rho=0.2, steps=5)
    assert not found.separation.separable
    assert not found.caps_meet
    assert said(found, "not separable in the sense of Definition 3.7")
    assert not said(found, "too large")


def test_a_network_without_a_firing_neuron_is_called_silent():
    found = make_report(drawn(), m=64, activity=1e-7, rho=0.05, steps=3, certify=5)
    assert found.silent == (found.train.n, found.train.n)
    assert said(found, "Only 5 held-out rows")
    assert said(found, "No neuron fires at any training point")
    assert said(found, "Nothing is shown to be learned")
    assert said(found, "Training did not lower the loss")
    assert found.clean.estimate == 0.0  # an output of exactly 0 counts as wrong


def test_rows_with_both_labels_are_counted_and_what_they_cost_is_said():
    table = drawn(40)
    rows = np.concatenate([table.features, np.repeat(table.features[:2], [3, 4], axis=0)])
    y = np.concatenate([table.y, [-1, 1, -1], [-1, -1, -1, -1]])
    both = Table(rows, y, table.columns, table.class_names, "both")
    found = make_report(both, m=64, activity=0.3, rho=0.02, steps=2)
    # Four rows are the first one, two of each label; five are the second one, of one label.
    assert said(found, "4 of 47 rows are the same point with different labels")
    assert said(found, "right at more than 45 of them all (0.957)")
    number = sum(any((x == z).all() for z in found.train.X) for x in found.test.X)
    assert number
    assert said(found, f"{number} of 14 held-out rows are the same point as a training row")
    assert not said(found, "rho is too large for these data")
    assert not said(made(), "the same point")


def test_data_that_are_none_are_refused():
    train = datasets.load("circle-8")
    with pytest.raises(TypeError, match="data must be a Table"):
        make_report("wine")
    with pytest.raises(TypeError, match="data must be a Table"):
        make_report((train,))
    with pytest.raises(ValueError, match="one dimension"):
        make_report((train, datasets.separated(4, 5, separation=0.1, rng=0)))
    zero = Dataset(train.X, np.zeros(8), "none")
    with pytest.raises(ValueError, match="labels that are not 0"):
        make_report((train, zero))

"""The contract of all explorers and labs of the pages, at every position of their controls."""

import json
import math
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine

from sublinear_lib import chapters
from sublinear_lib.plotting import PAGE_HTML, palette
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.tables import Table
from sublinear_lib.widgets import Explorer, LiveLab
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.declaration import Declared

FOLDER = Path(chapters.__file__).parent
BOOK = FOLDER.parents[1] / "book"
PAGES = {path.stem.replace("-", "_"): path for path in BOOK.rglob("*.ipynb")}
STATE = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
# A word with a meaning has its color on the pages of the first paper.
STORY = {path.stem.replace("-", "_") for path in BOOK.glob("part1/*.ipynb")} | {"errata"}


def wines():
    """Return the table of the page on the reader's own data."""
    wine = load_wine()
    two, names = wine.target < 2, tuple(wine.feature_names)
    given = wine.data[two], 2.0 * wine.target[two] - 1.0, names
    return Table(*given, ("grower A", "grower B"), "wine")


def functions(page):
    module = import_module(f"sublinear_lib.chapters.{page}.explorers")
    own = {"own_data", "own_file"} if page == "your_own_data" else set()
    return {
        name: each
        for name, each in vars(module).items()
        if isinstance(each, Declared) or name in own
    }


PAGES_WITH = sorted(path.parent.name for path in FOLDER.glob("*/explorers.py"))
ALL = [(page, name) for page in PAGES_WITH for name in functions(page)]


def is_explorer(page, name):
    made = functions(page)[name]
    function = made.function if isinstance(made, Declared) else made
    return function.__annotations__["return"] in ("View", "Explorer")


def made(page, name):
    make = functions(page)[name]
    return make() if isinstance(make, Declared) else make(wines())


def stored(page):
    """Return the models of the widgets that a page stores, and the outputs of its cells."""
    notebook = json.loads(PAGES[page].read_text(encoding="utf-8"))
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    models = notebook["metadata"]["widgets"][STATE]["state"]
    return models, [output["data"] for output in outputs if "data" in output]


def stored_keys(page):
    models = stored(page)[0].values()
    return {model["state"]["_key"] for model in models if "_key" in model["state"]}


def said(text):
    """Whether a text is whole sentences about finite numbers."""
    return bool(text) and text.strip()[-1] in ".)" and not {"nan", "inf"} & {*text.split()}


def numbers(part):
    if isinstance(part, dict):
        return [x for value in part.values() for x in numbers(value)]
    if isinstance(part, list):
        return [x for value in part for x in numbers(value)]
    return [part] if isinstance(part, int | float) else []


def test_a_page_has_at_most_one_explorer_and_no_two_have_one_name():
    pages = [page for page, name in ALL if is_explorer(page, name)]
    assert len(pages) == len(set(pages))
    assert len({name for _, name in ALL}) == len(ALL)


@pytest.mark.parametrize("page", PAGES_WITH)
def test_what_a_page_stores_has_a_form_for_each_reader_and_names_no_model(page):
    models, outputs = stored(page)
    assert {model["model_name"] for model in models.values()} == {"AnyModel", "LayoutModel"}
    shown = [data for data in outputs if {PAGE_HTML, VIEW} & {*data}]
    assert any(VIEW in data for data in shown)
    for data in shown:
        assert "text/plain" in data and ("text/html" in data or {PAGE_HTML, "image/png"} <= {*data})
        text = json.dumps([data.get(kind) for kind in (PAGE_HTML, "text/html", "text/plain")])
        assert not any(model in text for model in models), "it changes from run to run"


EXPLORERS = [
    pytest.param(*each, marks=[pytest.mark.thorough] if each[1] == "own_data" else [], id=each[1])
    for each in ALL
    if is_explorer(*each)
]


@pytest.mark.parametrize(("page", "name"), EXPLORERS)
def test_an_explorer_keeps_the_contract(page, name):
    explorer = made(page, name)
    assert isinstance(explorer, Explorer)
    assert explorer._key in stored_keys(page), "the page stores another one"
    one_idea(explorer)
    every_position_speaks(explorer, page)
    a_live_kernel_shows_the_same(explorer)
    strange_values_are_refused(explorer)
    still = explorer.still()
    assert still.name == explorer.name and still.alt.startswith(f"{to_plain(explorer.title)}: ")
    assert len(still.alt) > len(explorer.title) + 40


def one_idea(explorer):
    assert len(explorer.controls) <= 3
    for control in explorer.controls:
        # A slider feels continuous; else two or three buttons, or the printed rule and its repairs.
        few, many = len(control.values) <= 4, len(control.values) >= 30
        assert many if isinstance(control, Slider) else few, control.name
    sliders = {control.name for control in explorer.controls if isinstance(control, Slider)}
    assert sliders or explorer.name == "own-data-explorer"


def every_position_speaks(explorer, page):
    table = explorer._unpacked
    assert len(table["grid"]) == math.prod(explorer.shape)
    assert all(math.isfinite(x) for x in numbers([table["arrays"], table["axes"], table["marks"]]))
    assert len(table["axes"]) <= 2, "an axis moves while a control does"
    for x, y, marks, readouts, sentence, warning, _ in table["views"]:
        assert marks and len(readouts) <= 4
        assert said(table["strings"][sentence]), table["strings"][sentence]
        assert warning is None or said(table["strings"][warning])
        for axis in (table["axes"][x], table["axes"][y]):
            assert axis["low"] < axis["high"] and axis["label"] and len(axis["ticks"]) >= 2
    for mark in table["marks"] if page in STORY else []:
        assert mark["role"] == (palette.meaning(mark["label"]) or mark["role"]), mark["label"]


def a_live_kernel_shows_the_same(explorer):
    places = [np.random.default_rng(k).integers(explorer.shape).tolist() for k in range(3)]
    for place in places:
        controls = list(zip(explorer.controls, place, strict=True))
        live = explorer.view(**{control.name: control.values[k] for control, k in controls})
        assert live == explorer.stored_view(*place)
        between = {}
        for control, k in controls:
            between[control.name] = value = control.values[k]
            if isinstance(control, Slider):
                middle = (value + control.values[max(k - 1, 0)]) / 2
                between[control.name] = int(middle) if control.integer else middle
        assert said(explorer.view(**between)["sentence"])


def strange_values_are_refused(explorer):
    for control in explorer.controls:
        beyond = [-1e9, 1e9, math.nan, None, "x"] if isinstance(control, Slider) else ["x", 3]
        for value in beyond:
            with pytest.raises((TypeError, ValueError), match=rf"\b{control.name}\b"):
                explorer.view(**{**explorer.values, control.name: value})


@pytest.mark.parametrize(("page", "name"), [each for each in ALL if not is_explorer(*each)])
def test_a_lab_is_the_one_that_the_page_stores(page, name):
    lab = made(page, name)
    assert isinstance(lab, LiveLab) and lab._key in stored_keys(page)
    assert len(lab.controls().children) == len(lab._controls) + 2


TYPED = [
    ("separate_points", "points", "0 0 1; 0 0 2", "equal points with different labels: rows 0"),
    ("separate_points", "points", "0 0 1; 1 1 1", "two different labels"),
    ("separate_points", "points", "0 0 1; 1 2", "got '1 2' as number 2"),
    ("separate_points", "points", "0 0 one", "triples"),
    ("separate_points", "points", "0 0 nan; 1 1 2", "finite"),
    ("merge_two_balls", "rows", "1 2; 1", "one length"),
    ("merge_two_balls", "rows", "1 a", "rows must be numbers, got '1 a' as number 1"),
    ("two_neurons_for", "edges", "0 0.5", "whole numbers"),
    ("two_neurons_for", "edges", "0 1 2 3", "2 or 3 vertices"),
    ("two_neurons_for", "edges", "0 12", "from 0 to 11, got 12"),
]


@pytest.mark.parametrize(("name", "control", "text", "said"), TYPED)
def test_mistakes_in_a_typed_line_are_named(name, control, text, said, capsys):
    (page,) = (page for page, lab in ALL if lab == name)
    lab = made(page, name)
    inputs = zip(lab._controls, lab.controls().children, strict=False)
    lab.run(**{**{each.name: shown.value for each, shown in inputs}, control: text})
    assert said in capsys.readouterr().out

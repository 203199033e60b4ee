"""Widgets and figures in an executed notebook: no waiting, no leftovers, the same bytes again."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
import run_notebooks

from sublinear_lib.plotting import PAGE_HTML

CELLS = [
    """\
from sublinear_lib import plotting
from sublinear_lib.widgets import Axis, Explorer, Line, LiveLab, Slider, View

def parabola(a):
    xs = [x / 10 for x in range(-10, 11)]
    return View(x=Axis(label="*x*"), y=Axis(label="*y*"), sentence=f"Steepness {a:g}.",
                marks=[Line(xs, [a * x * x for x in xs], label="*a* *x*^{2}")])

explorer = Explorer(parabola, [Slider("a", "steepness", [0.5, 1.0, 2.0])], title="A parabola")
explorer""",
    """\
figure = plotting.figure()
axes = plotting.panel(figure, xlabel="*x*")
axes.plot([0, 1], [0, 1])
picture = plotting.Picture(figure, alt="A line that rises from 0 to 1.", name="line")
picture""",
    """\
LiveLab(lambda a: print(a), [Slider("a", "a", [1, 2])], title="A lab")""",
]
STATE = "application/vnd.jupyter.widget-state+json"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    path = tmp_path_factory.mktemp("part") / "page.ipynb"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbformat.write(notebook, path)
    return path, run_notebooks.fresh(path)


@pytest.mark.thorough
def test_running_a_page_again_gives_the_same_bytes(stored: tuple[Path, str]) -> None:
    path, text = stored
    assert run_notebooks.fresh(path) == text


def test_what_a_page_stores_has_a_form_for_each_reader_and_names_no_model(
    stored: tuple[Path, str],
) -> None:
    notebook = json.loads(stored[1])
    state = notebook["metadata"]["widgets"][STATE]["state"]
    kinds = sorted(entry["model_name"] for entry in state.values())
    assert kinds == ["AnyModel", "AnyModel", "LayoutModel", "LayoutModel"], "no classic control"
    *pictures, lab = shown = [cell["outputs"][0]["data"] for cell in notebook["cells"]]
    assert all({PAGE_HTML, "image/png", "text/plain"} <= set(each) for each in pictures)
    assert {"text/html", "text/plain"} <= set(lab)
    for data in shown:
        for kind in (PAGE_HTML, "text/html", "text/plain"):
            assert not any(model in "".join(data.get(kind, "")) for model in state)

"""A chapter in a real JupyterLab, as `make lab` opens it: what is seen before and after a run."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest
from run_notebooks import ROOT

from tests.commands import wait_for

pytest.importorskip("jupyterlab_myst", reason="JupyterLab comes with the extra [lab]")

pytestmark = pytest.mark.thorough

CHAPTER = "how-many-neurons-fire"
# Text that a reader sees, without the source that KaTeX keeps beside a formula, and code.
RAW = r"""() => {
  const found = [], parts = document.querySelectorAll(".jp-MarkdownCell .myst");
  for (const part of parts) {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (!node.parentElement.closest("annotation, code")
          && /\{[\w:-]+\}|:{3}|\\[a-zA-Z]+|Undefined|control sequence/.test(node.textContent))
        found.push(node.textContent);
  }
  return found;
}"""
# The size of what each output with a picture shows: its image, the first panel of its drawing, or
# its explorer.
PICTURES = """() => [...document.querySelectorAll(".jp-OutputArea-output")].map((output) => {
  const picture = output.querySelector("img, .sl-figure svg, .sl-explorer svg");
  return picture && picture.getBoundingClientRect().toJSON();
}).filter(Boolean).map((box) => [box.width, box.height])"""

GAVE_UP = "Error displaying widget: model not found"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Start JupyterLab on a checkout with one chapter; give its folder and address."""
    checkout = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "tools", checkout / "tools")
    shutil.copy(ROOT / "_config.yml", checkout)
    folder = checkout / "book" / "part1"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "book" / "part1" / f"{CHAPTER}.ipynb", folder)
    places = {f"JUPYTER_{name}_DIR": str(checkout / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    environment = {**os.environ, **places, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "tools/lab.py", "--no-browser", "--IdentityProvider.token=key"]
    with (checkout / "log").open("w") as log:
        streams = {"stdout": log, "stderr": subprocess.STDOUT}
        server = subprocess.Popen(command, cwd=checkout, env=environment, **streams)
    try:
        info = checkout / "RUNTIME" / f"jpserver-{server.pid}.json"
        wait_for(lambda: (info.exists() and info.stat().st_size) or server.poll() is not None, 120)
        assert info.exists(), (checkout / "log").read_text()
        yield folder, json.loads(info.read_text())["url"]
    finally:
        server.terminate()
        server.wait(60)


def cells(folder, name, kind):
    """Return the cells of a kind of a stored chapter."""
    notebook = json.loads((folder / f"{name}.ipynb").read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def pictures(folder, name):
    """Count the outputs of a stored chapter that have a picture."""
    outputs = [output for cell in cells(folder, name, "code") for output in cell["outputs"]]
    return sum("image/png" in each.get("data", {}) for each in outputs)


def opened(browser, lab, name):
    """Open a chapter, and wait until every cell with text and every picture is drawn."""
    folder, address = lab
    page = browser.new_page(viewport={"width": 1200, "height": 20_000})
    page.set_default_timeout(300_000)
    texts, all_seen = len(cells(folder, name, "markdown")), pictures(folder, name)
    # If JupyterLab is busy, its widgets may give up on a stored one after 2 seconds for good
    # (issue 3823 of ipywidgets).  A reader is told to load the page again.
    for _ in range(5):
        page.goto(f"{address}lab/tree/part1/{name}.ipynb?reset&token=key")
        page.wait_for_function(
            f"document.querySelectorAll('.jp-MarkdownCell .myst').length >= {texts}"
        )
        seen = f"({PICTURES})().length >= {all_seen}"
        page.wait_for_function(f"{seen} || document.body.innerText.includes({GAVE_UP!r})")
        if page.evaluate(seen):
            break
    else:
        pytest.fail(f"five times: {GAVE_UP}")
    return page


def _saves(answer):
    return answer.request.method == "PUT" and "/api/contents/" in answer.url


@pytest.mark.browser
def test_before_a_run_every_picture_is_seen_every_role_is_read_and_saving_is_safe(lab, browser):
    folder, _ = lab
    file = folder / f"{CHAPTER}.ipynb"
    before = file.read_bytes()
    page = opened(browser, lab, CHAPTER)
    sizes = page.evaluate(PICTURES)
    assert len(sizes) == pictures(folder, CHAPTER) and min(map(min, sizes)) > 100
    assert page.evaluate(RAW) == []
    assert page.locator("svg[role=img]").count() > 0, "a trusted picture is a drawing"
    assert page.locator(".sl-explorer input[type=range]").count() > 0, "before a run, and live"
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    with page.expect_response(_saves):
        page.keyboard.press("Control+s")
    assert file.read_bytes() == before
    page.close()


@pytest.mark.browser
def test_after_run_all_a_width_between_the_stored_ones_moves_the_picture_at_once(lab, browser):
    page = opened(browser, lab, CHAPTER)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    explorer = page.locator(".sl-explorer:not(.sl-lab)").first
    boxes = explorer.locator("input[type=number]")
    boxes.first.wait_for()  # number boxes come when a kernel answers
    drawing = explorer.locator("svg[role=img]").first
    changed = "([old, drawing]) => drawing.innerHTML !== old"
    old = [drawing.inner_html(), drawing.element_handle()]
    began = time.monotonic()
    boxes.first.fill("12345")
    boxes.first.press("Enter")
    page.wait_for_function(changed, arg=old)
    assert time.monotonic() - began < 10, "a quarter of a second on a quiet machine"
    page.locator(".sl-lab .widget-label").first.wait_for()
    cut = "(labels) => labels.filter((each) => each.scrollWidth > each.clientWidth).length"
    assert page.locator(".sl-lab .widget-label").evaluate_all(cut) == 0
    page.close()

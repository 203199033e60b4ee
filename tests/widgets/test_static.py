"""The scripts that the page carries: small, alone, and without a formula of the book."""

import re

import pytest

from sublinear_lib.plotting.palette import ROLES
from sublinear_lib.widgets import Explorer, LiveLab
from sublinear_lib.widgets._common import STATIC
from sublinear_lib.widgets.algorithm import AlgorithmPlayer
from tests.commands import ROOT

BOOT = ROOT / "book" / "_static" / "widgets-boot.js"
SCRIPTS = {path.name: path for path in (*STATIC.glob("*.js"), BOOT)}


def test_our_scripts_are_small():
    sizes = {name: path.stat().st_size for name, path in SCRIPTS.items()}
    # The player computes what it shows; the others draw what Python computed.
    assert sizes.pop("algorithm.js") < 50_000
    assert set(sizes) == {"explorer.js", "lab.js", "widgets-boot.js"}
    assert sum(sizes.values()) < 40_000


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_a_script_loads_nothing_and_asks_nobody(name):
    text = SCRIPTS[name].read_text(encoding="utf-8")
    code = re.sub(r"^\s*(//|/?\*).*$", "", text, flags=re.MULTILINE)
    assert not re.search(r"^\s*import\s", code, re.MULTILINE)
    code = code.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|fetch\(|XMLHttpRequest|require\(", code)
    assert not re.search(r"\beval\b|new Function|document\.write", code)


def test_the_front_end_holds_no_formula_of_the_book():
    text = SCRIPTS["explorer.js"].read_text(encoding="utf-8")
    # A logarithm is the scale of an axis; nothing else of analysis may be there.
    functions = set(re.findall(r"Math\.(\w+)", text))
    assert functions <= {"min", "max", "round", "floor", "ceil", "abs", "log", "random"}, functions


@pytest.mark.parametrize("sheet", ["explorer.css", "algorithm.css"])
def test_the_style_sheet_uses_only_colors_of_the_palette(sheet):
    layout = (STATIC / sheet).read_text(encoding="utf-8")
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgb\(|hsl\(", layout)
    assert set(re.findall(r"var\(--sl-(\w+)", layout)) <= set(ROLES)


@pytest.mark.parametrize("widget", [AlgorithmPlayer, Explorer, LiveLab])
def test_a_widget_brings_its_palette_and_style_along(widget):
    assert "--sl-c1:" in widget._css and ".sl-explorer" in widget._css
    assert "export default { render }" in widget._esm

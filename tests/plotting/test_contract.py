"""What every picture promises, whatever it shows; a picture has a maker among those collected here.

Colors without a dark value, mathtext and names that are none are refused where a picture is made
(`test_picture`).
"""

import importlib
import json
import re
from collections import Counter
from functools import partial

import pytest

from sublinear_lib.plotting.palette import DARK
from tests.commands import ROOT

DRAWINGS = (".figures", "plotting.pictures", "plotting.results")
SUITES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for pattern in ("plotting/test_pictures.py", "chapters/test_*.py")
    for path in ROOT.glob(f"tests/{pattern}")
}
MAKERS = {
    f"{suite.rpartition('test_')[2]}-{name}": make
    for suite in sorted(SUITES)
    for name, make in vars(importlib.import_module(suite)).items()
    if isinstance(make, partial) and make.func.__module__.endswith(DRAWINGS)
}
RAW = re.compile(r"\\[a-z]+|\$|[_^]\{|\*[^ *][^*]*\*")
SIDE = re.compile(r"\b(left|right)[ -](panel|plot|picture|hand)|\b(on|to|at) the (left|right)\b")
SMALLEST = 10.0  # a panel is shown up to a third larger than it is drawn
LARGEST = 90_000


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_every_picture_keeps_the_contract(make):
    picture = make()
    html, alt = picture.html, picture.alt
    assert html == make().html, "the same numbers give the same bytes"
    assert len(html) < LARGEST, len(html)
    assert re.search(r"\d", alt) and alt.endswith("."), "the text gives numbers, in sentences"
    assert not RAW.search(alt) and not SIDE.search(alt), alt
    shown = [re.sub("<[^>]+>", "", text) for text in re.findall(r"<text[^>]*>(.*?)</text>", html)]
    assert shown and not any(RAW.search(text) for text in shown), shown
    assert set(re.findall(r"var\(--sl-(\w+)", html)) <= set(DARK), "each color has a dark value"
    sizes = re.findall(r"font-size:([\d.]+)px", "".join(re.findall(r"<text.*?>", html)))
    assert min(map(float, sizes)) >= SMALLEST
    assert len(set(re.findall(r'viewBox="0 0 ([\d.]+ [\d.]+)"', html))) == 1, "panels are equal"
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids)) and all(each.startswith(picture.name) for each in ids)
    for width, svg in re.findall(r'viewBox="0 0 (\d+) \d+"(.*?)</svg>', html, re.DOTALL):
        for x in re.findall(r'<text[^>]*? x="(-?[\d.]+)"', svg):
            assert -1 <= float(x) <= float(width), "no label leaves the drawing"
    own = make(alt="The author says it better.", caption="*m* grows", name="renamed")
    assert own.alt == "The author says it better." and 'id="renamed"' in own.html
    assert "<figcaption><i>m</i> grows</figcaption>" in own.html


def test_every_drawing_of_a_page_has_a_maker():
    """A picture that no maker draws would keep no contract."""
    drawn = set()
    for pattern in ("chapters/*/figures.py", "plotting/*.py"):
        for path in ROOT.glob(f"sublinear_lib/{pattern}"):
            drawn |= set(re.findall(r"^@picture\ndef (\w+)", path.read_text(), re.MULTILINE))
    assert {make.func.__name__ for make in MAKERS.values()} == drawn and len(drawn) > 50


@pytest.mark.parametrize("path", sorted(ROOT.glob("book/**/*.ipynb")), ids=lambda path: path.stem)
def test_stored_pictures_have_names_of_their_own_and_captions_that_fit_a_phone(path):
    names, captions = Counter[str](), []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            html = "".join(data.get("application/vnd.sublinear.picture", ""))
            names.update(re.findall(r'<figure class="sl-figure" id="([^"]+)"', html))
            captions += re.findall("<figcaption>(.*?)</figcaption>", html)
    assert all(count == 1 for count in names.values()), names
    assert not [caption for caption in captions if SIDE.search(caption)]

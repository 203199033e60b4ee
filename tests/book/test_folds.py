"""In a closed fold formulas and colors wait, and are there when anybody looks."""

import json
import re
from html import unescape

import check_book
import pytest
from browser import until
from companion_folds import plain_code, wait_in_folds

CHAPTER = "book/part1/f-versus-the-pseudo-network"
SCRIPT = (check_book.ROOT / "book" / "_static" / "folds.js").read_text(encoding="utf-8")
FORMULA = (
    '<span class="math notranslate nohighlight"><math data-tex="{0}"><mi>{0}</mi></math></span>'
)
CODE = '<div class="highlight"><pre><span></span>{}</pre></div>'
COLORED = (
    'if <span class="o">&lt;</span> \U0001f9e0<span class="mi">3</span>\n<span class="k">x</span>'
)

FOLDS = f"""<article><p>{FORMULA.format("a")}</p>
<details class="outer"><summary>About {FORMULA.format("b")}</summary>
<p id="within">Words <span class="unbroken">({FORMULA.format("c")},</span></p>{CODE.format(COLORED)}
<details><summary>{FORMULA.format("d")}</summary><div class="math notranslate nohighlight" id="e">
<math display="block"><mi>e</mi></math></div></details>
<noscript><p>{FORMULA.format("f")}</p></noscript></details>
<details open><summary>Open</summary>{FORMULA.format("g")}{CODE.format(COLORED)}</details>
</article>"""


def waiting(html):
    """Return the formulas that wait."""
    return re.findall(r'<noscript class="folded">.*?<mi>(\w)</mi>.*?</noscript>', html, re.DOTALL)


def test_what_a_closed_fold_hides_waits_and_nothing_else():
    html = wait_in_folds(FOLDS)
    assert waiting(html) == ["c", "e"]
    assert html.count("data-colors") == 1 and html.count('class="mi"') == 1
    assert "Words" in html and 'id="e"' in html  # a search and a link find what they look for
    # a browser without scripts has every formula; one with scripts reads these as text
    assert re.sub(r'<noscript class="folded">(.*?)</noscript>', r"\1", html, flags=re.DOTALL).count(
        "<math"
    ) == FOLDS.count("<math")


def test_colors_are_counted_in_the_characters_of_a_script():
    text, colors = plain_code(COLORED)
    assert text == "if &lt; \U0001f9e03\nx"
    assert colors == "3 o 1 3 mi 1 1 k 1"


@pytest.mark.browser
@pytest.mark.parametrize(
    "way",
    [
        "document.querySelector('summary').click()",
        "document.querySelector('details').open = true",
        "location.hash = '#e'",
        "dispatchEvent(new Event('beforeprint'))",
    ],
)
def test_a_fold_that_opens_is_as_it_was(browser, tmp_path, way):
    place = tmp_path / "page.html"
    shown = {}
    tab = browser.new_page()
    try:
        for name, html in (("before", FOLDS), ("now", wait_in_folds(FOLDS))):
            page = f"<!doctype html><meta charset=utf-8>{html}<script>{SCRIPT}</script>"
            place.write_text(page, "utf-8")
            tab.goto(place.as_uri())
            if name == "now":
                assert tab.locator("math").count() == 4
            tab.evaluate(way)
            until(tab, "() => !document.querySelector('noscript.folded, [data-colors]')")
            article = tab.evaluate("document.querySelector('article').innerHTML")
            shown[name] = article.replace("<span></span>", "")
    finally:
        tab.close()
    assert shown["now"] == shown["before"]


def test_every_page_has_the_code_of_its_notebook(html):
    for path in sorted((check_book.ROOT / "book").rglob("*.ipynb")):
        page = (html / path.relative_to(check_book.ROOT)).with_suffix(".html").read_text("utf-8")
        parts = re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
        codes = {unescape(re.sub(r"<[^>]*>", "", each)).strip() for each in parts}
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            unseen = {"remove-input", "remove-cell"}.intersection(cell["metadata"].get("tags", []))
            if cell["cell_type"] == "code" and not unseen:
                assert "".join(cell["source"]).strip() in codes, path.name


@pytest.mark.browser
def test_a_link_into_a_fold_of_a_chapter_finds_its_place_and_its_formulas(visit):
    tab = visit(CHAPTER).tab
    inside = tab.evaluate(
        """() => [...document.querySelectorAll("article details [id]")].findLast((each) =>
            each.closest("details").querySelector("noscript.folded")).id"""
    )
    count = "document.querySelectorAll('article math').length"
    few = tab.evaluate(count)
    tab.goto(f"{tab.url}#{inside}")
    until(tab, f"() => {count} > {few}")
    place = f"document.getElementById({inside!r})"
    assert tab.evaluate(f"() => !{place}.closest('details').querySelector('noscript.folded')")
    until(tab, f"() => {place}.getBoundingClientRect().top < innerHeight")
    assert tab.evaluate(f"() => {place}.getBoundingClientRect().bottom > 0")


@pytest.mark.browser
def test_without_scripts_every_formula_is_there(show, html):
    page = html / f"{CHAPTER}.html"
    written = page.read_text(encoding="utf-8").count("<math ")
    assert show(page.as_uri(), scripts=False).locator("article math").count() == written > 500

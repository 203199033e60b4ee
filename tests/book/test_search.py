"""Search as a reader meets it: from a page, by keyboard, with a server and without one."""

import json
import re

import pytest
import time_pages
from companion_search import letters_of, sections_of
from py_mini_racer import MiniRacer

from tests.book.accessible import findings


@pytest.fixture(scope="module")
def ranked(html):
    """Return the pages that the script of the search finds, best first, without a browser."""
    engine = MiniRacer()
    engine.eval("const window = globalThis;")
    engine.eval((html / "_static" / "companion-index.js").read_text(encoding="utf-8"))
    engine.eval((html / "_static" / "search.js").read_text(encoding="utf-8"))
    engine.eval("const pages = companionSearch.prepared(companionIndex);")
    engine.eval("const names = answers => JSON.stringify(answers.map(each => each.page.page));")
    engine.eval("const found = query => names(companionSearch.search(pages, query));")
    return lambda query: json.loads(engine.call("found", query))


@pytest.mark.parametrize(("query", "wanted"), time_pages.QUERIES.items())
def test_the_page_that_a_reader_wants_comes_first(query, wanted, ranked):
    assert ranked(query)[0] == f"{wanted}.html"


def test_words_that_no_page_has_together_find_something(ranked):
    assert len(ranked("dead neurons")) > 3
    assert ranked("xyzzy") == [] == ranked("  ")


def test_chapters_come_before_pages_of_the_library(ranked):
    found = ranked("half-space")
    library = [at for at, page in enumerate(found) if "/api/" in page]
    assert library and min(library) > found.index("book/part1/half-space-reporting.html")


def test_a_search_loads_less_than_a_megabyte_and_no_raw_tex(html):
    index = (html / "_static" / "companion-index.js").read_text(encoding="utf-8")
    assert len(index.encode()) < 620_000
    assert not re.search(r"\\\\(?:frac|tau|rec|le)\b", index)
    assert not (html / "searchindex.js").exists()


def test_sections_are_told_apart_and_say_nothing_twice():
    page = (
        '<article><section id="a"><h1>Title<a class="headerlink">#</a></h1><p>One</p><p>two '
        "<math><mi>τ</mi></math> <math><msup><mi>m</mi><mn>2</mn></msup></math></p><pre>code</pre>"
        '<section id="b"><h2>Deeper</h2><p>three</p></section></section></article>'
    )
    found = {anchor: (heading, text) for anchor, heading, _, text in sections_of(page)}
    assert found == {"a": ("Title", "One two τ …"), "b": ("Deeper", "three")}


def test_a_letter_is_known_by_what_it_means():
    row = "<tr><td><math><mi>{}</mi></math></td><td><code>{}</code></td><td>{}</td></tr>"
    rows = row.format("τ", "tau", "threshold of a neuron, in units") + row.format("d", "d, n", "x")
    page = f"<article><table><tbody>{rows}</tbody></table></article>"
    assert letters_of(page) == {"tau": "threshold of a neuron"}


@pytest.mark.browser
@pytest.mark.parametrize(("over", "width"), [("http", 1280), ("file", 390)])
def test_a_word_is_found_from_any_page(over, width, visit):
    scheme = "light" if over == "http" else "dark"
    page = visit("book/how-to-read", over=over, scheme=scheme, width=width)
    tab = page.tab
    tab.keyboard.press("Control+k")
    field = tab.locator("dialog[open] input[type=search]")
    field.fill("falsify")
    field.press("Enter")
    results = tab.locator("#search-results li")
    results.first.wait_for()
    excerpts = tab.locator("#search-results li .context").all_inner_texts()
    assert any("falsif" in text for text in excerpts)
    assert not [text for text in excerpts if "\\" in text or "$" in text]
    assert not [url for url in page.requests if "/book/" in url and "how-to-read" not in url]
    assert findings(tab) == []
    assert page.complaints == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    results.first.locator("a").first.focus()
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/book/**")
    assert "falsify" in tab.locator("article").inner_text()

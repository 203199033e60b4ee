"""What pages weigh and how long they take: the goals are held, and the page tells them."""

import json

import check_book
import pytest
import time_pages
from browser import serving

STORED = json.loads(time_pages.STORED.read_text(encoding="utf-8"))

MOVES = """<!doctype html><title>x</title><body><main><p id="a">Some text.</p>%s</main><script>
new PerformanceObserver(() => { document.getElementById("a").style.marginTop = "%dpx"; })
    .observe({ type: "paint", buffered: true });</script>"""


@pytest.mark.browser
def test_what_moves_is_seen_and_what_stays_is_not(browser, tmp_path):
    for name, far in (("moves", 400), ("stays", 0)):
        (tmp_path / f"{name}.html").write_text(MOVES % ("<p>x</p>" * 30, far), encoding="utf-8")
    with serving(tmp_path) as address:
        assert time_pages.moved(browser, f"{address}/moves.html", 1280) > 0.05
        row = time_pages.weighed(browser, f"{address}/stays.html")
    assert row["shift"] < 0.02  # less than a line
    assert row["bytes"] == (tmp_path / "stays.html").stat().st_size
    assert row["requests"] in (1, 2)  # some browsers ask for an icon


def test_the_stored_measurement_is_of_these_pages_and_searches_and_reaches_its_goals():
    assert [row["page"] for row in STORED["now"]["pages"]] == list(time_pages.PAGES)
    assert set(time_pages.PAGES) <= set(check_book.chapters())
    assert STORED["goals"] == time_pages.GOALS
    for row in STORED["now"]["pages"]:
        for goal, most in time_pages.GOALS.items():
            assert row[goal] <= most, (row["page"], goal)
    assert [row["query"] for row in STORED["now"]["search"]] == list(time_pages.QUERIES)
    assert all(row["place"] == 1 and row["bytes"] < 1e6 for row in STORED["now"]["search"])


def test_the_page_tells_what_was_measured_and_on_what_machine(html):
    page = check_book.Page.read(html, "book/reference/benchmarks.html")
    text = check_book.words(page.article)
    assert STORED["now"]["environment"]["processor"] in text and STORED["now"]["date"] in text
    pages, searches = page.article.css("section#the-pages-of-this-book table")
    assert len(pages.css("tbody tr")) == 1 + len(STORED["now"]["pages"])
    assert len(searches.css("tbody tr")) == len(STORED["now"]["search"])

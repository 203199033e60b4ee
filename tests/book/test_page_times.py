"""What pages weigh and how long they take: the goals are held, and the page tells them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import check_book
import companion_times
import pytest
import time_pages
from browser import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

STORED = json.loads(time_pages.STORED.read_text(encoding="utf-8"))

MOVES = """<!doctype html><title>x</title><body><main><p id="a">Some text.</p>%s</main><script>
setTimeout(() => { document.getElementById("a").style.marginTop = "%dpx"; }, 100);</script>"""
CONTROL = (
    '<article><a href="#a">one</a><div class="sl-explorer"><input type="range"></div></article>'
)


@pytest.mark.browser
def test_what_moves_is_seen_and_what_stays_is_not(browser: Browser, tmp_path: Path) -> None:
    for name, far in (("moves", 400), ("stays", 0)):
        (tmp_path / f"{name}.html").write_text(MOVES % ("<p>x</p>" * 30, far), encoding="utf-8")
    with serving(tmp_path) as address:
        assert time_pages.moved(browser, f"{address}/moves.html", 1280) > 0.05
        row = time_pages.weighed(browser, f"{address}/stays.html")
    assert row["shift"] < 0.02  # less than a line
    assert row["bytes"] == (tmp_path / "stays.html").stat().st_size
    assert row["requests"] in (1, 2)  # some browsers ask for an icon


@pytest.mark.browser
def test_tabs_are_counted_up_to_the_first_control(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="#a">skip</a>' + MOVES % (CONTROL, 0), "utf-8")
    tab = browser.new_page()
    try:
        tab.goto((tmp_path / "a.html").as_uri())
        assert time_pages.tabs_to_first_control(tab) == 3
    finally:
        tab.close()


def test_the_stored_measurement_is_of_these_pages_and_searches_and_reaches_its_goals() -> None:
    assert [row["page"] for row in STORED["now"]["pages"]] == list(time_pages.PAGES)
    assert set(time_pages.PAGES) <= set(check_book.chapters())
    assert STORED["goals"] == time_pages.GOALS
    for row in STORED["now"]["pages"]:
        for goal, most in time_pages.GOALS.items():
            assert row[goal] <= most, (row["page"], goal)
    assert [row["query"] for row in STORED["now"]["search"]] == list(time_pages.QUERIES)
    assert all(row["place"] == 1 and row["bytes"] < 1e6 for row in STORED["now"]["search"])


def test_the_page_tells_what_was_measured_and_on_what_machine(html: Path) -> None:
    page = check_book.Page.read(html, "book/reference/benchmarks.html")
    text = check_book.words(page.article)
    assert STORED["now"]["environment"]["processor"] in text and STORED["now"]["date"] in text
    pages, searches = page.article.css("section#the-pages-of-this-book table")
    assert len(pages.css("tbody tr")) == 1 + len(STORED["now"]["pages"])
    assert len(searches.css("tbody tr")) == len(STORED["now"]["search"])


def test_before_and_now_stand_beside_each_other() -> None:
    row = {"page": "book/x", "bytes": 1_000_000, "compressed": 250_000, "requests": 9, "nodes": 7,
           "shift": 0.01, "tabs": None, "painted": 1.0, "explorers": None}  # fmt: skip
    found = {
        "date": "2026-01-02",
        "environment": {
            "processor": "P", "cores": 3, "system": "S", "load_average": 0.5, "browser": "B 1"
        },
        "pages": [row],
        "search": [{"query": "tau", "place": 1, "bytes": 500_000}],
    }  # fmt: skip
    stored = {"goals": time_pages.GOALS, "before": None, "now": found}
    text = companion_times.told(stored)
    assert "3 cores, P (S), which 0.5 programs" in text and "→" not in text
    assert "| {doc}`/book/x` | 1.00 | 0.25 | 9 | 7 | 0.01 | – | 1.0 | – |" in text
    older = {**found, "date": "2025-01-02", "pages": [{**row, "bytes": 5_000_000}], "search": []}
    text = companion_times.told({**stored, "before": older})
    assert (
        "the book of 2025-01-02" in text and "5.00 → 1.00" in text and "| tau | 1 | 0.50 |" in text
    )

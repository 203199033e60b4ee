"""The slides and exercise sheets: complete, readable, and as independent as the pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser import until
from bs4 import BeautifulSoup

from tests.book import slides
from tests.book.record import SLIDES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGES = slides.chapters()
CHAPTERS = list(PAGES)


# the fixture `visit`; what it opens has a tab, the requests and the complaints so far
Open = Callable[..., Any]


def page_of(folder: Path, name: str) -> BeautifulSoup:
    return BeautifulSoup((folder / f"{name}.html").read_text(encoding="utf-8"), "html.parser")


def test_the_page_for_instructors_leads_to_every_deck_and_sheet(html: Path) -> None:
    page = page_of(html, "book/teaching")
    targets = [str(link["href"]) for link in page.select("article a[href*='teaching/']")]
    wanted = [f"{name}-{kind}.html" for name in CHAPTERS for kind in ("slides", "exercises")]
    assert sorted(target.rpartition("/")[2] for target in targets) == sorted(
        [*wanted, "all-exercises.html"]
    )


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_sheet_has_every_exercise_of_its_chapter_and_no_solution(name: str, html: Path) -> None:
    chapter = page_of(html, PAGES[name])
    sheet = page_of(html, f"teaching/{name}-exercises")
    ids = [str(box["id"]) for box in chapter.select("article .exercise.admonition")]
    assert ids and [str(box["id"]) for box in sheet.select(".exercise.admonition")] == ids
    assert not sheet.select(".solution, details, .cell")
    everything = page_of(html, "teaching/all-exercises")
    assert {str(box["id"]) for box in everything.select(".exercise.admonition")} >= set(ids)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_deck_shows_the_statements_and_tells_the_sentences(name: str, html: Path) -> None:
    chapter = page_of(html, PAGES[name])
    deck = page_of(html, f"teaching/{name}-slides")
    statements = {
        str(box["id"])
        for box in chapter.select("article .proof.admonition[id]")
        if not box.find_parent("details")
    }
    shown = {str(box["id"]) for box in deck.select(".slides .proof.admonition[id]")}
    assert statements <= shown
    notes = len(deck.select("aside.notes p"))
    assert notes > 10, f"{notes} paragraphs are too few words of explanation for a chapter"
    opening = deck.select_one(".sl-opening p")
    question = chapter.select_one("article section > p:not(.words-line)")
    assert opening is not None and question is not None
    assert opening.get_text() == question.get_text() and "?" in question.get_text()
    assert not deck.select(".slides section section")  # reveal.js would make slides of them
    assert not deck.select(".slides .exercise, .slides .cell_input")


@pytest.mark.browser
@pytest.mark.parametrize("name", slides.decks())
def test_every_slide_fits_and_is_drawn_without_a_request(
    name: str, browser: Browser, html: Path
) -> None:
    found = SLIDES.known(html, name)
    found = slides.faults(browser, html, name) if found is None else found
    assert found == {part: [] for part in SLIDES.parts}


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_slides_follow_the_theme_and_their_explorer_moves(scheme: str, visit: Open) -> None:
    page = visit("teaching/f-versus-the-pseudo-network-slides", scheme=scheme)
    page.tab.wait_for_selector("html[data-slides-ready]", state="attached")
    assert page.tab.locator("html").get_attribute("data-theme") == scheme
    slider = page.tab.locator(".sl-explorer input[type=range]").first
    number = slider.evaluate(
        """each => [...document.querySelectorAll('.slides > section')]
            .findIndex(slide => slide.contains(each))"""
    )
    page.tab.evaluate("number => Reveal.slide(number)", number)
    before = page.tab.locator(".sl-explorer .sl-plot svg").first.inner_html()
    slider.focus()
    page.tab.keyboard.press("ArrowRight")
    # the picture is drawn with the next frame
    until(
        page.tab,
        "old => document.querySelector('.sl-explorer .sl-plot svg').innerHTML !== old",
        arg=before,
    )
    assert page.tab.evaluate("Reveal.getIndices().h") == number  # the key moved the slider alone


@pytest.mark.browser
def test_a_sheet_has_its_formulas_set_and_fits_a_phone(visit: Open, html: Path) -> None:
    page = visit("teaching/all-exercises", width=390)
    formulas = len(page_of(html, "teaching/all-exercises").select("span.math, div.math"))
    assert page.tab.locator("math").count() == formulas > 0
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.complaints == []

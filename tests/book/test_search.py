"""Search as a reader meets it: from a page, by keyboard, with a server and without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.book.accessible import findings

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("over", "scheme", "width"), [("http", "light", 1280), ("file", "dark", 390)]
)
def test_a_word_is_found_from_any_page(
    over: str, scheme: str, width: int, visit: Callable[..., Any]
) -> None:
    page = visit("book/how-to-read", over=over, scheme=scheme, width=width)
    tab = page.tab
    tab.keyboard.press("Control+k")
    field = tab.locator("dialog[open] input[type=search]")
    field.fill("falsify")
    field.press("Enter")
    results = tab.locator("#search-results li")
    results.first.wait_for()
    tab.locator("#search-results h2", has_text="Search Results").wait_for(state="attached")
    if over == "http":  # what stands around the word
        excerpts = tab.locator("#search-results li .context")
        excerpts.first.wait_for()
        assert not [text for text in excerpts.all_inner_texts() if text.startswith("....")]
    note = tab.get_by_text("Excerpts are shown when the book comes from a server")
    assert note.count() == (over == "file")
    assert findings(tab) == []
    assert page.complaints == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    results.first.locator("a").first.focus()
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/book/**")
    assert "falsify" in tab.locator("article").inner_text()

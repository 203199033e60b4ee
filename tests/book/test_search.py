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

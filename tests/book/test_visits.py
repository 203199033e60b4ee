"""Visits are shared: a page is opened once for each reader, and by one worker only."""

import pytest

from tests.book import visits as visits_module
from tests.book.record import PAGES
from tests.book.visits import DESK, PHONE, READERS, look, whole


def test_the_visit_of_a_page_stays_with_one_worker_and_so_does_a_file():
    tests = [f"tests/book/test_a.py::{test}" for test in ("a", "b")]
    mine = {whole(f"{test}[book/x-{reader}]") for test in tests for reader in READERS}
    assert mine == {"book/x"}
    assert whole(f"{tests[0]}[book/y-{READERS[0]}]") == "book/y"
    for test in ("test_a", "test_a[http]", "test_b[f-exercises]", "test_a[a] + [b]", "Class::test"):
        assert whole(f"tests/book/test_a.py::{test}") == "tests/book/test_a.py"


FAULTY = """<!doctype html><html lang="en" data-theme="light"><head><title>A page</title><script>
const scheme = matchMedia("(prefers-color-scheme: dark)");
const follow = () => { document.documentElement.dataset.theme = scheme.matches ? "dark" : "light" };
follow();
scheme.addEventListener("change", follow);
addEventListener("resize", () => { if (innerWidth < 500) throw new Error("too narrow"); });
</script></head><body><main><h1>A page</h1>
<article><p style="width: 500px">wide</p></article></main></body></html>"""


@pytest.mark.browser
def test_what_only_the_second_reader_meets_is_kept_and_told(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(visits_module, "way", lambda name: ("file", (DESK, PHONE)))
    (tmp_path / "page.html").write_text(FAULTY)
    kept = look(browser, tmp_path.as_uri(), "page")
    assert set(kept) == set(PAGES.parts)
    wide = [text.partition(":")[0] for text in kept["too wide, phone"]]
    assert wide == ["page", '<p style="width']
    assert [error for error in kept["errors"] if "too narrow" in error]
    # and on the next visit, on which nobody has a phone
    kept = {**kept, "axe, phone": ["a rule"]}
    monkeypatch.setattr(visits_module, "AT_REST", "nobody waits for the second reader")
    assert look(browser, tmp_path.as_uri(), "page", kept) == kept

"""How long pages take: the measurement sees what keeps a browser busy, and the page tells it."""

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

WORK = """<!doctype html><title>x</title><p>Some text.</p><script>
const work = ms => { const end = performance.now() + ms; while (performance.now() < end); };
setTimeout(work, 600, %d);</script>"""


@pytest.mark.browser
def test_a_task_that_keeps_the_browser_busy_is_seen_and_a_short_one_is_not(
    browser: Browser, tmp_path: Path
) -> None:
    for name, milliseconds in (("busy", 1500), ("calm", 5)):
        (tmp_path / f"{name}.html").write_text(WORK % milliseconds, encoding="utf-8")
    with serving(tmp_path) as address:
        busy = time_pages.seconds(browser, f"{address}/busy.html", "desk", quiet=0.8)
        (calm,) = time_pages.measure(browser, address, ["calm"], rounds=1, quiet=0.8)
    assert calm["page"] == "calm"
    assert busy["interactive"] >= 2.1 > calm["desk"]["interactive"]
    for found in (busy, calm["desk"], calm["phone"]):
        assert 0 < found["painted"] <= found["interactive"]
        assert found["ready"] <= found["interactive"]


def test_the_title_and_a_page_of_every_part_were_measured() -> None:
    pages = [row["page"] for row in STORED["pages"]]
    folders = {name.rpartition("/")[0] for name in check_book.chapters() if name.count("/") == 2}
    assert pages[0] == check_book.chapters()[0]
    assert sorted(name.rpartition("/")[0] for name in pages[1:]) == sorted(folders)
    for row in STORED["pages"]:
        for reader in time_pages.READERS:
            taken = row[reader]
            assert 0 < taken["painted"] <= taken["interactive"], (row["page"], reader)
            assert taken["ready"] <= taken["interactive"] < time_pages.PATIENCE


def test_the_heaviest_page_of_every_part_is_measured(tmp_path: Path) -> None:
    sizes = {"book/intro": 9, "book/a/x": 1, "book/a/y": 3, "book/b/z": 2, "book/b/c/w": 8}
    for name, size in sizes.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.html").write_bytes(b"x" * size)
    assert time_pages.heaviest(list(sizes), tmp_path) == ["book/intro", "book/a/y", "book/b/z"]


def test_the_page_tells_what_was_measured_and_on_what_machine(html: Path) -> None:
    page = check_book.Page.read(html, "book/how-to-read.html")
    times = page.article.css("details table")[-1]
    shown = [
        [check_book.words(cell) for cell in line.css("td")[1:]] for line in times.css("tbody tr")
    ]
    columns = [(reader, kind) for reader in time_pages.READERS for kind in ("ready", "interactive")]
    wanted = [[f"{row[reader][kind]:.1f} s" for reader, kind in columns] for row in STORED["pages"]]
    assert shown == wanted
    text = check_book.words(page.article)
    assert STORED["environment"]["processor"] in text and STORED["date"] in text
    for budget in ("1.5 MB", "300 KB", "5.5 MB"):
        assert budget in text
    assert check_book.LARGEST_PAGE == 1.5e6 and check_book.LARGEST_EXPLORERS == 300e3
    assert check_book.LARGEST_TOTAL == 5.5e6


def test_a_reader_whose_processor_is_slower_is_named() -> None:
    row = {"page": "book/x", "slow": {"painted": 0.5, "ready": 1.04, "interactive": 2.26}}
    stored = {
        "date": "2026-01-02",
        "environment": {
            "processor": "P", "cores": 3, "system": "S", "load_average": 0.5, "browser": "B 1"
        },
        "settings": {
            "rounds": 2, "quiet_seconds": 5.0, "readers": {"slow": {"width": 390, "slowdown": 6}}
        },
        "pages": [row],
    }  # fmt: skip
    text = companion_times.told(stored)
    assert "made 6 times slower" in text and "3 cores, P (S), otherwise idle, medians of 2" in text
    stored["environment"]["load_average"], stored["settings"]["rounds"] = 7.6, 1
    again = companion_times.told(stored)
    assert "which 8 programs wanted at once" in again and "one load into" in again
    assert text.endswith("| {doc}`/book/x` | 1.0 s | 2.3 s |")

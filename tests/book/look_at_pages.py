"""Look thoroughly at every page of the built book, and renew the records that the tests read.

usage: make looks        pages that have changed since they are on record, and those with findings

Both readers visit every page, and axe is asked about it; explorers and quizzes are worked by
keyboard.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import check_book
from browser import chromium, serving
from tqdm import tqdm

from tests.book import accessible, keyboard, record
from tests.book.visits import look, on_record, pages, way

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PROCESSES = 2

Places = dict[str, str]


@contextmanager
def _places() -> Iterator[Places]:
    with serving(check_book.HTML) as address:
        yield {"http": address, "file": check_book.HTML.as_uri()}


def _by_both_readers(browser: Browser, places: Places, name: str) -> record.Findings:
    return on_record(look(browser, places[way(name)[0]], name))


def _by_keyboard(browser: Browser, places: Places, name: str) -> record.Findings:
    return keyboard.faults(browser, places[way(name)[0]], name)


@dataclass(frozen=True)
class Look:
    """One kind of look at pages."""

    record: record.Record
    pages: Callable[[], Sequence[str]]
    at: Callable[[Browser, Places, str], record.Findings]


LOOKS = {
    "pages": Look(record.PAGES, pages, _by_both_readers),
    "keyboard": Look(record.KEYBOARD, keyboard.worked, _by_keyboard),
}


def look_at(kind: str, names: Sequence[str]) -> tuple[str, dict[str, record.Findings], str]:
    """Return what is found at these pages by one kind of look, and the version of the browser."""
    with chromium() as browser, _places() as places:
        found = {name: LOOKS[kind].at(browser, places, name) for name in names}
        return kind, found, browser.version


def main() -> int:
    """Look at what has changed; return 1 if something was found anywhere."""
    found = {
        kind: {name: each.record.kept(check_book.HTML, name) for name in each.pages()}
        for kind, each in LOOKS.items()
    }
    left = [
        (kind, name)
        for kind, some in found.items()
        for name, findings in some.items()
        if findings is None or any(findings.values())
    ]
    browsers = set()
    with ProcessPoolExecutor(PROCESSES) as workers, tqdm(total=len(left), unit="page") as bar:
        jobs = []
        for kind in LOOKS:
            names = [name for each, name in left if each == kind]
            for start in range(0, len(names), 4):
                jobs.append(workers.submit(look_at, kind, names[start : start + 4]))
        for job in as_completed(jobs):
            kind, some, version = job.result()
            browsers.add(version)
            found[kind] |= some
            bar.update(len(some))
    for kind in {kind for kind, _ in left}:
        versions = {"chromium": ", ".join(sorted(browsers))}
        if kind == "pages":
            versions["axe"] = "".join(re.findall(r"axe v([\d.]+)", accessible.AXE)[:1])
        known = {name: each for name, each in found[kind].items() if each}
        LOOKS[kind].record.write(check_book.HTML, known, versions)
    for kind, some in found.items():
        for name, findings in some.items():
            for part, lines in (findings or {}).items():
                for line in lines:
                    print(f"{name}, {kind}, {part}: {line}")
    return int(any(any((each or {}).values()) for some in found.values() for each in some.values()))


if __name__ == "__main__":
    sys.exit(main())

"""Ask axe about every page of the built book, and renew the record that the tests read.

usage: make looks        pages that have changed since they are on record, and those with findings
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager

import check_book
from browser import chromium, serving
from tqdm import tqdm

from tests.book import accessible, record
from tests.book.visits import look, pages, way

PROCESSES = 2


@contextmanager
def _places() -> Iterator[dict[str, str]]:
    with serving(check_book.HTML) as address:
        yield {"http": address, "file": check_book.HTML.as_uri()}


def look_at(names: Sequence[str]) -> tuple[dict[str, record.Findings], str]:
    """Return what axe finds on these pages, for each reader, and the version of the browser."""
    found = {}
    with chromium() as browser, _places() as places:
        for name in names:
            seen = look(browser, places[way(name)[0]], name, thorough=True)
            found[name] = {str(reader): each.findings for reader, each in seen.items()}
        return found, browser.version


def main() -> int:
    """Look at what has changed; return 1 if axe found something anywhere."""
    every = pages()
    found = {name: record.kept(check_book.HTML, name) for name in every}
    left = [name for name, findings in found.items() if findings is None or any(findings.values())]
    versions = {"axe": "".join(re.findall(r"axe v([\d.]+)", accessible.AXE)[:1])}
    with ProcessPoolExecutor(PROCESSES) as workers, tqdm(total=len(left), unit="page") as bar:
        jobs = [
            workers.submit(look_at, left[start : start + 4]) for start in range(0, len(left), 4)
        ]
        for job in as_completed(jobs):
            some, versions["chromium"] = job.result()
            found |= some
            bar.update(len(some))
    if left:
        record.write(
            check_book.HTML, {name: each for name, each in found.items() if each}, versions
        )
    for name, findings in found.items():
        for reader, lines in (findings or {}).items():
            for line in lines:
                print(f"{name}, {reader}: {line}")
    return int(any(any(findings.values()) for findings in found.values() if findings))


if __name__ == "__main__":
    sys.exit(main())

"""Measure how long the pages of the built book take until a reader can work with them.

A page comes from a server on this machine into an empty cache. It is *interactive* as Lighthouse
defines it: from then on no task keeps the browser busy for more than 50 ms, for 5 seconds; and not
before its explorers take input and its formulas are set. Two readers look: one at a desk, and one
with a phone, whose processor is played by slowing this one down four times. Without a network in
between, the times are those of the browser's own work.

usage: python tools/time_pages.py [--rounds N] [--output FILE] [page ...]

Without pages, the title page and the heaviest page of every part are measured, and the result is
stored in ``benchmarks/results/page_times.json``, which the page on how to use the book shows.
"""

from __future__ import annotations

import argparse
import datetime
import json
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from browser import chromium, empty_tab, serving, settle
from check_book import HTML, ROOT, chapters

import benchmarks
from sublinear_lib import archives

if TYPE_CHECKING:
    from playwright.sync_api import Browser

STORED = ROOT / "benchmarks" / "results" / "page_times.json"
# width of the window, and how many times slower the processor is
READERS = {"desk": (1280, 1), "phone": (390, 4)}
QUIET = 5.0
PATIENCE = 120.0

WATCH = """
window.busy = [];
new PerformanceObserver(list => {
    for (const task of list.getEntries()) busy.push(task.startTime + task.duration);
}).observe({ type: "longtask", buffered: true });
"""
# A long task is reported a moment after its end.
LAST = """() => new Promise(done => setTimeout(
    () => done([performance.now(), Math.max(0, ...busy)].map(each => each / 1000)), 100
))"""
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"


def seconds(browser: Browser, address: str, reader: str, quiet: float = QUIET) -> dict[str, float]:
    """Load a page once, and return the times that its reader waits.

    Parameters
    ----------
    browser : Browser
        A running browser.
    address : str
        Address of the page.
    reader : str
        A key of `READERS`.
    quiet : float, default 5
        Seconds without a long task after which nothing is expected any more.

    Returns
    -------
    dict of str to float
        Seconds until something is seen (``painted``), until explorers and formulas are there
        (``ready``), and until the page is ``interactive``.

    Raises
    ------
    TimeoutError
        If the page does not come to rest within two minutes.
    """
    width, slower = READERS[reader]
    tab = empty_tab(browser, "light", width)
    try:
        tab.context.new_cdp_session(tab).send("Emulation.setCPUThrottlingRate", {"rate": slower})
        tab.add_init_script(WATCH)
        tab.goto(address, wait_until="load", timeout=1000 * PATIENCE)
        settle(tab)
        ready, last = tab.evaluate(LAST)
        now = ready
        while now - max(last, ready) < quiet:
            if now > PATIENCE:
                raise TimeoutError(f"{address} was still busy after {now:.0f} s")
            tab.wait_for_timeout(250)
            now, last = tab.evaluate(LAST)
        painted = tab.evaluate(PAINT)
    finally:
        tab.context.close()
    return {"painted": painted, "ready": ready, "interactive": max(painted, ready, last)}


def measure(
    browser: Browser, address: str, names: Sequence[str], rounds: int, quiet: float = QUIET
) -> list[dict[str, Any]]:
    """Measure pages in turn, round by round, and return the medians.

    Parameters
    ----------
    browser : Browser
        A running browser.
    address : str
        Address of the server.
    names : sequence of str
        The pages, such as ``"book/intro"``.
    rounds : int
        How often each reader loads each page.
    quiet : float, default 5
        See `seconds`.

    Returns
    -------
    list of dict
        For every page its ``page``, and for every reader the medians of `seconds` to the hundredth.
    """
    found: dict[str, dict[str, list[dict[str, float]]]] = {
        name: {reader: [] for reader in READERS} for name in names
    }
    for _ in range(rounds):
        for name in names:
            for reader in READERS:
                taken = seconds(browser, f"{address}/{name}.html", reader, quiet)
                found[name][reader].append(taken)
                print(f"{name:60} {reader:6} {taken['interactive']:6.2f} s", flush=True)
    return [
        {"page": name, **{reader: _medians(taken) for reader, taken in by_reader.items()}}
        for name, by_reader in found.items()
    ]


def _medians(taken: list[dict[str, float]]) -> dict[str, float]:
    return {key: round(statistics.median(each[key] for each in taken), 2) for key in taken[0]}


def heaviest(names: Sequence[str], folder: Path = HTML) -> list[str]:
    """Return of every part of the book the page with the most bytes.

    Parameters
    ----------
    names : sequence of str
        The pages in reading order, such as ``"book/part1/who-flips"``.
    folder : Path
        The built book.

    Returns
    -------
    list of str
        The first page, and one for each folder below the first.
    """
    parts: dict[str, dict[str, int]] = {}
    for name in names:
        page = folder / f"{name}.html"
        if name.count("/") == 2 and page.is_file():  # the page that shows the result may be missing
            parts.setdefault(name.rpartition("/")[0], {})[name] = page.stat().st_size
    return [names[0], *(max(part, key=part.__getitem__) for part in parts.values())]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what the command line asks for, and store it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("page", nargs="*", help="default: the heaviest of every part")
    parser.add_argument("--rounds", type=int, default=3, help="loads of each page by each reader")
    parser.add_argument("--output", type=Path, help=f"default: {STORED.relative_to(ROOT)}")
    chosen = parser.parse_args(arguments)
    names = chosen.page or heaviest(chapters())
    environment = benchmarks.environment()
    with chromium(windows=True) as browser, serving(HTML) as address:
        version = browser.version
        pages = measure(browser, address, names, chosen.rounds)
    result = {
        "question": "How long does a page take until a reader can work with it?",
        "date": datetime.date.today().isoformat(),
        "environment": {
            **{key: environment[key] for key in ("processor", "cores", "system", "load_average")},
            "browser": f"Chromium {version}",
        },
        "settings": {
            "rounds": chosen.rounds,
            "quiet_seconds": QUIET,
            "readers": {
                name: {"width": width, "slowdown": slower}
                for name, (width, slower) in READERS.items()
            },
        },
        "pages": pages,
    }
    output = chosen.output or (STORED if not chosen.page else None)
    text = json.dumps(result, indent=1) + "\n"
    if output is None:
        print(text, end="")
    else:
        with archives.replacing(output) as place:
            place.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

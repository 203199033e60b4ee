"""Measure what the pages of the built book weigh, and how long a reader waits for them.

A page is loaded from a server on this machine into an empty cache.  Counted are bytes (as they are,
and compressed), requests, elements, layout shift (from the top, and by a link into the page, wide
and narrow), and the presses of Tab until the first control of an explorer.  Then it is loaded by a
reader with a slow network (1.6 Mbit/s, 150 ms) and a processor four times slower than this one:
when something is drawn, and when the first explorer takes input.  Last, eight words are searched.

usage: python tools/time_pages.py [page ...]

Without pages, the chapters below are measured, and the result goes to
``benchmarks/results/page_times.json``.
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from browser import PackingHandler, chromium, empty_tab, find_chromium, serving, settle, until
from check_book import HTML, ROOT

import benchmarks
from sublinear_lib import archives

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STORED = ROOT / "benchmarks" / "results" / "page_times.json"
PAGES = (
    "book/intro",
    "book/part1/why-training-costs-mnd",
    "book/part1/how-many-neurons-fire",
    "book/part1/f-versus-the-pseudo-network",
    "book/part1/who-flips",
    "book/part1/convergence",
    "book/part1/half-space-reporting",
    "book/part1/what-an-iteration-costs",
    "book/part3/how-adversarial-training-changes-the-race",
)
# what readers look for, and where it is; a letter is where it is introduced
QUERIES = {
    "tau": "book/part1/network-and-shifted-relu",
    "activated neurons": "book/part1/how-many-neurons-fire",
    "pseudo-network": "book/part1/f-versus-the-pseudo-network",
    "Theorem 4.1": "book/part1/f-versus-the-pseudo-network",
    "convergence": "book/part1/convergence",
    "half-space": "book/part1/half-space-reporting",
    "attack": "book/part1/the-adversary-and-its-worst-case",
    "how fast": "book/part1/what-an-iteration-costs",
}
GOALS = {
    **{"bytes": 1_200_000, "compressed": 500_000, "nodes": 8_000, "tabs": 25},
    **{"shift": 0.1, "painted": 2.5, "explorers": 6.0},
}
WIDTHS = (1280, 390)
SLOW = {"latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750, "offline": False}
SLOWER = 4
PATIENCE = 120_000  # milliseconds

WATCH = """
window.moved = 0;
new PerformanceObserver(list => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) moved += shift.value;
}).observe({ type: "layout-shift", buffered: true });
new MutationObserver((_, watcher) => {
    if (!document.documentElement?.hasAttribute("data-widgets-ready")) return;
    window.explorersReady = performance.now();
    watcher.disconnect();
}).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-widgets-ready"] });
"""
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"
# the first explorer; or all of them, in a book that does not tell
READY = """() => (performance.getEntriesByName("explorer")[0]?.startTime
    ?? window.explorersReady ?? 0) / 1000"""
# the headings that others link to: where one explores, the quiz, the verdicts
DEEP = """() => [...document.querySelectorAll("article [id]")].map(each => each.id)
    .filter(id => /^(explore|quiz|the-verdict|where-we-stand)/.test(id)).slice(0, 3)"""
AT_A_CONTROL = """() => !!document.activeElement?.closest(".sl-explorer")
    && document.activeElement.matches("input, select, button, [tabindex], summary")"""


@contextmanager
def watched(browser: Browser, address: str, width: int) -> Iterator[tuple[Page, list[Any]]]:
    """Load a page that tells how it moves; give its tab, once it rests, and what it is sent."""
    tab = empty_tab(browser, "light", width)
    answers: list[Any] = []
    tab.on("response", lambda each: answers.append(each) if each.url[:4] == "http" else None)
    try:
        tab.add_init_script(WATCH)
        tab.goto(address, wait_until="load", timeout=PATIENCE)
        settle(tab)
        until(tab, "performance.getEntriesByName('first-contentful-paint').length")
        tab.wait_for_timeout(500)
        yield tab, answers
    finally:
        tab.context.close()


def weighed(browser: Browser, address: str) -> dict[str, Any]:
    """Load a page once; return its weight, its elements, and how far it moves meanwhile."""
    found = {"bytes": 0, "compressed": 0, "requests": 0}
    with watched(browser, address, WIDTHS[0]) as (tab, answers):
        for answer in answers:
            body = answer.body()
            packed = body if answer.url.endswith((".woff2", ".png")) else gzip.compress(body)
            found["bytes"] += len(body)
            found["compressed"] += len(packed)
            found["requests"] += 1
        found["nodes"] = tab.evaluate("document.querySelectorAll('*').length")
        shift, deep = round(tab.evaluate("moved"), 3), tab.evaluate(DEEP)
        return found | {"shift": shift, "deep": deep, "tabs": tabs_to_first_control(tab)}


def moved(browser: Browser, address: str, width: int) -> float:
    """Return how far what a reader sees moves while a page loads (cumulative layout shift)."""
    with watched(browser, address, width) as (tab, _):
        return round(tab.evaluate("moved"), 3)


def tabs_to_first_control(tab: Page) -> int | None:
    """Press Tab from the top of a page, by its link to the content, up to the first explorer."""
    if not tab.locator("article .sl-explorer").count():
        return None
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    for pressed in range(2, 400):
        tab.keyboard.press("Tab")
        if tab.evaluate(AT_A_CONTROL):
            return pressed
    return 400


def waited(browser: Browser, address: str) -> dict[str, float | None]:
    """Load a page with a slow network and processor; return the seconds until it is there."""
    tab = empty_tab(browser, "light", 390)
    try:
        session = tab.context.new_cdp_session(tab)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", SLOW)
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        tab.add_init_script(WATCH)
        tab.goto(address, wait_until="load", timeout=PATIENCE)
        settle(tab)
        painted, ready = tab.evaluate(PAINT), tab.evaluate(READY)
        return {"painted": round(painted, 2), "explorers": round(ready, 2) if ready else None}
    finally:
        tab.context.close()


def measured(browser: Browser, base: str, name: str) -> dict[str, Any]:
    """Return all that is measured of one page."""
    address = f"{base}/{name}.html"
    row: dict[str, Any] = {"page": name, **weighed(browser, address)}
    shifts = [row["shift"], moved(browser, address, WIDTHS[1])]
    for anchor in row.pop("deep"):
        shifts += [moved(browser, f"{address}#{anchor}", width) for width in WIDTHS]
    return row | {"shift": max(shifts)} | waited(browser, address)


def searched(browser: Browser, base: str, query: str, wanted: str) -> dict[str, Any]:
    """Search for something; return the place of the wanted page, and the bytes that it took."""
    with watched(browser, f"{base}/search.html?q={quote(query)}", WIDTHS[0]) as (tab, answers):
        results = tab.locator("#search-results li > a:first-of-type")
        results.first.wait_for()
        tab.wait_for_load_state("networkidle", timeout=PATIENCE)
        pages = results.evaluate_all("all => all.map(each => each.pathname)")
        places = [at for at, page in enumerate(pages, 1) if page.endswith(f"{wanted}.html")]
        taken = sum(len(answer.body()) for answer in answers)
        return {"query": query, "place": min(places, default=None), "bytes": taken}


def measure(names: Sequence[str], queries: dict[str, str]) -> dict[str, Any]:
    """Measure the built book."""
    environment = benchmarks.environment()
    windows = find_chromium(windows=True) is not None  # what a reader uses, where it is there
    with chromium(windows=windows) as browser, serving(HTML, PackingHandler) as base:
        pages = []
        for name in names:
            pages.append(measured(browser, base, name))
            print(pages[-1], file=sys.stderr, flush=True)
        return {
            "date": datetime.date.today().isoformat(),
            "environment": {
                **{key: environment[key] for key in ("processor", "cores", "system")},
                "load_average": environment["load_average"],
                "browser": f"Chromium {browser.version}",
            },
            "pages": pages,
            "search": [searched(browser, base, *each) for each in queries.items()],
        }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what the command line asks for, and store it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("page", nargs="*", help="default: the title page and eight chapters")
    chosen = parser.parse_args(arguments).page
    found = measure(chosen or PAGES, {} if chosen else QUERIES)
    if chosen:
        print(json.dumps(found, indent=1))
        return 0
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    result = {
        "question": "How long does a page take until a reader can work with it?",
        "goals": GOALS,
        "before": stored["before"],
        "now": found,
    }
    with archives.replacing(STORED) as place:
        place.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

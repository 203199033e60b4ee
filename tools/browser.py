"""Find a Chromium on this machine and start it, for the tests and the pictures of the book."""

from __future__ import annotations

import functools
import gzip
import io
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# What comes first has no windows: the same engine, in which a test starts six times as fast.
SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("msedge", "microsoft-edge"),
)

# No sandbox: containers run as root. The rest keeps the browser itself off the network, so that any
# request a test sees was made by the page.
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def find_chromium(*, windows: bool = False) -> str | None:
    """Return the path of a Chromium, Chrome or Edge, or None when there is none.

    The environment variable ``CHROMIUM`` comes first; it must then name an existing program. With
    `windows` it is the program that a reader uses, and never the one that has no windows.
    """
    if wanted := os.environ.get("CHROMIUM"):
        if found := shutil.which(wanted):
            return found
        raise FileNotFoundError(f"CHROMIUM must name a program that exists, got {wanted!r}")
    for name in NAMES if windows else (*SHELLS, *NAMES):
        if found := shutil.which(name):
            return found
    mac = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
    return str(mac) if mac.exists() else None


@contextmanager
def chromium(*, windows: bool = False) -> Iterator[Browser]:
    """Start the Chromium of this machine, as `find_chromium` does, until the end of the block."""
    from playwright.sync_api import sync_playwright

    path = find_chromium(windows=windows)
    if path is None:
        raise FileNotFoundError(
            "no Chromium found: install one, or name it in the environment variable CHROMIUM"
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Keep the requests out of what is printed."""


class PackingHandler(_Quiet):
    """Sends texts compressed, as the servers do from which books are read."""

    def send_head(self) -> Any:
        """Send the head of an answer; return what follows it."""
        path = Path(self.translate_path(self.path))
        if path.suffix not in {".html", ".css", ".js", ".svg", ".json"} or not path.is_file():
            return super().send_head()
        body = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)


@contextmanager
def serving(folder: Path, kind: type[_Quiet] = _Quiet) -> Iterator[str]:
    """Offer a folder to this machine; give the address, without a slash at its end."""
    handler = functools.partial(kind, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def empty_tab(browser: Browser, scheme: str, width: int) -> Page:
    """Open an empty tab of that width for a reader who prefers `scheme` and no motion."""
    size = {"width": width, "height": 900}
    return browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")


def settle(tab: Page) -> None:
    """Wait until the explorers of a loaded page are drawn and its fonts are there."""
    if tab.locator('script[type="application/vnd.jupyter.widget-state+json"]').count():
        tab.wait_for_selector("html[data-widgets-ready]", state="attached")
    tab.evaluate("() => document.fonts.ready.then(() => 1)")


def until(tab: Page, question: str, arg: Any = None) -> None:
    """Wait until the page answers a question, written in JavaScript, with yes.

    Playwright's own ``wait_for_function`` asks again by means of ``eval`` within the page, which
    the policy of the book's pages refuses.
    """
    end = time.monotonic() + 30.0
    while not tab.evaluate(question, arg):
        if time.monotonic() > end:
            raise TimeoutError(f"after 30 s the answer is still no: {question}")
        tab.wait_for_timeout(20)

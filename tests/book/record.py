"""What thorough looks at the pages of the book found, kept by the content of the pages.

Two looks take most of the time of the browser tests: that of axe and of the second reader at every
page, and the walk through explorers and quizzes by keyboard alone. What they find depends on
nothing but the page, the styles and scripts of the book, and on how one looks. So ``make looks``
makes them and keeps the answers with a fingerprint of all that. As long as a page has the
fingerprint of the record, the tests read there what was found; a page that has changed is looked at
anew, and some pages in any case.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import axe_playwright_python

from sublinear_lib import archives

HERE = Path(__file__).parent

SHAPES = {".css", ".js", ".mjs", ".svg", ".woff", ".woff2"}
"""Kinds of files that a page may load and that bear on how it looks and what it holds."""

WORDS = {"companion-cards.js", "companion-index.js"}
"""What the build gathers from the texts of all pages: loaded on request, and tested by itself."""

Findings = Mapping[str, Sequence[str]]
"""What was found, in parts: by axe for each reader, by another look against each promise."""


@functools.cache
def _surroundings(html: Path, sources: tuple[Path, ...]) -> bytes:
    """Return a digest of what all pages share, styles, scripts and fonts, and of how one looks."""
    digest = hashlib.sha256()
    for path in sources:
        digest.update(path.read_bytes())
    for path in sorted((html / "_static").rglob("*")):
        if path.suffix in SHAPES and path.name not in WORDS:
            digest.update(f"{path.relative_to(html).as_posix()}\n".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.digest()


@dataclass(frozen=True)
class Record:
    """What one kind of look found at pages, in a file."""

    path: Path
    sources: tuple[Path, ...]
    """What says how one looks: the record is old when it changes."""
    parts: tuple[str, ...]
    """Of what is found at every page."""
    always: tuple[str, ...]
    """Pages at which the tests look in any case."""

    def fingerprint(self, html: Path, name: str) -> str:
        """Return what stands for a page below the folder `html`, and for all that it loads."""
        page = (html / f"{name}.html").read_bytes()
        return hashlib.sha256(_surroundings(html, self.sources) + page).hexdigest()

    def read(self) -> dict[str, dict[str, list[str] | str]]:
        """Return the record: by page, its fingerprint and what was found, part by part."""
        if not self.path.is_file():
            return {}
        pages: dict[str, dict[str, list[str] | str]]
        pages = json.loads(self.path.read_text("utf-8"))["pages"]
        return pages

    def kept(self, html: Path, name: str) -> Findings | None:
        """Return what was found at a page that is as it was then; None without such a record."""
        entry = self.read().get(name)
        if entry is None or entry["fingerprint"] != self.fingerprint(html, name):
            return None
        return {key: list(value) for key, value in entry.items() if key != "fingerprint"}

    def known(self, html: Path, name: str) -> Findings | None:
        """Return what need not be looked for again at a page; None if it is to be."""
        return None if name in self.always else self.kept(html, name)

    def write(self, html: Path, found: Mapping[str, Findings], versions: Mapping[str, str]) -> None:
        """Store what was found at these pages as they are now, and with which versions."""
        pages = {
            name: {"fingerprint": self.fingerprint(html, name), **findings}
            for name, findings in sorted(found.items())
        }
        text = json.dumps({**versions, "pages": pages}, indent=1, ensure_ascii=False)
        archives.write_bytes(self.path, f"{text}\n".encode())


PAGES = Record(
    HERE / "records" / "pages.json",
    (
        Path(axe_playwright_python.__file__).parent / "axe.min.js",
        HERE / "accessible.py",
        HERE / "visits.py",
    ),
    ("axe, desk", "axe, phone", "too wide, phone", "errors"),
    ("book/intro", "book/reference/api/index", "search"),
)
"""What axe finds, with all rules, for each reader, and what else both of them see."""

KEYBOARD = Record(
    HERE / "records" / "keyboard.json",
    (HERE / "keyboard.py", HERE / "contrast.py", HERE / "visits.py"),
    ("order", "focus", "keys", "said"),
    ("book/part1/half-space-reporting",),
)
"""What goes wrong for who works explorers and quizzes by keyboard alone."""

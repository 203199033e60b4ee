"""What axe found on the pages of the book, kept by their content.

Axe takes most of the time of a visit, and what it finds depends on nothing but the page, the styles
and scripts of the book, and on how axe is asked. So ``make looks`` asks it about every page, with
all rules for both readers, and keeps the answers with a fingerprint of all that. As long as a page
has the fingerprint of the record, the tests read there what axe found; a page that has changed is
looked at anew.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from sublinear_lib import archives
from tests.book import accessible

RECORD = Path(__file__).with_name("axe_findings.json")

ALWAYS = ("book/intro", "book/reference/api/index", "search")
"""Pages at which the tests look in any case."""

SHAPES = {".css", ".js", ".mjs", ".svg", ".woff", ".woff2"}
"""Kinds of files that a page may load and that bear on how it looks and what it holds."""

Findings = Mapping[str, Sequence[str]]
"""What axe found, by the name of the reader."""


@functools.cache
def _surroundings(html: Path) -> bytes:
    """Return a digest of what all pages share: styles, scripts, fonts, axe and how it is asked."""
    digest = hashlib.sha256(accessible.AXE.encode())
    digest.update(Path(accessible.__file__).read_bytes())
    for path in sorted((html / "_static").rglob("*")):
        if path.suffix in SHAPES:
            digest.update(f"{path.relative_to(html).as_posix()}\n".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.digest()


def fingerprint(html: Path, name: str) -> str:
    """Return what stands for the page `name` below the folder `html`, and for all that it loads."""
    page = (html / f"{name}.html").read_bytes()
    return hashlib.sha256(_surroundings(html) + page).hexdigest()


def read(path: Path = RECORD) -> dict[str, dict[str, list[str] | str]]:
    """Return the record: by page, its fingerprint and what axe found for each reader."""
    if not path.is_file():
        return {}
    pages: dict[str, dict[str, list[str] | str]] = json.loads(path.read_text("utf-8"))["pages"]
    return pages


def kept(html: Path, name: str, path: Path = RECORD) -> Findings | None:
    """Return what axe found on a page that is as it was then; None if there is no such record."""
    entry = read(path).get(name)
    if entry is None or entry["fingerprint"] != fingerprint(html, name):
        return None
    return {key: list(value) for key, value in entry.items() if key != "fingerprint"}


def known(html: Path, name: str) -> Findings | None:
    """Return what need not be asked of axe again about a page; None if it is to be asked."""
    return None if name in ALWAYS else kept(html, name)


def write(
    html: Path, found: Mapping[str, Findings], versions: Mapping[str, str], path: Path = RECORD
) -> None:
    """Store what axe found on these pages as they are now, and with which versions."""
    pages = {
        name: {"fingerprint": fingerprint(html, name), **findings}
        for name, findings in sorted(found.items())
    }
    text = json.dumps({**versions, "pages": pages}, indent=1, ensure_ascii=False)
    archives.write_bytes(path, f"{text}\n".encode())

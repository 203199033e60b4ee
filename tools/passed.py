"""What has passed before, so that nothing runs again while all that it reads is unchanged.

A check is remembered by the hash of its sources: files and folders of the repository, together with
the versions that are installed.  A notebook's sources are its own bytes, and the rooms of the
library and the benchmarks that it imports, directly or through another room, with the data in them:
rooms, because their front doors import all that they hold.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STORED = ROOT / "_build" / "passed.json"
# what every check depends on, whatever it reads
ALWAYS = (
    "pyproject.toml",
    "constraints.txt",
    "requirements.txt",
    "conftest.py",
    "_toc.yml",
    "tools",
)
PACKAGES = ("sublinear_lib", "benchmarks")
EVERYTHING = (
    *(*PACKAGES, "proofs", "tests", "book", ".ci", ".github", ".binder"),
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff", "Makefile", "_config.yml"),
)
PAGE = {".ipynb", ".md"}


@functools.cache
def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _files(place: str) -> list[Path]:
    path = ROOT / place
    found = path.rglob("*") if path.is_dir() else [path]
    return sorted(
        each
        for each in found
        if each.is_file() and "__pycache__" not in each.parts and ".egg-info" not in str(each)
    )


def fingerprint(sources: Iterable[str]) -> str:
    """Return the hash of files and folders, named from the root; "book!" is that without pages."""
    told = [sys.version]
    for source in sorted({*sources, *ALWAYS}):
        place = source.removesuffix("!")
        for path in _files(place):
            if place == source or path.suffix not in PAGE:
                told.append(f"{path.relative_to(ROOT)} {_hash(path)}")
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def _rooms(code: str) -> set[str]:
    """Return the rooms that a piece of code imports, as places in the repository."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {place for name in names if (place := _place(name))}


def _place(name: str) -> str | None:
    package, _, rest = name.partition(".")
    if package not in PACKAGES:
        return None
    parts = rest.split(".")
    # What a page alone uses is a room of its own.
    room = "/".join([package, *parts[: 2 if parts[0] == "chapters" else 1]])
    for place in (room, f"{room}.py"):
        if rest and (ROOT / place).exists():
            return place
    return f"{package}/__init__.py"


@functools.cache
def _neighbors(place: str) -> frozenset[str]:
    files = [path for path in _files(place) if path.suffix == ".py"]
    return frozenset().union(*(_rooms(path.read_text(encoding="utf-8")) for path in files))


def sources_of(notebook: Path) -> set[str]:
    """Return the places that a notebook depends on: itself, and the rooms that it reaches."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(each["source"]) for each in cells if each["cell_type"] == "code")
    reached: set[str] = set()
    waiting = _rooms(re.sub(r"(?m)^\s*[%!].*$", "", code))
    while waiting:
        place = waiting.pop()
        reached.add(place)
        waiting |= _neighbors(place) - reached
    return {str(notebook.relative_to(ROOT)), "tests/nbval_sanitize.cfg", *reached}


def recall() -> dict[str, str]:
    """Return the fingerprints under which things passed, by name."""
    try:
        return dict(json.loads(STORED.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def remember(passed: dict[str, str]) -> None:
    """Add to what is stored, in one piece."""
    STORED.parent.mkdir(exist_ok=True)
    new = STORED.with_suffix(".new")
    new.write_text(json.dumps({**recall(), **passed}, indent=1, sort_keys=True), encoding="utf-8")
    new.replace(STORED)

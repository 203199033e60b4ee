"""The files of other projects: unchanged, complete, and with their licenses."""

from __future__ import annotations

import hashlib
import re

from check_book import ROOT

VENDOR = ROOT / "book" / "_static" / "vendor"


def test_every_vendored_file_has_its_recorded_checksum() -> None:
    recorded = {}
    for line in (VENDOR / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, name = line.split(maxsplit=1)
        recorded[name.removeprefix("./")] = digest
    present = {
        path.relative_to(VENDOR).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDOR.rglob("*")
        if path.is_file() and path.name not in {"SHA256SUMS", "README.md"}
    }
    assert present == recorded


def test_every_vendored_project_carries_its_licence_and_is_listed() -> None:
    listed = set(re.findall(r"^\| `([\w.-]+)/` \|", (VENDOR / "README.md").read_text(), re.M))
    folders = {path.name for path in VENDOR.iterdir() if path.is_dir()}
    assert listed == folders
    for folder in folders:
        assert (VENDOR / folder / "LICENSE").stat().st_size > 500, folder

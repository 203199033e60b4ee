"""What axe found on a page is taken from the record while the page is the same, and no longer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.book import record
from tests.book.visits import READERS, pages

NOTHING = {str(reader): [] for reader in READERS}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A folder with two pages, a style and a file that no page loads."""
    html = tmp_path / "html"
    (html / "_static").mkdir(parents=True)
    for name in ("one", "two"):
        (html / f"{name}.html").write_text(f"<p>{name}</p>")
    (html / "_static" / "a.css").write_text("p { color: #111 }")
    (html / "_static" / "note.txt").write_text("a note")
    record._surroundings.cache_clear()
    return html


def change(html: Path, name: str) -> None:
    (html / name).write_text("something else")
    record._surroundings.cache_clear()


def test_a_page_that_is_the_same_keeps_its_findings(built: Path, tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    found = {"one": {"desk": ["a rule at p"], "phone": []}, "two": NOTHING}
    record.write(built, found, {"axe": "1"}, path)
    assert {name: record.kept(built, name, path) for name in found} == found
    change(built, "_static/note.txt")
    assert record.kept(built, "one", path) == found["one"]


@pytest.mark.parametrize(
    ("changed", "left"), [("one.html", ["two"]), ("_static/a.css", []), ("two.html", ["one"])]
)
def test_a_page_that_changed_or_whose_styles_did_has_no_record(
    built: Path, tmp_path: Path, changed: str, left: list[str]
) -> None:
    path = tmp_path / "record.json"
    record.write(built, {"one": NOTHING, "two": NOTHING}, {}, path)
    change(built, changed)
    assert [name for name in ("one", "two") if record.kept(built, name, path) is not None] == left


def test_another_axe_or_another_way_to_ask_it_makes_the_record_old(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = record.fingerprint(built, "one")
    monkeypatch.setattr(record.accessible, "AXE", "another")
    record._surroundings.cache_clear()
    assert record.fingerprint(built, "one") != before
    record._surroundings.cache_clear()


def test_without_a_record_every_page_is_looked_at(built: Path, tmp_path: Path) -> None:
    assert record.kept(built, "one", tmp_path / "none.json") is None


def test_some_pages_are_looked_at_whatever_is_on_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "kept", lambda html, name: NOTHING)
    found = {name: record.known(Path(), name) for name in pages()}
    assert {name for name, each in found.items() if each is None} == set(record.ALWAYS)


def test_the_record_knows_every_page_and_axe_found_nothing() -> None:
    stored = record.read()
    assert sorted(stored) == sorted(pages()), "renew it: make looks"
    for entry in stored.values():
        assert set(entry) == {"fingerprint", *NOTHING}
        assert not any(entry[reader] for reader in NOTHING)

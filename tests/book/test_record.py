"""What was found at a page is taken from the record while the page is the same, and no longer."""

import pytest

from tests.book import record
from tests.book.look_at_pages import LOOKS
from tests.book.record import Record

NOTHING = {"desk": [], "phone": []}


@pytest.fixture
def built(tmp_path):
    """A folder with two pages, a style and a file that no page loads."""
    html = tmp_path / "html"
    (html / "_static").mkdir(parents=True)
    for name in ("one", "two"):
        (html / f"{name}.html").write_text(f"<p>{name}</p>")
    (html / "_static" / "a.css").write_text("p { color: #111 }")
    (html / "_static" / "note.txt").write_text("a note")
    (tmp_path / "how.py").write_text("look well")
    record._surroundings.cache_clear()
    return html


@pytest.fixture
def kept(tmp_path):
    """A record that there is not yet."""
    return Record(tmp_path / "record.json", (tmp_path / "how.py",), tuple(NOTHING), ("one",))


def change(html, name):
    (html / name).write_text("something else")
    record._surroundings.cache_clear()


def test_a_page_that_is_the_same_keeps_its_findings(built, kept):
    found = {"one": {"desk": ["a rule at p"], "phone": []}, "two": NOTHING}
    kept.write(built, found, {"axe": "1"})
    assert {name: kept.kept(built, name) for name in found} == found
    change(built, "_static/note.txt")
    change(built, "_static/companion-index.js")
    assert kept.kept(built, "one") == found["one"]


@pytest.mark.parametrize(
    ("changed", "left"),
    [
        ("one.html", ["two"]),
        ("two.html", ["one"]),
        ("_static/a.css", []),
        ("../how.py", []),
    ],
)
def test_a_page_that_changed_or_its_styles_or_the_way_to_look_has_no_record(
    built, kept, changed, left
):
    kept.write(built, {"one": NOTHING, "two": NOTHING}, {})
    change(built, changed)
    assert [name for name in ("one", "two") if kept.kept(built, name) is not None] == left


def test_some_pages_are_looked_at_whatever_is_on_record(built, kept):
    kept.write(built, {"one": NOTHING, "two": NOTHING}, {})
    assert kept.known(built, "one") is None
    assert kept.known(built, "two") == NOTHING


@pytest.mark.parametrize("kind", LOOKS)
def test_a_record_knows_every_page_and_nothing_was_found(kind):
    kept, pages, _ = LOOKS[kind]
    stored = kept.read()
    assert sorted(stored) == sorted(pages()), "renew it: make looks"
    assert set(kept.always) <= set(stored)
    assert all(path.is_file() for path in kept.sources)
    for entry in stored.values():
        assert set(entry) == {"fingerprint", *kept.parts}
        assert not any(entry[part] for part in kept.parts)

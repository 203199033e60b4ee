"""Visits are shared: a page is opened once for each reader, and by one worker only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.book import conftest
from tests.book.visits import READERS, visits, whole


def test_pages_are_seen_from_a_server_and_from_a_folder_wide_and_narrow_light_and_dark() -> None:
    assert {reader.over for reader in READERS} == {"http", "file"}
    assert {reader.width for reader in READERS} == {1280, 390}
    assert {reader.scheme for reader in READERS} == {"light", "dark"}


def test_a_visit_stays_with_one_worker_and_so_does_a_file() -> None:
    for reader, other in (READERS, READERS[::-1]):
        mine = {whole(f"tests/book/test_a.py::{test}[book/x-{reader}]") for test in ("a", "b")}
        assert mine == {f"book/x-{reader}"}
        assert whole(f"tests/book/test_a.py::a[book/x-{other}]") not in mine
        assert whole(f"tests/book/test_a.py::a[book/y-{reader}]") not in mine
    for test in ("test_a", "test_a[http]", "test_b[f-exercises]", "test_a[a] + [b]", "Class::test"):
        assert whole(f"tests/book/test_a.py::{test}") == "tests/book/test_a.py"


def test_every_page_and_every_reader_is_asked_for() -> None:
    names = ["book/a", "book/b"]
    mark = visits(names).mark
    assert mark.kwargs["indirect"] is True
    assert mark.args[1] == [(name, reader) for name in names for reader in READERS]
    assert [whole(f"x.py::t[{each}]") for each in mark.kwargs["ids"]] == mark.kwargs["ids"]


def test_a_page_is_opened_once_and_its_failure_is_told_to_every_test(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    calls: Counter[str] = Counter()

    def look(browser: object, base: str, name: str, reader: object) -> str:
        calls[name] += 1
        if name == "broken":
            raise TimeoutError("the page does not settle")
        return f"{base}/{name}"

    monkeypatch.setattr(conftest, "look", look)
    fixture: Callable[..., Any] = conftest.visited.__wrapped__  # type: ignore[attr-defined]
    seen_by = fixture(object(), tmp_path, "http://here")
    desk, phone = READERS
    assert seen_by("a", desk) == seen_by("a", desk) == "http://here/a"
    assert seen_by("a", phone) == f"{tmp_path.as_uri()}/a"
    for _ in range(2):
        with pytest.raises(TimeoutError, match="does not settle"):
            seen_by("broken", desk)
    assert calls == {"a": 2, "broken": 1}

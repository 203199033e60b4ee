"""Tables: aligned as text, scrolling in a box of their own as HTML, dashes for what is absent."""

from __future__ import annotations

from typing import Any

from bs4 import BeautifulSoup

from benchmarks import Results, merged, section_tables
from benchmarks.layouts import ratio_table
from benchmarks.tables import Table


def results(name: str, rows: list[dict[str, Any]]) -> Results:
    return merged(None, {name: {"question": "How?", "baseline": "dense", "rows": rows}})


TABLE = Table("Squares & <cubes>.", ["name", "n^2"], [["two", "4"], ["a dozen", "144"]])


def test_text_is_to_the_left_and_numbers_are_to_the_right() -> None:
    assert repr(TABLE).splitlines() == [
        "Squares & <cubes>.",
        "name     n^2",
        "two        4",
        "a dozen  144",
    ]


def test_html_scrolls_in_a_box_that_the_keyboard_reaches_and_that_has_a_name() -> None:
    soup = BeautifulSoup(TABLE._repr_html_(), "html.parser")
    (box,) = soup.find_all("div")
    (sentence,) = soup.find_all("p")
    assert (box["role"], box["tabindex"], box["style"]) == ("region", "0", "overflow-x: auto")
    assert box["aria-label"] == sentence.get_text() == "Squares & <cubes>."
    assert box.table is not None
    assert sentence not in box.descendants, "it stays in sight while the table scrolls"
    assert [head.get_text() for head in soup.find_all("th", scope="col")] == ["name", "n2"]
    assert [power.get_text() for power in soup.find_all("sup")] == ["2"]
    rows = [[cell.get_text() for cell in row.find_all("td")] for row in soup.tbody.find_all("tr")]
    assert rows == [["two", "4"], ["a dozen", "144"]]


def test_a_number_is_not_broken_and_a_sentence_has_room() -> None:
    table = Table("Why.", ["n", "why"], [["1 000", "because " * 8]])
    soup = BeautifulSoup(table._repr_html_(), "html.parser")
    number, sentence = soup.tbody.find_all("td")
    assert "white-space: nowrap" in soup.table["style"]
    assert "style" not in number.attrs, "most cells are numbers: the table says it once for all"
    assert "white-space: normal; min-width" in sentence["style"]


CELLS = [
    {
        "d": 3,
        "m": 2**16,
        "share": 0.001,
        "microseconds": {"dense": 40.0, "tree": 2.0, "new_one": 4.0, "scan": 4000.0},
        "absent": {"torch": "not installed"},
    },
    {"d": 8, "m": 3000, "share": 0.5, "microseconds": {"dense": 1.0, "tree": 3.0}},
]


def test_ratios_are_to_the_baseline_in_the_order_of_the_names() -> None:
    table = ratio_table(results("report", CELLS))
    heads = ["tree", "scan", "torch", "new_one"]
    assert list(table.columns) == ["d", "m", "active", "dense, tuned, µs", *heads]
    assert table.rows == [
        ["3", "2^16", "0.1 %", "40", "20", "0.01", "–", "10"],
        ["8", "3000", "50 %", "1", "0.333", "–", "–", "–"],
    ]


def test_who_is_absent_is_said_once_for_each_reason() -> None:
    cell = {**CELLS[0], "differing_pairs": {"dense": 1}, "checked_pairs": 10}
    tables = section_tables(results("report", [cell, {**cell, "d": 4}]), "report")
    assert tables[-1].rows == [["torch", "not installed", "2", "d = 3, m = 2^16, 0.1 %, ..."]]
    assert tables[-2].rows == [["dense, tuned", "2"]]
    assert "of 20 pairs" in tables[-2].caption

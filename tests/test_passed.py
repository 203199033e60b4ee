"""What has passed is left out until something that it reads has changed, and not longer."""

import json

import passed
import pytest
import run_tests
from run_tests import Result, Stage


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A small repository: two rooms, of which one uses the other, and two notebooks."""
    files = {
        "sublinear_lib/__init__.py": "",
        "sublinear_lib/ground.py": "",
        "sublinear_lib/theory/__init__.py": "from sublinear_lib.ground import x",
        "sublinear_lib/theory/numbers.json": "{}",
        "sublinear_lib/features/__init__.py": "",
        "sublinear_lib/chapters/one/figures.py": "",
        "sublinear_lib/chapters/two/figures.py": "import sublinear_lib.features",
        "book/one.ipynb": cells(
            "%matplotlib inline\nfrom sublinear_lib import theory\n"
            "from sublinear_lib.chapters.one import figures"
        ),
        "book/two.ipynb": cells("from sublinear_lib.chapters.two import figures"),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for module in (passed, run_tests):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(passed, "STORED", tmp_path / "_build" / "passed.json")
    forget()
    return tmp_path


def cells(code):
    return json.dumps({"cells": [{"cell_type": "code", "source": code.splitlines(True)}]})


def forget():
    """Files do not change while the tests run; here they do."""
    passed._hash.cache_clear()
    passed._neighbors.cache_clear()


NOTEBOOKS = Stage("notebooks", "", ("book",))
CODE = Stage("code", "", (), sources=("sublinear_lib", "book!"))
FINE = {"notebooks": Result(passed=2), "code": Result(passed=1)}


def left(again=False):
    forget()
    stages, _ = run_tests.choose([NOTEBOOKS, CODE], again)
    return [name for stage in stages for name in (*stage.arguments, stage.name)]


ALL = ["book/one.ipynb", "book/two.ipynb", "notebooks", "code"]


def test_what_has_passed_runs_again_only_when_it_is_asked_for(house):
    assert left() == ALL
    run_tests.keep([NOTEBOOKS, CODE], FINE)
    assert left() == []
    assert left(again=True) == ALL
    _, why = run_tests.choose([NOTEBOOKS, CODE], again=False)
    assert "nothing that it reads has changed" in why["code"]
    assert why["notebooks"].startswith("2 of 2 have passed")


def test_what_has_failed_runs_again(house):
    run_tests.keep([NOTEBOOKS, CODE], {**FINE, "notebooks": Result(passed=1, failed=1)})
    assert left() == ALL[:-1]


@pytest.mark.parametrize(
    ("change", "again"),
    [
        ("sublinear_lib/theory/numbers.json", ["book/one.ipynb", "notebooks", "code"]),
        ("sublinear_lib/ground.py", ["book/one.ipynb", "notebooks", "code"]),
        ("sublinear_lib/features/__init__.py", ["book/two.ipynb", "notebooks", "code"]),
        ("sublinear_lib/chapters/two/figures.py", ["book/two.ipynb", "notebooks", "code"]),
        ("sublinear_lib/theory/new.py", ["book/one.ipynb", "notebooks", "code"]),
        ("book/two.ipynb", ["book/two.ipynb", "notebooks"]),
        ("constraints.txt", ALL),
        ("_build/html/index.html", []),
    ],
)
def test_a_change_is_met_by_all_that_read_it_and_nobody_else(house, change, again):
    run_tests.keep([NOTEBOOKS, CODE], FINE)
    path = house / change
    path.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text() if path.exists() else ""
    path.write_text(text + ("\n" if path.suffix == ".ipynb" else "\n# changed"))
    assert left() == again


def test_a_book_that_was_thrown_away_is_built_again(house):
    book = Stage("book", "", (), sources=("book",))
    (house / "_build/html").mkdir(parents=True)
    (house / "_build/html/index.html").touch()
    run_tests.keep([book], {"book": Result(passed=1)})
    assert run_tests.choose([book], again=False)[0] == []
    (house / "_build/html/index.html").unlink()
    assert run_tests.choose([book], again=False)[0] == [book]


def test_the_notebooks_of_the_book_reach_the_rooms_that_they_use():
    page = passed.ROOT / "book/part1/who-flips.ipynb"
    assert {"sublinear_lib/theory", "sublinear_lib/scaling.py"} <= passed.sources_of(page)
    for stage in run_tests.stages():
        assert [place for place in stage.sources if not passed._files(place.rstrip("!"))] == []

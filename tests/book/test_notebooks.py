"""The chapters as notebooks: their frame, their cells, their stored outputs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import check_notebooks
import compare_cores
import nbformat
import pytest
import refresh_claims
import run_notebooks
from check_notebooks import Chapter
from nbclient.exceptions import DeadKernelError

NOTEBOOKS = run_notebooks.notebooks()


@pytest.mark.parametrize("check", check_notebooks.CHECKS.values(), ids=check_notebooks.CHECKS)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_every_chapter_keeps_the_frame(path: Path, check: Any) -> None:
    assert check(Chapter(path)) == []


PROSE = """# A chapter

:::{admonition} The question
What is it?
:::

**You will be able to** say it. **You need** nothing. It takes 30 minutes.

## Statement

:::{prf:lemma} Lemma 4.5
:label: lem-x
True.
:::

## Intuition

## Explore

## Check it

## Quiz

## Exercises
"""
CLOSING = """## Take-aways

- One.

## What we verified, and how
"""


def exercise(number: int, stars: str) -> list[Any]:
    new = nbformat.v4
    return [
        new.new_markdown_cell(
            f"```{{exercise}} Do it {stars}\n:label: ex-{number}\nDo it.\n```\n\n"
            f"```{{solution-start}} ex-{number}\n:class: dropdown\n```\n"
        ),
        new.new_code_cell(f"{number} + 1"),
        new.new_markdown_cell("```{solution-end}\n```\n"),
    ]


def chapter(folder: Path, cells: list[Any] | None = None, *, run: bool = True) -> Chapter:
    """Store a small sound chapter, with `cells` put in before its exercises."""
    new = nbformat.v4
    parts = [new.new_markdown_cell(PROSE), new.new_code_cell("print('value', 2)"), *(cells or [])]
    parts.append(new.new_code_cell(f'quiz("{folder.name}/01_chapter")'))
    for name in ("first", "second"):
        shown = new.new_output("stream", name="stdout", text=f"LiveLab('{name}', controls: m)\n")
        parts.append(new.new_code_cell(name, outputs=[shown]))
    for number, stars in enumerate(("★", "★", "★★", "★★", "★★★")):
        parts += exercise(number, stars)
    notebook = new.new_notebook(cells=[*parts, new.new_markdown_cell(CLOSING)])
    count = 0
    for cell in notebook.cells:
        if run and cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            if not cell.outputs:
                cell.outputs = [new.new_output("stream", name="stdout", text="2\n")]
    path = folder / "01_chapter.ipynb"
    path.write_text(run_notebooks.normalize(notebook, run_notebooks.identity(path)), "utf-8")
    return Chapter(path)


def problems(chapter: Chapter) -> list[str]:
    return [problem for check in check_notebooks.CHECKS.values() for problem in check(chapter)]


def test_a_sound_chapter_has_no_problems(tmp_path: Path) -> None:
    assert problems(chapter(tmp_path)) == []


def broken(folder: Path, old: str, new: str) -> Chapter:
    """Store the sound chapter with `old` replaced by `new` in its text."""
    sound = chapter(folder)
    assert old in sound.text, f"{old!r} does not occur"
    sound.path.write_text(sound.text.replace(old, new), encoding="utf-8")
    return Chapter(sound.path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The question", "The subject"),
        ("You will be able to", "We"),
        ("You need", "Here is"),
        ("30 minutes", "a while"),
        ("prf:lemma", "note"),
        ("## Intuition", "## Thought"),
        ("## Explore", "## Look"),
        ("## Check it", "## Do it"),
        ("## Quiz", "## Questions"),
        ('01_chapter\\")', '02_chapter\\")'),
        ("LiveLab('first'", "Lab('first'"),
        ("## Exercises", "## Work"),
        ("## Take-aways", "## End"),
        ("## What we verified, and how", "## What we did"),
        ("★★★", "★"),
        ("Do it ★\\n", "Do it\\n"),
        (":label: ex-0", ":name: ex-0"),
        ("{exercise} Do it ★★★", "{note} Do it ★★★"),
        ("```{solution-start} ex-1", "```{note} ex-1"),
        (":class: dropdown", ":class: open"),
        ("'value', 2", "'2026-11-20 10:00'"),
        ("'value', 2", "'/home/me/data'"),
        ("'value', 2", "'value', 2);"),
        ("print('value', 2)", "%time 2"),
        ("print('value', 2)", "def helper(): pass"),
        ('"execution_count": 2', '"execution_count": 7'),
        ('"name": "stdout"', '"name": "stderr"'),
        ('"cell-01"', '"0123abcd"'),
    ],
)
def test_a_departure_is_found(tmp_path: Path, old: str, new: str) -> None:
    assert problems(broken(tmp_path, old, new)) != []


@pytest.mark.parametrize("words", [words for _, words in check_notebooks.FRAME.values()])
def test_a_missing_piece_is_named_with_words_that_will_do(tmp_path: Path, words: str) -> None:
    missing = chapter(tmp_path)
    prose = "# A chapter\n"
    missing.notebook.cells = [nbformat.v4.new_markdown_cell(prose)]
    (found,) = [each for each in check_notebooks.frame(missing) if repr(words) in each]
    mended = chapter(tmp_path)
    mended.notebook.cells = [nbformat.v4.new_markdown_cell(f"{prose}\n## {words}\n")]
    assert found not in check_notebooks.frame(mended)


def test_a_page_that_was_not_stored_is_told_the_command_for_it_alone() -> None:
    page = Chapter(check_notebooks.ROOT / "book" / "part1" / "who-flips.ipynb")
    page.text += " "
    assert check_notebooks.stored_outputs(page) == [
        "it was not stored by tools/run_notebooks.py "
        "(run `python tools/run_notebooks.py book/part1/who-flips.ipynb`)"
    ]


def test_a_long_cell_is_found(tmp_path: Path) -> None:
    cell = nbformat.v4.new_code_cell("\n".join(["x = 1"] * (check_notebooks.LONGEST_CELL + 1)))
    assert len(problems(chapter(tmp_path, [cell]))) == 1


def test_a_wide_line_is_found_where_the_code_is_shown(tmp_path: Path) -> None:
    cell = nbformat.v4.new_code_cell("x = " + "1" * check_notebooks.WIDEST_LINE)
    assert len(problems(chapter(tmp_path, [cell]))) == 1
    cell.metadata["tags"] = ["hide-input"]
    assert problems(chapter(tmp_path, [cell])) == []


def test_a_page_of_the_reference_needs_no_frame_but_sound_cells(tmp_path: Path) -> None:
    folder = tmp_path / "reference"
    folder.mkdir()
    sound = chapter(folder)
    for old, new in (("## Exercises", "## Work"), ("★", ""), ("The question", "The subject")):
        sound.path.write_text(sound.path.read_text("utf-8").replace(old, new), "utf-8")
    assert problems(Chapter(sound.path)) == []
    assert problems(broken(folder, "print('value', 2)", "%time 2")) != []


def test_a_chapter_without_outputs_is_found(tmp_path: Path) -> None:
    assert any("not run in order" in each for each in problems(chapter(tmp_path, run=False)))


def test_a_page_without_code_is_told_so_once(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("Words.")])
    path = tmp_path / "words.ipynb"
    text = run_notebooks.normalize(notebook, run_notebooks.identity(path))
    path.write_text(text, encoding="utf-8")
    assert check_notebooks.stored_outputs(Chapter(path)) == ["it has no code cell"]


def test_an_explorer_with_an_old_script_is_found(tmp_path: Path) -> None:
    sound = chapter(tmp_path)
    notebook = nbformat.reads(sound.text, as_version=4)
    model = {"model_module": "anywidget", "state": {"_esm": "export default {}"}}
    notebook.metadata["widgets"] = {run_notebooks.STATE: {"state": {"0" * 32: model}}}
    name = run_notebooks.identity(sound.path)
    sound.path.write_text(run_notebooks.normalize(notebook, name), encoding="utf-8")
    assert problems(Chapter(sound.path)) == [
        "an explorer was stored with an old esm "
        f"(run `python tools/run_notebooks.py {sound.path.as_posix()}`)"
    ]


# What storing a notebook promises.

CELLS = """
import sys
print(object())
print("one", flush=True)
_ = sys.stdout.write("two\\n")
"""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A notebook with widgets, addresses and a stream in pieces, run once."""
    new = nbformat.v4
    widgets = "import ipywidgets\nbox = ipywidgets.HBox([ipywidgets.IntSlider(3)])\nbox"
    code = [CELLS.strip(), "object()", "1 + 1", widgets, "box.children[0]"]
    notebook = new.new_notebook(cells=[new.new_code_cell(source) for source in code])
    path = tmp_path_factory.mktemp("stored") / "a.ipynb"
    nbformat.write(notebook, path)
    text = run_notebooks.fresh(path)
    path.write_text(text, encoding="utf-8")
    return path, text


def test_a_second_run_gives_the_same_bytes(stored: tuple[Path, str]) -> None:
    path, text = stored
    assert run_notebooks.fresh(path) == text


def test_numbers_are_stored_as_a_browser_writes_them(tmp_path: Path) -> None:
    sound = chapter(tmp_path)
    state = {"0" * 32: {"state": {"values": [1.0, -0.0, 0.5, 1e20, 1e21]}}}
    sound.notebook.metadata["widgets"] = {run_notebooks.STATE: {"state": state}}
    text = json.dumps(json.loads(run_notebooks.normalize(sound.notebook, "x")))
    assert '"values": [1, 0, 0.5, 100000000000000000000, 1e+21]' in text


def test_storing_twice_changes_nothing(stored: tuple[Path, str]) -> None:
    path, text = stored
    notebook = nbformat.reads(text, as_version=4)
    assert run_notebooks.normalize(notebook, run_notebooks.identity(path)) == text


def test_what_is_stored_has_values_but_no_accidents(stored: tuple[Path, str]) -> None:
    notebook = nbformat.reads(stored[1], as_version=4)
    first, second, third, *_ = notebook.cells
    assert len(first.outputs) == 1, "the pieces of one stream were not joined"
    assert third.outputs[0]["data"]["text/plain"] == "2"
    assert second.outputs[0]["data"]["text/plain"] == "<object at 0x0>"
    assert [cell.id for cell in notebook.cells] == [f"cell-{i:02d}" for i in range(5)]
    assert "execution" not in first.metadata


def test_the_state_of_every_shown_widget_is_stored(stored: tuple[Path, str]) -> None:
    notebook = nbformat.reads(stored[1], as_version=4)
    state = notebook.metadata["widgets"][run_notebooks.STATE]["state"]
    view = "application/vnd.jupyter.widget-view+json"
    for cell in notebook.cells[3:]:
        assert cell.outputs[0]["data"][view]["model_id"] in state
    box = state[notebook.cells[3].outputs[0]["data"][view]["model_id"]]
    child = box["state"]["children"][0].removeprefix("IPY_MODEL_")
    assert child == notebook.cells[4].outputs[0]["data"][view]["model_id"]


def test_check_reports_a_changed_result_and_writes_nothing(
    stored: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.ipynb"
    changed = stored[1].replace('"2"', '"3"')
    path.write_text(changed, encoding="utf-8")
    assert run_notebooks.main(["--check", str(path)]) == 1
    assert "CHANGED" in capsys.readouterr().out
    assert path.read_text(encoding="utf-8") == changed


@pytest.mark.parametrize("source", ["1 / 0", "import sys; print('x', file=sys.stderr)"])
def test_an_error_or_a_warning_is_not_stored(tmp_path: Path, source: str) -> None:
    path = tmp_path / "a.ipynb"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    nbformat.write(notebook, path)
    before = path.read_text(encoding="utf-8")
    assert run_notebooks.main([str(path)]) == 1
    assert path.read_text(encoding="utf-8") == before


def test_a_kernel_that_died_is_a_reason_and_not_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dying(path: Path) -> str:
        raise DeadKernelError("Kernel died")

    monkeypatch.setattr(run_notebooks, "fresh", dying)
    assert run_notebooks._attempt(tmp_path / "a.ipynb") == ("", "Kernel died")


def test_a_system_that_cannot_choose_cores_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    with pytest.raises(OSError, match="cannot keep a process on some of its cores"):
        compare_cores.text_on(tmp_path / "a.ipynb", 1, 1)


# What refreshing the claims of a page promises.


def page_with_claims(folder: Path) -> Path:
    new = nbformat.v4
    code = ["print('costly', 1 + 1)", "from sublinear_lib.exhibits import badge", "badge", "3"]
    notebook = new.new_notebook(cells=[new.new_code_cell(source) for source in code])
    path = folder / "a.ipynb"
    nbformat.write(notebook, path)
    path.write_text(run_notebooks.fresh(path), encoding="utf-8")
    return path


def test_only_cells_with_claims_are_run_again_and_the_rest_is_kept(tmp_path: Path) -> None:
    path = page_with_claims(tmp_path)
    whole = path.read_text("utf-8")
    assert refresh_claims.refreshed(path) == whole
    touched = whole.replace("costly 2", "costly 99").replace(
        "import badge", "import spoken as badge"
    )
    path.write_text(touched, encoding="utf-8")
    assert refresh_claims.main(["--check", str(path)]) == 0
    old = whole.replace('"3"', '"4"')
    path.write_text(old, encoding="utf-8")
    assert refresh_claims.refreshed(path) == old, "a cell without claims was run"


def test_a_page_without_claims_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")]), path)
    assert refresh_claims.refreshed(path) == path.read_text("utf-8")


def test_a_page_that_was_never_run_is_not_half_filled(tmp_path: Path) -> None:
    new = nbformat.v4
    code = ["x = 1", "from sublinear_lib.exhibits import badge"]
    path = tmp_path / "a.ipynb"
    nbformat.write(new.new_notebook(cells=[new.new_code_cell(each) for each in code]), path)
    with pytest.raises(ValueError, match="never run"):
        refresh_claims.refreshed(path)


@pytest.mark.parametrize(
    ("source", "shows"),
    [
        ("from sublinear_lib.exhibits import claim_box", True),
        ('claim_box("thm-4.1")', True),
        ("statement = 1", False),
        ("%time 1", False),
    ],
)
def test_cells_with_claims_are_recognized(source: str, shows: bool) -> None:
    assert refresh_claims.shows_claims(source) is shows

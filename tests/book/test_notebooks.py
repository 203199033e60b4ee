"""The chapters as notebooks: their form, their cells, their stored outputs."""

import json

import check_notebooks
import nbformat
import pytest
import run_notebooks
from check_notebooks import Chapter

from sublinear_lib import exhibits
from sublinear_lib.exhibits.quiz import Question, Quiz, Reply

NOTEBOOKS = run_notebooks.notebooks()


@pytest.mark.parametrize("check", check_notebooks.CHECKS.values(), ids=check_notebooks.CHECKS)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_every_page_keeps_its_form(path, check):
    assert check(Chapter(path)) == []


QUESTION = "# A chapter\n\nHow many neurons fire? We count them."
ANSWER = """**At the printed threshold 50 % of the neurons fire.**

*Reading: 5 minutes. Exercises: 60 minutes.*
"""
PROSE = """## The statement

:::{prf:lemma} 4.5 (paper, as printed)
:label: lem-x
:nonumber:
True.
:::

## Where we stand

## Quiz
"""
EVIDENCE = """## Evidence

One number was counted.
"""


def exercise(number, stars):
    new = nbformat.v4
    text = (
        f"```{{exercise}} Do it {stars}\n:label: ex-{number}\nDo it.\n```\n\n"
        f"```{{solution-start}} ex-{number}\n:class: dropdown\n```\n"
    )
    end = new.new_markdown_cell("```{solution-end}\n```\n")
    return [new.new_markdown_cell(text), code(f"{number} + 1"), end]


def code(source, *tags, **data):
    """A cell that was run and shows what `data` says, or else the text 2."""
    new = nbformat.v4
    shown = (
        new.new_output("display_data", data=data)
        if data
        else new.new_output("stream", name="stdout", text="2\n")
    )
    return new.new_code_cell(source, metadata={"tags": list(tags)} if tags else {}, outputs=[shown])


def chapter(folder, cells=()):
    """Store a small sound page of the story, with `cells` put in before its exercises."""
    text = nbformat.v4.new_markdown_cell
    drawn = {check_notebooks.PICTURE: "<svg/>", "text/plain": "a picture"}
    parts = [
        text(QUESTION),
        code("explorers.who_fires()", "remove-input", **drawn),
        text(ANSWER),
        code("import numpy as np", "hide-input", **{"text/html": ""}),
        code("print('value', 2)"),
        *cells,
        text("word " * 200 + "\n\n" + PROSE),
        code(f'quiz("{folder.name}/01_chapter")', "remove-input", **{"text/html": "?"}),
        text("## Exercises"),
    ]
    for number, stars in enumerate(("★", "★", "★★", "★★", "★★★")):
        parts += exercise(number, stars)
    parts += [text(EVIDENCE), code("assert 1 + 1 == 2\nprint(2)")]
    notebook = nbformat.v4.new_notebook(cells=parts)
    for count, cell in enumerate((each for each in parts if each.cell_type == "code"), start=1):
        cell.execution_count = count
        cell.outputs = cell.outputs or code("").outputs
    path = folder / "01_chapter.ipynb"
    path.write_text(run_notebooks.normalize(notebook, run_notebooks.identity(path)), "utf-8")
    return Chapter(path, check_notebooks.STORY)


def problems(chapter):
    return [problem for check in check_notebooks.CHECKS.values() for problem in check(chapter)]


def test_a_sound_chapter_has_no_problems(tmp_path):
    assert problems(chapter(tmp_path)) == []


def broken(folder, old, new):
    """Store the sound chapter with `old` replaced by `new` in its text."""
    sound = chapter(folder)
    assert old in sound.text, f"{old!r} does not occur"
    sound.path.write_text(sound.text.replace(old, new, 1), encoding="utf-8")
    return Chapter(sound.path, sound.place)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Reading: 5 minutes", "It takes a while"),
        ("Reading: 5 minutes", "Reading: 20 minutes"),
        ("50 %", "half"),
        ('"remove-input"', '"hide-input"'),
        ('"hide-input"', '"other"'),
        (":nonumber:", ":class: open"),
        ("True.", "True in our copy."),
        ("True.", "True for PRINTED."),
        ("## Where we stand", "## What next"),
        ("## Evidence", "## Proof of it"),
        ("## Quiz", "## Questions"),
        ('01_chapter\\")', '02_chapter\\")'),
        ("## Exercises", "## Work"),
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
def test_a_departure_is_found(tmp_path, old, new):
    assert problems(broken(tmp_path, old, new)) != []


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ([nbformat.v4.new_markdown_cell("word " * 2_200)], "visible words"),
        ([code("1") for _ in range(9)], "visible code cells"),
        ([code("print(1)", "hide-input") for _ in range(4)], "printed outputs"),
        ([nbformat.v4.new_markdown_cell("## More\n\n" * 5)], "headings"),
    ],
)
def test_a_page_that_is_too_large_is_found(tmp_path, cells, problem):
    found = check_notebooks.size(chapter(tmp_path, cells))
    assert any(problem in each for each in found)


def test_what_is_folded_or_evidence_is_not_counted(tmp_path):
    folded = f"::::{{dropdown}} Proof\n:::{{prf:proof}}\n{'word ' * 3_000}\n:::\n::::\n"
    page = chapter(tmp_path, [nbformat.v4.new_markdown_cell(folded)])
    page.notebook.cells += [code("print(1)") for _ in range(20)]
    assert check_notebooks.size(page) == []
    assert check_notebooks.first_screen(page) == []


def test_the_evidence_comes_last_and_shows_the_verdicts(tmp_path):
    page = chapter(tmp_path)
    page.notebook.cells.append(nbformat.v4.new_markdown_cell("## More"))
    assert check_notebooks.closing(page) == ["'Evidence' is not its last section"]
    del page.notebook.cells[-1]
    page.path = tmp_path / "part1" / "who-flips.ipynb"
    (problem,) = (each for each in check_notebooks.closing(page) if "evidence" in each)
    assert problem == "its evidence does not show chapter_claims of the page"


def test_a_page_that_goes_deeper_needs_no_quiz_and_no_place_in_the_story(tmp_path):
    text = broken(tmp_path, "## Where we stand", "More.").text
    page = tmp_path / "01_chapter.ipynb"
    page.write_text(text.replace("## Exercises", "## Work").replace("50 %", "half"), "utf-8")
    assert problems(Chapter(page, check_notebooks.DEEPER)) == []
    assert problems(Chapter(page, check_notebooks.STORY)) != []


def test_every_page_knows_its_place():
    places = {path.stem: Chapter(path).place for path in NOTEBOOKS}
    assert places["who-flips"].startswith(check_notebooks.STORY)
    assert places["errata"].startswith(check_notebooks.STORY)
    assert places["repaired-theorems"] == check_notebooks.DEEPER
    assert places["two-kinds-of-features"].startswith(check_notebooks.STORY)
    assert places["ledger"] == "The verdicts"


def test_a_quiz_that_can_be_guessed_by_length_is_found(monkeypatch):
    short = [Reply("no", False, "No."), Reply("one", False, "No.")]
    rights = (Reply(text, True, "Right.") for text in ("yes indeed", "y"))
    long, fair = (Question("?", "", (*short, right)) for right in rights)
    for asked, problems in (
        ([long] * 4, ["the right answer is the longest in 4 of its 4 questions"]),
        ([fair, fair, fair, long], []),
    ):
        monkeypatch.setattr(exhibits, "quiz", lambda name, asked=asked: Quiz(name, tuple(asked)))
        assert check_notebooks.guessable("part2/what-cannot-be-done") == problems


def test_an_index_entry_must_stay_whole(tmp_path):
    entries = (
        "half-width",
        "iterates <iterate; the average one>",
        "parts <A, B and C>",
        "2,1-norm",
    )
    cells = [nbformat.v4.new_markdown_cell(f"An {{index}}`{entry}`.") for entry in entries]
    found = [check_notebooks.index_entries(chapter(tmp_path, [cell])) == [] for cell in cells]
    assert found == [True, True, False, False]


def test_a_page_that_was_not_stored_is_told_the_command_for_it_alone():
    page = Chapter(check_notebooks.ROOT / "book" / "part1" / "who-flips.ipynb")
    page.text += " "
    (found,) = check_notebooks.stored_outputs(page)
    assert "(run `python tools/run_notebooks.py book/part1/who-flips.ipynb`)" in found


@pytest.mark.parametrize(
    ("source", "hidden"),
    [
        ("x = " + "1" * check_notebooks.WIDEST_LINE, 0),
        ("\n".join(["x = 1"] * (check_notebooks.LONGEST_CELL + 1)), 1),
    ],
)
def test_a_long_cell_is_found_and_a_wide_line_where_the_code_is_shown(tmp_path, source, hidden):
    cell = nbformat.v4.new_code_cell(source)
    assert len(problems(chapter(tmp_path, [cell]))) == 1
    cell.metadata["tags"] = ["hide-input"]
    assert len(problems(chapter(tmp_path, [cell]))) == hidden


def test_an_explorer_with_an_old_script_is_found(tmp_path):
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


CELLS = """
import sys
print(object())
print("one", flush=True)
_ = sys.stdout.write("two\\n")
"""


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
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


def test_a_second_run_gives_the_same_bytes(stored):
    path, text = stored
    assert run_notebooks.fresh(path) == text


def test_numbers_are_stored_as_a_browser_writes_them(tmp_path):
    sound = chapter(tmp_path)
    state = {"0" * 32: {"state": {"values": [1.0, -0.0, 0.5, 1e20, 1e21]}}}
    sound.notebook.metadata["widgets"] = {run_notebooks.STATE: {"state": state}}
    text = json.dumps(json.loads(run_notebooks.normalize(sound.notebook, "x")))
    assert '"values": [1, 0, 0.5, 100000000000000000000, 1e+21]' in text


def test_what_is_stored_has_values_but_no_accidents(stored):
    notebook = nbformat.reads(stored[1], as_version=4)
    first, second, third, *_ = notebook.cells
    assert len(first.outputs) == 1, "the pieces of one stream were not joined"
    assert third.outputs[0]["data"]["text/plain"] == "2"
    assert second.outputs[0]["data"]["text/plain"] == "<object at 0x0>"
    assert [cell.id for cell in notebook.cells] == [f"cell-{i:02d}" for i in range(5)]
    assert "execution" not in first.metadata


def test_check_reports_a_changed_result_and_writes_nothing(stored, tmp_path, capsys):
    path = tmp_path / "a.ipynb"
    changed = stored[1].replace('"2"', '"3"')
    path.write_text(changed, encoding="utf-8")
    assert run_notebooks.main(["--check", str(path)]) == 1
    assert "CHANGED" in capsys.readouterr().out
    assert path.read_text(encoding="utf-8") == changed


@pytest.mark.parametrize("source", ["1 / 0", "import sys; print('x', file=sys.stderr)"])
def test_an_error_or_a_warning_is_not_stored(tmp_path, source):
    path = tmp_path / "a.ipynb"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    nbformat.write(notebook, path)
    before = path.read_text(encoding="utf-8")
    assert run_notebooks.main([str(path)]) == 1
    assert path.read_text(encoding="utf-8") == before


@pytest.mark.thorough
def test_only_cells_with_claims_are_run_again_and_the_rest_is_kept(tmp_path):
    code = ["print('costly', 1 + 1)", "from sublinear_lib.exhibits import badge", "badge", "3"]
    path = tmp_path / "a.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, code)]), path)
    whole = run_notebooks.fresh(path)
    path.write_text(whole, encoding="utf-8")
    assert run_notebooks.refreshed(path) == whole
    touched = whole.replace("costly 2", "costly 99")
    touched = touched.replace("import badge", "import inline_html as badge")
    path.write_text(touched, encoding="utf-8")
    assert run_notebooks.main(["--claims", "--check", str(path)]) == 0
    old = whole.replace('"3"', '"4"')
    path.write_text(old, encoding="utf-8")
    assert run_notebooks.refreshed(path) == old, "a cell without claims was run"

"""A chapter has a quiz of its own and two live labs, in whatever part it stands."""

from __future__ import annotations

from pathlib import Path

import check_notebooks
import nbformat
import pytest
from check_book import ROOT
from check_notebooks import Chapter

SOUND = "# A chapter\n\n## Quiz"


def chapter(
    folder: Path, prose: str = SOUND, asked: str = 'quiz("part1/a-chapter")', labs: int = 2
) -> Chapter:
    new = nbformat.v4
    cells = [new.new_markdown_cell(prose), new.new_code_cell(asked)]
    for _ in range(labs):
        text = {"text/plain": "LiveLab('Train', controls: m, t)"}
        output = new.new_output("execute_result", data=text, execution_count=1)
        cells.append(new.new_code_cell("lab", outputs=[output]))
    path = folder / "part1" / "a-chapter.ipynb"
    path.parent.mkdir(exist_ok=True)
    nbformat.write(new.new_notebook(cells=cells), path)
    return Chapter(path)


def test_a_complete_chapter_has_no_problems(tmp_path: Path) -> None:
    assert check_notebooks.quiz_and_labs(chapter(tmp_path)) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"prose": SOUND.replace("## Quiz", "## End")}, "no heading announces a quiz"),
        ({"asked": "1"}, "it asks the quizzes []"),
        ({"asked": 'quiz("part1/other")'}, "it asks the quizzes ['part1/other']"),
        ({"labs": 1}, "1 live labs, at least 2 wanted"),
    ],
)
def test_what_a_chapter_lacks_is_found(
    tmp_path: Path, change: dict[str, object], problem: str
) -> None:
    (found,) = check_notebooks.quiz_and_labs(chapter(tmp_path, **change))  # type: ignore[arg-type]
    assert found.startswith(problem)


def test_the_errata_are_a_chapter_and_other_pages_of_the_reference_are_none(
    tmp_path: Path,
) -> None:
    (tmp_path / "reference").mkdir()
    for name in ("errata", "ledger"):
        path = tmp_path / "reference" / f"{name}.ipynb"
        nbformat.write(nbformat.v4.new_notebook(), path)
        read = Chapter(path)
        assert read.teaches is (name == "errata")
        assert bool(check_notebooks.quiz_and_labs(read)) is (name == "errata")
        assert bool(check_notebooks.frame(read)) is (name == "errata")
    for name in check_notebooks.ALSO_A_CHAPTER:
        assert (ROOT / "book" / "reference" / f"{name}.ipynb").exists()


@pytest.mark.parametrize(
    ("entry", "whole"),
    [
        ("half-width", True),
        ("iterates <iterate; the average one>", True),
        ("three parts <parts A, B and C>", False),
        ("2,1-norm", False),
    ],
)
def test_an_index_entry_must_stay_whole(tmp_path: Path, entry: str, whole: bool) -> None:
    problems = check_notebooks.index_entries(chapter(tmp_path, f"An {{index}}`{entry}`."))
    assert (problems == []) == whole

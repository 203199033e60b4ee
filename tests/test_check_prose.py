"""The prose lint reads what a reader reads, and nothing else."""

import nbformat
import pytest

pytest.importorskip("proselint", reason="the extra [dev], which reads the prose, is not installed")

import check_prose


def test_formulas_code_and_settings_are_not_read():
    text = (
        "Let $m$ $m$ be `very` large, see {prf:ref}`thm thm`.\n\n$$\nm m m\n$$\n\n"
        "```{code} python\nvery very\n```\n:label: the the\nDone after 20 000 000 steps.\n"
    )
    prose = check_prose.prose_of(text)
    for hidden in ("m m", "very", "thm", "label", "000"):
        assert hidden not in prose
    assert "be " in prose and "large, see" in prose and "Done after" in prose
    assert prose.count("\n") == text.count("\n")


def test_slips_are_found_with_their_place():
    for text, message in (("We saw and and left.", "repeated"), ("It is very large.", "very")):
        (found,) = check_prose.findings("page.md", f"A first line.\n\n{text}")
        assert found.startswith("page.md, line ") and message in found


@pytest.mark.parametrize(
    "text",
    [
        "## What the arrows are\n\nThe arrows are dashed where a step has a gap.",
        "The terms vanish like $m^{-1/2}$ " * 9 + "$m$ among them.",
        "It holds for all of $x$\n1. when $x=1$ and\n2. when $x=2$\n3. if $x=3$.",
    ],
)
def test_what_a_reader_does_not_take_for_a_slip_is_none(text):
    assert check_prose.findings("page.md", text) == []


def test_notebooks_are_read_by_their_text_cells(tmp_path):
    cells = [nbformat.v4.new_code_cell("the = the"), nbformat.v4.new_markdown_cell("The the x.")]
    path = tmp_path / "page.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    assert list(check_prose.parts_of(path)) == [("page.ipynb, cell 1", "The the x.")]
    assert check_prose.main([str(path)]) == 1


def test_the_chapters_and_quizzes_are_among_the_texts_and_generated_pages_are_not():
    names = {path.relative_to(check_prose.ROOT).as_posix() for path in check_prose.texts()}
    assert "book/how-to-read.md" in names
    assert "book/part1/how-many-neurons-fire.ipynb" in names
    assert any(name.startswith("sublinear_lib/exhibits/quizzes/") for name in names)
    assert not any("statements" in name for name in names)

"""What `make pdf` turns the outputs of the pages into; LaTeX itself is not run here."""

import base64
import re

import build_pdf
import check_book
import pytest
import yaml

from sublinear_lib.exhibits import quiz
from sublinear_lib.plotting import PAGE_HTML

BOX = (
    '<div><style>.a{}</style><details class="sl-claim"><summary><strong>Theorem 4.1</strong> '
    '<span class="sl-verdict"><svg></svg>fails as printed</span></summary>'
    '<p>With <span class="math">\\(m \\class{mjx-rec}{\\ge} 1\\)</span>, see '
    '<a href="ledger.ipynb#x">the ledger</a>.</p>'
    '<details class="sl-more"><summary>What was found</summary><table><tr><th>at</th><th>found</th>'
    "</tr><tr><td>slope</td><td>0.09</td></tr></table></details>"
    '<details class="sl-more"><summary>The code of the check</summary><pre>x</pre></details>'
    '<p class="sl-links"><a href="#">up</a></p></details></div>'
)


def test_a_box_keeps_its_words_and_loses_what_needs_a_screen():
    soup = build_pdf.printable(BOX)
    text = " ".join(soup.get_text().split())
    assert text == "Theorem 4.1 — fails as printedWith \\(m \\rec{\\ge} 1\\), see the ledger."
    assert not soup(["style", "svg", "table"])


def test_a_figure_keeps_its_picture_its_caption_and_its_alternative_text(tmp_path):
    data = {
        PAGE_HTML: "<figure><figcaption>At <i>m</i><sup>2</sup> it <b>falls</b>.</figcaption>"
        "</figure>",
        "image/png": base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 8 + b"\0\0\3\0" * 2).decode(),
        "text/plain": "A falling\n curve.",
    }
    block = build_pdf.printed(data, "page-1-0", tmp_path)
    lines = block.splitlines()
    assert lines[0].endswith("{figure} page-1-0.png")
    assert ":alt: A falling curve." in lines
    assert ":width: 4.00in" in lines  # 768 pixels
    assert "At *m*{sup}`2` it **falls**." in lines
    assert (tmp_path / "page-1-0.png").read_bytes().startswith(b"\x89PNG")


def test_latex_numbers_the_chapters_that_the_pages_number():
    contents = {
        "root": "intro",
        "parts": [
            {"chapters": [{"file": "how"}]},
            {"numbered": True, "chapters": [{"file": "one"}, {"file": "two"}]},
            {"chapters": [{"file": "ledger", "sections": [{"file": "a"}, {"file": "b"}]}]},
            {"chapters": [{"file": "end"}]},
        ],
    }
    assert build_pdf.numbering(contents) == {
        "intro": False,
        "how": True,
        "two": False,
        "b": False,
    }


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """The copy of the book for LaTeX, with the notebooks as they are."""
    source = tmp_path_factory.mktemp("print") / "source"
    with pytest.MonkeyPatch.context() as patch:
        # what is written in a notebook is another matter, and takes long
        patch.setattr(build_pdf, "pages_of", lambda notebook, name, folder: notebook.cells)
        build_pdf.copy_for_print(source)
    return source


def test_the_pages_of_the_library_are_left_out_and_all_others_stay(copied):
    promised = set(check_book.chapters(copied / "_toc.yml"))
    described = {
        path.with_suffix("").relative_to(check_book.ROOT).as_posix()
        for path in (check_book.ROOT / build_pdf.ON_SCREEN_ONLY).glob("*.md")
    }
    assert described and promised == set(check_book.chapters()) - described
    there = [path.relative_to(copied) for path in copied.rglob("book/**/*.*")]
    pages = {path.with_suffix("").as_posix() for path in there if path.suffix in {".md", ".ipynb"}}
    assert promised <= pages and not described & pages


def test_every_file_that_an_extension_names_is_there_in_the_copy(copied):
    names = {
        tuple(re.findall(r'"([^"]+)"', path))
        for file in (copied / "book" / "_ext").glob("*.py")
        for path in re.findall(r"\.parents\[2\]((?: / \"[^\"]+\")+)", file.read_text("utf-8"))
    }
    assert ("benchmarks", "results", "page_times.json") in names
    assert [name for name in names if not copied.joinpath(*name).exists()] == []


def test_no_formula_has_a_tag_which_latex_refuses_where_sphinx_puts_formulas(copied):
    pages = [path for kind in ("*.md", "*.ipynb") for path in (copied / "book").rglob(kind)]
    assert len(pages) > 30
    assert [path.name for path in pages if "\\tag{" in path.read_text(encoding="utf-8")] == []


def test_latex_knows_the_macros_of_the_pages():
    macros = yaml.safe_load((build_pdf.ROOT / "_config.yml").read_text(encoding="utf-8"))
    names = macros["sphinx"]["config"]["companion_macros"]
    preamble = yaml.safe_load(build_pdf.settings())["sphinx"]["config"]["latex_elements"][
        "preamble"
    ]
    assert names and all(f"{{\\{name}}}" in preamble for name in names)
    assert "\\class" not in preamble


def test_nothing_of_html_is_lost_without_a_word(tmp_path):
    pytest.importorskip("pypandoc", reason="pandoc comes with the extra [pdf]")
    with pytest.raises(build_pdf.Unprintable, match="no text"):
        build_pdf.printed({"text/html": "<svg></svg>"}, "empty", tmp_path)


def test_a_quiz_has_lettered_choices_and_its_answers_behind_the_last_question():
    html = quiz("part1/who-flips")._repr_html_()
    soup = build_pdf.printable(html)
    text = " ".join(soup.get_text().split())
    assert len(soup("ol")) == html.count("<fieldset") >= 3
    assert all(items["type"] == "a" and len(items("li")) >= 3 for items in soup("ol"))
    questions, _, answers = text.partition("Answers, question by question")
    assert "Right." not in questions
    assert answers.count("Right.") == len(soup("ol"))
    assert "Question 1. (a)" in answers

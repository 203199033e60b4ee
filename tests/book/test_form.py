"""What the build makes of a page: boxes with one name, a folded section, marks of the source."""

import companion_form
import companion_reach
import pytest
from bs4 import BeautifulSoup

from tests.book.small_book import build, write

CONF = """
extensions = ["myst_parser", "sphinx_design", "companion_form", "companion_reach"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
proof_title_format = " %t"
html_theme = "basic"
companion_moved = {"old/page": "book/page#thm-a"}
"""
PAGE = r"""# A page

See {prf:ref}`lem-4-5`, {prf:ref}`thm-a`, {prf:ref}`the law <prop-law>`.

:::{prf:lemma} 4.5 (paper, as printed)
:label: lem-4-5
:nonumber:
A count, $a\rec{\le}b$ and $c\rec{\le}d$.
:::

:::{prf:theorem} A: counting
:label: thm-a
:nonumber:
True.
:::

:::{prf:proposition} (the law of the count)
:label: prop-law
:nonumber:
True.
:::

:::{prf:lemma} Claim 4.6 = C.16 (paper)
:label: claim-4.6
:nonumber:
True, and {prf:ref}`claim-4.6` says so.
:::

Outside, $a\rec{=}b$ holds.

$$a\rec{=}b$$

## Evidence

The check.

### Seeds

One.
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A book of two pages, one of which has moved."""
    folder = tmp_path_factory.mktemp("form")
    pages = {
        "index.md": "# Book\n\n```{toctree}\nbook/page\nbook/reference/about-the-source\n```\n",
        "book/page.md": PAGE,
        "book/reference/about-the-source.md": "# About the source\n",
        "conf.py": CONF,
    }
    assert build(write(folder / "source", pages), folder / "html") == ""
    html = folder / "html"
    return html, BeautifulSoup((html / "book" / "page.html").read_text("utf-8"), "html.parser")


def test_a_statement_has_its_own_name_in_its_box_and_in_references(built):
    _, page = built
    titles = [" ".join(each.text.split()) for each in page.select("p.admonition-title")]
    assert titles == [
        "Lemma 4.5 (paper, as printed)",
        "Theorem A: counting",
        "Proposition (the law of the count)",
        "Claim 4.6 = C.16 (paper)",
    ]
    links = page.find("p").find_all("a")
    assert [link.text for link in links] == ["Lemma 4.5", "Theorem A", "the law"]
    (within,) = page.select("#claim-4\\.6 section a")
    assert within.text == "Claim 4.6 = C.16"


def test_a_name_ends_where_a_remark_begins():
    names = {
        " 4.5 (paper)": "Lemma 4.5",
        "Equation (25), repaired": "Equation (25), repaired",
        "4.5, repaired": "Lemma 4.5, repaired",
        "(of the count)": "",
        "": "",
    }
    assert {title: companion_form.name_of("lemma", title) for title in names} == names


def test_the_evidence_is_folded_and_stays_in_the_contents(built):
    _, page = built
    fold = page.select_one("section#evidence > details.sd-dropdown")
    assert fold is not None and not fold.has_attr("open")
    assert fold.summary is not None and companion_form.SUMMARY in fold.summary.text
    assert "The check." in fold.text and fold.select_one("section#seeds") is not None
    heading = page.select_one("section#evidence > h2")
    assert heading is not None and heading.text.startswith("Evidence")


def test_a_reconstructed_sign_leads_to_the_page_about_the_source_once_a_box(built):
    _, page = built
    marks = page.select(".source-mark")
    assert len(marks) == 3, "one for the box, one for the paragraph, one for the formula"
    assert {str(mark.a["href"]) for mark in marks if mark.a} == {"reference/about-the-source.html"}
    assert marks[0].find_parent(class_="proof") is not None
    assert all(each.find_parent(class_="proof") is None for each in marks[1:])


def test_an_old_address_leads_to_the_new_one(built):
    html, _ = built
    page = BeautifulSoup((html / "old" / "page.html").read_text("utf-8"), "html.parser")
    refresh = page.select_one("meta[http-equiv=refresh]")
    assert refresh is not None and refresh["content"] == "0; url=../book/page.html#thm-a"
    assert page.a is not None and page.a["href"] == "../book/page.html#thm-a"
    assert page.a.text == "A page"


def test_a_signpost_is_plain_text_and_keeps_the_place_on_its_page():
    page = companion_reach.signpost("x y.html", "a < b")
    assert 'href="x%20y.html"' in page and "a &lt; b" in page and "location.hash" in page
    assert "<script" not in companion_reach.signpost("x y.html#z", "a < b")

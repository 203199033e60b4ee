"""The book's own Sphinx extension: one setting for all buttons, and mended output."""

import companion_book
import nbformat
import pytest
from bs4 import BeautifulSoup
from sphinx.errors import ConfigError

from sublinear_lib.plotting import PAGE_HTML
from tests.book.small_book import build

URL = "https://github.com/example/companion"


@pytest.mark.parametrize("url", ["example", "http://github.com/a/b", "https://github.com/a"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(ConfigError, match="companion_repository_url must be empty or https://"):
        companion_book.connect_repository({}, url)


def page_of(folder, url):
    """Build a one-notebook book with the extension and return the notebook's page."""
    new = nbformat.v4
    drawn = {PAGE_HTML: '<figure class="sl-figure">drawn</figure>'}
    shown = new.new_output("execute_result", data=drawn, execution_count=1)
    cells = [new.new_markdown_cell("# A page"), new.new_code_cell("x", outputs=[shown])]
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    (folder / "source").mkdir()
    notebook = new.new_notebook(cells=cells, metadata={"kernelspec": spec})
    nbformat.write(notebook, folder / "source" / "index.ipynb")
    settings = {
        "extensions": "myst_nb,sphinx_thebe,companion_book",
        "html_theme": "sphinx_book_theme",
        "nb_execution_mode": "off",
        "companion_repository_url": url,
    }
    defined = [f"-D{key}={value}" for key, value in settings.items()]
    assert build(folder / "source", folder / "html", "-C", *defined) == ""
    return BeautifulSoup((folder / "html" / "index.html").read_text("utf-8"), "html.parser")


@pytest.mark.thorough
def test_a_page_of_a_book_with_an_address_leads_to_its_repository(tmp_path):
    soup = page_of(tmp_path, URL)
    links = {str(tag["href"]) for tag in soup.select(".article-header-buttons a[href]")}
    assert links >= {
        URL,
        f"{URL}/edit/main/index.ipynb",
        "https://mybinder.org/v2/gh/example/companion/main?urlpath=lab/tree/index.ipynb",
        "https://colab.research.google.com/github/example/companion/blob/colab/index.ipynb",
    }
    assert any(link.startswith(f"{URL}/issues/new") for link in links)


@pytest.mark.thorough
def test_a_page_of_a_book_without_address_leads_nowhere_and_loads_no_thebe(tmp_path):
    soup = page_of(tmp_path, "")
    links = [str(tag["href"]) for tag in soup.select(".article-header-buttons a[href]")]
    assert [link for link in links if link.startswith("http")] == []
    assert "thebe" not in str(soup).lower()
    # and it shows what viewers of the notebook cannot
    assert soup.select_one(".output.text_html > figure").text == "drawn"


def test_mended_pages_have_no_repeated_ids_and_countable_entries():
    body = (
        '<div class="proof admonition" id="proof"><p id="proof-1">p</p></div>'
        '<section class="proof-content" id="proof-content">a</section>'
        '<section class="solution-content" id="solution-content">b</section>'
        '<div class="citation" id="id7" role="doc-biblioentry">c</div>'
    )
    assert companion_book.mend_body(body) == (
        '<div class="proof argument admonition"><p id="proof-1">p</p></div>'
        '<section class="proof-content">a</section>'
        '<section class="solution-content">b</section>'
        '<div class="citation" id="id7" role="listitem">c</div>'
    )


def test_a_formula_is_held_together_with_its_punctuation():
    formula = '<span class="math notranslate nohighlight">\\(\\tau &gt; 0\\)</span>'
    assert companion_book.mend_body(f"<p>for ({formula}), and</p>") == (
        f'<p>for <span class="unbroken">({formula}),</span> and</p>'
    )
    assert companion_book.mend_body(f"<p>for {formula} and</p>") == f"<p>for {formula} and</p>"


def test_links_of_exhibits_lead_to_pages_and_other_links_stay():
    body = (
        '<a class="sl-page" href="../reference/ledger.ipynb">a</a>'
        '<a class="sl-node sl-page" id="x" href="../reference/ledger.ipynb#thm-4.1">b</a>'
        '<a class="reference download" href="../_downloads/ledger.ipynb">c</a>'
    )
    assert companion_book.mend_body(body) == (
        '<a class="sl-page" href="../reference/ledger.html">a</a>'
        '<a class="sl-node sl-page" id="x" href="../reference/ledger.html#thm-4.1">b</a>'
        '<a class="reference download" href="../_downloads/ledger.ipynb">c</a>'
    )


def test_an_anchor_is_spelled_as_its_label_is_written():
    body = '<span id="thm-4-1-r"></span><section id="proof"><p id="lem-5.3">x</p></section>'
    labels = {"thm-4.1-r": "thm-4-1-r", "lem-5.3": "lem-5-3", "gone.1": "gone-1"}
    assert companion_book.spell_anchors(body, labels) == f'<span id="thm-4.1-r"></span>{body}'


def test_a_button_that_unfolds_the_contents_gets_a_name():
    old = '<details><summary><span class="toctree-toggle" role="presentation"></span></summary>'
    named = companion_book.name_toggles(old)
    assert named.startswith('<details><summary aria-label="Show or hide the pages below"><span')
    assert companion_book.name_toggles("<summary>Text</summary>") == "<summary>Text</summary>"

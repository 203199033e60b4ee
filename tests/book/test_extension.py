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


def test_a_formula_is_held_together_with_its_punctuation():
    formula = '<span class="math notranslate nohighlight">\\(\\tau &gt; 0\\)</span>'
    assert companion_book.mend_body(f"<p>for ({formula}), and</p>") == (
        f'<p>for <span class="unbroken">({formula}),</span> and</p>'
    )
    assert companion_book.mend_body(f"<p>for {formula} and</p>") == f"<p>for {formula} and</p>"

"""Cards, the index and the line below a title: what the book's own extension makes of its words."""

import json

import companion_words
import pytest
from bs4 import BeautifulSoup

from tests.book.small_book import build, write

PAGES = {
    "index.md": """# Title page

```{toctree}
part/chapter
words
word-index
```
""",
    "part/chapter.md": """# A chapter

The {term}`cap` is small, and so is the {index}`radius`. See {prf:ref}`lem-x`, {ref}`heading` and
{ref}`second-name`.

(heading)=
## Part

```{prf:lemma} Short
:label: lem-x
True for $x$, see {term}`net`.
```

(first-name)=
(second-name)=
## Another part

Text.
""",
    "words.md": """# Words

```{glossary}
cap
  What is near $x$, as in a {term}`net`.

net
  {index}`Points <radius; of a net>`.

unused
  Nothing.
```
""",
    "word-index.md": """# Index

```{book-index}
```
""",
    "conf.py": """extensions = ['myst_parser', 'companion_math', 'sphinx_proof', 'companion_words']
myst_enable_extensions = ['dollarmath']
html_theme = 'basic'
html_math_renderer = 'mathml'
html_domain_indices = False
companion_words_links = {'words': 'Words', 'word-index': 'Index', 'gone': 'Gone'}
companion_words_pages = ['part/*']
companion_words_short = {'words': 'glossary'}
""",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A small book, built with the extension."""
    folder = tmp_path_factory.mktemp("words")
    assert build(write(folder / "source", PAGES), folder / "html", "-n") == ""
    return folder / "html"


def soup(path):
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def stored_cards(built):
    text = (built / "_static" / companion_words.CARDS).read_text(encoding="utf-8")
    prefix = "window.companionCards = "
    assert text.startswith(prefix) and text.endswith(";\n")
    cards = json.loads(text.removeprefix(prefix).removesuffix(";\n"))
    return cards


def test_words_and_statements_have_a_card_and_a_section_without_one_has_none(built):
    assert set(stored_cards(built)) == {
        "words.html#term-cap",
        "words.html#term-net",
        "words.html#term-unused",  # the index refers to it
        "part/chapter.html#lem-x",
        "part/chapter.html#heading",
        "part/chapter.html#part",  # the contents refer to it
    }


def test_a_card_says_what_the_page_says_and_leads_nowhere(built):
    for card in stored_cards(built).values():
        content = BeautifulSoup(card, "html.parser")
        assert content.find_all(["a", "button", "script", "img"]) == []
        assert content.find_all(id=True) == []
    word = BeautifulSoup(stored_cards(built)["words.html#term-cap"], "html.parser")
    assert word.select_one(".card-title").get_text() == "cap"
    assert " ".join(word.get_text(" ").split()) == "cap What is near x , as in a net ."
    box = BeautifulSoup(stored_cards(built)["part/chapter.html#lem-x"], "html.parser")
    assert "Short" in box.get_text() and "True for x" in box.get_text()
    assert box.select_one("math[data-tex=x]") is not None
    assert stored_cards(built)["part/chapter.html#heading"] == str(box)


def test_the_index_leads_to_words_and_to_chapters_by_their_titles(built):
    page = soup(built / "word-index.html")
    links = {tag["href"]: tag.get_text() for tag in page.select(".index-entries a")}
    assert links["words.html#term-cap"] == "glossary"
    assert "A chapter" in links.values()
    for address in links:
        path, _, anchor = address.partition("#")
        assert soup(built / path).find(id=anchor), address
    lines = [" ".join(tag.get_text().split()) for tag in page.select("ul.index-entries > li")]
    assert "cap: glossary" in lines
    assert "radius: A chapter of a net: glossary" in lines


def test_only_a_chapter_leads_to_the_words_and_only_to_pages_that_exist(built):
    line = soup(built / "part" / "chapter.html").select_one("h1 + .words-line")
    assert [(tag["href"], tag.get_text()) for tag in line.find_all("a")] == [
        ("../words.html", "Words"),
        ("../word-index.html", "Index"),
    ]
    assert soup(built / "words.html").select(".words-line") == []


def test_a_target_is_found_from_any_folder():
    link = '<a class="reference internal" href="{}">x</a>'
    pages = {
        "a/b.html": link.format("../c.html#one") + link.format("#two") + link.format("gone.html#x"),
        "c.html": link.format("a/b.html#three") + '<a href="c.html#four">x</a>',
    }
    assert companion_words.targets(pages) == {"c.html": {"one"}, "a/b.html": {"two", "three"}}

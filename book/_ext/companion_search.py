"""The index of the search: one small script with the words of the book as a reader sees them.

It holds, for each page in the order of the contents, its title, its kind, and its sections with
headings, names of statements, entries of the index, and text without code.  ``search.js`` ranks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode
from sphinx.application import Sphinx
from sphinx.environment.adapters.indexentries import IndexEntries

INDEX = "companion-index.js"

# what is no text: code, pictures, buttons, what is folded away, signs beside headings
_NO_TEXT = (
    "pre, script, style, svg, template, button, nav, details, .headerlink, .words-line,"
    " .cell_input, .source-mark, .exercise, .solution, .sl-quiz, .sl-explorer, .sl-lab,"
    " .sl-links, .sl-tools, .sl-key, .eqno"
)
# a formula with one of these has no line of text
_BUILT_UP = "msup, msub, msubsup, mfrac, mtable, munder, mover, munderover, msqrt, mroot"
_BLOCKS = "p, li, td, th, dt, dd, div, summary, figcaption, h1, h2, h3, h4, h5, h6"
_SPACES = re.compile(r"\s+")
_PLAIN = "In plain words."
# characters of a section's text
_LONGEST = {"library": 50, "checks": 200, "book": 1200, "chapter": 2500}


def kind_of(page: str) -> str:
    """Return what a page is: a chapter, a page of the book, a page of checks, or of the library."""
    if re.match(r"book/part\d+/", page):
        return "chapter"
    if page.startswith("book/reference/api"):
        return "library"
    if re.match(r"book/reference/(all-exercises|ledger|bibliography)", page):
        return "checks"
    return "book"


def text_of(node: LexborNode) -> str:
    """Return the text below a node on one line."""
    return _SPACES.sub(" ", node.text(separator="")).strip()


def sections_of(html: str) -> Iterator[tuple[str, str, list[str], str]]:
    """Yield the sections of a page: anchor, heading, further names of it, and its own text."""
    article = LexborHTMLParser(html).css_first("article")
    if article is None:
        return
    for each in article.css("math"):
        shown = "" if each.css_first(_BUILT_UP) else text_of(each)
        each.replace_with(shown or "\N{HORIZONTAL ELLIPSIS}")
    yield from _rows(article)
    for each in article.css(_NO_TEXT):
        each.decompose()
    for each in article.css(_BLOCKS):  # the words on both sides of its end are two
        each.insert_after(" ")
    for name in article.css("dl.py > dt[id]"):
        if _within_class(name):  # a name of the library, but not of one of its members
            continue
        about = name.next
        while about is not None and about.tag != "dd":
            about = about.next
        first = about.css_first("p") if about is not None else None
        text = text_of(first) if first is not None else ""
        anchor = str(name.attributes["id"])
        yield anchor, anchor.rpartition(".")[2], [], text
    for section in reversed(article.css("section[id]")):  # inner ones first, which then go
        heading = section.css_first("h1, h2, h3, h4")
        if heading is None or heading.parent != section:
            continue
        title = text_of(heading)
        heading.decompose()
        names = [text_of(each) for each in section.css(".proof > .admonition-title")]
        yield str(section.attributes["id"]), title, names, text_of(section)
        section.decompose()


def _rows(article: LexborNode) -> Iterator[tuple[str, str, list[str], str]]:
    """Yield the rows of the ledger, which are folded: what each says in plain words."""
    for row in article.css("details.sl-row"):
        name = row.css_first(".sl-name")
        also = name.css_first(".sl-place")
        names = [each.removeprefix("also ") for each in text_of(also).split(", ") if each]
        also.decompose()
        told = (text_of(each) for each in row.css("noscript p"))
        plain = next(each for each in told if each.startswith(_PLAIN))
        yield str(row.attributes["id"]), text_of(name), names, plain.removeprefix(_PLAIN).strip()


def _within_class(name: LexborNode) -> bool:
    outer = name.parent.parent if name.parent is not None else None
    while outer is not None and outer.tag != "article":
        if outer.tag == "dl" and "py" in (outer.attributes.get("class") or "").split():
            return True
        outer = outer.parent
    return False


def index_of(pages: dict[str, str], entries: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Return the index of a book."""
    made = []
    for page, html in pages.items():
        kind = kind_of(page)
        places = {address.partition("#")[::2]: said for address, said in entries.items()}
        ids = {anchor: said for (there, anchor), said in places.items() if there == page}
        sections = sorted(sections_of(html), key=lambda each: html.find(f'id="{each[0]}"'))
        found = [[*known, text[: _LONGEST.get(kind)]] for *known, text in sections]
        if not found:
            continue
        starts = [html.find(f'id="{anchor}"') for anchor, *_ in found]
        for anchor, said in ids.items():
            place = html.find(f'id="{anchor}"')
            before = [at for at, start in enumerate(starts) if start <= place]
            found[before[-1] if before else 0][2].extend(said)
        made.append({"page": page, "kind": kind, "sections": found})
    return made


def letters_of(html: str) -> dict[str, str]:
    """Return what letters mean, by their names in code, from the tables of the page on notation."""
    found: dict[str, str] = {}
    for row in LexborHTMLParser(html).css("article tbody tr"):
        cells = [text_of(cell) for cell in row.css("td")]
        if len(cells) == 3 and cells[1].isidentifier():
            found.setdefault(cells[1].lower(), re.split(r"[,;:.(]", cells[2])[0].strip())
    return found


def _write(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir)
    names = [name for name in _in_order(app) if (folder / f"{name}.html").is_file()]
    pages = {
        f"{name}.html": (folder / f"{name}.html").read_text(encoding="utf-8") for name in names
    }
    entries: dict[str, list[str]] = {}
    for _, items in IndexEntries(app.env).create_index(app.builder):
        for word, (links, below, _) in items:
            for _, address in links:
                entries.setdefault(address, []).append(word)
            for subword, sublinks in below:
                for _, address in sublinks:
                    entries.setdefault(address, []).append(f"{word}, {subword}")
    index = {
        "pages": index_of(pages, entries),
        "letters": letters_of(pages.get(f"{app.config.companion_search_letters}.html", "")),
    }
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    (folder / "_static" / INDEX).write_text(f"window.companionIndex = {text};\n", encoding="utf-8")


def _bring_search(app: Sphinx, pagename: str, _: str, context: dict[str, Any], *__: object) -> None:
    if pagename == "search":  # scripts that are added now come to this page only
        app.add_js_file(INDEX, loading_method="defer")
        app.add_js_file("search.js", loading_method="defer")


def _in_order(app: Sphinx) -> list[str]:
    order: list[str] = []

    def walk(name: str) -> None:
        if name not in order:
            order.append(name)
            for inner in app.env.toctree_includes.get(name, ()):
                walk(inner)

    walk(app.config.root_doc)
    return order


def setup(app: Sphinx) -> dict[str, bool]:
    """Have the index written when the pages are there, and before they are made lighter."""
    app.add_config_value("companion_search_letters", "", "html", [str])
    app.connect("html-page-context", _bring_search)
    app.connect("build-finished", _write, priority=700)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Words and statements that a reader meets again: cards, the index, and the way to the notation.

A reference to a word of the glossary or to a statement shows it on a card.  The cards are taken
from the built pages and written into one script, because a page that was opened from a folder
cannot fetch another one.  The directive ``book-index`` sets the index of the book as a page, with
titles where Sphinx's own has numbers.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from docutils import nodes
from selectolax.lexbor import LexborHTMLParser, LexborNode
from sphinx.application import Sphinx
from sphinx.environment.adapters.indexentries import IndexEntries
from sphinx.util.docutils import SphinxDirective

CARDS = "companion-cards.js"

# What is neither read on a card nor needed to find one; all of it is large.
_BALLAST = re.compile(r"<(script|style|svg)\b.*?</\1>", re.DOTALL)
_ARTICLE = re.compile(r"<article\b.*</article>", re.DOTALL)
_REFERENCE = re.compile(r'<a class="reference internal" href="([^"#]*)#([^"]+)"')
_HEADING = re.compile(r"</h1>")
_LINK = re.compile(r"<(/?)a\b[^>]*>")
# what has a card: a list of words, or a box
_HOLDER = re.compile(r'class="(?:[^"]* )?(?:glossary|proof)[" ]')


def targets(pages: Mapping[str, str]) -> dict[str, set[str]]:
    """List what the pages refer to."""
    found: dict[str, set[str]] = {}
    for page, html in pages.items():
        for path, anchor in _REFERENCE.findall(html):
            there = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(path)))
            found.setdefault(there if path else page, set()).add(unquote(anchor))
    return {page: ids for page, ids in found.items() if page in pages}


def cards(html: str, wanted: Iterable[str]) -> dict[str, str]:
    """Return the cards for words of a glossary and for boxes, by their ids on a page.

    There are no links, ids and pictures, because nothing on a card can be reached by keyboard.
    """
    if not _HOLDER.search(html):  # the largest pages, those of the library, hold none
        return {}
    article = _ARTICLE.search(html)
    tree = LexborHTMLParser(_BALLAST.sub("", article.group() if article else html))
    by_id: dict[str, LexborNode] = {}
    for each in tree.css("[id]"):
        by_id.setdefault(str(each.attributes["id"]), each)
    found = {}
    for name in sorted(by_id.keys() & {*wanted}):
        tag: LexborNode | None = by_id[name]
        assert tag is not None
        above = tag.parent
        if tag.tag == "dt" and above is not None and "glossary" in _classes(above):
            meaning = tag.next
            while meaning is not None and meaning.tag != "dd":
                meaning = meaning.next
            found[name] = _card(_inner(tag), _inner(meaning))
            continue
        if tag.tag == "span" and above is not None and tag.child is None:
            tag = above  # where a label stands that is not the first of its heading
        if tag.tag == "section":  # a heading that has a label: what it announces
            tag = tag.css_first(".proof")
        if tag is not None and "proof" in _classes(tag):
            content = tag.css_first("section")
            if content is not None:
                found[name] = _card(_inner(tag.css_first(".admonition-title")), _inner(content))
    return found


def _classes(node: LexborNode) -> list[str]:
    return (node.attributes.get("class") or "").split()


def _card(title: str, text: str) -> str:
    return f'<p class="card-title">{title}</p>{text}'


def _inner(node: LexborNode | None) -> str:
    """Return what an element holds, as text that leads nowhere."""
    if node is None:
        return ""
    body = LexborHTMLParser(node.html or "").body
    assert body is not None and body.child is not None
    while gone := body.css_first(".headerlink, .cell, img, button, details"):
        gone.decompose()
    for name in ("id", "tabindex", "aria-labelledby", "aria-describedby"):
        for each in body.css(f"[{name}]"):
            del each.attrs[name]
    return _LINK.sub(r"<\1span>", body.child.inner_html or "").strip()


def _write_cards(app: Sphinx, error: Exception | None) -> None:
    """Write the cards of the whole book into one script, beside the pages."""
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir)
    paths = {f"{name}.html": folder / f"{name}.html" for name in app.env.found_docs}
    pages = {
        name: path.read_text(encoding="utf-8")
        for name, path in sorted(paths.items())
        if path.is_file()
    }
    found = {
        f"{page}#{anchor}": card
        for page, wanted in sorted(targets(pages).items())
        for anchor, card in cards(pages[page], wanted).items()
    }
    text = json.dumps(found, ensure_ascii=False, indent=0, sort_keys=True)
    (folder / "_static" / CARDS).write_text(f"window.companionCards = {text};\n", encoding="utf-8")


class book_index(nodes.General, nodes.Element):
    """The place of the index on its page."""


class BookIndex(SphinxDirective):
    """``book-index``: the index of the book, set here."""

    def run(self) -> list[nodes.Node]:
        """Leave a mark, because the index is complete only when all pages have been read."""
        self.env.note_reread()  # at every build, because any page may have changed
        return [book_index()]


def entries(app: Sphinx) -> Iterator[tuple[str, list[tuple[str, list[str], Any]]]]:
    """Yield the letters of the index with their entries: text, addresses, and what is below it."""
    for letter, items in IndexEntries(app.env).create_index(app.builder):
        yield letter, [(text, _addresses(links), below) for text, (links, below, _) in items]


def _addresses(links: Iterable[tuple[str, str]]) -> list[str]:
    return [address for _, address in links]


def _set_index(app: Sphinx, doctree: nodes.document, name: str) -> None:
    places = list(doctree.findall(book_index))
    if not places:
        return
    content: list[nodes.Node] = []
    for letter, items in entries(app):
        content.append(nodes.rubric("", letter, classes=["index-letter"]))
        lines = nodes.bullet_list(classes=["index-entries"])
        for text, addresses, below in items:
            line = nodes.list_item("", _entry(app, name, text, addresses))
            if below:
                inner = nodes.bullet_list()
                for subtext, links in below:
                    inner += nodes.list_item("", _entry(app, name, subtext, _addresses(links)))
                line += inner
            lines += line
        content.append(lines)
    for place in places:
        place.replace_self(content)


def _entry(app: Sphinx, page: str, text: str, addresses: Iterable[str]) -> nodes.paragraph:
    """Return one line of the index: the word, then the titles of the pages that speak of it."""
    line = nodes.paragraph("", text)
    up = "../" * page.count("/")
    seen = set()
    for address in addresses:
        path = address.partition("#")[0]
        if path in seen:  # the first place on a page is enough
            continue
        line += nodes.Text(", " if seen else ": ")
        seen.add(path)
        name = path.removesuffix(".html")
        told = app.config.companion_words_short.get(name) or app.env.titles[name].astext()
        line += nodes.reference("", told, refuri=up + address, internal=True)
    return line


def words_line(pagename: str, links: Mapping[str, str]) -> str:
    """Return the line below the title of a chapter."""
    up = "../" * pagename.count("/")
    told = " · ".join(f'<a href="{up}{page}.html">{text}</a>' for page, text in links.items())
    return f'<p class="words-line">{told}</p>'


def _add_words_line(app: Sphinx, page: str, _: str, context: dict[str, Any], *__: object) -> None:
    links = app.config.companion_words_links
    there = {page: text for page, text in links.items() if page in app.env.found_docs}
    pages = app.config.companion_words_pages
    if there and "body" in context and any(fnmatch(page, each) for each in pages):
        line = words_line(page, there)
        context["body"] = _HEADING.sub(lambda match: match.group() + line, context["body"], 1)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the settings, the directive and the steps of this extension with Sphinx."""
    app.add_config_value("companion_words_links", {}, "html", [dict])
    app.add_config_value("companion_words_pages", [], "html", [list])
    app.add_config_value("companion_words_short", {}, "env", [dict])
    app.add_node(book_index)
    app.add_directive("book-index", BookIndex)
    app.add_js_file("hover-cards.js", loading_method="defer")
    app.connect("doctree-resolved", _set_index)
    app.connect("html-page-context", _add_words_line)
    app.connect("build-finished", _write_cards)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Read the built pages as a careful reader would and list what is wrong with them.

Needs no browser: it parses ``_build/html`` and compares it with ``_toc.yml``. ``make book`` runs it
after every build, and ``tests/book/test_pages.py`` plants what each check must find.
"""

from __future__ import annotations

import functools
import gzip
import itertools
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml
from selectolax.lexbor import LexborHTMLParser, LexborNode

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "book" / "_ext"))
import companion_policy  # noqa: E402

HTML = ROOT / "_build" / "html"
TITLE = "Sublinear Adversarial Training: a companion you can run"

# What a browser fetches by itself when it shows a page: tag, and the attribute with the address.
_SOURCES = ("script", "img", "iframe", "embed", "source", "video", "audio", "track", "input")
FETCHED = (
    *((tag, "src") for tag in _SOURCES),
    *(("object", "data"), ("video", "poster"), ("image", "href"), ("use", "href")),
)
FETCHED_LINKS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "manifest"}
FILE_NAME = re.compile(r"\.(png|svg|jpe?g|gif|webp)$", re.IGNORECASE)

RAW_FORMULA = re.compile(r"\$|\\(frac|tau|langle|mathbb)\b")
VERBATIM = {"pre", "code", "script", "style", "math"}

# Bytes before a reader acts, uncompressed: a page alone, with its scripts, styles and letters, and
# what comes compressed from a server. A search loads the index of the whole book.
LARGEST_PAGE = 950_000
LARGEST_TOTAL = 1_200_000
LARGEST_SENT = 500_000
# The ledger holds every statement with its evidence and the code of its check, shut, so that it
# opens without a network; it may be larger until a server compresses it.
LARGER = {"book/reference/ledger.html": 700_000}
LETTERS = ("vendor/math/latinmodern-math.woff2", "vendor/fontawesome/webfonts/fa-solid-900.woff2")
# what must not come to a page that nobody searches
ONLY_FOR_SEARCH = {"companion-index.js", "search.js"}
TOO_HEAVY = {"fontawesome.js", "searchindex.js", "companion-cards.js"}


@dataclass(frozen=True)
class Page:
    """One built page: its name relative to the folder of the book, and its parsed text."""

    folder: Path
    name: str
    tree: LexborHTMLParser = field(repr=False)

    @classmethod
    def read(cls, folder: Path, name: str) -> Page:
        """Parse the page `name`, such as ``book/intro.html``, below `folder`."""
        text = (folder / name).read_text(encoding="utf-8")
        # what waits in a template, for a script to show it, is searched like the rest
        text = re.sub(r"(</?)template\b", r"\1x-template", text, flags=re.IGNORECASE)
        return cls(folder, name, LexborHTMLParser(text))

    @cached_property
    def anchors(self) -> set[str]:
        """Everything on the page that a ``#fragment`` may name."""
        return {
            str(tag.attributes[key]) for key in ("id", "name") for tag in self.tree.css(f"[{key}]")
        }

    @property
    def article(self) -> LexborNode:
        """The text of the page, without the bars around it."""
        found = self.tree.css_first("article")
        if found is None:
            raise ValueError(f"{self.name} has no article")
        return found

    def target(self, address: str) -> Path:
        """Return the file that a local `address` on this page leads to."""
        path = unquote(urlsplit(address).path)
        return ((self.folder / self.name).parent / path).resolve()


def is_local(address: str) -> bool:
    """Say whether `address` stays within the folder of the book."""
    parts = urlsplit(address)
    return not parts.scheme and not parts.netloc


def chapters(toc: Path = ROOT / "_toc.yml") -> list[str]:
    """List the pages that ``_toc.yml`` promises, in reading order, without suffix."""
    return list(_files(yaml.safe_load(toc.read_text(encoding="utf-8"))))


def _files(entry: dict[str, Any]) -> Iterator[str]:
    yield from (entry[key] for key in ("root", "file") if key in entry)
    for key in ("parts", "chapters", "sections"):
        for inner in entry.get(key, ()):
            yield from _files(inner)


def missing_pages(folder: Path, names: list[str]) -> list[str]:
    """List the promised pages that are not there, or have no heading or hardly any text."""
    problems = []
    for name in names:
        if not (folder / f"{name}.html").is_file():
            problems.append(f"{name}: no page was built")
            continue
        tree = Page.read(folder, f"{name}.html").tree
        if tree.css_first("article h1") is None:
            problems.append(f"{name}: the page has no article with a heading")
        elif len(words(tree.css_first("article"))) < 200:
            problems.append(f"{name}: the article is almost empty")
    return problems


def words(node: LexborNode) -> str:
    """Return the text below a node, with one space for every gap."""
    return " ".join(node.text(separator=" ").split())


def _given(node: LexborNode, name: str) -> str:
    """Return an attribute as text; one that is not there, or has no value, is empty."""
    return node.attributes.get(name) or ""


def _fetched(page: Page) -> list[str]:
    """List what a browser fetches by itself when it shows the page."""
    found = []
    for tag_name, attribute in FETCHED:
        for tag in page.tree.css(tag_name):
            for key in (attribute, f"xlink:{attribute}"):
                if key in tag.attributes:
                    found.append(_given(tag, key))
    for tag in page.tree.css("img[srcset], source[srcset]"):
        found += [part.split()[0] for part in _given(tag, "srcset").split(",") if part.strip()]
    for tag in page.tree.css("link[href]"):
        if FETCHED_LINKS & set(_given(tag, "rel").split()):
            found.append(_given(tag, "href"))
    for tag in page.tree.css("[style]"):
        found += _css_addresses(_given(tag, "style"))
    for tag in page.tree.css("style"):
        found += _css_addresses(tag.text())
    return found


def _css_addresses(text: str) -> Iterator[str]:
    for match in re.finditer(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", text):
        yield match.group(1) or match.group(2)


PAGE_CHECKS: dict[str, Callable[[Page], list[str]]] = {}


def page_check(find: Callable[[Page], Iterator[str]]) -> Callable[[Page], list[str]]:
    """Make a check of what yields the faults of a page: it lists them, with the page's name."""

    @functools.wraps(find)
    def listed(page: Page) -> list[str]:
        return [f"{page.name}: {fault}" for fault in find(page)]

    PAGE_CHECKS[find.__name__] = listed
    return listed


@page_check
def outside_requests(page: Page) -> Iterator[str]:
    """List what the page would fetch from another host, in its tags and its own style sheets."""
    fetched = _fetched(page)
    local = [page.target(each) for each in fetched if is_local(each)]
    sheets = [path for path in local if path.suffix == ".css" and path.is_file()]
    texts = [path.read_text(encoding="utf-8") for path in sheets]
    inner = [_css_addresses(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)) for text in texts]
    for address in itertools.chain(fetched, *inner):
        if not is_local(address) and urlsplit(address).scheme not in {"data", "blob"}:
            yield f"asks another host for {address}"


def broken_links(page: Page, pages: dict[str, Page]) -> list[str]:
    """List the local links and files of the page that lead nowhere, and missing anchors.

    `pages` holds every page of the book by its name, for the anchors.
    """
    problems = []
    links = [_given(tag, "href") for tag in page.tree.css("a[href]")]
    for address in dict.fromkeys([*links, *_fetched(page)]):
        if not is_local(address) or address in {"", "#"}:
            continue
        parts = urlsplit(address)
        path = page.target(address) if parts.path else page.folder / page.name
        if not path.exists():
            problems.append(f"{page.name}: {address} does not exist")
        elif parts.fragment and path.suffix == ".html":
            name = path.resolve().relative_to(page.folder.resolve()).as_posix()
            if name in pages and unquote(parts.fragment) not in pages[name].anchors:
                problems.append(f"{page.name}: {address} names no anchor of {name}")
    return problems


@page_check
def unnamed_pictures(page: Page) -> Iterator[str]:
    """List the pictures without a real alternative text.

    A file name is no alternative text. An empty one is right only for decoration, which in this
    book is the mark beside its own name.
    """
    for tag in page.tree.css("img"):
        alt = tag.attributes.get("alt")
        decoration = "logo__image" in _given(tag, "class").split()
        if alt is None or FILE_NAME.search(alt) or (len(alt) < 10 and not decoration):
            yield f"<img src={_given(tag, 'src')!r}> has alt text {alt!r}"
    for tag in page.tree.css("svg"):
        inner = any(parent.tag == "svg" for parent in _parents(tag))
        hidden = tag.attributes.get("aria-hidden") == "true"
        if not inner and not hidden and len(_accessible_name(page, tag)) < 10:
            yield f"an inline drawing has no name: {(tag.html or '')[:120]}"


def _parents(node: LexborNode) -> Iterator[LexborNode]:
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def _accessible_name(page: Page, tag: LexborNode) -> str:
    if label := _given(tag, "aria-label"):
        return label
    if labels := _given(tag, "aria-labelledby"):
        named = [page.tree.css_first(f'[id="{name}"]') for name in labels.split()]
        return " ".join(words(found) for found in named if found is not None)
    titles = [child for child in tag.iter() if child.tag == "title"]
    return words(titles[0]) if titles else ""


@page_check
def bad_head(page: Page) -> Iterator[str]:
    """List what is wrong with the language, the title and the character set of the page."""
    html, named = page.tree.css_first("html"), page.tree.css_first("title")
    if html is None or html.attributes.get("lang") != "en":
        yield '<html> has no lang="en"'
    title = words(named) if named is not None else ""
    if "\\(" in title or "$" in title:
        yield f"a formula in the title stays raw in tabs and menus: {title!r}"
    if not title.endswith(TITLE):
        yield f"the title is {title!r}"
    if page.tree.css_first("meta[charset]") is None:
        yield "no character set is declared"


@page_check
def repeated_ids(page: Page) -> Iterator[str]:
    """List the ids that stand more than once on the page."""
    for name, times in Counter(_given(tag, "id") for tag in page.tree.css("[id]")).items():
        if times > 1:
            yield f"the id {name!r} stands more than once"


@page_check
def broken_formulas(page: Page) -> Iterator[str]:
    """List the formulas that were left as dollar signs or as raw TeX in the running text."""
    article = page.tree.css_first("article")
    for node in article.traverse(include_text=True) if article is not None else ():
        text = (node.text_content or "") if node.is_text_node else ""
        if RAW_FORMULA.search(text) and VERBATIM.isdisjoint(each.tag for each in _parents(node)):
            yield f"raw formula in the text: {text.strip()[:80]!r}"


@page_check
def broken_explorers(page: Page) -> Iterator[str]:
    """List the explorers whose stored state is missing, so that only their still would be shown.

    An explorer stands in the page as its still picture, marked with a key that its state repeats,
    or, where the page was built without stills, as a script with the name of its model.
    """
    kind = "application/vnd.jupyter.widget-{}+json"
    stored = page.tree.css_first(f'script[type="{kind.format("state")}"]')
    state = json.loads(stored.text())["state"] if stored is not None else {}
    keys = {model.get("state", {}).get("_key") for model in state.values()}
    views = page.tree.css(f'script[type="{kind.format("view")}"]')
    lost = [name for view in views if (name := json.loads(view.text())["model_id"]) not in state]
    stills = page.tree.css("[data-sl-widget]")
    lost += [key for still in stills if (key := _given(still, "data-sl-widget")) not in keys]
    yield from (f"explorer {name} has no stored state" for name in lost)


@page_check
def unlocked_page(page: Page) -> Iterator[str]:
    """List what the page's Content-Security-Policy lacks, or would keep from working.

    The policy comes before every script; every script in the page has its hash there; nothing is
    run from an attribute or from an address that is itself a script.
    """
    policy = 'meta[http-equiv="Content-Security-Policy"]'
    tag = page.tree.css_first(policy)
    if tag is None:
        yield "there is no Content-Security-Policy"
        return
    rules = {rule.split()[0]: rule.split()[1:] for rule in _given(tag, "content").split(";")}
    if rules.get("default-src") != ["'none'"]:
        yield "the policy allows more than it names"
    scripts = rules.get("script-src", [])
    if {"'unsafe-inline'", "'unsafe-eval'", "*", "https:", "http:", "data:"} & set(scripts):
        yield "the policy runs any script"
    if page.tree.css(f"{policy}, script")[0].tag == "script":
        yield "a script stands before the policy"
    text = (page.folder / page.name).read_text(encoding="utf-8")
    for script in companion_policy.scripts_within(text):
        if companion_policy.fingerprint(script) not in scripts:
            yield f"the policy refuses the script {script.strip()[:60]!r}"
    for each in page.tree.css("*"):
        for name, value in each.attributes.items():
            if name.startswith("on") or (value or "").lower().startswith("javascript:"):
                yield f"the policy refuses {name}={(value or '')[:60]!r}"


@page_check
def heavy_page(page: Page) -> Iterator[str]:
    """List what makes a page heavier than its budget, alone or with all that it loads."""
    loaded = {page.target(address) for address in _fetched(page) if is_local(address)}
    letters = LETTERS if page.tree.css_first("math") else LETTERS[1:]
    loaded |= {page.folder / "_static" / name for name in letters}
    files = [page.folder / page.name, *sorted(path for path in loaded if path.is_file())]
    sizes, more = [path.stat().st_size for path in files], LARGER.get(page.name, 0)
    for what, found, most in (
        ("alone", sizes[0], LARGEST_PAGE + more),
        ("with all it loads", sum(sizes), LARGEST_TOTAL + more),
        ("compressed", sum(map(_sent, files)), LARGEST_SENT),
    ):
        if found > most:
            yield f"{found} bytes {what}, the budget is {most}"
    unwanted = TOO_HEAVY if page.name == "search.html" else TOO_HEAVY | ONLY_FOR_SEARCH
    yield from (f"loads {path.name}" for path in files if path.name in unwanted)


@functools.cache
def _sent(path: Path) -> int:
    """Return the bytes of a file as a server sends it."""
    content = path.read_bytes()
    return len(content) if path.suffix == ".woff2" else len(gzip.compress(content, 6))


def read_pages(folder: Path = HTML) -> dict[str, Page]:
    """Parse every page of the book: the chapters and what the theme adds (index, search)."""
    names = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.html")
        if not {"_static", "_sources"} & set(path.relative_to(folder).parts)
    )
    return {name: Page.read(folder, name) for name in names}


def is_redirect(page: Page) -> bool:
    """Say whether the page only sends its reader on, as the book's ``index.html`` does."""
    return page.tree.css_first('meta[http-equiv="refresh" i]') is not None


def check(folder: Path = HTML, toc: Path = ROOT / "_toc.yml") -> list[str]:
    """Run every check on the book in `folder`; return the problems, empty when there are none."""
    problems = missing_pages(folder, chapters(toc))
    pages = read_pages(folder)
    for page in pages.values():
        problems += broken_links(page, pages)
        if not is_redirect(page):
            for one in PAGE_CHECKS.values():
                problems += one(page)
    return problems

"""How a page is found, shown by others, and cited.

Every page gets a description and an entry to cite it, made from ``CITATION.cff``.  Once the book
has an address (``html.baseurl`` in ``_config.yml``, or the variable ``COMPANION_SITE_URL``), pages
also carry tags for links to them, and the book a ``sitemap.xml``.  A small page leads from each
address that has moved (``companion_moved``).  The licenses of copied scripts and styles are
written, too.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable
from html import escape, unescape
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape as escape_xml

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)

VARIABLE = "COMPANION_SITE_URL"
CARD = "_static/social-card.png"
CARD_TEXT = (
    "The title of the book beside its mark: dots on both sides of a line, filled on one side"
)
SHORTEST, LONGEST = 30, 200

# what a build copies into _static comes from these
PACKAGES = (
    *("myst-nb", "pydata-sphinx-theme", "pygments", "sphinx", "sphinx-book-theme"),
    *("sphinx-copybutton", "sphinx-design", "sphinx-exercise", "sphinx-proof"),
    "sphinx-togglebutton",
)
LICENSES = "_static/third-party-licenses.txt"
_LICENSE = re.compile(r"(LICEN[CS]E|COPYING|NOTICE)", re.IGNORECASE)
_WITHIN = """\
Within these packages come Bootstrap (MIT License, the Bootstrap Authors, https://getbootstrap.com),
Font Awesome Free (code: MIT License; icons: CC BY 4.0; fonts: SIL OFL 1.1; Fonticons, Inc.,
https://fontawesome.com) and clipboard.js (MIT License, Zeno Rocha, https://clipboardjs.com). The
files in the folder vendor have their licenses there.
"""

_OPENING = re.compile(r"^The question( this page answers)?\.\s+")
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")
_TEX = re.compile(r"[\\{}^_$]")


def site_address(configured: str, environment: str = "") -> str:
    """Return the address of the published book, with a slash at its end, or nothing."""
    address = configured.strip() or environment.strip()
    if address and not re.fullmatch(r"https?://[^/\s?#]+(/[^\s?#]*)?", address):
        raise ConfigError(
            f"html.baseurl and {VARIABLE} must be empty or https://HOST/PATH, got {address!r}"
        )
    return address.rstrip("/") + "/" if address else ""


def describe(doctree: nodes.document | None, title: str, book: str) -> str:
    """Return what a page is about, in at most two hundred letters and without formulas."""
    told = ""
    paragraphs = doctree.findall(nodes.paragraph) if doctree is not None else iter(())
    for paragraph in paragraphs:
        if paragraph.children and all(isinstance(each, nodes.emphasis) for each in paragraph):
            continue  # a remark before the text, the same on several pages
        text = _OPENING.sub("", " ".join(paragraph.astext().split()))
        for sentence in _SENTENCE.split(text):
            if _TEX.search(sentence) or len(told) + len(sentence) >= LONGEST:
                break
            told = f"{told} {sentence}".strip()
        if told:
            break
    if len(told) >= SHORTEST:
        return told
    return f"A page of “{book}”." if title == book else f"{title}. A page of “{book}”."


def bibtex(citation: dict[str, Any], year: str, title: str = "", address: str = "") -> str:
    """Return an entry for BibTeX."""
    names = [
        "{" + each["name"] + "}"
        if "name" in each
        else f"{each['family-names']}, {each['given-names']}"
        for each in citation["authors"]
    ]
    version = f"Version {citation['version']}"
    # a mark of TeX in a title is to be printed, not obeyed
    part = re.sub(r"([#$%&_{}])", r"\\\1", title)
    fields = {
        "author": " and ".join(names),
        "title": "{" + citation["title"] + "}",
        "year": year,
        "note": f"{version}. Page: {part}" if part else version,
        "url": address,
    }
    lines = [f"  {key:<6} = {{{value}}}," for key, value in fields.items() if value]
    return "\n".join([f"@misc{{sublinear-companion-{year},", *lines, "}"])


def citing(entry: str) -> str:
    """Return the box of the footer that shows an entry for BibTeX."""
    return (
        '<details class="cite-page"><summary>Cite this page</summary>\n'
        f"<pre>{escape(entry, quote=False)}</pre>\n</details>\n"
    )


def tags(title: str, description: str, book: str, site: str = "", page: str = "") -> str:
    """Return the tags of a page that say what it is about."""
    found = [("name", "description", description)]
    if site:
        found += [
            ("property", "og:type", "article"),
            ("property", "og:site_name", book),
            ("property", "og:title", title),
            ("property", "og:description", description),
            ("property", "og:url", site + quote(page)),
            ("property", "og:image", site + CARD),
            ("property", "og:image:width", "1200"),
            ("property", "og:image:height", "630"),
            ("property", "og:image:alt", CARD_TEXT),
            ("name", "twitter:card", "summary_large_image"),
        ]
    return "".join(
        f'<meta {kind}="{name}" content="{escape(text)}" />\n' for kind, name, text in found
    )


def sitemap(site: str, pages: list[str]) -> str:
    """Return the list of pages that search engines read."""
    places = "".join(
        f"  <url><loc>{escape_xml(site + quote(page))}</loc></url>\n" for page in sorted(pages)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{places}</urlset>\n'
    )


# What the old address asked for on its page, the new one has under the same name.
_CARRY = (
    "<script>if (location.hash) "
    'location.replace(document.querySelector("link").href + location.hash)</script>\n'
)


def signpost(to: str, title: str) -> str:
    """Return the page that leads from an old address to a new one."""
    address = escape(quote(to, safe="/.#"))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8" />\n'
        f'<title>Moved: {escape(title)}</title>\n<link rel="canonical" href="{address}" />\n'
        + (_CARRY if "#" not in to else "")
        + f'<meta http-equiv="refresh" content="0; url={address}" />\n'
        '<meta name="robots" content="noindex" />\n</head>\n'
        f'<body><p>This page has moved to <a href="{address}">{escape(title)}</a>.</p></body>\n'
        "</html>\n"
    )


def licenses(packages: Iterable[str] = PACKAGES) -> str:
    """Return the license texts of installed packages, one after the other."""
    parts = ["Licenses of the files of other projects among those of this book\n\n" + _WITHIN]
    for name in packages:
        package = metadata.distribution(name)
        files = [file for file in package.files or () if ".dist-info" in file.parts[0]]
        texts = [file.read_text("utf-8").strip() for file in files if _LICENSE.match(file.name)]
        if not texts:
            raise ValueError(f"the package {name} must bring the text of its license")
        parts.append("\n\n".join([f"==== {name} {package.version} ====", *texts]) + "\n")
    return "\n".join(parts)


def _find_address(app: Sphinx, config: Config) -> None:
    config.html_baseurl = site_address(config.html_baseurl, os.environ.get(VARIABLE, ""))


def _present(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    book, site = app.config.html_title or app.config.project, app.config.html_baseurl
    title = unescape(re.sub(r"<[^>]*>", "", str(context.get("title", "")))) or book
    address = pagename + app.builder.out_suffix
    if 'name="description"' not in context.get("metatags", ""):
        told = tags(title, describe(doctree, title, book), book, site, address)
        context["metatags"] = context.get("metatags", "") + told
    source = Path(app.srcdir) / "CITATION.cff"
    if source.is_file() and "theme_extra_footer" in context:
        citation = yaml.safe_load(source.read_text(encoding="utf-8"))
        year = str(app.config.copyright).strip()[:4]
        page = (title if doctree is not None else "", site + address if site else "")
        entry = bibtex(citation, year, *page)
        context["theme_extra_footer"] = citing(entry) + str(context["theme_extra_footer"] or "")


def _write(app: Sphinx, exception: Exception | None) -> None:
    """Write the licenses, the list of pages, and the pages that lead to others."""
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir)
    (folder / LICENSES).write_text(licenses(), encoding="utf-8")
    if site := app.config.html_baseurl:
        pages = [page + app.builder.out_suffix for page in app.env.found_docs]
        (folder / "sitemap.xml").write_text(sitemap(site, pages), encoding="utf-8")
    for old, new in app.config.companion_moved.items():
        page, _, anchor = new.partition("#")
        if page not in app.env.titles or old in app.env.titles:
            LOGGER.warning("companion_moved must lead from no page to a page: %s: %s", old, new)
            continue
        path = folder / f"{old}{app.builder.out_suffix}"
        to = posixpath.relpath(page, posixpath.dirname(old)) + app.builder.out_suffix
        path.parent.mkdir(parents=True, exist_ok=True)
        text = signpost(f"{to}#{anchor}" if anchor else to, app.env.titles[page].astext())
        path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the steps of this extension with Sphinx."""
    app.add_config_value("companion_moved", {}, "html", [dict])
    app.connect("config-inited", _find_address)
    # after the theme has read its options into the context
    app.connect("html-page-context", _present, priority=700)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

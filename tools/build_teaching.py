"""Make what a lecturer takes along: slides and exercise sheets, from the built pages.

A deck holds what a page shows and not what it tells: its statements, figures, explorers, lists and
displayed formulas, one thought a slide; the sentences become the notes of the speaker (key S).  An
exercise sheet holds the exercises without their solutions.  Both are written after every build into
``_build/html/teaching`` and use the styles, formulas and scripts of the pages, so that they work
without a network too.

usage: python tools/build_teaching.py [folder with the built pages]
"""

from __future__ import annotations

import copy
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import yaml
from bs4 import BeautifulSoup, Tag
from check_book import HTML, ROOT, TITLE

sys.path.append(str(ROOT / "book" / "_ext"))
from companion_policy import lock, scripts_of_speaker

FOLDER = "teaching"
# Sections that are for the desk and not for the lecture hall.
AT_THE_DESK = re.compile(
    r"exercises|evidence|where we stand|what we verified|verdicts|quiz|self-check|live",
    re.IGNORECASE,
)
# What a slide holds, in lines of about ninety letters at the size of the slides.
LINES = 15
LETTERS = 88
FIGURE_LINES = 11
# A paragraph of at most so many letters may stand on a slide as its first sentence.
LEAD = 260


@dataclass
class Slide:
    """One slide: a heading, what is seen, and what the speaker says."""

    title: str
    shown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    lines: float = 0.0

    def html(self) -> str:
        """Return the slide as reveal.js wants it."""
        # reveal.js takes every section for a slide
        inner = re.compile(r"<(/?)section\b")
        shown = inner.sub(r"<\1div", "".join(self.shown))
        notes = inner.sub(r"<\1div", "".join(self.notes))
        said = f'<aside class="notes">{notes}</aside>' if notes else ""
        return f"<section>\n<h2>{self.title}</h2>\n{shown}\n{said}</section>"


def lectures() -> list[str]:
    """List the pages that are taught from: the chapters of the parts, without their first pages."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    files = [
        str(entry["file"])
        for part in toc["parts"]
        if part["caption"].startswith("Part ")
        for entry in part["chapters"]
    ]
    return [name for name in files if not name.endswith("/index")]


def words(tag: Tag) -> str:
    """Return the text of a tag, on one line."""
    return " ".join(tag.get_text(" ").split())


def height(tag: Tag) -> float:
    """Estimate how many lines of a slide a block takes."""
    if tag.name == "figure" or tag.find("figure") or tag.has_attr("data-sl-widget"):
        return FIGURE_LINES + len(words(tag)) / 400
    if "math" in (tag.get("class") or []):
        return 2.0 + tag.get_text().count("\\\\")
    displays = tag.select("div.math")
    text = len(words(tag))
    rows = len(tag.find_all("tr"))
    items = len(tag.find_all("li"))
    if rows:
        return 1.5 * rows + text / 400
    lines = sum(max(1, -(-len(words(part)) // LETTERS)) for part in tag.find_all(["p", "li"]))
    return max(lines, text / LETTERS) + 1.5 * len(displays) + 0.4 * items + 0.5


def blocks(section: Tag) -> Iterator[Tag]:
    """Give the blocks of a section in order; of a code cell its figures, of a box what it holds."""
    for child in section.find_all(recursive=False):
        if child.name in {"h1", "h2", "h3", "section", "script", "style"}:
            continue
        if "cell" in (child.get("class") or []):
            yield from child.select(".cell_output [data-sl-widget], .cell_output figure.sl-figure")
            continue
        if child.name == "div" and "admonition" not in (child.get("class") or []):
            boxes = child.select(".pst-scrollable-table-container table, table")
            if boxes:
                yield boxes[0]
                continue
        yield child


def nested(tag: Tag) -> bool:
    """Say whether a figure lies in an explorer, which is shown as a whole."""
    return tag.name == "figure" and tag.find_parent(attrs={"data-sl-widget": True}) is not None


def is_lab(tag: Tag) -> bool:
    """Say whether a block is a live lab, which needs a kernel."""
    return tag.has_attr("data-sl-widget") and "a running Jupyter" in tag.get_text()


def is_shown(tag: Tag) -> bool:
    """Say whether a block is something to look at; sentences and proofs are to be told.

    A quotation is what the paper prints.
    """
    classes = set(tag.get("class") or [])
    if tag.name == "details" or "argument" in classes or "exercise" in classes:
        return False
    return (
        bool(classes & {"proof", "admonition", "math"})
        or tag.name in {"ul", "ol", "figure", "table", "blockquote"}
        or tag.has_attr("data-sl-widget")
    )


def heading(section: Tag, level: str) -> str:
    """Return the heading of a section as HTML, without its number and its link."""
    found = section.find(level, recursive=False)
    if found is None:
        return ""
    clean = copy.copy(found)
    for useless in clean.select(".section-number, .headerlink"):
        useless.decompose()
    return clean.decode_contents().strip()


def filled(title: str, parts: Iterable[Tag]) -> Iterator[Slide]:
    """Distribute the blocks of a section over slides."""
    slide = Slide(title)
    pending: Tag | None = None
    for part in parts:
        if not is_shown(part):
            lead = part.name == "p" and not slide.shown and len(words(part)) <= LEAD
            if lead and pending is None and part.find("img") is None:
                pending = part
            slide.notes.append(str(part))
            continue
        needed = height(part)
        first = height(pending) if pending is not None else 0.0
        if slide.shown and slide.lines + needed > LINES:
            yield slide
            slide = Slide(title)
            pending, first = None, 0.0
        if pending is not None and not slide.shown and needed + first <= LINES:
            slide.shown.append(str(pending))
            slide.notes.remove(str(pending))
            slide.lines += first
        pending = None
        slide.shown.append(str(part))
        slide.lines += needed
    if not slide.shown and slide.notes:
        # a section of sentences alone: their beginnings are what the audience sees
        leads = [BeautifulSoup(note, "html.parser").find(["strong", "b"]) for note in slide.notes]
        points = [f"<li>{lead.decode_contents()}</li>" for lead in leads if lead is not None]
        if points:
            slide.shown.append(f"<ul>{''.join(points)}</ul>")
        elif pending is not None:
            slide.shown.append(str(pending))
            slide.notes.remove(str(pending))
    if slide.shown:
        yield slide


def slides_of(article: Tag) -> list[Slide]:
    """Return the slides of one chapter, after its title slide."""
    chapter = article.find("section")
    assert isinstance(chapter, Tag)
    opening = [
        block
        for block in blocks(chapter)
        if block.name != "p" and not nested(block) and not is_lab(block)
    ]
    slides = list(filled("What this lecture is about", opening))
    for section in chapter.find_all("section", recursive=False):
        title = heading(section, "h2")
        if not title or AT_THE_DESK.search(BeautifulSoup(title, "html.parser").get_text()):
            continue
        parts = [part for part in blocks(section) if not nested(part) and not is_lab(part)]
        slides.extend(filled(title, parts))
        for deeper in section.find_all("section", recursive=False):
            inner = [part for part in blocks(deeper) if not nested(part) and not is_lab(part)]
            slides.extend(filled(heading(deeper, "h3") or title, inner))
    return slides


def head_of(page: BeautifulSoup, address: str, *, widgets: bool) -> str:
    """Return the styles and explorers that a page loads, as they read in the teaching folder.

    Menus, search and buttons of the theme are left behind; explorers come along if `widgets`.
    """
    kept = []
    boot = ("widgets-boot", "widget-state") if widgets else ()
    for tag in page.select("head link, head style, script"):
        tag = copy.copy(tag)
        if tag.name == "link" and not {"stylesheet", "icon"} & set(tag.get("rel") or []):
            continue
        source = str(tag.get("src") or tag.get("href") or "")
        if tag.name == "script":
            kind = f"{source} {tag.get('type')}"
            if not any(name in kind for name in boot):
                continue
        for key in ("src", "href"):
            if tag.has_attr(key):
                tag[key] = moved(str(tag[key]), address)
        kept.append(str(tag))
    return "\n".join(kept)


def moved(target: str, address: str) -> str:
    """Return a link of the page `address` as it reads in the teaching folder."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return target
    if target.startswith("#"):
        return f"../{address}{target}"
    return "../" + urljoin("/" + address, target).removeprefix("/")


def relinked(html: str, address: str) -> str:
    """Return `html` with its links and pictures as they read in the teaching folder."""
    soup = BeautifulSoup(html, "html.parser")
    for tag in soup.find_all(["a", "img"]):
        for key in ("href", "src"):
            if tag.has_attr(key):
                tag[key] = moved(str(tag[key]), address)
    # the index leads to the chapters, and a sentence may stand on a slide and in its notes
    for useless in soup.select("a.headerlink, span.target[id^='index-']:empty"):
        useless.decompose()
    return str(soup)


THEME = """<script>
document.documentElement.dataset.theme =
  { dark: "dark", light: "light" }[localStorage.getItem("mode")] ??
  (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
</script>"""

START = """<script src="../_static/vendor/reveal/reveal.js"></script>
<script src="../_static/vendor/reveal/plugin/notes/notes.js"></script>
<script>
// A long algorithm or table is set smaller until its slide holds it.
function fit() {
  const slide = Reveal.getCurrentSlide();
  for (let size = 100; slide.scrollHeight > slide.clientHeight && size > 50; size -= 4) {
    slide.style.fontSize = `${size}%`;
  }
}
// The letters of the formulas are there before anything is measured.
addEventListener("DOMContentLoaded", async () => {
  await document.fonts.ready;
  Reveal.on("slidechanged", () => {
    fit();
    // an explorer draws itself anew when it is first seen, and is measured after that
    requestAnimationFrame(() => requestAnimationFrame(fit));
  });
  await Reveal.initialize({
    width: 1280, height: 760, margin: 0.03, center: false, hash: true, controls: true,
    slideNumber: "c/t", transition: "none", plugins: [RevealNotes],
  });
  fit();
  document.documentElement.dataset.slidesReady = "yes";
});
</script>"""


def deck(page: BeautifulSoup, address: str) -> str:
    """Return the slides of one built page as a page of their own."""
    article = page.select_one("article")
    assert isinstance(article, Tag)
    chapter = article.find("section")
    assert isinstance(chapter, Tag)
    title = heading(chapter, "h1")
    question = chapter.find(
        lambda tag: tag.name == "p" and "words-line" not in (tag.get("class") or []),
        recursive=False,
    )
    first = (
        f'<section class="sl-opening">\n<h1>{title}</h1>\n{question if question else ""}\n'
        f'<p class="sl-from">{escape(TITLE)}. Notes: key S. Overview: key O. '
        f'<a href="{address.rpartition("/")[2]}">The chapter</a></p></section>'
    )
    body = "\n".join([first, *(slide.html() for slide in slides_of(article))])
    plain = BeautifulSoup(title, "html.parser").get_text()
    return f"""<!doctype html>
<html lang="en" data-content_root="../">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Slides: {escape(plain)} &#8212; {escape(TITLE)}</title>
{THEME}
<link rel="stylesheet" href="../_static/vendor/reveal/reset.css">
<link rel="stylesheet" href="../_static/vendor/reveal/reveal.css">
{head_of(page, address, widgets=True)}
<link rel="stylesheet" href="../_static/teaching.css">
</head>
<body class="sl-deck">
<main class="reveal"><div class="slides bd-content bd-article">
{relinked(body, address)}
</div></main>
{START}
</body>
</html>
"""


def exercises_of(page: BeautifulSoup, address: str) -> tuple[str, list[str]]:
    """Return the title of a chapter and its exercises, without solutions."""
    chapter = page.select_one("article section")
    assert isinstance(chapter, Tag)
    found = [relinked(str(box), address) for box in page.select("article .exercise.admonition")]
    return heading(chapter, "h1"), found


def sheet(title: str, head: str, chapters: Sequence[tuple[str, list[str]]]) -> str:
    """Return an exercise sheet for the printer, with headings where it is for several chapters."""
    parts = [
        (f"<h2>{name}</h2>\n" if len(chapters) > 1 else "") + "".join(boxes)
        for name, boxes in chapters
    ]
    return f"""<!doctype html>
<html lang="en" data-theme="light" data-content_root="../">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} &#8212; {escape(TITLE)}</title>
{head}
<link rel="stylesheet" href="../_static/teaching.css">
</head>
<body class="sl-sheet">
<main class="bd-content bd-article">
<h1>{escape(title)}</h1>
<p>★ a line or two, ★★ some thought or some code, ★★★ a small project. The solutions are in the
chapters of <a href="../index.html">{escape(TITLE)}</a>.</p>
{"".join(parts)}
</main>
</body>
</html>
"""


def build(html: Path = HTML) -> list[Path]:
    """Write all decks and sheets; return their paths.

    Raises
    ------
    ValueError
        If a chapter gives no slide or no exercise.
    """
    folder = html / FOLDER
    folder.mkdir(exist_ok=True)
    notes = html / "_static" / "vendor" / "reveal" / "plugin" / "notes" / "notes.js"
    speaker = scripts_of_speaker(notes.read_text(encoding="utf-8"))
    written, everything, head = [], [], ""
    for name in lectures():
        address = f"{name}.html"
        page = BeautifulSoup((html / address).read_text(encoding="utf-8"), "html.parser")
        slides, (title, boxes) = deck(page, address), exercises_of(page, address)
        if slides.count("<section>") < 3 or not boxes:
            raise ValueError(f"{address}: too few slides, or no exercises, to teach from")
        short = name.rpartition("/")[2]
        bare = BeautifulSoup(title, "html.parser").get_text()
        head = head_of(page, address, widgets=False)
        slides = lock(slides, speaker, frames=True)
        one = lock(sheet(f"Exercises: {bare}", head, [(title, boxes)]))
        for file, text in ((f"{short}-slides", slides), (f"{short}-exercises", one)):
            path = folder / f"{file}.html"
            path.write_text(text, encoding="utf-8")
            written.append(path)
        everything.append((title, boxes))
    path = folder / "all-exercises.html"
    path.write_text(lock(sheet("All exercises", head, everything)), encoding="utf-8")
    return [*written, path]


def main(arguments: list[str]) -> int:
    """Write the material and say how much there is."""
    html = Path(arguments[0]) if arguments else HTML
    print(f"{len(build(html))} files for lectures in {html / FOLDER}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

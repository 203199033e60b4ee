"""Make what a lecturer takes along: slides and exercise sheets, from the built pages.

``book/lectures.yml`` names what each slide shows; a sheet holds the exercises, without solutions,
that the plan in ``book/teaching.md`` links to in a lecture.  Both work without a network.
"""

from __future__ import annotations

import copy
import functools
import re
import sys
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

import yaml
from bs4 import BeautifulSoup, Tag
from check_book import HTML, ROOT, TITLE
from selectolax.lexbor import LexborHTMLParser

sys.path.append(str(ROOT / "book" / "_ext"))
from companion_math import macros_of, mathml
from companion_policy import lock

FOLDER = "teaching"
PLAN = "book/teaching.html"
LECTURES = ROOT / "book" / "lectures.yml"

# A slide is 1280 by 720 units, as wide and high as the window lets it be; a picture beside its
# sentence, or below it if it is wide, has this room.
BESIDE, BELOW = (850, 660), (1216, 520)
GAP = 24
LETTERS = 24
"""The smallest type on a slide, in units."""


def chapters() -> list[str]:
    """List the pages of the story and of the two parts beside it, in their order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = (part for part in toc["parts"] if part["caption"].startswith("Part "))
    return [str(entry["file"]) for part in parts for entry in part["chapters"]]


def decks() -> list[dict[str, Any]]:
    """Return what the slides of the lectures show, lecture by lecture."""
    return list(yaml.safe_load(LECTURES.read_text(encoding="utf-8")))


@functools.cache
def macros() -> dict[str, str]:
    """Return the macros of the book's formulas."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    return macros_of(config["sphinx"]["config"]["companion_macros"])


def sentence(text: str) -> str:
    """Return a sentence as HTML, with the formulas between its dollar signs set."""
    parts = text.split("$")
    parts[1::2] = [mathml(part, macros()) for part in parts[1::2]]
    # "65 536" and "18 %" stay on one line
    words = [re.sub(r"(?<=\d) (?=\d{3}\b|%)", "\u202f", part) for part in parts[::2]]
    parts[::2] = [escape(part.replace("'", "\u2019")) for part in words]
    return "".join(parts)


@functools.cache
def read(path: Path) -> LexborHTMLParser:
    """Return a built page."""
    return LexborHTMLParser(path.read_text(encoding="utf-8"))


def cut(page: LexborHTMLParser, selector: str) -> list[Tag]:
    """Return copies of the elements of a page that a selector names."""
    made = [BeautifulSoup(node.html or "", "html.parser").find(True) for node in page.css(selector)]
    return [each for each in made if isinstance(each, Tag)]


def scaled(panel: Tag, scale: float, prefix: str) -> str:
    """Return one panel of a figure, enlarged, with type that a lecture hall can read."""
    copied = copy.copy(panel)
    width = float(str(panel["viewbox"]).split()[2])
    copied["style"] = f"width:calc({width * scale:.1f}*var(--u))"
    for text in copied.select("[style*=font-size]"):
        text["style"] = re.sub(
            r"font-size:([\d.]+)px",
            lambda match: f"font-size:{max(float(match[1]), LETTERS / scale):.2f}px",
            str(text["style"]),
        )
    # two figures of different pages may have one name, and one figure may come twice
    name = str(panel.find_parent("figure")["id"])
    own = re.compile(rf"\b{name}-(?=title|desc|(?:p\d+-)?\d+\b)")
    return own.sub(lambda match: prefix + match[0], str(copied))


def picture(html: Path, address: str, panels: list[int] | None, prefix: str) -> tuple[str, str]:
    """Return a figure of a built page, and how it lies on a slide: ``"beside"`` or ``"below"``."""
    name, anchor = urldefrag(address)
    found = cut(read(html / f"{name}.html"), f'figure.sl-figure[id="{anchor}"]')
    if not found:
        raise ValueError(f"{LECTURES.name}: there is no figure {address}")
    drawn = found[0].select("svg")
    drawn = drawn if panels is None else [drawn[number - 1] for number in panels]
    sizes = [[float(side) for side in str(svg["viewbox"]).split()[2:]] for svg in drawn]
    width, height = sum(size[0] for size in sizes), max(size[1] for size in sizes)
    lies, room = ("below", BELOW) if width > 1.7 * height else ("beside", BESIDE)
    scale = min((room[0] - GAP * (len(drawn) - 1)) / width, room[1] / height)
    shown = "".join(scaled(svg, scale, f"{prefix}-") for svg in drawn)
    return f'<figure class="sl-figure">{shown}</figure>', lies


def slide(html: Path, number: int, count: int, each: Mapping[str, Any]) -> str:
    """Return one slide: a sentence, and a picture or a formula."""
    target = each.get("figure") or each.get("page")
    if "figure" in each:
        shown, lies = picture(html, each["figure"], each.get("panels"), f"s{number}")
    else:
        lies = "formula"
        formula = mathml(each["formula"], macros(), display=True)
        shown = f'<div class="sl-formula" tabindex="0">{formula}</div>'
        if "where" in each:
            shown += f'<p class="sl-where">{sentence(each["where"])}</p>'
    name, _, anchor = str(target or "").partition("#")
    link = f'<a href="../{name}.html#{anchor}">In the book</a> ' if target else ""
    return f"""<section class="sl-slide sl-{lies}" id="{number}"><div>
<h2>{sentence(each["say"])}</h2>
{shown}
<footer>{link}<span>{number} / {count}</span></footer>
</div></section>"""


def deck(html: Path, lecture: int, made: Mapping[str, Any]) -> str:
    """Return the slides of one lecture as a page of their own."""
    slides = made["slides"]
    figure = cut(read(html / f"{made['pages'][0]}.html"), "figure.sl-figure > style")[0]
    links = ", ".join(
        f'<a href="../{name}.html">{heading(read(html / f"{name}.html"))}</a>'
        for name in made["pages"]
    )
    body = "\n".join(slide(html, k, len(slides), each) for k, each in enumerate(slides, 1))
    return f"""<!doctype html>
<html lang="en" data-content_root="../">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lecture {lecture}: {escape(made["title"])} &#8212; {escape(TITLE)}</title>
<link rel="icon" href="../_static/favicon.svg">
<link rel="stylesheet" href="../_static/formulas.css">
<link rel="stylesheet" href="../_static/slides.css">
{figure}
<script src="../_static/slides.js"></script>
</head>
<body>
<main>
<section class="sl-slide sl-opening" id="0"><div>
<p>Lecture {lecture}</p>
<h1>{escape(made["title"])}</h1>
<p>{sentence(made["question"])}</p>
<footer>{links}. Arrow keys turn the pages, F fills the screen, D changes light and dark.</footer>
</div></section>
{body}
</main>
</body>
</html>
"""


def heading(page: LexborHTMLParser) -> str:
    """Return the title of a page as HTML, without its number and its link."""
    found = cut(page, "article h1")[0]
    for useless in found.select(".section-number, .headerlink"):
        useless.decompose()
    return found.decode_contents().strip()


def moved(target: str, address: str) -> str:
    """Return a link of the page `address` as it reads in the teaching folder."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return target
    if target.startswith("#"):
        return f"../{address}{target}"
    return "../" + urljoin("/" + address, target).removeprefix("/")


def exercise(html: Path, address: str, name: str) -> str:
    """Return an exercise of a built page, with links as they read in the teaching folder."""
    found = cut(read(html / address), f'.exercise.admonition[id="{name}"]')
    if not found:
        raise ValueError(f"there is no exercise {name} in {address}")
    box = found[0]
    for tag in box.find_all(["a", "img"]):
        for key in ("href", "src"):
            if tag.has_attr(key):
                tag[key] = moved(str(tag[key]), address)
    # the index leads to the chapter
    for useless in box.select("a.headerlink, span.target[id^='index-']:empty"):
        useless.decompose()
    return str(box)


def sheet(title: str, head: str, parts: list[str]) -> str:
    """Return an exercise sheet for the printer."""
    return f"""<!doctype html>
<html lang="en" data-theme="light" data-content_root="../">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} &#8212; {escape(TITLE)}</title>
{head}
<link rel="stylesheet" href="../_static/sheets.css">
</head>
<body>
<main class="bd-content bd-article">
<h1>{escape(title)}</h1>
<p>★ a line or two, ★★ some thought or some code, ★★★ a small project. The solutions are in the
chapters of <a href="../index.html">{escape(TITLE)}</a>.</p>
{"".join(parts)}
</main>
</body>
</html>
"""


def styles(page: LexborHTMLParser) -> str:
    """Return the style sheets that a page loads, as they read in the teaching folder."""
    kept = []
    for tag in cut(page, "head link[rel~=stylesheet], head link[rel~=icon], head style"):
        if tag.has_attr("href"):
            tag["href"] = moved(str(tag["href"]), PLAN)
        kept.append(str(tag))
    return "\n".join(kept)


def sheets(html: Path) -> dict[str, str]:
    """Return the exercise sheets by name: of the lectures, as the plan has them, and of all."""
    plan = read(html / PLAN)
    head = styles(plan)
    made = {}
    for lecture in range(1, len(decks()) + 1):
        links = plan.css(f"#lecture-{lecture} a[href*='#ex-']")
        targets = dict.fromkeys(urljoin(f"/{PLAN}", str(each.attributes["href"])) for each in links)
        if not targets:
            raise ValueError(f"the plan links to no exercise in lecture {lecture}")
        boxes = [exercise(html, *urldefrag(each.removeprefix("/"))) for each in targets]
        made[f"lecture-{lecture}-exercises"] = sheet(f"Exercises, lecture {lecture}", head, boxes)
    everything = []
    for name in chapters():
        page = read(html / f"{name}.html")
        ids = [box.id for box in page.css("article .exercise.admonition")]
        everything.append(f"<h2>{heading(page)}</h2>")
        everything += [exercise(html, f"{name}.html", str(each)) for each in ids]
    made["all-exercises"] = sheet("All exercises", head, everything)
    return made


def build(html: Path = HTML) -> list[Path]:
    """Write all decks and sheets; return their paths."""
    read.cache_clear()
    folder = html / FOLDER
    folder.mkdir(exist_ok=True)
    texts = {f"lecture-{k}-slides": deck(html, k, made) for k, made in enumerate(decks(), 1)}
    written = []
    for name, text in (texts | sheets(html)).items():
        path = folder / f"{name}.html"
        path.write_text(lock(text), encoding="utf-8")
        written.append(path)
    return written

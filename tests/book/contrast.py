"""How well what a stored figure draws stands out from what lies under it, light and dark.

A figure names its colors by role (``sublinear_lib/plotting/palette.py``), so that one drawing has
two sets of colors; both are computed here, as WCAG 2 defines contrast, with every opacity taken
into account.  The ground of a text is the page with all areas under the middle of the text; the
ground of a line or of a dot is the page.  A drawing is flat: what is drawn has its place and all of
its style itself, and groups only cut off.

Lines are strokes of up to `BROAD` pixels.  Broader and translucent ones are ribbons, drawn like
other areas behind or around a line that is there as well; the grid only helps the eye.  Neither
has to stand out.  Dots are shapes of up to `LARGE` pixels that are drawn again and again.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
from matplotlib.path import Path as Outline

from sublinear_lib.plotting import LIGHT, PAGE_HTML
from sublinear_lib.plotting.palette import DARK

THEMES = {"light": LIGHT, "dark": DARK}
TEXT, GRAPHIC = 4.5, 3.0  # WCAG 2.1, 1.4.3 and 1.4.11
BROAD = 3.5
LARGE = 16.0

_SVG = re.compile(r"<svg xmlns=.*?</svg>", re.DOTALL)
_STEP = re.compile(r"([MLQC])([^A-Za-z]*)")
_NUMBER = re.compile(r"-?\d*\.?\d+")
_CODES = {"M": Outline.MOVETO, "L": Outline.LINETO, "Q": Outline.CURVE3, "C": Outline.CURVE4}
_LETTER = 0.5  # width of a letter as a share of its size

Color = tuple[float, ...]


class Part(NamedTuple):
    """A text, a line or the dots of a figure, and the least contrast of each theme."""

    kind: str
    what: str
    contrast: Mapping[str, float]

    def faults(self) -> list[str]:
        """Return a line for every theme in which the part does not stand out enough."""
        wanted = TEXT if self.kind == "text" else GRAPHIC
        return [
            f"{theme}: {self.kind} {self.what}: {found:.2f} : 1, at least {wanted} wanted"
            for theme, found in self.contrast.items()
            if found < wanted
        ]


@cache
def rgb(value: str) -> Color:
    """Return the channels of a color such as ``#1268c8``, from 0 to 1."""
    return tuple(int(value[k : k + 2], 16) / 255 for k in (1, 3, 5))


def over(color: Color, ground: Color, opacity: float) -> Color:
    """Return what is seen of a color, laid over a ground with an opacity."""
    return tuple(opacity * a + (1 - opacity) * b for a, b in zip(color, ground, strict=True))


def contrast(one: Color, other: Color) -> float:
    """Return the contrast of two colors, from 1 to 21."""
    bright = []
    for color in (one, other):
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color]
        bright.append(0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2])
    return (max(bright) + 0.05) / (min(bright) + 0.05)


def figures(notebook: Path) -> Iterator[str]:
    """Yield the drawings that a notebook has stored: figures, and stills of explorers."""
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            yield from _SVG.findall("".join(output.get("data", {}).get(PAGE_HTML, [])))


def parts(svg: str) -> Iterator[Part]:
    """Yield the texts, lines and dots of a figure, in the order in which they are painted."""
    root = ElementTree.fromstring(re.sub(r"<clipPath.*?</clipPath>", "", svg))
    shapes = {f"#{each.get('id')}": each for each in root.iter() if each.get("id")}
    uses = Counter(each.get("href") for each in root.iter())
    areas: list[tuple[Outline, str, float]] = []
    for each in root.iter():
        tag = each.tag.rpartition("}")[2]
        assert not {"transform", "opacity", "fill", "stroke"}.intersection(each.keys())
        assert tag != "g" or not each.get("style"), "a group has a style"
        if tag == "text":
            yield _text(each, areas)
        elif tag == "use" or (tag == "path" and not each.get("id")):
            yield from _shape(each, shapes.get(each.get("href", ""), each), uses, areas)


def _shape(
    element: ElementTree.Element,
    drawn: ElementTree.Element,
    uses: Counter[str | None],
    areas: list[tuple[Outline, str, float]],
) -> Iterator[Part]:
    style = {"stroke": "none", **_declared(drawn), **_declared(element)}
    fill, stroke = (_role(style.get(name, "ink")) for name in ("fill", "stroke"))
    opacity = float(style.get("opacity", "1"))
    seen = opacity * float(style.get("fill-opacity", "1"))
    outline = _outline(drawn.get("d", ""), _place(element))
    if fill != "none" and seen and len(outline.vertices) > 2:
        areas.append((outline, fill, seen))
        small = np.ptp(outline.vertices, axis=0).max() <= LARGE
        if uses[element.get("href", "")] > 1 and fill != "paper" and small:
            yield Part("dots", f"{fill}, opacity {seen:.2f}", _contrasts(fill, seen))
    seen = opacity * float(style.get("stroke-opacity", "1"))
    width = float(style.get("stroke-width", "1"))
    if stroke not in {"none", "paper", "grid"} and (width <= BROAD or seen == 1):
        what = f"{stroke}, {width:g} px, opacity {seen:.2f}"
        yield Part("line", what, _contrasts(stroke, seen))


def _text(element: ElementTree.Element, areas: list[tuple[Outline, str, float]]) -> Part:
    style = _declared(element)
    words = "".join(element.itertext())
    half = len(words) * _LETTER * float(style.get("font-size", "12px").removesuffix("px")) / 2
    shift = {"middle": 0.0, "end": -half}.get(style.get("text-anchor", "start"), half)
    place = _place(element) + np.array([shift, -4.0])
    role = _role(style.get("fill", "currentColor"))
    halo = element.get("class") == "sl-halo"  # an outline in the color of the page
    under = [] if halo else [area for area in areas if area[0].contains_point(place)]
    seen = float(style.get("opacity", "1")) * float(style.get("fill-opacity", "1"))
    return Part("text", f"{words!r} ({role})", _contrasts(role, seen, under))


def _contrasts(
    role: str, seen: float, under: list[tuple[Outline, str, float]] | None = None
) -> dict[str, float]:
    found = {}
    for theme, values in THEMES.items():
        colors: Mapping[str, str] = {**values}
        ground = rgb(colors["paper"])
        for _, fill, strength in under or ():
            ground = over(rgb(colors[fill]), ground, strength)
        found[theme] = contrast(over(rgb(colors[role]), ground, seen), ground)
    return found


def _declared(element: ElementTree.Element) -> dict[str, str]:
    lines = (line.partition(":") for line in element.get("style", "").split(";"))
    return {name.strip(): value.strip() for name, _, value in lines}


def _place(element: ElementTree.Element) -> np.ndarray:
    return np.array([float(element.get(name, "0")) for name in ("x", "y")])


def _role(value: str) -> str:
    named = re.match(r"var\(--sl-(\w+)", value)
    return "ink" if value == "currentColor" else named[1] if named else value


@cache
def _steps(data: str) -> tuple[np.ndarray, list[np.uint8]]:
    points: list[np.ndarray] = [np.empty((0, 2))]
    codes: list[np.uint8] = []
    for letter, numbers in _STEP.findall(data):
        points.append(np.array(_NUMBER.findall(numbers), dtype=float).reshape(-1, 2))
        codes += [_CODES[letter]] * len(points[-1])
    return np.concatenate(points), codes


def _outline(data: str, place: np.ndarray) -> Outline:
    points, codes = _steps(data)
    return Outline(points + place, codes)

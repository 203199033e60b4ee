"""How well what a stored figure draws stands out from what lies under it, light and dark.

A figure names its colors by role (``sublinear_lib/plotting/palette.py``), so that one drawing has
two sets of colors; both are computed here, as WCAG 2 defines contrast, with every opacity taken
into account.  The ground of a text is the page with all areas under the middle of the text; the
ground of a line or of a dot is the page.

Lines are strokes of up to `BROAD` pixels.  Broader and translucent ones are ribbons, drawn like
other areas behind or around a line that is there as well; the grid only helps the eye.  Neither
has to stand out.  Dots are shapes of up to `LARGE` pixels that are drawn again and again.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
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
_ROLE = re.compile(r"var\(--sl-(\w+)")
_STEP = re.compile(r"([MLQCZz])|(-?\d*\.?\d+(?:e-?\d+)?)")
_MOVE = re.compile(r"(translate|rotate|scale)\(([^)]*)\)")
_LENGTHS = {"M": 1, "L": 1, "Q": 2, "C": 3}
_CODES = {"M": Outline.MOVETO, "L": Outline.LINETO, "Q": Outline.CURVE3, "C": Outline.CURVE4}
_NOTHING = Outline([(0.0, 0.0)])
_LETTER = 0.5  # width of a letter as a share of its size

Color = tuple[float, ...]


@dataclass(frozen=True)
class Part:
    """A text, a line or the dots of a figure, and the least contrast of each theme."""

    kind: str
    what: str
    contrast: Mapping[str, float]

    @property
    def wanted(self) -> float:
        """The contrast that WCAG asks for."""
        return TEXT if self.kind == "text" else GRAPHIC

    def faults(self) -> list[str]:
        """Return a line for every theme in which the part does not stand out enough."""
        return [
            f"{theme}: {self.kind} {self.what}: {found:.2f} : 1, at least {self.wanted} wanted"
            for theme, found in self.contrast.items()
            if found < self.wanted
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


def parts(svg: str) -> list[Part]:
    """Return the texts, lines and dots of a figure."""
    return list(_Reader().read(ElementTree.fromstring(svg)))


class _Reader:
    """Walks through a drawing in the order in which it is painted, and remembers its areas."""

    def __init__(self) -> None:
        self.shapes: dict[str | None, ElementTree.Element] = {}
        self.uses: Counter[str | None] = Counter()
        self.areas: list[tuple[Outline, np.ndarray, str, float]] = []

    def read(self, root: ElementTree.Element) -> Iterator[Part]:
        """Yield the parts of a drawing."""
        self.shapes = {each.get("id"): each for each in root.iter() if each.get("id")}
        self.uses = Counter(each.get("href") for each in root.iter() if each.get("href"))
        yield from self._read(root, {"stroke": "none", "font-size": "12"}, 1.0, np.eye(3))

    def _read(
        self,
        element: ElementTree.Element,
        style: Mapping[str, str],
        opacity: float,
        place: np.ndarray,
    ) -> Iterator[Part]:
        tag = element.tag.rpartition("}")[2]
        if tag in {"defs", "title", "desc"}:
            return
        own = _declared(element)
        opacity *= float(own.pop("opacity", "1"))
        style = {**style, **own}
        place = place @ _moved(element.get("transform", ""))
        if tag == "text":
            yield self._text(element, style, opacity, place)
            return
        if tag in {"path", "use"}:
            yield from self._shape(element, tag, style, opacity, place)
        for inner in element:
            yield from self._read(inner, style, opacity, place)

    def _shape(
        self,
        element: ElementTree.Element,
        tag: str,
        style: Mapping[str, str],
        opacity: float,
        place: np.ndarray,
    ) -> Iterator[Part]:
        drawn = element
        if tag == "use":
            drawn = self.shapes[element.get("href", "")[1:]]
            style = {**style, **_declared(drawn), **_declared(element)}
            x, y = (float(element.get(name, "0")) for name in ("x", "y"))
            place = place @ _moved(f"translate({x} {y})") @ _moved(drawn.get("transform", ""))
        fill, stroke = (_role(style.get(name, "ink")) for name in ("fill", "stroke"))
        seen = opacity * float(style.get("fill-opacity", "1"))
        outline = _outline(drawn.get("d", "")) if fill != "none" and seen else _NOTHING
        if len(outline.vertices) > 2:
            corners = outline.vertices @ place[:2, :2].T + place[:2, 2]
            low, high = corners.min(axis=0), corners.max(axis=0)
            moved = Outline(corners, outline.codes)
            self.areas.append((moved, np.concatenate((low, high)), fill, seen))
            repeated = self.uses[element.get("href")] > 1
            if repeated and fill != "paper" and max(high - low) <= LARGE:
                yield _on_page("dots", fill, seen)
        seen = opacity * float(style.get("stroke-opacity", "1"))
        width = float(style.get("stroke-width", "1"))
        if stroke not in {"none", "paper", "grid"} and (width <= BROAD or seen == 1):
            yield _on_page("line", f"{stroke}, {width:g} px", seen, stroke)

    def _text(
        self,
        element: ElementTree.Element,
        style: Mapping[str, str],
        opacity: float,
        place: np.ndarray,
    ) -> Part:
        words = "".join(element.itertext())
        half = len(words) * _LETTER * float(style["font-size"].removesuffix("px")) / 2
        shift = {"middle": 0.0, "end": -half}.get(style.get("text-anchor", "start"), half)
        start = [float(element.get("x", "0")) + shift, float(element.get("y", "0")) - 4, 1]
        x, y = (place @ start)[:2]
        role = _role(style.get("fill", "currentColor"))
        seen = opacity * float(style.get("fill-opacity", "1"))
        halo = element.get("class") == "sl-halo"  # an outline in the color of the page
        under = [] if halo else [area for area in self.areas if _holds(area, x, y)]
        found = {}
        for theme, values in THEMES.items():
            ground = rgb(values["paper"])  # type: ignore[index]
            for _, _, fill, strength in under:
                ground = over(rgb(values[fill]), ground, strength)  # type: ignore[index]
            found[theme] = contrast(over(rgb(values[role]), ground, seen), ground)  # type: ignore[index]
        return Part("text", f"{words!r} ({role})", found)


def _on_page(kind: str, what: str, seen: float, role: str | None = None) -> Part:
    found = {}
    for theme, values in THEMES.items():
        page = rgb(values["paper"])  # type: ignore[index]
        found[theme] = contrast(over(rgb(values[role or what]), page, seen), page)  # type: ignore[index]
    return Part(kind, f"{what}, opacity {seen:.2f}", found)


def _declared(element: ElementTree.Element) -> dict[str, str]:
    names = ("fill", "stroke", "stroke-width", "opacity", "text-anchor", "font-size")
    found = {name: element.attrib[name] for name in names if name in element.attrib}
    for line in element.get("style", "").split(";"):
        name, _, value = line.partition(":")
        if value:
            found[name.strip()] = value.strip()
    if "font" in found:
        found["font-size"] = next(part for part in found["font"].split() if part.endswith("px"))
    return found


def _role(value: str) -> str:
    if value == "currentColor":
        return "ink"
    named = _ROLE.match(value)
    return named[1] if named else value


@cache
def _moved(transform: str) -> np.ndarray:
    found = np.eye(3)
    for name, numbers in _MOVE.findall(transform):
        a, b, *rest = [*map(float, re.split(r"[ ,]+", numbers.strip())), *([0.0] * 2)][:3]
        step = np.eye(3)
        if name == "translate":
            step[:2, 2] = a, b
        elif name == "scale":
            step[0, 0], step[1, 1] = a, b or a
        else:
            turn = np.radians(a)
            step[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
            center = np.array([b, rest[0]])
            step[:2, 2] = center - step[:2, :2] @ center
        found = found @ step
    return found


def _outline(data: str) -> Outline:
    letter, numbers = "M", []
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    for name, number in _STEP.findall(data):
        if name in {"Z", "z"}:
            if points:
                points.append(points[-1])
                codes.append(Outline.CLOSEPOLY)
        elif name:
            letter = name
        else:
            numbers.append(float(number))
            if len(numbers) == 2 * _LENGTHS[letter]:
                points += zip(numbers[::2], numbers[1::2], strict=True)
                codes += [_CODES[letter]] * _LENGTHS[letter]
                numbers = []
                letter = "L" if letter == "M" else letter
    return Outline(points, codes) if points else _NOTHING


def _holds(area: tuple[Outline, np.ndarray, str, float], x: float, y: float) -> bool:
    outline, (left, low, right, high), _, _ = area
    return left <= x <= right and low <= y <= high and bool(outline.contains_point((x, y)))

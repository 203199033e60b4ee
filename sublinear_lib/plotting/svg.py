"""From Matplotlib's SVG to the SVG of the book: small, theme-aware, the same bytes every time.

The writer turns the light value of each role into a CSS custom property, drops what carries no ink,
renumbers the ids under the figure's own name, rounds coordinates to a hundredth of a pixel, and
typesets labels in the reader's font: no dates, no hashes, no set order.
"""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

from matplotlib.figure import Figure

from sublinear_lib.plotting.palette import LIGHT, Role, css_color
from sublinear_lib.plotting.richtext import to_svg
from sublinear_lib.plotting.style import HALO, house_style

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_FONT = re.compile(r".*?[\d.]+px")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")

_ROLE_OF: dict[str, Role] = {value: role for role, value in LIGHT.items()}
_ROLE_OF.update({"#000000": "ink", "#ffffff": "paper"})

# What the style sheet of a figure already says, or what SVG assumes anyway.
_DEFAULTS = {
    **dict.fromkeys(("fill-opacity", "stroke-opacity", "opacity", "stroke-width"), "1"),
    **{"stroke-linejoin": "round", "stroke-linecap": "butt", "stroke-dashoffset": "0"},
    **{"text-anchor": "start", "font-weight": "400", "font-style": "normal"},
}


def _short(match: re.Match[str]) -> str:
    text = f"{float(match.group()):.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _rounded(text: str) -> str:
    return _NUMBER.sub(_short, text)


def _path(data: str) -> str:
    compact = re.sub(r"\s+", " ", _rounded(data)).strip()
    compact = re.sub(r" ?([MLQCZz]) ?", r"\1", compact)
    return compact.replace(" -", "-")


def _declarations(style: str) -> dict[str, str]:
    pairs = (part.split(":", 1) for part in style.split(";") if part.strip())
    found = {name.strip(): value.strip() for name, value in pairs}
    # an older Matplotlib writes "font: italic 700 11px 'DejaVu Sans'", a newer one the parts
    short = _FONT.match(found.pop("font", ""))
    if short:
        *kinds, found["font-size"] = short.group().split()
        for kind in kinds:
            found["font-weight" if kind.isdigit() else "font-style"] = kind
    return found


def _color(value: str, figure: str) -> str:
    if value == "none":
        return value
    if value.startswith("url("):
        raise ValueError(
            f"figure {figure!r} has a hatch or a shade of many colors, which cannot follow the "
            "theme: use one color of the palette with alpha"
        )
    try:
        return css_color(_ROLE_OF[value.lower()])
    except KeyError:
        raise ValueError(
            f"figure {figure!r} uses the color {value}, which has no dark value: "
            "use sublinear_lib.plotting.LIGHT['c1'] ... LIGHT['c5'], 'ink', 'muted', 'grid' or "
            "'paper', with alpha for lighter tones"
        ) from None


class _Writer:
    """Rewrites one parsed figure; holds the map from old ids to new ones."""

    def __init__(self, name: str, root: ElementTree.Element) -> None:
        self.name = name
        self.ids: dict[str, str] = {}
        # Definitions may follow their use; only ids that something refers to are kept, numbered in
        # the order in which they are first referred to.
        for element in root.iter():
            clip = _REFERENCE.search(element.get("clip-path", ""))
            for old in (element.get(_XLINK, "").removeprefix("#"), clip[1] if clip else ""):
                if old:
                    self.ids.setdefault(old, f"{name}-{len(self.ids) + 1}")

    def style(self, element: ElementTree.Element, *, text: bool) -> str:
        declarations = _declarations(element.get("style", ""))
        if text:
            declarations.pop("font-family", None)
            # Text without a color of its own takes the color of the page's text.
            if declarations.get("fill", "#000000").lower() in ("#000000", LIGHT["ink"]):
                declarations.pop("fill", None)
        parts = []
        for name, value in sorted(declarations.items()):
            if name in ("fill", "stroke"):
                value = _color(value, self.name)
            elif not name.startswith("font"):
                value = _rounded(value).replace(", ", ",")
            if _DEFAULTS.get(name) != value:
                parts.append(f"{name}:{value}")
        return ";".join(parts)

    def attributes(self, element: ElementTree.Element, tag: str) -> str:
        parts: dict[str, str] = {}
        if tag != "g":
            parts["id"] = self.ids.get(element.get("id", ""), "")
        for key, value in element.attrib.items():
            if key == _XLINK:
                parts["href"] = f"#{self.ids[value[1:]]}"
            elif key == "clip-path":
                parts[key] = _REFERENCE.sub(lambda m: f"url(#{self.ids[m[1]]})", value)
            elif key == "d":
                parts[key] = _path(value)
            elif key == "transform":
                parts[key] = re.sub(r"rotate\(-?0(?: [^)]*)?\)", "", _rounded(value)).strip()
            elif key not in ("id", "style"):
                parts[key] = _rounded(value)
        parts["style"] = self.style(element, text=tag == "text")
        return "".join(f' {key}="{value}"' for key, value in parts.items() if value)

    def write(self, element: ElementTree.Element, *, halo: bool = False) -> str:
        tag = element.tag.removeprefix(_SVG)
        look = _declarations(element.get("style", ""))
        unseen = tag == "path" and look.get("fill") == "none" == look.get("stroke", "none")
        if tag in ("metadata", "style") or unseen:
            return ""
        if tag == "text":
            return self.text(element, halo)
        halo = halo or element.get("id", "").startswith(HALO)
        inner = "".join(self.write(child, halo=halo) for child in element)
        if tag == "defs" and not inner:
            return ""
        attributes = self.attributes(element, tag)
        if tag == "g":
            return f"<g{attributes}>{inner}</g>" if attributes and inner else inner
        return f"<{tag}{attributes}>{inner}</{tag}>" if inner else f"<{tag}{attributes}/>"

    def text(self, element: ElementTree.Element, halo: bool) -> str:
        if len(element):
            words = "".join(element.itertext()).split()
            raise ValueError(
                f"figure {self.name!r} has mathtext near {' '.join(words)!r}: write labels in the "
                "house markup, *m* for italics, ^{3/5} and _{0} for scripts, without dollar signs"
            )
        content = (element.text or "").strip()
        if not content:
            return ""
        mark = ' class="sl-halo"' if halo else ""
        return f"<text{mark}{self.attributes(element, 'text')}>{to_svg(content)}</text>"


def figure_svg(figure: Figure, name: str) -> tuple[str, float, float]:
    """Return the body of a figure as theme-aware SVG, and its width and height in pixels.

    The name is the prefix of every id.  What uses a color outside the palette, a hatch, or mathtext
    is refused.
    """
    buffer = io.BytesIO()
    with house_style():
        figure.savefig(buffer, format="svg", dpi=72, facecolor="none", metadata={"Date": None})
    root = ElementTree.fromstring(buffer.getvalue())
    writer = _Writer(name, root)
    body = "".join(writer.write(child) for child in root)
    width, height = (float(value) for value in figure.get_size_inches() * 72.0)
    return body, width, height

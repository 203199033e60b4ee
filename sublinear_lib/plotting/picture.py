"""`Picture`: a figure as the page shows it, inline SVG that follows the theme, with a text for all.

Its bytes depend on its data alone: the stored outputs of the notebooks are compared strictly.
Hosts choose among HTML under the type `PAGE_HTML` (the page), ``image/png`` (PDF, previews and
editors) and ``text/plain`` (the alternative text).
"""

from __future__ import annotations

import base64
import copy
import io
import os
import re
from collections.abc import Sequence
from functools import cached_property
from html import escape
from typing import Any

from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter

from sublinear_lib.plotting.checks import checked_text, plain_name
from sublinear_lib.plotting.palette import LIGHT, palette_css
from sublinear_lib.plotting.richtext import to_html, to_mathtext, to_plain
from sublinear_lib.plotting.style import HALO, house_style
from sublinear_lib.plotting.svg import figure_svg

__all__ = ["PAGE_HTML", "Picture"]

STORED_HTML = "application/vnd.sublinear.picture"
PAGE_HTML = os.environ.get("SUBLINEAR_PAGE_HTML", STORED_HTML)
"""The type under which a notebook keeps the HTML of a picture.

A viewer that does not trust a notebook takes its HTML apart, and of a drawing only the labels would
stay.  No viewer knows this type: they show the PNG, and the book's build gives the HTML its usual
type.  ``tools/lab.py``, which trusts its checkout, sets ``text/html`` instead.
"""

_FILE_NAME = re.compile(r"\S+\.(?:png|svg|jpe?g|gif|pdf|webp)", re.IGNORECASE)
_FEWEST_WORDS = 4
_LARGEST_SCALE = 4.0 / 3.0  # how much wider than drawn the page may show a panel
_PNG_DPI = 144.0

# The last rule undoes the theme's light box around HTML outputs in dark mode; it has to be one
# class more specific than the theme's own.
_LAYOUT = (
    ".sl-figure{margin:.5rem 0;padding:0;max-width:100%}"
    ".sl-panels{display:flex;flex-wrap:wrap;gap:.75rem 1.25rem;justify-content:center}"
    ".sl-figure svg{display:block;width:100%;min-width:0;height:auto;overflow:visible;"
    "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;"
    "stroke-linejoin:round}"
    ".sl-figure text{fill:currentColor;white-space:pre}"
    ".sl-figure .sl-halo{paint-order:stroke;stroke:var(--sl-paper,#fff);stroke-width:4px}"
    ".sl-figure figcaption{margin:.6rem auto 0;max-width:35rem;font-size:.9em;line-height:1.45;"
    "color:inherit;text-align:left}"
    "html[data-theme=dark] .bd-content div.cell_output div.text_html.output:has(.sl-figure)"
    "{background:none;color:inherit;padding:0}"
)


def _checked_alt(alt: object) -> str:
    said = " ".join(to_plain(checked_text(alt, "alt", empty=True)).split())
    if _FILE_NAME.fullmatch(said) or len(said.split()) < _FEWEST_WORDS:
        raise ValueError(f"alt must say what the figure shows in a sentence, got {said!r}")
    return said


def _checked_figures(figure: object) -> tuple[Figure, ...]:
    figures = (figure,) if isinstance(figure, Figure) else figure
    told = "figure must be a matplotlib Figure or a sequence of them"
    if not isinstance(figures, Sequence) or isinstance(figures, str):
        raise TypeError(f"{told}, got {type(figure).__name__}")
    if not figures:
        raise ValueError("figure must hold at least one matplotlib Figure, got none")
    for one in figures:
        if not isinstance(one, Figure):
            raise TypeError(f"{told}, got {type(one).__name__} inside")
        if one.canvas.manager is not None:
            raise ValueError(
                "figure must not belong to pyplot, which would show it a second time: "
                "make it with sublinear_lib.plotting.Chart"
            )
    return tuple(figures)


class Picture:
    """A figure for the page: inline SVG that follows the theme, with an alternative text.

    `figure` is a Matplotlib figure or a sequence of them: panels, side by side where there is room,
    one below the other on a phone.  `alt` says in a sentence at least what it shows: kinds of
    curves, axes, the numbers that matter and the conclusion; `caption` what to notice, in the house
    markup.  `name` is unique on the page: it prefixes the ids of the SVG, and a link to it leads to
    the figure.  `html` is the figure element with its style sheet.

    TypeError says that something is no figure or no string, ValueError that `alt` is less than a
    sentence or a file name, that `name` is not plain, or that a figure belongs to pyplot, uses a
    color outside the palette, a hatch, or mathtext.

    >>> from sublinear_lib import plotting
    >>> with plotting.house_style():
    ...     chart = plotting.Chart(420, 240, xlabel="*m*", ylabel="share")
    ...     chart.line([1, 2, 3], [0.5, 0.4, 0.35], "c1", label="fires")
    ...     figure = chart.finished()
    >>> plotting.Picture(figure, alt="The share falls from 0.5 to 0.35.", name="share")
    Picture('share': The share falls from 0.5 to 0.35.)
    """

    def __init__(
        self, figure: Figure | Sequence[Figure], *, alt: str, caption: str | None = None, name: str
    ) -> None:
        self.alt = _checked_alt(alt)
        self.name = plain_name(name)
        self.caption = None if caption is None else checked_text(caption, "caption", empty=True)
        self._figures = _checked_figures(figure)
        # Drawn now, so that a figure that breaks the house rules fails where it is made.
        self.html = self._draw()

    def __repr__(self) -> str:
        """Return the name and the alternative text."""
        return f"Picture({self.name!r}: {self.alt})"

    @cached_property
    def png(self) -> bytes:
        """The light version on white as a PNG of twice the size, for hosts without SVG."""
        from PIL import Image

        panels = [Image.open(io.BytesIO(_png(figure))).convert("RGB") for figure in self._figures]
        gap = 24 if len(panels) > 1 else 0
        width = sum(panel.width for panel in panels) + gap * (len(panels) - 1)
        height = max(panel.height for panel in panels)
        sheet = Image.new("RGB", (width, height), LIGHT["paper"])
        left = 0
        for panel in panels:
            sheet.paste(panel, (left, 0))
            left += panel.width + gap
        # A palette of 64 tones is enough for a few flat colors and their edges.
        small = sheet.quantize(colors=64, dither=Image.Dither.NONE)
        buffer = io.BytesIO()
        small.save(buffer, format="PNG", optimize=True)
        return buffer.getvalue()

    def _draw(self) -> str:
        title_id, text_id = f"{self.name}-title", f"{self.name}-desc"
        title = re.split(r"(?<=[.:;])\s", self.alt, maxsplit=1)[0].rstrip(".:;")
        panels = []
        single = len(self._figures) == 1
        for number, figure in enumerate(self._figures, start=1):
            prefix = self.name if single else f"{self.name}-p{number}"
            body, width, height = figure_svg(figure, prefix)
            if single:
                access = f'role="img" aria-labelledby="{title_id} {text_id}"'
                texts = (
                    f'<title id="{title_id}">{escape(title, quote=False)}</title>'
                    f'<desc id="{text_id}">{escape(self.alt, quote=False)}</desc>'
                )
            else:
                access, texts = 'aria-hidden="true"', ""
            limit = f"{width * _LARGEST_SCALE:.0f}px"
            panels.append(
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
                f'{access} style="max-width:{limit};flex:1 1 {width * 0.8:.0f}px">'
                f"{texts}{body}</svg>"
            )
        if single:
            drawing = f'<div class="sl-panels">{panels[0]}</div>'
        else:
            drawing = (
                f'<div class="sl-panels" role="img" aria-label="{escape(self.alt)}">'
                f"{''.join(panels)}</div>"
            )
        caption = ""
        if self.caption:
            caption = f"<figcaption>{to_html(self.caption)}</figcaption>"
        return (
            f'<figure class="sl-figure" id="{self.name}">'
            f"<style>{palette_css('.sl-figure')}{_LAYOUT}</style>{drawing}{caption}</figure>"
        )

    def bundle(self, html: str, text: str) -> tuple[dict[str, str], dict[str, Any]]:
        """Return the forms among which a host chooses, by their types, and the width of the PNG.

        The page shows `html`, of which the picture is a part, a terminal shows `text`.
        """
        png = base64.b64encode(self.png).decode("ascii")
        width = int.from_bytes(self.png[16:20], "big") // 2  # it is drawn at twice the size
        data = {PAGE_HTML: html, "image/png": png, "text/plain": text}
        return data, {"image/png": {"width": width}}

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, str], dict[str, Any]]:
        """Return the forms among which a host chooses."""
        return self.bundle(self.html, self.alt)


def _png(figure: Figure) -> bytes:
    """Draw a copy of a figure with Agg: house markup as mathtext, outlines as path effects."""
    drawn, buffer = copy.deepcopy(figure), io.BytesIO()
    for text in drawn.findobj(Text):
        text.set_text(to_mathtext(text.get_text()))
        if text.get_gid() == HALO:
            text.set_path_effects([withStroke(linewidth=4.0, foreground=LIGHT["paper"])])
    for axis in drawn.findobj(Axis):  # which writes the labels of its ticks when it is drawn
        formatter = axis.get_major_formatter()
        if isinstance(formatter, FixedFormatter):
            labels = [to_mathtext(str(label)) for label in formatter.seq]
            axis.set_major_formatter(FixedFormatter(labels))
    with house_style():
        drawn.savefig(
            buffer,
            format="png",
            backend="module://sublinear_lib.plotting.rounded_agg",
            dpi=_PNG_DPI,
            facecolor=LIGHT["paper"],
            metadata={"Software": None},
        )
    return buffer.getvalue()

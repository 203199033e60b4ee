"""How verdicts look: a color, a sign and a word each, the same in boxes, ledger and graph.

Colors are roles of the palette; a sign is drawn at 14 pixels, so it has few strokes and no fill.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from sublinear_lib.claims import Verdict
from sublinear_lib.plotting import Role, palette_css

STATIC = Path(__file__).parent / "static"


class Look(NamedTuple):
    """How a verdict looks: a color, by its role, and a sign, an SVG path in a square of 16."""

    role: Role
    path: str


LOOKS: Mapping[Verdict, Look] = MappingProxyType(
    {
        Verdict.HOLDS: Look("c3", "M3 8.5l3.5 3.5L13 4.5"),
        Verdict.REPAIRED: Look("c1", "M3 6.5l3.5 3.5L13 2.5M3 14h10"),
        Verdict.MEASURED: Look("ink", "M2 5h12v6H2zM5 5v3M8 5v3M11 5v3"),
        Verdict.GAP: Look("c5", "M1.5 8h4.5M10 8h4.5M6 4.5v7M10 4.5v7"),
        Verdict.FAILS: Look("c2", "M3.5 3.5l9 9M12.5 3.5l-9 9"),
        Verdict.TYPO: Look("c4", "M2.5 13.5L8 3l5.5 10.5"),
        Verdict.CITED: Look(
            "muted", "M6.5 4.5C4 5.5 3 7.5 3 10.5h3.5v-3M13 4.5c-2.5 1-3.5 3-3.5 6H13v-3"
        ),
        Verdict.IMPLEMENTED: Look("muted", "M5.5 4L2 8l3.5 4M10.5 4L14 8l-3.5 4"),
        Verdict.UNDECIDED: Look("ink", "M5 6c0-2 1.3-3 3-3s3 1.1 3 2.8C11 8 8 8 8 10.5M8 13v.5"),
    }
)
"""The look of every verdict."""


def color(role: Role) -> str:
    """Return the CSS value of a role inside an exhibit."""
    return "currentColor" if role == "ink" else f"var(--sl-{role})"


def sign(path: str) -> str:
    """Return an outline as a drawing that says nothing to a screen reader."""
    return f'<svg class="sl-sign" viewBox="0 0 16 16" aria-hidden="true"><path d="{path}"/></svg>'


def badge(verdict: Verdict) -> str:
    """Return a verdict as a ``span`` element: color, sign and word.

    >>> "fails as printed" in badge(Verdict.FAILS)
    True
    """
    look = LOOKS[verdict]
    return (
        f'<span class="sl-verdict" style="--sl-verdict:{color(look.role)}">'
        f"{sign(look.path)}{verdict.value}</span>"
    )


def style_sheet(*, catalog: bool = False) -> str:
    """Return the style sheet that every exhibit brings along, without comments and spaces.

    First the palette of the figures, then the layout; the catalog, ledger and graph, has more.
    """
    names = ("exhibits.css", "catalog.css") if catalog else ("exhibits.css",)
    layout = "".join((STATIC / name).read_text(encoding="utf-8") for name in names)
    bare = re.sub(r"/\*.*?\*/", "", layout, flags=re.DOTALL)
    rules = re.sub(r"\s*([{};])\s*", r"\1", bare).replace(";}", "}")
    return palette_css(".sl-exhibit") + re.sub(r'(?<!")([,:])\s+', r"\1", rules).strip()


def script(name: str) -> str:
    """Return a script of the exhibits as an element."""
    source = (STATIC / name).read_text(encoding="utf-8").strip()
    return f"<script>{source}</script>"

"""The colors of every figure and explorer: named roles with a light and a dark value each.

A figure names a *role*, Matplotlib draws its light value, and the SVG writer replaces that value by
a CSS custom property, so that the reader's theme decides.  ``tests/plotting/test_palette.py`` asks
of every series color a contrast of 4.5 : 1 on the page in both themes, and of any two that readers
with protanopia, deuteranopia or tritanopia tell them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["c1", "c2", "c3", "c4", "c5", "ink", "muted", "grid", "paper"]
"""The name of a color."""

SERIES: tuple[Role, ...] = ("c1", "c2", "c3", "c4", "c5")
"""The roles for data, in the order in which they are handed out."""

ROLES: tuple[Role, ...] = (*SERIES, "ink", "muted", "grid", "paper")
"""Every role."""

_VALUES: Mapping[Role, tuple[str, str]] = {
    "c1": ("#1268c8", "#6aa5ff"),  # blue
    "c2": ("#c8500f", "#f88a3c"),  # rust
    "c3": ("#0a5c4c", "#6ee7bd"),  # deep green
    "c4": ("#c0257e", "#d98cbb"),  # magenta
    "c5": ("#574700", "#efe98a"),  # umber
    "ink": ("#1f2328", "#e6e9ed"),
    "muted": ("#57606a", "#a3acb8"),
    "grid": ("#d9dce1", "#3a4350"),
    "paper": ("#ffffff", "#14181e"),
}

LIGHT: Mapping[Role, str] = MappingProxyType({role: light for role, (light, _) in _VALUES.items()})
"""The value of each role on a light page; these are also the colors of the PNG fallback."""

DARK: Mapping[Role, str] = MappingProxyType({role: dark for role, (_, dark) in _VALUES.items()})
"""The value of each role on a dark page."""

_WORDS: Mapping[Role, tuple[str, ...]] = {
    "ink": ("as printed", "printed"),  # dashed: a claim, not a count
    "c2": ("dense", "asked", "compared"),
    "c1": ("sparse", "fire", "fires", "active", "reported"),
    "c3": ("Theorem", "certified"),  # A to E, what this book proves
    "c4": ("adversary", "attack", "attacked", "worst"),
    "c5": ("flip", "flips"),
}
MEANINGS: Mapping[str, Role] = MappingProxyType(
    {word: role for role, words in _WORDS.items() for word in words}
)
"""The color of what a word names, wherever a figure or an explorer of the story names it: ink for
what the paper prints, rust for neurons that are asked, blue for those that fire, green for what is
proved, magenta for the adversary, umber for neurons that flip.  The first word that occurs counts.
"""


def meaning(label: str) -> Role | None:
    """Return the color that the words of a label have in this book, or None.

    >>> meaning("attacked"), meaning("Theorem A"), meaning("*x*")
    ('c4', 'c3', None)
    """
    found = (role for word, role in MEANINGS.items() if re.search(rf"\b{word}\b", label))
    return next(found, None)


def roles_of(labels: Iterable[str]) -> list[Role]:
    """Return a color for each series of a figure: that of its words, or the next one that is free.

    Those of up to five series are different.

    >>> roles_of(["d = 3", "dense", "printed", "d = 8"])
    ['c1', 'c2', 'ink', 'c3']
    """
    wanted: list[Role | None] = []
    for role in map(meaning, labels):
        wanted.append(None if role in wanted else role)
    spare: tuple[Role, ...] = (*SERIES, "muted", "ink")
    free = (each for each in spare if each not in wanted)
    return [next(free) if role is None else role for role in wanted]


FAINT = 0.75
"""The opacity of a line or a dot that steps back: every color still reaches 3 : 1 on both pages."""

# Where a page is known to be dark: this book's theme, JupyterLab and Notebook 7, VS Code.
_DARK = 'html[data-theme=dark] [data-jp-theme-light="false"] [data-vscode-theme-kind*=dark]'
# Last resort: a page that says nothing about its theme, read on a system set to dark.  Pages of
# this book are excluded also when scripts are off: the theme is then light whatever the system
# says (Sphinx marks its pages with data-content_root).
_SILENT_PAGE = (
    "html:not([data-theme],[data-content_root]) "
    "body:not([data-jp-theme-light],[data-vscode-theme-kind])"
)


def css_color(role: Role) -> str:
    """Return the CSS value that stands for a role inside a figure.

    Ink is the text color of the page; others are custom properties with the light value as their
    fallback, for hosts that remove style sheets.

    >>> css_color("c1")
    'var(--sl-c1,#1268c8)'
    """
    return "currentColor" if role == "ink" else f"var(--sl-{role},{LIGHT[role]})"


def _properties(values: Mapping[Role, str], paper: str) -> str:
    pairs = [f"--sl-{role}:{values[role]}" for role in ROLES if role not in ("ink", "paper")]
    return ";".join([*pairs, f"--sl-paper:{paper}"])


def palette_css(selector: str) -> str:
    """Return the rules that define the colors for the elements of one CSS class.

    The light values are the default.  The dark ones apply where the page says that it is dark
    (this book's theme, JupyterLab, VS Code).  On a page that says nothing, a reader whose system
    is set to dark gets a dark card: background and text change together, so the figure is readable
    whatever surrounds it.
    """
    page = "var(--pst-color-background,var(--jp-layout-color0,var(--vscode-editor-background,{})))"
    light = _properties(LIGHT, page.format(LIGHT["paper"]))
    dark = _properties(DARK, page.format(DARK["paper"]))
    card = _properties(DARK, DARK["paper"])
    on_dark = ",".join(f"{where} {selector}" for where in _DARK.split())
    return (
        f"{selector}{{{light}}}{on_dark}{{{dark}}}"
        f"@media(prefers-color-scheme:dark){{{_SILENT_PAGE} {selector}"
        f"{{{card};background:{DARK['paper']};color:{DARK['ink']}}}}}"
    )

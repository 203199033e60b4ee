r"""The little markup of labels: ``*x*`` italic, ``^{...}`` superscript, ``_{...}`` subscript.

One label serves SVG text, HTML, the PNG fallback (as mathtext), a plain string for screen readers,
and the explorer's front end, which parses the same marks in ``widgets/static/explorer.js``; change
both together.  A backslash makes ``*``, ``^``, ``_`` or itself literal; a mark that does not open a
group (``a^2``, ``2 * 3``) is literal anyway.
"""

from __future__ import annotations

import re
from html import escape
from typing import NamedTuple

_MARK = re.compile(r"\\([\\*^_])|\*([^*{}\s](?:[^*{}]*[^*{}\s])?)\*|([\^_])\{([^{}]*)\}")
_SUPERSCRIPTS = str.maketrans("0123456789+-\N{MINUS SIGN}n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ")
_SUBSCRIPTS = str.maketrans("0123456789+-\N{MINUS SIGN}", "₀₁₂₃₄₅₆₇₈₉₊₋₋")
# Mathtext escapes some signs and takes most as they are; the rest gets a sign that looks like it.
_MATHTEXT_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "$%_{}"}
    | {" ": r"\ ", "\\": r"\backslash "}
    | {"^": "\N{MODIFIER LETTER CIRCUMFLEX ACCENT}", "~": "\N{TILDE OPERATOR}"}
    | {"#": "\N{MUSIC SHARP SIGN}"}
    | {"'": "\N{RIGHT SINGLE QUOTATION MARK}", '"': "\N{RIGHT DOUBLE QUOTATION MARK}"}
)

# In em of the surrounding text: how far a script is moved, and how large it is set.
_SHIFT = 0.36
_SIZE = 0.74


class Run(NamedTuple):
    """A piece of text in one style: slanted or not; raised (+1), lowered (-1) or neither (0)."""

    text: str
    italic: bool = False
    level: int = 0


def parse(text: str, level: int = 0) -> list[Run]:
    r"""Split a label into runs of one style, in reading order.

    >>> parse("*K*/*m*^{3/5}")[-1]
    Run(text='3/5', italic=False, level=1)
    >>> parse(r"2 * 3 and 2 \* 3")
    [Run(text='2 * 3 and 2 * 3', italic=False, level=0)]
    """
    runs: list[Run] = []

    def add(piece: str, italic: bool = False) -> None:
        if not piece:
            return
        if runs and runs[-1].italic == italic and runs[-1].level == level:
            runs[-1] = runs[-1]._replace(text=runs[-1].text + piece)
        else:
            runs.append(Run(piece, italic, level))

    end = 0
    for match in _MARK.finditer(text):
        add(text[end : match.start()])
        literal, italic, script, inner = match.groups()
        if literal is not None:
            add(literal)
        elif italic is not None:
            add(italic, italic=True)
        else:
            runs += parse(inner, 1 if script == "^" else -1)
        end = match.end()
    add(text[end:])
    return runs


def _script(run: Run) -> str:
    table = _SUPERSCRIPTS if run.level > 0 else _SUBSCRIPTS
    if all(ord(character) in table for character in run.text):
        return run.text.translate(table)
    mark = "^" if run.level > 0 else "_"
    return mark + (run.text if len(run.text) == 1 else f"({run.text})")


def to_plain(text: str) -> str:
    """Return a label as a plain string, for screen readers and options of a list.

    Superscripts are those of Unicode where they exist, and ``^(...)`` elsewhere.

    >>> to_plain("*K*/*m*^{3/5}"), to_plain("2^{10}"), to_plain("*Q*_{0}")
    ('K/m^(3/5)', '2¹⁰', 'Q₀')
    """
    return "".join(_script(run) if run.level else run.text for run in parse(text))


def to_sentence(text: str) -> str:
    """Return a label as a plain string that begins a sentence, with a capital first.

    >>> to_sentence("half-width *H*")
    'Half-width H'
    """
    plain = to_plain(text)
    return plain[:1].upper() + plain[1:]


def to_html(text: str) -> str:
    """Return a label as HTML: escaped text with ``i``, ``sup`` and ``sub`` elements.

    >>> to_html("*m*^{3/5} < 1")
    '<i>m</i><sup>3/5</sup> &lt; 1'
    """
    pieces = []
    for run in parse(text):
        piece = escape(run.text, quote=False)
        if run.italic:
            piece = f"<i>{piece}</i>"
        if run.level:
            tag = "sup" if run.level > 0 else "sub"
            piece = f"<{tag}>{piece}</{tag}>"
        pieces.append(piece)
    return "".join(pieces)


def to_svg(text: str) -> str:
    """Return a label as the content of an SVG ``text`` element: escaped text with ``tspan``.

    ``dy`` is relative, so the run after a script carries the way back to the line.

    >>> to_svg("10^{3} steps")
    '10<tspan dy="-.49em" font-size="74%">3</tspan><tspan dy=".36em"> steps</tspan>'
    """
    pieces = []
    offset = 0.0  # where the pen stands, in em of the surrounding text, downwards positive
    for run in parse(text):
        size = _SIZE if run.level else 1.0
        target = -_SHIFT * run.level if run.level > 0 else -_SHIFT * 0.6 * run.level
        attributes = ""
        if target != offset:
            attributes += f' dy="{_em((target - offset) / size)}em"'
            offset = target
        if run.level:
            attributes += f' font-size="{_SIZE:.0%}"'
        if run.italic:
            attributes += ' font-style="italic"'
        piece = escape(run.text, quote=False)
        pieces.append(f"<tspan{attributes}>{piece}</tspan>" if attributes else piece)
    return "".join(pieces)


def _em(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".").replace("0.", ".", 1)


def to_mathtext(text: str) -> str:
    r"""Return a label as Matplotlib mathtext, for the PNG; a text without marks stays as it is.

    >>> to_mathtext("*m*^{3/5}")
    '$\\mathit{m}$$^{\\mathrm{3/5}}$'
    >>> to_mathtext("100 %")
    '100 %'
    """
    runs = parse(text)
    pieces = []
    for run in runs:
        if not run.italic and not run.level:
            pieces.append(run.text.replace("$", r"\$"))
            continue
        face = "mathit" if run.italic else "mathrm"
        group = f"\\{face}{{{run.text.translate(_MATHTEXT_ESCAPES)}}}"
        if run.level:
            group = f"{'^' if run.level > 0 else '_'}{{{group}}}"
        pieces.append(f"${group}$")
    return "".join(pieces)

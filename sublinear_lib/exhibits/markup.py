r"""From the text of a claim, LaTeX between dollar signs in MyST, to HTML with its TeX marked.

The macros of the book are expanded here, for a running Jupyter does not know them; ``\rec``, around
what we reconstructed, becomes a class that the style sheet underlines with dots.  A test holds
`MACROS` and ``_config.yml`` together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, partial
from html import escape
from types import MappingProxyType
from typing import Any, cast

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

MACROS: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        "R": (r"\mathbb{R}", 0),
        "E": (r"\operatorname{\mathbb{E}}", 0),
        "Prob": (r"\operatorname{Pr}", 0),
        "ind": (r"\mathbf{1}[#1]", 1),
        "ip": (r"\langle #1, #2\rangle", 2),
        "norm": (r"\lVert #1\rVert", 1),
        "abs": (r"\lvert #1\rvert", 1),
        "set": (r"\{#1\}", 1),
        "sgn": (r"\operatorname{sgn}", 0),
        "X": (r"\mathcal{X}", 0),
        "Ball": ("B_2", 0),
        "Normal": (r"\mathcal{N}", 0),
        # MathJax in JupyterLab lets only classes through that begin like this.
        "rec": (r"\class{mjx-rec}{#1}", 1),
    }
)
"""The macros of the book: what each stands for, and its number of arguments."""

_COMMAND = re.compile(r"\\([A-Za-z]+|.)", re.DOTALL)
_POWER = re.compile(
    r"(?<=[\w)\]}|])\^(?:\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))+)\)|\{([^{}]+)\}|([-−]?[\w.]+(?:/\d+)?))"
)
# A number as computers write it, 1.5e-16.
_TIMES_TEN = re.compile(r"(?<![\w.])(?:1|(\d(?:\.\d+)?))e([+-]?)0*(\d+)(?!\w)")
# Before a number that nothing stands close to, or between two things with room on both sides.
_MINUS = re.compile(r"(?<![\w)\]}.])-(?=[\d.])|(?<= )-(?= )")
_INDEX = re.compile(r"(?<=[A-Za-zα-ω])_(?:\{([^{}]+)\}|([A-Za-z0-9](?![A-Za-z0-9_])))")

# Letters and signs for a text without formulas, where LaTeX would be noise.
_GREEK = {
    name: unicodedata.lookup(f"GREEK SMALL LETTER {name.upper()}")
    for name in (
        *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"),
        *("mu", "nu", "xi", "pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega"),
    )
}
# A test names a command of a quiz or a claim that is missing here.
_SIGNS = {
    **_GREEK,
    **{name: name for name in ("log", "ln", "exp", "sup", "inf", "max", "min", "cosh", "sgn")},
    **{"R": "R", "E": "E", "X": "X", "Prob": "Pr"},
    "varrho": "\N{GREEK RHO SYMBOL}",
    **{"lambda": "λ", "varphi": "φ", "Theta": "Θ", "Omega": "Ω", "Phi": "Φ", "Delta": "Δ"},
    **{"le": "≤", "ge": "≥", "approx": "≈", "cdot": "·", "times": "×", "dots": "…", "infty": "∞"},
    **{"to": "→", "in": "∈", "sqrt": "√", "sum": "Σ", "langle": "⟨", "rangle": "⟩"},
    **{"lvert": "|", "rvert": "|", "lVert": "‖", "rVert": "‖"},
}


# What stands over a letter; in a plain text it follows the letter as a combining sign.
_ACCENTS = {
    "tilde": "\N{COMBINING TILDE}",
    "widetilde": "\N{COMBINING TILDE}",
    "hat": "\N{COMBINING CIRCUMFLEX ACCENT}",
    "bar": "\N{COMBINING MACRON}",
}
_ACCENT = re.compile(rf"\\({'|'.join(_ACCENTS)})(?:\{{(\\?\w+)\}}| *(\\[A-Za-z]+|\w))")


def _argument(text: str, start: int) -> tuple[str, int]:
    """Return the argument that begins at `start` without its braces, and where it ends."""
    while start < len(text) and text[start].isspace():
        start += 1
    if start >= len(text):
        raise ValueError(f"a macro has too few arguments in {text!r}")
    if text[start] != "{":
        match = _COMMAND.match(text, start)
        end = match.end() if match else start + 1
        return text[start:end], end
    end = closing_brace(text, start)
    return text[start + 1 : end], end + 1


def closing_brace(text: str, start: int) -> int:
    """Return where the group that opens at `start` closes; a brace after a backslash is a sign."""
    depth, place = 0, start
    while place < len(text):
        character = text[place]
        if character == "\\":
            place += 2
            continue
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0:
            return place
        place += 1
    raise ValueError(f"the braces do not match in {text!r}")


def expand(tex: str) -> str:
    r"""Expand the macros of the book.

    >>> print(expand(r"\norm{x - \rec{y}} \le 1, x\in\X"))
    \lVert x - \class{mjx-rec}{y}\rVert \le 1, x\in\mathcal{X}
    """
    pieces, end = [], 0
    while match := _COMMAND.search(tex, end):
        pieces.append(tex[end : match.start()])
        end = match.end()
        if match.group(1) not in MACROS:
            pieces.append(match.group())
            continue
        body, count = MACROS[match.group(1)]
        for number in range(1, count + 1):
            argument, end = _argument(tex, end)
            body = body.replace(f"#{number}", expand(argument))
        pieces.append(body)
    return "".join([*pieces, tex[end:]])


def math_html(tex: str, *, display: bool = False) -> str:
    r"""Return a formula as it waits on a page: for the build of the book, or for JupyterLab.

    It is LaTeX without dollar signs, in an element of the class that Sphinx gives to formulas.

    >>> print(math_html(r"x \in \R^d"))
    <span class="math notranslate nohighlight">\(x \in \mathbb{R}^d\)</span>
    """
    tag, left, right = ("div", r"\[", r"\]") if display else ("span", r"\(", r"\)")
    body = escape(expand(tex.strip()), quote=False)
    return f'<{tag} class="math notranslate nohighlight">{left}{body}{right}</{tag}>'


def _reconstruction(state: StateInline, silent: bool) -> bool:
    r"""Read ``\rec{...}`` in running text; what stands inside is text again."""
    if not state.src.startswith(r"\rec{", state.pos):
        return False
    start = state.pos + len(r"\rec")
    try:
        end = closing_brace(state.src, start)
    except ValueError:
        return False
    if end >= state.posMax:
        return False
    if not silent:
        last = state.posMax
        state.push("rec_open", "span", 1).attrs = {"class": "sl-rec"}
        state.pos, state.posMax = start + 1, end
        state.md.inline.tokenize(state)
        state.push("rec_close", "span", -1)
        state.posMax = last
    state.pos = end + 1
    return True


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.use(
        dollarmath_plugin,
        double_inline=True,
        renderer=lambda tex, options: math_html(tex, display=options["display_mode"]),
    )
    parser.inline.ruler.before("escape", "rec", _reconstruction)
    # The plugin wraps each formula in an element of its own; the formula has one already.
    rules = cast(Any, parser.renderer).rules
    rules["math_inline"] = partial(_formula, False)
    rules["math_inline_double"] = rules["math_block"] = partial(_formula, True)
    return parser


def _formula(display: bool, tokens: Sequence[Token], index: int, *_: object) -> str:
    return math_html(tokens[index].content, display=display)


def block_html(text: str) -> str:
    r"""Return a text of one or more paragraphs, MyST with ``\rec{...}``, as HTML.

    >>> print(block_html(r"For \rec{all} $m$."), end="")  # doctest: +NORMALIZE_WHITESPACE
    <p>For <span class="sl-rec">all</span>
    <span class="math notranslate nohighlight">\(m\)</span>.</p>
    """
    return str(_parser().render(text.strip()))


def inline_html(text: str) -> str:
    """Return a text of one line as HTML without a surrounding element.

    It is either MyST with LaTeX between dollar signs, or plain text as for a terminal, in which
    ``m^(1/5)`` and ``Q_0`` are written out.  ValueError says that braces do not match.

    >>> inline_html("about m^(-1/10) & less")
    'about m<sup>−1/10</sup> &amp; less'
    >>> inline_html("1e-09, not 2.5e+03")
    '10<sup>−9</sup>, not 2.5·10<sup>3</sup>'
    """
    if text.count("$") >= 2:
        return str(_parser().renderInline(" ".join(text.split())))
    text = " ".join(text.split()).replace("<=", "≤").replace(">=", "≥")
    text = _TIMES_TEN.sub(_times_ten, text)
    text = _MINUS.sub("\N{MINUS SIGN}", text)
    pieces = escape(text, quote=False)
    pieces = _POWER.sub(lambda match: f"<sup>{_minus(match)}</sup>", pieces)
    return _INDEX.sub(lambda match: f"<sub>{_minus(match)}</sub>", pieces)


def _times_ten(match: re.Match[str]) -> str:
    factor, sign, power = match.groups()
    return f"{factor + '·' if factor else ''}10^({'-' * (sign == '-')}{power})"


def _minus(match: re.Match[str]) -> str:
    inner = next(group for group in match.groups() if group)
    return inner.replace("-", "\N{MINUS SIGN}")


def spoken(text: str) -> str:
    r"""Return a text without formulas, for titles of drawings and for screen readers.

    >>> spoken(r"With $\tau\le m^{1/5}$ about $\norm{w}$ is *small*.")
    'With τ≤ m^(1/5) about ‖w‖ is small.'
    """
    text = re.sub(r"\\norm\{([^{}]*)\}", r"‖\1‖", text)
    text = re.sub(r"\\abs\{([^{}]*)\}", r"|\1|", text)
    text = re.sub(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}", r"\1/\2", text)
    text = re.sub(r"\\[dt]?frac *(\w)(\w)", r"\1/\2", text)
    text = _ACCENT.sub(lambda match: (match[2] or match[3]) + _ACCENTS[match[1]], text)
    text = re.sub(r"\^(?:\*|\{\*\})", "\ue002", text)
    text = re.sub(r"\^\{(\w)\}", r"^\1", text)
    text = re.sub(r"\^\{([^{}]*)\}", r"^(\1)", text)
    text = _COMMAND.sub(lambda match: _SIGNS.get(match.group(1), _sign(match.group(1))), text)
    text = re.sub(r"[${}`]|(?<!\w)\*+(?=\S)|(?<=\S)\*+(?!\w)", "", text)
    return " ".join(text.translate(_BRACES).split())


# Braces and stars that are signs must outlive the removal of those that are marks.
_BRACES = str.maketrans("\ue000\ue001\ue002", "{}*")


def _sign(command: str) -> str:
    """Return a sign that was escaped as itself, and nothing for a command of layout."""
    signs = {"{": "\ue000", "}": "\ue001", **dict.fromkeys("%&#_", command)}
    return signs.get(command, " " if command in ",;: " else "")

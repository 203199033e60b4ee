r"""Formulas that are set when the book is built: TeX becomes MathML, which every browser draws.

The TeX of a formula stays with it in ``data-tex``, which ``formulas.js`` puts on the clipboard.
Temml, written in JavaScript, does the work, in the engine of the Python package ``mini-racer``.
One pass over a finished page sets its formulas; one that cannot be set is a warning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape, unescape
from pathlib import Path
from typing import Any

from py_mini_racer import JSEvalException, MiniRacer
from sphinx.application import Sphinx
from sphinx.ext.mathjax import html_visit_displaymath, html_visit_math
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)

TEMML = Path(__file__).resolve().parents[1] / "_static" / "vendor" / "temml" / "temml.min.js"
STYLE = "formulas.css"
SCRIPT = "_static/formulas.js"

_OPEN = (
    r'<(?:span|div) class="math notranslate nohighlight"[^>]*>(?:\s*<span class="eqno">.*?</span>)?'
)
_INLINE = re.compile(rf"({_OPEN})\s*\\\((.*?)\\\)\s*(?=</span>)", re.DOTALL)
_DISPLAY = re.compile(rf"({_OPEN})\s*\\\[(.*?)\\\]\s*(?=</div>)", re.DOTALL)
# amsmath environments come without the signs around them
_BARE = re.compile(rf"({_OPEN})\s*(\\begin\{{.*?)\s*(?=</div>)", re.DOTALL)


# What Temml leaves to be done: a sign in \rec keeps the room of its kind, unless it begins a group
# or follows another sign, and \big( without a side has none
_MARKED = re.compile(
    r"(<mrow[^>]*>|<mo(?![^>]*postfix)[^>]*>[^<]*</mo>)?"
    r'<mo(?: form="prefix" stretchy="false")? lspace="0em" rspace="0em" class="mjx-rec">'
)
_BIG = re.compile(r'<mo fence="false" symmetric="true" minsize')


@cache
def _engine() -> MiniRacer:
    engine = MiniRacer()
    engine.eval(TEMML.read_text(encoding="utf-8"))
    engine.eval(
        "const set = (tex, displayMode, macros) => temml.renderToString(tex,"
        " { displayMode, macros, throwOnError: true, trust: true });"
    )
    return engine


def macros_of(config: Mapping[str, str | list[Any]]) -> dict[str, str]:
    r"""Return the book's macros as Temml reads them, ``{"\R": "\mathbb{R}"}``."""
    return {
        f"\\{name}": body if isinstance(body, str) else body[0] for name, body in config.items()
    }


def _unwrapped(made: str) -> str:
    """Return a formula without the row around all of it, which ``<math>`` is by itself."""
    start, end = made.index(">") + 1, len(made) - len("</mrow></math>")
    if not (made.startswith("<mrow>", start) and made.endswith("</mrow></math>")):
        return made
    depth = 0
    for each in re.finditer(r"<(/?)mrow\b", made[start:end]):
        depth += -1 if each.group(1) else 1
        if depth == 0:  # a first row, and others behind it
            return made
    return made[:start] + made[start + len("<mrow>") : end] + "</math>"


@cache
def _set(tex: str, display: bool, macros: str) -> str:
    made = str(_engine().call("set", tex, display, json.loads(macros)))
    made = _MARKED.sub(
        lambda match: match.group() if match.group(1) else '<mo class="mjx-rec">', made
    )
    made = _unwrapped(made)
    made = _BIG.sub('<mo lspace="0em" rspace="0em" fence="false" symmetric="true" minsize', made)
    return made.replace("<math", f'<math data-tex="{escape(" ".join(tex.split()))}"', 1)


def mathml(tex: str, macros: Mapping[str, str], *, display: bool = False) -> str:
    """Return a formula as MathML."""
    try:
        return _set(tex.strip(), display, json.dumps(dict(macros), sort_keys=True))
    except JSEvalException as error:
        reason = re.search(r"ParseError:\s*(.*)", str(error))
        said = reason.group(1) if reason else str(error).splitlines()[0]
        raise ValueError(f"{tex.strip()!r} cannot be set: {said}") from error


def typeset(html: str, macros: Mapping[str, str]) -> tuple[str, list[str]]:
    """Set all formulas of a page."""
    problems: list[str] = []

    def put(match: re.Match[str], display: bool) -> str:
        opening, tex = match.groups()
        try:
            return opening + mathml(unescape(tex), macros, display=display)
        except ValueError as error:
            problems.append(str(error))
            return match.group()

    html = _INLINE.sub(lambda match: put(match, False), html)
    html = _DISPLAY.sub(lambda match: put(match, True), html)
    return _BARE.sub(lambda match: put(match, True), html), problems


def _typeset(app: Sphinx, pagename: str, _: str, context: dict[str, Any], *__: object) -> None:
    macros = macros_of(app.config.companion_macros)
    for part in ("body", "title"):
        if part in context:
            context[part], problems = typeset(context[part], macros)
            for problem in problems:
                LOGGER.warning("the formula %s", problem, location=pagename)
    if "body" in context:  # as soon as the page is there: a link into it scrolls soon after
        context["body"] += f'<script src="{context["pathto"](SCRIPT, resource=True)}"></script>'


def _write_alone(app: Sphinx, env: object) -> list[str]:
    # pages are read by several processes, but written by one: an engine does not outlive a fork
    app.parallel = 1
    return []


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer, its style sheet and the pass over every page with Sphinx."""
    app.add_config_value("companion_macros", {}, "html", [dict])
    app.add_html_math_renderer("mathml", (html_visit_math, None), (html_visit_displaymath, None))
    app.add_css_file(STYLE)
    # after companion_book has mended the page, which looks for formulas as Sphinx writes them
    app.connect("html-page-context", _typeset, priority=450)
    app.connect("env-updated", _write_alone)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""What lies in a closed fold is set when the fold opens: formulas, and the colors of code.

In a closed fold a formula stands in ``<noscript>``: text for a browser that runs scripts, which is
read fast, and a formula for one that runs none.  Code is plain, and its element says in
``data-colors`` what is to be colored.  ``folds.js`` sets what waits before its fold opens, a link
leads into it, or the page is printed.
"""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from sphinx.application import Sphinx

_MATH = r"<math\b.*?</math>"
_PART = re.compile(
    r"<(?P<end>/?)(?P<kind>details|summary|noscript)\b(?P<attributes>[^>]*)>"
    # a formula of the text with what holds it and its punctuation together
    rf'|<span class="unbroken">[^<]*<span class="math [^>]*>{_MATH}</span>[^<]*</span>'
    rf'|<span class="math [^>]*>{_MATH}</span>'
    rf"|{_MATH}"
    r"|(?<=<div class=\"highlight\">)<pre>(?P<code>.*?)</pre>",
    re.DOTALL,
)
_TOKEN = re.compile(r'([^<]*)<span class="(\w+)">([^<]*)</span>')
_BEGINNING = "<span></span>"  # Pygments writes it first, to keep an empty first line


def plain_code(code: str) -> tuple[str, str]:
    """Return code without its colors, and its colors: "gap class length" for each token.

    The gap is the number of characters since the end of the one before.
    """
    code = code.removeprefix(_BEGINNING)
    text, colors, end = [], [], 0
    for found in _TOKEN.finditer(code):
        gap, kind, word = found.groups()
        text += [gap, word]
        colors.append(f"{_length(gap)} {kind} {_length(word)}")
        end = found.end()
    return "".join([*text, code[end:]]), " ".join(colors)


def _length(html: str) -> int:
    """Return how many characters a text has to a script, which counts halves of four bytes."""
    return len(unescape(html).encode("utf-16-le")) // 2


def wait_in_folds(html: str) -> str:
    """Return a page in whose closed folds formulas are not set, and code is not colored."""
    closed: list[bool] = []  # of the folds around a place
    shown = 0  # whether it stands in a summary or in <noscript>

    def put(part: re.Match[str]) -> str:
        nonlocal shown
        if part["kind"] == "details":
            if part["end"]:
                closed.pop()
            else:
                closed.append(re.search(r"\bopen\b", part["attributes"]) is None)
        elif part["kind"]:
            shown += -1 if part["end"] else 1
        elif any(closed) and not shown:
            if part["code"] is None:
                return f'<noscript class="folded">{part.group()}</noscript>'
            text, colors = plain_code(part["code"])
            return f'<pre data-colors="{colors}">{text}</pre>' if colors else part.group()
        return part.group()

    return _PART.sub(put, html)


def _wait(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        if {"_static", "_sources"} & set(path.relative_to(app.outdir).parts):
            continue
        page = path.read_text(encoding="utf-8")
        if "</details>" in page:
            path.write_text(wait_in_folds(page), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the script, and the pass over finished pages."""
    app.add_js_file("folds.js", priority=140, loading_method="defer")
    # after companion_light has taken the colors away that nobody sees
    app.connect("build-finished", _wait, priority=860)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

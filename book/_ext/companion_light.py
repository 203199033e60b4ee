"""What a page need not load or hold, taken from it when it is written.

Icons that come as a script of 1.5 MB, the search where nobody searches, scripts that keep the
browser from drawing, data of explorers before the text, elements for every comma of the code, and
rules of style sheets for classes that no page and no script names.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import tinycss2
from sphinx.application import Sphinx

_HEAVY = re.compile(r'\s*<script [^>]*src="[^"]*/fontawesome\.js[^"]*"[^>]*></script>')
# the search of Sphinx, in place of which companion_search has its own
_SEARCHING = re.compile(
    r'\s*<script [^>]*?src="(?:[^"]*/)?(?:searchtools|language_data|searchindex)\.js[^"]*"'
    r"[^>]*></script>"
)
_GONE = (
    *("searchindex.js", "_static/searchtools.js", "_static/language_data.js"),
    "_static/scripts/fontawesome.js",
)
# all but what others ask for at once, and what arranges tables while the page is read
_WAITS = re.compile(
    r"<script (?![^>]*\b(?:defer|async)\b)(?=[^>]*\bsrc=)"
    r"(?![^>]*(?:documentation_options|narrow-tables))"
)
_EXPLORERS = re.compile(
    r'\s*(<script type="application/vnd\.jupyter\.widget-state\+json">.*?</script>)'
    r"\s*(<script [^>]*widgets-boot\.js[^>]*></script>)",
    re.DOTALL,
)
_FIRST = re.compile(r"<script [^>]*\bsrc=")
# the theme knows the colors only when its script runs, and then all is drawn a second time
_COLORS = """document.documentElement.dataset.theme = localStorage.getItem("theme") || "auto";"""
_COLORS_AT_ONCE = """{
      const { dataset } = document.documentElement;
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;
      const chosen = ["light", "dark"].includes(dataset.mode);
      dataset.theme = chosen ? dataset.mode : dark ? "dark" : "light";
    }"""
_CODE = re.compile(r'<div class="highlight">.*?</div>', re.DOTALL)
_TOKEN = re.compile(r'<span class="(\w+)">([^<]*)</span>')
_LOOK = re.compile(r"\.highlight \.(\w+) \{([^}]*)\}")
_NAME = "n"  # what no style sheet colors: a plain name
_SIGNATURE = re.compile(r'<dt class="sig .*?</dt>', re.DOTALL)
_WORD_OF_SIGNATURE = re.compile(r'<span class="(?:pre|[a-z][a-z0-9]?)">([^<]*)</span>')
_PROMPTS = {"gp", "go"}  # the copy button leaves them out

_CLASSES = re.compile(r'\bclass=\\?"([^"\\]*)')
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_PARENTHESES = re.compile(r"\([^()]*\)")
_CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")


def lighten(html: str, colored: Collection[str]) -> str:
    """Return a page without what it need not load before its reader acts."""
    html = _HEAVY.sub("", html)
    html = _SEARCHING.sub("", html)
    head, end, body = html.partition("</head>")
    head = _WAITS.sub("<script defer ", head.replace(_COLORS, _COLORS_AT_ONCE))
    explorers = _EXPLORERS.search(head)
    if explorers:
        state, boot = explorers.groups()
        head = head.replace(explorers.group(), "")
        # before the scripts that measure the page
        head = _FIRST.sub(lambda first: f"{boot}\n    {first.group()}", head, count=1)
        before, close, after = body.rpartition("</body>")
        body = f"{before}{state}\n{close}{after}"
    body = _CODE.sub(
        lambda code: _TOKEN.sub(lambda each: _plain(each, colored), code.group()), body
    )
    body = body.replace('<code class="docutils literal', '<code class="literal')
    body = body.replace('<span class="colon">:</span>', ":")
    body = _SIGNATURE.sub(lambda name: _WORD_OF_SIGNATURE.sub(r"\1", name.group()), body)
    return head + end + body


def _plain(token: re.Match[str], colored: Collection[str]) -> str:
    kind, text = token.groups()
    return token.group() if kind in colored or kind in _PROMPTS else text


def colored_classes(css: str) -> set[str]:
    """Return the classes of code that do not look like a plain name in the style sheet `css`."""
    looks: dict[str, list[str]] = {}
    for name, look in _LOOK.findall(css):
        looks.setdefault(name, []).append(look.strip())
    return {name for name, look in looks.items() if look != looks.get(_NAME)}


def used_rules(css: str, names: Collection[str]) -> str:
    """Return a style sheet without the rules that can apply to nothing.

    A name that ends in a hyphen stands for all that begin so; what stands in parentheses of a
    selector counts for nothing.
    """
    beginnings = tuple(name for name in names if name.endswith("-") and len(name) > 3)
    bare = {"skip_comments": True, "skip_whitespace": True}

    def known(selector: str) -> bool:
        while (inner := _PARENTHESES.sub("", selector)) != selector:
            selector = inner
        return all(
            name in names or name.startswith(beginnings) for name in _CLASS.findall(selector)
        )

    def kept(rules: list[Any]) -> str:
        made = []
        for rule in rules:
            if rule.type == "qualified-rule":
                chosen = [each for each in _selectors(rule.prelude) if known(each)]
                if chosen:
                    made.append(f"{','.join(chosen)}{{{tinycss2.serialize(rule.content)}}}")
            elif rule.type == "at-rule" and rule.lower_at_keyword in {"media", "supports"}:
                if inner := kept(tinycss2.parse_rule_list(rule.content, **bare)):
                    prelude = tinycss2.serialize(rule.prelude)
                    made.append(f"@{rule.at_keyword}{prelude}{{{inner}}}")
            else:
                made.append(rule.serialize())
        return "\n".join(made)

    return kept(tinycss2.parse_stylesheet(css, **bare))


def _selectors(prelude: list[Any]) -> list[str]:
    parts: list[list[Any]] = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return [tinycss2.serialize(part).strip() for part in parts]


def _lighten(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir)
    static = folder / "_static"
    sheet = static / "pygments.css"
    colored = colored_classes(sheet.read_text(encoding="utf-8")) if sheet.is_file() else set()
    names: set[str] = set()
    for path in folder.rglob("*.html"):
        if {"_static", "_sources"} & set(path.relative_to(folder).parts):
            continue
        page = path.read_text(encoding="utf-8")
        path.write_text(lighten(page, colored), encoding="utf-8")
        for found in _CLASSES.findall(page):
            names.update(found.split())
    for gone in _GONE:
        (folder / gone).unlink(missing_ok=True)
    for path in static.rglob("*.js"):
        names.update(_WORD.findall(path.read_text(encoding="utf-8")))
    ours = Path(__file__).resolve().parents[1] / "_static"
    for path in static.rglob("*.css"):
        if not (ours / path.relative_to(static)).exists():
            text = used_rules(path.read_text(encoding="utf-8"), names)
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Have the pages and style sheets made lighter when they are written."""
    # before companion_policy counts the scripts that are left
    app.connect("build-finished", _lighten, priority=850)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

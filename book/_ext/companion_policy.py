"""A Content-Security-Policy for every page: it runs the scripts that the book brings, no others.

It stands in a ``<meta>`` tag, because a page may be opened from a folder.  A script written into
a page runs only if its hash is in the policy; there is no ``eval`` and no handler in an attribute.
Pages with explorers may import modules from a blob.  Styles keep ``'unsafe-inline'``: formulas,
figures and explorers carry them.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from sphinx.application import Sphinx

# 'self' does not cover a page that was opened from a folder in every browser, and a page that came
# from a server may not reach a file: anyhow
_OWN = "'self' file:"

_META = '<meta http-equiv="Content-Security-Policy" content="{}" />'
_PRESENT = re.compile(r'\n<meta http-equiv="Content-Security-Policy"[^>]*>')
_CHARSET = re.compile(r"<meta charset=[^>]*>", re.IGNORECASE)
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.IGNORECASE | re.DOTALL)
_SOURCE = re.compile(r"\bsrc\s*=", re.IGNORECASE)
_TYPE = re.compile(r"""\btype\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
_RUN = {"", "module", "text/javascript", "application/javascript"}
_STATE = "application/vnd.jupyter.widget-state+json"

# the two buttons of the theme that carry their action in an attribute, which the policy forbids;
# page-buttons.js gives them the same action
_HANDLERS = {
    'onclick="window.print()"': 'data-companion-does="print"',
    'onclick="toggleFullScreen()"': 'data-companion-does="fullscreen"',
}

# links of the theme that open a window of their own, which would know the one it came from
_LINK = re.compile(r"<a\b[^>]*>")
_WINDOW = ' target="_blank"'


def scripts_within(html: str) -> list[str]:
    """Return the text of every script that is written into a page and that a browser runs."""
    found = []
    for attributes, text in _SCRIPT.findall(html):
        kind = _TYPE.search(attributes)
        if not _SOURCE.search(attributes) and (kind.group(1) if kind else "").lower() in _RUN:
            found.append(text)
    return found


def fingerprint(script: str) -> str:
    """Return a script's source expression in a policy, ``'sha256-...'``."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def policy(html: str) -> str:
    """Return the policy under which a page works, and nothing else does."""
    prints = dict.fromkeys(map(fingerprint, scripts_within(html)))
    modules = ["blob:"] if _STATE in html else []
    rules = {
        "default-src": "'none'",
        "script-src": " ".join([_OWN, *modules, *prints]),
        "style-src": f"{_OWN} 'unsafe-inline'",
        "img-src": f"{_OWN} data:",
        "font-src": f"{_OWN} data:",
        "connect-src": "'self'",
        "form-action": _OWN,
        "base-uri": "'none'",
    }
    return "; ".join(f"{name} {sources}" for name, sources in rules.items())


def _without_opener(link: re.Match[str]) -> str:
    tag = link.group()
    return tag if " rel=" in tag else tag.replace(_WINDOW, f'{_WINDOW} rel="noopener"')


def lock(html: str) -> str:
    """Return a page with its policy, in place of an older one, and without handlers in attributes.

    Links that open a window of their own do not let it know where it came from.
    """
    html = _PRESENT.sub("", html)
    for handler, mark in _HANDLERS.items():
        html = html.replace(handler, mark)
    html = _LINK.sub(_without_opener, html)
    meta = _META.format(policy(html))
    return _CHARSET.sub(lambda match: f"{match.group()}\n{meta}", html, count=1)


def _lock_pages(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        if not {"_static", "_sources"} & set(path.relative_to(app.outdir).parts):
            path.write_text(lock(path.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the script of the buttons, and lock all pages when they are written."""
    app.add_js_file("page-buttons.js", loading_method="defer")
    app.connect("build-finished", _lock_pages, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

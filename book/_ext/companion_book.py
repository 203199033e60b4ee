"""What this book adds to Jupyter Book 1.x.

While ``companion_repository_url`` is empty, no page shows a repository, issue, edit or launch
button.  The rest mends what other extensions write: a script that raises an error on every page,
ids that stand more than once, and a list whose entries a screen reader cannot count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

from sublinear_lib.plotting import PAGE_HTML

_ADDRESS = re.compile(r"https://[^/\s]+(/[^/\s]+){2}")

_COLAB = "https://colab.research.google.com"
# where the workflow that publishes the book puts copies that install the library first
_COLAB_BRANCH = "colab"

# sphinx-proof and sphinx-exercise give the same id to the content of every box on the page, and
# sphinx-proof the same one to every proof, for which its style sheet then has no class
_REPEATED_ID = re.compile(r' id="(?:proof|exercise|solution)-content"')
_PROOF = ('<div class="proof admonition" id="proof">', '<div class="proof argument admonition">')
# the children of role="list" must have role="listitem"; doc-biblioentry is deprecated in ARIA 1.3
_ENTRY_ROLE = 'role="doc-biblioentry"'


def connect_repository(
    options: Mapping[str, Any], url: str, branch: str = "main"
) -> dict[str, Any]:
    """Return the theme options with every button that needs a repository on, or every one off."""
    url = url.strip().rstrip("/")
    if url and not _ADDRESS.fullmatch(url):
        raise ConfigError(
            f"companion_repository_url must be empty or https://HOST/OWNER/NAME, got {url!r}"
        )
    buttons = ("use_repository_button", "use_issues_button", "use_edit_page_button")
    connected = {**options, "repository_url": url, **dict.fromkeys(buttons, bool(url))}
    connected["launch_buttons"] = {}
    if url:
        connected["repository_branch"] = branch
        # the book's pages are named from the root of the repository
        connected["path_to_docs"] = ""
        # Binder opens the page in JupyterLab
        connected["launch_buttons"] = {
            "notebook_interface": "jupyterlab",
            "binderhub_url": "https://mybinder.org",
            "colab_url": _COLAB,
        }
    return connected


def _connect_repository(app: Sphinx, config: Config) -> None:
    config.html_theme_options = connect_repository(
        config.html_theme_options,
        config.companion_repository_url,
        config.companion_repository_branch,
    )


def lead_to_branch(buttons: list[Any], branch: str, to: str) -> list[Any]:
    """Return the buttons above a page with the Colab ones leading to another branch."""
    led = []
    for button in buttons:
        button = dict(button)
        if "buttons" in button:
            button["buttons"] = lead_to_branch(button["buttons"], branch, to)
        if _COLAB in str(button.get("url", "")):
            button["url"] = button["url"].replace(f"/blob/{branch}/", f"/blob/{to}/", 1)
        led.append(button)
    return led


def _lead_to_branch(app: Sphinx, page: str, _: str, context: dict[str, Any], *__: object) -> None:
    if "header_buttons" in context:
        context["header_buttons"] = lead_to_branch(
            context["header_buttons"], app.config.companion_repository_branch, _COLAB_BRANCH
        )


def _leave_thebe_out(app: Sphinx, config: Config) -> None:
    """Take back what sphinx-thebe, which Jupyter Book always loads, would add to every page.

    The book does not use it, its script is declared twice, which is an error in the browser, and
    when it is started it asks another host.
    """
    for listeners in list(app.events.listeners.values()):
        for listener in list(listeners):
            if listener.handler.__module__.partition(".")[0] == "sphinx_thebe":
                app.disconnect(listener.id)
    sheets = app.registry.css_files
    sheets[:] = [entry for entry in sheets if "sphinx-thebe" not in entry[0]]


# an exhibit leads from notebook to notebook, which is right in Jupyter; here pages are HTML
_NOTEBOOK = re.compile(r'(<a class="(?:sl-node )?sl-page"[^>]*? href="[^"#]+)\.ipynb(?=["#])')

# a browser may break the line between a formula and the comma that follows it
_PUNCTUATED = re.compile(
    r"""([(\["\u201c\u2018]*)"""
    r"""(<span class="math notranslate nohighlight">[^<]*</span>)"""
    r"""([.,;:!?)\]"\u201d\u2019\u2026]*)"""
)


def _unbroken(match: re.Match[str]) -> str:
    before, formula, after = match.groups()
    return f'<span class="unbroken">{match.group()}</span>' if before or after else formula


def mend_body(body: str) -> str:
    """Return the text of a page with the faults of other extensions mended.

    Ids that stand more than once are taken out, the entries of the bibliography become countable,
    a formula is held together with the punctuation beside it, and links of exhibits lead to pages
    instead of notebooks.
    """
    body = _REPEATED_ID.sub("", body).replace(*_PROOF)
    body = _NOTEBOOK.sub(r"\1.html", body)
    return _PUNCTUATED.sub(_unbroken, body).replace(_ENTRY_ROLE, 'role="listitem"')


def spell_anchors(body: str, labels: Mapping[str, str]) -> str:
    """Let a link name a label as it is written where Sphinx spells its anchor without dots."""
    for name, anchor in labels.items():
        if name != anchor and f' id="{name}"' not in body:
            place = re.compile(rf'<[a-z0-9]+\b[^>]*? id="{re.escape(anchor)}"')
            body = place.sub(rf'<span id="{name}"></span>\g<0>', body, count=1)
    return body


def _mend_body(app: Sphinx, pagename: str, _: str, context: dict[str, Any], *__: object) -> None:
    if "body" in context:
        written = app.env.domaindata["std"]["anonlabels"].items()
        labels = {name: anchor for name, (page, anchor) in written if page == pagename}
        dotted = {name: anchor for name, anchor in labels.items() if "." in name and anchor}
        context["body"] = spell_anchors(mend_body(context["body"]), dotted)


def _show_drawings(app: Sphinx, docname: str, source: list[str]) -> None:
    """Show the HTML of every picture, which notebooks keep from viewers that take it apart."""
    source[0] = source[0].replace(f'"{PAGE_HTML}":', '"text/html":')


# the sidebar's button that unfolds the pages below another has a picture and no name
_TOGGLE = re.compile(r"<summary>(?=\s*<span class=\"toctree-toggle\")")


def name_toggles(sidebar: str) -> str:
    """Return the contents of the sidebar with a name for every button that unfolds pages."""
    return _TOGGLE.sub('<summary aria-label="Show or hide the pages below">', sidebar)


def _name_toggles(app: Sphinx, page: str, _: str, context: dict[str, Any], *__: object) -> None:
    contents = context.get("generate_toctree_html")
    if contents is not None:
        context["generate_toctree_html"] = lambda *args, **options: name_toggles(
            str(contents(*args, **options))
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the settings and the steps of this extension with Sphinx."""
    app.add_config_value("companion_repository_url", "", "html", [str])
    app.add_config_value("companion_repository_branch", "main", "html", [str])
    app.connect("config-inited", _connect_repository)
    app.connect("config-inited", _leave_thebe_out)
    app.connect("source-read", _show_drawings)
    # before companion_math sets the formulas
    app.connect("html-page-context", _mend_body, priority=400)
    # after the theme has put its buttons and its function there
    app.connect("html-page-context", _lead_to_branch, priority=600)
    app.connect("html-page-context", _name_toggles, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

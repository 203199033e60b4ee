"""A page like those of the book, its colors and nothing else, for what a test makes up."""

import check_book
from companion_math import STYLE, typeset


def made_page(title, body, *, head="", after=""):
    """Return a page with a heading; `head` goes into its head, `after` behind its text."""
    return (
        '<!doctype html><html lang="en" data-content_root="./"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>'
        '<link rel="icon" href="data:,"><style>'
        "html{--pst-color-background:#fff;--pst-color-text-base:#222832}"
        "html[data-theme=dark]{--pst-color-background:#14181e;--pst-color-text-base:#ced6dd}"
        "html[data-theme=dark] a{color:#6aa5ff}"
        "body{background:var(--pst-color-background);color:var(--pst-color-text-base);"
        "font:16px/1.5 sans-serif;max-width:60rem;margin:1rem auto;padding:0 1rem}"
        f"</style>{head}</head><body><main><h1>{title}</h1>{body}</main>{after}</body></html>"
    )


def write_set(folder, name, title, body):
    """Store a page whose formulas are set as in the book, with styles and letters beside it."""
    for each in (STYLE, "vendor"):
        if not (folder / each).exists():
            (folder / each).symlink_to(check_book.ROOT / "book" / "_static" / each)
    head = f'<link rel="stylesheet" href="{STYLE}">'
    page, problems = typeset(made_page(title, body, head=head), {})
    assert problems == []
    (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return folder / f"{name}.html"

"""The built pages, read as text: complete, linked, named, and on nobody else's server."""

from __future__ import annotations

import random

import check_book
import companion_policy
import pytest
from check_book import Page


def test_every_page_of_the_table_of_contents_exists(html):
    assert check_book.missing_pages(html, check_book.chapters()) == []


def test_the_table_of_contents_lists_every_chapter_that_is_written():
    root = check_book.ROOT
    written = {
        path.relative_to(root).with_suffix("").as_posix()
        for suffix in ("*.md", "*.ipynb")
        for path in (root / "book").rglob(suffix)
        if not any(part.startswith((".", "_")) for part in path.relative_to(root).parts)
    }
    assert written == set(check_book.chapters())


def test_the_sidebar_shows_all_planned_parts(pages):
    tree = pages["book/intro.html"].tree
    captions = [check_book.words(tag) for tag in tree.css("nav .caption")]
    assert [caption.split(":")[0] for caption in captions] == [
        "Start here",
        "Part I",
        "Going deeper",
        "Part II",
        "Part III",
        "The verdicts",
        "Reference",
    ]


def test_no_link_leads_nowhere(pages):
    problems = [each for page in pages.values() for each in check_book.broken_links(page, pages)]
    assert problems == []


@pytest.mark.parametrize("check", check_book.PAGE_CHECKS.values(), ids=check_book.PAGE_CHECKS)
def test_every_page_passes(check, pages):
    problems = [
        each for page in pages.values() if not check_book.is_redirect(page) for each in check(page)
    ]
    assert problems == []


def test_no_page_offers_a_repository_before_there_is_one(pages):
    for page in pages.values():
        labels = page.tree.css(".btn-source-repository-button, .btn-launch-binder-button")
        launches = page.tree.css(".dropdown-launch-buttons, .dropdown-source-buttons")
        assert not labels + launches, page.name


# What the checks themselves promise: each finds the fault it is named after.

GOOD = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>A page — {title}</title></head><body><article><h1 id="top">A page</h1>{body}
</article></body></html>"""


def page_with(tmp_path, body, *, name="a.html", head=""):
    text = GOOD.format(title=check_book.TITLE, body=body).replace("</head>", f"{head}</head>")
    (tmp_path / name).write_text(companion_policy.lock(text), encoding="utf-8")
    return Page.read(tmp_path, name)


def test_a_sound_page_has_no_problems(tmp_path):
    body = '<p>Text.</p><img src="p.png" alt="A curve that falls from left to right">'
    (tmp_path / "p.png").write_bytes(b"")
    page = page_with(tmp_path, body + '<a href="#top">up</a>')
    for check in check_book.PAGE_CHECKS.values():
        assert check(page) == []
    assert check_book.broken_links(page, {"a.html": page}) == []


@pytest.mark.parametrize(
    "body",
    [
        '<script src="https://cdn.example.org/x.js"></script>',
        '<img alt="A curve that falls" src="//pictures.example.org/x.png">',
        '<img alt="A curve that falls" src="x.png" srcset="http://example.org/y.png 2x">',
        '<link rel="stylesheet" href="https://fonts.example.org/f.css">',
        '<p style="background: url(https://example.org/b.png)">x</p>',
        "<style>@import 'https://example.org/b.css';</style>",
        '<svg aria-hidden="true"><image href="https://example.org/b.png"/></svg>',
        '<svg aria-hidden="true"><image xlink:href="https://example.org/b.png"/></svg>',
        '<iframe src="https://example.org"></iframe>',
        '<template><iframe src="https://example.org"></iframe></template>',
        '<noscript><iframe src="https://example.org"></iframe></noscript>',
    ],
)
def test_outside_requests_are_found(tmp_path, body):
    assert len(check_book.outside_requests(page_with(tmp_path, body))) == 1


def test_outside_requests_of_a_style_sheet_are_found(tmp_path):
    (tmp_path / "s.css").write_text("p { background: url('https://example.org/b.png') }")
    page = page_with(tmp_path, "", head='<link rel="stylesheet" href="s.css?v=1">')
    assert len(check_book.outside_requests(page)) == 1


@pytest.mark.parametrize("address", ["gone.html", "b.html#gone", "#gone", "gone.ipynb"])
def test_broken_links_are_found(tmp_path, address):
    pages = {
        "a.html": page_with(tmp_path, f'<a href="{address}">x</a>'),
        "b.html": page_with(tmp_path, "", name="b.html"),
    }
    assert len(check_book.broken_links(pages["a.html"], pages)) == 1


@pytest.mark.parametrize(
    "body",
    [
        '<img src="p.png">',
        '<img src="p.png" alt="">',
        '<img src="p.png" alt="../_images/4e28.png">',
        '<img src="p.png" alt="figure">',
        "<svg><path d='M0 0'/></svg>",
        '<svg role="img" aria-labelledby="gone"><path d="M0 0"/></svg>',
    ],
)
def test_unnamed_pictures_are_found(tmp_path, body):
    assert len(check_book.unnamed_pictures(page_with(tmp_path, body))) == 1


def test_a_formula_left_as_text_is_found(tmp_path):
    page = page_with(tmp_path, r"<p>so $x$ is here</p><pre>$y$</pre><p class='math'>\(\tau\)</p>")
    assert len(check_book.broken_formulas(page)) == 2


def test_a_repeated_id_is_found(tmp_path):
    assert len(check_book.repeated_ids(page_with(tmp_path, '<p id="top">x</p>'))) == 1


def test_an_explorer_without_state_is_found(tmp_path):
    view = '<script type="application/vnd.jupyter.widget-view+json">{"model_id": "1"}</script>'
    state = (
        '<script type="application/vnd.jupyter.widget-state+json">{"state": {"%s": {}}}</script>'
    )
    assert len(check_book.broken_explorers(page_with(tmp_path, view))) == 1
    assert len(check_book.broken_explorers(page_with(tmp_path, view + state % "2"))) == 1
    assert check_book.broken_explorers(page_with(tmp_path, view + state % "1")) == []


def test_a_page_in_another_language_or_without_title_is_found(tmp_path):
    (tmp_path / "a.html").write_text("<html lang='de'><body></body></html>")
    assert len(check_book.bad_head(Page.read(tmp_path, "a.html"))) == 3


def test_a_heavy_page_is_found(tmp_path):
    assert check_book.heavy_page(page_with(tmp_path, "x" * 1_000)) == []
    assert len(check_book.heavy_page(page_with(tmp_path, "x" * check_book.LARGEST_PAGE))) == 1


def test_heavy_explorers_are_found(tmp_path):
    kind = "application/vnd.jupyter.widget-state+json"
    state = '<script type="' + kind + '">{"state": {"1": "%s"}}</script>'
    assert check_book.heavy_explorers(page_with(tmp_path, "no explorer")) == []
    repeated = "x" * 3 * check_book.LARGEST_EXPLORERS  # much to store, little to send
    assert check_book.heavy_explorers(page_with(tmp_path, state % repeated)) == []
    noise = random.Random(0).randbytes(check_book.LARGEST_EXPLORERS).hex()
    assert len(check_book.heavy_explorers(page_with(tmp_path, state % noise))) == 1

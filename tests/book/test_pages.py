"""The built pages, read as text: what the build checks of them is found where it is wrong."""

import random

import check_book
import companion_policy
import pytest
import yaml
from check_book import Page


def test_the_table_of_contents_lists_every_chapter_that_is_written():
    root = check_book.ROOT
    written = {
        path.relative_to(root).with_suffix("").as_posix()
        for suffix in ("*.md", "*.ipynb")
        for path in (root / "book").rglob(suffix)
        if not any(part.startswith((".", "_")) for part in path.relative_to(root).parts)
    }
    assert written == set(check_book.chapters())


def test_the_sidebar_shows_all_planned_parts_and_is_short(pages):
    tree = pages["book/intro.html"].tree
    assert 30 < len(tree.css(".bd-sidebar-primary nav li")) <= 40
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


def test_the_first_page_leads_into_each_part_of_the_papers():
    text = (check_book.ROOT / "book/intro.ipynb").read_text(encoding="utf-8")
    contents = yaml.safe_load((check_book.ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = [each for each in contents["parts"] if each["caption"].startswith("Part ")]
    assert len(parts) == 3
    for part in parts:
        assert part["chapters"][0]["file"].removeprefix("book/") in text


# What the checks themselves promise: each finds the fault it is named after.

GOOD = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>A page — {title}</title></head><body><article><h1 id="top">A page</h1>{body}
</article></body></html>"""


def page_with(tmp_path, body, *, name="a.html"):
    text = GOOD.format(title=check_book.TITLE, body=body)
    (tmp_path / name).write_text(companion_policy.lock(text), encoding="utf-8")
    return Page.read(tmp_path, name)


def test_a_sound_page_has_no_problems(tmp_path):
    body = '<p>Text.</p><img src="p.png" alt="A curve that falls from left to right">'
    (tmp_path / "p.png").write_bytes(b"")
    page = page_with(tmp_path, body + '<a href="#top">up</a>')
    for check in check_book.PAGE_CHECKS.values():
        assert check(page) == []
    assert check_book.broken_links(page, {"a.html": page}) == []


OUT = "https://example.org/b"
VIEW = '<script type="application/vnd.jupyter.widget-view+json">{"model_id": "1"}</script>'
KIND = "application/vnd.jupyter.widget-state+json"
STATE = f'<script type="{KIND}">' + '{"state": {"%s": {"x": "%s"}}}</script>'
NOISE = random.Random(0).randbytes(check_book.LARGEST_SENT).hex()


@pytest.mark.parametrize(
    ("check", "number", "body"),
    [
        ("outside_requests", 1, f'<script src="{OUT}.js"></script>'),
        ("outside_requests", 1, '<img alt="A falling curve" src="//pictures.example.org/x.png">'),
        ("outside_requests", 1, f'<img alt="A falling curve" src="x.png" srcset="{OUT}.png 2x">'),
        ("outside_requests", 1, f'<link rel="stylesheet" href="{OUT}.css">'),
        ("outside_requests", 1, '<link rel="stylesheet" href="s.css?v=1">'),
        ("outside_requests", 1, f'<p style="background: url({OUT}.png)">x</p>'),
        ("outside_requests", 1, f"<style>@import '{OUT}.css';</style>"),
        ("outside_requests", 1, f'<svg aria-hidden="true"><image href="{OUT}.png"/></svg>'),
        ("outside_requests", 1, f'<svg aria-hidden="true"><image xlink:href="{OUT}.png"/></svg>'),
        ("outside_requests", 1, f'<iframe src="{OUT}"></iframe>'),
        ("outside_requests", 1, f'<template><iframe src="{OUT}"></iframe></template>'),
        ("outside_requests", 1, f'<noscript><iframe src="{OUT}"></iframe></noscript>'),
        ("outside_requests", 0, f'<a href="{OUT}">x</a>'),
        ("unnamed_pictures", 1, '<img src="p.png">'),
        ("unnamed_pictures", 1, '<img src="p.png" alt="">'),
        ("unnamed_pictures", 1, '<img src="p.png" alt="../_images/4e28.png">'),
        ("unnamed_pictures", 1, '<img src="p.png" alt="figure">'),
        ("unnamed_pictures", 1, "<svg><path d='M0 0'/></svg>"),
        ("unnamed_pictures", 1, '<svg role="img" aria-labelledby="gone"></svg>'),
        ("unnamed_pictures", 0, '<svg role="img" aria-label="Histogram of the activity"></svg>'),
        ("broken_formulas", 2, r"<p>so $x$</p><pre>$y$</pre><p class='math'>\(\tau\)</p>"),
        ("repeated_ids", 1, '<p id="top">x</p>'),
        ("broken_explorers", 1, VIEW),
        ("broken_explorers", 1, VIEW + STATE % (2, "")),
        ("broken_explorers", 0, VIEW + STATE % (1, "")),
        ("broken_explorers", 1, '<div data-sl-widget="abc">a picture</div>' + STATE % (1, "")),
        ("heavy_page", 0, "x" * 1_000),
        ("heavy_page", 1, "x" * check_book.LARGEST_PAGE),  # much to store, little to send
        ("heavy_page", 2, NOISE),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_fault_is_found(tmp_path, check, number, body):
    (tmp_path / "s.css").write_text(f"p {{ background: url('{OUT}.png') }}")
    assert len(getattr(check_book, check)(page_with(tmp_path, body))) == number


@pytest.mark.parametrize("address", ["gone.html", "b.html#gone", "#gone", "gone.ipynb"])
def test_broken_links_are_found(tmp_path, address):
    pages = {
        "a.html": page_with(tmp_path, f'<a href="{address}">x</a>'),
        "b.html": page_with(tmp_path, "", name="b.html"),
    }
    assert len(check_book.broken_links(pages["a.html"], pages)) == 1


def test_a_missing_and_an_empty_page_are_found(tmp_path):
    page_with(tmp_path, "")
    assert len(check_book.missing_pages(tmp_path, ["a", "b"])) == 2
    page_with(tmp_path, "<p>" + "words " * 50 + "</p>")
    assert check_book.missing_pages(tmp_path, ["a"]) == []


def test_a_page_in_another_language_or_without_title_is_found(tmp_path):
    (tmp_path / "a.html").write_text("<html lang='de'><body></body></html>")
    assert len(check_book.bad_head(Page.read(tmp_path, "a.html"))) == 3

"""What a page need not load or hold is taken from it, and nothing else."""

import re

import check_book
import companion_light
import pytest
import time_pages
from selectolax.lexbor import LexborHTMLParser

HEAD = """<html><head><script defer src="_static/scripts/fontawesome.js?digest=1"></script>
<script src="_static/documentation_options.js"></script><script src="_static/doctools.js"></script>
<script type="application/vnd.jupyter.widget-state+json">{"state": {}}</script>
<script src="_static/widgets-boot.js"></script>
<script src="_static/searchtools.js"></script><script src="searchindex.js"></script></head>
<body>{}</body></html>"""


def test_scripts_that_nobody_needs_go_and_the_others_wait():
    html = companion_light.lighten(HEAD, {"k"})
    for gone in ("fontawesome.js", "searchtools.js", "searchindex.js"):
        assert gone not in html
    assert '<script defer src="_static/doctools.js">' in html
    assert '<script src="_static/documentation_options.js">' in html
    head, _, body = html.partition("</head>")
    assert "widget-state" not in head
    assert body.index("widget-state") < body.index("</body>")
    assert head.index("widgets-boot.js") < head.index("documentation_options.js")


def test_code_keeps_what_is_colored_and_its_text():
    code = '<div class="highlight"><pre><span class="k">if</span> <span class="n">x</span></pre>'
    html = companion_light.lighten(HEAD.replace("{}</body>", code + "</div></body>"), {"k"})
    assert '<pre><span class="k">if</span> x</pre>' in html


def test_what_looks_like_a_plain_name_is_not_colored():
    css = ".highlight .n {color: #000} .highlight .k {color: #111} .highlight .p {color: #000}"
    assert companion_light.colored_classes(css) == {"k"}


@pytest.mark.parametrize(
    ("css", "kept"),
    [
        (".a{x:1}.b{x:2}", ".a{x:1}"),
        (".a,.b p{x:1}", ".a{x:1}"),
        ("p:not(.b){x:1}", "p:not(.b){x:1}"),
        ("p:is(.a,.b){x:1}", "p:is(.a,.b){x:1}"),
        (".pre-fix{x:1}", ".pre-fix{x:1}"),
        ("@media print{.b{x:1}}", ""),
        ("@media print{.a{x:1}.b{x:1}}", "@media print{.a{x:1}}"),
        ("@font-face{src:url(b)}", "@font-face{src:url(b)}"),
    ],
)
def test_rules_for_classes_that_occur_nowhere_are_left_out(css, kept):
    assert re.sub(r"\s+", " ", companion_light.used_rules(css, {"a", "pre-"})) == kept


def test_every_icon_that_pages_show_is_in_the_font_of_icons(pages):
    script = (check_book.ROOT / "tools" / "vendor_assets.sh").read_text(encoding="utf-8")
    there = {code.lower() for code in re.findall(r"U\+(F[0-9A-F]{3})", script)}
    theme = check_book.HTML / "_static" / "styles" / "pydata-sphinx-theme.css"
    rules = theme.read_text(encoding="utf-8")
    shown = {
        name
        for page in pages.values()
        for each in page.tree.css(".fa-solid, .fas")
        for name in re.findall(r"\bfa-[a-z-]+", each.attributes["class"] or "")
    } - {"fa-solid", "fa-lg"}
    assert shown
    for name in shown:
        found = re.search(rf"\.{name}:before[^{{]*\{{content:\"(\\[0-9a-f]+|.)\"", rules)
        assert found is not None, name
        code = found.group(1)
        assert (code[1:] if len(code) > 1 else f"{ord(code):x}") in there, name


# what explorers and buttons add to a page when their scripts run
ADDED = 500
_WAITING = re.compile(r'(<noscript class="folded">).*?(?=</noscript>)', re.DOTALL)


def test_chapters_have_few_elements_before_a_fold_is_opened(html):
    for name in check_book.chapters():
        if name.startswith("book/part"):
            page = (html / f"{name}.html").read_text(encoding="utf-8")
            tree = LexborHTMLParser(_WAITING.sub(r"\1", page))
            assert len(tree.css("*")) + ADDED <= time_pages.GOALS["nodes"], name

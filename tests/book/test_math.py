"""Formulas are set when the book is built, all of them, and one that cannot be is an error."""

import check_book
import pytest
import yaml
from companion_math import macros_of, mathml, typeset

CONFIG = yaml.safe_load((check_book.ROOT / "_config.yml").read_text(encoding="utf-8"))
MACROS = macros_of(CONFIG["sphinx"]["config"]["companion_macros"])
SPAN = '<span class="math notranslate nohighlight">\\({}\\)</span>'
BLOCK = '<div class="math notranslate nohighlight"{}>\n{}\\[{}\\]</div>'


def test_text_and_displayed_formulas_become_mathml_that_keeps_its_tex():
    number = '<span class="eqno">(1)<a class="headerlink" href="#e">#</a></span>'
    page = SPAN.format(r"\norm{x} &lt; 1") + BLOCK.format(' id="e"', number, r"a \le b")
    html, problems = typeset(page, MACROS)
    assert problems == []
    assert html.count("<math ") == 2 and "\\(" not in html and "\\[" not in html
    assert r'data-tex="\norm{x} &lt; 1"' in html and number in html
    assert html.count('display="block"') == 1 and html.count('id="e"') == 1


def test_an_environment_without_signs_around_it_is_set_too():
    page = BLOCK.format("", "", "x").replace("\\[x\\]", r"\begin{align}a&amp;=b\end{align}")
    html, problems = typeset(page, MACROS)
    assert problems == [] and "<mtable" in html


def test_a_formula_that_cannot_be_set_is_named_and_left():
    page = SPAN.format(r"\nosuchthing{x}")
    html, problems = typeset(page, MACROS)
    assert html == page
    assert len(problems) == 1 and r"'\\nosuchthing{x}' cannot be set" in problems[0]
    with pytest.raises(ValueError, match="cannot be set"):
        mathml(r"\frac{1}", MACROS)


@pytest.mark.parametrize(
    ("tex", "room"),
    [
        (r"a \rec{\le} b", True),
        (r"a \rec{-} b", True),
        (r"\rec{-} b", False),
        (r"(\rec{-} b)", False),
    ],
)
def test_a_reconstructed_sign_keeps_the_room_of_its_kind(tex, room):
    html = mathml(tex, MACROS)
    assert html.count("mjx-rec") == 1
    assert ('<mo class="mjx-rec">' in html) is room

"""Texts of claims become HTML with formulas that any MathJax can set."""

import re

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.claims.paper import LEDGER
from sublinear_lib.exhibits import inline_html
from sublinear_lib.exhibits.markup import MACROS, block_html, math_html, spoken
from tests.commands import ROOT


def test_the_macros_are_those_of_the_book():
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    book = config["sphinx"]["config"]["companion_macros"]
    written = {name: (v, 0) if isinstance(v, str) else tuple(v) for name, v in book.items()}
    assert dict(MACROS) == written


@pytest.mark.parametrize(
    ("tex", "expanded"),
    [
        (r"\norm{x}", r"\lVert x\rVert"),
        (r"\norm\tau", r"\lVert \tau\rVert"),
        (r"\ip{w_r}{x}", r"\langle w_r, x\rangle"),
        (r"\set{x : \norm{x} \le 1}", r"\{x : \lVert x\rVert \le 1\}"),
        (r"\{x\} \Rightarrow", r"\{x\} \Rightarrow"),
        (r"\rec{\rec{a}+\{}", r"\class{mjx-rec}{\class{mjx-rec}{a}+\{}"),
        (r"\E_x \R^d", r"\operatorname{\mathbb{E}}_x \mathbb{R}^d"),
    ],
)
def test_macros_are_expanded_with_their_arguments(tex, expanded):
    body = math_html(tex).removeprefix('<span class="math notranslate nohighlight">\\(')
    assert body == expanded + "\\)</span>"


@pytest.mark.parametrize("tex", [r"\norm", r"\ip{a}", r"\rec{a", r"\norm{\}"])
def test_a_macro_without_its_arguments_is_refused(tex):
    with pytest.raises(ValueError, match=r"braces do not match|too few arguments"):
        math_html(tex)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a < b & *c*", "<p>a &lt; b &amp; <em>c</em></p>\n"),
        (r"an \rec{open one", r"<p>an \rec{open one</p>" + "\n"),
        (r"\rec{of *all* $x$}", '<p><span class="sl-rec">of <em>all</em> <span class="math'),
        (r"\rec{of *all* $m\rec{>}1$}", r"m\class{mjx-rec}{&gt;}1\)</span></span></p>"),
        ("<b>bold</b> $x<y>z$", "<p>&lt;b&gt;bold&lt;/b&gt; "),
        ("so $$x$$ holds", r"\[x\]"),
        ("a\n\n$$\nx^2\n$$", '<div class="math notranslate nohighlight">\\[x^2\\]</div>'),
        (r"$a<m\rec{>}1$", r"a&lt;m\class{mjx-rec}{&gt;}1"),
    ],
)
def test_texts_are_escaped_marked_and_set(text, html):
    assert html in block_html(text)


@pytest.mark.parametrize(
    ("plain", "html"),
    [
        ("m^(-1/10)", "m<sup>−1/10</sup>"),
        ("m^{1/5} >= 2^12", "m<sup>1/5</sup> ≥ 2<sup>12</sup>"),
        ("|a_r|^5 <= Q_0", "|a<sub>r</sub>|<sup>5</sup> ≤ Q<sub>0</sub>"),
        ("merge_all of x < y", "merge_all of x &lt; y"),
        ("costs $5", "costs $5"),
        ("$m^2$ *so*", '<span class="math notranslate nohighlight">\\(m^2\\)</span> <em>so</em>'),
        ("-1/10 in [-0.5, 1e-05], x - y, a-b", "−1/10 in [−0.5, 10<sup>−5</sup>], x − y, a-b"),
    ],
)
def test_powers_and_indices_of_plain_text_are_set_as_such(plain, html):
    assert inline_html(plain) == html


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"$\tau \le \frac{1}{m}$", "τ ≤ 1/m"),
        (r"$m^{1/5}$, $m^{2}$ and *more*", "m^(1/5), m^2 and more"),
        (r"$\{-1, 1\}$ for \rec{all} $x\in\X$", "{-1, 1} for all x∈X"),
        (r"$\tfrac12$, $\frac{a}{b}$, $\dfrac 34$ of $\abs{x}$", "1/2, a/b, 3/4 of |x|"),
        (r"$\varrho$, $\tilde\eta^*$", "\N{GREEK RHO SYMBOL}, η\u0303*"),
        (r"$\hat{x}_i$ and $\bar x$", "x\u0302_i and x\u0304"),
        (r"$\widetilde{\eta}$ for *all* $q^{*}$", "η\u0303 for all q*"),
        (r"2 \* 3 of $\norm{W - W_0}$", "2 3 of ‖W - W_0‖"),
    ],
)
def test_a_spoken_text_has_no_commands(text, plain):
    assert spoken(text) == plain


@given(st.text(alphabet="ab ${}\\^_*<>&\n`|recX1", max_size=40))
@settings(max_examples=200)
def test_no_text_breaks_out_of_its_element(text):
    for read in (block_html, inline_html):
        try:
            html = read(text)
        except ValueError:
            continue
        assert "<script" not in html
        bare = html.replace("&lt;", "").replace("&gt;", "")
        assert bare.count("<") == bare.count(">")


def test_no_command_of_a_quiz_or_claim_is_lost_in_plain_text():
    # what changes only the looks of its argument, or is spelled out by a rule of its own
    looks = {"rec", "mathrm", "mathbb", "mathcal", "mathbf", "mathfrak", "operatorname", "text"}
    looks |= {"big", "Big", "bigl", "bigr", "left", "right"}
    looks |= {"frac", "tfrac", "dfrac", "norm", "abs", "ip", "ind", "set", "binom"}
    folder = ROOT / "sublinear_lib" / "exhibits" / "quizzes"
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.md"))]
    texts += [text for claim in LEDGER for text in (claim.title, claim.plain)]
    commands = set(re.findall(r"\\([a-zA-Z]+)", " ".join(texts))) - looks
    lost = {name for name in commands if spoken(rf"$x \{name} y$").replace(" ", "") == "xy"}
    assert lost == set()

"""Labels, numbers and ticks: one text in five forms, and axes that say where they are."""

import itertools
import math
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.plotting import number, ticks
from sublinear_lib.plotting.richtext import parse, to_html, to_mathtext, to_plain, to_svg

SETTINGS = settings(max_examples=100)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=30)
MARKED = st.text("ab 2*^_{}\\<>&$%τ−·#'\"@~|!?;:=+()[]/,.", max_size=20)


@pytest.mark.parametrize(
    ("text", "plain", "html"),
    [
        ("*m*", "m", "<i>m</i>"),
        ("*K*/*m*^{3/5}", "K/m^(3/5)", "<i>K</i>/<i>m</i><sup>3/5</sup>"),
        ("2^{10}", "2¹⁰", "2<sup>10</sup>"),
        ("*Q*_{0}/*m*", "Q₀/m", "<i>Q</i><sub>0</sub>/<i>m</i>"),
        ("m^{*c*}", "m^c", "m<sup><i>c</i></sup>"),
        ("a < b & c", "a < b & c", "a &lt; b &amp; c"),
        ("2 * 3 * 4", "2 * 3 * 4", "2 * 3 * 4"),
        (r"\*m\* and a\^{2}", "*m* and a^{2}", "*m* and a^{2}"),
        ("a^2 and b_1", "a^2 and b_1", "a^2 and b_1"),
        ("10^{−3}", "10⁻³", "10<sup>−3</sup>"),
    ],
)
def test_a_label_reads_the_same_in_every_form(text, plain, html):
    assert to_plain(text) == plain
    assert to_html(text) == html


@SETTINGS
@given(st.one_of(MARKED, TEXTS))
def test_every_form_is_well_formed_and_keeps_the_letters(text):
    letters = "".join(run.text for run in parse(text))
    for form in (to_svg, to_html):
        assert "".join(ElementTree.fromstring(f"<p>{form(text)}</p>").itertext()) == letters
    if not set(text) & set("*^_\\"):
        assert to_plain(text) == letters == text, "text without marks is left alone"


def test_the_line_after_a_script_is_the_line_before_it():
    svg = ElementTree.fromstring(f"<text>{to_svg('a^{2}b_{3}c')}</text>")
    height = 0.0
    for span in svg:
        size = 0.74 if span.get("font-size") else 1.0
        height += float(span.get("dy", "0em").removesuffix("em")) * size
        if span.text in ("b", "c"):
            assert abs(height) < 0.02, ElementTree.tostring(svg)


@SETTINGS
@given(MARKED)
def test_the_png_can_be_typeset_whatever_the_label(text):
    from matplotlib.mathtext import MathTextParser

    converted = to_mathtext(text)
    if converted.count("$") - converted.count(r"\$") > 0:
        MathTextParser("path").parse(converted)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.04554, "0.0455"),
        (-0.5, "−0.5"),
        (99.95, "100"),
        (999.6, "1\N{NARROW NO-BREAK SPACE}000"),
        (123456.0, "123\N{NARROW NO-BREAK SPACE}456"),
        (1.25e-7, "1.25·10⁻⁷"),
        (-2e9, "−2·10⁹"),
        (5e-324, "4.94·10⁻³²⁴"),
        (1.7976931348623157e308, "1.8·10³⁰⁸"),
    ],
)
def test_numbers_are_written_for_reading(value, text):
    assert number(value) == text


@SETTINGS
@given(st.floats(-1e12, 1e12, allow_subnormal=False).filter(lambda v: abs(v) > 1e-12))
def test_a_written_number_is_the_number_to_three_digits(value):
    text = number(value).replace("\N{NARROW NO-BREAK SPACE}", "").replace("−", "-")
    mantissa, _, power = text.partition("·10")
    exponent = int(power.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")) or 0)
    assert math.isclose(float(mantissa) * 10.0**exponent, value, rel_tol=0.0051), text


@SETTINGS
@given(st.floats(-1e6, 1e6).map(lambda v: round(v, 6)), st.floats(1e-3, 1e6), st.integers(2, 8))
def test_linear_ticks_lie_on_the_axis_evenly(low, width, target):
    high = low + width
    if not high > low:
        return
    values, labels = ticks(low, high, target=target)
    assert len(values) == len(labels) == len(set(labels))
    assert 2 <= len(values) <= target + 4
    slack = 1e-6 * width
    assert all(low - slack <= value <= high + slack for value in values)
    gaps = [b - a for a, b in itertools.pairwise(values)]
    assert all(math.isclose(gap, gaps[0], rel_tol=1e-6, abs_tol=1e-9) for gap in gaps)


@SETTINGS
@given(st.floats(1e-9, 1e6), st.floats(1.05, 1e9), st.sampled_from(["log2", "log10"]))
def test_logarithmic_ticks_lie_on_the_axis(low, ratio, scale):
    values, labels = ticks(low, low * ratio, scale=scale)
    assert len(values) == len(labels) == len(set(labels))
    assert values == tuple(sorted(values))
    assert all(low * (1 - 1e-6) <= v <= low * ratio * (1 + 1e-6) for v in values)
    if ratio > 4:
        assert len(values) >= 2, (low, low * ratio)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"low": 1, "high": 1}, "high must be a finite number > 1"),
        ({"low": 0, "high": 1, "scale": "log10"}, "low must be a finite number > 0"),
        ({"low": 0, "high": 1, "scale": "cubic"}, "scale must be one of"),
        ({"low": float("nan"), "high": 1}, "low must be a finite number"),
        ({"low": 0.0, "high": 1e-320}, "must be at a finite distance of at least 1e-300"),
        ({"low": -1.5e308, "high": 1.5e308}, "must be at a finite distance"),
    ],
)
def test_an_axis_without_extent_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        ticks(**arguments)


def test_own_ticks_are_kept_on_the_axis_and_only_powers_are_written_as_such():
    assert ticks(1e-12, 1.0, scale="log10", values=[0.0, 1e-15, 1e-6, 1.0]).values == (1e-6, 1.0)
    # An end that was computed keeps its tick.
    assert ticks(0.1 + 0.2, 3.0, scale="log10", values=[0.3]).values == (0.3,)
    for values, labels in (([3.0, 6.0], ("3", "6")), ([2.0, 8.0], ("2^{1}", "2^{3}"))):
        assert ticks(1, 8, scale="log2", values=values).labels == labels

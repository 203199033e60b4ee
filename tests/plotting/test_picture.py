"""`Picture`: inline SVG that follows the theme, has a text, and is the same bytes every time."""

import base64
import io
import re
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from sublinear_lib import plotting
from sublinear_lib.plotting import PAGE_HTML, svg
from sublinear_lib.plotting.style import spread

ALT = "A curve that falls from one to a half."


def curve(color=plotting.LIGHT["c1"], label="width *m*^{3/5}"):
    with plotting.house_style():
        chart = plotting.Chart(300, 200, xlabel=label, ylabel="share")
        chart.x(1, 1024, scale="log2")
        chart.y(0, 1)
        chart.axes.plot([1, 32, 1024], [1.0, 0.7, 0.5], color=color)
        chart.dots([32], [0.7], "c2")
        chart.note(32, 0.7, "here")
        chart.end(0.5, "*Q*_{0}", "c1")
        return chart.finished()


def svg_of(html):
    found = re.findall(r"<svg .*?</svg>", html, re.DOTALL)
    return [ElementTree.fromstring(one) for one in found]


@pytest.fixture(scope="module")
def falls():
    return plotting.Picture(curve(), alt=ALT, name="falls")


def test_the_drawing_has_a_name_a_description_a_view_box_and_labels_in_the_font_of_the_page(falls):
    (svg,) = svg_of(falls.html)
    texts = {element.get("id"): element.text for element in svg if element.get("id")}
    assert svg.get("role") == "img"
    named = (svg.get("aria-labelledby") or "").split()
    assert [texts[name] for name in named][-1] == ALT
    assert svg.get("viewBox") == "0 0 300 200"
    assert svg.get("width") is None and svg.get("height") is None, "it must scale with the page"
    assert (svg.get("style") or "").startswith("max-width:400px;"), "up to a third larger"
    labels = ["".join(text.itertext()) for text in svg.iter() if text.tag.endswith("}text")]
    assert {"width m3/5", "share", "here", "Q0", "24", "0.4"} <= set(labels)
    assert "font-family" not in ElementTree.tostring(svg, encoding="unicode")


def test_colors_are_properties_and_nothing_dates_the_drawing(falls):
    (svg,) = svg_of(falls.html)
    seen = set()
    for element in svg.iter():
        assert element.get("fill") is None and element.get("stroke") is None
        for name, value in re.findall(r"(fill|stroke):([^;]+)", element.get("style") or ""):
            assert value in ("none", "currentColor") or value.startswith("var(--sl-"), (name, value)
            seen.add(value)
        for key in ("d", "x", "y", "transform"):
            assert not re.search(r"\.\d{3}", element.get(key) or ""), "at most two decimals"
    assert {"var(--sl-c1,#1268c8)", "var(--sl-c2,#c8500f)"} <= seen
    assert not re.search(r"20\d\d-\d\d|Matplotlib|metadata|<!--", falls.html)


def test_what_a_dark_page_cannot_show_is_refused():
    chart = plotting.Chart(300, 200)
    hatched = chart.figure
    chart.axes.bar([1], [1], color=plotting.LIGHT["c1"], hatch="/")
    for figure, message in (
        (curve("#123456"), "'falls' uses the color #123456"),
        (hatched, "'falls' has a hatch"),
        (curve(label="$m^{3/5}$"), r"has mathtext near .* house markup"),
    ):
        with pytest.raises(ValueError, match=message):
            plotting.Picture(figure, alt=ALT, name="falls")


def test_ids_carry_the_name_are_used_and_never_clash_on_a_page():
    pictures = [plotting.Picture([curve(), curve()], alt=ALT, name=name) for name in ("one", "two")]
    page = "".join(picture.html for picture in pictures)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids)) > 8
    assert all(name.partition("-")[0] in ("one", "two") for name in ids)
    used = set(re.findall(r"url\(#([^)]+)\)", page)) | set(re.findall(r'href="#([^"]+)"', page))
    assert used and used <= set(ids), "the figure has a clip and a marker"
    assert all(svg.get("aria-hidden") == "true" for svg in svg_of(page))
    assert page.count('role="img"') == page.count(f'aria-label="{ALT}"') == 2


def test_a_caption_is_marked_up_and_cannot_inject_anything():
    texts = {"alt": "It says <b> & more than that.", "caption": "*m*^{2} <script>"}
    picture = plotting.Picture(curve(), **texts, name="falls")
    assert "<figcaption><i>m</i><sup>2</sup> &lt;script&gt;</figcaption>" in picture.html
    assert "<b>" not in picture.html


def test_the_same_figure_gives_the_same_bytes_and_making_the_png_changes_nothing():
    figure = curve()
    first = plotting.Picture(figure, alt=ALT, name="falls")
    with mpl.rc_context({"lines.linewidth": 9, "font.size": 20, "xtick.major.pad": 20}):
        second = plotting.Picture(curve(), alt=ALT, name="falls")
        assert first.html == second.html and first.png == second.png, "settings change nothing"
    assert plotting.Picture(figure, alt=ALT, name="falls").html == first.html


def test_the_png_is_the_light_version_at_twice_the_size():
    picture = plotting.Picture([curve(), curve()], alt=ALT, name="pair")
    image = Image.open(io.BytesIO(picture.png)).convert("RGB")
    assert image.size == (2 * 600 + 24, 400)
    assert image.getpixel((1, 1)) == (255, 255, 255)
    colors = {image.getpixel((x, y)) for x in range(100, 590, 3) for y in range(60, 340, 3)}
    blue = tuple(int(plotting.LIGHT["c1"][i : i + 2], 16) for i in (1, 3, 5))
    assert min(sum(abs(a - b) for a, b in zip(c, blue, strict=True)) for c in colors) < 12


def test_hosts_get_a_drawing_for_the_page_a_png_for_all_and_text(falls):
    bundle, metadata = falls._repr_mimebundle_()
    assert set(bundle) == {PAGE_HTML, "image/png", "text/plain"}
    assert bundle["text/plain"] == ALT
    assert metadata == {"image/png": {"width": 300}}
    assert base64.b64decode(bundle["image/png"]) == falls.png
    assert repr(falls) == f"Picture('falls': {ALT})"


ALTS = ["", "  \n", "../_images/4e28.png", "figure.svg", "plot", "activity against width"]
NAMES = ["", "Falls", "a b", "-a", "a--b", "1st", "a.b"]
REFUSED = [
    *(({"alt": alt}, "alt must say what the figure shows") for alt in ALTS),
    *(({"name": name}, "name must consist of lower-case letters") for name in NAMES),
    *(({"figure": each}, "figure must be a matplotlib Figure") for each in (None, "figure", [3])),
    ({"figure": []}, "figure must hold at least one"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED)
def test_a_picture_without_text_name_or_figure_is_refused(changes, message):
    with pytest.raises((TypeError, ValueError), match=message):
        plotting.Picture(**{"figure": curve(), "alt": ALT, "name": "falls", **changes})


def test_a_figure_of_pyplot_is_refused_because_it_would_be_shown_twice():
    import matplotlib.pyplot as plt

    with plt.rc_context({"backend": "agg"}):
        figure = plt.figure()
    try:
        with pytest.raises(ValueError, match="must not belong to pyplot"):
            plotting.Picture(figure, alt=ALT, name="falls")
    finally:
        plt.close(figure)


@settings(max_examples=100)
@given(st.lists(st.floats(0, 300), min_size=1, max_size=12), st.floats(1, 20))
def test_labels_are_moved_apart_in_order_and_stay_in_the_plot(wanted, gap):
    places = spread(wanted, gap, 0.0, 300.0)
    order = np.argsort(wanted, kind="stable")
    sorted_places = np.array(places)[order]
    assert (np.diff(sorted_places) >= gap * (1 - 1e-9)).all()
    assert sorted_places.min() >= -1e-9
    assert sorted_places.max() <= 300 + 1e-9
    assert spread([10.0, 200.0, 100.0], 15.0, 0.0, 300.0) == [10.0, 200.0, 100.0], "none touch"


def test_a_moved_label_is_led_back_to_its_curve():
    chart = plotting.Chart(margins=(52, 90, 16, 46))
    for label in ("one", "two"):
        chart.end(0.5, label, "c1")
    chart.finished()
    arrows = [text for text in chart.axes.texts if text.arrow_patch is not None]
    assert len(arrows) == 2


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("font: 11px 'DejaVu Sans', sans-serif", "font-size: 11px"),
        ("font: 700 8.5px 'Sans'; fill: #fff", "font-weight: 700; font-size: 8.5px; fill: #fff"),
        ("font: italic 12px 'DejaVu Sans'", "font-style: italic; font-size: 12px"),
    ],
)
def test_the_font_of_a_label_is_read_from_older_and_newer_matplotlib_alike(older, newer):
    assert svg._declarations(older) == svg._declarations(newer)

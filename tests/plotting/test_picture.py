"""`Picture`: inline SVG that follows the theme, has a text, and is the same bytes every time."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from PIL import Image

from sublinear_lib import plotting
from sublinear_lib.plotting import PAGE_HTML, svg
from sublinear_lib.plotting.style import EndLabel, spread

ROOT = Path(__file__).resolve().parents[2]
ALT = "A curve that falls from one to a half."


def curve(color: str = plotting.LIGHT["c1"], label: str = "width *m*^{3/5}") -> Figure:
    figure = plotting.figure(300, 200)
    with plotting.house_style():
        axes = plotting.panel(figure, xlabel=label, ylabel="share")
        plotting.set_scale(axes, "x", 1, 1024, scale="log2")
        plotting.set_scale(axes, "y", 0, 1)
        axes.plot([1, 32, 1024], [1.0, 0.7, 0.5], color=color)
        axes.plot([32], [0.7], "o", color=plotting.LIGHT["c2"])
        plotting.note(axes, 32, 0.7, "here")
        plotting.label_line_ends(axes, [EndLabel(0.5, "*Q*_{0}", "c1")])
    return figure


def svg_of(html: str) -> list[ElementTree.Element]:
    found = re.findall(r"<svg .*?</svg>", html, re.DOTALL)
    return [ElementTree.fromstring(one) for one in found]


def local(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


# ---- what it shows -------------------------------------------------------------------------------


def test_the_drawing_has_a_name_a_description_and_a_view_box() -> None:
    (svg,) = svg_of(plotting.Picture(curve(), alt=ALT, name="falls").html)
    texts = {element.get("id"): element.text for element in svg if element.get("id")}
    assert svg.get("role") == "img"
    named = (svg.get("aria-labelledby") or "").split()
    assert [texts[name] for name in named][-1] == ALT
    assert svg.get("viewBox") == "0 0 300 200"
    assert svg.get("width") is None and svg.get("height") is None, "it must scale with the page"


def test_every_color_is_a_property_or_the_color_of_the_text() -> None:
    (svg,) = svg_of(plotting.Picture(curve(), alt=ALT, name="falls").html)
    seen = set()
    for element in svg.iter():
        assert element.get("fill") is None and element.get("stroke") is None
        for name, value in re.findall(r"(fill|stroke):([^;]+)", element.get("style") or ""):
            assert value in ("none", "currentColor") or value.startswith("var(--sl-"), (name, value)
            seen.add(value)
    assert "var(--sl-c1,#1268c8)" in seen
    assert "var(--sl-c2,#c8500f)" in seen


def test_a_color_outside_the_palette_is_refused_because_the_dark_page_has_no_value_for_it() -> None:
    with pytest.raises(ValueError, match="'falls' uses the color #123456"):
        plotting.Picture(curve("#123456"), alt=ALT, name="falls")


def test_a_hatch_is_refused_because_it_would_lose_its_color() -> None:
    figure = plotting.figure(300, 200)
    with plotting.house_style():
        plotting.panel(figure).bar([1], [1], color=plotting.LIGHT["c1"], hatch="/")
    with pytest.raises(ValueError, match="'bars' has a hatch"):
        plotting.Picture(figure, alt=ALT, name="bars")


def test_mathtext_is_refused_because_it_cannot_be_set_in_the_font_of_the_page() -> None:
    with pytest.raises(ValueError, match=r"has mathtext near .* house markup"):
        plotting.Picture(curve(label="$m^{3/5}$"), alt=ALT, name="falls")


def test_labels_are_text_in_the_font_of_the_page() -> None:
    (svg,) = svg_of(plotting.Picture(curve(), alt=ALT, name="falls").html)
    texts = ["".join(text.itertext()) for text in svg.iter() if local(text) == "text"]
    assert {"width m3/5", "share", "here", "Q0", "24", "0.4"} <= set(texts)
    assert "font-family" not in ElementTree.tostring(svg, encoding="unicode")


def test_ids_carry_the_name_are_used_and_never_clash_on_a_page() -> None:
    pictures = [plotting.Picture(curve(), alt=ALT, name=name) for name in ("one", "two")]
    page = "".join(picture.html for picture in pictures)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids)) > 4
    assert all(name.partition("-")[0] in ("one", "two") for name in ids)
    used = set(re.findall(r"url\(#([^)]+)\)", page)) | set(re.findall(r'href="#([^"]+)"', page))
    assert used <= set(ids)
    assert used, "the figure has a clip and a marker"


def test_panels_stand_in_one_figure_with_one_name() -> None:
    html = plotting.Picture([curve(), curve()], alt=ALT, name="pair").html
    drawings = svg_of(html)
    assert len(drawings) == 2
    assert all(svg.get("aria-hidden") == "true" for svg in drawings)
    assert html.count('role="img"') == 1
    assert f'aria-label="{ALT}"' in html
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))


def test_a_caption_is_marked_up_and_cannot_inject_anything() -> None:
    picture = plotting.Picture(
        curve(), alt="It says <b> & more than that.", caption="*m*^{2} <script>", name="falls"
    )
    caption = re.search("<figcaption>(.*?)</figcaption>", picture.html)
    assert caption is not None
    assert caption[1] == "<i>m</i><sup>2</sup> &lt;script&gt;"
    assert "<b>" not in picture.html


# ---- its bytes -----------------------------------------------------------------------------------


def test_the_same_figure_gives_the_same_bytes() -> None:
    first, second = (plotting.Picture(curve(), alt=ALT, name="falls") for _ in range(2))
    assert first.html == second.html
    assert first.png == second.png


@pytest.mark.thorough
def test_another_process_with_other_hashes_and_settings_gives_the_same_bytes() -> None:
    code = (
        "import sys, hashlib, matplotlib as mpl\n"
        "mpl.rcParams.update({'lines.linewidth': 9, 'font.size': 20, 'axes.grid': False})\n"
        "from tests.plotting.test_picture import ALT, curve\n"
        "from sublinear_lib import plotting\n"
        "p = plotting.Picture(curve(), alt=ALT, name='falls')\n"
        "print(hashlib.sha256(p.html.encode() + p.png).hexdigest())\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    }
    here = plotting.Picture(curve(), alt=ALT, name="falls")
    assert digests == {hashlib.sha256(here.html.encode() + here.png).hexdigest() + "\n"}


def test_nothing_in_the_output_dates_or_traces_it() -> None:
    html = plotting.Picture(curve(), alt=ALT, name="falls").html
    assert not re.search(r"20\d\d-\d\d|Matplotlib|metadata|<!--", html)


def test_coordinates_have_at_most_two_decimals() -> None:
    (svg,) = svg_of(plotting.Picture(curve(), alt=ALT, name="falls").html)
    for element in svg.iter():
        for key in ("d", "x", "y", "transform"):
            assert not re.search(r"\.\d{3}", element.get(key) or ""), ElementTree.tostring(element)


def test_making_the_png_changes_nothing_in_the_figure() -> None:
    figure = curve()
    before = plotting.Picture(figure, alt=ALT, name="falls")
    assert before.png
    assert plotting.Picture(figure, alt=ALT, name="falls").html == before.html


def test_the_png_is_the_light_version_at_twice_the_size() -> None:
    picture = plotting.Picture([curve(), curve()], alt=ALT, name="pair")
    image = Image.open(io.BytesIO(picture.png)).convert("RGB")
    assert image.size == (2 * 600 + 24, 400)
    assert image.getpixel((1, 1)) == (255, 255, 255)
    colors = {image.getpixel((x, y)) for x in range(100, 590, 3) for y in range(60, 340, 3)}
    blue = tuple(int(plotting.LIGHT["c1"][i : i + 2], 16) for i in (1, 3, 5))
    assert min(sum(abs(a - b) for a, b in zip(c, blue, strict=True)) for c in colors) < 12


def test_hosts_get_a_drawing_for_the_page_a_png_for_all_and_text() -> None:
    picture = plotting.Picture(curve(), alt=ALT, name="falls")
    bundle, metadata = picture._repr_mimebundle_()
    assert set(bundle) == {PAGE_HTML, "image/png", "text/plain"}
    assert bundle["text/plain"] == ALT
    assert metadata == {"image/png": {"width": 300}}
    assert base64.b64decode(bundle["image/png"]) == picture.png
    assert repr(picture) == f"Picture('falls': {ALT})"


# ---- what it refuses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "alt",
    ["", "  \n", "../_images/4e28.png", "figure.svg", "plot", "activity against width"],
)
def test_a_figure_without_a_real_text_is_refused(alt: str) -> None:
    with pytest.raises(ValueError, match="alt must say what the figure shows"):
        plotting.Picture(curve(), alt=alt, name="falls")


@pytest.mark.parametrize("name", ["", "Falls", "a b", "-a", "a--b", "1st", "a.b"])
def test_a_name_that_is_no_plain_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="name must consist of lower-case letters"):
        plotting.Picture(curve(), alt=ALT, name=name)


def test_a_figure_of_pyplot_is_refused_because_it_would_be_shown_twice() -> None:
    import matplotlib.pyplot as plt

    with plt.rc_context({"backend": "agg"}):
        figure = plt.figure()
    try:
        with pytest.raises(ValueError, match="must not belong to pyplot"):
            plotting.Picture(figure, alt=ALT, name="falls")
    finally:
        plt.close(figure)


@pytest.mark.parametrize("figure", [None, "figure", 3, [None]])
def test_what_is_no_figure_is_refused(figure: object) -> None:
    with pytest.raises(TypeError, match="figure must be a matplotlib Figure"):
        plotting.Picture(figure, alt=ALT, name="falls")  # type: ignore[arg-type]


def test_no_figure_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="figure must hold at least one"):
        plotting.Picture([], alt=ALT, name="falls")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plotting.figure(10, 100), "width must be a finite number >= 80"),
        (lambda: plotting.figure(100, float("inf")), "height must be a finite number >= 80"),
        (lambda: plotting.panel(plotting.figure(100, 100), left=90), "margins must leave"),
        (
            lambda: plotting.note(plotting.panel(plotting.figure()), 0, 0, "x", role="red"),  # type: ignore[arg-type]
            "role must be one of",
        ),
    ],
)
def test_impossible_sizes_and_roles_are_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# ---- labels at the ends of curves ----------------------------------------------------------------


@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(0, 300), min_size=1, max_size=12), st.floats(1, 20))
def test_labels_are_moved_apart_in_order_and_stay_in_the_plot(wanted: list, gap: float) -> None:
    places = spread(wanted, gap, 0.0, 300.0)
    order = np.argsort(wanted, kind="stable")
    sorted_places = np.array(places)[order]
    assert (np.diff(sorted_places) >= gap * (1 - 1e-9)).all()
    assert sorted_places.min() >= -1e-9
    assert sorted_places.max() <= 300 + 1e-9


def test_labels_that_do_not_touch_are_not_moved() -> None:
    assert spread([10.0, 200.0, 100.0], 15.0, 0.0, 300.0) == [10.0, 200.0, 100.0]


def test_a_moved_label_is_led_back_to_its_curve() -> None:
    figure = plotting.figure()
    with plotting.house_style():
        axes = plotting.panel(figure, right=90)
        plotting.set_scale(axes, "x", 0, 1)
        plotting.set_scale(axes, "y", 0, 1)
        ends = [EndLabel(0.5, "one", "c1"), EndLabel(0.5, "two", "c2")]
        plotting.label_line_ends(axes, ends)
    arrows = [text for text in axes.texts if text.arrow_patch is not None]
    assert len(arrows) == 2


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("font: 11px 'DejaVu Sans', sans-serif", "font-size: 11px"),
        (
            "font: 700 8.5px 'DejaVu Sans'; fill: #fff",
            "font-weight: 700; font-size: 8.5px; fill: #fff",
        ),
        ("font: italic 12px 'DejaVu Sans'", "font-style: italic; font-size: 12px"),
    ],
)
def test_the_font_of_a_label_is_read_from_older_and_newer_matplotlib_alike(
    older: str, newer: str
) -> None:
    assert svg._declarations(older) == svg._declarations(newer)

"""The colors: readable on both pages, apart for every eye, and defined wherever a figure lands."""

import itertools

import numpy as np
import pytest

from sublinear_lib.plotting import palette
from sublinear_lib.plotting.palette import DARK, LIGHT, ROLES, SERIES
from tests.book.contrast import GRAPHIC, TEXT, contrast, over, rgb

# The backgrounds on which the figures stand: the book's theme, JupyterLab, VS Code.
LIGHT_PAGES = ("#ffffff",)
DARK_PAGES = ("#121212", "#14181e", "#111111", "#1e1e1e")

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
SIGHT = {
    "full color vision": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
# From linear RGB to XYZ.
XYZ = [
    [0.4124564, 0.3575761, 0.1804375],
    [0.2126729, 0.7151522, 0.0721750],
    [0.0193339, 0.1191920, 0.9503041],
]


def linear(rgb):
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    xyz = XYZ @ np.clip(rgb, 0, 1) / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("role", [*SERIES, "ink", "muted"])
def test_what_is_written_has_the_contrast_of_text_and_a_faint_line_can_be_seen(role):
    for values, pages in ((LIGHT, LIGHT_PAGES), (DARK, DARK_PAGES)):
        for page in pages:
            assert contrast(rgb(values[role]), rgb(page)) >= TEXT, (role, page)
        paper = rgb(values["paper"])
        assert contrast(over(rgb(values[role]), paper, palette.FAINT), paper) >= GRAPHIC


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("values", [LIGHT, DARK], ids=["light", "dark"])
def test_any_two_series_are_apart_for_every_eye(values, sight):
    # 2.3 is the least difference that is noticed side by side; lines on a page need far more.
    seen = {role: lab(SIGHT[sight] @ linear(np.array(rgb(values[role])))) for role in SERIES}
    for one, other in itertools.combinations(SERIES, 2):
        assert np.linalg.norm(seen[one] - seen[other]) > 12, (one, other)


def test_roles_have_distinct_light_values_and_meanings():
    # The writer finds roles by their light values.
    assert len(set(LIGHT.values())) == len(ROLES) == len(LIGHT) == len(DARK)
    assert set(palette.MEANINGS.values()) == {*SERIES, "ink"}


def test_the_style_defines_every_property_for_every_host():
    css = palette.palette_css(".sl-figure")
    blocks = [block for block in css.split("}") if "--sl-c1" in block]
    assert len(blocks) == 3, "light, known dark pages, silent pages"
    for rules in blocks:
        assert all(role == "ink" or f"--sl-{role}:" in rules for role in ROLES), rules
    for host in (
        *("html[data-theme=dark]", '[data-jp-theme-light="false"]', "vscode-theme-kind*=dark"),
        "@media(prefers-color-scheme:dark)",
    ):
        assert host in css
    assert css.count("{") == css.count("}")

"""What a figure draws stands out from the page, light and dark, as WCAG asks for."""

import pytest
from check_book import ROOT

from sublinear_lib.plotting import LIGHT
from tests.book.contrast import GRAPHIC, TEXT, contrast, figures, over, parts, rgb

NOTEBOOKS = sorted((ROOT / "book").rglob("*.ipynb"))
BLUE, RUST = (f"var(--sl-{role},{LIGHT[role]})" for role in ("c1", "c2"))


def test_every_text_line_and_dot_of_every_stored_figure_stands_out():
    seen = {"text": 0, "line": 0, "dots": 0}
    found = []
    for notebook in NOTEBOOKS:
        for svg in figures(notebook):
            for part in parts(svg):
                seen[part.kind] += 1
                found += [f"{notebook.stem}: {fault}" for fault in part.faults()]
    assert sorted(set(found)) == []
    assert min(seen.values()) > 1000, seen


def test_contrast_is_that_of_the_guidelines():
    black, white = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    assert contrast(black, white) == contrast(white, black) == pytest.approx(21.0)
    assert contrast(white, white) == 1.0
    # the lightest gray that still passes on white, as tools for designers know it, and the next
    assert contrast(rgb("#767676"), white) >= TEXT > contrast(rgb("#777777"), white)
    assert contrast(rgb("#949494"), white) >= GRAPHIC > contrast(rgb("#959595"), white)
    assert over(black, white, 0.25) == (0.75, 0.75, 0.75)


TEXT_AT = "<text x='5' y='9' style='fill:{}'>word</text>"
LINE = "<path d='M0 0L9 9' style='fill:none;stroke:{}{}'/>"
AREA = f"<path d='M0 0L80 0L80 20L0 20z' style='fill:{RUST}{{}}'/>"
DOT = "<defs><path id='d' d='M-2 0C-2 2 2 2 2 0C2 -2 -2 -2 -2 0z'/></defs>"
USE = f"<use href='#{{}}' x='0' y='0' style='fill:{RUST}{{}}'/>"
GRID = "var(--sl-grid,#ddd)"


@pytest.mark.parametrize(
    ("inner", "found"),
    [
        ("<text x='5' y='9'>word</text>", []),
        (TEXT_AT.format(BLUE), []),
        (TEXT_AT.format(GRID), ["light", "dark"]),
        # on an area of its own color, above it with an outline, and before it is drawn
        (AREA.format("") + TEXT_AT.format(RUST), ["light", "dark"]),
        (AREA.format("") + TEXT_AT.format(RUST).replace("<text", "<text class='sl-halo'"), []),
        (TEXT_AT.format(RUST) + AREA.format(""), []),
        # a tint is enough to spoil rust, and not enough to spoil ink
        (AREA.format(";opacity:0.1") + TEXT_AT.format(RUST), ["light"]),
        (AREA.format(";fill-opacity:0.1") + "<text x='5' y='9'>word</text>", []),
        # an area that does not reach below the text, and one that is moved there
        (AREA.format("").replace("M0 0", "M50 50") + TEXT_AT.format(RUST), []),
        ("<defs><path id='a' d='M0-40L80-40L80 0L0 0z'/></defs>"
         + USE.format("a", "").replace("y='0'", "y='20'") + TEXT_AT.format(RUST),
         ["light", "dark"]),
        # lines, a ribbon and the grid; dots and a single translucent area
        (LINE.format(RUST, ""), []),
        (LINE.format(RUST, ";stroke-opacity:0.3"), ["light", "dark"]),
        (LINE.format(RUST, ";opacity:0.2;stroke-width:9"), []),
        (LINE.format(GRID, ""), []),
        (DOT + USE.format("d", ";fill-opacity:0.5") + USE.format("d", ""), ["light", "dark"]),
        (DOT + USE.format("d", ";fill-opacity:0.5"), []),
    ],
)  # fmt: skip
def test_what_is_hard_to_see_is_found_and_nothing_else(inner, found):
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{inner}</svg>'
    faults = [each.partition(":")[0] for part in parts(svg) for each in part.faults()]
    assert faults == found

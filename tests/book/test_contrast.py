"""What a figure draws stands out from the page, light and dark, as WCAG asks for."""

import pytest
from check_book import ROOT

from sublinear_lib.plotting import LIGHT, SERIES
from sublinear_lib.plotting.palette import DARK
from tests.book.contrast import GRAPHIC, TEXT, contrast, figures, over, parts, rgb

NOTEBOOKS = sorted((ROOT / "book").rglob("*.ipynb"))
BLUE, RUST = (f"var(--sl-{role},{LIGHT[role]})" for role in ("c1", "c2"))


def figure(inner):
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{inner}</svg>'


def faults(inner):
    return [each.partition(":")[0] for part in parts(figure(inner)) for each in part.faults()]


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


@pytest.mark.parametrize("role", [*SERIES, "ink", "muted"])
def test_a_line_in_any_color_passes_and_a_faint_one_is_found(role):
    line = f'<path d="M0 0L9 9" style="fill:none;stroke:var(--sl-{role},#000)%s"/>'
    assert faults(line % "") == []
    assert faults(line % ";stroke-opacity:0.3") == ["light", "dark"]
    assert faults(f'<g style="opacity:0.5"><g style="opacity:0.5">{line % ""}</g></g>') != []


@pytest.mark.parametrize(
    ("inner", "found"),
    [
        ("<text x='5' y='9'>word</text>", []),
        (f"<text x='5' y='9' style='fill:{BLUE}'>word</text>", []),
        ("<text x='5' y='9' style='fill:var(--sl-grid,#ddd)'>word</text>", ["light", "dark"]),
        # on an area of its own color, beside it, above it with an outline, and before it is drawn
        ("{area}{text}", ["light", "dark"]),
        ("{area}<g transform='translate(0 60)'>{text}</g>", []),
        ("{area}<g class='x'>{halo}</g>", []),
        ("{text}{area}", []),
        # a tint is enough to spoil rust, and not enough to spoil ink
        ("<g style='opacity:0.1'>{area}</g>{text}", ["light"]),
        ("<g style='opacity:0.1'>{area}</g><text x='5' y='9'>word</text>", []),
        # an area that does not reach below the text
        ("<path d='M50 50L90 50L90 90z' style='fill:{rust}'/>{text}", []),
        # an area that is moved there
        ("<defs><path id='a' d='M0 0L80 0L80 40L0 40z'/></defs>"
         "<use href='#a' x='0' y='0' style='fill:{rust}'/>{text}", ["light", "dark"]),
        # dots, a single translucent area, a ribbon and the grid
        ("{dot}<use href='#d' x='5' style='fill:{rust};fill-opacity:0.5'/>"
         "<use href='#d' x='9' style='fill:{rust}'/>", ["light", "dark"]),
        ("{dot}<use href='#d' x='5' style='fill:{rust};fill-opacity:0.5'/>", []),
        ("<path d='M0 0L9 9' style='fill:none;stroke:{rust};opacity:0.2;stroke-width:9'/>", []),
        ("<path d='M0 0L9 9' style='fill:none;stroke:var(--sl-grid,#ddd)'/>", []),
    ],
)  # fmt: skip
def test_what_is_hard_to_see_is_found_and_nothing_else(inner, found):
    drawn = {
        "area": f"<path d='M0 0L80 0L80 20L0 20z' style='fill:{RUST}'/>",
        "dot": "<defs><path id='d' d='M-2 0C-2 2 2 2 2 0C2 -2 -2 -2 -2 0z'/></defs>",
        "halo": f"<text class='sl-halo' x='5' y='9' style='fill:{RUST}'>word</text>",
        "text": f"<text x='5' y='9' style='fill:{RUST}'>word</text>",
        "rust": RUST,
    }
    for name, each in drawn.items():
        inner = inner.replace(f"{{{name}}}", each)
    assert faults(inner) == found


def test_both_palettes_are_asked():
    pages = {"light": LIGHT, "dark": DARK}
    (part,) = parts(figure(f'<path d="M0 0L9 9" style="fill:none;stroke:{RUST}"/>'))
    for theme, values in pages.items():
        expected = contrast(rgb(values["c2"]), rgb(values["paper"]))
        assert part.contrast[theme] == pytest.approx(expected)

"""Explorers in a real browser: they move, they show Python's numbers, and everyone can use them.

Most tests drive a small page that is made here the way the book makes its own, from the state of
the widgets, the still pictures and the book's script; the last ones drive the built chapter.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import check_book
import numpy as np
import pytest
from browser import serving, until

from sublinear_lib.chapters.half_space_reporting import explorers as onions
from sublinear_lib.plotting import PAGE_HTML
from sublinear_lib.plotting.richtext import parse
from sublinear_lib.widgets import (
    Axis,
    Band,
    Bars,
    Choice,
    Explorer,
    Line,
    Points,
    Region,
    Rule,
    View,
)
from sublinear_lib.widgets import table as tables
from sublinear_lib.widgets.controls import Slider
from tests.book.accessible import findings, open_boxes

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator
    from playwright.sync_api import Page as Tab

pytestmark = pytest.mark.browser

CHAPTER = "book/part1/network-and-shifted-relu"
CHAPTER_PAGE = check_book.HTML / f"{CHAPTER}.html"

# A redraw has to fit into a frame of 16 ms.  A shared machine under load is several times slower
# than a reader's, so the test prints the median and fails only beyond four frames.
FRAME = 16.0
PATIENCE = 4.0

WIDTHS = [2**k for k in range(4, 15)]
SHIFTS = [round(0.05 * k, 2) for k in range(61)]


# ---- the page under test ------------------------------------------------------------------------


def tail_view(m: int, t: float) -> View:
    """Use every kind of mark, text and axis that an explorer offers."""
    grid = np.linspace(0.0, 3.0, 121)
    upper = np.array([0.5 * math.erfc(u / math.sqrt(2)) for u in grid])
    share = 0.5 * math.erfc(t / math.sqrt(2))
    width = 3 / math.sqrt(m)
    edges = np.linspace(0.0, 3.0, 25)
    heights = np.exp(-(edges[:-1] ** 2) / 2) * 0.2
    return View(
        x=Axis(label="threshold *t* = τ/√(2/*m*)", limits=(0.0, 3.0)),
        y=Axis(label="share of neurons", scale="log10", limits=(1e-3, 3.0)),
        marks=[
            Region(1.0, None, axis="y", label="says nothing", role="muted"),
            Bars(edges, heights, label="bars", role="c5", within=(t, 3.0)),
            Band(grid, upper / (1 + width), upper * (1 + width), label="spread", role="c1"),
            Line(grid, upper, label="exact *Q*(*t*)", role="c1"),
            Line(grid, 2 * np.exp(-(grid**2) / 2), label="bound *Q*_{0}", role="ink", dash=True),
            Points([t], [share], lower=[share * 0.8], upper=[share * 1.2], label="here", role="c4"),
            Rule(t, label=f"t = {t:.2f}", role="c2", drag="t"),
        ],
        sentence=f"With *m* = {m} and *t* = {t:g} about {m * share:.4g} of {m} neurons fire.",
        readouts={"expected": f"{m * share:.4g}", "share": f"{share:.4g}"},
        warning=f"The bound 2*e*^{{−t²/2}} is above 1 at t = {t:g}." if t < 1.15 else None,
    )


def wave_view(n: int, kind: str) -> View:
    """Use linear axes with data of both signs, and a choice."""
    x = np.linspace(-1.0, 1.0, 41)
    y = np.cos(n * x) if kind == "even" else np.sin(n * x)
    return View(
        x=Axis(label="x"),
        y=Axis(label="y"),
        marks=[Line(x, np.where(np.abs(x) < 0.1, np.nan, y), label="wave"), Rule(0.0, axis="y")],
        sentence=f"The {kind} wave of order {n}.",
    )


@pytest.fixture(scope="module")
def tail() -> Explorer:
    return Explorer(
        tail_view,
        [
            Slider("m", "width *m*", WIDTHS, start=1024),
            Slider("t", "threshold *t*", SHIFTS, start=1.5, format="{:.2f}"),
        ],
        title="How many fire beyond *t*?",
        description="Drag a slider, or the line in the plot.",
        name="tail",
    )


@pytest.fixture(scope="module")
def wave() -> Explorer:
    kinds = Choice("kind", "kind of wave", {"even": "even wave", "odd": "odd wave"})
    return Explorer(
        wave_view, [Slider("n", "order", range(1, 6)), kinds], title="Waves", name="wave"
    )


@pytest.fixture(scope="module")
def onion() -> Explorer:
    return onions.onion()


def stored_state(*widgets: Any) -> dict[str, Any]:
    state = {}
    for widget in widgets:
        values = {k: v for k, v in widget.get_state().items() if not k.startswith("_dom")}
        state[widget.model_id] = {
            "model_module": "anywidget",
            "model_name": "AnyModel",
            "state": json.loads(json.dumps(values, default=str)),
        }
    return state


def html_page(body: str, state: dict[str, Any]) -> str:
    packed = json.dumps({"state": state, "version_major": 2, "version_minor": 0})
    packed = packed.replace("</", r"<\/")
    return (
        '<!doctype html><html lang="en" data-content_root="./"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>Explorers</title>'
        '<link rel="icon" href="data:,">'
        "<style>html{--pst-color-background:#fff;--pst-color-text-base:#222832}"
        "html[data-theme=dark]{--pst-color-background:#14181e;--pst-color-text-base:#ced6dd}"
        "body{background:var(--pst-color-background);color:var(--pst-color-text-base);"
        "max-width:46rem;margin:1rem auto;padding:0 1rem}</style></head>"
        f'<body><main><h1>Explorers</h1>{body}</main><script type="application/'
        f'vnd.jupyter.widget-state+json">{packed}</script>'
        '<script src="widgets-boot.js"></script></body></html>'
    )


def view_script(widget: Any) -> str:
    model = json.dumps({"model_id": widget.model_id, "version_major": 2, "version_minor": 0})
    return f'<script type="application/vnd.jupyter.widget-view+json">{model}</script>'


@pytest.fixture(scope="module")
def folder(
    tmp_path_factory: pytest.TempPathFactory,
    tail: Explorer,
    wave: Explorer,
    onion: Explorer,
) -> Path:
    """Pages with both ways in which a page may hold a widget: a still, and a bare script."""
    target = tmp_path_factory.mktemp("pages")
    script = check_book.ROOT / "book" / "_static" / "widgets-boot.js"
    (target / "widgets-boot.js").write_bytes(script.read_bytes())
    still = tail._repr_mimebundle_()[0][PAGE_HTML]
    state = stored_state(tail, wave)
    pages = {
        "both": html_page(still + view_script(wave), state),
        "twice": html_page(view_script(tail) * 2, state),
        "plane": html_page(view_script(onion), stored_state(onion)),
        "broken": html_page(still, {tail.model_id: {**state[tail.model_id]}}),
        "classic": html_page(
            view_script(wave),
            {wave.model_id: {"model_module": "@jupyter-widgets/controls", "state": {}}},
        ),
    }
    broken = {**state[tail.model_id]["state"], "_table": "damaged"}
    pages["broken"] = html_page(
        still + view_script(wave),
        {**state, tail.model_id: {**state[tail.model_id], "state": broken}},
    )
    for name, text in pages.items():
        (target / f"{name}.html").write_text(text, encoding="utf-8")
    return target


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serving(folder) as found:
        yield found


Opened = tuple["Tab", list[str], list[str]]


@pytest.fixture
def open_page(browser: Browser, folder: Path, address: str) -> Iterator[Callable[..., Opened]]:
    """Open a page of `folder`; return the tab, its requests, and its errors."""
    contexts = []

    def opened(
        name: str = "both",
        *,
        over: str = "http",
        theme: str = "light",
        width: int = 1280,
        scripts: bool = True,
        touch: bool = False,
    ) -> Opened:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            java_script_enabled=scripts,
            has_touch=touch,
            reduced_motion="reduce",
        )
        contexts.append(context)
        tab = context.new_page()
        requests: list[str] = []
        errors: list[str] = []
        tab.on("request", lambda request: requests.append(request.url))
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
        base = address if over == "http" else folder.as_uri()
        tab.goto(f"{base}/{name}.html")
        if scripts:
            tab.evaluate(f"document.documentElement.dataset.theme = {theme!r}")
            tab.wait_for_selector("html[data-widgets-ready]", state="attached")
        return tab, requests, errors

    yield opened
    for context in contexts:
        context.close()


# ---- reading and moving -------------------------------------------------------------------------


def shown(text: str) -> str:
    """Return what a reader sees of a text in the house markup."""
    return "".join(run.text for run in parse(text))


def sliders(explorer: Locator) -> list[Locator]:
    return explorer.locator("input[type=range]").all()


def values_of(explorer: Explorer, box: Locator) -> dict[str, Any]:
    inputs = box.locator("input[type=range], input[type=radio]:checked").all()
    return {
        control.name: control.values[int(each.input_value())]
        for control, each in zip(explorer.controls, inputs, strict=True)
    }


def settle(box: Locator) -> None:
    """Wait until the last change is drawn and the live region is at rest."""
    box.page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    box.locator(".sl-says:not([aria-busy])").wait_for()


def check_against_python(explorer: Explorer, box: Locator) -> dict[str, Any]:
    """Compare everything that is written in an explorer with the Python function."""
    values = values_of(explorer, box)
    view = explorer.view(**values)
    assert box.locator(".sl-sentence").text_content() == shown(view["sentence"]), values
    warning = box.locator(".sl-warning")
    assert warning.is_visible() == bool(view["warning"])
    assert warning.text_content() == shown(view["warning"] or "")
    readouts = box.locator(".sl-readouts > div").evaluate_all(
        "all => all.map(pair => ['dt', 'dd'].map(name => pair.querySelector(name).textContent))"
    )
    assert readouts == [[shown(a), shown(b)] for a, b in view["readouts"]]
    return values


def put(box: Locator, position: tuple[int, ...]) -> None:
    """Set every slider of an explorer."""
    for slider, place in zip(sliders(box), position, strict=True):
        slider.evaluate(
            "(each, value) => (each.value = value, each.dispatchEvent(new Event('input')))", place
        )
    settle(box)


def drag(slider: Locator, start: float, stop: float) -> None:
    slider.scroll_into_view_if_needed()
    area = slider.bounding_box()
    assert area is not None
    mouse = slider.page.mouse
    y = area["y"] + area["height"] / 2
    mouse.move(area["x"] + area["width"] * start, y)
    mouse.down()
    mouse.move(area["x"] + area["width"] * stop, y, steps=8)
    mouse.up()


def curves(box: Locator) -> list[str | None]:
    paths = box.locator(".sl-plot path")
    return list(paths.evaluate_all("all => all.map(path => path.getAttribute('d'))"))


# ---- it moves -----------------------------------------------------------------------------------


@pytest.mark.parametrize("over", ["http", "file"])
def test_a_page_starts_alone_and_without_errors(open_page: Callable, over: str) -> None:
    tab, requests, errors = open_page(over=over)
    assert tab.locator("html").get_attribute("data-widgets-failed") == "0"
    assert tab.locator(".sl-explorer").count() == 2
    outside = [
        url
        for url in requests
        if not url.startswith(("file:", "data:", "blob:", "http://127.0.0.1:"))
    ]
    assert (outside, errors) == ([], [])


@pytest.mark.parametrize("number", [0, 1])
def test_dragging_a_slider_moves_the_drawing_and_the_sentence(
    open_page: Callable, tail: Explorer, number: int
) -> None:
    tab, _, errors = open_page()
    box = tab.locator(".sl-explorer").first
    before, drawn = check_against_python(tail, box), curves(box)
    sentence = box.locator(".sl-sentence").text_content()
    drag(sliders(box)[number], 0.5, 0.85)
    settle(box)
    after = check_against_python(tail, box)
    name = tail.controls[number].name
    assert after[name] > before[name]
    assert curves(box) != drawn
    assert box.locator(".sl-sentence").text_content() != sentence
    assert errors == []


@pytest.mark.parametrize("number", [0, 1])
def test_every_key_of_a_slider_works(open_page: Callable, tail: Explorer, number: int) -> None:
    tab, _, errors = open_page()
    box = tab.locator(".sl-explorer").first
    name, values = tail.controls[number].name, tail.controls[number].values
    slider = sliders(box)[number]
    slider.focus()
    for key, expected in (
        ("Home", values[0]),
        ("ArrowRight", values[1]),
        ("ArrowUp", values[2]),
        ("ArrowLeft", values[1]),
        ("End", values[-1]),
    ):
        tab.keyboard.press(key)
        settle(box)
        assert check_against_python(tail, box)[name] == expected, key
    tab.keyboard.press("PageDown")
    settle(box)
    assert check_against_python(tail, box)[name] < values[-1]
    assert errors == []


def test_the_line_in_the_plot_can_be_taken_and_moved(open_page: Callable, tail: Explorer) -> None:
    tab, _, errors = open_page()
    box = tab.locator(".sl-explorer").first
    plot = box.locator(".sl-plot svg").bounding_box()
    grip = box.locator(".sl-grip").bounding_box()
    assert plot is not None and grip is not None
    x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x - 90, y, steps=6)
    tab.mouse.up()
    settle(box)
    moved = check_against_python(tail, box)["t"]
    assert 0.5 < moved < 1.5
    tab.mouse.move(x + 90, y)
    settle(box)
    assert check_against_python(tail, box)["t"] == moved, "let go is let go"
    assert errors == []


def test_a_choice_changes_the_curve(open_page: Callable, wave: Explorer) -> None:
    tab, _, errors = open_page()
    box = tab.locator(".sl-explorer").nth(1)
    drawn = curves(box)
    box.get_by_role("radio", name="odd wave").check()
    settle(box)
    assert check_against_python(wave, box)["kind"] == "odd"
    assert curves(box) != drawn
    assert errors == []


def test_two_copies_of_an_explorer_move_together(open_page: Callable, tail: Explorer) -> None:
    tab, _, errors = open_page("twice")
    first, second = tab.locator(".sl-explorer").all()
    sliders(first)[0].focus()
    tab.keyboard.press("Home")
    settle(second)
    assert check_against_python(tail, second)["m"] == WIDTHS[0]
    assert errors == []


def test_the_plot_is_drawn_again_for_another_width(open_page: Callable) -> None:
    tab, _, _ = open_page(width=1280)
    svg = tab.locator(".sl-plot svg").first
    wide = svg.get_attribute("viewBox")
    tab.set_viewport_size({"width": 390, "height": 900})
    until(tab, f"document.querySelector('.sl-plot svg').getAttribute('viewBox') !== {wide!r}")
    size = svg.evaluate("each => [each.viewBox.baseVal.width, each.clientWidth]")
    assert abs(size[0] - size[1]) < 1, "one unit is one pixel, so labels keep their size"


# ---- it shows Python's numbers ------------------------------------------------------------------


DECODE = """async ([source, packed, count]) => {
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const { unpack, viewAt } = await import(url);
    const table = await unpack(packed);
    return Array.from({ length: count }, (_, k) => viewAt(table, k));
}"""

# Positions share most of their arrays; each is carried over once, and marks name it by its number.
DECODE_SHARED = """async ([source, packed, count]) => {
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const { unpack, viewAt } = await import(url);
    const table = await unpack(packed);
    const numbers = new Map(table.arrays.map((array, number) => [array, number]));
    const named = mark => Object.fromEntries(
        Object.entries(mark).map(([name, value]) => [name, numbers.get(value) ?? value]));
    const views = Array.from({ length: count }, (_, k) => viewAt(table, k));
    const whole = views.map(view => ({ ...view, marks: view.marks.map(named) }));
    return JSON.stringify([table.arrays, whole]);
}"""


def test_the_browser_decodes_every_number_of_every_position_as_python(
    open_page: Callable, tail: Explorer, wave: Explorer
) -> None:
    tab, _, _ = open_page()
    for explorer in (tail, wave):
        count = math.prod(explorer.shape)
        decoded = tab.evaluate(DECODE, [explorer._esm, explorer._table, count])
        names = [control.name for control in explorer.controls]
        grid = itertools.product(*(control.values for control in explorer.controls))
        for view, values in zip(decoded, grid, strict=True):
            chosen = dict(zip(names, values, strict=True))
            assert view == explorer.view(**chosen), chosen


def test_the_browser_decodes_every_position_of_the_onion_as_python(
    open_page: Callable, onion: Explorer
) -> None:
    tab, _, _ = open_page("plane")
    table = tables.unpack(onion._table)
    count = math.prod(onion.shape)
    arrays, views = json.loads(tab.evaluate(DECODE_SHARED, [onion._esm, onion._table, count]))
    assert arrays == table["arrays"]
    assert len(views) == count
    numbers = {id(array): number for number, array in enumerate(table["arrays"])}
    for number, view in enumerate(views):
        expected = tables.decode(table, number)
        expected["marks"] = [
            {name: numbers.get(id(value), value) for name, value in mark.items()}
            for mark in expected["marks"]
        ]
        assert view == expected, f"position {number}"


def test_the_table_of_numbers_holds_the_numbers_that_are_drawn(
    open_page: Callable, tail: Explorer
) -> None:
    tab, _, _ = open_page()
    box = tab.locator(".sl-explorer").first
    box.locator("summary").click()
    box.locator("table").last.wait_for()  # the event of the box comes a little later
    view = tail.view(**values_of(tail, box))
    bars, shared, point = (
        [
            [cell.text_content() for cell in row.locator("td").all()]
            for row in table.locator("tbody tr").all()[:9]
        ]
        for table in box.locator("table").all()
    )
    band, line, bound = view["marks"][2:5]
    columns = [line["x"], band["lower"], band["upper"], line["y"], bound["y"]]
    expected = [[column[i] for column in columns] for i in range(9)]
    assert [[float(cell) for cell in row] for row in shared] == expected
    first = view["marks"][1]
    edges = list(zip(first["edges"], first["edges"][1:], first["heights"], strict=False))
    assert [[float(cell) for cell in row] for row in bars] == [list(row) for row in edges[:9]]
    mark = view["marks"][5]
    assert [[float(cell) for cell in row] for row in point] == [
        [mark["x"][0], mark["y"][0], mark["lower"][0], mark["upper"][0]]
    ]
    heads = [head.text_content() for head in box.locator("table").nth(1).locator("th").all()]
    assert heads[0] == shown(view["x"]["label"])
    assert shown(line["label"]) in heads
    sliders(box)[1].focus()
    tab.keyboard.press("Home")
    settle(box)
    assert f"{tail.view(**values_of(tail, box))['marks'][5]['y'][0]}" in (
        box.locator(".sl-scroll").text_content() or ""
    ), "the table follows the slider"


def test_a_curve_is_drawn_where_its_numbers_are(open_page: Callable, tail: Explorer) -> None:
    tab, _, _ = open_page()
    box = tab.locator(".sl-explorer").first
    path = box.locator("path.sl-line").first.get_attribute("d") or ""
    drawn = np.array(re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path), dtype=float)
    line = tail.view(**values_of(tail, box))["marks"][3]
    # Two ends fix the scales of the axes; all the points between must fit them.
    for data, pixels in ((np.array(line["x"]), drawn[:, 0]), (np.log(line["y"]), drawn[:, 1])):
        slope = (pixels[-1] - pixels[0]) / (data[-1] - data[0])
        assert np.abs(pixels[0] + slope * (data - data[0]) - pixels).max() < 0.2


# The key and the grips stand outside of the groups that are clipped to the plot.
MARKS = """box => [...box.querySelectorAll('.sl-plot g[clip-path] path')]
    .map(path => [path.getAttribute('d'), path.style.stroke])"""


def dots(box: Locator) -> dict[str, list[tuple[float, float]]]:
    """Return where dots and rings are drawn, by the color of the line."""
    found = {}
    for path, stroke in box.evaluate(MARKS):
        if "h0" in path or "a" in path or not path:
            places = re.findall(r"M(-?[\d.]+) (-?[\d.]+)[hm]", path)
            found[stroke] = [(float(x), float(y)) for x, y in places]
    return found


@pytest.mark.parametrize("position", [(12, 14), (0, 0), (38, 5), (40, 30)])
def test_the_points_that_are_drawn_are_those_that_python_names(
    open_page: Callable, onion: Explorer, position: tuple[int, int]
) -> None:
    tab, _, errors = open_page("plane")
    box = tab.locator(".sl-explorer").first
    put(box, position)
    check_against_python(onion, box)
    view = onion.stored_view(*position)
    everything, reported, vain, probed = [m for m in view["marks"] if m["kind"] == "points"]
    drawn = dots(box)
    all_places = drawn["var(--sl-muted)"]
    assert len(all_places) == len(everything["x"])
    # The two ends of each axis fix its scale, and equal axes have one.
    units = []
    for axis in (0, 1):
        data = np.array(everything["xy"[axis]])
        pixels = np.array([place[axis] for place in all_places])
        slope, shift = np.polyfit(data, pixels, 1)
        assert np.abs(slope * data + shift - pixels).max() < 0.2
        units.append(abs(slope))
    assert units[0] == pytest.approx(units[1], rel=1e-3), "a circle is round"
    for mark, role in ((reported, "c1"), (vain, "c2"), (probed, "c5")):
        expected = [all_places[i] for i in mark["only"]]
        assert drawn[f"var(--sl-{role})"] == expected, mark["label"]
    assert errors == []


@pytest.mark.parametrize("position", [(12, 14), (30, 0), (30, 30), (38, 20), (55, 9)])
def test_a_half_plane_ends_where_its_line_leaves_the_plot(
    open_page: Callable, onion: Explorer, position: tuple[int, int]
) -> None:
    tab, _, _ = open_page("plane")
    box = tab.locator(".sl-explorer").first
    put(box, position)
    view = onion.stored_view(*position)
    [plane] = [mark for mark in view["marks"] if mark["kind"] == "halfplane"]
    line = box.locator("path.sl-rule").get_attribute("d") or ""
    ends = np.array(re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", line), dtype=float)
    pixels = np.array(dots(box)["var(--sl-muted)"])
    everything = next(mark for mark in view["marks"] if mark["kind"] == "points")
    data = []
    for axis in (0, 1):
        slope, shift = np.polyfit(pixels[:, axis], np.array(everything["xy"[axis]]), 1)
        data.append(slope * ends[:, axis] + shift)
    low, high = view["x"]["low"], view["x"]["high"]
    assert len(ends) == 2
    for x, y in zip(*data, strict=True):
        assert plane["normal"][0] * x + plane["normal"][1] * y == pytest.approx(
            plane["offset"], abs=2e-3
        )
        at_the_edge = [abs(v - edge) < 2e-3 for v in (x, y) for edge in (low, high)]
        assert any(at_the_edge), (x, y)


def test_an_oblique_line_can_be_taken_and_moved(open_page: Callable, onion: Explorer) -> None:
    tab, _, errors = open_page("plane")
    box = tab.locator(".sl-explorer").first
    box.locator(".sl-plot").scroll_into_view_if_needed()
    before = check_against_python(onion, box)
    grip = box.locator(".sl-grip").bounding_box()
    assert grip is not None
    x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x + 40, y - 30, steps=5)
    tab.mouse.up()
    settle(box)
    after = check_against_python(onion, box)
    assert after["angle"] == before["angle"]
    assert after["offset"] > before["offset"] + 0.3
    tab.mouse.move(x, y)
    settle(box)
    assert check_against_python(onion, box) == after, "let go is let go"
    assert errors == []


def test_the_table_of_numbers_says_which_points_are_shown(
    open_page: Callable, onion: Explorer
) -> None:
    tab, _, _ = open_page("plane")
    box = tab.locator(".sl-explorer").first
    box.locator("summary").click()
    box.locator("table").last.wait_for()  # the event of the box comes a little later
    view = onion.stored_view(*[control.start_position for control in onion.controls])
    [reported] = [mark for mark in view["marks"] if mark["label"] == "reported"]
    table = box.locator("table").last
    heads = [head.text_content() for head in table.locator("th").all()]
    column = heads.index("reported")
    cells = table.evaluate(
        "(each, k) => [...each.tBodies[0].rows].map(row => row.cells[k].textContent)", column
    )
    assert [i for i, text in enumerate(cells) if text != "–"] == reported["only"]
    assert "normal: (0.80902, 0.58779), offset: 1" in (box.locator(".sl-scroll ul").text_content())


# ---- for every reader ---------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["both", "plane"])
def test_axe_finds_nothing_and_nothing_overflows(
    open_page: Callable, name: str, theme: str, width: int
) -> None:
    tab, _, _ = open_page(name, theme=theme, width=width)
    open_boxes(tab)
    settle(tab.locator(".sl-explorer").first)
    assert findings(tab) == []
    beyond = tab.evaluate(
        "[...document.querySelectorAll('.sl-explorer, .sl-explorer > *, .sl-explorer text,"
        " .sl-control *')]"
        ".filter(each => each.getBoundingClientRect().right > innerWidth"
        " || each.getBoundingClientRect().left < 0).map(each => each.outerHTML.slice(0, 120))"
    )
    assert beyond == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_a_screen_reader_hears_names_values_and_the_sentence(
    open_page: Callable, tail: Explorer
) -> None:
    tab, _, _ = open_page()
    box = tab.locator(".sl-explorer").first
    assert tab.get_by_role("group", name="How many fire beyond t?").count() == 1
    slider = tab.get_by_role("slider", name="threshold t")
    assert slider.get_attribute("aria-valuetext") == "1.50"
    image = box.locator("svg[role=img]")
    label = tab.locator(f"#{image.get_attribute('aria-labelledby')}").text_content()
    assert label == shown(tail.title)
    live = box.locator("[aria-live=polite]")
    slider.focus()
    tab.keyboard.press("Home")
    settle(box)
    view = tail.view(**values_of(tail, box))
    assert slider.get_attribute("aria-valuetext") == "0.00"
    assert shown(view["sentence"]) in (live.text_content() or "")
    assert shown(view["warning"]) in (live.text_content() or "")
    description = image.locator("desc").text_content() or ""
    assert description.startswith("With m = 1024 and t = 0 about 512 of 1024 neurons fire.")


def test_the_live_region_is_busy_while_a_slider_moves(open_page: Callable) -> None:
    tab, _, _ = open_page()
    busy = tab.evaluate(
        """() => new Promise(done => {
            const box = document.querySelector('.sl-explorer');
            const input = box.querySelector('input');
            box.addEventListener('sl:drawn', () =>
                done(box.querySelector('.sl-says').getAttribute('aria-busy')), { once: true });
            input.value = 2;
            input.dispatchEvent(new Event('input'));
        })"""
    )
    assert busy == "true"


def test_colors_follow_the_theme_while_the_page_is_open(open_page: Callable) -> None:
    tab, _, _ = open_page(theme="light")
    paint = "getComputedStyle(document.querySelector('path.sl-line')).stroke"
    light = tab.evaluate(paint)
    tab.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert light == "rgb(18, 104, 200)"
    assert tab.evaluate(paint) == "rgb(106, 165, 255)"


def test_a_finger_finds_targets_that_are_large_enough(open_page: Callable) -> None:
    tab, _, _ = open_page(width=390, touch=True)
    for slider in sliders(tab.locator(".sl-explorer").first):
        area = slider.bounding_box()
        assert area is not None and area["height"] >= 44 and area["width"] >= 200


def test_without_scripts_the_still_and_its_sentence_are_there(
    open_page: Callable, tail: Explorer
) -> None:
    tab, _, _ = open_page(scripts=False)
    still = tab.locator("[data-sl-widget]").first
    assert still.locator("svg[role=img]").is_visible()
    view = tail.stored_view(*[control.start_position for control in tail.controls])
    assert shown(view["sentence"]) in (still.text_content() or "")
    assert "With JavaScript this figure has controls." in (still.text_content() or "")


def test_with_scripts_the_still_makes_room_and_links_to_it_still_work(open_page: Callable) -> None:
    tab, _, _ = open_page()
    assert tab.locator("[data-sl-widget]").count() == 0
    assert tab.locator("#tail .sl-title, #tail.sl-explorer .sl-title").count() == 1


def test_a_damaged_explorer_leaves_its_still_and_the_others_alone(open_page: Callable) -> None:
    tab, _, errors = open_page("broken")
    assert tab.locator("html").get_attribute("data-widgets-failed") == "1"
    assert tab.locator("[data-sl-widget] svg[role=img]").is_visible()
    assert tab.get_by_text("could not be started in this browser").is_visible()
    assert tab.locator(".sl-explorer").count() == 1, "the other one works"
    assert errors == []


def test_a_classic_widget_says_that_it_needs_jupyter(open_page: Callable) -> None:
    tab, _, errors = open_page("classic")
    assert tab.get_by_text("needs a running Jupyter").is_visible()
    assert errors == []


# ---- it is fast ---------------------------------------------------------------------------------

TIMED = """async (number) => {
    const box = document.querySelector('.sl-explorer');
    const input = box.querySelectorAll('input')[number];
    const times = [];
    for (let k = 0; k <= +input.max; k++) {
        await new Promise(done => {
            box.addEventListener('sl:drawn', event => {
                const start = performance.now();
                box.getBoundingClientRect();  // makes the browser lay the new drawing out
                times.push(event.detail.milliseconds + performance.now() - start);
                done();
            }, { once: true });
            input.value = input.value === String(k) ? k + 1 : k;
            input.dispatchEvent(new Event('input'));
        });
    }
    return times;
}"""


@pytest.mark.parametrize(("name", "number", "moves"), [("both", 1, len(SHIFTS)), ("plane", 0, 60)])
def test_a_redraw_fits_into_a_frame(
    open_page: Callable, name: str, number: int, moves: int
) -> None:
    tab, _, _ = open_page(name)
    times = tab.evaluate(TIMED, number)
    median = statistics.median(times)
    print(
        f"\nredraw with layout: median {median:.1f} ms of {len(times)}, longest {max(times):.1f} ms"
    )
    assert len(times) == moves
    assert median < PATIENCE * FRAME


def test_a_rule_does_not_cross_the_name_of_a_region(open_page: Callable) -> None:
    def window(at: float) -> View:
        return View(
            x=Axis(label="x", limits=(0.0, 1.0)),
            y=Axis(label="y", limits=(0.0, 1.0)),
            marks=[Region(0.4, 0.6, label="a stretch"), Rule(at, label="here", drag="at")],
            sentence=f"A rule at {at:g}.",
        )

    one = Explorer(window, [Slider("at", "place", [0.4, 0.5, 0.6], start=0.5)], title="Rows")
    tab, _, _ = open_page()
    tab.expose_function("askPython", lambda message: [])
    tab.evaluate(LIVE, stored_state(one)[one.model_id]["state"])
    stretch, here = (tab.get_by_text(name, exact=True) for name in ("a stretch", "here"))
    rule = tab.locator(".sl-rule")
    tops = [each.bounding_box() for each in (stretch, here, rule)]
    above, below, line = (box for box in tops if box is not None)
    assert above["y"] + above["height"] <= line["y"] + 1
    assert above["y"] < below["y"]


# ---- with a live kernel -------------------------------------------------------------------------

LIVE = """async (state) => {
    const handlers = {};
    const model = {
        get: name => state[name],
        set: (name, value) => { state[name] = value; },
        save_changes: () => {},
        on: (name, handler) => { (handlers[name] ??= []).push(handler); },
        off: () => {},
        send: async message => {
            for (const answer of await window.askPython(message))
                for (const handler of handlers['msg:custom'] ?? []) handler(answer);
        },
    };
    const url = URL.createObjectURL(new Blob([state._esm], { type: 'text/javascript' }));
    const el = document.createElement('div');
    document.querySelector('main').replaceChildren(el);
    await (await import(url)).default.render({ model, el });
}"""


@pytest.fixture
def live(open_page: Callable, tail: Explorer) -> Locator:
    """An explorer in the browser whose messages are answered by the real Python object."""
    tab, _, _ = open_page()

    def ask(message: object) -> list[object]:
        answers: list[object] = []
        tail.send = lambda content, buffers=None: answers.append(content)  # type: ignore[method-assign]
        tail._answer(tail, message, [])
        return answers

    tab.expose_function("askPython", ask)
    tab.evaluate(LIVE, stored_state(tail)[tail.model_id]["state"])
    box: Locator = tab.locator(".sl-explorer")
    box.locator(".sl-box").first.wait_for()
    return box


def says(box: Locator, view: dict[str, Any]) -> None:
    """Wait until an explorer says the sentence of a view."""
    box.locator(".sl-sentence").get_by_text(shown(view["sentence"]), exact=True).wait_for()


def test_with_a_kernel_any_value_can_be_typed(live: Locator, tail: Explorer) -> None:
    width, threshold = live.locator(".sl-box").all()
    assert threshold.get_attribute("aria-label") == "threshold t, exact value"
    threshold.fill("1.2345")
    threshold.press("Enter")
    says(live, tail.view(m=1024, t=1.2345))
    assert sliders(live)[1].input_value() == str(SHIFTS.index(1.25)), "the nearest position"
    width.fill("1000")
    width.press("Enter")
    says(live, tail.view(m=1000, t=1.2345))


def test_moving_one_slider_keeps_the_typed_value_of_the_other(
    live: Locator, tail: Explorer
) -> None:
    _, threshold = live.locator(".sl-box").all()
    threshold.fill("1.2345")
    threshold.press("Enter")
    says(live, tail.view(m=1024, t=1.2345))
    sliders(live)[0].focus()
    live.page.keyboard.press("Home")
    says(live, tail.view(m=16, t=1.2345))
    sliders(live)[1].focus()
    live.page.keyboard.press("End")
    says(live, tail.view(m=16, t=3.0))


def test_an_answer_to_a_value_that_was_left_is_not_drawn(live: Locator, tail: Explorer) -> None:
    live.evaluate(
        """box => {
            const field = box.querySelectorAll('.sl-box')[1];
            field.value = '1.2345';
            field.dispatchEvent(new Event('change'));
            const slider = box.querySelectorAll('input[type=range]')[1];
            slider.value = slider.max;
            slider.dispatchEvent(new Event('input'));
        }"""
    )
    live.page.wait_for_timeout(500)
    settle(live)
    says(live, tail.view(m=1024, t=3.0))
    live.locator(".sl-error:empty").wait_for(state="attached")


@pytest.mark.parametrize(
    ("number", "text", "message", "good"),
    [
        (0, "10", "m must be an integer >= 16 and <= 16384, got 10", "1000"),
        (0, "100.5", "m must be an integer >= 16 and <= 16384, got 100.5", "16"),
        (1, "-1", "t must be a finite number >= 0 and <= 3, got -1", "0.01"),
        (1, "", "t must be a number", "2"),
    ],
)
def test_a_bad_value_is_explained_and_the_drawing_stays(
    live: Locator, number: int, text: str, message: str, good: str
) -> None:
    sentence = live.locator(".sl-sentence").text_content()
    field = live.locator(".sl-box").nth(number)
    field.fill(text)
    field.press("Enter")
    live.get_by_role("alert").get_by_text(message).wait_for()
    assert field.get_attribute("aria-invalid") == "true"
    assert live.locator(".sl-sentence").text_content() == sentence
    field.fill(good)
    field.press("Enter")
    live.locator(".sl-error:empty").wait_for(state="attached")
    assert field.get_attribute("aria-invalid") == "false"
    settle(live)
    assert live.locator(".sl-sentence").text_content() != sentence


def test_after_a_bad_value_the_sliders_go_on_from_the_last_good_one(
    live: Locator, tail: Explorer
) -> None:
    width, threshold = live.locator(".sl-box").all()
    for text, alert in (("1.2345", ""), ("9", "t must be a finite number >= 0 and <= 3")):
        threshold.fill(text)
        threshold.press("Enter")
        if alert:
            live.get_by_role("alert").get_by_text(alert).wait_for()
        else:
            says(live, tail.view(m=1024, t=1.2345))
    sliders(live)[0].focus()
    live.page.keyboard.press("Home")
    says(live, tail.view(m=16, t=1.2345))
    assert threshold.input_value() == "1.2345"
    assert width.input_value() == "16"
    live.locator(".sl-error:empty").wait_for(state="attached")


def test_axe_finds_nothing_with_number_boxes_and_an_error(live: Locator) -> None:
    field = live.locator(".sl-box").first
    field.fill("1")
    field.press("Enter")
    live.get_by_role("alert").get_by_text("m must be an integer").wait_for()
    assert findings(live.page, ".sl-explorer") == []


def test_jupyterlab_does_not_get_the_arrow_keys(open_page: Callable) -> None:
    tab, _, _ = open_page()
    assert tab.locator("[data-lm-suppress-shortcuts=true] input[type=range]").count() == 3
    tab.evaluate("document.addEventListener('keydown', () => (window.stolen = true))")
    sliders(tab.locator(".sl-explorer").first)[0].focus()
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("window.stolen") is None


# ---- the chapter --------------------------------------------------------------------------------

needs_chapter = pytest.mark.skipif(
    not CHAPTER_PAGE.is_file() or "sl-explorer" not in CHAPTER_PAGE.read_text(encoding="utf-8"),
    reason="the chapter on the threshold is not built yet: run `make book`",
)


@pytest.fixture(scope="module")
def bell() -> Explorer:
    """The explorer of the chapter, made anew: that takes seconds, and nothing changes it."""
    from sublinear_lib.chapters.network_and_shifted_relu import explorers

    return explorers.bell_curve()


@needs_chapter
@pytest.mark.parametrize("over", ["http", "file"])
def test_both_sliders_of_the_chapter_move_curve_and_sentence(
    visit: Callable, bell: Explorer, over: str
) -> None:
    explorer = bell
    # with its formulas, test_policy.py loads it from both places and hears no complaint
    page = visit(CHAPTER, over=over)
    box = page.tab.locator(".sl-explorer", has_text=shown(explorer.title)).first
    box.scroll_into_view_if_needed()
    seen = [check_against_python(explorer, box)]
    for number, stop in ((0, 0.6), (1, 0.8)):
        drawn = curves(box)
        drag(sliders(box)[number], 0.5, stop)
        settle(box)
        seen.append(check_against_python(explorer, box))
        assert curves(box) != drawn
    for number, key in ((0, "End"), (1, "Home"), (1, "ArrowRight")):
        drawn = curves(box)
        sliders(box)[number].focus()
        page.tab.keyboard.press(key)
        settle(box)
        seen.append(check_against_python(explorer, box))
        assert curves(box) != drawn
    assert len({tuple(values.values()) for values in seen}) == len(seen)
    assert page.complaints == []


# Wide and light, narrow and dark: test_browser.py sees all of every page so.
@needs_chapter
@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_axe_finds_nothing_in_the_explorer_of_the_chapter(
    visit: Callable, scheme: str, width: int
) -> None:
    page = visit(CHAPTER, scheme=scheme, width=width)
    open_boxes(page.tab)
    assert findings(page.tab, ".sl-explorer") == []
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width

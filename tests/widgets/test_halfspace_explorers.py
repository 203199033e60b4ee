"""Promises of the explorer of the onion: every point and number is the library's."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest

from sublinear_lib.halfspace import ConvexLayers
from sublinear_lib.widgets import (
    Explorer,
    HalfPlane,
    Line,
    Points,
    View,
    onion_explorer,
    onion_view,
)
from sublinear_lib.widgets import table as tables
from sublinear_lib.widgets.still import beyond

HALF_PLANES = [(0, 1.0), (36, 1.0), (123, -0.4), (200.5, 0.25), (357, 2.6), (90, 9.0), (45, -9.0)]


@pytest.fixture(scope="module")
def onion() -> Explorer:
    return onion_explorer()


def points(view: View) -> dict[str, Points]:
    return {mark.label: mark for mark in view.marks if isinstance(mark, Points)}


def places(mark: Points) -> set[tuple[float, float]]:
    """Return the points of a mark that are drawn."""
    xy = np.column_stack((mark.x, mark.y))
    return set(map(tuple, (xy if mark.only is None else xy[np.asarray(mark.only)]).tolist()))


def all_points(view: View) -> np.ndarray:
    everything = points(view)[""]
    return np.column_stack((everything.x, everything.y))


def opened(view: View) -> list[bool]:
    return [mark.role == "ink" for mark in view.marks if isinstance(mark, Line)]


def still(explorer: Explorer) -> str:
    return str(explorer.still().html)


def normal_of(view: View) -> tuple[np.ndarray, float]:
    [plane] = [mark for mark in view.marks if isinstance(mark, HalfPlane)]
    return np.array(plane.normal), plane.offset


# ---- the onion ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("angle", "offset"), HALF_PLANES)
def test_the_points_shown_as_reported_are_those_beyond_the_line(
    angle: float, offset: float
) -> None:
    view = onion_view(angle, offset)
    normal, shift = normal_of(view)
    turn = math.radians(angle)
    np.testing.assert_allclose(normal, [math.cos(turn), math.sin(turn)], rtol=1e-15, atol=1e-15)
    assert shift == offset
    xy = all_points(view)
    beyond = {tuple(p) for p in xy.tolist() if p @ normal > offset}
    assert places(points(view)["reported"]) == beyond
    assert dict(view.readouts)["reported"] == f"{len(beyond)} of {len(xy)}"


@pytest.mark.parametrize(("angle", "offset"), HALF_PLANES)
def test_the_points_shown_as_visited_are_those_of_the_trace(angle: float, offset: float) -> None:
    view = onion_view(angle, offset)
    xy = all_points(view)
    layers = ConvexLayers(xy)
    trace = layers.trace(normal_of(view)[0], offset)

    def at(ids: set[int]) -> set[tuple[float, float]]:
        return set(map(tuple, xy[sorted(ids)].tolist()))

    probed = {point for visit in trace.visits for point in visit.probed}
    tested = {point for visit in trace.visits for point in visit.tested}
    shown = points(view)
    assert places(shown["probed by a binary search"]) == at(probed)
    assert places(shown["compared, not reported"]) == at(tested - set(trace.reported))
    assert opened(view) == [n < len(trace.visits) for n in range(len(layers.layers()))]
    probes = sum(len(visit.probed) for visit in trace.visits)
    tests = sum(len(visit.tested) for visit in trace.visits)
    read = dict(view.readouts)
    assert read["visited"] == f"{len(probed | tested)} of {len(xy)}"
    assert f"{probes} probes of a binary search and {tests} comparisons" in view.sentence
    assert read["steps, onion and naive scan"] == f"{probes + tests} and {len(xy)}"
    assert f"It takes {probes + tests} steps" in view.sentence
    assert (view.warning is not None) == (probes + tests > len(xy))


def test_the_steps_are_the_work_that_the_layers_count() -> None:
    view = onion_view(36, 1.0)
    layers = ConvexLayers(all_points(view))
    layers.query_halfspace([normal_of(view)[0]], 1.0)
    work = layers.stats()
    assert f"takes {work.vertices_probed + work.vertices_tested} steps" in view.sentence
    assert dict(view.readouts)["layers opened"] == f"{work.layers_visited} of {work.layers}"


def test_the_outlines_are_the_convex_layers() -> None:
    view = onion_view(36, 1.0)
    xy = all_points(view)
    outlines = [mark for mark in view.marks if isinstance(mark, Line)]
    layers = ConvexLayers(xy).layers()
    assert len(outlines) == len(layers)
    for line, layer in zip(outlines, layers, strict=True):
        drawn = np.column_stack((line.x, line.y))
        assert np.array_equal(drawn[0], drawn[-1]), "an outline is closed"
        assert np.array_equal(drawn[:-1], xy[layer])


def test_no_two_points_of_the_onion_cover_each_other() -> None:
    view = onion_view(0, 0.0)
    xy = all_points(view)
    assert len(xy) == 100
    apart = np.linalg.norm(xy[:, None] - xy[None], axis=2) + np.eye(len(xy))
    assert apart.min() > 0.15
    assert view.equal and view.x.limits == view.y.limits
    assert np.abs(xy).max() < np.abs(view.x.limits).min()


def test_every_stored_position_of_the_onion_is_its_trace(onion: Explorer) -> None:
    table = tables.unpack(onion._table)
    xy = all_points(onion_view(0, 0.0))
    layers = ConvexLayers(xy)
    grid = itertools.product(*(control.values for control in onion.controls))
    for number, (angle, offset) in enumerate(grid):
        stored = tables.decode(table, number)
        turn = math.radians(angle)
        trace = layers.trace([math.cos(turn), math.sin(turn)], offset)
        shown = {m["label"]: m for m in stored["marks"] if m["kind"] == "points"}
        assert shown["reported"]["only"] == list(trace.reported), (angle, offset)
        tested = {point for visit in trace.visits for point in visit.tested}
        assert shown["compared, not reported"]["only"] == sorted(tested - set(trace.reported))
        probed = {point for visit in trace.visits for point in visit.probed}
        assert shown["probed by a binary search"]["only"] == sorted(probed), (angle, offset)
        dark = [m["role"] == "ink" for m in stored["marks"] if m["kind"] == "line"]
        assert sum(dark) == len(trace.visits), (angle, offset)
        assert f"reports {len(trace.reported)}." in stored["sentence"], (angle, offset)
    assert number == math.prod(onion.shape) - 1


def test_no_position_of_the_onion_hangs_on_the_rounding_of_a_cosine(onion: Explorer) -> None:
    xy = all_points(onion_view(0, 0.0))
    turns = np.radians(onion.controls[0].values)
    normals = np.column_stack((np.cos(turns), np.sin(turns)))
    margins = (xy @ normals.T)[:, :, None] - np.array(onion.controls[1].values)
    assert np.abs(margins).min() > 1e-7
    for layer in ConvexLayers(xy).layers():
        edges = np.roll(xy[layer], -1, axis=0) - xy[layer]
        assert np.abs(edges @ normals.T).min() > 1e-7


def test_the_still_draws_the_points_where_python_puts_them(onion: Explorer) -> None:
    view = onion.stored_view(*[control.start_position for control in onion.controls])
    everything, reported, vain, probed = [m for m in view["marks"] if m["kind"] == "points"]
    drawn = re.findall(r'<use href="[^"]*" x="([\d.]+)" y="([\d.]+)" style="([^"]*)"', still(onion))

    def pixels(role: str) -> np.ndarray:
        color = f"stroke:var(--sl-{role}," if role == "c5" else f"fill:var(--sl-{role},"
        # Ticks are markers too; they have no outline in the color of the page.
        kept = [s for *_, s in drawn if role == "c5" or "stroke:var(--sl-paper" in s]
        return np.array([(float(x), float(y)) for x, y, s in drawn if color in s and s in kept])

    every = pixels("muted")
    units = []
    for axis in (0, 1):
        data = np.array(everything["xy"[axis]])
        slope, shift = np.polyfit(data, every[:, axis], 1)
        assert np.abs(slope * data + shift - every[:, axis]).max() < 0.02
        units.append(abs(slope))
    assert units[0] == pytest.approx(units[1], rel=1e-3), "a circle is round"
    for mark, role in ((reported, "c1"), (vain, "c2"), (probed, "c5")):
        assert np.array_equal(pixels(role), every[mark["only"]]), mark["label"]


@pytest.mark.parametrize(
    ("normal", "offset", "area", "ends"),
    [
        ((1.0, 0.0), 0.5, 1.5 * 4.0, [(0.5, 0.0), (0.5, 4.0)]),
        ((0.0, -2.0), -2.0, 2.0 * 1.0, [(2.0, 1.0), (0.0, 1.0)]),
        ((1.0, 1.0), 1.0, 8.0 - 0.5, [(1.0, 0.0), (0.0, 1.0)]),
        ((-1.0, -1.0), -1.0, 0.5, [(1.0, 0.0), (0.0, 1.0)]),
        ((1.0, 0.0), -1.0, 8.0, []),
        ((1.0, 0.0), 2.0, 0.0, []),
        ((1.0, 0.0), 3.0, 0.0, []),
    ],
)
def test_a_half_plane_is_cut_off_at_the_ends_of_the_axes(
    normal: tuple[float, float], offset: float, area: float, ends: list[tuple[float, float]]
) -> None:
    outline, cut = beyond({"normal": normal, "offset": offset}, (0.0, 2.0), (0.0, 4.0))
    assert [tuple(end) for end in cut.tolist()] == ends
    found = 0.0
    if len(outline):
        x, y = outline.T
        found = 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
    assert found == pytest.approx(area)


def test_the_line_can_be_dragged_over_every_stored_offset(onion: Explorer) -> None:
    view = onion.stored_view(0, 0)
    [plane] = [mark for mark in view["marks"] if mark["kind"] == "halfplane"]
    assert plane["drag"] == "offset"
    offsets = onion.controls[1].values
    assert view["x"]["low"] < offsets[0] and offsets[-1] < view["x"]["high"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((math.nan, 1.0), "angle must be a finite number"),
        ((0.0, math.inf), "offset must be a finite number"),
    ],
)
def test_a_position_that_does_not_exist_is_refused(
    arguments: tuple[float, float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        onion_view(*arguments)


def test_the_explorer_leaves_room_in_the_page(onion: Explorer) -> None:
    assert len(onion._table) < 200_000
    assert onion.still().name == onion.name

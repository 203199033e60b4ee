"""The onion: every point and number is that of a query of the convex layers."""

import math
import re
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.chapters.half_space_reporting import explorers, figures
from sublinear_lib.halfspace import ConvexLayers, HalfspaceIndex
from sublinear_lib.widgets import HalfPlane, Line, Points
from tests.chapters.marks import named, of
from tests.plotting.shown import lines, tells

VIEW = explorers.onion.function
XY = np.column_stack([(mark := named(VIEW(0, 0.0), Points)[""]).x, mark.y])
LAYERS = ConvexLayers(XY)


@pytest.fixture(scope="module")
def onion():
    return explorers.onion()


@pytest.mark.parametrize(("angle", "offset"), [(0, 1.0), (123, -0.4), (357, 2.6), (45, -9.0)])
def test_a_view_is_the_trace_of_the_query(angle, offset):
    view, turn = VIEW(angle, offset), math.radians(angle)
    (plane,) = of(view, HalfPlane)
    np.testing.assert_allclose(plane.normal, [math.cos(turn), math.sin(turn)], atol=1e-15)
    assert plane.offset == offset and plane.drag == "offset"
    trace = LAYERS.trace(plane.normal, offset)

    def places(label):
        return {*np.flatnonzero(named(view, Points)[label].only).tolist()}

    probed = [point for visit in trace.visits for point in visit.probed]
    tested = [point for visit in trace.visits for point in visit.tested]
    beyond = {*np.flatnonzero(XY @ plane.normal > offset).tolist()}
    assert places("reported") == beyond == {*trace.reported}
    assert places("probed by a binary search") == {*probed}
    assert places("compared, not reported") == {*tested} - {*trace.reported}
    rings, layers = of(view, Line), LAYERS.layers()
    for n, (line, layer) in enumerate(zip(rings, layers, strict=True)):
        assert np.array_equal(np.column_stack((line.x, line.y)), XY[[*layer, layer[0]]])
        assert (line.role == "ink") == (n < len(trace.visits))
    read, steps = dict(view.readouts), len(probed) + len(tested)
    assert read["reported"] == f"{len(beyond)} of 100"
    assert read["visited"] == f"{len({*probed, *tested})} of 100"
    assert read["layers opened"] == f"{len(trace.visits)} of {len(layers)}"
    assert read["steps, onion and naive scan"] == f"{steps} and 100"
    assert f"{len(probed)} probes of a binary search and {len(tested)} comp" in view.sentence
    assert (view.warning is not None) == (steps > 100)


def test_no_position_hangs_on_the_rounding_of_a_cosine(onion):
    turns = np.radians(onion.controls[0].values)
    normals = np.column_stack((np.cos(turns), np.sin(turns)))
    margins = (XY @ normals.T)[:, :, None] - np.array(onion.controls[1].values)
    assert np.abs(margins).min() > 1e-7
    for layer in LAYERS.layers():
        edges = np.roll(XY[layer], -1, axis=0) - XY[layer]
        assert np.abs(edges @ normals.T).min() > 1e-7


def test_the_still_draws_the_points_where_python_puts_them(onion):
    view = onion.stored_view(*[control.start_position for control in onion.controls])
    everything, reported, vain, probed = [m for m in view["marks"] if m["kind"] == "points"]
    html = str(onion.still().html)
    drawn = re.findall(r'<use href="[^"]*" x="([\d.]+)" y="([\d.]+)" style="([^"]*)"', html)

    def pixels(role):
        color = f"stroke:var(--sl-{role}," if role == "c5" else f"fill:var(--sl-{role},"
        # Ticks are markers too; they have no outline in the color of the page.
        kept = [s for *_, s in drawn if role == "c5" or "stroke:var(--sl-paper" in s]
        return np.array([(float(x), float(y)) for x, y, s in drawn if color in s and s in kept])

    every, units = pixels("muted"), []
    for axis in (0, 1):
        data = np.array(everything["xy"[axis]])
        slope, shift = np.polyfit(data, every[:, axis], 1)
        assert np.abs(slope * data + shift - every[:, axis]).max() < 0.02
        units.append(abs(slope))
    assert units[0] == pytest.approx(units[1], rel=1e-3), "a circle is round"
    for mark, role in ((reported, "c1"), (vain, "c2"), (probed, "c5")):
        assert np.array_equal(pixels(role), every[mark["only"]]), mark["label"]


CLOUD = np.random.default_rng(0).standard_normal((12, 2))
CURVES = {"10 % active": [0.2, 0.6, 1.0], "1 % active": [0.02, 0.2, 0.99]}
SAMPLES = {"1 % active": [[8, 0.21, 0.19, 0.23]]}
PLANE = {"points": CLOUD, "normal": [0.6, 0.8], "offset": 0.3}
SHARES = {"dimensions": [2, 8, 64], "curves": CURVES, "samples": SAMPLES}

duality = partial(figures.duality_picture, **PLANE, name="d")
surviving = partial(figures.surviving_share, **SHARES, name="v")


@settings(max_examples=15)
@given(st.floats(-3, 3), st.floats(0.25, 3), st.floats(-2, 2))
def test_lines_above_the_point_are_the_points_beyond_the_line(first, second, offset):
    fired = HalfspaceIndex(CLOUD).query_halfspace([[first, second]], offset)[0]
    picture = duality(normal=[first, second], offset=offset)
    tells(picture, f"half-plane with the {len(fired)} that fire")
    slopes = [np.diff(points[:, 1])[0] for points in lines(picture, "c1") if len(points) == 2]
    crossing = [slope for slope in slopes if np.isclose(slope, 2 * CLOUD[:, 0]).any()]
    assert len(crossing) == len(fired)


def test_the_text_of_the_survivors_gives_both_ends_and_the_trend_if_there_is_one():
    tells(surviving(), "1 % active: 2 % at d = 2, 99 % at d = 64", "rise")
    for values in ([0.5, 0.4, 0.6], [0.5, 0.5, 0.5]):
        assert "rise" not in surviving(curves={"a": values}, samples={}).alt
    with pytest.raises(ValueError, match="samples must have labels of curves"):
        surviving(samples={"b": [[2, 0.1, 0.0, 0.2]]})
    with pytest.raises(ValueError, match="positive second coordinate"):
        duality(normal=[1.0, 0.0])

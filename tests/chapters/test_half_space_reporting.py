"""The onion: every point and number is that of a query of the convex layers."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from sublinear_lib.chapters.half_space_reporting import explorers
from sublinear_lib.halfspace import ConvexLayers
from sublinear_lib.widgets import Explorer, HalfPlane, Line, Points
from tests.chapters.marks import named, of

VIEW = explorers.onion.function
XY = np.column_stack([(mark := named(VIEW(0, 0.0), Points)[""]).x, mark.y])
LAYERS = ConvexLayers(XY)


@pytest.fixture(scope="module")
def onion() -> Explorer:
    return explorers.onion()


@pytest.mark.parametrize(
    ("angle", "offset"),
    [(0, 1.0), (36, 1.0), (123, -0.4), (200.5, 0.25), (357, 2.6), (90, 9.0), (45, -9.0)],
)
def test_a_view_is_the_trace_of_the_query(angle: float, offset: float) -> None:
    view, turn = VIEW(angle, offset), math.radians(angle)
    (plane,) = of(view, HalfPlane)
    np.testing.assert_allclose(plane.normal, [math.cos(turn), math.sin(turn)], atol=1e-15)
    assert plane.offset == offset and plane.drag == "offset"
    trace = LAYERS.trace(plane.normal, offset)

    def places(label: str) -> set[tuple[float, ...]]:
        mark = named(view, Points)[label]
        return set(map(tuple, XY[np.asarray(mark.only)].tolist()))

    def at(ids: object) -> set[tuple[float, ...]]:
        return set(map(tuple, XY[sorted(ids)].tolist()))  # type: ignore[call-overload]

    probed = [point for visit in trace.visits for point in visit.probed]
    tested = [point for visit in trace.visits for point in visit.tested]
    beyond = {tuple(p) for p in XY.tolist() if p @ np.array(plane.normal) > offset}
    assert places("reported") == beyond == at(trace.reported)
    assert places("probed by a binary search") == at({*probed})
    assert places("compared, not reported") == at({*tested} - {*trace.reported})
    rings, layers = of(view, Line), LAYERS.layers()
    assert [line.role == "ink" for line in rings] == [
        n < len(trace.visits) for n in range(len(layers))
    ]
    for line, layer in zip(rings, layers, strict=True):
        assert np.array_equal(np.column_stack((line.x, line.y)), XY[[*layer, layer[0]]])
    read, steps = dict(view.readouts), len(probed) + len(tested)
    assert read["reported"] == f"{len(beyond)} of 100"
    assert read["visited"] == f"{len({*probed, *tested})} of 100"
    assert read["layers opened"] == f"{len(trace.visits)} of {len(layers)}"
    assert read["steps, onion and naive scan"] == f"{steps} and 100"
    assert f"{len(probed)} probes of a binary search and {len(tested)} comp" in view.sentence
    assert (view.warning is not None) == (steps > 100)


def test_no_position_hangs_on_the_rounding_of_a_cosine(onion: Explorer) -> None:
    turns = np.radians(onion.controls[0].values)
    normals = np.column_stack((np.cos(turns), np.sin(turns)))
    margins = (XY @ normals.T)[:, :, None] - np.array(onion.controls[1].values)
    assert np.abs(margins).min() > 1e-7
    for layer in LAYERS.layers():
        edges = np.roll(XY[layer], -1, axis=0) - XY[layer]
        assert np.abs(edges @ normals.T).min() > 1e-7
    apart = np.linalg.norm(XY[:, None] - XY[None], axis=2) + np.eye(100)
    assert apart.min() > 0.15 and np.abs(XY).max() < 2.8


def test_the_still_draws_the_points_where_python_puts_them(onion: Explorer) -> None:
    view = onion.stored_view(*[control.start_position for control in onion.controls])
    everything, reported, vain, probed = [m for m in view["marks"] if m["kind"] == "points"]
    html = str(onion.still().html)
    drawn = re.findall(r'<use href="[^"]*" x="([\d.]+)" y="([\d.]+)" style="([^"]*)"', html)

    def pixels(role: str) -> np.ndarray:
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

"""The house style of the figures: one look, drawn small enough to be read on a phone.

Sizes are in pixels (72 to the inch), margins are given, not computed, so that the layout does not
depend on the metrics of a font.  Series are labeled where they end, and nothing touches ``pyplot``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import numpy as np

from sublinear_lib._typing import IntArray
from sublinear_lib.plotting.palette import LIGHT
from sublinear_lib.plotting.richtext import to_plain

HALO = "sl-halo"
"""The group id that gives a label an outline in the color of the page."""

LINE_HEIGHT = 15.0
"""Least distance in pixels between two labels of 12 pixels."""

_RC: Any = {
    "font.sans-serif": ["DejaVu Sans"],
    **dict.fromkeys(("font.size", "axes.labelsize"), 12.0),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), 11.0),
    **dict.fromkeys(("figure.dpi", "savefig.dpi"), 72.0),
    **dict.fromkeys(("figure.facecolor", "savefig.facecolor", "axes.facecolor"), "none"),
    **dict.fromkeys(("text.color", "axes.labelcolor"), LIGHT["ink"]),
    **dict.fromkeys(("xtick.color", "ytick.color", "axes.edgecolor"), LIGHT["muted"]),
    **dict.fromkeys(("xtick.labelcolor", "ytick.labelcolor"), LIGHT["muted"]),
    **dict.fromkeys(("axes.linewidth", "grid.linewidth", "xtick.major.width"), 1.0),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "axes.spines.left"), False),
    **{"axes.grid": True, "axes.grid.axis": "y", "axes.axisbelow": True},
    **{"axes.labelpad": 6.0, "xtick.major.size": 4.0, "ytick.major.size": 0.0},
    **{"lines.linewidth": 2.25, "lines.markersize": 5.0, "lines.solid_capstyle": "round"},
    **{"grid.color": LIGHT["grid"], "patch.linewidth": 0.0},
    **{"svg.fonttype": "none", "svg.hashsalt": "sublinear"},
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house style for the duration of a ``with`` block.

    Matplotlib reads most defaults when an artist is created, so what adds artists stands in it.
    """
    with mpl.rc_context():
        # From Matplotlib's own defaults, so that a reader's matplotlibrc changes no figure.
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)
        yield


def thinned(length: int) -> IntArray:
    """Choose which points of a long path are drawn: evenly, with both ends.

    >>> thinned(319)[:3].tolist()
    [0, 2, 4]
    """
    return np.unique(np.linspace(0, length - 1, min(length, 160)).round().astype(np.int64))


def legend_places(
    labels: Sequence[str], width: float, *, swatch: float, letter: float, gap: float
) -> list[tuple[float, int]]:
    """Place the labels of a legend side by side, in as many rows as they need.

    A label takes pixels for its square, for each of its letters, and a gap to the next; return for
    each its x in pixels and the number of its row.

    >>> legend_places(["one", "two", "three"], 100.0, swatch=14.0, letter=6.0, gap=14.0)
    [(0.0, 0), (46.0, 0), (0.0, 1)]
    """
    places, x, row = [], 0.0, 0
    for label in labels:
        length = swatch + letter * len(to_plain(label)) + gap
        if x > 0.0 and x + length > width:
            x, row = 0.0, row + 1
        places.append((x, row))
        x += length
    return places


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move positions as little as possible so that neighbors are at least `gap` apart.

    They stay between `low` and `high` as far as there is room, and in their order.

    >>> spread([10.0, 10.0, 50.0], 15.0, 0.0, 100.0)
    [2.5, 17.5, 50.0]
    """
    order = sorted(range(len(positions)), key=lambda i: (positions[i], i))
    # Pool adjacent labels that are too close: a cluster stands centered on its members' mean.
    clusters: list[tuple[float, int]] = []  # center, number of members
    for i in order:
        center, size = min(max(positions[i], low), high), 1
        while clusters:
            before, count = clusters[-1]
            if center - before >= gap * (size + count) / 2:
                break
            clusters.pop()
            center = (center * size + before * count) / (size + count)
            size += count
            half = gap * (size - 1) / 2
            center = max(low + half, min(center, high - half))
        clusters.append((center, size))
    places = [center + gap * (k - (size - 1) / 2) for center, size in clusters for k in range(size)]
    result = [0.0] * len(positions)
    for place, i in zip(places, order, strict=True):
        result[i] = place
    return result


def end_label_room(
    labels: Iterable[str], *, letter: float = 7.4, gap: float = 26.0, most: float = 150.0
) -> float:
    """Return how many pixels to leave on the right for labels at the ends of curves.

    >>> end_label_room(["*m*", "dense"], letter=7.0, gap=20.0)
    55.0
    """
    return min(most, gap + letter * max(len(to_plain(label)) for label in labels))

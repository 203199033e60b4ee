"""Brackets of the worst case of Definition 3.4, closing around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sublinear_lib.plotting.chart import Chart, Drawing, extent, picture
from sublinear_lib.plotting.formats import number


@picture
def brackets_picture(panels: Mapping[str, Mapping[str, Sequence[float]]]) -> Drawing:
    """Draw brackets of the supremum by problem and method, on one scale for all.

    On this scale f at the clean point is 0 and the supremum is 1, which each bracket has to hold.
    """
    pairs = [pair for methods in panels.values() for pair in methods.values()]
    if any(low > 1.0 + 1e-6 or high < 1.0 - 1e-6 for low, high in pairs):
        raise ValueError(f"each bracket must hold 1, the supremum, got {pairs}")
    row, gap, left = 24.0, 40.0, {"coordinates": ("axes fraction", "data"), "dx": -92}
    height = sum(gap + row * len(methods) for methods in panels.values())
    lowest, widest = extent(*pairs)
    chart = Chart(420, height + 58.0, (96, 40, 4, 54), xlabel="rise of *f*, worst case = 1")
    chart.axes.grid(visible=False)
    chart.x(min(0.0, 1.05 * lowest), max(1.3, 1.04 * widest), target=5)
    # One unit of y is one pixel, counted from the top.
    chart.axes.set_ylim(height, 0)
    chart.axes.yaxis.set_visible(False)
    top, said = 0.0, []
    for title, methods in panels.items():
        chart.note(0.0, top + 22, title, weight="bold", **left)
        first = top + gap
        top = first + row * len(methods)
        chart.bars(1.0, first - 8, top - 8, "c4", 1.6, zorder=1)
        for place, (label, (low, high)) in enumerate(methods.items()):
            y = first + row * place + 4
            chart.line([low, high], [y, y], "c1", 7, alpha=0.45, solid_capstyle="butt")
            chart.bars([low, high], y - 6, y + 6, "c1", 2)
            chart.note(0.0, y, label, size=11, **left)
            chart.note(high, y, number(high), "c1", dx=6, size=11)
        inner = "; ".join(
            f"{label} from {number(low)} to {number(high)}"
            for label, (low, high) in methods.items()
        )
        said.append(f"{title}: {inner}.")
    return chart, (
        "Brackets of the supremum of f over a cap, on the scale on which f at the clean point "
        f"is 0 and the supremum is 1. {' '.join(said)}"
    )

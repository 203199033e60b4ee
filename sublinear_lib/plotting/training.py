"""The picture of a training run: losses and activity over the steps (`History.plot`).

The trainer reaches it through the front door of `plotting` when somebody asks for a picture.
"""

from __future__ import annotations

from sublinear_lib.plotting.chart import Chart, Drawing, ends, extent, picture
from sublinear_lib.plotting.checks import ascending, nonnegative, shares
from sublinear_lib.plotting.formats import Numbers, grouped, percent

__all__ = ["training_run"]


@picture
def training_run(steps: Numbers, loss: Numbers, clean_loss: Numbers, activity: Numbers) -> Drawing:
    """Draw one training run: losses, and the share of neurons that fire, over the steps.

    Here `steps` (T,): the steps, ascending, ``T >= 2``; `loss`, `clean_loss` (T,): loss at the
    adversarial and at the clean points, ``>= 0``; `activity` (T,): mean share of neurons that fire
    at a point, in [0, 1].

    Raises ValueError: if shapes do not match, steps do not ascend, a loss is negative or a share
    lies outside [0, 1].
    """
    t = ascending(steps, "steps")
    attacked = nonnegative(loss, "loss", t.shape)
    clean = nonnegative(clean_loss, "clean_loss", t.shape)
    share = shares(activity, "activity", t.shape)
    charts = []
    for ylabel, series, write in (
        ("training loss", {"attacked": attacked, "clean": clean}, None),
        ("share of neurons that fire", {"active": share}, percent),
    ):
        chart = Chart(300, 250, (46, 66, 14, 46), xlabel="step", ylabel=ylabel)
        chart.x(t[0], t[-1], target=4)
        chart.y(0.0, 1.06 * extent(*series.values())[1] or 1.0, label=write)
        for role, (label, values) in zip(("c1", "c2"), series.items(), strict=False):
            chart.line(t, values, role, 2, label, clip_on=False)
        charts.append(chart)
    return charts, (
        f"Two plots over {grouped(round(t[-1]))} steps. First, the loss at attacked points "
        f"goes from {ends(attacked)}, that at clean points from {ends(clean)}. Then the share of "
        f"neurons that fire goes from {ends(share, percent)}."
    )

"""The explorer of the capstone: width and threshold against what can be promised about a table.

Every position is one report: a network trained on the table with that width and that threshold,
with an adversary or without, and its held-out rows attacked and certified.  No formula lives here;
the numbers are those of :mod:`sublinear_lib.report`.  Before changing the grid, know what it costs:
every run is made when the page is built, so runs are short and only the first held-out rows are
looked at, which the sentence says.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.report import Report, make_report
from sublinear_lib.tables import Table
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets.controls import Choice
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Band, Line, Points, Rule, View

__all__ = ["checked_table", "own_data_explorer", "own_data_view"]

_RHO, _STEPS, _ROWS = 0.1, 40, 20
_TRAININGS = ("adversarial", "standard")
_WIDTHS = [128, 512, 1024]
_SHARES = [0.02, 0.1, 0.4]


def checked_table(table: object) -> Table:
    """Return the table, if it is one."""
    if not isinstance(table, Table):
        raise TypeError(f"table must be a Table, got {type(table).__name__}")
    return table


@lru_cache(maxsize=128)
def _report(table: Table, m: int, activity: float, training: str) -> Report:
    return make_report(
        table,
        m=m,
        activity=activity,
        rho=_RHO,
        training_rho=_RHO if training == "adversarial" else 0.0,
        steps=_STEPS,
        certify=_ROWS,
    )


def own_data_view(table: Table, training: str, m: int, activity: float) -> View:
    r"""Show certified and possible accuracy against the radius, for one trained network.

    Parameters
    ----------
    table : Table
        The data.
    training : {"adversarial", "standard"}
        With caps of radius 0.1 in training, or without.
    m : int
        Width, ``m >= 1``.
    activity : float
        Expected share of neurons that fire when training starts, in (0, 1/2].

    Returns
    -------
    View
        The two shares, the band that is open between them, and the intervals at radius 0.1.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Definitions 3.3 and 3.4.  40 steps, seed 0, the first 20 held-out rows.
    """
    table = checked_table(table)
    kind = choice(training, "training", _TRAININGS)
    width = count(m, "m")
    share = scalar(activity, "activity", exclusive_minimum=0.0, maximum=0.5)
    found = _report(table, width, share, kind)
    curve = found.curve
    radii = np.array([row.radius for row in curve])
    steps = np.repeat(radii, 2)
    low, high = (
        np.array([getattr(row, name) for row in curve]) for name in ("certified", "possible")
    )
    # A proof covers the radii before it, a wrong point those after it.
    lower = np.concatenate([[low[0]], np.repeat(low[1:], 2), [low[-1]]])
    upper = np.concatenate([[high[0]], np.repeat(high[:-1], 2), [high[-1]]])
    clean, attacked, certified = found.clean, found.attacked, found.certified
    rows, silent = len(found.answers), found.silent[0]
    against = "against the adversary" if kind == "adversarial" else "without an adversary"
    return View(
        x=Axis(label="radius of the cap", limits=(0.0, float(radii[-1]))),
        y=Axis(label="share of held-out rows", limits=(0.0, 1.0), format=percent),
        marks=[
            Rule(found.rho, label="*ρ*", role="muted", dash=True),
            Band(steps, lower, upper, label="open", role="muted"),
            Line(steps, upper, label="possible", role="c4"),
            Line(steps, lower, label="certified", role="c3"),
            Points(
                [found.rho],
                [certified.estimate],
                lower=[certified.lower],
                upper=[certified.upper],
                role="c3",
            ),
        ],
        sentence=(
            f"{grouped(width)} neurons, {percent(share)} of them active, trained {against}: of "
            f"{rows} held-out rows {percent(clean.estimate)} are right, "
            f"{percent(attacked.estimate)} survive our attack within {number(found.rho)}, and "
            f"{percent(certified.estimate)} are proved right there. "
            + ("No row is open." if found.unknown == 0 else f"Open rows: {found.unknown}.")
        ),
        readouts={
            "neurons active at a point": number(width * found.active[0]),
            "certified, 95 % interval": (
                f"{percent(certified.lower)} to {percent(certified.upper)}"
            ),
            "open rows": str(found.unknown),
        },
        warning=(
            f"At {silent} of {found.n_train} training points no neuron fires at the start, so "
            "nothing can be learned from them at first."
            if silent
            else None
        ),
    )


def own_data_explorer(table: Table) -> Explorer:
    """Build the explorer of width, threshold and training on a table.

    Parameters
    ----------
    table : Table
        The data.

    Returns
    -------
    Explorer
        Three widths, three activities, with and without an adversary: 18 trained networks.

    Raises
    ------
    TypeError
        If `table` is not a `Table`.

    Notes
    -----
    Source: Algorithm 1, Definition 3.4.
    """
    checked_table(table)
    return Explorer(
        lambda training, m, activity: own_data_view(table, training, int(m), float(activity)),
        [
            Choice(
                "training",
                "training",
                {
                    "adversarial": "against the adversary",
                    "standard": "without an adversary",
                },
            ),
            Choice("m", "width *m*", {str(m): grouped(m) for m in _WIDTHS}, "512"),
            Choice("activity", "active neurons", {str(s): percent(s) for s in _SHARES}, "0.1"),
        ],
        title="What can be promised?",
        description=(
            f"Dimension *d* = {table.p + 2}, radius *ρ* = {_RHO}. Every position is a network, "
            f"trained for {_STEPS} steps and judged on the first {_ROWS} held-out rows."
        ),
        name="own-data-explorer",
    )

"""What can be promised about a table, and a report on a file of the reader's own.

Every position of the explorer is one report, made when the page is built, so runs are short.
"""

from __future__ import annotations

from dataclasses import astuple
from functools import lru_cache, partial
from typing import Any

import numpy as np

from sublinear_lib.plotting import Picture, grouped, number, percent
from sublinear_lib.plotting.results import proof_steps
from sublinear_lib.report import Report, make_report
from sublinear_lib.tables import Table, read_table
from sublinear_lib.widgets import Axis, Band, Explorer, Line, LiveLab, Points, Rule, View
from sublinear_lib.widgets.declaration import explorer, lab, menu, slider, typed

_RHO, _STEPS, _ROWS = 0.1, 40, 20
_TRAININGS = {"adversarial": "against the adversary", "standard": "without an adversary"}


@lru_cache(maxsize=128)
def _report(table: Table, m: int, activity: float, training: str) -> Report:
    sizes: dict[str, Any] = {"m": m, "steps": _STEPS, "certify": _ROWS}
    foe = _RHO if training == "adversarial" else 0.0
    return make_report(table, activity=activity, rho=_RHO, training_rho=foe, **sizes)


def promise(table: Table, training: str, m: str, activity: str) -> View:
    """Show certified and possible accuracy against the radius, for one trained network."""
    width, share = int(m), float(activity)
    found = _report(table, width, share, training)
    radii, low, high = np.array([astuple(row) for row in found.curve]).T
    steps, lower, upper = proof_steps(radii, low, high)
    clean, attacked, certified = found.clean, found.attacked, found.certified
    ends = certified.lower, certified.upper
    rows, silent = len(found.answers), found.silent[0]
    return View(
        x=Axis(label="radius of the cap", limits=(0.0, float(radii[-1]))),
        y=Axis(label="share of held-out rows", limits=(0.0, 1.0), format=percent),
        marks=[
            Rule(found.rho, label="*ρ*", role="muted", dash=True),
            Band(steps, lower, upper, label="open", role="muted"),
            Line(steps, upper, label="possible", role="c4"),
            Line(steps, lower, label="certified", role="c3"),
            Points([found.rho], [certified.estimate], lower=[ends[0]], upper=[ends[1]], role="c3"),
        ],
        sentence=(
            f"{grouped(width)} neurons, {percent(share)} of them active, trained "
            f"{_TRAININGS[training]}: of {rows} held-out rows {percent(clean.estimate)} are right, "
            f"{percent(attacked.estimate)} survive our attack within {number(found.rho)}, and "
            f"{percent(certified.estimate)} are proved right there. "
            + ("No row is open." if found.unknown == 0 else f"Open rows: {found.unknown}.")
        ),
        readouts={
            "neurons active at a point": number(width * found.active[0]),
            "certified, 95 % interval": " to ".join(map(percent, ends)),
            "open rows": str(found.unknown),
        },
        warning=(
            f"At {silent} of {found.train.n} training points no neuron fires at the start, so "
            "nothing can be learned from them at first."
            if silent
            else None
        ),
    )


def own_data(table: Table) -> Explorer:
    """Make the explorer of width, threshold and training on a table."""
    declare = explorer(
        "What can be promised?",
        description=f"Dimension *d* = {table.p + 2}, radius *ρ* = {_RHO}. Every position is a "
        f"network, trained for {_STEPS} steps and judged on the first {_ROWS} held-out rows.",
        name="own-data-explorer",
        training=menu("training", _TRAININGS),
        m=menu("width *m*", {str(m): grouped(m) for m in (128, 1024)}, "1024"),
        activity=menu("active neurons", {str(s): percent(s) for s in (0.02, 0.1, 0.4)}, "0.1"),
    )
    return declare(partial(promise, table))()


def report_on_file(
    table: Table, path: str, label: str, m: int, activity: float, rho: float
) -> Picture:
    """Train on a file, or on a table if none is named, print shares and warnings, draw them."""
    data = read_table(path, label) if path.strip() else table
    found = make_report(data, m=m, activity=activity, rho=rho, steps=100)
    named = {"clean": found.clean, "attacked": found.attacked, "certified": found.certified}
    shares = ", ".join(f"{name} {percent(one.estimate)}" for name, one in named.items())
    print(f"{data.name}, {grouped(data.n)} rows: {shares}", end="; ")
    print(f"{found.unknown} of {len(found.answers)} rows open")
    print(f"delta/2 = {found.separation.rho_max:.3g}, rho = {rho:.3g}", end="")
    print("".join(f"\n- {text}" for text in found.warnings))
    return found.plot("own-file")


def own_file(table: Table) -> LiveLab:
    """Make the lab that reports on a file, or on a table as long as no file is named."""
    shares = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
    declare = lab(
        "A report on a file of your own",
        path=typed("CSV file (empty: the table of this page)"),
        label=typed("label column", start="class"),
        m=slider("width *m*", [2**k for k in range(6, 14)], start=512, format=grouped),
        activity=slider("activity *Q*(*t*)", shares, start=0.1, format=percent),
        rho=slider("radius *ρ*", [0.02, 0.05, 0.1, 0.15, 0.2, 0.3], start=0.1),
    )
    return declare(partial(report_on_file, table))()

"""The live lab of the capstone: a report on a file of your own.

It calls :func:`sublinear_lib.report.make_report` and draws what it promises.  No formula lives
here.  Before changing it, know that a file is read where the kernel runs, and that nothing of it
is stored.
"""

from __future__ import annotations

from functools import partial

from sublinear_lib.plotting import Picture, grouped, percent
from sublinear_lib.report import Report, make_report
from sublinear_lib.tables import Table, read_table
from sublinear_lib.widgets.controls import Slider, Text
from sublinear_lib.widgets.live_lab import LiveLab
from sublinear_lib.widgets.own_data import checked_table

__all__ = ["own_file_lab", "report_on_file"]


def _say(title: str, found: Report) -> None:
    shares = ", ".join(
        f"{name} {percent(one.estimate)}"
        for name, one in (
            ("clean", found.clean),
            ("attacked", found.attacked),
            ("certified", found.certified),
        )
    )
    print(f"{title}: {shares}; {found.unknown} of {len(found.answers)} rows open")


def report_on_file(
    table: Table, path: str, label: str, m: int, activity: float, rho: float
) -> Picture:
    """Train on a file, print the shares and the warnings, draw the promise.

    Parameters
    ----------
    table : Table
        Taken if `path` is empty.
    path : str
        A CSV file with a header, or nothing.
    label : str
        The column with the two classes.
    m : int
        Width, ``m >= 1``.
    activity : float
        Expected share of neurons that fire when training starts, in (0, 1/2].
    rho : float
        Radius of the caps in training and testing, in (0, sqrt(3)].

    Returns
    -------
    Picture
        Certified and possible shares against the radius.

    Raises
    ------
    FileNotFoundError, TypeError, ValueError
        If the file cannot be read as `read_table` wants it, or a number is out of range.

    Notes
    -----
    Source: Algorithm 1, Definitions 3.3 and 3.4.
    """
    data = read_table(path, label) if path.strip() else table
    found = make_report(data, m=m, activity=activity, rho=rho, steps=100)
    gap = found.separation
    _say(f"{data.name}, {grouped(data.n)} rows", found)
    print(f"delta/2 = {gap.rho_max:.3g}, rho = {rho:.3g}", end="")
    print("".join(f"\n- {text}" for text in found.warnings))
    return found.plot("own-file")


def own_file_lab(table: Table) -> LiveLab:
    """Build the lab that reports on a file of the reader's own.

    Parameters
    ----------
    table : Table
        What is taken as long as no file is named.

    Returns
    -------
    LiveLab
        A line for the file, one for the label column, and width, activity and radius.

    Raises
    ------
    TypeError
        If an argument has the wrong type.

    Notes
    -----
    Source: Algorithm 1, Definitions 3.3 and 3.4.
    """
    return LiveLab(
        partial(report_on_file, checked_table(table)),
        [
            Text("path", "CSV file (empty: the table of this page)"),
            Text("label", "label column", start="class"),
            Slider("m", "width *m*", [2**k for k in range(6, 14)], start=512, format=grouped),
            Slider(
                "activity",
                "activity *Q*(*t*)",
                [0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
                start=0.1,
                format=percent,
            ),
            Slider("rho", "radius *ρ*", [0.02, 0.05, 0.1, 0.15, 0.2, 0.3], start=0.1),
        ],
        title="A report on a file of your own",
    )

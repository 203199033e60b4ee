r"""A table of your own: a file with named columns becomes a training and a test set on X.

The paper starts from points with ``||x|| = 1`` and ``x_d = 1/2`` (Section 3.2); a table has columns
with units.  `read_table` takes numbers and two classes from a CSV file and refuses whatever it
would have to guess; rows that contradict each other are data, and a report counts them.
`Table.split` maps them to X as the estimator does: every feature centered and
divided by its standard deviation, one constant coordinate ``sqrt(p)`` appended, the result scaled
to length ``sqrt(3)/2``, and 1/2 appended, so that p features give ``d = p + 2``.  Before changing
anything, know that center and scale come from the *training* rows alone: a test row that has helped
to place itself is no test.
"""

from __future__ import annotations

import csv
import difflib
import io
import math
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sublinear_lib import geometry, validation
from sublinear_lib._arguments import Count, Nonnegative, Probability, checked, described
from sublinear_lib._typing import FloatArray, Seed
from sublinear_lib.datasets import Dataset, SliceMap, split_rows

__all__ = ["Table", "covered_shift", "lifted", "read_table"]

LEAST_ROWS = 10
"""A table with fewer rows is refused: nothing could be said about a test part of it."""


def lifted(features: object) -> FloatArray:
    r"""Append the constant ``sqrt(p)``, so that a vector keeps its length as an angle.

    Here `features` (n, p): feature vectors.

    What the map of `Table.split` takes.

    Raises TypeError, ValueError: if `features` is not a matrix of finite numbers.

    >>> lifted([[1.0, 2.0, 3.0, 4.0]])
    array([[1., 2., 3., 4., 2.]])
    """
    rows = validation.float_array(features, "features", shape=(None, None))
    return np.column_stack((rows, np.full(len(rows), math.sqrt(rows.shape[1]))))


@checked
def covered_shift(rho: Nonnegative, p: Count) -> float:
    r"""Return how far a row may move, in standard deviations, and surely stay in its cap.

    h: if the standardized features of a row change by a vector of Euclidean length at most h, its
    point of X moves by at most rho.

    ``h = sqrt(p) sin(theta)``, where theta is the angle of the cap (at most a right angle is used).
    *Proof.*  The row is ``q = (z, sqrt(p))`` before it is scaled, ``||q|| >= sqrt(p)``.  The points
    at an angle above theta from q are farther from q than ``||q|| sin(theta)``, the distance of q
    from the boundary of the cone.  A row far from the mean may move farther:
    ``||q|| sin(theta)``.

    >>> round(covered_shift(0.1, 13), 3)
    0.416
    """
    angle = min(geometry.cap_angle(rho), math.pi / 2.0)
    return math.sqrt(p) * math.sin(angle)


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of numbers with one of two labels, not yet on X; see `read_table`.

    Parameters
    ----------
    features : array-like, shape (n, p)
        The numbers, finite, ``n >= 10``, ``p >= 1``.  Copied, then read-only.
    y : array-like, shape (n,)
        Labels -1 and 1, two of each at least.  Copied, then read-only.
    columns : tuple of str, length p
        Names of the features, different.
    class_names : tuple of two str
        What -1 and 1 stand for.
    name : str
        Short name of the table.

    Raises
    ------
    TypeError, ValueError
        If a field is not as described.

    Examples
    --------
    >>> rows = [[float(k), float(k % 3)] for k in range(12)]
    >>> table = Table(rows, [-1, 1] * 6, ("length", "rest"), ("even", "odd"), "counting")
    >>> table
    Table('counting', n=12, p=2)
    >>> train, test = table.split(0.25, rng=0)
    >>> train, test
    (Dataset('counting', n=8, d=4), Dataset('counting', n=4, d=4))
    """

    features: FloatArray
    y: FloatArray
    columns: tuple[str, ...]
    class_names: tuple[str, str]
    name: str

    def __post_init__(self) -> None:
        """Validate and freeze the fields."""
        features = validation.float_array(self.features, "features", shape=(None, None))
        n, p = features.shape
        if n < LEAST_ROWS:
            raise ValueError(f"features must have at least {LEAST_ROWS} rows, got {n}")
        y = validation.labels(self.y, n=n)
        features, y = features.copy(), y.copy()
        if not np.isin(y, (-1.0, 1.0)).all():
            bad = int(np.argmax(~np.isin(y, (-1.0, 1.0))))
            raise ValueError(f"y must be -1 or 1, got {float(y[bad])!r} at index {bad}")
        for label in (-1.0, 1.0):
            if int((y == label).sum()) < 2:
                raise ValueError(
                    f"y must have both labels twice or more, got {label:+g} "
                    f"{int((y == label).sum())} times"
                )
        columns = _names(self.columns, "columns", p)
        classes = _names(self.class_names, "class_names", 2)
        validation.instance(self.name, "name", str)
        for array in (features, y):
            array.flags.writeable = False
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "y", y)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "class_names", classes)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle through the constructor, so that a copy is validated and read-only again."""
        arrays = np.array(self.features), np.array(self.y)
        return (Table, (*arrays, self.columns, self.class_names, self.name))

    def __repr__(self) -> str:
        """Name the table and its shape."""
        return f"Table({self.name!r}, n={self.n}, p={self.p})"

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.features.shape[0])

    @property
    def p(self) -> int:
        """Number of features."""
        return int(self.features.shape[1])

    @checked
    def split(self, test_fraction: Probability, rng: Seed) -> tuple[Dataset, Dataset]:
        """Split the rows, fit the map to X on the training part, and map both.

        Here `test_fraction`: share of every class that goes to the test part, in (0, 1); rounded,
        but at least one row of every class goes to either part.

        Returned: `train, test`: Disjoint parts, ``d = p + 2``.  The map, ``train.slice_map``, takes
        `lifted` features.
        """
        train, test = split_rows(self.y, test_fraction, validation.generator(rng))
        rows = lifted(self.features)
        plain = SliceMap.fit(self.features[train], scale=True)
        center, scale = np.append(plain.center, 0.0), np.append(plain.scale, 1.0)
        length = float(np.linalg.norm((rows[train] - center) / scale, axis=1).mean())
        slice_map = SliceMap(center, scale, length)
        parts = [
            Dataset(
                slice_map.transform(rows[part]),
                self.y[part],
                self.name,
                f"{part.size} of {self.n} rows of {self.name}: "
                f"{self.class_names[1]} (+1) against {self.class_names[0]} (-1)",
                self.class_names,
                slice_map,
            )
            for part in (train, test)
        ]
        return parts[0], parts[1]


def _names(value: object, name: str, length: int) -> tuple[str, ...]:
    given: list[object] = list(value) if isinstance(value, tuple | list) else []
    names = tuple(one for one in given if isinstance(one, str))
    if not isinstance(value, tuple | list) or len(names) != len(given):
        raise TypeError(f"{name} must be a tuple of strings, got {value!r}")
    if len(names) != length or len(set(names)) != length:
        raise ValueError(f"{name} must be {length} different names, got {list(names)}")
    return names


@described
def read_table(
    path: str | os.PathLike[str],
    label: str,
    *,
    positive: str | None = None,
    columns: Sequence[str] | None = None,
    delimiter: str = ",",
) -> Table:
    r"""Read a CSV file with a header, one column of labels, and numbers.

    Here `path`: the file, text in UTF-8; `label`: the column that names the class; exactly two
    different entries; `positive`: the entry that becomes +1; by default the later one in
    alphabetical order; `columns`: the features to use; by default every column but `label`.  Leave
    out row numbers and names; `delimiter`: what stands between two cells, one character.

    The rows in the order of the file, named after the file without its ending.  Rows may have the
    same features, with one label or with both: `sublinear_lib.report.make_report` counts them and
    says what they cost.

    Raises FileNotFoundError: if there is no such file.

    Raises ValueError: if it is not text or has no header, a column is missing or named twice, a row
    is too short or too long, a cell is empty, not a number or not finite (line and column are
    named), there are fewer than 10 rows, or one class or more than two.

    Raises TypeError: if an argument has the wrong type.

    >>> import tempfile
    >>> rows = [f"{k},{k * k},{'even' if k % 2 == 0 else 'odd'}" for k in range(12)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "numbers.csv"
    ...     _ = file.write_text("k,square,kind\n" + "\n".join(rows))
    ...     table = read_table(file, "kind")
    >>> table, table.columns, table.class_names
    (Table('numbers', n=12, p=2), ('k', 'square'), ('even', 'odd'))
    """
    file = _file(path)
    for value, argument in ((label, "label"), (positive, "positive"), (delimiter, "delimiter")):
        if value is not None or argument != "positive":
            validation.instance(value, argument, str)
    if len(delimiter) != 1:
        raise ValueError(f"delimiter must be one character, got {delimiter!r}")
    name, text = validation.printable(file.name), ""
    try:
        text = file.read_bytes().decode("utf-8-sig")
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        lines = [
            (reader.line_num, [cell.strip() for cell in row])
            for row in reader
            if any(cell.strip() for cell in row)
        ]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(
            f"path must name a CSV file in UTF-8, but {name}: {error}"
            f"{_another_delimiter(text, label, delimiter)}"
        ) from None
    if not lines:
        raise ValueError(f"path must name a CSV file with a header, but {name} is empty")
    header, rows = lines[0][1], lines[1:]
    chosen = _columns(header, label, columns, _another_delimiter(text, label, delimiter))
    if len(rows) < LEAST_ROWS:
        raise ValueError(
            f"path must name a table of at least {LEAST_ROWS} rows, got {len(rows)} in {name}"
        )
    for number, row in rows:
        if len(row) != len(header):
            raise ValueError(
                f"line {number} of {name} must have {len(header)} cells as the header has, "
                f"got {len(row)}"
            )
    at = header.index(label)
    labels = [row[at] for _, row in rows]
    y, classes = _classes(labels, label, positive, [number for number, _ in rows])
    place = {name: k for k, name in enumerate(header)}
    places = [place[name] for name in chosen]
    features = np.array(
        [[_cell(row[k], number, header[k]) for k in places] for number, row in rows]
    )
    return Table(features, y, chosen, classes, validation.printable(file.stem))


def _file(path: object) -> Path:
    file = validation.path(path)
    shown = validation.printable(str(file))
    if not file.exists():
        raise FileNotFoundError(f"path must name a CSV file, but {shown} does not exist")
    if not file.is_file():
        raise ValueError(f"path must name a CSV file, but {shown} is not a regular file")
    return file


def _another_delimiter(text: str, label: str, delimiter: str) -> str:
    """Name the sign that seems to stand between the cells, if the header is split by another."""
    for sign in ",;\t|":
        cells = next(csv.reader(io.StringIO(text, newline=""), delimiter=sign), [])
        if sign != delimiter and len(cells) > 1 and label in map(str.strip, cells):
            return f"; the cells seem to be separated by {sign!r}, which `delimiter` has to name"
    return ""


def _listed(names: Sequence[str]) -> str:
    """List names for a message, not all of them if they are many."""
    return ", ".join(map(repr, names[:10])) + (f", ... ({len(names)})" if len(names) > 10 else "")


def _columns(
    header: list[str], label: str, columns: Sequence[str] | None, hint: str
) -> tuple[str, ...]:
    if "" in header:
        raise ValueError(
            f"the header must name every column, got none for column {header.index('') + 1} "
            f"of {len(header)}"
        )
    ((twice, times),) = Counter(header).most_common(1)
    if times > 1:
        raise ValueError(f"the header must name every column once, got {twice!r} {times} times")
    if label not in header:
        if not hint and (close := difflib.get_close_matches(label, header, n=1)):
            hint = f"; did you mean {close[0]!r}?"
        raise ValueError(f"label must be one of the columns {_listed(header)}, got {label!r}{hint}")
    if columns is None:
        chosen = [name for name in header if name != label]
    elif isinstance(columns, str):
        raise TypeError(f"columns must be a sequence of names, got the string {columns!r}")
    else:
        chosen = list(columns)
    features = dict.fromkeys(name for name in header if name != label)
    times_chosen = Counter(chosen)
    for name in chosen:
        if name not in features or times_chosen[name] > 1:
            raise ValueError(
                f"columns must be different features among {_listed(list(features))}, got {name!r}"
            )
    if not chosen:
        raise ValueError(f"there must be a feature beside the label {label!r}, got none")
    return tuple(chosen)


def _classes(
    labels: list[str], label: str, positive: str | None, lines: list[int]
) -> tuple[FloatArray, tuple[str, str]]:
    if "" in labels:
        raise ValueError(
            f"line {lines[labels.index('')]}, column {label!r}: a label is wanted, got an empty "
            "cell"
        )
    found = sorted(set(labels))
    if len(found) != 2:
        shown = ", ".join(map(repr, found[:5])) + (", ..." if len(found) > 5 else "")
        raise ValueError(
            f"label must be a column with two classes, got {len(found)} in {label!r}: {shown}"
        )
    if _number(found[0]) == _number(found[1]):
        raise ValueError(
            f"label must be a column with two classes, got {found[0]!r} and {found[1]!r} in "
            f"{label!r}, which are one number; write it in one way"
        )
    if positive is not None and positive not in found:
        raise ValueError(f"positive must be one of the classes {found}, got {positive!r}")
    plus = found[1] if positive is None else positive
    minus = found[0] if plus == found[1] else found[1]
    for name in found:
        if labels.count(name) < 2:
            raise ValueError(
                f"label must be a column with two rows or more of each class, got one of {name!r}"
            )
    return np.where(np.array(labels) == plus, 1.0, -1.0), (minus, plus)


def _number(text: str) -> float:
    """Read a number in ASCII, NaN where there is none."""
    try:
        # Python reads 1_000 as a thousand, and the digits of every script; whoever wrote a table
        # may have meant something else.
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan


def _cell(text: str, line: int, column: str) -> float:
    value = _number(text)
    if not math.isfinite(value):
        infinite = math.isinf(value) or text.lower().lstrip("+-") == "nan"
        shown = repr(text) if text else "an empty cell"
        raise ValueError(
            f"line {line}, column {column!r}: a {'finite ' if infinite else ''}number is wanted, "
            f"got {shown}"
        )
    return value

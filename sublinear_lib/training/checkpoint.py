"""Checkpoints: what Algorithm 1 needs to go on after it was killed, and nothing else.

A checkpoint is an ``.npz`` archive of plain arrays with the name and the version of its format: the
present weights, the rows of the history, the state of the random generator, and fingerprints of
everything the run was given.  Nothing in it is ever executed.  Before changing it, know two things.

*Writing is atomic.*  The file is written under another name, forced to the disk and then renamed;
the checkpoint before it is kept as ``NAME.previous``.  A process that is killed at any moment
leaves a complete checkpoint behind, or none if it had not written one yet.

*A checkpoint is a clean cut.*  Indices, memories of caps and bounds of norms depend on the whole
past, and with ``reduction="blas"`` the order of sums depends on them.  Instead of storing all that,
the run that writes a checkpoint starts anew from what it has written, exactly as a run that reads
it does.  So a run that was interrupted and resumed equals, to the bit, one that was not.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import shutil
import types
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sublinear_lib import archives
from sublinear_lib._typing import FloatArray
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training.history import PHASES, StepRecord

__all__ = [
    "FORMAT",
    "LARGEST_WEIGHT",
    "VERSION",
    "State",
    "describe",
    "fingerprints",
    "previous",
    "read",
    "write",
]

FORMAT = "sublinear_lib.training checkpoint"
"""What a file calls itself."""

VERSION = 1
"""The newest version of the format that is read, and the one that is written."""

LARGEST_WEIGHT = 1e150
"""Beyond this no product of weights is safe; training has diverged long before."""

_SUBJECTS = ("network", "data", "settings", "generator", "sizes")
# Numbers beyond these let NumPy read behind the end of its arrays.
_LARGEST_IN_STATE = {"pos": 624, "buffer_pos": 4, "has_uint32": 1}
_KINDS = {item.name: str(item.type) for item in fields(StepRecord)}
_COUNTS = tuple(name for name, kind in _KINDS.items() if kind == "int")
_OPTIONAL = tuple(name for name, kind in _KINDS.items() if kind.endswith("None"))
_OPTIONAL_COUNTS = tuple(name for name, kind in _KINDS.items() if kind == "int | None")
_COLUMNS = tuple(name for name in _KINDS if name != "seconds")


@dataclass(frozen=True, eq=False)
class State:
    """A run between two steps.

    Parameters
    ----------
    W : ndarray of float64, shape (m, d)
        The present weights.
    squared_drift : ndarray of float64, shape (m,)
        Squared distances of the neurons from their initial weights, as the history computed them.
    generator : dict
        State of the bit generator.
    records : tuple of StepRecord
        The steps so far.
    """

    W: FloatArray
    squared_drift: FloatArray
    generator: dict[str, Any]
    records: tuple[StepRecord, ...]


def describe(value: object) -> str:
    """Describe a parameter in words that are the same in every process."""
    return _described(value, ())


def _described(value: Any, inside: tuple[int, ...]) -> str:
    """Describe an object that is part of those with the ids `inside`."""
    if id(value) in inside:
        return f"<{inside[::-1].index(id(value))} up>"

    def inner(part: object) -> str:
        return _described(part, (*inside, id(value)))

    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if is_dataclass(value) and not isinstance(value, type):
        parts = (f"{item.name}={inner(getattr(value, item.name))}" for item in fields(value))
        return f"{type(value).__qualname__}({', '.join(parts)})"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(inner, value))}]"
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value)
    kind = type(value)
    if kind in (set, frozenset):
        return f"{{{', '.join(sorted(map(inner, value)))}}}"
    if kind is dict:
        parts = (f"{inner(key)}: {inner(item)}" for key, item in value.items())
        return f"{{{', '.join(sorted(parts))}}}"
    if kind is np.ndarray and not value.dtype.hasobject:
        return f"{value.dtype.str}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if kind is types.FunctionType:
        captured = [each.cell_contents for each in value.__closure__ or ()]
        return f"{value.__module__}.{value.__qualname__}{inner([value.__defaults__, captured])}"
    name = f"{kind.__module__}.{kind.__qualname__}"
    try:
        made = value.__reduce_ex__(4)
    except Exception as error:
        raise TypeError(
            f"{name} must say what it is made of, to be compared with a checkpoint; give it a "
            f"method __getstate__ that returns the numbers in it ({error})"
        ) from error
    # Of what pickle stores, the last are iterators: the items of a list and of a dictionary.
    state = (
        made if isinstance(made, str) else [*made[:3], *(list(part or ()) for part in made[3:5])]
    )
    return f"{name}({inner(state)})"


def fingerprints(
    network: TwoLayerNetwork,
    X: FloatArray,
    y: FloatArray,
    settings: str,
    generator: Mapping[str, Any],
    sizes: tuple[float, float],
) -> dict[str, str]:
    """Return digests of everything that determines a run, but for its number of steps."""

    def digest(*parts: bytes) -> str:
        total = hashlib.sha256()
        for part in parts:
            total.update(len(part).to_bytes(8, "little") + part)
        return total.hexdigest()

    shape = repr((network.W.shape, network.tau, network.activation.name)).encode()
    arrays = (array.tobytes() for array in (network.W, network.a, network.b))
    return {
        "network": digest(shape, *arrays),
        "data": digest(repr(X.shape).encode(), X.tobytes(), y.tobytes()),
        "settings": digest(settings.encode()),
        "generator": digest(_to_json(generator).encode()),
        "sizes": digest(repr(tuple(map(float, sizes))).encode()),
    }


def previous(path: str | os.PathLike[str]) -> Path:
    """Return where the checkpoint before the present one is kept."""
    target = Path(path)
    return target.with_name(f"{target.name}.previous")


def write(path: str | os.PathLike[str], state: State, prints: Mapping[str, str]) -> None:
    """Write a checkpoint; the one before it is kept beside it."""
    target = Path(path)
    records = state.records
    contents: dict[str, Any] = {
        "format": np.array(FORMAT),
        "version": np.array(VERSION),
        "W": state.W,
        "squared_drift": state.squared_drift,
        "generator": np.array(_to_json(state.generator)),
    }
    for subject in _SUBJECTS:
        contents[f"of_{subject}"] = np.array(prints[subject])
    for name in _COLUMNS:
        column = [getattr(row, name) for row in records]
        kind = np.int64 if name in _COUNTS else np.float64
        contents[f"record_{name}"] = np.array(column, dtype=kind)
    for phase in PHASES:
        column = [row.seconds[phase] for row in records]
        contents[f"seconds_{phase}"] = np.array(column, dtype=np.float64)
    archives.write_arrays(target, contents, before=lambda: _keep(target))


def read(
    path: str | os.PathLike[str],
    prints: Mapping[str, str],
    shape: tuple[int, int],
    generator: np.random.BitGenerator,
) -> State:
    """Read a checkpoint of a run."""

    def refuse(reason: str) -> ValueError:
        older = previous(path)
        kept = f"; the checkpoint before it is kept as {str(older)!r}" if older.exists() else ""
        return ValueError(f"cannot resume from {os.fspath(path)!r}: {reason}{kept}")

    with open(path, "rb") as file:
        contents = archives.read_arrays(file, refuse)
    archives.check_format(contents, FORMAT, VERSION, writer="a trainer", refuse=refuse)
    for subject in _SUBJECTS:
        # Older files do not have the sizes.
        found = contents.get(f"of_{subject}", prints[subject] if subject == "sizes" else None)
        if found is None:
            raise refuse(f"the entry 'of_{subject}' is missing")
        if str(found) != prints[subject]:
            other = {"sizes": "rho or eta"}.get(subject, subject)
            raise refuse(f"it belongs to a run with other {other}")
    try:
        return _decoded(contents, shape, generator)
    except KeyError as error:
        raise refuse(f"the entry {error} is missing") from error
    except Exception as error:  # whoever made the file can have written anything
        raise refuse(str(error)) from error


def _decoded(
    contents: Mapping[str, np.ndarray], shape: tuple[int, int], generator: np.random.BitGenerator
) -> State:
    """Return the run that a file holds, or raise an error that says why it holds none."""
    names = [f"record_{name}" for name in _COLUMNS]
    names += [f"seconds_{phase}" for phase in PHASES]
    shapes = {contents[name].shape for name in names}
    if len(shapes) > 1 or any(len(shape) != 1 for shape in shapes):
        raise ValueError("the columns of its history do not have one length")
    for name in names:
        _check_column(name, contents[name])
    W, squared_drift = contents["W"], contents["squared_drift"]
    for array, size in ((W, shape), (squared_drift, shape[:1])):
        if array.shape != size or array.dtype != np.float64 or not np.isfinite(array).all():
            raise ValueError("it does not hold the finite weights of a network of this size")
    if np.abs(W).max() > LARGEST_WEIGHT or squared_drift.min() < 0.0:
        raise ValueError("it does not hold weights and distances that a run could have reached")
    return State(
        W,
        squared_drift,
        _generator_state(str(contents["generator"]), generator),
        _records(contents),
    )


def _check_column(name: str, column: np.ndarray) -> None:
    """Refuse a column of the history that no run has written."""
    kind, _, item = name.partition("_")
    counts = kind == "record" and item in _COUNTS
    wrong = f"the column {name!r} of its history does not hold what a run writes"
    if column.dtype != (np.int64 if counts else np.float64):
        raise ValueError(wrong)
    given = column[~np.isnan(column)] if kind == "record" and item in _OPTIONAL else column
    whole = counts or item in _OPTIONAL_COUNTS
    signed = item in ("loss", "clean_loss", "robust_lower", "robust_upper")
    if (
        not np.isfinite(given).all()
        or (not signed and (given < 0).any())
        or (whole and (given != np.floor(given)).any())
        or (item == "step" and (given != np.arange(len(given))).any())
    ):
        raise ValueError(wrong)


def _generator_state(text: str, generator: np.random.BitGenerator) -> dict[str, Any]:
    """Return a state that generators of this kind can take."""
    trial = copy.deepcopy(generator)
    try:
        state = _from_json(text)
        trial.state = state
        same = _to_json(trial.state) == text
    except Exception as error:
        raise ValueError(f"the state of its generator cannot be used ({error})") from error
    numbers = {**state, **state.get("state", {})} if same else {}
    within = (0 <= numbers.get(name, 0) <= most for name, most in _LARGEST_IN_STATE.items())
    if not same or not all(within):
        raise ValueError("the state of its generator is not one that such a generator can have")
    return state


def _records(contents: Mapping[str, np.ndarray]) -> tuple[StepRecord, ...]:
    columns = {name: contents[f"record_{name}"].tolist() for name in _COLUMNS}
    for name in _OPTIONAL:
        columns[name] = [None if value != value else value for value in columns[name]]
    for name in _OPTIONAL_COUNTS:
        columns[name] = [None if value is None else int(value) for value in columns[name]]
    seconds = {phase: contents[f"seconds_{phase}"].tolist() for phase in PHASES}
    return tuple(
        StepRecord(
            **{name: column[t] for name, column in columns.items()},
            seconds={phase: column[t] for phase, column in seconds.items()},
        )
        for t in range(len(columns["step"]))
    )


def _keep(target: Path) -> None:
    """Give the present file, if there is one, a second name, and leave it the first."""
    present = os.path.realpath(target)  # a second name for a link would lead to the new file
    if not os.path.exists(present):
        return
    with archives.replacing(previous(target)) as temporary:
        try:
            os.link(present, temporary)
        except OSError:  # not every file system knows links
            shutil.copy(present, temporary)


def _to_json(state: object) -> str:
    return json.dumps(state, default=_plain, sort_keys=True)


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        return {"dtype": value.dtype.str, "entries": value.tolist()}
    if isinstance(value, np.integer):
        return int(value)
    raise TypeError(f"the state of the generator holds a {type(value).__name__}")


def _from_json(text: str) -> dict[str, Any]:
    def array(found: dict[str, Any]) -> Any:
        if set(found) == {"dtype", "entries"}:
            if np.dtype(found["dtype"]).kind not in "iu":
                raise ValueError(f"it holds an array of {found['dtype']!r}")
            return np.array(found["entries"], dtype=found["dtype"])
        return found

    state: dict[str, Any] = json.loads(text, object_hook=array)
    return state

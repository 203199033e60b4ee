"""Checkpoints: what Algorithm 1 needs to go on after it was killed, and nothing else.

A checkpoint is an ``.npz`` archive of plain arrays with the name and the version of its format: the
present weights, the rows of the history, the state of the random generator, and fingerprints of
everything the run was given.  Nothing in it is ever executed.  Before changing it, know two things.

*Writing is atomic.*  The file is written under another name, forced to the disk and then renamed;
the checkpoint before it is kept as ``NAME.previous``.  A process that is killed at any moment
leaves a complete checkpoint behind, or none if it had not written one yet.

*A checkpoint is a clean cut.*  Indices, candidate lists and bounds of norms depend on the whole
past, and with ``reduction="blas"`` the order of sums depends on them.  Instead of storing all that,
the run that writes a checkpoint starts anew from what it has written, exactly as a run that reads
it does.  So a run that was interrupted and resumed equals, to the bit, one that was not.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sublinear_lib import archives
from sublinear_lib._typing import FloatArray
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training.history import PHASES, StepRecord

__all__ = ["FORMAT", "VERSION", "State", "describe", "fingerprints", "previous", "read", "write"]

FORMAT = "sublinear_lib.training checkpoint"
"""What a file calls itself."""

VERSION = 1
"""The newest version of the format that is read, and the one that is written."""

_SUBJECTS = ("network", "data", "settings", "generator")
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
    """Describe a parameter in words that are the same in every process.

    Parameters
    ----------
    value : object
        A number, a string, a frozen dataclass, or any other object.

    Returns
    -------
    str
        Its representation if that is made of its contents, otherwise the name of its type.  A
        number of NumPy is described as the same number of Python.

    Examples
    --------
    >>> describe(0.5), describe(np.float64(0.5)), describe(object())
    ('0.5', '0.5', 'builtins.object')
    """
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if is_dataclass(value) and not isinstance(value, type):
        inner = (f"{item.name}={describe(getattr(value, item.name))}" for item in fields(value))
        return f"{type(value).__qualname__}({', '.join(inner)})"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(describe, value))}]"
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    return f"{type(value).__module__}.{type(value).__qualname__}"


def fingerprints(
    network: TwoLayerNetwork,
    X: FloatArray,
    y: FloatArray,
    settings: str,
    generator: Mapping[str, Any],
) -> dict[str, str]:
    """Return digests of everything that determines a run, but for its number of steps.

    Parameters
    ----------
    network : TwoLayerNetwork
        The network at initialization.
    X : ndarray of float64, shape (n, d)
        The examples.
    y : ndarray of float64, shape (n,)
        The labels.
    settings : str
        The parameters of the trainer.
    generator : mapping
        State of the bit generator at the start of the run.

    Returns
    -------
    dict of str to str
        One digest per subject.
    """

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
    }


def previous(path: str | os.PathLike[str]) -> Path:
    """Return where the checkpoint before the present one is kept.

    Parameters
    ----------
    path : str or path-like
        The present checkpoint.

    Returns
    -------
    Path
        ``NAME.previous`` in the same directory.
    """
    target = Path(path)
    return target.with_name(f"{target.name}.previous")


def write(path: str | os.PathLike[str], state: State, prints: Mapping[str, str]) -> None:
    """Write a checkpoint; the one before it is kept beside it.

    Parameters
    ----------
    path : str or path-like
        The file; written under exactly this name.
    state : State
        The run.
    prints : mapping of str to str
        What `fingerprints` returned for it.

    Raises
    ------
    OSError
        If the file cannot be written; the present checkpoint is untouched then.
    """
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


def read(path: str | os.PathLike[str], prints: Mapping[str, str], shape: tuple[int, int]) -> State:
    """Read a checkpoint of a run.

    Parameters
    ----------
    path : str or path-like
        The file.
    prints : mapping of str to str
        The fingerprints of the run that wants to go on.
    shape : tuple of int
        The numbers of neurons and of dimensions.

    Returns
    -------
    State
        The run between two steps, bit for bit.

    Raises
    ------
    OSError
        If the file cannot be opened (`FileNotFoundError` if there is none).
    ValueError
        If it is truncated or corrupt, no checkpoint, of a newer version or of another run.  The
        message names file and reason, and says where the checkpoint before it is.
    """

    def refuse(reason: str) -> ValueError:
        older = previous(path)
        kept = f"; the checkpoint before it is kept as {str(older)!r}" if older.exists() else ""
        return ValueError(f"cannot resume from {os.fspath(path)!r}: {reason}{kept}")

    with open(path, "rb") as file:
        contents = archives.read_arrays(file, refuse)
    archives.check_format(contents, FORMAT, VERSION, writer="a trainer", refuse=refuse)
    try:
        for subject in _SUBJECTS:
            if str(contents[f"of_{subject}"]) != prints[subject]:
                raise refuse(f"it belongs to a run with other {subject}")
        names = [f"record_{name}" for name in _COLUMNS]
        names += [f"seconds_{phase}" for phase in PHASES]
        shapes = {contents[name].shape for name in names}
        if len(shapes) > 1 or any(len(shape) != 1 for shape in shapes):
            raise refuse("the columns of its history do not have one length")
        W, squared_drift = contents["W"], contents["squared_drift"]
        for array, size in ((W, shape), (squared_drift, shape[:1])):
            if array.shape != size or array.dtype != np.float64 or not np.isfinite(array).all():
                raise refuse("it does not hold the finite weights of a network of this size")
        return State(
            W,
            squared_drift,
            _from_json(str(contents["generator"])),
            _records(contents),
        )
    except KeyError as error:
        raise refuse(f"the entry {error} is missing") from error


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
            return np.array(found["entries"], dtype=found["dtype"])
        return found

    state: dict[str, Any] = json.loads(text, object_hook=array)
    return state

"""Bad inputs, really given: what is refused, in which words, and what it leaves behind.

An entry of `BAD_INPUTS` keeps its promise if the good call goes well, the bad one raises the error
that is named, the message names the argument, says what is allowed and shows what was given, and
nothing that was handed over has changed: not the object whose method was called, not an array, not
the state of a generator.  Before changing it, know that the message is read by rules and not
compared with a stored text: a message may get better without anybody touching the table.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import fuzz
from benchmarks.reliability.bad_calls import (
    BAD_INPUTS,
    GOOD_CALLS,
    BadInput,
    resolve,
)
from sublinear_lib import claims
from sublinear_lib.network import TwoLayerNetwork

_ALLOWED = re.compile(r"\bmust\b|\bneeds?\b|\bgive either\b|\bis none of\b")


@dataclass(frozen=True)
class Refusal:
    """What came of a bad input.

    - ``bad``: The entry.
    - ``error``: The name of the error that was raised; empty if the call was carried out.
    - ``message``: Its message.
    - ``faults``: What of the promise was not kept.
    """

    bad: BadInput
    error: str
    message: str
    faults: tuple[str, ...]

    @property
    def kept(self) -> bool:
        """Whether the promise was kept."""
        return not self.faults


def source_of(value: object) -> str:
    """Return a bad value as one would write it.

    Examples
    --------
    >>> source_of([float("nan"), 0.5]), source_of("relu")
    ('[nan, 0.5]', "'relu'")
    """
    return repr(value)


def refusal(bad: BadInput, *, good: bool = True) -> Refusal:
    """Give one bad input."""
    faults = []
    if good:
        _, function, arguments = _prepared(bad.call)
        try:
            _carried_out(function, arguments)
        except Exception as error:
            faults.append(f"the good call fails: {type(error).__name__}: {error}")
    subject, function, arguments = _prepared(bad.call)
    arguments[bad.argument] = bad.value
    before = _state(subject, arguments)
    raised, message = "", ""
    try:
        _carried_out(function, arguments)
    except Exception as error:
        raised = type(error).__name__
        # KeyError quotes its message.
        message = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
        if not isinstance(error, bad.error):
            faults.append(f"{raised} instead of {bad.error.__name__}")
    else:
        faults.append("the call is carried out")
    if _state(subject, arguments) != before:
        faults.append("the refused call leaves a trace")
    if raised:
        faults += _silences(bad, message)
    return Refusal(bad, raised, message, tuple(faults))


def refusals(room: str | None = None) -> tuple[Refusal, ...]:
    """Give all bad inputs, and each good call once."""
    seen: set[str] = set()
    found = []
    for bad in BAD_INPUTS:
        if room is None or bad.call.partition(".")[0] == room:
            found.append(refusal(bad, good=bad.call not in seen))
            seen.add(bad.call)
    return tuple(found)


def _prepared(call: str) -> tuple[object, Any, dict[str, Any]]:
    good = GOOD_CALLS[call]
    arguments = good.arguments()
    if good.subject is None:
        return None, resolve(call), arguments
    subject = good.subject()
    return subject, getattr(subject, call.rpartition(".")[2]), arguments


def _carried_out(function: Any, arguments: dict[str, Any]) -> None:
    found = function(**arguments)
    if inspect.isgenerator(found):
        list(found)


def _state(subject: object, arguments: dict[str, Any]) -> object:
    return fuzz.fingerprint([_parts(subject), [_parts(value) for value in arguments.values()]])


def _parts(value: object) -> object:
    if isinstance(value, np.random.Generator):
        return value.bit_generator.state
    if isinstance(value, claims.Ledger):
        return [claim.id for claim in value]
    if isinstance(value, TwoLayerNetwork):
        # By its numbers: what it remembers about them to be faster is no part of it.
        return [value.W, value.a, value.b, value.tau, value.activation.name]
    return value if not callable(value) or hasattr(value, "__dict__") else repr(value)


def _silences(bad: BadInput, message: str) -> list[str]:
    """Return what a message does not say: the argument, what is allowed, what was given."""
    faults = []
    name = bad.named or bad.argument
    if not re.search(rf"\b{re.escape(name)}\b", message):
        faults.append(f"the message does not name {name}")
    if not _ALLOWED.search(message):
        faults.append("the message does not say what is allowed")
    if not any(_occurs(text, message) for text in _descriptions(bad.value)):
        faults.append("the message does not say what was given")
    return faults


def _occurs(text: str, message: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(text)}(?!\.?\w)", message) is not None


def _descriptions(value: object) -> Iterator[str]:
    """Give the ways in which a message may show a value: itself, a part, its type, its shape."""
    yield repr(value)
    yield str(value)
    yield type(value).__name__
    if isinstance(value, float) and math.isfinite(value):
        yield f"{value:g}"
    if isinstance(value, dict):
        for key, part in value.items():
            yield repr(key)
            yield from _descriptions(part)
    if isinstance(value, list | tuple):
        yield str(len(value))
        if not value:
            yield from ("none", "empty", "nothing")
        try:
            array = np.array(value)
        except ValueError:
            yield "ragged"
            yield "rows of different lengths"
            return
        yield str(array.shape)
        yield str(array.dtype)
        for part in value:
            yield from _descriptions(part)

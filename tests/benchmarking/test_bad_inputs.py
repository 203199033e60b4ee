"""Every bad input of the table is refused as promised; the table is what the book shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks import reliability
from benchmarks.reliability import BAD_INPUTS, GOOD_CALLS, BadInput, refusal
from sublinear_lib.halfspace import HalfspaceIndex

ROOMS = list(dict.fromkeys(bad.call.partition(".")[0] for bad in BAD_INPUTS))


def test_the_table_is_long_and_has_no_entry_twice() -> None:
    shown = [(bad.call, bad.argument, repr(bad.value)) for bad in BAD_INPUTS]
    assert len(shown) >= 200
    assert len(set(shown)) == len(shown)
    assert {bad.call for bad in BAD_INPUTS} == set(GOOD_CALLS), "a good call without a bad one"
    assert len(ROOMS) >= 15


@pytest.mark.parametrize("room", ROOMS)
def test_bad_input_is_refused_by_name_with_what_is_allowed_and_leaves_no_trace(room: str) -> None:
    broken = [
        f"{found.bad.call}({found.bad.argument}={found.bad.value!r}): {found.faults}: "
        f"{found.error}: {found.message}"
        for found in reliability.refusals(room)
        if not found.kept
    ]
    assert broken == []


# -- the rules see what is wrong -------------------------------------------------------------------


def faults(monkeypatch: pytest.MonkeyPatch, call: Any, value: Any = -1.0) -> tuple[str, ...]:
    """Return what is found when a function of the library behaves like `call`."""
    monkeypatch.setattr("sublinear_lib.geometry.cap_angle", call)
    return refusal(BadInput("geometry.cap_angle", "rho", value, ValueError)).faults


def refusing(message: str, error: type[Exception] = ValueError) -> Any:
    def call(rho: Any) -> float:
        if rho != 0.5:
            raise error(message)
        return 0.0

    return call


def test_a_perfect_refusal_has_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    assert faults(monkeypatch, refusing("rho must be a finite number >= 0, got -1.0")) == ()


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("radius must be a finite number >= 0, got -1.0", "does not name rho"),
        ("rho is wrong: -1.0", "does not say what is allowed"),
        ("rho must be a finite number >= 0", "does not say what was given"),
        ("rho must be a finite number >= 0, got -1.05", "does not say what was given"),
    ],
)
def test_what_a_message_does_not_say_is_a_fault(
    message: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = faults(monkeypatch, refusing(message))
    assert len(found) == 1
    assert fault in found[0]


def test_another_error_a_missing_one_and_a_broken_good_call_are_faults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    message = "rho must be a finite number >= 0, got -1.0"
    (found,) = faults(monkeypatch, refusing(message, IndexError))
    assert found == "IndexError instead of ValueError"
    assert faults(monkeypatch, lambda rho: 0.0) == ("the call is carried out",)

    def always(rho: Any) -> float:
        raise ValueError(message)

    (found,) = faults(monkeypatch, always)
    assert found.startswith("the good call fails")


def test_a_trace_in_an_argument_or_in_the_object_is_a_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def spoiling(rho: Any) -> float:
        if isinstance(rho, np.ndarray):
            rho[0] = 7.0
            raise ValueError("rho must be a number, got an array of dtype float64, ndarray")
        return 0.0

    assert faults(monkeypatch, spoiling, np.zeros(2)) == ("the refused call leaves a trace",)
    real = HalfspaceIndex.insert

    def hasty(self: HalfspaceIndex, points: Any, bias: Any = None) -> Any:
        self.remove([0])
        return real(self, points, bias)

    monkeypatch.setattr(HalfspaceIndex, "insert", hasty)
    bad = BadInput("halfspace.HalfspaceIndex.insert", "points", [[1.0, 2.0]], ValueError)
    assert refusal(bad).faults == ("the refused call leaves a trace",)


def test_the_tables_show_every_entry_once() -> None:
    some = [found for found in map(refusal, BAD_INPUTS[:12])]
    tables = reliability.bad_input_tables(some)
    assert sum(len(table.rows) for table in tables) == len(some)
    name, given, error, message = tables[0].rows[0]
    first = some[0]
    assert first.bad.call.endswith(name)
    assert given == f"{first.bad.argument}={first.bad.value!r}"
    assert (error, message) == (first.error, first.message)
    long = replace(first, bad=replace(first.bad, value=list(range(1000))))
    assert len(reliability.bad_input_tables([long])[0].rows[0][1]) < 80

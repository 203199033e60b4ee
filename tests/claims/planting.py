"""Copies of a module of the library with an error planted in its text."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import pytest

from sublinear_lib.claims import Budget, Claim, Observation, Outcome, Role, Verdict


@contextmanager
def planted(module: ModuleType, right: str, wrong: str) -> Iterator[ModuleType]:
    """Give a copy of a module in which one place of the text, that occurs once, is another."""
    text = inspect.getsource(module)
    assert text.count(right) == 1, f"{right!r} occurs {text.count(right)} times"
    copy = ModuleType(f"{module.__name__}_planted")
    sys.modules[copy.__name__] = copy
    try:
        exec(compile(text.replace(right, wrong), copy.__name__, "exec"), copy.__dict__)
        yield copy
    finally:
        del sys.modules[copy.__name__]


def verdict_of(claim: Claim) -> Verdict:
    """Run a quick check; one that raises leaves its claim undecided, as in a verification."""
    try:
        return claim.run(Budget.QUICK, 0).verdict
    except (ArithmeticError, ValueError, TypeError):
        return Verdict.UNDECIDED


class _RuledOut(BaseException):
    """The recorded verdict is no longer possible."""


def is_unsettled(claim: Claim) -> bool:
    """Return whether a quick check no longer finds the recorded verdict.

    The check ends with the first observation that rules this verdict out, whatever follows.
    """
    bearing = {Role.CONTROL}
    if claim.recorded not in (Verdict.FAILS, Verdict.TYPO, Verdict.GAP):
        bearing |= {Role.STATEMENT, Role.PRINT, Role.PROOF}

    check_types = Observation.__post_init__

    def watched(observation: Observation) -> None:
        check_types(observation)
        if observation.role in bearing and observation.outcome is not Outcome.YES:
            raise _RuledOut

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Observation, "__post_init__", watched)
        try:
            return verdict_of(claim) is not claim.recorded
        except _RuledOut:
            return True

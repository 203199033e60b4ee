"""Copies of a module of the library with an error planted in its text."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from sublinear_lib.claims import Budget, Claim, Verdict


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

"""Errors that are planted in the library, and what a check says to them."""

import inspect
import sys
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from sublinear_lib.claims import Budget, Observation, Outcome, Role, Verdict

REMEMBERED = {}


def errors_in_text():
    """Read ``planted.txt``: a claim, a module, a place of its text, and what is planted there.

    The line with the claim and the module is followed by pairs of the place and the error, whose
    lines begin with ``-`` and with ``+``.
    """
    name = module = ""
    blocks = []
    for line in [*(Path(__file__).parent / "planted.txt").read_text("utf-8").splitlines(), ""]:
        if line[:1] in ("-", "+"):
            if not blocks or blocks[-1][0] != line[0]:
                blocks.append((line[0], []))
            blocks[-1][1].append(line[2:])
            continue
        assert [sign for sign, _ in blocks] == ["-", "+"] * (len(blocks) // 2), name
        texts = ["\n".join(lines) for _, lines in blocks]
        yield from ((name, module, *pair) for pair in zip(texts[::2], texts[1::2], strict=True))
        blocks = []
        if line:
            name, module = line.split()


@contextmanager
def planted(module, right, wrong):
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


def exchange(patch, user, right, copy):
    """Let a module, and the instruments of all checks, use a copy of another one.

    It is exchanged by whatever name they have imported it.
    """
    instruments = [module for name, module in sys.modules.items() if ".claims.instruments." in name]
    found = False
    for module in (user, *instruments):
        for name in [name for name, value in vars(module).items() if value is right]:
            patch.setattr(module, name, copy)
            found = True
    assert found, f"{user.__name__} does not use {right.__name__}"


def plant(patch, owner, name, wrong):
    """Put a wrong function into the place of a right one."""
    patch.setattr(owner, name, wrong(getattr(owner, name)))


def changed(change):
    """Change what a function returns."""
    return lambda right: lambda *given, **more: change(right(*given, **more))


def scaled(factor, *fields):
    """Multiply what a function returns, or some fields of it."""

    def change(found):
        if not fields:
            return factor * found
        return replace(found, **{name: factor * getattr(found, name) for name in fields})

    return changed(change)


def remembered(patch, owner, name):
    """Let a part of a check compute once for the same arguments, whatever the random numbers."""
    right = getattr(owner, name)

    def part(*given):
        items = (tuple(item) if isinstance(item, list) else item for item in given)
        words = (item for item in items if isinstance(item, (int, float, str, tuple, Fraction)))
        key = (owner.__name__, name, *words)
        if key not in REMEMBERED:
            REMEMBERED[key] = right(*given)
        return REMEMBERED[key]

    patch.setattr(owner, name, part)


def verdict_of(claim):
    """Run a quick check; one that raises leaves its claim undecided, as in a verification."""
    try:
        return claim.run(Budget.QUICK, 0).verdict
    except (ArithmeticError, ValueError, TypeError):
        return Verdict.UNDECIDED


class _RuledOut(BaseException):
    """The recorded verdict is no longer possible."""


def is_unsettled(claim):
    """Return whether a quick check no longer finds the recorded verdict.

    The check ends with the first observation that rules this verdict out, whatever follows.
    """
    bearing = {Role.CONTROL}
    if claim.recorded not in (Verdict.FAILS, Verdict.TYPO, Verdict.GAP):
        bearing |= {Role.STATEMENT, Role.PRINT, Role.PROOF}

    check_types = Observation.__post_init__

    def watched(observation):
        check_types(observation)
        if observation.role in bearing and observation.outcome is not Outcome.YES:
            raise _RuledOut

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Observation, "__post_init__", watched)
        try:
            return verdict_of(claim) is not claim.recorded
        except _RuledOut:
            return True

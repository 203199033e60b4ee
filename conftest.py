"""Settings for every test run, whichever folder it starts from."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest
from compare_pictures import PICTURE, alike
from kernel_environment import kernel_environment

# The kernels that nbval starts inherit these, so that the stored outputs of the notebooks are
# compared under the conditions under which tools/run_notebooks.py made them.
os.environ.update(kernel_environment())


try:
    from nbval.plugin import IPyNbCell
except ImportError:  # whoever tests without notebooks
    pass
else:
    _to_the_byte = IPyNbCell.compare_outputs

    def _compare(self: Any, test: Any, ref: Any, skip_compare: Any = None) -> bool:
        """Compare the outputs of a cell, pictures by what they show, all else to the byte."""
        drawn, stored = (
            [each["data"] for each in outputs if PICTURE in each.get("data", ())]
            for outputs in (test, ref)
        )
        for new, old in zip(drawn, stored, strict=False):
            if alike(new[PICTURE], old[PICTURE]):
                new[PICTURE] = old[PICTURE]
        return bool(_to_the_byte(self, test, ref, skip_compare))

    IPyNbCell.compare_outputs = _compare


def _settled(frame: FrameType | None) -> bool:
    """Say whether what `frame` reads does not matter.

    It does not where somebody is choosing kernels by their name, or setting the variable anew.
    """
    from sublinear_lib.halfspace.kernels import choose

    while frame is not None:
        if frame.f_code is choose.__code__:
            return bool(frame.f_locals["kernels"] != "auto")
        if frame.f_globals.get("__name__") == pytest.MonkeyPatch.__module__:
            return True
        frame = frame.f_back
    return False


@contextmanager
def questions() -> Iterator[list[str]]:
    """List the questions whether compiled kernels may be used, while the block runs.

    Not listed are questions that would be answered in the same way without compiled kernels: those
    asked while ``SUBLINEAR_NUMBA`` is ``0``, and those about kernels that somebody has named.
    """
    environment = type(os.environ)
    read = environment.__getitem__
    asked: list[str] = []

    def reading(self: os._Environ[str], name: str) -> str:
        value = None
        try:
            value = read(self, name)
            return value
        finally:
            if name == "SUBLINEAR_NUMBA" and value != "0" and not _settled(sys._getframe(1)):
                asked.append(name)

    environment.__getitem__ = reading  # type: ignore[method-assign]
    try:
        yield asked
    finally:
        environment.__getitem__ = read  # type: ignore[method-assign]


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Keep Python from looking for garbage among thousands of tests, again and again."""
    gc.collect()
    gc.freeze()


def _unasked(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that runs once only, and yet asks what the other run would answer differently."""
    if item.get_closest_marker("either_way") is None:
        return (yield)
    with questions() as asked:
        result = yield
    if asked:
        pytest.fail(
            "this test asks whether there are compiled kernels: it must not be marked either_way",
            pytrace=False,
        )
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Watch the fixtures of a test that runs once only."""
    return (yield from _unasked(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Watch a test that runs once only."""
    return (yield from _unasked(item))

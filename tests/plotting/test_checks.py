"""Figures refuse places that do not ascend and values that they cannot show, and say which."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sublinear_lib.plotting.checks import ascending, nonnegative, positive, shares


@pytest.mark.parametrize(
    ("check", "given"),
    [
        (ascending, ((1, 2, 4), "x")),
        (ascending, ([0.0, 360.0], "angles", 0.0)),
        (positive, ([1, 2], "y", (2,))),
        (nonnegative, ([0, 2], "y", (2,))),
        (shares, ([0, 1], "y", (2,))),
    ],
)
def test_what_can_be_shown_comes_back_as_an_array(check: Any, given: tuple[Any, ...]) -> None:
    assert_array_equal(check(*given), np.asarray(given[0], dtype=float))


@pytest.mark.parametrize(
    ("check", "given", "message"),
    [
        (ascending, ([1.0], "x"), r"x must be at least two ascending numbers, got \[1\]"),
        (ascending, ([1.0, 1.0], "x"), r"ascending numbers, got \[1, 1\]"),
        (ascending, ([0.5, 2.0], "x", 1.0), r"ascending numbers >= 1, got \[0.5, 2\]"),
        (ascending, (np.arange(20.0)[::-1], "x"), r"\[19, 18, 17, 16, 15, 14, 13, 12, ...\]"),
        (positive, ([[1.0, 0.0]], "y", (None, None)), "y must be > 0 .* logarithmic axis, got 0"),
        (nonnegative, ([1.0, -1.0], "y", (2,)), r"y must be >= 0, got -1\.0"),
        (shares, ([-0.5, 1.0], "y", (2,)), r"y must lie in \[0, 1\], got values from -0.5"),
        (shares, ([0.0, 1.5], "y", (2,)), r"\[0, 1\], got values from 0.0 to 1.5"),
        (shares, ([1.0], "y", (2,)), "y must have shape"),
    ],
)
def test_what_cannot_be_shown_is_refused(check: Any, given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(*given)

"""The picture of a promise is true to its numbers and draws no nonsense."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from sublinear_lib.plotting import promise_picture
from tests.plotting.shown import tells

RUN: dict[str, Any] = {
    "radii": [0.0, 0.1, 0.2],
    "certified": [0.9, 0.7, 0.3],
    "possible": [0.9, 0.8, 0.75],
    "rho": 0.1,
    "intervals": ((0.9, 0.8, 0.95), (0.8, 0.7, 0.9), (0.7, 0.55, 0.8)),
}
drawn = partial(promise_picture, runs={"wine": RUN}, name="promise")


def test_the_text_has_every_share_interval_and_radius() -> None:
    tells(drawn(), "clean 90 % (80 % to 95 %)", "certified 70 % (55 % to 80 %)", "at radius 0.2")
    two = drawn(runs={"one": RUN, "two": {**RUN, "rho": 0.2}})
    assert two.html.count("<svg") == 2
    tells(two, "the shares at 0 and at 0.1 or 0.2 and their intervals")
    tells(drawn(), "the shares at 0 and at 0.1 and their intervals")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"radii": [0.1, 0.2, 0.3]}, "ascend from 0"),
        ({"certified": [0.9, 0.95, 0.3]}, "do not rise"),
        ({"possible": [1.2, 0.8, 0.7]}, r"lie in \[0, 1\]"),
        ({"possible": [0.9, 0.6, 0.6]}, "must not exceed possible"),
        ({"certified": [0.9, 0.7]}, "shape"),
        ({"rho": 0.3}, "rho"),
        ({"intervals": ((0.9, 0.8, 1.2), (0.8, 0.7, 0.9), (0.7, 0.5, 0.8))}, r"lie in \[0, 1\]"),
        ({"intervals": ((0.9, 0.95, 0.8), (0.8, 0.7, 0.9), (0.7, 0.5, 0.8))}, "in this order"),
        ({"rho": None}, r"runs\['wine'\] must have the entries"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(change: dict[str, object], message: str) -> None:
    run = {key: value for key, value in {**RUN, **change}.items() if value is not None}
    with pytest.raises(ValueError, match=message):
        drawn(runs={"wine": run})

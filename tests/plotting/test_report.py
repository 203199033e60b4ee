"""The picture of a promise is true to its numbers and draws no nonsense."""

from __future__ import annotations

from typing import Any

import pytest

from sublinear_lib.plotting import Picture, promise_picture

RUN: dict[str, Any] = {
    "radii": [0.0, 0.1, 0.2],
    "certified": [0.9, 0.7, 0.3],
    "possible": [0.9, 0.8, 0.75],
    "rho": 0.1,
    "intervals": ((0.9, 0.8, 0.95), (0.8, 0.7, 0.9), (0.7, 0.55, 0.8)),
}


def drawn(**change: object) -> Picture:
    return promise_picture({"wine": {**RUN, **change}}, name="promise")


def test_the_text_has_every_share_and_interval() -> None:
    alt = " ".join(drawn().alt.split())
    for words in ("clean 90 % (80 % to 95 %)", "certified 70 % (55 % to 80 %)", "at radius 0.2"):
        assert words in alt.replace("\N{NO-BREAK SPACE}", " ").replace("\u202f", " ")


def test_the_bytes_repeat_and_two_runs_are_two_panels() -> None:
    assert drawn().png == drawn().png
    two = promise_picture({"one": RUN, "two": RUN}, name="promise")
    assert two.html.count("<svg") == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"radii": [0.1, 0.2, 0.3]}, "ascend from 0"),
        ({"radii": [0.0]}, "at least two ascending numbers"),
        ({"certified": [0.9, 0.95, 0.3]}, "do not rise"),
        ({"possible": [1.2, 0.8, 0.7]}, r"lie in \[0, 1\]"),
        ({"possible": [0.9, 0.6, 0.6]}, "must not exceed possible"),
        ({"certified": [0.9, 0.7]}, "shape"),
        ({"rho": 0.3}, "rho"),
        ({"intervals": ((0.9, 0.8, 1.2), (0.8, 0.7, 0.9), (0.7, 0.5, 0.8))}, r"lie in \[0, 1\]"),
        ({"intervals": ((0.9, 0.95, 0.8), (0.8, 0.7, 0.9), (0.7, 0.5, 0.8))}, "in this order"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        drawn(**change)


def test_a_missing_entry_is_named() -> None:
    short = {key: value for key, value in RUN.items() if key != "rho"}
    with pytest.raises(ValueError, match=r"runs\['wine'\] must have the entries"):
        promise_picture({"wine": short}, name="promise")


def test_every_radius_of_a_report_is_told() -> None:
    two = promise_picture({"one": RUN, "two": {**RUN, "rho": 0.2}}, name="promise")
    assert "the shares at 0 and at 0.1 or 0.2 and their intervals" in two.alt
    same = promise_picture({"one": RUN, "two": RUN}, name="promise")
    assert "the shares at 0 and at 0.1 and their intervals" in same.alt

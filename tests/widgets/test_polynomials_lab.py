"""The labs of soft steps: what they print is true of what they draw."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sublinear_lib import plotting
from sublinear_lib.plotting import PAGE_HTML
from sublinear_lib.widgets import (
    LiveLab,
    fit_points_lab,
    fit_points_on_circle,
    polynomial_in_a_network,
    polynomial_network_lab,
)


def numbers(text: str, pattern: str) -> float:
    found = re.search(pattern, text)
    assert found is not None, text
    return float(found.group(1))


@pytest.mark.parametrize("kind", ["best", "paper"])
def test_the_worst_error_found_is_below_the_one_proven(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = fit_points_on_circle(kind, 2, 0.1, 0.6, 3)
    said = capsys.readouterr().out
    worst = numbers(said, r"moved points ([\d.]+)")
    proven = numbers(said, r"of the caps ([\d.]+)")
    assert 0.0 < worst <= proven <= 0.2
    degree = numbers(said, r"degree (\d+)")
    assert f"degree {degree:.0f}" in shown.alt


def test_the_best_polynomial_has_the_smaller_degree(capsys: pytest.CaptureFixture[str]) -> None:
    degrees = []
    for kind in ("best", "paper"):
        fit_points_on_circle(kind, 3, 0.05, 0.6, 1)
        degrees.append(numbers(capsys.readouterr().out, r"degree (\d+)"))
    assert degrees[0] * 10 < degrees[1]


def test_a_small_accuracy_is_not_taken_for_none(capsys: pytest.CaptureFixture[str]) -> None:
    fit_points_on_circle("best", 2, 0.1, 0.0004, 3)
    said = capsys.readouterr().out
    assert numbers(said, r"asked for ([\d.]+)") == 0.0001
    assert numbers(said, r"of the caps ([\d.]+)") <= 0.0004 / 3 + 5e-5


@pytest.mark.parametrize("seed", [None, -1])
def test_every_random_number_comes_from_a_written_seed(seed: object) -> None:
    with pytest.raises((TypeError, ValueError), match="seed must be an integer >= 0"):
        fit_points_on_circle("best", 2, 0.1, 0.6, seed)  # type: ignore[arg-type]


def test_what_takes_minutes_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="too long for this lab"):
        fit_points_on_circle("paper", 6, 0.2, 0.05, 0)
    with pytest.raises(ValueError, match=r"too long for this lab|must be reachable"):
        fit_points_on_circle("best", 6, 0.3, 0.05, 0)


def test_a_wider_network_is_nearer_to_the_polynomial(capsys: pytest.CaptureFixture[str]) -> None:
    errors = []
    for m in (2**8, 2**16):
        polynomial_in_a_network(m, 0.5, 2, 0.9, 0)
        errors.append(numbers(capsys.readouterr().out, r"all of X ([\d.]+)"))
    # The error is an average over m neurons: 1/16 of it, up to a factor of two.
    assert errors[1] < errors[0] / 8


def test_the_drawn_network_is_as_far_from_the_polynomial_as_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, np.ndarray] = {}
    real = plotting.step_picture

    def spy(*args: object, **kwargs: object) -> plotting.Picture:
        given.update(args[5])  # type: ignore[arg-type]
        return real(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr("sublinear_lib.widgets.polynomials_lab.step_picture", spy)
    polynomial_in_a_network(2**10, 0.0, 3, 0.9, 5)
    worst = numbers(capsys.readouterr().out, r"all of X ([\d.]+)")
    fit, network = given.values()
    drawn = float(np.abs(fit - network).max())
    assert 0.6 * worst < drawn <= worst + 1e-4


def test_the_labs_show_a_still() -> None:
    still = plotting.Picture(plotting.figure(200, 120), alt="A step of a polynomial.", name="still")
    for lab in (fit_points_lab(still), polynomial_network_lab(still)):
        assert isinstance(lab, LiveLab)
        assert "still-lab" in lab._repr_mimebundle_()[0][PAGE_HTML]


@pytest.mark.parametrize(
    "arguments",
    [("other", 3, 0.1, 0.5, 0), ("best", 1, 0.1, 0.5, 0), ("best", 3, 0.9, 0.5, 0)],
)
def test_the_fit_refuses_what_it_does_not_know(arguments: tuple) -> None:
    with pytest.raises(ValueError, match="must be"):
        fit_points_on_circle(*arguments)


@pytest.mark.parametrize(
    "arguments", [(1, 0.0, 3, 0.5, 0), (256, -1.0, 3, 0.5, 0), (256, 0.0, 9, 0.5, 0)]
)
def test_the_network_refuses_what_it_does_not_know(arguments: tuple) -> None:
    with pytest.raises(ValueError, match="must be"):
        polynomial_in_a_network(*arguments)

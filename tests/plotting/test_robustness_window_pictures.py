"""Promises of the pictures of the window: the words come from the numbers, mistakes are refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting
from sublinear_lib.features import (
    FeatureData,
    PatchNetwork,
    error_curve,
    gradient_energy,
    robustness_window,
)

LAW = FeatureData()
EPS = np.linspace(0.0, 1.0, 21)


def contest(q: float) -> plotting.Contest:
    window, P = robustness_window(LAW, q), LAW.patches
    return plotting.Contest(
        f"*q* = {q}",
        (LAW.robust_patches / P) ** (1 / q) * (LAW.alpha - EPS),
        (LAW.nonrobust_patches / P) ** (1 / q) * (LAW.beta - EPS),
        (window.lower, window.upper),
    )


def test_a_contest_says_where_the_lines_meet_and_whether_there_is_a_window() -> None:
    shown = plotting.contest_picture(EPS, [contest(1), contest(3)], name="contest")
    assert "q = 1: v starts at 0.984 and u at 0.0492" in shown.alt
    assert "no window, since 0.496 is not below 0.0484" in shown.alt
    assert "the window goes from 0.499 to 0.608" in shown.alt


def test_the_edges_say_where_the_window_opens() -> None:
    q = np.linspace(1, 6, 51)
    windows = [robustness_window(LAW, each) for each in q]
    edges = [w.lower for w in windows], [w.upper for w in windows]
    even = math.log(60) / math.log(3)
    shown = plotting.window_edges_picture(
        q, *edges, xlabel="exponent *q*", even=even, even_label="*C* = 1", name="edges"
    )
    assert "open from 2.6 to 6" in shown.alt and "A line at 3.73: C = 1" in shown.alt
    closed = plotting.window_edges_picture(
        [1.0, 100.0], [0.5, 0.5], [0.3, 0.1], xlabel="scale", scale="log10", name="closed"
    )
    assert "empty throughout" in closed.alt


def test_the_errors_of_networks_are_those_that_were_measured() -> None:
    law = FeatureData(noise=0.0, jitter=0.0)
    network = PatchNetwork.of_features(law, robust=[1.0], nonrobust=[0.0])
    curve = error_curve(network, law.sample(3, rng=0), [0.0, 0.6, 0.61, 0.7], rng=0)
    bracket = plotting.ErrorBracket(curve.eps, curve.attacked, curve.certified)
    shown = plotting.robust_error_picture(
        {"pure *u*": bracket}, window=(0.4986, 0.6077), name="errors"
    )
    assert "pure u: certified without error up to 0.6" in shown.alt
    assert "all inputs broken from 0.61 on" in shown.alt
    assert "window from 0.499 to 0.608" in shown.alt
    half = plotting.ErrorBracket([0.1, 0.2], [0.1, 0.5], [0.2, 0.6])
    said = plotting.robust_error_picture({"a": half}, limits=(0.0, 0.3), name="half").alt
    assert "at 0.1 at most 20 % are broken" in said and "at least 50 % are broken" in said
    assert "shaded" not in said


def test_bars_name_every_share() -> None:
    law = FeatureData(noise=0.0)
    network = PatchNetwork.of_features(law, robust=[0.0], nonrobust=[1.0])
    energy = gradient_energy(network, law.sample(3, rng=0))
    shown = plotting.energy_picture(
        {"net": {"own *u*": energy.own_u, "own *v*": energy.own_v}}, name="bars"
    )
    assert "net: own u 0 %, own v 100 %" in shown.alt


BRACKET = plotting.ErrorBracket([0.1, 0.2], [0.1, 0.5], [0.2, 0.6])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"networks": {}}, "one to three"),
        ({"networks": {"a": BRACKET._replace(eps=[0.2, 0.1])}}, "ascending"),
        ({"networks": {"a": BRACKET._replace(certified=[0.0, 0.6])}}, "attacked <= certified"),
        ({"networks": {"a": BRACKET._replace(certified=[0.2, 1.6])}}, r"in \[0, 1\]"),
    ],
)
def test_a_bracket_that_contradicts_itself_is_refused(wrong: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        plotting.robust_error_picture(**wrong, name="x")


def test_the_words_of_a_bracket_hold_also_where_errors_do_not_grow() -> None:
    odd = plotting.ErrorBracket([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], [0, 1, 0, 1])
    said = plotting.robust_error_picture({"a": odd}, name="odd").alt
    assert "certified without error up to 0.1" in said
    assert "all inputs broken from 0.4 on" in said


def test_a_window_that_opens_twice_is_told_in_two_parts() -> None:
    lower, upper = [0.1, 0.5, 0.1, 0.1], [0.2, 0.2, 0.2, 0.2]
    said = plotting.window_edges_picture([1, 2, 3, 4], lower, upper, xlabel="scale", name="e").alt
    assert "The window is open from 1 to 1 and from 3 to 4." in said


def test_a_contest_needs_something_that_falls() -> None:
    nothing = plotting.Contest("a", 0 * EPS, 1 - EPS, (0.5, 0.0))
    with pytest.raises(ValueError, match=r"panels\[0\].robust must start above 0"):
        plotting.contest_picture(EPS, [nothing], name="x")
    rising = plotting.Contest("a", 1 - EPS, 1 + EPS, (0.5, 0.5))
    with pytest.raises(ValueError, match=r"panels\[0\].nonrobust must .* nowhere rise"):
        plotting.contest_picture(EPS, [rising], name="x")
    with pytest.raises(ValueError, match="eps must be at least two ascending numbers >= 0"):
        plotting.contest_picture(EPS - 1.0, [contest(2)], name="x")


def test_other_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="one to 4 panels"):
        plotting.contest_picture(EPS, [], name="x")
    with pytest.raises(ValueError, match="eps must be at least two ascending"):
        plotting.contest_picture([1.0, 1.0], [contest(2)], name="x")
    with pytest.raises(ValueError, match="must name the directions"):
        plotting.energy_picture({"a": {"u": 1.0}, "b": {"v": 1.0}}, name="x")
    with pytest.raises(ValueError, match=r"shares in \[0, 1\]"):
        plotting.energy_picture({"a": {"u": 1.2}}, name="x")
    with pytest.raises(ValueError, match="one to six"):
        plotting.energy_picture({"a": {}}, name="x")

"""Promises of the pictures of the window: the words come from the numbers, mistakes are refused."""

from __future__ import annotations

from typing import Any

import pytest

from sublinear_lib import plotting
from sublinear_lib.features import (
    FeatureData,
    PatchNetwork,
    error_curve,
)


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

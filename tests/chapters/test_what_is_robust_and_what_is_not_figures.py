"""Errors are pairs, attacked and certified, and a pair that contradicts itself is not drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib.chapters.what_is_robust_and_what_is_not import figures
from sublinear_lib.features import FeatureData, PatchNetwork, error_curve
from sublinear_lib.plotting import Picture
from tests.plotting.shown import alt, lines

DIGITS = {"*ε* = 0.1": [(0.2, 0.6, 0.5, 0.7), (0.0, 0.05, 0.04, 0.06), (0.1, 0.3, 0.2, 0.4)]}
ROW = ((0.9, 0.75, 1.0), (0.1, 0.0, 0.2), (0.2, 0.1, 0.3))
HALF = figures.ErrorBracket([0.1, 0.2], [0.1, 0.5], [0.2, 0.6])


def digits(**changes: Any) -> Picture:
    panels = {"Warm": DIGITS, "Cold": DIGITS}
    return figures.digit_errors_picture(**{"panels": panels, "name": "d", **changes})


def variants(**changes: Any) -> Picture:
    rows = {"*q* = 3": ROW, "sign": ROW}
    return figures.variants_picture(**{"rows": rows, "name": "v", **changes})


def errors(**changes: Any) -> Picture:
    given = {"networks": {"a": HALF}, "limits": (0.0, 0.3), "window": (0.1, 0.15), "name": "e"}
    return figures.robust_error_picture(**{**given, **changes})


MADE = [digits, variants, errors]


def test_texts_give_the_numbers_and_curves_run_through_them_in_order() -> None:
    assert "Warm: ε = 0.1 from 5 % at 0 to 60 % at 0.2" in alt(digits())
    assert "q = 3: 90 %, error 10 % to 20 %" in alt(variants())
    for points in lines(digits(), "c1"):
        np.testing.assert_allclose(points, [[0.0, 0.05], [0.1, 0.3], [0.2, 0.6]], atol=0.005)
    with pytest.raises(ValueError, match="must not have a certificate below an attack"):
        variants(rows={"a": (ROW[0], ROW[2], ROW[1])})


def test_the_errors_of_networks_are_those_that_were_measured() -> None:
    law = FeatureData(noise=0.0, jitter=0.0)
    network = PatchNetwork.of_features(law, robust=[1.0], nonrobust=[0.0])
    curve = error_curve(network, law.sample(3, rng=0), [0.0, 0.6, 0.61, 0.7], rng=0)
    bracket = figures.ErrorBracket(curve.eps, curve.attacked, curve.certified)
    said = errors(networks={"pure *u*": bracket}, window=(0.4986, 0.6077), limits=None).alt
    assert "pure u: certified without error up to 0.6" in said
    assert "all inputs broken from 0.61 on" in said and "window from 0.499 to 0.608" in said


def test_a_bracket_is_told_by_its_ends_and_its_widest_gap() -> None:
    said = alt(errors(window=None))
    assert "at 0.1 at most 20 % are broken" in said and "at least 50 % are broken" in said
    assert "gap between attack and certificate 10 %" in said and "shaded" not in said
    odd = figures.ErrorBracket([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], [0, 1, 0, 1])
    said = errors(networks={"a": odd}).alt
    assert "certified without error up to 0.1" in said and "all inputs broken from 0.4 on" in said


def test_a_bracket_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="attacked <= certified"):
        errors(networks={"a": HALF._replace(certified=[0.0, 0.6])})

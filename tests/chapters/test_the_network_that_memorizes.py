"""Networks that memorize: sizes, weights, shapes and certificates are those of the library."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.chapters.the_network_that_memorizes import explorers
from sublinear_lib.plotting import Picture, number
from sublinear_lib.widgets import Band, Points
from tests.chapters.marks import of

NORMS = {"inf": math.inf, "2": 2.0, "1": 1.0}
BUILD = {"inf": mem.memorize, "1": mem.memorize_l1, "2": mem.memorize_l2}
Y = np.repeat([1.0, 2.0, 3.0], 2)


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("share", [0.25, 0.4, 0.45])
def test_size_weight_and_plateau_are_those_of_the_network(p: str, share: float) -> None:
    view, norm = explorers.bumps.function(share, p), NORMS[p]
    X = np.concatenate([np.column_stack([mark.x, mark.y]) for mark in of(view, Points)])
    lam = mem.separation(X, Y, norm)
    mu, read = share * lam, dict(view.readouts)
    network = BUILD[p](X, Y, mu).network
    assert read["nonzero parameters"] == str(network.nonzeros)
    assert read["largest weight"] == number(network.largest_weight)
    assert read["width × depth"] == f"{network.width} × {network.depth}"
    assert p != "inf" or network.nonzeros == 6 * (8 * 2 + 5)
    # The squares of p = 2 are approximated from above, by less than half of what separates balls.
    most = math.sqrt(mu**2 + lam * (lam - 2 * mu) / 2) if p == "2" else mu
    for x, band in zip(X, of(view, Band)[2::3], strict=True):
        ends = np.max(band.x) - x[0], np.max(band.upper) - x[1], x[1] - np.min(band.lower)
        assert all(mu - 2e-3 <= reach <= most + 2e-3 for reach in ends)
        edge = np.column_stack([np.asarray(band.x), np.asarray(band.upper)]) - x
        assert p == "inf" or np.linalg.norm(edge, norm, axis=1).min() >= mu - 2e-3


def test_float32_breaks_near_the_threshold_only() -> None:
    far, near = (explorers.bumps.function(share, "inf").warning for share in (0.25, 0.499999))
    assert far is None and "float32" in (near or "")


def built(**changes: Any) -> Picture:
    drawn = {"N": 8, "n": 3, "classes": 2, "share": 0.45, "p": "inf", "seed": 2}
    return explorers.build_and_certify.function(**{**drawn, **changes})


@pytest.mark.parametrize("p", NORMS)
def test_the_lab_prints_counts_formula_and_certificate(
    p: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = built(p=p)
    said = capsys.readouterr().out
    lam = mem.separation(*mem.random_points(8, 3, 2, rng=2), NORMS[p])
    assert f"lambda = {lam:.4g}" in said and "certified 8 of 8 balls" in said
    assert "8 of 8 balls within 0.5" in shown.alt
    if p == "inf":
        size = mem.linf_size(8, 3)
        assert f"width {size.width}, depth {size.depth}\n{size.nonzeros} nonzeros" in said
        assert "plain intervals" in shown.alt and "stored weights" in said
    else:
        assert "attack" in shown.alt and "construction" in said


def test_the_picture_is_cut_but_not_the_certificate_and_lambda_half_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = built(N=70, n=2, share=0.25)
    assert "certified 70 of 70 balls" in capsys.readouterr().out and "on 60 balls" in shown.alt
    with pytest.raises(ValueError, match=r"lambda/2.*largest admissible budget"):
        built(share=0.5)


def test_near_the_limit_float32_breaks_and_float64_does_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = explorers.near_the_limit.function(N=8, n=3, label=2, closest=7, seed=0)
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("float64") and "wrong nowhere" in first
    assert second.startswith("float32") and "wrong from 1e-06 on" in second
    assert "float64: from" in shown.alt and "float32: from" in shown.alt

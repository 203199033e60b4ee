"""The robustness window: attacks and certificates agree with what explorer and labs say."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sublinear_lib.chapters.what_is_robust_and_what_is_not import explorers
from sublinear_lib.features import (
    Activation,
    FeatureData,
    PatchNetwork,
    ReLU,
    SmoothedReLU,
    certify_patches,
    feature_attack,
    robustness_window,
)
from sublinear_lib.widgets import Line, Points, Stretch
from tests.chapters.marks import of


@pytest.mark.parametrize("q", [1, 2, 3])
@pytest.mark.parametrize("eps", [0.04, 0.3, 0.52, 0.9])
def test_broken_means_an_attack_succeeds_and_safe_that_it_is_certified(q: int, eps: float) -> None:
    view, law = explorers.breaking_budgets.function(str(q), eps), FeatureData(noise=0.0, jitter=0.0)
    act: Activation = ReLU() if q == 1 else SmoothedReLU(q, 1.0)
    data, read = law.sample(3, rng=0), dict(view.readouts)
    u = PatchNetwork.of_features(law, [1.0 / 3.0], [0.0], act)
    v = PatchNetwork.of_features(law, [0.0], [1.0], act)
    for network, name, found in (
        (u, "net of *u*", feature_attack(u, data, eps, "swap_u")),
        (v, "net of *v*", feature_attack(v, data, eps, "swap_v")),
    ):
        broken = found.error == 1.0
        assert (certify_patches(network, data.X, data.y, eps).error == 1.0) == broken
        assert read[name] == ("broken" if broken else "safe")
    window = robustness_window(FeatureData(), q)
    ties = [float(np.asarray(mark.x)[0]) for mark in of(view, Points)]
    assert ties == pytest.approx([window.upper, window.lower])
    for line, tie in zip(of(view, Line)[1:], ties, strict=True):
        assert np.interp(tie, np.asarray(line.x), np.asarray(line.y)) == pytest.approx(tie)
    regions = [(region.start, region.stop) for region in of(view, Stretch)]
    assert regions == ([pytest.approx((window.lower, window.upper))] if q == 3 else [])
    assert ("u breaks first" in (view.warning or "")) == (q < 3)


def test_a_standard_run_is_broken_at_the_edge_of_the_window(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = explorers.certify_run.function(0.0, 300, 0.52, 0)
    said = capsys.readouterr().out
    assert "clean error 0.0%" in said and "attacks break 24 of 24 inputs" in said
    assert "standard training: certified without error up to 0.44" in shown.alt


def test_digits_without_an_adversary_are_learned_but_not_robust(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = explorers.robust_digits_run.function(0.0, "yes", 0.1, 0)
    said = capsys.readouterr().out
    found = re.search(r"clean error ([\d.]+)%.*?between ([\d.]+)%.* and ([\d.]+)%", said, re.DOTALL)
    assert found is not None
    clean, attacked, certified = (float(n) for n in found.groups())
    assert clean < 15 < 30 < attacked <= certified <= 100
    assert "standard training: at 0 at most" in shown.alt

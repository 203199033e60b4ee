"""Promises of the explorer of the window: attacks and certificates agree with what it says."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sublinear_lib.features import (
    Activation,
    FeatureAttack,
    FeatureData,
    PatchNetwork,
    ReLU,
    SmoothedReLU,
    certify_patches,
    feature_attack,
    robustness_window,
)
from sublinear_lib.widgets import (
    Explorer,
    Line,
    Points,
    Region,
    robustness_explorer,
    robustness_view,
)


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return robustness_explorer()


@pytest.mark.parametrize("q", [1, 2, 3])
@pytest.mark.parametrize("eps", [0.04, 0.3, 0.52, 0.9])
def test_broken_means_a_feature_attack_succeeds_and_safe_that_it_is_certified(
    q: int, eps: float
) -> None:
    said = dict(robustness_view(q, eps).readouts)
    law = FeatureData(noise=0.0, jitter=0.0)
    act: Activation = ReLU() if q == 1 else SmoothedReLU(q, 1.0)
    data = law.sample(3, rng=0)
    nets = {
        "net of *u*": (PatchNetwork.of_features(law, [1.0 / 3.0], [0.0], act), "swap_u"),
        "net of *v*": (PatchNetwork.of_features(law, [0.0], [1.0], act), "swap_v"),
    }
    for name, (network, kind) in nets.items():
        attack: FeatureAttack = "swap_u" if kind == "swap_u" else "swap_v"
        broken = feature_attack(network, data, eps, attack).error == 1.0
        assert (certify_patches(network, data.X, data.y, eps).error == 1.0) == broken
        assert said[name] == ("broken" if broken else "safe")


def test_lines_meet_the_diagonal_where_the_window_ends() -> None:
    view = robustness_view(3, 0.52)
    window = robustness_window(FeatureData(), 3)
    ties = [float(np.asarray(m.x)[0]) for m in view.marks if isinstance(m, Points)]
    assert ties == pytest.approx([window.upper, window.lower])
    (region,) = [m for m in view.marks if isinstance(m, Region)]
    assert (region.start, region.stop) == pytest.approx((window.lower, window.upper))
    _, u, v = [m for m in view.marks if isinstance(m, Line)]
    for line, tie in zip((u, v), ties, strict=True):
        assert np.interp(tie, np.asarray(line.x), np.asarray(line.y)) == pytest.approx(tie)
    assert view.warning is None


def test_every_position_has_its_words_and_the_table_is_small(explorer: Explorer) -> None:
    assert len(explorer._table) < 20_000
    for at in np.ndindex(*explorer.shape):
        stored = explorer.stored_view(*at)
        assert re.search("net of v is (safe|broken) .* they break at", stored["sentence"])
        assert ("u breaks first" in (stored["warning"] or "")) == (at[0] < 2)


@pytest.mark.parametrize("bad", [{"q": 0}, {"q": 2.5}, {"eps": -0.1}])
def test_nonsense_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        robustness_view(**{"q": 3, "eps": 0.5, **bad})  # type: ignore[arg-type]

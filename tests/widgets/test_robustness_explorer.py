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


@pytest.mark.parametrize("size", ["power", "linear"])
@pytest.mark.parametrize("q", [1, 2, 3])
@pytest.mark.parametrize("eps", [0.04, 0.3, 0.52, 0.9])
def test_broken_means_a_feature_attack_succeeds_and_safe_that_it_is_certified(
    q: int, size: str, eps: float
) -> None:
    said = dict(robustness_view(3.0, 1.0, 60, q, size, eps).readouts)
    law = FeatureData(noise=0.0, jitter=0.0)
    act: Activation = ReLU() if q == 1 else SmoothedReLU(q, 1.0)
    data, scale = law.sample(3, rng=0), {"power": 1.0, "linear": 20.0}[size]
    nets = {
        "net of *u*": (PatchNetwork.of_features(law, [scale / 3.0], [0.0], act), "swap_u"),
        "net of *v*": (PatchNetwork.of_features(law, [0.0], [scale], act), "swap_v"),
    }
    for name, (network, kind) in nets.items():
        attack: FeatureAttack = "swap_u" if kind == "swap_u" else "swap_v"
        broken = feature_attack(network, data, eps, attack).error == 1.0
        assert (certify_patches(network, data.X, data.y, eps).error == 1.0) == broken
        assert said[name] == ("broken" if broken else "safe")


def test_lines_meet_the_diagonal_where_the_window_ends() -> None:
    view = robustness_view(3.0, 1.0, 60, 3, "power", 0.52)
    window = robustness_window(FeatureData(), 3)
    ties = [float(np.asarray(m.x)[0]) for m in view.marks if isinstance(m, Points)]
    assert ties == pytest.approx([window.upper, window.lower])
    (region,) = [m for m in view.marks if isinstance(m, Region)]
    assert (region.start, region.stop) == pytest.approx((window.lower, window.upper))
    _, u, v = [m for m in view.marks if isinstance(m, Line)]
    for line, tie in zip((u, v), ties, strict=True):
        assert np.interp(tie, np.asarray(line.x), np.asarray(line.y)) == pytest.approx(tie)
    assert view.warning is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"q": 1}, r"empty: 0.496 is not below 0.0484, since C ≥ 2\^q = 2"),
        ({"q": 2}, r"window is empty.*since C ≥ 2\^q = 4"),
        ({"q": 3, "alpha": 1.5, "patches": 10}, r"although C < 2\^q = 8: α is only 1.5 times"),
        ({"q": 4}, "density assumption fails"),
        ({"eps": 0.3}, "below the stretch .* decides nothing"),
        ({"eps": 0.9}, "above the stretch .* decides nothing"),
        ({"size": "linear"}, "polynomial part.*fails"),
    ],
)
def test_the_warning_names_what_fails(changes: dict[str, object], words: str) -> None:
    chosen = {"alpha": 3.0, "beta": 1.0, "patches": 60, "q": 3, "size": "power", "eps": 0.52}
    view = robustness_view(**{**chosen, **changes})  # type: ignore[arg-type]
    assert view.warning is not None and re.search(words, view.warning)


def test_where_only_v_survives_it_does_not_say_that_nothing_is_decided() -> None:
    for changes in ({"size": "linear", "eps": 0.3}, {"q": 2, "eps": 0.4}):
        chosen = {"alpha": 3.0, "beta": 1.0, "patches": 60, "q": 3, "size": "power"}
        view = robustness_view(**{**chosen, **changes})  # type: ignore[arg-type]
        assert "net of v is safe and the net of u is broken" in view.sentence
        assert view.warning is not None and "v is the one that survives" in view.warning
        assert "decides nothing" not in view.warning


def test_every_position_has_its_words_and_the_table_is_small(explorer: Explorer) -> None:
    assert explorer.shape == (4, 2, 3, 4, 2, 16)
    assert len(explorer._table) < 120_000
    for at in np.ndindex(*explorer.shape):
        if sum(at) % 29 == 0:
            stored = explorer.stored_view(*at)
            assert "they break at" in stored["sentence"]
            if at[3] == 0 and at[2] > 0:
                assert "2^q = 2" in stored["warning"]


@pytest.mark.parametrize(
    "bad", [{"alpha": 0.0}, {"beta": -1.0}, {"patches": 0}, {"q": 0}, {"size": "x"}, {"eps": -0.1}]
)
def test_nonsense_is_refused(bad: dict[str, object]) -> None:
    chosen = {"alpha": 3.0, "beta": 1.0, "patches": 60, "q": 3, "size": "power", "eps": 0.5}
    with pytest.raises((TypeError, ValueError)):
        robustness_view(**{**chosen, **bad})  # type: ignore[arg-type]

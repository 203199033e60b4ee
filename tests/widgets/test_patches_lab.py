"""Promises of the lab of the two kinds of features: it prints what the library says."""

from __future__ import annotations

from typing import Any

import pytest

from sublinear_lib import features as fl
from sublinear_lib.widgets import attack_a_sample

SAMPLE: dict[str, Any] = {
    "alpha": 3.0,
    "beta": 1.0,
    "nonrobust_patches": 60,
    "noise": 0.025,
    "eps": 0.52,
    "kind": "swap_both",
    "seed": 1,
}
DRAWN: dict[str, Any] = {
    "networks": 12,
    "filters": 3,
    "activation": "smoothed",
    "noise": 0.0,
    "seed": 0,
}


def test_the_sample_lab_prints_errors_and_certificate(capsys: pytest.CaptureFixture[str]) -> None:
    shown = attack_a_sample(**SAMPLE)
    said = capsys.readouterr().out
    assert "u 27, v 60, C = 2.22" in said
    data = fl.FeatureData().sample(30, rng=1)
    for letter, A in (("u", 1.0), ("v", 0.0)):
        network = fl.PatchNetwork.of_features(data.law, [A], [1.0 - A])
        found = fl.feature_attack(network, data, 0.52, "swap_both").error
        proof = fl.certify_patches(network, data.X, data.y, 0.52).error
        assert f"{letter} alone: clean error 0.00, this attack {found:.2f}" in said
        assert f"any attack at most {proof:.2f}" in said
    assert "u₂ in 61 cells, on average 0.52" in shown.alt


@pytest.mark.parametrize(
    "bad",
    [{"alpha": 0.0}, {"nonrobust_patches": 121}, {"noise": -1.0}, {"kind": "x"}, {"seed": -1}],
)
def test_the_lab_refuses_what_is_out_of_range(bad: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        attack_a_sample(**{**SAMPLE, **bad})

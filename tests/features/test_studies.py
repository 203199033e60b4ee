"""Records measure what they say, repeat with their seed, and reproduce the cheap findings."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import feature_learning as study
from sublinear_lib.features import (
    FEATURE_ATTACKS,
    VARIANTS,
    FeatureData,
    FeatureRun,
    RecursionPath,
    agreement_record,
    digit_settings,
    error_curve,
    robustness_window,
    run_record,
    studies,
)

pytestmark = pytest.mark.either_way


def test_the_two_trainings_differ_in_everything_that_the_theorems_speak_about(
    standard: FeatureRun, adversarial: FeatureRun
) -> None:
    weak, strong = run_record(standard, 7), run_record(adversarial, 7)
    assert robustness_window(FeatureData(), 3).contains(0.52)
    assert weak["clean"] == strong["clean"] == 0.0
    assert weak["prop_3_1"] == weak["attacked"] == 1.0
    assert strong["attacked"] == strong["certified"] == 0.0
    assert weak["follows_v"] == strong["follows_u"] == 1.0
    assert weak["share_mean"] < 0.01 and strong["share_min"] > 0.8
    assert weak["classes_robust"] == 0.0 and strong["classes_robust"] == 1.0
    assert strong["robust_only"] == strong["nonrobust_only"] == weak["nonrobust_only"] == 0.0
    assert weak["robust_only"] > 0.1


def test_the_curve_of_errors_grows_between_attack_and_certificate(adversarial: FeatureRun) -> None:
    data = adversarial.data.law.sample(20, 7)
    curve = error_curve(adversarial.network, data, [0.0, 0.52, 0.56, 0.6, 0.7, 0.9], 0)
    assert (np.diff(curve.attacked) >= 0).all() and (np.diff(curve.certified) >= 0).all()
    assert (curve.attacked <= curve.certified).all()
    assert (curve.certified - curve.attacked <= 0.15).all()
    assert curve.certified[1] == 0.0 and curve.attacked[-2] == 1.0
    assert set(curve.feature) == set(FEATURE_ATTACKS)
    assert curve.feature["inject_u"][-1] == 1.0 and (curve.feature["swap_v"] == 0.0).all()
    assert all((errors <= curve.attacked).all() for errors in curve.feature.values())


def test_a_record_repeats_with_its_seed(standard: FeatureRun) -> None:
    assert run_record(standard, 3) == run_record(standard, 3)


def test_the_agreement_of_standard_training_is_within_one_percent() -> None:
    found = study.means([agreement_record("standard", seed) for seed in range(3)])
    assert found["mean_B"][0] < 0.01
    assert found["crossing"][0] == 0.0


@pytest.mark.thorough
def test_the_agreement_of_adversarial_training_knows_where_it_is_weak() -> None:
    found = agreement_record("adversarial", 1)
    assert found["crossing"] < 0.05 < 0.1 < found["final_B"] < 0.25
    assert found["final_A"] < 0.05


def test_a_transition_that_only_the_recursion_has_is_infinitely_far_from_the_training(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(RecursionPath, "crossing", lambda self: np.array([np.inf, 300.0, np.inf]))
    assert agreement_record("standard", 0)["crossing"] == math.inf


def test_a_weak_adversary_changes_nothing_and_the_recursion_says_so() -> None:
    found = study.budget_run(FeatureData(), 0.2, 0)
    assert found["share_mean"] < 0.01 and found["predicted_share"] < 0.01
    assert found["predicted_same"] == 1.0
    assert found["crossing_first"] == math.inf


def test_variants_keep_the_rate_over_the_power_of_rho() -> None:
    for name, settings in VARIANTS.items():
        if name.startswith("q ="):
            act = settings.activation
            assert settings.rate / act.rho ** (act.q - 1) == pytest.approx(1 / 225)  # type: ignore[attr-defined]


def test_the_digits_can_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    full = digit_settings(0.1)
    assert full.attack is not None and full.attack.warm_up == (100, 500)
    cold = digit_settings(0.1, warm_up=False)
    assert cold.attack is not None and cold.attack.warm_up is None
    monkeypatch.setattr(studies, "digit_settings", lambda eps: replace(full, samples=100, steps=80))
    found = studies.digit_record(0.0, 0, eps=0.02)
    assert 0 < found["clean"] <= found["attacked"] <= found["certified"] <= 1
    assert found == studies.digit_record(0.0, 0, eps=0.02)


def test_means_are_the_intervals_of_what_is_finite_everywhere() -> None:
    found = study.means([{"a": 1.0, "b": np.inf}, {"a": 2.0, "b": 1.0}, {"a": 3.0, "b": 1.0}])
    assert list(found) == ["a"] and found["a"][0] == 2.0
    assert found["a"][1:] == pytest.approx([2.0 - 2.484, 2.0 + 2.484], abs=1e-3)
    shares = study.means([{"clean": 0.0}, {"clean": 0.1}, {"clean": 1.0}])["clean"]
    assert shares[1:] == [0.0, 1.0]
    # A GELU is negative below 0, and so may the robust part of a logit be.
    mean, lower, upper = study.means([{"share_mean": -0.01}, {"share_mean": -0.02}])["share_mean"]
    assert lower < mean < 0.0 < upper


def test_every_share_of_a_record_is_known_as_one(standard: FeatureRun) -> None:
    other = {"A", "B", "loss", "clean_loss"}
    assert set(run_record(standard, 0)) - other <= study.SHARES

"""The two main training runs, once for all tests of the room."""

from __future__ import annotations

import pytest

from sublinear_lib.features import (
    FeatureData,
    FeatureRun,
    TrainingAttack,
    TrainingSettings,
    train_features,
)


@pytest.fixture(scope="session")
def standard() -> FeatureRun:
    """Train the main configuration without an adversary."""
    return train_features(FeatureData(), TrainingSettings(steps=400), 0)


@pytest.fixture(scope="session")
def adversarial() -> FeatureRun:
    """Train the main configuration against the main adversary."""
    attack = TrainingAttack(eps=0.9, rate=300)
    return train_features(FeatureData(), TrainingSettings(attack=attack), 0)

"""Feature learning under standard and adversarial training, after Li and Li (2025).

Data have two kinds of features, strong and dense; a two-layer convolutional network with a smoothed
ReLU learns one of them, and which one depends on the training.  ``data`` draws the inputs.
"""

from __future__ import annotations

from sublinear_lib.features.data import ABSENT, FeatureData, FeatureKind, PatchData

__all__ = ["ABSENT", "FeatureData", "FeatureKind", "PatchData"]

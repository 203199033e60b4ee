"""Feature learning under standard and adversarial training, after Li and Li (2025).

Data have two kinds of features, strong and dense; a two-layer convolutional network with a smoothed
ReLU learns one of them, and which one depends on the training.  ``data`` draws the inputs,
``activations`` holds the rectifiers and ``network`` the network with its gradients.
"""

from __future__ import annotations

from sublinear_lib.features.activations import GELU, Activation, ReLU, SmoothedReLU, Softplus
from sublinear_lib.features.data import ABSENT, FeatureData, FeatureKind, PatchData
from sublinear_lib.features.network import FeatureShares, PatchNetwork

__all__ = [
    "ABSENT",
    "GELU",
    "Activation",
    "FeatureData",
    "FeatureKind",
    "FeatureShares",
    "PatchData",
    "PatchNetwork",
    "ReLU",
    "SmoothedReLU",
    "Softplus",
]

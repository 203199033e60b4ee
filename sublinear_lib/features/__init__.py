"""Feature learning under standard and adversarial training, after Li and Li (2025).

Data have two kinds of features: robust ones are strong, non-robust ones dense.  A two-layer
convolutional network with a smoothed ReLU learns one of them, and which one depends on the
training.  ``data`` draws the inputs, ``activations`` and ``network`` hold the network with its
gradients, ``training`` trains it with an adversary or without, and ``recursion`` predicts what it
learns, with closed forms and proofs.  ``attacks`` and ``certify`` bound the robust error from below
and above, ``images`` brings digits, and ``studies`` measures runs.
"""

from __future__ import annotations

from sublinear_lib.features.activations import (
    GELU,
    Activation,
    ReLU,
    SmoothedReLU,
    Softplus,
)
from sublinear_lib.features.attacks import (
    FEATURE_ATTACKS,
    AttackOutcome,
    EnergyShares,
    FeatureAttack,
    GradientGoal,
    feature_attack,
    feature_perturbation,
    gradient_attack,
    gradient_energy,
)
from sublinear_lib.features.certify import (
    PatchCertificate,
    PatchMethod,
    certified_radii,
    certify_patches,
)
from sublinear_lib.features.data import (
    ABSENT,
    FeatureData,
    FeatureKind,
    PatchData,
)
from sublinear_lib.features.images import (
    ImageRun,
    ImageSet,
    image_digits,
    image_patches,
    train_images,
)
from sublinear_lib.features.network import (
    FeatureShares,
    PatchNetwork,
    feature_shares,
)
from sublinear_lib.features.pure import (
    breaking_budget,
    strength_left,
)
from sublinear_lib.features.recursion import (
    PhaseDiagram,
    Plateau,
    RecursionPath,
    RobustnessWindow,
    attacked_strengths,
    critical_budget,
    critical_rate,
    escape_time,
    feature_recursion,
    growth_left,
    growth_rates,
    phase_diagram,
    plateau,
    race_ratio,
    robustness_window,
    transition_bracket,
)
from sublinear_lib.features.studies import (
    VARIANTS,
    ErrorCurve,
    agreement_record,
    budget_record,
    digit_record,
    digit_settings,
    error_curve,
    run_record,
    summarize,
    variant_record,
)
from sublinear_lib.features.training import (
    AscentRule,
    FeatureHistory,
    FeatureRun,
    LossHistory,
    TrainingAttack,
    TrainingSettings,
    fit,
    train_features,
)

__all__ = [
    "ABSENT",
    "FEATURE_ATTACKS",
    "GELU",
    "VARIANTS",
    "Activation",
    "AscentRule",
    "AttackOutcome",
    "EnergyShares",
    "ErrorCurve",
    "FeatureAttack",
    "FeatureData",
    "FeatureHistory",
    "FeatureKind",
    "FeatureRun",
    "FeatureShares",
    "GradientGoal",
    "ImageRun",
    "ImageSet",
    "LossHistory",
    "PatchCertificate",
    "PatchData",
    "PatchMethod",
    "PatchNetwork",
    "PhaseDiagram",
    "Plateau",
    "ReLU",
    "RecursionPath",
    "RobustnessWindow",
    "SmoothedReLU",
    "Softplus",
    "TrainingAttack",
    "TrainingSettings",
    "agreement_record",
    "attacked_strengths",
    "breaking_budget",
    "budget_record",
    "certified_radii",
    "certify_patches",
    "critical_budget",
    "critical_rate",
    "digit_record",
    "digit_settings",
    "error_curve",
    "escape_time",
    "feature_attack",
    "feature_perturbation",
    "feature_recursion",
    "feature_shares",
    "fit",
    "gradient_attack",
    "gradient_energy",
    "growth_left",
    "growth_rates",
    "image_digits",
    "image_patches",
    "phase_diagram",
    "plateau",
    "race_ratio",
    "robustness_window",
    "run_record",
    "strength_left",
    "summarize",
    "train_features",
    "train_images",
    "transition_bracket",
    "variant_record",
]

"""Algorithm 1: adversarial training with a half-space index, and its dense reference.

:mod:`sublinear_lib.training.trainer` is the algorithm,
:mod:`sublinear_lib.training.sources` the superset that lets one index query serve a whole attack,
:mod:`sublinear_lib.training.step_size` the rules for eta, and
:mod:`sublinear_lib.training.history` what a run leaves behind.
"""

from __future__ import annotations

from sublinear_lib.training.history import PHASES, History, StepRecord, TrainingDiverged
from sublinear_lib.training.step_size import (
    STEP_SIZE_RULES,
    PrintedStep,
    RepairedStep,
    StableStep,
    StepSizeRule,
    resolve_step_size,
)
from sublinear_lib.training.trainer import (
    Callback,
    DenseAdversarialTraining,
    SublinearAdversarialTraining,
)

__all__ = [
    "PHASES",
    "STEP_SIZE_RULES",
    "Callback",
    "DenseAdversarialTraining",
    "History",
    "PrintedStep",
    "RepairedStep",
    "StableStep",
    "StepRecord",
    "StepSizeRule",
    "SublinearAdversarialTraining",
    "TrainingDiverged",
    "resolve_step_size",
]

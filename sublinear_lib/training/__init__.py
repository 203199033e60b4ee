"""Algorithm 1: adversarial training with a half-space index, and its dense reference.

:mod:`sublinear_lib.training.trainer` is the algorithm,
:mod:`sublinear_lib.training.sources` the superset that lets one index query serve a whole attack,
:mod:`sublinear_lib.training.caps` who fires at a point that moves about in a cap,
:mod:`sublinear_lib.training.step_size` the rules for eta,
:mod:`sublinear_lib.training.measuring` what is measured at chosen steps,
:mod:`sublinear_lib.training.regret_run` a run with every term of Theorem D,
:mod:`sublinear_lib.training.sharded` the neurons on several machines,
:mod:`sublinear_lib.training.checkpoint` how a run survives being killed, and
:mod:`sublinear_lib.training.history` what a run leaves behind.
"""

from __future__ import annotations

from sublinear_lib.training.history import History, StepRecord, TrainingDiverged
from sublinear_lib.training.measuring import Measure
from sublinear_lib.training.regret_run import points_of_arcs, regret_run, run_ledger
from sublinear_lib.training.sharded import ShardedAdversarialTraining
from sublinear_lib.training.step_size import STEP_SIZE_RULES, StableStep, resolve_step_size
from sublinear_lib.training.trainer import (
    DenseAdversarialTraining,
    Search,
    SublinearAdversarialTraining,
)

__all__ = [
    "STEP_SIZE_RULES",
    "DenseAdversarialTraining",
    "History",
    "Measure",
    "Search",
    "ShardedAdversarialTraining",
    "StableStep",
    "StepRecord",
    "SublinearAdversarialTraining",
    "TrainingDiverged",
    "points_of_arcs",
    "regret_run",
    "resolve_step_size",
    "run_ledger",
]

"""Evaluation of the network (Equation (2)) on all neurons or on candidate lists per point.

The floor under :mod:`sublinear_lib.network`, the attacks and the trainers: arrays go in, numbers
come out, and active sets are exact.  See :mod:`sublinear_lib.evaluation.evaluators` for what a
result promises and for the choice of the inner loops.
"""

from __future__ import annotations

from sublinear_lib.evaluation.evaluators import (
    Evaluator,
    ForwardPass,
    Neurons,
    PointEvaluator,
    Reduction,
    Region,
    kernels_in_use,
)

__all__ = [
    "Evaluator",
    "ForwardPass",
    "Neurons",
    "PointEvaluator",
    "Reduction",
    "Region",
    "kernels_in_use",
]

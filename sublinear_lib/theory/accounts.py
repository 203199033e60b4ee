r"""A run of Algorithm 1 with every term of Theorem D evaluated on it.

The theorem and its proof are in :mod:`sublinear_lib.theory.regret`.  Before changing anything, know
that nothing is assumed here about how the weights of a run were found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sublinear_lib._arguments import Nonnegative, Positive, checked
from sublinear_lib._typing import FloatArray
from sublinear_lib.losses import Loss
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory.regret import (
    RegretBound,
    StepTerms,
    largest_gap,
    norm_2_inf,
    regret_bound,
    step_terms,
)
from sublinear_lib.theory.worst_case import worst_gap_at
from sublinear_lib.validation import float_array, points_on_slice

__all__ = ["RunLedger", "run_ledger"]


@dataclass(frozen=True, eq=False)
class RunLedger:
    """A run of Algorithm 1 with every term of Theorem D evaluated on it.

    Attributes
    ----------
    terms : tuple of StepTerms
        One entry per step, ``t = 0, ..., T - 1``.
    distances : ndarray of float64, shape (T + 1,)
        ``||W_t - W*||_F``.
    eta : float
        Step size.
    drift : float
        ``max_t ||W_t - W_0||_{2,inf}`` over ``t = 0, ..., T``.
    measured : RegretBound
        The right-hand side of Theorem D with what the run did: the mean of ``||grad_t||_F^2``, the
        largest distance and the largest number of flips, and Gamma over the ball of that radius at
        the points that the adversary chose.
    promised : RegretBound
        The same with what is known before the run, once its points are given: ``G^2 = a^2 k``,
        ``D = eta a T``, and the numbers of neurons that some W within D can switch.
    """

    terms: tuple[StepTerms, ...]
    distances: FloatArray
    eta: float
    drift: float
    measured: RegretBound
    promised: RegretBound

    @property
    def losses(self) -> FloatArray:
        """``L_A(f_{W_t})``, shape (T,)."""
        return np.array([step.loss for step in self.terms])

    @property
    def average(self) -> float:
        """The left-hand side of Theorem D: the average loss of the run."""
        return float(self.losses.mean())

    @property
    def accounts(self) -> dict[str, float]:
        """The average loss as a sum of five averages over the run, an identity.

        ``comparator``: L(S^(t), f_{W*}); ``optimization``: <grad, W_t - W*>; ``coupling``:
        <pseudo - grad, W_t - W*>; ``f for g``: what the exchange of f for g adds; ``convexity``:
        what step 1 of the proof gives away, never positive.
        """
        return {
            "comparator": self._mean(lambda step: step.comparator),
            "optimization": self._mean(lambda step: step.inner),
            "coupling": self._mean(lambda step: step.coupled),
            "f for g": self._mean(lambda step: step.slope - step.inner - step.coupled),
            "convexity": self._mean(lambda step: step.loss - step.comparator - step.slope),
        }

    def _mean(self, part: Callable[[StepTerms], float]) -> float:
        return math.fsum(part(step) for step in self.terms) / len(self.terms)


@checked
def run_ledger(
    initial: TwoLayerNetwork,
    weights: Sequence[object],
    points: Sequence[object],
    y: object,
    loss: str | Loss,
    W_star: object,
    *,
    eta: Positive,
    comparator: Nonnegative,
    active: Positive,
) -> RunLedger:
    r"""Evaluate every term of Theorem D on a run of gradient descent.

    Here `initial`: the network at initialization; `weights` (m, d): ``W_0, ..., W_T``, ``T >= 1``;
    `points` (n, d): the adversarial points of the steps ``0, ..., T - 1``; `loss`: A loss of
    Definition 3.2; `W_star` (m, d): the weights to compare with; `comparator`: ``L_{A*}(f_{W*})``
    or an upper bound of it, ``>= 0``.

    The terms of every step and both right-hand sides.  Source: Theorem D.  Gamma and N are taken at
    the points of the run, where alone the proof uses them.  Nothing is assumed about how the
    weights were found; `RunLedger.accounts` is an identity for any sequence of weights, and the
    bounds need ``W_{t+1} = W_t - eta grad_t``.  Costs O(m d) for every step and every distinct
    point.

    One neuron far above the threshold, the label at distance 1, four steps of length 1/4.

    >>> start = TwoLayerNetwork([[0.0, 2.0]], [1.0], [0.0], 0.0)
    >>> x = [[3**0.5 / 2, 0.5]]
    >>> path = [start.W - 0.25 * t * np.array(x) for t in range(5)]
    >>> run = run_ledger(start, path, [x] * 4, [0.0], "absolute", path[4], eta=0.25,
    ...     comparator=0.0, active=1)
    >>> round(run.average, 12), round(run.measured.optimization, 12)
    (0.625, 0.625)
    """
    steps = len(points)
    if steps < 1 or len(weights) != steps + 1:
        raise ValueError(
            "weights must hold one matrix more than there are steps in points, and points at least "
            f"one step, got {len(weights)} matrices and {steps} steps"
        )
    path = [float_array(W, f"weights[{t}]", shape=initial.W.shape) for t, W in enumerate(weights)]
    best = float_array(W_star, "W_star", shape=initial.W.shape)
    terms = tuple(
        step_terms(initial, W, best, X, y, loss) for W, X in zip(path[:-1], points, strict=True)
    )
    visited = np.unique(np.concatenate([points_on_slice(X, d=initial.d) for X in points]), axis=0)
    away = best - initial.W
    D_W, a = norm_2_inf(away), float(np.abs(initial.a).max())
    drift = max(norm_2_inf(W - initial.W) for W in path)
    planned = eta * a * steps
    can_flip = max(worst_gap_at(initial, x, planned).can_flip for x in visited)

    def bound(squared: float, distance: float, flips: float) -> RegretBound:
        return regret_bound(
            comparator=comparator,
            eta=eta,
            steps=steps,
            gradient_squared=squared,
            D_F=float(np.linalg.norm(away)),
            D_W=D_W,
            drift=distance,
            a=a,
            flips=flips,
            gap_run=largest_gap(initial, visited, distance),
            gap_comparator=largest_gap(initial, visited, D_W),
        )

    return RunLedger(
        terms=terms,
        distances=np.array([float(np.linalg.norm(W - best)) for W in path]),
        eta=eta,
        drift=drift,
        measured=bound(
            math.fsum(step.gradient_squared for step in terms) / steps,
            drift,
            max(step.flips for step in terms),
        ),
        promised=bound(a**2 * active, planned, can_flip),
    )

"""A run of Algorithm 1 for which every term of Theorem D is known.

Theorem D compares a run with weights W* that somebody has to show.  `regret_run` shows them (the
weights nearest to W_0 whose pseudo-network takes the labels over the caps), certifies their robust
loss, chooses step size and number of steps as the theorem says, trains against the exact adversary
and has `run_ledger` evaluate the terms.  Before changing it, know why d = 3: there the worst point
of a cap, and the largest number of active neurons, can be computed exactly.

The trainer keeps numbers, not matrices (:mod:`sublinear_lib.training.history`); the proof needs the
points ``S^(t)`` that the adversary chose and the weights ``W_t`` that they met.  `RecordedRun`
stands between the trainer and any adversary and keeps both, T + 1 copies of W.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sublinear_lib._arguments import Nonnegative, Positive, checked
from sublinear_lib._typing import FloatArray, Seed
from sublinear_lib.adversary import (
    Adversary,
    AttackResult,
    ExactOnCircle,
    Objective,
    Target,
    margin_of,
    robust_loss,
)
from sublinear_lib.geometry import SLICE_HEIGHT, SLICE_RADIUS, cap_angle
from sublinear_lib.losses import Loss
from sublinear_lib.network import TwoLayerNetwork, expect_network
from sublinear_lib.theory import max_active_on_circle, regret, worst_gap_at
from sublinear_lib.training.history import History, StepRecord
from sublinear_lib.training.trainer import SublinearAdversarialTraining
from sublinear_lib.validation import count, float_array, labels, points_on_slice, scalar

__all__ = [
    "RecordedRun",
    "RegretRun",
    "RunLedger",
    "points_of_arcs",
    "regret_run",
    "run_ledger",
]


class RecordedRun:
    """An adversary that passes another one on and keeps what it found, for one run.

    Source: Algorithm 1, lines 11 and 19.  Give it to a trainer as its adversary and its method
    `look` as the callback.
    """

    def __init__(self, adversary: Adversary, initial: TwoLayerNetwork) -> None:
        given: object = adversary
        if not callable(given) or not hasattr(given, "rho"):
            raise TypeError(
                f"adversary must be callable and have an attribute rho, got {type(given).__name__}"
            )
        expect_network(initial, "initial")
        self._adversary = adversary
        self.points: list[FloatArray] = []
        self.weights: list[FloatArray] = [np.array(initial.W)]

    @property
    def rho(self) -> float:
        """Radius of the caps of the adversary passed on."""
        return self._adversary.rho

    def margin(self, weight_scale: float) -> float:
        """Return how far below the threshold the adversary passed on looks."""
        return margin_of(self._adversary, weight_scale)

    def __call__(
        self, network: Target, X: object, y: object, loss: str | Objective, rng: Seed
    ) -> AttackResult:
        """Attack a batch with the adversary passed on, and keep its points."""
        result = self._adversary(network, X, y, loss, rng)
        self.points.append(np.array(result.X))
        return result

    def look(self, record: StepRecord, network: Callable[[], TwoLayerNetwork]) -> None:
        """Keep the weights after a step; a callback of the trainer."""
        self.weights.append(np.array(network().W))


def points_of_arcs(X: object, rho: float, number: int) -> FloatArray:
    """Spread points evenly over the caps of points of the circle, for d = 3.

    Parameters
    ----------
    X : array-like, shape (n, 3)
        Points of the slice.
    rho : float
        Radius of the caps, a Euclidean chord length in [0, sqrt(3)].
    number : int
        Points in every cap, ``>= 2``; the two ends of the arc are among them.

    Returns
    -------
    ndarray of float64, shape (n * number, 3)
        The points, cap by cap.

    Raises
    ------
    TypeError, ValueError
        For points off the slice or a number out of range.

    Notes
    -----
    Source: Definition 3.3; for d = 3 a cap is an arc.

    Examples
    --------
    >>> points_of_arcs([[0.0, 3**0.5 / 2, 0.5]], 0.0, 2).round(6)
    array([[0.      , 0.866025, 0.5     ],
           [0.      , 0.866025, 0.5     ]])
    """
    points = points_on_slice(X, d=3)
    each = count(number, "number", minimum=2)
    half = cap_angle(scalar(rho, "rho", minimum=0.0, maximum=3.0**0.5))
    middle = np.arctan2(points[:, 1], points[:, 0])
    angle = (middle[:, None] + np.linspace(-half, half, each)).ravel()
    flat = np.full_like(angle, SLICE_HEIGHT)
    return np.stack([SLICE_RADIUS * np.cos(angle), SLICE_RADIUS * np.sin(angle), flat], axis=1)


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

    terms: tuple[regret.StepTerms, ...]
    distances: FloatArray
    eta: float
    drift: float
    measured: regret.RegretBound
    promised: regret.RegretBound

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

    def _mean(self, part: Callable[[regret.StepTerms], float]) -> float:
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
        regret.step_terms(initial, W, best, X, y, loss)
        for W, X in zip(path[:-1], points, strict=True)
    )
    visited = np.unique(np.concatenate([points_on_slice(X, d=initial.d) for X in points]), axis=0)
    away = best - initial.W
    D_W, a = regret.norm_2_inf(away), float(np.abs(initial.a).max())
    drift = max(regret.norm_2_inf(W - initial.W) for W in path)
    planned = eta * a * steps
    can_flip = max(worst_gap_at(initial, x, planned).can_flip for x in visited)

    def bound(squared: float, distance: float, flips: float) -> regret.RegretBound:
        return regret.regret_bound(
            comparator=comparator,
            eta=eta,
            steps=steps,
            gradient_squared=squared,
            D_F=float(np.linalg.norm(away)),
            D_W=D_W,
            drift=distance,
            a=a,
            flips=flips,
            gap_run=regret.largest_gap(initial, visited, distance),
            gap_comparator=regret.largest_gap(initial, visited, D_W),
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


@dataclass(frozen=True, eq=False)
class RegretRun:
    """A run, its plan, what it is compared with, and the ledger of Theorem D.

    Attributes
    ----------
    history : History
        What the trainer left behind.
    plan : DescentPlan
        Step size and number of steps.
    W_star : ndarray of float64, shape (m, 3)
        The weights to compare with.
    certified : float
        Upper bound of ``L_{A*}(f_{W*})``, exact up to rounding.
    recorded : RecordedRun
        Points and weights of every step.
    ledger : RunLedger
        Every term of Theorem D.
    """

    history: History
    plan: regret.DescentPlan
    W_star: FloatArray
    certified: float
    recorded: RecordedRun
    ledger: RunLedger


def regret_run(
    initial: TwoLayerNetwork,
    X: object,
    y: object,
    *,
    rho: float,
    epsilon: float,
    loss: str | Loss = "absolute",
    rng: Seed = 0,
    per_cap: int = 5,
) -> RegretRun:
    r"""Train as Theorem D says, and evaluate all its terms on the run.

    Parameters
    ----------
    initial : TwoLayerNetwork
        The network at initialization, d = 3.
    X : array-like, shape (n, 3)
        Clean training points.
    y : array-like, shape (n,)
        Labels, ``|y| <= 1``.
    rho : float
        Radius of the caps, a Euclidean chord length in [0, sqrt(3)].
    epsilon : float
        Accuracy, ``> 0``: the optimization terms are to be at most epsilon together.
    loss : str or Loss, default "absolute"
        A loss of Definition 3.2.
    rng : int, SeedSequence or Generator, default 0
        Passed on to the trainer; the adversary is exact and uses no randomness.
    per_cap : int, default 5
        At how many points of every cap W* is asked to fit the label, ``>= 2``.

    Returns
    -------
    RegretRun
        The run and its ledger.

    Raises
    ------
    TypeError, ValueError
        For points off the circle or numbers out of range.

    Notes
    -----
    Source: Theorem D.  ``eta = epsilon / G^2`` and ``T >= D_F^2 G^2 / epsilon^2`` with
    ``G^2 = a^2 k``, where k neurons at most are active anywhere on the circle for any W within
    twice the distance ``a D_F^2 / epsilon``: a bound that is known before the run.

    Examples
    --------
    >>> from sublinear_lib import datasets
    >>> start = TwoLayerNetwork.initialize(512, 3, "R1", rng=0)
    >>> data = datasets.circle(3)
    >>> run = regret_run(start, data.X, 0.5 * data.y, rho=0.1, epsilon=0.4)
    >>> run.ledger.average <= run.ledger.measured.total <= run.ledger.promised.total
    True
    """
    points = points_on_slice(X, d=3)
    values = labels(y, n=len(points))
    accuracy = scalar(epsilon, "epsilon", exclusive_minimum=0.0)
    fitted = points_of_arcs(points, rho, per_cap)
    wanted = np.repeat(values, per_cap) - initial.forward(fitted)
    W_star = regret.nearest_weights(initial, fitted, wanted)
    certified = robust_loss(initial.with_weights(W_star), points, values, rho, loss).upper
    D_F = float(np.linalg.norm(W_star - initial.W))
    a = float(np.abs(initial.a).max())
    # A neuron that fires after a move of `reach` fires now with a bias larger by `reach`.
    reach = 2.0 * a * D_F**2 / accuracy
    raised = TwoLayerNetwork(
        initial.W, initial.a, initial.b + reach, initial.tau, initial.activation
    )
    active = max_active_on_circle(raised).count
    plan = regret.descent_plan(a, active, D_F, accuracy)
    recorded = RecordedRun(ExactOnCircle(rho=rho), initial)
    history = SublinearAdversarialTraining(
        adversary=recorded, loss=loss, eta=plan.eta, steps=plan.steps, index="scan"
    ).fit(initial, points, values, rng=rng, callback=recorded.look)
    ledger = run_ledger(
        initial,
        recorded.weights,
        recorded.points,
        values,
        loss,
        W_star,
        eta=plan.eta,
        comparator=certified,
        active=active,
    )
    return RegretRun(history, plan, W_star, certified, recorded, ledger)

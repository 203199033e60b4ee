"""A run of Algorithm 1 for which every term of Theorem D is known.

Theorem D compares a run with weights W* that somebody has to show.  `regret_run` shows them (the
weights nearest to W_0 whose pseudo-network takes the labels over the caps), certifies their robust
loss, chooses step size and number of steps as the theorem says, trains against the exact adversary
and hands the run to `sublinear_lib.theory.accounts.run_ledger`.  Before changing it, know why
d = 3: there the worst point of a cap, and the largest number of active neurons, can be computed
exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sublinear_lib._typing import FloatArray, Seed
from sublinear_lib.adversary import ExactOnCircle, robust_loss
from sublinear_lib.geometry import SLICE_HEIGHT, SLICE_RADIUS, cap_angle
from sublinear_lib.losses import Loss
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory import accounts, max_active_on_circle, regret
from sublinear_lib.training.history import History
from sublinear_lib.training.recording import RecordedRun
from sublinear_lib.training.trainer import SublinearAdversarialTraining
from sublinear_lib.validation import count, labels, points_on_slice, scalar

__all__ = ["RegretRun", "points_of_arcs", "regret_run"]


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
    ledger: accounts.RunLedger


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
    ledger = accounts.run_ledger(
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

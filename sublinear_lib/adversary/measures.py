"""Robust loss and accuracy under a given attack (Definition 3.4).

``L_A(f) = (1/n) sum_i l(y_i, f(A(f, x_i, y_i)))`` for the adversary A at hand.  Every number here
depends on how good that adversary is: ``L <= L_A <= L_{A*}``, and an accuracy under attack is an
*upper* bound of the robust accuracy.  A plain gradient attack on a jump network misses much of the
worst case; compare networks under the same, preferably stronger, attack.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib import validation
from sublinear_lib._typing import Seed
from sublinear_lib.adversary.protocol import Adversary, NegativeMargin, Objective, class_labels
from sublinear_lib.network import TwoLayerNetwork, expect_network

__all__ = ["accuracy", "accuracy_under_attack", "robust_loss_under"]


def robust_loss_under(
    network: TwoLayerNetwork,
    X: object,
    y: object,
    adversary: Adversary,
    loss: str | Objective,
    rng: Seed,
) -> float:
    """Return the mean loss at the points that an adversary finds, ``L_A(f)``.

    Parameters
    ----------
    network : TwoLayerNetwork
        The network f.
    X : array-like, shape (n, d)
        Clean points on the slice.
    y : array-like, shape (n,)
        Labels, ``|y| <= 1``.
    adversary : Adversary
        The adversary A.
    loss : str or Objective
        The loss, which the adversary also maximizes.
    rng : int, SeedSequence or Generator
        Source of randomness of the adversary.

    Returns
    -------
    float
        ``L_A(f)``, a lower bound of the worst case ``L_{A*}(f)``.

    Raises
    ------
    TypeError, ValueError
        If an argument has a wrong type, shape or value.

    Notes
    -----
    Source: Definition 3.4.
    """
    return float(np.mean(adversary(expect_network(network), X, y, loss, rng).loss))


def accuracy(network: TwoLayerNetwork, X: object, y: object) -> float:
    """Return the share of examples whose output has the sign of the label.

    Parameters
    ----------
    network : TwoLayerNetwork
        The network.
    X : array-like, shape (n, d)
        Points on the slice.
    y : array-like, shape (n,)
        Nonzero labels, ``|y| <= 1``; the sign names the class.

    Returns
    -------
    float
        In [0, 1].  An output of exactly 0 counts as wrong.

    Raises
    ------
    TypeError, ValueError
        If an argument has a wrong type, shape or value.
    """
    value = expect_network(network).forward(X)
    return float(np.mean(class_labels(y, value.size) * value > 0.0))


def accuracy_under_attack(
    network: TwoLayerNetwork,
    X: object,
    y: object,
    adversary: Adversary,
    rng: Seed,
    *,
    loss: str | Objective | None = None,
    progress: bool = False,
) -> float:
    """Return the share of examples that are still classified correctly where the attack ends.

    Parameters
    ----------
    network : TwoLayerNetwork
        The network.
    X : array-like, shape (n, d)
        Clean points on the slice.
    y : array-like, shape (n,)
        Nonzero labels, ``|y| <= 1``.
    adversary : Adversary
        The attack.
    rng : int, SeedSequence or Generator
        Source of randomness of the attack.
    loss : str or Objective, optional
        What the attack maximizes.  By default `NegativeMargin`: a regression loss also rewards
        outputs that are right and too large, and an attack that keeps its largest loss could
        return such a point although it met a misclassified one.
    progress : bool, default False
        Whether to show a progress bar, which every attack of the library has.

    Returns
    -------
    float
        In [0, 1]; an upper bound of the robust accuracy, never above `accuracy`.

    Raises
    ------
    TypeError, ValueError
        If an argument has a wrong type, shape or value.
    """
    points = validation.points_on_slice(X, d=expect_network(network).d)
    labels = class_labels(y, len(points))
    wanted = {"progress": True} if validation.boolean(progress, "progress") else {}
    objective = NegativeMargin() if loss is None else loss
    found = adversary(network, points, labels, objective, rng, **wanted)
    return float(np.mean((labels * found.value > 0.0) & (labels * found.clean_value > 0.0)))

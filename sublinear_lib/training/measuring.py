"""What is measured at chosen steps only, because it costs more than a step.

The robust loss against the *best* adversary (Definition 3.4), which the loss under the training
adversary only bounds from below, and the flips: activities of clean examples that differ from those
at initialization, the quantity behind the gap between f and the pseudo-network (Theorem 4.1).
Measuring changes nothing in the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np

from sublinear_lib import predicates, validation
from sublinear_lib._arguments import Count, Flag, Nonnegative, Positive, check_fields
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import BracketMethod, robust_loss
from sublinear_lib.losses import Loss
from sublinear_lib.network import TwoLayerNetwork

__all__ = ["Measure", "count_flips"]


@dataclass(frozen=True, kw_only=True)
class Measure:
    """Which steps are measured, and how.

    The history then holds bounds of the robust loss that are certified in every dimension, and in
    `robust_unknown` for how many examples they are wider than `tol`.

    Parameters
    ----------
    every : int, default 10
        Steps 0, every, 2 every, ... are measured, each before its update.
    robust : bool, default True
        Whether to bracket the robust loss, with :func:`sublinear_lib.adversary.robust_loss`.
    method : str, default "auto"
        How; ``"auto"`` is exact for ``d <= 3``, and for d = 4 with few unstable neurons.
    tol : float, default 1e-3
        Width that counts as exact, ``>= 0``.
    time_limit : float, default 10.0
        Seconds for each bound, of which there are two per example, ``> 0``; see
        :func:`sublinear_lib.adversary.bracket`.  Bounds that hit the limit depend on the machine.

    Raises
    ------
    TypeError, ValueError
        If a parameter has a wrong type or is out of range.
    """

    every: Count = 10
    robust: Flag = True
    method: BracketMethod = "auto"
    tol: Nonnegative = 1e-3
    time_limit: Positive = 10.0

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_fields(self)
        validation.choice(self.method, "method", get_args(BracketMethod))

    def at(
        self,
        start: TwoLayerNetwork,
        now: TwoLayerNetwork,
        X: FloatArray,
        y: FloatArray,
        rho: float,
        loss: Loss,
    ) -> dict[str, float]:
        """Measure a network.

        Parameters
        ----------
        start, now : TwoLayerNetwork
            The network at initialization and at the step.
        X : ndarray of float64, shape (n, d)
            All clean examples.
        y : ndarray of float64, shape (n,)
            Their labels.
        rho : float
            Radius of the caps.
        loss : Loss
            The loss.

        Returns
        -------
        dict of str to float
            Columns of `StepRecord`.
        """
        measured: dict[str, float] = {"flips": count_flips(start, now, X)}
        if self.robust:
            worst = robust_loss(
                now, X, y, rho, loss, method=self.method, tol=self.tol, time_limit=self.time_limit
            )
            measured.update(
                robust_lower=worst.lower,
                robust_upper=worst.upper,
                robust_unknown=worst.unknown,
            )
        return measured


def count_flips(start: TwoLayerNetwork, now: TwoLayerNetwork, X: FloatArray) -> int:
    """Count the pairs of an example and a neuron whose activity differs between two networks.

    Only neurons whose weights differ are looked at.
    """
    for name, network in (("start", start), ("now", now)):
        validation.instance(network, name, TwoLayerNetwork)
    if start.W.shape != now.W.shape:
        raise ValueError(f"now must have the shape of start, {start.W.shape}, got {now.W.shape}")
    X = validation.float_array(X, "X", shape=("n", start.d))
    rows = np.flatnonzero((start.W != now.W).any(axis=1))
    if not len(rows):
        return 0
    masks = [
        predicates.exceeds_many(network.W[rows], network.b[rows], X, network.tau)
        for network in (start, now)
    ]
    return int(np.count_nonzero(masks[0] != masks[1]))

"""The adversary that does nothing: ordinary training as a special case of Algorithm 1.

It is rho-bounded for every rho (Definition 3.3), so every statement about ``L_A`` applies to it;
this is why a small ``L_A`` says nothing about the worst case by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from sublinear_lib import validation
from sublinear_lib._typing import Seed
from sublinear_lib.adversary.protocol import AttackResult, Objective, Target, prepare

__all__ = ["IdentityAdversary"]


@dataclass(frozen=True, kw_only=True)
class IdentityAdversary:
    """Return every point as it is.

    Examples
    --------
    >>> from sublinear_lib.network import TwoLayerNetwork
    >>> network = TwoLayerNetwork([[1.0, 0.0]], [1.0], [0.0], tau=0.1)
    >>> result = IdentityAdversary()(network, [[3**0.5 / 2, 0.5]], [1.0], "absolute", rng=0)
    >>> result.loss  # 1 - sqrt(3)/2
    array([0.1339746])
    """

    @property
    def rho(self) -> float:
        """Radius of the caps: 0."""
        return 0.0

    def __call__(
        self, network: Target, X: object, y: object, loss: str | Objective, rng: Seed
    ) -> AttackResult:
        """Evaluate the network at the clean points.

        Parameters
        ----------
        network : TwoLayerNetwork or PointEvaluator
            The network.
        X : array-like, shape (n, d)
            Clean points on the slice.
        y : array-like, shape (n,)
            Labels, ``|y| <= 1``.
        loss : str or Objective
            The loss to report.
        rng : int, SeedSequence or Generator
            Not used; checked all the same.

        Returns
        -------
        AttackResult
            The clean points.

        Raises
        ------
        TypeError, ValueError
            If an argument has a wrong type, shape or value.
        FloatingPointError
            If the network has an output that is not finite.
        """
        validation.generator(rng)
        batch = prepare(network, X, y, loss)
        value = batch.evaluator.value(batch.X)
        return AttackResult(batch.X.copy(), batch.score(value), value, value)

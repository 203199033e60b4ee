"""The adversary that does nothing: ordinary training as a special case of Algorithm 1.

It is rho-bounded for every rho (Definition 3.3), so every statement about ``L_A`` applies to it;
this is why a small ``L_A`` says nothing about the worst case by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sublinear_lib.adversary.ascent import stay
from sublinear_lib.adversary.protocol import AttackResult, Batch, CapAttack

__all__ = ["IdentityAdversary"]


@dataclass(frozen=True, kw_only=True)
class IdentityAdversary(CapAttack):
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

    def _parts(self, batch: Batch) -> int:
        return 1

    def _attack(self, batch: Batch, generator: np.random.Generator) -> AttackResult:
        return stay(batch)

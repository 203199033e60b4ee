"""Projected gradient ascent on the cap: the usual attack, on the sphere.

One step of the adversary of Definition 3.3 in the way every attack library takes it: walk along the
gradient of the loss, return to the set of allowed points.  The set is the cap ``B2(x, rho)`` on the
sphere X, so the gradient is projected to the tangent space, the walk follows a great circle, and
the projection is :func:`sublinear_lib.geometry.project_to_caps`.  Before trusting its numbers, know
that it is a *lower* bound of the worst case, and for the jump activation a loose one: the formal
gradient ignores the jumps of height ``|a_r| tau``, which carry most of the change of f inside a
cap, so that plain gradient ascent overstates robustness.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sublinear_lib.adversary.ascent import Ascent, climb_at_once
from sublinear_lib.adversary.protocol import AttackResult, Batch

__all__ = ["ProjectedGradient"]


@dataclass(frozen=True, kw_only=True)
class ProjectedGradient(Ascent):
    """Riemannian gradient ascent of the loss on the cap, best point of all iterates and runs.

    Parameters
    ----------
    rho : float
        Radius of the cap, a Euclidean chord length, ``>= 0`` (``sqrt(3)`` and more: all of X).
    steps : int, default 5
        Steps per run, ``>= 1``.
    relative_step : float, default 0.5
        First step as a fraction of the angular radius of the cap, ``> 0``.
    restarts : int, default 1
        Number of runs, ``>= 1``.  All but the first start at a uniformly random point of the cap.
    random_start : bool, default False
        Whether the first run starts at a random point too; by default it starts at the clean one.
    decay : bool, default True
        Whether the steps shrink linearly to ``1 / steps`` of the first.

    Raises
    ------
    TypeError, ValueError
        If a parameter has a wrong type or is out of range.

    Notes
    -----
    Source: the adversary of Definition 3.3 (``x~ = A(f, x, y)`` in line 11 of Algorithm 1).

    With u the direction of x on ``S^{d-2}`` and ``q = l'(y, f) grad f`` without its last
    coordinate, a step turns u by the angle ``relative_step * alpha`` towards the part of q
    orthogonal to u, along the great circle, then returns to the cap.  Only the sign of ``l'``
    matters.  Where it is 0 (f = y, or inside the flat part of a loss) every direction is as good;
    the attack then walks against the label.  The first row that reaches an example's best loss is
    kept, per example (not per batch), over all iterates and runs; the clean point always takes
    part, so ``loss`` is never below the clean loss.  Randomness is drawn only for random starts.

    In dimension ``d = 2`` the set X consists of two points and there is no tangent to walk along:
    only random starts can find the other point.

    Cost: per run `steps` gradients and one value.

    Examples
    --------
    >>> from sublinear_lib.network import TwoLayerNetwork
    >>> network = TwoLayerNetwork([[0.0, 1.0, 0.0]], [1.0], [0.0], 0.0, "continuous")
    >>> attack = ProjectedGradient(rho=0.3)
    >>> result = attack(network, [[3**0.5 / 2, 0.0, 0.5]], [-1.0], "absolute", rng=0)
    >>> result.value.round(4)  # no neuron fires at x, so there is no gradient to follow
    array([0.])
    >>> many = ProjectedGradient(rho=0.3, restarts=5)
    >>> result = many(network, [[3**0.5 / 2, 0.0, 0.5]], [-1.0], "absolute", rng=0)
    >>> result.value.round(4)  # sqrt(3)/2 sin(2 arcsin(0.3/sqrt(3)))
    array([0.2955])
    """

    def _attack(self, batch: Batch, generator: np.random.Generator) -> AttackResult:
        if self.restarts == 1 and not self.random_start:
            found = climb_at_once(batch, rho=self.rho, sizes=self._sizes)
            if found is not None:
                return found
        gradient = batch.evaluator.value_and_input_gradient
        return self._ascend(batch, generator, lambda points, step: gradient(points))

"""Several attacks as one: the best of them for every example, and a check on each other.

The worst case is a maximum, so attacks combine by taking the best point per example (not per
batch).  A gradient attack that finds no more than random points has followed directions that say
nothing about the network; the ensemble says so, as attack libraries do, because the accuracy under
such an attack would be read as robustness.  Adversaries are those of Definition 3.3.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sublinear_lib.adversary.attack import CapAttack
from sublinear_lib.adversary.protocol import Adversary, AttackResult, Batch, margin_of
from sublinear_lib.adversary.random_search import RandomSearch

__all__ = ["Ensemble", "WeakAttackWarning"]


class WeakAttackWarning(UserWarning):
    """Random points did better than an attack that asked the network for directions."""


@dataclass(frozen=True, kw_only=True)
class Ensemble(CapAttack):
    """The best point of several attacks, per example.

    Parameters
    ----------
    attacks : sequence of Adversary
        The attacks, at least one, all of the same radius.

    Raises
    ------
    TypeError, ValueError
        If there is no attack, an entry is not an adversary, or the radii differ.

    Warns
    -----
    WeakAttackWarning
        If a `RandomSearch` among the attacks reaches a larger mean loss than another attack.

    Notes
    -----
    Every attack gets a random stream of its own, by its place, so that adding one at the end does
    not change what the others find.  An example keeps the point of the first attack that reaches
    its best loss.

    Examples
    --------
    >>> from sublinear_lib.adversary import ProjectedGradient
    >>> from sublinear_lib.network import TwoLayerNetwork
    >>> network = TwoLayerNetwork([[0.0, 1.0, 0.0]], [1.0], [0.0], 0.0, "continuous")
    >>> attack = Ensemble(attacks=[ProjectedGradient(rho=0.3), RandomSearch(rho=0.3)])
    >>> x = [[3**0.5 / 2 * np.cos(0.1), 3**0.5 / 2 * np.sin(0.1), 0.5]]
    >>> attack(network, x, [-1.0], "absolute", rng=0).value.round(4)
    array([0.3753])
    """

    attacks: Sequence[Adversary]

    def __post_init__(self) -> None:
        """Check the attacks."""
        given = tuple(self.attacks)
        if not given:
            raise ValueError("attacks must hold at least one adversary, got none")
        for number, attack in enumerate(given):
            one: object = attack
            if not callable(one) or not hasattr(one, "rho"):
                raise TypeError(
                    "attacks must be adversaries, callable and with an attribute rho, got a "
                    f"{type(attack).__name__} at position {number}"
                )
        radii = sorted({float(attack.rho) for attack in given})
        if len(radii) > 1:
            raise ValueError(f"attacks must all have the same rho, got {radii}")
        object.__setattr__(self, "attacks", given)

    @property
    def rho(self) -> float:
        """Radius of the caps."""
        return float(self.attacks[0].rho)

    def margin(self, weight_scale: float) -> float:
        """Return how far below the threshold the attacks look at neurons.

        Parameters
        ----------
        weight_scale : float
            Root mean square of the hidden weights, the last column left out.

        Returns
        -------
        float
            The largest margin of all, in units of a pre-activation.
        """
        return max(margin_of(attack, weight_scale) for attack in self.attacks)

    def _parts(self, batch: Batch) -> int:
        return len(self.attacks)

    def _attack(self, batch: Batch, generator: np.random.Generator) -> AttackResult:
        found: list[AttackResult] = []
        for attack, stream in zip(self.attacks, generator.spawn(len(self.attacks)), strict=True):
            found.append(attack(batch.target, batch.X, batch.y, batch.objective, stream))
            batch.tick()
        self._compare(found)
        best = found[0]
        points, losses, values = best.X.copy(), best.loss.copy(), best.value.copy()
        unmoved = (points == batch.X).all(axis=1)
        winner = np.where(unmoved, np.int64(-1), np.int64(0))
        for number, other in enumerate(found[1:], start=1):
            better = other.loss > losses
            points[better], losses[better] = other.X[better], other.loss[better]
            values[better] = other.value[better]
            winner[better] = number
        queries = sum(result.queries for result in found)
        return AttackResult(points, losses, values, best.clean_value, winner, queries)

    def _compare(self, found: list[AttackResult]) -> None:
        """Warn of attacks that random points beat."""
        means = [float(np.mean(result.loss)) for result in found]
        controls = [
            mean
            for attack, mean in zip(self.attacks, means, strict=True)
            if isinstance(attack, RandomSearch)
        ]
        if not controls:
            return
        for attack, mean in zip(self.attacks, means, strict=True):
            if mean < max(controls) and not isinstance(attack, RandomSearch):
                warnings.warn(
                    f"random points reach a mean loss of {max(controls):.4g}, more than the "
                    f"{mean:.4g} of {attack!r}: do not read its result as robustness",
                    WeakAttackWarning,
                    stacklevel=4,  # where the ensemble was called
                )

r"""Attacks on the trained network: on its features, and along gradients.

An attack with budget eps may move every coordinate of every patch by eps.  *Feature attacks* write
down the perturbation: they erase the feature of the true class, inject that of another one, or
both; the one of Proposition 3.1 is among them.  *Gradient attacks* search.  What an attack finds is
a fact, with a witness; what it does not find may still be there, and only ``certify`` can exclude
it.  Before changing anything, know that every witness lies in the closed box in exact arithmetic:
the ends of the box are rounded inward.

Source: Proposition 3.1 of Li and Li (2025) as described in their review thread; that injecting u in
*all* patches breaks a network of robust features is ours, see `robustness_window`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from sublinear_lib import geometry, validation
from sublinear_lib._arguments import Count, Nonnegative, checked, described
from sublinear_lib._typing import FloatArray, IntArray, Seed
from sublinear_lib.features.data import PatchData
from sublinear_lib.features.network import (
    PatchNetwork,
    checked_patches,
    margins_of,
)
from sublinear_lib.features.training import check_inside, checked_box

__all__ = [
    "FEATURE_ATTACKS",
    "FeatureAttack",
    "feature_attack",
    "feature_perturbation",
    "gradient_attack",
    "gradient_energy",
]

FeatureAttack: TypeAlias = Literal[
    "prop_3_1", "erase_v", "inject_v", "swap_v", "erase_u", "inject_u", "swap_u", "swap_both"
]
"""The feature attacks, see `feature_perturbation`."""

FEATURE_ATTACKS: Final[tuple[FeatureAttack, ...]] = get_args(FeatureAttack)
"""The names of the feature attacks."""

GradientGoal: TypeAlias = Literal["loss", "margin"]
"""What a gradient attack climbs: the loss, or ``F_j - F_y`` for one class j after the other."""

_GOALS: Final[tuple[GradientGoal, ...]] = ("loss", "margin")


@dataclass(frozen=True, eq=False)
class AttackOutcome:
    """The worst that an attack found for every input.

    Fields: `margins` (N,): the least margin ``F_y - max_{j != y} F_j`` found, the clean input
    included; `witnesses` (N, P, d): inputs within the budget that have these margins.
    """

    margins: FloatArray
    witnesses: FloatArray

    @property
    def error(self) -> float:
        """The share of inputs that were broken: margin not positive."""
        return float((~(self.margins > 0)).mean())


@dataclass(frozen=True)
class EnergyShares:
    """Where a perturbation points: shares of its squared length.

    Fields: `own_u`: in the coordinate of the robust feature of the true class; `own_v`: in that of
    its non-robust feature.
    """

    own_u: float
    own_v: float


class _Box:
    """The inputs within the budget, and the worst met so far."""

    def __init__(
        self,
        network: PatchNetwork,
        X: FloatArray,
        y: IntArray,
        eps: float,
        bounds: tuple[float, float] | None = None,
    ):
        self.network, self.X, self.y = network, X, y
        self.low, self.high = geometry.inner_box(X, eps)
        if bounds is not None:
            check_inside(X, bounds)
            np.maximum(self.low, bounds[0], out=self.low)
            np.minimum(self.high, bounds[1], out=self.high)
        self.margins = margins_of(network(X), y)
        self.witnesses = X.copy()

    def inside(self, X: FloatArray) -> FloatArray:
        return np.clip(X, self.low, self.high)

    def look(self, X: FloatArray) -> None:
        margins = margins_of(self.network(X), self.y)
        worse = margins < self.margins
        self.margins[worse], self.witnesses[worse] = margins[worse], X[worse]

    def outcome(self) -> AttackOutcome:
        self.margins.flags.writeable = self.witnesses.flags.writeable = False
        return AttackOutcome(self.margins, self.witnesses)


def checked_sample(network: object, data: object) -> tuple[PatchNetwork, PatchData]:
    """Return a network and data that fit together, or refuse them."""
    fitting = validation.instance(network, "network", PatchNetwork)
    sample = validation.instance(data, "data", PatchData)
    fitting._fits(sample.law)
    return fitting, sample


@checked
def feature_perturbation(
    data: PatchData, eps: Nonnegative, kind: FeatureAttack, targets: object
) -> FloatArray:
    r"""Return the perturbation of a feature attack.

    Here `data`: the inputs; `kind`: one of `FEATURE_ATTACKS`: - ``"erase_v"``: ``-eps v_y`` in all
    patches; ``"inject_v"``: ``+eps v_j`` in all patches; ``"swap_v"``: both; - ``"erase_u"``,
    ``"inject_u"``, ``"swap_u"``: the same with u; - ``"swap_both"``: ``"swap_u"`` and ``"swap_v"``
    together; - ``"prop_3_1"``: ``-beta_p v_y + eps v_j`` in the non-robust patches only, as in
    Proposition 3.1; where ``beta_p > eps``, which the proposition excludes, ``-eps v_y``; `targets`
    (N,): the class j that each input shall be taken for, never its own.

    The perturbation, at most eps in every coordinate.

    >>> from sublinear_lib.features import FeatureData
    >>> data = FeatureData().sample(1, rng=0)
    >>> feature_perturbation(data, 0.5, "swap_u", [2])[0, 7, :3]
    array([-0.5,  0. ,  0.5])
    """
    validation.instance(data, "data", PatchData)
    chosen = validation.choice(kind, "kind", FEATURE_ATTACKS)
    law = data.law
    j = validation.index_array(targets, "targets", upper=law.classes)
    if j.shape != data.y.shape:
        raise ValueError(f"targets must have shape {data.y.shape}, got {j.shape}")
    if (j == data.y).any():
        row = int(np.argmax(j == data.y))
        raise ValueError(f"targets must differ from the labels, got {j[row]} for both at row {row}")
    delta = np.zeros_like(data.X)
    rows = np.arange(len(data))
    u, v = np.asarray(law.u), np.asarray(law.v)
    if chosen == "prop_3_1":
        where = rows[:, None], np.arange(law.robust_patches, law.patches)
        delta[*where, v[data.y][:, None]] = -np.minimum(data.beta, eps)
        delta[*where, v[j][:, None]] = eps
        return delta
    action, _, which = chosen.partition("_")
    for feature, name in ((u, "u"), (v, "v")):
        if which not in (name, "both"):
            continue
        if action in ("erase", "swap"):
            delta[rows, :, feature[data.y]] = -eps
        if action in ("inject", "swap"):
            delta[rows, :, feature[j]] = eps
    return delta


@checked
def feature_attack(
    network: PatchNetwork, data: PatchData, eps: Nonnegative, kind: FeatureAttack
) -> AttackOutcome:
    """Try a feature attack with every other class as the target.

    The least margins over the k - 1 targets.  A network of robust features only resists the loss of
    v, but not u in all patches:

    >>> from sublinear_lib.features import FeatureData, PatchNetwork
    >>> law = FeatureData()
    >>> network = PatchNetwork.of_features(law, robust=[1.0], nonrobust=[0.0])
    >>> data = law.sample(30, rng=0)
    >>> [feature_attack(network, data, 0.9, kind).error for kind in ("swap_v", "inject_u")]
    [0.0, 1.0]
    """
    network, data = checked_sample(network, data)
    box = _Box(network, data.X, data.y, eps)
    for shift in range(1, network.classes):
        targets = (data.y + shift) % network.classes
        box.look(box.inside(data.X + feature_perturbation(data, eps, kind, targets)))
    return box.outcome()


@checked
def gradient_attack(
    network: PatchNetwork,
    X: object,
    y: object,
    eps: Nonnegative,
    *,
    steps: Count = 20,
    restarts: Count = 3,
    rng: Seed | None = None,
    goal: GradientGoal = "loss",
    box: tuple[float, float] | None = None,
) -> AttackOutcome:
    """Walk uphill in the box by sign steps (projected gradient ascent).

    The first walk begins at the clean input, the others at uniform points of the box.  One step
    from the clean input, ``steps=1, restarts=1``, is FGSM.  For the goal "margin" one more walk
    begins where the largest filter of the other class is most active: below 0 a smoothed ReLU has
    no gradient, and a walk from the clean input may never learn of that filter.

    Here `restarts`: the number of walks, ``>= 1``; for the goal "margin", of walks for each other
    class; `goal`: what to climb.  "margin" costs more than k - 1 times as much and finds more;
    `box`: bounds (low, high) that inputs keep, such as (0, 1) for pixels.

    The least margins over all points that were visited.
    """
    validation.instance(network, "network", PatchNetwork)
    inputs, labels = checked_patches(X, y, (network.classes, network.dim))
    chosen = validation.choice(goal, "goal", _GOALS)
    bounds = None if box is None else checked_box(box)
    generator = validation.generator(rng) if restarts > 1 or rng is not None else None
    space = _Box(network, inputs, labels, eps, bounds)
    move = eps if steps == 1 else 2.5 * eps / steps
    for uphill, template in _directions(network, labels, chosen):
        starts: list[FloatArray | None] = [np.zeros_like(inputs), *[None] * (restarts - 1)]
        if template is not None:
            starts.append(eps * np.sign(template)[:, None, :])
        for start in starts:
            if start is None:
                assert generator is not None
                start = generator.uniform(-eps, eps, inputs.shape)
            points = space.inside(inputs + start)
            space.look(points)
            for _ in range(steps):
                points = space.inside(points + move * np.sign(uphill(points)))
                space.look(points)
    return space.outcome()


def _directions(
    network: PatchNetwork, y: IntArray, goal: GradientGoal
) -> list[tuple[Callable[[FloatArray], FloatArray], FloatArray | None]]:
    """List functions to climb, each with a filter for every input to start from, shape (N, d)."""
    rows = np.arange(len(y))

    def loss(X: FloatArray) -> FloatArray:
        # The gradient of the loss over 1 - softmax_y: the same signs, and never rounded to 0.
        others = network(X)
        others[rows, y] = -np.inf
        mix = np.exp(others - others.max(axis=1, keepdims=True))
        mix /= mix.sum(axis=1, keepdims=True)
        mix[rows, y] = -1.0
        return network.logit_gradient(X, mix)

    if goal == "loss":
        return [(loss, None)]
    largest = np.abs(network.weights).sum(axis=2).argmax(axis=1)
    templates = network.weights[np.arange(network.classes), largest]

    def toward(shift: int) -> tuple[Callable[[FloatArray], FloatArray], FloatArray]:
        targets = (y + shift) % network.classes
        mix = np.zeros((len(y), network.classes))
        mix[rows, y] = -1.0
        mix[rows, targets] = 1.0
        return lambda X: network.logit_gradient(X, mix), templates[targets]

    return [toward(shift) for shift in range(1, network.classes)]


@described
def gradient_energy(network: PatchNetwork, data: PatchData) -> EnergyShares:
    """Return where the gradient of the loss points: the anatomy of a one-step perturbation.

    Here `data`: inputs with their labels.

    The mean over the inputs of the shares of the squared gradient; inputs without a gradient do not
    count.

    Raises TypeError, ValueError: if network and data do not fit, or if no input has a gradient.

    >>> from sublinear_lib.features import FeatureData, PatchNetwork
    >>> law = FeatureData(noise=0.0)
    >>> network = PatchNetwork.of_features(law, robust=[0.0], nonrobust=[1.0])
    >>> gradient_energy(network, law.sample(3, rng=0)).own_v
    1.0
    """
    network, data = checked_sample(network, data)
    squared = np.square(network.input_gradient(data.X, data.y)).sum(axis=1)
    total = squared.sum(axis=1)
    if not (total > 0).any():
        raise ValueError("network must have a gradient at some input of data, got zeros only")
    shares, law = squared[total > 0] / total[total > 0, None], data.law
    y = data.y[total > 0]
    own = (shares[np.arange(len(y)), np.asarray(feature)[y]].mean() for feature in (law.u, law.v))
    return EnergyShares(*map(float, own))

r"""Standard and adversarial training of the convolutional network by full-batch gradient descent.

The adversary of the theory takes *one* step of gradient ascent of rate eta~ and clips it:
``delta = clip(eta~ grad_X loss, -eps, eps)``.  This is not the sign step of FGSM: early in training
gradients are tiny, so is the attack, and the network can begin to learn; the attack bites when a
feature has been learned.  Variants: several projected steps of the same total rate, sign steps, and
steps normalized patch by patch, all with an optional warm-up of the budget.

Before changing anything, know that a run is a function of its seed: data, first weights and random
starts are drawn from one generator, in this order, and the stored results of the book depend on it.

Source: Algorithm and Lemma 5.2 of Li and Li (2025) as described in their review thread; that the
step is clipped and not a sign is read from the minimum in that lemma.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import numpy as np

from sublinear_lib import validation
from sublinear_lib._arguments import (
    Count,
    Flag,
    Nonnegative,
    Positive,
    Whole,
    check_fields,
    checked,
)
from sublinear_lib._typing import FloatArray, IntArray, Seed
from sublinear_lib.features.activations import Activation, SmoothedReLU
from sublinear_lib.features.data import FeatureData, PatchData
from sublinear_lib.features.network import (
    PatchNetwork,
    checked_patches,
    logits_and_slopes,
    loss_and_errors,
    weighted_slopes,
)

__all__ = [
    "FeatureHistory",
    "FeatureRun",
    "TrainingAttack",
    "TrainingSettings",
    "fit",
    "train_features",
]

AscentRule: TypeAlias = Literal["clipped", "sign", "normalized"]
"""How a step of the training adversary uses the gradient g of the loss in the input.

"clipped" moves by ``rate * g``, "sign" by its sign, "normalized" by ``g / max |g|``, the maximum
taken over the coordinates of each patch; all are projected to the box of radius eps.
"""

_RULES: Final[tuple[AscentRule, ...]] = ("clipped", "sign", "normalized")
# Several sign or normalized steps may walk 2.5 times the radius in all.
_WALK: Final = 2.5


@dataclass(frozen=True, kw_only=True)
class TrainingAttack:
    """The adversary inside the training loop.

    Parameters
    ----------
    eps : float
        The budget, ``>= 0``, absolute units of the maximum norm over all patches.
    rate : float, default 300.0
        The rate eta~ of the ascent, ``> 0`` and finite, shared out among the steps; used by the
        rule "clipped" only.
    steps : int, default 1
        The number of steps, ``>= 1``.
    rule : {"clipped", "sign", "normalized"}, default "clipped"
        How a step uses the gradient, see `AscentRule`.  One sign or normalized step has size eps;
        of several, each has size ``2.5 eps / steps``.
    random_start : bool, default False
        Whether to begin at a uniform point of the box instead of its center.
    warm_up : pair of int, optional
        Training steps (first, last): the budget is 0 up to the first and grows linearly to eps at
        the last, ``0 <= first < last``.
    box : pair of float, optional
        Bounds (low, high) that attacked inputs keep, such as (0, 1) for pixels; the clean inputs
        have to lie within.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of this form, such as a negative budget.

    Examples
    --------
    >>> attack = TrainingAttack(eps=0.3, rule="sign", steps=3, warm_up=(100, 500))
    >>> attack.budget(0), attack.budget(300), attack.budget(900)
    (0.0, 0.15, 0.3)
    """

    eps: Nonnegative
    rate: Positive = 300.0
    steps: Count = 1
    rule: AscentRule = "clipped"
    random_start: Flag = False
    warm_up: tuple[int, int] | None = None
    box: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_fields(self)
        validation.choice(self.rule, "rule", _RULES)
        if self.warm_up is not None:
            first, last = _pair(self.warm_up, "warm_up")
            begin = validation.count(first, "warm_up[0]", minimum=0)
            pair = begin, validation.count(last, "warm_up[1]", minimum=begin + 1)
            object.__setattr__(self, "warm_up", pair)
        if self.box is not None:
            object.__setattr__(self, "box", checked_box(self.box))

    @checked
    def budget(self, step: Whole) -> float:
        """Return the budget at a step of the training.

        Here `step`: the number of updates so far, ``>= 0``.
        """
        if self.warm_up is None:
            return self.eps
        first, last = self.warm_up
        return self.eps * min(1.0, max(0.0, (step - first) / (last - first)))

    def perturb(
        self, network: PatchNetwork, X: object, y: object, rng: Seed | None = None
    ) -> FloatArray:
        """Return the inputs on which a training step would be taken, after the warm-up.

        Inputs within the budget of X, up to the rounding of the sum.
        """
        validation.instance(network, "network", PatchNetwork)
        inputs, labels = checked_patches(X, y, (network.classes, network.dim))
        if self.box is not None:
            check_inside(inputs, self.box)
        generator = _generator(self, rng)

        def gradient(at: FloatArray) -> FloatArray:
            return network.input_gradient(at, labels)

        return self._moved(inputs, self.eps, gradient, None, generator)

    def _moved(
        self,
        X: FloatArray,
        eps: float,
        gradient: Callable[[FloatArray], FloatArray],
        first: FloatArray | None,
        rng: np.random.Generator | None,
    ) -> FloatArray:
        """Walk uphill from X; `first` is the gradient at X, if it is known already."""
        center, points = X, X
        delta: FloatArray | float = 0.0
        if self.random_start:
            assert rng is not None
            delta = rng.uniform(-eps, eps, X.shape)
            points, first = self._boxed(center + delta), None
        for _ in range(self.steps):
            move = self._step(gradient(points) if first is None else first, eps)
            first = None
            move += delta
            delta = np.clip(move, -eps, eps, out=move)
            points = self._boxed(center + delta)
        return points

    def _step(self, slope: FloatArray, eps: float) -> FloatArray:
        """Return the move of one step as an array of its own."""
        if self.rule == "clipped":
            return slope * (self.rate / self.steps)
        size = eps if self.steps == 1 else _WALK * eps / self.steps
        if self.rule == "sign":
            return np.asarray(size * np.sign(slope))
        largest = np.abs(slope).max(axis=-1, keepdims=True)
        return np.asarray(size * (slope / np.where(largest > 0, largest, 1.0)))

    def _boxed(self, X: FloatArray) -> FloatArray:
        return X if self.box is None else np.clip(X, *self.box)


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """Everything about a training run but its data and its seed; defaults are the book's.

    Parameters
    ----------
    samples : int, default 18
        The number N of training inputs, ``>= 1``.
    filters : int, default 12
        The number m of filters of a class, ``>= 1``.
    activation : Activation, default SmoothedReLU(q=3, rho=15)
        The rectifier.
    scale : float, default 0.05
        The standard deviation sigma_0 of the first weights, ``>= 0``.
    rate : float, default 1.0
        The rate eta of gradient descent, ``> 0``.  In the polynomial regime only
        ``rate / rho**(q - 1)`` matters.
    steps : int, default 1600
        The number T of updates, ``>= 0``.
    attack : TrainingAttack, optional
        The adversary; without one, or with ``eps = 0``, training is standard.
    record_every : int, default 1
        How many updates lie between two rows of the history, ``>= 1``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of this form.

    Examples
    --------
    >>> standard = TrainingSettings(steps=400)
    >>> adversarial = TrainingSettings(attack=TrainingAttack(eps=0.9, rate=300))
    """

    samples: Count = 18
    filters: Count = 12
    activation: Activation = field(default_factory=SmoothedReLU)
    scale: Nonnegative = 0.05
    rate: Positive = 1.0
    steps: Whole = 1600
    attack: TrainingAttack | None = None
    record_every: Count = 1

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_fields(self)
        validation.instance(self.activation, "activation", Activation)  # type: ignore[type-abstract]
        if self.attack is not None:
            validation.instance(self.attack, "attack", TrainingAttack)

    def _start(self, classes: int, dim: int, rng: np.random.Generator) -> PatchNetwork:
        """Draw the network with which the training begins."""
        return PatchNetwork.random(
            classes, self.filters, dim, scale=self.scale, rng=rng, activation=self.activation
        )


@dataclass(frozen=True, eq=False)
class LossHistory:
    """What happened in a training run.

    Fields: `steps` (L,): the numbers of updates before each row; the first is 0; `loss` (L,): the
    mean loss on the attacked inputs, which is what training decreases; `clean_loss` (L,): the mean
    loss on the clean inputs; `budget` (L,): the adversary's budget.
    """

    steps: IntArray
    loss: FloatArray
    clean_loss: FloatArray
    budget: FloatArray


class FeaturePaths:
    """What every filter holds of both features, step by step."""

    steps: IntArray
    A: FloatArray
    B: FloatArray

    def leaders(self) -> tuple[FloatArray, FloatArray]:
        """Return the best filter for each feature: ``max_r A_{i,r}`` and ``max_r B_{i,r}``."""
        return self.A.max(axis=2), self.B.max(axis=2)

    def crossing(self) -> FloatArray:
        """Return when the robust feature takes the lead for good: the phase transition.

        For each class the first recorded step from which ``max_r A >= max_r B`` to the end; 0 if
        the robust feature leads all the time, infinity if it does not lead at the end.
        """
        A, B = self.leaders()
        ahead = np.logical_and.accumulate((A >= B)[::-1], axis=0).sum(axis=0)
        times = np.append(self.steps.astype(np.float64), np.inf)
        return np.asarray(times[len(self.steps) - ahead])


@dataclass(frozen=True, eq=False)
class FeatureHistory(FeaturePaths, LossHistory):
    """What happened in a training run, with the features that the filters hold.

    Fields: those of `LossHistory`; `A`, `B` (L, k, m): ``A_{i,r} = <w_{i,r}, u_i>``, the robust
    feature, and ``B_{i,r} = <w_{i,r}, v_i>``, the non-robust one.
    """

    A: FloatArray
    B: FloatArray


@dataclass(frozen=True, eq=False)
class FeatureRun:
    """A finished training run on patch data.

    Fields: `network`, `initial`: the network at the end and at the beginning; `history`: what
    happened; `data`: the training inputs; `settings`: how it was trained.
    """

    network: PatchNetwork
    initial: PatchNetwork
    history: FeatureHistory
    data: PatchData
    settings: TrainingSettings


def _descend(
    network: PatchNetwork,
    X: FloatArray,
    y: IntArray,
    *,
    rate: float,
    steps: int,
    attack: TrainingAttack | None,
    rng: np.random.Generator | None,
    every: int,
    law: FeatureData | None = None,
) -> tuple[PatchNetwork, LossHistory]:
    k, act = network.classes, network.activation
    if attack is not None and attack.box is not None:
        check_inside(X, attack.box)
    W = network.weights.reshape(-1, network.dim).copy()
    rows, features = [], []
    flat = X.reshape(-1, network.dim)

    def gradient(at: FloatArray) -> FloatArray:
        F, slopes = logits_and_slopes(at, W, k, act)
        return np.asarray(weighted_slopes(slopes, loss_and_errors(F, y)[1]) @ W)

    # What is not finite is found below, and said once.
    with np.errstate(over="ignore", invalid="ignore"):
        for step in range(steps + 1):
            F, slopes = logits_and_slopes(X, W, k, act)
            losses, errors = loss_and_errors(F, y)
            loss = clean = float(losses.mean())
            pull = weighted_slopes(slopes, errors)
            eps = attack.budget(step) if attack is not None else 0.0
            used = flat
            if attack is not None and eps > 0:
                first = None if attack.random_start else np.asarray(pull @ W)
                attacked = attack._moved(X, eps, gradient, first, rng)
                F, slopes = logits_and_slopes(attacked, W, k, act)
                losses, errors = loss_and_errors(F, y)
                loss = float(losses.mean())
                pull = weighted_slopes(slopes, errors)
                used = attacked.reshape(flat.shape)
            if step % every == 0:
                rows.append((loss, clean, eps))
                if law is not None:
                    blocks, classes = W.reshape(k, -1, network.dim), np.arange(k)
                    features.append([blocks[classes, :, np.asarray(v)] for v in (law.u, law.v)])
            if step == steps:
                break
            W -= rate / len(y) * (pull.reshape(len(flat), -1).T @ used)
            if not math.isfinite(float(W.sum())):
                raise FloatingPointError(
                    f"training diverged: after {step + 1} updates with rate {rate:g} the weights "
                    "are no finite numbers; choose a smaller rate"
                )
    trained = PatchNetwork(W.reshape(network.weights.shape), act)
    times = np.arange(len(rows), dtype=np.int64) * every
    if law is None:
        return trained, LossHistory(times, *np.transpose(rows))
    found = np.moveaxis(np.array(features), 1, 0)
    return trained, FeatureHistory(times, *np.transpose(rows), *found)


@checked
def fit(
    network: PatchNetwork,
    X: object,
    y: object,
    *,
    rate: Positive,
    steps: Whole,
    attack: TrainingAttack | None = None,
    rng: Seed | None = None,
    record_every: Count = 1,
) -> tuple[PatchNetwork, LossHistory]:
    """Train a network on any inputs made of patches, such as images.

    Here `rate`: the rate eta of gradient descent on the mean loss, ``> 0``; `attack`: the
    adversary; `record_every`: how many updates lie between two rows of the history, ``>= 1``.

    Returned: `network`: The network at the end. `history`: What happened.

    Raises FloatingPointError: if the weights grow beyond all numbers.

    >>> law = FeatureData(classes=2, dim=4, nonrobust_patches=3)
    >>> data = law.sample(4, rng=0)
    >>> start = PatchNetwork.random(2, 3, 4, scale=0.1, rng=1, activation=SmoothedReLU(3, 1.0))
    >>> trained, history = fit(start, data.X, data.y, rate=0.5, steps=60)
    >>> bool(history.loss[-1] < 0.1 * history.loss[0]), trained.error(data.X, data.y)
    (True, 0.0)
    """
    validation.instance(network, "network", PatchNetwork)
    inputs, labels = checked_patches(X, y, (network.classes, network.dim))
    if attack is not None:
        validation.instance(attack, "attack", TrainingAttack)
    source = _generator(attack, rng)
    return _descend(
        network,
        inputs,
        labels,
        rate=rate,
        steps=steps,
        attack=attack,
        rng=source,
        every=record_every,
    )


@checked
def train_features(law: FeatureData, settings: TrainingSettings, seed: Seed) -> FeatureRun:
    """Draw patch data and first weights, and train.

    Here `law`: what the data are drawn from; `settings`: how to train; `seed`: source of data,
    first weights and random starts, in this order.

    Raises FloatingPointError: if the weights grow beyond all numbers.

    With the defaults, an adversarial run takes about a second and a half on one core.

    >>> run = train_features(FeatureData(), TrainingSettings(steps=400), seed=0)
    >>> bool((run.network.shares(run.data.law).share < 0.01).all())
    True
    """
    validation.instance(law, "law", FeatureData)
    validation.instance(settings, "settings", TrainingSettings)
    rng = validation.generator(seed, "seed")
    data = law.sample(settings.samples, rng)
    initial = settings._start(law.classes, law.dim, rng)
    network, history = _descend(
        initial,
        data.X,
        data.y,
        rate=settings.rate,
        steps=settings.steps,
        attack=settings.attack,
        rng=rng,
        every=settings.record_every,
        law=law,
    )
    assert isinstance(history, FeatureHistory)
    return FeatureRun(network, initial, history, data, settings)


def _generator(attack: TrainingAttack | None, rng: Seed | None) -> np.random.Generator | None:
    if rng is None and (attack is None or not attack.random_start):
        return None
    return validation.generator(rng)


def _pair(value: object, name: str) -> tuple[object, object]:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypeError(f"{name} must be a pair of numbers, got {value!r}")
    return value[0], value[1]


def checked_box(value: object) -> tuple[float, float]:
    """Return bounds (low, high) with low < high, or refuse them."""
    low, high = _pair(value, "box")
    lower = validation.scalar(low, "box[0]")
    return lower, validation.scalar(high, "box[1]", exclusive_minimum=lower)


def check_inside(X: FloatArray, box: tuple[float, float]) -> None:
    """Refuse inputs outside a box: moving them into it would take more than the budget."""
    if X.min() < box[0] or X.max() > box[1]:
        raise ValueError(f"X must lie in the box {box}, got entries from {X.min()} to {X.max()}")

"""What an adversary is: Definition 3.3, as a Python protocol.

An adversary A maps a network f, a point x and a label y to a point of the cap
``B2(x, rho) = {v in X : ||v - x|| <= rho}``.  Here it does so for a whole batch, and it returns
what it found out on the way (`AttackResult`).  Two things to know before writing one.  It may be
given a network or an evaluator that only knows the neurons which can fire in the caps of this very
batch (one index query serves a whole attack), so it must ask for values at points of those caps
only, in the order of the batch.  And what it returns is a *lower* bound of the worst case
``max l(y, f(v))``: a failed attack proves nothing.  `CapAttack` takes care of both kinds of
networks and of objectives by name; its example is an adversary of one's own, and how to score it.

An *attack* is an adversary that looks for a bad point: a frozen object with a radius `rho`; calling
it checks the arguments and hands a `Batch` to its one method, `_attack`.

It can be asked for more than a loss: `NegativeMargin` is what decides whether a point is
misclassified, which no loss of Definition 3.2 does; `Height` raises the network itself, whatever
the label, as the brackets of Definition 3.4 ask for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias, cast

import numpy as np

from sublinear_lib import validation
from sublinear_lib._arguments import check_fields
from sublinear_lib._typing import FloatArray, Seed
from sublinear_lib.evaluation import PointEvaluator
from sublinear_lib.losses import get_loss
from sublinear_lib.network import TwoLayerNetwork

__all__ = [
    "Adversary",
    "AttackResult",
    "Batch",
    "CapAttack",
    "Height",
    "NegativeMargin",
    "Objective",
    "Target",
    "checked_objective",
    "class_labels",
    "margin_of",
    "prepare",
    "progress_bar",
    "whole_network",
]

Target: TypeAlias = TwoLayerNetwork | PointEvaluator
"""What can be attacked: a network, or an evaluator made for the batch."""


class Objective(Protocol):
    """What an attack maximizes: a loss of Definition 3.2, or anything of the same form."""

    def value(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return what the attack makes large, shape (n,), at labels `y` and outputs `f`, (n,)."""

    def derivative(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return a (sub)derivative of the objective in the output, shape (n,)."""


@dataclass(frozen=True, eq=False)
class AttackResult:
    """What an attack found, one entry per example.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
        The best point found in each cap; the clean point, bit for bit, where nothing better was
        found.
    loss : ndarray of float64, shape (n,)
        The objective there; never below the objective at the clean point.
    value : ndarray of float64, shape (n,)
        The output of the network there.
    clean_value : ndarray of float64, shape (n,)
        The output of the network at the clean points.
    """

    X: FloatArray
    loss: FloatArray
    value: FloatArray
    clean_value: FloatArray


class Adversary(Protocol):
    """A rho-bounded adversary (Definition 3.3).

    An adversary that also asks for smoothed gradients has a method ``margin(weight_scale)``, which
    says how far below the threshold it looks; see `margin_of`.
    """

    @property
    def rho(self) -> float:
        """Radius of the caps, a Euclidean chord length; 0 for an adversary that does nothing."""

    def __call__(
        self, network: Target, X: object, y: object, loss: str | Objective, rng: Seed
    ) -> AttackResult:
        """Attack a batch.

        Parameters
        ----------
        network : TwoLayerNetwork or PointEvaluator
            The network as it is now.
        X : array-like, shape (n, d)
            Clean points on the slice.
        y : array-like, shape (n,)
            Labels, ``|y| <= 1``.
        loss : str or Objective
            What to maximize.
        rng : int, SeedSequence or Generator
            Source of randomness.

        Returns
        -------
        AttackResult
            The points found, and the network there.
        """


def margin_of(adversary: Adversary, weight_scale: float) -> float:
    """Return how far below the threshold an adversary looks at neurons.

    Parameters
    ----------
    adversary : Adversary
        Any adversary.
    weight_scale : float
        Root mean square of the hidden weights, the last column left out.

    Returns
    -------
    float
        What its method ``margin`` returns, checked to be finite and ``>= 0``; 0 if it has none.

    Raises
    ------
    TypeError, ValueError
        If the adversary is none, or its method returns anything else.
    """
    if not hasattr(adversary, "rho"):
        raise TypeError(f"adversary must have an attribute rho, got {adversary!r}")
    margin = getattr(adversary, "margin", None)
    if margin is None:
        return 0.0
    return validation.scalar(margin(weight_scale), "adversary.margin(weight_scale)", minimum=0)


def whole_network(target: object) -> TwoLayerNetwork:
    """Return the network behind what is attacked; adversaries that sweep whole caps need it.

    That is a network, or what the method ``whole_network()`` of an evaluator returns, as those that
    a trainer hands out have.
    """
    if isinstance(target, TwoLayerNetwork):
        return target
    ask = getattr(target, "whole_network", None)
    found = ask() if callable(ask) else target
    if not isinstance(found, TwoLayerNetwork):
        raise TypeError(
            "network must be a TwoLayerNetwork, or an evaluator with a method whole_network(), "
            f"got {type(found).__name__}"
        )
    return found


@dataclass(frozen=True, eq=False)
class Batch:
    """The validated arguments of an attack.

    Parameters
    ----------
    target : TwoLayerNetwork or PointEvaluator
        What is attacked, as it was given.
    evaluator : PointEvaluator
        The network, ready to be asked about points of the batch.
    X : ndarray of float64, shape (n, d)
        Clean points.
    y : ndarray of float64, shape (n,)
        Labels.
    objective : Objective
        What is maximized.
    tick : callable
        Called after every part of the attack, for a progress bar.
    """

    target: Target
    evaluator: PointEvaluator
    X: FloatArray
    y: FloatArray
    objective: Objective
    tick: Callable[[], object] = field(default_factory=lambda: lambda: None)

    def score(self, f: FloatArray) -> FloatArray:
        """Return the objective at the outputs `f`, shape (n,), which must be finite.

        An output that is not must never win or lose silently: every comparison with NaN is false.
        """
        finite = np.isfinite(f)
        if not finite.all():
            row = int(np.argmin(finite))
            raise FloatingPointError(
                f"the network must have finite outputs, got {float(f[row])} for example {row}"
            )
        return self.objective.value(self.y, f)

    def slope(self, f: FloatArray) -> FloatArray:
        """Return in which direction the outputs have to move for the objective to rise: +1 or -1.

        On a flat part of the objective both are as good: against the label.
        """
        slope = np.sign(self.objective.derivative(self.y, f))
        if slope.all():
            return slope
        return np.where(slope == 0.0, np.where(self.y > 0.0, -1.0, 1.0), slope)


def checked_objective(loss: str | Objective) -> Objective:
    """Return what is maximized."""
    if isinstance(loss, str):
        return get_loss(loss)
    if callable(getattr(loss, "value", None)) and callable(getattr(loss, "derivative", None)):
        return loss
    raise TypeError(
        "loss must be the name of a loss or an object with value(y, f) and derivative(y, f), "
        f"got {type(loss).__name__}"
    )


def class_labels(y: object, n: int) -> FloatArray:
    """Return labels whose signs name classes."""
    labels = validation.labels(y, n=n)
    if (labels == 0.0).any():
        index = int(np.argmax(labels == 0.0))
        raise ValueError(f"y must be nonzero to name a class by its sign, got 0.0 at index {index}")
    return labels


def prepare(network: Target, X: object, y: object, loss: str | Objective) -> Batch:
    """Validate the arguments of an attack."""
    d = network.d if isinstance(network, TwoLayerNetwork) else None
    # A trainer has checked its data before the first step.
    done: tuple[Any, Any] = getattr(network, "checked", (None, None))
    points = cast(FloatArray, X) if X is done[0] else validation.points_on_slice(X, d=d)
    n = len(points)
    targets = cast(FloatArray, y) if y is done[1] else validation.labels(y, n=n)
    objective = checked_objective(loss)
    if isinstance(network, TwoLayerNetwork):
        return Batch(network, network.evaluator(n), points, targets, objective)
    if not callable(getattr(network, "value_and_input_gradient", None)):
        raise TypeError(
            "network must be a TwoLayerNetwork or an evaluator with value(X) and "
            f"value_and_input_gradient(X), got {type(network).__name__}"
        )
    return Batch(network, network, points, targets, objective)


@contextmanager
def progress_bar(
    total: int | None, title: str, wanted: bool, unit: str = "part"
) -> Iterator[Callable[[], object]]:
    """Show a bar for a while."""
    if not wanted:
        yield lambda: None
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, desc=title, unit=f" {unit}") as bar:
        yield bar.update


class CapAttack(ABC):
    """An adversary that looks for a bad point in each cap.

    An attack of your own has a radius ``rho`` and a method ``_attack(batch, generator)``.  It asks
    ``batch.evaluator`` for the network, be it one or an evaluator of a trainer, and
    ``batch.score(f)`` for what it maximizes; its points must lie in the caps around ``batch.X``.

    Examples
    --------
    >>> from sublinear_lib import adversary, datasets, geometry, network, training
    >>> class OneRandomPoint(CapAttack):
    ...     rho = 0.2
    ...
    ...     def _attack(self, batch, generator):
    ...         clean = batch.evaluator.value(batch.X)
    ...         points = geometry.sample_caps(batch.X, self.rho, generator)
    ...         moved = batch.evaluator.value(points)
    ...         better = batch.score(moved) > batch.score(clean)
    ...         value = np.where(better, moved, clean)
    ...         points = np.where(better[:, None], points, batch.X)
    ...         return AttackResult(points, batch.score(value), value, clean)

    It trains like the others, and is scored beside a strong one at points that it did not see:

    >>> train, test = datasets.load_split("digits-3v8", 0.25, rng=0)
    >>> start = network.TwoLayerNetwork.initialize(256, train.d, rng=0, tau=0.1)
    >>> trainer = training.SublinearAdversarialTraining(adversary=OneRandomPoint(), steps=20)
    >>> final = trainer.fit(start, train.X, train.y, rng=0).final
    >>> scores = [
    ...     adversary.accuracy_under_attack(final, test.X, test.y, attack, rng=1)
    ...     for attack in (OneRandomPoint(), adversary.SmoothedGradient(rho=0.2))
    ... ]
    >>> scores[0] > scores[1]
    True
    """

    def __post_init__(self) -> None:
        """Check the numbers of an attack that is a dataclass."""
        check_fields(self)

    def __call__(
        self,
        network: Target,
        X: object,
        y: object,
        loss: str | Objective,
        rng: Seed,
        *,
        progress: bool = False,
    ) -> AttackResult:
        """Attack every example.

        Parameters
        ----------
        network : TwoLayerNetwork or PointEvaluator
            The network, or an evaluator made for the caps of this batch.  The exact attacks need
            the network itself, or an evaluator that knows it, such as that of a trainer.
        X : array-like, shape (n, d)
            Clean points on the slice.
        y : array-like, shape (n,)
            Labels, ``|y| <= 1``.
        loss : str or Objective
            What to maximize.
        rng : int, SeedSequence or Generator
            Source of randomness, checked also where none is used.
        progress : bool, default False
            Whether to show a progress bar.  Ctrl-C ends the attack without a result; apart from a
            generator that was passed in, which has moved on, nothing is changed then.

        Returns
        -------
        AttackResult
            The best points found.

        Raises
        ------
        TypeError, ValueError
            If an argument has a wrong type, shape or value.
        FloatingPointError
            If the network has an output that is not finite.
        """
        generator = validation.generator(rng)
        wanted = validation.boolean(progress, "progress")
        batch = prepare(network, X, y, loss)
        with progress_bar(self._parts(batch), type(self).__name__, wanted) as tick:
            return self._attack(replace(batch, tick=tick), generator)

    def _parts(self, batch: Batch) -> int | None:
        """Return how often an attack on the batch ticks, if that is known."""
        return None

    @abstractmethod
    def _attack(self, batch: Batch, generator: np.random.Generator) -> AttackResult:
        """Find the best points; the arguments are checked."""


@dataclass(frozen=True)
class Height:
    """The objective ``side * f``, whatever the label.

    Parameters
    ----------
    side : {1, -1}, default 1
        Raise f (1) or lower it (-1).

    Raises
    ------
    ValueError
        If `side` is neither 1 nor -1.
    """

    side: int = 1

    def __post_init__(self) -> None:
        """Check the side."""
        if isinstance(self.side, bool) or self.side not in (1, -1):
            raise ValueError(f"side must be 1 or -1, got {self.side!r}")

    def value(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return the height.

        Parameters
        ----------
        y, f : ndarray of float64, shape (n,)
            Labels, which do not matter, and outputs.

        Returns
        -------
        ndarray of float64, shape (n,)
            ``side * f``.
        """
        return np.asarray(self.side * f)

    def derivative(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return its slope.

        Parameters
        ----------
        y, f : ndarray of float64, shape (n,)
            Labels and outputs.

        Returns
        -------
        ndarray of float64, shape (n,)
            The side, n times.
        """
        return np.full_like(f, float(self.side))


@dataclass(frozen=True)
class NegativeMargin:
    """The objective ``-sign(y) f``: positive where the network is wrong, whatever the loss.

    Notes
    -----
    A regression loss also rewards outputs that are right and too large; an attack that looks for a
    misclassified point had better make this large.

    Examples
    --------
    >>> y, f = np.array([1.0, -0.5]), np.array([0.2, 0.3])
    >>> NegativeMargin().value(y, f), NegativeMargin().derivative(y, f)
    (array([-0.2,  0.3]), array([-1.,  1.]))
    """

    def value(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return the negative margin of every example."""
        return np.asarray(-np.sign(y) * f)

    def derivative(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return its derivative in the output."""
        return np.asarray(-np.sign(y))

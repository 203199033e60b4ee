r"""The worst case of Definition 3.4, between certified bounds, by whatever suits the dimension.

``L_{A*}`` needs ``max l(y, f(v))`` over a cap.  Every loss of this library is convex in the output,
so the maximum is attained at the supremum or at the infimum of f: two extremal problems without a
loss, which `bracket` solves or bounds:

* d = 2: X is two points; both are looked at.
* d = 3: the sweep of :mod:`sublinear_lib.adversary.circle`, exact at any width.
* 4 <= d <= 6: :func:`sublinear_lib.adversary.branch_and_bound`, started by an attack.
* d > 6: an attack from below and the optimised relaxation from above.

Know before quoting a number: only what lies between `lower` and `upper` is proved, and for wide
networks in high dimension the two may be far apart; the status then says ``"unknown"``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sublinear_lib import geometry, validation
from sublinear_lib._typing import FloatArray, Seed
from sublinear_lib.adversary.branch_and_bound import Bracket, Status, branch_and_bound
from sublinear_lib.adversary.circle import CircleWave
from sublinear_lib.adversary.protocol import Objective
from sublinear_lib.adversary.relaxation import CapRelaxation
from sublinear_lib.adversary.smoothed_gradient import SmoothedGradient
from sublinear_lib.losses import get_loss
from sublinear_lib.network import TwoLayerNetwork

__all__ = [
    "BracketMethod",
    "CertifiedAccuracy",
    "CertifiedRadius",
    "RobustLoss",
    "bracket",
    "certified_accuracy",
    "certified_radius",
    "robust_loss",
]

BracketMethod = Literal["auto", "enumeration", "circle", "split", "relaxation"]
"""How a bracket is found."""

_METHODS = ("auto", "enumeration", "circle", "split", "relaxation")
_LARGEST_TO_SPLIT = 6


class _Height:
    """The objective ``side * f``."""

    def __init__(self, side: int) -> None:
        self._side = float(side)

    def value(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return the height."""
        return self._side * f

    def derivative(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return its slope."""
        return np.full_like(f, self._side)


def bracket(
    network: TwoLayerNetwork,
    x: object,
    rho: object,
    *,
    side: int = 1,
    method: BracketMethod = "auto",
    tol: object = 1e-3,
    threshold: object = None,
    time_limit: object = 10.0,
    rng: Seed = 0,
) -> Bracket:
    """Bracket the supremum of ``side * f`` over a cap.

    Parameters
    ----------
    network : TwoLayerNetwork
        The network.
    x : array-like, shape (d,)
        Middle of the cap, on the slice.
    rho : float
        Radius of the cap, a Euclidean chord length, ``>= 0``.
    side : {1, -1}, default 1
        Supremum of f (1), or of -f, that is minus the infimum of f (-1).
    method : {"auto", "enumeration", "circle", "split", "relaxation"}, default "auto"
        How; ``"auto"`` goes by the dimension (see the module's text).
    tol : float, default 1e-3
        Width that counts as exact, ``>= 0``, absolute.
    threshold : float, optional
        Only decide whether the supremum exceeds this number.
    time_limit : float, default 10
        Most seconds for splitting, ``> 0``.
    rng : int, SeedSequence or Generator, default 0
        Source of randomness of the attack.

    Returns
    -------
    Bracket
        ``lower <= sup <= upper``, with a witness, how it was found, and what was decided.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value, or the method does not fit ``d``.

    Examples
    --------
    >>> network = TwoLayerNetwork.initialize(1000, 3, rng=0, tau=0.05)
    >>> found = bracket(network, geometry.sample_slice(1, 3, rng=1)[0], 0.2)
    >>> found.status, found.method, bool(found.upper - found.lower < 1e-7)
    ('exact', 'circle', True)
    """
    if not isinstance(network, TwoLayerNetwork):
        raise TypeError(f"network must be a TwoLayerNetwork, got {type(network).__name__}")
    middle = validation.points_on_slice([x], "x", d=network.d)[0]
    radius = validation.scalar(rho, "rho", minimum=0)
    if isinstance(side, bool) or side not in (1, -1):
        raise ValueError(f"side must be 1 or -1, got {side!r}")
    chosen = validation.choice(method, "method", _METHODS)
    width = validation.scalar(tol, "tol", minimum=0)
    level = None if threshold is None else validation.scalar(threshold, "threshold")
    seconds = validation.scalar(time_limit, "time_limit", exclusive_minimum=0)
    generator = validation.generator(rng)
    if chosen == "auto":
        chosen = _by_dimension(network.d)
    begun = time.monotonic()
    if chosen == "enumeration":
        lower, upper, witness = _enumerated(network, middle, radius, side)
    elif chosen == "circle":
        lower, upper, witness = _swept(network, middle, radius, side)
    else:
        relaxation = CapRelaxation(network, middle, radius, side)
        lower, witness = float(side * network.forward(middle[None, :])[0]), middle
        upper = max(lower, relaxation.linear().value)
        # A question with a threshold is often answered by the cheapest bounds.
        if level is None or lower <= level < upper:
            attack = SmoothedGradient(rho=radius)
            found = attack(network, middle[None, :], np.zeros(1), _Height(side), generator)
            if chosen == "split":
                return branch_and_bound(
                    network,
                    middle,
                    radius,
                    side=side,
                    start=found.X,
                    tol=width,
                    threshold=level,
                    time_limit=seconds,
                )
            lower, witness = float(side * found.value[0]), found.X[0]
            upper = max(lower, relaxation.optimized().value)
    return Bracket(
        lower=lower,
        upper=upper,
        witness=witness,
        status=_decided(lower, upper, width, level),
        method=chosen,
        nodes=1,
        seconds=time.monotonic() - begun,
    )


def _by_dimension(d: int) -> str:
    if d == 2:
        return "enumeration"
    if d == 3:
        return "circle"
    return "split" if d <= _LARGEST_TO_SPLIT else "relaxation"


def _decided(lower: float, upper: float, width: float, level: float | None) -> Status:
    if level is None:
        return "exact" if upper - lower <= width else "unknown"
    if lower > level:
        return "falsified"
    return "certified" if upper <= level else "unknown"


def _enumerated(
    network: TwoLayerNetwork, middle: FloatArray, rho: float, side: int
) -> tuple[float, float, FloatArray]:
    """Look at the one or two points of the cap for d = 2."""
    if network.d != 2:
        raise ValueError(f"method must not be 'enumeration' unless d = 2, got d = {network.d}")
    points = middle[None, :]
    if rho >= geometry.SLICE_DIAMETER:
        points = np.concatenate((points, points * np.array([-1.0, 1.0])))
    values = side * network.forward(points)
    best = int(np.argmax(values))
    return float(values[best]), float(values[best]), points[best]


def _swept(
    network: TwoLayerNetwork, middle: FloatArray, rho: float, side: int
) -> tuple[float, float, FloatArray]:
    """Sweep the arc for d = 3; the lower end is the value of the network at the witness."""
    wave = CircleWave.of_network(network)
    found = wave.extremes(np.arctan2(middle[1], middle[0]), geometry.cap_angle(rho))
    upper = found.upper if side == 1 else -found.lower
    candidates = np.stack((found.X_sup if side == 1 else found.X_inf, middle))
    reached = geometry.project_to_caps(candidates, np.stack((middle, middle)), rho)
    values = side * network.forward(reached)
    best = int(np.argmax(values))
    # The value of the network is rounded too; the certificate holds for exact arithmetic.
    return float(values[best]), max(upper, float(values[best])), reached[best]


@dataclass(frozen=True, eq=False)
class RobustLoss:
    """Certified bounds of the robust loss ``L_{A*}`` of Definition 3.4, per example.

    Parameters
    ----------
    lower_losses, upper_losses : ndarray of float64, shape (n,)
        Bounds of the worst loss of each example over its cap.
    X : ndarray of float64, shape (n, d)
        Points of the caps with the losses `lower_losses`.
    """

    lower_losses: FloatArray
    upper_losses: FloatArray
    X: FloatArray

    @property
    def lower(self) -> float:
        """Lower bound of ``L_{A*}``: the mean loss at the points found."""
        return float(np.mean(self.lower_losses))

    @property
    def upper(self) -> float:
        """Upper bound of ``L_{A*}``."""
        return float(np.mean(self.upper_losses))

    def __repr__(self) -> str:
        """Return the bracket."""
        return f"RobustLoss(lower={self.lower:.6g}, upper={self.upper:.6g}, n={len(self.X)})"


def robust_loss(
    network: TwoLayerNetwork,
    X: object,
    y: object,
    rho: object,
    loss: str | Objective,
    *,
    method: BracketMethod = "auto",
    tol: object = 1e-3,
    time_limit: object = 10.0,
    rng: Seed = 0,
) -> RobustLoss:
    """Bracket the robust loss of the best adversary, ``L_{A*}(f)``.

    Parameters
    ----------
    network : TwoLayerNetwork
        The network f.
    X : array-like, shape (n, d)
        Clean points on the slice.
    y : array-like, shape (n,)
        Labels, ``|y| <= 1``.
    rho : float
        Radius of the caps.
    loss : str or Objective
        The loss, convex in the output.
    method, tol, time_limit, rng
        As for `bracket`, twice per example; `time_limit` holds for each call.

    Returns
    -------
    RobustLoss
        ``lower <= L_{A*} <= upper``.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value.

    Notes
    -----
    Source: Definition 3.4.

    Examples
    --------
    >>> network = TwoLayerNetwork.initialize(1000, 3, rng=0, tau=0.05)
    >>> X = geometry.sample_slice(4, 3, rng=1)
    >>> found = robust_loss(network, X, [1, -1, 1, -1], 0.1, "absolute")
    >>> bool(found.upper - found.lower < 1e-7)
    True
    """
    points, labels, generator = _examples(network, X, y, rng)
    objective = get_loss(loss) if isinstance(loss, str) else loss
    lower, upper, reached = np.empty(len(points)), np.empty(len(points)), points.copy()
    for i, (x, label) in enumerate(zip(points, labels, strict=True)):
        ends = [
            bracket(
                network,
                x,
                rho,
                side=side,
                method=method,
                tol=tol,
                time_limit=time_limit,
                rng=generator,
            )
            for side in (1, -1)
        ]
        twice = np.array([label, label])
        found = objective.value(twice, np.array([ends[0].lower, -ends[1].lower]))
        limit = objective.value(twice, np.array([ends[0].upper, -ends[1].upper]))
        worst = int(np.argmax(found))
        lower[i], upper[i], reached[i] = found[worst], limit.max(), ends[worst].witness
    return RobustLoss(lower, upper, reached)


@dataclass(frozen=True, eq=False)
class CertifiedAccuracy:
    """What is known about the sign of the network on the caps of some examples.

    Parameters
    ----------
    status : tuple of str
        ``"certified"``: right all over the cap.  ``"falsified"``: wrong somewhere in it.
        ``"unknown"``: neither was shown.
    clean : float
        Share of the examples that are right at the clean point.
    """

    status: tuple[Status, ...]
    clean: float

    @property
    def certified(self) -> float:
        """Share proved right: a lower bound of the robust accuracy."""
        return self.status.count("certified") / len(self.status)

    @property
    def attacked(self) -> float:
        """Share not shown wrong: an upper bound of the robust accuracy."""
        return 1.0 - self.status.count("falsified") / len(self.status)

    @property
    def unknown(self) -> float:
        """Share undecided: the width between the two."""
        return self.status.count("unknown") / len(self.status)


def certified_accuracy(
    network: TwoLayerNetwork,
    X: object,
    y: object,
    rho: object,
    *,
    method: BracketMethod = "auto",
    time_limit: object = 10.0,
    rng: Seed = 0,
) -> CertifiedAccuracy:
    """Bound the robust accuracy from both sides.

    Parameters
    ----------
    network : TwoLayerNetwork
        The network.
    X : array-like, shape (n, d)
        Clean points on the slice.
    y : array-like, shape (n,)
        Nonzero labels, ``|y| <= 1``; the sign names the class.
    rho : float
        Radius of the caps.
    method, time_limit, rng
        As for `bracket`, once per example.

    Returns
    -------
    CertifiedAccuracy
        ``certified <= robust accuracy <= attacked <= clean``.  An output of exactly 0 is wrong.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value, or a label is 0.
    """
    points, labels, generator = _examples(network, X, y, rng)
    _named_classes(labels)
    statuses = tuple(
        _sign_on_cap(network, x, label, rho, method, time_limit, generator).status
        for x, label in zip(points, labels, strict=True)
    )
    right = labels * network.forward(points) > 0.0
    return CertifiedAccuracy(statuses, float(np.mean(right)))


@dataclass(frozen=True)
class CertifiedRadius:
    """How far an example can be moved with the sign of the network provably unchanged.

    Parameters
    ----------
    lower : float
        Largest radius found at which the sign is certified; -1 if it is wrong at the point itself.
    upper : float
        Smallest radius found at which it is falsified; infinite if there is none.
    """

    lower: float
    upper: float


def certified_radius(
    network: TwoLayerNetwork,
    x: object,
    y: object,
    *,
    tol: object = 1e-4,
    method: BracketMethod = "auto",
    time_limit: object = 10.0,
    rng: Seed = 0,
) -> CertifiedRadius:
    """Bracket the largest radius at which the sign of the network is right all over the cap.

    Parameters
    ----------
    network : TwoLayerNetwork
        The network.
    x : array-like, shape (d,)
        The clean point, on the slice.
    y : float
        Nonzero label, ``|y| <= 1``.
    tol : float, default 1e-4
        Width at which to stop, ``> 0``, a chord length.
    method, time_limit, rng
        As for `bracket`, once per radius tried.

    Returns
    -------
    CertifiedRadius
        ``lower <= radius <= upper``, by bisection; wider than `tol` where the method cannot decide.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value.
    """
    points, labels, generator = _examples(network, [x], [y], rng)
    _named_classes(labels)
    width = validation.scalar(tol, "tol", exclusive_minimum=0)

    def status(rho: float) -> Status:
        return _sign_on_cap(
            network, points[0], labels[0], rho, method, time_limit, generator
        ).status

    if status(0.0) != "certified":
        return CertifiedRadius(-1.0, 0.0)
    whole = status(geometry.SLICE_DIAMETER)
    if whole == "certified":
        return CertifiedRadius(geometry.SLICE_DIAMETER, np.inf)
    certified, beyond = 0.0, geometry.SLICE_DIAMETER
    falsified = beyond if whole == "falsified" else np.inf
    while beyond - certified > width:
        rho = 0.5 * (certified + beyond)
        found = status(rho)
        if found == "certified":
            certified = rho
        else:
            beyond = rho
            if found == "falsified":
                falsified = rho
    return CertifiedRadius(certified, falsified)


def _examples(
    network: TwoLayerNetwork, X: object, y: object, rng: Seed
) -> tuple[FloatArray, FloatArray, np.random.Generator]:
    if not isinstance(network, TwoLayerNetwork):
        raise TypeError(f"network must be a TwoLayerNetwork, got {type(network).__name__}")
    points = validation.points_on_slice(X, d=network.d)
    return points, validation.labels(y, n=len(points)), validation.generator(rng)


def _named_classes(labels: FloatArray) -> None:
    if (labels == 0.0).any():
        index = int(np.argmax(labels == 0.0))
        raise ValueError(f"y must be nonzero to name a class by its sign, got 0.0 at index {index}")


def _sign_on_cap(
    network: TwoLayerNetwork,
    x: FloatArray,
    label: float,
    rho: object,
    method: BracketMethod,
    time_limit: object,
    rng: np.random.Generator,
) -> Bracket:
    """Decide whether the sign of the network is that of the label all over a cap."""
    return bracket(
        network,
        x,
        rho,
        side=-1 if label > 0.0 else 1,
        method=method,
        # Wrong means not below 0, and an output of 0 is wrong: the threshold is just below it.
        threshold=np.nextafter(0.0, -1.0),
        time_limit=time_limit,
        rng=rng,
    )

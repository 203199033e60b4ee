r"""The worst case of Definition 3.4, between certified bounds, by whatever suits the dimension.

``L_{A*}`` needs ``max l(y, f(v))`` over a cap.  Every loss of this library is convex in the output,
so the maximum is attained at the supremum or at the infimum of f: two extremal problems without a
loss, which `bracket` solves or bounds:

* d = 2: X is two points; both are looked at.
* d = 3: the sweep of :mod:`sublinear_lib.adversary.circle`, exact at any width.
* d = 4, up to 2000 unstable neurons: :mod:`sublinear_lib.adversary.sphere`, exact.
* 4 <= d <= 6 else: :mod:`sublinear_lib.adversary.branch_and_bound`, started by an attack.
* d > 6: an attack from below and the optimized relaxation from above; where these leave a gap,
  neurons are decided one by one (:mod:`sublinear_lib.adversary.neuron_splitting`).

The integer programs of :mod:`sublinear_lib.adversary.mixed_integer` are there by name.  They are
an independent check and close some gaps for d <= 6 that splitting neurons does not; beyond, their
polyhedron around the cap is too coarse, and on the same problems they were never better.

Know before quoting a number: only what lies between `lower` and `upper` is proved, and for wide
networks in high dimension the two may be far apart; the status then says ``"unknown"``.  Brackets
and robust losses speak of the points of X.  A certified sign holds for all points that this library
takes for points of the cap: those may be off X by 1e-9, where a neuron can fire that fires nowhere
on X, so the question is put to a network that is nowhere smaller (`_around`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from sublinear_lib import geometry, predicates, validation
from sublinear_lib._typing import FloatArray, IntArray, Seed
from sublinear_lib.adversary.ascent import SmoothedGradient
from sublinear_lib.adversary.brackets import Bracket, Status, decided
from sublinear_lib.adversary.branch_and_bound import branch_and_bound
from sublinear_lib.adversary.circle import CircleWave
from sublinear_lib.adversary.mixed_integer import mixed_integer
from sublinear_lib.adversary.neuron_splitting import split_neurons
from sublinear_lib.adversary.protocol import (
    Height,
    Objective,
    checked_objective,
    class_labels,
    progress_bar,
)
from sublinear_lib.adversary.relaxation import CapRelaxation
from sublinear_lib.adversary.sphere import supremum_on_sphere
from sublinear_lib.evaluation import Evaluator, Region
from sublinear_lib.network import TwoLayerNetwork, expect_network

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

BracketMethod = Literal[
    "auto", "enumeration", "circle", "sphere", "split", "relaxation", "milp", "neurons"
]
"""How a bracket is found."""

# The smallest and the largest d for which there is a method.
_FITS: dict[str, tuple[int, float]] = {
    "enumeration": (2, 2),
    "circle": (3, 3),
    "sphere": (4, 4),
    "split": (3, 12),
    "milp": (3, np.inf),
}
_LARGEST_TO_SPLIT = 6
# With more unstable neurons, pieces of the cap close sooner than the arrangement is swept.
_MOST_CIRCLES = 2000
# How far points of an attack may miss their cap, and X.
_MISS = 1e-8
# How far a point that `validation.points_on_slice` takes may be from X: 1e-9 for the last
# coordinate and sqrt(3) times that for the others, which is 2e-9; and how far the nearest point of
# X may then be outside of the cap, if such a point is its middle and 1e-9 too far is within rho.
_OFF_SLICE = 2.1e-9
_OFF_CAP = 6e-9
_HARDLY = 1e-3


class _Lists(NamedTuple):
    """The neurons that an attack can notice, in the form that evaluators take."""

    indptr: IntArray
    indices: IntArray


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
    method : str, default "auto"
        How: ``"enumeration"`` (d = 2), ``"circle"`` (d = 3), ``"sphere"`` (d = 4), ``"split"``
        (3 <= d <= 12), ``"relaxation"``, ``"milp"`` (d >= 3) or ``"neurons"``; ``"auto"`` goes by
        the dimension and the number of unstable neurons (see the module's text).
    tol : float, default 1e-3
        Width that counts as exact, ``>= 0``, absolute.
    threshold : float, optional
        Only decide whether the supremum exceeds this number.
    time_limit : float, default 10
        Most seconds, ``> 0``.  When they are up, no new run of the attack, iteration of a
        minimization, sweep or piece is begun; one of each and the bound without optimization are
        always done.  What is found by then depends on the machine; a bracket it is all the same.
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
    expect_network(network)
    middle = validation.float_array(x, "x", shape=(network.d,))
    middle = validation.points_on_slice(middle[None, :], "x")[0]
    radius = validation.scalar(rho, "rho", minimum=0)
    if validation.count(side, "side", minimum=-1, maximum=1) == 0:
        raise ValueError("side must be 1 or -1, got 0")
    chosen = validation.choice(method, "method", get_args(BracketMethod))
    least, most = _FITS.get(chosen, (2, np.inf))
    if not least <= network.d <= most:
        fits = f"{least} <= d <= {most}" if np.isfinite(most) else f"d >= {least}"
        fits = f"d = {least}" if least == most else fits
        raise ValueError(f"method must not be {chosen!r} unless {fits}, got d = {network.d}")
    width = validation.scalar(tol, "tol", minimum=0)
    level = None if threshold is None else validation.scalar(threshold, "threshold")
    seconds = validation.scalar(time_limit, "time_limit", exclusive_minimum=0)
    generator = validation.generator(rng)
    begun = time.monotonic()
    if chosen == "auto" and network.d <= 3:
        chosen = "enumeration" if network.d == 2 else "circle"
    if chosen in ("enumeration", "circle"):
        find = _enumerated if chosen == "enumeration" else _swept
        lower, upper, witness = find(network, middle, radius, side)
        status = decided(lower, upper, width, level)
        return Bracket(lower, upper, witness, status, chosen, 1, time.monotonic() - begun)
    question = _Question(network, middle, radius, side, width, level, seconds, begun)
    return replace(question.answer(chosen, generator), seconds=time.monotonic() - begun)


@dataclass(frozen=True)
class _Question:
    """A supremum that is neither enumerated nor swept, with the checked arguments of `bracket`."""

    network: TwoLayerNetwork
    middle: FloatArray
    rho: float
    side: int
    tol: float
    level: float | None
    seconds: float
    begun: float

    @property
    def left(self) -> float:
        """Seconds left, never quite none."""
        return max(self.seconds - (time.monotonic() - self.begun), _HARDLY)

    @property
    def late(self) -> bool:
        """Whether time is up."""
        return self.left == _HARDLY

    def answer(self, method: str, generator: np.random.Generator) -> Bracket:
        """Bracket it."""
        relaxation = CapRelaxation(self.network, self.middle, self.rho, self.side)
        lower = float(self.side * self.network.forward(self.middle[None, :])[0])
        simple = self._bracket(lower, relaxation.linear().value, self.middle)
        # A question with a threshold is often answered by the cheapest bounds.
        if self.level is not None and simple.status != "unknown":
            return simple
        if method == "auto" and self.network.d <= _LARGEST_TO_SPLIT:
            few = self.network.d == 4 and relaxation.unstable <= _MOST_CIRCLES
            method = "sphere" if few else "split"
        if method == "sphere":
            return self._on_sphere()
        lower, witness = self._attacked(lower, generator)
        if self.level is not None and lower > self.level:
            return self._bracket(lower, max(simple.upper, lower), witness)
        if method == "split":
            return self._by(branch_and_bound, witness)
        optimized = relaxation.optimized(time_limit=self.left)
        simple = self._bracket(lower, optimized.value, witness)
        if method == "relaxation" or (
            method == "auto" and (self.late or simple.status != "unknown")
        ):
            return simple
        better = self._by(mixed_integer if method == "milp" else split_neurons, witness)
        if simple.upper < better.upper:
            upper = max(simple.upper, better.lower)
            status = decided(better.lower, upper, self.tol, self.level)
            better = replace(better, upper=upper, status=status)
        return better

    def _attacked(self, lower: float, generator: np.random.Generator) -> tuple[float, FloatArray]:
        """Look for a high point, run by run, until there is none left or no need for one."""
        attack = SmoothedGradient(rho=self.rho)
        evaluator = self._evaluator(attack.margin(self.network.evaluator(1).weight_scale))
        best, witness = lower, self.middle
        anchor, label = self.middle[None, :], np.zeros(1)
        for run in range(attack.restarts):
            # From one generator, single runs are the runs of the whole attack.
            single = replace(attack, restarts=1, random_start=run > 0)
            found = single(evaluator, anchor, label, Height(self.side), generator)
            value = float(self.side * self.network.forward(found.X)[0])
            if value > best:
                best, witness = value, found.X[0]
            enough = self.level is not None and best > self.level
            if enough or self.late:
                break
        return best, witness

    def _evaluator(self, margin: float) -> Evaluator:
        """Return the network on the neurons that the attack can notice in this cap."""
        network, reach = self.network, min(self.rho, geometry.SLICE_DIAMETER)
        lengths = predicates.row_norms(network.W[:, :-1])
        heights = np.abs(network.W[:, -1])
        # As in the sources of a trainer: outwards by what an evaluator lets points miss X by.
        highest = network.W @ self.middle + network.b + (reach + 2.0 * _MISS) * lengths
        highest += 2.0 * _MISS * (heights + np.abs(network.b))
        near = np.flatnonzero(highest > network.tau - margin * (1.0 + _MISS))
        lists = _Lists(np.array([0, near.size]), near)
        region = Region(self.middle[None, :], reach, _MISS, margin)
        return network.evaluator(1, lists=lists, region=region)

    def _bracket(self, lower: float, upper: float, witness: FloatArray) -> Bracket:
        # The value of the network is rounded too; the certificate holds for exact arithmetic.
        upper = max(lower, upper)
        status = decided(lower, upper, self.tol, self.level)
        return Bracket(lower, upper, witness, status, "relaxation", 1, 0.0)

    def _on_sphere(self) -> Bracket:
        limits = {"tol": self.tol, "time_limit": self.left}
        found = supremum_on_sphere(self.network, self.middle, self.rho, side=self.side, **limits)
        status = decided(found.lower, found.upper, self.tol, self.level)
        method = "sphere" if found.exact else "branch and bound"
        nodes = max(found.nodes, 1)
        return Bracket(found.lower, found.upper, found.witness, status, method, nodes, 0.0)

    def _by(self, method: Callable[..., Bracket], witness: FloatArray) -> Bracket:
        """Put the question to a method, for the time that is left."""
        limits = {"tol": self.tol, "threshold": self.level, "time_limit": self.left}
        question = self.network, self.middle, self.rho, self.side
        return method(*question, witness[None, :], **limits)


def _enumerated(
    network: TwoLayerNetwork, middle: FloatArray, rho: float, side: int
) -> tuple[float, float, FloatArray]:
    """Look at the one or two points of the cap for d = 2."""
    points = middle[None, :]
    if rho >= geometry.SLICE_DIAMETER:
        points = np.concatenate((points, points * np.array([-1.0, 1.0])))
    # Each point alone: in a batch the last digit may differ.
    values = [float(side * network.forward(point[None, :])[0]) for point in points]
    # The certificate holds for exact arithmetic: a cap of radius 0 pays for the rounding.
    bounds = [CapRelaxation(network, point, 0.0, side).linear().value for point in points]
    best = int(np.argmax(values))
    return values[best], max(*values, *bounds), points[best]


def _swept(
    network: TwoLayerNetwork, middle: FloatArray, rho: float, side: int
) -> tuple[float, float, FloatArray]:
    """Sweep the arc for d = 3; the lower end is the value of the network at the witness."""
    wave = CircleWave.of_network(network)
    found = wave.extremes(np.arctan2(middle[1], middle[0]), geometry.cap_angle(rho))
    upper = found.upper if side == 1 else -found.lower
    candidates = np.stack((found.X_sup if side == 1 else found.X_inf, middle))
    reached = geometry.project_to_caps(candidates, np.stack((middle, middle)), rho)
    # Each point alone: in a batch the last digit may differ.
    values = [float(side * network.forward(point[None, :])[0]) for point in reached]
    best = int(np.argmax(values))
    # The value of the network is rounded too; the certificate holds for exact arithmetic.
    return values[best], max(upper, values[best]), reached[best]


@dataclass(frozen=True, eq=False)
class RobustLoss:
    """Certified bounds of the robust loss ``L_{A*}`` of Definition 3.4, per example.

    Parameters
    ----------
    lower_losses, upper_losses : ndarray of float64, shape (n,)
        Bounds of the worst loss of each example over its cap.
    X : ndarray of float64, shape (n, d)
        Points of the caps with the losses `lower_losses`.
    status : tuple of str
        ``"exact"``: the bounds of this example are no farther apart than the tolerance.
        ``"unknown"``: they are, because a limit was met.
    """

    lower_losses: FloatArray
    upper_losses: FloatArray
    X: FloatArray
    status: tuple[Status, ...]

    @property
    def lower(self) -> float:
        """Lower bound of ``L_{A*}``: the mean loss at the points found."""
        return float(np.mean(self.lower_losses))

    @property
    def upper(self) -> float:
        """Upper bound of ``L_{A*}``."""
        return float(np.mean(self.upper_losses))

    @property
    def unknown(self) -> int:
        """Number of examples whose bounds are farther apart than the tolerance."""
        return self.status.count("unknown")

    def __repr__(self) -> str:
        """Return the bracket, and how much of it is open."""
        return (
            f"RobustLoss(lower={self.lower:.6g}, upper={self.upper:.6g}, n={len(self.X)}, "
            f"unknown={self.unknown})"
        )


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
    progress: bool = False,
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
    progress : bool, default False
        Whether to show a progress bar.

    Returns
    -------
    RobustLoss
        ``lower <= L_{A*} <= upper``, and for every example whether its bounds are exact.

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
    objective = checked_objective(loss)
    width = validation.scalar(tol, "tol", minimum=0)
    wanted = validation.boolean(progress, "progress")
    given: dict[str, Any] = {
        "method": method,
        "tol": width,
        "time_limit": time_limit,
        "rng": generator,
    }
    ask: Callable[..., Bracket] = partial(bracket, network, **given)
    lower, upper, reached = np.empty(len(points)), np.empty(len(points)), points.copy()
    with progress_bar(len(points), "robust loss", wanted, "example") as tick:
        for i, (x, label) in enumerate(zip(points, labels, strict=True)):
            ends = [ask(x, rho, side=side) for side in (1, -1)]
            twice = np.array([label, label])
            found = objective.value(twice, np.array([ends[0].lower, -ends[1].lower]))
            limit = objective.value(twice, np.array([ends[0].upper, -ends[1].upper]))
            worst = int(np.argmax(found))
            lower[i], upper[i], reached[i] = found[worst], limit.max(), ends[worst].witness
            tick()
    statuses = tuple(
        decided(low, high, width, None) for low, high in zip(lower, upper, strict=True)
    )
    return RobustLoss(lower, upper, reached, statuses)


@dataclass(frozen=True, eq=False)
class CertifiedAccuracy:
    """What is known about the sign of the network on the caps of some examples.

    Parameters
    ----------
    status : tuple of str
        ``"certified"``: right all over the cap, and at all points that are points of it to within
        1e-9, as everywhere in this library.  ``"falsified"``: wrong somewhere in it.
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
    progress: bool = False,
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
    progress : bool, default False
        Whether to show a progress bar.

    Returns
    -------
    CertifiedAccuracy
        ``certified <= robust accuracy <= attacked <= clean``.  An output of exactly 0 is wrong.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value, or a label is 0.
    """
    points, labels, generator = _examples(network, X, y, rng, classes=True)
    wanted = validation.boolean(progress, "progress")
    statuses: list[Status] = []
    with progress_bar(len(points), "certifying", wanted, "example") as tick:
        for x, label in zip(points, labels, strict=True):
            statuses.append(_sign_on_cap(network, x, label, rho, method, time_limit, generator))
            tick()
    right = labels * network.forward(points) > 0.0
    return CertifiedAccuracy(tuple(statuses), float(np.mean(right)))


@dataclass(frozen=True)
class CertifiedRadius:
    """How far an example can be moved with the sign of the network provably unchanged.

    Parameters
    ----------
    lower : float
        Largest radius found at which the sign is certified, in the sense of `CertifiedAccuracy`; -1
        if there is none, not even 0.
    upper : float
        Smallest radius found at which it is falsified: 0 if it is wrong at the point itself,
        infinite if there is none.
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
    points, labels, generator = _examples(network, [x], [y], rng, classes=True)
    width = validation.scalar(tol, "tol", exclusive_minimum=0)

    def status(rho: float) -> Status:
        return _sign_on_cap(network, points[0], labels[0], rho, method, time_limit, generator)

    at_point = status(0.0)
    if at_point == "falsified":
        return CertifiedRadius(-1.0, 0.0)
    whole = status(geometry.SLICE_DIAMETER)
    if whole == "certified":
        return CertifiedRadius(geometry.SLICE_DIAMETER, np.inf)
    certified = 0.0 if at_point == "certified" else -1.0
    within, beyond = 0.0, geometry.SLICE_DIAMETER
    falsified = beyond if whole == "falsified" else np.inf
    while beyond - within > width:
        rho = 0.5 * (within + beyond)
        if rho in (within, beyond):
            break  # there is no number between the two
        found = status(rho)
        if found == "certified":
            certified = within = rho
        else:
            beyond = rho
            if found == "falsified":
                falsified = rho
    return CertifiedRadius(certified, falsified)


def _examples(
    network: TwoLayerNetwork, X: object, y: object, rng: Seed, *, classes: bool = False
) -> tuple[FloatArray, FloatArray, np.random.Generator]:
    expect_network(network)
    points = validation.points_on_slice(X, d=network.d)
    checked = class_labels if classes else validation.labels
    return points, checked(y, n=len(points)), validation.generator(rng)


def _sign_on_cap(
    network: TwoLayerNetwork,
    x: FloatArray,
    label: float,
    rho: object,
    method: BracketMethod,
    time_limit: object,
    rng: np.random.Generator,
) -> Status:
    """Decide whether the sign of the network is that of the label at all that counts as a cap."""
    radius = validation.scalar(rho, "rho", minimum=0)
    side = -1 if label > 0.0 else 1
    # Wrong means not below 0, and an output of 0 is wrong: the threshold is just below it.
    below = float(np.nextafter(0.0, -1.0))

    given: dict[str, Any] = {
        "method": method,
        "threshold": below,
        "time_limit": time_limit,
        "rng": rng,
    }
    ask: Callable[..., Bracket] = partial(bracket, x=x, side=side, **given)
    found = ask(_around(network, side), rho=radius + _OFF_CAP)
    if found.status == "certified":
        return "certified"
    points = np.stack((x, found.witness))
    reached = geometry.project_to_caps(points, np.stack((x, x)), radius)
    if (side * network.forward(reached) > below).any():
        return "falsified"
    # Wrong only beyond X or the cap, unless the network itself is wrong at another point.
    wrong = found.status == "falsified" and ask(network, rho=radius).status == "falsified"
    return "falsified" if wrong else "unknown"


def _around(network: TwoLayerNetwork, side: int) -> TwoLayerNetwork:
    """Return a network with ``side * f`` at a point of X no less than all around it.

    An activation never falls, and a pre-activation changes by at most ``||w_r||`` times the
    distance: the biases are moved by that, up where the output weight raises f and down elsewhere.
    """
    moved = _OFF_SLICE * (1.0 + _MISS) * predicates.row_norms(network.W)
    toward = np.where(side * network.a > 0.0, 1.0, -1.0)
    biases = network.b + toward * moved
    # Rounded outwards, also where the bias is too large to notice.
    biases = np.where(moved > 0.0, np.nextafter(biases, toward * np.inf), network.b)
    return TwoLayerNetwork(network.W, network.a, biases, network.tau, network.activation)

"""How much of the worst case an attack finds, where the worst case is known (d = 3 and 4).

``sup f - f(x)`` over a cap of Definition 3.3 is what an ideal adversary gains at a point.  Here
attacks are asked to raise f itself, on networks drawn as in Definition 3.1, and what they gain is
divided by it: 1 is the worst case, 0 is the clean point.  Know before quoting a mean: it depends on
the dimension more than on anything else.  In a cap of the circle a few hundred random points leave
no room for an attack to be clever; in higher dimension they are lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from sublinear_lib import geometry, scaling, statistics, validation
from sublinear_lib._typing import FloatArray, Seed
from sublinear_lib.adversary.circle import extremes_on_circle
from sublinear_lib.adversary.protocol import Adversary, Height
from sublinear_lib.adversary.sphere import supremum_on_sphere
from sublinear_lib.network import TwoLayerNetwork, expect_network

__all__ = ["mean_shares_found", "random_cases", "shares_found"]


def random_cases(
    m: int,
    d: int,
    *,
    t: float,
    count: int,
    rng: Seed,
    caps: int = 1,
    activation: str = "jump",
) -> Iterator[tuple[TwoLayerNetwork, FloatArray]]:
    """Draw networks as in Definition 3.1, each with the middles of some caps.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    d : int
        Input dimension, ``d >= 2``.
    t : float
        Standardized threshold ``tau / sqrt(2/m)``, ``t >= 0``.
    count : int
        How many, ``>= 1``.
    rng : int, SeedSequence or Generator
        Source of randomness; weights and points have streams of their own.
    caps : int, default 1
        How many points for each network, ``>= 1``.
    activation : {"jump", "continuous"}, default "jump"
        The activation.

    Yields
    ------
    network : TwoLayerNetwork
        A network.
    X : ndarray of float64, shape (caps, d)
        Points of the slice, uniformly distributed, independent of each other and of the network.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type or value.

    Examples
    --------
    >>> [(network, X)] = random_cases(50, 3, t=1.0, count=1, rng=0)
    >>> network.m, X.shape
    (50, (1, 3))
    """
    tau = scaling.threshold_from_standard(t, m)
    for stream in statistics.spawn(rng, validation.count(count, "count")):
        weights, place = stream.spawn(2)
        network = TwoLayerNetwork.initialize(m, d, rng=weights, tau=tau, activation=activation)
        yield network, geometry.sample_slice(caps, d, place)


def shares_found(
    network: TwoLayerNetwork,
    X: object,
    attacks: Mapping[str, Adversary],
    rng: Seed,
) -> dict[str, FloatArray]:
    """Return what share of ``sup f - f(x)`` over each cap the attacks find.

    For d = 4 the supremum is that of :func:`sublinear_lib.adversary.supremum_on_sphere`; where its
    circles are not in general position, its certified upper bound is used, and shares are lower
    bounds.  Source: Definitions 3.3 and 3.4.
    """
    expect_network(network)
    if network.d not in (3, 4):
        raise ValueError(f"network must have d = 3 or d = 4, got d = {network.d}")
    points = validation.points_on_slice(X, d=network.d)
    radii = sorted({float(attack.rho) for attack in attacks.values()})
    if len(radii) != 1:
        raise ValueError(f"attacks must be at least one, all of the same rho, got radii {radii}")
    (rho,) = radii
    if network.d == 3:
        top = np.array([cap.sup for cap in extremes_on_circle(network, points, rho)])
    else:
        top = np.array([supremum_on_sphere(network, x, rho).upper for x in points])
    gain = top - network.forward(points)
    something = gain > _rounding(network)
    labels = np.zeros(len(points))
    found = {}
    streams = validation.generator(rng).spawn(len(attacks))
    for (name, attack), stream in zip(attacks.items(), streams, strict=True):
        result = attack(network, points, labels, Height(), stream)
        risen = result.value - result.clean_value
        # The supremum and the value of the witness are rounded differently.
        ratio = np.divide(risen, gain, out=np.ones_like(gain), where=something)
        found[name] = np.minimum(ratio, 1.0)
    return found


def _rounding(network: TwoLayerNetwork) -> float:
    """Return what a supremum and a value may differ by where they are the same number."""
    largest = np.linalg.norm(network.W, axis=1) + np.abs(network.b) + network.tau
    terms = 16.0 * float(np.finfo(np.float64).eps) * (network.m + 64)
    return terms * float(np.abs(network.a) @ largest)


def mean_shares_found(
    m: int,
    d: int,
    *,
    t: float,
    attacks: Mapping[str, Adversary],
    networks: int,
    caps: int,
    rng: Seed,
    activation: str = "jump",
) -> dict[str, FloatArray]:
    """Return what share of the worst case attacks find on independent random networks.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    d : int
        Input dimension, 3 or 4.
    t : float
        Standardized threshold ``tau / sqrt(2/m)``, ``t >= 0``.
    attacks : mapping of str to Adversary
        The attacks by name, all of the same radius.
    networks : int
        How many networks, ``>= 1``.
    caps : int
        How many random caps of each, ``>= 1``.
    rng : int, SeedSequence or Generator
        Source of randomness.
    activation : {"jump", "continuous"}, default "jump"
        The activation.

    Returns
    -------
    dict of str to ndarray of float64, shape (networks,)
        The mean of `shares_found` over the caps of each network.  Caps of one network are not
        independent of each other; these means are.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type or value.

    Notes
    -----
    Source: Definitions 3.1, 3.3 and 3.4.

    Examples
    --------
    >>> from sublinear_lib.adversary import RandomSearch
    >>> few = {"random": RandomSearch(rho=0.2, samples=5)}
    >>> found = mean_shares_found(100, 3, t=1.0, attacks=few, networks=3, caps=2, rng=0)
    >>> found["random"].shape, bool((found["random"] <= 1).all())
    ((3,), True)
    """
    draws, searches = statistics.spawn(rng, 2)
    cases = random_cases(m, d, t=t, count=networks, rng=draws, caps=caps, activation=activation)
    rows = [
        shares_found(network, X, attacks, stream)
        for (network, X), stream in zip(cases, statistics.spawn(searches, networks), strict=True)
    ]
    return {name: np.array([row[name].mean() for row in rows]) for name in attacks}

"""Networks and caps for the tests of certificates, and their exact suprema."""

from __future__ import annotations

import numpy as np

from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import extremes_on_circle, supremum_on_sphere
from sublinear_lib.network import TwoLayerNetwork


def problem(m, d, seed, activation="jump", t=1.28, n=1):
    """Return a network at initialization and n points of X."""
    tau = scaling.threshold_from_standard(t, m)
    network = TwoLayerNetwork.initialize(m, d, rng=seed, tau=tau, activation=activation)
    return network, geometry.sample_slice(n, d, rng=seed + 1)


def exact(network, X, rho, side):
    """Return numbers certainly below and above the supremum, for d = 3 and 4."""
    if network.d == 3:
        (cap,) = extremes_on_circle(network, X, rho)
        return (cap.sup, cap.upper) if side == 1 else (-cap.inf, -cap.lower)
    found = supremum_on_sphere(network, X[0], rho, side=side)
    return found.lower, found.upper


def on_circle(angles):
    """Return the points of X in dimension three at these angles."""
    angles = np.atleast_1d(np.asarray(angles, dtype=float))
    return geometry.embed(np.column_stack((np.cos(angles), np.sin(angles))))


def network_of(kind, m, d, seed, activation="jump"):
    """Return a small network; all but the normal ones have ends of arcs in special position."""
    rng = np.random.default_rng(seed)
    W, b = rng.standard_normal((m, d)), rng.standard_normal(m)
    if kind == "lattice":
        W, b = rng.integers(-2, 3, (m, d)) / 2.0, rng.integers(-2, 3, m) / 2.0
    elif kind == "paired":
        half = np.arange(m) % ((m + 1) // 2)
        W, b = W[half], b[half]
    elif kind == "opposite":  # the same circles, on at the other side
        W[1::2], b[1::2] = -W[::2][: m // 2], 1.0 - b[::2][: m // 2]
    elif kind == "concurrent":  # all circles through one point
        b = 0.5 - W @ geometry.embed(np.array([[0.6, 0.0, 0.8]]))[0]
    elif kind == "grazing":  # every wave just reaches tau, up to a few units in the last place
        b = 0.5 - W[:, -1] / 2 - geometry.SLICE_RADIUS * np.linalg.norm(W[:, :-1], axis=1)
        b += rng.integers(-3, 4, m) * np.spacing(b)
    elif kind == "flat":
        W[:, :-1] = 0.0
        b = 0.5 - W[:, -1] / 2
    elif kind == "constant":
        W, b = np.zeros((m, d)), rng.integers(-1, 2, m).astype(float)
        W[:, -1] = rng.integers(-2, 3, m)
    return TwoLayerNetwork(W, rng.choice([-1.0, 1.0], m), b, 0.5, activation)

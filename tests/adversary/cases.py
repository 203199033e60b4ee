"""Networks and caps for the tests of certificates, and their exact suprema."""

from __future__ import annotations

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

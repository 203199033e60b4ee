r"""Good weights near the initialization: Lemma B.9, Theorem 4.4 = B.10 and Theorem E.

The statements say that weights W* with a small worst-case loss lie near the initialization.  Before
changing a check, know how each is decided: the radius of the smallest ball by a linear program with
a dual certificate; suprema over X and over caps exactly, for d = 3, where X is a circle.  The
formulas are in :mod:`sublinear_lib.theory.existence`; a check only compares.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy import special

from sublinear_lib import geometry, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import robust_loss
from sublinear_lib.claims.collector import sweep
from sublinear_lib.claims.instruments import quadrature
from sublinear_lib.claims.instruments.points import can_fire, circle
from sublinear_lib.claims.instruments.quadrature import CUBIC
from sublinear_lib.claims.stated import stated_power
from sublinear_lib.claims.topic import Budget, Collector, Rng, Topic
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory import caps, existence, polynomials

topic = Topic("existence")

_ANGLES = (0.0, 2.0, 4.2)
_LABELS = (0.5, -0.5, 0.4)
_RHO = 0.15
_GRID = circle(np.arange(24) * math.pi / 12.0)


def _arcs(count: int) -> tuple[FloatArray, FloatArray]:
    """Return points of the three caps and the labels wanted there."""
    half = geometry.cap_angle(_RHO)
    angles = [middle + np.linspace(-half, half, count) for middle in _ANGLES]
    return circle(np.concatenate(angles)), np.repeat(np.array(_LABELS), count)


# B.9, Theorem 4.4 = B.10, Theorem E


def _tau(m: int, c: Fraction | None) -> float:
    """Return the threshold: 1/m without c, and that of the sparse rule with it."""
    return 1.0 / m if c is None else scaling.SPARSE_C.tau(m, c=c)


def _radii(
    widths: tuple[int, ...], seeds: int, rng: Rng, c: Fraction | None
) -> tuple[FloatArray, FloatArray]:
    """Return the smallest radius and its lower bound for the labels on three caps."""
    X, y = _arcs(3)

    def found(stream: Rng, m: int) -> tuple[float, float]:
        tau = _tau(m, c)
        start = TwoLayerNetwork.initialize(m, 3, rng=stream, tau=tau)
        smallest = existence.smallest_radius(start.W, start.b, start.a, tau, X, y, 0.1)
        return smallest.upper, smallest.lower

    upper, lower = sweep(rng.spawn(seeds), widths, found)
    return upper, lower


def _solved_by_hand(look: Collector, rng: Rng) -> None:
    m, tau, worst = 2048, 0.03, 0.0
    X, y = circle([0.7]), np.array([0.8])
    for stream in rng.spawn(4):
        start = TwoLayerNetwork.initialize(m, 3, rng=stream, tau=tau)
        found = existence.smallest_radius(start.W, start.b, start.a, tau, X, y, 0.1)
        weight = m**-0.2 * np.count_nonzero(start.active_mask(X))
        given = found.upper, found.lower, found.kappa, found.error
        solved = 2.0 * 0.7 / weight, 0.7 / weight, 2.0 * 0.7 / weight * m**0.8, 0.1
        worst = max(worst, *(abs(a / b - 1.0) for a, b in zip(given, solved, strict=True)))
    look.control("linear program at one point against its solution").at_most(worst, 1e-7)


def _target_radii(
    fit: polynomials.RobustFit, wanted: FloatArray, widths: tuple[int, ...], seeds: int, rng: Rng
) -> tuple[FloatArray, float, bool]:
    """Find the smallest radius at which g meets the function of Lemma B.4 on a grid.

    Returns the radii, the largest error over all of X, and whether all dual bounds are in place.
    """
    errors, certified = [0.0], []

    def found(stream: Rng, m: int) -> float:
        start = TwoLayerNetwork.initialize(m, 3, rng=stream, tau=1.0 / m)
        W, b, a, tau = start.W, start.b, start.a, start.tau
        smallest = existence.smallest_radius(W, b, a, tau, _GRID, wanted, 0.1)
        certified.append(0.0 < smallest.lower <= smallest.upper)
        weights, q = a * smallest.shifts / 2.0, fit.step.polynomial
        errors.append(existence.largest_deviation_on_circle(weights, W, b, tau, q, fit.X, fit.y))
        return smallest.upper

    return sweep(rng.spawn(seeds), widths, found), max(errors), all(certified)


@topic.check("lem-b.9")
def _check_b9(look: Collector, budget: Budget, rng: Rng) -> None:
    points, labels = circle([0.0, math.pi]), np.array([0.8, -0.6])
    eps = Fraction(9, 10)
    fit = polynomials.robust_fit(points, labels, Fraction(17, 10), Fraction(1, 10), eps, 9)
    wanted = np.array([float(fit.value(x)) for x in _GRID])
    widths = budget.pick((2**11, 2**12, 2**13), tuple(2**j for j in range(14, 19)))
    radius, error, certified = _target_radii(fit, wanted, widths, budget.pick(12, 10), rng)
    look.control.certified("largest |f* - y_j| on the caps, n = 2, eps = 0.9, q of degree 9").holds(
        fit.bound <= eps / 3, float(fit.bound), "<= eps/3"
    )
    look(
        f"largest sup over X of |g(x; W*) - f*|, tau = 1/m, m = {widths[0]} ... {widths[-1]}"
    ).at_most(error, float(eps) / 3.0)
    _small_enough(look, widths, radius)
    look.computed("dual certificates: no smaller ball than the lower bound").holds(
        certified, "all positive" if certified else "not all positive", "0 < lower <= upper"
    )
    _solved_by_hand(look, rng)
    # Its proof applies Lemma C.18 and has the gap of that one.
    _explicit_weights(look, budget, rng)
    quadrature.union_bound(look)


def _small_enough(look: Collector, widths: tuple[int, ...], radii: FloatArray) -> None:
    """Note that a ball of radius K m^-p holds good weights for some K, and which p is the best.

    Whatever K is, the smallest radius then falls at least like m^-p.
    """
    asked = stated_power("B.9 radius")
    what = f"radius of the smallest ball that holds such a W*, m = {widths[0]} ... {widths[-1]}"
    look(what).power(widths, radii, asked, asked + Fraction(1, 5), at_most=True)
    look.repair(f"{what} (the best power)").power(widths, radii, -0.8, -0.6)
    look.far("B.9 radius", lambda m: _needed_radius(m, 1.0 / m))


def _needed_radius(m: int, tau: float) -> float:
    """Return the radius below which no weights change g by 1 at one point, on average."""
    return math.pow(m, 0.2) / (m * scaling.activity(tau, m))


def _explicit_weights(look: Collector, budget: Budget, rng: Rng) -> None:
    """Look at the W* that the proof of Lemma B.9 writes down, for a cubic in the place of q."""
    X, y = circle(_ANGLES), np.array(_LABELS)
    widths = budget.pick((2**10, 2**12, 2**14), tuple(2**j for j in range(10, 19)))
    eps, shares = Fraction(1, 100), []

    def deviation(stream: Rng, m: int) -> float:
        start = TwoLayerNetwork.initialize(m, 3, rng=stream, tau=1.0 / m)
        W, b, a = start.W, start.b, start.a
        if m == widths[0]:
            cut = existence.bounded_feature(CUBIC, m**-0.5, eps)
            moves = existence.explicit_shifts(cut, W, b, a, X, y)
            limit = 2.0 * float(cut.bound.upper) * 0.5 * 3 * m**-0.8 * (m / 3) / (m // 3)
            shares.append(float(np.abs(moves).max()) / limit)
        feature = existence.hermite_feature(CUBIC, m**-0.5)
        weights = a * existence.explicit_shifts(feature, W, b, a, X, y) / 2.0
        return existence.largest_deviation_on_circle(weights, W, b, start.tau, CUBIC, X, y)

    table = sweep(rng.spawn(40), widths, deviation)
    start = TwoLayerNetwork.initialize(1000, 3, rng=rng, tau=0.02)
    feature = existence.hermite_feature(CUBIC, 0.02 * math.sqrt(1000.0))
    shifts = existence.explicit_shifts(feature, start.W, start.b, start.a, X, y)
    w, b = start.W * math.sqrt(1000.0), start.b * math.sqrt(1000.0)
    off, blocks = 0.0, (slice(0, 333), slice(333, 666), slice(666, 1000))
    for x in circle([0.3, 3.0]):
        g = float((start.a * shifts)[start.active_mask(x[None])[0]].sum()) * x[2]
        fires = w @ x + b > 0.02 * math.sqrt(1000.0)
        means = [
            label * np.mean(feature(w[part] @ point, b[part]) * fires[part])
            for part, point, label in zip(blocks, X, y, strict=True)
        ]
        off = max(off, abs(g - float(np.sum(means))))
    what = "g of the weights of the proof against the means of h over the blocks, m = 1000"
    look.control(what).at_most(off, 1e-12)
    look("sup over X of |g - sum y_i q(<x_i, x>)|, weights of the proof").power(
        widths, table, -0.5, -0.25
    )
    look("their radius over 2 n max|h| max|y| m^(-4/5)").at_most(max(shares), 1.0)


def _fits(
    widths: tuple[int, ...], seeds: int, rng: Rng, c: Fraction | None = None, kind: str = "jump"
) -> FloatArray:
    """Return the robust losses of weights W* and of their initializations."""
    fits = [_fitted(m, _tau(m, c), kind, stream) for m in widths for stream in rng.spawn(seeds)]
    return np.transpose(fits)


def _fitted(m: int, tau: float, activation: str, rng: Rng) -> tuple[float, float]:
    """Fit the labels on three caps: robust loss, and that of the initialization.

    W* is the answer of a linear program for g = y - f(.; W_0) on a grid; the losses are certified
    on the whole caps.
    """
    X, y = _arcs(17)
    clean, labels = circle(_ANGLES), np.array(_LABELS)
    start = TwoLayerNetwork.initialize(m, 3, rng=rng, tau=tau, activation=activation)
    wanted = y - start.forward(X)
    found = existence.smallest_radius(start.W, start.b, start.a, tau, X, wanted, 0.05)
    W = np.array(start.W)
    W[:, 2] += found.shifts
    after, before = (
        robust_loss(network, clean, labels, _RHO, "absolute")
        for network in (start.with_weights(W), start)
    )
    return after.upper, before.lower


@topic.check("thm-4.4")
def _check_fit(look: Collector, budget: Budget, rng: Rng) -> None:
    eps = 0.2
    widths, seeds = budget.pick(((2**12, 2**13), 3), ((2**12, 2**14, 2**16, 2**18), 3))
    losses, before = _fits(widths, seeds, rng)
    sizes = budget.pick((2**10, 2**11, 2**12, 2**13), (2**10, 2**12, 2**14, 2**16))
    radii, _ = _radii(sizes, budget.pick(12, 24), rng, None)
    look.certified(
        f"largest certified L_A*(f_W*), tau = 1/m, m = {widths[0]} ... {widths[-1]}, n = 3"
    ).at_most(losses.max(), eps)
    _small_enough(look, sizes, radii)
    look.control.certified("mean L_A*(f_{W_0}) there").at_least(before.mean(), eps)
    _solved_by_hand(look, rng)
    look.proof(
        "power of m in the bound on |f - g| that the proof takes from Theorem C.1, radius K/m^(3/5)"
    ).equals(scaling.PRINTED.gap_exponent, Fraction(-1, 10))
    look.repair("power of m in |f - g| at the radius K/m^(4/5)").equals(
        scaling.R1.gap_exponent, Fraction(-3, 10)
    )


def _standard_tau(m: float, c: float) -> float:
    """Return the sparse threshold in the units of Lemma C.18: ``sqrt(m) tau``."""
    return 2.0 * math.sqrt(c * math.log(m))


def _hermite_bounds(look: Collector, budget: Budget) -> None:
    """Look at the three inequalities with which the proof of Theorem E cuts its h."""
    top = budget.pick(12, 30)
    degrees, x = range(1, top + 1), np.linspace(0.0, 60.0, 2401)
    thresholds = (0.0, 0.3, 0.7, 1.3, 2.0, 3.0, 5.0, 8.0, 12.0)
    far = min(
        special.eval_hermitenorm(n, math.sqrt(8.0 * (n + 1))) * (4.0 * (n + 1)) ** (-n / 2)
        for n in range(1, top)
    )
    floor, size, cramer, ratio = math.inf, 0.0, 0.0, 0.0
    for k in degrees:
        values, root = np.abs(special.eval_hermitenorm(k, x)), math.sqrt(math.factorial(k))
        size = max(size, float((values * (x * x + k) ** (-k / 2)).max()))
        cramer = max(cramer, float((values * np.exp(-x * x / 4.0)).max()) / root)
        for tau in thresholds:
            least = existence.hermite_mass_floor(k, tau)
            floor = min(floor, float(existence.hermite_mass(k, tau)) / least)
            ratio = max(ratio, root * math.exp(-tau * tau / 4.0) / (4.0 * 2.0**k * least))
    told = f"k up to {top}"
    look(f"N_k over its lower bound, smallest, {told}").at_least(floor, 1.0 - 1e-12)
    look(f"He_n(t)/(t/sqrt(2))^n at t^2 = 8(n + 1), smallest, {told}").at_least(far, 1.0)
    look(f"|He_k(x)| over (x^2 + k)^(k/2), largest, {told}").at_most(size, 1.0)
    look(f"|He_k(x)| over sqrt(k!) exp(x^2/4), largest, {told} (Cramer)").at_most(cramer, 1.09)
    look(f"sqrt(k!)/N_k over 4 * 2^k exp(t^2/2), largest, {told}").at_most(ratio, 1.0)


def _cuts(look: Collector) -> None:
    """Compare what cutting costs with what the proof of Theorem E allows, rigorously enclosed."""
    sizes = [abs(float(value)) for value in CUBIC.coefficients]
    # Sparse: log m >= 4 deg(q)/c.
    c, zeta = 0.2, 0.2
    kappa = math.sqrt(2.0 * (1.0 + zeta / c) + 0.125)
    A = math.sqrt(math.pi) * sum(v * (2.0 * kappa) ** k for k, v in enumerate(sizes) if k)
    A += 2.0 * math.sqrt(2.0 * math.pi) * sizes[0]
    E = 2.0 * math.sqrt(math.pi) * sum(v * math.sqrt(k) for k, v in enumerate(sizes))
    powers, most, error, logs = (88, 120, 160, 200, 240), 0.0, 0.0, {}
    for power in powers:
        log = power * math.log(2.0)
        t = math.sqrt(2.0 * c * log)
        level = 2.0 * math.sqrt((c + zeta) * log)
        cut = existence.hermite_feature(CUBIC, math.sqrt(2.0) * t, level)
        logs[power] = math.log(float(cut.bound)) / log
        most = max(most, float(cut.bound) / (A * t * math.exp(c * log)))
        error = max(error, float(cut.error) / (E * math.exp(-zeta * log)))
    slope = (240 * logs[240] - 200 * logs[200]) / 40
    # Dense: t -> 0, and the level depends on the accuracy only.
    dense = 0.0
    for t in (2.0**-20, 0.5, 1.0):
        A0 = 4.0 * math.exp(t * t / 2.0) * sum(v * 2.0**k for k, v in enumerate(sizes) if k)
        for accuracy in (0.1, 0.001):
            level = 2.0 * math.sqrt(math.log(A0 / accuracy))
            cut = existence.hermite_feature(CUBIC, math.sqrt(2.0) * t, level)
            limit = 1.09 * A0**2 / accuracy + sizes[0] / 0.15
            dense = max(dense, float(cut.error) / accuracy, float(cut.bound) / limit)
    told = f"c = zeta = {c:g}, m = 2^{powers[0]} to 2^{powers[-1]}"
    look.certified(f"max|h| over A t m^c, largest, {told}").at_most(most, 1.0)
    look.certified(f"error of the cut over E m^(-zeta), {told}").at_most(error, 1.0)
    look.certified("power of m in max|h| between m = 2^200 and 2^240, minus c").at_most(
        abs(slope - c), 0.0125
    )
    look.certified(
        "c = 0: error of the cut over eps, and max|h| over 1.09 A_0^2/eps + |alpha_0|/Q(1)"
    ).at_most(dense, 1.0)


def _sampled(look: Collector, budget: Budget, rng: Rng) -> None:
    """Compare g(x; W*) on all of X with its mean, for one point and the threshold of R3."""
    X, y = np.array([[geometry.SLICE_RADIUS, 0.0, 0.5]]), np.ones(1)
    worst = moved = 0.0
    for m in budget.pick((2**12, 2**14), (2**12, 2**14, 2**16, 2**18)):
        tau, log = _tau(m, Fraction(1, 5)), math.log(m)
        cut = existence.hermite_feature(CUBIC, math.sqrt(m) * tau, 2.0 * math.sqrt(0.4 * log))
        most, p = float(cut.bound), scaling.activity(tau, m)
        allowed = most * (math.sqrt(6.0 * log * p / m) + 6.0 * log / m) + float(cut.error)
        for stream in rng.spawn(3):
            start = TwoLayerNetwork.initialize(m, 3, rng=stream, tau=tau)
            shifts = existence.explicit_shifts(cut, start.W, start.b, start.a, X, y, shared=True)
            off = existence.largest_deviation_on_circle(
                start.a * shifts / 2.0, start.W, start.b, tau, CUBIC, X, y
            )
            worst = max(worst, off / allowed)
            moved = max(moved, float(np.abs(shifts * start.a).max()) * m / (2.0 * most))
    look.simulated(
        "sup over X of |g(x; W*) - sum_i y_i q| over what sampling and the cut allow, c = 1/5"
    ).at_most(worst, 1.0)
    look("||w*_r - w_(r,0)|| over 2 max|h|/(a m), largest").at_most(moved, 1.0)


@topic.check("thm-e")
def _check_e(look: Collector, budget: Budget, rng: Rng) -> None:
    thresholds = [_standard_tau(m, c) for m in (2.0**10, 2.0**20) for c in (0.1, 0.2)]
    off = masses = linear = 0.0
    for tau in (0.0, 0.7, *thresholds):
        feature = existence.hermite_feature(CUBIC, tau)
        off = max(off, quadrature.miss(feature, tau))
        for k in range(1, budget.pick(5, 10)):
            proven = float(existence.hermite_mass(k, tau))
            masses = max(masses, abs(proven / quadrature.mass(k, tau) - 1.0))
        first = float(existence.hermite_mass(1, tau)) * 2.0 * math.sqrt(math.pi)
        linear = max(linear, abs(first * math.exp(tau * tau / 4.0) - 1.0))
    look(
        "|E[h_tau 1{active}] - q(z)| by quadrature, tau = 0, 0.7 and c = 0.1, 0.2 at m = 2^10, 2^20"
    ).at_most(off, 1e-7)
    look("N_k against its integral, relative").at_most(masses, 1e-9)
    look("N_1 against m^(-c)/(2 sqrt(pi)), relative").at_most(linear, 1e-12)
    _hermite_bounds(look, budget)
    _cuts(look)
    _sampled(look, budget, rng)
    _sampled_means(look, budget, rng)
    _largest_feature(look)
    _far_radius(look)
    widths = budget.pick((2**11, 2**13, 2**15), (2**10, 2**12, 2**14, 2**16))
    for c in (Fraction(1, 10), Fraction(1, 5)):
        upper, lower = _radii(widths, budget.pick(24, 16), rng, c)
        kappa = upper * np.power(widths, 0.8)
        look(f"smallest radius times |a| m, c = {c}").power(widths, kappa, float(c), 0.0)
        look(f"dual bound over the radius, c = {c}, largest").at_most((lower / upper).max(), 1.0)
    _solved_by_hand(look, rng)
    _caps_of_neurons(look, budget, rng)


def _sampled_means(look: Collector, budget: Budget, rng: Rng) -> None:
    """Draw neurons, and compare the mean of h over the active ones with q."""
    size, tau = budget.pick(500_000, 8_000_000), _standard_tau(2.0**16, 0.2)
    feature = existence.hermite_feature(CUBIC, tau)
    for z in (0.8, -0.3):
        total = square = 0.0
        for _ in range(size // 500_000):
            g, other, b = rng.standard_normal((3, 500_000))
            fires = z * g + math.sqrt(1.0 - z * z) * other + b >= tau
            values = feature(g[fires], b[fires])
            total += float(values.sum())
            square += float(np.vdot(values, values))
        mean = total / size
        error = math.sqrt((square / size - mean**2) / size)
        what = f"mean of h_tau over the active neurons, c = 0.2, m = 2^16, z = {z}"
        look(what).mean(mean, error, quadrature.value(CUBIC, z))


def _largest_feature(look: Collector) -> None:
    """Look at how large h has to be, and at the power of m in it."""
    eps, powers = Fraction(1, 50), (10, 20, 80, 160)
    top = max(abs(quadrature.value(CUBIC, z)) for z in (1.0, -0.5))
    needed, sizes = [], []
    for power in powers:
        tau = _standard_tau(2.0**power, 0.2)
        sizes.append(math.log(existence.bounded_feature(CUBIC, tau, eps).bound))
        needed.append(sizes[-1] + float(special.log_ndtr(-tau / math.sqrt(2.0))))
    look(
        "log of max|h| p, smallest for c = 0.2, m = 2^10 ... 2^160: no less than max|q| - eps"
    ).at_least(min(needed), math.log(top - float(eps)))
    late = (sizes[-1] - sizes[-2]) / ((powers[-1] - powers[-2]) * math.log(2.0))
    look("power of m in max|h| between 2^80 and 2^160, off c = 0.2").at_most(abs(late - 0.2), 0.03)


def _caps_of_neurons(look: Collector, budget: Budget, rng: Rng) -> None:
    """Count the neurons that can fire in a cap, and compare their share with its bound."""
    m, d, draws = 2**14, 5, budget.pick(10, 100)
    tau, x = _tau(m, Fraction(1, 5)), geometry.embed(np.eye(1, d - 1))
    starts = (TwoLayerNetwork.initialize(m, d, rng=own, tau=tau) for own in rng.spawn(draws))
    count = np.mean([can_fire(start, x, _RHO).sum() for start in starts])
    share = caps.cap_share(scaling.standardize_threshold(tau, m), d, _RHO)
    what = f"neurons that can fire in one cap, m = {m}, d = {d}, c = 1/5"
    look(what).binomial(float(count), m * share, draws, m)
    rice = [(caps.circle_cap_share(t, 0.05), caps.cap_share(t, 3, 0.05)) for t in range(4)]
    look.control("the share for d = 3 and rho = 0.05 against Rice's formula").close(rice, 1e-3)
    ratio = max(
        caps.cap_share(math.sqrt(2.0 * 0.2 * log), d, rho)
        / math.exp(-0.2 * log + rho * math.sqrt(0.2 * d * log))
        for log in (5.0, 10.0, 20.0)
        for d in (3, 8, 20)
        for rho in (0.05, 0.15, 0.3)
    )
    look("share that can fire in one cap over m^(-c) exp(rho sqrt(c d log m))").at_most(ratio, 1.0)


def _far_radius(look: Collector) -> None:
    """Ask for the power of m in the radius that few active neurons need, far out."""
    look.far("E radius", lambda m: _needed_radius(m, _tau(m, Fraction(1, 5))), logs=0.5)


@topic.check("thm-4.4-r")
def _check_fit_repaired(look: Collector, budget: Budget, rng: Rng) -> None:
    seeds = budget.pick(3, 4)
    dense = budget.pick((2**12,), (2**12, 2**14, 2**16))
    for activation in ("jump", "continuous"):
        losses, _ = _fits(dense, seeds, rng, None, activation)
        look.certified(
            f"c = 0, tau = 1/m, {activation}: largest certified L_A*(f_W*), m = {dense[0]} ... "
            f"{dense[-1]}"
        ).at_most(losses.max(), 0.2)
    sparse = budget.pick((2**13,), (2**14, 2**16, 2**18))
    c = Fraction(1, 10)
    jump, continuous = (_fits(sparse, seeds, rng, c, kind)[0] for kind in ("jump", "continuous"))
    look.certified(
        f"c = 1/10, continuous: largest certified L_A*(f_W*), m = {sparse[0]} ... {sparse[-1]}"
    ).at_most(continuous.max(), 0.2)
    what = "c = 1/10, jump: smallest certified L_A* of the same construction"
    look.control.certified(what).at_least(jump.min(), 0.2)
    widths = budget.pick((2**11, 2**13, 2**15), (2**10, 2**12, 2**14, 2**16))
    for sparsity, rival in ((None, 0.2), (c, 0.0), (Fraction(1, 5), 0.0)):
        upper, _ = _radii(widths, budget.pick(16, 24), rng, sparsity)
        look(f"smallest radius times |a| m, c = {sparsity or 0}").power(
            widths, upper * np.power(widths, 0.8), float(sparsity or 0), rival
        )
    _solved_by_hand(look, rng)
    _far_radius(look)
    look("power of m in |g| at R3").equals(scaling.R3.expressivity_exponent, 0)
    look("power of m in |f - g - B| at R3").equals(scaling.R3.gap_exponent, Fraction(-1, 10))
    look("power of m in |f - g - B| at R1").equals(scaling.R1.gap_exponent, Fraction(-3, 10))

r"""The definitions of Section 3 and the two algorithms, each with what the rest needs of it.

A definition says what a thing is, so its check asks whether there is such a thing: whether the law
is the one that the proofs use, whether a maximum exists, whether what the algorithm computes is
what it says.  Before changing a check, know that the library decides ties by the strict
inequality of the activation, and that two of the definitions are looked at just there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any, Literal

import numpy as np
from scipy import stats

from sublinear_lib import adversary, datasets, geometry, losses, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.claims import Outcome
from sublinear_lib.claims.collector import SURE
from sublinear_lib.claims.instruments.points import circle
from sublinear_lib.claims.topic import Budget, Collector, Rng, Topic
from sublinear_lib.halfspace import HalfspaceIndex
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.statistics import Interval, clopper_pearson
from sublinear_lib.theory import max_active_on_circle
from sublinear_lib.training import DenseAdversarialTraining, SublinearAdversarialTraining

topic = Topic("definitions")

_RARE = 1e-5
_ROUNDING = 16.0 * float(np.finfo(np.float64).eps)


# --------------------------------------------------------------------------------------------------
# Definition 3.1
# --------------------------------------------------------------------------------------------------


@topic.check("def-3.1")
def _check_initialization(look: Collector, budget: Budget, rng: Rng) -> None:
    m, d = budget.pick(2**15, 2**18), 8
    network = TwoLayerNetwork.initialize(m, d, rng=rng)
    points = geometry.sample_slice(3, d, rng)
    scores = network.preactivations(points)
    scale = scaling.preactivation_std(m)
    pvalues = [float(stats.kstest(row / scale, "norm").pvalue) for row in scores]
    # The other reading of the damaged line: biases of variance 1.
    rival = (points[0] @ network.W.T + rng.standard_normal(m)) / scale
    signs = np.sign(network.a)
    what = "smallest p-value of Kolmogorov-Smirnov for z_r(x) ~ N(0, 2/m), 3 points"
    look.simulated(what).at_least(min(pvalues), _RARE)
    look(f"number of different |a_r|, m = {m}").equals(int(np.unique(np.abs(network.a)).size), 1)
    look.control("| m/2 times the squared scale of the library - 1 |").at_most(
        abs(scale**2 * m / 2.0 - 1.0), _ROUNDING
    )
    look("| |a_r|^5 m - 1 |").at_most(abs(abs(network.a[0]) ** 5 * m - 1.0), _ROUNDING)
    positive = clopper_pearson(int(np.count_nonzero(signs > 0.0)), m, SURE)
    _contains(look, f"share of positive a_r, m = {m}", positive, 0.5)
    _contains(look, "m times the variance of the entries of W_0", _spread(network.W, m), 1.0)
    _contains(look, "m times the variance of the entries of b_0", _spread(network.b, m), 1.0)
    _contains(look, "m times the variance of z_r(x)", _spread(scores[0], m), 2.0)
    look("mean of sign(a_r) z_r(x) sqrt(m/2)").mean(
        float(np.mean(signs * scores[0]) / scale), 1.0 / math.sqrt(m), 0.0
    )
    look.control.simulated("p-value if the biases had variance 1").at_most(
        float(stats.kstest(rival, "norm").pvalue), _RARE
    )


# --------------------------------------------------------------------------------------------------
# Definition 3.2
# --------------------------------------------------------------------------------------------------


@topic.check("def-3.2")
def _check_losses(look: Collector, budget: Budget, rng: Rng) -> None:
    count = budget.pick(20_000, 400_000)
    # Dyadic numbers: values, midpoints and differences of the piecewise quadratic losses are exact
    # in float64, so that they are asked for exactly.
    family: list[tuple[losses.Loss, bool]] = [(losses.AbsoluteLoss(), True)]
    family += [(losses.HuberLoss(delta=2.0**-k), True) for k in (0, 3, 7)]
    family += [(losses.EpsilonInsensitiveLoss(epsilon=k / 16), True) for k in (0, 1, 20)]
    family += [(losses.LogCoshLoss(scale=scale), False) for scale in (0.01, 0.1, 2.0)]
    for loss, dyadic in family:
        worst = _violations(loss.value, loss.derivative, count, rng)
        asked, allowed = (look.exact, 0.0) if dyadic else (look, _ROUNDING)
        name = f"{loss!r}: largest violation of Definition 3.2, {count} pairs"
        asked(name).at_most(max(worst.values()), allowed)
        steep = float(loss.value(0.0, 1e6) - loss.value(0.0, 1e6 - 1.0))
        # A Lipschitz constant below 1 would be another normalization of the same definition.
        look.control(f"{loss!r}: slope far away").at_most(abs(steep - 1.0), 1e-9)
    others: list[tuple[str, str, Callable[..., Any], Callable[..., Any]]] = [
        ("(f - y)^2", "Lipschitz", lambda y, f: (f - y) ** 2, lambda y, f: 2.0 * (f - y)),
        ("sqrt|f - y|", "convex", lambda y, f: np.sqrt(np.abs(f - y)), lambda y, f: 0.0 * f),
        ("|f - y| - 1/8", "negative", lambda y, f: np.abs(f - y) - 0.125, _sign),
        ("|f - y - 1/8|", "zero", lambda y, f: np.abs(f - y - 0.125), _sign),
        ("1.01 |f - y|", "Lipschitz", lambda y, f: 1.01 * np.abs(f - y), _sign),
    ]
    for name, what, value, slope in others:
        found = _violations(value, slope, 2_000, rng)[what]
        text = f"{name}: the search finds that it breaks the definition ({what})"
        look.control.computed(text).holds(found > 1e-3, found, "> 0.001")


def _sign(y: FloatArray, f: FloatArray) -> FloatArray:
    return np.asarray(np.sign(f - y))


def _violations(
    value: Callable[..., Any], slope: Callable[..., Any], count: int, rng: Rng
) -> dict[str, float]:
    """Return by how much a loss misses each property at random dyadic arguments."""
    y, f, g = (rng.integers(-(2**12), 2**12, size=count) / 2.0**10 for _ in range(3))
    at_f, at_g, at_middle = value(y, f), value(y, g), value(y, (f + g) / 2.0)
    return {
        "zero": float(np.abs(value(y, y)).max()),
        "negative": float((-at_f).max()),
        "Lipschitz": float((np.abs(at_f - at_g) - np.abs(f - g)).max()),
        # With continuity, which Lipschitz gives, midpoints suffice.
        "convex": float((at_middle - (at_f + at_g) / 2.0).max()),
        "subgradient": float((at_f + slope(y, f) * (g - f) - at_g).max())
        if slope is not _sign
        else 0.0,
    }


# --------------------------------------------------------------------------------------------------
# Definitions 3.3 and 3.4
# --------------------------------------------------------------------------------------------------

_RHO = 0.2
_LEVEL = 1.2816


def _two_neurons(sign: float) -> tuple[TwoLayerNetwork, FloatArray]:
    """Return two neurons of which the second switches at the middle of the cap."""
    network = TwoLayerNetwork([[3.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [1.0, sign], [0.0, 0.0], tau=0.5)
    return network, circle([math.asin(3.0**-0.5)])


def _lost(m: int, count: int, rng: Rng, activation: str) -> tuple[int, float, float]:
    """Count random caps without a highest point; also return how far witnesses and grids miss."""
    lost, short, above = 0, 0.0, 0.0
    half = geometry.cap_angle(_RHO)
    cases = adversary.random_cases(m, 3, t=_LEVEL, count=count, rng=rng, activation=activation)
    grid = circle(np.linspace(-half, half, 501))
    for network, _ in cases:
        best = adversary.CircleWave.of_network(network).extremes(0.0, half)
        lost += not best.sup_attained
        short = max(short, best.sup - float(network.forward(best.X_sup[None, :])[0]))
        above = max(above, float(network.forward(grid).max()) - best.upper)
    return lost, short, above


@topic.check("def-3.3")
def _check_worst_adversary(look: Collector, budget: Budget, rng: Rng) -> None:
    m, count = budget.pick(300, 10_000), budget.pick(120, 1000)
    network, x = _two_neurons(1.0)
    (best,) = adversary.extremes_on_circle(network, x, _RHO)
    height = 3.0 / math.sqrt(2.0) + 0.5
    switch = math.asin(3.0**-0.5)
    grid = circle(switch + np.linspace(-1.0, 1.0, 20_001) * geometry.cap_angle(_RHO))
    witness = network.forward(circle([switch + 1e-9]))[0]
    (other,) = adversary.extremes_on_circle(*_two_neurons(-1.0), _RHO)
    share = clopper_pearson(_lost(m, count, rng, "jump")[0], count, SURE)
    _bounded(look, budget, rng)
    look.print.closed_form(
        "two neurons: supremum of f over the cap, and the largest of 20 001 values on it"
    ).holds(
        bool(best.sup_attained or network.forward(grid).max() >= height),
        f"{best.sup:.12f}, {network.forward(grid).max():.12f}",
        "a point of the cap where the supremum is attained",
    )
    look.print.simulated(
        f"share of random caps without a highest point, m = {m}, {count} networks"
    ).note(Outcome.NO if share.lower > 0.0 else Outcome.YES, share, "0")
    what = "two neurons: |supremum - (3/sqrt(2) + 1/2)|"
    look.control(what).at_most(abs(best.sup - height), 1e-12)
    what = "two neurons: how far the value at 1e-9 beyond the switch misses the supremum"
    look.repair(what).at_most(abs(float(witness) - height), 1e-8)
    look.control.closed_form("the same with a_2 = -1: attained").holds(
        bool(other.sup_attained), f"{other.sup:.12f}", "yes"
    )
    look.witness |= {
        "W": network.W.tolist(),
        "a": network.a.tolist(),
        "b": network.b.tolist(),
        "tau": network.tau,
        "x": x[0].tolist(),
        "rho": _RHO,
        "sup": best.sup,
        "value_at_x": float(network.forward(x)[0]),
    }


def _bounded(look: Collector, budget: Budget, rng: Rng) -> None:
    """Look at whether the attacks of the library stay in their caps."""
    outside = looked = 0
    for d, rho in product((2, 3, 8), (0.05, 0.5, 1.8)):
        network = TwoLayerNetwork.initialize(256, d, rng=rng, tau=0.05)
        points = geometry.sample_slice(budget.pick(8, 64), d, rng)
        labels = rng.choice([-1.0, 1.0], size=len(points))
        attacks: list[adversary.Adversary] = [
            adversary.ProjectedGradient(rho=rho, restarts=2),
            adversary.SmoothedGradient(rho=rho, restarts=2),
            adversary.RandomSearch(rho=rho),
        ]
        if d <= 3:
            attacks.append(adversary.ExactAdversary(rho=rho))
        for attack in attacks:
            found = attack(network, points, labels, "absolute", rng).X
            far = np.linalg.norm(found - points, axis=1) > rho + 1e-12
            off = np.abs(np.linalg.norm(found, axis=1) - 1.0) > 1e-12
            outside += int(np.count_nonzero(far | off | (found[:, -1] != 0.5)))
            looked += len(points)
    look(f"adversarial points outside B_2(x, rho), of {looked}").none(outside)


@topic.check("def-3.3-r")
def _check_supremum(look: Collector, budget: Budget, rng: Rng) -> None:
    m, count = budget.pick(200, 5_000), budget.pick(60, 600)
    _, short, above = _lost(m, count, rng, "jump")
    kinks, missed, over = _lost(m, count, rng, "continuous")
    network = TwoLayerNetwork.initialize(budget.pick(400, 4_000), 3, rng=rng, tau=0.05)
    points = geometry.sample_slice(budget.pick(10, 100), 3, rng)
    labels = rng.uniform(-1.0, 1.0, size=len(points))
    extremes = adversary.extremes_on_circle(network, points, _RHO)
    ends = np.array([[best.inf, best.sup] for best in extremes])
    certified = np.array([[best.lower, best.upper] for best in extremes])
    top, ceiling = (np.abs(values - labels[:, None]).max(axis=1) for values in (ends, certified))
    exact_one = adversary.ExactAdversary(rho=_RHO)(network, points, labels, "absolute", rng)
    attack = adversary.SmoothedGradient(rho=_RHO)(network, points, labels, "absolute", rng)
    look(f"how far values of f lie above its certified supremum, {2 * count} caps").at_most(
        max(above, over), 0.0
    )
    look(f"jump: how far a point of the cap stays below it, {count} caps").at_most(short, 1e-8)
    look(f"continuous: how far a point stays below it, {count} caps").at_most(missed, 1e-8)
    look(f"continuous: caps without a highest point, of {count}").none(kinks)
    look("how far the loss of the exact adversary stays below its supremum").at_most(
        np.max(top - exact_one.loss), 1e-8
    )
    look("how far the loss of an attack lies above its supremum").at_most(
        np.max(attack.loss - ceiling), 0.0
    )


@topic.check("def-3.4")
def _check_robust_loss(look: Collector, budget: Budget, rng: Rng) -> None:
    m, n, count = budget.pick(300, 3_000), 6, budget.pick(25, 200)
    attack = adversary.ProjectedGradient(rho=_RHO, restarts=2)
    order, means, width, lost, two = [], 0.0, 0.0, 0, 0.0
    for number in range(count):
        loss = losses.get_loss(losses.LOSSES[number % len(losses.LOSSES)])
        network = TwoLayerNetwork.initialize(m, 3, rng=rng, tau=_LEVEL * math.sqrt(2.0 / m))
        points = geometry.sample_slice(n, 3, rng)
        labels = rng.uniform(-1.0, 1.0, size=n)
        clean = float(np.mean(loss.value(labels, network.forward(points))))
        moved = attack(network, points, labels, loss, 7).X
        attacked = float(np.mean(loss.value(labels, network.forward(moved))))
        stated = adversary.robust_loss_under(network, points, labels, attack, loss, 7)
        means = max(means, abs(attacked - stated))
        worst = adversary.robust_loss(network, points, labels, _RHO, loss)
        width = max(width, worst.upper - worst.lower)
        order.append(clean <= attacked <= worst.upper)
        for label, best in zip(
            labels, adversary.extremes_on_circle(network, points, _RHO), strict=True
        ):
            up, down = float(loss.value(label, best.sup)), float(loss.value(label, best.inf))
            attained = best.sup_attained if up >= down else best.inf_attained
            # A loss of zero all over the cap is attained wherever f is.
            lost += not attained and max(up, down) > 0.0
        two = max(two, _miss_on_two_points(m, loss, rng))
    share = clopper_pearson(lost, n * count, SURE)
    look(f"networks with L <= L_A <= L_A*, of {count}").equals(sum(order), count)
    look("L_A against the mean over the moved points").at_most(means, 1e-12)
    look("width of the bracket of L_A*, d = 3").at_most(width, 1e-7)
    look("d = 2: L_A* against the largest loss of the two points").at_most(two, 1e-12)
    look.print.simulated(
        f"share of examples whose largest loss is not attained, {n * count} caps"
    ).note(
        Outcome.NO if share.lower > 0.0 else Outcome.YES,
        share,
        "0, for max to mean what is printed",
    )


def _miss_on_two_points(m: int, loss: losses.Loss, rng: Rng) -> float:
    """Compare the robust loss for d = 2 with its definition, for both kinds of caps."""
    network = TwoLayerNetwork.initialize(m, 2, rng=rng, tau=0.05)
    ends = np.array([[math.sqrt(0.75), 0.5], [-math.sqrt(0.75), 0.5]])
    labels = rng.uniform(-1.0, 1.0, size=2)
    value = network.forward(ends)
    own = loss.value(labels, value)
    both = np.maximum(own, loss.value(labels, value[::-1]))
    found = [adversary.robust_loss(network, ends, labels, rho, loss) for rho in (1.7, 1.8)]
    bounds = np.array([(each.lower, each.upper) for each in found])
    return float(np.abs(bounds - [[own.mean()], [both.mean()]]).max())


# --------------------------------------------------------------------------------------------------
# Definition 3.5
# --------------------------------------------------------------------------------------------------


@topic.check("def-3.5")
def _check_chi_square(look: Collector, budget: Budget, rng: Rng) -> None:
    degrees, powers = budget.pick(8, 24), budget.pick(8, 16)
    single = [math.prod(range(1, 2 * j, 2)) for j in range(powers + 1)]
    total, wrong = [1] + [0] * powers, 0
    for m in range(1, degrees + 1):
        total = [
            sum(math.comb(k, j) * single[j] * total[k - j] for j in range(k + 1))
            for k in range(powers + 1)
        ]
        wrong += sum(total[k] != math.prod(range(m, m + 2 * k, 2)) for k in range(1, powers + 1))
    m, draws = 7, budget.pick(20_000, 500_000)
    sums = np.sum(rng.standard_normal((draws, m)) ** 2, axis=1)
    network = TwoLayerNetwork.initialize(draws, 5, rng=rng)
    lengths = draws * np.sum(network.W**2, axis=1)
    pvalues = [
        float(stats.kstest(values, stats.chi2(freedom).cdf).pvalue)
        for values, freedom in ((sums, m), (lengths, 5), (sums, m + 1))
    ]
    look(
        f"moments E Q^k other than m (m + 2) ... (m + 2k - 2), m <= {degrees}, k <= {powers}"
    ).none(wrong)
    said = ("Q ~ chi-square, m = 7", "m ||w_r||^2 ~ chi-square, d = 5")
    for what, pvalue in zip(said, pvalues, strict=False):
        look.simulated(f"p-value of Kolmogorov-Smirnov for {what}").at_least(pvalue, _RARE)
    look.control.simulated("p-value with one degree of freedom more").at_most(pvalues[2], _RARE)


# --------------------------------------------------------------------------------------------------
# Definitions 3.6 and 3.9
# --------------------------------------------------------------------------------------------------


def _dyadic(rng: Rng, *shape: int) -> FloatArray:
    """Return small multiples of 1/4: sums of their products are exact, and ties are frequent."""
    return np.asarray(rng.integers(-4, 5, size=shape) / 4.0)


@topic.check("def-3.6")
def _check_indicators(look: Collector, budget: Budget, rng: Rng) -> None:
    m, n, d = budget.pick(4_096, 2**17), 16, 4
    network = TwoLayerNetwork.initialize(m, d, rng=rng, tau=math.sqrt(2.0 / m))
    moved = network.W + rng.standard_normal(network.W.shape) / m**0.6
    points = geometry.sample_slice(n, d, rng)
    now = network.with_weights(moved)
    scores = points @ (network.W + (moved - network.W)).T + network.b
    clear = np.abs(scores - network.tau) > 1e-12
    value = np.where(scores >= network.tau, scores, 0.0) @ network.a
    ties = _ties(budget, rng)
    look(f"pairs on which Phi and the activation disagree, of {m * n}").none(
        int(np.count_nonzero((scores >= network.tau) != now.active_mask(points)))
    )
    look("f(x) against the sum of a_r (<w_r, x> + b_r) Phi_{x,r}").at_most(
        np.max(np.abs(value - now.forward(points))), 1e-11
    )
    look.control("pairs within 1e-12 of the threshold").none(int(np.count_nonzero(~clear)))
    look("at a tie: neurons that are active by > and by the activation").equals(ties[0], ties[1])
    look.control.exact(
        "at a tie: neurons with Phi = 1 to which the activation gives the value 0"
    ).holds(ties[2] > 0, ties[2], "> 0: there >= and > differ")


def _ties(budget: Budget, rng: Rng) -> tuple[int, int, int]:
    """Count, on dyadic numbers, agreements with `>`, all pairs, and ties."""
    W, b, points = _dyadic(rng, 64, 3), _dyadic(rng, 64), _dyadic(rng, budget.pick(20, 200), 3)
    network = TwoLayerNetwork(W, np.ones(64), b, tau=0.5)
    mask = network.active_mask(points, on_slice=False)
    agree = tied = 0
    for i, r in product(range(len(points)), range(64)):
        parts = (Fraction(w) * Fraction(x) for w, x in zip(W[r], points[i], strict=True))
        score = sum(parts, Fraction(b[r]))
        agree += bool(mask[i, r]) == (score > Fraction(1, 2))
        tied += score == Fraction(1, 2)
    return agree, mask.size, tied


@topic.check("def-3.9")
def _check_active_sets(look: Collector, budget: Budget, rng: Rng) -> None:
    m, d = budget.pick(2**14, 2**20), 3
    agree, pairs, tied = _ties(budget, rng)
    network = TwoLayerNetwork.initialize(m, d, rng=rng, tau=0.0)
    points = geometry.sample_slice(1, d, rng)
    look("pairs decided as by rational arithmetic, ties included").equals(agree, pairs)
    look.control.exact("ties among them").holds(tied > 0, tied, "> 0")
    for t in (0.0, 0.5, 1.0, 2.0):
        tau = t * math.sqrt(2.0 / m)
        index = HalfspaceIndex(network.W, network.b)
        hits = index.query_halfspace(points, tau)
        again = TwoLayerNetwork(network.W, network.a, network.b, tau).active_mask(points)
        share = clopper_pearson(int(hits.counts[0]), m, SURE)
        look(f"t = {t}: neurons of Q by the index and not by the network, or the reverse").none(
            int(np.count_nonzero(again[0] != np.isin(np.arange(m), hits[0])))
        )
        _contains(look, f"t = {t}: k / m", share, float(stats.norm.sf(t)))
    small = TwoLayerNetwork.initialize(budget.pick(512, 8_192), d, rng=rng, tau=0.05)
    top = max_active_on_circle(small)
    grid = circle(np.linspace(0.0, 2.0 * math.pi, 4_001))
    counts = np.count_nonzero(small.active_mask(grid), axis=1)
    here = int(np.count_nonzero(small.active_mask(top.x[None, :])))
    look("largest k over X: at its witness").equals(here, top.count)
    look.repair("largest k over X, against the largest of 4001 points").at_most(
        counts.max(), float(top.count)
    )
    look.repair("largest k over X, relative to its mean there").at_least(
        float(top.count / counts.mean()), 1.0
    )


# --------------------------------------------------------------------------------------------------
# Definition 3.7
# --------------------------------------------------------------------------------------------------


@topic.check("def-3.7")
def _check_separability(look: Collector, budget: Budget, rng: Rng) -> None:
    # A polynomial of degree at most two in each of two letters that vanishes on 3 x 3 points is 0.
    wrong = 0
    for apart, reach in product((Fraction(1), Fraction(2), Fraction(3)), repeat=2):
        gap = (1 - reach**2 / 2) - (1 - (apart - reach) ** 2 / 2)
        wrong += gap != apart * (apart - 2 * reach) / 2
    worst, miss, largest = math.inf, 0.0, 0.0
    for d, n in ((2, 2), (3, 5), (6, 12), (20, 8)):
        data = datasets.separated(n, d, separation=0.4 * datasets.max_separation(n, d), rng=rng)
        points = data.X
        delta = min(float(np.linalg.norm(u - v)) for u, v in combinations(points, 2))
        for share in (0.1, 0.4, 0.49):
            rho = share * delta
            gamma = datasets.separation(points, rho).gamma
            miss = max(miss, abs(gamma - delta * (delta - 2.0 * rho)))
            allowed = np.linspace(0.0, delta, 1_001)
            largest = max(largest, float((allowed * (allowed - 2.0 * rho)).max()) - gamma)
            worst = min(worst, _smallest_gap(points, rho, budget, rng) / (gamma / 2.0))
    pair = circle([0.0, 0.02])
    delta = float(np.linalg.norm(pair[0] - pair[1]))
    near = circle(np.linspace(0.0, geometry.cap_angle(0.4 * delta), 101))
    tight = float((near @ (pair[0] - pair[1])).min() / (0.5 * delta * (delta - 0.8 * delta)))
    look("points of 9 at which the gap is not delta (delta - 2 rho) / 2").none(wrong)
    look("gamma of a data set against delta (delta - 2 rho)").at_most(miss, 1e-12)
    look("how far another epsilon <= delta gives a larger gamma").at_most(largest, 1e-12)
    look("smallest <x_j, x~> - <x_i, x~> over the caps, in units of gamma / 2").at_least(worst, 1.0)
    look.control("the same for two near points, rho = 0.4 delta").at_most(tight, 1.001)


def _smallest_gap(points: FloatArray, rho: float, budget: Budget, rng: Rng) -> float:
    """Return the smallest difference of inner products over points of the caps."""
    looked = budget.pick(200, 5_000)
    least = math.inf
    for j in range(len(points)):
        center, others = points[j : j + 1], np.delete(points, j, axis=0)
        # Points of the cap at random, and those nearest to each of the others.
        drawn = geometry.sample_caps(np.repeat(center, looked, axis=0), rho, rng)
        nearest = geometry.project_to_caps(others, np.repeat(center, len(others), axis=0), rho)
        tried = np.vstack((drawn, nearest))
        least = min(least, float((tried @ points[j] - (tried @ others.T).max(axis=1)).min()))
    return least


# --------------------------------------------------------------------------------------------------
# Remark 3.8
# --------------------------------------------------------------------------------------------------


@topic.check("rem-3.8")
def _check_frozen(look: Collector, budget: Budget, rng: Rng) -> None:
    rounds = budget.pick(12, 200)
    loss = losses.HuberLoss()
    attack = adversary.ProjectedGradient(rho=_RHO)
    errors, steps, jumps = [], [], []
    for number in range(rounds):
        activation = ("jump", "continuous")[number % 2]
        network = TwoLayerNetwork.initialize(256, 5, rng=rng, tau=0.05, activation=activation)
        clean = geometry.sample_slice(4, 5, rng)
        labels = rng.uniform(-1.0, 1.0, size=4)
        moved = attack(network, clean, labels, loss, 0).X
        slopes = loss.derivative(labels, network.forward(moved))
        gradient = network.weight_gradient(moved, slopes)
        trainer = DenseAdversarialTraining(adversary=attack, loss=loss, eta=0.5, steps=1)
        after = trainer.fit(network, clean, labels, rng=0).final.W
        steps.append(float(np.max(np.abs(after - (network.W - 0.5 * gradient)))))
        way = rng.standard_normal(network.W.shape)
        ahead, behind = (network.with_weights(network.W + h * way) for h in (1e-6, -1e-6))
        if np.array_equal(ahead.active_mask(moved), behind.active_mask(moved)):
            rise = loss.value(labels, ahead.forward(moved))
            rise -= loss.value(labels, behind.forward(moved))
            error = float(np.mean(rise)) / 2e-6 - float(np.vdot(gradient, way))
            errors.append(abs(error) / float(np.linalg.norm(gradient)))
        if activation == "jump":
            jumps.append(_across(network, moved[0]))
    cosines, formula, frozen = _through_adversary(budget, rng)
    share = clopper_pearson(sum(cosine < 0.95 for cosine in cosines), len(cosines), 0.99)
    look(f"gradient at fixed points against finite differences, {len(errors)} networks").at_most(
        max(errors), 1e-5
    )
    look("a step of training against this gradient").at_most(max(steps), 1e-13)
    look.control("the same across a threshold: jump of f against |a_r| tau").at_most(
        max(abs(jump - 1.0) for jump in jumps), 1e-5
    )
    look.repair(
        "derivative of the supremum over the cap: median error of the formula with the motion of "
        "the worst point"
    ).at_most(np.median(formula), 1e-4)
    what = "derivative of the supremum over the cap: median error with the point held fixed"
    look.repair(what).at_least(np.median(frozen), 0.1)
    look.repair.simulated(
        "jump: share of caps in which the two directions have a cosine below 0.95"
    ).note(Outcome.YES if share.lower > 0.0 else Outcome.OPEN, share, "> 0")


def _across(network: TwoLayerNetwork, x: FloatArray) -> float:
    """Return the jump of f in units of |a_r| tau when the nearest neuron crosses the threshold."""
    missing = network.tau - network.preactivations(x[None, :])[0]
    r = int(np.argmin(np.abs(missing)))
    values = []
    for shift in (1e-9, -1e-9):
        W = network.W.copy()
        W[r] += (missing[r] + shift) * x
        values.append(float(network.with_weights(W).forward(x[None, :])[0]))
    return abs(values[0] - values[1]) / (abs(float(network.a[r])) * network.tau)


def _through_adversary(budget: Budget, rng: Rng) -> tuple[list[float], list[float], list[float]]:
    """Compare both gradients of the supremum over a cap with finite differences, at switches."""
    m, count = budget.pick(300, 10_000), budget.pick(30, 300)
    half = geometry.cap_angle(_RHO)
    cosines, formula, frozen = (list[float]() for _ in range(3))
    for network, points in adversary.random_cases(m, 3, t=_LEVEL, count=count, rng=rng):
        found = adversary.gradient_of_supremum(network, points[0], _RHO)
        if found.neuron is None:
            continue
        angle = float(np.arctan2(points[0, 1], points[0, 0]))
        way = found.true / np.linalg.norm(found.true)
        up, down = (
            adversary.CircleWave.of_network(network.with_weights(network.W + h * way))
            .extremes(angle, half)
            .sup
            for h in (1e-7, -1e-7)
        )
        slope = (up - down) / 2e-7
        cosines.append(found.cosine)
        for errors, gradient in ((formula, found.true), (frozen, found.frozen)):
            errors.append(abs(slope - float(np.vdot(gradient, way))) / abs(slope))
    return cosines, formula, frozen


# --------------------------------------------------------------------------------------------------
# Algorithms 1 and 2
# --------------------------------------------------------------------------------------------------


@topic.check("alg-1")
def _check_training(look: Collector, budget: Budget, rng: Rng) -> None:
    m, n, d, steps = budget.pick(2**10, 2**13), 4, 3, budget.pick(20, 100)
    start = TwoLayerNetwork.initialize(m, d, rng=rng, tau=0.9 * math.sqrt(2.0 / m))
    clean = datasets.circle(n, labels="alternating")
    attack = adversary.ProjectedGradient(rho=0.15)
    settings: dict[str, Any] = {"adversary": attack, "eta": 0.5 * m**-0.6, "steps": steps}
    dense = DenseAdversarialTraining(**settings, reduction="reference").fit(
        start, clean.X, clean.y, rng=0
    )
    differing, apart = 0, 0.0
    ways: tuple[Literal["literal", "query", "caps"], ...] = ("literal", "query", "caps")
    for way in ways:
        same = SublinearAdversarialTraining(**settings, reduction="reference", index=way)
        found = same.fit(start, clean.X, clean.y, rng=0).final.W
        differing += int(np.count_nonzero(found != dense.final.W))
        free = SublinearAdversarialTraining(**settings, index=way)
        found = free.fit(start, clean.X, clean.y, rng=0).final.W
        apart = max(apart, float(np.max(np.abs(found - dense.final.W))))
    weights, outside = _by_hand(start, clean.X, clean.y, attack, settings["eta"], steps)
    answers, active, lifted = _answers_without_bias()
    look(
        f"entries of W_T that differ in a bit between {len(ways)} ways to find neurons and all "
        f"neurons, T = {steps}, m = {m}"
    ).none(differing)
    look("the same with sums in any order: largest difference").at_most(apart, 1e-10)
    look("W_T against the lines 8 to 22 written out").at_most(
        np.max(np.abs(weights - dense.final.W)), 1e-10
    )
    look("rows outside of Q_t that a step moved").none(outside)
    look.print.exact(
        "two neurons with the same w, b = 0 and 1: answers that QUERY(x) on w_1, w_2 can give, at "
        "any offset"
    ).holds(
        active in answers,
        ", ".join(map(str, sorted(map(list, answers)))),
        f"the active set {sorted(active)} among them",
    )
    look.repair.exact("the same with w_r + 2 b_r e_d stored and QUERY(x, tau)").holds(
        lifted == active, str(sorted(lifted)), str(sorted(active))
    )


def _by_hand(
    start: TwoLayerNetwork,
    X: FloatArray,
    y: FloatArray,
    attack: adversary.Adversary,
    eta: float,
    steps: int,
) -> tuple[FloatArray, int]:
    """Do Algorithm 1 neuron by neuron, and count the rows that moved without being active."""
    loss = losses.get_loss("huber")
    W, outside = start.W.copy(), 0
    for _ in range(steps):
        moved = attack(start.with_weights(W), X, y, loss, 0).X
        change, union = np.zeros_like(W), set[int]()
        for x, label in zip(moved, y, strict=True):
            scores = W @ x + start.b
            active = np.flatnonzero(scores > start.tau)
            union |= set(active.tolist())
            value = math.fsum(start.a[active] * scores[active])
            slope = float(loss.derivative(label, value))
            change[active] += slope * start.a[active, None] * x / len(X)
        after = W - eta * change
        outside += len(set(np.flatnonzero((after != W).any(axis=1)).tolist()) - union)
        W = after
    return W, outside


def _answers_without_bias() -> tuple[set[frozenset[int]], frozenset[int], frozenset[int]]:
    """Return what an index of w alone can answer, the active set, and the lifted answer."""
    W, b, tau = np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([0.0, 1.0]), 1.0
    x = np.array([[math.sqrt(0.75), 0.5]])
    plain, lifted = HalfspaceIndex(W), HalfspaceIndex(geometry.lift(W, b))
    answers = {
        frozenset(plain.query_halfspace(x, offset, strict=strict)[0].tolist())
        for offset in np.linspace(-3.0, 3.0, 25)
        for strict in (True, False)
    }
    active = frozenset(
        np.flatnonzero(TwoLayerNetwork(W, [1.0, 1.0], b, tau).active_mask(x)[0]).tolist()
    )
    return answers, active, frozenset(lifted.query_halfspace(x, tau)[0].tolist())


@topic.check("alg-2")
def _check_index(look: Collector, budget: Budget, rng: Rng) -> None:
    rounds = budget.pick(6, 60)
    wrong = asked = tied = 0
    for (d, method), strict in product(((2, "tree"), (3, "scan"), (6, "auto")), (False, True)):
        stored = {r: p for r, p in enumerate(_dyadic(rng, 60, d))}
        index = HalfspaceIndex(np.array(list(stored.values())), method=method, leaf_size=8)
        for _ in range(rounds):
            new = _dyadic(rng, 5, d)
            stored |= dict(zip(index.insert(new).tolist(), new, strict=True))
            gone = rng.choice(sorted(stored), size=5, replace=False)
            index.remove(gone)
            stored = {r: p for r, p in stored.items() if r not in set(gone.tolist())}
            changed = rng.choice(sorted(stored), size=5, replace=False)
            values = _dyadic(rng, 5, d)
            index.update(changed, values)
            stored |= dict(zip(changed.tolist(), values, strict=True))
            normals, offsets = _dyadic(rng, 20, d), _dyadic(rng, 20)
            hits = index.query_halfspace(normals, offsets, strict=strict)
            for i, (normal, offset) in enumerate(zip(normals, offsets, strict=True)):
                # Products of multiples of 1/4 of this size are exact, and so are their sums.
                scores = {r: float(p @ normal) - float(offset) for r, p in stored.items()}
                expected = [r for r, s in scores.items() if (s > 0.0 if strict else s >= 0.0)]
                wrong += sorted(expected) != hits[i].tolist()
                tied += sum(s == 0.0 for s in scores.values())
                asked += 1
    d = 4
    network = TwoLayerNetwork.initialize(budget.pick(2_000, 50_000), d, rng=rng, tau=0.02)
    points = geometry.sample_slice(50, d, rng)
    lifted = HalfspaceIndex(geometry.lift(network.W, network.b), method="cap", domain="slice")
    mask = lifted.mask_halfspace(points, network.tau)
    normal, point = _dyadic(rng, d), _dyadic(rng, d)
    look(f"wrong answers after INSERT, REMOVE and moves, of {asked} queries").none(wrong)
    look.control.exact("points on the boundary among them").holds(tied > 0, tied, "> 0")
    look(
        f"pairs for which QUERY(x, tau) on w_r + 2 b_r e_d misses the active set, of {mask.size}"
    ).none(int(np.count_nonzero(mask != network.active_mask(points))))
    look.print("numbers in <b, z>; printed: those in c").equals(int(np.size(normal @ point)), d)


# --------------------------------------------------------------------------------------------------
# Observations
# --------------------------------------------------------------------------------------------------


def _contains(look: Collector, what: str, interval: Interval, value: float) -> None:
    """Note whether an interval contains a number."""
    look.simulated(what).holds(interval.contains(value), interval, f"contains {value:.6g}")


def _spread(values: FloatArray, m: int) -> Interval:
    """Return the interval for m times the variance of centered normal numbers."""
    total, size = m * float(np.sum(values**2)), values.size
    miss = (1.0 - SURE) / 2.0
    upper, lower = (total / float(stats.chi2.ppf(p, size)) for p in (miss, 1.0 - miss))
    return Interval(total / size, lower, upper, SURE)

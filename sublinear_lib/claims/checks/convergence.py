r"""Convergence as printed: Theorem 4.3 = C.12 with its proof, C.10 to C.14.

The printed theorem fails by its step size, which a network with one training point shows, and
Lemma C.14 fails twice: by an exponent, and at a kink of the loss.  Before changing a check, know
where slopes come from: runs on one point (`sublinear_lib.claims.instruments.descents`).
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from sublinear_lib import datasets, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import ExactAdversary, IdentityAdversary
from sublinear_lib.claims.collector import Look, sweep_by_width
from sublinear_lib.claims.instruments import descents
from sublinear_lib.claims.stated import stated_power
from sublinear_lib.claims.topic import Budget, Collector, Rng, Topic
from sublinear_lib.losses import LOSSES, get_loss
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.scaling import PRINTED, R1, R2, R3, Scaling
from sublinear_lib.theory import CHAINS, regret
from sublinear_lib.training import DenseAdversarialTraining

topic = Topic("convergence")


# --------------------------------------------------------------------------------------------------
# Definitions C.10 and C.11
# --------------------------------------------------------------------------------------------------


@topic.check("def-c.10")
def _check_norms(look: Collector, budget: Budget, rng: Rng) -> None:
    rows = np.array([[3.0, 4.0], [5.0, -12.0], [0.0, 0.0], [-8.0, 15.0]])
    trials, largest, spread, attained = budget.pick(200, 2000), 0.0, 0.0, math.inf
    for _ in range(trials):
        A, B = rng.standard_normal((2, 12, 3)) * rng.exponential(size=(2, 12, 1))
        limit = regret.norm_2_1(A) * regret.norm_2_inf(B)
        largest = max(largest, abs(float(np.vdot(A, B))) / limit)
        aligned = A / np.linalg.norm(A, axis=1, keepdims=True)
        reached = regret.norm_2_1(A) * regret.norm_2_inf(aligned)
        attained = min(attained, float(np.vdot(A, aligned)) / reached)
        spread = max(spread, float(np.linalg.norm(A)) / (12**0.5 * regret.norm_2_inf(A)))
    look("2,1-norm of a matrix with rows of length 5, 13, 0, 17").equals(
        Fraction(regret.norm_2_1(rows)), 35
    )
    look("2,infinity-norm of that matrix").equals(Fraction(regret.norm_2_inf(rows)), 17)
    look(f"largest |<A, B>| over the product of the norms, {trials} pairs").at_most(largest, 1.0)
    look("the same at the B with the rows of A, normalized, smallest").at_least(
        attained, 1.0 - descents.ROUNDING
    )
    look(
        "largest Frobenius norm over sqrt(m) times 2,infinity-norm, as Equation (21) uses"
    ).at_most(spread, 1.0)


@topic.check("def-c.11")
def _check_gradients(look: Collector, budget: Budget, rng: Rng) -> None:
    repeats, m, n = budget.pick(6, 40), 128, 3
    smooth, step = get_loss("log-cosh"), 1e-6
    error_g, error_f, error_norm, convex, tested = 0.0, 0.0, 0.0, -math.inf, 0
    for _ in range(repeats):
        start = TwoLayerNetwork.initialize(m, 3, rng=rng)
        data = datasets.separated(n, 3, separation=0.5, rng=rng)
        X, y = data.X, np.asarray(data.y, dtype=np.float64) / 2.0
        W = start.W + 0.05 * rng.standard_normal(start.W.shape)
        now = start.with_weights(W)
        f, g = now.forward(X), PseudoNetwork(start, W).forward(X)
        of_f = now.weight_gradient(X, smooth.derivative(y, f))
        of_g = start.weight_gradient(X, smooth.derivative(y, g))
        direction = rng.standard_normal(W.shape)
        ends = [W + sign * step * direction for sign in (1.0, -1.0)]
        ahead, behind = (
            smooth.value(y, PseudoNetwork(start, end).forward(X)).mean() for end in ends
        )
        slope = float(ahead - behind) / (2.0 * step)
        error_g = max(error_g, abs(slope - float(np.vdot(of_g, direction))))
        networks = [start.with_weights(end) for end in ends]
        if all(np.array_equal(net.active_mask(X), now.active_mask(X)) for net in networks):
            tested += 1
            ahead, behind = (smooth.value(y, net.forward(X)).mean() for net in networks)
            slope = float(ahead - behind) / (2.0 * step)
            error_f = max(error_f, abs(slope - float(np.vdot(of_f, direction))))
        by_hand = sum(float(np.linalg.norm(row)) for row in of_g - of_f)
        found = regret.gradient_coupling(start, W, X, y, smooth).literal
        error_norm = max(error_norm, abs(found - by_hand) / by_hand)
        for name in LOSSES:
            form = get_loss(name)
            other = start.W + 0.2 * rng.standard_normal(W.shape)
            there = PseudoNetwork(start, other).forward(X)
            loss_here, loss_there = form.value(y, g).mean(), form.value(y, there).mean()
            tangent = start.weight_gradient(X, form.derivative(y, g))
            rise = float(loss_here - loss_there) - float(np.vdot(tangent, W - other))
            convex = max(convex, rise)
    look(f"pseudo-gradient against central differences of L(S, g), {repeats} networks").at_most(
        error_g, 1e-6
    )
    look(
        f"gradient against central differences of L(S, f) where no state changes, {tested}"
    ).at_most(error_f, 1e-6)
    look.control.exact("networks where no state changes").holds(tested >= 1, tested, ">= 1")
    look("2,1-norm of the difference against its rows, relative").at_most(
        error_norm, descents.ROUNDING
    )
    what = "L(S, g(W)) - L(S, g(W')) - <pseudo-gradient, W - W'> for four losses, largest"
    look(what).at_most(convex, descents.ROUNDING)


def _counterexample(label: float, epsilon: float, K: float) -> dict[str, Any]:
    """Run the counterexample once, from a seed that a reader can use again."""
    m = 2**16
    start = TwoLayerNetwork.initialize(m, 2, PRINTED, rng=0)
    z = start.preactivations(descents.POINT)[0]
    eta, steps = PRINTED.eta(m, epsilon), PRINTED.steps(m, K, epsilon)
    run = regret.one_point_descent(z, start.a, start.tau, label, eta, steps)
    return {
        "network": "TwoLayerNetwork.initialize(65536, 2, 'PRINTED', rng=0)",
        "point": "(sqrt(3)/2, 1/2)",
        "loss": "absolute",
        "label": label,
        "epsilon": epsilon,
        "K": K,
        "eta": eta,
        "steps": steps,
        "loss of W* = W_0": float(run.losses[0]),
        "loss after one step": float(run.losses[1]),
        "average loss": run.average,
        "allowed": float(run.losses[0]) + epsilon,
        "distance after one step": float(run.drift[1]),
        "m^(-15/24)": m ** (-15 / 24),
        "eta T |a_r|": eta * steps * PRINTED.output_weight(m),
    }


def _trainer_agrees(look: Collector, rng: Rng) -> None:
    """Compare the runs in one variable with Algorithm 1 itself."""
    m, steps, x, label = 2**10, 12, descents.POINT, descents.LABEL
    start = TwoLayerNetwork.initialize(m, 2, PRINTED, rng=rng)
    eta = PRINTED.eta(m, descents.EPSILON)
    trainer = DenseAdversarialTraining(
        adversary=ExactAdversary(rho=1.5), loss="absolute", eta=eta, steps=steps
    )
    history = trainer.fit(start, x, [label], rng=rng)
    z = start.preactivations(x)[0]
    run = regret.one_point_descent(z, start.a, start.tau, label, eta, steps)
    W = history.final.W
    coupling = regret.gradient_coupling(start, W, x, [label], "absolute")
    for name, own, other in (
        ("losses", history.loss, run.losses[:-1]),
        ("distances", history.drift_max, run.drift[1:]),
        ("last value of g", PseudoNetwork(start, W).forward(x), run.pseudo[-1:]),
        ("last coupling as defined", [coupling.literal], run.kink[-1:]),
        ("last coupling with the same derivative", [coupling.common], run.coupling[-1:]),
    ):
        told = f"Algorithm 1 against the run in one variable per neuron, {steps} steps: {name}"
        look.control(f"{told}, relative").close(zip(own, other, strict=True), 1e-9)


def _first_step(look: Collector, rng: Rng) -> None:
    """Compare what is known of the first step with samples, by hand and with the trainer."""
    m, seeds = 2**16, 20
    weight, tau, eta = (PRINTED.output_weight(m), PRINTED.tau(m), PRINTED.eta(m, descents.EPSILON))
    starts = [descents.start_of(PRINTED, m, rng) for _ in range(seeds)]
    pushes = [eta * float((a[(z > tau) & (a > 0.0)] ** 2).sum()) for z, a in starts]
    share = scaling.activity(tau, m) / 2.0
    huge = 2**100
    leading = regret.printed_step_lower_bound(huge, descents.EPSILON) + 2.0
    closed = regret.expected_first_step(
        huge, PRINTED.output_weight(huge), 0.0, PRINTED.eta(huge, descents.EPSILON)
    )
    # All a_r < 0 and f above the label: the bound is what happens.
    z, a = np.array([1.0, 3.0]), np.array([-0.125, -0.125])
    pushed = regret.one_point_descent(z, a, 0.5, -1.0, 64.0, 1).losses[1]
    look.control(
        f"eta times the sum of a_r^2 over active neurons with a_r > 0, m = {m}, {seeds} seeds"
    ).mean(
        float(np.mean(pushes)),
        eta * weight**2 * math.sqrt(m * share * (1.0 - share) / seeds),
        _first_move(m),
    )
    look.control(
        "closed form of the first step over (c/4) epsilon m^(2/5), m = 2^100, minus 1"
    ).at_most(abs(closed / leading - 1.0), 1e-9)
    look.control("two neurons, loss after one step: the lower bound, by hand 3/2").equals(
        Fraction(regret.first_step_lower_bound(z, a, 0.5, -1.0, 64.0)), Fraction(3, 2)
    )
    look.control("two neurons, loss after one step: run").equals(Fraction(pushed), Fraction(3, 2))
    _trainer_agrees(look, rng)


def _printed_theorem(look: Collector, budget: Budget, rng: Rng) -> None:
    # With the label 0 and small epsilon the run swings between |f_0| and what one step moves, and
    # the average is half of that; larger steps silence neurons and blur the power.
    widths, seeds = budget.pick(descents.widths(12, 16), descents.widths(14, 20)), 10
    K, epsilon = budget.pick((0.25, 2.0**-5), (0.125, 2.0**-6))
    told = (
        f"n = 1, d = 2, label 0, W* = W_0, K = {K:g}, epsilon = {epsilon:g}, "
        f"m = {widths[0]} to {widths[-1]}, {seeds} seeds"
    )
    runs = descents.runs(PRINTED, widths, seeds, rng, K=K, epsilon=epsilon, label=0.0)
    descents.chain(look.proof, "4.3")
    growth = Fraction(2, 5)
    look(f"slope of the average loss, {told}").power(widths, runs.average, 0, growth)
    look.repair("the same slope").power(widths, runs.average, growth, 0)
    look.simulated(
        f"average loss minus loss of W_0 minus epsilon, m = {widths[-1]}, smallest"
    ).at_most(runs.excess[:, -1].min(), 0.0)
    what = "lower bound of the loss after one step minus that loss, all runs"
    look.control(what).at_most(runs.shortfall, descents.ROUNDING)
    look.control.far("4.3 growth", _first_move)
    _first_step(look, rng)


def _two_points(m: int, rng: Rng | int) -> dict[str, float]:
    """Compare a run with the step of R1 with weights of the printed ball, on two near points.

    The weights are explicit: every row moves as far as the ball allows, in the direction that
    raises ``g(x_1) - g(x_2)`` fastest.  That difference grows like ``m^{1/5}`` over the printed
    ball.  The run can raise it by about ``0.03 K^2 / epsilon`` only, whatever m is.
    """
    K, epsilon, half = 1.0, 0.25, math.asin(0.1 / math.sqrt(0.75))
    side = math.sqrt(0.75) * np.array([[math.cos(half), math.sin(half)]])
    X = np.hstack([np.vstack([side, side * [1.0, -1.0]]), np.full((2, 1), 0.5)])
    start = TwoLayerNetwork.initialize(m, 3, PRINTED, rng=rng)
    away = regret.nearest_weights(start, X, [1.0, -1.0]) - start.W
    length = np.linalg.norm(away, axis=1, keepdims=True)
    moved = length > 1e-9 * length.max()
    radius = 0.95 * PRINTED.radius(m, K)
    far = start.W + radius * np.divide(away, length, out=np.zeros_like(away), where=moved)
    trainer = DenseAdversarialTraining(
        adversary=IdentityAdversary(),
        loss="absolute",
        eta=R1.eta(m, epsilon),
        steps=R1.steps(m, K, epsilon),
    )
    history = trainer.fit(start, X, [1.0, -1.0], rng=0)
    comparator = float(np.abs(start.with_weights(far).forward(X) - [1.0, -1.0]).mean())
    return {
        "distance of the points": float(np.linalg.norm(X[0] - X[1])),
        "radius of W* over K m^(-3/5)": regret.norm_2_inf(far - start.W) / PRINTED.radius(m, K),
        "loss of W*": comparator,
        "allowed": comparator + epsilon,
        "average loss": history.average_loss,
    }


def _both_powers(look: Collector, budget: Budget, rng: Rng) -> None:
    """Show that a smaller step size alone does not save Theorem 4.3."""
    m, seeds = budget.pick((2**16, 3), (2**20, 5))
    found = [_two_points(m, rng) for _ in range(seeds)]
    told = (
        "n = 2, d = 3, distance 1/5, labels +1 and -1, K = 1, epsilon = 1/4, "
        f"eta = epsilon m^(-3/5), T = 16, m = {m}, {seeds} seeds"
    )
    look.repair.simulated(
        f"average loss minus loss of an explicit W* in the printed ball minus epsilon, {told}"
    ).at_least(min(each["average loss"] - each["allowed"] for each in found), 0.0)
    look.control("the largest row of W* - W_0 over the radius K m^(-3/5), the same").at_most(
        max(each["radius of W* over K m^(-3/5)"] for each in found), 1.0
    )


def _first_move(m: int) -> float:
    """Return how far one step of the printed size moves f, on average."""
    eta = PRINTED.eta(m, descents.EPSILON)
    return regret.expected_first_step(m, PRINTED.output_weight(m), PRINTED.tau(m), eta)


@topic.check("thm-4.3")
def _check_convergence(look: Collector, budget: Budget, rng: Rng) -> None:
    _printed_theorem(look, budget, rng)
    widths = descents.widths(8, budget.pick(14, 18))
    repaired = descents.runs(R1, widths, 20, rng, K=2.0, epsilon=0.25)
    look.repair("exponent of the step size that the proof needs, minus that of R1").equals(
        R1.eta_exponent - CHAINS["4.3"].derived(), 0
    )
    what = f"slope of the average loss with eta = epsilon m^(-3/5), m = 2^8 to {widths[-1]}"
    descents.bounded(look.repair, what, widths, repaired.average)
    _both_powers(look, budget, rng)
    for step in ("gradient", "regret", "distance", "31/150", "29/150", "last", "coupling"):
        descents.chain(look.proof, f"C.12-{step}")
    second = {f"two points, m = 2^18: {key}": value for key, value in _two_points(2**18, 0).items()}
    look.witness |= {**_counterexample(0.0, 2.0**-5, 0.25), **second}


# --------------------------------------------------------------------------------------------------
# Remark C.13
# --------------------------------------------------------------------------------------------------


def _first_distance(m: int) -> float:
    """Return how far one step of the printed size moves a neuron."""
    return PRINTED.eta(m, descents.EPSILON) * PRINTED.output_weight(m)


@topic.check("rem-c.13")
def _check_drift(look: Collector, budget: Budget, rng: Rng) -> None:
    widths, seeds = descents.widths(8, budget.pick(16, 20)), 5
    printed = descents.runs(PRINTED, widths, seeds, rng)
    repaired = descents.runs(R1, widths, seeds, rng)
    allowed = np.array([m ** float(CHAINS["C.13"].printed) for m in widths])
    first = np.array([_first_distance(m) for m in widths])
    steps = PRINTED.steps(widths[-1], 1.0, descents.EPSILON)
    ratio = printed.first_drift / allowed
    growth = np.log(ratio[:, -1] / ratio[:, 0]) / math.log(widths[-1] / widths[0])
    whole = printed.drift / allowed
    m = widths[-1]
    descents.chain(look.proof, "C.13")
    look(f"exponent of (distance after one step) / m^(-15/24), m = 2^8 to {m}").at_most(
        growth.min(), descents.ROUNDING
    )
    look.repair("distance of that exponent from 15/24 - 2/5 = 9/40").at_most(
        np.abs(growth - 9.0 / 40.0).max(), 1e-9
    )
    look.control.far("C.13 step", _first_distance)
    look.simulated(f"D_max / m^(-15/24), m = {m}, smallest of {seeds} runs").at_most(
        whole[:, -1].min(), 1.0
    )
    what = "distance after one step over eta |a_r|, minus 1"
    look.control(what).at_most(np.abs(printed.first_drift / first - 1.0).max(), 1e-9)
    look.control("D_max over eta T |a_r|, the bound in the proof").at_most(
        (printed.drift / (steps * first)).max(), 1.0 + descents.ROUNDING
    )
    look.repair.exact("exponent of the distance with the step size of R1").holds(
        R1.drift_exponent <= CHAINS["C.13"].printed,
        R1.drift_exponent,
        f"<= {CHAINS['C.13'].printed}",
    )
    look.repair.simulated(
        f"D_max / m^(-15/24) with the step size of R1, m = {m}, largest of {seeds} runs"
    ).at_most((repaired.drift / allowed)[:, -1].max(), 1.0)
    look.witness |= _counterexample(descents.LABEL, descents.EPSILON, 1.0)


# --------------------------------------------------------------------------------------------------
# Lemma C.14
# --------------------------------------------------------------------------------------------------


class _Couplings(NamedTuple):
    """The largest coupling over a ball, and the literal one at W_0, at one point.

    The slopes of the closed forms over the same widths are what samples are compared with; they
    differ from the exponents by what is left of smaller terms.
    """

    rules: Scaling
    widths: list[int]
    tables: FloatArray
    closed: list[list[float]]
    excess: float

    def power(self, look: Look, which: int, rival: Fraction) -> None:
        """Note whether the slope of a coupling is that of its closed form."""
        look.power(self.widths, self.tables[which], self.closed[which], rival)

    def counted(self, look: Collector, which: int, what: str) -> None:
        """Compare a sum of counts with its expectation."""
        # Every width has its own weight |a_r|, which is divided out.
        seeds, a = self.tables.shape[1], [self.rules.output_weight(m) for m in self.widths]
        means = np.array(self.closed[which]) / a
        deviation = math.sqrt(seeds * float((means * (1.0 - means / self.widths)).sum()))
        span = f"{seeds} seeds, m = {self.widths[0]} to {self.widths[-1]}"
        look.control(f"{what}, {self.rules.name}, {span}, in all").mean(
            float((self.tables[which] / a).sum()), deviation, seeds * float(means.sum())
        )


_FLIPPED = "neurons flipped by the worst W of the ball"


def _worst_coupling(start: TwoLayerNetwork, delta: float) -> FloatArray:
    """Return weights of the ball that flip every neuron that can be flipped at the point."""
    s = start.preactivations(descents.POINT)[0] - start.tau
    active = start.active_mask(descents.POINT)[0]
    move = np.where(np.abs(s) < delta, np.where(active, -delta, delta), 0.0)
    W: FloatArray = start.W + move[:, None] * descents.POINT
    return W


def _couplings(
    rules: Scaling, decay: Fraction, widths: list[int], seeds: int, rng: Rng
) -> _Couplings:
    excess = [-math.inf]

    def measured(m: int) -> tuple[float, float]:
        start = TwoLayerNetwork.initialize(m, 2, rules, rng=rng)
        moved, still = _extremes(start, m ** float(-decay))
        excess.append(moved.common - moved.flip_bound)
        return moved.common, still.literal

    sized = [(m, rules.output_weight(m), rules.tau(m)) for m in widths]
    closed = [
        [regret.expected_coupling(m, a, tau, m ** float(-decay)) for m, a, tau in sized],
        [regret.expected_kink(m, a, tau) for m, a, tau in sized],
    ]
    tables = sweep_by_width(widths, seeds, measured)
    return _Couplings(rules, widths, tables, closed, max(excess))


def _extremes(
    start: TwoLayerNetwork, delta: float
) -> tuple[regret.GradientCoupling, regret.GradientCoupling]:
    """Return the largest coupling over the ball, and that at the kink of the loss at W_0."""
    x = descents.POINT
    moved = regret.gradient_coupling(start, _worst_coupling(start, delta), x, [1.0], "absolute")
    return moved, regret.gradient_coupling(start, start.W, x, [0.0], "absolute")


def _kink(m: int) -> float:
    return regret.expected_kink(m, PRINTED.output_weight(m), PRINTED.tau(m))


def _kinks_on_runs(m: int, seeds: int, rng: Rng) -> tuple[float, int, float]:
    """Follow runs with the step size of R1, and look at the steps with different signs."""
    shares, reach, tau = list[float](), 0.0, R1.tau(m)
    for _ in range(seeds):
        z, a = descents.start_of(R1, m, rng)
        run = regret.one_point_descent(z, a, tau, descents.LABEL, R1.eta(m, 0.1), 300)
        differ = (run.values - descents.LABEL) * (run.pseudo - descents.LABEL) < 0.0
        if differ.any():
            whole = R1.output_weight(m) * int(np.count_nonzero(z > tau))
            shares.append(float(run.kink[differ].min()) / whole)
        reach = max(reach, float(run.drift.max()) * m ** (15.0 / 24.0))
    return min(shares, default=0.0), len(shares), reach


@topic.check("lem-c.14")
def _check_coupling(look: Collector, budget: Budget, rng: Rng) -> None:
    widths, seeds = descents.widths(8, budget.pick(16, 20)), 20
    decay = -CHAINS["C.13"].printed
    found = _couplings(PRINTED, decay, widths, seeds, rng)
    told = f"m = 2^8 to {widths[-1]}, {seeds} seeds"
    printed, derived = CHAINS["C.14"].printed, CHAINS["C.14"].derived()
    asked = stated_power("C.14 coupling")
    long = 2 ** budget.pick(14, 18)
    share, kinked_runs, reach = _kinks_on_runs(long, 10, rng)
    m, over_ball = 2**16, descents.coupling_over(PRINTED, float(decay))
    start = TwoLayerNetwork.initialize(m, 2, PRINTED, rng=0)
    worst, still = _extremes(start, m ** float(-decay))
    common, kinked = found.tables
    more, again = asked + Fraction(1, 5), "the same slope, against that of the closed form"
    descents.chain(look.proof, "C.14")
    look(f"slope of the largest coupling in the ball m^(-15/24), same derivative, {told}").power(
        widths, common, asked, more, at_most=True
    )
    found.power(look.repair(again), 0, printed)
    look.control.far("C.14 flips", over_ball)
    look.far("C.14 coupling", over_ball, case="one derivative")
    look(f"slope of the coupling as defined, W = W_0, absolute loss, label 0, {told}").power(
        widths, kinked, asked, more, at_most=True
    )
    found.power(look.repair(again), 1, derived)
    look.far("C.14 coupling", _kink, case="as defined, W = W_0")
    look.repair.simulated(
        f"runs of 10 with the step size of R1, m = {long}, label 1/2, that have a step with "
        "different signs of f - y and g - y"
    ).holds(kinked_runs >= 1, kinked_runs, ">= 1")
    look.repair.simulated(
        "smallest coupling as defined at such a step, over |a_r| times the active neurons"
    ).at_least(share, 1.0)
    look.control("largest D_max / m^(-15/24) of those runs").at_most(reach, 1.0)
    found.counted(look, 0, _FLIPPED)
    found.counted(look, 1, "neurons in which the gradients differ at W_0, label 0")
    what = "coupling with the same derivative minus |a_r| flips"
    look.repair(what).at_most(found.excess, descents.ROUNDING)
    look.witness |= {
        "network": "TwoLayerNetwork.initialize(65536, 2, 'PRINTED', rng=0)",
        "point": "(sqrt(3)/2, 1/2)",
        "loss": "absolute",
        "largest coupling in the ball m^(-15/24), same derivative, label 1": worst.common,
        "coupling as defined at W = W_0, label 0": still.literal,
        "m^(27/50)": m ** (27 / 50),
    }


def _against_flips(look: Collector, budget: Budget, rng: Rng) -> None:
    """Compare the coupling with its bound by the flips, on networks of every kind."""
    over, sharper, equality, literal, tested = -math.inf, -math.inf, 0.0, -math.inf, 0
    cases = product((PRINTED, R1, R2, R3), (1, 3, 6), LOSSES, range(budget.pick(1, 5)))
    for rules, n, name, _ in cases:
        start = TwoLayerNetwork.initialize(512, 3, rules, rng=rng)
        data = datasets.separated(n, 3, separation=0.4, rng=rng)
        y = rng.uniform(-1.0, 1.0, n)
        size = rng.exponential() * 0.1
        W = start.W + size * rng.uniform(-1.0, 1.0, start.W.shape)
        found = regret.gradient_coupling(start, W, data.X, y, name)
        tested += 1
        over = max(over, found.common - found.mean_flip_bound)
        sharper = max(sharper, found.mean_flip_bound - found.flip_bound)
        literal = max(literal, found.literal - (found.common + found.active_bound))
        if n == 1 and name == "absolute":
            equality = max(equality, abs(found.common - found.flip_bound))
    what = f"coupling minus max |a_r| times the mean number of flips, {tested} networks"
    look(what).at_most(over, descents.ROUNDING)
    what = "mean number of flips minus the largest, times max |a_r|"
    look(what).at_most(sharper, descents.ROUNDING)
    look("n = 1, absolute loss: difference of both sides").at_most(equality, descents.ROUNDING)
    what = "coupling as printed minus (coupling + what a change of derivative adds)"
    look.control(what).at_most(literal, descents.ROUNDING)


@topic.check("lem-c.14-r")
def _check_coupling_repaired(look: Collector, budget: Budget, rng: Rng) -> None:
    _against_flips(look, budget, rng)
    widths, seeds = descents.widths(8, budget.pick(14, 18)), 16
    for rules in (R1, R2, R3):
        drift = -rules.drift_exponent
        over_run = descents.coupling_over(rules, float(drift))
        look.far("C.14-r coupling", over_run, case=rules.name)
        power = rules.coupling_exponent - max(rules.drift_exponent, -rules.beta)
        look(f"exponent of |a_r| times flips over the distance of the run, {rules.name}").equals(
            power, Fraction(1, 2)
        )
        largest = _couplings(rules, drift, widths, seeds, rng)
        what = (
            f"slope of the largest coupling over the distance m^(-{drift}), {rules.name}, m = 2^8 "
            f"to {widths[-1]}, {seeds} seeds"
        )
        largest.power(look(what), 0, CHAINS["C.14"].derived())
        largest.counted(look, 0, _FLIPPED)

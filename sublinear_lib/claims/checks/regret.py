r"""What holds instead of Theorem 4.3: Theorem D, and the sets of parameters that keep it small.

Theorem D is a bound with six terms that can be computed for a run of Algorithm 1; its check does
so, step of the proof by step of the proof.  Before changing a check, know that the adversary of
these runs is exact (d = 3), and keeps the points that it chose.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from sublinear_lib import datasets, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import AttackResult, ExactAdversary, Objective, Target, robust_loss
from sublinear_lib.claims.collector import sweep
from sublinear_lib.claims.instruments import descents
from sublinear_lib.claims.instruments.points import can_fire
from sublinear_lib.claims.stated import far_slope
from sublinear_lib.claims.topic import Budget, Collector, Rng, Topic
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.scaling import PRINTED, R1, R2, R3, Scaling
from sublinear_lib.theory import (
    caps,
    max_active_on_circle,
    max_near_on_circle,
    regret,
    worst_gap_at,
)
from sublinear_lib.training import (
    DenseAdversarialTraining,
    SublinearAdversarialTraining,
    points_of_arcs,
)

topic = Topic("regret")

_RHO = 0.1


# --------------------------------------------------------------------------------------------------
# Theorem D
# --------------------------------------------------------------------------------------------------


class _Recorder:
    """An adversary that keeps the points of its last attack."""

    def __init__(self, rho: float) -> None:
        self._exact = ExactAdversary(rho=rho)
        self.points: FloatArray = np.empty((0, 0))

    @property
    def rho(self) -> float:
        return self._exact.rho

    def __call__(
        self, network: Target, X: object, y: object, loss: str | Objective, rng: Any
    ) -> AttackResult:
        result = self._exact(network, X, y, loss, rng)
        self.points = result.X
        return result


def _fitted(start: TwoLayerNetwork, X: FloatArray, y: FloatArray) -> FloatArray:
    """Return the nearest weights that fit the labels at five points of each cap."""
    points = points_of_arcs(X, _RHO, 5)
    return regret.nearest_weights(start, points, np.repeat(y, 5) - start.forward(points))


class _Run:
    """A run of Algorithm 1 on points of the circle, whose exact adversary is recorded.

    Gamma is that at the points which the adversary chose, so that what is checked is a little
    stronger than the theorem; N(eta a T) is the maximum over the circle.
    """

    def __init__(
        self,
        start: TwoLayerNetwork,
        X: FloatArray,
        y: FloatArray,
        W_star: FloatArray,
        distances: tuple[float, float],
        epsilon: float,
        loss: str,
        rng: Rng,
    ) -> None:
        self.start, self.W_star, (self.D_F, self.D_W) = start, W_star, distances
        certified = robust_loss(start.with_weights(W_star), X, y, _RHO, loss, rng=rng)
        self.comparator, self.a = certified.upper, float(np.abs(start.a).max())
        # A distance for which the active neurons are counted.
        self.guess = 2.0 * self.a * self.D_F**2 / epsilon
        shifted = TwoLayerNetwork(
            start.W, start.a, start.b + self.guess, start.tau, start.activation
        )
        active = max_active_on_circle(shifted).count
        self.plan = plan = regret.descent_plan(self.a, active, self.D_F, epsilon)
        recorder, self.last = _Recorder(_RHO), start.W
        self.visited: list[FloatArray] = []
        self.terms: list[regret.StepTerms] = []

        def step(_: object, network: Any) -> None:
            self.visited.append(recorder.points)
            terms = regret.step_terms(start, self.last, W_star, recorder.points, y, loss)
            self.terms.append(terms)
            self.last = network().W

        trainer = SublinearAdversarialTraining(
            adversary=recorder, loss=loss, eta=plan.eta, steps=plan.steps, index="scan"
        )
        self.history = trainer.fit(start, X, y, rng=rng, callback=step)
        self.drift = float(np.max(self.history.drift_max))
        self.where = np.unique(np.concatenate(self.visited), axis=0)
        flips = max_near_on_circle(start, plan.drift).count
        self.circle_flips, self.known = flips, self.bound(plan.gradient_squared, plan.drift, flips)

    def gap(self, distance: float) -> float:
        """Return Gamma at the points of the run."""
        return regret.largest_gap(self.start, self.where, distance)

    def bound(self, gradient_squared: float, drift: float, flips: int) -> regret.RegretBound:
        """Return the right-hand side of Theorem D."""
        return regret.regret_bound(
            comparator=self.comparator,
            eta=self.plan.eta,
            steps=self.plan.steps,
            gradient_squared=gradient_squared,
            D_F=self.D_F,
            D_W=self.D_W,
            drift=drift,
            a=self.a,
            flips=flips,
            gap_run=self.gap(drift),
            gap_comparator=self.gap(self.D_W),
        )


def _three_points(rules: Scaling, m: int, epsilon: float, loss: str, rng: Rng) -> _Run:
    """Run Algorithm 1 on three points, with weights that fit their caps as W*."""
    start = TwoLayerNetwork.initialize(m, 3, rules, rng=rng)
    X, y = datasets.circle(3).X, np.array([0.5, -0.5, 0.4])
    W_star = _fitted(start, X, y)
    away = W_star - start.W
    distances = float(np.linalg.norm(away)), regret.norm_2_inf(away)
    return _Run(start, X, y, W_star, distances, epsilon, loss, rng)


def _terms_told(found: regret.RegretBound) -> str:
    return (
        f"{found.comparator:.4g} (L_A*(f_W*)) + {found.noise:.4g} (eta G^2/2) + {found.start:.4g} "
        f"(D_F^2/(2 eta T)) + {found.coupling:.4g} (coupling) + {found.gap_run:.4g} (Gamma(D)) + "
        f"{found.gap_comparator:.4g} (Gamma(D_W)) = {found.total:.4g}"
    )


def _observe(look: Collector, name: str, run: _Run) -> regret.RegretBound:
    """Report one run: every step of the proof, then both bounds; return the one measured on it."""
    plan, terms = run.plan, run.terms
    told, slack = f"{name}, {len(terms)} steps", 1.0 + descents.ROUNDING
    squares = np.array([step.gradient_squared for step in terms])
    flips = max(step.flips for step in terms)
    can_flip = max(worst_gap_at(run.start, x, run.drift).can_flip for x in run.where)
    before, after = run.known, run.bound(float(squares.mean()), run.drift, flips)
    inner = math.fsum(step.inner for step in terms)
    end = float(np.linalg.norm(run.last - run.W_star))
    telescoped = regret.telescoped(squares, run.D_F, end, plan.eta)
    average = float(np.mean([step.loss for step in terms]))
    for step in terms[0].inequalities:
        excess = max(left - right for left, right in (item.inequalities[step] for item in terms))
        what = f"{told}: {step}, left side minus right side, largest"
        look(what).at_most(excess, descents.ROUNDING)
    look(f"{told}: sum of <grad, W_t - W*> against its telescoped form, relative").at_most(
        abs(inner - telescoped) / max(1.0, abs(telescoped)), descents.ROUNDING
    )
    look.control(f"{told}: average loss measured here and by the trainer").at_most(
        abs(average - run.history.average_loss), descents.ROUNDING
    )
    look(f"{told}: largest ||grad||_F^2 over G^2").at_most(
        max(item.gradient_squared for item in terms) / plan.gradient_squared, 1.0
    )
    what = f"{told}: largest distance of a neuron over eta a T"
    look(what).at_most(run.drift / plan.drift, slack)
    what = f"{told}: eta a T over the distance for which G^2 was counted"
    look.control(what).at_most(plan.drift / run.guess, 1.0)
    look(f"{told}: L_S(f_W*) minus certified L_A*(f_W*), largest").at_most(
        max(item.comparator for item in terms) - before.comparator, descents.ROUNDING
    )
    gap, there = (max(item.gap_now for item in terms), max(item.gap_comparator for item in terms))
    what = f"{told}: |f - g - B| on the run over its supremum in the ball"
    look(what).at_most(gap / run.gap(run.drift), slack)
    what = f"{told}: |f - g - B| at W* over its supremum in the ball of radius D_W"
    look(what).at_most(there / run.gap(run.D_W), slack)
    what = f"{told}: flips on the run over those possible at its points"
    look(what).at_most(flips / can_flip, 1.0)
    what = f"{told}: flips possible on the run over N(eta a T)"
    look(what).at_most(can_flip / run.circle_flips, 1.0)
    look(f"{told}: eta G^2/2 + D_F^2/(2 eta T) over epsilon, with the bound G^2").at_most(
        before.optimization / (plan.eta * plan.gradient_squared), slack
    )
    for bound, when in ((after, "measured on the run"), (before, "known before it")):
        look(f"{told}: average robust loss, against {_terms_told(bound)}, {when}").at_most(
            average, bound.total
        )
    look(f"{told}: the bound measured on the run over the one known before it").at_most(
        after.total / before.total, slack
    )
    return after


def _equality(look: Collector, rng: Rng) -> None:
    """Look at Theorem D where it is an equality, and at its pieces where they are."""
    # One neuron far above its threshold: f falls from 2 to 1 while w moves by 2 along x.
    X, steps, weight, eta, x = descents.POINT, 8, 0.5, 0.5, descents.POINT[0]
    start = TwoLayerNetwork([4.0 * x], [weight], [0.0], tau=0.25)
    W_star = start.W - 2.0 * x
    trainer = DenseAdversarialTraining(
        adversary=ExactAdversary(rho=1.5), loss="absolute", eta=eta, steps=steps
    )
    history = trainer.fit(start, X, [1.0], rng=rng)
    drift, radius = eta * weight * steps, regret.norm_2_inf(W_star - start.W)
    reached = robust_loss(start.with_weights(W_star), X, [1.0], 1.5, "absolute", rng=rng)
    limit = regret.regret_bound(
        comparator=reached.upper,
        eta=eta,
        steps=steps,
        gradient_squared=weight**2,
        D_F=float(np.linalg.norm(W_star - start.W)),
        D_W=radius,
        drift=drift,
        a=weight,
        flips=worst_gap_at(start, x, drift).can_flip,
        gap_run=regret.largest_gap(start, X, drift),
        gap_comparator=regret.largest_gap(start, X, radius),
    )
    by_hand = regret.regret_bound(
        comparator=0.25,
        eta=0.5,
        steps=4,
        gradient_squared=2.0,
        D_F=2.0,
        D_W=3.0,
        drift=5.0,
        a=0.5,
        flips=6,
        gap_run=0.125,
        gap_comparator=0.0625,
    )
    plan = regret.descent_plan(0.5, 8.0, 1.0, 0.5)
    # Two neurons a quarter above and below the threshold 1/2, and a ball of radius 1/2.
    pair = [
        TwoLayerNetwork(np.zeros((2, 2)), [0.5, -0.25], [0.75, 0.25], 0.5, form)
        for form in ("jump", "continuous")
    ]
    network = TwoLayerNetwork.initialize(512, 2, R1, rng=rng)
    W = network.W + 0.05 * rng.standard_normal(network.W.shape)
    step = regret.step_terms(network, W, network.W, descents.POINT, [1.0], "absolute")
    look(f"one neuron, {steps} steps: |average loss - {_terms_told(limit)}|").at_most(
        abs(history.average_loss - limit.total), descents.ROUNDING
    )
    look.control("one neuron: |average loss - 9/16|").at_most(
        abs(history.average_loss - 9.0 / 16.0), descents.ROUNDING
    )
    look.control("the bound on numbers computed by hand").equals(
        Fraction(by_hand.total), Fraction(415, 16)
    )
    look.control.exact("plan for a = 1/2, k = 8, D_F = 1, epsilon = 1/2: G^2, eta, T, D").holds(
        (plan.gradient_squared, plan.eta, plan.steps, plan.drift) == (2.0, 0.25, 8, 1.0),
        f"{plan.gradient_squared}, {plan.eta}, {plan.steps}, {plan.drift}",
        "2, 1/4, 8, 1",
    )
    look.control("n = 1, absolute loss: | ||grad||_F^2 - a^2 k |").at_most(
        abs(step.gradient_squared - step.weight**2 * step.active_mean), descents.ROUNDING
    )
    look.control("n = 1, absolute loss: | ||pseudo - grad||_(2,1) - a flips |").at_most(
        abs(step.coupling - step.weight * step.flips), descents.ROUNDING
    )
    look.control("two neurons: Gamma(1/2) for the jump, by hand 1/2 * 1/2 + 1/4 * 3/4").equals(
        Fraction(regret.largest_gap(pair[0], descents.POINT, 0.5)), Fraction(7, 16)
    )
    look.control("two neurons: Gamma(1/2) for the continuous activation, by hand 1/2 * 1/4").equals(
        Fraction(regret.largest_gap(pair[1], descents.POINT, 0.5)), Fraction(1, 8)
    )
    look.control.exact("n = 1: neurons flipped by random weights").holds(
        step.flips >= 1, step.flips, ">= 1"
    )


@topic.check("thm-d")
def _check_regret(look: Collector, budget: Budget, rng: Rng) -> None:
    _equality(look, rng)
    for rules, epsilon, loss, power, telling in (
        (R1, 0.3, "absolute", budget.pick(15, 18), True),
        (R1, 0.2, "huber", budget.pick(12, 16), False),
        (R2, 0.3, "absolute", budget.pick(12, 16), False),
        (R3, 0.3, "absolute", budget.pick(10, 14), False),
    ):
        m = 2**power
        run = _three_points(rules, m, epsilon, loss, rng)
        told = f"{rules.name}, d = 3, n = 3, m = {m}, {loss} loss"
        after = _observe(look, told, run)
        if telling:
            look.repair(
                f"{told}: the bound measured on the run over the loss of its first step"
            ).at_most(after.total / run.terms[0].loss, 1.0)


# --------------------------------------------------------------------------------------------------
# Theorem 4.3 repaired, and the set R2
# --------------------------------------------------------------------------------------------------


def _vanishing(rules: Scaling) -> float:
    """Return the exponent of the terms of Theorem D that are to vanish, between huge widths."""

    def closed(m: int) -> float:
        share = scaling.activity(rules.tau(m), m)
        return regret.expected_regret(m, 1.0, 0.25, rules, share=share).vanishing

    return far_slope(closed)


def _against_comparator(
    look: Collector, rules: Scaling, m: int, K: float, epsilon: float, seeds: int, rng: Rng
) -> None:
    """Compare runs on one point with weights of the ball that fit the label."""
    excess, radius, comparator, apart, longer = -math.inf, 0.0, 0.0, 0.0, 0.0
    x, label = descents.POINT, descents.LABEL
    eta, steps = rules.eta(m, epsilon), rules.steps(m, K, epsilon)
    for _ in range(seeds):
        start = TwoLayerNetwork.initialize(m, 2, rules, rng=rng)
        wanted = label - start.forward(x)
        W_star = regret.nearest_weights(start, x, wanted)
        distance = regret.norm_2_inf(W_star - start.W)
        radius = max(radius, distance / rules.radius(m, K))
        apart = max(apart, abs(float((PseudoNetwork(start, W_star).forward(x) - wanted)[0])))
        # At one point the nearest weights move every active neuron by |wanted| / (a k).
        pull = rules.output_weight(m) * int(start.active_mask(x).sum())
        longer = max(longer, distance / (abs(float(wanted[0])) / pull) - 1.0)
        loss = abs(float(start.with_weights(W_star).forward(x)[0]) - label)
        z = start.preactivations(x)[0]
        run = regret.one_point_descent(z, start.a, start.tau, label, eta, steps, rules.activation)
        comparator = max(comparator, loss)
        excess = max(excess, run.average - loss - epsilon)
    told = f"{rules.name}, K = {K:g}, epsilon = {epsilon:g}, m = {m}, {seeds} seeds"
    look.control(f"largest ||W* - W_0||_(2,inf) over K m^-beta, {told}").at_most(radius, 1.0)
    look.control(f"|g(x; W*) - (y - B)|, largest, {told}").at_most(apart, descents.ROUNDING)
    look.control(f"||W* - W_0||_(2,inf) over |y - B| / (a k), minus 1, largest, {told}").at_most(
        longer, descents.ROUNDING
    )
    look.control(f"largest L_A*(f_W*), {told}").at_most(comparator, epsilon)
    look.simulated(f"average loss minus L_A*(f_W*) minus epsilon, largest, {told}").at_most(
        excess, 0.0
    )


def _expected_terms(look: Collector, rng: Rng) -> None:
    """Compare the closed forms of the vanishing terms with networks of R2."""
    m, seeds, K, epsilon = 2**14, 24, 1.0, 0.25
    a, D_W = R2.output_weight(m), R2.radius(m, K)
    drift = a * (m / 2.0) * D_W**2 / epsilon
    expected = regret.expected_regret(m, K, epsilon, R2, share=0.5)

    def terms(rng: Rng, m: int) -> tuple[float, float, float]:
        start = TwoLayerNetwork.initialize(m, 2, R2, rng=rng)
        far = worst_gap_at(start, descents.POINT[0], drift)
        ball = worst_gap_at(start, descents.POINT[0], D_W).half_width
        return a * far.can_flip * (drift + D_W), far.half_width, ball

    told = f"R2, K = 1, epsilon = 1/4, m = {m}, {seeds} seeds"
    for (what, closed), values in zip(
        (
            ("a N(D) (D + D_W)", expected.coupling),
            ("half-width over the ball of radius D", expected.gap_run),
            ("half-width over the ball of radius D_W", expected.gap_comparator),
        ),
        sweep([rng] * seeds, [m], terms),
        strict=True,
    ):
        # the standard error is estimated: Student's t, not normal
        look.control(f"{what}, {told}").sample(values, closed, largest=6.0)


def _shares(look: Collector, budget: Budget, rng: Rng) -> None:
    """Look at the size of S, on which the number of steps of R3 rests: it depends on d."""

    def share(power: int, d: int, rho: float) -> float:
        return caps.cap_share(math.sqrt(0.4 * power * math.log(2.0)), d, rho)

    local = math.log(share(240, 3, 0.1) / share(200, 3, 0.1)) / (40.0 * math.log(2.0))
    look.closed_form(
        "power of m in the share of neurons that can fire in a cap, R3, d = 3, rho = 0.1, between "
        "m = 2^200 and 2^240, off -1/5"
    ).at_most(abs(local + 0.2), 0.0125)
    most = max(
        share(power, d, rho) / math.exp(rho * math.sqrt(0.2 * d * log) - 0.2 * log)
        for power in (20, 40, 60, 120, 240)
        for log in (power * math.log(2.0),)
        for d, rho in ((3, 0.1), (10, 0.1), (100, 0.1), (3, 0.3), (100, 0.3), (400, 0.3))
    )
    what = "that share over m^(-1/5) exp(rho sqrt(d log(m)/5)), d = 3 to 400, m = 2^20 to 2^240"
    look.closed_form(what).at_most(most, 1.0)
    powers = (20, 40, 60)
    active = [scaling.activity(R3.tau(2**k), 2**k) for k in powers]
    for d, rho in ((3, 0.1), (100, 0.3), (400, 0.3)):
        able, asked = [share(k, d, rho) for k in powers], "more than the active share at each width"
        larger = all(a > b for a, b in zip(able, active, strict=True))
        what = f"the share for d = {d}, rho = {rho} at m = 2^20, 2^40, 2^60"
        shown = ", ".join(f"{value:.2g}" for value in able)
        look.control.closed_form(what).holds(larger, shown, asked)
    what = "the share for rho = 0.3 and d = log(m)^2 at m = 2^60: S becomes everything"
    wide = share(60, round((60 * math.log(2.0)) ** 2), 0.3)
    look.control.closed_form(what).at_least(wide, 0.99)
    m, draws, X = 2**12, budget.pick(8, 40), datasets.circle(3).X[:2]
    for d in (3, 6):
        points = np.column_stack([X[:, :2], np.zeros((2, d - 3)), X[:, 2]])
        networks = (TwoLayerNetwork.initialize(m, d, R3, rng=rng) for _ in range(draws))
        counts = [np.count_nonzero(can_fire(network, points[:1], 0.1)) for network in networks]
        p = caps.cap_share(scaling.standardize_threshold(R3.tau(m), m), d, 0.1)
        look.control(
            f"|S| for one cap, R3, d = {d}, rho = 0.1, m = {m}, {draws} networks"
        ).binomial(float(np.mean(counts)), m * p, draws, m)


def _moving_adversary(look: Collector, budget: Budget, rng: Rng) -> None:
    """Train with R3 against an adversary that moves two points, and compare beyond S with W_0."""
    m, epsilon = budget.pick(2**11, 2**14), 0.3
    start = TwoLayerNetwork.initialize(m, 3, R3, rng=rng)
    X, y = datasets.circle(3).X[:2], np.array([0.5, -0.5])
    W_star, S = _fitted(start, X, y), can_fire(start, X, _RHO)
    # W* also moves every neuron outside S, as far as any; W' leaves those where they were.
    D_W = regret.norm_2_inf(W_star - start.W)
    W_star[~S, -1] += D_W * rng.choice(np.array([-1.0, 1.0]), np.count_nonzero(~S))
    away = np.where(S[:, None], W_star - start.W, 0.0)
    D_F, allowed = float(np.linalg.norm(away)), np.count_nonzero(S) * D_W**2
    run = _Run(start, X, y, W_star, (D_F, D_W), epsilon, "absolute", rng)
    near, far = (PseudoNetwork(start, W).forward(run.where) for W in (start.W + away, W_star))
    told = f"R3, d = 3, n = 2, rho = {_RHO}, m = {m}, exact adversary, {run.plan.steps} steps"
    moved = np.linalg.norm(np.concatenate(run.visited) - np.tile(X, (len(run.visited), 1)), axis=1)
    look.control(f"how far the adversary moved a point, {told}").at_least(moved.max(), 0.9 * _RHO)
    look(f"|g(x; W') - g(x; W*)| where it went, {told}").at_most(
        np.abs(near - far).max(), descents.ROUNDING
    )
    look(f"||W' - W_0||_F^2 over |S| D_W^2, {told}").at_most(D_F**2 / allowed, 1.0)
    look.control(f"||W* - W_0||_F^2 over |S| D_W^2, {told}").at_least(
        float(np.linalg.norm(W_star - start.W)) ** 2 / allowed, 1.0
    )
    average = run.history.average_loss
    look(f"average robust loss over Theorem D with W', {told}").at_most(
        average / run.known.total, 1.0
    )
    look.simulated(f"average robust loss minus certified L_A*(f_W*) minus epsilon, {told}").at_most(
        average - run.comparator - epsilon, 0.0
    )


@topic.check("thm-4.3-r")
def _check_convergence_repaired(look: Collector, budget: Budget, rng: Rng) -> None:
    widths, seeds, epsilon = descents.widths(8, budget.pick(14, 18)), 12, 0.25
    # Theorem D's largest vanishing term decays like m^(-3/10), or m^(-1/10) up to a logarithm.
    for rules, K, slack in ((R1, 2.0, 1e-6), (R2, 2.0, 1e-6), (R3, 4.0, 1e-2)):
        descents.powers(look, rules)
        look.closed_form(
            "exponent of coupling + Gamma(D) + Gamma(D_W) between m = 2^200 and 2^240, minus "
            f"{rules.coupling_exponent}, {rules.name}"
        ).at_most(abs(_vanishing(rules) - float(rules.coupling_exponent)), slack)
        runs = descents.runs(rules, widths, seeds, rng, K=K, epsilon=epsilon)
        what = (
            f"slope of the average loss, {rules.name}, n = 1, d = 2, K = {K:g}, m = 2^8 to "
            f"{widths[-1]}, {seeds} seeds"
        )
        descents.bounded(look, what, widths, runs.average)
        _against_comparator(look, rules, widths[-1], K, epsilon, seeds, rng)
    _expected_terms(look, rng)
    _shares(look, budget, rng)
    _moving_adversary(look, budget, rng)
    look.control.closed_form("the same exponent at the printed powers, minus 2/5").at_most(
        abs(_vanishing(PRINTED) - 0.4), 1e-6
    )

r"""How the adversary changes the race of the features: Part III, adversarial training.

Before changing a check, know that the recursions are compared with training that was not told of
them, and that what noise does to them is measured over seeds
(`sublinear_lib.claims.instruments.features`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from flint import arb, ctx

from sublinear_lib._typing import FloatArray
from sublinear_lib.claims.instruments import races
from sublinear_lib.claims.topic import Budget, Collector, Rng, Topic
from sublinear_lib.features import (
    FeatureData,
    PatchNetwork,
    SmoothedReLU,
    TrainingAttack,
    TrainingSettings,
    recursion,
    training,
)
from sublinear_lib.statistics import loglog_slope

topic = Topic("feature_race")


# --------------------------------------------------------------------------------------------------
# The adversary in the race
# --------------------------------------------------------------------------------------------------


def _noisy_agreement(budget: Budget, rng: Rng) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the crossing times of training, of the coupled and of the plain recursion."""
    chosen = races.ADVERSARIAL
    done, A0, B0 = races.trained_runs(chosen, budget.pick(3, 25), rng)
    measured = np.concatenate([run.history.crossing() for run in done])
    coupled, plain = (
        recursion.feature_recursion(FeatureData(), chosen, A0, B0, coupled=way).crossing()
        for way in (True, False)
    )
    return measured, coupled, plain


@topic.check("lem-iii.5.2")
def _check_52(look: Collector, budget: Budget, rng: Rng) -> None:
    draws = budget.pick(30, 300)
    once = zero = 0.0
    damped = 0
    for _ in range(draws):
        law = replace(races.drawn_law(rng), jitter=0.0)
        act = SmoothedReLU(float(rng.choice([2.0, 2.5, 3.0, 4.0])), float(rng.choice([0.5, 9.0])))
        attack = TrainingAttack(
            eps=float(rng.uniform(0.0, 1.5)), rate=float(10 ** rng.uniform(0, 3))
        )
        chosen = TrainingSettings(activation=act, rate=0.7, steps=1, attack=attack)
        A0, B0 = rng.uniform(0.0, 1.0, (2, law.classes, 3))
        network = PatchNetwork.of_features(law, A0, B0, act)
        drawn = law.sample(2 * law.classes, rng)
        moved = attack.perturb(network, drawn.X, drawn.y)
        step = 0.7 * network.weight_gradient(moved, drawn.y)[1]
        found = PatchNetwork(network.weights - step, act)
        path = recursion.feature_recursion(law, chosen, A0, B0, coupled=True)
        # Nothing else moves: other coordinates of the filters stay 0.
        rest = np.abs(found.weights).sum() - sum(np.abs(x).sum() for x in found.alignments(law))
        once = max(once, float(rest))
        for a, b in zip(found.alignments(law), (path.A[1], path.B[1]), strict=True):
            once = max(once, float(np.abs(a - b).max() / (1 + np.abs(b).max())))
        nothing = replace(chosen, attack=replace(attack, eps=0.0))
        for coupled in (False, True):
            one, two = (
                recursion.feature_recursion(law, each, A0, B0, coupled=coupled)
                for each in (nothing, replace(chosen, attack=None))
            )
            zero = max(zero, races.relative(one.A, two.A), races.relative(one.B, two.B))
        path = recursion.feature_recursion(law, chosen, A0[:1], B0[:1], early=True)
        for x, kappa, strength in zip(
            (path.A, path.B), races.kappas(law, chosen), (law.alpha, law.beta), strict=True
        ):
            order = attack.rate * (1 - 1 / law.classes) * strength ** (act.q - 2)
            order *= (x[0, 0] ** act.q).sum() / act.rho ** (act.q - 1)
            # From eps = strength on nothing is left, and nothing grows.
            factor = max(0.0, 1 - min(attack.eps / strength, order)) ** act.q
            wanted = x[0, 0] + kappa * factor * x[0, 0] ** (act.q - 1)
            damped += not np.allclose(x[1, 0], wanted, rtol=1e-10, atol=1e-300)
    chosen = replace(races.ADVERSARIAL, steps=budget.pick(300, 1600))
    apart = races.from_recursion(chosen, rng)
    measured, joint, plain = _noisy_agreement(budget, rng)
    error, rough = (
        np.abs(times[both] / measured[both] - 1)
        for times in (joint, plain)
        for both in (np.isfinite(measured) & np.isfinite(times) & (measured > 0),)
    )
    same = np.isfinite(measured) == np.isfinite(joint)
    what = f"{draws} networks: one step of training against the coupled recursion"
    look(what).at_most(once, 1e-11)
    look(f"{chosen.steps} steps of training on clean data against it").at_most(apart, 1e-6)
    look.computed(
        "polynomial stage: steps other than kappa (1 - min(eps/alpha, ...))^q x^(q-1)"
    ).none(damped)
    look("with eps = 0 against the recursion of Lemma 5.1").at_most(zero, 0.0)
    look.simulated(
        f"with noise and jitter, {error.size} classes: relative distance of the crossing times of "
        "training and coupled recursion, median"
    ).at_most(np.median(error), 0.1)
    look.simulated("share of classes for which both cross, or neither").at_least(same.mean(), 0.8)
    look.repair.simulated("the same distance for the form without the moves across, median").holds(
        True, float(np.median(rough)), "reported"
    )


def _only_v(law: FeatureData, chosen: TrainingSettings, B0: FloatArray) -> FloatArray:
    """Train a network of v alone on clean data and return B at the end, shape (k, m)."""
    network = PatchNetwork.of_features(law, np.zeros_like(B0), B0, chosen.activation)
    trained = races.fitted(network, law.sample(law.classes, 0), chosen)
    return np.asarray(trained.alignments(law)[1])


def _pull(F: arb, k: int) -> arb:
    """Return o F for a class whose logit is F, the others 0."""
    return F * (k - 1) / (F.exp() + (k - 1))


@topic.check("prop-iii.3")
def _check_plateau(look: Collector, budget: Budget, rng: Rng) -> None:
    wrong_root = still = growing = above = checked = 0
    level_off, limit_off, weak, slopes_off = 0.0, 0.0, 0.0, -math.inf
    for _ in range(budget.pick(12, 80)):
        law = replace(
            FeatureData(noise=0.0, jitter=0.0),
            classes=int(rng.integers(2, 5)),
            nonrobust_patches=int(rng.integers(10, 90)),
            beta=float(rng.uniform(0.5, 1.5)),
            u=(),
            v=(),
        )
        k, q = law.classes, float(rng.choice([2.0, 2.5, 3.0, 4.0]))
        act = SmoothedReLU(q, 15.0)
        least = recursion.critical_rate(law, q)
        rates = least * np.array([1.05, 3.0, 30.0, 1e3, 1e5, 3e5])
        levels = []
        for rate in rates:
            attack = TrainingAttack(eps=law.beta * 1.01, rate=rate)
            chosen = TrainingSettings(activation=act, rate=15.0 ** (q - 3), attack=attack, steps=1)
            found = recursion.plateau(law, chosen)
            goal = law.nonrobust_patches * law.beta**2 / (q * rate)
            with ctx.workprec(128):
                low, high = (_pull(arb(found.logit) * (1 + s), k) for s in (-1e-9, 1e-9))
                wrong_root += not (low < goal < high)
            value = law.nonrobust_patches * law.beta**q * found.level**q / (q * 15.0 ** (q - 1))
            level_off = max(level_off, abs(value / found.logit - 1))
            early = (15.0 ** (q - 1) / (rate * (1 - 1 / k) * law.beta ** (q - 2))) ** (1 / q)
            limit_off = max(limit_off, abs(found.early_level / early - 1))
            above += found.level <= early
            levels.append(found.level)
            # Three filters that hold the level together, and a little less or more; a fourth
            # below 0 adds nothing to the logit.
            share = rng.dirichlet(np.ones(3)) ** (1 / q)
            share = np.append(share, -share[0])
            for factor, rises in ((0.97, True), (1.005, False)):
                if law.beta * found.level > 15.0:
                    continue
                B0 = np.tile(found.level * factor * share, (k, 1))
                end = _only_v(law, chosen, B0)
                checked += 1
                end, B0 = end[:, :3], B0[:, :3]
                growing += rises and not (end > B0).all()
                still += not rises and not np.array_equal(end, B0)
        slopes = np.diff(np.log(levels)) / np.diff(np.log(rates))
        slopes_off = max(slopes_off, float(slopes.max() + 1 / q))
        limit_off = max(limit_off, abs(levels[-1] / early - 1) - 1e-3)
        weak = max(weak, _weak_budget(law, act, rng))
    law = FeatureData(noise=0.0, jitter=0.0)
    reached = []
    for rate in (100.0, 300.0, 1000.0, 3000.0):
        chosen = TrainingSettings(attack=TrainingAttack(eps=1.0, rate=rate), steps=600)
        end = _only_v(law, chosen, np.full((3, 1), 0.1))
        reached.append(float(end.max()) / recursion.plateau(law, chosen).level)
    look.computed(
        f"{checked // 2} networks of v trained one step from 0.97 times the level: one with a "
        "filter above 0 that does not grow"
    ).none(growing)
    look.computed("the same from 1.005 times the level: one with such a filter that moves").none(
        still
    )
    look.certified(
        "levels whose logit does not solve o F = P_NR beta^2 / (q eta~), smaller root"
    ).none(wrong_root)
    look("logit of the level against P_NR beta^q level^q / (q rho^(q-1)), relative").at_most(
        level_off, 1e-9
    )
    look.computed("levels that are not above the power law").none(above)
    look(
        "distance of the power law from the library, and of the level at 3e5 times the critical "
        "rate from it beyond 1e-3"
    ).at_most(limit_off, 1e-9)
    look("slopes of log level in log eta~, plus 1/q: largest").at_most(slopes_off, 0.0)
    look(
        "growth at the level with eps < beta against the factors (1 - eps/beta)^q and of 1 - logit"
    ).at_most(weak, 1e-9)
    look(
        "B after 600 steps of training on v alone, eta~ = 100 to 3000, over the level: least"
    ).at_least(min(reached), 0.9)
    look("the same, largest").at_most(max(reached), 1.0)


def _weak_budget(law: FeatureData, act: SmoothedReLU, rng: Rng) -> float:
    """Return how far growth at a level that a weak budget cannot stop is from the factor."""
    share = float(rng.uniform(0.1, 0.9))
    attack = TrainingAttack(eps=share * law.beta, rate=50 * recursion.critical_rate(law, act.q))
    chosen = TrainingSettings(activation=act, steps=1, attack=attack)
    B0 = [recursion.plateau(law, chosen).level]
    grown, free = (
        recursion.feature_recursion(law, each, [0.0], B0).B[1, 0, 0] - B0[0]
        for each in (chosen, replace(chosen, attack=None))
    )
    F = law.nonrobust_patches * act.value(np.array([1.0, 1.0 - share]) * law.beta * B0[0])
    o, o_attacked = 1.0 / (np.exp(F) + law.classes - 1)
    return float(abs(grown / (free * (1 - share) ** act.q * o_attacked / o) - 1))


@topic.check("prop-iii.4")
def _check_rate(look: Collector, budget: Budget, rng: Rng) -> None:
    boxes = budget.pick(600, 20_000)
    exceeded, missed, formula = 0, 0, 0.0
    for k in (2, 3, 10, 1000):
        with ctx.workprec(128):
            peak = (arb(k - 1) / arb(1).exp()).lambertw()
            edges = np.linspace(0.0, 30.0, boxes + 1).tolist()
            for low, high in itertools.pairwise(edges):
                # The factor F grows and the other falls: their ends bound the product.
                top = arb(high) * (k - 1) / (arb(low).exp() + (k - 1))
                exceeded += not top <= peak + (high - low) * 1.01
            missed += not abs(_pull(1 + peak, k) - peak) < 1e-30
        for q in (1.5, 2.0, 3.0, 4.0):
            law = replace(
                FeatureData(), classes=k, dim=2 * k, beta=float(rng.uniform(0.2, 2)), u=(), v=()
            )
            wanted = law.nonrobust_patches * law.beta**2 / (q * float(peak))
            formula = max(formula, abs(recursion.critical_rate(law, q) / wanted - 1))
    largest = 0.0
    for q in (2.0, 3.0, 4.0):
        law = FeatureData(noise=0.0, jitter=0.0, nonrobust_patches=int(rng.integers(20, 80)))
        act, star = SmoothedReLU(q, 15.0), recursion.critical_rate(law, q)
        B = np.geomspace(0.01, 14.0, budget.pick(40, 400))
        F = law.nonrobust_patches * act.value(B)
        for part in (0.3, 0.9, 0.999):
            # What the library's own attack takes of v, from a gradient that knows no formula.
            attack = TrainingAttack(eps=law.beta, rate=part * star)
            for b in B[F < 600].tolist():
                network = PatchNetwork.of_features(law, [0.0], [b], act)
                drawn = law.sample(1, 0)
                left = attack.perturb(network, drawn.X, drawn.y)[0, -1, law.v[0]]
                largest = max(largest, (1 - float(left)) / part)
    law = FeatureData(noise=0.0, jitter=0.0)
    star = recursion.critical_rate(law, 3)
    ends = []
    for part in (0.9, 1.1):
        attack = TrainingAttack(eps=1.0, rate=part * star)
        chosen = TrainingSettings(attack=attack, steps=budget.pick(1500, 6000))
        ends.append(float(_only_v(law, chosen, np.full((3, 1), 0.5)).max()))
    look.certified(
        f"boxes of 0 <= F <= 30, of {boxes} for each of k = 2, 3, 10, 1000, on which o F might "
        "exceed W((k-1)/e) by more than the width"
    ).none(exceeded)
    look.certified("values of o F at F = 1 + W that are not W").none(missed)
    what = "critical rate of the library against P_NR beta^2 / (q W), relative"
    look(what).at_most(formula, 1e-12)
    what = "share of beta that the attack takes, over eta~ / eta~*: largest"
    look(what).at_most(largest, 1.0 + 1e-9)
    look("the same, largest, from below: the bound is reached").at_least(largest, 0.97)
    look("B of training on v alone at 0.9 eta~*").at_least(ends[0], 3.5)
    look("B of training on v alone at 1.1 eta~*, over the level").at_most(
        ends[1] / recursion.plateau(law, replace(chosen, attack=attack)).level, 1.0
    )


@topic.check("prop-iii.5")
def _check_budget(look: Collector, budget: Budget, rng: Rng) -> None:
    uneven, sides, risen, late, formula = 0, 0, 0, 0, 0.0
    draws = budget.pick(60, 600)
    for _ in range(draws):
        # q = 3, and a ratio of the starts for which r is rational.
        P_R, P_NR = int(rng.integers(1, 5)), int(rng.integers(1, 80))
        beta = Fraction(int(rng.integers(1, 16)), 8)
        alpha = beta + Fraction(int(rng.integers(1, 24)), 8)
        r = alpha / beta + Fraction(int(rng.integers(1, 40)), 8)
        starts = r**3 * P_R / P_NR
        star = (r * beta - alpha) / (r - 1)

        def ratio(eps: Fraction) -> Fraction:
            return starts * P_NR * (beta - eps) ** 3 / (P_R * (alpha - eps) ** 3)  # noqa: B023

        uneven += ratio(star) != 1
        late += not 0 < star < beta
        gap = min(star, beta - star) / 10**9
        sides += not ratio(star - gap) > 1 > ratio(star + gap)
        grid = [ratio(beta * i / 16) for i in range(17)]
        risen += any(b >= a for a, b in itertools.pairwise(grid)) or grid[-1] != 0
        law = FeatureData(
            robust_patches=P_R, nonrobust_patches=P_NR, alpha=float(alpha), beta=float(beta)
        )
        found = recursion.critical_budget(law, 3, start_ratio=float(starts))
        formula = max(formula, abs(found / float(star) - 1))
    wrong = 0
    exponents: tuple[float, ...] = budget.pick((3.0,), (2.5, 3.0, 4.0))
    for q in exponents:
        law = FeatureData(noise=0.0, jitter=0.0, nonrobust_patches=150)
        for lead in (1.0, 0.8):
            even = recursion.critical_budget(law, q, start_ratio=lead)
            for eps, robust in ((even - 0.03, False), (even + 0.03, True), (law.beta, True)):
                attack = TrainingAttack(eps=eps, rule="sign")
                chosen = TrainingSettings(
                    activation=SmoothedReLU(q, 15.0),
                    rate=150.0 ** (q - 1) / 50,
                    steps=3000,
                    attack=attack,
                )
                path = recursion.feature_recursion(law, chosen, [0.1], [0.1 * lead], early=True)
                A, B = path.A[:, 0, 0], path.B[:, 0, 0]
                end = int(np.argmax((A > 100) | (B > 100)))
                wrong += end == 0 or bool(A[end] > B[end]) != robust
    law = FeatureData()
    main = recursion.critical_budget(law, 3)
    powers = ", ".join(f"{q:g}" for q in exponents)
    look(f"{draws} races, exact: not even at eps* = (r beta - alpha)/(r - 1)").none(uneven)
    look("of these: v not ahead just below eps*, or u not just above").none(sides)
    look("of these: a ratio that does not fall on [0, beta] to 0").none(risen)
    look("of these: eps* not between 0 and beta").none(late)
    look("eps* of the library, relative").at_most(formula, 1e-9)
    look.computed(
        f"recursions with the strong attack, eps* -+ 0.03 and eps = beta, q = {powers}: won by the "
        "other feature"
    ).none(wrong)
    look("distance of eps* of the main configuration from 0.3139").at_most(abs(main - 0.3139), 5e-5)
    look.control.computed("no budget is needed where u is ahead anyway: other values than 0").none(
        int(recursion.critical_budget(law, 4) != 0.0)
    )


def _starts(classes: int, rng: Rng) -> tuple[FloatArray, FloatArray]:
    """Draw first filters as training does: 12 of each class, normal, of size 0.05."""
    A, B = 0.05 * rng.normal(size=(2, classes, 12))
    return A, B


@topic.check("prop-iii.6")
def _check_transition(look: Collector, budget: Budget, rng: Rng) -> None:
    law, act = FeatureData(noise=0.0, jitter=0.0), SmoothedReLU(3, 15.0)
    rates = np.array([100.0, 300.0, 1000.0, 3000.0])
    early, late, passages, least = 0, 0, 0, math.inf
    kappa = races.kappas(law, races.ADVERSARIAL)[0]
    A0, B0 = _starts(budget.pick(8, 40), rng)
    first = A0.max(axis=1)
    for rate in rates[:: budget.pick(3, 1)]:
        attack = TrainingAttack(eps=0.9, rate=rate)
        chosen = TrainingSettings(attack=attack, steps=1800)
        path = recursion.feature_recursion(law, chosen, A0, B0)
        lead = path.leaders()[0]
        logit = law.robust_patches * act.value(law.alpha * path.A).sum(axis=2)
        logit += law.nonrobust_patches * act.value(law.beta * path.B).sum(axis=2)
        o = (law.classes - 1) / (np.exp(logit) + law.classes - 1)
        for X in (0.3, 0.6, 1.0):
            for i, start in enumerate(first.tolist()):
                if lead[-1, i] < X:
                    continue
                T = int(np.argmax(lead[:, i] >= X))
                slowest = float(o[:T, i].min()) * law.classes / (law.classes - 1)
                damped = kappa * (1 - 0.9 / law.alpha) ** 3 * slowest
                early += (1 / start - 1 / X) / kappa * (1 - 1e-12) > T
                late += 1 + (1 / start - 1 / X) / damped * (1 + damped * X) ** 2 < T
                passages += 1
                if 2 * start <= X:
                    least = min(least, T * 2 * kappa * start)
    brackets, damped = [], kappa * 0.7**3
    for rate in rates:
        chosen = replace(races.ADVERSARIAL, attack=replace(races.MAIN, rate=rate))
        level = recursion.plateau(law, chosen).level
        low, high = recursion.transition_bracket(law, chosen, 0.1)
        brackets.append((low, (10 - 1 / level) / kappa))
        brackets.append((high, 1 + (10 - 1 / level) / damped * (1 + damped * level) ** 2))
    A0, B0 = _starts(budget.pick(12, 60), rng)
    chosen = TrainingSettings(steps=budget.pick(1800, 3000))
    times = recursion.phase_diagram(law, chosen, A0, B0, [0.9], rates, coupled=True).crossing[0].T
    kept = times[(np.isfinite(times) & (times > 0)).all(axis=1)]
    slope = loglog_slope(rates, kept, 0.95)
    look.computed(
        f"{passages} passages of the best A through 0.3, 0.6, 1, eta~ = 100 to 3000: earlier than "
        "the lower bound"
    ).none(early)
    look.computed("the same: later than the upper bound").none(late)
    look("passages through X >= 2 A_0 over A_0^(2-q) / (2 (q-2) kappa): least").at_least(least, 1.0)
    what = "the bracket of the library against the statement at X = the level, o = 1 - 1/k"
    look(what).close(brackets, 1e-9)
    look.simulated(
        f"slope of the crossing time in log eta~, coupled recursion, {len(kept)} classes"
    ).holds(
        slope.lower > -0.1 and slope.upper < 0.3, slope, "interval between -0.1 and 0.3: not -1"
    )
    look.control("classes that cross at every rate, of those drawn").at_least(
        len(kept) / len(times), 0.5
    )
    _trained_transition(look, budget, rng)


def _trained_transition(look: Collector, budget: Budget, rng: Rng) -> None:
    """Compare the crossing times of training at two rates, ten-fold apart."""
    quotients: list[float] = []
    runs, steps = budget.pick(1, 12), budget.pick(1300, 1600)
    for _ in range(runs):
        seed = int(rng.integers(2**31))
        slow, fast = (
            training.train_features(
                FeatureData(),
                TrainingSettings(attack=replace(races.MAIN, rate=rate), steps=steps),
                seed,
            ).history.crossing()
            for rate in (100.0, 1000.0)
        )
        both = np.isfinite(slow) & np.isfinite(fast) & (slow > 0)
        quotients += (fast[both] / slow[both]).tolist()
    middle = float(np.median(quotients)) if quotients else math.inf
    look.simulated(
        f"training, {runs} seeds, {len(quotients)} classes: crossing time at eta~ = 1000 over that "
        "at 100, median"
    ).holds(0.5 < middle < 2.0, middle, "above 1/2; of the order 1/eta~ it would be 1/10")


def _spectrum(
    points: Sequence[tuple[float, float]], runs: int, rng: Rng
) -> tuple[list[list[float]], int, int]:
    """Train at points (eps, rate); return shares of u, and how many classes are as predicted."""
    shares: list[list[float]] = []
    same = total = 0
    for eps, rate in points:
        chosen = TrainingSettings(attack=TrainingAttack(eps=eps, rate=rate))
        done, A0, B0 = races.trained_runs(chosen, runs, rng)
        measured = np.concatenate([run.network.shares(run.data.law).share for run in done])
        found = recursion.phase_diagram(FeatureData(), chosen, A0, B0, [eps], [rate], coupled=True)
        predicted = found.share[0, 0]
        same += int(((predicted > 0.5) == (measured > 0.5)).sum())
        total += measured.size
        shares.append(measured.reshape(runs, -1).mean(axis=1).tolist())
    return shares, same, total


@topic.check("prop-iii.7")
def _check_spectrum(look: Collector, budget: Budget, rng: Rng) -> None:
    points: list[tuple[float, float]] = budget.pick(
        [(0.4, 300.0), (0.9, 300.0), (0.9, 20.0)],
        [(eps, 300.0) for eps in (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2)]
        + [(0.9, 20.0), (0.9, 3000.0)],
    )
    runs = budget.pick(1, 4)
    shares, same, total = _spectrum(points, runs, rng)
    weak, strong, slow = (list[float]() for _ in range(3))
    for (eps, rate), found in zip(points, shares, strict=True):
        if rate == 20.0:
            slow += found
        elif rate == 300.0 and eps <= 0.5:
            weak += found
        elif rate == 300.0 and 0.8 <= eps <= 1.0:
            strong += found
    A0, B0 = _starts(budget.pick(6, 30), rng)
    grid = np.linspace(0.0, 1.2, budget.pick(7, 25))
    rates = np.array([20.0, 40.0, 100.0, 300.0, 1000.0, 1e4])
    share = recursion.phase_diagram(
        FeatureData(), TrainingSettings(), A0, B0, grid, rates, coupled=True
    ).share.mean(axis=2)
    walls = [float(grid[np.argmax(share[:, j] > 0.5)]) for j in range(2, 6)]
    seen = races.Seeds(look, budget)
    seen.share(
        f"classes, at {len(points)} points (eps, eta~), {runs * len(points)} seeds, that learn "
        "what the coupled recursion predicts",
        same,
        total,
        0.75,
    )
    seen.average("training, eta~ = 300: mean share of u for eps = 0.8 to 1", strong, 0.5)
    seen.average("the same for eps <= 0.5", weak, 0.5, below=True)
    seen.average("training, eps = 0.9, eta~ = 20: mean share of u", slow, 0.5, below=True)
    look(f"recursion, {len(A0)} classes: mean share of u at eta~ = 20 and 40, any eps").at_most(
        share[:, :2].max(), 0.5
    )
    look(
        "recursion: budget from which u has more than half, at eta~ = 100, less that at 10^4"
    ).at_least(walls[0] - walls[-1], 0.05)
    look("recursion: the least of these budgets over eps*").at_least(
        min(walls) / recursion.critical_budget(FeatureData(), 3), 1.0
    )

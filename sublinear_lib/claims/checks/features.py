r"""Claims of Part III, feature learning: the two kinds of features, the race, the window.

After Li and Li (2025), whose text was not at hand: what is recorded here is what their abstract and
their public reviews say of it, with our constants and our proofs, and each remark says which part
is whose.  The formulas are in :mod:`sublinear_lib.features`; a check only compares.  Before
changing one, know how each is decided.  Statements about networks of pure features are evaluated in
fractions, those about recursions by comparing them with gradients that were not told of them.  What
is only measured says so: it asks for intervals over seeds, the same in both budgets, and the quick
one, which has few seeds, sets aside what they cannot decide.  An attack that finds nothing is never
evidence; a certificate is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from flint import arb, ctx

from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.claims import Budget, Outcome, Role
from sublinear_lib.claims.collector import Collector, Rng
from sublinear_lib.claims.topic import Topic
from sublinear_lib.features import (
    GELU,
    FeatureData,
    FeatureRun,
    PatchData,
    PatchNetwork,
    ReLU,
    SmoothedReLU,
    Softplus,
    TrainingAttack,
    TrainingSettings,
    attacks,
    certify,
    images,
    recursion,
    studies,
    training,
)
from sublinear_lib.statistics import Interval, clopper_pearson, loglog_slope, t_interval

__all__ = ["CLAIMS"]

topic = Topic("features")


_TEST = 0.52  # the test budget of the book, inside the window of the main configuration
_MAIN = TrainingAttack(eps=0.9, rate=300.0)
_STANDARD = TrainingSettings(steps=800)  # after 400 some classes have not begun
_ADVERSARIAL = TrainingSettings(attack=_MAIN)


def _over_seeds(
    look: Collector,
    what: str,
    found: Interval | float,
    limit: float,
    budget: Budget,
    *,
    below: bool = False,
) -> None:
    """Note on which side of a number an interval over seeds lies; both budgets ask for the same.

    An interval that contains the number decides nothing, nor does a mean without one.  Then the
    full budget leaves the verdict open; the quick one, which has few seeds, sets the clause aside.
    """
    holds = fails = False
    if isinstance(found, Interval):
        left, right = found.upper <= limit, found.lower >= limit
        holds, fails = (left, right) if below else (right, left)
    outcome = Outcome.YES if holds else Outcome.NO if fails else Outcome.OPEN
    few = outcome is Outcome.OPEN and budget is Budget.QUICK
    asked = f"interval {'below' if below else 'above'} {limit:g}"
    if few:
        asked += "; these seeds are too few, the full budget has more"
    role = Role.ASIDE if few else Role.STATEMENT
    look.on(role).simulated(what).note(outcome, found, asked)


def _most(look: Collector, what: str, yes: int, of: int, budget: Budget) -> None:
    """Note whether something happens in more than half of the seeds."""
    found = clopper_pearson(yes, of, 0.95)
    _over_seeds(look, f"{what}: {yes} of {of} seeds", found, 0.5, budget)


def _mean(
    look: Collector,
    what: str,
    values: Sequence[float],
    limit: float,
    budget: Budget,
    *,
    below: bool = False,
) -> None:
    """Note whether the mean of shares over seeds is on one side of a number."""
    mean = t_interval(values, 0.95)
    found = Interval(mean.estimate, max(0.0, mean.lower), min(1.0, mean.upper), 0.95)
    _over_seeds(look, f"{what}, {len(values)} seeds", found, limit, budget, below=below)


def _average(
    look: Collector,
    what: str,
    values: Sequence[float],
    limit: float,
    budget: Budget,
    *,
    below: bool = False,
) -> None:
    """Note whether the mean over seeds is on one side of a number."""
    text = f"{what}, {len(values)} {'seed' if len(values) == 1 else 'seeds'}"
    found = t_interval(values, 0.95) if len(values) > 2 else float(np.mean(values))
    _over_seeds(look, text, found, limit, budget, below=below)


# --------------------------------------------------------------------------------------------------
# Networks of pure features, in exact arithmetic
# --------------------------------------------------------------------------------------------------


def _act(z: Fraction, q: int, rho: Fraction) -> Fraction:
    """Return the smoothed ReLU in exact arithmetic."""
    if z <= 0:
        return Fraction(0)
    return z**q / (q * rho ** (q - 1)) if z <= rho else z - rho * Fraction(q - 1, q)


def _exact_logits(network: PatchNetwork, x: FloatArray) -> list[Fraction]:
    """Evaluate a network with a smoothed ReLU of whole exponent at one input."""
    act = network.activation
    assert isinstance(act, SmoothedReLU) and isinstance(act.q, int)
    q, rho = act.q, Fraction(act.rho)
    rows = [[(d, Fraction(v)) for d, v in enumerate(row) if v] for row in x.tolist()]
    logits = []
    for block in network.weights.tolist():
        filters = [[Fraction(value) for value in w] for w in block]
        total = Fraction(0)
        for w in filters:
            for row in rows:
                total += _act(sum((w[d] * v for d, v in row), Fraction(0)), q, rho)
        logits.append(total)
    return logits


def _drawn_law(rng: Rng, jitter: float = 0.0) -> FeatureData:
    """Draw data without noise: strengths, numbers of patches and classes."""
    k = int(rng.integers(2, 5))
    return FeatureData(
        classes=k,
        dim=2 * k + 1,
        robust_patches=int(rng.integers(1, 4)),
        nonrobust_patches=int(rng.integers(1, 21)),
        alpha=int(rng.integers(8, 33)) / 8,
        beta=int(rng.integers(2, 17)) / 8,
        jitter=jitter,
        noise=0.0,
    )


def _drawn_act(rng: Rng) -> SmoothedReLU:
    return SmoothedReLU(int(rng.integers(2, 5)), int(rng.integers(1, 33)) / 8)


@topic.check("prop-iii.3.1")
def _check_31(look: Collector, budget: Budget, rng: Rng) -> None:
    draws = budget.pick(40, 400)
    outside = own = target = unbroken = off = tried = missed = 0
    for _ in range(draws):
        law = _drawn_law(rng, jitter=0.25)
        # Signs as they come; some classes may have no positive filter.
        B = rng.integers(-8, 9, (law.classes, 3)) / 8
        network = PatchNetwork.of_features(law, np.zeros_like(B), B, _drawn_act(rng))
        act = network.activation
        assert isinstance(act, SmoothedReLU) and isinstance(act.q, int)
        drawn = law.sample(law.classes, rng)
        eps = float(drawn.beta.max()) * float(rng.choice([1.0, 1.5]))
        targets = (drawn.y + rng.integers(1, law.classes, drawn.y.shape)) % law.classes
        delta = attacks.feature_perturbation(drawn, eps, "prop_3_1", targets)
        outside += int((np.abs(delta) > eps).sum())
        moved = drawn.X + delta
        for x, y, j in zip(moved, drawn.y.tolist(), targets.tolist(), strict=True):
            F = _exact_logits(network, x)
            each = [_act(Fraction(eps) * Fraction(b), act.q, Fraction(act.rho)) for b in B[j]]
            own += F[y] != 0
            target += F[j] != law.nonrobust_patches * sum(each)
            unbroken += any(b > 0 for b in B[j].tolist()) and F[j] <= F[y]
            off += any(
                abs(float(a) - b) > 1e-12 * (1 + abs(b))
                for a, b in zip(F, network(x[None])[0].tolist(), strict=True)
            )
            tried += 1
        found = attacks.feature_attack(
            PatchNetwork.of_features(law, [0.0], [1.0], act), drawn, eps, "prop_3_1"
        )
        missed += found.error < 1.0
    law = FeatureData()
    network = PatchNetwork.of_features(law, [0.0], [1.0])
    fresh = law.sample(60, rng)
    below = 0.9 * (1 - law.jitter) * recursion.robustness_window(law, 3).lower
    noisy = attacks.feature_attack(network, fresh, 1.05 * law.beta, "prop_3_1").error
    safe = certify.certify_patches(network, fresh.X, fresh.y, below).error
    look(f"attacked inputs, of {tried} with signed filters, on which F_y is not 0").none(own)
    look("of these, F_j is not the sum of act(eps B_jr) over the patches of v").none(target)
    look("of these, a class j with a positive filter that is not at least as large").none(unbroken)
    look("coordinates of the perturbation beyond eps").none(outside)
    look.computed("symmetric networks of v for which the attack spares an input").none(missed)
    look.computed("error at eps = 1.05 beta, main configuration with noise and jitter").holds(
        noisy == 1.0, noisy, "= 1"
    )
    look.control("logits by the library that differ from exact ones").none(off)
    look.control.certified(f"certified error of the same network at eps = {below:.3f}").at_most(
        safe, 0.0
    )


@topic.check("prop-iii.3.2")
def _check_32(look: Collector, budget: Budget, rng: Rng) -> None:
    """State what is cited, and see where our reading of it holds and where it does not."""
    law = FeatureData()
    network = PatchNetwork.of_features(law, [1.0], [0.0])
    fresh = law.sample(budget.pick(60, 600), rng)
    inside = certify.certify_patches(network, fresh.X, fresh.y, _TEST).error
    erased = attacks.feature_attack(network, fresh, law.beta, "swap_v").error
    injected = attacks.feature_attack(network, fresh, law.beta, "inject_u").error
    look.cited("Li and Li (2025), as the reviews restate Proposition 3.2").holds(
        True,
        "a network that uses the robust features only is robust",
        "the statement that is cited",
    )
    look.control.certified(
        f"certified error of a network of u at eps = {_TEST}, main configuration"
    ).at_most(inside, 0.0)
    look.control("its error at eps = beta when v_y is erased and another v injected").at_most(
        erased, 0.0
    )
    look.repair.computed(
        "its error at eps = beta when another u is injected into all patches"
    ).holds(injected == 1.0, injected, "= 1: under our reading the proposition asks for more")


# --------------------------------------------------------------------------------------------------
# The race
# --------------------------------------------------------------------------------------------------


def _relative(found: FloatArray, wanted: FloatArray) -> float:
    """Return the largest distance, over the largest size."""
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def _kappas(law: FeatureData, chosen: TrainingSettings) -> tuple[float, float]:
    """Return the growth rates of the polynomial stage, as the statement has them."""
    act = chosen.activation
    assert isinstance(act, SmoothedReLU)
    common = chosen.rate / law.classes * (1 - 1 / law.classes) / act.rho ** (act.q - 1)
    return (
        common * law.robust_patches * law.alpha**act.q,
        common * law.nonrobust_patches * law.beta**act.q,
    )


@topic.check("lem-iii.5.1")
def _check_51(look: Collector, budget: Budget, rng: Rng) -> None:
    draws, runs = budget.pick((30, 2), (300, 25))
    worst = constants = 0.0
    grown = early = 0
    for _ in range(draws):
        law = _drawn_law(rng, jitter=0.3)
        act = SmoothedReLU(
            float(rng.choice([1.5, 2.0, 2.5, 3.0, 4.0])), float(rng.choice([0.3, 9]))
        )
        weights = rng.normal(size=(law.classes, 3, law.dim))
        network = PatchNetwork(weights, act)
        drawn = law.sample(9, rng, balanced=False)
        F = network(drawn.X)
        F -= F.max(axis=1, keepdims=True)
        own = np.exp(F)[np.arange(9), drawn.y]
        o = (np.exp(F).sum(axis=1) - own) / np.exp(F).sum(axis=1)
        gradient = network.weight_gradient(drawn.X, drawn.y)[1]
        for places, strengths in ((law.u, drawn.alpha), (law.v, drawn.beta)):
            for i, place in enumerate(places):
                rows = drawn.y == i
                if not rows.any():
                    continue
                z = strengths[rows][:, :, None] * weights[i, :, place]
                slope = (np.clip(z, 0.0, act.rho) / act.rho) ** (act.q - 1)
                each = o[rows][:, None, None] * strengths[rows][:, :, None] * slope
                wanted = each.sum(axis=(0, 1)) / 9
                found = -gradient[i, :, place]
                worst = max(worst, float(np.abs(found - wanted).max() / (1e-3 + wanted.max())))
                others = [j for j in range(law.classes) if j != i]
                grown += int((gradient[others, :, place] < 0).sum())
        chosen = TrainingSettings(activation=act, rate=float(rng.uniform(0.1, 2.0)), steps=1)
        kappas = np.array(_kappas(law, chosen))
        constants = max(constants, _relative(np.array(recursion.growth_rates(law, chosen)), kappas))
        start = rng.uniform(0.01, 0.5, 2)
        path = recursion.feature_recursion(law, chosen, start[:1], start[1:], early=True)
        moved = np.array([path.A[1, 0, 0], path.B[1, 0, 0]])
        early += not np.allclose(moved, start + kappas * start ** (act.q - 1), rtol=1e-11, atol=0)
    law = FeatureData(noise=0.0, jitter=0.0)
    chosen = replace(_STANDARD, steps=budget.pick(150, 400))
    A0, B0 = rng.uniform(0.02, 0.2, (2, 3, 4))
    network = PatchNetwork.of_features(law, A0, B0)
    drawn = law.sample(6, rng)
    trained, _ = training.fit(network, drawn.X, drawn.y, rate=chosen.rate, steps=chosen.steps)
    path = recursion.feature_recursion(law, chosen, A0, B0)
    ends = zip(trained.alignments(law), (path.A[-1], path.B[-1]), strict=True)
    apart = max(_relative(a, b) for a, b in ends)
    noisy = [
        studies.agreement_record("standard", rng, coupled=False)["mean_B"] for _ in range(runs)
    ]
    look(
        f"{draws} networks with all cross features, jitter 0.3: relative distance of the gradient "
        "from the sums of the lemma"
    ).at_most(worst, 1e-9)
    look.computed("filters of another class whose coordinate of u_i or v_i would grow").none(grown)
    look(f"training for {chosen.steps} steps on clean data against the recursion").at_most(
        apart, 1e-9
    )
    look.computed("first steps of the polynomial stage other than x + kappa x^(q-1)").none(early)
    look("growth rates of the library against the statement").at_most(constants, 1e-13)
    _average(
        look,
        "with noise and jitter: mean distance of the best B from the recursion over its "
        "largest value, mean",
        noisy,
        0.02,
        budget,
        below=True,
    )


def _escapes(look: Collector, budget: Budget, rng: Rng) -> tuple[str, int, float]:
    """Follow the map with rigorous enclosures and compare with the two bounds; return the rest."""
    early = late = unsure = 0
    formula = 0.0
    steps = 0
    with ctx.workprec(256):
        for _ in range(budget.pick(40, 400)):
            q = float(rng.choice([1.25, 1.5, 2.0, 2.5, 3.0, 4.0]))
            start, kappa = float(rng.uniform(0.02, 1.0)), float(10 ** rng.uniform(-2.3, -0.3))
            end = start * float(rng.uniform(1.5, 20.0))
            lower, upper = recursion.escape_time(start, end, kappa, q)
            tau = (
                math.log(end / start) if q == 2 else (start ** (2 - q) - end ** (2 - q)) / (q - 2)
            ) / kappa
            most = kappa * (end if q >= 2 else start) ** (q - 2)
            formula = max(formula, abs(lower / tau - 1))
            formula = max(formula, abs(upper / (1 + tau * (1 + most) ** (q - 1)) - 1))
            if upper > 3000:
                continue
            x, goal, T = arb(start), arb(end), 0
            while x < goal:
                x += arb(kappa) * x ** arb(q - 1)
                T += 1
            unsure += not x >= goal
            early += lower * (1 - 1e-12) > T
            late += upper * (1 + 1e-12) < T
            steps += T
    what = f"escapes of x + kappa x^(q-1), q = 1.25 to 4, {steps} steps enclosed"
    look.certified(f"{what}: earlier than the lower bound").none(early)
    look.certified(f"{what}: later than the upper bound").none(late)
    return what, unsure, formula


@topic.check("prop-iii.2")
def _check_race(look: Collector, budget: Budget, rng: Rng) -> None:
    rows, steps = budget.pick((100, 800), (800, 2000))
    escaped = told = other = 0
    beyond = ratios = 0.0
    nearest: list[float] = []
    rho = 60.0
    for q in (2.5, 3.0, 4.0):
        law = FeatureData(noise=0.0, jitter=0.0, nonrobust_patches=int(rng.integers(10, 60)))
        # Where the loss fades, the faster feature still grows by no more than 12 % in a step.
        dense = max(law.densities(q))
        late = (2 * q * rho ** (q - 1) / dense) ** (1 / q)
        rate = 0.12 * 4.5 * rho ** (q - 1) / (dense * late ** (q - 2))
        chosen = TrainingSettings(activation=SmoothedReLU(q, rho), rate=rate, steps=steps)
        A0, B0 = late * rng.uniform(0.05, 0.3, (2, rows))
        path = recursion.feature_recursion(law, chosen, A0[:, None], B0[:, None])
        A, B = path.A[:, :, 0], path.B[:, :, 0]
        beyond = max(beyond, law.alpha * float(A.max()), law.beta * float(B.max()))
        C = law.nonrobust_patches * law.beta**q / (law.robust_patches * law.alpha**q)
        R = C * (B0 / A0) ** (q - 2)
        library = [recursion.race_ratio(law, q, a, b) for a, b in zip(A0, B0, strict=True)]
        ratios = max(ratios, _relative(np.array(library), R))
        for loser, winner, ahead in ((A, B, R), (B, A, 1 / R)):
            theta = (winner[1:] / winner[:-1] - 1).max(axis=0)
            left = 1 - (1 + theta) ** (q - 1) / ahead
            sure = left > 1e-9
            limit = loser[0] * np.where(sure, left, 1.0) ** (-1 / (q - 2))
            escaped += int((loser.max(axis=0) > limit * (1 + 1e-12))[sure].sum())
            told += int(sure.sum())
            other += int(sure.sum()) if loser is B else 0
            # In continuous time the loser ends at the limit with theta = 0.
            gone = sure & (winner[-1] > 6 * winner[0]) & (ahead > 1.5)
            end = loser[0] * np.where(gone, 1 - 1 / ahead, 1.0) ** (-1 / (q - 2))
            nearest += (loser[-1] / end)[gone].tolist()
    what, unsure, formula = _escapes(look, budget, rng)
    look.computed(
        f"features beyond the bound, {told} races decided by the ratio, {steps} steps of the "
        "recursion, q = 2.5, 3, 4"
    ).none(escaped)
    look.control.certified(f"{what}: end not decided").none(unsure)
    look("the two bounds of the library against the statement, relative").at_most(formula, 1e-9)
    look("the ratio of the library against the statement, relative").at_most(ratios, 1e-12)
    look.control("largest pre-activation over rho").at_most(beyond / rho, 1.0)
    look.control("races that the robust feature wins").at_least(other, 10)
    look.control(
        f"where {len(nearest)} losers end, over A_0 (1 - 1/R)^(-1/(q-2)): median"
    ).at_least(float(np.median(nearest)), 0.8)
    look.control("the same, largest").at_most(max(nearest), 1.1)


def _trained(settings: TrainingSettings, rng: Rng, law: FeatureData | None = None) -> FeatureRun:
    return training.train_features(FeatureData() if law is None else law, settings, rng)


def _ratios(run: FeatureRun) -> FloatArray:
    """Return the race ratio of the best first filters, for each class.

    A feature that no filter holds at all, which happens once in 4096 draws, has lost its race.
    """
    law = run.data.law
    A, B = (np.maximum(each.max(axis=1), 1e-9) for each in run.initial.alignments(law))
    act = run.settings.activation
    assert isinstance(act, SmoothedReLU)
    pairs = zip(A.tolist(), B.tolist(), strict=True)
    return np.array([recursion.race_ratio(law, act.q, a, b) for a, b in pairs])


@topic.check("thm-iii.4.3")
def _check_43(look: Collector, budget: Budget, rng: Rng) -> None:
    """State what is cited; what is measured stands in Proposition III.12."""
    look.cited("Li and Li (2025), as abstract, reviews and replies restate Theorem 4.3").holds(
        True,
        "standard training learns v: low loss on clean inputs, high loss under attack",
        "the statement that is cited",
    )


@topic.check("prop-iii.12")
def _check_standard(look: Collector, budget: Budget, rng: Rng) -> None:
    runs = budget.pick(12, 120)
    broken, clean, loss, dense, agree, clear = [], [], [], [], 0, 0
    for _ in range(runs):
        run = _trained(_STANDARD, rng)
        fresh = run.data.law.sample(30, rng)
        clean.append(run.network.error(fresh.X, fresh.y))
        loss.append(float(run.history.loss[-1]))
        broken.append(attacks.feature_attack(run.network, fresh, _TEST, "prop_3_1").error)
        leans = run.network.shares(run.data.law).share < 0.5
        dense.append(float(leans.mean()))
        ratios = _ratios(run)
        told = (ratios > 1.5) | (ratios < 1 / 1.5)
        clear += int(told.sum())
        agree += int((leans == (ratios > 1))[told].sum())
    _most(
        look,
        "training loss at the end at most 0.02; a class that has not begun leaves above 0.3",
        sum(value <= 0.02 for value in loss),
        runs,
        budget,
    )
    look.simulated("error on clean inputs, mean over the seeds").at_most(
        float(np.mean(clean)), 0.02
    )
    _mean(look, "share of classes in which v has the larger part", dense, 0.5, budget)
    _mean(
        look,
        f"share of fresh inputs that the attack of Proposition 3.1 breaks, eps = {_TEST}",
        broken,
        0.5,
        budget,
    )
    _most(look, "it breaks every fresh input", sum(value == 1.0 for value in broken), runs, budget)
    _over_seeds(
        look,
        f"classes with a race ratio above 1.5 or below 1/1.5 that learn what the ratio "
        f"says: {agree} of {clear}",
        clopper_pearson(agree, clear, 0.95),
        0.9,
        budget,
    )


# --------------------------------------------------------------------------------------------------
# The adversary in the race
# --------------------------------------------------------------------------------------------------


def _noisy_agreement(budget: Budget, rng: Rng) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the crossing times of training, of the coupled and of the plain recursion."""
    runs = budget.pick(3, 25)
    chosen = _ADVERSARIAL
    done = [_trained(chosen, rng) for _ in range(runs)]
    measured = np.concatenate([run.history.crossing() for run in done])
    starts = [run.initial.alignments(run.data.law) for run in done]
    A0, B0 = (np.concatenate(each) for each in zip(*starts, strict=True))
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
        law = replace(_drawn_law(rng), jitter=0.0)
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
            zero = max(zero, _relative(one.A, two.A), _relative(one.B, two.B))
        path = recursion.feature_recursion(law, chosen, A0[:1], B0[:1], early=True)
        for x, kappa, strength in zip(
            (path.A, path.B), _kappas(law, chosen), (law.alpha, law.beta), strict=True
        ):
            order = attack.rate * (1 - 1 / law.classes) * strength ** (act.q - 2)
            order *= (x[0, 0] ** act.q).sum() / act.rho ** (act.q - 1)
            # From eps = strength on nothing is left, and nothing grows.
            factor = max(0.0, 1 - min(attack.eps / strength, order)) ** act.q
            wanted = x[0, 0] + kappa * factor * x[0, 0] ** (act.q - 1)
            damped += not np.allclose(x[1, 0], wanted, rtol=1e-10, atol=1e-300)
    law = FeatureData(noise=0.0, jitter=0.0)
    chosen = replace(_ADVERSARIAL, steps=budget.pick(300, 1600))
    A0, B0 = rng.uniform(0.02, 0.2, (2, 3, 4))
    network, drawn = PatchNetwork.of_features(law, A0, B0), law.sample(6, rng)
    trained, _ = training.fit(
        network, drawn.X, drawn.y, rate=chosen.rate, steps=chosen.steps, attack=_MAIN
    )
    path = recursion.feature_recursion(law, chosen, A0, B0, coupled=True)
    ends = zip(trained.alignments(law), (path.A[-1], path.B[-1]), strict=True)
    apart = max(_relative(a, b) for a, b in ends)
    measured, joint, plain = _noisy_agreement(budget, rng)
    both = np.isfinite(measured) & np.isfinite(joint) & (measured > 0)
    error = np.abs(joint[both] / measured[both] - 1)
    both_plain = np.isfinite(measured) & np.isfinite(plain) & (measured > 0)
    rough = np.abs(plain[both_plain] / measured[both_plain] - 1)
    same = np.isfinite(measured) == np.isfinite(joint)
    look(f"{draws} networks: one step of training against the coupled recursion").at_most(
        once, 1e-11
    )
    look(f"{chosen.steps} steps of training on clean data against it").at_most(apart, 1e-6)
    look.computed(
        "polynomial stage: steps other than kappa (1 - min(eps/alpha, ...))^q x^(q-1)"
    ).none(damped)
    look("with eps = 0 against the recursion of Lemma 5.1").at_most(zero, 0.0)
    look.simulated(
        f"with noise and jitter, {both.sum()} classes: relative distance of the crossing times of "
        "training and coupled recursion, median"
    ).at_most(float(np.median(error)), 0.1)
    look.simulated("share of classes for which both cross, or neither").at_least(
        float(same.mean()), 0.8
    )
    look.repair.simulated("the same distance for the form without the moves across, median").holds(
        True, float(np.median(rough)), "reported"
    )


def _only_v(
    law: FeatureData, chosen: TrainingSettings, B0: FloatArray, *, steps: int | None = None
) -> FloatArray:
    """Train a network of v alone on clean data and return B at the end, shape (k, m)."""
    network = PatchNetwork.of_features(law, np.zeros_like(B0), B0, chosen.activation)
    drawn = law.sample(law.classes, 0)
    trained, _ = training.fit(
        network,
        drawn.X,
        drawn.y,
        rate=chosen.rate,
        steps=chosen.steps if steps is None else steps,
        attack=chosen.attack,
    )
    return np.asarray(trained.alignments(law)[1])


def _pull(F: arb, k: int) -> arb:
    """Return o F for a class whose logit is F, the others 0."""
    return F * (k - 1) / (F.exp() + (k - 1))


@topic.check("prop-iii.3")
def _check_plateau(look: Collector, budget: Budget, rng: Rng) -> None:
    wrong_root = still = growing = 0
    level_off = limit_off = weak = 0.0
    slopes_off = -math.inf
    above, checked = 0, 0
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
            # Three filters that hold the level together, and a little less or more.
            share = rng.dirichlet(np.ones(3)) ** (1 / q)
            for factor, rises in ((0.97, True), (1.005, False)):
                if law.beta * found.level > 15.0:
                    continue
                B0 = np.tile(found.level * factor * share, (k, 1))
                end = _only_v(law, chosen, B0)
                checked += 1
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
        f"{checked // 2} networks of v trained one step from 0.97 times the level: one that does "
        "not grow"
    ).none(growing)
    look.computed("the same from 1.005 times the level: one that moves").none(still)
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
    look("growth at the level with eps < beta against the factor (1 - eps/beta)^q").at_most(
        weak, 1e-9
    )
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
        recursion.feature_recursion(law, each, [0.0], B0, early=True).B[1, 0, 0] - B0[0]
        for each in (chosen, replace(chosen, attack=None))
    )
    return float(abs(grown / (free * (1 - share) ** act.q) - 1))


@topic.check("prop-iii.4")
def _check_rate(look: Collector, budget: Budget, rng: Rng) -> None:
    boxes = budget.pick(600, 20_000)
    exceeded = missed = 0
    formula = 0.0
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
    look("critical rate of the library against P_NR beta^2 / (q W), relative").at_most(
        formula, 1e-12
    )
    look("share of beta that the attack takes, over eta~ / eta~*: largest").at_most(
        largest, 1.0 + 1e-9
    )
    look("the same, largest, from below: the bound is reached").at_least(largest, 0.97)
    look("B of training on v alone at 0.9 eta~*").at_least(ends[0], 3.5)
    look("B of training on v alone at 1.1 eta~*, over the level").at_most(
        ends[1] / recursion.plateau(law, replace(chosen, attack=attack)).level, 1.0
    )


@topic.check("prop-iii.5")
def _check_budget(look: Collector, budget: Budget, rng: Rng) -> None:
    uneven = sides = risen = late = 0
    formula = 0.0
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
    early = late = passages = 0
    kappa = _kappas(law, _ADVERSARIAL)[0]
    least = math.inf
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
    bracket = 0.0
    for rate in rates:
        chosen = replace(_ADVERSARIAL, attack=replace(_MAIN, rate=rate))
        level = recursion.plateau(law, chosen).level
        low, high = recursion.transition_bracket(law, chosen, 0.1)
        damped = kappa * 0.7**3
        bracket = max(bracket, abs(low / ((10 - 1 / level) / kappa) - 1))
        whole = 1 + (10 - 1 / level) / damped * (1 + damped * level) ** 2
        bracket = max(bracket, abs(high / whole - 1))
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
    look("the bracket of the library against the statement at X = the level, o = 1 - 1/k").at_most(
        bracket, 1e-9
    )
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
    runs = budget.pick(1, 12)
    for _ in range(runs):
        seed = int(rng.integers(2**31))
        times = [
            training.train_features(
                FeatureData(),
                replace(
                    _ADVERSARIAL, steps=budget.pick(1300, 1600), attack=replace(_MAIN, rate=rate)
                ),
                seed,
            ).history.crossing()
            for rate in (100.0, 1000.0)
        ]
        both = np.isfinite(times[0]) & np.isfinite(times[1]) & (times[0] > 0)
        quotients += (times[1][both] / times[0][both]).tolist()
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
        done = [_trained(chosen, rng) for _ in range(runs)]
        measured = np.concatenate([run.network.shares(run.data.law).share for run in done])
        starts = [run.initial.alignments(run.data.law) for run in done]
        A0, B0 = (np.concatenate(each) for each in zip(*starts, strict=True))
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
    weak: list[float] = []
    strong: list[float] = []
    slow: list[float] = []
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
    _over_seeds(
        look,
        f"classes, at {len(points)} points (eps, eta~), {runs * len(points)} seeds, that "
        f"learn what the coupled recursion predicts: {same} of {total}",
        clopper_pearson(same, total, 0.95),
        0.75,
        budget,
    )
    _average(look, "training, eta~ = 300: mean share of u for eps = 0.8 to 1", strong, 0.5, budget)
    _average(look, "the same for eps <= 0.5", weak, 0.5, budget, below=True)
    _average(look, "training, eps = 0.9, eta~ = 20: mean share of u", slow, 0.5, budget, below=True)
    look(f"recursion, {len(A0)} classes: mean share of u at eta~ = 20 and 40, any eps").at_most(
        float(share[:, :2].max()), 0.5
    )
    look(
        "recursion: budget from which u has more than half, at eta~ = 100, less that at 10^4"
    ).at_least(walls[0] - walls[-1], 0.05)
    look("recursion: the least of these budgets over eps*").at_least(
        min(walls) / recursion.critical_budget(FeatureData(), 3), 1.0
    )


# --------------------------------------------------------------------------------------------------
# Windows and certificates
# --------------------------------------------------------------------------------------------------


def _dyadic(value: float, up: bool) -> float:
    """Round to a multiple of 2^-20, so that differences with strengths are exact."""
    scaled = value * 2**20
    return float(math.ceil(scaled) if up else math.floor(scaled)) / 2**20


def _signed_networks(look: Collector, budget: Budget, rng: Rng) -> None:
    """Attack networks of one feature, exactly, from the end of their window on."""
    draws = budget.pick(30, 300)
    short = resisting = formulas = 0
    for draw in range(draws):
        law, act = _drawn_law(rng), _drawn_act(rng)
        window = recursion.robustness_window(law, act.q)
        robust = draw % 2 == 0
        edge, own, strength, places = (
            (window.upper, law.robust_patches, law.alpha, law.u)
            if robust
            else (window.lower, law.nonrobust_patches, law.beta, law.v)
        )
        eps = _dyadic(edge * float(rng.choice([1.0, 1.0, 1.3, 4.0])), up=True)
        e, s, q, rho = Fraction(eps), Fraction(strength), int(act.q), Fraction(act.rho)
        short += law.patches * e**q < own * max(s - e, Fraction(0)) ** q
        # Any filters, with signs, of other sizes in other classes.
        scale = 4.0 ** rng.integers(-2, 3, (law.classes, 1))
        A = rng.integers(-4, 9, (law.classes, 3)) / 8 * scale
        rows = [[Fraction(a) for a in row] for row in A.tolist()]
        G = [law.patches * sum(_act(e * a, q, rho) for a in row) for row in rows]
        H = [own * sum(_act(max(s - e, Fraction(0)) * a, q, rho) for a in row) for row in rows]
        resist = [
            all(H[y] > G[j] for j in range(law.classes) if j != y) for y in range(law.classes)
        ]
        resisting += sum(resist) > 1
        # The attack itself, written down for one input.
        y, j = rng.permutation(law.classes)[:2].tolist()
        nothing = np.zeros_like(A)
        network = PatchNetwork.of_features(law, *((A, nothing) if robust else (nothing, A)), act)
        x = law.sample(law.classes, rng).X[y].copy()
        shown = slice(0, own) if robust else slice(law.robust_patches, None)
        x[shown, places[y]] -= min(eps, strength)
        x[:, places[j]] += eps
        F = _exact_logits(network, x)
        formulas += F[j] != G[j] or F[y] != H[y]
    what = f"{draws} networks of one feature with signed filters, exact"
    look(f"{what}, from the end of the window on: those that more than one class resists in").none(
        resisting
    )
    look(f"{what}: attacked logits that are not G_j and H_y").none(formulas)
    look(f"{what}: ends at which P eps^q < P_R (strength - eps)^q").none(short)


def _edges(look: Collector, budget: Budget, rng: Rng) -> None:
    """Look just below and just above both ends, with the certificate and the attack."""
    unsafe = spared = exactly = 0
    draws = budget.pick(15, 150)
    for _ in range(draws):
        law = _drawn_law(rng)
        q = int(rng.integers(2, 5))
        act = SmoothedReLU(q, 64.0)
        window = recursion.robustness_window(law, q)
        drawn = law.sample(law.classes, rng)
        A, none = rng.uniform(0.1, 5.0, 3), np.zeros(3)
        sides: tuple[tuple[float, int, float, PatchNetwork, attacks.FeatureAttack], ...] = (
            (
                window.upper,
                law.robust_patches,
                law.alpha,
                PatchNetwork.of_features(law, A, none, act),
                "swap_u",
            ),
            (
                window.lower,
                law.nonrobust_patches,
                law.beta,
                PatchNetwork.of_features(law, none, A, act),
                "swap_v",
            ),
        )
        for edge, own, strength, network, kind in sides:
            below, above = edge * (1 - 1e-6), edge * (1 + 1e-6)
            found = certify.certify_patches(network, drawn.X, drawn.y, below)
            unsafe += found.error > 0.0
            spared += attacks.feature_attack(network, drawn, above, kind).error < 1.0
            # The edge, in fractions: the two sides of P eps^q = P_own (strength - eps)^q.
            for eps, sign in ((below, -1), (above, 1)):
                e = Fraction(eps)
                gap = law.patches * e**q - own * (Fraction(strength) - e) ** q
                exactly += gap * sign <= 0
    what = f"{draws} data sets, q = 2, 3, 4, symmetric networks"
    look.certified(f"{what}: not certified just below the end (1e-6)").none(unsafe)
    look.computed(f"{what}: an input that swapping the feature spares just above it").none(spared)
    look(f"{what}: the polynomial does not change sign between the two, exact").none(exactly)


def _emptiness(look: Collector, budget: Budget, rng: Rng) -> None:
    """Compare the window of the library with the criterion, and with exact implications."""
    differ = dense = own = plain = undecided = 0
    draws = budget.pick(400, 6000)
    for _ in range(draws):
        law = FeatureData(
            robust_patches=int(rng.integers(1, 5)),
            nonrobust_patches=int(rng.integers(1, 400)),
            alpha=1.0,
            beta=int(rng.integers(1, 64)) / 64,
        )
        q = int(rng.integers(1, 6))
        P, P_R, P_NR = law.patches, law.robust_patches, law.nonrobust_patches
        b = Fraction(law.beta)
        C = P_NR * b**q / P_R
        window = recursion.robustness_window(law, q)
        with ctx.workprec(128):
            root = arb(1) / q
            left = (arb(C.numerator) / C.denominator) ** root
            gap = 1 + (1 - arb(law.beta)) * (arb(P_NR) / P) ** root - left
            undecided += bool(gap.contains(0)) and q > 1
            if abs(gap) > 1e-9:
                differ += (gap > 0) == window.is_empty
        least = Fraction(P + P_NR, P + P_R)
        own += q == 1 and (least <= C) != (b * P_NR * (P + P_R) >= P_R * (P + P_NR))
        dense += 2**q <= C and not window.is_empty
        eps = b * int(rng.integers(16, 33)) / 16
        plain += C >= 1 and eps <= 1 and P * eps**q < P_R * (1 - eps) ** q
    what = f"{draws} data sets with alpha = 1 > beta, q = 1 to 5"
    look.certified(
        f"{what}: window empty where the criterion says not, or the other way round"
    ).none(differ)
    look.certified(f"{what}: window not empty although C >= 2^q").none(dense)
    look(f"{what}: q = 1, criteria for C that differ, exact").none(own)
    look(f"{what}: eps >= beta and C >= 1, but eps below the end for u, exact").none(plain)
    look.control.certified(f"{what}: criterion not decided by the enclosure").none(undecided)


@topic.check("prop-iii.1")
def _check_window(look: Collector, budget: Budget, rng: Rng) -> None:
    window = recursion.robustness_window(FeatureData(), 3)
    ends = max(abs(window.lower - 0.4986), abs(window.upper - 0.6077))
    _signed_networks(look, budget, rng)
    _edges(look, budget, rng)
    _emptiness(look, budget, rng)
    look("distance of the ends for the main configuration from 0.4986 and 0.6077").at_most(
        ends, 5e-5
    )


@topic.check("thm-iii.4.4")
def _check_44(look: Collector, budget: Budget, rng: Rng) -> None:
    """State what is cited; what is ours stands in Propositions III.1 and III.8."""
    law = FeatureData()
    window = recursion.robustness_window(law, 3)
    fresh = law.sample(budget.pick(60, 600), rng)
    network = PatchNetwork.of_features(law, [1.0], [0.0])
    broken = attacks.feature_attack(network, fresh, law.beta, "inject_u").error
    look.cited("Li and Li (2025), as abstract, reviews and replies restate Theorem 4.4").holds(
        True,
        "one-step adversarial training learns u and resists arbitrary attacks",
        "the statement that is cited",
    )
    look.control.closed_form("the window of the main configuration").holds(
        window.contains(_TEST) and not window.contains(law.beta),
        f"{window.lower:.4f} to {window.upper:.4f}",
        f"holds the test budget {_TEST}, not beta = {law.beta:g}",
    )
    look.repair.computed("error of a network of u alone at eps = beta, all patches attacked").holds(
        broken == 1.0, broken, "= 1: under our reading the theorem asks for more"
    )


def _margin(network: PatchNetwork, x: FloatArray, y: int) -> Fraction:
    F = _exact_logits(network, x)
    return F[y] - max(value for j, value in enumerate(F) if j != y)


def _hoelder(network: PatchNetwork, X: FloatArray, y: IntArray, eps: float) -> FloatArray:
    """Return the bound of the statement, without any care for rounding."""
    act = network.activation
    z = np.einsum("npd,kmd->npkm", X, network.weights)
    reach = eps * np.abs(network.weights).sum(axis=2)
    least, most = (act.value(z + s * reach).sum(axis=(1, 3)) for s in (-1, 1))
    rows = np.arange(len(y))
    own = least[rows, y]
    most[rows, y] = -np.inf
    return np.asarray(own - most.max(axis=1))


@topic.check("prop-iii.8")
def _check_robust(look: Collector, budget: Budget, rng: Rng) -> None:
    runs = budget.pick(4, 25)
    certified: list[float] = []
    attacked: list[float] = []
    clean: list[float] = []
    shares: list[float] = []
    beyond: list[float] = []
    erased: list[float] = []
    for _ in range(runs):
        run = _trained(_ADVERSARIAL, rng)
        network, law = run.network, run.data.law
        fresh = law.sample(60, rng)
        clean.append(network.error(fresh.X, fresh.y))
        certified.append(certify.certify_patches(network, fresh.X, fresh.y, _TEST).error)
        attacked.append(_worst_error(network, fresh, _TEST, climb=False))
        shares.append(float(network.shares(law).share.min()))
        if certified[-1] == 0.0:
            beyond.append(attacks.feature_attack(network, fresh, 0.9, "inject_u").error)
            erased.append(attacks.feature_attack(network, fresh, 0.9, "swap_v").error)
    sure = [value == 0.0 for value in certified]
    _most(
        look,
        f"adversarial training: every fresh input certified at eps = {_TEST}",
        sum(sure),
        runs,
        budget,
    )
    _most(
        look,
        "least share of u over the classes above 1/2",
        sum(value > 0.5 for value in shares),
        runs,
        budget,
    )
    look.simulated("error on clean inputs, mean over the seeds").at_most(
        float(np.mean(clean)), 0.02
    )
    look(
        f"networks certified at {_TEST}, at eps = 0.9: error when u is injected into all patches, "
        "least"
    ).at_least(min(beyond, default=0.0), 0.95)
    look("the same when v is erased and injected, largest").at_most(max(erased, default=1.0), 0.05)
    look.control.computed("seeds in which an attack does better than the certificate allows").none(
        sum(a > c for a, c in zip(attacked, certified, strict=True))
    )


@topic.check("prop-iii.9")
def _check_certificate(look: Collector, budget: Budget, rng: Rng) -> None:
    draws = budget.pick(10, 60)
    wrong = compared = worse = 0
    off = sharp = radii = 0.0
    open_pairs = []
    for draw in range(draws):
        law = FeatureData(classes=3, dim=7, nonrobust_patches=4, noise=0.05)
        act = SmoothedReLU(int(rng.integers(2, 4)), float(rng.choice([0.25, 1.0, 8.0])))
        size = float(rng.choice([0.05, 0.3, 1.0]))
        base = PatchNetwork.of_features(law, rng.uniform(0, 2, 3), rng.uniform(0, 2, 3), act)
        network = PatchNetwork(base.weights + size * rng.normal(size=base.weights.shape), act)
        drawn = law.sample(3, rng)
        eps = float(rng.uniform(0.01, 0.6))
        corners = drawn.X + eps * rng.choice([-1.0, 1.0], drawn.X.shape) * (1 - 2.0**-40)
        climbed = attacks.gradient_attack(
            network, drawn.X, drawn.y, eps, restarts=1, goal="margin"
        ).witnesses
        bounds = {
            method: certify.certify_patches(network, drawn.X, drawn.y, eps, method=method).margins
            for method in ("interval", "linear")
        }
        worse += int((bounds["linear"] < bounds["interval"]).sum())
        for points in (corners, climbed) if draw < 60 else (climbed,):
            for row, (x, y) in enumerate(zip(points, drawn.y.tolist(), strict=True)):
                margin = _margin(network, x, y)
                wrong += sum(Fraction(float(b[row])) > margin for b in bounds.values())
                compared += 2
        wanted = _hoelder(network, drawn.X, drawn.y, eps)
        off = max(off, float((np.abs(bounds["interval"] - wanted) / (1 + np.abs(wanted))).max()))
        # An input on the edge: a margin of the attack beside the certified one.
        attacked = [
            float(_margin(network, x, y)) for x, y in zip(climbed, drawn.y.tolist(), strict=True)
        ]
        open_pairs += (np.array(attacked) - bounds["linear"]).tolist()
        # Networks of u alone, on clean inputs.
        clean = FeatureData(noise=0.0, jitter=0.0, nonrobust_patches=int(rng.integers(5, 80)))
        A = rng.uniform(0.1, 2.0, 2)
        pure = PatchNetwork.of_features(clean, A, np.zeros(2), act)
        shown = clean.sample(3, rng)
        own = certify.certify_patches(pure, shown.X, shown.y, eps).margins
        reached = attacks.feature_attack(pure, shown, eps, "swap_u").margins
        worst = act.value((clean.alpha - eps) * A).sum() - clean.patches * act.value(eps * A).sum()
        sharp = max(sharp, float(np.abs(own - worst).max() / (1 + abs(worst))))
        sharp = max(sharp, float(np.abs(reached - worst).max() / (1 + abs(worst))))
        smooth = PatchNetwork.of_features(clean, A, np.zeros(2), SmoothedReLU(3, 64.0))
        found = certify.certified_radii(smooth, shown.X, shown.y, 3.0, tolerance=1e-6)
        edge = recursion.robustness_window(clean, 3).upper
        radii = max(radii, float(np.abs(found - edge).max()))
    look(
        "margins at corners and at attacked inputs, exact, that are below a certified one, of "
        f"{compared}"
    ).none(wrong)
    look("interval bound of the library against the sum of the statement, relative").at_most(
        off, 1e-9
    )
    look("networks of u alone, clean: bound and swapped u against the closed form").at_most(
        sharp, 1e-9
    )
    look("their certified radius against the end of the window").at_most(radii, 2e-6)
    look.computed("linear bounds below interval bounds").none(worse)
    look.control(
        "largest gap between attack and certificate: the comparison is not empty"
    ).at_least(float(np.max(open_pairs)), 0.0)


def _worst_error(
    network: PatchNetwork, drawn: PatchData, eps: float, *, climb: bool = True
) -> float:
    """Return the share of inputs that some attack breaks."""
    kinds: tuple[attacks.FeatureAttack, ...] = ("prop_3_1", "swap_v", "inject_u", "swap_both")
    margins = [attacks.feature_attack(network, drawn, eps, kind).margins for kind in kinds]
    if climb:
        climbed = attacks.gradient_attack(network, drawn.X, drawn.y, eps, restarts=1, goal="margin")
        margins.append(climbed.margins)
    return float((~(np.min(margins, axis=0) > 0)).mean())


def _variant(name: str) -> TrainingSettings:
    """Return a variant; what learns within a few steps is followed for 400 of them."""
    chosen = studies.VARIANTS[name]
    plain = isinstance(chosen.activation, (ReLU, GELU, Softplus))
    return replace(chosen, steps=400) if plain else chosen


@topic.check("prop-iii.10")
def _check_variants(look: Collector, budget: Budget, rng: Rng) -> None:
    broken: dict[str, int] = budget.pick(
        {"q = 2": 1, "ReLU": 3, "sign": 1},
        {"q = 2": 10, "ReLU": 25, "GELU": 25, "softplus": 25, "small rho": 10, "sign": 10},
    )
    for name, runs in broken.items():
        errors = []
        for _ in range(runs):
            run = _trained(_variant(name), rng)
            fresh = run.data.law.sample(30, rng)
            errors.append(_worst_error(run.network, fresh, _TEST))
        _average(
            look,
            f"{name}: share of fresh inputs broken at eps = {_TEST}, mean",
            errors,
            0.9,
            budget,
        )
    runs = budget.pick(3, 10)
    shares, certified = [], []
    for _ in range(runs):
        run = _trained(_variant("seven steps"), rng)
        fresh = run.data.law.sample(30, rng)
        shares.append(float(run.network.shares(run.data.law).share.mean()))
        certified.append(certify.certify_patches(run.network, fresh.X, fresh.y, _TEST).error)
    _average(look, "seven steps of the same total rate: share of u, mean", shares, 0.6, budget)
    _average(
        look,
        f"the same: certified error at eps = {_TEST}, mean",
        certified,
        0.34,
        budget,
        below=True,
    )


@topic.check("prop-iii.11")
def _check_digits(look: Collector, budget: Budget, rng: Rng) -> None:
    runs = budget.pick(3, 10)
    gained, proved, price, cold = [], [], [], []
    for _ in range(runs):
        seed = int(rng.integers(2**31))
        plain, hard = (studies.digit_record(eps, seed) for eps in (0.0, 0.1))
        gained.append(plain["attacked"] - hard["attacked"])
        proved.append(plain["certified"] - hard["certified"])
        price.append(hard["clean"] - plain["clean"])
    for _ in range(budget.pick(1, 10)):
        settings = studies.digit_settings(0.3, warm_up=False)
        run = images.train_images(images.image_digits(), settings, rng)
        cold.append(float(run.history.loss[-1]))
    _average(look, "attacked error at 0.1 that training at 0.1 saves, mean", gained, 0.08, budget)
    _average(look, "certified error at 0.1 that it saves, mean", proved, 0.08, budget)
    _average(look, "clean error that it costs, mean", price, 0.03, budget, below=True)
    look.simulated(f"training loss at 0.3 without warm-up, least of {len(cold)}").at_least(
        min(cold), 2.2
    )


# --------------------------------------------------------------------------------------------------
# The claims
# --------------------------------------------------------------------------------------------------


CLAIMS = topic.claims()

r"""What of the features is robust: windows and certificates of Part III.

Before changing a check, know that an attack that finds nothing is never evidence; a certificate
is.  Networks of one feature are attacked exactly, from the end of their window on.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from flint import arb, ctx

from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.claims.instruments import races
from sublinear_lib.claims.topic import Budget, Collector, Rng, Topic
from sublinear_lib.features import (
    GELU,
    FeatureData,
    PatchData,
    PatchNetwork,
    ReLU,
    SmoothedReLU,
    Softplus,
    TrainingSettings,
    attacks,
    certify,
    images,
    recursion,
    studies,
)

topic = Topic("feature_robustness")


# --------------------------------------------------------------------------------------------------
# Windows and certificates
# --------------------------------------------------------------------------------------------------


def _dyadic(value: float) -> float:
    """Round up to a multiple of 2^-20, so that differences with strengths are exact."""
    return float(math.ceil(value * 2**20)) / 2**20


def _signed_networks(look: Collector, budget: Budget, rng: Rng) -> None:
    """Attack networks of one feature, exactly, from the end of their window on."""
    draws = budget.pick(30, 300)
    short = resisting = formulas = 0
    for draw in range(draws):
        law, act = races.drawn_law(rng), races.drawn_act(rng)
        window = recursion.robustness_window(law, act.q)
        robust = draw % 2 == 0
        edge, own, strength, places = (
            (window.upper, law.robust_patches, law.alpha, law.u)
            if robust
            else (window.lower, law.nonrobust_patches, law.beta, law.v)
        )
        eps = _dyadic(edge * float(rng.choice([1.0, 1.0, 1.3, 4.0])))
        e, s, q, rho = Fraction(eps), Fraction(strength), int(act.q), Fraction(act.rho)
        short += law.patches * e**q < own * max(s - e, Fraction(0)) ** q
        # Any filters, with signs, of other sizes in other classes.
        scale = 4.0 ** rng.integers(-2, 3, (law.classes, 1))
        A = rng.integers(-4, 9, (law.classes, 3)) / 8 * scale
        rows = [[Fraction(a) for a in row] for row in A.tolist()]
        G, H = (
            [patches * sum(races.exact_act(size * a, q, rho) for a in row) for row in rows]
            for patches, size in ((law.patches, e), (own, max(s - e, Fraction(0))))
        )
        resist = (max(G[:y] + G[y + 1 :]) < H[y] for y in range(law.classes))
        resisting += sum(resist) > 1
        # The attack itself, written down for one input.
        y, j = rng.permutation(law.classes)[:2].tolist()
        nothing = np.zeros_like(A)
        network = PatchNetwork.of_features(law, *((A, nothing) if robust else (nothing, A)), act)
        x = law.sample(law.classes, rng).X[y].copy()
        shown = slice(0, own) if robust else slice(law.robust_patches, None)
        x[shown, places[y]] -= min(eps, strength)
        x[:, places[j]] += eps
        F = races.exact_logits(network, x)
        formulas += F[j] != G[j] or F[y] != H[y]
    what = f"{draws} networks of one feature with signed filters, exact"
    text = f"{what}, from the end of the window on: those that more than one class resists in"
    look(text).none(resisting)
    look(f"{what}: attacked logits that are not G_j and H_y").none(formulas)
    look(f"{what}: ends at which P eps^q < P_R (strength - eps)^q").none(short)


def _edges(look: Collector, budget: Budget, rng: Rng) -> None:
    """Look just below and just above both ends, with the certificate and the attack."""
    unsafe = spared = exactly = 0
    draws = budget.pick(15, 150)
    for _ in range(draws):
        law = races.drawn_law(rng)
        q = int(rng.integers(2, 5))
        act = SmoothedReLU(q, 64.0)
        window = recursion.robustness_window(law, q)
        drawn = law.sample(law.classes, rng)
        A, none = rng.uniform(0.1, 5.0, 3), np.zeros(3)
        u = PatchNetwork.of_features(law, A, none, act)
        v = PatchNetwork.of_features(law, none, A, act)
        sides: tuple[tuple[float, int, float, PatchNetwork, attacks.FeatureAttack], ...] = (
            (window.upper, law.robust_patches, law.alpha, u, "swap_u"),
            (window.lower, law.nonrobust_patches, law.beta, v, "swap_v"),
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
        window.contains(races.TEST) and not window.contains(law.beta),
        f"{window.lower:.4f} to {window.upper:.4f}",
        f"holds the test budget {races.TEST}, not beta = {law.beta:g}",
    )
    look.repair.computed("error of a network of u alone at eps = beta, all patches attacked").holds(
        broken == 1.0, broken, "= 1: under our reading the theorem asks for more"
    )


def _margin(network: PatchNetwork, x: FloatArray, y: int) -> Fraction:
    F = races.exact_logits(network, x)
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
    clean, certified, attacked, shares, beyond, erased = (list[float]() for _ in range(6))
    for _ in range(budget.pick(4, 25)):
        run = races.train(races.ADVERSARIAL, rng)
        network, law = run.network, run.data.law
        fresh = law.sample(60, rng)
        clean.append(network.error(fresh.X, fresh.y))
        certified.append(certify.certify_patches(network, fresh.X, fresh.y, races.TEST).error)
        attacked.append(_worst_error(network, fresh, races.TEST, climb=False))
        shares.append(float(network.shares(law).share.min()))
        if certified[-1] == 0.0:
            beyond.append(attacks.feature_attack(network, fresh, 0.9, "inject_u").error)
            erased.append(attacks.feature_attack(network, fresh, 0.9, "swap_v").error)
    seen, sure = races.Seeds(look, budget), [value == 0.0 for value in certified]
    what = f"adversarial training: every fresh input certified at eps = {races.TEST}"
    seen.most(what, sure)
    seen.most("least share of u over the classes above 1/2", [value > 0.5 for value in shares])
    look.simulated("error on clean inputs, mean over the seeds").at_most(
        float(np.mean(clean)), 0.02
    )
    look(
        f"networks certified at {races.TEST}, at eps = 0.9: error when u is injected into all "
        "patches, least"
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
        attacked = [float(_margin(network, x, y)) for x, y in zip(climbed, drawn.y, strict=True)]
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
    what = "interval bound of the library against the sum of the statement, relative"
    look(what).at_most(off, 1e-9)
    what = "networks of u alone, clean: bound and swapped u against the closed form"
    look(what).at_most(sharp, 1e-9)
    look("their certified radius against the end of the window").at_most(radii, 2e-6)
    look.computed("linear bounds below interval bounds").none(worse)
    look.control(
        "largest gap between attack and certificate: the comparison is not empty"
    ).at_least(np.max(open_pairs), 0.0)


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
    seen = races.Seeds(look, budget)
    for name, runs in broken.items():
        errors = []
        for _ in range(runs):
            run = races.train(_variant(name), rng)
            fresh = run.data.law.sample(30, rng)
            errors.append(_worst_error(run.network, fresh, races.TEST))
        seen.average(
            f"{name}: share of fresh inputs broken at eps = {races.TEST}, mean", errors, 0.9
        )
    shares, certified = [], []
    for _ in range(budget.pick(3, 10)):
        run = races.train(_variant("seven steps"), rng)
        fresh = run.data.law.sample(30, rng)
        shares.append(float(run.network.shares(run.data.law).share.mean()))
        certified.append(certify.certify_patches(run.network, fresh.X, fresh.y, races.TEST).error)
    seen.average("seven steps of the same total rate: share of u, mean", shares, 0.6)
    what = f"the same: certified error at eps = {races.TEST}, mean"
    seen.average(what, certified, 0.34, below=True)


@topic.check("prop-iii.11")
def _check_digits(look: Collector, budget: Budget, rng: Rng) -> None:
    gained, proved, price, cold = [], [], [], []
    for _ in range(budget.pick(3, 10)):
        seed = int(rng.integers(2**31))
        plain, hard = (studies.digit_record(eps, seed) for eps in (0.0, 0.1))
        gained.append(plain["attacked"] - hard["attacked"])
        proved.append(plain["certified"] - hard["certified"])
        price.append(hard["clean"] - plain["clean"])
    for _ in range(budget.pick(1, 10)):
        settings = studies.digit_settings(0.3, warm_up=False)
        run = images.train_images(images.image_digits(), settings, rng)
        cold.append(float(run.history.loss[-1]))
    seen = races.Seeds(look, budget)
    seen.average("attacked error at 0.1 that training at 0.1 saves, mean", gained, 0.08)
    seen.average("certified error at 0.1 that it saves, mean", proved, 0.08)
    seen.average("clean error that it costs, mean", price, 0.03, below=True)
    look.simulated(f"training loss at 0.3 without warm-up, least of {len(cold)}").at_least(
        min(cold), 2.2
    )

r"""Lemmas 5.1 and 5.2 as recursions for two numbers per filter, and what follows from them.

``A_r = <w_{i,r}, u_i>`` and ``B_r = <w_{i,r}, v_i>`` of one class i nearly obey a system of their
own.  With ``o = 1 - logit_i`` a step of gradient descent on attacked inputs is

    ``A_r <- A_r + (eta/k) o P_R a act'(a A_r)``,      ``a = alpha - move(A)``,
    ``B_r <- B_r + (eta/k) o P_NR b act'(b B_r)``,     ``b = beta - move(B)``,
    ``move(A) = min(eps, eta~ o sum_s act'(alpha A_s) A_s)``,  ``move(B)`` alike with beta:

the adversary shortens each feature by what one clipped step of ascent can take.  ``eps = 0`` is
standard training (Lemma 5.1), so the two lemmas are one recursion.  While
``act'(z) = (z/rho)^{q-1}`` the factors become ``(1 - min(eps/alpha, Theta(eta~) sum_s A_s^q))^q``,
the form of Lemma 5.2.

Before changing anything, know what is left out: noise, jitter, features of other classes, and that
in a patch of v the adversary also moves the coordinate of u.  The last is kept by ``coupled=True``;
it matters for the time of the transition.  Noise and jitter matter at the end: without them B ends
within 2 % of training, with them it may be a fifth off or more.

Source: Lemmas 5.1 and 5.2 of Li and Li (2025) as described in their review thread, which gives
orders; the constants, the closed forms and all proofs in this module are ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import lambertw

from sublinear_lib import validation
from sublinear_lib._arguments import Flag, Nonnegative, Positive, checked, described
from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.features.activations import SmoothedReLU
from sublinear_lib.features.data import FeatureData
from sublinear_lib.features.network import logit_parts
from sublinear_lib.features.training import (
    FeaturePaths,
    TrainingAttack,
    TrainingSettings,
)

__all__ = [
    "PhaseDiagram",
    "Plateau",
    "RecursionPath",
    "attacked_strengths",
    "critical_budget",
    "critical_rate",
    "escape_time",
    "feature_recursion",
    "growth_left",
    "growth_rates",
    "phase_diagram",
    "plateau",
    "race_ratio",
    "robustness_window",
    "transition_bracket",
]

# exp overflows beyond 709; a class that far ahead gets no gradient either way.
_LARGEST_LOGIT: Final = 700.0


@dataclass(frozen=True, eq=False)
class RecursionPath(FeaturePaths):
    """What the recursion predicts for every step.

    Fields: `steps`, `A`, `B`: as in `FeatureHistory`.
    """

    steps: IntArray
    A: FloatArray
    B: FloatArray


@dataclass(frozen=True, eq=False)
class PhaseDiagram:
    """Where on the plane of budget and rate the robust feature wins, by the recursion.

    Fields: `eps` (E,): the budgets; `rates` (R,): the rates eta~; `share` (E, R, k): the share of
    the robust feature in the logit of its class after T steps; `crossing` (E, R, k): when the
    robust feature takes the lead for good; infinity for never; `A`, `B` (E, R, k): ``max_r
    A_{i,r}`` and ``max_r B_{i,r}`` after T steps; `steps` (L,): the numbers of updates before each
    row of the paths; `path_A`, `path_B` (L, E, R, k): the same maxima at these steps.
    """

    eps: FloatArray
    rates: FloatArray
    share: FloatArray
    crossing: FloatArray
    A: FloatArray
    B: FloatArray
    steps: IntArray
    path_A: FloatArray
    path_B: FloatArray

    def walls(self) -> tuple[tuple[FloatArray, FloatArray, FloatArray], ...]:
        """Return between which rates the robust feature has more than half of its logit.

        For each class the budgets at which there is such a rate, ascending, and the least and the
        greatest rate for each of them (what lies between may have gaps).  Between two rates of the
        diagram the share is interpolated linearly in the logarithm of the rate; at its edge the
        edge counts.
        """
        order, by_rate = np.argsort(self.eps), np.argsort(self.rates)
        logs = np.log(self.rates[by_rate])
        found = []
        for i in range(self.share.shape[2]):
            rows = []
            shares = self.share[order][:, by_rate, i]
            for budget, share in zip(self.eps[order], shares, strict=True):
                inside = np.flatnonzero(share > 0.5)
                if inside.size == 0:
                    continue
                first, last = int(inside[0]), int(inside[-1])
                low, high = logs[first], logs[last]
                if first > 0:
                    way = (0.5 - share[first - 1]) / (share[first] - share[first - 1])
                    low = logs[first - 1] + way * (logs[first] - logs[first - 1])
                if last < logs.size - 1:
                    way = (share[last] - 0.5) / (share[last] - share[last + 1])
                    high = logs[last] + way * (logs[last + 1] - logs[last])
                rows.append((budget, math.exp(low), math.exp(high)))
            eps, lower, upper = np.array(rows, dtype=np.float64).reshape(-1, 3).T
            found.append((eps, lower, upper))
        return tuple(found)


class _System:
    """The recursion for arrays of any leading shape; the last axis counts filters."""

    def __init__(self, law: FeatureData, settings: TrainingSettings, early: bool, coupled: bool):
        self.law, self.k = law, law.classes
        self.act = settings.activation
        self.gain = settings.rate / law.classes
        self.early, self.coupled = early, coupled
        if early and not isinstance(self.act, SmoothedReLU):
            raise ValueError(
                "early must be False unless the activation is a SmoothedReLU, the only one with a "
                f"polynomial stage, got {self.act!r}"
            )

    def both(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return value and slope; in the early form those of the polynomial everywhere."""
        if not self.early:
            return self.act.value_and_slope(z)
        assert isinstance(self.act, SmoothedReLU)
        slope = (np.maximum(z, 0.0) / self.act.rho) ** (self.act.q - 1)
        return z * slope / self.act.q, slope

    def open(self, F: FloatArray) -> FloatArray:
        """Return ``o = 1 - logit`` where the class itself has F and the others have 0."""
        if self.early:
            return np.full(F.shape, 1.0 - 1.0 / self.k)
        return np.asarray((self.k - 1) / (np.exp(np.minimum(F, _LARGEST_LOGIT)) + (self.k - 1)))

    def attack(
        self, A: FloatArray, B: FloatArray, eps: FloatArray | float, rate: FloatArray | float
    ) -> tuple[FloatArray, ...]:
        """Return a and b, and how far the coordinates move that a patch does not show.

        The third number is what the adversary takes of v in a patch of u, the fourth what it takes
        of u in a patch of v.  All have a last axis of length 1.
        """
        law = self.law
        value_u, slope_u = self.both(law.alpha * A)
        value_v, slope_v = self.both(law.beta * B)
        left = self.open(self.logit(value_u, value_v))

        def move(slope: FloatArray, coordinate: FloatArray) -> FloatArray:
            pull = left * (slope * coordinate).sum(axis=-1, keepdims=True)
            # 0 * inf: where nothing pulls, nothing moves.
            way = np.multiply(pull, rate, where=pull != 0.0, out=np.zeros_like(pull))
            return np.asarray(np.clip(way, -eps, eps))

        a, b = law.alpha - move(slope_u, A), law.beta - move(slope_v, B)
        return (a, b, move(slope_u, B), move(slope_v, A)) if self.coupled else (a, b)

    def advance(
        self, A: FloatArray, B: FloatArray, eps: FloatArray | float, rate: FloatArray | float
    ) -> tuple[FloatArray, FloatArray]:
        """Return A and B one update later; an infinite rate stands for sign steps."""
        law = self.law
        a, b, *cross = self.attack(A, B, eps, rate)
        if not self.coupled:
            value_u, slope_u = self.both(a * A)
            value_v, slope_v = self.both(b * B)
            step = self.gain * self.open(self.logit(value_u, value_v))
            return (
                A + step * (law.robust_patches * a) * slope_u,
                B + step * (law.nonrobust_patches * b) * slope_v,
            )
        v_in_u, u_in_v = cross
        value_u, slope_u = self.both(a * A - v_in_u * B)
        value_v, slope_v = self.both(b * B - u_in_v * A)
        step = self.gain * self.open(self.logit(value_u, value_v))
        slope_u *= law.robust_patches
        slope_v *= law.nonrobust_patches
        return (
            A + step * (a * slope_u - u_in_v * slope_v),
            B + step * (b * slope_v - v_in_u * slope_u),
        )

    def logit(self, value_u: FloatArray, value_v: FloatArray) -> FloatArray:
        """Return F for the values of all filters, with a last axis of length 1."""
        F = self.law.robust_patches * value_u.sum(axis=-1, keepdims=True)
        F += self.law.nonrobust_patches * value_v.sum(axis=-1, keepdims=True)
        return np.asarray(F)

    def share(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Return the robust share of the logit, without the last axis."""
        return logit_parts(self.law, self.act, A, B).share


def _start(A0: object, B0: object) -> tuple[FloatArray, FloatArray]:
    A, B = (validation.float_array(X, name) for X, name in ((A0, "A0"), (B0, "B0")))
    if A.ndim == 1:
        A = A[None]
    if B.ndim == 1:
        B = B[None]
    if A.ndim != 2 or A.shape != B.shape:
        raise ValueError(
            f"A0 and B0 must have one shape (m,) or (k, m), got {A.shape} and {B.shape}"
        )
    return A, B


def _takes_more(attack: TrainingAttack) -> bool:
    """Say whether an attack is more than the one step from the clean input of the lemmas."""
    return attack.steps > 1 or attack.random_start or attack.box is not None


@checked
def feature_recursion(
    law: FeatureData,
    settings: TrainingSettings,
    A0: object,
    B0: object,
    *,
    early: Flag = False,
    coupled: Flag = False,
) -> RecursionPath:
    r"""Follow the recursion of Lemmas 5.1 and 5.2.

    Here `law`: the data: numbers of patches, mean strengths, classes; `settings`: activation, rate,
    number of steps and attack.  The attack must take one step; sign and normalized steps both count
    as the limit of a fast ascent, in which the feature is shortened by eps from the first step;
    `A0`, `B0` (m,): the features in the filters at the beginning, such as
    ``network.alignments(law)``.  Classes do not influence each other, so any number of rows is
    allowed; `early`: whether to use the polynomial stage throughout: ``act'(z) = (z/rho)^{q-1}``
    and ``o = 1 - 1/k``, the form in which the lemmas are stated.  For q > 2 it blows up; from there
    on the path holds infinity; `coupled`: whether to keep something that the lemmas drop: that in a
    patch of one feature the adversary moves the coordinate of the other feature too.

    Source: Lemmas 5.1 and 5.2 of Li and Li (2025); the coupled form is ours.  Its pre-activations
    are ``a A_r - c_v B_r`` in a patch of u and ``b B_r - c_u A_r`` in a patch of v, where
    ``c_v = clip(eta~ o sum_s act'(alpha A_s) B_s)`` and ``c_u = clip(eta~ o sum_s act'(beta B_s)
    A_s)`` are the moves of the coordinate that the patch does not show; the patches of v then add
    ``-P_NR c_u act'`` to the growth of A, those of u ``-P_R c_v act'`` to that of B.

    Standard training lets the dense feature win, although it starts lower:

    >>> path = feature_recursion(FeatureData(), TrainingSettings(steps=400), [0.10], [0.08])
    >>> path.A[-1, 0, 0] < 0.3, path.B[-1, 0, 0] > 4
    (np.True_, np.True_)
    """
    validation.instance(law, "law", FeatureData)
    validation.instance(settings, "settings", TrainingSettings)
    A, B = _start(A0, B0)
    system = _System(law, settings, early, coupled)
    attack = settings.attack
    rate = 0.0
    if attack is not None:
        if _takes_more(attack):
            raise ValueError(
                "settings.attack must take one step, without random start and box: that is what "
                f"the lemmas speak about, got {attack!r}"
            )
        rate = attack.rate if attack.rule == "clipped" else math.inf
    path = np.empty((2, settings.steps + 1, *A.shape))
    path[:, 0] = A, B
    for step in range(settings.steps):
        eps = attack.budget(step) if attack is not None else 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            A, B = system.advance(A, B, eps, rate)
        if early:  # the polynomial has no linear part that would keep it from blowing up
            A, B = (np.where(np.isfinite(x), x, np.inf) for x in (A, B))
        path[:, step + 1] = A, B
    return RecursionPath(np.arange(settings.steps + 1, dtype=np.int64), path[0], path[1])


@described
def attacked_strengths(
    law: FeatureData, settings: TrainingSettings, A: object, B: object
) -> tuple[FloatArray, FloatArray]:
    r"""Return what one step of the adversary leaves of the strengths of the features.

    Here `law`: the data; `settings`: activation and attack; without an attack nothing is taken.
    The attack must take one step with the rule "clipped", without random start and box; its warm-up
    is not used; `A`, `B` (..., m): the features in the filters of a class, for any number of
    states.

    Returned: `a, b`: ``alpha - move(A)`` and ``beta - move(B)``.  In the polynomial part
    ``(a/alpha)^q`` and ``(b/beta)^q`` are the factors that Lemma 5.2 puts to the growth of A and B.

    Source: Lemma 5.2 of Li and Li (2025).

    Just below the plateau little is left of v, and little is taken of a small u:

    >>> from sublinear_lib.features import TrainingAttack
    >>> settings = TrainingSettings(attack=TrainingAttack(eps=1.0, rate=300))
    >>> level = plateau(FeatureData(), settings).level
    >>> a, b = attacked_strengths(FeatureData(), settings, [0.2], [0.9 * level])
    >>> round(float(a), 2), round(float(b), 2)
    (2.94, 0.26)
    """
    validation.instance(law, "law", FeatureData)
    attack = validation.instance(settings, "settings", TrainingSettings).attack
    states = (validation.float_array(A, "A"), validation.float_array(B, "B"))
    if states[0].shape != states[1].shape or states[0].ndim < 1:
        raise ValueError(
            f"A and B must have one shape (..., m), got {states[0].shape} and {states[1].shape}"
        )
    eps, rate = (0.0, 0.0) if attack is None else (attack.eps, attack.rate)
    if attack is not None and (_takes_more(attack) or attack.rule != "clipped"):
        raise ValueError(
            "settings.attack must take one step with the rule 'clipped', without random start and "
            f"box, got {attack!r}"
        )
    a, b = _System(law, settings, False, False).attack(*states, eps, rate)
    return a[..., 0], b[..., 0]


@checked
def phase_diagram(
    law: FeatureData,
    settings: TrainingSettings,
    A0: object,
    B0: object,
    eps: object,
    rates: object,
    *,
    coupled: Flag = False,
    record_every: int | None = None,
) -> PhaseDiagram:
    """Follow the recursion for every pair of a budget and a rate of the adversary.

    Here `law`: the data; `settings`: activation, rate and number of steps; its attack is not used;
    `A0`, `B0` (m,): the features in the filters at the beginning; `eps` (E,): budgets, ``>= 0``;
    `rates` (R,): rates eta~ of the one ascent step, ``> 0``; `coupled`: as in `feature_recursion`;
    `record_every`: how many updates lie between two rows of the paths, ``>= 1``; by default the
    paths hold the beginning and the end.

    Shares, crossing times, features at the end, and their paths.

    With 12 filters, 1600 steps and one class, a diagram of 725 pairs takes about a second on one
    core; time grows with the number of classes.

    >>> found = phase_diagram(
    ...     FeatureData(), TrainingSettings(), [0.1], [0.08], eps=[0.0, 0.9], rates=[300.0]
    ... )
    >>> found.share[:, 0, 0].round(2)
    array([0.  , 0.89])
    """
    validation.instance(law, "law", FeatureData)
    validation.instance(settings, "settings", TrainingSettings)
    A, B = _start(A0, B0)
    budgets = validation.float_array(eps, "eps", shape=("E",))
    speeds = validation.float_array(rates, "rates", shape=("R",))
    if budgets.min() < 0:
        raise ValueError(f"eps must hold numbers >= 0, got {budgets.min()}")
    if speeds.min() <= 0:
        raise ValueError(f"rates must hold numbers > 0, got {speeds.min()}")
    system = _System(law, settings, False, coupled)
    shape = (budgets.size, speeds.size, *A.shape)
    A, B = np.broadcast_to(A, shape).copy(), np.broadcast_to(B, shape).copy()
    box, rate = budgets[:, None, None, None], speeds[:, None, None]
    every = max(settings.steps, 1)
    if record_every is not None:
        every = validation.count(record_every, "record_every")
    first, other = A.max(axis=-1), B.max(axis=-1)
    rows = [(0, first, other)]
    last = np.where(first < other, 1.0, 0.0)
    for step in range(1, settings.steps + 1):
        A, B = system.advance(A, B, box, rate)
        first, other = A.max(axis=-1), B.max(axis=-1)
        last[first < other] = step + 1
        if step % every == 0:
            rows.append((step, first, other))
    last[last > settings.steps] = np.inf
    return PhaseDiagram(
        budgets.copy(),
        speeds.copy(),
        system.share(A, B),
        last,
        first,
        other,
        np.array([row[0] for row in rows], dtype=np.int64),
        np.stack([row[1] for row in rows]),
        np.stack([row[2] for row in rows]),
    )


def _smoothed(settings: TrainingSettings) -> SmoothedReLU:
    act = validation.instance(settings, "settings", TrainingSettings).activation
    if not isinstance(act, SmoothedReLU):
        raise ValueError(
            f"settings.activation must be a SmoothedReLU for this closed form, got {act!r}"
        )
    return act


def growth_rates(law: FeatureData, settings: TrainingSettings) -> tuple[float, float]:
    """Return how fast the features grow in the early stage of standard training.

    Returned: `robust, nonrobust`: The kappa in ``x <- x + kappa x^{q-1}`` for x = A and x = B:
    ``(eta/k) (1 - 1/k) P_R alpha^q / rho^{q-1}`` and the same with ``P_NR beta^q``.  Source: Lemma
    5.1 of Li and Li (2025), with its constants.
    """
    validation.instance(law, "law", FeatureData)
    act = _smoothed(settings)
    common = settings.rate / law.classes * (1 - 1 / law.classes) / act.rho ** (act.q - 1)
    robust, nonrobust = law.densities(act.q)
    return common * robust, common * nonrobust


@checked
def growth_left(strength: Positive, eps: Nonnegative, q: float) -> float:
    """Return what is left of the growth of a feature that a budget shortens.

    ``(1 - eps/strength)^q``, and 0 from ``eps = strength`` on, in the polynomial part.  Source:
    Lemma 5.2 of Li and Li (2025), with a step that takes all that eps allows.

    >>> growth_left(2.0, 1.0, 3), growth_left(2.0, 3.0, 3)
    (0.125, 0.0)
    """
    return float(max(1.0 - eps / strength, 0.0) ** validation.scalar(q, "q", exclusive_minimum=1))


@checked
def race_ratio(law: FeatureData, q: float, A0: Positive, B0: Positive) -> float:
    """Return how far the non-robust feature is ahead at the start of standard training.

    ``P_NR beta^q B0^{q-2} / (P_R alpha^q A0^{q-2})``: the quotient of the relative growths ``kappa
    x^{q-2}`` of the best filters, above 1 where the non-robust feature wins.  For q > 2 and in
    continuous time both features blow up, at ``1 / ((q - 2) kappa x_0^{q-2})``; the ratio is that
    of the two times, and whoever blows up first ends the race.

    >>> race_ratio(FeatureData(), 3, 0.1, 0.1) > 1 > race_ratio(FeatureData(), 4, 0.1, 0.1)
    True
    """
    validation.instance(law, "law", FeatureData)
    q = validation.scalar(q, "q", exclusive_minimum=1)
    return float(law.density_ratio(q) * (B0 / A0) ** (q - 2))


@checked
def escape_time(start: float, end: float, growth: Positive, q: float) -> tuple[float, float]:
    r"""Return between which steps ``x <- x + growth x^{q-1}`` climbs from `start` to `end`.

    Here `start`, `end`: positive numbers, ``start <= end``; `growth`: the factor kappa, ``> 0``;
    `q`: the exponent, ``> 1``.

    Returned: `lower, upper`: The first step T with ``x_T >= end`` satisfies ``lower <= T <=
    upper``.

    ``tau = int_start^end dx / (kappa x^{q-1})`` is the time of the differential equation,
    ``(start^{2-q} - end^{2-q}) / ((q - 2) kappa)``, or ``log(end/start) / kappa`` for q = 2.
    So ``tau <= T <= 1 + tau (1 + kappa x^{q-2})^{q-1}``, where x is `end` for ``q >= 2`` and
    `start` for ``q < 2``.  Source: Proposition III.2, ours.

    >>> [round(bound) for bound in escape_time(0.1, 1.0, growth=0.06, q=3)]
    [150, 170]
    """
    low = validation.scalar(start, "start", exclusive_minimum=0)
    high = validation.scalar(end, "end", minimum=low)
    q = validation.scalar(q, "q", exclusive_minimum=1)
    ratio = math.log(high / low)
    power = 2.0 - q
    # (end^p - start^p) / p without cancellation, also for p close to 0.
    tau = low**power * (math.expm1(power * ratio) / power if power else ratio) / growth
    if tau == 0.0:
        return 0.0, 0.0
    steepest = growth * (high if q >= 2 else low) ** (q - 2)
    return tau, 1.0 + tau * (1.0 + steepest) ** (q - 1)


def critical_rate(law: FeatureData, q: float) -> float:
    r"""Return the rate below which one ascent step can never stop the non-robust feature.

    ``eta~* = P_NR beta^2 / (q W((k - 1)/e))`` with Lambert's function W, in the polynomial part.
    Source: Proposition III.4, ours.  The adversary takes all of beta if and only if ``o F >= P_NR
    beta^2 / (q eta~)``, where F is the logit that v gives; the left side is greatest at ``F = 1 +
    W((k - 1)/e)``, where it is ``W((k - 1)/e)``.

    >>> round(critical_rate(FeatureData(), 3), 2)
    43.19
    """
    validation.instance(law, "law", FeatureData)
    q = validation.scalar(q, "q", exclusive_minimum=1)
    peak = float(lambertw((law.classes - 1) / math.e).real)
    return law.nonrobust_patches * law.beta**2 / (q * peak)


@dataclass(frozen=True)
class Plateau:
    """Where the adversary stops the non-robust feature.

    Fields: `level`: ``(sum_s B_s^q)^{1/q}``, at most the best filter times ``m^{1/q}``, and the
    best filter itself where one dominates; infinite if the rate is not above `critical_rate`;
    `logit`: what v adds to the logit of its class on clean inputs there; `early_level`: the level
    with ``1 - logit`` put to ``1 - 1/k``: ``(rho^{q-1} / (eta~ (1 - 1/k) beta^{q-2}))^{1/q}``;
    `pull`: how much of that logit still pulls on the adversary, ``o F = P_NR beta^2 / (q eta~)``.
    Logit and pull are NaN without a plateau.
    """

    level: float
    logit: float
    early_level: float
    pull: float


@described
def plateau(law: FeatureData, settings: TrainingSettings) -> Plateau:
    r"""Return the level at which one ascent step takes all of the non-robust feature.

    Here `law`: the data; `settings`: activation, which must be a `SmoothedReLU`, and attack, which
    must have the rule "clipped".

    The level; it is a true standstill if ``eps >= beta``.  With a smaller budget the growth is
    multiplied by ``(1 - eps/beta)^q`` there, which is 0.001 for eps = 0.9 beta and q = 3.

    The level solves ``o F = c = P_NR beta^2/(q eta~)`` with the smaller of the two solutions F (see
    `critical_rate`); it is found by bisection on ``0 < F < 1 + W((k - 1)/e)``, where ``o F`` grows.
    The features are assumed in the polynomial part, ``beta B <= rho``.

    >>> from sublinear_lib.features import TrainingAttack
    >>> attack = TrainingAttack(eps=1.0, rate=300)
    >>> found = plateau(FeatureData(), TrainingSettings(attack=attack))
    >>> round(found.early_level, 2), round(found.level, 2), round(found.logit, 3)
    (1.04, 1.05, 0.104)
    """
    validation.instance(law, "law", FeatureData)
    act = _smoothed(settings)
    attack = settings.attack
    if attack is None or attack.rule != "clipped":
        raise ValueError(
            f"settings.attack must be a TrainingAttack with the rule 'clipped', got {attack!r}"
        )
    k, q = law.classes, act.q
    unit = act.rho ** (q - 1) / law.beta ** (q - 2)
    early = (unit / (attack.rate * (1 - 1 / k))) ** (1 / q)
    if attack.rate <= critical_rate(law, q):
        return Plateau(math.inf, math.nan, early, math.nan)
    goal = law.nonrobust_patches * law.beta**2 / (q * attack.rate)
    low, high = 0.0, 1.0 + float(lambertw((k - 1) / math.e).real)
    for _ in range(200):
        middle = 0.5 * (low + high)
        reached = (k - 1) * middle / (math.exp(middle) + k - 1)
        low, high = (middle, high) if reached < goal else (low, middle)
    logit = 0.5 * (low + high)
    power_sum = logit * q * act.rho ** (q - 1) / (law.nonrobust_patches * law.beta**q)
    return Plateau(power_sum ** (1 / q), logit, early, goal)


@checked
def transition_bracket(
    law: FeatureData, settings: TrainingSettings, A0: Positive
) -> tuple[float, float]:
    r"""Return between which steps the early-stage theory puts the phase transition.

    Returned: `lower, upper`: Times at which A climbs from A0 to the plateau of B: without any
    damping, and with the full damping ``(1 - eps/alpha)^q`` from the first step.  Infinite if there
    is no plateau.  Source: Proposition III.6, ours.  `upper` takes ``o = 1 - 1/k`` from start to
    end; it bounds the recursion only if multiplied by about ``(1 - 1/k)`` over the smallest o until
    then.
    """
    level = plateau(law, settings).level
    act, attack = _smoothed(settings), settings.attack
    assert attack is not None
    if attack.eps >= law.alpha:
        raise ValueError(
            f"settings.attack.eps must be below alpha = {law.alpha}, got {attack.eps}: nothing "
            "would be left of the robust feature"
        )
    if math.isinf(level):
        return math.inf, math.inf
    if level <= A0:
        return 0.0, 0.0
    kappa = growth_rates(law, settings)[0]
    damped = kappa * growth_left(law.alpha, attack.eps, act.q)
    return (
        escape_time(A0, level, kappa, act.q)[0],
        escape_time(A0, level, damped, act.q)[1],
    )


@checked
def critical_budget(law: FeatureData, q: float, *, start_ratio: Positive = 1.0) -> float:
    r"""Return the budget at which a strong adversary makes the race even.

    Here `law`: the data, with ``alpha > beta``; `q`: the exponent of the activation, ``> 1``;
    `start_ratio`: ``B0 / A0``, the features in their best filters at the beginning, ``> 0``.

    ``eps* = (r beta - alpha)/(r - 1)`` with ``r = C'^{1/q}``, ``C' = P_NR B0^{q-2} / (P_R
    A0^{q-2})``; 0 if the robust feature wins without any attack.

    An adversary that shortens every feature by eps from the first step (the limit of a fast ascent,
    a sign step) leaves the relative growths ``P_R (alpha - eps)^q A0^{q-2}`` and
    ``P_NR (beta - eps)^q B0^{q-2}``.  They are equal where ``r (beta - eps) = alpha - eps``.  Below
    eps* the non-robust feature wins, between eps* and alpha the robust one.  Since alpha > beta,
    always ``eps* < beta``.

    >>> round(critical_budget(FeatureData(), 3), 3)
    0.314
    """
    validation.instance(law, "law", FeatureData)
    q = validation.scalar(q, "q", exclusive_minimum=1)
    if law.alpha <= law.beta:
        raise ValueError(
            "law must have robust features that are stronger, alpha > beta, "
            f"got alpha = {law.alpha} and beta = {law.beta}"
        )
    r = (law.nonrobust_patches / law.robust_patches * start_ratio ** (q - 2)) ** (1 / q)
    if r * law.beta <= law.alpha:
        return 0.0
    return float((r * law.beta - law.alpha) / (r - 1))


@dataclass(frozen=True)
class RobustnessWindow:
    """Budgets at which the pure non-robust network is broken and the pure robust one is not.

    Fields: `lower`: from here on a network that uses only v is broken; `upper`: below this a
    network that uses only u, in the polynomial part, is robust; from here on every one is broken.
    """

    lower: float
    upper: float

    @property
    def is_empty(self) -> bool:
        """Whether there is no such budget."""
        return self.lower >= self.upper

    def contains(self, eps: float) -> bool:
        """Return whether ``lower <= eps < upper``."""
        return self.lower <= validation.scalar(eps, "eps", minimum=0) < self.upper


@checked
def robustness_window(law: FeatureData, q: float) -> RobustnessWindow:
    r"""Return the budgets for which the choice of the feature decides about robustness.

    Here `law`: the data, taken at mean strengths; `q`: the exponent of the activation, ``>= 1``; 1
    stands for the plain ReLU.

    ``lower = beta / (1 + (P/P_NR)^{1/q})`` and ``upper = alpha / (1 + (P/P_R)^{1/q})``.

    Source: Proposition III.1, ours, proved on the page ``what-is-robust-and-what-is-not``.  At the
    upper end the adversary adds ``eps u_j`` to **all** P patches and ``-eps u_y`` to the P_R robust
    ones: *every* network that uses only u is broken from there on, for any rho and filters, and
    where act is ``c z^q`` on all positive pre-activations it is robust below.  The lower end is the
    same with v, beta and P_NR.

    *When it is empty.* Put ``C = P_NR beta^q / (P_R alpha^q)``.  If nearly all patches are
    non-robust, the window is nonempty if and only if ``C^{1/q} + beta/alpha < 2``, so C has to be
    below 2^q: moderate density, and q = 3 rather than 2.  For the plain ReLU (q = 1) it is empty
    as soon as C >= 2.  This is one thing that the smoothed ReLU is good for.

    >>> window = robustness_window(FeatureData(), 3)
    >>> round(window.lower, 4), round(window.upper, 4)
    (0.4986, 0.6077)
    >>> robustness_window(FeatureData(), 1).is_empty
    True
    """
    validation.instance(law, "law", FeatureData)
    q = validation.scalar(q, "q", minimum=1)
    P = law.patches
    return RobustnessWindow(
        law.beta / (1 + (P / law.nonrobust_patches) ** (1 / q)),
        law.alpha / (1 + (P / law.robust_patches) ** (1 / q)),
    )

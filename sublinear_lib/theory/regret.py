r"""Convergence of Algorithm 1: the regret of gradient descent, term by term (C.10-C.14, Theorem D).

Theorem 4.3 (= C.12) compares the average robust loss of a run with the robust loss of any W* near
the initialization.  Its proof has five steps, and each is a function of numbers here: convexity of
the loss, the exchange of f for the linear pseudo-network g, the telescoping sum of gradient
descent, the coupling of the two gradients (Lemma C.14), and the distance traveled.  Write W_0 for
the initialization, a for ``max |a_r|``, ``D_F = ||W* - W_0||_F``, ``D_W = ||W* - W_0||_{2,inf}``,
``Gamma(D) = sup |f - g - B|`` over ``||W - W_0||_{2,inf} <= D`` with ``B(x) = f(x; W_0)``, and
N(D) for the number of neurons that such a W can switch at a point.

*Theorem D.*  Let the loss be convex and 1-Lipschitz in the prediction, A any rho-bounded adversary,
``W_{t+1} = W_t - eta grad_t`` with the formal gradient of ``L(S^(t), f)``, ``G^2`` a bound of
``||grad_t||_F^2``, and ``D = eta a T``.  Then, for every W*,

    (1/T) sum_{t<T} L_A(f_{W_t}) <= L_{A*}(f_{W*}) + eta G^2 / 2 + D_F^2 / (2 eta T)
                                    + a N(D) (D + D_W) + Gamma(D) + Gamma(D_W).

*Proof*: Theorem D on the page *Repaired theorems*; `step_terms` measures its steps.  Gamma and N
are used at the points that the adversary chose, and nowhere else, and W* only through ``g(x; W*)``.
The paper sums over ``t = 1, ..., T``; telescoping from W_1 replaces D_F by ``D_F + eta G`` and D by
``D + eta a``.

Before changing anything, know the trap of Definition C.11: the printed pseudo-gradient takes the
derivative of the loss at g.  At a kink of the loss it then differs from the other in *every* active
neuron; the common derivative (that at f, in both) is what makes step 5 true.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from sublinear_lib import scaling
from sublinear_lib._arguments import Count, Nonnegative, Positive, Probability, checked
from sublinear_lib._typing import FloatArray
from sublinear_lib.activations import ShiftedReLU, get_activation
from sublinear_lib.losses import Loss, get_loss
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork, expect_network
from sublinear_lib.scaling import PRINTED, Scaling, get_scaling
from sublinear_lib.theory.flips import expected_flips
from sublinear_lib.theory.worst_case import half_width_moments, worst_gap, worst_gap_at
from sublinear_lib.validation import float_array, labels, points_on_slice, scalar

__all__ = [
    "DescentPlan",
    "RegretBound",
    "StepTerms",
    "descent_plan",
    "descent_step",
    "expected_coupling",
    "expected_first_step",
    "expected_kink",
    "expected_one_point",
    "expected_regret",
    "first_step_lower_bound",
    "gradient_coupling",
    "largest_gap",
    "nearest_weights",
    "norm_2_1",
    "norm_2_inf",
    "one_point_descent",
    "one_point_regret",
    "printed_step_lower_bound",
    "regret_bound",
    "regret_powers",
    "step_terms",
    "telescoped",
]


def norm_2_1(W: object) -> float:
    """Return the sum of the Euclidean norms of the rows.

    Definition C.10, dual to `norm_2_inf`: ``|<A, B>| <= ||A||_{2,1} ||B||_{2,inf}``, with equality
    for the B whose rows are those of A, normalized.

    >>> norm_2_1([[3.0, 4.0], [0.0, 2.0]])
    7.0
    """
    return float(_row_norms(W).sum())


def norm_2_inf(W: object) -> float:
    """Return the largest Euclidean norm of a row.

    The distance that the neuron which moved furthest has moved, of a difference of weights (C.10).

    >>> norm_2_inf([[3.0, 4.0], [0.0, 2.0]])
    5.0
    """
    return float(_row_norms(W).max())


def _row_norms(W: object) -> FloatArray:
    rows = float_array(W, "W", shape=("m", "d"))
    return np.asarray(np.linalg.norm(rows, axis=1))


# C.11, C.14


@dataclass(frozen=True)
class GradientCoupling:
    """How far the gradient of f is from the pseudo-gradient at given weights and points.

    Fields: `literal`: ``||pseudo - grad||_{2,1}`` as printed: the derivative of the loss is taken
    at g in the one and at f in the other; `common`: the same with the derivative at f in both;
    `flip_bound`: ``max |a_r|`` times the largest number of flips at a point, a bound of `common`;
    `mean_flip_bound`: ``max |a_r|`` times the mean number of flips, the sharper bound of `common`;
    `active_bound`: ``(1/n) sum_i |v_i - v'_i| sum of |a_r| over the neurons active at W_0``, with
    the two derivatives ``v_i`` and ``v'_i``: by how much `literal` can exceed `common`. For one
    point `literal` is at least ``active_bound - common``.
    """

    literal: float
    common: float
    flip_bound: float
    mean_flip_bound: float
    active_bound: float


def gradient_coupling(
    initial: TwoLayerNetwork, W: object, X: object, y: object, loss: str | Loss
) -> GradientCoupling:
    r"""Compare the two gradients of Definition C.11 in the 2,1-norm (Lemma C.14).

    Source: Definitions C.10 and C.11, Lemma C.14 and its repair; at a kink `derivative` of the loss
    takes the subgradient of smallest absolute value.  For one point and ``|v| = 1`` the common
    difference is equal to ``a flips``.  The literal one has the further part ``(1/n) sum_i (v'_i -
    v_i) a_r x_i 1[z_r > tau]``, which no closeness of W to W_0 makes small: already for ``W = W_0``
    and the absolute loss with the label 0 it has the norm ``a #active``, since ``g = 0`` sits on
    the kink and f does not.

    >>> start = TwoLayerNetwork.initialize(1024, 3, rng=0)
    >>> found = gradient_coupling(start, start.W, [[3**0.5 / 2, 0.0, 0.5]], [0.0], "absolute")
    >>> found.common, found.literal == found.active_bound > 100
    (0.0, True)
    """
    points, values, form = _sample(initial, X, y, loss)
    now = initial.with_weights(W)
    parts = PseudoNetwork(initial, W).decompose(points)
    at_f = form.derivative(values, parts.f)
    at_g = form.derivative(values, parts.g)
    gradient = now.weight_gradient(points, at_f)
    size = np.abs(initial.a)
    weight = float(size.max())
    active = initial.active_mask(points) @ size
    return GradientCoupling(
        literal=norm_2_1(initial.weight_gradient(points, at_g) - gradient),
        common=norm_2_1(initial.weight_gradient(points, at_f) - gradient),
        flip_bound=weight * int(parts.flips.max()),
        mean_flip_bound=weight * float(parts.flips.mean()),
        active_bound=float(np.mean(np.abs(at_f - at_g) * active)),
    )


def _sample(
    network: TwoLayerNetwork, X: object, y: object, loss: str | Loss
) -> tuple[FloatArray, FloatArray, Loss]:
    expect_network(network, "initial")
    points = points_on_slice(X, d=network.d)
    return points, labels(y, n=len(points)), get_loss(loss)


@checked
def expected_coupling(m: Count, a: Nonnegative, tau: Nonnegative, delta: Nonnegative) -> float:
    """Compute the mean of the largest coupling of the gradients over a ball, at one point.

    ``a m P(|z - tau| <= delta)``: the common difference of `gradient_coupling` for the W that flips
    every neuron it can, a loss of slope 1 and one point (Lemma C.14 with Claim C.16).  With ``a =
    m^(-1/5)`` and ``delta = m^(-15/24)`` it is ``m^(27/40) / sqrt(pi) (1 + o(1))`` for ``tau =
    O(1/m)``; the lemma prints ``m^(27/50)``.

    >>> m = 2**80
    >>> value = expected_coupling(m, m**-0.2, 0.0, m ** (-15 / 24))
    >>> round(value / m ** (27 / 40) * math.sqrt(math.pi), 6)
    1.0
    """
    return a * expected_flips(tau, m, delta)


@checked
def expected_kink(m: Count, a: Nonnegative, tau: Nonnegative) -> float:
    """Compute the mean of the literal coupling at W_0, on a kink of the loss.

    ``a m Q(t)``.  Source: Lemma C.14 read with Definition C.11 as printed.  For the absolute loss,
    one point and the label 0, at ``W = W_0``: ``g = 0`` has the derivative 0 (or any fixed number c
    in [-1, 1]), ``f = B`` has ``sgn B``, a fair sign.  The gradients differ in each of the active
    neurons by ``a |sgn B - c|``, and ``|sgn B - c| >= 1`` with probability at least 1/2.

    >>> expected_kink(100, 0.5, 0.0)
    25.0
    """
    return a * m * scaling.activity(tau, m)


# The steps of the proof, measured


@dataclass(frozen=True)
class StepTerms:
    """What the proof of Theorem D multiplies out at one step of a run.

    Fields: `loss`: ``L(S^(t), f_{W_t})``, the loss of the step; `comparator`: ``L(S^(t), f_{W*})``,
    at the same points; `slope`: ``(1/n) sum_i v_i (f_t - f_*)(x_i)``; `linear`: ``(1/n) sum_i v_i
    (g_t - g_*)(x_i)``; `inner`: ``<grad, W_t - W*>``; `coupled`: ``<pseudo - grad, W_t - W*>``,
    with the common derivatives; `coupling`: ``||pseudo - grad||_{2,1}``, with the common
    derivatives; `distance`: ``||W_t - W*||_{2,inf}``; `gradient_squared`: ``||grad||_F^2``;
    `gap_now`, `gap_comparator`: ``max_i |f - g - B|(x_i)`` at W_t and at W*; `flips`: ``max_i`` of
    the number of neurons in which W_t and W_0 differ at ``x_i``; `active_mean`: ``(1/n) sum_i
    k_i``, the mean number of active neurons; `weight`: ``max |a_r|``.
    """

    loss: float
    comparator: float
    slope: float
    linear: float
    inner: float
    coupled: float
    coupling: float
    distance: float
    gradient_squared: float
    gap_now: float
    gap_comparator: float
    flips: int
    active_mean: float
    weight: float

    @property
    def inequalities(self) -> dict[str, tuple[float, float]]:
        """The steps of the proof as pairs (left, right) with ``left <= right``.

        Steps 1, 2, 5 and 6 of the proof of Theorem D, and step 3, an identity, as two inequalities.
        """
        exchanged = self.inner + self.coupled
        return {
            "convexity": (self.loss - self.comparator, self.slope),
            "f for g": (self.slope, self.linear + self.gap_now + self.gap_comparator),
            "linearity of g": (self.linear, exchanged),
            "linearity of g, reversed": (exchanged, self.linear),
            "coupling": (self.coupled, self.coupling * self.distance),
            "flips": (self.coupling, self.weight * self.flips),
            "gradient": (self.gradient_squared, self.weight**2 * self.active_mean),
        }


def step_terms(
    initial: TwoLayerNetwork,
    W: object,
    W_star: object,
    X: object,
    y: object,
    loss: str | Loss,
) -> StepTerms:
    """Measure the terms of the proof of Theorem D at one step of a run.

    Source: proof of Theorem C.12, equations (19), (20) and (22), with the common derivatives of the
    repaired Lemma C.14.  Every term is computed on its own: `linear` from the values of g, not from
    gradients.

    >>> start = TwoLayerNetwork.initialize(512, 3, rng=0)
    >>> x = [[3**0.5 / 2, 0.0, 0.5]]
    >>> terms = step_terms(start, start.W, start.W + 0.01, x, [0.5], "huber")
    >>> all(left <= right + 1e-12 for left, right in terms.inequalities.values())
    True
    """
    points, values, form = _sample(initial, X, y, loss)
    now = PseudoNetwork(initial, W)
    then = PseudoNetwork(initial, W_star)
    here, there = now.decompose(points), then.decompose(points)
    v = form.derivative(values, here.f)
    network = initial.with_weights(now.W)
    gradient = network.weight_gradient(points, v)
    difference = initial.weight_gradient(points, v) - gradient
    away = now.W - then.W
    return StepTerms(
        loss=float(np.mean(form.value(values, here.f))),
        comparator=float(np.mean(form.value(values, there.f))),
        slope=float(np.mean(v * (here.f - there.f))),
        linear=float(np.mean(v * (here.g - there.g))),
        inner=float(np.vdot(gradient, away)),
        coupled=float(np.vdot(difference, away)),
        coupling=norm_2_1(difference),
        distance=norm_2_inf(away),
        gradient_squared=float(np.vdot(gradient, gradient)),
        gap_now=float(np.abs(here.gap - here.B).max()),
        gap_comparator=float(np.abs(there.gap - there.B).max()),
        flips=int(here.flips.max()),
        active_mean=float(network.activity(points).mean() * network.m),
        weight=float(np.abs(initial.a).max()),
    )


@checked
def telescoped(
    gradient_squared: object, before: Nonnegative, after: Nonnegative, eta: Positive
) -> float:
    """Compute ``sum_t <grad_t, W_t - W*>`` of a run of gradient descent from its two ends.

    ``(eta/2) sum_t ||grad_t||_F^2 + (before^2 - after^2) / (2 eta)``, `before` and `after` being
    the distances of W_0 and W_T from W*.  Source: equation (21), as an identity: ``W_{t+1} = W_t -
    eta grad_t`` gives ``2 eta <grad_t, W_t - W*> = eta^2 ||grad_t||^2 + ||W_t - W*||^2 - ||W_{t+1}
    - W*||^2``.  Dropping ``after`` makes it the inequality of the proof.

    >>> telescoped([4.0], before=3.0, after=2.0, eta=0.5)  # from 3 to 2 by 0.5 * 2: 2 * 3
    6.0
    """
    squares = float_array(gradient_squared, "gradient_squared", shape=("T",))
    return 0.5 * eta * float(squares.sum()) + (before**2 - after**2) / (2.0 * eta)


# Theorem D


@dataclass(frozen=True)
class DescentPlan:
    """Step size and number of steps of Theorem D, with the distance that they allow.

    Fields: `gradient_squared`: ``G^2 = a^2 k``, a bound of ``||grad||_F^2`` while at most k neurons
    are active; `eta`: ``epsilon / G^2``; `steps`: ``T``, the smallest integer ``>= D_F^2 G^2 /
    epsilon^2``, and at least 1; `drift`: ``D = eta a T``: no neuron moves further in T steps.
    """

    gradient_squared: float
    eta: float
    steps: int
    drift: float


@checked
def descent_step(a: Positive, active: Positive, epsilon: Positive) -> float:
    """Return the step size of Theorem D.

    ``eta = epsilon / G^2`` with ``G^2 = a^2 k`` for k active neurons.

    >>> descent_step(a=0.5, active=8, epsilon=0.5)
    0.25
    """
    return epsilon / (a**2 * active)


@checked
def descent_plan(a: Positive, active: Positive, D_F: Positive, epsilon: Positive) -> DescentPlan:
    """Choose the step size and the number of steps of Theorem D.

    ``eta G^2 / 2 = epsilon / 2``, and ``eta T >= D_F^2 / epsilon``, so ``eta G^2 / 2 + D_F^2 / (2
    eta T) <= epsilon``.  With ``k = m p`` and ``a = m^(-alpha)`` the step size is ``epsilon m^(2
    alpha - 1) / p``, where Theorem 4.3 prints ``epsilon m^(-1/5)``; the drift is ``a D_F^2 /
    epsilon``, up to one step.

    >>> plan = descent_plan(a=0.5, active=8, D_F=1.0, epsilon=0.5)
    >>> plan.gradient_squared, plan.eta, plan.steps, plan.drift
    (2.0, 0.25, 8, 1.0)
    """
    squared = a**2 * active
    eta = descent_step(a, active, epsilon)
    # Rounding must not add a step.
    steps = max(1, math.ceil(D_F**2 * squared / epsilon**2 * (1.0 - 1e-12)))
    return DescentPlan(squared, eta, steps, eta * a * steps)


def regret_powers(scaling: str | Scaling = PRINTED) -> dict[str, Fraction]:
    r"""Give the power of m in every term of Theorem D, with the step size that a set prescribes.

    ``eta``, ``gradient`` (``||grad||_F^2``), ``noise`` (``eta ||grad||_F^2``), ``start`` (``D_F^2 /
    (eta T)``), ``drift`` (``D = eta a T``), ``coupling`` (``a N(D) (D + D_W)``), ``gap_run``
    (Gamma(D), the gap over a ball of radius ``m^drift``) and ``gap_comparator`` (Gamma(D_W));
    powers of ``log m`` left out.  The step size and the number of steps are the *prescribed* ones,
    for PRINTED those of Theorem 4.3; W* moves the neurons that fire.

    >>> powers = regret_powers("R2")
    >>> str(powers["noise"]), str(powers["coupling"])
    ('0', '-1/10')
    """
    rules = get_scaling(scaling)
    far = replace(rules, beta=-rules.drift_exponent)
    return {
        "eta": rules.eta_exponent,
        "gradient": rules.gradient_exponent,
        "noise": rules.eta_exponent + rules.gradient_exponent,
        "start": rules.active_exponent - 2 * rules.beta - rules.eta_exponent - rules.steps_exponent,
        "drift": rules.drift_exponent,
        "coupling": rules.coupling_exponent,
        "gap_run": far.gap_exponent,
        "gap_comparator": rules.gap_exponent,
    }


@dataclass(frozen=True)
class RegretBound:
    """The right-hand side of Theorem D, term by term.

    Fields: `comparator`: ``L_{A*}(f_{W*})``; `noise`: ``eta G^2 / 2``: what steps of this size
    cost; `start`: ``D_F^2 / (2 eta T)``: what the distance to W* costs; `coupling`: ``a N (D +
    D_W)``; `gap_run`: ``Gamma(D)``; `gap_comparator`: ``Gamma(D_W)``.
    """

    comparator: float
    noise: float
    start: float
    coupling: float
    gap_run: float
    gap_comparator: float

    @property
    def optimization(self) -> float:
        """``eta G^2 / 2 + D_F^2 / (2 eta T)``, the regret of gradient descent on a linear model."""
        return self.noise + self.start

    @property
    def shares(self) -> dict[str, float]:
        """The five parts of the sum by name, the two optimization terms taken together."""
        return {
            "loss of *W**": self.comparator,
            "optimization": self.optimization,
            "coupling": self.coupling,
            "gap of the run": self.gap_run,
            "gap of *W**": self.gap_comparator,
        }

    @property
    def vanishing(self) -> float:
        """The terms that tend to zero with the width: coupling and both gaps."""
        return self.coupling + self.gap_run + self.gap_comparator

    @property
    def total(self) -> float:
        """The right-hand side: a bound of the average robust loss of the run."""
        return self.comparator + self.optimization + self.vanishing


@checked
def regret_bound(
    *,
    comparator: Nonnegative,
    eta: Positive,
    steps: Count,
    gradient_squared: Nonnegative,
    D_F: Nonnegative,
    D_W: Nonnegative,
    drift: Nonnegative,
    a: Nonnegative,
    flips: Nonnegative,
    gap_run: Nonnegative,
    gap_comparator: Nonnegative,
) -> RegretBound:
    """Put the right-hand side of Theorem D together.

    Here `comparator`: ``L_{A*}(f_{W*})`` or an upper bound; `gradient_squared`: ``G^2``, a bound of
    ``||grad_t||_F^2`` or of its average over the run; `drift`: ``max_t ||W_t - W_0||_{2,inf}`` or
    the bound ``eta a T``; `flips`: bound of the number of flips at a point during the run;
    `gap_run`, `gap_comparator`: ``Gamma(drift)`` and ``Gamma(D_W)``.

    The theorem is true with the distances and counts of the run itself as with the bounds that are
    known beforehand.  In the example, one neuron is far above the threshold and a label at distance
    1: nothing flips, and the average loss of 4 steps of length 1/4 is ``(1 + 3/4 + 1/2 + 1/4) / 4 =
    5/8``, equal to the bound.

    >>> bound = regret_bound(comparator=0.0, eta=0.25, steps=4, gradient_squared=1.0, D_F=1.0,
    ...     D_W=1.0, drift=1.0, a=1.0, flips=0, gap_run=0.0, gap_comparator=0.0)
    >>> bound.total
    0.625
    """
    reach = drift + D_W
    return RegretBound(
        comparator=comparator,
        noise=0.5 * eta * gradient_squared,
        start=D_F**2 / (2.0 * eta * steps),
        coupling=a * flips * reach,
        gap_run=gap_run,
        gap_comparator=gap_comparator,
    )


@checked
def largest_gap(initial: TwoLayerNetwork, X: object, delta: Nonnegative) -> float:
    """Compute ``Gamma(delta)`` at given points: the exact ``sup_W |f - g - B|`` over the ball.

    The maximum over the points: at the adversarial points of a run what the proof of Theorem D
    uses; for d = 2, where X has two points, the supremum over X.

    >>> start = TwoLayerNetwork.initialize(256, 2, rng=0)
    >>> largest_gap(start, [[3**0.5 / 2, 0.5]], 0.0)
    0.0
    """
    points = points_on_slice(X, d=initial.d)
    return max(worst_gap_at(initial, x, delta).largest_centered for x in points)


def nearest_weights(initial: TwoLayerNetwork, X: object, targets: object) -> FloatArray:
    r"""Find the weights nearest to W_0 whose pseudo-network takes given values.

    ``W = W_0 + sum_p l_p a_r x_p 1[z_r(x_p) > tau]`` of least Frobenius distance from W_0, in the
    sense of least squares if the values cannot all be met: g is linear in W, so the minimizer is a
    combination of its p gradients, whose coefficients solve ``K l = targets`` with ``K_pq = <x_p,
    x_q> sum_r a_r^2 1[r active at both]``.  The targets ``y - f(x; W_0)`` make ``f(x; W) - y`` as
    small as ``|f - g - B|``: the comparison weights of Theorem 4.3, with the norm that Theorem D
    charges.

    >>> start = TwoLayerNetwork.initialize(256, 3, rng=0)
    >>> x = [[3**0.5 / 2, 0.0, 0.5]]
    >>> W = nearest_weights(start, x, [0.25])
    >>> PseudoNetwork(start, W).forward(x).round(12)
    array([0.25])
    """
    points = points_on_slice(X, d=initial.d)
    values = float_array(targets, "targets", shape=(len(points),))
    pull = initial.active_mask(points) * initial.a
    kernel = (points @ points.T) * (pull @ pull.T)
    solved = np.linalg.lstsq(kernel, values, rcond=1e-12)[0]
    W: FloatArray = initial.W + (pull * solved[:, None]).T @ points
    return W


@checked
def expected_regret(
    m: Count,
    K: Positive,
    epsilon: Positive,
    scaling: str | Scaling = PRINTED,
    *,
    share: float = 1.0,
) -> RegretBound:
    r"""Compute the bound of Theorem D from closed forms, for one point and a whole scaling.

    Here `share`: share of the neurons that W* moves, in (0, 1]: ``D_F^2 = share m D_W^2``.

    With the comparator's loss set to 0, ``k = m Q(t)``, `descent_plan` (the number of steps not
    rounded), the mean number of flips over the ball of radius ``D = a D_F^2 / epsilon`` and the
    means of ``sup (f - g)`` over both balls.  The vanishing terms are of order ``a m^(3/2) phi(t)
    (D + D_W)^2``: at the printed powers they grow, at R1, R2 and R3 they decay like ``m^(-3/10)``,
    ``m^(-1/10)`` and ``m^(-1/10)`` (the last up to powers of ``log m``).

    >>> bounds = [expected_regret(2**k, 1.0, 0.25, "R2") for k in (20, 40, 60)]
    >>> [round(bound.optimization, 12) for bound in bounds]
    [0.25, 0.25, 0.25]
    >>> bool(bounds[0].vanishing > bounds[1].vanishing > bounds[2].vanishing)
    True
    """
    rules = get_scaling(scaling)
    moved = scalar(share, "share", exclusive_minimum=0.0, maximum=1.0)
    a, D_W = rules.output_weight(m), rules.radius(m, K)
    tau = rules.tau(m, K=K)
    D_F = math.sqrt(moved * m) * D_W
    drift = a * D_F**2 / epsilon
    return RegretBound(
        comparator=0.0,
        noise=0.5 * epsilon,
        start=0.5 * epsilon,
        coupling=a * expected_flips(tau, m, drift) * (drift + D_W),
        gap_run=half_width_moments(m, a, drift, tau, rules.activation).mean,
        gap_comparator=half_width_moments(m, a, D_W, tau, rules.activation).mean,
    )


# Theorem 4.3 on one point


@dataclass(frozen=True, eq=False)
class OnePointRun:
    """Gradient descent on one point with the absolute loss.

    Fields: `values`: ``f(x; W_t)`` for ``t = 0, ..., T``; `losses`: ``|f(x; W_t) - y|``; `pseudo`:
    ``g(x; W_t)``; `drift`: ``||W_t - W_0||_{2,inf}``; `kink`: ``||pseudo - grad||_{2,1}`` of
    Definition C.11 as printed; `coupling`: the same with the common derivative; `gradient_squared`:
    ``||grad_t||_F^2``: the sum of ``a_r^2`` over the active neurons, 0 on the label.
    """

    values: FloatArray
    losses: FloatArray
    pseudo: FloatArray
    drift: FloatArray
    kink: FloatArray
    coupling: FloatArray
    gradient_squared: FloatArray

    @property
    def average(self) -> float:
        """``(1/T) sum_{t=1}^T`` of the losses, as in Theorem 4.3."""
        return float(self.losses[1:].mean())


@checked
def one_point_descent(
    z: object,
    a: object,
    tau: Nonnegative,
    y: float,
    eta: Positive,
    steps: Count,
    activation: str | ShiftedReLU = "jump",
) -> OnePointRun:
    r"""Run Algorithm 1 on one training point with the absolute loss, in one variable per neuron.

    Source: Algorithm 1 with ``n = 1``, d = 2 and any ``rho < sqrt(3)``: X is two points at distance
    ``sqrt(3)``, so the adversary can only return x, and ``W_t = W_0 + u_t x`` with ``u_{r,t+1} =
    u_{r,t} - eta sgn(f - y) a_r`` for the active neurons.  Both gradients are multiples of x, so
    their difference has the 2,1-norm ``sum_r |a_r| |v 1[active now] - v' 1[active at W_0]|``, where
    v is the sign of ``f - y`` and v' that of ``g - y`` (or v again).

    >>> run = one_point_descent([1.0], [1.0], tau=0.5, y=0.0, eta=0.25, steps=2)
    >>> run.losses, run.average
    (array([1.  , 0.75, 0.  ]), 0.375)
    """
    start = float_array(z, "z", shape=("m",))
    weights = float_array(a, "a", shape=start.shape)
    label = scalar(y, "y", minimum=-1.0, maximum=1.0)
    shift = tau - get_activation(activation).jump_height(tau)
    # The others have no gradient and never move.
    initial = start > tau
    start, weights = start[initial], weights[initial]
    size = np.abs(weights)
    u = np.zeros_like(start)
    rows = np.empty((7, steps + 1))
    for t in range(steps + 1):
        now = start + u
        active = now > tau
        pull = weights * active
        f = float(pull @ now) - shift * float(pull.sum())
        g = float(weights @ u)
        v, other = float(np.sign(f - label)), float(np.sign(g - label))
        both, flipped = float(size @ active), float(size @ ~active)
        kink = both * abs(v - other) + flipped * abs(other)
        drift, squared = float(np.abs(u).max(initial=0.0)), float(pull @ pull) * abs(v)
        rows[:, t] = (f, abs(f - label), g, drift, kink, flipped * abs(v), squared)
        u -= (eta * v) * pull
    return OnePointRun(*rows)


@dataclass(frozen=True, eq=False)
class OnePointRegret:
    """A run on one point with both right-hand sides of Theorem D.

    Fields: `run`: the run; `average`: ``(1/T) sum_{t<T} |f(x; W_t) - y|``, the left-hand side of
    Theorem D; `D_F`, `D_W`: ``||W* - W_0||_F`` and ``||W* - W_0||_{2,inf}`` of the nearest weights
    that fit the label; `measured`, `promised`: the right-hand side with the numbers of the run, and
    with those known before it, which need that no more neurons fire during the run than at the
    start.
    """

    run: OnePointRun
    average: float
    D_F: float
    D_W: float
    measured: RegretBound
    promised: RegretBound


@checked
def one_point_regret(
    z: object,
    a: object,
    tau: Nonnegative,
    y: float,
    eta: Positive,
    steps: Count,
    activation: str | ShiftedReLU = "jump",
) -> OnePointRegret:
    r"""Run Algorithm 1 on one training point, and evaluate Theorem D on the run.

    W* is `nearest_weights`: every active neuron moves by ``(y - B) a_r / sum a_r^2`` along x, so
    ``D_F^2 = (y - B)^2 / sum a_r^2`` and ``g(x; W*) = y - B``.

    >>> found = one_point_regret([1.0], [1.0], tau=0.5, y=0.5, eta=0.25, steps=2)
    >>> found.average, found.measured.optimization, found.D_F
    (0.375, 0.375, 0.5)
    """
    form = get_activation(activation)
    run = one_point_descent(z, a, tau, y, eta, steps, form)
    start = float_array(z, "z", shape=("m",))
    weights = float_array(a, "a", shape=start.shape)
    pull = weights * (start > tau)
    squared = float(pull @ pull)
    if squared == 0.0:
        raise ValueError("no neuron fires at the point, so that no W* can be found")
    move = (float(y) - float(run.values[0])) / squared * pull
    D_F, D_W = float(np.linalg.norm(move)), float(np.abs(move).max())
    weight = float(np.abs(weights).max())
    reached = float(weights @ form.value(start + move, tau))
    drift = float(run.drift.max())
    # Flips are counted in the weight |a_r| that the run lost or gained, as a multiple of the
    # largest; `coupling` has them so where the gradient is not zero.
    flips = float(run.coupling[:-1].max()) / weight
    planned = eta * weight * steps
    switched = int(np.count_nonzero(np.abs(start - tau) <= planned))

    def bound(gradient: float, distance: float, count_of_flips: float) -> RegretBound:
        return regret_bound(
            comparator=abs(reached - float(y)),
            eta=eta,
            steps=steps,
            gradient_squared=gradient,
            D_F=D_F,
            D_W=D_W,
            drift=distance,
            a=weight,
            flips=count_of_flips,
            gap_run=worst_gap(start, weights, distance, tau, form).largest_centered,
            gap_comparator=worst_gap(start, weights, D_W, tau, form).largest_centered,
        )

    return OnePointRegret(
        run=run,
        average=float(run.losses[:-1].mean()),
        D_F=D_F,
        D_W=D_W,
        measured=bound(float(run.gradient_squared[:-1].mean()), drift, flips),
        promised=bound(squared, planned, switched),
    )


@checked
def expected_one_point(
    m: Count,
    a: Positive,
    tau: Nonnegative,
    y: float,
    eta: Positive,
    steps: Count,
    activation: str | ShiftedReLU = "jump",
) -> RegretBound:
    r"""Compute the right-hand side of Theorem D for one point from closed forms.

    `OnePointRegret.promised` with every count replaced by its mean, the initial output and the loss
    of W* by 0: with ``k = m Q(t)`` active neurons ``G^2 = a^2 k``, ``D_F^2 = y^2 / (a^2 k)``, ``D_W
    = |y| / (a k)`` and ``D = eta a T``.

    >>> bound = expected_one_point(2**40, 2**-8, 0.0, 1.0, 0.25 / (2**-16 * 2**39), 16)
    >>> round(bound.noise, 12), round(bound.start, 12)
    (0.125, 0.125)
    """
    label = abs(scalar(y, "y", minimum=-1.0, maximum=1.0))
    if label == 0.0:
        raise ValueError("y must not be 0: W* = W_0 would be compared with itself")
    form = get_activation(activation)
    firing = m * scaling.activity(tau, m)
    if firing == 0.0:
        raise ValueError(f"tau must let some neurons fire, got {tau}: their share underflows")
    D_W = label / (a * firing)
    drift = eta * a * steps
    return regret_bound(
        comparator=0.0,
        eta=eta,
        steps=steps,
        gradient_squared=a**2 * firing,
        D_F=label / (a * math.sqrt(firing)),
        D_W=D_W,
        drift=drift,
        a=a,
        flips=expected_flips(tau, m, drift),
        gap_run=half_width_moments(m, a, drift, tau, form).mean,
        gap_comparator=half_width_moments(m, a, D_W, tau, form).mean,
    )


@checked
def first_step_lower_bound(
    z: object, a: object, tau: Nonnegative, y: float, eta: Positive
) -> float:
    r"""Bound the loss after one step from below, for one point and the absolute loss.

    ``eta sum a_r^2 - |f_0 - y|``, the sum over the active neurons with ``a_r (f_0 - y) < 0``, for
    the jump activation: the counterexample to Theorem 4.3, on the page *Does it converge?*.

    >>> first_step_lower_bound([1.0, 1.0], [1.0, -0.5], tau=0.5, y=0.0, eta=8.0)
    1.5
    """
    start = float_array(z, "z", shape=("m",))
    weights = float_array(a, "a", shape=start.shape)
    label = scalar(y, "y", minimum=-1.0, maximum=1.0)
    active = start > tau
    f = float((weights * active) @ start)
    moving = active & (weights * (f - label) < 0.0)
    return eta * float((weights[moving] ** 2).sum()) - abs(f - label)


@checked
def expected_first_step(m: Count, a: Nonnegative, tau: Nonnegative, eta: Positive) -> float:
    """Compute the mean of ``eta sum a_r^2`` over the neurons that certainly push in one step.

    ``eta a^2 m Q(t) / 2``: each neuron is active with probability Q(t) and has the right sign with
    probability 1/2.  The mean is for a *given* sign, before that of ``f_0 - y`` is known; the
    number is binomial, and for both signs it is ``(m Q(t) / 2)(1 + O(m^{-1/2}))``.

    >>> expected_first_step(100, 0.5, 0.0, 0.2)
    1.25
    """
    return eta * a**2 * m * scaling.activity(tau, m) / 2.0


@checked
def printed_step_lower_bound(m: Count, epsilon: Probability) -> float:
    """Bound the loss after one step of the printed size, up to a factor 1 + o(1).

    ``(1/4) epsilon m^(2/5) - 2``: `expected_first_step` at ``|a_r| = m^(-1/5)``, ``eta = epsilon
    m^(-1/5)`` and ``Q -> 1/2``, and ``|f_0 - y| <= 2``.

    >>> round(printed_step_lower_bound(10**10, 0.01), 9)
    23.0
    """
    step = PRINTED.eta(m, epsilon)
    return step * PRINTED.output_weight(m) ** 2 * m / 4.0 - 2.0

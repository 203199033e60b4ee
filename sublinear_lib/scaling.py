r"""Powers of the width: who is how large in the paper, in exact fractions.

Everything the theorems tune is a power of ``m``: the output weights ``|a_r| = m^-alpha``, the ball
``||w_r - w_{r,0}|| <= K m^-beta`` around the initialization, the fraction ``m^-c`` of neurons that
fire, the step size and the number of steps (Definition 3.1, Theorems 4.1, 4.3, 4.4, Lemma 4.5).
A `Scaling` holds those choices; it alone knows them, every other room takes numbers.  Its derived
exponents follow from five facts, with ``s = sqrt(2/m)`` and ``z_r(x) = <w_{r,0}, x> + b_r``:

1. On the slice ``||x|| = 1``, so ``z_r(x) ~ N(0, s^2)``, independently over ``r``.
2. With ``t = tau / s`` a neuron fires with probability ``Q(t)``, the upper normal tail; the rule
   ``t = sqrt(2 c log m)`` makes that ``m^-c`` up to powers of ``log m``.
3. The density of ``z_r`` at ``tau`` is ``phi(t) / s``, that is ``m^(1/2-c)`` up to constants.
4. Hence about ``m * delta * m^(1/2-c)`` neurons lie within ``delta <= s`` of the threshold, and all
   ``m`` of them as soon as ``delta`` is of larger order than ``s``.
5. Only a neuron within ``delta`` of the threshold can change its state when its weight vector moves
   by ``delta``; its term in ``f - g`` then changes by at most ``delta`` plus the jump of the
   activation.

Before changing a preset, know that ``PRINTED`` is the paper as printed: its step size and number of
steps are kept although the derived ones differ (Theorem 4.3 fails with them).  All thresholds are
in absolute units; multiples of the standard deviation are always called ``t``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import overload

import numpy as np
from scipy import special

from sublinear_lib import validation
from sublinear_lib._arguments import Count, Nonnegative, Positive, checked
from sublinear_lib._typing import FloatArray
from sublinear_lib.activations import CONTINUOUS, JUMP, ShiftedReLU, get_activation

__all__ = [
    "K_M35",
    "K_M45",
    "ONE_OVER_M",
    "PRESETS",
    "PRINTED",
    "R1",
    "R2",
    "R3",
    "SPARSE_C",
    "STANDARD_T",
    "TAU_RULES",
    "Scaling",
    "TauRule",
    "activity",
    "activity_at",
    "get_scaling",
    "get_tau_rule",
    "preactivation_std",
    "standardize_threshold",
    "threshold_from_activity",
    "threshold_from_standard",
]

_HALF = Fraction(1, 2)
_ONE = Fraction(1)


@checked
def preactivation_std(m: Count) -> float:
    """Return the standard deviation of a pre-activation at initialization.

    The entries of ``w_r`` and ``b_r`` are independent ``N(0, 1/m)``, so ``<w_r, x> + b_r`` has
    variance ``(||x||^2 + 1) / m = 2/m`` at every ``x`` of norm 1.

    ``sqrt(2/m)``.  Source: Definition 3.1; used in Lemmas C.6 and C.15.

    >>> preactivation_std(8)
    0.5
    """
    return math.sqrt(2.0 / m)


@checked
def standardize_threshold(tau: Nonnegative, m: Count) -> float:
    """Return the threshold in multiples of the standard deviation of a pre-activation.

    ``t = tau / sqrt(2/m)``.

    >>> standardize_threshold(1.0, 8)
    2.0
    """
    return tau / preactivation_std(m)


@checked
def threshold_from_standard(t: Nonnegative, m: Count) -> float:
    """Return the threshold in absolute units; the inverse of `standardize_threshold`.

    ``tau = t sqrt(2/m)``.

    >>> threshold_from_standard(2.0, 8)
    1.0
    """
    return t * preactivation_std(m)


@overload
def activity_at(t: float) -> float: ...


@overload
def activity_at(t: FloatArray) -> FloatArray: ...


def activity_at(t: float | FloatArray) -> float | FloatArray:
    """Return the expected fraction of neurons that fire at a standardized threshold.

    Here `t`: thresholds in multiples of the standard deviation, finite, of any sign.

    ``Q(t) = P(N(0, 1) > t)``, accurate in the far tail.

    Raises TypeError, ValueError: for entries that are not finite real numbers.

    Source: the exact count behind Lemma 4.5 (C.15), by fact 2 of the module.

    >>> activity_at(0.0)
    0.5
    >>> round(activity_at(1.6448536269514722), 12)
    0.05
    """
    values = validation.float_array(t, "t", allow_empty=True)
    tails: FloatArray = np.asarray(special.ndtr(-values), dtype=np.float64)
    return float(tails) if tails.ndim == 0 else tails


@checked
def activity(tau: Nonnegative, m: Count) -> float:
    """Return the expected fraction of neurons that fire at initialization.

    ``Q(tau sqrt(m/2))``.

    >>> activity(0.0, 1024)
    0.5
    """
    return activity_at(standardize_threshold(tau, m))


@checked
def threshold_from_activity(p: float, m: Count) -> float:
    """Return the threshold at which a fraction `p` of the neurons is expected to fire.

    Here `p`: expected active fraction, ``0 < p <= 1/2`` (a larger fraction needs a negative
    threshold).

    The threshold in absolute units; the inverse of `activity`.

    >>> round(activity(threshold_from_activity(0.05, 1024), 1024), 12)
    0.05
    """
    fraction = validation.scalar(p, "p", exclusive_minimum=0.0, maximum=0.5)
    # Adding zero turns the -0.0 of p = 1/2 into 0.0.
    return float(-special.ndtri(fraction)) * preactivation_std(m) + 0.0


@checked
def standard_from_sparsity(c: Nonnegative, m: Count) -> float:
    """Return the standardized threshold of a sparsity exponent.

    Here `c`: sparsity exponent, ``>= 0``.

    ``t = sqrt(2 c log m)``, at which about ``m^(1-c)`` neurons fire, up to powers of ``log m``.
    Source: the repair R3, the rule `SPARSE_C`.

    >>> round(standard_from_sparsity(0.2, 1024), 3)
    1.665
    """
    return math.sqrt(2.0 * c * math.log(m))


def _in_unit_interval(value: Fraction, name: str) -> Fraction:
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be >= 0 and <= 1, got {value}")
    return value


@dataclass(frozen=True)
class TauRule:
    """A rule that sets the threshold from the width.

    Parameters
    ----------
    key : str
        The name in `TAU_RULES`.
    label : str
        The rule as plain text.
    decay : fractions.Fraction or None
        ``tau`` is of order ``m^-decay``, up to powers of ``log m``; None when it is zero.
    parameters : tuple of str
        Which of ``"K"``, ``"c"``, ``"t"`` the rule uses.
    formula : callable
        ``formula(m, K, c, t) -> tau``.
    """

    key: str
    label: str
    decay: Fraction | None
    parameters: tuple[str, ...]
    formula: Callable[[int, float, float, float], float] = field(repr=False, compare=False)

    @checked
    def tau(
        self,
        m: Count,
        *,
        K: Positive = 1.0,
        c: float | Fraction = Fraction(1, 5),
        t: Nonnegative = 1.0,
    ) -> float:
        """Return the threshold at width `m`.

        Here `c`: the sparsity exponent of the rule ``"c"``, in ``[0, 1]``.

        >>> ONE_OVER_M.tau(1000)
        0.001
        >>> STANDARD_T.tau(8, t=2.0)
        1.0
        """
        sparsity = float(c) if isinstance(c, Fraction) else c
        sparsity = validation.scalar(sparsity, "c", minimum=0.0, maximum=1.0)
        return self.formula(m, K, sparsity, t)


def _tau_zero(m: int, K: float, c: float, t: float) -> float:
    return 0.0


def _tau_one_over_m(m: int, K: float, c: float, t: float) -> float:
    return 1.0 / m


def _tau_k_m35(m: int, K: float, c: float, t: float) -> float:
    return K * math.pow(m, -3.0 / 5.0)


def _tau_k_m45(m: int, K: float, c: float, t: float) -> float:
    return K * math.pow(m, -4.0 / 5.0)


def _tau_standard(m: int, K: float, c: float, t: float) -> float:
    return t * math.sqrt(2.0 / m)


def _tau_sparse(m: int, K: float, c: float, t: float) -> float:
    return math.sqrt(2.0 / m) * standard_from_sparsity(c, m)


ZERO = TauRule("zero", "0", None, (), _tau_zero)
"""No threshold, the plain ReLU: half of the neurons fire."""

ONE_OVER_M = TauRule("1/m", "1/m", _ONE, (), _tau_one_over_m)
"""``tau = 1/m``, the threshold of Section 4.1: ``tau = O(1/m)`` in Theorems 4.1 and 4.4."""

K_M35 = TauRule(
    "K/m^{3/5}",
    "K/m^(3/5)",
    Fraction(3, 5),
    ("K",),
    _tau_k_m35,
)
"""``tau = K m^(-3/5)``, the threshold of the counting lemma (Section 4.2)."""

K_M45 = TauRule(
    "K/m^{4/5}",
    "K/m^(4/5)",
    Fraction(4, 5),
    ("K",),
    _tau_k_m45,
)
"""``tau = K m^(-4/5)``, the radius of the repair R1 used as a threshold."""

STANDARD_T = TauRule(
    "t",
    "t * sqrt(2/m)",
    _HALF,
    ("t",),
    _tau_standard,
)
"""``tau = t sqrt(2/m)``: the active fraction is ``Q(t)`` at every width."""

SPARSE_C = TauRule(
    "c",
    "sqrt(2/m) * sqrt(2 c log m)",
    _HALF,
    ("c",),
    _tau_sparse,
)
"""``tau = sqrt(2/m) sqrt(2 c log m)``: about ``m^(1-c)`` neurons fire.

The repair R3; c = 1/5 is the threshold of Song, Yang and Zhang (2021).
"""

TAU_RULES: Mapping[str, TauRule] = MappingProxyType(
    {rule.key: rule for rule in (ZERO, ONE_OVER_M, K_M35, K_M45, STANDARD_T, SPARSE_C)}
)
"""The threshold rules by key."""


def get_tau_rule(rule: object) -> TauRule:
    """Return the threshold rule of that key; a rule is returned as it is.

    Here `rule`: A key of `TAU_RULES` or an instance.

    Raises TypeError, ValueError: for anything else.

    >>> get_tau_rule("1/m") is ONE_OVER_M
    True
    """
    if isinstance(rule, TauRule):
        return rule
    return TAU_RULES[validation.choice(rule, "tau_rule", tuple(TAU_RULES))]


@dataclass(frozen=True)
class Scaling:
    """A choice of all powers of the width, and what follows from it.

    The exponents that a choice *prescribes* are fields; the exponents that *follow* are properties,
    each with its derivation, and are exact fractions.  They give the power of ``m`` for ``K`` and
    ``epsilon`` fixed, up to powers of ``log m``.

    Parameters
    ----------
    name : str
        A short name.
    alpha : fractions.Fraction or int
        ``|a_r| = m^-alpha``, ``0 <= alpha <= 1``.
    beta : fractions.Fraction or int
        The ball around the initialization has radius ``K m^-beta``, ``0 <= beta <= 1``.
    c : fractions.Fraction or int
        A fraction ``m^-c`` of the neurons fires, ``0 <= c <= 1``; positive only with the threshold
        rule `SPARSE_C`, which is what makes it true.
    activation : ShiftedReLU or {"jump", "continuous"}
        The activation.
    tau_rule : TauRule or str
        The threshold.
    eta_exponent, steps_exponent : fractions.Fraction or int
        The step size ``epsilon m^eta_exponent`` and the number of steps
        ``(K/epsilon)^2 m^steps_exponent`` that the choice prescribes.

    Raises
    ------
    TypeError
        If an exponent is not exact (a float).
    ValueError
        If an exponent is out of range or `c` contradicts the threshold rule.

    Examples
    --------
    >>> PRINTED.gap_exponent, R3.gap_exponent
    (Fraction(1, 10), Fraction(-1, 10))
    >>> PRINTED.eta_exponent, PRINTED.derived_eta_exponent
    (Fraction(-1, 5), Fraction(-3, 5))
    """

    name: str
    alpha: Fraction
    beta: Fraction
    c: Fraction
    activation: ShiftedReLU
    tau_rule: TauRule
    eta_exponent: Fraction
    steps_exponent: Fraction

    def __post_init__(self) -> None:
        """Check the choice and store it in its exact form."""
        for name in ("alpha", "beta", "c"):
            value = _in_unit_interval(validation.exact(getattr(self, name), name), name)
            object.__setattr__(self, name, value)
        for name in ("eta_exponent", "steps_exponent"):
            object.__setattr__(self, name, validation.exact(getattr(self, name), name))
        object.__setattr__(self, "activation", get_activation(self.activation))
        object.__setattr__(self, "tau_rule", get_tau_rule(self.tau_rule))
        if self.c > 0 and self.tau_rule != SPARSE_C:
            raise ValueError(
                f"c must be 0 unless tau_rule is 'c' (only that threshold leaves m^-c of the "
                f"neurons active), got c = {self.c} with tau_rule {self.tau_rule.key!r}"
            )

    def output_weight(self, m: int) -> float:
        """Return ``|a_r| = m^-alpha``.

        Here `m`: width, ``m >= 1``.

        The absolute value of every output weight.

        Raises TypeError, ValueError: if `m` is not a positive integer.

        Source: Definition 3.1 (``alpha = 1/5``).

        >>> round(R2.output_weight(32), 12)
        0.25
        """
        return _power(m, -self.alpha)

    @checked
    def radius(self, m: int, K: Positive = 1.0) -> float:
        """Return the radius ``K m^-beta`` of the ball around the initialization.

        Here `m`: width, ``m >= 1``.

        The bound of ``||w_r - w_{r,0}||`` for every neuron, in absolute units.  Source: Theorem 4.1
        (``beta = 3/5``).

        >>> round(PRINTED.radius(32, K=2.0), 12)
        0.25
        """
        return K * _power(m, -self.beta)

    def tau(
        self, m: int, *, K: float = 1.0, c: float | Fraction | None = None, t: float = 1.0
    ) -> float:
        """Return the threshold at width `m`, in absolute units.

        Here `m`: width, ``m >= 1``; `K`: the constant of the rules with ``K``, ``> 0``; `c`: the
        sparsity exponent of the rule ``"c"``; the scaling's own by default; `t`: the standardized
        threshold of the rule ``"t"``, ``>= 0``.

        Raises TypeError, ValueError: for a parameter out of range.

        >>> PRINTED.tau(1000)
        0.001
        """
        return self.tau_rule.tau(m, K=K, c=self.c if c is None else c, t=t)

    @checked
    def eta(self, m: int, epsilon: float, constant: Positive = 1.0) -> float:
        """Return the step size ``constant * epsilon * m^eta_exponent`` that the choice prescribes.

        Here `m`: width, ``m >= 1``; `epsilon`: the accuracy of Theorem 4.3, ``0 < epsilon < 1``.

        Source: Theorem 4.3 (``eta = Theta(epsilon m^(-1/5))``).
        """
        accuracy = validation.scalar(epsilon, "epsilon", exclusive_minimum=0, exclusive_maximum=1)
        return constant * accuracy * _power(m, self.eta_exponent)

    @checked
    def steps(self, m: int, K: Positive, epsilon: float, constant: Positive = 1.0) -> int:
        """Return the number of steps ``constant * (K/epsilon)^2 * m^steps_exponent``, rounded up.

        Here `m`: width, ``m >= 1``; `epsilon`: the accuracy of Theorem 4.3, ``0 < epsilon < 1``.

        The number of steps, ``>= 1``.  A value within one part in ``10^12`` above an integer counts
        as that integer, so that rounding does not add a step.  Source: Theorem 4.3 (``T =
        Theta(epsilon^(-2) K^2)``).

        >>> PRINTED.steps(1024, K=1.0, epsilon=0.1)
        100
        """
        ball = K
        accuracy = validation.scalar(epsilon, "epsilon", exclusive_minimum=0, exclusive_maximum=1)
        factor = constant
        ratio = ball / accuracy
        number = factor * ratio * ratio * _power(m, self.steps_exponent)
        if not math.isfinite(number):
            raise ValueError(
                f"constant * (K/epsilon)^2 * m^steps_exponent must be a finite number, got "
                f"{number} for K = {ball}, epsilon = {accuracy}, constant = {factor}"
            )
        return max(1, math.ceil(number * (1.0 - 1e-12)))

    @property
    def active_exponent(self) -> Fraction:
        """Exponent of the number of active neurons: ``m Q(t) = m^(1-c)`` by fact 2."""
        return _ONE - self.c

    @property
    def flips_exponent(self) -> Fraction:
        """Exponent of the number of neurons that can change state within the ball (C.2, C.3).

        By facts 4 and 5 they are those within ``delta = K m^-beta`` of the threshold:
        ``m * m^-beta * m^(1/2-c) = m^(3/2-beta-c)`` if ``beta >= 1/2``, and all ``m`` otherwise.
        """
        return self._neurons_within(-self.beta)

    @property
    def gap_exponent(self) -> Fraction:
        """Exponent of the worst ``|f - g|`` over the ball at one point (Theorem 4.1, C.8).

        By fact 5 it is ``|a_r|`` times the flips times the larger of ``delta`` and the jump:
        ``-alpha + flips + max(-beta, -decay of tau)``, the second entry only for the jump
        activation.  The term ``f(x; W_0)``, which no radius removes, is `initial_output_exponent`.
        """
        step = -self.beta
        if self.activation == JUMP and self.tau_rule.decay is not None:
            step = max(step, -self.tau_rule.decay)
        return -self.alpha + self.flips_exponent + step

    @property
    def initial_output_exponent(self) -> Fraction:
        """Exponent of ``f(x; W_0)`` at one point (Lemma C.6).

        The signs of ``a_r`` are independent, so the variance is ``m a_r^2 E[sigma_tau(z_r)^2]``.
        The expectation is ``s^2`` times the active fraction up to ``log m``: together
        ``m * m^(-2 alpha) * m^(-1-c)``, whose root is ``m^(-alpha-c/2)``.
        """
        return -self.alpha - self.c / 2

    @property
    def expressivity_exponent(self) -> Fraction:
        """Exponent of the largest ``|g(x; W)|`` in the ball; negative means g cannot fit labels.

        Every active neuron contributes at most ``|a_r| delta``, and all can do so with one sign:
        ``-alpha - beta + (1 - c)``.
        """
        return self.active_exponent - self.alpha - self.beta

    @property
    def gradient_exponent(self) -> Fraction:
        """Exponent of the squared Frobenius norm of a gradient (Appendix C, proof of Theorem C.12).

        The loss is 1-Lipschitz and ``||x|| = 1``, so each active neuron contributes at most
        ``a_r^2``: ``(1 - c) - 2 alpha``.
        """
        return self.active_exponent - 2 * self.alpha

    @property
    def derived_eta_exponent(self) -> Fraction:
        """Exponent that the step size must have: the regret term ``eta ||grad||^2`` is ``epsilon``.

        Hence ``eta = epsilon m^-(1-2 alpha-c)``, the inverse of `gradient_exponent`.
        """
        return -self.gradient_exponent

    @property
    def derived_steps_exponent(self) -> Fraction:
        """Exponent that the number of steps must have: ``||W* - W_0||_F^2 / (eta T) = epsilon``.

        The active ``m^(1-c)`` neurons move by ``K m^-beta`` each, so with the derived step size
        ``T = (K/epsilon)^2 m^(1-c-2 beta) m^(1-2 alpha-c) = (K/epsilon)^2 m^(2(1-alpha-beta-c))``.
        """
        return self.active_exponent - 2 * self.beta - self.derived_eta_exponent

    @property
    def drift_exponent(self) -> Fraction:
        """Exponent of the distance a neuron can travel with the *prescribed* steps.

        One step moves it by at most ``eta |a_r|``, so ``T`` steps by ``eta T m^-alpha``
        (``D_max`` in Remark C.13).
        """
        return self.eta_exponent + self.steps_exponent - self.alpha

    @property
    def coupling_exponent(self) -> Fraction:
        """Exponent of the coupling term of the regret bound (Lemma C.14, Theorem C.12).

        The gradients of f and g differ on the neurons that flip along the drift ``D``, by ``|a_r|``
        each; the difference acts on a displacement of size ``max(D, K m^-beta)``:
        ``-alpha + flips(D) + max(drift, -beta)``.  It must be negative.
        """
        drift = self.drift_exponent
        return -self.alpha + self._neurons_within(drift) + max(drift, -self.beta)

    def _neurons_within(self, exponent: Fraction) -> Fraction:
        """Exponent of the number of neurons within ``m^exponent`` of the threshold (fact 4)."""
        if exponent > -_HALF:
            return _ONE
        return 1 + exponent + _HALF - self.c


def _power(m: object, exponent: Fraction) -> float:
    width = validation.count(m, "m")
    try:
        return math.pow(width, float(exponent))
    except OverflowError:
        raise ValueError(
            f"m must be so small that m^({exponent}) fits float64, got {width}"
        ) from None


PRINTED = Scaling(
    name="PRINTED",
    alpha=Fraction(1, 5),
    beta=Fraction(3, 5),
    c=Fraction(0),
    activation=JUMP,
    tau_rule=ONE_OVER_M,
    eta_exponent=Fraction(-1, 5),
    steps_exponent=Fraction(0),
)
"""The paper as printed (Definition 3.1, Theorems 4.1, 4.3, 4.4), where 4.1 and 4.3 fail."""

R1 = Scaling(
    name="R1",
    alpha=Fraction(1, 5),
    beta=Fraction(4, 5),
    c=Fraction(0),
    activation=JUMP,
    tau_rule=ONE_OVER_M,
    eta_exponent=Fraction(-3, 5),
    steps_exponent=Fraction(0),
)
"""The smallest repair: the ball of radius ``K m^(-4/5)``, which the proof of Lemma B.9 gives.

Theorems 4.1 to 4.4 hold, half the neurons fire.
"""

R2 = Scaling(
    name="R2",
    alpha=Fraction(2, 5),
    beta=Fraction(3, 5),
    c=Fraction(0),
    activation=JUMP,
    tau_rule=ONE_OVER_M,
    eta_exponent=Fraction(-1, 5),
    steps_exponent=Fraction(0),
)
"""The repair that keeps the printed ball, step size and rate: ``|a_r| = m^(-2/5)``.

These are the powers that the printed bounds of Theorem 4.1 and Lemma C.10 agree with; half the
neurons fire.
"""

R3 = Scaling(
    name="R3",
    alpha=Fraction(1, 5),
    beta=Fraction(3, 5),
    c=Fraction(1, 5),
    activation=CONTINUOUS,
    tau_rule=SPARSE_C,
    eta_exponent=Fraction(-2, 5),
    steps_exponent=Fraction(0),
)
"""The main repair: continuous activation, ``tau = sqrt(2/m) sqrt(0.4 log m)``.

The paper's output weights and ball, with ``m^(4/5)`` neurons active: sparsity and convergence at
once.  The threshold is that of Song, Yang and Zhang (2021).
"""

ZHANG = Scaling(
    name="ZHANG",
    alpha=Fraction(1, 3),
    beta=Fraction(2, 3),
    c=Fraction(0),
    activation=JUMP,
    tau_rule=ZERO,
    eta_exponent=Fraction(-1, 3),
    steps_exponent=Fraction(0),
)
"""The consistent powers of the dense predecessor, Zhang et al. (2020), without a threshold."""

PRESETS: Mapping[str, Scaling] = MappingProxyType(
    {scaling.name: scaling for scaling in (PRINTED, R1, R2, R3, ZHANG)}
)
"""The scalings by name."""


def get_scaling(scaling: object) -> Scaling:
    """Return the preset of that name; a scaling is returned as it is.

    Raises TypeError, ValueError: for anything else.

    >>> get_scaling("R3") is R3
    True
    """
    if isinstance(scaling, Scaling):
        return scaling
    return PRESETS[validation.choice(scaling, "scaling", tuple(PRESETS))]

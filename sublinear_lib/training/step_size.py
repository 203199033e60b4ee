"""Step sizes of Algorithm 1: the printed rule, the repaired one, and one that works in practice.

Theorem 4.3 prints ``eta = Theta(epsilon m^{-1/5})``.  Its proof needs the squared norm of the
gradient of f at a point, which is at most the sum of ``a_r^2`` over the active neurons: with
``|a_r| = m^{-1/5}`` and a share p of them active that is ``p m^{3/5}``, where the proof has
``m^{1/5}``, so that one printed step moves f by about ``epsilon m^{2/5}``.  The other two rules
divide by the right norm and keep working when m, tau or the output weights change.  All rules read
the network as it is at initialization: p is the expected activity ``Q(tau sqrt(m/2))`` of Gaussian
pre-activations ``N(0, 2/m)`` (Definition 3.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sublinear_lib import scaling, validation
from sublinear_lib._arguments import Positive, Probability, check_fields
from sublinear_lib.network import TwoLayerNetwork

__all__ = [
    "STEP_SIZE_RULES",
    "PrintedStep",
    "RepairedStep",
    "StableStep",
    "StepSizeRule",
    "resolve_step_size",
]


class StepSizeRule(Protocol):
    """A rule that turns a network into a step size."""

    def step_size(self, network: TwoLayerNetwork) -> float:
        """Return eta for this network."""


def _gradient_scale(network: TwoLayerNetwork) -> float:
    """Return ``Q(t) sum_r a_r^2``, the expected squared norm of one point's gradient of f."""
    activity = scaling.activity(network.tau, network.m)
    with np.errstate(over="ignore"):
        squares = float(np.sum(network.a**2))
    scale = activity * squares
    if not 0.0 < scale < np.inf:
        raise ValueError(
            f"eta cannot be chosen by a rule for {network!r}: the expected activity is "
            f"{activity!r} and sum a_r^2 is {squares!r}; pass a number"
        )
    return scale


@dataclass(frozen=True, kw_only=True)
class _ByAccuracy:
    """What the rules of Theorem 4.3 depend on besides the network."""

    epsilon: Probability = 0.1
    constant: Positive = 1.0

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class PrintedStep(_ByAccuracy):
    """The step size as printed, ``eta = constant * epsilon * m^{-1/5}``.

    Parameters
    ----------
    epsilon : float, default 0.1
        Accuracy of Theorem 4.3, in (0, 1).
    constant : float, default 1.0
        The constant behind the Theta, ``> 0``.

    Notes
    -----
    Source: Theorem 4.3.  For the paper's output weights it is too large by a factor of order
    ``m^{2/5}``: training diverges as m grows.

    Examples
    --------
    >>> network = TwoLayerNetwork.initialize(1024, 3, rng=0, tau=0.0)
    >>> round(PrintedStep().step_size(network), 12)  # 0.1 * 1024**-0.2
    0.025
    """

    def step_size(self, network: TwoLayerNetwork) -> float:
        """Return eta for this network."""
        return scaling.PRINTED.eta(network.m, self.epsilon, self.constant)


@dataclass(frozen=True, kw_only=True)
class RepairedStep(_ByAccuracy):
    """The step size of the repaired Theorem 4.3, ``eta = constant * epsilon / (p sum_r a_r^2)``.

    Parameters
    ----------
    epsilon : float, default 0.1
        Accuracy aimed at, in (0, 1).
    constant : float, default 1.0
        ``> 0``.

    Notes
    -----
    With ``G^2 = p sum_r a_r^2`` a bound of ``||grad f||^2``, gradient descent on a 1-Lipschitz
    convex loss loses at most ``eta G^2 / 2`` per step, hence ``eta = epsilon / G^2``.  For
    ``|a_r| = m^{-alpha}`` it is ``epsilon m^{2 alpha - 1} / p``.

    Examples
    --------
    >>> network = TwoLayerNetwork.initialize(1024, 3, rng=0, tau=0.0)
    >>> round(RepairedStep().step_size(network), 12)  # 0.1 * 1024**-0.6 / 0.5
    0.003125
    """

    def step_size(self, network: TwoLayerNetwork) -> float:
        """Return eta for this network."""
        return self.constant * self.epsilon / _gradient_scale(network)


@dataclass(frozen=True, kw_only=True)
class StableStep:
    """A step size that works at every activity, ``eta = c0 / (2 p sum_r a_r^2)``.

    Parameters
    ----------
    c0 : float, default 0.5
        ``> 0``; values from 0.3 to 1 train without divergence from 1 % to 50 % activity.

    Notes
    -----
    For the paper's ``|a_r| = m^{-1/5}`` it is ``c0 m^{-3/5} / (2 Q(t))`` with
    ``t = tau sqrt(m/2)``.  It is `RepairedStep` with ``epsilon = c0 / 2``, read the other way
    round, as a bound of how far one step moves f.

    *With the active sets frozen*, a step of Algorithm 1 changes f at an example by

        eta (1/n) |sum_j l'_j <x_i, x_j> sum_{r active at i and j} a_r^2|  <=  eta S_i,

    where ``S_i`` is the sum of ``a_r^2`` over the neurons active at i, because the loss is
    1-Lipschitz and points of X have length 1.  The expectation of ``S_i`` at initialization is
    ``Q(t) sum a_r^2``, so f moves by at most about ``c0 / 2``, whatever n, m, tau and a are.  Hence
    the factor ``1 / Q(t)``, and ``m^{-3/5}``, not the printed ``m^{-1/5}``.

    *With the jump*, a neuron that falls below the threshold also takes its ``a_r tau`` away.  One
    step on one example, ``|a_r| = a``, lowers half of the active pre-activations by
    ``eta |l'| a``.  Their density just above tau is ``m phi(t) / s`` with ``s = sqrt(2/m)``, so
    that ``m phi(t) eta |l'| a / (2 s)`` neurons fall, all of them in the direction the step wants,
    and f moves ``1 + t phi(t) / (2 Q(t))`` times as far as with frozen sets: 2.1 times at 10 %
    activity, 4.1 times at 1 %.  The default ``c0 = 0.5`` therefore stays within about one unit of
    f, the size of a label, from 50 % down to 1 % activity.

    Source: the step size of Theorem 4.3 with the gradient norm that its proof needs.

    Examples
    --------
    >>> network = TwoLayerNetwork.initialize(1024, 3, rng=0, tau=0.0)
    >>> round(StableStep().step_size(network), 12)  # 0.5 * 1024**-0.6 / (2 * 0.5)
    0.0078125
    """

    c0: Positive = 0.5

    def __post_init__(self) -> None:
        """Check the parameter."""
        check_fields(self)

    def step_size(self, network: TwoLayerNetwork) -> float:
        """Return eta for this network."""
        return self.c0 / (2.0 * _gradient_scale(network))


STEP_SIZE_RULES = ("auto", "printed", "repaired", "stable")
"""The names `resolve_step_size` understands; each stands for the rule with its defaults, and
``"auto"`` for `StableStep`, the one that works at every activity."""

_RULES: dict[str, StepSizeRule] = {
    "auto": StableStep(),
    "printed": PrintedStep(),
    "repaired": RepairedStep(),
    "stable": StableStep(),
}


def resolve_step_size(eta: object, network: TwoLayerNetwork) -> float:
    """Return the step size that a number, a rule or the name of a rule stands for.

    Parameters
    ----------
    eta : float, str or StepSizeRule
        A number ``> 0``; one of `STEP_SIZE_RULES`; or a rule.
    network : TwoLayerNetwork
        The network at initialization.

    Returns
    -------
    float
        The step size.

    Raises
    ------
    TypeError, ValueError
        For anything else, or when the rule gives no finite number ``> 0`` for this network.

    Examples
    --------
    >>> network = TwoLayerNetwork.initialize(1024, 3, rng=0, tau=0.0)
    >>> resolve_step_size(0.25, network), round(resolve_step_size("printed", network), 12)
    (0.25, 0.025)
    """
    if isinstance(eta, str):
        rule = _RULES[validation.choice(eta, "eta", STEP_SIZE_RULES)]
        value: object = rule.step_size(network)
    elif callable(getattr(eta, "step_size", None)):
        value = eta.step_size(network)  # type: ignore[attr-defined]
    else:
        value = eta
    return validation.scalar(value, "eta", exclusive_minimum=0)

r"""Networks of one kind of feature: how much an adversary leaves, and the budget that breaks them.

A *pure* network has filters ``w_{i,r} = A_r u_i`` (or ``B_r v_i``), equal for all classes.  On
inputs without noise and jitter its robust error is 0 or 1, and the budget where it jumps can be
computed exactly for every rectifier that is 0 below 0 and increases above: no perturbation makes
``F_j`` larger than ``P sum_r act(eps A_r)``, none makes ``F_y`` smaller than
``P_R sum_r act((alpha - eps) A_r)``, and one perturbation reaches both.  `robustness_window` is the
case of a pure power.  Before changing anything, know that only this case has a closed form; here
the equation is solved by bisection.

Source: the argument is that of Proposition III.1, ours.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib import validation
from sublinear_lib._arguments import described
from sublinear_lib._typing import FloatArray
from sublinear_lib.features.activations import Activation, ReLU, SmoothedReLU
from sublinear_lib.features.data import FeatureData, FeatureKind

__all__ = ["breaking_budget", "strength_left"]

_HALVINGS = 64


def _checked(
    law: FeatureData, activation: Activation, filters: object, kind: object
) -> tuple[FloatArray, int, float]:
    """Return filters, number of patches and strength of the feature, or refuse."""
    validation.instance(law, "law", FeatureData)
    if not isinstance(activation, SmoothedReLU | ReLU):
        raise TypeError(
            "activation must be a SmoothedReLU or a ReLU, which are 0 below 0 and increase above, "
            f"got {activation!r}"
        )
    sizes = validation.float_array(filters, "filters", shape=("m",))
    if sizes.min() < 0 or sizes.max() == 0:
        raise ValueError(
            f"filters must hold numbers >= 0, not all 0, got {sizes.min()} to {sizes.max()}"
        )
    if validation.choice(kind, "kind", ("robust", "nonrobust")) == "robust":
        return sizes, law.robust_patches, law.alpha
    return sizes, law.nonrobust_patches, law.beta


def _response(activation: Activation, filters: FloatArray, z: FloatArray) -> FloatArray:
    """Return what one patch gives to the logit if it shows its feature with strength z."""
    return np.asarray(activation.value(np.multiply.outer(z, filters)).sum(axis=-1))


def strength_left(
    law: FeatureData,
    activation: Activation,
    filters: object,
    eps: object,
    kind: FeatureKind = "robust",
) -> FloatArray:
    r"""Return what a budget leaves of a feature, measured in what would outweigh it.

    Returned: The number t with ``P sum_r act(t A_r) = P_R sum_r act((alpha - eps) A_r)``, at mean
    strengths and without noise: the feature of a wrong class, injected with strength t into all
    patches, would make a tie.  The network is broken if and only if the budget is at least t; 0
    from ``eps = alpha`` on. Where act is a power, this is the straight line ``(P_R/P)^{1/q} (alpha
    - eps)``.

    >>> law = FeatureData()
    >>> strength_left(law, SmoothedReLU(3, 15.0), [1.0], [0.0, 0.52]).round(3)
    array([0.762, 0.63 ])
    """
    sizes, patches, strength = _checked(law, activation, filters, kind)
    budgets = validation.float_array(eps, "eps", shape=("E",))
    if budgets.min() < 0:
        raise ValueError(f"eps must hold numbers >= 0, got {budgets.min()}")
    goal = patches * _response(activation, sizes, np.maximum(strength - budgets, 0.0))
    low, high = np.zeros_like(budgets), np.full_like(budgets, strength)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        enough = law.patches * _response(activation, sizes, middle) >= goal
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(goal > 0, 0.5 * (low + high), 0.0)


@described
def breaking_budget(
    law: FeatureData,
    activation: Activation,
    filters: object,
    kind: FeatureKind = "robust",
) -> float:
    r"""Return the least budget that breaks a pure network.

    Here `law`: the data, taken at mean strengths and without noise; `filters` (m,): the numbers A_r
    (or B_r), ``>= 0``, not all 0; `kind`: which feature the network uses.

    The budget eps with ``P sum_r act(eps A_r) = P_R sum_r act((alpha - eps) A_r)``.  At most the
    end of `robustness_window`, and equal to it where all pre-activations are in the polynomial
    part.

    The larger the filters are beside rho, the nearer the network comes to a plain ReLU:

    >>> law = FeatureData()
    >>> [round(breaking_budget(law, SmoothedReLU(3, 15.0), [A]), 3) for A in (1.0, 50.0, 1e6)]
    [0.608, 0.225, 0.048]
    >>> round(breaking_budget(law, ReLU(), [1.0]), 3)
    0.048
    """
    sizes, patches, strength = _checked(law, activation, filters, kind)
    low, high = 0.0, strength
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        injected = law.patches * _response(activation, sizes, np.asarray(middle))
        enough = injected >= patches * _response(activation, sizes, np.asarray(strength - middle))
        low, high = (low, middle) if enough else (middle, high)
    return 0.5 * (low + high)

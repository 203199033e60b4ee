"""The explorer of the first chapter: what an iteration costs at a width and threshold.

Counts come from `sublinear_lib.theory.cost`; no formula lives here.  Two curves pass through the
reader's choice of (m, tau): one keeps the threshold at the same number of standard deviations as m
grows (the activity stays the same share), the other keeps the exponent c of ``t = sqrt(2 c log m)``
(the activity shrinks).  Only the second one is sublinear, and only if the search is.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sublinear_lib import scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.theory import dense_cost, sparse_cost
from sublinear_lib.validation import count, scalar
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Points, View

__all__ = ["cost_explorer", "cost_view"]

_N, _D, _RHO = 214, 65, 0.3
_WIDTHS = [2**k for k in range(8, 25)]


@lru_cache(maxsize=4096)
def _sparse_total(m: int, t: float, attack_steps: int) -> float:
    tau = scaling.threshold_from_standard(t, m)
    return sparse_cost(m, _N, _D, tau, _RHO, attack_steps, search="free").total


def _multiplications(row_passes: float) -> float:
    return row_passes * _D


@lru_cache(maxsize=512)
def _at_equal_share(t: float, attack_steps: int) -> FloatArray:
    return np.array([_multiplications(_sparse_total(m, t, attack_steps)) for m in _WIDTHS])


@lru_cache(maxsize=512)
def _at_equal_exponent(c: float, attack_steps: int) -> FloatArray:
    return np.array(
        [
            _multiplications(
                _sparse_total(m, round(scaling.standard_from_sparsity(c, m), 10), attack_steps)
            )
            for m in _WIDTHS
        ]
    )


def cost_view(m: int, t: float, attack_steps: int) -> View:
    """Show the multiplications of one iteration against the width, dense and sparse.

    Parameters
    ----------
    m : int
        Width, ``m >= 2``.
    t : float
        Standardized threshold, ``0 <= t <= 30``.
    attack_steps : int
        Gradient steps of the adversary, ``>= 0``.

    Returns
    -------
    View
        Dense cost, sparse cost at this threshold, and how both continue to other widths.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Section 1 (the dense cost), Algorithm 1, Lemma 5.3.  For n = 214 points in dimension 65
    with radius 0.3, the digits of the first chapter; the search itself is not counted.
    """
    m, t = count(m, "m", minimum=2), scalar(t, "t", minimum=0.0, maximum=30.0)
    tau = scaling.threshold_from_standard(t, m)
    dense = _multiplications(dense_cost(m, _N, attack_steps).total)
    sparse = _multiplications(_sparse_total(m, t, attack_steps))
    scan = _multiplications(float(m * _N))
    c = scaling.sparsity_exponent(t, m)
    every = [_multiplications(dense_cost(width, _N, attack_steps).total) for width in _WIDTHS]
    ratio = dense / sparse
    return View(
        x=Axis(label="width *m*", scale="log2", limits=(2**8, 2**24)),
        y=Axis(label="multiplications per iteration", scale="log10", limits=(1e5, 1e13)),
        marks=[
            Line(_WIDTHS, every, label="all neurons", role="c2"),
            Line(_WIDTHS, _at_equal_share(t, attack_steps), label="same share", role="c1"),
            Line(
                _WIDTHS,
                _at_equal_exponent(round(c, 10), attack_steps),
                label="same exponent",
                role="c3",
                dash=True,
            ),
            Points([float(m)], [dense], role="c2"),
            Points([float(m)], [sparse], role="c1"),
        ],
        sentence=(
            f"With {grouped(m)} neurons and t = τ √(m/2) = {t:.2f}, the share Q(t) = "
            f"{percent(scaling.activity(tau, m))} of them is expected to fire at an input. With "
            f"{attack_steps} attack steps, an iteration over all neurons takes {number(dense)} "
            f"multiplications, one over the neurons that can fire {number(sparse)}: "
            f"{number(ratio)} times fewer. Finding them by looking at every neuron once would add "
            f"{number(scan)}."
        ),
        readouts={
            "*τ*": number(tau),
            "activity *Q*(*t*)": percent(scaling.activity(tau, m)),
            "all neurons": number(dense),
            "only those that can fire": number(sparse),
            "one scan of all neurons": number(scan),
            "exponent *c*": number(c),
            "*t* of *τ* = 1/*m*": number(_standard(scaling.PRINTED, m)),
            "*t* of R3": number(_standard(scaling.R3, m)),
        },
        warning=_what_fails(t, ratio, scan / dense),
    )


def _standard(rules: scaling.Scaling, m: int) -> float:
    return scaling.standardize_threshold(rules.tau(m), m)


def _what_fails(t: float, ratio: float, scan: float) -> str:
    """Say what of Theorem 1.1's o(mnd) fails at this threshold, and under which condition."""
    if t < 0.5:
        return (
            "Theorem 1.1 asks for a cost of o(mnd). At this threshold about half of the neurons "
            "fire, whatever the width: skipping the others saves a constant factor, never a power "
            "of m."
        )
    return (
        "Theorem 1.1 asks for a cost of o(mnd). If this t is kept while m grows, the saving stays "
        f"a factor of {number(ratio)}, and the claim fails. If this c is kept, it holds for the "
        "evaluation, provided that the neurons are found without looking at all of them: one scan "
        f"alone is {percent(scan)} of the dense iteration at every width."
    )


def cost_explorer() -> Explorer:
    """Build the explorer of width, threshold and attack for the cost of an iteration.

    Returns
    -------
    Explorer
        Sliders for ``m = 2^8 ... 2^24``, ``t = 0 ... 4`` and the attack steps.

    Notes
    -----
    Source: Section 1, Algorithm 1.
    """
    return Explorer(
        cost_view,
        [
            Slider("m", "width *m*", _WIDTHS, start=2**16, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(17)],
                start=2.5,
                format="{:.2f}",
            ),
            Slider("attack_steps", "steps of the adversary", [0, 1, 5, 20], start=5),
        ],
        title="What an iteration costs",
        name="cost-explorer",
    )

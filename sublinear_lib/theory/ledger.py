"""The ledger of Lemma 5.3 in numbers: what one iteration of Algorithm 1 costs, line by line.

The proof of Lemma 5.3 (Appendix C.16) adds up four entries: queries (line 12), forward pass (17),
backward pass and update (18, 19), update of the half-space structure (20, 21).  This module holds
that ledger as printed and as it has to be for the same algorithm.  `Ledger` counts *row passes*:
visits to a row of W for one example, d multiplications each, as a training history counts them; its
numbers come out of measured or expected numbers of neurons, without any hidden constant.  The
exponents are in :mod:`sublinear_lib.theory.orders`.  Before changing it, know the claim that rests
on it: in the literal algorithm the forward and backward entries *equal* ``sum_i k_{i,t}``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from sublinear_lib import scaling
from sublinear_lib._arguments import (
    Count,
    Dimension,
    Nonnegative,
    Positive,
    Whole,
    check_fields,
    checked,
)
from sublinear_lib.theory.cost import listed_share
from sublinear_lib.theory.reporting import surviving_share
from sublinear_lib.validation import choice, scalar

__all__ = [
    "LINES",
    "Ledger",
    "dense_ledger",
    "expected_counts",
    "expected_ledger",
    "literal_ledger",
    "printed_ledger",
    "shared_ledger",
]

LINES: Mapping[str, str] = MappingProxyType(
    {
        "attack": "11",
        "query": "12",
        "forward": "17",
        "gradient": "18",
        "weights": "19",
        "index": "20, 21",
    }
)
"""The entries of a `Ledger` and the lines of Algorithm 1 that they belong to."""


@dataclass(frozen=True)
class Ledger:
    """Row passes of one iteration of Algorithm 1, by line.

    Fields: `attack`: line 11: what the adversary spends, its own searches included; `query`: line
    12: comparisons of the search at the adversarial points; `forward`: line 17: values at the
    adversarial points; `gradient`: line 18: the gradient with respect to the weights; `weights`:
    line 19: the rows that take a step; `index`: lines 20 and 21: deleting and adding these rows in
    the structure.

    Raises TypeError, ValueError: if an entry is not a finite number ``>= 0``.

    Source: Algorithm 1; Lemma 5.3 and its proof in Appendix C.16.

    >>> dense_ledger(100, 3, 1).total
    1600.0
    """

    attack: Nonnegative
    query: Nonnegative
    forward: Nonnegative
    gradient: Nonnegative
    weights: Nonnegative
    index: Nonnegative

    def __post_init__(self) -> None:
        """Check the entries."""
        check_fields(self)

    @property
    def entries(self) -> dict[str, float]:
        """The entries by name, in the order of the lines."""
        return {name: getattr(self, name) for name in LINES}

    @property
    def total(self) -> float:
        """Sum of the entries."""
        return math.fsum(self.entries.values())

    @checked
    def over(self, unit: Positive) -> Ledger:
        """Return the ledger in another unit."""
        return Ledger(**{name: value / unit for name, value in self.entries.items()})


@checked
def dense_ledger(m: int | float, n: Count, attack_steps: Whole) -> Ledger:
    """Count the row passes of an iteration that computes with every neuron.

    ``(2 S + 1) m n`` for the attack, ``m n`` each for values and gradient, ``m`` for the weights;
    there is no search; m may be an expected number.  Source: the ``Omega(m n d)`` of Section 1.
    """
    neurons = scalar(m, "m", minimum=0.0)
    pairs = neurons * n
    return Ledger((2 * attack_steps + 1) * pairs, 0.0, pairs, pairs, neurons, 0.0)


@checked
def printed_ledger(
    n: Count,
    *,
    active: Nonnegative,
    flips: Nonnegative,
    query: Nonnegative,
    update: Nonnegative = 1.0,
) -> Ledger:
    r"""Evaluate the four entries of the proof of Lemma 5.3, as printed, with constants one.

    Here `flips`: what stands for ``n m^{7/8}``: neurons that have changed their state at some
    example, summed over the examples; `query`: row passes of one query; `update`: row passes for
    one neuron that moves in the structure (printed: ``log^2(2 m) / d``).

    Appendix C.16 prints ``sum_i T_query``, twice ``O(d (Q_0 + n m^{7/8}))``, and ``O((Q_0 + n
    m^{7/8}) log^2(2m))``.  Its ``Q_0`` has no factor n; there is no entry for line 11, and line 19
    is in the entry of line 18.

    >>> printed_ledger(64, active=8192, flips=64 * 4096**0.875, query=0).forward < 64 * 4096 / 2
    True
    """
    touched = active + flips
    search = n * query
    moved = touched * update
    return Ledger(0.0, search, touched, touched, 0.0, moved)


@checked
def literal_ledger(
    n: Count,
    *,
    active: Nonnegative,
    touched: Nonnegative,
    query: Nonnegative,
    attack_steps: Whole,
    update: Nonnegative = 1.0,
) -> Ledger:
    r"""Count the row passes of Algorithm 1 to the letter: a query wherever f is asked for.

    Here `touched`: number of neurons active at some example, ``|Q_t|``; `query`: row passes of one
    query; `update`: row passes of one DELETE or ADD.

    The adversary asks for a value and an input gradient in each of its S steps and for a value at
    its last point; each needs the active neurons there, so a query.  Lines 17 and 18 are ``n *
    active`` each: with the factor n that the printed proof lacks.  In the history of a run with
    ``index="literal"``, queries of lines 11 and 12 are booked together, and line 11 counts the
    activity at the points of the attack, which is not exactly that at the points it returns.

    >>> run = literal_ledger(10, active=5, touched=20, query=7, attack_steps=2)
    >>> run.attack == 10 * (3 * 7 + 5 * 5), run.query, run.forward, run.weights, run.index
    (True, 70.0, 50.0, 20.0, 40.0)
    """
    attack = n * ((attack_steps + 1) * query + (2 * attack_steps + 1) * active)
    return Ledger(attack, n * query, n * active, n * active, touched, 2.0 * touched * update)


@checked
def shared_ledger(
    n: Count,
    *,
    active: Nonnegative,
    near: float,
    touched: Nonnegative,
    query: Nonnegative,
    attack_steps: Whole,
    update: Nonnegative = 1.0,
) -> Ledger:
    r"""Count the row passes when one query per example serves the whole attack and the update.

    Here `near`: mean number of neurons reported for a cap, ``>= active``; `touched`: number of
    neurons active at some example, ``|Q_t|``; `query`: row passes of one query, on average if
    candidates are remembered; `update`: row passes for one neuron that moves in the structure.

    The query reports the neurons that can fire somewhere in the cap of the example: ``(S + 1) near
    + S active`` per example for the attack, ``near`` for the forward pass, ``active`` for the
    gradient. A row is moved in place, once, instead of being deleted and added.

    >>> shared_ledger(10, active=5, near=8, touched=20, query=7, attack_steps=2).attack
    340.0
    """
    listed = scalar(near, "near", minimum=active)
    search = n * query
    return Ledger(
        n * ((attack_steps + 1) * listed + attack_steps * active),
        search,
        n * listed,
        n * active,
        touched,
        touched * update,
    )


@dataclass(frozen=True)
class NeuronCounts:
    """Expected numbers of neurons at initialization.

    Fields: `active`: active at one fixed point, ``m Q(t)``; `near`: listed for a cap of radius rho,
    ``m`` times :func:`~sublinear_lib.theory.cost.listed_share`; `alive`: able to fire somewhere on
    X, ``m`` times `surviving_share`; `touched`: upper bound of the number active at some of n
    points: the smaller of `alive` and ``n * active``.
    """

    active: float
    near: float
    alive: float
    touched: float


@checked
def expected_counts(
    m: Count, n: Count, d: Dimension, tau: Nonnegative, rho: Nonnegative
) -> NeuronCounts:
    """Compute how many neurons an iteration meets, on average over the initialization.

    The last one is a bound.  Source: Definitions 3.1 and 3.9; Section 3.2 for what can fire on X.

    >>> counts = expected_counts(4096, 10, 8, 0.05, 0.1)
    >>> counts.active < counts.near < counts.alive < 4096
    True
    """
    t = scaling.standardize_threshold(tau, m)
    active = m * scaling.activity_at(t)
    alive = m * surviving_share(t, d)
    near = m * listed_share(t, d, rho)
    return NeuronCounts(active, near, alive, min(alive, n * active))


Algorithm = Literal["dense", "alive", "literal", "shared"]


@checked
def expected_ledger(
    m: int,
    n: int,
    d: Dimension,
    tau: Nonnegative,
    rho: Nonnegative,
    attack_steps: Whole,
    algorithm: Algorithm = "shared",
    update: float = 1.0,
) -> Ledger:
    """Predict the ledger of an iteration at initialization.

    Here `m`, `n`, `d`: width, number of examples (``>= 1``) and input dimension (``>= 2``);
    `algorithm`: ``"dense"``: every neuron.  ``"alive"``: every neuron that can fire somewhere on X,
    the others being set aside once.  ``"literal"`` and ``"shared"``: `literal_ledger` and
    `shared_ledger`, where a query looks at the neurons that can fire somewhere on X; `update`: row
    passes for one change of the structure, ``>= 0``.

    Expectations, with the activity of a fixed point also at the points of the attack; the entries
    of lines 19 to 21 are upper bounds where neurons are searched for.  Source: Algorithm 1 with
    Definition 3.1.

    >>> tau = scaling.SPARSE_C.tau(2**16)
    >>> names = ("dense", "alive", "literal", "shared")
    >>> totals = [expected_ledger(2**16, 64, 8, tau, 0.1, 5, name).total for name in names]
    >>> totals == sorted(totals, reverse=True)
    True
    """
    choice(algorithm, "algorithm", ("dense", "alive", "literal", "shared"))
    counts = expected_counts(m, n, d, tau, rho)
    if algorithm == "dense":
        return dense_ledger(m, n, attack_steps)
    if algorithm == "alive":
        return dense_ledger(counts.alive, n, attack_steps)
    if algorithm == "literal":
        return literal_ledger(
            n,
            active=counts.active,
            touched=counts.touched,
            query=counts.alive,
            attack_steps=attack_steps,
            update=update,
        )
    return shared_ledger(
        n,
        active=counts.active,
        near=max(counts.near, counts.active),
        touched=counts.touched,
        query=counts.alive,
        attack_steps=attack_steps,
        update=update,
    )

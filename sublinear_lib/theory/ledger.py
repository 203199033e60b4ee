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
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Literal

from sublinear_lib import scaling
from sublinear_lib.theory.cost import listed_share
from sublinear_lib.theory.reporting import surviving_share
from sublinear_lib.validation import choice, count, scalar

__all__ = [
    "LINES",
    "Ledger",
    "NeuronCounts",
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

    Parameters
    ----------
    attack : float
        Line 11: what the adversary spends, its own searches included.
    query : float
        Line 12: comparisons of the search at the adversarial points.
    forward : float
        Line 17: values at the adversarial points.
    gradient : float
        Line 18: the gradient with respect to the weights.
    weights : float
        Line 19: the rows that take a step.
    index : float
        Lines 20 and 21: deleting and adding these rows in the structure.

    Raises
    ------
    TypeError, ValueError
        If an entry is not a finite number ``>= 0``.

    Notes
    -----
    Source: Algorithm 1; Lemma 5.3 and its proof in Appendix C.16.

    Examples
    --------
    >>> dense_ledger(100, 3, 1).total
    1600.0
    """

    attack: float
    query: float
    forward: float
    gradient: float
    weights: float
    index: float

    def __post_init__(self) -> None:
        """Check the entries."""
        for item in fields(self):
            value = scalar(getattr(self, item.name), item.name, minimum=0.0)
            object.__setattr__(self, item.name, value)

    @property
    def entries(self) -> dict[str, float]:
        """The entries by name, in the order of the lines."""
        return {name: getattr(self, name) for name in LINES}

    @property
    def total(self) -> float:
        """Sum of the entries."""
        return math.fsum(self.entries.values())

    def over(self, unit: float) -> Ledger:
        """Return the ledger in another unit.

        Parameters
        ----------
        unit : float
            The unit in row passes, ``> 0``, for example ``m * n``.

        Returns
        -------
        Ledger
            Every entry divided by `unit`.

        Raises
        ------
        TypeError, ValueError
            If `unit` is not a positive finite number.
        """
        unit = scalar(unit, "unit", exclusive_minimum=0.0)
        return Ledger(**{name: value / unit for name, value in self.entries.items()})


def dense_ledger(m: int | float, n: int, attack_steps: int) -> Ledger:
    """Count the row passes of an iteration that computes with every neuron.

    Parameters
    ----------
    m : int or float
        Number of neurons, ``>= 0``; a float for an expected number.
    n : int
        Number of examples, ``>= 1``.
    attack_steps : int
        Gradient steps S of the adversary, ``>= 0``.

    Returns
    -------
    Ledger
        ``(2 S + 1) m n`` for the attack, ``m n`` each for values and gradient, ``m`` for the
        weights; there is no search.

    Raises
    ------
    TypeError, ValueError
        If a number is too small or has the wrong type.

    Notes
    -----
    Source: the ``Omega(m n d)`` of Section 1, with line 11 counted.
    """
    neurons = scalar(m, "m", minimum=0.0)
    pairs = neurons * count(n, "n")
    S = count(attack_steps, "attack_steps", minimum=0)
    return Ledger((2 * S + 1) * pairs, 0.0, pairs, pairs, neurons, 0.0)


def printed_ledger(
    n: int, *, active: float, flips: float, query: float, update: float = 1.0
) -> Ledger:
    r"""Evaluate the four entries of the proof of Lemma 5.3, as printed, with constants one.

    The proof prints ``sum_i T_query``, twice ``O(d (Q_0 + n m^{7/8}))``, and
    ``O((Q_0 + n m^{7/8}) log^2(2m))``.  Its ``Q_0`` has no factor n, and there is no entry for line
    11.

    Parameters
    ----------
    n : int
        Number of examples, ``>= 1``.
    active : float
        What stands for ``Q_0``: neurons active at one point at initialization, ``>= 0``.
    flips : float
        What stands for ``n m^{7/8}``: neurons that have changed their state at some example,
        summed over the examples, ``>= 0``.
    query : float
        Row passes of one query, ``>= 0``.
    update : float, default 1.0
        Row passes for one neuron that moves in the structure, ``>= 0`` (printed:
        ``log^2(2 m) / d``).

    Returns
    -------
    Ledger
        The entries; line 19 is in the entry of line 18, as in the proof.

    Raises
    ------
    TypeError, ValueError
        If a number is out of range or has the wrong type.

    Notes
    -----
    Source: Appendix C.16, the four bullets.

    Examples
    --------
    >>> printed_ledger(64, active=8192, flips=64 * 4096**0.875, query=0).forward < 64 * 4096 / 2
    True
    """
    n = count(n, "n")
    touched = scalar(active, "active", minimum=0.0) + scalar(flips, "flips", minimum=0.0)
    search = n * scalar(query, "query", minimum=0.0)
    moved = touched * scalar(update, "update", minimum=0.0)
    return Ledger(0.0, search, touched, touched, 0.0, moved)


def literal_ledger(
    n: int,
    *,
    active: float,
    touched: float,
    query: float,
    attack_steps: int,
    update: float = 1.0,
) -> Ledger:
    r"""Count the row passes of Algorithm 1 to the letter: a query wherever f is asked for.

    The adversary asks for a value and an input gradient in each of its S steps and for a value at
    its last point; each needs the active neurons there, so a query.

    Parameters
    ----------
    n : int
        Number of examples, ``>= 1``.
    active : float
        Mean number of neurons active at a point, ``sum_i k_{i,t} / n``, ``>= 0``.
    touched : float
        Number of neurons active at some example, ``|Q_t|``, ``>= 0``.
    query : float
        Row passes of one query, ``>= 0``.
    attack_steps : int
        Gradient steps S of the adversary, ``>= 0``.
    update : float, default 1.0
        Row passes of one DELETE or ADD, ``>= 0``.

    Returns
    -------
    Ledger
        Lines 17 and 18 are ``n * active`` each: with the factor n that the printed proof lacks.

    Raises
    ------
    TypeError, ValueError
        If a number is out of range or has the wrong type.

    Notes
    -----
    Source: Algorithm 1, lines 11 to 21.  In the history of a run with ``index="literal"``, queries
    of lines 11 and 12 are booked together, and line 11 counts the activity at the points of the
    attack, which is not exactly that at the points it returns.

    Examples
    --------
    >>> run = literal_ledger(10, active=5, touched=20, query=7, attack_steps=2)
    >>> run.attack == 10 * (3 * 7 + 5 * 5), run.query, run.forward, run.weights, run.index
    (True, 70.0, 50.0, 20.0, 40.0)
    """
    n = count(n, "n")
    k = scalar(active, "active", minimum=0.0)
    search = scalar(query, "query", minimum=0.0)
    S = count(attack_steps, "attack_steps", minimum=0)
    attack = n * ((S + 1) * search + (2 * S + 1) * k)
    moved = scalar(touched, "touched", minimum=0.0)
    price = scalar(update, "update", minimum=0.0)
    return Ledger(attack, n * search, n * k, n * k, moved, 2.0 * moved * price)


def shared_ledger(
    n: int,
    *,
    active: float,
    near: float,
    touched: float,
    query: float,
    attack_steps: int,
    update: float = 1.0,
) -> Ledger:
    r"""Count the row passes when one query per example serves the whole attack and the update.

    The query reports the neurons that can fire somewhere in the cap of the example; values are
    computed on these, gradients on the active ones.

    Parameters
    ----------
    n : int
        Number of examples, ``>= 1``.
    active : float
        Mean number of neurons active at a point, ``>= 0``.
    near : float
        Mean number of neurons reported for a cap, ``>= active``.
    touched : float
        Number of neurons active at some example, ``|Q_t|``, ``>= 0``.
    query : float
        Row passes of one query, ``>= 0``; with candidate lists, of one list per iteration, on
        average.
    attack_steps : int
        Gradient steps S of the adversary, ``>= 0``.
    update : float, default 1.0
        Row passes for one neuron that moves in the structure, ``>= 0``.

    Returns
    -------
    Ledger
        ``(S + 1) near + S active`` per example for the attack, ``near`` for the forward pass,
        ``active`` for the gradient.

    Raises
    ------
    TypeError, ValueError
        If a number is out of range or has the wrong type.

    Notes
    -----
    Source: Algorithm 1 with the superset of :mod:`sublinear_lib.training.sources`.  A row is moved
    in place, once, instead of being deleted and added.

    Examples
    --------
    >>> shared_ledger(10, active=5, near=8, touched=20, query=7, attack_steps=2).attack
    340.0
    """
    n = count(n, "n")
    k = scalar(active, "active", minimum=0.0)
    listed = scalar(near, "near", minimum=k)
    S = count(attack_steps, "attack_steps", minimum=0)
    search = n * scalar(query, "query", minimum=0.0)
    moved = scalar(touched, "touched", minimum=0.0)
    price = scalar(update, "update", minimum=0.0)
    return Ledger(n * ((S + 1) * listed + S * k), search, n * listed, n * k, moved, moved * price)


@dataclass(frozen=True)
class NeuronCounts:
    """Expected numbers of neurons at initialization.

    Parameters
    ----------
    active : float
        Active at one fixed point, ``m Q(t)``.
    near : float
        Listed for a cap of radius rho, ``m`` times
        :func:`~sublinear_lib.theory.cost.listed_share`.
    alive : float
        Able to fire somewhere on X, ``m`` times `surviving_share`.
    touched : float
        Upper bound of the number active at some of n points: the smaller of `alive` and
        ``n * active``.
    """

    active: float
    near: float
    alive: float
    touched: float


def expected_counts(m: int, n: int, d: int, tau: float, rho: float) -> NeuronCounts:
    """Compute how many neurons an iteration meets, on average over the initialization.

    Parameters
    ----------
    m, n, d : int
        Width, number of examples (``>= 1``) and input dimension (``>= 2``).
    tau : float
        Threshold in absolute units, ``tau >= 0``.
    rho : float
        Radius of the adversary, ``rho >= 0``.

    Returns
    -------
    NeuronCounts
        The expectations.  The last one is a bound and not an expectation.

    Raises
    ------
    TypeError, ValueError
        If a number is out of range or has the wrong type.

    Notes
    -----
    Source: Definitions 3.1 and 3.9; Section 3.2 for the neurons that can fire on X.

    Examples
    --------
    >>> counts = expected_counts(4096, 10, 8, 0.05, 0.1)
    >>> counts.active < counts.near < counts.alive < 4096
    True
    """
    m = count(m, "m")
    n = count(n, "n")
    t = scaling.standardize_threshold(scalar(tau, "tau", minimum=0.0), m)
    active = m * scaling.activity_at(t)
    alive = m * surviving_share(t, d)
    near = m * listed_share(t, d, rho)
    return NeuronCounts(active, near, alive, min(alive, n * active))


Algorithm = Literal["dense", "alive", "literal", "shared"]


def expected_ledger(
    m: int,
    n: int,
    d: int,
    tau: float,
    rho: float,
    attack_steps: int,
    algorithm: Algorithm = "shared",
    update: float = 1.0,
) -> Ledger:
    """Predict the ledger of an iteration at initialization.

    Parameters
    ----------
    m, n, d : int
        Width, number of examples (``>= 1``) and input dimension (``>= 2``).
    tau : float
        Threshold in absolute units, ``tau >= 0``.
    rho : float
        Radius of the adversary, ``rho >= 0``.
    attack_steps : int
        Gradient steps of the adversary, ``>= 0``.
    algorithm : {"dense", "alive", "literal", "shared"}
        ``"dense"``: every neuron.  ``"alive"``: every neuron that can fire somewhere on X, the
        others being set aside once.  ``"literal"`` and ``"shared"``: `literal_ledger` and
        `shared_ledger`, where a query looks at the neurons that can fire somewhere on X.
    update : float, default 1.0
        Row passes for one change of the structure, ``>= 0``.

    Returns
    -------
    Ledger
        Expectations, with the activity of a fixed point also at the points of the attack; the
        entries of lines 19 to 21 are upper bounds where neurons are searched for.

    Raises
    ------
    TypeError, ValueError
        If a number is out of range or has the wrong type.

    Notes
    -----
    Source: Algorithm 1 with Definition 3.1.

    Examples
    --------
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

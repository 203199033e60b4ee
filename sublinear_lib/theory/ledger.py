"""The ledger of Lemma 5.3: what one iteration of Algorithm 1 costs, line by line.

The proof of Lemma 5.3 (Appendix C.16) adds up four entries: queries (line 12), forward pass (17),
backward pass and update (18, 19), update of the half-space structure (20, 21).  This module holds
that ledger as printed and as it has to be for the same algorithm, in two forms.  `Ledger` counts
*row passes*: visits to a row of W for one example, d multiplications each, as a training history
counts them; its numbers come out of measured or expected numbers of neurons, without any hidden
constant.  `Order` keeps the exponents of m, n, d and log m as exact fractions.  Before changing
it, know the two claims that rest on it: in the literal algorithm the forward and backward entries
*equal* ``sum_i k_{i,t}``; and with thresholds ``sqrt(2/m) sqrt(2 c log m)`` the neurons that can
fire anywhere on X are so few (`surviving_share_bound`) that even a dense iteration on them is
sublinear in m for fixed d.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from types import MappingProxyType
from typing import Literal

from scipy import special

from sublinear_lib import scaling
from sublinear_lib.geometry import SLICE_RADIUS
from sublinear_lib.theory.cost import listed_share
from sublinear_lib.theory.reporting import surviving_share
from sublinear_lib.validation import choice, count, scalar

__all__ = [
    "LINES",
    "Ledger",
    "NeuronCounts",
    "Order",
    "corrected_orders",
    "dense_ledger",
    "elementary_orders",
    "expected_counts",
    "expected_ledger",
    "leading_exponent",
    "literal_ledger",
    "printed_ledger",
    "printed_orders",
    "shared_ledger",
    "surviving_share_asymptote",
    "surviving_share_bound",
    "widest_dimension",
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

_FLIPS = Fraction(7, 8)


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


# ---- few neurons can fire on X at all -----------------------------------------------------------


def surviving_share_bound(t: float, d: int) -> float:
    r"""Bound the share of neurons that can fire somewhere on X, in closed form.

    The largest pre-activation on X, in standard deviations, is ``F(u, v) = (sqrt(3)/2 |u| +
    sqrt(5)/2 v) / sqrt(2)`` of d independent standard normal numbers, u in R^{d-1} and v in R.  F
    is 1-Lipschitz and its mean is at most ``mu = sqrt(3 (d - 1) / 8)``, so Gaussian concentration
    gives ``P[F > t] <= exp(-(t - mu)^2 / 2)`` for ``t >= mu``.

    Parameters
    ----------
    t : float
        Standardized threshold ``tau / sqrt(2/m)``, finite.
    d : int
        Input dimension, ``d >= 2``.

    Returns
    -------
    float
        The bound, in (0, 1]; 1 where ``t <= mu``.

    Raises
    ------
    TypeError, ValueError
        If `t` is not finite or ``d < 2``.

    Notes
    -----
    Source: Section 3.2 with Definition 3.1; derived here.

    Examples
    --------
    >>> surviving_share(4.0, 8) < surviving_share_bound(4.0, 8) < 0.06
    True
    """
    gap = scalar(t, "t") - _mean_bound(count(d, "d", minimum=2))
    return math.exp(-(max(gap, 0.0) ** 2) / 2.0)


def _mean_bound(d: int) -> float:
    return SLICE_RADIUS * math.sqrt((d - 1) / 2.0)


def surviving_share_asymptote(t: float, d: int) -> float:
    r"""Compute what the share of neurons that can fire on X approaches for large thresholds.

    Parameters
    ----------
    t : float
        Standardized threshold, ``t > 0``.
    d : int
        Input dimension, ``d >= 2``.

    Returns
    -------
    float
        ``sqrt(2 pi) 2^{(3-d)/2} / Gamma((d-1)/2) (t sqrt(3/8))^{d-2} Q(t)``; the ratio to
        `surviving_share` tends to 1 as ``t -> infinity`` with d fixed.

    Raises
    ------
    TypeError, ValueError
        If `t` is not positive and finite or ``d < 2``.

    Notes
    -----
    Source: Section 3.2 with Definition 3.1; derived here.  Given the length u of the first d - 1
    weights, the chance is largest near ``u = t sqrt(3/8)``; the chi density has the value
    ``2^{(3-d)/2} u^{d-2} exp(-u^2/2) / Gamma((d-1)/2)`` there, and the normal density that it
    replaces ``exp(-u^2/2) / sqrt(2 pi)``.

    Examples
    --------
    >>> round(surviving_share_asymptote(30.0, 2) / surviving_share(30.0, 2), 6)
    1.0
    """
    t = scalar(t, "t", exclusive_minimum=0.0)
    d = count(d, "d", minimum=2)
    u = t * SLICE_RADIUS / math.sqrt(2.0)
    log_ratio = (
        0.5 * math.log(2.0 * math.pi)
        + (3 - d) / 2.0 * math.log(2.0)
        - float(special.gammaln((d - 1) / 2.0))
        + (d - 2) * math.log(u)
    )
    return math.exp(log_ratio + float(special.log_ndtr(-t)))


def widest_dimension(m: int, c: float | Fraction) -> int:
    r"""Find the largest dimension in which a threshold silences some neurons on all of X, by proof.

    Parameters
    ----------
    m : int
        Width, ``m >= 1``.
    c : float or Fraction
        Sparsity exponent of ``t = sqrt(2 c log m)``, in [0, 1].

    Returns
    -------
    int
        The largest d with ``mu < t`` in `surviving_share_bound`: beyond it the bound is 1.  The
        condition is ``d < 1 + (16/3) c log m``; at least 1.

    Raises
    ------
    TypeError, ValueError
        If a number is out of range or has the wrong type.

    Notes
    -----
    Source: the repair R3 of the threshold, with Section 3.2; derived here.

    Examples
    --------
    >>> widest_dimension(2**20, Fraction(1, 5))
    15
    """
    sparsity = float(c) if isinstance(c, Fraction) else c
    sparsity = scalar(sparsity, "c", minimum=0.0, maximum=1.0)
    limit = 1.0 + 16.0 / 3.0 * sparsity * math.log(count(m, "m"))
    return max(1, math.ceil(limit) - 1)


# ---- orders of growth ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Order:
    """A product of powers: ``m^m n^n d^d (log m)^log``, up to a factor that depends on d only.

    Parameters
    ----------
    m, n, d, log : Fraction or int
        The exponents of the width, the number of examples, the dimension and ``log m``.

    Raises
    ------
    TypeError
        If an exponent is not exact.

    Examples
    --------
    >>> Order(Fraction(7, 8), 1, 1).at(n=Fraction(1, 8))
    Fraction(1, 1)
    """

    m: Fraction | int
    n: Fraction | int = 0
    d: Fraction | int = 0
    log: Fraction | int = 0

    def __post_init__(self) -> None:
        """Store exact exponents."""
        for item in fields(self):
            object.__setattr__(self, item.name, _exact(getattr(self, item.name), item.name))

    def at(self, n: Fraction | int = 0) -> Fraction:
        """Return the exponent of m when the number of examples is a power of m.

        Parameters
        ----------
        n : Fraction or int, default 0
            The exponent nu of ``n = m^nu``.

        Returns
        -------
        Fraction
            ``m + nu n``; d is fixed, logarithms do not count.

        Raises
        ------
        TypeError
            If `n` is not exact.
        """
        return Fraction(self.m) + _exact(n, "n") * self.n

    def __str__(self) -> str:
        """Return the product in plain text."""
        parts = [
            base if power == 1 else f"{base}^{power}"
            for base, power in (("m", self.m), ("n", self.n), ("d", self.d), ("log", self.log))
            if power != 0
        ]
        return " ".join(parts) or "1"


def _exact(value: object, name: str) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise TypeError(
            f"{name} must be an exact fractions.Fraction or an int, got {value!r} of type "
            f"{type(value).__name__}"
        )
    return Fraction(value)


def _share(value: object, name: str) -> Fraction:
    exact = _exact(value, name)
    if not 0 <= exact <= 1:
        raise ValueError(f"{name} must be >= 0 and <= 1, got {exact}")
    return exact


Orders = Mapping[str, tuple[Order, ...]]


def printed_orders(d: int, c: Fraction | int) -> Orders:
    r"""Give the terms of the printed ledger, entry by entry.

    Parameters
    ----------
    d : int
        Input dimension, ``d >= 2``.
    c : Fraction or int
        ``Q_0 = m^{1-c}``, ``0 <= c <= 1``.

    Returns
    -------
    mapping of str to tuple of Order
        The entries of the proof by the names of `LINES`; line 19 is in the entry of line 18, and
        there is none for line 11.

    Raises
    ------
    TypeError, ValueError
        If a number is out of range or has the wrong type.

    Notes
    -----
    Source: Appendix C.16 with the first regime of Corollary 5.2, ``Theta(1/d) = 1/floor(d/2)``.

    Examples
    --------
    >>> [str(term) for term in printed_orders(8, Fraction(1, 5))["forward"]]
    ['m^4/5 d', 'm^7/8 n d']
    """
    search = _search_exponent(d)
    start = 1 - _share(c, "c")
    touched = (Order(start, 0, 1), Order(_FLIPS, 1, 1))
    return MappingProxyType(
        {
            "query": (Order(search, 1, 1),),
            "forward": touched,
            "gradient": touched,
            "index": (Order(start, 0, 0, 2), Order(_FLIPS, 1, 0, 2)),
        }
    )


def corrected_orders(d: int, c: Fraction | int, flips: Fraction | int = _FLIPS) -> Orders:
    r"""Give the terms of the ledger of the same algorithm, with everything counted.

    Parameters
    ----------
    d : int
        Input dimension, ``d >= 2``.
    c : Fraction or int
        ``m^{1-c}`` neurons are active at a point at initialization, ``0 <= c <= 1``.
    flips : Fraction or int, default 7/8
        ``m^flips`` neurons have changed their state at a point, ``0 <= flips <= 1``.

    Returns
    -------
    mapping of str to tuple of Order
        One entry for each of `LINES`, with an adversary of a fixed number of steps.

    Raises
    ------
    TypeError, ValueError
        If a number is out of range or has the wrong type.

    Notes
    -----
    Source: Algorithm 1 with Corollary 5.2 (first regime), Lemma 4.5 and Claim 4.6.

    Examples
    --------
    >>> [str(term) for term in corrected_orders(8, Fraction(1, 5))["forward"]]
    ['m^4/5 n d', 'm^7/8 n d']
    """
    search = _search_exponent(d)
    start, moved = 1 - _share(c, "c"), _share(flips, "flips")
    reported = (Order(start, 1), Order(moved, 1))
    touched = (Order(start, 1, 1), Order(moved, 1, 1))
    return MappingProxyType(
        {
            "attack": (Order(search, 1), *touched),
            "query": (Order(search, 1), *reported),
            "forward": touched,
            "gradient": touched,
            "weights": touched,
            "index": (Order(start, 1, 0, 2), Order(moved, 1, 0, 2)),
        }
    )


def elementary_orders(d: int, c: Fraction | int) -> Orders:
    r"""Give the terms when the neurons that cannot fire on X are deleted and the rest is dense.

    Parameters
    ----------
    d : int
        Input dimension, ``d >= 2``.
    c : Fraction or int
        The threshold is ``sqrt(2/m) sqrt(2 c log m)``, ``0 < c <= 1``.

    Returns
    -------
    mapping of str to tuple of Order
        All entries are ``m^{1-c} (log m)^{(d-3)/2} n d``, line 19 without n; there is no search
        and no structure.

    Raises
    ------
    TypeError, ValueError
        If a number is out of range or has the wrong type.

    Notes
    -----
    Source: `surviving_share_asymptote` with ``t = sqrt(2 c log m)``; derived here.

    Examples
    --------
    >>> str(elementary_orders(8, Fraction(1, 5))["forward"][0])
    'm^4/5 n d log^5/2'
    """
    d = count(d, "d", minimum=2)
    sparsity = _share(c, "c")
    if sparsity == 0:
        raise ValueError("c must be > 0: at a threshold of order sqrt(1/m) no power of m is saved")
    log = Fraction(d - 3, 2)
    every = (Order(1 - sparsity, 1, 1, log),)
    return MappingProxyType(
        {
            "attack": every,
            "forward": every,
            "gradient": every,
            "weights": (Order(1 - sparsity, 0, 1, log),),
        }
    )


def leading_exponent(orders: Mapping[str, Iterable[Order]], n: Fraction | int = 0) -> Fraction:
    """Return the largest exponent of m in a ledger.

    Parameters
    ----------
    orders : mapping of str to iterable of Order
        A ledger.
    n : Fraction or int, default 0
        The exponent nu of ``n = m^nu``; by default the number of examples is fixed.

    Returns
    -------
    Fraction
        The exponent of the whole iteration, logarithms left out, d fixed.

    Raises
    ------
    TypeError
        If `n` is not exact.
    ValueError
        If there are no terms.

    Examples
    --------
    >>> leading_exponent(printed_orders(32, Fraction(1, 5)))
    Fraction(15, 16)
    """
    powers = [term.at(n) for terms in orders.values() for term in terms]
    if not powers:
        raise ValueError("orders must hold at least one term, got none")
    return max(powers)


def _search_exponent(d: int) -> Fraction:
    return 1 - Fraction(1, count(d, "d", minimum=2) // 2)

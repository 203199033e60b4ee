"""The exponents of Lemma 5.3: powers of m, n, d and log m in every entry of the ledger, exactly.

The proof of Lemma 5.3 (Appendix C.16) adds up orders of growth.  `printed_orders` keeps them as
they are printed, `corrected_orders` as they are for the same algorithm with the adversary and every
factor n counted, `elementary_orders` for the algorithm that deletes the neurons which cannot fire
on X and computes with the rest.  Exponents are fractions, never floats.  Before changing them, know
that factors which depend on d only are left out, as in the paper's ``O_d``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from types import MappingProxyType

from sublinear_lib._arguments import Dimension, checked
from sublinear_lib.validation import exact as _exact

__all__ = [
    "corrected_orders",
    "elementary_orders",
    "leading_exponent",
    "printed_orders",
]

_FLIPS = Fraction(7, 8)


@dataclass(frozen=True)
class Order:
    """A product of powers: ``m^m n^n d^d (log m)^log``, up to a factor that depends on d only.

    Fields: `m`, `n`, `d`, `log`: the exponents of the width, the number of examples, the dimension
    and ``log m``.

    Raises TypeError: if an exponent is not exact.

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
        """Return the exponent of m when the number of examples is a power of m."""
        return Fraction(self.m) + _exact(n, "n") * self.n

    def __str__(self) -> str:
        """Return the product in plain text."""
        parts = [
            base if power == 1 else f"{base}^{power}"
            for base, power in (("m", self.m), ("n", self.n), ("d", self.d), ("log", self.log))
            if power != 0
        ]
        return " ".join(parts) or "1"


def _share(value: object, name: str) -> Fraction:
    share = _exact(value, name)
    if not 0 <= share <= 1:
        raise ValueError(f"{name} must be >= 0 and <= 1, got {share}")
    return share


Orders = Mapping[str, tuple[Order, ...]]


@checked
def search_exponent(d: Dimension) -> Fraction:
    """Give the exponent of half-space reporting in linear space, that of Corollary 5.2.

    ``1 - 1 / floor(d/2)``: a query takes ``O(m^{1 - 1/floor(d/2)} + k)``; 0 stands for a logarithm.

    >>> search_exponent(3), search_exponent(32)
    (Fraction(0, 1), Fraction(15, 16))
    """
    return 1 - Fraction(1, d // 2)


@checked
def printed_orders(d: Dimension, c: Fraction | int) -> Orders:
    r"""Give the terms of the printed ledger, entry by entry.

    Here `c`: ``Q_0 = m^{1-c}``, ``0 <= c <= 1``.

    The entries of the proof, by the names of :data:`~sublinear_lib.theory.ledger.LINES`; line 19 is
    in the entry of line 18, and there is none for line 11.  Source: Appendix C.16 with the first
    regime of Corollary 5.2, ``Theta(1/d) = 1/floor(d/2)``.

    >>> [str(term) for term in printed_orders(8, Fraction(1, 5))["forward"]]
    ['m^4/5 d', 'm^7/8 n d']
    """
    search = search_exponent(d)
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


@checked
def corrected_orders(d: Dimension, c: Fraction | int, flips: Fraction | int = _FLIPS) -> Orders:
    r"""Give the terms of the ledger of the same algorithm, with everything counted.

    Here `c`: ``m^{1-c}`` neurons are active at a point at initialization, ``0 <= c <= 1``; `flips`:
    ``m^flips`` neurons have changed their state at a point, ``0 <= flips <= 1``.

    One entry for each of :data:`~sublinear_lib.theory.ledger.LINES`, with an adversary of a fixed
    number of steps.  Source: Algorithm 1 with Corollary 5.2 (first regime), Lemma 4.5 and Claim
    4.6.

    >>> [str(term) for term in corrected_orders(8, Fraction(1, 5))["forward"]]
    ['m^4/5 n d', 'm^7/8 n d']
    """
    search = search_exponent(d)
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


@checked
def elementary_orders(d: Dimension, c: Fraction | int) -> Orders:
    r"""Give the terms when the neurons that cannot fire on X are deleted and the rest is dense.

    For the threshold ``sqrt(2/m) sqrt(2 c log m)``, ``0 < c <= 1``, all entries are ``m^{1-c} (log
    m)^{(d-3)/2} n d``, line 19 without n, by `surviving_share_asymptote`; there is no search and no
    structure.

    >>> str(elementary_orders(8, Fraction(1, 5))["forward"][0])
    'm^4/5 n d log^5/2'
    """
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

    Of the whole iteration with ``n = m^nu``, nu being `n`; logarithms left out, d fixed.

    >>> leading_exponent(printed_orders(32, Fraction(1, 5)))
    Fraction(15, 16)
    """
    powers = [term.at(n) for terms in orders.values() for term in terms]
    if not powers:
        raise ValueError("orders must hold at least one term, got none")
    return max(powers)

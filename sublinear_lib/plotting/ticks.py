"""Where an axis carries ticks and what they say, in the house markup (``2^{10}``).

They are chosen in Python, for figures and explorers alike: the front end needs no rule of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sublinear_lib.plotting.formats import grouped, number
from sublinear_lib.validation import choice, count, scalar

SCALES = ("linear", "log10", "log2")
"""The axis scales: linear, and logarithmic with ticks at powers of ten or of two."""

_MINUS = "\N{MINUS SIGN}"
_SMALLEST = 1e-300  # the steps of a shorter axis would have no decimals in float64


class Ticks(NamedTuple):
    """Ascending tick positions in data units and their labels, in the house markup."""

    values: tuple[float, ...]
    labels: tuple[str, ...]


def _linear(low: float, high: float, target: int) -> list[float]:
    raw = (high - low) / target
    power = math.floor(math.log10(raw))
    steps = [factor * 10.0**p for p in (power - 1, power) for factor in (1, 2, 5)]
    steps.append(10.0 ** (power + 1))
    at = next(i for i, step in enumerate(steps) if step >= raw * 0.999)
    # An axis may happen to hold no two multiples of the step; the next finer one then has them.
    values: list[float] = []
    while len(values) < 2 and at >= 0:
        step, at = steps[at], at - 1
        # Rounding to the step's own decimals makes 3 * 0.1 the number 0.3.
        decimals = max(0, -math.floor(math.log10(step)))
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        values = [round(k * step, decimals) + 0.0 for k in range(first, last + 1)]
    return values


def _powers(low: float, high: float, base: float, target: int) -> list[float]:
    first = math.ceil(math.log(low, base) - 1e-9)
    last = math.floor(math.log(high, base) + 1e-9)
    exponents = range(first, last + 1)
    stride = max(1, math.ceil(len(exponents) / (target + 1)))
    return [base**k for k in exponents if k % stride == 0]


def _within_a_decade(low: float, high: float) -> list[float]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    values = [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in (1, 2, 5)]
    return [value for value in values if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]


def _scientific(value: float) -> str:
    """Write one significant digit times a power of ten, in the house markup."""
    digit, _, power = f"{value:.0e}".partition("e")
    ten = f"10^{{{int(power)}}}".replace("-", _MINUS)
    return ten if digit == "1" else f"{digit}·{ten}"


def _default_labels(values: Sequence[float], scale: str) -> list[str]:
    if scale == "log2" and all(v == 2.0 ** round(math.log2(v)) for v in values):
        return [f"2^{{{round(math.log2(v))}}}".replace("-", _MINUS) for v in values]
    if scale == "log10" and all(v == float(f"{v:.0e}") for v in values):
        powers = all(f"{v:.0e}".startswith("1") for v in values)
        wide = powers and values[-1] / values[0] > 1e4
        if wide or not all(1e-4 <= v < 1e6 for v in values):
            return [_scientific(v) for v in values]
        return [number(v, 6) for v in values]
    step = min((b - a for a, b in pairwise(values)), default=abs(values[0]) or 1.0)
    decimals = 0
    while decimals < 12 and any(abs(round(v, decimals) - v) > 1e-3 * step for v in values):
        decimals += 1
    if decimals <= 5 and all(abs(v) < 1e7 for v in values):
        if decimals:
            return [f"{v:.{decimals}f}".replace("-", _MINUS) for v in values]
        return [grouped(round(v)) for v in values]
    # Very small or very large: as few digits as tell neighbors apart.
    for digits in range(2, 16):
        texts = [number(v, digits) for v in values]
        if len(set(texts)) == len(texts):
            break
    return texts


def ticks(
    low: float,
    high: float,
    *,
    scale: str = "linear",
    target: int = 5,
    label: Callable[[float], str] | None = None,
    values: Sequence[float] | None = None,
) -> Ticks:
    """Choose the ticks of an axis.

    Parameters
    ----------
    low, high : float
        The ends of the axis in data units, ``low < high``; positive on a logarithmic scale.
    scale : {"linear", "log10", "log2"}
        Linear steps of 1, 2 or 5; powers of ten (with 2 and 5 between them when the axis spans
        less than three decades); or powers of two.
    target : int, default 5
        About how many intervals to aim at.
    label : callable, optional
        Writes a position as a label, for example `percent`.
    values : sequence of float, optional
        Positions to use instead of the chosen ones; those outside the axis are dropped.

    Returns
    -------
    Ticks
        At least one tick whenever the axis holds a round number.

    Raises
    ------
    ValueError
        If the ends are not finite, not ascending, closer than 1e-300 or farther apart than a
        float64 can say, or not positive on a logarithmic scale.

    Examples
    --------
    >>> ticks(0, 1).labels
    ('0.0', '0.2', '0.4', '0.6', '0.8', '1.0')
    >>> ticks(64, 2**16, scale="log2", target=5).labels
    ('2^{6}', '2^{8}', '2^{10}', '2^{12}', '2^{14}', '2^{16}')
    """
    scale = choice(scale, "scale", SCALES)
    low = scalar(low, "low", exclusive_minimum=None if scale == "linear" else 0.0)
    high = scalar(high, "high", exclusive_minimum=low)
    target = count(target, "target")
    if not _SMALLEST <= high - low < math.inf:
        raise ValueError(
            f"low and high must be at a finite distance of at least {_SMALLEST:g}, got {low} and "
            f"{high}"
        )
    if values is not None:
        # At its lower end a logarithmic axis tells far smaller distances apart than its length.
        below, above = (high - low, high - low) if scale == "linear" else (low, high)
        chosen = sorted(float(v) for v in values if low - 1e-9 * below <= v <= high + 1e-9 * above)
    elif scale == "linear":
        chosen = _linear(low, high, target)
    else:
        wide = scale == "log2" or high / low >= 1e3
        base = 2.0 if scale == "log2" else 10.0
        chosen = _powers(low, high, base, target) if wide else _within_a_decade(low, high)
        if len(chosen) < 2 and (scale == "log2" or not wide):
            chosen, scale = _linear(low, high, target), "linear"
    if label is not None:
        texts = [label(v) for v in chosen]
    else:
        texts = _default_labels(chosen, scale) if chosen else []
    return Ticks(tuple(np.asarray(chosen, dtype=np.float64).tolist()), tuple(texts))

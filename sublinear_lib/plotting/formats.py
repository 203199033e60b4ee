"""How numbers are written in figures, explorers and their sentences.

A true minus sign, a narrow no-break space between thousands, a no-break space before the percent
sign, and no more digits than a reader can use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sublinear_lib.validation import count, scalar

Numbers: TypeAlias = Sequence[float] | NDArray[np.floating[Any]] | NDArray[np.integer[Any]]
"""What figures and marks accept as coordinates; it is checked when it is drawn."""

_MINUS = "\N{MINUS SIGN}"
_THIN = "\N{NARROW NO-BREAK SPACE}"


def grouped(value: int) -> str:
    """Return an integer with its thousands set apart, by narrow no-break spaces.

    >>> grouped(1048576).replace(chr(0x202f), " ")
    '1 048 576'
    """
    return f"{value:,}".replace(",", _THIN).replace("-", _MINUS)


def whole(value: float) -> str:
    """Return a number, rounded, as an integer with its thousands set apart.

    >>> whole(-2.6)
    '−3'
    """
    return grouped(round(value))


def degrees(value: float) -> str:
    """Return an angle in whole degrees.

    >>> degrees(-90.0)
    '−90°'
    """
    return f"{whole(value)}°"


def course(first: float, last: float) -> str:
    """Return the verb for a curve that goes from one number to another.

    >>> course(1.0, 0.5), course(0.5, 1.0)
    ('falls', 'rises')
    """
    return "falls" if last < first else "rises" if last > first else "goes"


def number(value: float, digits: int = 3) -> str:
    """Return a number for reading: a few significant digits, no exponent where it can be avoided.

    Parameters
    ----------
    value : float
        The number.
    digits : int, default 3
        Significant digits, at least 1.

    Returns
    -------
    str
        Plain text; beyond ``1e6`` or below ``1e-4`` as ``1.2·10⁻⁵``.

    Raises
    ------
    TypeError, ValueError
        If the value is not a finite real number, or `digits` no integer ``>= 1``.

    Examples
    --------
    >>> number(0.04554), number(1.25e-7), number(12345.0).replace(chr(0x202f), " ")
    ('0.0455', '1.25·10⁻⁷', '12 345')
    """
    value = scalar(value, "value")
    digits = count(digits, "digits")
    if value == 0.0:
        return "0"
    # Read off the digits: dividing by a power of ten fails where that power is below all numbers.
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    exponent = int(power)
    if exponent >= 6 or exponent < -4:
        if "." in mantissa:
            mantissa = mantissa.rstrip("0").rstrip(".")
        power = f"{exponent}".translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
        return f"{mantissa}·10{power}".replace("-", _MINUS)
    if exponent >= digits - 1:
        return grouped(round(value))
    rounded = float(f"{mantissa}e{power}")
    return f"{rounded:.{digits - 1 - exponent}f}".rstrip("0").rstrip(".").replace("-", _MINUS)


def percent(value: float, digits: int = 3) -> str:
    """Return a share, of which 1 is everything, as a percentage with so many significant digits.

    TypeError or ValueError say that the share is not a finite number, or `digits` not at least 1.

    >>> percent(0.04554).replace(chr(0xa0), " ")
    '4.55 %'
    """
    return f"{number(100.0 * scalar(value, 'value'), digits)}\N{NO-BREAK SPACE}%"

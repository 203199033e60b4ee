"""Say whether two drawings of a picture show a reader the same.

The last digits of an optimizer depend on the processor and on the versions of the libraries, and so
do the places of lines in a picture.  Words, numbers in words, colors and the order of what is drawn
do not, and have to be the same.
"""

from __future__ import annotations

import re
from itertools import zip_longest

PICTURE = "application/vnd.sublinear.picture"
"""The type under which a notebook keeps a picture."""
FARTHEST = 0.5
"""How far apart the same place may be, in pixels of the picture."""

_PLACES = re.compile(r'(?<= )(?:d|x|y|x1|x2|y1|y2|cx|cy|width|height|points|transform)="[^"]*"')
_NUMBER = re.compile(r"[-+]?\d*\.?\d+(?:e[-+]?\d+)?")


def alike(one: str, other: str) -> bool:
    """Compare two pictures, given as HTML."""
    if _PLACES.sub("", one) != _PLACES.sub("", other):
        return False
    pairs = zip_longest(_PLACES.findall(one), _PLACES.findall(other), fillvalue="")
    return all(_near(first, second) for first, second in pairs)


def _near(first: str, second: str) -> bool:
    # what stands between two numbers depends on the sign of the second
    one, other = (re.sub(r"[ ,]*#", "#", _NUMBER.sub("#", text)) for text in (first, second))
    if one != other:
        return False
    numbers = zip(_NUMBER.findall(first), _NUMBER.findall(second), strict=True)
    return all(abs(float(a) - float(b)) <= FARTHEST for a, b in numbers)

"""Helpers to read a view: its marks by kind and label, and the points of the circle."""

import math

import numpy as np

X = [[math.sqrt(3) / 2, 0.0, 0.5]]


def of(view, kind):
    return [mark for mark in view.marks if isinstance(mark, kind)]


def named(view, kind):
    return {mark.label: mark for mark in of(view, kind)}


def circle(degrees):
    turn = np.radians(np.asarray(degrees, dtype=np.float64))
    flat = np.full(turn.size, 0.5)
    return np.column_stack((0.75**0.5 * np.cos(turn), 0.75**0.5 * np.sin(turn), flat))


def sparse(m):
    """Return the threshold of R3."""
    return math.sqrt(2 / m * 0.4 * math.log(m))

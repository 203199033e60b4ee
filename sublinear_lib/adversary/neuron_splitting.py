r"""The worst case between two numbers by deciding neurons one by one: for dimensions above six.

Cutting the cap into pieces (:mod:`sublinear_lib.adversary.branch_and_bound`) needs exponentially
many of them in d.  Here the pieces are those on which some unstable neurons are decided to be on
and others to be off, whatever the dimension; with all k of them decided at most ``2^k`` remain, of
which bounds rule most out.

**The bound of a piece.**  A free neuron keeps its line over the jump
(:mod:`sublinear_lib.adversary.relaxation`).  A decided one contributes exactly ``c (z - h)`` or
nothing, but only where ``z >= tau`` or ``z <= tau``: conditions that enter with multipliers
``beta >= 0``,

    on:  c (z - h) + beta (z - tau),        off:  beta (tau - z),

which are no smaller where the piece is, for any beta.  All in all the bound is the maximum of an
affine function over the cap of Definition 3.3, known exactly, and it is convex in the slopes and
the multipliers, which are minimized over.  Every choice is valid, converged or not.

A piece with all neurons decided is not split further; what is left of its bound above the value
found is the gap between the cap and its convex hull.
"""

from __future__ import annotations

import heapq
import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary.brackets import Bracket, Bracketing
from sublinear_lib.adversary.relaxation import CapRelaxation
from sublinear_lib.network import TwoLayerNetwork

__all__ = ["split_neurons"]

# Multipliers beyond this many times the largest factor would only spoil the conditioning.
_LARGEST_MULTIPLIER = 1e3
_ITERATIONS = 60
_FREE, _ON, _OFF = 0, 1, -1


def split_neurons(
    network: TwoLayerNetwork,
    middle: FloatArray,
    rho: float,
    side: int = 1,
    start: FloatArray | None = None,
    **limits: Any,
) -> Bracket:
    """Bracket the supremum of ``side * f`` over a cap by deciding unstable neurons.

    Best first: the piece with the largest bound is split at the neuron whose line is worst at the
    point where the bound is attained.  Source: Definitions 3.3 and 3.4; multipliers for decided
    neurons as in beta-CROWN.
    """
    asked = Bracketing(network, middle, rho, side, start, **limits)
    best = asked.best
    pieces = _Pieces(asked.relaxation)
    root = pieces.root()
    best.offer(root.point[None, :])
    upper, leaves, nodes = root.bound, -math.inf, 1
    number = itertools.count()
    heap = [(-root.bound, next(number), root)]
    while heap:
        upper = max(-heap[0][0], leaves, best.value)
        # Only pieces that can still be split can close the bracket.
        idle = leaves >= -heap[0][0]
        if asked.closed(upper) or idle or asked.over(nodes):
            break
        piece = heapq.heappop(heap)[2]
        neuron = pieces.worst(piece)
        if neuron is None:
            leaves = max(leaves, piece.bound)
            continue
        for state in (_ON, _OFF):
            half = pieces.decide(piece, neuron, state)
            nodes += 1
            best.offer(half.point[None, :])
            if half.bound > best.value:
                heapq.heappush(heap, (-half.bound, next(number), half))
    else:
        # Nothing is left above the best value but what cannot be split.
        upper = max(leaves, best.value)
    return asked.bracket(upper, "neuron splitting", nodes)


class _Piece(NamedTuple):
    """The part of the cap on which some neurons are on and others off."""

    bound: float
    states: NDArray[np.int8]
    weights: FloatArray
    """The slope of the line of a free neuron, the multiplier of a decided one."""
    point: FloatArray
    """Where the bound is attained."""


class _Terms(NamedTuple):
    """An affine function of the weights p: ``gradient + (scale p) W`` and so on."""

    gradient: FloatArray
    constant: float
    scale: FloatArray
    anchor: FloatArray
    size: float


class _Pieces:
    """The pieces of one cap."""

    def __init__(self, model: CapRelaxation) -> None:
        self._model, self._lines = model, model.lines
        largest = float(np.abs(model.factors).max(initial=0.0))
        self._largest = _LARGEST_MULTIPLIER * largest

    def root(self) -> _Piece:
        """Return the whole cap."""
        found = self._model.optimized(_ITERATIONS)
        states = np.zeros(self._model.unstable, dtype=np.int8)
        return _Piece(found.value, states, found.slopes, found.point)

    def decide(self, piece: _Piece, neuron: int, state: int) -> _Piece:
        """Return the part of a piece on which one more neuron is on, or off."""
        from scipy.optimize import Bounds, minimize

        states, weights = piece.states.copy(), piece.weights.copy()
        states[neuron], weights[neuron] = state, 0.0
        terms = self._terms(states)
        free = states == _FREE
        low = np.where(free, self._lines.flattest, 0.0)
        high = np.where(free, self._lines.steepest, self._largest)

        def objective(p: FloatArray) -> tuple[float, FloatArray]:
            value, point = self._maximum(terms, p)
            return value, terms.scale * (self._model.W @ point + self._model.b - terms.anchor)

        start = np.clip(weights, low, high)
        run = minimize(
            objective,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(low, high),
            options={"maxiter": _ITERATIONS},
        )
        found = [self._bounded(terms, p) for p in (start, np.clip(run.x, low, high))]
        bound, point, weights = min(found, key=lambda each: each[0])
        return _Piece(min(bound, piece.bound), states, weights, point)

    def worst(self, piece: _Piece) -> int | None:
        """Return the free neuron that spoils the bound most, or nothing if all are decided."""
        free = piece.states == _FREE
        if not free.any():
            return None
        model, lines = self._model, self._lines
        z = model.W @ piece.point + model.b
        line = lines.offset + piece.weights * (z - lines.anchor)
        excess = model.factors * (line - np.where(z > model.tau, z - model.shift, 0.0))
        excess = np.where(free, excess, -np.inf)
        if excess.max() <= 1e-12 * float(np.abs(model.factors).max()):
            # The lines are right there: the widest range may still help.
            room = np.minimum(model.high - model.tau, model.tau - model.low)
            excess = np.where(free, np.abs(model.factors) * room, -np.inf)
        return int(np.argmax(excess))

    def _terms(self, states: NDArray[np.int8]) -> _Terms:
        model, lines = self._model, self._lines
        free, on = states == _FREE, states == _ON
        gradient = model.gradient + model.factors[on] @ model.W[on]
        constant = model.constant + float(model.factors[on] @ (model.b[on] - model.shift))
        constant += float(model.factors[free] @ lines.offset[free])
        size = float(np.abs(model.factors[on]) @ (model.sizes[on] + model.shift))
        size += float(np.abs(model.factors[free]) @ np.abs(lines.offset[free]))
        scale = np.where(free, model.factors, np.where(on, 1.0, -1.0))
        anchor = np.where(free, lines.anchor, model.tau)
        return _Terms(gradient, constant, scale, anchor, size)

    def _maximum(self, terms: _Terms, p: FloatArray) -> tuple[float, FloatArray]:
        """Maximize the affine function that bounds f on a piece over the cap."""
        weights = terms.scale * p
        values, points = self._model.cap.support(
            (terms.gradient + weights @ self._model.W)[None, :]
        )
        constant = terms.constant + float(weights @ (self._model.b - terms.anchor))
        return float(values[0]) + constant, points[0]

    def _bounded(self, terms: _Terms, p: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return the bound with its rounding error, where it is attained, and its weights."""
        value, point = self._maximum(terms, p)
        size = np.abs(terms.scale * p) @ (self._model.sizes + np.abs(terms.anchor))
        return value + self._model.rounding(2.0 * (terms.size + float(size))), point, p

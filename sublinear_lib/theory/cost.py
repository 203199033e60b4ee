r"""What one iteration of Algorithm 1 costs: the expected number of row passes, phase by phase.

A *row pass* is one visit to a weight row w_r for one example: an inner product ``<w_r, x>`` or a
scaled addition of w_r or x, d multiplications each.  The dense iteration spends ``m n`` of them
whenever it evaluates the network or one of its gradients; the sparse one spends them only on
neurons that can be active.  The counts here are expectations at initialization and match the work
columns of a training history with ``reduction="reference"``; they say nothing about seconds.
Lemma 5.3 has a ledger of this kind, without the adversary.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import scipy
from scipy import special

from sublinear_lib import scaling
from sublinear_lib._arguments import Count, Dimension, Nonnegative, Real, Whole, checked
from sublinear_lib._typing import FloatArray
from sublinear_lib.geometry import SLICE_HEIGHT, SLICE_RADIUS
from sublinear_lib.validation import choice

__all__ = ["candidate_share", "dense_cost", "listed_share", "sparse_cost"]

_NODES = 48
_REACH = 10.0  # a standard normal exceeds it with probability 1e-23


@dataclass(frozen=True)
class IterationCost:
    """Expected row passes of one iteration, by phase.

    Fields: `query`: finding the neurons: comparisons made by the search structure; `adversary`:
    values and input gradients for the attack (line 11 of Algorithm 1); `forward`: the forward pass
    at the adversarial points (line 17); `backward`: the weight gradient (line 18).
    """

    query: float
    adversary: float
    forward: float
    backward: float

    @property
    def total(self) -> float:
        """Sum of the four phases."""
        return self.query + self.adversary + self.forward + self.backward


@checked
def candidate_share(t: Real, d: Dimension, rho: Nonnegative) -> float:
    r"""Compute the expected share of neurons that may become active somewhere in a cap.

    The trainer keeps neuron r for an example x if ``<w_r, x> + b_r + rho |w'_r| > tau``, with w'
    the first d - 1 coordinates of w (a superset of what can fire in the cap of radius rho, by
    Cauchy-Schwarz).  In units of ``m^{-1/2}`` write p for the component of w' along x and q for the
    length of the rest: p is N(0, 1), q is chi with d - 2 degrees of freedom, and the remainder
    ``w_d / 2 + b`` is N(0, 5/4), all independent.  Hence the share is

    ``E[ Q( (t sqrt(2) - (sqrt(3)/2) p - rho sqrt(p^2 + q^2)) / sqrt(5/4) ) ]``,

    equal to ``Q(t)`` at ``rho = 0``.  Source: Algorithm 1, lines 11 and 12; derived here.  The
    quadrature goes ten standard deviations to either side: for ``t <= 10`` it misses less than 1e-6
    of the share.

    >>> round(candidate_share(2.0, 10, 0.0), 6) == round(scaling.activity_at(2.0), 6)
    True
    """
    return _share(t, d, rho)


@lru_cache(maxsize=1 << 14)
def _share(t: float, d: int, rho: float) -> float:
    along, length, weights = _quadrature(d)
    needed = t * math.sqrt(2.0) - SLICE_RADIUS * along - rho * length
    chance = special.ndtr(-needed / math.sqrt(1.0 + SLICE_HEIGHT**2))
    return float(np.vdot(weights, chance))


@lru_cache(maxsize=64)
def _quadrature(d: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return p, sqrt(p^2 + q^2) and the weights of the expectation over (p, q)."""
    u, u_weights = special.roots_legendre(_NODES)
    half = _REACH * (u + 1.0) / 2.0
    p = np.concatenate((-half, half))  # in two halves: for d = 2 the integrand has a kink at p = 0
    p_weights = np.tile(u_weights, 2) * _REACH / 2.0 * scipy.stats.norm.pdf(p)
    q, q_weights = _across(d)
    return p[:, None], np.hypot(p[:, None], q[None, :]), np.outer(p_weights, q_weights)


@checked
def listed_share(t: Real, d: Dimension, rho: Nonnegative) -> float:
    r"""Compute the expected share of neurons that are candidates in a cap and can fire on X at all.

    The trainer sets neurons aside that can fire nowhere on X before it makes lists, so a list holds
    the neurons with both ``<w_r, x> + b_r + rho |w'_r| > tau`` and ``(sqrt(3)/2) |w'_r| + w_{r,d}/2
    + b_r > tau``.  With p, q as in `candidate_share` and ``h = sqrt(p^2 + q^2)``, the share is

    ``E[ Q( (t sqrt(2) - min((sqrt(3)/2) p + rho h, (sqrt(3)/2) h)) / sqrt(5/4) ) ]``,

    at most `candidate_share` and `surviving_share`, for ``rho >= sqrt(3)`` equal to the latter.

    >>> listed_share(2.0, 3, 0.1) < candidate_share(2.0, 3, 0.1)
    True
    """
    return _listed(t, d, rho)


@lru_cache(maxsize=1 << 14)
def _listed(t: float, d: int, rho: float) -> float:
    q, q_weights = _across(d)
    along, weights = _panels(q, rho)
    length = np.hypot(along, q[:, None])
    reach = np.minimum(SLICE_RADIUS * along + rho * length, SLICE_RADIUS * length)
    chance = special.ndtr((reach - t * math.sqrt(2.0)) / math.sqrt(1.0 + SLICE_HEIGHT**2))
    return float(q_weights @ np.einsum("ij,ij->i", weights, chance))


def _panels(q: FloatArray, rho: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of the expectation over p for each q, split where the minimum turns.

    It turns where ``p = (1 - rho / s) h``, with ``s = sqrt(3)/2``.
    """
    cosine = 1.0 - rho / SLICE_RADIUS
    if cosine >= 1.0:
        turn = np.full(q.size, _REACH)
    elif cosine <= -1.0:
        turn = np.full(q.size, -_REACH)
    else:
        turn = np.clip(q * cosine / math.sqrt(1.0 - cosine**2), -_REACH, _REACH)
    ends = np.sort(
        np.column_stack(
            (np.full(q.size, -_REACH), np.zeros(q.size), turn, np.full(q.size, _REACH))
        ),
        axis=1,
    )
    u, u_weights = special.roots_legendre(_NODES)
    half = np.diff(ends, axis=1)[:, :, None] / 2.0
    nodes = ends[:, :-1, None] + half * (u + 1.0)
    weights = half * u_weights * scipy.stats.norm.pdf(nodes)
    return nodes.reshape(q.size, -1), weights.reshape(q.size, -1)


@lru_cache(maxsize=64)
def _across(d: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of the expectation over q, good also where q is rarely as large."""
    if d == 2:
        return np.zeros(1), np.ones(1)
    middle = math.sqrt(d - 2.0)
    low, high = max(0.0, middle - _REACH), middle + _REACH
    u, u_weights = special.roots_legendre(2 * _NODES)
    half = (high - low) / 2.0
    q = low + half * (u + 1.0)
    return q, half * u_weights * scipy.stats.chi.pdf(q, d - 2)


@checked
def dense_cost(m: Count, n: Count, attack_steps: Whole) -> IterationCost:
    """Count the row passes of an iteration that computes with every neuron.

    ``(2 S + 3) m n`` row passes: a value and an input gradient for each attack step, one more
    value, forward and backward.  Source: the ``Omega(m n d)`` of Section 1, with the adversary
    counted.

    >>> dense_cost(1000, 10, 5).total
    130000.0
    """
    pairs = float(m * n)
    return IterationCost(0.0, (2 * attack_steps + 1) * pairs, pairs, pairs)


@checked
def sparse_cost(
    m: Count,
    n: Count,
    d: Dimension,
    tau: Nonnegative,
    rho: Nonnegative,
    attack_steps: Whole,
    search: Literal["scan", "free"] = "scan",
) -> IterationCost:
    """Count the expected row passes of an iteration that skips neurons which cannot fire.

    One query per example reports its candidates; values are computed on candidates, gradients on
    active neurons.

    Here `search`: what a query costs: one look at every neuron, or nothing.  Every search structure
    lies between the two.

    The expectation at initialization, with ``Q(t)`` for the activity at the moved points.  Source:
    Lemma 5.3's ledger (query, forward, backward), with the adversary added.

    >>> saved = sparse_cost(4096, 100, 65, 0.0514, 0.2, 5).total / dense_cost(4096, 100, 5).total
    >>> 0.1 < saved < 0.2
    True
    """
    choice(search, "search", ("scan", "free"))
    t = scaling.standardize_threshold(tau, m)
    pairs = float(m * n)
    near = candidate_share(t, d, rho) * pairs
    active = scaling.activity_at(t) * pairs
    return IterationCost(
        query=pairs if search == "scan" else 0.0,
        adversary=(attack_steps + 1) * near + attack_steps * active,
        forward=near,
        backward=active,
    )

r"""An attack on the balls, as a control, and why an attack alone proves nothing here.

The attack draws points of the balls, walks uphill along gradients and keeps the worst deviation
that it met.  What it finds is a fact: a witness with a value.  What it does not find may still be
there. For the networks of Part II this is no fine point: they are *constant* on the balls, so the
gradient is zero there, and a method that follows gradients stays where it was put.  A network that
only hides its gradients passes in the same way.  The certificates are the evidence; this module is
the check that can refute them.  Before changing it, know that every point it evaluates lies in the
closed ball: the box is rounded inward, and points in other norms are scaled until they are inside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sublinear_lib import geometry, validation
from sublinear_lib._arguments import Count, Nonnegative, Whole, checked
from sublinear_lib._typing import FloatArray, Seed
from sublinear_lib.memorization.datasets import checked_norm
from sublinear_lib.memorization.networks import ReLUNetwork

__all__ = ["AttackResult", "attack", "ball_points"]


@dataclass(frozen=True, eq=False)
class AttackResult:
    """The worst that an attack found in every ball.

    Fields: `worst` (N,): the largest deviation ``|F(x) - y_k|`` found; `witness` (N, n): a point of
    the closed ball where it was found; `vanished`: the share of all gradients asked for that were
    exactly zero; NaN without steps; `evaluations`: the number of points at which the network was
    evaluated, for all balls together.
    """

    worst: FloatArray
    witness: FloatArray
    vanished: float
    evaluations: int


def _inside(X: FloatArray, D: FloatArray, radius: float, p: float) -> FloatArray:
    """Return points ``X + D``, pulled into the closed balls with room for the rounding."""
    if p == math.inf:
        return np.clip(X + D, *geometry.inner_box(X, radius))
    rounding = 4.0 * np.finfo(np.float64).eps * np.abs(X).sum(axis=1, keepdims=True)
    inner = np.maximum(radius * (1.0 - 1e-12) - rounding, 0.0)
    size = np.linalg.norm(D, ord=p, axis=1, keepdims=True)
    return np.asarray(X + D * np.minimum(1.0, inner / np.maximum(size, 1e-300)))


@checked
def ball_points(X: object, radius: Nonnegative, p: float = math.inf, *, rng: Seed) -> FloatArray:
    """Draw one point in the ball around each of the given points.

    Here `p`: the norm.

    Independent points, uniform in the ball, up to rounding; with ``radius = 0`` the centers.  For p
    = 1 and 2 a direction (Laplace or normal numbers, divided by their norm) is multiplied by the
    n-th root of a uniform number.
    """
    centers = validation.float_array(X, "X", shape=("N", "n"))
    norm, source = checked_norm(p), validation.generator(rng)
    return _inside(centers, radius * _directions(centers.shape, norm, source), radius, norm)


def _directions(shape: tuple[int, ...], p: float, rng: np.random.Generator) -> FloatArray:
    """Draw points uniformly in the unit ball."""
    if p == math.inf:
        return rng.uniform(-1.0, 1.0, shape)
    D = rng.normal(size=shape) if p == 2.0 else rng.laplace(size=shape)
    D /= np.linalg.norm(D, ord=p, axis=1, keepdims=True)
    return np.asarray(D * rng.uniform(size=(shape[0], 1)) ** (1.0 / shape[1]))


def _extremes(shape: tuple[int, ...], p: float, rng: np.random.Generator) -> FloatArray:
    """Draw corners of the unit ball: signs, unit vectors, or directions for the sphere."""
    if p == math.inf:
        return rng.choice([-1.0, 1.0], shape)
    if p == 1.0:
        D = np.zeros(shape)
        D[np.arange(shape[0]), rng.integers(shape[1], size=shape[0])] = rng.choice(
            [-1.0, 1.0], shape[0]
        )
        return D
    D = rng.normal(size=shape)
    return np.asarray(D / np.linalg.norm(D, axis=1, keepdims=True))


def _ascent(gradient: FloatArray, p: float) -> FloatArray:
    """Return the step of norm 1 that gains most to first order; 0 where the gradient is 0."""
    if p == math.inf:
        return np.sign(gradient)
    if p == 2.0:
        return np.asarray(
            gradient / np.maximum(np.linalg.norm(gradient, axis=1, keepdims=True), 1e-300)
        )
    step = np.zeros_like(gradient)
    rows, best = np.arange(len(gradient)), np.argmax(np.abs(gradient), axis=1)
    step[rows, best] = np.sign(gradient[rows, best])
    return step


@checked
def attack(
    network: ReLUNetwork,
    X: object,
    y: object,
    radius: Nonnegative,
    p: float = math.inf,
    *,
    rng: Seed,
    restarts: Count = 20,
    steps: Whole = 30,
) -> AttackResult:
    """Search the balls for points that are classified wrongly: a control, not a certificate.

    Every restart begins at a random point or at a corner of each ball, in turns, and then takes
    `steps` projected gradient steps of an eighth of the radius.

    Here `radius`: the radius of the closed balls, ``>= 0``; `p`: the norm; `restarts`: the number
    of starting points for each ball, ``>= 1``.

    The worst deviation found in each ball, with its witness.

    Time is proportional to ``restarts * (steps + 1) * N`` evaluations of the network.
    """
    inputs = validation.instance(network, "network", ReLUNetwork).inputs
    centers = validation.float_array(X, "X", shape=("N", inputs))
    labels = validation.float_array(y, "y", shape=(len(centers),))
    norm, source = checked_norm(p), validation.generator(rng)
    worst, witness = np.abs(network(centers) - labels), centers.copy()
    evaluations, gradients, zeros = len(centers), 0, 0
    for restart in range(restarts):
        draw = _extremes if restart % 2 else _directions
        points = _inside(centers, radius * draw(centers.shape, norm, source), radius, norm)
        for step in range(steps + 1):
            if step < steps:
                values, slopes = network.value_and_gradient(points)
                gradients += len(slopes)
                zeros += int(np.sum(~slopes.any(axis=1)))
            else:
                values, slopes = network(points), np.zeros_like(points)
            evaluations += len(points)
            now = np.abs(values - labels)
            better = now > worst
            worst[better], witness[better] = now[better], points[better]
            if step < steps:
                away = np.sign(values - labels)
                away = np.where(away == 0.0, source.choice([-1.0, 1.0], len(away)), away)
                move = radius / 8.0 * away[:, None] * _ascent(slopes, norm)
                points = _inside(centers, points + move - centers, radius, norm)
    return AttackResult(
        worst=worst,
        witness=witness,
        vanished=zeros / gradients if gradients else float("nan"),
        evaluations=evaluations,
    )

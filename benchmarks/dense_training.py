"""An iteration of Algorithm 1 over all neurons in float32, as fast as one thread of BLAS allows.

The rival of the sparse trainer: matrix products on tiles that stay in the cache, biases folded into
the weights, and between two products one fused pass that turns scores into the coefficients
``a_r 1[z > tau]``.  The attack is the library's own.  It is favored: it decides by rounded scores,
takes the value at the adversarial points from the attack, keeps no history, and chooses its tiles
by measurement.  Before changing it, know that a baseline which is easy to beat proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import fastest
from sublinear_lib import geometry
from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.adversary import Adversary, AttackResult
from sublinear_lib.evaluation import kernels_in_use
from sublinear_lib.losses import HuberLoss
from sublinear_lib.network import TwoLayerNetwork

Float32Array = NDArray[np.float32]

_TILES = (256, 512, 1024, 2048)
_POINTS = (64, 128, 256)
_TRIED = 8192


def _gate(scores: Float32Array, a: Float32Array, tau: Any, shift: Any, value: FloatArray) -> None:
    coefficients = np.where(scores > tau, a, np.float32(0.0))
    scores -= shift
    value += np.einsum("ij,ij->i", coefficients, scores)
    scores[...] = coefficients


def _add_rows(
    scores: Float32Array,
    a: Float32Array,
    W: Float32Array,
    tau: Any,
    shift: Any,
    value: FloatArray,
    slope: Float32Array,
) -> None:
    points, rows = np.nonzero(scores > tau)
    weights = a[rows]
    np.add.at(value, points, weights * (scores[points, rows] - shift))
    np.add.at(slope, points, weights[:, None] * W[rows])


def _scatter(
    scores: Float32Array, a: Float32Array, W: Float32Array, tau: Any, moves: Float32Array
) -> None:
    points, rows = np.nonzero(scores > tau)
    np.add.at(W, rows, a[rows][:, None] * moves[points])


def _compiled() -> tuple[Callable[..., None], Callable[..., None], Callable[..., None]]:
    if kernels_in_use() != "numba":
        return _gate, _add_rows, _scatter
    from benchmarks import loops

    return loops.gate, loops.add_rows, loops.scatter


@dataclass(eq=False)
class _Rival:
    """Who does iterations on all examples, with the attack of the library.

    `moved` are the adversarial points of the last iteration.
    """

    network: TwoLayerNetwork
    X: FloatArray
    y: FloatArray
    adversary: Adversary
    loss: HuberLoss
    eta: float

    def __post_init__(self) -> None:
        self.moved = self.X
        self._generator = np.random.default_rng(0)

    def _attack(self) -> AttackResult:
        found = self.adversary(cast(Any, self), self.X, self.y, self.loss, self._generator)
        self.moved = found.X
        return found


@dataclass(eq=False)
class DenseIteration(_Rival):
    """Tuned dense training in float32, looking at all neurons or some `rows` only.

    Both gradients are summed by matrix products, or `by_rows`, adding the rows that fire.
    `W` are the weights of the neurons looked at, biases folded in.
    """

    rows: IntArray | None = None
    by_rows: bool = False

    def __post_init__(self) -> None:
        """Choose the neurons and the tiles."""
        super().__post_init__()
        network = self.network
        chosen = slice(None) if self.rows is None else self.rows
        lifted = geometry.lift(network.W[chosen], network.b[chosen])
        self.W: Float32Array = np.ascontiguousarray(lifted, dtype=np.float32)
        self._a = network.a[chosen].astype(np.float32)
        self._tau, self._shift = np.float32(network.tau), np.float32(network.shift)
        self._gate, self._add_rows, self._scatter = _compiled()
        self._shape = (min(len(self.X), _POINTS[-1]), _TILES[0])
        self._scores = np.empty(_POINTS[-1] * _TILES[-1], dtype=np.float32)
        self._shape = self._best_shape()

    def _best_shape(self) -> tuple[int, int]:
        all_weights, all_a = self.W, self._a
        self.W, self._a = all_weights[:_TRIED], all_a[:_TRIED]

        def run(shape: tuple[int, int]) -> None:
            self._shape = shape
            self.value_and_input_gradient(self.X)

        shapes = [(min(points, len(self.X)), tile) for points in _POINTS for tile in _TILES]
        best = fastest(shapes, run, rounds=3)
        self.W, self._a = all_weights, all_a
        return best

    def _tiles(self) -> list[tuple[slice, slice]]:
        """List the tiles, those of the same neurons one after the other."""
        points, neurons = self._shape
        return [
            (slice(i, min(i + points, len(self.X))), slice(r, min(r + neurons, len(self.W))))
            for r in range(0, len(self.W), neurons)
            for i in range(0, len(self.X), points)
        ]

    def _products(self, X: Float32Array, W: Float32Array) -> Float32Array:
        scores = self._scores[: len(X) * len(W)].reshape(len(X), len(W))
        np.matmul(X, W.T, out=scores)
        return scores

    def value(self, X: FloatArray) -> FloatArray:
        """Return f at the points."""
        points, value = X.astype(np.float32), np.zeros(len(X))
        for i, r in self._tiles():
            scores = self._products(points[i], self.W[r])
            self._gate(scores, self._a[r], self._tau, self._shift, value[i])
        return value

    def value_and_input_gradient(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return f and its formal gradient along the slice."""
        points, value = X.astype(np.float32), np.zeros(len(X))
        slope = np.zeros(X.shape, dtype=np.float32)
        for i, r in self._tiles():
            W, a = self.W[r], self._a[r]
            scores = self._products(points[i], W)
            if self.by_rows:
                self._add_rows(scores, a, W, self._tau, self._shift, value[i], slope[i])
            else:
                self._gate(scores, a, self._tau, self._shift, value[i])
                slope[i] += scores @ W
        return value, slope.astype(np.float64)

    def step(self) -> FloatArray:
        """Do one iteration."""
        attack = self._attack()
        slopes = self.loss.derivative(self.y, attack.value)
        points = attack.X.astype(np.float32)
        moves = (points * (-self.eta / len(points) * slopes)[:, None]).astype(np.float32)
        unused = np.zeros(len(points))
        # The scores of a tile are those of weights that have not moved yet: all points of a tile
        # of neurons are scored before its weights move.
        last, gradient = slice(0, 0), np.zeros((0, self.W.shape[1]), dtype=np.float32)
        for i, r in self._tiles():
            if r != last:
                self.W[last] += gradient
                last, gradient = r, np.zeros_like(self.W[r])
            scores = self._products(points[i], self.W[r])
            if self.by_rows:
                self._scatter(scores, self._a[r], gradient, self._tau, moves[i])
            else:
                self._gate(scores, self._a[r], self._tau, self._shift, unused[i])
                gradient += scores.T @ moves[i]
        self.W[last] += gradient
        return attack.value


@dataclass(eq=False)
class TorchIteration(_Rival):
    """The same iteration as a user of PyTorch writes it: autograd, on the CPU, in float32."""

    torch: Any

    def __post_init__(self) -> None:
        """Hand over the network."""
        super().__post_init__()
        self._W, self._a, self._b, self._labels = (
            self.torch.tensor(each, dtype=self.torch.float32)
            for each in (self.network.W, self.network.a, self.network.b, self.y)
        )
        self._W.requires_grad_()

    @property
    def W(self) -> Float32Array:
        """The weights now."""
        weights: Float32Array = self._W.detach().numpy()
        return weights

    def _forward(self, x: Any, W: Any) -> Any:
        z, network = self.torch.addmm(self._b, x, W.T), self.network
        return self.torch.where(z > network.tau, z - network.shift, 0.0) @ self._a

    def value(self, X: FloatArray) -> FloatArray:
        """Return f at the points."""
        with self.torch.no_grad():
            found = self._forward(self.torch.tensor(X, dtype=self.torch.float32), self._W)
        return _float64(found)

    def value_and_input_gradient(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return f and its formal gradient in x."""
        x = self.torch.tensor(X, dtype=self.torch.float32, requires_grad=True)
        value = self._forward(x, self._W.detach())
        (gradient,) = self.torch.autograd.grad(value.sum(), x)
        return _float64(value), _float64(gradient)

    def step(self) -> FloatArray:
        """Do one iteration."""
        torch, delta = self.torch, self.loss.delta
        x = torch.tensor(self._attack().X, dtype=torch.float32)
        value = self._forward(x, self._W)
        huber = torch.nn.functional.huber_loss(value, self._labels, delta=delta)
        (huber / delta).backward()
        with torch.no_grad():
            self._W -= self.eta * self._W.grad
            self._W.grad = None
        return _float64(value)


def _float64(values: Any) -> FloatArray:
    found: FloatArray = values.detach().numpy().astype(np.float64)
    return found

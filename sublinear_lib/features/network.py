r"""The two-layer convolutional network with one block of filters for each class.

Class i has m filters w_{i,r}, which look at every patch:
``F_i(X) = sum_r sum_p act(<w_{i,r}, x_p>)``; the second layer is fixed at 1.  The loss is
``-log softmax_y(F)``.  Because features are coordinates, the numbers to watch are two coordinates
of each filter: ``A_{i,r} = <w_{i,r}, u_i>`` and ``B_{i,r} = <w_{i,r}, v_i>``.

Before changing anything, know that the derivative of the loss in the logit of the true class is
computed as minus the sum of the other probabilities, never as ``p_y - 1``: late in training that
difference would be rounded to 0 and every gradient with it.  The adversary's step would vanish, and
the network would look robust.

Source: the network of Li and Li (2025), Section 2, as their review thread describes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from sublinear_lib import validation
from sublinear_lib._arguments import Count, checked, described
from sublinear_lib._typing import FloatArray, IntArray, Seed
from sublinear_lib.features.activations import Activation, SmoothedReLU
from sublinear_lib.features.data import FeatureData

__all__ = ["PatchNetwork", "feature_shares"]

# Pre-activations held at once: 2**21 float64, 16 MiB.
_BATCH: Final = 1 << 21


def checked_patches(X: object, y: object, shape: tuple[int, int]) -> tuple[FloatArray, IntArray]:
    """Return inputs and labels for a network of `shape` (classes, dim), or refuse them."""
    inputs = validation.float_array(X, "X", shape=("N", "P", shape[1]))
    labels = validation.index_array(y, "y", upper=shape[0])
    if len(labels) != len(inputs):
        raise ValueError(f"X and y must have the same length, got {len(inputs)} and {len(labels)}")
    return inputs, labels


def logits_and_slopes(
    X: FloatArray, W: FloatArray, classes: int, act: Activation
) -> tuple[FloatArray, FloatArray]:
    """Return F, shape (N, k), and the slopes of all filters, shape (N, P, k m).

    X has shape (N, P, d) and W has shape (k m, d); nothing is checked.
    """
    N, P, d = X.shape
    value, slope = act.value_and_slope(X.reshape(-1, d) @ W.T)
    per_filter = value.reshape(N, P, len(W)).sum(axis=1)
    return per_filter.reshape(N, classes, -1).sum(axis=2), slope.reshape(N, P, len(W))


def loss_and_errors(F: FloatArray, y: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the losses, shape (N,), and their derivatives in the logits, shape (N, k)."""
    rows = np.arange(len(y))
    shifted = F - F.max(axis=1, keepdims=True)
    errors = np.exp(shifted)
    own = errors[rows, y]
    errors[rows, y] = 0.0
    others = errors.sum(axis=1)
    total = others + own
    at_label = shifted[rows, y]
    near = at_label > -30.0
    losses = np.where(near, np.log1p(others / np.where(near, own, 1.0)), np.log(total) - at_label)
    errors[rows, y] = -others
    errors /= total[:, None]
    return losses, errors


def weighted_slopes(slopes: FloatArray, errors: FloatArray) -> FloatArray:
    """Multiply slopes, shape (N, P, k m), by the derivatives of their classes, in place."""
    filters = slopes.shape[2] // errors.shape[1]
    slopes *= np.repeat(errors, filters, axis=1)[:, None, :]
    return slopes


@dataclass(frozen=True, eq=False)
class FeatureShares:
    """What the two features of a class give to its logit, on a clean input without noise.

    Fields: `robust`: ``P_R sum_r act(alpha A_{i,r})``; `nonrobust`: ``P_NR sum_r act(beta
    B_{i,r})``.
    """

    robust: FloatArray
    nonrobust: FloatArray

    @property
    def share(self) -> FloatArray:
        """The robust part over the sum, of the same shape; NaN where the sum is not positive.

        In [0, 1] for rectifiers that are never negative; GELU and softplus may leave it.
        """
        total = self.robust + self.nonrobust
        return np.where(total > 0, self.robust / np.where(total > 0, total, 1.0), np.nan)


def feature_shares(law: FeatureData, activation: Activation, A: object, B: object) -> FeatureShares:
    """Return what the two features give to the logit of a class that holds them.

    The last axis of A and B, the features in the filters, counts filters.

    >>> found = feature_shares(FeatureData(), SmoothedReLU(), [[1.0, 1.0]], [[1.0, 0.0]])
    >>> found.robust.round(3), found.nonrobust.round(3)
    (array([0.08]), array([0.089]))
    """
    validation.instance(law, "law", FeatureData)
    validation.instance(activation, "activation", Activation)  # type: ignore[type-abstract]
    robust = validation.float_array(A, "A")
    if not robust.ndim:
        raise ValueError(f"A must have an axis of filters, got the number {robust}")
    return logit_parts(law, activation, robust, validation.float_array(B, "B", shape=robust.shape))


def logit_parts(law: FeatureData, act: Activation, A: FloatArray, B: FloatArray) -> FeatureShares:
    """Do the work of `feature_shares` for arguments that are right, finite or not."""
    return FeatureShares(
        law.robust_patches * act.value(law.alpha * A).sum(axis=-1),
        law.nonrobust_patches * act.value(law.beta * B).sum(axis=-1),
    )


@dataclass(frozen=True, eq=False)
class PatchNetwork:
    """The network ``F_i(X) = sum_r sum_p act(<w_{i,r}, x_p>)``; its weights are frozen.

    Parameters
    ----------
    weights : array_like of float, shape (k, m, d)
        The filters w_{i,r}, copied unless read-only; ``k >= 2``.
    activation : Activation, default SmoothedReLU()
        The rectifier.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of this form.

    Examples
    --------
    A network that uses only the robust features:

    >>> law = FeatureData(noise=0.0, jitter=0.0)
    >>> network = PatchNetwork.of_features(law, robust=[1.0], nonrobust=[0.0])
    >>> data = law.sample(3, rng=0)
    >>> network(data.X) * 25
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    >>> network.error(data.X, data.y)
    0.0
    """

    weights: FloatArray
    activation: Activation = field(default_factory=SmoothedReLU)

    def __post_init__(self) -> None:
        """Check and freeze."""
        weights = validation.float_array(self.weights, "weights", shape=("k", "m", "d"))
        if len(weights) < 2:
            raise ValueError(f"weights must hold k >= 2 classes, got shape {weights.shape}")
        if not isinstance(self.activation, Activation):
            raise TypeError(
                f"activation must be an Activation such as SmoothedReLU(), got {self.activation!r}"
            )
        if weights.flags.writeable:
            weights = weights.copy()
            weights.flags.writeable = False
        object.__setattr__(self, "weights", weights)

    @classmethod
    @checked
    def random(
        cls,
        classes: int,
        filters: Count,
        dim: Count,
        *,
        scale: float,
        rng: Seed,
        activation: Activation | None = None,
    ) -> PatchNetwork:
        """Draw all weights from a normal distribution.

        Here `classes`: the number k of classes, ``>= 2``; `filters`: the number m of filters of a
        class, ``>= 1``; `dim`: the dimension d of a patch, ``>= 1``; `scale`: the standard
        deviation sigma_0, ``>= 0``.
        """
        k = validation.count(classes, "classes", minimum=2)
        shape = (k, filters, dim)
        spread = validation.scalar(scale, "scale", minimum=0)
        weights = spread * validation.generator(rng).normal(size=shape)
        return cls(weights, SmoothedReLU() if activation is None else activation)

    @classmethod
    @described
    def of_features(
        cls,
        law: FeatureData,
        robust: object,
        nonrobust: object,
        activation: Activation | None = None,
    ) -> PatchNetwork:
        """Build a network whose filters hold features of their own class and nothing else.

        Here `law`: where the features are; `robust`, `nonrobust` (m,): the numbers A_{i,r} and
        B_{i,r}; a vector serves every class.

        With ``w_{i,r} = A_{i,r} u_i + B_{i,r} v_i``.
        """
        validation.instance(law, "law", FeatureData)
        A = _per_class(robust, "robust", law.classes)
        B = _per_class(nonrobust, "nonrobust", law.classes)
        if A.shape != B.shape:
            raise ValueError(
                "robust and nonrobust must hold equally many filters, "
                f"got {A.shape[1]} and {B.shape[1]}"
            )
        weights = np.zeros((*A.shape, law.dim))
        classes = np.arange(law.classes)
        weights[classes, :, np.asarray(law.u)] = A
        weights[classes, :, np.asarray(law.v)] = B
        return cls(weights, SmoothedReLU() if activation is None else activation)

    @property
    def classes(self) -> int:
        """The number k of classes."""
        return int(self.weights.shape[0])

    @property
    def filters(self) -> int:
        """The number m of filters of a class."""
        return int(self.weights.shape[1])

    @property
    def dim(self) -> int:
        """The dimension d of a patch."""
        return int(self.weights.shape[2])

    def __call__(self, X: object) -> FloatArray:
        """Return the logits.

        Raises TypeError, ValueError: if X is no such array.
        """
        inputs = validation.float_array(X, "X", shape=("N", "P", self.dim))
        F = np.empty((len(inputs), self.classes))
        for part, logits, _ in self._walk(inputs):
            F[part] = logits
        return F

    @described
    def predict(self, X: object) -> IntArray:
        """Return the class with the greatest logit; of several the first."""
        return np.asarray(self(X).argmax(axis=1), dtype=np.int64)

    @described
    def margins(self, X: object, y: object) -> FloatArray:
        """Return how far the true class is ahead.

        ``F_y - max_{j != y} F_j``; an input counts as right only if this is positive.
        """
        inputs, labels = checked_patches(X, y, (self.classes, self.dim))
        return margins_of(self(inputs), labels)

    @described
    def error(self, X: object, y: object) -> float:
        """Return the share of inputs whose margin is not positive; a tie is an error."""
        return float((~(self.margins(X, y) > 0)).mean())

    @described
    def losses(self, X: object, y: object) -> FloatArray:
        """Return the loss of every input.

        ``-log softmax_y(F(X))``, accurate to a few ulp however small.
        """
        inputs, labels = checked_patches(X, y, (self.classes, self.dim))
        return loss_and_errors(self(inputs), labels)[0]

    @described
    def weight_gradient(self, X: object, y: object) -> tuple[float, FloatArray]:
        """Return the mean loss and its gradient in the weights.

        Returned: `loss`: The mean of the losses. `gradient`: The gradient of that mean.
        """
        inputs, labels = checked_patches(X, y, (self.classes, self.dim))
        losses = np.empty(len(inputs))
        gradient = np.zeros_like(self._rows)
        for part, F, slopes in self._walk(inputs):
            losses[part], errors = loss_and_errors(F, labels[part])
            pull = weighted_slopes(slopes, errors).reshape(-1, len(gradient))
            gradient += pull.T @ inputs[part].reshape(-1, self.dim)
        return float(losses.mean()), gradient.reshape(self.weights.shape) / len(inputs)

    @described
    def input_gradient(self, X: object, y: object) -> FloatArray:
        """Return the gradient of every input's own loss in that input."""
        inputs, labels = checked_patches(X, y, (self.classes, self.dim))
        gradient = np.empty_like(inputs)
        for part, F, slopes in self._walk(inputs):
            errors = loss_and_errors(F, labels[part])[1]
            gradient[part] = weighted_slopes(slopes, errors) @ self._rows
        return gradient

    def logit_gradient(self, X: object, weights: object) -> FloatArray:
        """Return the gradient of a combination of logits in the input.

        Of ``sum_i c_i F_i`` with coefficients c, shape (N, k), for every input its own.
        """
        inputs = validation.float_array(X, "X", shape=("N", "P", self.dim))
        mix = validation.float_array(weights, "weights", shape=(len(inputs), self.classes))
        gradient = np.empty_like(inputs)
        for part, _, slopes in self._walk(inputs):
            gradient[part] = weighted_slopes(slopes, mix[part]) @ self._rows
        return gradient

    @described
    def alignments(self, law: FeatureData) -> tuple[FloatArray, FloatArray]:
        """Return how much of the features of its own class every filter holds.

        Here `law`: where the features are; its numbers of classes and coordinates are the
        network's.

        Returned: `A, B`: ``A_{i,r} = <w_{i,r}, u_i>`` and ``B_{i,r} = <w_{i,r}, v_i>``.
        """
        self._fits(law)
        classes = np.arange(self.classes)
        return (
            self.weights[classes, :, np.asarray(law.u)],
            self.weights[classes, :, np.asarray(law.v)],
        )

    @described
    def shares(self, law: FeatureData) -> FeatureShares:
        """Return what the two features give to the logit of their class.

        Here `law`: where the features are, how strong, and in how many patches.

        The two parts for every class; their ``share`` is the robust one over the sum.

        >>> law = FeatureData()
        >>> network = PatchNetwork.of_features(law, robust=[1.0], nonrobust=[1.0])
        >>> network.shares(law).share
        array([0.31034483, 0.31034483, 0.31034483])
        """
        return logit_parts(law, self.activation, *self.alignments(law))

    @property
    def _rows(self) -> FloatArray:
        return self.weights.reshape(-1, self.dim)

    def _walk(self, X: FloatArray) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        """Yield batches of inputs with their logits and the slopes of all filters."""
        step = max(1, _BATCH // (X.shape[1] * self.classes * self.filters))
        for start in range(0, len(X), step):
            part = slice(start, start + step)
            yield part, *logits_and_slopes(X[part], self._rows, self.classes, self.activation)

    def _fits(self, law: FeatureData) -> None:
        validation.instance(law, "law", FeatureData)
        if (law.classes, law.dim) != (self.classes, self.dim):
            raise ValueError(
                f"law must have {self.classes} classes and dimension {self.dim}, as the network, "
                f"got {law.classes} and {law.dim}"
            )

    def __repr__(self) -> str:
        """Return the sizes."""
        return (
            f"PatchNetwork(classes={self.classes}, filters={self.filters}, dim={self.dim}, "
            f"activation={self.activation!r})"
        )


def margins_of(F: FloatArray, y: IntArray) -> FloatArray:
    """Return ``F_y - max_{j != y} F_j`` for logits of shape (N, k)."""
    rows = np.arange(len(y))
    others = F.copy()
    others[rows, y] = -np.inf
    return np.asarray(F[rows, y] - others.max(axis=1))


def _per_class(value: object, name: str, classes: int) -> FloatArray:
    array = validation.float_array(value, name)
    if array.ndim == 1:
        array = np.tile(array, (classes, 1))
    if array.ndim != 2 or len(array) != classes:
        raise ValueError(f"{name} must have shape (m,) or ({classes}, m), got {array.shape}")
    return array

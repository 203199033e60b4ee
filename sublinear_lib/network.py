"""The two-layer network f, the pseudo-network g, and the decomposition f = A + B + C.

Equation (2) of the paper, ``f(x) = sum_r a_r sigma_tau(<w_r, x> + b_r)`` with the initialization of
Definition 3.1; the pseudo-network of Section 4 and Lemma C.4, linear in the weights because its
activity pattern stays that of the initial network.  Two things to know before changing it.  A
neuron is *active* when ``<w_r, x> + b_r > tau``, strictly and in real arithmetic on the stored
float64 numbers, so the active set depends neither on the order of a sum nor on the machine.  And
networks are immutable: their arrays are read-only copies, training returns a new network.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np

from sublinear_lib import archives, validation
from sublinear_lib._arguments import Count, Dimension, checked, described
from sublinear_lib._typing import BoolArray, FloatArray, IntArray, Seed
from sublinear_lib.activations import ShiftedReLU, get_activation
from sublinear_lib.evaluation import Evaluator, ForwardPass, Neurons, Reduction, Region
from sublinear_lib.scaling import Scaling, get_scaling

__all__ = ["PseudoNetwork", "TwoLayerNetwork"]

_FORMAT = "sublinear-lib two-layer network"
_FORMAT_VERSION = 1
_PAIRS_AT_ONCE = 1 << 21


class ActiveSets(Protocol):
    """Neuron ids per point in compressed sparse row form, for example an index's answer."""

    @property
    def indptr(self) -> Any:
        """Integers, shape (n + 1,): where the ids of each point start."""

    @property
    def indices(self) -> Any:
        """Integers, shape (k,): the ids, ascending within a point."""


def _read_only(array: FloatArray) -> FloatArray:
    """Return a view that cannot be written through."""
    view: FloatArray = array.view()
    view.flags.writeable = False
    return view


class TwoLayerNetwork:
    """The network ``f(x) = sum_r a_r sigma_tau(<w_r, x> + b_r)``.

    Parameters
    ----------
    W : array-like, shape (m, d)
        Hidden weights, one row per neuron, ``m >= 1`` and ``d >= 2``.
    a : array-like, shape (m,)
        Output weights.
    b : array-like, shape (m,)
        Biases.
    tau : float
        Threshold of the activation, ``>= 0``, in absolute units (not multiples of the standard
        deviation of a pre-activation).
    activation : {"jump", "continuous"} or ShiftedReLU, default "jump"
        The paper's ``z 1[z > tau]`` or the continuous ``max(z - tau, 0)``; both have the same
        active sets and the same formal gradients.

    Raises
    ------
    TypeError, ValueError
        If an array has a wrong type or shape or is not finite, or `tau` is negative.

    Notes
    -----
    Source: Section 3.2, Equation (2).  The arrays are copied and read-only.

    Examples
    --------
    >>> network = TwoLayerNetwork([[1.0, 0.0], [0.0, 1.0]], [2.0, -1.0], [0.0, 0.1], tau=0.5)
    >>> x = [[3**0.5 / 2, 0.5]]
    >>> network.active_mask(x)
    array([[ True,  True]])
    >>> network.forward(x)  # 2 * sqrt(3)/2 - (0.5 + 0.1)
    array([1.13205081])
    """

    W: FloatArray
    a: FloatArray
    b: FloatArray
    tau: float
    activation: ShiftedReLU
    _arrays: tuple[FloatArray, FloatArray, FloatArray]

    def __init__(
        self,
        W: object,
        a: object,
        b: object,
        tau: object,
        activation: str | ShiftedReLU = "jump",
    ) -> None:
        weights = validation.float_array(W, "W", shape=("m", "d"))
        m, d = weights.shape
        if d < 2:
            raise ValueError(f"W must have at least 2 columns, got shape {weights.shape}")
        # The evaluators get the arrays themselves, users get views that cannot be written: a
        # compiled kernel would be compiled once more for read-only arrays.
        arrays = (
            weights.copy(),
            validation.float_array(a, "a", shape=(m,)).copy(),
            validation.float_array(b, "b", shape=(m,)).copy(),
        )
        values = {
            "tau": validation.scalar(tau, "tau", minimum=0),
            "activation": get_activation(activation),
            "W": _read_only(arrays[0]),
            "a": _read_only(arrays[1]),
            "b": _read_only(arrays[2]),
            "_arrays": arrays,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a network does not change."""
        raise AttributeError(
            f"a TwoLayerNetwork is immutable, cannot set {name!r}: "
            "use with_weights(W) for new weights"
        )

    @classmethod
    @checked
    def initialize(
        cls,
        m: Count,
        d: Dimension,
        scaling: str | Scaling = "PRINTED",
        *,
        rng: Seed,
        tau: float | None = None,
        activation: str | ShiftedReLU | None = None,
        K: float = 1.0,
    ) -> TwoLayerNetwork:
        """Draw a network as in Definition 3.1.

        Here `tau`: threshold in absolute units; by default the scaling's own rule; `K`: the
        constant of the rules that have one.

        Output weights uniform on ``{-m^-alpha, +m^-alpha}``, weights and biases independent ``N(0,
        1/m)``.

        Raises MemoryError: if the weights do not fit into memory.

        Source: Definition 3.1.  On the slice ``||x|| = 1`` every pre-activation is ``N(0, 2/m)``.
        The draws are made in the order a, W, b, each in one call.

        >>> network = TwoLayerNetwork.initialize(1024, 3, rng=0, tau=0.1)
        >>> network.m, network.d, sorted(set(network.a.round(6).tolist()))
        (1024, 3, [-0.25, 0.25])
        """
        rules = get_scaling(scaling)
        own = rules.tau(m, K=K)  # checks K, used or not
        threshold = own if tau is None else validation.scalar(tau, "tau", minimum=0)
        form = get_activation(rules.activation if activation is None else activation)
        generator = validation.generator(rng)
        try:
            a = generator.choice(np.array([-1.0, 1.0]), size=m) * rules.output_weight(m)
            W = generator.standard_normal((m, d)) / np.sqrt(m)
            b = generator.standard_normal(m) / np.sqrt(m)
        except (MemoryError, OverflowError, ValueError) as error:
            raise MemoryError(
                f"m = {m} neurons of {d} inputs need about {8.0 * m * (d + 2):.1e} bytes"
            ) from error
        return cls(W, a, b, threshold, form)

    @property
    def m(self) -> int:
        """Number of neurons."""
        return len(self.W)

    @property
    def d(self) -> int:
        """Input dimension."""
        return int(self.W.shape[1])

    @property
    def shift(self) -> float:
        """What an active neuron subtracts from its pre-activation: 0 (jump) or tau (continuous)."""
        return self.tau - self.activation.jump_height(self.tau)

    @described
    def with_weights(self, W: object) -> TwoLayerNetwork:
        """Return the network with other hidden weights and everything else the same.

        Raises TypeError, ValueError: if `W` does not have the shape of the present weights or is
        not finite.
        """
        weights = validation.float_array(W, "W", shape=self.W.shape)
        return TwoLayerNetwork(weights, self.a, self.b, self.tau, self.activation)

    @checked
    def evaluator(
        self,
        n: Count,
        *,
        lists: ActiveSets | None = None,
        region: Region | None = None,
        reduction: Reduction = "blas",
    ) -> Evaluator:
        """Return an evaluator for batches of n points.

        Here `lists`: candidate neurons per point; by default all neurons; `region`: where the lists
        are complete; `reduction`: order of the sums.

        See :class:`sublinear_lib.evaluation.Evaluator`.
        """
        reduction = validation.choice(reduction, "reduction", ("blas", "reference"))
        return Evaluator(
            self._neurons,
            n,
            lists=None if lists is None else _listed(lists, n, self.m),
            region=region,
            reduction=reduction,
        )

    @described
    def preactivations(self, X: object, *, on_slice: bool = True) -> FloatArray:
        """Return the pre-activations ``z_r(x_i) = <w_r, x_i> + b_r``.

        Here `on_slice`: whether the points must lie on the paper's domain ``||x|| = 1, x_d = 1/2``.

        The pre-activations, rounded; compare them with tau by `active_mask`, which is exact.

        Raises TypeError, ValueError: for points that are not allowed.
        """
        scores: FloatArray = self._points(X, on_slice) @ self.W.T
        scores += self.b
        return scores

    @described
    def active_mask(self, X: object, *, on_slice: bool = True) -> BoolArray:
        """Return which neurons are active, exactly.

        Here `on_slice`: as in `preactivations`.

        Whether ``<w_r, x_i> + b_r > tau`` in real arithmetic on the stored numbers.

        Raises TypeError, ValueError: for points that are not allowed.

        Source: Definition 3.9.
        """
        return self._pass(self._points(X, on_slice))[1].mask

    @described
    def activity(self, X: object, *, on_slice: bool = True) -> FloatArray:
        """Return the share of active neurons at each point, ``k_i / m``.

        Here `on_slice`: as in `preactivations`.

        Raises TypeError, ValueError: for points that are not allowed.

        Source: Definition 3.9, Equation (3).
        """
        return self._pass(self._points(X, on_slice))[1].counts / self.m

    @described
    def forward(self, X: object, *, on_slice: bool = True) -> FloatArray:
        """Return the value of the network at each point.

        Here `on_slice`: as in `preactivations`.

        ``f(x_i)``.

        Raises TypeError, ValueError: for points that are not allowed.

        Source: Equation (2).  Cost: ``2 m d`` operations per point; an `evaluator` with lists of
        candidates needs fewer.
        """
        return self._pass(self._points(X, on_slice))[1].value

    __call__ = forward

    @described
    def input_gradient(self, X: object) -> FloatArray:
        """Return the formal gradient in x, ``sum over active r of a_r w_r``.

        The gradient of f in the ambient space R^d.  It is the derivative wherever no pre-activation
        equals tau; across a threshold the jump activation has none.

        Raises TypeError, ValueError: for points that are not allowed.
        """
        points = self._points(X, True)
        return Evaluator(self._neurons, len(points)).value_and_input_gradient(points)[1]

    @described
    def weight_gradient(self, X: object, weights: object) -> FloatArray:
        """Return the formal gradient ``(1/n) sum_i v_i a_r x_i 1[r active at x_i]``.

        Here `weights` (n,): the numbers v_i; with ``v_i = l'(y_i, f(x_i))`` the result is the
        gradient of the mean loss.

        Raises TypeError, ValueError: for points that are not allowed or weights of another length.

        Source: line 19 of Algorithm 1 with Remark 3.8.
        """
        points = self._points(X, True)
        n = len(points)
        coefficients = validation.float_array(weights, "weights", shape=(n,)) / n
        evaluator, passed = self._pass(points)
        rows, gradient = evaluator.weight_gradient(points, passed, coefficients)
        if rows is None:
            return gradient
        full = np.zeros_like(self.W)
        full[rows] = gradient
        return full

    @cached_property
    def _neurons(self) -> Neurons:
        return Neurons(*self._arrays, self.tau, self.shift)

    def working_copy(self) -> Neurons:
        """Return the neurons in the form that a trainer changes; the network keeps its own."""
        W, a, b = self._arrays
        return Neurons(W.copy(), a, b, self.tau, self.shift)

    def _points(self, X: object, on_slice: bool) -> FloatArray:
        if validation.boolean(on_slice, "on_slice"):
            return validation.points_on_slice(X, d=self.d)
        return validation.float_array(X, "X", shape=("n", self.d))

    def _pass(self, points: FloatArray) -> tuple[Evaluator, ForwardPass]:
        evaluator = Evaluator(self._neurons, len(points))
        return evaluator, evaluator.forward(points)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a file; an interrupted write leaves an older file untouched.

        Here `path`: the file, conventionally ``*.npz``; it is written under exactly this name.

        Raises OSError: if the file cannot be written.
        """
        contents = {
            "format": np.array(_FORMAT),
            "version": np.array(_FORMAT_VERSION),
            "W": self.W,
            "a": self.a,
            "b": self.b,
            "tau": np.array(self.tau),
            "activation": np.array(self.activation.name),
        }
        archives.write_arrays(validation.path(path), contents)

    @classmethod
    @described
    def load(cls, path: str | os.PathLike[str]) -> TwoLayerNetwork:
        """Read a network written by `save`.

        Here `path`: the file.

        The network, bit for bit the one that was saved.

        Raises OSError: if the file cannot be opened (`FileNotFoundError` if there is none).

        Raises ValueError: if it is truncated or corrupt, was not written by `save`, comes from a
        newer version of the format, or holds arrays that make no network.  The message names file
        and reason.

        Nothing in the file is executed: pickled content is refused.
        """
        with validation.path(path).open("rb") as file:
            contents = archives.read_arrays(file, partial(_refusal, path))
        return cls._from_contents(contents, path)

    @classmethod
    def _from_contents(
        cls, contents: dict[str, np.ndarray], path: str | os.PathLike[str]
    ) -> TwoLayerNetwork:
        refuse = partial(_refusal, path)
        archives.check_format(
            contents, _FORMAT, _FORMAT_VERSION, writer="TwoLayerNetwork.save", refuse=refuse
        )
        missing = [key for key in ("W", "a", "b", "tau", "activation") if key not in contents]
        if missing:
            raise refuse(f"the entry {missing[0]!r} is missing")
        try:
            return cls(
                contents["W"],
                contents["a"],
                contents["b"],
                contents["tau"],
                str(contents["activation"]),
            )
        except (TypeError, ValueError) as error:
            raise refuse(f"its contents make no network: {error}") from error

    def __eq__(self, other: object) -> bool:
        """Return whether two networks have equal numbers and the same activation."""
        if not isinstance(other, TwoLayerNetwork):
            return NotImplemented
        return (
            self.activation == other.activation
            and self.tau == other.tau
            and np.array_equal(self.W, other.W)
            and np.array_equal(self.a, other.a)
            and np.array_equal(self.b, other.b)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by value: the copy is validated and read-only again."""
        return TwoLayerNetwork, (self.W, self.a, self.b, self.tau, self.activation)

    def __repr__(self) -> str:
        """Return sizes, threshold and activation."""
        return (
            f"TwoLayerNetwork(m={self.m}, d={self.d}, tau={self.tau:g}, "
            f"activation={self.activation.name!r})"
        )


def _refusal(path: str | os.PathLike[str], reason: str) -> ValueError:
    return ValueError(f"cannot load a network from {os.fspath(path)!r}: {reason}")


def _listed(
    lists: ActiveSets, n: int, m: int
) -> tuple[IntArray, np.ndarray[Any, np.dtype[np.int32]]]:
    """Validate neuron ids per point and return them as int64 and int32 arrays."""
    try:
        raw_indptr, raw_indices = lists.indptr, lists.indices
    except AttributeError:
        raise TypeError(
            "lists must have attributes indptr and indices (neuron ids per point), "
            f"got {type(lists).__name__}"
        ) from None
    indices = validation.index_array(raw_indices, "lists.indices", upper=m)
    indptr = validation.index_array(
        raw_indptr, "lists.indptr", upper=indices.size + 1, allow_empty=False
    )
    if indptr.size != n + 1:
        raise ValueError(f"lists.indptr must have length n + 1 = {n + 1}, got {indptr.size}")
    if indptr[0] != 0 or indptr[-1] != indices.size or (np.diff(indptr) < 0).any():
        raise ValueError(
            f"lists.indptr must rise from 0 to the number of indices {indices.size}, "
            f"got {int(indptr[0])} to {int(indptr[-1])}"
        )
    starts = np.zeros(indices.size + 1, dtype=np.bool_)
    starts[indptr] = True
    falls = (np.diff(indices) <= 0) & ~starts[1:-1]
    if falls.any():
        where = int(np.argmax(falls))
        raise ValueError(
            f"lists.indices must ascend within a point, got {int(indices[where])} before "
            f"{int(indices[where + 1])}"
        )
    return indptr, indices.astype(np.int32)


def expect_network(value: object, name: str = "network") -> TwoLayerNetwork:
    """Return what was given if it is a network, and raise a TypeError if not."""
    if not isinstance(value, TwoLayerNetwork):
        raise TypeError(f"{name} must be a TwoLayerNetwork, got {type(value).__name__}")
    return value


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The parts of ``f = A + B + C`` at n points (Lemma C.4), with f and g beside them.

    Parameters
    ----------
    A, B, C : ndarray of float64, shape (n,)
        The parts; see `PseudoNetwork.decompose`.
    f : ndarray of float64, shape (n,)
        The network, evaluated on its own (not as the sum of the parts).
    g : ndarray of float64, shape (n,)
        The pseudo-network.
    flips : ndarray of int64, shape (n,)
        How many neurons are active under one set of weights and not under the other.
    """

    A: FloatArray
    B: FloatArray
    C: FloatArray
    f: FloatArray
    g: FloatArray
    flips: IntArray

    @property
    def residual(self) -> FloatArray:
        """``f - (A + B + C)``, zero up to rounding, shape (n,)."""
        return self.f - (self.A + self.B + self.C)

    @property
    def gap(self) -> FloatArray:
        """``f - g``, the quantity of Theorem 4.1, shape (n,)."""
        return self.f - self.g


class PseudoNetwork:
    """The pseudo-network ``g(x; W) = sum_r a_r <w_r - w_{r,0}, x> 1[<w_{r,0}, x> + b_r > tau]``.

    Parameters
    ----------
    initial : TwoLayerNetwork
        The network at initialization; its weights ``W_0`` decide which neurons count.
    W : array-like, shape (m, d)
        The present weights.

    Raises
    ------
    TypeError, ValueError
        If `initial` is not a network, or `W` does not have the shape of its weights or is not
        finite.

    Notes
    -----
    Source: Section 4 (the "fake network" g) and Lemma C.4.  g is linear in W, vanishes at ``W_0``,
    and is the same for both activations, because they share active sets and formal gradients.

    Examples
    --------
    >>> start = TwoLayerNetwork.initialize(256, 3, rng=0, tau=0.05)
    >>> g = PseudoNetwork(start, start.W)
    >>> g.forward([[3**0.5 / 2, 0.0, 0.5]])
    array([0.])
    """

    initial: TwoLayerNetwork
    W: FloatArray

    def __init__(self, initial: TwoLayerNetwork, W: object) -> None:
        expect_network(initial, "initial")
        self.initial = initial
        self.W = _read_only(validation.float_array(W, "W", shape=initial.W.shape).copy())

    @described
    def forward(self, X: object, *, on_slice: bool = True) -> FloatArray:
        """Return the value of the pseudo-network at each point.

        Here `on_slice`: whether the points must lie on the paper's domain.

        ``g(x_i; W)``.

        Raises TypeError, ValueError: for points that are not allowed.
        """
        points = self.initial._points(X, on_slice)
        value = np.empty(len(points))
        for part in self._parts(len(points)):
            moves = points[part] @ (self.W - self.initial.W).T
            active = self.initial.active_mask(points[part], on_slice=on_slice)
            value[part] = (moves * active) @ self.initial.a
        return value

    __call__ = forward

    @described
    def decompose(self, X: object, *, on_slice: bool = True) -> Decomposition:
        r"""Split the network at the present weights into A + B + C.

        Here `on_slice`: whether the points must lie on the paper's domain.

        Raises TypeError, ValueError: for points that are not allowed.

        Source: Lemma C.4.  Let ``z = <w_{r,0}, x> + b_r``, ``u = <w_r - w_{r,0}, x>``, and let
        Phi and Phi0 tell whether the neuron is active now and at initialization.  Write s for what
        an active neuron subtracts: ``s = 0`` for the jump, ``s = tau`` for the continuous
        activation.  Then ``f = sum_r a_r (z + u - s) Phi`` in both cases, and inserting
        ``Phi = Phi0 + (Phi - Phi0)`` in the part without u gives the exact identity ``f = A + B +
        C`` with

            A = sum_r a_r u Phi,   B = sum_r a_r (z - s) Phi0,   C = sum_r a_r (z - s)(Phi - Phi0).

        For the jump this is the paper's Lemma C.4.  For both, B is the initial network, and since
        ``g = sum_r a_r u Phi0``,

            f - g - B = (A - g) + C = sum_r a_r (z + u - s)(Phi - Phi0),

        a sum over *flipped* neurons only.  A flip means that tau lies between z and z + u, so
        ``|z + u - tau| <= |u|``: for the continuous activation a flipped neuron contributes at
        most ``|a_r u|``, for the jump up to ``|a_r| (tau + |u|)``.  That extra tau is the whole
        difference between the two in Theorem 4.1.

        The identity holds in real arithmetic for the rounded moves ``W - W_0``; in float64 the
        residual is a rounding error, about 1e-14 at ``m = 10^4``.

        >>> start = TwoLayerNetwork.initialize(512, 3, rng=0, tau=0.05)
        >>> moved = start.W + 0.01 * start.a[:, None]
        >>> parts = PseudoNetwork(start, moved).decompose([[3**0.5 / 2, 0.0, 0.5]])
        >>> bool(abs(parts.residual[0]) < 1e-12), int(parts.flips[0]) > 0
        (True, True)
        """
        start = self.initial
        points = start._points(X, on_slice)
        n = len(points)
        now = start.with_weights(self.W)
        A, B, C, g = (np.empty(n) for _ in range(4))
        flips = np.empty(n, dtype=np.int64)
        for part in self._parts(n):
            x = points[part]
            moves = x @ (self.W - start.W).T
            kept = start.preactivations(x, on_slice=on_slice) - start.shift
            before = start.active_mask(x, on_slice=on_slice)
            after = now.active_mask(x, on_slice=on_slice)
            A[part] = (moves * after) @ start.a
            B[part] = (kept * before) @ start.a
            C[part] = (kept * (after.astype(np.float64) - before)) @ start.a
            g[part] = (moves * before) @ start.a
            flips[part] = np.count_nonzero(before != after, axis=1)
        return Decomposition(A, B, C, now.forward(points, on_slice=on_slice), g, flips)

    def _parts(self, n: int) -> list[slice]:
        step = max(1, _PAIRS_AT_ONCE // self.initial.m)
        return [slice(start, start + step) for start in range(0, n, step)]

    def __repr__(self) -> str:
        """Return the initial network and how far the weights have moved."""
        moved = float(np.linalg.norm(self.W - self.initial.W, axis=1).max())
        return f"PseudoNetwork({self.initial!r}, max ||w_r - w_r0|| = {moved:.3g})"

r"""Patch data with two kinds of features: few strong patches, and many weak ones.

An input is a list of P patches in R^d.  Class i has a *robust* feature u_i and a *non-robust*
feature v_i; a robust patch shows ``alpha_p u_y``, a non-robust one ``beta_p v_y``, both under
Gaussian noise.  Robust features are *strong* (alpha > beta), non-robust ones *dense* (there are
many such patches).  All features are different coordinate vectors: the length of a vector in the
maximum norm depends on its direction, and only with coordinate vectors does "strong" mean the same
for every class.

The model is that of Li and Li (2025), Definition 2.2 and Assumption 2.3, as their public review
thread describes it; the constants are ours.  Before changing anything, know the order in which
`FeatureData.sample` draws: noise, then strengths of robust patches, then of non-robust ones.  The
stored results of the book depend on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import numpy as np

from sublinear_lib import validation
from sublinear_lib._arguments import Count, Nonnegative, Positive, check_fields, described
from sublinear_lib._typing import FloatArray, IntArray, Seed

__all__ = ["FeatureData", "FeatureKind", "PatchData"]

FeatureKind: TypeAlias = Literal["robust", "nonrobust"]
"""The two kinds of features: u (strong, in few patches) and v (weak, in many)."""

_KINDS: Final[tuple[FeatureKind, ...]] = ("robust", "nonrobust")
ABSENT: Final = -1
"""Stands for "no class" where a kind of feature is missing from an input."""


@dataclass(frozen=True, eq=False)
class PatchData:
    """A sample of inputs made of patches, with what each of them shows.

    Fields: `X` (N, P, d): the inputs, read-only; the robust patches come first; `y` (N,): the
    labels in 0, ..., k - 1; `robust_class`, `nonrobust_class` (N,): the class i whose u_i the
    robust patches, and whose v_i the non-robust patches show, or `ABSENT`; `alpha` (N, P_R), `beta`
    (N, P_NR): strengths of these patches; 0 where the feature is absent; `law`: what the sample was
    drawn from.
    """

    X: FloatArray
    y: IntArray
    robust_class: IntArray
    nonrobust_class: IntArray
    alpha: FloatArray
    beta: FloatArray
    law: FeatureData

    def __len__(self) -> int:
        """Return the number N of inputs."""
        return len(self.X)


def _coordinates(value: object, name: str, k: int, d: int) -> tuple[int, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a sequence of {k} coordinates, got {type(value).__name__}")
    places = tuple(
        validation.count(each, f"{name}[{i}]", minimum=0, maximum=d - 1)
        for i, each in enumerate(value)
    )
    if len(places) != k:
        raise ValueError(f"{name} must name one coordinate for each of {k} classes, got {places}")
    return places


@dataclass(frozen=True, kw_only=True)
class FeatureData:
    r"""The law of the patch data, with the book's main configuration as defaults.

    Parameters
    ----------
    classes : int, default 3
        The number k of classes, ``>= 2``.
    dim : int, default 12
        The dimension d of a patch, ``>= 2 k``.
    robust_patches : int, default 1
        The number P_R of patches with the robust feature, ``>= 1``.
    nonrobust_patches : int, default 60
        The number P_NR of patches with the non-robust feature, ``>= 1``.
    alpha : float, default 3.0
        The mean strength of a robust patch, ``> 0``.
    beta : float, default 1.0
        The mean strength of a non-robust patch, ``> 0``.
    jitter : float, default 0.05
        Strengths are uniform between ``(1 - jitter)`` and ``(1 + jitter)`` times their mean,
        independent from patch to patch; ``0 <= jitter < 1``.
    noise : float, default 0.025
        The standard deviation sigma_n of each coordinate of the noise, ``>= 0``.
    u : sequence of int, optional
        The coordinate of u_i for each class i; by default ``0, ..., k - 1``.
    v : sequence of int, optional
        The coordinate of v_i for each class i; by default ``k, ..., 2 k - 1``.

    Raises
    ------
    TypeError
        If an argument is of the wrong kind.
    ValueError
        If a number is out of range, or if two features share a coordinate (the message says
        which): the model needs orthonormal features.

    Notes
    -----
    Source: Definition 2.2 and Assumption 2.3 of Li and Li (2025), as described in the review
    thread; sigma_n = 1/sqrt(d) there.  Here only 12 of 1600 coordinates are simulated, hence
    ``noise = 1/sqrt(1600)``.

    Examples
    --------
    >>> law = FeatureData()
    >>> law.patches, law.density_ratio(q=3)
    (61, 2.2222222222222223)
    >>> FeatureData(classes=2, dim=5, u=(0, 1), v=(1, 2))
    Traceback (most recent call last):
        ...
    ValueError: u and v must name different coordinates, got 1 for u[1] and v[0]
    """

    classes: int = 3
    dim: int = 12
    robust_patches: Count = 1
    nonrobust_patches: Count = 60
    alpha: Positive = 3.0
    beta: Positive = 1.0
    jitter: float = 0.05
    noise: Nonnegative = 0.025
    u: tuple[int, ...] = field(default=())
    v: tuple[int, ...] = field(default=())

    def __post_init__(self) -> None:
        """Check the numbers and that no coordinate serves twice."""
        settle = object.__setattr__
        k = validation.count(self.classes, "classes", minimum=2)
        d = validation.count(self.dim, "dim")
        settle(self, "classes", k)
        settle(self, "dim", d)
        if d < 2 * k:
            raise ValueError(
                f"dim must be at least 2 * classes = {2 * k}, to hold {2 * k} orthonormal "
                f"features, got {d}"
            )
        check_fields(self)
        jitter = validation.scalar(self.jitter, "jitter", minimum=0, exclusive_maximum=1)
        settle(self, "jitter", jitter)
        for name, usual in (("u", range(k)), ("v", range(k, 2 * k))):
            given: object = getattr(self, name)
            places = usual if isinstance(given, tuple) and not given else given
            settle(self, name, _coordinates(places, name, k, d))
        owner: dict[int, str] = {}
        for name in ("u", "v"):
            for i, place in enumerate(getattr(self, name)):
                if place in owner:
                    raise ValueError(
                        f"u and v must name different coordinates, got {place} for "
                        f"{owner[place]} and {name}[{i}]"
                    )
                owner[place] = f"{name}[{i}]"

    @property
    def patches(self) -> int:
        """The number ``P = P_R + P_NR`` of patches."""
        return self.robust_patches + self.nonrobust_patches

    def densities(self, q: float) -> tuple[float, float]:
        """Return the two sums that decide the race of the features.

        ``P_R alpha^q`` and ``P_NR beta^q``, the sums over the patches at mean strength; jitter
        multiplies the expectations of both by one factor.  Source: Assumption 2.3 of Li and Li
        (2025) and Lemma 5.1, which makes q the exponent.

        >>> FeatureData().densities(3)
        (27.0, 60.0)
        >>> FeatureData().densities(4)
        (81.0, 60.0)
        """
        q = validation.scalar(q, "q", minimum=0)
        return self.robust_patches * self.alpha**q, self.nonrobust_patches * self.beta**q

    @described
    def density_ratio(self, q: float) -> float:
        """Return ``C = P_NR beta^q / (P_R alpha^q)``; non-robust features are denser if C > 1.

        Here `q`: the exponent of the activation, ``>= 0``.
        """
        robust, nonrobust = self.densities(q)
        return nonrobust / robust

    @described
    def sample(self, n: int, rng: Seed, *, balanced: bool = True) -> PatchData:
        """Draw inputs that show both features of their class.

        Here `n`: the number N of inputs, ``>= 1``; `balanced`: labels 0, ..., k - 1 in turns;
        otherwise independent and uniform.

        >>> data = FeatureData(noise=0.0, jitter=0.0).sample(4, rng=0)
        >>> data.X.shape, data.y
        ((4, 61, 12), array([0, 1, 2, 0]))
        >>> data.X[1, 0, :3], data.X[1, 1, 3:6]
        (array([0., 3., 0.]), array([0., 1., 0.]))
        """
        generator = validation.generator(rng)
        y = self._labels(n)
        if not validation.boolean(balanced, "balanced"):
            y = generator.integers(0, self.classes, len(y), dtype=np.int64)
        return self._draw(y, y, y, generator)

    @described
    def sample_only(self, kind: FeatureKind, n: int, rng: Seed) -> PatchData:
        """Draw inputs that show one kind of feature; the patches of the other hold noise only.

        Here `kind`: the features to show: "robust" draws from D_R, "nonrobust" from D_NR; `n`: the
        number N of inputs, ``>= 1``.

        N inputs; labels are those of the features shown, in turns.

        Source: the feature-only inputs ``X_f`` drawn from D_R and D_NR, of which Theorems 4.3 and
        4.4 of Li and Li (2025) speak; that the other patches hold noise is our reading.

        >>> data = FeatureData(noise=0.0).sample_only("robust", 3, rng=0)
        >>> bool(data.X[:, 1:].any()), data.nonrobust_class
        (False, array([-1, -1, -1]))
        """
        kind = validation.choice(kind, "kind", _KINDS)
        generator = validation.generator(rng)
        y = self._labels(n)
        nothing = np.full_like(y, ABSENT)
        return self._draw(
            y,
            y if kind == "robust" else nothing,
            y if kind == "nonrobust" else nothing,
            generator,
        )

    @described
    def sample_conflict(self, n: int, rng: Seed) -> PatchData:
        """Draw inputs whose robust patches say one class and whose non-robust ones another.

        Here `n`: the number N of inputs, ``>= 1``.

        N inputs; the label is the class of the robust patches, in turns; the class of the
        non-robust ones is uniform among the others.

        >>> data = FeatureData().sample_conflict(6, rng=0)
        >>> bool((data.robust_class == data.nonrobust_class).any())
        False
        """
        generator = validation.generator(rng)
        y = self._labels(n)
        other = (y + generator.integers(1, self.classes, y.shape)) % self.classes
        return self._draw(y, y, other, generator)

    def _labels(self, n: int) -> IntArray:
        return np.arange(validation.count(n, "n"), dtype=np.int64) % self.classes

    def _draw(
        self, y: IntArray, robust: IntArray, nonrobust: IntArray, rng: np.random.Generator
    ) -> PatchData:
        n, split = len(y), self.robust_patches
        X = self.noise * rng.normal(size=(n, self.patches, self.dim)) + 0.0  # no negative zeros
        spread = self.jitter * rng.uniform(-1.0, 1.0, (n, split))
        alpha = self.alpha * (1.0 + spread) * (robust != ABSENT)[:, None]
        spread = self.jitter * rng.uniform(-1.0, 1.0, (n, self.nonrobust_patches))
        beta = self.beta * (1.0 + spread) * (nonrobust != ABSENT)[:, None]
        # An absent feature has strength 0; which coordinate that is added to does not matter.
        rows = np.arange(n)[:, None]
        X[rows, np.arange(split), np.asarray(self.u)[robust][:, None]] += alpha
        X[rows, np.arange(split, self.patches), np.asarray(self.v)[nonrobust][:, None]] += beta
        y, robust, nonrobust = y.copy(), robust.copy(), nonrobust.copy()
        for array in (X, y, robust, nonrobust, alpha, beta):
            array.flags.writeable = False
        return PatchData(X, y, robust, nonrobust, alpha, beta, self)

"""What an attack can be asked for beside a loss: a wrong sign, or a high value of f.

Both are objectives of :mod:`sublinear_lib.adversary.protocol`.  `NegativeMargin` is what decides
whether a point is misclassified, which no loss of Definition 3.2 does; `Height` raises the network
itself, whatever the label, as the brackets of Definition 3.4 ask for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sublinear_lib._typing import FloatArray

__all__ = ["Height", "NegativeMargin"]


@dataclass(frozen=True)
class Height:
    """The objective ``side * f``, whatever the label.

    Parameters
    ----------
    side : {1, -1}, default 1
        Raise f (1) or lower it (-1).

    Raises
    ------
    ValueError
        If `side` is neither 1 nor -1.
    """

    side: int = 1

    def __post_init__(self) -> None:
        """Check the side."""
        if isinstance(self.side, bool) or self.side not in (1, -1):
            raise ValueError(f"side must be 1 or -1, got {self.side!r}")

    def value(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return the height.

        Parameters
        ----------
        y, f : ndarray of float64, shape (n,)
            Labels, which do not matter, and outputs.

        Returns
        -------
        ndarray of float64, shape (n,)
            ``side * f``.
        """
        return np.asarray(self.side * f)

    def derivative(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return its slope.

        Parameters
        ----------
        y, f : ndarray of float64, shape (n,)
            Labels and outputs.

        Returns
        -------
        ndarray of float64, shape (n,)
            The side, n times.
        """
        return np.full_like(f, float(self.side))


@dataclass(frozen=True)
class NegativeMargin:
    """The objective ``-sign(y) f``: positive where the network is wrong, whatever the loss.

    Notes
    -----
    A regression loss also rewards outputs that are right and too large; an attack that looks for a
    misclassified point had better make this large.

    Examples
    --------
    >>> y, f = np.array([1.0, -0.5]), np.array([0.2, 0.3])
    >>> NegativeMargin().value(y, f), NegativeMargin().derivative(y, f)
    (array([-0.2,  0.3]), array([-1.,  1.]))
    """

    def value(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return the negative margin of every example.

        Parameters
        ----------
        y, f : ndarray of float64, shape (n,)
            Nonzero labels and outputs of the network.

        Returns
        -------
        ndarray of float64, shape (n,)
            ``-sign(y) f``.
        """
        return np.asarray(-np.sign(y) * f)

    def derivative(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return its derivative in the output.

        Parameters
        ----------
        y, f : ndarray of float64, shape (n,)
            Nonzero labels and outputs of the network.

        Returns
        -------
        ndarray of float64, shape (n,)
            ``-sign(y)``.
        """
        return np.asarray(-np.sign(y))

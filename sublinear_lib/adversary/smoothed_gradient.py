"""Gradient ascent that sees the jumps: the attack to use on the paper's activation.

The formal gradient of a jump network ignores its jumps, of height ``|a_r| tau`` each, although they
carry most of the change of f inside a cap; ascent along it overstates robustness.  This adversary
(Definition 3.3) follows the gradient of f with every activation averaged over a window of
pre-activations, which spreads each jump over the window, and lets the window shrink from step to
step.  Points are judged by the true network, so the result is a lower bound of the worst case like
that of any attack.  Know before changing the window: neurons further below the threshold than its
half-width contribute exactly 0, and that is what allows an index query to serve the whole attack.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sublinear_lib import geometry, validation
from sublinear_lib._arguments import Count, Positive
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary.ascent import Ascent, stay
from sublinear_lib.adversary.protocol import AttackResult, Batch

__all__ = ["SmoothedGradient"]


@dataclass(frozen=True, kw_only=True)
class SmoothedGradient(Ascent):
    """Riemannian ascent along smoothed gradients on the cap, best point of all iterates and runs.

    Parameters
    ----------
    rho : float
        Radius of the cap, a Euclidean chord length, 0 or ``>= 1e-200``: its windows are shares of
        it, and they have to be numbers (``sqrt(3)`` and more: all of X).
    steps : int, default 40
        Steps per run, ``>= 1``.
    relative_step : float, default 0.25
        First step as a fraction of the angular radius of the cap, ``> 0``.
    restarts : int, default 8
        Number of runs, ``>= 1``.  All but the first start at a uniformly random point of the cap.
    random_start : bool, default False
        Whether the first run starts at a random point too; by default it starts at the clean one.
    decay : bool, default True
        Whether the steps shrink linearly to ``1 / steps`` of the first.
    first_window, last_window : float, default 1.0 and 0.05
        Half-width of the window at the first and the last step, in units of the typical change of a
        pre-activation from the middle of the cap to its rim; between them it shrinks geometrically.
        ``0 < last_window <= first_window``.

    Raises
    ------
    TypeError, ValueError
        If a parameter has a wrong type or is out of range.

    Notes
    -----
    The unit of the windows is ``sin(alpha) s v`` with alpha the angular radius of the cap (at most
    a right angle), ``s = sqrt(3)/2`` and v the root mean square of the weights, the last column
    left out: the standard deviation of the change of ``<w_r, x>`` for weights of that size.  With
    ``rho = 0`` or all weights 0 there is nothing to walk along, and the clean points are returned.

    Cost: per run `steps` values, smoothed gradients and one value more.  The smoothed gradient of a
    neuron within the window counts like that of an active one.

    Source: this project; the smoothing kernel is that of
    :func:`sublinear_lib.activations.blurred_step`.

    Examples
    --------
    >>> from sublinear_lib.network import TwoLayerNetwork
    >>> network = TwoLayerNetwork([[0.0, 1.0, 0.0]], [1.0], [0.0], tau=0.1)
    >>> x = [[3**0.5 / 2, 0.0, 0.5]]
    >>> attack = SmoothedGradient(rho=0.3, restarts=1)
    >>> attack(network, x, [-1.0], "absolute", rng=0).value.round(4)  # sees the jump ahead
    array([0.2955])
    """

    steps: Count = 40
    relative_step: Positive = 0.25
    restarts: Count = 8
    first_window: Positive = 1.0
    last_window: float = 0.05

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        last = validation.scalar(
            self.last_window, "last_window", exclusive_minimum=0, maximum=self.first_window
        )
        object.__setattr__(self, "last_window", last)
        if 0.0 < self.rho < 1e-200:
            raise ValueError(f"rho must be 0 or >= 1e-200, got {self.rho!r}")

    @classmethod
    def of_few_steps(cls, rho: float, steps: int = 5) -> SmoothedGradient:
        """Return the attack of a training step: one run of few steps, which are long.

        Parameters
        ----------
        rho : float
            Radius of the cap, ``>= 0``.
        steps : int, default 5
            Number of steps, ``>= 1``.

        Returns
        -------
        SmoothedGradient
            Its first step is half of the angular radius of the cap, or few steps would not reach
            the rim, and its only run starts at the clean point.

        Raises
        ------
        TypeError, ValueError
            If a parameter has a wrong type or is out of range.

        Examples
        --------
        >>> attack = SmoothedGradient.of_few_steps(0.3)
        >>> attack.steps, attack.relative_step, attack.restarts
        (5, 0.5, 1)
        """
        return cls(rho=rho, steps=steps, relative_step=0.5, restarts=1)

    def margin(self, weight_scale: float) -> float:
        """Return how far below the threshold the attack looks at neurons.

        Parameters
        ----------
        weight_scale : float
            Root mean square of the hidden weights, the last column left out.

        Returns
        -------
        float
            The widest window, in units of a pre-activation.
        """
        return float(self.windows(weight_scale)[0])

    def windows(self, weight_scale: float) -> FloatArray:
        """Return the half-width of the window at each step.

        Parameters
        ----------
        weight_scale : float
            Root mean square of the hidden weights, the last column left out.

        Returns
        -------
        ndarray of float64, shape (steps,)
            Not increasing, in units of a pre-activation; all 0 where nothing can move.
        """
        turn = math.sin(min(geometry.cap_angle(self.rho), 0.5 * math.pi))
        unit = geometry.SLICE_RADIUS * turn * weight_scale
        return unit * np.geomspace(self.first_window, self.last_window, self.steps)

    def _attack(self, batch: Batch, generator: np.random.Generator) -> AttackResult:
        evaluator = batch.evaluator
        windows = self.windows(evaluator.weight_scale)
        if windows[0] == 0.0:
            return stay(batch)

        def direction(points: FloatArray, step: int) -> tuple[FloatArray, FloatArray]:
            gradient = evaluator.smoothed_input_gradient(points, float(windows[step]))
            return evaluator.value(points), gradient

        return self._ascend(batch, generator, direction)

"""When a training run may end before its last step.

Algorithm 1 runs T steps; a run that has reached its goal, or no longer gets nearer to it, need not.
The rule looks at the losses under the training adversary only, so it is a function of the history:
a run that is resumed from a checkpoint stops where it would have stopped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from sublinear_lib._arguments import Count, Nonnegative, check_fields

__all__ = ["EarlyStop", "Watch"]


@dataclass(frozen=True, kw_only=True)
class EarlyStop:
    """Stop when the loss is low enough, or has not improved for some steps.

    Parameters
    ----------
    loss : float, optional
        Stop after a step whose loss under the training adversary is at most this, ``>= 0``.
    patience : int, optional
        Stop when so many steps in a row did not improve the lowest loss, ``>= 1``.
    improvement : float, default 0.0
        By how much a loss must be lower than the lowest one so far to count, ``>= 0``.

    Raises
    ------
    TypeError, ValueError
        If a parameter has a wrong type or is out of range, or neither rule is given.

    Notes
    -----
    The loss of a step is that of the weights *before* its update.  With mini-batches it is the loss
    of the batch, which fluctuates: be patient.

    Examples
    --------
    >>> EarlyStop(loss=0.05).reason([0.9, 0.2, 0.04])
    'the loss 0.04 reached 0.05'
    >>> EarlyStop(patience=2).reason([0.9, 0.2, 0.3, 0.2])
    'no lower loss than 0.2 in 2 steps'
    >>> EarlyStop(patience=2).reason([0.9, 0.2, 0.3])
    ''
    """

    loss: Nonnegative | None = None
    patience: Count | None = None
    improvement: Nonnegative = 0.0

    def __post_init__(self) -> None:
        """Check the parameters."""
        if self.loss is None and self.patience is None:
            raise ValueError("loss or patience must be given, got None for both")
        check_fields(self)

    def reason(self, losses: Iterable[float]) -> str:
        """Say why a run with these losses is over.

        Parameters
        ----------
        losses : iterable of float
            The losses of the steps so far, in order.

        Returns
        -------
        str
            The reason; empty if the run goes on.
        """
        watch = Watch(self)
        reasons = [watch.see(loss) for loss in losses]
        return reasons[-1] if reasons else ""


class Watch:
    """The state of a rule during a run."""

    def __init__(self, rule: EarlyStop | None) -> None:
        self._rule = rule
        self._lowest = math.inf
        self._waited = 0

    def see(self, loss: float) -> str:
        """Take note of the loss of a step."""
        rule = self._rule
        if rule is None:
            return ""
        if loss < self._lowest - rule.improvement:
            self._lowest, self._waited = loss, 0
        else:
            self._waited += 1
        if rule.loss is not None and loss <= rule.loss:
            return f"the loss {loss:.6g} reached {rule.loss:.6g}"
        if rule.patience is not None and self._waited >= rule.patience:
            return f"no lower loss than {self._lowest:.6g} in {self._waited} steps"
        return ""

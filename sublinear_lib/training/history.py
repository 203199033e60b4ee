"""What a training run leaves behind: one row per step of Algorithm 1, and the final network.

Row t describes step t: the losses and active sets *before* its update (that is, of the network
``f_{W_t}`` that the adversary attacked), and how far the weights are from the initialization
*after* it.  Theorem 4.3 bounds the average of the column `loss`, not its last entry.  Columns that
are the same in every run (losses, counts, work) are kept apart from measured seconds, which never
are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sublinear_lib import validation
from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.network import TwoLayerNetwork

if TYPE_CHECKING:
    from sublinear_lib.plotting import Picture

__all__ = ["PHASES", "History", "StepRecord", "TrainingDiverged"]

PHASES = ("query", "adversary", "forward", "backward", "update", "monitor")
"""The parts of a step that are timed: index query, attack (line 11 of Algorithm 1), forward pass
(12 and 17), gradient (18), update of weights and index (19 to 21), and the history itself."""


@dataclass(frozen=True)
class StepRecord:
    """One step of a training run.

    Parameters
    ----------
    step : int
        Number of the step, from 0.
    loss : float
        Mean loss at the points the training adversary found, ``L_A(f_{W_t})``.
    clean_loss : float
        Mean loss at the clean points, ``L(f_{W_t})``.
    activity_mean, activity_max : float
        Mean and maximum over the examples of ``k_{i,t} / m`` at the adversarial points.
    touched : int
        Number of neurons active at some example, ``|Q_t|``: the rows that the step moved.
    candidates : float
        Neurons per example that could be active in its cap (m for the dense trainer), mean.
    drift_max, drift_frobenius : float
        ``||W_{t+1} - W_0||`` in the (2, infinity) and the Frobenius norm.
    work_query, work_adversary, work_forward, work_backward : int
        Passes over a row of W for one example: inner products and scaled additions of length d.
    seconds : mapping of str to float
        Measured wall-clock seconds of each phase in `PHASES`.
    flips : int, optional
        Pairs of a clean example and a neuron with ``1[<w_{r,t}, x_i> + b_r > tau]`` other than at
        initialization; ``None`` in steps that were not measured (`Measure`).
    robust_lower, robust_upper : float, optional
        Certified bounds of the robust loss ``L_{A*}(f_{W_t})`` against the best adversary;
        ``None`` in steps that were not measured.
    robust_unknown : int, optional
        Number of examples for which the two bounds are farther apart than the tolerance of
        `Measure`, because a limit was met; 0 means that the robust loss is exact.
    """

    step: int
    loss: float
    clean_loss: float
    activity_mean: float
    activity_max: float
    touched: int
    candidates: float
    drift_max: float
    drift_frobenius: float
    work_query: int
    work_adversary: int
    work_forward: int
    work_backward: int
    seconds: Mapping[str, float]
    flips: int | None = None
    robust_lower: float | None = None
    robust_upper: float | None = None
    robust_unknown: int | None = None

    @property
    def work(self) -> int:
        """Row passes of the whole step."""
        return self.work_query + self.work_adversary + self.work_forward + self.work_backward


_Number = TypeVar("_Number", np.float64, np.int64)


class _Column(Generic[_Number]):
    """One column of a history, under the name of its field of `StepRecord`."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, history: History | None, owner: type | None = None) -> NDArray[_Number]:
        if history is None:
            return self  # type: ignore[return-value]
        return cast("NDArray[_Number]", history.column(self._name))


@dataclass(frozen=True, eq=False)
class History:
    """A training run: columns with one entry per step, and the network it ended with.

    Parameters
    ----------
    final : TwoLayerNetwork
        The network after the last step recorded.
    method : str
        ``"dense"``, or ``"sparse"`` with the way to find neurons in brackets: ``caps``,
        the engine of an index that is queried once per example and step, or ``literal`` with the
        engine behind it.  Of shards, their number and what all of them are.
    eta : float
        The step size used.
    n : int
        Number of training examples.
    interrupted : bool
        Whether Ctrl-C, a callback or a number that is not finite ended the run early.
    records : tuple of StepRecord
        The rows; the attributes below are its columns as arrays.
    set_aside : int, default 0
        Number of neurons that were left out because they can never fire on X; they keep their
        initial weights, see :func:`sublinear_lib.halfspace.alive_on_slice`.
    stopped : str, default ""
        Why the run ended before its last step: empty if it did not, otherwise a sentence.

    Attributes
    ----------
    loss, clean_loss, activity_mean, activity_max, candidates, drift_max, drift_frobenius : ndarray
        Columns of float64, shape (steps,); see `StepRecord`.
    flips, robust_lower, robust_upper, robust_unknown : ndarray
        Columns of float64, NaN in steps that were not measured.
    step, touched, work_query, work_adversary, work_forward, work_backward : ndarray
        Columns of int64, shape (steps,).
    seconds : mapping of str to ndarray
        Seconds per phase, each of shape (steps,).

    Notes
    -----
    Source: Algorithm 1, whose output is the sequence of weights ``W_1, ..., W_T``; the quantities
    are those of Definitions 3.4 and 3.9 and Theorem 4.3.
    """

    final: TwoLayerNetwork
    method: str
    eta: float
    n: int
    interrupted: bool
    records: tuple[StepRecord, ...] = field(repr=False)
    set_aside: int = 0
    stopped: str = ""

    def __len__(self) -> int:
        """Return the number of steps recorded."""
        return len(self.records)

    def column(self, name: str) -> NDArray[np.float64] | NDArray[np.int64]:
        """Return one column.

        Parameters
        ----------
        name : str
            A field of `StepRecord` other than `seconds`.

        Returns
        -------
        ndarray of float64 or int64, shape (steps,)
            Its entries.

        Raises
        ------
        TypeError, ValueError
            For a name that is no column.
        """
        name = validation.choice(name, "name", tuple(_COLUMNS))
        return np.array([getattr(row, name) for row in self.records], dtype=_COLUMNS[name])

    step = _Column[np.int64]()
    """Numbers of the steps."""
    loss = _Column[np.float64]()
    """Mean loss under the training adversary, ``L_A(f_{W_t})``."""
    clean_loss = _Column[np.float64]()
    """Mean loss at the clean points."""
    activity_mean = _Column[np.float64]()
    """Mean share of active neurons, ``k_{i,t} / m``."""
    activity_max = _Column[np.float64]()
    """Largest share of active neurons over the examples."""
    touched = _Column[np.int64]()
    """Number of neurons active at some example, ``|Q_t|``."""
    candidates = _Column[np.float64]()
    """Mean number of candidate neurons per example."""
    drift_max = _Column[np.float64]()
    """Largest ``||w_r - w_{r,0}||`` over the neurons, after the step."""
    drift_frobenius = _Column[np.float64]()
    """``||W - W_0||_F`` after the step."""
    work_query = _Column[np.int64]()
    """Inner products of the index query."""
    work_adversary = _Column[np.int64]()
    """Row passes of the attack."""
    work_forward = _Column[np.int64]()
    """Row passes of the forward pass."""
    work_backward = _Column[np.int64]()
    """Row passes of the weight gradient."""
    flips = _Column[np.float64]()
    """Activities of clean examples that differ from those at initialization."""
    robust_lower = _Column[np.float64]()
    """Lower bounds of the robust loss against the best adversary."""
    robust_upper = _Column[np.float64]()
    """Upper bounds of the robust loss against the best adversary."""
    robust_unknown = _Column[np.float64]()
    """Number of examples whose robust loss is not known to the tolerance."""

    @property
    def work(self) -> IntArray:
        """Row passes of a whole step: query, adversary, forward and backward together."""
        return self.work_query + self.work_adversary + self.work_forward + self.work_backward

    @property
    def seconds(self) -> Mapping[str, FloatArray]:
        """Measured seconds per phase."""
        return MappingProxyType(
            {phase: np.array([row.seconds[phase] for row in self.records]) for phase in PHASES}
        )

    @property
    def average_loss(self) -> float:
        """The average of `loss` over the steps, the left-hand side of Theorem 4.3."""
        if not self.records:
            raise ValueError("a history without steps has no average loss")
        return float(np.mean(self.loss))

    def to_columns(self, *, seconds: bool = False) -> dict[str, np.ndarray]:
        """Return the columns as a dictionary, ready for ``pandas.DataFrame``.

        Parameters
        ----------
        seconds : bool, default False
            Whether to add the measured seconds (``seconds_query`` and so on).  Without them two
            equal runs give equal dictionaries.

        Returns
        -------
        dict of str to ndarray
            Columns of equal length.

        Raises
        ------
        TypeError
            If `seconds` is not a truth value.
        """
        columns: dict[str, np.ndarray] = {name: self.column(name) for name in _COLUMNS}
        if validation.boolean(seconds, "seconds"):
            columns.update({f"seconds_{name}": column for name, column in self.seconds.items()})
        return columns

    def to_dict(self, *, seconds: bool = False) -> dict[str, list[int | float | None]]:
        """Return the columns as lists of Python numbers, ready for JSON or ``pandas.DataFrame``.

        Parameters
        ----------
        seconds : bool, default False
            Whether to add the measured seconds.

        Returns
        -------
        dict of str to list
            Columns of equal length; ``None`` where nothing was measured.

        Raises
        ------
        TypeError
            If `seconds` is not a truth value.
        """
        columns = self.to_columns(seconds=seconds)
        return {
            name: [None if value != value else value for value in column.tolist()]
            for name, column in columns.items()
        }

    def plot(
        self, *, name: str = "training-run", caption: str | None = None, alt: str | None = None
    ) -> Picture:
        """Draw the run: loss at attacked and at clean points, and the share of neurons that fire.

        Parameters
        ----------
        name : str, default "training-run"
            Name of the figure, unique on a page.
        caption : str, optional
            What to notice.
        alt : str, optional
            Alternative text; by default it is composed from the numbers.

        Returns
        -------
        Picture
            Two panels: the losses, and the share of neurons that fire.

        Raises
        ------
        ValueError
            If there are fewer than two steps.

        Notes
        -----
        The only place where a run knows of figures; they are loaded when it is called.
        """
        from sublinear_lib.plotting import results

        if len(self) < 2:
            raise ValueError(f"a history must have at least two steps to be drawn, got {len(self)}")
        columns = self.step, self.loss, self.clean_loss, self.activity_mean
        return results.training_run(*columns, name=name, caption=caption, alt=alt)

    def __repr__(self) -> str:
        """Return method, length and the two ends of the loss."""
        losses = f", loss {self.loss[0]:.4g} -> {self.loss[-1]:.4g}" if self.records else ""
        stopped = ", interrupted" if self.interrupted else ""
        return f"History({self.method}, {len(self)} steps{losses}{stopped})"


_COLUMNS: dict[str, type] = {
    item.name: np.int64 if item.type == "int" else np.float64
    for item in fields(StepRecord)
    if item.name != "seconds"
}


class TrainingDiverged(FloatingPointError):
    """Training met a number that is not finite; the message names the step and the cause.

    Parameters
    ----------
    message : str
        Step and cause.
    step : int
        The step that failed.
    history : History
        The steps before it, with the weights they ended with.
    """

    def __init__(self, message: str, step: int, history: History) -> None:
        super().__init__(message)
        self.step = step
        self.history = history

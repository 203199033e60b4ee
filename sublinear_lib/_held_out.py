"""What is known of held-out rows: right at the row, attacked in its cap, proved all over it.

Before changing anything, know why no proof has a time limit here: a report is to have the same
bytes for the same seed, so every bound ends by itself (for d > 3 the optimized relaxation,
:mod:`sublinear_lib.adversary.relaxation`); what it leaves open is called open.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from sublinear_lib import geometry
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import NegativeMargin, SmoothedGradient, certified_accuracy
from sublinear_lib.datasets import Dataset
from sublinear_lib.network import TwoLayerNetwork

Status: TypeAlias = Literal["wrong", "broken", "open", "certified"]
"""What is known of a held-out row: wrong at the row itself; broken, a point of its cap is wrong;
certified, every point of its cap is right; open, neither was shown."""

# Radii at which proofs are tried, in units of rho.
MULTIPLES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
# No proof is to end because of the clock.
_NO_LIMIT = 1e9


@dataclass(frozen=True)
class Answer:
    """What is known of one held-out row.

    Parameters
    ----------
    status : str
        ``"wrong"``, ``"broken"``, ``"open"`` or ``"certified"`` at the radius rho.
    certified_to : float
        Largest radius tried at which the row is certified; 0 if it is only right itself, -1 if it
        is wrong.
    broken_at : float
        Smallest radius tried at which a wrong point was found; inf if there is none.
    """

    status: Status
    certified_to: float
    broken_at: float


def examine(
    network: TwoLayerNetwork,
    test: Dataset,
    rho: float,
    limit: int | None,
    seeds: np.random.SeedSequence,
    progress: bool,
) -> tuple[Answer, ...]:
    """Look at held-out rows one by one."""
    from tqdm.auto import tqdm

    number = test.n if limit is None else min(limit, test.n)
    right = test.y * network.forward(test.X) > 0.0
    radii = [c * rho for c in MULTIPLES if c * rho <= geometry.SLICE_DIAMETER and rho > 0.0]
    at = radii.index(rho) if radii else 0
    attack = SmoothedGradient(rho=rho, steps=20, restarts=2)
    answers: list[Answer] = []
    with tqdm(total=number, desc="certifying", unit=" row", disable=not progress) as bar:
        for i, own in enumerate(seeds.spawn(number)):
            if not right[i]:
                answers.append(Answer("wrong", -1.0, 0.0))
            elif not radii:
                answers.append(Answer("certified", 0.0, math.inf))
            else:
                row = _Row(network, test.X[i], float(test.y[i]), own)
                answers.append(row.answer(radii, at, attack))
            bar.update()
    return tuple(answers)


class _Row:
    """One held-out row, asked at several radii."""

    def __init__(
        self, network: TwoLayerNetwork, x: FloatArray, y: float, seeds: np.random.SeedSequence
    ) -> None:
        self._network, self._x, self._y = network, x, y
        self._seeds = seeds
        self._known: dict[float, str] = {}

    def answer(self, radii: Sequence[float], at: int, attack: SmoothedGradient) -> Answer:
        """Ask at rho first, then upwards and downwards as far as the answers allow."""
        rho = radii[at]
        status = self._status(rho)
        if status == "unknown" and self._broken(attack):
            self._known[rho] = status = "falsified"
        if status == "certified":
            proved = self._last("certified", radii[at:])
        else:
            proved = self._last("certified", radii[:at])
        if status == "falsified":
            broken = self._first("falsified", radii[: at + 1])
        else:
            broken = self._first("falsified", radii[at + 1 :])
        shown: Status = {"certified": "certified", "falsified": "broken"}.get(status, "open")  # type: ignore[assignment]
        return Answer(shown, proved, broken)

    def _status(self, radius: float) -> str:
        if radius not in self._known:
            (self._known[radius],) = certified_accuracy(
                self._network,
                self._x[None, :],
                [self._y],
                radius,
                method="auto" if self._network.d <= 3 else "relaxation",
                time_limit=_NO_LIMIT,
                rng=np.random.default_rng(self._seeds),
            ).status
        return self._known[radius]

    def _broken(self, attack: SmoothedGradient) -> bool:
        """Attack once more, with other starts than the proof has tried."""
        found = attack(
            self._network,
            self._x[None, :],
            np.array([self._y]),
            NegativeMargin(),
            np.random.default_rng(self._seeds.spawn(1)[0]),
        )
        return bool(self._y * found.value[0] <= 0.0)

    def _last(self, status: str, radii: Sequence[float]) -> float:
        """Return the last radius with this status, which the smaller ones inherit; 0 if none."""
        place = bisect_left(radii, True, key=lambda radius: self._status(radius) != status)
        return radii[place - 1] if place else 0.0

    def _first(self, status: str, radii: Sequence[float]) -> float:
        """Return the first radius with this status, which the larger ones inherit; inf if none."""
        place = bisect_left(radii, True, key=lambda radius: self._status(radius) == status)
        return radii[place] if place < len(radii) else math.inf

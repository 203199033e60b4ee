"""The recorded run with the neurons on several workers, beside the model that reaches further."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.records import read_record
from sublinear_lib import scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.theory.sharding import ShardedStep, sharded_step
from sublinear_lib.validation import count

_FILE = "sharded_training.json"
_NETWORK = 1.25e9


@dataclass(frozen=True)
class ShardingRecord:
    """What was measured with the neurons on several workers, and the model that it sets.

    - ``date``: When the run began.
    - ``settings``: Of the run: n, d, rho, attack_steps and others.
    - ``environment``: The machine and the versions, as `environment` describes them.
    - ``rows``: One for each width and number of shards.

    Notes
    -----
    The model takes three numbers from the record, all with one shard: row passes per second and the
    seconds of a question and its answer, from the widest and the narrowest network, and the bytes
    for each neuron, from the growth between the two widest.
    """

    date: str
    settings: Mapping[str, Any]
    environment: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]

    def __post_init__(self) -> None:
        """Check that the model can be set."""
        if len(self.widths) < 2:
            raise ValueError(f"rows must hold at least two widths, got {self.widths}")
        for m in self.widths:
            self.row(m, 1)

    @cached_property
    def widths(self) -> list[int]:
        """The widths, ascending."""
        return sorted({row["m"] for row in self.rows})

    def row(self, m: int, shards: int) -> Mapping[str, Any]:
        """Return what was measured at one width with so many shards."""
        for row in self.rows:
            if (row["m"], row["shards"]) == (m, shards):
                return row
        raise ValueError(f"m = {m} with {shards} shards was not measured")

    def seconds(self, shards: int) -> FloatArray:
        """Return the seconds of the steps."""
        return np.array([self.row(m, shards)["seconds"] for m in self.widths]).T

    def memory(self, shards: int) -> FloatArray:
        """Return the bytes that each worker process held after the last step."""
        held = [[one["resident"] for one in self.row(m, shards)["workers"]] for m in self.widths]
        return np.array(held, dtype=np.float64).T

    @cached_property
    def rate(self) -> float:
        """Row passes per second of one worker; raises ValueError if wider was not slower."""
        few, many = (self.model(m, 1, rate=1.0, delay=0.0).passes for m in self._ends)
        times = np.median(self.seconds(1), axis=0)
        short, long = float(times[0]), float(times[-1])
        if not long > short:
            raise ValueError(
                f"the widest network must take longer than the narrowest, got {long} <= {short} s"
            )
        return float(many - few) / (long - short)

    @cached_property
    def delay(self) -> float:
        """Seconds of a question to one worker and its answer; raises ValueError as `rate`."""
        alone = self.model(self._ends[0], 1, delay=0.0)
        rest = float(np.median(self.seconds(1)[:, 0])) - alone.seconds
        return max(0.0, rest) / alone.questions

    @property
    def _ends(self) -> tuple[int, int]:
        return self.widths[0], self.widths[-1]

    @cached_property
    def neuron_bytes(self) -> float:
        """Bytes that a worker holds for each neuron, its index included."""
        *_, less, most = self.memory(1)[0]
        return float(most - less) / (self.widths[-1] - self.widths[-2])

    def model(
        self,
        m: int,
        shards: int,
        *,
        bandwidth: float = _NETWORK,
        delay: float | None = None,
        rate: float | None = None,
    ) -> ShardedStep:
        """Model a step of the recorded run at another width or with other workers."""
        m = count(m, "m", minimum=2)
        known = ("n", "d", "rho", "attack_steps", "reduction")
        return sharded_step(
            m,
            t=scaling.standardize_threshold(scaling.SPARSE_C.tau(m), m),
            shards=shards,
            rate=self.rate if rate is None else rate,
            bandwidth=bandwidth,
            delay=self.delay if delay is None else delay,
            **{name: self.settings[name] for name in known},
        )


def load_sharding_record(path: str | Path | None = None) -> ShardingRecord:
    """Read the record of the run with the neurons on several workers."""
    parts = ("date", "settings", "environment", "rows")
    what = "the record of a run with several workers"
    found = read_record(path, _FILE, what, parts)
    try:
        return ShardingRecord(*(found[name] for name in parts))
    except (LookupError, TypeError) as error:
        raise ValueError(f"path must name {what}, got {path or _FILE}: {error}") from error

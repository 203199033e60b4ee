"""The stored records that other programs than ``sublinear bench`` wrote, and their tables.

Before quoting the score of a mutation run, know that a mutant which nothing executes counts as one
that survived, and that mutants which change no number are among the survivors too.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results import results_path
from benchmarks.tables import Table, count_text
from sublinear_lib import scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.theory.sharding import ShardedStep, sharded_step
from sublinear_lib.validation import count

_COUNTS = ("cases", "steps", "queries", "pairs", "ties", "mismatches")
_FUZZ = {*_COUNTS, "date", "seed", "seconds", "versions", "by_structure"}
_MUTATION = {"total", "modules", "operators", "survivors", "trials", "settings"}
_OUTCOMES = {
    "noticed": "verdict changes, as it should",
    "kept": "stays, as it should",
    "not noticed": "not noticed",
    "false alarm": "changes, but should not",
}


def read_record(
    path: str | Path | None, file: str, what: str, parts: Collection[str], schema: int | None = None
) -> dict[str, Any]:
    """Read a JSON object with these parts, by default the `file` of the clone, or refuse it."""
    path = results_path().with_name(file) if path is None else path
    refused = f"path must name {what}, got {path}"
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{refused}: {error}") from error
    if not isinstance(found, dict) or not set(parts) <= set(found):
        raise ValueError(refused)
    if schema is not None and found.get("schema") != schema:
        raise ValueError(f"{refused}, not of schema {schema}")
    return found


def load_fuzz_record(path: str | Path | None = None) -> dict[str, Any]:
    """Read the record of a fuzz run."""
    return read_record(path, "halfspace_fuzz.json", "the record of a fuzz run", _FUZZ)


def load_mutation_record(path: str | Path | None = None) -> dict[str, Any]:
    """Read the record of a mutation run."""
    what = "the record of a mutation run"
    return read_record(path, "theory_mutation.json", what, _MUTATION, schema=1)


def load_planting_record(path: str | Path | None = None) -> dict[str, Any]:
    """Read the record of a run with errors planted in statements, one trial for each number."""
    what = "the record of plantings in statements"
    return read_record(path, "statement_plantings.json", what, {"trials"}, schema=1)


def fuzz_tables(record: dict[str, Any]) -> list[Table]:
    """Lay out the record of a fuzz run."""
    versions = record["versions"]
    facts = [
        ["date", record["date"][:10]],
        ["seed", str(record["seed"])],
        ["seconds", f"{record['seconds']:.0f}"],
        *([name, count_text(record[name])] for name in _COUNTS),
        *([name, str(versions[name])] for name in ("python", "numpy", "numba")),
    ]
    rows = [
        [name, *(count_text(part[number]) for number in _COUNTS)]
        for name, part in record["by_structure"].items()
    ]
    return [
        Table("The run.", ["what", "value"], facts),
        Table("What was asked of each structure.", ["structure / kernels", *_COUNTS], rows),
    ]


def planting_table(record: dict[str, Any]) -> Table:
    """Lay out which wrong numbers in statements were noticed."""
    rows: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for each in record["trials"]:
        place = each["claim"], each["what"], f"{each['relation']} {each['stated']}"
        found = rows.setdefault(place, {name: [] for name in _OUTCOMES})
        planted = each["planted"] + (" (true)" if each["makes it"] == "true" else "")
        found[each["outcome"]].append(planted)
    return Table(
        "Numbers planted in statements, and what their checks made of them.",
        ["statement", "number of what", "stated", *_OUTCOMES.values()],
        [[*place, *(", ".join(cell) for cell in row.values())] for place, row in rows.items()],
    )


_NETWORK = 1.25e9


@dataclass(frozen=True)
class ShardingRecord:
    """What was measured with the neurons on several workers, and the model that it sets.

    The model, which counts what a step needs and knows no machine, takes three numbers from the
    record, all with one shard: row passes per second and the seconds of a question and its answer,
    from the widest and the narrowest network, and the bytes for each neuron, from the growth
    between the two widest.
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
    found = read_record(path, "sharded_training.json", what, parts)
    try:
        return ShardingRecord(*(found[name] for name in parts))
    except (LookupError, TypeError) as error:
        raise ValueError(
            f"path must name {what}, got {path or 'sharded_training.json'}: {error}"
        ) from error

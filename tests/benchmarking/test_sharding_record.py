"""The record of the sharded run is complete, and sets the model by three numbers only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import load_sharding_record, sharded_training
from benchmarks.records import ShardingRecord
from sublinear_lib import theory

ROOT = Path(__file__).parents[2]
SETTINGS = {"n": 16, "d": 5, "rho": 0.1, "attack_steps": 3, "reduction": "blas"}
RATE, DELAY, BYTES, BASE = 2e7, 3e-3, 250.0, 1e8


def planted(widths: tuple[int, ...] = (10**4, 10**5, 10**6)) -> ShardingRecord:
    """A record that obeys the model with the numbers above."""
    empty: Any = object.__new__(ShardingRecord)
    object.__setattr__(empty, "settings", SETTINGS)
    rows = []
    for m in widths:
        for shards in (1, 2):
            step = ShardingRecord.model(empty, m, shards, rate=RATE, delay=DELAY)
            held = BASE + BYTES * m / shards
            rows.append(
                {
                    "m": m,
                    "shards": shards,
                    "seconds": [0.9 * step.seconds, step.seconds, 2.0 * step.seconds],
                    "workers": [{"resident": held, "peak": 2 * held}] * shards,
                }
            )
    return ShardingRecord("2026-01-01", SETTINGS, {"processor": "none"}, rows)


def test_the_model_is_set_by_the_ends_of_the_record() -> None:
    record = planted()
    assert record.rate == pytest.approx(RATE, rel=1e-9)
    assert record.delay == pytest.approx(DELAY, rel=1e-9)
    assert record.neuron_bytes == pytest.approx(BYTES, rel=1e-9)
    told = record.model(10**9, 64, rate=RATE, delay=DELAY)
    assert record.model(10**9, 64).seconds == pytest.approx(told.seconds, rel=1e-9)
    assert told.memory == theory.shard_memory(10**9, 5, 64)


SIZES = ["--m", "300,600", "--n", "4", "--d", "3", "--steps", "3", "--shards", "1,2"]
SIZES += ["--workers", "here", "--check", "--output"]


def test_the_study_runs_its_record_can_be_read_and_other_weights_stop_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    output, other, real = tmp_path / "record.json", tmp_path / "other", sharded_training.measured
    sharded_training.main([*SIZES, str(output)])
    record = load_sharding_record(output)
    cells = [(row["m"], row["shards"]) for row in record.rows]
    assert cells == [(300, 1), (300, 2), (600, 1), (600, 2)]
    assert record.seconds(2).shape == (2, 2)
    assert all(row["largest_difference"] <= 1e-12 for row in record.rows)
    assert set(record.settings) == set(load_sharding_record().settings)
    for reduction, off in (("reference", 1e-15), ("blas", 1e-11)):

        def careless(*given: Any, off: float = off) -> Any:
            row, weights = real(*given)
            return row, weights + off * (np.arange(weights.size).reshape(weights.shape) == 0)

        monkeypatch.setattr(sharded_training, "measured", careless)
        with pytest.raises(SystemExit, match=r"m = 300, 1 shards: the weights are .* away from"):
            sharded_training.main([*SIZES, str(other), "--reduction", reduction])
    assert not other.exists()


def test_the_stored_record_reaches_ten_million_neurons() -> None:
    record = load_sharding_record()
    assert record.widths == [10**4, 10**5, 10**6, 10**7]
    assert record.settings["workers"] == "dask"
    assert {"versions", "processor", "cores"} <= set(record.environment)
    # A worker holds at least the numbers that the model counts, and the machine was not filled.
    for row in record.rows:
        assert min(row["seconds"]) > 0.0
        held = sum(one["resident"] for one in row["workers"])
        assert held > row["shards"] * record.model(row["m"], row["shards"]).memory
        assert sum(one["peak"] for one in row["workers"]) < 10 * 2**30

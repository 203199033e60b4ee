"""The benchmarks of the library: measured, stored, judged, and laid out in tables.

`run` measures sections of a benchmark and `load_results` reads what was stored; `section_tables`
and `target_table` show it.  The commands ``sublinear bench halfspace`` and ``sublinear bench
training`` do all of it.  No result of the paper depends on this room, and no other room but the
command imports it.  Before changing it, know that importing it must stay cheap: other packages are
imported when a run asks for them.
"""

from __future__ import annotations

from benchmarks.growth import REGIMES
from benchmarks.inventory import inventory_table
from benchmarks.judging import TARGETS, judge, load_reasons, reason_for
from benchmarks.layouts import (
    growth_curves,
    iteration_table,
    missed_curves,
    recall_panels,
    section_tables,
)
from benchmarks.queries import InexactAnswer
from benchmarks.records import (
    fuzz_tables,
    load_fuzz_record,
    load_mutation_record,
    load_planting_record,
    planting_table,
)
from benchmarks.registry import BENCHMARKS, run
from benchmarks.results import (
    Results,
    environment,
    load_results,
    merged,
    results_path,
    write_results,
)
from benchmarks.settings import Section, Settings
from benchmarks.sharding_record import ShardingRecord, load_sharding_record
from benchmarks.simhash import SimHash
from benchmarks.tables import (
    Table,
    dates_table,
    machine_table,
    missed_table,
    ratio_curves,
    ratio_table,
    target_table,
)
from benchmarks.targets import Verdict

__all__ = [
    "BENCHMARKS",
    "REGIMES",
    "TARGETS",
    "InexactAnswer",
    "Results",
    "Section",
    "Settings",
    "ShardingRecord",
    "SimHash",
    "Table",
    "Verdict",
    "dates_table",
    "environment",
    "fuzz_tables",
    "growth_curves",
    "inventory_table",
    "iteration_table",
    "judge",
    "load_fuzz_record",
    "load_mutation_record",
    "load_planting_record",
    "load_reasons",
    "load_results",
    "load_sharding_record",
    "machine_table",
    "merged",
    "missed_curves",
    "missed_table",
    "planting_table",
    "ratio_curves",
    "ratio_table",
    "reason_for",
    "recall_panels",
    "results_path",
    "run",
    "section_tables",
    "target_table",
    "write_results",
]

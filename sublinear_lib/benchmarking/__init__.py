"""The benchmarks of the library: measured, stored, judged, and laid out in tables.

`run` measures sections of a benchmark and `load_results` reads what was stored; `section_tables`
and `target_table` show it.  The commands ``sublinear bench halfspace`` and ``sublinear bench
training`` do all of it.  No result of the paper depends on this room, and no other room but the
command imports it.  Before changing it, know that importing it must stay cheap: other packages are
imported when a run asks for them.
"""

from __future__ import annotations

from sublinear_lib.benchmarking.fuzz_record import fuzz_tables, load_fuzz_record
from sublinear_lib.benchmarking.growth import REGIMES
from sublinear_lib.benchmarking.history import History, load_history
from sublinear_lib.benchmarking.history_tables import (
    history_curves,
    history_table,
    left_out_table,
    noise_table,
)
from sublinear_lib.benchmarking.inventory import inventory_table
from sublinear_lib.benchmarking.judging import SOURCE, TARGETS, judge, load_reasons, reason_for
from sublinear_lib.benchmarking.layouts import section_tables
from sublinear_lib.benchmarking.layouts_halfspace import recall_panels
from sublinear_lib.benchmarking.layouts_training import (
    growth_curves,
    iteration_table,
    missed_curves,
)
from sublinear_lib.benchmarking.mutation_record import (
    load_mutation_record,
    load_planting_record,
    mutation_tables,
    planting_table,
)
from sublinear_lib.benchmarking.queries import InexactAnswer
from sublinear_lib.benchmarking.registry import BENCHMARKS, Benchmark, run
from sublinear_lib.benchmarking.results import (
    Results,
    environment,
    has_avx512,
    load_results,
    merged,
    results_path,
    write_results,
)
from sublinear_lib.benchmarking.settings import Section, Settings
from sublinear_lib.benchmarking.sharding_record import ShardingRecord, load_sharding_record
from sublinear_lib.benchmarking.simhash import SimHash
from sublinear_lib.benchmarking.tables import (
    NAMES,
    Table,
    dates_table,
    machine_table,
    missed_table,
    ratio_curves,
    ratio_table,
    target_table,
)
from sublinear_lib.benchmarking.targets import Target, Verdict

__all__ = [
    "BENCHMARKS",
    "NAMES",
    "REGIMES",
    "SOURCE",
    "TARGETS",
    "Benchmark",
    "History",
    "InexactAnswer",
    "Results",
    "Section",
    "Settings",
    "ShardingRecord",
    "SimHash",
    "Table",
    "Target",
    "Verdict",
    "dates_table",
    "environment",
    "fuzz_tables",
    "growth_curves",
    "has_avx512",
    "history_curves",
    "history_table",
    "inventory_table",
    "iteration_table",
    "judge",
    "left_out_table",
    "load_fuzz_record",
    "load_history",
    "load_mutation_record",
    "load_planting_record",
    "load_reasons",
    "load_results",
    "load_sharding_record",
    "machine_table",
    "merged",
    "missed_curves",
    "missed_table",
    "mutation_tables",
    "noise_table",
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

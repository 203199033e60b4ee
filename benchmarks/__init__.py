"""The benchmarks of the library: measured, stored, judged, and laid out in tables.

No result of the paper depends on this room, and no other room but the command imports it.  Before
changing it, know that importing it must stay cheap: peers are imported when a run asks for them.
"""

from __future__ import annotations

from benchmarks.inventory import dates_table, inventory_table, machine_table
from benchmarks.layouts import (
    growth_curves,
    iteration_table,
    missed_curves,
    ratio_curves,
    recall_panels,
    section_tables,
)
from benchmarks.records import (
    fuzz_tables,
    load_fuzz_record,
    load_mutation_record,
    load_planting_record,
    load_sharding_record,
    planting_table,
)
from benchmarks.registry import run
from benchmarks.results import (
    Results,
    environment,
    load_results,
    merged,
    results_path,
    write_results,
)
from benchmarks.simhash import SimHash
from benchmarks.targets import load_reasons, missed_table, target_table

__all__ = [
    "Results",
    "SimHash",
    "dates_table",
    "environment",
    "fuzz_tables",
    "growth_curves",
    "inventory_table",
    "iteration_table",
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
    "recall_panels",
    "results_path",
    "run",
    "section_tables",
    "target_table",
    "write_results",
]

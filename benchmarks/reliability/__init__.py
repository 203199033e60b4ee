"""How far the library can be relied on: long campaigns and their record.

Nothing but ``python -m benchmarks.reliability``, the page *Measurements* and the tests imports this
package: it pulls in most of the library.
"""

from __future__ import annotations

from benchmarks.reliability.brackets import trial
from benchmarks.reliability.damaging import KINDS, damage
from benchmarks.reliability.interrupting import COMMANDS
from benchmarks.reliability.killing import kills
from benchmarks.reliability.record import (
    CAMPAIGNS,
    histories,
    load_reliability,
    merged_records,
    new_record,
    queries,
    run_campaign,
    store_reliability,
    total,
)
from benchmarks.reliability.tables import (
    largest_rate,
    notebook_table,
    part_table,
    rate_table,
    where_table,
)

__all__ = [
    "CAMPAIGNS",
    "COMMANDS",
    "KINDS",
    "damage",
    "histories",
    "kills",
    "largest_rate",
    "load_reliability",
    "merged_records",
    "new_record",
    "notebook_table",
    "part_table",
    "queries",
    "rate_table",
    "run_campaign",
    "store_reliability",
    "total",
    "trial",
    "where_table",
]

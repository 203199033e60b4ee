"""How far the library can be relied on: long campaigns, their record, and bad inputs.

``python -m benchmarks.reliability`` runs the campaigns and stores what they find; the page
*Reliability* of the book shows it.  `BAD_INPUTS` is the table of what must be refused, and
`refusals` gives every entry of it.  Before changing it, know that nothing but that script, the page
and the tests imports this package: it pulls in most of the library.
"""

from __future__ import annotations

from benchmarks.reliability.bad_calls import BAD_INPUTS, GOOD_CALLS, BadInput
from benchmarks.reliability.bad_inputs import Refusal, refusal, refusals
from benchmarks.reliability.brackets import soundness, trial
from benchmarks.reliability.damaging import KINDS, damage, hurt
from benchmarks.reliability.index_trials import histories, queries
from benchmarks.reliability.interrupting import COMMANDS, interrupts
from benchmarks.reliability.killing import SEARCHES, kills
from benchmarks.reliability.record import (
    CAMPAIGNS,
    SCHEMA,
    Campaign,
    load_reliability,
    merged_records,
    new_record,
    run_campaign,
    store_reliability,
    total,
)
from benchmarks.reliability.tables import (
    CONFIDENCE,
    bad_input_tables,
    largest_rate,
    notebook_table,
    part_table,
    rate_table,
    where_table,
)

__all__ = [
    "BAD_INPUTS",
    "CAMPAIGNS",
    "COMMANDS",
    "CONFIDENCE",
    "GOOD_CALLS",
    "KINDS",
    "SCHEMA",
    "SEARCHES",
    "BadInput",
    "Campaign",
    "Refusal",
    "bad_input_tables",
    "damage",
    "histories",
    "hurt",
    "interrupts",
    "kills",
    "largest_rate",
    "load_reliability",
    "merged_records",
    "new_record",
    "notebook_table",
    "part_table",
    "queries",
    "rate_table",
    "refusal",
    "refusals",
    "run_campaign",
    "soundness",
    "store_reliability",
    "total",
    "trial",
    "where_table",
]

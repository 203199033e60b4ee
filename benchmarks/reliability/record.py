"""The record of the long campaigns: what was run, in which pieces, where, and what it found.

Each chunk of a campaign draws its randomness from its own number and is stored as soon as it is
done.  Its counts are the same whenever it is run again with the same versions, but for those that
depend on moments.  Before changing the format, raise `SCHEMA`.
"""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import benchmarks
from benchmarks.records import read_record
from benchmarks.reliability.brackets import soundness
from benchmarks.reliability.damaging import KINDS, damage
from benchmarks.reliability.interrupting import COMMANDS, interrupts
from benchmarks.reliability.killing import SEARCHES, kills
from benchmarks.settings import Row
from sublinear_lib import archives
from sublinear_lib.halfspace.kernels import numba_allowed

SCHEMA = 1

_FILE = "reliability.json"

LIVES = 5

_ROOT = Path(__file__).resolve().parents[2]
_ENGINES = ("scan", "cap", "tree", "auto")


def queries(chunk: int, size: int, folder: Path) -> Row:
    """Ask every structure for half-spaces, and compare each answer with real arithmetic."""
    found = _fuzz(folder, "--seed", chunk, "--queries", size)
    for number, words in (("0", "without a point"), ("1", "with one point")):
        found[f"cases {words}"] = found.pop(f"cases of {number} points", 0)
    parts = found.get("by_structure", {})
    return {
        **{name: value for name, value in found.items() if name not in ("steps", "operations")},
        "by_structure": {name: part["queries"] for name, part in sorted(parts.items())},
    }


def histories(chunk: int, size: int, folder: Path) -> Row:
    """Let a few indices live long, and compare every answer with real arithmetic."""
    steps = size // LIVES
    kernels = ("numba", "numpy") if numba_allowed() else ("numpy",)
    index = f"{_ENGINES[chunk % 4]}/{kernels[chunk // 4 % len(kernels)]}"
    found = _fuzz(folder, "--seed", chunk, "--only", index, "--lives", LIVES, "--steps", steps)
    kept = ("steps", "queries", "pairs", "ties", "mismatches", "operations", "findings")
    return {
        "index": index,
        "lives": LIVES,
        "longest": steps,
        **{name: found[name] for name in kept if name in found},
    }


def _fuzz(folder: Path, *options: object) -> dict[str, Any]:
    """Return what a run of the fuzz has stored, or the finding that ended it."""
    record = folder / "record.json"
    command = (sys.executable, "-m", "tests.halfspace.fuzz", *options, "--json", record)
    run = subprocess.run([*map(str, command)], cwd=_ROOT, capture_output=True, text=True)
    if run.returncode:
        return {"mismatches": 1, "findings": [run.stderr[-5000:]]}
    found = json.loads(record.read_text(encoding="utf-8"))
    about_the_run = ("date", "versions", "seed", "seconds")
    return {**{k: v for k, v in found.items() if k not in about_the_run}, "findings": []}


@dataclass(frozen=True)
class Campaign:
    """A campaign, cut into chunks: `run` does one of a size, in an empty folder."""

    name: str
    question: str
    chunks: int
    size: int
    run: Callable[[int, int, Path], Row]


CAMPAIGNS: Mapping[str, Campaign] = {
    campaign.name: campaign
    for campaign in (
        Campaign(
            "queries",
            "Is the answer of every index structure the set of real arithmetic?",
            10,
            10**5,
            queries,
        ),
        Campaign("histories", "Does an index that lives long stay exact?", 8, 12_500, histories),
        Campaign(
            "kills",
            "Does a training run that is killed again and again end with the same weights?",
            len(SEARCHES),
            25,
            kills,
        ),
        Campaign("soundness", "Is no certified bound on the wrong side?", 20, 50, soundness),
        Campaign(
            "damage",
            "Is a damaged file refused by name, and never read as something else?",
            len(KINDS),
            1000,
            damage,
        ),
        Campaign(
            "interrupts",
            "Does Ctrl-C at any moment end a command with a word, status 130, and nothing lost?",
            len(COMMANDS),
            5,
            interrupts,
        ),
    )
}


def new_record() -> dict[str, Any]:
    """Return a record without campaigns."""
    return {"schema": SCHEMA, "campaigns": {}}


def run_campaign(
    record: dict[str, Any],
    name: str,
    *,
    size: int | None = None,
    chunks: Iterable[int] | None = None,
    done: Callable[[dict[str, Any]], object] = lambda record: None,
) -> dict[str, Any]:
    """Run the chunks of a campaign that a record does not hold yet."""
    campaign = CAMPAIGNS[name]
    amount = campaign.size if size is None else size
    held = record["campaigns"].setdefault(
        name, {"question": campaign.question, "size": amount, "chunks": {}}
    )
    if held["size"] != amount:
        raise ValueError(f"size must be that of the chunks held, {held['size']}, got {amount}")
    for chunk in range(campaign.chunks) if chunks is None else chunks:
        if str(chunk) in held["chunks"]:
            continue
        begun = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            row = campaign.run(chunk, amount, Path(folder))
        held["chunks"][str(chunk)] = {
            "date": str(datetime.datetime.now(datetime.UTC).date()),
            "seconds": round(time.monotonic() - begun, 1),
            "found": row,
        }
        held["environment"] = benchmarks.environment()
        done(record)
    return record


def total(held: Mapping[str, Any]) -> dict[str, Any]:
    """Add up the chunks of a campaign."""
    found: dict[str, Any] = {}
    for chunk in held["chunks"].values():
        for name, value in chunk["found"].items():
            if isinstance(value, bool):
                found[name] = found.get(name, True) and value
            elif isinstance(value, int | float | list):
                found[name] = found[name] + value if name in found else value
            elif isinstance(value, Mapping):
                inner = found.setdefault(name, {})
                inner.update({key: inner.get(key, 0) + part for key, part in value.items()})
    return found


def numbers_last(key: str) -> tuple[int, str]:
    """Return what sorts keys of a record: words by the alphabet, then numbers by their size."""
    return (len(key), key) if key.isdigit() else (0, key)


def merged_records(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Put the chunks of two records into one."""
    both = new_record()
    for record in (old, new):
        for name, held in record["campaigns"].items():
            before = both["campaigns"].get(name, {"chunks": {}})
            chunks = {**before["chunks"], **held["chunks"]}
            ordered = sorted(chunks, key=numbers_last)
            both["campaigns"][name] = {**held, "chunks": {key: chunks[key] for key in ordered}}
    return both


def load_reliability(path: str | Path | None = None) -> dict[str, Any]:
    """Read the record."""
    what = "a record of reliability"
    record = read_record(path, _FILE, what, {"campaigns"}, SCHEMA)
    if not isinstance(record["campaigns"], Mapping):
        raise ValueError(f"path must name {what} of schema {SCHEMA}, got {path}")
    return record


def store_reliability(record: Mapping[str, Any], path: str | Path) -> None:
    """Write the record in one piece."""
    archives.write_bytes(path, (json.dumps(record, indent=1) + "\n").encode())

"""Ctrl-C at any moment: commands that are interrupted, and what they leave behind.

A command is started as a user would start it, and gets SIGINT at a random moment between its first
instruction and long after its work has begun.  It has to end with status 130 and the word
"interrupted", without a traceback, and everything that it has stored by then must be whole.  The
sweep raises the interrupt, as a function does; what counts is its folder of results.  What the
interpreter says before any line of this library runs is counted apart.
"""

from __future__ import annotations

import json
import pickletools
import random
import re
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import benchmarks
import sublinear_lib
from benchmarks.settings import Row
from sublinear_lib import archives, caching, claims
from sublinear_lib.claims.storing import load_evidence
from sublinear_lib.network import TwoLayerNetwork

_WORD = "interrupted"
_STATUS = 130


@dataclass(frozen=True)
class Command:
    """A command that is interrupted.

    - ``arguments``: What stands after ``python``, for a folder.
    - ``whole``: A sentence for everything in the folder that is not whole.
    - ``end``: A pattern that is in the output of a command which has come to its end: an interrupt
      that arrives when all is said meets Python's own tidying up.
    - ``raises``: Whether the interrupt is raised again, as a function of the library does.
    """

    name: str
    arguments: Callable[[Path], list[str]]
    whole: Callable[[Path], list[str]]
    end: str = ""
    raises: bool = False


def _train(folder: Path) -> list[str]:
    options = ["--data", "circle-8", "--m", "256", "--activity", "0.1", "--certify", "0"]
    options += ["--steps", "1000000", "--quiet"]
    return ["-m", "sublinear_lib", "train", *options, "--out", str(folder / "run")]


def _whole_run(folder: Path) -> list[str]:
    run = folder / "run"
    wrong = _unreadable(run, {"settings.json": _json, "summary.json": _json})
    wrong += _unreadable(run, {"network.npz": TwoLayerNetwork.load, "checkpoint.npz": _archive})
    if (run / "summary.json").exists():
        steps = _json(run / "summary.json")["steps"]
        rows = (run / "history.csv").read_text(encoding="utf-8").splitlines()
        if len(rows) != steps + 1:
            wrong.append(f"history.csv has {len(rows)} lines for {steps} steps")
    return wrong


def _verify(folder: Path) -> list[str]:
    names = [claim.id for claim in claims.LEDGER][:40]
    stored = ["--cache", str(folder / "found"), "--json", str(folder / "found.json")]
    return ["-m", "sublinear_lib", "verify", *names, "--quiet", *stored]


def _whole_verification(folder: Path) -> list[str]:
    return [
        *_unreadable(folder, {"found.json": load_evidence}),
        *_unreadable_cache(folder / "found"),
    ]


def _bench(folder: Path) -> list[str]:
    options = ["--quick", "--no-peers", "--output", str(folder / "times.json")]
    return ["-m", "sublinear_lib", "bench", "halfspace", *options]


def _whole_measurements(folder: Path) -> list[str]:
    return _unreadable(folder, {"times.json": lambda path: benchmarks.load_results(path=path)})


_SWEEP = """
import sys, time
import joblib
from sublinear_lib.statistics import sweep

def cell(m, rng):
    time.sleep(0.02)
    return {"z": rng.random(), "m": m}

kept = joblib.Memory(sys.argv[1], verbose=0).cache(cell)
sweep(kept, {"m": range(1, 2000)}, 1, root_seed=0, progress=False)
"""


def _sweep(folder: Path) -> list[str]:
    return ["-c", _SWEEP, str(folder / "found")]


def _whole_sweep(folder: Path) -> list[str]:
    """Walk through what joblib has pickled, without carrying it out."""
    return [
        wrong
        for path in (folder / "found").rglob("output.pkl")
        for wrong in _unreadable(path.parent, {path.name: _pickled})
    ]


def _pickled(path: Path) -> object:
    return list(pickletools.genops(path.read_bytes()))


COMMANDS: Mapping[str, Command] = {
    command.name: command
    for command in (
        Command("train", _train, _whole_run, end=r"after the last step"),
        Command("verify", _verify, _whole_verification, end=r"(?m)^\d+ checked"),
        Command("bench", _bench, _whole_measurements, end=r"(?m)^stored in"),
        Command("sweep", _sweep, _whole_sweep, raises=True),
    )
}
"""What is interrupted, by name."""


def _json(path: Path) -> Row:
    found: Row = json.loads(path.read_text(encoding="utf-8"))
    return found


def _archive(path: Path) -> object:
    with open(path, "rb") as file:
        return archives.read_arrays(file, ValueError)


def _unreadable(folder: Path, readers: Mapping[str, Callable[[Path], object]]) -> list[str]:
    wrong = []
    for name, read in readers.items():
        path = folder / name
        if path.exists():
            try:
                read(path)
            except Exception as error:
                wrong.append(f"{name}: {type(error).__name__}: {error}")
    return wrong


def _unreadable_cache(folder: Path) -> list[str]:
    if not folder.exists():
        return []
    cache = caching.ResultCache(folder)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for path in folder.rglob("*.json"):
            if not path.name.startswith("."):
                cache.get(path.stem)
    return [str(item.message) for item in seen]


def interrupts(chunk: int, size: int, folder: Path) -> Row:
    """Interrupt a command at random moments."""
    command = list(COMMANDS.values())[chunk % len(COMMANDS)]
    moments = random.Random(chunk)
    begun = time.monotonic()
    subprocess.run(_process("-m", "sublinear_lib", "--version"), check=True, capture_output=True)
    loading = time.monotonic() - begun
    counts: Counter[str] = Counter()
    findings: list[str] = []
    for number in range(size):
        own = folder / str(number)
        own.mkdir()
        outcome, said = _interrupted(command, own, moments.uniform(0.0, 2.0) * loading)
        counts[outcome] += 1
        wrong = command.whole(own)
        if outcome == "another end":
            wrong.append(said)
        findings += [f"interrupt {number}: {text}" for text in wrong]
    return {
        "command": command.name,
        "interrupts": size,
        "outcomes": dict(sorted(counts.items())),
        "findings": findings,
    }


def _process(*arguments: str) -> list[str]:
    # Whoever starts this in the background has it ignore Ctrl-C, and children inherit that.
    restore = "import signal, os, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    return [sys.executable, "-c", f"{restore}os.execv(sys.executable, sys.argv[1:])",
            sys.executable, *arguments]  # fmt: skip


def _interrupted(command: Command, folder: Path, seconds: float) -> tuple[str, str]:
    """Start a command, interrupt it, and say what came of it."""
    root = Path(sublinear_lib.__file__).parents[1]
    process = subprocess.Popen(
        _process(*command.arguments(folder)),
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    arrived = False
    try:
        output, messages = process.communicate(timeout=max(seconds, 0.01))
    except subprocess.TimeoutExpired:
        arrived = True
        process.send_signal(signal.SIGINT)
        output, messages = process.communicate(timeout=600)
    status = process.returncode
    if arrived and command.raises and status in (_STATUS, -signal.SIGINT):
        return "interrupted", ""
    if arrived and not command.raises:
        if status == _STATUS and _WORD in messages and "Traceback" not in messages:
            return "interrupted", ""
        if status in (1, -signal.SIGINT) and not output and "sublinear_lib" not in messages:
            return "before the first line of the library", ""
    if (status == 0 and not arrived) or _at_its_end(command, status, output):
        return "ended before", ""
    return "another end", f"status {status}: {messages[-1000:]}{output[-1000:]}"


def _at_its_end(command: Command, status: int, output: str) -> bool:
    """Whether a command had said all that it had to say."""
    # Status 1 of a verification means that a verdict is another one than recorded.
    return status in (0, 1) and bool(command.end) and bool(re.search(command.end, output))

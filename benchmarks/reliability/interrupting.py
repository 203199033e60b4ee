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
    """A command that is interrupted, and what reads each file that it leaves in a folder.

    Its output has `end` where it has come to its end: an interrupt that arrives when all is said
    meets Python's own tidying up.  A function of the library `raises` the interrupt again.
    """

    name: str
    arguments: Callable[[Path], list[str]]
    readers: Mapping[str, Callable[[Path], object]]
    end: str = ""
    raises: bool = False

    def whole(self, folder: Path) -> list[str]:
        """Return a sentence for everything in the folder that is not whole."""
        wrong = []
        for name, read in self.readers.items():
            try:
                if (folder / name).exists():
                    read(folder / name)
            except Exception as error:
                wrong.append(f"{name}: {type(error).__name__}: {error}")
        return wrong


def _train(folder: Path) -> list[str]:
    options = ["--data", "circle-8", "--m", "256", "--activity", "0.1", "--certify", "0"]
    options += ["--steps", "1000000", "--quiet"]
    return ["-m", "sublinear_lib", "train", *options, "--out", str(folder / "run")]


def _verify(folder: Path) -> list[str]:
    names = [claim.id for claim in claims.LEDGER][:40]
    stored = ["--cache", str(folder / "found"), "--json", str(folder / "found.json")]
    return ["-m", "sublinear_lib", "verify", *names, "--quiet", *stored]


def _bench(folder: Path) -> list[str]:
    options = ["--quick", "--no-peers", "--output", str(folder / "times.json")]
    return ["-m", "sublinear_lib", "bench", "halfspace", *options]


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


def _json(path: Path) -> Row:
    found: Row = json.loads(path.read_text(encoding="utf-8"))
    return found


def _summary(path: Path) -> None:
    steps = _json(path)["steps"]
    lines = path.with_name("history.csv").read_text(encoding="utf-8").splitlines()
    if len(lines) != steps + 1:
        raise ValueError(f"history.csv has {len(lines)} lines for {steps} steps")


def _archive(path: Path) -> object:
    with open(path, "rb") as file:
        return archives.read_arrays(file, ValueError)


def _cache(folder: Path) -> None:
    cache = caching.ResultCache(folder)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for path in folder.rglob("*.json"):
            if not path.name.startswith("."):
                cache.get(path.stem)
    if seen:
        raise ValueError("; ".join(str(item.message) for item in seen))


def _pickles(folder: Path) -> None:
    """Walk through what joblib has pickled, without carrying it out."""
    for path in folder.rglob("output.pkl"):
        list(pickletools.genops(path.read_bytes()))


COMMANDS: Mapping[str, Command] = {
    command.name: command
    for command in (
        Command(
            "train",
            _train,
            {
                "run/settings.json": _json,
                "run/summary.json": _summary,
                "run/network.npz": TwoLayerNetwork.load,
                "run/checkpoint.npz": _archive,
            },
            end=r"after the last step",
        ),
        Command(
            "verify",
            _verify,
            {"found.json": load_evidence, "found": _cache},
            end=r"(?m)^\d+ checked",
        ),
        Command(
            "bench",
            _bench,
            {"times.json": lambda path: benchmarks.load_results(path=path)},
            end=r"(?m)^stored in",
        ),
        Command(
            "sweep",
            lambda folder: ["-c", _SWEEP, str(folder / "found")],
            {"found": _pickles},
            raises=True,
        ),
    )
}


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
    # Status 1 of a verification means that a verdict is another one than recorded.
    at_its_end = status in (0, 1) and command.end and re.search(command.end, output)
    if (status == 0 and not arrived) or at_its_end:
        return "ended before", ""
    return "another end", f"status {status}: {messages[-1000:]}{output[-1000:]}"

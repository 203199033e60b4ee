"""Write the history of the benchmarks: key ratios at every commit that measured them.

Git's log of ``benchmarks/results`` is the history; this tool reads every stored version of the
files of ``sublinear bench`` and keeps what matters in ``benchmarks/history.json``, for readers of
an archive or a shallow clone.
After a run of ``sublinear bench``, call it before the commit: the new results become an entry
without a commit, and the next call, after the commit, gives it its name.

usage: python tools/bench_history.py [--check] [--file FILE]

``--check`` writes nothing, and ends with 1 if the file is not what the log gives.  Entries of
commits that this clone does not have are kept as they are, and so are those of the files that the
benchmarks were stored in before they had their present names.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import BENCHMARKS  # noqa: E402
from benchmarks.history import (  # noqa: E402
    Entry,
    History,
    LeftOut,
    Sections,
    entry_of,
    history_path,
    load_history,
    write_history,
)

RESULTS = "benchmarks/results"
FILES = tuple(f"{RESULTS}/{name}.json" for name in BENCHMARKS)
_SEPARATOR = "\x1f"


def git(*arguments: str) -> str:
    """Return what a git command prints."""
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        reason = getattr(error, "stderr", "") or str(error)
        raise RuntimeError(f"git {arguments[0]} failed: {reason.strip()}") from error
    return done.stdout


def stored_versions() -> Iterator[tuple[str, str, str, str, str]]:
    """Yield file, commit, date, subject and text of every stored version, the oldest first.

    The log is that of the first parents and of what they merged; a merge that only brings a
    version from one side to the other is not listed by git.
    """
    listing = _SEPARATOR.join(("%H", "%cI", "%s"))
    found = []
    for file in FILES:
        log = git("log", "--follow", "--reverse", f"--format={listing}", "--", file)
        for line in log.splitlines():
            commit, date, subject = line.split(_SEPARATOR)
            # --follow also lists what a file was renamed from; here names are looked up as such
            if git("ls-tree", commit, "--", file):
                found.append((date, file, commit, subject))
    for date, file, commit, subject in sorted(found, key=lambda each: (_when(each[0]), each[1])):
        yield file, commit, date, subject, git("show", f"{commit}:{file}")


def _when(date: str) -> datetime:
    """Return the moment of a date with its time zone; without a date, before all others."""
    return datetime.fromisoformat(date) if date else datetime.min.replace(tzinfo=UTC)


def from_git() -> tuple[History, list[tuple[Entry, Sections]]]:
    """Return the history that git's log gives, and the rows behind its entries."""
    measured: list[tuple[Entry, Sections]] = []
    left_out = []
    for file, commit, date, subject, text in stored_versions():
        try:
            entry = entry_of(
                file, json.loads(text), measured, commit=commit, date=date, subject=subject
            )
        except ValueError as error:
            left_out.append(LeftOut(file, commit, date, str(error)))
        else:
            measured.append(entry)
    return History(tuple(entry for entry, _ in measured), tuple(left_out)), measured


def with_working_tree(history: History, measured: Sequence[tuple[Entry, Sections]]) -> History:
    """Return the history with what lies in the working tree and is not committed."""
    entries = list(history.entries)
    for name in BENCHMARKS:
        file = f"{RESULTS}/{name}.json"
        if not git("status", "--porcelain", "--", file).strip():
            continue
        data = json.loads((ROOT / file).read_text(encoding="utf-8"))
        try:
            entry, _ = entry_of(file, data, measured)
        except ValueError:
            continue
        entries.append(entry)
    return History(tuple(entries), history.left_out)


def with_unknown(history: History, old: History) -> History:
    """Return the history with the old entries of commits that this clone does not have."""
    known = {each.commit for each in (*history.entries, *history.left_out)}
    kept = [each for each in old.entries if each.commit and each.commit not in known]
    kept_out = [each for each in old.left_out if each.commit not in known]
    return History(
        tuple(
            sorted([*kept, *history.entries], key=lambda each: (not each.commit, _when(each.date)))
        ),
        tuple(sorted([*kept_out, *history.left_out], key=lambda each: _when(each.date))),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the history; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only compare")
    parser.add_argument("--file", type=Path, default=history_path(), help="the stored history")
    given = parser.parse_args(arguments)
    try:
        found = with_working_tree(*from_git())
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 2
    old = load_history(given.file) if given.file.is_file() else History(())
    found = with_unknown(found, old)
    if given.check:
        if found != old:
            print(f"{given.file.name} is not what the log gives: run tools/bench_history.py")
            return 1
        return 0
    write_history(found, given.file)
    for entry in found.entries:
        print(
            f"{entry.name:13}  {entry.date[:10]}  {entry.benchmark:9}  {len(entry.ratios)} ratios"
        )
    for out in found.left_out:
        print(f"{out.commit[:7]:13}  {out.date[:10]}  left out {Path(out.file).name}: {out.reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

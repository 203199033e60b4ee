"""Check all proofs of ``proofs/`` from nothing with Rocq, and the axioms that each one rests on.

A source begins with a record, ``claims: ID ...`` and ``theorems: NAME ...``; one without serves
the others.  A theorem may rest on the axioms of ``allowed-axioms.txt`` and on nothing else.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from fnmatch import fnmatch
from pathlib import Path

PROOFS = Path(__file__).resolve().parents[1] / "proofs"
PACKAGES = "coq libcoq-coquelicot libcoq-interval"
_RECORD = re.compile(
    r"\A\(\* claims: (?P<claims>[^\n]+)\n\s+theorems: (?P<theorems>.+?)\n\n", re.DOTALL
)


def records(folder: Path = PROOFS) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return for each source with a record its claims and the names of its theorems."""
    found = {}
    for path in sorted(folder.glob("*.v")):
        if record := _RECORD.match(path.read_text(encoding="utf-8")):
            found[path.stem] = (tuple(record["claims"].split()), tuple(record["theorems"].split()))
    return found


def allowed(folder: Path = PROOFS) -> set[str]:
    """Return the axioms that a theorem may rest on, as patterns of file names."""
    lines = (folder / "allowed-axioms.txt").read_text(encoding="utf-8").splitlines()
    return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


def axioms(printed: str) -> set[str]:
    """Return the names of the axioms in what ``Print Assumptions`` printed."""
    return set(re.findall(r"^([A-Za-z_][\w.']*)(?=\s*:|\s*$)", printed, re.M))


def beyond(names: set[str], folder: Path = PROOFS) -> set[str]:
    """Return the axioms among `names` that no line of the list allows."""
    permitted = allowed(folder)
    return {name for name in names if not any(fnmatch(name, each) for each in permitted)}


def main() -> int:
    """Compile every source in a fresh folder, then compare the axioms of every theorem."""
    if not shutil.which("coqc"):
        print(f"The proofs are checked by Rocq, and coqc was not found: apt-get install {PACKAGES}")
        return 1
    begun, proofs, wrong = time.monotonic(), records(), 0
    with tempfile.TemporaryDirectory() as folder:
        for path in PROOFS.glob("*.v"):
            shutil.copy(path, folder)

        def rocq(*command: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

        sources = rocq("coqdep", "-sort", "-Q", ".", "", *(p.name for p in PROOFS.glob("*.v")))
        for source in sources.stdout.split():
            start = time.monotonic()
            done = rocq("coqc", "-q", "-w", "none", "-Q", ".", "", source)
            print(f"{Path(source).name:26} {time.monotonic() - start:6.1f} s", flush=True)
            if done.returncode:
                print(done.stdout + done.stderr)
                return 1
        # A tuple rests on what any of its members rests on, and is asked once for all of them.
        question = "".join(
            f"Require {stem}.\n"
            f"Definition of_{stem} := ({', '.join(f'{stem}.{name}' for name in names)}).\n"
            f"Print Assumptions of_{stem}.\n"
            for stem, (_, names) in proofs.items()
        )
        (Path(folder) / "Question.v").write_text(question)
        answer = rocq("coqc", "-q", "-w", "none", "-Q", ".", "", "Question.v")
    told = re.split(r"^(?:Axioms:|Closed under the global context)$", answer.stdout, flags=re.M)[1:]
    if answer.returncode or len(told) != len(proofs):
        print(answer.stdout + answer.stderr)
        return 1
    for (stem, (_, names)), each in zip(proofs.items(), told, strict=True):
        surplus = beyond(axioms(each))
        wrong += bool(surplus)
        print(f"{stem}: {', '.join(names)}")
        if surplus:
            print(f"  RESTS ON {', '.join(sorted(surplus))}")
    count = sum(len(names) for _, names in proofs.values())
    print(f"{count} theorems, {wrong} sources wrong, {time.monotonic() - begun:.0f} s")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

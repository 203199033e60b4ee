"""Install the library and what its tests need, at the oldest or the newest versions, or the pinned.

usage: python tools/install_versions.py {oldest,newest,pinned}

Oldest are the lower bounds of ``pyproject.toml``, newest is what the package index offers, pinned
what ``constraints.txt`` says; all goes into the Python that runs this.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = ("fast", "plot", "book", "test", "cluster")
# What is held at its lower bound: what the library computes, draws and shares work with.
HELD = ("fast", "plot", "cluster")
# A later pyparsing warns of what matplotlib 3.9 asks of it, and warnings are errors in the tests.
BESIDE = ("pyparsing<3.3",)

_BOUNDED = re.compile(r"([A-Za-z0-9_-]+)>=([0-9.]+)(?:,<[0-9.]+)?$")


def lower_bound(text: str) -> str:
    """Return the requirement that asks for the oldest version that a requirement allows."""
    found = _BOUNDED.match(text)
    if found is None:
        raise ValueError(f"a requirement must be a name and a lower bound, got {text!r}")
    return f"{found[1]}=={found[2]}"


def constraints(versions: str, project: dict[str, object]) -> list[str]:
    """Return the lines of the constraints that these versions mean."""
    if versions == "newest":
        return []
    if versions == "pinned":
        return (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    extras = project["optional-dependencies"]
    dependencies = project["dependencies"]
    assert isinstance(extras, dict) and isinstance(dependencies, list)
    held = [*dependencies, *(text for name in HELD for text in extras[name])]
    return [*map(lower_bound, held), *BESIDE]


def main(arguments: Sequence[str] | None = None) -> int:
    """Install, and return the exit code of pip."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("versions", choices=["oldest", "newest", "pinned"])
    chosen = parser.parse_args(arguments).versions
    with (ROOT / "pyproject.toml").open("rb") as file:
        content = tomllib.load(file)
    with tempfile.TemporaryDirectory() as scratch:
        held = Path(scratch) / "constraints.txt"
        held.write_text("\n".join(constraints(chosen, content["project"])) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "pip", "install", "-c", str(held), "-e"]
        command.append(f".[{','.join(EXTRAS)}]")
        # One of the tests builds the wheel with the Python that runs it.
        command += content["build-system"]["requires"]
        return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

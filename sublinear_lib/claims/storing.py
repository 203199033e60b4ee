"""Stored evidence: what a verification found, in a file that the book reads.

The ledger page, the graph and the boxes of the chapters show stored evidence, so a reader sees what
a full run found without waiting for one.  Each entry carries the *fingerprint* of its claim, a hash
of the statement and of the source of its check; `stale` compares it with the claim as it is now.
What a page says about a claim beyond its statement (title, plain words, remark) comes from the
claim itself and may be polished without a new run.  Before changing the format, raise `SCHEMA`; a
file of another schema is refused.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import itertools
import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from sublinear_lib import archives, validation
from sublinear_lib.claims.claim import Claim
from sublinear_lib.claims.evidence import UNREADABLE, Budget, Evidence, decoded, encoded
from sublinear_lib.claims.ledger import Ledger
from sublinear_lib.claims.verifying import Verification

__all__ = [
    "Stored",
    "evidence_path",
    "fingerprint",
    "merge",
    "save_evidence",
    "stale",
    "stored_evidence",
]

SCHEMA = 1
"""The version of the format."""


@dataclass(frozen=True)
class Stored:
    """Evidence together with the fingerprint of the claim that it was found for.

    Parameters
    ----------
    evidence : Evidence
        What was found.
    fingerprint : str
        That of the claim at the time.
    """

    evidence: Evidence
    fingerprint: str


def fingerprint(claim: Claim) -> str:
    """Return a hash of what a claim says and of how it is checked.

    Parameters
    ----------
    claim : Claim
        The statement.

    Returns
    -------
    str
        16 hexadecimal digits.

    Notes
    -----
    It covers the statement, what it repairs, and the source of the check together with whatever of
    the check's own module and of `sublinear_lib.claims.instruments` it uses, however indirectly:
    helpers, classes and constants.  What the check calls elsewhere is not covered; the tests of the
    ledger run the checks anew.
    """
    said = (claim.id, claim.statement, claim.repairs, *_sources(claim.check))
    return hashlib.sha256("\x00".join(said).encode()).hexdigest()[:16]


def _sources(check: Callable[..., Any]) -> list[str]:
    """Return the source of a check and of what it uses of its own module and of the instruments."""
    check = inspect.unwrap(check)
    text, own = textwrap.dedent(inspect.getsource(check)), inspect.getmodule(check)
    # The own module stands first, whatever its name.
    wanted = set() if own is None else {("", name) for name in _names(text)}
    seen: dict[tuple[str, str], str] = {}
    while wanted:
        place, name = wanted.pop()
        module = _source_of(own if own and not place else sys.modules[place])
        first, _, rest = name.partition(".")
        if first in (imported := _imports(module)):
            origin, item = imported[first]
            inner = f"{origin}.{item}"
            used_there = (inner, rest) if rest and inner in sys.modules else (origin, item)
            wanted |= {used_there} - seen.keys()
        elif (place, name) not in seen and name in (places := _definitions(module)):
            seen[place, name] = places[name]
            wanted |= {(place, used) for used in _names(places[name])}
    return [text, *(seen[key] for key in sorted(seen))]


@functools.lru_cache(maxsize=64)
def _source_of(module: ModuleType) -> str:
    return inspect.getsource(module)


@functools.lru_cache(maxsize=64)
def _imports(source: str) -> dict[str, tuple[str, str]]:
    """Return what a module takes from the instruments: by name, where it is and what it is."""
    package = "sublinear_lib.claims.instruments"
    return {
        item.asname or item.name: (node.module, item.name)
        for node in ast.parse(source).body
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(package)
        for item in node.names
    }


@functools.lru_cache(maxsize=64)
def _definitions(source: str) -> dict[str, str]:
    """Return the source of everything that a module defines at its top, by name."""
    lines = source.splitlines()
    found: dict[str, str] = {}
    for node in ast.parse(source).body:
        first = node.lineno
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
            first = min([first, *(item.lineno for item in node.decorator_list)])
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            parts = itertools.chain.from_iterable(map(ast.walk, targets))
            names = [item.id for item in parts if isinstance(item, ast.Name)]
        else:
            continue
        for name in names:
            found[name] = found.get(name, "") + "\n".join(lines[first - 1 : node.end_lineno])
    return found


@functools.lru_cache(maxsize=2048)
def _names(source: str) -> set[str]:
    """Return the names that occur in a piece of source, and their attributes."""
    nodes = list(ast.walk(ast.parse(source)))
    pairs = [(node.value, node.attr) for node in nodes if isinstance(node, ast.Attribute)]
    dotted = {f"{value.id}.{name}" for value, name in pairs if isinstance(value, ast.Name)}
    return dotted | {node.id for node in nodes if isinstance(node, ast.Name)}


def stale(ledger: Ledger, stored: Mapping[str, Stored]) -> tuple[str, ...]:
    """Return the claims whose stored evidence is missing, outdated or not what is on record.

    Parameters
    ----------
    ledger : Ledger
        The claims as they are now.
    stored : mapping of str to Stored
        What was found.

    Returns
    -------
    tuple of str
        Ids in reading order.
    """
    return tuple(
        claim.id
        for claim in ledger.checked()
        if claim.id not in stored
        or stored[claim.id].fingerprint != fingerprint(claim)
        or stored[claim.id].evidence.verdict is not claim.recorded
    )


def merge(old: Mapping[str, Stored], reports: Iterable[Verification]) -> dict[str, Stored]:
    """Put new evidence in the place of old.

    Parameters
    ----------
    old : mapping of str to Stored
        What was stored.
    reports : iterable of Verification
        What a run found; claims whose check raised keep their old evidence.

    Returns
    -------
    dict of str to Stored
        Both.
    """
    new = dict(old)
    for report in reports:
        if report.evidence is not None:
            new[report.claim.id] = Stored(report.evidence, fingerprint(report.claim))
    return new


def evidence_path(budget: Budget | str) -> Path:
    """Return the file in which the library keeps the evidence of a budget.

    Parameters
    ----------
    budget : Budget or str
        ``"quick"`` or ``"full"``.

    Returns
    -------
    Path
        A file of the package, which ``sublinear verify --store`` writes in a clone.

    Raises
    ------
    ValueError
        For another budget.

    Examples
    --------
    >>> evidence_path("full").name
    'full.json'
    """
    name = budget.value if isinstance(budget, Budget) else budget
    validation.choice(name, "budget", tuple(item.value for item in Budget))
    return Path(__file__).parent / "stored" / f"{name}.json"


def stored_evidence(budget: Budget | str = Budget.FULL) -> dict[str, Stored]:
    """Return the evidence that comes with the library.

    Parameters
    ----------
    budget : Budget or str, default "full"
        ``"quick"`` or ``"full"``.

    Returns
    -------
    dict of str to Stored
        By id; empty if none is stored.

    Raises
    ------
    OSError, ValueError
        If the file cannot be read or is damaged.
    """
    path = evidence_path(budget)
    return load_evidence(path) if path.exists() else {}


def save_evidence(path: str | os.PathLike[str], stored: Mapping[str, Stored]) -> None:
    """Write evidence, beside its place first, so that an interrupt leaves the old file or the new.

    Parameters
    ----------
    path : path
        The file.
    stored : mapping of str to Stored
        What to write.

    Raises
    ------
    OSError
        If the file cannot be written.
    TypeError, ValueError
        If a witness holds something that JSON has no form for, such as an array or NaN.
    """
    entries = {
        name: {"fingerprint": item.fingerprint, **encoded(item.evidence)}
        for name, item in sorted(stored.items())
    }
    document = {"schema": SCHEMA, "evidence": entries}
    text = json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False) + "\n"
    archives.write_bytes(path, text.encode())


def load_evidence(path: str | os.PathLike[str]) -> dict[str, Stored]:
    """Read evidence.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    dict of str to Stored
        By id.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is no file of evidence, or one of another schema.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            raise ValueError(f"schema must be {SCHEMA}, got {data['schema']!r}")
        return {
            name: Stored(decoded(name, entry), entry["fingerprint"])
            for name, entry in data["evidence"].items()
        }
    except (*UNREADABLE, RecursionError) as error:
        raise ValueError(f"{str(path)!r} is not a file of evidence: {error}") from error

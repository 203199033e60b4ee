"""A topic: the statements in its folder of Markdown, each with its check.

What a statement says stands in ``statements/<topic>/<id>.md``; how it is checked, in the module of
the topic in ``checks``.  A file begins with its front matter, one ``key: value`` a line, then come
the statement as printed and, under headings of level 2, the plain words, the remark and what would
have to be misread.  A line of the text is a line of the file.  The form is checked strictly: a key
or a heading that is not known here, a key that is missing or said twice, a file without a check or
a check without a file is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sublinear_lib.claims.claim import Check, Claim, Source
from sublinear_lib.claims.collector import Collector, Inspection, Rng, check_of
from sublinear_lib.claims.evidence import Budget, ProofStatus, Verdict

__all__ = ["Budget", "Collector", "Rng", "Topic", "read_statement"]

_NEEDED = {"title", "work", "place", "chapter"}
_LISTS = {"depends_on", "formal"}
# A restatement has these from what it restates.
_JUDGED = ("recorded", "status", "cause", "implemented_by")
_KEYS = {*_NEEDED, *_LISTS, *_JUDGED, "quoted", "restates", "repairs", "proof", "formal_part"}
_HEADINGS = {"In plain words": "plain", "Remark": "remark", "Misreading": "misreading"}
_DESPITE = "Despite "


class Topic:
    """The statements of one topic, to which its module gives their checks."""

    def __init__(self, name: str) -> None:
        self._folder = Path(__file__).parent / "statements" / name
        self._checks: dict[str, Check] = {}

    def check(self, name: str) -> Callable[[Inspection], Check]:
        """Make a function that looks at a statement its check."""

        def made(look_at: Inspection) -> Check:
            self._checks[name] = check_of(look_at)
            return self._checks[name]

        return made

    def claims(self) -> tuple[Claim, ...]:
        """Read the statements, in the order of their checks; what is printed again comes last."""
        read = {path.stem: read_statement(path) for path in sorted(self._folder.glob("*.md"))}
        again = {name: fields["restates"] for name, fields in read.items() if "restates" in fields}
        if astray := self._checks.keys() ^ (read.keys() - again.keys()):
            raise ValueError(
                f"{self._folder.name} must have a check for each statement that restates none and "
                f"a statement for each check, got one alone: {', '.join(sorted(astray))}"
            )
        for name, first in again.items():
            read[name] |= {key: read[first][key] for key in _JUDGED if key in read[first]}
        return tuple(
            Claim(id=name, check=self._checks[again.get(name, name)], **read[name])
            for name in (*self._checks, *again)
        )


def read_statement(path: Path) -> dict[str, Any]:
    """Read from a file what a statement says: the arguments of `Claim` but its id and check."""
    start, front, body = _parts(path.read_text(encoding="utf-8"))
    if start or not body:
        raise ValueError(f"{path.name} must begin with front matter between two lines of ---")
    try:
        return {**_front(front), **_body(body)}
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error


def _parts(text: str) -> tuple[str, str, str]:
    """Return what stands before, within and after the front matter."""
    start, _, rest = text.partition("---\n")
    front, _, body = rest.partition("\n---\n")
    return start, front, body


def _front(text: str) -> dict[str, Any]:
    """Read the front matter."""
    said: dict[str, str] = {}
    for line in text.splitlines():
        key, colon, value = line.partition(": ")
        if key not in _KEYS or not colon or not value.strip() or key in said:
            raise ValueError(f"a line must be a known key, once, with its value, got {line!r}")
        said[key] = value
    needed = _NEEDED if "restates" in said else _NEEDED | {"recorded"}
    surplus = said.keys() & _JUDGED if "restates" in said else set()
    if (needed - said.keys()) or surplus:
        raise ValueError(f"keys must be {sorted(needed)} and more, got {sorted(said)}")
    source = Source(said.pop("work"), said.pop("place"), _flag(said.pop("quoted", "no")))
    fields: dict[str, Any] = {**said, "source": source}
    fields |= {key: tuple(said[key].split(", ")) for key in _LISTS & said.keys()}
    if "recorded" in said:
        fields["recorded"] = Verdict(said["recorded"])
    if "status" in said:
        fields["status"] = ProofStatus(said["status"])
    return fields


def _flag(said: str) -> bool:
    """Return what a yes or a no says."""
    if said not in ("yes", "no"):
        raise ValueError(f"quoted must be yes or no, got {said!r}")
    return said == "yes"


def _body(text: str) -> Mapping[str, Any]:
    """Read the statement and what stands under its headings."""
    statement, *pairs = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    fields: dict[str, Any] = {"statement": statement.strip("\n"), "despite": {}}
    for heading, said in zip(pairs[::2], pairs[1::2], strict=True):
        if heading.startswith(_DESPITE):
            fields["despite"][heading.removeprefix(_DESPITE)] = said.strip("\n")
        elif _HEADINGS.get(heading, "statement") in fields:
            raise ValueError(f"a heading must be one of {list(_HEADINGS)}, once, got {heading!r}")
        else:
            fields[_HEADINGS[heading]] = said.strip("\n")
    if missing := [name for name in ("statement", "plain") if not fields.get(name)]:
        raise ValueError(f"{missing[0]} must be said, got nothing")
    return fields

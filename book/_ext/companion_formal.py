"""The statements that Rocq has checked, read from their sources: ``{formal} lem-a.5`` shows them.

The box shows a statement of the ledger beside the theorems of ``proofs/`` that say it, and below
them, folded, the words in which these are written.  In all sources a theorem that counts begins
with ``Theorem`` and ends before ``Proof.``, and a command with a full stop at the end of a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from sublinear_lib.claims import Claim, Verdict
from sublinear_lib.exhibits.names import name_of
from sublinear_lib.exhibits.shelf import default_shelf

PROOFS = Path(__file__).resolve().parents[2] / "proofs"
# A comment with the command below it, or a command alone.  Lemmas serve a proof and are not shown.
_COMMAND = re.compile(
    r"(?:^[ ]*\(\*(?:(?!\*\)).)*\*\)\n)?"
    r"^[ ]*(?P<kind>Theorem|Lemma|Definition|Fixpoint|Inductive|Variables?|Hypothes[ie]s|Section"
    r"|End)\s+\(?(?P<name>\w+).*?\.[ ]*(?:\(\*[^\n]*\*\))?$",
    re.MULTILINE | re.DOTALL,
)
_PROOF = re.compile(r"^[ ]*Proof\..*?(?:Qed|Defined)\.$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_DISPLAY = re.compile(r"\s*\$\$\s*(.*?)\s*\$\$\s*", re.DOTALL)
# A reconstruction in running text, where a formula has its own marks and is left alone.
_MARKED = re.compile(r"\$\$.*?\$\$|\$.*?\$|\\rec\{(?P<words>(?:[^{}$]|\$[^$]*\$)*)\}", re.DOTALL)
_ALWAYS = re.compile(r"Variable|Hypothes|Section|End")


@cache
def commands(file: str) -> tuple[tuple[str, str, str], ...]:
    """Return kind, name and text of the commands of a source, without proofs and its header."""
    source = (PROOFS / f"{file}.v").read_text(encoding="utf-8")
    found = _COMMAND.finditer(_PROOF.sub("", source))
    return tuple((each["kind"], each["name"], each.group().strip("\n")) for each in found)


def theorem(name: str) -> str:
    """Return a theorem as its source states it, such as ``"LemmaA5.lemma_a5_fails"``."""
    file, _, own = name.partition(".")
    for kind, each, text in commands(file):
        if (kind, each) == ("Theorem", own):
            return text
    raise ValueError(f"proofs/{file}.v must state {own} as a Theorem")


def setting(file: str, names: list[str]) -> str:
    """Return what the theorems of a source are written in, without what they do not use."""
    words = set(re.findall(r"\w+", " ".join(theorem(f"{file}.{name}") for name in names)))
    kept: list[tuple[str, str]] = []
    last = max(k for k, each in enumerate(commands(file)) if each[1] in names)
    # What is used stands above, so one way upwards finds it all.
    for kind, name, text in reversed(commands(file)[: last + 1]):
        if _ALWAYS.match(kind) or (kind not in ("Theorem", "Lemma") and name in words):
            words |= set(re.findall(r"\w+", _COMMENT.sub("", text)))
            kept.append((kind, text))
    # A section that has ended and defines nothing here only served proofs.
    shown: list[tuple[str, str]] = []
    for each in reversed(kept):
        shown.append(each)
        if each[0] == "End":
            start = max(k for k, (kind, _) in enumerate(shown) if kind == "Section")
            if all(_ALWAYS.match(kind) for kind, _ in shown[start:]):
                del shown[start:]
            else:
                shown[start] = ("", shown[start][1])  # its End is found
    return "\n".join(text for _, text in shown).replace("\nSection ", "\n\nSection ")


def _lines(claim: Claim) -> Iterator[str]:
    """Yield the box of a statement as MyST text."""
    files: dict[str, list[str]] = {}
    for each in claim.formal:
        file, _, name = each.partition(".")
        files.setdefault(file, []).append(name)
    row = f"{{ref}}`its row <statement-{claim.id}>`"
    yield f"**{name_of(claim.id)}** ({row}): {claim.recorded.value}"
    yield ""
    # A formula on a line of its own needs empty lines around it here.
    told = _MARKED.sub(lambda found: found["words"] or found.group(), claim.statement)
    yield from _DISPLAY.sub(r"\n\n$$\n\1\n$$\n\n", told).splitlines()
    yield ""
    whole = "that it fails" if claim.recorded is Verdict.FAILS else "all of it"
    badge = "**Checked in part:**" if claim.formal_part else "{bdg-success}`machine-checked`"
    names = " and ".join(f"`proofs/{file}.v`" for file in files)
    yield f"{badge} {claim.formal_part or whole}, in {names}."
    yield ""
    for file, names_here in files.items():
        yield "```{code-block} coq"
        for name in names_here:
            yield from ("", *theorem(f"{file}.{name}").splitlines())
        yield "```"
    for file, names_here in files.items():
        if context := setting(file, names_here):
            yield f"````{{dropdown}} The words and hypotheses of {file}.v"
            yield from ("```{code-block} coq", "", *context.splitlines(), "```", "````")


class Formal(SphinxDirective):
    """A statement beside what Rocq has checked of it; the argument is the id of the statement."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Read the sources, and let the parser of the page set the box."""
        claim = default_shelf().ledger[self.arguments[0]]
        box = nodes.container(classes=["sl-formal"])
        self.state.nested_parse(StringList([*_lines(claim)], "formal"), self.content_offset, box)
        for file in {each.partition(".")[0] for each in claim.formal}:
            self.env.note_dependency(str(PROOFS / f"{file}.v"))
        return [box]


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("formal", Formal)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""What a check found, in sentences: the one observation that decides, then all of them in a list.

A line that begins with "the same" means the line above it, and is completed here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape

from sublinear_lib.claims import Budget, Claim, Evidence, Observation, Outcome, Role, Verdict
from sublinear_lib.exhibits.markup import inline_html
from sublinear_lib.exhibits.names import name_of
from sublinear_lib.exhibits.shelf import code_of

_ROLES: Mapping[Role, str] = {
    Role.STATEMENT: "The statement",
    Role.PRINT: "The letters of the print",
    Role.PROOF: "Steps of the printed proof",
    Role.REPAIR: "What holds instead",
    Role.ASIDE: "Left to the full budget",
    Role.CONTROL: "The check itself, on cases with a known answer",
}
_AGAINST: Mapping[Verdict, str] = {
    Verdict.FAILS: "the statement",
    Verdict.TYPO: "the print",
    Verdict.GAP: "the printed proof",
}
# What the checks call two sets of powers, and what a reader knows them by.
_SETS = {"PRINTED": "printed powers", "ZHANG": "dense analysis"}
_NOT = {Outcome.NO: "It is not.", Outcome.OPEN: "It is open."}
_SAME = "the same"


def fold(title: str, inner: str) -> str:
    """Return something that opens on demand."""
    return f'<details class="sl-more"><summary>{title}</summary>{inner}</details>'


def evidence_html(evidence: Evidence) -> str:
    """Return what was found: a sentence, a list, a witness, and how to see it again."""
    subjects = dict(_subjects(evidence))
    # A control that came out wrong leaves the verdict open; one that did not is only counted.
    told = [
        item
        for item in evidence.observations
        if item.role is not Role.CONTROL or item.outcome is not Outcome.YES
    ]
    count, controls = len(told), len(evidence.observations) - len(told)
    lists = "".join(
        f"<p><strong>{title}</strong></p><ul>{rows}</ul>"
        for role, title in _ROLES.items()
        if (
            rows := "".join(
                f"<li>{_line(item, subjects[id(item)])}</li>" for item in told if item.role is role
            )
        )
    )
    title = f"All {count} observations" if count > 1 else "The observation"
    parts = [f"<p><strong>How we know.</strong> {_lead(evidence, subjects)}</p>"]
    parts.append(fold(title, f'<div class="sl-found">{lists}</div>'))
    if controls:
        cases = "1 case" if controls == 1 else f"{controls} cases"
        parts.append(f"<p>The check itself was right on {cases} with a known answer.</p>")
    if evidence.witness:
        label = f"Witness: {name_of(evidence.claim)}"
        parts.append(
            "<p><strong>Witness.</strong> With these numbers you can see it again.</p>"
            f'<pre tabindex="0" role="group" aria-label="{label}">{_witness(evidence)}</pre>'
        )
    return "".join([*parts, _again(evidence)])


def check_html(claim: Claim) -> str:
    """Return the code of the check of a statement, folded."""
    module, source = code_of(claim)
    label = f"Check of {name_of(claim.id)}"
    return fold(
        "The code of the check",
        f"<p>A function of <code>{module}</code>; what it compares with is in "
        "<code>sublinear_lib.theory</code> and below.</p>"
        f'<pre tabindex="0" role="group" aria-label="{label}">{escape(source, quote=False)}</pre>',
    )


def _subjects(evidence: Evidence) -> Iterator[tuple[int, str]]:
    """Yield what each observation looked at, so that it can be read without the one before it."""
    last = ""
    for item in evidence.observations:
        told = item.what
        for name, words in _SETS.items():
            told = told.replace(name, words)
        if told.startswith(_SAME) and last:
            told = f"{_SAME} ({last}){told.removeprefix(_SAME)}"
        else:
            last = told
        yield id(item), told


def _line(item: Observation, subject: str) -> str:
    told = inline_html(f"{subject}: {item.shown}; asked for: {item.asked} ({item.method.value})")
    return told if item.outcome is Outcome.YES else f"{told} <b>{_NOT[item.outcome]}</b>"


def _lead(evidence: Evidence, subjects: Mapping[int, str]) -> str:
    item = evidence.deciding
    found = f"{subjects[id(item)]}, found {item.shown}"
    method = item.method.value
    if evidence.verdict in _AGAINST:
        against = _AGAINST[evidence.verdict]
        told = (
            f"One observation decides, by {method}: {found}, while {against} asks for {item.asked}."
        )
    elif evidence.verdict is Verdict.UNDECIDED:
        told = f"This run did not decide. The open observation, by {method}: {found}."
    else:
        count = sum(each.role is Role.STATEMENT for each in evidence.observations)
        what = f"All {count} observations of the statement" if count > 1 else "The observation"
        first = " The first" if count > 1 else " It was"
        told = f"{what} came out as asked.{first}, by {method}: {found}; asked for: {item.asked}."
    return inline_html(told)


def _again(evidence: Evidence) -> str:
    budget = "" if evidence.budget is Budget.QUICK else f" --budget {evidence.budget.value}"
    seed = f" --seed {evidence.seed}" if evidence.seed else ""
    return (
        f"<p>Stored from a run with the {evidence.budget.value} budget and the seed "
        f"{evidence.seed}. Run it again: "
        f"<code>sublinear verify {evidence.claim}{budget}{seed}</code></p>"
    )


def _witness(evidence: Evidence) -> str:
    """Return a witness as text: one line for each number or list."""
    lines = (
        f"{name}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in evidence.witness.items()
    )
    return escape("\n".join(lines), quote=False)

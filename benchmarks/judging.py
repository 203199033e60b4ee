"""Whether measured results reach the goals of their benchmark, and why not.

The reasons are written by the people who measured, in a file beside the results; a test asks for
one wherever the stored results miss a goal.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from benchmarks.results import Results, results_path
from benchmarks.tables import Table, number_text
from benchmarks.targets import Target, Verdict
from benchmarks.targets_halfspace import HALFSPACE
from benchmarks.targets_training import TRAINING

SOURCE = "Goals of the project, set before measuring; not measurements."
"""Where the targets come from."""

TARGETS: dict[str, tuple[Target, ...]] = {"halfspace": HALFSPACE, "training": TRAINING}
"""All goals, by the name of their benchmark."""


def judge(results: Results) -> list[Verdict]:
    """Compare results with the goals."""
    verdicts = []
    for target in TARGETS[results.benchmark]:
        wanted, measured = target.value, None
        if target.section in results.sections:
            measured = target.measure(results)
            if target.halved and not results.section(target.section)["environment"]["avx512"]:
                wanted = wanted / 2.0
        verdicts.append(Verdict(target, wanted, measured))
    return verdicts


def load_reasons(benchmark: str = "halfspace") -> dict[str, str]:
    """Read why goals are not reached, as the people who measured wrote it down."""
    place = results_path(benchmark).parents[1] / f"{benchmark}_reasons.toml"
    return tomllib.loads(place.read_text(encoding="utf-8"))


def reason_for(verdict: Verdict, reasons: Mapping[str, str]) -> str:
    """Return the reason whose key is the longest that the key of a goal starts with."""
    fitting = [key for key in reasons if verdict.target.key.startswith(key)]
    return reasons[max(fitting, key=len)] if fitting else ""


def target_table(results: Results, *, measured: bool = False) -> Table:
    """Return the goals beside what was measured."""
    answers = {None: "not measured", True: "yes", False: "no"}
    verdicts = [each for each in judge(results) if each.reached is not None or not measured]
    reached = sum(each.reached is True for each in verdicts)
    rows = [[*_goal(each), answers[each.reached]] for each in verdicts]
    caption = f"{reached} of {len(verdicts)} goals reached. {SOURCE}"
    return Table(caption, ["goal", "wanted", "measured", "reached"], rows)


def missed_table(results: Results, reasons: Mapping[str, str]) -> Table:
    """Return the goals that are not reached, with the reasons."""
    rows: list[list[str]] = []
    before = ""
    for each in judge(results):
        if each.reached is False:
            why = reason_for(each, reasons) or "not known"
            rows.append([*_goal(each), "as above" if why == before else why])
            before = why
    caption = f"Goals not reached, {results.benchmark}."
    return Table(caption, ["goal", "wanted", "measured", "why"], rows)


def _goal(verdict: Verdict) -> list[str]:
    sign = "≤" if verdict.target.at_most else "≥"
    wanted, measured = number_text(verdict.wanted), number_text(verdict.measured)
    return [verdict.target.text, f"{sign} {wanted}", measured]

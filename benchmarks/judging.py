"""Whether measured results reach the goals of their benchmark, and why not.

Goals are judged by stored numbers (:mod:`benchmarks.targets`).  The reasons are
written by the people who measured, in a file beside the results; a test asks for one wherever the
stored results miss a goal.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping

from benchmarks.results import Results, results_path
from benchmarks.targets import Target, Verdict
from benchmarks.targets_halfspace import HALFSPACE
from benchmarks.targets_training import TRAINING

SOURCE = "Goals of the project, set before measuring; not measurements."
"""Where the targets come from."""

TARGETS: dict[str, tuple[Target, ...]] = {"halfspace": HALFSPACE, "training": TRAINING}
"""All goals, by the name of their benchmark."""


def judge(results: Results, targets: Iterable[Target] | None = None) -> list[Verdict]:
    """Compare results with the goals."""
    verdicts = []
    for target in TARGETS[results.benchmark] if targets is None else targets:
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
    if not place.is_file():
        return {}
    try:
        found = tomllib.loads(place.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{place.name} is not a TOML file: {error}") from error
    for key, reason in found.items():
        if not isinstance(reason, str):
            raise ValueError(f"{place.name} must hold texts, got {reason!r} for {key!r}")
    return found


def reason_for(verdict: Verdict, reasons: Mapping[str, str]) -> str:
    """Return the reason whose key is the longest that the key of a goal starts with."""
    fitting = [key for key in reasons if verdict.target.key.startswith(key)]
    return reasons[max(fitting, key=len)] if fitting else ""

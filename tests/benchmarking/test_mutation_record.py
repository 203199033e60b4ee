"""The record of a mutation run is read whole or refused."""

from __future__ import annotations

import json
from pathlib import Path

import mutate_theory
import pytest

from benchmarks import load_mutation_record

SETTINGS = {"per_module": 2, "seed": 0, "most": 1.0, "claims": "all"}


def a_record() -> dict[str, object]:
    trials = [
        mutate_theory.Trial(
            mutate_theory.Mutant(module, unit, 3, "sign", 0, 0), "a + b", "a - b", 1, outcome
        )
        for module, unit, outcome in (
            ("jump", "f", "killed"),
            ("jump", "g", "survived"),
            ("jump", "h", "killed"),
            ("flips", "", "not covered"),
        )
    ]
    return mutate_theory.report(trials, {"jump": 5, "flips": 7}, SETTINGS, 1.0)


def test_a_record_comes_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps(a_record()))
    assert load_mutation_record(path) == a_record()


UNNUMBERED = dict.fromkeys(("total", "modules", "operators", "survivors", "trials", "settings"))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 2}', json.dumps(UNNUMBERED)])
def test_a_foreign_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "record.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="record of a mutation run"):
        load_mutation_record(path)


def test_another_version_of_the_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps({**a_record(), "schema": 99}))
    with pytest.raises(ValueError, match="record of a mutation run"):
        load_mutation_record(path)

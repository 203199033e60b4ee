"""The record of a mutation run is read whole or refused, and laid out with all that it holds."""

from __future__ import annotations

import json
from pathlib import Path

import mutate_theory
import pytest

from benchmarks import load_mutation_record, mutation_tables

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


def test_a_record_is_laid_out_with_every_survivor(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps(a_record()))
    modules, operators, survivors = mutation_tables(load_mutation_record(path))
    assert modules.rows[-1] == ["all", "4", "2", "0", "1", "1", "50.0 %", "66.7 %"]
    assert modules.rows[0] == ["flips", "1", "0", "0", "0", "1", "0.0 %", ""]
    assert [row[0] for row in operators.rows] == list(mutate_theory.OPERATORS)
    assert survivors.rows == [
        ["jump.py, line 3", "g", "a + b", "a - b", "survived"],
        ["flips.py, line 3", "top level", "a + b", "a - b", "not covered"],
    ]


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

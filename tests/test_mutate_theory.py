"""Mutants of the theory are what they are said to be, and a run says what became of each."""

import ast
from collections import Counter
from fractions import Fraction

import mutate_theory
import pytest
from mutate_theory import OPERATORS, instrumented, mutants_of, mutated, sample

SOURCE = '''
"""A module about 7 things."""

_LIMIT: float = 2.5
_PARTS = (1, 2)
__all__ = ["outer"]


def outer(m: int, level: float = 0.5) -> float:
    """Return 3 times something."""
    count(m, "m", minimum=1)
    if m > 100:
        raise ValueError(f"m must be at most {100 - 0}")
    if level < 1:
        m = -m

    def inner(x):
        return x[0] / 2

    return 3 * m**level - inner([m])


class Thing:
    size: int = 4

    def half(self):
        return self.size / 2
'''
PLACES = {
    ("", "1 % in a number", "2.5", "2.525"),
    ("", "off by one", "1", "2"),
    ("", "off by one", "2", "3"),
    ("outer", "comparison", "level < 1", "level > 1"),
    ("outer", "off by one", "1", "2"),
    ("outer", "sign", "-m", "m"),
    ("outer.<locals>.inner", "1 % in a result", "return x[0] / 2", "return 1.01 * (x[0] / 2)"),
    ("outer.<locals>.inner", "dropped factor", "x[0] / 2", "x[0]"),
    ("outer.<locals>.inner", "off by one", "2", "3"),
    ("outer", "sign", "3 * m ** level - inner([m])", "3 * m ** level + inner([m])"),
    ("outer", "dropped factor", "3 * m ** level", "3"),
    ("outer", "dropped factor", "3 * m ** level", "m ** level"),
    ("outer", "off by one", "3", "4"),
    ("outer", "exponent", "m ** level", "m ** (-level)"),
    ("outer", "1 % in a result", "return 3 * m ** level - inner([m])",
     "return 1.01 * (3 * m ** level - inner([m]))"),
    ("", "off by one", "4", "5"),
    ("Thing.half", "1 % in a result", "return self.size / 2", "return 1.01 * (self.size / 2)"),
    ("Thing.half", "dropped factor", "self.size / 2", "self.size"),
    ("Thing.half", "off by one", "2", "3"),
}  # fmt: skip


def normal(text):
    return text.replace("_one_percent_more", "1.01 * ").replace(" ", "").replace("(-", "-")


def test_the_mutants_of_a_module_are_all_those_of_its_mathematics():
    found = []
    for mutant in mutants_of("toy", SOURCE):
        _, before, after = mutated(SOURCE, mutant)
        found.append((mutant.unit, mutant.operator, normal(before), normal(after).rstrip(")")))
    expected = [(unit, kind, normal(a), normal(b).rstrip(")")) for unit, kind, a, b in PLACES]
    assert Counter(found) == Counter(expected)
    assert {kind for _, kind, _, _ in PLACES} == set(OPERATORS)


def test_every_check_of_an_argument_that_the_theory_uses_is_known():
    used = {
        alias.name
        for path in (mutate_theory.ROOT / "sublinear_lib" / "theory").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        and node.module in ("sublinear_lib.validation", "sublinear_lib.theory.enclosures")
        for alias in node.names
        if node.module.endswith("validation") or alias.name in ("exact", "rational")
    }
    assert "exact" in used and used <= mutate_theory.CHECKS


def test_a_sample_is_repeatable_and_meets_every_function_first():
    found = mutants_of("toy", SOURCE)
    assert sample(found, 6, 1) == sample(found, 6, 1)
    assert sample(found, 6, 1) != sample(found, 6, 2)
    units = {mutant.unit for mutant in found}
    assert {mutant.unit for mutant in sample(found, len(units), 3)} == units
    assert len(set(sample(found, 1000, 0))) == len(found)
    assert sample([], 5, 0) == []


def test_a_function_says_when_it_is_entered():
    entered = []
    space = {"_entered": lambda *where: entered.append(where), "count": lambda *a, **b: None}
    exec(compile(instrumented("toy", SOURCE), "toy", "exec"), space)
    assert entered == []
    assert space["outer"](4, 2) == 46
    assert entered == [("toy", "outer"), ("toy", "outer.<locals>.inner")]
    assert space["outer"].__doc__ == "Return 3 times something."
    space["Thing"]().half()
    assert entered[-1] == ("toy", "Thing.half")


@pytest.mark.parametrize(
    ("value", "more"),
    [
        (2.0, 2.02),
        (Fraction(1, 3), Fraction(101, 300)),
        (5, 6),
        (-400, -396),
        ((1.0, 100), (1.01, 101)),
        ([1.0, 2], [1.01, 3]),
    ],
)
def test_a_result_is_one_per_cent_off(value, more):
    assert mutate_theory.one_percent_more(value) == more

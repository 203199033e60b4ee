"""Mutants of the theory are what they are said to be, and a run says what became of each."""

from collections import Counter
from fractions import Fraction

import mutate_theory
from mutate_theory import OPERATORS, mutants_of, mutated, sample

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
# One place of each operator.
PLACES = {
    ("", "1 % in a number", "2.5", "2.525"),
    ("", "off by one", "4", "5"),
    ("outer", "comparison", "level<1", "level>1"),
    ("outer", "sign", "3*m**level-inner([m])", "3*m**level+inner([m])"),
    ("outer", "exponent", "m**level", "m**(-level)"),
    ("outer.<locals>.inner", "1 % in a result", "returnx[0]/2", "return1.01*(x[0]/2)"),
    ("Thing.half", "dropped factor", "self.size/2", "self.size"),
}  # fmt: skip
COUNTS = {"1 % in a number": 1, "off by one": 7, "comparison": 1, "sign": 2, "exponent": 1}
COUNTS |= {"1 % in a result": 3, "dropped factor": 4}


def test_the_mutants_of_a_module_are_all_those_of_its_mathematics():
    found = []
    for mutant in mutants_of("toy", SOURCE):
        _, *texts = mutated(SOURCE, mutant)
        before, after = (text.replace(" ", "") for text in texts)
        found.append((mutant.unit, mutant.operator, before, after))
    assert set(found) >= PLACES
    assert Counter(kind for _, kind, *_ in found) == COUNTS and COUNTS.keys() == set(OPERATORS)


def test_a_sample_is_repeatable_and_meets_every_function_first():
    found = mutants_of("toy", SOURCE)
    assert sample(found, 6, 1) == sample(found, 6, 1)
    assert sample(found, 6, 1) != sample(found, 6, 2)
    units = {mutant.unit for mutant in found}
    assert {mutant.unit for mutant in sample(found, len(units), 3)} == units
    assert len(set(sample(found, 1000, 0))) == len(found)
    assert sample([], 5, 0) == []


def test_a_result_is_one_per_cent_off():
    given = [2.0, Fraction(1, 3), 5, -400, (1.0, 100), [1.0, 2]]
    more = [2.02, Fraction(101, 300), 6, -396, (1.01, 101), [1.01, 3]]
    assert list(map(mutate_theory.one_percent_more, given)) == more

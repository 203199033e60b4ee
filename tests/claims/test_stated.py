"""A wrong power or constant in a statement changes the verdict of its check."""

import math
from fractions import Fraction

import plant_statements
import pytest

from benchmarks import load_planting_record, planting_table
from sublinear_lib.claims import LEDGER, Method, Outcome, Role
from sublinear_lib.claims.collector import Collector
from sublinear_lib.claims.stated import STATED, Stated, far_slope

RECORD = load_planting_record()["trials"]
ANEW = [
    ("B active", "thm-b", Fraction(39, 40)),
    ("B near", "thm-b", Fraction(59, 40)),
    ("A continuous", "thm-a", Fraction(59, 40)),
    ("C.6 size", "claim-c.6", Fraction(-1, 8)),
    ("C.5", "claim-c.5", Fraction(1, 10)),
    ("C.2 constant", "claim-c.2", 0.9 * STATED["C.2 constant"].number),
    ("B active", "thm-b", Fraction(41, 40)),
]


def test_every_number_of_every_statement_was_planted():
    wanted = [
        (claim, entry.what, plant_statements.shown(number))
        for entry in STATED.values()
        for claim in entry.claims
        for number in entry.wrong()
    ]
    assert [(row["claim"], row["what"], row["planted"]) for row in RECORD] == wanted
    assert all(claim in LEDGER for claim, _, _ in wanted)


def test_no_wrong_number_goes_unnoticed_and_none_gives_a_false_alarm():
    assert {row["outcome"] for row in RECORD} == {"noticed", "kept"}


@pytest.mark.thorough
@pytest.mark.parametrize(("key", "claim", "number"), ANEW)
def test_a_wrong_number_planted_anew_gives_what_is_recorded(key, claim, number):
    row = plant_statements.trial(key, LEDGER[claim], number)
    assert row in RECORD
    assert plant_statements.verdict_of(LEDGER[claim]) is LEDGER[claim].recorded


def test_the_table_has_every_planted_number_once():
    table = planting_table(load_planting_record())
    cells = [cell for row in table.rows for cell in row[3:] if cell]
    assert sum(cell.count(",") + 1 for cell in cells) == len(RECORD)


@pytest.mark.parametrize(
    ("relation", "sharp", "admitted"),
    [
        ("=", None, [Fraction(1, 2)]),
        ("<=", None, [Fraction(1, 2), Fraction(3, 5)]),
        ("<=", Fraction(2, 5), [Fraction(2, 5), Fraction(1, 2), Fraction(3, 5)]),
        (">=", None, [Fraction(3, 10), Fraction(2, 5), Fraction(1, 2)]),
    ],
)
def test_a_weaker_bound_is_true_and_a_stronger_one_false(relation, sharp, admitted):
    entry = Stated("thm-b", "x", Fraction(1, 2), relation, sharp)
    tried = [Fraction(3, 10), Fraction(2, 5), Fraction(1, 2), Fraction(3, 5)]
    assert [number for number in tried if entry.admits(number)] == admitted


@pytest.mark.parametrize(
    ("key", "power", "outcome"),
    [
        ("C.2 count", 0.875, Outcome.YES),
        ("C.2 count", 0.905, Outcome.NO),
        ("C.2 rate", 0.905, Outcome.YES),
        ("C.2 rate", 0.895, Outcome.NO),
        ("prop-1 mean", 0.1, Outcome.YES),
        ("prop-1 mean", 0.095, Outcome.NO),
        ("prop-1 mean", 0.105, Outcome.NO),
    ],
)
def test_a_slope_far_out_sees_a_two_hundredth(key, power, outcome):
    closed = lambda m: 7.0 * m**power  # noqa: E731
    look = Collector()
    look.control.far(key, closed, case="a case")
    (found,) = look.observations
    assert (found.outcome, found.role, found.method) == (outcome, Role.CONTROL, Method.CLOSED_FORM)
    assert found.what.endswith(f"{STATED[key].what}, a case")


def test_powers_of_log_m_are_divided_out():
    assert far_slope(lambda m: m**0.5 * math.log(m) ** 2, logs=2.0) == pytest.approx(0.5, abs=1e-12)

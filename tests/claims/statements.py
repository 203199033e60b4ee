"""Small claims with known verdicts, for the tests of the machinery."""

from fractions import Fraction

import numpy as np

from sublinear_lib.claims import Claim, Ledger, ProofStatus, Verdict
from sublinear_lib.claims.claim import Source
from sublinear_lib.claims.collector import check_of


@check_of
def check_power(look, budget, rng):
    """A product of powers that is printed with the wrong sign."""
    found = Fraction(-1, 5) - Fraction(3, 5) + Fraction(9, 10)
    look("exponent of m").equals(found, Fraction(-1, 10))
    look.witness["exponent"] = str(found)


@check_of
def check_repaired(look, budget, rng):
    """The same product with another radius."""
    look("exponent of m").equals(
        Fraction(-1, 5) - Fraction(4, 5) + Fraction(7, 10), Fraction(-3, 10)
    )


@check_of
def check_mean(look, budget, rng):
    """A sample mean with a known expectation."""
    draws = rng.normal(size=budget.pick(400, 4000))
    look("mean of a normal").mean(float(draws.mean()), 1.0 / np.sqrt(draws.size), 0.0)
    look("its law is symmetric").none(0)


@check_of
def check_gap(look, budget, rng):
    """A true statement with a step that does not follow."""
    look("2 + 2").equals(4, 4)
    look.proof("the step").equals(5, 4)


def check_broken(budget, rng):
    """A check that cannot finish."""
    raise ArithmeticError("the enclosure did not close")


def status_for(recorded):
    """Return the strongest status that goes with a verdict."""
    if recorded in (Verdict.CITED, Verdict.MEASURED):
        return ProofStatus(recorded.value)
    return ProofStatus.COMPLETE


def claim(name, check, recorded, **more):
    """Return a claim with as little as possible."""
    settings = {
        "title": name,
        "statement": "2 + 2 = 4",
        "plain": "Two and two make four.",
        "source": Source("paper", "Section 1"),
        "chapter": "part1/test",
        "status": status_for(recorded),
        **more,
    }
    return Claim(id=name, check=check, recorded=recorded, **settings)


def small_ledger():
    """Return a ledger with one claim of each kind."""
    return Ledger(
        [
            claim("lem-a.1", check_mean, Verdict.HOLDS),
            claim(
                "thm-4.1",
                check_power,
                Verdict.FAILS,
                depends_on=("lem-a.1",),
                misreading="the sign of an exponent",
            ),
            claim(
                "thm-4.1r",
                check_repaired,
                Verdict.REPAIRED,
                repairs="thm-4.1",
                depends_on=("lem-a.1",),
                source=Source("repair", "R1"),
            ),
            claim("thm-4.4", check_gap, Verdict.GAP, depends_on=("thm-4.1r",)),
        ]
    )

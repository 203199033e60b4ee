"""Small claims with known verdicts, for the tests of the machinery."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sublinear_lib.claims import (
    Budget,
    Claim,
    Findings,
    Ledger,
    Method,
    ProofStatus,
    Role,
    Source,
    Verdict,
    exact,
    fact,
    sample_mean,
)


def check_power(budget: Budget, rng: np.random.Generator) -> Findings:
    """A product of powers that is printed with the wrong sign."""
    found = Fraction(-1, 5) - Fraction(3, 5) + Fraction(9, 10)
    return Findings([exact("exponent of m", found, Fraction(-1, 10))], {"exponent": str(found)})


def check_repaired(budget: Budget, rng: np.random.Generator) -> Findings:
    """The same product with another radius."""
    found = Fraction(-1, 5) - Fraction(4, 5) + Fraction(7, 10)
    return Findings([exact("exponent of m", found, Fraction(-3, 10))])


def check_mean(budget: Budget, rng: np.random.Generator) -> Findings:
    """A sample mean with a known expectation."""
    draws = rng.normal(size=budget.pick(400, 4000))
    error = 1.0 / np.sqrt(draws.size)
    return Findings(
        [
            sample_mean("mean of a normal", float(draws.mean()), error, 0.0),
            fact("its law is symmetric", 0, "= 0", True, Method.EXACT),
        ]
    )


def check_gap(budget: Budget, rng: np.random.Generator) -> Findings:
    """A true statement with a step that does not follow."""
    return Findings(
        [
            fact("2 + 2", 4, "= 4", True, Method.EXACT),
            fact("the step", 5, "= 4", False, Method.EXACT, Role.PROOF),
        ]
    )


def check_broken(budget: Budget, rng: np.random.Generator) -> Findings:
    """A check that cannot finish."""
    raise ArithmeticError("the enclosure did not close")


def status_for(recorded: Verdict) -> ProofStatus:
    """Return the strongest status that goes with a verdict."""
    if recorded in (Verdict.CITED, Verdict.MEASURED):
        return ProofStatus(recorded.value)
    return ProofStatus.COMPLETE


def claim(name: str, check: object, recorded: Verdict, **more: object) -> Claim:
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
    return Claim(id=name, check=check, recorded=recorded, **settings)  # type: ignore[arg-type]


def small_ledger() -> Ledger:
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

"""A small ledger with one claim of each kind, and its evidence, for the tests of the exhibits."""

from fractions import Fraction
from functools import cache

from sublinear_lib.claims import Ledger, Outcome, Verdict, merge, verify
from sublinear_lib.claims.claim import Source
from sublinear_lib.claims.collector import check_of
from sublinear_lib.exhibits.shelf import Shelf
from tests.claims import statements
from tests.claims.statements import check_gap

MISREADING = "The exponent of the radius would have to be $-4/5$."


@check_of
def check_fails(look, budget, rng):
    """A power with the wrong sign, and what a reader needs to see it."""
    look("largest deviation over the net, m <= 2^(12)").at_most(0.25, 0.5)
    look("exponent of m in the product").equals(Fraction(1, 10), Fraction(-1, 10))
    look.repair.exact("with the radius K m^(-4/5)").holds(True, "m^(-3/10)", "-> 0")
    look.control.certified("Q(1) & more").holds(True, 0.158655, "= 0.158655")
    look.witness.update({"m": 4096, "values": [0.25, 0.125]})


@check_of
def check_typo(look, budget, rng):
    """A true statement with a misprint."""
    look("the statement").equals(4, 4)
    look.print.exact("the sign").holds(False, "+", "-")


@check_of
def check_cited(look, budget, rng):
    """A statement of somebody else."""
    look.cited("the statement").holds(True, "cited", "a proof")


@check_of
def check_holds(look, budget, rng):
    """A sample whose mean is known."""
    mean = float(rng.normal(size=400).mean())
    look.simulated("mean of 400 draws").at_most(abs(mean), 0.25)
    look.closed_form("its law is symmetric").none(0)


@check_of
def check_open(look, budget, rng):
    """A check that decides nothing."""
    look.computed("slope").note(Outcome.OPEN, 0.0, "0.1")


def claim(name, recorded, check, on="", **more):
    """Return a claim whose texts are derived from its id."""
    settings = {
        "title": f"the case of {name}",
        "statement": rf"For \rec{{every}} $x\in\X$: $\norm{{x}}\rec{{\le}}1$ ({name}).",
        "plain": f"Points of $\\X$ have length one; that is {name}.",
        "chapter": "part1/how-many-neurons-fire",
        "proof": "Appendix C.2",
        **more,
    }
    source = Source("repair" if recorded is Verdict.REPAIRED else "paper", f"Section 1, {name}")
    depends_on = tuple(on.split())
    return statements.claim(name, check, recorded, depends_on=depends_on, source=source, **settings)


@cache
def made_up_ledger():
    """Return eight claims: a printed theorem that fails, its tools, its repair, and loose ends."""
    return Ledger(
        [
            claim("def-3.5", Verdict.HOLDS, check_holds),
            claim(
                "thm-4.1",
                Verdict.FAILS,
                check_fails,
                "lem-a.5 lem-a.6",
                misreading=MISREADING,
                remark="The product is $m^{+1/10}$. See the repair.",
            ),
            claim("thm-4.4", Verdict.GAP, check_gap, "thm-4.1"),
            claim("cor-5.2", Verdict.CITED, check_cited),
            claim("lem-a.5", Verdict.TYPO, check_typo),
            claim("lem-a.6", Verdict.HOLDS, check_holds, chapter="reference/errata"),
            claim("thm-1.1", Verdict.GAP, check_gap, "thm-4.4 cor-5.2"),
            claim(
                "thm-4.1-r",
                Verdict.REPAIRED,
                check_holds,
                "lem-a.6",
                repairs="thm-4.1",
                proof="reference/repaired-theorems#thm-4.1-r",
            ),
        ]
    )


@cache
def made_up_shelf():
    """Return the claims with the evidence of a quick run."""
    reports = verify(made_up_ledger())
    assert all(report.as_recorded for report in reports)
    return Shelf(made_up_ledger(), merge({}, reports))


QUIZ = r"""## Why does the share scale with $\delta$?

- [x] The density near the threshold is bounded.
  Right: the share is at most $\delta\sqrt{m/\pi}$, whatever $\tau$ is.
- [ ] Because $\tau=0$.
  No: $\tau$ is chosen before training.
- [ ] Because $\norm{x}=1$.

  No neuron knows the norm.

  $$\tfrac12<1$$

## How many?

Count them, with $x_d=\frac12$.

- [ ] one
  No: not one.
- [x] three
  Right: three.
- [ ] two
  No: not two.

## Which letter?

- [ ] a
  Not quite: nearly.
- [ ] b
  No: not b.
- [ ] c
  Wrong.  Not c.
- [x] d
  It is.
"""
"""The text of a quiz."""

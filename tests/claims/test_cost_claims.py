"""Promises of ``claims.statements.cost``: the verdicts, and that errors change them."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Sequence
from types import ModuleType

import numpy as np
import pytest

from sublinear_lib import geometry
from sublinear_lib.claims import Budget, Claim, Method, Role
from sublinear_lib.claims.statements import cost as statements
from sublinear_lib.halfspace import HalfspaceIndex
from sublinear_lib.theory import cost, ledger, orders, reporting, survivors, traffic
from tests.claims.planting import is_unsettled, planted
from tests.claims.stored import QUICK

CLAIMS = {claim.id: claim for claim in statements.CLAIMS}
IDS = ["thm-1.1", "thm-1.1-r", "def-5.1", "cor-5.2", "lem-5.3", "lem-5.3-r"]


def test_every_statement_about_cost_has_its_claim() -> None:
    assert sorted(CLAIMS) == sorted(IDS)


@pytest.mark.usefixtures("same_runs")
@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_check_can_be_sent_to_another_process(claim: Claim) -> None:
    assert pickle.loads(pickle.dumps(claim)) == claim


def test_the_cited_bound_is_told_apart_from_what_is_checked() -> None:
    evidence = QUICK["cor-5.2"]
    bearing = [item.method for item in evidence.observations if item.role is Role.STATEMENT]
    assert bearing == [Method.CITED]
    assert any(item.role is Role.CONTROL for item in evidence.observations)


# Each line: the statement, a formula of the theory, and the formula with an error.
ERRORS = [
    ("lem-5.3", orders, "Order(search, 1, 1),)", "Order(search, 0, 1),)"),
    (
        "lem-5.3",
        orders,
        "(Order(start, 0, 1), Order(_FLIPS, 1, 1))",
        "(Order(start, 1, 1), Order(_FLIPS, 1, 1))",
    ),
    ("lem-5.3", orders, "return 1 - Fraction(1, count(d", "return 1 + Fraction(1, count(d"),
    ("lem-5.3", orders, "_FLIPS = Fraction(7, 8)", "_FLIPS = Fraction(8, 9)"),
    (
        "lem-5.3",
        ledger,
        'flips, "flips", minimum=0.0)\n    search',
        'flips, "flips", minimum=0.0) * n\n    search',
    ),
    (
        "lem-5.3",
        ledger,
        "return Ledger(0.0, search, touched, touched, 0.0, moved)",
        "return Ledger(0.0, search, touched, touched, touched, moved)",
    ),
    (
        "lem-5.3-r",
        ledger,
        "attack = n * ((S + 1) * search + (2 * S + 1) * k)",
        "attack = n * (S * search + (2 * S + 1) * k)",
    ),
    (
        "lem-5.3-r",
        ledger,
        "n * k, n * k, moved, 2.0 * moved * price",
        "n * k, k, moved, 2.0 * moved * price",
    ),
    ("lem-5.3-r", ledger, "2.0 * moved * price", "1.98 * moved * price"),
    ("lem-5.3-r", ledger, "((S + 1) * listed + S * k)", "((S + 1) * listed + (S + 1) * k)"),
    ("lem-5.3-r", ledger, "Ledger((2 * S + 1) * pairs", "Ledger((2 * S) * pairs"),
    (
        "lem-5.3-r",
        ledger,
        "return math.fsum(self.entries.values())",
        "return max(self.entries.values())",
    ),
    ("lem-5.3-r", ledger, "name: value / unit", "name: value * unit"),
    ("lem-5.3-r", ledger, "min(alive, n * active)", "max(alive, n * active)"),
    (
        "lem-5.3-r",
        ledger,
        "active = m * scaling.activity_at(t)\n",
        "active = m * scaling.activity_at(t) * 1.02\n",
    ),
    ("lem-5.3-r", cost, "along - rho * length\n", "along + rho * length\n"),
    (
        "lem-5.3-r",
        cost,
        "p_weights = np.tile(u_weights, 2) * _REACH / 2.0",
        "p_weights = np.tile(u_weights, 2) * _REACH / 1.98",
    ),
    ("lem-5.3-r", cost, "along + rho * length, SLICE", "along + 2.0 * rho * length, SLICE"),
    ("lem-5.3-r", cost, "reach - t * math.sqrt(2.0)", "reach - t * 1.43"),
    ("lem-5.3-r", cost, "(2 * S + 1) * pairs, pairs, pairs", "(2 * S + 1) * pairs, pairs, 0.0"),
    ("lem-5.3-r", cost, "(S + 1) * near + S * active", "S * near + S * active"),
    ("lem-5.3-r", orders, "Order(start, 1), Order(moved, 1))", "Order(start, 0), Order(moved, 1))"),
    ("lem-5.3-r", orders, "Fraction(self.m) + _exact(n", "Fraction(self.m) - 1 + _exact(n"),
    ("lem-5.3-r", traffic, "2.0 * m * n * d", "2.02 * m * n * d"),
    ("lem-5.3-r", traffic, "pairs * (row + _ID_BYTES)", "pairs * row"),
    ("lem-5.3-r", traffic, "max(arithmetic, memory)", "min(arithmetic, memory)"),
    ("lem-5.3-r", traffic, "P / B, limit", "B / P, limit"),
    (
        "thm-1.1-r",
        survivors,
        "math.exp(-(max(gap, 0.0) ** 2) / 2.0)",
        "math.exp(-(max(gap, 0.0) ** 2) / 1.98)",
    ),
    (
        "thm-1.1-r",
        survivors,
        "SLICE_RADIUS * math.sqrt((d - 1) / 2.0)",
        "SLICE_RADIUS * math.sqrt(d / 2.0)",
    ),
    ("thm-1.1-r", survivors, "(3 - d) / 2.0 * math.log(2.0)", "(2 - d) / 2.0 * math.log(2.0)"),
    ("thm-1.1-r", survivors, "+ (d - 2) * math.log(u)", "+ (d - 1) * math.log(u)"),
    ("thm-1.1-r", survivors, "1.0 + 16.0 / 3.0", "1.0 + 8.0 / 3.0"),
    ("thm-1.1-r", reporting, "stats.chi2.logsf(u * u, d - 1)", "stats.chi2.logsf(u * u, d)"),
    ("thm-1.1-r", reporting, "math.log(_WIDTH)\n", "math.log(1.01 * _WIDTH)\n"),
    ("thm-1.1-r", reporting, "math.sqrt(1.0 + SLICE_HEIGHT**2)", "math.sqrt(1.0 + SLICE_HEIGHT)"),
    ("thm-1.1-r", orders, "log = Fraction(d - 3, 2)", "log = Fraction(d - 2, 2)"),
    ("thm-1.1-r", orders, "(Order(1 - sparsity, 1, 1, log),)", "(Order(1, 1, 1, log),)"),
    (
        "thm-1.1-r",
        ledger,
        "pairs, 0.0, pairs, pairs, neurons, 0.0",
        "pairs, 0.0, pairs, pairs, 0.0, 0.0",
    ),
]


@pytest.fixture
def same_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count the work of runs, and integrate by hand, once: neither depends on the theory."""
    monkeypatch.setattr(statements, "_work", counted)
    monkeypatch.setattr(statements, "_candidates_by_hand", INTEGRATED)


RIGHT = statements._work
INTEGRATED = functools.cache(statements._candidates_by_hand)
COUNTED: dict[tuple[object, ...], np.ndarray] = {}


def counted(
    widths: Sequence[int], seeds: int, d: int, rule: str, index: str, rng: np.random.Generator
) -> np.ndarray:
    key = (*widths, seeds, d, rule, index)
    if key not in COUNTED:
        COUNTED[key] = RIGHT(widths, seeds, d, rule, index, rng)
    return COUNTED[key]


@pytest.mark.thorough
@pytest.mark.usefixtures("same_runs")
@pytest.mark.parametrize(("name", "module", "right", "wrong"), ERRORS)
def test_an_error_in_the_theory_changes_the_verdict(
    name: str, module: ModuleType, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with planted(module, right, wrong) as copy:
        monkeypatch.setattr(statements, module.__name__.rpartition(".")[2], copy)
        assert is_unsettled(CLAIMS[name])


def test_a_structure_that_misses_a_point_is_no_half_space_reporting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = HalfspaceIndex.query_halfspace

    def forgetful(self: HalfspaceIndex, normals: object, offsets: object, **more: object) -> object:
        return right(self, normals, np.asarray(offsets) + 1.0, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(HalfspaceIndex, "query_halfspace", forgetful)
    for name in ("def-5.1", "cor-5.2"):
        assert is_unsettled(CLAIMS[name])


@pytest.mark.usefixtures("same_runs")
def test_the_lift_is_exact_on_dyadic_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    right = geometry.lift
    monkeypatch.setattr(geometry, "lift", lambda W, b: right(W, 1.01 * b))
    found = CLAIMS["lem-5.3"].run(Budget.QUICK, 0).observations
    lifted = [item for item in found if item.what.startswith("lifted points")]
    assert [item.outcome.value for item in lifted] == ["no"]

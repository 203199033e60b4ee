"""Promises of ``claims.statements.memorization``: the verdicts, and that errors change them."""

from __future__ import annotations

import pickle
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from sublinear_lib import datasets as slices
from sublinear_lib.claims import CHAPTERS, LEDGER, Claim, Method, Role, Verdict
from sublinear_lib.claims.statements import memorization as statements
from sublinear_lib.memorization import (
    ReLUNetwork,
    attacks,
    certificates,
    constructions,
    datasets,
    exact_values,
    hardness,
    hypergraphs,
    intervals,
    precision,
    two_neurons,
    width,
)
from sublinear_lib.theory import polynomials
from tests.claims.planting import is_unsettled, planted, verdict_of
from tests.claims.stored import QUICK

CLAIMS = {claim.id: claim for claim in statements.CLAIMS}
CHAPTER_OF = {
    "robust-memorization-and-its-threshold": ["prop-ii.1"],
    "the-network-that-memorizes": [
        "thm-ii.4.8",
        "thm-ii.b.2",
        "thm-ii.b.3",
        "cor-ii.1",
        "prop-ii.5",
    ],
    "what-cannot-be-done": ["prop-ii.3", "thm-ii.4.1", "prop-ii.4.7", "rem-ii.1", "prop-ii.4"],
    "lipschitz-control-and-generalization": ["thm-ii.5.2", "prop-ii.2", "prop-ii.6", "prop-ii.7"],
}


def test_every_statement_of_part_ii_has_its_claim_in_its_chapter() -> None:
    chapters = {f"part2/{page}": ids for page, ids in CHAPTER_OF.items()}
    found = {page: [c.id for c in CLAIMS.values() if c.chapter == page] for page in chapters}
    assert found == chapters and sum(map(len, chapters.values())) == len(CLAIMS) == 15
    assert set(chapters) <= set(CHAPTERS)


def test_only_the_comparison_is_cited_and_nothing_fails() -> None:
    others = {n: c.recorded for n, c in CLAIMS.items() if c.recorded is not Verdict.HOLDS}
    assert others == {"cor-ii.1": Verdict.CITED, "prop-ii.6": Verdict.MEASURED}


def test_what_a_proof_uses_is_in_the_ledger() -> None:
    for claim in CLAIMS.values():
        assert claim.source.work == "memorization" and claim.remark
        assert bool(claim.proof) == (claim.recorded is not Verdict.MEASURED)
        assert all(used in LEDGER for used in claim.depends_on)


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_check_can_be_sent_to_another_process(claim: Claim) -> None:
    assert pickle.loads(pickle.dumps(claim)) == claim


def test_hardness_rests_on_one_cited_theorem() -> None:
    found = QUICK["thm-ii.4.1"].observations
    cited = [item for item in found if item.method is Method.CITED]
    assert len(cited) == 1 and "NP-complete" in str(cited[0].found)


def test_the_cross_of_the_witness_is_the_one_that_the_statement_names() -> None:
    witness = QUICK["rem-ii.1"].witness
    X, y = np.array(witness["points"]), np.array(witness["labels"])
    assert datasets.separation(X, y) == 1.0
    assert sorted(map(tuple, X[y == 1.0])) == [(-1.0, 0.0), (0.0, -1.0), (0.0, 1.0), (1.0, 0.0)]


def test_an_attack_is_never_the_evidence_for_a_network() -> None:
    found = QUICK["thm-ii.4.8"].observations
    stated = [item for item in found if item.role is Role.STATEMENT]
    assert {Method.EXACT, Method.CERTIFIED} <= {item.method for item in stated}
    assert not any("attack" in item.what for item in stated)
    assert found[0].what.startswith("conditions (i) to (iii)")


# Each line: the statement, a formula of the library, and the formula with an error.
TEXT: list[tuple[str, ModuleType, str, str]] = [
    ("prop-ii.1", datasets, "return separation(X, y, p) / 2", "return separation(X, y, p) / 2.01"),
    ("prop-ii.1", datasets, "if 2 * budget >= lam:", "if 2 * budget > lam:"),
    ("prop-ii.1", certificates, "holds=wanted > 0 and", "holds=wanted >= 0 and"),
    ("thm-ii.b.3", certificates, "(power * 2 * radius)", "(power * radius)"),
    (
        "thm-ii.4.8",
        constructions,
        "np.multiply(-slope, centers + mu",
        "np.multiply(-slope, centers",
    ),
    (
        "thm-ii.4.8",
        constructions,
        "acc], [-slopes[i]] * (2 * n) + [-1.0]",
        "acc], [-slopes[i]] * (2 * n) + [-0.5]",
    ),
    (
        "thm-ii.4.8",
        constructions,
        "other = _measuring(n, n + 2).add([n, n + 1])",
        "other = _measuring(n, n + 2).add([n + 1])",
    ),
    ("thm-ii.4.8", constructions, "2 * N + 1, N * (8 * n + 5))", "2 * N + 1, N * (8 * n + 6))"),
    ("thm-ii.4.8", precision, "c = lam - 2 * mu\n", "c = lam - mu\n"),
    (
        "thm-ii.b.2",
        constructions,
        "beyond, last_beyond = _tail(n, 0.0, -data.mu)",
        "beyond, last_beyond = _tail(n, 0.0, -0.9 * data.mu)",
    ),
    ("thm-ii.b.2", constructions, "2 * N + 2, N * (8 * n + 7) + 2)", "2 * N + 2, N * (8 * n + 7))"),
    (
        "thm-ii.b.2",
        constructions,
        "np.maximum(distances.sum(axis=1) - self.mu, 0.0)",
        "distances.sum(axis=1)",
    ),
    ("thm-ii.b.3", constructions, "error = math.ldexp(n, -2 * (terms + 1))", "error = 0.0"),
    (
        "thm-ii.b.3",
        constructions,
        "if math.ldexp(n, -2 * (terms + 1)) <= gap / 2:",
        "if math.ldexp(n, -2 * (terms + 1)) <= gap:",
    ),
    ("thm-ii.b.3", constructions, "[-2.0 * quarter] * n", "[-1.0 * quarter] * n"),
    (
        "thm-ii.b.3",
        constructions,
        "N * (K * (8 * n + 2) + 9 * n + 8) - n)",
        "N * (K * (8 * n + 2) + 9 * n + 8))",
    ),
    ("cor-ii.1", constructions, "np.multiply(-slope, centers + mu", "np.multiply(-slope, centers"),
    ("prop-ii.5", precision, "return 2.0 * _epsilon(dtype)", "return 2e6 * _epsilon(dtype)"),
    (
        "prop-ii.5",
        precision,
        "targets = [centers + radius * d for d in directions]",
        "targets = [centers + 0.5 * radius * d for d in directions]",
    ),
    ("prop-ii.3", width, "radius=best / 2.0,", "radius=best,"),
    ("prop-ii.3", width, "x=points[i] - gap / 2.0,", "x=points[i] - gap,"),
    (
        "prop-ii.3",
        width,
        "np.eye(n)[:-1] - np.eye(n, k=1)[:-1]",
        "np.eye(n)[:-1] + np.eye(n, k=1)[:-1]",
    ),
    ("prop-ii.3", width, "return ratio / (2.0 * (1.0 + ratio))", "return ratio / (1.0 + ratio)"),
    ("prop-ii.3", datasets, "X[1 : n + 1] = np.eye(n)", "X[1 : n + 1] = 2.0 * np.eye(n)"),
    ("thm-ii.4.1", hardness, "X[-1, -1] = -1.0", "X[-1, -1] = 2.0"),
    (
        "thm-ii.4.1",
        hardness,
        "np.where(own, -1.0, h.largest_edge - 1.0)",
        "np.where(own, -1.0, 5.0)",
    ),
    ("thm-ii.4.1", hardness, "colors.append(0 if first <= -c else 1)", "colors.append(0)"),
    (
        "thm-ii.4.1",
        two_neurons,
        "return SignCertificate(budget < radii[row]",
        "return SignCertificate(budget > radii[row]",
    ),
    ("prop-ii.4.7", hypergraphs, "(i + 3) % 7)", "(i + 2) % 7)"),
    ("prop-ii.4.7", hardness, "X[-1, -1] = -1.0", "X[-1, -1] = 2.0"),
    (
        "rem-ii.1",
        two_neurons,
        "middle = (Fraction(low) + Fraction(high)) / 2",
        "middle = Fraction(low)",
    ),
    (
        "rem-ii.1",
        hardness,
        "-np.diag(large))), 1.0 - large, np.inf)",
        "-np.diag(large))), -2.0 * large, np.inf)",
    ),
    (
        "prop-ii.4",
        exact_values,
        "network is not None, budget, 1.0 / size",
        "network is not None, budget, 2.0 / size",
    ),
    ("prop-ii.4", exact_values, "reach = mu * sum(", "reach = 0 * sum("),
    ("prop-ii.4", exact_values, "np.array([rise, -rise])", "np.array([rise, rise])"),
    (
        "thm-ii.5.2",
        constructions,
        "half = np.array([-0.5, 0.5, 0.5 * signs[-1]])",
        "half = np.array([-0.5, 0.5, 0.5])",
    ),
    (
        "thm-ii.5.2",
        constructions,
        "N * (levels + 1) + 2 + clipped, total)",
        "N * (levels + 1) + 2, total)",
    ),
    (
        "thm-ii.5.2",
        constructions,
        "rows.add([distances + place, distances + 2], [1.0, -1.0])",
        "rows.add([distances + place])",
    ),
    (
        "prop-ii.2",
        certificates,
        "optimal = 2 / (lam - 2 * Fraction(memorizer.mu))",
        "optimal = 2 / lam",
    ),
    ("prop-ii.2", certificates, "share = edge + (0.5 - edge) / 16.0", "share = edge / 2"),
    (
        "prop-ii.2",
        constructions,
        "margin = 1.0 if mu is None else data.lam / 2 - data.mu",
        "margin = 1.0 if mu is None else data.lam / 2",
    ),
    ("prop-ii.6", datasets, "X[others], y[others])", "X[others], y[others][::-1])"),
    (
        "prop-ii.6",
        constructions,
        "half = np.array([-0.5, 0.5, 0.5 * signs[-1]])",
        "half = np.array([-0.5, 0.5, 0.5])",
    ),
    ("prop-ii.7", constructions, "((lam - 2 * mu) / unit) - error", "((lam - mu) / unit) - error"),
    (
        "prop-ii.7",
        constructions,
        "if math.ldexp(n, -2 * (terms + 1)) <= gap / 2:",
        "if math.ldexp(n, -3 * (terms + 1)) <= gap / 2:",
    ),
    (
        "prop-ii.7",
        polynomials,
        "gamma = separation * (separation - 2 * radius)",
        "gamma = separation * (separation - radius)",
    ),
    ("prop-ii.7", slices, "gamma = delta * (delta - 2.0 * rho)", "gamma = delta * (delta - rho)"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "module", "right", "wrong"), TEXT)
def test_an_error_in_the_library_changes_the_verdict(
    name: str, module: ModuleType, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known_as = "slices" if module is slices else module.__name__.rpartition(".")[2]
    with planted(module, right, wrong) as copy:
        monkeypatch.setattr(statements, known_as, copy)
        assert is_unsettled(CLAIMS[name])


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["thm-ii.5.2", "prop-ii.2"])
def test_a_wrong_lipschitz_bound_changes_the_verdict(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, place = intervals.lipschitz_bound, f"{certificates.__name__}.lipschitz_bound"
    monkeypatch.setattr(place, lambda network: 2 * right(network))
    assert is_unsettled(CLAIMS[name])


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["thm-ii.4.8", "thm-ii.5.2", "prop-ii.5", "prop-ii.6"])
def test_loose_bounds_of_the_stored_weights_change_the_verdict(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = intervals.interval_bounds

    def loose(*given: Any, **more: Any) -> Any:
        lower, upper = right(*given, **more)
        return lower - 3.0, upper + 3.0

    monkeypatch.setattr(f"{certificates.__name__}.interval_bounds", loose)
    assert is_unsettled(CLAIMS[name])


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["thm-ii.4.8", "thm-ii.b.2", "thm-ii.5.2"])
def test_an_exact_evaluation_that_is_not_exact_changes_the_verdict(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = ReLUNetwork.exactly
    monkeypatch.setattr(ReLUNetwork, "exactly", lambda network, x: right(network, x) * (1 + 2**-40))
    assert is_unsettled(CLAIMS[name])


def test_an_attack_that_finds_nothing_outside_the_balls_decides_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = attacks.attack
    monkeypatch.setattr(
        attacks,
        "attack",
        lambda F, X, y, radius, *p, **more: right(F, X, y, radius / 4, *p, **more),
    )
    assert verdict_of(CLAIMS["thm-ii.4.8"]) is Verdict.UNDECIDED

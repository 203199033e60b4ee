"""Promises of ``claims.statements.features``: the verdicts, and that errors change them."""

from __future__ import annotations

import pickle
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from sublinear_lib.claims import (
    CHAPTERS,
    LEDGER,
    Budget,
    Claim,
    Method,
    Outcome,
    Role,
    Verdict,
    fact,
)
from sublinear_lib.claims.statements import features as statements
from sublinear_lib.features import (
    FeatureData,
    PatchNetwork,
    SmoothedReLU,
    TrainingAttack,
    attacks,
    certify,
    recursion,
    studies,
    training,
)
from tests.claims.planting import is_unsettled, planted, verdict_of
from tests.claims.stored import QUICK

CLAIMS = {claim.id: claim for claim in statements.CLAIMS}
CHAPTER_OF = {
    "two-kinds-of-features": [
        "prop-iii.3.1",
        "prop-iii.3.2",
        "lem-iii.5.1",
        "prop-iii.2",
        "thm-iii.4.3",
        "prop-iii.12",
    ],
    "how-adversarial-training-changes-the-race": [
        "lem-iii.5.2",
        "prop-iii.3",
        "prop-iii.4",
        "prop-iii.5",
        "prop-iii.6",
        "prop-iii.7",
    ],
    "what-is-robust-and-what-is-not": [
        "prop-iii.1",
        "thm-iii.4.4",
        "prop-iii.8",
        "prop-iii.9",
        "prop-iii.10",
        "prop-iii.11",
    ],
}


def test_every_statement_of_part_iii_has_its_claim_in_its_chapter() -> None:
    chapters = {f"part3/{page}": ids for page, ids in CHAPTER_OF.items()}
    found = {page: [c.id for c in CLAIMS.values() if c.chapter == page] for page in chapters}
    assert found == chapters and sum(map(len, chapters.values())) == len(CLAIMS) == 18
    assert set(chapters) <= set(CHAPTERS)


def test_what_could_not_be_recovered_is_cited_and_nothing_fails() -> None:
    cited = {name for name, c in CLAIMS.items() if c.recorded is Verdict.CITED}
    assert cited == {"prop-iii.3.2", "thm-iii.4.3", "thm-iii.4.4"}
    assert {c.recorded for n, c in CLAIMS.items() if n not in cited} == {
        Verdict.HOLDS,
        Verdict.MEASURED,
    }


def test_what_a_proof_uses_is_in_the_ledger() -> None:
    for claim in CLAIMS.values():
        assert claim.source.work == "features" and claim.remark
        assert all(used in LEDGER for used in claim.depends_on)


def test_what_is_measured_says_so_instead_of_naming_a_proof() -> None:
    for claim in CLAIMS.values():
        measured = claim.recorded is Verdict.MEASURED and not claim.proof
        page, _, anchor = claim.proof.partition("#")
        cited = claim.recorded is Verdict.CITED
        assert measured or cited or (page, anchor) == (claim.chapter, f"proof-{claim.id}")


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_check_can_be_sent_to_another_process(claim: Claim) -> None:
    assert pickle.loads(pickle.dumps(claim)) == claim


def test_an_attack_that_finds_nothing_is_never_the_evidence() -> None:
    found = QUICK["prop-iii.1"].observations
    stated = [item for item in found if item.role is Role.STATEMENT]
    assert {Method.EXACT, Method.CERTIFIED} <= {item.method for item in stated}


# Each line: the statement, a formula of the library, and the formula with an error.
TEXT: list[tuple[str, ModuleType, str, str]] = [
    (
        "prop-iii.3.1",
        attacks,
        "v[data.y][:, None]] = -np.minimum(data.beta, size)",
        "v[data.y][:, None]] = -0.9 * np.minimum(data.beta, size)",
    ),
    ("prop-iii.3.1", attacks, "v[j][:, None]] = size", "v[j][:, None]] = -size"),
    ("prop-iii.3.1", attacks, "v[j][:, None]] = size", "v[j][:, None]] = 1.01 * size"),
    ("prop-iii.3.2", certify, "np.abs(W).sum(axis=1)", "2.0 * np.abs(W).sum(axis=1)"),
    ("lem-iii.5.1", recursion, "* (1 - 1 / law.classes) / act.rho", "/ act.rho"),
    (
        "lem-iii.5.1",
        recursion,
        "(law.robust_patches * a) * slope_u",
        "law.robust_patches * slope_u",
    ),
    ("lem-iii.5.1", recursion, "_LARGEST_LOGIT)) + (self.k - 1)", "_LARGEST_LOGIT)) + self.k"),
    ("prop-iii.2", recursion, "(1.0 + steepest) ** (q - 1)", "(1.0 + steepest) ** (q - 2)"),
    ("prop-iii.2", recursion, "(high if q >= 2 else low) ** (q - 2)", "low ** (q - 2)"),
    ("prop-iii.2", recursion, "(other / first) ** (q - 2)", "(other / first) ** (q - 1)"),
    (
        "prop-iii.2",
        recursion,
        "step * (law.nonrobust_patches * b) * slope_v",
        "step * (3.0 * law.nonrobust_patches * b) * slope_v",
    ),
    (
        "prop-iii.12",
        attacks,
        "v[data.y][:, None]] = -np.minimum(data.beta, size)",
        "v[data.y][:, None]] = 0.0",
    ),
    (
        "prop-iii.12",
        recursion,
        "law.density_ratio(q) * (other",
        "0.1 * law.density_ratio(q) * (other",
    ),
    (
        "lem-iii.5.2",
        recursion,
        "(a, b, move(slope_u, B), move(slope_v, A))",
        "(a, b, move(slope_v, B), move(slope_u, A))",
    ),
    ("lem-iii.5.2", recursion, "np.clip(way, -eps, eps)", "np.clip(way, -2 * eps, 2 * eps)"),
    ("lem-iii.5.2", recursion, "(a * slope_u - u_in_v * slope_v)", "(a * slope_u)"),
    ("lem-iii.5.2", recursion, "pull = left * (slope", "pull = (slope"),
    (
        "prop-iii.3",
        recursion,
        "power_sum = logit * q * act.rho",
        "power_sum = logit * act.rho",
    ),
    (
        "prop-iii.3",
        recursion,
        "goal = law.nonrobust_patches * law.beta**2 / (q",
        "goal = law.nonrobust_patches * law.beta / (q",
    ),
    ("prop-iii.3", recursion, "(attack.rate * (1 - 1 / k))", "attack.rate"),
    (
        "prop-iii.3",
        recursion,
        "(middle, high) if reached < goal",
        "(middle, high) if reached < 1.001 * goal",
    ),
    (
        "prop-iii.4",
        recursion,
        "law.nonrobust_patches * law.beta**2 / (q * peak)",
        "law.nonrobust_patches * law.beta / (q * peak)",
    ),
    ("prop-iii.4", recursion, "float(lambertw((law.classes - 1)", "float(lambertw((law.classes)"),
    (
        "prop-iii.5",
        recursion,
        "(r * law.beta - law.alpha) / (r - 1)",
        "(r * law.beta - law.alpha) / r",
    ),
    ("prop-iii.5", recursion, "* ratio ** (q - 2)) ** (1 / q)", "* ratio ** (q - 1)) ** (1 / q)"),
    (
        "prop-iii.5",
        recursion,
        "a, b = law.alpha - move(slope_u, A)",
        "a, b = law.alpha - 0 * move(slope_u, A)",
    ),
    (
        "prop-iii.6",
        recursion,
        "growth_left(law.alpha, attack.eps, act.q)",
        "(1 - attack.eps / law.alpha)",
    ),
    ("prop-iii.6", recursion, "level, kappa, act.q)[0]", "level, damped, act.q)[0]"),
    (
        "prop-iii.6",
        recursion,
        "step * (law.robust_patches * a) * slope_u",
        "step * (4.0 * law.robust_patches * a) * slope_u",
    ),
    ("prop-iii.6", recursion, "np.clip(way, -eps, eps)", "np.clip(way, -3 * eps, 3 * eps)"),
    (
        "prop-iii.7",
        recursion,
        "logit_parts(self.law, self.act, A, B).share",
        "1 - logit_parts(self.law, self.act, A, B).share",
    ),
    (
        "prop-iii.1",
        recursion,
        "law.alpha * (1 - slack) / (1 + (P / law.robust_patches)",
        "law.alpha * (1 - slack) / (1 + (law.nonrobust_patches / law.robust_patches)",
    ),
    (
        "prop-iii.1",
        recursion,
        "law.beta * (1 + slack) / (1 + (P / law.nonrobust_patches) ** (1 / q))",
        "law.beta * (1 + slack) / 2",
    ),
    (
        "prop-iii.1",
        recursion,
        "return self.lower >= self.upper",
        "return self.lower >= 1.1 * self.upper",
    ),
    ("prop-iii.1", certify, "np.abs(W).sum(axis=1)", "1.01 * np.abs(W).sum(axis=1)"),
    (
        "thm-iii.4.4",
        recursion,
        "return self.lower <= validation",
        "return 2 * self.lower <= validation",
    ),
    ("prop-iii.9", certify, "np.abs(W).sum(axis=1)", "0.95 * np.abs(W).sum(axis=1)"),
    (
        "prop-iii.9",
        certify,
        "total = least.sum(axis=2) - greatest.sum(axis=2)",
        "total = least.sum(axis=2) - least.sum(axis=2)",
    ),
    (
        "prop-iii.9",
        certify,
        "- self.eps * np.abs(direction)",
        "- 0.2 * self.eps * np.abs(direction)",
    ),
    ("prop-iii.9", certify, "below = value - slope * point", "below = value - 0.5 * slope * point"),
]


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put what training runs find at once into the place of the runs.

    What is left of a check has to notice the error by itself, within seconds.
    """
    crossing = np.array([500.0, 600.0, 700.0])
    monkeypatch.setattr(statements, "_noisy_agreement", lambda *given: (crossing,) * 3)
    yes = fact("training", 1.0, "about 1", True, Method.MONTE_CARLO)
    monkeypatch.setattr(statements, "_trained_transition", lambda *given: yes)


@pytest.fixture
def trained_to_u(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let training end at once in a network of robust features."""
    _end_in(monkeypatch, robust=True)


def _end_in(monkeypatch: pytest.MonkeyPatch, *, robust: bool) -> None:
    right = training.train_features

    def fixed(law: FeatureData, settings: Any, seed: Any) -> Any:
        run = right(law, replace(settings, steps=0), seed)
        u, v = ([1.0], [0.0]) if robust else ([0.0], [1.0])
        return replace(run, network=PatchNetwork.of_features(law, u, v))

    monkeypatch.setattr(training, "train_features", fixed)


TRAINED: dict[str, tuple[Any, Any]] = {}


@pytest.fixture
def trained_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Train once for the same arguments and state of the numbers, for errors outside of training.

    A copy of ``training`` with an error has its own function, which remembers nothing.
    """
    right = training.train_features

    def remembered(law: FeatureData, settings: Any, rng: np.random.Generator) -> Any:
        numbers = rng.bit_generator
        key = repr((law, settings, numbers.state))
        if key not in TRAINED:
            TRAINED[key] = right(law, settings, rng), numbers.state
        run, numbers.state = TRAINED[key]
        return run

    monkeypatch.setattr(training, "train_features", remembered)


@pytest.mark.thorough
@pytest.mark.usefixtures("hasty", "trained_once")
@pytest.mark.parametrize(("name", "module", "right", "wrong"), TEXT)
def test_an_error_in_the_library_changes_the_verdict(
    name: str, module: ModuleType, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with planted(module, right, wrong) as copy:
        monkeypatch.setattr(statements, module.__name__.rpartition(".")[2], copy)
        assert is_unsettled(CLAIMS[name])


@pytest.mark.usefixtures("trained_to_u")
@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        (certify, "np.abs(W).sum(axis=1)", "1.3 * np.abs(W).sum(axis=1)"),
        (
            attacks,
            "delta[rows, :, feature[j]] = size",
            "delta[rows, :, feature[j]] = -size",
        ),
        (certify, "from __future__ import", "from __future__ import"),
    ],
)
def test_certificate_and_attack_both_decide_about_the_trained_network(
    module: ModuleType, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with planted(module, right, wrong) as copy:
        monkeypatch.setattr(statements, module.__name__.rpartition(".")[2], copy)
        holds = verdict_of(CLAIMS["prop-iii.8"]) is Verdict.MEASURED
        assert holds == (right == wrong)


@pytest.mark.parametrize(
    ("name", "module"),
    [("prop-iii.1", recursion), ("prop-iii.3.1", attacks), ("prop-iii.9", certify)],
)
def test_a_copy_without_an_error_changes_nothing(
    name: str, module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    with planted(module, "from __future__ import", "from __future__ import") as copy:
        monkeypatch.setattr(statements, module.__name__.rpartition(".")[2], copy)
        assert verdict_of(CLAIMS[name]) is CLAIMS[name].recorded


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["prop-iii.3.1", "prop-iii.9", "lem-iii.5.1"])
def test_another_activation_changes_the_verdict(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = SmoothedReLU.value_and_slope

    def steeper(act: SmoothedReLU, z: Any) -> Any:
        value, slope = right(act, z)
        return value * (1 + 1e-6 * np.tanh(z)), slope * (1 + 1e-6 * np.tanh(z))

    monkeypatch.setattr(SmoothedReLU, "value_and_slope", steeper)
    assert is_unsettled(CLAIMS[name])


@pytest.mark.thorough
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("name", ["lem-iii.5.1", "lem-iii.5.2"])
def test_a_wrong_gradient_changes_the_verdict(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = PatchNetwork.weight_gradient

    def wrong(network: PatchNetwork, X: Any, y: Any) -> Any:
        loss, gradient = right(network, X, y)
        return loss, gradient * (1 + 1e-6)

    monkeypatch.setattr(PatchNetwork, "weight_gradient", wrong)
    assert is_unsettled(CLAIMS[name])


@pytest.mark.thorough
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("name", ["lem-iii.5.2", "prop-iii.4"])
def test_a_faster_adversary_changes_the_verdict(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = TrainingAttack._step
    monkeypatch.setattr(
        TrainingAttack, "_step", lambda attack, slope, eps: 1.05 * right(attack, slope, eps)
    )
    assert is_unsettled(CLAIMS[name])


@pytest.mark.parametrize(
    ("yes", "of", "quick", "full"),
    [
        (12, 12, (Outcome.YES, Role.STATEMENT), (Outcome.YES, Role.STATEMENT)),
        (1, 4, (Outcome.OPEN, Role.ASIDE), (Outcome.OPEN, Role.STATEMENT)),
        (4, 12, (Outcome.OPEN, Role.ASIDE), (Outcome.OPEN, Role.STATEMENT)),
        (0, 12, (Outcome.NO, Role.STATEMENT), (Outcome.NO, Role.STATEMENT)),
    ],
)
def test_few_seeds_that_cannot_decide_are_set_aside_and_many_leave_the_verdict_open(
    yes: int, of: int, quick: tuple[Outcome, Role], full: tuple[Outcome, Role]
) -> None:
    for budget, wanted in ((Budget.QUICK, quick), (Budget.FULL, full)):
        found = statements._most("something happens", yes, of, budget)
        assert (found.outcome, found.role) == wanted


@pytest.mark.parametrize("budget", list(Budget))
def test_one_seed_decides_nothing_about_a_mean(budget: Budget) -> None:
    assert statements._average("a share", [0.99], 0.5, budget).outcome is Outcome.OPEN
    assert statements._average("a share", [0.99] * 3, 0.5, budget).outcome is Outcome.YES
    assert statements._average("a share", [0.1] * 3, 0.5, budget).outcome is Outcome.NO


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "settings", "steps"),
    [
        ("prop-iii.12", "_STANDARD", 30),
        ("prop-iii.8", "_ADVERSARIAL", 200),
    ],
)
def test_training_that_stops_early_changes_the_verdict(
    name: str, settings: str, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = replace(getattr(statements, settings), steps=steps)
    monkeypatch.setattr(statements, settings, chosen)
    assert is_unsettled(CLAIMS[name])


@pytest.mark.thorough
@pytest.mark.usefixtures("trained_once")
def test_classes_that_lean_on_the_other_feature_change_the_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = PatchNetwork.shares

    def other(network: PatchNetwork, law: FeatureData) -> Any:
        found = right(network, law)
        return replace(found, robust=found.nonrobust, nonrobust=found.robust)

    monkeypatch.setattr(PatchNetwork, "shares", other)
    assert verdict_of(CLAIMS["prop-iii.12"]) is Verdict.FAILS


@pytest.mark.thorough
@pytest.mark.usefixtures("hasty")
def test_a_transition_at_one_over_the_rate_changes_the_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = recursion.phase_diagram

    def hurried(*given: Any, **more: Any) -> Any:
        found = right(*given, **more)
        return replace(found, crossing=found.crossing / found.rates[:, None])

    monkeypatch.setattr(recursion, "phase_diagram", hurried)
    assert verdict_of(CLAIMS["prop-iii.6"]) is Verdict.FAILS


@pytest.mark.thorough
@pytest.mark.parametrize("robust", [True, False])
def test_other_outcomes_of_the_variants_change_the_verdict(
    robust: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    _end_in(monkeypatch, robust=robust)
    assert verdict_of(CLAIMS["prop-iii.10"]) is Verdict.FAILS


@pytest.mark.thorough
def test_a_defense_that_saves_nothing_on_digits_changes_the_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record = {"clean": 0.05, "attacked": 0.4, "certified": 0.5, "loss": 0.1}
    monkeypatch.setattr(studies, "digit_record", lambda *given, **more: record)
    assert verdict_of(CLAIMS["prop-iii.11"]) is Verdict.FAILS


@pytest.mark.thorough
def test_digits_that_can_be_learned_at_once_change_the_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = studies.digit_settings
    monkeypatch.setattr(
        studies, "digit_settings", lambda eps, **more: replace(right(0.0), steps=200)
    )
    assert verdict_of(CLAIMS["prop-iii.11"]) is Verdict.FAILS

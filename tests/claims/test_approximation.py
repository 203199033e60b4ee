"""Each claim on f and g has the verdict on record, and a planted error changes it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import pytest

from sublinear_lib.claims import Budget, Method, Outcome, Role, Verdict
from sublinear_lib.claims.statements import approximation as statements
from sublinear_lib.theory import exponents, gap_parts, jump, uniform_gap, worst_case
from tests.claims.planting import is_unsettled
from tests.claims.stored import QUICK

BY_ID = {claim.id: claim for claim in statements.CLAIMS}


def verdict(name: str) -> Verdict:
    return BY_ID[name].run(Budget.QUICK, 0).verdict


@pytest.mark.parametrize("name", [name for name, claim in BY_ID.items() if not claim.restates])
def test_the_verdict_is_the_one_on_record(name: str) -> None:
    claim = BY_ID[name]
    evidence = QUICK[name]
    assert evidence.verdict is claim.recorded, [
        (item.what, item.shown, item.asked)
        for item in evidence.observations
        if item.outcome is not Outcome.YES
    ]
    # What holds instead does hold.
    assert all(
        item.outcome is Outcome.YES for item in evidence.observations if item.role is Role.REPAIR
    )
    if claim.recorded is Verdict.FAILS:
        assert evidence.witness
        assert any(item.role is Role.CONTROL for item in evidence.observations)


def test_the_witness_of_theorem_41_can_be_seen_again() -> None:
    from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork

    witness = QUICK["thm-4.1"].witness
    m, d = witness["m"], witness["d"]
    network = TwoLayerNetwork.initialize(m, d, "PRINTED", rng=witness["seed"])
    x = [3**0.5 / 2, *[0.0] * (d - 2), 0.5]
    weights = [worst_case.worst_weights(network, x, m**-0.6, side).W for side in ("above", "below")]
    gaps = [float(PseudoNetwork(network, W).decompose([x]).gap[0]) for W in weights]
    assert gaps[0] == pytest.approx(witness["sup (f - g)(x)"])
    assert -gaps[1] == pytest.approx(witness["sup (g - f)(x)"])
    assert (gaps[0] - gaps[1]) / 2 == pytest.approx(witness["half-width H(x)"])


def test_every_slope_names_its_rival() -> None:
    evidence = QUICK["thm-4.1"]
    slopes = [item for item in evidence.observations if item.what.startswith("slope of H")]
    assert len(slopes) == 10
    assert all("excludes" in item.asked or ", below " in item.asked for item in slopes)
    assert {item.method for item in slopes} == {Method.MONTE_CARLO}


# --- planted errors ---


def scaled(factor: float) -> Callable[[Any], Any]:
    return lambda value: value * factor


def with_field(name: str, factor: float) -> Callable[[Any], Any]:
    return lambda value: dataclasses.replace(value, **{name: factor * getattr(value, name)})


def growing(value: Any, m: int) -> Any:
    return dataclasses.replace(value, mean=value.mean * m**0.05, variance=value.variance * m**0.1)


PLANTED = [
    # A wrong exponent, a flipped sign, a dropped factor, one percent.
    ("thm-4.1", worst_case, "log_half_width_below", scaled(1.01)),
    ("thm-4.1", gap_parts, "oblivious_gap_std", scaled(0.99)),
    ("claim-c.6", gap_parts, "initial_output_std", scaled(1.01)),
    ("claim-c.6", gap_parts, "log_initial_output_tail", scaled(1.01)),
    ("prop-1", worst_case, "half_width_moments", with_field("mean", 1.01)),
    ("prop-1", worst_case, "half_width_moments", with_field("variance", 0.99)),
    ("prop-1", worst_case, "half_width_leading_term", scaled(1.01)),
    ("prop-1", worst_case, "worst_gap", with_field("above", -1.0)),
    ("prop-1", worst_case, "worst_gap", with_field("largest_g", 1.01)),
    ("prop-2", jump, "jump_price", scaled(1.01)),
    ("prop-2", jump, "ball_price", scaled(0.99)),
    ("prop-2", jump, "half_width_over_g", scaled(1.01)),
    ("prop-2", jump, "gradient_ratio", scaled(1.01)),
    ("prop-2", jump, "jump_half_width_bound", scaled(0.5)),
    ("thm-a", uniform_gap, "certified_gap_bound", with_field("mean", 1.01)),
    ("thm-a", uniform_gap, "certified_gap_bound", with_field("variance", 1.01)),
    ("thm-a", uniform_gap, "certified_gap_bound", with_field("deviation", 0.99)),
    ("thm-a", uniform_gap, "certified_gap_bound", with_field("log_net", 0.99)),
    ("thm-a", uniform_gap, "certified_gap_bound", with_field("mesh", 0.5)),
    ("thm-a", uniform_gap, "thin_window_size", scaled(1.01)),
    ("thm-4.1-r", uniform_gap, "certified_initial_bound", with_field("deviation", 0.99)),
    ("thm-4.1-r", uniform_gap, "certified_initial_bound", with_field("variance", 1.01)),
    ("thm-4.1-r", uniform_gap, "certified_initial_bound", with_field("mesh", 0.99)),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "module", "function", "change"), PLANTED)
def test_an_error_in_the_theory_changes_the_verdict(
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    module: Any,
    function: str,
    change: Callable[[Any], Any],
) -> None:
    original = getattr(module, function)
    monkeypatch.setattr(module, function, lambda *args, **words: change(original(*args, **words)))
    assert is_unsettled(BY_ID[name])


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["thm-4.1", "thm-4.1-r", "set-r1", "set-r3"])
def test_a_wrong_exponent_of_the_half_width_changes_the_verdict(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    original = worst_case.half_width_moments
    monkeypatch.setattr(
        worst_case,
        "half_width_moments",
        lambda m, *rest, **words: growing(original(m, *rest, **words), m),
    )
    assert is_unsettled(BY_ID[name])


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "part"), [("claim-c.5", 0), ("claim-c.7", 1)])
@pytest.mark.parametrize("field", ["mean", "variance"])
def test_an_error_in_the_moments_of_a_part_changes_the_verdict(
    monkeypatch: pytest.MonkeyPatch, name: str, part: int, field: str
) -> None:
    original = gap_parts.part_moments

    def wrong(*args: Any, **words: Any) -> Any:
        laws = list(original(*args, **words))
        laws[part] = with_field(field, 1.01)(laws[part])
        return tuple(laws)

    monkeypatch.setattr(gap_parts, "part_moments", wrong)
    assert is_unsettled(BY_ID[name])


def plant_factor(patch: pytest.MonkeyPatch, key: str, more: Fraction) -> None:
    """Add to the exponent of the first factor of a chain."""
    chain = exponents.CHAINS[key]
    factor = chain.factors[0]
    wrong = exponents.Factor(factor.label, factor.power + exponents.Power(more))
    other = dataclasses.replace(chain, factors=(wrong, *chain.factors[1:]))
    patch.setattr(exponents, "CHAINS", MappingProxyType({**exponents.CHAINS, key: other}))


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "key"), [("thm-4.1", "4.1"), ("lem-c.8", "4.1"),
                                           ("claim-c.5", "C.5"), ("claim-c.7", "C.7"),
                                           ("claim-c.6", "C.6")])  # fmt: skip
def test_a_wrong_factor_in_a_chain_changes_the_verdict(
    monkeypatch: pytest.MonkeyPatch, name: str, key: str
) -> None:
    plant_factor(monkeypatch, key, Fraction(-1, 5))
    assert is_unsettled(BY_ID[name])


@pytest.mark.parametrize("key", ["4.1", "C.5", "C.7"])
@pytest.mark.parametrize(
    ("more", "outcome"), [(-1, Outcome.YES), (-2, Outcome.YES), (Fraction(-1, 2), Outcome.NO)]
)
def test_a_printed_bound_is_kept_by_every_smaller_exponent(
    monkeypatch: pytest.MonkeyPatch, key: str, more: int | Fraction, outcome: Outcome
) -> None:
    plant_factor(monkeypatch, key, Fraction(more) / 5)
    assert statements._printed_chain(key)[0].outcome is outcome


@pytest.mark.thorough
def test_a_wrong_identity_of_the_parts_changes_the_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from sublinear_lib.network import Decomposition, PseudoNetwork

    original = PseudoNetwork.decompose

    def wrong(self: PseudoNetwork, *args: Any, **words: Any) -> Decomposition:
        found = original(self, *args, **words)
        return dataclasses.replace(found, C=-found.C)

    monkeypatch.setattr(PseudoNetwork, "decompose", wrong)
    assert verdict("def-c.4") is Verdict.FAILS


@pytest.mark.thorough
def test_a_wrong_region_changes_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [
        dataclasses.replace(part, power=part.power + exponents.Power(Fraction(1, 4)))
        if part.name == "gap along the run"
        else part
        for part in exponents.CONSISTENT.inequalities
    ]
    monkeypatch.setattr(exponents, "CONSISTENT", exponents.Region("wrong", tuple(parts)))
    assert verdict("set-r3") is Verdict.FAILS


def test_a_bound_that_is_too_small_is_exceeded(monkeypatch: pytest.MonkeyPatch) -> None:
    original = uniform_gap.certified_gap_bound

    def small(*args: Any, **words: Any) -> Any:
        found = original(*args, **words)
        return dataclasses.replace(found, mean=0.1 * found.mean, deviation=0.0)

    monkeypatch.setattr(uniform_gap, "certified_gap_bound", small)
    evidence = BY_ID["thm-a"].run(Budget.QUICK, 0)
    exceeded = [
        item for item in evidence.observations
        if item.what.startswith("exact sup over X") and item.outcome is Outcome.NO
    ]  # fmt: skip
    assert exceeded

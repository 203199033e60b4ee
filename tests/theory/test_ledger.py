"""Promises of ``theory.ledger``: its entries are what runs count, its exponents are exact."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import datasets, scaling, theory
from sublinear_lib.adversary import IdentityAdversary, ProjectedGradient
from sublinear_lib.halfspace import alive_on_slice
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory.orders import Order, search_exponent
from sublinear_lib.training import DenseAdversarialTraining, SublinearAdversarialTraining

M, N, D = 1024, 24, 6
DATA = datasets.separated(N, D, separation=0.25, rng=0)
FIFTH = Fraction(1, 5)


def network(seed: int, t: float = 1.5, m: int = M) -> TwoLayerNetwork:
    tau = scaling.threshold_from_standard(t, m)
    return TwoLayerNetwork.initialize(m, D, rng=seed, tau=tau)


# ---- against the counters of runs ---------------------------------------------------------------


@pytest.mark.parametrize("steps", [1, 4])
def test_the_dense_ledger_is_what_the_dense_trainer_counts(steps: int) -> None:
    trainer = DenseAdversarialTraining(adversary=ProjectedGradient(rho=0.1, steps=steps), steps=1)
    [row] = trainer.fit(network(0), DATA.X, DATA.y, rng=0).records
    found = row.work_query, row.work_forward, row.work_backward, row.work_adversary
    ledger = theory.dense_ledger(M, N, steps)
    assert found == (ledger.query, ledger.forward, ledger.gradient, ledger.attack)
    assert row.touched <= ledger.weights


@pytest.mark.parametrize("seed", range(5))
def test_without_an_attack_every_entry_to_the_letter_is_determined(seed: int) -> None:
    start = network(seed)
    trainer = SublinearAdversarialTraining(adversary=IdentityAdversary(), steps=1, index="literal")
    history = trainer.fit(start, DATA.X, DATA.y, rng=0)
    mask = start.active_mask(DATA.X)
    per_query = history.work_query[0] / (2 * N)
    ledger = theory.literal_ledger(
        N,
        active=mask.sum() / N,
        touched=float(mask.any(axis=0).sum()),
        query=per_query,
        attack_steps=0,
    )
    assert history.work_adversary[0] + history.work_query[0] / 2 == pytest.approx(ledger.attack)
    assert history.work_query[0] / 2 == pytest.approx(ledger.query)
    assert history.work_forward[0] == pytest.approx(ledger.forward)
    assert history.work_backward[0] == pytest.approx(ledger.gradient)
    assert history.touched[0] == ledger.weights
    # A query looks at the neurons that can fire on X, up to the grain of the structure.
    alive = len(alive_on_slice(start.W, start.b, tau=start.tau))
    assert alive <= per_query <= min(M, alive + 128)


def test_one_query_per_example_costs_what_the_shared_ledger_says() -> None:
    steps = 3
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1, steps=steps),
        steps=3,
        index="scan",
        reduction="reference",
    )
    history = trainer.fit(network(2), DATA.X, DATA.y, rng=0)
    for row in history.records:
        active = row.work_backward / N
        ledger = theory.shared_ledger(
            N,
            active=active,
            near=row.candidates,
            touched=row.touched,
            query=M - history.set_aside,
            attack_steps=steps,
        )
        assert row.work_query == ledger.query
        assert row.work_forward == pytest.approx(ledger.forward)
        assert row.work_backward == pytest.approx(ledger.gradient)
        # Values at the S + 1 points are known; gradients count the activity at the attack's points.
        values = N * (steps + 1) * row.candidates
        assert values <= row.work_adversary <= values + N * steps * row.candidates


def test_expected_ledgers_of_the_four_algorithms_are_built_from_the_same_counts() -> None:
    tau = scaling.SPARSE_C.tau(2**14)
    counts = theory.expected_counts(2**14, 32, 8, tau, 0.1)
    arguments = (2**14, 32, 8, tau, 0.1, 5)
    assert theory.expected_ledger(*arguments, "dense") == theory.dense_ledger(2**14, 32, 5)
    assert theory.expected_ledger(*arguments, "alive") == theory.dense_ledger(counts.alive, 32, 5)
    literal = theory.expected_ledger(*arguments, "literal", 3.0)
    assert literal.query == 32 * counts.alive
    assert literal.attack == pytest.approx(32 * (6 * counts.alive + 11 * counts.active))
    assert literal.index == pytest.approx(6 * counts.touched)
    shared = theory.expected_ledger(*arguments, "shared")
    assert shared.attack == pytest.approx(32 * (6 * counts.near + 5 * counts.active))
    assert shared.index == shared.weights == counts.touched


def test_no_more_rows_are_expected_to_move_than_can_fire_on_X() -> None:
    tau = scaling.SPARSE_C.tau(2**12)
    many = theory.expected_counts(2**12, 10_000, 3, tau, 0.1)
    assert many.touched == many.alive < 10_000 * many.active
    one = theory.expected_counts(2**12, 1, 3, tau, 0.1)
    assert one.touched == one.active < one.alive


def test_the_printed_ledger_has_no_factor_n_on_the_first_term_and_no_adversary() -> None:
    ledger = theory.printed_ledger(50, active=100.0, flips=7.0, query=3.0, update=2.0)
    assert ledger == theory.Ledger(0.0, 150.0, 107.0, 107.0, 0.0, 214.0)


def test_a_ledger_adds_up_and_changes_its_unit() -> None:
    ledger = theory.Ledger(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert ledger.total == 21.0
    assert list(ledger.entries) == list(theory.LINES)
    assert ledger.over(2.0) == theory.Ledger(0.5, 1.0, 1.5, 2.0, 2.5, 3.0)


# ---- few neurons can fire on X ------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(t=st.floats(0.0, 12.0), d=st.integers(2, 80))
def test_the_bound_of_the_surviving_share_holds(t: float, d: int) -> None:
    bound = theory.surviving_share_bound(t, d)
    assert theory.surviving_share(t, d) <= bound <= 1.0


def test_the_bound_starts_at_the_mean_of_the_longest_neuron() -> None:
    for d in (2, 9, 33):
        mean = math.sqrt(3 * (d - 1) / 8)
        assert theory.surviving_share_bound(mean, d) == 1.0
        assert theory.surviving_share_bound(mean + 1.0, d) == pytest.approx(math.exp(-0.5))


@pytest.mark.parametrize("d", [2, 3, 4, 8])
def test_the_asymptote_of_the_surviving_share_is_reached(d: int) -> None:
    far = [
        theory.surviving_share(t, d) / theory.surviving_share_asymptote(t, d)
        for t in (8.0, 15.0, 30.0)
    ]
    off = [abs(ratio - 1.0) for ratio in far]
    assert off[2] < 0.04
    assert off[0] >= off[1] >= off[2] or max(off) < 1e-9


@settings(deadline=None, max_examples=60)
@given(m=st.integers(2, 2**40), numerator=st.integers(0, 10))
def test_the_widest_dimension_is_the_last_with_a_bound_below_one(m: int, numerator: int) -> None:
    c = Fraction(numerator, 10)
    t = math.sqrt(2 * float(c) * math.log(m))
    widest = theory.widest_dimension(m, c)
    if widest >= 2:
        assert theory.surviving_share_bound(t, widest) < 1.0
    assert theory.surviving_share_bound(t, max(2, widest + 1)) == 1.0


# ---- exponents ----------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 8, 16, 17, 18, 64])
def test_the_printed_exponent_is_that_of_the_flips_or_of_the_search(d: int) -> None:
    exponent = theory.leading_exponent(theory.printed_orders(d, FIFTH))
    assert isinstance(exponent, Fraction)
    assert exponent == max(Fraction(7, 8), 1 - Fraction(1, d // 2))
    for orders in (theory.printed_orders, theory.corrected_orders):
        assert theory.leading_exponent(orders(d, 0)) == 1  # half of the neurons are active


def test_the_corrected_ledger_has_every_line_and_the_printed_one_has_no_adversary() -> None:
    assert set(theory.corrected_orders(8, FIFTH)) == set(theory.LINES)
    assert "attack" not in theory.printed_orders(8, FIFTH)
    repaired = theory.corrected_orders(8, FIFTH, flips=Fraction(7, 10))
    assert max(term.at() for term in repaired["forward"]) == Fraction(4, 5)


@pytest.mark.parametrize("d", [3, 8])
def test_the_elementary_exponent_is_that_of_the_asymptote(d: int) -> None:
    """Evaluated where logarithms are large: m = exp(500) and exp(800)."""
    order = theory.elementary_orders(d, FIFTH)["forward"][0]
    logs = (500.0, 800.0)
    shares = [theory.surviving_share_asymptote(math.sqrt(0.4 * log), d) for log in logs]
    measured = math.log(shares[1]) - math.log(shares[0]) + (logs[1] - logs[0])
    predicted = float(order.m) * (logs[1] - logs[0]) + float(order.log) * math.log(
        logs[1] / logs[0]
    )
    # A log too many would be 0.23 here; what remains is 1/t^2 of the tail.
    assert measured == pytest.approx(predicted, abs=0.01)


def test_the_search_is_a_logarithm_to_dimension_three_and_nearly_a_scan_in_high_ones() -> None:
    found = [search_exponent(d) for d in range(2, 9)]
    assert found == [0, 0, Fraction(1, 2), Fraction(1, 2), *2 * [Fraction(2, 3)], Fraction(3, 4)]
    assert search_exponent(2000) == Fraction(999, 1000)
    with pytest.raises(ValueError, match=r"^d must be an integer >= 2, got 1"):
        search_exponent(1)


def test_orders_are_written_in_plain_text() -> None:
    assert str(Order(0)) == "1"
    assert str(Order(1, 1, 1, Fraction(5, 2))) == "m n d log^5/2"


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^m must be an exact"):
        Order(0.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^orders must hold"):
        theory.leading_exponent({})
    with pytest.raises(ValueError, match=r"^near must"):
        theory.shared_ledger(2, active=5.0, near=4.0, touched=1.0, query=1.0, attack_steps=1)

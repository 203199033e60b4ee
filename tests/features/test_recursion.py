"""The recursion follows training, and the closed forms follow the recursion."""

from __future__ import annotations

import dataclasses
import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.features import (
    FeatureData,
    FeatureRun,
    PatchNetwork,
    SmoothedReLU,
    TrainingAttack,
    TrainingSettings,
    attacked_strengths,
    critical_budget,
    critical_rate,
    escape_time,
    feature_recursion,
    feature_shares,
    growth_left,
    growth_rates,
    phase_diagram,
    plateau,
    race_ratio,
    robustness_window,
    transition_bracket,
)

pytestmark = pytest.mark.either_way

LAW = FeatureData()
STANDARD = TrainingSettings(steps=400)
ATTACK = TrainingAttack(eps=0.9, rate=300)
ADVERSARIAL = TrainingSettings(attack=ATTACK)


# Recursion and training.


@pytest.mark.parametrize("attack", [None, ATTACK, TrainingAttack(eps=0.4, rule="sign")], ids=repr)
def test_without_noise_jitter_and_other_classes_one_update_is_the_recursion(
    attack: TrainingAttack | None,
) -> None:
    law = FeatureData(noise=0.0, jitter=0.0)
    rng = np.random.default_rng(0)
    A0, B0 = rng.uniform(0.05, 2.0, (2, 3, 4))
    network = PatchNetwork.of_features(law, A0, B0)
    data = law.sample(6, 0)
    chosen = TrainingSettings(steps=1, attack=attack)
    path = feature_recursion(law, chosen, A0, B0, coupled=True)
    inputs = data.X if attack is None else attack.perturb(network, data.X, data.y)
    # The other classes see nothing of these inputs, so their logits are 0, as the recursion says.
    moved = PatchNetwork(network.weights - network.weight_gradient(inputs, data.y)[1])
    A, B = moved.alignments(law)
    np.testing.assert_allclose(A, path.A[1], rtol=1e-12)
    np.testing.assert_allclose(B, path.B[1], rtol=1e-12)


def test_the_recursion_predicts_the_phase_transition_within_ten_percent(
    adversarial: FeatureRun,
) -> None:
    start = adversarial.initial.alignments(LAW)
    measured = adversarial.history.crossing()
    for coupled in (False, True):
        path = feature_recursion(LAW, ADVERSARIAL, *start, coupled=coupled)
        assert np.abs(path.crossing() / measured - 1).max() < 0.1
        final = path.leaders()[0][-1] / adversarial.history.leaders()[0][-1]
        assert np.abs(final - 1).max() < 0.02


# The recursion itself.


def test_a_budget_of_0_reduces_the_second_lemma_to_the_first() -> None:
    A0, B0 = np.array([0.1, 0.02]), np.array([0.08, 0.11])
    plain = feature_recursion(LAW, STANDARD, A0, B0)
    for attack in (TrainingAttack(eps=0.0), TrainingAttack(eps=0.0, rule="sign")):
        for coupled in (False, True):
            same = feature_recursion(LAW, replace(STANDARD, attack=attack), A0, B0, coupled=coupled)
            np.testing.assert_allclose(same.A, plain.A, rtol=1e-13)
            np.testing.assert_allclose(same.B, plain.B, rtol=1e-13)


@pytest.mark.parametrize("q", [2, 3, 2.5])
def test_the_early_form_is_the_tensor_power_recursion(q: float) -> None:
    chosen = TrainingSettings(steps=12, activation=SmoothedReLU(q, 5.0))
    path = feature_recursion(LAW, chosen, [0.1], [0.01], early=True)
    rates = growth_rates(LAW, chosen)
    x = np.array([0.1, 0.01])
    for step in range(12):
        np.testing.assert_allclose([path.A[step, 0, 0], path.B[step, 0, 0]], x, rtol=1e-11)
        x = x + np.array(rates) * x ** (q - 1)


def test_the_damping_of_the_early_form_is_the_minimum_in_the_lemma() -> None:
    A0, B0, rho = np.array([0.3, 0.2]), np.array([0.5, 0.1]), 15.0
    for eps, rate in ((0.2, 1e3), (5.0, 40.0)):
        chosen = TrainingSettings(steps=1, attack=TrainingAttack(eps=eps, rate=rate))
        path = feature_recursion(LAW, chosen, A0, B0, early=True)
        both = zip((path.A, path.B), growth_rates(LAW, chosen), (3.0, 1.0), strict=True)
        for x, growth, strength in both:
            order = rate * (2 / 3) * strength / rho**2 * (x[0, 0] ** 3).sum()
            factor = 1 - min(eps / strength, order)
            expected = growth * factor**3 * x[0, 0] ** 2
            np.testing.assert_allclose(x[1, 0] - x[0, 0], expected, rtol=1e-12)


@pytest.mark.parametrize("fast", [{"rule": "normalized"}, {"rate": 1e15}])
def test_a_sign_step_is_the_limit_of_a_fast_ascent(fast: dict[str, Any]) -> None:
    one, other = (
        replace(STANDARD, attack=TrainingAttack(eps=0.3, **words))
        for words in ({"rule": "sign"}, fast)
    )
    start = [0.1, 0.02], [0.08, 0.11]
    paths = [feature_recursion(LAW, chosen, *start, coupled=True).A for chosen in (one, other)]
    np.testing.assert_allclose(*paths, rtol=1e-9)


@pytest.mark.parametrize("coupled", [False, True])
def test_a_diagram_is_the_recursion_at_every_point_and_keeps_its_path(coupled: bool) -> None:
    A0, B0 = np.random.default_rng(1).uniform(0, 0.3, (2, 3, 4))
    eps, rates = [0.0, 0.5, 0.9, 1.2], [40.0, 300.0, 3000.0]
    chosen = TrainingSettings(steps=110)
    found = phase_diagram(LAW, chosen, A0, B0, eps, rates, coupled=coupled, record_every=50)
    assert found.share.shape == (4, 3, 3) and found.steps.tolist() == [0, 50, 100]
    for i, j in itertools.product(range(4), range(3)):
        attack = TrainingAttack(eps=eps[i], rate=rates[j])
        path = feature_recursion(LAW, replace(chosen, attack=attack), A0, B0, coupled=coupled)
        A, B = path.leaders()
        shares = feature_shares(LAW, chosen.activation, path.A[-1], path.B[-1]).share
        for mine, theirs in (
            (found.A[i, j], A[-1]),
            (found.B[i, j], B[-1]),
            (found.crossing[i, j], path.crossing()),
            (found.share[i, j], shares),
            (found.path_A[:, i, j], A[found.steps]),
            (found.path_B[:, i, j], B[found.steps]),
        ):
            np.testing.assert_allclose(mine, theirs, rtol=1e-9)
    ends = phase_diagram(LAW, chosen, A0, B0, [0.9], [300.0])
    assert ends.steps.tolist() == [0, 110]
    np.testing.assert_array_equal(ends.path_B[-1], ends.B)


def test_a_wall_stands_where_the_share_passes_one_half_on_a_logarithmic_scale() -> None:
    eps, rates = np.array([0.5, 0.7, 0.9]), np.array([1.0, 10.0, 100.0, 1000.0])
    tiny = phase_diagram(LAW, TrainingSettings(steps=1), [[0.1]], [[0.1]], eps, rates)
    share = np.array([[0.2, 0.8, 0.6, 0.1], [0.1, 0.2, 0.5, 0.4], [0.9, 0.8, 0.3, 0.6]])
    ((budgets, lower, upper),) = dataclasses.replace(tiny, share=share[:, :, None]).walls()
    assert budgets.tolist() == [0.5, 0.9]  # at 0.7 the share is nowhere above one half
    np.testing.assert_allclose(lower, [10**0.5, 1.0], rtol=1e-12)
    np.testing.assert_allclose(upper, [10**2.2, 1000.0], rtol=1e-12)
    rows, columns = [2, 0, 1], [1, 3, 0, 2]
    mixed = dataclasses.replace(
        tiny, eps=eps[rows], rates=rates[columns], share=share[rows][:, columns, None]
    )
    np.testing.assert_array_equal(mixed.walls()[0], (budgets, lower, upper))


def test_what_is_left_of_a_feature_is_what_one_step_of_ascent_leaves() -> None:
    law = FeatureData(noise=0.0, jitter=0.0)
    A, B = np.random.default_rng(2).uniform(0.0, 1.5, (2, 3, 4))
    attack = TrainingAttack(eps=0.7, rate=40.0)
    chosen = TrainingSettings(attack=attack)
    network = PatchNetwork.of_features(law, A, B)
    data = law.sample(3, rng=0)
    moved = attack.perturb(network, data.X, data.y)
    a, b = attacked_strengths(law, chosen, A, B)
    rows = np.arange(3)
    np.testing.assert_allclose(moved[rows, 0, np.asarray(law.u)], a, rtol=1e-12)
    np.testing.assert_allclose(moved[rows, 1, np.asarray(law.v)], b, rtol=1e-12)
    assert (a >= law.alpha - 0.7).all() and (b < law.beta).all()
    whole = attacked_strengths(law, TrainingSettings(), A, B)
    assert (whole[0] == law.alpha).all() and (whole[1] == law.beta).all()
    with pytest.raises(ValueError, match="one step with the rule 'clipped'"):
        attacked_strengths(law, TrainingSettings(attack=replace(attack, steps=2)), A, B)
    with pytest.raises(ValueError, match="A and B must have one shape"):
        attacked_strengths(law, chosen, A, B[:, :2])


# Closed forms.


@given(st.floats(0.01, 1.0), st.floats(1.0, 50.0), st.floats(1e-3, 0.5), st.floats(1.1, 5.0))
@settings(deadline=None, max_examples=150)
def test_the_bounds_on_the_escape_hold(
    start: float, factor: float, growth: float, q: float
) -> None:
    end = start * factor
    lower, upper = escape_time(start, end, growth, q)
    if upper > 3e4:
        return
    x, steps = start, 0
    while x < end:
        x += growth * x ** (q - 1)
        steps += 1
    assert lower <= steps * (1 + 1e-12) + 1e-9
    assert steps <= upper * (1 + 1e-12) + 1e-9


def test_the_escape_is_continuous_in_the_exponent() -> None:
    times = [escape_time(0.1, 2.0, 0.05, q)[0] for q in (2 - 1e-9, 2, 2 + 1e-9)]
    assert times[0] == pytest.approx(times[1], rel=1e-7)
    assert times[2] == pytest.approx(times[1], rel=1e-7)
    assert times[1] == pytest.approx(math.log(20) / 0.05)
    assert escape_time(0.3, 0.3, 0.05, 3) == (0.0, 0.0)


@pytest.mark.parametrize(("A0", "B0"), [(0.1, 0.1), (0.2, 0.05), (0.1, 0.04), (0.1, 0.047)])
def test_who_wins_the_race_is_told_by_the_ratio_of_relative_growths(A0: float, B0: float) -> None:
    path = feature_recursion(LAW, TrainingSettings(steps=1500), [A0], [B0])
    share = path.B[-1, 0, 0] / (path.A[-1, 0, 0] + path.B[-1, 0, 0])
    assert (share > 0.5) == (race_ratio(LAW, 3, A0, B0) > 1)
    kappa = growth_rates(LAW, TrainingSettings())
    assert race_ratio(LAW, 3, A0, B0) == pytest.approx(kappa[1] * B0 / (kappa[0] * A0))


@pytest.mark.parametrize("rate", [100.0, 300.0, 1000.0, 3000.0])
def test_the_plateau_is_where_the_recursion_rests(rate: float) -> None:
    chosen = TrainingSettings(steps=600, attack=TrainingAttack(eps=1.0, rate=rate))
    found = plateau(LAW, chosen)
    path = feature_recursion(LAW, chosen, [1e-4], [0.1])  # no robust feature comes in between
    assert path.B[-1, 0, 0] == pytest.approx(found.level, rel=0.1)
    assert path.B[-1, 0, 0] < found.level
    assert found.early_level == pytest.approx((225 / (rate * 2 / 3)) ** (1 / 3), rel=1e-12)
    value = SmoothedReLU().value(np.array([found.level]))[0]
    assert found.logit == pytest.approx(60 * value, rel=1e-9)
    left = 2 / (math.exp(found.logit) + 2)
    assert found.pull == pytest.approx(left * found.logit, rel=1e-9)
    assert rate * left * (found.level / 15) ** 2 * found.level == pytest.approx(1.0, rel=1e-9)


def test_a_budget_leaves_the_growth_of_a_feature_that_much_weaker() -> None:
    law = FeatureData(alpha=3.0, beta=1.0, nonrobust_patches=60)
    for eps in (0.0, 0.4, 0.9):
        weaker = FeatureData(alpha=3.0 - eps, beta=1.0 - eps, nonrobust_patches=60)
        for q in (2.0, 3.0, 4.0):
            chosen = TrainingSettings(activation=SmoothedReLU(q, 15.0))
            left = growth_left(3.0, eps, q), growth_left(1.0, eps, q)
            wanted = growth_rates(weaker, chosen)
            assert growth_rates(law, chosen)[0] * left[0] == pytest.approx(wanted[0], rel=1e-12)
            assert growth_rates(law, chosen)[1] * left[1] == pytest.approx(wanted[1], rel=1e-12)
    assert growth_left(1.0, 1.0, 3) == growth_left(1.0, 2.0, 3) == 0.0


def test_below_the_critical_rate_the_dense_feature_never_stops() -> None:
    limit = critical_rate(LAW, 3)
    F = np.linspace(0.01, 5, 100_000)
    assert limit == pytest.approx(60 / (3 * (2 * F / (np.exp(F) + 2)).max()), rel=1e-8)
    ends = []
    for rate in (0.9 * limit, 1.1 * limit):
        chosen = TrainingSettings(steps=4000, attack=TrainingAttack(eps=1.0, rate=rate))
        ends.append(feature_recursion(LAW, chosen, [1e-4], [0.1]).B[-1, 0, 0])
        assert math.isinf(plateau(LAW, chosen).level) == (rate < limit)
    assert ends[0] > 4 > 2.2 > ends[1]


@pytest.mark.parametrize("rate", [100.0, 300.0, 1000.0, 3000.0])
def test_the_transition_comes_within_its_bracket(adversarial: FeatureRun, rate: float) -> None:
    A0, B0 = adversarial.initial.alignments(LAW)
    chosen = TrainingSettings(attack=TrainingAttack(eps=0.9, rate=rate))
    crossing = feature_recursion(LAW, chosen, A0, B0).crossing()
    lower, upper = np.transpose([transition_bracket(LAW, chosen, A.max()) for A in A0])
    assert (lower <= crossing).all() and (crossing <= upper).all()


def test_the_transition_bracket_knows_its_limits() -> None:
    def chosen(**words: float) -> TrainingSettings:
        return TrainingSettings(attack=TrainingAttack(**words))  # type: ignore[arg-type]

    assert transition_bracket(LAW, chosen(eps=0.9, rate=40), 0.1) == (math.inf, math.inf)
    assert transition_bracket(LAW, chosen(eps=0.9, rate=300), 2.0) == (0.0, 0.0)
    with pytest.raises(ValueError, match=r"settings.attack.eps must be below alpha = 3.0, got 3"):
        transition_bracket(LAW, chosen(eps=3.0, rate=300), 0.1)


@pytest.mark.parametrize("ratio", [1.0, 0.7, 1.5])
def test_at_the_critical_budget_the_race_under_a_strong_attack_is_even(ratio: float) -> None:
    middle = critical_budget(LAW, 3, start_ratio=ratio)
    assert 0 < middle < LAW.beta
    winners = []
    for eps in (middle - 0.02, middle + 0.02):
        chosen = TrainingSettings(steps=1500, attack=TrainingAttack(eps=eps, rule="sign"))
        path = feature_recursion(LAW, chosen, [0.1], [0.1 * ratio], early=True)
        A, B = path.A[:, 0, 0], path.B[:, 0, 0]
        end = np.argmax((A > 100) | (B > 100))
        winners.append(bool(A[end] > 100))
    assert winners == [False, True]


def test_no_budget_is_needed_where_the_robust_feature_wins_anyway() -> None:
    assert critical_budget(LAW, 4) == 0.0
    assert critical_budget(FeatureData(nonrobust_patches=1), 3) == 0.0


# The window.


@given(st.floats(1.0, 6.0), st.integers(20, 5000), st.floats(0.01, 0.5))
@settings(deadline=None, max_examples=100)
def test_whether_the_window_is_empty_is_told_by_the_density(
    q: float, P_NR: int, beta: float
) -> None:
    law = FeatureData(nonrobust_patches=P_NR, alpha=1.0, beta=beta)
    simple = law.density_ratio(q) ** (1 / q) + beta  # "nearly all patches are non-robust"
    if abs(simple - 2) > 0.15:
        assert robustness_window(law, q).is_empty == (simple > 2)

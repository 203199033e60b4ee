"""An error that is planted in the library changes the verdict of the checks that use it."""

import inspect
import pkgutil
import sys
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest

from sublinear_lib import activations, adversary, datasets, geometry, losses, network, scaling
from sublinear_lib.claims import LEDGER, Budget, Verdict
from sublinear_lib.claims.checks import definitions
from sublinear_lib.claims.collector import Collector
from sublinear_lib.claims.instruments import races
from sublinear_lib.features import (
    PatchNetwork,
    SmoothedReLU,
    TrainingAttack,
    attacks,
    certify,
    recursion,
    studies,
    training,
)
from sublinear_lib.halfspace import HalfspaceIndex
from sublinear_lib.memorization import ReLUNetwork, certificates
from sublinear_lib.memorization import attacks as ball_attacks
from sublinear_lib.network import PseudoNetwork
from sublinear_lib.theory import (
    activity,
    existence,
    exponents,
    flips,
    gap_parts,
    jump,
    perturbation,
    regret,
    uniform_gap,
    worst_case,
)
from tests.claims.planting import (
    changed,
    errors_in_text,
    exchange,
    is_unsettled,
    plant,
    planted,
    remembered,
    scaled,
    verdict_of,
)


def checks_of(claim):
    return sys.modules[claim.check.__module__]


TRAINED = {}


def train_once(patch):
    """Train once for the same arguments and state of the numbers, for errors outside of training.

    A copy of ``training`` with an error has its own function, which remembers nothing.
    """
    right = training.train_features

    def once(law, settings, rng):
        numbers = rng.bit_generator
        key = repr((law, settings, numbers.state))
        if key not in TRAINED:
            TRAINED[key] = right(law, settings, rng), numbers.state
        run, numbers.state = TRAINED[key]
        return run

    patch.setattr(training, "train_features", once)


def end_in(patch, *, robust):
    """Let training end at once in a network of one feature."""
    right = training.train_features

    def fixed(law, settings, seed):
        run = right(law, replace(settings, steps=0), seed)
        u, v = ([1.0], [0.0]) if robust else ([0.0], [1.0])
        return replace(run, network=PatchNetwork.of_features(law, u, v))

    patch.setattr(training, "train_features", fixed)


def compute_once(patch, claim, right):
    """Compute once for all errors what an error in the text of a copied module cannot reach."""
    checks = checks_of(claim)
    topic = checks.__name__.rpartition(".")[2]
    # The linear programs find the same, unless the error is in theirs.
    linear = ("_radii", "_fitted", "_target_radii")
    parts = {
        "concentration": ("_weighted_tail",),
        "cost": ("_work", "_candidates_by_hand"),
        "existence": () if right in inspect.getsource(existence.smallest_radius) else linear,
        "hermite": ("_errors_on_circle",),
    }
    for part in parts.get(topic, ()):
        remembered(patch, checks, part)
    if topic.startswith("feature"):
        train_once(patch)


def shorten(patch, claim):
    """Leave out what does not see the error; the rest has to notice it."""
    checks = checks_of(claim)
    topic = checks.__name__.rpartition(".")[2]
    if topic == "feature_race":
        # What training finds, at once.
        patch.setattr(checks, "_noisy_agreement", lambda *given: (np.array([5e2, 6e2, 7e2]),) * 3)
        patch.setattr(checks, "_trained_transition", training_is_fast)
    if claim.recorded is Verdict.FAILS:
        # A verdict that does not depend on slopes.
        if topic == "activity":
            patch.setattr(checks, "_widths", lambda budget, least=10: [2**10, 2**12])
        if topic == "perturbation":
            patch.setattr(checks, "_threshold_of_section_42", lambda *given: None)


def training_is_fast(look, *given):
    look.simulated("training").holds(True, 1.0, "about 1")


@pytest.mark.parametrize("name", ["lem-4.5", "claim-4.6", "lem-4.2"])
def test_without_an_error_a_shortened_check_finds_the_recorded_verdict(name, monkeypatch):
    shorten(monkeypatch, LEDGER[name])
    assert verdict_of(LEDGER[name]) is LEDGER[name].recorded


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "module", "right", "wrong"), list(errors_in_text()))
def test_an_error_in_a_formula_changes_the_verdict(name, module, right, wrong, monkeypatch):
    claim, original = LEDGER[name], pkgutil.resolve_name(f"sublinear_lib.{module}")
    shorten(monkeypatch, claim)
    compute_once(monkeypatch, claim, right)
    with planted(original, right, wrong) as copy:
        exchange(monkeypatch, checks_of(claim), original, copy)
        assert is_unsettled(claim)


@pytest.mark.parametrize(
    ("name", "module"),
    [("prop-iii.1", recursion), ("prop-iii.3.1", attacks), ("prop-iii.9", certify)],
)
def test_a_copy_without_an_error_changes_nothing(name, module, monkeypatch):
    with planted(module, "from __future__ import", "from __future__ import") as copy:
        exchange(monkeypatch, checks_of(LEDGER[name]), module, copy)
        assert verdict_of(LEDGER[name]) is LEDGER[name].recorded


LARGER = scaled(1.01)
INVERTED = changed(lambda mask: ~mask)
ENDS_MOVED = changed(lambda ends: (ends[0] - 2, ends[1]))
ENDS_LARGER = changed(lambda ends: (1.01 * ends[0], 1.01 * ends[1]))
HALVED = changed(lambda k: k // 2)


def one_part_larger(part, field):
    larger = scaled(1.01, field)(lambda law: law)
    return changed(lambda laws: (*laws[:part], larger(laws[part]), *laws[part + 1 :]))


def others(**wrong):
    """Compute some fields of what a function returns in another way."""
    return changed(lambda found: replace(found, **{name: of(found) for name, of in wrong.items()}))


def growing(right):
    def wrong(m, *given, **more):
        found = right(m, *given, **more)
        return replace(found, mean=found.mean * m**0.05, variance=found.variance * m**0.1)

    return wrong


def steeper(right):
    def wrong(act, z):
        value, slope = right(act, z)
        return value * (1 + 1e-6 * np.tanh(z)), slope * (1 + 1e-6 * np.tanh(z))

    return wrong


def ties_counted_as_active(right):
    def mask(self, X, *, on_slice=True):
        return self.preactivations(X, on_slice=on_slice) >= self.tau

    return mask


def other_eta(right):
    return lambda **settings: right(**{**settings, "eta": 1.01 * settings["eta"]})


def standard(right):
    return lambda eps, **more: replace(right(0.0), steps=200)


def forgetful(right):
    return lambda self, w, b, **more: right(self, w, np.asarray(b) + 1.0, **more)


ATTAINED = others(sup_attained=lambda _: True, inf_attained=lambda _: True)
ONE_MORE = others(count=lambda found: int(1.02 * found.count) + 1)
ONE_LESS = others(count=lambda found: found.count - 1)
ENDS_APART = changed(lambda ends: (ends[0] - 3.0, ends[1] + 3.0))
SECOND_LARGER = changed(lambda found: (found[0], found[1] * (1 + 1e-6)))
EXCHANGED = others(robust=lambda found: found.nonrobust, nonrobust=lambda found: found.robust)
CROSSED_EARLY = others(crossing=lambda found: found.crossing / found.rates[:, None])
RECORD = {"clean": 0.05, "attacked": 0.4, "certified": 0.5, "loss": 0.1}
NETWORK, CIRCLE = network.TwoLayerNetwork, adversary.CircleWave

# The statements, where a function lives, its name, and the function with an error.
ERRORS = [
    # Counts of neurons.
    ("lem-4.5 lem-4.5-r", scaling, "activity", LARGER),
    ("claim-c.2 claim-4.6", flips, "flip_probability", LARGER),
    ("claim-c.2 claim-4.6-r", flips, "expected_flips", LARGER),
    ("claim-c.2 claim-c.16 claim-4.6-r", flips, "expected_union", LARGER),
    ("claim-c.2 lem-c.3 claim-c.16 rem-c.17", flips, "near_mask", INVERTED),
    ("claim-c.2", flips, "flip_count_tail", changed(lambda p: p**0.5)),
    ("claim-c.2", flips, "flip_bound", LARGER),
    ("claim-c.2", flips, "flip_count_interval", ENDS_MOVED),
    ("claim-c.2", flips, "union_bracket", ENDS_LARGER),
    ("lem-c.3", flips, "flip_probability", scaled(0.99)),
    ("lem-4.5", activity, "printed_q0", LARGER),
    ("lem-4.5", activity, "gaussian_tail_bound", LARGER),
    ("lem-4.5", activity, "smallest_printed_K", LARGER),
    ("lem-4.5", activity, "near_zero_probability", LARGER),
    ("lem-c.15", activity, "near_zero_count_tail", LARGER),
    ("lem-c.15", activity, "active_count_tail", LARGER),
    ("lem-c.15", activity, "active_count_interval", ENDS_MOVED),
    ("lem-c.15", activity, "printed_failure_probability", LARGER),
    ("lem-c.15", activity, "printed_gap_bound", LARGER),
    ("claim-4.6", flips, "log_no_flip_probability", LARGER),
    ("thm-b", flips, "uniform_near_bound", LARGER),
    ("thm-b", flips, "uniform_active_bound", LARGER),
    ("thm-b", flips, "largest_norm_bound", LARGER),
    ("thm-b claim-4.6-r", flips, "max_near_on_circle", ONE_MORE),
    ("thm-b", flips, "max_flips_on_circle", ONE_MORE),
    ("thm-b lem-4.5-r", activity, "max_active_on_circle", ONE_MORE),
    ("lem-4.5-r", flips, "uniform_active_bound", HALVED),
    ("claim-4.6-r", flips, "uniform_near_bound", HALVED),
    # Small changes of the input.
    ("lem-4.2", perturbation, "printed_g_bound", LARGER),
    ("lem-4.2", perturbation, "printed_f_bound", LARGER),
    ("lem-4.2", perturbation, "flip_tail_bracket", ENDS_LARGER),
    ("lem-4.2", perturbation, "expected_parkable", scaled(1.03)),
    ("lem-c.9", perturbation, "worst_perturbation", scaled(1.01, "g")),
    ("lem-c.9", perturbation, "moved_flips", LARGER),
    ("lem-4.2-r thm-c", perturbation, "repaired_f_order", LARGER),
    ("lem-4.2-r", perturbation, "reachable_flips", scaled(1.1)),
    ("thm-c", perturbation, "_range", changed(lambda ends: (ends[0], 1.01 * ends[1]))),
    ("thm-c", perturbation, "reachable_flips", scaled(0.9)),
    ("def-a.4", losses.AbsoluteLoss, "_value", LARGER),
    ("def-a.4", NETWORK, "forward", LARGER),
    ("def-a.4", activations.ShiftedReLU, "jump_height", scaled(0.0)),
    # f and g: a wrong exponent, a flipped sign, a dropped factor, one percent.
    ("thm-4.1", worst_case, "log_half_width_below", LARGER),
    ("thm-4.1", gap_parts, "oblivious_gap_std", scaled(0.99)),
    ("claim-c.6", gap_parts, "initial_output_std", LARGER),
    ("claim-c.6", gap_parts, "log_initial_output_tail", LARGER),
    ("prop-1", worst_case, "half_width_moments", scaled(1.01, "mean")),
    ("prop-1", worst_case, "half_width_moments", scaled(0.99, "variance")),
    ("thm-4.1 thm-4.1-r set-r1 set-r3", worst_case, "half_width_moments", growing),
    ("prop-1", worst_case, "half_width_leading_term", LARGER),
    ("prop-1", worst_case, "worst_gap", scaled(-1.0, "above")),
    ("prop-1", worst_case, "worst_gap", scaled(1.01, "largest_g")),
    ("claim-c.5", gap_parts, "part_moments", one_part_larger(0, "mean")),
    ("claim-c.5", gap_parts, "part_moments", one_part_larger(0, "variance")),
    ("claim-c.7", gap_parts, "part_moments", one_part_larger(1, "mean")),
    ("claim-c.7", gap_parts, "part_moments", one_part_larger(1, "variance")),
    ("def-c.4", PseudoNetwork, "decompose", scaled(-1.0, "C")),
    ("prop-2", jump, "jump_price", LARGER),
    ("prop-2", jump, "ball_price", scaled(0.99)),
    ("prop-2", jump, "half_width_over_g", LARGER),
    ("prop-2", jump, "gradient_ratio", LARGER),
    ("prop-2", jump, "jump_half_width_bound", scaled(0.5)),
    ("thm-a", uniform_gap, "certified_gap_bound", scaled(1.01, "mean")),
    ("thm-a", uniform_gap, "certified_gap_bound", scaled(1.01, "variance")),
    ("thm-a", uniform_gap, "certified_gap_bound", scaled(0.99, "deviation")),
    ("thm-a", uniform_gap, "certified_gap_bound", scaled(0.99, "log_net")),
    ("thm-a", uniform_gap, "certified_gap_bound", scaled(0.5, "mesh")),
    ("thm-a", uniform_gap, "thin_window_size", LARGER),
    ("thm-4.1-r", uniform_gap, "certified_initial_bound", scaled(0.99, "deviation")),
    ("thm-4.1-r", uniform_gap, "certified_initial_bound", scaled(1.01, "variance")),
    ("thm-4.1-r", uniform_gap, "certified_initial_bound", scaled(0.99, "mesh")),
    # Definitions.
    ("def-3.1", scaling, "preactivation_std", scaled(1.05)),
    ("def-3.1", scaling.Scaling, "output_weight", lambda right: lambda self, m: m**-0.25),
    ("def-3.2", losses.AbsoluteLoss, "_value", LARGER),
    ("def-3.2", losses.LogCoshLoss, "_value", changed(lambda values: values + 1e-6)),
    ("def-3.2", losses.HuberLoss, "_derivative", scaled(-1.0)),
    ("def-3.3 def-3.4", CIRCLE, "extremes", ATTAINED),
    ("def-3.4", adversary, "robust_loss_under", LARGER),
    ("def-3.6 def-3.9", NETWORK, "active_mask", ties_counted_as_active),
    ("def-3.7", datasets, "separation", scaled(1.01, "gamma")),
    ("rem-3.8", NETWORK, "weight_gradient", LARGER),
    ("def-3.9", definitions, "max_active_on_circle", ONE_LESS),
    ("alg-1", definitions, "SublinearAdversarialTraining", other_eta),
    ("alg-2", geometry, "lift", lambda right: lambda W, b: np.array(W, dtype=np.float64)),
    ("alg-2", HalfspaceIndex, "remove", lambda right: lambda self, ids: None),
    ("def-3.3-r", CIRCLE, "extremes", others(upper=lambda found: found.upper - 1e-3)),
    ("def-5.1 cor-5.2", HalfspaceIndex, "query_halfspace", forgetful),
    # Convergence.
    ("def-c.10", regret, "norm_2_1", LARGER),
    ("def-c.10", regret, "norm_2_inf", LARGER),
    ("def-c.11", regret, "gradient_coupling", others(literal=lambda found: found.common)),
    # Memorization.
    ("thm-ii.5.2 prop-ii.2", certificates, "lipschitz_bound", scaled(2)),
    ("thm-ii.4.8 thm-ii.5.2 prop-ii.5 prop-ii.6", certificates, "interval_bounds", ENDS_APART),
    ("thm-ii.4.8 thm-ii.b.2 thm-ii.5.2", ReLUNetwork, "exactly", scaled(1 + 2**-40)),
    # Features.
    ("prop-iii.3.1 prop-iii.9 lem-iii.5.1", SmoothedReLU, "value_and_slope", steeper),
    ("lem-iii.5.1 lem-iii.5.2", PatchNetwork, "weight_gradient", SECOND_LARGER),
    ("lem-iii.5.2 prop-iii.4", TrainingAttack, "_step", scaled(1.05)),
    ("prop-iii.12", PatchNetwork, "shares", EXCHANGED),
    ("prop-iii.6", recursion, "phase_diagram", CROSSED_EARLY),
    ("prop-iii.11", studies, "digit_record", changed(lambda found: RECORD)),
    ("prop-iii.11", studies, "digit_settings", standard),
]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "owner", "function", "wrong"),
    [(name, *error) for names, *error in ERRORS for name in names.split()],
)
def test_an_error_in_a_function_changes_the_verdict(name, owner, function, wrong, monkeypatch):
    shorten(monkeypatch, LEDGER[name])
    plant(monkeypatch, owner, function, wrong)
    assert is_unsettled(LEDGER[name])


def test_an_attack_that_finds_nothing_outside_the_balls_decides_nothing(monkeypatch):
    def weak(right):
        return lambda F, X, y, radius, *p, **more: right(F, X, y, radius / 4, *p, **more)

    plant(monkeypatch, ball_attacks, "attack", weak)
    assert verdict_of(LEDGER["thm-ii.4.8"]) is Verdict.UNDECIDED


def plant_factor(patch, key, more):
    """Add to the exponent of the first factor of a chain."""
    right = exponents.CHAINS
    chain = right[key]
    first, *others = chain.factors
    other = replace(chain, factors=(first + exponents.Power(more), *others))
    chains = MappingProxyType({**right, key: other})
    for module in [module for name, module in sys.modules.items() if "sublinear_lib." in name]:
        if vars(module).get("CHAINS") is right:
            patch.setattr(module, "CHAINS", chains)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "key", "more"),
    [
        ("claim-c.2", "C.2", Fraction(-1, 2)),
        ("rem-c.17", "C.13", Fraction(-1, 2)),
        ("thm-4.1", "4.1", Fraction(-1, 5)),
        ("lem-c.8", "4.1", Fraction(-1, 5)),
        ("claim-c.5", "C.5", Fraction(-1, 5)),
        ("claim-c.7", "C.7", Fraction(-1, 5)),
        ("claim-c.6", "C.6", Fraction(-1, 5)),
    ],
)
def test_a_wrong_factor_in_a_chain_changes_the_verdict(name, key, more, monkeypatch):
    shorten(monkeypatch, LEDGER[name])
    plant_factor(monkeypatch, key, more)
    assert is_unsettled(LEDGER[name])


@pytest.mark.thorough
def test_a_wrong_region_changes_the_verdict(monkeypatch):
    parts = [
        replace(part, power=part.power + exponents.Power(Fraction(1, 4)))
        if part.name == "gap along the run"
        else part
        for part in exponents.CONSISTENT.inequalities
    ]
    monkeypatch.setattr(exponents, "CONSISTENT", exponents.Polytope("wrong", tuple(parts)))
    assert verdict_of(LEDGER["set-r3"]) is Verdict.FAILS


@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        (certify, "np.abs(W).sum(axis=1)", "1.3 * np.abs(W).sum(axis=1)"),
        (attacks, "delta[rows, :, feature[j]] = eps", "delta[rows, :, feature[j]] = -eps"),
        (certify, "from __future__ import", "from __future__ import"),
    ],
)
def test_certificate_and_attack_decide_about_the_trained_network(module, right, wrong, monkeypatch):
    end_in(monkeypatch, robust=True)
    with planted(module, right, wrong) as copy:
        exchange(monkeypatch, checks_of(LEDGER["prop-iii.8"]), module, copy)
        holds = verdict_of(LEDGER["prop-iii.8"]) is Verdict.MEASURED
        assert holds == (right == wrong)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "settings", "steps"),
    [("prop-iii.12", "STANDARD", 30), ("prop-iii.8", "ADVERSARIAL", 200)],
)
def test_training_that_stops_early_changes_the_verdict(name, settings, steps, monkeypatch):
    monkeypatch.setattr(races, settings, replace(getattr(races, settings), steps=steps))
    assert is_unsettled(LEDGER[name])


@pytest.mark.thorough
@pytest.mark.parametrize("robust", [True, False])
def test_other_outcomes_of_the_variants_change_the_verdict(robust, monkeypatch):
    end_in(monkeypatch, robust=robust)
    assert verdict_of(LEDGER["prop-iii.10"]) is Verdict.FAILS


def test_an_attack_that_leaves_the_cap_is_seen(monkeypatch):
    def leaving(right):
        return lambda self, *given: right(replace(self, rho=1.2 * self.rho), *given)

    plant(monkeypatch, adversary.RandomSearch, "__call__", leaving)
    look = Collector()
    definitions._bounded(look, Budget.QUICK, np.random.default_rng(0))
    assert [item.outcome.value for item in look.observations] == ["no"]

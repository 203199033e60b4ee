"""Promises of ``theory.exponents``: every power exact, every verdict a comparison of fractions."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import scaling
from sublinear_lib.theory import exponents
from sublinear_lib.theory.exponents import CHAINS, CONSISTENT, CRUDE, SPARSE, Chain, Polytope, Power

# key: printed; what follows at (1/5, 3/5), at (1/5, 4/5), at (2/5, 3/5); verdict.  Worked out by
# hand, in the margin of the paper.
TABLE: dict[str, tuple[F, F, F, F, str]] = {
    "C.2-probability": (F(-1, 10), F(-1, 10), F(-3, 10), F(-1, 10), "agrees"),
    "C.2": (F(9, 10), F(9, 10), F(7, 10), F(9, 10), "agrees"),
    "C.5": (F(-1, 10), F(1, 10), F(-3, 10), F(-1, 10), "fails"),
    "C.6": (F(-1, 10), F(-1, 10), F(-1, 10), F(-3, 10), "agrees"),
    "C.6-prose": (F(-3, 10), F(-1, 5), F(-1, 5), F(-2, 5), "fails"),
    "C.6-probability": (F(1, 5), F(1, 5), F(1, 5), F(3, 5), "agrees"),
    "C.7": (F(-1, 10), F(1, 10), F(-3, 10), F(-1, 10), "fails"),
    "C.7-prose": (F(-3, 10), F(1, 10), F(-3, 10), F(-1, 10), "fails"),
    "4.1": (F(-1, 10), F(1, 10), F(-3, 10), F(-1, 10), "fails"),
    "C.1-net": (F(3), F(5), F(5), F(5), "fails"),
    "C.9-moves": (F(1, 5), F(2, 5), F(1, 5), F(2, 5), "fails"),
    "C.9-f-moves": (F(-1), F(-4, 5), F(-1), F(-1), "fails"),
    "C.9-f-initial": (F(-1, 5), F(-1, 5), F(-1, 5), F(-2, 5), "agrees"),
    "C.9-f-jump": (F(-1, 5), F(-1, 5), F(-1, 5), F(-2, 5), "agrees"),
    "C.9-f-jump-sparse": (F(-1, 5), F(1, 10), F(-1, 10), F(-1, 10), "fails"),
    "C.9-g-moves": (F(-1, 2), F(-4, 5), F(-1), F(-1), "weaker"),
    "C.9-flips": (F(1, 2), F(1, 2), F(1, 2), F(1, 2), "agrees"),
    "C.9-g-flips": (F(-1, 2), F(-3, 10), F(-1, 2), F(-1, 2), "fails"),
    "4.6-probability": (F(-1, 8), F(-1, 8), F(-1, 8), F(-1, 8), "agrees"),
    "4.6": (F(7, 8), F(7, 8), F(7, 8), F(7, 8), "agrees"),
    "C.14": (F(27, 50), F(27, 40), F(27, 40), F(19, 40), "fails"),
    "C.12-gradient": (F(1, 5), F(3, 5), F(3, 5), F(1, 5), "fails"),
    "C.12-regret": (F(0), F(2, 5), F(2, 5), F(0), "fails"),
    "4.3": (F(-1, 5), F(-3, 5), F(-3, 5), F(-1, 5), "fails"),
    "C.12-distance": (F(0), F(0), F(-2, 5), F(0), "agrees"),
    "C.13": (F(-15, 24), F(-2, 5), F(-2, 5), F(-3, 5), "fails"),
    "C.12-31/150": (F(31, 150), F(17, 50), F(17, 50), F(7, 50), "fails"),
    "C.12-29/150": (F(-29, 150), F(-3, 50), F(-13, 50), F(-3, 50), "fails"),
    "C.12-last": (F(0), F(1, 150), F(1, 150), F(1, 150), "fails"),
    "C.12-coupling": (F(0), F(3, 40), F(-1, 8), F(-1, 8), "fails"),
    "4.5-exponent": (F(-1, 5), F(-1, 5), F(-1, 5), F(-1, 5), "agrees"),
    "4.5": (F(1), F(1), F(1), F(1), "fails"),
    "B.9": (F(-3, 5), F(-4, 5), F(-4, 5), F(-3, 5), "weaker"),
    "5.3-union": (F(1), F(587, 600), F(587, 600), F(587, 600), "agrees"),
}

SMALL = st.integers(-40, 40).map(lambda k: F(k, 60))
PRESETS = list(scaling.PRESETS.values())


def test_the_chains_have_the_exponents_worked_out_by_hand() -> None:
    found = {
        key: (chain.printed, *map(chain.derived, ("PRINTED", "R1", "R2")), chain.verdict())
        for key, chain in CHAINS.items()
    }
    assert found == TABLE
    for chain in CHAINS.values():
        assert chain.derived() == chain.derived("PRINTED")
        assert chain.source and chain.quantity and chain.factors


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_chains_and_scalings_agree(preset: scaling.Scaling) -> None:
    assert CHAINS["C.2"].derived(preset) == preset.flips_exponent
    if preset.tau_rule.decay is None or preset.activation.name == "continuous" or preset.c == 0:
        assert CHAINS["4.1"].derived(preset) == preset.gap_exponent
    if preset.c == 0:
        assert CHAINS["C.12-gradient"].derived(preset) == preset.gradient_exponent
        assert CHAINS["4.3"].derived(preset) == preset.derived_eta_exponent
        assert CHAINS["C.6-prose"].derived(preset) == preset.initial_output_exponent
    if preset.name == "PRINTED":
        assert CHAINS["C.13"].derived(preset) == preset.drift_exponent
    drift = exponents._drift_power(1).at(preset.alpha, preset.beta, preset.c)
    derived = preset.derived_eta_exponent + preset.derived_steps_exponent - preset.alpha
    assert drift == derived


def test_no_choice_of_powers_explains_all_printed_values() -> None:
    depend = [key for key, chain in CHAINS.items() if any(chain.power.coefficients[1:3])]
    grid = itertools.product([F(k, 30) for k in range(31)], repeat=2)
    counts = {powers: len(exponents.explained(*powers)) for powers in grid}
    assert max(counts.values()) < len(depend)
    best = sorted(counts, key=lambda pair: -counts[pair])[:2]
    assert set(best) == {(F(2, 5), F(3, 5)), (F(1, 5), F(4, 5))}
    printed = exponents.explained(F(1, 5), F(3, 5))
    assert printed == tuple(key for key in depend if CHAINS[key].derived() == CHAINS[key].printed)


@pytest.mark.parametrize(
    ("relation", "verdicts"),
    [  # derived below, equal to, above printed
        ("=", ("fails", "agrees", "fails")),
        ("<=", ("weaker", "agrees", "fails")),
        (">=", ("fails", "agrees", "weaker")),
        ("<", ("agrees", "fails", "fails")),
    ],
)
def test_verdicts_compare_in_the_direction_of_the_relation(
    relation: exponents.Relation, verdicts: tuple[str, str, str]
) -> None:
    for power, verdict in zip((F(0), F(1, 3), F(1)), verdicts, strict=True):
        chain = Chain("s", "q", (Power(power),), F(1, 3), relation)
        assert chain.verdict() == verdict


@settings(deadline=None, max_examples=100)
@given(first=st.tuples(*[SMALL] * 4), second=st.tuples(*[SMALL] * 4), at=st.tuples(*[SMALL] * 3))
def test_powers_form_a_vector_space(
    first: tuple[F, F, F, F], second: tuple[F, F, F, F], at: tuple[F, F, F]
) -> None:
    u, v = Power(*first), Power(*second)
    expected = first[0] + sum(k * x for k, x in zip(first[1:], at, strict=True))
    assert u.at(*at) == expected
    assert (u + v).at(*at) == u.at(*at) + v.at(*at)
    assert (u - v).at(*at) == u.at(*at) - v.at(*at)
    assert (-u).at(*at) == -u.at(*at)
    assert (F(2, 3) * u).at(*at) == (u * F(2, 3)).at(*at) == F(2, 3) * u.at(*at)


# --- the region ---


def test_vertices_are_those_of_the_tetrahedron() -> None:
    expected = (
        (F(0), F(1, 2), F(1, 2)),
        (F(0), F(7, 8), F(0)),
        (F(0), F(1), F(0)),
        (F(1, 2), F(1, 2), F(0)),
    )
    assert CONSISTENT.vertices() == expected
    assert SPARSE.vertices() == expected
    assert CONSISTENT.facets() == ("alpha >= 0", "c >= 0", "existence", "gap along the run")
    for corner in expected:
        assert not SPARSE.contains(*corner)
    assert [CONSISTENT.contains(*corner) for corner in expected] == [False] * 4
    assert CRUDE.vertices() == (
        (F(0), F(5, 6), F(1, 6)),
        (F(0), F(7, 8), F(0)),
        (F(0), F(1), F(0)),
        (F(1, 2), F(1, 2), F(0)),
    )


def test_membership_of_the_presets() -> None:
    inside = {preset.name: CONSISTENT.contains(*powers(preset)) for preset in PRESETS}
    assert inside == {"PRINTED": False, "R1": True, "R2": True, "R3": True, "ZHANG": True}
    sparse = {preset.name for preset in PRESETS if SPARSE.contains(*powers(preset))}
    assert sparse == {"R3"}
    assert CONSISTENT.violated(F(1, 5), F(3, 5), 0) == (
        "gap in the ball",
        "lazy drift",
        "gap along the run",
    )
    crude = {preset.name for preset in PRESETS if CRUDE.contains(*powers(preset))}
    assert crude == {"R1", "R2", "ZHANG"}
    steps = Polytope("T", (*CONSISTENT.inequalities, exponents.PRINTED_STEPS))
    slack = F(1, 5), F(3, 4), F(0)  # the ball is larger than existence needs, so T grows
    assert CONSISTENT.contains(*slack)
    assert steps.violated(*slack) == ("printed T",)
    drift = Polytope("drift", (*CONSISTENT.inequalities, exponents.PRINTED_DRIFT))
    assert {p.name for p in PRESETS if steps.contains(*powers(p))} == {"R1", "R2", "R3", "ZHANG"}
    assert {p.name for p in PRESETS if drift.contains(*powers(p))} == {"R1", "ZHANG"}


def powers(preset: scaling.Scaling) -> tuple[F, F, F]:
    return preset.alpha, preset.beta, preset.c


def admissible(alpha: F, beta: F, c: F, activation: str) -> bool:
    """Decide from the derived exponents of a scaling, which know saturation and the jump."""
    rule = "c" if c > 0 else "1/m"
    draft = scaling.Scaling("", alpha, beta, c, activation, rule, F(0), F(0))
    eta, steps = draft.derived_eta_exponent, draft.derived_steps_exponent
    chosen = replace(draft, eta_exponent=eta, steps_exponent=steps)
    along = replace(draft, beta=min(max(-chosen.drift_exponent, F(0)), F(1)))
    return (
        chosen.expressivity_exponent >= 0
        and chosen.gap_exponent < 0
        and chosen.coupling_exponent < 0
        and along.gap_exponent < 0
        and chosen.initial_output_exponent < 0
    )


GRID = [
    (F(i, 24), F(j, 24), F(k, 24)) for i in range(25) for j in range(25) for k in range(0, 25, 2)
]


def test_membership_is_what_the_exponents_of_a_scaling_say() -> None:
    """The jump has the same region without sparsity, and no sparse point."""
    inside = 0
    for point in GRID:
        expected = CONSISTENT.contains(*point)
        assert admissible(*point, "continuous") == expected, point
        assert admissible(*point, "jump") == (expected and point[2] == 0), point
        inside += expected
    assert 30 < inside < len(GRID) / 4


def test_slices_are_the_polygons_at_fixed_sparsity() -> None:
    assert CONSISTENT.slice_at(0) == ((F(0), F(7, 8)), (F(1, 2), F(1, 2)), (F(0), F(1)))
    fifth = CONSISTENT.slice_at(F(1, 5))
    assert fifth == ((F(0), F(29, 40)), (F(3, 10), F(1, 2)), (F(0), F(4, 5)))
    assert CONSISTENT.slice_at(F(1, 2)) == ((F(0), F(1, 2)),)
    assert CONSISTENT.slice_at(F(2, 3)) == ()


def test_floats_are_refused_because_they_are_not_exact() -> None:
    exact = pytest.raises(TypeError, match=r"must be an exact fractions\.Fraction or an int, got")
    for call in (Power, Power(1).__mul__, CONSISTENT.slice_at, lambda x: Power().at(x, 0, 0)):
        with exact:
            call(0.2)
    with exact:
        Chain("s", "q", (), 0.5)  # type: ignore[arg-type]

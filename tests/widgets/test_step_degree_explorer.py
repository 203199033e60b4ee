"""Promises of the explorer of soft steps: its curves and numbers are those of the theory."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from sublinear_lib import datasets
from sublinear_lib.plotting import grouped, number
from sublinear_lib.theory import best_steps
from sublinear_lib.widgets import (
    Explorer,
    Line,
    Points,
    View,
    step_degree_explorer,
    step_degree_view,
)

FALLS = {"PRINTED": 0.1, "R1": 0.3, "R2": 0.1, "R3": 0.1}
MINUS = "\N{MINUS SIGN}"
CASES = [(1.0, 0.1, 0.5, 8), (0.6, 0.3, 0.1, 32), (1.2, 0.05, 0.01, 2)]


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return step_degree_explorer()


def lines(view: View) -> dict[str, Line]:
    """Return the curves by the labels of the points that share their colors."""
    names = {m.role: m.label for m in view.marks if isinstance(m, Points)}
    return {names[mark.role]: mark for mark in view.marks if isinstance(mark, Line)}


@pytest.mark.parametrize(("delta", "share", "eps", "n"), CASES)
def test_curves_are_print_bounds_and_best_polynomials(
    delta: float, share: float, eps: float, n: int
) -> None:
    drawn = lines(step_degree_view(delta, share, eps, n, "R1"))
    rho = share * delta
    h = math.asin((delta - rho) / 2) - math.asin(rho / 2)
    rate = math.acosh(math.cos(h / 4) / math.cos(h / 2))
    far = 1 - (delta - rho) ** 2 / 2
    rise = math.acosh(1 + delta * (delta - 2 * rho) / (1 + far))
    laws = {
        "printed": lambda x: 16 * math.exp(-delta * (delta - 2 * rho) * x / 24),
        "always enough": lambda x: 2 * math.pi / (h * math.cosh(2 * x * rate) - 2 * math.pi),
        "needed": lambda x: 1 / (1 + math.cosh(x * rise)),
    }
    for label, law in laws.items():
        curve = drawn[label]
        assert np.asarray(curve.y).tolist() == pytest.approx([law(float(x)) for x in curve.x])
        assert np.asarray(curve.y).max() <= 0.5 and np.asarray(curve.y).min() >= 1e-6
    assert [label for label, curve in drawn.items() if curve.dash] == ["printed"]
    best = drawn["best"]
    degrees = [int(x) for x in best.x]
    found = best_steps.best_step_errors(
        Fraction(str(delta)), Fraction(str(rho)).limit_denominator(10**6), degrees
    )
    assert np.asarray(best.y).tolist() == pytest.approx(found.tolist(), rel=1e-3)


@pytest.mark.parametrize(("delta", "share", "eps", "n"), CASES)
@pytest.mark.parametrize("preset", FALLS)
def test_the_numbers_beside_the_figure_are_those_of_the_chosen_point(
    delta: float, share: float, eps: float, n: int, preset: str
) -> None:
    view = step_degree_view(delta, share, eps, n, preset)
    read = dict(view.readouts)
    exact = Fraction(str(delta)), Fraction(str(share)) * Fraction(str(delta))
    gamma = float(exact[0] * (exact[0] - 2 * exact[1]))
    one = Fraction(str(eps)) / (3 * n)
    M = 24 / gamma * math.log(48 * n / eps)
    assert read[f"*γ* = *δ*(*δ* {MINUS} 2*ρ*)"] == number(gamma)
    assert read["printed *M*"] == grouped(math.floor(M))
    found = best_steps.smallest_step(*exact, one)
    assert read["best degree"] == grouped(found.degree)
    assert f"the smallest degree is {grouped(found.degree)}" in view.sentence
    assert read["always enough"] == grouped(best_steps.angular_degree(*exact, one))
    assert read["paper's polynomial, enough from"] == grouped(
        best_steps.truncation_degree(*exact, one)
    )
    bits = best_steps.step_log2_complexity(found.reaches.polynomial)
    width = (math.log2(3 / eps) + 2 * math.log2(2 * n) + 2 * bits) / FALLS[preset]
    assert read["width asked, best polynomial"] == f"2^{{{grouped(round(width))}}}"
    assert read["printed coefficients 2^{6*M*}/*γ*"] == (
        f"2^{{{grouped(round(6 * M - math.log2(gamma)))}}}"
    )
    if preset == "R3":
        assert read["*t* = *τ* √(*m*/2) there"] == number(math.sqrt(0.4 * width * math.log(2)))
    else:
        assert read["*Q*(*t*) there"] == "50\N{NO-BREAK SPACE}%"


def test_every_point_stands_on_the_accuracy_that_is_asked_for() -> None:
    view = step_degree_view(1.0, 0.1, 0.5, 8, "R1")
    points = {m.label: m for m in view.marks if isinstance(m, Points)}
    assert set(points) == {"printed", "paper's polynomial", "always enough", "needed", "best"}
    for point in points.values():
        assert np.asarray(point.y).tolist() == pytest.approx([0.5 / 24])
    for label, law in (("printed", "printed"), ("needed", "needed")):
        curve = lines(view)[law]
        at = np.interp(
            math.log(points[label].x[0]), np.log(np.asarray(curve.x)), np.log(np.asarray(curve.y))
        )
        assert math.exp(at) == pytest.approx(0.5 / 24, rel=0.1), "the curve passes there"


def test_a_typed_accuracy_is_taken_to_the_last_digit() -> None:
    read = dict(step_degree_view(1.0, 0.1, 2.5e-7, 2, "R1").readouts)
    assert read["*ε*_{1} = *ε*/(3*n*)"] == number(2.5e-7 / 6)


def test_the_printed_degree_is_far_from_the_best_one() -> None:
    read = dict(step_degree_view(1.0, 0.1, 0.5, 8, "R1").readouts)
    assert (read["printed *M*"], read["best degree"]) == ("199", "5")


@pytest.mark.parametrize("preset", FALLS)
def test_it_says_that_the_definition_fails_where_the_intervals_meet(preset: str) -> None:
    view = step_degree_view(0.6, 0.5, 0.1, 8, preset)
    assert "Definition 3.7 fails" in (view.warning or "")
    assert "constant 1/2" in view.sentence
    (best,) = [mark for mark in view.marks if isinstance(mark, Line)]
    assert set(np.asarray(best.y).tolist()) == {0.5}


def test_it_says_which_theorem_the_printed_width_rests_on_and_which_data_exist() -> None:
    printed = step_degree_view(0.6, 0.1, 0.5, 2, "PRINTED").warning or ""
    assert "fails at the radius K/m^(3/5)" in printed
    assert step_degree_view(0.6, 0.1, 0.5, 2, "R1").warning is None
    crowded = step_degree_view(1.2, 0.1, 0.5, 32, "R1").warning or ""
    d = int(crowded.split("d ≥ ")[1].rstrip("."))
    assert datasets.max_separation(32, d) >= 1.2 > datasets.max_separation(32, d - 1)


def test_more_points_than_any_dimension_holds_are_named() -> None:
    assert "in any dimension" in (step_degree_view(1.5, 0.1, 0.5, 8, "R1").warning or "")


def test_where_the_best_degree_is_out_of_reach_the_printed_sizes_remain() -> None:
    view = step_degree_view(0.6, 0.45, 0.01, 128, "R3")
    read = dict(view.readouts)
    assert read["best degree"] == "more than 160"
    assert read["width asked, best polynomial"] == "–"
    assert "printed sizes ask for, t is" in view.sentence


def test_the_explorer_starts_with_a_separable_set_and_is_small(explorer: Explorer) -> None:
    assert explorer.values == {"delta": 1.0, "share": 0.1, "eps": 0.5, "n": 8, "preset": "PRINTED"}
    assert explorer.shape == (4, 6, 3, 4, 4)


@pytest.mark.parametrize(
    "changed",
    [{"delta": 2.0}, {"share": 0.0}, {"share": 0.6}, {"eps": 1.0}, {"n": 1}, {"preset": "ZHANG"}],
)
def test_it_refuses_what_it_does_not_know(changed: dict[str, object]) -> None:
    chosen = {"delta": 1.0, "share": 0.1, "eps": 0.5, "n": 8, "preset": "R1"}
    with pytest.raises((TypeError, ValueError)):
        step_degree_view(**{**chosen, **changed})  # type: ignore[arg-type]

"""Promises of the explorer of convergence: its numbers are those of the theory."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sublinear_lib import scaling
from sublinear_lib.plotting import number
from sublinear_lib.theory import regret
from sublinear_lib.widgets import (
    Explorer,
    Line,
    Points,
    View,
    convergence_explorer,
    convergence_view,
)

WEIGHTS = {"R1": 0.2, "R2": 0.4, "R3": 0.2}


def level(repair: str, m: int) -> float:
    return (2.0 / m * 0.4 * math.log(m)) ** 0.5 if repair == "R3" else 1.0 / m


def form(repair: str) -> str:
    return "continuous" if repair == "R3" else "jump"


def marks(view: View) -> dict[str, Line | Points]:
    return {m.label: m for m in view.marks if isinstance(m, Line | Points) and m.label}


@pytest.mark.parametrize("repair", WEIGHTS)
@pytest.mark.parametrize("k", [8, 12, 16])
def test_the_points_are_runs_with_the_step_of_theorem_d(repair: str, k: int) -> None:
    m, epsilon = 2**k, 0.5
    rng = np.random.default_rng([0, m])
    z = rng.standard_normal(m) * (2.0 / m) ** 0.5
    a, tau = m ** -WEIGHTS[repair], level(repair, m)
    signs = rng.choice(np.array([-1.0, 1.0]), m)
    eta = epsilon / (a * a * m * scaling.activity(tau, m))
    found = regret.one_point_regret(z, a * signs, tau, 1.0, eta, 4, form(repair))
    view = convergence_view(repair, epsilon, k)
    drawn = marks(view)["training"]
    at = list(drawn.x).index(k)
    assert drawn.y[at] == pytest.approx(found.average)
    assert found.average <= found.measured.total
    assert f"pays {number(found.average)} on average" in view.sentence


@pytest.mark.parametrize("repair", WEIGHTS)
@pytest.mark.parametrize("k", [8, 60, 160])
def test_the_curve_is_the_closed_form_of_theorem_d(repair: str, k: int) -> None:
    m, epsilon = 2**k, 0.25
    a, tau = float(m) ** -WEIGHTS[repair], level(repair, m)
    eta = epsilon / (a * a * m * scaling.activity(tau, m))
    law = regret.expected_one_point(m, a, tau, 1.0, eta, 16, form(repair))
    view = convergence_view(repair, epsilon, k)
    drawn = marks(view)["promise of the proof"]
    assert drawn.y[list(drawn.x).index(k)] == pytest.approx(law.total)
    assert f"at most {number(law.total)} before the run" in view.sentence


@pytest.mark.parametrize("repair", WEIGHTS)
@pytest.mark.parametrize("epsilon", [0.125, 0.25, 0.5])
def test_the_first_meaningful_width_is_where_the_curve_crosses(repair: str, epsilon: float) -> None:
    drawn = marks(convergence_view(repair, epsilon, 8))["promise of the proof"]
    useful = [k for k, total in zip(drawn.x, drawn.y, strict=True) if total < 1.0]
    first = int(useful[0])
    assert useful == list(range(first, 161))
    for k in (first - 1, first):
        assert f"from 2^{{{first}}} neurons on" in convergence_view(repair, epsilon, k).sentence
    assert "no better than the untrained" in convergence_view(repair, epsilon, first - 1).sentence
    assert "says something (" in convergence_view(repair, epsilon, first).sentence


def test_widths_beyond_the_runs_are_called_so() -> None:
    assert "training pays" in convergence_view("R1", 0.25, 16).sentence
    assert "more than we can train" in convergence_view("R1", 0.25, 17).sentence


def test_nothing_alarms_while_the_theorem_is_true() -> None:
    for repair in WEIGHTS:
        assert convergence_view(repair, 0.25, 16).warning is None


def test_the_explorer_has_three_controls_and_axes_that_stay() -> None:
    explorer = convergence_explorer()
    assert isinstance(explorer, Explorer)
    limits = {
        (view.x.limits, view.y.limits)
        for view in (convergence_view(repair, 0.25, 8) for repair in WEIGHTS)
    }
    assert len(limits) == 1


@pytest.mark.parametrize(
    "changed",
    [{"repair": "PRINTED"}, {"k": 7}, {"k": 161}, {"epsilon": 0.0}, {"epsilon": 1.0}],
)
def test_positions_that_do_not_exist_are_refused(changed: dict[str, object]) -> None:
    chosen: dict[str, object] = {"repair": "R1", "epsilon": 0.5, "k": 12}
    with pytest.raises(ValueError, match=next(iter(changed))):
        convergence_view(**{**chosen, **changed})  # type: ignore[arg-type]

"""Promises of the explorer and the labs of convergence: their numbers are those of the theory."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sublinear_lib import scaling
from sublinear_lib.plotting import Picture, number, percent
from sublinear_lib.theory import regret
from sublinear_lib.widgets import (
    Explorer,
    Line,
    LiveLab,
    Points,
    View,
    bill_lab,
    convergence_explorer,
    convergence_view,
    run_and_bill,
    step_size_lab,
    try_step_size,
)

WEIGHTS = {"PRINTED": 0.2, "R1": 0.2, "R2": 0.4, "R3": 0.2}
BALLS = {"PRINTED": 0.6, "R1": 0.8, "R2": 0.6, "R3": 0.6}
LEVELS = {
    "1/m": lambda m: 1.0 / m,
    "t=1": lambda m: (2.0 / m) ** 0.5,
    "t=2": lambda m: 2.0 * (2.0 / m) ** 0.5,
    "c=1/5": lambda m: (2.0 / m * 0.4 * math.log(m)) ** 0.5,
}


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return convergence_explorer()


def marks(view: View) -> dict[str, Line | Points]:
    return {m.label: m for m in view.marks if isinstance(m, Line | Points) and m.label}


def run(
    preset: str, threshold: str, step: str, kind: str, epsilon: float, m: int
) -> regret.OnePointRegret:
    rng = np.random.default_rng([0, m])
    z = rng.standard_normal(m) * (2.0 / m) ** 0.5
    a = m ** -WEIGHTS[preset]
    signs = rng.choice(np.array([-1.0, 1.0]), m)
    tau = float(LEVELS[threshold](m))
    eta = epsilon * m**-0.2
    if step == "theorem-d":
        eta = epsilon / (a * a * m * scaling.activity(tau, m))
    steps = round(1.0 / epsilon**2)
    return regret.one_point_regret(z, a * signs, tau, 1.0, eta, steps, kind)


@pytest.mark.parametrize("preset", WEIGHTS)
@pytest.mark.parametrize("threshold", LEVELS)
@pytest.mark.parametrize("step", ["theorem-d", "printed"])
def test_the_curves_are_run_bound_forecast_and_promise(
    preset: str, threshold: str, step: str
) -> None:
    chosen = (preset, threshold, step, "continuous", 0.5)
    view = convergence_view(*chosen, 1024)
    drawn, found = marks(view), run(*chosen, 1024)
    at = list(drawn["run"].x).index(1024)
    assert drawn["run"].y[at] == pytest.approx(found.average)
    assert drawn["Theorem D"].y[at] == pytest.approx(found.measured.total)
    assert drawn["printed"].y[at] == pytest.approx(found.measured.comparator + 0.5)
    a, tau = 1024 ** -WEIGHTS[preset], float(LEVELS[threshold](1024))
    eta = 0.5 * 1024**-0.2
    if step == "theorem-d":
        eta = 0.5 / (a * a * 1024 * scaling.activity(tau, 1024))
    law = regret.expected_one_point(1024, a, tau, 1.0, eta, 4, "continuous")
    assert drawn["known before"].y[at] == pytest.approx(law.total)


@pytest.mark.parametrize("preset", WEIGHTS)
@pytest.mark.parametrize("kind", ["jump", "continuous"])
def test_a_run_never_lies_above_theorem_d(preset: str, kind: str) -> None:
    for threshold in LEVELS:
        for step in ("theorem-d", "printed"):
            drawn = marks(convergence_view(preset, threshold, step, kind, 0.25, 256))
            assert np.all(np.asarray(drawn["run"].y) <= np.asarray(drawn["Theorem D"].y))


@pytest.mark.parametrize("m", [256, 4096, 65536])
def test_the_sentence_and_the_numbers_beside_it_are_those_of_the_width(m: int) -> None:
    view, found = (
        convergence_view("R3", "c=1/5", "theorem-d", "continuous", 0.5, m),
        run("R3", "c=1/5", "theorem-d", "continuous", 0.5, m),
    )
    t = (0.4 * math.log(m)) ** 0.5
    for said in (number(t), percent(scaling.activity_at(t)), number(found.average)):
        assert said in view.sentence
    read = dict(view.readouts)
    assert read["coupling"] == number(found.measured.coupling)
    assert read["*K* that *W** needs"] == number(found.D_W * m**0.6)
    assert read["distance over *m*^{−15/24}"] == number(
        float(found.run.drift.max()) * m ** (15 / 24)
    )
    assert read["step over that of Theorem D"] == "1"


def test_it_says_which_hypothesis_fails() -> None:
    printed = convergence_view("PRINTED", "1/m", "printed", "jump", 0.25, 65536).warning or ""
    assert "its conclusion fails" in printed and "Remark C.13 fails" in printed
    assert "grows beyond that of Theorem D like m^(2/5)" in printed
    assert "does not speak here" not in printed
    other = convergence_view("R2", "1/m", "theorem-d", "jump", 0.25, 4096).warning or ""
    assert "output weights are m^(-2/5)" in other and "step size is not" not in other
    sparse = convergence_view("R3", "c=1/5", "theorem-d", "jump", 0.25, 4096).warning or ""
    assert "Proposition 2" in sparse and "τ is not O(1/m)" in sparse
    hidden = convergence_view("R2", "c=1/5", "theorem-d", "continuous", 0.25, 4096).warning or ""
    assert "α + c ≥ 1/2" in hidden
    small = convergence_view("R2", "c=1/5", "printed", "continuous", 0.25, 4096).warning or ""
    assert "falls below that of Theorem D like m^(-1/5)" in small


@pytest.mark.parametrize("preset", WEIGHTS)
def test_a_bound_above_the_loss_at_the_start_is_called_empty(preset: str) -> None:
    for m in (256, 65536):
        view = convergence_view(preset, "1/m", "theorem-d", "jump", 0.25, m)
        found = run(preset, "1/m", "theorem-d", "jump", 0.25, m)
        empty = found.measured.total >= found.run.losses[0]
        assert ("true and says nothing" in (view.warning or "")) == empty


def test_it_starts_at_the_printed_theorem(explorer: Explorer) -> None:
    first = [next(iter(control.values)) for control in explorer._controls][:4]
    assert first == ["PRINTED", "printed", "1/m", "jump"]


@pytest.mark.parametrize(
    "changed",
    [
        {"preset": "R9"},
        {"threshold": "3"},
        {"step": "own"},
        {"m": 300},
        {"epsilon": 0.0},
        {"epsilon": 1.0, "step": "theorem-d"},
    ],
)
def test_positions_that_do_not_exist_are_refused(changed: dict[str, object]) -> None:
    chosen: dict[str, object] = {
        "preset": "R1",
        "threshold": "1/m",
        "step": "printed",
        "activation": "jump",
        "epsilon": 0.5,
        "m": 256,
    }
    with pytest.raises(ValueError, match=next(iter(changed))):
        convergence_view(**{**chosen, **changed})  # type: ignore[arg-type]


def test_the_bill_is_that_of_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    picture = run_and_bill("R1", 512, 0.5, 1)
    said = capsys.readouterr().out
    assert "average robust loss" in said and "loss at the start" in said
    assert isinstance(picture, Picture) and "coupling" in picture.alt
    lab = bill_lab(picture)
    assert isinstance(lab, LiveLab)
    with pytest.raises(ValueError, match="preset"):
        run_and_bill("PRINTED", 512, 0.5, 1)


def test_the_step_of_theorem_d_needs_no_power(capsys: pytest.CaptureFixture[str]) -> None:
    picture = try_step_size(4096, 0.2, 0.0, 16)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("yours") and lines[1].startswith("Theorem D")
    averages = [float(line.split("average ")[1].split(",")[0]) for line in lines]
    assert averages[0] > 4 * averages[1]
    assert isinstance(step_size_lab(picture), LiveLab)
    with pytest.raises(ValueError, match="power"):
        try_step_size(4096, -0.1, 0.0, 16)

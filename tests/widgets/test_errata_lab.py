"""Promises of the labs of the errata: exact maxima, and the verdict that the check gives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sublinear_lib import scaling, statistics, theory
from sublinear_lib.claims import LEDGER, stored_evidence, verify
from sublinear_lib.geometry import SLICE_HEIGHT, SLICE_RADIUS
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import PAGE_HTML, Picture, figure
from sublinear_lib.statistics import Interval
from sublinear_lib.widgets import (
    LiveLab,
    powers_lab,
    rerun_check,
    rerun_lab,
    try_powers,
)
from sublinear_lib.widgets.errata_lab import _STATEMENTS
from sublinear_lib.widgets.exponent_map import chosen_powers

STILL = Picture(figure(), alt="An empty figure for a test.", name="still")


def test_the_slopes_are_those_of_the_exact_maxima(capsys: pytest.CaptureFixture[str]) -> None:
    shown = try_powers(0.2, 0.6, 0.0, "jump", largest=12, seed=3)
    failing, gap, reach = capsys.readouterr().out.splitlines()
    widths = [256, 1024, 4096]
    rows = np.empty((2, 8, 3))
    x = [SLICE_RADIUS, 0.0, SLICE_HEIGHT]
    for draw, k in np.ndindex(8, 3):
        m = widths[k]
        rng = np.random.default_rng([3, draw, m])
        start = TwoLayerNetwork.initialize(m, 3, scaling.PRINTED, rng=rng)
        worst = theory.worst_gap_at(start, x, m**-0.6)
        active = int(start.active_mask([x]).sum())
        rows[:, draw, k] = worst.half_width, active * m**-0.2 * m**-0.6
    assert failing.endswith("gap in the ball, lazy drift, gap along the run")
    for line, values, power in ((gap, rows[0], "1/10"), (reach, rows[1], "1/5")):
        assert str(statistics.loglog_slope(widths, values)) in line
        assert line.endswith(f"power in the limit {power}")
    assert "g, measured" in shown.alt


def test_a_consistent_choice_is_said_to_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    try_powers(0.2, 0.8, 0.0, "continuous", largest=12, seed=0)
    assert capsys.readouterr().out.startswith("conditions that fail: none")


def test_the_chosen_powers_are_those_of_the_named_sets() -> None:
    for name, c, form in (("PRINTED", 0.0, "jump"), ("R3", 0.2, "continuous")):
        known, chosen = scaling.PRESETS[name], chosen_powers(0.2, 0.6, c, form)
        assert chosen.gap_exponent == known.gap_exponent
        assert chosen.tau(4096) == known.tau(4096)
        assert chosen.eta_exponent == known.derived_eta_exponent


def test_a_check_run_again_gives_the_verdict_of_the_ledger(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = rerun_check("set-r2", seed=5)
    first, second = capsys.readouterr().out.splitlines()
    (report,) = verify(LEDGER, ["set-r2"], seed=5)
    assert report.evidence is not None
    assert first == "the set R2: holds as repaired; as recorded"
    assert second.startswith(f"{len(report.evidence.observations)} observations: ")
    measured = [item for item in report.evidence.observations if isinstance(item.found, Interval)]
    assert measured and all(f"found {item.shown}" in shown.alt for item in measured)


def test_every_statement_of_the_lab_measures_an_exponent() -> None:
    stored = stored_evidence()
    for name in _STATEMENTS:
        found = stored[name].evidence.observations
        assert any(isinstance(item.found, Interval) for item in found), name


@pytest.mark.parametrize("build", [powers_lab, rerun_lab])
def test_each_lab_shows_its_still(build: Callable[[Picture], LiveLab]) -> None:
    lab = build(STILL)
    assert "An empty figure for a test." in lab._repr_mimebundle_()[0][PAGE_HTML]
    with pytest.raises(TypeError, match="still"):
        build("picture")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: try_powers(1.5, 0.6, 0.0, "jump", 12, 0), "alpha"),
        (lambda: try_powers(0.2, 0.6, 0.0, "sigmoid", 12, 0), "activation"),
        (lambda: try_powers(0.2, 0.6, 0.0, "jump", 11, 0), "largest"),
        (lambda: try_powers(0.2, 0.6, 0.0, "jump", 12, -1), "seed"),
        (lambda: rerun_check("thm-9.9", 0), "statement"),
        (lambda: rerun_check("thm-4.1", -1), "seed"),
    ],
)
def test_bad_values_are_named(call: Callable[[], Picture], word: str) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"\b{word}\b"):
        call()

"""Promises of the explorer of the two kinds of features: its verdicts are the library's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib import features as fl
from sublinear_lib.plotting import number
from sublinear_lib.widgets import Explorer, Line, View, patches_explorer, patches_view

MAIN: dict[str, Any] = {
    "alpha": 3.0,
    "beta": 1.0,
    "nonrobust_patches": 60,
    "q": 3,
    "eps": 1.0,
    "kind": "prop_3_1",
}


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return patches_explorer()


def view(**changes: object) -> View:
    return patches_view(**{**MAIN, **changes})


def answers(shown: View) -> tuple[str, str]:
    read = dict(shown.readouts)
    return read["network of *u*"], read["network of *v*"]


@pytest.mark.parametrize("kind", ["prop_3_1", "swap_v", "swap_u"])
@pytest.mark.parametrize("eps", [0.0, 0.45, 0.52, 0.65, 1.2])
@pytest.mark.parametrize("beta", [0.5, 1.5])
def test_verdicts_are_those_of_the_attacked_networks(kind: Any, eps: float, beta: float) -> None:
    law = fl.FeatureData(beta=beta, noise=0.0, jitter=0.0)
    data = law.sample(1, rng=9)
    moved = data.X + fl.feature_perturbation(data, eps, kind, [1])
    expected = []
    for A, B in ((1.0, 0.0), (0.0, 1.0)):
        network = fl.PatchNetwork.of_features(law, [A], [B], fl.SmoothedReLU(3, 50.0))
        expected.append("right" if network.margins(moved, [0])[0] > 0 else "fooled")
    assert answers(view(kind=kind, eps=eps, beta=beta)) == tuple(expected)


def test_sums_and_window_are_those_of_the_library() -> None:
    law = fl.FeatureData()
    shown = view()
    read = dict(shown.readouts)
    assert (read["sum for *u*"], read["sum for *v*"]) == tuple(map(number, law.densities(3)))
    window = fl.robustness_window(law, 3)
    for edge in (window.lower, window.upper):
        assert number(round(edge, 3)) in shown.sentence
    assert shown.warning is None


def test_colored_sticks_are_the_attacked_input_and_gray_ones_the_clean_one() -> None:
    marks = [mark for mark in view(eps=0.45).marks if isinstance(mark, Line)]
    gray = [mark for mark in marks if mark.role == "grid"]
    color = [mark for mark in marks if mark.role != "grid"]
    heights = [float(np.nanmax(m.y) - np.nanmin(m.y)) for m in gray]
    assert heights == pytest.approx([3.0, 1.0])
    heights = [float(np.nanmax(m.y) - np.nanmin(m.y)) for m in color]
    assert heights == pytest.approx([3.0, 0.55, 0.45])
    assert [np.asarray(m.x).size // 3 for m in color] == [1, 60, 60]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"alpha": 1.0}, "u is not stronger"),
        ({"q": 4}, "at the exponent q = 4"),
        ({"eps": 0.45}, "The network of v alone is still right"),
        ({"eps": 0.65}, "ε ≥ β of Proposition 3.1 fails: 0.35 of v₁ is left. The attack works"),
        ({"beta": 1.5, "nonrobust_patches": 90, "eps": 1.5}, "The window is empty"),
    ],
)
def test_the_assumption_that_fails_is_named(changed: dict[str, object], said: str) -> None:
    warning = view(**changed).warning
    assert warning is not None and said in warning


def test_the_hypothesis_of_the_proposition_is_not_missed_for_other_attacks() -> None:
    assert view(kind="swap_u", eps=0.45).warning is None


def test_the_table_is_small_and_starts_at_the_main_configuration(explorer: Explorer) -> None:
    assert explorer.shape == (4, 3, 4, 3, 9, 3)
    assert len(explorer._table) < 150_000
    stored = explorer.stored_view(*explorer.position)
    assert stored["sentence"] == view().sentence


@pytest.mark.parametrize(
    "bad",
    [
        {"alpha": 0.0},
        {"beta": -1.0},
        {"nonrobust_patches": 91},
        {"q": 1},
        {"eps": -0.1},
        {"kind": "x"},
    ],
)
def test_nonsense_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        view(**bad)

"""What a neuron adds to f - g is cut where it jumps; a way through the ball is told by its ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from sublinear_lib.activations import get_activation
from sublinear_lib.chapters.f_versus_the_pseudo_network import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import alt, lines, texts

U = np.linspace(-1.0, 1.0, 401)
WAY = np.linspace(0.0, 1.0, 101)
STAIRS = {"*f*, jump": np.floor(10 * WAY) / 4, "*f*, continuous": 1.1 * WAY}
REACHES = {"jump": [[-0.5, 1.5], [0.5, 1.0]], "continuous": [[-0.5, 0.5], [0.5, 0.5]]}


def share(z: float, form: str) -> np.ndarray:
    activation = get_activation(form)
    start = activation.value(np.array([z]), 1.0)[0]
    return activation.value(z + U, 1.0) - start - U * (z > 1.0)


SHARES = {form: {"silent": share(0.6, form), "active": share(1.4, form)} for form in REACHES}


def terms(**changes: Any) -> Picture:
    given = {"moves": U, "shares": SHARES, "reaches": REACHES, "name": "t"}
    return figures.worst_terms_picture(**{**given, **changes})


def way(**changes: Any) -> Picture:
    given = {"way": WAY, "curves": STAIRS, "straight": ("*g*", WAY), "name": "w"}
    return figures.way_picture(**{**given, **changes})


MADE = [terms, way]


def test_the_text_gives_the_ends_of_every_curve_and_the_sums() -> None:
    said = alt(terms())
    # The jump: the silent neuron rises to z + delta, the active one falls by tau and never rises.
    assert "silent: largest value 1.6 at u = 1" in said
    assert "active: smallest value -1 at u = -0.4" in said
    # The continuous one: both rise to delta - |s| and never fall.
    assert "silent: largest value 0.6 at u = 1; active: largest value 0.6 at u = -1" in said
    assert "jump 2.5 over 2 neurons" in said and "continuous 1 over 2 neurons" in said


def test_sup_and_inf_are_marked_where_they_are_not_zero_and_jumps_are_cut() -> None:
    words = [text for text in texts(terms()) if text in ("sup", "inf")]
    assert sorted(words) == ["inf", "sup", "sup", "sup"]
    flat = {"jump": {"far": np.zeros(U.size), "near": SHARES["jump"]["silent"]}}
    assert [text for text in texts(terms(shares=flat)) if text in ("sup", "inf")] == ["sup"]
    pieces = [len(points) for points in lines(terms(shares=flat)) if len(points) > 2]
    assert len(pieces) == 3 and sum(pieces) == 2 * U.size


def test_the_text_of_a_way_gives_ends_and_the_largest_step() -> None:
    said = way().alt
    assert "The dashed line of g reaches 1." in said
    assert "f, jump reaches 2.5, its largest single step is 0.25" in said
    assert "f, continuous reaches 1.1, its largest single step is 0.011" in said

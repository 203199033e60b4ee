"""The picture of Proposition 1: it shows the given numbers, cuts jumps, and refuses nonsense."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting
from sublinear_lib.activations import get_activation

U = np.linspace(-1.0, 1.0, 401)


def share(z: float, tau: float, form: str) -> np.ndarray:
    activation = get_activation(form)
    start = activation.value(np.array([z]), tau)[0]
    return activation.value(z + U, tau) - start - U * (z > tau)


SHARES = {
    "jump": {"silent": share(0.6, 1.0, "jump"), "active": share(1.4, 1.0, "jump")},
    "continuous": {
        "silent": share(0.6, 1.0, "continuous"),
        "active": share(1.4, 1.0, "continuous"),
    },
}
REACHES = {"jump": [[-0.5, 1.5], [0.5, 1.0]], "continuous": [[-0.5, 0.5], [0.5, 0.5]]}


def picture(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "moves": U,
        "shares": SHARES,
        "reaches": REACHES,
        "name": "w",
        **changes,
    }
    return plotting.worst_terms_picture(**arguments)


def test_it_is_made_twice_alike_and_small_enough_for_a_page() -> None:
    rng = np.random.default_rng(0)
    many = {
        label: np.column_stack([rng.uniform(-1, 1, 100), rng.uniform(0, 2, 100)])
        for label in REACHES
    }
    shown = picture(reaches=many)
    assert shown.html == picture(reaches=many).html
    assert len(shown.html) < 90_000, len(shown.html)
    assert shown.png.startswith(b"\x89PNG")


def test_the_text_gives_the_ends_of_every_curve_and_the_sums() -> None:
    alt = picture().alt.replace("\N{MINUS SIGN}", "-")
    # The jump: the silent neuron rises to z + delta, the active one falls by tau and never rises.
    assert "silent: largest value 1.6 at u = 1" in alt
    assert "active: smallest value -1 at u = -0.4" in alt
    # The continuous one: both rise to delta - |s| and never fall.
    assert "silent: largest value 0.6 at u = 1; active: largest value 0.6 at u = -1" in alt
    assert "jump 2.5 over 2 neurons" in alt
    assert "continuous 1 over 2 neurons" in alt


def test_sup_and_inf_are_marked_where_they_are_not_zero() -> None:
    words = re.findall(r">(sup|inf)<", picture().html)
    assert sorted(words) == ["inf", "sup", "sup", "sup"]
    flat = {"jump": {"far": np.zeros(U.size), "near": SHARES["jump"]["silent"]}}
    assert re.findall(r">(sup|inf)<", picture(shares=flat).html) == ["sup"]


def test_a_caption_and_a_text_of_the_author_are_kept() -> None:
    shown = picture(alt="One text of the author's own.", caption="Look *here*.")
    assert shown.alt == "One text of the author's own."
    assert "Look <em>here</em>." in shown.html or "Look <i>here</i>." in shown.html


@pytest.mark.parametrize(
    "changes",
    [
        {"moves": U[::-1]},
        {"moves": U / 2},
        {"moves": U[::20]},
        {"shares": {}},
        {"shares": {"jump": {}}},
        {"shares": {"jump": {"short": U[:-1]}}},
        {"shares": {str(k): SHARES["jump"] for k in range(4)}},
        {"shares": {"jump": {str(k): U for k in range(4)}}},
        {"reaches": {}},
        {"reaches": {"jump": [[1.5, 1.0]]}},
        {"reaches": {"jump": [[0.5, -1.0]]}},
        {"reaches": {"jump": np.empty((0, 2))}},
        {"reaches": {str(k): REACHES["jump"] for k in range(3)}},
    ],
)
def test_it_refuses_what_it_cannot_draw(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"moves|shares|reaches"):
        picture(**changes)

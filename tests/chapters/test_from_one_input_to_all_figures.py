"""A net promises what its cones do, and never less than the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib import geometry, theory
from sublinear_lib.chapters.from_one_input_to_all import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import texts

PHI = np.linspace(-180.0, 180.0, 721)


def points(degrees: np.ndarray) -> np.ndarray:
    turn = np.radians(degrees)
    return geometry.embed(np.column_stack((np.cos(turn), np.sin(turn))))


def height(degrees: np.ndarray) -> np.ndarray:
    return 2.0 + np.cos(np.radians(degrees))


AT = {name: np.arange(k) * 360.0 / k - 180.0 for name, k in (("coarse", 12), ("fine", 60))}
NETS = {name: (at, height(at)) for name, at in AT.items()}
ROOFS = {
    name: theory.net_ceiling(points(PHI), points(at), values, 2.0)
    for name, (at, values) in NETS.items()
}


def net(**changes: Any) -> Picture:
    given = {"angles": PHI, "truth": height(PHI), "nets": NETS, "ceilings": ROOFS}
    return figures.net_picture(**{**given, "ylabel": "height", "name": "n", **changes})


MADE = [net]


def test_the_text_gives_the_function_and_what_each_net_promises() -> None:
    assert "between 1 and 3" in net().alt and "true, largest 3" in texts(net())
    for name, at in AT.items():
        said = f"{name}: {at.size} points, where it is at most 3; the cones on them rise to "
        assert f"{said}{ROOFS[name].max():.3g}" in net().alt


def test_a_roof_that_leaks_is_refused() -> None:
    with pytest.raises(ValueError, match="nowhere below the truth"):
        net(truth=np.full(PHI.size, 9.0))

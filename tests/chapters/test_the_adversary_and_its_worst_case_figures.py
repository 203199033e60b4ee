"""What the pictures of the adversary show and say is what the sweep and the attacks found."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import (
    AttackResult,
    activity_arcs,
    extremes_on_circle,
    pieces_on_circle,
)
from sublinear_lib.chapters.the_adversary_and_its_worst_case import figures
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, number
from tests.plotting.shown import alt, lines, texts

RHO = 0.8
ALPHA = geometry.cap_angle(RHO)
X = geometry.embed(np.array([[1.0, 0.0]]))
FOUND = {"plain": [[0.7, 0.6, 0.8], [0.6, 0.5, 0.7]], "random": [[0.9, 0.8, 1.0], [0.8, 0.7, 0.9]]}


def small(seed: int, m: int = 24, t: float = 0.8, **kind: Any) -> TwoLayerNetwork:
    tau = scaling.threshold_from_standard(t, m)
    return TwoLayerNetwork.initialize(m, 3, rng=seed, tau=tau, **kind)


NETWORK = small(23)
PIECES = pieces_on_circle(NETWORK, 0.0, ALPHA)
[EXTREMES] = extremes_on_circle(NETWORK, X, RHO)
CLEAN = float(NETWORK.forward(X)[0])
HALF_WAY = 0.5 * (CLEAN + EXTREMES.sup)


def ended(angle: float, value: float) -> AttackResult:
    end = geometry.embed(np.array([[math.cos(angle), math.sin(angle)]]))
    return AttackResult(end, np.array([value]), np.array([value]), NETWORK.forward(X))


def cap(rho: float = 0.6, **changes: Any) -> Picture:
    return figures.cap_picture(rho, **{"name": "c", **changes})


def sweep(network: TwoLayerNetwork = NETWORK, **changes: Any) -> Picture:
    [extremes] = extremes_on_circle(network, X, RHO)
    pieces = pieces_on_circle(network, 0.0, ALPHA)
    given = {"pieces": pieces, "arcs": activity_arcs(network), "signs": network.a}
    return figures.sweep_picture(**{**given, "extremes": extremes, "name": "s", **changes})


def landscape(**changes: Any) -> Picture:
    found = {"plain": ended(0.1, CLEAN), "smoothed": ended(-0.3, HALF_WAY)}
    given = {"network": NETWORK, "x": X, "rho": RHO, "found": found, "name": "l"}
    return figures.landscape_picture(**{**given, **changes})


def wide(**changes: Any) -> Picture:
    return landscape(**{"network": small(0, m=20_000, t=1.28), "found": {}, **changes})


def found(**changes: Any) -> Picture:
    given = {"groups": ["*d* = 3\njump", "*d* = 4"], "found": FOUND, "name": "f"}
    return figures.found_picture(**{**given, **changes})


MADE = [cap, sweep, landscape, wide, found]


@pytest.mark.parametrize("rho", [0.2, 0.6, 1.2])
def test_the_cap_says_its_angle(rho: float) -> None:
    degrees = math.degrees(2 * math.asin(rho / math.sqrt(3)))
    assert f"arcsin(ρ/√3) = {number(degrees)} degrees" in cap(rho).alt


def test_the_sweep_draws_a_row_for_each_neuron_that_switches_and_a_bar_where_it_fires() -> None:
    switching, first = np.unique(PIECES.neurons, return_index=True)
    picture = sweep()
    assert f"{switching.size} bars" in picture.alt
    assert f"in {PIECES.waves.shape[1]} smooth pieces" in picture.alt
    on_from_the_start = int((~PIECES.begins[first]).sum())
    bars = re.findall(r"<path[^>]*stroke-width:7\.7", picture.html)
    assert len(bars) == int(PIECES.begins.sum()) + on_from_the_start


def test_a_continuous_network_bends_and_does_not_jump() -> None:
    assert "with a jump at each" in sweep().alt
    smooth = sweep(small(23, activation="continuous")).alt
    assert "with a kink at each" in smooth and "jump" not in smooth


@pytest.mark.parametrize("seed", range(8))
def test_the_sweep_says_whether_the_extremes_are_attained(seed: int) -> None:
    network = small(seed)
    if pieces_on_circle(network, 0.0, ALPHA).neurons.size == 0:
        with pytest.raises(ValueError, match="neurons that switch, got 0"):
            sweep(network)
        return
    [extremes] = extremes_on_circle(network, X, RHO)
    picture = sweep(network)
    attained = {"sup": extremes.sup_attained, "inf": extremes.inf_attained}
    for which, is_attained in attained.items():
        assert (f"{which}, not attained" in texts(picture)) == (not is_attained)
        assert (which in texts(picture)) == is_attained
    assert picture.alt.count("but not attained") == list(attained.values()).count(False)


def test_the_landscape_names_every_attack_with_its_share_and_where_it_ended() -> None:
    picture = landscape()
    assert {"plain: 0 %", "smoothed: 50 %", "the worst value"} <= set(texts(picture))
    said = alt(picture)
    assert f"plain: 0 % ends at {number(math.degrees(0.1))} degrees" in said
    assert f"smoothed: 50 % ends at -17.2 degrees with f = {HALF_WAY:.3g}" in said
    assert f"{PIECES.neurons.size} neurons switch" in said
    assert not EXTREMES.sup_attained and "approached at a jump but not attained" in said
    assert "infimum" not in said and "ends at" not in wide().alt
    with pytest.raises(ValueError, match="'far' ended outside the cap"):
        landscape(found={"far": ended(2.0, 0.0)})


def test_the_shares_found_are_told_group_by_group_and_drawn_where_they_are() -> None:
    assert "d = 4: plain 60 %, random 80 %." in alt(found())
    assert {"plain", "random"} <= set(texts(found()))
    dots = [points[0, 0] for points in lines(found(), marker="o")]
    assert dots == [0.7, 0.9, 0.6, 0.8]

"""The figures of the adversary: what they show and say is what the sweep and the attacks found."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sublinear_lib import geometry, plotting, scaling
from sublinear_lib.adversary import (
    AttackResult,
    activity_arcs,
    extremes_on_circle,
    pieces_on_circle,
)
from sublinear_lib.network import TwoLayerNetwork

RHO = 0.8
ALPHA = geometry.cap_angle(RHO)
X = geometry.embed(np.array([[1.0, 0.0]]))


def small_network(seed: int, m: int = 24, t: float = 0.8) -> TwoLayerNetwork:
    return TwoLayerNetwork.initialize(m, 3, rng=seed, tau=scaling.threshold_from_standard(t, m))


NETWORK = small_network(23)
PIECES = pieces_on_circle(NETWORK, 0.0, ALPHA)
[EXTREMES] = extremes_on_circle(NETWORK, X, RHO)


def ended(angle: float, value: float) -> AttackResult:
    end = geometry.embed(np.array([[math.cos(angle), math.sin(angle)]]))
    return AttackResult(end, np.array([value]), np.array([value]), NETWORK.forward(X))


CLEAN = float(NETWORK.forward(X)[0])
HALF_WAY = 0.5 * (CLEAN + EXTREMES.sup)
FOUND_BY = {"plain": ended(0.1, CLEAN), "smoothed": ended(-0.3, HALF_WAY)}


def cap(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {"rho": 0.6, "name": "c", **changes}
    return plotting.cap_picture(**arguments)


def sweep(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "pieces": PIECES,
        "arcs": activity_arcs(NETWORK),
        "signs": NETWORK.a,
        "extremes": EXTREMES,
        "name": "s",
        **changes,
    }
    return plotting.sweep_picture(**arguments)


def landscape(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "network": NETWORK,
        "x": X,
        "rho": RHO,
        "found": FOUND_BY,
        "name": "l",
        **changes,
    }
    return plotting.landscape_picture(**arguments)


BRACKETS = {
    "*d* = 3": {"interval": (0.0, 7.5), "linear": (0.0, 3.0), "split": (0.99, 1.004)},
    "*d* = 4": {"interval": (-0.1, 2.5)},
}


def brackets(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {"panels": BRACKETS, "name": "b", **changes}
    return plotting.brackets_picture(**arguments)


FOUND = {"plain": [[0.7, 0.6, 0.8], [0.6, 0.5, 0.7]], "random": [[0.9, 0.8, 1.0], [0.8, 0.7, 0.9]]}


def found(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "groups": ["*d* = 3\njump", "*d* = 4"],
        "found": FOUND,
        "name": "f",
        **changes,
    }
    return plotting.found_picture(**arguments)


def shares(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "samples": {"*d* = 3": [[100, 0.2, 0.1, 0.3], [1000, 0.4, 0.3, 0.5]]},
        "curves": {"*d* = 3": ([100, 1000], [0.25, 0.45]), "law": ([100, 1000], [0.1, 0.1])},
        "level": (0.5, "one half"),
        "xlabel": "width *m*",
        "ylabel": "share missed",
        "scale": "log10",
        "name": "h",
        **changes,
    }
    return plotting.shares_picture(**arguments)


ALL = [cap, sweep, landscape, brackets, found, shares]


def texts(picture: plotting.Picture) -> list[str]:
    shown = re.findall(r"<text[^>]*>(.*?)</text>", picture.html)
    return [re.sub("<[^>]+>", "", text) for text in shown]


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_every_figure_is_made_twice_alike_and_small_enough_for_a_page(make: Callable) -> None:
    picture = make()
    assert picture.html == make().html
    assert len(picture.html) < 60_000, len(picture.html)
    assert picture.png.startswith(b"\x89PNG")


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_every_figure_takes_a_text_and_a_caption_of_the_author(make: Callable) -> None:
    picture = make(alt="The author says it better.", caption="*m* grows")
    assert picture.alt == "The author says it better."
    assert "<figcaption><i>m</i> grows</figcaption>" in picture.html


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_no_label_leaves_the_drawing_to_the_left_or_right(make: Callable) -> None:
    for width, svg in re.findall(r'viewBox="0 0 (\d+) \d+"(.*?)</svg>', make().html, re.DOTALL):
        for style_or_not, x in re.findall(r'<text([^>]*?) x="(-?[\d.]+)"', svg):
            assert -1 <= float(x) <= float(width), style_or_not


# ---- the cap -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rho", [0.2, 0.6, 1.2])
def test_the_cap_says_its_angle(rho: float) -> None:
    degrees = math.degrees(2 * math.asin(rho / math.sqrt(3)))
    assert f"arcsin(ρ/√3) = {plotting.number(degrees)} degrees" in cap(rho=rho).alt


# ---- the sweep -----------------------------------------------------------------------------------


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
    network = TwoLayerNetwork.initialize(
        24, 3, rng=23, tau=scaling.threshold_from_standard(0.8, 24), activation="continuous"
    )
    [extremes] = extremes_on_circle(network, X, RHO)
    picture = sweep(
        pieces=pieces_on_circle(network, 0.0, ALPHA),
        arcs=activity_arcs(network),
        signs=network.a,
        extremes=extremes,
    )
    assert "with a kink at each" in picture.alt and "jump" not in picture.alt


@pytest.mark.parametrize("seed", range(8))
def test_the_sweep_says_whether_the_extremes_are_attained(seed: int) -> None:
    network = small_network(seed)
    pieces = pieces_on_circle(network, 0.0, ALPHA)
    if pieces.neurons.size == 0:
        pytest.skip("this network has no switch in the cap")
    [extremes] = extremes_on_circle(network, X, RHO)
    picture = sweep(pieces=pieces, arcs=activity_arcs(network), signs=network.a, extremes=extremes)
    for which, attained in (("sup", extremes.sup_attained), ("inf", extremes.inf_attained)):
        assert (f"{which}, not attained" in texts(picture)) == (not attained)
        assert (which in texts(picture)) == attained
    assert picture.alt.count("but not attained") == (
        (not extremes.sup_attained) + (not extremes.inf_attained)
    )


# ---- the landscape -------------------------------------------------------------------------------


def test_the_landscape_names_every_attack_with_its_share_and_where_it_ended() -> None:
    picture = landscape()
    assert {"plain: 0 %", "smoothed: 50 %"} <= {plain(text) for text in texts(picture)}
    alt = plain(picture.alt)
    assert f"plain: 0 % ends at {plotting.number(math.degrees(0.1))} degrees" in alt
    assert f"smoothed: 50 % ends at -17.2 degrees with f = {HALF_WAY:.3g}" in alt
    assert f"{PIECES.neurons.size} neurons switch" in alt


def test_the_landscape_says_whether_the_worst_value_is_attained() -> None:
    assert not EXTREMES.sup_attained and EXTREMES.inf_attained
    assert "the worst value" in texts(landscape())
    assert "approached at a jump but not attained" in landscape().alt
    assert "infimum" not in landscape().alt


def test_the_landscape_of_a_network_that_nobody_attacked_is_drawn() -> None:
    alt = landscape(found={}).alt
    assert "ends at" not in alt and alt.endswith("attained.")


def test_a_wide_network_still_fits_the_page() -> None:
    network = small_network(0, m=20_000, t=1.28)
    cap_pieces = pieces_on_circle(network, 0.0, ALPHA)
    picture = landscape(network=network)
    assert cap_pieces.neurons.size > 1000
    assert len(picture.html) < 60_000


# ---- brackets and shares -------------------------------------------------------------------------


def test_the_brackets_say_both_ends_of_each() -> None:
    alt = plain(brackets().alt)
    assert "d = 3: interval from 0 to 7.5; linear from 0 to 3; split from 0.99 to 1" in alt
    assert "d = 4: interval from -0.1 to 2.5" in alt


def test_the_shares_found_are_told_group_by_group() -> None:
    alt = plain(found().alt)
    assert "d = 4: plain 60 %, random 80 %." in alt
    assert {"plain", "random"} <= set(texts(found()))


def test_the_shares_say_both_ends_and_the_level() -> None:
    alt = plain(shares().alt)
    alt = alt.replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert alt.startswith("Share missed against width m, on a logarithmic axis. ")
    assert "d = 3, predicted: 25 % at 100, 45 % at 1 000; law, predicted: 10 % at 100" in alt
    assert "d = 3, measured with intervals: 20 % at 100, 40 % at 1 000" in alt
    assert "level line at 50 %: one half" in alt
    measured = shares(curves=None, level=None)
    assert "20 % at 100" in plain(measured.alt) and "level" not in measured.alt
    assert "predicted" not in measured.alt and "logarithmic" not in shares(scale="linear").alt


@pytest.mark.parametrize(
    ("make", "changes", "message"),
    [
        (cap, {"rho": 0.1}, "rho must be"),
        (cap, {"rho": 1.5}, "rho must be"),
        (sweep, {"signs": [1.0]}, "signs must have an entry for each neuron"),
        (
            sweep,
            {"pieces": pieces_on_circle(NETWORK, 0.0, 0.01)},
            "pieces must show 1 to 24 neurons that switch, got 0",
        ),
        (landscape, {"found": {"far": ended(2.0, 0.0)}}, r"found\['far'\] must end in the cap"),
        (landscape, {"found": dict.fromkeys("abcde", ended(0.0, 0.0))}, "found must be at most 4"),
        (brackets, {"panels": {}}, "panels must hold 1 to 4"),
        (brackets, {"panels": {"a": {}}}, r"panels\['a'\] must hold 1 to 8"),
        (brackets, {"panels": {"a": {"b": (1.2, 1.5)}}}, "must hold 1, the supremum"),
        (brackets, {"panels": {"a": {"b": (0.2, 0.5)}}}, "must hold 1, the supremum"),
        (found, {"groups": []}, "groups must be 1 to 10"),
        (found, {"found": {}}, "found must hold 1 to 5"),
        (found, {"found": {"a": [[1, 2, 3], [1, 0, 2]]}}, r"found\['a'\] must hold rows"),
        (found, {"found": {"a": [[1, 0, 2]]}}, r"found\['a'\] must have shape \(2, 3\)"),
        (shares, {"samples": {}, "curves": None}, "must have 1 to 5 labels"),
        (shares, {"scale": "cubic"}, "scale must be"),
        (
            shares,
            {"samples": {"a": [[0.0, 0.2, 0.1, 0.3]]}, "curves": None},
            "samples and curves must have x > 0",
        ),
        (shares, {"level": (2.0, "a")}, "level must be"),
    ],
)
def test_the_figures_refuse_what_they_cannot_draw(
    make: Callable, changes: dict, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make(**changes)

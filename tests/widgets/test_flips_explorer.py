"""Promises of the explorer of flips: its numbers are those of the theory; it says what fails."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from sublinear_lib import theory
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.widgets import Bars, Explorer, Line, Rule, View, flips_explorer, flips_view

RADII = {"3/5": 0.6, "5/8": 0.625, "4/5": 0.8}
TAUS = {
    "1/m": lambda m: 1.0 / m,
    "sparse": lambda m: (2.0 / m * 0.4 * math.log(m)) ** 0.5,
}


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return flips_explorer()


def window(view: View) -> tuple[float, float]:
    (found,) = [mark for mark in view.marks if isinstance(mark, Bars) and mark.label]
    assert found.within is not None
    return found.within


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("threshold", TAUS)
@pytest.mark.parametrize("m", [256, 2**20])
def test_the_window_stands_on_the_bell_around_the_threshold(
    threshold: str, radius: str, m: int
) -> None:
    view = flips_view(threshold, radius, m)
    s = (2.0 / m) ** 0.5
    t, half = TAUS[threshold](m) / s, m ** -RADII[radius] / s
    (bell,) = [mark for mark in view.marks if isinstance(mark, Line)]
    np.testing.assert_allclose(bell.y, stats.norm.pdf(bell.x), rtol=1e-12)
    (rule,) = [mark for mark in view.marks if isinstance(mark, Rule)]
    assert rule.at == pytest.approx(t)
    assert window(view) == pytest.approx((t - half, t + half))


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("threshold", TAUS)
def test_the_sentence_gives_width_height_share_and_the_count_of_a_network(
    threshold: str, radius: str
) -> None:
    m = 4096
    tau, delta = float(TAUS[threshold](m)), m ** -RADII[radius]
    view = flips_view(threshold, radius, m)
    s = (2.0 / m) ** 0.5
    height, share = stats.norm.pdf(tau / s), theory.flip_probability(tau, m, delta)
    network = TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([0, m]), tau=tau)
    near = int(theory.near_mask(network, [[3**0.5 / 2, 0.0, 0.5]], delta).sum())
    assert f"Width times height of the bell is {percent(2 * delta / s * height)};" in view.sentence
    assert f"exactly, {percent(share)} of the neurons" in view.sentence
    assert view.sentence.startswith(f"{grouped(near)} of {grouped(m)} drawn neurons are in")
    read = dict(view.readouts)
    assert read["share that can flip"] == percent(share)
    assert read["threshold *t*"] == number(tau / s)
    assert read["width of the window"] == number(2 * delta / s)


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("threshold", TAUS)
def test_the_stated_power_is_that_of_the_closed_form(threshold: str, radius: str) -> None:
    text = dict(flips_view(threshold, radius, 256).readouts)["their number grows like"]
    near, far = (
        theory.expected_flips(float(TAUS[threshold](m)), m, m ** -RADII[radius])
        for m in (2**200, 2**240)
    )
    slope = math.log(far / near) / math.log(2.0**40)
    assert abs(slope - float(Fraction(text.strip("*m^{}")))) < 0.01


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("m", [256, 2**16])
def test_only_the_second_half_of_claim_46_raises_the_alarm(radius: str, m: int) -> None:
    warning = flips_view("1/m", radius, m).warning
    assert (warning is not None) == (radius == "5/8")
    if warning is not None:
        assert "no neuron flips" in warning


def test_the_axes_stay_and_the_explorer_starts_at_claim_c2(explorer: Explorer) -> None:
    views = [flips_view(*pair, m) for pair in (("1/m", "3/5"), ("sparse", "4/5")) for m in (256, 4)]
    assert len({(view.x.limits, view.y.limits) for view in views}) == 1
    assert explorer.values == {"threshold": "1/m", "radius": "3/5", "m": 2**16}


@pytest.mark.parametrize(
    "changed", [{"radius": "1/2"}, {"threshold": "0"}, {"m": 1}, {"m": 4096.5}]
)
def test_it_refuses_what_it_does_not_know(changed: dict[str, object]) -> None:
    chosen = {"threshold": "1/m", "radius": "3/5", "m": 4096}
    with pytest.raises((TypeError, ValueError)):
        flips_view(**{**chosen, **changed})  # type: ignore[arg-type]

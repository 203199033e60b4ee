"""Networks that memorize: sizes, weights, shapes and certificates are those of the library."""

import math
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.chapters.the_network_that_memorizes import explorers, figures
from sublinear_lib.plotting import number, percent
from sublinear_lib.statistics import clopper_pearson, median_interval
from sublinear_lib.widgets import Band, Points
from tests.chapters.marks import of
from tests.plotting.shown import lines, tells

NORMS = {"inf": math.inf, "2": 2.0, "1": 1.0}
BUILD = {"inf": mem.memorize, "1": mem.memorize_l1, "2": mem.memorize_l2}
Y = np.repeat([1.0, 2.0, 3.0], 2)


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("share", [0.25, 0.45])
def test_size_weight_and_plateau_are_those_of_the_network(p, share):
    view, norm = explorers.bumps.function(share, p), NORMS[p]
    X = np.concatenate([np.column_stack([mark.x, mark.y]) for mark in of(view, Points)])
    lam = mem.separation(X, Y, norm)
    mu, read = share * lam, dict(view.readouts)
    network = BUILD[p](X, Y, mu).network
    assert read["nonzero parameters"] == str(network.nonzeros)
    assert read["largest weight"] == number(network.largest_weight)
    assert read["width × depth"] == f"{network.width} × {network.depth}"
    # The squares of p = 2 are approximated from above, by less than half of what separates balls.
    most = math.sqrt(mu**2 + lam * (lam - 2 * mu) / 2) if p == "2" else mu
    for x, band in zip(X, of(view, Band)[2::3], strict=True):
        ends = np.max(band.x) - x[0], np.max(band.upper) - x[1], x[1] - np.min(band.lower)
        assert all(mu - 2e-3 <= reach <= most + 2e-3 for reach in ends)
        edge = np.column_stack([np.asarray(band.x), np.asarray(band.upper)]) - x
        assert p == "inf" or np.linalg.norm(edge, norm, axis=1).min() >= mu - 2e-3


def test_float32_breaks_near_the_threshold_only():
    far, near = (explorers.bumps.function(share, "inf").warning for share in (0.25, 0.499999))
    assert far is None and "float32" in (near or "")


BUILT = {"N": 8, "n": 3, "classes": 2, "share": 0.45, "p": "inf", "seed": 2}
built = partial(explorers.build_and_certify.function, **BUILT)


@pytest.mark.parametrize("p", NORMS)
def test_the_lab_prints_counts_formula_and_certificate(p, capsys):
    shown = built(p=p)
    said = capsys.readouterr().out
    lam = mem.separation(*mem.random_points(8, 3, 2, rng=2), NORMS[p])
    assert f"lambda = {lam:.4g}" in said and "certified 8 of 8 balls" in said
    tells(shown, "8 of 8 balls within 0.5", "plain intervals" if p == "inf" else "attack")
    size = mem.linf_size(8, 3)
    sizes = f"width {size.width}, depth {size.depth}\n{size.nonzeros} nonzeros"
    assert (sizes in said) == ("stored weights" in said) == (p == "inf")


def test_the_picture_is_cut_but_not_the_certificate_and_lambda_half_is_refused(capsys):
    tells(built(N=70, n=2, share=0.25), "on 60 balls")
    assert "certified 70 of 70 balls" in capsys.readouterr().out
    with pytest.raises(ValueError, match=r"lambda/2.*largest admissible budget"):
        built(share=0.5)


def test_near_the_limit_float32_breaks_and_float64_does_not(capsys):
    shown = explorers.near_the_limit.function(N=8, n=3, label=2, closest=7, seed=0)
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("float64") and "wrong nowhere" in first
    assert second.startswith("float32") and "wrong from 1e-06 on" in second
    tells(shown, "float64: from", "float32: from")


PLACES = np.linspace(-1.0, 3.0, 9)
BUMPS = np.array([np.maximum(0, 1 - abs(PLACES)), 2 * np.maximum(0, 1 - abs(PLACES - 2))])
PANELS = [figures.ProfilePanel("*μ* = 0.2", BUMPS, BUMPS.max(axis=0), 0.2)]
BOUNDS = {"plain": ([0.0, 1.9], [2.0, 2.1]), "aware": ([1.0, 2.0], [1.0, 2.0])}
SERIES = {
    "float64": figures.PrecisionSeries([1e-1, 1e-3], [0.0, 1e-12], [1e-14, 1e-12], [1e-12, 1e-10]),
    "float32": figures.PrecisionSeries([1e-3, 1e-1], [0.7, 1e-5], [1e-1, 1e-5]),
}
BUMPY = {"x": PLACES, "centers": [0.0, 2.0], "y": [1.0, 2.0], "panels": PANELS}

profile = partial(figures.profile_picture, **BUMPY, name="p")
bounds = partial(figures.bounds_picture, y=[1.0, 2.0], bounds=BOUNDS, name="b")
precision = partial(figures.precision_picture, series=SERIES, name="e")
circuit = partial(
    figures.circuit_picture,
    matrices=[np.eye(4, 3), np.eye(3, 4), np.eye(2, 3)],
    values=[np.arange(size) / 4 for size in (3, 4, 3, 2)],
    name="c",
)


def test_bumps_bounds_and_errors_are_told_as_they_were_given():
    tells(profile(), "from 0 to 2, plateaus of half length 0.2")
    ends = [points[:, 0].tolist() for points in lines(profile()) if len(points) == 2]
    np.testing.assert_allclose(ends, [[-0.2, 0.2], [1.8, 2.2]])
    tells(bounds(), "plain: 1 of 2 balls within 0.5, the widest reaches 1")
    tells(bounds(), "aware: 2 of 2 balls within 0.5, the widest reaches 0")
    tells(precision(), "float64: from 0 at 0.1 to 1·10⁻¹² at 0.001", "wrong nowhere")
    tells(precision(), "float32: from 1·10⁻⁵ at 0.1 to 0.7 at 0.001, predicted 1·10⁻⁵ and 0.1;")
    tells(precision(), "wrong from 0.001 on")
    flat = [figures.ProfilePanel("flat", 0 * BUMPS, 0 * PLACES, 0.2)]
    tells(profile(panels=flat), "goes from 0 to 0")
    with pytest.raises(ValueError, match="lower bounds must be below"):
        bounds(bounds={"a": ([2.0, 2.0], [1.0, 3.0])})


@pytest.mark.parametrize("n", [1, 2])
def test_an_edge_of_the_circuit_is_an_entry_of_a_matrix(n):
    sizes = (n + 2, 3 * n + 1, n + 2, n + 1)
    values = [np.arange(size) / 4 for size in sizes]
    sparse = [np.eye(after, before) for before, after in pairwise(sizes)]
    tells(circuit(matrices=sparse, values=values), f"with {n + 2}, {n + 2}, {n + 1} connections")
    full = circuit(matrices=[np.ones_like(matrix) for matrix in sparse], values=values)
    counts = [matrix.size for matrix in sparse]
    tells(full, f"with {counts[0]}, {counts[1]}, {counts[2]} connections")
    tells(full, f"running maximum after it {n / 4:g}.")
    assert len(lines(full)) == sum(counts)


SHARES = {"*F*, list": (0.25, 0.25, 0.5), "map": (0.75, 0.25, 0.0)}
INTERVALS = {"*F*, list": clopper_pearson(25, 100), "map": clopper_pearson(75, 100)}
bars = partial(figures.answer_bars, entries=SHARES, intervals=INTERVALS, chance=0.5, name="b")


def test_every_bar_is_as_long_as_its_share_and_written_with_its_interval():
    shown = bars()
    for title, interval in INTERVALS.items():
        written = (percent(interval.estimate), percent(interval.upper))
        assert all(text in shown.html for text in written), title
    tells(shown, "F, list: right 25 %", "no answer 50 %", "A dashed line marks a guess, 50 %")
    widths = [patch.get_width() for patch in bars()._figures[0].axes[0].patches]
    assert widths == [0.25, 0.25, 0.5, 0.75, 0.25]
    with pytest.raises(ValueError, match="add to 1"):
        bars(entries={**SHARES, "map": (0.5, 0.4, 0.2)})
    found = {"map": median_interval([0.7, 0.71, 0.72, 0.8, 0.81, 0.82])}
    tells(bars(entries={"map": (0.76, 0.24, 0.0)}, intervals=found), "interval 70 % to 82 %")

"""The robustness window: attacks and certificates agree with explorer, labs and pictures."""

import re
from functools import partial

import numpy as np
import pytest

from sublinear_lib import features as fl
from sublinear_lib.chapters.what_is_robust_and_what_is_not import explorers, figures
from sublinear_lib.widgets import Line, Points, Stretch
from tests.chapters.marks import of
from tests.plotting.shown import lines, tells

LAW = fl.FeatureData(noise=0.0, jitter=0.0)


@pytest.mark.parametrize("q", [1, 2, 3])
@pytest.mark.parametrize("eps", [0.04, 0.3, 0.52, 0.9])
def test_broken_means_an_attack_succeeds_and_safe_that_it_is_certified(q, eps):
    view = explorers.breaking_budgets.function(str(q), eps)
    act = fl.ReLU() if q == 1 else fl.SmoothedReLU(q, 1.0)
    data, read = LAW.sample(3, rng=0), dict(view.readouts)
    u = fl.PatchNetwork.of_features(LAW, [1.0 / 3.0], [0.0], act)
    v = fl.PatchNetwork.of_features(LAW, [0.0], [1.0], act)
    for network, name, found in (
        (u, "net of *u*", fl.feature_attack(u, data, eps, "swap_u")),
        (v, "net of *v*", fl.feature_attack(v, data, eps, "swap_v")),
    ):
        broken = found.error == 1.0
        assert (fl.certify_patches(network, data.X, data.y, eps).error == 1.0) == broken
        assert read[name] == ("broken" if broken else "safe")
    window = fl.robustness_window(fl.FeatureData(), q)
    ties = [float(np.asarray(mark.x)[0]) for mark in of(view, Points)]
    assert ties == pytest.approx([window.upper, window.lower])
    for line, tie in zip(of(view, Line)[1:], ties, strict=True):
        assert np.interp(tie, np.asarray(line.x), np.asarray(line.y)) == pytest.approx(tie)
    regions = [(region.start, region.stop) for region in of(view, Stretch)]
    assert regions == ([pytest.approx((window.lower, window.upper))] if q == 3 else [])
    assert ("u breaks first" in (view.warning or "")) == (q < 3)


def test_what_was_trained_without_an_adversary_is_learned_but_not_robust(capsys):
    shown = explorers.certify_run.function(0.0, 300, 0.52, 0)
    said = capsys.readouterr().out
    assert "clean error 0.0%" in said and "attacks break 24 of 24 inputs" in said
    tells(shown, "standard training: certified without error up to 0.44")
    shown = explorers.robust_digits_run.function(0.0, "yes", 0.1, 0)
    said = capsys.readouterr().out
    found = re.search(r"clean error ([\d.]+)%.*?between ([\d.]+)%.* and ([\d.]+)%", said, re.DOTALL)
    assert found is not None
    clean, attacked, certified = (float(n) for n in found.groups())
    assert clean < 15 < 30 < attacked <= certified <= 100
    tells(shown, "standard training: at 0 at most")


DIGITS = {"*ε* = 0.1": [(0.2, 0.6, 0.5, 0.7), (0.0, 0.05, 0.04, 0.06), (0.1, 0.3, 0.2, 0.4)]}
ROW = ((0.9, 0.75, 1.0), (0.1, 0.0, 0.2), (0.2, 0.1, 0.3))
HALF = figures.ErrorBracket([0.1, 0.2], [0.1, 0.5], [0.2, 0.6])
NETWORKS = {"networks": {"a": HALF}, "limits": (0.0, 0.3), "window": (0.1, 0.15)}

digits = partial(figures.digit_errors_picture, panels={"Warm": DIGITS, "Cold": DIGITS}, name="d")
variants = partial(figures.variants_picture, rows={"*q* = 3": ROW, "sign": ROW}, name="v")
errors = partial(figures.robust_error_picture, **NETWORKS, name="e")


def test_texts_give_the_numbers_and_curves_run_through_them_in_order():
    tells(digits(), "Warm: ε = 0.1 from 5 % at 0 to 60 % at 0.2")
    tells(variants(), "q = 3: 90 %, error 10 % to 20 %")
    for points in lines(digits(), "c1"):
        np.testing.assert_allclose(points, [[0.0, 0.05], [0.1, 0.3], [0.2, 0.6]], atol=0.005)
    with pytest.raises(ValueError, match="must not have a certificate below an attack"):
        variants(rows={"a": (ROW[0], ROW[2], ROW[1])})


def test_a_bracket_is_told_by_its_ends_and_its_widest_gap_and_must_not_contradict_itself():
    network = fl.PatchNetwork.of_features(LAW, robust=[1.0], nonrobust=[0.0])
    curve = fl.error_curve(network, LAW.sample(3, rng=0), [0.0, 0.6, 0.61, 0.7], rng=0)
    bracket = figures.ErrorBracket(curve.eps, curve.attacked, curve.certified)
    shown = errors(networks={"pure *u*": bracket}, window=(0.4986, 0.6077), limits=None)
    tells(shown, "pure u: certified without error up to 0.6", "all inputs broken from 0.61 on")
    tells(shown, "window from 0.499 to 0.608")
    tells(errors(), "at 0.1 at most 20 % are broken", "at least 50 % are broken")
    tells(errors(), "gap between attack and certificate 10 %")
    odd = figures.ErrorBracket([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], [0, 1, 0, 1])
    tells(errors(networks={"a": odd}), "error up to 0.1", "all inputs broken from 0.4 on")
    with pytest.raises(ValueError, match="attacked <= certified"):
        errors(networks={"a": HALF._replace(certified=[0.0, 0.6])})

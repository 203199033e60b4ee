"""Promises of the labs of half-space reporting: counts repeat, and what is dropped was silent."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.halfspace import HalfspaceIndex, alive_on_slice
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import PAGE_HTML, Picture, figure
from sublinear_lib.training import DenseAdversarialTraining
from sublinear_lib.widgets import (
    LiveLab,
    halfspace_lab,
    measure_the_search,
    search_lab,
    survivors_lab,
    train_the_survivors,
)

STILL = Picture(figure(), alt="An empty figure for a test.", name="still")


def numbers(text: str) -> list[float]:
    joined = re.sub(r"(?<=\d)\N{NARROW NO-BREAK SPACE}(?=\d)", "", text)
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", joined)]


def test_the_search_counts_hits_and_tests_as_the_index_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    measure_the_search(m=4096, d=3, active=0.1, seed=5)
    out = capsys.readouterr().out.splitlines()
    hits, tested = 0, []
    for draw in range(3):
        for width in (64, 256, 1024, 4096):
            rng = np.random.default_rng([5, draw, width])
            tau = scaling.threshold_from_activity(0.1, width)
            network = TwoLayerNetwork.initialize(width, 3, rng=rng, tau=tau)
            X = geometry.sample_slice(16, 3, rng)
            hits += int(network.active_mask(X).sum())
            index = HalfspaceIndex(network.W, network.b, method="tree", domain="slice", leaf_size=8)
            index.query_halfspace(X, tau)
            tested.append(index.stats().points_tested / 16)
    assert numbers(out[0])[:2] == [hits, 192]
    assert numbers(out[1])[1] == 0.0  # the power that is promised for d = 3
    share = numbers(out[2])[-1] / 100
    assert share == pytest.approx(np.mean(tested[3::4]) / 4096, rel=0.005)
    assert numbers(out[2])[0] < numbers(out[3])[0]  # the tree grows more slowly than the cap bound


def test_a_structure_with_another_answer_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgetful(HalfspaceIndex):
        def mask_halfspace(self, *args: object, **kwargs: object) -> np.ndarray:
            mask = super().mask_halfspace(*args, **kwargs)  # type: ignore[arg-type]
            return np.zeros_like(mask)

    monkeypatch.setattr(halfspace_lab, "HalfspaceIndex", Forgetful)
    with pytest.raises(RuntimeError, match="exact arithmetic"):
        measure_the_search(m=4096, d=3, active=0.1, seed=0)


def test_the_survivors_are_those_of_the_cap_bound_and_train_alike(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = train_the_survivors(m=512, d=4, active=0.05, rho=0.1, steps=8)
    first, second, third = capsys.readouterr().out.splitlines()
    tau = scaling.threshold_from_activity(0.05, 512)
    start = TwoLayerNetwork.initialize(512, 4, rng=0, tau=tau)
    alive = alive_on_slice(start.W, start.b, tau=tau)
    X, y = geometry.sample_slice(12, 4, 1), np.resize([1.0, -1.0], 12)
    attack = ProjectedGradient(rho=0.1, steps=5)
    run = DenseAdversarialTraining(adversary=attack, steps=8).fit(start, X, y, rng=0)
    moved = (run.final.W != start.W).any(axis=1)
    assert numbers(first)[:2] == [len(alive), 512]
    assert numbers(first)[-1] == moved.sum() > 0
    assert numbers(second)[0] == 0 and numbers(second)[1] < 1e-12
    full, part = numbers(third)[:2], numbers(third)[2:]
    assert full == part == pytest.approx([run.loss[0], run.loss[-1]], abs=6e-4)
    assert "dense 100" in shown.alt


@pytest.mark.parametrize("build", [search_lab, survivors_lab])
def test_each_lab_shows_its_still(build: object) -> None:
    lab = build(STILL)  # type: ignore[operator]
    assert isinstance(lab, LiveLab)
    assert "An empty figure for a test." in lab._repr_mimebundle_()[0][PAGE_HTML]
    with pytest.raises(TypeError, match="still"):
        build("picture")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: measure_the_search(1024, 3, 0.1, 0), "m"),
        (lambda: measure_the_search(4096, 1, 0.1, 0), "d"),
        (lambda: measure_the_search(4096, 3, 0.6, 0), "active"),
        (lambda: measure_the_search(4096, 3, 0.1, -1), "seed"),
        (lambda: train_the_survivors(1, 3, 0.1, 0.1, 5), "m"),
        (lambda: train_the_survivors(64, 1, 0.1, 0.1, 5), "d"),
        (lambda: train_the_survivors(64, 3, 0.0, 0.1, 5), "active"),
        (lambda: train_the_survivors(16, 2, 1e-9, 0.1, 5), "active"),
        (lambda: train_the_survivors(64, 3, 0.1, -0.1, 5), "rho"),
        (lambda: train_the_survivors(64, 3, 0.1, 0.1, 1), "steps"),
    ],
)
def test_bad_values_are_named(call: object, word: str) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"\b{word}\b"):
        call()  # type: ignore[operator]

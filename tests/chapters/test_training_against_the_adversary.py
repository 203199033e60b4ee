"""Training against the adversary: curves of the trainer, and losses bounded exactly."""

import re
from functools import partial

import numpy as np
import pytest

from sublinear_lib import datasets, scaling
from sublinear_lib.adversary import ExactOnCircle, ProjectedGradient, robust_loss
from sublinear_lib.chapters.training_against_the_adversary import explorers, figures
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import number, percent
from sublinear_lib.training import StableStep, SublinearAdversarialTraining, resolve_step_size
from sublinear_lib.widgets import Line
from tests.chapters.marks import named
from tests.plotting.shown import lines, tells

DATA = datasets.circle(4)
VIEW, TRAIN = explorers.training_curves.function, explorers.train_and_certify.function


def test_curves_and_numbers_are_those_of_the_trainer():
    view, tau = VIEW(128, "1.28", "3"), scaling.threshold_from_standard(1.28, 128)
    start = TwoLayerNetwork.initialize(128, 3, rng=0, tau=tau)
    foe = ProjectedGradient(rho=0.15, steps=3)
    trainer = SublinearAdversarialTraining(adversary=foe, eta=StableStep(c0=3.0), steps=40)
    history = trainer.fit(start, DATA.X, DATA.y, rng=0)
    for label, column in {"attacked": history.loss, "clean": history.clean_loss}.items():
        drawn = named(view, Line)[label].y
        np.testing.assert_allclose(drawn, np.clip(column, 1e-3, 10.0), rtol=1e-9, err_msg=label)
    assert f"{number(float(history.loss[20:].mean()))} on average" in view.sentence
    assert f"to {number(float(history.loss[-1]))};" in view.sentence
    assert f"{percent(float(start.active_mask(DATA.X).mean()))} fire" in view.sentence
    ratio = resolve_step_size("printed", start) / resolve_step_size(StableStep(c0=1.0), start)
    assert f"would be {number(ratio)} units" in view.sentence


def test_words_of_failure_stand_only_where_something_fails():
    assert "too long" in VIEW(1024, "0", "30").sentence
    assert "no neuron fires there" in VIEW(128, "2.33", "30").sentence
    assert not any("too long" in VIEW(256, t, "1").sentence for t in ("0", "1.28"))


def floats(line):
    return [float(found) for found in re.findall(r"\d+\.\d+", line)]


def test_the_lab_prints_the_loss_in_training_and_the_exact_one(capsys):
    TRAIN(foe="exact", m=256, t=1.0, rho=0.1, steps=12, seed=3)
    first, second = capsys.readouterr().out.splitlines()
    tau = scaling.threshold_from_standard(1.0, 256)
    start = TwoLayerNetwork.initialize(256, 3, rng=3, tau=tau)
    foe, eta = ExactOnCircle(rho=0.1), StableStep(c0=0.25)
    trainer = SublinearAdversarialTraining(adversary=foe, eta=eta, steps=12)
    run = trainer.fit(start, DATA.X, DATA.y, rng=0)
    worst = robust_loss(run.final, DATA.X, DATA.y, 0.1, "huber")
    assert floats(first) == pytest.approx([run.loss[0], run.loss[-1]], abs=6e-4)
    assert floats(second) == pytest.approx([worst.lower, worst.upper], abs=6e-6)
    for foe in ("none", "plain", "smoothed"):
        TRAIN(foe=foe, m=256, t=1.0, rho=0.3, steps=60, seed=0)
        first, second = capsys.readouterr().out.splitlines()
        assert floats(first)[-1] < floats(second)[-1], "a weaker adversary sees no more"


ROWS = [(0.5, 0.9, 0.85, 0.95), (0.01, 0.8, 0.7, 1.05), (0.1, 0.85, 0.8, 0.9)]
PANELS = {"jump": {"clean": ROWS}, "other": {"clean": ROWS}}
accuracies = partial(figures.accuracy_against_activity, panels=PANELS, lowest=0.5, name="a")


def test_accuracies_are_told_from_few_to_many_neurons_and_cut_where_the_axis_ends():
    tells(accuracies(), "80 % at 1 % activity and 90 % at 50 %")
    line, dots = lines(accuracies(lowest=0.84, panels={"jump": {"clean": ROWS}}))
    np.testing.assert_allclose(line[:, 1], [0.84, 0.85, 0.9])
    np.testing.assert_allclose(dots, [(0.1, 0.85), (0.5, 0.9)])

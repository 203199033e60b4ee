"""The rivals of the trainer do what the trainer does, and so do its steps taken one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks import dense_training
from benchmarks.dense_training import DenseIteration, TorchIteration
from benchmarks.iteration import OWN, TrainingProblem
from benchmarks.peers import load
from benchmarks.stepping import FOREVER, Stepper, wrong_moves
from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.evaluation import kernels_in_use
from sublinear_lib.halfspace import alive_on_slice
from sublinear_lib.losses import HuberLoss
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import DenseAdversarialTraining, SublinearAdversarialTraining

N, M, D = 48, 700, 5


def problem(preset: str = "PRINTED", share: float = 0.1) -> TrainingProblem:
    return TrainingProblem.random(D, M, N, scaling.threshold_from_activity(share, M), 3, preset)


def distance(update: Any, wanted: Any) -> float:
    return float(np.linalg.norm(update - wanted) / np.linalg.norm(wanted))


@pytest.mark.parametrize("preset", ["PRINTED", "R3"])
@pytest.mark.parametrize("living", [False, True])
@pytest.mark.parametrize("way", ["products", "rows", "torch"])
def test_a_rival_takes_the_step_of_the_trainer(preset: str, living: bool, way: Any) -> None:
    case, eta, loss = problem(preset), 3.0, HuberLoss(delta=0.2)
    network, torch = case.network, load("torch")
    rows = alive_on_slice(network.W, network.b, tau=network.tau) if living else np.arange(M)
    assert 0 < len(rows) < M + (not living)
    common = (network, case.X, case.y, case.adversary, loss, eta)
    if way == "torch":
        if torch is None or living:
            pytest.skip("PyTorch is not installed, or would be asked for what it does not do")
        rival: Any = TorchIteration(*common, torch)
    else:
        rival = DenseIteration(*common, rows=rows if living else None, by_rows=way == "rows")
    before = rival.W.copy()
    value = rival.step()
    trainer = DenseAdversarialTraining(adversary=case.adversary, eta=eta, steps=1, loss=loss)
    final = trainer.fit(network, case.X, case.y, rng=0).final
    assert distance(rival.W - before, (final.W - network.W)[rows]) < 1e-4
    assert np.abs(value - network.forward(rival.moved)).max() < 1e-5
    assert np.linalg.norm(rival.moved - case.X, axis=1).max() <= case.adversary.rho + 1e-9


def test_the_tiles_cover_every_pair_once() -> None:
    case = TrainingProblem.random(4, 5000, 300, 0.03, 0)
    rival = DenseIteration(case.network, case.X, case.y, case.adversary, HuberLoss(), 1.0)
    for shape in ((64, 256), (300, 512), (128, 2048)):
        rival._shape = shape
        met = np.zeros((300, 5000), dtype=np.int64)
        for points, neurons in rival._tiles():
            met[points, neurons] += 1
        assert (met == 1).all()
        assert np.abs(rival.value(case.X) - case.network.forward(case.X)).max() < 1e-5


@pytest.mark.skipif(kernels_in_use() != "numba", reason="needs compiled loops")
@pytest.mark.parametrize("width", [1, 31, 32, 100])
def test_the_compiled_passes_equal_those_in_numpy(width: int) -> None:
    from benchmarks import loops

    rng = np.random.default_rng(width)
    scores, a = (rng.standard_normal(shape).astype(np.float32) for shape in ((9, width), width))
    W, moves = (rng.standard_normal(shape).astype(np.float32) for shape in ((width, 4), (9, 4)))
    tau, shift = np.float32(0.4), np.float32(0.25)
    assert (scores > tau).any() or width == 1

    found = []
    for module, prefix in ((dense_training, "_"), (loops, "")):
        table, value, other = scores.copy(), np.zeros(9), np.zeros(9)
        slope, moved = np.zeros((9, 4), np.float32), np.zeros((width, 4), np.float32)
        getattr(module, f"{prefix}gate")(table, a, tau, shift, value)
        getattr(module, f"{prefix}add_rows")(scores, a, W, tau, shift, other, slope)
        getattr(module, f"{prefix}scatter")(scores, a, moved, tau, moves)
        found.append((table, value, other, slope, moved))
    for one, two in zip(*found, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-5)
    assert np.array_equal(found[0][0], np.where(scores > tau, a, np.float32(0.0)))


def test_steps_taken_one_by_one_are_those_of_a_run() -> None:
    case, eta = problem(), 1.0
    with case.stepper("query", eta) as one, case.stepper("caps", eta) as two:
        for _ in range(3):
            one.step()
        assert two.step(3).loss == one.records[-1].loss
        stepped = one.network
        assert len(one.records) == len(two.records) == 3
        assert one.first_seconds > 0.0
        method = one.close()
    trainer = SublinearAdversarialTraining(
        adversary=case.adversary, eta=eta, steps=3, index="query"
    )
    history = trainer.fit(case.network, case.X, case.y, rng=case.seed)
    assert np.array_equal(stepped.W, history.final.W)
    assert [row.loss for row in one.records] == history.loss.tolist()
    assert method == history.method


def test_an_error_of_the_trainer_reaches_who_asked() -> None:
    case = problem()

    def make(adversary: Any) -> SublinearAdversarialTraining:
        return SublinearAdversarialTraining(adversary=adversary, eta=1e200, steps=FOREVER)

    network, X, y = case.network, case.X, case.y
    with Stepper(make, ProjectedGradient(rho=0.1), network, X, y, 0) as stepper:
        for _ in range(2):
            with pytest.raises(FloatingPointError, match="diverged at step 0"):
                stepper.step()


@pytest.mark.parametrize("name", list(OWN))
def test_no_trainer_moves_a_neuron_that_real_arithmetic_would_not(name: str) -> None:
    case = TrainingProblem.random(3, M, N, scaling.threshold_from_activity(0.1, M), 5)
    with case.stepper(OWN[name], 1.0) as stepper:
        assert [stepper.checked_step() for _ in range(3)] == [0, 0, 0]


def test_one_pair_decided_otherwise_is_seen() -> None:
    case, rng = problem(), np.random.default_rng(0)
    network = case.network
    points = geometry.project_to_caps(case.X + rng.standard_normal(case.X.shape), case.X, 0.1)
    moves = -0.5 / N * rng.uniform(0.5, 1.0, N)
    mask = network.active_mask(points)

    def moved(active: Any) -> TwoLayerNetwork:
        gradient = active.T.astype(np.float64) @ (moves[:, None] * points)
        return network.with_weights(network.W + network.a[:, None] * gradient)

    assert wrong_moves(network, moved(mask), points, moves) == (0, int(mask.sum()))
    for point, neuron in ((0, 0), (7, 99), (N - 1, M - 1)):
        flipped = mask.copy()
        flipped[point, neuron] ^= True
        assert wrong_moves(network, moved(flipped), points, moves)[0] == 1
    flipped = mask.copy()
    flipped[3] ^= True
    assert wrong_moves(network, moved(flipped), points, moves)[0] == M

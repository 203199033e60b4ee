"""The player of Algorithm 1, its start and its stills; what it computes is tested in a browser."""

import base64
import json

import numpy as np
import pytest
from scipy import stats

from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import ExactOnCircle
from sublinear_lib.training import SublinearAdversarialTraining
from sublinear_lib.training.step_size import StableStep
from sublinear_lib.widgets import algorithm_player
from sublinear_lib.widgets.algorithm import AlgorithmPlayer, player_data, player_network


@pytest.mark.parametrize("m", [64, 91, 1024])
def test_a_start_is_that_of_definition_3_1_and_the_beginning_of_a_larger_one(m):
    large = player_network(4096, 1.0)
    assert large.d == 3 and large.tau == scaling.threshold_from_standard(1.0, 4096)
    numbers = np.column_stack((large.W, large.b)) * 64.0
    assert stats.kstest(numbers.ravel(), "norm").pvalue > 0.01
    assert set(large.a.tolist()) == {-(4096**-0.2), 4096**-0.2}
    assert abs((large.a > 0).mean() - 0.5) < 0.03
    small = player_network(m, 0.5)
    found = np.column_stack((small.W, small.b)) * m**0.5
    np.testing.assert_allclose(found, numbers[:m], rtol=1e-14)
    assert (np.sign(small.a) == np.sign(large.a[:m])).all()


def test_a_size_that_is_none_is_refused():
    with pytest.raises(ValueError, match="size must be"):
        algorithm_player("huge")


def test_the_data_are_separated_for_every_reach_of_the_slider():
    X, y = player_data()
    assert len(X) == 16 and y.sum() == 0
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0, rtol=1e-15)
    apart = np.linalg.norm(X[y > 0][:, None] - X[y < 0][None], axis=2)
    assert apart.min() > 2 * 0.25
    assert geometry.cap_angle(0.1) < 0.29 / 2  # at the start of the slider no two caps meet


def test_the_page_gets_the_numbers_of_the_library():
    spec = algorithm_player()._spec
    assert json.loads(json.dumps(spec)) == spec
    assert len(json.dumps(spec)) < 60_000
    draws = np.frombuffer(base64.b64decode(spec["draws"]), dtype="<i2").reshape(4096, 4)
    network = player_network(4096, 0.0)
    np.testing.assert_array_equal(draws[:, :3] / spec["unit"] / 64.0, network.W)
    tails = np.exp(np.frombuffer(base64.b64decode(spec["tails"]), dtype="<f8"))
    grid = np.arange(len(tails)) / spec["tailsPerUnit"]
    np.testing.assert_allclose(tails, stats.norm.sf(grid), rtol=1e-12)
    widths = {one["m"]: one for one in spec["widths"]}
    assert {2**k for k in range(6, 13)} <= set(widths) and len(widths) == 31
    for m, one in widths.items():
        assert one["printed"] * one["std"] == pytest.approx(1 / m, rel=1e-14)
        assert one["sparse"] * one["std"] == pytest.approx(scaling.R3.tau(m), rel=1e-14)
        at_two = StableStep().step_size(player_network(m, 2.0))
        assert one["step"] / tails[2 * spec["tailsPerUnit"]] == pytest.approx(at_two, rel=1e-9)


def test_the_same_player_is_stored_in_the_same_bytes():
    one, two = AlgorithmPlayer("small"), algorithm_player("small")
    assert one._key == two._key != algorithm_player()._key
    data, again = (player._repr_mimebundle_()[0] for player in (one, two))
    for bundle in (data, again):
        del bundle["application/vnd.jupyter.widget-view+json"]
    assert data == again
    assert repr(one) == "AlgorithmPlayer('small': Algorithm 1 for d = 3, up to 4096 neurons)"


def test_the_stills_say_how_many_fire():
    alt = algorithm_player().still().alt
    X, y = player_data()
    networks = {}
    for name, rule in (("printed", scaling.PRINTED), ("sparse", scaling.R3)):
        t = scaling.standardize_threshold(rule.tau(128), 128)
        networks[f"{name} threshold"] = player_network(128, t)
    trainer = SublinearAdversarialTraining(adversary=ExactOnCircle(rho=0.1), steps=60)
    trained = trainer.fit(networks["sparse threshold"], X, y, rng=0).final
    networks["the same after 60 steps"] = trained
    for name, network in networks.items():
        fires = int(network.active_mask(X[1:2]).sum())
        assert f"{name}: {fires} of 128 neurons fire" in alt

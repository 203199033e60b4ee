"""What a run leaves behind can be drawn and counts flips right; it ends when its rule says so."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import datasets, geometry, plotting
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting.results import training_run
from sublinear_lib.training import History, Measure, SublinearAdversarialTraining
from sublinear_lib.training.measuring import count_flips


@pytest.fixture(scope="module")
def history() -> History:
    data = datasets.circle(4)
    start = TwoLayerNetwork.initialize(64, 3, rng=0, tau=0.1)
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1, steps=2), steps=6, measure=Measure(every=3)
    )
    return trainer.fit(start, data.X, data.y, rng=0)


def test_plot_is_the_picture_of_the_run(history: History) -> None:
    columns = history.step, history.loss, history.clean_loss, history.activity_mean
    wanted = training_run(*columns, name="r")
    drawn = history.plot(name="r")
    assert isinstance(drawn, plotting.Picture)
    assert (drawn.html, drawn.alt) == (wanted.html, wanted.alt)
    drawn = history.plot(caption="what to notice", alt="Two curves over the steps.")
    assert "what to notice" in drawn.html
    assert (drawn.name, drawn.alt) == ("training-run", "Two curves over the steps.")


def test_one_step_is_no_curve(history: History) -> None:
    short = dataclasses.replace(history, records=history.records[:1])
    with pytest.raises(ValueError, match="at least two steps"):
        short.plot()


@pytest.mark.parametrize("seconds", [False, True])
def test_a_history_becomes_a_data_frame(history: History, seconds: bool) -> None:
    pandas = pytest.importorskip("pandas")
    columns = history.to_columns(seconds=seconds)
    for frame in (
        pandas.DataFrame(columns),
        pandas.DataFrame(history.to_dict(seconds=seconds)),
    ):
        assert list(frame.columns) == list(columns)
        assert len(frame) == len(history)
        for name, column in columns.items():
            np.testing.assert_array_equal(frame[name].to_numpy(dtype=float), column, err_msg=name)
        assert frame["touched"].dtype == np.int64
        assert frame["robust_upper"].notna().tolist() == [True, False, False] * 2


@settings(deadline=None, max_examples=100)
@given(st.integers(2, 5), st.integers(1, 40), st.floats(0.0, 1.0), st.integers(0, 10**6))
def test_flips_are_the_differences_of_all_activities(d, m, share, seed):
    rng = np.random.default_rng(seed)
    start = TwoLayerNetwork.initialize(m, d, rng=rng, tau=0.1)
    W = start.W.copy()
    # Single entries move, in any column.
    moved = rng.random(W.shape) < share / d
    W[moved] += rng.standard_normal(int(moved.sum()))
    now = start.with_weights(W)
    X = geometry.sample_slice(6, d, rng=rng)
    expected = np.count_nonzero(start.active_mask(X) != now.active_mask(X))
    assert count_flips(start, now, X) == expected
    assert count_flips(now, start, X) == expected
    assert count_flips(start, start, X) == 0

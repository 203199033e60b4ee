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
from sublinear_lib.training import EarlyStop, History, Measure, SublinearAdversarialTraining
from sublinear_lib.training.measuring import count_flips
from sublinear_lib.training.stopping import Watch


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
    wanted = plotting.training_run(*columns, name="r")
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


# Few values, so that equal losses and differences of exactly the improvement occur.
losses = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, 1.25]), min_size=1, max_size=12)


def waited(seen, improvement):
    """Count the steps since a loss was last lower than all before it, by the improvement."""
    lowest, since = seen[0], 0
    for loss in seen[1:]:
        if loss < lowest - improvement:
            lowest, since = loss, 0
        else:
            since += 1
    return lowest, since


@settings(deadline=None, max_examples=300)
@given(losses, st.sampled_from([0.0, 0.25, 0.5]), st.integers(1, 4))
def test_patience_counts_the_steps_without_enough_improvement(seen, improvement, patience):
    rule = EarlyStop(patience=patience, improvement=improvement)
    watch = Watch(rule)
    for length in range(1, len(seen) + 1):
        said = watch.see(seen[length - 1])
        lowest, since = waited(seen[:length], improvement)
        assert bool(said) == (since >= patience), seen[:length]
        assert rule.reason(seen[:length]) == said
        if said:
            assert said == f"no lower loss than {lowest:.6g} in {since} steps"


@settings(deadline=None, max_examples=100)
@given(losses, st.sampled_from([0.0, 0.25, 0.6]))
def test_a_loss_that_reaches_the_goal_ends_the_run(seen, goal):
    said = EarlyStop(loss=goal).reason(seen)
    assert bool(said) == (seen[-1] <= goal)


def test_the_goal_is_named_before_the_patience():
    assert "reached" in EarlyStop(loss=0.5, patience=1).reason([0.5, 0.5])


def test_nothing_is_said_about_no_losses_and_by_no_rule():
    assert EarlyStop(loss=1.0).reason([]) == ""
    assert Watch(None).see(0.0) == ""

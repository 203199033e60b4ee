"""A run ends when its rule says so: not a step earlier, not a step later."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.training import EarlyStop
from sublinear_lib.training.stopping import Watch

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

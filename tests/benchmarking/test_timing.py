"""The race: who is asked what, and how often; the clocks themselves are not tested."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from benchmarks.timing import Competitor, median_seconds, one_thread, race


class Counting:
    """A competitor that counts its calls, and may be slow."""

    def __init__(self, name: str, *, core: bool, unit: int = 4, work: int = 0) -> None:
        self.asked: list[int] = []
        self.work = work
        self.competitor = Competitor(name, self.ask, core=core, unit=unit)

    def ask(self, tau: float, q: int) -> float:
        self.asked.append(q)
        total = tau
        for number in range(self.work * q):
            total += number
        return total


def test_competitors_take_turns_and_the_median_for_one_query_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In every round everybody is asked once, so that what disturbs one disturbs all."""
    clock, asked = [0.0], list[str]()
    monkeypatch.setattr("benchmarks.timing.time.thread_time", lambda: clock[0])

    def competitor(name: str, seconds: list[float]) -> Competitor:
        times = iter(seconds)

        def ask(tau: float, q: int) -> None:
            asked.append(name)
            clock[0] += next(times)

        return Competitor(name, ask, core=True)

    one = competitor("one", [9.0, 9.0, 1.0, 3.0, 2.0, 5.0, 4.0])
    two = competitor("two", [9.0, 9.0, 6.0, 6.0, 7.0, 8.0, 6.0])
    found = race([one, two], 0.5, queries=4, rounds=5, seconds=60.0)
    # Before the first round everybody is called twice, which is not timed.
    assert asked == ["one", "one", "two", "two", *["one", "two"] * 5]
    assert found["one"] == (3.0e6 / 4, 5, 4)
    assert found["two"].microseconds == 6.0e6 / 4


def test_the_core_always_answers_the_whole_batch() -> None:
    core, other = Counting("core", core=True), Counting("other", core=False)
    found = race([core.competitor, other.competitor], 0.5, queries=64, rounds=5, seconds=1e-9)
    assert set(core.asked) == {64}
    assert found["core"].rounds == 3, "it begins no further round after its time is up"
    assert found["core"].queries == 64


def test_who_is_no_core_is_asked_whole_units_and_no_more_than_there_is_time_for() -> None:
    slow = Counting("slow", core=False, unit=8, work=20_000)
    core = Counting("core", core=True)
    found = race([core.competitor, slow.competitor], 0.5, queries=256, rounds=2, seconds=1e-6)
    assert found["slow"].queries == 8
    assert set(slow.asked) == {8}
    fast = Counting("fast", core=False, unit=8)
    found = race([fast.competitor], 0.5, queries=64, rounds=1, seconds=10.0)
    assert found["fast"].queries % 8 == 0
    assert 8 <= found["fast"].queries <= 64


def test_every_fresh_object_is_timed_once_and_the_first_is_thrown_away() -> None:
    made: list[object] = []
    used: list[object] = []

    def prepare() -> object:
        made.append(object())
        return made[-1]

    assert median_seconds(used.append, prepare, rounds=3) >= 0.0
    assert used == made
    assert len(made) == 4


def test_all_loaded_libraries_are_held_to_one_thread_and_let_go() -> None:
    np.ones((64, 64)) @ np.ones((64, 64))
    before = [each["num_threads"] for each in threadpool_info()]
    with one_thread():
        assert {each["num_threads"] for each in threadpool_info()} <= {1}
    assert [each["num_threads"] for each in threadpool_info()] == before


@pytest.mark.parametrize("own_threads", [False, True])
def test_a_competitor_with_threads_of_its_own_is_timed_with_them(own_threads: bool) -> None:
    def ask(tau: float, q: int) -> None:
        worker = threading.Thread(target=lambda: sum(range(2_000_000)))
        worker.start()
        worker.join()

    competitor = Competitor("threaded", ask, core=True, own_threads=own_threads)
    seconds = race([competitor], 0.0, queries=1, rounds=1, seconds=1.0)["threaded"].microseconds
    # the sum takes tens of milliseconds of the worker, starting and joining it next to nothing
    assert (seconds > 5_000) == own_threads

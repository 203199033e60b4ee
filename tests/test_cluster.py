"""Whoever computes, every result arrives once, and is the same."""

import asyncio
import contextlib
import functools
import importlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from threadpoolctl import threadpool_info

from sublinear_lib import cluster, datasets, training
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.claims import LEDGER, Claim, verify
from sublinear_lib.cluster import LostWorkers, connected, run_tasks, single_threaded
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.statistics import SweepError, sweep
from tests.commands import sublinear, wait_for
from tests.test_statistics import GRID, measures

pytestmark = pytest.mark.thorough


def threads():
    np.ones((2, 2)) @ np.ones((2, 2))
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_overlapping_calls_in_one_process_keep_to_one_thread():
    """The first call ends while the second one computes, as on a worker of two threads."""
    before, seen = threads(), []
    begun, ended = threading.Event(), threading.Event()

    def second():
        with single_threaded():
            begun.set()
            ended.wait(10)
            seen.append(threads())

    with single_threaded():
        worker = threading.Thread(target=second)
        worker.start()
        begun.wait(10)
    ended.set()
    worker.join()
    assert seen == [{1}]
    assert threads() == before


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("ordered", [True, False])
def test_every_task_is_answered_once(jobs, ordered):
    found = list(run_tasks(pow, [(k, 2) for k in range(7)], n_jobs=jobs, ordered=ordered))
    assert sorted(found) == [(k, k * k) for k in range(7)]
    assert not ordered or found == sorted(found)


HOARD = []


def hoarding(number):
    HOARD.append(np.ones(5 * 10**7))
    time.sleep(1.2)  # joblib looks once a second
    return len(HOARD)


def test_a_process_that_has_grown_is_replaced_by_a_new_one():
    """It leaves by itself, and what warns of that must not stop the thread that replaces it."""
    found = []
    work = threading.Thread(
        target=lambda: found.extend(run_tasks(hoarding, [(k,) for k in range(8)], n_jobs=2)),
        daemon=True,
    )
    work.start()
    work.join(120)
    assert [position for position, _ in found] == [*range(8)]
    assert max(number for _, number in found) < 4


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
@pytest.mark.filterwarnings("ignore:resource_tracker", "ignore:A worker stopped")
def test_a_process_that_dies_is_an_error_that_says_so():
    with pytest.raises(LostWorkers, match="ended by itself"):
        list(run_tasks(lambda k: os.kill(os.getpid(), signal.SIGKILL), [(0,), (1,)], n_jobs=2))


def test_without_dask_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install \'\.\[cluster\]\'"):
        list(run_tasks(pow, [(1, 2)], scheduler="tcp://127.0.0.1:9"))


posix = pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
PRELOADED = ["distributed", "sublinear_lib.training", "sublinear_lib.claims.paper"]


@pytest.fixture(scope="module")
def processes():
    """How processes begin: as copies of one that has imported what they need, where that exists."""
    distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    config = importlib.import_module("dask").config
    forks = "forkserver" in multiprocessing.get_all_start_methods()
    with config.set(
        {
            "distributed.worker.multiprocessing-method": "forkserver" if forks else "spawn",
            # The second worker that a task brings down is the last one.
            "distributed.scheduler.allowed-failures": 1,
        }
    ):
        context = distributed.utils.get_mp_context()
        if forks:
            context.set_forkserver_preload(PRELOADED)
        yield context


@pytest.fixture(scope="module")
def address(processes):
    with importlib.import_module("distributed").LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",  # any free one
        silence_logs=100,
        env={"SUBLINEAR_NUMBA": "0"},
    ) as local:
        yield local.scheduler_address


@pytest.fixture
def plain_kernels(monkeypatch):
    """Compute as the workers do, which would spend seconds on loading compiled kernels."""
    monkeypatch.setenv("SUBLINEAR_NUMBA", "0")


@pytest.fixture
def scheduler(address, plain_kernels):
    """The one cluster of this file; a worker that dies comes back."""
    return address


def test_a_sweep_on_a_cluster_gives_the_same_bytes(scheduler):
    far, here = (
        sweep(measures(), GRID, 2, root_seed=11, scheduler=where, progress=False)
        for where in (scheduler, None)
    )
    assert pickle.dumps(far) == pickle.dumps(here)


@posix
def test_a_killed_worker_neither_loses_nor_doubles_a_result(scheduler, tmp_path):
    def draw(m, folder, rng):
        with open(f"{folder}/{m}", "a") as file:
            file.write("x")
        if m == 7 and os.path.getsize(f"{folder}/7") == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"z": rng.normal(size=3)}

    far, here = tmp_path / "far", tmp_path / "here"
    far.mkdir()
    here.mkdir()
    (here / "7").write_text("x")
    found, expected = (
        sweep(draw, {"m": range(24), "folder": [str(folder)]}, 1, root_seed=3, scheduler=where,
              progress=False)
        for folder, where in ((far, scheduler), (here, None))
    )  # fmt: skip
    assert os.path.getsize(far / "7") == 2, "no worker was killed"
    assert [record["m"] for record in found] == list(range(24))
    assert [list(record["z"]) for record in found] == [list(record["z"]) for record in expected]


@posix
def test_a_result_lost_before_it_was_looked_at_comes_again(scheduler, tmp_path, monkeypatch):
    """As on a busy machine, where the worker dies after the word that it is ready."""

    def work(k):
        again = (tmp_path / str(k)).exists()
        (tmp_path / str(k)).touch()
        while again and not (tmp_path / "looked").exists():
            time.sleep(0.01)
        return k * k

    kind = importlib.import_module("distributed").as_completed
    following = kind.__next__
    killed = []

    def late(self):
        future = following(self)
        if not killed:
            found = future[0] if isinstance(future, tuple) else future
            (address,) = found.client.who_has([found])[found.key]
            killed.append(found.client.run(os.getpid, workers=[address])[address])
            os.kill(killed[0], signal.SIGKILL)
            wait_for(lambda: found.status != "finished")
            (tmp_path / "looked").touch()
        return future

    monkeypatch.setattr(kind, "__next__", late)
    found = list(run_tasks(work, [(k,) for k in range(9)], scheduler=scheduler))
    assert killed
    assert found == [(k, k * k) for k in range(9)]


def test_a_cancelled_task_is_not_taken_for_a_lost_scheduler(scheduler, tmp_path):
    def work(k):
        wait_for((tmp_path / "ended").exists)

    def cancel():
        with connected(scheduler) as client:
            wait_for(lambda: any(client.processing().values()))
            (first, *_) = (key for keys in client.processing().values() for key in keys)
            distributed = importlib.import_module("distributed")
            client.cancel([distributed.Future(first, client)], force=True)

    other = threading.Thread(target=cancel)
    other.start()
    try:
        with pytest.raises(LostWorkers, match="it was cancelled"):
            list(run_tasks(work, [(k,) for k in range(2)], scheduler=scheduler))
    finally:
        (tmp_path / "ended").touch()
        other.join()


@posix
def test_a_task_that_kills_every_worker_is_an_error_and_does_not_hang(scheduler):
    def deadly(k):
        if k == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return k

    # Dask blames those that wait behind it as well.
    with pytest.raises(LostWorkers, match="has no result: every worker that it was given died"):
        list(run_tasks(deadly, [(k,) for k in range(4)], scheduler=scheduler))


class Counted(list):
    """Tasks that count how many of them were taken."""

    taken = 0

    def __iter__(self):
        for task in super().__iter__():
            self.taken += 1
            yield task


def test_two_tasks_are_handed_out_for_each_thread_of_the_workers(scheduler):
    """What is handed out costs memory here and there, and has to be cancelled if something fails.

    Two workers of one thread have four tasks at most, and a new one for every result.
    """
    tasks = Counted((k,) for k in range(30))
    running = run_tasks(abs, tasks, scheduler=scheduler, ordered=False)
    with contextlib.closing(running) as results:
        for number, _ in enumerate(results, start=1):
            assert tasks.taken <= 4 + number, "tasks were handed out ahead of the results"
    assert tasks.taken == 30


def test_a_failing_cell_is_named_and_the_others_are_cancelled(scheduler, tmp_path):
    """Every other cell takes until the failure is known."""

    def work(m, folder, rng):
        if m == 0:
            raise ValueError("first")
        (Path(folder) / str(m)).touch()
        wait_for((Path(folder) / "known").exists)

    grid = {"m": range(60), "folder": [str(tmp_path)]}
    with pytest.raises(SweepError, match="cell m=0"):
        sweep(work, grid, 1, root_seed=0, scheduler=scheduler, progress=False)
    (tmp_path / "known").touch()
    with connected(scheduler) as client:
        wait_for(lambda: not any(client.processing().values()))
    # Those that were handed out when it failed may have begun: two for each worker.
    assert len(list(tmp_path.iterdir())) - 1 <= 4


# of all three parts, decided by exact arithmetic, enclosures, closed forms and seeded simulations
CLAIMS = ("eq-25", "def-3.1", "rem-c.17", "prop-ii.2", "prop-iii.1")


def test_a_verification_on_a_cluster_finds_what_one_here_finds(scheduler, tmp_path, monkeypatch):
    asked = ["verify", *CLAIMS, "--quiet", "--cache", str(tmp_path)]
    said = []

    def forbidden(*unused):
        raise AssertionError("must be checked elsewhere")

    with monkeypatch.context() as patch:
        patch.setattr(Claim, "run", forbidden)
        for more in (["--scheduler", scheduler], []):
            run = sublinear(*asked, *more)
            assert run.exit_code == 0, run.output
            said.append(run.output.splitlines()[:-1])
    # The seconds as well: nothing was checked again.
    assert said[0] == said[1]
    far, here = (verify(LEDGER, CLAIMS, cache=cache) for cache in (tmp_path, None))
    assert len(list(tmp_path.rglob("*.json"))) == len(CLAIMS)
    for one, two in zip(far, here, strict=True):
        assert replace(one.evidence, seconds=0.0) == replace(two.evidence, seconds=0.0)


def test_workers_with_other_versions_are_refused(scheduler, monkeypatch):
    monkeypatch.setenv("SUBLINEAR_VECTOR", "other")
    with (
        pytest.raises(ValueError, match=r"SUBLINEAR_VECTOR .*\(here other\)"),
        connected(scheduler),
    ):
        pass


def test_nobody_at_the_address_is_an_error_that_names_it(monkeypatch):
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    monkeypatch.setattr(cluster, "_SECONDS", 0.3)
    with (
        pytest.raises(ConnectionError, match=r"tcp://127\.0\.0\.1:9"),
        connected("tcp://127.0.0.1:9"),
    ):
        pass
    run = sublinear("verify", "eq-25", "--scheduler", "tcp://127.0.0.1:9")
    assert run.exit_code == 1
    assert "no Dask scheduler answers" in run.output


DATA = datasets.circle(6, labels="alternating")
START = TwoLayerNetwork.initialize(101, 3, rng=0, tau=0.05)
TRAINING = {"adversary": ProjectedGradient(rho=0.1, steps=2), "steps": 4}


def assert_same_run(ours, theirs):
    assert_array_equal(ours.final.W, theirs.final.W)
    for name in ("loss", "clean_loss", "activity_mean", "touched", "drift_max"):
        assert_array_equal(ours.column(name), theirs.column(name), err_msg=name)


def train(trainer, **given):
    return trainer.fit(START, DATA.X, DATA.y, rng=0, **given)


def test_a_cluster_gives_the_weights_of_one_process_to_the_bit(scheduler):
    """In canonical order those of a single process, in free order those of the same shards."""
    canonical = {**TRAINING, "reduction": "reference"}
    one = train(training.SublinearAdversarialTraining(**canonical))
    assert (one.final.W != START.W).any(), "the example must train"
    there = train(training.ShardedAdversarialTraining(**canonical, shards=3, scheduler=scheduler))
    assert_same_run(there, one)
    here, there = (
        train(training.ShardedAdversarialTraining(**TRAINING, shards=3, scheduler=where))
        for where in (None, scheduler)
    )
    assert_same_run(there, here)


@posix
def test_a_dead_worker_is_an_error_and_the_checkpoint_goes_on(scheduler, tmp_path, monkeypatch):
    """Two steps on the cluster, the others here: the bits are those of the same shards here."""
    crews = []
    original = training.sharded._Cluster.__init__

    def noting(self, *given):
        original(self, *given)
        crews.append(self)

    def kill(record, snapshot):
        if record.step == 2:
            where = crews[0]._actors[1]._address
            with connected(scheduler) as client:
                os.kill(client.run(os.getpid, workers=[where])[where], signal.SIGKILL)

    monkeypatch.setattr(training.sharded._Cluster, "__init__", noting)
    kept = {"checkpoint": tmp_path / "run", "checkpoint_every": 2}
    with pytest.raises(LostWorkers, match="the worker of shard 1 is gone"):
        train(
            training.ShardedAdversarialTraining(**TRAINING, shards=2, scheduler=scheduler),
            **kept,
            callback=kill,
        )
    resumed, whole = (
        train(training.ShardedAdversarialTraining(**TRAINING, shards=2), **given)
        for given in (kept, {})
    )
    assert len(crews) == 1
    assert_same_run(resumed, whole)


def serve(kind, begun, *address, **options):
    """Be a scheduler or a worker; say under which address."""

    async def main():
        server = getattr(importlib.import_module("distributed"), kind)
        async with server(*address, host="127.0.0.1", dashboard_address=":0", **options) as one:
            begun.send(one.address)
            await one.finished()

    os.environ["SUBLINEAR_NUMBA"] = "0"
    asyncio.run(main())


@posix
@pytest.mark.usefixtures("plain_kernels")
def test_a_killed_scheduler_is_an_error_after_all_results_that_had_arrived(processes, tmp_path):
    """The sixth cell kills it, when four results must have arrived: two are asked for at a time."""

    def draw(m, folder):
        with open(f"{folder}/{m}", "a") as file:
            file.write("x")
        if m == 5 and Path(folder, "scheduler").exists():
            os.kill(int(Path(folder, "scheduler").read_text()), signal.SIGKILL)
        return -m

    calls, found = tmp_path / "calls", []
    calls.mkdir()
    receiving, sending = processes.Pipe(duplex=False)
    begin = functools.partial(processes.Process, target=serve, daemon=True)
    scheduler = begin(args=("Scheduler", sending), kwargs={"port": 0})
    scheduler.start()
    assert receiving.poll(60)
    address = receiving.recv()
    worker = begin(args=("Worker", sending, address), kwargs={"nthreads": 1})
    worker.start()
    assert receiving.poll(60)
    receiving.recv()
    (calls / "scheduler").write_text(str(scheduler.pid))
    tasks = [(m, str(calls)) for m in range(24)]
    with pytest.raises(LostWorkers, match=r"the scheduler at 'tcp://.*' is gone"):
        for result in run_tasks(draw, tasks, scheduler=address, ordered=False):
            found.append(result)
    worker.join(60)  # without a scheduler it ends by itself
    assert not worker.is_alive()
    receiving.close()
    sending.close()
    assert 4 <= len(found) <= 6
    assert all(result == -position for position, result in found)

"""Intervals keep their promise of coverage; sweeps give the same bytes however they are run."""

import math
import os
import pickle
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import threadpoolctl
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sublinear_lib import statistics
from tests.commands import interrupted, wait_for

sweep = partial(statistics.sweep, progress=False)


def test_interval_knows_what_it_contains():
    interval = statistics.Interval(0.5, 0.4, 0.6, 0.95)
    values = (-3.0, np.nextafter(0.4, 0.0), 0.4, 0.5, 0.6, np.nextafter(0.6, 1.0))
    assert [*map(interval.contains, values)] == [False, False, True, True, True, False]
    assert [*map(interval.excludes, values)] == [True, True, False, False, False, True]


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((0.09581, 0.09452, 0.0972), "0.0958 [0.0945, 0.0972]"),
        ((-0.0997, -0.1049, -0.0941), "-0.0997 [-0.1049, -0.0941]"),
        ((65501.0, 65400.0, 65602.0), "65501 [65400, 65602]"),
        ((0.5, 0.5, 0.5), "0.5 [0.5, 0.5]"),
        ((1e-20, 0.0, 2e-20), "1e-20 [0, 2e-20]"),
    ],
)
def test_interval_is_written_with_two_digits_of_its_half_width(numbers, text):
    assert str(statistics.Interval(*numbers, 0.95)) == text


@settings(max_examples=60)
@given(st.data(), st.integers(1, 400), st.sampled_from([0.9, 0.95, 0.999, 1 - 1e-9]))
def test_clopper_pearson_solves_its_defining_equations(data, n, confidence):
    k = data.draw(st.integers(0, n))
    interval = statistics.clopper_pearson(k, n, confidence)
    miss = (1 - confidence) / 2
    assert interval.estimate == k / n
    assert interval.confidence == confidence
    if k == 0:
        assert interval.lower == 0.0
    else:
        assert stats.binom.sf(k - 1, n, interval.lower) == pytest.approx(miss, rel=1e-7)
    if k == n:
        assert interval.upper == 1.0
    else:
        assert stats.binom.cdf(k, n, interval.upper) == pytest.approx(miss, rel=1e-7)


def test_t_interval_uses_the_published_quantile():
    # Mean 2, standard deviation 1, three samples; 4.3026527... is t_{2, 0.975}.
    interval = statistics.t_interval([1.0, 2.0, 3.0])
    half_width = 4.302652729696142 / math.sqrt(3)
    assert interval.estimate == 2.0
    assert interval.lower == pytest.approx(2 - half_width, rel=1e-9)
    assert interval.upper == pytest.approx(2 + half_width, rel=1e-9)
    assert interval.confidence == 0.95


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_median_interval_is_the_shortest_pair_of_sorted_samples_that_covers_the_median(confidence):
    # Exact: the samples number k and n + 1 - k cover it unless fewer than k lie on one side.
    rng = np.random.default_rng(23)
    for n in range(1, 60):
        misses = [2 * sum(math.comb(n, j) for j in range(k)) / 2**n for k in range(n // 2 + 2)]
        k = max(each for each, miss in enumerate(misses) if miss <= 1 - confidence)
        samples = rng.permutation(n).astype(float)
        if k == 0:
            with pytest.raises(ValueError, match="samples must hold enough values"):
                statistics.median_interval(samples, confidence)
            continue
        expected = statistics.Interval((n - 1) / 2, k - 1, n - k, confidence)
        assert statistics.median_interval(samples, confidence) == expected


def test_slope_is_the_mean_of_the_least_squares_slopes():
    rng = np.random.default_rng(4)
    m = np.array([16, 64, 200, 1024])
    values = np.exp(rng.normal(size=(6, 4)))
    slopes = [np.polyfit(np.log(m), np.log(row), 1)[0] for row in values]
    expected = statistics.t_interval(slopes, 0.9)
    found = statistics.loglog_slope(m, values, 0.9)
    for name in ("estimate", "lower", "upper", "confidence"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-12), name


def _draws(generators):
    return [generator.random() for generator in generators]


def test_streams_are_those_that_numpy_spawns():
    first = _draws(statistics.spawn(7, 5))
    assert first == _draws(np.random.default_rng(s) for s in np.random.SeedSequence(7).spawn(5))
    assert len(set(first) | set(_draws(statistics.spawn(8, 5)))) == 10
    ours, theirs = np.random.SeedSequence(3), np.random.SeedSequence(3)
    found = _draws(statistics.spawn(ours, 2) + statistics.spawn(ours, 1))
    assert found == _draws(np.random.default_rng(s) for s in theirs.spawn(3))
    mine, other = np.random.default_rng(3), np.random.default_rng(3)
    assert _draws(statistics.spawn(mine, 2)) == _draws(other.spawn(2))


# The functions are local, so that worker processes get them by value.


def measures():
    def measure(m, tau, rng):
        z = rng.normal(size=(m, 40))
        return {"mean": z.mean(), "count": int((z > tau).sum()), "gram": z.T @ z, "label": f"{m}"}

    return measure


GRID = {"m": [64, 200, 33], "tau": (0.0, 0.5)}


def test_records_are_the_same_bytes_for_any_number_of_workers():
    runs = [sweep(measures(), GRID, [4, 9, 1], root_seed=11, n_jobs=jobs) for jobs in (1, 2, -1)]
    first = pickle.dumps(runs[0])
    for run in runs[1:]:
        assert pickle.dumps(run) == first
    assert [(r["m"], r["tau"], r["seed"]) for r in runs[0]] == [
        (m, tau, seed) for m in (64, 200, 33) for tau in (0.0, 0.5) for seed in (4, 9, 1)
    ]
    assert list(runs[0][0]) == ["m", "tau", "seed", "mean", "count", "gram", "label"]
    assert len({record["mean"] for record in runs[0]}) == 18


def test_streams_are_children_of_the_root_which_is_left_alone():
    """So more seeds or a longer axis leave the old records alone."""
    root, grid = np.random.SeedSequence(123), {"m": [10, 20], "tau": [0.0, 1.0]}
    records = sweep(lambda m, tau, rng: rng.random(), grid, 3, root_seed=root)
    assert root.n_children_spawned == 0
    nested = [leaf for cell in root.spawn(2) for inner in cell.spawn(2) for leaf in inner.spawn(3)]
    assert [r["value"] for r in records] == _draws(np.random.default_rng(s) for s in nested)
    chosen = sweep(lambda m, tau, rng: rng.random(), grid, [1], root_seed=123)
    assert chosen == [r for r in records if r["seed"] == 1]


@pytest.mark.parametrize("jobs", [1, 2])
def test_cells_compute_with_one_thread(jobs):
    def threads(rng):
        import threadpoolctl

        np.ones((2, 2)) @ np.ones((2, 2))
        blas = [i for i in threadpoolctl.threadpool_info() if i["user_api"] == "blas"]
        return {"most": max((i["num_threads"] for i in blas), default=0)}

    with threadpoolctl.threadpool_limits(limits=2):
        records = sweep(threads, {}, 2, root_seed=0, n_jobs=jobs)
    most = [r["most"] for r in records]
    if most == [0, 0]:
        pytest.skip("threadpoolctl does not know the BLAS of this machine")
    assert most == [1, 1]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_function_may_spoil_its_own_parameters_only(jobs):
    def spoil(values, big, rng):
        values.append(rng.integers(10))
        big[0] = len(values)
        return {"value": float(big.sum()), "type": type(big).__name__}

    grid = {"values": [[1], [1, 2]], "big": [np.zeros(400_000)]}
    records = sweep(spoil, grid, 3, root_seed=1, n_jobs=jobs)
    assert [r["value"] for r in records] == [2.0, 2.0, 2.0, 3.0, 3.0, 3.0]
    assert {r["type"] for r in records} == {"ndarray"}
    assert grid["values"] == [[1], [1, 2]]
    assert not grid["big"][0].any()


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_first_failing_cell_is_named_with_its_reason(jobs):
    def fragile(m, rng):
        if m == 4:
            time.sleep(0.3)  # fails later than the next cell, but comes before it
            raise ZeroDivisionError("no width left")
        if m == 8:
            raise OSError("not this one")
        return m

    message = "the cell m=4, seed=1 failed: ZeroDivisionError: no w"
    with pytest.raises(statistics.SweepError, match=message) as e:
        sweep(fragile, {"m": [2, 4, 8]}, [1, 2], root_seed=0, n_jobs=jobs)
    assert e.value.cell == {"m": 4}
    assert e.value.seed == 1
    assert "in fragile" in e.value.__notes__[0]
    copied = pickle.loads(pickle.dumps(e.value))
    assert (str(copied), copied.cell, copied.seed) == (str(e.value), {"m": 4}, 1)


@pytest.mark.parametrize("jobs", [1, 2])
def test_cells_after_a_failure_are_cancelled(jobs, tmp_path):
    """Every other cell takes until the failure is known, however busy the machine is."""

    def work(m, folder, rng):
        if m == 0:
            raise ValueError("first")
        (Path(folder) / str(m)).touch()
        until = time.monotonic() + 60
        while not (Path(folder) / "known").exists() and time.monotonic() < until:
            time.sleep(0.01)

    grid = {"m": range(40), "folder": [str(tmp_path)]}
    with pytest.raises(statistics.SweepError, match="cell m=0"):
        sweep(work, grid, 1, root_seed=0, n_jobs=jobs)
    started = len(list(tmp_path.iterdir()))
    assert started <= jobs
    (tmp_path / "known").touch()
    time.sleep(0.5)
    assert len(list(tmp_path.iterdir())) == started + 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_result_that_cannot_travel_names_its_cell(jobs):
    with pytest.raises(statistics.SweepError, match="the cell m=3, seed=0 failed"):
        sweep(lambda m, rng: {"bad": lambda: m}, {"m": [3]}, 1, root_seed=0, n_jobs=jobs)


def _alive(pid):  # a zombie has ended; only its parent has not asked yet
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # where there is /proc, it ended just now
        return not Path("/proc").is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_an_interrupt_stops_the_workers(tmp_path):
    code = (
        "import os, pathlib, time\n"
        "from sublinear_lib.statistics import sweep\n"
        "def slow(m, rng):\n"
        f"    pathlib.Path({str(tmp_path)!r}, f'{{os.getpid()}}.pid').touch()\n"
        "    time.sleep(600)\n"
        "sweep(slow, {'m': list(range(20))}, 1, root_seed=0, n_jobs=2)\n"
    )
    status, messages = interrupted(code, ready=lambda: len(list(tmp_path.glob("*.pid"))) == 2)
    workers = [int(path.stem) for path in tmp_path.glob("*.pid")]
    assert status != 0
    assert messages.rstrip().endswith("KeyboardInterrupt"), messages
    wait_for(lambda: not any(map(_alive, workers)))


def test_progress_is_shown_on_the_error_stream_or_not_at_all(capfd):
    sweep(lambda rng: 0, {}, 3, root_seed=0)
    assert capfd.readouterr() == ("", "")
    statistics.sweep(lambda rng: 0, {}, 3, root_seed=0)
    out, err = capfd.readouterr()
    assert out == ""
    assert "3/3" in err


def test_nothing_is_computed_when_an_argument_is_bad():
    calls = []

    def function(rng, **cell):
        calls.append(cell)
        return 0

    good = {"grid": {"m": [1]}, "seeds": 1, "root_seed": 0}
    for changes, error, message in [
        ({"grid": [1, 2]}, TypeError, "grid must be a mapping"),
        ({"grid": {"m": "12"}}, TypeError, r"grid\['m'\] must be a sequence of values, got '12'"),
        ({"grid": {"m": []}}, ValueError, r"grid\['m'\] must not be empty"),
        ({"grid": {"seed": [1]}}, ValueError, "other than 'rng' and 'seed' as keys, got 'seed'"),
        ({"grid": {"a b": [1]}}, ValueError, "grid must have argument names"),
        ({"seeds": 0}, ValueError, "seeds must be an integer >= 1, got 0"),
        ({"seeds": [1, 1]}, ValueError, r"seeds must be different integers.* got \[1, 1\]"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be an integer >= 1, or -1"),
    ]:
        with pytest.raises(error, match=message):
            sweep(function, **{**good, **changes})
    assert calls == []


@pytest.mark.parametrize(
    ("result", "error", "message"),
    [
        ([1, 2], TypeError, r"function must return a number or a mapping .* got \[1, 2\] for m=1"),
        (None, TypeError, "function must return a number"),
        ({"m": 1}, ValueError, "not names of parameters, got 'm' for m=1, seed=0"),
        ({"seed": 1}, ValueError, "got 'seed'"),
        ({1: 1}, ValueError, "names that are strings"),
    ],
)
def test_results_of_the_wrong_form_are_refused(result, error, message):
    with pytest.raises(error, match=message):
        sweep(lambda m, rng: result, {"m": [1]}, 1, root_seed=0)


def test_columns_hold_the_values_in_order():
    records = [
        {"m": 4, "gap": 0.5, "rule": "c", "z": np.array([1.0, 2.0]), "extra": [1], "mixed": 1},
        {"m": 8, "gap": 1, "rule": "1/m", "z": np.array([3.0, 4.0]), "extra": [1, 2], "mixed": "a"},
    ]
    columns = statistics.to_columns(records)
    assert list(columns) == ["m", "gap", "rule", "z", "extra", "mixed"]
    assert columns["m"].dtype.kind == "i"
    np.testing.assert_array_equal(columns["m"], [4, 8])
    np.testing.assert_array_equal(columns["gap"], [0.5, 1.0])
    assert columns["rule"].tolist() == ["c", "1/m"]
    np.testing.assert_array_equal(columns["z"], [[1.0, 2.0], [3.0, 4.0]])
    for name, values in (("extra", [[1], [1, 2]]), ("mixed", [1, "a"])):
        assert columns[name].dtype == object
        assert columns[name].tolist() == values


def test_columns_need_records_of_one_form():
    with pytest.raises(ValueError, match="records must not be empty"):
        statistics.to_columns([])
    with pytest.raises(ValueError, match=r"have the names \['m'\], got \['n'\] in record 1"):
        statistics.to_columns([{"m": 1}, {"n": 2}])

"""Both kernel sets give the same answers, in whatever pieces they do the work."""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from sublinear_lib.geometry import sample_slice
from sublinear_lib.halfspace import HalfspaceIndex, kernels_numpy
from sublinear_lib.halfspace.cap import CapPrefix
from sublinear_lib.halfspace.kernels import choose, numba_allowed
from sublinear_lib.halfspace.kernels_numpy import NumpyKernels
from sublinear_lib.halfspace.protocol import PointStore
from sublinear_lib.halfspace.scan import Scan
from sublinear_lib.halfspace.tree import BoxTree

needs_numba = pytest.mark.skipif(not numba_allowed(), reason="needs numba")


def engines(kernels, m=6000, d=3, seed=0):
    """Both engines over lattice points, so that there are doubtful pairs to carry along."""
    rng = np.random.default_rng(seed)
    points = rng.integers(-40, 41, (m, d)) / 8.0
    store = PointStore(points, None)
    return BoxTree(store, kernels, 64), Scan(store, kernels)


def half_spaces(q=50, d=3, seed=1):
    rng = np.random.default_rng(seed)
    return rng.integers(-8, 9, (q, d)) / 4.0, rng.integers(-80, 81, q) / 4.0


def answers(engine):
    normals, offsets = half_spaces()
    return [
        (engine.query(normals, offsets, strict), engine.count(normals, offsets, strict).tolist())
        for strict in (True, False)
    ]


IN_PIECES = {
    **{f"numpy, {n} pairs": ("numpy", {"pairs": n}, None) for n in (1, 16, 1000, 2**30)},
    **{f"numpy, {n} queries": ("numpy", {}, n) for n in (1, 7)},
    **{f"numba, buffer {n}": ("numba", {"buffer": n}, None) for n in (1, 100, 10**6)},
    **{f"numba, packets of {n}": ("numba", {"packet": n, "buffer": 30}, None) for n in (1, 6, 49)},
    **{f"numba, {n} queries": ("numba", {}, n) for n in (1, 7)},
}


@pytest.mark.parametrize(("name", "options", "at_once"), IN_PIECES.values(), ids=IN_PIECES)
def test_kernels_give_the_same_answers_in_any_pieces(name, options, at_once, monkeypatch):
    if name == "numba" and not numba_allowed():
        pytest.skip("needs numba")
    wanted = [answers(engine) for engine in engines(NumpyKernels())]
    own = importlib.import_module(f"sublinear_lib.halfspace.kernels_{name}")
    if at_once is not None:
        monkeypatch.setattr(own, "_QUERIES_AT_ONCE", at_once)
    made = engines(getattr(own, f"{name.capitalize()}Kernels")(**options))
    assert [answers(engine) for engine in made] == wanted
    assert all(engine.work.pairs_settled for engine in made), "doubts must be carried along"


def test_keys_of_hits_do_not_overflow(monkeypatch):
    # A hit of the last of 4096 queries among 530 000 points is number 2**31 and more.
    m, q = 530_000, 4096
    index = HalfspaceIndex(np.arange(m, dtype=np.float64)[:, None], method="tree", kernels="numpy")
    offsets = np.full(q, m)
    offsets[0], offsets[-1] = m - 2, m - 3
    hits = index.query_halfspace(np.ones((q, 1)), offsets)
    assert hits[0].tolist() == [m - 1]
    assert hits[-1].tolist() == [m - 2, m - 1]
    assert hits.indices.size == 3
    wanted = answers(engines(NumpyKernels())[0])
    monkeypatch.setattr(kernels_numpy, "_LARGEST_KEY", 6000 * 3 + 5)
    assert answers(engines(NumpyKernels())[0]) == wanted


@needs_numba
@pytest.mark.parametrize("lanes", [0, 8, 16])
def test_answers_do_not_depend_on_the_vector_code_nor_on_how_rows_are_sorted(lanes, monkeypatch):
    from sublinear_lib import _vector_code as vector_code
    from sublinear_lib.halfspace import kernels_numba

    if lanes == 16 and not vector_code.compresses():
        pytest.skip("sixteen lanes need LLVM 20")

    def found(kernels):
        rng = np.random.default_rng(0)
        points, biases = rng.integers(-40, 41, (3000, 3)) / 8.0, rng.integers(-9, 10, 3000) / 4.0
        prefix, scan = CapPrefix(PointStore(points, biases), kernels), engines(kernels, 3000)[1]
        normals = sample_slice(21, 3, rng=0)
        return [
            *answers(scan),
            prefix.query(normals, np.full(21, 1.0), True),
            prefix.query(normals, np.linspace(-3.0, 4.0, 21), True),
            *(each for m in (1, 64, 65, 5000) for each in answers(engines(kernels, m)[0])),
        ]

    wanted = found(NumpyKernels())
    code = vector_code.Code(lanes)
    monkeypatch.setattr(kernels_numba, "host_code", lambda: code)
    monkeypatch.setattr(vector_code, "host_code", lambda: code)
    for marked in (1, 16, 10**9):
        monkeypatch.setattr(kernels_numba, "_MARKED", marked)
        assert found(kernels_numba.NumbaKernels(packet=7)) == wanted


@needs_numba
def test_both_kernel_sets_do_the_same_work():
    from sublinear_lib.halfspace.kernels_numba import NumbaKernels

    for one, other in zip(engines(NumpyKernels()), engines(NumbaKernels()), strict=True):
        normals, offsets = half_spaces()
        one.query(normals, offsets, True)
        other.query(normals, offsets, True)
        # A box may be opened by one and not by the other only if it touches the hyperplane up to
        # rounding; on this lattice both round alike.
        assert one.work[:3] == other.work[:3]


def test_array_kernels_stay_within_their_memory():
    tree, scan = engines(NumpyKernels(pairs=2**14), m=20_000)
    rng = np.random.default_rng(0)
    normals, offsets = rng.standard_normal((3000, 3)), np.full(3000, 1e3)
    normals[:, 0] += 1e-3
    for engine, offset in ((tree, 17.0), (scan, 1e3)):
        engine.query(normals[:10], offsets[:10], True)
        tracemalloc.start()
        hits = engine.query(normals, np.full(3000, offset), True)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        table = 3000 * 20_000 // 8
        assert peak < table + 40 * hits.indices.size, f"{engine.name} used {peak} bytes"


@needs_numba
@pytest.mark.parametrize("method", ["scan", "tree"])
def test_one_large_answer_does_not_make_room_for_thousands(method):
    points = np.random.default_rng(0).standard_normal((20_000, 2))
    index = HalfspaceIndex(points, method=method, kernels="numba")
    normals, offsets = np.ones((5000, 2)), np.full(5000, 100.0)
    offsets[0] = -100.0
    index.query_halfspace(normals[:300], offsets[:300])
    tracemalloc.start()
    hits = index.query_halfspace(normals, offsets)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert hits.counts.tolist() == [20_000] + [0] * 4999
    assert peak < 16 * 2**20, f"{peak} bytes for an answer of {hits.indices.nbytes}"


@needs_numba
def test_both_kernel_sets_know_the_same_fan_out():
    from sublinear_lib import _vector_code as vector_code
    from sublinear_lib.halfspace import kernels, kernels_numba

    assert kernels_numba._FANOUT == kernels.FANOUT == vector_code.FANOUT
    assert kernels_numba._LANES == kernels.LANES == vector_code.BLOCK


# The choice


def test_auto_takes_numba_where_it_is_allowed(monkeypatch):
    assert choose("numpy").name == "numpy"
    if numba_allowed():
        assert choose("auto").name == choose("numba").name == "numba"
    monkeypatch.setenv("SUBLINEAR_NUMBA", "0")
    assert choose("auto").name == "numpy"
    with pytest.raises(ValueError, match="kernels must be 'auto' or 'numpy' where numba"):
        choose("numba")


def test_a_missing_numba_is_no_error(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert choose("auto").name == "numpy"
    with pytest.raises(ValueError, match="where numba is missing"):
        HalfspaceIndex([[1.0]], kernels="numba")


def run(code, **environment):
    """Run a script in a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_numba_the_index_works_and_numba_is_not_imported():
    code = """
import sys
import numpy as np
from sublinear_lib.halfspace import AggregateTree, HalfspaceIndex

points = np.random.default_rng(0).standard_normal((3000, 3))
for method in ("scan", "tree"):
    index = HalfspaceIndex(points, method=method)
    assert index.stats().kernels == "numpy"
    np.testing.assert_array_equal(index.mask_halfspace(np.eye(3), 0.5), points.T > 0.5)
tree = AggregateTree([[1.0], [2.0]], [1.0, 1.0])
assert "numpy" in repr(tree)
assert tree.aggregate_halfspace([[1.0]], 0.5).point_sums.tolist() == [[3.0]]
assert "numba" not in sys.modules
try:
    HalfspaceIndex(points, kernels="numba")
except ValueError as error:
    assert "SUBLINEAR_NUMBA=0" in str(error)
else:
    raise AssertionError("kernels='numba' must be refused")
"""
    result = run(code, SUBLINEAR_NUMBA="0")
    assert result.returncode == 0, result.stderr


def test_importing_the_room_loads_neither_compiler_nor_learner():
    code = """
import sys
import sublinear_lib.halfspace
heavy = {"numba", "llvmlite", "sklearn", "matplotlib", "scipy"} & set(sys.modules)
assert not heavy, heavy
"""
    result = run(code)
    assert result.returncode == 0, result.stderr

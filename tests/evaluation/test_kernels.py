"""The compiled and the plain loops are the same functions."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sublinear_lib.evaluation import evaluators, kernels_in_use, kernels_numpy
from sublinear_lib.halfspace import HalfspaceHits
from tests.commands import python


@pytest.mark.parametrize("limit", [0, 2, 100])
def test_lists_are_split_and_made_right(limit):
    mask = np.random.default_rng(4).random((12, 80)) < 0.2
    hits = HalfspaceHits.from_mask(mask)
    popular, indptr, rest = evaluators._split_lists(hits.indptr, hits.indices, 80, limit)
    assert_array_equal(popular, np.flatnonzero(mask.sum(axis=0) > limit))
    expected = mask.copy()
    expected[:, popular] = False
    assert_array_equal(HalfspaceHits(indptr, rest).to_mask(80), expected)
    block = np.arange(80) * 3
    lists = evaluators._mask_lists(mask, block)
    assert_array_equal(lists[0], hits.indptr)
    assert_array_equal(lists[1], 3 * hits.indices)
    assert lists[1].dtype == rest.dtype == np.int32
    nothing = evaluators._mask_lists(np.zeros((4, 0), dtype=bool), block[:0])
    assert nothing[0].tolist() == [0] * 5


def test_the_environment_chooses_the_kernels_at_every_call(monkeypatch):
    monkeypatch.setenv("SUBLINEAR_NUMBA", "0")
    assert kernels_in_use() == "numpy"
    assert evaluators.kernels() is kernels_numpy
    monkeypatch.setenv("SUBLINEAR_NUMBA", "1")
    assert kernels_in_use() == ("numba" if evaluators._compiled_available() else "numpy")


def test_without_numba_the_plain_kernels_are_used():
    code = """
import sys
sys.modules["numba"] = None  # an import of numba now fails
import numpy as np
from sublinear_lib import geometry
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.evaluation import kernels_in_use
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import SublinearAdversarialTraining
assert kernels_in_use() == "numpy"
start = TwoLayerNetwork.initialize(64, 3, rng=0, tau=0.1)
X = geometry.sample_slice(3, 3, rng=0)
trainer = SublinearAdversarialTraining(adversary=ProjectedGradient(rho=0.1), steps=3)
print(len(trainer.fit(start, X, [1.0, -1.0, 1.0], rng=0)))
"""
    assert python(code).stdout == "3\n"


@pytest.mark.skipif(kernels_in_use() == "numpy", reason="needs both kernel sets")
@pytest.mark.parametrize("d", [2, 7, 8, 21])
@pytest.mark.parametrize("everyone", [True, False])
def test_a_gradient_step_has_the_same_bits_with_both_kernel_sets(everyone, d):
    from sublinear_lib.evaluation import kernels_numba

    rng = np.random.default_rng(0)
    W, start = rng.standard_normal((2, 50, d))
    rows = np.empty(0, dtype=np.int64) if everyone else np.sort(rng.permutation(50)[:20])
    gradient = rng.standard_normal((50 if everyone else 20, d))
    found = kernels_numba.descend(W, rows, gradient, 0.3, start)
    wanted = kernels_numpy.descend(W, rows, gradient, 0.3, start)
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    moved = wanted[0] - (start if everyone else start[rows])
    np.testing.assert_allclose(wanted[1], (moved**2).sum(1))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_weight_that_is_not_finite_is_never_overlooked(bad):
    rng = np.random.default_rng(0)
    W, start, gradient = rng.standard_normal((3, 9, 5))
    gradient[3, 2] = bad
    everyone = np.empty(0, dtype=np.int64)
    *_, largest = evaluators.kernels().descend(W, everyone, gradient, 0.3, start)
    assert not np.isfinite(largest)


@pytest.mark.skipif(kernels_in_use() == "numpy", reason="needs both kernel sets")
@pytest.mark.parametrize("power", [-540, -200, 0, 300])
def test_rows_are_written_and_their_norms_bounded(power):
    from sublinear_lib.evaluation import kernels_numba

    rng = np.random.default_rng(1)
    values = np.ldexp(rng.standard_normal((20, 7)), power)
    rows = np.sort(rng.permutation(50)[:20])
    longest = float(np.ldexp(np.sqrt(np.ldexp(values, -power) ** 2 @ np.ones(7)).max(), power))
    for kernels in (kernels_numba, kernels_numpy):
        W = np.zeros((50, 7))
        bound = kernels.write_rows(W, rows, values)
        np.testing.assert_array_equal(W[rows], values)
        assert not np.delete(W, rows, axis=0).any()
        assert longest <= bound <= longest * (1.0 + 1e-12) + 1e-150

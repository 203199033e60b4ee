"""Compiled loops compute what is written, whoever compiles them first, wherever the arrays lie."""

import importlib
import itertools
import math
import pkgutil

import numpy as np
import pytest

import sublinear_lib
from sublinear_lib import _turning, geometry

numba = pytest.importorskip("numba")

from numba.core.registry import CPUDispatcher  # noqa: E402

LOOPS = sorted(
    each.name
    for each in pkgutil.walk_packages(sublinear_lib.__path__, "sublinear_lib.")
    if any(word in each.name for word in ("kernels_numba", "vector_code", "_loops"))
)


def compiled_functions():
    """Yield the compiled functions of the library by name."""
    yield "_turning.step_point", _turning.compiled_step()
    for name in LOOPS:
        for attribute, value in vars(importlib.import_module(name)).items():
            if isinstance(value, CPUDispatcher):
                yield f"{name}.{attribute}", value


def test_every_compiled_function_says_what_freedom_in_arithmetic_it_has():
    # One that does not say it has that of its first caller, on disk for all later ones.
    found = dict(compiled_functions())
    assert len(found) > 40
    silent = [name for name, each in found.items() if "fastmath" not in each.targetoptions]
    assert not silent


@pytest.mark.parametrize("rho", [0.05, 0.4, 2.0])
@pytest.mark.parametrize("d", [3, 8, 65])
def test_a_step_is_the_written_one_to_the_bit_wherever_its_arrays_lie(d, rho):
    from sublinear_lib.adversary.kernels_numba import step_uphill

    n, angle = 40, geometry.cap_angle(rho)
    rng = np.random.default_rng(d)
    anchors = geometry.sample_slice(n, d, rng=rng)
    points = geometry.sample_caps(anchors, rho, rng=rng)
    gradients, slopes = rng.standard_normal((n, d)), rng.choice([-1.0, 1.0], n)
    wanted = points.copy()
    for i in range(n):
        sideways = slopes[i] * math.sin(0.1)
        turn, cap = (sideways, math.cos(0.1)), (rho, math.cos(angle), math.sin(angle))
        _turning.step_point(wanted[i], anchors[i], gradients.ravel(), i * d, *turn, *cap)
    for order in itertools.permutations(range(4)):
        block = np.empty((4, n, d))  # neighbors in memory, in every order
        turned, *inputs = (block[place] for place in order)
        for copy, array in zip(inputs, (points, anchors, gradients), strict=True):
            copy[...] = array
        lost = np.empty(n, dtype=np.int64)
        cap = rho, math.cos(angle), math.sin(angle)
        assert not step_uphill(*inputs, slopes, 0.1, *cap, turned, lost)
        np.testing.assert_array_equal(turned, wanted, err_msg=f"order {order}")

"""The compiled step of a gradient attack does what the arrays do."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from sublinear_lib import geometry
from sublinear_lib.adversary.ascent import _steps
from sublinear_lib.evaluation import kernels_in_use

RADII = [0.0, 1e-6, 0.1, 1.0, 1.7, 3**0.5, 5.0]


def steps(X, rho, *, strict):
    """The step in arrays, which the canonical order asks for, or the compiled one."""
    return _steps(SimpleNamespace(X=X, evaluator=SimpleNamespace(strict=strict)), rho)


@pytest.mark.skipif(kernels_in_use() == "numpy", reason="needs compiled loops")
@pytest.mark.parametrize("d", [3, 4, 8, 33])
@pytest.mark.parametrize("rho", RADII)
def test_the_compiled_step_is_the_step_in_arrays(d, rho):
    rng = np.random.default_rng(d)
    X = geometry.sample_slice(200, d, rng=rng)
    points = geometry.sample_caps(X, rho, rng)
    gradient = rng.standard_normal((200, d))
    gradient[::7] = points[::7]  # nothing tangent: these stay
    gradient[::11] = 0.0
    slopes = np.where(rng.random(200) < 0.5, 1.0, -1.0)
    for size in (0.0, 0.1 * geometry.cap_angle(rho), 0.6 * geometry.cap_angle(rho)):
        arrays = steps(X, rho, strict=True)(points, gradient, slopes, size)
        compiled = steps(X, rho, strict=False)(points, gradient, slopes, size)
        np.testing.assert_allclose(compiled, arrays, rtol=0, atol=1e-13)
        np.testing.assert_allclose(np.linalg.norm(compiled, axis=1), 1.0, atol=1e-14)
        assert (np.linalg.norm(compiled - X, axis=1) <= rho + 1e-14).all()
        assert (compiled[:, -1] == geometry.SLICE_HEIGHT).all()


def test_a_step_past_the_antipode_of_the_center_comes_back_to_the_rim():
    # The point goes to the antipode, from which all of the rim is equally far.
    X = geometry.embed(np.array([[1.0, 0.0, 0.0]]))
    gradient = np.array([[0.0, 1.0, 0.0, 0.0]])
    for strict in (True, False):
        moved = steps(X, 0.5, strict=strict)(X, gradient, np.ones(1), np.pi)
        assert np.linalg.norm(moved - X) == pytest.approx(0.5, abs=1e-12)

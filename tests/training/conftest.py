"""What several tests of the trainers share."""

from __future__ import annotations

import pytest

from tests.kernel_sets import EACH_SET


@pytest.fixture(params=EACH_SET)
def kernel(request, monkeypatch):
    """Run with the compiled and with the plain loops."""
    monkeypatch.setenv("SUBLINEAR_NUMBA", "0" if request.param == "numpy" else "1")
    return request.param

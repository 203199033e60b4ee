"""Which sets of kernels a test is run with."""

import pytest

from sublinear_lib.evaluation import kernels_in_use

KERNELS = ("numba", "numpy") if kernels_in_use() == "numba" else ("numpy",)
"""The names of the sets that are at hand."""

EACH_SET = [
    pytest.param(name, marks=[pytest.mark.either_way] if name == "numpy" else [])
    for name in KERNELS
]
"""The same, for tests and fixtures that switch to the set by name.

With the plain kernels such a test does the same wherever it runs, so it need not run twice.
"""

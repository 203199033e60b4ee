"""What several tests of the index share."""

from __future__ import annotations

import pytest

from sublinear_lib.halfspace import cost_model
from sublinear_lib.halfspace.filtering import KernelSet


def _stored(kernels: KernelSet) -> cost_model.Costs:
    return cost_model.DEFAULT_COSTS[kernels.name]


@pytest.fixture
def stored_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Choose engines by the stored constants, whatever this process has measured or would."""
    monkeypatch.setattr(cost_model, "calibrated", _stored)
    monkeypatch.setattr(cost_model, "_measured", {})

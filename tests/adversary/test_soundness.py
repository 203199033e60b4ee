"""No bound is below an exact value and no attack above it: every method, on many networks.

Set SUBLINEAR_SOUNDNESS to the number of networks; ``python -m benchmarks.reliability --only
soundness`` tries 1000 and keeps what it finds.
"""

from __future__ import annotations

import os

import pytest

from benchmarks.reliability import trial

pytestmark = pytest.mark.thorough

NETWORKS = int(os.environ.get("SUBLINEAR_SOUNDNESS", "40"))
BLOCKS = 10


@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_method_is_sound(block):
    brackets = 0
    for seed in range(block, NETWORKS, BLOCKS):
        found = trial(seed)
        assert found["violations"] == []
        brackets += found["brackets"]
    assert brackets == 2 * 5 * len(range(block, NETWORKS, BLOCKS))

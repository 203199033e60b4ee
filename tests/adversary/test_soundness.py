"""No bound is below an exact value and no attack above it: every method, on many networks.

Set SUBLINEAR_SOUNDNESS to the number of networks; ``python -m benchmarks.reliability --only
soundness`` tries 1000 and keeps what it finds.
"""

from __future__ import annotations

import copy
import importlib
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


@pytest.mark.parametrize("seed", [1, 4])
@pytest.mark.parametrize("end", ["lower", "upper"])
def test_an_end_on_the_wrong_side_is_found(seed, end, monkeypatch):
    room = importlib.import_module("benchmarks.reliability.brackets")
    real = room.bracket

    def careless(*arguments, **named):
        found = copy.copy(real(*arguments, **named))
        wrong = found.lower - 1e-6 if end == "upper" else found.upper + 1e-6
        object.__setattr__(found, end, wrong)  # the class itself would refuse it
        return found

    monkeypatch.setattr(room, "bracket", careless)
    assert trial(seed)["violations"]

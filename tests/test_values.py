"""Values of the library, and their copies, cannot be changed, nor by what they were made of."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sublinear_lib.activations import JUMP
from sublinear_lib.datasets import Dataset, SliceMap
from sublinear_lib.geometry import SLICE_RADIUS, Cap
from sublinear_lib.losses import HuberLoss
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.scaling import PRESETS, PRINTED, TAU_RULES
from sublinear_lib.tables import Table

TWO = [[SLICE_RADIUS, 0.5], [-SLICE_RADIUS, 0.5]]
MADE_OF = {
    "cap": (lambda x: Cap(x, 0.25), ["x"], TWO[0]),
    "map": (SliceMap, ["center", "scale"], [0.0], [2.0]),
    "data": (
        lambda X, y: Dataset(X, y, "two", "told", ("no", "yes"), slice_map=SliceMap([0.0], [2.0])),
        ["X", "y"],
        TWO,
        [1.0, -0.5],
    ),
    "table": (
        lambda rows, y: Table(rows, y, ("a", "b"), ("no", "yes"), "t"),
        ["features", "y"],
        np.arange(24.0).reshape(12, 2) ** 2,
        [1.0, -1.0] * 6,
    ),
    "network": (
        lambda *parts: TwoLayerNetwork(*parts, 0.1, "continuous"),
        ["W", "a", "b"],
        np.eye(3, 2),
        [1.0, -1.0, 1.0],
        [0.0, 0.5, 1.0],
    ),
    **{
        type(value).__name__: (lambda value=value: value, [])
        for value in (JUMP, HuberLoss(delta=2.0), PRINTED, TAU_RULES["c"])
    },
}


@pytest.mark.parametrize("kind", MADE_OF)
def test_a_value_and_its_copies_stay_as_they_were_made(kind):
    make, names, *given = MADE_OF[kind]
    arrays = [np.array(each, dtype=float) for each in given]
    made = make(*arrays)
    for array in arrays:
        array[...] = 7.0
    for twin in (made, pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert type(twin) is type(made) and repr(twin) == repr(made)
        for name, before in zip(names, given, strict=True):
            assert_array_equal(getattr(twin, name), before)
            with pytest.raises(ValueError, match="read-only"):
                getattr(twin, name)[0] = 0.0
        for name in {*names, *getattr(type(twin), "__dataclass_fields__", {})}:
            with pytest.raises(AttributeError):
                setattr(twin, name, getattr(twin, name))


@pytest.mark.parametrize("table", [TAU_RULES, PRESETS], ids=["rules", "presets"])
def test_what_is_found_by_name_cannot_be_replaced(table):
    with pytest.raises(TypeError):
        table["other"] = next(iter(table.values()))
    for one in table.values():
        assert pickle.loads(pickle.dumps(one)) == one

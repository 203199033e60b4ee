"""Patch data show what they say they show, and impossible laws are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.features import FeatureData
from sublinear_lib.features.data import ABSENT

pytestmark = pytest.mark.either_way


@st.composite
def laws(draw: st.DrawFn) -> FeatureData:
    k = draw(st.integers(2, 4))
    d = draw(st.integers(2 * k, 2 * k + 4))
    places = draw(st.permutations(range(d)))
    return FeatureData(
        classes=k,
        dim=d,
        robust_patches=draw(st.integers(1, 3)),
        nonrobust_patches=draw(st.integers(1, 5)),
        alpha=draw(st.floats(0.5, 5.0)),
        beta=draw(st.floats(0.5, 5.0)),
        jitter=draw(st.floats(0.0, 0.5)),
        noise=0.0,
        u=tuple(places[:k]),
        v=tuple(places[k : 2 * k]),
    )


@given(laws(), st.integers(1, 9), st.integers(0, 2**32 - 1), st.booleans())
@settings(deadline=None, max_examples=60)
def test_without_noise_every_patch_is_its_feature_times_its_strength(
    law: FeatureData, n: int, seed: int, balanced: bool
) -> None:
    samples = [
        law.sample(n, seed, balanced=balanced),
        law.sample_only("robust", n, seed),
        law.sample_only("nonrobust", n, seed),
        law.sample_conflict(n, seed),
    ]
    for data in samples:
        expected = np.zeros((n, law.patches, law.dim))
        for i in range(n):
            if data.robust_class[i] != ABSENT:
                expected[i, : law.robust_patches, law.u[data.robust_class[i]]] = data.alpha[i]
            if data.nonrobust_class[i] != ABSENT:
                expected[i, law.robust_patches :, law.v[data.nonrobust_class[i]]] = data.beta[i]
        np.testing.assert_array_equal(data.X, expected)
        assert len(data) == n


@given(laws(), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=40)
def test_strengths_stay_within_the_jitter(law: FeatureData, seed: int) -> None:
    data = law.sample(20, seed)
    for strengths, mean in ((data.alpha, law.alpha), (data.beta, law.beta)):
        assert (np.abs(strengths / mean - 1) <= law.jitter + 1e-12).all()


def test_labels_are_those_of_the_features_shown() -> None:
    law = FeatureData(classes=4, dim=8)
    both = law.sample(50, 1, balanced=False)
    np.testing.assert_array_equal(both.y, both.robust_class)
    np.testing.assert_array_equal(both.y, both.nonrobust_class)
    weak = law.sample_only("nonrobust", 50, 1)
    np.testing.assert_array_equal(weak.y, weak.nonrobust_class)
    assert (weak.robust_class == ABSENT).all()
    torn = law.sample_conflict(50, 1)
    np.testing.assert_array_equal(torn.y, torn.robust_class)
    assert (torn.y != torn.nonrobust_class).all()
    assert set((torn.nonrobust_class - torn.y) % 4) == {1, 2, 3}


def test_balanced_labels_come_in_turns_and_others_are_uniform() -> None:
    law = FeatureData()
    np.testing.assert_array_equal(law.sample(7, 0).y, [0, 1, 2, 0, 1, 2, 0])
    counts = np.bincount(law.sample(3000, 0, balanced=False).y)
    assert (np.abs(counts - 1000) < 130).all()  # five standard deviations


def test_noise_has_the_standard_deviation_it_is_said_to_have() -> None:
    law = FeatureData(noise=0.3)
    data = law.sample(200, 0)
    clean = data.X.copy()
    rows = np.arange(200)[:, None]
    clean[rows, [0], np.asarray(law.u)[data.y][:, None]] -= data.alpha
    clean[rows, np.arange(1, 61), np.asarray(law.v)[data.y][:, None]] -= data.beta
    assert clean.std() == pytest.approx(0.3, rel=0.01)
    assert abs(clean.mean()) < 5 * 0.3 / np.sqrt(clean.size)


def test_a_seed_repeats_a_sample_and_its_arrays_are_frozen() -> None:
    law = FeatureData()
    first, second = law.sample(5, 3), law.sample(5, 3)
    np.testing.assert_array_equal(first.X, second.X)
    for array in (first.X, first.y, first.alpha, first.beta, first.robust_class):
        assert not array.flags.writeable
    rng = np.random.default_rng(3)
    assert (law.sample(5, rng).X != law.sample(5, rng).X).any()


def test_the_density_that_decides_depends_on_the_exponent() -> None:
    law = FeatureData()
    assert law.densities(3) == (27.0, 60.0)
    assert law.density_ratio(3) > 1 > law.density_ratio(4)
    assert FeatureData(robust_patches=2).densities(2) == (18.0, 60.0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"dim": 5}, r"dim must be at least 2 \* classes = 6"),
        ({"u": (0, 1)}, "u must name one coordinate for each of 3 classes"),
        ({"u": (0, 1, 12)}, r"u\[2\] must be an integer >= 0 and <= 11, got 12"),
        ({"u": (0, 1, 1)}, r"got 1 for u\[1\] and u\[2\]"),
        ({"v": (3, 4, 0)}, r"u and v must name different coordinates, got 0 for u\[0\] and v\[2\]"),
    ],
)
def test_an_impossible_law_is_refused_by_name(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FeatureData(**wrong)  # type: ignore[arg-type]


def test_coordinates_may_be_an_array() -> None:
    law = FeatureData(u=np.array([3, 4, 5]), v=np.arange(3))  # type: ignore[arg-type]
    assert law == FeatureData(u=(3, 4, 5), v=(0, 1, 2))

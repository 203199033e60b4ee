"""Data sets lie on X, are as separated as they say, and never let test data into the map to X."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from sublinear_lib import datasets, geometry
from sublinear_lib.datasets import (
    Dataset,
    SliceMap,
    circle,
    load,
    load_split,
    max_separation,
    separated,
    separation,
)
from sublinear_lib.geometry import SLICE_DIAMETER, SLICE_RADIUS, embed, sample_slice

QUICK = settings(max_examples=50)
SEEDS = st.integers(0, 2**32 - 1)
EXACT = 4 * np.finfo(float).eps
TWO = np.array([[SLICE_RADIUS, 0.5], [-SLICE_RADIUS, 0.5]])


def brute_force_closest(X, keep=lambda i, j: True):
    """Smallest distance and first pair, one pair at a time."""
    best, pair = math.inf, None
    for i, j in itertools.combinations(range(len(X)), 2):
        distance = float(np.linalg.norm(X[i] - X[j]))
        if keep(i, j) and distance < best:
            best, pair = distance, (i, j)
    return best, pair


def assert_valid(data):
    assert_array_equal(data.X[:, -1], 0.5)
    assert_allclose(np.linalg.norm(data.X, axis=1), 1.0, rtol=0, atol=EXACT)
    assert set(np.unique(data.y)) <= {-1.0, 1.0}
    assert data.X.shape == (data.n, data.d)
    assert data.y.shape == (data.n,)


def test_a_part_of_a_data_set_has_its_map_and_its_names():
    slice_map = SliceMap([0.0], [2.0])
    data = Dataset(TWO, [1.0, -0.5], "two", "told", ("no", "yes"), slice_map=slice_map)
    assert repr(data) == "Dataset('two', n=2, d=2)" and repr(slice_map) == "SliceMap(d=2)"
    part = data.subset([1, 0, 0])
    assert_array_equal(part.X, TWO[[1, 0, 0]])
    assert_array_equal(part.y, [-0.5, 1.0, 1.0])
    assert (part.name, part.description, part.class_names) == ("two", "told", ("no", "yes"))
    assert part.slice_map is slice_map and not part.X.flags.writeable


WIDE = SliceMap([0.0] * 2, [1.0] * 2)
BAD_SETS = {
    "label": (lambda: Dataset(TWO, [1, 1.001], "a"), ValueError, r"y must satisfy \|y\| <= 1"),
    "lengths": (lambda: Dataset(TWO, [1], "a"), ValueError, "y must have shape"),
    "map": (
        lambda: Dataset(TWO, [1, 1], "a", slice_map=WIDE),
        ValueError,
        r"map .*dimension 2",
    ),
    "length": (lambda: SliceMap([0.0], [1.0], 0.0), ValueError, "length must be"),
    "classes": (lambda: Dataset(TWO, [1, 1], "a", class_names=("x",)), TypeError, "class_names"),
    "subset": (lambda: circle(3).subset([3]), ValueError, "indices"),
    "empty subset": (lambda: circle(3).subset([]), ValueError, "indices must not be empty"),
    "mask subset": (lambda: circle(3).subset([True, False, True]), TypeError, "indices"),
}


@pytest.mark.parametrize("case", BAD_SETS)
def test_a_bad_data_set_is_refused_by_name(case):
    call, error, message = BAD_SETS[case]
    with pytest.raises(error, match=message):
        call()


@QUICK
@given(
    SEEDS,
    st.integers(2, 30),
    st.sampled_from([2, 3, 5, 40]),
    st.floats(0, 1.0),
    st.integers(1, 900),
)
def test_the_separation_report_is_definition_3_7(seed, n, d, rho, block):
    rng = np.random.default_rng(seed)
    X, y = sample_slice(n, d, rng), rng.uniform(-1, 1, n).round()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(datasets, "_PAIRS_PER_BLOCK", block)
        report = separation(X, rho, y)
    delta, pair = brute_force_closest(X)
    assert report.delta == pytest.approx(delta, rel=1e-14)
    assert report.closest_pair == pair
    assert report.gamma == pytest.approx(delta * (delta - 2 * rho), rel=1e-12, abs=1e-15)
    assert report.rho_max == report.delta / 2
    assert report.rho == rho
    opposite, _ = brute_force_closest(X, lambda i, j: y[i] * y[j] < 0)
    assert report.opposite_class_delta == pytest.approx(opposite, rel=1e-14)
    assert report.separable == (delta > 2 * rho)
    assert report.delta <= max_separation(n, d) * (1 + 1e-12)


@QUICK
@given(SEEDS, st.sampled_from([3, 4, 65]))
def test_distances_below_the_rounding_of_the_screening_are_still_ranked(seed, d):
    # Squared distances of 1e-20 drown in the rounding (1e-16) of 2 - 2 <x, x'>.
    rng = np.random.default_rng(seed)
    X = sample_slice(20, d, rng)
    near = X + 10.0 ** rng.uniform(-11, -10, (20, 1)) * rng.standard_normal((20, d))
    near[:, -1] = 0.5
    X = np.concatenate([X, near])
    report = separation(X, 0.0, np.repeat([1.0, -1.0], 20))
    delta, pair = brute_force_closest(X)
    assert report.closest_pair == pair
    assert report.delta == report.opposite_class_delta == pytest.approx(delta, rel=1e-14)


def test_duplicates_have_no_separation():
    X = np.tile(sample_slice(1, 5, 0), (4000, 1))
    report = separation(X, 0.3)
    assert (report.delta, report.gamma, report.rho_max) == (0.0, 0.0, 0.0)
    assert math.copysign(1.0, report.gamma) == 1.0
    assert report.closest_pair == (0, 1)
    assert not report.separable


def test_a_single_point_or_class_has_infinite_separation():
    alone = separation(TWO[:1], 0.5, [1.0])
    assert alone.delta == alone.gamma == alone.rho_max == alone.opposite_class_delta == math.inf
    assert alone.closest_pair is None
    together = separation(TWO, 0.5, [1.0, 0.0])
    assert together.opposite_class_delta == math.inf
    assert together.delta == SLICE_DIAMETER
    assert separation(TWO).opposite_class_delta is None


def unit_frames():
    """Optimal configurations: name, directions, n, d."""
    golden = (1 + math.sqrt(5)) / 2
    ico = [
        v
        for a, b in itertools.product((1, -1), (golden, -golden))
        for v in ((0, a, b), (a, b, 0), (b, 0, a))
    ]
    yield "icosahedron", ico, 4
    for d in (3, 4, 5, 9):
        yield f"simplex in R^{d - 1}", np.linalg.svd(np.eye(d) - 1 / d)[0][:, : d - 1], d
        yield f"cross polytope in R^{d - 1}", [*np.eye(d - 1), *-np.eye(d - 1)], d


@pytest.mark.parametrize(("name", "V", "d"), list(unit_frames()), ids=lambda v: str(v)[:24])
def test_the_bound_is_attained_by_the_known_best_configurations(name, V, d):
    V = np.array(V, dtype=float)
    delta = separation(embed(V / np.linalg.norm(V, axis=1, keepdims=True))).delta
    assert max_separation(len(V), d) == pytest.approx(delta, rel=1e-12), name


def test_the_bound_in_dimension_two_and_three():
    assert max_separation(1, 2) == max_separation(1, 7) == math.inf
    assert max_separation(2, 2) == SLICE_DIAMETER
    assert max_separation(3, 2) == 0.0
    for n in (2, 3, 5, 100):
        side = math.sqrt(3) * math.sin(math.pi / n)
        assert max_separation(n, 3) == pytest.approx(side, rel=1e-12)


@QUICK
@given(
    SEEDS,
    st.integers(1, 25),
    st.sampled_from([3, 4, 5, 20]),
    st.floats(0.0, 0.5),
    st.sampled_from(["random", "balanced", "alternating"]),
)
def test_separated_sets_keep_their_distance(seed, n, d, share, labels):
    delta = share * min(max_separation(n, d), 1.0)
    data = separated(n, d, separation=delta, rng=seed, labels=labels)
    assert_valid(data)
    assert (data.n, data.d, data.name) == (n, d, f"separated-{n}")
    assert separation(data.X).delta >= delta - 1e-12
    again = separated(n, d, separation=delta, rng=np.random.default_rng(seed), labels=labels)
    assert_array_equal(again.X, data.X)
    assert_array_equal(again.y, data.y)


def test_labels_are_random_balanced_or_alternating():
    for n in (10, 11):
        alternating = separated(n, 4, separation=0.1, rng=0, labels="alternating").y
        assert_array_equal(alternating, [(-1.0) ** k for k in range(n)])
        balanced = [separated(n, 4, separation=0.1, rng=s, labels="balanced").y for s in range(20)]
        assert {y.sum() for y in balanced} == {float(n % 2)}
        assert len({tuple(y) for y in balanced}) > 10
    fair = separated(4000, 4, separation=0.0, rng=0).y
    assert stats.binomtest(int((fair > 0).sum()), 4000).pvalue > 1e-4
    sums = {separated(10, 4, separation=0.1, rng=s).y.sum() for s in range(30)}
    assert len(sums) > 2


def test_on_the_circle_every_feasible_separation_succeeds_in_circular_order():
    for n, tightness in itertools.product((2, 3, 10, 200), (0.5, 0.99, 1.0)):
        delta = tightness * max_separation(n, 3)
        data = separated(n, 3, separation=delta, rng=5, labels="alternating")
        report = separation(data.X)
        assert report.delta >= delta - 1e-12, f"n={n}, tightness={tightness}"
        angles = np.arctan2(data.X[:, 1], data.X[:, 0])
        assert (np.diff(np.mod(angles - angles[0], 2 * np.pi)) > 0).all()


def test_on_the_circle_the_points_follow_the_conditional_uniform_law():
    # n = 2 points at angle >= phi: the gap from the first to the second is uniform on
    # [phi, 2 pi - phi]; their position is uniform.
    phi = 2 * math.asin(1.0 / SLICE_DIAMETER)
    gaps, starts = [], []
    for seed in range(1500):
        X = separated(2, 3, separation=1.0, rng=seed).X
        angles = np.arctan2(X[:, 1], X[:, 0])
        gaps.append((angles[1] - angles[0]) % (2 * math.pi))
        starts.append(angles[0] % (2 * math.pi))
    uniform = stats.uniform(phi, 2 * math.pi - 2 * phi)
    assert stats.kstest(gaps, uniform.cdf).pvalue > 1e-4
    assert stats.kstest(starts, stats.uniform(0, 2 * math.pi).cdf).pvalue > 1e-4


def test_in_dimension_two_at_most_two_points_are_separated():
    data = separated(2, 2, separation=SLICE_DIAMETER, rng=0)
    assert separation(data.X).delta == SLICE_DIAMETER
    orders = {separated(2, 2, separation=1.0, rng=s).X[0, 0] for s in range(20)}
    assert orders == {SLICE_RADIUS, -SLICE_RADIUS}
    assert separated(5, 2, separation=0.0, rng=0).n == 5
    assert separated(1, 2, separation=9.0, rng=0).n == 1
    with pytest.raises(ValueError, match=r"at most 0 for n = 3 .* X has only two points"):
        separated(3, 2, separation=1e-9, rng=0)
    with pytest.raises(ValueError, match=r"at most 1\.73205 for n = 2"):
        separated(2, 2, separation=1.74, rng=0)


@pytest.mark.parametrize(
    ("n", "d", "delta", "reason"),
    [
        (5, 3, 1.2, "no room for n"),
        (4, 6, 1.5, "on average at most"),
        (11, 10, 1.25, "obtuse angles"),
        (13, 4, 0.9, "Fejes Toth"),
        (1000, 5, 0.4, "no room for n"),
    ],
)
def test_impossible_separations_are_refused_at_once_with_the_reason(n, d, delta, reason):
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    with pytest.raises(ValueError, match=rf"separation must be at most .* n = {n} .*{reason}"):
        separated(n, d, separation=delta, rng=rng)
    assert rng.bit_generator.state == before, "a refused request must not draw anything"


@pytest.mark.parametrize(("n", "d", "delta"), [(140, 4, 0.2), (60, 4, 0.3), (32, 5, 0.6)])
def test_crowded_placements_respect_the_distance_sharply(n, d, delta):
    found = [separation(separated(n, d, separation=delta, rng=s).X).delta for s in range(15)]
    assert min(found) >= delta
    assert min(found) < 1.001 * delta, "so crowded that an error of 0.1 % would show"


@pytest.mark.parametrize(("n", "max_tries"), [(12, 2000), (12, 50), (150, 30_000)])
def test_a_failing_placement_draws_about_as_many_points_as_allowed(n, max_tries, monkeypatch):
    drawn = []

    def counting(size, d, rng):
        drawn.append(size)
        return sample_slice(size, d, rng)

    monkeypatch.setattr(geometry, "sample_slice", counting)
    with pytest.raises(ValueError, match=f"after {max_tries} rejected draws"):
        separated(n, 4, separation=0.999 * max_separation(n, 4), rng=0, max_tries=max_tries)
    kept = n * len(drawn)  # at most n of a batch are kept
    assert max_tries <= sum(drawn) <= max_tries + kept + max(drawn)
    assert sum(drawn) <= 1.6 * max_tries + 256


@pytest.mark.parametrize("n", [1, 2, 3, 8, 101])
def test_circles_are_evenly_spaced(n):
    data = circle(n)
    assert_valid(data)
    assert (data.n, data.d, data.name) == (n, 3, f"circle-{n}")
    assert_array_equal(data.y, [(-1.0) ** k for k in range(n)])
    assert_array_equal(load(f"circle-{n}").X, data.X)
    assert circle(n, labels="balanced", rng=0).y.sum() == n % 2
    if n > 1:
        steps = np.linalg.norm(data.X - np.roll(data.X, 1, axis=0), axis=1)
        assert_allclose(steps, math.sqrt(3) * math.sin(math.pi / n), rtol=1e-12)


@QUICK
@given(SEEDS, st.integers(2, 12), st.integers(1, 8), st.booleans())
def test_the_map_centers_scales_normalizes_and_appends_one_half(seed, n, p, scale):
    rng = np.random.default_rng(seed)
    train, test = rng.normal(3, 2, (n, p)), rng.normal(3, 2, (5, p))
    slice_map = SliceMap.fit(train, scale=scale)
    X = slice_map.transform(test)
    assert slice_map.d == X.shape[1] == p + 1
    spread = np.where(train.std(axis=0) > 0.0, train.std(axis=0), 1.0) if scale else 1.0
    q = (test - train.mean(axis=0)) / spread
    expected = SLICE_RADIUS * q / np.linalg.norm(q, axis=1, keepdims=True)
    assert_allclose(X[:, :-1], expected, rtol=1e-9, atol=1e-12)
    assert (X[:, -1] == 0.5).all()


def test_the_way_back_has_the_typical_length_and_leads_to_the_same_points():
    train, test = load_split("digits-3v8", 0.4, 0)
    slice_map = train.slice_map
    assert slice_map is not None and test.slice_map is slice_map
    assert train.subset([0, 1]).slice_map is slice_map
    images = slice_map.features(test.X)
    assert_allclose(slice_map.transform(images), test.X, atol=1e-14)
    lengths = np.linalg.norm(images - slice_map.center, axis=1)
    assert_allclose(lengths, slice_map.length, rtol=1e-12)
    raw = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0]])
    typical = np.linalg.norm(raw - raw.mean(axis=0), axis=1).mean()
    assert SliceMap.fit(raw).length == pytest.approx(typical, rel=1e-12)


def test_constant_features_are_not_blown_up_by_rounding():
    features = np.column_stack([np.full(10, 0.1), np.arange(10.0)])
    slice_map = SliceMap.fit(features, scale=True)
    assert slice_map.scale[0] == 1.0
    X = slice_map.transform(features)
    assert np.abs(X[:, 0]).max() < 1e-14


@pytest.mark.parametrize("offset", [0.0, 0.1, 1e6])
def test_a_row_at_the_center_is_refused(offset):
    features = np.array([[1.0, 0.3], [0.0, 0.0], [-1.0, -0.3]]) / 3 + offset
    with pytest.raises(ValueError, match="row 1 is zero after centering"):
        SliceMap.fit(features).transform(features)
    same = np.full((7, 3), 0.1) + offset
    with pytest.raises(ValueError, match="row 0 is zero after centering"):
        SliceMap.fit(same).transform(same)


def test_digits_are_scikit_learns_images_on_the_slice():
    from sklearn.datasets import load_digits

    images, digit = load_digits(return_X_y=True)
    for positive, negative in ((3, 8), (8, 3), (0, 1)):
        data = load(f"digits-{positive}v{negative}")
        assert_valid(data)
        rows = np.flatnonzero((digit == positive) | (digit == negative))
        assert (data.n, data.d) == (len(rows), 65)
        assert_array_equal(data.y > 0, digit[rows] == positive)
        assert data.name == f"digits-{positive}v{negative}"
        assert data.class_names == (str(negative), str(positive))
        centered = images[rows] - images[rows].mean(axis=0)
        expected = SLICE_RADIUS * centered / np.linalg.norm(centered, axis=1, keepdims=True)
        assert_allclose(data.X[:, :-1], expected, rtol=0, atol=1e-13)


def test_even_and_odd_digits_are_all_of_them():
    data = load("digits-even-odd")
    assert_valid(data)
    assert (data.n, data.d, data.class_names) == (1797, 65, ("odd", "even"))
    assert int((data.y > 0).sum()) == 891


def test_breast_cancer_is_standardized_on_the_slice():
    from sklearn.datasets import load_breast_cancer
    from sklearn.preprocessing import StandardScaler

    features, benign = load_breast_cancer(return_X_y=True)
    data = load("breast-cancer")
    assert_valid(data)
    assert (data.n, data.d, data.class_names) == (569, 31, ("benign", "malignant"))
    assert_array_equal(data.y > 0, benign == 0)
    q = StandardScaler().fit_transform(features)
    expected = SLICE_RADIUS * q / np.linalg.norm(q, axis=1, keepdims=True)
    assert_allclose(data.X[:, :-1], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "name", ["", "digits", "digits-3v3", "digits-3v10", "circle-0", "circle--1", " breast-cancer"]
)
def test_unknown_names_are_refused_with_the_known_ones(name):
    with pytest.raises(ValueError, match=r"must be (like 'digits-3v8'|different digits)"):
        load(name)
    with pytest.raises(ValueError, match=r"must be (like 'digits-3v8'|different digits)"):
        load_split(name, 0.3, 0)


@pytest.mark.parametrize("name", ["digits-3v8", "breast-cancer", "circle-20"])
@pytest.mark.parametrize("share", [0.001, 0.3, 0.44, 0.999])
def test_a_split_is_disjoint_complete_stratified_and_repeatable(name, share):
    train, test = load_split(name, share, 4)
    whole = load(name)
    assert_valid(train)
    assert_valid(test)
    assert train.n + test.n == whole.n
    for label in (-1.0, 1.0):
        total = int((whole.y == label).sum())
        held_out = int((test.y == label).sum())
        assert held_out == min(max(1, round(share * total)), total - 1)
        assert int((train.y == label).sum()) == total - held_out
    again = load_split(name, share, np.random.default_rng(4))
    for one, other in zip((train, test), again, strict=True):
        assert_array_equal(one.X, other.X)
        assert_array_equal(one.y, other.y)
    if 0.2 < share < 0.8:
        other = load_split(name, share, 5)[0]
        assert other.X.shape == train.X.shape
        assert (other.X != train.X).any()


@pytest.mark.parametrize(("name", "scale"), [("digits-3v8", False), ("breast-cancer", True)])
def test_the_map_of_a_split_knows_the_training_part_only(name, scale):
    """Recover the rows of the split, refit the map on the training rows alone and compare."""
    from sklearn.datasets import load_breast_cancer, load_digits

    if scale:
        features = load_breast_cancer().data
    else:
        bunch = load_digits()
        features = bunch.data[(bunch.target == 3) | (bunch.target == 8)]
    train, test = load_split(name, 0.4, 9)

    def rows_of(part, slice_map):
        distances = np.linalg.norm(part.X[:, None] - slice_map.transform(features)[None], axis=2)
        return distances.argmin(axis=1), distances.min(axis=1)

    whole_map = SliceMap.fit(features, scale=scale)
    train_rows, off = rows_of(train, whole_map)
    assert off.max() > 1e-3, "the map was fitted on all rows"
    test_rows, _ = rows_of(test, whole_map)
    assert len(set(train_rows) | set(test_rows)) == len(features), "rows identified by nearness"
    train_map = SliceMap.fit(features[np.sort(train_rows)], scale=scale)
    assert_allclose(train.X, train_map.transform(features[train_rows]), rtol=0, atol=1e-12)
    assert_allclose(test.X, train_map.transform(features[test_rows]), rtol=0, atol=1e-12)


def test_both_parts_of_a_split_come_in_random_order():
    train, test = load_split("circle-200", 0.5, 0)
    for part in (train, test):
        runs = 1 + int((np.diff(part.y) != 0).sum())
        assert 30 < runs < 75, f"{runs} runs of equal labels among 100"

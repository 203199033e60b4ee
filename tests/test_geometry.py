"""The slice X and its caps: every formula is compared with an independent computation."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats
from scipy.spatial import ConvexHull

from sublinear_lib import geometry
from sublinear_lib.geometry import (
    SLICE_DIAMETER,
    SLICE_RADIUS,
    Cap,
    cap_angle,
    cap_fraction,
    cap_intervals,
    cap_supports,
    chord_distances,
    directions,
    embed,
    inner_box,
    lift,
    project_to_caps,
    project_to_slice,
    sample_caps,
    sample_slice,
    slice_net,
)

QUICK = settings(max_examples=60)
SEEDS = st.integers(0, 2**32 - 1)
DIMENSIONS = st.sampled_from([2, 3, 4, 5, 8, 65])
RADII = st.one_of(
    st.sampled_from([0.0, 1e-14, 1e-8, 1e-3, SLICE_DIAMETER, np.nextafter(SLICE_DIAMETER, 0), 3.0]),
    st.floats(0.0, 1.8),
)
EXACT = 4 * np.finfo(float).eps


def cap_of(seed, d, rho):
    """A random cap together with the generator that goes on."""
    rng = np.random.default_rng(seed)
    return Cap(sample_slice(1, d, rng)[0], rho), rng


def project(cap, P):
    """Project points onto one cap."""
    return project_to_caps(P, np.tile(cap.x, (len(P), 1)), cap.rho)


def assert_on_slice(X, message=""):
    assert_array_equal(X[:, -1], 0.5, err_msg=f"last coordinate {message}")
    assert_allclose(np.linalg.norm(X, axis=1), 1.0, rtol=0, atol=EXACT, err_msg=message)


def assert_in_cap(cap, P, message=""):
    assert_on_slice(P, message)
    distances = np.linalg.norm(P - cap.x, axis=1)
    assert cap.contains(P).all(), f"{message}: {cap} but distances up to {distances.max()!r}"


def test_sampled_points_are_uniform():
    for d in (3, 4, 5, 20):
        first = directions(sample_slice(20_000, d, d))[:, 0]
        # A coordinate of a uniform unit vector of R^k: (1 + v)/2 is Beta((k-1)/2, (k-1)/2).
        a = (d - 2) / 2
        p = stats.kstest((1 + first) / 2, stats.beta(a, a).cdf).pvalue
        assert p > 1e-4, f"d={d}: p={p}"
    two = sample_slice(10_000, 2, 0)
    assert stats.binomtest(int((two[:, 0] > 0).sum()), 10_000).pvalue > 1e-4


@QUICK
@given(SEEDS, DIMENSIONS)
def test_embed_and_directions_are_inverse(seed, d):
    X = sample_slice(7, d, seed)
    U = directions(X)
    assert U.shape == (7, d - 1)
    assert_allclose(np.linalg.norm(U, axis=1), 1.0, rtol=0, atol=EXACT)
    assert_allclose(embed(U), X, rtol=0, atol=EXACT)
    assert_allclose(X[:, :-1], U * math.sqrt(0.75), rtol=0, atol=EXACT)


@QUICK
@given(SEEDS, DIMENSIONS, st.sampled_from([1e-300, 1e-9, 1.0, 1e9, 1e300]))
def test_projection_to_the_slice_finds_the_nearest_point(seed, d, size):
    rng = np.random.default_rng(seed)
    P = rng.standard_normal((4, d)) * size
    found = project_to_slice(P)
    assert_on_slice(found)
    # Nearest means largest inner product with the first d - 1 coordinates.
    best = np.sum(found[:, :-1] * (P[:, :-1] / size), axis=1)
    others = sample_slice(500, d, rng)[:, :-1] @ (P[:, :-1] / size).T
    assert (others <= best + 1e-14 * (1 + np.abs(best))).all()
    assert_allclose(best, SLICE_RADIUS * np.linalg.norm(P[:, :-1] / size, axis=1), rtol=1e-14)
    assert_array_equal(project_to_slice(found), found)


def test_the_axis_has_no_nearest_point_but_the_smallest_float_still_has_a_direction():
    with pytest.raises(ValueError, match=r"P must not have rows .* all 0 \(row 1 is\)"):
        project_to_slice([[1.0, 0.0, 0.5], [0.0, 0.0, 3.0]])
    assert_array_equal(project_to_slice([[0.0, -5e-324, 0.1]]), [[0.0, -SLICE_RADIUS, 0.5]])


@QUICK
@given(SEEDS, st.integers(1, 6))
def test_chord_distances_are_euclidean_and_keep_tiny_distances(seed, d):
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((4, d)), rng.standard_normal((3, d))
    expected = [[math.dist(x, y) for y in Y] for x in X]
    assert_allclose(chord_distances(X, Y), expected, rtol=1e-14)
    shift = np.zeros(d)
    shift[0] = 2.0**-40
    X = np.round(X, 3)
    assert_allclose(np.diag(chord_distances(X + shift, X)), 2.0**-40, 1e-3)


@QUICK
@given(SEEDS, DIMENSIONS, st.sampled_from([1e-6, 1.0, 1e6]))
def test_lifted_weights_give_the_preactivations_on_the_slice(seed, d, ratio):
    rng = np.random.default_rng(seed)
    W, b = rng.standard_normal((30, d)), ratio * rng.standard_normal(30)
    X = sample_slice(20, d, rng)
    z, lifted = X @ W.T + b, X @ lift(W, b).T
    size = np.abs(X) @ np.abs(W).T + np.abs(b)
    bound = (d + 4) * np.finfo(float).eps * size
    assert (np.abs(z - lifted) <= bound).all()
    assert_array_equal(lift(W, b)[:, :-1], W[:, :-1])


def test_the_lift_leaves_its_arguments_alone_and_refuses_overflow():
    W, b = np.ones((2, 3)), np.ones(2)
    lift(W, b)
    assert_array_equal(W, 1.0)
    with pytest.raises(ValueError, match=r"W and b must have .* in row 1"):
        lift(W, [1.0, 1e308])
    with pytest.raises(ValueError, match="b must have shape"):
        lift(W, np.ones(3))


@QUICK
@given(st.floats(0.0, 1.7320508))
def test_the_angle_of_a_cap_has_the_radius_as_its_chord(rho):
    alpha = cap_angle(rho)
    assert alpha <= math.pi
    # Two points of X at that angle, through coordinates.
    p = np.array([SLICE_RADIUS, 0.0, 0.5])
    q = np.array([SLICE_RADIUS * math.cos(alpha), SLICE_RADIUS * math.sin(alpha), 0.5])
    assert math.dist(p, q) == pytest.approx(rho, rel=1e-14, abs=1e-16)


@pytest.mark.parametrize("d", [3, 4, 5, 12])
def test_the_fraction_of_a_cap_is_the_integral_of_the_angle_density(d):
    def density(t):
        return math.sin(t) ** (d - 3)

    whole = integrate.quad(density, 0, math.pi)[0]
    for rho in (0.1, 0.5, 1.0, 1.4, 1.7):
        share = integrate.quad(density, 0, cap_angle(rho), epsrel=1e-12)[0] / whole
        assert cap_fraction(d, rho) == pytest.approx(share, rel=1e-9), f"d={d}, rho={rho}"
    assert cap_fraction(d, math.sqrt(1.5)) == pytest.approx(0.5, rel=1e-14)
    assert cap_fraction(d, 2.0) == 1.0
    assert cap_fraction(d, 0.0) == 0.0
    assert (cap_fraction(2, 1.7), cap_fraction(2, SLICE_DIAMETER)) == (0.5, 1.0)  # two points


def test_a_cap_contains_by_distance_norm_and_height():
    cap = Cap([SLICE_RADIUS, 0.0, 0.5], 0.5)

    def at(distance):
        angle = 2 * math.asin(distance / SLICE_DIAMETER)
        return [SLICE_RADIUS * math.cos(angle), SLICE_RADIUS * math.sin(angle), 0.5]

    points = [at(0.0), at(0.4999), at(0.5), at(0.5005), at(1.7)]
    assert_array_equal(cap.contains(points), [True, True, True, False, False])
    assert_array_equal(cap.contains(points, atol=0.001), [True, True, True, True, False])
    off = np.array(at(0.1))
    assert cap.contains([off])[0]
    for k in range(3):
        moved = off.copy()
        moved[k] += 1e-9
        assert not cap.contains([moved])[0], f"coordinate {k} moved off the slice"
    assert not cap.contains([1e200 * off])[0]
    assert repr(cap) == "Cap(d=3, rho=0.5)"


def test_a_center_nearly_on_the_slice_is_put_onto_it():
    rough = np.array([SLICE_RADIUS + 4e-10, 0.0, 0.5 - 2e-10])
    cap = Cap(rough, 0.3)
    assert_on_slice(cap.x[None, :])
    P = project_to_caps(sample_slice(50, 3, 0), np.tile(rough, (50, 1)), 0.3)
    assert_in_cap(cap, P)
    assert_array_equal(project(cap, P), P)
    exact = sample_slice(1, 3, 5)[0]
    assert_array_equal(Cap(exact, 0.3).x, exact)


@QUICK
@example(0, 3, 1e-15)
@given(SEEDS, DIMENSIONS, RADII)
def test_projection_takes_the_nearest_point_of_the_cap_and_keeps_its_points(seed, d, rho):
    cap, rng = cap_of(seed, d, rho)
    P = np.concatenate([rng.standard_normal((5, d)), sample_slice(5, d, rng)])
    found = project(cap, P)
    assert_in_cap(cap, found)
    rivals = np.concatenate([cap.random(200, rng), found])
    margin = chord_distances(P, rivals) - np.linalg.norm(P - found, axis=1)[:, None]
    assert margin.min() >= -1e-14, f"a nearer point by {-margin.min()}"
    if d > 2:
        outside = np.linalg.norm(project_to_slice(P) - cap.x, axis=1) > 1.001 * rho + 1e-9
        assert_allclose(np.linalg.norm(found - cap.x, axis=1)[outside], rho, rtol=1e-9, atol=1e-15)
    inside = np.concatenate([cap.x[None, :], cap.random(20, rng)])
    inside = inside[np.linalg.norm(inside - cap.x, axis=1) <= rho]
    assert_array_equal(project(cap, inside), inside)
    near = EXACT if rho > 4 * EXACT else EXACT + 2.0 * rho  # directions are lost in 16 roundings
    assert_allclose(project(cap, found), found, rtol=0, atol=near)
    assert_allclose(project(cap, 3.0 * np.eye(d)[-1:])[0], cap.x, rtol=0, atol=EXACT)


@pytest.mark.parametrize("d", [3, 4, 5, 65])
@pytest.mark.parametrize("rho", [1e-12, 0.3, 1.3, 1.7])
def test_projecting_the_antipode_takes_the_documented_rim_point(d, rho):
    cap, _ = cap_of(d, d, rho)
    u = directions(cap.x[None, :])[0]
    axis = np.zeros(d - 1)
    axis[np.argmin(np.abs(u))] = 1.0
    tangent = axis - (axis @ u) * u
    tangent /= np.linalg.norm(tangent)
    alpha = cap_angle(rho)
    expected = embed((math.cos(alpha) * u + math.sin(alpha) * tangent)[None, :])
    antipode = np.append(-u, 0.0)
    for P in (antipode, 1e-200 * antipode, 1e200 * antipode):
        found = project(cap, P[None, :])
        assert_allclose(found, expected, rtol=0, atol=1e-14, err_msg=f"d={d}, rho={rho}")
        assert_in_cap(cap, found)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("maximum", [cap_supports, lambda G, X, rho: Cap(X[0], rho).support(G)])
def test_a_maximum_that_overflows_is_refused_without_a_warning(maximum):
    with pytest.raises(ValueError, match="it overflows"):
        maximum(np.full((1, 3), 1.7e308), np.array([[math.sqrt(0.75), 0.0, 0.5]]), 1.0)


@QUICK
@given(SEEDS, DIMENSIONS, RADII)
def test_batched_operations_agree_with_one_cap_at_a_time(seed, d, rho):
    rng = np.random.default_rng(seed)
    X, P = sample_slice(6, d, rng), rng.standard_normal((6, d))
    W, b = rng.standard_normal((9, d)), rng.standard_normal(9)
    projected = project_to_caps(P, X, rho)
    values, points = cap_supports(P, X, rho)
    lower, upper = cap_intervals(X, rho, W, b)
    for i, x in enumerate(X):
        cap = Cap(x, rho)
        assert_array_equal(projected[i], project(cap, P[i : i + 1])[0])
        assert_array_equal(sample_caps(np.tile(x, (5, 1)), rho, seed), cap.random(5, seed))
        one_value, one_point = cap.support(P[i : i + 1])
        assert_array_equal(points[i], one_point[0])
        assert values[i] == one_value[0]
        low, high = cap.intervals(W, b)
        assert_allclose(lower[i], low, rtol=0, atol=1e-14)
        assert_allclose(upper[i], high, rtol=0, atol=1e-14)


def angle_cdf(d, rho):
    """Distribution function of the angle to the center, by quadrature of sin^{d-3}."""
    alpha = cap_angle(rho)
    grid = np.linspace(0.0, alpha, 20_001)
    power = (np.sin(grid) / np.sin(grid).max()) ** (d - 3)
    mass = integrate.cumulative_trapezoid(power, grid, initial=0.0)
    return lambda t: np.interp(t, grid, mass / mass[-1])


@pytest.mark.parametrize("d", [3, 4, 6, 65])
@pytest.mark.parametrize("rho", [0.01, 0.3, 1.0, 1.22, 1.3, 1.6, 2.0])
def test_random_points_are_uniform_on_the_cap(d, rho):
    cap, rng = cap_of(d, d, rho)
    P = cap.random(6000, rng)
    assert_in_cap(cap, P, f"d={d}, rho={rho}")
    theta = 2 * np.arcsin(np.linalg.norm(P - cap.x, axis=1) / SLICE_DIAMETER)
    p = stats.kstest(theta, angle_cdf(d, rho)).pvalue
    assert p > 1e-5, f"angles: p={p}"
    # The tangent is uniform: its coordinates in a basis of the orthogonal complement are those of
    # a uniform unit vector of R^{d-2}.
    u = directions(cap.x[None, :])[0]
    basis = np.linalg.svd(u[None, :])[2][1:]
    T = directions(P) @ basis.T
    first = T[:, 0] / np.linalg.norm(T, axis=1)
    if d == 3:
        assert stats.binomtest(int((first > 0).sum()), len(first)).pvalue > 1e-5
    else:
        a = (d - 3) / 2
        assert stats.kstest((1 + first) / 2, stats.beta(a, a).cdf).pvalue > 1e-5
        assert abs(stats.spearmanr(theta, first).statistic) < 5 / math.sqrt(len(first))


def test_sampling_survives_caps_of_negligible_measure():
    for d in (65, 785, 5000):
        cap, rng = cap_of(1, d, 1e-3)
        assert cap_fraction(d, 1e-3) < 1e-150
        P = cap.random(50, rng)
        assert_in_cap(cap, P, f"d={d}")
        # In high dimension nearly all of a cap is its rim: E (r / rho)^(d-2) = 1/2.
        share = (np.linalg.norm(P - cap.x, axis=1) / 1e-3) ** (d - 2)
        assert 0.2 < share.mean() < 0.8, f"d={d}: {share.mean()}"


def test_tangents_are_uniform_although_data_and_attack_share_a_seed():
    # Every first draw is then parallel to the direction of its point.
    U = directions(sample_slice(4000, 6, 11))
    T = geometry._uniform_tangents(U, np.random.default_rng(11))
    assert_allclose(np.sum(T * U, axis=1), 0.0, rtol=0, atol=EXACT)
    assert_allclose(np.linalg.norm(T, axis=1), 1.0, rtol=0, atol=EXACT)
    # U and T are then independent up to T being orthogonal to U: T alone is uniform on S^4.
    for coordinate in T.T:
        assert stats.kstest((1 + coordinate) / 2, stats.beta(2, 2).cdf).pvalue > 1e-5


@QUICK
@given(SEEDS, DIMENSIONS, RADII)
def test_the_support_is_attained_in_the_cap_and_never_exceeded(seed, d, rho):
    cap, rng = cap_of(seed, d, rho)
    G = rng.standard_normal((6, d))
    values, points = cap.support(G)
    assert_in_cap(cap, points)
    assert_allclose(np.sum(G * points, axis=1), values, rtol=0, atol=1e-14)
    rivals = np.concatenate([cap.random(300, rng), project(cap, rng.standard_normal((300, d)))])
    assert ((rivals @ G.T) <= values + 1e-13).all()


def test_the_support_breaks_ties_at_the_center_and_on_the_axis():
    cap, _ = cap_of(2, 4, 0.4)
    values, points = cap.support([[0.0, 0.0, 0.0, 3.0]])
    assert values[0] == pytest.approx(1.5, abs=1e-15)
    assert_allclose(points[0], cap.x, rtol=0, atol=EXACT)
    antipodal = np.append(-cap.x[:-1], 0.0)[None, :]
    values, points = cap.support(antipodal)
    assert values[0] == pytest.approx(-0.75 * math.cos(cap.angle), rel=1e-14)
    assert_in_cap(cap, points)


def reference_intervals(x, rho, W, b):
    """Interval formula in extended precision, angles by atan2 (accurate near 0 and pi)."""
    x, W, b = (np.asarray(v, dtype=np.longdouble) for v in (x, W, b))
    three = np.longdouble(3)
    s = np.sqrt(three) / 2
    u = x[:-1] / np.sqrt(np.sum(x[:-1] ** 2))
    omega = W[:, :-1]
    norms = np.sqrt(np.sum(omega**2, axis=1))
    along = omega @ u
    across = omega - along[:, None] * u
    across -= (across @ u)[:, None] * u
    theta = np.arctan2(np.sqrt(np.sum(across**2, axis=1)), along)
    alpha = 2 * np.arcsin(np.minimum(np.longdouble(rho) / np.sqrt(three), np.longdouble(1)))
    center = W[:, -1] / 2 + b
    pi = 4 * np.arctan(np.longdouble(1))
    return (
        center + s * norms * np.cos(np.minimum(theta + alpha, pi)),
        center + s * norms * np.cos(np.maximum(theta - alpha, 0)),
    )


@QUICK
@given(SEEDS, st.sampled_from([3, 4, 5, 65]), RADII)
def test_intervals_have_the_documented_accuracy_even_for_parallel_weights(seed, d, rho):
    cap, rng = cap_of(seed, d, rho)
    W = rng.standard_normal((40, d))
    # Half of the weights are nearly parallel or antiparallel to the center, at every scale.
    tilts = 10.0 ** rng.uniform(-18, 0, size=20)
    W[:20, :-1] = rng.choice([-1, 1], 20)[:, None] * cap.x[:-1] + tilts[:, None] * W[:20, :-1]
    W *= 10.0 ** rng.uniform(-3, 3, size=40)[:, None]
    W[20, :-1] = 0.0  # a dead one
    b = rng.standard_normal(40)
    low, high = reference_intervals(cap.x, rho, W, b)
    bound = (d + 16) * 2.0**-52 * (np.linalg.norm(W, axis=1) + np.abs(b))
    lower, upper = cap.intervals(W, b)
    assert (np.abs(lower - low) <= bound).all(), np.max(np.abs(lower - low) / bound)
    assert (np.abs(upper - high) <= bound).all(), np.max(np.abs(upper - high) / bound)


@pytest.mark.parametrize("m", [1, 700_000])
def test_intervals_of_many_caps_do_not_depend_on_the_chunks(m, monkeypatch):
    X = sample_slice(3, 3, 0)
    W = np.random.default_rng(1).standard_normal((m, 3))
    whole = cap_intervals(X, 0.4, W, W[:, 0])
    monkeypatch.setattr(geometry, "_PAIRS_PER_CHUNK", max(1, m // 3))
    for one, other in zip(whole, cap_intervals(X, 0.4, W, W[:, 0]), strict=True):
        assert_allclose(one, other, rtol=0, atol=1e-14)


def test_in_dimension_two_a_cap_is_its_center_until_it_is_everything():
    x, other = np.array([SLICE_RADIUS, 0.5]), np.array([-SLICE_RADIUS, 0.5])
    W, b = np.array([[2.0, -1.0], [-3.0, 4.0]]), np.array([0.5, 0.0])
    small = Cap(x, np.nextafter(SLICE_DIAMETER, 0.0))
    assert_array_equal(small.contains([x, other], atol=0.0), [True, False])
    assert_array_equal(project(small, [[-5.0, 0.0], [5.0, 0.0]]), [x, x])
    assert_array_equal(small.random(3, 0), [x, x, x])
    assert_array_equal(small.support([[-1.0, 0.0]])[1], [x])
    for end in small.intervals(W, b):
        assert_allclose(end, W @ x + b, rtol=0, atol=1e-15)
    whole = Cap(x, SLICE_DIAMETER)
    assert_array_equal(whole.contains([x, other], atol=0.0), [True, True])
    assert_array_equal(project(whole, [[-5.0, 0.0], [5.0, 0.0]]), [other, x])
    assert len(np.unique(whole.random(50, 0), axis=0)) == 2
    ends = np.sort(np.stack([W @ x + b, W @ other + b]), axis=0)
    for found, expected in zip(whole.intervals(W, b), ends, strict=True):
        assert_allclose(found, expected, rtol=0, atol=1e-15)


def covering_radius(N):
    """Largest distance from X to the net, exactly: the empty caps of the convex hull's facets."""
    hull = ConvexHull(directions(N))
    cosines = -hull.equations[:, -1]  # of the angular radius of the empty cap over each facet
    return math.sqrt(1.5 * (1.0 - float(cosines.min())))


@pytest.mark.parametrize(
    ("d", "radii", "waste"),
    [(3, (0.1, 1.2, 40), 0.9), (4, (0.1, 1.2, 60), 0.8), (5, (0.3, 1.2, 40), 0.75)],
)
def test_the_covering_radius_of_a_net_is_at_most_the_radius_and_not_much_less(d, radii, waste):
    for radius in np.linspace(*radii):
        N = slice_net(d, radius)
        assert_on_slice(N)
        assert len(N) == len(np.unique(np.round(N, 9), axis=0))
        exact = covering_radius(N)
        assert exact <= radius * (1 + 1e-12), f"covering radius {exact} > {radius}"
        assert radius > 0.35 or exact > waste * radius, "wastefully fine"


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_large_radii_need_one_or_two_points(d):
    assert len(slice_net(d, SLICE_DIAMETER)) == 1
    assert len(slice_net(d, 5.0)) == 1
    two = slice_net(d, math.sqrt(1.5))
    assert len(two) == 2
    assert math.dist(*two) == pytest.approx(SLICE_DIAMETER, rel=1e-15)
    assert len(slice_net(d, math.nextafter(SLICE_DIAMETER, 0))) == 2


def test_the_net_of_the_circle_is_as_small_as_possible():
    for size in (3, 4, 5, 6, 7, 12, 60, 997):
        least = math.sqrt(3) * math.sin(math.pi / (2 * size))  # covering radius of a regular n-gon
        assert len(slice_net(3, least)) == size
        assert len(slice_net(3, least * (1 - 1e-9))) == size + 1


def test_the_net_grows_as_documented():
    for d, constant in ((3, math.pi * math.sqrt(3) / 2), (4, 4.7124), (5, 8.3279)):
        radius = {3: 0.01, 4: 0.01, 5: 0.03}[d]
        ratio = len(slice_net(d, radius)) * radius ** (d - 2) / constant
        assert 0.98 < ratio < 1.05, f"d={d}: {ratio}"


def test_a_net_that_would_be_too_large_is_refused_with_its_size():
    size = len(slice_net(5, 0.1))
    assert len(slice_net(5, 0.1, max_points=size)) == size
    with pytest.raises(ValueError, match=rf"{size} points would be needed .* max_points is 100$"):
        slice_net(5, 0.1, max_points=100)
    with pytest.raises(ValueError, match=r"about 10\*\*18\.9 points would be needed for d = 5"):
        slice_net(5, 1e-6)
    with pytest.raises(ValueError, match=r"about 10\*\*600"):
        slice_net(4, 1e-300)
    assert len(slice_net(2, 1e-300)) == 2


@QUICK
@given(
    st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=5),
    st.one_of(st.just(0.0), st.floats(5e-324, 1e9)),
)
def test_an_inner_box_lies_in_its_ball_and_is_hardly_smaller(center, radius):
    X = np.array(center)
    for x, low, high in zip(X, *inner_box(X, radius), strict=True):
        assert low <= x <= high
        for end in (low, high):
            assert abs(Fraction(float(end)) - Fraction(float(x))) <= Fraction(radius)
        assert np.nextafter(np.nextafter(high, np.inf), np.inf) >= x + radius
        assert np.nextafter(np.nextafter(low, -np.inf), -np.inf) <= x - radius

"""The predicates promise the answer of real arithmetic, whatever float64 says."""

import math
import platform
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from sublinear_lib import predicates
from tests.commands import python

# Deciding exactly includes deciding quietly.
pytestmark = pytest.mark.filterwarnings("error")

# Numbers of every size, with the ones that break naive code drawn often.
NASTY = st.sampled_from(
    [
        *(0.0, -0.0, 1.0, -1.0, 0.1, 0.5, 3.0, 5e-324, -5e-324, 2.0**-1022, 2.0**-540, 2.0**-400),
        *(2.0**400, np.nextafter(2.0**400, np.inf), 1e308, -1e308, 1.7976931348623157e308),
    ]
)
MODERATE = st.floats(-4.0, 4.0, allow_subnormal=False)
LATTICE = st.integers(-3, 3).map(float)
ANY = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.one_of(NASTY, MODERATE, LATTICE, ANY)


def oracle_sign(w, b, x, threshold):
    """Five lines of rational arithmetic that share nothing with the library."""
    total = Fraction(float(b)) - Fraction(float(threshold))
    for w_k, x_k in zip(w, x, strict=True):
        total += Fraction(float(w_k)) * Fraction(float(x_k))
    return (total > 0) - (total < 0)


def oracle_mask(W, b, X, threshold):
    n, m = len(X), len(W)
    levels = np.broadcast_to(np.asarray(threshold, dtype=float), (n, m))
    signs = [[oracle_sign(W[r], b[r], X[i], levels[i, r]) for r in range(m)] for i in range(n)]
    return np.array(signs) > 0


@st.composite
def problems(draw, numbers=NUMBERS):
    """Draw weights, biases, points and thresholds, with exact and near ties forced in."""
    d = draw(st.integers(1, 20))
    m = draw(st.integers(1, 6))
    n = draw(st.integers(1, 3))
    vector = st.lists(numbers, min_size=d, max_size=d)
    W = np.array(draw(st.lists(vector, min_size=m, max_size=m)))
    X = np.array(draw(st.lists(vector, min_size=n, max_size=n)))
    b = np.array(draw(st.lists(numbers, min_size=m, max_size=m)))
    if m > 1 and draw(st.booleans()):  # duplicated neurons
        W[-1], b[-1] = W[0], b[0]
    if draw(st.booleans()):  # a dead neuron
        W[0] = 0.0
    threshold = draw(numbers)
    if draw(st.booleans()):  # the rounded score itself: a tie, or the nearest thing to one
        with np.errstate(all="ignore"):
            score = float(W[0] @ X[0] + b[0])
        if np.isfinite(score):
            nearby = math.nextafter(score, draw(st.sampled_from([-math.inf, score, math.inf])))
            threshold = nearby if math.isfinite(nearby) else score
    return W, b, X, threshold


# Ties with and without signed zeros; a sum that is lost beside 1; products, and differences of bias
# and threshold, that overflow; subnormal numbers.
HUGE = 1.7e308
SPECIAL = [
    ([[0.5, 0.5], [0.5, np.nextafter(0.5, 1.0)], [0.5, 0.0]], [0.0] * 3, [[1.0, 1.0]], 1.0),
    ([[-0.0, 0.0]], [0.0], [[1.0, 1.0]], 0.0),
    ([[1.0, 2.0**-60, -1.0]], [0.0], [[1.0, 1.0, 1.0]], 0.0),
    *(
        ([[1e308, 1e308, 1.0], [-1e308, 1e308, 0.0]], [0.0, -1e308],
         [[scale, -scale, 1.0], [scale, scale, 1e-320]], threshold)
        for scale in (1e150, 1e-160, 1e300) for threshold in (0.0, -5e-324, 1e308)
    ),
    *(
        ([[1.0], [-1.0]], [bias] * 2, [[1.0]], threshold)
        for bias in (HUGE, -HUGE, np.nextafter(HUGE, 0.0)) for threshold in (HUGE, -HUGE)
    ),
    ([[2.0], [3.0]], [0.0] * 2, [[2.0**-1023]], 2.0**-1022),
    *(([[2.0**52]], [bias], [[5e-324]], 2.0**-1022) for bias in (0.0, -5e-324, 5e-324)),
]  # fmt: skip


def assert_decided(problem):
    """Compare masks and signs with those of rational arithmetic."""
    W, b, X, threshold = problem
    n, m = len(X), len(W)
    points, rows = np.divmod(np.arange(n * m), m)
    signs = [oracle_sign(W[r], b[r], X[i], threshold) for i, r in zip(points, rows, strict=True)]
    arrays = map(np.asarray, (W, b, X))
    assert_array_equal(predicates.exact_signs(*arrays, threshold, points, rows), signs)
    assert predicates.exact_sign(W[0], b[0], X[0], threshold) == signs[0]
    for strict in (True, False):
        found = predicates.exceeds_many(W, b, X, threshold, strict=strict)
        expected = np.array(signs).reshape(n, m) >= (1 if strict else 0)
        assert_array_equal(found, expected, err_msg=f"{problem}")


@pytest.mark.parametrize("problem", SPECIAL)
def test_special_cases_are_decided_as_in_rational_arithmetic(problem):
    assert_decided(problem)


@settings(max_examples=60)
@given(problems(), NUMBERS)
def test_one_point_with_thresholds_of_its_own_agrees_with_the_whole_mask(problem, first):
    W, b, X, threshold = problem
    levels = np.full(len(W), threshold)
    levels[0] = first
    expected = oracle_mask(W, b, X[:1], levels)[0]
    assert_array_equal(predicates.exceeds(W, b, X[0], levels), expected)


@settings(max_examples=100)
@given(problems())
def test_masks_and_signs_are_those_of_rational_arithmetic(problem):
    assert_decided(problem)


def _scores_in_many_orders(w, b, x, rng):
    """Evaluate the same score the ways a library might: orders, trees, blocks."""
    products = w * x
    yield float(w @ x + b)
    yield float(np.einsum("i,i->", w, x) + b)
    for _ in range(4):
        order = rng.permutation(len(w))
        terms = [*products[order], b]
        total = 0.0
        for term in terms:
            total += term
        yield float(total)
        total = b
        for term in products[order]:
            total += term
        yield float(total)
        while len(terms) > 1:  # a pairwise tree
            terms = [sum(terms[i : i + 2]) for i in range(0, len(terms), 2)]
        yield float(terms[0])


@settings(max_examples=100)
@given(problems(), st.integers(0, 2**32 - 1))
def test_error_bound_holds_for_every_order_of_summation(problem, seed):
    W, b, X, _ = problem
    rng = np.random.default_rng(seed)
    w, x = W[-1], X[0]
    d = len(w)
    norms = (predicates.row_norms(v[None])[0] for v in (w, x))
    bound = predicates.error_bound(*norms, b[-1], d)
    exact = sum(
        (Fraction(float(p)) * Fraction(float(q)) for p, q in zip(w, x, strict=True)),
        Fraction(float(b[-1])),
    )
    with np.errstate(all="ignore"):
        for score in _scores_in_many_orders(w, b[-1], x, rng):
            if np.isfinite(score) and np.isfinite(bound):
                assert abs(Fraction(score) - exact) <= Fraction(float(bound)), (w, b[-1], x, score)


@settings(max_examples=60)
@given(st.lists(NUMBERS, min_size=1, max_size=20))
def test_row_norms_are_upper_bounds(vector):
    norm = float(predicates.row_norms(np.array([vector]))[0])
    if np.isfinite(norm):
        assert Fraction(norm) ** 2 >= sum(Fraction(float(v)) ** 2 for v in vector), vector


@pytest.mark.parametrize("d", [1, 2, 3, 8, 64, 1000, 10**6])
def test_coefficients_exceed_the_proved_bound_with_room_for_their_own_rounding(d):
    relative, absolute = predicates.error_coefficients(d)
    u = Fraction(1, 2**53)
    gamma = (d + 1) * u / (1 - (d + 1) * u)
    # Four roundings when the bound is evaluated, one when the margin is formed.
    assert Fraction(relative) * (1 - u) ** 4 >= gamma * (1 + u)
    # d products, d additions, the bound's own products and the threshold, each off by at most
    # the smallest normal number when a processor flushes subnormal results to zero.
    assert Fraction(absolute) >= (2 * d + 4) * Fraction(2) ** -1022
    # Nothing is wasted either: a slack bound would send ordinary pairs to the slow path.
    assert Fraction(relative) <= Fraction(102, 100) * (d + 2) * u
    assert Fraction(absolute) <= (4 * d + 8) * Fraction(2) ** -1022


def test_filter_is_sharp_enough_to_leave_random_scores_to_float64(monkeypatch):
    rng = np.random.default_rng(11)
    W, b, X = rng.normal(size=(2000, 8)), rng.normal(size=2000), rng.normal(size=(50, 8))
    asked = []
    exact = predicates.exact_signs

    def counting(W, b, X, threshold, points, rows):
        asked.append(len(rows))
        return exact(W, b, X, threshold, points, rows)

    monkeypatch.setattr(predicates, "exact_signs", counting)
    found = predicates.exceeds_many(W, b, X, 1.0)
    assert_array_equal(found, X @ W.T + b > 1.0)
    assert sum(asked) == 0


def test_thousands_of_ties_and_duplicates_are_decided_exactly(monkeypatch):
    monkeypatch.setattr(predicates, "_TERMS_AT_ONCE", 1000)  # in several blocks
    # A lattice with a threshold on it: a large part of all pairs are true ties.
    rng = np.random.default_rng(5)
    W = rng.integers(-2, 3, size=(1500, 3)).astype(float)
    X = rng.integers(-2, 3, size=(6, 3)).astype(float)
    exact = X.astype(int) @ W.astype(int).T
    assert np.count_nonzero(exact == 2) > 500
    assert_array_equal(predicates.exceeds_many(W, None, X, 2.0), exact > 2)
    assert_array_equal(predicates.exceeds_many(W, None, X, 2.0, strict=False), exact >= 2)
    # One weight vector repeated, compared with its own rounded score at a hair above and below.
    w, x = rng.normal(size=20), rng.normal(size=20)
    score = float(w @ x)
    levels = np.nextafter(score, np.where(np.arange(4000) % 2, np.inf, -np.inf))
    expected = [oracle_sign(w, 0.0, x, level) > 0 for level in levels[:2]] * 2000
    assert_array_equal(predicates.exceeds(np.tile(w, (4000, 1)), None, x, levels), expected)


@given(
    st.integers(1, 70),
    st.integers(0, 2**32 - 1),
    st.sampled_from([2, 20, 2**10, 2**23, 2**30]),
    st.sampled_from([-300, -30, 0, 17, 300]),
    st.sampled_from([-300, -30, 0, 17, 300]),
)
def test_sums_said_to_be_exact_are_exact(d, seed, size, p, q):
    rng = np.random.default_rng(seed)
    left, right = rng.integers(-size, size + 1, (2, 6, d)).astype(float)
    b, levels = rng.integers(-size, size + 1, (2, 6)).astype(float)
    left, right = np.ldexp(left, p), np.ldexp(right, q)
    left[1] = 0.0
    left[2] += np.ldexp(rng.standard_normal(d), p)
    b = np.ldexp(b, p + q + rng.integers(-80, 80, 6))
    b[3] = rng.choice([0.0, 2.0**-790, 2.0**890])
    levels = np.ldexp(levels, p + q)
    if d == 1:
        levels[4] = left[4, 0] * right[4, 0]
    sums, exact = predicates._sums_of_few_bits(left, right, b, levels)
    for i in np.flatnonzero(exact):
        terms = (Fraction(w) * Fraction(x) for w, x in zip(left[i], right[i], strict=True))
        assert Fraction(sums[i]) == sum(terms) + Fraction(b[i]) - Fraction(levels[i])
    index = np.arange(6)
    signs = predicates.exact_signs(left, b, right, levels, index, index)
    for i in index:
        arguments = left[i].tolist(), float(b[i]), right[i].tolist(), float(levels[i])
        assert signs[i] == predicates._sign_in_integers(*arguments)


def test_the_last_bit_of_every_product_counts():
    # w x = high + low exactly, with high and low in float64: a tie that one bit would break.
    rng = np.random.default_rng(21)
    w, x = rng.uniform(1.0, 2.0, 3000), rng.uniform(1.0, 2.0, 3000)
    high = w * x
    low = np.array(
        [
            float(Fraction(p) * Fraction(q) - Fraction(h))
            for p, q, h in zip(w.tolist(), x.tolist(), high.tolist(), strict=True)
        ]
    )
    index = np.arange(3000)
    for towards, sign in ((-np.inf, 1), (None, 0), (np.inf, -1)):
        level = low if towards is None else np.nextafter(low, towards)
        signs = predicates.exact_signs(w[:, None], -high, x[:, None], level, index, index)
        assert_array_equal(signs, np.full(3000, sign))


FLUSHING = """
import ctypes, random
import numpy as np
from fractions import Fraction
from sublinear_lib import predicates

numbers = [0.0, -0.0, 5e-324, -5e-324, 1e-310, -1e-310, 2.0**-1022, -(2.0**-1022), 2.0**-540,
           2.0**-511, -(2.0**-511), 2.0**-400, 1e-160, 0.1, 1.0, -1.0, 1e160, 2.0**400, 1e300]
random.seed(0)
draw = lambda *shape: np.array(random.choices(numbers, k=int(np.prod(shape)))).reshape(shape)
problems = [(draw(4, d), draw(4), draw(3, d), random.choice(numbers)) for d in [1, 2, 5] * 150]
exact = lambda v: Fraction(*float(v).as_integer_ratio())
expected = [
    [[sum(exact(p) * exact(q) for p, q in zip(w, x)) + exact(c) > exact(t) for w, c in zip(W, b)]
     for x in X]
    for W, b, X, t in problems
]  # before the switch: rational arithmetic starts from floating-point operations too
libm = ctypes.CDLL("libm.so.6")
environment = (ctypes.c_uint32 * 8)()
assert libm.fegetenv(environment) == 0
environment[7] |= 0x8040  # MXCSR: flush to zero, denormals are zero
assert libm.fesetenv(environment) == 0
assert np.float64(2.0**-1022) * 0.5 == 0.0
for problem, mask in zip(problems, expected):
    assert predicates.exceeds_many(*problem).tolist() == mask, problem
print("done")
"""


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64",
    reason="sets the floating-point environment of glibc on x86-64",
)
def test_a_processor_that_flushes_subnormal_numbers_decides_the_same():
    # Some libraries switch it on when they are loaded; a process of its own keeps it from the rest.
    run = python(FLUSHING, check=False, OPENBLAS_NUM_THREADS="1")
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr[-2000:]


def test_unknown_scores_are_decided_exactly():
    W, X = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([[1.0]])
    scores = np.array([[np.nan, np.inf, -np.inf, -np.inf]])
    # Finite bounds on purpose: a score that is not finite is unknown whatever its bound.
    found = predicates.resolve(scores, np.full((1, 4), 1e-15), W, None, X, 2.5)
    assert_array_equal(found, [[False, False, True, True]])
    where = np.zeros(4, dtype=np.int64), np.arange(4)
    pairs = predicates.resolve_pairs(scores[0], 1e-15, W, None, X, 2.5, *where)
    assert_array_equal(pairs, found[0])


def test_resolving_pairs_with_their_own_thresholds_matches_the_oracle():
    rng = np.random.default_rng(8)
    W, b = rng.integers(-4, 5, size=(40, 4)) / 4.0, rng.integers(-4, 5, size=40) / 4.0
    X = rng.integers(-4, 5, size=(10, 4)) / 4.0
    points, rows = rng.integers(0, 10, size=300), rng.integers(0, 40, size=300)
    scores = np.einsum("ij,ij->i", W[rows], X[points]) + b[rows]  # exact on this lattice
    levels = scores + rng.integers(-1, 2, size=300) / 2.0**52  # ties and near ties
    norms = predicates.row_norms(W)[rows], predicates.row_norms(X)[points]
    bounds = predicates.error_bound(*norms, b[rows], 4)
    signs = np.array(
        [
            oracle_sign(W[r], b[r], X[i], level)
            for r, i, level in zip(rows, points, levels, strict=True)
        ]
    )
    assert min(np.count_nonzero(signs == s) for s in (-1, 0, 1)) > 50
    for strict in (True, False):
        given = scores, bounds, W, b, X, levels, points, rows
        found = predicates.resolve_pairs(*given, strict=strict)
        assert_array_equal(found, signs > 0 if strict else signs >= 0)


@pytest.mark.parametrize("shape", [(), (5,), (3, 1), (1, 5), (3, 5)])
def test_thresholds_per_neuron_and_per_point_are_applied_where_they_belong(shape, monkeypatch):
    # Blocks of one point, so that a threshold per point must be cut with the points.
    monkeypatch.setattr(predicates, "_SCORES_AT_ONCE", 5)
    rng = np.random.default_rng(2)
    W, b = rng.integers(-3, 4, size=(5, 2)) / 2.0, rng.integers(-3, 4, size=5) / 2.0
    X = rng.integers(-3, 4, size=(3, 2)) / 2.0
    threshold = rng.integers(-3, 4, size=shape) / 4.0
    assert_array_equal(predicates.exceeds_many(W, b, X, threshold), oracle_mask(W, b, X, threshold))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0, np.inf]], None, [1.0, 1.0], 0.0), "W must contain finite"),
        (([[1.0, 2.0]], [1.0, 2.0], [1.0, 1.0], 0.0), r"b must have shape \(1,\)"),
        (([[1.0, 2.0]], None, [1.0], 0.0), "X must have shape"),
        (([[1.0, 2.0]], None, [np.nan, 1.0], 0.0), "x must contain finite"),
        (([[1.0, 2.0]], None, [1.0, 1.0], np.nan), "threshold must contain finite"),
        (([[1.0, 2.0]], None, [1.0, 1.0], [1.0, 2.0]), "threshold must be a number or an array"),
        ((np.zeros((0, 2)), None, [1.0, 1.0], 0.0), "W must not be empty"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        predicates.exceeds(*arguments)

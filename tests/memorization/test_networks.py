"""Sparse ReLU networks count, evaluate, differentiate, and come back from a file."""

from __future__ import annotations

import itertools
import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_matrix, csr_array

from sublinear_lib.memorization import AffineLayer, ReLUNetwork, networks

sizes = st.lists(st.integers(1, 6), min_size=2, max_size=6)
seeds = st.integers(0, 2**32 - 1)


def random_network(widths: list[int], seed: int, grid: int = 8) -> ReLUNetwork:
    """Return a network with a third of its entries zero, all multiples of 1/grid."""
    rng = np.random.default_rng(seed)

    def entries(*shape: int) -> np.ndarray:
        return rng.integers(-2 * grid, 2 * grid + 1, shape) * (rng.random(shape) < 2 / 3) / grid

    return ReLUNetwork([(entries(b, a), entries(b)) for a, b in itertools.pairwise(widths)])


def in_fractions(network: ReLUNetwork, x: list[Fraction]) -> list[Fraction]:
    h = x
    for place, layer in enumerate(network.layers):
        W = layer.weight.toarray().tolist()
        h = [
            sum((Fraction(w) * v for w, v in zip(row, h, strict=True)), Fraction(b))
            for row, b in zip(W, layer.bias.tolist(), strict=True)
        ]
        if place < network.depth - 1:
            h = [max(v, Fraction(0)) for v in h]
    return h


# Layers.


def test_a_layer_keeps_no_reference_to_arrays_that_can_change() -> None:
    W, b = np.eye(2), np.ones(2)
    sparse = csr_array(W)
    layers = [AffineLayer(W, b), AffineLayer(sparse, b)]
    W[:] = 7
    b[:] = 7
    sparse.data[:] = 7
    for layer in layers:
        assert (layer.weight.toarray() == np.eye(2)).all()
        assert (layer.bias == 1).all()
        with pytest.raises(ValueError, match="read-only"):
            layer.weight.data[0] = 3
        with pytest.raises(ValueError, match="read-only"):
            layer.bias[0] = 3
    with pytest.raises(AttributeError):
        layers[0].bias = b  # type: ignore[misc]


def test_layers_share_a_matrix_that_is_frozen() -> None:
    first = AffineLayer([[1.0, 2.0], [0.0, 1.0]], [0.0, 1.0])
    network = ReLUNetwork([first, AffineLayer(first.weight, [1.0, 0.0]), first])
    assert all(layer.weight is first.weight for layer in network.layers)
    assert network.nonzeros == 3 * 3 + 3  # a shared matrix counts each time


def test_zeros_that_are_stored_or_that_add_up_are_not_counted() -> None:
    doubled = coo_matrix(([1.0, -1.0, 2.0, 0.0], ([0, 0, 1, 1], [0, 0, 1, 0])), shape=(2, 2))
    layer = AffineLayer(doubled, [0.0, -0.0])
    assert ReLUNetwork([layer]).nonzeros == 1
    assert layer.weight.toarray().tolist() == [[0, 0], [0, 2]]


def test_a_matrix_with_an_entry_in_two_parts_is_not_shared() -> None:
    parts = csr_array(([1.0, 2.0], [0, 0], [0, 2]), shape=(1, 1))
    for array in (parts.data, parts.indices, parts.indptr):
        array.flags.writeable = False
    layer = AffineLayer(parts, [0.0])
    assert (layer.weight.nnz, layer.weight.toarray().tolist()) == (1, [[3.0]])


def test_every_form_of_a_matrix_makes_the_same_layer() -> None:
    W = np.array([[1.0, 0.0, -3.0], [0.0, 2.0, 0.0]])
    forms = coo_matrix(W).tocsr(), csr_array(W).tocsc(), csr_array(W.astype(int)), W.tolist()
    for layer in (AffineLayer(form, [0, 0]) for form in forms):
        assert isinstance(layer.weight, csr_array)
        assert layer.weight.dtype == np.float64
        assert (layer.weight.toarray() == W).all()
        assert (layer.inputs, layer.outputs) == (3, 2)


@pytest.mark.parametrize(
    ("weight", "bias", "message"),
    [
        (csr_array([[np.inf]]), [0.0], r"weight\.data must contain finite numbers only, got inf"),
        (
            coo_matrix(([1e308, 1e308], ([0, 0], [0, 0])), shape=(1, 1)),
            [0.0],
            r"weight\.data must contain finite numbers only, got inf",
        ),
        (csr_array((0, 3)), [], r"at least one row and one column, got \(0, 3\)"),
        ([[1.0]], [0.0, 1.0], r"bias must have shape \(1,\), got \(2,\)"),
    ],
)
def test_a_bad_layer_is_refused_by_name(weight: object, bias: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AffineLayer(weight, bias)


def test_a_csr_array_that_contradicts_itself_is_refused() -> None:
    broken = csr_array(np.eye(2))
    broken.indices[0] = 5
    with pytest.raises(ValueError, match="ind"):
        AffineLayer(broken, [0.0, 0.0])


# Counts.


def test_depth_counts_affine_maps_and_width_hidden_layers() -> None:
    network = random_network([3, 5, 4, 1], 0)
    assert (network.depth, network.width, network.widths) == (3, 5, (5, 4))
    assert (network.inputs, network.outputs) == (3, 1)
    assert network.parameters == 5 * 4 + 4 * 6 + 1 * 5
    affine = ReLUNetwork([([[1.0, -2.0]], [3.0])])
    assert (affine.depth, affine.width, affine.widths) == (1, 0, ())
    assert affine.largest_weight == 3.0
    assert affine([[1.0, 1.0]]).tolist() == [2.0]
    assert affine.value_and_gradient([[1.0, 1.0]])[1].tolist() == [[1.0, -2.0]]
    with pytest.raises(ValueError, match=r"layers\[0\] has 1 outputs and layers\[1\] has 2 inputs"):
        ReLUNetwork([([[1.0]], [0.0]), ([[1.0, 1.0]], [0.0])])


@given(sizes, seeds)
@settings(deadline=None, max_examples=40)
def test_counts_are_those_of_the_dense_matrices(widths: list[int], seed: int) -> None:
    network = random_network(widths, seed)
    pairs = [(layer.weight.toarray(), layer.bias) for layer in network.layers]
    assert network.nonzeros == sum(np.count_nonzero(W) + np.count_nonzero(b) for W, b in pairs)
    assert network.parameters == sum(W.size + b.size for W, b in pairs)
    assert network.largest_weight == max(max(abs(W).max(), abs(b).max()) for W, b in pairs)


# Values.


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    network = random_network([3, 6, 5, 1], 4)
    X = np.random.default_rng(5).normal(size=(50, 3))
    whole = network(X), *network.value_and_gradient(X)
    for budget in (1, 17, 100):
        monkeypatch.setattr(networks, "_ACTIVATIONS", budget)
        monkeypatch.setattr(networks, "_PATTERNS", budget)
        parts = network(X), *network.value_and_gradient(X)
        assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))


def test_a_batch_holds_no_more_numbers_than_the_budget() -> None:
    network = random_network([3, 6, 5, 1], 4)
    slices = list(network._batches(10**6, networks._ACTIVATIONS, 2353))
    assert all((part.stop - part.start) * 2353 <= networks._ACTIVATIONS for part in slices)
    assert slices[-1].stop == 10**6


def test_float32_rounds_parameters_points_and_steps() -> None:
    network = ReLUNetwork([([[1.0], [1.0]], [0.0, -1.0]), ([[1.0, -1.0]], [0.1])])
    x = np.array([[1.0 + 2.0**-30]])
    value = network(x, np.float32)
    assert value.dtype == np.float32
    assert value[0] == np.float32(1.0) + np.float32(0.1)
    assert network(x)[0] == pytest.approx(1.1, abs=1e-15)
    assert network(x, "float64").dtype == np.float64


def test_a_weight_beyond_float32_becomes_infinite_without_a_warning() -> None:
    network = ReLUNetwork([([[1e300]], [0.0]), ([[1.0]], [0.0])])
    assert network([[1.0]], np.float32)[0] == np.inf


# Gradients.


@given(sizes, seeds)
@settings(deadline=None, max_examples=40)
def test_the_gradient_is_the_slope_of_the_linear_piece(widths: list[int], seed: int) -> None:
    network = random_network([*widths, 1], seed)
    rng = np.random.default_rng(seed + 1)
    X = rng.uniform(-2, 2, (5, widths[0]))
    values, gradients = network.value_and_gradient(X)
    assert (values == network(X)).all()
    step = 1e-7
    for j in range(widths[0]):
        e = np.eye(widths[0])[j] * step
        ahead, behind = network(X + e), network(X - e)
        slopes = ((ahead - values) / step, (values - behind) / step)
        smooth = np.isclose(*slopes, atol=1e-4)  # no kink between
        scale = 1 + np.abs(gradients[:, j])
        assert (np.abs(slopes[0] - gradients[:, j]) / scale)[smooth].max(initial=0) < 1e-4


def test_at_a_kink_the_derivative_counts_as_zero() -> None:
    network = ReLUNetwork([([[1.0]], [0.0]), ([[1.0]], [0.0])])
    values, gradients = network.value_and_gradient([[-1.0], [0.0], [1.0]])
    assert values.tolist() == [0, 0, 1]
    assert gradients.tolist() == [[0], [0], [1]]


def test_tasks_for_one_output_refuse_several() -> None:
    network = random_network([2, 3], 0)
    with pytest.raises(ValueError, match="value_and_gradient needs a network with 1 output"):
        network.value_and_gradient([[0.0, 0.0]])
    with pytest.raises(ValueError, match="exactly needs a network with 1 output"):
        network.exactly([0, 0])


# Exact values.

rationals = st.fractions(min_value=-100, max_value=100, max_denominator=1000)


@given(sizes, seeds, st.lists(rationals, min_size=6, max_size=6), st.sampled_from([1, 7, 8, 10]))
@settings(deadline=None, max_examples=60)
def test_values_are_those_of_fractions(
    widths: list[int], seed: int, x: list[Fraction], grid: int
) -> None:
    network = random_network([*widths, 1], seed, grid)
    found = network.exactly(x[: widths[0]])
    assert isinstance(found, Fraction)
    assert [found] == in_fractions(network, x[: widths[0]])
    # Sums of multiples of a power of two are not rounded.
    network = random_network(widths, seed)
    X = np.random.default_rng(seed + 1).integers(-16, 17, (seed % 4, widths[0])) / 8
    values = network(X)
    assert values.dtype == np.float64
    assert values.shape == ((len(X),) if widths[-1] == 1 else (len(X), widths[-1]))
    for point, value in zip(X.tolist(), values, strict=True):
        wanted = in_fractions(network, [Fraction(v) for v in point])
        assert np.atleast_1d(value).tolist() == wanted


def test_exact_values_hold_the_largest_and_the_smallest_numbers() -> None:
    tiny, huge = 5e-324, 1.7e308
    network = ReLUNetwork([([[huge, tiny], [tiny, 1.0]], [tiny, -huge]), ([[1.0, huge]], [tiny])])
    x = [Fraction(1, 3), 10**400]
    assert [network.exactly(x)] == in_fractions(network, [Fraction(v) for v in x])


def test_exact_values_take_numbers_of_every_kind() -> None:
    network = ReLUNetwork([([[1.0, 1.0, 1.0, 1.0]], [0.0])])
    x = [0.1, 1, Fraction(1, 3), np.float64(0.2)]
    assert network.exactly(x) == sum(Fraction(v) for v in (0.1, 1, Fraction(1, 3), 0.2))
    assert network.exactly(np.array([1, 2, 3, 4])) == 10
    assert network.exactly(np.float32([1, 2, 3, 0.5])) == Fraction(13, 2)


# Files.


def same(a: ReLUNetwork, b: ReLUNetwork) -> bool:
    return a.depth == b.depth and all(
        np.array_equal(s.weight.toarray(), t.weight.toarray()) and np.array_equal(s.bias, t.bias)
        for s, t in zip(a.layers, b.layers, strict=True)
    )


def shared_network() -> ReLUNetwork:
    square = AffineLayer([[0.1, 0.0], [-2.0, 1e-300]], [0.5, 0.0])
    zero = AffineLayer(np.zeros((1, 2)), [-0.0])
    return ReLUNetwork([square, AffineLayer(square.weight, [1.0, 2.0]), square, zero])


def test_a_network_comes_back_bit_for_bit_with_its_matrices_shared(tmp_path: Path) -> None:
    network = shared_network()
    network.save(tmp_path / "net.npz")
    back = ReLUNetwork.load(tmp_path / "net.npz")
    assert same(network, back)
    assert back.layers[0].weight is back.layers[1].weight is back.layers[2].weight
    assert not back.layers[0].weight.data.flags.writeable
    assert list(tmp_path.iterdir()) == [tmp_path / "net.npz"]


def test_a_network_survives_pickling() -> None:
    network = shared_network()
    back = pickle.loads(pickle.dumps(network))
    assert same(network, back)
    assert not back.layers[0].bias.flags.writeable


def _rewritten(path: Path, **changes: object) -> None:
    with np.load(path) as archive:
        contents = {key: archive[key] for key in archive.files}
    contents.update(changes)
    np.savez(path, **{key: value for key, value in contents.items() if value is not None})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": np.array("other")}, r"not written by ReLUNetwork\.save"),
        ({"version": np.array(99)}, "version 99 of the format"),
        ({"data": None}, "the entry 'data' is missing"),
        ({"indices": np.array([0, 0, 9])}, "make no network"),
        ({"data": np.array([np.nan, 1.0, 1.0])}, "make no network: .*finite"),
        ({"biases": np.zeros(99)}, "more numbers than the shapes ask for"),
        ({"biases": np.zeros(3)}, "make no network"),
        ({"indices": np.array([0.5, 0.0, 1.0])}, "indices must be a vector of integers"),
        ({"sizes": np.array([3])}, "equally many matrices"),
        ({"shapes": np.array([[2, 2], [-1, 2]])}, "pairs of positive integers"),
        ({"weight_of_layer": np.array([0, 0, 0, 5])}, "make no network: weight_of_layer"),
        ({"weight_of_layer": np.array([0, 1, 0, 1])}, "make no network"),
    ],
)
def test_a_file_that_holds_no_network_is_refused_by_name(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    path = tmp_path / "net.npz"
    shared_network().save(path)
    _rewritten(path, **changes)
    with pytest.raises(ValueError, match=rf"cannot load a network from .*net\.npz.*{message}"):
        ReLUNetwork.load(path)

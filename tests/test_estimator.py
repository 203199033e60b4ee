"""The classifier keeps scikit-learn's rules, and trains what the library trains."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.utils.estimator_checks import parametrize_with_checks

from sublinear_lib import adversary, estimator
from sublinear_lib.estimator import SublinearAdversarialClassifier

RULES = parametrize_with_checks([SublinearAdversarialClassifier(n_neurons=256, n_steps=40)])
# scikit-learn 1.6 gives pytest a generator, which pytest 9 warns of.
NAMES, CASES = RULES.args[0], list(RULES.args[1])


@pytest.mark.parametrize(NAMES, CASES, **RULES.kwargs)
def test_it_keeps_the_rules_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:300], y[:300], X[300:], y[300:]


def small(**parameters):
    return SublinearAdversarialClassifier(**{"n_neurons": 256, "n_steps": 40, **parameters})


def test_it_learns_and_its_parts_can_be_asked(cancer):
    X, y, X_test, y_test = cancer
    model = small(n_steps=100).fit(X, y)
    assert model.score(X_test, y_test) > 0.9
    assert model.network_.d == X.shape[1] + 2
    assert len(model.history_.loss) == 100
    assert model.history_.loss[-1] < model.history_.loss[0]
    scores = model.decision_function(X_test)
    assert_array_equal(model.predict(X_test), model.classes_[(scores > 0).astype(int)])
    assert isinstance(model._adversary(), adversary.SmoothedGradient), "sees the jump"


def test_the_points_lie_on_the_slice_and_keep_the_length_of_a_vector(cancer):
    X, y, *_ = cancer
    model = small(n_steps=1).fit(X, y)

    def on_slice(features):
        return estimator._points(features, model.mean_, model.scale_)

    points = on_slice(X)
    assert_allclose(np.linalg.norm(points, axis=1), 1.0, atol=1e-12)
    assert (points[:, -1] == 0.5).all()
    model.fit(np.column_stack((X, np.full(len(X), 0.1))), y)
    assert model.scale_[-1] == 1.0, "a constant feature is only centered"
    mean = on_slice(model.mean_[None])[0]
    assert_allclose(mean[:-2], 0.0, atol=1e-12)
    farther = on_slice(model.mean_ + np.outer([1.0, 2.0], model.scale_))
    assert np.linalg.norm(farther[1] - mean) > np.linalg.norm(farther[0] - mean) > 0.1


def test_the_same_seed_gives_the_same_bits_and_another_one_does_not(cancer):
    X, y, X_test, _ = cancer
    one, same, other = (small(random_state=seed).fit(X, y) for seed in (3, 3, 4))
    assert_array_equal(one.decision_function(X_test), same.decision_function(X_test))
    assert not np.array_equal(one.network_.W, other.network_.W)
    fresh = [small(random_state=None, n_steps=1).fit(X, y).network_.W for _ in range(2)]
    assert not np.array_equal(*fresh)


def test_an_adversary_can_be_given_as_an_object(cancer):
    X, y, *_ = cancer
    attack = adversary.IdentityAdversary()
    given = small(attack=attack).fit(X, y)
    named = small(attack="projected", rho=0.0).fit(X, y)
    assert_allclose(given.network_.W, named.network_.W, rtol=0, atol=1e-12)
    assert clone(given).attack == attack


def test_bad_parameters_are_named_when_it_is_fitted(cancer):
    X, y, *_ = cancer
    attack = "attack must be 'smoothed', 'projected' or an adversary"
    for name, value, message in (
        ("activity", 0.9, "p must|activity"),
        ("n_neurons", 0, "m must"),
        ("rho", -1.0, "rho must"),
        ("attack", "strong", attack),
        ("eta", "guess", "eta must"),
        ("n_steps", 0, "steps must"),
    ):
        with pytest.raises(ValueError, match=message):
            small(**{name: value}).fit(X, y)


def test_a_refused_fit_leaves_the_model_as_it_was(cancer):
    X, y, X_test, _ = cancer
    model = small(n_steps=1).fit(X, y)
    before = model.decision_function(X_test)
    with pytest.raises(ValueError, match="p must"):
        model.set_params(activity=0.9).fit(3.0 * X + 1.0, 1 - y)
    assert_array_equal(model.decision_function(X_test), before)

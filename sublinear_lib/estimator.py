"""Algorithm 1 as a scikit-learn classifier, to be put into a pipeline or a grid search.

The paper trains on points of the slice X with labels of absolute value at most 1 (Definition 3.7).
Feature vectors have to be mapped there first; the map is part of the model:

1. every feature is centered and divided by its standard deviation on the training data (a constant
   feature is only centered);
2. one constant coordinate, ``sqrt(p)`` for p features, is appended, so that a vector keeps its
   length as an angle and the mean of the data has a direction too;
3. the result is divided by its norm, multiplied by ``sqrt(3)/2``, and the coordinate 1/2 appended.

So p features give points of X in ``d = p + 2`` dimensions, and the radius `rho` is a chord length
*there*, not a distance of features.  Know before changing the map: a saved model is only as good as
the map it was trained with, which is why the statistics of the training data are attributes.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from sublinear_lib import scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import Adversary, ProjectedGradient, SmoothedGradient
from sublinear_lib.datasets import SliceMap
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.tables import lifted
from sublinear_lib.training import SublinearAdversarialTraining

__all__ = ["SublinearAdversarialClassifier"]


class SublinearAdversarialClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A two-layer network with few active neurons, trained against an adversary.

    Parameters
    ----------
    n_neurons : int, default 2048
        Width m of the network, ``>= 1``.
    activity : float, default 0.05
        Share of the neurons that fire at an input when training starts, in (0, 1/2]; it sets the
        threshold tau.
    rho : float, default 0.1
        Radius of the adversary's caps, a chord length on X, ``>= 0``.
    n_steps : int, default 200
        Steps of Algorithm 1, ``>= 1``.
    attack : {"smoothed", "projected"} or Adversary, default "smoothed"
        The adversary to train against; an object brings a radius of its own.
    attack_steps : int, default 5
        Steps of the adversary, ``>= 1``; not used with an object.
    activation : {"jump", "continuous"}, default "jump"
        The form of the shifted ReLU.
    loss : str, default "huber"
        The name of a loss of Definition 3.2.
    eta : float or str, default "auto"
        Step size, or the name of a rule of :mod:`sublinear_lib.training`.
    index : str, default "auto"
        How neurons are found; see `SublinearAdversarialTraining`.
    random_state : int, Generator, SeedSequence or None, default 0
        Source of randomness of the initial weights and the adversary; ``None`` takes a new seed
        from the operating system at every fit.

    Attributes
    ----------
    classes_ : ndarray, shape (2,)
        The class labels, sorted; the second one is the positive one.
    n_features_in_ : int
        Number of features p.
    mean_, scale_ : ndarray of float64, shape (p,)
        What the features are centered and divided by.
    network_ : TwoLayerNetwork
        The trained network, ``d = p + 2``.
    history_ : History
        What happened in training.

    Raises
    ------
    TypeError, ValueError
        At `fit`, if a parameter or the data are of the wrong type, shape or value.

    Notes
    -----
    Two classes.  Source: Algorithm 1; the map to X is described in the text of the module.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SublinearAdversarialClassifier(n_neurons=512, n_steps=100).fit(X[:400], y[:400])
    >>> bool(model.score(X[400:], y[400:]) > 0.9)
    True
    """

    def __init__(
        self,
        *,
        n_neurons: int = 2048,
        activity: float = 0.05,
        rho: float = 0.1,
        n_steps: int = 200,
        attack: Any = "smoothed",
        attack_steps: int = 5,
        activation: str = "jump",
        loss: str = "huber",
        eta: Any = "auto",
        index: Any = "auto",
        random_state: Any = 0,
    ) -> None:
        self.n_neurons = n_neurons
        self.activity = activity
        self.rho = rho
        self.n_steps = n_steps
        self.attack = attack
        self.attack_steps = attack_steps
        self.activation = activation
        self.loss = loss
        self.eta = eta
        self.index = index
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Say that there are two classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: object, y: object) -> SublinearAdversarialClassifier:
        """Train the network.

        Parameters
        ----------
        X : array-like, shape (n, p)
            Feature vectors, finite.
        y : array-like, shape (n,)
            Labels of two classes.

        Returns
        -------
        SublinearAdversarialClassifier
            This object.

        Raises
        ------
        TypeError, ValueError
            If a parameter or the data are of the wrong type, shape or value.  What an earlier fit
            has learned is kept.
        TrainingDiverged
            If training diverges.
        KeyboardInterrupt
            After Ctrl-C.  What an earlier fit has learned is kept.
        """
        features, labels = validate_data(self, X, y, dtype=np.float64)
        kind = type_of_target(labels, input_name="y", raise_unknown=True)
        if kind != "binary":
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{kind}: y must have two classes."
            )
        classes, index = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"y must have two classes, got one class: {classes[0]!r}")
        plain = SliceMap.fit(features, scale=True)
        generator = np.random.default_rng(self.random_state)
        tau = scaling.threshold_from_activity(self.activity, self.n_neurons)
        points = _points(features, plain.center, plain.scale)
        start = TwoLayerNetwork.initialize(
            self.n_neurons, points.shape[1], rng=generator, tau=tau, activation=self.activation
        )
        trainer = SublinearAdversarialTraining(
            adversary=self._adversary(),
            loss=self.loss,
            eta=self.eta,
            steps=self.n_steps,
            index=self.index,
        )
        history = trainer.fit(start, points, 2.0 * index - 1.0, rng=generator)
        self.classes_, self.mean_, self.scale_ = classes, plain.center, plain.scale
        self.history_, self.network_ = history, history.final
        return self

    def decision_function(self, X: object) -> FloatArray:
        """Return the output of the network."""
        check_is_fitted(self)
        features = validate_data(self, X, dtype=np.float64, reset=False)
        return self.network_.forward(_points(features, self.mean_, self.scale_))

    def predict(self, X: object) -> Any:
        """Return the class of each feature vector.

        Parameters
        ----------
        X : array-like, shape (n, p)
            Feature vectors, finite.

        Returns
        -------
        ndarray, shape (n,)
            Labels; an output of exactly 0 gives the first class.

        Raises
        ------
        TypeError, ValueError
            If `X` is of the wrong type, shape or value.
        """
        positive = self.decision_function(X) > 0.0
        return self.classes_[positive.astype(np.intp)]

    def _adversary(self) -> Adversary:
        if self.attack == "smoothed":
            return SmoothedGradient.of_few_steps(self.rho, self.attack_steps)
        if self.attack == "projected":
            return ProjectedGradient(rho=self.rho, steps=self.attack_steps)
        if isinstance(self.attack, str):
            raise ValueError(
                f"attack must be 'smoothed', 'projected' or an adversary, got {self.attack!r}"
            )
        return cast(Adversary, self.attack)


def _points(features: FloatArray, mean: FloatArray, scale: FloatArray) -> FloatArray:
    """Map feature vectors to X, as the text of the module says."""
    rows = lifted((features - mean) / scale)
    plain = SliceMap(np.zeros(rows.shape[1]), np.ones(rows.shape[1]))
    return plain.transform(rows)

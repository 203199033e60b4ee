r"""Data, networks of features and intervals over seeds, for the claims of Part III.

Before changing it, know how what is only measured is decided: by intervals over seeds, the same in
both budgets, and the quick one, which has few seeds, sets aside what they cannot decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.claims import Budget, Outcome, Role
from sublinear_lib.claims.collector import Collector, Rng
from sublinear_lib.features import (
    FeatureData,
    FeatureRun,
    PatchData,
    PatchNetwork,
    SmoothedReLU,
    TrainingAttack,
    TrainingSettings,
    recursion,
    training,
)
from sublinear_lib.statistics import Interval, clopper_pearson, t_interval

TEST = 0.52  # the test budget of the book, inside the window of the main configuration
MAIN = TrainingAttack(eps=0.9, rate=300.0)
STANDARD = TrainingSettings(steps=800)  # after 400 some classes have not begun
ADVERSARIAL = TrainingSettings(attack=MAIN)


class Seeds:
    """Notes what is measured over seeds; both budgets ask for the same."""

    def __init__(self, look: Collector, budget: Budget) -> None:
        self._look, self._budget = look, budget

    def interval(
        self, what: str, found: Interval | float, limit: float, *, below: bool = False
    ) -> None:
        """Note on which side of a number an interval over seeds lies.

        An interval that contains the number decides nothing, nor does a mean without one.  Then the
        full budget leaves the verdict open; the quick one, which has few seeds, sets the clause
        aside.
        """
        holds = fails = False
        if isinstance(found, Interval):
            left, right = found.upper <= limit, found.lower >= limit
            holds, fails = (left, right) if below else (right, left)
        outcome = Outcome.YES if holds else Outcome.NO if fails else Outcome.OPEN
        asked, role = f"interval {'below' if below else 'above'} {limit:g}", Role.STATEMENT
        if outcome is Outcome.OPEN and self._budget is Budget.QUICK:
            asked, role = f"{asked}; these seeds are too few, the full budget has more", Role.ASIDE
        self._look.on(role).simulated(what).note(outcome, found, asked)

    def share(self, what: str, yes: int, of: int, limit: float) -> None:
        """Note whether something happens in a larger share than a number."""
        self.interval(f"{what}: {yes} of {of}", clopper_pearson(yes, of, 0.95), limit)

    def most(self, what: str, outcomes: Sequence[bool]) -> None:
        """Note whether something happens in more than half of the seeds."""
        yes, of = sum(outcomes), len(outcomes)
        self.interval(f"{what}: {yes} of {of} seeds", clopper_pearson(yes, of, 0.95), 0.5)

    def shares(self, what: str, values: Sequence[float], limit: float) -> None:
        """Note whether the mean of shares over seeds is above a number."""
        mean = t_interval(values, 0.95)
        found = Interval(mean.estimate, max(0.0, mean.lower), min(1.0, mean.upper), 0.95)
        self.interval(f"{what}, {len(values)} seeds", found, limit)

    def average(
        self, what: str, values: Sequence[float], limit: float, *, below: bool = False
    ) -> None:
        """Note whether the mean over seeds is on one side of a number."""
        text = f"{what}, {len(values)} {'seed' if len(values) == 1 else 'seeds'}"
        found = t_interval(values, 0.95) if len(values) > 2 else float(np.mean(values))
        self.interval(text, found, limit, below=below)


def exact_act(z: Fraction, q: int, rho: Fraction) -> Fraction:
    """Return the smoothed ReLU in exact arithmetic."""
    if z <= 0:
        return Fraction(0)
    return z**q / (q * rho ** (q - 1)) if z <= rho else z - rho * Fraction(q - 1, q)


def exact_logits(network: PatchNetwork, x: FloatArray) -> list[Fraction]:
    """Evaluate a network with a smoothed ReLU of whole exponent at one input."""
    act = network.activation
    assert isinstance(act, SmoothedReLU) and isinstance(act.q, int)
    q, rho = act.q, Fraction(act.rho)
    rows = [[(d, Fraction(v)) for d, v in enumerate(row) if v] for row in x.tolist()]

    def filtered(w: list[float]) -> Fraction:
        values = [Fraction(value) for value in w]
        scores = (sum((values[d] * v for d, v in row), Fraction(0)) for row in rows)
        return sum((exact_act(z, q, rho) for z in scores), Fraction(0))

    return [sum(map(filtered, block), Fraction(0)) for block in network.weights.tolist()]


def drawn_law(rng: Rng, jitter: float = 0.0) -> FeatureData:
    """Draw data without noise: strengths, numbers of patches and classes."""
    k = int(rng.integers(2, 5))
    return FeatureData(
        classes=k,
        dim=2 * k + 1,
        robust_patches=int(rng.integers(1, 4)),
        nonrobust_patches=int(rng.integers(1, 21)),
        alpha=int(rng.integers(8, 33)) / 8,
        beta=int(rng.integers(2, 17)) / 8,
        jitter=jitter,
        noise=0.0,
    )


def drawn_act(rng: Rng) -> SmoothedReLU:
    """Draw a smoothed ReLU of whole exponent."""
    return SmoothedReLU(int(rng.integers(2, 5)), int(rng.integers(1, 33)) / 8)


def relative(found: FloatArray, wanted: FloatArray) -> float:
    """Return the largest distance, over the largest size."""
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def kappas(law: FeatureData, chosen: TrainingSettings) -> tuple[float, float]:
    """Return the growth rates of the polynomial stage, as the statement has them."""
    act = chosen.activation
    assert isinstance(act, SmoothedReLU)
    common = chosen.rate / law.classes * (1 - 1 / law.classes) / act.rho ** (act.q - 1)
    patches, strengths = (law.robust_patches, law.nonrobust_patches), (law.alpha, law.beta)
    u, v = (common * p * s**act.q for p, s in zip(patches, strengths, strict=True))
    return u, v


def train(settings: TrainingSettings, rng: Rng) -> FeatureRun:
    """Train on the main configuration."""
    return training.train_features(FeatureData(), settings, rng)


def fitted(network: PatchNetwork, drawn: PatchData, chosen: TrainingSettings) -> PatchNetwork:
    """Train a network on given data."""
    return training.fit(
        network,
        drawn.X,
        drawn.y,
        rate=chosen.rate,
        steps=chosen.steps,
        attack=chosen.attack,
    )[0]


def from_recursion(chosen: TrainingSettings, rng: Rng) -> float:
    """Train on clean data, and return how far the features end from the recursion, relatively."""
    law = FeatureData(noise=0.0, jitter=0.0)
    A0, B0 = rng.uniform(0.02, 0.2, (2, 3, 4))
    trained = fitted(PatchNetwork.of_features(law, A0, B0), law.sample(6, rng), chosen)
    path = recursion.feature_recursion(law, chosen, A0, B0, coupled=chosen.attack is not None)
    ends = zip(trained.alignments(law), (path.A[-1], path.B[-1]), strict=True)
    return max(relative(a, b) for a, b in ends)


def trained_runs(
    chosen: TrainingSettings, runs: int, rng: Rng
) -> tuple[list[FeatureRun], FloatArray, FloatArray]:
    """Train several times; return the runs, and the features in their first filters."""
    done = [train(chosen, rng) for _ in range(runs)]
    starts = [run.initial.alignments(run.data.law) for run in done]
    A0, B0 = (np.concatenate(each) for each in zip(*starts, strict=True))
    return done, A0, B0

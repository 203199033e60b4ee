"""Measure what few active neurons cost in accuracy, and what the adversary in training buys.

Digits 3 against 8 (d = 65), networks of 2000 neurons.  For every activity from 50 % down to 1 %,
for both forms of the shifted ReLU, the same network is trained on the clean images, against plain
projected gradients, and against smoothed ones.  All three are tested clean and under both attacks,
stronger than in training; some test images are certified on smaller caps.

Every draw is another split of the images and another initial network, the same for all activities,
activations and trainings.  The stored file, written by ``python -m benchmarks.digits_robustness
--jobs 2``, has no times and no date in it and is the same, byte for byte, for any number of
workers.
"""

from __future__ import annotations

import argparse
import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.feature_learning import groups, triple, versions
from sublinear_lib import archives, datasets, scaling, statistics
from sublinear_lib.adversary import (
    Adversary,
    IdentityAdversary,
    ProjectedGradient,
    SmoothedGradient,
    accuracy,
    accuracy_under_attack,
    certified_accuracy,
)
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import StableStep, SublinearAdversarialTraining

QUESTION = "Accuracy on digits 3 against 8, clean, attacked and certified, at every activity?"
DATA = "digits-3v8"
TEST_SHARE = 157 / 357
ACTIVITIES = (0.5, 0.25, 0.1, 0.05, 0.02, 0.01)
ACTIVATIONS = ("jump", "continuous")
# At half activity tau is 0, where the two forms are one function.
BOTH = "both"
RADIUS = 0.2
CERTIFIED_RADIUS = 0.1
C0 = 0.7
SEED = 2026
TRAINERS: dict[str, Adversary] = {
    "standard": IdentityAdversary(),
    "plain": ProjectedGradient(rho=RADIUS, steps=5, relative_step=0.5),
    "smoothed": SmoothedGradient(rho=RADIUS, steps=5, relative_step=0.5, restarts=1),
}
TESTS: dict[str, Adversary] = {
    "plain": ProjectedGradient(rho=RADIUS, steps=40, relative_step=0.25, restarts=3),
    "smoothed": SmoothedGradient(rho=RADIUS, steps=40, relative_step=0.25, restarts=1),
}
CERTIFIED = ("standard", "smoothed")
MEASURES = ("clean", "plain", "smoothed", "certified", "not_falsified", "fires", "drift")


def cell(
    network: tuple[str, float],
    draw: int,
    rng: np.random.Generator,
    *,
    m: int = 2000,
    steps: int = 150,
    certify: int = 24,
) -> dict[str, float]:
    """Train one network, given by activation and activity, in three ways; test what comes out.

    All randomness comes from the number of the draw, not from `rng`, so that the cells of one draw
    share images, initial weights and random starts.
    """
    activation, activity = network
    root = np.random.SeedSequence(SEED, spawn_key=(draw,))
    split, weights, training, testing, proving = root.spawn(5)
    train, test = datasets.load_split(DATA, TEST_SHARE, np.random.default_rng(split))
    start = TwoLayerNetwork.initialize(
        m,
        train.d,
        rng=np.random.default_rng(weights),
        tau=scaling.threshold_from_activity(activity, m),
        activation="jump" if activation == BOTH else activation,
    )
    found: dict[str, float] = {}
    for name, adversary in TRAINERS.items():
        history = SublinearAdversarialTraining(
            adversary=adversary, eta=StableStep(c0=C0), steps=steps, index="auto"
        ).fit(start, train.X, train.y, rng=np.random.default_rng(training))
        trained = history.final
        measured = {
            "loss": float(history.loss[-1]),
            "fires": float(history.activity_mean[-1]),
            # In units of the standard deviation of an initial weight.
            "drift": float(history.drift_max[-1] * m**0.5),
            "clean": accuracy(trained, test.X, test.y),
        }
        for attack, strong in TESTS.items():
            measured[attack] = accuracy_under_attack(
                trained, test.X, test.y, strong, np.random.default_rng(testing)
            )
        if name in CERTIFIED:
            bounds = certified_accuracy(
                trained,
                test.X[:certify],
                test.y[:certify],
                CERTIFIED_RADIUS,
                method="relaxation",
                rng=np.random.default_rng(proving),
            )
            measured.update(certified=bounds.certified, not_falsified=bounds.attacked)
        found.update({f"{name}_{key}": value for key, value in measured.items()})
    return found


def networks(activities: Sequence[float]) -> list[tuple[str, float]]:
    """Return the networks to train: activation and activity."""
    sparse = [(form, p) for form in ACTIVATIONS for p in activities if p != 0.5]
    return [(BOTH, p) for p in activities if p == 0.5] + sparse


def table(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row per activation, activity and training: means with their intervals."""
    rows = []
    for key, here in groups(records, "activation", "activity"):
        for trained in TRAINERS:
            found = {
                measure: triple(statistics.t_interval([each[name] for each in here]))
                for measure in MEASURES
                if (name := f"{trained}_{measure}") in here[0]
            }
            rows.append({**key, "trained": trained, **found})
    return rows


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Run the study and write its result."""
    parser = argparse.ArgumentParser(description=QUESTION)
    parser.add_argument("--m", type=int, default=2000)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--certify", type=int, default=24, help="test images to certify")
    parser.add_argument("--activities", type=float, nargs="+", default=list(ACTIVITIES))
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    stored = Path(__file__).parent / "results" / "digits_robustness.json"
    parser.add_argument("--output", type=Path, default=stored)
    options = parser.parse_args(arguments)
    if options.draws < 2:
        parser.error(f"--draws must be 2 or more for an interval, got {options.draws}")
    train, test = datasets.load_split(DATA, TEST_SHARE, 0)
    sizes = {"m": options.m, "steps": options.steps, "certify": options.certify}
    records = statistics.sweep(
        functools.partial(cell, **sizes),
        {"network": networks(options.activities), "draw": list(range(options.draws))},
        seeds=1,
        root_seed=SEED,
        n_jobs=options.jobs,
    )
    records = [
        {"activation": record["network"][0], "activity": record["network"][1]}
        | {name: value for name, value in record.items() if name not in ("network", "seed")}
        for record in records
    ]
    report: dict[str, Any] = {
        "question": QUESTION,
        "versions": versions(),
        "settings": {
            "data": DATA,
            "train": train.n,
            "test": test.n,
            **sizes,
            "draws": options.draws,
            "seed": SEED,
            "rho": RADIUS,
            "certified_rho": CERTIFIED_RADIUS,
            "eta": f"c0 = {C0} of StableStep",
            "loss": "huber",
            "training": {name: repr(adversary) for name, adversary in TRAINERS.items()},
            "tests": {name: repr(adversary) for name, adversary in TESTS.items()},
            "certificate": "relaxation",
            "interval": "Student's t over the draws, 95 %",
        },
        "table": table(records),
        "records": records,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    archives.write_bytes(options.output, (json.dumps(report, indent=1) + "\n").encode())
    for row in report["table"]:
        ends = {name: value for name, value in row.items() if isinstance(value, list)}
        shown = (f"{name} {mean:.3f} [{a:.3f}, {b:.3f}]" for name, (mean, a, b) in ends.items())
        print(row["activation"], f"{row['activity']:.0%}", row["trained"], *shown)
    return report


if __name__ == "__main__":
    main()

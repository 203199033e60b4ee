"""One run of ``sublinear train``: data, network, training, and the files that are left behind.

A run is a frozen set of numbers and names (`TrainingRun`); `execute` does what Algorithm 1 does
with them.  With a folder it also writes its settings, checkpoints on the way, and at the end the
network, the history and a picture.  Started again with the same settings, it goes on where it
stopped.  Know before adding a setting: a folder belongs to one set of settings, and a run with
others is refused.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sublinear_lib import datasets, scaling, validation
from sublinear_lib.adversary import (
    Adversary,
    IdentityAdversary,
    ProjectedGradient,
    SmoothedGradient,
    accuracy,
    accuracy_under_attack,
)
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import History, SublinearAdversarialTraining

__all__ = ["ADVERSARIES", "RunReport", "TrainingRun"]

ADVERSARIES = ("smoothed", "projected", "identity")
"""The adversaries to train against, by name."""

_SETTINGS = "settings.json"


@dataclass(frozen=True, kw_only=True)
class TrainingRun:
    """What a run does.

    Parameters
    ----------
    data : str, default "digits-3v8"
        A data set of :func:`sublinear_lib.datasets.load_split`.
    m : int, default 4096
        Width of the network, ``>= 1``.
    activity : float, default 0.02
        Share of the neurons that fire at an input at initialization, in (0, 1/2].
    rho : float, default 0.2
        Radius of the caps in training and in testing, ``>= 0``.
    steps : int, default 200
        Steps of Algorithm 1, ``>= 1``.  The only setting that a resumed run may change.
    adversary : {"smoothed", "projected", "identity"}, default "smoothed"
        The adversary to train against.
    attack_steps : int, default 5
        Its steps, ``>= 1``.
    activation : {"jump", "continuous"}, default "jump"
        Form of the shifted ReLU.
    loss : str, default "huber"
        Name of a loss of Definition 3.2.
    eta : str, default "auto"
        Name of a rule for the step size, or a number.
    index : str, default "query"
        How neurons are found.
    test_fraction : float, default 0.25
        Share of the data that is kept for testing, in (0, 1).
    seed : int, default 0
        Seed of the split, the initial weights and the adversary.

    Raises
    ------
    TypeError, ValueError
        When executed, if a setting is of the wrong type or value.
    """

    data: str = "digits-3v8"
    m: int = 4096
    activity: float = 0.02
    rho: float = 0.2
    steps: int = 200
    adversary: str = "smoothed"
    attack_steps: int = 5
    activation: str = "jump"
    loss: str = "huber"
    eta: str = "auto"
    index: str = "query"
    test_fraction: float = 0.25
    seed: int = 0

    def execute(
        self,
        out: Path | None = None,
        *,
        progress: bool = True,
        say: Callable[[str], object] = lambda text: None,
    ) -> RunReport:
        """Train, test and, with a folder, store.

        Parameters
        ----------
        out : Path, optional
            The folder; made if it does not exist.
        progress : bool, default True
            Whether to show a progress bar.
        say : callable, optional
            Called with a sentence now and then.

        Returns
        -------
        RunReport
            What came out.

        Raises
        ------
        TypeError, ValueError
            If a setting is of the wrong type or value, or the folder belongs to another run.
        """
        split, weights, stream, attack = np.random.SeedSequence(self.seed).spawn(4)
        train, test = datasets.load_split(
            self.data, self.test_fraction, np.random.default_rng(split)
        )
        tau = scaling.threshold_from_activity(self.activity, self.m)
        start = TwoLayerNetwork.initialize(
            self.m,
            train.d,
            rng=np.random.default_rng(weights),
            tau=tau,
            activation=self.activation,
        )
        trainer = SublinearAdversarialTraining(
            adversary=self._adversary(),
            loss=self.loss,
            eta=_number_or_name(self.eta),
            steps=self.steps,
            index=validation.choice(
                self.index, "index", ("query", "scan", "tree", "lists", "auto", "literal")
            ),
            progress=progress,
        )
        checkpoint = None if out is None else self._claim(out, say)
        history = trainer.fit(start, train.X, train.y, rng=stream, checkpoint=checkpoint)
        say("testing")
        strong = SmoothedGradient(rho=self.rho, steps=20, restarts=2)
        rows = []
        for name, network in (("before", start), ("after", history.final)):
            clean = accuracy(network, test.X, test.y)
            attacked = accuracy_under_attack(
                network, test.X, test.y, strong, np.random.default_rng(attack)
            )
            rows.append({"network": name, "accuracy": clean, "accuracy under attack": attacked})
        report = RunReport(self, history, tau, train.n, test.n, tuple(rows))
        if out is not None:
            report.store(out)
        return report

    def _adversary(self) -> Adversary:
        name = validation.choice(self.adversary, "adversary", ADVERSARIES)
        if name == "identity":
            return IdentityAdversary()
        if name == "projected":
            return ProjectedGradient(rho=self.rho, steps=self.attack_steps)
        return SmoothedGradient(rho=self.rho, steps=self.attack_steps, restarts=1)

    def _claim(self, out: Path, say: Callable[[str], object]) -> Path:
        """Make sure that the folder is for this run, and return where its checkpoints go."""
        out.mkdir(parents=True, exist_ok=True)
        path = out / _SETTINGS
        mine = {name: value for name, value in asdict(self).items() if name != "steps"}
        if path.exists():
            try:
                stored = json.loads(path.read_text(encoding="utf-8"))
            except json.JSONDecodeError as error:
                raise ValueError(f"out must be the folder of a run, got a broken {path}") from error
            different = sorted(name for name in mine if stored.get(name) != mine[name])
            if different:
                raise ValueError(
                    f"out must be a new folder or one of a run with the same settings, got {out}, "
                    f"whose {', '.join(different)} differ"
                )
        checkpoint = out / "checkpoint.npz"
        if checkpoint.exists():
            say(f"going on from {checkpoint}")
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        return checkpoint


def _number_or_name(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


@dataclass(frozen=True, eq=False)
class RunReport:
    """What came out of a run.

    Parameters
    ----------
    run : TrainingRun
        The settings.
    history : History
        The training.
    tau : float
        The threshold, absolute units.
    n_train, n_test : int
        Numbers of examples.
    tests : tuple of dict
        Accuracies of the network before and after training.
    """

    run: TrainingRun
    history: History
    tau: float
    n_train: int
    n_test: int
    tests: tuple[dict[str, Any], ...]

    def summary(self) -> dict[str, Any]:
        """Return the outcome as numbers and names.

        Returns
        -------
        dict
            Losses, activity, work and accuracies.
        """
        history = self.history
        return {
            "data": self.run.data,
            "training points": self.n_train,
            "test points": self.n_test,
            "threshold tau": self.tau,
            "method": history.method,
            "steps": len(history),
            "step size": history.eta,
            "first loss": float(history.loss[0]),
            "last loss": float(history.loss[-1]),
            "neurons set aside": history.set_aside,
            "mean activity": float(history.activity_mean[-1]),
            "row passes per step, in units of mn": float(
                history.work.mean() / (self.run.m * self.n_train)
            ),
            **{
                f"test {key} {row['network']} training": row[key]
                for row in self.tests
                for key in ("accuracy", "accuracy under attack")
            },
        }

    def store(self, out: Path) -> None:
        """Write network, history and summary into a folder.

        Parameters
        ----------
        out : Path
            The folder, which exists.
        """
        from sublinear_lib import plotting

        self.history.final.save(out / "network.npz")
        if len(self.history) > 1:
            history = self.history
            picture = plotting.training_run(
                history.step,
                history.loss,
                history.clean_loss,
                history.activity_mean,
                name="run",
            )
            (out / "run.png").write_bytes(picture.png)
        columns = self.history.to_dict(seconds=True)
        with (out / "history.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
        text = json.dumps(self.summary(), indent=1)
        (out / "summary.json").write_text(text + "\n", encoding="utf-8")

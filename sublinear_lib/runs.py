"""One run of ``sublinear train``: data, network, training, and the files that are left behind.

A run is a frozen set of numbers and names (`TrainingRun`); `execute` does what Algorithm 1 does
with them.  With a folder it also writes its settings, checkpoints on the way, the network, the
history and a picture when training ends, and a summary when testing has ended.  Started again with
the same settings, it goes on from its last checkpoint.  Know before adding a setting: a folder
belongs to one set of settings, and a run with others is refused.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

import numpy as np

from sublinear_lib import archives, datasets, geometry, scaling, validation
from sublinear_lib._arguments import Count, Positive, Probability, Whole, check_fields, described
from sublinear_lib._extras import no_pictures
from sublinear_lib.activations import get_activation
from sublinear_lib.adversary import (
    Adversary,
    CertifiedAccuracy,
    IdentityAdversary,
    ProjectedGradient,
    SmoothedGradient,
    accuracy,
    accuracy_under_attack,
    certified_accuracy,
)
from sublinear_lib.losses import get_loss
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import (
    STEP_SIZE_RULES,
    History,
    Search,
    SublinearAdversarialTraining,
    TrainingDiverged,
)

__all__ = ["ADVERSARIES", "TrainingRun"]

ADVERSARIES = ("smoothed", "projected", "identity")
"""The adversaries to train against, by name."""

_SETTINGS = "settings.json"
# What a run that goes on may change: how long it trains, and what is found out afterwards.
_FREE = ("steps", "certify", "certify_seconds")


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
        Radius of the caps in training and in testing, in [0, sqrt(3)]; sqrt(3) is the diameter of
        X.
    steps : int, default 200
        Steps of Algorithm 1, ``>= 1``.  A resumed run may change it.
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
    index : str, default "auto"
        How neurons are found; see `SublinearAdversarialTraining`.
    test_fraction : float, default 0.25
        Share of the data that is kept for testing, in (0, 1).
    seed : int, default 0
        Seed of the split, the initial weights and the adversary, ``>= 0``.
    certify : int, default 20
        For how many test examples, from the first, to try to prove that the trained network is
        right all over the cap, ``>= 0``.  A resumed run may change it.
    certify_seconds : float, default 0.5
        Seconds for each of them, ``> 0``, as in :func:`sublinear_lib.adversary.bracket`.  A resumed
        run may change it.

    Raises
    ------
    TypeError, ValueError
        If a setting is of the wrong type or value.
    """

    data: str = "digits-3v8"
    m: Count = 4096
    activity: float = 0.02
    rho: float = 0.2
    steps: Count = 200
    adversary: str = "smoothed"
    attack_steps: Count = 5
    activation: str = "jump"
    loss: str = "huber"
    eta: str = "auto"
    index: str = "auto"
    test_fraction: Probability = 0.25
    seed: Whole = 0
    certify: Whole = 20
    certify_seconds: Positive = 0.5

    def __post_init__(self) -> None:
        """Refuse what no room below would refuse by the name that it has here."""
        try:
            datasets._named(self.data)
        except (TypeError, ValueError) as error:
            raise type(error)(f"data cannot be loaded: {error}") from None
        check_fields(self)
        validation.scalar(self.activity, "activity", exclusive_minimum=0, maximum=0.5)
        validation.scalar(self.rho, "rho", minimum=0, maximum=geometry.SLICE_DIAMETER)
        validation.choice(self.adversary, "adversary", ADVERSARIES)
        get_activation(self.activation)
        get_loss(self.loss)
        rule = _number_or_name(self.eta)
        if isinstance(rule, str):
            validation.choice(rule, "eta", STEP_SIZE_RULES)
        else:
            validation.scalar(rule, "eta", exclusive_minimum=0)
        validation.choice(self.index, "index", get_args(Search))

    @described
    def execute(
        self,
        out: Path | None = None,
        *,
        progress: bool = True,
        say: Callable[[str], object] = lambda text: None,
        callback: Callable[..., object] | None = None,
        on_interrupt: Literal["raise", "return"] = "raise",
    ) -> RunReport:
        """Train, test and, with a folder, store.

        Here `out`: the folder; made if it does not exist; `progress`: whether to show a progress
        bar; `say`: called with a sentence now and then; `callback`: called after each step as by
        ``fit`` of the trainer; `on_interrupt`: what Ctrl-C in training
        does: ``"raise"`` passes it on, ``"return"`` tests and stores what there is after the
        present step, as the command does.

        Raises TypeError, ValueError: if the data cannot be split, a number fits no network, or the
        folder belongs to another run or is no folder of a run.

        Raises OSError: if the folder cannot be made or written.

        Raises TrainingDiverged: if training diverges; with a folder, the history so far is stored.

        Raises KeyboardInterrupt: after Ctrl-C, in training only if `on_interrupt` is ``"raise"`` or
        no step is done.  The same run goes on from its last checkpoint.
        """
        validation.choice(on_interrupt, "on_interrupt", ("raise", "return"))
        split, weights, stream, attack, proof = np.random.SeedSequence(self.seed).spawn(5)
        try:
            train, test = datasets.load_split(
                self.data, self.test_fraction, np.random.default_rng(split)
            )
        except ValueError as error:
            raise ValueError(f"data cannot be loaded: {error}") from error
        tau = scaling.threshold_from_activity(self.activity, self.m)
        start = TwoLayerNetwork.initialize(
            self.m, train.d, rng=np.random.default_rng(weights), tau=tau, activation=self.activation
        )
        trainer = SublinearAdversarialTraining(
            adversary=self._adversary(),
            loss=self.loss,
            eta=_number_or_name(self.eta),
            steps=self.steps,
            index=cast(Search, self.index),
            progress=progress,
        )
        checkpoint = None if out is None else self._claim(out, say)
        try:
            history = trainer.fit(
                start,
                train.X,
                train.y,
                rng=stream,
                checkpoint=checkpoint,
                callback=callback,
                on_interrupt=on_interrupt,
            )
        except TrainingDiverged as error:
            if out is not None:
                _store_history(error.history, out, say)
            raise
        if not len(history):  # which only an interrupt brings about
            raise KeyboardInterrupt
        if out is not None:
            history.final.save(out / "network.npz")
            _store_history(history, out, say)
        say("testing")
        strong, rows = SmoothedGradient(rho=self.rho, steps=20, restarts=2), []
        for name, network in (("before", start), ("after", history.final)):
            clean = accuracy(network, test.X, test.y)
            attacked = accuracy_under_attack(
                network, test.X, test.y, strong, np.random.default_rng(attack), progress=progress
            )
            rows.append({"network": name, "accuracy": clean, "accuracy under attack": attacked})
        proved = None
        if self.certify:
            proved = certified_accuracy(
                history.final,
                test.X[: self.certify],
                test.y[: self.certify],
                self.rho,
                time_limit=self.certify_seconds,
                rng=np.random.default_rng(proof),
                progress=progress,
            )
        warnings = _warnings(history, test)
        report = RunReport(self, history, tau, train.n, test.n, tuple(rows), proved, warnings)
        if out is not None:
            text = json.dumps(report.summary(), indent=1) + "\n"
            archives.write_bytes(out / "summary.json", text.encode())
        return report

    def _adversary(self) -> Adversary:
        if self.adversary == "identity":
            return IdentityAdversary()
        if self.adversary == "projected":
            return ProjectedGradient(rho=self.rho, steps=self.attack_steps)
        return SmoothedGradient.of_few_steps(self.rho, self.attack_steps)

    def _claim(self, out: Path, say: Callable[[str], object]) -> Path:
        """Make sure that the folder is for this run, and return where its checkpoints go."""
        text = json.dumps(asdict(self), indent=1, default=_plain)
        out.mkdir(parents=True, exist_ok=True)
        path = out / _SETTINGS
        mine = {name: value for name, value in asdict(self).items() if name not in _FREE}
        if path.exists():
            stored = _settings(path)
            different = sorted(name for name in mine if stored.get(name) != mine[name])
            if different:
                raise ValueError(
                    f"out must be a new folder or one of a run with the same settings, got {out}, "
                    f"whose {', '.join(different)} differ{'s' if len(different) == 1 else ''}"
                )
        else:
            names = sorted(entry.name for entry in out.iterdir())
            foreign = [name for name in names if not name.startswith(".")]
            if foreign:
                raise ValueError(
                    f"out must be a new or empty folder, or that of a run, got {out}, which holds "
                    f"{foreign[0]!r} and no {_SETTINGS}"
                )
        checkpoint = out / "checkpoint.npz"
        if checkpoint.exists():
            say(f"going on from {checkpoint}")
        archives.write_bytes(path, f"{text}\n".encode())
        return checkpoint


def _plain(value: object) -> object:
    """Return a number of NumPy, which is as good as any, in the form that JSON takes."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a setting must be a number or a text to be stored, got {value!r}")


def _settings(path: Path) -> dict[str, Any]:
    """Read the settings of the run that a folder belongs to."""
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")).items())
    except (AttributeError, ValueError) as error:
        raise ValueError(f"out must be the folder of a run, got a broken {path}") from error


def _warnings(history: History, test: datasets.Dataset) -> tuple[str, ...]:
    """Say what makes the numbers of a run say little."""
    warnings = []
    silent = int((history.final.forward(test.X) == 0.0).sum())
    if silent:
        warnings.append(
            f"after training the output is 0 at {silent} of {test.n} test points, where no "
            "neuron fires; a smaller step size or a larger activity may help"
        )
    if history.loss[-1] > history.loss[0]:
        warnings.append("the loss grew in training; a smaller step size may help")
    return tuple(warnings)


def _store_history(history: History, out: Path, say: Callable[[str], object]) -> None:
    """Write the history into a folder, as a table and, with two steps or more, as a picture."""
    reason = no_pictures()
    if reason:
        say(f"no run.png: {reason}")
    elif len(history) > 1:
        archives.write_bytes(out / "run.png", history.plot(name="run").png)
    columns = history.to_dict(seconds=True)
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    archives.write_bytes(out / "history.csv", table.getvalue().encode())


def _number_or_name(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


@dataclass(frozen=True, eq=False)
class RunReport:
    """What came out of a run.

    The settings, the training, the threshold in absolute units, numbers of examples, accuracies of
    the network before and after training, what is known for certain about the trained one at the
    first test examples, and what makes the numbers say little.
    """

    run: TrainingRun
    history: History
    tau: float
    n_train: int
    n_test: int
    tests: tuple[dict[str, Any], ...]
    proved: CertifiedAccuracy | None
    warnings: tuple[str, ...]

    def summary(self) -> dict[str, Any]:
        """Return the outcome as numbers and names.

        Returns
        -------
        dict
            Losses, activity, work, accuracies, what was proved, and warnings if there are any.
        """
        history, proved, certificates = self.history, self.proved, {}
        if proved is not None:
            certificates = {
                "test points looked at for a proof": len(proved.status),
                "certified right all over the cap": proved.certified,
                "falsified: wrong at a point found": proved.status.count("falsified")
                / len(proved.status),
                "unknown": proved.unknown,
            }
        return {
            "data": self.run.data,
            "training points": self.n_train,
            "test points": self.n_test,
            "threshold tau": self.tau,
            "method": history.method,
            "steps": len(history),
            "stopped": history.stopped or "after the last step",
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
            **certificates,
            **({"warnings": "; ".join(self.warnings)} if self.warnings else {}),
        }

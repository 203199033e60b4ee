r"""A certified report: train on a table as Algorithm 1 does, and say what may be promised.

`make_report` splits the data, chooses the threshold, trains, and then asks three questions of every
held-out row: is it right, does an attack break it inside its cap (Definition 3.3), can it be
*proved* right all over the cap?  The answers come with exact intervals, with the separation of the
data (Definition 3.7), with the work of Algorithm 1, and with what the theorems of the paper are
worth at this width.  Before changing anything, know why no proof has a time limit here: a report
is to have the same bytes for the same seed.  So sums have their canonical order or one thread, and
every bound ends by itself (for d > 3 the optimized relaxation,
:mod:`sublinear_lib.adversary.relaxation`); what it leaves open is called open.  Names come from
outside: `_page` writes each of them as its reader, a page or a terminal, can bear it.
"""

from __future__ import annotations

import json
import math
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from functools import cache, cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sublinear_lib import archives, geometry, scaling, theory, validation
from sublinear_lib._arguments import Count, Flag, Probability, Whole, checked, described
from sublinear_lib._extras import no_pictures
from sublinear_lib._held_out import MULTIPLES, Answer, examine
from sublinear_lib._held_out import Status as _Status
from sublinear_lib._typing import BoolArray
from sublinear_lib.adversary import Adversary, IdentityAdversary, SmoothedGradient
from sublinear_lib.cluster import single_threaded
from sublinear_lib.datasets import Dataset, Separation, separation
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.statistics import Interval, clopper_pearson
from sublinear_lib.tables import Table, covered_shift
from sublinear_lib.theory import regret
from sublinear_lib.training import History, SublinearAdversarialTraining

if TYPE_CHECKING:
    from sublinear_lib.plotting import Picture

__all__ = ["Report", "Status", "make_report", "store_report"]

Status = _Status
"""What is known of a held-out row: wrong at the row itself; broken, a point of its cap is wrong;
certified, every point of its cap is right; open, neither was shown."""

_ATTACK_STEPS = 5
# Theorem D holds for every W*; more rows make the system to be solved slow, not the bound better.
_MOST_FITTED = 500
_FEW = 30


@dataclass(frozen=True)
class Hypothesis:
    """What a statement of the paper needs, and whether a run provides it.

    Where the hypothesis stands, the hypothesis, whether it holds here (None where one width cannot
    decide it), and the numbers of the run.
    """

    statement: str
    needs: str
    holds: bool | None
    found: str


@dataclass(frozen=True)
class RadiusShare:
    """What is known of the held-out rows at one radius of the caps.

    The share that is proved right all over the cap, and the share of which no wrong point is known:
    no smaller than the robust accuracy.
    """

    radius: float
    certified: float
    possible: float


@dataclass(frozen=True, eq=False)
class Report:
    """What was found about a classifier and what can be promised; made by `make_report`.

    Parameters
    ----------
    features : mapping of str to float
        For a table: by how much each feature alone may change inside a cap, in its own unit.
    settings : mapping of str to int, float or str
        What was chosen: m, tau, rho, training_rho, steps, seed, activation, test_fraction.
    separation : Separation
        Distances of the training points, and gamma at rho.
    train, test : Dataset
        The training and the held-out part, on X.
    start : TwoLayerNetwork
        The network before training.
    history : History
        The training; ``history.final`` is the network reported on.
    silent : tuple of two int
        Training points at which no neuron fires, before and after training.
    active : tuple of two float
        Mean share of the neurons that fire at a clean training point, before and after.
    answers : tuple of Answer
        One for each held-out row that was looked at.
    clean, attacked, certified : Interval
        Shares of those rows that are right; right and not broken at rho; certified at rho.
    dense_work : float
        Row passes of the same steps with every neuron.
    bound : RegretBound
        Theorem D on the run at the clean training points, the loss of W* left out.
    """

    features: Mapping[str, float]
    settings: Mapping[str, int | float | str]
    separation: Separation
    train: Dataset
    test: Dataset
    start: TwoLayerNetwork
    history: History
    silent: tuple[int, int]
    active: tuple[float, float]
    answers: tuple[Answer, ...]
    clean: Interval
    attacked: Interval
    certified: Interval
    dense_work: float
    bound: regret.RegretBound

    def __repr__(self) -> str:
        """Return the name and the three shares."""
        return (
            f"Report({self.name!r}: clean {self.clean.estimate:.3f}, "
            f"attacked {self.attacked.estimate:.3f}, certified {self.certified.estimate:.3f})"
        )

    @property
    def name(self) -> str:
        """Name of the data."""
        return self.train.name

    @property
    def network(self) -> TwoLayerNetwork:
        """The trained network."""
        return self.history.final

    @property
    def rho(self) -> float:
        """The radius of the caps in testing."""
        return float(self.settings["rho"])

    @property
    def shares(self) -> dict[str, Interval]:
        """The three shares of the held-out rows by name: clean, attacked, certified."""
        return {"clean": self.clean, "attacked": self.attacked, "certified": self.certified}

    @property
    def unknown(self) -> int:
        """Number of held-out rows that are neither certified nor broken at rho."""
        return sum(answer.status == "open" for answer in self.answers)

    @property
    def caps_meet(self) -> bool:
        """Whether the caps of two training points with different labels have a point in common."""
        opposite = self.separation.opposite_class_delta
        if opposite is None or opposite == math.inf:
            return False
        # For d = 2 a cap is one point or both; else it is all that lies within its angle.
        return self.rho >= geometry.SLICE_DIAMETER or (
            self.train.d > 2 and geometry.cap_angle(opposite) <= 2.0 * geometry.cap_angle(self.rho)
        )

    @cached_property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """What the theorems need."""
        history, m, tau = self.history, self.start.m, self.start.tau
        own, first = theory.printed_K(tau, m), float(history.loss[0])
        q0 = theory.printed_q0(m, own)
        given = {
            "start": self.start,
            "history": history,
            "gap": self.separation,
            "bound": self.bound,
            "scaled": tau * m,
            "K": theory.printed_K(float(history.drift_max.max()), m),
            "own": own,
            "q0": q0,
            "fires": m * scaling.activity(tau, m),
            "step": history.eta * m**0.2,
            "average": float(history.loss.mean()),
            "first": first,
        }
        near, below = self.separation.separable, self.bound.total < first
        holds = (near, tau <= 1.0 / m, None, q0 < m, None, below)
        return tuple(
            Hypothesis(one["statement"], one["needs"], true, _said(one["found"], given))
            for one, true in zip(_texts()["hypotheses"], holds, strict=True)
        )

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a reader has to know before quoting a number."""
        train, test, gap, loss = self.train, self.test, self.separation, self.history.loss
        number, looked, silent = train.n + test.n, len(self.answers), self.silent[0]
        torn, lost, seen = _repeated(train, test)
        larger = max(float((test.y > 0).mean()), float((test.y < 0).mean()))
        both_labels = gap.opposite_class_delta == 0.0
        too_large = self.caps_meet and not both_labels
        applies = {
            "torn": torn > 0,
            "both-labels": both_labels,
            "twins": gap.delta == 0.0 and not both_labels,
            "seen": seen > 0,
            "meet": too_large,
            "close": not too_large and not gap.separable and gap.delta > 0.0,
            "silent": silent == train.n,
            "partly-silent": 0 < silent < train.n,
            "few-training-rows": train.n < _FEW,
            "few-rows": looked < _FEW,
            "nothing-learned": self.clean.lower <= larger,
            "open": self.unknown > 0,
            "not-lowered": len(loss) > 1 and loss[-1] >= loss[0],
        }
        given = {
            "train": train,
            "gap": gap,
            "clean": self.clean,
            "torn": torn,
            "number": number,
            "kept": number - lost,
            "share": 1.0 - lost / number,
            "seen": seen,
            "rows": _many(test.n, "held-out row"),
            "silent": silent,
            "training": _many(train.n, "training row"),
            "looked": _many(looked, "held-out row"),
            "larger": larger,
            "open": self.unknown,
            "answers": looked,
        }
        texts = _texts()["warnings"]
        return tuple(_said(texts[name], given) for name, true in applies.items() if true)

    @property
    def curve(self) -> tuple[RadiusShare, ...]:
        """What is known at each radius, from 0 on, ascending."""
        rho = self.rho
        radii = [0.0, *(c * rho for c in MULTIPLES if c * rho <= geometry.SLICE_DIAMETER)]
        number = len(self.answers)
        return tuple(
            RadiusShare(
                radius,
                sum(answer.certified_to >= radius for answer in self.answers) / number,
                sum(answer.broken_at > radius for answer in self.answers) / number,
            )
            for radius in (radii if rho > 0.0 else radii[:1])
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything but weights as numbers, names and lists, ready for JSON.

        The same for the same arguments on the same machine, with and without compiled kernels and
        for every number of threads; no seconds in it.  A distance is None where there are no two
        points to measure it between.
        """
        history = self.history
        intervals = {
            name: {"share": one.estimate, "lower": one.lower, "upper": one.upper}
            for name, one in self.shares.items()
        }
        gap = self.separation
        return {
            "data": {
                "name": self.name,
                "class -1": self.train.class_names[0],
                "class +1": self.train.class_names[1],
                "training rows": self.train.n,
                "held-out rows": self.test.n,
                "dimension": self.train.d,
            },
            "settings": dict(self.settings),
            "separation": {
                "delta": _finite(gap.delta),
                "opposite classes": _finite(gap.opposite_class_delta),
                "gamma": _finite(gap.gamma),
                "largest rho": _finite(gap.rho_max),
                "caps of opposite classes meet": self.caps_meet,
            },
            "units": dict(self.features),
            "training": {
                "method": history.method,
                "steps": len(history),
                "step size": history.eta,
                "loss": [float(value) for value in history.loss],
                "clean loss": [float(value) for value in history.clean_loss],
                "activity": [float(value) for value in history.activity_mean],
                "activity at the clean points": list(self.active),
                "silent training points": list(self.silent),
                "row passes": int(history.work.sum()),
                "row passes, every neuron": self.dense_work,
            },
            "held out": {
                "rows looked at": len(self.answers),
                "confidence": self.clean.confidence,
                **intervals,
                "open": self.unknown,
                "by radius": [asdict(row) for row in self.curve],
                "rows": [answer.status for answer in self.answers],
            },
            "Theorem D": {
                "average loss": float(history.loss.mean()),
                "loss at the start": float(history.loss[0]),
                "noise": _six(self.bound.noise),
                "start": _six(self.bound.start),
                "coupling": _six(self.bound.coupling),
                "gap of the run": _six(self.bound.gap_run),
                "gap of W*": _six(self.bound.gap_comparator),
            },
            "hypotheses": [asdict(one) for one in self.hypotheses],
            "warnings": list(self.warnings),
        }

    def to_markdown(self) -> str:
        """Return the report as Markdown.

        Returns
        -------
        str
            Headings, sentences and tables.  A name is shown as it is: nothing in it is Markdown,
            HTML or a control sequence.
        """
        written = []
        for piece in _page(self, _markdown):
            if isinstance(piece, str):
                written.append(piece)
            elif isinstance(piece, tuple):
                written.append("\n".join(f"- {line}" for line in piece))
            else:
                rows = [piece[0], ["---"] * len(piece[0]), *piece[1:]]
                written.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
        return "\n\n".join(written) + "\n"

    def _repr_html_(self) -> str:
        """Return the report as HTML that follows the theme of the page."""
        from sublinear_lib.exhibits import inline_html  # only pages need it

        style = _texts()["style"].replace("\n", "")
        styles = {"#": "sl-report-title", "##": "sl-report-heading"}
        written = []
        for piece in _page(self, validation.printable):
            if isinstance(piece, str):
                sign, _, text = piece.partition(" ")
                text = text if sign in styles else piece
                written.append(f'<p class="{styles.get(sign, "")}">{escape(text)}</p>')
            elif isinstance(piece, tuple):
                lines = "".join(f"<li>{inline_html(line)}</li>" for line in piece)
                written.append(f"<ul>{lines}</ul>")
            else:
                head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in piece[0])
                body = "".join(
                    f"<tr>{''.join(f'<td>{inline_html(cell)}</td>' for cell in row)}</tr>"
                    for row in piece[1:]
                )
                # Long cells in a narrow window: rather a table to be moved than a word per line.
                wide = max(len(cell) for row in piece[1:] for cell in row) > 60
                written.append(
                    f'<div class="sl-scroll" tabindex="0"><table class="table'
                    f'{" sl-wide" if wide else ""}"><thead><tr>{head}'
                    f"</tr></thead><tbody>{body}</tbody></table></div>"
                )
        return f'<div class="sl-report"><style>{style}</style>{"".join(written)}</div>'

    @described
    def plot(self, name: str = "promise", caption: str | None = None) -> Picture:
        """Draw what is proved, possible and known to be wrong, by the radius of the caps.

        Here `name`: name of the figure; `caption`: what to notice.

        Raises ValueError: if rho is 0, so that there is one radius only.
        """
        from sublinear_lib.plotting import results

        if self.rho == 0.0:
            raise ValueError("rho must be > 0 for a picture over the radius, got 0.0")
        # The title is in the markup of the figures, in which these four signs mean something.
        title = re.sub(r"([\\*^_])", r"\\\1", validation.printable(self.name))
        radii, low, high = np.array([astuple(row) for row in self.curve]).T
        ends = [(one.estimate, one.lower, one.upper) for one in self.shares.values()]
        more = {"name": name, "caption": caption}
        return results.promise_picture(title, radii, low, high, self.rho, ends, **more)


@checked
def make_report(
    data: Table | tuple[Dataset, Dataset],
    *,
    m: Count = 4096,
    activity: float | None = None,
    tau: float | None = None,
    rho: float = 0.1,
    training_rho: float | None = None,
    steps: Count = 200,
    seed: Whole = 0,
    activation: str = "jump",
    test_fraction: Probability = 0.3,
    certify: Count | None = None,
    confidence: Probability = 0.95,
    progress: Flag = False,
) -> Report:
    r"""Train on one part of the data and report on the other.

    Here `data`: A table, which is split here; or a training and a held-out part, of one dimension,
    with labels that are not 0; `m`: width of the network, ``>= 1``; `activity`: share of the
    neurons that fire at a point when training starts, in (0, 1/2]; it sets the threshold.  0.02 if
    neither it nor `tau` is given; `tau`: the threshold itself, ``>= 0``, in the units of a
    pre-activation; `rho`: radius of the caps in testing, a chord length on X, in [0, sqrt(3)];
    `training_rho`: radius of the caps in training; by default `rho`.  0 is training without an
    adversary; `steps`: steps of Algorithm 1, ``>= 1``; `seed`: seed of the split, the weights and
    the attacks, ``>= 0``; `test_fraction`: share of a table that is held out, in (0, 1); `certify`:
    look at the first so many held-out rows only, ``>= 1``; `confidence`: level of the intervals, in
    (0, 1); `progress`: whether to show progress bars.

    Raises TypeError, ValueError: if an argument has the wrong type or is out of range.

    Raises TrainingDiverged: if training diverges.

    Source: Algorithm 1, Definitions 3.3, 3.4 and 3.7, Theorem 4.3, Lemma 4.5, Theorem D.  Proofs:
    exact for d <= 3, and for d > 3 the optimized relaxation; attacks: a smoothed gradient of 20
    steps and two starts, and the points that the proofs try.

    >>> from sublinear_lib import datasets
    >>> found = make_report(
    ...     datasets.load_split("circle-16", 0.5, 0), m=256, activity=0.3, rho=0.05, steps=20
    ... )
    >>> found.certified.estimate <= found.attacked.estimate <= found.clean.estimate
    True
    """
    radius = _radius(rho, "rho")
    inner = radius if training_rho is None else _radius(training_rho, "training_rho")
    level = _level(m, activity, tau)
    cut, weights, stream, proofs = np.random.SeedSequence(seed).spawn(4)
    train, test = _parts(data, test_fraction, np.random.default_rng(cut))
    start = TwoLayerNetwork.initialize(
        m, train.d, rng=np.random.default_rng(weights), tau=level, activation=activation
    )
    adversary: Adversary = (
        SmoothedGradient.of_few_steps(inner, _ATTACK_STEPS) if inner > 0.0 else IdentityAdversary()
    )
    trainer = SublinearAdversarialTraining(
        adversary=adversary,
        steps=steps,
        # Sums in their canonical order, and one way to find neurons: the same bytes with and
        # without compiled kernels.  What is left to BLAS has one thread.
        index="caps",
        reduction="reference",
        progress=progress,
    )
    settings: dict[str, int | float | str] = {
        "m": m,
        "tau": level,
        "activity": scaling.activity(level, m),
        "rho": radius,
        "training_rho": inner,
        "steps": steps,
        "seed": seed,
        "activation": str(activation),
        "test_fraction": test.n / (train.n + test.n),
    }
    features: dict[str, float] = {}
    if isinstance(data, Table) and train.slice_map is not None:
        shifts = covered_shift(radius, data.p) * train.slice_map.scale[:-1]
        features = dict(zip(data.columns, shifts.tolist(), strict=True))
    with single_threaded():
        history = trainer.fit(start, train.X, train.y, rng=np.random.default_rng(stream))
        answers = examine(history.final, test, radius, certify, proofs, progress)
        before, after = (net.active_mask(train.X) for net in (start, history.final))
        clean, attacked, certified = (
            clopper_pearson(sum(a.status in kinds for a in answers), len(answers), confidence)
            for kinds in (("broken", "open", "certified"), ("open", "certified"), ("certified",))
        )
        attack_steps = _ATTACK_STEPS if inner > 0.0 else 0
        return Report(
            features=features,
            settings=settings,
            separation=separation(train.X, radius, train.y),
            train=train,
            test=test,
            start=start,
            history=history,
            silent=(_silent(before), _silent(after)),
            active=(float(before.mean()), float(after.mean())),
            answers=answers,
            clean=clean,
            attacked=attacked,
            certified=certified,
            dense_work=float(theory.dense_cost(m, train.n, attack_steps).total * len(history)),
            bound=_theorem_d(start, train, history),
        )


def _silent(active: BoolArray) -> int:
    """Count the points at which no neuron fires."""
    return int((~active.any(axis=1)).sum())


def _radius(value: float, name: str) -> float:
    return validation.scalar(value, name, minimum=0.0, maximum=geometry.SLICE_DIAMETER)


def _level(m: int, activity: float | None, tau: float | None) -> float:
    """Return the threshold that is given, or the one with the wanted share of active neurons."""
    if activity is not None and tau is not None:
        raise ValueError("give either activity or tau, not both")
    if tau is None:
        wanted = 0.02 if activity is None else activity
        validation.scalar(wanted, "activity", exclusive_minimum=0, maximum=0.5)
        return scaling.threshold_from_activity(wanted, m)
    level = validation.scalar(tau, "tau", minimum=0.0)
    if scaling.activity(level, m) == 0.0:
        raise ValueError(
            "tau must be small enough for a neuron to fire with a probability above 0 in "
            f"float64, got {level!r} for m = {m}"
        )
    return level


def _parts(data: object, test_fraction: float, rng: np.random.Generator) -> tuple[Dataset, Dataset]:
    if isinstance(data, Table):
        return data.split(test_fraction, rng)
    pair = data if isinstance(data, tuple) else ()
    if len(pair) != 2 or not all(isinstance(part, Dataset) for part in pair):
        raise TypeError(f"data must be a Table or a pair of Dataset, got {type(data).__name__}")
    train, test = pair
    if train.d != test.d:
        raise ValueError(f"data must have parts of one dimension, got {train.d} and {test.d}")
    for part in pair:
        if (part.y == 0.0).any():
            raise ValueError("data must have labels that are not 0, whose sign names the class")
    return train, test


@described
def store_report(report: Report, folder: str | os.PathLike[str]) -> str:
    """Write a report into a folder: ``report.md``, ``report.json`` and its pictures.

    Here `report`: the report; `folder`: the folder, which exists.  Files of these names are
    replaced, each at one stroke, the text first: what goes wrong with a picture costs the pictures
    only.

    Why there are no pictures; empty where matplotlib is installed.

    Raises TypeError: if an argument has the wrong type.

    Raises OSError: if a file cannot be written.
    """
    folder = validation.path(folder, "folder")
    text = validation.instance(report, "report", Report).to_markdown()
    content = json.dumps(report.to_dict(), indent=1) + "\n"
    archives.write_bytes(folder / "report.json", content.encode())
    archives.write_bytes(folder / "report.md", text.encode())
    reason = no_pictures()
    pictures = {}
    if report.rho > 0.0 and not reason:
        pictures["promise"] = report.plot("promise")
    if len(report.history) > 1 and not reason:
        pictures["training"] = report.history.plot(name="training")
    for name, picture in pictures.items():
        archives.write_bytes(folder / f"{name}.png", picture.png)
    if pictures:
        text += "\n## Figures\n"
        text += "".join(f"\n![{_markdown(p.alt)}]({name}.png)\n" for name, p in pictures.items())
        archives.write_bytes(folder / "report.md", text.encode())
    return reason


# What is said about it


@cache
def _texts() -> dict[str, Any]:
    """Read what a report says around its numbers."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _theorem_d(start: TwoLayerNetwork, train: Dataset, history: History) -> regret.RegretBound:
    """Evaluate Theorem D on the run, at clean points, without the loss of W*."""
    X, y = train.X[:_MOST_FITTED], train.y[:_MOST_FITTED]
    W_star = regret.nearest_weights(start, X, y - start.forward(X))
    away = W_star - start.W
    drift, reach = float(history.drift_max.max()), regret.norm_2_inf(away)
    a = float(np.abs(start.a).max())
    z = start.preactivations(X)
    flips = int((np.abs(z - start.tau) <= drift).sum(axis=1).max())
    # Every row of a gradient is at most a times the share of points at which its neuron fires.
    firing = float(history.activity_mean.mean()) * start.m
    return regret.regret_bound(
        comparator=0.0,
        eta=history.eta,
        steps=len(history),
        gradient_squared=a**2 * firing,
        D_F=float(np.linalg.norm(away)),
        D_W=reach,
        drift=drift,
        a=a,
        flips=flips,
        gap_run=regret.largest_gap(start, X, drift),
        gap_comparator=regret.largest_gap(start, X, reach),
    )


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _repeated(train: Dataset, test: Dataset) -> tuple[int, int, int]:
    """Count rows that share their point with another label, errors forced by them, leaked rows."""
    points = np.concatenate([train.X, test.X]) + 0.0  # -0.0 becomes 0.0
    _, place = np.unique(points, axis=0, return_inverse=True)
    place = place.ravel()
    up = np.concatenate([train.y, test.y]) > 0.0
    plus, minus = (np.bincount(place[side], minlength=place.max() + 1) for side in (up, ~up))
    torn = (plus > 0) & (minus > 0)
    seen = np.isin(place[train.n :], place[: train.n])
    return (
        int((plus + minus)[torn].sum()),
        int(np.minimum(plus, minus).sum()),
        int(np.count_nonzero(seen)),
    )


# The text

_Rows: TypeAlias = Sequence[Sequence[str]]


def _said(text: str, given: Mapping[str, object]) -> str:
    """Fill in a text whose lines were broken for the eye only."""
    return text.strip().replace("\n", " ").format(**given)


def _markdown(name: str) -> str:
    """Return a name as Markdown that shows it as it is."""
    signs = r"[\\`*\[\]#|~$]|:(?=//)|(?<![^\W_])_|_(?![^\W_])"  # petal_length needs no help
    safe = re.sub(signs, r"\\\g<0>", validation.printable(name))
    return safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _page(report: Report, shown: Callable[[str], str]) -> list[str | tuple[str, ...] | _Rows]:
    """Return what a report says, piece by piece; every name that it quotes goes through `shown`.

    A piece is a paragraph or a heading, in Markdown, a list (a tuple) or a table with its head.
    """
    chosen, history = report.settings, report.history
    passes = int(history.work.sum())
    listings = _listings(report, shown)
    given = {
        "report": report,
        "name": shown(report.name),
        "minus": shown(report.train.class_names[0]),
        "plus": shown(report.train.class_names[1]),
        "training": _many(report.train.n, "row"),
        "looked": len(report.answers),
        "chosen": chosen,
        "activity": 100 * float(chosen["activity"]),
        "gap": report.separation,
        "opposite": _distance(report.separation.opposite_class_delta),
        "history": history,
        "steps": len(history),
        "last": history.loss[-1],
        "clean_last": history.clean_loss[-1],
        "fire": 100 * history.activity_mean[0],
        "fire_last": 100 * history.activity_mean[-1],
        "passes": passes,
        "saved": report.dense_work / max(passes, 1),
    }
    pieces: list[str | tuple[str, ...] | _Rows] = []
    for paragraph in _texts()["page"].split("\n\n"):
        name = paragraph.strip().strip("[]")
        if name not in listings:
            pieces.append(_said(paragraph, given))
        elif listings[name]:
            pieces.append(listings[name])
        else:
            pieces.pop()
    return pieces


def _listings(
    report: Report, shown: Callable[[str], str]
) -> dict[str, tuple[str, ...] | list[list[str]]]:
    """Return the lists and tables of a report by the names that stand in the page."""
    accuracies = [
        [name, f"{one.estimate:.3f}", f"{one.lower:.3f} to {one.upper:.3f}", meaning]
        for (name, one), meaning in zip(report.shares.items(), _MEANING, strict=True)
    ]
    radii = [
        [f"{row.radius:.4g}", f"{row.certified:.3f}", f"{row.possible:.3f}"] for row in report.curve
    ]
    features = [[shown(name), f"{value:.3g}"] for name, value in report.features.items()]
    judged = [[one.statement, one.needs, _WORDS[one.holds], one.found] for one in report.hypotheses]
    level = f"{100 * report.clean.confidence:g} % interval"
    return {
        "warnings": report.warnings,
        "accuracies": [["accuracy", "share", level, "meaning"], *accuracies],
        "radii": [["radius", "certified", "possible"], *radii],
        "features": [["feature", "change"], *features] if features else [],
        "hypotheses": [["statement", "needs", "here", "numbers"], *judged],
    }


_MEANING = (
    "right at the row itself",
    "right, and no wrong point found within rho",
    "proved right at every point within rho",
)
_WORDS = {True: "yes", False: "no", None: "undecided"}


def _finite(value: float | None) -> float | None:
    """Return a distance, or None where there is none: JSON has no infinity."""
    return None if value is None or math.isinf(value) else value


def _six(value: float) -> float:
    """Keep the digits of a solution of linear equations that do not depend on the kernels."""
    return float(f"{value:.6g}")


def _distance(value: float | None) -> str:
    found = _finite(value)
    return "none" if found is None else f"{found:.4g}"

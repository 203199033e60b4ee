"""The explorer of the phase transition: the paths of both features for one adversary.

Every position is one budget and one rate of the training adversary.  Paths and crossing times come
from one run of `sublinear_lib.features.phase_diagram`, from the first weights of the chapter's
main run; no formula lives here.  Before changing it, know that the paths are those of the
recursion with cross terms, every 50 steps, and that the winner is read from the logits at the end.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.features import (
    FeatureData,
    PatchNetwork,
    PhaseDiagram,
    Plateau,
    SmoothedReLU,
    TrainingAttack,
    TrainingSettings,
    critical_budget,
    critical_rate,
    growth_left,
    phase_diagram,
    plateau,
)
from sublinear_lib.plotting import grouped, number
from sublinear_lib.validation import scalar
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Line, Mark, View

__all__ = ["phases_explorer", "phases_view"]

_LAW = FeatureData()
_SETTINGS = TrainingSettings()
_SEED = 0
_EVERY = 50
_EPS = [round(0.03 * k, 2) for k in range(41)]
_RATES = {"43": 43.0, "100": 100.0, "300": 300.0}
_HEIGHTS = (0.03, 10.0)
# Above this factor of its growth the non-robust feature counts as leaking through the plateau;
# above this logit, as the adversary sees it, the plateau counts as having spent the loss.
_LEAK, _FADED = 0.01, 0.1


class _Place(NamedTuple):
    """What the recursion says at one place of the map; arrays over the classes."""

    steps: FloatArray
    A: FloatArray
    B: FloatArray
    share: FloatArray
    crossing: FloatArray


@lru_cache(maxsize=1)
def _first_weights() -> tuple[FloatArray, FloatArray]:
    """Return the features in the first filters of a run with this seed, drawn as training draws."""
    rng = np.random.default_rng(_SEED)
    _LAW.sample(_SETTINGS.samples, rng)
    network = PatchNetwork.random(
        _LAW.classes,
        _SETTINGS.filters,
        _LAW.dim,
        scale=_SETTINGS.scale,
        rng=rng,
        activation=_SETTINGS.activation,
    )
    return network.alignments(_LAW)


def _followed(eps: list[float], rates: list[float]) -> PhaseDiagram:
    return phase_diagram(
        _LAW, _SETTINGS, *_first_weights(), eps, rates, coupled=True, record_every=_EVERY
    )


@lru_cache(maxsize=1)
def _diagram() -> PhaseDiagram:
    return _followed(_EPS, [*_RATES.values()])


def _place(eps: float, rate: float) -> _Place:
    found, i, j = _diagram(), 0, 0
    rates = [*_RATES.values()]
    if eps in _EPS and rate in rates:
        i, j = _EPS.index(eps), rates.index(rate)
    else:
        found = _followed([eps], [rate])
    return _Place(
        found.steps.astype(np.float64),
        found.path_A[:, i, j],
        found.path_B[:, i, j],
        found.share[i, j],
        found.crossing[i, j],
    )


def _exponent() -> float:
    act = _SETTINGS.activation
    assert isinstance(act, SmoothedReLU)
    return act.q


def phases_view(eps: float, rate: float) -> View:
    r"""Show how the two features grow under an adversary of one budget and one rate.

    Parameters
    ----------
    eps : float
        The budget of the training adversary, ``>= 0``.
    rate : float
        The rate eta~ of its one step, ``> 0``.

    Returns
    -------
    View
        The paths of A and B of three classes by the recursion with cross terms, and the plateau.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of this form.

    Notes
    -----
    Source: Lemma III.5.2, after Li and Li (2025); plateau and critical rate are ours.
    """
    eps = scalar(eps, "eps", minimum=0.0)
    rate = scalar(rate, "rate", exclusive_minimum=0.0)
    place = _place(eps, rate)
    wins = place.share > 0.5
    settings = TrainingSettings(attack=TrainingAttack(eps=eps, rate=rate))
    found = plateau(_LAW, settings)
    level = found.level
    marks: list[Mark] = []
    if math.isfinite(level):
        ends = [float(place.steps[0]), float(place.steps[-1])]
        marks.append(
            Line(ends, [level, level], label="plateau", role="muted", dash=True, width=1.5)
        )
    for k in range(_LAW.classes):
        for values, letter, role in ((place.B, "*B*", "c2"), (place.A, "*A*", "c1")):
            marks.append(
                Line(
                    place.steps,
                    np.round(values[:, k], 3),
                    label=letter if k == 0 else "",
                    role=role,  # type: ignore[arg-type]
                    width=1.75,
                )
            )
    return View(
        x=Axis(label="step", limits=(0.0, float(place.steps[-1]))),
        y=Axis(label="best filter of each class", scale="log10", limits=_HEIGHTS, format=number),
        marks=marks,
        sentence=_sentence(eps, rate, place),
        readouts={
            "classes on *u*": f"{int(wins.sum())} of {wins.size}",
            "*A* leads from step": ", ".join(
                number(t, 6) if math.isfinite(t) else "never" for t in place.crossing
            ),
            "plateau of *B*": number(level) if math.isfinite(level) else "none",
        },
        warning=_failing(eps, rate, wins, found),
    )


def _sentence(eps: float, rate: float, place: _Place) -> str:
    wins = place.share > 0.5
    where = f"With ε = {number(eps)} and η̃ = {number(rate)}"
    times = place.crossing[np.isfinite(place.crossing)]
    if wins.all():
        side = "all three classes end with more than half of their logit from u"
    elif not wins.any():
        side = "no class ends with more than half of its logit from u"
    else:
        side = f"{_classes(wins)} on u and {_classes(~wins)} on v"
    if times.size == 0:
        when = f"Within {grouped(_SETTINGS.steps)} steps A never takes the lead for good."
    elif times.min() == times.max():
        when = f"A takes the lead at step {number(float(times[0]), 6)}."
    else:
        where_it_does = "" if times.size == wins.size else ", where it does"
        when = (
            f"A takes the lead between steps {number(float(times.min()), 6)} and "
            f"{number(float(times.max()), 6)}{where_it_does}."
        )
    ahead = np.isfinite(place.crossing) & ~wins
    if ahead.any():
        when += (
            f" In {_listed(ahead)} A leads and yet v, which fills {_LAW.nonrobust_patches} "
            "patches, gives more of the logit."
        )
    return f"{where}, {side}. {when}"


def _listed(chosen: BoolArray) -> str:
    named = [str(k + 1) for k in np.flatnonzero(chosen)]
    if len(named) == 1:
        return f"class {named[0]}"
    return f"classes {', '.join(named[:-1])} and {named[-1]}"


def _classes(chosen: BoolArray) -> str:
    return f"{_listed(chosen)} end{'' if chosen.sum() > 1 else 's'}"


def _failing(eps: float, rate: float, wins: BoolArray, found: Plateau) -> str | None:
    """Say which condition of the phase transition fails, the first one that does."""
    q = _exponent()
    if eps == 0.0:
        return "There is no adversary: this is standard training, Lemma III.5.1."
    limit = critical_rate(_LAW, q)
    if rate <= limit:
        return (
            f"The rate is not above the critical rate {number(limit)}: before the step is long "
            "enough to take all of v, the loss has faded, and the attack with it (the plateau "
            "must leave the loss alive)."
        )
    starts = [float(x.max(axis=1)[k]) for k in range(wins.size) for x in _first_weights()]
    budgets = [
        critical_budget(_LAW, q, start_ratio=starts[2 * k + 1] / starts[2 * k])
        for k in range(wins.size)
    ]
    losing = [k for k in range(wins.size) if not wins[k]]
    if not losing:
        return None
    below = [k for k in losing if eps < budgets[k]]
    said = ""
    if below:
        told = ", ".join(f"{number(budgets[k])} for class {k + 1}" for k in below)
        said = (
            f"The budget is below the critical budget ({told}): a sign step, which takes ε from "
            "both features from the first step on, would leave v ahead there. "
        )
        if len(below) == len(losing):
            return said.strip()
    left = growth_left(_LAW.beta, eps, q)
    if left > _LEAK:
        return said + (
            f"The budget is too far below β = {number(_LAW.beta)}: at the plateau B keeps a factor "
            f"(1 − ε/β)^{q:g} = {number(left)} of its growth and leaks through before A takes off. "
            "(For a faster adversary the wall lies further left.)"
        )
    if found.pull > _FADED:
        return said + (
            f"The rate is above the critical one, {number(limit)}, but not far: at the plateau v "
            "already gives a good part of the logit, the loss has begun to fade, and u gains the "
            "lead too late."
        )
    return said + (
        f"The budget takes so much of A's growth that {grouped(_SETTINGS.steps)} steps do not "
        "suffice; longer training would show the transition."
    )


def phases_explorer() -> Explorer:
    """Build the explorer of the phase transition.

    Returns
    -------
    Explorer
        Budgets from 0 to 1.2 and three rates, from the first weights of the chapter's main run.

    Notes
    -----
    Source: Lemma III.5.2, after Li and Li (2025).
    """
    return Explorer(
        lambda eps, rate: phases_view(eps, _RATES[rate]),
        [
            Slider("eps", "budget *ε*", _EPS, start=0.9),
            Choice("rate", "rate *η̃*", [*_RATES], start="300"),
        ],
        title="Does the strong feature overtake?",
        description=(
            "The best filters of all three classes by the recursion, from the first weights of the "
            "main run. The dashed line is the plateau."
        ),
        name="phases-explorer",
    )

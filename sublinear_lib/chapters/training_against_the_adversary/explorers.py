"""Width, threshold and step size against the loss of Algorithm 1, on four points of the circle."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from sublinear_lib import adversary, datasets, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, grouped, loss_curves, number, percent
from sublinear_lib.plotting.formats import Numbers
from sublinear_lib.training import StableStep, StepRecord, resolve_step_size
from sublinear_lib.training import SublinearAdversarialTraining as Trainer
from sublinear_lib.widgets import Axis, Line, View
from sublinear_lib.widgets.declaration import explorer, lab, menu, slider, width

_DATA = datasets.circle(4)
_ENDS = (1e-3, 10.0)
_LEVELS = [0.25 * k for k in range(12)]


@lru_cache(maxsize=1024)
def _run(m: int, t: float, c0: float) -> tuple[FloatArray, FloatArray, float, float, float]:
    tau = scaling.threshold_from_standard(t, m)
    start, foe = (
        TwoLayerNetwork.initialize(m, 3, rng=0, tau=tau),
        adversary.ProjectedGradient(rho=0.15, steps=3),
    )
    trainer = Trainer(adversary=foe, eta=StableStep(c0=c0), steps=40, index="caps")
    history = trainer.fit(start, _DATA.X, _DATA.y, rng=0)
    printed = resolve_step_size("printed", start) / resolve_step_size(StableStep(c0=1.0), start)
    firing = float(start.active_mask(_DATA.X).mean())
    return history.loss, history.clean_loss, printed, float(history.activity_max[-1]), firing


@explorer(
    "One step size for every width?",
    description="Four points of the circle, *d* = 3, *ρ* = 0.15, three attack steps.",
    name="training-curves",
    m=width(8, 14, start=2**10),
    t=menu("threshold, in standard deviations", ["0", "1.28"]),
    c0=menu("step size, adapted to width and threshold", ["0.3", "1", "30"], "1"),
)
def training_curves(m: int, t: str, c0: str) -> View:
    """Show the losses of a run of Algorithm 1 at a width, a threshold and a step size."""
    loss, clean, printed, active, firing = _run(m, float(t), float(c0))
    steps = np.arange(len(loss))
    late = float(loss[len(loss) // 2 :].mean())
    return View(
        x=Axis(label="step", limits=(0, len(loss) - 1)),
        y=Axis(label="loss", scale="log10", limits=_ENDS),
        marks=[
            Line(steps, np.clip(loss, *_ENDS), label="attacked", role="c4"),
            Line(steps, np.clip(clean, *_ENDS), label="clean", role="c1", width=1.5),
        ],
        sentence=(
            f"Of {grouped(m)} neurons {percent(firing)} fire at an example at the start. The loss "
            f"at the attacked points goes from {number(loss[0])} to {number(loss[-1])}; over the "
            f"second half of the run it is {number(late)} on average"
            f"{_failing(late > loss[0], active == 0.0)}. The printed step would be "
            f"{number(printed)} units long."
        ),
    )


def _failing(rising: bool, silent: bool) -> str:
    """Say what went wrong in the run, if anything did."""
    if silent:
        return ", and no neuron fires there any more"
    return ", above where it began: this step is too long" if rising else ""


_FOES = {
    "none": "nobody (standard training)",
    "plain": "plain gradient, 1 step",
    "smoothed": "smoothed gradient, 5 steps",
    "exact": "the exact worst case",
}


def _foe(name: str, rho: float) -> adversary.Adversary:
    if name == "plain":
        return adversary.ProjectedGradient(rho=rho, steps=1)
    if name == "smoothed":
        return adversary.SmoothedGradient.of_few_steps(rho)
    return adversary.ExactOnCircle(rho=rho) if name == "exact" else adversary.IdentityAdversary()


@lab(
    "Train against your adversary, and certify",
    foe=menu("adversary in training", _FOES, start="smoothed"),
    m=slider("width *m*", [2**k for k in range(8, 15)], start=2048, format=grouped),
    t=slider("threshold *τ*, in standard deviations", _LEVELS, start=2.0, format="{:.2f}"),
    rho=slider("radius *ρ*", [0.05, 0.1, 0.15, 0.3, 0.5], start=0.15, format="{:.2f}"),
    steps=slider("steps", [20, 50, 100, 200, 400], start=200),
    seed=slider("seed", range(10), start=0),
)
def train_and_certify(foe: str, m: int, t: float, rho: float, steps: int, seed: int) -> Picture:
    """Train on four points of the circle, certify the robust loss on the way, print and draw."""
    tau, every = scaling.threshold_from_standard(t, m), max(1, steps // 20)
    start, ends = (
        TwoLayerNetwork.initialize(m, 3, rng=seed, tau=tau),
        (_DATA.X, _DATA.y, rho, "huber"),
    )
    looked, exact = [0], [adversary.robust_loss(start, *ends).upper]

    def look(record: StepRecord, network: Callable[[], TwoLayerNetwork]) -> None:
        """Certify the weights after the step; the loss of row t is that of the weights before."""
        after = record.step + 1
        if after % every == 0:
            looked.append(after)
            exact.append(adversary.robust_loss(network(), *ends).upper)

    trainer = Trainer(adversary=_foe(foe, rho), eta=StableStep(c0=0.25), steps=steps)
    run = trainer.fit(start, _DATA.X, _DATA.y, rng=0, callback=look)
    worst = adversary.robust_loss(run.final, *ends)
    print(f"loss in training {run.loss[0]:.3f} to {run.loss[-1]:.5f}")
    print(f"exact robust loss at the end: {worst.lower:.5f} to {worst.upper:.5f}")
    curves: dict[str, tuple[Numbers, Numbers]]
    curves = {"in training": (run.step, run.loss), "exact": (looked, exact)}
    return loss_curves({f"trained against {_FOES[foe]}": curves}, name="certified-lab")

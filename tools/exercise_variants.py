"""Write a sheet of twelve exercises with numbers of its own, and the solutions for the marker.

A seed chooses the numbers, the library computes the answers; both texts are written as a page to
print and as Markdown with TeX formulas.  The same seed gives the same bytes.

usage: python tools/exercise_variants.py --seed SEED [--exercises 5 6] [--out FOLDER]
"""

from __future__ import annotations

import argparse
import base64
import math
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from markdown_it import MarkdownIt
from scipy.stats import norm

sys.path.append(str(Path(__file__).resolve().parents[1] / "book" / "_ext"))
from companion_math import mathml

from sublinear_lib import adversary, geometry, halfspace, scaling, theory
from sublinear_lib.network import TwoLayerNetwork

FONT = Path(__file__).resolve().parents[1] / "book/_static/vendor/math/latinmodern-math.woff2"


@dataclass(frozen=True)
class Variant:
    """One exercise with its numbers: what the class reads, and what the marker reads."""

    title: str
    chapter: str
    minutes: int
    question: str
    solution: str
    marks: tuple[tuple[int, str], ...]

    @property
    def points(self) -> int:
        """The most points that an answer can get."""
        return sum(points for points, _ in self.marks)


def thousands(value: float) -> str:
    """Write a whole number in groups of three digits."""
    return f"{round(value):,}".replace(",", r"\,")


def power_of_ten(value: float) -> str:
    """Write a number as a factor times a power of ten."""
    exponent = math.floor(math.log10(abs(value)))
    return rf"{value / 10**exponent:.2f}\cdot 10^{{{exponent}}}"


def exponent(tenths: int) -> str:
    """Write a number of tenths in lowest terms."""
    value = Fraction(tenths, 10)
    sign = "-" if value < 0 else ""
    over = "" if value.denominator == 1 else f"/{value.denominator}"
    return f"{sign}{abs(value.numerator)}{over}"


def matrix(rows: object) -> str:
    """Write points as a list of pairs or triples."""
    return ",\\ ".join(
        "(" + ",\\,".join(f"{value:g}" for value in row) + ")" for row in np.asarray(rows)
    )


def linear(normal: np.ndarray) -> str:
    """Write a linear form in x and y without a factor one."""
    first, second = (f"{value:+g}".replace("+1", "+").replace("-1", "-") for value in normal)
    return f"{first.removeprefix('+')}x{second}y"


def names(neurons: list[int]) -> str:
    """Name neurons by their numbers."""
    return f"neuron {', '.join(map(str, neurons))}" if neurons else "none"


def bill_of_a_step(rng: np.random.Generator) -> Variant:
    """Count the multiplications of a dense step, and the share of the adversary."""
    m, n = int(2 ** rng.integers(12, 19)), int(rng.integers(8, 60)) * 16
    d, steps = int(rng.integers(20, 120)), int(rng.integers(4, 26))
    rounds = theory.dense_cost(m, n, steps).total / (m * n)
    free = theory.dense_cost(m, n, 0).total / (m * n)
    return Variant(
        "The bill of a step",
        "Why a step costs mnd",
        8,
        f"A network of $m={thousands(m)}$ neurons is trained on $n={n}$ examples of dimension "
        f"$d={d}$ against an adversary that takes $S={steps}$ gradient steps. How many "
        "multiplications does one dense step need, in rounds of $mnd$ and as a number? Which share "
        "of them belongs to the adversary? To which $S$ must it be cut for a step of half the "
        "price?",
        f"Each attack step is a value and a gradient, the final value one round more, and the step "
        f"of training two: $2S+3={rounds:g}$ rounds, ${power_of_ten(rounds * m * n * d)}$ "
        f"multiplications. The adversary has $2S+1$ of them, {(2 * steps + 1) / rounds:.1%}. "
        f"Half the price means $2S'+3\\le{rounds / 2:g}$, so "
        f"$S'={math.floor((rounds / 2 - free) / 2)}$.",
        ((2, "the rounds, with what each is for"), (1, "the share"), (1, "the smaller $S$")),
    )


def activity_of_a_threshold(rng: np.random.Generator) -> Variant:
    """Go from a threshold to the share that fires, and say what m does to it."""
    k, t = int(rng.integers(10, 20)), round(float(rng.uniform(0.6, 2.4)), 2)
    m = 2**k
    share = scaling.activity(scaling.threshold_from_standard(t, m), m)
    low, high = theory.active_count_interval(scaling.threshold_from_standard(t, m), m)
    printed = scaling.activity(1 / m, m)
    return Variant(
        "From a threshold to a count",
        "One neuron, one threshold",
        8,
        f"All entries of $w_r$ and $b_r$ are independent $N(0,\\frac1m)$, $\\|x\\|=1$ and "
        f"$m=2^{{{k}}}$. What is the standard deviation of a pre-activation? Which share of the "
        f"neurons fires at $\\tau={t}$ standard deviations, and between which numbers does the "
        "count lie with probability 99.9 %? Which share fires at $\\tau=\\frac1m$?",
        f"$\\sqrt{{2/m}}={power_of_ten(scaling.preactivation_std(m))}$. The share is "
        f"$Q({t})={share:.4f}$, the count is binomial, between ${thousands(low)}$ and "
        f"${thousands(high)}$ (a normal approximation is fine). At $\\tau=\\frac1m$ the share is "
        f"$Q(1/\\sqrt{{2m}})={printed:.4f}$: about one half.",
        ((1, "the deviation, bias included"), (1, "the share"), (1, "the range"), (1, "one half")),
    )


def a_budget_of_neurons(rng: np.random.Generator) -> Variant:
    """Invert the Gaussian tail, and grow the width at a fixed exponent."""
    k, count = int(rng.integers(5, 8)), int(rng.integers(10, 90)) * 10
    m, wide = 10**k, 10 ** (k + 2)
    t = float(norm.isf(count / m))
    c = t * t / (2 * math.log(m))
    after = wide * float(norm.sf(math.sqrt(2 * c * math.log(wide))))
    return Variant(
        "A budget of neurons",
        "How many neurons fire",
        12,
        f"You can afford {count} active neurons for each input at $m=10^{k}$. Which $t$ and which "
        f"$c$ in $t=\\sqrt{{2c\\log m}}$ is that? Keep $c$ and take $m=10^{{{k + 2}}}$: by which "
        "factor does the number of active neurons grow, and which factor would a fixed $t$ give?",
        f"$t=Q^{{-1}}({count}/10^{k})={t:.3f}$ and $c=t^2/(2\\log m)={c:.3f}$. At the larger width "
        f"${thousands(after)}$ neurons fire, {after / count:.1f} times as many; with $t$ fixed it "
        "would be 100 times.",
        ((1, "$t$"), (1, "$c$"), (2, "both factors")),
    )


def neurons_that_flip(rng: np.random.Generator) -> Variant:
    """Decide by hand which neurons a move of given length can flip, and what that costs."""
    tau, delta = 0.5, round(float(rng.uniform(0.15, 0.3)), 2)
    while True:
        z = np.round(rng.uniform(-0.2, 1.2, size=8), 2)
        near = np.abs(z - tau)
        if np.abs(near - delta).min() >= 0.02 and near.min() >= 0.02 and 2 <= sum(near < delta) < 7:
            break
    wake = [int(r) + 1 for r in np.flatnonzero((z <= tau) & (z + delta > tau))]
    sleep = [int(r) + 1 for r in np.flatnonzero((z > tau) & (z - delta <= tau))]
    a = 0.2
    bound = a * (len(wake) + len(sleep)) * (tau + delta)
    return Variant(
        "Who can flip?",
        "Who flips",
        10,
        f"Eight neurons have the pre-activations $z=({', '.join(f'{value:g}' for value in z)})$ at "
        f"an input of norm 1, the threshold is $\\tau={tau}$, and each weight vector may move by "
        f"at most $\\delta={delta}$. Which neurons can fall silent, which can wake? All output "
        f"weights are $\\pm{a}$. Bound what the flips can change in $f$ for the jump activation, "
        "and say why the neurons that do not flip cost nothing in $f-g$.",
        f"A neuron can flip if $|z-\\tau|$ is at most $\\delta$: {names(wake)} can wake and "
        f"{names(sleep)} can fall silent. A neuron that flips "
        f"changes its part by at most $|a|(\\tau+\\delta)$, in all "
        f"${a}\\cdot{len(wake) + len(sleep)}\\cdot{tau + delta:g}={bound:.3f}$. A neuron that "
        "stays on or off changes $f$ and its linearization by the same amount.",
        ((2, "both lists"), (1, "the bound, with the jump"), (1, "the reason")),
    )


def exponents_that_meet(rng: np.random.Generator) -> Variant:
    """Multiply three factors, and say whether the gap vanishes."""
    alpha, beta = int(rng.integers(1, 6)), int(rng.integers(6, 9))
    total = -alpha + 15 - 2 * beta
    critical = (15 - alpha) / 2
    verdict = "It vanishes as $m$ grows." if total < 0 else "It grows with $m$."
    verdict = "It stays of one order." if total == 0 else verdict
    size, radius, flips = exponent(-alpha), exponent(-beta), exponent(15 - beta)
    return Variant(
        "Three factors",
        "f and its linearization",
        10,
        f"Output weights are of size $m^{{{size}}}$, and each weight vector moves by at most "
        f"$Km^{{{radius}}}$. The pre-activations have standard deviation $\\sqrt{{2/m}}$ and "
        "$\\tau\\le1/m$. Of which order is the number of neurons that can flip? Of which order is "
        "the part of $f-g$ that the flips cause? Does it vanish? Which exponent of the ball would "
        "be the border?",
        f"The window has a width of the order $m^{{{radius}}}$ and the density is of the order "
        f"$m^{{1/2}}$, so about $m\\cdot m^{{{radius}}}\\cdot m^{{1/2}}=m^{{{flips}}}$ neurons can "
        "flip. Each costs the output weight times the distance: "
        f"$m^{{{size}}}\\cdot m^{{{radius}}}\\cdot m^{{{flips}}}=m^{{{exponent(total)}}}$. "
        f"{verdict} The border is at $m^{{-{critical / 10:g}}}$.",
        ((2, "the number of flips"), (1, "the sum of exponents"), (1, "the border")),
    )


def worst_gap_by_hand(rng: np.random.Generator) -> Variant:
    """Find how far f can leave g at one point, for two neurons."""
    while True:
        z = np.round(rng.uniform(0.05, 0.95, size=2), 2)
        delta = round(float(rng.uniform(0.3, 0.6)), 2)
        if z[0] < 0.45 and z[1] > 0.55 and np.all(np.abs(np.abs(z - 0.5) - delta) > 0.04):
            break
    jump = theory.worst_gap(z, [1.0, -1.0], delta, 0.5)
    smooth = theory.worst_gap(z, [1.0, -1.0], delta, 0.5, activation="continuous")
    return Variant(
        "What the jump costs",
        "f and its linearization",
        20,
        f"Two neurons have $z=({z[0]:g},{z[1]:g})$ at one input of norm 1, output weights "
        f"$a=(1,-1)$ and $\\tau=\\frac12$. Each weight vector may move by at most "
        f"$\\delta={delta}$. Find $\\sup(f-g)$ and $\\sup(g-f)$ over these moves for the jump "
        "activation. What are they for the continuous activation?",
        f"Jump: $\\sup(f-g)={jump.above:.4g}$ and $\\sup(g-f)={jump.below:.4g}$. Continuous: "
        f"${smooth.above:.4g}$ and ${smooth.below:.4g}$. Neuron 1 is silent and wakes if it rises "
        f"by more than ${0.5 - z[0]:.3g}$. Neuron 2 is active and falls silent if it drops by at "
        f"least ${z[1] - 0.5:.3g}$. While a neuron keeps its state, its move cancels in $f-g$.",
        ((2, "both suprema for the jump"), (1, "the moves"), (1, "the continuous activation")),
    )


def size_of_a_net(rng: np.random.Generator) -> Variant:
    """Pay for all points of a net with a union bound."""
    d, k = int(rng.integers(4, 40)), int(rng.integers(3, 8))
    size = theory.log_net_size(d, 10.0**-k)
    needed = size + math.log(1000)
    return Variant(
        "Paying for a net",
        "From one input to all",
        10,
        f"$d={d}$, and the net has spacing $10^{{-{k}}}$. Bound the logarithm of its size. How "
        "small must the failure probability at one input be, so that the net fails with "
        f"probability at most 0.001? With a failure probability $e^{{-m^{{1/2}}}}$ at one input, "
        "from which $m$ on is that enough?",
        f"$\\log N\\le(d-1)\\log(1+\\sqrt3\\cdot10^{k})={size:.1f}$, so $e^{{-{needed:.1f}}}$ is "
        f"needed, and $m\\ge{needed:.1f}^2={thousands(math.ceil(needed**2))}$.",
        ((2, "the size of the net"), (1, "the union bound"), (1, "the width")),
    )


def worst_point_of_a_cap(rng: np.random.Generator) -> Variant:
    """Find the exact worst point of a cap for two neurons on the circle."""
    while True:
        big, tau = int(rng.integers(2, 6)), round(float(rng.uniform(0.35, 0.7)), 2)
        rho, sign = round(float(rng.uniform(0.1, 0.3)), 2), int(rng.choice([-1, 1]))
        switch = math.asin(tau / geometry.SLICE_RADIUS)
        if switch + geometry.cap_angle(rho) < 1.4:
            break
    W = np.array([[big, 0.0, 0.0], [0.0, 1.0, 0.0]])
    network = TwoLayerNetwork(W=W, b=np.zeros(2), a=np.array([1.0, float(sign)]), tau=tau)
    center = geometry.embed(np.array([[math.cos(switch), math.sin(switch)]]))
    found = adversary.extremes_on_circle(network, center, rho)[0]
    where = "is attained" if found.sup_attained else "is not attained"
    return Variant(
        "The worst point of a cap",
        "The adversary",
        15,
        "On the circle $x(\\varphi)=(\\frac{\\sqrt3}2\\cos\\varphi,\\frac{\\sqrt3}2\\sin\\varphi,"
        f"\\frac12)$ two neurons have $w_1=({big},0,0)$, $w_2=(0,1,0)$, $b=0$, "
        f"$a=(1,{sign})$ and the jump activation with $\\tau={tau}$. At which angle "
        f"$\\varphi_0\\in(0,\\frac\\pi2)$ does neuron 2 switch? Find $\\sup f$ on the cap of "
        f"$\\rho={rho}$ around $\\varphi_0$. Is it attained?",
        f"$\\varphi_0=\\arcsin({tau}/\\frac{{\\sqrt3}}2)={math.degrees(switch):.2f}$ degrees, and "
        f"the cap has the angle ${math.degrees(geometry.cap_angle(rho)):.2f}$ degrees. "
        f"$\\sup f={found.sup:.4f}$; it {where}. At $\\varphi_0$ itself neuron 2 is silent.",
        ((1, "the angle"), (2, "the supremum"), (1, "attained or not, with the reason")),
    )


def accuracy_and_steps(rng: np.random.Generator) -> Variant:
    """Choose the best step size and the number of steps."""
    distance, slope = int(rng.integers(2, 12)), int(rng.integers(3, 20))
    epsilon = float(rng.choice([0.05, 0.1, 0.2]))
    needed = math.ceil((distance * slope / epsilon) ** 2)
    eta = epsilon / slope**2
    return Variant(
        "How many steps?",
        "Convergence",
        10,
        f"The regret bound is $\\frac12\\eta G^2+\\frac{{D^2}}{{2\\eta T}}$ with $G={slope}$ and "
        f"$D={distance}$. Which $\\eta$ and which smallest $T$ make it at most "
        f"$\\epsilon={epsilon:g}$? What does the bound become if $\\eta$ is four times too large, "
        "with the same $T$?",
        f"The best step is $\\eta=D/(G\\sqrt T)$ and the bound is then $DG/\\sqrt T$: "
        f"$T={thousands(needed)}$ and $\\eta=\\epsilon/G^2={power_of_ten(eta)}$. Four times too "
        f"large gives $\\frac12(4+\\frac14)\\epsilon={2.125 * epsilon:.4g}$.",
        ((2, "step and number of steps"), (1, "the arithmetic"), (1, "the wrong step")),
    )


def layers_of_an_onion(rng: np.random.Generator) -> Variant:
    """Peel convex layers by hand, and ask a half-plane."""
    while True:
        points = rng.integers(-9, 10, size=(11, 2)).astype(float)
        normal = rng.integers(-3, 4, size=2).astype(float)
        offset = float(rng.integers(2, 12)) + 0.5
        heights = points @ normal
        if len(np.unique(points, axis=0)) < 11 or not normal.all():
            continue
        onion = halfspace.ConvexLayers(points)
        layers = onion.layers()
        walk = onion.trace(normal, offset)
        opened = len(walk.visits)
        # the last layer that is opened is the reason to stop
        ends = not np.any(heights[layers[opened - 1]] > offset)
        if 2 <= len(walk.reported) <= 5 and len(layers) >= 3 and ends:
            break
    inside = points[list(walk.reported)]
    return Variant(
        "Peel an onion",
        "Finding the neurons that fire",
        15,
        f"Peel the convex layers of the eleven points ${matrix(points)}$. Which of them have "
        f"${linear(normal)}>{offset:g}$? How many layers does the query open before "
        "it may stop, and why may it stop there?",
        f"The layers have {', '.join(str(len(layer)) for layer in layers)} points, from the "
        f"outside in. Reported: ${matrix(inside)}$. The query opens {opened} layers. The last one "
        "has no corner beyond the line, and everything deeper lies inside it.",
        ((2, "the layers"), (1, "the points"), (1, "where it stops, and why")),
    )


def when_skipping_pays(rng: np.random.Generator) -> Variant:
    """Weigh the neurons that can wake in a cap against all of them."""
    t, d = round(float(rng.uniform(1.6, 2.6)), 1), int(rng.integers(6, 60))
    rho, steps = round(float(rng.uniform(0.05, 0.25)), 2), int(rng.integers(4, 20))
    m, n = 2**16, 256
    tau = scaling.threshold_from_standard(t, m)
    sparse = theory.sparse_cost(m, n, d, tau, rho, steps).total
    dense = theory.dense_cost(m, n, steps).total
    free = theory.sparse_cost(m, n, d, tau, rho, steps, search="free").total
    return Variant(
        "When does skipping pay?",
        "What an iteration costs",
        15,
        f"$m=2^{{16}}$, $n={n}$, $d={d}$, $\\tau$ at ${t}$ standard deviations, an adversary with "
        f"$\\rho={rho}$ and $S={steps}$ steps. With `theory.dense_cost` and `theory.sparse_cost` "
        "find the factor between a dense and a sparse step when the search is one scan for each "
        "point, and when it is free. What is left to be won by a better index?",
        f"With the scan the factor is {dense / sparse:.2f}, with a free search "
        f"{dense / free:.2f}. No index can win more than the factor "
        f"{sparse / free:.2f} between the two.",
        ((2, "both factors"), (1, "the ratio"), (1, "what it says about indexes")),
    )


def an_interval_bound(rng: np.random.Generator) -> Variant:
    """Compare an interval bound with the truth on a cap."""
    while True:
        W = np.column_stack([rng.integers(-3, 4, size=(3, 2)), np.zeros(3)]).astype(float)
        a, tau = rng.choice([-1.0, 1.0], size=3), round(float(rng.uniform(0.3, 0.6)), 1)
        rho = round(float(rng.uniform(0.15, 0.35)), 2)
        network = TwoLayerNetwork(W=W, b=np.zeros(3), a=a, tau=tau, activation="continuous")
        x = geometry.embed(np.array([[1.0, 0.0]]))
        alpha = geometry.cap_angle(rho)
        lengths, turns = np.hypot(W[:, 0], W[:, 1]), np.arctan2(W[:, 1], W[:, 0])
        away = np.abs(turns)
        top = np.cos(np.maximum(away - alpha, 0.0))
        bottom = np.cos(np.minimum(away + alpha, math.pi))
        ends = (geometry.SLICE_RADIUS * lengths * end - tau for end in (top, bottom))
        high, low = (np.maximum(end, 0.0) for end in ends)
        bound = float(np.sum(np.where(a > 0, low, -high)))
        truth = adversary.extremes_on_circle(network, x, rho)[0].inf
        apart = len(np.unique(W, axis=0)) == 3 and bool(lengths.all())
        if apart and truth > bound + 0.02 and np.sum(high > 0) >= 2:
            break
    signs = ", ".join(f"{value:g}" for value in a)
    return Variant(
        "A bound and the truth",
        "Certifying the worst case",
        15,
        f"On the circle, three neurons with the continuous activation $(z-\\tau)_+$ have "
        f"$w={matrix(W)}$, $b=0$, $a=({signs})$ and $\\tau={tau}$. The cap has its center at "
        f"$\\varphi=0$ and $\\rho={rho}$. Bound $f$ on the cap from below, neuron by neuron. Why "
        "is the bound below the true minimum?",
        f"Each neuron is a wave in $\\varphi$, extreme at the ends of the cap or at its crest. "
        f"The bound is ${bound:.4f}$, the minimum is ${truth:.4f}$: no single point of the cap is "
        "the worst for every neuron.",
        ((2, "the three intervals"), (1, "the bound"), (1, "the reason")),
    )


EXERCISES: tuple[Callable[[np.random.Generator], Variant], ...] = (
    *(bill_of_a_step, activity_of_a_threshold, a_budget_of_neurons, neurons_that_flip),
    *(exponents_that_meet, worst_gap_by_hand, size_of_a_net, worst_point_of_a_cap),
    *(accuracy_and_steps, layers_of_an_onion, when_skipping_pays, an_interval_bound),
)


def variants(seed: int) -> list[Variant]:
    """Make the twelve exercises of a seed; each draws from a generator of its own."""
    streams = np.random.default_rng(seed).spawn(len(EXERCISES))
    return [make(stream) for make, stream in zip(EXERCISES, streams, strict=True)]


def chosen(seed: int, only: Sequence[int]) -> list[tuple[int, Variant]]:
    """Return the exercises of a seed with these numbers, or all of them."""
    return [(n, each) for n, each in enumerate(variants(seed), 1) if not only or n in only]


def sheet(seed: int, only: Sequence[int] = ()) -> str:
    """Return the sheet for the class."""
    parts = [f"# Exercises, sheet {seed}"]
    for n, each in chosen(seed, only):
        parts.append(f"## {n}. {each.title} ({each.points} points, {each.minutes} minutes)")
        parts += [f"*Chapter: {each.chapter}.*", each.question]
    return "\n\n".join(parts) + "\n"


def solutions(seed: int, only: Sequence[int] = ()) -> str:
    """Return the solutions and the marking scheme of the same sheet."""
    made = chosen(seed, only)
    total = sum(each.points for _, each in made)
    parts = [f"# Solutions and marking scheme, sheet {seed}", f"{total} points in all."]
    for number, each in made:
        scheme = "\n".join(f"- {points}: {what}" for points, what in each.marks)
        parts += [f"## {number}. {each.title} ({each.points} points)", each.solution, scheme]
    return "\n\n".join(parts) + "\n"


def printable(markdown: str) -> str:
    """Return a text as one page that needs no other file, with its formulas set."""
    formulas: list[str] = []

    def keep(match: re.Match[str]) -> str:
        formulas.append(mathml(match[1], {}))
        return f"@{len(formulas) - 1}@"

    body = str(MarkdownIt().render(re.sub(r"\$(.+?)\$", keep, markdown)))
    body = re.sub(r"@(\d+)@", lambda match: formulas[int(match[1])], body)
    font = base64.b64encode(FONT.read_bytes()).decode("ascii")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{markdown.splitlines()[0].removeprefix("# ")}</title>
<style>
@font-face {{ font-family: Formulas; src: url("data:font/woff2;base64,{font}"); }}
body {{ max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 serif; }}
h2 {{ font-size: 1.1rem; margin-top: 1.6rem; break-after: avoid; }}
math {{ font-family: Formulas, math; font-size: 1.1em; }}
</style>
</head>
<body>
{body}</body>
</html>
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, and say where they are."""
    parser = argparse.ArgumentParser(description="Write exercises with numbers of their own.")
    parser.add_argument("--seed", type=int, required=True, help="chooses the numbers, from 0 on")
    numbers = {"type": int, "nargs": "+", "default": (), "choices": range(1, len(EXERCISES) + 1)}
    told = "only these, by their numbers"
    parser.add_argument("--exercises", metavar="NUMBER", help=told, **numbers)
    parser.add_argument("--out", type=Path, default=Path(), help="a folder, made if need be")
    given = parser.parse_args(arguments)
    if given.seed < 0:
        parser.error(f"--seed must be 0 or more, got {given.seed}")
    given.out.mkdir(parents=True, exist_ok=True)
    for name, make in (("exercises", sheet), ("solutions", solutions)):
        text = make(given.seed, given.exercises)
        for shape, content in (("md", text), ("html", printable(text))):
            path = given.out / f"{name}-{given.seed}.{shape}"
            path.write_text(content, encoding="utf-8")
            print(path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

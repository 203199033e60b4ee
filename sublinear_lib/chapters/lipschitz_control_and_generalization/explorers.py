"""Memorize digits in two ways (Theorems II.4.8 and II.5.2), and draw where each answers."""

from __future__ import annotations

import math

import numpy as np

from sublinear_lib import memorization as mem
from sublinear_lib import statistics
from sublinear_lib._typing import FloatArray
from sublinear_lib.chapters._common import typed_rows
from sublinear_lib.chapters.lipschitz_control_and_generalization import figures
from sublinear_lib.plotting import Picture, number, percent
from sublinear_lib.widgets.declaration import lab, menu, slider, typed

_GRAYS, _GRID = 16, 71
_QUESTIONS = {
    "parity": "even against odd",
    "half": "0 to 4 against 5 to 9",
    "zero": "0 against the rest",
    "noise": "random labels",
}


def _signs(digit: FloatArray, question: str, rng: np.random.Generator) -> FloatArray:
    """Return labels -1 and +1 for the digits 0 to 9."""
    if question == "noise":
        return np.where(rng.random(len(digit)) < 0.5, 1.0, -1.0)
    kept = {"parity": digit % 2 == 0, "half": digit < 5, "zero": digit == 0}[question]
    return np.where(kept, 1.0, -1.0)


def _counted(memorizer: mem.Memorizer, X: FloatArray, labels: FloatArray) -> tuple[int, int]:
    """Return how many answers are right, and how many are missing."""
    if memorizer.kind == "lipschitz":
        values = memorizer(X)
        return int((values * labels > 0).sum()), int((values == 0).sum())
    given = memorizer.classify(X, within=0.5)
    return int((given == labels).sum()), int(np.isnan(given).sum())


@lab(
    "Memorize digits in two ways",
    N=slider("digits *N*", [50, 100, 200, 300, 400, 600], start=200),
    question=menu("labels", _QUESTIONS),
    share=slider("budget *μ*/*λ*", [0.1, 0.2, 0.3, 0.4, 0.45, 0.49, 0.499], start=0.45),
    seed=slider("seed", range(20), start=1),
)
def memorize_digits(N: int, question: str, share: float, seed: int) -> Picture:
    """Memorize digits with two networks, certify both, print and draw what others are called."""
    rng = np.random.default_rng(seed)
    data = mem.digits(N, rng)
    s = _signs(data.y - 1.0, question, rng)
    s_test = _signs(data.y_test - 1.0, question, rng)
    lam = mem.checked_data(data.X, s, 0.0, label_name="s").lam
    mu = share * lam
    print(f"lambda = {number(_GRAYS * lam)} gray levels", end="")
    print(f", mu = {number(_GRAYS * mu)}; {len(data.X_test)} other digits")
    entries, intervals = {}, {}
    for name, memorizer, labels in (
        ("Theorem 4.8", mem.memorize(data.X, 1.5 + s / 2, mu), 1.5 + s_test / 2),
        ("Theorem 5.2", mem.memorize_lipschitz(data.X, s), s_test),
    ):
        sure = mem.certify(memorizer, "interval", radius=mu)
        right, missing = _counted(memorizer, data.X_test, labels)
        total = len(labels)
        found = statistics.clopper_pearson(right, total, 0.95)
        print(f"{name}: certified on {int(sure.certified.sum())} of {N} balls", end="")
        print(f", right {percent(found.estimate)}, no answer {percent(missing / total)}")
        wrong = total - right - missing
        entries[name] = (right / total, wrong / total, missing / total)
        intervals[name] = found
    guess = float(np.mean(s_test > 0))
    return figures.answer_bars(
        entries, intervals, chance=max(guess, 1.0 - guess), name="digits-lab"
    )


def _signed(words: list[str]) -> list[float]:
    a, b, sign = words
    return [float(a), float(b), 2.0 * ("-", "+").index(sign) - 1.0]


@lab(
    "Who answers where?",
    points=typed("points: x y +; x y -; … (empty: drawn)"),
    N=slider("points *N*", range(2, 21), start=8),
    share=slider("budget *μ*/*λ*", [0.1, 0.2, 0.3, 0.4, 0.45, 0.49], start=0.4),
    seed=slider("seed", range(20), start=2),
)
def answer_in_the_plane(points: str, N: int, share: float, seed: int) -> Picture:
    """Memorize points of the plane with two networks, print slopes, draw where they answer."""
    wanted = "points must be triples 'x y +' or 'x y -' with semicolons between them"
    if rows := typed_rows(points, wanted, _signed):
        X, s = np.array(rows)[:, :2], np.array(rows)[:, 2]
    else:
        X, y = mem.plane_points(N, 2, rng=seed)
        s = np.where(y == 1.0, 1.0, -1.0)
    lam = mem.checked_data(X, s, 0.0, label_name="s").lam
    mu = share * lam
    bumps, flat = mem.memorize(X, 1.5 + s / 2, mu), mem.memorize_lipschitz(X, s)
    clipped = mem.memorize_lipschitz(X, s, mu)
    steep, least = bumps.lipschitz_bound, clipped.lipschitz_bound / 2
    print(f"lambda = {number(lam)}, mu = {number(mu)}; slopes per unit of the labels: at most")
    print(f"{number(steep)} for Theorem 4.8, {number(least)} for Theorem 5.2, the least possible")
    low, high = float(X.min()) - 0.7 * lam, float(X.max()) + 0.7 * lam
    places = np.linspace(low, high, _GRID)
    grid = np.stack(np.meshgrid(places, places), axis=-1).reshape(-1, 2)
    # The closed form: the weights are right only on the box for which they were built.
    first, other = (each.reference(grid).reshape(_GRID, _GRID) for each in (bumps, flat))
    panels = [
        figures.AnswerPanel("Theorem 4.8", first, (1.5, math.inf), (0.5, 1.5)),
        figures.AnswerPanel("Theorem 5.2", other),
    ]
    return figures.answers_picture(X, s, panels, mu=mu, limits=(low, high), name="plane-lab")

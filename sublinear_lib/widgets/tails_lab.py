"""The live labs of the toolbox: count neurons in many networks, and add terms with random signs.

The first draws networks and puts the tail of the number of neurons in a window beside the exact law
and the bounds of Lemmas A.6, A.8 and A.9; the second draws the output B of initial networks at
growing widths, once with the signs of Definition 3.1 and once without (Claim C.6).  No formula
lives here; in the static page each lab is a still picture.
"""

from __future__ import annotations

import math

import numpy as np

from sublinear_lib import scaling, statistics, theory
from sublinear_lib._typing import FloatArray
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import (
    CountTail,
    Picture,
    cost_curves,
    grouped,
    number,
    percent,
    tail_panels,
)
from sublinear_lib.theory import flips, tails
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._circle import AN_INPUT
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.live_lab import LiveLab
from sublinear_lib.widgets.window_tails import window_half_width, window_labels

__all__ = ["add_with_signs", "count_in_window", "signs_lab", "window_lab"]

_FAILURE = 1e-3
_LOWEST = 1e-9
_SHOWN: dict[tails.Tool, str] = {
    "hoeffding": "Hoeffding",
    "chernoff": "Chernoff",
    "chernoff repaired": "repaired",
    "bernstein": "Bernstein",
}
_GROUPS, _EACH = 5, 20


def count_in_window(m: int, t: float, window: str, networks: int, seed: int) -> Picture:
    """Draw networks, count the neurons in a window at one input, draw the tail of the counts.

    Parameters
    ----------
    m : int
        Width, ``m >= 64``.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, ``t >= 0``.
    window : str
        Half-width of the window, a key of `window_labels`.
    networks : int
        Number of networks, ``>= 10``.
    seed : int
        Seed of the networks, ``>= 0``.

    Returns
    -------
    Picture
        The probability of at least so many: in the drawn networks with 99.9 % intervals, by the
        exact law, and as four bounds have it.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Lemmas A.6, A.8, A.9 and Claim A.10 as used in Claims C.2, C.9 and C.16.
    """
    m, networks = count(m, "m", minimum=64), count(networks, "networks", minimum=10)
    tau, eta = scaling.threshold_from_standard(t, m), window_half_width(window, m)
    rng = np.random.default_rng(count(seed, "seed", minimum=0))
    found = np.empty(networks, dtype=np.int64)
    for k in range(networks):
        network = TwoLayerNetwork.initialize(m, 3, rng=rng, tau=tau)
        found[k] = flips.near_mask(network, AN_INPUT, eta).sum()
    p = flips.flip_probability(tau, m, eta)
    mean, allowed = m * p, tails.allowed_count(_FAILURE, m, p)
    average = float(found.mean())
    print(f"Q(t) = {percent(scaling.activity_at(t))}; in the window {percent(p)}", end=", ")
    print(f"expected {number(mean)}, drawn {number(average)} on average")
    print(f"above {grouped(allowed)} with probability at most {number(_FAILURE)}", end=": ")
    print(f"{int((found > allowed).sum())} of {networks} networks")
    for tool, name in _SHOWN.items():
        limit = math.floor(mean + tails.allowed_excess(tool, _FAILURE, m, p))
        print(f"{name:<9} allows {grouped(limit)}")
    levels = _levels(m, mean, p)
    sample = []
    for level in levels[:: max(1, len(levels) // 10)]:
        hits = int((found >= level).sum())
        if hits:
            share = statistics.clopper_pearson(hits, networks)
            sample.append((level, hits / networks, share.lower, share.upper))
    bounds = {
        name: np.maximum(np.exp(tails.log_tail_bound(tool, levels - mean, m, p)), _LOWEST)
        for tool, name in _SHOWN.items()
    }
    exact = np.exp(tails.log_count_tail(levels, m, p))
    panel = CountTail(levels, exact, bounds, sample or None)
    return tail_panels({f"*m* = {grouped(m)}, *t* = {number(t)}": panel}, name="window-lab")


def _levels(m: int, mean: float, p: float) -> FloatArray:
    """Return counts above the mean, up to where the exact tail is a billionth."""
    first = math.floor(mean) + 1
    last = min(m, first + 2 + math.ceil(6.0 * math.sqrt(mean * (1.0 - p)) + 6.0))
    counts = np.unique(np.round(np.linspace(first, max(last, first + 1), 60)))
    kept = counts[tails.log_count_tail(counts, m, p) >= math.log(_LOWEST)]
    return np.asarray(kept if len(kept) > 1 else counts[:2], dtype=np.float64)


def add_with_signs(m: int, t: float, activation: str, seed: int) -> Picture:
    """Draw 100 initial networks at each of four widths, print and draw their outputs at one input.

    Parameters
    ----------
    m : int
        Largest width, ``>= 4096``; the others are a fourth, a sixteenth and a sixty-fourth of it.
    t : float
        Threshold in standard deviations ``sqrt(2/m)``, from 0 to 2.
    activation : {"jump", "continuous"}
        The activation.
    seed : int
        Seed of the networks, ``>= 0``.

    Returns
    -------
    Picture
        Root mean square of ``B(x) = f(x; W_0)`` in five groups of twenty networks, with its closed
        form; the same sums when every output weight is positive; and the printed ``m^(-1/10)``.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Claim C.6.
    """
    largest, seed = count(m, "m", minimum=4096), count(seed, "seed", minimum=0)
    t = scalar(t, "t", minimum=0.0, maximum=2.0)
    form = choice(activation, "activation", ("jump", "continuous"))
    widths = [largest // 4**k for k in (3, 2, 1, 0)]
    signed, plain = (np.empty((_GROUPS * _EACH, len(widths))) for _ in range(2))
    sizes = [
        (n, scaling.PRINTED.output_weight(n), scaling.threshold_from_standard(t, n)) for n in widths
    ]
    for k, (width, a, tau) in enumerate(sizes):
        rng = np.random.default_rng([seed, width])
        for draw in range(_GROUPS * _EACH):
            network = TwoLayerNetwork.initialize(width, 3, rng=rng, tau=tau, activation=form)
            terms = network.activation.value(network.preactivations(AN_INPUT)[0], tau)
            signed[draw, k], plain[draw, k] = network.a @ terms, a * terms.sum()
    law = [theory.initial_output_std(*size, form) for size in sizes]
    groups = np.sqrt((signed.reshape(_GROUPS, _EACH, -1) ** 2).mean(axis=1))
    rows = np.sqrt((plain.reshape(_GROUPS, _EACH, -1) ** 2).mean(axis=1))
    size = float(np.sqrt((signed[:, -1] ** 2).mean()))
    print(f"at m = {grouped(largest)}: size of B {number(size)}, closed form {number(law[-1])}")
    for name, values in (("random signs", groups), ("all signs +", rows)):
        print(f"slope with {name}: {statistics.loglog_slope(widths, values, 0.99)} (99 %)")
    level = largest**-0.1
    hits = int((np.abs(signed[:, -1]) >= level).sum())
    bound = math.exp(theory.log_initial_output_tail(level, *sizes[-1], form))
    print(f"|B| reaches m^(-1/10) in {hits} of {_GROUPS * _EACH} networks", end="; ")
    print(f"the chance is at most {number(min(bound, 1.0))}")
    return cost_curves(
        widths,
        predicted={"random signs": law},
        measured={"random signs": groups, "all signs +": rows},
        reference=("*m*^{−1/10}", [width**-0.1 for width in widths]),
        ylabel="size of the initial output",
        name="signs-lab",
    )


def window_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that counts neurons in a window in many networks.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, threshold, window, number of networks and seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Appendix A as used in Claims C.2, C.9 and C.16.
    """
    return LiveLab(
        count_in_window,
        [
            Slider("m", "width *m*", [2**k for k in range(6, 17)], start=2**10, format=grouped),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(13)],
                start=2.0,
                format="{:.2f}",
            ),
            Choice("window", "window", window_labels(), start="m^{-3/5}"),
            Slider("networks", "networks", [100, 300, 1000, 2000], start=1000, format=grouped),
            Slider("seed", "seed", list(range(12)), start=1),
        ],
        still=still,
        title="Draw your own networks, and count",
    )


def signs_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that adds the terms of B with and without their signs.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for width, threshold, activation and seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Claim C.6.
    """
    return LiveLab(
        add_with_signs,
        [
            Slider(
                "m", "largest width *m*", [2**k for k in range(12, 18)], start=2**14, format=grouped
            ),
            Slider(
                "t",
                "threshold *τ*, in standard deviations",
                [0.25 * k for k in range(9)],
                start=0.0,
                format="{:.2f}",
            ),
            Choice("activation", "activation", ("jump", "continuous")),
            Slider("seed", "seed", list(range(12)), start=2),
        ],
        still=still,
        title="What the random signs buy",
    )

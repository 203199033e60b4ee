"""The live labs of the errata: try powers of your own, and run a check again with your own seed.

The first draws networks at several widths for chosen (alpha, beta, c) and puts the worst gap at an
input beside the largest value that g can reach there; the second runs the check of a statement, as
``sublinear verify`` does, and draws the exponents that it found.  No formula lives here; in the
static page each lab is a still picture.  Before changing it, know that both maxima over the ball
are exact at the input (Proposition 1), and that what the second prints holds no times, so that a
stored run is the same on every machine.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from sublinear_lib import statistics, theory
from sublinear_lib.claims import LEDGER, Outcome, verify
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import ExponentRow, Picture, cost_curves, exponents_picture, grouped
from sublinear_lib.statistics import Interval
from sublinear_lib.validation import choice, count
from sublinear_lib.widgets._circle import AN_INPUT
from sublinear_lib.widgets._menus import ACTIVATIONS
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.exponent_map import chosen_powers
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["powers_lab", "rerun_check", "rerun_lab", "try_powers"]

_STATEMENTS = {
    "thm-4.1": "Theorem 4.1",
    "lem-4.2": "Lemma 4.2",
    "thm-4.3": "Theorem 4.3",
    "claim-4.6": "Claim 4.6",
    "lem-c.14": "Lemma C.14",
    "set-r1": "the set R1",
    "set-r2": "the set R2",
    "set-r3": "the set R3",
}
_ROWS = 12
_DRAWS = 8
_SMALLEST = 8


def try_powers(
    alpha: float, beta: float, c: float, activation: str, largest: int, seed: int
) -> Picture:
    """Draw networks with chosen powers, print what fails and the slopes, draw gap and reach.

    Parameters
    ----------
    alpha, beta, c : float
        ``|a_r| = m^-alpha``, radius ``m^-beta``, a share ``m^-c`` of active neurons; taken as the
        nearest multiples of 1/60.
    activation : {"jump", "continuous"}
        The activation.
    largest : int
        Power of two of the largest width, 12 to 20; the smallest width is ``2^8``.
    seed : int
        Seed of the networks, ``>= 0``.

    Returns
    -------
    Picture
        At one input, against the width: the largest ``|f - g|`` over the ball without the initial
        network, and the largest ``|g|``, in eight networks each, with the mean of the former.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Theorems 4.1 and 4.4, Propositions 1 and 2.
    """
    rules = chosen_powers(alpha, beta, c, choice(activation, "activation", tuple(ACTIVATIONS)))
    top = count(largest, "largest", minimum=_SMALLEST + 4, maximum=20)
    seed = count(seed, "seed", minimum=0)
    widths = [2**k for k in range(_SMALLEST, top + 1, 2)]
    gap, reach = np.empty((_DRAWS, len(widths))), np.empty((_DRAWS, len(widths)))
    for draw, k in np.ndindex(*gap.shape):
        m = widths[k]
        rng = np.random.default_rng([seed, draw, m])
        start = TwoLayerNetwork.initialize(m, 3, rules, rng=rng)
        worst = theory.worst_gap_at(start, AN_INPUT[0], rules.radius(m))
        gap[draw, k], reach[draw, k] = worst.half_width, worst.largest_g
    closed = [
        theory.half_width_moments(
            m, rules.output_weight(m), rules.radius(m), rules.tau(m), rules.activation
        ).mean
        for m in widths
    ]
    failing = theory.CONSISTENT.violated(rules.alpha, rules.beta, rules.c)
    print("conditions that fail:", ", ".join(failing) or "none")
    for name, rows, power in (
        ("largest |f - g|", gap, rules.gap_exponent),
        ("largest |g|", reach, rules.expressivity_exponent),
    ):
        slope = statistics.loglog_slope(widths, rows)
        print(f"{name:<15} slope {slope}, power in the limit {power}")
    return cost_curves(
        widths,
        predicted={"*f* \N{MINUS SIGN} *g*": closed},
        measured={"*f* \N{MINUS SIGN} *g*": gap, "*g*": reach},
        ylabel="largest value over the ball",
        name="powers-lab",
    )


def rerun_check(statement: str, seed: int) -> Picture:
    """Run the check of a statement with a seed, print its verdict, draw the exponents it found.

    Parameters
    ----------
    statement : str
        Id of a statement whose check measures exponents, such as ``"thm-4.1"``.
    seed : int
        From which all randomness of the check comes, ``>= 0``.

    Returns
    -------
    Picture
        The exponents that it measured, at most twelve, in the order of the check: the bar is the
        interval, the color says whether it is as the line below the label asks.

    Raises
    ------
    RuntimeError
        If the check itself fails.
    TypeError, ValueError
        If an argument has the wrong type, or the statement is none of these.

    Notes
    -----
    Source: the ledger; the quick budget of ``sublinear verify``.
    """
    choice(statement, "statement", tuple(_STATEMENTS))
    (report,) = verify(LEDGER, [statement], seed=count(seed, "seed", minimum=0))
    if report.evidence is None:
        raise RuntimeError(f"the check of {statement} did not end: {report.error}")
    found = report.evidence.observations
    outcomes = Counter(item.outcome for item in found)
    print(f"{_STATEMENTS[statement]}: {report.verdict.value}", end="; ")
    print("as recorded" if report.as_recorded else f"on record: {report.claim.recorded.value}")
    print(f"{grouped(len(found))} observations", end=": ")
    print(", ".join(f"{outcomes[each]} {each.value}" for each in Outcome if outcomes[each]))
    rows = [
        ExponentRow(
            item.what,
            item.found,
            agrees=item.outcome is Outcome.YES,
            remark=f"asked: {item.asked}",
        )
        for item in found
        if isinstance(item.found, Interval)
    ]
    return exponents_picture(rows[:_ROWS], key=("as asked", "not as asked"), name="check-lab")


def powers_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that tries powers of the reader's own.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for the three powers, the activation, the largest width and the seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: Theorems 4.1 and 4.4, Propositions 1 and 2.
    """
    fifths = [k / 10 for k in range(6)]
    return LiveLab(
        try_powers,
        [
            Slider("alpha", "output weights, *α*", fifths, start=0.2),
            Slider("beta", "radius, *β*", [0.5 + k / 20 for k in range(11)], start=0.6),
            Slider("c", "active share, *c*", [k / 20 for k in range(10)], start=0.0),
            Choice("activation", "activation", ACTIVATIONS),
            Slider(
                "largest",
                "largest width",
                [12, 14, 16, 18, 20],
                start=16,
                format=lambda power: grouped(2 ** int(power)),
            ),
            Slider("seed", "seed", list(range(10)), start=0),
        ],
        still=still,
        title="Choose your own powers",
    )


def rerun_lab(still: Picture | None = None) -> LiveLab:
    """Build the lab that runs a check again.

    Parameters
    ----------
    still : Picture, optional
        What the static page shows of one run.

    Returns
    -------
    LiveLab
        Controls for the statement and the seed.

    Raises
    ------
    TypeError
        If `still` is neither a `Picture` nor ``None``.

    Notes
    -----
    Source: the ledger.
    """
    return LiveLab(
        rerun_check,
        [
            Choice("statement", "statement", _STATEMENTS),
            Slider("seed", "seed", list(range(100)), start=1),
        ],
        still=still,
        title="Run the check again",
    )

"""A wrong argument is named at the door, with what was given and what is allowed."""

import pytest

from sublinear_lib import cluster, datasets, memorization, theory
from sublinear_lib.adversary import SmoothedGradient, bracket, margin_of
from sublinear_lib.halfspace import HalfspaceHits, HalfspaceIndex
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training.measuring import count_flips

NETWORK = TwoLayerNetwork.initialize(8, 3, rng=0, tau=0.1)
WIDE = TwoLayerNetwork.initialize(9, 3, rng=0)
POINTS = datasets.circle(4)
HITS = HalfspaceHits.from_mask([[True, False], [False, True]])
MEMORIZER = memorization.memorize([[0.0, 0.0], [1.0, 0.0]], [1, 2], 0.25)
INDEX = HalfspaceIndex(NETWORK.W)
CORNERS = ([0.0, 0.0], [1.0, 1.0])
NO_NETWORK = r"network must be of type \w*Network, got .* of type Memorizer"
NO_MEMORIZER = r"memorizer must be of type Memorizer, got .* of type ReLUNetwork"

TYPES = {
    "flips of a number": (lambda: count_flips(1, 2, 3), "start must be .*, got 1 of type int"),
    "flips against None": (lambda: count_flips(NETWORK, None, POINTS.X), "now must be .* got None"),
    "certify": (lambda: memorization.certify(MEMORIZER.network), NO_MEMORIZER),
    "bounds": (lambda: memorization.memorizer_bounds(MEMORIZER.network), NO_MEMORIZER),
    "slope": (lambda: memorization.lipschitz_certificate(MEMORIZER.network), NO_MEMORIZER),
    "ideal": (lambda: memorization.ideal_values(MEMORIZER.network, [[0, 0]]), NO_MEMORIZER),
    "attack": (lambda: memorization.attack(MEMORIZER, [[0, 0]], [1], 0.1, rng=0), NO_NETWORK),
    "layers": (lambda: memorization.interval_bounds(MEMORIZER, *CORNERS), NO_NETWORK),
    "circle": (lambda: theory.max_active_on_circle(None), "network must be .* got None"),
    "flips": (lambda: theory.max_flips_on_circle(None, 0.1), "network must be .* got None"),
    "near": (lambda: theory.max_near_on_circle(None, 0.1), "network must be .* got None"),
    "hits by name": (lambda: HITS["a"], r"query must be an integer in -2, \.\.\., 1, got 'a'"),
    "a slice of hits": (lambda: HITS[:1], "query must be an integer"),
    "task": (lambda: list(cluster.run_tasks(pow, [5])), r"tasks\[0\] must be of type tuple, got 5"),
    "function": (lambda: list(cluster.run_tasks(5, [(2,)])), "function must be callable, got 5"),
    "save to a number": (lambda: INDEX.save(3), "path must be a string or path-like, got 3"),
    "load a number": (lambda: HalfspaceIndex.load(0), "path must be a string or path-like, got 0"),
    "save a network": (lambda: NETWORK.save(3), "path must be a string or path-like, got 3"),
    "margin of None": (lambda: margin_of(None, 1.0), "adversary must have .* rho, got None"),
}


VALUES = {
    "tiny cap": (lambda: SmoothedGradient(rho=5e-324), "rho must be 0 or >= 1e-200, got 5e-324"),
    "points": (lambda: bracket(NETWORK, POINTS.X[:1], 0.1), r"x must have shape \(3,\), got"),
    "width": (lambda: count_flips(NETWORK, WIDE, POINTS.X), r"now must .*\(8, 3\), got \(9, 3\)"),
}


@pytest.mark.parametrize("case", [*TYPES, *VALUES])
def test_a_wrong_argument_is_named(case):
    call, message = (TYPES | VALUES)[case]
    with pytest.raises(TypeError if case in TYPES else ValueError, match=message):
        call()


def test_a_memorizer_and_its_certificate_are_shown_in_a_line():
    assert repr(MEMORIZER) == (
        "Memorizer('linf', N=2, n=2, mu=0.25, lam=1, p=inf, "
        f"width={MEMORIZER.network.width}, depth={MEMORIZER.network.depth})"
    )
    told = "'interval' of the stored weights: 2 of 2 balls of radius 0.25 certified"
    assert repr(memorization.certify(MEMORIZER)) == f"Certificate({told})"
